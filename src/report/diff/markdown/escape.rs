//! Escapes text of templates for Markdown: as code, as entities, or as a sentence. None of it becomes markup.

use super::limits::{MAX_NAME, MAX_SENTENCE};
use crate::report::diff::labels;
use crate::report::diff::model::SourcePlace;
use crate::report::escape::on_one_line;
use hotplate_diff::Places;

/// Places in brackets; empty if there are none.
pub(super) fn at(places: Places<&SourcePlace>) -> String {
    let places = labels::places(places);
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
        return html_code(&text);
    }
    format!("`{text}`")
}

/// A text as code in HTML, on one line.
pub(super) fn html_code(text: &str) -> String {
    let mut out = "<code>".to_owned();
    push_entities(&on_one_line(text), &mut out);
    out.push_str("</code>");
    out
}

/// A text in which no character has a meaning in HTML or Markdown, and of which no code forge makes a link.
pub(super) fn entities(text: &str) -> String {
    let text = on_one_line(text);
    let mut out = String::with_capacity(text.len());
    for (at, word) in text.split(' ').enumerate() {
        if at > 0 {
            out.push(' ');
        }
        // Forges look for mentions in the resulting page, where an entity is the character itself; they skip code.
        if becomes_link(word) {
            out.push_str(&html_code(word));
        } else {
            push_entities(word, &mut out);
        }
    }
    out
}

fn push_entities(text: &str, out: &mut String) {
    for (at, c) in text.char_indices() {
        let is_www = c == '.' && text[..at].to_ascii_lowercase().ends_with("www");
        match c {
            // An address of mail is recognized when entities are characters already, in one piece of text.
            '@' => out.push_str("<!-- -->&#64;"),
            ',' | '.' | ';' | '/' | '-' | '%' | '=' | '+' if !is_www => out.push(c),
            c if c.is_ascii_punctuation() => out.push_str(&format!("&#{};", u32::from(c))),
            c => out.push(c),
        }
    }
}

/// Whether a code forge may make a link of a word, or of a part of it. GFM's extended autolinks are `www.` and a scheme with `://`,
/// behind white space or one of `*`, `_`, `~`, `(`, behind anything but a letter for a scheme; and addresses of mail anywhere. GitHub
/// and GitLab add mentions (`@name`), numbers of issues, changes and the like (`#1`, `!1`, `GH-1`, …), and hashes of commits. What
/// comes before does not matter here: a word that is code for no reason reads as well.
fn becomes_link(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    let is_reference = word.char_indices().any(|(at, c)| {
        let follows = |fits: fn(char) -> bool| word[at + c.len_utf8()..].starts_with(fits);
        match c {
            '@' => true,
            '#' | '!' | '%' | '&' | '$' | '~' => {
                follows(|next| next.is_ascii_alphanumeric() || next == '"')
            }
            _ => false,
        }
    });
    let is_hash = |part: &str| {
        (7..=64).contains(&part.len())
            && part.bytes().all(|byte| byte.is_ascii_hexdigit())
            && part.bytes().any(|byte| byte.is_ascii_digit())
    };
    let mut parts = lower.split(|c: char| !c.is_ascii_alphanumeric());
    lower.contains("://")
        || lower.contains("www.")
        || lower.contains("gh-")
        || is_reference
        || parts.any(is_hash)
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
            if word.chars().all(is_plain) && !becomes_link(word) {
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

    /// The words that a forge turns into links, behind every character that GFM accepts before one and behind some that it does not.
    #[test]
    fn no_text_becomes_a_link() {
        const LINKS: [&str; 16] = [
            "www.evil.example",
            "WWW.evil.example",
            "http://evil.example",
            "https://evil.example/a?b",
            "ftp://evil.example",
            "HTTPS://evil.example",
            "a@evil.example",
            "mailto:a@evil.example",
            "xmpp:a@evil.example/b",
            "@user",
            "@org/team",
            "#123",
            "owner/repository#123",
            "GH-123",
            "!123",
            "0123456789abcdef0123456789abcdef01234567",
        ];
        const BEFORE: [&str; 14] =
            ["", " ", "a ", "(", "((", "*", "_", "~", "\"", "'", "|", "`", "a:", "\u{e9}"];
        // The parts of Markdown in which nothing becomes a link: code in backticks, and text in `<code>`.
        let outside = |text: &str| -> String {
            let mut out = String::new();
            let mut rest = text;
            while let Some(at) = rest.find(['`', '<']) {
                out.push_str(&rest[..at]);
                out.push(' ');
                let (open, close) = match () {
                    () if rest[at..].starts_with('`') => (1, "`"),
                    () if rest[at..].starts_with("<code>") => (6, "</code>"),
                    () => panic!("{text}"),
                };
                let inside = &rest[at + open..];
                let end = inside.find(close).unwrap_or_else(|| panic!("{text}"));
                if open == 6 {
                    let inside = &inside[..end];
                    assert!(
                        !inside.contains("://") && !inside.to_lowercase().contains("www."),
                        "{text}"
                    );
                    assert!(
                        !inside.contains('@')
                            && inside.replace("<!-- -->&#64;", "").find("&#64;").is_none()
                    );
                }
                rest = &inside[end + close.len()..];
            }
            out + rest
        };
        for link in LINKS {
            for before in BEFORE {
                for after in ["", ".", ")", ": x", " y"] {
                    let text = format!("The parameter {before}{link}{after}");
                    for written in [sentence(&text), entities(&text), format!("{} z", code(&text))]
                    {
                        let shown = outside(&written);
                        assert!(!shown.contains(link), "{text}: {written}");
                        assert!(
                            !shown.contains('@') && !shown.contains("&#64;"),
                            "{text}: {written}"
                        );
                        assert!(!shown.to_lowercase().contains("www."), "{text}: {written}");
                    }
                }
            }
        }
        for plain in
            ["a/b.yaml", "50% of it", "10.0.0.0/8", "deadbeef", "4 resources", "www", "x: y"]
        {
            assert!(!plain.split(' ').any(becomes_link), "{plain}");
        }
    }

    #[test]
    fn text_of_templates_is_no_markup() {
        assert_eq!(code("a b"), "`a b`");
        assert_eq!(code("a|b"), "<code>a&#124;b</code>");
        assert_eq!(code("`"), "<code>&#96;</code>");
        assert_eq!(code("a\nb"), "`a␊b`");
        assert_eq!(code("x\\"), "<code>x&#92;</code>");
        assert_eq!(
            entities("a </summary>*@all"),
            "a <code>&#60;/summary&#62;&#42;<!-- -->&#64;all</code>"
        );
        assert_eq!(
            sentence("`a|` of @all, see <b> #1"),
            "<code>a&#124;</code> of `@all`, see <code>&#60;b&#62;</code> `#1`"
        );
        assert_eq!(sentence("an odd ` here"), "an odd &#96; here");
        assert_eq!(sentence("a_b, (c_d: e_f)"), "`a_b`, (`c_d`: `e_f`)");
        assert_eq!(sentence("f(x) → y"), "f(x) → y");
    }
}
