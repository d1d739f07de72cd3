//! Reads properties for the security checks: leniently, since values are validated elsewhere, and with the span
//! of each value.

use std::borrow::Cow;
use std::sync::Arc;

use super::ResourceRenames;
use crate::equality::ParameterRenames;
use heat_engine::eval::{
    Dependency, EvaluatedProperties, EvaluatedResource, ListContent, ListPart, Map, Operation,
    Term, Unknown, Value, list_parts, python,
};
use heat_template::ir::{self, Expr, ExprKind, UnaryFunction};
use heat_template::schema::{ReplaceWith, ResourceType, Translation};
use python_semantics::number::Integer;
use source_diagnostics::Span;

#[derive(Clone, Copy, Debug)]
pub(super) struct ResourceSide<'a> {
    /// The name in its own stack.
    pub(super) name: &'a str,
    /// The prefix of its full name: the names of the resources whose stacks contain it, ending with `/`.
    pub(super) scope: &'a str,
    pub(super) resource_type: &'a str,
    pub(super) type_info: &'static ResourceType,
    pub(super) resource: &'a EvaluatedResource,
    pub(super) stack: &'a ir::Stack,
    /// The number of stacks that enclose its own.
    pub(super) level: usize,
    /// The parameters that are renamed on the other side, if this is the old one.
    pub(super) names: Option<&'a ParameterRenames>,
    /// The resources that are renamed on the other side, if this is the old one.
    pub(super) resource_renames: Option<&'a ResourceRenames>,
}

/// The property whose entries Heat passes to the service beside, or in place of, the other properties.
pub(super) const VALUE_SPECS: &str = "value_specs";

/// A value as far as the checks can use it.
pub(super) type ReadValue<'a> = heat_engine::security_rule::ReadValue<'a, OpaqueValue>;

/// A value that cannot be examined but can be compared with others.
#[derive(Clone, Debug)]
pub(super) struct OpaqueValue {
    /// Equal for equal values.
    pub(super) key: String,
    /// The value for messages, without secrets.
    pub(super) shown: String,
    /// Whether it, or a part of it, is unknown; otherwise it is only secret.
    pub(super) unknown: bool,
    /// The resource whose reference id it is, and the number of stacks that enclose that resource's.
    pub(super) reference: Option<(String, usize)>,
}

// `shown` differs for a renamed parameter and is not compared.
impl PartialEq for OpaqueValue {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for OpaqueValue {}

impl PartialOrd for OpaqueValue {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for OpaqueValue {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key.cmp(&other.key)
    }
}

impl std::hash::Hash for OpaqueValue {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.key.hash(state);
    }
}

/// A property that is a list.
pub(super) enum ReadList<'a> {
    /// Not specified, or null.
    Absent,
    /// A known value that is not a list.
    Other(Cow<'a, Value>),
    Parts(Vec<ReadPart>),
}

/// A part of a list.
pub(super) struct ReadPart {
    pub(super) content: ReadContent,
    /// Equal for equal conditions; empty if the list certainly has the part.
    pub(super) guard: String,
    /// The position, as in `ListPart`.
    pub(super) position: Option<usize>,
}

/// The elements of a part of a list.
pub(super) enum ReadContent {
    Item(Value),
    /// Any number of unknown items.
    Rest(OpaqueValue),
}

