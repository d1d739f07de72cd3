//! Compares the constraints of a parameter: whether they accept more, fewer or other values.
//!
//! All constraints of one kind apply together, so they are compared together: their spelling,
//! their order, and redundant constraints make no difference.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_traits::{Signed, Zero};

use super::comparison::{DisplayValue, Pair, ParameterAspect, ParameterDetail, Places};
use heat_engine::eval::Value;
use heat_engine::eval::parameters::to_type;
use heat_engine::eval::python::{self, MembershipSet};
use heat_template::ir::{Parameter, ParameterConstraint, ParameterType};
use python_semantics::number::integral;
use source_diagnostics::Span;

/// The kinds by their keys in a template, in the order of the report.
const KINDS: [&str; 7] = [
    "range",
    "length",
    "modulo",
    "allowed_values",
    "allowed_pattern",
    "custom_constraint",
    // A constraint that Heat refuses.
    "",
];

/// The kinds that state values: those of a hidden parameter are secrets.
const WITH_VALUES: [&str; 2] = ["allowed_values", "allowed_pattern"];

/// The differences between the constraints of a parameter, which is hidden on one side or not.
pub(super) fn compare(old: &Parameter, new: &Parameter, is_hidden: bool) -> Vec<ParameterDetail> {
    let mut details = Vec::new();
    for kind in KINDS {
        let entries = Pair { old: entries(old, kind), new: entries(new, kind) };
        let types = Pair { old: old.kind, new: new.kind };
        let Some(aspect) = aspect(relation(kind, &entries, types)) else { continue };
        let is_secret = is_hidden && WITH_VALUES.contains(&kind);
        let shown = |entries: &[ConstraintEntry]| match entries {
            [] => DisplayValue::Absent,
            [one] => {
                DisplayValue::Value(Value::map([(kind, one.operand.clone().sealed(is_secret))]))
            }
            more => {
                let operands = more.iter().map(|entry| entry.operand.clone()).collect();
                DisplayValue::Value(Value::map([(kind, Value::list(operands).sealed(is_secret))]))
            }
        };
        let place = |entries: &[ConstraintEntry]| entries.first().map(|entry| entry.span);
        details.push(ParameterDetail {
            aspect,
            value: Pair { old: shown(&entries.old), new: shown(&entries.new) },
            places: Places { old: place(&entries.old), new: place(&entries.new) },
        });
    }
    details
}

/// The values that the old constraints accept and the new ones do not, each kind as the end of a sentence about the value.
pub(super) fn values_refused_now(old: &Parameter, new: &Parameter) -> Vec<String> {
    let types = Pair { old: old.kind, new: new.kind };
    let refused = KINDS.iter().filter_map(|kind| {
        let entries = Pair { old: entries(old, kind), new: entries(new, kind) };
        match relation(kind, &entries, types) {
            SetRelation::Same | SetRelation::Looser => None,
            SetRelation::Tighter | SetRelation::Other => Some(
                dropped_values(kind, &entries, types)
                    .unwrap_or_else(|| format!("does not fit its new `{kind}`")),
            ),
        }
    });
    refused.collect()
}

/// The values of a list of allowed ones that are no longer allowed.
fn dropped_values(
    kind: &str,
    entries: &Pair<Vec<ConstraintEntry>>,
    types: Pair<Option<ParameterType>>,
) -> Option<String> {
    const MOST: usize = 3;
    if kind != "allowed_values" {
        return None;
    }
    let old = AllowedSet::intersection(&entries.old, types.old)?.values?;
    let new = AllowedSet::intersection(&entries.new, types.new)?.values?;
    let new: MembershipSet = new.iter().collect();
    let dropped: Vec<_> = old.iter().filter(|it| !new.contains(it)).collect();
    let shown = |it: &Value| match it {
        Value::Text(text) => text.to_string(),
        other => python::repr_preview(other),
    };
    let named: Vec<_> = dropped.iter().take(MOST).map(|it| format!("`{}`", shown(it))).collect();
    let more = dropped.len() - named.len();
    let more = if more > 0 { format!(" or one of {more} more") } else { String::new() };
    (!named.is_empty()).then(|| format!("is {}{more}", named.join(" or ")))
}

