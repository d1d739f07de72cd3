//! Translates arguments of the provider model into Pulumi YAML.

use super::conversion::converted;
use super::expr_generator::{ExprGenerator, invoke};
use super::functions::standard_function;
use super::names::{NameExceptions, PulumiNames, camel};
use super::value::{PulumiValue, at};
use crate::identifier_kind::{IdentifierKind, parameter_kind};
use crate::kit::{Expressed, Inexpressible, is_uuid, map_key_text};
use crate::openstack_provider::model::{Argument, AttributeStep, ObjectRef, WantedType};
use crate::tree::DataTree;
use crate::{Loss, LossKind};
use heat_engine::eval::Value;
use heat_template::ir::{Expr, ExprKind};
use lossless_yaml::Value as Data;
use python_semantics::number::Integer;

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
        let mut expressed: Vec<(String, PulumiValue)> = Vec::new();
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
            match expressed.iter_mut().find(|(known, _)| *known == to) {
                Some((_, PulumiValue::List(before))) => match form {
                    PulumiValue::List(more) => before.extend(more),
                    one => before.push(one),
                },
                Some((_, before)) => *before = form,
                None => expressed.push((to, form)),
            }
        }
        expressed
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
                value.map_err(|failure| Inexpressible::value("list", failure.words(), expr.span))?
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
                    Argument::Expr(expr, _) => match self.deciding_parameters(expr).first() {
                        Some(name) => lost.suggesting(format!("--bake={name}")),
                        None => lost,
                    },
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
            Argument::Expr(expr, wanted) => self.expr_argument(expr, *wanted)?,
            Argument::Text(text) => PulumiValue::text(text.as_str()),
            Argument::Number(number) => PulumiValue::Data(Data::Int(Integer::Small(*number))),
            Argument::Bool(value) => PulumiValue::Data(Data::Bool(*value)),
            Argument::List(list) => {
                let list = list.iter().map(|item| self.argument(item, items));
                let list: Vec<Option<PulumiValue>> = list.collect::<Expressed<_>>()?;
                PulumiValue::List(list.into_iter().flatten().collect())
            }
            Argument::Map(pairs) => {
                let mut expressed = Vec::with_capacity(pairs.len());
                for (key, value) in pairs {
                    if let Some(value) = self.argument(value, items)? {
                        expressed.push((key.clone(), value));
                    }
                }
                PulumiValue::Map(expressed)
            }
            Argument::Blocks(_) | Argument::BlocksFor { .. } => {
                match self.blocks("", argument, NameExceptions::plain(), items) {
                    Some(blocks) => blocks?,
                    None => return Ok(None),
                }
            }
            Argument::ListFor { list, item } => self.list_for(list, item, items)?,
            Argument::MapFor { list, keys, item, grouped } => {
                self.map_for((list, keys, item), *grouped, items)?
            }
            Argument::Item(path) => self.value(&item_at(items, path))?,
            Argument::Attribute { object, path } => self.object_attribute(object, path)?,
            Argument::Lookup { data, by, name, read } => {
                let Some(name) = self.argument(name, items)? else { return Ok(None) };
                self.lookup(data, by, name, read)?
            }
            Argument::NameOrId { value, id, name } => {
                let chosen = if self.is_id(value, items) { id } else { name };
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
                PulumiValue::Data(Data::Bool(self.any_is(lists, key, text, items)))
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
            Argument::First(list) => self.first(list, items)?,
            Argument::Null => return Ok(None),
        };
        Ok((!form.is_null()).then_some(form))
    }

    fn expr_argument(&self, expr: &Expr, wanted: WantedType) -> Expressed<PulumiValue> {
        let form = self.fitting(converted(self.expr(expr)?, wanted), wanted, expr)?;
        let wants_scalar =
            matches!(wanted, WantedType::Text | WantedType::Number | WantedType::Bool);
        if wants_scalar && matches!(form, PulumiValue::List(_) | PulumiValue::Map(_)) {
            let why = "a list or a map where a single value is required";
            return Err(Inexpressible::value("value", why, expr.span));
        }
        Ok(form)
    }

    /// The first value that is not null; of attributes, the first one that is not empty.
    fn first(&self, list: &[Argument], items: &[Value]) -> Expressed<PulumiValue> {
        let mut open = Vec::new();
        for argument in list {
            let form = self.argument(argument, items)?.unwrap_or(PulumiValue::NULL);
            let is_attribute = matches!(argument, Argument::Attribute { .. });
            if !form.is_null() {
                open.push(form);
                if !is_attribute {
                    break;
                }
            }
        }
        if open.len() < 2 {
            return Ok(open.pop().unwrap_or(PulumiValue::NULL));
        }
        let input = DataTree::list(open.into_iter().map(PulumiValue::into_tree));
        Ok(standard_function("coalesce", [("input", input)]))
    }

    /// The items of a list that an object reports, if their number is known: one for each of its blocks.
    fn reported_items(&self, list: &Argument, item: &Argument) -> Option<Vec<Argument>> {
        let Argument::Attribute { object, path } = list else { return None };
        let [AttributeStep::Key(name)] = path.as_slice() else { return None };
        let block = if name == "all_fixed_ips" { "fixed_ip" } else { name };
        let of = self.catalog.resource(&object.resource)?.objects.get(object.index)?;
        let mut count = 0;
        for (_, argument) in of.arguments.iter().filter(|(name, _)| name == block) {
            count += match argument {
                Argument::Blocks(blocks) => blocks.len(),
                Argument::BlocksFor { list, .. } => self.items(list, &[]).ok()?.len(),
                _ => return None,
            };
        }
        let at = |index| {
            let path = path.iter().cloned().chain([AttributeStep::Index(index)]).collect();
            with_item(item, &Argument::Attribute { object: object.clone(), path })
        };
        (count > 0).then(|| (0..count).map(at).collect())
    }

    fn list_for(
        &self,
        list: &Argument,
        item: &Argument,
        items: &[Value],
    ) -> Expressed<PulumiValue> {
        let mut expressed = Vec::new();
        if let Some(reported) = self.reported_items(list, item) {
            for item in &reported {
                expressed.extend(self.argument(item, items)?);
            }
            return Ok(PulumiValue::List(expressed));
        }
        for of in self.items(list, items)? {
            if *of.unsealed() != Value::Null {
                expressed.extend(self.argument(item, &with(items, &of))?);
            }
        }
        Ok(PulumiValue::List(expressed))
    }

    /// Whether any item of the lists has this text at a key, as far as that is known.
    fn any_is(&self, lists: &[Argument], key: &String, text: &str, items: &[Value]) -> bool {
        let may_be = |item: &Value| {
            let value = item_at(std::slice::from_ref(item), std::slice::from_ref(key));
            is(&value, Some(text)) != Some(false)
        };
        let mut lists = lists.iter().map(|list| self.items(list, items));
        lists.any(|list| list.map_or(true, |list| list.iter().any(may_be)))
    }

    fn map_for(
        &self,
        (list, keys, item): (&Argument, &[String], &Argument),
        grouped: bool,
        items: &[Value],
    ) -> Expressed<PulumiValue> {
        if let Some(values) = self.reported_items(list, item) {
            let keys = keys.iter().map(|key| {
                let key = Argument::Item(vec![key.clone()]);
                self.reported_items(list, &key).unwrap_or_default()
            });
            return self.reported_map(&keys.collect::<Vec<_>>(), &values, grouped);
        }
        let mut expressed: Vec<(String, PulumiValue)> = Vec::new();
        let of_items = self.items(list, items)?;
        for (of, key) in of_items.iter().flat_map(|of| keys.iter().map(move |key| (of, key))) {
            let items = with(items, of);
            let key = Argument::Item(vec![key.clone()]);
            let Some(PulumiValue::Data(Data::Text(key))) = self.argument(&key, &items)? else {
                let why = "the key of a map is not known while rendering";
                return Err(Inexpressible::value("key", why, self.current_span.get()));
            };
            let value = self.argument(item, &items)?;
            let value = value.unwrap_or(PulumiValue::NULL);
            match (expressed.iter_mut().find(|(known, _)| *known == key), grouped) {
                (Some((_, PulumiValue::List(list))), true) => list.push(value),
                (Some((_, known)), _) => *known = value,
                (None, true) => expressed.push((key, PulumiValue::List(vec![value]))),
                (None, false) => expressed.push((key, value)),
            }
        }
        Ok(PulumiValue::Map(expressed))
    }

    /// A map whose keys an object reports, with those of one kind for all values before those of the next.
    fn reported_map(
        &self,
        keys: &[Vec<Argument>],
        values: &[Argument],
        grouped: bool,
    ) -> Expressed<PulumiValue> {
        let mut pairs = Vec::new();
        for (key, value) in keys.iter().flat_map(|keys| keys.iter().zip(values)) {
            let Some(PulumiValue::Reference(key)) = self.argument(key, &[])? else {
                let why = "the key of a map is not known while rendering";
                return Err(Inexpressible::value("key", why, self.current_span.get()));
            };
            let value = self.argument(value, &[])?.unwrap_or(PulumiValue::NULL).into_tree();
            let value = if grouped { DataTree::list([value]) } else { value };
            pairs.push((format!("${{{key}}}"), value));
        }
        if values.len() > 1 {
            let why = "of two items with the same key, only the last one is in the map".to_owned();
            let loss = Loss::new(LossKind::Value, "key", why, self.current_span.get()).as_note();
            self.losses.borrow_mut().add(loss);
        }
        Ok(PulumiValue::Call(DataTree::map(pairs)))
    }

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
        let kind = kind
            .and_then(|expressed| expressed.objects.get(object.index))
            .map(|it| it.kind.as_str());
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
            PulumiValue::Data(Data::Text(text)) => text.clone(),
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

    /// Whether a value is an ID instead of a name: as the user says, or else decided by its present value. The
    /// provider refuses the other form, which is noted.
    fn is_id(&self, value: &Argument, items: &[Value]) -> bool {
        let text = |value: Option<Value>| match value?.unsealed() {
            Value::Text(text) => Some(text.to_string()),
            _ => None,
        };
        let (known, expr) = match value {
            Argument::Expr(expr, _) => (text(self.evaluator.constant(expr)), Some(expr)),
            Argument::Item(path) => (text(Some(item_at(items, path))), None),
            _ => (None, None),
        };
        if let Some(text) = known {
            return is_uuid(&text);
        }
        let parameter = expr.and_then(|expr| match &expr.kind {
            ExprKind::Parameter(of) if of.path.is_empty() => of.name.as_text(),
            _ => None,
        });
        let is_id = match parameter.map(|name| parameter_kind(self.model, name)) {
            Some(IdentifierKind::Id) => true,
            Some(IdentifierKind::Name) => false,
            Some(IdentifierKind::LaterId | IdentifierKind::Either | IdentifierKind::Mixed)
            | None => {
                let present = expr.and_then(|expr| text(self.full_evaluator.constant(expr)));
                present.as_deref().is_some_and(is_uuid)
            }
        };
        let declared = parameter.and_then(|name| {
            Some((name, self.flat_stack.module.stack.parameters.get(name)?.name_span))
        });
        let what = if is_id { "an ID" } else { "a name" };
        let (subject, span) = declared.unwrap_or_else(|| {
            ("name or id", expr.map_or(self.current_span.get(), |expr| expr.span))
        });
        let why = format!(
            "`{subject}` must be {what}: Heat accepts a name or an ID here, which Pulumi YAML \
             cannot distinguish"
        );
        if !parameter.is_some_and(|name| self.model.identifiers.decide(name)) {
            let mut loss = Loss::new(LossKind::Value, subject, why, span).as_note();
            loss.owner = parameter.map(str::to_owned);
            loss.suggestion = parameter.map(|name| format!("`--names={name}` or `--ids={name}`"));
            self.losses.borrow_mut().add(loss);
        }
        if let Some((name, _)) = declared {
            self.identifiers.borrow_mut().insert(name.to_owned(), is_id);
        }
        is_id
    }
}

