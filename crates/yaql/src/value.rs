//! The runtime values of expressions.

use std::rc::Rc;

use smol_str::SmolStr;

use super::context::Context;
use super::deferred_drop;
use super::items::Items;
use super::lambda::Lambda;
use super::lazy_iter::LazyIter;
use super::library::date_time::{DateTime, TimeSpan};
use super::library::queries::OrderingIterable;
use super::library::regex::Pattern;
use super::tree::Node;
use super::{Failure, Outcome};
use python_semantics::ExceptionClass;
use python_semantics::number::Integer;

pub(crate) use super::hash::HashKey;
pub(crate) use super::set::Set;

/// A value. Cloning is cheap, because large values are shared.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    /// An absent argument, the default of some parameters.
    Missing,
    Null,
    Bool(bool),
    Int(Integer),
    Float(f64),
    Text(SmolStr),
    /// yaql's list, a Python tuple.
    Tuple(Items),
    /// A Python `list`, which some functions return; it is not hashable.
    List(Items),
    Dict(Rc<Dict>),
    Set(Rc<Set>),
    /// The keys, values or items of a dictionary.
    View(View, Rc<Dict>),
    Lazy(LazyIter),
    /// The result of `orderBy`, sorted when it is iterated.
    Ordering(Rc<OrderingIterable>),
    DateTime(Rc<DateTime>),
    TimeSpan(TimeSpan),
    /// A compiled regular expression.
    Pattern(Rc<Pattern>),
    /// The result of `let` and similar functions.
    Context(Context),
    /// A callable value; every lazy argument is one.
    Lambda(Rc<Lambda>),
    /// `source => destination` with both sides computed.
    Rule(Rc<(Value, Value)>),
    /// `source => destination` with neither side computed.
    LazyRule(Rc<(Lambda, Lambda)>),
    /// An argument that is not computed before the call.
    Expression(Node),
    /// An unknown value by its number in the data. It can be moved; any other use
    /// fails with [`Failure::Unknown`].
    Opaque(u32),
}

/// A dictionary in insertion order.
#[derive(Debug)]
pub(crate) struct Dict {
    /// The pairs in insertion order.
    pub(crate) pairs: Pairs,
    /// Whether it is yaql's frozen dictionary, which can be a key, or Python's `dict`, which cannot.
    pub(crate) frozen: bool,
}

impl Drop for Dict {
    fn drop(&mut self) {
        if self.pairs.keys().any(|key| deferred_drop::is_container(key.value())) {
            for (key, value) in self.pairs.drain(..) {
                deferred_drop::defer_drop_value(key.into_value());
                deferred_drop::defer_drop_value(value);
            }
        } else {
            self.pairs.values_mut().for_each(deferred_drop::defer_drop_in_place);
        }
    }
}

/// The pairs of a dictionary.
pub(crate) type Pairs = indexmap::IndexMap<HashKey, Value, super::hash::KeyBuildHasher>;

/// The part of a dictionary that a view shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum View {
    Keys,
    Values,
    Items,
}

/// How a value consists of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Structure {
    /// A value without items.
    Atom,
    /// Iterable, and neither text nor dictionary.
    Sequence,
    Dict,
    /// Of others that are not its items.
    Holder,
    /// Unknown, but of none that is known.
    Unknown,
}

impl Value {
    pub(crate) fn structure(&self) -> Structure {
        match self {
            Value::Missing
            | Value::Null
            | Value::Bool(_)
            | Value::Int(_)
            | Value::Float(_)
            | Value::Text(_)
            | Value::DateTime(_)
            | Value::TimeSpan(_)
            | Value::Pattern(_)
            | Value::Expression(_) => Structure::Atom,
            Value::Tuple(_)
            | Value::List(_)
            | Value::Set(_)
            | Value::View(..)
            | Value::Lazy(_)
            | Value::Ordering(_) => Structure::Sequence,
            Value::Dict(_) => Structure::Dict,
            Value::Context(_) | Value::Lambda(_) | Value::Rule(_) | Value::LazyRule(_) => {
                Structure::Holder
            }
            Value::Opaque(_) => Structure::Unknown,
        }
    }

    pub(crate) fn text(text: impl Into<SmolStr>) -> Self {
        Value::Text(text.into())
    }

    pub(crate) fn int(value: impl Into<i64>) -> Self {
        Value::Int(Integer::Small(value.into()))
    }

    /// Creates an integer from a length or a position.
    pub(crate) fn count(value: usize) -> Self {
        Value::Int(super::number::of_usize(value))
    }

