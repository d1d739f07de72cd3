//! A property whose differences a report leaves out.

use std::str::FromStr;

use super::update_impact::Impact;

/// The property of a type, `TYPE.PROPERTY`, whose updates in place a report only counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HiddenProperty {
    /// The resource type, as the template has it.
    pub kind: String,
    /// The property, or another part of a resource such as `metadata`.
    pub property: String,
}

/// Why a text names no property of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("name a type and its property: `TYPE.PROPERTY`, such as `OS::Nova::Server.metadata`")]
pub struct NotTypeAndProperty;

impl FromStr for HiddenProperty {
    type Err = NotTypeAndProperty;

    fn from_str(argument: &str) -> Result<Self, Self::Err> {
        match argument.trim().rsplit_once('.') {
            Some((kind, property))
                if !kind.is_empty() && !property.is_empty() && !property.contains([':', '/']) =>
            {
                Ok(HiddenProperty { kind: kind.to_owned(), property: property.to_owned() })
            }
            _ => Err(NotTypeAndProperty),
        }
    }
}

impl HiddenProperty {
    /// Whether it leaves out this difference: the update in place of its property.
    pub fn covers(&self, kind: Option<&str>, property: &str, impact: Impact) -> bool {
        // Everything before it is worse.
        let is_in_place = impact >= Impact::Update;
        is_in_place && self.property == property && kind == Some(self.kind.as_str())
    }
}

impl std::fmt::Display for HiddenProperty {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}.{}", self.kind, self.property)
    }
}
