//! The text with a name in place of what is being typed: a text that can be read, so that the place of the name in the document is the
//! place of the cursor.

use std::ops::Range;

use lossless_yaml::{Document, Limits, read};
use source_diagnostics::SourceId;

use super::scan::{Expected, Scan, Word};
use crate::language_server::cursor::Cursor;
use crate::language_server::file_view::FileView;
use crate::language_server::position::LineStarts;
use crate::language_server::recovery::ReadableText;

/// The name that stands for what is being typed. No template has it.
const MARKER: &str = "hotplate_cursor_";

/// The most lines above the cursor in which a bracket is looked for that is still open.
const MAX_LINES_ABOVE: usize = 200;

/// How an item is written at the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// At the start of a line, or behind the dash of a list: a key, or a value.
    Line,
    /// Behind `key:`, in the block style.
    Value,
    /// A key of a flow map.
    FlowKey,
    /// An item of a flow list, or a value of a flow map.
    FlowValue,
}

/// A text with the marker, read.
#[derive(Debug)]
pub(super) struct CompletionText {
    /// The bytes of the text that an item replaces, on one line.
    pub(super) word: Range<usize>,
    pub(super) form: Form,
    /// Whether the word is in quotes.
    pub(super) is_quoted: bool,
    /// Whether a colon follows, or a colon without a blank is in front.
    pub(super) colon: Colon,
    /// The columns between the first character of the line and the word: dashes of lists.
    pub(super) inset: usize,
    /// The document with the marker.
    pub(super) document: Document,
    /// The marker in the document.
    pub(super) cursor: Cursor,
}

/// Where a colon touches the word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Colon {
    /// There is none.
    Absent,
    /// The word is a key already.
    Follows,
    /// `key:` is directly in front: a value needs a blank.
    InFront,
}

impl CompletionText {
    /// Reads a text as if the word at an offset was a name. `None` if nothing can be typed there, or if the place is unclear.
    pub(super) fn new(view: &FileView, offset: usize, limits: &Limits) -> Option<Self> {
        let (text, lines): (&str, &LineStarts) = (&view.text, &view.lines);
        let line = lines.line(text, lines.line_of(offset));
        let (word, scan, since) = word_at(text, lines, line.clone(), offset)?;
        if text.get(word.content.clone())?.contains([' ', '\t']) {
            return None;
        }
        let form = match (word.expected, scan.open.last()) {
            (Expected::Nothing, _) => return None,
            (Expected::Line, _) => Form::Line,
            (Expected::Value, None) => Form::Value,
            (Expected::Value, Some(_)) => Form::FlowValue,
            (Expected::Entry, Some(b'{')) => Form::FlowKey,
            (Expected::Entry, _) => Form::FlowValue,
        };
        let behind = text.get(word.whole.end..)?;
        let before = text.get(..word.whole.start)?;
        let colon = match form {
            Form::Line | Form::FlowKey if is_colon(behind, word.is_quoted) => Colon::Follows,
            Form::Value if before.ends_with(':') => Colon::InFront,
            _ => Colon::Absent,
        };
        let (lead, tail) = around(form, colon, before, behind);
        let is_whole = is_json(text);
        let column = (!is_whole).then(|| indent(text, since));
        let rest_of_line = line.end.max(word.whole.end);
        let open = scan.close(column);
        let closed: String =
            open.iter().rev().map(|it| if *it == b'{' { '}' } else { ']' }).collect();
        let (at_once, at_end) =
            if is_whole { ("", closed.as_str()) } else { (closed.as_str(), "") };
        let typed = [text.get(line.start..word.whole.start)?, lead, MARKER, tail];
        let end_of_line = text.get(word.whole.end..rest_of_line)?;
        // The line of the cursor as it is typed, among the lines of another text of the same length.
        let within = |others: &str| {
            let (above, below) = (others.get(..line.start)?, others.get(rest_of_line..)?);
            Some([above, &typed.concat(), end_of_line, at_once, below, at_end].concat())
        };
        let marker = word.whole.start + lead.len();
        let (document, cursor) = match read(SourceId(0), within(text)?.into(), limits) {
            Ok(document) => found(document, marker),
            // Something else is broken, too: it was left out when the text was read.
            Err(_) => {
                let rest = within(&view.readable.text)?;
                let shortened = lonely_word(&rest, marker).map(|line| without(&rest, line));
                let mut texts = std::iter::once(rest).chain(shortened);
                texts.find_map(|text| {
                    found(ReadableText::new(&text.into(), limits).document?, marker)
                })
            }
        }?;
        let inset = word.whole.start.saturating_sub(line.start + indent(text, line.start));
        Some(CompletionText {
            word: word.content,
            form,
            is_quoted: word.is_quoted,
            colon,
            inset,
            document,
            cursor,
        })
    }

