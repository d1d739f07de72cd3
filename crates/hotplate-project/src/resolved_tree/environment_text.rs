//! The text of an environment with the selected candidates, without `requires`. Comments are kept.

use heat_engine::environment::registry::{ACTIONS_KEY, BASE_URL, HOOKS_KEY};
use heat_engine::environment::sections::{REGISTRY, REQUIRES};
use heat_engine::environment::{
    EarlierOutcome, EnvironmentFile, EnvironmentMap, EnvironmentNode, EnvironmentValue, Location,
    is_relative_reference,
};
use hotplate_upgrade::{DocumentChange, changed_text};
use lossless_yaml::{Document, Entry, NodeId, NodeKind};
use source_diagnostics::Diagnostic;

/// The text of an environment for Heat. Anchors and merge keys may make it wrong, which [`super::proof`] finds.
pub(super) fn resolved(
    file: &EnvironmentFile,
    document: &Document,
) -> Result<String, Box<Diagnostic>> {
    let mut changes = Changes { location: &file.location, document, changes: Vec::new() };
    if let Some(root) = document.root() {
        if let Some(entry) = document.entry(root, REQUIRES) {
            changes.changes.push(DocumentChange::Delete { map: root, entry });
        }
        let registry = file.sections.get(REGISTRY).and_then(EnvironmentNode::as_map);
        if let (Some(entry), Some(registry)) = (document.entry(root, REGISTRY), registry) {
            changes.scope(root, entry, registry);
        }
    }
    changed_text(document, changes.changes)
}

struct Changes<'d> {
    location: &'d Location,
    document: &'d Document,
    changes: Vec<DocumentChange>,
}

impl Changes<'_> {
    /// The changes inside a map of the registry; a map of which nothing would be left is removed, since it would become
    /// null, which Heat refuses.
    fn scope(&mut self, parent: NodeId, pair: Entry, scope: &EnvironmentMap) {
        let map = self.document.resolve(pair.value);
        let entries = self.document.entries(map);
        let before = self.changes.len();
        for (key, node) in scope {
            let written = entries.iter().find(|entry| self.document.span(entry.key) == node.key);
            if let Some(&entry) = written {
                self.entry(map, entry, key, node);
            }
        }
        let deletes = |entry: &Entry| {
            self.changes[before..].iter().any(|change| {
                matches!(change, DocumentChange::Delete { entry: deleted, .. } if deleted == entry)
            })
        };
        if !entries.is_empty() && entries.iter().all(deletes) {
            self.changes.truncate(before);
            self.changes.push(DocumentChange::Delete { map: parent, entry: pair });
        }
    }

    fn entry(&mut self, map: NodeId, entry: Entry, key: &str, node: &EnvironmentNode) {
        let is_chosen = node
            .earlier
            .first()
            .is_some_and(|earlier| earlier.outcome == EarlierOutcome::Candidate);
        match &node.value {
            EnvironmentValue::Map(scope) => self.scope(map, entry, scope),
            // The references are relative to the environment afterwards.
            _ if key == BASE_URL => self.changes.push(DocumentChange::Delete { map, entry }),
            _ if is_chosen => self.candidate(entry.value, node),
            EnvironmentValue::File(target) => self.reference(entry.value, target),
            // Another environment overrides the list.
            EnvironmentValue::List(_) if key != HOOKS_KEY && key != ACTIONS_KEY => {
                self.changes.push(DocumentChange::Delete { map, entry });
            }
            _ => {}
        }
    }

    /// Replaces a list by the selected candidate.
    fn candidate(&mut self, list: NodeId, chosen: &EnvironmentNode) {
        let NodeKind::Sequence(items) = self.document.kind(self.document.resolve(list)) else {
            return;
        };
        let is_chosen = |item: &&NodeId| self.document.span(**item) == chosen.span;
        let Some(&part) = items.iter().find(is_chosen) else { return };
        self.changes.push(DocumentChange::Part { node: list, part });
        if let EnvironmentValue::File(target) = &chosen.value {
            self.reference(part, target);
        }
    }

    /// Makes a reference relative that is absolute, or relative to a `base_url`.
    fn reference(&mut self, node: NodeId, target: &Location) {
        let is_kept = self.document.str(node).is_some_and(|text| {
            is_relative_reference(text) && self.location.resolve(text).url() == target.url()
        });
        if let Some(text) = self.location.reference_to(target).filter(|_| !is_kept) {
            self.changes.push(DocumentChange::Scalar { node, text });
        }
    }
}
