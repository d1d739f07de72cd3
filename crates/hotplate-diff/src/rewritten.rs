//! What is written differently and has the same value for these parameters, with the parameters that decide: mostly a branch of an `if` that
//! the defaults do not take.

use std::collections::BTreeSet;

use super::comparison::{EntryChange, EntryStatus};
use super::dataflow::ROOT;
use super::input::ComparisonInput;
use super::stages::DecidedResource;
use super::text_templates::differs_only_in_files;
use heat_template::hot::{Version, raise_expr};
use heat_template::ir::{Expr, ExprKind, Stack};
use lossless_yaml::Value;

/// A resource or an output of the template that is written differently and has the same value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RewrittenPart {
    /// Its name.
    pub name: String,
    /// Whether it is an output.
    pub is_output: bool,
    /// The parameters on which conditions around the differences depend, in alphabetical order.
    pub parameters: Vec<String>,
}

/// The parts of the template of which no other difference is known, as far as files could be read. Descriptions are no difference.
pub(super) fn rewritten_parts(
    input: &ComparisonInput<'_>,
    outputs: &[EntryChange],
    resources: &[DecidedResource],
) -> Vec<RewrittenPart> {
    let (old, new) = (input.flows.old.stack(ROOT), input.flows.new.stack(ROOT));
    if old.evaluation.outputs.is_none() || new.evaluation.outputs.is_none() {
        return Vec::new();
    }
    let (old, new) = (&*old.stack, &*new.stack);
    let is_open = |it: &EntryChange| {
        it.change == EntryStatus::Changed && it.changes.iter().all(differs_only_in_files)
    };
    let known = outputs.iter().filter(|it| !is_open(it)).map(|it| it.name.as_str());
    let known: BTreeSet<&str> = known.collect();
    let changed = resources.iter().filter(|it| !it.reasons.is_empty()).map(|it| it.name.as_str());
    let changed: BTreeSet<&str> = changed.collect();
    let mut found = Vec::new();
    for (name, resource) in new.resources.iter().filter(|it| !changed.contains(it.0.as_str())) {
        let Some(before) = old.resources.get(name) else { continue };
        let parts =
            [(&before.properties, &resource.properties), (&before.metadata, &resource.metadata)];
        // The others are spelled in another way, or follow a rename.
        let part = rewritten(name, false, &parts, (old, new));
        found.extend(part.filter(|it| !it.parameters.is_empty()));
    }
    for (name, output) in new.outputs.iter().filter(|it| !known.contains(it.0.as_str())) {
        let Some(before) = old.outputs.get(name) else { continue };
        found.extend(rewritten(name, true, &[(&before.value, &output.value)], (old, new)));
    }
    found
}

fn rewritten(
    name: &str,
    is_output: bool,
    parts: &[(&Option<Expr>, &Option<Expr>)],
    (old_stack, new_stack): (&Stack, &Stack),
) -> Option<RewrittenPart> {
    let written = |expr: &Option<Expr>| match expr {
        Some(expr) => raise_expr(expr, Version::LATEST).0,
        None => Value::Null,
    };
    let mut conditions = Vec::new();
    let mut differs = false;
    for (old, new) in parts {
        let (old, new) = (written(old), written(new));
        differs |= old != new;
        conditions_around(&old, &new, &mut Vec::new(), &mut conditions);
    }
    let mut parameters = BTreeSet::new();
    for condition in &conditions {
        for stack in [old_stack, new_stack] {
            collect_parameters(condition, stack, &mut parameters);
        }
    }
    let parameters = parameters.into_iter().collect();
    differs.then(|| RewrittenPart { name: name.to_owned(), is_output, parameters })
}

/// Adds the conditions of each `if` around a difference, or in what differs.
fn conditions_around(old: &Value, new: &Value, above: &mut Vec<Value>, found: &mut Vec<Value>) {
    if old == new {
        return;
    }
    match (old, new) {
        (Value::Map(one), Value::Map(other))
            if one.len() == other.len() && one.iter().zip(other).all(|(a, b)| a.0 == b.0) =>
        {
            for ((key, one), (_, other)) in one.iter().zip(other) {
                match (condition_of(key, one), condition_of(key, other)) {
                    (Some(condition), Some(new)) if condition == new => {
                        above.push(condition.clone());
                        conditions_around(one, other, above, found);
                        above.pop();
                    }
                    (None, None) => conditions_around(one, other, above, found),
                    (condition, new) => {
                        found.extend(condition.into_iter().chain(new).chain(above.iter()).cloned());
                    }
                }
            }
        }
        (Value::List(one), Value::List(other)) if one.len() == other.len() => {
            one.iter().zip(other).for_each(|(a, b)| conditions_around(a, b, above, found));
        }
        _ => {
            found.extend(above.iter().cloned());
            conditions_in(old, found);
            conditions_in(new, found);
        }
    }
}

/// The condition of an `if` with this argument.
fn condition_of<'v>(key: &Value, argument: &'v Value) -> Option<&'v Value> {
    match argument {
        Value::List(items) if *key == Value::Text("if".to_owned()) => items.first(),
        _ => None,
    }
}

/// Adds the conditions of each `if` in a value.
fn conditions_in(value: &Value, found: &mut Vec<Value>) {
    match value {
        Value::Map(pairs) => {
            for (key, value) in pairs {
                found.extend(condition_of(key, value).cloned());
                conditions_in(value, found);
            }
        }
        Value::List(items) => items.iter().for_each(|it| conditions_in(it, found)),
        _ => {}
    }
}

/// Adds the parameters that a condition reads, also through conditions that it names.
fn collect_parameters(condition: &Value, stack: &Stack, found: &mut BTreeSet<String>) {
    let mut names = BTreeSet::new();
    let mut pending = Vec::new();
    match condition {
        Value::Text(name) => pending.push(name.clone()),
        value => texts(value, &mut pending),
    }
    while let Some(name) = pending.pop() {
        if !names.insert(name.clone()) {
            continue;
        }
        if stack.parameters.contains_key(&name) && *condition != Value::Text(name.clone()) {
            found.insert(name);
            continue;
        }
        let Some(named) = stack.conditions.get(&name) else { continue };
        named.value.walk(&mut |expr: &Expr| match &expr.kind {
            ExprKind::Parameter(it) => found.extend(it.name.as_text().map(str::to_owned)),
            ExprKind::Condition(name) => pending.push(name.to_string()),
            _ => {}
        });
    }
}

/// Adds the texts in a condition that has no name: among them are those of its parameters.
fn texts(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Text(text) => found.push(text.clone()),
        Value::List(items) => items.iter().for_each(|it| texts(it, found)),
        Value::Map(pairs) => pairs.iter().for_each(|(_, it)| texts(it, found)),
        _ => {}
    }
}
