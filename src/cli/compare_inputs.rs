//! Reads, evaluates and compares the two sides of a comparison.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::deployment::{DeploymentOptions, ReadDeployment, ValueOptions};
use super::heat_release;
use super::inputs::{ReadLimits, is_jinja};
use crate::report::diff as report;
use heat_engine::environment::{DeniedFiles, Location};
use heat_engine::eval::Value;
use heat_engine::eval::deployment::{Deployed, DeploymentRequest, deploy};
use heat_engine::eval::template_graph::{Template, TemplateGraph};
use hotplate_check::errors_of_resources;
use hotplate_diff::{
    Comparison, DeploymentSide, FileStatus, FindingSide, Pair, SidedFinding, SuppressionOptions,
    by_side, compare as compare_sides,
};
use saved_stack::{NotRunning, differences};
use source_diagnostics::{
    Diagnostic, MaskedSources, ShowSecrets, SourceId, SourceMap, Span, redacted,
};
use source_files::{FileSource, MemoryFiles, PathKind, shown_name};

/// The location of one side.
pub(super) struct SideLocation<'a> {
    pub(super) files: &'a dyn FileSource,
    /// The template; `None` if the side has none and is compared as an empty one.
    pub(super) template: Option<PathBuf>,
}

pub(super) struct ComparedTemplate {
    /// The names of the templates; `None` if there is none.
    pub(super) names: Pair<Option<String>>,
    /// The versions that they declare; `None` if unreadable.
    versions: Pair<Option<&'static str>>,
    /// The deployment of the configuration that gives the inputs.
    pub(super) deployment: Option<String>,
    /// Whether the base of a review has the deployment.
    deployment_status: report::DeploymentStatus,
    /// The parameters that have no value on at least one side.
    unknown_parameters: Vec<String>,
    /// The comparison; `None` if a side cannot be read.
    pub(super) comparison: Option<Comparison>,
    /// The findings of both sides, without duplicates.
    pub(super) findings: Vec<SidedFinding>,
    /// Whether it is a Jinja2 template, which cannot be compared.
    pub(super) is_jinja: bool,
    /// Whether the change makes something else of a template, or a template of something else.
    pub(super) is_one_sided: bool,
    /// The files of both sides that may not be read; a finding reports them.
    pub(super) outside: DeniedFiles,
    pub(super) sources: MaskedSources,
}

impl ComparedTemplate {
    /// Whether anything differs, as far as it could be compared.
    pub(super) fn differs(&self) -> bool {
        self.comparison.as_ref().is_some_and(Comparison::differs)
    }

    /// The input for a report.
    pub(super) fn report_input(&self) -> report::TemplateComparison<'_> {
        report::TemplateComparison {
            old: self.names.old.as_deref(),
            new: self.names.new.as_deref(),
            versions: self.versions,
            deployment: self.deployment.as_deref(),
            deployment_status: self.deployment_status,
            unknown_parameters: &self.unknown_parameters,
            comparison: self.comparison.as_ref(),
            findings: &self.findings,
            sources: &self.sources,
        }
    }
}

/// With fewer bytes of text, starting a thread takes longer than evaluating one of the sides.
const WORTH_A_THREAD: usize = 64 << 10;

const EMPTY_TEMPLATE: &str = "heat_template_version: 2013-05-23\n";

/// The options of a comparison.
pub(super) struct CompareOptions<'a> {
    /// The inputs of each side's deployment.
    pub(super) deployment: Pair<DeploymentOptions>,
    /// The deployment of the configuration that gives them.
    pub(super) deployment_name: Option<String>,
    /// Whether the base of a review has it.
    pub(super) deployment_status: report::DeploymentStatus,
    /// The source of the files that other options name.
    pub(super) named_files: &'a dyn FileSource,
    pub(super) values: &'a ValueOptions,
    /// The suppressions in effect.
    pub(super) permissions: SuppressionOptions<'a>,
    pub(super) show_secrets: Option<ShowSecrets>,
    pub(super) bounds: ReadLimits,
}

