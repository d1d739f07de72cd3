//! What a report notes about Heat's behavior beside the impacts.

use std::collections::{HashMap, HashSet};

use super::labels;
use super::model::{Counts, ImpactSummary, Note};
use hotplate_diff::{
    ChangeReason, Comparison, DataEffect, DefinitionPart, EntryStatus, FileStatus, Impact,
    ResourceChange, ResourceRole, RewrittenPart, UpdateRule,
};

/// The id of the note about a deleted template file.
pub(super) const FILE_REMOVED: &str = "file-removed";

/// The id of the note about what has the same value only for these parameters.
pub(super) const SAME_VALUE: &str = "same-value";

/// The id of the note about changes that do nothing.
pub(super) const IGNORED: &str = "ignored";

/// Notes about Heat's behavior that the impacts do not express. Source: `docs/heat.md#immutable-parameters`,
/// `docs/heat.md#resources-are-identified-by-name`.
pub(super) fn notes(
    summary: &ImpactSummary,
    counts: &Counts,
    comparison: &Comparison,
) -> Vec<Note> {
    let (file, urls) = (&comparison.file, &comparison.sections.urls);
    let refused = counts.refused_parameters > 0;
    // Heat validates the whole template before it changes anything.
    let reasons = || comparison.resources.iter().flat_map(|it| &it.reasons);
    let is_refused = |it: &ChangeReason, of_both: bool| match it.rule {
        UpdateRule::Invalid { before, .. } => before == of_both,
        UpdateRule::Fails => of_both,
        _ => false,
    };
    let is_invalid = counts.refusals > counts.required_parameters
        || reasons().any(|it| it.impact == Impact::Refused && is_refused(it, false));
    let was_invalid = counts.refused_before > 0
        || reasons().any(|it| it.impact == Impact::Refused && is_refused(it, true));
    let notes = [
        (
            refused,
            "update-refused",
            "Heat refuses the whole update because of an immutable parameter: nothing changes",
        ),
        (
            is_invalid && was_invalid,
            "template-refused",
            "Heat refuses this template before the change, too: none of this happens until all of its errors are fixed",
        ),
        (
            is_invalid && !was_invalid,
            "template-refused",
            "Heat refuses the new template: none of this happens until its errors are fixed",
        ),
        (
            !is_invalid && was_invalid,
            "template-refused-before",
            "Heat refuses this template before and after the change: an update needs its errors fixed first",
        ),
        (
            !(refused || is_invalid || was_invalid) && summary.of(Impact::Refused) > 0,
            "resource-refused",
            "the update fails at a change that Heat refuses: resources that do not depend on it may be updated before",
        ),
        (
            counts.renamed > 0,
            "renamed",
            "Heat identifies resources by name: a renamed one is deleted and created again",
        ),
        (
            *file == FileStatus::Removed,
            FILE_REMOVED,
            "no stack is touched by a deleted template file: to delete its resources, delete the stack",
        ),
    ];
    let notes = notes.into_iter().filter(|(holds, ..)| *holds);
    let notes = notes.map(|(_, id, message)| (id, message.to_owned()));
    let urls = (!urls.is_empty()).then(|| {
        let message = format!(
            "URLs are not fetched: the content of {} is unknown, and treated as equal on both sides if the URL is",
            labels::name_list(urls)
        );
        ("not-fetched", message)
    });
    let gone = removed_parameters(comparison);
    let gone = (!gone.is_empty() && *file == FileStatus::Existing).then(|| {
        let names = labels::name_list(&gone);
        ("parameters-gone", format!("Heat refuses an update whose `parameters` still have {names}"))
    });
    let nothing = &comparison.sections.creating_nothing;
    let nothing = (!nothing.is_empty()).then(|| {
        let each = labels::name_list(nothing);
        (
            "creates-nothing",
            format!(
                "Heat creates nothing for the types of {each}, and their attributes have no value"
            ),
        )
    });
    let ignored = ignored_changes(comparison);
    let ignored = (!ignored.is_empty()).then(|| {
        let each = labels::name_list(&ignored);
        (IGNORED, format!("Heat never updates the resources of these changes: {each}"))
    });
    let waiting = unsignaled(comparison);
    let waiting = (!waiting.is_empty() && *file == FileStatus::Existing).then(|| {
        let each = labels::name_list(&waiting);
        let message = format!(
            "the update waits for a signal, and nothing certainly new could send it; without one, it fails at the timeout: {each}"
        );
        ("not-signaled", message)
    });
    let unmapped = &comparison.sections.unmapped;
    let unmapped = (!unmapped.is_empty()).then(|| {
        let message = format!(
            "nothing maps {}: what is in such resources is not compared, and treated as equal on both sides (`-e` names an environment)",
            labels::name_list(unmapped)
        );
        ("not-mapped", message)
    });
    let lost = lost_data(comparison);
    let unsearched = (comparison.sections.renames_not_searched > 0).then(|| {
        let message = format!(
            "too many names are gone and new to compare each with every other: {} more may be renames",
            comparison.sections.renames_not_searched
        );
        ("renames-limited", message)
    });
    let sizes = &comparison.sections.unknown_sizes;
    let sizes = (!sizes.is_empty()).then(|| {
        let message = format!(
            "the number of members of {} is unknown: one member stands for each of them",
            labels::name_list(sizes)
        );
        ("unknown-size", message)
    });
    let rewritten = rewritten(&comparison.sections.rewritten);
    let repaired = (counts.mended > 0).then(|| {
        let errors = labels::counted_noun(counts.mended, "error");
        (
            "old-refused",
            format!("Heat refuses the old template ({errors}): no stack runs it as it is"),
        )
    });
    let values = &comparison.sections.values_refused;
    let values = (!values.is_empty() && *file == FileStatus::Existing).then(|| {
        let each = values.iter().map(|(name, end)| format!("`{name}` {end}"));
        let each = labels::name_list(&each.collect::<Vec<_>>());
        ("value-refused", format!("Heat refuses the update of a stack in which {each}"))
    });
    lost.into_iter()
        .chain(notes)
        .chain(repaired)
        .chain(rewritten)
        .chain(values)
        .chain(gone)
        .chain(sizes)
        .chain(urls)
        .chain(unmapped)
        .chain(waiting)
        .chain(nothing)
        .chain(ignored)
        .chain(unsearched)
        .map(|(id, message)| Note { id: id.to_owned(), message })
        .collect()
}

