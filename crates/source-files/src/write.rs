//! Writes results atomically: completely or not at all.

use std::borrow::Cow;
use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::FileError;
use super::interrupt::WriteGuard;
use source_diagnostics::Diagnostic;

/// The prefix of temporary file names. Temporary files are in the folder of their target during a
/// write; a process that is killed (SIGKILL) in that moment leaves a hidden file with this prefix.
pub const TEMPORARY_PREFIX: &str = ".hotplate-";

/// The suffix of temporary file names, which a search for templates does not match.
pub const TEMPORARY_SUFFIX: &str = ".tmp";

/// Who may read a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FileReaders {
    /// Everyone that the process's umask allows.
    #[default]
    Umask,
    /// Only the owner: mode 0600.
    OwnerOnly,
}

/// Allows only the owner to read and write.
#[cfg(unix)]
pub(super) fn restrict_to_owner(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;

    file.set_permissions(fs::Permissions::from_mode(0o600))
}

/// Does nothing: the access rules of the folder apply.
#[cfg(not(unix))]
pub(super) fn restrict_to_owner(_file: &File) -> io::Result<()> {
    Ok(())
}

/// The side effects of a write.
#[derive(Debug, Default)]
#[must_use]
pub struct WriteEffects {
    /// The files with other names (hard links), each with the number of those, which keep the old content.
    split_hard_links: Vec<(PathBuf, u64)>,
}

impl WriteEffects {
    /// The side effects as findings.
    pub fn findings(&self) -> impl Iterator<Item = Diagnostic> {
        self.split_hard_links.iter().map(|(path, others)| {
            let (path, names) = (path.display(), if *others == 1 { "name" } else { "names" });
            let message = format!(
                "`{path}` had {others} other {names} (hard links), which keep the old content"
            );
            let help = format!("`ln -f {path} OTHER` links another name to the new file");
            Diagnostic::new(crate::codes::HARD_LINK_SPLIT, message).help(help)
        })
    }

    /// Records a file that is about to be replaced.
    pub(super) fn note_replaced(&mut self, path: &Path, old: &Metadata) {
        let others = hard_link_count(old).saturating_sub(1);
        if old.is_file() && others > 0 {
            self.split_hard_links.push((path.to_owned(), others));
        }
    }
}

/// The number of hard links of a file.
#[cfg(unix)]
fn hard_link_count(file: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(file)
}

/// Always 1: the standard library does not provide the number of hard links here.
#[cfg(not(unix))]
fn hard_link_count(_file: &Metadata) -> u64 {
    1
}

/// Replaces the content of `path` with `bytes`, or creates the file. Readers see the old content or the
/// new, never a part of it; after an error the file is unchanged and no temporary file is left.
///
/// The file keeps its permissions and, as far as the process may, its owner and its extended attributes.
/// A symbolic link is followed. A read-only file is an error, even if the process could write it (as
/// root).
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<WriteEffects, FileError> {
    write_for(path, bytes, FileReaders::Umask)
}

/// Like [`write_atomic`]; with [`FileReaders::OwnerOnly`] the file's old permissions are not kept.
pub fn write_for(
    path: &Path,
    bytes: &[u8],
    readers: FileReaders,
) -> Result<WriteEffects, FileError> {
    let writing = WriteGuard::begin();
    let mut written = WriteEffects::default();
    let refuse = |reason| FileError::writing(path, reason);
    let old = match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_symlink() => {
            // A dangling link has no canonical path, which is an error here.
            let target = fs::canonicalize(path).map_err(refuse)?;
            let metadata = fs::metadata(&target).map_err(refuse)?;
            Some((Cow::Owned(target), metadata))
        }
        Ok(metadata) => Some((Cow::Borrowed(path), metadata)),
        Err(_) => None,
    };
    let old_file = match &old {
        Some((target, metadata)) => Some(check_writable(target, metadata, path)?),
        None => None,
    };
    let target = old.as_ref().map_or(path, |(target, _)| &**target);

    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY_PREFIX).suffix(TEMPORARY_SUFFIX);
    if old.is_none() && readers == FileReaders::Umask {
        usual_permissions(&mut builder);
    }
    let mut temporary = builder.tempfile_in(folder.unwrap_or(Path::new("."))).map_err(refuse)?;
    temporary.write_all(bytes).map_err(refuse)?;
    if let (Some((_, metadata)), Some(file)) = (&old, &old_file) {
        keep_permissions(metadata, temporary.as_file()).map_err(refuse)?;
        keep_attributes(file, temporary.as_file());
        written.note_replaced(path, metadata);
    }
    if readers == FileReaders::OwnerOnly {
        restrict_to_owner(temporary.as_file()).map_err(refuse)?;
    }
    temporary.persist(target).map_err(|error| refuse(error.error))?;
    writing.done(1);
    Ok(written)
}

