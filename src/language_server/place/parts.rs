//! The parts of the maps whose keys Heat defines.

use heat_engine::environment::sections;
use lossless_yaml::NodeId;

use super::{Definition, Expected, Name, Place};

/// The place of a section, by its name in HOT.
pub(super) fn section(name: &str, _: NodeId) -> Place {
    match name {
        "heat_template_version" => Place::Version,
        "parameters" => Place::Parameters,
        "parameter_groups" => Place::ParameterGroups,
        "conditions" => Place::Conditions,
        "resources" => Place::Resources,
        "outputs" => Place::Outputs,
        _ => Place::Data,
    }
}

/// A part of a parameter, by its name in HOT.
pub(super) fn parameter_part(key: &str, definition: NodeId) -> Place {
    match key {
        "type" => Place::ParameterType,
        "default" => Place::ParameterDefault(definition),
        "hidden" | "immutable" => Place::Flag,
        "constraints" => Place::Constraints,
        _ => Place::Data,
    }
}

pub(super) fn constraint_part(key: &str) -> Place {
    match key {
        "range" | "length" => Place::DataMap(&["min", "max"]),
        "modulo" => Place::DataMap(&["step", "offset"]),
        "custom_constraint" => Place::CustomConstraint,
        _ => Place::Data,
    }
}

/// A part of the resource whose definition is at the node, by its name in HOT.
pub(super) fn resource_part(key: &str, node: NodeId) -> Place {
    let definition = Definition { node, is_resource: true };
    match key {
        "type" => Place::ResourceType,
        "properties" => Place::Properties(definition),
        "metadata" | "external_id" => Place::Value(Expected::Anything),
        "depends_on" => Place::Name(Name::Resource),
        "deletion_policy" => Place::DeletionPolicy,
        "update_policy" => Place::UpdatePolicy(definition),
        "condition" => Place::Condition,
        _ => Place::Data,
    }
}

/// A part of an output, by its name in HOT.
pub(super) fn output_part(key: &str, _: NodeId) -> Place {
    match key {
        "value" => Place::Value(Expected::Anything),
        "condition" => Place::Condition,
        _ => Place::Data,
    }
}

pub(super) fn environment_section(key: &str) -> Place {
    match key {
        sections::PARAMETERS | sections::DEFAULTS => Place::ParameterValues,
        sections::REGISTRY => Place::Registry { is_root: true },
        sections::ENCRYPTED => Place::Names(Name::DeclaredParameter),
        sections::STRATEGIES => Place::MergeStrategies,
        _ => Place::Data,
    }
}
