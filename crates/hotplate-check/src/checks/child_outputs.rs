//! Attributes that a nested stack does not have. Heat accepts every name, and the creation fails where the value is needed.
//!
//! Heat's rules: `docs/heat.md#unknown-attributes`, `docs/heat.md#the-template-inside-a-group`.

use super::{Check, Scope};
use crate::codes;
use crate::stacks::CheckedStack;
use heat_engine::eval::deployment::{ChildStack, Deployed};
use heat_engine::eval::template_graph::ResolvedImplementation;
use heat_template::hot::{GroupAttribute, GroupValue, MemberName, MemberValue, PathStep};
use heat_template::ir::{AttributeFetch, AttributeRef, Expr, ExprKind};
use heat_template::schema::HeatGroup;
use source_diagnostics::{Consequence, Diagnostic, did_you_mean};
use std::collections::HashSet;

/// Attributes of nested stacks, and names of software deployments.
pub(crate) const CHECK: Check = Check {
    scope: Scope::Template,
    codes: &[codes::CHILD_ATTRIBUTE_MISSING, codes::DEPLOYMENT_NAME],
    run: |it, found| check(it.stack, found),
};

/// Adds a finding for each reference to such an attribute.
fn check(checked: &CheckedStack<'_>, found: &mut Vec<Diagnostic>) {
    let (deployed, stack) = (checked.deployed, checked.stack());
    let Some(enabled) = &deployed.evaluation.resources else { return };
    let resources = stack.resources.iter().filter(|(name, _)| enabled.contains_key(*name));
    for (name, resource) in resources {
        inputs_of_deployment(checked, name, found);
        for expr in [&resource.properties, &resource.metadata].into_iter().flatten() {
            references(checked, expr, false, found);
        }
    }
    for output in stack.outputs.values() {
        output.value.iter().for_each(|expr| references(checked, expr, true, found));
    }
}

fn references(
    checked: &CheckedStack<'_>,
    expr: &Expr,
    of_output: bool,
    found: &mut Vec<Diagnostic>,
) {
    expr.walk(&mut |expr: &Expr| {
        let ExprKind::Attribute(reference) = &expr.kind else { return };
        let Some(written) = &reference.attribute else { return };
        let (Some(resource), Some(attribute)) = (reference.resource.as_text(), written.as_text())
        else {
            return;
        };
        let missing = missing(checked.deployed, resource, attribute, reference);
        let Some(missing) = missing.or_else(|| missing_output(checked, resource, attribute)) else {
            return;
        };
        let finding = Diagnostic::new(missing.code, missing.message).at(written.span);
        let finding = match did_you_mean(&missing.name, missing.known.iter().map(String::as_str)) {
            Some(near) if missing.name == attribute => finding.did_you_mean(near),
            Some(near) => finding.help(format!("did you mean `{near}`?")),
            None => finding,
        };
        let is_certain = missing.code == codes::CHILD_ATTRIBUTE_MISSING;
        found.push(match of_output && is_certain {
            true => finding.with_consequence(Consequence::OutputFails),
            false => finding,
        });
    });
}

/// Puts what evaluation has found in the template of a group where the attribute is requested: Heat refuses the template for an
/// attribute that its members do not have, and the place in that template is in no file.
pub(crate) fn locate_requests(checked: &CheckedStack<'_>, found: &mut Vec<Diagnostic>) {
    let mut requests: Vec<(&str, &Expr)> = Vec::new();
    for expr in checked.stack().expressions() {
        expr.walk(&mut |expr| {
            if let ExprKind::Attribute(reference) = &expr.kind
                && let (Some(name), Some(written)) =
                    (reference.resource.as_text(), &reference.attribute)
                && let Some(ResolvedImplementation::Group(_)) =
                    checked.deployed.node.implementations.get(name)
            {
                // The attribute itself, or the one after `resource.NAME`.
                let attribute = written.as_text().map(|it| match MemberName::split(it) {
                    Some((_, Some(attribute))) => attribute,
                    Some((_, None)) => reference.path.first().and_then(Expr::as_text).unwrap_or(it),
                    None => it,
                });
                requests.extend(attribute.map(|attribute| (attribute, written)));
            }
        });
    }
    if requests.is_empty() {
        return;
    }
    let mut located = Vec::new();
    found.retain(|finding| {
        let rest = finding.message.strip_prefix("the resource `");
        let attribute =
            rest.and_then(|it| it.strip_suffix('`')?.split_once("` has no attribute `"));
        let Some((_, attribute)) = attribute else { return true };
        let of_attribute = requests.iter().filter(|(name, _)| *name == attribute);
        let places: Vec<_> = of_attribute.map(|(_, written)| written.span).collect();
        let is_here = finding.span().is_some_and(|span| places.iter().any(|it| span.contains(*it)));
        if places.is_empty() || is_here || finding.code != heat_engine::codes::NO_VALUE {
            return true;
        }
        let message = format!("the members of the group have no attribute `{attribute}`");
        located.extend(places.into_iter().map(|place| {
            let moved = Diagnostic { message: message.clone(), primary: None, ..finding.clone() };
            moved.at(place)
        }));
        false
    });
    let mut seen = HashSet::new();
    located.retain(|it: &Diagnostic| seen.insert((it.span(), it.message.clone())));
    found.append(&mut located);
}

