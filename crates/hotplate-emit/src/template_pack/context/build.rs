//! Builds the context of a target's templates.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use serde_json::Value as Json;

use super::instances::instances;
use super::mapped::mapped;
use super::{
    ConditionView, DependencyView, ImplementationView, ModuleUse, ModuleView, OutputView,
    PackContext, ParameterGroupView, ParameterValueView, ParameterView, ResourceView, TargetInfo,
};
use crate::Losses;
use crate::Module;
use crate::kit::creation_order;
use crate::mapping::TypeMapping;
use crate::render_model::{self, ParameterValue, RenderModel, ResourceImplementation};
use crate::template_pack::TemplatePack;
use crate::template_pack::data::{json_of, short, text_of};
use heat_engine::eval::HeatGroup;
use heat_template::ir::{self, Expr, ExprKind, ParameterType};
use source_diagnostics::SourceLocator;

/// The context, and the losses of the target's mapping table. The field `unit` is the root template at first.
pub(in crate::template_pack) fn build<'a>(
    target: &'a TemplatePack,
    model: &'a RenderModel<'a>,
    losses: &mut Losses,
) -> Result<PackContext<'a>, serde_json::Error> {
    let sources = model.sources();
    let mut places = SourceLocator::new(&sources);
    let mut units = Vec::new();
    let mut room = ir::json::JsonBudget::new(model.root().document.limits().nodes);
    for (at, unit) in model.modules.iter().enumerate() {
        let unit = self::unit(target, model, unit, losses);
        // The root template is also the one that a file is about by default.
        let copies = if at == 0 { 2 } else { 1 };
        units.push(ir::json::to_value(&unit, &mut places, &mut room, copies)?);
    }
    let given = |values: &'a IndexMap<String, ParameterValue>| {
        let given = values.iter().map(|(name, given)| {
            let value =
                ParameterValueView { value: json_of(&given.value), is_secret: given.is_secret };
            (name.as_str(), value)
        });
        given.collect()
    };
    Ok(PackContext {
        target: TargetInfo { name: &target.manifest.name, version: &target.manifest.version },
        settings: &target.manifest.settings,
        unit: units.first().cloned().unwrap_or(Json::Null),
        units,
        instances: instances(target, model),
        given: given(&model.parameter_values),
        defaults: given(&model.defaults),
    })
}

fn unit<'a>(
    target: &'a TemplatePack,
    model: &'a RenderModel<'a>,
    unit: &'a crate::Module,
    losses: &mut Losses,
) -> ModuleView<'a> {
    let stack = &*unit.stack;
    let used = uses_of_parameters(stack);
    let parameters = stack.parameters.iter().map(|(name, parameter)| {
        let parameter = ParameterView {
            name,
            type_name: parameter.kind.map(ParameterType::hot_name),
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
    let conditions = conditions.map(|(name, ir)| (name.as_str(), ConditionView { name, ir }));
    let outputs = stack.outputs.iter().map(|(name, ir)| {
        let description_text = ir.description.as_ref().map(text_of);
        (name.as_str(), OutputView { name, description_text, ir })
    });
    let resources = stack.resources.iter().map(|(name, resource)| {
        let made_by = match unit.implementations.get(name) {
            Some(made_by) => self::made_by(model, unit, made_by, resource),
            None => ImplementationView::unknown("the resource has no type"),
        };
        let resource = ResourceView {
            name,
            type_name: resource.kind.as_ref().map_or("", |kind| &kind.text),
            has_effect: model
                .inert_parts()
                .reason(resource.kind.as_ref().map_or("", |kind| &kind.text), resource.kind_span())
                .is_none(),
            needs: needs(unit, resource, name),
            description_text: resource.description.as_ref().map(text_of),
            mapped: mapped(target, model, unit, name, resource, losses),
            made_by,
            ir: resource,
        };
        (name.as_str(), resource)
    });
    let needed = |name: &str| unit.dependencies(name).into_iter().map(str::to_owned).collect();
    let mut used_by = Vec::new();
    for other in &model.modules {
        for (resource, made_by) in &other.implementations {
            if template_of(made_by).is_some_and(|id| std::ptr::eq(model.module(id), unit)) {
                used_by.push(ModuleUse { unit: other.name.clone(), resource: resource.clone() });
            }
        }
    }
    ModuleView {
        name: &unit.name,
        path: &unit.path,
        file: unit.path.rsplit(['/', '\\']).next().unwrap_or(&unit.path),
        is_root: std::ptr::eq(unit, model.root()),
        format: &stack.format,
        description_text: stack.description.as_ref().map(text_of),
        parameters: parameters.collect(),
        groups: groups(stack),
        conditions: conditions.collect(),
        creation_order: creation_order(stack, needed),
        resources: resources.collect(),
        outputs: outputs.collect(),
        used_by,
    }
}

/// The declared parameter groups; parameters outside them form a group without a label.
fn groups(stack: &ir::Stack) -> Vec<ParameterGroupView<'_>> {
    let mut left: BTreeSet<usize> = (0..stack.parameters.len()).collect();
    let mut groups = Vec::new();
    for group in &stack.groups {
        let names = match group.value.member("parameters").map(|names| &names.kind) {
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
        groups.push(ParameterGroupView {
            label_text: group.value.member("label").map(text_of),
            description_text: group.value.member("description").map(text_of),
            parameters,
        });
    }
    if !left.is_empty() {
        let parameters = left.into_iter().filter_map(|at| stack.parameters.get_index(at));
        let parameters = parameters.map(|(name, _)| name.as_str()).collect();
        groups.push(ParameterGroupView { label_text: None, description_text: None, parameters });
    }
    groups
}

/// The users of each parameter, including those that use it through a condition.
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

/// The resources that a resource depends on in Heat.
pub(super) fn needs<'a>(
    unit: &'a Module,
    resource: &'a ir::Resource,
    name: &str,
) -> Vec<DependencyView<'a>> {
    let stack = &unit.stack;
    let mut needs: IndexMap<&str, DependencyView<'a>> = IndexMap::new();
    let known = |name: &str| stack.resources.get_key_value(name).map(|(name, _)| name.as_str());
    fn need<'n, 'a>(
        needs: &'n mut IndexMap<&'a str, DependencyView<'a>>,
        name: &'a str,
    ) -> &'n mut DependencyView<'a> {
        let none = DependencyView {
            name,
            explicit: false,
            reference: false,
            implicit: false,
            attributes: Vec::new(),
        };
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
    for name in unit.implicit_dependencies(name).iter().filter_map(|name| known(name)) {
        need(&mut needs, name).implicit = true;
    }
    needs.sort_by_key(|name, _| stack.resources.get_index_of(*name));
    needs.into_values().collect()
}

/// The template of a resource, or of the members of a group, if there is one.
pub(super) fn template_of(made_by: &ResourceImplementation) -> Option<crate::ModuleId> {
    match made_by {
        ResourceImplementation::Template(id) => Some(*id),
        ResourceImplementation::Group { member, .. } => template_of(member.as_deref()?),
        ResourceImplementation::ResourceType(_) | ResourceImplementation::Unknown(_) => None,
    }
}

/// The row of the mapping table for a type, if the target has a table.
pub(in crate::template_pack) fn type_row<'t>(
    target: &'t TemplatePack,
    made_by: &ResourceImplementation,
) -> Option<Option<&'t TypeMapping>> {
    let mapping = target.mapping.as_ref()?;
    Some(match made_by {
        ResourceImplementation::ResourceType(name) => mapping.types.get(name.as_str()),
        ResourceImplementation::Group { kind, .. } => mapping.types.get(group_type(*kind)),
        ResourceImplementation::Template(_) | ResourceImplementation::Unknown(_) => None,
    })
}

