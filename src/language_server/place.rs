//! The meaning of a place in a template or an environment: which keys and values Heat expects there.
//!
//! The place of a node follows from the steps that lead to it from the root. [`Places`] takes the steps through the tables of the dialect and
//! of the schema; completion and hover ask the same places.

mod arguments;
mod call_docs;
mod calls;
mod parts;
mod steps;
mod type_docs;
mod types;

pub(super) use arguments::scalar_argument;
pub(super) use call_docs::{ArgumentShape, without_places};
pub(super) use calls::{Call, call, calls};
pub(super) use steps::Places;
pub(super) use type_docs::{attribute_markdown, property_markdown, type_markdown};
pub(super) use types::{Implementation, TypeSource};

use std::sync::Arc;

use heat_template::hot::CallContext;
use heat_template::schema::Property;
use lossless_yaml::NodeId;

use super::file_view::FileView;

/// A place of a template or an environment.
#[derive(Clone, Debug)]
pub(super) enum Place {
    /// The root of a template.
    Template,
    /// The version of the template.
    Version,
    /// The section `parameters`.
    Parameters,
    Parameter,
    ParameterType,
    /// The default of the parameter whose definition is at the node.
    ParameterDefault(NodeId),
    /// A value that is true or false.
    Flag,
    /// The keys and values that `map_replace` replaces.
    Replacements,
    /// A list of constraints of a parameter.
    Constraints,
    /// A constraint of a parameter.
    Constraint,
    CustomConstraint,
    /// A map of nothing but these keys, whose values are data.
    DataMap(&'static [&'static str]),
    /// The section `parameter_groups`.
    ParameterGroups,
    ParameterGroup,
    /// The section `conditions`.
    Conditions,
    /// The section `resources`.
    Resources,
    Resource(Definition),
    ResourceType,
    /// The properties of a resource.
    Properties(Definition),
    /// The update policy of a resource.
    UpdatePolicy(Definition),
    DeletionPolicy,
    /// The section `outputs`.
    Outputs,
    Output,
    /// A value that may be computed.
    Value(Expected),
    /// A condition: its name, or a function.
    Condition,
    /// An operand of `equals`: a value in the context of a condition.
    Operand,
    Argument(Call, CallContext, Box<Expected>),
    /// A map or list of values that may be computed.
    Names(Name),
    /// The name of something, or a list of names.
    Name(Name),
    /// A path in the value of a group's or a nested stack's attribute, behind the resource at the node.
    AttributePath(NodeId),
    /// One of these words.
    Words(&'static [&'static str]),
    FilePath,
    /// The root of an environment.
    Environment,
    /// A section of an environment with values of parameters.
    ParameterValues,
    /// The value of a parameter in an environment.
    ParameterValue(String),
    /// A map of types and what implements them; the root of the registry, or what is for one resource.
    Registry {
        /// Whether it is the root.
        is_root: bool,
    },
    /// The entries for single resources.
    RegistryResources,
    /// The implementation of a type.
    RegistryTarget,
    /// The strategies by which parameters are merged.
    MergeStrategies,
    /// Data of which nothing is known.
    Data,
}

/// Something that has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Name {
    /// A parameter of the template, or a pseudo parameter.
    Parameter,
    /// A parameter that the template declares.
    DeclaredParameter,
    Resource,
    ResourceOrParameter,
    /// A resource whose attribute is meant.
    AttributeOwner,
    /// An attribute of the resource whose name is at the node.
    Attribute(NodeId),
    Condition,
    Mapping,
}

/// The definition of a resource, or of the members of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Definition {
    /// The map with the type.
    pub(super) node: NodeId,
    /// Whether it is a resource of its own.
    pub(super) is_resource: bool,
}

/// The required type of a value.
#[derive(Clone, Debug, Default)]
pub(super) enum Expected {
    /// Nothing is known about it.
    #[default]
    Anything,
    /// The value of a property, or a part of it.
    Property(PropertyPlace),
    /// The value of a parameter of a nested template.
    NestedParameter(Arc<FileView>, String),
    /// The definition of the members of a group.
    Member,
}

/// A property of a type, or a part of its value.
#[derive(Clone, Debug)]
pub(super) struct PropertyPlace {
    /// The name of the type.
    pub(super) kind: &'static str,
    /// The names that lead to it, as in a description of the type: `networks[].port`.
    pub(super) path: String,
    /// Whether it is a key of the update policy instead.
    pub(super) is_policy: bool,
    pub(super) property: &'static Property,
}

impl Expected {
    pub(super) fn property(&self) -> Option<&PropertyPlace> {
        match self {
            Expected::Property(place) => Some(place),
            Expected::Anything | Expected::NestedParameter(..) | Expected::Member => None,
        }
    }
}
