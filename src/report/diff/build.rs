//! Builds the model from comparisons: values become JSON, spans become files, lines and columns.

use std::collections::{BTreeSet, HashSet};

use indexmap::IndexMap;
use serde_json::Value as Json;

use super::model::{
    Counts, EnvironmentEntry, ImpactSummary, ListItemMatch, ParameterEntry, PartKind, PartName,
    PropagationEntry, ReasonEntry, Refusal, Report, ReportSet, ResourceEntry, SectionEntry,
    SecurityEntry, Source, SourcePiece, SourcePlace, SuppressionEntry, TemplateFinding,
    TemplateReport, ValueChange, Verdict,
};
use super::notes::notes;
use super::shown_resources::RenamedStacks;
use super::{DiffReportOptions, TemplateComparison, hidden, labels, path, values, verdict};
use crate::report::json::Finding;
use crate::report::{SourceLocator, eval};
use hotplate_diff::{
    self, AccessChange, Comparison, DefinitionPart, DisplayValue, EntryChange, EntryStatus,
    EnvironmentChange, FileStatus, Impact, MachineEffectKind, OutputPropagation, Pair,
    ParameterChange, ParameterDetail, PathStep, Places, Propagation, RenameLink, SecurityChange,
    SidedFinding, SuppressionTarget,
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
        let not_compared =
            findings.iter().filter(|it| hotplate_diff::is_not_compared(it.code, it.severity));
        for finding in not_compared {
            match finding.code == hotplate_diff::codes::CHANGED_ENVIRONMENT_NOT_DEPLOYED {
                true => counts.environments_not_compared += 1,
                false => counts.templates_not_compared += 1,
            }
        }
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
    let sections = &comparison.sections;
    let mut build = ReportBuilder {
        locator: SourceLocator::new(compared.sources),
        lines: IndexMap::new(),
        values: eval::EvalReportOptions { show_secrets: options.show_secrets, nested: false },
        context: u32::try_from(options.context).unwrap_or(u32::MAX),
    };
    let mut resources: Vec<_> =
        comparison.resources.iter().map(|change| build.resource(change)).collect();
    count_in_stacks(&mut resources);
    let hidden = hidden::hide(&mut resources, &options.hide);
    let mut summary = ImpactSummary::default();
    for resource in &resources {
        summary.count(resource.effective_impact);
    }
    let mut counts = counts(comparison, compared.deployment_status);
    counts.templates_not_compared = usize::from(compared.comparison.is_none());
    let mut report = TemplateReport {
        verdict: Verdict::default(),
        old: compared.old.map(str::to_owned),
        new: compared.new.map(str::to_owned),
        file: comparison.file,
        old_version: compared.versions.old.map(str::to_owned),
        new_version: compared.versions.new.map(str::to_owned),
        deployment: compared.deployment.map(str::to_owned),
        deployment_evidence: compared.evidence.map(str::to_owned),
        deployment_status: compared.deployment_status,
        unknown_parameters: compared.unknown_parameters.to_vec(),
        compared: compared.comparison.is_some(),
        notes: notes(&summary, &counts, comparison).into_iter().chain(hidden).collect(),
        summary,
        counts,
        resources,
        parameters: sections.parameters.iter().map(|it| build.parameter(it)).collect(),
        groups: build.entries(&sections.groups),
        conditions: build.entries(&sections.conditions),
        outputs: build.entries(&sections.outputs),
        environment: sections.environment.iter().map(|it| build.environment(it)).collect(),
        security: sections.security.iter().map(|it| build.security(it)).collect(),
        refusals: sections.refusals.iter().map(|it| build.refusal(it)).collect(),
        unread: sections.unread.clone(),
        suppressions: comparison
            .suppressions
            .iter()
            .map(|suppression| build.suppression(suppression))
            .collect(),
        findings: compared.findings.iter().map(|finding| build.finding(finding)).collect(),
        is_rewritten: compared.is_rewritten,
        texts: Pair {
            old: compared.texts.map(|texts| Json::from(texts.old.as_str())),
            new: compared.texts.map(|texts| Json::from(texts.new.as_str())),
        },
        sources: build.excerpts(),
        steps: None,
        inputs: None,
    };
    report.verdict = verdict::verdict(std::slice::from_ref(&report), &report.totals().1);
    report
}

