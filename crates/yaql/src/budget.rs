//! The step budget of an evaluation.
//!
//! Python has no limit: what takes more steps would run very long there. A step takes about 50
//! nanoseconds, or leaves about 20 bytes in memory. Steps are counted per thread, so that comparing, hashing
//! and writing values, which do not know the evaluation, are counted too.

use std::cell::Cell;

use super::{Failure, Kind, Outcome, Value};

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

thread_local! {
    static STEPS_LEFT: Cell<u64> = const { Cell::new(MAX_STEPS) };
}

/// Starts an evaluation with a number of steps.
pub(super) fn begin(steps: u64) {
    STEPS_LEFT.set(steps);
}

/// The remaining steps.
pub(super) fn steps_left() -> u64 {
    STEPS_LEFT.get()
}

/// Counts steps in code that cannot fail; the next [`spend`] fails instead.
pub(super) fn spend_infallibly(steps: u64) {
    STEPS_LEFT.set(STEPS_LEFT.get().saturating_sub(steps));
}

/// Counts a number of steps.
///
/// # Errors
///
/// `MemoryError` if the budget is exhausted.
#[inline]
pub(super) fn spend(steps: u64) -> Outcome<()> {
    match STEPS_LEFT.get().checked_sub(steps) {
        Some(left @ 1..) => {
            STEPS_LEFT.set(left);
            Ok(())
        }
        _ => Err(exhausted()),
    }
}

#[cold]
fn exhausted() -> Failure {
    STEPS_LEFT.set(0);
    let message = format!("the expression takes more than {MAX_STEPS} steps");
    Failure::new(Kind::MemoryError, message)
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
