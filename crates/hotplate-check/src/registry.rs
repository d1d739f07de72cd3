//! The checks: a row each, in the order in which they run. A row stands in the file of its check.

use heat_engine::environment::{Environment, FileContent};
use heat_engine::eval::Budget;
use heat_template::schema::Schema;
use lossless_yaml::Document;
use source_diagnostics::{Code, Diagnostic};

use super::cloud::Cloud;
use super::references::References;
use super::stacks::CheckedStack;
use super::support::HeatRelease;
use super::unused::Interfaces;
use super::{
    aliases, cloud, conditions, constraints, environment, external, hard_coded, misspelled_calls,
    open_ports, persistence, placeholders, secrets, signals, subnets, support, unused,
};

/// A check: what it looks at, and what it may report.
pub(super) struct Check {
    /// How often it runs.
    pub(super) scope: Scope,
    /// The codes of its findings; their rows have severities and explanations, `docs/checks/` a page for each.
    pub(super) codes: &'static [Code],
    /// Adds its findings, in the order of the text.
    pub(super) run: fn(&CheckInput<'_>, &mut Vec<Diagnostic>),
}

/// How often a check runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// For each stack of a deployment, with its values.
    Stack,
    /// Once for a deployment; the stack is its root.
    Deployment,
    /// Once for each template: what a template says is the same wherever it is nested.
    Template,
}

/// What a check can see.
pub(super) struct CheckInput<'a> {
    /// The stack that is checked.
    pub(super) stack: &'a CheckedStack<'a>,
    /// Every stack of the deployment, the root first.
    pub(super) stacks: &'a [CheckedStack<'a>],
    pub(super) environment: &'a Environment,
    /// The text of the root template.
    pub(super) root_text: &'a str,
    pub(super) schema: &'static Schema,
    /// The cloud that the user names.
    pub(super) cloud: &'a Cloud,
    pub(super) release: HeatRelease<'a>,
    pub(super) budget: &'a Budget,
    /// What templates pass to the templates that they nest.
    pub(super) interfaces: &'a Interfaces<'a>,
    /// The template as it is read, for checks of templates; `None` for one that Heat makes.
    pub(super) document: Option<&'a Document>,
    /// What its expressions refer to, for checks of templates, if all of it is known.
    pub(super) references: Option<&'a References<'a>>,
}

impl<'a> CheckInput<'a> {
    /// The text of a file that the template includes.
    pub(super) fn included_text(&self, name: &str) -> Option<&'a str> {
        let base = self.stack.deployed.node.template.base.as_ref()?;
        match &self.environment.files.get(base.resolve(name).url())?.content {
            FileContent::Text(text) => Some(text),
            FileContent::Template(_) | FileContent::Base64(_) => None,
        }
    }

    /// Runs the checks of a scope.
    pub(super) fn run(&self, scope: Scope, found: &mut Vec<Diagnostic>) {
        for check in CHECKS.iter().filter(|check| check.scope == scope) {
            let before = found.len();
            (check.run)(self, found);
            let is_its = |code| check.codes.contains(&code) || OF_ALL.contains(&code);
            debug_assert!(found.iter().skip(before).all(|it| is_its(it.code)), "{found:?}");
        }
    }
}

/// What any check reports: work that it leaves out.
const OF_ALL: [Code; 1] = [source_diagnostics::codes::LEFT_OUT];

/// Every check. What Heat refuses in resources is beside them (`input::check_resources`), since other commands report it, too.
pub(super) const CHECKS: &[Check] = &[
    aliases::CHECK,
    support::RESOURCES,
    cloud::TYPES,
    aliases::REGISTRY,
    open_ports::CHECK,
    environment::CHECK,
    secrets::OUTPUTS,
    support::ATTRIBUTES,
    cloud::VERSION,
    cloud::DOCUMENT,
    unused::CHECK,
    unused::GROUPS,
    misspelled_calls::CHECK,
    unused::UNREFERENCED,
    signals::CHECK,
    conditions::CHECK,
    constraints::CHECK,
    placeholders::CHECK,
    secrets::PARAMETERS,
    secrets::LITERALS,
    persistence::CHECK,
    subnets::CHECK,
    external::CHECK,
    hard_coded::CHECK,
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::codes;

    /// The codes of what is not in the table: what Heat refuses in resources, the values that `allowed_values` lists, and policies.
    const OTHERS: &[Code] = &[
        codes::UNKNOWN_PROPERTY,
        codes::PROPERTY_MISSING,
        codes::PROPERTY_TYPE,
        codes::PROPERTY_CONSTRAINT,
        codes::PROPERTY_CONFLICT,
        codes::PROPERTY_UNIMPLEMENTED,
        codes::PLUGIN_RULE,
        codes::SNAPSHOT_UNSUPPORTED,
        codes::DUPLICATE_NAME,
        codes::NAME_WITH_SLASH,
        codes::LISTED_VALUE_REFUSED,
        codes::LISTED_VALUES_NOT_TRIED,
        codes::POLICY_BROKEN,
        codes::POLICY_UNDECIDED,
        codes::POLICY_FAILED,
    ];

    #[test]
    fn every_code_is_that_of_a_check() {
        let of_checks = CHECKS.iter().flat_map(|check| check.codes).chain(OTHERS);
        let of_checks: BTreeSet<&str> = of_checks.map(|code| code.info().id).collect();
        let all: BTreeSet<&str> = codes::ALL.iter().map(|code| code.info().id).collect();
        assert_eq!(of_checks, all);
    }
}
