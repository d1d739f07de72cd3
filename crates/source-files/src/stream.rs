//! Pipes and devices, which can be read only once: named pipes, process substitution (`<(…)`, `/dev/fd/N`),
//! terminals.

use std::collections::HashMap;
use std::fs::{self, File, FileType, Metadata};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::FileError;
use super::disk::read_limited;

/// The content of the streams that were read, which cannot be read a second time. `None`
/// for a stream beyond the size limit.
static READ: Mutex<Option<HashMap<Identity, Option<Vec<u8>>>>> = Mutex::new(None);

/// Whether a file is a stream: neither a regular file nor a folder.
pub(super) fn is_stream(kind: FileType) -> bool {
    !kind.is_file() && !kind.is_dir()
}

/// Whether a path refers to a stream.
pub(super) fn names_stream(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| is_stream(metadata.file_type()))
}

/// The bytes of the stream at `path`: read from the stream on the first request, and the same bytes from then
/// on, under any name.
pub(super) fn read(path: &Path, metadata: &Metadata, limit: u64) -> Result<Vec<u8>, FileError> {
    let mut slot = READ.lock().unwrap_or_else(PoisonError::into_inner);
    let streams = slot.get_or_insert_default();
    let too_large = || FileError::TooLarge { path: path.to_owned(), limit };
    let identity = identity(path, metadata);
    if let Some(known) = streams.get(&identity) {
        let fitting = known.as_ref().filter(|bytes| bytes.len() as u64 <= limit);
        return fitting.cloned().ok_or_else(too_large);
    }
    let file = File::open(path).map_err(|reason| FileError::reading(path, reason))?;
    let read = read_limited(file, 0, path, limit);
    match &read {
        Ok(bytes) => {
            streams.insert(identity, Some(bytes.clone()));
        }
        Err(FileError::TooLarge { .. }) => {
            streams.insert(identity, None);
        }
        Err(_) => {}
    }
    read
}

/// Device and inode number; the path on systems without inode numbers.
type Identity = (u64, u64, PathBuf);

#[cfg(unix)]
fn identity(_path: &Path, metadata: &Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt;

    (metadata.dev(), metadata.ino(), PathBuf::new())
}

#[cfg(not(unix))]
fn identity(path: &Path, _metadata: &Metadata) -> Identity {
    (0, 0, path.to_owned())
}
