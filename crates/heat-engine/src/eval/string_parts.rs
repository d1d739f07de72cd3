//! Texts of which only some parts are known.

use source_diagnostics::ShowSecrets;
use std::cmp::Reverse;

use super::{Operation, Term, Unknown, Value, python};

/// A part of a text.
#[derive(Clone, Debug, PartialEq)]
pub enum StringPart {
    /// Characters that are known.
    Text(String),
    /// The text of a value that is not completely known, or that is secret where secrets stay closed.
    Value(Value),
}

/// Maximum number of parts.
const MAX_PARTS: usize = 20_000;
/// Maximum number of known bytes.
const MAX_TEXT_BYTES: usize = 1 << 22;

impl Unknown {
    /// The parts of the text, if the value is a joined text or one with replaced placeholders. `None` if
    /// it is another kind of value, or has too many parts.
    pub fn string_parts(&self) -> Option<Vec<StringPart>> {
        let mut pieces = StringPartCollector::default();
        pieces.unknown(self)?;
        Some(pieces.parts)
    }
}

impl Value {
    /// The parts of a text. Unless secrets are shown, each one in it is a part of its own: the other parts depend on no
    /// secret, not even on its length. `None` if the value is no text, or nothing of it is known.
    pub fn text_parts(&self, show_secrets: Option<ShowSecrets>) -> Option<Vec<StringPart>> {
        let mut pieces =
            StringPartCollector { is_closed: show_secrets.is_none(), ..Default::default() };
        match pieces.open(self) {
            Value::Text(text) => pieces.text(text)?,
            Value::Unknown(unknown) => pieces.unknown(unknown)?,
            Value::Secret(secret) => pieces.unknown(secret.origin()?)?,
            _ => return None,
        }
        Some(pieces.parts)
    }
}

#[derive(Default)]
struct StringPartCollector {
    /// Whether secrets stay closed.
    is_closed: bool,
    parts: Vec<StringPart>,
    length: usize,
    /// All work, including work that was undone: terms share their parts, so the same part can be visited
    /// many times.
    steps: usize,
}

impl StringPartCollector {
    fn count_step(&mut self) -> Option<()> {
        self.steps += 1;
        (self.steps <= MAX_PARTS && self.length <= MAX_TEXT_BYTES).then_some(())
    }

    fn text(&mut self, text: &str) -> Option<()> {
        self.length += text.len();
        self.count_step()?;
        match self.parts.last_mut() {
            Some(StringPart::Text(before)) => before.push_str(text),
            _ if text.is_empty() => {}
            _ => self.push(StringPart::Text(text.to_owned()))?,
        }
        Some(())
    }

    fn push(&mut self, piece: StringPart) -> Option<()> {
        self.parts.push(piece);
        self.count_step()
    }

    fn unknown(&mut self, unknown: &Unknown) -> Option<()> {
        let Term::Call { operation, arguments } = unknown.term() else { return None };
        match (operation, arguments.as_slice()) {
            (Operation::Join, [lists @ .., delimiter]) => self.join(lists, self.open(delimiter)),
            (Operation::Replace(_), [template, params]) => {
                self.replace(self.open(template), self.open(params))
            }
            _ => None,
        }
    }

    /// The value itself, or the one that a secret hides where secrets are opened.
    fn open<'v>(&self, value: &'v Value) -> &'v Value {
        if self.is_closed { value } else { value.unsealed() }
    }

    /// Adds a value within a text.
    fn value(&mut self, value: &Value) -> Option<()> {
        let value = self.open(value);
        match value {
            Value::Null => Some(()),
            Value::Text(text) => self.text(text),
            Value::Unknown(unknown) => self.part(value, Some(unknown)),
            Value::Secret(secret) => self.part(value, secret.origin()),
            other if other.holds_unknown() || self.is_closed && other.holds_secret() => {
                self.push(StringPart::Value(other.clone()))
            }
            other @ (Value::List(_) | Value::Map(_)) => {
                self.text(&python::json_dumps(&other.reveal().0, true).ok()?)
            }
            other => self.text(&python::str(other).ok()?),
        }
    }

    /// Adds the parts of a value if it is computed as a text, otherwise the value as one part.
    fn part(&mut self, value: &Value, origin: Option<&Unknown>) -> Option<()> {
        let text = origin.filter(|origin| {
            matches!(
                origin.term(),
                Term::Call { operation: Operation::Join | Operation::Replace(_), .. }
            )
        });
        let (pieces, length) = (self.parts.len(), self.length);
        let last = match self.parts.last() {
            Some(StringPart::Text(text)) => text.len(),
            _ => 0,
        };
        if text.is_some_and(|text| self.unknown(text).is_some()) {
            return Some(());
        }
        self.count_step()?;
        // Undoes the parts that were added.
        self.parts.truncate(pieces);
        self.length = length;
        if let Some(StringPart::Text(text)) = self.parts.last_mut() {
            text.truncate(last);
        }
        self.push(StringPart::Value(value.clone()))
    }

    fn join(&mut self, lists: &[Value], delimiter: &Value) -> Option<()> {
        let Value::Text(delimiter) = delimiter else { return None };
        let mut first = true;
        for list in lists {
            match self.open(list) {
                Value::List(items) => {
                    for item in items.iter() {
                        if !std::mem::take(&mut first) {
                            self.text(delimiter)?;
                        }
                        self.value(item)?;
                    }
                }
                // The number of items decides the number of delimiters.
                Value::Unknown(_) | Value::Secret(_) => return None,
                other if !python::truthy(other) => {}
                _ => return None,
            }
        }
        Some(())
    }

    fn replace(&mut self, template: &Value, params: &Value) -> Option<()> {
        let (Value::Text(template), Value::Map(map)) = (template, params) else { return None };
        let mut placeholders = Vec::with_capacity(map.len());
        for (key, value) in map.iter() {
            placeholders.push((key.as_text().filter(|key| !key.is_empty())?, value));
        }
        // In the order of the function itself.
        placeholders.sort_by_key(|(key, _)| (Reverse(key.chars().count()), *key));
        self.replaced(template, &placeholders)
    }

    fn replaced(&mut self, text: &str, placeholders: &[(&str, &Value)]) -> Option<()> {
        let mut rest = placeholders;
        // Recursion is limited by the number of placeholders that occur.
        let (placeholder, value) = loop {
            let Some((first, others)) = rest.split_first() else { return self.text(text) };
            rest = others;
            if text.contains(first.0) {
                break *first;
            }
        };
        for (at, piece) in text.split(placeholder).enumerate() {
            if at > 0 {
                self.value(value)?;
            }
            self.replaced(piece, rest)?;
        }
        Some(())
    }
}
