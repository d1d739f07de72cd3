//! Normalizes values so that the names of the resources they refer to are irrelevant.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use crate::equality::ParameterRenames;
use heat_engine::eval::{Dependency, Key, Map, StringPart, Term, Unknown, Value};

/// Normalizes the values of one side.
pub(super) struct ValueNormalizer<'a> {
    /// The number of enclosing stacks.
    pub(super) level: usize,
    /// The digest of each resource, by name.
    pub(super) resource_digests: &'a HashMap<String, u64>,
    /// The parameter names of the other side, if this is the old one.
    pub(super) names: Option<&'a ParameterRenames>,
    /// The digests of unknown values computed so far, by address.
    pub(super) cache: HashMap<*const Unknown, u64>,
}

impl ValueNormalizer<'_> {
    /// Replaces every unknown value by a number: equal for the same computation
    /// from the same inputs, with resources identified by their digests.
    pub(super) fn read(&mut self, value: &Value) -> Value {
        match value {
            Value::Secret(inner) => self.read(inner),
            Value::Unknown(unknown) => match unknown.string_parts() {
                Some(pieces) => Value::list(
                    pieces
                        .into_iter()
                        .map(|piece| match piece {
                            StringPart::Text(text) => Value::text(text),
                            StringPart::Value(Value::Unknown(part)) => self.placeholder(&part),
                            StringPart::Value(part) => self.read(&part),
                        })
                        .collect(),
                ),
                None => self.placeholder(unknown),
            },
            Value::Call(call) => {
                let argument = self.read(&call.argument);
                Value::Map(Arc::new(Map::from_iter([(Key::Text(call.function.clone()), argument)])))
            }
            known => known.with_parts(|part| self.read(part)),
        }
    }

    fn placeholder(&mut self, unknown: &Unknown) -> Value {
        Value::text(format!("{:016x}", self.digest(unknown)))
    }

    fn digest(&mut self, unknown: &Unknown) -> u64 {
        let at = std::ptr::from_ref(unknown);
        if let Some(digest) = self.cache.get(&at) {
            return *digest;
        }
        let mut hasher = DefaultHasher::new();
        match unknown.term() {
            Term::Leaf { of, level } => self.leaf(of, *level, &mut hasher),
            Term::Call { operation, arguments } => {
                operation.hash(&mut hasher);
                for argument in arguments {
                    hasher.write_u64(self.read_whole(argument));
                }
            }
            Term::Opaque => hasher.write_u64(unknown.digest()),
        }
        let digest = hasher.finish();
        self.cache.insert(at, digest);
        digest
    }

    /// The same without splitting texts into parts, of which there may be many.
    fn read_whole(&mut self, value: &Value) -> u64 {
        match value.unsealed() {
            Value::Unknown(unknown) => self.digest(unknown),
            Value::List(items) | Value::Set(items) => {
                let mut hasher = DefaultHasher::new();
                for item in items.iter() {
                    hasher.write_u64(self.read_whole(item));
                }
                hasher.finish()
            }
            Value::Map(map) => {
                let pairs = map.iter().map(|(key, value)| {
                    let mut pair = DefaultHasher::new();
                    key.hash(&mut pair);
                    pair.write_u64(self.read_whole(value));
                    pair.finish()
                });
                pairs.fold(1, u64::wrapping_add)
            }
            other => other.digest(),
        }
    }

    fn leaf(&self, of: &Dependency, level: usize, hasher: &mut DefaultHasher) {
        match of {
            Dependency::Resource(name) if level == self.level => {
                ("resource", self.resource_digests.get(name)).hash(hasher);
            }
            Dependency::Attribute(name, attribute) if level == self.level => {
                ("attribute", self.resource_digests.get(name), attribute).hash(hasher);
            }
            Dependency::Parameter(name) => {
                let name = self.names.map_or(name.as_str(), |names| names.new_name(level, name));
                ("parameter", level, name).hash(hasher);
            }
            Dependency::Resource(_)
            | Dependency::Attribute(..)
            | Dependency::File(_)
            | Dependency::Cloud(_) => (of, level).hash(hasher),
        }
    }
}
