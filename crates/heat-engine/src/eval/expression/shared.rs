//! Expressions that are used in several places of a stack, through YAML aliases: each is evaluated once.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};

use super::{Evaluator, MAX_DEPTH, ResourceScope};
use crate::eval::EvalResult;
use crate::eval::Value;
use heat_template::ir::{Expr, ExprKind, SharedParts};
use source_diagnostics::Span;

/// The cached results of shared expressions.
#[derive(Default)]
pub(in crate::eval) struct SharedExprs {
    values: RefCell<HashMap<(SharedParts, Span), SharedValue>>,
    passed_checks: RefCell<HashSet<(ExprCheck, SharedParts)>>,
    /// The maximum depth of the evaluation since this was last reset.
    max_depth: Cell<usize>,
    /// A condition was used while it was being computed: results may be different later.
    is_unsettled: Cell<bool>,
}

/// A cached value, and the depth up to which it is valid.
struct SharedValue {
    /// Kept alive so that no other expression gets the same address.
    _kind: ExprKind,
    /// How much deeper its parts are: at a greater depth they may exceed the limit.
    height: usize,
    value: Value,
}

/// A traversal of an expression whose result depends on the expression alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::eval) enum ExprCheck {
    /// The errors that Heat raises while parsing.
    Parse,
    /// The errors that Heat's function validation raises.
    Validate,
    /// Collects the requested attributes.
    CollectRequested,
}

impl SharedExprs {
    /// Records the current depth of the evaluation.
    pub(super) fn note_depth(&self, depth: usize) {
        self.max_depth.set(self.max_depth.get().max(depth));
    }
}

impl<'a> Evaluator<'a> {
    /// Sets which resources exist, and discards cached results, which may change.
    pub(in crate::eval) fn set_resources(&self, resources: ResourceScope<'a>) {
        self.resources.replace(resources);
        self.shared.values.borrow_mut().clear();
        self.shared.passed_checks.borrow_mut().clear();
    }

    /// The value of a shared expression. Failures are not cached: their messages depend on the
    /// context.
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

    /// Runs a check of an expression unless its parts have already passed it.
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

    /// Disables caching from now on: a condition was used that has no value yet, or has failed.
    pub(in crate::eval) fn discard_shared(&self) {
        self.shared.is_unsettled.set(true);
        self.shared.values.borrow_mut().clear();
        self.shared.passed_checks.borrow_mut().clear();
    }
}
