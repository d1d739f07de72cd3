//! Escapes text of templates for Markdown: as code, as entities, or as a sentence. None of it becomes markup.

use super::limits::{MAX_NAME, MAX_SENTENCE};
use crate::report::diff::labels;
use crate::report::diff::model::SourcePlace;
use crate::report::escape::on_one_line;

/// Places in brackets; empty if there are none.
pub(super) fn at(old: Option<&SourcePlace>, new: Option<&SourcePlace>) -> String {
    let places = labels::places(old, new);
    if places.is_empty() { places } else { format!(" ({})", name(&places)) }
}

/// A name, as code.
pub(super) fn name(text: &str) -> String {
    code(&cut(text, MAX_NAME))
}

pub(super) fn cut(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A text as code on one line, also in a table: if it contains characters that could end a code span or a cell,
/// or look like a tag, they are written as entities.
pub(super) fn code(text: &str) -> String {
    let text = on_one_line(text);
    if text.is_empty() {
        return String::new();
    }
    if text.contains(['`', '|', '\\', '<']) || text.trim() != text {
        return format!("<code>{}</code>", entities(&text));
    }
    format!("`{text}`")
}

/// A text in which no character has a meaning in HTML or Markdown.
pub(super) fn entities(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in on_one_line(text).chars() {
        if c.is_ascii_punctuation() && !matches!(c, ',' | '.' | ';' | '/' | '-' | '%' | '=' | '+') {
            out.push_str(&format!("&#{};", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    out
}

/// A sentence: text in backticks is code, and so is what could mention a user or start
/// markup.
pub(in crate::report::diff) fn sentence(text: &str) -> String {
    let text = cut(text, MAX_SENTENCE);
    let mut out = String::with_capacity(text.len());
    let parts: Vec<&str> = text.split('`').collect();
    let last = parts.len() - 1;
    for (index, part) in parts.iter().enumerate() {
        // A last part after an odd backtick is not closed.
        if index % 2 == 1 && index < last {
            out.push_str(&code(part));
            continue;
        }
        if index % 2 == 1 {
            out.push_str("&#96;");
        }
        for (at, word) in part.split(' ').enumerate() {
            if at > 0 {
                out.push(' ');
            }
            let is_plain = |c: char| {
                c.is_alphanumeric()
                    || matches!(
                        c,
                        '.' | ',' | ';' | ':' | '/' | '-' | '(' | ')' | '\'' | '%' | '?' | '→'
                    )
            };
            let calls = word.contains("://") || word.starts_with("www.");
            if word.chars().all(is_plain) && !calls {
                out.push_str(word);
            } else {
                // Punctuation belongs to the sentence.
                let start = word.trim_start_matches('(');
                let name = start.trim_end_matches([',', ';', ':']);
                let name = if name.contains('(') { name } else { name.trim_end_matches(')') };
                out.push_str(&word[..word.len() - start.len()]);
                out.push_str(&code(name));
                out.push_str(&start[name.len()..]);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_templates_is_no_markup() {
        assert_eq!(code("a b"), "`a b`");
        assert_eq!(code("a|b"), "<code>a&#124;b</code>");
        assert_eq!(code("`"), "<code>&#96;</code>");
        assert_eq!(code("a\nb"), "`a␊b`");
        assert_eq!(code("x\\"), "<code>x&#92;</code>");
        assert_eq!(entities("</summary>*@all"), "&#60;/summary&#62;&#42;&#64;all");
        assert_eq!(
            sentence("`a|` of @all, see <b> #1"),
            "<code>a&#124;</code> of `@all`, see <code>&#60;b&#62;</code> `#1`"
        );
        assert_eq!(sentence("an odd ` here"), "an odd &#96; here");
        assert_eq!(sentence("a_b, (c_d: e_f)"), "`a_b`, (`c_d`: `e_f`)");
        assert_eq!(sentence("f(x) → y"), "f(x) → y");
    }
}
