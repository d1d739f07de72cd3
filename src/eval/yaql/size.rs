//! `sys.getsizeof()`: what the memory quota counts.

use super::Value;

/// The bytes that CPython takes for a value, without what it refers to.
pub(crate) fn size_of(value: &Value) -> usize {
    match value {
        Value::Text(text) => 49 + text.len(),
        _ => 0,
    }
}
