//! The functions of the CFN formats. Source: `docs/heat.md#functions-of-the-cfn-formats`, and
//! CloudFormation's own reference for those that Heat lacks.

use super::Format;
use crate::hot::{self, Place};
use crate::ir::{AttributeFetch, JoinPolicy, ReplaceKeys, ReplaceValues, SplitPolicy};

/// What a function name means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// What HOT has, too.
    Shared(hot::Meaning),
    /// `Fn::FindInMap`
    Lookup,
    /// `Fn::GetAtt`: a resource and an attribute, no path.
    Attribute,
    /// `Fn::Not`: a list of one condition.
    Not,
    /// `Ref` in a condition: a parameter.
    Parameter,
    /// `Fn::Sub`, which CloudFormation has and Heat takes for data.
    Sub,
    /// `{Condition: name}`, which CloudFormation has and Heat takes for data.
    ConditionName,
    /// A function of CloudFormation's that Heat takes for data.
    Foreign,
}

/// One function.
#[derive(Debug)]
pub struct Function {
    /// The name.
    pub name: &'static str,
    /// In values.
    values: Option<Meaning>,
    /// In conditions, where it has a meaning of its own there.
    conditions: Option<Meaning>,
}

use Meaning as C;
use hot::Meaning as M;

const fn value(name: &'static str, meaning: M) -> Function {
    Function { name, values: Some(C::Shared(meaning)), conditions: None }
}

const fn condition(name: &'static str, meaning: M) -> Function {
    Function { name, values: None, conditions: Some(C::Shared(meaning)) }
}

const fn foreign(name: &'static str) -> Function {
    Function { name, values: Some(C::Foreign), conditions: None }
}

static FUNCTIONS: &[Function] = &[
    Function { name: "Ref", values: Some(C::Shared(M::Ref)), conditions: Some(C::Parameter) },
    Function { name: "Fn::GetAtt", values: Some(C::Attribute), conditions: None },
    Function { name: "Fn::FindInMap", values: Some(C::Lookup), conditions: Some(C::Lookup) },
    value("Fn::Join", M::Join(JoinPolicy::TextItems)),
    value("Fn::Select", M::Select),
    value("Fn::Split", M::Split(SplitPolicy::TextOnly)),
    value("Fn::Replace", M::ReplaceList),
    value("Fn::Base64", M::AssertText),
    value("Fn::GetAZs", M::Zones),
    value("Fn::MemberListToMap", M::MemberList),
    value("Fn::ResourceFacade", M::Facade { cfn: true }),
    value("Fn::If", M::If { optional: false }),
    condition("Fn::Equals", M::Equals),
    Function { name: "Fn::Not", values: None, conditions: Some(C::Not) },
    condition("Fn::And", M::And),
    condition("Fn::Or", M::Or),
    Function { name: "Fn::Sub", values: Some(C::Sub), conditions: None },
    Function { name: "Condition", values: None, conditions: Some(C::ConditionName) },
    foreign("Fn::ImportValue"),
    foreign("Fn::Cidr"),
    foreign("Fn::Transform"),
    foreign("Fn::Length"),
    foreign("Fn::ToJsonString"),
    foreign("Fn::ForEach"),
];

impl Function {
    /// What the name means at `place`; `None` where a map with it is data.
    pub fn meaning(&self, format: Format, place: Place) -> Option<Meaning> {
        if !format.has_conditions() && (self.values.is_none() || self.name == "Fn::If") {
            return None;
        }
        match (place, self.conditions) {
            (Place::Value, _) => self.values,
            (Place::Condition, Some(meaning)) => Some(meaning),
            // Heat refuses the functions of values in a condition.
            (Place::Condition, None) => match self.values {
                Some(C::Foreign | C::Sub) | None => None,
                Some(_) => Some(C::Shared(M::NotInCondition)),
            },
        }
    }
}

/// The function with this name.
pub fn function(name: &str) -> Option<&'static Function> {
    FUNCTIONS.iter().find(|function| function.name == name)
}

/// Every function, in the order of the table.
pub fn functions() -> impl Iterator<Item = &'static Function> {
    FUNCTIONS.iter()
}

/// What `Fn::GetAtt` is in terms of the model: there is no path that anybody could follow.
pub(super) const FETCH: AttributeFetch = AttributeFetch::PathToResource;

/// How `Fn::Sub` fills its placeholders.
pub(super) const SUB: (ReplaceValues, ReplaceKeys) =
    (ReplaceValues::Any, ReplaceKeys::MayBeMissing);
