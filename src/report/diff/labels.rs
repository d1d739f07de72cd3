//! The phrases of the reports, so that all formats use the same ones.

use super::model::{
    Counts, EnvironmentEntry, ImpactSummary, ListItemMatch, ParameterEntry, ParameterEntryDetail,
    PropagationEntry, ReasonEntry, Refusal, Report, ReportSet, SecurityEntry, SourcePlace,
    SuppressionEntry, UnreadFileEntry,
};
use super::model::{
    PartKind, ResourceEntry, SectionEntry, TemplateFinding, TemplateReport, TextParts, ValueChange,
};
use super::{inputs_summary, verdict};
use crate::diff::{
    AccessChange, EntryStatus, EnvironmentKind, FileStatus, FindingSide, Impact, MatchReason,
    ParameterAspect, SecurityKind,
};
use source_diagnostics::Severity;

/// What happens to a resource: `port is replaced`.
pub(in crate::report) fn impact_phrase(impact: Impact) -> &'static str {
    match impact {
        Impact::Refused => "is refused",
        Impact::Delete => "is deleted",
        Impact::Replace => "is replaced",
        Impact::NotCompared => "is not compared",
        Impact::MayReplace => "may be replaced",
        Impact::Rebuild => "is rebuilt",
        Impact::Snapshot => "is deleted after a snapshot",
        Impact::Retain => "leaves the stack and is kept",
        Impact::Create => "is created",
        Impact::Adopt => "is adopted",
        Impact::Update => "is updated in place",
        Impact::NoopUpdate => "is updated without effect",
        Impact::None => "is unchanged",
    }
}

/// The impact after a count: `2 replaced`.
pub(super) fn impact_count_phrase(impact: Impact) -> &'static str {
    match impact {
        Impact::Refused => "refused",
        Impact::Delete => "deleted",
        Impact::Replace => "replaced",
        Impact::NotCompared => "not compared",
        Impact::MayReplace => "may be replaced",
        Impact::Rebuild => "rebuilt",
        Impact::Snapshot => "deleted after a snapshot",
        Impact::Retain => "retained",
        Impact::Create => "created",
        Impact::Adopt => "adopted",
        Impact::Update => "updated in place",
        Impact::NoopUpdate => "updated without effect",
        Impact::None => "unchanged",
    }
}

/// A mark that distinguishes impacts without colors.
pub(super) fn impact_mark(impact: Impact) -> &'static str {
    match impact {
        Impact::Refused => "!",
        Impact::Delete => "-",
        Impact::Replace => "-/+",
        Impact::NotCompared => "?",
        Impact::MayReplace => "-/+?",
        Impact::Rebuild => "!~",
        Impact::Snapshot | Impact::Retain => "<",
        Impact::Create => "+",
        Impact::Adopt => ">",
        Impact::Update => "~",
        Impact::NoopUpdate => "=",
        Impact::None => " ",
    }
}

/// A count with its noun, which gets an `s` unless the count is one.
pub(super) fn counted_noun(count: usize, of: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {of}{plural}")
}

/// Whether an impact is a difference to users; equal values, also if written differently, are not.
pub(super) fn is_difference(impact: Impact) -> bool {
    !matches!(impact, Impact::NoopUpdate | Impact::None)
}

fn impact_counts(summary: &ImpactSummary, of: impl Iterator<Item = Impact>) -> Vec<String> {
    let counts = of.map(|impact| (impact, summary.of(impact))).filter(|(_, count)| *count > 0);
    counts.map(|(impact, count)| format!("{count} {}", impact_count_phrase(impact))).collect()
}

/// The added and deleted template files: `2 templates added (12 resources), 1 removed (3 resources)`; empty
/// if there are none.
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

/// Whether there is more to report about a template than its added or deleted file: it may have a
/// stack, or Heat would refuse to create one.
pub(super) fn has_stack_changes(template: &TemplateReport) -> bool {
    let (summary, counts) = template.totals();
    template.file == FileStatus::Existing
        || !template.compared
        || counts.refusals + counts.unread_files > 0
        || summary.0.values().any(|count| *count > 0)
}

/// The text if a side cannot be read.
pub(super) const NOT_COMPARED: &str = "not compared: one side cannot be read";

/// The first line about one template.
pub(super) fn template_headline(template: &TemplateReport) -> String {
    let files = files(&template.totals().1);
    match () {
        () if !template.compared => NOT_COMPARED.to_owned(),
        () if !has_stack_changes(template) => files,
        () if !differs(template) => super::text::NOTHING.to_owned(),
        () if files.is_empty() => template.verdict.line(),
        () => format!("{}; {files}", template.verdict.line()),
    }
}

