//! Builds the template as a tree, with the comments of the original, and with losses shown in place.

use std::collections::HashMap;

use crate::kit::{Omission, Outdent, column_at, lost_comment};
use crate::tree::{DataNode, DataTree};
use crate::{Comments, Loss, LossKind, Module, OutputSyntax};
use heat_template::cfn::{CfnNode, CfnNodeKind, CfnPair, RaisedCfn};
use lossless_yaml::{Document, Entry, NodeKind, Value};
use source_diagnostics::Span;

pub(super) struct TemplateLayout<'a> {
    /// The comments that have not been taken yet.
    pub(super) comments: Comments<'a>,
    document: &'a Document,
    raised: &'a RaisedCfn,
    syntax: OutputSyntax,
}

/// The sections of HOT and their counterparts in the format, in the order in which they are written; empty if
/// one side has none.
const SECTIONS: [(&str, &str); 7] = [
    ("description", "Description"),
    ("", "Mappings"),
    ("parameter_groups", ""),
    ("parameters", "Parameters"),
    ("conditions", "Conditions"),
    ("resources", "Resources"),
    ("outputs", "Outputs"),
];

impl<'a> TemplateLayout<'a> {
    pub(super) fn new(unit: &'a Module, raised: &'a RaisedCfn, syntax: OutputSyntax) -> Self {
        let document = &*unit.document;
        // JSON has no comments.
        let comments =
            Comments::of_stack((syntax == OutputSyntax::Yaml).then_some(document), &unit.stack);
        TemplateLayout { comments, document, raised, syntax }
    }

    /// Builds the whole template.
    pub(super) fn template(&self, losses: &[Loss]) -> DataTree {
        let raised = self.raised;
        let root = self.document.root().map(|root| self.document.entries(root)).unwrap_or_default();
        let version = match self.syntax {
            OutputSyntax::Yaml => Value::Date(raised.version.to_owned()),
            OutputSyntax::Json => Value::Text(raised.version.to_owned()),
        };
        let mut version = DataTree::from(version);
        let keys =
            ["heat_template_version", "HeatTemplateFormatVersion", "AWSTemplateFormatVersion"];
        if let Some(entry) = keys.iter().find_map(|key| self.named(root, key)) {
            version = self.commented(version, self.document.span(entry.key));
        }
        let mut sections = vec![(raised.version_key.to_owned(), version)];
        if !raised.mappings.is_empty() && self.named(root, "Mappings").is_none() {
            let why = "Data that would be a function call anywhere else.".to_owned();
            let mappings = raised.mappings.iter().map(|pair| self.pair(pair, losses));
            sections.push(("Mappings".to_owned(), DataTree::map(mappings).above([why])));
        }
        for entry in root {
            let Some(name) = self.document.str(entry.key) else { continue };
            let written = |(hot, cfn): &&(&str, &str)| *hot == name || *cfn == name;
            let Some((_, section)) = SECTIONS.iter().find(written) else {
                continue;
            };
            if let Some(tree) = self.section(section, *entry, losses) {
                sections.push(((*section).to_owned(), tree));
            }
        }
        // Parameters that replace conditions, if the template has no parameters of its own.
        if !raised.parameters.is_empty() && sections.iter().all(|(name, _)| name != "Parameters") {
            let all = raised.parameters.iter().map(|pair| self.pair(pair, losses));
            sections.insert(1, ("Parameters".to_owned(), DataTree::map(all)));
        }
        if self.syntax == OutputSyntax::Yaml {
            let rest = self.comments.take_rest();
            if !rest.is_empty() {
                sections.push((String::new(), DataTree::comment(rest)));
            }
        }
        DataTree::map(sections)
    }

    fn named(&self, entries: &[Entry], name: &str) -> Option<Entry> {
        entries.iter().copied().find(|entry| self.document.str(entry.key) == Some(name))
    }

