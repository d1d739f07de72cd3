//! The effect of a changed value when the definition is the same: a referenced resource was
//! replaced.
//!
//! Heat's rule: `docs/heat.md#references-in-an-update`.

use indexmap::IndexMap;

use super::definition::{ResourceDefinition, ResourceImplementation, TemplateProperties};
use super::forbidden_impact;
use super::plugins::{self, ReplacementRule};
use super::properties::{NO_VALUE, property_impact, raw_properties};
use crate::comparison::{ChangeReason, DefinitionPart, Impact};
use crate::values::Ternary;
use heat_engine::eval::typed_properties::{self, TypedProperties};
use heat_template::schema::{PhysicalId, ReferenceValue};

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
    let perhaps = |sure| if truth == Ternary::No { sure } else { Impact::MayReplace };
    if *part == DefinitionPart::ExternalId {
        return perhaps(Impact::Refused);
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
            perhaps(Impact::Replace)
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

/// Whether a reference to a resource returns another value after the resource is replaced.
/// `None` if it never does, `Unknown` if it may return the same. `reasons` are those of the replacement.
pub(crate) fn replaces_reference(
    new: &ResourceDefinition<'_>,
    reasons: &[ChangeReason],
) -> Option<Ternary> {
    let ResourceImplementation::Plugin(_, info) = new.implementation() else {
        return Some(Ternary::No);
    };
    match info.reference.what {
        ReferenceValue::LogicalName | ReferenceValue::PhysicalId(PhysicalId::None) => None,
        // The reference id is a name, which is a property.
        ReferenceValue::PhysicalId(PhysicalId::ServiceName) | ReferenceValue::WorkflowName => {
            let renames =
                |reason: &ChangeReason| reason.part == DefinitionPart::Property("name".to_owned());
            Some(if reasons.iter().any(renames) { Ternary::No } else { Ternary::Unknown })
        }
        ReferenceValue::PhysicalId(
            PhysicalId::ServiceId
            | PhysicalId::ServiceUuid
            | PhysicalId::PhysicalResourceName
            | PhysicalId::NestedStackId
            | PhysicalId::Other,
        )
        | ReferenceValue::PhysicalResourceName
        | ReferenceValue::Ec2SignedUrl
        | ReferenceValue::NestedStackOutput
        | ReferenceValue::StackArn
        | ReferenceValue::IpAddress
        | ReferenceValue::GeneratedValue
        | ReferenceValue::SignalUrl => Some(Ternary::No),
    }
}
