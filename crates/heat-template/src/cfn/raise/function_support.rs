//! How much of each function of HOT the formats say.

use crate::cfn::cfn_function;
use crate::hot::FunctionMeaning;
use crate::ir::{JoinPolicy, ReplaceKeys, SplitPolicy};

/// What becomes of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionSupport {
    /// It has a counterpart of this name with the same values.
    Exact(&'static str),
    /// It has a counterpart of this name, which differs in this.
    Approximate(&'static str, &'static str),
    /// Its value stands in its place where it is known while raising.
    IfKnown,
}

/// What becomes of a function.
pub fn function_support(meaning: FunctionMeaning) -> FunctionSupport {
    use FunctionSupport::{Approximate, Exact, IfKnown};
    match meaning {
        FunctionMeaning::Parameter => {
            Approximate("Ref", "paths become `Fn::Select`, conditions have none")
        }
        FunctionMeaning::Resource | FunctionMeaning::Ref => Exact("Ref"),
        FunctionMeaning::Attribute { .. } => Approximate(
            "Fn::GetAtt",
            "paths become `Fn::Select`, where what is missing is the empty text; no map of all attributes",
        ),
        // Heat's client sends every file along that a HOT template names: its text is there.
        FunctionMeaning::File => Exact("the text of the file"),
        FunctionMeaning::Facade { .. } => Exact("Fn::ResourceFacade"),
        FunctionMeaning::Zones => Exact("Fn::GetAZs"),
        FunctionMeaning::Select => Exact("Fn::Select"),
        FunctionMeaning::Join(JoinPolicy::TextItems) => Exact("Fn::Join"),
        FunctionMeaning::Join(JoinPolicy::AnyItems) => {
            Approximate("Fn::Join", "refuses maps and lists among its items, takes one list")
        }
        FunctionMeaning::Split(SplitPolicy::TextOnly) => Exact("Fn::Split"),
        FunctionMeaning::Split(SplitPolicy::NullStays) => Approximate("Fn::Split", "refuses null"),
        FunctionMeaning::Replace(_, ReplaceKeys::MayBeMissing) => {
            Approximate("Fn::Replace", "refuses maps and lists as values")
        }
        FunctionMeaning::Replace(_, ReplaceKeys::MustOccur | ReplaceKeys::MustOccurWithValue) => {
            Approximate("Fn::Replace", "does not check the placeholders")
        }
        FunctionMeaning::ReplaceList => Exact("Fn::Replace"),
        FunctionMeaning::AssertText => Exact("Fn::Base64"),
        FunctionMeaning::MemberList => Exact("Fn::MemberListToMap"),
        FunctionMeaning::If { optional: false } => Exact("Fn::If"),
        FunctionMeaning::If { optional: true } => {
            Approximate("Fn::If", "a property of a resource becomes null where it would vanish")
        }
        FunctionMeaning::Equals => Exact("Fn::Equals"),
        FunctionMeaning::Not => Exact("Fn::Not"),
        FunctionMeaning::And => Exact("Fn::And"),
        FunctionMeaning::Or => Exact("Fn::Or"),
        FunctionMeaning::Contains => {
            Approximate("Fn::Equals", "in conditions, and in a list that the template spells out")
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
        | FunctionMeaning::NotInCondition => IfKnown,
    }
}

/// Whether a map with this one key is taken for a call, in one of the formats, in values or conditions.
pub(super) fn is_call(name: &str) -> bool {
    cfn_function(name).is_some()
}