/// An error if the target exists and is not a writable regular file. Returns the opened file.
fn check_writable(target: &Path, metadata: &Metadata, path: &Path) -> Result<File, FileError> {
    let refuse = |reason| FileError::writing(path, reason);
    if metadata.is_dir() {
        return Err(FileError::IsFolder { path: path.to_owned() });
    }
    if !metadata.is_file() {
        return Err(refuse(io::Error::other("it is not a regular file")));
    }
    if metadata.permissions().readonly() {
        return Err(refuse(io::Error::other("it is read-only")));
    }
    // A rename needs only the folder's permission; the file's own permission is checked here.
    File::options().write(true).open(target).map_err(refuse)
}

/// Copies owner, group and mode to the new file: owner and group first, since changing them clears mode
/// bits.
#[cfg(unix)]
fn keep_permissions(old: &Metadata, new: &File) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};

    let metadata = new.metadata()?;
    if (old.uid(), old.gid()) != (metadata.uid(), metadata.gid()) {
        // Only root may change the owner; for other users the file becomes theirs, as with every editor.
        let _ = fchown(new, Some(old.uid()), Some(old.gid()));
    }
    new.set_permissions(old.permissions())
}

/// Copies the extended attributes (including access control lists) to the new file, as far as the
/// file system supports them and the process may set them.
#[cfg(unix)]
fn keep_attributes(old: &File, new: &File) {
    use xattr::FileExt;

    for name in old.list_xattr().into_iter().flatten() {
        if let Ok(Some(value)) = old.get_xattr(&name) {
            // Some attributes are set by the kernel only.
            let _ = new.set_xattr(&name, &value);
        }
    }
}

#[cfg(not(unix))]
fn keep_attributes(_old: &File, _new: &File) {}

/// A temporary file is private to its owner; a new result gets the permissions that the umask allows.
#[cfg(unix)]
fn usual_permissions(builder: &mut tempfile::Builder<'_, '_>) {
    use std::os::unix::fs::PermissionsExt;

    builder.permissions(fs::Permissions::from_mode(0o666));
}

#[cfg(not(unix))]
fn usual_permissions(_builder: &mut tempfile::Builder<'_, '_>) {}

#[cfg(not(unix))]
fn keep_permissions(old: &Metadata, new: &File) -> io::Result<()> {
    new.set_permissions(old.permissions())
}

