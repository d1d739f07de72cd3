//! What goes wrong with git.

use std::path::PathBuf;

use thiserror::Error;

use source_diagnostics::Diagnostic;

/// Why a repository could not be asked.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GitError {
    /// There is no command `git`, or it cannot be started.
    #[error("`git` cannot be started: {reason}")]
    NotInstalled {
        /// What the operating system said.
        reason: String,
    },
    /// No repository is here.
    #[error("`{}` is not in a git repository", shown(folder))]
    NotARepository {
        /// The folder that was asked.
        folder: PathBuf,
    },
    /// Nothing in the repository has this name.
    #[error("`{revision}` is not a revision of this repository")]
    UnknownRevision {
        /// As the user typed it.
        revision: String,
        /// What was probably meant.
        similar: Option<String>,
    },
    /// Several objects have this name.
    #[error("`{revision}` is the beginning of more than one revision's name")]
    AmbiguousRevision {
        /// As the user typed it.
        revision: String,
    },
    /// The name stands for something that is not a revision.
    #[error("`{revision}` names a {kind}, not a revision")]
    NotARevision {
        /// As the user typed it.
        revision: String,
        /// What git calls it.
        kind: String,
    },
    /// Two revisions have no ancestor in common.
    #[error("`{one}` and `{other}` have no common ancestor here")]
    NoMergeBase {
        /// As the user typed it.
        one: String,
        /// As the user typed it.
        other: String,
        /// The history is cut off, so that there may be one.
        shallow: bool,
    },
    /// The repository has no working tree, and one is wanted.
    #[error("this repository has no working tree to compare with")]
    NoWorkingTree,
    /// git failed for a reason of its own.
    #[error("git failed: {reason}")]
    Failed {
        /// What git said, in one line.
        reason: String,
    },
}

impl GitError {
    /// The finding that tells the user.
    pub fn diagnostic(&self) -> Diagnostic {
        let new = |code| Diagnostic::new(code, self.to_string());
        match self {
            GitError::NotInstalled { .. } => new(crate::codes::GIT_MISSING)
                .help("install git, or see to it that it is on `PATH`"),
            GitError::NotARepository { .. } => {
                new(crate::codes::NOT_AREPOSITORY).help("go to a folder of the repository")
            }
            GitError::UnknownRevision { revision, similar } => {
                let finding = new(crate::codes::UNKNOWN_REVISION);
                match similar {
                    Some(similar) => finding.help(format!("did you mean `{similar}`?")),
                    None if revision == "HEAD" => finding.help("there is no commit yet"),
                    None => finding.help("`git fetch` gets what only another repository has"),
                }
            }
            GitError::AmbiguousRevision { .. } => {
                new(crate::codes::UNKNOWN_REVISION).help("give more of its letters")
            }
            GitError::NotARevision { .. } => {
                new(crate::codes::UNKNOWN_REVISION).help("name a commit, a branch or a tag")
            }
            GitError::NoMergeBase { shallow: true, .. } => new(crate::codes::NO_MERGE_BASE)
                .help("the history is cut off here; `git fetch --unshallow` gets all of it"),
            GitError::NoMergeBase { shallow: false, .. } => {
                new(crate::codes::NO_MERGE_BASE).help("two dots compare the revisions themselves")
            }
            GitError::NoWorkingTree => {
                new(crate::codes::NO_WORKING_TREE).help("name two revisions: `OLD..NEW`")
            }
            GitError::Failed { .. } => new(crate::codes::GIT_FAILED),
        }
    }
}

impl From<GitError> for Diagnostic {
    fn from(error: GitError) -> Self {
        error.diagnostic()
    }
}

fn shown(folder: &std::path::Path) -> std::path::Display<'_> {
    if folder.as_os_str().is_empty() { std::path::Path::new(".") } else { folder }.display()
}
