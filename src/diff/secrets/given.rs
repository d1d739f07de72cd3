//! Values that a template gives to hidden parameters of nested templates: they are secrets there, so they are secrets
//! where they are given.

use std::collections::{HashMap, HashSet};

use crate::diff::comparison::{
    ChangeReason, DefinitionPart, DisplayValue, PathStep, ResourceChange,
};
use crate::diff::dataflow::{Dataflow, StackId};
use crate::diff::impact::ResourceDefinition;
use heat_engine::eval::{Key, Map, Value};
use heat_template::ir::{Expr, ExprKind, Pair as ExprPair};
use source_diagnostics::Span;

/// The members of a group, by its type: the path to the properties of each in the group's own properties.
const MEMBER_PROPERTIES: [(&str, &[&str]); 3] = [
    ("OS::Heat::AutoScalingGroup", &["resource", "properties"]),
    ("OS::Heat::ResourceChain", &["resource_properties"]),
    ("OS::Heat::ResourceGroup", &["resource_def", "properties"]),
];

/// What one side gives to hidden parameters.
#[derive(Debug, Default)]
pub(super) struct GivenSecrets {
    /// By the full name of a resource, the paths into its properties.
    paths: HashMap<String, HashSet<Vec<String>>>,
    /// Parameters that are not hidden themselves and whose whole value is given: the paths of their stacks, and
    /// their names.
    pub(super) parameters: Vec<(String, String)>,
    /// The literals in the expressions.
    pub(super) spans: Vec<Span>,
}

impl GivenSecrets {
    /// Collects what one side gives to parameters that either side hides.
    pub(super) fn of(flow: &Dataflow<'_>, other: &Dataflow<'_>) -> Self {
        let mut found = GivenSecrets::default();
        // Parameters of outer stacks whose whole value is given to a hidden one.
        let mut passed: HashSet<(StackId, String)> = HashSet::new();
        // Inner stacks follow outer ones.
        for id in flow.ids().rev() {
            if flow.outer(id).is_none() || flow.is_group(id) {
                continue;
            }
            let mut hidden: Vec<String> = Vec::new();
            let there = other.stack_at(flow.path(id)).map(|id| &other.stack(id).stack.parameters);
            for (name, parameter) in &flow.stack(id).stack.parameters {
                let is_hidden = parameter.is_hidden()
                    || there.and_then(|it| it.get(name)).is_some_and(|it| it.is_hidden())
                    || passed.contains(&(id, name.clone()));
                if is_hidden {
                    hidden.push(name.clone());
                }
            }
            for name in hidden {
                found.add(flow, id, name, &mut passed);
            }
        }
        found
    }

    /// Adds what is given to one parameter of a nested stack.
    fn add(
        &mut self,
        flow: &Dataflow<'_>,
        id: StackId,
        parameter: String,
        passed: &mut HashSet<(StackId, String)>,
    ) {
        let Some((mut stack, mut name)) = flow.outer(id) else { return };
        let mut path = vec![parameter];
        self.paths.entry(flow.full_name(stack, name)).or_default().insert(path.clone());
        // The definition of a member is in the properties of its group.
        while flow.is_group(stack) {
            let Some((outer, group)) = flow.outer(stack) else { return };
            let definition = ResourceDefinition::new(flow.stack(outer), group);
            let plugin = definition.and_then(|it| it.plugin());
            let row = MEMBER_PROPERTIES.iter().find(|(kind, _)| Some(*kind) == plugin);
            let Some((_, inside)) = row else { return };
            path.splice(0..0, inside.iter().map(|key| (*key).to_owned()));
            (stack, name) = (outer, group);
            self.paths.entry(flow.full_name(stack, name)).or_default().insert(path.clone());
        }
        let resource = flow.stack(stack).stack.resources.get(name.as_str());
        let Some(expr) = resource.and_then(|it| it.properties.as_ref()) else { return };
        let Some(expr) = path.iter().try_fold(expr, |expr, key| member(expr, key)) else {
            // A function returns it: its literals may be part of the value.
            return literals(expr, &mut self.spans);
        };
        if let ExprKind::Parameter(reference) = &expr.kind
            && let (Some(name), []) = (reference.name.as_text(), &*reference.path)
        {
            passed.insert((stack, name.to_owned()));
            let declared = flow.stack(stack).stack.parameters.get(name);
            if declared.is_some_and(|parameter| !parameter.is_hidden()) {
                self.parameters.push((flow.path(stack).to_owned(), name.to_owned()));
            }
        } else {
            literals(expr, &mut self.spans);
        }
    }

