//! Why a name is not renamed.

use std::path::{Path, PathBuf};

use lossless_yaml::{Document, NodeId};
use source_diagnostics::Diagnostic;
use source_files::FileSource;

use crate::language_server::file_view::FileView;
use crate::language_server::names::{NameKind, NameOwner, NamePlace, Symbol};
use crate::language_server::snapshot::Snapshot;

/// The configuration of a project.
const CONFIGURATION: &str = "hotplate.toml";

/// Why a name is not renamed, as a user reads it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(in crate::language_server) struct RenameRefusal(pub(in crate::language_server) String);

impl RenameRefusal {
    pub(super) fn unreadable(snapshot: &Snapshot, path: &Path) -> Self {
        RenameRefusal(format!("`{}` cannot be read", shown(snapshot, path)))
    }

    /// The file would be read in another way with the new name.
    pub(super) fn not_proved(
        snapshot: &Snapshot,
        view: &FileView,
        old_name: &str,
        new_name: &str,
    ) -> Self {
        let path = shown(snapshot, &view.path);
        if view.document().is_some_and(|document| is_duplicate(document, old_name)) {
            return RenameRefusal(format!(
                "`{path}` has the key `{old_name}` twice in the same map: fix it first"
            ));
        }
        RenameRefusal(format!("with the name `{new_name}`, `{path}` would have another meaning"))
    }
}

/// Whether a map has a key twice.
fn is_duplicate(document: &Document, name: &str) -> bool {
    let found =
        document.findings().iter().filter(|it| it.code == lossless_yaml::codes::DUPLICATE_KEY);
    found
        .filter_map(Diagnostic::span)
        .any(|span| document.slice(span).trim_matches(['"', '\'']) == name)
}

/// The path of a file relative to the folder of the project.
fn shown(snapshot: &Snapshot, path: &Path) -> String {
    path.strip_prefix(&snapshot.session.root).unwrap_or(path).to_string_lossy().into_owned()
}

/// The templates that declare a symbol.
pub(super) fn declared_in(snapshot: &Snapshot, symbol: &Symbol) -> Vec<PathBuf> {
    let project = snapshot.project_names();
    let declares = |path: &&PathBuf| {
        project
            .file(path)
            .is_some_and(|names| names.declaration(symbol.kind, &symbol.name).is_some())
    };
    symbol.templates.iter().filter(declares).cloned().collect()
}

/// An error for the names that Heat provides.
pub(super) fn declared(symbol: &Symbol) -> Result<(), RenameRefusal> {
    match symbol.name.contains("::") {
        true => Err(RenameRefusal(format!("`{}` is a name that Heat provides", symbol.name))),
        false => Ok(()),
    }
}

/// An error if no template declares the symbol.
pub(super) fn declared_somewhere(
    snapshot: &Snapshot,
    symbol: &Symbol,
) -> Result<(), RenameRefusal> {
    declared(symbol)?;
    match declared_in(snapshot, symbol).is_empty() {
        true => Err(RenameRefusal(format!(
            "no template declares the {} `{}`",
            symbol.kind.noun(),
            symbol.name
        ))),
        false => Ok(()),
    }
}

/// An error for a text that is not a name, or that would have another meaning in some place where a name is.
pub(super) fn new_name(kind: NameKind, name: &str) -> Result<(), RenameRefusal> {
    let is_allowed =
        |c: char| c.is_alphanumeric() || "_-".contains(c) || c == '.' && kind != NameKind::Resource;
    let begins_well = name.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    if begins_well && name.chars().all(is_allowed) {
        return Ok(());
    }
    let rule = "a name has letters, digits, `_` and `-`, and begins with a letter, a digit or `_`";
    Err(RenameRefusal(format!("`{name}` is not the name of a {}: {rule}", kind.noun())))
}

/// An error if one of the templates has the new name already.
pub(super) fn taken(
    snapshot: &Snapshot,
    symbol: &Symbol,
    new_name: &str,
) -> Result<(), RenameRefusal> {
    let project = snapshot.project_names();
    for path in &symbol.templates {
        let Some(names) = project.file(path) else { continue };
        let is_it = |kind: NameKind| kind == symbol.kind;
        let used = names
            .occurrences
            .iter()
            .find(|it| it.owner == NameOwner::ThisFile && is_it(it.kind) && it.name == new_name);
        if used.is_some() {
            let (path, noun) = (shown(snapshot, path), symbol.kind.noun());
            return Err(RenameRefusal(format!("`{path}` has a {noun} `{new_name}` already")));
        }
    }
    Ok(())
}

