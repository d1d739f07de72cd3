//! Differences of long texts, line by line.

use serde_json::Value as Json;

use super::labels::counted_noun;
use super::short_values::{block_lines, whole_value};
use crate::report::escape::for_terminal;
use hotplate_diff::Pair;
use hotplate_diff::text_diff::{self, TextHunk, hunks};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HunkLine {
    pub(super) kind: HunkLineKind,
    /// The line with its sign, without line end, escaped for display.
    pub(super) text: String,
}

/// The kind of a hunk's line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HunkLineKind {
    /// `@@ … @@`
    Header,
    Same,
    /// On the old side.
    Old,
    /// On the new side.
    New,
}

/// The maximum number of lines of data that one side has.
const MAX_BLOCK_LINES: usize = 40;

/// The number of context lines that stands for the whole text.
pub(super) const ALL_LINES: usize = 1 << 24;

/// The hunks of two values, if they are texts and at least one has several lines.
pub(super) fn value_hunks(value: &Pair<Option<Json>>, context: usize) -> Option<Vec<HunkLine>> {
    let (old, new) = (as_text(value.old.as_ref())?, as_text(value.new.as_ref())?);
    let is_long = |text: &str| text.trim_end_matches('\n').contains('\n');
    (old != new && (is_long(old) || is_long(new))).then(|| lines(old, new, context))
}

/// The lines of a value, or of two: what differs in texts, or all lines of data that only one side has and that are too long for one.
pub(super) fn value_lines(value: &Pair<Option<Json>>, context: usize) -> Option<Vec<HunkLine>> {
    let (kind, sign, data) = match (&value.old, &value.new) {
        (Some(old), None) => (HunkLineKind::Old, '-', old),
        (None | Some(Json::Null), Some(new)) => (HunkLineKind::New, '+', new),
        (Some(old), Some(new)) if !(old.is_string() && new.is_string()) => {
            return data_hunks(old, new, context);
        }
        _ => return value_hunks(value, context),
    };
    let (all, most) = match data.as_str() {
        Some(text) => (text.lines().map(str::to_owned).collect(), usize::MAX),
        None => (block_lines(data)?, MAX_BLOCK_LINES),
    };
    if all.len() < 2 {
        return None;
    }
    let shown = if context == ALL_LINES { all.len() } else { most };
    let line = |text: &String| {
        let text = format!("{sign}{}", with_visible_trailing_blanks(&for_terminal(text)));
        HunkLine { kind, text }
    };
    let null = value.old.iter().filter(|it| it.is_null());
    let null = null.map(|_| HunkLine { kind: HunkLineKind::Old, text: "-null".to_owned() });
    Some(first_lines(null.chain(all.iter().map(line)).collect(), shown))
}

/// The lines of two values of which one is data that is too long for a line.
fn data_hunks(old: &Json, new: &Json, context: usize) -> Option<Vec<HunkLine>> {
    let blocks = (block_lines(old), block_lines(new));
    if old == new || blocks.0.is_none() && blocks.1.is_none() {
        return None;
    }
    let text = |block: Option<Vec<String>>, value: &Json| {
        block.map_or_else(|| whole_value(value), |lines| lines.join("\n")) + "\n"
    };
    let (old, new) = (text(blocks.0, old), text(blocks.1, new));
    let most = if context == ALL_LINES { usize::MAX } else { MAX_BLOCK_LINES };
    // Those that look alike differ in what is hidden.
    (old != new).then(|| first_lines(lines(&old, &new, context), most))
}

/// The first of many lines, and the number of the others.
fn first_lines(mut lines: Vec<HunkLine>, most: usize) -> Vec<HunkLine> {
    let more = lines.len().saturating_sub(most);
    if more > 0 {
        lines.truncate(most);
        let text = format!("@@ and {} @@", counted_noun(more, "more line"));
        lines.push(HunkLine { kind: HunkLineKind::Header, text });
    }
    lines
}

fn as_text(value: Option<&Json>) -> Option<&str> {
    value.map_or(Some(""), Json::as_str)
}

fn lines(old: &str, new: &str, context: usize) -> Vec<HunkLine> {
    let mut lines = Vec::new();
    for hunk in hunks(old, new, context) {
        let TextHunk { old_start, old_lines, new_start, new_lines, .. } = hunk;
        let header = format!("@@ -{old_start},{old_lines} +{new_start},{new_lines} @@");
        lines.push(HunkLine { kind: HunkLineKind::Header, text: header });
        for line in hunk.lines {
            let shown = for_terminal(&line.text);
            let (kind, text) = match line.kind {
                text_diff::TextLineKind::Same => (HunkLineKind::Same, format!(" {shown}")),
                text_diff::TextLineKind::Removed => {
                    (HunkLineKind::Old, format!("-{}", with_visible_trailing_blanks(&shown)))
                }
                text_diff::TextLineKind::Added => {
                    (HunkLineKind::New, format!("+{}", with_visible_trailing_blanks(&shown)))
                }
            };
            lines.push(HunkLine { kind, text });
            if line.lacks_newline {
                lines.push(HunkLine { kind, text: "\\ no line end".to_owned() });
            }
        }
    }
    lines
}

/// Makes trailing blanks visible, since they may be the only difference.
fn with_visible_trailing_blanks(line: &str) -> String {
    let kept = line.trim_end_matches([' ', '\t']);
    let blanks = line[kept.len()..].chars().map(|blank| if blank == ' ' { '·' } else { '→' });
    kept.chars().chain(blanks).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn shown(old: Json, new: Json) -> Option<Vec<String>> {
        let lines = value_hunks(&Pair { old: Some(old), new: Some(new) }, 1)?;
        Some(lines.into_iter().map(|line| line.text).collect())
    }

    #[test]
    fn lines_of_long_texts() {
        let lines = shown(json!("a\nb\nc\n\u{1b}d\n"), json!("a\nb\nc \n\u{1b}d"));
        let expected = ["@@ -2,3 +2,3 @@", " b", "-c", "-␛d", "+c·", "+␛d", "\\ no line end"];
        assert_eq!(lines.expect("a hunk"), expected);
    }

    #[test]
    fn short_texts_and_other_values_have_none() {
        assert_eq!(shown(json!("a"), json!("b\n")), None);
        assert_eq!(shown(json!("a\nb"), json!(1)), None);
        assert_eq!(shown(json!("a\nb"), json!("a\nb")), None);
        assert!(value_hunks(&Pair { old: None, new: Some(json!("a\nb\n")) }, 3).is_some());
    }
}
