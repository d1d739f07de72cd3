//! Functions of numbers.
//!
//! - [`random`](mod@random): random numbers
//!
//! Python's arithmetic is in [`number`].

mod random;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;

use num_bigint::{BigInt, BigUint};

use crate::call::Call;
use crate::compare::truth;
use crate::function::{DefaultValue, Function, Parameter, function, param};
use crate::types::Type;
use crate::{Failure, Outcome, Value, number, text};
use python_semantics::number::Integer;

pub(crate) use random::Random;

pub(crate) const FUNCTIONS: &[Function] = &[
    function("#operator_+", BOTH, |call| number::add(call.value(0), call.value(1))),
    function("#operator_-", BOTH, |call| number::sub(call.value(0), call.value(1))),
    function("#operator_*", BOTH, |call| number::mul(call.run, call.value(0), call.value(1))),
    function("#operator_/", BOTH, |call| number::div(call.run, call.value(0), call.value(1))),
    function("#operator_mod", BOTH, |call| number::modulo(call.run, call.value(0), call.value(1))),
    function("#unary_operator_+", ONE, |call| number::pos(call.value(0))),
    function("#unary_operator_-", ONE, |call| number::neg(call.value(0))),
    function("#operator_>", BOTH, |call| compared(call, Ordering::is_gt)),
    function("#operator_>=", BOTH, |call| compared(call, Ordering::is_ge)),
    function("#operator_<", BOTH, |call| compared(call, Ordering::is_lt)),
    function("#operator_<=", BOTH, |call| compared(call, Ordering::is_le)),
    function("abs", ONE, |call| number::abs(call.value(0))),
    function("int", VALUE, |call| or_zero(call.value(0), Value::int(0), number::int)),
    function("float", VALUE, |call| or_zero(call.value(0), Value::Float(0.0), number::float)),
    function("random", &[], random_float),
    function("random", &[param("from", Type::Any), param("to", Type::Any)], random_integer),
    function("bitwiseAnd", BOTH_WHOLE, |call| number::bit_and(call.value(0), call.value(1))),
    function("bitwiseOr", BOTH_WHOLE, |call| number::bit_or(call.value(0), call.value(1))),
    function("bitwiseXor", BOTH_WHOLE, |call| number::bit_xor(call.value(0), call.value(1))),
    function("bitwiseNot", &[param("arg", Type::Int)], |call| number::bit_not(call.value(0))),
    function("shiftBitsRight", SHIFT, |call| number::shift_right(call.value(0), call.value(1))),
    function("shiftBitsLeft", SHIFT, |call| {
        number::shift_left(call.run, call.value(0), call.value(1))
    }),
    function("max", A_AND_B, |call| picked(call, 1, 0)),
    function("min", A_AND_B, |call| picked(call, 0, 1)),
    function("pow", POW, |call| number::pow(call.run, call.value(0), call.value(1), call.value(2))),
    function("sign", &[param("num", Type::Number)], sign),
    function("round", ROUND, |call| number::round(call.run, call.value(0), Some(&call.int(1)?))),
    function("isInteger", VALUE, |call| is(call, |value| matches!(value, Value::Int(_)))),
    function("isNumber", VALUE, |call| {
        is(call, |value| matches!(value, Value::Int(_) | Value::Float(_)))
    }),
];

const ONE: &[Parameter] = &[param("op", Type::Number)];
const BOTH: &[Parameter] = &[param("left", Type::Number), param("right", Type::Number)];
const BOTH_WHOLE: &[Parameter] = &[param("left", Type::Int), param("right", Type::Int)];
const VALUE: &[Parameter] = &[param("value", Type::Any)];
const SHIFT: &[Parameter] = &[param("value", Type::Int), param("bitsNumber", Type::Int)];
const A_AND_B: &[Parameter] = &[param("a", Type::Any), param("b", Type::Any)];
const POW: &[Parameter] = &[
    param("a", Type::Number),
    param("b", Type::Number),
    param("c", Type::Number).nullable().or(DefaultValue::Null),
];
const ROUND: &[Parameter] =
    &[param("number", Type::Number), param("ndigits", Type::Int).or(DefaultValue::Int(0))];

