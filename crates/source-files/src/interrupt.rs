//! Writes that no signal interrupts halfway.
//!
//! Every function that puts a result into place holds a [`Writing`] for as long as its temporary files
//! exist. Whoever is to end the process calls [`hold_writes`] first: it returns when no write is in
//! progress and lets no further one begin, so that no temporary file is left and each file is old or new.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

static GATE: RwLock<()> = RwLock::new(());
static FILES_WRITTEN: AtomicUsize = AtomicUsize::new(0);

/// A write in progress. It must not be taken twice on one thread: [`hold_writes`] may wait in between.
pub(super) struct WriteGuard {
    _gate: RwLockReadGuard<'static, ()>,
}

impl WriteGuard {
    /// Begins a write; waits for ever once [`hold_writes`] has returned.
    pub(super) fn begin() -> Self {
        WriteGuard { _gate: GATE.read().unwrap_or_else(PoisonError::into_inner) }
    }

    /// Counts files that are in place.
    pub(super) fn done(&self, files: usize) {
        FILES_WRITTEN.fetch_add(files, Ordering::Relaxed);
    }
}

/// As long as this exists, no file is written.
#[derive(Debug)]
pub struct HeldWrites {
    _gate: RwLockWriteGuard<'static, ()>,
    /// The files that the process has put into place.
    pub written: usize,
}

/// Waits for the writes in progress and lets no further one begin.
pub fn hold_writes() -> HeldWrites {
    let gate = GATE.write().unwrap_or_else(PoisonError::into_inner);
    HeldWrites { _gate: gate, written: FILES_WRITTEN.load(Ordering::Relaxed) }
}
