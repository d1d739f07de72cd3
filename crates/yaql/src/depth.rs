//! The depth limit of an evaluation.
//!
//! Python allows about 1000 nested calls. They would overflow the stack of a small thread here, so an
//! evaluation starts with a lower limit, and one that exceeds it is repeated on a thread with a larger
//! stack.

use std::cell::Cell;

use super::{Failure, budget};

/// The part of Python's 1000 calls that is left when Heat calls yaql.
const MAX_DEPTH: usize = 900;
/// A depth for which every thread's stack suffices. Without optimization, a level takes ten times as much.
const DEFAULT_DEPTH: usize = if cfg!(debug_assertions) { 80 } else { 400 };
/// Bytes of stack that suffice for [`DEEPEST`] several times over.
const DEEP_STACK_BYTES: usize = if cfg!(debug_assertions) { 64 << 20 } else { 16 << 20 };

thread_local! {
    static DEPTH_LIMIT: Cell<usize> = const { Cell::new(DEFAULT_DEPTH) };
    static DEPTH_EXCEEDED: Cell<bool> = const { Cell::new(false) };
}

/// Whether a depth exceeds the limit; records it if so.
#[inline]
pub(super) fn exceeds(depth: usize) -> bool {
    if depth <= DEPTH_LIMIT.get() {
        return false;
    }
    DEPTH_EXCEEDED.set(true);
    true
}

/// Runs `work`, and if it exceeds the limit of this thread, runs it again on a thread with a larger stack.
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
        // If no thread can be started, the error that Python raises much deeper is raised here.
        let Some((found, left)) = thread.ok().and_then(|thread| thread.join().ok()) else {
            return found;
        };
        budget::begin(left);
        found
    })
}
