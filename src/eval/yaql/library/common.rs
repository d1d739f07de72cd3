//! Equality, and what compares with null.

use super::super::call::Call;
use super::super::compare::equal;
use super::super::function::{Function, Parameter, function, param};
use super::super::types::Type;
use super::super::{Outcome, Value};

pub(crate) const FUNCTIONS: &[Function] =
    &[function("*equal", BOTH, eq), function("*not_equal", BOTH, ne)];

const BOTH: &[Parameter] = &[param("left", Type::Any), param("right", Type::Any)];

fn eq(call: &Call) -> Outcome {
    Ok(Value::Bool(equal(call.value(0), call.value(1))?))
}

fn ne(call: &Call) -> Outcome {
    Ok(Value::Bool(!equal(call.value(0), call.value(1))?))
}
