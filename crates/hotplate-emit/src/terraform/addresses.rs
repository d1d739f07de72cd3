//! Floating IPs that nested templates associate: Heat passes their IDs on, the provider expects the addresses.
//!
//! A nested template that associates a floating IP which it is passed gets a further parameter with the address, and each
//! template that uses it passes the address, too.

use std::collections::BTreeSet;

use indexmap::IndexMap;

use crate::render_model::{Module, ModuleId, RenderModel, property};
use heat_template::ir::{
    AttributeFetch, AttributeRef, Expr, ExprKind, Pair, Parameter, ParameterType, Resource, Shared,
    Stack,
};
use source_diagnostics::Span;

/// The associations, with the property that holds the ID.
const ASSOCIATIONS: [(&str, &str); 2] = [
    ("OS::Neutron::FloatingIPAssociation", "floatingip_id"),
    ("OS::Nova::FloatingIPAssociation", "floating_ip"),
];
/// The types of floating IPs, with the attribute that is the address.
const FLOATING_IPS: [(&str, &str); 2] =
    [("OS::Neutron::FloatingIP", "floating_ip_address"), ("OS::Nova::FloatingIP", "ip")];

/// A parameter of a template that holds the ID of a floating IP.
type Passed = (usize, String);

/// The deployment with such parameters; `None` if no template needs one.
pub(super) fn with_addresses<'a>(model: &RenderModel<'a>) -> Option<RenderModel<'a>> {
    let mut changed = BTreeSet::new();
    let nested = model.modules.iter().enumerate().skip(1);
    for (at, module) in nested {
        for name in module.stack.resources.keys() {
            let Some(parameter) = associated(module, name) else { continue };
            let mut found = BTreeSet::new();
            if is_passed(model, &(at, parameter.to_owned()), &mut found) {
                changed.extend(found);
            }
        }
    }
    if changed.is_empty() {
        return None;
    }
    let mut stacks: IndexMap<usize, Stack> = IndexMap::new();
    for (at, module) in model.modules.iter().enumerate() {
        let stack = with_parameters(model, at, module, &changed);
        stacks.extend(stack.map(|stack| (at, stack)));
    }
    Some(model.with_stacks(stacks))
}

/// The parameter whose floating IP a resource associates.
fn associated<'m>(module: &'m Module, name: &str) -> Option<&'m str> {
    let resource = module.stack.resources.get(name)?;
    let (_, id) = ASSOCIATIONS.iter().find(|(kind, _)| module.type_of(name) == Some(*kind))?;
    parameter_of(property(resource, id)?)
}

fn parameter_of(value: &Expr) -> Option<&str> {
    match &value.kind {
        ExprKind::Parameter(parameter) if parameter.path.is_empty() => parameter.name.as_text(),
        _ => None,
    }
}

/// Whether everything that uses the template passes a floating IP of a template; collects the parameters.
fn is_passed(model: &RenderModel<'_>, passed: &Passed, found: &mut BTreeSet<Passed>) -> bool {
    if !found.insert(passed.clone()) {
        return true;
    }
    let (at, parameter) = passed;
    let is_new = !model.modules[*at].stack.parameters.contains_key(&address_of(parameter));
    let mut users = model.users(ModuleId(*at)).peekable();
    is_new
        && users.peek().is_some()
        && users.all(|(user, resource)| {
            let module = &model.modules[user];
            let value = module.properties_for(resource).and_then(|it| it.member(parameter));
            match value {
                Some(value) if floating_ip(module, value).is_some() => true,
                Some(value) if user != 0 => parameter_of(value)
                    .is_some_and(|name| is_passed(model, &(user, name.to_owned()), found)),
                Some(_) | None => false,
            }
        })
}

/// The floating IP of the template that a value refers to, with the attribute that is its address.
fn floating_ip<'v>(module: &Module, value: &'v Expr) -> Option<(&'v Expr, &'static str)> {
    let ExprKind::Resource(resource) = &value.kind else { return None };
    let name = resource.as_text()?;
    let (_, address) = FLOATING_IPS.iter().find(|(kind, _)| module.type_of(name) == Some(*kind))?;
    Some((resource, address))
}

