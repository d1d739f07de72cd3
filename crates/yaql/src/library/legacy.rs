//! The functions of version 0.2, which take precedence over the standard library.

use super::super::call::{Call, Run};
use super::super::compare::truth;
use super::super::context::Context;
use super::super::function::{
    CallForm, DefaultValue, Function, Parameter, extension, function, method, param, rest,
};
use super::super::lazy_iter::{IteratorClass, LazyIter};
use super::super::tree::Expr;
use super::super::types::Type;
use super::super::{Failure, Outcome, Value, text};
use super::collections::{from_pairs, item};
use super::queries::{numbers, numbers_without_end};
use python_semantics::ExceptionClass;
use python_semantics::number::Integer;

pub(crate) const FUNCTIONS: &[Function] = &[
    function("#operator_=>", PAIR, tuple_of_pair),
    function("tuple", &[rest(Type::Any)], tuple),
    extension("dict", &[rest(Type::Tuple)], dict).no_kwargs(),
    extension("#map", &[rest(Type::Tuple)], dict).no_kwargs(),
    method("toList", &[param("collection", Type::Iterable)], to_list),
    function(
        "#indexer",
        &[param("collection", Type::Iterable), param("indexExpression", Type::Lambda)],
        index,
    ),
    extension(
        "range",
        &[
            param("start", Type::Int).not_null(),
            param("stop", Type::Int).nullable().or(DefaultValue::Null),
        ],
        range,
    ),
    extension("switch", &[param("value", Type::Any), rest(Type::Lambda)], switch).no_kwargs(),
    method("as", &[param("receiver", Type::Any), rest(Type::Lambda)], as_).no_kwargs(),
    function(
        "#operator_.",
        &[param("receiver", Type::Context), param("expr", Type::MethodLambda)],
        dot_of_context,
    ),
    function("#operator_.", &[param("dict", Type::Mapping), param("key", Type::Keyword)], get),
];

const PAIR: &[Parameter] = &[param("left", Type::Expression), param("right", Type::Any)];

/// Names for which the standard library is not searched.
pub(crate) const EXCLUSIVE: &[&str] = &["#indexer", "switch"];

/// Functions of the standard library that can be called in both forms here.
pub(crate) const BOTH_FORMS: &[&str] =
    &["get", "list", "bool", "int", "float", "select", "where", "join", "sum", "takeWhile"];

/// The library function in its form here, if it differs.
pub(crate) fn with_both_forms(function: &Function) -> Option<Function> {
    let other = BOTH_FORMS.contains(&function.name) && function.form != CallForm::Extension;
    other.then_some(Function { form: CallForm::Extension, ..*function })
}

/// `left => right`; a tuple on the left that is not in parentheses is extended.
fn tuple_of_pair(call: &Call) -> Outcome {
    let (Value::Expression(left), right) = (call.value(0), call.value(1)) else {
        return Err(Failure::Unknown);
    };
    let found = call.run.evaluate(left, call.context)?;
    let grows =
        matches!(&left.expr, Expr::Binary(operator, ..) if operator.function == "#operator_=>");
    match found {
        Value::Tuple(items) if grows => {
            Ok(Value::tuple([&*items, std::slice::from_ref(right)].concat()))
        }
        found => Ok(Value::tuple([found, right.clone()])),
    }
}

fn tuple(call: &Call) -> Outcome {
    Ok(Value::tuple(call.rest.as_slice()))
}

/// `dict(key => value, …)`: the standard function, called with a single list.
fn dict(call: &Call) -> Outcome {
    if let Some(receiver) = call.receiver {
        let message = format!("Unknown method \"dict\" for receiver {}", text::str(receiver)?);
        return Err(Failure::new(ExceptionClass::NoMethodRegisteredException, message));
    }
    let pairs = Value::tuple(call.rest.as_slice());
    call.run.check_memory(&pairs)?;
    from_pairs(call.run, &call.run.check_length(pairs)?.iter(call.run)?)
}

fn to_list(call: &Call) -> Outcome {
    Ok(Value::list(call.items(0)?.collect(call.run)?))
}

