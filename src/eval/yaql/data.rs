//! What goes in and what comes out.

use smol_str::SmolStr;

use crate::source::Integer;

/// Plain data: what an expression is computed of, and what it yields. Nothing in it is lazy.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// Nothing.
    Null,
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(Integer),
    /// A floating point number.
    Float(f64),
    /// A text.
    Text(SmolStr),
    /// A list.
    List(Vec<Data>),
    /// A tuple, where the options leave tuples as they are.
    Tuple(Vec<Data>),
    /// A dictionary, in order; no two keys are equal in Python.
    Map(Vec<(Data, Data)>),
    /// A set, in the order in which Python reads it.
    Set(Vec<Data>),
    /// A date with a time: microseconds since 1970 as the clock of its zone shows them, and the zone's
    /// distance from UTC in microseconds, if it has one.
    DateTime {
        /// Microseconds of the clock since the beginning of 1970.
        clock: i64,
        /// The zone's distance from UTC in microseconds.
        offset: Option<i64>,
        /// `str()` of it.
        text: String,
    },
    /// A span of time.
    TimeSpan {
        /// Microseconds.
        microseconds: i128,
        /// `str()` of it.
        text: String,
    },
    /// What is not known, by a number that the caller gives it.
    Unknown(u32),
    /// Anything else that an expression can yield: its class and its text in Python.
    Other {
        /// The name of its class.
        class: &'static str,
        /// `str()` of it.
        text: String,
    },
}