/// The constraints of one kind.
fn entries(parameter: &Parameter, kind: &str) -> Vec<ConstraintEntry> {
    parameter.constraints.iter().filter_map(|entry| ConstraintEntry::of(entry, kind)).collect()
}

/// A constraint of one kind.
struct ConstraintEntry {
    operand: Value,
    span: Span,
}

impl ConstraintEntry {
    fn of(constraint: &ParameterConstraint, kind: &str) -> Option<Self> {
        let (key, operand) = match constraint.kind.entry() {
            Some((key, operand)) => (key, Value::from_expr_as_sent(operand)),
            None => ("", Value::Null),
        };
        (key == kind).then_some(ConstraintEntry { operand, span: constraint.span })
    }
}

/// How the values that the new side accepts relate to those that the old side accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SetRelation {
    Same,
    Tighter,
    Looser,
    Other,
}

impl SetRelation {
    /// Derives the relation from whether each side accepts everything that the other accepts.
    fn of(new_in_old: bool, old_in_new: bool) -> Self {
        match (new_in_old, old_in_new) {
            (true, true) => SetRelation::Same,
            (true, false) => SetRelation::Tighter,
            (false, true) => SetRelation::Looser,
            (false, false) => SetRelation::Other,
        }
    }
}

fn aspect(relation: SetRelation) -> Option<ParameterAspect> {
    match relation {
        SetRelation::Same => None,
        SetRelation::Tighter => Some(ParameterAspect::ConstraintTightened),
        SetRelation::Looser => Some(ParameterAspect::ConstraintLoosened),
        SetRelation::Other => Some(ParameterAspect::ConstraintChanged),
    }
}

fn relation(
    kind: &str,
    entries: &Pair<Vec<ConstraintEntry>>,
    types: Pair<Option<ParameterType>>,
) -> SetRelation {
    let understood = match kind {
        "range" => NumberRange::intersection(&entries.old, false)
            .zip(NumberRange::intersection(&entries.new, false))
            .map(|(old, new)| SetRelation::of(old.contains(&new), new.contains(&old))),
        "length" => NumberRange::intersection(&entries.old, true)
            .zip(NumberRange::intersection(&entries.new, true))
            .map(|(old, new)| SetRelation::of(old.contains(&new), new.contains(&old))),
        "modulo" => ResidueClass::collect(&entries.old)
            .zip(ResidueClass::collect(&entries.new))
            .map(|(old, new)| ResidueClass::relation(&old, &new)),
        "allowed_values" => AllowedSet::intersection(&entries.old, types.old)
            .zip(AllowedSet::intersection(&entries.new, types.new))
            .map(|(old, new)| SetRelation::of(old.contains(&new), new.contains(&old))),
        _ => None,
    };
    understood.unwrap_or_else(|| compare_as_sets(entries))
}

/// Compares constraints that can only be equal or not: more constraints accept fewer values.
fn compare_as_sets(entries: &Pair<Vec<ConstraintEntry>>) -> SetRelation {
    let within = |one: &[ConstraintEntry], other: &[ConstraintEntry]| {
        one.iter()
            .all(|entry| other.iter().any(|it| python::is_or_equal(&it.operand, &entry.operand)))
    };
    SetRelation::of(within(&entries.old, &entries.new), within(&entries.new, &entries.old))
}

/// Numbers between two inclusive bounds.
#[derive(Debug)]
struct NumberRange {
    min: Option<Value>,
    max: Option<Value>,
}

