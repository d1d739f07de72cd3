//! Reads a file of `check`, or of the tests of a policy, with what it is deployed with, and has it checked.

use crate::check::Check;
use crate::deployment::ChosenDeployment;
use crate::evaluation::{EvaluationGoal, request};
use crate::is_jinja;
use crate::policy::PolicyFindings;
use heat_engine::environment::InputScope;
use heat_engine::environment::Location;
use heat_engine::environment::sections::is_environment;
use heat_engine::eval::ResourceStates;
use heat_template::dialect::read_candidate;
use hotplate_check::{CheckedDeployment, CheckedTemplate, EnvironmentReferences, literal_secrets};
use source_diagnostics::{Diagnostic, MaskedSources, SourceId};
use source_files::display_name;
use source_files::{FileSource, InputFile};

/// The outcome of an input.
pub enum FileOutcome {
    /// A template, or a file that was to be one.
    Checked(Box<CheckedTemplate>),
    /// The file of a folder is neither a template nor an environment.
    Other,
    /// An environment.
    Environment(EnvironmentReferences),
    /// The tags of a Jinja2 template must be rendered before Heat reads it.
    Jinja,
}

impl Check<'_> {
    /// Checks a file with one of its deployments. A file that the user named is always checked: if it is not a template, there is a
    /// finding.
    pub fn check_file(
        &self,
        files: &dyn FileSource,
        input: &InputFile,
        deployment: &ChosenDeployment,
    ) -> anyhow::Result<FileOutcome> {
        let location = Location::from_argument(&input.path, files);
        let options = &deployment.options;
        let (opened, mut sources) =
            options.open_masked_from(files, location, self.options.reading)?;
        let lowered = opened.lowered();
        let (root, (location, document)) = match (lowered, &opened.root) {
            (Ok(Some(template)), Some(root)) => (template, root),
            (lowered, _) => {
                let mut findings = opened.findings;
                findings.extend(lowered.err().map(|finding| *finding));
                return Ok(self.without_template(files, input, findings, sources));
            }
        };
        let checked = CheckedDeployment {
            location,
            document,
            environment: &opened.environment,
            has_input: !options.is_empty() && options.scope != InputScope::Implied,
            cloud: &self.rules.cloud,
        };
        let environment = &opened.environment;
        let states = ResourceStates::new(&root.stack, self.options.reading.schema, false);
        let (values, goal) = (&self.options.values, EvaluationGoal::Failures);
        let (mut checked, deployed) =
            request(environment, root, &states, values, goal, |request| checked.check(request));
        sources.mask(&literal_secrets(&checked.findings));
        let PolicyFindings { findings: of_policy, undecided } = self.rules.policy.check(&deployed);
        let mut findings = opened.findings;
        findings.append(&mut checked.findings);
        findings.extend(of_policy);
        Ok(FileOutcome::Checked(Box::new(CheckedTemplate {
            findings,
            sources,
            complete: opened.complete,
            undecided,
            deployment: deployment.id,
            evidence: deployment
                .evidence
                .clone()
                .map(|it| format!("{}: {it}", display_name(&input.path))),
            ..checked
        })))
    }

    /// The outcome for a file that cannot be read as a template.
    fn without_template(
        &self,
        files: &dyn FileSource,
        input: &InputFile,
        findings: Vec<Diagnostic>,
        sources: MaskedSources,
    ) -> FileOutcome {
        if !input.is_explicit {
            if findings.iter().any(|finding| is_jinja(finding, &input.path)) {
                return FileOutcome::Jinja;
            }
            let read = input.read(files).ok().map(|bytes| {
                read_candidate(SourceId(0), bytes, false, &self.options.reading.limits).1
            });
            let is_other = |finding: &Diagnostic| {
                finding.code == heat_template::codes::NOT_A_TEMPLATE
                    || finding.code == source_files::codes::EMPTY_FILE
            };
            let other = matches!(&read, Some(Err(finding)) if is_other(finding));
            if other || findings.iter().any(is_other) {
                let environment = read.and_then(Result::ok).filter(is_environment);
                return environment.map_or(FileOutcome::Other, |environment| {
                    let location = Location::from_argument(&input.path, files);
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
