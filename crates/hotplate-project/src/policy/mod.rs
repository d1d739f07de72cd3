//! A user's own rules: a folder with one YAML file per rule, which `check --policy` reports like its own checks.
//!
//! A rule selects parts of a stack and states a condition in yaql, the expression language of Heat; `docs/policies.md` is the
//! guide. It sees the evaluated deployment: properties as the plugin reads them, every nested stack by itself. What is unknown
//! before the stack is created, and what is hidden, is unknown to the condition too: if the condition depends on it, the rule
//! is neither met nor violated there, and the part is counted as undecided.

mod cases;
mod data;
mod evaluate;
mod load;
mod message;
mod path;
mod rule;

pub use cases::{CaseKind, RuleTest};
pub use evaluate::PolicyFindings;
pub use load::BrokenPolicy;
pub use rule::{PolicyRule, SelectedKind};

use source_diagnostics::Code;

/// The rules of one or several folders.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    rules: Vec<PolicyRule>,
}

impl Policy {
    /// The rules, in the order of the folders and of their ids.
    pub fn rules(&self) -> &[PolicyRule] {
        &self.rules
    }

    /// The codes of the rules.
    pub fn codes(&self) -> Vec<Code> {
        self.rules.iter().map(|rule| rule.code).collect()
    }
}