/// Reads, evaluates and compares both sides. Unreadable files become findings.
pub(super) fn compare(
    places: Pair<&SideLocation<'_>>,
    options: &CompareOptions<'_>,
) -> anyhow::Result<ComparedTemplate> {
    let mut sources = SourceMap::default();
    let named = |place: &SideLocation<'_>| {
        Some(Location::from_argument(place.template.as_deref()?, place.files))
    };
    let (old, new) = (named(places.old), named(places.new));
    // The new template takes the place of the old one, even at another location.
    let old = match (old, &new) {
        (Some(old), Some(new)) => Some(old.standing_for(new)),
        (old, _) => old,
    };
    let environments = environments(&places, &options.deployment);
    let bounds = options.bounds;
    let given = &options.deployment;
    let mut old =
        ReadSide::new(&given.old, places.old.files, old, environments.old, bounds, &mut sources)?;
    let first_of_new = sources.next_id();
    let mut new =
        ReadSide::new(&given.new, places.new.files, new, environments.new, bounds, &mut sources)?;
    old.deployment.environment.share_secrecy_with(&mut new.deployment.environment);
    let mut findings: Pair<Vec<Diagnostic>> = Pair::default();
    let mut roots = Vec::new();
    let mut versions: Pair<Option<&'static str>> = Pair::default();
    for (side, findings, version) in
        [(&old, &mut findings.old, &mut versions.old), (&new, &mut findings.new, &mut versions.new)]
    {
        let secrets = side.deployment.secrets();
        findings.extend(redacted(&side.deployment.findings, &secrets));
        let found = side.deployment.environment.findings.iter();
        let found = found.filter(|it| it.code != heat_engine::codes::OUTSIDE_ALLOWED_FOLDERS);
        findings.extend(redacted(found, &secrets));
        match side.lowered() {
            Ok(lowered) => {
                *version = lowered.as_ref().map(|root| root.version);
                roots.extend(lowered);
            }
            Err(finding) => findings.push(*finding),
        }
    }
    let text_bytes =
        (0..sources.next_id().0).map(|id| sources.text(SourceId(id)).len()).sum::<usize>();
    let (mut comparison, mut secrets) = (None, Vec::new());
    let mut unknown_parameters = Vec::new();
    if let Ok([one, other]) = <[Template; 2]>::try_from(roots) {
        let (of_old, of_new) = (|| old.evaluated(one, options), || new.evaluated(other, options));
        let (one, other) = if text_bytes < WORTH_A_THREAD {
            (of_old(), of_new())
        } else {
            rayon::join(of_old, of_new)
        };
        let (one, other) = (one?, other?);
        for evaluated in [&one, &other] {
            unknown_parameters.extend(unknown(&evaluated.deployed).map(str::to_owned));
        }
        findings.old.extend(one.found.iter().cloned());
        findings.new.extend(other.found.iter().cloned());
        let given = &options.deployment;
        for (given, evaluated) in [(&given.old, &one), (&given.new, &other)] {
            if let Some(saved) = given.saved() {
                // What runs differs from both sides.
                let differing = differences(saved, &evaluated.deployed, NotRunning::Reported);
                findings.new.extend(differing);
            }
        }
        if let (Some(old), Some(new)) = (old.side(&one), new.side(&other)) {
            let compared = compare_sides(&old, &new, &options.permissions, options.show_secrets);
            for finding in compared.findings {
                let is_old = finding.span().is_some_and(|span| span.source < first_of_new);
                if is_old { &mut findings.old } else { &mut findings.new }.push(finding);
            }
            secrets.extend(compared.secret_spans);
            let file = match (&places.old.template, &places.new.template) {
                (None, Some(_)) => FileStatus::Added,
                (Some(_), None) => FileStatus::Removed,
                (Some(_), Some(_)) | (None, None) => FileStatus::Existing,
            };
            comparison = Some(Comparison { file, ..compared.comparison });
        }
    }
    for side in [&old, &new] {
        secrets.extend(side.deployment.secrets());
    }
    let sources = sources.masked_unless(options.show_secrets, &secrets);
    let side_is_jinja = |place: &SideLocation<'_>, findings: &[Diagnostic]| {
        let path = place.template.as_deref();
        path.is_some_and(|path| findings.iter().any(|it| is_jinja(it, path)))
    };
    let is_jinja = comparison.is_none()
        && (side_is_jinja(places.old, &findings.old) || side_is_jinja(places.new, &findings.new));
    if is_jinja {
        let unread = findings.new.iter().chain(&findings.old);
        let span = unread.filter(|it| it.is_error()).find_map(Diagnostic::span);
        let message =
            "Jinja2 templates cannot be compared: render both sides and compare the results";
        let skipped =
            Diagnostic::new(lossless_yaml::codes::JINJA, message).at(span.unwrap_or(Span::NOWHERE));
        findings = Pair { old: Vec::new(), new: vec![skipped] };
    }
    let shown = |place: &SideLocation<'_>| {
        place.template.as_deref().map(|path: &Path| shown_name(place.files, path))
    };
    let names = Pair { old: shown(places.old), new: shown(places.new) };
    // A link that leads nowhere is no file.
    let is_missing_here = |place: &SideLocation<'_>| {
        place.template.as_ref().is_some_and(|path| {
            place.files.kind(path) == Some(PathKind::File) && place.files.read(path).is_err()
        })
    };
    let is_one_sided = names.old.is_some()
        && names.new.is_some()
        && match (versions.old, versions.new) {
            (Some(_), None) => true,
            // The content of the old side may be missing in this clone.
            (None, Some(_)) => !is_missing_here(places.old),
            (Some(_), Some(_)) | (None, None) => false,
        };
    // A missing template declares nothing.
    let versions = Pair {
        old: versions.old.filter(|_| names.old.is_some()),
        new: versions.new.filter(|_| names.new.is_some()),
    };
    unknown_parameters.sort();
    unknown_parameters.dedup();
    let mut outside = DeniedFiles::default();
    for side in [&new, &old] {
        outside.extend(side.deployment.environment.files.outside());
    }
    // The files that may be read depend on the whole run, not on a side.
    let one = outside.finding(places.new.files).map(|diagnostic| SidedFinding {
        side: FindingSide::New,
        diagnostic,
        places: 1,
    });
    let findings = one.into_iter().chain(by_side(&findings, &sources)).collect();
    Ok(ComparedTemplate {
        names,
        versions,
        deployment: options.deployment_name.clone(),
        deployment_status: options.deployment_status,
        unknown_parameters,
        comparison,
        findings,
        is_jinja,
        is_one_sided,
        outside,
        sources,
    })
}

