//! The references to files, as links.

use gen_lsp_types::{DocumentLink, DocumentLinkParams};
use source_files::{FileSource, PathKind};

use super::snapshot::Snapshot;

/// The answer to `textDocument/documentLink`: the files that a template or an environment refers to by a path, if they exist.
pub(super) fn document_links(
    snapshot: &Snapshot,
    params: DocumentLinkParams,
) -> Option<Vec<DocumentLink>> {
    let view = snapshot.view_of(&params.text_document)?;
    let names = snapshot.names_of(&view)?;
    let exists = |path: &std::path::Path| snapshot.files().kind(path) == Some(PathKind::File);
    let links = names.links.iter().filter(|link| exists(&link.path));
    let link = |bytes: &std::ops::Range<usize>, path| {
        DocumentLink::new(
            snapshot.range(&view, bytes.clone()),
            Some(snapshot.uri(path)),
            None,
            None,
        )
    };
    Some(links.map(|it| link(&it.bytes, &it.path)).collect())
}
