//! The words for parameters, environments, security, refusals and files that were not read.

use std::collections::HashSet;

use indexmap::IndexMap;

use super::{counted_noun, place};
use crate::report::diff::group_folding::{Folded, fold_members};
use crate::report::diff::model::{
    EnvironmentEntry, ParameterEntry, ParameterEntryDetail, Refusal, SecurityEntry,
    SuppressionEntry, TemplateReport,
};
use crate::report::json::Finding;
use hotplate_diff::{
    AccessChange, EntryStatus, EnvironmentKind, Impact, ParameterAspect, SecurityKind, UnreadFile,
};
use source_diagnostics::Severity;

/// The name of an aspect of a parameter.
pub(in crate::report::diff) fn aspect(aspect: ParameterAspect) -> &'static str {
    match aspect {
        ParameterAspect::Type => "type",
        ParameterAspect::Default => "default",
        ParameterAspect::Value => "value",
        ParameterAspect::ConstraintTightened => "constraint tightened",
        ParameterAspect::ConstraintLoosened => "constraint loosened",
        ParameterAspect::ConstraintChanged => "constraint changed",
        ParameterAspect::Hidden => "hidden",
        ParameterAspect::Immutable => "immutable",
        ParameterAspect::Tags => "tags",
        ParameterAspect::Documentation => "documentation",
    }
}

/// Details of a parameter with their names; equal details are merged, such as a default that
/// is also the value.
pub(in crate::report::diff) fn details(
    parameter: &ParameterEntry,
    verbose: bool,
) -> Vec<(String, &ParameterEntryDetail)> {
    let mut grouped: Vec<(String, &ParameterEntryDetail)> = Vec::new();
    let is_shown = |detail: &&ParameterEntryDetail| match detail.aspect {
        ParameterAspect::Documentation => verbose,
        // It has no value: that is a sentence of its own.
        ParameterAspect::Value => !must_be_given(parameter),
        _ => true,
    };
    for detail in parameter.details.iter().filter(is_shown) {
        let name = aspect(detail.aspect);
        match grouped.iter_mut().find(|(_, it)| it.value == detail.value) {
            Some((names, _)) => *names = format!("{names}, {name}"),
            None => grouped.push((name.to_owned(), detail)),
        }
    }
    grouped
}

/// Why Heat refuses the update because of a parameter.
pub(in crate::report::diff) fn immutable_parameter(name: &str) -> String {
    format!("Heat refuses this update: parameter `{name}` is immutable")
}

/// Whether a new parameter has no value, or an old one loses its default: then each deployment must give it a value.
pub(in crate::report::diff) fn must_be_given(parameter: &ParameterEntry) -> bool {
    let of = |aspect| parameter.details.iter().find(move |detail| detail.aspect == aspect);
    match parameter.change {
        EntryStatus::Added => {
            let value = of(ParameterAspect::Value).and_then(|detail| detail.value.new.as_ref());
            value.is_some_and(|value| {
                value.get("$unknown").is_some() || value.get("$error").is_some()
            })
        }
        EntryStatus::Changed | EntryStatus::Renamed { .. } => of(ParameterAspect::Default)
            .is_some_and(|it| it.value.old.is_some() && it.value.new.is_none()),
        EntryStatus::Affected | EntryStatus::Removed => false,
    }
}

/// The sentence for a parameter that must be given a value.
pub(in crate::report::diff) const MUST_BE_GIVEN: &str = "no default: must be given";

/// The kind of an environment's entry, with its name.
pub(in crate::report::diff) fn environment(environment: &EnvironmentEntry) -> String {
    let kind = match environment.kind {
        EnvironmentKind::File => "file",
        EnvironmentKind::Registry => "registry",
        EnvironmentKind::Restriction => "restriction of",
        EnvironmentKind::Parameter => "parameter",
        EnvironmentKind::ParameterDefault => "parameter default",
    };
    format!("{kind} {}", environment.name)
}

/// The security changes that are reported one by one, and the names of the resources whose scripts change. Such a change is
/// among the reasons of its resource, with its lines; if there are several, their number is enough, and of a resource that is not compared
/// nothing is known. Equal changes of group members are one, unless `verbose`.
pub(in crate::report::diff) fn security(
    template: &TemplateReport,
    verbose: bool,
) -> (Vec<Folded<'_, SecurityEntry>>, Vec<String>) {
    let is_script = |it: &&SecurityEntry| {
        it.kind == SecurityKind::UserData && it.access == AccessChange::Changed
    };
    let open = template.resources.iter().filter(|it| it.effective_impact == Impact::NotCompared);
    let open: HashSet<&str> = open.map(|it| it.name.as_str()).collect();
    let (mut scripts, mut others): (Vec<_>, Vec<_>) = template.security.iter().partition(is_script);
    scripts.retain(|it| verbose || !open.contains(it.resource.as_str()));
    let mut names: Vec<String> = Vec::new();
    if scripts.len() > 1 {
        names.extend(scripts.iter().map(|it| it.resource.clone()));
        names.dedup();
    } else {
        others.extend(scripts);
    }
    // What allows more comes first.
    others.sort_by_key(|it| it.access);
    let all = others.iter().map(|change| Folded::one(*change));
    (if verbose { all.collect() } else { fold_members(&others) }, names)
}

