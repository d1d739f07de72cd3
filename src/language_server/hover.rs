//! `textDocument/hover`: what is at a position, and its value in each deployment.
//!
//! The place of the position ([`super::place`]) decides what is said about it; values come from the evaluated deployments ([`values`]). The
//! last part is what the edit does there ([`super::impact`]). No secret value is in a hover.

mod contexts;
mod names;
mod subject;
#[cfg(test)]
mod tests;
mod values;

use gen_lsp_types::{Hover, HoverParams, MarkupContent, MarkupKind};

use self::subject::HoverRequest;
use super::cursor::Cursor;
use super::file_view::{FileContent, FileView};
use super::place::{Place, Places, TypeSource};
use super::snapshot::Snapshot;
use heat_template::dialect::Dialect;
use heat_template::hot::Version;
use lossless_yaml::NodeKind;

/// The subject at a position.
pub(super) fn hover(snapshot: &Snapshot, params: HoverParams) -> Option<Hover> {
    let (view, offset) = snapshot.at(&params.text_document_position_params)?;
    let found = subject(snapshot, &view, offset);
    let range = found.as_ref().map(|(_, bytes)| snapshot.range(&view, bytes.clone()));
    let subject = found.map(|(text, _)| text).filter(|text| !text.is_empty());
    let impact = snapshot.impact(&view.path);
    let notes = impact.at(offset).filter(|note| !note.markdown.is_empty());
    let parts: Vec<String> =
        subject.into_iter().chain(notes.map(|note| note.markdown.clone())).collect();
    if parts.is_empty() {
        return None;
    }
    let kind =
        if snapshot.session.client.markdown { MarkupKind::Markdown } else { MarkupKind::PlainText };
    Some(Hover::new(MarkupContent::new(kind, parts.join("\n\n---\n\n")).into(), range))
}

/// The facts about the name or value at an offset, and its bytes.
fn subject(
    snapshot: &Snapshot,
    view: &FileView,
    offset: usize,
) -> Option<(String, std::ops::Range<usize>)> {
    let document = view.document()?;
    let root = match &view.content {
        FileContent::Template(_) => Place::Template,
        FileContent::Environment => Place::Environment,
        FileContent::RefusedTemplate | FileContent::Other => return None,
    };
    let cursor = Cursor::at(document, offset)?;
    // What is between the parts of a map or a list is no name.
    if matches!(
        document.node_as_written(cursor.node).kind,
        NodeKind::Mapping(_) | NodeKind::Sequence(_)
    ) {
        return None;
    }
    let types = TypeSource::new(snapshot, &view.path);
    let dialect = view.dialect().unwrap_or(Dialect::Hot(Version::LATEST));
    let places = Places { document, dialect, types: &types };
    let node = document.node_as_written(cursor.node);
    let bytes = node.start as usize..node.end as usize;
    let request = HoverRequest { snapshot, view, places, cursor };
    Some((request.text(root), bytes))
}
