//! Determines the errors of the new side: those that are new, and those that the old side has too.
//!
//! The errors are [`Diagnostic`]s from any source; their location determines the resource they belong to.

use std::cell::LazyCell;
use std::collections::{HashMap, HashSet};

use super::DeploymentSide;
use super::comparison::{ChangeReason, DefinitionPart, Impact, Places, Refusal};
use super::dataflow::{Dataflow, ROOT, StackId};
use super::impact::ResourceDefinition;
use super::input::ComparisonInput;
use super::stages::DecidedResource;
use super::suppressions::template_document;
use super::unread_files::NestedStack;
use super::update_rules::UpdateRule;
use heat_engine::eval::Value;
use lossless_yaml::Document;
use source_diagnostics::{Code, Diagnostic, SourceId, Span};

/// Adds the errors for which Heat refuses the new side, and sets the impact `Refused` for their resources.
pub(super) fn mark_refused(
    resources: &mut [DecidedResource],
    input: &ComparisonInput<'_>,
) -> Vec<Refusal> {
    let mut refusals = find_errors(input);
    let at: HashMap<String, usize> =
        resources.iter().enumerate().map(|(at, resource)| (resource.name.clone(), at)).collect();
    for refusal in &mut refusals {
        // A resource that is absent, because of a condition or of an error in its template, cannot be refused; the
        // resource that represents that template is.
        let mut name = refusal.resource.as_deref();
        while let Some(missing) = name.filter(|name| !at.contains_key(*name)) {
            name = missing.rsplit_once('/').map(|(outer, _)| outer);
        }
        let name = name.map(str::to_owned);
        let at = name.as_ref().and_then(|name| at.get(name));
        refusal.resource.clone_from(&name);
        let Some(at) = at else { continue };
        let resource = &mut resources[*at];
        let is_refused = match (refusal.is_in_old, resource.impact) {
            (false, _) => true,
            (
                true,
                Impact::Rebuild
                | Impact::Update
                | Impact::Replace
                | Impact::MayDelete
                | Impact::MayReplace
                | Impact::MayCreate,
            ) => !refusal.is_of_incomplete_input(),
            (true, _) => false,
        };
        let message = refusal.diagnostic.message.clone();
        let is_reported = |reason: &ChangeReason| match &reason.rule {
            UpdateRule::Invalid { message: known, .. } => *known == message,
            _ => false,
        };
        if !is_refused || resource.reasons.iter().any(is_reported) {
            continue;
        }
        let rule = UpdateRule::Invalid { message, before: refusal.is_in_old };
        let places = Places { old: None, new: refusal.diagnostic.span() };
        let (part, impact) = (DefinitionPart::Resource, Impact::Refused);
        resource.reasons.insert(0, ChangeReason::new(part, impact, rule, places));
        resource.impact = Impact::Refused;
    }
    refusals.sort_by_key(|refusal| refusal.is_in_old);
    refusals
}

/// The errors of the new side, without duplicates.
fn find_errors(input: &ComparisonInput<'_>) -> Vec<Refusal> {
    let old = errors(input.old, &input.flows.old);
    let new = errors(input.new, &input.flows.new);
    let key = |(finding, resource): &(Diagnostic, Option<String>)| {
        (finding.code, finding.message.clone(), resource.clone())
    };
    let before: HashSet<_> = old.iter().map(key).collect();
    // Where the old side lacks files, too, this is no whole checkout: what is missing here may be there where Heat's client looks.
    let is_missing = |(it, _): &(Diagnostic, _)| it.code == source_files::codes::FILE_NOT_FOUND;
    let is_whole = !old.iter().any(is_missing);
    let mut seen = HashSet::new();
    let mut refusals = Vec::new();
    for error in new {
        let key = key(&error);
        let before = before.contains(&key);
        if !before && !is_whole && is_missing(&error) {
            continue;
        }
        // Two mistakes with the same words are two.
        if seen.insert((key, error.0.span())) {
            let (diagnostic, resource) = error;
            refusals.push(Refusal { diagnostic, resource, is_in_old: before });
        }
    }
    refusals.extend(missing_parameters(input).into_iter().map(|diagnostic| Refusal {
        diagnostic,
        resource: None,
        is_in_old: false,
    }));
    refusals
}

/// The errors of a side, with the full names of the resources that they belong to.
fn errors(side: &DeploymentSide<'_>, flow: &Dataflow<'_>) -> Vec<(Diagnostic, Option<String>)> {
    let mut places = ResourceSpans { side, flow, by_source: HashMap::new() };
    let mut found = Vec::new();
    let is_error = |finding: &&Diagnostic| finding.refuses_stack();
    type Key<'f> = (Code, &'f str, Option<Span>);
    fn key(finding: &Diagnostic) -> Key<'_> {
        (finding.code, &finding.message, finding.span())
    }
    let judged: HashSet<Key<'_>> = side.findings.iter().map(key).collect();
    let mut of_stacks = HashSet::new();
    let mut of_source: HashMap<SourceId, Vec<StackId>> = HashMap::new();
    for id in flow.ids() {
        if let Some((_, document)) = template_document(side, flow, id) {
            of_source.entry(document.source()).or_default().push(id);
        }
        let broken_member = LazyCell::new(|| {
            let mut members = flow.stack(id).stack.resources.keys();
            flow.is_group(id) && members.any(|name| is_broken(side, flow, id, name))
        });
        for own in flow.stack(id).own_findings().iter().filter(is_error) {
            let finding = match judged.contains(&key(own)) {
                true => own,
                // Each resource that nests a broken template is refused, with the words of the reason.
                false if own.code == heat_engine::codes::NESTED_NOT_FOLLOWED => {
                    let mut reasons = side.findings.iter().filter(is_error);
                    reasons.find(|it| it.span() == own.span()).unwrap_or(own)
                }
                false => continue,
            };
            of_stacks.insert(key(finding));
            let owner = places.owner(id, own);
            let is_refused = |(id, name)| is_broken(side, flow, id, name) || *broken_member;
            if own.code == heat_engine::codes::NESTED_NOT_FOLLOWED
                && !owner.as_deref().and_then(|owner| flow.find(owner)).is_some_and(is_refused)
            {
                continue;
            }
            found.push((finding.clone(), owner));
        }
    }
    let rest = side.findings.iter().filter(is_error).filter(|it| !of_stacks.contains(&key(it)));
    for finding in rest {
        let stacks = finding.span().and_then(|span| of_source.get(&span.source));
        for id in stacks.map_or(&[ROOT][..], Vec::as_slice) {
            found.push((finding.clone(), places.owner(*id, finding)));
        }
    }
    found
}

