//! Converts values to the types that arguments require.

use super::config::ConfigType;
use super::expr_generator::ExprGenerator;
use super::value::PulumiValue;
use crate::kit::{Expressed, Inexpressible, map_key_text};
use crate::openstack_provider::model::{Argument, AttributeStep, WantedType};
use crate::openstack_provider::schema::{ArgumentType, ProviderSchema};
use crate::tree::DataTree;
use heat_engine::eval::{Value, python};
use heat_template::ir::{Expr, ExprKind};
use lossless_yaml::Value as Data;
use python_semantics::number::Integer;

impl ExprGenerator<'_> {
    /// Converts a value to a type: Pulumi YAML converts numbers and booleans to strings, and
    /// nothing else.
    pub(super) fn fitting(
        &self,
        form: PulumiValue,
        wanted: WantedType,
        expr: &Expr,
    ) -> Expressed<PulumiValue> {
        let lost = |what: &str, wanted: &str| Err(misfit(what, wanted, expr));
        let kind = match &form {
            PulumiValue::Reference(path) => {
                self.config_kind(path).or_else(|| self.object_attribute_type(expr))
            }
            _ => None,
        };
        let is_text = matches!(form, PulumiValue::Data(Data::Text(_)) | PulumiValue::Text(_));
        let is_other_than = |wanted| kind.map_or(is_text, |kind| kind != wanted);
        let holds_compound = match (wanted, &form) {
            (WantedType::TextMap, PulumiValue::Map(pairs)) => {
                pairs.iter().any(|(_, value)| is_compound(value))
            }
            (WantedType::TextList, PulumiValue::List(items)) => items.iter().any(is_compound),
            _ => false,
        };
        match wanted {
            WantedType::Number if is_other_than(ConfigType::Integer) => lost("text", "a number"),
            WantedType::Bool if is_other_than(ConfigType::Boolean) => lost("text", "a boolean"),
            WantedType::Text if kind == Some(ConfigType::List) => lost("list", "a string"),
            _ if holds_compound => lost("list or map", "a string"),
            WantedType::TextList if kind == Some(ConfigType::Text) => {
                let arguments = DataTree::list([",".into(), form.into_tree()]);
                Ok(PulumiValue::call("fn::split", arguments))
            }
            WantedType::TextMap | WantedType::JsonMap if kind.is_none() => match form {
                PulumiValue::Reference(_) => self.fitting_map(form, wanted, expr),
                form => Ok(form),
            },
            _ => Ok(form),
        }
    }

    /// A map parameter, which is a variable of the program, with the value that it has now.
    fn fitting_map(
        &self,
        form: PulumiValue,
        wanted: WantedType,
        expr: &Expr,
    ) -> Expressed<PulumiValue> {
        let known = self.full_evaluator.constant(expr).filter(|known| !known.holds_secret());
        let Some(Value::Map(map)) = known.as_ref().map(Value::unsealed) else {
            return Ok(form);
        };
        let is_text = |value: &Value| !matches!(value.unsealed(), Value::List(_) | Value::Map(_));
        if map.iter().all(|(_, value)| is_text(value)) {
            return Ok(form);
        }
        if wanted == WantedType::TextMap {
            return Err(misfit("list or map", "a string", expr));
        }
        let pairs = map.iter().map(|(key, value)| {
            let json = match value.unsealed() {
                Value::Text(text) => text.to_string(),
                other => python::json_dumps(other, false).unwrap_or_default(),
            };
            (map_key_text(key), PulumiValue::text(json))
        });
        Ok(PulumiValue::Map(pairs.collect()))
    }

    /// The type of an attribute in the provider's schema, if the expression is one.
    fn object_attribute_type(&self, expr: &Expr) -> Option<ConfigType> {
        let attribute = match &expr.kind {
            ExprKind::Resource(_) => return Some(ConfigType::Text),
            ExprKind::Attribute(attribute) if attribute.path.is_empty() => attribute,
            _ => return None,
        };
        let (resource, name) =
            (attribute.resource.as_text()?, attribute.attribute.as_ref()?.as_text()?);
        let found = self.catalog.attribute(resource, name, &[], expr.span).ok()?;
        let Argument::Attribute { object, path } = found.value else { return None };
        let [AttributeStep::Key(name)] = path.as_slice() else { return None };
        let object = self.catalog.resource(&object.resource)?.objects.get(object.index)?;
        match ProviderSchema::get().argument(&object.kind, name)?.kind {
            ArgumentType::String => Some(ConfigType::Text),
            ArgumentType::Int => Some(ConfigType::Integer),
            ArgumentType::Bool => Some(ConfigType::Boolean),
            ArgumentType::Float | ArgumentType::List | ArgumentType::Set | ArgumentType::Map => {
                None
            }
        }
    }
}

