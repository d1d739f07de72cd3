//! Values that are computed once per key.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The values of keys, each computed when it is first needed, by one thread.
pub(super) struct Cache<K, V>(Mutex<HashMap<K, Arc<OnceLock<Arc<V>>>>>);

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
        Arc::clone(cell.get_or_init(|| Arc::new(compute())))
    }
}
