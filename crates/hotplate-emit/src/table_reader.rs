//! Deserializes manifests and tables of targets from YAML, with the places of errors.

use std::fmt;
use std::sync::Arc;

use serde::de::value::StrDeserializer;
use serde::de::{
    self, DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error as _, MapAccess,
    SeqAccess, VariantAccess, Visitor,
};

use lossless_yaml::{Document, Limits, NodeId, NodeKind, read_yaml};
use python_semantics::number::Integer;
use source_diagnostics::{Diagnostic, Severity, SourceId, Span, did_you_mean};

/// Reads a text as `T`: unknown keys and duplicate keys are errors.
pub fn read<T: DeserializeOwned>(source: SourceId, text: Arc<str>) -> Result<T, Box<Diagnostic>> {
    let document = read_yaml(source, text, &Limits::default())?;
    if let Some(finding) = document.findings().first() {
        return Err(Box::new(as_error(finding)));
    }
    from_document(&document)
}

/// Reads a table that is embedded in the program. An error says what is wrong.
pub fn read_embedded<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    read(SourceId(u32::MAX), Arc::from(text)).map_err(|finding| finding.message)
}

/// Turns a warning of the YAML reader into an error, since tables are stricter than templates.
pub fn as_error(finding: &Diagnostic) -> Diagnostic {
    Diagnostic { code: crate::codes::TARGET_BROKEN, severity: Severity::Error, ..finding.clone() }
}

/// Reads a parsed document as `T`.
pub fn from_document<T: DeserializeOwned>(document: &Document) -> Result<T, Box<Diagnostic>> {
    let Some(root) = document.root() else {
        let finding = Diagnostic::new(crate::codes::TARGET_BROKEN, "the file is empty");
        return Err(Box::new(finding.at(Span::new(document.source(), 0, 0))));
    };
    T::deserialize(NodeDeserializer { document, node: root }).map_err(|fault| {
        let span = fault.span.unwrap_or_else(|| document.span(root));
        let mut finding = Diagnostic::new(crate::codes::TARGET_BROKEN, fault.message).at(span);
        finding.help.extend(fault.help);
        Box::new(finding)
    })
}

/// An error with its place.
#[derive(Debug)]
struct TableError {
    message: String,
    help: Option<String>,
    span: Option<Span>,
}

impl TableError {
    /// Sets the place, unless an inner one is set.
    fn at(mut self, span: Span) -> Self {
        self.span.get_or_insert(span);
        self
    }
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for TableError {}

impl de::Error for TableError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        TableError { message: message.to_string(), help: None, span: None }
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        TableError {
            message: format!("unknown key `{field}`"),
            help: Some(unknown_name_message("key", field, expected)),
            span: None,
        }
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        TableError {
            message: format!("unknown value `{variant}`"),
            help: Some(unknown_name_message("word", variant, expected)),
            span: None,
        }
    }

    fn missing_field(field: &'static str) -> Self {
        TableError::custom(format!("missing key `{field}`"))
    }
}

fn unknown_name_message(what: &str, given: &str, expected: &[&str]) -> String {
    match did_you_mean(given, expected.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("possible {what}s: `{}`", expected.join("`, `")),
    }
}

/// A node of a document.
#[derive(Clone, Copy)]
struct NodeDeserializer<'d> {
    document: &'d Document,
    node: NodeId,
}

impl<'d> NodeDeserializer<'d> {
    fn span(self) -> Span {
        self.document.span(self.node)
    }

    fn other(self, node: NodeId) -> Self {
        NodeDeserializer { node, ..self }
    }
}

