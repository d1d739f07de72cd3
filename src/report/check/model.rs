//! The published JSON of `check`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use source_diagnostics::{Code, Consequence, Severity};

use crate::report::json::{Finding, Related};
use crate::report::{SourceLocator, SourceRange};
use hotplate_check::{CheckRun, Fix, FixedFinding, Group, LeftOutFix, NotChecked};

/// The findings about templates and their environments.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CheckReport {
    /// The release of Heat whose resource types the templates were checked against.
    pub heat: String,
    /// The path of the configuration (`hotplate.toml`); `null` without one.
    pub config: Option<String>,
    /// The findings, by template. With `--fix` or `--unsafe-fixes`, those that remain.
    pub findings: Vec<CheckFinding>,
    /// The findings that `--fix` or `--unsafe-fixes` fixed.
    pub fixed: Vec<FixedFinding>,
    /// The findings whose fix `--fix` or `--unsafe-fixes` did not apply, with the reason. They are in `findings`, too.
    pub left_out: Vec<LeftOutFix>,
    /// The checked files, and how many findings there are.
    pub summary: CheckSummary,
}

/// A finding of `check`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CheckFinding {
    /// The stable code, `HP1001`.
    #[schemars(with = "String")]
    pub code: Code,
    /// How serious it is.
    pub severity: Severity,
    /// The kind of problem.
    pub group: Group,
    /// The mistake, in one sentence.
    pub message: String,
    /// Heat's own words with the class of the exception, where Heat has others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heat_message: Option<String>,
    /// The place of the finding; `null` if it concerns no file.
    pub place: Option<SourceRange>,
    /// The content at that place; may be empty.
    pub label: String,
    /// Other places that explain the finding.
    pub related: Vec<Related>,
    /// What to do, one sentence each.
    pub help: Vec<String>,
    /// The change that resolves the finding; `null` if there is none.
    pub fix: Option<Fix>,
    /// The command that explains the code.
    pub docs: String,
    /// Whether something was not given or found, so that nobody knows what Heat does.
    #[serde(skip)]
    pub is_incomplete: bool,
}

/// The checked files, and how many findings there are.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CheckSummary {
    /// The number of templates that were checked, without those that another one nests.
    pub templates: usize,
    /// The number of deployments of the configuration that they were checked with.
    pub deployments: usize,
    /// The deployments that repositories imply: each template with its environments and the reasons.
    pub implied_deployments: Vec<String>,
    /// The number of templates that were checked only as part of another one.
    pub nested: usize,
    /// The files that were found in folders and not checked.
    pub not_checked: NotChecked,
    /// True if everything that was needed could be read.
    pub complete: bool,
    /// The number of templates of which something was not given or found, such as the environment that maps a type: Heat needs it.
    pub incomplete: usize,
    /// Those of them that need an environment that was not found.
    pub needs_environment: usize,
    /// Those of them that need a file that was not found.
    pub needs_file: usize,
    /// The number of parameters without a value; their uses are checked for any value.
    pub unknown_parameters: usize,
    /// The number of constraints of parameters that were not checked, most of them since only a cloud can.
    pub unchecked_constraints: usize,
    /// The number of parts for which a rule of a policy is undecided, since it depends on unknown or hidden values.
    pub undecided: usize,
    /// The number of findings of each severity.
    pub severities: BTreeMap<Severity, usize>,
    /// The number of findings of each group.
    pub groups: BTreeMap<Group, usize>,
    /// The number of findings of each code.
    pub codes: BTreeMap<String, usize>,
    /// The number of findings that the selection excludes.
    pub excluded: usize,
    /// The number of findings that comments in the templates suppress.
    pub suppressed: usize,
    /// The number of findings that the baseline contains.
    pub known: usize,
}

impl CheckReport {
    /// The report of a run, for a release of Heat, with the path of the configuration.
    pub fn new(run: &CheckRun, heat: &str, config: Option<String>) -> Self {
        let mut findings = Vec::new();
        for template in &run.templates {
            let mut places = SourceLocator::new(&template.sources);
            for (at, diagnostic) in template.findings.iter().enumerate() {
                let group = Group::of(diagnostic);
                let Finding {
                    code,
                    severity,
                    message,
                    heat_message,
                    place,
                    label,
                    related,
                    help,
                    docs,
                } = Finding::new(diagnostic, &mut places);
                findings.push(CheckFinding {
                    code,
                    severity,
                    group,
                    message,
                    heat_message,
                    place,
                    label,
                    related,
                    help,
                    fix: template.fixes.get(&at).cloned(),
                    docs,
                    is_incomplete: diagnostic.consequence() == Consequence::Incomplete,
                });
            }
        }
        let (fixed, left_out) = (run.fixed.clone(), run.left_out.clone());
        let summary = CheckSummary::new(run);
        CheckReport { heat: heat.to_owned(), config, findings, fixed, left_out, summary }
    }
}

impl CheckSummary {
    /// The summary of a run.
    pub fn new(run: &CheckRun) -> Self {
        let unknown = run.templates.iter().map(|template| template.unknown_parameters);
        CheckSummary {
            templates: run.template_count(),
            deployments: run.deployment_count(),
            implied_deployments: run.implied_deployments().map(str::to_owned).collect(),
            nested: run.nested,
            not_checked: run.not_checked.clone(),
            complete: run.is_complete(),
            incomplete: run.incomplete_count(),
            needs_environment: run.without_environment_count(),
            needs_file: run.without_file_count(),
            unknown_parameters: unknown.sum(),
            unchecked_constraints: run.unchecked_constraints,
            undecided: run.templates.iter().map(|template| template.undecided).sum(),
            severities: run.severities(),
            groups: run.groups(),
            codes: run.counts.iter().map(|(code, count)| (code.to_string(), *count)).collect(),
            excluded: run.excluded,
            suppressed: run.suppressed,
            known: run.known,
        }
    }
}
