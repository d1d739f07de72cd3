//! Reads files from disk, up to a size limit.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::{
    DEFAULT_MAX_SIZE, FileError, FileSource, MAX_SIZE_LIMIT, PathKind, is_stdin, stream, walk,
};

/// The files on disk, up to a size limit per file.
#[derive(Clone, Copy, Debug)]
pub struct Disk {
    limit: u64,
}

impl Disk {
    /// Reads from disk; a file of more than `limit` bytes is an error.
    pub fn new(limit: u64) -> Self {
        Disk { limit: limit.min(MAX_SIZE_LIMIT) }
    }
}

impl Default for Disk {
    fn default() -> Self {
        Disk::new(DEFAULT_MAX_SIZE)
    }
}

impl FileSource for Disk {
    fn read(&self, path: &Path) -> Result<Vec<u8>, FileError> {
        // Checked before opening: opening a named pipe without a writer would block.
        if let Ok(metadata) = fs::metadata(path)
            && stream::is_stream(metadata.file_type())
        {
            return stream::read(path, &metadata, self.limit);
        }
        let file = File::open(path).map_err(|reason| match reason.kind() {
            // `a.yaml/b` does not exist, just like `b`.
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => match fs::read_link(path) {
                Ok(target) => FileError::leads_nowhere(path, &target),
                Err(_) => self.missing(path),
            },
            _ => FileError::reading(path, reason),
        })?;
        let metadata = file.metadata().map_err(|reason| FileError::reading(path, reason))?;
        if metadata.is_dir() {
            return Err(FileError::IsFolder { path: path.to_owned() });
        }
        read_limited(file, metadata.len(), path, self.limit)
    }

    fn kind(&self, path: &Path) -> Option<PathKind> {
        let metadata = fs::metadata(path).ok()?;
        Some(if metadata.is_dir() { PathKind::Folder } else { PathKind::File })
    }

    fn path_components(&self, folder: &Path) -> Vec<String> {
        // The parent of `b.yaml` is the empty path: the current folder.
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
        let mut names: Vec<String> =
            entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
        names.sort_unstable();
        names
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        let here = || std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
        let mut rest = PathBuf::new();
        for prefix in here().join(path).ancestors() {
            if let Ok(existing) = fs::canonicalize(prefix) {
                return if rest.as_os_str().is_empty() { existing } else { existing.join(rest) };
            }
            rest = match prefix.file_name() {
                Some(name) => Path::new(name).join(rest),
                // `..` behind a missing component.
                None => Path::new("..").join(rest),
            };
        }
        here().join(path)
    }

    fn is_stream(&self, path: &Path) -> bool {
        is_stdin(path) || stream::names_stream(path)
    }

    fn project_files(&self, folder: &Path) -> Vec<PathBuf> {
        walk::project_files(folder)
    }

    fn has_untracked(&self) -> bool {
        true
    }
}

/// The file `name` of a folder, or of the nearest folder above it that has one; for the empty path, which is the current folder,
/// relative to it. The search ends at the top of a git work tree; without one, below a folder that belongs to somebody else, who
/// could otherwise put a file there (such as in `/tmp`).
pub fn find_upwards(folder: &Path, name: &str) -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?.join(folder);
    let mut way = folder.to_owned();
    let mut owner = None;
    for folder in here.ancestors() {
        let of_folder = self::owner(folder)?;
        if *owner.get_or_insert(of_folder) != of_folder {
            return None;
        }
        // Relative to the current folder, as the user would type it.
        let path = way.join(name);
        // A folder, and a link that leads nowhere, are found, too: reading them says what is wrong.
        let is_stream = |it: fs::Metadata| stream::is_stream(it.file_type());
        if fs::symlink_metadata(&path).is_ok() && !fs::metadata(&path).is_ok_and(is_stream) {
            return Some(path);
        }
        if super::is_work_tree(&Disk::default(), folder) {
            return None;
        }
        if way.is_absolute() {
            way.pop();
        } else {
            way.push("..");
        }
    }
    None
}

