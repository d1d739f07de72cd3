//! Files of which one has another text.

use std::path::{Path, PathBuf};

use super::{FileError, FileSource, PathKind, is_stdin};

/// A source in which one file has another text.
pub struct WithText<'a> {
    files: &'a dyn FileSource,
    /// The file under the name that the user gave, and under its absolute one.
    names: [PathBuf; 2],
    text: &'a str,
}

impl<'a> WithText<'a> {
    /// The source `files`, in which the file at `path` has this text.
    pub fn new(files: &'a dyn FileSource, path: &Path, text: &'a str) -> Self {
        let absolute = if is_stdin(path) { path.to_owned() } else { files.absolute(path) };
        WithText { files, names: [path.to_owned(), absolute], text }
    }
}

impl FileSource for WithText<'_> {
    fn read(&self, path: &Path) -> Result<Vec<u8>, FileError> {
        let is_ours = self.names.iter().any(|name| name == path);
        if is_ours { Ok(self.text.as_bytes().to_vec()) } else { self.files.read(path) }
    }

    fn kind(&self, path: &Path) -> Option<PathKind> {
        self.files.kind(path)
    }

    fn path_components(&self, folder: &Path) -> Vec<String> {
        self.files.path_components(folder)
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        self.files.absolute(path)
    }

    fn work_tree(&self, folder: &Path) -> Option<PathBuf> {
        self.files.work_tree(folder)
    }

    fn is_stream(&self, path: &Path) -> bool {
        self.files.is_stream(path)
    }

    fn has_untracked(&self) -> bool {
        self.files.has_untracked()
    }
}

#[cfg(test)]
mod tests {
    use super::super::MemoryFiles;
    use super::*;

    #[test]
    fn one_file_has_another_text() {
        let files: MemoryFiles = [("/d/a.yaml", "old"), ("/d/b.yaml", "b")].into_iter().collect();
        let files = WithText::new(&files, Path::new("d/a.yaml"), "new");
        for name in ["d/a.yaml", "/d/a.yaml"] {
            assert_eq!(files.read(Path::new(name)).expect("read"), b"new");
        }
        assert_eq!(files.read(Path::new("/d/b.yaml")).expect("read"), b"b");
        assert!(files.read(Path::new("/d/c.yaml")).is_err());
    }
}
