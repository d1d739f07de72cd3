//! The result of raising: data with its source spans, and what is missing
//! in it.

use lossless_yaml::Value;
use source_diagnostics::Span;

/// A value of a CFN template with its source span.
#[derive(Clone, Debug, PartialEq)]
pub struct CfnNode {
    /// The kind of the value, with its content.
    pub kind: CfnNodeKind,
    /// The span of the original; [`Span::NOWHERE`] for generated values.
    pub span: Span,
}

/// The kind of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum CfnNodeKind {
    /// Data without parts that need a span.
    Data(Value),
    /// A list with parts that need a span.
    List(Vec<CfnNode>),
    /// A map with parts that need a span.
    Map(Vec<CfnPair>),
}

/// A pair of a map.
#[derive(Clone, Debug, PartialEq)]
pub struct CfnPair {
    /// The key in the CFN template.
    pub key: String,
    /// The span of the key; [`Span::NOWHERE`] for a key that differs from the original.
    pub key_span: Span,
    /// The value; an error for one that cannot be expressed, so that the pair is omitted.
    pub value: Result<CfnNode, Box<Unsupported>>,
}

/// The kind of something that cannot be expressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnsupportedKind {
    /// A call of a function.
    Function,
    /// An attribute, or a part of one.
    Attribute,
    /// A section, or a key of the template.
    Section,
    /// A resource, or the implementation of its type.
    Resource,
}

/// Something that the format cannot express.
#[derive(Clone, Debug, PartialEq)]
pub struct Unsupported {
    /// The kind of what cannot be expressed.
    pub kind: UnsupportedKind,
    /// The name of the function, attribute, section or resource.
    pub subject: String,
    /// The reason, in a sentence without a full stop.
    pub message: String,
    /// The span in the source.
    pub span: Span,
    /// A suggestion for the user.
    pub suggestion: Option<String>,
    /// True if it is expressed approximately; the message describes the difference.
    pub is_approximated: bool,
    /// The parameter, condition, resource or output that it belongs to.
    pub owner: String,
}

impl CfnNode {
    /// A data value without parts that need a span.
    pub fn data(value: Value, span: Span) -> Self {
        CfnNode { kind: CfnNodeKind::Data(value), span }
    }

    /// A string that is not in the template, and has no span.
    pub fn text(text: &str) -> Self {
        CfnNode::data(Value::Text(text.to_owned()), Span::NOWHERE)
    }

    /// A list that is not in the template, and has no span.
    pub fn list(items: Vec<CfnNode>) -> Self {
        CfnNode { kind: CfnNodeKind::List(items), span: Span::NOWHERE }
    }

    /// A map with generated keys.
    pub fn map(pairs: Vec<CfnPair>, span: Span) -> Self {
        CfnNode { kind: CfnNodeKind::Map(pairs), span }
    }

    /// A call: a map with the function's name as the only key.
    pub fn call(name: &str, argument: CfnNode, span: Span) -> Self {
        CfnNode::map(vec![CfnPair::new(name, argument)], span)
    }

    /// The value of a text; `None` for any other value.
    pub fn as_text(&self) -> Option<&str> {
        match &self.kind {
            CfnNodeKind::Data(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// The value as data, without the omitted pairs.
    pub fn to_value(&self) -> Value {
        match &self.kind {
            CfnNodeKind::Data(value) => value.clone(),
            CfnNodeKind::List(items) => Value::List(items.iter().map(CfnNode::to_value).collect()),
            CfnNodeKind::Map(pairs) => {
                let expressed =
                    |pair: &CfnPair| Some((pair.key.clone(), pair.value.as_ref().ok()?.to_value()));
                Value::map(pairs.iter().filter_map(expressed))
            }
        }
    }
}

impl CfnPair {
    /// A pair with a generated key.
    pub fn new(key: &str, value: CfnNode) -> Self {
        CfnPair { key: key.to_owned(), key_span: Span::NOWHERE, value: Ok(value) }
    }
}
