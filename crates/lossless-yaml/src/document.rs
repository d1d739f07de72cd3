//! A text as a tree of nodes with exact byte spans.
//!
//! A [`Document`] owns its text; scalars whose value is a slice of the text (most of them) are
//! ranges of it, so that reading a file copies almost nothing. Nodes live in one arena and name
//! each other by [`NodeId`]: an alias is a node of its own that names the anchored node, and nothing
//! is ever expanded.

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use python_semantics::number::Integer;

use super::SmallSlice;

use source_diagnostics::{Diagnostic, LineIndex, Position, SourceId, Span};

/// Identifies a node of one [`Document`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// The syntax that a text was parsed as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Syntax {
    /// YAML 1.1 as PyYAML's `CSafeLoader` reads it.
    Yaml,
    /// JSON as Python's `json` module reads it.
    Json,
}

/// The style in which a node is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NodeStyle {
    /// A scalar without quotes; in JSON, a number or a literal name.
    Plain,
    /// `'text'`
    SingleQuoted,
    /// `"text"`
    DoubleQuoted,
    /// A block scalar with `|`, which keeps line breaks.
    Literal,
    /// A block scalar with `>`, which folds lines.
    Folded,
    /// A collection by indentation.
    Block,
    /// A collection in brackets; every JSON collection.
    Flow,
}

/// The line end that a text uses (its first one).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LineEnding {
    /// `\n`, also for a text without line ends.
    Lf,
    /// `\r\n`
    CrLf,
    /// `\r`
    Cr,
}

impl LineEnding {
    /// The characters of this line end.
    pub fn as_str(self) -> &'static str {
        match self {
            LineEnding::Lf => "\n",
            LineEnding::CrLf => "\r\n",
            LineEnding::Cr => "\r",
        }
    }
}

/// The value of a text scalar: a slice of the source if the source contains it unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextValue {
    /// Bytes `start..end` of the source.
    Source(u32, u32),
    /// A value that had to be built (escapes, folded lines, JSON strings with escapes, …).
    Owned(Box<str>),
}

impl TextValue {
    /// The length of the value in bytes.
    pub(crate) fn len(&self) -> usize {
        match self {
            TextValue::Source(start, end) => (end - start) as usize,
            TextValue::Owned(value) => value.len(),
        }
    }

    /// The characters, where `source` is the text of the document.
    pub(crate) fn of<'a>(&'a self, source: &'a str) -> &'a str {
        match self {
            TextValue::Source(start, end) => &source[*start as usize..*end as usize],
            TextValue::Owned(value) => value,
        }
    }
}

/// One `key: value` of a mapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The node of the key, as written: it may be an alias.
    pub key: NodeId,
    /// The node of the value, as written: it may be an alias.
    pub value: NodeId,
}

/// The pairs of a map, as the loader builds them and as they are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MappingNode {
    /// The result of the loader: pairs of merge keys (`<<`) first, each key once, at the position of its
    /// first and with the value of its last occurrence.
    pub entries: SmallSlice<Entry>,
    /// The pairs as written, in the order of the text; `None` if they are the same as `entries` (no
    /// merge key, no duplicate). Boxed to be small, since nearly every map has none.
    pub written_entries: Option<Box<SmallSlice<Entry>>>,
}

impl MappingNode {
    /// The pairs as they are written.
    pub fn written(&self) -> &[Entry] {
        self.written_entries.as_deref().unwrap_or(&self.entries)
    }
}

/// The kind of a node, after the loader has resolved plain scalars and tags.
#[derive(Clone, Debug, PartialEq)]
pub enum NodeKind {
    /// `null`
    Null,
    /// `true`, `yes`, `on`, …
    Bool(bool),
    /// An integer: `12`, `014` (octal), `0xC`, `12:30` (base 60), …
    Int(Integer),
    /// `1.5`, `.inf`, …
    Float(f64),
    /// A string; also a plain scalar that YAML 1.1 resolves to no other type.
    Text(TextValue),
    /// `!!binary`
    Bytes(Box<[u8]>),
    /// A date or a time; only Heat's fallback loader creates one.
    Date(TextValue),
    /// A list, by its items in order.
    Sequence(SmallSlice<NodeId>),
    /// A map, with its pairs in order.
    Mapping(MappingNode),
    /// `!!set`: its members in order.
    Set(SmallSlice<NodeId>),
    /// `!!omap` and `!!pairs`: a list of two-element tuples.
    Pairs(SmallSlice<Entry>),
    /// `*name`: refers to the node that `&name` marks.
    Alias(NodeId),
}

