//! The verdict: the first line of every report, in the order of what people fear, and the worst resources.

use std::cell::OnceCell;
use std::collections::HashSet;

use indexmap::IndexMap;

use super::causes::Causes;
use super::group_folding::fold_members;
use super::labels::{self, counted_noun};
use super::model::{
    Counts, ResourceEntry, SectionEntry, TemplateReport, Verdict, VerdictKind, VerdictPart,
    WorstResource,
};
use super::notes::IGNORED;
use super::shown_resources::shown_resources;
use hotplate_diff::{
    DataEffect, EntryStatus, FileStatus, FindingSide, Hazard, HazardKind, Impact, MachineEffect,
    MachineEffectKind, ResourceRole,
};
use source_diagnostics::Severity;

/// The maximum number of the worst resources.
const MAX_WORST: usize = 5;

/// The maximum number of names of resources whose data is lost.
const MAX_NAMES: usize = 3;

/// The rule of resources for which Heat refuses the whole template.
const INVALID: &str = "invalid";

/// What is not compared, though a difference shows.
const REWRITTEN: &str = "written differently, not compared";

/// The verdict on templates with these totals.
pub(super) fn verdict(templates: &[TemplateReport], counts: &Counts) -> Verdict {
    let mut parts = refusals(counts);
    let broken = templates.iter().filter_map(|it| error_of_one_side(it, FindingSide::New));
    let broken: Vec<String> = broken.collect();
    let repaired = templates.iter().filter(|it| error_of_one_side(it, FindingSide::Old).is_some());
    let repaired = repaired.count();
    let decided = broken.len() + repaired;
    if let Some(why) = broken.first() {
        let phrase = "Heat refuses the new template";
        let more = match broken.len() {
            1 => String::new(),
            count => format!(", and {} more", count - 1),
        };
        let text = format!("{phrase}: {why}{more}");
        parts.push(VerdictPart { text, ..part(VerdictKind::Refused, broken.len(), None, phrase) });
    }
    let not_compared = counts.templates_not_compared.saturating_sub(decided);
    for (count, phrase) in [(repaired, "repaired, not compared"), (not_compared, "not compared")] {
        if count > 0 {
            let noun = plural(count, "template");
            parts.push(part(VerdictKind::NotCompared, count, Some(noun), phrase));
        }
    }
    if counts.templates_partly_compared > 0 {
        let count = counts.templates_partly_compared;
        let phrase = "compared without what Heat refuses";
        parts.push(part(VerdictKind::Unread, count, Some(plural(count, "template")), phrase));
    }
    if counts.environments_not_compared > 0 {
        let noun = plural(counts.environments_not_compared, "environment");
        let count = counts.environments_not_compared;
        parts.push(part(VerdictKind::NotCompared, count, Some(noun), "changed, not compared"));
    }
    if counts.creating_nothing > 0 {
        let count = counts.creating_nothing;
        parts.push(part(VerdictKind::Resources, count, None, "of a type that creates nothing"));
    }
    let unread = only_unread(templates);
    parts.extend(unread_part(unread.len(), counts.unread_files));
    if counts.widened > 0 {
        let phrase = "more access allowed";
        let text = phrase.to_owned();
        parts.push(VerdictPart { text, ..part(VerdictKind::Access, counts.widened, None, phrase) });
    }
    if counts.may_widen > 0 {
        let phrase = "more access may be allowed";
        let text = phrase.to_owned();
        parts.push(VerdictPart {
            text,
            ..part(VerdictKind::Access, counts.may_widen, None, phrase)
        });
    }
    parts.extend(hazards(templates));
    let effects = machine_effects(templates);
    let resources = resource_parts(templates, &unread);
    if resources.is_empty() && effects.is_empty() && templates.iter().any(|it| it.compared) {
        let off = labels::all_switched_off(counts);
        let text = off.unwrap_or_else(|| match unread.is_empty() {
            true if counts.templates_partly_compared > 0 => {
                "no resource changes in what Heat reads".to_owned()
            }
            true => "no resource changes".to_owned(),
            false if templates.iter().any(|it| it.notes.iter().any(|it| it.id == IGNORED)) => {
                "nothing that Heat updates is written differently".to_owned()
            }
            false => "no resource is written differently".to_owned(),
        });
        parts.push(VerdictPart {
            text: text.clone(),
            ..part(VerdictKind::Resources, 0, None, &text)
        });
    }
    parts.extend(effects);
    parts.extend(resources);
    parts.extend(outputs(templates));
    let whole = |it: &&ResourceEntry| it.effective_impact != Impact::NotCompared;
    let not_compared = counted(templates).filter(|it| !whole(it)).count();
    let partly = counts.not_compared.saturating_sub(not_compared);
    if partly > 0 {
        let noun = plural(partly, "resource");
        parts.push(part(VerdictKind::Unread, partly, Some(noun), "only partly compared"));
    }
    // Parts of one kind keep their order: the worst impact first. No stack runs what Heat refused before: that is first of all.
    parts.sort_by_key(|it| (it.kind != VerdictKind::RefusedBefore, it.kind));
    let differs = templates.iter().any(|template| {
        labels::has_stack_changes(template) && (labels::differs(template) || !template.compared)
    });
    Verdict { differs, parts, worst: worst(templates) }
}

