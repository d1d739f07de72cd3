//! Reads a file of `check`, or of the tests of a policy, with what it is deployed with, and has it checked.

use super::deployment::{ChosenDeployment, EvaluationOptions, ReadDeployment};
use super::inputs::{ReadLimits, is_jinja};
use crate::policy::{Policy, PolicyFindings};
use heat_engine::environment::Location;
use heat_engine::environment::sections::is_environment;
use heat_template::dialect::read_candidate;
use hotplate_check::{
    CheckedDeployment, CheckedTemplate, Cloud, EnvironmentReferences, literal_secrets,
};
use source_diagnostics::{Diagnostic, MaskedSources, SourceId};
use source_files::{FileSource, InputFile};

/// What files are checked with.
pub(super) struct FileChecker<'a> {
    pub(super) files: &'a dyn FileSource,
    pub(super) cloud: &'a Cloud,
    pub(super) policy: &'a Policy,
    pub(super) evaluation: &'a EvaluationOptions,
    pub(super) bounds: ReadLimits,
}

/// What became of an input.
pub(super) enum FileOutcome {
    Checked(Box<CheckedTemplate>),
    /// The file of a folder is neither a template nor an environment.
    Other,
    /// An environment.
    Environment(EnvironmentReferences),
    /// The tags of a Jinja2 template must be rendered before Heat reads it.
    Jinja,
}

impl FileChecker<'_> {
    /// Checks a file with one of its deployments. A file that the user named is always checked: if it is not a template, there is a
    /// finding.
    pub(super) fn check(
        &self,
        input: &InputFile,
        deployment: &ChosenDeployment,
    ) -> anyhow::Result<FileOutcome> {
        let location = Location::from_argument(&input.path, self.files);
        let options = &deployment.options;
        let (opened, mut sources) = options.open_masked_from(self.files, location, self.bounds)?;
        let ReadDeployment { root, environment, mut findings, complete, .. } = opened;
        let lowered = root.as_ref().map(|(_, document)| environment.lower(document));
        let ((location, document), lowered) = match (&root, lowered) {
            (Some(root), Some(Ok(lowered))) => (root, lowered),
            (_, failed) => {
                findings.extend(failed.and_then(Result::err).map(|finding| *finding));
                return Ok(self.without_template(input, findings, sources));
            }
        };
        let (mut checked, deployed) = CheckedDeployment {
            location,
            document,
            environment: &environment,
            has_input: !options.is_empty(),
            cloud: self.cloud,
            yaql: &self.evaluation.yaql.to_options(),
            max_resources: self.evaluation.max_resources,
            max_values: self.evaluation.max_values,
        }
        .check(lowered);
        sources.mask(&literal_secrets(&checked.findings));
        let PolicyFindings { findings: of_policy, undecided } = self.policy.check(&deployed);
        findings.append(&mut checked.findings);
        findings.extend(of_policy);
        Ok(FileOutcome::Checked(Box::new(CheckedTemplate {
            findings,
            sources,
            complete,
            undecided,
            deployment: deployment.index,
            ..checked
        })))
    }

    /// The outcome for a file that cannot be read as a template.
    fn without_template(
        &self,
        input: &InputFile,
        findings: Vec<Diagnostic>,
        sources: MaskedSources,
    ) -> FileOutcome {
        if !input.is_explicit {
            if findings.iter().any(|finding| is_jinja(finding, &input.path)) {
                return FileOutcome::Jinja;
            }
            let read = input
                .read(self.files)
                .ok()
                .map(|bytes| read_candidate(SourceId(0), bytes, false, &self.bounds.limits()).1);
            let is_other = |finding: &Diagnostic| {
                finding.code == heat_template::codes::NOT_A_TEMPLATE
                    || finding.code == source_files::codes::EMPTY_FILE
            };
            let other = matches!(&read, Some(Err(finding)) if is_other(finding));
            if other || findings.iter().any(is_other) {
                let environment = read.and_then(Result::ok).filter(is_environment);
                return environment.map_or(FileOutcome::Other, |environment| {
                    let location = Location::from_argument(&input.path, self.files);
                    FileOutcome::Environment(EnvironmentReferences::of(&environment, &location))
                });
            }
        }
        FileOutcome::Checked(Box::new(CheckedTemplate {
            findings,
            sources,
            ..CheckedTemplate::default()
        }))
    }
}
