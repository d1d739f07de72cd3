//! The text under construction: styled lines of a limited width.

use anstream::adapter::strip_str;
use anstyle::Style;

use crate::report::diff::DiffReportOptions;
use crate::report::escape::on_one_line;

pub(super) const PLAIN: Style = Style::new();
pub(super) const DIM: Style = Style::new().dimmed();

/// The smallest and the largest width of a line, in columns.
const WIDTHS: std::ops::RangeInclusive<usize> = 60..=200;

/// The additional indentation of what continues a line, in columns.
const CONTINUATION: usize = 4;

/// The indentation of what continues the deepest line, in columns.
const LONGEST_INDENT: usize = 12;

/// A text under construction.
pub(in crate::report::diff) struct TextWriter<'a> {
    pub(in crate::report::diff) text: String,
    pub(in crate::report::diff) options: &'a DiffReportOptions,
}

/// What stays on one line: parts without a space between them, and the spaces before them.
#[derive(Default)]
struct Word {
    spaces: usize,
    parts: Vec<(Style, String)>,
}

impl Word {
    fn is_count(&self) -> bool {
        self.parts.iter().all(|(_, part)| part.bytes().all(|byte| byte.is_ascii_digit()))
    }

    fn width(&self) -> usize {
        self.parts.iter().map(|(_, part)| part.chars().count()).sum()
    }
}

impl<'a> TextWriter<'a> {
    pub(in crate::report::diff) fn new(options: &'a DiffReportOptions) -> Self {
        TextWriter { text: String::new(), options }
    }

    /// Writes a line of several styled parts, indented by `depth` steps. A line that is too long continues on the next one; it
    /// breaks between words, and before a part that begins with two spaces, which stays whole if
    /// it fits on a line.
    pub(in crate::report::diff) fn line(&mut self, depth: usize, parts: &[(Style, String)]) {
        self.write(depth, words(parts, self.width()), self.width());
    }

    /// Continues the last line, which has this depth, with something set apart.
    pub(super) fn append(&mut self, depth: usize, parts: &[(Style, String)]) {
        self.text.pop();
        let mut words = words(parts, self.width());
        if let Some(first) = words.first_mut() {
            first.spaces = 2;
        }
        self.write(depth, words, self.width());
    }

    fn width(&self) -> usize {
        self.options.width.clamp(*WIDTHS.start(), *WIDTHS.end())
    }

    /// Writes a line as it is, however long: a line of somebody's text, or of a table.
    pub(in crate::report::diff) fn verbatim(&mut self, depth: usize, parts: &[(Style, String)]) {
        self.write(depth, words(parts, usize::MAX), usize::MAX);
    }

    fn write(&mut self, depth: usize, words: Vec<Word>, width: usize) {
        let last = self.text.rfind('\n').map_or(0, |at| at + 1);
        let mut column = strip_str(&self.text[last..]).to_string().chars().count();
        let continued = 2 * depth + CONTINUATION;
        let is_new = column == 0;
        let indent = if is_new && !words.is_empty() { 2 * depth } else { 0 };
        self.text.extend(std::iter::repeat_n(' ', indent));
        column += indent;
        let mut open = PLAIN;
        let sizes: Vec<usize> = words.iter().map(Word::width).collect();
        for (at, word) in words.into_iter().enumerate() {
            let size = sizes[at];
            // A count stays with its noun.
            let next =
                if word.is_count() { sizes.get(at + 1).map_or(0, |next| next + 1) } else { 0 };
            let may_break = at > 0 || !is_new;
            if may_break && column + word.spaces + size + next > width && column > continued {
                self.change_style(&mut open, PLAIN);
                self.text.push('\n');
                self.text.extend(std::iter::repeat_n(' ', continued));
                column = continued;
            } else {
                // Spaces between two styles have none.
                if word.parts.first().is_none_or(|(style, _)| *style != open) {
                    self.change_style(&mut open, PLAIN);
                }
                self.text.extend(std::iter::repeat_n(' ', word.spaces));
                column += word.spaces;
            }
            column += size;
            for (style, part) in word.parts {
                self.change_style(&mut open, style);
                self.text.push_str(&part);
            }
        }
        self.change_style(&mut open, PLAIN);
        self.text.push('\n');
    }

    fn change_style(&mut self, open: &mut Style, style: Style) {
        if !self.options.color || *open == style {
            return;
        }
        if *open != PLAIN {
            self.text.push_str(&format!("{open:#}"));
        }
        if style != PLAIN {
            self.text.push_str(&format!("{style}"));
        }
        *open = style;
    }
}

/// The words of a line, without spaces at its end.
fn words(parts: &[(Style, String)], width: usize) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut spaces = 0;
    let mut is_open = false;
    for (style, part) in parts {
        let part = on_one_line(part);
        let whole = part.trim_start_matches(' ');
        let pieces: Vec<&str> = if part.starts_with("  ") {
            // What is set apart stays together.
            let before = part.len() - whole.len();
            (spaces, is_open) = (spaces + before, false);
            let whole = whole.trim_end_matches(' ');
            // Two places that are too long for a line are on two.
            if whole.chars().count() + LONGEST_INDENT > width {
                whole.split_inclusive("→ ").map(str::trim_end).collect()
            } else {
                vec![whole]
            }
        } else {
            part.split(' ').collect()
        };
        for (at, piece) in pieces.iter().enumerate() {
            if at > 0 {
                (spaces, is_open) = (spaces + 1, false);
            }
            if piece.is_empty() {
                continue;
            }
            match words.last_mut().filter(|_| is_open) {
                Some(word) => word.parts.push((*style, (*piece).to_owned())),
                None => {
                    words.push(Word { spaces, parts: vec![(*style, (*piece).to_owned())] });
                    (spaces, is_open) = (0, true);
                }
            }
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(width: usize, depth: usize, parts: &[&str]) -> String {
        let options = DiffReportOptions { width, ..DiffReportOptions::default() };
        let mut out = TextWriter::new(&options);
        let parts: Vec<_> = parts.iter().map(|part| (PLAIN, (*part).to_owned())).collect();
        out.line(depth, &parts);
        out.text
    }

    #[test]
    fn a_line_breaks_between_words_and_a_place_stays_whole() {
        let long = "one two three four five six seven eight nine ten eleven twelve";
        assert_eq!(
            line(60, 1, &[long]),
            "  one two three four five six seven eight nine ten eleven\n      twelve\n"
        );
        // A width of less than 60 columns is no width.
        assert_eq!(line(1, 1, &[long]), line(60, 1, &[long]));
        assert_eq!(
            line(
                60,
                0,
                &["a sentence that nearly fills the line", "  old file.yaml:1 → new.yaml:2"]
            ),
            "a sentence that nearly fills the line\n    old file.yaml:1 → new.yaml:2\n"
        );
        let places = format!("  {0}/old.yaml:1 → {0}/new.yaml:2", "folder".repeat(6));
        assert_eq!(
            line(60, 0, &["a reason", &places]),
            format!("a reason  {0}/old.yaml:1 →\n    {0}/new.yaml:2\n", "folder".repeat(6))
        );
        let name = "x".repeat(100);
        assert_eq!(line(60, 0, &["a name ", &name]), format!("a name\n    {name}\n"));
        assert_eq!(line(60, 0, &["a", "  ", "b ", ""]), "a  b\n");
        assert_eq!(line(60, 2, &[""]), "\n");
    }
}