    fn section(&self, name: &str, entry: Entry, losses: &[Loss]) -> Option<DataTree> {
        let span = self.document.span(entry.key);
        let raised = self.raised;
        let pairs = match name {
            "Description" => {
                let expressed = raised.description.as_ref()?;
                let tree = self.commented(self.tree(expressed, losses), span);
                return Some(tree);
            }
            "Mappings" => &raised.mappings,
            "Parameters" => &raised.parameters,
            "Conditions" => &raised.conditions,
            "Resources" => &raised.resources,
            "Outputs" => &raised.outputs,
            _ => {
                let mut lines = self.comments.take_above(span);
                let whole = Span { end: self.document.span(entry.value).end, ..span };
                let here = losses.iter().filter(|loss| contains(whole, loss.span));
                let message = here.map(|loss| loss.message.clone()).next()?;
                lines.extend(self.loss_comment(&message, whole));
                // The snippet already shows the comments inside.
                self.comments.take_inside(whole);
                return Some(DataTree::comment(lines));
            }
        };
        let (above, beside) = self.comments.take_around(span);
        let mut inside: HashMap<&str, Entry> = HashMap::new();
        for entry in self.document.entries(entry.value) {
            if let Some(name) = self.document.str(entry.key) {
                inside.entry(name).or_insert(*entry);
            }
        }
        let mut things = Vec::with_capacity(pairs.len());
        for pair in pairs {
            let written = inside.get(pair.key.as_str()).copied();
            things.push(self.named_item(pair, written, losses));
        }
        if things.is_empty() {
            return (!above.is_empty()).then(|| DataTree::comment(above));
        }
        Some(DataTree::map(things).above(above).beside(beside))
    }

    /// A parameter, condition, resource or output, by its name.
    fn named_item(
        &self,
        pair: &CfnPair,
        written: Option<Entry>,
        losses: &[Loss],
    ) -> (String, DataTree) {
        let (name, tree) = match &pair.value {
            Ok(expressed) => {
                let expressed = match written {
                    Some(written) => self.placed(expressed, written),
                    None => expressed.clone(),
                };
                let here = CfnPair { value: Ok(expressed), ..pair.clone() };
                self.pair(&here, losses)
            }
            Err(_) => self.pair(pair, losses),
        };
        let Some(written) = written else { return (name, tree) };
        let start = self.document.span(written.key);
        let whole = Span { end: self.document.span(written.value).end.max(start.end), ..start };
        let mut below = Vec::new();
        for loss in losses {
            let is_told = loss.kind == LossKind::ResourceType && pair.value.is_err();
            if contains(whole, loss.span) && !is_told && self.is_of_section(pair, loss) {
                below.extend(self.loss_comment(&loss.message, self.with_key(loss.span)));
            }
        }
        let mut tree = tree;
        tree.above.extend(self.comments.take_inside(whole));
        tree.above.extend(self.comments.take_indented(start));
        tree.above.extend(below);
        (name, tree)
    }

    /// Whether a loss has no place of its own inside an item of a section.
    fn is_of_section(&self, pair: &CfnPair, loss: &Loss) -> bool {
        let Ok(expressed) = &pair.value else { return false };
        !holds(expressed, loss.span)
    }

    /// An item of a section whose keys have the spans of the original, so that comments are found.
    fn placed(&self, expressed: &CfnNode, written: Entry) -> CfnNode {
        let CfnNodeKind::Map(pairs) = &expressed.kind else { return expressed.clone() };
        if expressed.span != Span::NOWHERE {
            return expressed.clone();
        }
        let entries = self.document.entries(written.value);
        let place = |pair: &CfnPair| {
            let entry = self.named(entries, hot_key(&pair.key)).or(self.named(entries, &pair.key));
            let key_span = entry.map_or(pair.key_span, |entry| self.document.span(entry.key));
            CfnPair { key_span, ..pair.clone() }
        };
        CfnNode { kind: CfnNodeKind::Map(pairs.iter().map(place).collect()), span: expressed.span }
    }

    fn pair(&self, pair: &CfnPair, losses: &[Loss]) -> (String, DataTree) {
        let above = self.comments.take_above(pair.key_span);
        let tree = match &pair.value {
            Ok(expressed) => {
                let inner = match is_call(expressed) {
                    true => self.comments.take_above(expressed.span),
                    false => Vec::new(),
                };
                let beside = match pair.key_span == Span::NOWHERE {
                    true => None,
                    false => self.comments.take_beside(pair.key_span),
                };
                self.tree(expressed, losses).above(inner).beside(beside)
            }
            Err(unexpressed) => {
                let whole = match pair.key_span == Span::NOWHERE {
                    true => unexpressed.span,
                    false => self.whole(pair.key_span, unexpressed.span),
                };
                let beside = self.comments.take_beside(pair.key_span);
                let lost = self.loss_comment(&unexpressed.message, whole);
                self.comments.take_inside(whole);
                DataTree::comment(beside.into_iter().chain(lost))
            }
        };
        (pair.key.clone(), tree.above(above))
    }

