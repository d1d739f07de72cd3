//! The natural keys of a resource, from its values: texts that are equal if and only if the service takes two objects for the same.

use heat_engine::eval::{Dependency, Key, Operation, Term, Unknown, Value, python};
use heat_template::schema::{NaturalKey, UpdateEffects};

use crate::dataflow::{Dataflow, StackId};
use crate::equality::ParameterRenames;
use crate::impact::{PropertyView, ResourceDefinition};

/// A key of a resource.
#[derive(Clone, Debug)]
pub(super) struct ResolvedKey {
    /// What the type says about such keys.
    pub(super) row: &'static NaturalKey,
    pub(super) parts: Vec<KeyPart>,
}

/// The value of a part of a key.
#[derive(Clone, Debug, Default)]
pub(super) struct KeyPart {
    /// Equal for equal values.
    pub(super) text: String,
    /// For display; `None` if it is secret or not a name.
    pub(super) shown: Option<String>,
    /// The full name of the resource whose reference or attribute it is.
    pub(super) resource: Option<String>,
    /// Whether another text may stand for the same value.
    pub(super) is_unknown: bool,
    is_secret: bool,
}

impl KeyPart {
    /// A reference to a resource.
    fn reference(whole: String) -> Self {
        let (text, shown) = (format!("\u{1e}{whole}"), Some(whole.clone()));
        KeyPart { text, shown, resource: Some(whole), ..KeyPart::default() }
    }
}

impl ResolvedKey {
    /// The property that a part is in; empty if it is one of another resource.
    pub(super) fn property(&self, at: usize) -> &'static str {
        let part = self.row.parts.get(at).copied().unwrap_or_default();
        match (NaturalKey::paths(part).next(), self.row.each) {
            (Some(path), _) if path.beyond.is_some() => "",
            (Some(path), Some(each)) if path.of_item => each,
            (Some(path), _) => path.name,
            (None, _) => "",
        }
    }

    /// What two keys of a map have in common.
    pub(super) fn text(&self) -> String {
        let mut text = self.row.space.to_owned();
        for part in &self.parts {
            text.push('\u{1f}');
            text.push_str(&part.text);
        }
        text
    }

    /// The words for the object; values that are secret on a side are left out.
    pub(super) fn object(&self, other: &ResolvedKey) -> String {
        let hidden = |at: usize| {
            [self, other].iter().any(|it| it.parts.get(at).is_some_and(|it| it.is_secret))
        };
        let mut text = self.row.object.to_owned();
        for (at, part) in self.parts.iter().enumerate() {
            let shown = part.shown.as_deref().filter(|_| !hidden(at));
            let shown = shown.map_or_else(|| "…".to_owned(), |it| format!("`{it}`"));
            text = text.replace(&format!("{{{at}}}"), &shown);
        }
        text
    }
}

/// The transport protocol of a listener's protocol: all but two rest on TCP, and Octavia has one listener for a port of each.
fn transport(protocol: KeyPart) -> KeyPart {
    match protocol.text.as_str() {
        _ if protocol.is_unknown => protocol,
        "UDP" | "SCTP" => protocol,
        _ => KeyPart { text: "TCP".to_owned(), shown: Some("TCP".to_owned()), ..protocol },
    }
}

/// One side of a comparison.
#[derive(Clone, Copy)]
pub(super) struct KeyReader<'a> {
    pub(super) flow: &'a Dataflow<'a>,
    /// The new names of parameters, on the old side.
    pub(super) renames: Option<&'a ParameterRenames>,
}