/// `collection[index]` and `collection[condition]`.
fn index(call: &Call) -> Outcome {
    let (collection, condition) = (call.value(0), call.lambda(1)?);
    if matches!(collection, Value::Tuple(_) | Value::List(_)) {
        match condition.call(call.run, &[])? {
            Value::Int(index) => return item(collection, &index),
            Value::Opaque(_) => return Err(Failure::Unknown),
            _ => {}
        }
    }
    let items = call.items(0)?;
    Ok(Value::Lazy(LazyIter::new(IteratorClass::FILTER, move |run| {
        while let Some(item) = items.next(run)? {
            if truth(&condition.call(run, std::slice::from_ref(&item))?)? {
                return Ok(Some(item));
            }
        }
        Ok(None)
    })))
}

/// Python's `range(start, stop)`.
fn bounded(start: Integer, stop: Integer) -> LazyIter {
    let (from, to) = (start.clone(), stop.clone());
    let mut items = None;
    let next = move |run: &Run| {
        let items = match &items {
            Some(items) => items,
            None => {
                let numbers = numbers(from.clone(), to.clone(), Integer::Small(1))?;
                items.insert(numbers.iter(run)?)
            }
        };
        items.next(run)
    };
    let shown = format!("range({start}, {stop})");
    let again = move || bounded(start.clone(), stop.clone());
    LazyIter::restarting(IteratorClass::RANGE, next, again).shown(move || Ok(shown.clone()))
}

/// The integers from a start on, up to an optional end.
fn range(call: &Call) -> Outcome {
    let start = call.int(0)?;
    match call.value(1) {
        Value::Null => numbers_without_end(call.value(0), start, &Value::int(1), Integer::Small(1)),
        _ => Ok(Value::Lazy(bounded(start, call.int(1)?))),
    }
}

/// `value.switch(condition => result, …)`: both sides of all pairs are computed.
fn switch(call: &Call) -> Outcome {
    let context = call.context.child();
    context.set("", call.value(0).clone());
    for case in &call.rest {
        let Value::Lambda(case) = case else { return Err(null_is_no_function()) };
        let (condition, result) = match case.call_in(call.run, &context, &[])? {
            Value::Tuple(pair) => match &*pair {
                [condition, result] => (condition.clone(), result.clone()),
                _ => return Err(Failure::value_error("switch() tuples must be of size 2")),
            },
            Value::Rule(rule) => (rule.0.clone(), rule.1.clone()),
            Value::Opaque(_) => return Err(Failure::Unknown),
            _ => {
                return Err(Failure::value_error("switch() must have tuple or mapping parameters"));
            }
        };
        if truth(&condition)? {
            return Ok(result);
        }
    }
    Ok(Value::Null)
}

fn null_is_no_function() -> Failure {
    Failure::type_error("'NoneType' object is not callable")
}

/// `receiver.as(value => name, …)`; each value can use the names before it.
fn as_(call: &Call) -> Outcome {
    let context = call.context.child();
    let receiver = call.value(0);
    for mapping in &call.rest {
        let Value::Lambda(mapping) = mapping else { return Err(null_is_no_function()) };
        let found = mapping.within(&context).call(call.run, std::slice::from_ref(receiver))?;
        match found {
            Value::Tuple(pair) => match &*pair {
                [value, name] => set(&context, name, value)?,
                _ => return Err(Failure::value_error("as() tuples must be of size 2")),
            },
            Value::Rule(rule) => set(&context, &rule.1, &rule.0)?,
            Value::Opaque(_) => return Err(Failure::Unknown),
            _ => return Err(Failure::value_error("as() must have tuple parameters")),
        }
    }
    context.set("0", receiver.clone());
    Ok(Value::Context(context))
}

fn set(context: &Context, name: &Value, value: &Value) -> Outcome<()> {
    match name {
        Value::Text(name) => context.set(name, value.clone()),
        Value::Opaque(_) => return Err(Failure::Unknown),
        other => {
            let class = text::type_name(other);
            let message = format!("'{class}' object has no attribute 'startswith'");
            return Err(Failure::new(ExceptionClass::AttributeError, message));
        }
    }
    Ok(())
}

