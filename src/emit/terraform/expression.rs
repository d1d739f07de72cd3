//! Translates every function of HOT into an expression with Heat's value.

use std::collections::HashSet;

use super::hcl::Hcl;
use super::literal;
use super::scope::{ModuleScope, TypedHcl, VariableRole};
use crate::emit::kit::{Expressed, Inexpressible};
use heat_template::ir::types::TypeSet;
use heat_template::ir::{
    Choice, Expr, ExprKind, FacadePart, Hashing, Lookup, Membership, Pair, ParameterRef,
    ParameterType, Selection,
};
use source_diagnostics::Span;

/// The maximum number of conditions that are chained with an operator.
const LONGEST_CHAIN: usize = 8;

impl ModuleScope<'_> {
    pub(super) fn expression(&self, expr: &Expr) -> Expressed<TypedHcl> {
        if self.is_fixed(expr)
            && let Some(value) = self.evaluator.constant(expr)
            && let Some(said) = literal::typed_literal(self, &value)
        {
            return Ok(said);
        }
        let span = expr.span;
        let none = |name: &str, why: &str| Err(Inexpressible::function(name, why, span));
        match &expr.kind {
            ExprKind::Null => Ok(TypedHcl::new(Hcl::Null, TypeSet::NULL)),
            ExprKind::Bool(value) => Ok(TypedHcl::new(Hcl::Bool(*value), TypeSet::BOOLEAN)),
            ExprKind::Int(number) => Ok(TypedHcl::new(literal::int(number), TypeSet::NUMBER)),
            ExprKind::Float(number) if number.is_finite() => {
                Ok(TypedHcl::new(literal::float(*number), TypeSet::NUMBER))
            }
            ExprKind::Float(_) => none("float", "Terraform has no infinite numbers and no NaN"),
            ExprKind::Text(text) | ExprKind::Date(text) => {
                Ok(TypedHcl::text(self.with_loop_placeholders(text)))
            }
            ExprKind::Bytes(_) | ExprKind::Set(_) => none("", "Heat does not accept such data"),
            ExprKind::List(items) => self.list(items),
            ExprKind::Map(pairs) => self.map(pairs),
            ExprKind::Parameter(parameter) => self.parameter(parameter, expr),
            ExprKind::Resource(name) => self.reference(name),
            ExprKind::Attribute(attribute) => self.attribute(attribute, span),
            ExprKind::File(name) => self.file(name, expr),
            ExprKind::Facade(part) => {
                let part = match part {
                    FacadePart::Metadata => "metadata",
                    FacadePart::DeletionPolicy => "deletion policy",
                    FacadePart::UpdatePolicy => "update policy",
                };
                let why =
                    format!("a module cannot read the {part} of the resource that it implements");
                Err(Inexpressible::function("resource_facade", why, span)
                    .suggesting("make it a parameter of the nested template"))
            }
            ExprKind::Zones(_) => {
                self.needs.borrow_mut().zones = true;
                let zones = Hcl::name("data.openstack_compute_availability_zones_v2.zones.names");
                Ok(TypedHcl::list(zones, TypeSet::TEXT))
            }
            ExprKind::Lookup(lookup) => self.lookup(lookup, span),
            ExprKind::Select(selection) => self.select(selection),
            ExprKind::Join(join) => self.join(join),
            ExprKind::Split(split) => self.split(split),
            ExprKind::Replace(replace) => self.replace(replace, span),
            ExprKind::AssertText(inner) => self.generate(inner),
            ExprKind::Hash(hashing) => self.hash(hashing, span),
            ExprKind::Url(parts) => self.url(parts),
            ExprKind::Repeat(repeat) => self.repeat(repeat, span),
            ExprKind::MergeMaps(maps) => self.merge(maps),
            ExprKind::ReplaceInMap(operand) => self.replace_in_map(operand),
            ExprKind::Concat(lists) => self.concat(lists),
            ExprKind::ConcatUnique(lists) => self.concat_unique(lists),
            ExprKind::Filter(filtering) => self.filter(filtering),
            ExprKind::MemberList(_) => {
                none("Fn::MemberListToMap", "Terraform has no function for CFN member lists")
            }
            ExprKind::Yaql(call) => self.yaql(call, span),
            ExprKind::Choose(choice) => self.choose(choice),
            ExprKind::Condition(_)
            | ExprKind::Equals(_)
            | ExprKind::Not(_)
            | ExprKind::And(_)
            | ExprKind::Or(_) => Ok(TypedHcl::new(self.condition(expr)?, TypeSet::BOOLEAN)),
            ExprKind::Contains(membership) => self.contains(membership),
            ExprKind::Computed(_) => none("", "the arguments of the function are computed"),
            ExprKind::Invalid(call) => Err(Inexpressible::function(
                &call.function,
                format!("Heat rejects this call: {}", call.problem),
                span,
            )),
        }
    }

    /// A list; an item with a condition and no alternative is optional.
    fn list(&self, items: &[Expr]) -> Expressed<TypedHcl> {
        let mut runs: Vec<Hcl> = Vec::new();
        let mut run: Vec<Hcl> = Vec::new();
        let mut said = Vec::new();
        for item in items {
            match item.optional_choice() {
                None => {
                    let item = self.generate(item)?;
                    run.push(item.hcl.clone());
                    said.push(item);
                }
                Some(choice) => {
                    if !run.is_empty() {
                        runs.push(Hcl::List(std::mem::take(&mut run)));
                    }
                    let item = self.generate(&choice.then)?;
                    let condition = self.condition(&choice.condition)?;
                    let value = Hcl::List(vec![item.hcl.clone()]);
                    runs.push(Hcl::each_if("item", value, Hcl::name("item"), Some(condition)));
                    said.push(item);
                }
            }
        }
        let safe = said.iter().all(|item| item.safe);
        let shape = literal::shapes(&said);
        let hcl = match runs.is_empty() {
            true => Hcl::List(run),
            false => {
                if !run.is_empty() {
                    runs.push(Hcl::List(run));
                }
                match runs.len() {
                    1 => runs.remove(0),
                    _ => Hcl::call("concat", runs),
                }
            }
        };
        Ok(TypedHcl::list(hcl, shape).safe_if(safe))
    }

    fn map(&self, pairs: &[Pair]) -> Expressed<TypedHcl> {
        let mut whole: Vec<(Hcl, Hcl)> = Vec::new();
        let mut parts: Vec<Hcl> = Vec::new();
        let mut safe = true;
        for pair in pairs {
            let key = self.key(&pair.key)?;
            match pair.value.optional_choice() {
                None => {
                    let value = self.generate(&pair.value)?;
                    safe &= value.safe;
                    whole.push((key, value.hcl));
                }
                Some(choice) => {
                    let value = self.generate(&choice.then)?;
                    safe &= value.safe;
                    let condition = self.condition(&choice.condition)?;
                    let Hcl::For(mut each) = Hcl::map_of(
                        "key",
                        "item",
                        Hcl::Object(vec![(key, value.hcl)]),
                        Hcl::name("key"),
                        Hcl::name("item"),
                    ) else {
                        continue;
                    };
                    each.only_if = Some(condition);
                    parts.push(Hcl::For(each));
                }
            }
        }
        // Of equal keys the last one counts.
        let mut seen = HashSet::new();
        whole.reverse();
        whole.retain(|(key, _)| {
            seen.insert(match key {
                Hcl::Text(text) => text.clone(),
                computed => format!("{computed:?}"),
            })
        });
        whole.reverse();
        let hcl = match parts.is_empty() {
            true => Hcl::Object(whole),
            false => {
                parts.insert(0, Hcl::Object(whole));
                Hcl::call("merge", parts)
            }
        };
        Ok(TypedHcl::new(hcl, TypeSet::MAP).safe_if(safe))
    }

    fn key(&self, key: &Expr) -> Expressed<Hcl> {
        let value = heat_engine::eval::Value::from_expr_as_sent(key);
        match (key.as_text(), heat_engine::eval::Key::from_value(&value)) {
            (Some(text), _) => Ok(self.with_loop_placeholders(text)),
            (None, Some(key)) => match heat_engine::eval::python::json_key(&key) {
                Ok(text) => Ok(Hcl::Text(text)),
                Err(_) => Err(Inexpressible::function("", "a key is not a string", Span::NOWHERE)),
            },
            (None, None) => Err(Inexpressible::function("", "a key is not a string", key.span)),
        }
    }

    fn parameter(&self, parameter: &ParameterRef, whole: &Expr) -> Expressed<TypedHcl> {
        let span = whole.span;
        let computed =
            || Inexpressible::function("get_param", "the name of the parameter is computed", span);
        let name = parameter.name.as_text().ok_or_else(computed)?;
        if name.starts_with("OS::") && !self.module.stack.parameters.contains_key(name) {
            return self.pseudo_parameter(name, span);
        }
        let declared = self.module.stack.parameters.get(name);
        let (Some(variable), Some(declared)) = (self.variables.get(name), declared) else {
            // A baked parameter is known.
            let value = self.evaluator.constant(whole);
            let said = value.and_then(|value| literal::typed_literal(self, &value));
            return said.ok_or_else(|| {
                Inexpressible::function(
                    "get_param",
                    format!("there is no parameter `{name}`"),
                    span,
                )
            });
        };
        let value = Hcl::name(format!("var.{variable}"));
        let shape = match declared.kind {
            Some(ParameterType::Text) => TypeSet::TEXT,
            Some(ParameterType::Number) => TypeSet::NUMBER,
            Some(ParameterType::Boolean) => TypeSet::BOOLEAN,
            Some(ParameterType::TextList) => TypeSet::LIST,
            Some(ParameterType::Json) | None => TypeSet::ANY,
        };
        if parameter.path.is_empty() {
            let items = if shape == TypeSet::LIST { TypeSet::TEXT } else { TypeSet::ANY };
            return Ok(TypedHcl { items, ..TypedHcl::new(value, shape) });
        }
        let parts: Vec<&Expr> = parameter.path.iter().collect();
        self.reject_loop_placeholders("get_param", &parts, span)?;
        if shape == TypeSet::TEXT {
            // A string is a sequence of characters.
            if let [index] = parameter.path.as_slice() {
                let index = self.generate(index)?;
                return Ok(TypedHcl::text(character(value, index.hcl)));
            }
        }
        let found = self.walk(value, &parameter.path)?;
        // A missing item on the path yields the empty string.
        let hcl = Hcl::call("try", [found, Hcl::text("")]);
        let shape = if shape == TypeSet::LIST { TypeSet::TEXT } else { TypeSet::ANY };
        Ok(TypedHcl::new(hcl, shape))
    }

    /// The value at a path.
    pub(super) fn walk(&self, value: Hcl, path: &[Expr]) -> Expressed<Hcl> {
        let mut found = value;
        for step in path {
            found = match &step.kind {
                ExprKind::Text(text) => match text.parse::<i64>() {
                    // This works for lists and maps: Terraform converts a number to the key with the same digits.
                    Ok(index) => numbered(found, index),
                    Err(_) => found.at(text.as_str()),
                },
                ExprKind::Int(python_semantics::number::Integer::Small(index)) => {
                    numbered(found, *index)
                }
                ExprKind::Bool(second) => numbered(found, i64::from(*second)),
                _ => {
                    let step = self.generate(step)?;
                    found.index(step.hcl)
                }
            };
        }
        Ok(found)
    }

    fn pseudo_parameter(&self, name: &str, span: Span) -> Expressed<TypedHcl> {
        match name {
            "OS::stack_name" => {
                let told = "Name of the stack".to_owned();
                let name = self.extra(VariableRole::StackName, "stack_name", told, "string", false);
                Ok(TypedHcl::text(Hcl::name(format!("var.{name}"))))
            }
            "OS::stack_id" => {
                let told = "ID of the stack, which only Heat has".to_owned();
                let name = self.extra(VariableRole::StackId, "stack_id", told, "string", false);
                Ok(TypedHcl::text(Hcl::name(format!("var.{name}"))))
            }
            "OS::project_id" => {
                self.needs.borrow_mut().project = true;
                let scope = "data.openstack_identity_auth_scope_v3.scope.project_id";
                Ok(TypedHcl::text(Hcl::name(scope)))
            }
            _ => {
                let why = format!("there is no parameter `{name}`");
                Err(Inexpressible::function("get_param", why, span))
            }
        }
    }

    fn file(&self, name: &Expr, whole: &Expr) -> Expressed<TypedHcl> {
        let content = match self.evaluator.constant(whole) {
            Some(heat_engine::eval::Value::Text(text)) => text,
            _ => {
                let why = "the file was not read";
                return Err(Inexpressible::function("get_file", why, whole.span));
            }
        };
        let written = name.as_text().unwrap_or("file");
        let found = self.needs.borrow_mut().files.add(written, &content);
        let path = Hcl::concatenated([Hcl::name("path.module"), Hcl::text(format!("/{found}"))]);
        Ok(TypedHcl::text(Hcl::call("file", [path])))
    }

    /// A choice between two values. Terraform converts both branches of `? :` to one type, such as `3` and
    /// `"none"` to strings; indexing a tuple does not.
    fn choose(&self, choice: &Choice) -> Expressed<TypedHcl> {
        let condition = self.condition(&choice.condition)?;
        let then = self.generate(&choice.then)?;
        let Some(otherwise) = &choice.otherwise else {
            return Ok(TypedHcl {
                hcl: Hcl::choice(condition, then.hcl, Hcl::Null),
                shape: then.shape.union(TypeSet::NULL),
                ..then
            });
        };
        let otherwise = self.generate(otherwise)?;
        let shape = then.shape.union(otherwise.shape);
        let items = then.items.union(otherwise.items);
        let scalar = |said: &TypedHcl| {
            [TypeSet::TEXT, TypeSet::NUMBER, TypeSet::BOOLEAN]
                .into_iter()
                .find(|shape| said.is(*shape))
        };
        let alike = match (scalar(&then), scalar(&otherwise)) {
            (Some(one), Some(other)) => one == other,
            _ => then.hcl == Hcl::Null || otherwise.hcl == Hcl::Null,
        };
        let hcl = if alike {
            Hcl::choice(condition, then.hcl, otherwise.hcl)
        } else if then.safe && otherwise.safe {
            let index = Hcl::choice(condition, Hcl::int(0), Hcl::int(1));
            Hcl::List(vec![then.hcl, otherwise.hcl]).index(index)
        } else {
            // Only the selected branch may fail.
            let [then, otherwise] =
                [then.hcl, otherwise.hcl].map(|branch| Hcl::call("jsonencode", [branch]));
            Hcl::call("jsondecode", [Hcl::choice(condition, then, otherwise)])
        };
        Ok(TypedHcl { hcl, shape, items, safe: true })
    }

    pub(super) fn condition(&self, expr: &Expr) -> Expressed<Hcl> {
        Ok(match &expr.kind {
            ExprKind::Bool(value) => Hcl::Bool(*value),
            ExprKind::Condition(name) => match self.conditions.get(name.as_str()) {
                Some(local) => Hcl::name(format!("local.{local}")),
                None => {
                    let why = format!("there is no condition `{name}`");
                    return Err(Inexpressible::function("condition", why, expr.span));
                }
            },
            ExprKind::Text(name) if self.conditions.contains_key(name.as_str()) => {
                Hcl::name(format!("local.{}", self.conditions[name.as_str()]))
            }
            ExprKind::Equals(sides) => self.equals(&sides[0], &sides[1], expr.span)?,
            ExprKind::Not(inner) => Hcl::not(self.condition(inner)?),
            ExprKind::And(items) => self.all(items, "&&", "alltrue")?,
            ExprKind::Or(items) => self.all(items, "||", "anytrue")?,
            _ => self.generate(expr)?.hcl,
        })
    }

    fn all(
        &self,
        items: &[Expr],
        operator: &'static str,
        function: &'static str,
    ) -> Expressed<Hcl> {
        let items: Vec<Hcl> =
            items.iter().map(|item| self.condition(item)).collect::<Result<_, _>>()?;
        // A chain nests as deeply as it is long, a list does not.
        if items.len() > LONGEST_CHAIN || items.is_empty() {
            return Ok(Hcl::call(function, [Hcl::List(items)]));
        }
        let chain = |before, item| Hcl::operation(operator, before, item);
        Ok(items.into_iter().reduce(chain).unwrap_or(Hcl::Null))
    }

    fn equals(&self, one: &Expr, other: &Expr, span: Span) -> Expressed<Hcl> {
        self.reject_loop_placeholders("equals", &[one, other], span)?;
        let (one, other) = (self.generate(one)?, self.generate(other)?);
        Ok(same(&one, &other))
    }

    fn contains(&self, membership: &Membership) -> Expressed<TypedHcl> {
        let Membership { value, sequence } = membership;
        self.reject_loop_placeholders("contains", &[value, sequence], value.span)?;
        let (value, sequence) = (self.generate(value)?, self.generate(sequence)?);
        let in_list = || is_among(&value, &sequence);
        let in_text = || Hcl::call("strcontains", [sequence.hcl.clone(), value.hcl.clone()]);
        let hcl = if sequence.is(TypeSet::LIST) {
            in_list()
        } else if sequence.is(TypeSet::TEXT) {
            in_text()
        } else {
            Hcl::call("try", [in_text(), in_list()])
        };
        Ok(TypedHcl::new(hcl, TypeSet::BOOLEAN))
    }

    /// An entry of a mapping of the template, which is inlined.
    fn lookup(&self, lookup: &Lookup, span: Span) -> Expressed<TypedHcl> {
        let table = lookup.table.as_text().and_then(|name| self.module.stack.mappings.get(name));
        let value = table.map(|table| heat_engine::eval::Value::from_expr_as_sent(&table.value));
        let Some(table) = value.as_ref().and_then(literal::plain) else {
            let why = "the mapping is computed, or does not exist";
            return Err(Inexpressible::function("Fn::FindInMap", why, span));
        };
        self.reject_loop_placeholders("Fn::FindInMap", &[&lookup.key, &lookup.item], span)?;
        let (key, item) = (self.generate(&lookup.key)?, self.generate(&lookup.item)?);
        let hcl = table.index(key.hcl).index(item.hcl);
        Ok(TypedHcl { safe: false, ..TypedHcl::new(hcl, TypeSet::ANY) })
    }

    fn select(&self, selection: &Selection) -> Expressed<TypedHcl> {
        let Selection { index, collection } = selection;
        self.reject_loop_placeholders("Fn::Select", &[index, collection], index.span)?;
        let collection = self.generate(collection)?;
        let value = match collection.shape.intersects(TypeSet::TEXT) {
            // A string is parsed as JSON.
            true => {
                let decoded = Hcl::call("jsondecode", [collection.hcl.clone()]);
                Hcl::call("try", [decoded, collection.hcl])
            }
            false => collection.hcl,
        };
        let found = self.walk(value, std::slice::from_ref(index))?;
        Ok(TypedHcl::new(Hcl::call("try", [found, Hcl::text("")]), TypeSet::ANY))
    }

    fn hash(&self, hashing: &Hashing, span: Span) -> Expressed<TypedHcl> {
        self.reject_loop_placeholders("digest", &[&hashing.value], span)?;
        let function = match hashing.algorithm.as_text().map(str::to_ascii_lowercase).as_deref() {
            Some("md5") => "md5",
            Some("sha1" | "sha-1") => "sha1",
            Some("sha256" | "sha-256") => "sha256",
            Some("sha512" | "sha-512") => "sha512",
            Some(other) => {
                let why = format!("Terraform has no function for the digest `{other}`");
                return Err(Inexpressible::function("digest", why, span)
                    .suggesting("use md5, sha1, sha256 or sha512"));
            }
            None => {
                let why = "the name of the digest is computed";
                return Err(Inexpressible::function("digest", why, span));
            }
        };
        let value = self.generate(&hashing.value)?;
        Ok(TypedHcl::text(Hcl::call(function, [value.hcl])).safe_if(value.safe))
    }
}

