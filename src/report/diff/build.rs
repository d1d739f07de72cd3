//! Builds the model from comparisons: values become JSON, spans become files, lines and columns.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use serde_json::Value as Json;

use super::model::{
    Counts, EnvironmentEntry, ImpactSummary, ListItemMatch, Note, OutputPropagationEntry,
    ParameterEntry, ParameterEntryDetail, PartKind, PropagationEntry, ReasonEntry, Refusal, Report,
    ReportSet, ResourceEntry, SectionEntry, SecurityEntry, Source, SourcePiece, SourcePlace,
    SuppressionEntry, TemplateFinding, TemplateReport, TextParts, UnreadFileEntry, ValueChange,
    Verdict,
};
use super::{DiffReportOptions, TemplateComparison, labels, path, values, verdict};
use crate::report::json::Finding;
use crate::report::{SourceLocator, eval};
use hotplate_diff::{
    self, AccessChange, Comparison, DataEffect, DefinitionPart, DisplayValue, EntryStatus,
    FileStatus, Impact, Pair, ParameterAspect, PathStep, RenameLink, SpanPair as Spans,
    SuppressionTarget,
};
use source_diagnostics::{Diagnostic, MaskedSources, SourceId, Span};

/// The maximum number of lines of one excerpt.
const MAX_LINES: u32 = 200;

/// The maximum number of characters of one line.
const MAX_CHARACTERS: usize = 1_000;

impl Report {
    /// The report about one pair of templates.
    pub fn pair(compared: &TemplateComparison<'_>, options: &DiffReportOptions) -> Self {
        Report::Pair(Box::new(template(compared, options)))
    }

