//! The features that a template uses and the versions that have them: the answer to "will this run on my cloud?".
//!
//! Heat's rule: `docs/heat.md#versions-of-hot`.

use serde::Serialize;

use super::functions::CallContext;
use super::keys;
use super::lower::{CallSite, LoweredHot};
use super::version::Version;
use crate::ir::{ConstraintKind, Expr, ExprKind, ParameterType, Stack};
use lossless_yaml::{Document, NodeId, NodeKind};
use source_diagnostics::Span;

/// The versions that have a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct VersionRequirement {
    /// The first version that has it.
    pub since: Version,
    /// The last version that has it; `None` if the newest version has it.
    pub until: Option<Version>,
}

/// A feature that a template uses and that some version lacks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Feature {
    /// A short name for messages.
    pub name: String,
    /// The versions that have it.
    pub requirement: VersionRequirement,
    /// The span where the template uses it.
    pub span: Span,
}

const FIRST: Version = Version::V2013_05_23;

/// The features of a lowered template that some version lacks, in the order of the text.
pub fn features(document: &Document, lowered: &LoweredHot) -> Vec<Feature> {
    let mut features = Vec::new();
    let mut add = |name: String, since: Version, until: Option<Version>, span: Span| {
        if since > FIRST || until.is_some() {
            let requirement = VersionRequirement { since, until };
            features.push(Feature { name, requirement, span });
        }
    };
    for call in &lowered.calls {
        let span = document.span(call.entry.key);
        match call_requirement(call) {
            Some((since, until)) => {
                let place = match call.place {
                    CallContext::Value => "",
                    CallContext::Condition => " in a condition",
                };
                add(format!("function `{}`{place}", call.function.name), since, until, span);
                if let Some((name, since)) = form(document, &lowered.stack, call) {
                    add(format!("`{}` {name}", call.function.name), since, None, span);
                }
            }
            None => {
                if let Some((first, _)) = call.function.values.first() {
                    let until = previous(*first);
                    add(
                        format!("data that looks like `{}`", call.function.name),
                        FIRST,
                        until,
                        span,
                    );
                }
            }
        }
    }
    let root = document.root();
    if let Some(entry) = root.and_then(|root| document.entry(root, "conditions")) {
        let since = keys::since(keys::SECTIONS, "conditions").unwrap_or(FIRST);
        add("section `conditions`".into(), since, None, document.span(entry.key));
    }
    let since = |table, key: &str| keys::since(table, key).unwrap_or(FIRST);
    for resource in lowered.stack.resources.values() {
        let mut key = |name: &str, value: &Option<Expr>| {
            if let Some(value) = value {
                let since = since(keys::RESOURCE, name);
                add(format!("resource key `{name}`"), since, None, value.span);
            }
        };
        key("condition", &resource.condition);
        key("external_id", &resource.external_id);
    }
    for output in lowered.stack.outputs.values() {
        if let Some(condition) = &output.condition {
            let since = since(keys::OUTPUT, "condition");
            add("output key `condition`".into(), since, None, condition.span);
        }
    }
    for parameter in lowered.stack.parameters.values() {
        if let Some(tags) = &parameter.tags {
            let since = since(keys::PARAMETER, "tags");
            add("parameter key `tags`".into(), since, None, tags.span);
        }
        for constraint in &parameter.constraints {
            if matches!(constraint.kind, ConstraintKind::Modulo(_)) {
                let since = since(keys::CONSTRAINTS, "modulo");
                add("constraint `modulo`".into(), since, None, constraint.span);
            }
        }
    }
    for node in deletion_policies(document) {
        if let Some(text) = document.str(node) {
            let since = since(keys::DELETION_POLICIES, text);
            add(format!("deletion policy `{text}`"), since, None, document.span(node));
        }
    }
    features.sort_by_key(|feature| feature.span);
    features.dedup();
    features
}

/// The versions between the highest `since` and the lowest `until`; `None` if no version has
/// everything.
pub fn version_range(features: &[Feature]) -> Option<(Version, Version)> {
    let lowest = features.iter().map(|feature| feature.requirement.since).max().unwrap_or(FIRST);
    let highest = features
        .iter()
        .filter_map(|feature| feature.requirement.until)
        .min()
        .unwrap_or(Version::LATEST);
    (lowest <= highest).then_some((lowest, highest))
}

