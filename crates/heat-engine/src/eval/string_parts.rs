//! A text of which only some pieces are known.

use std::cmp::Reverse;

use super::{Operation, Term, Unknown, Value, python};

/// A piece of a text.
#[derive(Clone, Debug, PartialEq)]
pub enum StringPart {
    /// These characters.
    Text(String),
    /// The text that this value is; a part of it is not known.
    Value(Value),
}

/// How many pieces are put together.
const MAX_PARTS: usize = 20_000;
/// How many bytes of known text are put together.
const MAX_TEXT_BYTES: usize = 1 << 22;

impl Unknown {
    /// The pieces of the text that the value is, if it is one: texts glued together, and placeholders
    /// replaced. `None` for what is no such text, or has no end of pieces.
    pub fn string_parts(&self) -> Option<Vec<StringPart>> {
        let mut pieces = StringPartCollector { parts: Vec::new(), length: 0, steps: 0 };
        pieces.unknown(self)?;
        Some(pieces.parts)
    }
}

struct StringPartCollector {
    parts: Vec<StringPart>,
    length: usize,
    /// Everything that was done, taken back or not: a term shares its parts, and may be met again and
    /// again.
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
            (Operation::Join, [lists @ .., delimiter]) => self.join(lists, delimiter.unsealed()),
            (Operation::Replace(_), [template, params]) => {
                self.replace(template.unsealed(), params.unsealed())
            }
            _ => None,
        }
    }

    /// A value in the midst of a text.
    fn value(&mut self, value: &Value) -> Option<()> {
        match value.unsealed() {
            Value::Null => Some(()),
            Value::Text(text) => self.text(text),
            Value::Unknown(unknown) => {
                let is_text = matches!(
                    unknown.term(),
                    Term::Call { operation: Operation::Join | Operation::Replace(_), .. }
                );
                let (pieces, length) = (self.parts.len(), self.length);
                let last = match self.parts.last() {
                    Some(StringPart::Text(text)) => text.len(),
                    _ => 0,
                };
                if is_text && self.unknown(unknown).is_some() {
                    return Some(());
                }
                self.count_step()?;
                // What was begun is taken back.
                self.parts.truncate(pieces);
                self.length = length;
                if let Some(StringPart::Text(text)) = self.parts.last_mut() {
                    text.truncate(last);
                }
                self.push(StringPart::Value(value.unsealed().clone()))
            }
            other if other.holds_unknown() => self.push(StringPart::Value(other.clone())),
            other @ (Value::List(_) | Value::Map(_)) => {
                self.text(&python::json_dumps(&other.reveal().0, true).ok()?)
            }
            other => self.text(&python::str(other).ok()?),
        }
    }

    fn join(&mut self, lists: &[Value], delimiter: &Value) -> Option<()> {
        let Value::Text(delimiter) = delimiter else { return None };
        let mut first = true;
        for list in lists {
            match list.unsealed() {
                Value::List(items) => {
                    for item in items.iter() {
                        if !std::mem::take(&mut first) {
                            self.text(delimiter)?;
                        }
                        self.value(item)?;
                    }
                }
                // How many items there are decides how many delimiters there are.
                Value::Unknown(_) => return None,
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
        // No deeper than there are placeholders that occur.
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