/// Merges the findings of several templates about files that may not be read into one.
pub(super) fn merge_outside_findings(
    all: &mut [ComparedTemplate],
    files: &dyn FileSource,
) -> Option<Diagnostic> {
    if all.iter().filter(|compared| !compared.outside.is_empty()).count() < 2 {
        return None;
    }
    let mut outside = DeniedFiles::default();
    for compared in all {
        outside.extend(&compared.outside.in_words(&compared.sources));
        compared
            .findings
            .retain(|it| it.diagnostic.code != heat_engine::codes::OUTSIDE_ALLOWED_FOLDERS);
    }
    outside.finding(files)
}

/// The parameters of a template that have no value.
fn unknown(deployed: &Deployed) -> impl Iterator<Item = &str> {
    deployed.stack.parameters.keys().map(|name| name.as_str()).filter(|name| {
        let value = deployed.evaluation.parameters.get(*name).and_then(|it| it.as_ref().ok());
        value.is_some_and(|value| matches!(value.unsealed(), Value::Unknown(_)))
    })
}

/// The environments of both sides. One that only one side has is added or removed; environments
/// at the same position are the same one.
fn environments(
    places: &Pair<&SideLocation<'_>>,
    options: &Pair<DeploymentOptions>,
) -> Pair<Vec<Location>> {
    let old = options.old.environments(places.old.files);
    let new = options.new.environments(places.new.files);
    let is_in = |place: &SideLocation<'_>, location: &Location| {
        place.template.is_some()
            && location.path().is_none_or(|path| place.files.kind(path).is_some())
    };
    let only_in = |one: &SideLocation<'_>, other: &SideLocation<'_>, location: &Location| {
        is_in(one, location) && !is_in(other, location)
    };
    let kept_old = old
        .iter()
        .enumerate()
        .filter(|(_, location)| !only_in(places.new, places.old, location))
        .map(|(at, location)| match new.get(at) {
            Some(new) => location.standing_for(new),
            None => location.clone(),
        });
    let kept_new =
        new.iter().filter(|location| !only_in(places.old, places.new, location)).cloned();
    Pair { old: kept_old.collect(), new: kept_new.collect() }
}

