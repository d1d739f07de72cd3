//! Events to a [`Document`]: anchors, tags, and the values that PyYAML's safe loader builds.
//!
//! PyYAML composes a graph of nodes first and constructs values from it later, and only from the
//! nodes that it needs: `<<: !unknown {a: 1}` is not an error, since the map itself is never
//! constructed. Here a node gets its value as soon as it is complete; a node without a value is recorded
//! (`rejected`), and is an error only if it turns out to be needed.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use super::event::{Event, EventKind, Properties, ScalarStyle, ScalarValue, YamlError};
use super::loader::PyYamlLoader;
use super::parser::Parser;
use super::rejected::Rejected;
use super::resolver::{Scalar, Tag};
use super::scanner::ScannedScalar;
use super::short_tags::long_form;
use super::timestamp::Timestamp;
use crate::{
    Comment, Document, Entry, Limits, MAX_DEPTH, MappingNode, Node, NodeId, NodeKind, NodeStyle,
    RAISE_DEPTH_HELP, SmallSlice, Syntax, TextValue,
};
use source_diagnostics::cancellation::checkpoint;
use source_diagnostics::{Diagnostic, SourceId, Span};

/// Of so many nodes, one is a checkpoint.
const NODES_PER_CHECKPOINT: u32 = 1024;

/// Reads the one document of `text`. The caller ensures that the text is shorter than 4 GiB, which
/// spans can address.
pub(crate) fn read(
    source: SourceId,
    text: &Arc<str>,
    dialect: PyYamlLoader,
    tags: ShortTags,
    limits: &Limits,
) -> Result<Document, Box<Diagnostic>> {
    if dialect == PyYamlLoader::LibYaml
        && tags == ShortTags::Rejected
        && let Some(document) = read_in_one_pass(source, text, limits)
    {
        return Ok(document);
    }
    read_by_events(source, text, dialect, tags, limits)
}

/// The way for every text: scanner, parser, composer.
pub(crate) fn read_by_events(
    source: SourceId,
    text: &Arc<str>,
    dialect: PyYamlLoader,
    tags: ShortTags,
    limits: &Limits,
) -> Result<Document, Box<Diagnostic>> {
    let mut parser = Parser::with_dialect(text, dialect);
    let mut composer = Composer::new(source, text, dialect, limits);
    composer.tags = tags;
    let root = composer.compose(&mut parser)?;
    Ok(composer.document(text, root, parser.into_comments()))
}

/// The same document without tokens and events, for the texts that have nothing unusual.
pub(crate) fn read_in_one_pass(
    source: SourceId,
    text: &Arc<str>,
    limits: &Limits,
) -> Option<Document> {
    let mut composer = Composer::new(source, text, PyYamlLoader::LibYaml, limits);
    let comments = super::one_pass::read(text, &mut composer)?;
    let root = composer.end().ok()?;
    Some(composer.document(text, root, comments))
}

/// How CloudFormation's short tags are handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ShortTags {
    /// As errors, like in Heat.
    Rejected,
    /// As their long forms.
    Expanded,
}

pub(super) type ComposeResult<T> = Result<T, Box<Diagnostic>>;

/// The placeholder for the node of an anchor that is not complete yet.
const INCOMPLETE: NodeId = NodeId(u32::MAX);

/// An anchor `&name` and its node.
struct Anchor {
    span: Span,
    node: NodeId,
}

/// A list or map that is being read.
struct OpenCollection<'t> {
    start: u32,
    property_start: u32,
    is_map: bool,
    is_flow: bool,
    tag: NodeTag<'t>,
    anchor: Option<&'t str>,
    /// Index of its first child in `children`.
    first_child: usize,
}

enum NodeTag<'t> {
    /// None was given, or `!`.
    Implicit,
    Known(Tag),
    Unknown(ScalarValue<'t>),
}

/// The content of a node that PyYAML still uses although its value does not show it: a `!!set` can be
/// merged like a map.
pub(super) enum HiddenContent {
    Map(MappingNode),
    Items(SmallSlice<NodeId>),
}

