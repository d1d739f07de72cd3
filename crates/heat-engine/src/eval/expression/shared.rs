//! Expressions that stand in several places of a stack, those behind aliases: each is looked at once.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};

use super::{EvalResult, Evaluator, MAX_DEPTH, ResourceScope};
use crate::eval::Value;
use heat_template::ir::{Expr, ExprKind, SharedParts};
use source_diagnostics::Span;

/// What is known of shared expressions.
#[derive(Default)]
pub(in crate::eval) struct SharedExprs {
    values: RefCell<HashMap<(SharedParts, Span), SharedValue>>,
    passed_checks: RefCell<HashSet<(ExprCheck, SharedParts)>>,
    /// How deep the evaluation has been since this was last set.
    max_depth: Cell<usize>,
    /// A condition was asked for while it was computed: what is found then may be found otherwise later.
    is_unsettled: Cell<bool>,
}

/// A value, and when it is the value.
struct SharedValue {
    /// As long as it is held, no other expression has its place in memory.
    _kind: ExprKind,
    /// How much deeper its parts are: far down they may be too deep.
    height: usize,
    value: Value,
}

/// A look at every part of an expression that finds the same each time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::eval) enum ExprCheck {
    /// What Heat refuses while it reads.
    Parse,
    /// What Heat's validation of functions refuses.
    Validate,
    /// Attributes that are asked for.
    CollectRequested,
}

impl SharedExprs {
    /// Notes how deep the evaluation is.
    pub(super) fn note_depth(&self, depth: usize) {
        self.max_depth.set(self.max_depth.get().max(depth));
    }
}

impl<'a> Evaluator<'a> {
    /// Which resources there are from now on: what was found before may be different now.
    pub(in crate::eval) fn set_resources(&self, resources: ResourceScope<'a>) {
        self.resources.replace(resources);
        self.shared.values.borrow_mut().clear();
        self.shared.passed_checks.borrow_mut().clear();
    }

    /// The value of an expression that other places share. Failures are found again: they name what is
    /// around them.
    pub(super) fn shared_item(&self, expr: &Expr, parts: SharedParts, depth: usize) -> EvalResult {
        let key = (parts, expr.span);
        if let Some(known) = self.shared.values.borrow().get(&key)
            && depth + known.height < MAX_DEPTH
        {
            self.shared.note_depth(depth + known.height);
            return Ok(known.value.clone());
        }
        let around = self.shared.max_depth.replace(depth);
        let value = self.computed_item(expr, depth);
        let height = self.shared.max_depth.get() - depth;
        self.shared.note_depth(around);
        let value = value?;
        if !self.shared.is_unsettled.get() {
            let known = SharedValue { _kind: expr.kind.clone(), height, value: value.clone() };
            self.shared.values.borrow_mut().insert(key, known);
        }
        Ok(value)
    }

    /// Runs a check of an expression unless its parts have passed it elsewhere.
    pub(in crate::eval) fn check_once(
        &self,
        check: ExprCheck,
        expr: &Expr,
        run: impl FnOnce() -> EvalResult<()>,
    ) -> EvalResult<()> {
        let Some(parts) = expr.kind.shared_parts() else { return run() };
        if self.shared.passed_checks.borrow().contains(&(check, parts)) {
            return Ok(());
        }
        run()?;
        if !self.shared.is_unsettled.get() {
            self.shared.passed_checks.borrow_mut().insert((check, parts));
        }
        Ok(())
    }

    /// From now on nothing is kept: a condition was asked for that has no value yet, or had none.
    pub(in crate::eval) fn discard_shared(&self) {
        self.shared.is_unsettled.set(true);
        self.shared.values.borrow_mut().clear();
        self.shared.passed_checks.borrow_mut().clear();
    }
}
