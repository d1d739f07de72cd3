//! How much of types and functions the target supports, for the generated tables of the documentation.

use super::plan::{PlannedOutcome, outcome_of_type};
use crate::TargetSupport;
use heat_engine::eval::HeatGroup;

/// The counterpart of a type, and how much of the type is supported.
pub(super) fn type_support(name: &str) -> (Option<String>, TargetSupport) {
    let partly = |why: &str| TargetSupport::Partial(why.to_owned());
    match HeatGroup::of(name) {
        Some(HeatGroup::ResourceGroup) => {
            let why = "its members one by one, if their number is known while rendering";
            return (None, partly(why));
        }
        Some(HeatGroup::AutoScalingGroup) => {
            let to = "AWS::AutoScaling::AutoScalingGroup".to_owned();
            return (Some(to), partly("of servers"));
        }
        Some(HeatGroup::ResourceChain) => {
            return (
                None,
                TargetSupport::Unsupported("its members are of several types".to_owned()),
            );
        }
        Some(HeatGroup::DeploymentGroup { .. }) => {
            let why = "Heat's agent in the guest applies it".to_owned();
            return (None, TargetSupport::Unsupported(why));
        }
        None => {}
    }
    match outcome_of_type(name) {
        PlannedOutcome::Object(to, mapping) => {
            let lost = mapping.properties.iter().filter(|(_, row)| {
                row.to.is_none() && row.rule.is_none() && !row.no_effect.contains_key("any")
            });
            let lost: Vec<&str> = lost.map(|(name, _)| name.as_str()).collect();
            let says = match lost.is_empty() {
                true => TargetSupport::Full,
                false => TargetSupport::Partial(format!("without {}", lost.join(", "))),
            };
            (Some(to.to_owned()), says)
        }
        PlannedOutcome::Value => (None, partly("its value is inlined where it is used")),
        PlannedOutcome::Text => {
            (None, partly("its text is inlined where it is used, in user data"))
        }
        PlannedOutcome::InstanceType => {
            (None, partly("a parameter takes its place, since AWS defines the instance types"))
        }
        PlannedOutcome::Part => {
            let to = "AWS::ElasticLoadBalancingV2::TargetGroup".to_owned();
            (Some(to), partly("a part of its pool's counterpart"))
        }
        PlannedOutcome::Nothing => (None, TargetSupport::Full),
        PlannedOutcome::Lost(why, _) => (None, TargetSupport::Unsupported(why)),
        PlannedOutcome::Nested(_) | PlannedOutcome::Members(_) => (None, TargetSupport::Full),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_told_as_the_table_has_them() {
        let (to, says) = type_support("OS::Nova::Server");
        assert_eq!(to.as_deref(), Some("AWS::EC2::Instance"));
        assert!(matches!(says, TargetSupport::Partial(why) if why.contains("personality")));
        assert!(matches!(
            type_support("OS::Keystone::Project"),
            (None, TargetSupport::Unsupported(_))
        ));
        assert!(matches!(type_support("OS::Heat::Value"), (None, TargetSupport::Partial(_))));
    }
}
