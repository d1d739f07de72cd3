//! What comes of raising: data that remembers from where in the template it is, and what is missing
//! in it.

use lossless_yaml::Value;
use source_diagnostics::Span;

/// A value as a CFN template spells it.
#[derive(Clone, Debug, PartialEq)]
pub struct CfnNode {
    /// What it is.
    pub kind: CfnNodeKind,
    /// What it stands for; nowhere for what raising adds.
    pub span: Span,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq)]
pub enum CfnNodeKind {
    /// Data, of which no part need be looked at.
    Data(Value),
    /// A list.
    List(Vec<CfnNode>),
    /// A map.
    Map(Vec<CfnPair>),
}

/// A pair of a map.
#[derive(Clone, Debug, PartialEq)]
pub struct CfnPair {
    /// The key.
    pub key: String,
    /// Where it is written; nowhere for a key that the template spells otherwise.
    pub key_span: Span,
    /// The value; an error for one that cannot be expressed, so that the pair is left out.
    pub value: Result<CfnNode, Box<Unsupported>>,
}

/// What kind of thing cannot be expressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnsupportedKind {
    /// A call.
    Function,
    /// An attribute, or a part of one.
    Attribute,
    /// A key or a section of the template.
    Section,
    /// A resource, or what its type stands for.
    Resource,
}

/// Something that the format cannot say.
#[derive(Clone, Debug, PartialEq)]
pub struct Unsupported {
    /// What kind of thing.
    pub kind: UnsupportedKind,
    /// Its name.
    pub subject: String,
    /// Why, in a sentence without a full stop.
    pub message: String,
    /// Where it is written.
    pub span: Span,
    /// What a user can do.
    pub suggestion: Option<String>,
    /// It is said in another way, which differs in what the message tells.
    pub is_approximated: bool,
    /// The parameter, condition, resource or output that it belongs to.
    pub owner: String,
}

impl CfnNode {
    /// Data.
    pub fn data(value: Value, span: Span) -> Self {
        CfnNode { kind: CfnNodeKind::Data(value), span }
    }

    /// A text that raising adds.
    pub fn text(text: &str) -> Self {
        CfnNode::data(Value::Text(text.to_owned()), Span::NOWHERE)
    }

    /// A list that raising adds.
    pub fn list(items: Vec<CfnNode>) -> Self {
        CfnNode { kind: CfnNodeKind::List(items), span: Span::NOWHERE }
    }

    /// A map of what stands in the template under other keys.
    pub fn map(pairs: Vec<CfnPair>, span: Span) -> Self {
        CfnNode { kind: CfnNodeKind::Map(pairs), span }
    }

    /// A call.
    pub fn call(name: &str, argument: CfnNode, span: Span) -> Self {
        CfnNode::map(vec![CfnPair::new(name, argument)], span)
    }

    /// The text of a text.
    pub fn as_text(&self) -> Option<&str> {
        match &self.kind {
            CfnNodeKind::Data(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// The data; what is left out is not in it.
    pub fn to_value(&self) -> Value {
        match &self.kind {
            CfnNodeKind::Data(value) => value.clone(),
            CfnNodeKind::List(items) => Value::List(items.iter().map(CfnNode::to_value).collect()),
            CfnNodeKind::Map(pairs) => {
                let said =
                    |pair: &CfnPair| Some((pair.key.clone(), pair.value.as_ref().ok()?.to_value()));
                Value::map(pairs.iter().filter_map(said))
            }
        }
    }
}

impl CfnPair {
    /// A pair whose key the template spells otherwise.
    pub fn new(key: &str, value: CfnNode) -> Self {
        CfnPair { key: key.to_owned(), key_span: Span::NOWHERE, value: Ok(value) }
    }
}