    /// The pair whose value has a span, or the span itself.
    fn with_key(&self, place: Span) -> Span {
        let found = self.document.nodes().iter().find_map(|node| {
            let NodeKind::Mapping(mapping) = &node.kind else { return None };
            let entry =
                mapping.written().iter().find(|it| self.document.span(it.value) == place)?;
            Some(self.document.span(entry.key))
        });
        found.map_or(place, |key| Span { end: place.end, ..key })
    }

    /// The pair that starts with a key and contains a span, in the maps of the document.
    fn whole(&self, key: Span, inner: Span) -> Span {
        let nodes = self.document.nodes();
        let value = nodes.iter().find_map(|node| {
            let NodeKind::Mapping(mapping) = &node.kind else { return None };
            let entry = mapping.written().iter().find(|it| self.document.span(it.key) == key)?;
            Some(self.document.span(entry.value))
        });
        let end = value.map_or(inner.end, |value| value.end);
        Span { end: end.max(key.end), ..key }
    }

    fn tree(&self, expressed: &CfnNode, losses: &[Loss]) -> DataTree {
        match &expressed.kind {
            CfnNodeKind::Data(value) => DataTree::from(value.clone()),
            CfnNodeKind::List(items) => DataTree::list(items.iter().map(|item| {
                let above = self.comments.take_above(item.span);
                let tree = self.tree(item, losses);
                // A comment on the line of a map's first key belongs to that key.
                let beside = match tree.kind {
                    DataNode::Leaf(_) => self.comments.take_beside(item.span),
                    _ => None,
                };
                // A comment next to a call would be next to its only key, which is on another line.
                let moved = match is_call(item) {
                    true => self.comments.take_beside(item.span),
                    false => None,
                };
                tree.above(above.into_iter().chain(moved)).beside(beside)
            })),
            CfnNodeKind::Map(pairs) => {
                DataTree::map(pairs.iter().map(|pair| self.pair(pair, losses)))
            }
        }
    }

    fn commented(&self, tree: DataTree, place: Span) -> DataTree {
        let (above, beside) = self.comments.take_around(place);
        tree.above(above).beside(beside)
    }

    /// The lines of a comment for a loss: the message, and the original.
    fn loss_comment(&self, message: &str, place: Span) -> Vec<String> {
        let is_here = place.source == self.document.source();
        let original = if is_here { self.document.slice(place) } else { "" };
        let column = column_at(self.document.text(), place.start, original);
        lost_comment(Omission::Lost, message, original, Outdent::Column(column))
    }
}

fn is_call(expressed: &CfnNode) -> bool {
    matches!(&expressed.kind, CfnNodeKind::Map(pairs) if pairs.first().is_some_and(|it| it.key_span == Span::NOWHERE))
}

fn contains(outer: Span, inner: Span) -> bool {
    outer.source == inner.source && outer.start <= inner.start && inner.end <= outer.end
}

/// Whether a value contains something with a span inside a place, or the comment for its loss.
fn holds(expressed: &CfnNode, place: Span) -> bool {
    if expressed.span != Span::NOWHERE && expressed.span == place {
        return true;
    }
    match &expressed.kind {
        CfnNodeKind::Data(_) => false,
        CfnNodeKind::List(items) => items.iter().any(|item| holds(item, place)),
        CfnNodeKind::Map(pairs) => pairs.iter().any(|pair| match &pair.value {
            Ok(value) => holds(value, place),
            Err(unexpressed) => unexpressed.span == place,
        }),
    }
}

/// The key of HOT that a key of the format corresponds to.
fn hot_key(key: &str) -> &str {
    const KEYS: [(&str, &str); 15] = [
        ("Type", "type"),
        ("Label", "label"),
        ("Description", "description"),
        ("Default", "default"),
        ("NoEcho", "hidden"),
        ("AllowedValues", "constraints"),
        ("Condition", "condition"),
        ("DependsOn", "depends_on"),
        ("DeletionPolicy", "deletion_policy"),
        ("UpdatePolicy", "update_policy"),
        ("Metadata", "metadata"),
        ("Properties", "properties"),
        ("Value", "value"),
        ("AllowedPattern", "constraints"),
        ("MinLength", "constraints"),
    ];
    KEYS.iter().find(|(cfn, _)| *cfn == key).map_or(key, |(_, hot)| hot)
}
