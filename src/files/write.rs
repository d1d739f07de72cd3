//! Results into place: whole or not at all.

use std::borrow::Cow;
use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::path::Path;

use super::FileError;

/// How the names of temporary files start. They stand beside their target for the moment of a
/// write; a process that is killed in that moment leaves one behind, hidden, with this name.
pub const TEMPORARY_PREFIX: &str = ".hotplate-";

/// How the names of temporary files end: with nothing that a search for templates takes.
pub const TEMPORARY_SUFFIX: &str = ".tmp";

/// Who may read a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Readers {
    /// Whoever the process's mask lets.
    #[default]
    Usual,
    /// The owner only: mode 0600.
    Owner,
}

/// Lets nobody but the owner read and write.
#[cfg(unix)]
pub(super) fn close(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;

    file.set_permissions(fs::Permissions::from_mode(0o600))
}

/// The folder's own rules hold.
#[cfg(not(unix))]
pub(super) fn close(_file: &File) -> io::Result<()> {
    Ok(())
}

/// Replaces the content of `path` by `bytes`, or creates it. Readers see the old content or the
/// new, never a part; after an error the file is as it was and nothing else is left.
///
/// The file keeps its permissions and, as far as the process may, its owner. A symbolic link is
/// followed. A file that nobody may write is refused, even where the process could (as root).
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    write_for(path, bytes, Readers::Usual)
}

/// The same; with [`Readers::Owner`] the file's old permissions do not count.
pub fn write_for(path: &Path, bytes: &[u8], readers: Readers) -> Result<(), FileError> {
    let refuse = |reason| FileError::writing(path, reason);
    let old = match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_symlink() => {
            // A link that leads nowhere has a name but no canonical path: an error here.
            let target = fs::canonicalize(path).map_err(refuse)?;
            let metadata = fs::metadata(&target).map_err(refuse)?;
            Some((Cow::Owned(target), metadata))
        }
        Ok(metadata) => Some((Cow::Borrowed(path), metadata)),
        Err(_) => None,
    };
    if let Some((target, metadata)) = &old {
        check_writable(target, metadata, path)?;
    }
    let target = old.as_ref().map_or(path, |(target, _)| &**target);

    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY_PREFIX).suffix(TEMPORARY_SUFFIX);
    if old.is_none() && readers == Readers::Usual {
        usual_permissions(&mut builder);
    }
    let mut temporary = builder.tempfile_in(folder.unwrap_or(Path::new("."))).map_err(refuse)?;
    temporary.write_all(bytes).map_err(refuse)?;
    if let Some((_, metadata)) = &old {
        keep(metadata, temporary.as_file()).map_err(refuse)?;
    }
    if readers == Readers::Owner {
        close(temporary.as_file()).map_err(refuse)?;
    }
    temporary.persist(target).map_err(|error| refuse(error.error))?;
    Ok(())
}

/// Refuses what is there already if it is not a file that may be written.
fn check_writable(target: &Path, metadata: &Metadata, path: &Path) -> Result<(), FileError> {
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
    // A rename asks only for the folder's permission; the file's own is asked here.
    File::options().write(true).open(target).map_err(refuse)?;
    Ok(())
}

/// Gives the new file what the old one had: owner and group first, since changing them clears mode
/// bits.
#[cfg(unix)]
fn keep(old: &Metadata, new: &File) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};

    let metadata = new.metadata()?;
    if (old.uid(), old.gid()) != (metadata.uid(), metadata.gid()) {
        // Only root may give files away; what others edit becomes theirs, as with every editor.
        let _ = fchown(new, Some(old.uid()), Some(old.gid()));
    }
    new.set_permissions(old.permissions())
}

/// A temporary file is its owner's alone; a new result is as open as the process's mask allows.
#[cfg(unix)]
fn usual_permissions(builder: &mut tempfile::Builder<'_, '_>) {
    use std::os::unix::fs::PermissionsExt;

    builder.permissions(fs::Permissions::from_mode(0o666));
}

#[cfg(not(unix))]
fn usual_permissions(_builder: &mut tempfile::Builder<'_, '_>) {}

#[cfg(not(unix))]
fn keep(old: &Metadata, new: &File) -> io::Result<()> {
    new.set_permissions(old.permissions())
}

/// Removes a file.
pub fn remove(path: &Path) -> Result<(), FileError> {
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

        Disk::default().names(folder.path())
    }

    #[test]
    fn new_and_old_files_get_the_bytes() {
        let folder = folder();
        let path = folder.path().join("a.yaml");
        for bytes in [&b"one\n"[..], b"", b"two\r\n\xff"] {
            write_atomic(&path, bytes).expect("write");
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
                write_atomic(&path, b"new").expect("write");
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
                write_for(&path, b"secret", Readers::Owner).expect("write");
                assert_eq!(mode(&path), 0o600, "{old:?}");
            }
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
            write_atomic(&link, b"new").expect("write");
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
