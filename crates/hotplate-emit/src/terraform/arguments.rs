//! Translates the values of arguments: what a template says, converted as the provider wants it.

use super::hcl::{Hcl, TemplatePart};
use super::object_loops::ObjectLoop;
use super::scope::ModuleScope;
use crate::kit::{Expressed, Inexpressible};
use crate::openstack_provider::model::{Argument, WantedType};
use heat_engine::eval::Value;
use heat_engine::eval::python;
use heat_template::ir::types::TypeSet;
use heat_template::ir::{Expr, ExprKind, ParameterType};

/// Matches a UUID, and so everything that is not a name.
const UUID: &str = "^[0-9a-fA-F]{8}-?([0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}$";

/// Where an argument is: what its value depends on besides the template.
#[derive(Debug, Default)]
pub(super) struct ArgumentContext<'c> {
    /// The resource that the argument belongs to.
    pub(super) owner: &'c str,
    /// The index of the group's member that a reference selects.
    pub(super) member: Option<&'c Hcl>,
    /// The item of the surrounding loop, and the list it iterates over.
    pub(super) item: Option<(String, Hcl)>,
    /// The loop over strings whose template is written out, in place of `item`.
    object_loop: Option<&'c ObjectLoop<'c>>,
    /// The number of members, for a group.
    pub(super) count: Option<Hcl>,
    /// The condition under which the string is a name.
    pub(super) guard: Option<Hcl>,
}

impl<'c> ArgumentContext<'c> {
    /// The context of a reference to an object.
    pub(super) fn for_attribute(owner: &'c str, member: Option<&'c Hcl>) -> Self {
        ArgumentContext { owner, member, ..ArgumentContext::default() }
    }

    /// The same context inside a loop over strings.
    pub(super) fn in_loop(self, object_loop: &'c ObjectLoop<'c>) -> Self {
        ArgumentContext { object_loop: Some(object_loop), ..self }
    }

    /// The same context inside a loop over a list.
    pub(super) fn for_items(self, list: Option<Hcl>) -> Self {
        ArgumentContext { item: list.map(|list| (String::new(), list)).or(self.item), ..self }
    }
}

fn is_compound(value: &Hcl) -> bool {
    matches!(value, Hcl::List(_) | Hcl::Object(_))
}

/// The error for a list or a map among strings, which is found only when the value is computed.
fn not_texts(expr: &Expr) -> Box<Inexpressible> {
    let why = "the provider accepts strings here, not lists and maps";
    Inexpressible::value("value", why, expr.span)
}

/// A string unchanged, and JSON for anything else.
fn json_unless_text(value: Hcl) -> Hcl {
    match value {
        Hcl::Text(_) | Hcl::Template(_) | Hcl::Number(_) | Hcl::Bool(_) => value,
        Hcl::List(_) | Hcl::Object(_) => super::text::json(value),
        Hcl::Null => Hcl::text("null"),
        other => {
            let text = Hcl::call("tostring", [other.clone()]);
            Hcl::call("try", [text, super::text::json(other)])
        }
    }
}

/// The key of an address beside those of its network.
const ADDRESS: &str = "address";

