//! Causes: the resource whose own change decides about another one, and its reason in short.

use std::collections::HashMap;

use serde_json::Value as Json;

use super::hunk::{self, HunkLineKind};
use super::labels;
use super::model::{PartKind, PropagationEntry, ReasonEntry, ResourceEntry, TemplateReport};
use super::short_values::{HIDDEN_DIFFERENCE, ShownValues};
use hotplate_diff::Pair;

/// The rules of reasons that follow from what happens to a resource.
const CONSEQUENCES: [&str; 2] = ["hazard", "machine-effect"];

/// The resources of a template by name.
pub(super) struct Causes<'r> {
    by_name: HashMap<&'r str, &'r ResourceEntry>,
}

impl<'r> Causes<'r> {
    pub(super) fn new(template: &'r TemplateReport) -> Self {
        Causes { by_name: template.resources.iter().map(|it| (it.name.as_str(), it)).collect() }
    }

    pub(super) fn resource(&self, name: &str) -> Option<&'r ResourceEntry> {
        self.by_name.get(name).copied()
    }

    /// The resource whose own change decides what happens to this one: often itself.
    pub(super) fn root(&self, resource: &'r ResourceEntry) -> &'r ResourceEntry {
        let first = deciding_propagation(resource).and_then(|it| it.chain.names.first());
        first.and_then(|name| self.by_name.get(name.as_str())).copied().unwrap_or(resource)
    }

    /// The cause of what happens to a resource, on one line; `None` if there is nothing to say about it.
    pub(super) fn sentence(&self, resource: &'r ResourceEntry) -> Option<String> {
        let root = self.root(resource);
        let reason = own_reason(root);
        if std::ptr::eq(root, resource) {
            return reason;
        }
        let what =
            format!("because {} {}", root.name, labels::impact_phrase(root.effective_impact));
        Some(match reason {
            Some(reason) => format!("{what}: {reason}"),
            None => what,
        })
    }
}

/// The effect of another resource that decides about this one; `None` if its own change does.
pub(super) fn deciding_propagation(resource: &ResourceEntry) -> Option<&PropagationEntry> {
    let effective = resource.effective_impact;
    let is_own = resource.impact == effective
        || own_reasons(resource).any(|reason| reason.impact == effective);
    resource.propagations.iter().filter(|_| !is_own).min_by_key(|it| it.impact)
}

/// The reasons for what happens to a resource; hazards and effects on machines follow from it.
pub(super) fn own_reasons(resource: &ResourceEntry) -> impl Iterator<Item = &ReasonEntry> {
    resource.reasons.iter().filter(|it| !CONSEQUENCES.contains(&it.rule.as_str()))
}

/// The worst reason of a resource's own change with its values, and the number of others that are as bad.
fn own_reason(resource: &ResourceEntry) -> Option<String> {
    if let Some(rename) = labels::rename(resource) {
        return Some(rename);
    }
    // The worst reason is the first.
    let mut reasons = own_reasons(resource);
    let first = reasons.next()?;
    let reason = short_reason(first);
    Some(match reasons.filter(|it| it.impact == first.impact).count() {
        0 => reason,
        more => format!("{reason} and {more} more"),
    })
}

/// A reason on one line: what differs with its values, or the rule.
fn short_reason(reason: &ReasonEntry) -> String {
    match (reason.part, label_and_values(reason)) {
        (PartKind::Resource, _) => reason.why.clone(),
        (_, (label, Some(values))) => format!("{label}: {values}"),
        (_, (label, None)) => format!("{label}: {}", reason.why),
    }
}

/// The differing part and its values on one line; without values, only the rule says more.
pub(super) fn label_and_values(reason: &ReasonEntry) -> (String, Option<String>) {
    match reason.changes.as_slice() {
        [] => (labels::label(reason), values(&reason.value)),
        [change] => (labels::property(reason.part, &change.path), values(&change.value)),
        [first, rest @ ..] => match values(&first.value) {
            Some(values) => (
                labels::property(reason.part, &first.path),
                Some(format!("{values} and {} more", rest.len())),
            ),
            None => (labels::label(reason), None),
        },
    }
}

/// Two values on one line, or the number of different lines of a text; `None` if they look the same.
fn values(value: &Pair<Option<Json>>) -> Option<String> {
    if let Some(lines) = hunk::value_hunks(value, 0) {
        let of = |kind| lines.iter().filter(|line| line.kind == kind).count();
        return Some(format!("-{} +{} lines", of(HunkLineKind::Old), of(HunkLineKind::New)));
    }
    match ShownValues::new(value, false) {
        ShownValues::Nothing | ShownValues::FailsAsBefore(_) => None,
        ShownValues::Removed(old) => Some(format!("- {old}")),
        ShownValues::Added(new) => Some(format!("+ {new}")),
        ShownValues::Changed(old, new) => Some(format!("{old} → {new}")),
        ShownValues::Hidden(_) => Some(HIDDEN_DIFFERENCE.to_owned()),
    }
}