/// A node: its kind, its position, and its style.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// First byte of the value itself: the quote, the bracket, the block header, the first key.
    pub start: u32,
    /// One past its last byte. A block scalar ends after the line end of its last content line
    /// (after the trailing blank lines too for `|+` and `>+`, whose value they are); a block
    /// collection where its last child ends.
    pub end: u32,
    /// First byte of the node's properties (`&anchor`, `!tag`); `start` if it has none.
    pub property_start: u32,
    /// The style in which it is written.
    pub style: NodeStyle,
    /// The kind of the node, with its value or its children.
    pub kind: NodeKind,
}

/// A comment: from its `#` up to, not including, the line end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comment {
    /// Offset of the `#`.
    pub start: u32,
    /// Offset of the line end, or of the end of the text.
    pub end: u32,
}

/// The nesting depth of lists and maps that no reader exceeds, whatever its limits are, so that code that
/// walks a tree may recurse. Python's own recursion ends at the same depth.
pub const MAX_DEPTH: usize = 1000;

/// The help for a text that is nested deeper than the limit.
pub(crate) const RAISE_DEPTH_HELP: &str = "`--max-depth` raises this limit, to 1000 at most";

/// The limits of a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The maximum nesting depth of lists and maps.
    pub depth: usize,
    /// The maximum number of nodes when every alias and merge key is followed; a long text counts as a node for
    /// each [`BYTES_PER_NODE`] bytes, and a deeply nested node counts as several.
    pub nodes: usize,
    /// The maximum size of a text in bytes.
    pub bytes: usize,
}

impl Default for Limits {
    /// 500 levels, two million nodes, 64 MiB.
    fn default() -> Self {
        Limits { depth: 500, nodes: 2_000_000, bytes: 64 << 20 }
    }
}

/// The number of bytes of a text that count as a node.
pub const BYTES_PER_NODE: usize = 64;
/// The depth up to which a node counts as one node: real templates stay within it. Deeper nodes
/// count more, because rewritten text is indented once per level.
const TYPICAL_DEPTH: usize = 16;
/// The number of levels beyond that depth that count as a node.
const LEVELS_PER_NODE: usize = 4;

impl Limits {
    /// The number of nodes that aliases and merge keys may add: a twentieth. Real templates add hundreds;
    /// a template that adds more is an alias bomb.
    pub fn added_nodes(&self) -> usize {
        self.nodes / 20
    }

    /// The maximum sum of the depths of all nodes that aliases and merge keys add.
    pub(crate) fn added_levels(&self) -> usize {
        self.added_nodes().saturating_mul(TYPICAL_DEPTH)
    }

    /// The number of nodes that a node at this depth counts for besides itself.
    pub(crate) fn nodes_of_depth(depth: usize) -> usize {
        depth.saturating_sub(TYPICAL_DEPTH) / LEVELS_PER_NODE
    }

    /// An error if a text has too many nodes.
    pub(crate) fn check_nodes(
        &self,
        count: usize,
        source: SourceId,
    ) -> Result<(), Box<Diagnostic>> {
        if count <= self.nodes {
            return Ok(());
        }
        let message = format!("the text has more than {} keys and values", self.nodes);
        let finding = Diagnostic::new(source_diagnostics::codes::FILE_TOO_LARGE, message)
            .at(Span::new(source, 0, 0));
        Err(Box::new(finding.help("`--max-nodes` raises this limit")))
    }
}

/// A parsed text: its tree, its comments, and the findings of the parser.
#[derive(Clone, Debug)]
pub struct Document {
    source: SourceId,
    text: Arc<str>,
    syntax: Syntax,
    /// Shared with the documents that differ in the text only.
    nodes: Arc<Vec<Node>>,
    root: Option<NodeId>,
    comments: Vec<Comment>,
    limits: Limits,
    /// Built when the first position is requested; most documents never need it.
    lines: OnceLock<LineIndex>,
    findings: Vec<Diagnostic>,
}

impl Document {
    /// The document with another text of the same length, in which only blanks before the first node differ.
    pub(crate) fn with_text(self, text: Arc<str>) -> Self {
        Document { text, lines: OnceLock::new(), ..self }
    }

    /// Builds a document; for the readers of this module.
    pub(crate) fn assemble(
        source: SourceId,
        text: Arc<str>,
        syntax: Syntax,
        nodes: impl Into<Arc<Vec<Node>>>,
        root: Option<NodeId>,
        comments: Vec<Comment>,
        findings: Vec<Diagnostic>,
    ) -> Self {
        let (lines, limits, nodes) = (OnceLock::new(), Limits::default(), nodes.into());
        Document { source, text, syntax, nodes, root, comments, limits, lines, findings }
    }

