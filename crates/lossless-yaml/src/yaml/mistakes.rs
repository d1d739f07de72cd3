//! The causes of the commonest errors of YAML. A parser reports where it cannot go on, which may be lines below.

use super::event::YamlError;

/// A mistake of the author, with the bytes of the line that has it.
pub(super) struct Cause {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) message: &'static str,
    pub(super) help: &'static str,
}

/// The cause of an error: a quote or bracket that is never closed, a colon in a plain text, a missing colon, or a colon without a blank after it.
pub(super) fn cause(text: &str, error: &YamlError) -> Option<Cause> {
    let offset = error.offset as usize;
    if let Some(unclosed) = unclosed(text, error) {
        return Some(unclosed);
    }
    let found = |line: &str, start: usize, message, help| Cause {
        start: (start + line.len() - line.trim_start().len()) as u32,
        end: (start + line.trim_end().len()) as u32,
        message,
        help,
    };
    // The line that is no key, though one is needed there.
    let no_key = |line: &str, start: usize| match line.trim().split_once(':') {
        None => found(
            line,
            start,
            "the colon after the key is missing",
            "write `key: value`, or `key:` before a map",
        ),
        Some(_) => found(
            line,
            start,
            "the blank after the colon is missing",
            "write `key: value` with a blank after the colon",
        ),
    };
    if error.problem.contains("could not find expected ':'") {
        let (_, at) = error.context.as_ref()?;
        let (line, start) = line_at(text, *at as usize)?;
        return Some(no_key(line, start));
    }
    if !error.problem.contains("mapping values are not allowed") {
        return None;
    }
    let (line, start) = line_at(text, offset)?;
    let before = text.get(start..offset)?;
    if before.contains(": ") {
        let help = "write the text in quotes, since it contains a colon and a blank";
        return Some(found(line, start, "a colon in a text without quotes", help));
    }
    // The key continues the plain text of the line above.
    let above = text[..start].trim_end();
    let (line, start) = line_at(text, above.len().checked_sub(1)?)?;
    if above.is_empty() || line.trim_start().starts_with('#') {
        return None;
    }
    match line.contains(": ") || line.trim_end().ends_with(':') {
        false => Some(no_key(line, start)),
        true => Some(found(
            line,
            start,
            "this value continues in the next line, which is indented more",
            "indent the next line like this one if it is a key of its own",
        )),
    }
}

/// The quote or bracket that is open where the text ends, or where a line is indented no more than the one that opens the bracket.
fn unclosed(text: &str, error: &YamlError) -> Option<Cause> {
    let (context, start) = error.context.as_ref()?;
    let (at, offset) = (*start as usize, error.offset as usize);
    let open = text.get(at..)?.chars().next()?;
    let is_quote = context.contains("quoted scalar") && error.problem.contains("unexpected");
    let is_bracket = context.contains("flow mapping") || context.contains("flow sequence");
    let indent = |(line, _): (&str, usize)| line.len() - line.trim_start().len();
    let ends = || {
        let (opening, here) = (line_at(text, at)?, line_at(text, offset)?);
        let is_below = here.1 > opening.1 && indent(here) <= indent(opening);
        Some(is_below || text[offset..].trim().is_empty())
    };
    let (message, help) = match open {
        '"' | '\'' if is_quote => {
            ("this quote is never closed", "write the same quote where the text ends")
        }
        '{' if is_bracket && ends()? => {
            ("this `{` is never closed", "write `}` where the map ends")
        }
        '[' if is_bracket && ends()? => {
            ("this `[` is never closed", "write `]` where the list ends")
        }
        _ => return None,
    };
    Some(Cause { start: *start, end: start + open.len_utf8() as u32, message, help })
}

/// The line with a byte, without its end, and where it begins.
fn line_at(text: &str, at: usize) -> Option<(&str, usize)> {
    let start = text.get(..at)?.rfind('\n').map_or(0, |end| end + 1);
    let line = text[start..].lines().next()?;
    Some((line, start))
}

#[cfg(test)]
mod tests {
    use crate::{Limits, read};
    use source_diagnostics::SourceId;

    #[test]
    fn causes_stand_at_their_lines() {
        let table = [
            ("a: b: c\n", 1, "a colon in a text without quotes"),
            ("x: 1\ny: see http: here\nz: 2\n", 2, "a colon in a text without quotes"),
            ("x:\n  a\n  b: 1\n", 2, "the colon after the key is missing"),
            ("x:\n  b: 1\n  a\n  c: 2\n", 3, "the colon after the key is missing"),
            ("x:\n  b: 1\n  a\nc: 2\n", 3, "the colon after the key is missing"),
            ("x:\n  a:1\n  b: 1\n", 2, "the blank after the colon is missing"),
            ("x:\n  b: 1\n  a:1\n  c: 2\n", 3, "the blank after the colon is missing"),
            ("x:\n  a: \"b\n  c: d\ny: z\n", 2, "this quote is never closed"),
            ("x:\n  a: 'b\n", 2, "this quote is never closed"),
            ("x:\n  a: {b: c\n  d: e\n", 2, "this `{` is never closed"),
            ("x:\n  a: [b, c\ny: [d]\n", 2, "this `[` is never closed"),
            ("x: a\n  b: 1\n", 1, "this value continues in the next line, which is indented more"),
        ];
        for (text, line, message) in table {
            let finding = read(SourceId(0), text.into(), &Limits::default()).expect_err(text);
            let at = finding.span().expect("a place").start as usize;
            assert_eq!(
                (text[..at].matches('\n').count() + 1, &*finding.message),
                (line, message),
                "{text}"
            );
        }
    }
}
