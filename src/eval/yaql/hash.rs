//! `hash()`: what can be a key, and which keys are one.

use std::hash::{Hash, Hasher};

use super::{Outcome, Value, compare};

/// What hashes keys that carry their hash.
pub(crate) type BuildHasher =
    std::hash::BuildHasherDefault<std::collections::hash_map::DefaultHasher>;

/// A value that can be a key; equal to another where Python takes them for one.
#[derive(Clone, Debug)]
pub(crate) struct Key {
    hash: i64,
    value: Value,
}

impl Key {
    /// A value as a key.
    ///
    /// # Errors
    ///
    /// `TypeError` for what has no hash.
    pub(crate) fn of(value: &Value) -> Outcome<Self> {
        Ok(Key { hash: 0, value: value.clone() })
    }

    /// The value.
    pub(crate) fn value(&self) -> &Value {
        &self.value
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash && compare::equal(&self.value, &other.value).unwrap_or(false)
    }
}

impl Eq for Key {}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_i64(self.hash);
    }
}
