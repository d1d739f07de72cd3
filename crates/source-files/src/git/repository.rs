//! A repository: its revisions by name, and the files that differ between two of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::command::{Git, to_path};
use super::history::Entries;
use super::objects::{ObjectLookup, ObjectReader};
use super::tree::{EntryMode, GitTree, TreeEntry};
use super::{GitError, ObjectProblem};
use crate::{Disk, FileSource, from_here};
use source_diagnostics::did_you_mean;

/// The maximum size in bytes of a commit, a tag or a top folder, which are small.
const MAX_REVISION_SIZE: u64 = 16 << 20;

/// Lists the whole index, from any folder of the repository.
const INDEX: [&str; 6] = ["ls-files", "--stage", "-z", "--full-name", "--", ":/"];

/// The repository that contains a folder.
#[derive(Debug)]
pub struct Repository {
    git: Git,
    objects: Arc<ObjectReader>,
    /// The root of the working tree: absolute, with links resolved.
    top: PathBuf,
    here: PathBuf,
    /// The git folder that all working trees of the repository share.
    common: PathBuf,
    has_working_tree: bool,
    limit: u64,
}

/// One side of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DiffSide {
    /// The files of a revision.
    Revision {
        /// The name as the user typed it.
        name: String,
        /// The id of the tree object.
        tree: String,
        /// The id of the commit; `None` if the name is that of a tree, and before the first commit.
        commit: Option<String>,
    },
    /// The index: the content of the next commit.
    Index,
    /// The files on disk.
    WorkingTree,
}

/// The two sides of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffSides {
    /// The older side.
    pub old: DiffSide,
    /// The newer side.
    pub new: DiffSide,
}

/// A side with its files.
pub struct OpenedSide {
    /// The source of the files.
    pub files: Box<dyn FileSource>,
    /// Every regular file that git tracks, by the path relative to the current folder, sorted.
    pub names: Vec<PathBuf>,
}

/// How a file changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChangeStatus {
    /// The file is new.
    Added,
    /// The file was deleted.
    Deleted,
    /// The content or the mode changed.
    Modified,
    /// The file was renamed; its content may have changed, too.
    Renamed,
    /// A file became a link or a submodule, or the other way round.
    TypeChange,
}

/// A file that differs between two sides. Paths are relative to the current folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedFile {
    /// How the file changed.
    pub status: ChangeStatus,
    /// The old path; `None` for a new file.
    pub old_path: Option<PathBuf>,
    /// The new path; `None` for a deleted file.
    pub new_path: Option<PathBuf>,
    /// It is or was a symbolic link.
    pub is_link: bool,
    /// It is or was a submodule, that is, a whole folder.
    pub is_submodule: bool,
}

impl std::fmt::Display for DiffSide {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            DiffSide::Revision { name, .. } => name,
            DiffSide::Index => "the index",
            DiffSide::WorkingTree => "the working tree",
        })
    }
}

impl std::fmt::Debug for OpenedSide {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Opened").field("names", &self.names).finish_non_exhaustive()
    }
}

impl Repository {
    /// The repository that `folder` is in (the empty path is the current folder), or that git's environment
    /// variables specify. No file of more than `limit` bytes is read.
    pub fn open(folder: &Path, limit: u64) -> Result<Self, GitError> {
        let git = Git::new(folder);
        let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let here = fs::canonicalize(here)
            .map_err(|_| GitError::NotARepository { folder: folder.to_owned() })?;
        let common = git.line(&["rev-parse", "--git-common-dir"])?;
        let common = here.join(to_path(&common));
        let inside = git.line(&["rev-parse", "--is-inside-work-tree"])?;
        let has_working_tree = inside == b"true";
        // A bare repository has no working folder; paths start from the current folder.
        let top = if has_working_tree {
            let top = to_path(&git.line(&["rev-parse", "--show-toplevel"])?);
            fs::canonicalize(&top).unwrap_or(top)
        } else {
            here.clone()
        };
        let objects = Arc::new(ObjectReader::new(git.clone()));
        Ok(Repository { git, objects, top, here, common, has_working_tree, limit })
    }

