//! Characters by their names in Unicode.

/// The character of a name, as Python 3.11 finds it.
pub(super) fn character(name: &str) -> Option<char> {
    unicode_names2::character(name)
}
