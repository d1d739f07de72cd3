//! Nested templates: one file each, and an `AWS::CloudFormation::Stack` that refers to it.

use crate::kit::{Expressed, Inexpressible};
use indexmap::IndexMap;

use super::json_parameter::part_of;
use super::names::camel;
use super::plan::PlannedResource;
use super::tables::{ArgumentForm, DataType, form};
use super::template_builder::{
    ExtraParameter, TemplateBuilder, ValueContext, attribute_of, call, reference,
};
use super::value::position;
use crate::tree::{DataNode, DataTree};
use crate::{LossKind, ModuleId};
use heat_engine::eval::Value;
use heat_template::ir::{Expr, ExprKind, ParameterType};
use source_diagnostics::Span;

/// A template that is translated, for the resources that use it.
#[derive(Clone, Debug, Default)]
pub(super) struct FinishedTemplate {
    /// Its parameters, by their names in Heat; without parts if nothing uses them.
    pub(super) parameters: IndexMap<String, NestedParameter>,
    /// Parameters that the Heat template does not declare, by their names.
    pub(super) extra_parameters: IndexMap<String, ExtraParameter>,
    /// Its outputs, by their names in Heat: the name in the result, and whether the value is a list
    /// joined with commas.
    pub(super) outputs: IndexMap<String, (String, bool)>,
}

/// A parameter of a template that is translated.
#[derive(Clone, Debug)]
pub(super) struct NestedParameter {
    pub(super) kind: Option<ParameterType>,
    pub(super) is_secret: bool,
    /// The parameters of the result: one, or one for each used part of a JSON parameter.
    pub(super) parts: Vec<NestedPart>,
}

/// A parameter of the result.
#[derive(Clone, Debug)]
pub(super) struct NestedPart {
    /// The path of the part; empty for the whole value.
    pub(super) path: Vec<String>,
    pub(super) id: String,
    pub(super) form: Option<&'static ArgumentForm>,
    pub(super) has_default: bool,
}

const STACK: &str = "AWS::CloudFormation::Stack";

