//! The words of the reports for people: one home for each, so that all formats say the same.

use super::inputs_summary;
use super::model::{
    Counts, EnvironmentEntry, ImpactSummary, ListItemMatch, ParameterEntry, ParameterEntryDetail,
    PropagationEntry, ReasonEntry, Refusal, Report, ReportSet, SourcePlace, SuppressionEntry,
    UnreadFileEntry,
};
use super::model::{PartKind, ResourceEntry, TemplateFinding, TemplateReport, ValueChange};
use crate::diff::{
    AccessChange, EntryStatus, EnvironmentKind, FileStatus, FindingSide, Impact, MatchReason,
    ParameterAspect,
};
use source_diagnostics::Severity;

/// What happens to a resource: `port is replaced`.
pub(super) fn impact_phrase(impact: Impact) -> &'static str {
    match impact {
        Impact::Refused => "is refused",
        Impact::Delete => "is deleted",
        Impact::Replace => "is replaced",
        Impact::NotCompared => "is not compared",
        Impact::MayReplace => "may be replaced",
        Impact::Snapshot => "is deleted after a snapshot",
        Impact::Retain => "leaves the stack and stays",
        Impact::Create => "is created",
        Impact::Adopt => "is adopted",
        Impact::Update => "is updated in place",
        Impact::NoopUpdate => "is updated without effect",
        Impact::None => "is unchanged",
    }
}

/// What so many resources are: `2 replaced`.
fn impact_count_phrase(impact: Impact) -> &'static str {
    match impact {
        Impact::Refused => "refused",
        Impact::Delete => "deleted",
        Impact::Replace => "replaced",
        Impact::NotCompared => "not compared",
        Impact::MayReplace => "perhaps replaced",
        Impact::Snapshot => "deleted after a snapshot",
        Impact::Retain => "retained",
        Impact::Create => "created",
        Impact::Adopt => "adopted",
        Impact::Update => "updated in place",
        Impact::NoopUpdate => "updated without effect",
        Impact::None => "unchanged",
    }
}

/// A mark that tells impacts apart without colours.
pub(super) fn impact_mark(impact: Impact) -> &'static str {
    match impact {
        Impact::Refused => "!",
        Impact::Delete => "-",
        Impact::Replace => "-/+",
        Impact::NotCompared => "?",
        Impact::MayReplace => "-/+?",
        Impact::Snapshot | Impact::Retain => "<",
        Impact::Create => "+",
        Impact::Adopt => ">",
        Impact::Update => "~",
        Impact::NoopUpdate => "=",
        Impact::None => " ",
    }
}

/// A number of things, with the plural's `s` where there is not one.
pub(super) fn counted_noun(count: usize, of: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {of}{plural}")
}

/// Whether an impact is a difference for people: what is the same, or spelled otherwise, is none.
pub(super) fn is_difference(impact: Impact) -> bool {
    !matches!(impact, Impact::NoopUpdate | Impact::None)
}

fn impact_counts(summary: &ImpactSummary, of: impl Iterator<Item = Impact>) -> Vec<String> {
    let counts = of.map(|impact| (impact, summary.of(impact))).filter(|(_, count)| *count > 0);
    counts.map(|(impact, count)| format!("{count} {}", impact_count_phrase(impact))).collect()
}

/// What matters most in one line, the worst first: `1 refused, 2 replaced, 3 updated in place`.
/// What is the same, or spelled otherwise, is left to [`rest`].
pub(super) fn headline(summary: &ImpactSummary, counts: &Counts) -> String {
    let mut parts = Vec::new();
    if counts.templates_not_compared > 0 {
        parts.push(format!(
            "{} not compared",
            counted_noun(counts.templates_not_compared, "template")
        ));
    }
    let errors = counted_noun(counts.refusals, "error");
    let before = counted_noun(counts.refused_before, "error");
    match (counts.refusals, counts.refused_before) {
        (0, 0) => {}
        (_, 0) => parts.push(format!("Heat refuses the new template ({errors})")),
        (0, _) => {
            parts.push(format!("Heat refuses this template, before and after ({before})"));
        }
        (_, count) => {
            parts.push(format!("Heat refuses the new template ({errors} and {count} as before)"));
        }
    }
    if counts.refused_parameters > 0 {
        let parameters = counted_noun(counts.refused_parameters, "immutable parameter");
        parts.push(format!("update refused because of {parameters}"));
    }
    if counts.unread_files > 0 {
        parts.push(format!("{} not read", counted_noun(counts.unread_files, "file")));
    }
    let resources = impact_counts(summary, Impact::ALL.into_iter().filter(|it| is_difference(*it)));
    if resources.is_empty() {
        parts.push("no resource changes".to_owned());
    }
    parts.extend(resources);
    let partly = counts.not_compared.saturating_sub(summary.of(Impact::NotCompared));
    if partly > 0 {
        parts.push(format!("{partly} of all resources compared in part only"));
    }
    if counts.widened > 0 {
        parts.push("access widened".to_owned());
    }
    parts.join(", ")
}

