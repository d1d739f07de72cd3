//! Translates parameters into variables.

use std::collections::HashSet;

use super::hcl::{Body, BodyItem, Hcl, HclBlock};
use super::literal::plain;
use super::module::{ModuleWriter, VARIABLES};
use super::validation::validations;
use crate::kit::{Omission, lost_value};
use crate::{Loss, LossKind};
use heat_engine::eval::{Value, parameters};
use heat_template::ir::{Expr, ExprKind, Parameter, ParameterType};
use source_diagnostics::Span;

/// Terraform's type of a parameter.
pub(super) fn type_of(kind: Option<ParameterType>) -> &'static str {
    match kind {
        Some(ParameterType::Text) => "string",
        Some(ParameterType::Number) => "number",
        Some(ParameterType::TextList) => "list(string)",
        Some(ParameterType::Boolean) => "bool",
        Some(ParameterType::Json) | None => "any",
    }
}

/// Whether a value is a map of strings.
fn is_text_map(value: &Value) -> bool {
    match value {
        Value::Map(pairs) => pairs.iter().all(|(_, value)| matches!(value, Value::Text(_))),
        _ => false,
    }
}

impl ModuleWriter<'_, '_> {
    /// `variables.tf`
    pub(super) fn variables(&self, used: &HashSet<String>, text_maps: &HashSet<String>) -> Body {
        let mut body = Body::new();
        let section = self.comments.take_sections(|section| VARIABLES.contains(&section));
        if !section.is_empty() {
            body.push(BodyItem::Remark(section));
        }
        let scope = self.scope;
        for (name, parameter) in &scope.module.stack.parameters {
            let Some(variable) = scope.variables.get(name) else { continue };
            if used.contains(variable) {
                body.push(BodyItem::Block(self.variable(
                    name,
                    parameter,
                    variable,
                    text_maps.contains(variable),
                )));
            } else if parameter.name_span != Span::NOWHERE {
                // A parameter without a place stands for a lost part, which is reported already.
                body.push(BodyItem::Remark(self.unused(name, parameter)));
            }
        }
        body.extend(self.extra_variables());
        body
    }

    /// The comment in place of a parameter that nothing in the module uses.
    fn unused(&self, name: &str, parameter: &Parameter) -> Vec<String> {
        let mut lines = self.comments.take_lines(parameter.name_span);
        lines.extend(self.comments.take_item(parameter.name_span));
        lines.push(format!("{name}: nothing uses this parameter"));
        self.report_loss(Loss::unused_parameter(name, parameter));
        lines
    }

    /// Whether the parameter of a variable is a JSON object of strings, as far as its declaration says.
    pub(super) fn can_be_text_map(&self, variable: &str) -> bool {
        let scope = self.scope;
        let of = scope.variables.iter().find(|(_, it)| *it == variable);
        let parameter = of.and_then(|(name, _)| scope.module.stack.parameters.get(name));
        parameter.is_some_and(|parameter| {
            let default = parameter.default.as_ref().map(Value::from_expr_as_sent);
            parameter.kind == Some(ParameterType::Json)
                && parameter.constraints.is_empty()
                && default.is_none_or(|default| is_text_map(&default))
        })
    }

    /// Whether a text of the template contains the parameter.
    fn is_in_text(&self, name: &str) -> bool {
        let mut found = false;
        let mut look = |part: &Expr| {
            let reference = match &part.kind {
                ExprKind::Parameter(reference) => reference.name.as_text(),
                _ => None,
            };
            found |= reference == Some(name);
        };
        for expr in self.scope.module.stack.expressions() {
            expr.walk(&mut |part| {
                if matches!(part.kind, ExprKind::Replace(_) | ExprKind::Join(_)) {
                    part.walk(&mut look);
                }
            });
        }
        found
    }