    /// The report about many templates, the worst first. `findings` are those without a file, which say why
    /// there are no other templates.
    pub fn set(
        all: &[TemplateComparison<'_>],
        findings: &[Diagnostic],
        options: &DiffReportOptions,
    ) -> Self {
        Report::set_of_review(all, findings, &MaskedSources::default(), options)
    }

    /// As [`Report::set`], with findings about the settings in `sources`.
    pub fn set_of_review(
        all: &[TemplateComparison<'_>],
        findings: &[Diagnostic],
        sources: &MaskedSources,
        options: &DiffReportOptions,
    ) -> Self {
        let mut templates: Vec<_> =
            all.iter().map(|compared| template(compared, options)).collect();
        verdict::sort(&mut templates);
        let (mut summary, mut counts) = (ImpactSummary::default(), Counts::default());
        for template in &templates {
            let totals = template.totals();
            summary.add(&totals.0);
            counts += totals.1;
        }
        counts.templates_not_compared +=
            findings.iter().filter(|finding| hotplate_diff::is_not_compared(finding.code)).count();
        let findings = Finding::all(findings, &mut SourceLocator::new(sources));
        let verdict = verdict::verdict(&templates, &counts);
        Report::Set(Box::new(ReportSet {
            verdict,
            summary,
            counts,
            templates,
            findings,
            inputs: None,
        }))
    }
}

fn template(compared: &TemplateComparison<'_>, options: &DiffReportOptions) -> TemplateReport {
    let nothing = Comparison::default();
    let comparison = compared.comparison.unwrap_or(&nothing);
    let mut build = ReportBuilder {
        places: SourceLocator::new(compared.sources),
        lines: IndexMap::new(),
        values: eval::EvalReportOptions { show_secrets: options.show_secrets, nested: false },
        context: u32::try_from(options.context).unwrap_or(u32::MAX),
    };
    let resources: Vec<_> =
        comparison.resources.iter().map(|change| build.resource(change)).collect();
    let mut summary = ImpactSummary::default();
    for resource in &resources {
        summary.count(resource.effective_impact);
    }
    let mut counts = counts(comparison);
    counts.templates_not_compared = usize::from(compared.comparison.is_none());
    let mut report = TemplateReport {
        verdict: Verdict::default(),
        old: compared.old.map(str::to_owned),
        new: compared.new.map(str::to_owned),
        file: comparison.file,
        old_version: compared.versions.old.map(str::to_owned),
        new_version: compared.versions.new.map(str::to_owned),
        deployment: compared.deployment.map(str::to_owned),
        deployment_status: compared.deployment_status,
        unknown_parameters: compared.unknown_parameters.to_vec(),
        compared: compared.comparison.is_some(),
        notes: notes(&summary, &counts, comparison),
        summary,
        counts,
        resources,
        parameters: comparison.parameters.iter().map(|change| build.parameter(change)).collect(),
        groups: comparison.groups.iter().map(|change| build.entry(change)).collect(),
        conditions: comparison.conditions.iter().map(|change| build.entry(change)).collect(),
        outputs: comparison.outputs.iter().map(|change| build.entry(change)).collect(),
        environment: comparison
            .environment
            .iter()
            .map(|change| build.environment(change))
            .collect(),
        security: comparison.security.iter().map(|change| build.security(change)).collect(),
        refusals: comparison.refusals.iter().map(|refusal| build.refusal(refusal)).collect(),
        unread: comparison.unread.iter().map(unread).collect(),
        suppressions: comparison
            .suppressions
            .iter()
            .map(|suppression| build.suppression(suppression))
            .collect(),
        findings: compared.findings.iter().map(|finding| build.finding(finding)).collect(),
        sources: build.excerpts(),
        inputs: None,
    };
    report.verdict = verdict::verdict(std::slice::from_ref(&report), &report.totals().1);
    report
}

fn counts(comparison: &Comparison) -> Counts {
    let resources = &comparison.resources;
    let refusals = comparison.refusals.iter();
    let of_file = |file| if comparison.file == file { (1, resources.len()) } else { (0, 0) };
    let (templates_added, resources_added) = of_file(FileStatus::Added);
    let (templates_removed, resources_removed) = of_file(FileStatus::Removed);
    let verdicts = |verdict: AccessChange| {
        comparison.security.iter().filter(|change| change.access == verdict).count()
    };
    let affected =
        comparison.outputs.iter().filter(|it| it.change == EntryStatus::Affected).count();
    Counts {
        resources: resources.len(),
        renamed: resources
            .iter()
            .filter(|change| matches!(change.rename, Some(RenameLink::OldName(..))))
            .count(),
        suppressed: resources.iter().filter(|change| !change.suppressions.is_empty()).count(),
        templates_not_compared: 0,
        data_lost: resources.iter().filter(|it| it.loses_data()).count(),
        not_compared: resources.iter().filter(|change| !change.is_complete()).count(),
        unread_files: comparison.unread.len(),
        refusals: refusals.clone().filter(|it| !it.is_in_old && it.resource.is_none()).count(),
        refused_before: refusals.filter(|it| it.is_in_old).count(),
        parameters: comparison.parameters.iter().filter(|change| differs(change)).count(),
        refused_parameters: comparison.parameters.iter().filter(|change| change.refused).count(),
        groups: comparison.groups.len(),
        conditions: comparison.conditions.len(),
        outputs: comparison.outputs.len() - affected,
        outputs_affected: affected,
        environment: comparison.environment.len(),
        widened: verdicts(AccessChange::Widened),
        may_widen: verdicts(AccessChange::MayWiden),
        narrowed: verdicts(AccessChange::Narrowed),
        templates_added,
        resources_added,
        templates_removed,
        resources_removed,
    }
}

/// Whether a parameter differs in more than documentation.
fn differs(change: &hotplate_diff::ParameterChange) -> bool {
    change.change != EntryStatus::Changed
        || change.details.iter().any(|detail| detail.aspect != ParameterAspect::Documentation)
}

/// The id of the note about a deleted template file.
pub(super) const FILE_REMOVED: &str = "file-removed";

/// Notes about Heat's behavior that the impacts do not express. Source: `docs/heat.md#immutable-parameters`,
/// `docs/heat.md#replacement-before-deletion`, `docs/heat.md#resources-are-identified-by-name`.
fn notes(summary: &ImpactSummary, counts: &Counts, comparison: &Comparison) -> Vec<Note> {
    let Comparison { file, urls, .. } = comparison;
    let refused = counts.refused_parameters > 0;
    let replaced = summary.of(Impact::Replace) + summary.of(Impact::MayReplace) > 0;
    let notes = [
        (
            refused,
            "update-refused",
            "Heat refuses the whole update because of an immutable parameter: nothing changes",
        ),
        (
            counts.refusals + counts.refused_before > 0,
            "template-refused",
            "Heat refuses the new template: none of this happens until its errors are fixed",
        ),
        (
            !refused && summary.of(Impact::Refused) > 0,
            "resource-refused",
            "the update fails at a change that Heat refuses: resources that do not depend on it may be updated before",
        ),
        (
            replaced,
            "create-before-delete",
            "Heat creates a replacement before it deletes the old one: quota must hold both, unique names must not clash",
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
    let lost = lost_data(comparison);
    let unsearched = (comparison.renames_not_searched > 0).then(|| {
        let message = format!(
            "too many names are gone and new to compare each with every other: {} more may be renames",
            comparison.renames_not_searched
        );
        ("renames-limited", message)
    });
    lost.into_iter()
        .chain(notes)
        .chain(urls)
        .chain(unsearched)
        .map(|(id, message)| Note { id: id.to_owned(), message })
        .collect()
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

/// A report under construction.
struct ReportBuilder<'a> {
    places: SourceLocator<'a>,
    /// The sources of places, with the lines that are needed of each.
    lines: IndexMap<SourceId, BTreeSet<u32>>,
    values: eval::EvalReportOptions,
    context: u32,
}

impl ReportBuilder<'_> {
    fn finding(&mut self, finding: &hotplate_diff::SidedFinding) -> TemplateFinding {
        TemplateFinding {
            side: finding.side,
            places: finding.places,
            finding: Finding::new(&finding.diagnostic, &mut self.places),
        }
    }

    fn resource(&mut self, change: &hotplate_diff::ResourceChange) -> ResourceEntry {
        let (old_place, new_place) = self.place_pair(&change.spans);
        let Pair { old: old_type, new: new_type } = &change.kind;
        let (mut renamed_to, mut renamed_from, mut rename_matched) = (None, None, None);
        match &change.rename {
            Some(RenameLink::NewName(name, by)) => {
                (renamed_to, rename_matched) = (Some(name.clone()), Some(by.clone()));
            }
            Some(RenameLink::OldName(name, by)) => {
                (renamed_from, rename_matched) = (Some(name.clone()), Some(by.clone()));
            }
            None => {}
        }
        ResourceEntry {
            name: change.name.clone(),
            kind: new_type.clone().or_else(|| old_type.clone()),
            old_type: old_type.clone().filter(|_| new_type.is_some() && new_type != old_type),
            impact: change.impact,
            effective_impact: change.effective_impact,
            reasons: change.reasons.iter().map(|reason| self.reason(reason)).collect(),
            unread: change.unread.clone(),
            propagations: change
                .propagations
                .iter()
                .map(|propagation| self.propagation(propagation))
                .collect(),
            renamed_to,
            renamed_from,
            rename_matched,
            suppressions: change.suppressions.clone(),
            depends_on: change.depends_on.clone(),
            is_stack: change.is_stack,
            role: change.role,
            noun: change.noun,
            data: change.data,
            old_place,
            new_place,
        }
    }

    fn refusal(&mut self, refusal: &hotplate_diff::Refusal) -> Refusal {
        let hotplate_diff::Refusal { diagnostic, resource, is_in_old: before } = refusal;
        Refusal {
            code: diagnostic.code.info().id.to_owned(),
            message: diagnostic.message.clone(),
            help: diagnostic.help.clone(),
            resource: resource.clone(),
            before: *before,
            new_place: self.place(diagnostic.span()),
        }
    }

    fn reason(&mut self, reason: &hotplate_diff::ChangeReason) -> ReasonEntry {
        let property = path::part(&reason.part);
        let (old_place, new_place) = self.place_pair(&reason.spans);
        let steps = path::common(reason.changes.iter().map(|change| &change.path[..]));
        ReasonEntry {
            part: part_kind(&reason.part),
            path: path::text(&property, steps, false),
            impact: reason.impact,
            rule: reason.rule.id().to_owned(),
            why: reason.rule.sentence(reason.impact),
            old: self.value(&reason.value.old),
            new: self.value(&reason.value.new),
            old_place,
            new_place,
            changes: self.changes(&property, &reason.changes),
            property,
        }
    }

    fn changes(&mut self, part: &str, changes: &[hotplate_diff::ValueChange]) -> Vec<ValueChange> {
        changes.iter().map(|change| self.change(part, change)).collect()
    }

    fn change(&mut self, part: &str, change: &hotplate_diff::ValueChange) -> ValueChange {
        let (old_place, new_place) = self.place_pair(&change.spans);
        let path = path::text(part, &change.path, false);
        let old_path = path::text(part, &change.path, true);
        let matched = change.path.iter().enumerate().filter_map(|(index, step)| match step {
            PathStep::Key(_) => None,
            PathStep::Item { at, by } => Some(ListItemMatch {
                path: path::text(part, &change.path[..=index], false),
                old: at.old,
                new: at.new,
                by: by.clone(),
            }),
        });
        ValueChange {
            matched: matched.collect(),
            old_path: (old_path != path).then_some(old_path),
            path,
            old: self.value(&change.value.old),
            new: self.value(&change.value.new),
            unresolved: change.unresolved,
            files: change.files.clone(),
            text: change.text.as_ref().map(|parts| TextParts {
                unknown: parts.unknown.clone(),
                secret: parts.secret.clone(),
                may_differ: parts.may_differ.clone(),
            }),
            old_place,
            new_place,
        }
    }

    fn propagation(&mut self, propagation: &hotplate_diff::Propagation) -> PropagationEntry {
        PropagationEntry {
            source: propagation.source.clone(),
            source_impact: propagation.source_impact,
            attribute: propagation.attribute.clone(),
            certain: propagation.is_certain,
            impact: propagation.impact,
            part: part_kind(&propagation.part),
            property: path::part(&propagation.part),
            chain: propagation.chain.names.clone(),
            omitted: propagation.chain.omitted,
            place: self.place(propagation.span),
        }
    }

    fn output_propagation(
        &mut self,
        propagation: &hotplate_diff::OutputPropagation,
    ) -> OutputPropagationEntry {
        OutputPropagationEntry {
            source: propagation.source.clone(),
            source_impact: propagation.source_impact,
            attribute: propagation.attribute.clone(),
            certain: propagation.is_certain,
            chain: propagation.chain.names.clone(),
            omitted: propagation.chain.omitted,
            place: self.place(propagation.span),
        }
    }

    fn parameter(&mut self, change: &hotplate_diff::ParameterChange) -> ParameterEntry {
        let (old_place, new_place) = self.place_pair(&change.spans);
        ParameterEntry {
            name: change.name.clone(),
            change: change.change.clone(),
            refused: change.refused,
            details: change.details.iter().map(|detail| self.detail(detail)).collect(),
            reaches: change.affects.clone(),
            old_place,
            new_place,
        }
    }

    fn detail(&mut self, detail: &hotplate_diff::ParameterDetail) -> ParameterEntryDetail {
        let (old_place, new_place) = self.place_pair(&detail.spans);
        ParameterEntryDetail {
            aspect: detail.aspect,
            old: self.value(&detail.value.old),
            new: self.value(&detail.value.new),
            old_place,
            new_place,
        }
    }

    fn entry(&mut self, change: &hotplate_diff::EntryChange) -> SectionEntry {
        let (old_place, new_place) = self.place_pair(&change.spans);
        SectionEntry {
            name: change.name.clone(),
            change: change.change.clone(),
            old: self.value(&change.value.old),
            new: self.value(&change.value.new),
            changes: self.changes("", &change.changes),
            reaches: change.affects.clone(),
            propagations: change
                .propagations
                .iter()
                .map(|propagation| self.output_propagation(propagation))
                .collect(),
            old_place,
            new_place,
        }
    }

    fn environment(&mut self, change: &hotplate_diff::EnvironmentChange) -> EnvironmentEntry {
        let (old_place, new_place) = self.place_pair(&change.spans);
        EnvironmentEntry {
            kind: change.kind,
            name: change.name.clone(),
            change: change.change.clone(),
            old: self.value(&change.value.old),
            new: self.value(&change.value.new),
            reaches: change.affects.clone(),
            old_place,
            new_place,
        }
    }

    fn security(&mut self, change: &hotplate_diff::SecurityChange) -> SecurityEntry {
        let (old_place, new_place) = self.place_pair(&change.spans);
        SecurityEntry {
            resource: change.resource.clone(),
            kind: change.kind,
            verdict: change.access,
            message: change.message.clone(),
            old_place,
            new_place,
        }
    }

    fn suppression(&mut self, suppression: &hotplate_diff::Suppression) -> SuppressionEntry {
        let (target, resource) = match &suppression.target {
            SuppressionTarget::Named(name) => (Some(name.clone()), None),
            SuppressionTarget::Comment(name) => (None, Some(name.clone())),
        };
        SuppressionEntry {
            target,
            resource,
            impact: suppression.impact,
            reason: suppression.reason.clone(),
            place: self.place(suppression.span),
            used: suppression.used,
        }
    }

    fn value(&self, value: &DisplayValue) -> Option<Json> {
        values::shown(value, self.values)
    }

    fn place_pair(&mut self, places: &Spans) -> (Option<SourcePlace>, Option<SourcePlace>) {
        (self.place(places.old), self.place(places.new))
    }

    /// Converts a span to a place and requests its lines.
    fn place(&mut self, span: Option<Span>) -> Option<SourcePlace> {
        let span = span?;
        let place = self.places.locate(span)?;
        let entry = self.lines.entry(span.source);
        let source = entry.index();
        let first = place.start.line;
        let last = place.end.line.min(first + MAX_LINES);
        let context = self.context.min(MAX_LINES);
        entry
            .or_default()
            .extend(first.saturating_sub(context).max(1)..=last.saturating_add(context));
        Some(SourcePlace { place, source })
    }

    /// The requested lines, as excerpts.
    fn excerpts(&mut self) -> Vec<Source> {
        let wanted = std::mem::take(&mut self.lines);
        wanted.into_iter().map(|(id, lines)| self.source(id, &lines)).collect()
    }

    fn source(&mut self, id: SourceId, wanted: &BTreeSet<u32>) -> Source {
        let text = self.places.text(id);
        let path = self.places.name(id).to_owned();
        let lines = self.places.lines(id);
        let last = lines.position(text, u32::MAX).line;
        let mut pieces: Vec<SourcePiece> = Vec::new();
        for line in wanted.iter().copied().take_while(|line| *line <= last) {
            let shown = cut(&text[lines.line_range(text, line)]);
            match pieces.last_mut() {
                Some(piece) if piece.line + piece.lines.len() as u32 == line => {
                    piece.lines.push(shown);
                }
                _ => pieces.push(SourcePiece { line, lines: vec![shown] }),
            }
        }
        Source { path, pieces }
    }
}

fn unread(file: &hotplate_diff::UnreadFile) -> UnreadFileEntry {
    UnreadFileEntry { file: file.name.clone(), old: file.sides.old, new: file.sides.new }
}

/// Truncates a long line.
fn cut(line: &str) -> String {
    match line.char_indices().nth(MAX_CHARACTERS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

fn part_kind(part: &DefinitionPart) -> PartKind {
    match part {
        DefinitionPart::Resource => PartKind::Resource,
        DefinitionPart::Type => PartKind::Type,
        DefinitionPart::Property(_) => PartKind::Property,
        DefinitionPart::Properties => PartKind::Properties,
        DefinitionPart::Metadata => PartKind::Metadata,
        DefinitionPart::DependsOn => PartKind::DependsOn,
        DefinitionPart::DeletionPolicy => PartKind::DeletionPolicy,
        DefinitionPart::UpdatePolicy => PartKind::UpdatePolicy,
        DefinitionPart::ExternalId => PartKind::ExternalId,
        DefinitionPart::Condition => PartKind::Condition,
        DefinitionPart::Description => PartKind::Description,
    }
}
