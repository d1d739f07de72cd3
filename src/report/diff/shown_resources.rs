//! Resources about which there is nothing to say are one line: nothing is known but that files are missing, or they are in a stack that is
//! renamed.

use std::collections::{HashMap, HashSet};

use super::labels::{
    counted_noun, equal_texts, first_names, is_refused_before, rename_names, worst_first,
};
use super::model::{ResourceEntry, TemplateReport, ValueChange};
use hotplate_diff::Impact;

/// The resources to show one by one, the worst first, and those that one sentence is enough for: they are the same as written, as is
/// everything that they depend on, down to files that could not be read.
pub(super) fn shown_resources(
    template: &TemplateReport,
    verbose: bool,
) -> (Vec<&ResourceEntry>, Vec<&ResourceEntry>) {
    let mut shown = worst_first(template, verbose);
    if verbose {
        return (shown, Vec::new());
    }
    let renamed = RenamedStacks::of(&template.resources);
    shown.retain(|it| renamed.stack_of(it).is_none() || it.reasons.len() > 1);
    // What Heat refused before is an error on both sides, and not of this change.
    shown.retain(|it| !(is_refused_before(it) && it.reasons.iter().all(|reason| reason.before)));
    let (mut differing, mut same): (Vec<_>, Vec<_>) =
        template.resources.iter().partition(|it| !is_only_unread(it));
    // What depends on something that differs is shown, too.
    let mut dependents: HashMap<&str, Vec<&str>> = HashMap::new();
    for resource in &same {
        for cause in &resource.propagations {
            dependents.entry(&cause.source).or_default().push(&resource.name);
        }
    }
    let mut reached: HashSet<&str> = HashSet::new();
    let mut pending: Vec<&str> = differing.drain(..).map(|it| it.name.as_str()).collect();
    while let Some(name) = pending.pop() {
        let new = dependents.get(name).into_iter().flatten().filter(|it| reached.insert(**it));
        pending.extend(new);
    }
    same.retain(|it| !reached.contains(it.name.as_str()));
    let same: HashSet<&str> = same.iter().map(|it| it.name.as_str()).collect();
    shown.into_iter().partition(|it| !same.contains(it.name.as_str()))
}

/// The nested stacks that are deleted under one name and created under another.
pub(super) struct RenamedStacks<'a>(HashSet<(&'a str, &'a str)>);

impl<'a> RenamedStacks<'a> {
    pub(super) fn of(resources: &'a [ResourceEntry]) -> Self {
        let names = resources.iter().filter(|it| it.is_stack);
        RenamedStacks(names.filter_map(|it| Some((it.name.as_str(), other_name(it)?))).collect())
    }

    /// The outermost of these stacks with which a resource in it gets another name.
    pub(super) fn stack_of<'r>(&self, resource: &'r ResourceEntry) -> Option<&'r str> {
        let (name, other) = (resource.name.as_str(), other_name(resource)?);
        name.match_indices('/').map(|(at, _)| name.split_at(at)).find_map(|(stack, rest)| {
            self.0.contains(&(stack, other.strip_suffix(rest)?)).then_some(stack)
        })
    }
}

/// The name of a renamed resource on the other side.
fn other_name(resource: &ResourceEntry) -> Option<&str> {
    resource.renamed_to.as_deref().or(resource.renamed_from.as_deref())
}

/// Whether a resource is the same as written, and only depends on what could not be read.
fn is_only_unread(resource: &ResourceEntry) -> bool {
    let is_same = |it: &ValueChange| equal_texts(it).is_some();
    resource.effective_impact == Impact::NotCompared
        && rename_names(resource).is_none()
        && resource.suppressions.is_empty()
        && resource.reasons.iter().all(|reason| {
            let is_written_same =
                reason.value.old == reason.value.new && reason.changes.iter().all(is_same);
            reason.impact == Impact::NotCompared && is_written_same
        })
        && resource.propagations.iter().all(|it| it.source_impact == Impact::NotCompared)
}

/// The sentence about resources for which one is enough; `name` writes a name in the format of the report.
pub(super) fn only_unread(resources: &[&ResourceEntry], name: impl Fn(&str) -> String) -> String {
    let names: Vec<_> = resources.iter().map(|it| name(&it.name)).collect();
    let count = counted_noun(resources.len(), "resource");
    let (is, depends) = if resources.len() == 1 { ("is", "depends") } else { ("are", "depend") };
    let names = first_names(&names, 20);
    format!("{count} {is} the same as written, and {depends} on what could not be read: {names}")
}
