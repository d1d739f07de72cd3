//! Parameters of type `json`, which CloudFormation does not have: each part that the template reads is a
//! parameter of its own.

use super::inexpressible::unsupported_function;
use super::tables::{ArgumentForm, DataType};
use super::template_builder::{TemplateBuilder, ValueContext, call, reference};
use super::value::{position, text_of};
use crate::kit::Expressed;
use crate::tree::DataTree;
use heat_engine::eval::{Operation, Unknown, Value, python};
use heat_template::ir::{Expr, ExprKind, Parameter, ParameterType};
use source_diagnostics::Span;

/// A part of a JSON parameter: a parameter of the result.
#[derive(Clone, Debug)]
pub(super) struct JsonPart {
    /// Its logical ID.
    pub(super) id: String,
    /// The form of the argument that uses it.
    pub(super) form: &'static ArgumentForm,
    /// Whether it becomes part of a string.
    in_text: bool,
}

impl JsonPart {
    /// The part's value as a string; `None` if it has no string form.
    pub(super) fn text(&self, value: &Value) -> Option<String> {
        match value.unsealed() {
            Value::Bool(_) if self.in_text => python::str(value.unsealed()).ok(),
            Value::List(items) if self.form.shape == DataType::Texts => {
                let texts: Option<Vec<String>> = items.iter().map(text_of).collect();
                Some(texts?.join(","))
            }
            known @ (Value::List(_) | Value::Map(_)) => {
                python::json_dumps(&known.reveal().0, true).ok()
            }
            known => text_of(known),
        }
    }

    pub(super) fn type_name(&self) -> &'static str {
        match self.form.shape {
            DataType::Integer | DataType::Number => "Number",
            DataType::Text | DataType::Boolean | DataType::Texts | DataType::Data => "String",
        }
    }
}

pub(super) fn json_default(parameter: &Parameter) -> Option<Value> {
    match Value::from_expr_as_sent(parameter.default.as_ref()?) {
        Value::Text(text) => python::json_loads(&text).ok(),
        value => Some(value),
    }
}

/// The part of a value at a path; an empty string if there is none, as in Heat.
pub(super) fn part_of(expr: &Expr, value: &Value, path: &[String]) -> Value {
    let Some((first, rest)) = path.split_first() else { return value.clone() };
    let inner = match value.unsealed() {
        Value::Map(map) => map.get(first.as_str()),
        Value::List(items) => {
            position(&Value::text(first.as_str())).and_then(|index| items.get(index))
        }
        Value::Unknown(_) => {
            let keys = path.iter().map(|key| Value::text(key.as_str()));
            let arguments = std::iter::once(value.clone()).chain(keys).collect();
            let call = Unknown::call(expr.clone(), Operation::Path, arguments);
            return Value::Unknown(std::sync::Arc::new(call));
        }
        _ => None,
    };
    inner.map_or_else(|| Value::text(""), |inner| part_of(expr, inner, rest))
}

impl TemplateBuilder<'_> {
    /// Translates a reference to a JSON parameter or to a part of it.
    pub(super) fn json_parameter(
        &mut self,
        name: &str,
        path: &[Value],
        span: Span,
        form: &'static ArgumentForm,
        here: ValueContext<'_>,
    ) -> Expressed<DataTree> {
        let no = |why: &str| {
            let message = format!("`{name}` is a parameter of type `json`: {why}");
            Err(unsupported_function("get_param", message, span))
        };
        let keys: Option<Vec<String>> = path.iter().map(text_of).collect();
        let Some(keys) = keys else {
            return no("CloudFormation selects a part only by keys that are known while rendering");
        };
        let is_text = form.shape == DataType::Text && (here.in_text || here.argument == "Value");
        if keys.is_empty() && !is_text {
            return no("CloudFormation parameters hold no data");
        }
        let parameter = self
            .module
            .stack
            .parameters
            .get(name)
            .filter(|it| it.kind == Some(ParameterType::Json));
        let Some(parameter) = parameter else { return no("the template does not declare it") };
        let default = json_default(parameter)
            .map(|default| part_of(&Expr::new(ExprKind::Null, span), &default, &keys));
        let is_data = matches!(default, Some(Value::Map(_) | Value::List(_)));
        if form.shape == DataType::Data && (is_data || default.is_none()) {
            return no("CloudFormation parameters hold no data");
        }
        let key = (name.to_owned(), keys);
        if !self.json_parts.contains_key(&key) {
            let id = self.names.allocate(&format!("{name}-{}", key.1.join("-")));
            let in_text = here.in_text;
            self.json_parts.insert(key.clone(), JsonPart { id, form, in_text });
        }
        let id = self.json_parts[&key].id.clone();
        if form.shape == DataType::Texts {
            return Ok(call("Fn::Split", [DataTree::from(","), reference(&id)]));
        }
        Ok(reference(&id))
    }
}