/// What is only new or gone as a file: `2 templates added (12 resources), 1 removed (3 resources)`; empty
/// if nothing is.
pub(super) fn files(counts: &Counts) -> String {
    let part = |templates: String, verb: &str, resources: usize| {
        format!("{templates} {verb} ({})", counted_noun(resources, "resource"))
    };
    let (added, removed) = (counts.templates_added, counts.templates_removed);
    let mut parts = Vec::new();
    if added > 0 {
        parts.push(part(counted_noun(added, "template"), "added", counts.resources_added));
    }
    if removed > 0 {
        let templates =
            if added > 0 { removed.to_string() } else { counted_noun(removed, "template") };
        parts.push(part(templates, "removed", counts.resources_removed));
    }
    parts.join(", ")
}

/// Whether there is more to tell of a template than that it is new or gone as a file: it may have a
/// stack, or Heat would not make one.
pub(super) fn has_stack_changes(template: &TemplateReport) -> bool {
    let (summary, counts) = template.totals();
    template.file == FileStatus::Existing
        || !template.compared
        || counts.refusals + counts.unread_files > 0
        || summary.0.values().any(|count| *count > 0)
}

/// What is said where a side cannot be read.
pub(super) const NOT_COMPARED: &str = "not compared: one side cannot be read";

/// The first line about one template.
pub(super) fn template_headline(template: &TemplateReport) -> String {
    let (summary, counts) = template.totals();
    let files = files(&counts);
    match () {
        () if !template.compared => NOT_COMPARED.to_owned(),
        () if !has_stack_changes(template) => files,
        () if !differs(template) => super::text::NOTHING.to_owned(),
        () if files.is_empty() => headline(&summary, &counts),
        () => format!("{}; {files}", headline(&summary, &counts)),
    }
}

/// The first line about many templates: what happens, then to how many of them, and what is only new
/// or gone as a file.
pub(super) fn set_headline(set: &ReportSet) -> (String, String) {
    let templates = set.templates.iter().filter(|it| has_stack_changes(it));
    let all = templates.clone().count();
    let differ = templates.filter(|it| differs(it) || !it.compared).count();
    let files = files(&set.counts);
    if all == 0 && !files.is_empty() {
        return (files, String::new());
    }
    let of = counted_noun(all, "template");
    let files = if files.is_empty() { files } else { format!("; {files}") };
    match differ {
        0 => (super::text::NOTHING.to_owned(), format!(" in {of}{files}")),
        _ => (headline(&set.summary, &set.counts), format!(" in {differ} of {of}{files}")),
    }
}

/// The first line of a report.
pub(super) fn report_headline(report: &Report) -> String {
    match report {
        Report::Pair(template) => template_headline(template),
        Report::Set(_) if inputs_summary::empty_reason(report).is_some() => {
            inputs_summary::empty_reason(report).unwrap_or_default()
        }
        Report::Set(set) => {
            let (what, where_) = set_headline(set);
            what + &where_
        }
    }
}

/// What became of a template's file: `added: 12 resources`.
pub(super) fn file_status(template: &TemplateReport) -> String {
    let of = counted_noun(template.resources.len(), "resource");
    match template.file {
        FileStatus::Added => format!("added: {of}"),
        FileStatus::Removed => format!("removed: {of}"),
        FileStatus::Existing => of,
    }
}

/// What is not in the headline: `2 updated without effect, 14 unchanged`; empty if there is nothing.
pub(super) fn remaining_counts(summary: &ImpactSummary) -> String {
    impact_counts(summary, [Impact::NoopUpdate, Impact::None].into_iter()).join(", ")
}

