//! Formats a text as far as its meaning cannot change.
//!
//! Blanks at the ends of lines and blank lines at the end of the file are removed, and the last line gets an end. Nothing is changed in
//! texts of several lines. The new text is read again: it must have the same values, styles and comments; otherwise, or if the text
//! cannot be read as a whole, nothing is changed.

use std::ops::Range;

use gen_lsp_types::{DocumentFormattingParams, FormattingOptions, TextEdit};
use lossless_yaml::{Document, Limits, LineEnding, NodeKind, read};

use super::file_view::FileView;
use super::snapshot::Snapshot;

/// The answer to `textDocument/formatting`.
pub(super) fn formatting(
    snapshot: &Snapshot,
    params: DocumentFormattingParams,
) -> Option<Vec<TextEdit>> {
    let view = snapshot.view_of(&params.text_document)?;
    let edits = edits(&view, &params.options, &snapshot.project().limits());
    let edit = |(bytes, text): (Range<usize>, &str)| {
        TextEdit::new(snapshot.range(&view, bytes), text.to_owned())
    };
    Some(edits.into_iter().map(edit).collect())
}

/// The bytes to replace, in the order of the text.
fn edits(
    view: &FileView,
    options: &FormattingOptions,
    limits: &Limits,
) -> Vec<(Range<usize>, &'static str)> {
    let Some(document) = view.document().filter(|_| view.is_of_heat() && view.readable.is_whole())
    else {
        return Vec::new();
    };
    let mut edits = Vec::new();
    let fixed = lines_of_texts(view, document);
    let content = view.text.trim_end_matches([' ', '\t', '\r', '\n']).len();
    let is_wanted = |option: Option<bool>| option != Some(false);
    if is_wanted(options.trim_trailing_whitespace) {
        for line in 0..view.lines.count() {
            let bytes = view.lines.line(&view.text, line);
            let text = view.text.get(bytes.clone()).unwrap_or_default();
            let kept = bytes.start + text.trim_end_matches([' ', '\t']).len();
            if kept < bytes.end && kept <= content && !fixed.iter().any(|it| it.contains(&line)) {
                edits.push((kept..bytes.end, ""));
            }
        }
    }
    let last = view.lines.line_of(content.saturating_sub(1));
    let is_fixed = fixed.iter().any(|it| it.contains(&last) || it.start > last);
    if content > 0 && !is_fixed {
        let end = line_end(view).as_str();
        let rest = view.text.get(content..).unwrap_or_default();
        let has_end = rest.contains(['\n', '\r']);
        let is_trimmed = is_wanted(options.trim_final_newlines) && has_end && rest != end;
        let is_ended = is_wanted(options.insert_final_newline) && !has_end;
        if is_trimmed || is_ended {
            edits.retain(|(bytes, _)| bytes.end <= content);
            edits.push((content..view.text.len(), end));
        }
    }
    if edits.is_empty() || is_same(document, &edited(&view.text, &edits), limits) {
        edits
    } else {
        Vec::new()
    }
}

/// The line end that a text uses.
fn line_end(view: &FileView) -> LineEnding {
    match view.text.find(['\r', '\n']).map(|at| view.text.get(at..).unwrap_or_default()) {
        Some(rest) if rest.starts_with("\r\n") => LineEnding::CrLf,
        Some(rest) if rest.starts_with('\r') => LineEnding::Cr,
        _ => LineEnding::Lf,
    }
}

/// The lines of texts of several lines, in which blanks may have a meaning.
fn lines_of_texts(view: &FileView, document: &Document) -> Vec<Range<usize>> {
    let texts = document.nodes().iter().filter(|node| !is_collection(&node.kind));
    let lines = texts.map(|node| {
        // A block text ends behind the end of its last line.
        let end = (node.end as usize).max(node.start as usize + 1) - 1;
        view.lines.line_of(node.start as usize)..view.lines.line_of(end) + 1
    });
    lines.filter(|lines| lines.len() > 1).collect()
}

