//! Functions inside the argument of a removed function, which Heat leaves unresolved.
//!
//! Heat's rule: `docs/heat.md#removed-functions`.

use std::sync::Arc;

use super::{Key, UnresolvedCall, Value};
use heat_template::dialect::Dialect;
use heat_template::hot::{CallContext, FunctionMeaning};
use heat_template::ir::Expr;

/// The argument with its functions unresolved.
pub(super) fn unresolved_argument(written: &Expr, dialect: Dialect) -> Value {
    as_json_data(&Value::from_expr_as_sent(written), dialect)
}

fn as_json_data(value: &Value, dialect: Dialect) -> Value {
    match value {
        Value::Map(map)
            if map.len() == 1
                && let Some((Key::Text(name), argument)) = map.first()
                && let Some(meaning) = dialect.meaning(name, CallContext::Value) =>
        {
            // `if` keeps its argument unparsed.
            let argument = match meaning {
                FunctionMeaning::If { .. } => argument.clone(),
                _ => as_json_data(argument, dialect),
            };
            Value::Call(Arc::new(UnresolvedCall { function: name.clone(), argument }))
        }
        other => other.with_parts(|part| as_json_data(part, dialect)),
    }
}
