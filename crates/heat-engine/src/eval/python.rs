//! Python's semantics of values: their texts, numbers in texts, JSON, equality. Heat is written in
//! Python and relies on them in many places.

mod json;
mod number;
#[cfg(test)]
mod tests;
mod text;

pub use self::json::json_dumps;
pub use self::json::json_key;
pub use self::json::json_loads;
pub(crate) use self::json::json_round_trip;
pub use self::number::compare_numbers;
pub use self::number::int;
pub use self::number::int_of_text;
pub use self::number::to_big;
pub use self::number::to_number;
pub(crate) use self::number::{Number, as_number, index_position, modulo};
pub use self::text::repr_preview;
pub use self::text::str;
pub(crate) use self::text::{repr, str_preview};
pub(crate) use python_semantics::unicode::{digit as decimal_digit, strip};

use std::cmp::Ordering;
use std::collections::HashSet;

use super::failure::{ErrorClass, Failure};
use super::value::{Key, Value};
use python_semantics::ExceptionClass;
use python_semantics::number::Integer;
use python_semantics::unicode;
use source_diagnostics::{MASK, Span};

/// A Python exception without a place in a template.
#[derive(Clone, Debug, PartialEq)]
pub struct PythonException {
    /// The class of the exception.
    pub class: ErrorClass,
    /// The exception's `str()` in Python, which may show a secret.
    pub(super) message: String,
    /// The message to show instead, if it may.
    redacted: Option<Box<str>>,
}

impl PythonException {
    pub(crate) fn new(class: impl Into<ErrorClass>, message: impl Into<String>) -> Self {
        PythonException { class: class.into(), message: message.into(), redacted: None }
    }

    pub(crate) fn value_error(message: impl Into<String>) -> Self {
        PythonException::new(ExceptionClass::ValueError, message)
    }

    pub(crate) fn type_error(message: impl Into<String>) -> Self {
        PythonException::new(ExceptionClass::TypeError, message)
    }

    /// An `AttributeError` for a method that the value does not have.
    pub(crate) fn no_method(value: &Value, method: &str) -> Self {
        let name = type_name(value);
        PythonException::new(
            ExceptionClass::AttributeError,
            format!("'{name}' object has no attribute '{method}'"),
        )
    }

    /// A `TypeError` for a value that cannot be a map key.
    pub(crate) fn unhashable(value: &Value) -> Self {
        PythonException::type_error(format!("unhashable type: '{}'", type_name(value)))
    }

    /// The exception's `str()` in Python, without secrets.
    pub fn safe_message(&self) -> &str {
        self.redacted.as_deref().unwrap_or(&self.message)
    }

    /// Marks the message as one that may show a secret, if `secret`.
    #[must_use]
    pub(crate) fn sealed(self, secret: bool) -> Self {
        let without_value = || self.class.without_value(&self.message).into();
        let redacted = self.redacted.or_else(|| secret.then(without_value));
        PythonException { redacted, ..self }
    }

    /// The exception of a computation with secrets. `masked` is the result of the same computation on values without
    /// their content ([`Value::masked`]): if it fails in the same way, its message is what people see, since it cannot
    /// contain what it was not computed from; otherwise the failure results from the secret, and only the class is shown.
    #[must_use]
    pub(crate) fn with_masked_message<T>(self, masked: Result<T, PythonException>) -> Self {
        match masked {
            Err(masked)
                if masked.class == self.class
                    && is_masked(&self.message, &masked.message)
                    && self.class.missing_method(&self.message).is_none() =>
            {
                let redacted = (masked.message != self.message).then(|| masked.message.into());
                PythonException { redacted: self.redacted.or(redacted), ..self }
            }
            _ => self.sealed(true),
        }
    }

    /// Replaces the class and the message, which is made of that of this exception.
    #[must_use]
    pub(super) fn reworded(
        self,
        class: impl Into<ErrorClass>,
        message: impl Fn(&str) -> String,
    ) -> Self {
        PythonException {
            class: class.into(),
            redacted: self.redacted.map(|it| message(&it).into()),
            message: message(&self.message),
        }
    }

    /// The failure for this exception at a place.
    pub(crate) fn at(self, span: Span) -> Failure {
        Failure { redacted: self.redacted, ..Failure::new(self.class, self.message, span) }
    }
}