    /// A list of yaql, which is a Python tuple.
    pub(crate) fn tuple(items: impl Into<Items>) -> Self {
        Value::Tuple(items.into())
    }

    /// Creates a Python `list`.
    pub(crate) fn list(items: impl Into<Items>) -> Self {
        Value::List(items.into())
    }

    /// A dictionary of yaql, which can be a key, unlike a Python `dict`.
    pub(crate) fn frozen_dict(pairs: Pairs) -> Self {
        Value::Dict(Rc::new(Dict { pairs, frozen: true }))
    }

    /// Creates a Python `dict`.
    pub(crate) fn dict(pairs: Pairs) -> Self {
        Value::Dict(Rc::new(Dict { pairs, frozen: false }))
    }

    /// `iter(value)`. As in Python, dictionaries (their keys) and texts (their characters) are
    /// iterable, too.
    ///
    /// # Errors
    ///
    /// `TypeError` if the value is not iterable.
    pub(crate) fn iter(&self, run: &super::call::Run) -> Outcome<LazyIter> {
        use super::lazy_iter::IteratorClass;
        run.spend(2)?;
        Ok(match self {
            Value::Tuple(items) | Value::List(items) => LazyIter::over(items.clone()),
            Value::Set(set) => LazyIter::over(set.in_order(run)),
            Value::Dict(dict) | Value::View(View::Keys, dict) => {
                let (dict, mut at) = (dict.clone(), 0);
                LazyIter::new(IteratorClass { name: "dict_keyiterator", size: 72 }, move |_| {
                    at += 1;
                    Ok(dict.pairs.get_index(at - 1).map(|(key, _)| key.value().clone()))
                })
            }
            Value::View(View::Values, dict) => {
                let (dict, mut at) = (dict.clone(), 0);
                LazyIter::new(IteratorClass { name: "dict_valueiterator", size: 72 }, move |_| {
                    at += 1;
                    Ok(dict.pairs.get_index(at - 1).map(|(_, value)| value.clone()))
                })
            }
            Value::View(View::Items, dict) => {
                let (dict, mut at) = (dict.clone(), 0);
                LazyIter::new(IteratorClass { name: "dict_itemiterator", size: 72 }, move |_| {
                    at += 1;
                    let pair = dict.pairs.get_index(at - 1);
                    Ok(pair.map(|(key, value)| Value::tuple([key.value().clone(), value.clone()])))
                })
            }
            Value::Text(text) => {
                let (text, mut at) = (text.clone(), 0);
                LazyIter::new(IteratorClass { name: "str_ascii_iterator", size: 48 }, move |_| {
                    let next = text[at..].chars().next();
                    at += next.map_or(0, char::len_utf8);
                    Ok(next.map(|c| Value::text(SmolStr::from_iter([c]))))
                })
            }
            Value::Lazy(lazy) => lazy.iter(),
            Value::Ordering(ordering) => LazyIter::over(ordering.sorted(run)?),
            // It has items by name, but Python requests them by number.
            Value::Context(_) => {
                LazyIter::new(IteratorClass { name: "iterator", size: 48 }, |_| {
                    let message = "'int' object has no attribute 'startswith'";
                    Err(Failure::new(ExceptionClass::AttributeError, message))
                })
            }
            Value::Opaque(_) => return Err(Failure::Unknown),
            other => {
                let name = super::text::type_name(other);
                return Err(Failure::type_error(format!("'{name}' object is not iterable")));
            }
        })
    }

    /// Whether both are the same object.
    pub(crate) fn is(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Missing, Value::Missing) | (Value::Null, Value::Null) => true,
            (Value::Bool(one), Value::Bool(other)) => one == other,
            (Value::Tuple(one), Value::Tuple(other)) | (Value::List(one), Value::List(other)) => {
                one.is(other)
            }
            (Value::Dict(one), Value::Dict(other)) => Rc::ptr_eq(one, other),
            (Value::Set(one), Value::Set(other)) => Rc::ptr_eq(one, other),
            (Value::Lazy(one), Value::Lazy(other)) => one.is(other),
            (Value::Ordering(one), Value::Ordering(other)) => Rc::ptr_eq(one, other),
            (Value::Pattern(one), Value::Pattern(other)) => Rc::ptr_eq(one, other),
            (Value::Context(one), Value::Context(other)) => one.is(other),
            (Value::Lambda(one), Value::Lambda(other)) => Rc::ptr_eq(one, other),
            (Value::Rule(one), Value::Rule(other)) => Rc::ptr_eq(one, other),
            (Value::Opaque(one), Value::Opaque(other)) => one == other,
            _ => false,
        }
    }
}
