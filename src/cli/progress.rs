//! The progress bar of long operations.

use std::sync::Once;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::Console;

/// Shorter operations show no bar.
const DELAY: Duration = Duration::from_secs(1);

/// A progress bar on standard error, if that is a terminal, shown after the first second. It
/// disappears when it is dropped; threads may share it.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    started: Instant,
    watched: bool,
    shown: Once,
}

impl Progress {
    /// A bar for `total` steps, none of them done.
    pub fn new(total: u64, console: &Console) -> Self {
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos} of {len}, {eta} left") {
            bar.set_style(style);
        }
        Progress {
            bar,
            started: Instant::now(),
            watched: console.shows_progress(),
            shown: Once::new(),
        }
    }

    /// A bar that is never shown.
    pub fn hidden() -> Self {
        let bar = ProgressBar::hidden();
        Progress { bar, started: Instant::now(), watched: false, shown: Once::new() }
    }

    /// Adds steps that were not known before.
    pub fn add(&self, more: u64) {
        self.bar.inc_length(more);
    }

    /// Marks one step as done.
    pub fn step(&self) {
        if self.watched && self.started.elapsed() > DELAY {
            self.shown.call_once(|| self.bar.set_draw_target(ProgressDrawTarget::stderr()));
        }
        self.bar.inc(1);
    }

    /// Lets `write` print to the console, above the bar if there is one.
    pub(super) fn above(
        &self,
        console: &mut Console,
        write: impl FnOnce(&mut Console) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        if !self.shown.is_completed() {
            return write(console);
        }
        self.bar.suspend(|| {
            write(console)?;
            console.flush()
        })
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