/// An error if a place may have the name, but cannot be followed, or if a part of a file that cannot be read has it.
pub(super) fn untraced(snapshot: &Snapshot, symbol: &Symbol) -> Result<(), RenameRefusal> {
    let project = snapshot.project_names();
    if let Some((path, untraced)) = project.untraced(snapshot, symbol).first() {
        let line = snapshot.view(path).map(|view| view.lines.line_of(untraced.bytes.start) + 1);
        let place = format!("{}:{}", shown(snapshot, path), line.unwrap_or_default());
        let (noun, reason) = (symbol.kind.noun(), untraced.reason);
        return Err(RenameRefusal(format!(
            "{place} {reason}, which may be that of the {noun} `{}`",
            symbol.name
        )));
    }
    for (path, names) in project.files() {
        if names.unread.iter().any(|text| has_word(text, &symbol.name)) {
            let path = shown(snapshot, path);
            return Err(RenameRefusal(format!(
                "`{path}` cannot be read where it has `{}`: fix it first",
                symbol.name
            )));
        }
    }
    Ok(())
}

/// An error for a file outside of the project.
pub(super) fn outside(snapshot: &Snapshot, path: &Path) -> Result<(), RenameRefusal> {
    match path.starts_with(&snapshot.session.root) {
        true => Ok(()),
        false => {
            Err(RenameRefusal(format!("`{}` is outside of the project", path.to_string_lossy())))
        }
    }
}

/// An error if an environment may be for one of several templates.
pub(super) fn guessed(snapshot: &Snapshot, places: &[NamePlace<'_>]) -> Result<(), RenameRefusal> {
    let project = snapshot.project_names();
    let is_ambiguous = |place: &&NamePlace<'_>| {
        let roots = place.symbol.templates.iter().filter(|path| !project.is_nested(path));
        place.symbol.is_guess && roots.count() > 1
    };
    match places.iter().find(is_ambiguous) {
        None => Ok(()),
        Some(place) => {
            let path = shown(snapshot, place.path);
            let name = &place.symbol.name;
            Err(RenameRefusal(format!(
                "`{path}` has `{name}`, which several templates declare; name the environment in a deployment of {CONFIGURATION}, so that it is known which one it is for"
            )))
        }
    }
}

/// A warning if the configuration has the name: its deployments may have values of parameters. An error if the client cannot show it.
pub(super) fn in_configuration(
    snapshot: &Snapshot,
    symbol: &Symbol,
) -> Result<Option<String>, RenameRefusal> {
    let folders = snapshot.session.root.ancestors();
    let text = folders.filter_map(|it| snapshot.files().read(&it.join(CONFIGURATION)).ok()).next();
    let text = text.unwrap_or_default();
    let name = &symbol.name;
    if symbol.kind != NameKind::Parameter || !has_word(&String::from_utf8_lossy(&text), name) {
        return Ok(None);
    }
    match snapshot.session.client.annotates_changes {
        true => Ok(Some(format!("{CONFIGURATION} has `{name}`, too, and is not changed"))),
        false => {
            let message = format!("{CONFIGURATION} has `{name}`, too: change it there first");
            Err(RenameRefusal(message))
        }
    }
}

/// A warning if a text of a file has the name in it: scripts refer to resources by their names.
pub(super) fn in_text(snapshot: &Snapshot, view: &FileView, symbol: &Symbol) -> Option<String> {
    let (document, names) = (view.document()?, snapshot.names_of(view)?);
    let is_name = |bytes: &std::ops::Range<usize>| {
        let mut known = names.occurrences.iter();
        known.any(|it| bytes.start <= it.bytes.start && it.bytes.end <= bytes.end)
    };
    let texts = (0..document.nodes().len()).filter_map(|at| {
        let node = NodeId(u32::try_from(at).ok()?);
        document.str(node).filter(|text| has_word(text, &symbol.name))?;
        let bytes = document.span(node).range();
        (!is_name(&bytes)).then(|| view.lines.line_of(bytes.start) + 1)
    });
    let (first, path, name) = (texts.min()?, shown(snapshot, &view.path), &symbol.name);
    Some(format!("the text at {path}:{first} has `{name}` in it and is not changed"))
}

/// Whether a text has a name that is not a part of a longer one.
fn has_word(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || "_-".contains(c);
    text.match_indices(name).any(|(at, _)| {
        let before = text.get(..at).and_then(|it| it.chars().next_back());
        let after = text.get(at + name.len()..).and_then(|it| it.chars().next());
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}
