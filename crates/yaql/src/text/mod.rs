//! `str()` and `repr()` of values.

#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use python_semantics::ExceptionClass;

use super::thread_state::with_state;
use super::value::{Dict, View};
use super::{Failure, Outcome, Value, budget, deferred_drop, depth, number};

pub(crate) use python_semantics::unicode::{is_space, repr_of_text, write_repr_of_text};

/// Maximum number of bytes of a value's text.
const MAX_TEXT_BYTES: usize = 1 << 26;

/// The type name in Python's messages; [`class_name`] is its last part.
pub(crate) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Opaque(_) => "object",
        Value::Missing => "MarkerClass",
        Value::Null => "NoneType",
        Value::Bool(_) => "bool",
        Value::Int(_) => "int",
        Value::Float(_) => "float",
        Value::Text(_) => "str",
        Value::Tuple(_) => "tuple",
        Value::List(_) => "list",
        Value::Dict(dict) if dict.frozen => "FrozenDict",
        Value::Dict(_) => "dict",
        Value::Set(set) if set.frozen => "frozenset",
        Value::Set(_) => "set",
        Value::View(view, dict) => view_name(*view, dict.frozen),
        Value::Lazy(lazy) => lazy.class().type_name(),
        Value::Ordering(_) => "OrderingIterable",
        Value::DateTime(_) => "datetime.datetime",
        Value::TimeSpan(_) => "datetime.timedelta",
        Value::Pattern(_) => "re.Pattern",
        Value::Context(_) => "Context",
        Value::Lambda(_) => "function",
        Value::Rule(_) | Value::LazyRule(_) => "MappingRule",
        Value::Expression(_) => "Expression",
    }
}

/// `type(value).__name__`.
pub(crate) fn class_name(value: &Value) -> &'static str {
    let name = type_name(value);
    name.rsplit_once('.').map_or(name, |(_, last)| last)
}

/// The views of yaql's dictionaries have abstract classes.
fn view_name(view: View, frozen: bool) -> &'static str {
    match (view, frozen) {
        (View::Keys, true) => "KeysView",
        (View::Values, true) => "ValuesView",
        (View::Items, true) => "ItemsView",
        (View::Keys, false) => "dict_keys",
        (View::Values, false) => "dict_values",
        (View::Items, false) => "dict_items",
    }
}

/// `str(value)`.
///
/// # Errors
///
/// If a number has too many digits, if the value is nested too deeply, or if it is unknown.
pub(crate) fn str(value: &Value) -> Outcome<String> {
    match value {
        Value::Text(text) => Ok(text.to_string()),
        Value::DateTime(date) => date.str(),
        Value::TimeSpan(span) => Ok(span.str()),
        other => repr(other),
    }
}

/// Records that the current text would show an address, which differs between runs.
pub(super) fn mark_address_shown() {
    with_state(|state| state.address_shown.set(true));
}

/// The `str(value)` of a function call; unknown if it shows an address.
///
/// # Errors
///
/// The same as for [`str`](fn@str).
pub(crate) fn str_as_value(value: &Value) -> Outcome<String> {
    with_state(|state| state.address_shown.set(false));
    let found = str(value)?;
    if with_state(|state| state.address_shown.get()) { Err(Failure::Unknown) } else { Ok(found) }
}

/// `repr(value)`.
///
/// # Errors
///
/// The same as for [`str`](fn@str).
pub(crate) fn repr(value: &Value) -> Outcome<String> {
    let mut writer = Writer { out: String::new(), depth: 0 };
    writer.value(value)?;
    Ok(writer.out)
}

struct Writer {
    out: String,
    depth: usize,
}

