//! Properties whose values are ordered by exposure: each value exposes more than the preceding one.

use serde::Deserialize;

use crate::comparison::{AccessChange, Pair, SecurityChange, SecurityKind};
use heat_template::schema::{Column, columns};

use super::change;
use super::resource_side::{self, ReadValue, ResourceSide};

/// A property, with its values from least to most exposure.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExposureScale {
    /// The property and the keys below it; list items are implied at every index.
    path: Vec<&'static str>,
    values: Vec<&'static str>,
    /// The value if none is specified.
    default: &'static str,
    security: SecurityKind,
    /// Whether a new or removed resource counts, compared with the least exposure.
    counts_one_sided: bool,
}

/// The properties, by type.
pub(super) static ROWS: Column<Vec<ExposureScale>> = Column::new(columns::EXPOSURE);

/// Adds the changes of a row's property.
pub(super) fn compare(
    row: &ExposureScale,
    whole: &str,
    sides: &Pair<Option<ResourceSide<'_>>>,
    changes: &mut Vec<SecurityChange>,
) {
    if !row.counts_one_sided && (sides.old.is_none() || sides.new.is_none()) {
        return;
    }
    let property = row.path[0];
    let name = row.path.join(".");
    fn parts<'a>(
        row: &ExposureScale,
        side: &Option<ResourceSide<'a>>,
    ) -> Vec<(String, ReadValue<'a>)> {
        side.map(|side| side.parts(&row.path)).unwrap_or_default()
    }
    let (old, new) = (parts(row, &sides.old), parts(row, &sides.new));
    let labels: Vec<&String> = {
        let of_old = old.iter().map(|(label, _)| label);
        let more = new.iter().map(|(label, _)| label);
        let more = more.filter(|label| old.iter().all(|(other, _)| other != *label));
        of_old.chain(more).collect()
    };
    for label in labels {
        let side = |side: &Option<ResourceSide<'_>>, parts: &[(String, ReadValue<'_>)]| {
            let found = parts.iter().find(|(other, _)| other == label).map(|(_, read)| read);
            match (side, found) {
                (None, _) => ExposureLevel::OnScale(0, row.values[0].to_owned()),
                (Some(_), Some(ReadValue::Known(value))) => row.position_of(&value.clone()),
                (Some(_), Some(ReadValue::Opaque(opaque))) => {
                    ExposureLevel::Unknown(opaque.key.clone())
                }
                (Some(_), Some(ReadValue::Absent) | None) => row.position_of_text(row.default),
            }
        };
        let (was, is) = (side(&sides.old, &old), side(&sides.new, &new));
        let of = if label.is_empty() { String::new() } else { format!(" of {label}") };
        let (verdict, message) = match (&was, &is) {
            (was, is) if was == is => continue,
            (ExposureLevel::OnScale(old, from), ExposureLevel::OnScale(new, to)) => {
                let verdict = match new.cmp(old) {
                    std::cmp::Ordering::Greater => AccessChange::Widened,
                    std::cmp::Ordering::Less => AccessChange::Narrowed,
                    std::cmp::Ordering::Equal => continue,
                };
                let message = match (&sides.old, &sides.new) {
                    (None, _) => format!("a new resource with `{name}`{of} {to}"),
                    (_, None) => format!("removed, with `{name}`{of} {from}"),
                    _ => format!("`{name}`{of} is {to} now, it was {from}"),
                };
                (verdict, message)
            }
            // Nothing exposes less than the first value.
            (_, ExposureLevel::OnScale(0, to)) => {
                (AccessChange::Changed, format!("`{name}`{of} is {to} now"))
            }
            (ExposureLevel::OffScale(_), _) | (_, ExposureLevel::OffScale(_)) => {
                (AccessChange::MayWiden, format!("`{name}`{of} changes"))
            }
            (ExposureLevel::Unknown(_), _) | (_, ExposureLevel::Unknown(_)) => (
                AccessChange::MayWiden,
                format!("`{name}`{of} changes; it is unknown whether that allows more access"),
            ),
        };
        changes.push(change(whole, row.security, verdict, message, sides, property));
    }
}

/// The position of a value.
#[derive(PartialEq)]
enum ExposureLevel {
    /// One of the row's values, by its index.
    OnScale(usize, String),
    /// A value that is not in the row.
    OffScale(String),
    Unknown(String),
}

impl ExposureScale {
    fn position_of(&self, value: &heat_engine::eval::Value) -> ExposureLevel {
        match resource_side::truth(value) {
            Some(truth) => self.position_of_text(if truth { "true" } else { "false" }),
            None => match resource_side::text(value) {
                Some(text) => self.position_of_text(&text),
                None => ExposureLevel::OffScale(resource_side::key(value)),
            },
        }
    }

    fn position_of_text(&self, value: &str) -> ExposureLevel {
        match self.values.iter().position(|one| *one == value) {
            Some(at) => ExposureLevel::OnScale(at, value.to_owned()),
            None => ExposureLevel::OffScale(value.to_owned()),
        }
    }
}
