//! Renders scalars in the style of those that they replace.

use super::Renderer;
use lossless_yaml::yaml::writer;
use lossless_yaml::{NodeId, NodeStyle, Syntax, Value, json_writer};
use source_diagnostics::Span;

impl Renderer<'_> {
    /// The span of the word of a block scalar; its header, perhaps with a comment, and its line end stay.
    pub(super) fn word_of_block(&self, node: NodeId) -> Option<Span> {
        if !matches!(
            self.document.node_as_written(node).style,
            NodeStyle::Literal | NodeStyle::Folded
        ) {
            return None;
        }
        let whole = self.document.span(node);
        let text = self.document.slice(whole);
        let header = text.find(['\n', '\r'])?;
        let word = text[header..].trim();
        let start = whole.start + (text.len() - text[header..].trim_start().len()) as u32;
        let one = !word.is_empty() && !word.contains(char::is_whitespace);
        one.then(|| Span { start, end: start + word.len() as u32, ..whole })
    }

    /// A scalar's new text in the quotes of the old one.
    pub(super) fn requoted(&self, node: NodeId, text: &str) -> String {
        match self.document.node_as_written(node).style {
            NodeStyle::SingleQuoted => format!("'{}'", text.replace('\'', "''")),
            // YAML reads double-quoted texts in JSON format.
            NodeStyle::DoubleQuoted => {
                json_writer::compact(&Value::Text(text.to_owned())).unwrap_or_default()
            }
            // Function names and versions: they may be written without quotes where the old text was.
            NodeStyle::Plain => text.to_owned(),
            NodeStyle::Literal | NodeStyle::Folded | NodeStyle::Block | NodeStyle::Flow => {
                self.scalar(&Value::Text(text.to_owned()))
            }
        }
    }

    /// Renders a value that a rule generates. A value that cannot be written becomes an empty text, which the proof
    /// rejects.
    pub(super) fn scalar(&self, value: &Value) -> String {
        match self.document.syntax() {
            Syntax::Json => json_writer::compact(value),
            Syntax::Yaml => writer::flow(value),
        }
        .unwrap_or_default()
    }
}