/// The note that stands once for the resources whose scripts change.
pub(in crate::report::diff) fn scripts(names: &[String]) -> String {
    let of = counted_noun(names.len(), "resource");
    format!("the scripts and configurations of {of} change: {}", name_list(names))
}

/// Whether more or less access is allowed.
pub(in crate::report::diff) fn verdict(verdict: AccessChange) -> &'static str {
    match verdict {
        AccessChange::Widened => "widened",
        AccessChange::MayWiden => "may widen",
        AccessChange::Initial => "new",
        AccessChange::Changed => "changed",
        AccessChange::Narrowed => "narrowed",
    }
}

/// Whether a finding stands before what differs. That a file is not read is told at the end.
pub(in crate::report::diff) fn is_alarming(finding: &Finding) -> bool {
    let unread = heat_engine::codes::OUTSIDE_ALLOWED_FOLDERS;
    finding.severity == Severity::Error && finding.code != unread
}

/// The errors for which Heat refuses the new template as a whole. Errors that the old side also has are
/// among the findings, errors of a resource among its reasons.
pub(in crate::report::diff) fn refusals(
    template: &TemplateReport,
) -> impl Iterator<Item = &Refusal> + Clone {
    template.refusals.iter().filter(|refusal| !refusal.before && refusal.resource.is_none())
}

/// The errors for which Heat refuses the template before and after the change: a line for each message, with its places.
pub(in crate::report::diff) fn refused_before(template: &TemplateReport) -> Vec<String> {
    const MOST: usize = 5;
    // What is refused of a resource that differs is said there.
    let differing =
        template.resources.iter().filter(|it| super::is_difference(it.effective_impact));
    let said: HashSet<&str> = differing.map(|it| it.name.as_str()).collect();
    let is_said = |name: &String| said.contains(name.as_str());
    let mut lines: IndexMap<String, Vec<String>> = IndexMap::new();
    // Where only the input is incomplete, Heat may not refuse it.
    let all = template.refusals.iter().filter(|_| template.counts.refused_before > 0);
    for refusal in all.filter(|it| it.before && !it.resource.as_ref().is_some_and(is_said)) {
        let places = lines.entry(format!("{} {}", refusal.code, refusal.message)).or_default();
        places.extend(refusal.new_place.as_ref().map(place));
    }
    let more = counted_noun(lines.len().saturating_sub(MOST), "more error");
    let is_cut = lines.len() > MOST;
    let line = |(text, places): (String, Vec<String>)| format!("{text}  {}", name_list(&places));
    let lines = lines.into_iter().take(MOST).map(line);
    lines.chain(is_cut.then(|| format!("and {more} (`--verbose` lists them)"))).collect()
}

/// An error for which Heat refuses the template, on one line.
pub(in crate::report::diff) fn refusal(refusal: &Refusal) -> String {
    let place = refusal.new_place.as_ref().map(|span| format!("  {}", place(span)));
    format!("{} {}{}", refusal.code, refusal.message, place.unwrap_or_default())
}

/// The unreadable files of a template, with their sides; those of the same sides on one line, unless `verbose`.
pub(in crate::report::diff) fn unread(files: &[UnreadFile], verbose: bool) -> Vec<String> {
    let sides = |it: &UnreadFile| match (it.old, it.new) {
        (true, false) => "before",
        (false, true) => "after",
        (true, true) | (false, false) => "before and after",
    };
    let mut groups: IndexMap<&str, Vec<String>> = IndexMap::new();
    for file in files {
        groups.entry(sides(file)).or_default().push(file.file.clone());
    }
    let lines = groups.iter().flat_map(|(sides, names)| {
        let lines = match verbose {
            true => names.clone(),
            false => vec![name_list(names)],
        };
        lines.into_iter().map(move |names| format!("{names} ({sides})"))
    });
    lines.collect()
}

/// The origin of a suppression: the option, or the comment and its place.
pub(in crate::report::diff) fn suppression(suppression: &SuppressionEntry) -> String {
    let impact = suppression.impact.map(Impact::name);
    let mut text = match (&suppression.target, impact) {
        (Some(name), Some(impact)) => format!("--allow {name}:{impact}"),
        (Some(name), None) => format!("--allow {name}"),
        (None, Some(impact)) => format!("# hotplate: allow {impact}"),
        (None, None) => "# hotplate: allow".to_owned(),
    };
    if let Some(reason) = &suppression.reason {
        text.push_str(&format!(" ({reason})"));
    }
    if let Some(written) = &suppression.place {
        text.push_str(&format!(", {}", place(written)));
    }
    text
}

/// The first five names, and the number of the others.
pub(crate) fn name_list(names: &[String]) -> String {
    first_names(names, 5)
}

/// The first names, and the number of the others.
pub(crate) fn first_names(names: &[String], most: usize) -> String {
    let (shown, more) = names.split_at(names.len().min(most));
    let mut text = shown.join(", ");
    if !more.is_empty() {
        text.push_str(&format!(" and {} more", more.len()));
    }
    text
}