    /// The top folder; the current one in a bare repository.
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// Parses the revisions that a user requests: `A..B`, `A...B` (from the merge base), `A` (with the working tree, or
    /// with the index if `staged`), or nothing: the index with the working tree, or
    /// `HEAD` with the index if `staged`. An omitted side is `HEAD`, as in git.
    pub fn sides(&self, revisions: Option<&str>, staged: bool) -> Result<DiffSides, GitError> {
        let range = revisions.and_then(|typed| Some((typed, typed.split_once("..")?)));
        if let Some((typed, (one, other))) = range.filter(|_| !staged) {
            // The name of a revision may contain dots: `HEAD^{/from .. to}`.
            let range = self.range(typed, one, other);
            return range.or_else(|error| match self.revision(typed) {
                Ok(old) => Ok(DiffSides { old, new: self.working_tree()? }),
                Err(_) => Err(error),
            });
        }
        Ok(match (revisions, staged) {
            (Some(revision), true) => {
                DiffSides { old: self.revision(revision)?, new: DiffSide::Index }
            }
            (None, true) => DiffSides { old: self.head()?, new: DiffSide::Index },
            (Some(revision), false) => {
                DiffSides { old: self.revision(revision)?, new: self.working_tree()? }
            }
            (None, false) => DiffSides { old: DiffSide::Index, new: self.working_tree()? },
        })
    }

    fn range(&self, typed: &str, one: &str, other: &str) -> Result<DiffSides, GitError> {
        let unknown = || GitError::UnknownRevision {
            revision: typed.to_owned(),
            similar: None,
            shallow: false,
        };
        let (three, other) = match other.strip_prefix('.') {
            Some(other) => (true, other),
            None => (false, other),
        };
        // For git, `..` alone is a folder.
        if one.is_empty() && other.is_empty() && !three || other.starts_with('.') {
            return Err(unknown());
        }
        let named = |name: &str| if name.is_empty() { "HEAD".to_owned() } else { name.to_owned() };
        let (one, other) = (named(one), named(other));
        let new = self.revision(&other)?;
        if !three {
            return Ok(DiffSides { old: self.revision(&one)?, new });
        }
        let base = self.merge_base(&one, &other)?;
        let DiffSide::Revision { tree, commit, .. } = self.revision(&base)? else {
            return Err(unknown());
        };
        let name = format!("{one}...{other}");
        Ok(DiffSides { old: DiffSide::Revision { name, tree, commit }, new })
    }

    fn working_tree(&self) -> Result<DiffSide, GitError> {
        if self.has_working_tree { Ok(DiffSide::WorkingTree) } else { Err(GitError::NoWorkingTree) }
    }

    /// `HEAD`, or the empty tree before the first commit.
    fn head(&self) -> Result<DiffSide, GitError> {
        let head = self.revision("HEAD");
        let unborn = || self.git.output(["symbolic-ref", "--quiet", "HEAD"]);
        match head {
            Err(GitError::UnknownRevision { .. }) if unborn()?.status.success() => {
                // The tree of empty standard input.
                let tree = self.git.line(&["hash-object", "-t", "tree", "--stdin"])?;
                let tree = String::from_utf8_lossy(&tree).into_owned();
                Ok(DiffSide::Revision { name: "HEAD".to_owned(), tree, commit: None })
            }
            head => head,
        }
    }