impl<'a> ResourceSide<'a> {
    /// A property, under its older name if it has one, or its default.
    pub(super) fn property(&self, name: &str) -> ReadValue<'a> {
        match self.raw(name) {
            RawProperty::Absent => self.default_property(name),
            RawProperty::Value(value) => self.read(value),
            RawProperty::Failed(key) => ReadValue::Opaque(OpaqueValue {
                key,
                shown: "a value that fails".to_owned(),
                unknown: true,
                reference: None,
            }),
        }
    }

    /// A property that is not specified under this name.
    fn default_property(&self, name: &str) -> ReadValue<'a> {
        if let Some(older) = self.older_name(name)
            && let RawProperty::Value(value) = self.raw(older)
        {
            return self.read(value);
        }
        match self.type_info.property(name).and_then(|property| property.default.as_ref()) {
            Some(serde_json::Value::Bool(value)) => {
                ReadValue::Known(Cow::Owned(Value::Bool(*value)))
            }
            Some(serde_json::Value::String(text)) => {
                ReadValue::Known(Cow::Owned(Value::text(text.as_str())))
            }
            _ => ReadValue::Absent,
        }
    }

    /// A former name of the property, whose value Heat uses.
    fn older_name(&self, name: &str) -> Option<&'static str> {
        self.type_info.translations.iter().flatten().find_map(|translation| match translation {
            Translation::Replace { path, with } if path[..] == [name] => match with {
                ReplaceWith::Sibling(older) => Some(*older),
                ReplaceWith::Property(path) => match path[..] {
                    [older] => Some(older),
                    _ => None,
                },
            },
            _ => None,
        })
    }

    /// A property that may contain unknown or secret parts.
    pub(super) fn value(&self, name: &str) -> Option<&'a Value> {
        match self.raw(name) {
            RawProperty::Value(value) if !is_nothing(value) => Some(value),
            _ => None,
        }
    }

    /// The arguments of the service: an entry of `value_specs` takes the place of the property.
    fn raw(&self, name: &str) -> RawProperty<'a> {
        if self.type_info.property(VALUE_SPECS).is_some()
            && let RawProperty::Value(specs) = self.own(VALUE_SPECS)
            && let Value::Map(specs) = specs.unsealed()
            && let Some(value) = specs.get(name)
        {
            return RawProperty::Value(value);
        }
        self.own(name)
    }

    /// A property under its own name.
    fn own(&self, name: &str) -> RawProperty<'a> {
        let outcome = match &self.resource.properties {
            EvaluatedProperties::Each(each) => each.get(name),
            EvaluatedProperties::Whole(Ok(whole)) => match whole.unsealed() {
                Value::Map(map) => {
                    return map.get(name).map_or(RawProperty::Absent, RawProperty::Value);
                }
                Value::Null | Value::Elided => return RawProperty::Absent,
                _ => return RawProperty::Value(whole),
            },
            EvaluatedProperties::Whole(Err(failure)) => {
                return RawProperty::Failed(failure.words());
            }
        };
        match outcome {
            None => RawProperty::Absent,
            Some(Ok(value)) => RawProperty::Value(value),
            Some(Err(failure)) => RawProperty::Failed(failure.words()),
        }
    }

    /// A property that is a list, under its older name if it has one: what is known of it.
    pub(super) fn list(&self, name: &str) -> ReadList<'a> {
        let opaque = match self.property(name) {
            ReadValue::Absent => return ReadList::Absent,
            ReadValue::Known(value) => {
                return match list_parts(&value) {
                    Some(parts) => ReadList::Parts(self.read_parts(parts)),
                    None => ReadList::Other(value),
                };
            }
            ReadValue::Opaque(opaque) => opaque,
        };
        let value = self.value(name).or_else(|| self.value(self.older_name(name)?));
        match value.and_then(list_parts) {
            Some(parts) => ReadList::Parts(self.read_parts(parts)),
            None => ReadList::Parts(vec![ReadPart {
                content: ReadContent::Rest(opaque),
                guard: String::new(),
                position: None,
            }]),
        }
    }

    fn read_parts(&self, parts: Vec<ListPart>) -> Vec<ReadPart> {
        let read = |part: ListPart| {
            let guard: String = part
                .conditions
                .iter()
                .map(|(condition, outcome)| format!("{outcome} {}\n", self.key(condition)))
                .collect();
            let content = match part.content {
                ListContent::Item(value) => ReadContent::Item(value),
                ListContent::Rest(value) => ReadContent::Rest(self.opaque(&value)),
            };
            ReadPart { content, guard, position: part.position }
        };
        parts.into_iter().map(read).collect()
    }

    /// The values at a path, each with a label that distinguishes it from the others: empty without a list
    /// on the path, otherwise the item's name or position.
    pub(super) fn parts(&self, path: &[&str]) -> Vec<(String, ReadValue<'a>)> {
        let Some((first, rest)) = path.split_first() else { return Vec::new() };
        let mut found = Vec::new();
        match self.value(first).or_else(|| self.value(self.older_name(first)?)) {
            Some(value) => self.collect(value, rest, "", &mut found),
            // The default, or a value that fails.
            None if rest.is_empty() => found.push((String::new(), self.property(first))),
            None => match self.property(first) {
                ReadValue::Opaque(opaque) => {
                    found.push((String::new(), ReadValue::Opaque(opaque)));
                }
                ReadValue::Absent | ReadValue::Known(_) => {}
            },
        }
        found
    }

    /// The span of a property; of the resource if the property is not specified.
    pub(super) fn property_span(&self, property: &str) -> Option<Span> {
        let found = self.written(property).map(|expr| expr.span);
        found.or_else(|| self.name_span())
    }

    /// The span of the resource's name.
    pub(super) fn name_span(&self) -> Option<Span> {
        self.stack.resources.get(self.name).map(|resource| resource.name_span)
    }

    /// The span of a list item, if the position is certain.
    pub(super) fn item_span(&self, property: &str, position: Option<usize>) -> Option<Span> {
        let item = self.written_item(property, position).map(|item| item.span);
        item.or_else(|| self.property_span(property))
    }

    /// The expression of a list item, if the position is certain.
    pub(super) fn written_item(&self, property: &str, position: Option<usize>) -> Option<&'a Expr> {
        let mut position = position?;
        match &self.written(property)?.kind {
            ExprKind::List(items) => items.get(position),
            // The position is one among the items of the lists before the first that is not written as one.
            ExprKind::Unary(UnaryFunction::Concat, lists) => {
                let ExprKind::List(lists) = &lists.kind else { return None };
                for list in lists {
                    let ExprKind::List(items) = &list.kind else { return None };
                    match items.get(position) {
                        Some(item) => return Some(item),
                        None => position -= items.len(),
                    }
                }
                None
            }
            _ => None,
        }
    }

    /// The expression of a property, under its older name if it has one.
    pub(super) fn written(&self, property: &str) -> Option<&'a Expr> {
        let ExprKind::Map(pairs) = &self.stack.resources.get(self.name)?.properties.as_ref()?.kind
        else {
            return None;
        };
        let pair = |name: &str| {
            pairs.iter().rev().find(|pair| pair.key.as_text() == Some(name)).map(|pair| &pair.value)
        };
        pair(property).or_else(|| pair(self.older_name(property)?))
    }

    /// The full name of the resource whose reference id a value is: from the expression,
    /// or from the value.
    pub(super) fn referenced_resource(
        &self,
        value: &ReadValue<'_>,
        written: Option<&Expr>,
    ) -> Option<String> {
        let written = written.and_then(|written| match &written.kind {
            ExprKind::Resource(name) => name.as_text(),
            _ => None,
        });
        let own = |name: &&str| self.stack.resources.contains_key(*name);
        if let Some(name) = written.filter(own) {
            return Some(self.new_name(format!("{}{name}", self.scope)));
        }
        let ReadValue::Opaque(OpaqueValue { reference: Some((name, level)), .. }) = value else {
            return None;
        };
        // The resource is in this stack or in one that encloses it.
        let scope: String = self.scope.split_inclusive('/').take(*level).collect();
        (*level <= self.level).then(|| self.new_name(format!("{scope}{name}")))
    }

    /// The name of a resource on the new side. The scope of a side is already renamed.
    fn new_name(&self, whole: String) -> String {
        match self.resource_renames {
            Some(moved) => moved.new_name(&whole),
            None => whole,
        }
    }

    /// Reads a value as a whole.
    pub(super) fn read<'v>(&self, value: &'v Value) -> ReadValue<'v> {
        if is_nothing(value) {
            return ReadValue::Absent;
        }
        if matches!(value, Value::Unknown(_) | Value::Secret(_)) {
            return ReadValue::Opaque(self.opaque(value));
        }
        ReadValue::Known(Cow::Borrowed(value))
    }

    pub(super) fn member<'v>(&self, map: &'v Map, name: &str) -> ReadValue<'v> {
        map.get(name).map_or(ReadValue::Absent, |value| self.read(value))
    }

    /// Makes a value opaque.
    pub(super) fn opaque(&self, value: &Value) -> OpaqueValue {
        let shown = if value.holds_secret() { "a hidden value".to_owned() } else { shown(value) };
        let reference = match value.unsealed() {
            Value::Unknown(unknown) => match leaf(unknown) {
                Some((Dependency::Resource(name), level)) => Some((name.clone(), level)),
                _ => None,
            },
            _ => None,
        };
        OpaqueValue { key: self.key(value), shown, unknown: value.holds_unknown(), reference }
    }

    /// A text that is equal for equal values: places do not count, values that Heat coerces to the same value
    /// are equal, and renamed parameters have their new names.
    pub(super) fn key(&self, value: &Value) -> String {
        let mut key = KeyWriter { names: self.names, text: String::new(), term_count: 0 };
        key.value(value);
        key.text
    }

    fn collect(
        &self,
        value: &Value,
        path: &[&str],
        label: &str,
        found: &mut Vec<(String, ReadValue<'a>)>,
    ) {
        let Some((first, rest)) = path.split_first() else {
            found.push((label.to_owned(), into_owned(self.read(value))));
            return;
        };
        let value = match self.read(value) {
            ReadValue::Absent => return,
            ReadValue::Known(_) => value,
            ReadValue::Opaque(opaque) => match list_parts(value) {
                Some(parts) if is_partly_known(&parts) => {
                    return self.collect_parts(parts, path, found);
                }
                Some(_) | None => {
                    found.push((label.to_owned(), ReadValue::Opaque(opaque)));
                    return;
                }
            },
        };
        match value {
            Value::Map(map) => {
                let specs = map.get(VALUE_SPECS).map(Value::unsealed);
                let passed = match specs {
                    Some(Value::Map(specs)) => specs.get(*first),
                    _ => None,
                };
                if let Some(member) = passed.or_else(|| map.get(*first)) {
                    self.collect(member, rest, label, found);
                } else if rest.is_empty() {
                    found.push((label.to_owned(), ReadValue::Absent));
                }
            }
            Value::List(_) => {
                let parts = list_parts(value).unwrap_or_default();
                self.collect_parts(parts, path, found);
            }
            _ => {}
        }
    }

    fn collect_parts(
        &self,
        parts: Vec<ListPart>,
        path: &[&str],
        found: &mut Vec<(String, ReadValue<'a>)>,
    ) {
        for (at, part) in parts.into_iter().enumerate() {
            let item = match &part.content {
                ListContent::Item(item) => item,
                ListContent::Rest(rest) => {
                    let label = format!("the unknown rest ({})", at + 1);
                    found.push((label, ReadValue::Opaque(self.opaque(rest))));
                    continue;
                }
            };
            let name = match item {
                Value::Map(map) => match self.member(map, "name") {
                    ReadValue::Known(name) => text(&name).map(|name| format!("`{name}`")),
                    ReadValue::Absent | ReadValue::Opaque(_) => None,
                },
                _ => None,
            };
            let name = name.unwrap_or_else(|| format!("item {}", at + 1));
            if part.conditions.is_empty() {
                self.collect(item, path, &name, found);
                continue;
            }
            // What has a condition may be there or not: it is another value than the same one without it.
            let mut own = Vec::new();
            self.collect(item, path, &name, &mut own);
            for (label, read) in own {
                let mut key = String::new();
                for (condition, outcome) in &part.conditions {
                    key.push_str(&format!("{outcome} {}\n", self.key(condition)));
                }
                key.push_str(&match &read {
                    ReadValue::Absent => String::new(),
                    ReadValue::Known(value) => self.key(value),
                    ReadValue::Opaque(opaque) => opaque.key.clone(),
                });
                let shown = "a value under a condition".to_owned();
                let opaque = OpaqueValue { key, shown, unknown: true, reference: None };
                found.push((label, ReadValue::Opaque(opaque)));
            }
        }
    }
}

/// Whether anything of a list is known.
fn is_partly_known(parts: &[ListPart]) -> bool {
    parts.len() != 1 || parts.iter().any(|it| matches!(it.content, ListContent::Item(_)))
}

fn into_owned<'a>(read: ReadValue<'_>) -> ReadValue<'a> {
    match read {
        ReadValue::Absent => ReadValue::Absent,
        ReadValue::Known(value) => ReadValue::Known(Cow::Owned(value.into_owned())),
        ReadValue::Opaque(opaque) => ReadValue::Opaque(opaque),
    }
}

