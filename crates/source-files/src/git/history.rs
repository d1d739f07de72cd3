//! The commits of a range, each with its files and those of its first parent.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::repository::{RawChange, entries_of_tree};
use super::tree::TreeEntry;
use super::{ChangedFile, DiffSide, DiffSides, GitError, OpenedSide, Repository};

/// The beginning of a commit in the output of `git log`; no path and no header of a file begins with it.
const COMMIT: u8 = 1;
/// The id of the commit, its tree, its parents, the author, the date, and the subject.
const FORMAT: &str = "--format=tformat:%x01%H%x00%T%x00%P%x00%aN%x00%aI%x00%s";

/// The entries of a tree by their paths.
pub(super) type Entries = BTreeMap<Vec<u8>, TreeEntry>;

/// Which commits are wanted.
#[derive(Clone, Debug, Default)]
pub struct HistoryOptions {
    /// The range as the user types it: `A..B`, `A` for everything up to it; by default up to `HEAD`.
    pub range: Option<String>,
    /// Only commits after a date, in any form that git reads.
    pub since: Option<String>,
    /// Only the line of first parents: of a merge, all that it brings is one change.
    pub first_parent: bool,
}

/// The data of a commit in `git log`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// The whole id, in hexadecimal digits.
    pub id: String,
    /// The name of the author.
    pub author: String,
    /// When the author wrote it, by ISO 8601 with the offset.
    pub date: String,
    /// The first line of its message.
    pub subject: String,
    tree: String,
    parents: Vec<String>,
}

/// A commit with what it changes.
pub struct CommittedChange {
    /// Which one it is, by whom and when.
    pub commit: Commit,
    /// The names of its first parent and of itself.
    pub sides: DiffSides,
    /// The files before it.
    pub old: OpenedSide,
    /// The files after it.
    pub new: OpenedSide,
    /// The files that differ.
    pub changed: Vec<ChangedFile>,
}

/// The commits of a range, the newest first: those that have a parent, and without `first_parent` those that merge nothing.
pub struct History<'r> {
    repository: &'r Repository,
    commits: std::vec::IntoIter<(Commit, Vec<RawChange>)>,
    first_parent: bool,
    /// The trees of commits that come later. A tree follows from the one after it, so that git lists few.
    trees: HashMap<String, Arc<Entries>>,
}

impl Repository {
    /// The commits of a range.
    ///
    /// # Errors
    ///
    /// If a revision is unknown, or git fails.
    pub fn history(&self, options: &HistoryOptions) -> Result<History<'_>, GitError> {
        let range = options.range.as_deref().unwrap_or("HEAD");
        for end in
            range.split("..").map(|it| it.trim_start_matches('.')).filter(|it| !it.is_empty())
        {
            self.revision(end)?;
        }
        let mut arguments = vec!["log", "--topo-order", "-z", "--raw", "--no-abbrev", "-M", FORMAT];
        arguments.extend(["--diff-merges=first-parent", "--no-ext-diff", "--no-textconv"]);
        arguments.extend(["--no-color", "-O/dev/null", "--ignore-submodules=dirty"]);
        let since = options.since.as_ref().map(|it| format!("--since={it}"));
        arguments.extend(since.as_deref());
        if options.first_parent {
            arguments.push("--first-parent");
        }
        arguments.extend(["--end-of-options", range, "--"]);
        let commits = parsed(&self.run(&arguments)?).into_iter();
        let first_parent = options.first_parent;
        Ok(History { repository: self, commits, first_parent, trees: HashMap::new() })
    }
}

impl History<'_> {
    /// The number of commits that are left, including those that are left out.
    pub fn remaining(&self) -> usize {
        self.commits.len()
    }

    fn entries(&mut self, commit: &Commit) -> Result<Arc<Entries>, GitError> {
        match self.trees.remove(&commit.id) {
            Some(known) => Ok(known),
            None => Ok(Arc::new(entries_of_tree(&self.repository.listed(&commit.tree)?))),
        }
    }

    fn change(
        &mut self,
        commit: Commit,
        raw: &[RawChange],
    ) -> Result<Option<CommittedChange>, GitError> {
        let new = self.entries(&commit)?;
        let Some(parent) = commit.parents.first().cloned() else { return Ok(None) };
        let mut old = Arc::clone(&new);
        if !raw.is_empty() {
            let before = Arc::make_mut(&mut old);
            for (path, _) in raw.iter().filter_map(|it| it.new.as_ref()) {
                before.remove(path);
            }
            before.extend(raw.iter().filter_map(|it| it.old.clone()));
        }
        self.trees.insert(parent.clone(), Arc::clone(&old));
        if commit.parents.len() > 1 && !self.first_parent {
            return Ok(None);
        }
        let side = |commit: &str| DiffSide::Revision {
            name: commit.to_owned(),
            tree: String::new(),
            commit: Some(commit.to_owned()),
        };
        let sides = DiffSides { old: side(&parent), new: side(&commit.id) };
        Ok(Some(CommittedChange {
            sides,
            old: self.repository.opened(old),
            new: self.repository.opened(new),
            changed: self.repository.changed_files(raw),
            commit,
        }))
    }
}

impl Iterator for History<'_> {
    type Item = Result<CommittedChange, GitError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (commit, raw) = self.commits.next()?;
            if let Some(change) = self.change(commit, &raw).transpose() {
                return Some(change);
            }
        }
    }
}

/// Parses what `git log` prints: fields that end with NUL. The first file of a commit follows a line end.
fn parsed(output: &[u8]) -> Vec<(Commit, Vec<RawChange>)> {
    let mut fields = output.split(|&byte| byte == 0);
    let mut commits: Vec<(Commit, Vec<RawChange>)> = Vec::new();
    while let Some(field) = fields.next() {
        let field = field.strip_prefix(b"\n").unwrap_or(field);
        if let Some(id) = field.strip_prefix(&[COMMIT]) {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            let mut next = || text(fields.next().unwrap_or_default());
            let (tree, parents) = (next(), next());
            let parents = parents.split_ascii_whitespace().map(str::to_owned).collect();
            let (author, date, subject) = (next(), next(), next());
            let commit = Commit { id: text(id), author, date, subject, tree, parents };
            commits.push((commit, Vec::new()));
        } else if let (Some((_, changes)), Some(change)) =
            (commits.last_mut(), RawChange::new(field, &mut fields))
        {
            changes.push(change);
        }
    }
    commits
}