/// Removes a file; signals are delayed meanwhile.
pub fn remove(path: &Path) -> Result<(), FileError> {
    let _writing = WriteGuard::begin();
    fs::remove_file(path).map_err(|reason| FileError::writing(path, reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().expect("a temporary folder")
    }

    fn names(folder: &tempfile::TempDir) -> Vec<String> {
        use super::super::{Disk, FileSource};

        Disk::default().path_components(folder.path())
    }

    #[test]
    fn new_and_old_files_get_the_bytes() {
        let folder = folder();
        let path = folder.path().join("a.yaml");
        for bytes in [&b"one\n"[..], b"", b"two\r\n\xff"] {
            let _ = write_atomic(&path, bytes).expect("write");
            assert_eq!(fs::read(&path).expect("read"), bytes);
        }
        assert_eq!(names(&folder), ["a.yaml"]);
    }

    #[test]
    fn a_folder_is_refused() {
        let folder = folder();
        let error = write_atomic(folder.path(), b"x").expect_err("a folder");
        assert!(matches!(error, FileError::IsFolder { .. }), "{error}");
    }

    #[test]
    fn a_missing_folder_is_refused() {
        let folder = folder();
        let error = write_atomic(&folder.path().join("no/a.yaml"), b"x").expect_err("no folder");
        assert!(matches!(error, FileError::Unwritable { .. }), "{error}");
        assert_eq!(names(&folder), [""; 0]);
    }

    #[cfg(unix)]
    mod unix {
        use std::os::unix::fs::{PermissionsExt, symlink};

        use super::*;

        fn mode(path: &Path) -> u32 {
            fs::metadata(path).expect("metadata").permissions().mode() & 0o7777
        }

        #[test]
        fn mode_bits_stay() {
            let folder = folder();
            let path = folder.path().join("a.yaml");
            for bits in [0o600, 0o664, 0o755, 0o4711] {
                fs::write(&path, "old").expect("write");
                fs::set_permissions(&path, fs::Permissions::from_mode(bits)).expect("chmod");
                let _ = write_atomic(&path, b"new").expect("write");
                assert_eq!(mode(&path), bits, "{bits:o}");
            }
        }

        #[test]
        fn what_is_for_the_owner_is_closed_whatever_was_there() {
            let folder = folder();
            let path = folder.path().join("a.yaml");
            for old in [None, Some(0o644), Some(0o600)] {
                if let Some(bits) = old {
                    fs::set_permissions(&path, fs::Permissions::from_mode(bits)).expect("chmod");
                }
                let _ = write_for(&path, b"secret", FileReaders::OwnerOnly).expect("write");
                assert_eq!(mode(&path), 0o600, "{old:?}");
            }
        }

        #[test]
        fn extended_attributes_stay() {
            let folder = folder();
            let path = folder.path().join("a.yaml");
            fs::write(&path, "old").expect("write");
            if xattr::set(&path, "user.origin", b"here").is_err() {
                return; // This file system has none.
            }
            let _ = write_atomic(&path, b"new").expect("write");
            let kept = xattr::get(&path, "user.origin").expect("attributes");
            assert_eq!(kept.as_deref(), Some(&b"here"[..]));
        }

        #[test]
        fn other_names_of_a_file_are_reported() {
            let folder = folder();
            let (path, other) = (folder.path().join("a.yaml"), folder.path().join("b.yaml"));
            fs::write(&path, "old").expect("write");
            let written = write_atomic(&path, b"old").expect("write");
            assert_eq!(written.findings().count(), 0);
            fs::hard_link(&path, &other).expect("link");
            let written = write_atomic(&path, b"new").expect("write");
            let findings: Vec<_> = written.findings().collect();
            assert_eq!(findings.len(), 1);
            assert!(findings[0].message.contains("had 1 other name (hard links)"), "{findings:?}");
            assert_eq!(fs::read(&other).expect("read"), b"old");
        }

        #[test]
        fn a_read_only_file_is_refused_for_everyone() {
            let folder = folder();
            let path = folder.path().join("a.yaml");
            fs::write(&path, "old").expect("write");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).expect("chmod");
            let error = write_atomic(&path, b"new").expect_err("read-only");
            assert!(error.to_string().ends_with("a.yaml` cannot be written: it is read-only"));
            assert_eq!(fs::read(&path).expect("read"), b"old");
            assert_eq!(names(&folder), ["a.yaml"]);
        }

        #[test]
        fn a_link_stays_a_link_and_its_target_changes() {
            let folder = folder();
            let (target, link) = (folder.path().join("real/a.yaml"), folder.path().join("b.yaml"));
            fs::create_dir(folder.path().join("real")).expect("folder");
            fs::write(&target, "old").expect("write");
            symlink("real/a.yaml", &link).expect("link");
            let _ = write_atomic(&link, b"new").expect("write");
            assert!(fs::symlink_metadata(&link).expect("metadata").is_symlink());
            assert_eq!(fs::read(&target).expect("read"), b"new");
        }

        #[test]
        fn links_to_nothing_and_devices_are_refused() {
            let folder = folder();
            let link = folder.path().join("b.yaml");
            symlink("nowhere", &link).expect("link");
            assert!(matches!(write_atomic(&link, b"x"), Err(FileError::Unwritable { .. })));
            assert_eq!(names(&folder), ["b.yaml"]);
            let device = Path::new("/dev/null");
            assert!(matches!(write_atomic(device, b"x"), Err(FileError::Unwritable { .. })));
        }
    }
}
