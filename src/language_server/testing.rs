//! Small projects in temporary folders, for tests.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use gen_lsp_types::{Position, TextDocumentIdentifier, TextDocumentPositionParams, Uri};
use tempfile::TempDir;

use super::analysis;
use super::client::ClientSupport;
use super::open_text::OpenText;
use super::position::{ColumnUnit, LineStarts};
use super::settings::Settings;
use super::snapshot::{Session, Snapshot};

/// Where the cursor is in a text of a test.
pub(super) const CURSOR: char = '␣';

/// A project in a temporary folder. One of its files may be open, with the cursor at [`CURSOR`].
pub(super) struct TestProject {
    pub(super) snapshot: Snapshot,
    /// The open file.
    pub(super) path: PathBuf,
    /// Where the cursor is.
    pub(super) position: Position,
    folder: TempDir,
}

impl TestProject {
    /// A project with these files, by their paths. The first one is open; the mark of the cursor is not in its text.
    pub(super) fn new(files: &[(&str, &str)]) -> Self {
        TestProject::with(files, Settings::default())
    }

    /// A project with settings of the client.
    pub(super) fn with(files: &[(&str, &str)], settings: Settings) -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let root = folder.path().canonicalize().expect("the folder");
        for (name, text) in files {
            let path = root.join(name);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
            std::fs::write(path, text.replace(CURSOR, "")).expect("writable");
        }
        let (name, marked) = files[0];
        let path = root.join(name);
        let offset = marked.find(CURSOR).unwrap_or(0);
        let text = marked.replace(CURSOR, "");
        let position = LineStarts::new(&text).position(&text, offset, ColumnUnit::Utf16);
        let client = ClientSupport { snippets: true, markdown: true, ..ClientSupport::default() };
        let project = crate::cli::open_project(&root, &settings).expect("a project");
        let session = Arc::new(Session::new(project, settings, client, ColumnUnit::Utf16, root));
        let uri = Uri(format!("file://{}", path.display()));
        let open = Arc::new(OpenText::new(uri, path.clone(), 1, &text));
        let open = HashMap::from([(path.clone(), open)]);
        let first = Snapshot::new(Arc::clone(&session), Arc::default(), open.clone());
        let nesting = Arc::new(analysis::nesting(&first));
        let snapshot = Snapshot::new(session, nesting, open);
        TestProject { snapshot, path, position, folder }
    }

    /// The URI of a file.
    pub(super) fn uri(&self, name: &str) -> Uri {
        self.snapshot.uri(&self.folder.path().canonicalize().expect("the folder").join(name))
    }

    /// The open file.
    pub(super) fn document(&self) -> TextDocumentIdentifier {
        TextDocumentIdentifier::new(self.snapshot.uri(&self.path))
    }

    /// The cursor, as requests have it.
    pub(super) fn at(&self) -> TextDocumentPositionParams {
        TextDocumentPositionParams::new(self.document(), self.position)
    }
}