    /// The limits of the reader, which also apply to any text derived from this one.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    pub(crate) fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// Adds a finding about the text as a whole.
    pub(crate) fn add_finding(&mut self, finding: Diagnostic) {
        self.findings.push(finding);
    }

    /// The id of the source that the text belongs to.
    pub fn source(&self) -> SourceId {
        self.source
    }

    /// The whole text, a byte order mark included.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The syntax that the text was parsed as.
    pub fn syntax(&self) -> Syntax {
        self.syntax
    }

    /// The root node; `None` for a text without any (only comments, or nothing).
    pub fn root(&self) -> Option<NodeId> {
        self.root
    }

    /// All nodes; `NodeId(n)` is the n-th. A node's children precede it, and so does the node
    /// of an alias, except for an alias inside its own node (there is a finding
    /// `RECURSIVE_ALIAS` then).
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Whether both documents have the same nodes at the same places, and show it by sharing them.
    pub fn shares_nodes(&self, other: &Document) -> bool {
        self.source == other.source && Arc::ptr_eq(&self.nodes, &other.nodes)
    }

    /// The nodes for another document, shared.
    pub(crate) fn shared_nodes(&self) -> Arc<Vec<Node>> {
        Arc::clone(&self.nodes)
    }

    /// All comments, in the order of the text.
    pub fn comments(&self) -> &[Comment] {
        &self.comments
    }

    /// The findings of the parser: duplicate keys, keys that are not text, …
    pub fn findings(&self) -> &[Diagnostic] {
        &self.findings
    }

    /// The node as it is written: an alias is an alias.
    pub fn node_as_written(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// The node that `id` stands for: aliases are followed.
    pub fn resolve(&self, id: NodeId) -> NodeId {
        match self.node_as_written(id).kind {
            NodeKind::Alias(target) => target,
            _ => id,
        }
    }

    /// The node that `id` refers to: aliases are followed.
    pub fn node(&self, id: NodeId) -> &Node {
        self.node_as_written(self.resolve(id))
    }

    /// Whether the value may occur several times: the node is an alias, or it has properties, perhaps
    /// an anchor among them.
    pub fn may_be_shared(&self, id: NodeId) -> bool {
        let node = self.node_as_written(id);
        node.property_start < node.start || matches!(node.kind, NodeKind::Alias(_))
    }

    /// The kind of the node that `id` refers to.
    pub fn kind(&self, id: NodeId) -> &NodeKind {
        &self.node(id).kind
    }

    /// The span of the node `id` itself (of the alias, if it is one), without its
    /// properties.
    pub fn span(&self, id: NodeId) -> Span {
        let node = self.node_as_written(id);
        Span::new(self.source, node.start, node.end)
    }

    /// Like [`Document::span`], including anchor and tag.
    pub fn span_with_properties(&self, id: NodeId) -> Span {
        let node = self.node_as_written(id);
        Span::new(self.source, node.property_start, node.end)
    }

    /// Every span that contains a part of a value, with anchors and tags: the value as it is written, what its
    /// aliases refer to, values that a duplicate key overrides, and a comment behind it, which may belong to it.
    /// Each node costs one of `budget`; when nothing is left, the result is the whole text.
    pub fn all_spans(&self, id: NodeId, budget: &mut usize) -> Vec<Span> {
        let whole = self.span_with_comment(id);
        let mut spans = vec![whole];
        let mut seen = HashSet::new();
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            let Some(left) = budget.checked_sub(1) else {
                let end = u32::try_from(self.text.len()).unwrap_or(u32::MAX);
                return vec![Span::new(self.source, 0, end)];
            };
            *budget = left;
            let target = self.resolve(id);
            let span = self.span_with_comment(target);
            if !whole.contains(span) {
                spans.push(span);
            }
            if !seen.insert(target) {
                continue;
            }
            match self.kind(target) {
                NodeKind::Mapping(mapping) => {
                    open.extend(mapping.written().iter().flat_map(|pair| [pair.key, pair.value]));
                }
                NodeKind::Pairs(pairs) => {
                    open.extend(pairs.iter().flat_map(|pair| [pair.key, pair.value]));
                }
                NodeKind::Sequence(items) | NodeKind::Set(items) => open.extend(items.iter()),
                NodeKind::Null
                | NodeKind::Bool(_)
                | NodeKind::Int(_)
                | NodeKind::Float(_)
                | NodeKind::Text(_)
                | NodeKind::Bytes(_)
                | NodeKind::Date(_)
                | NodeKind::Alias(_) => {}
            }
        }
        spans
    }

