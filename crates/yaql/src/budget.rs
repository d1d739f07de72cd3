//! How much an evaluation may do.
//!
//! Python has no bound: what takes more does not end there, or not soon. A step is what takes some 50
//! nanoseconds, or some 20 bytes that stay. The steps are counted for the thread, so that comparing, hashing
//! and writing values, which know nothing of the evaluation, count theirs too.

use std::cell::Cell;

use super::{Failure, Kind, Outcome, Value};

/// Steps of one evaluation. A target may ask for the same expression four times, so that they are a fraction of what
/// a command may take.
pub(super) const MAX_STEPS: u64 = 15_000_000;

/// A call: its overload is looked for, its arguments are converted.
pub(super) const CALL: u64 = 12;
/// An item that is stored.
pub(super) const ITEM: u64 = 4;
/// A pair or a member of a table that is stored.
pub(super) const PAIR: u64 = 16;
/// A value that is written out, and taken apart again.
pub(super) const WRITTEN: u64 = 10;
/// Bytes that are read in the time of a step.
const BYTES_PER_STEP: usize = 128;

thread_local! {
    static STEPS_LEFT: Cell<u64> = const { Cell::new(MAX_STEPS) };
}

/// An evaluation begins that may take so many steps.
pub(super) fn begin(steps: u64) {
    STEPS_LEFT.set(steps);
}

/// The steps that are left.
pub(super) fn steps_left() -> u64 {
    STEPS_LEFT.get()
}

/// Counts steps where nothing can fail; the next [`spend`] does.
pub(super) fn spend_infallibly(steps: u64) {
    STEPS_LEFT.set(STEPS_LEFT.get().saturating_sub(steps));
}

/// Counts steps.
///
/// # Errors
///
/// Where there are so many that no end is to be seen.
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

/// Counts so many things that take so many steps each.
///
/// # Errors
///
/// As those of [`spend`].
pub(super) fn spend_each(count: usize, steps: u64) -> Outcome<()> {
    spend(times(count, steps))
}

/// So many things that take so many steps each.
pub(super) fn times(count: usize, steps: u64) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX).saturating_mul(steps)
}

/// Counts what a function does that reads its argument.
///
/// # Errors
///
/// As those of [`spend`].
pub(super) fn spend_reading(value: &Value) -> Outcome<()> {
    match value {
        Value::Text(text) if text.len() >= BYTES_PER_STEP => {
            spend_each(text.len() / BYTES_PER_STEP, 1)
        }
        _ => Ok(()),
    }
}