/// The first line about many templates: the impacts, then the number of templates, and added
/// and deleted files.
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
        _ => (set.verdict.line(), format!(" in {differ} of {of}{files}")),
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

/// The status of a template's file: `added: 12 resources`.
pub(super) fn file_status(template: &TemplateReport) -> String {
    let of = counted_noun(template.resources.len(), "resource");
    match template.file {
        FileStatus::Added => format!("added: {of}"),
        FileStatus::Removed => format!("removed: {of}"),
        FileStatus::Existing => of,
    }
}

/// The counts that are not in the headline: `2 updated without effect, 14 unchanged`; empty if there are none.
pub(super) fn remaining_counts(summary: &ImpactSummary) -> String {
    impact_counts(summary, [Impact::NoopUpdate, Impact::None].into_iter()).join(", ")
}

/// The number of other differences: `2 parameters, 1 output`; empty if there are none.
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

/// Whether a parameter differs in more than documentation.
pub(super) fn is_reported(parameter: &ParameterEntry, verbose: bool) -> bool {
    verbose
        || parameter.change != EntryStatus::Changed
        || parameter.details.iter().any(|detail| detail.aspect != ParameterAspect::Documentation)
}

/// Whether anything differs to users.
pub(super) fn differs(template: &TemplateReport) -> bool {
    template.resources.iter().any(|resource| is_difference(resource.effective_impact))
        || !other_counts(&template.counts).is_empty()
        || !template.refusals.is_empty()
        || !template.unread.is_empty()
        || !template.environment.is_empty()
        || !template.security.is_empty()
}