    fn variable(
        &self,
        name: &str,
        parameter: &Parameter,
        variable: &str,
        is_text_map: bool,
    ) -> HclBlock {
        let mut above = self.comments.take_lines(parameter.name_span);
        let text =
            |expr: &heat_template::ir::Expr| heat_engine::eval::Value::from_expr_as_sent(expr);
        let written = |value: &Value| match value {
            Value::Text(text) => text.to_string(),
            other => heat_engine::eval::python::json_dumps(other, false).unwrap_or_default(),
        };
        if let Some(label) = &parameter.label {
            above.push(format!("label: {}", written(&text(label))));
        }
        if let Some(tags) = &parameter.tags {
            above.push(format!("tags: {}", written(&text(tags))));
        }
        let lose = |subject: &str, message: String, span| {
            self.report_loss(Loss::new(LossKind::Section, subject, message, span).with_owner(name));
        };
        if parameter.is_immutable() {
            let span = parameter.immutable.as_ref().map_or(parameter.name_span, |it| it.span);
            above.extend(lost_value(Omission::Lost, "immutable", "true", 0));
            lose(
                "immutable",
                format!("Terraform has no immutable variables: `{name}` may change"),
                span,
            );
        }
        let mut body = Body::new();
        if let Some(description) = &parameter.description {
            body.push(BodyItem::argument("description", Hcl::text(written(&text(description)))));
            self.take_inside(&mut body, description.span);
        }
        let kind = if is_text_map { "map(string)" } else { type_of(parameter.kind) };
        body.push(BodyItem::argument("type", Hcl::Verbatim(kind.to_owned())));
        let mut nullable = false;
        if let Some(default) = &parameter.default {
            let value = text(default);
            let value = match parameter.kind {
                Some(kind) => parameters::coerce(&value, kind).unwrap_or(value),
                None => value,
            };
            nullable = value == Value::Null;
            if has_whole_float(&value) && self.is_in_text(name) {
                let message = format!("`{name}` is written without `.0` where it becomes text");
                let suggestion = "declare it as a string, or write the number without a fraction";
                let loss = Loss::new(LossKind::Value, "default", message, default.span);
                self.report_loss(loss.with_owner(name).suggesting(suggestion));
            }
            match plain(&value) {
                Some(value) => {
                    let (mut above, beside) = self.comments.take_around(default.span);
                    above.extend(self.comments.take_inside(default.span));
                    body.push(BodyItem::commented(above, "default", value, beside));
                }
                None => {
                    let message = format!("Terraform cannot hold the default of `{name}`");
                    body.push(BodyItem::Remark(self.snippet("default", default.span)));
                    self.report_loss(
                        Loss::new(LossKind::Value, "default", message, default.span)
                            .with_owner(name),
                    );
                }
            }
        }
        if !nullable && parameter.kind != Some(ParameterType::Json) {
            body.push(BodyItem::argument("nullable", Hcl::Bool(false)));
        }
        if parameter.is_hidden() {
            body.push(BodyItem::argument("sensitive", Hcl::Bool(true)));
        }
        body.extend(validations(self, name, variable, parameter));
        above.extend(self.comments.take_item(parameter.name_span));
        HclBlock::new("variable", &[variable], body).above(above)
    }

    /// Variables for what the template takes from its surroundings, and for what cannot be expressed.
    fn extra_variables(&self) -> Body {
        let mut body = Body::new();
        for extra in self.scope.extras() {
            let mut block = vec![
                BodyItem::argument("description", Hcl::text(extra.description)),
                BodyItem::argument("type", Hcl::Verbatim(extra.kind.to_owned())),
            ];
            if extra.kind != "any" {
                block.push(BodyItem::argument("nullable", Hcl::Bool(false)));
            }
            if extra.sensitive {
                block.push(BodyItem::argument("sensitive", Hcl::Bool(true)));
            }
            body.push(BodyItem::block("variable", &[&extra.name], block));
        }
        body
    }
}

/// Whether a value has a number such as `1.0`, which Terraform does not distinguish from `1`.
fn has_whole_float(value: &Value) -> bool {
    match value.unsealed() {
        Value::Float(number) => number.fract() == 0.0,
        Value::List(items) => items.iter().any(has_whole_float),
        Value::Map(map) => map.values().any(has_whole_float),
        _ => false,
    }
}
