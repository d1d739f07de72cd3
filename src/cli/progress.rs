//! How far a long piece of work is.

use std::sync::Once;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::Console;

/// Work that is done sooner needs no bar.
const DELAY: Duration = Duration::from_secs(1);

/// A bar on standard error, if that is a terminal, once the work has taken more than a second. It
/// goes when it is dropped; threads may share it.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    started: Instant,
    watched: bool,
    shown: Once,
}

impl Progress {
    /// Nothing done of `total` steps.
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

    /// One step is done.
    pub fn step(&self) {
        if self.watched && self.started.elapsed() > DELAY {
            self.shown.call_once(|| self.bar.set_draw_target(ProgressDrawTarget::stderr()));
        }
        self.bar.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
