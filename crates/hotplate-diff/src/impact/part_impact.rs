//! The effect of a changed value when the definition is the same: a referenced resource was
//! replaced.
//!
//! Heat's rule: `docs/heat.md#references-in-an-update`.

use indexmap::IndexMap;

use super::definition::{ResourceDefinition, ResourceImplementation, TemplateProperties};
use super::forbidden_impact;
use super::plugins::{self, ReplacementRule};
use super::properties::{NO_VALUE, property_impact, raw_properties};
use crate::comparison::{DefinitionPart, Impact};
use crate::values::Ternary;
use heat_engine::eval::typed_properties::{self, TypedProperties};
use heat_engine::eval::{EvaluatedProperties, Value};
use heat_template::schema::{Column, PhysicalId, ReferenceValue, columns};

/// The effect of a change of a part. `truth` is `No`, or `Unknown` if the value may be unchanged.
pub(crate) fn part_impact(
    old: &ResourceDefinition<'_>,
    new: &ResourceDefinition<'_>,
    part: &DefinitionPart,
    truth: Ternary,
) -> Impact {
    let by = new.implementation();
    let (rules, is_placeholder) = match &by {
        ResourceImplementation::Plugin(name, info) => (plugins::rules(name), info.is_placeholder()),
        ResourceImplementation::Template(..) | ResourceImplementation::Unknown => (&[][..], false),
    };
    let possibly = |sure| if truth == Ternary::No { sure } else { Impact::MayReplace };
    if *part == DefinitionPart::ExternalId {
        return possibly(Impact::Refused);
    }
    // Heat does not touch an adopted resource.
    if new.external_id().is_some() || is_placeholder {
        return Impact::None;
    }
    let impact = match part {
        DefinitionPart::Property(name) => {
            changed_property_impact(old, new, &by, rules, name, truth)
        }
        DefinitionPart::Properties => match &by {
            ResourceImplementation::Plugin(_, info)
                if !info.properties.values().all(|property| property.update_allowed) =>
            {
                Impact::MayReplace
            }
            ResourceImplementation::Plugin(..) | ResourceImplementation::Template(..) => {
                Impact::Update
            }
            ResourceImplementation::Unknown => Impact::MayReplace,
        },
        DefinitionPart::Metadata if rules.contains(&ReplacementRule::ByMetadata) => {
            possibly(Impact::Replace)
        }
        DefinitionPart::Resource
        | DefinitionPart::Type
        | DefinitionPart::Metadata
        | DefinitionPart::DependsOn
        | DefinitionPart::DeletionPolicy
        | DefinitionPart::UpdatePolicy
        | DefinitionPart::ExternalId
        | DefinitionPart::Condition
        | DefinitionPart::Description => Impact::Update,
    };
    let actions = new.stack.node.registry.restricted_actions(new.name);
    forbidden_impact(impact, false, |action| actions.contains_key(action))
        .map_or(impact, |(_, it)| it)
}

fn changed_property_impact(
    old: &ResourceDefinition<'_>,
    new: &ResourceDefinition<'_>,
    by: &ResourceImplementation<'_>,
    rules: &[ReplacementRule],
    name: &str,
    truth: Ternary,
) -> Impact {
    let info = match by {
        ResourceImplementation::Plugin(_, info)
        | ResourceImplementation::Template(_, TemplateProperties::Shipped(info)) => info,
        ResourceImplementation::Template(..) => return Impact::Update,
        ResourceImplementation::Unknown => return Impact::MayReplace,
    };
    // Another property may use the value.
    let moved = typed_properties::translated_properties(info);
    let name = moved.iter().find(|(from, _)| *from == name).map_or(name, |(_, to)| *to);
    let views = (old.typed_properties(&old.implementation()), new.typed_properties(by));
    let outcome = match &views {
        (Some(TypedProperties::Each(old)), Some(TypedProperties::Each(view))) => {
            let given = raw_properties(new);
            let is_given = |name: &str| given.get(name).is_some_and(|it| *it != NO_VALUE);
            let changed = IndexMap::from([(name.to_owned(), truth)]);
            let change = plugins::PropertyChanges {
                old,
                new: view,
                changed: &changed,
                is_specified: &is_given,
            };
            rules.iter().filter_map(|rule| change.apply(*rule, name)).min_by_key(|say| say.impact)
        }
        _ => None,
    };
    property_impact(by, name, "", info.property(name), truth, outcome, &NO_VALUE).0
}

/// The properties that a reference to a resource of a type is made of.
static REFERENCE_NAMES: Column<Vec<&str>> = Column::new(columns::REFERENCE_NAMES);

/// Whether a reference to a resource returns another value after the resource is replaced.
/// `None` if it never does, `Unknown` if it may return the same. `changed` are the parts that differ, with whether that is certain.
pub(crate) fn replaces_reference<'c>(
    new: &ResourceDefinition<'_>,
    changed: impl Iterator<Item = (&'c DefinitionPart, bool)>,
) -> Option<Ternary> {
    let ResourceImplementation::Plugin(kind, info) = new.implementation() else {
        return Some(Ternary::No);
    };
    if matches!(
        info.reference.what,
        ReferenceValue::LogicalName | ReferenceValue::PhysicalId(PhysicalId::None)
    ) {
        return None;
    }
    let names = REFERENCE_NAMES.of(kind);
    // Without a value, Heat generates the name, another one for each resource.
    if !names.iter().any(|name| new.property(name).is_some()) {
        return Some(Ternary::No);
    }
    let is_name = |part: &DefinitionPart| match part {
        DefinitionPart::Property(name) => names.contains(&name.as_str()),
        DefinitionPart::Properties => true,
        _ => false,
    };
    let of_names = changed.filter(|(part, _)| is_name(part));
    of_names.map(|(_, sure)| if sure { Ternary::No } else { Ternary::Unknown }).min()
}

/// The property whose value a reference to a resource of a type returns; `None` if it returns something else.
pub fn reference_property(kind: &str) -> Option<&'static str> {
    match REFERENCE_NAMES.of(kind) {
        [name] => Some(name),
        _ => None,
    }
}

/// Whether a reference to a resource is made of its properties.
pub(crate) fn has_reference_names(definition: &ResourceDefinition<'_>) -> bool {
    definition.plugin().is_some_and(|it| !REFERENCE_NAMES.of(it).is_empty())
}

/// The name that a reference to a resource returns; `None` if it returns something else, or if the name is unknown.
pub(crate) fn reference_name(definition: &ResourceDefinition<'_>) -> Option<Value> {
    let [name] = REFERENCE_NAMES.of(definition.plugin()?) else { return None };
    let EvaluatedProperties::Each(each) = &definition.resource.properties else { return None };
    let value = each.get(*name)?.as_ref().ok()?;
    matches!(value.unsealed(), Value::Text(_)).then(|| value.clone())
}
