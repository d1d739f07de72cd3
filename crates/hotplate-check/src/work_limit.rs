//! The limit on the work of an analysis whose time may grow faster than its input.
//!
//! Evaluation has its own, [`heat_engine::eval::Budget`]. Work is counted and not timed, so that the findings are always the same.

use source_diagnostics::cancellation::checkpoint;
use source_diagnostics::codes::LEFT_OUT;
use source_diagnostics::{Diagnostic, Span};

/// The work that an analysis of one template may do, and what it left out.
#[derive(Debug)]
pub(super) struct WorkLimit {
    left: u64,
    /// The omissions: how many times, and the first place.
    left_out: Option<(usize, Span)>,
}

impl WorkLimit {
    /// A limit of so many steps. What a step is, the analysis decides.
    pub(super) fn new(steps: u64) -> Self {
        WorkLimit { left: steps, left_out: None }
    }

    /// Whether there is some work left to do; counts it, and is a checkpoint.
    pub(super) fn spend(&mut self, steps: u64) -> bool {
        checkpoint();
        let is_enough = self.left > 0;
        self.left = self.left.saturating_sub(steps);
        is_enough
    }

    /// Whether all work is done that may be.
    pub(super) fn is_exhausted(&self) -> bool {
        self.left == 0
    }

    /// Notes that something was not analyzed.
    pub(super) fn leave_out(&mut self, place: Span) {
        self.left_out.get_or_insert((0, place)).0 += 1;
    }

    /// The finding about what was left out. `what` are the things that were not analyzed, in the plural.
    pub(super) fn finding(&self, what: &str) -> Option<Diagnostic> {
        let (count, place) = self.left_out?;
        let message = format!("{count} {what} were not analyzed, from here on: there are too many");
        Some(Diagnostic::new(LEFT_OUT, message).at(place))
    }
}
