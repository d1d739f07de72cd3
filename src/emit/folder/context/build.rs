//! A program as the context of templates.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use serde_json::Value as Json;

use super::super::FolderTarget;
use super::super::data::{json_of, short, text_of};
use super::instances::instances;
use super::mapped::mapped;
use super::{
    Condition, Context, Given, Group, MadeBy, Need, Output, Parameter, Resource, Target, Unit,
    UsedBy,
};
use crate::emit::mapping::TypeMapping;
use crate::emit::program::{self, GivenValue, Program, Use};
use crate::emit::{self, Losses};
use heat_engine::eval::GroupKind;
use heat_template::ir::{self, Expr, ExprKind, ParameterType};
use source_diagnostics::Places;

/// The context, and what the mapping table of the target has nothing for. `unit` is the first unit.
pub(in super::super) fn build<'a>(
    target: &'a FolderTarget,
    program: &'a Program<'a>,
    losses: &mut Losses,
) -> Result<Context<'a>, serde_json::Error> {
    let sources = program.sources();
    let mut places = Places::new(&sources);
    let mut units = Vec::new();
    let mut room = ir::json::Room::new(program.root().document.limits().nodes);
    for (at, unit) in program.units.iter().enumerate() {
        let unit = self::unit(target, program, unit, losses);
        // The first one is the template that the file is about, too.
        let copies = if at == 0 { 2 } else { 1 };
        units.push(ir::json::to_value(&unit, &mut places, &mut room, copies)?);
    }
    let given = |values: &'a IndexMap<String, GivenValue>| {
        let given = values.iter().map(|(name, given)| {
            let value = Given { value: json_of(&given.value), is_secret: given.is_secret };
            (name.as_str(), value)
        });
        given.collect()
    };
    Ok(Context {
        target: Target { name: &target.manifest.name, version: &target.manifest.version },
        settings: &target.manifest.settings,
        unit: units.first().cloned().unwrap_or(Json::Null),
        units,
        instances: instances(target, program),
        given: given(&program.given),
        defaults: given(&program.defaults),
    })
}

fn unit<'a>(
    target: &'a FolderTarget,
    program: &'a Program<'a>,
    unit: &'a emit::Unit,
    losses: &mut Losses,
) -> Unit<'a> {
    let stack = &*unit.stack;
    let used = uses_of_parameters(stack);
    let parameters = stack.parameters.iter().map(|(name, parameter)| {
        let parameter = Parameter {
            name,
            type_name: parameter.kind.map(type_name),
            label_text: parameter.label.as_ref().map(text_of),
            description_text: parameter.description.as_ref().map(text_of),
            is_hidden: parameter.is_hidden(),
            is_immutable: parameter.is_immutable(),
            is_required: parameter.default.is_none(),
            used_by: used.get(name.as_str()).cloned().unwrap_or_default(),
            ir: parameter,
        };
        (name.as_str(), parameter)
    });
    let conditions = stack.conditions.iter();
    let conditions = conditions.map(|(name, ir)| (name.as_str(), Condition { name, ir }));
    let outputs = stack.outputs.iter().map(|(name, ir)| {
        let description_text = ir.description.as_ref().map(text_of);
        (name.as_str(), Output { name, description_text, ir })
    });
    let resources = stack.resources.iter().map(|(name, resource)| {
        let made_by = match unit.uses.get(name) {
            Some(made_by) => self::made_by(program, unit, made_by, resource),
            None => MadeBy::unknown("the template gives no type"),
        };
        let resource = Resource {
            name,
            type_name: resource.kind.as_ref().map_or("", |kind| &kind.text),
            needs: needs(stack, resource),
            description_text: resource.description.as_ref().map(text_of),
            mapped: mapped(target, program, unit, name, resource, losses),
            made_by,
            ir: resource,
        };
        (name.as_str(), resource)
    });
    let mut used_by = Vec::new();
    for other in &program.units {
        for (resource, made_by) in &other.uses {
            if template_of(made_by).is_some_and(|id| std::ptr::eq(program.unit(id), unit)) {
                used_by.push(UsedBy { unit: other.name.clone(), resource: resource.clone() });
            }
        }
    }
    Unit {
        name: &unit.name,
        path: &unit.path,
        file: unit.path.rsplit(['/', '\\']).next().unwrap_or(&unit.path),
        is_root: std::ptr::eq(unit, program.root()),
        format: &stack.format,
        description: stack.description.as_ref().map(text_of),
        parameters: parameters.collect(),
        groups: groups(stack),
        conditions: conditions.collect(),
        resources: resources.collect(),
        outputs: outputs.collect(),
        used_by,
    }
}

