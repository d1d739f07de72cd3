//! Translates values of properties into arguments: names are looked up, lists become blocks or objects.

use std::borrow::Cow;

use indexmap::IndexMap;

use super::model::{Argument, ProviderObject, WantedType};
use super::resource_builder::{Arguments, ResourceBuilder, default_of, is_supported};
use super::schema::{ArgumentInfo, ArgumentType, ProviderSchema, missing};
use super::table::grants_access;
use crate::identifier_kind::{IdentifierKind, mentions_resources};
use crate::mapping::PropertyMapping;
use crate::render_model::computed_constant;
use heat_engine::eval::Value;
use heat_engine::security_rule;
use heat_template::ir::{Choice, Expr, ExprKind, Pair};
use heat_template::schema::Property;
use python_semantics::number::Integer;
use source_diagnostics::Span;

impl<'c> ResourceBuilder<'c, '_> {
    /// The value of an argument that is not a block. `None` if it cannot be expressed.
    pub(super) fn value(
        &mut self,
        name: &str,
        property: &'static PropertyMapping,
        info: &ArgumentInfo,
        value: &Expr,
    ) -> Option<Argument> {
        let is_list = matches!(info.kind, ArgumentType::List | ArgumentType::Set);
        let is_named = property.lookup.is_some() || property.wants.is_some();
        if is_named && is_list {
            return Some(self.named_list(name, property, value));
        }
        if is_named {
            return self.named(name, property, value);
        }
        let constant = self.catalog.evaluator.constant(value);
        // Messages show no secret, even if the result may.
        let shown = |text: &dyn std::fmt::Display| match &constant {
            Some(value) if value.holds_secret() => "the hidden value".to_owned(),
            _ => format!("`{text}`"),
        };
        let known_value = constant.as_ref().map(|value| value.reveal().0);
        let known = match &known_value {
            Some(Value::Text(text)) => Some(text.clone()),
            _ => None,
        };
        if let Some(text) = known.as_deref() {
            if let Some(other) = property.values.get(text) {
                return Some(Argument::Text(other.clone()));
            }
            let stored = match property.holds.as_deref() {
                Some("cidr") => security_rule::cidr(text),
                Some("subnet") => security_rule::subnet_cidr(text),
                _ => None,
            };
            if let Some(stored) = stored.filter(|it| it != text) {
                return Some(Argument::Text(stored));
            }
            let is_choice = |choice: &serde_json::Value| choice.as_str() == Some(text);
            if !info.choices.is_empty() && !info.choices.iter().any(is_choice) {
                let choices = info.choices.iter().filter_map(serde_json::Value::as_str);
                let choices: Vec<&str> = choices.collect();
                let why = format!("the provider does not accept {}", shown(&text));
                let suggestion = format!("one of {}", choices.join(", "));
                self.report_lost_value(name, value.span, &why, &suggestion);
                return None;
            }
        }
        if let (Some((least, most)), Some(number)) = (info.range, number_of(known_value.as_ref()))
            && (least.is_some_and(|least| number < least) || most.is_some_and(|most| number > most))
        {
            let bounds = match (least, most) {
                (Some(least), Some(most)) => format!("from {least} to {most}"),
                (Some(least), None) => format!("from {least} on"),
                (None, Some(most)) => format!("up to {most}"),
                (None, None) => String::new(),
            };
            let why = format!("the provider does not accept {}", shown(&number));
            self.report_lost_value(name, value.span, &why, &format!("a number {bounds}"));
            return None;
        }
        let wanted = match info.wanted() {
            WantedType::TextMap if property.json => WantedType::JsonMap,
            wanted => wanted,
        };
        let written = self.computed_list(value).into_owned();
        match (wanted, &written.kind) {
            (WantedType::TextMap | WantedType::JsonMap, ExprKind::Map(pairs)) => {
                let mut kept = Vec::with_capacity(pairs.len());
                for pair in pairs {
                    let part = pair.key.as_text().unwrap_or("a key").to_owned();
                    let value = match wanted {
                        WantedType::JsonMap => Some(self.as_json(&pair.value)),
                        _ => self.as_scalar(&format!("{name}.{part}"), &pair.value),
                    };
                    kept.extend(value.map(|value| Pair { key: pair.key.clone(), value }));
                }
                if kept.is_empty() && !pairs.is_empty() {
                    return None;
                }
                match kept == **pairs {
                    true => Some(Argument::Expr(value.clone(), wanted)),
                    false => Some(Argument::Expr(
                        Expr::new(ExprKind::Map(kept.into()), value.span),
                        wanted,
                    )),
                }
            }
            (WantedType::TextList, ExprKind::List(items)) => {
                let kept = items.iter().enumerate();
                let kept: Vec<Expr> = kept
                    .filter_map(|(at, item)| self.as_scalar(&format!("{name}.{at}"), item))
                    .collect();
                match kept.len() == items.len() {
                    true => Some(Argument::Expr(value.clone(), wanted)),
                    false if kept.is_empty() => None,
                    false => Some(Argument::Expr(
                        Expr::new(ExprKind::List(kept.into()), value.span),
                        wanted,
                    )),
                }
            }
            _ => Some(Argument::Expr(value.clone(), wanted)),
        }
    }

    /// A member serialized to JSON, if its value is known and is not a string.
    fn as_json(&self, value: &Expr) -> Expr {
        let known = self.catalog.evaluator.constant(value).map(|known| known.reveal().0);
        let json = match &known {
            None | Some(Value::Text(_)) => None,
            Some(known) => heat_engine::eval::python::json_dumps(known, false).ok(),
        };
        match json {
            Some(json) => Expr::new(ExprKind::Text(json.into()), value.span),
            None => value.clone(),
        }
    }

    /// A member of a map or list of strings; a list or a map in its place is a loss.
    fn as_scalar(&mut self, name: &str, value: &Expr) -> Option<Expr> {
        let known = self.catalog.evaluator.constant(value).map(|known| known.reveal().0);
        let is_compound = matches!(value.kind, ExprKind::List(_) | ExprKind::Map(_))
            || matches!(known, Some(Value::List(_) | Value::Map(_)));
        if is_compound {
            let why = "the provider accepts strings here, not lists and maps";
            self.report_lost_value(name, value.span, why, "set it outside the stack");
            return None;
        }
        Some(value.clone())
    }

    /// A value that refers to a resource by name or ID.
    pub(super) fn named(
        &mut self,
        name: &str,
        property: &'static PropertyMapping,
        value: &Expr,
    ) -> Option<Argument> {
        if let ExprKind::Choose(choice) = &value.kind
            && (mentions_resources(value) || property.wants.is_some() || may_be_null(choice))
        {
            let then = self.named(name, property, &choice.then)?;
            let otherwise = match &choice.otherwise {
                Some(otherwise) => self.named(name, property, otherwise)?,
                None => Argument::Null,
            };
            return Some(Argument::Conditional {
                condition: choice.condition.clone(),
                then: Box::new(then),
                otherwise: Box::new(otherwise),
            });
        }
        if value.kind == ExprKind::Null {
            return Some(Argument::Null);
        }
        if let (Some(resource), Some(wanted)) =
            (self.catalog.referenced_resource(value), &property.wants)
        {
            let found = self.catalog.object_attribute(resource, wanted);
            if found.is_none() {
                let why = format!(
                    "the provider requires the {wanted} of `{resource}`, which is not available"
                );
                self.report_lost_value(name, value.span, &why, "refer to that resource itself");
            }
            return found;
        }
        let known = self.catalog.evaluator.constant(value).map(|it| it.reveal().0);
        if property.lookup.is_some() && known == Some(Value::text("")) {
            // OpenStack would return any resource without a name, where Heat finds none.
            let why = "the name is empty, so that Heat finds no resource";
            self.report_lost_value(name, value.span, why, "set a name or an ID");
            return None;
        }
        let expr = Argument::Expr(value.clone(), WantedType::Text);
        if property.wants.as_deref() == Some("address") && self.is_added_parameter(value) {
            return Some(expr);
        }
        let naming = self.catalog.identifier_kind(value);
        match self.by_naming(property, naming, expr) {
            Some(argument) => Some(argument),
            None => {
                let wanted = property.wants.as_deref().unwrap_or("id");
                let why = match (&property.lookup, &property.note) {
                    (None, Some(note)) => note.clone(),
                    _ => format!(
                        "the provider requires the {wanted}; whether the value is a name becomes \
                         known too late to look it up"
                    ),
                };
                let suggestion =
                    format!("set the {wanted}, or refer to a resource of the template");
                // A parameter that is given with the result: it only has to be another value.
                if naming == IdentifierKind::Either
                    && property.lookup.is_none()
                    && property.wants.is_some()
                {
                    let how = format!("Heat accepts the ID, the provider the {wanted}");
                    let suggestion = format!("set the {wanted} in place of the ID");
                    self.report_note(name, value.span, &how, &suggestion);
                    return Some(Argument::Expr(value.clone(), WantedType::Text));
                }
                self.report_lost_value(name, value.span, &why, &suggestion);
                match property.wants {
                    Some(_) => None,
                    // An ID is used as it is.
                    None => Some(Argument::Expr(value.clone(), WantedType::Text)),
                }
            }
        }
    }

    /// Whether a value is a parameter that the template lacks: it holds what the provider wants.
    fn is_added_parameter(&self, value: &Expr) -> bool {
        let ExprKind::Parameter(parameter) = &value.kind else { return false };
        let name = parameter.name.as_text();
        let declared = name.and_then(|it| self.catalog.module.stack.parameters.get(it));
        declared.is_some_and(|it| it.name_span == Span::NOWHERE)
    }

    /// The argument for a value that is known to be a name or an ID; `None` if it cannot be expressed.
    pub(super) fn by_naming(
        &self,
        property: &PropertyMapping,
        naming: IdentifierKind,
        value: Argument,
    ) -> Option<Argument> {
        let by_name = |read: &str| {
            property.lookup.as_ref().map(|data| Argument::Lookup {
                data: data.clone(),
                by: property.by.clone().unwrap_or_else(|| "name".to_owned()),
                name: Box::new(value.clone()),
                read: read.to_owned(),
            })
        };
        let (id, name) = match property.wants.as_deref() {
            None => (Some(value.clone()), by_name("id")),
            Some(wanted) => {
                let by_id = property.by_id.as_ref().zip(property.lookup.as_ref());
                let id = by_id.map(|(by, data)| Argument::Lookup {
                    data: data.clone(),
                    by: by.clone(),
                    name: Box::new(value.clone()),
                    read: wanted.to_owned(),
                });
                let name = if wanted == "name" { Some(value.clone()) } else { by_name(wanted) };
                (id, name)
            }
        };
        match naming {
            IdentifierKind::Id | IdentifierKind::LaterId => id,
            IdentifierKind::Name => name,
            IdentifierKind::Either => Some(Argument::NameOrId {
                value: Box::new(value.clone()),
                id: Box::new(id?),
                name: Box::new(name?),
            }),
            IdentifierKind::Mixed => None,
        }
    }

    /// A list of values that refer to resources by name or ID.
    fn named_list(
        &mut self,
        name: &str,
        property: &'static PropertyMapping,
        value: &Expr,
    ) -> Argument {
        match &value.kind {
            ExprKind::List(items) => {
                let items = items.iter().filter_map(|item| self.named(name, property, item));
                Argument::List(items.collect())
            }
            ExprKind::Choose(choice) => Argument::Conditional {
                condition: choice.condition.clone(),
                then: Box::new(self.named_list(name, property, &choice.then)),
                otherwise: Box::new(match &choice.otherwise {
                    Some(otherwise) => self.named_list(name, property, otherwise),
                    None => Argument::Null,
                }),
            },
            _ => {
                let naming = naming_of_items(self, value);
                if self.catalog.identifier_kind(value) == IdentifierKind::Mixed {
                    let why = "it has names and IDs of resources, which cannot be told apart before they exist: all are taken for IDs";
                    let suggestion = "pass IDs only, or names only";
                    self.report_lost_value(name, value.span, why, suggestion);
                }
                let item = Argument::Item(Vec::new());
                let item = self.by_naming(property, naming, item.clone()).unwrap_or(item);
                Argument::ListFor {
                    list: Box::new(Argument::Expr(value.clone(), WantedType::Any)),
                    item: Box::new(item),
                }
            }
        }
    }

    /// A computed list with a known value is treated like a literal.
    pub(super) fn computed_list<'e>(&self, value: &'e Expr) -> Cow<'e, Expr> {
        match computed_constant(&self.catalog.evaluator, value) {
            Some(known) => Cow::Owned(known),
            None => Cow::Borrowed(value),
        }
    }

    /// The blocks of a list of maps, or of a single map, whose members are in the table.
    pub(super) fn blocks(
        &mut self,
        property: &'static PropertyMapping,
        block: &'static IndexMap<String, ArgumentInfo>,
        heat: Option<&'static Property>,
        value: &Expr,
    ) -> Vec<Argument> {
        let members = members_of(heat);
        let mut parts: Vec<Argument> = Vec::new();
        for item in items(&self.computed_list(value), true) {
            match item {
                ListItem::Written(map) => {
                    let arguments = self.members(property, block, members, map);
                    match parts.last_mut() {
                        Some(Argument::Blocks(blocks)) => blocks.push(arguments),
                        _ => parts.push(Argument::Blocks(vec![arguments])),
                    }
                }
                ListItem::Computed(list) => {
                    let arguments = self.members_of_item(property, block, members, &list);
                    parts.push(Argument::BlocksFor {
                        list: Box::new(Argument::Expr(list, WantedType::Any)),
                        block: arguments,
                    });
                }
            }
        }
        parts
    }

    /// Objects for the items of a list, besides the main object.
    pub(super) fn objects_of(
        &mut self,
        name: &str,
        kind: &'static str,
        property: &'static PropertyMapping,
        value: &Expr,
    ) {
        let Some(info) = ProviderSchema::get().resource(kind) else { return };
        let members = members_of(self.heat_property(name));
        let suffix = property.suffix.as_deref().unwrap_or(name);
        let value = self.computed_list(value);
        for (index, item) in items(&value, property.item.is_none()).into_iter().enumerate() {
            let (arguments, each, span) = match item {
                ListItem::Written(map) => {
                    let arguments = match &property.item {
                        Some(item) => {
                            let Some(info) = item.to.as_ref().and_then(|to| info.arguments.get(to))
                            else {
                                continue;
                            };
                            let to = item.to.clone().unwrap_or_default();
                            match self.value(name, item, info, map) {
                                Some(value) => vec![(to, value)],
                                None => continue,
                            }
                        }
                        None => self.members(property, &info.arguments, members, map),
                    };
                    (arguments, None, map.span)
                }
                ListItem::Computed(list) => {
                    let arguments = match &property.item {
                        Some(item) => {
                            let value = Argument::Item(Vec::new());
                            let naming = naming_of_items(self, &list);
                            let value = match &item.lookup {
                                Some(_) => self.by_naming(item, naming, value.clone()),
                                None => None,
                            };
                            let value = value.unwrap_or(Argument::Item(Vec::new()));
                            vec![(item.to.clone().unwrap_or_default(), value)]
                        }
                        None => self.members_of_item(property, &info.arguments, members, &list),
                    };
                    let span = list.span;
                    (arguments, Some(Argument::Expr(list, WantedType::Any)), span)
                }
            };
            let object = ProviderObject {
                suffix: format!("{suffix}_{index}"),
                kind: kind.to_owned(),
                arguments,
                each,
                only_if: None,
                after: Vec::new(),
                ignores: Vec::new(),
                span,
            };
            self.object(property, object);
        }
    }

    /// One object besides the main one.
    pub(super) fn object(&mut self, property: &PropertyMapping, mut object: ProviderObject) {
        let kind = object.kind.clone();
        if let Some(parent) = &property.parent {
            object.arguments.insert(0, (parent.clone(), self.reference()));
        }
        if let Err(why) = self.exclude(&kind, &mut object.arguments, object.span) {
            return self.report_dropped_rule(&why, object.span);
        }
        let info = ProviderSchema::get().resource(&kind);
        let missing =
            info.map(|info| missing(&info.arguments, &object.arguments)).unwrap_or_default();
        if !missing.is_empty() && property.parent.is_some() {
            let why = format!("`{kind}` requires {}", missing.join(", "));
            match grants_access(&kind) {
                true => self.report_dropped_rule(&why, object.span),
                false => self.report_lost_property(&object.suffix, object.span, &why),
            }
            return;
        }
        for object in apart(object) {
            self.add(object);
        }
    }

    /// The members of a map literal.
    pub(super) fn members(
        &mut self,
        property: &'static PropertyMapping,
        block: &'static IndexMap<String, ArgumentInfo>,
        heat: Option<&'static heat_template::schema::Table<Property>>,
        map: &Expr,
    ) -> Arguments {
        let ExprKind::Map(pairs) = &map.kind else { return Vec::new() };
        for pair in pairs {
            let Some(key) = pair.key.as_text() else { continue };
            let known = property.members.get(key);
            if !known.is_some_and(|it| is_supported(it) || it.same_as.is_some()) {
                let why = known.and_then(|it| it.note.as_deref());
                self.report_lost_property(
                    key,
                    pair.value.span,
                    why.unwrap_or("the provider has no equivalent"),
                );
            }
        }
        let mut arguments = Vec::new();
        for (name, member) in &property.members {
            let Some(to) = &member.to else { continue };
            let Some(info) = block.get(to) else { continue };
            let value = written(property, map, name);
            let value = match value.filter(|value| value.kind != ExprKind::Null) {
                Some(value) => self.value(name, member, info, value),
                None if member.explicit => heat.and_then(|it| default_of(it.get(name.as_str())?)),
                None => None,
            };
            if let Some(value) = value {
                arguments.push((to.clone(), value));
            }
        }
        arguments
    }

    /// The members of an item of a computed list.
    pub(super) fn members_of_item(
        &mut self,
        property: &'static PropertyMapping,
        block: &'static IndexMap<String, ArgumentInfo>,
        heat: Option<&'static heat_template::schema::Table<Property>>,
        list: &Expr,
    ) -> Arguments {
        let naming = naming_of_items(self, list);
        let mut arguments = Vec::new();
        for (name, member) in &property.members {
            let Some(to) = member.to.as_ref().filter(|to| block.contains_key(*to)) else {
                continue;
            };
            let value = of_item(property, name);
            let value = match member.lookup.is_some() || member.wants.is_some() {
                true => self.by_naming(member, naming, value.clone()).unwrap_or(value),
                false => value,
            };
            let default = match member.explicit {
                true => heat.and_then(|it| default_of(it.get(name.as_str())?)),
                false => None,
            };
            let value = match default {
                Some(default) => Argument::First(vec![value, default]),
                None => value,
            };
            arguments.push((to.clone(), value));
        }
        arguments
    }
}

