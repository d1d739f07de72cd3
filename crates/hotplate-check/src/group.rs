//! The groups of findings, by which they are selected.

use schemars::JsonSchema;
use serde::Serialize;
use source_diagnostics::{Diagnostic, Severity};

use crate::codes;

/// The kind of problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Group {
    /// Heat refuses the template, its client does, or a file could not be read.
    Error,
    /// Valid, but probably not what the author intends.
    Suspicious,
    /// Works, but the release deprecates or hides it, or it has no effect there.
    Deprecated,
    /// Exposes a secret or a port.
    Security,
    /// A rule of a user's own policy is violated.
    Policy,
    /// A matter of taste; only checked if it is selected.
    Pedantic,
}

/// The groups of codes of other crates. How often a constraint is not checked is counted in any case.
const OF_OTHERS: [(source_diagnostics::Code, Group); 1] =
    [(heat_engine::codes::CONSTRAINT_NOT_CHECKED, Group::Pedantic)];

impl Group {
    /// Every group, the most important first.
    pub const ALL: [Group; 6] = [
        Group::Error,
        Group::Suspicious,
        Group::Deprecated,
        Group::Security,
        Group::Policy,
        Group::Pedantic,
    ];

    /// The name in options and reports.
    pub fn name(self) -> &'static str {
        match self {
            Group::Error => "error",
            Group::Suspicious => "suspicious",
            Group::Deprecated => "deprecated",
            Group::Security => "security",
            Group::Policy => "policy",
            Group::Pedantic => "pedantic",
        }
    }

    /// The group with this name.
    pub fn from_name(name: &str) -> Option<Group> {
        Group::ALL.into_iter().find(|group| group.name() == name)
    }

    /// Whether findings of the group are reported unless it is ignored.
    pub fn is_default(self) -> bool {
        self != Group::Pedantic
    }

    /// The group of a finding: the one that the row of its code names; without one, an error is an error for Heat, and everything
    /// milder is suspicious.
    pub fn of(finding: &Diagnostic) -> Group {
        if finding.code.info().policy.is_some() {
            return Group::Policy;
        }
        let of_row =
            || codes::GROUPS.iter().chain(&OF_OTHERS).find(|(code, _)| *code == finding.code);
        match (of_row(), finding.severity) {
            // An integer, which JSON writes as the author does.
            (None, Severity::Note) if finding.code == lossless_yaml::codes::NON_TEXT_KEY => {
                Group::Pedantic
            }
            (Some((_, group)), _) => *group,
            (None, Severity::Error) => Group::Error,
            (None, Severity::Warning | Severity::Note) => Group::Suspicious,
        }
    }
}
