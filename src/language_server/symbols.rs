//! The symbols of a file and of the project.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use gen_lsp_types::{
    BaseSymbolInformation, DocumentSymbol, DocumentSymbolParams, DocumentSymbolResponse,
    SymbolKind, WorkspaceSymbol, WorkspaceSymbolParams, WorkspaceSymbolResponse,
};
use heat_engine::environment::sections::{DEFAULTS, PARAMETERS, REGISTRY};
use lossless_yaml::{Document, Entry};

use super::file_view::{FileContent, FileView};
use super::names::{NameKind, NameRole};
use super::snapshot::Snapshot;

/// The most symbols of the project in one answer: nobody reads more.
const MAX_SYMBOLS: usize = 256;

/// What is in each section. The names of CFN's sections differ in case only.
const SECTIONS: &[(&str, SymbolKind)] = &[
    (PARAMETERS, SymbolKind::Variable),
    ("conditions", SymbolKind::Boolean),
    ("mappings", SymbolKind::Constant),
    ("resources", SymbolKind::Object),
    ("outputs", SymbolKind::Field),
    (DEFAULTS, SymbolKind::Variable),
    (REGISTRY, SymbolKind::Interface),
];

/// The answer to `textDocument/documentSymbol`: the sections, and what each declares.
pub(super) fn document_symbols(
    snapshot: &Snapshot,
    params: DocumentSymbolParams,
) -> Option<DocumentSymbolResponse> {
    let view = snapshot.view_of(&params.text_document)?;
    if matches!(view.content, FileContent::Other) {
        return None;
    }
    let document = view.document()?;
    let sections = document.entries(document.root()?).iter();
    let symbols = sections.filter_map(|section| {
        let name = document.str(section.key)?;
        let kind = SECTIONS
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, kind)| *kind);
        let below = document.entries(section.value).iter().filter_map(|entry| {
            symbol(snapshot, &view, document, entry, kind.unwrap_or(SymbolKind::Key), vec![])
        });
        let below = below.collect();
        symbol(snapshot, &view, document, section, SymbolKind::Namespace, below)
    });
    Some(DocumentSymbolResponse::DocumentSymbolList(symbols.collect()))
}

fn symbol(
    snapshot: &Snapshot,
    view: &FileView,
    document: &Document,
    entry: &Entry,
    kind: SymbolKind,
    children: Vec<DocumentSymbol>,
) -> Option<DocumentSymbol> {
    let name = document.str(entry.key).filter(|name| !name.trim().is_empty())?.to_owned();
    let [key, value] = [entry.key, entry.value].map(|node| document.span(node).range());
    // A value that is an alias or that a merge key adds may be elsewhere.
    let end = if value.end >= key.end { value.end } else { key.end };
    let typed = ["type", "Type"].iter().find_map(|it| document.str(document.get(entry.value, it)?));
    Some(DocumentSymbol::new(
        name,
        typed.map(str::to_owned),
        kind,
        None,
        None,
        snapshot.range(view, key.start..end),
        snapshot.range(view, key),
        (!children.is_empty()).then_some(children),
    ))
}

/// The answer to `workspace/symbol`: what the templates of the project declare, and the environments give values to.
pub(super) fn workspace_symbols(
    snapshot: &Snapshot,
    params: WorkspaceSymbolParams,
) -> Option<WorkspaceSymbolResponse> {
    let query = params.query.to_lowercase();
    let mut views: HashMap<&Path, Option<Arc<FileView>>> = HashMap::new();
    let mut symbols = Vec::new();
    for (path, names) in snapshot.project_names().files() {
        let declared = names.occurrences.iter().filter(|it| match it.role {
            NameRole::Declaration => true,
            NameRole::Value => !names.is_template,
            NameRole::Use => false,
        });
        for occurrence in declared.filter(|it| is_match(&query, &it.name)) {
            if symbols.len() == MAX_SYMBOLS {
                return Some(WorkspaceSymbolResponse::WorkspaceSymbolList(symbols));
            }
            let view = views.entry(path).or_insert_with(|| snapshot.view(path));
            let Some(view) = view else { continue };
            let relative = path.strip_prefix(&snapshot.session.root).unwrap_or(path);
            let information = BaseSymbolInformation::new(
                occurrence.name.to_string(),
                symbol_kind(occurrence.kind),
                None,
                Some(relative.to_string_lossy().into_owned()),
            );
            let location = snapshot.location(view, occurrence.bytes.clone());
            symbols.push(WorkspaceSymbol::new(location.into(), None, information));
        }
    }
    Some(WorkspaceSymbolResponse::WorkspaceSymbolList(symbols))
}

fn symbol_kind(kind: NameKind) -> SymbolKind {
    match kind {
        NameKind::Parameter => SymbolKind::Variable,
        NameKind::Resource => SymbolKind::Object,
        NameKind::Condition => SymbolKind::Boolean,
        NameKind::Output => SymbolKind::Field,
        NameKind::Mapping => SymbolKind::Constant,
    }
}

/// Whether a name contains the characters of a query in their order, in any letter case.
fn is_match(query: &str, name: &str) -> bool {
    let mut rest = name.chars().flat_map(char::to_lowercase);
    query.chars().all(|wanted| rest.any(|c| c == wanted))
}
