//! Files of which some have another text.

use std::path::{Path, PathBuf};

use super::{FileError, FileSource, MemoryFiles, PathKind, is_stdin};

/// A source in which some files have another text, or exist only there.
pub struct WithTexts<'a> {
    files: &'a dyn FileSource,
    /// By the given paths, and by absolute ones.
    texts: MemoryFiles,
}

impl<'a> WithTexts<'a> {
    /// The source `files` with the texts of `texts`, whatever name of their files they are read by.
    pub fn new(files: &'a dyn FileSource, texts: MemoryFiles) -> Self {
        let named = texts.paths().filter(|path| !is_stdin(path));
        let absolute: Vec<_> = named
            .filter_map(|path| Some((files.absolute(path), texts.get(path)?.to_vec())))
            .collect();
        let mut all = texts;
        all.extend(absolute.into_iter().collect());
        WithTexts { files, texts: all }
    }

    /// The source `files`, in which the file at `path` has this text.
    pub fn of_one(files: &'a dyn FileSource, path: &Path, text: &str) -> Self {
        WithTexts::new(files, [(path, text)].into_iter().collect())
    }

    fn own(&self, path: &Path) -> Option<Vec<u8>> {
        let other_name = || (!is_stdin(path)).then(|| self.files.absolute(path));
        let own = self.texts.get(path).or_else(|| self.texts.get(&other_name()?));
        own.map(<[u8]>::to_vec)
    }
}

impl std::fmt::Debug for WithTexts<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WithTexts").field("texts", &self.texts).finish_non_exhaustive()
    }
}

impl FileSource for WithTexts<'_> {
    fn read(&self, path: &Path) -> Result<Vec<u8>, FileError> {
        self.own(path).map_or_else(|| self.files.read(path), Ok)
    }

    fn kind(&self, path: &Path) -> Option<PathKind> {
        if self.own(path).is_some() { Some(PathKind::File) } else { self.files.kind(path) }
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
        self.own(path).is_none() && self.files.is_stream(path)
    }

    fn project_files(&self, folder: &Path) -> Vec<PathBuf> {
        self.files.project_files(folder)
    }

    fn has_untracked(&self) -> bool {
        self.files.has_untracked()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_file_has_another_text() {
        let files: MemoryFiles = [("/d/a.yaml", "old"), ("/d/b.yaml", "b")].into_iter().collect();
        let files = WithTexts::of_one(&files, Path::new("d/a.yaml"), "new");
        for name in ["d/a.yaml", "/d/a.yaml", "./x/../d//a.yaml"] {
            assert_eq!(files.read(Path::new(name)).expect("read"), b"new");
        }
        assert_eq!(files.read(Path::new("/d/b.yaml")).expect("read"), b"b");
        assert!(files.read(Path::new("/d/c.yaml")).is_err());
    }
}
