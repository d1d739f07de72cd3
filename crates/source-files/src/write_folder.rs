//! Writes several results into a folder: all of them or none.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Component, Path, PathBuf};

use super::error::plain;
use super::interrupt::WriteGuard;
use super::write::{FileReaders, WriteEffects, restrict_to_owner};
use super::{FileError, TEMPORARY_PREFIX, TEMPORARY_SUFFIX};

/// What to do if the folder is not empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExistingFiles {
    /// Fail with an error.
    Reject,
    /// Replace files of the same name and keep the others.
    Replace,
}

/// Writes files into `folder`, which is created if it is missing. Paths are relative to it and must stay inside.
///
/// With [`FileReaders::OwnerOnly`] only the owner may read the files.
///
/// A missing or empty folder is replaced as a whole, by one rename. In a folder that is not
/// empty, each file is renamed into place; if one rename fails, all earlier ones are undone. The folder
/// itself may be a symbolic link; a link inside it is an error, neither followed nor replaced.
pub fn write_folder(
    folder: &Path,
    files: &[(&Path, &[u8])],
    existing: ExistingFiles,
    readers: FileReaders,
) -> Result<WriteEffects, FileError> {
    // Must outlive the temporary folder.
    let writing = WriteGuard::begin();
    let refuse = |reason| FileError::writing(folder, reason);
    let mut seen = BTreeSet::new();
    for (path, _) in files {
        let inside = path.components().all(|part| matches!(part, Component::Normal(_)));
        if !inside || path.as_os_str().is_empty() {
            let reason = format!("`{}` is not a path inside the folder", path.display());
            return Err(refuse(io::Error::other(reason)));
        }
        if !seen.insert(path) {
            let reason = format!("two results have the path `{}`", path.display());
            return Err(refuse(io::Error::other(reason)));
        }
    }
    // A link to a folder stays a link.
    let real = match fs::canonicalize(folder) {
        Ok(real) => real,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if fs::symlink_metadata(folder).is_ok() {
                return Err(refuse(error));
            }
            folder.to_owned()
        }
        Err(error) => return Err(refuse(error)),
    };
    let is_there = match fs::metadata(&real) {
        Ok(metadata) if !metadata.is_dir() => {
            return Err(refuse(io::Error::other("it is a file, but must be a folder")));
        }
        Ok(_) => true,
        Err(_) => false,
    };
    let is_empty = !is_there || fs::read_dir(&real).map_err(refuse)?.next().is_none();
    if !is_empty && existing == ExistingFiles::Reject {
        return Err(FileError::NotEmpty { path: folder.to_owned() });
    }
    let parent = real.parent().filter(|parent| !parent.as_os_str().is_empty());
    let parent = parent.unwrap_or(Path::new("."));
    fs::create_dir_all(parent).map_err(refuse)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY_PREFIX).suffix(TEMPORARY_SUFFIX);
    // In the same folder as the files, so that every rename stays on one file system.
    let stage = builder.tempdir_in(if is_empty { parent } else { &real }).map_err(refuse)?;
    let new = stage.path().join("new");
    fs::create_dir(&new).map_err(refuse)?;
    for (path, bytes) in files {
        let path = new.join(path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(refuse)?;
        }
        let mut file = fs::File::create(path).map_err(refuse)?;
        if readers == FileReaders::OwnerOnly {
            restrict_to_owner(&file).map_err(refuse)?;
        }
        file.write_all(bytes).map_err(refuse)?;
    }
    if is_empty {
        if is_there {
            let permissions = fs::metadata(&real).map_err(refuse)?.permissions();
            fs::set_permissions(&new, permissions).map_err(refuse)?;
        }
        fs::rename(&new, &real).map_err(refuse)?;
        writing.done(files.len());
        return Ok(WriteEffects::default());
    }
    let old = stage.path().join("old");
    let mut moved = FolderReplacement {
        folder: &real,
        backup: &old,
        replaced: Vec::new(),
        created: Vec::new(),
        written: WriteEffects::default(),
    };
    for (path, _) in files {
        let Err(reason) = moved.replace(path, &new) else { continue };
        let reason = if moved.undo() {
            reason
        } else {
            let (reason, kept) = (plain(&reason), stage.keep().join("old"));
            io::Error::other(format!(
                "{reason}; some of the previous files are now in `{}`",
                kept.display()
            ))
        };
        return Err(FileError::writing(&folder.join(path), reason));
    }
    writing.done(files.len());
    Ok(moved.written)
}