/// The resource type of a group.
pub(super) fn group_type(kind: HeatGroup) -> &'static str {
    match kind {
        HeatGroup::ResourceGroup => "OS::Heat::ResourceGroup",
        HeatGroup::ResourceChain => "OS::Heat::ResourceChain",
        HeatGroup::AutoScalingGroup => "OS::Heat::AutoScalingGroup",
        HeatGroup::DeploymentGroup { structured: false } => "OS::Heat::SoftwareDeploymentGroup",
        HeatGroup::DeploymentGroup { structured: true } => "OS::Heat::StructuredDeploymentGroup",
    }
}

impl ImplementationView {
    fn by(by: &'static str) -> Self {
        ImplementationView {
            by,
            type_name: None,
            unit: None,
            member: None,
            count: None,
            reason: None,
        }
    }

    fn unknown(reason: &str) -> Self {
        ImplementationView { reason: Some(reason.to_owned()), ..ImplementationView::by("unknown") }
    }
}

pub(super) fn made_by(
    model: &RenderModel<'_>,
    unit: &crate::Module,
    made_by: &ResourceImplementation,
    resource: &ir::Resource,
) -> ImplementationView {
    match made_by {
        ResourceImplementation::ResourceType(name) => ImplementationView {
            type_name: Some(name.to_string()),
            ..ImplementationView::by("type")
        },
        ResourceImplementation::Template(id) => ImplementationView {
            unit: Some(model.module(*id).name.clone()),
            ..ImplementationView::by("template")
        },
        ResourceImplementation::Group { kind, member } => ImplementationView {
            type_name: Some(group_type(*kind).to_owned()),
            member: member
                .as_ref()
                .map(|member| Box::new(self::made_by(model, unit, member, resource))),
            count: count(model, unit, *kind, resource),
            ..ImplementationView::by("group")
        },
        ResourceImplementation::Unknown(reason) => ImplementationView::unknown(reason),
    }
}

/// The number of a group's members, as text.
fn count(
    model: &RenderModel<'_>,
    unit: &crate::Module,
    kind: HeatGroup,
    resource: &ir::Resource,
) -> Option<String> {
    let words = |name: &str| {
        let expr = render_model::property(resource, name)?;
        let known = model.evaluator(unit).constant(expr);
        Some(match known.map(|value| json_of(&value)) {
            Some(Json::String(text)) => text,
            Some(Json::Number(number)) => number.to_string(),
            _ => short(expr),
        })
    };
    let items = |name: &str| match &render_model::property(resource, name)?.kind {
        ExprKind::List(items) => Some(items.len().to_string()),
        ExprKind::Map(pairs) => Some(pairs.len().to_string()),
        _ => words(name),
    };
    match kind {
        HeatGroup::ResourceGroup => words("count").or_else(|| Some("1".to_owned())),
        HeatGroup::AutoScalingGroup => match (words("min_size"), words("max_size")) {
            (Some(least), Some(most)) => Some(format!("{least}…{most}")),
            (least, most) => words("desired_capacity").or(most).or(least),
        },
        HeatGroup::ResourceChain => items("resources"),
        HeatGroup::DeploymentGroup { .. } => items("servers"),
    }
}
