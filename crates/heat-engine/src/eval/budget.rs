//! The budget for evaluating a deployment: how many values it may read and create.
//!
//! Heat has no such limit. A few lines can require more than any memory holds: a long text that is used in many
//! places, nested functions, outputs of nested stacks that are passed back and forth. Values are shared, so they
//! need little memory until code visits each of their parts; such code counts them here
//! first.

use std::sync::atomic::{AtomicU64, Ordering};

use super::{Key, PythonException, Value};
use python_semantics::ExceptionClass;
use source_diagnostics::cancellation::checkpoint;
use source_diagnostics::{Diagnostic, Span};

/// Default of `--max-values`: how many values an evaluation may read and create. A whole TripleO overcloud
/// needs a third of it.
pub const MAX_VALUES: u64 = 4_000_000;
/// Bytes of text that count as one value.
const TEXT_BYTES_PER_VALUE: usize = 32;
/// Reports copy what they show, so the results of a deployment may have only this fraction (1/n) of the budget.
/// A TripleO overcloud with known outputs needs more than a quarter.
const SHOWN_DIVISOR: u64 = 2;
/// Steps of a regular expression that count as one value.
const REGEX_STEPS_PER_VALUE: u64 = 4;

/// The number of values that all stacks of a deployment may spend together.
#[derive(Debug)]
pub struct Budget {
    spent: AtomicU64,
    limit: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Budget::new(MAX_VALUES)
    }
}

impl Budget {
    /// A budget of which nothing is spent.
    pub fn new(limit: u64) -> Self {
        // Small enough that no sum overflows.
        Budget { spent: AtomicU64::new(0), limit: limit.min(1 << 50) }
    }

    /// The number of values that may be spent in total.
    pub(super) fn limit(&self) -> u64 {
        self.limit
    }

    /// Whether more was requested than available. From then on no expression has a value.
    pub(super) fn is_exhausted(&self) -> bool {
        self.spent.load(Ordering::Relaxed) > self.limit
    }

    /// Spends a number of values.
    ///
    /// # Errors
    ///
    /// If the budget is exceeded.
    pub fn spend(&self, values: u64) -> Result<(), PythonException> {
        checkpoint();
        if self.is_exhausted() {
            return Err(exhausted(self.limit));
        }
        let before = self.spent.fetch_add(values.min(self.limit + 1), Ordering::Relaxed);
        if before.saturating_add(values) <= self.limit {
            Ok(())
        } else {
            Err(exhausted(self.limit))
        }
    }

    /// Spends the number of values in these, counting shared parts at each use.
    pub(super) fn spend_on<'v>(
        &self,
        values: impl IntoIterator<Item = &'v Value>,
    ) -> Result<(), PythonException> {
        let most = self.limit.saturating_sub(self.spent.load(Ordering::Relaxed)) + 1;
        let mut left = most;
        for value in values {
            deduct(value, &mut left);
        }
        self.spend(most - left)
    }

    /// How many steps a regular expression may take.
    pub(super) fn regex_steps(&self) -> u64 {
        let left = self.limit.saturating_sub(self.spent.load(Ordering::Relaxed));
        left.saturating_mul(REGEX_STEPS_PER_VALUE)
    }

    /// Spends the steps that a regular expression has taken.
    pub(super) fn spend_steps(&self, steps: u64) {
        // The next expression notices that the budget is exhausted.
        let _ = self.spend(steps / REGEX_STEPS_PER_VALUE);
    }

    /// The finding if the budget was exceeded, at `span`, which is the beginning of the template if no better place
    /// is known.
    pub fn finding(&self, span: Span) -> Option<Diagnostic> {
        self.is_exhausted().then(|| self.exceeded_finding(span))
    }

    /// The finding for a deployment that exceeds the budget.
    pub(super) fn exceeded_finding(&self, span: Span) -> Diagnostic {
        let help =
            "look for a large string or list that is used many times, or raise `--max-values`";
        Diagnostic::new(crate::codes::TOO_MANY_VALUES, message(self.limit)).at(span).help(help)
    }

    /// The maximum number of values in the results of a deployment.
    pub(super) fn max_shown(&self) -> u64 {
        self.limit / SHOWN_DIVISOR
    }
}

/// The failure of an operation that would exceed the budget.
fn exhausted(limit: u64) -> PythonException {
    PythonException::new(ExceptionClass::MemoryError, message(limit))
}

/// The message for a deployment that exceeds the budget.
pub(super) fn message(limit: u64) -> String {
    format!("the deployment needs more than the {limit} values that `--max-values` allows")
}

/// Subtracts the size of a value from `left`, counting shared parts at each use, down to 0.
pub(super) fn deduct(value: &Value, left: &mut u64) {
    if *left == 0 {
        return;
    }
    *left = left.saturating_sub(1);
    match value {
        Value::Text(text) | Value::Date(text) => deduct_text(text, left),
        Value::Bytes(bytes) => {
            *left = left.saturating_sub((bytes.len() / TEXT_BYTES_PER_VALUE) as u64)
        }
        Value::List(items) | Value::Set(items) => {
            for item in items.iter() {
                if *left == 0 {
                    return;
                }
                deduct(item, left);
            }
        }
        Value::Map(map) => {
            for (key, value) in map.iter() {
                if *left == 0 {
                    return;
                }
                // A key is stored twice, for lookup.
                *left = left.saturating_sub(2);
                match key {
                    Key::Text(text) => deduct_text(text, left),
                    Key::Other(key) => deduct(key, left),
                }
                deduct(value, left);
            }
        }
        Value::Secret(inner) => deduct(inner, left),
        Value::Call(call) => deduct(&call.argument, left),
        Value::Object(object) => deduct_text(&object.text, left),
        Value::Null
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Float(_)
        | Value::Unknown(_)
        | Value::Elided => {}
    }
}

/// Subtracts the size of a text from `left`.
pub(super) fn deduct_text(text: &str, left: &mut u64) {
    *left = left.saturating_sub((text.len() / TEXT_BYTES_PER_VALUE) as u64);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_counts_where_it_is_named_and_counting_ends_at_the_limit() {
        let mut value = Value::list(vec![Value::text("a")]);
        for _ in 0..60 {
            value = Value::list(vec![value.clone(), value]);
        }
        let effort = Budget::new(1000);
        assert_eq!(effort.spend_on([&Value::text("x".repeat(3200))]), Ok(()));
        assert!(!effort.is_exhausted());
        let problem = effort.spend_on([&value]).expect_err("too much");
        assert!(problem.message.contains("the 1000 values that `--max-values` allows"));
        assert!(effort.is_exhausted());
        assert!(effort.spend(1).is_err());
    }
}
