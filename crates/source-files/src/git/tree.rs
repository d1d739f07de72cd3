//! The files of a revision or of the index, under their paths on disk.

use std::collections::{BTreeMap, VecDeque};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::ops::Bound;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::command::{to_bytes, to_path};
use super::objects::{ObjectLookup, ObjectReader};
use super::{GitError, ObjectProblem};
use crate::{Disk, FileError, FileSource, PathKind, from_here, is_stdin};

/// The maximum number of symbolic links followed on the way to a file, as in Linux.
const MAX_LINKS: usize = 40;

/// The start of the pointer to a file that Git LFS stores.
const LFS_POINTER_START: &[u8] = b"version https://git-lfs.github.com/spec/v1\n";
/// The maximum length of such a pointer in bytes.
const MAX_POINTER_LENGTH: usize = 1024;

/// An entry of a revision or of the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TreeEntry {
    pub(super) mode: EntryMode,
    pub(super) oid: String,
}

/// The kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryMode {
    File,
    Link,
    Submodule,
    /// An unresolved merge conflict: several versions.
    Conflict,
}

impl EntryMode {
    /// Parses the octal digits that git prints.
    pub(super) fn of(digits: &[u8]) -> EntryMode {
        match digits {
            b"120000" => EntryMode::Link,
            b"160000" => EntryMode::Submodule,
            _ => EntryMode::File,
        }
    }
}

/// A revision or the index as a source of files. Paths are those on disk, so that messages and
/// URLs are the same for both sides of a comparison. Files outside of the repository are read
/// from disk in every revision.
#[derive(Debug)]
pub struct GitTree {
    objects: Arc<ObjectReader>,
    /// The entries by their paths in the repository, as bytes with slashes.
    entries: Arc<BTreeMap<Vec<u8>, TreeEntry>>,
    /// The top of the repository: absolute, links followed.
    top: PathBuf,
    /// The folder that relative paths start from: absolute, links followed.
    here: PathBuf,
    /// The folder where Git LFS stores the files that it has fetched.
    lfs: PathBuf,
    limit: u64,
}

/// A path with its links resolved.
struct ResolvedPath {
    /// The absolute path without links.
    absolute: PathBuf,
    /// True if a link in the repository leads out of it.
    escaped: bool,
}

impl GitTree {
    pub(super) fn new(
        objects: Arc<ObjectReader>,
        entries: Arc<BTreeMap<Vec<u8>, TreeEntry>>,
        (top, here): (PathBuf, PathBuf),
        lfs: PathBuf,
        limit: u64,
    ) -> Self {
        GitTree { objects, entries, top, here, lfs, limit }
    }

    /// Every regular file, by the path relative to the current folder, sorted.
    pub fn files(&self) -> Vec<PathBuf> {
        let files = self.entries.iter().filter(|(_, entry)| entry.mode == EntryMode::File);
        files.map(|(path, _)| from_here(&self.top.join(to_path(path)), &self.here)).collect()
    }

    /// The path in the repository of an absolute path; `None` for a path outside of it.
    fn inside(&self, absolute: &Path) -> Option<Vec<u8>> {
        let inside = absolute.strip_prefix(&self.top).ok()?;
        let mut path = Vec::new();
        for component in inside.components() {
            if !path.is_empty() {
                path.push(b'/');
            }
            path.extend_from_slice(to_bytes(component.as_os_str()));
        }
        Some(path)
    }

    fn entry(&self, absolute: &Path) -> Option<&TreeEntry> {
        self.entries.get(&self.inside(absolute)?)
    }

