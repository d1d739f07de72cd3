//! What the states of the resources that run add to Heat's decision: a failed resource is replaced or looked after at the next update, even if
//! its definition is the same.
//!
//! Heat's rule: `docs/heat.md#failed-resources`.

use std::collections::HashMap;

use super::definition::ResourceImplementation;
use crate::comparison::Impact;
use crate::update_rules::UpdateRule;
use heat_template::schema::{ReplaceRule, ResourceType};

/// The resources of the stack that runs, by their full names, as far as they are known.
#[derive(Clone, Debug, Default)]
pub struct RunningStack {
    /// The states of the resources.
    pub resources: HashMap<String, RunningResource>,
    /// The states of the stacks whose resources are listed, as far as they are known, by the full names of the resources that represent
    /// these stacks; empty for the root.
    pub stacks: HashMap<String, Option<String>>,
}

/// A resource that runs.
#[derive(Clone, Debug, Default)]
pub struct RunningResource {
    /// The last action with its status, such as `CREATE_FAILED`, if known.
    pub status: Option<String>,
    /// Whether it has an object in its service: a physical ID.
    pub has_id: bool,
    /// Whether its group deletes failed members and creates others.
    pub is_interchangeable: bool,
}

/// What Heat does to a resource because of its state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateEffect {
    /// It is replaced, whatever its definition says.
    Replaced,
    /// It is replaced if its service does not have it, or reports an error.
    ServiceDecides,
    /// The same; otherwise the update that failed is tried again.
    TriedAgain,
    /// Heat waits for the action, and replaces what fails.
    ActionDecides,
    /// The nested stack is replaced if it was marked unhealthy; after a check, its resources decide.
    MarkDecides,
}

impl StateEffect {
    /// The effect on the resource.
    fn impact(self) -> Impact {
        match self {
            StateEffect::Replaced => Impact::Replace,
            StateEffect::ServiceDecides
            | StateEffect::TriedAgain
            | StateEffect::ActionDecides
            | StateEffect::MarkDecides => Impact::MayReplace,
        }
    }

    /// The end of the sentence that begins with the state.
    pub(crate) fn sentence(self) -> &'static str {
        match self {
            StateEffect::Replaced => "the next update replaces it",
            StateEffect::ServiceDecides => {
                "the next update replaces it if its service does not have it or reports an error"
            }
            StateEffect::TriedAgain => {
                "the next update tries the failed one again, or replaces it if its service does not have it or reports an error"
            }
            StateEffect::ActionDecides => "Heat waits for that, and replaces it if it fails",
            StateEffect::MarkDecides => {
                "the next update replaces it if it was marked unhealthy, and updates what is in it if it was checked"
            }
        }
    }
}

impl RunningStack {
    /// Whether the stack that a resource belongs to is listed, and Heat has not begun to create the resource.
    pub(crate) fn lacks(&self, name: &str) -> bool {
        let stack = name.rsplit_once('/').map_or("", |(stack, _)| stack);
        let status = self.resources.get(name).map(|it| it.status.as_deref());
        self.stacks.contains_key(stack) && status.is_none_or(|it| it == Some("INIT_COMPLETE"))
    }

    /// What Heat does to a resource because of its state; `None` if the definitions decide.
    pub(super) fn effect(
        &self,
        name: &str,
        by: &ResourceImplementation<'_>,
    ) -> Option<(Impact, UpdateRule)> {
        let resource = self.resources.get(name)?;
        let status = resource.status.as_deref()?;
        let (action, outcome) = status.split_once('_')?;
        let plugin = match by {
            ResourceImplementation::Plugin(name, info) => Some((*name, *info)),
            ResourceImplementation::Template(..) | ResourceImplementation::Unknown => None,
        };
        let is = |test: fn(&ResourceType) -> bool| plugin.is_some_and(|(_, info)| test(info));
        let asks =
            resource.has_id && is(|info| info.replace_rules.contains(&ReplaceRule::AfterFailure));
        // Heat updates a nested stack always; what failed in it decides for itself.
        let is_stack = resource.has_id && plugin.is_none_or(|(_, info)| info.nested);
        let is_remote = plugin.is_some_and(|(name, _)| name == "OS::Heat::Stack");
        let effect = match (action, outcome) {
            (_, "FAILED") if resource.is_interchangeable => StateEffect::Replaced,
            ("CHECK", "FAILED") if is_stack => self.checked_stack(name)?,
            (_, "FAILED" | "IN_PROGRESS") if is_stack => return None,
            ("CHECK", "FAILED") if !is(|info| info.survives_failed_check) => StateEffect::Replaced,
            (_, "FAILED") if is_remote => return None,
            ("UPDATE", "FAILED") if asks => StateEffect::TriedAgain,
            (_, "FAILED") if asks => StateEffect::ServiceDecides,
            (_, "FAILED") | ("DELETE", "COMPLETE") => StateEffect::Replaced,
            (_, "IN_PROGRESS") => StateEffect::ActionDecides,
            _ => return None,
        };
        Some((effect.impact(), UpdateRule::RunningState { status: status.to_owned(), effect }))
    }

