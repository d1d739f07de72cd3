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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language_server::testing::TestProject;
    use gen_lsp_types::{PartialResultParams, ReferenceContext, WorkDoneProgressParams};

    const ROOT: &str = "heat_template_version: 2021-04-16
parameters: {size: {type: string}}
resources:
  box: {type: box.yaml, properties: {size: {get_param: size}}}
";
    const BOX: &str = "heat_template_version: 2021-04-16
parameters: {si␣ze: {type: string}}
outputs: {size: {value: {get_param: size}}}
";
    const ENVIRONMENT: &str = "parameters: {size: 1}\nparameter_defaults: {size: 2}\n";
    const CONFIGURATION: &str = "[[deployment]]
template = [\"root.yaml\"]
environments = [\"env.yaml\"]
";

    fn project(files: &[(&str, &str)]) -> TestProject {
        let mut files = files.to_vec();
        files.push(("hotplate.toml", CONFIGURATION));
        TestProject::new(&files)
    }

    fn references_of(files: &[(&str, &str)], include_declaration: bool) -> Vec<String> {
        let project = project(files);
        let params = ReferenceParams::new(
            ReferenceContext::new(include_declaration),
            WorkDoneProgressParams::default(),
            PartialResultParams::default(),
            project.at(),
        );
        project.shown(&references(&project.snapshot, params).unwrap_or_default())
    }

    #[test]
    fn a_parameter_of_a_nested_template_is_set_by_the_resource_and_by_defaults_but_not_by_parameters()
     {
        let files = [("box.yaml", BOX), ("root.yaml", ROOT), ("env.yaml", ENVIRONMENT)];
        let expected =
            ["box.yaml:2: size", "box.yaml:3: size", "env.yaml:2: size", "root.yaml:4: size"];
        assert_eq!(references_of(&files, true), expected);
        assert_eq!(references_of(&files, false), expected[1..]);
    }

    #[test]
    fn a_parameter_in_an_environment_is_that_of_the_deployed_template() {
        let marked = ENVIRONMENT.replacen("size", "si␣ze", 1);
        let unmarked = BOX.replace('␣', "");
        let files = [("env.yaml", marked.as_str()), ("root.yaml", ROOT), ("box.yaml", &unmarked)];
        let expected =
            ["env.yaml:1: size", "env.yaml:2: size", "root.yaml:2: size", "root.yaml:4: size"];
        assert_eq!(references_of(&files, true), expected);
    }

    #[test]
    fn defaults_of_an_environment_without_a_deployment_are_for_templates_around_it() {
        let environment = "parameter_defaults: {size: 2}\n";
        let unmarked = BOX.replace('␣', "");
        let files = [
            ("a/box.yaml", BOX),
            ("a/root.yaml", ROOT),
            ("a/env/env.yaml", environment),
            ("b/box.yaml", &unmarked),
        ];
        let expected = [
            "a/box.yaml:2: size",
            "a/box.yaml:3: size",
            "a/env/env.yaml:1: size",
            "a/root.yaml:4: size",
        ];
        assert_eq!(references_of(&files, true), expected);
    }

    #[test]
    fn highlights_are_those_of_the_same_kind_in_the_file() {
        let project = project(&[("box.yaml", BOX)]);
        let params = DocumentHighlightParams::new(
            WorkDoneProgressParams::default(),
            PartialResultParams::default(),
            project.at(),
        );
        let found = highlights(&project.snapshot, params).expect("highlights");
        let found: Vec<_> = found.iter().map(|it| (it.range.start.line, it.kind)).collect();
        let [write, read] = [DocumentHighlightKind::Write, DocumentHighlightKind::Read].map(Some);
        assert_eq!(found, [(1, write), (2, read)]);
    }
}