impl KeyReader<'_> {
    /// The keys of a resource.
    pub(super) fn keys(
        &self,
        definition: &ResourceDefinition<'_>,
        stack: StackId,
        effects: &'static UpdateEffects,
    ) -> Vec<ResolvedKey> {
        if effects.keys.is_empty() {
            return Vec::new();
        }
        let Some(view) = definition.property_view() else { return Vec::new() };
        effects.keys.iter().flat_map(|row| self.of_row(row, stack, &view)).collect()
    }

    fn of_row(
        &self,
        row: &'static NaturalKey,
        stack: StackId,
        view: &PropertyView,
    ) -> Vec<ResolvedKey> {
        let whole = |item: Option<&Value>| {
            let parts = row.parts.iter().map(|part| self.part(part, stack, view, item));
            Some(ResolvedKey { row, parts: parts.collect::<Option<_>>()? })
        };
        match row.each {
            None => whole(None).into_iter().collect(),
            Some(list) => match view.get(list) {
                Some(Ok(value)) => match value.unsealed() {
                    Value::List(items) => items.iter().filter_map(|it| whole(Some(it))).collect(),
                    _ => Vec::new(),
                },
                _ => Vec::new(),
            },
        }
    }

    /// A part in the notation of the column; `None` if it has no value.
    fn part(
        &self,
        part: &'static str,
        stack: StackId,
        view: &PropertyView,
        item: Option<&Value>,
    ) -> Option<KeyPart> {
        let is_optional = part.ends_with('?');
        let found = NaturalKey::paths(part).find_map(|path| {
            let value = match path.of_item {
                true => member_of(item?, path.name)?,
                false => view.get(path.name)?.as_ref().ok()?.clone(),
            };
            let part = match path.beyond {
                None => self.value(&value, stack),
                Some(property) => self.beyond(&value, property, stack),
            };
            if path.is_transport { part.map(transport) } else { part }
        });
        found.or_else(|| is_optional.then(KeyPart::default))
    }

    /// The property of the resource that a value refers to.
    fn beyond(&self, value: &Value, property: &str, stack: StackId) -> Option<KeyPart> {
        let whole = self.value(value, stack)?.resource?;
        let (stack, name) = self.flow.find(&whole)?;
        let definition = ResourceDefinition::new(self.flow.stack(stack), name)?;
        let view = definition.property_view()?;
        let value = view.get(property)?.as_ref().ok()?;
        self.value(value, stack)
    }

    /// A value as a part; `None` for null.
    pub(super) fn value(&self, value: &Value, stack: StackId) -> Option<KeyPart> {
        let is_secret = value.holds_secret();
        let part = match value.unsealed() {
            Value::Null => return None,
            Value::Unknown(unknown) => self.unknown(unknown, stack),
            Value::Text(text) if text.starts_with("<<") => self.filled(text, stack),
            it @ (Value::Text(_) | Value::Int(_) | Value::Float(_) | Value::Bool(_)) => {
                let text = python::str(it).ok()?;
                KeyPart { shown: Some(text.clone()), text, ..KeyPart::default() }
            }
            it => KeyPart {
                text: format!("{:016x}", it.digest()),
                is_unknown: it.holds_unknown(),
                ..KeyPart::default()
            },
        };
        Some(KeyPart { is_secret, ..part })
    }

    /// A value that stands for an unknown one.
    fn filled(&self, text: &str, stack: StackId) -> KeyPart {
        let name = text.strip_prefix("<<res:").and_then(|it| it.strip_suffix(">>"));
        let mut at = Some(stack);
        while let (Some(id), Some(name)) = (at, name) {
            if self.flow.stack(id).stack.resources.contains_key(name) {
                return KeyPart::reference(self.flow.full_name(id, name));
            }
            at = self.flow.outer(id).map(|(outer, _)| outer);
        }
        KeyPart { text: text.to_owned(), ..KeyPart::default() }
    }

    fn unknown(&self, unknown: &Unknown, stack: StackId) -> KeyPart {
        let whole = |level: usize, name: &str| {
            let mut at = stack;
            while self.flow.stack(at).level > level {
                let Some((outer, _)) = self.flow.outer(at) else { break };
                at = outer;
            }
            self.flow.full_name(at, name)
        };
        match unknown.term() {
            Term::Call { operation: Operation::Convert(_), arguments } => {
                if let Some(Value::Unknown(inner)) = arguments.first().map(Value::unsealed) {
                    return self.unknown(inner, stack);
                }
            }
            Term::Leaf { of: Dependency::Resource(name), level } => {
                return KeyPart::reference(whole(*level, name));
            }
            Term::Leaf { of: Dependency::Attribute(name, attribute), level } => {
                let whole = whole(*level, name);
                return KeyPart {
                    text: format!("\u{1e}{whole}\u{1e}{attribute:?}"),
                    resource: Some(whole),
                    is_unknown: true,
                    ..KeyPart::default()
                };
            }
            Term::Leaf { of: Dependency::Parameter(name), level } => {
                let name = self.renames.map_or(name.as_str(), |it| it.new_name(*level, name));
                return KeyPart {
                    text: format!("\u{1e}{level}\u{1e}{name}"),
                    is_unknown: true,
                    ..KeyPart::default()
                };
            }
            Term::Leaf { .. } | Term::Call { .. } | Term::Opaque => {}
        }
        let is_of_stack = unknown
            .depends_on
            .iter()
            .any(|it| matches!(it, Dependency::Resource(_) | Dependency::Attribute(..)));
        let path = if is_of_stack { self.flow.path(stack) } else { "" };
        KeyPart {
            text: format!("\u{1e}{path}\u{1e}{:016x}", unknown.digest()),
            is_unknown: true,
            ..KeyPart::default()
        }
    }
}

/// The member of an item; the item itself for an empty name.
pub(super) fn member_of(item: &Value, name: &str) -> Option<Value> {
    match item.unsealed() {
        it if name.is_empty() => Some(it.clone()),
        Value::Map(map) => map.get(&Key::from(name)).cloned(),
        _ => None,
    }
}
