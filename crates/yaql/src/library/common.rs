//! Equality, and comparisons with null.

use crate::call::Call;
use crate::compare::equal;
use crate::function::{Function, Parameter, function, param};
use crate::types::Type;
use crate::{Outcome, Value};

pub(crate) const FUNCTIONS: &[Function] = &[
    function("*equal", BOTH, eq),
    function("*not_equal", BOTH, ne),
    // Null is less than any other value, and equal to itself.
    function("#operator_<", BEFORE_NULL, no),
    function("#operator_<=", BEFORE_NULL, no),
    function("#operator_>", BEFORE_NULL, yes),
    function("#operator_>=", BEFORE_NULL, yes),
    function("#operator_<", AFTER_NULL, yes),
    function("#operator_<=", AFTER_NULL, yes),
    function("#operator_>", AFTER_NULL, no),
    function("#operator_>=", AFTER_NULL, no),
    function("#operator_<", NULLS, no),
    function("#operator_<=", NULLS, yes),
    function("#operator_>", NULLS, no),
    function("#operator_>=", NULLS, yes),
];

const BOTH: &[Parameter] = &[param("left", Type::Any), param("right", Type::Any)];
const BEFORE_NULL: &[Parameter] =
    &[param("left", Type::Any).not_null(), param("right", Type::Null)];
const AFTER_NULL: &[Parameter] = &[param("left", Type::Null), param("right", Type::Any).not_null()];
const NULLS: &[Parameter] = &[param("left", Type::Null), param("right", Type::Null)];

fn eq(call: &Call) -> Outcome {
    Ok(Value::Bool(equal(call.value(0), call.value(1))?))
}

fn ne(call: &Call) -> Outcome {
    Ok(Value::Bool(!equal(call.value(0), call.value(1))?))
}

fn yes(_: &Call) -> Outcome {
    Ok(Value::Bool(true))
}

fn no(_: &Call) -> Outcome {
    Ok(Value::Bool(false))
}
