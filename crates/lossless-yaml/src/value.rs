//! Values independent of a text: what a writer prints, and what other modules build.

use num_bigint::BigInt;

use python_semantics::number::Integer;

use super::{Document, Limits, MAX_DEPTH, NodeId, NodeKind};
use source_diagnostics::{Code, Diagnostic, Span};

/// A value of the kinds that YAML has in Python. Maps keep their order.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Python's `None`.
    Null,
    /// Python's `bool`.
    Bool(bool),
    /// An integer of any size.
    Int(Integer),
    /// Python's `float`.
    Float(f64),
    /// Python's `str`.
    Text(String),
    /// Python's `bytes` (`!!binary`).
    Bytes(Vec<u8>),
    /// A date or a time, as it is written.
    Date(String),
    /// Python's `list`.
    List(Vec<Value>),
    /// Python's `dict`, with keys of any kind, in order.
    Map(Vec<(Value, Value)>),
    /// Python's `set` (`!!set`).
    Set(Vec<Value>),
    /// A list of pairs (`!!pairs`, `!!omap`).
    Pairs(Vec<(Value, Value)>),
}

/// The kind of a value; for a collection without its content.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ValueShape<'a> {
    /// See [`Value::Null`].
    Null,
    /// See [`Value::Bool`].
    Bool(bool),
    /// See [`Value::Int`].
    Int(&'a Integer),
    /// See [`Value::Float`].
    Float(f64),
    /// See [`Value::Text`].
    Text(&'a str),
    /// See [`Value::Bytes`].
    Bytes(&'a [u8]),
    /// See [`Value::Date`].
    Date(&'a str),
    /// See [`Value::List`].
    List,
    /// See [`Value::Map`].
    Map,
    /// See [`Value::Set`].
    Set,
    /// See [`Value::Pairs`].
    Pairs,
}

/// A tree of values that a writer can traverse: a [`Value`], or a node of a [`Document`] with its
/// aliases followed.
pub trait ValueTree<'a>: Copy {
    /// The kind of this value, with the content of a scalar.
    fn shape(self) -> ValueShape<'a>;

    /// An item of a list or a set; `None` past the last, and for anything else.
    fn item(self, index: usize) -> Option<Self>;

    /// A pair of a map or of pairs; `None` past the last, and for anything else.
    fn pair(self, index: usize) -> Option<(Self, Self)>;

    /// The span of the value, if it comes from a text.
    fn span(self) -> Option<Span> {
        None
    }

    /// All items of a list or a set.
    fn items(self) -> impl Iterator<Item = Self> {
        (0..).map_while(move |index| self.item(index))
    }

    /// All pairs of a map or of pairs.
    fn pairs(self) -> impl Iterator<Item = (Self, Self)> {
        (0..).map_while(move |index| self.pair(index))
    }

    /// A finding about this value.
    fn finding(self, code: Code, message: &str) -> Box<Diagnostic> {
        let finding = Diagnostic::new(code, message);
        Box::new(match self.span() {
            Some(span) => finding.at(span),
            None => finding,
        })
    }

    /// The finding that this value is nested deeper than [`MAX_DEPTH`](super::MAX_DEPTH).
    fn too_deep(self) -> Box<Diagnostic> {
        self.finding(crate::codes::NESTING_TOO_DEEP, "the value is nested too deeply to write")
    }
}

impl<'a> ValueTree<'a> for &'a Value {
    fn shape(self) -> ValueShape<'a> {
        match self {
            Value::Null => ValueShape::Null,
            Value::Bool(value) => ValueShape::Bool(*value),
            Value::Int(value) => ValueShape::Int(value),
            Value::Float(value) => ValueShape::Float(*value),
            Value::Text(value) => ValueShape::Text(value),
            Value::Bytes(value) => ValueShape::Bytes(value),
            Value::Date(value) => ValueShape::Date(value),
            Value::List(_) => ValueShape::List,
            Value::Map(_) => ValueShape::Map,
            Value::Set(_) => ValueShape::Set,
            Value::Pairs(_) => ValueShape::Pairs,
        }
    }

    fn item(self, index: usize) -> Option<Self> {
        match self {
            Value::List(items) | Value::Set(items) => items.get(index),
            _ => None,
        }
    }

    fn pair(self, index: usize) -> Option<(Self, Self)> {
        match self {
            Value::Map(pairs) | Value::Pairs(pairs) => {
                pairs.get(index).map(|(key, value)| (key, value))
            }
            _ => None,
        }
    }
}

/// A node of a document, as [`ValueTree`].
#[derive(Clone, Copy, Debug)]
pub struct NodeRef<'a> {
    /// The document that contains the node.
    pub document: &'a Document,
    /// The node; it must belong to `document`.
    pub id: NodeId,
}

impl Document {
    /// The node `id` as data for a writer.
    pub fn data(&self, id: NodeId) -> NodeRef<'_> {
        NodeRef { document: self, id }
    }
}

