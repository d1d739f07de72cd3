//! The parts of a text that an editor can fold.

use std::collections::BTreeMap;

use gen_lsp_types::{FoldingRange, FoldingRangeKind, FoldingRangeParams};
use lossless_yaml::{Document, NodeKind};

use super::file_view::FileView;
use super::snapshot::Snapshot;

/// The answer to `textDocument/foldingRange`: maps, lists and texts of several lines with the line of their key, and comments.
pub(super) fn folding_ranges(
    snapshot: &Snapshot,
    params: FoldingRangeParams,
) -> Option<Vec<FoldingRange>> {
    let view = snapshot.view_of(&params.text_document)?;
    let document = view.document()?;
    // Of several parts that begin on the same line, the largest one.
    let mut folds: BTreeMap<usize, (usize, Option<FoldingRangeKind>)> = BTreeMap::new();
    let mut add = |first: usize, last: usize, kind: Option<FoldingRangeKind>| {
        if last > first {
            let known = folds.entry(first).or_insert_with(|| (last, kind));
            known.0 = known.0.max(last);
        }
    };
    let (lines, text) = (&view.lines, &view.text);
    let last_line = |end: usize| {
        let content = text.get(..end).unwrap_or_default().trim_end();
        let last = lines.line_of(content.len().saturating_sub(1));
        let bytes = lines.line(text, last);
        let before = text.get(bytes.start..content.len()).unwrap_or_default().trim();
        // The closing bracket stays visible.
        if ["}", "]"].contains(&before) { last.saturating_sub(1) } else { last }
    };
    for node in document.nodes() {
        let parts: Vec<(u32, u32)> = match &node.kind {
            NodeKind::Mapping(mapping) => mapping
                .written()
                .iter()
                .map(|it| (document.span(it.key).start, document.span(it.value).end))
                .collect(),
            NodeKind::Sequence(items) => items
                .iter()
                .map(|it| document.span(*it))
                .map(|span| (span.start, span.end))
                .collect(),
            _ => continue,
        };
        for (start, end) in parts {
            add(lines.line_of(start as usize), last_line(end as usize), None);
        }
    }
    for (first, last) in comment_blocks(&view, document) {
        add(first, last, Some(FoldingRangeKind::Comment));
    }
    let number = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
    let fold = |(first, (last, kind))| {
        FoldingRange::new(number(first), None, number(last), None, kind, None)
    };
    Some(folds.into_iter().map(fold).collect())
}

/// The first and the last line of each run of lines that are only comments.
fn comment_blocks(view: &FileView, document: &Document) -> Vec<(usize, usize)> {
    let mut blocks: Vec<(usize, usize)> = Vec::new();
    for comment in document.comments() {
        let line = view.lines.line_of(comment.start as usize);
        let start = view.lines.line(&view.text, line).start;
        let before = view.text.get(start..comment.start as usize).unwrap_or_default();
        if !before.trim().is_empty() {
            continue;
        }
        match blocks.last_mut().filter(|(_, last)| *last + 1 == line) {
            Some(block) => block.1 = line,
            None => blocks.push((line, line)),
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language_server::testing::TestProject;
    use gen_lsp_types::{PartialResultParams, WorkDoneProgressParams};

    #[test]
    fn maps_lists_texts_and_comments_of_several_lines_fold() {
        let text = "# one
# two
heat_template_version: 2021-04-16
resources:
  box:
    type: A::B  # a comment
    metadata:
      - |
        text
        more

outputs: {}
";
        let project = TestProject::new(&[("root.yaml", text)]);
        let (progress, partial) =
            (WorkDoneProgressParams::default(), PartialResultParams::default());
        let params = FoldingRangeParams::new(project.document(), progress, partial);
        let found = folding_ranges(&project.snapshot, params).expect("ranges");
        let found: Vec<_> =
            found.iter().map(|it| (it.start_line, it.end_line, it.kind.is_some())).collect();
        assert_eq!(
            found,
            [(0, 1, true), (3, 9, false), (4, 9, false), (6, 9, false), (7, 9, false)]
        );
    }

    #[test]
    fn the_closing_brackets_of_json_stay_visible() {
        let text = "{\n\"heat_template_version\": \"2021-04-16\",\n\"outputs\": {\n\"a\": {\"value\": 1}\n}\n}\n";
        let project = TestProject::new(&[("root.json", text)]);
        let (progress, partial) =
            (WorkDoneProgressParams::default(), PartialResultParams::default());
        let params = FoldingRangeParams::new(project.document(), progress, partial);
        let found = folding_ranges(&project.snapshot, params).expect("ranges");
        let found: Vec<_> = found.iter().map(|it| (it.start_line, it.end_line)).collect();
        assert_eq!(found, [(2, 3)]);
    }
}
