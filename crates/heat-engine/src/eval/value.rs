//! The values of evaluation: known, partly known, or unknown until a cloud runs.

use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use indexmap::IndexMap;
use smol_str::SmolStr;

use super::Unknown;
use heat_template::ir::{Expr, ExprKind};
use lossless_yaml::PythonKey;
use python_semantics::number::Integer;
use source_diagnostics::{MASK, ShowSecrets};

/// A value. Cloning is cheap, because large values are shared.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// YAML's null, Python's `None`.
    Null,
    /// Python's `bool`.
    Bool(bool),
    /// An integer of any size.
    Int(Integer),
    /// A 64-bit floating point number.
    Float(f64),
    /// Python's `str`.
    Text(SmolStr),
    /// Binary data, which templates sent to Heat cannot contain.
    Bytes(Arc<[u8]>),
    /// A date, which only Heat's fallback loader creates.
    Date(SmolStr),
    /// Python's `list`.
    List(Arc<Vec<Value>>),
    /// Python's `dict`.
    Map(Arc<Map>),
    /// Python's `set`.
    Set(Arc<Vec<Value>>),
    /// A value that only a running cloud knows, or that depends on one.
    Unknown(Arc<Unknown>),
    /// A call that Heat leaves unresolved because the version has removed the function.
    Call(Arc<UnresolvedCall>),
    /// A Python object that templates cannot contain.
    Object(Arc<PythonObject>),
    /// An item that a condition removes from the enclosing list or map.
    Elided,
    /// A value that every text for people shows as [`MASK`].
    Secret(Arc<Secret>),
}

/// A secret value. Two of them are equal if their values are. Texts that are made of it for people ([`python::str`],
/// [`python::repr_preview`], [`python::json_dumps`], `Debug`) show [`MASK`]; computing and comparing opens it
/// ([`Value::unsealed`], [`Value::reveal`]).
///
/// [`python::str`]: super::python::str
/// [`python::repr_preview`]: super::python::repr_preview
/// [`python::json_dumps`]: super::python::json_dumps
#[derive(Clone)]
pub struct Secret {
    value: Value,
    origin: Option<Unknown>,
}

impl Secret {
    /// How the value is computed, as if it were unknown: for a hidden parameter its name, for a joined text or one with
    /// replaced placeholders the arguments, some of which are not secret.
    pub fn origin(&self) -> Option<&Unknown> {
        self.origin.as_ref()
    }
}

impl Secret {
    /// The value itself, for a report.
    pub fn shown(&self, _permission: ShowSecrets) -> &Value {
        &self.value
    }
}

impl std::ops::Deref for Secret {
    type Target = Value;

    fn deref(&self) -> &Value {
        &self.value
    }
}

impl PartialEq for Secret {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(MASK)
    }
}

/// A map in insertion order.
pub type Map = IndexMap<Key, Value>;

/// A map key. Keys are equal if Python's `dict` treats them as equal: `1`, `1.0` and `true`
/// are the same key.
#[derive(Clone, Debug)]
pub enum Key {
    /// A text, as almost all keys are.
    Text(SmolStr),
    /// Null, a boolean, a number, binary data or a date.
    Other(Box<Value>),
}

/// An input that only a running cloud or a user knows.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dependency {
    /// A parameter without a value.
    Parameter(String),
    /// The reference id of a resource.
    Resource(String),
    /// An attribute of a resource; `None` for the map of all attributes.
    Attribute(String, Option<String>),
    /// The content of a file that cannot be read.
    File(String),
    /// Something the stack gets from outside: its id, its zones, the resource that it stands for.
    Cloud(&'static str),
}

/// A Python object that a yaql expression returns: a time span, a regular expression, ….
#[derive(Clone, Debug, PartialEq)]
pub struct PythonObject {
    /// The class name in Python.
    pub class: &'static str,
    /// Its `str()` in Python.
    pub text: String,
}

