//! Functions for variables, the dot, contexts and function definitions.

use python_semantics::ExceptionClass;
use smol_str::SmolStr;

use super::naming;
use super::queries::remembering;
use crate::call::Call;
use crate::compare::truth;
use crate::function::{DefaultValue, Function, Parameter, function, method, named, param, rest};
use crate::lazy_iter::LazyIter;
use crate::overload::{Argument, Arguments};
use crate::types::Type;
use crate::{Failure, Outcome, Value, text};

pub(crate) const FUNCTIONS: &[Function] = &[
    function("#get_context_data", &[param("name", Type::TextConstant)], get_context_data),
    function("#operator_.", DOT, dot),
    function("#operator_?.", SAFE_DOT, safe_dot),
    function("#operator_->", SEND, send_context),
    function("let", &[rest(Type::Any), named(Type::Any)], let_),
    function("with", &[rest(Type::Any)], with),
    function("def", &[param("name", Type::Text), param("func", Type::Lambda)], def),
    method("unpack", &[param("sequence", Type::Iterable), rest(Type::Text)], unpack),
    method("assert", ASSERT, assert),
    function("call", CALL, call_by_name),
];

const DOT: &[Parameter] = &[param("receiver", Type::Any), param("expr", Type::MethodLambda)];
const SAFE_DOT: &[Parameter] = &[param("receiver", Type::Any), param("expr", Type::Expression)];
const SEND: &[Parameter] = &[param("left", Type::Context), param("right", Type::Lambda)];
const ASSERT: &[Parameter] = &[
    param("obj", Type::Any),
    param("condition", Type::Lambda),
    param("message", Type::Text).or(DefaultValue::Text("Assertion failed")),
];
const CALL: &[Parameter] = &[
    param("name", Type::Text),
    param("args", Type::Sequence),
    param("kwargs", Type::Mapping),
    param("receiver", Type::Any).or(DefaultValue::Missing),
];

/// The functions that exist only if values can be called.
pub(crate) const DELEGATES: &[Function] = &[
    function(
        "#call",
        &[param("callable", Type::Callable), rest(Type::Any), named(Type::Any)],
        call_value,
    ),
    function("lambda", &[param("func", Type::Lambda)], lambda),
];

/// The last resort: a keyword after a dot is a property.
pub(crate) const FALLBACK: &[Function] = &[function(
    "#operator_.",
    &[param("obj", Type::Any), param("name", Type::Keyword)],
    get_property,
)];

fn get_context_data(call: &Call) -> Outcome {
    call.run.input.resolve(call.run, call.context.get(call.text(0)?))
}

fn dot(call: &Call) -> Outcome {
    call.lambda(1)?.call_on(call.run, call.value(0), &[])
}

fn safe_dot(call: &Call) -> Outcome {
    match call.value(0) {
        Value::Null => Ok(Value::Null),
        Value::Opaque(_) => Err(Failure::Unknown),
        receiver => call.delegate("#operator_.", &[receiver.clone(), call.value(1).clone()]),
    }
}

fn get_property(call: &Call) -> Outcome {
    let name = format!("#property#{}", call.text(1)?);
    call.delegate(&name, std::slice::from_ref(call.value(0)))
}

fn send_context(call: &Call) -> Outcome {
    match call.value(0) {
        Value::Context(context) => call.lambda(1)?.call_in(call.run, context, &[]),
        _ => Err(Failure::Unknown),
    }
}

fn let_(call: &Call) -> Outcome {
    let context = call.context.child();
    context.set_positions(call.rest.iter().cloned());
    for (name, value) in &call.named {
        context.set(name, value.clone());
    }
    Ok(Value::Context(context))
}

fn with(call: &Call) -> Outcome {
    let context = call.context.child();
    context.set_positions(call.rest.iter().cloned());
    Ok(Value::Context(context))
}

fn def(call: &Call) -> Outcome {
    let name = naming::registered(call.text(0)?)?;
    let context = call.context.child();
    // `call()` can pass null, which is not a function and fails only when it is called.
    let function = call.optional_lambda(1)?.ok_or(Failure::Unknown)?;
    context.define(&name, function.body.clone());
    Ok(Value::Context(context))
}

fn unpack(call: &Call) -> Outcome {
    let context = call.context.child();
    let names = &call.rest;
    let mut first = Vec::new();
    let items = call.items(0)?;
    while first.len() <= names.len() {
        match items.next(call.run)? {
            Some(item) => first.push(item),
            None => break,
        }
    }
    if names.is_empty() {
        // Python iterates again, but the first item of an iterator is already consumed.
        context.set_positions(call.items(0)?.collect(call.run)?);
        return Ok(Value::Context(context));
    }
    if first.len() != names.len() {
        let (found, wanted) = (first.len(), names.len());
        return Err(Failure::value_error(format!("Cannot unpack {found} elements into {wanted}")));
    }
    for (name, value) in names.iter().zip(first) {
        if let Value::Text(name) = name {
            context.set(name, value);
        }
    }
    Ok(Value::Context(context))
}

fn assert(call: &Call) -> Outcome {
    let value = remembering(call.value(0).clone());
    if truth(&call.lambda(1)?.call(call.run, std::slice::from_ref(&value))?)? {
        return Ok(value);
    }
    Err(Failure::new(ExceptionClass::AssertionError, call.text(2)?))
}

/// `call(name, args, kwargs)`.
fn call_by_name(call: &Call) -> Outcome {
    let mut arguments = Arguments::new();
    let items: LazyIter = call.items(1)?;
    while let Some(item) = items.next(call.run)? {
        arguments.push(Argument::of(item));
    }
    let mut named = Vec::new();
    for (key, value) in &call.dict(2)?.pairs {
        let key = match key.value() {
            Value::Text(key) => key,
            Value::Opaque(_) => return Err(Failure::Unknown),
            other => {
                let found = text::type_name(other);
                let message = format!("expected string or bytes-like object, got '{found}'");
                return Err(Failure::type_error(message));
            }
        };
        if !naming::begins_with_keyword(key) {
            // Python deletes it during iteration.
            let message = "dictionary changed size during iteration";
            return Err(Failure::new(ExceptionClass::RuntimeError, message));
        }
        named.push((SmolStr::clone(key), Argument::of(value.clone())));
    }
    call.run.call(call.text(0)?, call.optional_value(3), arguments, named, call.context)
}

/// `value(…)`.
fn call_value(call: &Call) -> Outcome {
    if call.named.iter().any(|(name, _)| name == "callable_") {
        return Err(Failure::type_error("call() got multiple values for argument 'callable_'"));
    }
    call.lambda(0)?.call_named(call.run, &call.rest, &call.named)
}

fn lambda(call: &Call) -> Outcome {
    Ok(call.value(0).clone())
}
