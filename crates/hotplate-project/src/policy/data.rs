//! A stack as the data of a condition.
//!
//! Unknown and hidden values are [`Data::Unknown`], so that a condition that depends on one has no value. A reference to a
//! resource of the same stack is known as such: `{get_resource: NAME}`.

use heat_engine::eval::typed_properties::{TypedProperties, of_plugin};
use heat_engine::eval::{Dependency, EvalResult, EvaluatedProperties, Key, Term, Value};
use heat_template::ir::{DeletionPolicy, Expr, ExprKind, Output, Parameter};
use yaql::Data;

use hotplate_check::{CheckedResource, CheckedStack};

/// An unknown value; which one it is does not matter.
const UNKNOWN: Data = Data::Unknown(0);

pub(super) fn text(text: impl AsRef<str>) -> Data {
    Data::Text(text.as_ref().into())
}

pub(super) fn map<const N: usize>(pairs: [(&str, Data); N]) -> Data {
    Data::Map(pairs.into_iter().map(|(key, value)| (text(key), value)).collect())
}

/// The parts of a stack.
pub(super) struct StackData {
    pub(super) resources: Vec<Data>,
    pub(super) parameters: Vec<Data>,
    pub(super) outputs: Vec<Data>,
}

impl StackData {
    pub(super) fn of(stack: &CheckedStack<'_>) -> Self {
        let deployed = stack.deployed;
        let values = &deployed.evaluation.parameters;
        let parameters = deployed.stack.parameters.iter();
        let outputs = deployed.stack.outputs.iter();
        StackData {
            resources: stack.resources().map(|it| resource(&it, deployed.level)).collect(),
            parameters: parameters
                .map(|(name, it)| parameter(name, it, values.get(name), deployed.level))
                .collect(),
            outputs: outputs
                .map(|(name, it)| {
                    let evaluated = deployed.evaluation.outputs.as_ref();
                    let value = evaluated.and_then(|all| all.get(name)).map(|it| &it.value);
                    output(name, it, value, deployed.level)
                })
                .collect(),
        }
    }

    pub(super) fn whole(&self, stack: &CheckedStack<'_>) -> Data {
        let template = &stack.deployed.stack;
        map([
            ("dialect", text(template.format.dialect)),
            ("version", text(template.format.version)),
            ("description", template.description.as_ref().map_or(Data::Null, written)),
            ("level", Data::Int(i64::try_from(stack.deployed.level).unwrap_or(i64::MAX).into())),
            ("parameters", Data::List(self.parameters.clone())),
            ("resources", Data::List(self.resources.clone())),
            ("outputs", Data::List(self.outputs.clone())),
        ])
    }
}

fn resource(resource: &CheckedResource<'_>, level: usize) -> Data {
    let evaluated = resource.evaluated;
    let plugin = resource.implementation.and_then(|it| it.plugin());
    let typed = plugin.map(|(_, info)| of_plugin(&evaluated.properties, info, None));
    let properties = match (typed, &evaluated.properties) {
        (Some(TypedProperties::Each(values)), _) => Data::Map(
            values.iter().map(|(name, value)| (text(name), result(value, level))).collect(),
        ),
        (_, EvaluatedProperties::Each(values)) => {
            Data::Map(values.iter().map(|(key, value)| pair(key, result(value, level))).collect())
        }
        (_, EvaluatedProperties::Whole(value)) => result(value, level),
    };
    let names = match &evaluated.properties {
        EvaluatedProperties::Each(values) => Data::List(values.keys().map(name).collect()),
        EvaluatedProperties::Whole(_) => UNKNOWN,
    };
    let requires = match &evaluated.requires {
        Ok(names) => Data::List(names.iter().map(text).collect()),
        Err(_) => UNKNOWN,
    };
    let policy = resource.definition.and_then(|it| it.deletion_policy.as_ref());
    map([
        ("name", text(resource.name)),
        ("type", text(plugin.map_or(evaluated.kind.as_str(), |(name, _)| name))),
        ("written_type", text(&evaluated.kind)),
        ("properties", properties),
        ("written_properties", names),
        ("metadata", evaluated.metadata.as_ref().map_or(Data::Null, |it| result(it, level))),
        ("depends_on", Data::List(evaluated.depends_on.iter().map(text).collect())),
        ("requires", requires),
        ("deletion_policy", policy.map_or(Data::Null, deletion_policy)),
        ("has_condition", Data::Bool(evaluated.condition.is_some())),
        ("description", evaluated.description.as_ref().map_or(Data::Null, text)),
    ])
}