impl<'a> ValueTree<'a> for NodeRef<'a> {
    fn shape(self) -> ValueShape<'a> {
        match self.document.kind(self.id) {
            NodeKind::Null | NodeKind::Alias(_) => ValueShape::Null,
            NodeKind::Bool(value) => ValueShape::Bool(*value),
            NodeKind::Int(value) => ValueShape::Int(value),
            NodeKind::Float(value) => ValueShape::Float(*value),
            NodeKind::Text(value) => ValueShape::Text(self.document.text_value(value)),
            NodeKind::Bytes(value) => ValueShape::Bytes(value),
            NodeKind::Date(value) => ValueShape::Date(self.document.text_value(value)),
            NodeKind::Sequence(_) => ValueShape::List,
            NodeKind::Mapping(_) => ValueShape::Map,
            NodeKind::Set(_) => ValueShape::Set,
            NodeKind::Pairs(_) => ValueShape::Pairs,
        }
    }

    fn item(self, index: usize) -> Option<Self> {
        match self.document.kind(self.id) {
            NodeKind::Sequence(items) | NodeKind::Set(items) => {
                items.get(index).map(|&id| self.document.data(id))
            }
            _ => None,
        }
    }

    fn pair(self, index: usize) -> Option<(Self, Self)> {
        let entry = match self.document.kind(self.id) {
            NodeKind::Mapping(mapping) => mapping.entries.get(index)?,
            NodeKind::Pairs(pairs) => pairs.get(index)?,
            _ => return None,
        };
        Some((self.document.data(entry.key), self.document.data(entry.value)))
    }

    fn span(self) -> Option<Span> {
        Some(self.document.span(self.id))
    }

    /// Readers reject values that are too deep, so only an alias that contains itself gets here.
    fn too_deep(self) -> Box<Diagnostic> {
        self.finding(
            crate::codes::RECURSIVE_ALIAS,
            "the value contains itself and cannot be written",
        )
    }
}

impl Value {
    /// Copies a tree of values; aliases are expanded, up to the limits.
    pub fn copy_of<'a>(
        data: impl ValueTree<'a>,
        limits: &Limits,
    ) -> Result<Value, Box<Diagnostic>> {
        let mut budget = limits.nodes;
        copy(data, limits.depth.min(MAX_DEPTH), &mut budget)
    }

    /// A map with text keys.
    pub fn map<K: Into<String>>(pairs: impl IntoIterator<Item = (K, Value)>) -> Value {
        Value::Map(pairs.into_iter().map(|(key, value)| (Value::Text(key.into()), value)).collect())
    }

    /// The value under a text key of a map.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.pairs()
            .find(|(name, _)| matches!(name, Value::Text(name) if name == key))
            .map(|(_, value)| value)
    }
}

fn copy<'a, D: ValueTree<'a>>(
    data: D,
    depth: usize,
    budget: &mut usize,
) -> Result<Value, Box<Diagnostic>> {
    *budget = budget.checked_sub(1).ok_or_else(|| {
        data.finding(
            crate::codes::ALIAS_EXPANSION,
            "the aliases expand to more nodes than the limit",
        )
    })?;
    let inner = || depth.checked_sub(1).ok_or_else(|| data.too_deep());
    let items = |budget: &mut usize| {
        let depth = inner()?;
        data.items().map(|item| copy(item, depth, budget)).collect::<Result<Vec<_>, _>>()
    };
    let pairs = |budget: &mut usize| {
        let depth = inner()?;
        data.pairs()
            .map(|(key, value)| Ok((copy(key, depth, budget)?, copy(value, depth, budget)?)))
            .collect::<Result<Vec<_>, Box<Diagnostic>>>()
    };
    Ok(match data.shape() {
        ValueShape::Null => Value::Null,
        ValueShape::Bool(value) => Value::Bool(value),
        ValueShape::Int(value) => Value::Int(value.clone()),
        ValueShape::Float(value) => Value::Float(value),
        ValueShape::Text(value) => Value::Text(value.to_owned()),
        ValueShape::Bytes(value) => Value::Bytes(value.to_vec()),
        ValueShape::Date(value) => Value::Date(value.to_owned()),
        ValueShape::List => Value::List(items(budget)?),
        ValueShape::Set => Value::Set(items(budget)?),
        ValueShape::Map => Value::Map(pairs(budget)?),
        ValueShape::Pairs => Value::Pairs(pairs(budget)?),
    })
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Value::Text(value.to_owned())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Value::Text(value)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Value::Bool(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Value::Int(Integer::Small(value))
    }
}

impl From<BigInt> for Value {
    fn from(value: BigInt) -> Self {
        Value::Int(Integer::from(value))
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Value::Float(value)
    }
}

impl From<Vec<Value>> for Value {
    fn from(items: Vec<Value>) -> Self {
        Value::List(items)
    }
}
