//! Addresses that are reachable from outside, and what they lead to.

use serde::Deserialize;

use crate::comparison::{AccessChange, Pair, SecurityChange, SecurityKind};
use heat_template::schema::{Column, columns};

use super::change;
use super::resource_side::{self, ReadValue, ResourceSide};

/// A type, or a part of one, that makes something reachable from outside.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PublicAddressRule {
    /// A description for messages.
    description: &'static str,
    /// The path to the part, if only that part makes a resource reachable.
    #[serde(default)]
    part: Vec<&'static str>,
    /// The properties with the source of the address; the first that is specified counts.
    #[serde(default)]
    sources: Vec<&'static str>,
    /// The properties with the target; the first that is specified counts.
    #[serde(default)]
    targets: Vec<&'static str>,
}

/// The rules, by type.
pub(super) static ROWS: Column<Vec<PublicAddressRule>> = Column::new(columns::PUBLIC_ADDRESSES);

/// Adds the changes of one row.
pub(super) fn compare(
    row: &PublicAddressRule,
    whole: &str,
    sides: &Pair<Option<ResourceSide<'_>>>,
    changes: &mut Vec<SecurityChange>,
) {
    if !row.part.is_empty() {
        return part(row, whole, sides, changes);
    }
    let what = row.description;
    let mut tell = |verdict, message, property| {
        changes.push(change(whole, SecurityKind::PublicAddress, verdict, message, sides, property));
    };
    let (old, new) = match (&sides.old, &sides.new) {
        (Some(old), Some(new)) => (old, new),
        (None, Some(side)) => {
            let message = format!("a {what} is new{}{}", from(row, side), to(row, side));
            return tell(AccessChange::Widened, message, "");
        }
        (Some(side), None) => {
            let message = format!("a {what} is removed{}{}", from(row, side), to(row, side));
            return tell(AccessChange::Narrowed, message, "");
        }
        (None, None) => return,
    };
    for &property in &row.sources {
        let (was, is) = (target(old, &[property]), target(new, &[property]));
        if was.as_ref().map(|one| &one.key) != is.as_ref().map(|one| &one.key) {
            let shown = |end: Option<Endpoint>| end.map_or("none".to_owned(), |end| end.shown);
            let message =
                format!("`{property}` of the {what} is {} now, it was {}", shown(is), shown(was));
            tell(AccessChange::Changed, message, property);
        }
    }
    let property = row.targets.first().copied().unwrap_or_default();
    match (target(old, &row.targets), target(new, &row.targets)) {
        (None, Some(is)) => {
            tell(AccessChange::Widened, format!("the {what} leads to {} now", is.shown), property);
        }
        (Some(was), None) => {
            let message = format!("the {what} no longer leads to {}", was.shown);
            tell(AccessChange::Narrowed, message, property);
        }
        (Some(was), Some(is)) if was.key != is.key => {
            let message = format!("the {what} leads to {} now, it led to {}", is.shown, was.shown);
            tell(AccessChange::Changed, message, property);
        }
        (Some(_), Some(_)) | (None, None) => {}
    }
}

/// Handles a part of a resource that makes it reachable.
fn part(
    row: &PublicAddressRule,
    whole: &str,
    sides: &Pair<Option<ResourceSide<'_>>>,
    changes: &mut Vec<SecurityChange>,
) {
    let what = row.description;
    let ends = |side: &Option<ResourceSide<'_>>| -> Vec<Endpoint> {
        let parts = side
            .iter()
            .flat_map(|side| side.parts(&row.part).into_iter().map(move |one| (side, one)));
        parts.filter_map(|(side, (_, read))| end(side, &read, None)).collect()
    };
    let (mut old, mut new) = (ends(&sides.old), ends(&sides.new));
    old.retain(|was| match new.iter().position(|is| is.key == was.key) {
        Some(at) => {
            new.remove(at);
            false
        }
        None => true,
    });
    let mut tell = |verdict, message| {
        let kind = SecurityKind::PublicAddress;
        changes.push(change(whole, kind, verdict, message, sides, row.part[0]));
    };
    let swapped = old.len().min(new.len());
    for (was, is) in old.iter().zip(&new) {
        let message = format!("its {what} is {} now, it was {}", is.shown, was.shown);
        tell(AccessChange::Changed, message);
    }
    for is in &new[swapped..] {
        tell(AccessChange::Widened, format!("it has a {what} now: {}", is.shown));
    }
    for was in &old[swapped..] {
        tell(AccessChange::Narrowed, format!("it no longer has a {what}: {}", was.shown));
    }
}

/// One end of a route.
struct Endpoint {
    /// Equal for equal ends.
    key: String,
    /// The end for messages.
    shown: String,
}

fn target(side: &ResourceSide<'_>, properties: &[&str]) -> Option<Endpoint> {
    properties
        .iter()
        .find_map(|property| end(side, &side.property(property), side.written(property)))
}

fn end(
    side: &ResourceSide<'_>,
    read: &ReadValue<'_>,
    written: Option<&heat_template::ir::Expr>,
) -> Option<Endpoint> {
    if let Some(whole) = side.referenced_resource(read, written) {
        let name = whole.rsplit('/').next().unwrap_or(&whole);
        return Some(Endpoint { shown: format!("`{name}`"), key: format!("resource {whole}") });
    }
    match read {
        ReadValue::Absent => None,
        ReadValue::Known(value) => {
            let text = resource_side::text(value)?;
            (!text.is_empty())
                .then(|| Endpoint { key: side.key(value), shown: format!("`{text}`") })
        }
        ReadValue::Opaque(opaque) => {
            Some(Endpoint { key: opaque.key.clone(), shown: opaque.shown.clone() })
        }
    }
}

fn from(row: &PublicAddressRule, side: &ResourceSide<'_>) -> String {
    target(side, &row.sources).map_or(String::new(), |end| format!(", from {}", end.shown))
}

fn to(row: &PublicAddressRule, side: &ResourceSide<'_>) -> String {
    target(side, &row.targets).map_or(String::new(), |end| format!(", to {}", end.shown))
}