/// The findings that are reported one by one: those that the change introduces. If nothing could be compared,
/// the errors of either side that are the cause.
pub(super) fn findings(template: &TemplateReport) -> impl Iterator<Item = &TemplateFinding> {
    // New errors for which Heat refuses the template are reported as such.
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

/// The number of findings that the old side has, which are only counted. `None` if there are none.
pub(super) fn old_findings(template: &TemplateReport) -> Option<String> {
    let of = |side| template.findings.iter().filter(|it| it.side == side).count();
    let findings = |count: usize| counted_noun(count, "finding");
    let sides = match (of(FindingSide::Both), of(FindingSide::Old)) {
        _ if !template.compared => return None,
        (0, 0) => return None,
        (both, 0) => format!("{} on both sides, unchanged", findings(both)),
        (0, old) => format!("{} on the old side only", findings(old)),
        (both, old) => {
            format!("{} on both sides, unchanged, {old} on the old side only", findings(both))
        }
    };
    Some(sides)
}

/// The place and severity of a finding: `new.yaml:3:7: ` and `error[HP0101]`.
pub(super) fn finding_prefix(entry: &TemplateFinding) -> (String, String) {
    let finding = &entry.finding;
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

/// The number of places of a finding, after its message; empty for one.
pub(super) fn place_count(entry: &TemplateFinding) -> String {
    if entry.places > 1 { format!(" (in {} places)", entry.places) } else { String::new() }
}

/// The names of both sides, only one if they are equal, and the deployment.
pub(super) fn names(template: &TemplateReport) -> String {
    let sides = match (template.old.as_deref(), template.new.as_deref()) {
        (Some(old), Some(new)) if old == new => old.to_owned(),
        (Some(old), Some(new)) => format!("{old} → {new}"),
        (Some(old), None) => format!("{old} (deleted)"),
        (None, Some(new)) => format!("{new} (new)"),
        (None, None) => String::new(),
    };
    match &template.deployment {
        Some(deployment) => format!("{sides} (deployment {deployment})"),
        None => sides,
    }
}

/// The resources to show, the worst first, those with the same impact in their order.
pub(super) fn worst_first(template: &TemplateReport, verbose: bool) -> Vec<&ResourceEntry> {
    let is_shown = |impact| is_difference(impact) || verbose && impact == Impact::NoopUpdate;
    let mut shown: Vec<_> =
        template.resources.iter().filter(|it| is_shown(it.effective_impact)).collect();
    shown.sort_by_key(|resource| verdict::order(resource));
    shown
}

/// The type of a resource, with the old one if it differs; for a template, only the file name.
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

/// A name with the number of resources it represents.
pub(super) fn name_with_count(name: &str, count: usize) -> String {
    if count == 1 { name.to_owned() } else { format!("{name} (×{count})") }
}

/// The differences to show. A moved item is shown only if nothing else differs, or on request.
pub(super) fn reported_changes(changes: &[ValueChange], explain_match: bool) -> Vec<&ValueChange> {
    let differs = |change: &&ValueChange| {
        change.old.is_some() || change.new.is_some() || change.text.is_some()
    };
    let different: Vec<_> = changes.iter().filter(differs).collect();
    if different.is_empty() || explain_match { changes.iter().collect() } else { different }
}

/// Whether a rule only says that a part is updated in place.
pub(super) fn is_plain(reason: &ReasonEntry) -> bool {
    reason.impact == Impact::Update
        && matches!(reason.rule.as_str(), "updatable" | "nested-parameter" | "definition")
}

/// The location of a reason's differences. A property with the name of a section is marked as a property.
pub(super) fn label(reason: &ReasonEntry) -> String {
    property(reason.part, &reason.path)
}

/// A property or another part; a property named `metadata` is distinguished from the section.
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

/// The location of a difference, with the included files that changed and what may differ besides:
/// `user_data (boot.sh)`.
pub(super) fn change_name(path: String, change: &ValueChange) -> String {
    let mut notes = Vec::new();
    if change.unresolved && equal_texts(change).is_none() {
        notes.push("may differ".to_owned());
    }
    notes.extend(change.files.iter().cloned());
    if let Some(parts) = change.text.as_ref().filter(|_| equal_texts(change).is_none()) {
        notes.extend(parts.may_differ.iter().map(|name| part_difference(name, parts)));
    }
    match (notes.is_empty(), path.is_empty()) {
        (true, _) => path,
        (false, true) => format!("({})", notes.join("; ")),
        (false, false) => format!("{path} ({})", notes.join("; ")),
    }
}

/// What differs in two texts that are shown alike; `None` if there is more to show.
pub(super) fn equal_texts(change: &ValueChange) -> Option<String> {
    let parts = change.text.as_ref()?;
    if change.old.is_some() || change.new.is_some() {
        return None;
    }
    let named: Vec<String> =
        parts.may_differ.iter().map(|name| part_difference(name, parts)).collect();
    Some(format!("the same, but {}", named.join(", ")))
}

/// Whether a part of a text differs: `<host> may differ`.
fn part_difference(name: &str, parts: &TextParts) -> String {
    if parts.secret.iter().any(|secret| secret == name) {
        format!("<{name}> differs (hidden)")
    } else {
        format!("<{name}> may differ")
    }
}

/// A place: file and line.
pub(super) fn place(SourcePlace { place, .. }: &SourcePlace) -> String {
    format!("{}:{}", place.path, place.start.line)
}

/// Both places, or the one that exists; empty if there is none.
pub(super) fn places(old: Option<&SourcePlace>, new: Option<&SourcePlace>) -> String {
    match (old, new) {
        (Some(old), Some(new)) if old.place.path == new.place.path => {
            let (was, is) = (old.place.start.line, new.place.start.line);
            if was == is { place(new) } else { format!("{}:{was}→{is}", new.place.path) }
        }
        (Some(old), Some(new)) => format!("{} → {}", place(old), place(new)),
        (one, other) => one.or(other).map(place).unwrap_or_default(),
    }
}

/// The chain of a propagation, with the number of names that are omitted in the middle.
pub(super) fn chain(names: &[String], omitted: usize, name: impl Fn(&str) -> String) -> String {
    let mut shown: Vec<_> = names.iter().map(|it| name(it)).collect();
    if omitted > 0 {
        shown.insert(shown.len() / 2, format!("… {omitted} more …"));
    }
    shown.join(" → ")
}

/// What happens to the resource that is read: `is replaced`, `is updated in place and its attribute name changes`. `steps` is the number
/// of resources before it in the chain.
pub(super) fn source_phrase(
    impact: Impact,
    (attribute, certain): (Option<&str>, bool),
    steps: usize,
    name: impl Fn(&str) -> String,
) -> String {
    let phrase = impact_phrase(impact);
    let Some(attribute) = attribute.map(name) else { return phrase.to_owned() };
    // A resource that is the same, and one that may be so, has another value all the same.
    let is_same = matches!(impact, Impact::None | Impact::NoopUpdate);
    match (is_same, certain) {
        (true, true) => format!("has a new value of its attribute {attribute}"),
        (false, true) => format!("{phrase} and its attribute {attribute} changes"),
        (false, false) if steps == 0 => {
            format!("{phrase} and its attribute {attribute} may change")
        }
        (_, false) => format!("may have a new value of its attribute {attribute}"),
    }
}

/// What happens to the resource that a resource reads.
pub(super) fn propagation_phrase(
    propagation: &PropagationEntry,
    name: impl Fn(&str) -> String,
) -> String {
    let PropagationEntry { source_impact, attribute, certain, chain, .. } = propagation;
    source_phrase(
        *source_impact,
        (attribute.as_deref(), *certain),
        chain.len().saturating_sub(2),
        name,
    )
}

/// Why another resource changes this one: `port is replaced: port → server`.
pub(super) fn propagation(propagation: &PropagationEntry) -> String {
    let chain = if propagation.chain.len() > 1 {
        format!(": {}", chain(&propagation.chain, propagation.omitted, str::to_owned))
    } else {
        String::new()
    };
    let phrase = propagation_phrase(propagation, str::to_owned);
    format!("because {} {phrase}{chain}", propagation.source)
}

/// Why the value of an output changes although its definition is the same; `None` if the definition differs. `name` writes a name in
/// the format of the report.
pub(super) fn output_cause(entry: &SectionEntry, name: impl Fn(&str) -> String) -> Option<String> {
    let [first, others @ ..] = entry.propagations.as_slice() else { return None };
    if entry.change != EntryStatus::Affected {
        return None;
    }
    let phrase = source_phrase(
        first.source_impact,
        (first.attribute.as_deref(), first.certain),
        first.chain.len().saturating_sub(1),
        &name,
    );
    let chain = match first.chain.len() {
        0 | 1 => String::new(),
        _ => format!(": {}", chain(&first.chain, first.omitted, &name)),
    };
    let others = match others.len() {
        0 => String::new(),
        count => format!(" (and {})", counted_noun(count, "other resource")),
    };
    let changes = match entry.propagations.iter().any(|it| it.certain) {
        true => "changes",
        false => "may change",
    };
    let source = name(&first.source);
    let change = change(&entry.change);
    Some(format!("{change}: {changes} because {source} {phrase}{chain}{others}"))
}

/// The old and the new name of a renamed resource; `None` if it is not renamed.
pub(super) fn rename_names(resource: &ResourceEntry) -> Option<(&str, &str)> {
    match (&resource.renamed_from, &resource.renamed_to) {
        (_, Some(new)) => Some((&resource.name, new)),
        (Some(old), None) => Some((old, &resource.name)),
        (None, None) => None,
    }
}

/// What Heat does to a renamed resource; `None` if it is not renamed.
pub(super) fn rename(resource: &ResourceEntry) -> Option<String> {
    let (old, new) = rename_names(resource)?;
    Some(format!("{}: Heat deletes {old} and creates {new}", rename_word(old, new)))
}

/// Whether a resource is renamed in its stack, or moved into another one.
pub(super) fn rename_word(old: &str, new: &str) -> &'static str {
    let stack = |name: &str| name.rsplit_once('/').map_or(0, |(outer, _)| outer.len());
    match old[..stack(old)] == new[..stack(new)] {
        true => "renamed",
        false => "moved to another stack",
    }
}

/// Why two things are treated as the same.
pub(super) fn match_reason(by: &MatchReason) -> String {
    match by {
        MatchReason::Equal => "they are equal".to_owned(),
        MatchReason::Identity { keys, value } => format!("same {} ({value})", keys.join(", ")),
        MatchReason::UniqueKey { key, value } => {
            format!("same {key} ({value}), which is unique on both sides")
        }
        MatchReason::Content { alike } => format!("most similar, {alike} %"),
        MatchReason::Position => "same position".to_owned(),
        MatchReason::Alone => "no counterpart on the other side".to_owned(),
    }
}

/// Why an old and a new list item are treated as the same.
pub(super) fn item_match(item: &ListItemMatch) -> String {
    let moved = match (item.old, item.new) {
        (Some(old), Some(new)) if old != new => format!(" was item {old}"),
        (Some(_), Some(_)) => " stayed".to_owned(),
        (Some(_), None) => " removed".to_owned(),
        (None, _) => " added".to_owned(),
    };
    format!("{}{moved}: {}", item.path, match_reason(&item.by))
}

/// Whether an entry is added, removed, changed or renamed, as one character.
pub(super) fn change_mark(change: &EntryStatus) -> &'static str {
    match change {
        EntryStatus::Added => "+",
        EntryStatus::Removed => "-",
        EntryStatus::Changed | EntryStatus::Affected => "~",
        EntryStatus::Renamed { .. } => ">",
    }
}

