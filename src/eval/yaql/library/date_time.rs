//! Dates and times.

use std::rc::Rc;

use super::super::function::Function;

pub(crate) const FUNCTIONS: &[Function] = &[];

/// A date with a time, perhaps in a zone.
#[derive(Clone, Debug)]
pub(crate) struct DateTime;

/// A span of time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimeSpan {
    /// Microseconds.
    pub(crate) microseconds: i128,
}

impl DateTime {
    /// The same; one without a zone is in UTC.
    pub(crate) fn or_utc(self: Rc<Self>) -> Rc<Self> {
        self
    }
}

impl TimeSpan {
    pub(crate) const ZERO: TimeSpan = TimeSpan { microseconds: 0 };
}
