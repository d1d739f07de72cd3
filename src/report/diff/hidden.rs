//! Differences that a report leaves out and counts.

use indexmap::IndexMap;

use super::labels;
use super::model::{Note, ResourceEntry};
use hotplate_diff::HiddenProperty;

/// Takes the differences of hidden properties from the resources. A resource with any effect on machines keeps all of its differences, since
/// each may be the cause. Returns the note with their numbers, if there are any.
pub(super) fn hide(resources: &mut [ResourceEntry], hidden: &[HiddenProperty]) -> Option<Note> {
    let mut counts: IndexMap<String, usize> = IndexMap::new();
    for resource in resources.iter_mut().filter(|it| it.machine_effects.is_empty()) {
        let kind = resource.kind.as_deref();
        let all = resource.reasons.len();
        resource.reasons.retain(|reason| {
            let by = hidden.iter().find(|it| it.covers(kind, &reason.property, reason.impact));
            if let Some(by) = by {
                *counts.entry(by.to_string()).or_default() += 1;
            }
            by.is_none()
        });
        resource.hidden = all - resource.reasons.len();
    }
    let only = resources.iter().filter(|it| it.is_hidden()).count();
    let listed: Vec<String> =
        counts.iter().map(|(property, count)| format!("{count} of {property}")).collect();
    (!listed.is_empty()).then(|| {
        let listed = labels::name_list(&listed);
        let also = match only {
            0 => String::new(),
            1 => "; 1 resource has no others and is not listed".to_owned(),
            only => format!("; {only} resources have no others and are not listed"),
        };
        Note { id: "hidden".to_owned(), message: format!("differences hidden: {listed}{also}") }
    })
}

impl ResourceEntry {
    /// Whether nothing but hidden differences happens to it.
    pub(super) fn is_hidden(&self) -> bool {
        let has_others = !self.reasons.is_empty()
            || !self.propagations.is_empty()
            || !self.hazards.is_empty()
            || !self.unread.is_empty()
            || self.renamed_from.is_some();
        self.hidden > 0 && !has_others
    }
}