/// Whether an entry is added, removed, changed or renamed.
pub(super) fn change(change: &EntryStatus) -> String {
    match change {
        EntryStatus::Added => "added".to_owned(),
        EntryStatus::Removed => "removed".to_owned(),
        EntryStatus::Changed => "changed".to_owned(),
        EntryStatus::Renamed { from } => format!("renamed from {from}"),
        EntryStatus::Affected => "known after the update".to_owned(),
    }
}

/// The name of an aspect of a parameter.
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

/// Details of a parameter with their names; equal details are merged, such as a default that
/// is also the value.
pub(super) fn details(
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
        match grouped.iter_mut().find(|(_, it)| it.old == detail.old && it.new == detail.new) {
            Some((names, _)) => *names = format!("{names}, {name}"),
            None => grouped.push((name.to_owned(), detail)),
        }
    }
    grouped
}

/// Why Heat refuses the update because of a parameter.
pub(super) fn immutable_parameter(name: &str) -> String {
    format!("Heat refuses this update: parameter `{name}` is immutable")
}

/// Whether a new parameter has no value, or an old one loses its default: then each deployment must give it a value.
pub(super) fn must_be_given(parameter: &ParameterEntry) -> bool {
    let of = |aspect| parameter.details.iter().find(move |detail| detail.aspect == aspect);
    match parameter.change {
        EntryStatus::Added => {
            let value = of(ParameterAspect::Value).and_then(|detail| detail.new.as_ref());
            value.is_some_and(|value| {
                value.get("$unknown").is_some() || value.get("$error").is_some()
            })
        }
        EntryStatus::Changed | EntryStatus::Renamed { .. } => {
            of(ParameterAspect::Default).is_some_and(|it| it.old.is_some() && it.new.is_none())
        }
        EntryStatus::Affected | EntryStatus::Removed => false,
    }
}

