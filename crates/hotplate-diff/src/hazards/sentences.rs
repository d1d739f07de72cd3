//! The words for hazards.

use heat_template::schema::NaturalKey;

use super::{Hazard, HazardKind};
use crate::comparison::Pair;

/// Why two resources have the same key at a time.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Cause {
    /// The old one stays as it is.
    Kept,
    /// The old one leaves the stack and stays in the cloud.
    Retained,
    /// Both are updated, and each takes what the other one has.
    Swap,
    /// Something depends on both.
    Order,
    /// Heat promises no order.
    NoOrder,
}

const TWO_UPDATES: &str = "do it in two updates, first without the old one, then with the new one";

impl Hazard {
    /// Everything in one sentence without a full stop.
    pub fn sentence(&self) -> String {
        let Hazard { object, because, instead, .. } = self;
        let what = self.kind.phrase(self.is_certain);
        format!("{what} {object}: {because}; {instead}")
    }
}

impl HazardKind {
    /// The words before the object.
    pub fn phrase(self, is_certain: bool) -> &'static str {
        match (self, is_certain) {
            (HazardKind::Lost, true) => "the update loses",
            (HazardKind::Lost, false) => "the update may lose",
            (HazardKind::Refused, true) => "the update fails at",
            (HazardKind::Refused, false) => "the update may fail at",
            (HazardKind::Race, _) => "Heat promises no order for",
            (HazardKind::Waits, true) => "the update waits in vain for",
            (HazardKind::Waits, false) => "the update may wait in vain for",
            (HazardKind::NoWayBack, _) => "there is no way back for",
        }
    }
}

/// A resource is replaced under the same key.
pub(super) fn replaced(
    kind: HazardKind,
    is_certain: bool,
    object: String,
    row: &NaturalKey,
) -> Hazard {
    let because = match kind {
        HazardKind::Lost if row.freed => {
            "Heat deletes it by its name, once more after it made the new one"
        }
        HazardKind::Lost => {
            "the replacement is the same object, which Heat deletes as the old one when it cleans up"
        }
        HazardKind::Waits => {
            "the old one has it until the new one is there, and Heat takes the refusal of a second one for a busy load balancer"
        }
        HazardKind::Refused | HazardKind::Race | HazardKind::NoWayBack => {
            "Heat creates the replacement while the old one still has it"
        }
    };
    let instead = row.instead.unwrap_or(
        "remove the resource in one update and add it in the next, or give it another key",
    );
    hazard(kind, is_certain, object, None, because.to_owned(), instead)
}

/// Another resource has the same key, and this one goes.
pub(super) fn twin(is_certain: bool, object: String, other: &str) -> Hazard {
    let because = format!("`{other}` stays and has the same, which the deletion takes from it");
    let instead = "remove this resource with a deletion policy of `retain`";
    hazard(HazardKind::Lost, is_certain, object, Some(other), because, instead)
}

/// Another resource has or had the key.
pub(super) fn moved(
    kind: HazardKind,
    is_certain: bool,
    object: &str,
    names: Pair<&str>,
    row: &NaturalKey,
    cause: Cause,
) -> Hazard {
    let Pair { old, new } = names;
    let second = match row.second {
        heat_template::schema::SecondObject::Same => {
            format!("if the deletion of `{old}` comes last, it takes it from `{new}`")
        }
        _ => format!("if `{new}` comes first, it is refused"),
    };
    let (because, instead) = match cause {
        Cause::Kept => (format!("`{old}` has it, and keeps it"), "give one of the two another key"),
        Cause::Retained => (
            format!("`{old}` is retained, and keeps it outside of the stack"),
            "give the new one another key",
        ),
        Cause::Swap => (
            format!("`{old}` has it until its own update, and the two exchange what they have"),
            TWO_UPDATES,
        ),
        Cause::Order if kind == HazardKind::Lost => (
            format!(
                "what depends on both makes Heat delete `{old}` last, which takes it from `{new}`"
            ),
            TWO_UPDATES,
        ),
        Cause::Order => (
            format!("what depends on both makes Heat create `{new}` before it deletes `{old}`"),
            TWO_UPDATES,
        ),
        Cause::NoOrder => (second, TWO_UPDATES),
    };
    hazard(kind, is_certain, object.to_owned(), Some(old), because, instead)
}

/// A hazard from its parts.
pub(super) fn hazard(
    kind: HazardKind,
    is_certain: bool,
    object: String,
    with: Option<&str>,
    because: String,
    instead: &str,
) -> Hazard {
    let with = with.map(str::to_owned);
    Hazard { kind, is_certain, object, with, because, instead: instead.to_owned() }
}