enum RawProperty<'a> {
    Absent,
    Value(&'a Value),
    Failed(String),
}

fn is_nothing(value: &Value) -> bool {
    matches!(value, Value::Null | Value::Elided)
}

/// Describes an unknown value briefly, without showing a value.
fn shown(value: &Value) -> String {
    let of = match value {
        Value::Unknown(unknown) => leaf(unknown),
        _ => None,
    };
    match of {
        Some((Dependency::Resource(name), _)) => format!("`{name}`"),
        Some((Dependency::Parameter(name), _)) => format!("the parameter `{name}`"),
        Some((Dependency::Attribute(name, Some(attribute)), _)) => {
            format!("`{attribute}` of `{name}`")
        }
        Some((Dependency::Attribute(_, None) | Dependency::File(_) | Dependency::Cloud(_), _))
        | None => "a value that is not known".to_owned(),
    }
}

/// The source of an unknown value that is not computed from others.
fn leaf(unknown: &Unknown) -> Option<(&Dependency, usize)> {
    match unknown.term() {
        Term::Leaf { of, level } => Some((of, *level)),
        Term::Call { operation: Operation::Convert(_), arguments } => match &arguments[..] {
            [Value::Unknown(inner)] => leaf(inner),
            _ => None,
        },
        Term::Call { .. } | Term::Opaque => None,
    }
}

