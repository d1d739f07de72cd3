//! The files of a project as the user sees them in an editor.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use heat_engine::environment::normal;
use lossless_yaml::Limits;
use source_files::{Disk, FileError, FileSource, PathKind};

use super::open_text::OpenText;

/// The files on disk, in which open ones have the text of the editor. A text that cannot be read as a whole is there as far as it can
/// be read.
#[derive(Clone, Debug)]
pub(super) struct OpenFiles {
    disk: Arc<Disk>,
    /// The open files by their absolute paths, without `.` and `..`.
    open: Arc<HashMap<PathBuf, Arc<OpenText>>>,
    here: PathBuf,
    limits: Limits,
}

impl OpenFiles {
    pub(super) fn new(
        disk: Arc<Disk>,
        open: Arc<HashMap<PathBuf, Arc<OpenText>>>,
        here: PathBuf,
        limits: Limits,
    ) -> Self {
        OpenFiles { disk, open, here, limits }
    }

    fn own(&self, path: &Path) -> Option<&Arc<OpenText>> {
        let named = normal(&self.here.join(path));
        // A link has another name than the file that the editor has opened.
        self.open.get(&named).or_else(|| self.open.get(&self.disk.absolute(path)))
    }
}

impl FileSource for OpenFiles {
    fn read(&self, path: &Path) -> Result<Vec<u8>, FileError> {
        match self.own(path) {
            Some(open) => Ok(open.view(&self.limits).readable.text.as_bytes().to_vec()),
            None => self.disk.read(path),
        }
    }

    fn kind(&self, path: &Path) -> Option<PathKind> {
        self.own(path).map(|_| PathKind::File).or_else(|| self.disk.kind(path))
    }

    fn path_components(&self, folder: &Path) -> Vec<String> {
        self.disk.path_components(folder)
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        self.disk.absolute(path)
    }

    fn work_tree(&self, folder: &Path) -> Option<PathBuf> {
        self.disk.work_tree(folder)
    }

    fn is_stream(&self, path: &Path) -> bool {
        self.own(path).is_none() && self.disk.is_stream(path)
    }

    fn project_files(&self, folder: &Path) -> Vec<PathBuf> {
        self.disk.project_files(folder)
    }

    fn has_untracked(&self) -> bool {
        self.disk.has_untracked()
    }
}
