//! Python's numbers.

use crate::source::Integer;

/// A length as a number.
pub(crate) fn of_usize(value: usize) -> Integer {
    i64::try_from(value).map_or_else(|_| Integer::Big(Box::new(value.into())), Integer::Small)
}
