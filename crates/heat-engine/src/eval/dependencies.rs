//! Errors in the dependencies between resources.
//!
//! Heat's rules: `docs/heat.md#what-makes-a-dependency`, `docs/heat.md#circular-dependencies`.

use std::collections::HashMap;

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
    let mut graph = RemainingResources::new(resources.keys().map(String::as_str), requires);
    let mut findings = Vec::new();
    while let Some(way) = graph.take_cycle() {
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
    }
    findings
}

/// The resources that cannot be created yet, since others must be created first.
struct RemainingResources<'a> {
    names: Vec<&'a str>,
    /// The resources that must be created first, by number, and how many of them do not remain.
    requires: Vec<(Vec<usize>, usize)>,
    waiting: Vec<Vec<usize>>,
    /// The number of remaining ones that each waits for.
    open: Vec<usize>,
    remains: Vec<bool>,
    /// None before this one remains.
    first: usize,
    /// The way that is followed, and the position of each resource on it.
    way: Vec<usize>,
    position: Vec<Option<usize>>,
}

impl<'a> RemainingResources<'a> {
    fn new(
        names: impl Iterator<Item = &'a str>,
        requires: impl Fn(&'a str) -> Vec<&'a str>,
    ) -> Self {
        let names: Vec<&str> = names.collect();
        let numbers: HashMap<&str, usize> =
            names.iter().enumerate().map(|(at, name)| (*name, at)).collect();
        let requires: Vec<Vec<usize>> = names
            .iter()
            .map(|name| requires(name).iter().filter_map(|it| numbers.get(it).copied()).collect())
            .collect();
        let mut waiting = vec![Vec::new(); names.len()];
        for (at, required) in requires.iter().enumerate() {
            required.iter().for_each(|it| waiting[*it].push(at));
        }
        let open: Vec<usize> = requires.iter().map(Vec::len).collect();
        let ready = (0..names.len()).filter(|at| open[*at] == 0).collect();
        let mut graph = RemainingResources {
            remains: vec![true; names.len()],
            first: 0,
            position: vec![None; names.len()],
            requires: requires.into_iter().map(|required| (required, 0)).collect(),
            names,
            waiting,
            open,
            way: Vec::new(),
        };
        graph.remove(ready);
        graph
    }

    /// Removes resources, and those that can be created then.
    fn remove(&mut self, mut removed: Vec<usize>) {
        while let Some(at) = removed.pop() {
            if !std::mem::take(&mut self.remains[at]) {
                continue;
            }
            for waiter in &self.waiting[at] {
                self.open[*waiter] -= 1;
                if self.open[*waiter] == 0 {
                    removed.push(*waiter);
                }
            }
        }
    }

    /// The first remaining resource that this one waits for.
    fn first_required(&mut self, at: usize) -> Option<usize> {
        let (required, done) = &mut self.requires[at];
        while let Some(next) = required.get(*done) {
            if self.remains[*next] {
                return Some(*next);
            }
            *done += 1;
        }
        None
    }

    fn first_remaining(&mut self) -> Option<usize> {
        while !*self.remains.get(self.first)? {
            self.first += 1;
        }
        Some(self.first)
    }

    /// A cycle among the remaining resources, which are without it afterwards. All of them depend on another one of them:
    /// following them from the first eventually repeats one. The first and the last name are the same.
    fn take_cycle(&mut self) -> Option<Vec<&'a str>> {
        loop {
            while let Some(last) = self.way.last().copied().filter(|last| !self.remains[*last]) {
                self.position[last] = None;
                self.way.pop();
            }
            let Some(last) = self.way.last().copied() else {
                // Everything before it is gone for good.
                let first = self.first_remaining()?;
                self.position[first] = Some(0);
                self.way.push(first);
                continue;
            };
            let next = self.first_required(last)?;
            if let Some(start) = self.position[next] {
                let cycle = self.way.split_off(start);
                let names = cycle.iter().chain([&next]).map(|at| self.names[*at]).collect();
                cycle.iter().for_each(|at| self.position[*at] = None);
                self.remove(cycle);
                return Some(names);
            }
            self.position[next] = Some(self.way.len());
            self.way.push(next);
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