impl Verdict {
    /// The parts on one line.
    pub(super) fn line(&self) -> String {
        let mut line = String::new();
        let mut before = None;
        for part in &self.parts {
            let prefix = prefix(part.kind);
            match before.replace(part.kind) {
                None => line.push_str(&part.text),
                // That data is lost is said once.
                Some(kind) if kind == part.kind && !prefix.is_empty() => {
                    line.push_str(" and ");
                    line.push_str(part.text.strip_prefix(prefix).unwrap_or(&part.text));
                }
                Some(_) => {
                    line.push_str(", ");
                    line.push_str(&part.text);
                }
            }
        }
        line
    }
}

/// The beginning of the parts of a kind.
fn prefix(kind: VerdictKind) -> &'static str {
    match kind {
        VerdictKind::DataLost => "data is lost: ",
        VerdictKind::DataMayBeLost => "data may be lost: ",
        VerdictKind::Refused
        | VerdictKind::Hazard
        | VerdictKind::Service
        | VerdictKind::Interruption
        | VerdictKind::MachineEffect
        | VerdictKind::Access
        | VerdictKind::NotCompared
        | VerdictKind::Resources
        | VerdictKind::Wrappers
        | VerdictKind::Outputs
        | VerdictKind::Unread
        | VerdictKind::RefusedBefore => "",
    }
}

/// The kind of an impact on a resource for those who run the stack; [`VerdictKind::Wrappers`] for what only describes
/// something real.
fn kind(resource: &ResourceEntry) -> VerdictKind {
    let is_service = matches!(resource.role, ResourceRole::Server | ResourceRole::LoadBalancer);
    // With a stack goes everything in it.
    let is_gone = matches!(resource.effective_impact, Impact::Delete | Impact::Replace);
    let is_wrapper = match resource.role {
        ResourceRole::Stack => !is_gone,
        ResourceRole::Configuration => true,
        _ => false,
    };
    match (resource.effective_impact, resource.data) {
        (Impact::Refused, _) => VerdictKind::Refused,
        (_, Some(DataEffect::Lost)) => VerdictKind::DataLost,
        (_, Some(DataEffect::MayBeLost)) => VerdictKind::DataMayBeLost,
        (Impact::NotCompared, _) => VerdictKind::NotCompared,
        (
            Impact::Delete
            | Impact::Replace
            | Impact::MayDelete
            | Impact::MayReplace
            | Impact::Rebuild
            | Impact::Snapshot,
            _,
        ) if is_service => VerdictKind::Service,
        _ if is_wrapper => VerdictKind::Wrappers,
        _ => VerdictKind::Resources,
    }
}

