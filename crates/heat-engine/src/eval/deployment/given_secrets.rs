//! The values that a stack gives to hidden parameters of its children. The declarations in files and literal texts are known before
//! the evaluation; those of a computed template are known only from the evaluated child.

use std::collections::HashMap;
use std::sync::Arc;

use super::ChildStack;
use super::child_stacks::BuiltChild;
use crate::eval::child_outputs::OutputMapping;
use crate::eval::properties::PropertyValues;
use crate::eval::{EvaluatedProperties, Evaluation, Key, Value};
use heat_template::ir::{Expr, ExprKind, Parameter};
use source_diagnostics::MASK;

/// Seals the properties whose values hidden parameters of children get.
pub(super) fn seal_given(evaluation: &mut Evaluation, children: &HashMap<String, BuiltChild>) {
    for (name, resource) in evaluation.resources.iter_mut().flatten() {
        let Some(BuiltChild { child: ChildStack::Stack(child), outputs, .. }) = children.get(name)
        else {
            continue;
        };
        let EvaluatedProperties::Each(properties) = &mut resource.properties else { continue };
        let is_hidden = |key: &Key| {
            let declared = key.as_text().and_then(|name| child.stack.parameters.get(name));
            declared.is_some_and(Parameter::is_hidden)
        };
        match outputs {
            OutputMapping::Name => {
                let given = properties.iter_mut().filter(|(key, _)| is_hidden(key));
                given.filter_map(|(_, value)| value.as_mut().ok()).for_each(seal);
            }
            OutputMapping::Outputs => {
                if let Some(Value::Map(given)) = property(properties, "parameters")
                    && given.keys().any(is_hidden)
                {
                    let given = Arc::make_mut(given).iter_mut();
                    given.filter(|(key, _)| is_hidden(key)).for_each(|(_, value)| seal(value));
                }
            }
            OutputMapping::Path(_) => {
                let members = child.evaluation.resources.iter().flatten();
                for (_, member) in members {
                    let EvaluatedProperties::Each(of_member) = &member.properties else { continue };
                    let values =
                        of_member.iter().filter_map(|(key, it)| Some((key, it.as_ref().ok()?)));
                    for (key, value) in values.filter(|(_, value)| value.holds_secret()) {
                        if let Some(given) = of_members(properties).and_then(|it| part(it, key)) {
                            seal_as(given, value);
                        }
                    }
                }
            }
        }
    }
}

fn property<'p>(properties: &'p mut PropertyValues, name: &str) -> Option<&'p mut Value> {
    properties.get_mut(&Key::Text(name.into()))?.as_mut().ok()
}

/// The properties that a group gives to its members.
fn of_members(properties: &mut PropertyValues) -> Option<&mut Value> {
    let has = |name: &str| properties.contains_key(&Key::Text(name.into()));
    if has("resource_properties") {
        return property(properties, "resource_properties");
    }
    let definition = if has("resource_def") { "resource_def" } else { "resource" };
    part(property(properties, definition)?, &Key::Text("properties".into()))
}

fn part<'v>(map: &'v mut Value, key: &Key) -> Option<&'v mut Value> {
    let Value::Map(map) = map else { return None };
    Arc::make_mut(map).get_mut(key)
}

/// Seals the parts of a value that are secret in another one.
fn seal_as(value: &mut Value, other: &Value) {
    match other {
        Value::Secret(_) => seal(value),
        Value::Map(map) => {
            for (key, other) in map.iter().filter(|(_, other)| other.holds_secret()) {
                if let Some(value) = part(value, key) {
                    seal_as(value, other);
                }
            }
        }
        _ if other.holds_secret() => seal(value),
        _ => {}
    }
}

fn seal(value: &mut Value) {
    *value = match std::mem::replace(value, Value::Null) {
        // People see the expression.
        Value::Unknown(unknown) => {
            Value::Unknown(Arc::new(unknown.with_expr(masked(&unknown.expr))))
        }
        value => value.sealed(true),
    };
}

/// An expression without its literals; names in references are none.
fn masked(expr: &Expr) -> Expr {
    match &expr.kind {
        ExprKind::Parameter(_)
        | ExprKind::Resource(_)
        | ExprKind::Attribute(_)
        | ExprKind::File(_)
        | ExprKind::Null => expr.clone(),
        ExprKind::Map(_) | ExprKind::List(_) | ExprKind::Set(_) => expr.with_parts(&mut masked),
        _ if expr.is_literal() => Expr { kind: ExprKind::Text(MASK.into()), span: expr.span },
        _ => expr.with_parts(&mut masked),
    }
}