    /// A revision by its name. The name is never an argument of git, so it cannot be taken for an option.
    pub(super) fn revision(&self, name: &str) -> Result<DiffSide, GitError> {
        let (oid, kind) = self.object(name)?;
        match self.objects.read(&format!("{oid}^{{tree}}"), MAX_REVISION_SIZE)? {
            ObjectLookup::Found { oid: tree, .. } => {
                let commit = self.commit(oid, &kind)?;
                Ok(DiffSide::Revision { name: name.to_owned(), tree, commit })
            }
            ObjectLookup::Missing if kind != "blob" => Err(GitError::UnreadableObject {
                object: format!("the tree of `{name}`"),
                problem: ObjectProblem::Missing,
            }),
            ObjectLookup::TooLarge | ObjectLookup::Missing | ObjectLookup::Ambiguous => {
                Err(GitError::NotARevision { revision: name.to_owned(), kind })
            }
        }
    }

    /// The id of the commit that an object is or that a tag refers to.
    fn commit(&self, oid: String, kind: &str) -> Result<Option<String>, GitError> {
        if kind == "commit" {
            return Ok(Some(oid));
        }
        match self.objects.read(&format!("{oid}^{{commit}}"), MAX_REVISION_SIZE)? {
            ObjectLookup::Found { oid, .. } => Ok(Some(oid)),
            ObjectLookup::TooLarge | ObjectLookup::Missing | ObjectLookup::Ambiguous => Ok(None),
        }
    }

    /// The id and the type of the object with this name.
    fn object(&self, name: &str) -> Result<(String, String), GitError> {
        let revision = || name.to_owned();
        match self.objects.read(name, MAX_REVISION_SIZE)? {
            ObjectLookup::Found { oid, kind, .. } => Ok((oid, kind)),
            ObjectLookup::Ambiguous => Err(GitError::AmbiguousRevision { revision: revision() }),
            ObjectLookup::TooLarge => {
                Err(GitError::NotARevision { revision: revision(), kind: "blob".to_owned() })
            }
            ObjectLookup::Missing if self.refers_to_object(name) => {
                let problem = ObjectProblem::Missing;
                Err(GitError::UnreadableObject { object: format!("`{name}`"), problem })
            }
            ObjectLookup::Missing => {
                let names = self.names();
                let similar = did_you_mean(name, names.iter().map(String::as_str));
                let similar = similar.map(str::to_owned);
                let shallow = self.is_shallow();
                Err(GitError::UnknownRevision { revision: revision(), similar, shallow })
            }
        }
    }

    /// Whether a branch, a tag or `HEAD` has this name and refers to an object, which may be missing.
    fn refers_to_object(&self, name: &str) -> bool {
        let arguments = ["rev-parse", "--verify", "--quiet", "--end-of-options", name];
        let id = self.git.line(&arguments).unwrap_or_default();
        !id.is_empty() && id != name.as_bytes()
    }

    /// Whether the clone does not have the older commits.
    pub fn is_shallow(&self) -> bool {
        self.common.join("shallow").is_file()
    }

    /// The names of all branches and tags.
    fn names(&self) -> Vec<String> {
        let listed = self.git.run(["for-each-ref", "--format=%(refname:short)"]);
        let listed = listed.unwrap_or_default();
        String::from_utf8_lossy(&listed).lines().map(str::to_owned).collect()
    }

    fn merge_base(&self, one: &str, other: &str) -> Result<String, GitError> {
        let commit = |name: &str| -> Result<String, GitError> {
            let (oid, kind) = self.object(name)?;
            match self.objects.read(&format!("{oid}^{{commit}}"), MAX_REVISION_SIZE)? {
                ObjectLookup::Found { oid, .. } => Ok(oid),
                _ => Err(GitError::NotARevision { revision: name.to_owned(), kind }),
            }
        };
        let output = self.git.output(["merge-base", &commit(one)?, &commit(other)?])?;
        let base = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        if output.status.success() && !base.is_empty() {
            return Ok(base);
        }
        if output.status.code() == Some(1) {
            let shallow = self.is_shallow();
            let (one, other) = (one.to_owned(), other.to_owned());
            return Err(GitError::NoMergeBase { one, other, shallow });
        }
        Err(self.git.failed(&output.stderr))
    }