    /// Makes the given values secret in the reasons of a resource.
    pub(super) fn seal(&self, resource: &mut ResourceChange) {
        let Some(paths) = self.paths.get(&resource.name) else { return };
        for path in paths {
            for reason in &mut resource.reasons {
                let inside = match &reason.part {
                    DefinitionPart::Property(name) if *name == path[0] => &path[1..],
                    DefinitionPart::Properties => &path[..],
                    _ => continue,
                };
                seal_reason(reason, inside);
            }
        }
    }
}

/// Makes what is at a path in the value of a reason secret.
fn seal_reason(reason: &mut ChangeReason, path: &[String]) {
    let ChangeReason { value, changes, spans, .. } = reason;
    if path.is_empty() {
        let both = super::Pair { old: true, new: true };
        return super::seal(both, value, Some((changes, spans)));
    }
    let seal = |shown: &mut DisplayValue, path: &[String]| match shown {
        DisplayValue::Value(value) => *value = sealed_at(value, path),
        DisplayValue::Failed(reason) => super::HIDDEN_REASON.clone_into(reason),
        DisplayValue::Absent => {}
    };
    let both = |value: &mut super::Pair<DisplayValue>, path: &[String]| {
        seal(&mut value.old, path);
        seal(&mut value.new, path);
    };
    both(value, path);
    for change in changes {
        let mut rest = path;
        let mut is_there = true;
        for step in &change.path {
            match (step, rest.split_first()) {
                // Below the secret.
                (_, None) => break,
                (PathStep::Key(key), Some((first, more))) if key == first => rest = more,
                (PathStep::Key(_) | PathStep::Item { .. }, Some(_)) => is_there = false,
            }
        }
        if is_there {
            both(&mut change.value, rest);
            if rest.is_empty() {
                // Keys and matches of items below a secret would show it.
                change.path.truncate(path.len());
            }
        }
    }
}

/// A value with what is at a path secret; whole if the path leads nowhere in something that is not a map.
fn sealed_at(value: &Value, path: &[String]) -> Value {
    let Some((first, rest)) = path.split_first() else { return value.clone().sealed(true) };
    match value.unsealed() {
        Value::Map(map) => {
            let pairs =
                map.iter().map(|(key, value)| match key.as_text() == Some(first.as_str()) {
                    true => (key.clone(), sealed_at(value, rest)),
                    false => (key.clone(), value.clone()),
                });
            let pairs: Map = pairs.collect::<Vec<(Key, Value)>>().into_iter().collect();
            Value::Map(std::sync::Arc::new(pairs)).sealed(matches!(value, Value::Secret(_)))
        }
        Value::Null => Value::Null,
        _ => value.clone().sealed(true),
    }
}

/// The value of a key of a literal map.
fn member<'e>(expr: &'e Expr, key: &str) -> Option<&'e Expr> {
    let ExprKind::Map(pairs) = &expr.kind else { return None };
    let found = pairs.iter().rev().find(|pair: &&ExprPair| pair.key.as_text() == Some(key));
    found.map(|pair| &pair.value)
}

/// Collects the spans of literals in an expression, apart from the names in references.
fn literals(expr: &Expr, into: &mut Vec<Span>) {
    let mut open = vec![expr];
    while let Some(expr) = open.pop() {
        match &expr.kind {
            ExprKind::Parameter(_)
            | ExprKind::Resource(_)
            | ExprKind::Attribute(_)
            | ExprKind::File(_) => {}
            ExprKind::Text(_) | ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Date(_) => {
                into.push(expr.span);
            }
            _ => expr.for_each_child(|child| open.push(child)),
        }
    }
}
