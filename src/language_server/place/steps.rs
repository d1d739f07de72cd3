//! The steps from one place to the next.

use heat_engine::environment::{registry, sections};
use heat_engine::eval::HeatGroup;
use heat_template::cfn::CfnMeaning;
use heat_template::dialect::{Dialect, KeyTable};
use heat_template::hot::{CallContext, FunctionMeaning as M};
use heat_template::ir::UnaryFunction;
use lossless_yaml::{Document, NodeId};

use super::arguments::named_argument;
use super::parts::{
    constraint_part, environment_section, output_part, parameter_part, resource_part, section,
};
use super::types::{Implementation, TypeSource};
use super::{Call, Definition, Expected, Name, Place, PropertyPlace, call};
use crate::language_server::cursor::DocumentStep;

/// The places of a document.
pub(in crate::language_server) struct Places<'a> {
    pub(in crate::language_server) document: &'a Document,
    pub(in crate::language_server) dialect: Dialect,
    pub(in crate::language_server) types: &'a TypeSource<'a>,
}

impl Places<'_> {
    /// The place behind some steps from a place, the node of which is `node`. The nodes of the steps are those of the document.
    pub(in crate::language_server) fn walk(
        &self,
        from: Place,
        path: &[DocumentStep],
        containers: &[NodeId],
    ) -> Place {
        path.iter().zip(containers).fold(from, |place, (step, container)| match step {
            DocumentStep::Key(key) => self.member(&place, *container, key),
            DocumentStep::Item(number) => self.item(&place, *container, *number),
        })
    }

    /// The value of a key of a map.
    pub(in crate::language_server) fn member(
        &self,
        place: &Place,
        map: NodeId,
        key: &str,
    ) -> Place {
        let of = |table, places: fn(&str, NodeId) -> Place| {
            let key = self.dialect.key(table, key);
            key.map_or(Place::Data, |key| places(key.hot_name, map))
        };
        match place {
            Place::Template => of(KeyTable::Template, section),
            Place::Parameters => Place::Parameter,
            Place::Parameter => of(KeyTable::Parameter, parameter_part),
            Place::Constraint => constraint_part(key),
            Place::ParameterGroup if key == "parameters" => Place::Names(Name::DeclaredParameter),
            Place::Conditions => Place::Condition,
            Place::Resources => {
                let node = self.document.get(map, key);
                node.map_or(Place::Data, |node| {
                    Place::Resource(Definition { node, is_resource: true })
                })
            }
            Place::Resource(definition) if definition.is_resource => {
                of(KeyTable::Resource, resource_part)
            }
            // The members of a group have HOT's keys in every dialect.
            Place::Resource(_) => match key {
                "type" | "properties" => resource_part(key, map).of_member(),
                _ => Place::Value(Expected::Anything),
            },
            Place::Properties(definition) => self.property(*definition, map, key),
            Place::UpdatePolicy(definition) => self.policy(*definition, map, key),
            Place::Outputs => Place::Output,
            Place::Output => of(KeyTable::Output, output_part),
            Place::Value(expected) => match self.call(map, key, CallContext::Value) {
                Some(call) => Place::Argument(call, CallContext::Value, Box::new(expected.clone())),
                None => self.value_member(expected, map, key),
            },
            Place::Condition | Place::Operand => {
                match self.call(map, key, CallContext::Condition) {
                    Some(call) => Place::Argument(call, CallContext::Condition, Box::default()),
                    None => Place::Data,
                }
            }
            Place::DeletionPolicy => match self.call(map, key, CallContext::Value) {
                Some(call) => Place::Argument(call, CallContext::Value, Box::default()),
                None => Place::Data,
            },
            Place::Argument(call, context, expected) => {
                let named = named_argument(*call, key, expected);
                named.unwrap_or_else(|| match (self.call(map, key, *context), call.meaning) {
                    (Some(call), _) => Place::Argument(call, *context, expected.clone()),
                    (None, CfnMeaning::Shared(M::Not)) => Place::Condition,
                    (None, _) => Place::Data,
                })
            }
            Place::Replacements => Place::Value(Expected::Anything),
            Place::AttributePath(_) => self.argument_or_value(map, key),
            Place::Environment => environment_section(key),
            Place::ParameterValues => Place::ParameterValue(key.to_owned()),
            Place::Registry { is_root } => match key {
                registry::RESOURCES if *is_root => Place::RegistryResources,
                registry::HOOKS_KEY => Place::Words(&registry::HOOKS),
                registry::ACTIONS_KEY => Place::Words(&registry::RESTRICTED_ACTIONS),
                registry::BASE_URL => Place::Data,
                _ => Place::RegistryTarget,
            },
            Place::RegistryResources => Place::Registry { is_root: false },
            Place::MergeStrategies => Place::Words(&sections::MERGE_STRATEGIES),
            Place::ParameterGroup
            | Place::Version
            | Place::ParameterType
            | Place::ParameterDefault(_)
            | Place::Flag
            | Place::Constraints
            | Place::CustomConstraint
            | Place::DataMap(_)
            | Place::ParameterGroups
            | Place::ResourceType
            | Place::Names(_)
            | Place::Name(_)
            | Place::Words(_)
            | Place::FilePath
            | Place::ParameterValue(_)
            | Place::RegistryTarget
            | Place::Data => Place::Data,
        }
    }

    /// An item of a list.
    pub(in crate::language_server) fn item(
        &self,
        place: &Place,
        list: NodeId,
        number: usize,
    ) -> Place {
        match place {
            Place::Constraints => Place::Constraint,
            Place::ParameterGroups => Place::ParameterGroup,
            Place::Names(name) | Place::Name(name @ Name::Resource) => Place::Name(*name),
            Place::Value(expected) => Place::Value(item_of(expected)),
            Place::Argument(call, context, expected) => {
                self.argument(*call, *context, expected, list, number)
            }
            Place::Words(words) => Place::Words(words),
            Place::RegistryTarget => Place::RegistryTarget,
            _ => Place::Data,
        }
    }

    /// The function that a map of one key calls.
    pub(in crate::language_server) fn call(
        &self,
        map: NodeId,
        key: &str,
        context: CallContext,
    ) -> Option<Call> {
        let is_alone = self.document.entries(map).len() == 1;
        call(self.dialect, key, context).filter(|_| is_alone)
    }

    /// The implementation of the resource that a definition defines.
    pub(in crate::language_server) fn implementation(
        &self,
        definition: Definition,
    ) -> Option<Implementation> {
        self.types.implementation(self.type_of(definition)?)
    }

    pub(in crate::language_server) fn type_of(&self, definition: Definition) -> Option<&str> {
        let key = if definition.is_resource { self.dialect.key_name("type") } else { "type" };
        self.document.str(self.document.get(definition.node, key)?)
    }

    /// A part of a definition, by its name in HOT.
    pub(in crate::language_server) fn part_of(
        &self,
        definition: Definition,
        hot_name: &'static str,
    ) -> Option<NodeId> {
        let keys = self.dialect.keys(KeyTable::Resource);
        let name = keys.iter().find(|key| definition.is_resource && key.hot_name == hot_name);
        self.document.get(definition.node, name.map_or(hot_name, |key| key.name))
    }

    pub(in crate::language_server) fn resource(&self, name: &str) -> Option<Definition> {
        let section = self.section("resources")?;
        let node = self.document.get(section, name)?;
        Some(Definition { node, is_resource: true })
    }

    /// The map of a section, by its name in HOT.
    pub(in crate::language_server) fn section(&self, hot_name: &'static str) -> Option<NodeId> {
        let name = self.dialect.key_name(hot_name);
        self.document.get(self.document.root()?, name)
    }

    fn property(&self, definition: Definition, map: NodeId, name: &str) -> Place {
        match self.implementation(definition) {
            Some(Implementation::Type(kind, info)) => match info.properties.get(name) {
                Some(property) => {
                    let path = name.to_owned();
                    Place::Value(part(PropertyPlace { kind, path, is_policy: false, property }))
                }
                None => self.argument_or_value(map, name),
            },
            Some(Implementation::Template(view)) => {
                let has = view.template().is_some_and(|it| it.stack.parameters.contains_key(name));
                match has {
                    true => Place::Value(Expected::NestedParameter(view, name.to_owned())),
                    false => self.argument_or_value(map, name),
                }
            }
            None => self.argument_or_value(map, name),
        }
    }

    /// The properties may be a call as a whole.
    fn argument_or_value(&self, map: NodeId, key: &str) -> Place {
        match self.call(map, key, CallContext::Value) {
            Some(call) => Place::Argument(call, CallContext::Value, Box::default()),
            None => Place::Value(Expected::Anything),
        }
    }

    fn policy(&self, definition: Definition, map: NodeId, name: &str) -> Place {
        let Some(Implementation::Type(kind, info)) = self.implementation(definition) else {
            return self.argument_or_value(map, name);
        };
        match info.update_policy.get(name) {
            Some(property) => {
                let path = name.to_owned();
                Place::Value(part(PropertyPlace { kind, path, is_policy: true, property }))
            }
            None => self.argument_or_value(map, name),
        }
    }

    fn value_member(&self, expected: &Expected, map: NodeId, key: &str) -> Place {
        match expected {
            Expected::Property(place) => match place.property.members.get(key) {
                Some(property) => {
                    let path = format!("{}.{key}", place.path);
                    Place::Value(part(PropertyPlace { path, property, ..place.clone() }))
                }
                None => Place::Value(Expected::Anything),
            },
            Expected::Member => self.member(
                &Place::Resource(Definition { node: map, is_resource: false }),
                map,
                key,
            ),
            Expected::Anything | Expected::NestedParameter(..) => Place::Value(Expected::Anything),
        }
    }

    /// An argument of a call that is in a list.
    fn argument(
        &self,
        call: Call,
        context: CallContext,
        expected: &Expected,
        list: NodeId,
        number: usize,
    ) -> Place {
        let any = || Place::Value(Expected::Anything);
        let own = || Place::Value(expected.clone());
        let first = || self.document.items(list).first().copied();
        let of_attribute = || match (number, first()) {
            (0, _) => Place::Name(Name::AttributeOwner),
            (1, Some(owner)) => Place::Name(Name::Attribute(owner)),
            (_, Some(owner)) => Place::AttributePath(owner),
            (_, None) => Place::Data,
        };
        let shared = match call.meaning {
            CfnMeaning::Attribute => return of_attribute(),
            CfnMeaning::Lookup if number == 0 => return Place::Name(Name::Mapping),
            CfnMeaning::Lookup => return any(),
            CfnMeaning::Not => return Place::Condition,
            CfnMeaning::Parameter
            | CfnMeaning::Sub
            | CfnMeaning::ConditionName
            | CfnMeaning::NotInHeat => {
                return Place::Data;
            }
            CfnMeaning::Shared(shared) => shared,
        };
        match shared {
            M::Parameter if number == 0 => Place::Name(Name::Parameter),
            M::Parameter => any(),
            M::Attribute { .. } => of_attribute(),
            M::Join(_) | M::Split(_) if number == 0 => Place::Data,
            M::If { .. } if number == 0 => Place::Condition,
            M::If { .. } => own(),
            M::Equals => Place::Operand,
            M::And | M::Or => Place::Condition,
            M::Unary(
                UnaryFunction::MergeMaps | UnaryFunction::Concat | UnaryFunction::ConcatUnique,
            ) => own(),
            M::Unary(UnaryFunction::ReplaceInMap) if number == 0 => own(),
            M::Unary(UnaryFunction::ReplaceInMap) => Place::Replacements,
            M::Unary(UnaryFunction::Url) => Place::Data,
            M::Binary(_) if context == CallContext::Condition => Place::Operand,
            M::Select
            | M::Join(_)
            | M::Split(_)
            | M::ReplaceList
            | M::MemberList
            | M::Binary(_) => any(),
            M::Resource
            | M::Ref
            | M::File
            | M::Facade { .. }
            | M::Zones
            | M::Replace(..)
            | M::AssertText
            | M::Repeat { .. }
            | M::Yaql
            | M::Not
            | M::Removed
            | M::NotInCondition => Place::Data,
        }
    }
}

/// The required type of a list's item.
pub(super) fn item_of(expected: &Expected) -> Expected {
    match expected {
        Expected::Property(place) => match &place.property.items {
            Some(items) => {
                let path = format!("{}[]", place.path);
                part(PropertyPlace { path, property: items, ..place.clone() })
            }
            None => Expected::Anything,
        },
        Expected::Anything | Expected::NestedParameter(..) | Expected::Member => Expected::Anything,
    }
}

/// The expectation of a property: the members of a group are defined like resources.
fn part(place: PropertyPlace) -> Expected {
    let is_member = match HeatGroup::of(place.kind) {
        Some(HeatGroup::ResourceGroup) => place.path == "resource_def",
        Some(HeatGroup::AutoScalingGroup) => place.path == "resource",
        Some(HeatGroup::ResourceChain | HeatGroup::DeploymentGroup { .. }) | None => false,
    };
    if is_member { Expected::Member } else { Expected::Property(place) }
}

impl Place {
    /// The same part of the definition of a group's members.
    fn of_member(self) -> Self {
        match self {
            Place::Properties(definition) => {
                Place::Properties(Definition { is_resource: false, ..definition })
            }
            place => place,
        }
    }
}
