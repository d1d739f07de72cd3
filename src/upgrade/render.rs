//! Rewrites to text: which bytes change, and into what.
//!
//! Changes nest: a rewritten expression takes over parts of the text that are rewritten
//! themselves. The outermost change of a place is an edit of the document; the changes inside it
//! are made while its fragment is rendered.

mod pairs;

use std::collections::{HashMap, HashSet};

use super::comments::{Attached, attach, following};
use super::fragment::Fragment;
use super::layout::Layout;
use super::rule::Change;
use crate::diagnostics::Span;
use crate::source::yaml::writer;
use crate::source::{Document, Edits, NodeId, NodeKind, Style, Syntax, Value, json_writer};

/// What a change does to the bytes.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    /// The bytes that it replaces.
    pub(super) span: Span,
    action: Action,
}

#[derive(Clone, Debug)]
enum Action {
    Text(String),
    /// A node is replaced; `pulled` to the line of the key before it.
    Node {
        node: NodeId,
        pulled: bool,
    },
}

/// Where a fragment is written.
#[derive(Clone, Copy, Debug)]
enum At {
    /// Inside brackets.
    Flow { indent: usize },
    /// Where a block collection may begin at `column`; scalars belong to the collection whose
    /// indentation is `parent`.
    Block { column: usize, parent: usize },
}

struct Emitted {
    text: String,
    /// A block collection, which begins at a column of its own.
    block: bool,
}

impl Emitted {
    fn inline(text: String) -> Self {
        Emitted { text, block: false }
    }
}

/// Renders the changes of one document.
pub(super) struct Renderer<'d> {
    document: &'d Document,
    layout: Layout<'d>,
    /// What stands in place of a node.
    replaced: HashMap<NodeId, &'d Fragment>,
    placed: Vec<Placed>,
    /// Where new parameters are declared, and how.
    declared: Option<(Span, String)>,
    comments: HashMap<NodeId, Attached>,
    /// The comment on the last line of a replaced node, where it goes with a part that moves up.
    followed: HashMap<NodeId, Span>,
    /// Comments of a replaced node that no part takes.
    orphans: HashMap<NodeId, Vec<Span>>,
    /// The ends of parts behind which a comment will stand that is not theirs.
    commented: HashSet<u32>,
    eol: &'static str,
}

impl<'d> Renderer<'d> {
    /// Places `changes` in the document.
    pub(super) fn new(document: &'d Document, changes: impl Iterator<Item = &'d Change>) -> Self {
        let mut renderer = Renderer {
            document,
            layout: Layout::new(document),
            replaced: HashMap::new(),
            placed: Vec::new(),
            declared: None,
            comments: HashMap::new(),
            followed: HashMap::new(),
            orphans: HashMap::new(),
            commented: HashSet::new(),
            eol: document.line_ending().as_str(),
        };
        let changes: Vec<&Change> = changes.collect();
        for change in &changes {
            if let Change::Node { node, with } = change {
                renderer.replaced.insert(*node, with);
                let (attached, mut orphans) = attach(document, *node, &with.nodes());
                if renderer.tagged(*node) {
                    // The tag goes, and what stands behind it stays.
                    let written = document.written(*node);
                    let between = document.comments().iter().filter(|comment| {
                        written.property_start <= comment.start && comment.end <= written.start
                    });
                    let between = between
                        .map(|comment| Span::new(document.source(), comment.start, comment.end));
                    orphans.splice(0..0, between);
                }
                renderer.comments.extend(attached);
                renderer.orphans.insert(*node, orphans);
            }
        }
        for change in &changes {
            if let Change::Node { node, with } = change
                && let Some(comment) = following(document, *node)
                && !renderer.take_following(*node, with, comment)
            {
                renderer.make_room(with);
            }
        }
        let mut parameters = Vec::new();
        for change in changes {
            match change {
                Change::Parameter { name, default } => parameters.push((name, default)),
                _ => {
                    let placed = renderer.place(change);
                    renderer.placed.extend(placed);
                }
            }
        }
        if !parameters.is_empty() {
            renderer.declared = renderer.new_parameters(&parameters);
            let declared = renderer.declared.clone();
            renderer
                .placed
                .extend(declared.map(|(span, text)| Placed { span, action: Action::Text(text) }));
        }
        renderer
            .placed
            .sort_by_key(|placed| (placed.span.start, std::cmp::Reverse(placed.span.end)));
        renderer
    }

