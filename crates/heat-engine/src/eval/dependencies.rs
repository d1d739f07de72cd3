//! Errors in the dependencies between resources.
//!
//! Heat's rules: `docs/heat.md#what-makes-a-dependency`, `docs/heat.md#circular-dependencies`.

use std::collections::HashMap;

use indexmap::IndexMap;

use super::{EvaluatedResource, Evaluation};
use heat_template::ir::{Expr, ExprKind, Resource, Stack};
use source_diagnostics::{Diagnostic, Span, Suggestions};

/// Names in `depends_on` that are not resources of the template. Only enabled resources are checked;
/// they may name one that a condition disables.
pub(super) fn unknown_dependencies(stack: &Stack, evaluation: &Evaluation) -> Vec<Diagnostic> {
    let enabled = evaluation.resources.iter().flatten();
    let definitions = enabled.filter_map(|(name, _)| Some((name, stack.resources.get(name)?)));
    let named = definitions
        .flat_map(|(name, resource)| resource.depends_on.iter().map(move |it| (name, it)));
    let unknown = named.filter(|(_, it)| !stack.resources.contains_key(&*it.text));
    let mut suggestions = Suggestions::new(stack.resources.keys().map(String::as_str));
    let finding = |(name, it): (&String, &heat_template::ir::SpannedName)| {
        let message =
            format!("`{name}` depends on `{}`, which is not a resource of the template", it.text);
        let finding = Diagnostic::new(crate::codes::UNKNOWN_DEPENDENCY, message).at(it.span);
        // No resource depends on itself.
        match suggestions.nearest(&it.text, Some(it.span)).filter(|near| near != name) {
            Some(near) => finding.did_you_mean(near),
            None => finding,
        }
    };
    let mut found: Vec<Diagnostic> = unknown.map(finding).collect();
    found.extend(suggestions.limit_finding());
    found
}

/// Finds the dependency cycles between resources: for each group of resources that depend on each other, the way round
/// from the one that is defined first.
pub(super) fn dependency_cycles(stack: &Stack, evaluation: &Evaluation) -> Vec<Diagnostic> {
    let Some(resources) = &evaluation.resources else { return Vec::new() };
    let requires = |name: &str| -> Vec<&str> {
        let names = resources.get(name).into_iter().flat_map(EvaluatedResource::dependencies);
        names.filter(|name| resources.contains_key(*name)).collect()
    };
    let mut left: IndexMap<&str, Vec<&str>> =
        resources.keys().map(|name| (name.as_str(), requires(name))).collect();
    let mut findings = Vec::new();
    loop {
        keep_waiting(&mut left);
        let Some(way) = way_round(&left) else { return findings };
        let message = format!("circular dependency between resources: {}", way.join(" → "));
        let mut finding = Diagnostic::new(crate::codes::CIRCULAR_DEPENDENCY, message);
        for (from, to) in way.iter().zip(&way[1..]) {
            let Some(resource) = stack.resources.get(*from) else { continue };
            let (place, label) = match reference_span(resource, to) {
                Some(place) => (place, format!("`{from}` depends on `{to}`")),
                None => (resource.name_span, format!("`{from}` waits for `{to}`: Heat adds this")),
            };
            finding = match finding.primary {
                None => finding.labeled(place, label),
                Some(_) => finding.related(place, label),
            };
        }
        findings.push(finding);
        // Without these resources, the others may form a cycle of their own.
        left.retain(|name, _| !way.contains(name));
    }
}

/// Drops the resources that can be created: those that depend on no remaining one, again and again.
fn keep_waiting(left: &mut IndexMap<&str, Vec<&str>>) {
    let mut waiting: HashMap<&str, Vec<&str>> = HashMap::new();
    let mut open: HashMap<&str, usize> = HashMap::new();
    for (name, names) in &*left {
        let names = || names.iter().filter(|name| left.contains_key(*name));
        open.insert(name, names().count());
        for required in names() {
            waiting.entry(required).or_default().push(name);
        }
    }
    let mut ready: Vec<&str> =
        left.keys().copied().filter(|name| open.get(name) == Some(&0)).collect();
    while let Some(name) = ready.pop() {
        for waiter in waiting.get(name).into_iter().flatten() {
            let Some(count) = open.get_mut(waiter) else { continue };
            *count -= 1;
            if *count == 0 {
                ready.push(waiter);
            }
        }
    }
    // At once: removing a key moves all keys after it.
    left.retain(|name, _| open.get(name) != Some(&0));
}

/// A cycle among resources that all depend on another one of them: following them eventually repeats one. The first and the
/// last name are the same.
fn way_round<'a>(left: &IndexMap<&'a str, Vec<&'a str>>) -> Option<Vec<&'a str>> {
    let mut way = vec![*left.keys().next()?];
    loop {
        let next = *left.get(way.last()?)?.iter().find(|name| left.contains_key(*name))?;
        let start = way.iter().position(|name| *name == next);
        way.push(next);
        if let Some(start) = start {
            return Some(way.split_off(start));
        }
    }
}

/// Where a resource refers to another one.
fn reference_span(resource: &Resource, name: &str) -> Option<Span> {
    if let Some(found) = resource.depends_on.iter().find(|it| it.text == name) {
        return Some(found.span);
    }
    let mut found = None;
    for expr in [&resource.properties, &resource.metadata].into_iter().flatten() {
        expr.walk(&mut |expr: &Expr| {
            let named = match &expr.kind {
                ExprKind::Resource(named) => named.as_text(),
                ExprKind::Attribute(attribute) => attribute.resource.as_text(),
                _ => None,
            };
            if named == Some(name) && found.is_none() {
                found = Some(expr.span);
            }
        });
    }
    found
}
