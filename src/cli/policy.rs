//! `hotplate policy`: a user's own rules.

use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, Subcommand};

use super::inputs::ReadLimits;
use super::{Console, ExitStatus, Format};
use crate::policy::{BrokenPolicy, CaseKind, Policy as RuleSet, PolicyRule, RuleTest};
use crate::report::json;
use crate::report::policy::{self as report, ExplainedRule};
use hotplate_check::CheckedTemplate;
use hotplate_project::{
    Check, CheckOptions, CheckRules, ChosenDeployment, Configuration, DeploymentOptions,
    FileOutcome,
};
use source_diagnostics::did_you_mean;
use source_files::{FileSource, display_name, find};

/// Test and explain your own rules for `check --policy`
#[derive(Debug, Args)]
pub(super) struct Policy {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Test(TestCommand),
    Explain(ExplainCommand),
}

/// Check the templates of each rule: those in `ID/good` do not violate it, those in `ID/bad` do
#[derive(Debug, Args)]
struct TestCommand {
    /// The folders with the rules
    #[arg(value_name = "DIR", required = true)]
    folders: Vec<PathBuf>,
    /// The format of the report
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    bounds: ReadLimits,
}

/// Print what rules are about, why they exist and what to do
#[derive(Debug, Args)]
struct ExplainCommand {
    /// The folder with the rules
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The id of a rule; if omitted, all rules
    #[arg(value_name = "ID")]
    id: Option<String>,
    /// The format of the output
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    bounds: ReadLimits,
}

impl Policy {
    pub(super) fn run(self, console: &mut Console) -> anyhow::Result<ExitStatus> {
        match self.command {
            Command::Test(command) => command.run(console),
            Command::Explain(command) => command.run(console),
        }
    }
}

impl TestCommand {
    fn run(self, console: &mut Console) -> anyhow::Result<ExitStatus> {
        let files = self.bounds.files();
        let policy = match RuleSet::read(&self.folders, &files) {
            Ok(policy) => policy,
            Err(broken) => return Ok(show_broken(&broken, console)),
        };
        let tests: Vec<RuleTest> = policy
            .rules()
            .iter()
            .map(|rule| test(rule, &files, self.bounds))
            .collect::<anyhow::Result<_>>()?;
        console.print(&match self.format {
            Format::Text => report::tests(&tests),
            Format::Json => json::to_text(&tests).context("JSON cannot be written")?,
        })?;
        let failed = tests.iter().any(|test| !test.problems.is_empty());
        Ok(if failed { ExitStatus::Attention } else { ExitStatus::Done })
    }
}

fn test(rule: &PolicyRule, files: &dyn FileSource, bounds: ReadLimits) -> anyhow::Result<RuleTest> {
    let mut test = RuleTest { id: rule.id(), good: 0, bad: 0, problems: Vec::new() };
    let (options, rules) =
        (CheckOptions::new(bounds.options()), CheckRules::of_policy(rule.alone()));
    let check = Check {
        options: &options,
        rules: &rules,
        configuration: &Configuration::default(),
        of_change: None,
    };
    let alone = ChosenDeployment::of_command_line(&DeploymentOptions::default());
    for kind in CaseKind::ALL {
        let cases = rule.cases(kind, files);
        match kind {
            CaseKind::Good => test.good = cases.len(),
            CaseKind::Bad => test.bad = cases.len(),
        }
        if cases.is_empty() {
            test.problems.push(format!("there is no template in `{}/{}`", rule.id(), kind.name()));
        }
        for input in find(files, &cases).inputs {
            let checked = match check.check_file(files, &input, &alone)? {
                FileOutcome::Checked(checked) => *checked,
                // Only in a folder that is named like a template.
                FileOutcome::Other | FileOutcome::Environment(_) | FileOutcome::Jinja => {
                    CheckedTemplate::default()
                }
            };
            if let Some(problem) = rule.problem(kind, &checked) {
                test.problems.push(format!("{}: {problem}", display_name(&input.path)));
            }
        }
    }
    Ok(test)
}

impl ExplainCommand {
    fn run(self, console: &mut Console) -> anyhow::Result<ExitStatus> {
        let policy = match RuleSet::read(&[self.folder], &self.bounds.files()) {
            Ok(policy) => policy,
            Err(broken) => return Ok(show_broken(&broken, console)),
        };
        let shown: Vec<&PolicyRule> = match &self.id {
            None => policy.rules().iter().collect(),
            Some(id) => {
                let ids = || policy.rules().iter().map(PolicyRule::id);
                let Some(at) = ids().position(|known| known.eq_ignore_ascii_case(id)) else {
                    let hint = did_you_mean(id, ids())
                        .map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
                    anyhow::bail!("the policy has no rule `{id}`{hint}");
                };
                policy.rules().iter().skip(at).take(1).collect()
            }
        };
        let shown = shown.into_iter();
        console.print(&match self.format {
            Format::Text => shown.map(report::explanation).collect::<Vec<_>>().join("\n"),
            Format::Json => {
                let rules: Vec<ExplainedRule> = shown.map(ExplainedRule::from).collect();
                json::to_text(&rules).context("JSON cannot be written")?
            }
        })?;
        Ok(ExitStatus::Done)
    }
}

fn show_broken(broken: &BrokenPolicy, console: &mut Console) -> ExitStatus {
    console.diagnostics(&broken.findings, &broken.sources);
    ExitStatus::Failed
}