fn compared(call: &Call, holds: fn(Ordering) -> bool) -> Outcome {
    ordered(call.value(0), call.value(1), holds)
}

/// Whether the order of two numbers satisfies `holds`; NaN satisfies nothing.
pub(crate) fn ordered(left: &Value, right: &Value, holds: fn(Ordering) -> bool) -> Outcome {
    match number::compare(left, right) {
        Some(order) => Ok(Value::Bool(order.is_some_and(holds))),
        None => Err(Failure::Unknown),
    }
}

/// Converts a value to a number; null becomes `zero`.
fn or_zero(value: &Value, zero: Value, convert: fn(&Value) -> Outcome) -> Outcome {
    match value {
        Value::Null => Ok(zero),
        value => convert(value),
    }
}

fn random_float(call: &Call) -> Outcome {
    call.run.random.float().map(Value::Float).ok_or(Failure::Unknown)
}

/// `random.randint(a, b)`; both ends are included.
fn random_integer(call: &Call) -> Outcome {
    let (from, to) = (call.value(0), call.value(1));
    // Python adds 1 to the end before it checks the start.
    let stop = match to {
        Value::Float(to) => Value::Float(to + 1.0),
        Value::Int(_) | Value::Bool(_) => {
            Value::Int(number::of_big(big(&indexed(to, "stop")?) + 1))
        }
        Value::Opaque(_) => return Err(Failure::Unknown),
        other => {
            let class = text::type_name(other);
            return Err(Failure::type_error(match other {
                Value::Text(_) | Value::Tuple(_) | Value::List(_) => {
                    format!("can only concatenate {class} (not \"int\") to {class}")
                }
                _ => format!("unsupported operand type(s) for +: '{class}' and 'int'"),
            }));
        }
    };
    let start = big(&indexed(from, "arg 1")?);
    let stop = big(&indexed(&stop, "stop")?);
    let width = &stop - &start;
    let Some(bound) = width.to_biguint().filter(|bound| *bound != BigUint::ZERO) else {
        let shown = |number| text::str(&Value::Int(number::of_big(number)));
        let (start, stop, width) = (shown(start)?, shown(stop)?, shown(width)?);
        let message = format!("empty range for randrange() ({start}, {stop}, {width})");
        return Err(Failure::value_error(message));
    };
    call.run.spend(bound.bits() / 32)?;
    let below = call.run.random.below(&bound).ok_or(Failure::Unknown)?;
    Ok(Value::Int(number::of_big(start + BigInt::from(below))))
}

/// A bound of a range of random numbers, an integer of any type.
fn indexed(value: &Value, end: &str) -> Outcome<Integer> {
    let number = match (value, number::int(value)?) {
        (Value::Int(_) | Value::Bool(_), Value::Int(number)) => Some(number),
        (Value::Float(float), Value::Int(number)) => Some(number).filter(|_| float.fract() == 0.0),
        _ => None,
    };
    number.ok_or_else(|| Failure::value_error(format!("non-integer {end} for randrange()")))
}

fn big(number: &Integer) -> BigInt {
    match number {
        Integer::Small(number) => (*number).into(),
        Integer::Big(number) => (**number).clone(),
    }
}

/// One of two values: the one at `greater` if `b > a` in yaql.
fn picked(call: &Call, greater: usize, other: usize) -> Outcome {
    let (a, b) = (call.value(0), call.value(1));
    let is_greater = call.delegate("#operator_>", &[b.clone(), a.clone()])?;
    let picked = if truth(&is_greater)? { greater } else { other };
    Ok(call.value(picked).clone())
}

fn sign(call: &Call) -> Outcome {
    let order = number::compare(call.value(0), &Value::int(0)).flatten();
    Ok(Value::int(order.map_or(0, |order| order as i8)))
}

fn is(call: &Call, kind: fn(&Value) -> bool) -> Outcome {
    match call.value(0) {
        Value::Opaque(_) => Err(Failure::Unknown),
        value => Ok(Value::Bool(kind(value))),
    }
}
