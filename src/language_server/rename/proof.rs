//! Reads a file again as it will be after a rename.

use std::ops::Range;

use smol_str::SmolStr;

use super::refusal::RenameRefusal;
use crate::language_server::file_view::FileView;
use crate::language_server::names::{FileNames, NameKind, NameOwner, NameRole, Symbol};
use crate::language_server::snapshot::Snapshot;

/// A name without its place.
type PlacelessName = (NameKind, SmolStr, NameOwner, NameRole);

/// An error unless the file is read with the same names after the rename, with the new name in place of the old one.
pub(super) fn prove(
    snapshot: &Snapshot,
    view: &FileView,
    renamed: &[Range<usize>],
    symbol: &Symbol,
    new_name: &str,
) -> Result<(), RenameRefusal> {
    let refusal = || RenameRefusal::not_proved(snapshot, view, &symbol.name, new_name);
    let before = snapshot.names_of(view).ok_or_else(refusal)?;
    let text = edited(&view.text, renamed, new_name).ok_or_else(refusal)?;
    let after = FileView::new(view.path.clone(), text.into(), &snapshot.project().limits());
    let after_names = FileNames::new(&after).ok_or_else(refusal)?;
    let expected: Vec<PlacelessName> = before
        .occurrences
        .iter()
        .map(|it| {
            let is_renamed = renamed.contains(&it.bytes) && it.kind == symbol.kind;
            let name = if is_renamed { SmolStr::new(new_name) } else { it.name.clone() };
            (it.kind, name, it.owner, it.role)
        })
        .collect();
    let found: Vec<PlacelessName> = after_names
        .occurrences
        .iter()
        .map(|it| (it.kind, it.name.clone(), it.owner, it.role))
        .collect();
    let is_same = expected == found
        && before.untraced.len() == after_names.untraced.len()
        && view.readable.left_out.len() == after.readable.left_out.len()
        && view.document().map(|it| it.findings().len())
            == after.document().map(|it| it.findings().len());
    is_same.then_some(()).ok_or_else(refusal)
}

/// A text with a new name in some places, which are in the order of the text.
pub(super) fn edited(text: &str, places: &[Range<usize>], new_name: &str) -> Option<String> {
    let mut edited = String::with_capacity(text.len());
    let mut end = 0;
    for place in places {
        edited.push_str(text.get(end..place.start)?);
        edited.push_str(new_name);
        end = place.end;
    }
    edited.push_str(text.get(end..)?);
    Some(edited)
}
