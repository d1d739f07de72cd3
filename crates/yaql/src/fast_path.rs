//! A fast path for operators without overload resolution: only one function of the name accepts two
//! numbers, and only one accepts two texts. Any other operands go through overload
//! resolution.
//!
//! Functions that the expression defines have other overloads and never use the fast path.

use std::cmp::Ordering;

use super::call::Run;
use super::context::Context;
use super::library::{math, strings};
use super::overload::Argument;
use super::tree::{Expr, Literal, Node};
use super::{Outcome, Value, library, number};

/// What an operator does with operands of the fast path.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FastPath {
    /// Calls a method, or looks up a key in a dictionary.
    Dot,
    Operator {
        numbers: fn(&Run, &Value, &Value) -> Outcome,
        texts: Option<fn(&Run, &str, &str) -> Outcome>,
    },
}

/// The fast paths by the functions that the operators call.
pub(crate) const FAST_PATHS: &[(&str, FastPath)] = &[
    ("#operator_.", FastPath::Dot),
    (
        "#operator_+",
        FastPath::Operator {
            numbers: |_, left, right| number::add(left, right),
            texts: Some(|run, left, right| strings::joined_texts(run, [left, right])),
        },
    ),
    ("#operator_-", numbers(|_, left, right| number::sub(left, right))),
    ("#operator_*", numbers(number::mul)),
    ("#operator_/", numbers(number::div)),
    ("#operator_mod", numbers(number::modulo)),
    (
        "#operator_>",
        ordered(|_, l, r| math::ordered(l, r, Ordering::is_gt), |_, l, r| Ok(Value::Bool(l > r))),
    ),
    (
        "#operator_>=",
        ordered(|_, l, r| math::ordered(l, r, Ordering::is_ge), |_, l, r| Ok(Value::Bool(l >= r))),
    ),
    (
        "#operator_<",
        ordered(|_, l, r| math::ordered(l, r, Ordering::is_lt), |_, l, r| Ok(Value::Bool(l < r))),
    ),
    (
        "#operator_<=",
        ordered(|_, l, r| math::ordered(l, r, Ordering::is_le), |_, l, r| Ok(Value::Bool(l <= r))),
    ),
];

const fn numbers(numbers: fn(&Run, &Value, &Value) -> Outcome) -> FastPath {
    FastPath::Operator { numbers, texts: None }
}

const fn ordered(
    numbers: fn(&Run, &Value, &Value) -> Outcome,
    texts: fn(&Run, &str, &str) -> Outcome,
) -> FastPath {
    FastPath::Operator { numbers, texts: Some(texts) }
}

/// The result of trying the fast path.
pub(super) enum FastPathResult<'n> {
    Value(Value),
    /// The operands, which need overload resolution.
    Operands([Argument<'n>; 2]),
}

/// Python frames around an operand, around a lookup, and around a method, the same as on the normal path.
const OPERAND_FRAMES: usize = 6;
const METHOD_FRAMES: usize = 8;

impl FastPath {
    /// Applies the operator to its operands, if the fast path allows it.
    pub(super) fn apply<'n>(
        self,
        run: &Run,
        left: &'n Node,
        right: &'n Node,
        context: &Context,
    ) -> Outcome<FastPathResult<'n>> {
        match self {
            FastPath::Dot => dot(run, left, right, context),
            FastPath::Operator { numbers, texts } => {
                if !may_be_computed(left, texts.is_some())
                    || !may_be_computed(right, texts.is_some())
                {
                    return Ok(FastPathResult::Operands([left, right].map(Argument::Unevaluated)));
                }
                let (one, other) = (operand(run, left, context)?, operand(run, right, context)?);
                let is_number = |value: &Value| matches!(value, Value::Int(_) | Value::Float(_));
                let check = || {
                    run.step()?;
                    run.check_memory(&one)?;
                    run.check_memory(&other)
                };
                let value = match (&one, &other, texts) {
                    (one, other, _) if is_number(one) && is_number(other) => {
                        check()?;
                        numbers(run, one, other)?
                    }
                    (Value::Text(one), Value::Text(other), Some(texts)) => {
                        check()?;
                        texts(run, one, other)?
                    }
                    _ => return Ok(FastPathResult::Operands([one, other].map(Argument::of))),
                };
                run.check_memory(&value)?;
                Ok(FastPathResult::Value(value))
            }
        }
    }
}

