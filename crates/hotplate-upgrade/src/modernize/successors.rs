//! Types of services that are gone, and what takes their place.
//!
//! Heat's rule: `docs/heat.md#successors-of-types`.

use serde::Deserialize;

use heat_template::ir::{Expr, ExprKind, Pair};
use heat_template::schema::{Column, Table, columns};

/// The replacement of a type.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Replacement {
    /// A type that has all of its properties.
    Type(Successor),
    /// No single resource; the steps to take.
    ByHand(&'static str),
}

/// A type that replaces another one, with the names that differ; all others are the same.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Successor {
    pub(crate) to: &'static str,
    /// Properties with another name, by the old one.
    #[serde(default)]
    pub(super) properties: Table<&'static str>,
    /// Attributes with another name, by the old one.
    #[serde(default)]
    pub(super) attributes: Table<&'static str>,
    /// When the result is the same, beyond what holds for every successor.
    pub(super) condition: Option<&'static str>,
}

/// The types of services that are gone.
pub(super) static SUCCESSORS: Column<Replacement> = Column::new(columns::SUCCESSORS);

/// The type that replaces another one.
pub(super) fn successor(kind: &str) -> Option<&'static Successor> {
    match SUCCESSORS.get(kind)? {
        Replacement::Type(successor) => Some(successor),
        Replacement::ByHand(_) => None,
    }
}

/// A resource that gets the type of the successor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Succession {
    /// The name of the resource.
    pub(crate) resource: String,
    pub(crate) row: &'static Successor,
}

impl Succession {
    /// The properties with the names of the successor.
    pub(super) fn renamed(&self, properties: &Expr) -> Expr {
        let ExprKind::Map(pairs) = &properties.kind else { return properties.clone() };
        let pair = |pair: &Pair| {
            let mut pair = pair.clone();
            if let Some(new) =
                pair.key.as_text().and_then(|name| self.row.properties.get(name).copied())
            {
                pair.key.kind = ExprKind::Text(new.into());
            }
            pair
        };
        let pairs: Vec<Pair> = pairs.iter().map(pair).collect();
        Expr::new(ExprKind::Map(pairs.into()), properties.span)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use heat_template::schema::{Schema, Successor as SuccessorOf, SupportStatus};

    #[test]
    fn successors_are_supported_and_have_the_new_names() {
        let schema = Schema::heat();
        for (from, replacement) in SUCCESSORS.iter() {
            let old = schema.type_info(from).expect("known");
            assert_ne!(old.support.status, SupportStatus::Supported, "{from}");
            let Replacement::Type(row) = replacement else { continue };
            let new = schema.type_info(row.to).expect("known");
            assert_eq!(new.support.status, SupportStatus::Supported, "{}", row.to);
            for (old_name, name) in &row.properties {
                assert!(old.property(old_name).is_some() && new.property(name).is_some(), "{from}");
            }
            for (old_name, name) in &row.attributes {
                assert!(old.attribute(old_name).is_some() && new.attribute(name).is_some());
            }
        }
        // A type that Heat's message names, and that has everything of the old one, is a row.
        for (name, old) in schema.types.iter().filter(|(_, old)| !old.is_placeholder()) {
            let of_heat = schema.successor(&old.support, schema.major());
            let Some(SuccessorOf::Type(new)) = of_heat else { continue };
            let new = schema.type_info(new).expect("known");
            let has_all = old.properties.keys().all(|it| new.property(it).is_some())
                && old.attributes.keys().all(|it| new.attribute(it).is_some());
            assert!(
                !has_all || successor(name).is_some() || old.support.substitute.is_some(),
                "{name}"
            );
        }
    }
}
