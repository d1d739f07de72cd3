//! The step budget of an evaluation.
//!
//! Python has no limit: what takes more steps would run very long there. A step takes about 50
//! nanoseconds, or leaves about 20 bytes in memory. Steps are counted in
//! [`thread_state`](super::thread_state), so that comparing, hashing and writing values are counted too.

use python_semantics::ExceptionClass;

use super::thread_state::with_state;
use super::{Failure, Outcome, Value};

/// Steps per evaluation. A target may evaluate an expression four times, so this is a fraction of what a
/// command may take.
pub(super) const MAX_STEPS: u64 = 15_000_000;

/// Steps for a call: selecting the overload and converting the arguments.
pub(super) const CALL: u64 = 12;
/// Steps for storing an item.
pub(super) const ITEM: u64 = 4;
/// Steps for storing a pair or a member of a hash table.
pub(super) const PAIR: u64 = 16;
/// Steps for writing a value as text and parsing it again.
pub(super) const WRITTEN: u64 = 10;
/// Bytes that are read in the time of one step.
const BYTES_PER_STEP: usize = 128;

/// How many steps this thread's evaluation may still take.
pub(super) fn steps_left() -> u64 {
    with_state(|state| state.steps_left.get())
}

/// Counts steps in code that cannot fail; the next [`spend`] fails instead.
pub(super) fn spend_infallibly(steps: u64) {
    with_state(|state| state.steps_left.set(state.steps_left.get().saturating_sub(steps)));
}

/// Counts a number of steps.
///
/// # Errors
///
/// `MemoryError` if the budget is exhausted.
#[inline]
pub(super) fn spend(steps: u64) -> Outcome<()> {
    with_state(|state| match state.steps_left.get().checked_sub(steps) {
        Some(left @ 1..) => {
            state.steps_left.set(left);
            Ok(())
        }
        _ => {
            state.steps_left.set(0);
            Err(exhausted())
        }
    })
}

#[cold]
fn exhausted() -> Failure {
    let message = format!("the expression takes more than {MAX_STEPS} steps");
    Failure::new(ExceptionClass::MemoryError, message)
}

/// Counts `count` operations of `steps` steps each.
///
/// # Errors
///
/// The same as for [`spend`].
pub(super) fn spend_each(count: usize, steps: u64) -> Outcome<()> {
    spend(times(count, steps))
}

/// The steps of `count` operations of `steps` steps each.
pub(super) fn times(count: usize, steps: u64) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX).saturating_mul(steps)
}

/// Counts the steps for reading an argument.
///
/// # Errors
///
/// The same as for [`spend`].
pub(super) fn spend_reading(value: &Value) -> Outcome<()> {
    match value {
        Value::Text(text) if text.len() >= BYTES_PER_STEP => {
            spend_each(text.len() / BYTES_PER_STEP, 1)
        }
        _ => Ok(()),
    }
}
