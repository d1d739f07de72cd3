//! The text of a file that a client has opened.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use gen_lsp_types::{TextDocumentContentChangeEvent, Uri};
use lossless_yaml::Limits;

use super::file_view::FileView;
use super::position::{ColumnUnit, LineStarts};

/// One version of the text of an open file. An edit makes another one; what was read of it is read once.
#[derive(Debug)]
pub(super) struct OpenText {
    pub(super) uri: Uri,
    pub(super) path: PathBuf,
    /// The client's number of this version.
    pub(super) version: i32,
    text: Arc<str>,
    view: OnceLock<Arc<FileView>>,
}

impl OpenText {
    pub(super) fn new(uri: Uri, path: PathBuf, version: i32, text: &str) -> Self {
        OpenText { uri, path, version, text: text.into(), view: OnceLock::new() }
    }

    /// The text after some edits, each of which refers to the result of the one before.
    pub(super) fn edited(
        &self,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
        unit: ColumnUnit,
    ) -> Self {
        let mut text = String::from(&*self.text);
        for change in changes {
            match change {
                TextDocumentContentChangeEvent::TextDocumentContentChangePartial(part) => {
                    let bytes = LineStarts::new(&text).bytes(&text, part.range, unit);
                    text.replace_range(bytes, &part.text);
                }
                TextDocumentContentChangeEvent::TextDocumentContentChangeWholeDocument(whole) => {
                    text = whole.text;
                }
            }
        }
        OpenText::new(self.uri.clone(), self.path.clone(), version, &text)
    }

    /// The readable part of the text.
    pub(super) fn view(&self, limits: &Limits) -> &Arc<FileView> {
        self.view.get_or_init(|| {
            Arc::new(FileView::new(self.path.clone(), Arc::clone(&self.text), limits))
        })
    }
}