/// An item of a list; a negative index counts from the end.
fn numbered(list: Hcl, index: i64) -> Hcl {
    if index >= 0 {
        return list.index(Hcl::int(index));
    }
    let length = Hcl::call("length", [list.clone()]);
    list.index(Hcl::operation("-", length, Hcl::int(-index)))
}

/// A character of a string; the empty string if there is none.
fn character(text: Hcl, index: Hcl) -> Hcl {
    let index = match &index {
        Hcl::Null => return Hcl::text(""),
        Hcl::Text(digits) => match digits.trim().parse::<i64>() {
            Ok(number) => Hcl::int(number),
            Err(_) => return Hcl::text(""),
        },
        _ => index,
    };
    let is_plain = matches!(&index, Hcl::Number(digits) if !digits.starts_with('-'));
    let found = Hcl::call("substr", [text, index, Hcl::int(1)]);
    if is_plain { found } else { Hcl::call("try", [found, Hcl::text("")]) }
}

/// Whether two values are equal. `==` treats lists and maps of different types as different; comparing
/// JSON does not.
pub(super) fn same(one: &TypedHcl, other: &TypedHcl) -> Hcl {
    let plain = |said: &TypedHcl| {
        [TypeSet::TEXT, TypeSet::NUMBER, TypeSet::BOOLEAN].into_iter().any(|shape| said.is(shape))
            || said.hcl == Hcl::Null
    };
    if plain(one) && plain(other) {
        // `x == true` is the same as `x`.
        return match (&one.hcl, &other.hcl) {
            (value, Hcl::Bool(true)) if one.is(TypeSet::BOOLEAN) => value.clone(),
            (value, Hcl::Bool(false)) if one.is(TypeSet::BOOLEAN) => Hcl::not(value.clone()),
            (Hcl::Bool(true), value) if other.is(TypeSet::BOOLEAN) => value.clone(),
            (Hcl::Bool(false), value) if other.is(TypeSet::BOOLEAN) => Hcl::not(value.clone()),
            (one, other) => Hcl::operation("==", one.clone(), other.clone()),
        };
    }
    let encoded = |said: &TypedHcl| Hcl::call("jsonencode", [said.hcl.clone()]);
    Hcl::operation("==", encoded(one), encoded(other))
}

/// Whether a value is among the items of a list.
pub(super) fn is_among(value: &TypedHcl, list: &TypedHcl) -> Hcl {
    if value.is(TypeSet::TEXT) && list.items.is_subset(TypeSet::TEXT) && list.is(TypeSet::LIST) {
        return Hcl::call("contains", [list.hcl.clone(), value.hcl.clone()]);
    }
    let encoded = |hcl: Hcl| Hcl::call("jsonencode", [hcl]);
    let items = Hcl::each("it", list.hcl.clone(), encoded(Hcl::name("it")));
    Hcl::call("contains", [items, encoded(value.hcl.clone())])
}
