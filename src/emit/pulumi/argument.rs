//! Translates arguments of the provider model into Pulumi YAML.

use super::config::ConfigType;
use super::expr_generator::{ExprGenerator, invoke};
use super::names::{NameExceptions, PulumiNames, camel};
use super::value::{PulumiValue, at};
use crate::emit::kit::{Expressed, Inexpressible, is_uuid, map_key_text};
use crate::emit::openstack_provider::model::{Argument, AttributeStep, ObjectRef, WantedType};
use crate::emit::openstack_provider::schema::{ArgumentType, ProviderSchema};
use crate::emit::tree::DataTree;
use heat_engine::eval::{Value, python};
use heat_template::ir::{Expr, ExprKind};

impl ExprGenerator<'_> {
    /// The arguments of an object, or of a nested block, under Pulumi's names; an argument that cannot be
    /// expressed is passed to `lost`.
    pub(super) fn arguments(
        &self,
        arguments: &[(String, Argument)],
        shape: &NameExceptions,
        items: &[Value],
        lost: &mut dyn FnMut(&str, Box<Inexpressible>),
    ) -> Vec<(String, PulumiValue)> {
        let mut said: Vec<(String, PulumiValue)> = Vec::new();
        for (name, argument) in arguments {
            let to = shape.name(name);
            let form = match self.blocks(name, argument, shape, items) {
                Some(blocks) => blocks.map(Some),
                None => self.argument(argument, items),
            };
            let form = match form {
                Ok(Some(form)) => form,
                Ok(None) => continue,
                Err(why) => {
                    lost(name, why);
                    continue;
                }
            };
            let form = match form {
                PulumiValue::List(_) | PulumiValue::Reference(_) if shape.is_single(name) => {
                    match self.single_item(name, form) {
                        Ok(Some(form)) => form,
                        Ok(None) => continue,
                        Err(why) => {
                            lost(name, why);
                            continue;
                        }
                    }
                }
                form => form,
            };
            // Blocks with the same name are consecutive.
            match said.iter_mut().find(|(known, _)| *known == to) {
                Some((_, PulumiValue::List(before))) => match form {
                    PulumiValue::List(more) => before.extend(more),
                    one => before.push(one),
                },
                Some((_, before)) => *before = form,
                None => said.push((to, form)),
            }
        }
        said
    }

    /// Nested blocks, which become objects with their own names.
    fn blocks(
        &self,
        name: &str,
        argument: &Argument,
        shape: &NameExceptions,
        items: &[Value],
    ) -> Option<Expressed<PulumiValue>> {
        let inside = shape.inside(name);
        let block = |block: &[(String, Argument)], items: &[Value]| {
            let mut first = None;
            let pairs = self.arguments(block, inside, items, &mut |_, why| {
                first.get_or_insert(why);
            });
            match first {
                Some(why) => Err(why),
                None => Ok(PulumiValue::Map(pairs)),
            }
        };
        let blocks: Expressed<Vec<PulumiValue>> = match argument {
            Argument::Blocks(blocks) => blocks.iter().map(|it| block(it, items)).collect(),
            Argument::BlocksFor { list, block: of_item } => match self.items(list, items) {
                Ok(list) => list
                    .iter()
                    .filter(|item| *item.unsealed() != Value::Null)
                    .map(|item| block(of_item, &with(items, item)))
                    .collect(),
                Err(why) => Err(why),
            },
            _ => return None,
        };
        Some(blocks.map(PulumiValue::List))
    }

    /// The only item of a list that Pulumi replaces by a single object.
    fn single_item(&self, name: &str, form: PulumiValue) -> Expressed<Option<PulumiValue>> {
        match form {
            PulumiValue::List(mut items) if items.len() < 2 => Ok(items.pop()),
            PulumiValue::Reference(path) => Ok(Some(PulumiValue::Reference(format!("{path}[0]")))),
            _ => Err(Inexpressible::value(
                name,
                "Pulumi accepts only one of these",
                self.current_span.get(),
            )),
        }
    }

    /// The items of a computed list whose length is known.
    pub(super) fn items(&self, list: &Argument, items: &[Value]) -> Expressed<Vec<Value>> {
        let value = match list {
            Argument::Expr(expr, _) => {
                self.current_span.set(expr.span);
                let value = self.evaluator.value(expr);
                value.map_err(|failure| {
                    Inexpressible::value("list", failure.safe_message(), expr.span)
                })?
            }
            Argument::Item(path) => item_at(items, path),
            Argument::Null => return Ok(Vec::new()),
            _ => {
                let why = "Pulumi YAML has no loops";
                return Err(Inexpressible::value("list", why, self.current_span.get()));
            }
        };
        match value.unsealed() {
            Value::List(list) => Ok(list.to_vec()),
            Value::Null => Ok(Vec::new()),
            Value::Map(map) => Ok(map
                .iter()
                .map(|(key, value)| Value::map([("key", key.to_value()), ("value", value.clone())]))
                .collect()),
            _ => {
                let why = "Pulumi YAML has no loops, and the length of the list is not known while \
                           rendering";
                let place = self.current_span.get();
                let lost = Inexpressible::value("list", why, place);
                Err(match list {
                    Argument::Expr(expr, _) => {
                        match super::expr_generator::parameters_in(expr, self).first() {
                            Some(name) => lost.suggesting(format!("--bake={name}")),
                            None => lost,
                        }
                    }
                    _ => lost,
                })
            }
        }
    }

    /// The value of an argument; `None` if it is omitted.
    pub(super) fn argument(
        &self,
        argument: &Argument,
        items: &[Value],
    ) -> Expressed<Option<PulumiValue>> {
        let form = match argument {
            Argument::Expr(expr, wanted) => {
                let form = self.fitting(converted(self.expr(expr)?, *wanted), *wanted, expr)?;
                let wants_scalar =
                    matches!(wanted, WantedType::Text | WantedType::Number | WantedType::Bool);
                if wants_scalar && matches!(form, PulumiValue::List(_) | PulumiValue::Map(_)) {
                    let why = "a list or a map where a single value is required";
                    return Err(Inexpressible::value("value", why, expr.span));
                }
                form
            }
            Argument::Text(text) => PulumiValue::text(text.as_str()),
            Argument::Number(number) => PulumiValue::Data(lossless_yaml::Value::Int(
                python_semantics::number::Integer::Small(*number),
            )),
            Argument::Bool(value) => PulumiValue::Data(lossless_yaml::Value::Bool(*value)),
            Argument::List(list) => {
                let list = list.iter().map(|item| self.argument(item, items));
                let list: Vec<Option<PulumiValue>> = list.collect::<Expressed<_>>()?;
                PulumiValue::List(list.into_iter().flatten().collect())
            }
            Argument::Map(pairs) => {
                let mut said = Vec::with_capacity(pairs.len());
                for (key, value) in pairs {
                    if let Some(value) = self.argument(value, items)? {
                        said.push((key.clone(), value));
                    }
                }
                PulumiValue::Map(said)
            }
            Argument::Blocks(_) | Argument::BlocksFor { .. } => {
                match self.blocks("", argument, NameExceptions::plain(), items) {
                    Some(blocks) => blocks?,
                    None => return Ok(None),
                }
            }
            Argument::ListFor { list, item } => {
                let mut said = Vec::new();
                for of in self.items(list, items)? {
                    if *of.unsealed() != Value::Null
                        && let Some(form) = self.argument(item, &with(items, &of))?
                    {
                        said.push(form);
                    }
                }
                PulumiValue::List(said)
            }
            Argument::MapFor { list, key, item, grouped } => {
                self.map_for((list, key, item), *grouped, items)?
            }
            Argument::Item(path) => self.value(&item_at(items, path))?,
            Argument::Attribute { object, path } => self.object_attribute(object, path)?,
            Argument::Lookup { data, by, name, read } => {
                let Some(name) = self.argument(name, items)? else { return Ok(None) };
                self.lookup(data, by, name, read)?
            }
            Argument::NameOrId { value, id, name } => {
                let chosen = if self.is_id(value, items)? { id } else { name };
                return self.argument(chosen, items);
            }
            Argument::Conditional { condition, then, otherwise } => {
                let chosen = match self.decided(condition, condition.span)? {
                    true => then,
                    false => otherwise,
                };
                return self.argument(chosen, items);
            }
            Argument::ItemIs { path, text, then, otherwise } => {
                let chosen = match is(&item_at(items, path), text.as_deref()) {
                    Some(true) => then,
                    Some(false) => otherwise,
                    None => {
                        let why = "Pulumi YAML requires a value that is known while rendering";
                        let name = path.last().map_or("", String::as_str);
                        return Err(Inexpressible::value(name, why, self.current_span.get()));
                    }
                };
                return self.argument(chosen, items);
            }
            Argument::AnyIs { lists, key, text } => {
                let path = std::slice::from_ref(key);
                let mut all = lists.iter().map(|list| {
                    let items = self.items(list, items).ok()?;
                    let mut each = items
                        .iter()
                        .map(|item| is(&item_at(std::slice::from_ref(item), path), Some(text)));
                    Some(each.any(|is_it| is_it != Some(false)))
                });
                PulumiValue::Data(lossless_yaml::Value::Bool(
                    all.any(|is_any| is_any != Some(false)),
                ))
            }
            Argument::Concatenated(parts) => {
                let mut forms = Vec::with_capacity(parts.len());
                for part in parts {
                    forms.extend(self.argument(part, items)?);
                }
                self.concatenate(forms)?
            }
            Argument::Index => {
                return Err(Inexpressible::value(
                    "index",
                    "there is no group here",
                    self.current_span.get(),
                ));
            }
            Argument::First(list) => {
                for argument in list {
                    if let Some(form) = self.argument(argument, items)?
                        && !form.is_null()
                    {
                        return Ok(Some(form));
                    }
                }
                return Ok(None);
            }
            Argument::Null => return Ok(None),
        };
        Ok((!form.is_null()).then_some(form))
    }

    /// Converts a value to a type: Pulumi YAML converts numbers and booleans to strings, and
    /// nothing else.
    fn fitting(
        &self,
        form: PulumiValue,
        wanted: WantedType,
        expr: &Expr,
    ) -> Expressed<PulumiValue> {
        let misfit = |what: &str, wanted: &str| {
            let why = format!("Pulumi YAML cannot convert {what} to {wanted}");
            Err(Inexpressible::value("value", why, expr.span))
        };
        let kind = match &form {
            PulumiValue::Reference(path) => {
                self.config_kind(path).or_else(|| self.object_attribute_type(expr))
            }
            _ => None,
        };
        match (wanted, kind, &form) {
            (WantedType::Number, Some(kind), _) if kind != ConfigType::Integer => {
                misfit("text", "a number")
            }
            (WantedType::Bool, Some(kind), _) if kind != ConfigType::Boolean => {
                misfit("text", "a boolean")
            }
            (
                WantedType::Number,
                None,
                PulumiValue::Data(lossless_yaml::Value::Text(_)) | PulumiValue::Text(_),
            ) => misfit("text", "a number"),
            (
                WantedType::Bool,
                None,
                PulumiValue::Data(lossless_yaml::Value::Text(_)) | PulumiValue::Text(_),
            ) => misfit("text", "a boolean"),
            (WantedType::TextList, Some(ConfigType::Text), _) => {
                let arguments = DataTree::list([",".into(), form.into_tree()]);
                Ok(PulumiValue::call("fn::split", arguments))
            }
            (WantedType::Text, Some(ConfigType::List), _) => misfit("list", "a text"),
            (WantedType::TextMap, _, PulumiValue::Map(pairs))
                if pairs.iter().any(|(_, it)| is_compound(it)) =>
            {
                misfit("list or map", "a text")
            }
            (WantedType::TextList, _, PulumiValue::List(items))
                if items.iter().any(is_compound) =>
            {
                misfit("list or map", "a text")
            }
            (WantedType::TextMap | WantedType::JsonMap, None, PulumiValue::Reference(_)) => {
                // A map parameter is a variable of the program, with the value that it has now.
                let known =
                    self.full_evaluator.constant(expr).filter(|known| !known.holds_secret());
                let Some(Value::Map(map)) = known.as_ref().map(Value::unsealed) else {
                    return Ok(form);
                };
                let is_text =
                    |value: &Value| !matches!(value.unsealed(), Value::List(_) | Value::Map(_));
                if map.iter().all(|(_, value)| is_text(value)) {
                    return Ok(form);
                }
                if wanted == WantedType::TextMap {
                    return misfit("list or map", "a text");
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
            _ => Ok(form),
        }
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

    fn map_for(
        &self,
        (list, key, item): (&Argument, &Argument, &Argument),
        grouped: bool,
        items: &[Value],
    ) -> Expressed<PulumiValue> {
        let mut said: Vec<(String, PulumiValue)> = Vec::new();
        for of in self.items(list, items)? {
            let items = with(items, &of);
            let Some(PulumiValue::Data(lossless_yaml::Value::Text(key))) =
                self.argument(key, &items)?
            else {
                let why = "the key of a map is not known while rendering";
                return Err(Inexpressible::value("key", why, self.current_span.get()));
            };
            let value = self.argument(item, &items)?;
            let value = value.unwrap_or(PulumiValue::Data(lossless_yaml::Value::Null));
            match (said.iter_mut().find(|(known, _)| *known == key), grouped) {
                (Some((_, PulumiValue::List(list))), true) => list.push(value),
                (Some((_, known)), _) => *known = value,
                (None, true) => said.push((key, PulumiValue::List(vec![value]))),
                (None, false) => said.push((key, value)),
            }
        }
        Ok(PulumiValue::Map(said))
    }

    /// An attribute of an object.
    fn object_attribute(
        &self,
        object: &ObjectRef,
        path: &[AttributeStep],
    ) -> Expressed<PulumiValue> {
        let place = self.current_span.get();
        let Some(name) = self.scope.object(&object.resource, object.index) else {
            let why = format!("`{}` is not in the program", object.resource);
            return Err(Inexpressible::function("get_resource", why, place));
        };
        let kind = self.catalog.resource(&object.resource);
        let kind = kind.and_then(|said| said.objects.get(object.index)).map(|it| it.kind.as_str());
        let mut shape =
            kind.and_then(|kind| PulumiNames::get().resources.get(kind)).map(|it| &it.shape);
        let mut reference = name;
        let mut is_single = false;
        for step in path {
            match step {
                AttributeStep::Key(key) => {
                    let of = shape.unwrap_or(NameExceptions::plain());
                    is_single = of.is_single(key);
                    reference = at(&reference, &of.name(key));
                    shape = Some(of.inside(key));
                }
                // The only block.
                AttributeStep::Index(0) if is_single => is_single = false,
                AttributeStep::Index(index) => reference = format!("{reference}[{index}]"),
                AttributeStep::All => {
                    let why = "Pulumi YAML cannot select a field of every item of a list";
                    return Err(Inexpressible::value("list", why, place));
                }
            }
        }
        Ok(PulumiValue::Reference(reference))
    }

    /// The result of a provider function that looks up a name.
    fn lookup(
        &self,
        data: &str,
        by: &str,
        name: PulumiValue,
        read: &str,
    ) -> Expressed<PulumiValue> {
        let place = self.current_span.get();
        let Some(function) = PulumiNames::get().functions.get(data) else {
            return Err(Inexpressible::value(
                data,
                "Pulumi's provider has no function for it",
                place,
            ));
        };
        let words = match &name {
            PulumiValue::Data(lossless_yaml::Value::Text(text)) => text.clone(),
            PulumiValue::Reference(path) => path.clone(),
            PulumiValue::Data(_)
            | PulumiValue::Text(_)
            | PulumiValue::Call(_)
            | PulumiValue::List(_)
            | PulumiValue::Map(_) => String::new(),
        };
        let thing = data.trim_start_matches("openstack_");
        let thing = thing.split('_').nth(1).unwrap_or(thing);
        let words = format!("{thing}_{words}");
        let arguments = DataTree::map([(camel(by), name.into_tree())]);
        let variable = self.variable(words.trim_end_matches('_'), invoke(function, arguments));
        Ok(PulumiValue::Reference(at(&variable, &camel(read))))
    }

    /// Whether a value is an ID instead of a name: decided by its present value, which is a loss, since
    /// another value may be the other.
    fn is_id(&self, value: &Argument, items: &[Value]) -> Expressed<bool> {
        let place = self.current_span.get();
        let known = match value {
            Argument::Expr(expr, _) => {
                let text = |value: Option<Value>| match value?.unsealed() {
                    Value::Text(text) => Some(text.to_string()),
                    _ => None,
                };
                if let Some(text) = text(self.evaluator.constant(expr)) {
                    return Ok(is_uuid(&text));
                }
                text(self.full_evaluator.constant(expr))
            }
            Argument::Item(path) => match item_at(items, path).unsealed() {
                Value::Text(text) => return Ok(is_uuid(text)),
                _ => None,
            },
            _ => None,
        };
        let is_id = known.as_deref().is_some_and(is_uuid);
        let what = if is_id { "an id" } else { "a name" };
        let why = format!(
            "Heat accepts a name or an ID here, but Pulumi YAML cannot distinguish them: the value \
             must be {what}"
        );
        let span = match value {
            Argument::Expr(expr, _) => expr.span,
            _ => place,
        };
        self.report_loss(&Inexpressible::value("name or id", why, span), "", place);
        Ok(is_id)
    }
}

/// Whether a value equals a string, or is null if `text` is `None`; `None` if that is unknown.
fn is(value: &Value, text: Option<&str>) -> Option<bool> {
    match (value.unsealed(), text) {
        (Value::Unknown(_), _) => None,
        (Value::Text(known), Some(text)) => Some(known == text),
        (Value::Null | Value::Elided, None) => Some(true),
        _ => Some(false),
    }
}

fn with(items: &[Value], item: &Value) -> Vec<Value> {
    items.iter().chain([item]).cloned().collect()
}

/// The value at a path in the current item.
fn item_at(items: &[Value], path: &[String]) -> Value {
    let mut value = items.last().cloned().unwrap_or(Value::Null);
    for (at, key) in path.iter().enumerate() {
        value = match value.unsealed() {
            Value::Map(map) => map
                .iter()
                .find(|(known, _)| map_key_text(known) == *key)
                .map_or(Value::Null, |(_, value)| value.clone()),
            Value::Unknown(unknown) => {
                let expr = unknown.expr.clone();
                let rest = path[at..].iter().map(|key| Value::text(key.as_str()));
                let arguments = std::iter::once(value.clone()).chain(rest).collect();
                let operation = heat_engine::eval::Operation::Path;
                let step = heat_engine::eval::Unknown::call(expr, operation, arguments);
                return Value::Unknown(std::sync::Arc::new(step));
            }
            _ => Value::Null,
        };
    }
    value
}

fn is_compound(form: &PulumiValue) -> bool {
    matches!(form, PulumiValue::List(_) | PulumiValue::Map(_))
}

/// Converts a constant to a type; Pulumi converts unknown values itself.
fn converted(form: PulumiValue, wanted: WantedType) -> PulumiValue {
    match (wanted, form) {
        (WantedType::Text, PulumiValue::Data(data)) => PulumiValue::Data(as_text(data)),
        (WantedType::Number, PulumiValue::Data(lossless_yaml::Value::Text(text))) => {
            match text.trim().parse::<i64>() {
                Ok(number) => PulumiValue::Data(lossless_yaml::Value::Int(
                    python_semantics::number::Integer::Small(number),
                )),
                Err(_) => match text.trim().parse::<f64>() {
                    Ok(number) => PulumiValue::Data(lossless_yaml::Value::Float(number)),
                    Err(_) => PulumiValue::text(text),
                },
            }
        }
        (WantedType::Bool, PulumiValue::Data(lossless_yaml::Value::Text(text))) => {
            match text.to_ascii_lowercase().as_str() {
                "true" | "t" | "1" | "yes" | "y" | "on" => {
                    PulumiValue::Data(lossless_yaml::Value::Bool(true))
                }
                "false" | "f" | "0" | "no" | "n" | "off" => {
                    PulumiValue::Data(lossless_yaml::Value::Bool(false))
                }
                _ => PulumiValue::text(text),
            }
        }
        (WantedType::Bool, PulumiValue::Data(lossless_yaml::Value::Int(number))) => {
            PulumiValue::Data(lossless_yaml::Value::Bool(
                number != python_semantics::number::Integer::Small(0),
            ))
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
                        PulumiValue::Data(lossless_yaml::Value::Bool(value)) => {
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
fn as_text(data: lossless_yaml::Value) -> lossless_yaml::Value {
    match data {
        lossless_yaml::Value::Bool(value) => {
            lossless_yaml::Value::Text(if value { "True" } else { "False" }.to_owned())
        }
        lossless_yaml::Value::Int(number) => lossless_yaml::Value::Text(number.to_string()),
        lossless_yaml::Value::Float(number) => {
            lossless_yaml::Value::Text(python::str(&Value::Float(number)).unwrap_or_default())
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_have_the_type_that_is_wanted() {
        let data = |value: lossless_yaml::Value| PulumiValue::Data(value);
        let int = |number| {
            data(lossless_yaml::Value::Int(python_semantics::number::Integer::Small(number)))
        };
        assert_eq!(converted(int(5), WantedType::Text), PulumiValue::text("5"));
        assert_eq!(converted(PulumiValue::text("5"), WantedType::Number), int(5));
        assert_eq!(
            converted(PulumiValue::text("On"), WantedType::Bool),
            data(lossless_yaml::Value::Bool(true))
        );
        assert_eq!(
            converted(PulumiValue::List(vec![int(1)]), WantedType::TextList),
            PulumiValue::List(vec![PulumiValue::text("1")])
        );
        let map = PulumiValue::Map(vec![("a".into(), data(lossless_yaml::Value::Bool(true)))]);
        let text = PulumiValue::Map(vec![("a".into(), PulumiValue::text("true"))]);
        assert_eq!(converted(map, WantedType::TextMap), text);
    }
}