/// Whether a text differs from the masked one only where that has masks.
fn is_masked(text: &str, masked: &str) -> bool {
    let Some((first, others)) = masked.split_once(MASK) else { return text == masked };
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let (between, last) =
        others.rsplit_once(MASK).map_or((None, others), |(it, last)| (Some(it), last));
    for part in between.iter().flat_map(|it| it.split(MASK)) {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// Python's error for an integer with too many digits.
const TOO_MANY_DIGITS: &str = "Exceeds the limit (4300 digits) for integer string conversion; use \
                               sys.set_int_max_str_digits() to increase the limit";

/// The name of the value's Python type.
pub(crate) fn type_name(value: &Value) -> &'static str {
    match value.unsealed() {
        Value::Null => "NoneType",
        Value::Bool(_) => "bool",
        Value::Int(_) => "int",
        Value::Float(_) => "float",
        Value::Text(_) => "str",
        Value::Bytes(_) => "bytes",
        Value::Date(text) => ["date", "datetime"][usize::from(text.len() > "2000-01-01".len())],
        Value::List(_) => "list",
        Value::Map(_) => "dict",
        Value::Set(_) => "set",
        Value::Elided => "ellipsis",
        Value::Object(object) => object.class,
        Value::Unknown(_) | Value::Call(_) | Value::Secret(_) => "object",
    }
}

/// `bool(value)`; unknown values count as true.
pub fn truthy(value: &Value) -> bool {
    match value.unsealed() {
        Value::Null => false,
        Value::Bool(value) => *value,
        Value::Int(value) => *value != Integer::Small(0),
        Value::Float(value) => *value != 0.0,
        Value::Text(text) => !text.is_empty(),
        Value::Bytes(bytes) => !bytes.is_empty(),
        Value::List(items) | Value::Set(items) => !items.is_empty(),
        Value::Map(map) => !map.is_empty(),
        Value::Date(_)
        | Value::Unknown(_)
        | Value::Call(_)
        | Value::Object(_)
        | Value::Elided
        | Value::Secret(_) => true,
    }
}

/// `len(value)`.
pub(crate) fn len(value: &Value) -> Result<usize, PythonException> {
    match value.unsealed() {
        Value::Text(text) => Ok(text.chars().count()),
        Value::Bytes(bytes) => Ok(bytes.len()),
        Value::List(items) | Value::Set(items) => Ok(items.len()),
        Value::Map(map) => Ok(map.len()),
        other => Err(PythonException::type_error(format!(
            "object of type '{}' has no len()",
            type_name(other)
        ))),
    }
}

// --- texts of values ------------------------------------------------------------------------------

// --- numbers in texts -----------------------------------------------------------------------------

/// `c.isspace()`.
pub(crate) fn is_space(c: char) -> bool {
    unicode::is_space(c)
}

/// `strutils.bool_from_string(value, strict=True)`.
pub fn strict_bool(value: &Value) -> Result<bool, PythonException> {
    if let Value::Bool(value) = value.unsealed() {
        return Ok(*value);
    }
    let text = str(value)?;
    match strip(&text).to_lowercase().as_str() {
        "1" | "t" | "true" | "on" | "y" | "yes" => Ok(true),
        "0" | "f" | "false" | "off" | "n" | "no" => Ok(false),
        _ => Err(PythonException::value_error(format!(
            "Unrecognized value '{text}', acceptable values are: '0', '1', 'f', 'false', 'n', 'no', \
             'off', 'on', 't', 'true', 'y', 'yes'"
        ))),
    }
}

// --- equality and order ---------------------------------------------------------------------------

/// `one == other`: numbers are equal by value, whatever their type. Secrets are compared by their content.
pub fn equal(one: &Value, other: &Value) -> bool {
    match (one.unsealed(), other.unsealed()) {
        (Value::List(one), Value::List(other)) => {
            one.len() == other.len() && one.iter().zip(&**other).all(|(a, b)| is_or_equal(a, b))
        }
        (Value::Map(one), Value::Map(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, a)| other.get(key).is_some_and(|b| is_or_equal(a, b)))
        }
        (Value::Set(one), Value::Set(other)) => {
            one.len() == other.len() && one.iter().all(|a| other.iter().any(|b| is_or_equal(a, b)))
        }
        (one, other) => match compare_numbers(one, other) {
            Some(order) => order == Some(Ordering::Equal),
            None => one == other,
        },
    }
}

/// Equality of items in a collection, where an object equals itself: all NaNs count as
/// one object.
pub fn is_or_equal(one: &Value, other: &Value) -> bool {
    match (one.unsealed(), other.unsealed()) {
        (Value::Float(one), Value::Float(other)) if one.is_nan() && other.is_nan() => true,
        (one, other) => equal(one, other),
    }
}

/// `value in list`
pub(crate) fn contains(list: &[Value], value: &Value) -> bool {
    list.iter().any(|item| is_or_equal(item, value))
}

/// A set of values with the same lookup rules as `contains`, but constant lookup time for most.
#[derive(Debug, Default)]
pub struct MembershipSet {
    keys: HashSet<Key>,
    /// Values that cannot be keys. None of them equals one that can.
    others: Vec<Value>,
}

impl MembershipSet {
    /// Adds a value if it is new; returns whether it was added.
    pub(crate) fn insert(&mut self, value: &Value) -> bool {
        match Self::key(value) {
            Some(key) => self.keys.insert(key),
            None if contains(&self.others, value) => false,
            None => {
                self.others.push(value.clone());
                true
            }
        }
    }

    /// `value in list`
    pub fn contains(&self, value: &Value) -> bool {
        match Self::key(value) {
            Some(key) => self.keys.contains(&key),
            None => contains(&self.others, value),
        }
    }

    fn key(value: &Value) -> Option<Key> {
        let is_nan = matches!(value.unsealed(), Value::Float(number) if number.is_nan());
        Key::from_value(value).filter(|_| !is_nan)
    }
}

impl<'v> FromIterator<&'v Value> for MembershipSet {
    fn from_iter<I: IntoIterator<Item = &'v Value>>(values: I) -> Self {
        let mut members = MembershipSet::default();
        for value in values {
            members.insert(value);
        }
        members
    }
}

// --- JSON -----------------------------------------------------------------------------------------
