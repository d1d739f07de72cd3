//! Where a name is used.

use gen_lsp_types::{
    DocumentHighlight, DocumentHighlightKind, DocumentHighlightParams, Location, ReferenceParams,
};

use super::names::{FileNames, NameOwner, NameRole, Occurrence};
use super::snapshot::Snapshot;

/// The answer to `textDocument/references`: the places in all files of the project.
pub(super) fn references(snapshot: &Snapshot, params: ReferenceParams) -> Option<Vec<Location>> {
    let (view, offset) = snapshot.at(&params.text_document_position_params)?;
    let names = snapshot.names_of(&view)?;
    let project = snapshot.project_names();
    let mut found = Vec::new();
    for occurrence in names.at(offset) {
        let symbol = project.symbol(snapshot, &view.path, occurrence);
        for place in project.places(snapshot, &symbol) {
            let is_declaration = place.occurrence.role == NameRole::Declaration;
            if is_declaration && !params.context.include_declaration {
                continue;
            }
            if let Some(view) = snapshot.view(place.path) {
                found.push(snapshot.location(&view, place.occurrence.bytes.clone()));
            }
        }
    }
    (!found.is_empty()).then_some(found)
}

/// The answer to `textDocument/documentHighlight`: the places in the same file.
pub(super) fn highlights(
    snapshot: &Snapshot,
    params: DocumentHighlightParams,
) -> Option<Vec<DocumentHighlight>> {
    let (view, offset) = snapshot.at(&params.text_document_position_params)?;
    let names = snapshot.names_of(&view)?;
    let meant: Vec<&Occurrence> = names.at(offset).collect();
    let same =
        names.occurrences.iter().filter(|it| meant.iter().any(|meant| is_same(&names, meant, it)));
    let highlight = |it: &Occurrence| {
        let kind = match it.role {
            NameRole::Declaration | NameRole::Value => DocumentHighlightKind::Write,
            NameRole::Use => DocumentHighlightKind::Read,
        };
        DocumentHighlight::new(snapshot.range(&view, it.bytes.clone()), Some(kind))
    };
    let highlights: Vec<_> = same.map(highlight).collect();
    (!highlights.is_empty()).then_some(highlights)
}

/// Whether two names of a file are of the same thing, as far as the file alone shows it.
fn is_same(names: &FileNames, one: &Occurrence, other: &Occurrence) -> bool {
    let template = |index: usize| names.nested.get(index).map(|it| &it.template);
    one.kind == other.kind
        && one.name == other.name
        && match (one.owner, other.owner) {
            (NameOwner::Nested(one), NameOwner::Nested(other)) => template(one) == template(other),
            (NameOwner::ThisFile, NameOwner::ThisFile) => true,
            (NameOwner::Root | NameOwner::Tree, NameOwner::Root | NameOwner::Tree) => true,
            _ => false,
        }
}