    /// A side with its files.
    pub fn open_side(&self, side: &DiffSide) -> Result<OpenedSide, GitError> {
        let entries = match side {
            DiffSide::Revision { tree, .. } => entries_of_tree(&self.listed(tree)?),
            DiffSide::Index | DiffSide::WorkingTree => entries_of_index(&self.git.run(INDEX)?),
        };
        let tree = self.opened_tree(Arc::new(entries));
        let mut names = tree.files();
        match side {
            DiffSide::Revision { .. } | DiffSide::Index => {
                Ok(OpenedSide { files: Box::new(tree), names })
            }
            DiffSide::WorkingTree => {
                let is_file = |name: &PathBuf| {
                    fs::symlink_metadata(self.here.join(name)).is_ok_and(|it| it.is_file())
                };
                names.retain(is_file);
                Ok(OpenedSide { files: Box::new(Disk::new(self.limit)), names })
            }
        }
    }

    /// Every entry of a tree, as git lists it.
    pub(super) fn listed(&self, tree: &str) -> Result<Vec<u8>, GitError> {
        self.git.run(["ls-tree", "-r", "-z", "--full-tree", tree])
    }

    /// A revision with these entries.
    pub(super) fn opened(&self, entries: Arc<Entries>) -> OpenedSide {
        let tree = self.opened_tree(entries);
        OpenedSide { names: tree.files(), files: Box::new(tree) }
    }

    fn opened_tree(&self, entries: Arc<Entries>) -> GitTree {
        let folders = (self.top.clone(), self.here.clone());
        let lfs = self.common.join("lfs/objects");
        GitTree::new(Arc::clone(&self.objects), entries, folders, lfs, self.limit)
    }

    /// Runs git and returns what it prints.
    pub(super) fn run(&self, arguments: &[&str]) -> Result<Vec<u8>, GitError> {
        self.git.run(arguments)
    }

    /// The files that differ between two sides; untracked files are not included.
    pub fn changed(&self, sides: &DiffSides) -> Result<Vec<ChangedFile>, GitError> {
        let mut arguments: Vec<&str> = vec!["diff", "--raw", "-z", "-M", "--abbrev=40"];
        arguments.extend(["--no-ext-diff", "--no-textconv", "--no-color", "-O/dev/null"]);
        // To find changes within a submodule, git would start another git with the submodule's configuration.
        arguments.push("--ignore-submodules=dirty");
        match (&sides.old, &sides.new) {
            (DiffSide::Revision { tree: old, .. }, DiffSide::Revision { tree: new, .. }) => {
                arguments.extend([old.as_str(), new]);
            }
            (DiffSide::Revision { tree, .. }, DiffSide::Index) => {
                arguments.extend(["--cached", tree]);
            }
            (DiffSide::Revision { tree, .. }, DiffSide::WorkingTree) => arguments.push(tree),
            (DiffSide::Index, DiffSide::WorkingTree) => {}
            // These options produce no other status.
            (
                DiffSide::Index | DiffSide::WorkingTree,
                DiffSide::Revision { .. } | DiffSide::Index,
            )
            | (DiffSide::WorkingTree, DiffSide::WorkingTree) => return Ok(Vec::new()),
        }
        arguments.push("--");
        let settings = match sides.new {
            DiffSide::WorkingTree => self.git.without_filters()?,
            DiffSide::Index | DiffSide::Revision { .. } => Vec::new(),
        };
        let raw =
            self.git.run(settings.into_iter().chain(arguments.into_iter().map(Into::into)))?;
        let mut fields = raw.split(|&byte| byte == 0);
        let mut changes = Vec::new();
        while let Some(header) = fields.next() {
            changes.extend(RawChange::new(header, &mut fields));
        }
        Ok(self.changed_files(&changes))
    }

