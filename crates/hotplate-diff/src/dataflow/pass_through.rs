//! How values pass into nested stacks and groups, and out of them.

use smol_str::SmolStr;

use super::uses::UsedValue;
use super::{Dataflow, DataflowEdge, DataflowNode, StackId};
use crate::comparison::DefinitionPart;
use heat_engine::eval::HeatGroup;
use heat_engine::eval::template_graph::{GroupReference, ResolvedImplementation};
use heat_template::hot::{GroupAttribute, GroupValue, MemberName, MemberValue};
use heat_template::ir::{AttributeFetch, ExprKind};
use heat_template::schema::ResourceType;

/// How values pass through a resource that represents a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PassThrough {
    /// A template: properties become parameters, outputs become attributes.
    Template,
    /// `OS::Heat::Stack`
    Remote,
    /// A group of members.
    Group(HeatGroup),
    /// `OS::Heat::Value`: the property becomes the attribute.
    Value,
}

/// The part of a resource inside a stack that changes, as seen from outside.
#[derive(Clone, Copy)]
pub(super) enum NestedValue<'s> {
    Reference,
    Attribute(Option<&'s str>),
    Members,
}

impl Dataflow<'_> {
    pub(crate) fn pass_through(&self, id: StackId, name: &str) -> Option<PassThrough> {
        let stack = self.stack(id);
        stack.evaluation.resources.as_ref()?.get(name)?;
        match stack.node.implementations.get(name)? {
            ResolvedImplementation::Plugin("OS::Heat::Stack", _) => Some(PassThrough::Remote),
            ResolvedImplementation::Plugin("OS::Heat::Value", _) => Some(PassThrough::Value),
            ResolvedImplementation::Group(group) => Some(PassThrough::Group(group.group)),
            ResolvedImplementation::Template(_) | ResolvedImplementation::Shipped(_) => {
                Some(PassThrough::Template)
            }
            ResolvedImplementation::Plugin(..)
            | ResolvedImplementation::Candidates
            | ResolvedImplementation::NotFound(_) => None,
        }
    }

    /// The plugin of a resource, by the type name under which it is registered.
    pub(crate) fn plugin(
        &self,
        id: StackId,
        name: &str,
    ) -> Option<(&'static str, &'static ResourceType)> {
        match self.stack(id).node.implementations.get(name)? {
            ResolvedImplementation::Plugin(name, info)
            | ResolvedImplementation::Group(GroupReference { plugin: name, info, .. }) => {
                Some((name, info))
            }
            ResolvedImplementation::Template(_)
            | ResolvedImplementation::Shipped(_)
            | ResolvedImplementation::Candidates
            | ResolvedImplementation::NotFound(_) => None,
        }
    }

    /// Adds the uses of a resource through attributes of the resource that represents its stack.
    pub(super) fn push_outer_uses(
        &self,
        id: StackId,
        name: &str,
        what: NestedValue<'_>,
        steps: &mut Vec<DataflowEdge>,
    ) {
        let Some((outer, stack)) = self.outer(id) else { return };
        let kind = match self.pass_through(outer, stack) {
            Some(PassThrough::Group(kind)) => Some(kind),
            _ => None,
        };
        let fits = |of: &UsedValue| reads_nested(of, kind, name, what);
        self.push_resource_uses(outer, stack, fits, steps);
    }

    /// Adds the attribute that an output becomes.
    pub(super) fn push_output(&self, id: StackId, name: &SmolStr, steps: &mut Vec<DataflowEdge>) {
        let Some((outer, stack)) = self.outer(id) else { return };
        let mut step = |to| steps.push(DataflowEdge { target: to, span: None, is_control: false });
        match self.pass_through(outer, stack) {
            Some(PassThrough::Template) => {
                step(DataflowNode::Attribute(outer, stack.clone(), Some(name.clone())));
                if name == "OS::stack_id" {
                    step(DataflowNode::Reference(outer, stack.clone()));
                }
            }
            Some(PassThrough::Remote) => {
                let fits = |of: &UsedValue| match of {
                    UsedValue::Attribute(Some(attribute), path) => {
                        attribute == "outputs" && may_equal(path.first(), name)
                    }
                    UsedValue::Attribute(None, _) => true,
                    UsedValue::Reference => false,
                };
                self.push_resource_uses(outer, stack, fits, steps);
            }
            // Attributes of a group are requested from its members.
            Some(PassThrough::Group(_) | PassThrough::Value) | None => {}
        }
    }

    /// The values that a part of a definition is passed on to.
    pub(super) fn passed_to(
        &self,
        id: StackId,
        name: &SmolStr,
        part: &DefinitionPart,
        path: &[SmolStr],
        steps: &mut Vec<DataflowEdge>,
    ) {
        let mut step = |to| steps.push(DataflowEdge { target: to, span: None, is_control: false });
        let property = match part {
            DefinitionPart::Property(property) => Some(property.as_str()),
            DefinitionPart::Properties => None,
            _ => return,
        };
        let passes = self.pass_through(id, name);
        if passes == Some(PassThrough::Value) {
            if property.is_none_or(|property| property == "value") {
                step(DataflowNode::Attribute(id, name.clone(), Some("value".into())));
            }
            return;
        }
        let Some(inner) = self.inner(id, name) else { return };
        let declared = || self.stack(inner).stack.parameters.keys().map(SmolStr::from);
        match (passes, property) {
            (Some(PassThrough::Template), Some(property)) => {
                step(DataflowNode::Parameter(inner, property.into()));
            }
            (Some(PassThrough::Template), None) => {
                declared().for_each(|name| step(DataflowNode::Parameter(inner, name)));
            }
            (Some(PassThrough::Remote), Some("parameters")) => match path.first() {
                Some(name) => step(DataflowNode::Parameter(inner, name.clone())),
                None => declared().for_each(|name| step(DataflowNode::Parameter(inner, name))),
            },
            (Some(PassThrough::Group(kind)), Some(property)) => {
                self.to_members(kind, inner, property, path, &mut step);
            }
            _ => {}
        }
    }

    /// Adds the values of the members that a property of a group affects.
    fn to_members(
        &self,
        kind: HeatGroup,
        inner: StackId,
        property: &str,
        path: &[SmolStr],
        step: &mut impl FnMut(DataflowNode),
    ) {
        let members = &self.stack(inner).stack.resources;
        let mut of_all = |part: &DefinitionPart, path: &[SmolStr]| {
            for name in members.keys() {
                step(DataflowNode::Part(inner, name.into(), part.clone(), path.to_vec()));
            }
        };
        // All members have the same properties.
        let properties = || -> Vec<SmolStr> {
            let first = members.values().next().and_then(|member| member.properties.as_ref());
            match first.map(|expr| &expr.kind) {
                Some(ExprKind::Map(pairs)) => {
                    pairs.iter().filter_map(|pair| pair.key.as_text()).map(SmolStr::from).collect()
                }
                _ => Vec::new(),
            }
        };
        match (kind, property) {
            (HeatGroup::ResourceGroup, "resource_def")
            | (HeatGroup::AutoScalingGroup, "resource") => {
                let section = path.first().map(SmolStr::as_str);
                if matches!(section, None | Some("metadata")) {
                    of_all(&DefinitionPart::Metadata, path.get(1..).unwrap_or_default());
                }
                match (section, path.get(1)) {
                    (Some("properties"), Some(property)) => {
                        of_all(&DefinitionPart::Property(property.to_string()), &path[2..]);
                    }
                    (None | Some("properties"), _) => {
                        for property in properties() {
                            of_all(&DefinitionPart::Property(property.to_string()), &[]);
                        }
                    }
                    _ => {}
                }
            }
            (HeatGroup::ResourceChain, "resource_properties") => match path.split_first() {
                Some((property, rest)) => {
                    of_all(&DefinitionPart::Property(property.to_string()), rest)
                }
                None => {
                    for property in properties() {
                        of_all(&DefinitionPart::Property(property.to_string()), &[]);
                    }
                }
            },
            (HeatGroup::DeploymentGroup { .. }, "servers") => {
                let server = DefinitionPart::Property("server".to_owned());
                match path.first() {
                    Some(name) => step(DataflowNode::Part(inner, name.clone(), server, Vec::new())),
                    None => of_all(&server, &[]),
                }
            }
            (HeatGroup::DeploymentGroup { .. }, property) => {
                of_all(&DefinitionPart::Property(property.to_owned()), path);
            }
            _ => {}
        }
    }
}