    /// The entries below a folder: the rest of each path, and the entry.
    fn below<'t>(
        &'t self,
        folder: &[u8],
    ) -> impl Iterator<Item = (&'t [u8], &'t TreeEntry)> + use<'t> {
        let mut prefix = folder.to_vec();
        if !prefix.is_empty() {
            prefix.push(b'/');
        }
        let from = (Bound::Included(prefix.clone()), Bound::Unbounded);
        self.entries
            .range::<Vec<u8>, _>(from)
            .map_while(move |(path, entry)| Some((path.strip_prefix(&prefix[..])?, entry)))
    }

    /// Follows every link: in the repository those of the revision, elsewhere those on disk.
    fn follow(&self, path: &Path) -> Result<ResolvedPath, io::Error> {
        let mut rest: VecDeque<OsString> = names(path);
        let mut absolute = if path.is_absolute() { root(path) } else { self.here.clone() };
        let (mut links, mut by_link) = (0, false);
        while let Some(name) = rest.pop_front() {
            if name == ".." {
                absolute.pop();
                continue;
            }
            let next = absolute.join(&name);
            let is_inside = next != self.top && next.starts_with(&self.top);
            let target = if is_inside {
                match self.entry(&next) {
                    Some(entry) if entry.mode == EntryMode::Link => Some(self.target(entry)?),
                    _ => None,
                }
            } else {
                link_on_disk(&next)
            };
            let Some(target) = target else {
                absolute = next;
                continue;
            };
            links += 1;
            if links > MAX_LINKS {
                return Err(io::Error::other("too many levels of symbolic links"));
            }
            by_link |= is_inside;
            if target.is_absolute() {
                absolute = root(&target);
            }
            rest = names(&target).into_iter().chain(rest).collect();
        }
        let escaped = by_link && !absolute.starts_with(&self.top);
        Ok(ResolvedPath { absolute, escaped })
    }

    fn target(&self, link: &TreeEntry) -> Result<PathBuf, io::Error> {
        match self.objects.read(&link.oid, self.limit) {
            Ok(ObjectLookup::Found { bytes, .. }) => Ok(to_path(&bytes)),
            Ok(ObjectLookup::TooLarge) => Err(io::Error::other("a symbolic link is too long")),
            Ok(ObjectLookup::Missing | ObjectLookup::Ambiguous) => {
                Err(io::Error::other(unreadable(ObjectProblem::Missing)))
            }
            Err(GitError::UnreadableObject { problem, .. }) => {
                Err(io::Error::other(unreadable(problem)))
            }
            Err(error) => Err(io::Error::other(error.to_string())),
        }
    }

    fn kind_at(&self, absolute: &Path) -> Option<PathKind> {
        let inside = self.inside(absolute)?;
        match self.entries.get(&inside).map(|entry| entry.mode) {
            Some(EntryMode::File | EntryMode::Conflict | EntryMode::Link) => Some(PathKind::File),
            Some(EntryMode::Submodule) => Some(PathKind::Folder),
            None if inside.is_empty() => Some(PathKind::Folder),
            None => self.below(&inside).next().map(|_| PathKind::Folder),
        }
    }

    /// Whether a parent folder is a submodule, whose files are in another repository.
    fn is_in_submodule(&self, absolute: &Path) -> bool {
        let submodule = |folder: &Path| {
            self.entry(folder).is_some_and(|entry| entry.mode == EntryMode::Submodule)
        };
        absolute.ancestors().skip(1).take_while(|it| it.starts_with(&self.top)).any(submodule)
    }

    fn blob(&self, entry: &TreeEntry, path: &Path) -> Result<Vec<u8>, FileError> {
        let other = |reason: String| FileError::reading(path, io::Error::other(reason));
        let too_large = || FileError::TooLarge { path: path.to_owned(), limit: self.limit };
        let bytes = match self.objects.read(&entry.oid, self.limit) {
            Ok(ObjectLookup::Found { bytes, .. }) => bytes,
            Ok(ObjectLookup::TooLarge) => return Err(too_large()),
            Ok(ObjectLookup::Missing | ObjectLookup::Ambiguous) => {
                return Err(other(unreadable(ObjectProblem::Missing)));
            }
            Err(GitError::UnreadableObject { problem, .. }) => {
                return Err(other(unreadable(problem)));
            }
            Err(error) => return Err(other(error.to_string())),
        };
        let Some(oid) = lfs_oid(&bytes) else { return Ok(bytes) };
        let kept = self.lfs.join(&oid[..2]).join(&oid[2..4]).join(oid);
        match Disk::new(self.limit).read(&kept) {
            Ok(bytes) => Ok(bytes),
            Err(FileError::TooLarge { .. }) => Err(too_large()),
            Err(_) => {
                let reason = "Git LFS stores it, and its content has not been fetched; \
                              `git lfs fetch --all` gets it";
                Err(other(reason.to_owned()))
            }
        }
    }
}

