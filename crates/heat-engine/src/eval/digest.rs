//! Digests of values, to find equal values among many.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::Value;
use super::value::Key;

impl Value {
    /// Values that are equal in Python have the same digest; others almost never do. A secret has the digest
    /// of the value it hides; unknown values are equal if they are computed from equal terms. Digests are
    /// stable between runs.
    pub fn digest(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        match self.unsealed() {
            Value::List(items) => {
                "list".hash(&mut hasher);
                items.iter().for_each(|item| hasher.write_u64(item.digest()));
            }
            Value::Map(map) => {
                "map".hash(&mut hasher);
                let pairs = map.iter().map(|(key, value)| {
                    let mut pair = DefaultHasher::new();
                    key.hash(&mut pair);
                    pair.write_u64(value.digest());
                    pair.finish()
                });
                // The order of keys does not matter.
                hasher.write_u64(pairs.fold(0, u64::wrapping_add));
            }
            Value::Set(items) => {
                "set".hash(&mut hasher);
                hasher.write_u64(items.iter().map(Value::digest).fold(0, u64::wrapping_add));
            }
            Value::Call(call) => {
                "call".hash(&mut hasher);
                call.function.hash(&mut hasher);
                hasher.write_u64(call.argument.digest());
            }
            Value::Unknown(unknown) => {
                "unknown".hash(&mut hasher);
                hasher.write_u64(unknown.digest());
            }
            Value::Elided => "elided".hash(&mut hasher),
            Value::Text(text) => {
                "text".hash(&mut hasher);
                text.as_str().hash(&mut hasher);
            }
            // Numbers and booleans that are equal are the same key of a map.
            scalar => {
                "scalar".hash(&mut hasher);
                Key::Other(Box::new(scalar.clone())).hash(&mut hasher);
            }
        }
        hasher.finish()
    }
}
