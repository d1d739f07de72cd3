//! Values of environments: converted as by the client's JSON, with their spans and
//! the values that they replaced.
//!
//! Heat's rule: `docs/heat.md#the-template-travels-as-json`.

use std::borrow::Cow;

use indexmap::IndexMap;
use serde_json::Value as Json;

use super::location::Location;
use lossless_yaml::{Document, NodeId, NodeKind};
use python_semantics::number::Integer;
use python_semantics::number::{json_repr, repr};
use source_diagnostics::{Diagnostic, Span};

/// A value with its span and its history.
#[derive(Clone, Debug, PartialEq)]
pub struct EnvironmentNode {
    /// The value, whose parts have spans of their own.
    pub value: EnvironmentValue,
    /// The span of the value; for a merged one, that of its newest part.
    pub span: Span,
    /// The span of its key; the same as `span` if it has none.
    pub key: Span,
    /// The values that it overrode or was merged with, the newest first.
    pub earlier: Vec<EarlierValue>,
}

/// An earlier value that another one replaced.
#[derive(Clone, Debug, PartialEq)]
pub struct EarlierValue {
    /// The value, without its own history.
    pub node: EnvironmentNode,
    /// How it was replaced.
    pub outcome: EarlierOutcome,
}

/// How an earlier value was replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EarlierOutcome {
    /// It no longer has an effect.
    Overridden,
    /// It was merged into the newer one.
    Merged,
    /// It is the list of candidates from which the newer one was selected.
    Candidate,
}

/// A JSON value with spans.
#[derive(Clone, Debug, PartialEq)]
pub enum EnvironmentValue {
    /// YAML's null, Python's `None`.
    Null,
    /// Python's `bool`.
    Bool(bool),
    /// An integer of any size.
    Int(Integer),
    /// A 64-bit floating point number.
    Float(f64),
    /// A string, unless it is a resolved reference to a file.
    Text(String),
    /// A text that refers to a file, resolved.
    File(Location),
    /// A list; each item has its own span.
    List(Vec<EnvironmentNode>),
    /// A map with string keys, as in JSON.
    Map(EnvironmentMap),
}

/// A map, in order.
pub type EnvironmentMap = IndexMap<String, EnvironmentNode>;

impl EnvironmentNode {
    /// A value with its span and no history.
    pub fn new(value: EnvironmentValue, span: Span) -> Self {
        EnvironmentNode { value, span, key: span, earlier: Vec::new() }
    }