/// The note about what has the same value only for these parameters.
fn rewritten(parts: &[RewrittenPart]) -> Option<(&'static str, String)> {
    let each = parts.iter().map(|part| {
        let kind = if part.is_output { "output" } else { "resource" };
        match part.parameters.is_empty() {
            true => format!("{kind} {}", part.name),
            false => format!("{kind} {} (by {})", part.name, labels::name_list(&part.parameters)),
        }
    });
    let each: Vec<String> = each.collect();
    let names = labels::name_list(&each);
    let message =
        format!("written differently, with the same values for these parameters: {names}");
    (!each.is_empty()).then_some((SAME_VALUE, message))
}

/// The parameters of the deployment's own template that it does not have any more.
fn removed_parameters(comparison: &Comparison) -> Vec<String> {
    let own = comparison.sections.parameters.iter().filter(|it| !it.name.contains('/'));
    let gone = own.filter_map(|it| match &it.change {
        EntryStatus::Removed => Some(format!("`{}`", it.name)),
        EntryStatus::Renamed { from } => Some(format!("`{from}`")),
        EntryStatus::Added | EntryStatus::Changed | EntryStatus::Affected => None,
    });
    gone.collect()
}

/// The properties that are written with other values, of resources that no update changes.
fn ignored_changes(comparison: &Comparison) -> Vec<String> {
    let unchanged = comparison.resources.iter().filter(|it| it.effective_impact == Impact::None);
    let properties = unchanged.flat_map(|resource| {
        resource.reasons.iter().filter_map(|reason| match &reason.part {
            DefinitionPart::Property(name) => {
                let kind = resource.kind.new.as_deref().unwrap_or_default();
                Some(format!("`{}.{name}` ({kind})", resource.name))
            }
            _ => None,
        })
    });
    properties.collect()
}

/// The new wait conditions whose handle nothing reads that is certainly new and runs scripts: what is there already has run them.
fn unsignaled(comparison: &Comparison) -> Vec<String> {
    let resources = &comparison.resources;
    let by_name: HashMap<&str, &ResourceChange> =
        resources.iter().map(|it| (it.name.as_str(), it)).collect();
    let is_new = |it: &&ResourceChange| match it.effective_impact {
        Impact::Create | Impact::Replace | Impact::Rebuild => {
            it.role == ResourceRole::Server || it.is_stack || it.noun == "deployment"
        }
        // A deployment that is updated runs again.
        Impact::Update => it.noun == "deployment",
        _ => false,
    };
    let mut read: HashSet<&str> = HashSet::new();
    let mut pending: Vec<&ResourceChange> = resources.iter().filter(is_new).collect();
    while let Some(resource) = pending.pop() {
        // What is given to a stack, its resources may read.
        let stack = resource.name.rsplit_once('/').map(|(stack, _)| stack);
        let inputs = resource.depends_on.iter().map(String::as_str).chain(stack);
        let inputs = inputs.filter(|it| read.insert(it));
        pending.extend(inputs.filter_map(|it| by_name.get(it).copied()));
    }
    let conditions = resources.iter().filter(|it| {
        let stack = it.name.rsplit_once('/').and_then(|(stack, _)| by_name.get(stack));
        it.noun == WAIT_CONDITION
            && it.effective_impact == Impact::Create
            && stack.is_none_or(|it| it.effective_impact != Impact::Create)
    });
    let through = conditions.filter_map(|condition| {
        let inputs = condition.depends_on.iter().filter_map(|it| by_name.get(it.as_str()));
        let handle = inputs.into_iter().find(|it| it.noun == SIGNAL_HANDLE)?;
        let is_silent = !read.contains(handle.name.as_str());
        is_silent.then(|| format!("`{}` (through `{}`)", condition.name, handle.name))
    });
    through.collect()
}

/// The nouns of what waits for a signal, and of what takes it.
const WAIT_CONDITION: &str = "wait condition";
const SIGNAL_HANDLE: &str = "signal handle";

/// The notes about data that is lost or may be.
fn lost_data(comparison: &Comparison) -> Vec<(&'static str, String)> {
    let note = |effect, id, words: &str| {
        let resources = comparison.resources.iter().filter(|it| it.data == Some(effect));
        let names: Vec<String> = resources.map(|it| format!("{} {}", it.noun, it.name)).collect();
        (!names.is_empty()).then(|| (id, format!("{words}: {}", labels::name_list(&names))))
    };
    let lost = note(DataEffect::Lost, "data-lost", "data is lost");
    let may_be = note(DataEffect::MayBeLost, "data-may-be-lost", "data may be lost");
    lost.into_iter().chain(may_be).collect()
}
