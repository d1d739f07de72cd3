//! What Python says of characters.

/// `c.isspace()`.
pub(crate) fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// `text.strip()`.
pub(crate) fn strip(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// `c.isprintable()`.
pub(crate) fn is_printable(c: char) -> bool {
    if c.is_ascii() {
        return matches!(c, ' '..='~');
    }
    // Rust's `Debug` has the same rule for a text. After a letter, a mark that belongs to it counts
    // as printable, as it does in Python.
    let mut buffer = [0; 5];
    buffer[0] = b'a';
    let length = 1 + c.encode_utf8(&mut buffer[1..]).len();
    let text = std::str::from_utf8(&buffer[..length]).unwrap_or("");
    !format!("{text:?}").contains('\\')
}