fn address_of(parameter: &str) -> String {
    format!("{parameter}_address")
}

/// A template with the parameters that it gets, and with what it passes on; `None` if nothing changes.
fn with_parameters(
    model: &RenderModel<'_>,
    at: usize,
    module: &Module,
    changed: &BTreeSet<Passed>,
) -> Option<Stack> {
    let mut stack = (*module.stack).clone();
    let mut is_changed = false;
    for (_, parameter) in changed.iter().filter(|(of, _)| *of == at) {
        is_changed = true;
        stack.parameters.insert(address_of(parameter), declaration(parameter));
        for name in module.stack.resources.keys() {
            if associated(module, name) != Some(parameter) {
                continue;
            }
            if let Some(resource) = stack.resources.get_mut(name) {
                associate(resource, parameter);
            }
        }
    }
    for (below, parameter) in changed {
        for (user, name) in model.users(ModuleId(*below)).filter(|(user, _)| *user == at) {
            let given = module.properties_for(name);
            let value = given.and_then(|it| it.member(parameter));
            let Some(value) = value else { continue };
            let address = match floating_ip(&model.modules[user], value) {
                Some((resource, attribute)) => attribute_of(resource, attribute, value.span),
                None => parameter_value(&address_of(parameter_of(value)?), value.span),
            };
            if let Some(resource) = stack.resources.get_mut(name)
                && let Some(properties) = &mut resource.properties
            {
                is_changed = true;
                *properties = with_pair_beside(properties, value, parameter, &address);
            }
        }
    }
    is_changed.then_some(stack)
}

/// An expression in which the map that has a value under a key also has the address.
fn with_pair_beside(expr: &Expr, value: &Expr, key: &str, address: &Expr) -> Expr {
    let ExprKind::Map(pairs) = &expr.kind else { return expr.clone() };
    let has_it = |pair: &Pair| pair.key.as_text() == Some(key) && pair.value == *value;
    let mut changed: Vec<Pair> = pairs
        .iter()
        .map(|pair| Pair {
            key: pair.key.clone(),
            value: with_pair_beside(&pair.value, value, key, address),
        })
        .collect();
    if pairs.iter().any(has_it) {
        changed.push(Pair { key: Expr::text(address_of(key), value.span), value: address.clone() });
    }
    Expr::new(ExprKind::Map(changed.into()), expr.span)
}

/// Makes an association read the address.
fn associate(resource: &mut Resource, parameter: &str) {
    let Some(properties) = &resource.properties else { return };
    let ExprKind::Map(pairs) = &properties.kind else { return };
    let is_id = |pair: &Pair| {
        ASSOCIATIONS.iter().any(|(_, id)| pair.key.as_text() == Some(id))
            && parameter_of(&pair.value) == Some(parameter)
    };
    let changed = pairs.iter().map(|pair| match is_id(pair) {
        true => Pair {
            key: pair.key.clone(),
            value: parameter_value(&address_of(parameter), pair.value.span),
        },
        false => pair.clone(),
    });
    resource.properties = Some(Expr::new(ExprKind::Map(changed.collect()), properties.span));
}

fn declaration(parameter: &str) -> Parameter {
    let description = format!("The address of the floating IP `{parameter}`");
    Parameter {
        description: Some(Expr::text(description, Span::NOWHERE)),
        ..Parameter::new(Span::NOWHERE, Some(ParameterType::Text))
    }
}

fn parameter_value(name: &str, span: Span) -> Expr {
    Expr::parameter(name, Vec::new(), span)
}

fn attribute_of(resource: &Expr, attribute: &str, span: Span) -> Expr {
    let attribute = AttributeRef {
        resource: resource.clone(),
        attribute: Some(Expr::text(attribute, span)),
        path: Vec::new(),
        fetch: AttributeFetch::PathToResource,
    };
    Expr::new(ExprKind::Attribute(Shared::new(attribute)), span)
}
