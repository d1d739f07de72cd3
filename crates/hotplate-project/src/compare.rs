//! Reads, evaluates and compares the two sides of a comparison.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::configuration::Configuration;
use crate::deployment::{ChosenDeployment, DeploymentOptions, ReadDeployment};
use crate::evaluation::{EvaluationGoal, request};
use crate::is_jinja;
use crate::options::{ReadOptions, ValueOptions};
use heat_engine::environment::{DeniedFiles, FileContent, Location};
use heat_engine::eval::deployment::{Deployed, deploy};
use heat_engine::eval::template_graph::Template;
use heat_engine::eval::{RunningMembers, Value};
use hotplate_check::{causes, findings_of_deployment};
use hotplate_diff::{
    CommentSide, Comparison, DeploymentSide, FileStatus, FindingSide, Pair, RunningResource,
    RunningStack, SidedFinding, Suppression, SuppressionOptions, by_side, compare as compare_sides,
};
use hotplate_upgrade::Upgrade;
use indexmap::IndexMap;
use saved_stack::{NotRunning, SavedStack, SavedStackFiles, differences, with_saved_texts};
use schemars::JsonSchema;
use serde::Serialize;
use source_diagnostics::{
    Consequence, Diagnostic, MaskedSources, Severity, ShowSecrets, SourceId, SourceMap, Span,
    redacted, root_causes,
};
use source_files::{FileSource, MemoryFiles, PathKind, WithTexts, display_name, shown_name};

/// The location of one side.
pub struct SideLocation<'a> {
    /// The files of the side.
    pub files: &'a dyn FileSource,
    /// The template; `None` if the side has none and is compared as an empty one.
    pub template: Option<PathBuf>,
}

/// Two versions of a template, compared.
#[derive(Debug)]
pub struct ComparedTemplate {
    /// The names of the templates; `None` if there is none.
    pub names: Pair<Option<String>>,
    /// The versions that they declare; `None` if unreadable.
    pub versions: Pair<Option<&'static str>>,
    /// The deployment of the configuration that gives the inputs.
    pub deployment: Option<String>,
    /// The environments of a deployment that a repository implies, each with the reason.
    pub evidence: Option<String>,
    /// Whether the base of a review has the deployment.
    pub deployment_status: DeploymentStatus,
    /// The parameters that have no value on at least one side.
    pub unknown_parameters: Vec<String>,
    /// The comparison; `None` if a side cannot be read.
    pub comparison: Option<Comparison>,
    /// The findings of both sides, without duplicates.
    pub findings: Vec<SidedFinding>,
    /// Whether it is a Jinja2 template, which cannot be compared.
    pub is_jinja: bool,
    /// Whether the change makes something else of a template, or a template of something else.
    pub is_one_sided: bool,
    /// The files of both sides that may not be read; a finding reports them.
    pub outside: DeniedFiles,
    /// The texts of both sides.
    pub sources: MaskedSources,
}

impl ComparedTemplate {
    /// Whether anything differs, as far as it could be compared.
    pub fn differs(&self) -> bool {
        self.comparison.as_ref().is_some_and(Comparison::differs)
    }

    /// Whether the new side has an error that Heat does not see, and therefore no comparison.
    pub fn has_accepted_error(&self) -> bool {
        self.findings.iter().any(|it| is_accepted_error(&it.diagnostic))
    }
}

/// With fewer bytes of text, starting a thread takes longer than evaluating one of the sides.
const WORTH_A_THREAD: usize = 64 << 10;

const EMPTY_TEMPLATE: &str = "heat_template_version: 2013-05-23\n";

/// Whether the base of a review has a deployment. The base decides about a review: what only the change has is compared in addition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DeploymentStatus {
    /// It has it with the same inputs, or there is no review.
    #[default]
    Existing,
    /// It does not have it.
    New,
    /// It has it with other inputs: those are the inputs of the old side.
    Changed,
}

