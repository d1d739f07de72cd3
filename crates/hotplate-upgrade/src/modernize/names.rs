//! Names of types: the one that certainly stands for the same, and what to say about those without one.

use std::borrow::Cow;

use super::known_type;
use super::successors::{Replacement, SUCCESSORS};
use heat_template::schema::{ResourceType, Schema, Support};

/// The first major version of Heat with the types of a service whose facts do not say it.
///
/// Source: Heat's release notes of Mitaka.
const SERVICES_SINCE: [(&str, u32); 1] = [("OS::Aodh::", 6)];

/// What to do about an old name that an environment maps.
pub(super) const KEEPS_MAPPING: &str =
    "rename the type in all templates and environments at once, or keep both names as they are";

/// The name of the implementation of a type, if it is another one that the release has. It holds unless an environment maps
/// one of both names.
pub(super) fn exact_name<'k>(
    schema: &'static Schema,
    heat: u32,
    kind: &'k str,
) -> Option<Cow<'k, str>> {
    let real = schema.real_name(kind);
    let name = match known_type(schema, &real)?.support.substitute {
        Some(substitute) => Cow::Borrowed(substitute),
        None => real,
    };
    let info = known_type(schema, &name)?;
    let is_there = !info.support.in_release(heat).is_absent()
        && is_since(&name, heat)
        && !info.creates_nothing_in(heat);
    (name != kind && is_there).then_some(name)
}

/// The findings about a type that no other type replaces, and the steps.
pub(super) fn no_successor(
    schema: &Schema,
    heat: u32,
    kind: &str,
    real: &str,
    info: &ResourceType,
    stage: &Support,
) -> (String, String) {
    let effect = match info.creates_nothing_in(heat) {
        true => "Heat creates nothing for it",
        false => "Heat may remove it",
    };
    let message = format!("the type `{kind}` has no successor with the same properties; {effect}");
    let help = match (SUCCESSORS.get(real), schema.successor(stage, heat)) {
        (Some(Replacement::ByHand(steps)), _) => (*steps).to_owned(),
        (_, Some(successor)) => successor.advice(),
        (_, None) => "remove the resource and what refers to it".to_owned(),
    };
    (message, help)
}

/// Whether the release has the service of a type.
fn is_since(kind: &str, heat: u32) -> bool {
    let row = SERVICES_SINCE.iter().find(|(start, _)| kind.starts_with(start));
    row.is_none_or(|(_, since)| heat >= *since)
}