/// Whether an operand can be computed before overload resolution: whether no overload would be excluded
/// without computing its arguments.
fn may_be_computed(node: &Node, texts: bool) -> bool {
    match &node.expr {
        Expr::Constant(Literal::Int(_) | Literal::Float(_)) => true,
        Expr::Constant(Literal::Text(_)) => texts,
        Expr::Constant(Literal::Null | Literal::Bool(_)) | Expr::Keyword(_) | Expr::Rule(..) => {
            false
        }
        _ => true,
    }
}

fn operand(run: &Run, node: &Node, context: &Context) -> Outcome {
    if let Expr::Constant(literal) = &node.expr {
        return Ok(literal.value());
    }
    let _deeper = run.enter_frames(OPERAND_FRAMES)?;
    run.evaluate(node, context)
}

fn dot<'n>(
    run: &Run,
    left: &'n Node,
    right: &'n Node,
    context: &Context,
) -> Outcome<FastPathResult<'n>> {
    let is_simple = !matches!(left.expr, Expr::Constant(_) | Expr::Keyword(_) | Expr::Rule(..));
    let is_member = matches!(right.expr, Expr::Keyword(_));
    if !is_simple || !(is_member || right.uses_receiver()) {
        return Ok(FastPathResult::Operands([left, right].map(Argument::Unevaluated)));
    }
    if let Expr::Keyword(word) = &right.expr
        && !run.options.iterable_dicts
        && let Some(value) = run.input.member(run, left, word, context)?
    {
        return Ok(FastPathResult::Value(value));
    }
    let receiver = operand(run, left, context)?;
    match (&receiver, &right.expr) {
        (Value::Missing | Value::Expression(_), _) => {}
        (Value::Dict(dict), Expr::Keyword(key)) if !run.options.iterable_dicts => {
            run.step()?;
            run.check_memory(&receiver)?;
            let key = Value::Text(key.clone());
            run.check_memory(&key)?;
            let value = library::collections::member(dict, &key)?;
            run.check_memory(&value)?;
            return Ok(FastPathResult::Value(value));
        }
        (_, Expr::Call(..) | Expr::Apply(..)) => {
            run.step()?;
            run.check_memory(&receiver)?;
            let _deeper = run.enter_frames(METHOD_FRAMES)?;
            return run.evaluate_on(right, Some(&receiver), context).map(FastPathResult::Value);
        }
        _ => {}
    }
    Ok(FastPathResult::Operands([Argument::of(receiver), Argument::Unevaluated(right)]))
}

#[cfg(test)]
mod tests {
    use super::super::Options;
    use super::super::library::Library;
    use super::super::types::Fit;
    use super::*;

    /// Two numbers, or two texts, fit exactly one function of the name.
    #[test]
    fn there_is_no_doubt() {
        let options = Options::default();
        let run = Run::new(&options);
        let library = Library::of(&options);
        for (name, quick) in FAST_PATHS {
            let FastPath::Operator { texts, .. } = quick else { continue };
            let count = |operand: &Value| {
                let argument = Argument::of(operand.clone());
                let functions = library.answering(name, false).levels.iter().flatten();
                let fitting = functions.filter(|function| {
                    function.parameters.iter().all(|it| it.fits(&argument, &run) == Fit::Yes)
                });
                fitting.count()
            };
            assert_eq!(count(&Value::int(1)), 1, "{name}");
            assert_eq!(count(&Value::Float(1.0)), 1, "{name}");
            assert_eq!(count(&Value::text("a")), usize::from(texts.is_some()), "{name}");
        }
    }
}