/// A call that Heat leaves unresolved.
#[derive(Clone, Debug, PartialEq)]
pub struct UnresolvedCall {
    /// The function's name in the template.
    pub function: SmolStr,
    /// The argument, with the functions inside it unresolved.
    pub argument: Value,
}

impl Value {
    /// A known string.
    pub fn text(text: impl Into<SmolStr>) -> Self {
        Value::Text(text.into())
    }

    /// A known integer.
    pub fn int(value: i64) -> Self {
        Value::Int(Integer::Small(value))
    }

    /// A list, whose items may be unknown.
    pub fn list(items: Vec<Value>) -> Self {
        Value::List(Arc::new(items))
    }

    /// Creates a map with text keys; of equal keys the last value is used, at the first position.
    pub fn map<K: Into<SmolStr>>(pairs: impl IntoIterator<Item = (K, Value)>) -> Self {
        let pairs = pairs.into_iter().map(|(key, value)| (Key::Text(key.into()), value));
        Value::Map(Arc::new(pairs.collect()))
    }

    /// The value of a literal without items.
    pub(super) fn from_literal(kind: &ExprKind) -> Self {
        match kind {
            ExprKind::Bool(value) => Value::Bool(*value),
            ExprKind::Int(value) => Value::Int(value.clone()),
            ExprKind::Float(value) => Value::Float(*value),
            ExprKind::Text(text) | ExprKind::Condition(text) => Value::Text(text.clone()),
            // The client sends these as text.
            ExprKind::Bytes(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => Value::text(text),
                Err(_) => Value::Bytes((&**bytes).into()),
            },
            ExprKind::Date(text) => Value::Text(text.clone()),
            _ => Value::Null,
        }
    }

    /// The value of an expression as the client sends it: functions are plain maps, and keys of maps
    /// are texts.
    pub fn from_expr_as_sent(expr: &Expr) -> Self {
        match &expr.kind {
            ExprKind::List(items) | ExprKind::Set(items) => {
                Value::list(items.iter().map(Value::from_expr_as_sent).collect())
            }
            ExprKind::Map(pairs) => Value::Map(Arc::new(
                pairs
                    .iter()
                    .map(|pair| {
                        (
                            super::inputs::request_key(&pair.key.kind),
                            Value::from_expr_as_sent(&pair.value),
                        )
                    })
                    .collect(),
            )),
            kind => Value::from_literal(kind),
        }
    }

    /// The value that a secret hides; any other value itself.
    pub fn unsealed(&self) -> &Value {
        let mut value = self;
        while let Value::Secret(inner) = value {
            value = inner;
        }
        value
    }

    /// The value without secrets in it, and whether there were any.
    pub fn reveal(&self) -> (Value, bool) {
        match self {
            Value::Secret(inner) => (inner.reveal().0, true),
            Value::List(items) if items.iter().any(Value::holds_secret) => {
                let items = items.iter().map(|item| item.reveal().0).collect();
                (Value::List(Arc::new(items)), true)
            }
            Value::Map(map) if map.values().any(Value::holds_secret) => {
                let pairs = map.iter().map(|(key, value)| (key.clone(), value.reveal().0));
                (Value::Map(Arc::new(pairs.collect())), true)
            }
            Value::Set(items) if items.iter().any(Value::holds_secret) => {
                let items = items.iter().map(|item| item.reveal().0).collect();
                (Value::Set(Arc::new(items)), true)
            }
            _ => (self.clone(), false),
        }
    }

    /// The value with [`MASK`] in place of each secret part. A part that is not a text keeps its Python type, but
    /// nothing of its content.
    #[must_use]
    pub fn masked(&self) -> Value {
        match self {
            Value::Secret(_) => match self.unsealed() {
                Value::Text(_) => Value::text(MASK),
                other => Value::Object(Arc::new(PythonObject {
                    class: super::python::type_name(other),
                    text: MASK.to_owned(),
                })),
            },
            _ if self.holds_secret() => self.with_parts(Value::masked),
            _ => self.clone(),
        }
    }

