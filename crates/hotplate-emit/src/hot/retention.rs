//! Which resources `--retain` gives the deletion policy `Retain`, so that the deletion of their stack leaves everything in the cloud.
//!
//! Heat does nothing about a resource with this policy when it deletes the stack (`docs/heat.md#deletion-policies`). If the resource has a
//! nested stack, that stack stays in Heat, too: the policy belongs on the resources of its template.

use heat_engine::eval::HeatGroup;
use heat_template::ir::{Expr, ExprKind, Resource};

use crate::render_model::{member_definition, property};

/// How a resource remains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Retention {
    /// By its own policy.
    Own,
    /// By its own policy, and with it its nested stack: the resources in that have none.
    WithStack,
    /// There is nothing to keep, or the template of its nested stack says it for each resource.
    Inside,
}

/// Resources with a stack whose template Heat makes, or gets at run time.
const OWN_STACKS: [&str; 6] = [
    "AWS::AutoScaling::AutoScalingGroup",
    "AWS::CloudFormation::Stack",
    "AWS::ElasticLoadBalancing::LoadBalancer",
    "AWS::RDS::DBInstance",
    "OS::Heat::InstanceGroup",
    "OS::Heat::Stack",
];
/// An object that exists only in Heat; it deletes that with the stack.
const ONLY_IN_HEAT: [&str; 2] = ["AWS::CloudFormation::", "OS::Heat::"];

impl Retention {
    pub(super) fn of(resource: &Resource) -> Retention {
        let Some(kind) = resource.kind.as_ref().map(|kind| kind.text.as_str()) else {
            return Retention::Inside;
        };
        let Some(group) = HeatGroup::of(kind) else { return Retention::of_type(kind) };
        let member = |definition: &Expr| {
            definition.member("type").and_then(Expr::as_text).map(Retention::of_type)
        };
        let of_members = match group {
            HeatGroup::ResourceGroup | HeatGroup::AutoScalingGroup => {
                member_definition(group, resource).and_then(member)
            }
            HeatGroup::ResourceChain => property(resource, "resources").and_then(|list| {
                let ExprKind::List(types) = &list.kind else { return None };
                let types = types.iter().map(|it| it.as_text().map(Retention::of_type));
                let types: Option<Vec<Retention>> = types.collect();
                let is_kept = |it: &Retention| *it != Retention::Inside;
                Some(types?.into_iter().find(is_kept).unwrap_or(Retention::Inside))
            }),
            HeatGroup::DeploymentGroup { .. } => Some(Retention::Inside),
        };
        match of_members {
            Some(Retention::Inside) => Retention::Inside,
            Some(Retention::Own | Retention::WithStack) | None => Retention::WithStack,
        }
    }

    fn of_type(kind: &str) -> Retention {
        if OWN_STACKS.contains(&kind) {
            return Retention::WithStack;
        }
        let is_builtin = kind.starts_with("OS::") || kind.starts_with("AWS::");
        match is_builtin && !ONLY_IN_HEAT.iter().any(|prefix| kind.starts_with(prefix)) {
            true => Retention::Own,
            false => Retention::Inside,
        }
    }
}