/// The sentence for a parameter that must be given a value.
pub(super) const MUST_BE_GIVEN: &str = "no default: must be given";

/// The kind of an environment's entry, with its name.
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

/// The security changes that are reported one by one, and the names of the resources whose scripts change. Such a change is
/// among the reasons of its resource, with its lines; if there are several, their number is enough.
pub(super) fn security(template: &TemplateReport) -> (Vec<&SecurityEntry>, Vec<String>) {
    let is_script = |it: &&SecurityEntry| {
        it.kind == SecurityKind::UserData && it.verdict == AccessChange::Changed
    };
    let (scripts, mut others): (Vec<_>, Vec<_>) = template.security.iter().partition(is_script);
    let mut names: Vec<String> = Vec::new();
    if scripts.len() > 1 {
        names.extend(scripts.iter().map(|it| it.resource.clone()));
        names.dedup();
    } else {
        others.extend(scripts);
    }
    // What allows more comes first.
    others.sort_by_key(|it| it.verdict);
    (others, names)
}

/// What is said once about the resources whose scripts change.
pub(super) fn scripts(names: &[String]) -> String {
    let of = counted_noun(names.len(), "resource");
    format!("the scripts and configurations of {of} change: {}", name_list(names))
}

/// Whether more or less access is allowed.
pub(super) fn verdict(verdict: AccessChange) -> &'static str {
    match verdict {
        AccessChange::Widened => "widened",
        AccessChange::Initial => "new",
        AccessChange::Changed => "changed",
        AccessChange::Narrowed => "narrowed",
    }
}

/// The errors for which Heat refuses the new template as a whole. Errors that the old side also has are
/// among the findings, errors of a resource among its reasons.
pub(super) fn refusals(template: &TemplateReport) -> impl Iterator<Item = &Refusal> + Clone {
    template.refusals.iter().filter(|refusal| !refusal.before && refusal.resource.is_none())
}

/// An error for which Heat refuses the template, on one line.
pub(super) fn refusal(refusal: &Refusal) -> String {
    let place = refusal.new_place.as_ref().map(|span| format!("  {}", place(span)));
    let before = if refusal.before { " (before and after the change)" } else { "" };
    format!("{} {}{before}{}", refusal.code, refusal.message, place.unwrap_or_default())
}

/// An unreadable file, with its sides.
pub(super) fn unread(unread: &UnreadFileEntry) -> String {
    let sides = match (unread.old, unread.new) {
        (true, false) => "before",
        (false, true) => "after",
        (true, true) | (false, false) => "before and after",
    };
    format!("{} ({sides})", unread.file)
}

/// The origin of a suppression: the option, or the comment and its place.
pub(super) fn suppression(suppression: &SuppressionEntry) -> String {
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

/// The first names, and the number of the others.
pub(super) fn name_list(names: &[String]) -> String {
    const MOST: usize = 5;
    let (shown, more) = names.split_at(names.len().min(MOST));
    let mut text = shown.join(", ");
    if !more.is_empty() {
        text.push_str(&format!(" and {} more", more.len()));
    }
    text
}
