//! Why a repository cannot be read.

use std::path::PathBuf;

use thiserror::Error;

use super::ObjectProblem;
use source_diagnostics::Diagnostic;

/// The reasons why a repository could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GitError {
    /// The command `git` is missing or cannot be started.
    #[error("`git` cannot be started: {reason}")]
    NotInstalled {
        /// The error of the operating system.
        reason: String,
    },
    /// The folder is not in a repository.
    #[error("`{}` is not in a git repository", shown(folder))]
    NotARepository {
        /// The folder; empty for the current one.
        folder: PathBuf,
    },
    /// The repository has no revision of this name.
    #[error("`{revision}` is not a revision of this repository")]
    UnknownRevision {
        /// The name as the user typed it.
        revision: String,
        /// A branch or tag that was probably meant.
        similar: Option<String>,
        /// The clone is shallow, so that an ancestor may be outside of it.
        shallow: bool,
    },
    /// An object of the repository cannot be read.
    #[error("git cannot read {object}: {problem}")]
    UnreadableObject {
        /// Its kind, or what refers to it.
        object: String,
        /// Why it cannot be read.
        problem: ObjectProblem,
    },
    /// Several objects match the abbreviated id.
    #[error("`{revision}` is the abbreviated id of more than one revision")]
    AmbiguousRevision {
        /// The name as the user typed it.
        revision: String,
    },
    /// The name refers to an object that is not a revision.
    #[error("`{revision}` is a {kind}, not a revision")]
    NotARevision {
        /// The name as the user typed it.
        revision: String,
        /// The type of the object, as git calls it (`blob`).
        kind: String,
    },
    /// Two revisions have no ancestor in common.
    #[error("`{one}` and `{other}` have no common ancestor in this clone")]
    NoMergeBase {
        /// The name as the user typed it.
        one: String,
        /// As the user typed it.
        other: String,
        /// The clone is shallow, so that there may be an ancestor outside of it.
        shallow: bool,
    },
    /// The repository has no working tree, but one is needed.
    #[error("this repository has no working tree to compare with")]
    NoWorkingTree,
    /// git failed for another reason.
    #[error("git failed: {reason}")]
    Failed {
        /// The first line of git's error output.
        reason: String,
    },
}

impl GitError {
    /// The error as a finding, with a suggestion.
    pub fn diagnostic(&self) -> Diagnostic {
        let new = |code| Diagnostic::new(code, self.to_string());
        match self {
            GitError::NotInstalled { .. } => {
                new(crate::codes::GIT_MISSING).help("install git, or add it to `PATH`")
            }
            GitError::NotARepository { .. } => new(crate::codes::NOT_AREPOSITORY)
                .help("run the command in a folder of the repository"),
            GitError::UnknownRevision { revision, similar, shallow } => {
                let finding = new(crate::codes::UNKNOWN_REVISION);
                match similar {
                    Some(similar) => finding.help(format!("did you mean `{similar}`?")),
                    None if revision == "HEAD" => finding.help("the repository has no commit yet"),
                    None if *shallow => finding.help(
                        "the clone is shallow; `git fetch --unshallow` gets the whole history",
                    ),
                    None => finding.help("`git fetch` gets revisions of the remote repository"),
                }
            }
            GitError::UnreadableObject { problem, .. } => {
                new(crate::codes::GIT_FAILED).help(problem.help())
            }
            GitError::AmbiguousRevision { .. } => {
                new(crate::codes::UNKNOWN_REVISION).help("use more characters of the id")
            }
            GitError::NotARevision { .. } => {
                new(crate::codes::UNKNOWN_REVISION).help("name a commit, a branch or a tag")
            }
            GitError::NoMergeBase { shallow: true, .. } => new(crate::codes::NO_MERGE_BASE)
                .help("the clone is shallow; `git fetch --unshallow` gets the whole history"),
            GitError::NoMergeBase { shallow: false, .. } => new(crate::codes::NO_MERGE_BASE)
                .help("compare the revisions themselves with two dots: `OLD..NEW`"),
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