    /// Whether the value or a part of it is secret.
    pub fn holds_secret(&self) -> bool {
        self.any(&mut |value| matches!(value, Value::Secret(_)))
    }

    /// Whether the value or a part of it is unknown.
    pub fn holds_unknown(&self) -> bool {
        self.any(&mut |value| matches!(value, Value::Unknown(_)))
    }

    /// Moves the secrecy of a list or map to its items, so that code that takes them gets secrets.
    #[must_use]
    pub fn with_sealed_parts(self) -> Self {
        if !self.holds_secret() {
            return self;
        }
        let is_secret = matches!(self, Value::Secret(_));
        let part = |part: &Value| part.clone().sealed(is_secret).with_sealed_parts();
        match self.unsealed() {
            whole @ (Value::List(_) | Value::Map(_)) => whole.with_parts(part),
            _ => self,
        }
    }

    /// The value as a secret, if `secret`. How it is computed is secret, too: what was chosen by a secret is one. No part of
    /// a secret is a secret of its own: otherwise a text of the whole could show its other parts.
    #[must_use]
    pub fn sealed(self, secret: bool) -> Self {
        match self {
            Value::Secret(inner) if secret && inner.origin.is_some() => {
                Value::Secret(Arc::new(Secret { value: inner.value.clone(), origin: None }))
            }
            Value::Secret(_) => self,
            _ if secret => Value::Secret(Arc::new(Secret { value: self.opened(), origin: None })),
            _ => self,
        }
    }

    /// The value as a secret that is computed in a known way ([`Secret::origin`]).
    #[must_use]
    pub fn sealed_as(self, origin: Unknown) -> Self {
        let value = match self {
            Value::Secret(secret) => secret.value.clone(),
            value => value.opened(),
        };
        Value::Secret(Arc::new(Secret { value, origin: Some(origin) }))
    }

    /// The value without the marks of secret parts.
    fn opened(self) -> Self {
        if self.holds_secret() { self.reveal().0 } else { self }
    }

    /// Adds the dependencies of the value and its parts.
    pub fn collect_dependencies(&self, found: &mut BTreeSet<Dependency>) {
        self.any(&mut |value| {
            if let Value::Unknown(unknown) = value {
                found.extend(unknown.depends_on.iter().cloned());
            }
            false
        });
    }

    /// A copy with each item, value of a pair and argument of a call as `part` makes it; the value itself if it has no parts.
    #[must_use]
    pub fn with_parts(&self, mut part: impl FnMut(&Value) -> Value) -> Value {
        match self {
            Value::List(items) => Value::list(items.iter().map(part).collect()),
            Value::Set(items) => Value::Set(Arc::new(items.iter().map(part).collect())),
            Value::Map(map) => {
                let pairs = map.iter().map(|(key, value)| (key.clone(), part(value)));
                Value::Map(Arc::new(pairs.collect()))
            }
            Value::Call(call) => Value::Call(Arc::new(UnresolvedCall {
                function: call.function.clone(),
                argument: part(&call.argument),
            })),
            Value::Null
            | Value::Bool(_)
            | Value::Int(_)
            | Value::Float(_)
            | Value::Text(_)
            | Value::Bytes(_)
            | Value::Date(_)
            | Value::Secret(_)
            | Value::Unknown(_)
            | Value::Object(_)
            | Value::Elided => self.clone(),
        }
    }

    /// Whether `test` holds for the value or any part of it. Values are no deeper than documents.
    pub fn any(&self, test: &mut impl FnMut(&Value) -> bool) -> bool {
        test(self) || self.any_part(|part| part.any(test))
    }

    /// Whether `test` holds for a direct part of the value; that of a secret is its value.
    pub(super) fn any_part(&self, mut test: impl FnMut(&Value) -> bool) -> bool {
        match self {
            Value::List(items) | Value::Set(items) => items.iter().any(test),
            Value::Map(map) => map.values().any(test),
            Value::Call(call) => test(&call.argument),
            Value::Secret(inner) => test(inner),
            Value::Null
            | Value::Bool(_)
            | Value::Int(_)
            | Value::Float(_)
            | Value::Text(_)
            | Value::Bytes(_)
            | Value::Date(_)
            | Value::Unknown(_)
            | Value::Object(_)
            | Value::Elided => false,
        }
    }
}

