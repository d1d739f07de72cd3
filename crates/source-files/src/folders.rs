//! The files that differ between two folders on disk.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::git::{ChangeStatus, ChangedFile};
use super::walk::all_files;
use super::{FileError, FileSource};

/// Two folders with their files, paired by their paths below the folders.
#[derive(Debug, Default)]
pub struct FolderPair {
    /// Every file of the old folder, sorted.
    pub old_names: Vec<PathBuf>,
    /// Every file of the new folder, sorted.
    pub new_names: Vec<PathBuf>,
    /// The files that differ. A file that cannot be read differs: nobody knows.
    pub changed: Vec<ChangedFile>,
    /// Folders that could not be listed.
    pub errors: Vec<FileError>,
}

/// Lists the files of two folders by the rules of [`find`](super::find), whatever their names, and compares their bytes.
pub fn compare_folders(files: &dyn FileSource, old: &Path, new: &Path) -> FolderPair {
    let (old_names, mut errors) = all_files(old);
    let (new_names, errors_of_new) = all_files(new);
    errors.extend(errors_of_new);
    let inside = |names: &[PathBuf], folder: &Path| -> BTreeSet<PathBuf> {
        names.iter().filter_map(|name| name.strip_prefix(folder).ok()).map(Path::to_owned).collect()
    };
    let (in_old, in_new) = (inside(&old_names, old), inside(&new_names, new));
    let changed = in_old.union(&in_new).filter_map(|name| {
        let old_path = in_old.contains(name).then(|| old.join(name));
        let new_path = in_new.contains(name).then(|| new.join(name));
        let status = match (&old_path, &new_path) {
            (None, _) => ChangeStatus::Added,
            (_, None) => ChangeStatus::Deleted,
            (Some(one), Some(other)) => match (files.read(one), files.read(other)) {
                (Ok(one), Ok(other)) if one == other => return None,
                _ => ChangeStatus::Modified,
            },
        };
        Some(ChangedFile { status, old_path, new_path, is_link: false, is_submodule: false })
    });
    let changed = changed.collect();
    FolderPair { old_names, new_names, changed, errors }
}
