//! How well the CFN formats support each function of HOT.

use crate::cfn::cfn_function;
use crate::hot::FunctionMeaning;
use crate::ir::{BinaryFunction, JoinPolicy, ReplaceKeys, SplitPolicy};

/// The support for a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionSupport {
    /// A counterpart of this name returns the same values.
    Exact(&'static str),
    /// A counterpart of this name, with the description of its differences.
    Approximate(&'static str, &'static str),
    /// Its value is written if it is known while raising.
    IfKnown,
}

/// The support for a function.
pub fn function_support(meaning: FunctionMeaning) -> FunctionSupport {
    use FunctionSupport::{Approximate, Exact, IfKnown};
    match meaning {
        FunctionMeaning::Parameter => {
            Approximate("Ref", "paths become `Fn::Select`, not available in conditions")
        }
        FunctionMeaning::Resource | FunctionMeaning::Ref => Exact("Ref"),
        FunctionMeaning::Attribute { .. } => Approximate(
            "Fn::GetAtt",
            "paths become `Fn::Select`, where a missing item is the empty string; no map of all attributes",
        ),
        // Heat's client sends every file along that a HOT template names: its text is there.
        FunctionMeaning::File => Exact("the content of the file"),
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
            Approximate("Fn::If", "a property without a third argument becomes null")
        }
        FunctionMeaning::Equals => Exact("Fn::Equals"),
        FunctionMeaning::Not => Exact("Fn::Not"),
        FunctionMeaning::And => Exact("Fn::And"),
        FunctionMeaning::Or => Exact("Fn::Or"),
        FunctionMeaning::Binary(BinaryFunction::Contains) => {
            Approximate("Fn::Equals", "in conditions, with a literal list")
        }
        FunctionMeaning::Unary(_)
        | FunctionMeaning::Binary(BinaryFunction::Hash | BinaryFunction::Filter)
        | FunctionMeaning::Repeat { .. }
        | FunctionMeaning::Yaql
        | FunctionMeaning::Removed
        | FunctionMeaning::NotInCondition => IfKnown,
    }
}

/// Whether a map with this single key is a call in one of the formats, in values or conditions.
pub(super) fn is_call(name: &str) -> bool {
    cfn_function(name).is_some()
}
