//! A rule, as it is written in its file.

use std::path::PathBuf;

use serde::Deserialize;
use source_diagnostics::{Code, Severity};
use yaql::Expression;

use super::message::MessageTemplate;
use super::path::RulePath;
use heat_engine::environment::fnmatch;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RuleFile {
    /// The id, which is also the name of the file.
    pub(super) id: String,
    /// A title of a few words.
    pub(super) title: String,
    /// The message, with expressions in `{{…}}`.
    pub(super) message: String,
    #[serde(default)]
    pub(super) severity: RuleSeverity,
    /// What to do.
    pub(super) help: Option<String>,
    /// Why the rule exists.
    pub(super) explanation: Option<String>,
    pub(super) select: SelectFile,
    /// The value that the rule is about.
    pub(super) path: Option<String>,
    /// The condition that must be true.
    pub(super) require: Option<String>,
    /// The condition that must not be true.
    pub(super) forbid: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum RuleSeverity {
    Error,
    #[default]
    Warning,
    Note,
}

impl From<RuleSeverity> for Severity {
    fn from(severity: RuleSeverity) -> Self {
        match severity {
            RuleSeverity::Error => Severity::Error,
            RuleSeverity::Warning => Severity::Warning,
            RuleSeverity::Note => Severity::Note,
        }
    }
}

/// The parts of a template that a rule is about: one of the keys.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SelectFile {
    /// Resources of these types.
    pub(super) resources: Option<Vec<String>>,
    /// Parameters of these names.
    pub(super) parameters: Option<Vec<String>>,
    /// Outputs of these names.
    pub(super) outputs: Option<Vec<String>>,
    /// Every template.
    pub(super) template: Option<bool>,
}

/// The subject of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectedKind {
    /// Each resource of some types.
    Resource,
    /// Each parameter of some names.
    Parameter,
    /// Each output of some names.
    Output,
    /// Each template.
    Template,
}

impl SelectedKind {
    /// The key in the data of the condition, and in the rule.
    pub fn name(self) -> &'static str {
        match self {
            SelectedKind::Resource => "resource",
            SelectedKind::Parameter => "parameter",
            SelectedKind::Output => "output",
            SelectedKind::Template => "template",
        }
    }
}

/// A rule of a policy.
#[derive(Clone, Debug)]
pub struct PolicyRule {
    /// The code under which its findings are reported.
    pub code: Code,
    /// The folder of the policy.
    pub folder: PathBuf,
    /// What the patterns select: resources by type; parameters, outputs and templates by name.
    pub kind: SelectedKind,
    /// The types or names, as shell patterns.
    pub patterns: Vec<String>,
    pub(super) path: RulePath,
    pub(super) condition: Expression,
    /// Whether the condition may look at the whole stack.
    pub(super) sees_stack: bool,
    /// The value of the condition that violates the rule.
    pub(super) violated_by: bool,
    pub(super) message: MessageTemplate,
    /// What to do.
    pub help: Option<String>,
}

impl PolicyRule {
    /// The id, such as `ACME001`.
    pub fn id(&self) -> &'static str {
        self.code.info().id
    }

    /// Whether a type or a name is selected.
    pub(super) fn selects(&self, name: &str) -> bool {
        self.patterns.iter().any(|pattern| fnmatch(name, pattern))
    }
}