impl DeploymentStatus {
    /// Whether it has it with the same inputs.
    pub fn is_existing(&self) -> bool {
        *self == DeploymentStatus::Existing
    }
}

/// The options of comparisons.
#[derive(Clone, Debug)]
pub struct CompareOptions {
    /// The inputs of both sides.
    pub deployment: DeploymentOptions,
    /// Those of the old side, where they are others.
    pub old: DeploymentOptions,
    /// The values that are known or invented.
    pub values: ValueOptions,
    /// The changes that are permitted.
    pub allow: Vec<Suppression>,
    /// The side whose comments permit changes.
    pub comment_side: CommentSide,
    /// The permission to show the values of hidden parameters.
    pub show_secrets: Option<ShowSecrets>,
    /// How files are read.
    pub reading: ReadOptions,
    /// Whether the new side keeps the environment of the saved stack that is the old side, also with other environments.
    pub is_existing_kept: bool,
    /// The parameters that do not keep their values of a saved stack.
    pub cleared: Vec<String>,
}

/// The inputs of a comparison: the inputs of each side, and the deployment that they are from.
#[derive(Clone, Debug)]
pub struct ComparedDeployment {
    /// The inputs of each side.
    pub sides: Pair<DeploymentOptions>,
    /// The deployment of the configuration, by its name or its templates.
    pub name: Option<String>,
    /// The environments of a deployment that a repository implies, each with the reason.
    pub evidence: Option<String>,
    /// Whether the base of a review has it.
    pub status: DeploymentStatus,
}

impl CompareOptions {
    /// Options that permit nothing and show no secrets.
    pub fn new(reading: ReadOptions) -> Self {
        CompareOptions {
            deployment: DeploymentOptions::default(),
            old: DeploymentOptions::default(),
            values: ValueOptions::default(),
            allow: Vec::new(),
            comment_side: CommentSide::default(),
            show_secrets: None,
            reading,
            is_existing_kept: false,
            cleared: Vec::new(),
        }
    }

    /// The inputs of each side.
    pub fn sides(&self, deployment: &DeploymentOptions) -> Pair<DeploymentOptions> {
        Pair { old: self.old.merged_with(deployment), new: deployment.clone() }
    }

    /// The inputs of each side in a deployment that both have.
    pub fn existing(&self, chosen: &ChosenDeployment) -> ComparedDeployment {
        ComparedDeployment {
            sides: self.sides(&chosen.options),
            name: chosen.name.clone(),
            evidence: chosen.evidence.clone(),
            status: DeploymentStatus::Existing,
        }
    }