/// Whether Heat refuses the template that a resource represents.
fn is_broken(side: &DeploymentSide<'_>, flow: &Dataflow<'_>, id: StackId, name: &str) -> bool {
    let definition = ResourceDefinition::new(flow.stack(id), name);
    match NestedStack::of(definition.as_ref(), side.environment) {
        NestedStack::Broken(_) => true,
        // A missing file is already reported.
        NestedStack::Missing(_)
        | NestedStack::Nothing
        | NestedStack::Stack(_)
        | NestedStack::Unknown
        | NestedStack::Unread(_)
        | NestedStack::Remote(_) => false,
    }
}

/// The places of resources in the templates of a side.
struct ResourceSpans<'s> {
    side: &'s DeploymentSide<'s>,
    flow: &'s Dataflow<'s>,
    by_source: HashMap<SourceId, Vec<(&'s str, Span)>>,
}

impl<'s> ResourceSpans<'s> {
    /// The full name of the resource that a finding in a stack belongs to: the one whose definition contains
    /// one of its places, otherwise the one that represents the stack.
    fn owner(&mut self, id: StackId, finding: &Diagnostic) -> Option<String> {
        let flow = self.flow;
        if let Some((_, document)) = template_document(self.side, flow, id) {
            let all =
                self.by_source.entry(document.source()).or_insert_with(|| resources(document));
            let labels = finding.primary.iter().chain(&finding.related);
            let mut places = labels.map(|label| label.span);
            let owner = places.find_map(|span| {
                let before = all.partition_point(|(_, it)| it.start <= span.start);
                all[..before].last().filter(|(_, it)| it.contains(span))
            });
            if let Some((name, _)) = owner {
                return Some(flow.full_name(id, name));
            }
        }
        let (outer, name) = flow.outer(id)?;
        Some(flow.full_name(outer, name))
    }
}

/// The resources of a template in source order, each with the span from its name to the end of its
/// definition.
fn resources(document: &Document) -> Vec<(&str, Span)> {
    let Some(root) = document.root() else { return Vec::new() };
    let section = document.get(root, "resources").or_else(|| document.get(root, "Resources"));
    let entries = section.map(|section| document.entries(section)).into_iter().flatten();
    let resource = |entry: &lossless_yaml::Entry| {
        let (key, value) = (document.span(entry.key), document.span(entry.value));
        let span = Span::new(key.source, key.start, value.end.max(key.end));
        Some((document.str(entry.key)?, span))
    };
    let mut all: Vec<_> = entries.filter_map(resource).collect();
    all.sort_by_key(|(_, span)| span.start);
    all
}

/// New required parameters of the template without a value: Heat refuses an update that
/// does not pass them. A parameter that had no value before has one in the running stack.
fn missing_parameters(input: &ComparisonInput<'_>) -> Vec<Diagnostic> {
    let is_unknown = |side: &DeploymentSide<'_>, name: &str| {
        let value = side.deployed.evaluation.parameters.get(name);
        matches!(value, Some(Ok(value)) if matches!(value.unsealed(), Value::Unknown(_)))
    };
    let is_first = input.new.is_first;
    if !input.old.exists && !is_first {
        return Vec::new();
    }
    let old = &input.old.deployed.stack.parameters;
    let new = input.new.deployed.stack.parameters.iter();
    let now = new.filter(|(name, _)| {
        let had_none = old.contains_key(*name) && is_unknown(input.old, name);
        let is_given = input.new.environment.given.contains(name);
        is_unknown(input.new, name) && !is_given && (is_first || !had_none)
    });
    now.map(|(name, parameter)| {
        let message = match old.contains_key(name) {
            _ if is_first => {
                format!("the parameter `{name}` is required, and the deployment gives no value")
            }
            true => format!(
                "the parameter `{name}` is now required: it no longer has a default, and no value is given"
            ),
            false => format!(
                "the parameter `{name}` is now required: it is new, and no value is given"
            ),
        };
        Diagnostic::new(heat_engine::codes::PARAMETER_MISSING, message)
            .at(parameter.name_span)
            .help(match is_first {
                true => format!(
                    "set it in `parameters` or an environment of the deployment, or pass it with `-P {name}=VALUE`"
                ),
                false => {
                    format!("pass it with `-P {name}=VALUE`, or with an environment (`-e FILE`)")
                }
            })
    })
    .collect()
}
