//! The functions of a dialect.

use heat_template::cfn::{self, CfnMeaning};
use heat_template::dialect::Dialect;
use heat_template::hot::{self, CallContext, FunctionMeaning};

/// A function under its name in the dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::language_server) struct Call {
    pub(in crate::language_server) name: &'static str,
    pub(in crate::language_server) meaning: CfnMeaning,
}

/// The function that a map with the single key `name` calls; `None` if it is data. Removed functions, and those that have no place in a
/// condition, are calls, too.
pub(in crate::language_server) fn call(
    dialect: Dialect,
    name: &str,
    context: CallContext,
) -> Option<Call> {
    match dialect {
        Dialect::Hot(version) => {
            let function = hot::hot_function(name)?;
            let meaning = function.meaning(version, context)?;
            Some(Call { name: function.name, meaning: CfnMeaning::Shared(meaning) })
        }
        Dialect::Cfn(format) => {
            let function = cfn::cfn_function(name)?;
            Some(Call { name: function.name, meaning: function.meaning(format, context)? })
        }
    }
}

/// The functions that Heat computes in a context, in the order of the dialect's table.
pub(in crate::language_server) fn calls(dialect: Dialect, context: CallContext) -> Vec<Call> {
    let names: Vec<&'static str> = match dialect {
        Dialect::Hot(_) => hot::functions().map(|it| it.name).collect(),
        Dialect::Cfn(_) => cfn::functions().map(|it| it.name).collect(),
    };
    let all = names.into_iter().filter_map(|name| call(dialect, name, context));
    all.filter(|call| call.is_computed()).collect()
}

impl Call {
    /// Whether Heat computes it.
    pub(in crate::language_server) fn is_computed(self) -> bool {
        match self.meaning {
            CfnMeaning::Shared(FunctionMeaning::Removed | FunctionMeaning::NotInCondition)
            | CfnMeaning::Sub
            | CfnMeaning::ConditionName
            | CfnMeaning::NotInHeat => false,
            CfnMeaning::Shared(_)
            | CfnMeaning::Lookup
            | CfnMeaning::Attribute
            | CfnMeaning::Not
            | CfnMeaning::Parameter => true,
        }
    }
}