/// Whether an attribute of the resource that represents a stack exposes a resource inside it.
/// `kind` is that of a group; a template exposes only what is requested by the name of the resource.
pub(super) fn reads_nested(
    of: &UsedValue,
    kind: Option<HeatGroup>,
    member: &str,
    what: NestedValue<'_>,
) -> bool {
    let (key, path) = match of {
        UsedValue::Reference => return false,
        UsedValue::Attribute(None, _) => return true,
        UsedValue::Attribute(Some(key), path) => (key.as_str(), path.as_slice()),
    };
    let value = match kind {
        Some(kind) => GroupAttribute::of(kind, key, path, AttributeFetch::PathToResource).value,
        None => match MemberValue::of_resource(key, path) {
            Some((name, value)) => GroupValue::Member(MemberName::Name(name), value),
            None => GroupValue::Refused,
        },
    };
    match (value, what) {
        (GroupValue::Members(..), NestedValue::Members) => true,
        (GroupValue::Members(_, value), what) => reads(&value, what),
        (GroupValue::Member(name, value), what) => {
            let is_this = match name {
                MemberName::Name(name) => name == member,
                // Here, members are named by their number; the last ones are unknown.
                MemberName::Position(number) => number < 0 || number.to_string() == member,
            };
            is_this && reads(&value, what)
        }
        (GroupValue::Size | GroupValue::RemovedNames | GroupValue::Refused, _) => false,
    }
}

/// Whether a value of a member is this part of it.
fn reads<P>(value: &MemberValue<'_, P>, what: NestedValue<'_>) -> bool {
    match (value, what) {
        (_, NestedValue::Members) => false,
        (MemberValue::Reference, what) => matches!(what, NestedValue::Reference),
        (MemberValue::Attribute { .. }, NestedValue::Reference) => false,
        (MemberValue::Attribute { .. }, NestedValue::Attribute(None)) => true,
        (MemberValue::Attribute { name, .. }, NestedValue::Attribute(Some(wanted))) => {
            name.is_none_or(|name| name == wanted)
        }
    }
}

/// Whether a part of a path is this one, or is unknown.
fn may_equal(part: Option<&Option<SmolStr>>, wanted: &str) -> bool {
    part.is_none_or(|part| part.as_ref().is_none_or(|part| part == wanted))
}