fn is_collection(kind: &NodeKind) -> bool {
    matches!(
        kind,
        NodeKind::Sequence(_)
            | NodeKind::Mapping(_)
            | NodeKind::Set(_)
            | NodeKind::Pairs(_)
            | NodeKind::Alias(_)
    )
}

fn edited(text: &str, edits: &[(Range<usize>, &str)]) -> String {
    let mut edited = String::with_capacity(text.len());
    let mut end = 0;
    for (bytes, new) in edits {
        edited.push_str(text.get(end..bytes.start).unwrap_or_default());
        edited.push_str(new);
        end = bytes.end;
    }
    edited.push_str(text.get(end..).unwrap_or_default());
    edited
}

/// Whether a text has the same values, written in the same way, and the same comments.
fn is_same(before: &Document, text: &str, limits: &Limits) -> bool {
    let Ok(after) = read(before.source(), text.into(), limits) else { return false };
    let comments = |document: &Document| -> Vec<String> {
        let comments = document.comments().iter();
        comments
            .map(|it| {
                document
                    .text()
                    .get(it.start as usize..it.end as usize)
                    .unwrap_or_default()
                    .trim_end()
                    .to_owned()
            })
            .collect()
    };
    let pairs = || before.nodes().iter().zip(after.nodes());
    before.root() == after.root()
        && before.nodes().len() == after.nodes().len()
        && pairs().all(|(one, other)| {
            one.style == other.style && is_same_kind(before, &one.kind, &after, &other.kind)
        })
        && before.findings().len() == after.findings().len()
        && comments(before) == comments(&after)
}

/// Whether two nodes have the same value; texts may be at other places.
fn is_same_kind(before: &Document, one: &NodeKind, after: &Document, other: &NodeKind) -> bool {
    match (one, other) {
        (NodeKind::Text(one), NodeKind::Text(other))
        | (NodeKind::Date(one), NodeKind::Date(other)) => {
            before.text_value(one) == after.text_value(other)
        }
        (NodeKind::Float(one), NodeKind::Float(other)) => one.to_bits() == other.to_bits(),
        (one, other) => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn formatted(text: &str) -> String {
        let limits = Limits::default();
        let view = FileView::new(PathBuf::from("/project/root.yaml"), text.into(), &limits);
        let options = FormattingOptions::new(2, true, None, None, None);
        edited(text, &edits(&view, &options, &limits))
    }

    #[test]
    fn only_what_has_no_meaning_is_changed() {
        let version = "heat_template_version: 2021-04-16";
        for (what, text, expected) in [
            ("blanks at ends of lines", "a: 1  \n  \nb: 2 # c \n", "a: 1\n\nb: 2 # c\n"),
            ("the end of the last line", "a: 1", "a: 1\n"),
            ("blank lines at the end", "a: 1\n\n \n", "a: 1\n"),
            (
                "texts of several lines",
                "a: |\n  x  \n  y\nb: \"x  \n  y\"\n",
                "a: |\n  x  \n  y\nb: \"x  \n  y\"\n",
            ),
            ("a block text at the end", "a: |\n  x", "a: |\n  x"),
            ("a block text that keeps its blank lines", "a: |+\n  x\n\n\n", "a: |+\n  x\n\n\n"),
        ] {
            let [text, expected] =
                [text, expected].map(|it| format!("{version}\nresources:\n  r: {{type: A}}\n{it}"));
            assert_eq!(formatted(&text), expected, "{what}");
            assert_eq!(formatted(&expected), expected, "{what}, again");
        }
    }

    #[test]
    fn line_ends_stay() {
        let text = "heat_template_version: 2021-04-16 \r\nresources: {}\r\n\r\n";
        assert_eq!(formatted(text), "heat_template_version: 2021-04-16\r\nresources: {}\r\n");
    }

    #[test]
    fn broken_texts_and_files_of_other_programs_are_not_changed() {
        for text in ["heat_template_version: 2021-04-16 \nresources: [ \n", "a: 1 \n", "", " "] {
            assert_eq!(formatted(text), text);
        }
    }
}
