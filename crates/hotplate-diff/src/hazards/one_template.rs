//! What one deployment shows already: two resources with one natural key, and lists with two owners.

use std::collections::HashMap;

use heat_engine::eval::deployment::Deployed;
use heat_engine::eval::{EvaluatedProperties, Key, Value};
use heat_template::schema::{SecondObject, UpdateEffects};
use source_diagnostics::Span;

use super::keys::{KeyReader, ResolvedKey};
use crate::dataflow::{Dataflow, StackId};
use crate::impact::ResourceDefinition;

/// Two resources of a deployment that stand for one object, or that own one list.
#[derive(Clone, Debug)]
pub struct SharedObject {
    /// What both have, in words.
    pub object: String,
    /// What happens because of that.
    pub effect: SharedEffect,
    /// The full names of the two, and where they are.
    pub resources: [(String, Span); 2],
}

/// What happens because two resources stand for one object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SharedEffect {
    /// The service refuses the second one.
    Refused,
    /// The deletion of one takes it from the other.
    Lost,
    /// The second one is a rule beside the list of its group, whose next change deletes it.
    RuleBesideGroup,
}

/// The resources of a deployment that stand for one object. What a condition may disable is not among them.
pub fn shared_objects(root: &Deployed) -> Vec<SharedObject> {
    let flow = Dataflow::new(root);
    let reader = KeyReader { flow: &flow, renames: None };
    let mut first: HashMap<String, (ResolvedKey, String, Span)> = HashMap::new();
    let mut groups: HashMap<String, Span> = HashMap::new();
    let mut rules = Vec::new();
    let mut shared = Vec::new();
    for (stack, name) in flow.resources() {
        let Some(definition) = ResourceDefinition::new(flow.stack(stack), name) else { continue };
        let resource = definition.resource;
        let Some(plugin) = definition.plugin() else { continue };
        if resource.external_id.is_some() || is_conditional(&flow, stack, name) {
            continue;
        }
        let (whole, span) = (flow.full_name(stack, name), place(&flow, stack, name));
        if plugin == "OS::Neutron::SecurityGroup" && has_rules(&resource.properties) {
            groups.insert(format!("\u{1e}{whole}"), span);
        }
        let Some(effects) = UpdateEffects::of(plugin) else { continue };
        for key in reader.keys(&definition, stack, effects) {
            // A volume may be made for many servers.
            if key.row.space == "volume in use" {
                continue;
            }
            if key.row.space == "security group rule" {
                let group = key.parts.first().map(|it| it.text.clone());
                rules.push((group.unwrap_or_default(), whole.clone(), span));
            }
            let Some((other, other_name, at)) = first.get(&key.text()) else {
                first.insert(key.text(), (key, whole.clone(), span));
                continue;
            };
            let effect = match key.row.second {
                SecondObject::Same if key.row.by_key => SharedEffect::Lost,
                SecondObject::Same => continue,
                _ => SharedEffect::Refused,
            };
            if *other_name != whole {
                let resources = [(other_name.clone(), *at), (whole.clone(), span)];
                shared.push(SharedObject { object: key.object(other), effect, resources });
                break;
            }
        }
    }
    let beside = rules.into_iter().filter_map(|(group, rule, span)| {
        let at = groups.get(&group)?;
        let name = group.trim_start_matches('\u{1e}').to_owned();
        Some(SharedObject {
            object: format!("the rules of `{name}`"),
            effect: SharedEffect::RuleBesideGroup,
            resources: [(name, *at), (rule, span)],
        })
    });
    shared.extend(beside);
    shared
}

/// Whether a condition may disable a resource or a stack around it.
fn is_conditional(flow: &Dataflow<'_>, stack: StackId, name: &str) -> bool {
    let resources = flow.stack(stack).evaluation.resources.as_ref();
    let own = resources.and_then(|it| it.get(name));
    own.is_some_and(|it| it.condition.is_some())
        || flow.outer(stack).is_some_and(|(outer, name)| is_conditional(flow, outer, name))
}

/// Where a resource is written; for one that Heat generates, where what generates it is.
fn place(flow: &Dataflow<'_>, stack: StackId, name: &str) -> Span {
    let written = flow.stack(stack).stack.resources.get(name).map(|it| it.name_span);
    match (written, flow.outer(stack)) {
        (Some(span), _) if span != Span::NOWHERE && !flow.is_group(stack) => span,
        (_, Some((outer, name))) => place(flow, outer, name),
        (span, None) => span.unwrap_or(Span::NOWHERE),
    }
}

fn has_rules(properties: &EvaluatedProperties) -> bool {
    let EvaluatedProperties::Each(each) = properties else { return false };
    match each.get(&Key::from("rules")) {
        Some(Ok(value)) => !matches!(value.unsealed(), Value::List(items) if items.is_empty()),
        _ => false,
    }
}