pub(super) struct Composer<'t> {
    pub(super) source: SourceId,
    pub(super) text: &'t str,
    pub(super) limits: Limits,
    dialect: PyYamlLoader,
    tags: ShortTags,
    /// The keys of long forms that are written as short tags.
    pub(super) short_forms: Vec<NodeId>,
    pub(super) nodes: Vec<Node>,
    open: Vec<OpenCollection<'t>>,
    /// The children of all open collections; keys and values take turns in a map.
    pub(super) children: Vec<NodeId>,
    anchors: HashMap<&'t str, Anchor>,
    /// Aliases of collections that contain them.
    recursive: Vec<(NodeId, &'t str)>,
    has_aliases: bool,
    /// The nodes tagged as `<<` or `=`, in order.
    pub(super) key_tags: Vec<(NodeId, Tag)>,
    pub(super) rejected: HashMap<NodeId, Rejected>,
    /// The pairs of maps whose merge keys lead to a collection that contains them.
    pub(super) recursive_merges: HashMap<NodeId, Vec<Entry>>,
    pub(super) hidden_content: HashMap<NodeId, HiddenContent>,
    /// The extra nodes that deeply nested nodes count for.
    deep_nodes: usize,
    /// The number of pairs that merge keys may still copy.
    pub(super) merge_budget: usize,
    pub(super) findings: Vec<Diagnostic>,
}

impl<'t> Composer<'t> {
    fn new(source: SourceId, text: &'t str, dialect: PyYamlLoader, limits: &Limits) -> Self {
        Composer {
            source,
            text,
            limits: *limits,
            dialect,
            tags: ShortTags::Rejected,
            short_forms: Vec::new(),
            // Templates have a node per 15 to 25 bytes.
            nodes: Vec::with_capacity(text.len() / 16),
            open: Vec::with_capacity(32),
            children: Vec::with_capacity(256),
            anchors: HashMap::new(),
            recursive: Vec::new(),
            has_aliases: false,
            key_tags: Vec::new(),
            rejected: HashMap::new(),
            recursive_merges: HashMap::new(),
            hidden_content: HashMap::new(),
            deep_nodes: 0,
            merge_budget: limits.added_nodes(),
            findings: Vec::new(),
        }
    }

    fn compose(&mut self, parser: &mut Parser<'t>) -> ComposeResult<Option<NodeId>> {
        let mut documents = 0;
        loop {
            // Events are large: moving one costs as much as processing it.
            let mut next = parser.next_event();
            let Event { kind, start, end } = match &mut next {
                Ok(event) => event,
                Err(error) => return Err(self.syntax_error(error)),
            };
            let (start, end) = (*start, *end);
            self.deep_nodes += Limits::nodes_of_depth(self.open.len());
            self.limits.check_nodes(self.nodes.len() + self.deep_nodes, self.source)?;
            match kind {
                EventKind::Scalar { properties, value, style, plain_implicit, .. } => {
                    self.scalar(properties, value, *style, *plain_implicit, start, end)?;
                }
                EventKind::MappingStart { properties, flow } => {
                    self.enter(properties, true, *flow, start)?;
                }
                EventKind::SequenceStart { properties, flow } => {
                    self.enter(properties, false, *flow, start)?;
                }
                EventKind::MappingEnd | EventKind::SequenceEnd => self.leave(end)?,
                EventKind::Alias { name } => self.alias(name, start, end)?,
                EventKind::DocumentStart { .. } => {
                    documents += 1;
                    if documents > 1 {
                        let message =
                            "another document begins here, but a template is a single document";
                        let finding =
                            Diagnostic::new(crate::codes::YAML_MULTIPLE_DOCUMENTS, message);
                        return Err(Box::new(finding.at(self.span(start, end))));
                    }
                }
                EventKind::StreamStart | EventKind::DocumentEnd { .. } => {}
                EventKind::StreamEnd => break,
            }
        }
        self.end()
    }

    /// The root, after everything was read.
    fn end(&mut self) -> ComposeResult<Option<NodeId>> {
        let root = self.children.first().copied();
        if let Some(root) = root {
            self.finish(root)?;
        }
        self.report_short_forms();
        // Findings inside a map precede the map's own: sort them.
        self.findings.sort_by_key(|finding| finding.span().map(|span| span.start));
        Ok(root)
    }

