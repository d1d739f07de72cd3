//! Templates between an old and a new one: a root template without some resources, or with other properties. Everything else in the text stays.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use heat_engine::environment::{file_references, is_relative_reference, normal};
use heat_template::dialect::lower;
use heat_template::ir::{Expr, ExprKind, Resource, Stack};
use hotplate_diff::reference_property;
use hotplate_upgrade::{DocumentChange, changed_text, document_edits};
use lossless_yaml::{Document, Edits, Entry, NodeId, NodeKind, NodeStyle};
use source_diagnostics::Span;

/// A change of a property of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PropertyChange {
    /// It is left out.
    Dropped(&'static str),
    /// It has this value, as YAML.
    Set(&'static str, String),
    /// Its text ends with something else.
    OtherName(&'static str),
}

/// What an intermediate template has other than the one that it is made from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Changes {
    /// The resources that it leaves out.
    pub(super) removed: BTreeSet<String>,
    /// The outputs that it leaves out.
    pub(super) outputs: Vec<String>,
    /// The properties that differ, by resource.
    pub(super) properties: Vec<(String, PropertyChange)>,
}

/// The template of a side.
#[derive(Debug)]
pub(super) struct RootText {
    pub(super) document: Document,
    pub(super) stack: Stack,
    nodes: HashMap<(u32, u32), NodeId>,
}

/// A reference to a resource, with its place if the name of the object can take its place.
struct Reference<'s> {
    target: &'s str,
    replaceable: Option<Span>,
}

impl RootText {
    /// `None` if the text is not a template.
    pub(super) fn new(document: Document) -> Option<Self> {
        let stack = lower(&document).ok()?.stack;
        let nodes = document.nodes().iter().enumerate();
        let nodes = nodes.map(|(at, it)| ((it.start, it.end), NodeId(at as u32))).collect();
        Some(RootText { document, stack, nodes })
    }

    /// The text after the changes, which then contain what else goes; `None` if it cannot be written.
    pub(super) fn changed(&self, changes: &mut Changes) -> Option<String> {
        let document = &self.document;
        self.close(&mut changes.removed);
        let removed = &changes.removed;
        let mut edits = Edits::new();
        let mut deleted = self.deletions(&["resources", "Resources"], removed)?;
        for (name, resource) in &self.stack.resources {
            if removed.contains(name.as_str()) {
                continue;
            }
            self.free(name, resource, removed, &mut deleted, &mut edits)?;
            for reference in references(expressions(resource)) {
                self.replace(&reference, removed, &mut edits);
            }
        }
        let mut outputs = BTreeSet::new();
        for (name, output) in &self.stack.outputs {
            let all = references(output.value.iter());
            let lost =
                |it: &&Reference<'_>| removed.contains(it.target) && !self.is_replaceable(it);
            if all.iter().any(|it| lost(&it)) {
                outputs.insert(name.clone());
            } else {
                all.iter().for_each(|it| self.replace(it, removed, &mut edits));
            }
        }
        deleted.extend(self.deletions(&["outputs", "Outputs"], &outputs)?);
        changes.outputs = outputs.into_iter().collect();
        for (name, change) in &changes.properties {
            self.change(name, change, &mut deleted, &mut edits)?;
        }
        edits.extend(document_edits(document, deleted));
        edits.apply(document).ok()
    }

    /// Adds what cannot be without the removed resources.
    fn close(&self, removed: &mut BTreeSet<String>) {
        let mut users: HashMap<&str, Vec<&str>> = HashMap::new();
        for (name, resource) in &self.stack.resources {
            for reference in references(expressions(resource)) {
                if !self.is_replaceable(&reference) {
                    users.entry(reference.target).or_default().push(name);
                }
            }
        }
        let mut open: Vec<String> = removed.iter().cloned().collect();
        while let Some(name) = open.pop() {
            for user in users.get(name.as_str()).into_iter().flatten() {
                if removed.insert((*user).to_owned()) {
                    open.push((*user).to_owned());
                }
            }
        }
    }

    fn is_replaceable(&self, reference: &Reference<'_>) -> bool {
        let is_node = |span: Span| self.nodes.contains_key(&(span.start, span.end));
        reference.replaceable.is_some_and(is_node) && self.name_text(reference.target).is_some()
    }

