//! Errors of reading and writing files.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::display_name;
use source_diagnostics::Diagnostic;

/// The reasons why a file could not be read or written.
#[derive(Debug, Error)]
pub enum FileError {
    /// The path does not exist.
    #[error("`{}` does not exist", display_name(path))]
    NotFound {
        /// The path as the user typed it.
        path: PathBuf,
        /// An existing path that was probably meant.
        similar: Option<PathBuf>,
    },
    /// The path is a folder where a file is expected.
    #[error("`{}` is a folder, not a file", display_name(path))]
    IsFolder {
        /// The folder.
        path: PathBuf,
    },
    /// The operating system reported an error.
    #[error("`{}` cannot be read: {}", display_name(path), plain(reason))]
    Unreadable {
        /// The file or folder that could not be read.
        path: PathBuf,
        /// The error of the operating system; part of the message, so it is not an error source as well.
        reason: io::Error,
    },
    /// The file is larger than the limit.
    #[error("`{}` is larger than the limit of {limit} bytes", display_name(path))]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The limit in bytes.
        limit: u64,
    },
    /// The file is empty.
    #[error("`{}` is empty", display_name(path))]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// The result could not be written.
    #[error("`{}` cannot be written: {}", display_name(path), plain(reason))]
    Unwritable {
        /// The file, which is unchanged.
        path: PathBuf,
        /// The reason; part of the message, so it is not an error source as well.
        reason: io::Error,
    },
    /// The output folder is not empty.
    #[error("`{}` is not empty", display_name(path))]
    NotEmpty {
        /// The folder.
        path: PathBuf,
    },
    /// The folder contains no template.
    #[error("`{}` contains no template", display_name(path))]
    NoTemplates {
        /// The folder.
        path: PathBuf,
    },
}

impl FileError {
    /// The error of an operation that reads `path`.
    pub(super) fn reading(path: &Path, reason: io::Error) -> Self {
        FileError::Unreadable { path: path.to_owned(), reason }
    }

    /// The error for a symbolic link whose target does not exist.
    pub(super) fn leads_nowhere(path: &Path, target: &Path) -> Self {
        let reason =
            format!("it is a symbolic link to `{}`, which does not exist", target.display());
        FileError::reading(path, io::Error::new(io::ErrorKind::NotFound, reason))
    }

    /// The error of an operation that writes `path`.
    pub(super) fn writing(path: &Path, reason: io::Error) -> Self {
        FileError::Unwritable { path: path.to_owned(), reason }
    }

    /// The path of the error, as the user typed it.
    pub fn path(&self) -> &Path {
        match self {
            FileError::NotFound { path, .. }
            | FileError::IsFolder { path }
            | FileError::Unreadable { path, .. }
            | FileError::TooLarge { path, .. }
            | FileError::Empty { path }
            | FileError::Unwritable { path, .. }
            | FileError::NotEmpty { path }
            | FileError::NoTemplates { path } => path,
        }
    }

    /// The error as a finding.
    pub fn diagnostic(&self) -> Diagnostic {
        let code = match self {
            FileError::NotFound { .. } => crate::codes::FILE_NOT_FOUND,
            FileError::IsFolder { .. } => crate::codes::FOLDER_NOT_FILE,
            FileError::Unreadable { .. } => crate::codes::FILE_UNREADABLE,
            FileError::TooLarge { .. } => source_diagnostics::codes::FILE_TOO_LARGE,
            FileError::Empty { .. } => crate::codes::EMPTY_FILE,
            FileError::Unwritable { .. } => crate::codes::FILE_UNWRITABLE,
            FileError::NotEmpty { .. } => crate::codes::OUTPUT_NOT_EMPTY,
            FileError::NoTemplates { .. } => crate::codes::NO_TEMPLATES,
        };
        let name = display_name(self.path()).into_owned();
        let diagnostic = Diagnostic::new(code, self.to_string()).about_file(name);
        match self {
            FileError::NotFound { similar: Some(similar), .. } => {
                diagnostic.help(format!("did you mean `{}`?", similar.display()))
            }
            FileError::TooLarge { .. } => diagnostic.help("`--max-size` raises the limit"),
            FileError::NotEmpty { .. } => {
                diagnostic.help("`--force` writes into it and replaces files of the same name")
            }
            FileError::Unwritable { reason, .. } => match reason.kind() {
                io::ErrorKind::FileTooLarge => diagnostic.help(
                    "nothing was changed; `ulimit -f unlimited` removes the limit of the shell",
                ),
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => diagnostic
                    .help("nothing was changed; free some space, then run the command again"),
                _ => diagnostic,
            },
            FileError::NotFound { .. }
            | FileError::IsFolder { .. }
            | FileError::Unreadable { .. }
            | FileError::Empty { .. }
            | FileError::NoTemplates { .. } => diagnostic,
        }
    }
}

impl From<FileError> for Diagnostic {
    fn from(error: FileError) -> Self {
        error.diagnostic()
    }
}

/// The reason without the error number that Rust adds, so that messages are the same on all systems.
pub(super) fn plain(reason: &io::Error) -> String {
    let mut text = reason.to_string();
    if let Some(at) = text.find(" (os error ") {
        text.truncate(at);
    }
    text
}
