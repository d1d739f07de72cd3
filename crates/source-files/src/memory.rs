//! Files in memory.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use super::{FileError, FileSource, PathKind};

/// A map of paths to bytes. A folder exists if it is a parent of a path.
#[derive(Clone, Debug, Default)]
pub struct MemoryFiles {
    files: BTreeMap<PathBuf, Vec<u8>>,
}

impl MemoryFiles {
    /// Adds a file, replacing one with the same path.
    pub fn insert(&mut self, path: impl Into<PathBuf>, bytes: impl Into<Vec<u8>>) {
        self.files.insert(path.into(), bytes.into());
    }

    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.keys().map(PathBuf::as_path)
    }

    /// The bytes of the file with exactly this path.
    pub(super) fn get(&self, path: &Path) -> Option<&[u8]> {
        self.files.get(path).map(Vec::as_slice)
    }

    /// Adds the files of another source, which replace those with the same paths.
    pub fn extend(&mut self, other: MemoryFiles) {
        self.files.extend(other.files);
    }
}

impl<P: Into<PathBuf>, B: Into<Vec<u8>>> FromIterator<(P, B)> for MemoryFiles {
    fn from_iter<I: IntoIterator<Item = (P, B)>>(files: I) -> Self {
        let files = files.into_iter().map(|(path, bytes)| (path.into(), bytes.into())).collect();
        MemoryFiles { files }
    }
}

impl FileSource for MemoryFiles {
    fn read(&self, path: &Path) -> Result<Vec<u8>, FileError> {
        match (self.files.get(path), self.kind(path)) {
            (Some(bytes), _) => Ok(bytes.clone()),
            (None, Some(_)) => Err(FileError::IsFolder { path: path.to_owned() }),
            (None, None) => Err(self.missing(path)),
        }
    }

    fn kind(&self, path: &Path) -> Option<PathKind> {
        if self.files.contains_key(path) {
            return Some(PathKind::File);
        }
        self.files.keys().any(|file| file.starts_with(path)).then_some(PathKind::Folder)
    }

    fn path_components(&self, folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = self
            .files
            .keys()
            .filter_map(|file| file.strip_prefix(folder).ok()?.iter().next()?.to_str())
            .map(str::to_owned)
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    fn project_files(&self, folder: &Path) -> Vec<PathBuf> {
        self.paths().filter(|path| path.starts_with(folder)).map(Path::to_owned).collect()
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        let mut absolute = PathBuf::from("/");
        for component in path.components() {
            match component {
                Component::ParentDir => {
                    absolute.pop();
                }
                Component::CurDir => {}
                component => absolute.push(component),
            }
        }
        absolute
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files() -> MemoryFiles {
        [("lib/net.yaml", "net"), ("lib/deep/dns.yaml", "dns"), ("web.yaml", "web")]
            .into_iter()
            .collect()
    }

    #[test]
    fn files_and_the_folders_they_stand_in() {
        let files = files();
        assert_eq!(files.read(Path::new("lib/net.yaml")).expect("read"), b"net");
        assert_eq!(files.kind(Path::new("lib/deep")), Some(PathKind::Folder));
        assert_eq!(files.kind(Path::new("li")), None);
        assert_eq!(files.path_components(Path::new("lib")), ["deep", "net.yaml"]);
        assert!(matches!(files.read(Path::new("lib")), Err(FileError::IsFolder { .. })));
    }

    #[test]
    fn a_missing_file_proposes_its_sibling() {
        let error = files().read(Path::new("lib/nett.yaml")).expect_err("missing");
        let help = error.diagnostic().help;
        assert_eq!(help, ["did you mean `lib/net.yaml`?"]);
    }
}
