//! Protects writes from being interrupted halfway by a signal.
//!
//! Every function that writes a result holds a [`WriteGuard`] for as long as its temporary files
//! exist. Code that ends the process calls [`hold_writes`] first: it returns when no write is in
//! progress and blocks further ones, so that no temporary file is left and each file is either old or new.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

static GATE: RwLock<()> = RwLock::new(());
static FILES_WRITTEN: AtomicUsize = AtomicUsize::new(0);

/// A write in progress. It must not be taken twice on one thread: [`hold_writes`] may wait in between.
pub(super) struct WriteGuard {
    _gate: RwLockReadGuard<'static, ()>,
}

impl WriteGuard {
    /// Begins a write; blocks forever once [`hold_writes`] has returned.
    pub(super) fn begin() -> Self {
        WriteGuard { _gate: GATE.read().unwrap_or_else(PoisonError::into_inner) }
    }

    /// Adds to the count of written files.
    pub(super) fn done(&self, files: usize) {
        FILES_WRITTEN.fetch_add(files, Ordering::Relaxed);
    }
}

/// Blocks all writes as long as it exists.
#[derive(Debug)]
pub struct HeldWrites {
    _gate: RwLockWriteGuard<'static, ()>,
    /// The number of files that the process has written.
    pub written: usize,
}

/// Waits for the writes in progress and blocks further ones.
pub fn hold_writes() -> HeldWrites {
    let gate = GATE.write().unwrap_or_else(PoisonError::into_inner);
    HeldWrites { _gate: gate, written: FILES_WRITTEN.load(Ordering::Relaxed) }
}