impl Key {
    /// The text, if the key is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Key::Text(text) => Some(text),
            Key::Other(_) => None,
        }
    }

    /// The key converted to a value.
    pub fn to_value(&self) -> Value {
        match self {
            Key::Text(text) => Value::Text(text.clone()),
            Key::Other(value) => (**value).clone(),
        }
    }

    /// A value converted to a key; `None` if Python cannot hash it or it is unknown.
    pub fn from_value(value: &Value) -> Option<Self> {
        match value.unsealed() {
            Value::Text(text) => Some(Key::Text(text.clone())),
            other => {
                let key = Key::Other(Box::new(other.clone()));
                key.as_python().is_some().then_some(key)
            }
        }
    }

    fn as_python(&self) -> Option<PythonKey<'_>> {
        match self {
            Key::Text(text) => Some(PythonKey::Text(text)),
            Key::Other(value) => match &**value {
                Value::Null => Some(PythonKey::Null),
                Value::Bool(value) => Some(PythonKey::Small(i64::from(*value))),
                Value::Int(value) => Some(PythonKey::integer(value)),
                Value::Float(value) => Some(PythonKey::float(*value)),
                Value::Bytes(value) => Some(PythonKey::Bytes(value)),
                Value::Date(value) => Some(PythonKey::Date(value)),
                _ => None,
            },
        }
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Key::Text(one), Key::Text(other)) => one == other,
            _ => self.as_python() == other.as_python(),
        }
    }
}

impl Eq for Key {}

// A text key has the hash of its text, so that maps can be searched with a `&str`.
impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Key::Text(text) => text.as_str().hash(state),
            Key::Other(_) => self.as_python().hash(state),
        }
    }
}

impl indexmap::Equivalent<Key> for str {
    fn equivalent(&self, key: &Key) -> bool {
        key.as_text() == Some(self)
    }
}

impl From<&str> for Key {
    fn from(text: &str) -> Self {
        Key::Text(text.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_equal_as_in_python() {
        let key = |value: Value| Key::from_value(&value).expect("a key");
        assert_eq!(key(Value::int(1)), key(Value::Float(1.0)));
        assert_eq!(key(Value::int(1)), key(Value::Bool(true)));
        assert_ne!(key(Value::int(1)), key(Value::text("1")));
        assert_eq!(Key::from_value(&Value::list(vec![])), None);
        let Value::Map(map) = Value::map([("a", Value::int(1)), ("a", Value::int(2))]) else {
            panic!("no map")
        };
        assert_eq!(map.get("a"), Some(&Value::int(2)));
        assert_eq!(map.len(), 1);
    }

    #[test]
    fn no_text_for_people_shows_a_secret_at_any_depth() {
        use crate::eval::python;
        let secret = |value: Value| Value::list(vec![Value::map([("k", value.sealed(true))])]);
        for value in [Value::text("s3"), Value::int(33), Value::list(vec![Value::text("s3")])] {
            let value = secret(value);
            let shown = [
                python::repr_preview(&value),
                python::str(&value).expect("a text"),
                python::json_dumps(&value, true).expect("a text"),
                format!("{value:?}"),
                python::repr_preview(&value.masked()),
            ];
            for text in shown {
                assert!(text.contains(MASK) && !text.contains('3'), "{text}");
            }
        }
    }

    #[test]
    fn secrets_are_opened_and_sealed_as_a_whole() {
        let secret = Value::text("s").sealed(true);
        let list = Value::list(vec![secret.clone(), Value::Null]);
        assert!(list.holds_secret());
        assert_eq!(list.reveal(), (Value::list(vec![Value::text("s"), Value::Null]), true));
        assert_eq!(secret.clone().sealed(true), secret);
        assert_eq!(Value::Null.reveal(), (Value::Null, false));
    }
}
