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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language_server::testing::TestProject;
    use gen_lsp_types::{PartialResultParams, WorkDoneProgressParams};

    const ROOT: &str = "heat_template_version: 2021-04-16
parameters: {size: {type: string}}
conditions: {big: true}
resources:
  box: {type: box.yaml, properties: {flavor: {get_param: size}}}
  typed: {type: My::Box, condition: big, properties: {flavor: {get_file: data.txt}}}
outputs: {ip: {value: {get_attr: [box, address]}}}
";
    const BOX: &str = "heat_template_version: 2021-04-16
parameters: {flavor: {type: string}}
outputs: {address: {value: {get_param: flavor}}}
";
    const ENVIRONMENT: &str = "parameters: {size: 1}
parameter_defaults: {flavor: 2}
resource_registry: {'My::Box': box.yaml}
";
    const CONFIGURATION: &str = "[[deployment]]
template = [\"root.yaml\"]
environments = [\"env.yaml\"]
";

    /// Where the definition is of what is behind the first occurrence of `marked` in a file.
    fn definitions(file: &str, marked: &str) -> Vec<String> {
        let mut files = vec![
            ("root.yaml", ROOT),
            ("box.yaml", BOX),
            ("env.yaml", ENVIRONMENT),
            ("data.txt", "x"),
        ];
        files.push(("hotplate.toml", CONFIGURATION));
        let at = files.iter().position(|(name, _)| *name == file).expect("a file");
        let text = files[at].1.replacen(marked, &format!("{marked}␣"), 1);
        assert_ne!(text, files[at].1);
        files.swap(0, at);
        files[0].1 = &text;
        let project = TestProject::new(&files);
        let params = DefinitionParams::new(
            WorkDoneProgressParams::default(),
            PartialResultParams::default(),
            project.at(),
        );
        match definition(&project.snapshot, params) {
            Some(DefinitionResponse::Definition(Definition::LocationList(found))) => {
                project.shown(&found)
            }
            Some(other) => panic!("{other:?}"),
            None => vec![],
        }
    }

    #[test]
    fn names_lead_to_their_declarations() {
        for (file, marked, expected) in [
            ("root.yaml", "get_param: si", "root.yaml:2: size"),
            ("root.yaml", "condition: bi", "root.yaml:3: big"),
            ("root.yaml", "get_attr: [bo", "root.yaml:5: box"),
            ("root.yaml", "[box, addr", "box.yaml:3: address"),
            ("root.yaml", "box.yaml, properties: {fl", "box.yaml:2: flavor"),
            ("root.yaml", "big, properties: {fl", "box.yaml:2: flavor"),
            ("env.yaml", "parameters: {si", "root.yaml:2: size"),
            ("env.yaml", "parameter_defaults: {fla", "box.yaml:2: flavor"),
        ] {
            assert_eq!(definitions(file, marked), [expected], "{marked}");
        }
    }

    #[test]
    fn types_and_references_lead_to_files() {
        for (file, marked, expected) in [
            ("root.yaml", "type: box", "box.yaml:1: "),
            ("root.yaml", "type: My::B", "box.yaml:1: "),
            ("root.yaml", "get_file: da", "data.txt:1: "),
            ("env.yaml", "'My::B", "box.yaml:1: "),
            ("env.yaml", "'My::Box': b", "box.yaml:1: "),
        ] {
            assert_eq!(definitions(file, marked), [expected], "{marked}");
        }
    }

    #[test]
    fn nothing_leads_from_what_is_no_name() {
        for marked in ["resou", "type: str", "heat_template_version: 20"] {
            assert!(definitions("root.yaml", marked).is_empty(), "{marked}");
        }
    }
}
