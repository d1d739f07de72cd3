//! Escapes text for a page: text from a template never becomes markup.

use std::borrow::Cow;

use crate::report::escape::visible_char;

/// Escapes text for the content of an element or a quoted attribute. Control and invisible characters are
/// replaced by visible ones; line ends and tabs stay.
pub(super) fn text(raw: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| {
        matches!(byte, b' '..=b'~' | b'\n' | b'\t')
            && !matches!(byte, b'&' | b'<' | b'>' | b'"' | b'\'')
    };
    if raw.bytes().all(is_plain) {
        return Cow::Borrowed(raw);
    }
    let mut out = String::with_capacity(raw.len() + 16);
    for c in raw.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            _ => out.push(visible_char(c)),
        }
    }
    Cow::Owned(out)
}

/// Escapes text for a single line.
pub(super) fn line(raw: &str) -> String {
    text(&crate::report::escape::on_one_line(raw)).into_owned()
}

/// Escapes a sentence; text in backticks becomes code.
pub(super) fn sentence(raw: &str) -> String {
    let raw = line(raw);
    let mut out = String::with_capacity(raw.len() + 16);
    let parts: Vec<&str> = raw.split('`').collect();
    // With an odd number of backticks, the last one is a literal.
    let paired = (parts.len() - 1) / 2 * 2;
    for (at, part) in parts.iter().enumerate() {
        out.push_str(part);
        out.push_str(match at {
            at if at < paired && at % 2 == 0 => "<code>",
            at if at < paired => "</code>",
            at if at + 1 < parts.len() => "`",
            _ => "",
        });
    }
    out
}

/// Fills the slots `{{name}}` of a page. Slots in inserted text are not replaced.
pub(super) fn fill(page: &str, slots: &[(&str, &str)]) -> String {
    let mut out = String::new();
    let mut rest = page;
    while let Some((before, (name, after))) =
        rest.split_once("{{").and_then(|(before, after)| Some((before, after.split_once("}}")?)))
    {
        out.push_str(before);
        if let Some((_, value)) = slots.iter().find(|(slot, _)| *slot == name) {
            out.push_str(value);
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_text_is_markup() {
        assert_eq!(
            text("<a b='c' d=\"e\">&\u{202e}\u{0}"),
            "&lt;a b=&#39;c&#39; d=&quot;e&quot;&gt;&amp;\u{FFFD}␀"
        );
        assert!(matches!(text("plain\n\ttext"), Cow::Borrowed(_)));
        assert_eq!(line("a\nb"), "a␊b");
    }

    #[test]
    fn code_in_sentences() {
        assert_eq!(
            sentence("`a` of <b> and `c`"),
            "<code>a</code> of &lt;b&gt; and <code>c</code>"
        );
        assert_eq!(sentence("an odd ` one"), "an odd ` one");
        assert_eq!(sentence("`a` and `"), "<code>a</code> and `");
        assert_eq!(sentence("``"), "<code></code>");
        assert_eq!(sentence(""), "");
    }

    #[test]
    fn slots_are_filled_once() {
        assert_eq!(fill("{{a}}-{{b}}-{{c}}", &[("a", "{{b}}"), ("b", "x")]), "{{b}}-x-");
        assert_eq!(fill("plain {{", &[]), "plain {{");
    }
}