#[cfg(unix)]
fn owner(folder: &Path) -> Option<u32> {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(folder).ok().map(|metadata| metadata.uid())
}

/// Elsewhere folders of others are not recognized.
#[cfg(not(unix))]
fn owner(folder: &Path) -> Option<u32> {
    fs::metadata(folder).ok().map(|_| 0)
}

/// Everything that `reader` yields, unless it exceeds `limit` bytes. The expected size is only an
/// optimization: pipes and growing files report another one.
pub(super) fn read_limited(
    reader: impl Read,
    expected: u64,
    path: &Path,
    limit: u64,
) -> Result<Vec<u8>, FileError> {
    let too_large = || FileError::TooLarge { path: path.to_owned(), limit };
    if expected > limit {
        return Err(too_large());
    }
    // The limit keeps the size within 32 bits; one more byte detects the end without growing the buffer.
    let mut bytes = Vec::with_capacity(expected as usize + 1);
    reader
        .take(limit + 1)
        .read_to_end(&mut bytes)
        .map_err(|reason| FileError::reading(path, reason))?;
    if bytes.len() as u64 > limit { Err(too_large()) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().expect("a temporary folder")
    }

    #[test]
    fn the_bytes_are_those_of_the_file() {
        let folder = folder();
        let path = folder.path().join("a.yaml");
        fs::write(&path, b"\xef\xbb\xbfa: \xff\r\n").expect("write");
        assert_eq!(Disk::default().read(&path).expect("read"), b"\xef\xbb\xbfa: \xff\r\n");
        assert_eq!(Disk::default().kind(&path), Some(PathKind::File));
        assert_eq!(Disk::default().kind(folder.path()), Some(PathKind::Folder));
    }

    #[test]
    fn the_limit_is_the_last_size_that_is_read() {
        let folder = folder();
        let path = folder.path().join("a.yaml");
        fs::write(&path, b"1234").expect("write");
        assert!(Disk::new(4).read(&path).is_ok());
        assert!(matches!(Disk::new(3).read(&path), Err(FileError::TooLarge { limit: 3, .. })));
    }

    #[test]
    fn an_endless_stream_ends_at_the_limit() {
        let stream = io::repeat(b' ');
        let result = read_limited(stream, 0, Path::new("endless"), 1000);
        assert!(matches!(result, Err(FileError::TooLarge { .. })));
    }

    #[test]
    fn a_missing_file_proposes_its_sibling() {
        let folder = folder();
        fs::create_dir(folder.path().join("templates")).expect("folder");
        fs::write(folder.path().join("templates/web.yaml"), b"x").expect("write");
        for (typed, meant) in [
            ("templates/wed.yaml", Some("templates/web.yaml")),
            ("temlates/web.yaml", Some("templates/web.yaml")),
            ("temlates", Some("templates")),
            ("temlates/other.yaml", None),
            ("templates/database.yaml", None),
            ("templates/web.yaml/x", None),
        ] {
            match Disk::default().read(&folder.path().join(typed)) {
                Err(FileError::NotFound { similar, .. }) => {
                    assert_eq!(similar, meant.map(|meant| folder.path().join(meant)), "{typed}");
                }
                other => panic!("{typed}: {other:?}"),
            }
        }
    }

    #[test]
    fn a_folder_is_no_file() {
        let folder = folder();
        let error = Disk::default().read(folder.path()).expect_err("a folder");
        assert!(matches!(error, FileError::IsFolder { .. }), "{error}");
    }

    #[test]
    fn an_empty_file_is_read_but_is_no_content() {
        let folder = folder();
        let path = folder.path().join("a.yaml");
        fs::write(&path, b"").expect("write");
        assert_eq!(Disk::default().read(&path).expect("read"), b"");
        assert!(matches!(Disk::default().read_content(&path), Err(FileError::Empty { .. })));
    }
}
