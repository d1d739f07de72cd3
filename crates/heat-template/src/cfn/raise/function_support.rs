//! How much of each function of HOT the formats say.

use crate::cfn::cfn_function;
use crate::hot::FunctionMeaning;
use crate::ir::{JoinPolicy, ReplaceKeys, SplitPolicy};

/// What becomes of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionSupport {
    /// It has a counterpart of this name with the same values.
    Whole(&'static str),
    /// It has a counterpart of this name, which differs in this.
    Partly(&'static str, &'static str),
    /// Its value stands in its place where it is known while raising.
    WhereKnown,
}

/// What becomes of a function.
pub fn function_support(meaning: FunctionMeaning) -> FunctionSupport {
    use FunctionSupport::{Partly, WhereKnown, Whole};
    match meaning {
        FunctionMeaning::Parameter => {
            Partly("Ref", "paths become `Fn::Select`, conditions have none")
        }
        FunctionMeaning::Resource | FunctionMeaning::Ref => Whole("Ref"),
        FunctionMeaning::Attribute { .. } => Partly(
            "Fn::GetAtt",
            "paths become `Fn::Select`, where what is missing is the empty text; no map of all attributes",
        ),
        // Heat's client sends every file along that a HOT template names: its text is there.
        FunctionMeaning::File => Whole("the text of the file"),
        FunctionMeaning::Facade { .. } => Whole("Fn::ResourceFacade"),
        FunctionMeaning::Zones => Whole("Fn::GetAZs"),
        FunctionMeaning::Select => Whole("Fn::Select"),
        FunctionMeaning::Join(JoinPolicy::TextItems) => Whole("Fn::Join"),
        FunctionMeaning::Join(JoinPolicy::AnyItems) => {
            Partly("Fn::Join", "refuses maps and lists among its items, takes one list")
        }
        FunctionMeaning::Split(SplitPolicy::TextOnly) => Whole("Fn::Split"),
        FunctionMeaning::Split(SplitPolicy::NullStays) => Partly("Fn::Split", "refuses null"),
        FunctionMeaning::Replace(_, ReplaceKeys::MayBeMissing) => {
            Partly("Fn::Replace", "refuses maps and lists as values")
        }
        FunctionMeaning::Replace(_, ReplaceKeys::MustOccur | ReplaceKeys::MustOccurWithValue) => {
            Partly("Fn::Replace", "does not check the placeholders")
        }
        FunctionMeaning::ReplaceList => Whole("Fn::Replace"),
        FunctionMeaning::AssertText => Whole("Fn::Base64"),
        FunctionMeaning::MemberList => Whole("Fn::MemberListToMap"),
        FunctionMeaning::If { optional: false } => Whole("Fn::If"),
        FunctionMeaning::If { optional: true } => {
            Partly("Fn::If", "a property of a resource becomes null where it would vanish")
        }
        FunctionMeaning::Equals => Whole("Fn::Equals"),
        FunctionMeaning::Not => Whole("Fn::Not"),
        FunctionMeaning::And => Whole("Fn::And"),
        FunctionMeaning::Or => Whole("Fn::Or"),
        FunctionMeaning::Contains => {
            Partly("Fn::Equals", "in conditions, and in a list that the template spells out")
        }
        FunctionMeaning::Hash
        | FunctionMeaning::Url
        | FunctionMeaning::Repeat { .. }
        | FunctionMeaning::MergeMaps
        | FunctionMeaning::ReplaceInMap
        | FunctionMeaning::Concat { .. }
        | FunctionMeaning::Filter
        | FunctionMeaning::Yaql
        | FunctionMeaning::Removed
        | FunctionMeaning::NotInCondition => WhereKnown,
    }
}

/// Whether a map with this one key is taken for a call, in one of the formats, in values or conditions.
pub(super) fn is_call(name: &str) -> bool {
    cfn_function(name).is_some()
}