/// Writes a text that is equal for equal values.
struct KeyWriter<'a> {
    names: Option<&'a ParameterRenames>,
    text: String,
    /// The number of terms visited: terms share parts and can be larger than they look.
    term_count: usize,
}

/// A text that is equal for equal values of one side.
pub(super) fn key(value: &Value) -> String {
    let mut key = KeyWriter { names: None, text: String::new(), term_count: 0 };
    key.value(value);
    key.text
}

/// The maximum number of terms that are searched for renamed parameters.
const MAX_TERMS: usize = 5_000;

impl KeyWriter<'_> {
    fn value(&mut self, value: &Value) {
        match value {
            Value::Unknown(unknown) => self.unknown(unknown),
            Value::Secret(inner) => self.value(inner),
            Value::List(items) | Value::Set(items) => {
                self.text.push('[');
                for item in items.iter() {
                    self.value(item);
                    self.text.push(',');
                }
                self.text.push(']');
            }
            Value::Map(map) => {
                let mut pairs: Vec<(String, &Value)> =
                    map.iter().map(|(name, value)| (self::key(&name.to_value()), value)).collect();
                pairs.sort_by(|one, other| one.0.cmp(&other.0));
                self.text.push('{');
                for (name, value) in pairs {
                    self.text.push_str(&name);
                    self.text.push(':');
                    self.value(value);
                    self.text.push(',');
                }
                self.text.push('}');
            }
            Value::Call(call) => {
                self.text.push_str(&call.function);
                self.text.push('(');
                self.value(&call.argument);
                self.text.push(')');
            }
            Value::Elided => {}
            Value::Null => self.text.push_str("\u{1}null"),
            Value::Text(_)
            | Value::Bool(_)
            | Value::Int(_)
            | Value::Float(_)
            | Value::Bytes(_)
            | Value::Date(_)
            | Value::Object(_) => {
                let written = match text(value) {
                    Some(text) => format!("{text:?}"),
                    None => format!("{value:?}"),
                };
                self.text.push_str(&written);
            }
        }
    }

    fn unknown(&mut self, unknown: &Unknown) {
        let digest = self.renamed(unknown).map_or(unknown.digest(), |renamed| renamed.digest());
        self.text.push_str(&format!("\u{1}{digest:x}"));
    }

    /// The value with the new names of parameters; `None` if nothing is renamed.
    fn renamed(&mut self, unknown: &Unknown) -> Option<Unknown> {
        let names = self.names.filter(|names| names.affects(unknown))?;
        self.term_count += 1;
        match unknown.term() {
            _ if self.term_count > MAX_TERMS => None,
            Term::Leaf { of: Dependency::Parameter(name), level } => {
                let name = Dependency::Parameter(names.new_name(*level, name).to_owned());
                Some(Unknown::leaf((*unknown.expr).clone(), name, *level))
            }
            Term::Leaf { .. } | Term::Opaque => None,
            Term::Call { operation, arguments } => {
                let arguments = arguments.iter().map(|argument| self.renamed_in(argument));
                let arguments = arguments.collect();
                Some(Unknown::call(Arc::clone(&unknown.expr), operation.clone(), arguments))
            }
        }
    }

    fn renamed_in(&mut self, value: &Value) -> Value {
        match value {
            Value::Unknown(unknown) => match self.renamed(unknown) {
                Some(renamed) => Value::Unknown(Arc::new(renamed)),
                None => value.clone(),
            },
            Value::List(items) => {
                Value::list(items.iter().map(|item| self.renamed_in(item)).collect())
            }
            Value::Map(map) => {
                let pairs = map.iter().map(|(key, value)| (key.clone(), self.renamed_in(value)));
                Value::Map(Arc::new(pairs.collect()))
            }
            Value::Secret(inner) => self.renamed_in(inner).sealed(true),
            other => other.clone(),
        }
    }
}

/// A value as text, as Heat converts it for a property.
pub(super) fn text(value: &Value) -> Option<String> {
    match value {
        Value::Text(text) => Some(text.to_string()),
        Value::Bool(_) | Value::Int(_) => python::str(value).ok(),
        _ => None,
    }
}

/// A value as an integer.
pub(super) fn whole(value: &Value) -> Option<i64> {
    let number = match value {
        Value::Int(number) => Some(number.clone()),
        Value::Text(text) => python::int_of_text(text),
        _ => None,
    };
    match number? {
        Integer::Small(number) => Some(number),
        Integer::Big(_) => None,
    }
}

/// A value as a boolean.
pub(super) fn truth(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(value) => Some(*value),
        Value::Text(text) => match text.to_lowercase().as_str() {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        },
        _ => None,
    }
}
