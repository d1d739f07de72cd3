//! The types of the arguments of functions, as far as they are scalars or have names.

use heat_template::cfn::CfnMeaning;
use heat_template::hot::{CallContext, FunctionMeaning as M};
use heat_template::ir::UnaryFunction;

use super::steps::item_of;
use super::{Call, Expected, Name, Place};

/// The argument of a call as a whole, if it is a scalar.
pub(in crate::language_server) fn scalar_argument(call: Call, context: CallContext) -> Place {
    match call.meaning {
        CfnMeaning::Parameter | CfnMeaning::Shared(M::Parameter) => Place::Name(Name::Parameter),
        CfnMeaning::Shared(M::Resource) => Place::Name(Name::Resource),
        CfnMeaning::Shared(M::Ref) => Place::Name(Name::ResourceOrParameter),
        CfnMeaning::Shared(M::File) => Place::FilePath,
        CfnMeaning::Shared(M::Facade { cfn: false }) => {
            Place::Words(&["metadata", "deletion_policy", "update_policy"])
        }
        CfnMeaning::Shared(M::Facade { cfn: true }) => {
            Place::Words(&["Metadata", "DeletionPolicy", "UpdatePolicy"])
        }
        CfnMeaning::Shared(M::Not) | CfnMeaning::ConditionName => Place::Name(Name::Condition),
        CfnMeaning::Shared(M::AssertText) if context == CallContext::Value => {
            Place::Value(Expected::Anything)
        }
        CfnMeaning::Shared(_)
        | CfnMeaning::Lookup
        | CfnMeaning::Attribute
        | CfnMeaning::Not
        | CfnMeaning::Sub
        | CfnMeaning::NotInHeat => Place::Data,
    }
}

/// The argument of a call that has a name; `None` if the call has no such argument.
pub(super) fn named_argument(call: Call, key: &str, expected: &Expected) -> Option<Place> {
    let any = Place::Value(Expected::Anything);
    let CfnMeaning::Shared(meaning) = call.meaning else { return None };
    match (meaning, key) {
        (M::Replace(..), "template" | "params")
        | (M::Yaql, "data")
        | (M::Repeat { .. }, "for_each") => Some(any),
        (M::Repeat { permutations: true, .. }, "permutations") => Some(Place::Flag),
        (M::Repeat { .. }, "template") => Some(Place::Value(item_of(expected))),
        (M::Unary(UnaryFunction::Url), _) => Some(any),
        _ => None,
    }
}
