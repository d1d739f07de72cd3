//! Parameter types: yaql's smart types.

use std::rc::Rc;

use python_semantics::ExceptionClass;

use super::call::Run;
use super::context::Context;
use super::function::Parameter;
use super::lambda::{Body, Lambda};
use super::overload::Argument;
use super::tree::{Expr, SyntaxNode};
use super::value::View;
use super::{Failure, Outcome, Value, budget};

/// The type of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    /// Python's `object`; accepts null unless the parameter excludes it.
    Any,
    /// `NoneType`: only null.
    Null,
    Bool,
    /// `int`, including `bool`.
    Int,
    /// An integer, excluding booleans.
    Integer,
    /// A number, excluding booleans.
    Number,
    /// `str`.
    Text,
    /// An iterable that is neither text nor dictionary.
    Iterable,
    /// Like [`Type::Iterable`], excluding sets.
    IterableButSet,
    Iterator,
    /// `Sequence`: tuples and lists.
    Sequence,
    Mapping,
    /// `Set`: sets, and keys and items of dictionaries.
    Set,
    /// A context, the result of `let` and similar functions.
    Context,
    /// A date; without a zone it is converted to UTC.
    DateTime,
    /// A date with its zone unchanged.
    PlainDateTime,
    TimeSpan,
    /// A compiled regular expression.
    Pattern,
    /// The result of `orderBy`.
    Ordering,
    /// A computed pair.
    Rule,
    /// A callable value.
    Callable,
    /// A lambda: the argument is not computed before the call.
    Lambda,
    /// A lambda that is called on the value before the dot; it must be a call.
    MethodLambda,
    /// A pair that is not computed before the call.
    LazyRule,
    /// Any expression, uncomputed.
    Expression,
    /// A keyword as a text.
    Keyword,
    /// A keyword as an expression.
    WrittenKeyword,
    /// A constant text, uncomputed.
    TextConstant,
}

/// The size of a yaql expression in CPython, in bytes.
const EXPRESSION_BYTES: usize = 56;

/// Whether an argument fits a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    Yes,
    No,
    /// It depends on something unknown.
    Unknown,
}

impl From<bool> for Fit {
    fn from(fits: bool) -> Self {
        if fits { Fit::Yes } else { Fit::No }
    }
}

impl Type {
    /// Whether null fits unless the parameter says otherwise.
    pub(crate) const fn takes_null(self) -> bool {
        matches!(self, Type::Any | Type::Null | Type::Lambda | Type::MethodLambda)
    }

