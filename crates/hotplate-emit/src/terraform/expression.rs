//! Expressions of Terraform with the value that Heat computes, and conditions.

use super::hcl::Hcl;
use super::literal;
use super::scope::{ModuleScope, TypedHcl};
use crate::kit::{
    ConditionWriter, Connective, Expressed, Inexpressible, TargetLanguage, operation,
};
use heat_engine::eval::{PartialEvaluator, Value};
use heat_template::ir::types::TypeSet;
use heat_template::ir::{Expr, ExprKind};
use source_diagnostics::Span;

/// The maximum number of conditions that are chained with an operator.
const LONGEST_CHAIN: usize = 8;

impl TargetLanguage for ModuleScope<'_> {
    type Output = TypedHcl;

    const NAME: &'static str = "Terraform";

    const TAKES_KNOWN_BRANCHES: bool = false;

    fn evaluator(&self) -> &PartialEvaluator<'_> {
        &self.evaluator
    }

    fn prefers_value(&self, expr: &Expr) -> bool {
        self.is_fixed(expr)
    }

    fn known(&self, value: &Value) -> Option<TypedHcl> {
        literal::typed_literal(self, value)
    }

    fn bytes(output: &TypedHcl) -> usize {
        output.hcl.bytes()
    }

    fn expression(&self, expr: &Expr) -> Expressed<TypedHcl> {
        self.generate(expr)
    }

    fn condition(&self, expr: &Expr) -> Expressed<TypedHcl> {
        Ok(TypedHcl::new(self.generate_condition(expr)?, TypeSet::BOOLEAN))
    }

    fn check_arguments(&self, function: &str, arguments: &[&Expr], span: Span) -> Expressed<()> {
        self.reject_loop_placeholders(function, arguments, span)
    }

    fn unsupported(&self, function: &str, why: String, span: Span) -> Box<Inexpressible> {
        Inexpressible::function(function, why, span)
    }

    fn no_literal(&self, data: &Expr) -> Box<Inexpressible> {
        let (name, why) = match &data.kind {
            ExprKind::Float(_) => ("float", "Terraform has no infinite numbers and no NaN"),
            _ => ("", "Heat does not accept such data"),
        };
        Inexpressible::function(name, why, data.span)
    }
}

impl ConditionWriter for ModuleScope<'_> {
    fn named_condition(&self, name: &str, span: Span) -> Expressed<TypedHcl> {
        match self.conditions.get(name) {
            Some(local) => Ok(TypedHcl::new(Hcl::name(format!("local.{local}")), TypeSet::BOOLEAN)),
            None => {
                let why = format!("there is no condition `{name}`");
                Err(Inexpressible::function("condition", why, span))
            }
        }
    }

    /// A choice between two values. Terraform converts both branches of `? :` to one type, such as `3` and
    /// `"none"` to strings; indexing a tuple does not.
    fn choice(&self, condition: TypedHcl, then: TypedHcl, otherwise: Option<TypedHcl>) -> TypedHcl {
        let condition = condition.hcl;
        let Some(otherwise) = otherwise else {
            return TypedHcl {
                hcl: Hcl::choice(condition, then.hcl, Hcl::Null),
                shape: then.shape.union(TypeSet::NULL),
                ..then
            };
        };
        let shape = then.shape.union(otherwise.shape);
        let items = then.items.union(otherwise.items);
        let scalar = |expressed: &TypedHcl| {
            [TypeSet::TEXT, TypeSet::NUMBER, TypeSet::BOOLEAN]
                .into_iter()
                .find(|shape| expressed.is(*shape))
        };
        let alike = match (scalar(&then), scalar(&otherwise)) {
            (Some(one), Some(other)) => one == other,
            _ => {
                then.hcl == Hcl::Null
                    || otherwise.hcl == Hcl::Null
                    || are_texts(&[&then, &otherwise])
            }
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
        TypedHcl { hcl, shape, items, safe: true }
    }

    fn equals(&self, one: TypedHcl, other: TypedHcl) -> TypedHcl {
        TypedHcl::new(same(&one, &other), TypeSet::BOOLEAN)
    }

    fn not(&self, condition: TypedHcl) -> TypedHcl {
        TypedHcl::new(Hcl::not(condition.hcl), TypeSet::BOOLEAN)
    }

    fn connected(&self, conditions: Vec<TypedHcl>, connective: Connective) -> TypedHcl {
        let (operator, function) = match connective {
            Connective::And => ("&&", "alltrue"),
            Connective::Or => ("||", "anytrue"),
        };
        let conditions = conditions.into_iter().map(|condition| condition.hcl);
        // A chain nests as deeply as it is long, a list does not.
        let hcl = if (1..=LONGEST_CHAIN).contains(&conditions.len()) {
            let chain = |before, item| Hcl::operation(operator, before, item);
            conditions.reduce(chain).unwrap_or(Hcl::Null)
        } else {
            Hcl::call(function, [Hcl::List(conditions.collect())])
        };
        TypedHcl::new(hcl, TypeSet::BOOLEAN)
    }

    fn contains(&self, value: TypedHcl, sequence: TypedHcl) -> TypedHcl {
        let in_list = || is_among(&value, &sequence);
        let in_text = || Hcl::call("strcontains", [sequence.hcl.clone(), value.hcl.clone()]);
        let hcl = if sequence.is(TypeSet::LIST) {
            in_list()
        } else if sequence.is(TypeSet::TEXT) {
            in_text()
        } else {
            Hcl::call("try", [in_text(), in_list()])
        };
        TypedHcl::new(hcl, TypeSet::BOOLEAN)
    }
}

impl ModuleScope<'_> {
    /// Translates an expression that Heat evaluates as a condition, which stays one even if it is known.
    pub(super) fn generate_condition(&self, expr: &Expr) -> Expressed<Hcl> {
        let expressed = match &expr.kind {
            ExprKind::Text(name) if self.conditions.contains_key(name.as_str()) => {
                self.named_condition(name, expr.span)
            }
            ExprKind::Bool(_)
            | ExprKind::Condition(_)
            | ExprKind::Equals(_)
            | ExprKind::Not(_)
            | ExprKind::And(_)
            | ExprKind::Or(_) => operation(self, expr),
            _ => self.generate(expr),
        };
        Ok(expressed?.hcl)
    }

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
}

/// Whether values are lists of strings, which have one type.
fn are_texts(lists: &[&TypedHcl]) -> bool {
    lists
        .iter()
        .all(|expressed| expressed.is(TypeSet::LIST) && expressed.items.is_subset(TypeSet::TEXT))
}

/// An item of a list; a negative index counts from the end.
fn numbered(list: Hcl, index: i64) -> Hcl {
    if index >= 0 {
        return list.index(Hcl::int(index));
    }
    let length = Hcl::call("length", [list.clone()]);
    list.index(Hcl::operation("-", length, Hcl::int(-index)))
}

/// Whether two values are equal. `==` treats lists and maps of different types as different; comparing
/// JSON does not.
pub(super) fn same(one: &TypedHcl, other: &TypedHcl) -> Hcl {
    let plain = |expressed: &TypedHcl| {
        [TypeSet::TEXT, TypeSet::NUMBER, TypeSet::BOOLEAN]
            .into_iter()
            .any(|shape| expressed.is(shape))
            || expressed.hcl == Hcl::Null
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
    let encoded = |expressed: &TypedHcl| Hcl::call("jsonencode", [expressed.hcl.clone()]);
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