    /// The text of the property that a reference to a resource returns, in one line.
    fn name_text(&self, resource: &str) -> Option<&str> {
        let resource = self.stack.resources.get(resource)?;
        let property = reference_property(&resource.kind.as_ref()?.text)?;
        let value = property_of(resource, property)?;
        let is_node = self.nodes.contains_key(&(value.span.start, value.span.end));
        let text = self.document.slice(value.span);
        (is_node && !text.contains(['\n', '\r']) && references([value]).is_empty()).then_some(text)
    }

    /// Writes the name of an object in place of a reference to a removed resource.
    fn replace(&self, reference: &Reference<'_>, removed: &BTreeSet<String>, edits: &mut Edits) {
        if removed.contains(reference.target)
            && let Some(span) = reference.replaceable
            && let Some(text) = self.name_text(reference.target)
        {
            edits.replace(span, text);
        }
    }

    /// Removes pairs of a section, or the section if nothing is left.
    fn deletions(&self, section: &[&str], names: &BTreeSet<String>) -> Option<Vec<DocumentChange>> {
        if names.is_empty() {
            return Some(Vec::new());
        }
        let document = &self.document;
        let root = document.root()?;
        let whole = section.iter().find_map(|it| document.entry(root, it))?;
        let map = document.resolve(whole.value);
        let is_removed =
            |it: &&Entry| document.str(it.key).is_some_and(|name| names.contains(name));
        let entries: Vec<Entry> =
            document.entries(map).iter().filter(is_removed).copied().collect();
        if entries.len() == document.entries(map).len() {
            return Some(vec![DocumentChange::Delete { map: root, entry: whole }]);
        }
        Some(entries.into_iter().map(|entry| DocumentChange::Delete { map, entry }).collect())
    }

    fn resource_entry(&self, name: &str) -> Option<Entry> {
        let (document, root) = (&self.document, self.document.root()?);
        let section = document.get(root, "resources").or_else(|| document.get(root, "Resources"));
        document.entry(section?, name)
    }

    /// Takes removed resources out of `depends_on`.
    fn free(
        &self,
        name: &str,
        resource: &Resource,
        removed: &BTreeSet<String>,
        deleted: &mut Vec<DocumentChange>,
        edits: &mut Edits,
    ) -> Option<()> {
        let is_removed = |it: &str| removed.contains(it);
        if !resource.depends_on.iter().any(|it| is_removed(&it.text)) {
            return Some(());
        }
        let (document, text) = (&self.document, self.document.text());
        let map = document.resolve(self.resource_entry(name)?.value);
        let entry =
            document.entry(map, "depends_on").or_else(|| document.entry(map, "DependsOn"))?;
        if resource.depends_on.iter().all(|it| is_removed(&it.text)) {
            deleted.push(DocumentChange::Delete { map, entry });
            return Some(());
        }
        // Items of an alias are those of another resource, too.
        let is_alias = document.resolve(entry.value) != entry.value;
        let NodeKind::Sequence(_) = document.kind(entry.value) else { return None };
        let items = document.items(entry.value).iter();
        let kept = |it: &&NodeId| !document.str(**it).is_some_and(is_removed);
        if is_alias || document.node_as_written(entry.value).style != NodeStyle::Block {
            let kept: Vec<&str> =
                items.filter(kept).map(|it| document.slice(document.span(*it))).collect();
            let span = Span {
                start: document.node_as_written(entry.value).start,
                end: document.node_as_written(entry.value).end,
                ..document.span(entry.key)
            };
            edits.replace(span, format!("[{}]", kept.join(", ")));
            return Some(());
        }
        for item in items.filter(|it| !kept(it)) {
            let span = document.span(*item);
            let before = &text[..span.start as usize];
            let line = before.rfind('\n').map_or(0, |at| at + 1);
            let dash = line + before[line..].find('-')?;
            if !before[line..dash].trim().is_empty() || !before[dash + 1..].trim().is_empty() {
                return None;
            }
            let rest = &text[span.end as usize..];
            let line_end = rest.find('\n').map_or(rest.len(), |at| at + 1);
            let is_alone = rest[..line_end].trim().is_empty();
            let end = span.end + if is_alone { line_end as u32 } else { 0 };
            let start = if is_alone { line } else { dash } as u32;
            edits.delete(Span { start, end, ..span });
        }
        Some(())
    }