    /// The lines before the value that look like directives but are not YAML directives.
    pub fn unknown_directives(&self) -> impl Iterator<Item = Span> {
        let end = self
            .root()
            .map_or(self.text.len(), |root| self.node_as_written(root).property_start as usize);
        let head = self.text.get(..end).unwrap_or_default();
        let lines = head.split_inclusive(['\n', '\r']).scan(0, |at, line| {
            let start = *at;
            *at += line.len();
            let body = line.trim_start_matches('\u{feff}');
            Some((start + line.len() - body.len(), body.trim_end()))
        });
        let unknown = lines.filter(|(_, line)| {
            line.starts_with('%')
                && !["%YAML ", "%TAG "].iter().any(|known| line.starts_with(known))
        });
        unknown.map(|(start, line)| {
            let at = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
            Span::new(self.source, at(start), at(start + line.len()))
        })
    }

    /// Like [`Document::span_with_properties`], including a comment behind it on its last line.
    fn span_with_comment(&self, id: NodeId) -> Span {
        let span = self.span_with_properties(id);
        let rest = self.text.get(span.end as usize..).unwrap_or_default();
        // The end of the line is only searched behind a comment: a line may contain thousands of nodes.
        let content =
            rest.trim_start_matches(|c: char| c.is_whitespace() && !matches!(c, '\n' | '\r'));
        let is_comment = self.syntax == Syntax::Yaml && content.starts_with('#');
        let length = if is_comment { rest.find(['\n', '\r']).unwrap_or(rest.len()) } else { 0 };
        Span { end: span.end + u32::try_from(length).unwrap_or_default(), ..span }
    }

    /// The text of a span of this document.
    pub fn slice(&self, span: Span) -> &str {
        &self.text[span.range()]
    }

    /// The value of a text node; `None` for any other.
    pub fn str(&self, id: NodeId) -> Option<&str> {
        match self.kind(id) {
            NodeKind::Text(text) => Some(self.text_value(text)),
            _ => None,
        }
    }

    /// The value of a [`TextValue`] of this document.
    pub fn text_value<'a>(&'a self, text: &'a TextValue) -> &'a str {
        text.of(&self.text)
    }

    /// The pairs of a map as the loader builds them; empty for any other node.
    pub fn entries(&self, id: NodeId) -> &[Entry] {
        match self.kind(id) {
            NodeKind::Mapping(mapping) => &mapping.entries,
            _ => &[],
        }
    }

    /// The items of a list; empty for any other node.
    pub fn items(&self, id: NodeId) -> &[NodeId] {
        match self.kind(id) {
            NodeKind::Sequence(items) => items,
            _ => &[],
        }
    }

    /// The pair of a map with the text key `key`.
    pub fn entry(&self, id: NodeId, key: &str) -> Option<Entry> {
        self.entries(id).iter().copied().find(|entry| self.str(entry.key) == Some(key))
    }

    /// The value of a map under the text key `key`.
    pub fn get(&self, id: NodeId, key: &str) -> Option<NodeId> {
        self.entry(id, key).map(|entry| entry.value)
    }

    /// Whether anything in the node as it is written has an anchor.
    pub fn has_anchor(&self, id: NodeId) -> bool {
        let whole = self.span_with_properties(id);
        self.nodes.iter().any(|node| {
            let properties = node.property_start..node.start;
            whole.start <= properties.start
                && properties.end <= whole.end
                && self.text[properties.start as usize..properties.end as usize].contains('&')
        })
    }

    /// The line and column of the byte at `offset`.
    pub fn position(&self, offset: u32) -> Position {
        let lines = self.lines.get_or_init(|| LineIndex::new(&self.text));
        lines.position(&self.text, offset)
    }

    /// The line end of the first line; LF if the text has none.
    pub fn line_ending(&self) -> LineEnding {
        let bytes = self.text.as_bytes();
        match memchr::memchr2(b'\n', b'\r', bytes) {
            Some(at) if bytes[at] == b'\n' => LineEnding::Lf,
            Some(at) if bytes.get(at + 1) == Some(&b'\n') => LineEnding::CrLf,
            Some(_) => LineEnding::Cr,
            None => LineEnding::Lf,
        }
    }
}