impl<'de> Deserializer<'de> for NodeDeserializer<'_> {
    type Error = TableError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TableError> {
        let outcome = match self.document.kind(self.node) {
            NodeKind::Null | NodeKind::Alias(_) => visitor.visit_unit(),
            NodeKind::Bool(value) => visitor.visit_bool(*value),
            NodeKind::Int(Integer::Small(value)) => visitor.visit_i64(*value),
            NodeKind::Int(Integer::Big(_)) => Err(TableError::custom("the number is too large")),
            NodeKind::Float(value) => visitor.visit_f64(*value),
            NodeKind::Text(text) | NodeKind::Date(text) => {
                visitor.visit_str(self.document.text_value(text))
            }
            NodeKind::Sequence(items) => {
                visitor.visit_seq(SequenceReader { at: self, left: items })
            }
            NodeKind::Mapping(mapping) => {
                visitor.visit_map(MapReader { at: self, left: mapping.entries.iter(), value: None })
            }
            NodeKind::Bytes(_) | NodeKind::Set(_) | NodeKind::Pairs(_) => {
                Err(TableError::custom("this kind of value is not allowed here"))
            }
        };
        outcome.map_err(|fault| fault.at(self.span()))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TableError> {
        match self.document.kind(self.node) {
            NodeKind::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, TableError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, TableError> {
        let outcome = match self.document.str(self.node) {
            Some(word) => visitor.visit_enum(VariantReader { word }),
            None => Err(TableError::custom("expected a string")),
        };
        outcome.map_err(|fault| fault.at(self.span()))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// A string that names an enum variant.
struct VariantReader<'d> {
    word: &'d str,
}

impl<'de> EnumAccess<'de> for VariantReader<'_> {
    type Error = TableError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, Self), TableError> {
        let name = StrDeserializer::<TableError>::new(self.word);
        Ok((seed.deserialize(name)?, self))
    }
}

impl<'de> VariantAccess<'de> for VariantReader<'_> {
    type Error = TableError;

    fn unit_variant(self) -> Result<(), TableError> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(
        self,
        _seed: T,
    ) -> Result<T::Value, TableError> {
        Err(TableError::custom("expected a map or a list"))
    }

    fn tuple_variant<V: Visitor<'de>>(
        self,
        _len: usize,
        _visitor: V,
    ) -> Result<V::Value, TableError> {
        Err(TableError::custom("expected a map or a list"))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        _visitor: V,
    ) -> Result<V::Value, TableError> {
        Err(TableError::custom("expected a map or a list"))
    }
}

struct SequenceReader<'d> {
    at: NodeDeserializer<'d>,
    left: &'d [NodeId],
}

impl<'de> SeqAccess<'de> for SequenceReader<'_> {
    type Error = TableError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, TableError> {
        let Some((first, rest)) = self.left.split_first() else { return Ok(None) };
        self.left = rest;
        seed.deserialize(self.at.other(*first)).map(Some)
    }
}

struct MapReader<'d> {
    at: NodeDeserializer<'d>,
    left: std::slice::Iter<'d, lossless_yaml::Entry>,
    value: Option<NodeId>,
}

impl<'de> MapAccess<'de> for MapReader<'_> {
    type Error = TableError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, TableError> {
        let Some(entry) = self.left.next() else { return Ok(None) };
        self.value = Some(entry.value);
        seed.deserialize(self.at.other(entry.key)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, TableError> {
        match self.value.take() {
            Some(value) => seed.deserialize(self.at.other(value)),
            None => Err(TableError::custom("a value without a key")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::Mapping;

    fn wrong(text: &str) -> (String, String, Vec<String>) {
        let finding = read::<Mapping>(SourceId(0), text.into()).expect_err(text);
        let span = finding.span().expect("a place");
        (finding.message.clone(), text[span.range()].to_owned(), finding.help.clone())
    }

    #[test]
    fn a_table_is_read() {
        let text = "checked_against: x 1\ntypes:\n  A:\n    to: B\n    properties:\n      p: {to: q, required: yes}\n";
        let mapping: Mapping = read(SourceId(0), text.into()).expect("a table");
        assert!(mapping.types["A"].properties["p"].required);
    }

    #[test]
    fn what_is_wrong_has_its_place() {
        let (message, at, help) = wrong("checked_against: x\ntypes:\n  A: {too: B}\n");
        assert_eq!((message.as_str(), at.as_str()), ("unknown key `too`", "too"));
        assert_eq!(help, ["did you mean `to`?"]);
        let (message, at, _) = wrong("checked_against: x\ntypes:\n  A: {to: [B]}\n");
        assert_eq!(
            (message.as_str(), at.as_str()),
            ("invalid type: sequence, expected a string", "[B]")
        );
        let (message, ..) = wrong("types: {}\n");
        assert_eq!(message, "missing key `checked_against`");
        let (message, ..) = wrong("checked_against: x\ntypes: {}\ntypes: {}\n");
        assert!(message.contains("types"), "{message}");
        let finding = read::<Mapping>(SourceId(0), "# nothing\n".into()).expect_err("empty");
        assert_eq!(finding.message, "the file is empty");
    }
}
