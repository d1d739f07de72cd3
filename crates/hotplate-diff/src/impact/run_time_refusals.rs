//! What a plugin refuses only while the update runs: neither Heat's validation nor its preview of the update says it.
//!
//! The table holds what old and new values decide. Source: `docs/heat.md#refusals-while-the-update-runs`.

use std::cmp::Ordering;

use super::plugins::PropertyView;
use crate::comparison::{ChangeReason, DefinitionPart, DisplayValue, Impact, Pair, ResourceChange};
use crate::security::contains_networks;
use crate::update_rules::UpdateRule;
use crate::values::{Ternary, same};
use heat_engine::eval::{Value, python};

/// A change that a plugin refuses while the update runs.
struct RunTimeRefusal {
    /// The type under which the plugin is registered.
    kind: &'static str,
    property: &'static str,
    when: RefusedWhen,
    /// Why, as a sentence without a full stop.
    why: &'static str,
}

/// The change of a property that is refused.
#[derive(Clone, Copy, Debug)]
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

const REFUSALS: &[RunTimeRefusal] = &[
    RunTimeRefusal {
        kind: "OS::Cinder::QoSSpecs",
        property: "specs",
        when: RefusedWhen::Unchanged,
        why: "Heat's plugin fails at an update that does not change `specs`",
    },
    RunTimeRefusal {
        kind: "OS::Cinder::Volume",
        property: "backup_id",
        when: RefusedWhen::Removed,
        why: "Heat restores the volume from the backup without an id, which fails",
    },
    RunTimeRefusal {
        kind: "OS::Cinder::Volume",
        property: "size",
        when: RefusedWhen::Smaller,
        why: "Heat does not make a volume smaller",
    },
    RunTimeRefusal {
        kind: "OS::Cinder::Volume",
        property: "size",
        when: RefusedWhen::Removed,
        why: "Heat's plugin fails at a volume whose `size` is removed",
    },
    RunTimeRefusal {
        kind: "OS::Cinder::Volume",
        property: "volume_type",
        when: RefusedWhen::Removed,
        why: "Cinder does not change the type of a volume to none",
    },
    RunTimeRefusal {
        kind: "OS::Neutron::Subnet",
        property: "gateway_ip",
        when: RefusedWhen::Becomes("auto"),
        why: "Heat accepts the gateway `auto` for a new subnet only",
    },
    RunTimeRefusal {
        kind: "OS::Neutron::Subnet",
        property: "segment",
        when: RefusedWhen::Reset,
        why: "a subnet that has a segment does not get another one",
    },
    RunTimeRefusal {
        kind: "OS::Neutron::SubnetPool",
        property: "prefixes",
        when: RefusedWhen::NetworksLeave,
        why: "the new `prefixes` must contain the old ones",
    },
    RunTimeRefusal {
        kind: "OS::Nova::Server",
        property: "image",
        when: RefusedWhen::Removed,
        why: "Nova does not rebuild a server without an image",
    },
    RunTimeRefusal {
        kind: "OS::Nova::Server",
        property: "user_data",
        when: RefusedWhen::Policy("user_data_update_policy", "REBUILD"),
        why: "with `user_data_update_policy` REBUILD, Heat's plugin passes the user data to Nova as the image, which fails",
    },
    RunTimeRefusal {
        kind: "OS::Trove::Instance",
        property: "size",
        when: RefusedWhen::Smaller,
        why: "Trove does not make a volume smaller",
    },
];

fn of_type(kind: &str) -> impl Iterator<Item = &'static RunTimeRefusal> {
    REFUSALS.iter().filter(move |refusal| refusal.kind == kind)
}

/// Whether the table has a row for the type.
pub(super) fn has_rows(kind: &str) -> bool {
    of_type(kind).next().is_some()
}

/// What the table says about a change of a property, as sentences.
pub(super) fn about<'a>(kind: &'a str, property: &'a str) -> impl Iterator<Item = String> + 'a {
    let rows = of_type(kind).filter(move |it| it.property == property);
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
    for refusal in of_type(kind) {
        let part = DefinitionPart::Property(refusal.property.to_owned());
        let differs = |it: &&mut ChangeReason| it.part == part && it.impact < Impact::NoopUpdate;
        let found = reasons.iter_mut().find(differs);
        let rule = UpdateRule::FailsWhileRunning { why: refusal.why };
        match (refusal.when, found) {
            (RefusedWhen::Unchanged, None) => reasons.push(ChangeReason {
                part: DefinitionPart::Resource,
                impact: impact.unwrap_or(Impact::Update),
                rule,
                value: Pair { old: DisplayValue::Absent, new: DisplayValue::Absent },
                spans: Pair::default(),
                changes: Vec::new(),
            }),
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
pub(crate) fn lift(resource: &mut ResourceChange) {
    let is_lifted = |reason: &ChangeReason| {
        reason.impact != Impact::Refused
            || matches!(reason.rule, UpdateRule::FailsWhileRunning { .. })
    };
    let is_replaced = resource.propagations.iter().any(|it| it.impact == Impact::Replace)
        && resource.propagations.iter().all(|it| it.impact != Impact::Refused);
    if resource.impact != Impact::Refused || !is_replaced || !resource.reasons.iter().all(is_lifted)
    {
        return;
    }
    resource.effective_impact = Impact::Replace;
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
    fn rows_are_in_order_and_name_properties_that_can_be_updated() {
        assert!(REFUSALS.is_sorted_by_key(|row| (row.kind, row.property)));
        for row in REFUSALS {
            let info = Schema::heat().types.get(row.kind).expect(row.kind);
            let property = info.property(row.property).expect(row.property);
            assert!(
                property.update_allowed && !property.immutable,
                "{} {}",
                row.kind,
                row.property
            );
            if let RefusedWhen::Policy(policy, _) = row.when {
                assert!(info.property(policy).is_some(), "{policy}");
            }
        }
    }
}
