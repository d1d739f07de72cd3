//! How deep an evaluation may go.
//!
//! Python allows some 1000 calls inside each other. Ours would overflow the stack of a small thread before
//! that, so that an evaluation begins with less, and what needs more is done again on a thread whose stack is
//! high enough.

use std::cell::Cell;

use super::{Failure, budget};

/// What is left of Python's 1000 calls where Heat calls yaql.
const MAX_DEPTH: usize = 900;
/// What every thread has the stack for. A level takes ten times as much of it where nothing is optimised.
const DEFAULT_DEPTH: usize = if cfg!(debug_assertions) { 80 } else { 400 };
/// A stack that is high enough for [`DEEPEST`], several times over.
const DEEP_STACK_BYTES: usize = if cfg!(debug_assertions) { 64 << 20 } else { 16 << 20 };

thread_local! {
    static DEPTH_LIMIT: Cell<usize> = const { Cell::new(DEFAULT_DEPTH) };
    static DEPTH_EXCEEDED: Cell<bool> = const { Cell::new(false) };
}

/// Whether this is too deep.
#[inline]
pub(super) fn exceeds(depth: usize) -> bool {
    if depth <= DEPTH_LIMIT.get() {
        return false;
    }
    DEPTH_EXCEEDED.set(true);
    true
}

/// Does something here, and if that goes too deep for every thread's stack, on one with a high stack.
pub(super) fn with_deep_stack<T: Send>(
    work: impl Fn() -> Result<T, Failure> + Sync,
) -> Result<T, Failure> {
    DEPTH_EXCEEDED.set(false);
    let found = work();
    if !DEPTH_EXCEEDED.get() || DEPTH_LIMIT.get() == MAX_DEPTH {
        return found;
    }
    let left = budget::steps_left();
    let deep = || {
        DEPTH_LIMIT.set(MAX_DEPTH);
        budget::begin(left);
        (work(), budget::steps_left())
    };
    std::thread::scope(|scope| {
        let thread =
            std::thread::Builder::new().stack_size(DEEP_STACK_BYTES).spawn_scoped(scope, deep);
        // Without another thread, what Python does much deeper happens here.
        let Some((found, left)) = thread.ok().and_then(|thread| thread.join().ok()) else {
            return found;
        };
        budget::begin(left);
        found
    })
}
