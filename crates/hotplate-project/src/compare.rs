//! Reads, evaluates and compares the two sides of a comparison.

mod many;
mod side;
mod unparsed_texts;

use std::path::{Path, PathBuf};

pub use self::many::shared_findings;
use self::side::{ReadSide, evaluated_with_members, is_accepted_error, running, unknown};
use self::unparsed_texts::shown_texts;
use crate::configuration::Configuration;
use crate::deployment::{ChosenDeployment, DeploymentOptions};
use crate::is_jinja;
use crate::options::{ReadOptions, ValueOptions};
use heat_engine::environment::{DeniedFiles, Location};
use heat_engine::eval::template_graph::Template;
use hotplate_diff::{
    CommentSide, Comparison, FileStatus, FindingSide, Pair, SidedFinding, Suppression,
    SuppressionOptions, by_side, compare as compare_sides,
};
use hotplate_upgrade::Upgrade;
use saved_stack::{NotRunning, SavedStackFiles, differences, with_saved_texts};
use schemars::JsonSchema;
use serde::Serialize;
use source_diagnostics::{
    Diagnostic, MaskedSources, ShowSecrets, SourceId, SourceMap, Span, redacted,
};
use source_files::{FileSource, PathKind, WithTexts, display_name, shown_name};

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
    /// Whether the texts of the templates differ.
    pub is_rewritten: bool,
    /// Both texts of a Jinja2 template, without defaults that may be secret.
    pub texts: Option<Pair<String>>,
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
            let saved = given.old.saved.as_deref().and_then(|it| it.stack.as_ref());
            let is_large = text_bytes >= WORTH_A_THREAD;
            let (one, other) = evaluated_with_members(of_old, of_new, saved, is_large)?;
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
            // Where Heat refuses a side, a difference may be in what nobody reads.
            let is_partly_read =
                (one.is_partly_read() || other.is_partly_read()) && !old.has_inputs_of(&new);
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
                let mut compared = Comparison { file, ..compared.comparison };
                compared.sections.is_partly_read = is_partly_read;
                let refused = |side: &side::EvaluatedSide| {
                    let errors = side.judged.iter().filter(|it| it.refuses_stack());
                    errors.filter(|it| !hotplate_diff::is_about_absent_input(it)).count()
                };
                if file == FileStatus::Existing && refused(&other) == 0 {
                    compared.sections.mended = refused(&one);
                }
                comparison = Some(compared);
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
        let text = |place: &SideLocation<'_>| {
            let path = place.template.as_deref().filter(|path| !place.files.is_stream(path))?;
            place.files.read(path).ok()
        };
        let both = Pair { old: text(places.old), new: text(places.new) };
        let is_rewritten = both.old.is_some() && both.new.is_some() && both.old != both.new;
        let texts = is_jinja.then(|| shown_texts(both)).flatten();
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
            is_rewritten,
            texts,
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
