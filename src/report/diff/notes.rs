//! What a report notes about Heat's behavior beside the impacts.

use super::labels;
use super::model::{Counts, ImpactSummary, Note};
use hotplate_diff::{
    ChangeReason, Comparison, DataEffect, DefinitionPart, EntryStatus, FileStatus, FindingSide,
    Impact, SidedFinding, UpdateRule, is_about_absent_input,
};

/// The id of the note about a deleted template file.
pub(super) const FILE_REMOVED: &str = "file-removed";

/// Notes about Heat's behavior that the impacts do not express. Source: `docs/heat.md#immutable-parameters`,
/// `docs/heat.md#resources-are-identified-by-name`.
pub(super) fn notes(
    summary: &ImpactSummary,
    counts: &Counts,
    comparison: &Comparison,
    findings: &[SidedFinding],
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
            is_invalid,
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
    let ignored = ignored_changes(comparison);
    let ignored = (!ignored.is_empty()).then(|| {
        let each = labels::name_list(&ignored);
        ("ignored", format!("Heat never updates the resources of these changes: {each}"))
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
    let rewritten = &comparison.sections.rewritten_outputs;
    let rewritten = (!rewritten.is_empty()).then(|| {
        let names = labels::name_list(rewritten);
        (
            "same-value",
            format!(
                "written differently, with the same values for these parameters: outputs {names}"
            ),
        )
    });
    let is_update = *file == FileStatus::Existing;
    let refused = findings.iter().filter(|SidedFinding { side, diagnostic, .. }| {
        *side == FindingSide::Old
            && diagnostic.refuses_stack()
            && !is_about_absent_input(diagnostic)
    });
    let refused = Some(refused.count()).filter(|count| *count > 0 && is_update);
    let repaired = refused.filter(|_| counts.refusals + counts.refused_before == 0).map(|count| {
        let errors = labels::counted_noun(count, "error");
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
        .chain(ignored)
        .chain(unsearched)
        .map(|(id, message)| Note { id: id.to_owned(), message })
        .collect()
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
            DefinitionPart::Property(name) => Some(format!("`{}.{name}`", resource.name)),
            _ => None,
        })
    });
    properties.collect()
}

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
