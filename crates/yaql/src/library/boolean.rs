//! The operators `and`, `or` and `not`, and the functions of booleans.

use crate::call::Call;
use crate::compare::truth;
use crate::function::{Function, function, param};
use crate::types::Type;
use crate::{Outcome, Value};

pub(crate) const FUNCTIONS: &[Function] = &[
    function("#operator_and", BOTH, and),
    function("#operator_or", BOTH, or),
    function("#unary_operator_not", &[param("arg", Type::Any)], not),
    function("bool", &[param("value", Type::Any)], bool),
    function("isBoolean", &[param("value", Type::Any)], is_boolean),
];

const BOTH: &[crate::function::Parameter] =
    &[param("left", Type::Lambda), param("right", Type::Lambda)];

fn and(call: &Call) -> Outcome {
    let left = call.lambda(0)?.call(call.run, &[])?;
    if truth(&left)? { call.lambda(1)?.call(call.run, &[]) } else { Ok(left) }
}

fn or(call: &Call) -> Outcome {
    let left = call.lambda(0)?.call(call.run, &[])?;
    if truth(&left)? { Ok(left) } else { call.lambda(1)?.call(call.run, &[]) }
}

fn not(call: &Call) -> Outcome {
    Ok(Value::Bool(!call.truth(0)?))
}

fn bool(call: &Call) -> Outcome {
    Ok(Value::Bool(call.truth(0)?))
}

fn is_boolean(call: &Call) -> Outcome {
    match call.value(0) {
        Value::Opaque(_) => Err(crate::Failure::Unknown),
        value => Ok(Value::Bool(matches!(value, Value::Bool(_)))),
    }
}