fn deletion_policy(policy: &DeletionPolicy) -> Data {
    match policy {
        DeletionPolicy::Delete => text("Delete"),
        DeletionPolicy::Retain => text("Retain"),
        DeletionPolicy::Snapshot => text("Snapshot"),
        DeletionPolicy::Other(_) => UNKNOWN,
    }
}

fn parameter(name: &str, declared: &Parameter, given: Option<&EvalResult>, level: usize) -> Data {
    let optional = |part: Option<&Expr>| part.map_or(Data::Null, written);
    let constraints = declared.constraints.iter().map(|constraint| {
        let kind = constraint.kind.entry();
        let is_secret = declared.is_hidden() && constraint.kind.shows_values();
        let value = |operand| if is_secret { UNKNOWN } else { written(operand) };
        let kind = kind.map(|(key, operand)| (text(key), value(operand)));
        let description = constraint.description.as_ref();
        let description = description.map(|it| (text("description"), written(it)));
        Data::Map(kind.into_iter().chain(description).collect())
    });
    let default = match &declared.default {
        Some(_) if declared.is_hidden() => UNKNOWN,
        default => optional(default.as_ref()),
    };
    map([
        ("name", text(name)),
        ("type", declared.kind.map_or(Data::Null, |kind| text(kind.hot_name()))),
        ("label", optional(declared.label.as_ref())),
        ("description", optional(declared.description.as_ref())),
        ("has_default", Data::Bool(declared.default.is_some())),
        ("default", default),
        ("hidden", Data::Bool(declared.is_hidden())),
        ("immutable", Data::Bool(declared.is_immutable())),
        ("constraints", Data::List(constraints.collect())),
        ("tags", optional(declared.tags.as_ref())),
        ("value", given.map_or(UNKNOWN, |given| result(given, level))),
    ])
}

fn output(name: &str, declared: &Output, given: Option<&EvalResult>, level: usize) -> Data {
    map([
        ("name", text(name)),
        ("description", declared.description.as_ref().map_or(Data::Null, written)),
        ("value", given.map_or(UNKNOWN, |given| result(given, level))),
    ])
}

fn result(result: &EvalResult, level: usize) -> Data {
    result.as_ref().map_or(UNKNOWN, |value| data(value, level))
}

fn data(value: &Value, level: usize) -> Data {
    match value {
        Value::Null => Data::Null,
        Value::Bool(value) => Data::Bool(*value),
        Value::Int(value) => Data::Int(value.clone()),
        Value::Float(value) => Data::Float(*value),
        Value::Text(text) | Value::Date(text) => Data::Text(text.clone()),
        Value::List(items) | Value::Set(items) => {
            Data::List(items.iter().map(|item| data(item, level)).collect())
        }
        Value::Map(pairs) => {
            Data::Map(pairs.iter().map(|(key, value)| pair(key, data(value, level))).collect())
        }
        Value::Unknown(unknown) => match unknown.term() {
            Term::Leaf { of: Dependency::Resource(name), level: own } if *own == level => {
                map([("get_resource", text(name))])
            }
            Term::Leaf { .. } | Term::Call { .. } | Term::Opaque => UNKNOWN,
        },
        Value::Secret(_) | Value::Bytes(_) | Value::Call(_) | Value::Object(_) | Value::Elided => {
            UNKNOWN
        }
    }
}

fn pair(key: &Key, value: Data) -> (Data, Data) {
    (name(key), value)
}

fn name(key: &Key) -> Data {
    match key {
        Key::Text(text) => Data::Text(text.clone()),
        Key::Other(other) => data(other, usize::MAX),
    }
}

/// Data as it is written in a declaration.
fn written(expr: &Expr) -> Data {
    match &expr.kind {
        ExprKind::Null => Data::Null,
        ExprKind::Bool(value) => Data::Bool(*value),
        ExprKind::Int(value) => Data::Int(value.clone()),
        ExprKind::Float(value) => Data::Float(*value),
        ExprKind::Text(text) | ExprKind::Date(text) => Data::Text(text.clone()),
        ExprKind::List(items) | ExprKind::Set(items) => {
            Data::List(items.iter().map(written).collect())
        }
        ExprKind::Map(pairs) => {
            Data::Map(pairs.iter().map(|it| (written(&it.key), written(&it.value))).collect())
        }
        _ => UNKNOWN,
    }
}