/// How many other things differ: `2 parameters, 1 output`; empty if there are none.
pub(super) fn other_counts(counts: &Counts) -> String {
    let counts = [
        (counts.parameters, "parameter"),
        (counts.groups, "parameter group"),
        (counts.conditions, "condition"),
        (counts.outputs, "output"),
    ];
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    counts.map(|(count, of)| counted_noun(*count, of)).collect::<Vec<_>>().join(", ")
}

/// Whether a parameter differs in more than what is written about it.
pub(super) fn is_reported(parameter: &ParameterEntry, verbose: bool) -> bool {
    verbose
        || parameter.change != EntryStatus::Changed
        || parameter.details.iter().any(|detail| detail.aspect != ParameterAspect::Documentation)
}

/// Whether anything is a difference for people.
pub(super) fn differs(template: &TemplateReport) -> bool {
    template.resources.iter().any(|resource| is_difference(resource.effective_impact))
        || !other_counts(&template.counts).is_empty()
        || !template.refusals.is_empty()
        || !template.unread.is_empty()
        || !template.environment.is_empty()
        || !template.security.is_empty()
}

/// The findings that are told one by one: those that the change brings. Where nothing could be compared
/// it is the errors because of which, on whichever side.
pub(super) fn findings(template: &TemplateReport) -> impl Iterator<Item = &TemplateFinding> {
    // What Heat refuses anew is told as that.
    let is_refusal = |it: &TemplateFinding| {
        let mut refusals = template.refusals.iter().filter(|refusal| !refusal.before);
        let code = it.finding.code.info().id;
        refusals.any(|refusal| refusal.code == code && refusal.message == it.finding.message)
    };
    template.findings.iter().filter(move |it| match template.compared {
        true => it.side == FindingSide::New && !is_refusal(it),
        false => it.finding.severity == Severity::Error,
    })
}

/// How many findings are counted only: those that the old side has. `None` if there are none.
pub(super) fn old_findings(template: &TemplateReport) -> Option<String> {
    let of = |side| template.findings.iter().filter(|it| it.side == side).count();
    let stand = |count: usize| {
        let verb = if count == 1 { "stands" } else { "stand" };
        format!("{} {verb}", counted_noun(count, "finding"))
    };
    let told = match (of(FindingSide::Both), of(FindingSide::Old)) {
        _ if !template.compared => return None,
        (0, 0) => return None,
        (both, 0) => format!("{} on both sides, unchanged", stand(both)),
        (0, old) => format!("{} on the old side only", stand(old)),
        (both, old) => {
            format!("{} on both sides, unchanged, {old} on the old side only", stand(both))
        }
    };
    Some(told)
}

/// Where a finding is and how bad it is: `new.yaml:3:7: ` and `error[HP0101]`.
pub(super) fn finding_prefix(told: &TemplateFinding) -> (String, String) {
    let finding = &told.finding;
    let place = match &finding.place {
        Some(at) => format!("{}:{}:{}: ", at.path, at.start.line, at.start.column),
        None => String::new(),
    };
    let severity = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    (place, format!("{severity}[{}]", finding.code))
}

/// In how many places a finding stands, after its message; empty for one.
pub(super) fn place_count(told: &TemplateFinding) -> String {
    if told.places > 1 { format!(" (in {} places)", told.places) } else { String::new() }
}

/// The names of both sides: one if they are the same.
pub(super) fn names(template: &TemplateReport) -> String {
    match (template.old.as_deref(), template.new.as_deref()) {
        (Some(old), Some(new)) if old == new => old.to_owned(),
        (Some(old), Some(new)) => format!("{old} → {new}"),
        (Some(old), None) => format!("{old} (deleted)"),
        (None, Some(new)) => format!("{new} (new)"),
        (None, None) => String::new(),
    }
}

/// The resources that are to be shown, the worst first, those of one impact in their order.
pub(super) fn worst_first(template: &TemplateReport, verbose: bool) -> Vec<&ResourceEntry> {
    let is_shown = |impact| is_difference(impact) || verbose && impact == Impact::NoopUpdate;
    let mut shown: Vec<_> =
        template.resources.iter().filter(|it| is_shown(it.effective_impact)).collect();
    shown.sort_by_key(|resource| resource.effective_impact);
    shown
}

/// The type of a resource, with the old one where that is another. Of a file its name is enough.
pub(super) fn kind(resource: &ResourceEntry) -> String {
    let named = |kind: &str| {
        let file = kind.strip_prefix("file://").and_then(|path| path.rsplit('/').next());
        file.unwrap_or(kind).to_owned()
    };
    match (&resource.old_type, &resource.kind) {
        (Some(old), Some(new)) => format!("{} → {}", named(old), named(new)),
        (_, kind) => kind.as_deref().map(named).unwrap_or_default(),
    }
}

