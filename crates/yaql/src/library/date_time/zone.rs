//! Time zones, as offsets from UTC.

use smol_str::SmolStr;

use super::timespan::TimeSpan;
use crate::{Failure, Outcome};

/// A zone, by its class in Python. The machine's own zone is UTC.
#[derive(Clone, Debug)]
pub(crate) enum Zone {
    /// dateutil's `tzutc`.
    Utc,
    /// dateutil's `tzlocal`, the result of parsing a text that names UTC.
    Local,
    /// dateutil's `tzoffset`.
    Offset { name: Option<SmolStr>, offset: TimeSpan },
    /// Python's own `timezone`, the result of parsing by a format.
    Fixed { name: Option<SmolStr>, offset: TimeSpan },
}

/// Python's names of the machine's zone.
pub(super) const LOCAL_NAMES: &[&str] = &["UTC"];

impl Zone {
    /// The zone of an offset in an expression.
    pub(super) fn of_offset(offset: TimeSpan) -> Outcome<Self> {
        if offset == TimeSpan::ZERO {
            return Ok(Zone::Utc);
        }
        // The offset is a floating point number of seconds in between.
        Ok(Zone::Offset { name: None, offset: TimeSpan::of_seconds(offset.in_units(1e6))? })
    }

    /// Python's own zone for an offset.
    ///
    /// # Errors
    ///
    /// `ValueError` for a day or more.
    pub(super) fn fixed(offset: TimeSpan, name: Option<SmolStr>) -> Outcome<Self> {
        if offset.is_within_a_day() {
            return Ok(Zone::Fixed { name, offset });
        }
        Err(Failure::value_error(format!("{OFFSET_OUT_OF_RANGE}, not {}.", offset.repr())))
    }

    /// `utcoffset()`.
    ///
    /// # Errors
    ///
    /// `ValueError` for a day or more, which Python checks only here.
    pub(super) fn offset(&self) -> Outcome<TimeSpan> {
        let offset = self.unchecked_offset();
        if offset.is_within_a_day() {
            return Ok(offset);
        }
        Err(Failure::value_error(format!("{OFFSET_OUT_OF_RANGE}.")))
    }

    /// The offset without a range check.
    pub(super) fn unchecked_offset(&self) -> TimeSpan {
        match self {
            Zone::Utc | Zone::Local => TimeSpan::ZERO,
            Zone::Offset { offset, .. } | Zone::Fixed { offset, .. } => *offset,
        }
    }

    /// `tzname()`.
    pub(super) fn name(&self) -> Option<SmolStr> {
        match self {
            Zone::Utc | Zone::Local => Some(SmolStr::new_static("UTC")),
            Zone::Offset { name, .. } => name.clone(),
            Zone::Fixed { name: Some(name), .. } => Some(name.clone()),
            Zone::Fixed { name: None, offset: TimeSpan::ZERO } => Some(SmolStr::new_static("UTC")),
            Zone::Fixed { name: None, offset } => {
                Some(SmolStr::from(format!("UTC{}", iso_offset(*offset))))
            }
        }
    }

    /// Whether the zone reports daylight saving time, be it zero.
    pub(super) fn knows_daylight_saving(&self) -> bool {
        !matches!(self, Zone::Fixed { .. })
    }

    /// Whether two zones are the same object in Python, as far as that is visible.
    pub(super) fn is(&self, other: &Zone) -> bool {
        match (self, other) {
            (Zone::Utc, Zone::Utc) => true,
            (
                Zone::Offset { name, offset },
                Zone::Offset { name: other_name, offset: other_offset },
            ) => name == other_name && offset == other_offset,
            // Each is a separate object, of which only the offset is visible.
            _ => false,
        }
    }

    /// Its `repr()` in Python.
    pub(super) fn repr(&self) -> String {
        // The names contain no character that Python would escape.
        match self {
            Zone::Utc => "tzutc()".to_owned(),
            Zone::Local => "tzlocal()".to_owned(),
            Zone::Offset { name, offset } => {
                let name = name.as_ref().map_or("None".to_owned(), |name| format!("'{name}'"));
                format!("tzoffset({name}, {})", offset.whole_seconds())
            }
            Zone::Fixed { name: None, offset: TimeSpan::ZERO } => {
                "datetime.timezone.utc".to_owned()
            }
            Zone::Fixed { name, offset } => {
                let name = name.as_ref().map_or(String::new(), |name| format!(", '{name}'"));
                format!("datetime.timezone({}{name})", offset.repr())
            }
        }
    }
}

const OFFSET_OUT_OF_RANGE: &str =
    "offset must be a timedelta strictly between -timedelta(hours=24) and timedelta(hours=24)";

/// An offset in ISO 8601 format, with seconds and fractions only if they are not zero.
pub(super) fn iso_offset(offset: TimeSpan) -> String {
    let (sign, [hours, minutes, seconds, microseconds]) = offset.clock();
    match (seconds, microseconds) {
        (0, 0) => format!("{sign}{hours:02}:{minutes:02}"),
        (_, 0) => format!("{sign}{hours:02}:{minutes:02}:{seconds:02}"),
        _ => format!("{sign}{hours:02}:{minutes:02}:{seconds:02}.{microseconds:06}"),
    }
}