/// An argument with an attribute in place of the current item.
fn with_item(argument: &Argument, item: &Argument) -> Argument {
    let each = |list: &[Argument]| list.iter().map(|it| with_item(it, item)).collect();
    match argument {
        Argument::Item(keys) => {
            let mut of = item.clone();
            if let Argument::Attribute { path, .. } = &mut of {
                path.extend(keys.iter().cloned().map(AttributeStep::Key));
            }
            of
        }
        Argument::List(list) => Argument::List(each(list)),
        Argument::Concatenated(list) => Argument::Concatenated(each(list)),
        Argument::First(list) => Argument::First(each(list)),
        Argument::Map(pairs) => {
            let pairs = pairs.iter().map(|(key, value)| (key.clone(), with_item(value, item)));
            Argument::Map(pairs.collect())
        }
        // Nothing that objects report contains these.
        Argument::Expr(..)
        | Argument::Text(_)
        | Argument::Number(_)
        | Argument::Bool(_)
        | Argument::Blocks(_)
        | Argument::BlocksFor { .. }
        | Argument::ListFor { .. }
        | Argument::Attribute { .. }
        | Argument::Lookup { .. }
        | Argument::NameOrId { .. }
        | Argument::Conditional { .. }
        | Argument::ItemIs { .. }
        | Argument::AnyIs { .. }
        | Argument::Index
        | Argument::MapFor { .. }
        | Argument::Null => argument.clone(),
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
