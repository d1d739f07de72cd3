//! Changes of keys, passwords, images and boot scripts: any change is reported.

use std::collections::HashSet;

use serde::Deserialize;

use crate::comparison::{AccessChange, Pair, SecurityChange, SecurityKind};
use crate::equality::{Ternary, same, same_with};
use heat_template::schema::{Column, columns};

use super::change;
use super::resource_side::{self, ReadValue, ResourceSide};

/// A property that grants access to whoever holds it, or decides what runs.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CredentialRule {
    /// The property and the keys below it; list items are implied at every index.
    path: Vec<&'static str>,
    /// A description for messages.
    description: &'static str,
    security: SecurityKind,
    /// Whether messages may show its value.
    #[serde(default)]
    may_be_shown: bool,
    /// Whether a new or removed resource counts, because it grants access to somebody.
    #[serde(default)]
    counts_one_sided: bool,
}

/// The properties, by type.
pub(super) static ROWS: Column<Vec<CredentialRule>> = Column::new(columns::CREDENTIALS);

/// The properties of a type whose values are secrets, each with the keys below it, and a description.
pub fn secret_properties(
    resource_type: &str,
) -> impl Iterator<Item = (&'static [&'static str], &'static str)> {
    let is_secret =
        |row: &&CredentialRule| row.security == SecurityKind::Password && !row.may_be_shown;
    let rows = ROWS.of(resource_type).iter().filter(is_secret);
    rows.map(|row| (row.path.as_slice(), row.description))
}

/// The keys that a resource holds for others.
pub(super) fn held_keys(side: &ResourceSide<'_>) -> Vec<String> {
    let rows = ROWS.of(side.resource_type).iter().filter(|row| row.holds_key());
    let parts = rows.flat_map(|row| side.parts(&row.path));
    parts.filter_map(|(_, read)| key_of(side, &read)).collect()
}

/// Adds the changes of a row's property. `held` are the keys that all resources of each side hold: a key grants what it does whatever
/// the resource is called.
pub(super) fn compare(
    row: &CredentialRule,
    whole: &str,
    sides: &Pair<Option<ResourceSide<'_>>>,
    held: &Pair<HashSet<String>>,
    changes: &mut Vec<SecurityChange>,
) {
    let what = row.description;
    let mut tell = |verdict, message| {
        changes.push(change(whole, row.security, verdict, message, sides, row.path[0]));
    };
    let (old_side, new_side) = match (&sides.old, &sides.new) {
        (Some(old), Some(new)) => (old, new),
        (None, Some(side)) if row.holds_key() && are_held(row, side, &held.old) => return,
        (Some(side), None) if row.holds_key() && are_held(row, side, &held.new) => return,
        (None, Some(_)) if row.counts_one_sided => {
            return tell(AccessChange::Widened, format!("a new resource with a {what}"));
        }
        (Some(_), None) if row.counts_one_sided => {
            return tell(AccessChange::Narrowed, format!("removed together with its {what}"));
        }
        _ => return,
    };
    let (old, new) = (old_side.parts(&row.path), new_side.parts(&row.path));
    for (label, is) in &new {
        let was =
            old.iter().find(|(other, _)| other == label).map_or(&ReadValue::Absent, |(_, was)| was);
        let of = if label.is_empty() { String::new() } else { format!(" of {label}") };
        let shown = |read: &ReadValue<'_>| match read {
            ReadValue::Known(value) if row.may_be_shown => {
                resource_side::text(value).map(|text| format!("`{text}`"))
            }
            ReadValue::Known(_) | ReadValue::Absent | ReadValue::Opaque(_) => None,
        };
        match (was, is) {
            (was, is) if key_of(old_side, was) == key_of(new_side, is) => {}
            (ReadValue::Absent, is) => {
                let to = shown(is).map_or(String::new(), |shown| format!(": {shown}"));
                tell(added(row.security), format!("the {what}{of} is set now{to}"));
            }
            (was, ReadValue::Absent) => {
                let from = shown(was).map_or(String::new(), |shown| format!("; it was {shown}"));
                tell(removed(row.security), format!("the {what}{of} is no longer set{from}"));
            }
            (was, is) if is_unknown(was) || is_unknown(is) => {
                match property_equality(row, old_side, new_side) {
                    Ternary::Yes => {}
                    Ternary::No => tell(AccessChange::Changed, format!("the {what}{of} changes")),
                    Ternary::Unknown => {
                        tell(AccessChange::Changed, format!("the {what}{of} may change"));
                    }
                }
            }
            (was, is) => {
                let message = match (shown(was), shown(is)) {
                    (Some(was), Some(is)) => {
                        format!("the {what}{of} changes from {was} to {is}")
                    }
                    _ => format!("the {what}{of} changes"),
                };
                tell(AccessChange::Changed, message);
            }
        }
    }
    for (label, was) in &old {
        if *was == ReadValue::Absent || new.iter().any(|(other, _)| other == label) {
            continue;
        }
        let of = if label.is_empty() { String::new() } else { format!(" of {label}") };
        tell(removed(row.security), format!("the {what}{of} is no longer set"));
    }
}

/// Whether all keys of a resource are among those of the other side.
fn are_held(row: &CredentialRule, side: &ResourceSide<'_>, held: &HashSet<String>) -> bool {
    let parts = side.parts(&row.path);
    let is_held = |read: &ReadValue<'_>| key_of(side, read).is_some_and(|key| held.contains(&key));
    !parts.is_empty() && parts.iter().all(|(_, read)| is_held(read))
}

/// A key grants access; whether a new password, image or script does is unknown.
fn added(kind: SecurityKind) -> AccessChange {
    if kind == SecurityKind::Key { AccessChange::Widened } else { AccessChange::Changed }
}

fn removed(kind: SecurityKind) -> AccessChange {
    if kind == SecurityKind::Key { AccessChange::Narrowed } else { AccessChange::Changed }
}

fn key_of(side: &ResourceSide<'_>, read: &ReadValue<'_>) -> Option<String> {
    match read {
        ReadValue::Absent => None,
        ReadValue::Known(value) => Some(side.key(value)),
        ReadValue::Opaque(opaque) => Some(opaque.key.clone()),
    }
}

/// Compares the whole property, if the row concerns it as a whole.
fn property_equality(
    row: &CredentialRule,
    old: &ResourceSide<'_>,
    new: &ResourceSide<'_>,
) -> Ternary {
    match (row.path.as_slice(), old.value(row.path[0]), new.value(row.path[0])) {
        ([_], Some(was), Some(is)) => match old.names {
            Some(names) => same_with(was, is, names),
            None => same(was, is),
        },
        _ => Ternary::Unknown,
    }
}

fn is_unknown(read: &ReadValue<'_>) -> bool {
    matches!(read, ReadValue::Opaque(opaque) if opaque.unknown)
}

impl CredentialRule {
    /// Whether it is about a resource that holds a key for others.
    fn holds_key(&self) -> bool {
        self.counts_one_sided && self.security == SecurityKind::Key
    }
}