    /// The value of a text or the URL of a file; `None` for any other value.
    pub fn as_text(&self) -> Option<Cow<'_, str>> {
        match &self.value {
            EnvironmentValue::Text(text) => Some(Cow::Borrowed(text)),
            EnvironmentValue::File(location) => Some(Cow::Borrowed(location.url())),
            _ => None,
        }
    }

    /// The pairs of a map.
    pub fn as_map(&self) -> Option<&EnvironmentMap> {
        match &self.value {
            EnvironmentValue::Map(map) => Some(map),
            _ => None,
        }
    }

    /// Whether it is null.
    pub fn is_null(&self) -> bool {
        self.value == EnvironmentValue::Null
    }

    /// Whether the value is truthy in Python.
    pub fn is_truthy(&self) -> bool {
        match &self.value {
            EnvironmentValue::Null => false,
            EnvironmentValue::Bool(value) => *value,
            EnvironmentValue::Int(value) => *value != Integer::Small(0),
            EnvironmentValue::Float(value) => *value != 0.0,
            EnvironmentValue::Text(text) => !text.is_empty(),
            EnvironmentValue::File(_) => true,
            EnvironmentValue::List(items) => !items.is_empty(),
            EnvironmentValue::Map(map) => !map.is_empty(),
        }
    }

    /// The kind of the value with its article, for messages.
    pub fn kind(&self) -> &'static str {
        match &self.value {
            EnvironmentValue::Null => "null",
            EnvironmentValue::Bool(_) => "a boolean",
            EnvironmentValue::Int(_) | EnvironmentValue::Float(_) => "a number",
            EnvironmentValue::Text(_) | EnvironmentValue::File(_) => "a string",
            EnvironmentValue::List(_) => "a list",
            EnvironmentValue::Map(_) => "a map",
        }
    }

    /// The value with an older one added to its history.
    #[must_use]
    pub(super) fn after(mut self, older: Option<EnvironmentNode>, outcome: EarlierOutcome) -> Self {
        if let Some(mut older) = older {
            let past = std::mem::take(&mut older.earlier);
            self.earlier.push(EarlierValue { node: older, outcome });
            self.earlier.extend(past);
        }
        self
    }

    /// The spans of the value and of all values that it overrode.
    pub fn places(&self) -> impl Iterator<Item = Span> {
        let earlier = self.earlier.iter().map(|earlier| earlier.node.span);
        std::iter::once(self.span).chain(earlier)
    }

    /// The value as JSON. A file becomes the path that the user knows; a number beyond JSON becomes a map with
    /// a key `$int` or `$float`.
    pub fn to_json(&self) -> Json {
        match &self.value {
            EnvironmentValue::Null => Json::Null,
            EnvironmentValue::Bool(value) => Json::Bool(*value),
            EnvironmentValue::Int(Integer::Small(value)) => (*value).into(),
            EnvironmentValue::Int(big) => serde_json::json!({ "$int": big.to_string() }),
            EnvironmentValue::Float(value) => match serde_json::Number::from_f64(*value) {
                Some(number) => Json::Number(number),
                None => serde_json::json!({ "$float": repr(*value) }),
            },
            EnvironmentValue::Text(text) => Json::String(text.clone()),
            EnvironmentValue::File(location) => Json::String(location.to_string()),
            EnvironmentValue::List(items) => items.iter().map(EnvironmentNode::to_json).collect(),
            EnvironmentValue::Map(map) => {
                map.iter().map(|(key, value)| (key.clone(), value.to_json())).collect()
            }
        }
    }

    /// Calls `see` for the value and every part of it.
    pub(super) fn visit(&mut self, see: &mut impl FnMut(&mut EnvironmentNode)) {
        see(self);
        match &mut self.value {
            EnvironmentValue::List(items) => items.iter_mut().for_each(|item| item.visit(see)),
            EnvironmentValue::Map(map) => map.values_mut().for_each(|value| value.visit(see)),
            _ => {}
        }
    }
}

/// The value after the client has converted it to JSON: keys are text, sets are lists.
///
/// The document must not have aliases that contain themselves.
pub fn as_json(document: &Document, id: NodeId) -> Result<EnvironmentNode, Box<Diagnostic>> {
    let span = document.span(id);
    let refuse = |what: &str| {
        let message = format!("{what} cannot be sent as JSON");
        Err(Box::new(Diagnostic::new(lossless_yaml::codes::NOT_IN_JSON, message).at(span)))
    };
    let list = |ids: &[NodeId]| -> Result<EnvironmentValue, Box<Diagnostic>> {
        ids.iter()
            .map(|&id| as_json(document, id))
            .collect::<Result<_, _>>()
            .map(EnvironmentValue::List)
    };
    let value = match document.kind(id) {
        NodeKind::Null | NodeKind::Alias(_) => EnvironmentValue::Null,
        NodeKind::Bool(value) => EnvironmentValue::Bool(*value),
        NodeKind::Int(value) if value.has_decimal_form() => EnvironmentValue::Int(value.clone()),
        NodeKind::Int(_) => return refuse("an integer of more than 4300 digits"),
        NodeKind::Float(value) => EnvironmentValue::Float(*value),
        NodeKind::Text(text) => EnvironmentValue::Text(document.text_value(text).to_owned()),
        NodeKind::Bytes(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => EnvironmentValue::Text(text.to_owned()),
            Err(_) => return refuse("binary data"),
        },
        NodeKind::Date(text) => EnvironmentValue::Text(document.text_value(text).to_owned()),
        NodeKind::Sequence(items) | NodeKind::Set(items) => list(items)?,
        NodeKind::Pairs(pairs) => {
            let pairs = pairs.iter().map(|pair| {
                let span = document.span(pair.key);
                list(&[pair.key, pair.value]).map(|value| EnvironmentNode::new(value, span))
            });
            EnvironmentValue::List(pairs.collect::<Result<_, _>>()?)
        }
        NodeKind::Mapping(mapping) => {
            let mut map = EnvironmentMap::with_capacity(mapping.entries.len());
            for entry in &mapping.entries {
                let key = match document.kind(entry.key) {
                    NodeKind::Text(text) => document.text_value(text).to_owned(),
                    NodeKind::Null => "null".to_owned(),
                    NodeKind::Bool(value) => value.to_string(),
                    NodeKind::Int(value) if value.has_decimal_form() => value.to_string(),
                    NodeKind::Float(value) => json_repr(*value).into_owned(),
                    _ => return refuse("this key"),
                };
                let mut value = as_json(document, entry.value)?;
                value.key = document.span(entry.key);
                map.insert(key, value);
            }
            EnvironmentValue::Map(map)
        }
    };
    Ok(EnvironmentNode::new(value, span))
}