    /// A nested stack that was checked, or that was marked unhealthy.
    fn checked_stack(&self, name: &str) -> Option<StateEffect> {
        match self.stacks.get(name) {
            Some(Some(status)) if status == "CHECK_FAILED" => None,
            Some(Some(_)) => Some(StateEffect::Replaced),
            Some(None) | None => {
                let within = format!("{name}/");
                let is_failed = |(name, resource): (&String, &RunningResource)| {
                    name.starts_with(&within) && resource.status.as_deref() == Some("CHECK_FAILED")
                };
                (!self.resources.iter().any(is_failed)).then_some(StateEffect::MarkDecides)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{compared, pair};

    /// What happens to the resource `r` of a type that runs in a state, if its definition stays the same.
    fn impact(kind: &str, status: &str, has_id: bool) -> Impact {
        let properties = match kind {
            "OS::Nova::Server" => "flavor: f, image: i",
            "OS::Mistral::Workflow" => "type: direct, tasks: [{name: a, action: b}]",
            "OS::Heat::ResourceGroup" => "count: 0, resource_def: {type: 'OS::Heat::RandomString'}",
            "OS::Heat::Stack" => "template: 'heat_template_version: 2021-04-16'",
            _ => "",
        };
        let text = format!("resources: {{r: {{type: '{kind}', properties: {{{properties}}}}}}}\n");
        let (old, new) = pair(&text, &text);
        let resource =
            RunningResource { status: Some(status.to_owned()), has_id, ..Default::default() };
        let running = RunningStack {
            resources: HashMap::from([("r".to_owned(), resource)]),
            stacks: HashMap::from([(String::new(), None)]),
        };
        let old = crate::DeploymentSide { running: Some(&running), ..old.side() };
        compared(&old, &new.side()).resources[0].effective_impact
    }

    #[test]
    fn a_failed_resource_is_replaced_unless_its_plugin_asks_the_service() {
        let (replace, may, none) = (Impact::Replace, Impact::MayReplace, Impact::None);
        for (kind, status, expected, without_id) in [
            ("OS::Heat::RandomString", "CREATE_FAILED", replace, replace),
            ("OS::Heat::RandomString", "UPDATE_FAILED", replace, replace),
            ("OS::Heat::RandomString", "SUSPEND_FAILED", replace, replace),
            ("OS::Heat::RandomString", "CREATE_COMPLETE", none, none),
            ("OS::Heat::RandomString", "DELETE_COMPLETE", replace, replace),
            ("OS::Heat::RandomString", "UPDATE_IN_PROGRESS", may, may),
            ("OS::Heat::RandomString", "INIT_COMPLETE", Impact::Create, Impact::Create),
            ("OS::Nova::Server", "CREATE_FAILED", may, replace),
            ("OS::Nova::Server", "UPDATE_FAILED", may, replace),
            ("OS::Nova::Server", "CHECK_FAILED", replace, replace),
            ("OS::Neutron::Net", "DELETE_FAILED", may, replace),
            ("OS::Mistral::Workflow", "CHECK_FAILED", may, replace),
            ("OS::Heat::ResourceGroup", "UPDATE_FAILED", none, replace),
            ("OS::Heat::ResourceGroup", "CHECK_FAILED", may, replace),
            ("OS::Heat::Stack", "UPDATE_FAILED", none, none),
            ("OS::Heat::Stack", "CHECK_FAILED", replace, replace),
            // A placeholder is never touched.
            ("OS::Heat::None", "CREATE_FAILED", none, none),
        ] {
            assert_eq!(impact(kind, status, true), expected, "{kind} {status}");
            assert_eq!(impact(kind, status, false), without_id, "{kind} {status}, no id");
        }
    }

    #[test]
    fn a_listed_stack_that_lacks_a_resource_gets_it() {
        let (old, new) = pair(
            "resources: {a: {type: 'OS::Heat::RandomString'}, b: {type: 'OS::Heat::RandomString'}}\n",
            "resources: {a: {type: 'OS::Heat::RandomString'}}\n",
        );
        let running =
            RunningStack { stacks: HashMap::from([(String::new(), None)]), ..Default::default() };
        let old = crate::DeploymentSide { running: Some(&running), ..old.side() };
        let found = compared(&old, &new.side()).resources;
        let found: Vec<_> = found.iter().map(|it| (it.name.as_str(), it.impact)).collect();
        assert_eq!(found, [("a", Impact::Create)], "`b` is nowhere: nothing is deleted");
    }
}
