//! The checks: a row each, in the order in which they run. A row stands in the file of its check.

pub(crate) mod aliases;
pub(crate) mod child_outputs;
pub(crate) mod cloud;
pub(crate) mod conditions;
pub(crate) mod constraints;
pub(crate) mod environment;
pub(crate) mod external;
pub(crate) mod hard_coded;
pub(crate) mod lost_order;
pub(crate) mod misspelled_calls;
pub(crate) mod open_ports;
pub(crate) mod persistence;
pub(crate) mod placeholders;
pub(crate) mod secrets;
pub(crate) mod shared_objects;
pub(crate) mod signals;
pub(crate) mod subnets;
pub(crate) mod support;
pub(crate) mod swallowed;
pub(crate) mod unused;
pub(crate) mod yaml_text;

use heat_engine::environment::{Environment, FileContent};
use heat_engine::eval::Budget;
use heat_template::schema::Schema;
use lossless_yaml::Document;
use source_diagnostics::{Code, Diagnostic};

use crate::references::References;
use crate::stacks::CheckedStack;
use cloud::Cloud;
use support::HeatRelease;
use unused::Interfaces;

/// A check: what it looks at, and what it may report.
pub(crate) struct Check {
    /// How often it runs.
    pub(crate) scope: Scope,
    /// The codes of its findings; their rows have severities and explanations, `docs/checks/` a page for each.
    pub(crate) codes: &'static [Code],
    /// Adds its findings, in the order of the text.
    pub(crate) run: fn(&CheckInput<'_>, &mut Vec<Diagnostic>),
}

/// How often a check runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// For each stack of a deployment, with its values.
    Stack,
    /// Once for a deployment; the stack is its root.
    Deployment,
    /// Once for each template: what a template says is the same wherever it is nested.
    Template,
}

/// What a check can see.
pub(crate) struct CheckInput<'a> {
    /// The stack that is checked.
    pub(crate) stack: &'a CheckedStack<'a>,
    /// Every stack of the deployment, the root first.
    pub(crate) stacks: &'a [CheckedStack<'a>],
    pub(crate) environment: &'a Environment,
    /// The text of the root template.
    pub(crate) root_text: &'a str,
    pub(crate) schema: &'static Schema,
    /// The cloud that the user names.
    pub(crate) cloud: &'a Cloud,
    pub(crate) release: HeatRelease<'a>,
    pub(crate) budget: &'a Budget,
    /// What templates pass to the templates that they nest.
    pub(crate) interfaces: &'a Interfaces<'a>,
    /// The template as it is read, for checks of templates; `None` for one that Heat makes.
    pub(crate) document: Option<&'a Document>,
    /// What its expressions refer to, for checks of templates, if all of it is known.
    pub(crate) references: Option<&'a References<'a>>,
}

impl<'a> CheckInput<'a> {
    /// The text of a file that the template includes.
    pub(crate) fn included_text(&self, name: &str) -> Option<&'a str> {
        let base = self.stack.deployed.node.template.base.as_ref()?;
        match &self.environment.files.get(base.resolve(name).url())?.content {
            FileContent::Text(text) => Some(text),
            FileContent::Template(_) | FileContent::Base64(_) => None,
        }
    }

    /// Runs the checks of a scope.
    pub(crate) fn run(&self, scope: Scope, found: &mut Vec<Diagnostic>) {
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
pub(crate) const CHECKS: &[Check] = &[
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
    child_outputs::CHECK,
    yaml_text::CHECK,
    swallowed::CHECK,
    lost_order::CHECK,
    unused::UNREFERENCED,
    signals::CHECK,
    conditions::CHECK,
    constraints::CHECK,
    placeholders::CHECK,
    secrets::MASKED,
    secrets::PARAMETERS,
    secrets::LITERALS,
    persistence::CHECK,
    subnets::CHECK,
    shared_objects::CHECK,
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
        codes::SERVICE_RULE,
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