    /// The comment that ends the last line of a block goes with the part that it stands behind,
    /// where that part is the last no more. Tells whether it does.
    fn take_following(&mut self, node: NodeId, with: &Fragment, comment: Span) -> bool {
        let document = self.document;
        let whole = document.span(node);
        let inner = self.replaced.keys().any(|other| {
            let other = document.span(*other);
            other != whole && other.contains(whole)
        });
        if inner || document.written(node).style != Style::Block || !self.is_block(with) {
            return false;
        }
        let parts = with.nodes();
        let inside = parts.iter().filter(|part| whole.contains(document.span(**part)));
        let Some(part) = inside.max_by_key(|part| document.span(**part).end).copied() else {
            return false;
        };
        if with.last() == Some(part) {
            return false;
        }
        self.comments.entry(part).or_default().trailing.push(comment);
        self.followed.insert(node, comment);
        true
    }

    /// A comment follows on the last line of what stands in place of a node, so that no part may end
    /// that line with a comment of its own, however deep it is rewritten itself.
    fn make_room(&mut self, with: &Fragment) {
        let document = self.document;
        let mut last = with.last();
        while let Some(part) = last {
            if let Some(attached) = self.comments.get_mut(&part) {
                attached.last = true;
            }
            // A part that stays may itself end with something that is rewritten.
            let whole = document.span(part);
            self.commented.insert(whole.end);
            let ends = |node: &&NodeId| {
                let span = document.span(**node);
                whole.contains(span) && span.end == whole.end
            };
            let at_its_end = self.replaced.keys().filter(ends);
            let outermost = at_its_end.min_by_key(|node| document.span(**node).start);
            last = outermost.and_then(|node| self.replaced[node].last());
        }
    }

    /// The bytes that a change replaces.
    pub(super) fn span_of(&self, change: &Change) -> Option<Span> {
        self.place(change).map(|placed| placed.span)
    }

    /// The declarations of new parameters: the bytes that they replace, and their text.
    pub(super) fn declared(&self) -> Option<(Span, &str)> {
        self.declared.as_ref().map(|(span, text)| (*span, text.as_str()))
    }

    /// The text of `span` after the changes inside it.
    pub(super) fn after(&self, span: Span) -> String {
        self.range(span.start, span.end)
    }

    /// The edits of the document that all changes make together.
    pub(super) fn edits(&self) -> Edits {
        let mut edits = Edits::new();
        let mut done = 0;
        for placed in &self.placed {
            // What lies inside an earlier change was made while that was rendered.
            if placed.span.start < done {
                continue;
            }
            edits.replace(placed.span, self.text_of(placed));
            done = placed.span.end;
        }
        edits
    }

    fn place(&self, change: &Change) -> Option<Placed> {
        match change {
            Change::Scalar { node, text } => {
                if let Some(span) = self.word_of_block(*node) {
                    return Some(Placed { span, action: Action::Text(text.clone()) });
                }
                let span = self.document.span(*node);
                Some(Placed { span, action: Action::Text(self.requoted(*node, text)) })
            }
            Change::Node { node, with } => {
                let mut span = self.document.span(*node);
                // A tag says what the old value was; an anchor stays.
                if self.tagged(*node) {
                    let start = self.document.written(*node).property_start;
                    let before = &self.document.text()[..start as usize];
                    span.start = before.trim_end_matches(' ').len() as u32;
                }
                let pulled = self.pull_start(*node, with);
                if let Some(start) = pulled {
                    span.start = start;
                }
                if let Some(comment) = self.followed.get(node) {
                    span.end = comment.end;
                }
                let pulled = pulled.is_some();
                Some(Placed { span, action: Action::Node { node: *node, pulled } })
            }
            Change::Delete { map, entry } => Some(self.deletion(*map, *entry)),
            Change::Parameter { .. } => None,
        }
    }

    fn text_of(&self, placed: &Placed) -> String {
        match &placed.action {
            Action::Text(text) => text.clone(),
            Action::Node { node, pulled } => {
                let emitted = self.replacement(*node);
                if *pulled {
                    format!(" {}", emitted.text)
                } else if self.tagged(*node) {
                    self.untagged(*node, placed, &emitted)
                } else {
                    emitted.text
                }
            }
        }
    }

