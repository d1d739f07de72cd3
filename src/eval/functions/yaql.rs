//! `yaql`: the one place where an interpreter of the language will stand.

use super::{Partial, Stop};
use crate::eval::Value;

/// What a yaql expression makes of data. Nothing interprets the language yet, so that nothing is
/// known of its value.
pub(in crate::eval) fn evaluate(_expression: &Value, _data: &Value) -> Partial {
    Err(Stop::Unknown)
}
