//! The properties of a resource as its plugin sees them, as far as they are known.

use indexmap::IndexMap;

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

/// The properties of a resource, or the members of an item of a list.
pub(super) enum PropertyView<'a> {
    /// The properties of a resource.
    Resource(&'a IndexMap<String, EvalResult>),
    /// An item of a list.
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
        match self.value(name)? {
            Value::Text(text) => Some(text),
            _ => None,
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
