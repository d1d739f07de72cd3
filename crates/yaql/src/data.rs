//! The data type for inputs and results.

use smol_str::SmolStr;

use super::budget;
use python_semantics::number::Integer;

/// Plain data: the input and the result of an expression. No part of it is lazy.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// Python's `None`.
    Null,
    /// Python's `bool`.
    Bool(bool),
    /// An integer of any size.
    Int(Integer),
    /// A 64-bit floating point number.
    Float(f64),
    /// Python's `str`.
    Text(SmolStr),
    /// Python's `list`.
    List(Vec<Data>),
    /// A tuple, if the options keep tuples.
    Tuple(Vec<Data>),
    /// A dictionary in insertion order; no two keys are equal in Python.
    Map(Vec<(Data, Data)>),
    /// A set in the order in which Python iterates over it.
    Set(Vec<Data>),
    /// A date and time: microseconds since 1970 in local time, and the offset from UTC in
    /// microseconds, if it has a zone.
    DateTime {
        /// Microseconds since 1970 in local time.
        clock: i64,
        /// The offset from UTC in microseconds; `None` without a zone.
        offset: Option<i64>,
        /// Its `str()` in Python.
        text: String,
    },
    /// Python's `timedelta`.
    TimeSpan {
        /// The length in microseconds.
        microseconds: i128,
        /// Its `str()` in Python.
        text: String,
    },
    /// An unknown value, by a number that the caller chooses.
    Unknown(u32),
    /// Any other result: its class and its text in Python.
    Other {
        /// The class name in Python.
        class: &'static str,
        /// Its `str()` in Python.
        text: String,
    },
}

impl Data {
    /// Whether both are equal in Python; sets in any order, and NaN equals NaN. `false` if finding out takes
    /// too long.
    pub(crate) fn is_same(&self, other: &Data) -> bool {
        let lists = |one: &[Data], other: &[Data]| {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.is_same(other))
        };
        if budget::spend(1).is_err() {
            return false;
        }
        match (self, other) {
            (Data::Float(one), Data::Float(other)) => {
                one.to_bits() == other.to_bits() || (one.is_nan() && other.is_nan())
            }
            (Data::List(one), Data::List(other)) | (Data::Tuple(one), Data::Tuple(other)) => {
                lists(one, other)
            }
            (Data::Map(one), Data::Map(other)) => {
                one.len() == other.len()
                    && one.iter().zip(other).all(|((key, value), (other_key, other_value))| {
                        key.is_same(other_key) && value.is_same(other_value)
                    })
            }
            (Data::Set(one), Data::Set(other)) => {
                one.len() == other.len()
                    && one.iter().all(|one| other.iter().any(|other| one.is_same(other)))
            }
            (one, other) => one == other,
        }
    }
}
