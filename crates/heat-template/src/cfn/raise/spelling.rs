//! How much of each function of HOT the formats say.

use crate::cfn::function;
use crate::hot::Meaning;
use crate::ir::{JoinPolicy, ReplaceKeys, SplitPolicy};

/// What becomes of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// It has a counterpart of this name with the same values.
    Whole(&'static str),
    /// It has a counterpart of this name, which differs in this.
    Partly(&'static str, &'static str),
    /// Its value stands in its place where it is known while raising.
    WhereKnown,
}

/// What becomes of a function.
pub fn spelling(meaning: Meaning) -> Spelling {
    use Spelling::{Partly, WhereKnown, Whole};
    match meaning {
        Meaning::Parameter => Partly("Ref", "paths become `Fn::Select`, conditions have none"),
        Meaning::Resource | Meaning::Ref => Whole("Ref"),
        Meaning::Attribute { .. } => Partly(
            "Fn::GetAtt",
            "paths become `Fn::Select`, where what is missing is the empty text; no map of all attributes",
        ),
        // Heat's client sends every file along that a HOT template names: its text is there.
        Meaning::File => Whole("the text of the file"),
        Meaning::Facade { .. } => Whole("Fn::ResourceFacade"),
        Meaning::Zones => Whole("Fn::GetAZs"),
        Meaning::Select => Whole("Fn::Select"),
        Meaning::Join(JoinPolicy::TextItems) => Whole("Fn::Join"),
        Meaning::Join(JoinPolicy::AnyItems) => {
            Partly("Fn::Join", "refuses maps and lists among its items, takes one list")
        }
        Meaning::Split(SplitPolicy::TextOnly) => Whole("Fn::Split"),
        Meaning::Split(SplitPolicy::NullStays) => Partly("Fn::Split", "refuses null"),
        Meaning::Replace(_, ReplaceKeys::MayBeMissing) => {
            Partly("Fn::Replace", "refuses maps and lists as values")
        }
        Meaning::Replace(_, ReplaceKeys::MustOccur | ReplaceKeys::MustOccurWithValue) => {
            Partly("Fn::Replace", "does not check the placeholders")
        }
        Meaning::ReplaceList => Whole("Fn::Replace"),
        Meaning::AssertText => Whole("Fn::Base64"),
        Meaning::MemberList => Whole("Fn::MemberListToMap"),
        Meaning::If { optional: false } => Whole("Fn::If"),
        Meaning::If { optional: true } => {
            Partly("Fn::If", "a property of a resource becomes null where it would vanish")
        }
        Meaning::Equals => Whole("Fn::Equals"),
        Meaning::Not => Whole("Fn::Not"),
        Meaning::And => Whole("Fn::And"),
        Meaning::Or => Whole("Fn::Or"),
        Meaning::Contains => {
            Partly("Fn::Equals", "in conditions, and in a list that the template spells out")
        }
        Meaning::Hash
        | Meaning::Url
        | Meaning::Repeat { .. }
        | Meaning::MergeMaps
        | Meaning::ReplaceInMap
        | Meaning::Concat { .. }
        | Meaning::Filter
        | Meaning::Yaql
        | Meaning::Removed
        | Meaning::NotInCondition => WhereKnown,
    }
}

/// Whether a map with this one key is taken for a call, in one of the formats, in values or conditions.
pub(super) fn is_call(name: &str) -> bool {
    function(name).is_some()
}
