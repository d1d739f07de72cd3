//! Parameters with their constraints.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::json_parameter::{JsonPart, json_default, part_of};
use super::nested::{FinishedTemplate, NestedParameter, NestedPart};
use super::output::shortened;
use super::tables::{ArgumentForm, DataType, form};
use super::template_builder::{ExtraParameter, TemplateBuilder};
use super::value::text_of;
use crate::tree::DataTree;
use crate::{Loss, LossKind};
use heat_engine::eval::{Value, python};
use heat_template::ir::{
    ConstraintKind, Expr, ExprKind, Parameter, ParameterConstraint, ParameterType,
};
use source_diagnostics::Span;

/// The maximum length of a parameter's description, in bytes.
const MAX_DESCRIPTION_BYTES: usize = 4000;

/// The values of a boolean parameter in CloudFormation.
pub(super) const BOOLEAN_VALUES: [&str; 2] = ["true", "false"];

impl TemplateBuilder<'_> {
    /// Allocates the logical IDs of parameters that CloudFormation can express.
    pub(super) fn name_parameters(&mut self) {
        let stack = Arc::clone(&self.module.stack);
        let is_root = std::ptr::eq(self.module, self.model.root());
        for (name, parameter) in &stack.parameters {
            let is_fixed = is_root && self.model.fixed.contains_key(name);
            if is_fixed || parameter.kind == Some(ParameterType::Json) {
                continue;
            }
            let id = self.names.allocate(name);
            self.parameters.insert(name.clone(), id);
        }
    }

    /// Translates the parameters, once it is known which properties use them.
    pub(super) fn make_parameters(
        &mut self,
        used: &BTreeSet<String>,
        done: &mut FinishedTemplate,
    ) -> Vec<(String, DataTree)> {
        let stack = Arc::clone(&self.module.stack);
        let is_root = std::ptr::eq(self.module, self.model.root());
        let mut found = Vec::new();
        for (name, parameter) in &stack.parameters {
            let mut above = self.comments.take_lines(parameter.name_span);
            above.extend(self.comments.take_item(parameter.name_span));
            if is_root && self.model.fixed.contains_key(name) {
                above.push(format!("the value of `{name}` is written into the template"));
                found.push((String::new(), DataTree::comment(above)));
                continue;
            }
            let mut inlet = NestedParameter {
                kind: parameter.kind,
                is_secret: parameter.is_hidden(),
                parts: Vec::new(),
            };
            let id = self.parameters.get(name).filter(|id| used.contains(*id)).cloned();
            let Some(id) = id else {
                self.parameters.swap_remove(name);
                let parts = self.json_parts(name, used);
                self.losses.add(match parts.is_empty() {
                    true => Loss::unused_parameter(name, parameter),
                    false => {
                        let message = format!(
                            "CloudFormation parameters cannot hold maps: each used part of `{name}` is one"
                        );
                        let loss = Loss::new(LossKind::Section, name, message, parameter.name_span);
                        loss.with_owner(name).as_note()
                    }
                });
                for (path, part) in parts {
                    let (tree, has_default) = json_part_tree(name, parameter, &path, &part);
                    let tree = tree.above(std::mem::take(&mut above));
                    found.push((part.id.clone(), tree));
                    let (id, form) = (part.id, Some(part.form));
                    inlet.parts.push(NestedPart { path, id, form, has_default });
                }
                if !above.is_empty() {
                    found.push((String::new(), DataTree::comment(above)));
                }
                done.parameters.insert(name.clone(), inlet);
                continue;
            };
            let used_as = self.parameter_forms.get(name).copied();
            let mut written = ParameterBuilder {
                template_builder: self,
                name,
                above,
                pairs: Vec::new(),
                used_as,
            };
            let has_default = written.parameter(parameter);
            let ParameterBuilder { above, pairs, .. } = written;
            let part = NestedPart { path: Vec::new(), id: id.clone(), form: used_as, has_default };
            inlet.parts.push(part);
            done.parameters.insert(name.clone(), inlet);
            found.push((id, DataTree::map(pairs).above(above)));
        }
        for (id, demand) in &self.extra_parameters {
            found.push((id.clone(), extra_parameter_tree(demand)));
        }
        done.extra_parameters.clone_from(&self.extra_parameters);
        found
    }

    /// The used parts of a JSON parameter, with their paths.
    fn json_parts(&self, name: &str, used: &BTreeSet<String>) -> Vec<(Vec<String>, JsonPart)> {
        let parts = self.json_parts.iter();
        parts
            .filter(|((of, _), part)| of == name && used.contains(&part.id))
            .map(|((_, path), part)| (path.clone(), part.clone()))
            .collect()
    }
}

