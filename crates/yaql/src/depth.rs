//! How deep an evaluation may go.
//!
//! Python allows some 1000 calls inside each other. Ours would overflow the stack of a small thread before
//! that, so that an evaluation begins with less, and what needs more is done again on a thread whose stack is
//! high enough.

use std::cell::Cell;

use super::{Failure, effort};

/// What is left of Python's 1000 calls where Heat calls yaql.
const DEEPEST: usize = 900;
/// What every thread has the stack for. A level takes ten times as much of it where nothing is optimised.
const SHALLOW: usize = if cfg!(debug_assertions) { 80 } else { 400 };
/// A stack that is high enough for [`DEEPEST`], several times over.
const STACK: usize = if cfg!(debug_assertions) { 64 << 20 } else { 16 << 20 };

thread_local! {
    static LIMIT: Cell<usize> = const { Cell::new(SHALLOW) };
    static REACHED: Cell<bool> = const { Cell::new(false) };
}

/// Whether this is too deep.
#[inline]
pub(super) fn exceeds(depth: usize) -> bool {
    if depth <= LIMIT.get() {
        return false;
    }
    REACHED.set(true);
    true
}

/// Does something here, and if that goes too deep for every thread's stack, on one with a high stack.
pub(super) fn with_room<T: Send>(
    work: impl Fn() -> Result<T, Failure> + Sync,
) -> Result<T, Failure> {
    REACHED.set(false);
    let found = work();
    if !REACHED.get() || LIMIT.get() == DEEPEST {
        return found;
    }
    let left = effort::left();
    let deep = || {
        LIMIT.set(DEEPEST);
        effort::begin(left);
        (work(), effort::left())
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, deep);
        // Without another thread, what Python does much deeper happens here.
        let Some((found, left)) = thread.ok().and_then(|thread| thread.join().ok()) else {
            return found;
        };
        effort::begin(left);
        found
    })
}
