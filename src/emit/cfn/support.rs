//! What the target says of types and functions, for tables that people read.

use super::super::TargetSupport;
use super::plan::{PlannedOutcome, outcome_of_type};
use heat_engine::eval::GroupKind;
use heat_template::hot::FunctionMeaning;

/// What becomes of a type, and how much of it is said.
pub(super) fn type_support(name: &str) -> (Option<String>, TargetSupport) {
    let partly = |why: &str| TargetSupport::Partial(why.to_owned());
    match GroupKind::of(name) {
        Some(GroupKind::ResourceGroup) => {
            let why = "its members one by one, where their number is known while rendering";
            return (None, partly(why));
        }
        Some(GroupKind::AutoScalingGroup) => {
            let to = "AWS::AutoScaling::AutoScalingGroup".to_owned();
            return (Some(to), partly("of servers"));
        }
        Some(GroupKind::ResourceChain) => {
            return (
                None,
                TargetSupport::Unsupported("its members are of several types".to_owned()),
            );
        }
        Some(GroupKind::DeploymentGroup { .. }) => {
            let why = "delivered by Heat's agent in the guest".to_owned();
            return (None, TargetSupport::Unsupported(why));
        }
        None => {}
    }
    match outcome_of_type(name) {
        PlannedOutcome::Object(to, mapping) => {
            let lost =
                mapping.properties.iter().filter(|(_, row)| row.to.is_none() && row.rule.is_none());
            let lost: Vec<&str> = lost.map(|(name, _)| name.as_str()).collect();
            let says = match lost.is_empty() {
                true => TargetSupport::Full,
                false => TargetSupport::Partial(format!("without {}", lost.join(", "))),
            };
            (Some(to.to_owned()), says)
        }
        PlannedOutcome::Value => (None, partly("its value stands where it is used")),
        PlannedOutcome::Text => (None, partly("its text stands where it is used, in user data")),
        PlannedOutcome::Part => {
            let to = "AWS::ElasticLoadBalancingV2::TargetGroup".to_owned();
            (Some(to), partly("a part of that of its pool"))
        }
        PlannedOutcome::Nothing => (None, TargetSupport::Full),
        PlannedOutcome::Lost(why, _) => (None, TargetSupport::Unsupported(why)),
        PlannedOutcome::Nested(_) | PlannedOutcome::Members(_) => (None, TargetSupport::Full),
    }
}

/// How much of a function is said.
pub(super) fn function_support(function: FunctionMeaning) -> TargetSupport {
    let partly = |why: &str| TargetSupport::Partial(why.to_owned());
    let constant = || TargetSupport::Partial("what is known while rendering".to_owned());
    match function {
        FunctionMeaning::Parameter => partly("Ref; no data, and a path only into a list"),
        FunctionMeaning::Resource => partly("Ref, or Fn::GetAtt where that is Heat's id"),
        FunctionMeaning::Attribute { .. } => {
            partly("Fn::GetAtt of the attributes that the table has")
        }
        FunctionMeaning::Ref => partly("Ref"),
        FunctionMeaning::File => TargetSupport::Full,
        FunctionMeaning::Facade { .. } => {
            TargetSupport::Unsupported("a nested stack does not see its resource".to_owned())
        }
        FunctionMeaning::Zones => TargetSupport::Full,
        FunctionMeaning::Select => partly("Fn::Select, by a number that is known"),
        FunctionMeaning::Join(_) => partly("Fn::Join, with a delimiter that is known"),
        FunctionMeaning::Split(_) => partly("Fn::Split, with a delimiter that is known"),
        FunctionMeaning::Replace(..) => partly("Fn::Sub, in a text that is known"),
        FunctionMeaning::ReplaceList => partly("Fn::Sub, in a text that is known"),
        FunctionMeaning::AssertText => TargetSupport::Full,
        FunctionMeaning::Url => partly("Fn::Sub, without what has to be quoted"),
        FunctionMeaning::MergeMaps
        | FunctionMeaning::ReplaceInMap
        | FunctionMeaning::Concat { .. } => {
            partly("maps and lists whose keys and lengths are known while rendering")
        }
        FunctionMeaning::MemberList
        | FunctionMeaning::Hash
        | FunctionMeaning::Repeat { .. }
        | FunctionMeaning::Filter
        | FunctionMeaning::Yaql => constant(),
        FunctionMeaning::Contains => partly("a list that is known, as Fn::Or of Fn::Equals"),
        FunctionMeaning::If { .. } => partly("Fn::If, where parameters alone decide"),
        FunctionMeaning::Equals
        | FunctionMeaning::Not
        | FunctionMeaning::And
        | FunctionMeaning::Or => partly("conditions on parameters"),
        FunctionMeaning::Removed | FunctionMeaning::NotInCondition => {
            TargetSupport::Unsupported("Heat refuses it".to_owned())
        }
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