/// A part of a JSON parameter, and whether it has a default.
fn json_part_tree(
    name: &str,
    parameter: &Parameter,
    path: &[String],
    part: &JsonPart,
) -> (DataTree, bool) {
    let what = match path {
        [] => format!("{name}, as JSON"),
        path => format!("{} of {name}", path.join(".")),
    };
    let text = parameter.description.as_ref().and_then(|it| it.as_text());
    let description = text.map_or_else(|| what.clone(), |text| format!("{what}: {text}"));
    let mut pairs = vec![
        ("Type", DataTree::from(part.type_name())),
        ("Description", DataTree::from(shortened(&description, MAX_DESCRIPTION_BYTES).as_str())),
    ];
    let default = json_default(parameter).and_then(|default| {
        let default = part_of(&Expr::new(ExprKind::Null, parameter.name_span), &default, path);
        part.text(&default).filter(|text| part.form.takes(text))
    });
    let is_number = |text: &String| text.parse::<f64>().is_ok();
    let default = default.filter(|text| part.type_name() != "Number" || is_number(text));
    pairs.extend(default.as_ref().map(|text| ("Default", DataTree::from(text.as_str()))));
    if parameter.is_hidden() {
        pairs.push(("NoEcho", lossless_yaml::Value::Bool(true).into()));
    }
    (DataTree::map(pairs), default.is_some())
}

/// A parameter that the Heat template does not declare.
fn extra_parameter_tree(demand: &ExtraParameter) -> DataTree {
    let wanted = form(demand.form);
    let kind = match wanted.shape {
        DataType::Integer | DataType::Number => ParameterType::Number,
        DataType::Texts => ParameterType::TextList,
        DataType::Text | DataType::Boolean | DataType::Data => ParameterType::Text,
    };
    let mut pairs = vec![
        ("Type", DataTree::from(type_name(kind, Some(wanted)).as_str())),
        (
            "Description",
            DataTree::from(shortened(&demand.description, MAX_DESCRIPTION_BYTES).as_str()),
        ),
    ];
    if demand.form == "condition" {
        pairs.push(("AllowedValues", DataTree::list(BOOLEAN_VALUES.map(DataTree::from))));
    }
    if demand.is_secret {
        pairs.push(("NoEcho", lossless_yaml::Value::Bool(true).into()));
    }
    DataTree::map(pairs)
}

/// CloudFormation's type of a parameter: one for which it checks that the object exists, if the parameter is
/// used for such an object.
fn type_name(kind: ParameterType, used_as: Option<&ArgumentForm>) -> String {
    let object = used_as.and_then(|form| Some((form.parameter.as_ref()?, form.shape)));
    match (kind, object) {
        (ParameterType::Text, Some((object, DataType::Text))) => object.clone(),
        // There is no list of key pairs.
        (ParameterType::TextList, Some((object, _))) if !object.contains("KeyPair") => {
            format!("List<{object}>")
        }
        (ParameterType::Text | ParameterType::Boolean | ParameterType::Json, _) => "String".into(),
        (ParameterType::Number, _) => "Number".into(),
        (ParameterType::TextList, _) => "CommaDelimitedList".into(),
    }
}

/// A parameter while it is built.
pub(super) struct ParameterBuilder<'w, 'p> {
    pub(super) template_builder: &'w mut TemplateBuilder<'p>,
    pub(super) name: &'w str,
    pub(super) above: Vec<String>,
    pub(super) pairs: Vec<(&'static str, DataTree)>,
    pub(super) used_as: Option<&'static ArgumentForm>,
}

impl ParameterBuilder<'_, '_> {
    /// Translates the whole declaration; returns whether it has a default.
    fn parameter(&mut self, parameter: &Parameter) -> bool {
        let kind = parameter.kind.unwrap_or(ParameterType::Text);
        let type_name = type_name(kind, self.used_as.filter(|_| self.is_object(parameter)));
        self.set("Type", DataTree::from(type_name.as_str()));
        if let Some(text) = parameter.description.as_ref().and_then(|it| it.as_text())
            && !text.is_empty()
        {
            self.set(
                "Description",
                DataTree::from(shortened(text, MAX_DESCRIPTION_BYTES).as_str()),
            );
        }
        self.constraints(parameter, kind);
        let default = parameter.default.as_ref().and_then(|it| self.default(it, kind));
        if let Some(default) = &default {
            self.set("Default", DataTree::from(default.as_str()));
        }
        if parameter.is_hidden() {
            self.set("NoEcho", lossless_yaml::Value::Bool(true).into());
        }
        if parameter.is_immutable()
            && let Some(immutable) = &parameter.immutable
        {
            let message = format!(
                "CloudFormation has no immutable parameters: updates may change `{}`",
                self.name
            );
            self.report_loss("immutable", message, immutable.span);
        }
        if let Some(tags) = &parameter.tags {
            // Heat does not use them, either.
            let message = format!("CloudFormation parameters have no tags (`{}`)", self.name);
            let loss = Loss::new(LossKind::Section, "tags", message, tags.span);
            self.template_builder.losses.add(loss.with_owner(self.name).as_note());
        }
        default.is_some()
    }