impl ModuleScope<'_> {
    /// The value of an argument; `None` if it is omitted.
    pub(super) fn argument_value(
        &self,
        argument: &Argument,
        context: &ArgumentContext<'_>,
    ) -> Expressed<Option<Hcl>> {
        let some = |hcl: Hcl| Ok(Some(hcl));
        let all = |items: &[Argument]| -> Expressed<Vec<Hcl>> {
            let items = items.iter().map(|item| self.argument_value(item, context));
            items.filter_map(Result::transpose).collect()
        };
        match argument {
            Argument::Expr(expr, wanted) => {
                let expressed = self.converted_expression(expr, *wanted)?;
                Ok((expressed != Hcl::Null).then_some(expressed))
            }
            Argument::Text(text) => some(Hcl::text(text)),
            Argument::Number(number) => some(Hcl::int(*number)),
            Argument::Bool(value) => some(Hcl::Bool(*value)),
            Argument::List(items) => some(Hcl::List(all(items)?)),
            Argument::Map(pairs) => {
                let mut out = Vec::new();
                for (key, value) in pairs {
                    if let Some(value) = self.argument_value(value, context)? {
                        out.push((Hcl::text(key), value));
                    }
                }
                some(Hcl::Object(out))
            }
            Argument::Blocks(blocks) => {
                let maps = blocks
                    .iter()
                    .map(|block| self.argument_value(&Argument::Map(block.clone()), context));
                let maps: Vec<Option<Hcl>> = maps.collect::<Result<_, _>>()?;
                some(Hcl::List(maps.into_iter().flatten().collect()))
            }
            Argument::BlocksFor { list, block } => {
                let item = Argument::Map(block.clone());
                self.argument_value(
                    &Argument::ListFor { list: list.clone(), item: Box::new(item) },
                    context,
                )
            }
            Argument::ListFor { list: of, item } => {
                let Some(list) = self.argument_value(of, context)? else {
                    return some(Hcl::List(vec![]));
                };
                let (value, name) = self.inside(item, &list, context)?;
                some(Hcl::each(name, present(of, list), value.unwrap_or(Hcl::Null)))
            }
            Argument::MapFor { list: of, keys, item, grouped } => {
                let Some(list) = self.argument_value(of, context)? else {
                    return some(Hcl::Object(vec![]));
                };
                let (list, item) = match grouped {
                    true => (addresses(list), by_address(item)),
                    false => (present(of, list), Argument::clone(item)),
                };
                let (value, name) = self.inside(&item, &list, context)?;
                let value = value.unwrap_or(Hcl::Null);
                // Of equal keys the last one counts, but a loop over pairs would reject them.
                let groups = |key: Hcl| {
                    let key = Hcl::call("try", [key, Hcl::Null]);
                    Hcl::groups(name.clone(), list, key, value)
                };
                let item = Hcl::name(name.clone());
                let groups = match keys.as_slice() {
                    [key] => groups(item.at(key.as_str())),
                    keys => {
                        let keys = Hcl::List(keys.iter().map(Hcl::text).collect());
                        let maps = groups(item.index(Hcl::name("key")));
                        Hcl::spread("merge", [Hcl::each("key", keys, maps)])
                    }
                };
                if *grouped {
                    return some(groups);
                }
                let length = Hcl::call("length", [Hcl::name("values")]);
                let last = Hcl::operation("-", length, Hcl::int(1));
                let last = Hcl::name("values").index(last);
                some(Hcl::map_of("key", "values", groups, Hcl::name("key"), last))
            }
            Argument::Item(path) if context.object_loop.is_some() => {
                let entry = context.object_loop.and_then(|it| it.entry(path));
                let value = entry.map(|it| self.generate(it)).transpose()?;
                Ok(value.map(|it| it.hcl).filter(|it| *it != Hcl::Null))
            }
            Argument::Item(path) => {
                let Some((name, list)) = &context.item else { return Ok(None) };
                let item = match name.is_empty() {
                    true => list.clone().index(Hcl::name("count.index")),
                    false => Hcl::name(name.clone()),
                };
                if path.is_empty() {
                    return some(item);
                }
                let found = path.iter().fold(item, |found, key| found.at(key.as_str()));
                some(Hcl::call("try", [found, Hcl::Null]))
            }
            Argument::Attribute { object, path } => {
                some(self.object_attribute(&object.resource, object.index, path, context)?)
            }
            Argument::Lookup { data, by, name, read } => {
                let Some(name) = self.argument_value(name, context)? else { return Ok(None) };
                some(self.data_source_lookup(data, by, name, read, context))
            }
            Argument::NameOrId { value, id, name } => {
                let Some(value) = self.argument_value(value, context)? else { return Ok(None) };
                let is_id = self.is_id(&value);
                // Either may be looked up, which must not happen with a value of the other kind. The
                // argument is omitted if the one that counts is null.
                let spelled = |argument: &Argument, guard: Hcl| -> Expressed<Hcl> {
                    let inner = ArgumentContext {
                        item: context.item.clone(),
                        count: context.count.clone(),
                        guard: Some(guard),
                        ..*context
                    };
                    Ok(self.argument_value(argument, &inner)?.unwrap_or(Hcl::Null))
                };
                let id = spelled(id, is_id.clone())?;
                let name = spelled(name, Hcl::not(is_id.clone()))?;
                let is_whole = id != Hcl::Null && name != Hcl::Null;
                let found = if id == value { "id" } else { "name" };
                let choice = Hcl::choice(is_id, id, name);
                some(match variable(&value).filter(|_| is_whole) {
                    Some(variable) => self.shared_local(&format!("{variable}_{found}"), choice),
                    None => choice,
                })
            }
            Argument::Conditional { condition, then, otherwise } => {
                let condition = self.generate_condition(condition)?;
                let then = self.argument_value(then, context)?.unwrap_or(Hcl::Null);
                let otherwise = self.argument_value(otherwise, context)?.unwrap_or(Hcl::Null);
                some(either(condition, then, otherwise))
            }
            Argument::ItemIs { path, text, then, otherwise } => {
                let item = self.argument_value(&Argument::Item(path.clone()), context)?;
                let wanted = text.as_ref().map_or(Hcl::Null, Hcl::text);
                let item = item.unwrap_or(Hcl::Null);
                if item.is_constant() {
                    let chosen = if item == wanted { then } else { otherwise };
                    return self.argument_value(chosen, context);
                }
                let is_it = Hcl::operation("==", item, wanted);
                let then = self.argument_value(then, context)?.unwrap_or(Hcl::Null);
                let otherwise = self.argument_value(otherwise, context)?.unwrap_or(Hcl::Null);
                some(either(is_it, then, otherwise))
            }
            Argument::AnyIs { lists, key, text } => {
                let Ok(lists) = all(lists) else { return some(Hcl::Bool(true)) };
                let found = Hcl::call("try", [Hcl::name("it").at(key.as_str()), Hcl::Null]);
                let is_it = Hcl::operation("==", found, Hcl::text(text));
                let each = lists.into_iter().map(|list| Hcl::each("it", list, is_it.clone()));
                let each: Vec<Hcl> = each.collect();
                let all = if each.len() == 1 { each } else { vec![Hcl::call("concat", each)] };
                some(Hcl::call("anytrue", all))
            }
            Argument::Concatenated(parts) => some(Hcl::concatenated(all(parts)?)),
            Argument::Index => some(Hcl::concatenated([match context.member {
                Some(index) => index.clone(),
                None => self.member_key(context.owner),
            }])),
            Argument::First(items) => {
                let items = all(items)?;
                if let Some(first) =
                    items.first().filter(|it| it.is_constant() && **it != Hcl::Null)
                {
                    return some(first.clone());
                }
                let list = Hcl::each_if(
                    "it",
                    Hcl::List(items),
                    Hcl::name("it"),
                    Some(Hcl::operation("!=", Hcl::name("it"), Hcl::Null)),
                );
                some(Hcl::call("try", [list.index(Hcl::int(0)), Hcl::Null]))
            }
            Argument::Null => Ok(None),
        }
    }

    /// Whether a value is an ID; of a variable this is a local value.
    fn is_id(&self, value: &Hcl) -> Hcl {
        let matches = Hcl::call("regex", [Hcl::text(UUID), value.clone()]);
        let is_id = Hcl::call("can", [matches]);
        match variable(value) {
            Some(variable) => self.shared_local(&format!("{variable}_is_id"), is_id),
            None => is_id,
        }
    }

    /// A local value of the module, which exists once for each expression.
    fn shared_local(&self, wanted: &str, value: Hcl) -> Hcl {
        let locals = &mut self.needs.borrow_mut().locals;
        let found = locals.iter().find(|(_, other)| **other == value).map(|(name, _)| name.clone());
        let name = found.unwrap_or_else(|| {
            let name = self.taken_locals.borrow_mut().allocate(wanted);
            locals.insert(name.clone(), value);
            name
        });
        Hcl::name(format!("local.{name}"))
    }

    /// Translates something that is built from the items of a list; returns also the name of an item.
    pub(super) fn inside(
        &self,
        item: &Argument,
        list: &Hcl,
        context: &ArgumentContext<'_>,
    ) -> Expressed<(Option<Hcl>, String)> {
        let name = match &context.item {
            Some((outer, _)) if outer == "it" => "inner",
            _ => "it",
        };
        let inner = ArgumentContext {
            item: Some((name.to_owned(), list.clone())),
            object_loop: None,
            count: context.count.clone(),
            guard: context.guard.clone(),
            ..*context
        };
        Ok((self.argument_value(item, &inner)?, name.to_owned()))
    }

    /// Whether an expression is a parameter whose default has white space around it, which Terraform does not convert to a number.
    fn has_blanks(&self, expr: &Expr) -> bool {
        let ExprKind::Parameter(reference) = &expr.kind else { return false };
        let name = reference.name.as_text().unwrap_or_default();
        let parameter = self.module.stack.parameters.get(name);
        let default = parameter.filter(|it| it.kind == Some(ParameterType::Text));
        let default = default.and_then(|it| it.default.as_ref()?.as_text());
        default.is_some_and(|text| text.trim() != text)
    }

    /// Translates an expression of the template to a type.
    fn converted_expression(&self, expr: &Expr, wanted: WantedType) -> Expressed<Hcl> {
        let expressed = self.generate(expr)?;
        Ok(match (wanted, &expressed.hcl) {
            (_, Hcl::Null) => Hcl::Null,
            // Convert like Heat's properties.
            (WantedType::Bool, Hcl::Text(text)) => {
                match python::strict_bool(&Value::text(text.as_str())) {
                    Ok(value) => Hcl::Bool(value),
                    Err(_) => expressed.hcl,
                }
            }
            (WantedType::Bool, _) if expressed.is(TypeSet::TEXT) => {
                let words = ["true", "t", "on", "y", "yes", "1"].map(Hcl::text);
                let lower = Hcl::call("lower", [expressed.hcl]);
                Hcl::call("contains", [Hcl::List(words.into()), lower])
            }
            (WantedType::Number, Hcl::Text(text)) => {
                match python::to_number(&Value::text(text.as_str())) {
                    Ok(number) => super::literal::plain(&number).unwrap_or(expressed.hcl),
                    Err(_) => expressed.hcl,
                }
            }
            (WantedType::Number, Hcl::Template(pieces)) => trimmed(pieces),
            (WantedType::Number, _) if self.has_blanks(expr) => {
                Hcl::call("trimspace", [expressed.hcl])
            }
            (WantedType::TextList, Hcl::Text(text)) => {
                let items = text.split(',').filter(|_| !text.is_empty()).map(Hcl::text);
                Hcl::List(items.collect())
            }
            (WantedType::TextList, _) if expressed.is(TypeSet::TEXT) => {
                Hcl::call("split", [Hcl::text(","), expressed.hcl])
            }
            (WantedType::TextMap, Hcl::Object(pairs))
                if pairs.iter().any(|(_, it)| is_compound(it)) =>
            {
                return Err(not_texts(expr));
            }
            (WantedType::TextList, Hcl::List(items)) if items.iter().any(is_compound) => {
                return Err(not_texts(expr));
            }
            (WantedType::JsonMap, Hcl::Object(pairs)) => {
                let whole = pairs.iter().map(|(key, value)| {
                    let written = match (&expr.kind, key) {
                        (ExprKind::Map(pairs), Hcl::Text(key)) => {
                            pairs.iter().rev().find(|pair| pair.key.as_text() == Some(key))
                        }
                        _ => None,
                    };
                    let is_text = written.is_some_and(|pair| self.is_scalar(&pair.value));
                    let value = value.clone();
                    (key.clone(), if is_text { value } else { json_unless_text(value) })
                });
                Hcl::Object(whole.collect())
            }
            (WantedType::JsonMap, _) => {
                let value = json_unless_text(Hcl::name("value"));
                Hcl::map_of("key", "value", expressed.hcl, Hcl::name("key"), value)
            }
            (WantedType::Text, Hcl::Number(digits)) => Hcl::text(digits),
            (WantedType::Text, _) if expressed.is(TypeSet::LIST) || expressed.is(TypeSet::MAP) => {
                super::text::json(expressed.hcl)
            }
            _ => expressed.hcl,
        })
    }

    /// Whether a value is a string, or converts to one. Attributes of resources nearly always do.
    fn is_scalar(&self, value: &Expr) -> bool {
        let scalar = TypeSet::TEXT.union(TypeSet::NUMBER).union(TypeSet::BOOLEAN);
        match &value.kind {
            ExprKind::Attribute(_) | ExprKind::Resource(_) => true,
            _ => self.generate(value).is_ok_and(|expressed| expressed.is(scalar)),
        }
    }
}