/// One side, read from files.
struct ReadSide {
    /// Whether there is a template.
    exists: bool,
    deployment: ReadDeployment,
    environments: Vec<Location>,
}

/// The evaluation of one side.
struct EvaluatedSide {
    deployed: Deployed,
    /// The findings of the evaluation.
    found: Vec<Diagnostic>,
    /// Findings apart from the evaluation.
    extra_findings: Vec<Diagnostic>,
}

impl ReadSide {
    fn new(
        options: &DeploymentOptions,
        files: &dyn FileSource,
        template: Option<Location>,
        environments: Vec<Location>,
        bounds: ReadLimits,
        sources: &mut SourceMap,
    ) -> anyhow::Result<Self> {
        let exists = template.is_some();
        let deployment = match template {
            Some(template) => {
                let environments = environments.clone();
                options.open_from(files, Some(template), environments, bounds, sources)?
            }
            None => {
                let name = Path::new("nothing");
                let nothing: MemoryFiles = [(name, EMPTY_TEMPLATE)].into_iter().collect();
                let location = Location::from_argument(name, &nothing);
                let options = DeploymentOptions::default();
                options.open_from(&nothing, Some(location), Vec::new(), bounds, sources)?
            }
        };
        Ok(ReadSide { exists, deployment, environments })
    }

    /// Lowers the template; `None` if it could not be read, which is already reported.
    fn lowered(&self) -> Result<Option<Template>, Box<Diagnostic>> {
        let ReadDeployment { root, environment, .. } = &self.deployment;
        let Some((location, document)) = root else { return Ok(None) };
        let lowered = environment.lower(document)?;
        let version = lowered.declaration();
        Ok(Some(Template::root(location, Arc::new(lowered.stack), version, lowered.findings)))
    }

    fn evaluated(
        &self,
        root: Template,
        options: &CompareOptions<'_>,
    ) -> anyhow::Result<EvaluatedSide> {
        let table =
            options.values.known_values_from(options.named_files, &root.stack, options.bounds)?;
        let deployed = deploy(&DeploymentRequest {
            templates: &TemplateGraph::new(&self.deployment.environment, root),
            table: &table,
            fill: options.values.fill,
            nested: true,
            bound: &heat_engine::eval::BoundParameters::All,
            yaql: &options.values.evaluation.yaql.to_options(),
            max_resources: options.values.evaluation.max_resources,
            max_values: options.values.evaluation.max_values,
            assume_members: false,
            recover: false,
        });
        let found = deployed.findings();
        let deployment = &self.deployment;
        let read = deployment.findings.iter().chain(&deployment.environment.findings);
        let mut beside: Vec<Diagnostic> = read.cloned().collect();
        if !options.values.fill {
            // Invented values need not fit.
            beside.extend(errors_of_resources(&deployed, heat_release()));
        }
        Ok(EvaluatedSide { deployed, found, extra_findings: beside })
    }

    /// The side to compare; `None` if a part of it could not be read.
    fn side<'a>(&'a self, evaluated: &'a EvaluatedSide) -> Option<DeploymentSide<'a>> {
        let (location, document) = self.deployment.root.as_ref()?;
        let deployed = &evaluated.deployed;
        let is_whole = self.deployment.complete && deployed.evaluation.resources.is_some();
        is_whole.then_some(DeploymentSide {
            deployed,
            location,
            document,
            exists: self.exists,
            environment: &self.deployment.environment,
            environments: &self.environments,
            findings: &evaluated.extra_findings,
        })
    }
}
