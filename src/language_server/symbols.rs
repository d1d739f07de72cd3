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

/// The content of each section. The names of CFN's sections differ in case only.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language_server::testing::TestProject;
    use gen_lsp_types::{PartialResultParams, WorkDoneProgressParams};

    const TEMPLATE: &str = "heat_template_version: 2021-04-16
parameters: {size: {type: number}}
resources:
  box: {type: 'A::B'}
";

    #[test]
    fn sections_contain_what_they_declare_with_its_type() {
        let project = TestProject::new(&[("root.yaml", TEMPLATE)]);
        let (progress, partial) =
            (WorkDoneProgressParams::default(), PartialResultParams::default());
        let params = DocumentSymbolParams::new(project.document(), progress, partial);
        let found = document_symbols(&project.snapshot, params).expect("symbols");
        let DocumentSymbolResponse::DocumentSymbolList(found) = found else { panic!("{found:?}") };
        let names: Vec<_> = found.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["heat_template_version", "parameters", "resources"]);
        let below = |at: usize| {
            let below = found[at].children.as_ref().expect("symbols");
            let [one] = &below[..] else { panic!("{below:?}") };
            (one.name.clone(), one.detail.clone().expect("a type"), one.kind)
        };
        assert_eq!(below(1), ("size".to_owned(), "number".to_owned(), SymbolKind::Variable));
        assert_eq!(below(2), ("box".to_owned(), "A::B".to_owned(), SymbolKind::Object));
        let json = "{\"heat_template_version\": \"2021-04-16\", \"resources\": {\"a\": {\"type\": \"A::B\"}}}";
        let project = TestProject::new(&[("root.json", json)]);
        let (progress, partial) =
            (WorkDoneProgressParams::default(), PartialResultParams::default());
        let params = DocumentSymbolParams::new(project.document(), progress, partial);
        assert!(document_symbols(&project.snapshot, params).is_some());
    }

    #[test]
    fn the_symbols_of_the_project_contain_the_characters_of_the_query() {
        let environment = "parameters: {size: secret}\n";
        let files =
            [("root.yaml", TEMPLATE), ("env.yaml", environment), ("other.yaml", "size: 1\n")];
        let project = TestProject::new(&files);
        for (query, expected) in [
            ("SZ", vec!["env.yaml size", "root.yaml size"]),
            ("box", vec!["root.yaml box"]),
            ("zs", vec![]),
        ] {
            let (progress, partial) =
                (WorkDoneProgressParams::default(), PartialResultParams::default());
            let params = WorkspaceSymbolParams::new(query.to_owned(), progress, partial);
            let found = workspace_symbols(&project.snapshot, params).expect("symbols");
            let WorkspaceSymbolResponse::WorkspaceSymbolList(found) = found else {
                panic!("{found:?}")
            };
            let found = found.iter().map(|it| &it.base_symbol_information);
            let found: Vec<_> = found
                .map(|it| format!("{} {}", it.container_name.as_deref().expect("a file"), it.name))
                .collect();
            assert_eq!(found, expected, "{query}");
        }
    }
}
