//! The ranges that an editor selects when a selection grows.

use gen_lsp_types::{SelectionRange, SelectionRangeParams};

use super::cursor::Cursor;
use super::snapshot::Snapshot;

/// The answer to `textDocument/selectionRange`: the value at each position, and what contains it.
pub(super) fn selection_ranges(
    snapshot: &Snapshot,
    params: SelectionRangeParams,
) -> Option<Vec<SelectionRange>> {
    let view = snapshot.view_of(&params.text_document)?;
    let document = view.document()?;
    let range_at = |position| {
        let whole = SelectionRange::new(snapshot.range(&view, 0..view.text.len()), None);
        let Some(cursor) = Cursor::at(document, snapshot.offset(&view, position)) else {
            return whole;
        };
        let nodes = cursor.containers.iter().chain([&cursor.node]);
        nodes.fold(whole, |outer, node| {
            let range = view.range(document.span(*node), snapshot.session.unit);
            if range == outer.range {
                return outer;
            }
            SelectionRange::new(range, Some(Box::new(outer)))
        })
    };
    Some(params.positions.into_iter().map(range_at).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language_server::testing::TestProject;
    use gen_lsp_types::{PartialResultParams, WorkDoneProgressParams};

    #[test]
    fn a_selection_grows_from_the_value_to_the_whole_text() {
        let text = "heat_template_version: 2021-04-16\noutputs: {a: {value: [1, tw␣o]}}\n";
        let project = TestProject::new(&[("root.yaml", text)]);
        let (progress, partial) =
            (WorkDoneProgressParams::default(), PartialResultParams::default());
        let params = SelectionRangeParams::new(
            project.document(),
            vec![project.position],
            progress,
            partial,
        );
        let found = selection_ranges(&project.snapshot, params).expect("ranges");
        let view = project.snapshot.view(&project.path).expect("readable");
        let mut selected = Vec::new();
        let mut range = found.first();
        while let Some(it) = range {
            selected.push(
                &view.text[view.lines.bytes(&view.text, it.range, project.snapshot.session.unit)],
            );
            range = it.parent.as_deref();
        }
        assert_eq!(selected[..3], ["two", "[1, two]", "{value: [1, two]}"]);
        assert_eq!(selected.last(), Some(&&*view.text));
    }
}
