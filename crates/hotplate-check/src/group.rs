//! The groups of findings, by which they are selected.

use schemars::JsonSchema;
use serde::Serialize;
use source_diagnostics::{Diagnostic, Severity};

use crate::codes;

/// What kind of problem a finding is.
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

    /// The group of a finding. The hundreds of a code say what it is about (`HP11xx`: deprecated); every other error is an
    /// error for Heat, everything milder is suspicious.
    pub fn of(finding: &Diagnostic) -> Group {
        if finding.code.info().policy.is_some() {
            return Group::Policy;
        }
        // How often they occur is counted in any case.
        let counted = [codes::POLICY_UNDECIDED, heat_engine::codes::CONSTRAINT_NOT_CHECKED];
        if counted.contains(&finding.code) {
            return Group::Pedantic;
        }
        let ranges = [
            (codes::TYPE_WITHOUT_EFFECT, Group::Deprecated),
            (codes::WORLD_OPEN_PORT, Group::Security),
            (codes::HARD_CODED_ID, Group::Pedantic),
        ];
        let hundreds = |code: source_diagnostics::Code| code.info().id.get(..4);
        let of_range = ranges.iter().find(|(code, _)| hundreds(*code) == hundreds(finding.code));
        match (of_range, finding.severity) {
            (Some((_, group)), _) => *group,
            (None, Severity::Error) => Group::Error,
            (None, Severity::Warning | Severity::Note) => Group::Suspicious,
        }
    }
}
