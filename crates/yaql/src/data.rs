//! What goes in and what comes out.

use smol_str::SmolStr;

use super::budget;
use python_semantics::number::Integer;

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

impl Data {
    /// Whether both are the same for Python; sets in any order, and NaN is the same as NaN. What takes too
    /// long to find out is not.
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