/// A number, which may be written as a string.
pub(super) fn number_of(value: Option<&Value>) -> Option<i64> {
    match value? {
        Value::Int(Integer::Small(number)) => Some(*number),
        Value::Text(text) => text.trim().parse().ok(),
        _ => None,
    }
}

/// Whether a branch of a choice is null, which no data source can look up.
pub(super) fn may_be_null(choice: &Choice) -> bool {
    let is_null = |it: &Expr| it.kind == ExprKind::Null;
    is_null(&choice.then) || choice.otherwise.as_ref().is_none_or(is_null)
}

/// One object for each item of a list, as two if the provider accepts only one of two arguments: it
/// rejects both before it knows which of them is null.
fn apart(object: ProviderObject) -> Vec<ProviderObject> {
    let is_split = object.each.is_some() && object.only_if.is_none();
    let Some(kind) = ProviderSchema::get().resource(&object.kind).filter(|_| is_split) else {
        return vec![object];
    };
    let given = &object.arguments;
    let rivals = given.iter().enumerate().find_map(|(at, (name, value))| {
        let info = kind.arguments.get(name)?;
        let rivals = info.conflicts_with.iter().chain(&info.exactly_one_of);
        let before = given[..at].iter().find(|(there, _)| rivals.clone().any(|it| it == there))?;
        Some((before.0.clone(), name.clone(), value.item_path()?.to_vec()))
    });
    let Some((first, second, path)) = rivals else { return vec![object] };
    let part = |without: &str, suffix: String, is_null: bool| {
        let mut arguments = object.arguments.clone();
        arguments.retain(|(name, _)| name != without);
        let only_if = Argument::ItemIs {
            path: path.clone(),
            text: None,
            then: Box::new(Argument::Bool(is_null)),
            otherwise: Box::new(Argument::Bool(!is_null)),
        };
        ProviderObject { suffix, arguments, only_if: Some(only_if), ..object.clone() }
    };
    let ending = second.strip_suffix("_id").unwrap_or(&second);
    vec![
        part(&second, object.suffix.clone(), true),
        part(&first, format!("{}_{ending}", object.suffix), false),
    ]
}

