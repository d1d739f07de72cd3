//! Why git cannot read an object, from what it prints.

use std::fmt;

/// The reasons why git cannot read an object that a repository refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectProblem {
    /// The user may not read its file.
    Denied,
    /// The repository from which this one borrows objects is not there.
    NoAlternate,
    /// The bytes of its file are not what git wrote.
    Corrupt,
    /// The clone is partial, and the object was not fetched.
    NotFetched,
    /// No file has it.
    Missing,
}

/// Parts of git's messages in the locale C, with the problem that each tells of. The first row that occurs counts: a file that may not
/// be read is called corrupt, too.
const MESSAGES: [(&str, ObjectProblem); 18] = [
    ("Permission denied", ObjectProblem::Denied),
    ("alternate object path", ObjectProblem::NoAlternate),
    ("info/alternates", ObjectProblem::NoAlternate),
    ("inflate: ", ObjectProblem::Corrupt),
    (" is corrupt", ObjectProblem::Corrupt),
    (" is empty", ObjectProblem::Corrupt),
    ("unable to unpack", ObjectProblem::Corrupt),
    ("unable to parse", ObjectProblem::Corrupt),
    ("unable to stream", ObjectProblem::Corrupt),
    ("garbage at end of", ObjectProblem::Corrupt),
    ("hash mismatch", ObjectProblem::Corrupt),
    ("does not match index", ObjectProblem::Corrupt),
    ("is truncated", ObjectProblem::Corrupt),
    ("promisor remote", ObjectProblem::NotFetched),
    ("lazy fetching disabled", ObjectProblem::NotFetched),
    ("not a tree object", ObjectProblem::Missing),
    ("Could not read ", ObjectProblem::Missing),
    ("unable to read tree", ObjectProblem::Missing),
];

impl ObjectProblem {
    /// The problem that git's standard error output tells of.
    pub(super) fn of(output: &str) -> Option<Self> {
        MESSAGES.iter().find(|(part, _)| output.contains(part)).map(|(_, problem)| *problem)
    }

    /// What to do.
    pub fn help(self) -> &'static str {
        match self {
            ObjectProblem::Denied => "check the owner and the modes of `.git/objects`",
            ObjectProblem::NoAlternate => {
                "correct the path in `.git/objects/info/alternates`, or clone again"
            }
            ObjectProblem::Corrupt | ObjectProblem::Missing => {
                "`git fsck` lists the damage; a new clone has everything"
            }
            ObjectProblem::NotFetched => "`git fetch --refetch` gets everything",
        }
    }
}

impl fmt::Display for ObjectProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ObjectProblem::Denied => "git has no permission to read its content",
            ObjectProblem::NoAlternate => {
                "its content is in another repository (alternates), which does not exist"
            }
            ObjectProblem::Corrupt => "the repository is damaged: its content is corrupt",
            ObjectProblem::NotFetched => "this partial clone does not have its content",
            ObjectProblem::Missing => "the repository is damaged: its content is missing",
        })
    }
}
