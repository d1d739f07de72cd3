//! Paragraphs on lines of a limited width.

/// A paragraph on lines of at most `width` characters, as far as its words allow.
pub fn wrapped(text: &str, width: usize) -> String {
    lines(text, width, 0).join("\n")
}

/// Adds a text after a start, on lines of at most `width` characters, which are indented to the end of the start.
pub(super) fn add_hanging(text: &mut String, start: &str, rest: &str, width: usize) {
    let length = start.chars().count();
    // A narrow terminal has the text below the start.
    let (indent, room) = match width.checked_sub(length) {
        Some(room) if room >= 30 => (length, room),
        _ => (4, width.saturating_sub(4).max(30)),
    };
    let mut before = start.to_owned();
    for line in lines(rest, room, length.saturating_sub(indent)) {
        before.push_str(&line);
        text.push_str(before.trim_end());
        text.push('\n');
        before = " ".repeat(indent);
    }
}

/// Rows of a term and its description. All descriptions begin in one column: beside the term, or below one that is too
/// long for that.
pub fn two_columns(rows: &[(&str, &str)], width: usize) -> String {
    let column = |term: &str| 2 + term.chars().count() + 2;
    let columns = rows.iter().map(|(term, _)| column(term));
    let start = columns.filter(|column| *column <= width / 2).max().unwrap_or(6);
    let mut text = String::new();
    for (term, description) in rows {
        let mut before = format!("  {term}");
        if column(term) > start {
            text.push_str(&before);
            text.push('\n');
            before.clear();
        }
        add_hanging(&mut text, &format!("{before:<start$}"), description, width);
    }
    text
}

/// The lines of a paragraph, at least one; `used` characters of the first one are taken.
fn lines(text: &str, width: usize, mut used: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if used > 0 && used + 1 + length > width {
            lines.push(std::mem::take(&mut line));
            used = 0;
        } else if used > 0 {
            line.push(' ');
            used += 1;
        }
        line.push_str(word);
        used += length;
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words() {
        assert_eq!(wrapped("one two three", 7), "one two\nthree");
        assert_eq!(wrapped("one two three", 6), "one\ntwo\nthree");
        assert_eq!(wrapped("a verylongword b", 4), "a\nverylongword\nb");
        assert_eq!(wrapped("", 4), "");
    }

    #[test]
    fn descriptions_begin_in_one_column() {
        let rows = [("a b", "one"), ("a longer term than half of the line", "two")];
        let text = two_columns(&rows, 50);
        assert_eq!(text, "  a b  one\n  a longer term than half of the line\n       two\n");
        let long = "word ".repeat(12);
        for line in two_columns(&[("term", &long)], 50).lines().skip(1) {
            assert!(line.starts_with("        word") && line.len() <= 50, "{line}");
        }
    }

    #[test]
    fn texts_hang_from_their_start() {
        let hung = |rest: &str, width| {
            let mut text = String::new();
            add_hanging(&mut text, "ab  ", rest, width);
            text
        };
        assert_eq!(hung("", 80), "ab\n");
        let long = "one two three four five six seven eight";
        assert_eq!(hung(long, 37), "ab  one two three four five six seven\n    eight\n");
    }
}