    /// The files that differ, with paths as the user sees them.
    pub(super) fn changed_files(&self, raw: &[RawChange]) -> Vec<ChangedFile> {
        let path = |side: &Option<TreeChange>| {
            Some(from_here(&self.top.join(to_path(&side.as_ref()?.0)), &self.here))
        };
        let files = raw.iter().map(|it| {
            let modes = [&it.old, &it.new].map(|side| side.as_ref().map(|(_, entry)| entry.mode));
            ChangedFile {
                status: it.status,
                old_path: path(&it.old),
                new_path: path(&it.new),
                is_link: modes.contains(&Some(EntryMode::Link)),
                is_submodule: modes.contains(&Some(EntryMode::Submodule)),
            }
        });
        let mut files: Vec<ChangedFile> = files.collect();
        // A file in conflict is listed twice.
        files.dedup_by(|one, last| {
            (&one.old_path, &one.new_path) == (&last.old_path, &last.new_path)
        });
        files
    }
}

/// A path in the repository with its entry.
pub(super) type TreeChange = (Vec<u8>, TreeEntry);

/// A file that differs, with its entries on the sides that have it.
#[derive(Debug)]
pub(super) struct RawChange {
    pub(super) status: ChangeStatus,
    pub(super) old: Option<TreeChange>,
    pub(super) new: Option<TreeChange>,
}

impl RawChange {
    /// Parses `:OLD_MODE NEW_MODE OLD NEW STATUS`, which one or two paths follow.
    pub(super) fn new<'a>(
        header: &[u8],
        fields: &mut impl Iterator<Item = &'a [u8]>,
    ) -> Option<Self> {
        let words: Vec<&[u8]> = header.strip_prefix(b":")?.split(|&byte| byte == b' ').collect();
        let [old_mode, new_mode, old, new, status] = words.as_slice() else { return None };
        let first = fields.next()?;
        let (status, before, after) = match status.first()? {
            b'A' => (ChangeStatus::Added, None, Some(first)),
            b'D' => (ChangeStatus::Deleted, Some(first), None),
            b'R' => (ChangeStatus::Renamed, Some(first), fields.next()),
            b'C' => (ChangeStatus::Added, None, fields.next()),
            b'T' => (ChangeStatus::TypeChange, Some(first), Some(first)),
            _ => (ChangeStatus::Modified, Some(first), Some(first)),
        };
        let side = |path: Option<&[u8]>, mode: &[u8], oid: &[u8]| {
            Some((path?.to_owned(), entry(EntryMode::of(mode), oid)))
        };
        Some(RawChange {
            status,
            old: side(before, old_mode, old),
            new: side(after, new_mode, new),
        })
    }
}

/// Parses `MODE KIND OID\tPATH`.
pub(super) fn entries_of_tree(listed: &[u8]) -> BTreeMap<Vec<u8>, TreeEntry> {
    lines(listed)
        .filter_map(|(head, path)| {
            let mut words = head.split(|&byte| byte == b' ');
            let (mode, oid) = (words.next()?, words.nth(1)?);
            Some((path.to_owned(), entry(EntryMode::of(mode), oid)))
        })
        .collect()
}

/// Parses `MODE OID STAGE\tPATH`; a stage other than 0 means a conflict.
fn entries_of_index(listed: &[u8]) -> BTreeMap<Vec<u8>, TreeEntry> {
    lines(listed)
        .filter_map(|(head, path)| {
            let mut words = head.split(|&byte| byte == b' ');
            let (mode, oid, stage) = (words.next()?, words.next()?, words.next()?);
            let mode = if stage == b"0" { EntryMode::of(mode) } else { EntryMode::Conflict };
            Some((path.to_owned(), entry(mode, oid)))
        })
        .collect()
}

fn entry(mode: EntryMode, oid: &[u8]) -> TreeEntry {
    TreeEntry { mode, oid: String::from_utf8_lossy(oid).into_owned() }
}

/// Records that end with NUL, split at their first tab.
fn lines(listed: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    listed.split(|&byte| byte == 0).filter_map(|line| {
        let tab = line.iter().position(|&byte| byte == b'\t')?;
        Some((&line[..tab], &line[tab + 1..]))
    })
}
