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
use source_diagnostics::{Consequence, Diagnostic, Span, SpanIndex, Suggestions};
use std::collections::{HashMap, HashSet};

/// Attributes of nested stacks, and names of software deployments.
pub(crate) const CHECK: Check = Check {
    scope: Scope::Template,
    codes: &[codes::CHILD_ATTRIBUTE_MISSING, codes::DEPLOYMENT_NAME],
    run: |it, found| check(it.stack, found),
};

/// Adds a finding for each reference to such an attribute.
fn check(checked: &CheckedStack<'_>, found: &mut Vec<Diagnostic>) {
    let (deployed, stack) = (checked.deployed, checked.stack());
    let mut suggestions = HashMap::new();
    let Some(enabled) = &deployed.evaluation.resources else { return };
    let resources = stack.resources.iter().filter(|(name, _)| enabled.contains_key(*name));
    for (name, resource) in resources {
        inputs_of_deployment(checked, name, found);
        for expr in [&resource.properties, &resource.metadata].into_iter().flatten() {
            references(checked, expr, false, &mut suggestions, found);
        }
    }
    for output in stack.outputs.values() {
        let values = output.value.iter();
        values.for_each(|expr| references(checked, expr, true, &mut suggestions, found));
    }
    // In the order of their places, whatever the maps are.
    let mut limits: Vec<_> = suggestions.values().filter_map(Suggestions::limit_finding).collect();
    limits.sort_by_key(|it| it.span().map(|span| span.start));
    found.append(&mut limits);
}

/// Suggestions from each set of names, by where the set is.
type KnownNames<'s> = HashMap<*const (), Suggestions<'s>>;

fn references<'s>(
    checked: &CheckedStack<'s>,
    expr: &Expr,
    of_output: bool,
    suggestions: &mut KnownNames<'s>,
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
        let known =
            suggestions.entry(missing.of).or_insert_with(|| Suggestions::new(missing.known));
        let finding = match known.nearest(&missing.name, Some(written.span)) {
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
    if found.iter().all(|it| it.code != heat_engine::codes::NO_VALUE) {
        return;
    }
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
    let mut places: HashMap<&str, Vec<Span>> = HashMap::new();
    for (attribute, written) in &requests {
        places.entry(attribute).or_default().push(written.span);
    }
    let places: HashMap<&str, (SpanIndex, Vec<Span>)> = places
        .into_iter()
        .map(|(attribute, all)| (attribute, (SpanIndex::new(all.iter().copied().enumerate()), all)))
        .collect();
    let (mut located, mut moved) = (Vec::new(), HashSet::new());
    found.retain(|finding| {
        let rest = finding.message.strip_prefix("the resource `");
        let attribute =
            rest.and_then(|it| it.strip_suffix('`')?.split_once("` has no attribute `"));
        let Some((_, attribute)) = attribute else { return true };
        let Some((index, places)) = places.get(attribute) else { return true };
        let is_here = finding.span().is_some_and(|span| index.contained_in(span).is_some());
        if is_here || finding.code != heat_engine::codes::NO_VALUE {
            return true;
        }
        // The same for another member.
        if moved.insert(attribute.to_owned()) {
            let message = format!("the members of the group have no attribute `{attribute}`");
            located.extend(places.iter().map(|place| {
                let of_place = Diagnostic { primary: None, ..finding.clone() };
                Diagnostic { message: message.clone(), ..of_place }.at(*place)
            }));
        }
        false
    });
    found.append(&mut located);
}

/// A name that does not exist, and those that do.
struct Missing<'s> {
    code: source_diagnostics::Code,
    message: String,
    name: String,
    /// Where the names that do are.
    of: *const (),
    known: Box<dyn Iterator<Item = &'s str> + 's>,
}

impl<'s> Missing<'s> {
    fn new<T, I: Iterator<Item = &'s str> + 's>(
        message: String,
        name: &str,
        of: &'s T,
        known: impl FnOnce(&'s T) -> I,
    ) -> Self {
        let code = codes::CHILD_ATTRIBUTE_MISSING;
        let place = std::ptr::from_ref(of).cast();
        Missing { code, message, name: name.to_owned(), of: place, known: Box::new(known(of)) }
    }
}

/// What is missing in the nested stack of a resource; `None` if nothing certainly is.
fn missing<'s>(
    deployed: &'s Deployed,
    resource: &str,
    attribute: &str,
    reference: &AttributeRef,
) -> Option<Missing<'s>> {
    missing_at(deployed, resource, attribute, &reference.path, reference.fetch)
}

fn missing_at<'s, P: PathStep>(
    deployed: &'s Deployed,
    resource: &str,
    attribute: &str,
    path: &[P],
    fetch: AttributeFetch,
) -> Option<Missing<'s>> {
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
            (is_read && !is_known).then(|| {
                Missing::new(message, attribute, outputs, |it| it.keys().map(String::as_str))
            })
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
                    return Some(Missing::new(message, attribute, members, |_| std::iter::empty()));
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
fn missing_in_member<'s>(
    child: &'s Deployed,
    of: &str,
    member: &str,
    attribute: Option<&str>,
) -> Option<Missing<'s>> {
    let known = &child.stack.resources;
    if !known.contains_key(member) {
        let message = format!("the nested stack of `{of}` has no resource `{member}`");
        return Some(Missing::new(message, member, known, |it| it.keys().map(String::as_str)));
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
            let known = &info.attributes;
            (!is_known).then(|| Missing::new(message, attribute, known, |it| it.keys().copied()))
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

fn missing_output<'s>(
    checked: &CheckedStack<'s>,
    resource: &str,
    attribute: &str,
) -> Option<Missing<'s>> {
    let (properties, outputs) = declared(checked, resource, "outputs")?;
    if ALWAYS.contains(&attribute) || outputs.contains(&attribute) {
        return None;
    }
    let message = format!("the configuration of `{resource}` declares no output `{attribute}`");
    let known = |_| outputs.into_iter().chain(ALWAYS);
    let missing = Missing::new(message, attribute, properties, known);
    Some(Missing { code: codes::DEPLOYMENT_NAME, ..missing })
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
    let mut suggestions = Suggestions::new(without);
    for pair in pairs {
        let Some(input) = pair.key.as_text().filter(|it| !inputs.contains(it)) else { continue };
        let message = format!("the configuration of `{name}` declares no input `{input}`");
        let finding = Diagnostic::new(codes::DEPLOYMENT_NAME, message).at(pair.key.span);
        found.push(suggestions.suggest(finding, input));
    }
    found.extend(suggestions.limit_finding());
}