/// Says of a renamed stack how many resources in it are renamed with it, and of a deleted one that they go.
fn count_in_stacks(resources: &mut [ResourceEntry]) {
    let renamed = RenamedStacks::of(resources);
    let mut counts: IndexMap<String, usize> = IndexMap::new();
    for stack in resources.iter().filter_map(|it| renamed.stack_of(it)) {
        *counts.entry(stack.to_owned()).or_default() += 1;
    }
    let kept = resources.iter().filter(|it| {
        matches!(it.effective_impact, Impact::Retain | Impact::Snapshot | Impact::MayDelete)
    });
    let kept: Vec<String> = kept.map(|it| it.name.clone()).collect();
    let mut with_kept: HashSet<&str> = HashSet::new();
    for name in &kept {
        with_kept.extend(name.match_indices('/').map(|(at, _)| &name[..at]));
    }
    for resource in resources.iter_mut() {
        let what = match counts.get(&resource.name) {
            Some(count) => labels::counted_noun(*count, "resource"),
            None if resource.is_stack
                && resource.effective_impact == Impact::Delete
                && !with_kept.contains(resource.name.as_str()) =>
            {
                "everything".to_owned()
            }
            None => continue,
        };
        if let Some(reason) = resource.reasons.first_mut() {
            reason.why += &format!(", with {what} in it");
        }
    }
}

fn counts(comparison: &Comparison, deployment: super::DeploymentStatus) -> Counts {
    let resources = &comparison.resources;
    let refusals = comparison.sections.refusals.iter();
    let of_file = |is_one| if is_one { (1, resources.len()) } else { (0, 0) };
    let (is_added, is_new) =
        (comparison.file == FileStatus::Added, deployment == super::DeploymentStatus::New);
    let (templates_added, resources_added) = of_file(is_added && !is_new);
    let (deployments_added, resources_deployed) = of_file(is_added && is_new);
    let (templates_removed, resources_removed) = of_file(comparison.file == FileStatus::Removed);
    let verdicts = |verdict: AccessChange| {
        comparison.sections.security.iter().filter(|change| change.access == verdict).count()
    };
    let affected =
        comparison.sections.outputs.iter().filter(|it| it.change == EntryStatus::Affected).count();
    Counts {
        resources: resources.len(),
        switched_off: comparison.sections.switched_off,
        renamed: resources
            .iter()
            .filter(|change| matches!(change.rename, Some(RenameLink::OldName(..))))
            .count(),
        suppressed: resources.iter().filter(|change| !change.suppressions.is_empty()).count(),
        templates_not_compared: 0,
        templates_partly_compared: usize::from(comparison.sections.is_partly_read),
        environments_not_compared: 0,
        data_lost: resources.iter().filter(|it| it.loses_data()).count(),
        hazards: resources.iter().filter(|it| !it.hazards.is_empty()).count(),
        interruptions: resources
            .iter()
            .filter(|it| it.has_machine_effect(MachineEffectKind::Interruption))
            .count(),
        not_compared: resources.iter().filter(|change| !change.is_complete()).count(),
        unread_files: comparison.sections.unread.len(),
        refusals: refusals.clone().filter(|it| !it.is_in_old && it.resource.is_none()).count(),
        required_parameters: refusals
            .clone()
            .filter(|it| !it.is_in_old && it.is_about_missing_value())
            .count(),
        refused_before: refusals.filter(|it| it.is_in_old && !it.is_of_incomplete_input()).count(),
        mended: comparison.sections.mended,
        creating_nothing: comparison.sections.creating_nothing.len(),
        parameters: comparison.sections.parameters.iter().filter(|it| it.is_difference()).count(),
        refused_parameters: comparison
            .sections
            .parameters
            .iter()
            .filter(|change| change.refused)
            .count(),
        groups: comparison.sections.groups.len(),
        conditions: comparison.sections.conditions.len(),
        outputs: comparison.sections.outputs.len() - affected,
        outputs_affected: affected,
        environment: comparison.sections.environment.len(),
        widened: verdicts(AccessChange::Widened),
        may_widen: verdicts(AccessChange::MayWiden),
        narrowed: verdicts(AccessChange::Narrowed),
        templates_added,
        resources_added,
        deployments_added,
        resources_deployed,
        templates_removed,
        resources_removed,
    }
}