/// HOT's name of a parameter's type.
fn type_name(kind: ParameterType) -> &'static str {
    match kind {
        ParameterType::Text => "string",
        ParameterType::Number => "number",
        ParameterType::TextList => "comma_delimited_list",
        ParameterType::Json => "json",
        ParameterType::Boolean => "boolean",
    }
}

/// The groups as declared; parameters that none of them has are a group without a label.
fn groups(stack: &ir::Stack) -> Vec<Group<'_>> {
    let mut left: BTreeSet<usize> = (0..stack.parameters.len()).collect();
    let mut groups = Vec::new();
    for group in &stack.groups {
        let names = match program::entry(&group.value, "parameters").map(|names| &names.kind) {
            Some(ExprKind::List(names)) => names.as_slice(),
            _ => &[],
        };
        let mut parameters = Vec::new();
        for name in names.iter().filter_map(Expr::as_text) {
            if let Some((at, name, _)) = stack.parameters.get_full(name)
                && left.remove(&at)
            {
                parameters.push(name.as_str());
            }
        }
        groups.push(Group {
            label: program::entry(&group.value, "label").map(text_of),
            description: program::entry(&group.value, "description").map(text_of),
            parameters,
        });
    }
    if !left.is_empty() {
        let parameters = left.into_iter().filter_map(|at| stack.parameters.get_index(at));
        let parameters = parameters.map(|(name, _)| name.as_str()).collect();
        groups.push(Group { label: None, description: None, parameters });
    }
    groups
}

/// What uses each parameter, through conditions too.
fn uses_of_parameters(stack: &ir::Stack) -> IndexMap<&str, Vec<String>> {
    let mut used: IndexMap<&str, Vec<String>> = IndexMap::new();
    let mut add = |owner: String, exprs: &[Option<&'_ Expr>]| {
        let mut names = BTreeSet::new();
        for expr in exprs.iter().copied().flatten() {
            expr.walk(&mut |part| {
                if let ExprKind::Parameter(parameter) = &part.kind {
                    names.extend(parameter.name.as_text());
                }
            });
        }
        for name in names {
            if let Some((name, _)) = stack.parameters.get_key_value(name) {
                used.entry(name).or_default().push(owner.clone());
            }
        }
    };
    for (name, condition) in &stack.conditions {
        add(format!("condition {name}"), &[Some(&condition.value)]);
    }
    for (name, resource) in &stack.resources {
        let parts = [
            resource.properties.as_ref(),
            resource.metadata.as_ref(),
            resource.update_policy.as_ref(),
            resource.external_id.as_ref(),
            resource.condition.as_ref(),
        ];
        add(name.clone(), &parts);
    }
    for (name, output) in &stack.outputs {
        add(format!("output {name}"), &[output.value.as_ref(), output.condition.as_ref()]);
    }
    used
}

/// The resources that must be there first.
pub(super) fn needs<'a>(stack: &'a ir::Stack, resource: &'a ir::Resource) -> Vec<Need<'a>> {
    let mut needs: IndexMap<&str, Need<'a>> = IndexMap::new();
    let known = |name: &str| stack.resources.get_key_value(name).map(|(name, _)| name.as_str());
    fn need<'n, 'a>(needs: &'n mut IndexMap<&'a str, Need<'a>>, name: &'a str) -> &'n mut Need<'a> {
        let none = Need { name, explicit: false, reference: false, attributes: Vec::new() };
        needs.entry(name).or_insert(none)
    }
    for dependency in &resource.depends_on {
        if let Some(name) = known(&dependency.text) {
            need(&mut needs, name).explicit = true;
        }
    }
    for expr in [&resource.properties, &resource.metadata].into_iter().flatten() {
        expr.walk(&mut |part| match &part.kind {
            ExprKind::Resource(name) => {
                if let Some(name) = name.as_text().and_then(known) {
                    need(&mut needs, name).reference = true;
                }
            }
            ExprKind::Attribute(attribute) => {
                if let Some(name) = attribute.resource.as_text().and_then(known) {
                    let need = need(&mut needs, name);
                    let attribute = attribute.attribute.as_ref().map_or("*".to_owned(), short);
                    if !need.attributes.contains(&attribute) {
                        need.attributes.push(attribute);
                    }
                }
            }
            _ => {}
        });
    }
    needs.sort_by_key(|name, _| stack.resources.get_index_of(*name));
    needs.into_values().collect()
}

