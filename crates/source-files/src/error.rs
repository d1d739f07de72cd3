//! What goes wrong with files.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::display_name;
use source_diagnostics::Diagnostic;

/// Why a file could not be read or written.
#[derive(Debug, Error)]
pub enum FileError {
    /// Nothing has this name.
    #[error("`{}` does not exist", display_name(path))]
    NotFound {
        /// As the user typed it.
        path: PathBuf,
        /// What was probably meant.
        similar: Option<PathBuf>,
    },
    /// A folder, and a file is wanted.
    #[error("`{}` is a folder, not a file", display_name(path))]
    IsFolder {
        /// The folder.
        path: PathBuf,
    },
    /// The operating system refused.
    #[error("`{}` cannot be read: {}", display_name(path), plain(reason))]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// What the operating system said; a part of the message, so that it is no source besides.
        reason: io::Error,
    },
    /// Larger than the limit.
    #[error("`{}` is larger than the limit of {limit} bytes", display_name(path))]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The limit in bytes.
        limit: u64,
    },
    /// Nothing is in it.
    #[error("`{}` is empty", display_name(path))]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// The result could not be put in place.
    #[error("`{}` cannot be written: {}", display_name(path), plain(reason))]
    Unwritable {
        /// The file that is as it was.
        path: PathBuf,
        /// Why; a part of the message, so that it is no source besides.
        reason: io::Error,
    },
    /// Something is in the folder that results are to go to.
    #[error("`{}` is not empty", display_name(path))]
    NotEmpty {
        /// The folder.
        path: PathBuf,
    },
    /// A folder was searched in vain.
    #[error("`{}` holds no template", display_name(path))]
    NoTemplates {
        /// The folder.
        path: PathBuf,
    },
}

impl FileError {
    /// The error of an operation that wanted to read `path`.
    pub(super) fn reading(path: &Path, reason: io::Error) -> Self {
        FileError::Unreadable { path: path.to_owned(), reason }
    }

    /// The error for a symbolic link to what does not exist.
    pub(super) fn leads_nowhere(path: &Path, target: &Path) -> Self {
        let reason = format!("it is a link to `{}`, which does not exist", target.display());
        FileError::reading(path, io::Error::new(io::ErrorKind::NotFound, reason))
    }

    /// The error of an operation that wanted to write `path`.
    pub(super) fn writing(path: &Path, reason: io::Error) -> Self {
        FileError::Unwritable { path: path.to_owned(), reason }
    }

    /// The path that it is about, as the user typed it.
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

    /// The finding that tells the user.
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
        let diagnostic = Diagnostic::new(code, self.to_string());
        match self {
            FileError::NotFound { similar: Some(similar), .. } => {
                diagnostic.help(format!("did you mean `{}`?", similar.display()))
            }
            FileError::TooLarge { .. } => diagnostic.help("`--max-size` raises the limit"),
            FileError::NotEmpty { .. } => {
                diagnostic.help("`--force` writes into it; files of the same names are replaced")
            }
            FileError::NotFound { .. }
            | FileError::IsFolder { .. }
            | FileError::Unreadable { .. }
            | FileError::Empty { .. }
            | FileError::Unwritable { .. }
            | FileError::NoTemplates { .. } => diagnostic,
        }
    }
}

impl From<FileError> for Diagnostic {
    fn from(error: FileError) -> Self {
        error.diagnostic()
    }
}

/// The reason without the number that Rust adds, so that messages read alike everywhere.
pub(super) fn plain(reason: &io::Error) -> String {
    let mut text = reason.to_string();
    if let Some(at) = text.find(" (os error ") {
        text.truncate(at);
    }
    text
}