    fn document(self, text: &Arc<str>, root: Option<NodeId>, comments: Vec<Comment>) -> Document {
        let Composer { source, nodes, findings, .. } = self;
        let text = Arc::clone(text);
        Document::assemble(source, text, Syntax::Yaml, nodes, root, comments, findings)
    }

    /// The checks that need every node.
    fn finish(&mut self, root: NodeId) -> ComposeResult<()> {
        for &(alias, name) in &self.recursive {
            let Some(anchor) = self.anchors.get(name) else { continue };
            self.nodes[alias.0 as usize].kind = NodeKind::Alias(anchor.node);
            let message = "the alias is inside the node that it refers to";
            let finding = Diagnostic::new(crate::codes::RECURSIVE_ALIAS, message)
                .at(self.node_span(alias))
                .related(anchor.span, "the node begins here");
            self.findings.push(finding);
        }
        self.merge_waiting(root)?;
        self.check_rejected(root)?;
        if self.has_aliases { self.check_expansion(root) } else { Ok(()) }
    }

    fn scalar(
        &mut self,
        properties: &mut Option<Box<Properties<'t>>>,
        value: &mut ScalarValue<'t>,
        style: ScalarStyle,
        plain_implicit: bool,
        start: u32,
        end: u32,
    ) -> ComposeResult<()> {
        let NodeMarks { start: property_start, anchor, tag } = NodeMarks::take(properties, start);
        if let Some(key) = self.long_form(&tag) {
            let text = match self.part_of_text(value) {
                Some((from, to)) => TextValue::Source(from, to),
                None => TextValue::Owned(std::mem::take(value).into()),
            };
            if let Some(name) = anchor {
                self.define(name, start, end)?;
            }
            let style = style_of(style);
            let kind = NodeKind::Text(text);
            let inner = self.push(None, || Node { start, end, property_start, style, kind });
            let map = self.expand_short_tag(key, inner);
            self.mark(anchor, map);
            return Ok(());
        }
        let tag = match tag {
            NodeTag::Implicit if plain_implicit => NodeTag::Known(Tag::implicit(value)),
            NodeTag::Implicit => NodeTag::Known(Tag::Str),
            tag => tag,
        };
        let style = style_of(style);
        if let Some(name) = anchor {
            self.define(name, start, end)?;
        }
        // By far the most common case: a separate path builds the node in place.
        if let (NodeTag::Known(Tag::Str), Some((from, to))) = (&tag, self.part_of_text(value)) {
            self.push(anchor, || {
                let kind = NodeKind::Text(TextValue::Source(from, to));
                Node { start, end, property_start, style, kind }
            });
            return Ok(());
        }
        let scalar = match &tag {
            NodeTag::Known(tag) => tag.construct(value),
            NodeTag::Unknown(_) => Err(unknown_tag()),
            NodeTag::Implicit => Ok(Scalar::Text),
        };
        let scalar = match scalar {
            Ok(Scalar::Timestamp) if self.makes_dates() && !is_date(value) => {
                Err("this date does not exist".into())
            }
            scalar => scalar,
        };
        let text = match self.part_of_text(value) {
            Some((from, to)) => TextValue::Source(from, to),
            None => TextValue::Owned(std::mem::take(value).into()),
        };
        let (kind, problem) = match scalar {
            Ok(scalar) => (self.scalar_kind(scalar, text), None),
            Err(problem) => (NodeKind::Text(text), Some(problem)),
        };
        let id = self.push(anchor, || Node { start, end, property_start, style, kind });
        if let Some(problem) = problem {
            self.reject(id, problem);
        }
        if let NodeTag::Known(tag) = tag {
            self.note_key_tag(id, tag);
        }
        Ok(())
    }

    /// A scalar without properties.
    pub(super) fn untagged_scalar(&mut self, scalar: ScannedScalar<'t>) -> ComposeResult<()> {
        let ScannedScalar { style, start, end, mut value } = scalar;
        let is_plain = style == ScalarStyle::Plain;
        // Most nodes of a template are such texts.
        if let Cow::Borrowed(part) = value
            && is_plain
            && part.len() == end - start
            && Tag::implicit(part) == Tag::Str
        {
            let (start, end) = (start as u32, end as u32);
            let kind = NodeKind::Text(TextValue::Source(start, end));
            let style = NodeStyle::Plain;
            self.push(None, || Node { start, end, property_start: start, style, kind });
            return Ok(());
        }
        self.scalar(&mut None, &mut value, style, is_plain, start as u32, end as u32)
    }

