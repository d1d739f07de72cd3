//! The edits of a rename as the protocol has them.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use gen_lsp_types::{
    AnnotatedTextEdit, ChangeAnnotation, DocumentChange, Edit,
    OptionalVersionedTextDocumentIdentifier, TextDocumentEdit, TextDocumentIdentifier, TextEdit,
    WorkspaceEdit,
};

use crate::language_server::file_view::FileView;
use crate::language_server::snapshot::Snapshot;

/// The identifier of the annotation of all edits.
const ANNOTATION: &str = "rename";

/// The bytes of each file that get a new name.
#[derive(Debug)]
pub(super) struct RenameEdit {
    pub(super) files: BTreeMap<PathBuf, (Arc<FileView>, Vec<Range<usize>>)>,
    pub(super) new_name: String,
    /// What the user should know before the files are changed.
    pub(super) warnings: Vec<String>,
}

impl RenameEdit {
    /// With the versions of the open files, and with a question if there is a warning, as far as the client supports that.
    pub(super) fn into_workspace_edit(self, snapshot: &Snapshot) -> WorkspaceEdit {
        let client = &snapshot.session.client;
        let edits = |view: &FileView, bytes: &[Range<usize>]| -> Vec<TextEdit> {
            let edit = |it: &Range<usize>| {
                TextEdit::new(snapshot.range(view, it.clone()), self.new_name.clone())
            };
            bytes.iter().map(edit).collect()
        };
        if !client.versions_changes {
            let changes = self
                .files
                .iter()
                .map(|(path, (view, bytes))| (snapshot.uri(path), edits(view, bytes)));
            return WorkspaceEdit { changes: Some(changes.collect()), ..WorkspaceEdit::default() };
        }
        let is_annotated = client.annotates_changes && !self.warnings.is_empty();
        let annotated = |edit: TextEdit| match is_annotated {
            true => Edit::AnnotatedTextEdit(AnnotatedTextEdit::new(ANNOTATION.to_owned(), edit)),
            false => Edit::TextEdit(edit),
        };
        let changes = self.files.iter().map(|(path, (view, bytes))| {
            let version = snapshot.open_text(path).map(|open| open.version);
            let document = TextDocumentIdentifier::new(snapshot.uri(path));
            let document = OptionalVersionedTextDocumentIdentifier::new(version, document);
            let edits = edits(view, bytes).into_iter().map(annotated).collect();
            DocumentChange::TextDocumentEdit(TextDocumentEdit::new(document, edits))
        });
        let annotation = || {
            let label = format!("Rename to {}", self.new_name);
            ChangeAnnotation::new(label, Some(true), Some(self.warnings.join("; ")))
        };
        WorkspaceEdit {
            document_changes: Some(changes.collect()),
            change_annotations: is_annotated
                .then(|| HashMap::from([(ANNOTATION.to_owned(), annotation())])),
            ..WorkspaceEdit::default()
        }
    }
}
