//! Translates values into CloudFormation.

use super::inexpressible::{rejected_by_heat, unsupported_function};
use super::tables::{ArgumentForm, DataType, form};
use super::template_builder::{TemplateBuilder, ValueContext, call, no_value, reference};
use crate::kit::{Expressed, Inexpressible, map_key_text};
use crate::tree::DataTree;
use crate::{Loss, LossKind};
use heat_engine::eval::{Key, Value, python};
use heat_template::ir::{Expr, ParameterType};
use source_diagnostics::MASK;

impl TemplateBuilder<'_> {
    /// Evaluates an expression as far as it is known while rendering.
    pub(super) fn fold(&self, expr: &Expr, subject: &str) -> Expressed<Value> {
        let value = self.evaluator.value(expr);
        let value = value.map_err(|failure| rejected_by_heat(subject, &failure, expr.span))?;
        Ok(value.with_sealed_parts())
    }

    /// Translates an expression for an argument of a form.
    pub(super) fn expr(
        &mut self,
        expr: &Expr,
        form: &'static ArgumentForm,
        here: ValueContext<'_>,
    ) -> Expressed<DataTree> {
        let value = self.fold(expr, here.argument)?;
        self.value(&value, form, ValueContext { span: expr.span, ..here })
    }

    /// Translates a value for an argument of a form.
    pub(super) fn value(
        &mut self,
        value: &Value,
        form: &'static ArgumentForm,
        here: ValueContext<'_>,
    ) -> Expressed<DataTree> {
        let here = here.for_value(value);
        match (value.unsealed(), form.shape) {
            (Value::Unknown(unknown), _) => self.unknown(unknown, form, here),
            (Value::Elided, _) => Ok(no_value()),
            (Value::List(items), DataType::Texts) => {
                let items: Expressed<Vec<DataTree>> =
                    items.iter().map(|item| self.value(item, form.item(), here)).collect();
                Ok(DataTree::list(items?))
            }
            (Value::Text(text), DataType::Texts) => {
                // Heat splits a string where it expects a list.
                let items: Expressed<Vec<DataTree>> = text
                    .split(',')
                    .map(|item| self.value(&Value::text(item), form.item(), here))
                    .collect();
                Ok(DataTree::list(items?))
            }
            (_, DataType::Texts) => Err(self.misfit(form, here)),
            (value, DataType::Data) => self.data(value, here),
            (value, DataType::Text) => match text_of(value) {
                Some(text) if form.takes(&text) => Ok(DataTree::from(text.as_str())),
                Some(text) => Ok(self.parameter_for_foreign_text(&text, form, here)),
                None if value.holds_unknown() => self.json(value, here),
                None => {
                    let text = python::json_dumps(&value.reveal().0, true);
                    text.map(|it| DataTree::from(it.as_str())).map_err(|_| self.misfit(form, here))
                }
            },
            (value, DataType::Integer) => match python::int(value) {
                Ok(number) if form.takes(&number.to_string()) => {
                    Ok(lossless_yaml::Value::Int(number).into())
                }
                Ok(number) => Ok(self.parameter_for_foreign_text(&number.to_string(), form, here)),
                Err(_) => Err(self.misfit(form, here)),
            },
            (value, DataType::Number) => match python::to_number(value) {
                Ok(Value::Int(number)) => Ok(lossless_yaml::Value::Int(number).into()),
                Ok(Value::Float(number)) => Ok(lossless_yaml::Value::Float(number).into()),
                _ => Err(self.misfit(form, here)),
            },
            (value, DataType::Boolean) => match python::strict_bool(value) {
                Ok(value) => Ok(lossless_yaml::Value::Bool(value).into()),
                Err(_) => Err(self.misfit(form, here)),
            },
        }
    }

    pub(super) fn misfit(&self, form: &ArgumentForm, here: ValueContext<'_>) -> Box<Inexpressible> {
        let message = format!("`{}` of AWS holds {}", here.argument, form.what());
        Inexpressible::value(here.argument, message, here.span)
    }

    /// Replaces a string that has no meaning in AWS by a parameter.
    pub(super) fn parameter_for_foreign_text(
        &mut self,
        text: &str,
        form: &'static ArgumentForm,
        here: ValueContext<'_>,
    ) -> DataTree {
        let shown = (!here.is_secret && !text.is_empty()).then_some(text);
        let name = self.demand(form_name(form), shown, here);
        let what = form.heat.as_deref().unwrap_or("an OpenStack value");
        let message = match shown {
            Some(text) => format!("`{text}` is {what}, where AWS requires {}", form.what()),
            None => format!("the value is {what}, where AWS requires {}", form.what()),
        };
        let loss =
            Loss::new(LossKind::Value, here.argument, message, here.span).with_owner(here.owner);
        // The parameter has no default, so nothing is deployed with another value.
        self.losses.add(loss.suggesting(format!("set the parameter `{name}`")).as_note());
        reference(&name)
    }

    /// Translates data of any type; CloudFormation has no null.
    pub(super) fn data(&mut self, value: &Value, here: ValueContext<'_>) -> Expressed<DataTree> {
        let here = here.for_value(value);
        Ok(match value.unsealed() {
            Value::Unknown(unknown) => self.unknown(unknown, form("data"), here)?,
            Value::List(items) | Value::Set(items) => {
                let items: Expressed<Vec<DataTree>> =
                    items.iter().map(|item| self.data(item, here)).collect();
                DataTree::list(items?)
            }
            Value::Map(map) => {
                let mut pairs = Vec::with_capacity(map.len());
                for (key, value) in map.iter() {
                    if matches!(value.unsealed(), Value::Null) {
                        let key = shown_key(key, here.is_secret);
                        let message = format!("CloudFormation has no null (`{key}`)");
                        let loss = Loss::new(LossKind::Value, here.argument, message, here.span);
                        self.losses.add(loss.with_owner(here.owner));
                        continue;
                    }
                    pairs.push((map_key_text(key), self.data(value, here)?));
                }
                DataTree::map(pairs)
            }
            Value::Null => {
                let message = "CloudFormation has no null";
                return Err(Inexpressible::value(here.argument, message, here.span));
            }
            Value::Bool(value) => lossless_yaml::Value::Bool(*value).into(),
            Value::Int(value) => lossless_yaml::Value::Int(value.clone()).into(),
            Value::Float(value) if value.is_finite() => lossless_yaml::Value::Float(*value).into(),
            other => match text_of(other) {
                Some(text) => DataTree::from(text.as_str()),
                None => return Err(self.misfit(form("data"), here)),
            },
        })
    }

    /// Translates a reference to a parameter.
    pub(super) fn parameter_value(
        &mut self,
        name: &str,
        path: &[Value],
        span: source_diagnostics::Span,
        form: &'static ArgumentForm,
        here: ValueContext<'_>,
    ) -> Expressed<DataTree> {
        let pseudo = match name {
            "OS::stack_name" => Some("AWS::StackName"),
            "OS::stack_id" => Some("AWS::StackId"),
            "OS::project_id" => Some("AWS::AccountId"),
            _ => None,
        };
        if let Some(pseudo) = pseudo {
            return Ok(reference(pseudo));
        }
        let kind = self.module.stack.parameters.get(name).and_then(|parameter| parameter.kind);
        let Some(id) = self.parameters.get(name).cloned() else {
            return self.json_parameter(name, path, span, form, here);
        };
        let is_list = kind == Some(ParameterType::TextList);
        match (path, is_list) {
            ([], _) => {}
            ([index], true) => {
                let index = position(index).ok_or_else(|| {
                    let message =
                        "CloudFormation selects an item of a list only by a non-negative index";
                    unsupported_function("get_param", message, span)
                })?;
                self.record_use(name, form);
                let index = index.to_string();
                return Ok(call("Fn::Select", [DataTree::from(index.as_str()), reference(&id)]));
            }
            _ => {
                let message =
                    format!("CloudFormation cannot select a part of the parameter `{name}`");
                return Err(unsupported_function("get_param", message, span));
            }
        }
        match (is_list, form.shape) {
            (true, DataType::Texts | DataType::Data) | (false, _) => {}
            (true, _) => {
                let message = format!("`{name}` is a list, where AWS requires {}", form.what());
                return Err(unsupported_function("get_param", message, span));
            }
        }
        if kind == Some(ParameterType::Boolean) && here.in_text {
            let condition = self.boolean_condition(&id);
            let [yes, no] = ["True", "False"].map(DataTree::from);
            return Ok(call("Fn::If", [DataTree::from(condition.as_str()), yes, no]));
        }
        self.record_use(name, form);
        if !is_list && form.shape == DataType::Texts {
            return Ok(call("Fn::Split", [DataTree::from(","), reference(&id)]));
        }
        Ok(reference(&id))
    }

    /// Records the form of the argument that uses a parameter, if some strings have no meaning there.
    pub(super) fn record_use(&mut self, name: &str, form: &'static ArgumentForm) {
        if form.is_narrow()
            || form.parameter.is_some()
            || matches!(form.shape, DataType::Integer | DataType::Number)
        {
            self.parameter_forms.entry(name.to_owned()).or_insert(form);
        }
    }
}

/// An index of a path, also one written as a string; `None` if it is negative or no integer.
pub(super) fn position(index: &Value) -> Option<usize> {
    match index.unsealed() {
        Value::Int(number) => number.to_string().parse().ok(),
        Value::Text(text) => text.parse().ok(),
        _ => None,
    }
}

/// A scalar as a string, as AWS writes it.
pub(super) fn text_of(value: &Value) -> Option<String> {
    match value.unsealed() {
        Value::Text(text) | Value::Date(text) => Some(text.to_string()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Null => Some(String::new()),
        value @ (Value::Int(_) | Value::Float(_)) => python::str(value).ok(),
        _ => None,
    }
}

/// A key as shown in a message; a key of a secret is not shown.
pub(super) fn shown_key(key: &Key, is_secret: bool) -> String {
    if is_secret { MASK.to_owned() } else { map_key_text(key) }
}

/// The name of a form, which lives as long as the program.
pub(super) fn form_name(wanted: &'static ArgumentForm) -> &'static str {
    if wanted.name.is_empty() { "text" } else { &wanted.name }
}