    /// A list or map without properties, whose children begin at `first_child`.
    pub(super) fn collection(
        &mut self,
        start: u32,
        end: u32,
        first_child: usize,
        is_map: bool,
        is_flow: bool,
    ) -> ComposeResult<()> {
        let node = self.collection_node(start, start, end, first_child, is_flow);
        let id = NodeId(self.nodes.len() as u32);
        let kind = if is_map {
            let pairs = self.pairs_from(first_child);
            self.map(id, pairs)?
        } else {
            NodeKind::Sequence(self.children[first_child..].into())
        };
        self.children.truncate(first_child);
        self.push(None, || Node { kind, ..node });
        Ok(())
    }

    /// The node of a list or map, still without its children.
    fn collection_node(
        &self,
        start: u32,
        property_start: u32,
        end: u32,
        first_child: usize,
        is_flow: bool,
    ) -> Node {
        let end = match self.children[first_child..].last() {
            // libyaml lets a block end where the next token begins.
            Some(last) if !is_flow => self.nodes[last.0 as usize].end,
            _ => end,
        };
        let style = if is_flow { NodeStyle::Flow } else { NodeStyle::Block };
        Node { start, end, property_start, style, kind: NodeKind::Null }
    }

    fn pairs_from(&self, first_child: usize) -> SmallSlice<Entry> {
        let pairs = self.children[first_child..].chunks_exact(2);
        pairs.map(|pair| Entry { key: pair[0], value: pair[1] }).collect()
    }

    fn enter(
        &mut self,
        properties: &mut Option<Box<Properties<'t>>>,
        is_map: bool,
        is_flow: bool,
        start: u32,
    ) -> ComposeResult<()> {
        let limit = self.limits.depth.min(MAX_DEPTH);
        if self.open.len() >= limit {
            let message = format!("lists and maps are nested more than {limit} levels deep");
            let finding =
                Diagnostic::new(crate::codes::NESTING_TOO_DEEP, message).help(RAISE_DEPTH_HELP);
            return Err(Box::new(finding.at(self.span(start, start))));
        }
        let NodeMarks { start: property_start, anchor, tag } = NodeMarks::take(properties, start);
        if let Some(name) = anchor {
            self.define(name, start, start)?;
        }
        self.open.push(OpenCollection {
            start,
            property_start,
            is_map,
            is_flow,
            tag,
            anchor,
            first_child: self.children.len(),
        });
        Ok(())
    }

    /// Completes the innermost collection.
    fn leave(&mut self, end: u32) -> ComposeResult<()> {
        let Some(open) = self.open.pop() else { return Ok(()) };
        let OpenCollection { start, property_start, is_flow, first_child, .. } = open;
        let node = self.collection_node(start, property_start, end, first_child, is_flow);
        let long = self.long_form(&open.tag);
        // The node's id is needed before its value is known, to record what is wrong with it.
        let id = NodeId(self.nodes.len() as u32);
        let kind = if open.is_map {
            let pairs = self.pairs_from(first_child);
            match open.tag {
                NodeTag::Implicit | NodeTag::Known(Tag::Map) => self.map(id, pairs)?,
                NodeTag::Known(tag) => self.tagged_map(id, tag, pairs)?,
                NodeTag::Unknown(_) if long.is_some() => self.map(id, pairs)?,
                NodeTag::Unknown(_) => {
                    self.reject(id, unknown_tag());
                    self.map(id, pairs)?
                }
            }
        } else {
            let items: SmallSlice<NodeId> = self.children[open.first_child..].into();
            match open.tag {
                NodeTag::Implicit | NodeTag::Known(Tag::Seq) => NodeKind::Sequence(items),
                NodeTag::Known(tag) => self.tagged_list(id, tag, items),
                NodeTag::Unknown(_) if long.is_some() => NodeKind::Sequence(items),
                NodeTag::Unknown(_) => {
                    self.reject(id, unknown_tag());
                    NodeKind::Sequence(items)
                }
            }
        };
        self.children.truncate(open.first_child);
        if let Some(key) = long {
            let inner = self.push(None, || Node { kind, ..node });
            let map = self.expand_short_tag(key, inner);
            self.mark(open.anchor, map);
            return Ok(());
        }
        self.push(open.anchor, || Node { kind, ..node });
        if let NodeTag::Known(tag) = open.tag {
            self.note_key_tag(id, tag);
        }
        Ok(())
    }