    /// Whether a key of a document is the marker.
    pub(super) fn is_marker(key: &str) -> bool {
        key == MARKER
    }
}

/// A document with the place of the marker, if it is a name or a value of its own.
fn found(document: Document, marker: usize) -> Option<(Document, Cursor)> {
    let cursor = Cursor::at(&document, marker + 1)?;
    let is_marker = document.str(cursor.node) == Some(MARKER);
    is_marker.then_some((document, cursor))
}

/// A text with blanks in place of some bytes.
fn without(text: &str, bytes: Range<usize>) -> String {
    let mut text = text.to_owned();
    let blanks = " ".repeat(bytes.len());
    text.replace_range(bytes, &blanks);
    text
}

/// The bytes of the line with content above an offset, if it is one word that is neither a key nor an item.
fn lonely_word(text: &str, offset: usize) -> Option<Range<usize>> {
    let above = text.get(..offset)?;
    let above = above.get(..above.rfind('\n')?)?.trim_end();
    let start = above.rfind('\n').map_or(0, |at| at + 1);
    let word = above.get(start..)?.trim();
    (!word.contains([' ', ':', '{', '[', ']', '}'])).then_some(start..above.len())
}

/// The number of blanks at the start of a line.
fn indent(text: &str, line_start: usize) -> usize {
    let rest = text.as_bytes().get(line_start..).unwrap_or_default();
    rest.iter().take_while(|byte| **byte == b' ').count()
}

/// Whether all of a text is one flow map, as JSON is.
fn is_json(text: &str) -> bool {
    text.trim_start().starts_with('{')
}

fn is_colon(behind: &str, is_quoted: bool) -> bool {
    let rest = behind.trim_start_matches([' ', '\t']);
    rest.strip_prefix(':').is_some_and(|rest| {
        is_quoted || rest.is_empty() || rest.starts_with([' ', '\t', '\n', '\r'])
    })
}

/// The text around the marker, so that it is a key or a value.
fn around(form: Form, colon: Colon, before: &str, behind: &str) -> (&'static str, &'static str) {
    let next = behind.trim_start().chars().next();
    let needs_comma = next.is_some_and(|next| !matches!(next, ',' | '}' | ']' | ':' | '#'));
    let last = before.trim_end().chars().next_back();
    let lead = match (form, colon, last) {
        (Form::Value, Colon::InFront, _) => " ",
        // A quoted key may have its colon directly in front.
        (Form::FlowValue, _, Some(':')) => " ",
        _ => "",
    };
    let tail = match (form, colon) {
        (_, Colon::Follows) => "",
        (Form::Line, _) => ": ",
        (Form::FlowKey, _) if needs_comma => ": null,",
        (Form::FlowKey, _) => ": null",
        (Form::FlowValue, _) if needs_comma => ",",
        (Form::FlowValue | Form::Value, _) => "",
    };
    (lead, tail)
}

/// The word at an offset, with the brackets that are open there, and the line since which they may be open.
fn word_at<'t>(
    text: &'t str,
    lines: &LineStarts,
    line: Range<usize>,
    offset: usize,
) -> Option<(Word, Scan<'t>, usize)> {
    let from = |start: usize| {
        let mut scan = Scan::new(text, start);
        scan.go_to(offset).map(|word| (word, scan, start))
    };
    if is_json(text) {
        return from(0);
    }
    let number = lines.line_of(line.start);
    let mut column = indent(text, line.start);
    for above in (0..number).rev().take(MAX_LINES_ABOVE) {
        let range = lines.line(text, above);
        let content = text.get(range.clone()).unwrap_or_default();
        let indent = indent(text, range.start);
        if content.trim().is_empty() || indent >= column && column > 0 {
            continue;
        }
        column = indent;
        if content.contains(['{', '['])
            && let Some((word, scan, _)) = from(range.start)
            && !scan.open.is_empty()
        {
            return Some((word, scan, range.start));
        }
        if column == 0 {
            break;
        }
    }
    from(line.start)
}