impl FileSource for GitTree {
    fn read(&self, path: &Path) -> Result<Vec<u8>, FileError> {
        let other = |reason: &str| FileError::reading(path, io::Error::other(reason.to_owned()));
        if path.as_os_str().is_empty() {
            return Err(self.missing(path));
        }
        let place = self.follow(path).map_err(|reason| FileError::reading(path, reason))?;
        if place.escaped {
            return Err(other("it is a symbolic link that leads out of the repository"));
        }
        let Some(inside) = self.inside(&place.absolute) else {
            return Disk::new(self.limit).read(path);
        };
        match self.entries.get(&inside) {
            Some(entry) => match entry.mode {
                EntryMode::File => self.blob(entry, path),
                EntryMode::Submodule => {
                    Err(other("it is a submodule, whose files are in another repository"))
                }
                EntryMode::Conflict => Err(other("it has a merge conflict; resolve it first")),
                EntryMode::Link => Err(other("it is a symbolic link")),
            },
            None if self.kind_at(&place.absolute).is_some() => {
                Err(FileError::IsFolder { path: path.to_owned() })
            }
            None if self.is_in_submodule(&place.absolute) => {
                Err(other("it is in a submodule, whose files are in another repository"))
            }
            None => {
                // A dangling link itself exists.
                let typed = self.here.join(path);
                match self.entry(&typed).filter(|entry| entry.mode == EntryMode::Link) {
                    Some(link) => {
                        let target = self.target(link);
                        let target = target.map_err(|reason| FileError::reading(path, reason))?;
                        Err(FileError::leads_nowhere(path, &target))
                    }
                    None => Err(self.missing(path)),
                }
            }
        }
    }

    fn kind(&self, path: &Path) -> Option<PathKind> {
        if path.as_os_str().is_empty() {
            return None;
        }
        let place = self.follow(path).ok()?;
        if place.absolute.starts_with(&self.top) {
            return self.kind_at(&place.absolute);
        }
        if place.escaped { None } else { Disk::new(self.limit).kind(path) }
    }

    fn path_components(&self, folder: &Path) -> Vec<String> {
        let Ok(place) = self.follow(folder) else { return Vec::new() };
        let Some(inside) = self.inside(&place.absolute) else {
            return Disk::new(self.limit).path_components(folder);
        };
        let mut names: Vec<String> = self
            .below(&inside)
            .filter_map(|(rest, _)| rest.split(|&byte| byte == b'/').next())
            .filter_map(|name| String::from_utf8(name.to_owned()).ok())
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        match self.follow(path) {
            Ok(place) => place.absolute,
            Err(_) => self.here.join(path),
        }
    }

    fn work_tree(&self, folder: &Path) -> Option<PathBuf> {
        let folder = self.absolute(folder);
        if folder.starts_with(&self.top) {
            return Some(self.top.clone());
        }
        Disk::new(self.limit).work_tree(&folder)
    }

    fn content_id(&self, path: &Path) -> Option<String> {
        let entry = self.entry(&self.follow(path).ok()?.absolute)?;
        (entry.mode == EntryMode::File).then(|| entry.oid.clone())
    }

    fn is_stream(&self, path: &Path) -> bool {
        let is_outside =
            |place: ResolvedPath| !place.escaped && !place.absolute.starts_with(&self.top);
        is_stdin(path)
            || self.follow(path).is_ok_and(is_outside) && Disk::new(self.limit).is_stream(path)
    }
}

/// Why the content of a file cannot be read, and what to do.
fn unreadable(problem: ObjectProblem) -> String {
    format!("{problem}; {}", problem.help())
}

/// The target of a link. A kernel link to an open file (`/dev/fd/63` → `pipe:[4711]`) has a descriptive name
/// instead of a path, and is the file itself.
fn link_on_disk(path: &Path) -> Option<PathBuf> {
    let target = fs::read_link(path).ok()?;
    let there = path.parent().map_or_else(|| target.clone(), |folder| folder.join(&target));
    let is_of_kernel = fs::metadata(path).is_ok() && fs::symlink_metadata(there).is_err();
    (!is_of_kernel).then_some(target)
}

/// The object id of the file that a Git LFS pointer refers to.
fn lfs_oid(bytes: &[u8]) -> Option<&str> {
    if bytes.len() > MAX_POINTER_LENGTH || !bytes.starts_with(LFS_POINTER_START) {
        return None;
    }
    let text = std::str::from_utf8(bytes).ok()?;
    let oid = text.lines().find_map(|line| line.strip_prefix("oid sha256:"))?.trim();
    (oid.len() == 64 && oid.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(oid)
}

/// The components of a path, `..` included.
fn names(path: &Path) -> VecDeque<OsString> {
    let names = path.components().filter_map(|component| match component {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
    });
    names.collect()
}

/// The root of an absolute path.
fn root(path: &Path) -> PathBuf {
    path.components()
        .take_while(|it| matches!(it, Component::Prefix(_) | Component::RootDir))
        .collect()
}
