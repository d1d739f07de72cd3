//! Builds the template of a group.

use std::sync::Arc;

use indexmap::IndexMap;
use smol_str::SmolStr;

use super::{AttributePath, GroupTemplate};
use crate::eval::python::{self, PythonException};
use crate::eval::{Failure, Key, Value};
use heat_template::hot::{CallContext, DocumentKind, Version, lower, meaning, recognize};
use heat_template::hot::{GroupAttribute, GroupValue, MemberCollection, MemberName, MemberValue};
use heat_template::ir::{
    AttributeFetch, AttributeRef, Expr, ExprKind, Output, Pair, ParameterRef, Resource, Shared,
    SpannedName, Stack, TemplateFormat,
};
use heat_template::schema::HeatGroup;
use lossless_yaml::{Limits, json_writer};
use python_semantics::ExceptionClass;
use source_diagnostics::{SourceId, Span};

/// The HOT version of the generated templates.
pub(super) const GROUP_TEMPLATE_VERSION: Version = Version::V2015_04_30;

#[derive(Clone, Debug, Default)]
pub(super) struct MemberDefinition {
    pub(super) kind: SmolStr,
    pub(super) properties: Option<Expr>,
    pub(super) metadata: Option<Expr>,
    pub(super) update_policy: Option<Expr>,
    pub(super) deletion_policy: Option<Expr>,
    pub(super) depends_on: Vec<SmolStr>,
}

/// Builds a template whose parts all have the group's span.
pub(super) struct GroupTemplateBuilder {
    template: GroupTemplate,
    span: Span,
}

impl GroupTemplateBuilder {
    pub(super) fn new(span: Span) -> Self {
        let stack = Stack::empty(TemplateFormat {
            dialect: "hot",
            version: GROUP_TEMPLATE_VERSION.date(),
            span,
        });
        GroupTemplateBuilder {
            template: GroupTemplate { stack: Arc::new(stack), values: IndexMap::new() },
            span,
        }
    }

    pub(super) fn finish(self) -> GroupTemplate {
        self.template
    }

    pub(super) fn member(&mut self, name: &str, definition: MemberDefinition) {
        let span = self.span;
        let resource = Resource {
            kind: Some(SpannedName { text: definition.kind, span }),
            properties: definition.properties,
            metadata: definition.metadata,
            depends_on_span: (!definition.depends_on.is_empty()).then_some(span),
            deletion_policy_span: definition.deletion_policy.is_some().then_some(span),
            // Heat keeps only dependencies on resources that already exist.
            depends_on: definition
                .depends_on
                .into_iter()
                .filter(|text| self.template.stack.resources.contains_key(text.as_str()))
                .map(|text| SpannedName { text, span })
                .collect(),
            deletion_policy: definition
                .deletion_policy
                .map(heat_template::ir::DeletionPolicy::Other),
            update_policy: definition.update_policy,
            ..Resource::new(span)
        };
        Arc::make_mut(&mut self.template.stack).resources.insert(name.to_owned(), resource);
    }

    fn output(&mut self, name: String, value: Expr) {
        let output = Output {
            name_span: self.span,
            description: None,
            value: Some(value),
            condition: None,
            extensions: Vec::new(),
        };
        Arc::make_mut(&mut self.template.stack).outputs.insert(name, output);
    }

    fn expr(&self, kind: ExprKind) -> Expr {
        Expr::new(kind, self.span)
    }

    fn text(&self, text: &str) -> Expr {
        self.expr(ExprKind::Text(text.into()))
    }

    pub(super) fn map(&self, pairs: impl IntoIterator<Item = (SmolStr, Expr)>) -> Expr {
        let pair = |(key, value): (SmolStr, Expr)| Pair { key: self.text(&key), value };
        self.expr(ExprKind::Map(pairs.into_iter().map(pair).collect()))
    }

    /// An attribute of a member: the first item of `path` is its name.
    fn attribute(&mut self, member: &str, path: &[Value]) -> Result<Expr, PythonException> {
        let mut path: Vec<Expr> =
            path.iter().map(|part| self.embed(part)).collect::<Result<_, _>>()?;
        let attribute = if path.is_empty() { None } else { Some(path.remove(0)) };
        Ok(self.expr(ExprKind::Attribute(Shared::new(AttributeRef {
            resource: self.text(member),
            attribute,
            path,
            fetch: AttributeFetch::PathToResource,
        }))))
    }

    /// Adds the outputs that a group defines for the requested attributes. A list that depends on the order of members is a map, since
    /// the order is unknown while the template is generated.
    pub(super) fn outputs(
        &mut self,
        group: HeatGroup,
        references: &[AttributePath],
    ) -> Result<(), Failure> {
        let of_all: &[&str] = match group {
            HeatGroup::ResourceGroup | HeatGroup::ResourceChain => &["refs"],
            HeatGroup::AutoScalingGroup => &[],
            HeatGroup::DeploymentGroup { .. } => {
                &["deploy_stdouts", "deploy_stderrs", "deploy_status_codes"]
            }
        };
        for reference in references {
            match reference.as_slice() {
                [] => {
                    for name in of_all {
                        self.output_for(group, &[Value::text(*name)])?;
                    }
                }
                reference => self.output_for(group, reference)?,
            }
        }
        if matches!(group, HeatGroup::ResourceGroup | HeatGroup::AutoScalingGroup) {
            let ids = self.of_each(MemberCollection::MapByName, &[]).map_err(|it| it.at(self.span));
            self.output("refs_map".to_owned(), ids?);
        }
        Ok(())
    }