/// A name that does not exist, and those that do.
struct Missing {
    code: source_diagnostics::Code,
    message: String,
    name: String,
    known: Vec<String>,
}

impl Missing {
    fn new(message: String, name: &str, known: impl IntoIterator<Item = impl ToString>) -> Self {
        let known = known.into_iter().map(|it| it.to_string()).collect();
        let code = codes::CHILD_ATTRIBUTE_MISSING;
        Missing { code, message, name: name.to_owned(), known }
    }
}

/// What is missing in the nested stack of a resource; `None` if nothing certainly is.
fn missing(
    deployed: &Deployed,
    resource: &str,
    attribute: &str,
    reference: &AttributeRef,
) -> Option<Missing> {
    missing_at(deployed, resource, attribute, &reference.path, reference.fetch)
}

fn missing_at<P: PathStep>(
    deployed: &Deployed,
    resource: &str,
    attribute: &str,
    path: &[P],
    fetch: AttributeFetch,
) -> Option<Missing> {
    let implementation = deployed.node.implementations.get(resource)?;
    let ChildStack::Stack(child) = deployed.children.get(resource)? else { return None };
    match implementation {
        ResolvedImplementation::Template(_) => {
            let outputs = &child.stack.outputs;
            if let Some((member, inner)) = MemberName::split(attribute) {
                let inner = inner.or_else(|| path.first()?.as_name());
                return missing_in_member(child, resource, member, inner);
            }
            let is_known = attribute == "show" || outputs.contains_key(attribute);
            // Without its outputs, the template is wrong in another way.
            let is_read = child.evaluation.outputs.is_some();
            let message = format!("the template of `{resource}` has no output `{attribute}`");
            (is_read && !is_known).then(|| Missing::new(message, attribute, outputs.keys()))
        }
        ResolvedImplementation::Group(group) => {
            let group = group.group;
            let requested = GroupAttribute::of(group, attribute, path, fetch);
            let members = &child.stack.resources;
            let (member, value) = match &requested.value {
                GroupValue::Members(_, value) => (members.keys().next()?.as_str(), value),
                GroupValue::Member(MemberName::Name(name), value)
                    if group == HeatGroup::ResourceGroup =>
                {
                    (*name, value)
                }
                GroupValue::Member(MemberName::Position(at), _)
                    if usize::try_from(*at).is_ok_and(|at| at >= members.len()) =>
                {
                    let count = members.len();
                    let message = format!(
                        "the group `{resource}` has {count} members, so none has the index {at}"
                    );
                    return Some(Missing::new(message, attribute, [""; 0]));
                }
                _ => return None,
            };
            let inner = match value {
                MemberValue::Reference => None,
                MemberValue::Attribute { name, .. } => *name,
            };
            missing_in_member(child, resource, member, inner)
        }
        _ => None,
    }
}