/// The leftovers of updates, by its kind. That something does not come back is said of what is lost or replaced, which is counted.
fn hazards(templates: &[TemplateReport]) -> Vec<VerdictPart> {
    let mut groups: IndexMap<(HazardKind, bool), Vec<&Hazard>> = IndexMap::new();
    for resource in counted(templates) {
        // Of what is not compared, the first line says that: it may have any hazard.
        let is_open = resource.effective_impact == Impact::NotCompared;
        for hazard in resource.hazards.iter().filter(|it| it.is_certain || !is_open) {
            if hazard.kind != HazardKind::NoWayBack {
                groups.entry((hazard.kind, hazard.is_certain)).or_default().push(hazard);
            }
        }
    }
    groups.sort_by_key(|(kind, is_certain), _| (*kind, !is_certain));
    let parts = groups.iter().map(|((kind, is_certain), group)| {
        let phrase = kind.phrase(*is_certain);
        let first = group.first().map_or("", |it| it.object.as_str());
        let more = match group.len() - 1 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let text = format!("{phrase} {first}{more}");
        VerdictPart { text, ..part(VerdictKind::Hazard, group.len(), None, phrase) }
    });
    parts.collect()
}

/// What updates do to machines besides, by its kind: each machine, deployment or wait condition counts once.
fn machine_effects(templates: &[TemplateReport]) -> Vec<VerdictPart> {
    type Group<'r> = (MachineEffectKind, bool, &'r str);
    let mut groups: IndexMap<Group<'_>, HashSet<(usize, &str)>> = IndexMap::new();
    for (at, template) in templates.iter().enumerate() {
        if template.file != FileStatus::Existing {
            continue;
        }
        let causes = OnceCell::new();
        for resource in &template.resources {
            // Of what is not compared, the first line says that: it may have any effect.
            let is_open = resource.effective_impact == Impact::NotCompared;
            let effects = resource.machine_effects.iter();
            for MachineEffect { kind, is_certain, on, .. } in
                effects.filter(|it| it.is_certain || !is_open)
            {
                let is_of_other = match kind {
                    MachineEffectKind::RunsAgain | MachineEffectKind::NotApplied => false,
                    MachineEffectKind::Interruption
                    | MachineEffectKind::Addresses
                    | MachineEffectKind::NotAwaited => true,
                };
                let other = on
                    .as_deref()
                    .filter(|_| is_of_other)
                    .and_then(|name| causes.get_or_init(|| Causes::new(template)).resource(name));
                let object = other.unwrap_or(resource);
                // A rebuilt server is counted as one.
                if *kind == MachineEffectKind::Interruption && object.impact == Impact::Rebuild {
                    continue;
                }
                let noun = match kind {
                    MachineEffectKind::Interruption | MachineEffectKind::Addresses => object.noun,
                    MachineEffectKind::RunsAgain => "deployment",
                    MachineEffectKind::NotApplied => "change",
                    MachineEffectKind::NotAwaited => "wait condition",
                };
                let group = groups.entry((*kind, *is_certain, noun)).or_default();
                group.insert((at, object.name.as_str()));
            }
        }
    }
    groups.sort_by_key(|(kind, is_certain, noun), _| (*kind, !is_certain, *noun));
    let parts = groups.iter().map(|((kind, is_certain, noun), group)| {
        let is_one = group.len() == 1;
        let phrase = match (kind, is_certain) {
            (MachineEffectKind::Interruption, true) => "interrupted",
            (MachineEffectKind::Interruption, false) => "may be interrupted",
            (MachineEffectKind::Addresses, true) => "with other addresses",
            (MachineEffectKind::Addresses, false) => "possibly with other addresses",
            (MachineEffectKind::RunsAgain, true) if is_one => "runs again",
            (MachineEffectKind::RunsAgain, true) => "run again",
            (MachineEffectKind::RunsAgain, false) => "may run again",
            (MachineEffectKind::NotApplied, true) => "not applied",
            (MachineEffectKind::NotApplied, false) => "may not be applied",
            (MachineEffectKind::NotAwaited, true) if is_one => "does not wait again",
            (MachineEffectKind::NotAwaited, true) => "do not wait again",
            (MachineEffectKind::NotAwaited, false) => "may not wait again",
        };
        let kind = match kind {
            MachineEffectKind::Interruption => VerdictKind::Interruption,
            MachineEffectKind::Addresses
            | MachineEffectKind::RunsAgain
            | MachineEffectKind::NotApplied
            | MachineEffectKind::NotAwaited => VerdictKind::MachineEffect,
        };
        part(kind, group.len(), Some(plural(group.len(), noun)), phrase)
    });
    parts.collect()
}