/// Converts the value as the server does when it reads the client's JSON as YAML: a float without a
/// point, or one that is not finite, becomes a text. Each such value is reported.
pub(super) fn reread_as_yaml(node: &mut EnvironmentNode, findings: &mut Vec<Diagnostic>) {
    node.visit(&mut |node| {
        let EnvironmentValue::Float(value) = node.value else { return };
        let spelled = json_repr(value);
        if spelled.contains('.') {
            return;
        }
        let message =
            "the number becomes a string in Heat, since the server reads the client's JSON as YAML 1.1";
        findings.push(Diagnostic::new(crate::codes::NUMBER_BECOMES_TEXT, message).at(node.span));
        node.value = EnvironmentValue::Text(spelled.into_owned());
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use lossless_yaml::{Limits, read_yaml};
    use source_diagnostics::SourceId;

    fn tree(text: &str) -> Result<EnvironmentNode, Box<Diagnostic>> {
        let document = read_yaml(SourceId(0), text.into(), &Limits::default()).expect("YAML");
        as_json(&document, document.root().expect("a root"))
    }

    #[test]
    fn keys_become_text_and_the_last_of_equal_ones_wins() {
        let node = tree("{80: a, true: b, null: c, 1.5: d, '80': e}").expect("a map");
        let map = node.as_map().expect("a map");
        let keys: Vec<&str> = map.keys().map(String::as_str).collect();
        assert_eq!(keys, ["80", "true", "null", "1.5"]);
        assert_eq!(map["80"].value, EnvironmentValue::Text("e".into()));
    }

    #[test]
    fn what_json_cannot_hold_is_refused() {
        assert_eq!(
            tree("a: !!binary /w==").expect_err("binary").code,
            lossless_yaml::codes::NOT_IN_JSON
        );
        assert_eq!(
            tree("{!!binary YQ==: 1}").expect_err("a key").code,
            lossless_yaml::codes::NOT_IN_JSON
        );
        assert!(tree("a: !!set {x, y}").is_ok());
    }

    #[test]
    fn some_numbers_are_text_for_the_server() {
        let mut node = tree("[1.0e+16, 1.5e+16, .inf, 1.5, 7]").expect("a list");
        let mut findings = Vec::new();
        reread_as_yaml(&mut node, &mut findings);
        let EnvironmentValue::List(items) = node.value else { panic!("no list") };
        assert_eq!(items[0].value, EnvironmentValue::Text("1e+16".into()));
        assert_eq!(items[1].value, EnvironmentValue::Float(1.5e16));
        assert_eq!(items[2].value, EnvironmentValue::Text("Infinity".into()));
        assert_eq!(findings.len(), 2);
    }

    #[test]
    fn a_past_is_newest_first() {
        let at = |start| Span::new(SourceId(0), start, start + 1);
        let one = EnvironmentNode::new(EnvironmentValue::Null, at(1));
        let two = EnvironmentNode::new(EnvironmentValue::Null, at(2))
            .after(Some(one), EarlierOutcome::Overridden);
        let three = EnvironmentNode::new(EnvironmentValue::Null, at(3))
            .after(Some(two), EarlierOutcome::Merged);
        let starts: Vec<u32> = three.places().map(|span| span.start).collect();
        assert_eq!(starts, [3, 2, 1]);
        assert_eq!(three.earlier[0].outcome, EarlierOutcome::Merged);
    }
}
