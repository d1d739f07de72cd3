//! Small projects in temporary folders, for tests.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use gen_lsp_types::{Location, Position, TextDocumentIdentifier, TextDocumentPositionParams, Uri};
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
    pub(super) path: PathBuf,
    /// Where the cursor is.
    pub(super) position: Position,
    /// The files are there as long as the project is.
    _folder: TempDir,
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
        let client = ClientSupport {
            snippets: true,
            markdown: true,
            versions_changes: true,
            annotates_changes: true,
            ..ClientSupport::default()
        };
        let project = crate::cli::open_project(&root, &settings).expect("a project");
        let session = Arc::new(Session::new(project, settings, client, ColumnUnit::Utf16, root));
        let uri = Uri(format!("file://{}", path.display()));
        let open = Arc::new(OpenText::new(uri, path.clone(), 1, &text));
        let open = HashMap::from([(path.clone(), open)]);
        let first = Snapshot::new(Arc::clone(&session), Arc::default(), open.clone());
        let surroundings = analysis::find(&first).into_iter().filter_map(|path| {
            let found = analysis::surroundings(&first, &path)?;
            Some((path, found))
        });
        let nesting = Arc::new(analysis::nesting(surroundings.collect()));
        let snapshot = Snapshot::new(session, nesting, open);
        TestProject { snapshot, path, position, _folder: folder }
    }

    pub(super) fn document(&self) -> TextDocumentIdentifier {
        TextDocumentIdentifier::new(self.snapshot.uri(&self.path))
    }

    /// The cursor, as requests have it.
    pub(super) fn at(&self) -> TextDocumentPositionParams {
        TextDocumentPositionParams::new(self.document(), self.position)
    }

    /// The places of an answer as `file:line: text`, the line counted from 1.
    pub(super) fn shown(&self, locations: &[Location]) -> Vec<String> {
        let shown = |location: &Location| {
            let path = self.snapshot.session.path_of(&location.uri).expect("a file");
            let view = self.snapshot.view(&path).expect("readable");
            let bytes = view.lines.bytes(&view.text, location.range, ColumnUnit::Utf16);
            let name = path.strip_prefix(&self.snapshot.session.root).expect("in the project");
            format!("{}:{}: {}", name.display(), location.range.start.line + 1, &view.text[bytes])
        };
        locations.iter().map(shown).collect()
    }
}