/// What happens to outputs in the template; one whose value alone changes belongs to the resource that it shows.
fn outputs(templates: &[TemplateReport]) -> Vec<VerdictPart> {
    let existing = templates.iter().filter(|it| it.file == FileStatus::Existing);
    let all: Vec<&SectionEntry> = existing.flat_map(|it| &it.outputs).collect();
    type IsOf = fn(&SectionEntry) -> bool;
    let kinds: [(IsOf, &str); 5] = [
        (|it| matches!(it.change, EntryStatus::Removed), "removed"),
        (|it| matches!(it.change, EntryStatus::Renamed { .. }), "renamed"),
        (|it| it.change == EntryStatus::Changed && !labels::is_doubtful(it), "changed"),
        (|it| it.change == EntryStatus::Changed && labels::is_doubtful(it), "may change"),
        (|it| matches!(it.change, EntryStatus::Added), "added"),
    ];
    let counted = kinds.map(|(is_of, phrase)| (all.iter().filter(|it| is_of(it)).count(), phrase));
    let counted = counted.into_iter().filter(|(count, _)| *count > 0);
    let of =
        |(count, phrase)| part(VerdictKind::Outputs, count, Some(plural(count, "output")), phrase);
    counted.map(of).collect()
}

/// The resources that the first line counts. An added or deleted template file changes no stack, but what Heat would
/// refuse in a new one, and what could not be compared, counts. See [`TemplateReport::totals`].
fn counted(templates: &[TemplateReport]) -> impl Iterator<Item = &ResourceEntry> {
    templates.iter().flat_map(|template| {
        template.resources.iter().filter(|it| match template.file {
            FileStatus::Existing => labels::is_difference(it.effective_impact),
            FileStatus::Added => {
                matches!(it.effective_impact, Impact::Refused | Impact::NotCompared)
            }
            FileStatus::Removed => false,
        })
    })
}

/// The resources that are the same as written, and depend on files that could not be read.
fn only_unread(templates: &[TemplateReport]) -> HashSet<*const ResourceEntry> {
    templates.iter().flat_map(|it| shown_resources(it, false).1).map(std::ptr::from_ref).collect()
}

/// What could not be read, after what is known to differ.
fn unread_part(resources: usize, files: usize) -> Option<VerdictPart> {
    let named = part(VerdictKind::Unread, files, Some(plural(files, "file")), "not read");
    let text = match resources {
        0 => named.text.clone(),
        _ => format!("{resources} as written, but not compared ({})", named.text),
    };
    (files > 0).then_some(VerdictPart { text, ..named })
}

