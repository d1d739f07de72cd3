//! Reads revisions of a git repository with the command `git`; nothing is checked out or fetched.
//!
//! ```no_run
//! use std::path::Path;
//! use source_files::git::Repository;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let repository = Repository::open(Path::new(""), source_files::DEFAULT_MAX_SIZE)?;
//! let sides = repository.sides(Some("main...HEAD"), false)?;
//! let (old, new) = (repository.open_side(&sides.old)?, repository.open_side(&sides.new)?);
//! for changed in repository.changed(&sides)? {
//!     // `old.files` and `new.files` are sources; the paths are as typed in the current folder.
//!     println!("{:?}: {:?} → {:?}", changed.status, changed.old_path, changed.new_path);
//! }
//! # Ok(())
//! # }
//! ```

mod command;
mod error;
pub mod external_diff;
mod history;
mod object_problem;
mod objects;
mod repository;
pub mod setup;
mod tree;

pub use command::is_tracked;
pub use error::GitError;
pub use history::{Commit, CommittedChange, History, HistoryOptions};
pub use object_problem::ObjectProblem;
pub use repository::{ChangeStatus, ChangedFile, DiffSide, DiffSides, OpenedSide, Repository};
pub use tree::GitTree;

#[cfg(test)]
mod tests;