/// The template that something is made by in the end: that of a group's members too.
pub(super) fn template_of(made_by: &Use) -> Option<emit::UnitId> {
    match made_by {
        Use::Template(id) => Some(*id),
        Use::Group { member, .. } => template_of(member.as_deref()?),
        Use::Type(_) | Use::Unknown(_) => None,
    }
}

/// The row of the mapping table for a type, where the target has a table.
pub(in super::super) fn type_row<'t>(
    target: &'t FolderTarget,
    made_by: &Use,
) -> Option<Option<&'t TypeMapping>> {
    let mapping = target.mapping.as_ref()?;
    Some(match made_by {
        Use::Type(name) => mapping.types.get(name.as_str()),
        Use::Group { kind, .. } => mapping.types.get(group_type(*kind)),
        Use::Template(_) | Use::Unknown(_) => None,
    })
}

/// The type of a group.
pub(super) fn group_type(kind: GroupKind) -> &'static str {
    match kind {
        GroupKind::ResourceGroup => "OS::Heat::ResourceGroup",
        GroupKind::ResourceChain => "OS::Heat::ResourceChain",
        GroupKind::AutoScalingGroup => "OS::Heat::AutoScalingGroup",
        GroupKind::DeploymentGroup { structured: false } => "OS::Heat::SoftwareDeploymentGroup",
        GroupKind::DeploymentGroup { structured: true } => "OS::Heat::StructuredDeploymentGroup",
    }
}

impl MadeBy {
    fn by(by: &'static str) -> Self {
        MadeBy { by, type_name: None, unit: None, member: None, count: None, reason: None }
    }

    fn unknown(reason: &str) -> Self {
        MadeBy { reason: Some(reason.to_owned()), ..MadeBy::by("unknown") }
    }
}

pub(super) fn made_by(
    program: &Program<'_>,
    unit: &emit::Unit,
    made_by: &Use,
    resource: &ir::Resource,
) -> MadeBy {
    match made_by {
        Use::Type(name) => MadeBy { type_name: Some(name.to_string()), ..MadeBy::by("type") },
        Use::Template(id) => {
            MadeBy { unit: Some(program.unit(*id).name.clone()), ..MadeBy::by("template") }
        }
        Use::Group { kind, member } => MadeBy {
            type_name: Some(group_type(*kind).to_owned()),
            member: member
                .as_ref()
                .map(|member| Box::new(self::made_by(program, unit, member, resource))),
            count: count(program, unit, *kind, resource),
            ..MadeBy::by("group")
        },
        Use::Unknown(reason) => MadeBy::unknown(reason),
    }
}

/// How many members a group has, in words.
fn count(
    program: &Program<'_>,
    unit: &emit::Unit,
    kind: GroupKind,
    resource: &ir::Resource,
) -> Option<String> {
    let words = |name: &str| {
        let expr = program::property(resource, name)?;
        let known = program.folding(unit).constant(expr);
        Some(match known.map(|value| json_of(&value)) {
            Some(Json::String(text)) => text,
            Some(Json::Number(number)) => number.to_string(),
            _ => short(expr),
        })
    };
    let items = |name: &str| match &program::property(resource, name)?.kind {
        ExprKind::List(items) => Some(items.len().to_string()),
        ExprKind::Map(pairs) => Some(pairs.len().to_string()),
        _ => words(name),
    };
    match kind {
        GroupKind::ResourceGroup => words("count").or_else(|| Some("1".to_owned())),
        GroupKind::AutoScalingGroup => match (words("min_size"), words("max_size")) {
            (Some(least), Some(most)) => Some(format!("{least}…{most}")),
            (least, most) => words("desired_capacity").or(most).or(least),
        },
        GroupKind::ResourceChain => items("resources"),
        GroupKind::DeploymentGroup { .. } => items("servers"),
    }
}
