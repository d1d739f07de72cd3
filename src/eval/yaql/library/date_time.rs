//! Dates and times.

use std::rc::Rc;

use super::super::function::Function;
use super::super::{Failure, Outcome};

pub(crate) const FUNCTIONS: &[Function] = &[];

/// A date with a time, perhaps in a zone.
#[derive(Clone, Debug)]
pub(crate) struct DateTime {
    clock: i64,
    offset: Option<i64>,
}

/// A span of time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimeSpan {
    /// Microseconds.
    pub(crate) microseconds: i128,
}

impl DateTime {
    pub(crate) fn of_data(clock: i64, offset: Option<i64>) -> Outcome<Self> {
        Ok(DateTime { clock, offset })
    }

    pub(crate) fn clock(&self) -> i64 {
        self.clock
    }

    pub(crate) fn offset(&self) -> Outcome<Option<TimeSpan>> {
        Ok(self.offset.map(|offset| TimeSpan { microseconds: offset.into() }))
    }

    pub(crate) fn equals(&self, other: &Self) -> Outcome<bool> {
        Ok(self.clock == other.clock && self.offset == other.offset)
    }

    pub(crate) fn compare(&self, other: &Self) -> Outcome<std::cmp::Ordering> {
        Ok(self.clock.cmp(&other.clock))
    }

    pub(crate) fn hashed(&self) -> Outcome<Option<TimeSpan>> {
        Ok(None)
    }

    pub(crate) fn str(&self) -> Outcome<String> {
        Err(Failure::Unknown)
    }

    pub(crate) fn repr(&self) -> String {
        String::new()
    }

    /// The same; one without a zone is in UTC.
    pub(crate) fn or_utc(self: Rc<Self>) -> Rc<Self> {
        self
    }
}

impl TimeSpan {
    pub(crate) fn of(microseconds: i128) -> Outcome<Self> {
        Ok(TimeSpan { microseconds })
    }

    pub(crate) fn str(&self) -> String {
        String::new()
    }

    pub(crate) fn repr(&self) -> String {
        String::new()
    }

    pub(crate) const ZERO: TimeSpan = TimeSpan { microseconds: 0 };
}
