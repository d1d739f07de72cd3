//! Values that are computed once per key.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use source_diagnostics::cancellation::checkpoint;

/// How often a thread that waits for another one looks whether it still has to.
const LOOK: Duration = Duration::from_millis(20);

/// The values of keys, each computed when it is first needed, by one thread. If that thread is canceled, the next one computes.
pub(super) struct Cache<K, V>(Mutex<HashMap<K, Arc<Cell<V>>>>);

struct Cell<V> {
    state: Mutex<State<V>>,
    changed: Condvar,
}

enum State<V> {
    Empty,
    Computing,
    Computed(Arc<V>),
}

impl<K, V> Default for Cache<K, V> {
    fn default() -> Self {
        Cache(Mutex::new(HashMap::new()))
    }
}

impl<K, V> std::fmt::Debug for Cache<K, V> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cache").finish_non_exhaustive()
    }
}

impl<K: Eq + Hash, V> Cache<K, V> {
    /// The value of a key. Other keys are not held up while it is computed.
    pub(super) fn get_or_compute(&self, key: K, compute: impl FnOnce() -> V) -> Arc<V> {
        let cell = {
            let mut cells = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(cells.entry(key).or_default())
        };
        cell.get_or_compute(compute)
    }
}

impl<V> Default for Cell<V> {
    fn default() -> Self {
        Cell { state: Mutex::new(State::Empty), changed: Condvar::new() }
    }
}

impl<V> Cell<V> {
    fn lock(&self) -> MutexGuard<'_, State<V>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn get_or_compute(&self, compute: impl FnOnce() -> V) -> Arc<V> {
        let mut state = self.lock();
        loop {
            match &*state {
                State::Computed(value) => return Arc::clone(value),
                State::Empty => break,
                State::Computing => {
                    let waited = self.changed.wait_timeout(state, LOOK);
                    state = waited.unwrap_or_else(PoisonError::into_inner).0;
                    if matches!(*state, State::Computing) {
                        drop(state);
                        checkpoint();
                        state = self.lock();
                    }
                }
            }
        }
        *state = State::Computing;
        drop(state);
        let mut computation = Computation { cell: self, next: State::Empty };
        let value = Arc::new(compute());
        computation.next = State::Computed(Arc::clone(&value));
        value
    }
}

/// A computation in progress; at its end, by whatever means, the cell has a value or is empty again.
struct Computation<'c, V> {
    cell: &'c Cell<V>,
    next: State<V>,
}

impl<V> Drop for Computation<'_, V> {
    fn drop(&mut self) {
        *self.cell.lock() = std::mem::replace(&mut self.next, State::Empty);
        self.cell.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use source_diagnostics::cancellation::{CancellationToken, Stopped};

    #[test]
    fn a_canceled_computation_leaves_its_place_to_the_next_and_who_waits_can_be_canceled() {
        let cache: Cache<u8, u8> = Cache::default();
        let endless = || loop {
            checkpoint();
        };
        let tokens = [(); 2].map(|()| CancellationToken::default());
        std::thread::scope(|scope| {
            let threads = tokens.each_ref().map(|token| {
                let (begun, begins) = crossbeam_channel::bounded(1);
                let cache = &cache;
                let thread = scope.spawn(move || {
                    token.enter();
                    token.begin(Duration::from_secs(600));
                    let _ = begun.send(());
                    token.run(|| cache.get_or_compute(0, endless))
                });
                begins.recv().expect("a thread");
                thread
            });
            // One of them computes and the other one waits.
            tokens.iter().for_each(CancellationToken::cancel);
            for thread in threads {
                let end = thread.join().expect("no panic");
                assert!(matches!(end, Err(Stopped::Canceled(_))));
            }
        });
        assert_eq!(*cache.get_or_compute(0, || 7), 7);
        assert_eq!(*cache.get_or_compute(0, || 8), 7);
    }
}
