//! The mapping table of the provider, `targets/terraform/mapping.yaml`.

use std::sync::OnceLock;

use crate::mapping::{Mapping, TypeMapping};
use crate::support::TargetSupport;

const TABLE: &str = include_str!("../../targets/terraform/mapping.yaml");

/// The mapping table, parsed once.
pub fn table() -> &'static Mapping {
    static READ: OnceLock<Mapping> = OnceLock::new();
    READ.get_or_init(|| {
        #[expect(clippy::expect_used, reason = "a part of the program, read by every test run")]
        Mapping::read(TABLE).expect("the table has the layout of mapping.rs")
    })
}

/// The row of a type, by its own name: the registry has resolved aliases.
pub(super) fn type_mapping(kind: &str) -> Option<&'static TypeMapping> {
    table().types.get(kind)
}

/// Whether an object of the provider allows more without this argument: a security rule without a protocol
/// applies to every protocol. The object is omitted if the argument cannot be expressed.
pub fn is_restricting_argument(kind: &str, argument: &str) -> bool {
    let of_kind = table().types.values().filter(|it| it.to.as_deref() == Some(kind));
    let mut properties = of_kind.flat_map(|it| it.properties.values());
    properties.any(|it| it.restricts && it.to.as_deref() == Some(argument))
}

/// Whether objects of this type allow access, so that the loss of one is an error.
pub fn grants_access(kind: &str) -> bool {
    let mut types = table().types.values().filter(|it| it.to.as_deref() == Some(kind));
    types.any(|it| it.properties.values().any(|property| property.restricts))
}

/// The counterpart of a type in the provider.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Counterpart {
    /// A separate object of this provider type, perhaps with further objects.
    Object(&'static str),
    /// A part of another resource's object.
    Part,
    /// No counterpart, with the reason and a suggestion.
    Nothing {
        /// The reason: a sentence without a period.
        why: &'static str,
        /// What the user can do.
        suggestion: Option<&'static str>,
    },
}

/// The counterpart of a type in the provider.
pub fn counterpart(kind: &str) -> Counterpart {
    const UNKNOWN: &str = "the provider has no equivalent";
    match type_mapping(kind) {
        None => Counterpart::Nothing { why: UNKNOWN, suggestion: None },
        Some(TypeMapping { to: Some(to), .. }) => Counterpart::Object(to),
        Some(TypeMapping { part_of: Some(_), .. }) => Counterpart::Part,
        Some(TypeMapping { note, suggestion, .. }) => Counterpart::Nothing {
            why: note.as_deref().unwrap_or(UNKNOWN),
            suggestion: suggestion.as_deref(),
        },
    }
}

/// The counterpart of a type and how much of the type is supported, for generated tables.
pub fn type_support(kind: &str) -> (Option<String>, TargetSupport) {
    let Some(mapping) = type_mapping(kind) else {
        return (None, TargetSupport::Unsupported("the provider has no equivalent".to_owned()));
    };
    let to = mapping.to.clone();
    match counterpart(kind) {
        Counterpart::Nothing { why, .. } => {
            return (None, TargetSupport::Unsupported(why.to_owned()));
        }
        Counterpart::Part => {
            return (None, TargetSupport::Partial(mapping.note.clone().unwrap_or_default()));
        }
        Counterpart::Object(_) => {}
    }
    let lost = |it: &crate::mapping::PropertyMapping| {
        it.to.is_none() && it.rule.is_none() && it.object.is_none() && it.same_as.is_none()
    };
    let lost: Vec<&str> = mapping
        .properties
        .iter()
        .filter(|(_, property)| lost(property))
        .map(|(name, _)| name.as_str())
        .collect();
    match (lost.is_empty(), &mapping.note) {
        (true, None) => (to, TargetSupport::Full),
        (true, Some(note)) => (to, TargetSupport::Partial(note.clone())),
        (false, _) => (to, TargetSupport::Partial(format!("not {}", lost.join(", ")))),
    }
}
