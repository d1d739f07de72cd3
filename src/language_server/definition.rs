//! Where a name is declared, and the file that a reference leads to.

use gen_lsp_types::{Definition, DefinitionParams, DefinitionResponse, Location};
use source_files::{FileSource, PathKind};

use super::file_view::FileView;
use super::names::{FileNames, NameOwner, Occurrence, TypeTarget};
use super::snapshot::Snapshot;

/// The answer to `textDocument/definition`.
pub(super) fn definition(
    snapshot: &Snapshot,
    params: DefinitionParams,
) -> Option<DefinitionResponse> {
    let (view, offset) = snapshot.at(&params.text_document_position_params)?;
    let names = snapshot.names_of(&view)?;
    let mut found: Vec<Location> = Vec::new();
    for occurrence in names.at(offset) {
        declarations(snapshot, &view, &names, occurrence, &mut found);
    }
    files(snapshot, &view, &names, offset, &mut found);
    let mut distinct: Vec<Location> = Vec::new();
    found.into_iter().for_each(|it| {
        if !distinct.contains(&it) {
            distinct.push(it);
        }
    });
    (!distinct.is_empty()).then(|| Definition::LocationList(distinct).into())
}

/// Adds where the symbol of a name is declared.
fn declarations(
    snapshot: &Snapshot,
    view: &FileView,
    names: &FileNames,
    occurrence: &Occurrence,
    found: &mut Vec<Location>,
) {
    let Occurrence { kind, name, .. } = occurrence;
    if occurrence.owner == NameOwner::ThisFile {
        let declared = names.declaration(*kind, name);
        found.extend(declared.map(|it| snapshot.location(view, it.bytes.clone())));
        return;
    }
    let project = snapshot.project_names();
    for template in project.symbol(snapshot, &view.path, occurrence).templates {
        let declared = project.file(&template).and_then(|names| names.declaration(*kind, name));
        if let (Some(declared), Some(view)) = (declared, snapshot.view(&template)) {
            found.push(snapshot.location(&view, declared.bytes.clone()));
        }
    }
}

/// Adds the files that a reference or a type at an offset leads to.
fn files(
    snapshot: &Snapshot,
    view: &FileView,
    names: &FileNames,
    offset: usize,
    found: &mut Vec<Location>,
) {
    let is_at = |bytes: &std::ops::Range<usize>| (bytes.start..=bytes.end).contains(&offset);
    let mut paths: Vec<_> =
        names.links.iter().filter(|it| is_at(&it.bytes)).map(|it| it.path.clone()).collect();
    let types = names.registry.iter().filter(|it| is_at(&it.bytes));
    paths.extend(types.filter_map(|it| match &it.implementation {
        TypeTarget::File(path) => Some(path.clone()),
        TypeTarget::Type(_) => None,
    }));
    if names.nested.iter().any(|it| is_at(&it.bytes)) {
        let project = snapshot.project_names();
        let nested = names.nested.iter().enumerate().filter(|(_, it)| is_at(&it.bytes));
        paths.extend(
            nested.flat_map(|(index, _)| project.implementations(&view.path, index).cloned()),
        );
    }
    for path in paths {
        if snapshot.files().kind(&path) == Some(PathKind::File) {
            found.push(Location::new(snapshot.uri(&path), gen_lsp_types::Range::default()));
        }
    }
}
