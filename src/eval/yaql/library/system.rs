//! Variables, the dot, contexts, functions of one's own.

use super::super::call::Call;
use super::super::function::{Default, Function, Parameter, function, named, param, rest};
use super::super::types::Type;
use super::super::{Failure, Outcome, Value};

pub(crate) const FUNCTIONS: &[Function] = &[
    function("#get_context_data", &[param("name", Type::TextConstant)], get_context_data),
    function("#operator_.", DOT, dot),
    function("#operator_->", SEND, send_context),
    function("let", &[rest(Type::Any), named(Type::Any)], let_),
];

const DOT: &[Parameter] = &[param("receiver", Type::Any), param("expr", Type::MethodLambda)];
const SEND: &[Parameter] = &[param("left", Type::Context), param("right", Type::Lambda)];

/// The functions that are there where values can be called.
pub(crate) const DELEGATES: &[Function] = &[];

/// What is asked last: a bare word after a dot is a property.
pub(crate) const FALLBACK: &[Function] = &[];

fn get_context_data(call: &Call) -> Outcome {
    Ok(call.context.get(call.text(0)?))
}

fn dot(call: &Call) -> Outcome {
    call.lambda(1)?.call_on(call.run, call.value(0), &[])
}

fn send_context(call: &Call) -> Outcome {
    match call.value(0) {
        Value::Context(context) => call.lambda(1)?.call_in(call.run, context, &[]),
        _ => Err(Failure::Unknown),
    }
}

fn let_(call: &Call) -> Outcome {
    let context = call.context.child();
    for (at, value) in call.rest.iter().enumerate() {
        context.set(&(at + 1).to_string(), value.clone());
    }
    for (name, value) in &call.named {
        context.set(name, value.clone());
    }
    let _ = Default::None;
    Ok(Value::Context(context))
}