/// What is missing in a resource of a nested stack.
fn missing_in_member(
    child: &Deployed,
    of: &str,
    member: &str,
    attribute: Option<&str>,
) -> Option<Missing> {
    let known = &child.stack.resources;
    if !known.contains_key(member) {
        let message = format!("the nested stack of `{of}` has no resource `{member}`");
        return Some(Missing::new(message, member, known.keys()));
    }
    let attribute = attribute?;
    match child.node.implementations.get(member)? {
        ResolvedImplementation::Template(_) | ResolvedImplementation::Group(_) => {
            let none: &[Expr] = &[];
            missing_at(child, member, attribute, none, AttributeFetch::PathToResource)
        }
        // A group passes the requests to its template, where the evaluation finds this.
        ResolvedImplementation::Plugin(_, info) if child.node.url().is_some() => {
            let is_known = info.dynamic_attributes
                || attribute == "show"
                || info.attributes.keys().any(|it| *it == attribute);
            let message =
                format!("`{member}` in the nested stack of `{of}` has no attribute `{attribute}`");
            (!is_known).then(|| Missing::new(message, attribute, info.attributes.keys()))
        }
        _ => None,
    }
}

/// The types that apply a configuration to a server.
const DEPLOYMENTS: [&str; 2] = ["OS::Heat::SoftwareDeployment", "OS::Heat::StructuredDeployment"];

/// The attributes that every software deployment has.
const ALWAYS: [&str; 4] = ["deploy_stdout", "deploy_stderr", "deploy_status_code", "show"];

/// The names that the configuration of a deployment declares under a key, if all of them are literal.
fn declared<'s>(
    checked: &CheckedStack<'s>,
    deployment: &str,
    key: &str,
) -> Option<(&'s Expr, Vec<&'s str>)> {
    let plugin = |name: &str| checked.deployed.node.implementations.get(name)?.plugin();
    if !DEPLOYMENTS.contains(&plugin(deployment)?.0) {
        return None;
    }
    let resources = &checked.stack().resources;
    let properties = resources.get(deployment)?.properties.as_ref()?;
    let ExprKind::Resource(config) = &properties.member("config")?.kind else { return None };
    let config = config.as_text()?;
    if !matches!(plugin(config)?.0, "OS::Heat::SoftwareConfig" | "OS::Heat::StructuredConfig") {
        return None;
    }
    let of_config = resources.get(config)?.properties.as_ref()?;
    let ExprKind::Map(_) = &of_config.kind else { return None };
    let names = match of_config.member(key) {
        None => Vec::new(),
        Some(Expr { kind: ExprKind::List(items), .. }) => {
            let names = items.iter().map(|item| item.member("name")?.as_text());
            names.collect::<Option<_>>()?
        }
        Some(_) => return None,
    };
    Some((properties, names))
}

fn missing_output(checked: &CheckedStack<'_>, resource: &str, attribute: &str) -> Option<Missing> {
    let (_, outputs) = declared(checked, resource, "outputs")?;
    let is_known = ALWAYS.contains(&attribute) || outputs.contains(&attribute);
    let message = format!("the configuration of `{resource}` declares no output `{attribute}`");
    let known = outputs.iter().chain(&ALWAYS);
    let missing = Missing::new(message, attribute, known);
    (!is_known).then_some(Missing { code: codes::DEPLOYMENT_NAME, ..missing })
}

fn inputs_of_deployment(checked: &CheckedStack<'_>, name: &str, found: &mut Vec<Diagnostic>) {
    let Some((properties, inputs)) = declared(checked, name, "inputs") else { return };
    let Some(ExprKind::Map(pairs)) = properties.member("input_values").map(|it| &it.kind) else {
        return;
    };
    // Heat passes what is not declared, too, so that only another input without a value makes it a mistake.
    let has_value = |input: &&str| pairs.iter().any(|pair| pair.key.as_text() == Some(*input));
    let without: Vec<&str> = inputs.iter().copied().filter(|input| !has_value(input)).collect();
    if without.is_empty() {
        return;
    }
    for pair in pairs {
        let Some(input) = pair.key.as_text().filter(|it| !inputs.contains(it)) else { continue };
        let message = format!("the configuration of `{name}` declares no input `{input}`");
        let finding = Diagnostic::new(codes::DEPLOYMENT_NAME, message).at(pair.key.span);
        found.push(match did_you_mean(input, without.iter().copied()) {
            Some(near) => finding.did_you_mean(near),
            None => finding,
        });
    }
}