    fn alias(&mut self, name: &'t str, start: u32, end: u32) -> ComposeResult<()> {
        let Some(target) = self.anchors.get(name).map(|anchor| anchor.node) else {
            // A password without quotes may look like an alias, so no message quotes it.
            let message = "the alias refers to an anchor that is not defined before it".to_owned();
            return Err(self.value_error(message, start, end));
        };
        self.has_aliases = true;
        let kind = NodeKind::Alias(target);
        let property_start = start;
        let style = NodeStyle::Plain;
        let id = self.push(None, || Node { start, end, property_start, style, kind });
        if target == INCOMPLETE {
            self.recursive.push((id, name));
        }
        Ok(())
    }

    /// An anchor, whose node follows.
    fn define(&mut self, name: &'t str, start: u32, end: u32) -> ComposeResult<()> {
        let span = self.span(start, end);
        let anchor = Anchor { span, node: INCOMPLETE };
        match self.anchors.insert(name, anchor) {
            None => Ok(()),
            Some(first) => {
                let message = "duplicate anchor";
                let finding = Diagnostic::new(crate::codes::YAML_VALUE, message)
                    .at(span)
                    .related(first.span, "the anchor is defined here first");
                Err(Box::new(finding))
            }
        }
    }

    /// Adds a complete node to the arena and to its parent. The node is built in place once the slot is
    /// there: moving it would take as long as everything else that is done with it.
    #[inline(always)]
    fn push(&mut self, anchor: Option<&'t str>, node: impl FnOnce() -> Node) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        if id.0.is_multiple_of(NODES_PER_CHECKPOINT) {
            checkpoint();
        }
        self.nodes.extend(std::iter::once_with(node));
        self.children.push(id);
        self.mark(anchor, id);
        id
    }

    /// Binds an anchor to a node.
    #[inline(always)]
    fn mark(&mut self, anchor: Option<&'t str>, id: NodeId) {
        if let Some(anchor) = anchor.and_then(|name| self.anchors.get_mut(name)) {
            anchor.node = id;
        }
    }

    /// The key of the long form of a short tag, if short tags are allowed.
    fn long_form(&self, tag: &NodeTag<'_>) -> Option<&'static str> {
        match tag {
            NodeTag::Unknown(tag) if self.tags == ShortTags::Expanded => long_form(tag),
            _ => None,
        }
    }

    /// The value of a scalar whose text is `text`.
    pub(super) fn scalar_kind(&self, scalar: Scalar, text: TextValue) -> NodeKind {
        match scalar {
            Scalar::Text => NodeKind::Text(text),
            Scalar::Null => NodeKind::Null,
            Scalar::Bool(value) => NodeKind::Bool(value),
            Scalar::Int(value) => NodeKind::Int(value),
            Scalar::Float(value) => NodeKind::Float(value),
            Scalar::Bytes(value) => NodeKind::Bytes(value),
            Scalar::Timestamp if self.makes_dates() => NodeKind::Date(text),
            Scalar::Timestamp => NodeKind::Text(text),
        }
    }

    /// Heat's default loader reads dates as text, the fallback loader does not.
    fn makes_dates(&self) -> bool {
        match self.dialect {
            PyYamlLoader::LibYaml => false,
            PyYamlLoader::PurePython => true,
        }
    }

    fn note_key_tag(&mut self, id: NodeId, tag: Tag) {
        if matches!(tag, Tag::Merge | Tag::Value) {
            self.key_tags.push((id, tag));
        }
    }

    /// The byte range of a value in the text, if it is a slice of it.
    fn part_of_text(&self, value: &ScalarValue<'t>) -> Option<(u32, u32)> {
        let ScalarValue::Borrowed(part) = value else { return None };
        // A borrowed value is a part of this text or a constant.
        let start = (part.as_ptr() as usize).wrapping_sub(self.text.as_ptr() as usize);
        let end = start.checked_add(part.len()).filter(|end| *end <= self.text.len())?;
        Some((start as u32, end as u32))
    }

    /// The node that `id` refers to: aliases are followed, if their node is complete.
    pub(super) fn resolve(&self, id: NodeId) -> NodeId {
        match self.nodes[id.0 as usize].kind {
            NodeKind::Alias(target) if target != INCOMPLETE => target,
            _ => id,
        }
    }

    /// The tag `<<` or `=` of a node that has one.
    pub(super) fn key_tag(&self, id: NodeId) -> Option<Tag> {
        if self.key_tags.is_empty() {
            return None;
        }
        let id = self.resolve(id);
        let at = self.key_tags.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        Some(self.key_tags[at].1)
    }

    pub(super) fn span(&self, start: u32, end: u32) -> Span {
        Span::new(self.source, start, end.max(start))
    }

    pub(super) fn node_span(&self, id: NodeId) -> Span {
        let node = &self.nodes[id.0 as usize];
        self.span(node.start, node.end)
    }

    fn value_error(&self, message: String, start: u32, end: u32) -> Box<Diagnostic> {
        Box::new(Diagnostic::new(crate::codes::YAML_VALUE, message).at(self.span(start, end)))
    }

    fn syntax_error(&self, error: &YamlError) -> Box<Diagnostic> {
        let rest = self.text.get(error.offset as usize..).unwrap_or_default();
        let length = rest.chars().next().map_or(0, char::len_utf8) as u32;
        let place = self.span(error.offset, error.offset + length);
        let finding = Diagnostic::new(crate::codes::YAML_SYNTAX, error.problem.clone());
        if let Some(cause) = super::mistakes::cause(self.text, error) {
            let at = self.span(cause.start, cause.end);
            let heat_message = Some(finding.message.as_str().into());
            let message = cause.message.to_owned();
            let finding = Diagnostic { message, heat_message, ..finding };
            let finding = finding.at(at).help(cause.help).related(place, "the parser stops here");
            return Box::new(finding);
        }
        let finding = finding.at(place);
        Box::new(match &error.context {
            Some((context, at)) => finding.related(self.span(*at, *at), context.clone()),
            None => finding,
        })
    }
}