/// Calls what follows the dot on the receiver of `as`, with its names.
fn dot_of_context(call: &Call) -> Outcome {
    let Value::Context(context) = call.value(0) else { return Err(Failure::Unknown) };
    call.lambda(1)?.call_on_in(call.run, &context.get("0"), context)
}

/// `dict.key`; null if the key is missing.
fn get(call: &Call) -> Outcome {
    let key = super::super::value::HashKey::of(call.value(1))?;
    Ok(call.dict(0)?.pairs.get(&key).cloned().unwrap_or(Value::Null))
}

#[cfg(test)]
mod tests {
    use super::super::super::testing;
    use super::super::super::{Edition, Options};

    #[test]
    fn pairs_are_tuples() {
        let options = Options { edition: Edition::Legacy, ..Options::default() };
        let expected = [
            ("1 => 2", "(1, 2)"),
            ("1 => 2 => 3", "(1, 2, 3)"),
            ("(1 => 2) => 3", "((1, 2), 3)"),
            ("1 => (2 => 3)", "(1, (2, 3))"),
            ("tuple(1)", "(1,)"),
            ("dict(a => 1, b => 2)", "{'a': 1, 'b': 2}"),
            ("{a => 1, 2 => 3}", "{'a': 1, 2: 3}"),
            ("{a => 1 => 2}", "{'a': 1}"),
            (
                "tuple(a, 1).dict()",
                r#"NoMethodRegisteredException: Unknown method "dict" for receiver ('a', 1)"#,
            ),
            ("{a => 1}.b", "None"),
            ("a in {a => 1}", "True"),
            ("[1, 2].where(true).toList()", "[1, 2]"),
        ];
        testing::assert_all(&options, &expected);
    }

    #[test]
    fn indices_and_conditions() {
        let options = Options { edition: Edition::Legacy, ..Options::default() };
        let expected = [
            ("[1, 2, 3][1]", "2"),
            ("[1, 2, 3][$ > 1]", "[2, 3]"),
            ("[1, 2, 3][true]", "[1, 2, 3]"),
            ("[1, 2, 3].where(true)[1]", "[1, 2, 3]"),
            ("{a => 1}[$ = a]", "['a']"),
            ("[1][5]", "IndexError: tuple index out of range"),
        ];
        testing::assert_all(&options, &expected);
    }

    #[test]
    fn choices_and_names() {
        let options = Options { edition: Edition::Legacy, ..Options::default() };
        let expected = [
            ("15.switch($ < 3 => a, $ < 20 => b)", "'b'"),
            ("switch(1, $ = 2 => a)", "None"),
            ("1.switch(1)", "ValueError: switch() must have tuple or mapping parameters"),
            ("1.switch(1 => 2 => 3)", "ValueError: switch() tuples must be of size 2"),
            ("[1, 2].as(sum($) => a, $a + 1 => b).select($ + $a + $b)", "[8, 9]"),
            ("[1, 2].as(1 => 2)", "AttributeError: 'int' object has no attribute 'startswith'"),
            ("[1, 2].as(1)", "ValueError: as() must have tuple parameters"),
        ];
        testing::assert_all(&options, &expected);
    }

    #[test]
    fn functions_that_are_methods_as_well() {
        let options = Options { edition: Edition::Legacy, ..Options::default() };
        let expected = [
            ("['5'.int(), int('5'), null.bool(), [1, 2].list()]", "(5, 5, False, [(1, 2)])"),
            ("sum([1, 2]) + [1, 2].sum()", "6"),
            ("2.range().take(2)", "[2, 3]"),
            ("1.range(3)", "[1, 2]"),
        ];
        testing::assert_all(&options, &expected);
    }

    #[test]
    fn todays_grammar() {
        let options = Options { edition: Edition::LegacyLibrary, ..Options::default() };
        let expected = [
            ("[1, 2].as(sum($) => a) -> $a", "3"),
            ("15.switch($ > 3 => a)", "'a'"),
            ("{a => 1}", "{'a': 1}"),
            ("dict(a => 1)", "{'a': 1}"),
            (
                "{a => 1}[a]",
                r##"NoMatchingFunctionException: No function "#indexer" matches supplied arguments"##,
            ),
        ];
        testing::assert_all(&options, &expected);
    }
}
