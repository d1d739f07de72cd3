//! Functions that choose between alternatives.

use crate::call::{Call, Run};
use crate::compare::truth;
use crate::function::{Function, Parameter, function, method, param, rest};
use crate::lazy_iter::LazyIter;
use crate::types::Type;
use crate::{Failure, Outcome, Value};
use python_semantics::number::Integer;

pub(crate) const FUNCTIONS: &[Function] = &[
    function("switch", &[rest(Type::LazyRule)], switch).no_kwargs(),
    function("selectCase", CASES, select_case),
    function("selectAllCases", CASES, select_all_cases),
    function("examine", CASES, examine),
    method("switchCase", &[param("case", Type::Int), rest(Type::Lambda)], switch_case),
    function("coalesce", CASES, coalesce),
];

const CASES: &[Parameter] = &[rest(Type::Lambda)];

fn switch(call: &Call) -> Outcome {
    for rule in &call.rest {
        let Value::LazyRule(rule) = rule else { return Err(Failure::Unknown) };
        if truth(&rule.0.call(call.run, &[])?)? {
            return rule.1.call(call.run, &[]);
        }
    }
    Ok(Value::Null)
}

/// Computes a case. Null is not a case, but `call()` can pass it.
fn compute(run: &Run, case: &Value) -> Outcome {
    match case {
        Value::Lambda(case) => case.call(run, &[]),
        Value::Null => Err(Failure::type_error("'NoneType' object is not callable")),
        _ => Err(Failure::Unknown),
    }
}

fn select_case(call: &Call) -> Outcome {
    for (at, case) in call.rest.iter().enumerate() {
        if truth(&compute(call.run, case)?)? {
            return Ok(Value::count(at));
        }
    }
    Ok(Value::count(call.rest.len()))
}

fn select_all_cases(call: &Call) -> Outcome {
    let mut cases = call.rest.clone().into_iter().enumerate();
    Ok(Value::Lazy(LazyIter::generator("select_all_cases", 216, move |run| {
        for (at, case) in cases.by_ref() {
            if truth(&compute(run, &case)?)? {
                return Ok(Some(Value::count(at)));
            }
        }
        Ok(None)
    })))
}

fn examine(call: &Call) -> Outcome {
    let mut cases = call.rest.clone().into_iter();
    Ok(Value::Lazy(LazyIter::generator("examine", 224, move |run| match cases.next() {
        Some(case) => Ok(Some(Value::Bool(truth(&compute(run, &case)?)?))),
        None => Ok(None),
    })))
}

fn switch_case(call: &Call) -> Outcome {
    let at = match call.int(0)? {
        Integer::Small(at) => usize::try_from(at).ok(),
        Integer::Big(_) => None,
    };
    match at.and_then(|at| call.rest.get(at)).or(call.rest.last()) {
        Some(case) => compute(call.run, case),
        None => Ok(Value::Null),
    }
}

fn coalesce(call: &Call) -> Outcome {
    for case in &call.rest {
        let found = compute(call.run, case)?;
        match found {
            Value::Null => {}
            Value::Opaque(_) => return Err(Failure::Unknown),
            found => return Ok(found),
        }
    }
    Ok(Value::Null)
}
