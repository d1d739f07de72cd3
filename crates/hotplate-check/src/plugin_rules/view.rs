//! The properties of a resource as its plugin sees them, as far as they are known.

use indexmap::IndexMap;
use num_traits::ToPrimitive;

use heat_engine::eval::typed_properties::ValueStep;
use heat_engine::eval::{Dependency, EvalResult, Term, Unknown, Value, python};

/// Whether a property has a value that is true in Python.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Set {
    /// It certainly has.
    Yes,
    /// It certainly has none, or a null.
    No,
    /// It is unknown, or the value is empty, which plugins treat differently.
    Unknown,
}

/// The properties of a resource, or the members of a map in them.
#[derive(Clone, Copy, Debug)]
pub(super) enum PropertyView<'a> {
    Resource(&'a IndexMap<String, EvalResult>),
    /// A map, mostly an item of a list.
    Item(&'a Value),
}

impl<'a> PropertyView<'a> {
    /// The properties of a resource.
    pub(super) fn top(values: &'a IndexMap<String, EvalResult>) -> Self {
        PropertyView::Resource(values)
    }

    /// The value of a property; `None` if the property failed.
    pub(super) fn value(&self, name: &str) -> Option<&'a Value> {
        let value = match self {
            PropertyView::Resource(values) => values.get(name)?.as_ref().ok(),
            PropertyView::Item(item) => match item.unsealed() {
                Value::Map(map) => map.get(name),
                _ => None,
            },
        };
        value.map(Value::unsealed)
    }

    /// Whether a property has a value.
    pub(super) fn get(&self, name: &str) -> Set {
        match self.value(name) {
            None => Set::Unknown,
            Some(Value::Null) => Set::No,
            Some(Value::Unknown(unknown)) => of_unknown(unknown),
            Some(value) if python::truthy(value) => Set::Yes,
            Some(_) => Set::Unknown,
        }
    }

    /// Whether a property has a value other than null, even an empty one.
    pub(super) fn given(&self, name: &str) -> Set {
        match self.value(name) {
            None => Set::Unknown,
            Some(Value::Null) => Set::No,
            // Neither a parameter nor the id of a resource is null.
            Some(Value::Unknown(unknown)) => match unknown.term() {
                Term::Leaf { of: Dependency::Resource(_) | Dependency::Parameter(_), .. } => {
                    Set::Yes
                }
                Term::Leaf { .. } | Term::Call { .. } | Term::Opaque => Set::Unknown,
            },
            Some(_) => Set::Yes,
        }
    }

    /// The value of a property that is a known string.
    pub(super) fn text(&self, name: &str) -> Option<&'a str> {
        text_of(self.value(name)?)
    }

    /// Whether a property is known to have this value; `true` and `false` are booleans.
    pub(super) fn is(&self, name: &str, value: &str) -> bool {
        match self.value(name) {
            Some(Value::Text(text)) => text == value,
            Some(Value::Bool(flag)) => value == if *flag { "true" } else { "false" },
            _ => false,
        }
    }

    /// The value of a property that is a known integer.
    pub(super) fn number(&self, name: &str) -> Option<i64> {
        match self.value(name)? {
            Value::Int(number) => python::to_big(number).to_i64(),
            _ => None,
        }
    }

    /// The maps that a path leads to through lists and maps, each with its place.
    pub(super) fn within(&self, names: &[&'static str]) -> Vec<(Vec<ValueStep>, PropertyView<'a>)> {
        let Some((first, rest)) = names.split_first() else { return vec![(Vec::new(), *self)] };
        let own = ValueStep::Key((*first).into());
        let below: Vec<(Vec<ValueStep>, PropertyView<'a>)> = match self.value(first) {
            Some(Value::List(items)) => {
                let items = items.iter().enumerate();
                items
                    .map(|(at, it)| {
                        (vec![own.clone(), ValueStep::Item(at)], PropertyView::Item(it))
                    })
                    .collect()
            }
            Some(map @ Value::Map(_)) => vec![(vec![own], PropertyView::Item(map))],
            _ => Vec::new(),
        };
        let each = below.into_iter().flat_map(|(path, view)| {
            let inner = view.within(rest).into_iter();
            inner.map(move |(steps, view)| ([path.clone(), steps].concat(), view))
        });
        each.collect()
    }

    /// The texts of the hidden values, which a message must not show.
    pub(super) fn secrets(&self) -> Vec<String> {
        let mut secrets = Vec::new();
        match self {
            PropertyView::Resource(values) => {
                let values = values.values().filter_map(|value| value.as_ref().ok());
                values.for_each(|value| collect_secrets(value, false, &mut secrets));
            }
            PropertyView::Item(item) => collect_secrets(item, false, &mut secrets),
        }
        secrets.retain(|secret| !secret.is_empty());
        secrets
    }

    /// The names of the properties that have a value.
    pub(super) fn set(&self) -> Vec<&'a str> {
        match self {
            PropertyView::Resource(values) => {
                let names = values.keys().map(String::as_str);
                names.filter(|name| self.given(name) == Set::Yes).collect()
            }
            PropertyView::Item(item) => match item.unsealed() {
                Value::Map(map) => map.keys().filter_map(|key| key.as_text()).collect(),
                _ => Vec::new(),
            },
        }
    }

    /// The items of a list, as far as they are known.
    pub(super) fn items(&self, name: &str) -> Vec<PropertyView<'a>> {
        let Some(Value::List(items)) = self.value(name) else { return Vec::new() };
        items.iter().map(PropertyView::Item).collect()
    }
}

/// The id of a resource is never empty.
fn of_unknown(unknown: &Unknown) -> Set {
    match unknown.term() {
        Term::Leaf { of: Dependency::Resource(_), .. } => Set::Yes,
        Term::Leaf { .. } | Term::Call { .. } | Term::Opaque => Set::Unknown,
    }
}

/// A known string.
pub(super) fn text_of(value: &Value) -> Option<&str> {
    match value.unsealed() {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

/// Adds the texts of the scalars in hidden values.
fn collect_secrets(value: &Value, is_hidden: bool, secrets: &mut Vec<String>) {
    match value {
        Value::Secret(inner) => collect_secrets(inner, true, secrets),
        Value::List(items) => {
            items.iter().for_each(|item| collect_secrets(item, is_hidden, secrets));
        }
        Value::Map(map) => {
            map.values().for_each(|value| collect_secrets(value, is_hidden, secrets));
        }
        scalar if is_hidden => secrets.extend(python::str(scalar)),
        _ => {}
    }
}
