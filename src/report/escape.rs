//! Escapes characters that must not reach a terminal.
//!
//! A terminal interprets what is written to it: escape sequences move the cursor and rename windows, bidirectional
//! marks reorder a line. Names, values and source lines that are displayed are
//! escaped here; text that is written to files is not.

use std::borrow::Cow;

/// Delimits shown positions in [`super::text`]; it is therefore never shown itself.
pub(super) const POSITION_MARK: char = '\u{E000}';

/// Whether a character controls a terminal, or is invisible but changes
/// the display. This includes line ends and tabs.
fn is_active(c: char) -> bool {
    // A fast path: nearly all characters are of this kind, and every character is checked.
    if matches!(c, ' '..='~') {
        return false;
    }
    c.is_control()
        || matches!(c,
            // Bidirectional marks, embeddings, overrides and isolates; joiners and zero-width spaces.
            '\u{61C}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}'
            // Line and paragraph separator, byte order mark.
            | '\u{2028}' | '\u{2029}' | '\u{FEFF}'
            // Tags: invisible copies of ASCII.
            | '\u{E0000}'..='\u{E007F}')
}

/// Replaces a character by exactly one visible character, so that columns stay.
pub(super) fn visible_char(c: char) -> char {
    match c {
        '\0'..='\u{1F}' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{FFFD}'),
        '\u{7F}' => '\u{2421}',
        POSITION_MARK => '\u{FFFD}',
        _ if is_active(c) => '\u{FFFD}',
        _ => c,
    }
}

/// Escapes text for a terminal; line ends and tabs stay.
pub fn for_terminal(text: &str) -> Cow<'_, str> {
    replaced(text, |c| if matches!(c, '\n' | '\t') { c } else { visible_char(c) })
}

/// Escapes text for a single line, such as a name: line ends and tabs are replaced too.
pub fn on_one_line(text: &str) -> Cow<'_, str> {
    replaced(text, visible_char)
}

fn replaced(text: &str, shown: impl Fn(char) -> char) -> Cow<'_, str> {
    let is_plain = |byte: &u8| matches!(byte, b' '..=b'~');
    if text.as_bytes().iter().all(is_plain) || text.chars().all(|c| shown(c) == c) {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.chars().map(shown).collect())
    }
}

/// Escapes control characters in JSON without changing its value. Outside of strings, JSON contains only
/// spaces and line ends; inside strings, control characters are already escaped.
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

/// Escapes the text of a GitHub workflow command. Control characters are made visible, since logs are read on terminals.
pub(super) fn github_data(text: &str) -> String {
    let text = for_terminal(text);
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes the value of a property of a GitHub workflow command.
pub(super) fn github_property(text: &str) -> String {
    github_data(&on_one_line(text)).replace(':', "%3A").replace(',', "%2C")
}

/// Escapes text for XML, also for attributes. XML cannot contain control characters.
pub(super) fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\u{FFFE}' | '\u{FFFF}' => out.push('\u{FFFD}'),
            c => out.push(visible_char(c)),
        }
    }
    out
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
