//! The stacks inside groups: which members a group has, and the template that Heat's class makes of
//! their resolved definitions, in the version 2015-04-30 of HOT.
//!
//! A value that looks like a call is one there: Heat reads the resolved definition again.
//!
//! Heat's rule: `docs/heat.md#the-template-inside-a-group`.

mod auto_scaling_group;
mod deployment_group;
pub(super) mod group_template;
mod resource_chain;
mod resource_group;

use std::collections::BTreeSet;
use std::sync::Arc;

use indexmap::IndexMap;
use num_traits::ToPrimitive;

use super::properties::PropertyValues;
use super::{Budget, Class, Dependency, Failure, Value, python};
use heat_template::ir::Stack;
use source_diagnostics::Span;

/// The most members that are followed; Heat's own limit for all resources of a deployment.
pub(super) const MAX_MEMBERS: usize = 1000;

/// A group that is made of its members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeatGroup {
    /// `OS::Heat::ResourceGroup`
    ResourceGroup,
    /// `OS::Heat::ResourceChain`
    ResourceChain,
    /// `OS::Heat::AutoScalingGroup`
    AutoScalingGroup,
    /// `OS::Heat::SoftwareDeploymentGroup`, `OS::Heat::StructuredDeploymentGroup`
    DeploymentGroup {
        /// The second of these.
        structured: bool,
    },
}

/// An attribute of a group that its stack asks for, with the path that it follows.
pub(super) type AttributePath = Vec<Value>;

/// The template inside a group.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct GroupTemplate {
    /// The template.
    pub(super) stack: Arc<Stack>,
    /// Values that the template names as parameters because no literal can be what they are: not
    /// known, secret, or just large.
    pub(super) values: IndexMap<String, Result<Value, Failure>>,
}

/// The members of a group.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum GroupMembers {
    /// Known.
    Known(Box<GroupTemplate>),
    /// How many there are, or what they are, depends on these.
    Unknown(BTreeSet<Dependency>),
}

impl HeatGroup {
    /// The group that a plugin is.
    pub fn of(plugin: &str) -> Option<Self> {
        match plugin {
            "OS::Heat::ResourceGroup" => Some(HeatGroup::ResourceGroup),
            "OS::Heat::ResourceChain" => Some(HeatGroup::ResourceChain),
            "OS::Heat::AutoScalingGroup" => Some(HeatGroup::AutoScalingGroup),
            "OS::Heat::SoftwareDeploymentGroup" | "OS::Heat::SoftwareDeployments" => {
                Some(HeatGroup::DeploymentGroup { structured: false })
            }
            "OS::Heat::StructuredDeploymentGroup" | "OS::Heat::StructuredDeployments" => {
                Some(HeatGroup::DeploymentGroup { structured: true })
            }
            _ => None,
        }
    }
}

/// The members of a group with these properties, which is written at `span`. `references` are the
/// attributes of the group that its stack asks for: they decide on the outputs. Copies of values are spent.
pub(super) fn members(
    kind: HeatGroup,
    properties: &PropertyValues,
    references: &[AttributePath],
    span: Span,
    effort: &Budget,
) -> Result<GroupMembers, Failure> {
    match kind {
        HeatGroup::ResourceGroup => resource_group::members(properties, references, span, effort),
        HeatGroup::ResourceChain => resource_chain::members(properties, references, span),
        HeatGroup::AutoScalingGroup => auto_scaling_group::members(properties, references, span),
        HeatGroup::DeploymentGroup { structured } => {
            deployment_group::members(structured, properties, references, span)
        }
    }
}

/// What a value depends on, as the reason why the members are not known.
fn unknown_members(value: &Value) -> GroupMembers {
    let mut depends_on = BTreeSet::new();
    value.collect_dependencies(&mut depends_on);
    GroupMembers::Unknown(depends_on)
}

/// A number of members.
fn member_count(value: &Value, span: Span) -> Result<usize, Failure> {
    let size = match value.unsealed() {
        Value::Int(number) => python::to_big(number).to_usize(),
        _ => None,
    };
    match size {
        Some(size) if size <= MAX_MEMBERS => Ok(size),
        Some(_) => {
            let message = "Maximum resources per stack exceeded.";
            Err(Failure::new(Class::RequestLimitExceeded, message, span))
        }
        None => {
            let message =
                "Stop argument for islice() must be None or an integer: 0 <= x <= sys.maxsize.";
            Err(Failure::new(Class::ValueError, message, span))
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::eval::Key;
    use heat_template::hot::{DocumentKind, lower, recognize};
    use lossless_yaml::{Limits, read};
    use source_diagnostics::SourceId;

    /// The stack of a template.
    pub(in crate::eval) fn stack(text: &str) -> Stack {
        let document = read(SourceId(0), text.into(), &Limits::default()).expect("YAML");
        let DocumentKind::Hot { version, node, .. } = recognize(&document) else {
            panic!("no template")
        };
        lower(&document, version, node).stack
    }

    /// The members of a group whose properties are this YAML.
    pub(super) fn of(
        kind: HeatGroup,
        properties: &str,
        references: &[AttributePath],
    ) -> GroupTemplate {
        match made(kind, properties, references) {
            Ok(GroupMembers::Known(inner)) => *inner,
            other => panic!("{other:?}"),
        }
    }

    pub(super) fn made(
        kind: HeatGroup,
        properties: &str,
        references: &[AttributePath],
    ) -> Result<GroupMembers, Failure> {
        let document = read(SourceId(0), properties.into(), &Limits::default()).expect("YAML");
        let root = document.root().expect("a value");
        let limits = Limits::default();
        let data = lossless_yaml::Value::copy_of(document.data(root), &limits).expect("data");
        let Value::Map(map) = Value::from(&data) else { panic!("no map") };
        let given: PropertyValues =
            map.iter().map(|(key, value)| (key.clone(), Ok(value.clone()))).collect();
        members(kind, &given, references, Span::NOWHERE, &Budget::default())
    }

    #[test]
    fn a_group_that_is_not_known_has_no_members_that_are() {
        let mut given = PropertyValues::new();
        let depends_on = BTreeSet::from([Dependency::Parameter("n".to_owned())]);
        let expr = heat_template::ir::Expr::new(heat_template::ir::ExprKind::Null, Span::NOWHERE);
        let unknown = super::super::Unknown::opaque(expr, depends_on.clone());
        let unknown = Value::Unknown(unknown.into());
        for (kind, name) in [
            (HeatGroup::ResourceGroup, "count"),
            (HeatGroup::ResourceChain, "resources"),
            (HeatGroup::AutoScalingGroup, "desired_capacity"),
            (HeatGroup::DeploymentGroup { structured: true }, "servers"),
        ] {
            given.insert(Key::from(name), Ok(unknown.clone()));
            let definition = Value::map([("type", Value::text("OS::Heat::None"))]);
            given.insert(Key::from("resource_def"), Ok(definition.clone()));
            given.insert(Key::from("resource"), Ok(definition));
            let members = members(kind, &given, &[], Span::NOWHERE, &Budget::default());
            assert_eq!(members, Ok(GroupMembers::Unknown(depends_on.clone())), "{kind:?}");
        }
    }

    #[test]
    fn a_count_is_bounded() {
        for (count, class) in [("-1", Class::ValueError), ("1001", Class::RequestLimitExceeded)] {
            let text = format!("{{count: {count}, resource_def: {{type: OS::Heat::None}}}}");
            let failure = made(HeatGroup::ResourceGroup, &text, &[]).expect_err("too many");
            assert_eq!(failure.class, class);
        }
    }
}