/// The properties of a node that begins at a place, or the lack of them.
struct NodeMarks<'t> {
    start: u32,
    anchor: Option<&'t str>,
    tag: NodeTag<'t>,
}

impl<'t> NodeMarks<'t> {
    #[inline(always)]
    fn take(properties: &mut Option<Box<Properties<'t>>>, start: u32) -> Self {
        match properties.take() {
            None => NodeMarks { start, anchor: None, tag: NodeTag::Implicit },
            Some(properties) => NodeMarks {
                start: properties.start,
                anchor: properties.anchor,
                tag: properties.tag.map_or(NodeTag::Implicit, tag_of),
            },
        }
    }
}

fn tag_of(tag: ScalarValue<'_>) -> NodeTag<'_> {
    match Tag::explicit(&tag) {
        _ if tag == "!" => NodeTag::Implicit,
        Some(tag) => NodeTag::Known(tag),
        None => NodeTag::Unknown(tag),
    }
}

fn style_of(style: ScalarStyle) -> NodeStyle {
    match style {
        ScalarStyle::Plain => NodeStyle::Plain,
        ScalarStyle::SingleQuoted => NodeStyle::SingleQuoted,
        ScalarStyle::DoubleQuoted => NodeStyle::DoubleQuoted,
        ScalarStyle::Literal => NodeStyle::Literal,
        ScalarStyle::Folded => NodeStyle::Folded,
    }
}

fn is_date(text: &str) -> bool {
    Timestamp::parse(text.as_bytes()).is_some_and(|timestamp| timestamp.exists())
}

fn unknown_tag() -> super::resolver::Problem {
    "Heat's loader does not know this tag".into()
}