    /// The type in words.
    pub(crate) const fn description(self) -> &'static str {
        match self {
            Type::Any => "anything",
            Type::Null => "null",
            Type::Bool => "boolean",
            Type::Int | Type::Integer => "integer",
            Type::Number => "number",
            Type::Text => "string",
            Type::Iterable => "iterable",
            Type::IterableButSet => "iterable, not a set",
            Type::Iterator => "iterator",
            Type::Sequence => "list",
            Type::Mapping => "dict",
            Type::Set => "set",
            Type::Context => "context",
            Type::DateTime | Type::PlainDateTime => "datetime",
            Type::TimeSpan => "timespan",
            Type::Pattern => "regex",
            Type::Ordering => "ordered iterable",
            Type::Rule | Type::LazyRule => "pair",
            Type::Callable => "callable",
            Type::Lambda | Type::MethodLambda => "lambda",
            Type::Expression => "expression",
            Type::Keyword | Type::WrittenKeyword => "keyword",
            Type::TextConstant => "constant string",
        }
    }

    /// Whether arguments stay uncomputed.
    pub(crate) fn is_lazy(self) -> bool {
        matches!(self, Type::Lambda | Type::MethodLambda | Type::LazyRule | Type::Expression)
    }

    /// Whether the memory quota counts the expression instead of its value.
    fn keeps_written(self) -> bool {
        self.is_lazy() || matches!(self, Type::Keyword | Type::WrittenKeyword | Type::TextConstant)
    }

    /// Whether this type is a specialization of `other`: arguments that fit it fit `other`, but not vice
    /// versa.
    pub(crate) fn is_specialization_of(self, other: Type) -> bool {
        let Some(mine) = self.ancestors() else { return false };
        let Some(_) = other.ancestors() else { return false };
        self.class() != other.class() && mine.contains(&other.class())
    }

    /// The Python class of the type, if it is a single one.
    fn class(self) -> Type {
        match self {
            Type::Integer => Type::Int,
            // `callable` is checked in addition to `object`.
            Type::Callable => Type::Any,
            Type::IterableButSet => Type::Iterable,
            Type::PlainDateTime => Type::DateTime,
            other => other,
        }
    }

    /// The Python classes from which the type's class is derived, including itself; `None` if it is not a
    /// single class.
    fn ancestors(self) -> Option<&'static [Type]> {
        Some(match self.class() {
            Type::Any => &[Type::Any],
            Type::Null => &[Type::Null, Type::Any],
            Type::Int => &[Type::Int, Type::Any],
            Type::Bool => &[Type::Bool, Type::Int, Type::Any],
            Type::Text => &[Type::Text, Type::Sequence, Type::Iterable, Type::Any],
            Type::Iterable => &[Type::Iterable, Type::Any],
            Type::Iterator => &[Type::Iterator, Type::Iterable, Type::Any],
            Type::Sequence => &[Type::Sequence, Type::Iterable, Type::Any],
            Type::Mapping => &[Type::Mapping, Type::Iterable, Type::Any],
            Type::Set => &[Type::Set, Type::Iterable, Type::Any],
            Type::Ordering => &[Type::Ordering, Type::Iterable, Type::Any],
            Type::Context => &[Type::Context, Type::Any],
            Type::DateTime => &[Type::DateTime, Type::Any],
            Type::TimeSpan => &[Type::TimeSpan, Type::Any],
            Type::Pattern => &[Type::Pattern, Type::Any],
            Type::Rule => &[Type::Rule, Type::Any],
            // A choice of types, or not a Python type.
            _ => return None,
        })
    }

    /// Whether a value fits, ignoring its expression.
    fn takes(self, value: &Value, iterable_dicts: bool) -> Fit {
        if matches!(value, Value::Opaque(_)) && self != Type::Any {
            return Fit::Unknown;
        }
        let iterable = match value {
            Value::Tuple(_)
            | Value::List(_)
            | Value::Set(_)
            | Value::View(..)
            | Value::Lazy(_)
            | Value::Ordering(_) => true,
            Value::Dict(_) => iterable_dicts,
            _ => false,
        };
        let is_set = matches!(value, Value::Set(_) | Value::View(View::Keys | View::Items, _));
        Fit::from(match self {
            Type::Any => true,
            Type::Null => matches!(value, Value::Null),
            Type::Bool => matches!(value, Value::Bool(_)),
            Type::Int => matches!(value, Value::Int(_) | Value::Bool(_)),
            Type::Integer => matches!(value, Value::Int(_)),
            Type::Number => matches!(value, Value::Int(_) | Value::Float(_)),
            Type::Text => matches!(value, Value::Text(_)),
            Type::Iterable => iterable,
            Type::IterableButSet => iterable && !is_set,
            Type::Iterator => matches!(value, Value::Lazy(_)),
            Type::Sequence => matches!(value, Value::Tuple(_) | Value::List(_)),
            Type::Mapping => matches!(value, Value::Dict(_)),
            Type::Set => is_set,
            Type::Context => matches!(value, Value::Context(_)),
            Type::DateTime | Type::PlainDateTime => matches!(value, Value::DateTime(_)),
            Type::TimeSpan => matches!(value, Value::TimeSpan(_)),
            Type::Pattern => matches!(value, Value::Pattern(_)),
            Type::Ordering => matches!(value, Value::Ordering(_)),
            Type::Rule => matches!(value, Value::Rule(_)),
            Type::Callable => matches!(value, Value::Lambda(_)),
            Type::Lambda | Type::MethodLambda => true,
            Type::LazyRule => matches!(value, Value::LazyRule(_)),
            // These are expressions, never values.
            Type::Expression | Type::WrittenKeyword | Type::Keyword | Type::TextConstant => false,
        })
    }

    /// Whether an uncomputed expression fits; `None` if only its value decides.
    fn takes_written(self, part: &SyntaxNode) -> Option<bool> {
        Some(match self {
            Type::Lambda | Type::Expression => true,
            Type::MethodLambda => part.uses_receiver(),
            Type::LazyRule => matches!(part.expr, Expr::Rule(..)),
            Type::Keyword | Type::WrittenKeyword => matches!(part.expr, Expr::Keyword(_)),
            Type::TextConstant => matches!(part.constant(), Some(Value::Text(_))),
            _ => return None,
        })
    }
}