    /// Compares sides of which at least one is a saved stack. Without other environments, the new side keeps that of the stack that
    /// runs. `is_there` says whether a path stands for a template; `note` gets what is to be said about the inputs.
    /// It fails if the inputs have another form, or the template has several deployments.
    pub fn compare_saved(
        &self,
        saved: Pair<Option<SavedStackFiles>>,
        (old, new): (&Path, &Path),
        is_there: &dyn Fn(&Path) -> bool,
        disk: &dyn FileSource,
        configuration: &Configuration,
        note: &mut dyn FnMut(&str),
    ) -> anyhow::Result<(ComparedTemplate, Pair<DeploymentOptions>)> {
        let template = |saved: &Option<SavedStackFiles>, path: &Path| match saved {
            Some(saved) => saved.template.clone(),
            None => is_there(path).then(|| path.to_owned()),
        };
        let templates = Pair { old: template(&saved.old, old), new: template(&saved.new, new) };
        let chosen = match &saved.new {
            // The environment of the stack that runs is certain; what the repository implies is not.
            None => self.deployment.only_of(new, &configuration.with_implied(None), disk)?,
            Some(_) => ChosenDeployment::of_command_line(&self.deployment),
        };
        note(&chosen.note);
        let mut deployment = self.existing(&chosen);
        let sides = &mut deployment.sides;
        let is_kept =
            saved.new.is_none() && (self.is_existing_kept || sides.new.environments.is_empty());
        let kept = saved.old.as_ref().zip(templates.new.as_ref()).filter(|_| is_kept);
        let kept = kept.map(|(saved, new)| saved.for_update(new, disk, &self.reading.limits));
        let Pair { old: saved_old, new: saved_new } = saved;
        for name in &self.cleared {
            if saved_old.as_ref().is_some_and(|saved| !saved.has_value(name, &self.reading.limits))
            {
                note(&format!(
                    "--clear-parameter {name}: {} has no value of it",
                    display_name(old)
                ));
            }
        }
        if let Some(mut saved_new) = saved_new {
            saved_new.replace_parameters(&self.cleared, &self.reading.limits);
            sides.new = sides.new.with_saved(saved_new, self.reading);
        } else if let Some(mut kept) = kept {
            kept.replace_parameters(&self.cleared, &self.reading.limits);
            note(&format!(
                "{}: deployed with the environment of {}, as `openstack stack update --existing` does",
                display_name(new),
                display_name(old)
            ));
            sides.new = sides.new.with_saved(kept, self.reading);
        }
        if let Some(saved_old) = saved_old {
            sides.old = self.old.of_saved(&chosen.options, saved_old, self.reading);
        }
        let files = with_saved_texts(
            disk,
            [&sides.old, &sides.new].into_iter().filter_map(|it| it.saved.as_deref()),
        );
        let [old, new] =
            [templates.old, templates.new].map(|template| SideLocation { files: &files, template });
        let compared = self.compare(Pair { old: &old, new: &new }, &deployment, disk)?;
        Ok((compared, deployment.sides))
    }

