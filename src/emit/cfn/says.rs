//! What the target says of types and functions, for tables that people read.

use super::super::Says;
use super::plan::{Fate, fate_of};
use heat_engine::eval::GroupKind;
use heat_template::hot::Meaning;

/// What becomes of a type, and how much of it is said.
pub(super) fn of_type(name: &str) -> (Option<String>, Says) {
    let partly = |why: &str| Says::Partly(why.to_owned());
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
            return (None, Says::Not("its members are of several types".to_owned()));
        }
        Some(GroupKind::DeploymentGroup { .. }) => {
            let why = "delivered by Heat's agent in the guest".to_owned();
            return (None, Says::Not(why));
        }
        None => {}
    }
    match fate_of(name) {
        Fate::Object(to, mapping) => {
            let lost =
                mapping.properties.iter().filter(|(_, row)| row.to.is_none() && row.rule.is_none());
            let lost: Vec<&str> = lost.map(|(name, _)| name.as_str()).collect();
            let says = match lost.is_empty() {
                true => Says::Whole,
                false => Says::Partly(format!("without {}", lost.join(", "))),
            };
            (Some(to.to_owned()), says)
        }
        Fate::Value => (None, partly("its value stands where it is used")),
        Fate::Text => (None, partly("its text stands where it is used, in user data")),
        Fate::Part => {
            let to = "AWS::ElasticLoadBalancingV2::TargetGroup".to_owned();
            (Some(to), partly("a part of that of its pool"))
        }
        Fate::Nothing => (None, Says::Whole),
        Fate::Lost(why, _) => (None, Says::Not(why)),
        Fate::Nested(_) | Fate::Members(_) => (None, Says::Whole),
    }
}

/// How much of a function is said.
pub(super) fn of_function(function: Meaning) -> Says {
    let partly = |why: &str| Says::Partly(why.to_owned());
    let constant = || Says::Partly("what is known while rendering".to_owned());
    match function {
        Meaning::Parameter => partly("Ref; no data, and a path only into a list"),
        Meaning::Resource => partly("Ref, or Fn::GetAtt where that is Heat's id"),
        Meaning::Attribute { .. } => partly("Fn::GetAtt of the attributes that the table has"),
        Meaning::Ref => partly("Ref"),
        Meaning::File => Says::Whole,
        Meaning::Facade { .. } => Says::Not("a nested stack does not see its resource".to_owned()),
        Meaning::Zones => Says::Whole,
        Meaning::Select => partly("Fn::Select, by a number that is known"),
        Meaning::Join(_) => partly("Fn::Join, with a delimiter that is known"),
        Meaning::Split(_) => partly("Fn::Split, with a delimiter that is known"),
        Meaning::Replace(..) => partly("Fn::Sub, in a text that is known"),
        Meaning::ReplaceList => partly("Fn::Sub, in a text that is known"),
        Meaning::AssertText => Says::Whole,
        Meaning::Url => partly("Fn::Sub, without what has to be quoted"),
        Meaning::MergeMaps | Meaning::ReplaceInMap | Meaning::Concat { .. } => {
            partly("maps and lists whose keys and lengths are known while rendering")
        }
        Meaning::MemberList
        | Meaning::Hash
        | Meaning::Repeat { .. }
        | Meaning::Filter
        | Meaning::Yaql => constant(),
        Meaning::Contains => partly("a list that is known, as Fn::Or of Fn::Equals"),
        Meaning::If { .. } => partly("Fn::If, where parameters alone decide"),
        Meaning::Equals | Meaning::Not | Meaning::And | Meaning::Or => {
            partly("conditions on parameters")
        }
        Meaning::Removed | Meaning::NotInCondition => Says::Not("Heat refuses it".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_told_as_the_table_has_them() {
        let (to, says) = of_type("OS::Nova::Server");
        assert_eq!(to.as_deref(), Some("AWS::EC2::Instance"));
        assert!(matches!(says, Says::Partly(why) if why.contains("personality")));
        assert!(matches!(of_type("OS::Keystone::Project"), (None, Says::Not(_))));
        assert!(matches!(of_type("OS::Heat::Value"), (None, Says::Partly(_))));
    }
}