impl TemplateBuilder<'_> {
    /// Translates a resource whose implementation is a template.
    pub(super) fn nested(
        &mut self,
        planned: &PlannedResource<'_>,
        id: ModuleId,
        mut above: Vec<String>,
    ) {
        let Some(done) = self.finished.get(&id.0).cloned() else { return };
        let unit = self.model.module(id);
        let owner = planned.owner.clone();
        let whole = planned.resource.definition_span();
        let base = camel(&unit.name);
        let url = self.add_demand(
            &format!("{base}TemplateUrl"),
            ExtraParameter {
                form: "template_url",
                description: format!("URL of the template {} in S3", unit.name),
                ..ExtraParameter::default()
            },
        );
        let mut passed: Vec<(String, DataTree)> = Vec::new();
        let pairs = match planned.resource.properties.as_ref().map(|it| &it.kind) {
            Some(ExprKind::Map(pairs)) => pairs.as_slice(),
            None | Some(ExprKind::Null) => &[],
            Some(_) => {
                let message = format!("the properties of `{owner}` are computed");
                above.extend(self.report_lost_item("properties", message, whole, &owner));
                &[]
            }
        };
        let mut here = ValueContext::new(&owner, &planned.id, "Parameters", whole);
        here.condition = planned.condition.as_deref();
        here.absent_is_text = true;
        for pair in pairs {
            let Some(name) = pair.key.as_text() else { continue };
            let here = here.at(name, pair.value.span);
            let expressed = match done.parameters.get(name) {
                Some(inlet) => self.nested_parts(&pair.value, inlet, here),
                None => {
                    let message = format!("the nested template has no parameter `{name}` here");
                    Err(Inexpressible::new(LossKind::Property, name, message, pair.value.span))
                }
            };
            match expressed {
                Ok(parts) => passed.extend(parts),
                Err(why) => {
                    let span = Span { end: pair.value.span.end, ..pair.key.span };
                    let lines = self.lose_why(&why, &owner, span);
                    passed.push((String::new(), DataTree::comment(lines)));
                }
            }
        }
        self.pass_extra_parameters(&done, &base, &mut passed);
        let to = STACK;
        let mut properties = vec![("TemplateURL".to_owned(), reference(&url))];
        if !passed.is_empty() {
            properties.push(("Parameters".to_owned(), DataTree::map(passed)));
        }
        let parts = self.common(planned, to, &[], &mut above);
        if planned.owner == *planned.resource_key() {
            above.extend(self.comments.take_item(planned.resource.name_span));
        }
        self.finished(planned, to, properties, parts, above);
    }

    /// The parameters of the nested template that a property becomes.
    fn nested_parts(
        &mut self,
        expr: &Expr,
        inlet: &NestedParameter,
        here: ValueContext<'_>,
    ) -> Expressed<Vec<(String, DataTree)>> {
        let mut passed = Vec::new();
        // A property that nothing uses is not translated.
        if inlet.parts.is_empty() {
            return Ok(passed);
        }
        let value = self.fold(expr, here.argument)?;
        for part in &inlet.parts {
            let value = part_of(expr, &value, &part.path);
            let tree = self.nested_argument(&value, inlet.kind, part, here)?;
            passed.extend(tree.map(|tree| (part.id.clone(), tree)));
        }
        Ok(passed)
    }

    /// Passes on the extra parameters of the nested template, which no property of the resource sets.
    fn pass_extra_parameters(
        &mut self,
        done: &FinishedTemplate,
        base: &str,
        passed: &mut Vec<(String, DataTree)>,
    ) {
        let parts = done.parameters.iter();
        let parts =
            parts.flat_map(|(name, inlet)| inlet.parts.iter().map(move |it| (name, inlet, it)));
        for (name, inlet, part) in parts {
            if passed.iter().any(|(id, _)| *id == part.id) {
                continue;
            }
            let is_given = self.model.defaults.contains_key(name);
            if !is_given && part.has_default {
                continue;
            }
            let path: String = part.path.iter().map(|key| format!(".{key}")).collect();
            let demand = ExtraParameter {
                form: part.form.map_or("text", super::value::form_name),
                description: format!("parameter {name}{path} of nested templates"),
                is_secret: inlet.is_secret,
                default_of: is_given.then(|| (name.clone(), part.path.clone())),
            };
            let name = camel(&format!("{name}{path}"));
            let name = if is_given { name } else { format!("{base}{name}") };
            let id = self.add_demand(&name, demand);
            passed.push((part.id.clone(), reference(&id)));
        }
        for (id, demand) in &done.extra_parameters {
            let outer = self.add_demand(id, demand.clone());
            passed.push((id.clone(), reference(&outer)));
        }
    }

    /// The value of a nested template's parameter: always a string.
    fn nested_argument(
        &mut self,
        value: &Value,
        kind: Option<ParameterType>,
        part: &NestedPart,
        here: ValueContext<'_>,
    ) -> Expressed<Option<DataTree>> {
        if matches!(value.unsealed(), Value::Null | Value::Elided) {
            return Ok(None);
        }
        let wanted = part.form.unwrap_or_else(|| form("text"));
        let is_json_list = kind == Some(ParameterType::Json) && wanted.shape == DataType::Texts;
        if kind == Some(ParameterType::TextList) || is_json_list {
            let list = if wanted.shape == DataType::Texts { wanted } else { form("texts") };
            let tree = self.value(value, list, here)?;
            return Ok(Some(comma_joined(tree)));
        }
        let wanted = match wanted.shape {
            DataType::Text => wanted,
            // The form of a list applies to its items.
            DataType::Texts => wanted.item(),
            DataType::Integer | DataType::Number | DataType::Boolean | DataType::Data => {
                form("text")
            }
        };
        // The text of a map is its JSON.
        let here =
            ValueContext { in_text: here.in_text || kind == Some(ParameterType::Json), ..here };
        self.value(value, wanted, here).map(Some)
    }

    /// An output of a nested stack.
    pub(super) fn nested_attribute(
        &mut self,
        planned: &PlannedResource<'_>,
        attribute: &str,
        path: &[Value],
        span: Span,
        wanted: &'static ArgumentForm,
        _here: ValueContext<'_>,
    ) -> Expressed<DataTree> {
        let super::plan::PlannedOutcome::Nested(id) = &planned.outcome else {
            return Err(no_output(planned, attribute, span));
        };
        let done = self.finished.get(&id.0);
        let Some((output, is_list)) = done.and_then(|done| done.outputs.get(attribute)).cloned()
        else {
            return Err(no_output(planned, attribute, span));
        };
        let tree = attribute_of(&planned.id, &format!("Outputs.{output}"));
        match (path, is_list, wanted.shape) {
            ([], true, DataType::Texts | DataType::Data) => {
                Ok(call("Fn::Split", [DataTree::from(","), tree]))
            }
            ([], ..) if wanted.shape == DataType::Texts => Ok(DataTree::list([tree])),
            ([], ..) => Ok(tree),
            ([index], true, _) => {
                let Some(index) = position(index) else {
                    return Err(no_output(planned, attribute, span));
                };
                let pieces = call("Fn::Split", [DataTree::from(","), tree]);
                Ok(call("Fn::Select", [DataTree::from(index.to_string().as_str()), pieces]))
            }
            _ => {
                let message = format!(
                    "the output `{attribute}` of `{}` is a string in CloudFormation, which cannot \
                     select a part of it",
                    planned.owner
                );
                Err(Inexpressible::attribute(attribute, message, span))
            }
        }
    }
}

impl PlannedResource<'_> {
    /// The name of the template's resource, also for a member of a group.
    fn resource_key(&self) -> &String {
        &self.owner
    }
}

fn no_output(planned: &PlannedResource<'_>, attribute: &str, span: Span) -> Box<Inexpressible> {
    let message = format!("the stack of `{}` has no output `{attribute}` here", planned.owner);
    Inexpressible::attribute(attribute, message, span)
}

/// A list joined with commas.
pub(super) fn comma_joined(tree: DataTree) -> DataTree {
    if let DataNode::List(items) = &tree.kind {
        let texts: Option<Vec<&str>> = items
            .iter()
            .map(|item| match &item.kind {
                DataNode::Leaf(lossless_yaml::Value::Text(text)) => Some(text.as_str()),
                _ => None,
            })
            .collect();
        if let Some(texts) = texts {
            return DataTree::from(texts.join(",").as_str());
        }
    }
    call("Fn::Join", [DataTree::from(","), tree])
}
