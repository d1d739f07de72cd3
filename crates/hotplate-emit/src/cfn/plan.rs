//! Decides the counterpart of each resource of a template before anything is written.

use std::borrow::Cow;

use super::tables::type_mapping;
use super::template_builder::TemplateBuilder;
use crate::kit::TextResource;
use crate::mapping::TypeMapping;
use crate::render_model::property;
use crate::{ModuleId, ResourceImplementation};
use heat_engine::eval::{HeatGroup, Value, python};
use heat_template::ir::{Expr, ExprKind, Resource, Shared, UnaryFunction};

/// The maximum number of a group's members that are written one by one: CloudFormation's limit of resources.
const MAX_MEMBERS: usize = 500;

/// The counterpart of a resource.
#[derive(Clone, Debug)]
pub(super) enum PlannedOutcome {
    /// An AWS resource, with its type and its row in the mapping table.
    Object(&'static str, &'static TypeMapping),
    Nested(ModuleId),
    /// A group: its members, by their names in the plan.
    Members(Vec<String>),
    /// An `OS::Heat::Value`, which is inlined where it is used.
    Value,
    /// A software configuration, whose text is inlined where it is used.
    Text,
    /// A flavor: what uses it takes an instance type of AWS from a parameter.
    InstanceType,
    /// A part of another resource's counterpart.
    Part,
    /// No counterpart, and none needed: Heat creates nothing either.
    Nothing,
    /// No counterpart, with the reason and a suggestion.
    Lost(String, Option<String>),
}

/// A resource with its counterpart.
#[derive(Clone, Debug)]
pub(super) struct PlannedResource<'p> {
    /// Its logical ID in CloudFormation: letters and digits only.
    pub(super) id: String,
    /// The resource of the template that it belongs to; of a member, the group.
    pub(super) owner: String,
    /// Its type after the resource registry is applied.
    pub(super) kind: String,
    /// Its definition; of a member, with the index replaced.
    pub(super) resource: Cow<'p, Resource>,
    pub(super) outcome: PlannedOutcome,
    /// The name of its condition in the result.
    pub(super) condition: Option<String>,
}

impl<'p> TemplateBuilder<'p> {
    /// Decides the counterpart of every resource.
    pub(super) fn make_plan(&mut self) {
        let unit = self.module;
        for (name, resource) in &unit.stack.resources {
            let made_by = unit.implementations.get(name).cloned();
            self.plan_one(name, name, Cow::Borrowed(resource), made_by.as_ref());
        }
    }

    fn plan_one(
        &mut self,
        key: &str,
        owner: &str,
        resource: Cow<'p, Resource>,
        made_by: Option<&ResourceImplementation>,
    ) {
        let id = self.names.allocate(key);
        let kind = match made_by {
            Some(ResourceImplementation::ResourceType(kind)) => kind.to_string(),
            _ => resource.kind.as_ref().map_or_else(String::new, |kind| kind.text.to_string()),
        };
        // A group comes before its members in the plan.
        self.plan.insert(
            key.to_owned(),
            PlannedResource {
                id,
                owner: owner.to_owned(),
                kind: kind.clone(),
                resource: resource.clone(),
                outcome: PlannedOutcome::Nothing,
                condition: None,
            },
        );
        let outcome = if resource.external_id.is_some() {
            let why = format!("`{owner}` adopts an existing OpenStack resource (`external_id`)");
            PlannedOutcome::Lost(why, None)
        } else {
            match made_by {
                None => PlannedOutcome::Lost(format!("`{owner}` has no type"), None),
                // CloudFormation has the types that Heat imitates by templates.
                Some(ResourceImplementation::Unknown(_))
                    if key == owner
                        && self.module.comes_with_heat(owner)
                        && type_mapping(&kind).is_some() =>
                {
                    outcome_of_type(&kind)
                }
                Some(ResourceImplementation::Unknown(why)) => {
                    PlannedOutcome::Lost(why.clone(), None)
                }
                Some(ResourceImplementation::Template(id)) if self.finished.contains_key(&id.0) => {
                    PlannedOutcome::Nested(*id)
                }
                Some(ResourceImplementation::Template(_)) => {
                    PlannedOutcome::Lost("a template that contains itself".to_owned(), None)
                }
                Some(ResourceImplementation::ResourceType(kind)) => outcome_of_type(kind),
                Some(ResourceImplementation::Group { kind, member }) => {
                    self.group(key, owner, &resource, *kind, member.as_deref())
                }
            }
        };
        if let Some(planned) = self.plan.get_mut(key) {
            planned.outcome = outcome;
        }
    }