    /// A replacement with what stays of the properties of a tagged node: its anchor.
    fn untagged(&self, node: NodeId, placed: &Placed, emitted: &Emitted) -> String {
        let mut text = String::new();
        let gap = placed.span.start < self.document.written(node).property_start;
        let anchor = self.anchor(node);
        if !anchor.is_empty() {
            text.push_str(if gap { " " } else { "" });
            text.push_str(anchor);
        }
        if emitted.block {
            self.line(&mut text, self.layout.column(node));
        } else if gap || !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&emitted.text);
        text
    }

    /// The text of a range after the changes that lie wholly inside it.
    fn range(&self, start: u32, end: u32) -> String {
        let text = self.document.text();
        let mut result = String::with_capacity((end - start) as usize);
        let mut done = start;
        let first = self.placed.partition_point(|placed| placed.span.start < start);
        for placed in &self.placed[first..] {
            if placed.span.start >= end {
                break;
            }
            // A line that goes may take a line end with it that is not of this range.
            let beyond = text.get(end as usize..placed.span.end as usize).unwrap_or_default();
            if placed.span.start < done || !beyond.trim().is_empty() {
                continue;
            }
            result.push_str(&text[done as usize..placed.span.start as usize]);
            result.push_str(&self.text_of(placed));
            done = placed.span.end.min(end);
        }
        result.push_str(&text[done as usize..end as usize]);
        result
    }

    fn properties(&self, node: NodeId) -> &'d str {
        let written = self.document.written(node);
        &self.document.text()[written.property_start as usize..written.start as usize]
    }

    fn tagged(&self, node: NodeId) -> bool {
        self.properties(node).split_whitespace().any(|property| property.starts_with('!'))
    }

    fn anchor(&self, node: NodeId) -> &'d str {
        let mut properties = self.properties(node).split_whitespace();
        properties.find(|property| property.starts_with('&')).unwrap_or("")
    }

    /// The one word of a block scalar; its header, with a comment perhaps, and its line end stay.
    fn word_of_block(&self, node: NodeId) -> Option<Span> {
        if !matches!(self.document.written(node).style, Style::Literal | Style::Folded) {
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

    /// Whether a node is the pair of a flow list that has no braces of its own: `[get_param: x]`.
    fn bare_pair(&self, node: NodeId) -> bool {
        let written = self.document.written(node);
        matches!(written.kind, NodeKind::Mapping(_))
            && written.style == Style::Flow
            && !self.document.slice(self.document.span(node)).starts_with('{')
    }

    /// A scalar's new text in the quotes of the old one.
    fn requoted(&self, node: NodeId, text: &str) -> String {
        match self.document.written(node).style {
            Style::SingleQuoted => format!("'{}'", text.replace('\'', "''")),
            // What JSON writes in double quotes, YAML reads.
            Style::DoubleQuoted => {
                json_writer::compact(&Value::Text(text.to_owned())).unwrap_or_default()
            }
            // Names of functions and versions: whatever may stand without quotes here may stay so.
            Style::Plain => text.to_owned(),
            Style::Literal | Style::Folded | Style::Block | Style::Flow => {
                self.scalar(&Value::Text(text.to_owned()))
            }
        }
    }

    /// A value that a rule makes. A value that cannot be written leaves nothing, which the proof
    /// does not let through.
    fn scalar(&self, value: &Value) -> String {
        match self.document.syntax() {
            Syntax::Json => json_writer::compact(value),
            Syntax::Yaml => writer::flow(value),
        }
        .unwrap_or_default()
    }

    /// Where the replacement of a block map begins if it can move up to its key's line.
    fn pull_start(&self, node: NodeId, with: &Fragment) -> Option<u32> {
        let written = self.document.written(node);
        let commented = self.comments.values().any(|attached| !attached.is_empty())
            && with
                .nodes()
                .iter()
                .any(|node| self.comments.get(node).is_some_and(|attached| !attached.is_empty()));
        let orphaned = self.orphans.get(&node).is_some_and(|orphans| !orphans.is_empty());
        if written.style != Style::Block
            || written.property_start != written.start
            || commented
            || orphaned
            || self.is_block(with)
        {
            return None;
        }
        let before = &self.document.text()[..written.start as usize];
        let trimmed = before.trim_end_matches([' ', '\t', '\r', '\n']);
        let gap = &before[trimmed.len()..];
        (trimmed.ends_with(':') && gap.contains(['\n', '\r'])).then_some(trimmed.len() as u32)
    }

    /// Whether a fragment is written as a block collection where it may be.
    fn is_block(&self, fragment: &Fragment) -> bool {
        match fragment {
            Fragment::Literal(_) => false,
            Fragment::Node(node) => match self.replaced.get(node) {
                Some(with) if self.document.written(*node).style == Style::Block => {
                    self.is_block(with)
                }
                _ => self.document.written(*node).style == Style::Block,
            },
            // A block without items would be nothing.
            Fragment::List { items, .. } if items.is_empty() => false,
            Fragment::Map { like, .. } | Fragment::List { like, .. } => {
                self.document.written(*like).style == Style::Block || !self.fits_flow(fragment)
            }
        }
    }

    /// Whether a fragment can stand in brackets, on one line as far as it is new.
    fn fits_flow(&self, fragment: &Fragment) -> bool {
        let bare =
            |node: &NodeId| self.comments.get(node).is_none_or(|attached| attached.is_empty());
        match fragment {
            Fragment::Literal(_) => true,
            Fragment::Node(node) => {
                let fits = match (self.document.written(*node).style, self.replaced.get(node)) {
                    (Style::Literal | Style::Folded, _) => false,
                    (Style::Block, Some(with)) => !self.is_block(with),
                    (Style::Block, None) => false,
                    _ => true,
                };
                fits && bare(node)
            }
            Fragment::Map { pairs, .. } => pairs.iter().all(|(_, value)| self.fits_flow(value)),
            Fragment::List { items, .. } => items.iter().all(|item| self.fits_flow(item)),
        }
    }

    /// What stands in place of a replaced node, written at the node's own place.
    fn replacement(&self, node: NodeId) -> Emitted {
        let Some(with) = self.replaced.get(&node) else {
            let span = self.document.span(node);
            return Emitted::inline(self.range(span.start, span.end));
        };
        let parent = self.layout.parent_indent(node);
        let at = match self.document.written(node).style {
            Style::Block => At::Block { column: self.layout.column(node), parent },
            _ => At::Flow { indent: parent + 2 },
        };
        // Every trailing comment goes before its part where another comment ends the last line.
        let mut emitted = self.fragment(with, at);
        let mut leading: Vec<Span> = self.orphans.get(&node).cloned().unwrap_or_default();
        if let Fragment::Node(part) = with
            && let Some(attached) = self.comments.get(part)
        {
            leading.extend(attached.all());
        }
        if !leading.is_empty() {
            let indent = match at {
                At::Block { column, .. } => column,
                At::Flow { indent } => indent,
            };
            let mut text = String::new();
            for comment in leading {
                text.push_str(self.document.slice(comment));
                self.line(&mut text, indent);
            }
            text.push_str(&emitted.text);
            emitted.text = text;
        }
        // A block scalar brings its line end with it; nothing else does.
        let old = self.document.slice(self.document.span(node));
        let ended = |text: &str| text.ends_with(['\n', '\r']);
        if ended(old) && !ended(&emitted.text) {
            emitted.text.push_str(self.eol);
        } else if !ended(old) && ended(&emitted.text) && !self.commented_behind(node) {
            let kept = emitted.text.trim_end_matches(['\n', '\r']).len();
            emitted.text.truncate(kept);
        }
        emitted
    }

    /// Whether a comment follows a node on its last line.
    fn commented_behind(&self, node: NodeId) -> bool {
        let text = self.document.text();
        let end = self.document.written(node).end;
        text[end as usize..pairs::line_end(text, end) as usize].trim_start().starts_with('#')
    }

    fn line(&self, text: &mut String, indent: usize) {
        if !text.ends_with(['\n', '\r']) {
            text.push_str(self.eol);
        }
        text.extend(std::iter::repeat_n(' ', indent));
    }

    fn fragment(&self, fragment: &Fragment, at: At) -> Emitted {
        match fragment {
            Fragment::Literal(value) => Emitted::inline(self.scalar(value)),
            Fragment::Node(node) => self.part(*node, at),
            Fragment::Map { pairs, like } => {
                let parts: Vec<(Option<String>, &Fragment)> =
                    pairs.iter().map(|(key, value)| (Some(self.key(key, *like)), value)).collect();
                self.collection(fragment, &parts, *like, at, ['{', '}'])
            }
            Fragment::List { items, like } => {
                let parts: Vec<_> = items.iter().map(|item| (None, item)).collect();
                self.collection(fragment, &parts, *like, at, ['[', ']'])
            }
        }
    }

    fn collection(
        &self,
        whole: &Fragment,
        parts: &[(Option<String>, &Fragment)],
        like: NodeId,
        at: At,
        brackets: [char; 2],
    ) -> Emitted {
        match at {
            At::Flow { indent } => {
                Emitted::inline(self.flow_collection(parts, like, indent, brackets))
            }
            At::Block { parent, .. } if !self.is_block(whole) => {
                Emitted::inline(self.flow_collection(parts, like, parent + 2, brackets))
            }
            At::Block { column, .. } => self.block_collection(parts, column),
        }
    }

    fn flow_collection(
        &self,
        parts: &[(Option<String>, &Fragment)],
        like: NodeId,
        indent: usize,
        brackets: [char; 2],
    ) -> String {
        let padded = {
            let node = self.document.written(like);
            let slice = self.document.slice(self.document.span(like));
            node.style == Style::Flow
                && slice.starts_with(brackets[0])
                && slice[1..].starts_with(' ')
        };
        let pad = if padded { " " } else { "" };
        let mut text = String::from(brackets[0]);
        text.push_str(pad);
        for (at, (key, part)) in parts.iter().enumerate() {
            if at > 0 && !text.ends_with(' ') {
                text.push(' ');
            }
            let attached = match part {
                Fragment::Node(node) => self.comments.get(node),
                _ => None,
            };
            for comment in attached.iter().flat_map(|attached| &attached.leading) {
                text.push_str(self.document.slice(*comment));
                self.line(&mut text, indent);
            }
            if let Some(key) = key {
                text.push_str(key);
                text.push_str(": ");
            }
            text.push_str(&self.fragment(part, At::Flow { indent }).text);
            if at + 1 < parts.len() {
                text.push(',');
            }
            for comment in attached.iter().flat_map(|attached| &attached.trailing) {
                text.push(' ');
                text.push_str(self.document.slice(*comment));
                self.line(&mut text, indent);
            }
        }
        text.push_str(pad);
        text.push(brackets[1]);
        text
    }

    fn block_collection(&self, parts: &[(Option<String>, &Fragment)], column: usize) -> Emitted {
        let mut text = String::new();
        for (at, (key, part)) in parts.iter().enumerate() {
            if at > 0 {
                self.line(&mut text, column);
            }
            let child_column = match key {
                Some(_) => column + self.child_offset(part),
                None => column + 2,
            };
            let value = self.fragment(part, At::Block { column: child_column, parent: column });
            let attached = match part {
                Fragment::Node(node) => self.comments.get(node),
                _ => None,
            };
            let mut trailing = Vec::new();
            if let Some(attached) = attached.filter(|attached| !attached.is_empty()) {
                // Behind a block scalar nothing can be said, and behind the last part something is.
                let open = match part {
                    Fragment::Node(node) => !self.holds_block_scalar(*node),
                    _ => !value.text.contains(['\n', '\r']),
                };
                let taken = attached.last && at + 1 == parts.len();
                let mut leading = attached.leading.clone();
                if open && attached.trailing.len() <= 1 && !taken {
                    trailing.clone_from(&attached.trailing);
                } else {
                    leading.extend(&attached.trailing);
                }
                for comment in leading {
                    text.push_str(self.document.slice(comment));
                    self.line(&mut text, column);
                }
            }
            match key {
                Some(key) => {
                    text.push_str(key);
                    text.push(':');
                    if value.block {
                        self.line(&mut text, child_column);
                    } else {
                        text.push(' ');
                    }
                }
                None => text.push_str("- "),
            }
            text.push_str(&value.text);
            for comment in trailing {
                text.push_str("  ");
                text.push_str(self.document.slice(comment));
            }
        }
        Emitted { text, block: true }
    }

    /// Whether a block scalar is anywhere in a node.
    fn holds_block_scalar(&self, node: NodeId) -> bool {
        let document = self.document;
        let span = document.span(node);
        document.nodes().iter().any(|node| {
            matches!(node.style, Style::Literal | Style::Folded)
                && span.start <= node.start
                && node.end <= span.end
        })
    }

    /// How far a block collection under a key is indented against the key.
    fn child_offset(&self, part: &Fragment) -> usize {
        let (node, sequence) = match part {
            Fragment::Literal(_) => return 2,
            Fragment::Node(node) => {
                let sequence = matches!(self.document.kind(*node), NodeKind::Sequence(_))
                    && !self.replaced.contains_key(node);
                (*node, sequence)
            }
            Fragment::Map { like, .. } => (*like, false),
            Fragment::List { like, .. } => (*like, true),
        };
        if self.document.written(node).style != Style::Block {
            return 2;
        }
        let offset = self.layout.column(node).saturating_sub(self.layout.parent_indent(node));
        offset.max(usize::from(!sequence) * 2)
    }

    /// A key in the quotes that the node it is made after uses.
    fn key(&self, key: &str, like: NodeId) -> String {
        let style = match &self.document.written(like).kind {
            NodeKind::Mapping(mapping) => {
                mapping.written().first().map(|entry| self.document.written(entry.key).style)
            }
            _ => None,
        };
        match (self.document.syntax(), style) {
            (Syntax::Json, _) | (_, Some(Style::DoubleQuoted)) => format!("\"{key}\""),
            (_, Some(Style::SingleQuoted)) => format!("'{key}'"),
            _ => key.to_owned(),
        }
    }

    /// A part of the old text at a new place.
    fn part(&self, node: NodeId, at: At) -> Emitted {
        let document = self.document;
        let written = document.written(node);
        let rewritten = self.replaced.contains_key(&node);
        let emitted = if rewritten {
            self.replacement(node)
        } else {
            let text = self.range(written.start, written.end);
            let text = if self.bare_pair(node) { format!("{{{text}}}") } else { text };
            Emitted { text, block: written.style == Style::Block }
        };
        let properties = match (rewritten, self.anchor(node)) {
            (false, _) => self.properties(node).to_owned(),
            (true, "") => String::new(),
            (true, anchor) if emitted.block => {
                let mut anchor = anchor.to_owned();
                self.line(&mut anchor, self.layout.column(node));
                anchor
            }
            (true, anchor) => format!("{anchor} "),
        };
        let (column, parent) = match at {
            At::Flow { indent } => {
                if written.style == Style::Plain
                    && !rewritten
                    && let Some(text) = document.str(node)
                    && !matches!(written.kind, NodeKind::Alias(_))
                    && text.contains([',', '[', ']', '{', '}', '\n', '\r'])
                {
                    return Emitted::inline(self.scalar(&Value::Text(text.to_owned())));
                }
                let text = format!("{properties}{}", emitted.text);
                return Emitted::inline(indented(&text, indent));
            }
            At::Block { column, parent } => (column, parent),
        };
        let delta = if emitted.block {
            column as isize - self.layout.column(node) as isize
        } else {
            parent as isize - self.layout.parent_indent(node) as isize
        };
        let text = shift(&format!("{properties}{}", emitted.text), delta);
        Emitted { text, block: emitted.block && properties.is_empty() }
    }
}

/// Moves every line but the first to `indent` or beyond it: in brackets the column has no meaning, and
/// what leaves them must be indented.
fn indented(text: &str, indent: usize) -> String {
    if !text.contains(['\n', '\r']) {
        return text.to_owned();
    }
    let mut result = String::with_capacity(text.len() + indent);
    for (at, line) in text.split_inclusive('\n').enumerate() {
        let spaces = line.len() - line.trim_start_matches(' ').len();
        let empty = line.trim_end_matches(['\n', '\r']).len() == spaces;
        if at > 0 && !empty && spaces < indent {
            result.extend(std::iter::repeat_n(' ', indent - spaces));
        }
        result.push_str(line);
    }
    result
}

/// Moves every line but the first by `delta` columns.
fn shift(text: &str, delta: isize) -> String {
    if delta == 0 || !text.contains(['\n', '\r']) {
        return text.to_owned();
    }
    let mut result = String::with_capacity(text.len() + 16);
    for (at, line) in text.split_inclusive('\n').enumerate() {
        // YAML lets a mark stand before any line and does not count it.
        let (mark, line) = match line.strip_prefix('\u{feff}') {
            Some(line) if at > 0 => ("\u{feff}", line),
            _ => ("", line),
        };
        result.push_str(mark);
        let empty = line.trim_end_matches(['\n', '\r']).is_empty();
        if at == 0 || empty {
            result.push_str(line);
        } else if delta > 0 {
            result.extend(std::iter::repeat_n(' ', delta.unsigned_abs()));
            result.push_str(line);
        } else {
            let spaces = line.len() - line.trim_start_matches(' ').len();
            result.push_str(&line[spaces.min(delta.unsigned_abs())..]);
        }
    }
    result
}