/// A report under construction. The sources of a report are in the order in which places are requested: those of an entry before those
/// inside of it.
struct ReportBuilder<'a> {
    locator: SourceLocator<'a>,
    /// The sources of places, with the lines that are needed of each.
    lines: IndexMap<SourceId, BTreeSet<u32>>,
    values: eval::EvalReportOptions,
    context: u32,
}

impl ReportBuilder<'_> {
    fn finding(&mut self, finding: &SidedFinding) -> TemplateFinding {
        TemplateFinding {
            side: finding.side,
            places: finding.places,
            finding: Finding::new(&finding.diagnostic, &mut self.locator),
        }
    }

    fn resource(&mut self, change: &hotplate_diff::ResourceChange) -> ResourceEntry {
        let places = self.places(&change.places);
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
        let mut reasons: Vec<_> = change.reasons.iter().map(|it| self.reason(it)).collect();
        if change.effective_impact == Impact::NotCompared {
            // What is certain comes before what may be.
            reasons.sort_by_key(|it| it.impact == Impact::NotCompared);
        }
        ResourceEntry {
            name: change.name.clone(),
            kind: new_type.clone().or_else(|| old_type.clone()),
            old_type: old_type.clone().filter(|_| new_type.is_some() && new_type != old_type),
            impact: change.impact,
            effective_impact: change.effective_impact,
            if_different: change.if_different,
            reasons,
            hidden: 0,
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
            hazards: change.hazards.clone(),
            machine_effects: change.machine_effects.clone(),
            places,
        }
    }

    fn refusal(&mut self, refusal: &hotplate_diff::Refusal) -> Refusal {
        let hotplate_diff::Refusal { diagnostic, resource, is_in_old: before } = refusal;
        Refusal {
            code: diagnostic.code.info().id.to_owned(),
            message: diagnostic.message.clone(),
            heat_message: diagnostic.heat_message.as_deref().map(str::to_owned),
            help: diagnostic.help.clone(),
            resource: resource.clone(),
            before: *before,
            new_place: self.place(diagnostic.span()),
        }
    }

    fn reason(&mut self, reason: &hotplate_diff::ChangeReason) -> ReasonEntry {
        let places = self.places(&reason.places);
        let property = path::part(&reason.part);
        let steps = path::common(reason.changes.iter().map(|change| &change.path[..]));
        ReasonEntry {
            part: part_kind(&reason.part),
            path: path::text(&property, steps, false),
            impact: reason.impact,
            before: reason.impact == Impact::Refused && reason.rule.holds_before(),
            rule: reason.rule.id().to_owned(),
            why: reason.rule.sentence(reason.impact),
            value: self.values(&reason.value),
            places,
            changes: self.changes(&property, &reason.changes),
            property,
        }
    }

    fn changes(&mut self, part: &str, changes: &[hotplate_diff::ValueChange]) -> Vec<ValueChange> {
        changes.iter().map(|change| self.change(part, change)).collect()
    }

    fn change(&mut self, part: &str, change: &hotplate_diff::ValueChange) -> ValueChange {
        let places = self.places(&change.places);
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
            value: self.values(&change.value),
            unresolved: change.unresolved,
            files: change.files.clone(),
            text: change.text.clone(),
            places,
        }
    }

    fn propagation(&mut self, propagation: &hotplate_diff::Propagation) -> PropagationEntry {
        let part = &propagation.part;
        Propagation {
            source: propagation.source.clone(),
            source_impact: propagation.source_impact,
            attribute: propagation.attribute.clone(),
            is_certain: propagation.is_certain,
            impact: propagation.impact,
            if_different: propagation.if_different,
            part: PartName { kind: part_kind(part), property: path::part(part) },
            chain: propagation.chain.clone(),
            place: self.place(propagation.place),
        }
    }

    fn output_propagation(&mut self, it: &OutputPropagation) -> OutputPropagation<SourcePlace> {
        OutputPropagation {
            source: it.source.clone(),
            source_impact: it.source_impact,
            attribute: it.attribute.clone(),
            is_certain: it.is_certain,
            chain: it.chain.clone(),
            place: self.place(it.place),
        }
    }

    fn parameter(&mut self, change: &ParameterChange) -> ParameterEntry {
        let places = self.places(&change.places);
        let detail = |detail: &ParameterDetail| ParameterDetail {
            aspect: detail.aspect,
            value: self.values(&detail.value),
            places: self.places(&detail.places),
        };
        ParameterChange {
            name: change.name.clone(),
            change: change.change.clone(),
            refused: change.refused,
            details: change.details.iter().map(detail).collect(),
            affects: change.affects.clone(),
            places,
        }
    }

    fn entries(&mut self, changes: &[EntryChange]) -> Vec<SectionEntry> {
        changes.iter().map(|change| self.entry(change)).collect()
    }

    fn entry(&mut self, change: &EntryChange) -> SectionEntry {
        let places = self.places(&change.places);
        EntryChange {
            name: change.name.clone(),
            change: change.change.clone(),
            value: self.values(&change.value),
            changes: self.changes("", &change.changes),
            affects: change.affects.clone(),
            propagations: change
                .propagations
                .iter()
                .map(|it| self.output_propagation(it))
                .collect(),
            places,
        }
    }

    fn environment(&mut self, change: &EnvironmentChange) -> EnvironmentEntry {
        EnvironmentChange {
            kind: change.kind,
            name: change.name.clone(),
            change: change.change.clone(),
            value: self.values(&change.value),
            affects: change.affects.clone(),
            places: self.places(&change.places),
        }
    }

    fn security(&mut self, change: &SecurityChange) -> SecurityEntry {
        SecurityChange {
            resource: change.resource.clone(),
            kind: change.kind,
            access: change.access,
            message: change.message.clone(),
            places: self.places(&change.places),
        }
    }

    fn suppression(&mut self, suppression: &hotplate_diff::Suppression) -> SuppressionEntry {
        let (target, resource) = match &suppression.target {
            SuppressionTarget::Named(name) => (Some(name.clone()), None),
            SuppressionTarget::Comment(name) | SuppressionTarget::Deployment(name) => {
                (None, Some(name.clone()))
            }
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

    fn values(&self, value: &Pair<DisplayValue>) -> Pair<Option<Json>> {
        let shown = |value| values::shown(value, self.values);
        Pair { old: shown(&value.old), new: shown(&value.new) }
    }

    fn places(&mut self, places: &Places) -> Places<SourcePlace> {
        Places { old: self.place(places.old), new: self.place(places.new) }
    }

    /// Converts a span to a place and requests its lines.
    fn place(&mut self, span: Option<Span>) -> Option<SourcePlace> {
        let span = span?;
        let place = self.locator.locate(span)?;
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
        let text = self.locator.text(id);
        let path = self.locator.name(id).to_owned();
        let lines = self.locator.lines(id);
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
