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

#[cfg(test)]
mod tests {
    use super::super::super::Options;
    use super::super::super::testing;

    #[test]
    fn variables_are_where_contexts_put_them() {
        let options = Options::default();
        let expected = [
            ("let(1, 2, a => 3) -> [$1, $2, $a]", "[1, 2, 3]"),
            ("let(5) -> let(a => 1) -> [$, $a]", "[5, 1]"),
            ("let(a => 1, a => 2) -> $a", "2"),
            ("let(,1) -> $2", "1"),
            ("let(5) -> let(,1) -> $1", "5"),
            ("with(5, 6) -> [$, $2]", "[5, 6]"),
            ("[1, 2].unpack(a, b) -> [$b, $a]", "[2, 1]"),
            ("[1, 2].unpack(a) -> $a", "ValueError: Cannot unpack 2 elements into 1"),
            ("[].unpack(a) -> $a", "ValueError: Cannot unpack 0 elements into 1"),
            ("[1, 2, 3].unpack() -> [$1, $2, $3]", "[1, 2, 3]"),
            ("[1, 2, 3].where(true).unpack() -> [$1, $2, $3]", "[2, 3, None]"),
            (
                "1 -> 2",
                r##"NoMatchingFunctionException: No function "#operator_->" matches supplied arguments"##,
            ),
        ];
        testing::assert_all(&options, &expected);
    }

    #[test]
    fn functions_of_an_expression_see_themselves_and_stand_before_the_library() {
        let options = Options::default();
        let expected = [
            (
                "def(f, switch($ = [] => 0, true => 1 + f($.delete(0).toList()))) -> f([a, b, c])",
                "3",
            ),
            ("def(f, $2) -> f(1, 2)", "2"),
            ("def(f, $a) -> f(a => 2)", "2"),
            ("def(f, 1) -> def(f, f() + 1) -> 5", "5"),
            ("def(my_name, $) -> myName(1)", "1"),
            (
                "def(my_name, $) -> my_name(1)",
                r#"NoFunctionRegisteredException: Unknown function "my_name""#,
            ),
            ("def('_', $) -> 1", "IndexError: string index out of range"),
            ("def(len, 5) -> [len([]), [].len()]", "[5, 0]"),
            (
                "def(coalesce, $) -> coalesce(1)",
                r#"AmbiguousFunctionException: Ambiguous function "coalesce""#,
            ),
            (
                "def(dict, 5) -> dict(a => 1)",
                r#"AmbiguousFunctionException: Ambiguous function "dict""#,
            ),
            ("def('#operator_+', 7) -> 1 + 2", "7"),
            ("def('#get_context_data', 7) -> $x", "7"),
        ];
        testing::assert_all(&options, &expected);
    }

    #[test]
    fn the_dot_calls_methods_and_looks_up_properties() {
        let options = Options::default();
        let expected = [
            ("1.foo()", r#"NoMethodRegisteredException: Unknown method "foo" for receiver 1"#),
            ("1.foo", r##"NoFunctionRegisteredException: Unknown function "#property#foo""##),
            ("null.foo", r##"NoFunctionRegisteredException: Unknown function "#property#foo""##),
            ("foo.bar", r##"NoFunctionRegisteredException: Unknown function "#property#bar""##),
            (
                "1.($)",
                r##"NoMatchingFunctionException: No function "#operator_." matches supplied arguments"##,
            ),
            ("null?.foo()", "None"),
            ("null?.foo", "None"),
            ("{a => 1}?.a", "1"),
            ("[{a => 1}, {a => 2}].a", "[1, 2]"),
        ];
        testing::assert_all(&options, &expected);
    }

    #[test]
    fn functions_are_called_by_their_names() {
        let options = Options::default();
        let expected = [
            ("call(let, [1, 2], {a => 3}) -> [$1, $2, $a]", "[1, 2, 3]"),
            ("call(toList, [], {}, [1].where(true))", "[1]"),
            (
                "call(let, [], {'1a' => 3})",
                "RuntimeError: dictionary changed size during iteration",
            ),
            (
                "call(let, [], {1 => 3})",
                "TypeError: expected string or bytes-like object, got 'int'",
            ),
            ("call(dict, [], {a => 1})", "ArgumentException: Invalid argument a"),
            ("call(foo, [], {})", r#"NoFunctionRegisteredException: Unknown function "foo""#),
        ];
        testing::assert_all(&options, &expected);
    }

    #[test]
    fn assertions_hand_on_what_holds() {
        let options = Options::default();
        let expected = [
            ("1.assert($ = 1)", "1"),
            ("1.assert($ = 2)", "AssertionError: Assertion failed"),
            ("1.assert($ = 2, no)", "AssertionError: no"),
            ("[1, 2].where(true).assert($.toList() = [1, 2]).toList()", "[1, 2]"),
        ];
        testing::assert_all(&options, &expected);
    }

    #[test]
    fn values_are_called_where_they_can_be() {
        let options = Options { delegates: true, ..Options::default() };
        let expected = [
            ("let(f => lambda($ * 2)) -> $f(4)", "8"),
            ("lambda($a)(a => 1)", "1"),
            (
                "5(1)",
                r##"NoMatchingFunctionException: No function "#call" matches supplied arguments"##,
            ),
            (
                "1.lambda($)()",
                r#"NoMethodRegisteredException: Unknown method "lambda" for receiver 1"#,
            ),
        ];
        testing::assert_all(&options, &expected);
    }
}