/// What happens to resources: for each impact what is feared most first, configurations and nested stacks last.
fn resource_parts(
    templates: &[TemplateReport],
    unread: &HashSet<*const ResourceEntry>,
) -> Vec<VerdictPart> {
    type Group<'r> = (VerdictKind, Impact, &'r str, &'static str);
    let mut groups: IndexMap<Group<'_>, Vec<&ResourceEntry>> = IndexMap::new();
    // A machine that is updated in place and interrupted by that is counted as interrupted, and a deployment that runs again as such.
    let is_counted = |effect: &MachineEffect| match effect.kind {
        MachineEffectKind::Interruption => effect.on.is_none(),
        MachineEffectKind::RunsAgain => true,
        MachineEffectKind::Addresses
        | MachineEffectKind::NotApplied
        | MachineEffectKind::NotAwaited => false,
    };
    let told = |it: &ResourceEntry| {
        let mut effects = it.machine_effects.iter().filter(|effect| effect.is_certain);
        unread.contains(&std::ptr::from_ref(it))
            || it.effective_impact == Impact::Update && effects.any(is_counted)
    };
    for resource in counted(templates).filter(|it| !told(it)) {
        let kind = match labels::is_refused_before(resource) {
            true => VerdictKind::RefusedBefore,
            false => kind(resource),
        };
        let noun = match kind {
            VerdictKind::DataLost | VerdictKind::DataMayBeLost | VerdictKind::Service => {
                resource.noun
            }
            _ if resource.role == ResourceRole::Stack => "nested stack",
            VerdictKind::Wrappers => resource.noun,
            VerdictKind::Refused
            | VerdictKind::Hazard
            | VerdictKind::Interruption
            | VerdictKind::MachineEffect
            | VerdictKind::Access
            | VerdictKind::NotCompared
            | VerdictKind::Resources
            | VerdictKind::Outputs
            | VerdictKind::Unread
            | VerdictKind::RefusedBefore => "",
        };
        let impact = resource.effective_impact;
        let phrase = match impact {
            Impact::NotCompared if labels::is_rewritten(resource) => REWRITTEN,
            Impact::Refused if kind == VerdictKind::RefusedBefore => "refused as before",
            Impact::Refused if resource.reasons.iter().any(|it| it.rule == INVALID) => {
                "refused with the whole template"
            }
            Impact::Update if labels::is_doubtful_update(resource) => "may be updated in place",
            impact => labels::impact_count_phrase(impact),
        };
        groups.entry((kind, impact, noun, phrase)).or_default().push(resource);
    }
    groups.sort_by_key(|(kind, impact, noun, phrase), group| {
        let is_usual = *phrase == labels::impact_count_phrase(*impact);
        let order = is_usual != (*impact == Impact::NotCompared);
        (*impact, *kind, !order, std::cmp::Reverse(group.len()), *noun)
    });
    let mut parts: Vec<VerdictPart> = Vec::new();
    for ((kind, impact, noun, phrase), group) in &groups {
        let is_real = |it: &&mut VerdictPart| {
            it.impact == Some(*impact)
                && it.phrase == *phrase
                && matches!(it.kind, VerdictKind::Service | VerdictKind::Resources)
        };
        // The real resources of an impact come first: what only describes or contains them is an extra of the last part.
        if *kind == VerdictKind::Wrappers
            && let Some(real) = parts.iter_mut().rfind(is_real)
        {
            let more = counted_noun(group.len(), noun);
            real.extra = Some(match real.extra.take() {
                Some(extra) => format!("{extra}, {more}"),
                None => format!("+{more}"),
            });
            continue;
        }
        let is_remainder = parts.iter().any(|it| it.impact == Some(*impact));
        parts.push(resource_part(*kind, *impact, (noun, phrase), group, is_remainder));
    }
    for part in &mut parts {
        if let Some(extra) = &part.extra {
            part.text = format!("{} ({extra})", part.text);
        }
    }
    parts
}

fn resource_part(
    kind: VerdictKind,
    impact: Impact,
    (noun, phrase): (&str, &str),
    group: &[&ResourceEntry],
    is_remainder: bool,
) -> VerdictPart {
    let count = group.len();
    let noun = match noun {
        "" if is_remainder => Some(plural(count, "other")),
        "" => None,
        noun => Some(plural(count, noun)),
    };
    let named = part(kind, count, noun, phrase);
    let prefix = prefix(kind);
    let names = || group.iter().map(|it| it.name.clone()).collect::<Vec<_>>();
    let replaced = group.iter().filter(|it| it.if_different == Some(Impact::MayReplace)).count();
    let rewritten = group.iter().filter(|it| labels::is_rewritten(it)).count();
    let extra = match (prefix, replaced) {
        _ if kind == VerdictKind::RefusedBefore => {
            (rewritten > 0).then(|| format!("{rewritten} written differently"))
        }
        ("", 0) => None,
        ("", _) if replaced == count => Some("replaced if it differs".to_owned()),
        ("", _) => Some(format!("{replaced} replaced if it differs")),
        _ => Some(labels::first_names(&names(), MAX_NAMES)),
    };
    VerdictPart { impact: Some(impact), text: format!("{prefix}{}", named.text), extra, ..named }
}

/// The error because of which a template cannot be read, if only this side has it.
fn error_of_one_side(template: &TemplateReport, side: FindingSide) -> Option<String> {
    let errors = || template.findings.iter().filter(|it| it.finding.severity == Severity::Error);
    let is_one_sided = !template.compared && errors().all(|it| it.side == side);
    let first = errors().next().filter(|_| is_one_sided)?;
    // What is no YAML, nobody can read; what only hotplate cannot read, Heat may.
    let code = first.finding.code;
    if !code.info().id.starts_with("HP01") || code == lossless_yaml::codes::JINJA {
        return None;
    }
    let place = first.finding.place.as_ref();
    let line = place.map(|it| format!("line {}, ", it.start.line)).unwrap_or_default();
    Some(format!("{line}{}", first.finding.message))
}

