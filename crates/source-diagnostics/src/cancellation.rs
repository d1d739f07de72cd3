//! Stopping a computation that nobody waits for any more, or that takes too long.
//!
//! Long loops call [`checkpoint`], which does nothing unless the thread has entered a [`CancellationToken`]. If the token is canceled,
//! the thread unwinds to the [`CancellationToken::run`] that started the computation. This is not a panic: no hook runs, and no message
//! is written. No signature changes, and a loop that is forgotten only delays the end.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Of so many checkpoints of a thread, one looks at the clock, which costs ten times as much as the others.
const CHECKPOINTS_PER_LOOK: u8 = 16;
/// A limit that is never reached.
const NEVER: u64 = u64::MAX;

/// Why a computation is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cancellation {
    /// Nobody waits for its result.
    Unwanted,
    /// It takes longer than it may.
    TimeLimit,
}

/// Why a computation has no result.
#[derive(Debug)]
pub enum Stopped {
    /// It was canceled.
    Canceled(Cancellation),
    /// It panicked; the payload may contain text of the input.
    Panicked(Box<dyn Any + Send>),
}

/// The payload with which a canceled thread unwinds.
struct Unwinding(Cancellation);

/// Cancels the computations of the threads that have entered it, one computation after the other.
#[derive(Clone, Debug, Default)]
pub struct CancellationToken(Arc<State>);

#[derive(Debug, Default)]
struct State {
    is_canceled: AtomicBool,
    /// When the computation is stopped, in microseconds since the first use of the clock.
    limit: AtomicU64,
    /// When it is stopped after [`until_time_limit`] has noticed the limit.
    last_limit: AtomicU64,
}

thread_local! {
    static ENTERED: RefCell<Option<CancellationToken>> = const { RefCell::new(None) };
    static CHECKPOINTS: Cell<u8> = const { Cell::new(0) };
}

impl CancellationToken {
    /// Has this thread look at the token at each checkpoint, from now on.
    pub fn enter(&self) {
        ENTERED.set(Some(self.clone()));
    }

    /// Begins a computation, which may take as long as the limit: an earlier cancellation does not concern it.
    pub fn begin(&self, limit: Duration) {
        let limit = u64::try_from(limit.as_micros()).unwrap_or(NEVER);
        let now = now();
        self.0.limit.store(now.saturating_add(limit), Ordering::Relaxed);
        let twice = limit.saturating_mul(2);
        self.0.last_limit.store(now.saturating_add(twice), Ordering::Relaxed);
        self.0.is_canceled.store(false, Ordering::Release);
    }

    /// Computes something on threads that have entered the token.
    ///
    /// # Errors
    ///
    /// If it is canceled or panics.
    pub fn run<T>(&self, compute: impl FnOnce() -> T) -> Result<T, Stopped> {
        catch_unwind(AssertUnwindSafe(compute)).map_err(|payload| {
            match payload.downcast::<Unwinding>() {
                Ok(unwinding) => Stopped::Canceled(unwinding.0),
                Err(payload) => Stopped::Panicked(payload),
            }
        })
    }

    /// Stops the computation at its next checkpoint.
    pub fn cancel(&self) {
        self.0.is_canceled.store(true, Ordering::Release);
    }

    /// Lets the time of the computation be over now.
    pub fn end_time(&self) {
        self.0.limit.store(0, Ordering::Relaxed);
        self.0.last_limit.store(0, Ordering::Relaxed);
    }

    fn cancellation(&self) -> Option<Cancellation> {
        if self.0.is_canceled.load(Ordering::Acquire) {
            return Some(Cancellation::Unwanted);
        }
        let count = CHECKPOINTS.get().wrapping_add(1);
        CHECKPOINTS.set(count);
        let is_over = count.is_multiple_of(CHECKPOINTS_PER_LOOK)
            && now() > self.0.limit.load(Ordering::Relaxed);
        is_over.then_some(Cancellation::TimeLimit)
    }
}

/// Unwinds if the computation of this thread is canceled or takes too long.
#[inline]
pub fn checkpoint() {
    let canceled = ENTERED.with_borrow(|token| token.as_ref()?.cancellation());
    if let Some(cancellation) = canceled {
        unwind(cancellation);
    }
}

