//! The stacks inside groups: which members a group has, and the template that Heat generates from
//! their resolved definitions, in HOT version 2015-04-30.
//!
//! Heat parses the resolved definition again, so a value that looks like a function call is one.
//!
//! Heat's rule: `docs/heat.md#the-template-inside-a-group`.

mod auto_scaling_group;
mod deployment_group;
pub(super) mod group_template;
mod resource_chain;
mod resource_group;
mod running_members;

use std::collections::BTreeSet;
use std::sync::Arc;

use indexmap::IndexMap;
use num_traits::ToPrimitive;

pub use running_members::{GroupMemory, RunningMembers};

use super::properties::PropertyValues;
use super::{Budget, Dependency, Failure, HeatExceptionClass, Value, python};
use heat_template::hot::PathStep;
use heat_template::ir::Stack;
use heat_template::ir::types::TypeSet;
pub use heat_template::schema::HeatGroup;
use heat_template::schema::Schema;
use python_semantics::ExceptionClass;
use python_semantics::number::Integer;
use source_diagnostics::Span;

/// Maximum number of members that are evaluated; Heat's limit for all resources of a deployment.
pub(super) const MAX_MEMBERS: usize = 1000;

/// A group attribute that the stack requests, followed by the path into it.
pub(super) type AttributePath = Vec<Value>;

impl PathStep for Value {
    fn as_name(&self) -> Option<&str> {
        match self.unsealed() {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    fn as_index(&self) -> Option<i64> {
        match self.unsealed() {
            Value::Int(Integer::Small(number)) => Some(*number),
            _ => None,
        }
    }

    fn type_set(&self) -> TypeSet {
        match self.unsealed() {
            Value::Text(_) => TypeSet::TEXT,
            Value::Int(_) => TypeSet::NUMBER,
            Value::Bool(_) => TypeSet::BOOLEAN,
            _ => TypeSet::ANY,
        }
    }
}

/// The template that a group generates.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct GroupTemplate {
    pub(super) stack: Arc<Stack>,
    /// Values that the template refers to as parameters because they cannot be literals: they are unknown,
    /// secret, or large.
    pub(super) values: IndexMap<String, Result<Value, Failure>>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum GroupMembers {
    /// All members are known.
    Known(Box<GroupTemplate>),
    /// The number of members or their definition depends on these.
    Unknown(BTreeSet<Dependency>),
}

/// The properties of a group with one member instead of an unknown number of them.
pub(super) fn with_a_member(group: HeatGroup, properties: &PropertyValues) -> PropertyValues {
    let mut properties = properties.clone();
    for name in group.size_properties() {
        if let Some(Ok(size)) = properties.get_mut(*name)
            && matches!(size.unsealed(), Value::Unknown(_))
        {
            *size = Value::int(1);
        }
    }
    properties
}

/// The members of a group with these properties, which is written at `span`. `references` are the
/// requested attributes of the group, which decide on its outputs; `memory` is what it remembers if it runs. Copied values are spent from the
/// budget.
pub(super) fn members(
    kind: HeatGroup,
    schema: &'static Schema,
    properties: &PropertyValues,
    references: &[AttributePath],
    span: Span,
    effort: &Budget,
    memory: Option<&GroupMemory>,
) -> Result<GroupMembers, Failure> {
    match kind {
        HeatGroup::ResourceGroup => {
            resource_group::members(properties, references, span, effort, memory)
        }
        HeatGroup::ResourceChain => resource_chain::members(properties, references, span),
        HeatGroup::AutoScalingGroup => auto_scaling_group::members(properties, references, span),
        HeatGroup::DeploymentGroup { structured } => {
            deployment_group::members(structured, schema, properties, references, span)
        }
    }
}

/// The dependencies of a value that leaves the members unknown.
fn unknown_members(value: &Value) -> GroupMembers {
    let mut depends_on = BTreeSet::new();
    value.collect_dependencies(&mut depends_on);
    GroupMembers::Unknown(depends_on)
}

/// A number of members; negative and too large numbers fail.
fn member_count(value: &Value, span: Span) -> Result<usize, Failure> {
    let size = match value.unsealed() {
        Value::Int(number) => python::to_big(number).to_usize(),
        _ => None,
    };
    match size {
        Some(size) if size <= MAX_MEMBERS => Ok(size),
        Some(_) => {
            let message = "Maximum resources per stack exceeded.";
            Err(Failure::new(HeatExceptionClass::RequestLimitExceeded, message, span))
        }
        None => {
            let message =
                "Stop argument for islice() must be None or an integer: 0 <= x <= sys.maxsize.";
            Err(Failure::new(ExceptionClass::ValueError, message, span))
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::eval::ErrorClass;
    use crate::eval::Key;
    use heat_template::hot::{DocumentKind, lower, recognize};
    use lossless_yaml::{Limits, read};
    use source_diagnostics::SourceId;

    /// The stack of a template text.
    pub(in crate::eval) fn stack(text: &str) -> Stack {
        let document = read(SourceId(0), text.into(), &Limits::default()).expect("YAML");
        let DocumentKind::Hot { version, node, .. } = recognize(&document) else {
            panic!("no template")
        };
        lower(&document, version, node).stack
    }

    /// The members of a group with properties from a YAML text.
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
        members(kind, Schema::heat(), &given, references, Span::NOWHERE, &Budget::default(), None)
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
            let members =
                members(kind, Schema::heat(), &given, &[], Span::NOWHERE, &Budget::default(), None);
            assert_eq!(members, Ok(GroupMembers::Unknown(depends_on.clone())), "{kind:?}");
        }
    }

    #[test]
    fn a_count_is_bounded() {
        let (negative, excessive) =
            (ExceptionClass::ValueError, HeatExceptionClass::RequestLimitExceeded);
        for (count, class) in [("-1", ErrorClass::from(negative)), ("1001", excessive.into())] {
            let text = format!("{{count: {count}, resource_def: {{type: OS::Heat::None}}}}");
            let failure = made(HeatGroup::ResourceGroup, &text, &[]).expect_err("too many");
            assert_eq!(failure.class, class);
        }
    }
}