/// Why Heat refuses a template or an update as a whole.
fn refusals(counts: &Counts) -> Vec<VerdictPart> {
    let of_template = |count: usize, kind: VerdictKind, phrase: &str, end: &str| {
        let extra = counted_noun(count, "error") + end;
        let text = format!("{phrase} ({extra})");
        let part = part(kind, count, Some(plural(count, "error")), phrase);
        (count > 0).then_some(VerdictPart { text, extra: Some(extra), ..part })
    };
    let of_required = counts.required_parameters;
    let errors = counts.refusals - of_required;
    let refused = of_template(errors, VerdictKind::Refused, "Heat refuses the new template", "");
    let refused = refused.map(|it| match counts.refused_before {
        0 => it,
        _ => {
            let more = counted_noun(errors, "more error");
            VerdictPart { text: format!("{more} in the new template"), ..it }
        }
    });
    let required = (of_required > 0).then(|| {
        let noun = plural(of_required, "parameter");
        let verb = if of_required == 1 { "needs" } else { "need" };
        part(VerdictKind::Refused, of_required, Some(noun), &format!("now {verb} a value"))
    });
    let phrase = "Heat refuses this template before and after the change";
    let before = of_template(counts.refused_before, VerdictKind::RefusedBefore, phrase, "");
    let phrase = "Heat refuses the old template";
    let mended = of_template(counts.mended, VerdictKind::RefusedBefore, phrase, ", mended");
    let parameters = (counts.refused_parameters > 0).then(|| {
        let count = counts.refused_parameters;
        let phrase = "update refused";
        let noun = "immutable parameter";
        VerdictPart {
            text: format!("{phrase} because of {}", counted_noun(count, noun)),
            ..part(VerdictKind::Refused, count, Some(plural(count, noun)), phrase)
        }
    });
    mended.into_iter().chain(before).chain(refused).chain(required).chain(parameters).collect()
}

fn part(kind: VerdictKind, count: usize, noun: Option<String>, phrase: &str) -> VerdictPart {
    let text = match &noun {
        Some(noun) => format!("{count} {noun} {phrase}"),
        None => format!("{count} {phrase}"),
    };
    VerdictPart { kind, impact: None, count, noun, phrase: phrase.to_owned(), extra: None, text }
}

fn plural(count: usize, noun: &str) -> String {
    if count == 1 { noun.to_owned() } else { format!("{noun}s") }
}

/// The worst resources of all templates with their causes.
fn worst(templates: &[TemplateReport]) -> Vec<WorstResource> {
    let mut worst = Vec::new();
    for template in templates {
        let one = std::slice::from_ref(template);
        let mut shown: Vec<&ResourceEntry> =
            counted(one).filter(|it| it.effective_impact < Impact::Create).collect();
        shown.sort_by_key(|it| order(it));
        // Members of a group are folded into one, so these are enough.
        let causes = Causes::new(template);
        let name = template.path();
        for folded in fold_members(&shown).into_iter().take(MAX_WORST) {
            let entry = WorstResource {
                template: name.to_owned(),
                resource: folded.name,
                count: folded.count,
                kind: folded.entry.kind.clone(),
                impact: folded.entry.effective_impact,
                role: folded.entry.role,
                cause: causes.sentence(folded.entry),
            };
            worst.push((order(folded.entry), entry));
        }
    }
    // Equal ones stay in the order of the templates.
    worst.sort_by_key(|(order, _)| *order);
    worst.into_iter().take(MAX_WORST).map(|(_, entry)| entry).collect()
}

/// The order of resources in every report: what is feared most first.
pub(super) fn order(resource: &ResourceEntry) -> (VerdictKind, Impact, ResourceRole) {
    (kind(resource), resource.effective_impact, resource.role)
}

/// Sorts templates as every report has them: the worst first; equal ones keep their order.
pub(super) fn sort(templates: &mut [TemplateReport]) {
    templates.sort_by_cached_key(|it| (!labels::has_stack_changes(it), it.verdict.worst_part()));
}