    fn output_for(&mut self, group: HeatGroup, reference: &[Value]) -> Result<(), Failure> {
        let span = self.span;
        let Some((key, path)) = reference.split_first() else { return Ok(()) };
        let Value::Text(key) = key.unsealed() else {
            let (class, message) = match group {
                HeatGroup::DeploymentGroup { .. } => {
                    let message = "the name of a group's attribute must be a string";
                    (ExceptionClass::TypeError, message.to_owned())
                }
                _ => {
                    let kind = python::type_name(key.unsealed());
                    let message = format!("'{kind}' object has no attribute 'startswith'");
                    (ExceptionClass::AttributeError, message)
                }
            };
            return Err(Failure::new(class, message, span));
        };
        let steps = |value: &MemberValue<'_, Value>| match value {
            MemberValue::Reference => Vec::new(),
            MemberValue::Attribute { name: Some(name), path } => {
                std::iter::once(Value::text(*name)).chain(path.iter().cloned()).collect()
            }
            MemberValue::Attribute { name: None, .. } => path.to_vec(),
        };
        let is_chain = group == HeatGroup::ResourceChain;
        let is_scaling = group == HeatGroup::AutoScalingGroup;
        let fetch = AttributeFetch::PathToResource;
        let (steps, collection) = match GroupAttribute::of(group, key, path, fetch).value {
            // The IDs of a scaling group's members are always an output.
            GroupValue::Members(_, MemberValue::Reference) if is_scaling => return Ok(()),
            GroupValue::Members(MemberCollection::List, value) if !is_scaling => {
                (steps(&value), MemberCollection::List)
            }
            GroupValue::Members(_, MemberValue::Reference) => return Ok(()),
            GroupValue::Members(_, value) => (steps(&value), MemberCollection::MapByName),
            GroupValue::Member(_, MemberValue::Reference) if !is_chain => return Ok(()),
            GroupValue::Member(MemberName::Position(_), value) => {
                (steps(&value), MemberCollection::MapByName)
            }
            GroupValue::Member(MemberName::Name(member), value) => {
                if self.template.stack.resources.contains_key(member) {
                    let value = self.of_member(member, &steps(&value)).map_err(|it| it.at(span))?;
                    self.output(output_name(reference, span)?, value);
                }
                return Ok(());
            }
            GroupValue::Size | GroupValue::RemovedNames | GroupValue::Refused => return Ok(()),
        };
        let with_first =
            |first, steps: &[Value]| output_name(&[&[Value::text(first)], steps].concat(), span);
        let name = match group {
            HeatGroup::AutoScalingGroup => with_first("outputs", &steps)?,
            HeatGroup::DeploymentGroup { .. } => with_first("attributes", &steps)?,
            HeatGroup::ResourceGroup if key == "refs" => key.to_string(),
            HeatGroup::ResourceGroup | HeatGroup::ResourceChain => output_name(reference, span)?,
        };
        let value = self.of_each(collection, &steps).map_err(|it| it.at(span))?;
        self.output(name, value);
        Ok(())
    }

    /// The reference of a member, or the attribute that `steps` lead to.
    fn of_member(&mut self, member: &str, steps: &[Value]) -> Result<Expr, PythonException> {
        match steps {
            [] => Ok(self.expr(ExprKind::Resource(Shared::new(self.text(member))))),
            steps => self.attribute(member, steps),
        }
    }

    fn of_each(
        &mut self,
        collection: MemberCollection,
        steps: &[Value],
    ) -> Result<Expr, PythonException> {
        let names: Vec<SmolStr> = self.template.stack.resources.keys().map(SmolStr::from).collect();
        let values = names.iter().map(|name| self.of_member(name, steps));
        let values = values.collect::<Result<Vec<_>, _>>()?;
        Ok(match collection {
            MemberCollection::List => self.expr(ExprKind::List(values.into())),
            MemberCollection::MapByName | MemberCollection::MapByRandomName => {
                self.map(names.into_iter().zip(values))
            }
        })
    }

    /// Converts the values of a map one by one, as properties require; anything else as a
    /// whole.
    pub(super) fn embed_properties(&mut self, value: &Value) -> Result<Expr, PythonException> {
        match value {
            Value::Map(map) if call_of(value).is_none() => {
                let mut pairs = Vec::with_capacity(map.len());
                for (key, value) in map.iter() {
                    pairs.push((key_text(key)?, self.embed(value)?));
                }
                Ok(self.map(pairs))
            }
            whole => self.embed(whole),
        }
    }

    /// Converts a resolved value to an expression, parsing calls in it again.
    pub(super) fn embed(&mut self, value: &Value) -> Result<Expr, PythonException> {
        let kind = match value {
            Value::Null | Value::Elided => ExprKind::Null,
            Value::Bool(value) => ExprKind::Bool(*value),
            Value::Int(value) => ExprKind::Int(value.clone()),
            Value::Float(value) => ExprKind::Float(*value),
            Value::Text(text) | Value::Date(text) => ExprKind::Text(text.clone()),
            Value::Bytes(bytes) => ExprKind::Bytes((&**bytes).into()),
            _ if value.any(&mut |part| call_of(part).is_some()) => return self.with_calls(value),
            Value::List(items) if items.is_empty() => ExprKind::List([].into()),
            Value::Map(map) if map.is_empty() => ExprKind::Map([].into()),
            // It contains no call, so it is shared instead of copied.
            whole => {
                let name = self.shared_name(whole);
                ExprKind::Parameter(Shared::new(ParameterRef {
                    name: self.text(&name),
                    path: Vec::new(),
                    by_ref: false,
                }))
            }
        };
        Ok(self.expr(kind))
    }

    /// Adds a shared value to the template and returns its name.
    fn shared_name(&mut self, value: &Value) -> String {
        // No parameter of Heat has such a name.
        let name = format!("<{}>", self.template.values.len());
        self.template.values.insert(name.clone(), Ok(value.clone()));
        name
    }

    /// Converts a value that contains maps that are calls.
    fn with_calls(&mut self, value: &Value) -> Result<Expr, PythonException> {
        let data = self.data(value)?;
        let text = |text: &str| lossless_yaml::Value::Text(text.to_owned());
        let map = |key: &str, value| lossless_yaml::Value::Map(vec![(text(key), value)]);
        let template = lossless_yaml::Value::Map(vec![
            (text("heat_template_version"), text(GROUP_TEMPLATE_VERSION.date())),
            (text("outputs"), map("value", map("value", data))),
        ]);
        let failed = |message: &str| PythonException::value_error(message.to_owned());
        let text = json_writer::compact(&template).map_err(|found| failed(&found.message))?;
        let document = lossless_yaml::read(SourceId(u32::MAX), text.into(), &Limits::default())
            .map_err(|found| failed(&found.message))?;
        let DocumentKind::Hot { version, node, .. } = recognize(&document) else {
            return Err(failed("the definition of a member cannot be parsed again"));
        };
        let mut stack = lower(&document, version, node).stack;
        let output = stack.outputs.swap_remove("value").and_then(|output| output.value);
        let mut expr = output.unwrap_or_else(|| self.expr(ExprKind::Null));
        expr.span = self.span;
        Ok(expr)
    }

    /// Converts a value to template data, with names in place of what is not data.
    fn data(&mut self, value: &Value) -> Result<lossless_yaml::Value, PythonException> {
        Ok(match value {
            Value::Null | Value::Elided => lossless_yaml::Value::Null,
            Value::Bool(value) => lossless_yaml::Value::Bool(*value),
            Value::Int(value) => lossless_yaml::Value::Int(value.clone()),
            Value::Float(value) => lossless_yaml::Value::Float(*value),
            Value::Text(text) | Value::Date(text) => lossless_yaml::Value::Text(text.to_string()),
            Value::List(items) | Value::Set(items) => lossless_yaml::Value::List(
                items.iter().map(|item| self.data(item)).collect::<Result<_, _>>()?,
            ),
            Value::Map(map) => {
                let mut pairs = Vec::with_capacity(map.len());
                for (key, value) in map.iter() {
                    let key = lossless_yaml::Value::Text(key_text(key)?.to_string());
                    pairs.push((key, self.data(value)?));
                }
                lossless_yaml::Value::Map(pairs)
            }
            Value::Call(call) => {
                let function = lossless_yaml::Value::Text(call.function.to_string());
                lossless_yaml::Value::Map(vec![(function, self.data(&call.argument)?)])
            }
            Value::Unknown(_) | Value::Secret(_) | Value::Bytes(_) | Value::Object(_) => {
                let name = lossless_yaml::Value::Text(self.shared_name(value));
                lossless_yaml::Value::Map(vec![(
                    lossless_yaml::Value::Text("get_param".to_owned()),
                    name,
                )])
            }
        })
    }
}

/// The function that a resolved value calls when it is parsed again.
fn call_of(value: &Value) -> Option<SmolStr> {
    match value {
        Value::Call(call) => Some(call.function.clone()),
        Value::Map(map) if map.len() == 1 => {
            let name = map.keys().next()?.as_text()?;
            meaning(name, GROUP_TEMPLATE_VERSION, CallContext::Value).map(|_| name.into())
        }
        _ => None,
    }
}

/// A key as JSON writes it.
fn key_text(key: &Key) -> Result<SmolStr, PythonException> {
    match key {
        Key::Text(text) => Ok(text.clone()),
        Key::Other(value) => python::json_dumps(value, false).map(SmolStr::from),
    }
}

/// The name of the output for an attribute.
fn output_name(reference: &[Value], span: Span) -> Result<String, Failure> {
    let parts = reference.iter().map(python::str).collect::<Result<Vec<_>, _>>();
    parts.map(|parts| parts.join(", ")).map_err(|raised| raised.at(span))
}
