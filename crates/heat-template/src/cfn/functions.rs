//! The functions of the CFN formats. Source: `docs/heat.md#functions-of-the-cfn-formats`, and
//! CloudFormation's own reference for those that Heat lacks.

use super::CfnFormat;
use crate::hot::{self, CallContext};
use crate::ir::{AttributeFetch, JoinPolicy, ReplaceKeys, ReplaceValues, SplitPolicy};

/// The meaning of a function name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CfnMeaning {
    /// A function that HOT has, too.
    Shared(hot::FunctionMeaning),
    /// `Fn::FindInMap`
    Lookup,
    /// `Fn::GetAtt`: a resource and an attribute, no path.
    Attribute,
    /// `Fn::Not`: a list of one condition.
    Not,
    /// `Ref` in a condition: a parameter.
    Parameter,
    /// `Fn::Sub`, which CloudFormation has and Heat treats as data.
    Sub,
    /// `{Condition: name}`, which CloudFormation has and Heat treats as data.
    ConditionName,
    /// Another CloudFormation function, which Heat treats as data.
    NotInHeat,
}

/// A function of the CFN formats.
#[derive(Debug)]
pub struct CfnFunction {
    /// The name in templates.
    pub name: &'static str,
    values: Option<CfnMeaning>,
    /// The meaning in conditions, if it differs.
    conditions: Option<CfnMeaning>,
}

use CfnMeaning as C;
use hot::FunctionMeaning as M;

const fn value(name: &'static str, meaning: M) -> CfnFunction {
    CfnFunction { name, values: Some(C::Shared(meaning)), conditions: None }
}

const fn condition(name: &'static str, meaning: M) -> CfnFunction {
    CfnFunction { name, values: None, conditions: Some(C::Shared(meaning)) }
}

const fn not_in_heat(name: &'static str) -> CfnFunction {
    CfnFunction { name, values: Some(C::NotInHeat), conditions: None }
}

static FUNCTIONS: &[CfnFunction] = &[
    CfnFunction { name: "Ref", values: Some(C::Shared(M::Ref)), conditions: Some(C::Parameter) },
    CfnFunction { name: "Fn::GetAtt", values: Some(C::Attribute), conditions: None },
    CfnFunction { name: "Fn::FindInMap", values: Some(C::Lookup), conditions: Some(C::Lookup) },
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
    CfnFunction { name: "Fn::Not", values: None, conditions: Some(C::Not) },
    condition("Fn::And", M::And),
    condition("Fn::Or", M::Or),
    CfnFunction { name: "Fn::Sub", values: Some(C::Sub), conditions: None },
    CfnFunction { name: "Condition", values: None, conditions: Some(C::ConditionName) },
    not_in_heat("Fn::ImportValue"),
    not_in_heat("Fn::Cidr"),
    not_in_heat("Fn::Transform"),
    not_in_heat("Fn::Length"),
    not_in_heat("Fn::ToJsonString"),
    not_in_heat("Fn::ForEach"),
];

impl CfnFunction {
    /// The meaning of the name at `place`; `None` if a map with it is data.
    pub fn meaning(&self, format: CfnFormat, place: CallContext) -> Option<CfnMeaning> {
        if !format.has_conditions() && (self.values.is_none() || self.name == "Fn::If") {
            return None;
        }
        match (place, self.conditions) {
            (CallContext::Value, _) => self.values,
            (CallContext::Condition, Some(meaning)) => Some(meaning),
            // Heat refuses value functions in a condition.
            (CallContext::Condition, None) => match self.values {
                Some(C::NotInHeat | C::Sub) | None => None,
                Some(_) => Some(C::Shared(M::NotInCondition)),
            },
        }
    }
}

/// The function with this name.
pub fn cfn_function(name: &str) -> Option<&'static CfnFunction> {
    FUNCTIONS.iter().find(|function| function.name == name)
}

/// Every function, in the order of the table.
pub fn functions() -> impl Iterator<Item = &'static CfnFunction> {
    FUNCTIONS.iter()
}

/// How the model represents `Fn::GetAtt`; it has no path, so both variants are equivalent.
pub(super) const ATTRIBUTE_FETCH: AttributeFetch = AttributeFetch::PathToResource;

/// The replacement policies of `Fn::Sub`.
pub(super) const SUB_POLICIES: (ReplaceValues, ReplaceKeys) =
    (ReplaceValues::Any, ReplaceKeys::MayBeMissing);