#[cfg(test)]
mod tests {
    use super::super::{DiffReportOptions, model::Report, sample::sample};
    use super::*;

    fn entry(name: &str, kind: &str, impact: Impact) -> ResourceEntry {
        let sample = sample();
        let Report::Pair(report) = Report::pair(&sample.compared(), &DiffReportOptions::default())
        else {
            unreachable!()
        };
        let role = ResourceRole::of(kind, kind.is_empty());
        let data = match (role, impact) {
            (ResourceRole::Data, Impact::Delete | Impact::Replace) => Some(DataEffect::Lost),
            (ResourceRole::Data, Impact::MayReplace) => Some(DataEffect::MayBeLost),
            _ => None,
        };
        let first = report.resources[0].clone();
        ResourceEntry {
            name: name.to_owned(),
            kind: Some(kind.to_owned()),
            effective_impact: impact,
            impact,
            role,
            noun: match role {
                ResourceRole::Server => "server",
                ResourceRole::Data => "volume",
                ResourceRole::Configuration => "configuration",
                _ => "resource",
            },
            data,
            ..first
        }
    }

    fn report(resources: Vec<ResourceEntry>) -> TemplateReport {
        let sample = sample();
        let Report::Pair(report) = Report::pair(&sample.compared(), &DiffReportOptions::default())
        else {
            unreachable!()
        };
        TemplateReport { resources, ..*report }
    }

    #[test]
    fn what_hurts_most_comes_first_and_what_costs_nothing_is_an_extra() {
        const SERVER: &str = "OS::Nova::Server";
        const CONFIG: &str = "OS::Heat::SoftwareConfig";
        const VOLUME: &str = "OS::Cinder::Volume";
        const PORT: &str = "OS::Neutron::Port";
        let line = |resources: &[(&str, &str, Impact)], counts: Counts| {
            let entries = resources.iter().map(|(name, kind, impact)| entry(name, kind, *impact));
            verdict(&[report(entries.collect())], &counts).line()
        };
        let none = Counts::default();
        assert_eq!(line(&[], none), "no resource changes, 1 output removed");
        let replaced = |name: &'static str, kind: &'static str| (name, kind, Impact::Replace);
        assert_eq!(
            line(&[replaced("c", CONFIG), replaced("a", SERVER), replaced("b", SERVER)], none),
            "2 servers replaced (+1 configuration), 1 output removed"
        );
        assert_eq!(
            line(&[replaced("c", CONFIG), replaced("d", CONFIG)], none),
            "2 configurations replaced, 1 output removed"
        );
        assert_eq!(
            line(
                &[
                    replaced("p", PORT),
                    replaced("a", SERVER),
                    replaced("c", CONFIG),
                    ("stack", "", Impact::Replace),
                    ("v", VOLUME, Impact::Delete),
                    ("w", VOLUME, Impact::MayReplace),
                    ("n", PORT, Impact::Create),
                    ("x", PORT, Impact::NotCompared),
                    ("r", SERVER, Impact::Refused),
                ],
                Counts { widened: 2, ..none }
            ),
            "1 refused, data is lost: 1 volume deleted (v), data may be lost: 1 volume may be replaced (w), \
             1 server replaced, more access allowed, 1 written differently, not compared, \
             1 other replaced, 1 nested stack replaced (+1 configuration), 1 created, 1 output removed"
        );
    }

    #[test]
    fn the_worst_are_few_and_have_causes() {
        let sample = sample();
        let report = Report::pair(&sample.compared(), &DiffReportOptions::default());
        let worst: Vec<String> = report.templates()[0]
            .verdict
            .worst
            .iter()
            .map(|it| {
                format!(
                    "{} {}: {}",
                    it.resource,
                    it.impact.name(),
                    it.cause.clone().unwrap_or_default()
                )
            })
            .collect();
        insta::assert_debug_snapshot!(worst, @r#"
        [
            "volume refused: size: 10 → 20",
            "server replace: user_data: -1 +1 lines",
            "port replace: network: net-a → net-b",
            "group/0/a|`b`<i>\u{1b}[1m\n@all may-replace: metadata: (fails: no `key`) → </details>",
            "web delete: renamed: Heat deletes web and creates frontend",
        ]
        "#);
    }
}