impl Writer {
    fn value(&mut self, value: &Value) -> Outcome<()> {
        budget::spend(2)?;
        let before = self.out.len();
        match value {
            Value::Null => self.out.push_str("None"),
            Value::Missing => self.out.push_str("<NoValue>"),
            Value::Bool(value) => self.out.push_str(if *value { "True" } else { "False" }),
            Value::Int(value) => self.out.push_str(&number::decimal(value)?),
            Value::Float(value) => number::write_float(*value, &mut self.out),
            Value::Text(text) => write_repr_of_text(text, &mut self.out),
            Value::Tuple(items) => match &**items {
                [only] => self.nested("(", ",)", |writer| writer.value(only))?,
                items => self.nested("(", ")", |writer| writer.items(items.iter()))?,
            },
            Value::List(items) => self.nested("[", "]", |writer| writer.items(items.iter()))?,
            Value::Dict(dict) => self.dict(dict)?,
            Value::Set(set) => match (set.frozen, set.len()) {
                (true, 0) => self.out.push_str("frozenset()"),
                (false, 0) => self.out.push_str("set()"),
                (true, _) => {
                    self.nested("frozenset({", "})", |writer| writer.items(&set.read()))?;
                }
                (false, _) => self.nested("{", "}", |writer| writer.items(&set.read()))?,
            },
            Value::View(view, dict) => self.view(*view, dict)?,
            Value::DateTime(date) => self.out.push_str(&date.repr()),
            Value::TimeSpan(span) => self.out.push_str(&span.repr()),
            Value::Pattern(pattern) => self.out.push_str(&pattern.repr()),
            // Objects show their address, which is omitted because it differs between runs.
            Value::Lazy(lazy) => self.out.push_str(&lazy.text()?),
            Value::Ordering(_) => self.object("yaql.standard_library.queries.OrderingIterable"),
            Value::Context(_) => self.object("yaql.language.contexts.Context"),
            Value::Rule(_) | Value::LazyRule(_) => self.object("yaql.language.utils.MappingRule"),
            Value::Lambda(_) => {
                mark_address_shown();
                self.out.push_str("<function Lambda.convert.<locals>.func>");
            }
            Value::Expression(_) | Value::Opaque(_) => return Err(Failure::Unknown),
        }
        if self.out.len() > MAX_TEXT_BYTES {
            return Err(Failure::new(ExceptionClass::MemoryError, ""));
        }
        if !deferred_drop::is_container(value) {
            budget::spend_each((self.out.len() - before) / 16, 1)?;
        }
        Ok(())
    }

    fn object(&mut self, class: &str) {
        mark_address_shown();
        let _ = write!(self.out, "<{class} object>");
    }

    /// Writes a bracketed part.
    fn nested(
        &mut self,
        open: &str,
        close: &str,
        inside: impl FnOnce(&mut Self) -> Outcome<()>,
    ) -> Outcome<()> {
        if depth::exceeds(self.depth + 1) {
            let message = "maximum recursion depth exceeded while getting the repr of an object";
            return Err(Failure::new(ExceptionClass::RecursionError, message));
        }
        self.depth += 1;
        self.out.push_str(open);
        inside(self)?;
        self.out.push_str(close);
        self.depth -= 1;
        Ok(())
    }

    fn items<'v>(&mut self, items: impl IntoIterator<Item = &'v Value>) -> Outcome<()> {
        for (at, item) in items.into_iter().enumerate() {
            if at > 0 {
                self.out.push_str(", ");
            }
            self.value(item)?;
        }
        Ok(())
    }

    fn dict(&mut self, dict: &Dict) -> Outcome<()> {
        self.nested("{", "}", |writer| {
            for (at, (key, value)) in dict.pairs.iter().enumerate() {
                if at > 0 {
                    writer.out.push_str(", ");
                }
                writer.value(key.value())?;
                writer.out.push_str(": ");
                writer.value(value)?;
            }
            Ok(())
        })
    }

    fn view(&mut self, view: View, dict: &Dict) -> Outcome<()> {
        self.out.push_str(view_name(view, dict.frozen));
        if dict.frozen {
            // Python shows the whole dictionary.
            return self.nested("(", ")", |writer| writer.dict(dict));
        }
        self.nested("([", "])", |writer| match view {
            View::Keys => writer.items(dict.pairs.keys().map(super::hash::HashKey::value)),
            View::Values => writer.items(dict.pairs.values()),
            View::Items => {
                for (at, (key, value)) in dict.pairs.iter().enumerate() {
                    if at > 0 {
                        writer.out.push_str(", ");
                    }
                    writer.nested("(", ")", |writer| writer.items([key.value(), value]))?;
                }
                Ok(())
            }
        })
    }
}