fn previous(version: Version) -> Option<Version> {
    Version::all().rev().find(|other| *other < version)
}

/// The first and the last version that have the function of a call; `None` for data that only looks like a call.
fn call_requirement(call: &CallSite) -> Option<(Version, Option<Version>)> {
    call.meaning?;
    let history = match call.place {
        CallContext::Condition if !call.function.conditions.is_empty() => call.function.conditions,
        _ => call.function.values,
    };
    let (since, _) = history.first()?;
    let removed = history.iter().find(|(_, meaning)| *meaning == super::FunctionMeaning::Removed);
    Some((*since, removed.and_then(|(version, _)| previous(*version))))
}

/// The form of a call's arguments that a later version introduced.
fn form(document: &Document, stack: &Stack, call: &CallSite) -> Option<(&'static str, Version)> {
    let argument = call.entry.value;
    let items = document.items(argument);
    let called = |node: NodeId| match document.entries(node) {
        [entry] => Some((super::hot_function(document.str(entry.key)?)?, entry.value)),
        _ => None,
    };
    // A parameter as a whole, and its default.
    let parameter = |node: NodeId| {
        let (_, name) = called(node).filter(|(function, _)| function.name == "get_param")?;
        let parameter = stack.parameters.get(document.str(name)?)?;
        Some((parameter.kind?, parameter.default.as_ref().map(|default| &default.kind)))
    };
    let is_collection = |node: NodeId| match (called(node), parameter(node)) {
        (_, Some((ParameterType::TextList, _))) => true,
        // A `json` parameter is meant for maps and lists, but may have a number as its value.
        (_, Some((ParameterType::Json, default))) => default.is_none_or(|kind| match kind {
            ExprKind::Text(text) => text.trim_start().starts_with(['{', '[']),
            kind => matches!(kind, ExprKind::Map(_) | ExprKind::List(_)),
        }),
        (Some(_), _) => false,
        (None, _) => matches!(document.kind(node), NodeKind::Mapping(_) | NodeKind::Sequence(_)),
    };
    let is_map = |node: NodeId| match (called(node), parameter(node)) {
        (_, Some((ParameterType::Json, default))) => default.is_some_and(|kind| match kind {
            ExprKind::Text(text) => text.trim_start().starts_with('{'),
            kind => matches!(kind, ExprKind::Map(_)),
        }),
        (Some(_), _) => false,
        (None, _) => matches!(document.kind(node), NodeKind::Mapping(_)),
    };
    let liberty = Version::V2015_10_15;
    match call.function.name {
        "get_attr" if items.len() == 1 => Some(("without an attribute's name", liberty)),
        "list_join" if items.len() > 2 => Some(("of several lists", liberty)),
        "list_join"
            if items.get(1).is_some_and(|list| {
                document.items(*list).iter().any(|item| is_collection(*item))
            }) =>
        {
            Some(("of maps or lists", liberty))
        }
        "str_replace"
            if document.get(argument, "params").is_some_and(|params| {
                document.entries(params).iter().any(|entry| is_collection(entry.value))
            }) =>
        {
            Some(("with maps or lists as values", liberty))
        }
        "if" if items.len() == 2 => Some(("with two arguments", Version::V2021_04_16)),
        "repeat" => {
            if matches!(
                call.meaning,
                Some(super::FunctionMeaning::Repeat { permutations: true, .. })
            ) && document.get(argument, "permutations").is_some()
            {
                return Some(("with `permutations`", Version::V2017_09_01));
            }
            let over_map = document.get(argument, "for_each").is_some_and(|loops| {
                document.entries(loops).iter().any(|entry| is_map(entry.value))
            });
            over_map.then_some(("over a map", Version::V2016_10_14))
        }
        _ => None,
    }
}

fn deletion_policies(document: &Document) -> Vec<NodeId> {
    let resources = document.root().and_then(|root| document.get(root, "resources"));
    resources
        .map(|resources| document.entries(resources))
        .unwrap_or_default()
        .iter()
        .filter_map(|entry| document.get(entry.value, "deletion_policy"))
        .collect()
}