    /// Reads, evaluates and compares both sides. Unreadable files become findings. `named_files` has the files that other options
    /// name.
    /// It fails if the inputs have another form.
    pub fn compare(
        &self,
        places: Pair<&SideLocation<'_>>,
        deployment: &ComparedDeployment,
        named_files: &dyn FileSource,
    ) -> anyhow::Result<ComparedTemplate> {
        let permissions =
            SuppressionOptions { from_options: &self.allow, comment_side: self.comment_side };
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
        let environments = environments(&places, &deployment.sides);
        let reading = self.reading;
        let given = &deployment.sides;
        let mut old = ReadSide::new(
            &given.old,
            places.old.files,
            old,
            environments.old,
            reading,
            &mut sources,
        )?;
        let first_of_new = sources.next_id();
        let mut new = ReadSide::new(
            &given.new,
            places.new.files,
            new,
            environments.new,
            reading,
            &mut sources,
        )?;
        old.deployment.environment.share_secrecy_with(&mut new.deployment.environment);
        let mut findings: Pair<Vec<Diagnostic>> = Pair::default();
        let mut roots = Vec::new();
        let mut versions: Pair<Option<&'static str>> = Pair::default();
        for (side, findings, version) in [
            (&old, &mut findings.old, &mut versions.old),
            (&new, &mut findings.new, &mut versions.new),
        ] {
            let secrets = side.deployment.secrets();
            findings.extend(redacted(&side.deployment.findings, &secrets));
            let found = side.deployment.environment.findings.iter();
            let found = found.filter(|it| it.code != heat_engine::codes::OUTSIDE_ALLOWED_FOLDERS);
            findings.extend(redacted(found, &secrets));
            match side.deployment.lowered() {
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
        if let Ok([first, second]) = <[Template; 2]>::try_from(roots) {
            let of_old =
                |running| old.evaluated(first.clone(), &self.values, named_files, reading, running);
            let of_new = |running| {
                new.evaluated(second.clone(), &self.values, named_files, reading, running)
            };
            let (one, other) = if text_bytes < WORTH_A_THREAD {
                (of_old(None), of_new(None))
            } else {
                rayon::join(|| of_old(None), || of_new(None))
            };
            let (mut one, mut other) = (one?, other?);
            // Groups remember which members they have removed: from the list of what runs, else from the old template.
            let saved = given.old.saved.as_deref().and_then(|it| it.stack.as_ref());
            let memory = match saved {
                Some(saved) => {
                    let mut memory = saved.members();
                    memory.add_listed(&one.deployed);
                    if memory.matter_to(&one.deployed) {
                        one = of_old(Some(memory.clone()))?;
                    }
                    memory
                }
                None => RunningMembers::of(&one.deployed),
            };
            if memory.matter_to(&other.deployed) {
                other = of_new(Some(memory))?;
            }
            for evaluated in [&one, &other] {
                unknown_parameters.extend(unknown(&evaluated.deployed).map(str::to_owned));
            }
            findings.old.extend(one.found.iter().cloned());
            findings.new.extend(other.found.iter().cloned());
            // What Heat accepts is no reason of the comparison, and the old side is not deployed any more.
            findings.new.extend(other.judged.iter().filter(|it| is_accepted_error(it)).cloned());
            let given = &deployment.sides;
            for (given, evaluated) in [(&given.old, &one), (&given.new, &other)] {
                if let Some(saved) = given.saved.as_deref() {
                    // What runs differs from both sides.
                    let differing = differences(saved, &evaluated.deployed, NotRunning::Reported);
                    findings.new.extend(differing);
                }
            }
            // No stack runs of a deployment that is new, or whose template is.
            let is_first = deployment.status == DeploymentStatus::New
                || places.old.template.is_none()
                    && deployment.name.is_some()
                    && !deployment.sides.new.is_empty();
            let running = saved.map(running);
            // Where Heat refuses a side, a difference may be in what nobody can read.
            let is_unread = |side: &EvaluatedSide| {
                side.is_refused || side.judged.iter().any(is_about_unread_part)
            };
            let is_partly_read = (is_unread(&one) || is_unread(&other)) && !old.has_inputs_of(&new);
            let sides =
                (old.side(&one, is_first, running.as_ref()), new.side(&other, is_first, None));
            if let (Some(old), Some(new)) = sides {
                let compared = compare_sides(&old, &new, &permissions, self.show_secrets);
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
                let compared = Comparison { file, ..compared.comparison };
                comparison = Some(compared).filter(|it| it.differs() || !is_partly_read);
            }
        }
        for side in [&old, &new] {
            secrets.extend(side.deployment.secrets());
        }
        let sources = sources.masked_unless(self.show_secrets, &secrets);
        let side_is_jinja = |place: &SideLocation<'_>, findings: &[Diagnostic]| {
            let path = place.template.as_deref();
            path.is_some_and(|path| findings.iter().any(|it| is_jinja(it, path)))
        };
        let is_jinja = comparison.is_none()
            && (side_is_jinja(places.old, &findings.old)
                || side_is_jinja(places.new, &findings.new));
        if is_jinja {
            let unread = findings.new.iter().chain(&findings.old);
            let span = unread.filter(|it| it.is_error()).find_map(Diagnostic::span);
            let skipped =
                Diagnostic::new(lossless_yaml::codes::JINJA, lossless_yaml::JINJA_MESSAGE)
                    .at(span.unwrap_or(Span::NOWHERE))
                    .help("it cannot be compared: render both sides and compare the results");
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
            deployment: deployment.name.clone(),
            evidence: deployment.evidence.clone(),
            deployment_status: deployment.status,
            unknown_parameters,
            comparison,
            findings,
            is_jinja,
            is_one_sided,
            outside,
            sources,
        })
    }
}

