//! What it leads to that a value changes whose definition is the same: a resource that it refers to is
//! another one.
//!
//! Heat's rule: `docs/heat.md#references-in-an-update`.

use indexmap::IndexMap;

use super::super::comparison::{Impact, Part, Reason};
use super::super::values::Truth;
use super::definition::{Definition, Implemented, Parameters};
use super::forbidden;
use super::plugins::{self, Rule};
use super::properties::{NOTHING, decided, raw};
use heat_engine::eval::typed::{self, Typed};
use heat_template::schema::{PhysicalId, ReferenceValue};

/// What a change of a part leads to. `truth` is `No`, or `Unknown` where the value may stay what it was.
pub(in crate::diff) fn of_changed_part(
    old: &Definition<'_>,
    new: &Definition<'_>,
    part: &Part,
    truth: Truth,
) -> Impact {
    let by = new.implemented();
    let (rules, is_placeholder) = match &by {
        Implemented::Plugin(name, info) => (plugins::rules(name), info.is_placeholder()),
        Implemented::Template(..) | Implemented::Nothing => (&[][..], false),
    };
    let perhaps = |sure| if truth == Truth::No { sure } else { Impact::MayReplace };
    if *part == Part::ExternalId {
        return perhaps(Impact::Refused);
    }
    // What is adopted is left alone.
    if new.external_id().is_some() || is_placeholder {
        return Impact::None;
    }
    let impact = match part {
        Part::Property(name) => of_property(old, new, &by, rules, name, truth),
        Part::Properties => match &by {
            Implemented::Plugin(_, info)
                if !info.properties.values().all(|property| property.update_allowed) =>
            {
                Impact::MayReplace
            }
            Implemented::Plugin(..) | Implemented::Template(..) => Impact::Update,
            Implemented::Nothing => Impact::MayReplace,
        },
        Part::Metadata if rules.contains(&Rule::ByMetadata) => perhaps(Impact::Replace),
        Part::Resource
        | Part::Type
        | Part::Metadata
        | Part::DependsOn
        | Part::DeletionPolicy
        | Part::UpdatePolicy
        | Part::ExternalId
        | Part::Condition
        | Part::Description => Impact::Update,
    };
    let actions = new.stack.registry.restricted_actions(new.name);
    forbidden(impact, false, |action| actions.contains_key(action)).map_or(impact, |(_, it)| it)
}

fn of_property(
    old: &Definition<'_>,
    new: &Definition<'_>,
    by: &Implemented<'_>,
    rules: &[Rule],
    name: &str,
    truth: Truth,
) -> Impact {
    let info = match by {
        Implemented::Plugin(_, info) | Implemented::Template(_, Parameters::Shipped(info)) => info,
        Implemented::Template(..) => return Impact::Update,
        Implemented::Nothing => return Impact::MayReplace,
    };
    // Another property may take the value.
    let moved = typed::moved(info);
    let name = moved.iter().find(|(from, _)| *from == name).map_or(name, |(_, to)| *to);
    let views = (old.typed(&old.implemented()), new.typed(by));
    let says = match &views {
        (Some(Typed::Each(old)), Some(Typed::Each(view))) => {
            let given = raw(new);
            let is_given = |name: &str| given.get(name).is_some_and(|it| *it != NOTHING);
            let changed = IndexMap::from([(name.to_owned(), truth)]);
            let change = plugins::Change { old, new: view, changed: &changed, is_given: &is_given };
            rules.iter().filter_map(|rule| change.by(*rule, name)).min_by_key(|say| say.impact)
        }
        _ => None,
    };
    decided(by, name, "", info.property(name), truth, says, &NOTHING).0
}

/// Whether a reference to a resource yields another value when another resource takes its place.
/// `None` if it never does, `Unknown` if it may yield the same. `reasons` are why it is replaced.
pub(in crate::diff) fn replaces_reference(
    new: &Definition<'_>,
    reasons: &[Reason],
) -> Option<Truth> {
    let Implemented::Plugin(_, info) = new.implemented() else { return Some(Truth::No) };
    match info.reference.what {
        ReferenceValue::LogicalName | ReferenceValue::PhysicalId(PhysicalId::None) => None,
        // The name that the service knows it by is a property.
        ReferenceValue::PhysicalId(PhysicalId::ServiceName) | ReferenceValue::WorkflowName => {
            let renames = |reason: &Reason| reason.part == Part::Property("name".to_owned());
            Some(if reasons.iter().any(renames) { Truth::No } else { Truth::Unknown })
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
        | ReferenceValue::SignalUrl => Some(Truth::No),
    }
}
