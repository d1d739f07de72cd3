//! Changes of documents other than templates, rendered like rewrites: comments and style are kept.
//!
//! Nothing here proves that the result has the intended meaning; the caller does.

use super::fragment::Fragment;
use super::render::Renderer;
use super::rule::TextChange;
use lossless_yaml::{Document, Edits, Entry, NodeId};
use source_diagnostics::Diagnostic;

/// A change of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DocumentChange {
    /// A scalar gets another text and keeps its quotes.
    Scalar { node: NodeId, text: String },
    /// A node is replaced by one of its parts.
    Part { node: NodeId, part: NodeId },
    /// A pair is removed from a map.
    Delete { map: NodeId, entry: Entry },
}

/// The text of a document after changes.
pub(crate) fn changed_text(
    document: &Document,
    changes: Vec<DocumentChange>,
) -> Result<String, Box<Diagnostic>> {
    edits(document, changes).apply(document)
}

/// The edits of a document for changes.
pub(crate) fn edits(document: &Document, changes: Vec<DocumentChange>) -> Edits {
    let changes: Vec<TextChange> = changes
        .into_iter()
        .map(|change| match change {
            DocumentChange::Scalar { node, text } => TextChange::Scalar { node, text },
            DocumentChange::Part { node, part } => {
                TextChange::Node { node, with: Fragment::Node(part) }
            }
            DocumentChange::Delete { map, entry } => TextChange::Delete { map, entry },
        })
        .collect();
    Renderer::new(document, changes.iter()).edits()
}
