//! Errors in the dependencies between resources.
//!
//! Heat's rules: `docs/heat.md#what-makes-a-dependency`, `docs/heat.md#circular-dependencies`.

use std::collections::HashMap;

use indexmap::IndexMap;

use super::Evaluation;
use heat_template::ir::Stack;
use source_diagnostics::{Diagnostic, did_you_mean};

/// Names in `depends_on` that are not resources of the template. Only enabled resources are checked;
/// they may name one that a condition disables.
pub(super) fn unknown_dependencies(stack: &Stack, evaluation: &Evaluation) -> Vec<Diagnostic> {
    let enabled = evaluation.resources.iter().flatten();
    let definitions = enabled.filter_map(|(name, _)| Some((name, stack.resources.get(name)?)));
    let named = definitions
        .flat_map(|(name, resource)| resource.depends_on.iter().map(move |it| (name, it)));
    let unknown = named.filter(|(_, it)| !stack.resources.contains_key(&*it.text));
    let finding = |(name, it): (&String, &heat_template::ir::SpannedName)| {
        let message =
            format!("`{name}` depends on `{}`, which is not a resource of the template", it.text);
        let finding = Diagnostic::new(crate::codes::UNKNOWN_DEPENDENCY, message).at(it.span);
        let others = stack.resources.keys().filter(|other| *other != name);
        match did_you_mean(&it.text, others.map(String::as_str)) {
            Some(near) => finding.help(format!("did you mean `{near}`?")),
            None => finding,
        }
    };
    unknown.map(finding).collect()
}

/// Finds a dependency cycle between resources.
pub(super) fn dependency_cycle(stack: &Stack, evaluation: &Evaluation) -> Option<Diagnostic> {
    let resources = evaluation.resources.as_ref()?;
    let requires = |name: &str| -> Vec<&str> {
        let found = resources.get(name).and_then(|resource| resource.requires.as_ref().ok());
        let names = found.into_iter().flatten().map(String::as_str);
        names.filter(|name| resources.contains_key(*name)).collect()
    };
    // Repeatedly passes over the resources that do not depend on a remaining one.
    let mut left: IndexMap<&str, Vec<&str>> =
        resources.keys().map(|name| (name.as_str(), requires(name))).collect();
    let mut waiting: HashMap<&str, Vec<&str>> = HashMap::new();
    let mut open: HashMap<&str, usize> = HashMap::new();
    for (name, names) in &left {
        open.insert(name, names.len());
        for required in names {
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
    let first = *left.keys().next()?;
    // Each remaining resource depends on another one: following them eventually repeats one.
    let mut way = vec![first];
    let start = loop {
        let next = left.get(way.last()?)?.iter().find(|name| left.contains_key(*name))?;
        if let Some(at) = way.iter().position(|name| name == next) {
            way.push(next);
            break at;
        }
        way.push(next);
    };
    let way = &way[start..];
    let message = format!("circular dependency between resources: {}", way.join(" → "));
    let place = stack.resources.get(*way.first()?)?.name_span;
    Some(Diagnostic::new(crate::codes::CIRCULAR_DEPENDENCY, message).at(place))
}