/// The networks of a server that have an address, once for each family: the provider reports a missing one as an empty string.
fn addresses(networks: Hcl) -> Hcl {
    let (network, address) = (Hcl::name("network"), Hcl::name("address"));
    let families = ["fixed_ip_v4", "fixed_ip_v6"].map(|family| network.clone().at(family));
    let families = Hcl::call("compact", [Hcl::List(families.into())]);
    let entry = Hcl::Object(vec![(Hcl::text(ADDRESS), address)]);
    let entry = Hcl::call("merge", [network, entry]);
    let of_network = Hcl::each_if("address", families, entry, None);
    Hcl::call("flatten", [Hcl::each_if("network", networks, of_network, None)])
}

/// What is reported of each network, for one of its addresses.
fn by_address(item: &Argument) -> Argument {
    match item {
        Argument::First(_) => Argument::Item(vec![ADDRESS.to_owned()]),
        Argument::Map(pairs) => Argument::Map(
            pairs.iter().map(|(key, value)| (key.clone(), by_address(value))).collect(),
        ),
        other => other.clone(),
    }
}

/// A template without white space around it.
fn trimmed(pieces: &[TemplatePart]) -> Hcl {
    let mut pieces = pieces.to_vec();
    if let Some(TemplatePart::Text(first)) = pieces.first_mut() {
        *first = first.trim_start().to_owned();
    }
    if let Some(TemplatePart::Text(last)) = pieces.last_mut() {
        *last = last.trim_end().to_owned();
    }
    Hcl::concatenated(pieces.into_iter().map(|piece| match piece {
        TemplatePart::Text(text) => Hcl::Text(text),
        TemplatePart::Value(value) => value,
    }))
}