/// A name with how many resources it stands for.
pub(super) fn name_with_count(name: &str, count: usize) -> String {
    if count == 1 { name.to_owned() } else { format!("{name} (×{count})") }
}

/// The differences that are shown. That an item moved is told only if it is all, or asked for.
pub(super) fn reported_changes(changes: &[ValueChange], explain_match: bool) -> Vec<&ValueChange> {
    let says = |change: &&ValueChange| change.old.is_some() || change.new.is_some();
    let told: Vec<_> = changes.iter().filter(says).collect();
    if told.is_empty() || explain_match { changes.iter().collect() } else { told }
}

/// Whether a rule says no more than that a part is updated in place.
pub(super) fn is_plain(reason: &ReasonEntry) -> bool {
    reason.impact == Impact::Update
        && matches!(reason.rule.as_str(), "updatable" | "nested-parameter" | "definition")
}

/// Where the differences of a reason are. A property that is named like a section says that it is one.
pub(super) fn label(reason: &ReasonEntry) -> String {
    property(reason.part, &reason.path)
}

/// A property or another part, so that a property named `metadata` is not taken for the section.
pub(super) fn property(part: PartKind, path: &str) -> String {
    const PARTS: [&str; 10] = [
        "resource",
        "type",
        "properties",
        "metadata",
        "depends_on",
        "deletion_policy",
        "update_policy",
        "external_id",
        "condition",
        "description",
    ];
    let first = path.split(['.', '[']).next().unwrap_or_default();
    match part {
        PartKind::Property if PARTS.contains(&first) => format!("properties.{path}"),
        PartKind::Property
        | PartKind::Resource
        | PartKind::Type
        | PartKind::Properties
        | PartKind::Metadata
        | PartKind::DependsOn
        | PartKind::DeletionPolicy
        | PartKind::UpdatePolicy
        | PartKind::ExternalId
        | PartKind::Condition
        | PartKind::Description => path.to_owned(),
    }
}

/// A place: file and line.
pub(super) fn place(SourcePlace { place, .. }: &SourcePlace) -> String {
    format!("{}:{}", place.path, place.start.line)
}

/// Both places, or the one that there is; empty if there is none.
pub(super) fn places(old: Option<&SourcePlace>, new: Option<&SourcePlace>) -> String {
    let both: Vec<String> = [old, new].into_iter().flatten().map(place).collect();
    both.join(" → ")
}

/// Why something else changes a resource: `port is replaced: port → server`.
pub(super) fn propagation(ripple: &PropagationEntry) -> String {
    let chain = if ripple.chain.len() > 1 {
        format!(": {}", ripple.chain.join(" → "))
    } else {
        String::new()
    };
    format!("because {} {}{chain}", ripple.because, impact_phrase(ripple.cause))
}

/// The old and the new name of what a resource holds; `None` where it has one name only.
pub(super) fn rename_names(resource: &ResourceEntry) -> Option<(&str, &str)> {
    match (&resource.renamed_from, &resource.renamed_to) {
        (_, Some(new)) => Some((&resource.name, new)),
        (Some(old), None) => Some((old, &resource.name)),
        (None, None) => None,
    }
}

/// The truth about another name; `None` where there is none.
pub(super) fn rename(resource: &ResourceEntry) -> Option<String> {
    let (old, new) = rename_names(resource)?;
    Some(format!("renamed: Heat deletes {old} and creates {new}"))
}

/// Why two things are taken for the same.
pub(super) fn match_reason(by: &MatchReason) -> String {
    match by {
        MatchReason::Equal => "they are equal".to_owned(),
        MatchReason::Identity { keys, value } => format!("same {} ({value})", keys.join(", ")),
        MatchReason::UniqueKey { key, value } => {
            format!("same {key} ({value}), which is unique on both sides")
        }
        MatchReason::Content { alike } => format!("the most alike, {alike} %"),
        MatchReason::Position => "same position".to_owned(),
        MatchReason::Alone => "no such item on the other side".to_owned(),
    }
}

/// Why an item of a list is taken for the one that it was.
pub(super) fn item_match(item: &ListItemMatch) -> String {
    let moved = match (item.old, item.new) {
        (Some(old), Some(new)) if old != new => format!(" was item {old}"),
        (Some(_), Some(_)) => " stayed".to_owned(),
        (Some(_), None) => " is gone".to_owned(),
        (None, _) => " is new".to_owned(),
    };
    format!("{}{moved}: {}", item.path, match_reason(&item.by))
}