impl Parameter {
    /// Whether an argument fits; an uncomputed argument that is not a constant fits every type whose
    /// arguments are computed.
    pub(crate) fn fits(&self, argument: &Argument, run: &Run) -> Fit {
        let constant;
        let value = match argument {
            Argument::Unevaluated(_) | Argument::Forwarded(_) => {
                let Some(node) = argument.node() else { return Fit::No };
                if let Some(fits) = self.kind.takes_written(node) {
                    return Fit::from(fits);
                }
                match node.constant() {
                    Some(value) => {
                        constant = value;
                        &constant
                    }
                    None => return Fit::Yes,
                }
            }
            Argument::Value(value) => value,
            Argument::Omitted => &Value::Missing,
        };
        match value {
            Value::Null => Fit::from(self.nullable),
            Value::Opaque(_) if !self.nullable => Fit::Unknown,
            value => self.kind.takes(value, run.options.iterable_dicts),
        }
    }

    /// Converts the argument for the function.
    pub(crate) fn convert(&self, argument: Argument, run: &Run, context: &Context) -> Outcome {
        let lambda = |body| Value::Lambda(Rc::new(Lambda { body, context: context.clone() }));
        if matches!(argument, Argument::Unevaluated(_)) && self.kind.keeps_written() {
            run.check_bytes(EXPRESSION_BYTES)?;
        }
        let value = match (argument.node(), self.kind) {
            (None, _) => match argument {
                Argument::Value(value) => value,
                Argument::Omitted | Argument::Unevaluated(_) | Argument::Forwarded(_) => {
                    Value::Missing
                }
            },
            (Some(node), Type::Lambda | Type::MethodLambda) => {
                return Ok(match node.constant() {
                    Some(value) => lambda(Body::Value(value)),
                    None => lambda(Body::Expr(node.clone())),
                });
            }
            (Some(node), Type::LazyRule) => {
                let Expr::Rule(source, destination) = &node.expr else {
                    return Err(self.refuses());
                };
                let part = |node: &super::tree::Node| Lambda {
                    body: Body::Expr(node.clone()),
                    context: context.clone(),
                };
                return Ok(Value::LazyRule(Rc::new((part(source), part(destination)))));
            }
            (Some(node), Type::Expression | Type::WrittenKeyword) => {
                return Ok(Value::Expression(node.clone()));
            }
            (Some(node), _) => node.constant().ok_or_else(|| self.refuses())?,
        };
        if matches!(self.kind, Type::Lambda | Type::MethodLambda) {
            return Ok(match value {
                Value::Null => Value::Null,
                // Python unwraps it: its variables are looked up in the context that receives it.
                Value::Lambda(inner) => lambda(inner.body.clone()),
                value => {
                    run.check_memory(&value)?;
                    lambda(Body::Value(value))
                }
            });
        }
        budget::spend_reading(&value)?;
        run.check_memory(&value)?;
        match (self.kind, value) {
            (_, Value::Null) => Ok(Value::Null),
            (Type::Iterable | Type::IterableButSet, value) => run.check_length(value),
            (Type::DateTime, Value::DateTime(date)) => Ok(Value::DateTime(date.or_utc())),
            (_, value) => Ok(value),
        }
    }

    fn refuses(&self) -> Failure {
        Failure::new(ExceptionClass::ArgumentException, format!("Invalid argument {}", self.name))
    }
}
