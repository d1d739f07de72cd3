//! The phrases of the reports, so that all formats use the same ones: here those of headlines, counts and findings.

mod changes;
mod sections;

pub(super) use self::changes::{
    chain, change, change_mark, change_name, equal_texts, fold_affected, is_doubtful, is_plain,
    is_unread, item_match, label, match_reason, output_cause, place, places, propagation,
    propagation_phrase, property, rename, rename_names, rename_word, reported_changes,
    unread_entries,
};
pub(super) use self::sections::{
    MUST_BE_GIVEN, aspect, details, environment, immutable_parameter, is_alarming, must_be_given,
    refusal, refusals, refused_before, scripts, security, suppression, unread, verdict,
};
pub(crate) use self::sections::{first_names, name_list};
use super::model::{
    Counts, DeploymentStatus, ImpactSummary, ParameterEntry, ReasonEntry, Report, ReportSet,
    ResourceEntry, TemplateFinding, TemplateReport, VerdictKind,
};
use super::notes::SAME_VALUE;
use super::{inputs_summary, verdict};
use crate::report::codes;
use crate::report::json::Finding;
use hotplate_diff::{
    DataEffect, EntryStatus, EnvironmentKind, FileStatus, FindingSide, Impact, ParameterAspect,
};
use indexmap::IndexSet;
use source_diagnostics::Severity;

fn impact_words(impact: Impact) -> (&'static str, &'static str, &'static str) {
    match impact {
        Impact::Refused => ("is refused", "refused", "!"),
        Impact::Delete => ("is deleted", "deleted", "-"),
        Impact::Replace => ("is replaced", "replaced", "-/+"),
        Impact::NotCompared => ("is not compared", "not compared", "?"),
        Impact::MayDelete => ("may be deleted", "may be deleted", "-?"),
        Impact::MayReplace => ("may be replaced", "may be replaced", "-/+?"),
        Impact::Rebuild => ("is rebuilt", "rebuilt", "!~"),
        Impact::Snapshot => ("is deleted after a snapshot", "deleted after a snapshot", "<"),
        Impact::Retain => ("leaves the stack and is kept", "retained", "<"),
        Impact::Create => ("is created", "created", "+"),
        Impact::Adopt => ("is adopted", "adopted", ">"),
        Impact::MayCreate => ("may be created", "may be created", "+?"),
        Impact::Update => ("is updated in place", "updated in place", "~"),
        Impact::NoopUpdate => ("is updated without effect", "updated without effect", "="),
        Impact::None => ("is unchanged", "unchanged", " "),
    }
}

/// What happens to a resource: `port is replaced`.
pub(in crate::report) fn impact_phrase(impact: Impact) -> &'static str {
    impact_words(impact).0
}

/// The impact after a count: `2 replaced`.
pub(super) fn impact_count_phrase(impact: Impact) -> &'static str {
    impact_words(impact).1
}

/// A mark that distinguishes impacts without colors.
pub(super) fn impact_mark(impact: Impact) -> &'static str {
    impact_words(impact).2
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