    /// Whether every value of the parameter is the ID or the name of an object: an empty one is none, and
    /// CloudFormation has no constraints on the text of those.
    pub(super) fn is_object(&self, parameter: &Parameter) -> bool {
        let default = parameter.default.as_ref().map(Value::from_expr_as_sent);
        let is_empty = match default {
            Some(Value::List(items)) => items.is_empty(),
            Some(value) => text_of(&value).is_some_and(|text| text.is_empty()),
            None => false,
        };
        let is_of_text = |constraint: &ParameterConstraint| {
            matches!(constraint.kind, ConstraintKind::AllowedPattern(_) | ConstraintKind::Length(_))
        };
        !is_empty && (self.is_foreign() || !parameter.constraints.iter().any(is_of_text))
    }

    pub(super) fn set(&mut self, name: &'static str, tree: DataTree) {
        self.pairs.push((name, tree));
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.pairs.iter().any(|(there, _)| *there == name)
    }

    fn report_loss(&mut self, subject: &str, message: String, span: Span) {
        let loss = Loss::new(LossKind::Section, subject, message, span).with_owner(self.name);
        let lines = self.template_builder.report_loss(loss, span);
        self.above.extend(lines);
    }

    fn report_lost_value(&mut self, message: String, span: Span, is_secret: bool) {
        let lines = self.lost_value(message, span, is_secret, |loss| loss);
        self.above.extend(lines);
    }

    fn lost_value(
        &mut self,
        message: String,
        span: Span,
        is_secret: bool,
        severity: fn(Loss) -> Loss,
    ) -> Vec<String> {
        let loss = Loss::new(LossKind::Value, self.name, message, span).with_owner(self.name);
        let id = self.template_builder.parameters.get(self.name).cloned().unwrap_or_default();
        let snippet = if is_secret { Span::NOWHERE } else { span };
        let loss = loss.suggesting(format!("set the parameter `{id}`"));
        self.template_builder.report_loss(severity(loss), snippet)
    }

    /// The default in CloudFormation's form, if it has a meaning in AWS.
    fn default(&mut self, expr: &Expr, kind: ParameterType) -> Option<String> {
        let value = Value::from_expr_as_sent(expr);
        if value == Value::Null {
            return None;
        }
        let parameter = self.template_builder.module.stack.parameters.get(self.name);
        let is_secret = parameter.is_some_and(Parameter::is_hidden);
        let Some(text) = parameter_text(&value, kind) else {
            let message = format!("CloudFormation does not accept the default of `{}`", self.name);
            self.report_lost_value(message, expr.span, is_secret);
            return None;
        };
        if let Some(used_as) = self.used_as
            && !fits(used_as, &text, kind)
        {
            let message = format!(
                "the default of `{}` is {}, where AWS requires {}",
                self.name,
                used_as.heat.as_deref().unwrap_or("an OpenStack value"),
                used_as.what()
            );
            // Without a default, nothing is deployed with another value.
            let lines = self.lost_value(message, expr.span, is_secret, Loss::as_note);
            self.above.extend(lines);
            return None;
        }
        if let Some(message) = self.violation(&text, kind) {
            self.report_lost_value(message, expr.span, is_secret);
            return None;
        }
        Some(text)
    }
}

/// The value of a parameter as a string; `None` where it has no string form.
pub(super) fn parameter_text(value: &Value, kind: ParameterType) -> Option<String> {
    match (kind, value.unsealed()) {
        (ParameterType::TextList, Value::List(items)) => {
            let texts: Option<Vec<String>> = items.iter().map(text_of).collect();
            let texts = texts?;
            // A comma separates items.
            texts.iter().all(|text| !text.contains(',')).then(|| texts.join(","))
        }
        (ParameterType::Boolean, value) => Some(python::strict_bool(value).ok()?.to_string()),
        (ParameterType::Number, value) => match python::to_number(value).ok()? {
            number @ (Value::Int(_) | Value::Float(_)) => text_of(&number),
            _ => None,
        },
        (ParameterType::Text, Value::List(_) | Value::Map(_)) => None,
        (_, value) => text_of(value),
    }
}

/// Whether a parameter's value has a meaning in AWS where the parameter is used.
pub(super) fn fits(form: &ArgumentForm, text: &str, kind: ParameterType) -> bool {
    let is_number = || text.trim().parse::<i64>().is_ok();
    match (form.shape, kind) {
        (DataType::Integer, _) => is_number() && form.takes(text.trim()),
        (DataType::Number, _) => text.trim().parse::<f64>().is_ok(),
        (_, ParameterType::TextList) => text.split(',').all(|item| form.takes(item)),
        _ => form.takes(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_texts_of_their_type() {
        let text = |value: Value, kind| parameter_text(&value, kind);
        assert_eq!(text(Value::text("Yes"), ParameterType::Boolean), Some("true".to_owned()));
        assert_eq!(text(Value::int(5), ParameterType::Number), Some("5".to_owned()));
        assert_eq!(text(Value::text(""), ParameterType::Number), None);
        let list = Value::list(vec![Value::text("a"), Value::text("b")]);
        assert_eq!(text(list, ParameterType::TextList), Some("a,b".to_owned()));
        let list = Value::list(vec![Value::text("a,b")]);
        assert_eq!(text(list, ParameterType::TextList), None);
    }
}