/// The name of a variable, if a value is one.
fn variable(value: &Hcl) -> Option<&str> {
    match value {
        Hcl::Name(name) => name.strip_prefix("var."),
        _ => None,
    }
}

/// A choice by a condition, which is simplified if the condition or the branches allow it.
fn either(condition: Hcl, then: Hcl, otherwise: Hcl) -> Hcl {
    match (then, otherwise) {
        (Hcl::Bool(true), Hcl::Bool(false)) => condition,
        (Hcl::Bool(false), Hcl::Bool(true)) => match condition {
            Hcl::Operation("==", sides) => Hcl::Operation("!=", sides),
            condition => Hcl::not(condition),
        },
        (then, otherwise) => Hcl::choice(condition, then, otherwise),
    }
}

/// The items of a list that are not null, which those of the provider never are.
pub(super) fn present(of: &Argument, list: Hcl) -> Hcl {
    let is_of_provider =
        matches!(of, Argument::Attribute { .. }) && !matches!(list, Hcl::Call { .. });
    match &list {
        _ if is_of_provider => list,
        Hcl::List(items) if !items.contains(&Hcl::Null) => list,
        Hcl::For(_) => list,
        _ => {
            let is_there = Hcl::operation("!=", Hcl::name("it"), Hcl::Null);
            let list = Hcl::call("try", [Hcl::call("concat", [list]), Hcl::List(vec![])]);
            Hcl::each_if("it", list, Hcl::name("it"), Some(is_there))
        }
    }
}
