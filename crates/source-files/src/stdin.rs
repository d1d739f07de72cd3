//! Standard input as the file `-`.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::disk::read_limited;
use super::{FileError, FileSource, MAX_SIZE_LIMIT, PathKind, is_stdin};

/// Wraps a source and adds the path `-` for standard input, which is read once, on the first
/// request; later readers get the same bytes.
pub struct WithStdin<S> {
    files: S,
    limit: u64,
    input: Mutex<StdinState>,
}

enum StdinState {
    Unread(Box<dyn Read + Send>),
    Read(Vec<u8>),
}

impl<S: FileSource> WithStdin<S> {
    /// The source `files` with `input` as `-`, of which up to `limit` bytes are read.
    pub fn new(files: S, limit: u64, input: impl Read + Send + 'static) -> Self {
        let input = Mutex::new(StdinState::Unread(Box::new(input)));
        WithStdin { files, limit: limit.min(MAX_SIZE_LIMIT), input }
    }
}

impl<S: FileSource> FileSource for WithStdin<S> {
    fn read(&self, path: &Path) -> Result<Vec<u8>, FileError> {
        if !is_stdin(path) {
            return self.files.read(path);
        }
        let mut input = self.input.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = match &mut *input {
            StdinState::Unread(reader) => read_limited(reader, 0, path, self.limit)?,
            StdinState::Read(bytes) => return Ok(bytes.clone()),
        };
        *input = StdinState::Read(bytes.clone());
        Ok(bytes)
    }

    fn kind(&self, path: &Path) -> Option<PathKind> {
        if is_stdin(path) { Some(PathKind::File) } else { self.files.kind(path) }
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
        is_stdin(path) || self.files.is_stream(path)
    }

    fn project_files(&self, folder: &Path) -> Vec<PathBuf> {
        self.files.project_files(folder)
    }

    fn has_untracked(&self) -> bool {
        self.files.has_untracked()
    }
}

impl<S: std::fmt::Debug> std::fmt::Debug for WithStdin<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WithStdin").field("files", &self.files).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::super::MemoryFiles;
    use super::*;

    fn source(input: &'static [u8], limit: u64) -> WithStdin<MemoryFiles> {
        WithStdin::new([("a.yaml", "a")].into_iter().collect(), limit, input)
    }

    #[test]
    fn a_dash_is_read_once_and_kept() {
        let files = source(b"text", 10);
        for _ in 0..2 {
            assert_eq!(files.read(Path::new("-")).expect("stdin"), b"text");
        }
        assert_eq!(files.read(Path::new("a.yaml")).expect("file"), b"a");
        assert_eq!(files.kind(Path::new("-")), Some(PathKind::File));
    }

    #[test]
    fn the_limit_holds_for_a_stream_too() {
        let error = source(b"text", 3).read(Path::new("-")).expect_err("too large");
        assert_eq!(error.to_string(), "`<stdin>` is larger than the limit of 3 bytes");
    }

    #[test]
    fn nothing_on_standard_input_is_an_empty_file() {
        let error = source(b"", 3).read_content(Path::new("-")).expect_err("empty");
        assert_eq!(error.to_string(), "`<stdin>` is empty");
    }
}
