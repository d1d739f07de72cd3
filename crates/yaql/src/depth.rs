//! The depth limit of an evaluation.
//!
//! Python allows about 1000 nested calls. They would overflow the stack of a small thread here, so an
//! evaluation starts with a lower limit, and one that exceeds it is repeated on a thread with a larger
//! stack.

use super::thread_state::{EvaluationScope, with_state};
use super::{Failure, budget};

/// The part of Python's 1000 calls that is left when Heat calls yaql.
const MAX_DEPTH: usize = 900;
/// A depth for which every thread's stack suffices. Without optimization, a level takes ten times as much.
pub(super) const DEFAULT_DEPTH: usize = if cfg!(debug_assertions) { 80 } else { 400 };
/// Bytes of stack that suffice for [`MAX_DEPTH`] several times over.
const DEEP_STACK_BYTES: usize = if cfg!(debug_assertions) { 64 << 20 } else { 16 << 20 };

/// Whether a depth exceeds the limit; records it if so.
#[inline]
pub(super) fn exceeds(depth: usize) -> bool {
    with_state(|state| {
        if depth <= state.max_depth.get() {
            return false;
        }
        state.depth_exceeded.set(true);
        true
    })
}

/// Runs `work` in a scope with a number of steps, and if it exceeds the depth for which every stack suffices, runs
/// it again on a thread with a larger stack. Returns the result and the remaining steps.
pub(super) fn with_deep_stack<T: Send>(
    steps: u64,
    work: impl Fn() -> Result<T, Failure> + Sync,
) -> (Result<T, Failure>, u64) {
    let evaluate = |steps: u64, max_depth: usize| {
        let _scope = EvaluationScope::enter(steps, max_depth);
        let found = work();
        (found, budget::steps_left(), with_state(|state| state.depth_exceeded.get()))
    };
    let (found, left, exceeded) = evaluate(steps, DEFAULT_DEPTH);
    if !exceeded {
        return (found, left);
    }
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .stack_size(DEEP_STACK_BYTES)
            .spawn_scoped(scope, || evaluate(left, MAX_DEPTH));
        match thread.ok().and_then(|thread| thread.join().ok()) {
            Some((found, left, _)) => (found, left),
            // If no thread can be started, the error that Python raises much deeper is raised here.
            None => (found, left),
        }
    })
}