/// An item of a list, or a computed part of a list.
pub(super) enum ListItem<'e> {
    Written(&'e Expr),
    /// A list that is one part of the whole: how many items it has is unknown until it is computed.
    Computed(Expr),
}

/// The items of a list, or the single map in its place. With `are_maps`, items count as literal
/// only if they are maps.
pub(super) fn items(value: &Expr, are_maps: bool) -> Vec<ListItem<'_>> {
    let one = |item: &Expr| Expr::new(ExprKind::List([item.clone()].into()), item.span);
    match &value.kind {
        ExprKind::Null => Vec::new(),
        ExprKind::Map(_) => vec![ListItem::Written(value)],
        ExprKind::List(items) => items
            .iter()
            .filter(|item| item.kind != ExprKind::Null)
            .map(|item| match &item.kind {
                ExprKind::Map(_) => ListItem::Written(item),
                // Whether an optional item exists is known only when it is computed.
                ExprKind::Choose(_) => ListItem::Computed(one(item)),
                _ if are_maps => ListItem::Computed(one(item)),
                _ => ListItem::Written(item),
            })
            .collect(),
        _ => vec![ListItem::Computed(value.clone())],
    }
}

/// The value of a member of a map literal, under its current or a deprecated name.
pub(super) fn written<'e>(
    property: &PropertyMapping,
    map: &'e Expr,
    name: &str,
) -> Option<&'e Expr> {
    let entry = |name: &str| map.member(name);
    let old = property.members.iter().filter(|(_, it)| it.same_as.as_deref() == Some(name));
    let not_null = |value: &&Expr| value.kind != ExprKind::Null;
    entry(name).filter(not_null).or_else(|| old.filter_map(|(old, _)| entry(old)).find(not_null))
}

/// The value of a member of the current item, under its current or a deprecated name.
fn of_item(property: &PropertyMapping, name: &str) -> Argument {
    let old = property.members.iter().filter(|(_, it)| it.same_as.as_deref() == Some(name));
    let item = |name: &str| Argument::Item(vec![name.to_owned()]);
    let mut all = vec![item(name)];
    all.extend(old.map(|(old, _)| item(old)));
    match all.len() {
        1 => item(name),
        _ => Argument::First(all),
    }
}

fn members_of(
    heat: Option<&'static Property>,
) -> Option<&'static heat_template::schema::Table<Property>> {
    let heat = heat?;
    Some(&heat.items.as_deref().unwrap_or(heat).members)
}

/// Whether the items of a computed list are names: attributes of resources are IDs.
fn naming_of_items(builder: &ResourceBuilder<'_, '_>, list: &Expr) -> IdentifierKind {
    if mentions_resources(list) {
        return IdentifierKind::LaterId;
    }
    match builder.catalog.identifier_kind(list) {
        IdentifierKind::Mixed | IdentifierKind::LaterId => IdentifierKind::LaterId,
        decided => decided,
    }
}
