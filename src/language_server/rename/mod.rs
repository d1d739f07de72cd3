//! Renames what a template declares, in all files of the project.
//!
//! A rename is proved before it is answered: the edited files are read again, and must have the names that they had, with the new one
//! in place of the old one. What cannot be followed or proved is refused with the reason, since half a rename is worse than none.

mod edit;
mod proof;
mod refusal;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use gen_lsp_types::{
    PrepareRenameParams, PrepareRenamePlaceholder, PrepareRenameResult, RenameParams, WorkspaceEdit,
};

use super::file_view::FileView;
use super::names::{NameKind, Occurrence, Symbol};
use super::snapshot::Snapshot;
use edit::RenameEdit;
pub(super) use refusal::RenameRefusal;

/// The answer to `textDocument/prepareRename`: the bytes of the name at a position; `None` where there is none.
pub(super) fn prepare_rename(
    snapshot: &Snapshot,
    params: PrepareRenameParams,
) -> Result<Option<PrepareRenameResult>, RenameRefusal> {
    let Some((view, offset)) = snapshot.at(&params.text_document_position_params) else {
        return Ok(None);
    };
    let Some((occurrence, symbol)) = symbol_at(snapshot, &view, offset) else { return Ok(None) };
    refusal::declared(&symbol)?;
    let range = snapshot.range(&view, occurrence.bytes);
    Ok(Some(PrepareRenamePlaceholder::new(range, occurrence.name.to_string()).into()))
}

/// The answer to `textDocument/rename`.
pub(super) fn rename(
    snapshot: &Snapshot,
    params: RenameParams,
) -> Result<Option<WorkspaceEdit>, RenameRefusal> {
    let Some((view, offset)) = snapshot.at(&params.text_document_position_params) else {
        return Ok(None);
    };
    let Some((_, symbol)) = symbol_at(snapshot, &view, offset) else { return Ok(None) };
    let edit = planned(snapshot, symbol, &params.new_name)?;
    Ok(Some(edit.into_workspace_edit(snapshot)))
}

/// The name at an offset, with what it stands for: what is declared, if there are several.
fn symbol_at(snapshot: &Snapshot, view: &FileView, offset: usize) -> Option<(Occurrence, Symbol)> {
    let names = snapshot.names_of(view)?;
    let project = snapshot.project_names();
    let found = names.at(offset).map(|it| (it.clone(), project.symbol(snapshot, &view.path, it)));
    // A property of a resource that no template implements is not a name.
    let mut found: Vec<_> = found.filter(|(_, symbol)| !symbol.templates.is_empty()).collect();
    found.sort_by_key(|(_, symbol)| refusal::declared_in(snapshot, symbol).is_empty());
    found.into_iter().next()
}

/// The edits of a rename, proved.
fn planned(
    snapshot: &Snapshot,
    symbol: Symbol,
    new_name: &str,
) -> Result<RenameEdit, RenameRefusal> {
    refusal::new_name(symbol.kind, new_name)?;
    let project = snapshot.project_names();
    let (symbol, places) = project.connected(snapshot, symbol);
    refusal::declared_somewhere(snapshot, &symbol)?;
    if symbol.name != new_name {
        refusal::taken(snapshot, &symbol, new_name)?;
    }
    refusal::untraced(snapshot, &symbol)?;
    let mut files: BTreeMap<PathBuf, (Arc<FileView>, Vec<std::ops::Range<usize>>)> =
        BTreeMap::new();
    for place in &places {
        refusal::outside(snapshot, place.path)?;
        let view = snapshot
            .view(place.path)
            .ok_or_else(|| RenameRefusal::unreadable(snapshot, place.path))?;
        let (_, bytes) = files.entry(place.path.to_owned()).or_insert_with(|| (view, Vec::new()));
        if !bytes.contains(&place.occurrence.bytes) {
            bytes.push(place.occurrence.bytes.clone());
        }
    }
    refusal::guessed(snapshot, &places)?;
    for (view, bytes) in files.values_mut() {
        bytes.sort_by_key(|it| it.start);
        proof::prove(snapshot, view, bytes, &symbol, new_name)?;
    }
    let mut warnings = Vec::new();
    if symbol.kind == NameKind::Resource {
        let warning =
            "Heat identifies resources by name: a renamed one is deleted and created again";
        warnings.push(warning.to_owned());
        let in_text = |(view, _): &(Arc<FileView>, _)| refusal::in_text(snapshot, view, &symbol);
        warnings.extend(files.values().filter_map(in_text));
    }
    if places.iter().any(|place| place.symbol.is_guess) {
        let warning =
            "no deployment of hotplate.toml says for which templates the environments are";
        warnings.push(warning.to_owned());
    }
    warnings.extend(refusal::in_configuration(snapshot, &symbol)?);
    Ok(RenameEdit { files, new_name: new_name.to_owned(), warnings })
}
