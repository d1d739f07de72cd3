//! The references to files, as links.

use gen_lsp_types::{DocumentLink, DocumentLinkParams};
use source_files::{FileSource, PathKind};

use super::snapshot::Snapshot;

/// The answer to `textDocument/documentLink`: the files that a template or an environment refers to by a path, if they exist.
pub(super) fn document_links(
    snapshot: &Snapshot,
    params: DocumentLinkParams,
) -> Option<Vec<DocumentLink>> {
    let view = snapshot.view_of(&params.text_document)?;
    let names = snapshot.names_of(&view)?;
    let exists = |path: &std::path::Path| snapshot.files().kind(path) == Some(PathKind::File);
    let links = names.links.iter().filter(|link| exists(&link.path));
    let link = |bytes: &std::ops::Range<usize>, path| {
        DocumentLink::new(
            snapshot.range(&view, bytes.clone()),
            Some(snapshot.uri(path)),
            None,
            None,
        )
    };
    Some(links.map(|it| link(&it.bytes, &it.path)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language_server::testing::TestProject;
    use gen_lsp_types::{Location, PartialResultParams, WorkDoneProgressParams};

    #[test]
    fn only_files_that_exist_are_links() {
        let template = "heat_template_version: 2021-04-16
resources:
  box: {type: 'lib/box.yaml', metadata: [{get_file: missing.txt}, {get_file: data.txt}]}
";
        let environment = "resource_registry: {'A::B': box.yaml, 'A::C': lost.yaml, resources: {box: {'A::D': box.yaml}}}\n";
        let others = [("lib/box.yaml", "x"), ("data.txt", "x")];
        for (name, text, expected) in [
            ("root.yaml", template, ["root.yaml:3: lib/box.yaml", "root.yaml:3: data.txt"]),
            ("lib/env.yaml", environment, ["lib/env.yaml:1: box.yaml", "lib/env.yaml:1: box.yaml"]),
        ] {
            let project =
                TestProject::new(&[[(name, text)].as_slice(), others.as_slice()].concat());
            let (progress, partial) =
                (WorkDoneProgressParams::default(), PartialResultParams::default());
            let params = DocumentLinkParams::new(project.document(), progress, partial);
            let found = document_links(&project.snapshot, params).expect("links");
            assert!(found.iter().all(|it| it.target.is_some()));
            let places = found.iter().map(|it| Location::new(project.document().uri, it.range));
            assert_eq!(project.shown(&places.collect::<Vec<_>>()), expected);
        }
    }
}
