//! Why an expression or a replacement template is rejected.

/// Why an expression or a replacement template is rejected, by Python's exception.
#[derive(Clone, Debug, PartialEq)]
pub enum RegexError {
    /// `re.error`.
    Bad(String),
    /// `OverflowError`.
    Overflow(&'static str),
    /// `ValueError`.
    Value(&'static str),
    /// `IndexError`.
    Index(String),
    /// Python accepts it, or may accept it, but this implementation does not.
    Unsupported(&'static str),
}

pub(super) type RegexResult<T> = Result<T, RegexError>;

/// `re.error` at a position of a text; line and column are included if there are several lines.
pub(super) fn bad_at(message: &str, text: &[char], position: usize) -> RegexError {
    let before = &text[..position.min(text.len())];
    let mut message = format!("{message} at position {position}");
    if text.contains(&'\n') {
        let line = before.iter().filter(|&&c| c == '\n').count() + 1;
        let column = before.iter().rev().take_while(|&&c| c != '\n').count() + 1;
        message.push_str(&format!(" (line {line}, column {column})"));
    }
    RegexError::Bad(message)
}
