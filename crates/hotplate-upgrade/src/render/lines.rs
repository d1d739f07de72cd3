//! Lines and their indentation.

use super::Renderer;
use lossless_yaml::Syntax;

impl Renderer<'_> {
    pub(super) fn line(&self, text: &mut String, indent: usize) {
        if !text.ends_with(['\n', '\r']) {
            text.push_str(self.eol);
        }
        text.extend(std::iter::repeat_n(' ', indent));
    }
}

/// The characters that end a line. In JSON, the last three are ordinary characters.
fn breaks(syntax: Syntax) -> &'static [char] {
    let all = &['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'];
    match syntax {
        Syntax::Yaml => all,
        Syntax::Json => &all[..2],
    }
}

/// Indents every line but the first by at least `indent`: in flow style the column has no meaning, but
/// text that leaves it must be indented.
pub(super) fn indented(text: &str, indent: usize, syntax: Syntax) -> String {
    let breaks = breaks(syntax);
    if !text.contains(breaks) {
        return text.to_owned();
    }
    let mut result = String::with_capacity(text.len() + indent);
    for (at, line) in text.split_inclusive(breaks).enumerate() {
        let spaces = line.len() - line.trim_start_matches(' ').len();
        let empty = line.trim_end_matches(breaks).len() == spaces;
        if at > 0 && !empty && spaces < indent {
            result.extend(std::iter::repeat_n(' ', indent - spaces));
        }
        result.push_str(line);
    }
    result
}

/// Moves every line but the first by `delta` columns.
pub(super) fn shift(text: &str, delta: isize, syntax: Syntax) -> String {
    let breaks = breaks(syntax);
    if delta == 0 || !text.contains(breaks) {
        return text.to_owned();
    }
    let mut result = String::with_capacity(text.len() + 16);
    for (at, line) in text.split_inclusive(breaks).enumerate() {
        // YAML allows a byte order mark before any line and does not count it.
        let (mark, line) = match line.strip_prefix('\u{feff}') {
            Some(line) if at > 0 => ("\u{feff}", line),
            _ => ("", line),
        };
        result.push_str(mark);
        let empty = line.trim_end_matches(breaks).is_empty();
        if at == 0 || empty {
            result.push_str(line);
        } else if delta > 0 {
            result.extend(std::iter::repeat_n(' ', delta.unsigned_abs()));
            result.push_str(line);
        } else {
            let spaces = line.len() - line.trim_start_matches(' ').len();
            result.push_str(&line[spaces.min(delta.unsigned_abs())..]);
        }
    }
    result
}