fn misfit(what: &str, wanted: &str, expr: &Expr) -> Box<Inexpressible> {
    let why = format!("Pulumi YAML cannot convert {what} to {wanted}");
    Inexpressible::value("value", why, expr.span)
}

fn is_compound(form: &PulumiValue) -> bool {
    matches!(form, PulumiValue::List(_) | PulumiValue::Map(_))
}

/// Converts a constant to a type; Pulumi converts unknown values itself.
pub(super) fn converted(form: PulumiValue, wanted: WantedType) -> PulumiValue {
    match (wanted, form) {
        (WantedType::Text, PulumiValue::Data(data)) => PulumiValue::Data(as_text(data)),
        (WantedType::Number, PulumiValue::Data(Data::Text(text))) => {
            match text.trim().parse::<i64>() {
                Ok(number) => PulumiValue::Data(Data::Int(Integer::Small(number))),
                Err(_) => match text.trim().parse::<f64>() {
                    Ok(number) => PulumiValue::Data(Data::Float(number)),
                    Err(_) => PulumiValue::text(text),
                },
            }
        }
        (WantedType::Bool, PulumiValue::Data(Data::Text(text))) => {
            match text.to_ascii_lowercase().as_str() {
                "true" | "t" | "1" | "yes" | "y" | "on" => PulumiValue::Data(Data::Bool(true)),
                "false" | "f" | "0" | "no" | "n" | "off" => PulumiValue::Data(Data::Bool(false)),
                _ => PulumiValue::text(text),
            }
        }
        (WantedType::Bool, PulumiValue::Data(Data::Int(number))) => {
            PulumiValue::Data(Data::Bool(number != Integer::Small(0)))
        }
        (WantedType::TextList, PulumiValue::List(items)) => PulumiValue::List(
            items.into_iter().map(|item| converted(item, WantedType::Text)).collect(),
        ),
        (WantedType::TextMap | WantedType::JsonMap, PulumiValue::Map(pairs)) => PulumiValue::Map(
            pairs
                .into_iter()
                .map(|(key, value)| {
                    let value = match value {
                        PulumiValue::List(_) | PulumiValue::Map(_)
                            if wanted == WantedType::JsonMap =>
                        {
                            PulumiValue::call("fn::toJSON", value.into_tree())
                        }
                        PulumiValue::Data(Data::Bool(value)) => {
                            PulumiValue::text(value.to_string())
                        }
                        other => converted(other, WantedType::Text),
                    };
                    (key, value)
                })
                .collect(),
        ),
        (
            WantedType::Any
            | WantedType::Text
            | WantedType::Number
            | WantedType::Bool
            | WantedType::TextList
            | WantedType::TextMap
            | WantedType::JsonMap,
            form,
        ) => form,
    }
}

/// A scalar as a string, in Heat's notation.
fn as_text(data: Data) -> Data {
    match data {
        Data::Bool(value) => Data::Text(if value { "True" } else { "False" }.to_owned()),
        Data::Int(number) => Data::Text(number.to_string()),
        Data::Float(number) => Data::Text(python::str(&Value::Float(number)).unwrap_or_default()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_have_the_type_that_is_wanted() {
        let data = |value: Data| PulumiValue::Data(value);
        let int = |number| data(Data::Int(Integer::Small(number)));
        assert_eq!(converted(int(5), WantedType::Text), PulumiValue::text("5"));
        assert_eq!(converted(PulumiValue::text("5"), WantedType::Number), int(5));
        assert_eq!(converted(PulumiValue::text("On"), WantedType::Bool), data(Data::Bool(true)));
        assert_eq!(
            converted(PulumiValue::List(vec![int(1)]), WantedType::TextList),
            PulumiValue::List(vec![PulumiValue::text("1")])
        );
        let map = PulumiValue::Map(vec![("a".into(), data(Data::Bool(true)))]);
        let text = PulumiValue::Map(vec![("a".into(), PulumiValue::text("true"))]);
        assert_eq!(converted(map, WantedType::TextMap), text);
    }
}