/// What became of an entry, in one character.
pub(super) fn change_mark(change: &EntryStatus) -> &'static str {
    match change {
        EntryStatus::Added => "+",
        EntryStatus::Removed => "-",
        EntryStatus::Changed => "~",
        EntryStatus::Renamed { .. } => ">",
    }
}

/// What became of an entry.
pub(super) fn change(change: &EntryStatus) -> String {
    match change {
        EntryStatus::Added => "added".to_owned(),
        EntryStatus::Removed => "removed".to_owned(),
        EntryStatus::Changed => "changed".to_owned(),
        EntryStatus::Renamed { from } => format!("renamed from {from}"),
    }
}

/// What a detail of a parameter is about.
pub(super) fn aspect(aspect: ParameterAspect) -> &'static str {
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

/// Details of a parameter with their names; what is new in the same way is told once: a default that
/// is also the value.
pub(super) fn details(details: Vec<&ParameterEntryDetail>) -> Vec<(String, &ParameterEntryDetail)> {
    let mut told: Vec<(String, &ParameterEntryDetail)> = Vec::new();
    for detail in details {
        let name = aspect(detail.aspect);
        match told.iter_mut().find(|(_, it)| it.old == detail.old && it.new == detail.new) {
            Some((names, _)) => *names = format!("{names}, {name}"),
            None => told.push((name.to_owned(), detail)),
        }
    }
    told
}

/// What of an environment it is, with its name.
pub(super) fn environment(environment: &EnvironmentEntry) -> String {
    let kind = match environment.kind {
        EnvironmentKind::File => "file",
        EnvironmentKind::Registry => "registry",
        EnvironmentKind::Restriction => "restriction of",
        EnvironmentKind::Parameter => "parameter",
        EnvironmentKind::ParameterDefault => "parameter default",
    };
    format!("{kind} {}", environment.name)
}

/// More or less.
pub(super) fn verdict(verdict: AccessChange) -> &'static str {
    match verdict {
        AccessChange::Widened => "widened",
        AccessChange::Changed => "changed",
        AccessChange::Narrowed => "narrowed",
    }
}

/// The errors for which Heat refuses the new template as a whole. What the old side has too stands
/// among the findings, what belongs to a resource among its reasons.
pub(super) fn refusals(template: &TemplateReport) -> impl Iterator<Item = &Refusal> + Clone {
    template.refusals.iter().filter(|refusal| !refusal.before && refusal.resource.is_none())
}

/// Why Heat refuses the template, in a line.
pub(super) fn refusal(refusal: &Refusal) -> String {
    let place = refusal.new_place.as_ref().map(|span| format!("  {}", place(span)));
    let before = if refusal.before { ", before and after" } else { "" };
    format!("{} {}{before}{}", refusal.code, refusal.message, place.unwrap_or_default())
}

/// A file that could not be read, and on which sides.
pub(super) fn unread(unread: &UnreadFileEntry) -> String {
    let sides = match (unread.old, unread.new) {
        (true, false) => "before",
        (false, true) => "after",
        (true, true) | (false, false) => "before and after",
    };
    format!("{} ({sides})", unread.file)
}

/// Where a permission is from: the option, or the comment and its place.
pub(super) fn suppression(excuse: &SuppressionEntry) -> String {
    let impact = excuse.impact.map(Impact::name);
    let mut text = match (&excuse.named, impact) {
        (Some(name), Some(impact)) => format!("--allow {name}:{impact}"),
        (Some(name), None) => format!("--allow {name}"),
        (None, Some(impact)) => format!("# hotplate: allow {impact}"),
        (None, None) => "# hotplate: allow".to_owned(),
    };
    if let Some(reason) = &excuse.reason {
        text.push_str(&format!(" ({reason})"));
    }
    if let Some(written) = &excuse.place {
        text.push_str(&format!(", {}", place(written)));
    }
    text
}

/// A few names, and how many more there are.
pub(super) fn name_list(names: &[String]) -> String {
    const MOST: usize = 5;
    let (shown, more) = names.split_at(names.len().min(MOST));
    let mut text = shown.join(", ");
    if !more.is_empty() {
        text.push_str(&format!(" and {} more", more.len()));
    }
    text
}
