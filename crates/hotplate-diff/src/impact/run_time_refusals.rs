//! What a plugin refuses only while the update runs: neither Heat's validation nor its preview of the update says it.
//!
//! The table holds what old and new values decide. Source: `docs/heat.md#refusals-while-the-update-runs`.

use std::cmp::Ordering;

use serde::Deserialize;

use super::plugins::PropertyView;
use crate::comparison::{ChangeReason, DefinitionPart, Impact, Places};
use crate::security::contains_networks;
use crate::stages::PropagatedResource;
use crate::update_rules::UpdateRule;
use crate::values::{Ternary, same};
use heat_engine::eval::{Value, python};
use heat_template::schema::{Column, columns};

/// A change that a plugin refuses while the update runs.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RunTimeRefusal {
    property: &'static str,
    when: RefusedWhen,
    /// Why, as a sentence without a full stop.
    why: &'static str,
}

/// The change of a property that is refused.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum RefusedWhen {
    /// The number gets smaller.
    Smaller,
    /// The property had a value and has none.
    Removed,
    /// The property gets this value.
    Becomes(&'static str),
    /// The property had a value and gets another one.
    Reset,
    /// The old networks are not all within the new ones.
    NetworksLeave,
    /// The property changes while a policy has this value.
    Policy(&'static str, &'static str),
    /// The resource is updated and the property does not change.
    Unchanged,
}

static REFUSALS: Column<Vec<RunTimeRefusal>> = Column::new(columns::RUN_TIME_REFUSALS);

/// Whether the table has a row for the type.
pub(super) fn has_rows(kind: &str) -> bool {
    REFUSALS.get(kind).is_some()
}

/// What the table says about a change of a property, as sentences.
pub(super) fn about<'a>(kind: &'a str, property: &'a str) -> impl Iterator<Item = String> + 'a {
    let rows = REFUSALS.of(kind).iter().filter(move |it| it.property == property);
    rows.map(|it| format!("{}: the update fails while it runs", it.why))
}

/// Marks the reasons of a resource that is updated in place for which its plugin refuses the update. A resource that
/// is replaced never gets there; where that is unknown, the reason says what follows otherwise.
pub(super) fn mark(
    kind: &str,
    old: &PropertyView,
    new: &PropertyView,
    reasons: &mut Vec<ChangeReason>,
) {
    let impact = match reasons.iter().map(|reason| reason.impact).min() {
        Some(Impact::Rebuild | Impact::Update | Impact::NoopUpdate) => Some(Impact::Refused),
        Some(Impact::MayReplace) => None,
        _ => return,
    };
    for refusal in REFUSALS.of(kind) {
        let part = DefinitionPart::Property(refusal.property.to_owned());
        let differs = |it: &&mut ChangeReason| it.part == part && it.impact < Impact::NoopUpdate;
        let found = reasons.iter_mut().find(differs);
        let rule = UpdateRule::FailsWhileRunning { why: refusal.why };
        match (refusal.when, found) {
            (RefusedWhen::Unchanged, None) => {
                let impact = impact.unwrap_or(Impact::Update);
                let (part, places) = (DefinitionPart::Resource, Places::default());
                reasons.push(ChangeReason::new(part, impact, rule, places));
            }
            (RefusedWhen::Unchanged, Some(_)) | (_, None) => {}
            (when, Some(reason)) if when.holds(refusal.property, old, new) => {
                reason.impact = impact.unwrap_or(reason.impact);
                reason.rule = rule;
            }
            (_, Some(_)) => {}
        }
    }
}

/// Lifts the refusals of a resource that is replaced because of another one.
pub(crate) fn lift(propagated: &mut PropagatedResource) {
    let is_lifted = |reason: &ChangeReason| {
        reason.impact != Impact::Refused
            || matches!(reason.rule, UpdateRule::FailsWhileRunning { .. })
    };
    let PropagatedResource { decided: resource, effective_impact, propagations, .. } = propagated;
    let is_replaced = propagations.iter().any(|it| it.impact == Impact::Replace)
        && propagations.iter().all(|it| it.impact != Impact::Refused);
    if resource.impact != Impact::Refused || !is_replaced || !resource.reasons.iter().all(is_lifted)
    {
        return;
    }
    *effective_impact = Impact::Replace;
    for reason in resource.reasons.iter_mut().filter(|it| it.impact == Impact::Refused) {
        reason.impact = Impact::Update;
    }
    resource.reasons.sort_by_key(|reason| reason.impact);
    resource.impact = resource.reasons.iter().map(|it| it.impact).min().unwrap_or(Impact::None);
}

impl RefusedWhen {
    /// Whether the change of a property that differs is certainly of this kind.
    fn holds(self, property: &str, old: &PropertyView, new: &PropertyView) -> bool {
        let value = |view: &PropertyView, name: &str| match view.get(name) {
            None => Some(Value::Null),
            Some(Ok(value)) => Some(value.unsealed().clone()),
            Some(Err(_)) => None,
        };
        let (Some(old), Some(is)) = (value(old, property), value(new, property)) else {
            return false;
        };
        let is_known = |value: &Value| !matches!(value, Value::Null | Value::Unknown(_));
        match self {
            RefusedWhen::Smaller => {
                is_known(&old)
                    && is_known(&is)
                    && python::compare_numbers(&is, &old).flatten() == Some(Ordering::Less)
            }
            RefusedWhen::Removed => is_known(&old) && is == Value::Null,
            RefusedWhen::Becomes(text) => is == Value::text(text) && same(&old, &is) == Ternary::No,
            RefusedWhen::Reset => {
                let is_set = |value: &Value| *value != Value::Null && *value != Value::text("");
                is_set(&old) && is_set(&is) && same(&old, &is) == Ternary::No
            }
            RefusedWhen::NetworksLeave => {
                matches!((texts(&old), texts(&is)), (Some(old), Some(new)) if contains_networks(&new, &old) == Some(false))
            }
            RefusedWhen::Policy(policy, wanted) => value(new, policy) == Some(Value::text(wanted)),
            RefusedWhen::Unchanged => false,
        }
    }
}

/// The texts of a list whose items are all known.
fn texts(value: &Value) -> Option<Vec<&str>> {
    let Value::List(items) = value else { return None };
    let text = |item: &'_ Value| matches!(item.unsealed(), Value::Text(_));
    if !items.iter().all(text) {
        return None;
    }
    let items = items.iter().filter_map(|item| match item.unsealed() {
        Value::Text(text) => Some(text.as_str()),
        _ => None,
    });
    Some(items.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use heat_template::schema::Schema;

    #[test]
    fn rows_name_properties_that_can_be_updated() {
        for (kind, row) in
            REFUSALS.iter().flat_map(|(kind, rows)| rows.iter().map(move |it| (kind, it)))
        {
            let info = Schema::heat().types.get(kind).expect(kind);
            let property = info.property(row.property).expect(row.property);
            assert!(property.update_allowed && !property.immutable, "{kind} {}", row.property);
            if let RefusedWhen::Policy(policy, _) = row.when {
                assert!(info.property(policy).is_some(), "{policy}");
            }
        }
    }
}