impl NumberRange {
    /// The values that all of these accept; `None` if one of them is invalid for Heat.
    fn intersection(entries: &[ConstraintEntry], of_lengths: bool) -> Option<Self> {
        let mut all = NumberRange { min: None, max: None };
        for entry in entries {
            let Value::Map(map) = &entry.operand else { return None };
            let bound = |key: &str| match map.get(key) {
                None | Some(Value::Null) => Some(None),
                Some(value) => python::to_number(value).ok().map(Some),
            };
            let (min, max) = (bound("min")?, bound("max")?);
            let nan =
                |value: &Option<Value>| matches!(value, Some(Value::Float(it)) if it.is_nan());
            if nan(&min) || nan(&max) {
                return None;
            }
            // No length is below zero.
            let min = min.filter(|min| !of_lengths || number_order(min, &Value::int(0)).is_gt());
            all.min = tightest(all.min, min, Ordering::Greater);
            all.max = tightest(all.max, max, Ordering::Less);
        }
        if of_lengths
            && all.max.as_ref().is_some_and(|max| number_order(max, &Value::int(0)).is_lt())
        {
            // No text has such a length, whatever the bound is.
            all.max = Some(Value::int(-1));
            all.min = Some(Value::int(0));
        }
        Some(all)
    }

    fn is_empty(&self) -> bool {
        match (&self.min, &self.max) {
            (Some(min), Some(max)) => number_order(min, max).is_gt(),
            _ => false,
        }
    }

    /// Whether this accepts everything that `other` accepts.
    fn contains(&self, other: &NumberRange) -> bool {
        let within = |bound: &Option<Value>, other: &Option<Value>, outside: Ordering| match bound {
            None => true,
            Some(bound) => {
                other.as_ref().is_some_and(|other| number_order(other, bound) != outside)
            }
        };
        other.is_empty()
            || within(&self.min, &other.min, Ordering::Less)
                && within(&self.max, &other.max, Ordering::Greater)
    }
}

/// Compares two values that are numbers and not NaN.
fn number_order(one: &Value, other: &Value) -> Ordering {
    python::compare_numbers(one, other).flatten().unwrap_or(Ordering::Equal)
}

/// The bound that accepts fewer values.
fn tightest(one: Option<Value>, other: Option<Value>, wanted: Ordering) -> Option<Value> {
    match (one, other) {
        (Some(one), Some(other)) => {
            Some(if number_order(&other, &one) == wanted { other } else { one })
        }
        (one, other) => one.or(other),
    }
}

/// The integers with a given remainder.
#[derive(Debug, PartialEq)]
struct ResidueClass {
    step: BigInt,
    remainder: BigInt,
}

impl ResidueClass {
    /// Removes duplicates; `None` if one of them is invalid for Heat.
    fn collect(entries: &[ConstraintEntry]) -> Option<Vec<Self>> {
        let mut all = Vec::new();
        for entry in entries {
            let Value::Map(map) = &entry.operand else { return None };
            let number = |key: &str| match python::to_number(map.get(key)?).ok()? {
                Value::Int(value) => Some(python::to_big(&value)),
                Value::Float(value) => integral(value).map(|value| python::to_big(&value)),
                _ => None,
            };
            let (step, offset) = (number("step")?.abs(), number("offset")?);
            if step.is_zero() {
                return None;
            }
            let rest = remainder(&offset, &step);
            let found = ResidueClass { step, remainder: rest };
            if !all.contains(&found) {
                all.push(found);
            }
        }
        Some(all)
    }

    /// Whether every number of `other` is accepted here.
    fn contains(&self, other: &ResidueClass) -> bool {
        remainder(&other.step, &self.step).is_zero()
            && remainder(&other.remainder, &self.step) == self.remainder
    }

    /// A number must satisfy all constraints of a side. Sides are compared constraint by constraint; a relation
    /// that follows only from several constraints together is not detected.
    fn relation(old: &[Self], new: &[Self]) -> SetRelation {
        let within = |inner: &[Self], outer: &[Self]| {
            outer.iter().all(|outer| inner.iter().any(|inner| outer.contains(inner)))
        };
        SetRelation::of(within(new, old), within(old, new))
    }
}

/// The remainder of a division, never negative; `step` is positive.
fn remainder(number: &BigInt, step: &BigInt) -> BigInt {
    ((number % step) + step) % step
}

/// A set of allowed values.
struct AllowedSet {
    /// The values; `None` without such a constraint, which allows any value.
    values: Option<Vec<Value>>,
}