#[cold]
fn unwind(cancellation: Cancellation) {
    // A second unwinding would end the process.
    if !std::thread::panicking() {
        resume_unwind(Box::new(Unwinding(cancellation)));
    }
}

/// Computes a part of a result that is useful without this part, up to the time limit; false if the limit was reached. The rest of the
/// computation may then take as long as the limit once more. Every other end passes through.
pub fn until_time_limit(compute: impl FnOnce()) -> bool {
    let Err(payload) = catch_unwind(AssertUnwindSafe(compute)) else { return true };
    match payload.downcast_ref::<Unwinding>() {
        Some(Unwinding(Cancellation::TimeLimit)) => {
            ENTERED.with_borrow(|token| {
                if let Some(CancellationToken(state)) = token {
                    state.limit.store(state.last_limit.load(Ordering::Relaxed), Ordering::Relaxed);
                }
            });
            false
        }
        Some(Unwinding(Cancellation::Unwanted)) | None => resume_unwind(payload),
    }
}

/// Microseconds since the first call.
fn now() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    let elapsed = START.get_or_init(Instant::now).elapsed().as_micros();
    u64::try_from(elapsed).unwrap_or(NEVER)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(600);

    fn endless() {
        loop {
            checkpoint();
        }
    }

    /// Runs a test on a thread of its own, since a token stays entered.
    fn on_a_thread(test: impl FnOnce(CancellationToken) + Send + 'static) {
        let token = CancellationToken::default();
        let entered = std::thread::spawn(move || {
            token.enter();
            test(token);
        });
        entered.join().expect("no panic");
    }

    #[test]
    fn without_a_token_a_checkpoint_does_nothing() {
        (0..100).for_each(|_| checkpoint());
        assert!(until_time_limit(checkpoint));
    }

    #[test]
    fn a_canceled_computation_ends_and_the_next_one_begins_anew() {
        on_a_thread(|token| {
            token.begin(LONG);
            let other = token.clone();
            std::thread::spawn(move || other.cancel());
            let stopped = token.run(endless);
            assert!(matches!(stopped, Err(Stopped::Canceled(Cancellation::Unwanted))));
            token.begin(LONG);
            assert!(token.run(|| (0..100).for_each(|_| checkpoint())).is_ok());
        });
    }

    #[test]
    fn the_time_limit_stops_a_part_and_leaves_time_for_the_rest() {
        on_a_thread(|token| {
            token.begin(Duration::from_millis(100));
            let rest = token.run(|| {
                assert!(!until_time_limit(endless));
                (0..100).for_each(|_| checkpoint());
            });
            assert!(rest.is_ok());
            // There is one such time, not one for each part.
            let stopped = token.run(|| {
                assert!(!until_time_limit(endless));
                endless();
            });
            assert!(matches!(stopped, Err(Stopped::Canceled(Cancellation::TimeLimit))));
        });
    }

    #[test]
    fn a_cancellation_passes_through_parts_and_a_panic_is_one() {
        on_a_thread(|token| {
            token.begin(LONG);
            token.cancel();
            let stopped = token.run(|| until_time_limit(endless));
            assert!(matches!(stopped, Err(Stopped::Canceled(Cancellation::Unwanted))));
            token.begin(LONG);
            let stopped = token.run(|| until_time_limit(|| resume_unwind(Box::new(5))));
            assert!(matches!(stopped, Err(Stopped::Panicked(payload)) if payload.is::<i32>()));
        });
    }

    #[test]
    fn what_is_dropped_meanwhile_may_have_checkpoints() {
        struct Slow;
        impl Drop for Slow {
            fn drop(&mut self) {
                (0..100).for_each(|_| checkpoint());
            }
        }
        on_a_thread(|token| {
            token.begin(LONG);
            token.cancel();
            let stopped = token.run(|| {
                let _slow = Slow;
                endless();
            });
            assert!(matches!(stopped, Err(Stopped::Canceled(_))));
        });
    }
}