    fn change(
        &self,
        name: &str,
        change: &PropertyChange,
        deleted: &mut Vec<DocumentChange>,
        edits: &mut Edits,
    ) -> Option<()> {
        let document = &self.document;
        let resource = document.resolve(self.resource_entry(name)?.value);
        let whole = document
            .entry(resource, "properties")
            .or_else(|| document.entry(resource, "Properties"));
        let map = whole.map(|it| document.resolve(it.value));
        let entry = |property: &str| document.entry(map?, property);
        match change {
            PropertyChange::Dropped(property) => {
                let entry = entry(property)?;
                let (map, entry) = match document.entries(map?) {
                    [_] => (resource, whole?),
                    _ => (map?, entry),
                };
                deleted.push(DocumentChange::Delete { map, entry });
            }
            PropertyChange::Set(property, value) => match entry(property) {
                Some(entry) => edits.replace(document.span(entry.value), value.clone()),
                None => {
                    let first = document.entries(map?).first()?;
                    let span = document.span(first.key);
                    let column = document.position(span.start).column.saturating_sub(1) as usize;
                    let pair = match document.node_as_written(map?).style {
                        NodeStyle::Block => format!("{property}: {value}\n{:column$}", ""),
                        _ => format!("\"{property}\": {value}, "),
                    };
                    edits.insert(span, pair);
                }
            },
            PropertyChange::OtherName(property) => {
                let node = entry(property)?.value;
                let text = format!("{}-step", document.str(node)?);
                deleted.push(DocumentChange::Scalar { node, text });
            }
        }
        Some(())
    }
}

/// The text of a template in one folder that is written to another one: its references lead to the same files.
pub(super) fn relocated(document: &Document, from: &Path, to: &Path) -> Option<String> {
    let nodes = document.nodes().iter().enumerate();
    let nodes: HashMap<(u32, u32), NodeId> =
        nodes.map(|(at, it)| ((it.start, it.end), NodeId(at as u32))).collect();
    let mut seen = HashSet::new();
    let mut changes = Vec::new();
    for (reference, span) in file_references(document) {
        if from == to || !is_relative_reference(reference) || !seen.insert(span) {
            continue;
        }
        let file = normal(&from.join(reference));
        let common = to.components().zip(file.components()).take_while(|(a, b)| a == b).count();
        let up = to.components().skip(common).map(|_| "..");
        let path: PathBuf =
            up.collect::<PathBuf>().join(file.components().skip(common).collect::<PathBuf>());
        let node = *nodes.get(&(span.start, span.end))?;
        changes.push(DocumentChange::Scalar { node, text: path.to_str()?.to_owned() });
    }
    changed_text(document, changes).ok()
}

/// The literal value of a property.
pub(super) fn property_of<'s>(resource: &'s Resource, property: &str) -> Option<&'s Expr> {
    let ExprKind::Map(pairs) = &resource.properties.as_ref()?.kind else { return None };
    pairs.iter().find(|it| it.key.as_text() == Some(property)).map(|it| &it.value)
}

fn expressions(resource: &Resource) -> impl Iterator<Item = &Expr> {
    let Resource { properties, metadata, update_policy, external_id, .. } = resource;
    [properties, metadata, update_policy, external_id].into_iter().flatten()
}

fn references<'s>(all: impl IntoIterator<Item = &'s Expr>) -> Vec<Reference<'s>> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    for expr in all {
        expr.walk(&mut |part| {
            let (target, replaceable) = match &part.kind {
                ExprKind::Resource(name) => (name.as_text(), Some(part.span)),
                ExprKind::Attribute(attribute) => (attribute.resource.as_text(), None),
                _ => return,
            };
            if let Some(target) = target
                && seen.insert((target, part.span))
            {
                found.push(Reference { target, replaceable });
            }
        });
    }
    found
}