    fn group(
        &mut self,
        key: &str,
        owner: &str,
        resource: &Resource,
        kind: HeatGroup,
        member: Option<&ResourceImplementation>,
    ) -> PlannedOutcome {
        let lost = |why: &str, suggestion: &str| {
            PlannedOutcome::Lost(format!("`{owner}`: {why}"), Some(suggestion.to_owned()))
        };
        match kind {
            HeatGroup::ResourceGroup => {}
            HeatGroup::AutoScalingGroup => {
                return match (member, type_mapping("OS::Heat::AutoScalingGroup")) {
                    (Some(ResourceImplementation::ResourceType(kind)), Some(mapping))
                        if kind == "OS::Nova::Server" =>
                    {
                        PlannedOutcome::Object("AWS::AutoScaling::AutoScalingGroup", mapping)
                    }
                    _ => lost(
                        "AWS scales only instances, not stacks or other resources",
                        "create a launch template from the instance in the nested template and \
                         scale that",
                    ),
                };
            }
            HeatGroup::ResourceChain => {
                return lost("its members are of several types", "define the resources one by one");
            }
            HeatGroup::DeploymentGroup { .. } => {
                return lost(
                    "Heat's agent in the guest applies software deployments",
                    "move the configuration to the user data of the servers",
                );
            }
        }
        let count = match property(resource, "count").map(|count| self.evaluator.constant(count)) {
            None => Some(1),
            Some(count) => count.and_then(|count| members(&count)),
        };
        let Some(count) = count else {
            property(resource, "count").into_iter().for_each(|count| self.want_values_of(count));
            return lost(
                "the number of its members is not known while rendering",
                "pass the names of the parameters that the count depends on to `--bake`",
            );
        };
        if count > MAX_MEMBERS {
            return lost("CloudFormation allows at most 500 resources", "split the deployment");
        }
        let definition = property(resource, "resource_def");
        let (Some(definition), Some(member)) = (definition, member) else {
            return lost(
                "the definition of its members is not known while rendering",
                "write the definition as a map",
            );
        };
        let index_var = match property(resource, "index_var") {
            None => Some("%index%".to_owned()),
            Some(text) => match self.evaluator.constant(text) {
                Some(Value::Text(text)) => Some(text.to_string()),
                _ => None,
            },
        };
        let Some(index_var) = index_var else {
            return lost("`index_var` is not known while rendering", "write it as a string");
        };
        let mut keys = Vec::with_capacity(count);
        for index in 0..count {
            let key = format!("{key}.{index}");
            let resource = self.member(resource, definition, &index_var, index);
            self.plan_one(&key, owner, Cow::Owned(resource), Some(member));
            keys.push(key);
        }
        PlannedOutcome::Members(keys)
    }

    /// The definition of a group's member.
    fn member(
        &self,
        group: &Resource,
        definition: &Expr,
        index_var: &str,
        index: usize,
    ) -> Resource {
        let part = |name: &str| {
            let part = definition.member(name)?;
            Some(indexed(part, index_var, &index.to_string()))
        };
        Resource {
            properties: part("properties"),
            metadata: part("metadata"),
            description: None,
            update_policy: None,
            ..group.clone()
        }
    }
}

/// The counterpart of a type.
pub(super) fn outcome_of_type(kind: &str) -> PlannedOutcome {
    match kind {
        "OS::Heat::Value" => return PlannedOutcome::Value,
        _ if TextResource::of(kind).is_some() => return PlannedOutcome::Text,
        "OS::Octavia::PoolMember" | "OS::Octavia::HealthMonitor" => return PlannedOutcome::Part,
        "OS::Nova::Flavor" => return PlannedOutcome::InstanceType,
        "OS::Heat::None" => return PlannedOutcome::Nothing,
        _ => {}
    }
    let Some(mapping) = type_mapping(kind) else {
        return PlannedOutcome::Lost(format!("AWS has no counterpart of `{kind}`"), None);
    };
    match &mapping.to {
        Some(to) => PlannedOutcome::Object(to, mapping),
        None => {
            let note = mapping.note.as_ref().map_or_else(String::new, |note| format!(": {note}"));
            PlannedOutcome::Lost(
                format!("AWS has no counterpart of `{kind}`{note}"),
                mapping.suggestion.clone(),
            )
        }
    }
}

fn members(count: &Value) -> Option<usize> {
    python::int(count.unsealed()).ok()?.to_string().parse().ok()
}

/// A definition in which every string has the member's index in place of the index variable.
fn indexed(expr: &Expr, variable: &str, index: &str) -> Expr {
    let mut again = |expr: &Expr| indexed(expr, variable, index);
    match &expr.kind {
        ExprKind::Text(text) if text.contains(variable) => {
            Expr::new(ExprKind::Text(text.replace(variable, index).into()), expr.span)
        }
        ExprKind::Split(split) => {
            let mut split = (**split).clone();
            split.text = again(&split.text);
            split.index = split.index.as_ref().map(again);
            Expr::new(ExprKind::Split(Shared::new(split)), expr.span)
        }
        ExprKind::Choose(choice) => {
            let mut choice = (**choice).clone();
            choice.then = again(&choice.then);
            choice.otherwise = choice.otherwise.as_ref().map(again);
            Expr::new(ExprKind::Choose(Shared::new(choice)), expr.span)
        }
        ExprKind::List(_)
        | ExprKind::Map(_)
        | ExprKind::Parameter(_)
        | ExprKind::Attribute(_)
        | ExprKind::Resource(_)
        | ExprKind::AssertText(_)
        | ExprKind::Unary(
            UnaryFunction::MergeMaps
            | UnaryFunction::Concat
            | UnaryFunction::ConcatUnique
            | UnaryFunction::Url,
            _,
        )
        | ExprKind::Select(_)
        | ExprKind::Join(_)
        | ExprKind::Replace(_)
        | ExprKind::Repeat(_) => expr.with_parts(&mut again),
        // Heat replaces the index after functions are resolved; in the remaining expressions it can occur
        // only in constants, which have no index variable.
        _ => expr.clone(),
    }
}
