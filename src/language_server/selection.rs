//! What an editor selects when a selection grows.

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