/// What an update of a stack from the old text to the new one does; `None` if there is no new one, or if a side cannot be
/// compared.
pub fn compare_upgrade(
    files: &dyn FileSource,
    (path, old): (&Path, &str),
    upgrade: &Upgrade,
    environments: &[PathBuf],
    reading: ReadOptions,
) -> Option<Comparison> {
    let new = upgrade.text.as_deref()?;
    let environments = environments.to_vec();
    let deployment = DeploymentOptions { environments, ..DeploymentOptions::default() };
    let deployment = ComparedDeployment {
        evidence: None,
        sides: Pair { old: deployment.clone(), new: deployment },
        name: None,
        status: DeploymentStatus::Existing,
    };
    let [old, new] = [old, new].map(|text| WithTexts::of_one(files, path, text));
    let side = |files| SideLocation { files, template: Some(path.to_owned()) };
    let (old, new) = (side(&old as &dyn FileSource), side(&new as &dyn FileSource));
    let compared =
        CompareOptions::new(reading).compare(Pair { old: &old, new: &new }, &deployment, files);
    compared.ok()?.comparison
}

/// Merges the findings of several templates about files that may not be read into one.
pub fn merge_outside_findings(
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

/// Takes out new Jinja2 templates: there is nothing to compare them with, and no stack that changes. Returns a note about each.
pub fn take_new_jinja(
    all: &mut Vec<ComparedTemplate>,
    sources: &mut MaskedSources,
) -> Vec<Diagnostic> {
    let is_new = |it: &mut ComparedTemplate| it.is_jinja && it.names.old.is_none();
    let note = |it: ComparedTemplate| {
        let name = it.names.new.unwrap_or_default();
        let span = Span::new(sources.add_public(name.as_str(), "".into()), 0, 0);
        let message = format!("the Jinja2 template `{name}` is new: there is nothing to compare");
        let mut note = Diagnostic::new(lossless_yaml::codes::JINJA, message).at(span);
        note.severity = Severity::Note;
        note
    };
    all.extract_if(.., is_new).map(note).collect()
}

/// Merges what the comparisons of many templates find about suppressions of the command line: one is unused if it applies to none.
/// Each comparison keeps those that apply to it.
pub fn merge_unused_suppressions(all: &mut [ComparedTemplate]) -> Vec<Diagnostic> {
    let is_of_option = |it: &Diagnostic| {
        it.code == source_diagnostics::codes::SUPPRESSION_UNUSED && it.span().is_none()
    };
    let count = all.iter().filter(|compared| compared.comparison.is_some()).count();
    let mut unused: IndexMap<String, Vec<Diagnostic>> = IndexMap::new();
    for compared in all {
        let of_options = compared.findings.extract_if(.., |it| is_of_option(&it.diagnostic));
        for SidedFinding { diagnostic, .. } in of_options {
            unused.entry(diagnostic.message.clone()).or_default().push(diagnostic);
        }
        if let Some(comparison) = &mut compared.comparison {
            comparison.retain_suppressions(|it| it.used || it.span.is_some());
        }
    }
    let nowhere = unused.into_values().filter(|of_templates| of_templates.len() == count);
    // One with a hint, if there is one.
    nowhere.filter_map(|found| found.into_iter().max_by_key(|it| it.help.len())).collect()
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

struct EvaluatedSide {
    deployed: Deployed,
    /// Whether Heat reads no resource of the template, so that what fails is unknown.
    is_refused: bool,
    /// The findings that are shown besides the reasons of the comparison, and those of reading.
    found: Vec<Diagnostic>,
    /// All findings, each mistake once.
    judged: Vec<Diagnostic>,
}

impl ReadSide {
    fn new(
        options: &DeploymentOptions,
        files: &dyn FileSource,
        template: Option<Location>,
        environments: Vec<Location>,
        reading: ReadOptions,
        sources: &mut SourceMap,
    ) -> anyhow::Result<Self> {
        let exists = template.is_some();
        let deployment = match template {
            Some(template) => {
                let environments = environments.clone();
                options.open_from(files, Some(template), environments, reading, sources)?
            }
            None => {
                let name = Path::new("nothing");
                let nothing: MemoryFiles = [(name, EMPTY_TEMPLATE)].into_iter().collect();
                let location = Location::from_argument(name, &nothing);
                let options = DeploymentOptions::default();
                options.open_from(&nothing, Some(location), Vec::new(), reading, sources)?
            }
        };
        Ok(ReadSide { exists, deployment, environments })
    }

    fn evaluated(
        &self,
        root: Template,
        values: &ValueOptions,
        named_files: &dyn FileSource,
        reading: ReadOptions,
        running: Option<RunningMembers>,
    ) -> anyhow::Result<EvaluatedSide> {
        let deployment = &self.deployment;
        let mut states = values.known_values(named_files, &root.stack, reading)?;
        if let Some(running) = running {
            states = states.updating(running);
        }
        let environment = &deployment.environment;
        let evaluated = |goal| {
            request(environment, root.clone(), &states, values, goal, |request| {
                let mut deployed = deploy(request);
                let found = findings_of_deployment(request, &deployed);
                let of_evaluation = deployed.findings();
                deployed.assume_members(request);
                (deployed, found, of_evaluation)
            })
        };
        let (mut deployed, of_deployment, of_evaluation) = evaluated(EvaluationGoal::Comparison);
        let is_refused = deployed.evaluation.resources.is_none();
        let read = deployment.findings.iter().chain(&environment.findings);
        let judged = root_causes(read.chain(&of_deployment), &[&causes::CAUSES]);
        if is_refused {
            // What is written can be compared all the same.
            deployed = evaluated(EvaluationGoal::RefusedComparison).0;
        }
        // The errors of resources are among the reasons of the comparison.
        let mut found = if is_refused { of_deployment } else { of_evaluation };
        let key = |it: &Diagnostic| (it.code.info().id, it.message.clone(), it.span());
        let of_causes: HashSet<_> = judged.iter().map(key).collect();
        found.retain(|finding| of_causes.contains(&key(finding)));
        Ok(EvaluatedSide { deployed, is_refused, found, judged })
    }

    /// Whether the template and all files are those of another side, to the letter.
    fn has_inputs_of(&self, other: &Self) -> bool {
        let text = |side: &Self| side.deployment.root.as_ref().map(|it| it.1.text().to_owned());
        let files = |side: &Self| -> Vec<String> {
            let files = side.deployment.environment.files.iter();
            let text = |content: &FileContent| match content {
                FileContent::Template(document) => document.text().to_owned(),
                FileContent::Text(text) | FileContent::Base64(text) => text.to_string(),
            };
            files.map(|it| text(&it.content)).collect()
        };
        text(self) == text(other) && files(self) == files(other)
    }

    /// The side to compare; `None` if a part of it could not be read.
    fn side<'a>(
        &'a self,
        evaluated: &'a EvaluatedSide,
        is_first: bool,
        running: Option<&'a RunningStack>,
    ) -> Option<DeploymentSide<'a>> {
        let (location, document) = self.deployment.root.as_ref()?;
        let deployed = &evaluated.deployed;
        let is_whole = self.deployment.complete && deployed.evaluation.resources.is_some();
        is_whole.then_some(DeploymentSide {
            deployed,
            location,
            document,
            exists: self.exists,
            is_first,
            environment: &self.deployment.environment,
            environments: &self.environments,
            findings: &evaluated.judged,
            running,
        })
    }
}

/// Whether a finding is about a key or a section that nobody reads.
fn is_about_unread_part(finding: &Diagnostic) -> bool {
    finding.is_error() && finding.code.info().id.starts_with("HP02")
}

/// Whether a finding is an error in a stack that Heat accepts.
fn is_accepted_error(finding: &Diagnostic) -> bool {
    finding.is_error() && finding.consequence() == Consequence::Accepted
}

/// The states of the resources of a saved stack.
fn running(saved: &SavedStack) -> RunningStack {
    let mut running = RunningStack::default();
    saved.each_stack(&mut |path, stack, resources, is_interchangeable| {
        running.stacks.insert(path.to_owned(), stack.status.clone());
        for (name, resource) in resources {
            let name = if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
            let (status, has_id) = (resource.status.clone(), !resource.id.is_empty());
            let resource = RunningResource { status, has_id, is_interchangeable };
            running.resources.insert(name, resource);
        }
    });
    running
}