/// The added and deleted template files, and the added deployments: `2 templates added (12 resources), 1 removed (3 resources)`;
/// empty if there are none.
pub(super) fn files(counts: &Counts) -> String {
    let part = |what: String, verb: &str, resources: usize| {
        format!("{what} {verb} ({})", counted_noun(resources, "resource"))
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
    let deployments = counts.deployments_added;
    if deployments > 0 {
        let deployments = counted_noun(deployments, "deployment");
        parts.push(part(deployments, "added", counts.resources_deployed));
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

/// The name of the texts of a Jinja2 template.
pub(super) const TEXTS: &str = "text of the template";

/// The text about a template of which a side has errors that end the comparison.
pub(super) fn not_compared(template: &TemplateReport) -> &'static str {
    if template.findings.iter().any(|it| it.finding.code == lossless_yaml::codes::JINJA) {
        return "not compared: render the Jinja2 templates first";
    }
    let errors = template.findings.iter().filter(|it| it.finding.severity == Severity::Error);
    let sides: Vec<FindingSide> = errors.map(|it| it.side).collect();
    let has = |side| sides.contains(&side) || sides.contains(&FindingSide::Both);
    match (has(FindingSide::Old), has(FindingSide::New)) {
        (true, true) => "not compared: both sides have errors",
        (true, false) => "not compared: the old side has errors",
        (false, true) => "not compared: the new side has errors",
        (false, false) => "not compared: one side cannot be read",
    }
}

/// The first line about one template.
pub(super) fn template_headline(template: &TemplateReport) -> String {
    let files = files(&template.totals().1);
    let version = match (&template.old_version, &template.new_version) {
        (Some(old), Some(new)) if old != new => format!("version {old} → {new}"),
        _ => String::new(),
    };
    match () {
        () if !template.compared => not_compared(template).to_owned(),
        () if !has_stack_changes(template) => files,
        () if !differs(template) => nothing_in(template),
        () => {
            // What changes nothing by itself is counted where nothing else is.
            let mut parts = template.verdict.parts.iter();
            let is_quiet = template.environment.is_empty()
                && parts.all(|it| it.count == 0 || it.kind == VerdictKind::Unread);
            let others = other_counts(&template.counts);
            let known = match (is_quiet, others.is_empty()) {
                (true, false) => format!("{others} changed"),
                (true, true) if !version.is_empty() => {
                    format!("what was read is the same to Heat in both versions, {version}")
                }
                (true, true) if template.is_rewritten => rewritten(template).to_owned(),
                _ => version,
            };
            let more = [known, files].into_iter().filter(|it| !it.is_empty());
            [template.verdict.line()].into_iter().chain(more).collect::<Vec<_>>().join("; ")
        }
    }
}

/// The first line about many templates: the impacts, then the number of templates, and added
/// and deleted files.
pub(super) fn set_headline(set: &ReportSet) -> (String, String) {
    let templates = set.templates.iter().filter(|it| has_stack_changes(it));
    let all = templates.clone().count();
    let differ = templates.filter(|it| differs(it) || !it.compared).count();
    let files = files(&set.counts);
    // The verdict has them, too; these lines have none.
    let gone = match set.counts.templates_not_compared {
        0 => String::new(),
        count => format!("{} not compared, ", counted_noun(count, "template")),
    };
    if all == 0 && !files.is_empty() {
        return (gone + &files, String::new());
    }
    let of = counted_noun(all, "template");
    let files = if files.is_empty() { files } else { format!("; {files}") };
    match differ {
        0 => (gone + &nothing(&set.counts), format!(" in {of}{files}")),
        // There is nothing that it must be told apart from, or it names all of them.
        _ if (all == 1 || set.counts.templates_not_compared == all) && files.is_empty() => {
            (set.verdict.line(), String::new())
        }
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
        FileStatus::Added => match deployment(template) {
            Some(deployment) if template.is_added_deployment() => {
                format!("{deployment}: {of}")
            }
            _ => format!("added: {of}"),
        },
        FileStatus::Removed => format!("removed: {of}"),
        FileStatus::Existing => of,
    }
}

/// The counts that are not in the headline: `2 updated without effect, 14 unchanged`; empty if there are none.
pub(super) fn remaining_counts(summary: &ImpactSummary, counts: &Counts) -> String {
    let mut rest = impact_counts(summary, [Impact::NoopUpdate, Impact::None].into_iter());
    if counts.switched_off > 0 && counts.resources > 0 {
        rest.push(format!("{} switched off on both sides", counts.switched_off));
    }
    rest.join(", ")
}

/// The words if no resource is on either side because conditions disable all of them on both.
pub(super) fn all_switched_off(counts: &Counts) -> Option<String> {
    (counts.switched_off > 0 && counts.resources == 0).then(|| {
        let verb = if counts.switched_off == 1 { "is" } else { "are" };
        let resources = counted_noun(counts.switched_off, "resource");
        format!("{resources} {verb} switched off on both sides")
    })
}

/// The words if nothing differs.
pub(super) fn nothing(counts: &Counts) -> String {
    all_switched_off(counts).unwrap_or_else(|| super::text::NOTHING.to_owned())
}

/// The words about a template in which nothing differs; also about what is written differently.
pub(super) fn nothing_in(template: &TemplateReport) -> String {
    let nothing = nothing(&template.counts);
    match (&template.old_version, &template.new_version) {
        (Some(old), Some(new)) if old != new => {
            format!("{nothing}: it is the same to Heat in version {new} as in {old}")
        }
        _ if template.is_rewritten => format!("{nothing}: {}", rewritten(template)),
        _ => nothing,
    }
}

/// The words about a text that differs where nothing else does.
fn rewritten(template: &TemplateReport) -> &'static str {
    match template.notes.iter().any(|it| it.id == SAME_VALUE) {
        true => "what is written differently has the same values for these parameters",
        false => "what is written differently is the same to Heat",
    }
}

/// The number of other differences than those of the verdict: `2 parameters, 1 condition`; empty if there are none.
pub(super) fn other_counts(counts: &Counts) -> String {
    let counts = [
        (counts.parameters, "parameter"),
        (counts.groups, "parameter group"),
        (counts.conditions, "condition"),
    ];
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    counts.map(|(count, of)| counted_noun(*count, of)).collect::<Vec<_>>().join(", ")
}

/// Whether a parameter differs in more than documentation, and in more than the value that an environment sets, which is
/// reported as a difference of the environment.
pub(super) fn is_reported(
    parameter: &ParameterEntry,
    template: &TemplateReport,
    verbose: bool,
) -> bool {
    let is_set = template.environment.iter().any(|entry| {
        matches!(entry.kind, EnvironmentKind::Parameter | EnvironmentKind::ParameterDefault)
            && entry.name == parameter.name
            && entry.change == EntryStatus::Changed
    });
    verbose
        || parameter.refused
        || parameter.change != EntryStatus::Changed
        || parameter.details.iter().any(|detail| match detail.aspect {
            ParameterAspect::Documentation => false,
            ParameterAspect::Value => !is_set,
            _ => true,
        })
}

/// Whether anything differs to users.
pub(super) fn differs(template: &TemplateReport) -> bool {
    template.resources.iter().any(|resource| is_difference(resource.effective_impact))
        || template.counts.outputs > 0
        || template.counts.templates_partly_compared + template.counts.mended > 0
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

/// The maximum number of findings on the old side only that are named.
const MAX_FIXED: usize = 3;

/// The numbers of findings that the old side has, which are only counted. `None` if there are none.
pub(super) fn old_findings(template: &TemplateReport) -> Option<String> {
    let count = |side| {
        let of = |severity| {
            let of_side = template.findings.iter().filter(|it| it.side == side);
            let count = of_side.filter(|it| it.finding.severity == severity).count();
            (count > 0).then(|| counted_noun(count, codes::severity(severity)))
        };
        let counts =
            [Severity::Error, Severity::Warning, Severity::Note].into_iter().filter_map(of);
        counts.collect::<Vec<_>>().join(", ")
    };
    let (both, old) = (count(FindingSide::Both), count(FindingSide::Old));
    let both = (!both.is_empty()).then(|| format!("{both} on both sides, unchanged"));
    let old = (!old.is_empty()).then(|| {
        let fixed = template.findings.iter().filter(|it| it.side == FindingSide::Old);
        let mut fixed: Vec<&Finding> = fixed.map(|it| &it.finding).collect();
        fixed.sort_by_key(|it| std::cmp::Reverse(it.severity));
        let named = fixed.into_iter().filter(|it| it.severity != Severity::Note);
        let named: IndexSet<String> = named.map(|it| it.message.clone()).collect();
        let named: Vec<String> = named.into_iter().collect();
        let colon = if named.is_empty() { "" } else { ": " };
        format!("{old} gone with the change{colon}{}", first_names(&named, MAX_FIXED))
    });
    let sides: Vec<String> = both.into_iter().chain(old).filter(|_| template.compared).collect();
    (!sides.is_empty()).then(|| sides.join("; "))
}

/// The place and severity of a finding: `new.yaml:3:7: ` and `error[HP0101]`.
pub(super) fn finding_prefix(entry: &TemplateFinding) -> (String, String) {
    let finding = &entry.finding;
    let place = match &finding.place {
        Some(at) => format!("{}:{}:{}: ", at.path, at.start.line, at.start.column),
        None => String::new(),
    };
    (place, format!("{}[{}]", codes::severity(finding.severity), finding.code))
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
        (None, Some(new)) if template.is_added_deployment() => new.to_owned(),
        (None, Some(new)) => format!("{new} (new)"),
        (None, None) => String::new(),
    };
    match deployment(template) {
        Some(deployment) => format!("{sides} ({deployment})"),
        None => sides,
    }
}

/// Whether the data of a resource is lost, or may be.
pub(super) fn loses_data(resource: &ResourceEntry) -> bool {
    matches!(resource.data, Some(DataEffect::Lost | DataEffect::MayBeLost))
}

/// The deployment of the configuration that gives the inputs, and whether only the change under review has it.
pub(super) fn deployment(template: &TemplateReport) -> Option<String> {
    let name = template.deployment.as_ref()?;
    let status = match template.deployment_status {
        DeploymentStatus::Existing => "",
        DeploymentStatus::New => "new ",
        DeploymentStatus::Changed => "changed ",
    };
    let evidence = template.deployment_evidence.iter().map(|it| format!(" {it}"));
    Some(format!("{status}deployment {name}{}", evidence.collect::<String>()))
}

/// The resources to show, the worst first, those with the same impact in their order.
pub(super) fn worst_first(template: &TemplateReport, verbose: bool) -> Vec<&ResourceEntry> {
    let is_shown = |impact| is_difference(impact) || verbose && impact == Impact::NoopUpdate;
    let mut shown: Vec<_> = template
        .resources
        .iter()
        .filter(|it| is_shown(it.effective_impact) && !it.is_hidden())
        .collect();
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

/// What happens to a resource that is not compared if it differs, behind its type; empty if that is unknown.
pub(super) fn if_different(resource: &ResourceEntry) -> String {
    match resource.if_different {
        None => String::new(),
        Some(Impact::MayReplace | Impact::Replace) => ", replaced if it differs".to_owned(),
        // Heat may refuse what is in a file, but no value that it makes itself.
        Some(other) if resource.reasons.iter().any(|it| it.impact == Impact::NotCompared) => {
            let phrase = impact_count_phrase(other);
            format!(", {phrase} if it differs, unless Heat refuses what is in the file")
        }
        Some(other) => format!(", {} if it differs", impact_count_phrase(other)),
    }
}

/// Whether Heat refuses a resource only because of what it refused before.
pub(super) fn is_refused_before(resource: &ResourceEntry) -> bool {
    let refused = || resource.reasons.iter().filter(|it| it.impact == Impact::Refused);
    resource.effective_impact == Impact::Refused
        && refused().next().is_some()
        && refused().all(|it| it.before)
        && resource.propagations.iter().all(|it| it.impact != Impact::Refused)
}

/// Whether it is unknown whether a resource that would be updated in place differs.
pub(super) fn is_doubtful_update(resource: &ResourceEntry) -> bool {
    let is_update = |it: &&ReasonEntry| it.impact == Impact::Update;
    let is_doubtful = |it: &ReasonEntry| {
        !it.changes.is_empty() && it.changes.iter().all(|change| change.unresolved)
    };
    resource.effective_impact == Impact::Update
        // A difference that is hidden may be certain.
        && resource.hidden == 0
        && resource.reasons.iter().filter(is_update).all(is_doubtful)
        && !resource.propagations.iter().any(|it| it.is_certain)
}

/// Whether a template itself shows a difference of a resource, whatever is in the files that could not be read.
pub(super) fn is_rewritten(resource: &ResourceEntry) -> bool {
    resource.reasons.iter().any(|reason| match reason.changes.is_empty() {
        true => reason.value.old != reason.value.new,
        false => reason.changes.iter().any(|it| it.value.old != it.value.new),
    })
}

/// A name with the number of resources it represents.
pub(super) fn name_with_count(name: &str, count: usize) -> String {
    if count == 1 { name.to_owned() } else { format!("{name} (×{count})") }
}