/// The files that were replaced or created so far.
struct FolderReplacement<'a> {
    folder: &'a Path,
    /// The folder that keeps the replaced files.
    backup: &'a Path,
    /// Each file with whether it replaced another one.
    replaced: Vec<(&'a Path, bool)>,
    /// The folders that were created.
    created: Vec<PathBuf>,
    written: WriteEffects,
}

impl<'a> FolderReplacement<'a> {
    fn replace(&mut self, path: &'a Path, new: &Path) -> io::Result<()> {
        let target = self.folder.join(path);
        if let Some(parent) = target.parent() {
            self.create_folder(parent)?;
        }
        let replaces = match fs::symlink_metadata(&target) {
            Ok(metadata) if metadata.is_symlink() => return Err(is_link(&target)),
            Ok(metadata) if metadata.is_dir() => {
                return Err(io::Error::other("it is a folder"));
            }
            Ok(metadata) if metadata.permissions().readonly() => {
                return Err(io::Error::other("it is read-only"));
            }
            Ok(metadata) => {
                self.written.note_replaced(&target, &metadata);
                true
            }
            Err(_) => false,
        };
        if replaces {
            let kept = self.backup.join(path);
            if let Some(parent) = kept.parent() {
                fs::create_dir_all(parent)?;
            }
            // A link or a copy: moved away, the file would be missing for a moment, and for good if
            // the process is killed then.
            fs::hard_link(&target, &kept).or_else(|_| fs::copy(&target, &kept).map(drop))?;
        }
        self.replaced.push((path, replaces));
        fs::rename(new.join(path), target)
    }

    fn create_folder(&mut self, folder: &Path) -> io::Result<()> {
        if folder == self.folder {
            return Ok(());
        }
        match fs::symlink_metadata(folder) {
            Ok(metadata) if metadata.is_symlink() => return Err(is_link(folder)),
            Ok(metadata) if metadata.is_dir() => {
                return folder.parent().map_or(Ok(()), |parent| self.create_folder(parent));
            }
            Ok(_) | Err(_) => {}
        }
        if let Some(parent) = folder.parent() {
            self.create_folder(parent)?;
        }
        fs::create_dir(folder)?;
        self.created.push(folder.to_owned());
        Ok(())
    }

    /// Restores everything; false if a replaced file could not be moved back.
    fn undo(&mut self) -> bool {
        let mut is_back = true;
        for (path, replaced) in self.replaced.drain(..).rev() {
            let target = self.folder.join(path);
            if replaced {
                is_back &= fs::rename(self.backup.join(path), target).is_ok();
            } else {
                let _ = fs::remove_file(target);
            }
        }
        for folder in self.created.drain(..).rev() {
            let _ = fs::remove_dir(folder);
        }
        is_back
    }
}

