//! Characters that must not reach a terminal as they are.
//!
//! Names, values and lines of input are shown to people, and a terminal obeys what it reads: escape
//! sequences move the cursor and rename windows, marks of direction reorder a line. What is shown
//! goes through here; what replaces a file does not.

use std::borrow::Cow;

/// Sets shown positions apart in [`super::text`]; therefore never shown itself.
pub(super) const POSITION_MARK: char = '\u{E000}';

/// True for a character that does something to a terminal, or that cannot be seen and yet changes
/// what is seen. Line ends and tabs are among them.
fn is_active(c: char) -> bool {
    // Nearly all characters are these, and every character of a report is asked about.
    if matches!(c, ' '..='~') {
        return false;
    }
    c.is_control()
        || matches!(c,
            // Marks, embeddings, overrides and isolates of direction; joiners and zero-width spaces.
            '\u{61C}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}'
            // Line and paragraph separator, byte order mark.
            | '\u{2028}' | '\u{2029}' | '\u{FEFF}'
            // Invisible copies of ASCII.
            | '\u{E0000}'..='\u{E007F}')
}

/// One visible character for every character, so that columns stay.
pub(super) fn visible_char(c: char) -> char {
    match c {
        '\0'..='\u{1F}' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{FFFD}'),
        '\u{7F}' => '\u{2421}',
        POSITION_MARK => '\u{FFFD}',
        _ if is_active(c) => '\u{FFFD}',
        _ => c,
    }
}

/// A text for a terminal: what acts on it is replaced by a symbol, line ends and tabs stay.
pub fn for_terminal(text: &str) -> Cow<'_, str> {
    replaced(text, |c| if matches!(c, '\n' | '\t') { c } else { visible_char(c) })
}

/// A text that must stay on one line, such as a name: line ends and tabs become symbols too.
pub fn on_one_line(text: &str) -> Cow<'_, str> {
    replaced(text, visible_char)
}

fn replaced(text: &str, shown: impl Fn(char) -> char) -> Cow<'_, str> {
    if text.chars().all(|c| shown(c) == c) {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.chars().map(shown).collect())
    }
}

/// The same JSON value without characters that act on a terminal. Outside of strings JSON has only
/// spaces and line ends of this kind, and inside they are escaped already.
pub(super) fn json(text: String) -> String {
    let raw = |c: char| is_active(c) && c != '\n';
    if !text.contains(raw) {
        return text;
    }
    let mut escaped = String::with_capacity(text.len() + 64);
    for c in text.chars() {
        if raw(c) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                escaped.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            escaped.push(c);
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_is_replaced_by_what_is_seen() {
        assert_eq!(for_terminal("a\u{1b}[31m\r\n\tb"), "a␛[31m␍\n\tb");
        assert_eq!(on_one_line("a\nb\tc"), "a␊b␉c");
        assert_eq!(on_one_line("\u{9b}1m\u{7f}\u{202e}"), "\u{FFFD}1m␡\u{FFFD}");
        assert!(matches!(on_one_line("Größe 中文 🎉"), Cow::Borrowed(_)));
    }

    #[test]
    fn no_character_of_the_output_acts() {
        for c in '\0'..=char::MAX {
            assert!(!is_active(visible_char(c)), "{c:?}");
        }
    }

    #[test]
    fn json_keeps_its_value() {
        let value = serde_json::json!({"a\u{9b}": ["\u{202e}\u{7f}\u{1b}", "\u{E0041}é\n"]});
        let text = json(serde_json::to_string_pretty(&value).expect("json"));
        assert!(!text.contains(|c| is_active(c) && c != '\n'), "{text}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).expect("json"), value);
    }
}