impl AllowedSet {
    /// The values that all of these accept; `None` if one of them is invalid for Heat.
    fn intersection(entries: &[ConstraintEntry], kind: Option<ParameterType>) -> Option<Self> {
        let mut all: Option<Vec<Value>> = None;
        for entry in entries {
            let Value::List(items) = &entry.operand else { return None };
            let values = items.iter().map(|item| to_type(item, kind?).ok());
            let values = values.collect::<Option<Vec<_>>>()?;
            all = Some(match all {
                None => values,
                Some(all) => {
                    let values: MembershipSet = values.iter().collect();
                    all.into_iter().filter(|it| values.contains(it)).collect()
                }
            });
        }
        Some(AllowedSet { values: all })
    }

    /// Whether this accepts everything that `other` accepts.
    fn contains(&self, other: &AllowedSet) -> bool {
        match (&self.values, &other.values) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(values), Some(others)) => {
                let values: MembershipSet = values.iter().collect();
                others.iter().all(|other| values.contains(other))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::pair;

    /// The differing aspects of a parameter's constraints, with their kinds.
    fn found(kind: &str, old: &str, new: &str) -> Vec<(ParameterAspect, String)> {
        let text = |it: &str| {
            format!("parameters: {{p: {{type: {kind}, default: 4, constraints: {it}}}}}")
        };
        let (old, new) = pair(&text(old), &text(new));
        let of = |it: &super::super::DeploymentSide<'_>| it.deployed.stack.parameters["p"].clone();
        let kind = |detail: &ParameterDetail| match (&detail.value.old, &detail.value.new) {
            (DisplayValue::Value(Value::Map(map)), _)
            | (_, DisplayValue::Value(Value::Map(map))) => {
                map.keys().filter_map(|key| key.as_text()).collect::<String>()
            }
            other => panic!("{other:?}"),
        };
        let details = compare(&of(&old.side()), &of(&new.side()), false);
        details.iter().map(|detail| (detail.aspect, kind(detail))).collect()
    }

    /// What a value of the running stack may be that the new constraints refuse.
    fn refused(kind: &str, old: &str, new: &str) -> Vec<String> {
        let text = |it: &str| format!("parameters: {{p: {{type: {kind}, constraints: {it}}}}}");
        let (old, new) = pair(&text(old), &text(new));
        let of = |it: &super::super::DeploymentSide<'_>| it.deployed.stack.parameters["p"].clone();
        values_refused_now(&of(&old.side()), &of(&new.side()))
    }

    #[test]
    fn values_that_a_stack_may_have_are_named() {
        let allowed = |it: &str| format!("[{{allowed_values: [{it}]}}]");
        let of_lists = |old, new| refused("string", &allowed(old), &allowed(new));
        assert_eq!(of_lists("a, b, c", "b, a"), ["is `c`"]);
        assert_eq!(of_lists("a, b, c, d, e", "x"), ["is `a` or `b` or `c` or one of 2 more"]);
        assert!(of_lists("a", "a, b").is_empty());
        assert_eq!(refused("number", &allowed("1, '2'"), &allowed("1")), ["is `2`"]);
        assert_eq!(
            refused("string", "[]", &allowed("a")),
            ["does not fit its new `allowed_values`"]
        );
        let range = |max| format!("[{{range: {{max: {max}}}}}]");
        assert_eq!(refused("number", &range(5), &range(4)), ["does not fit its new `range`"]);
        assert!(refused("number", &range(4), &range(5)).is_empty());
    }

    fn aspects(kind: &str, old: &str, new: &str) -> Vec<ParameterAspect> {
        found(kind, old, new).into_iter().map(|(aspect, _)| aspect).collect()
    }

    use ParameterAspect::{
        ConstraintChanged as Changed, ConstraintLoosened as Looser, ConstraintTightened as Tighter,
    };

    #[test]
    fn ranges_are_intervals() {
        let range = |old: &str, new: &str| {
            aspects("number", &format!("[{{range: {old}}}]"), &format!("[{{range: {new}}}]"))
        };
        assert_eq!(range("{min: 1, max: 9}", "{min: '1', max: 9.0}"), []);
        assert_eq!(range("{min: 1, max: 9}", "{min: 2, max: 9}"), [Tighter]);
        assert_eq!(range("{min: 1, max: 9}", "{min: 1}"), [Looser]);
        assert_eq!(range("{min: 1, max: 9}", "{min: 2, max: 10}"), [Changed]);
        assert_eq!(range("{min: 1, max: 9}", "{max: 4}"), [Changed]);
        // Neither accepts any value.
        assert_eq!(range("{min: 5, max: 1}", "{min: 9, max: 8}"), []);
        assert_eq!(range("{min: 5, max: 1}", "{min: 1, max: 5}"), [Looser]);
    }

    #[test]
    fn constraints_of_a_kind_hold_together() {
        let one = "[{range: {min: 1}}, {range: {max: 9}}]";
        let other = "[{range: {min: 1, max: 9}, description: d}, {range: {min: 0}}]";
        assert_eq!(aspects("number", one, other), []);
        let swapped = "[{modulo: {step: 2, offset: 0}}, {range: {min: 1, max: 9}}]";
        assert_eq!(found("number", one, swapped), [(Tighter, "modulo".to_owned())]);
        assert_eq!(found("number", swapped, one), [(Looser, "modulo".to_owned())]);
        assert_eq!(aspects("number", "[]", one), [Tighter]);
    }

    #[test]
    fn a_length_below_zero_is_none() {
        let length = |old: &str, new: &str| {
            aspects("string", &format!("[{{length: {old}}}]"), &format!("[{{length: {new}}}]"))
        };
        assert_eq!(length("{min: 0, max: 5}", "{max: '5'}"), []);
        assert_eq!(length("{max: -1}", "{max: -3}"), []);
        assert_eq!(length("{max: 5}", "{max: 4}"), [Tighter]);
    }

    #[test]
    fn rests_are_arithmetic() {
        let modulo = |old: (i64, i64), new: (i64, i64)| {
            let text = |(step, offset)| format!("[{{modulo: {{step: {step}, offset: {offset}}}}}]");
            aspects("number", &text(old), &text(new))
        };
        assert_eq!(modulo((2, 0), (4, 0)), [Tighter]);
        assert_eq!(modulo((4, 2), (2, 0)), [Looser]);
        assert_eq!(modulo((2, 0), (4, 1)), [Changed]);
        assert_eq!(modulo((3, 1), (-3, -2)), []);
        let both = "[{modulo: {step: 2, offset: 0}}, {modulo: {step: 4, offset: 0}}]";
        assert_eq!(aspects("number", "[{modulo: {step: 4, offset: 0}}]", both), []);
    }

    #[test]
    fn allowed_values_are_a_set_of_the_parameters_type() {
        let allowed = |kind: &str, old: &str, new: &str| {
            let text = |it: &str| format!("[{{allowed_values: {it}}}]");
            aspects(kind, &text(old), &text(new))
        };
        assert_eq!(allowed("string", "[4, b]", "[b, '4', '4']"), []);
        assert_eq!(allowed("string", "[4, b]", "['4']"), [Tighter]);
        assert_eq!(allowed("string", "['4']", "[4, 5]"), [Looser]);
        assert_eq!(allowed("number", "[4, 5]", "['4.0', 6]"), [Changed]);
        assert_eq!(allowed("number", "['4']", "[4.0]"), []);
        let (none, some) = ("[]", "[{allowed_values: [4]}]");
        assert_eq!(aspects("string", none, some), [Tighter]);
        assert_eq!(aspects("string", some, none), [Looser]);
    }

    #[test]
    fn patterns_are_equal_or_not() {
        let (a, b) = ("{allowed_pattern: a}", "{allowed_pattern: b}");
        assert_eq!(aspects("string", &format!("[{a}]"), &format!("[{b}]")), [Changed]);
        assert_eq!(aspects("string", &format!("[{a}, {b}]"), &format!("[{b}, {a}]")), []);
        assert_eq!(aspects("string", &format!("[{a}]"), &format!("[{b}, {a}]")), [Tighter]);
        let custom = |name: &str| format!("[{{custom_constraint: {name}}}]");
        assert_eq!(aspects("string", &custom("x"), &custom("y")), [Changed]);
    }
}