fn is_link(path: &Path) -> io::Error {
    io::Error::other(format!("`{}` is a symbolic link, which is not followed", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    type Files<'a> = Vec<(&'a Path, &'a [u8])>;

    fn files<'a>(pairs: &[(&'a str, &'a str)]) -> Files<'a> {
        pairs.iter().map(|(path, text)| (Path::new(*path), text.as_bytes())).collect()
    }

    /// Every file below a folder with its text.
    fn tree(folder: &Path) -> Vec<(String, String)> {
        let mut found = Vec::new();
        let mut open = vec![folder.to_owned()];
        while let Some(at) = open.pop() {
            for entry in fs::read_dir(at).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    open.push(path);
                } else {
                    let name = path.strip_prefix(folder).expect("inside").display().to_string();
                    found.push((name, fs::read_to_string(path).expect("text")));
                }
            }
        }
        found.sort();
        found
    }

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
    }

    #[test]
    fn a_new_folder_and_an_empty_one_are_filled() {
        let root = tempfile::tempdir().expect("a folder");
        let wanted = files(&[("main.tf", "a"), ("modules/x/main.tf", "b")]);
        for name in ["new/deep", "empty"] {
            let folder = root.path().join(name);
            if name == "empty" {
                fs::create_dir(&folder).expect("a folder");
            }
            let written = write_folder(&folder, &wanted, ExistingFiles::Reject, FileReaders::Umask);
            assert!(written.is_ok(), "{written:?}");
            assert_eq!(tree(&folder), pairs(&[("main.tf", "a"), ("modules/x/main.tf", "b")]));
        }
        assert_eq!(tree(root.path()).len(), 4, "nothing else is left");
    }

    #[test]
    fn a_folder_that_holds_something_is_refused_unless_asked_for() {
        let root = tempfile::tempdir().expect("a folder");
        fs::write(root.path().join("main.tf"), "old").expect("write");
        fs::write(root.path().join("mine.tf"), "mine").expect("write");
        let wanted = files(&[("main.tf", "new"), ("sub/x", "y")]);
        let refused = write_folder(root.path(), &wanted, ExistingFiles::Reject, FileReaders::Umask);
        assert!(matches!(refused, Err(FileError::NotEmpty { .. })), "{refused:?}");
        assert_eq!(tree(root.path()), pairs(&[("main.tf", "old"), ("mine.tf", "mine")]));
        let written =
            write_folder(root.path(), &wanted, ExistingFiles::Replace, FileReaders::Umask);
        assert!(written.is_ok(), "{written:?}");
        let all = pairs(&[("main.tf", "new"), ("mine.tf", "mine"), ("sub/x", "y")]);
        assert_eq!(tree(root.path()), all);
    }

    #[test]
    fn after_an_error_everything_is_as_it_was() {
        let root = tempfile::tempdir().expect("a folder");
        fs::write(root.path().join("a"), "old").expect("write");
        fs::create_dir(root.path().join("z")).expect("a folder");
        fs::write(root.path().join("z/keep"), "k").expect("write");
        let wanted = files(&[("a", "new"), ("fresh/b", "b"), ("z", "a folder is here")]);
        write_folder(root.path(), &wanted, ExistingFiles::Replace, FileReaders::Umask)
            .expect_err("a folder");
        assert_eq!(tree(root.path()), pairs(&[("a", "old"), ("z/keep", "k")]));
        assert!(!root.path().join("fresh").exists());
    }

    /// Who reads while files are replaced, or kills the process, finds the old file or the new one.
    #[test]
    fn a_replaced_file_is_there_at_every_moment() {
        let scratch = tempfile::tempdir().expect("a folder");
        let folder = scratch.path();
        let file = folder.join("a.tf");
        fs::write(&file, "old").expect("written");
        let is_done = std::sync::atomic::AtomicBool::new(false);
        let order = std::sync::atomic::Ordering::Relaxed;
        std::thread::scope(|threads| {
            let reader = threads.spawn(|| {
                while !is_done.load(order) {
                    let text = fs::read_to_string(&file).expect("the file is there");
                    assert!(["old", "new"].contains(&text.as_str()), "{text:?}");
                }
            });
            for text in ["new", "old"].repeat(1_000) {
                let new = files(&[("a.tf", text)]);
                write_folder(folder, &new, ExistingFiles::Replace, FileReaders::Umask)
                    .map(drop)
                    .expect("written");
            }
            is_done.store(true, order);
            reader.join().expect("no moment without the file");
        });
    }

    #[test]
    fn nothing_is_written_outside() {
        let root = tempfile::tempdir().expect("a folder");
        for path in ["../x", "/x", "a/../../x", "", "./x"] {
            let wanted = files(&[(path, "x")]);
            let refused = write_folder(
                &root.path().join("out"),
                &wanted,
                ExistingFiles::Reject,
                FileReaders::Umask,
            );
            refused.expect_err(path);
        }
        assert_eq!(tree(root.path()), []);
    }

    #[test]
    fn a_file_in_the_place_of_the_folder_is_refused() {
        let root = tempfile::tempdir().expect("a folder");
        let path = root.path().join("file");
        fs::write(&path, "x").expect("write");
        write_folder(&path, &files(&[("a", "b")]), ExistingFiles::Replace, FileReaders::Umask)
            .expect_err("a file");
        assert_eq!(fs::read_to_string(path).expect("read"), "x");
    }
}
