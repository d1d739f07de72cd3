//! Reading files and writing results: the only module that accesses the file system.
//!
//! Files are read from a [`FileSource`]; [`find`] finds the files that a command line selects; results
//! are written by [`write_atomic`]. This module knows nothing of encodings and templates.

#![forbid(unsafe_code)]

pub mod codes;
mod disk;
mod error;
mod extensions;
mod folders;
pub mod git;
mod git_ignore;
mod interrupt;
mod memory;
mod overlay;
mod path_pattern;
mod stdin;
mod stream;
mod walk;
mod write;
mod write_folder;

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

use source_diagnostics::did_you_mean;

pub use disk::{Disk, find_upwards};
pub use error::FileError;
pub use extensions::{EXTENSIONS, FileExtension, is_candidate, is_named_jinja, may_be_environment};
pub use folders::{FolderPair, compare_folders};
pub use git_ignore::GitIgnore;
pub use interrupt::{HeldWrites, hold_writes};
pub use memory::MemoryFiles;
pub use overlay::WithTexts;
pub use path_pattern::PathPattern;
pub use stdin::WithStdin;
pub use walk::{FoundFiles, IGNORE_FILE, InputFile, find, find_among};
pub use write::{
    FileReaders, TEMPORARY_PREFIX, TEMPORARY_SUFFIX, WriteEffects, remove, write_atomic, write_for,
};
pub use write_folder::{ExistingFiles, write_folder};

/// The default limit on the size of a file: 64 MiB.
pub const DEFAULT_MAX_SIZE: u64 = 64 << 20;

/// The largest limit that a user can set: offsets into a text have 32 bits.
pub const MAX_SIZE_LIMIT: u64 = u32::MAX as u64 - 1;

/// The kind of file that a path refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathKind {
    /// A readable file: a regular file, a pipe, a device.
    File,
    /// A folder.
    Folder,
}

/// A source of files: the disk, a git revision, memory.
pub trait FileSource: Send + Sync {
    /// The bytes of the file at `path`.
    fn read(&self, path: &Path) -> Result<Vec<u8>, FileError>;

    /// The kind of file at `path`; `None` if it does not exist.
    fn kind(&self, path: &Path) -> Option<PathKind>;

    /// The names in a folder, sorted; empty if it cannot be listed. Used only to suggest corrections of
    /// mistyped paths.
    fn path_components(&self, folder: &Path) -> Vec<String>;

    /// The absolute path, with every link followed as far as the path exists. The empty path is the
    /// current folder.
    fn absolute(&self, path: &Path) -> PathBuf;

    /// The top of the git work tree that contains `folder`: absolute, with every link followed. `None`
    /// if there is no work tree.
    fn work_tree(&self, folder: &Path) -> Option<PathBuf> {
        let folder = self.absolute(folder);
        folder.ancestors().find(|it| is_work_tree(self, it)).map(Path::to_owned)
    }

    /// A stand-in for the content of a file: the same id, the same bytes. `None` where a source has no such ids.
    fn content_id(&self, _path: &Path) -> Option<String> {
        None
    }

    /// Whether a path refers to a stream: standard input, a pipe, a device. A stream is in no
    /// folder, so references in it start from the current folder.
    fn is_stream(&self, path: &Path) -> bool {
        is_stdin(path)
    }

    /// Every file of a project that a search of its folder does not skip, whatever its name, as a path with the folder. Empty for a source
    /// that cannot be searched.
    fn project_files(&self, _folder: &Path) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Whether the source may contain files that git does not track.
    fn has_untracked(&self) -> bool {
        false
    }

    /// Like [`read`](FileSource::read), but an empty file is an error: for templates and
    /// environments.
    fn read_content(&self, path: &Path) -> Result<Vec<u8>, FileError> {
        match self.read(path)? {
            bytes if bytes.is_empty() => Err(FileError::Empty { path: path.to_owned() }),
            bytes => Ok(bytes),
        }
    }

    /// The error for a path that does not exist, with the path that was probably meant.
    fn missing(&self, path: &Path) -> FileError {
        FileError::NotFound { path: path.to_owned(), similar: similar(self, path) }
    }
}

/// The path as messages show it: `-` is `<stdin>`, and nothing is left of `./`, `//` and a slash at the end.
///
/// [`shown_path`] is the spelling of a path that a user typed.
pub fn display_name(path: &Path) -> Cow<'_, str> {
    if is_stdin(path) {
        return Cow::Borrowed("<stdin>");
    }
    let plain = without_dots(path);
    if plain.as_os_str() == path.as_os_str() {
        path.to_string_lossy()
    } else {
        Cow::Owned(plain.to_string_lossy().into_owned())
    }
}

/// The one spelling of a path that a user typed, under which the file is read and reported: relative to the current folder if it is
/// below it or typed relative to it, else absolute. A link on the way stays in the path.
pub fn shown_path(files: &dyn FileSource, typed: &Path) -> PathBuf {
    if typed.as_os_str().is_empty() || files.is_stream(typed) {
        return typed.to_owned();
    }
    let here = files.absolute(Path::new(""));
    let absolute = normal(&here.join(typed));
    // Behind a link, `..` leads elsewhere.
    if absolute == files.absolute(typed) {
        seen_from(&absolute, &here, typed.is_relative())
    } else {
        without_dots(typed)
    }
}

/// [`shown_path`] as messages show it.
pub fn shown_name(files: &dyn FileSource, typed: &Path) -> String {
    display_name(&shown_path(files, typed)).into_owned()
}

/// An absolute path as it is shown in the folder `here`: relative if it is below the folder, or if it `is_relative` to it anyway.
pub fn seen_from(absolute: &Path, here: &Path, is_relative: bool) -> PathBuf {
    let is_below = here.parent().is_some() && absolute.starts_with(here);
    if is_below || is_relative { from_here(absolute, here) } else { absolute.to_owned() }
}

/// A path without `.` components; `.` for the current folder.
fn without_dots(path: &Path) -> PathBuf {
    let parts = path.components().filter(|part| !matches!(part, Component::CurDir));
    let plain: PathBuf = parts.collect();
    if plain.as_os_str().is_empty() && !path.as_os_str().is_empty() {
        PathBuf::from(".")
    } else {
        plain
    }
}

/// A path without `.` components, and without `..` behind a name.
pub fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match (component, normal.components().next_back()) {
            (Component::CurDir, _) | (Component::ParentDir, Some(Component::RootDir)) => {}
            (Component::ParentDir, Some(Component::Normal(_))) => {
                normal.pop();
            }
            (component, _) => normal.push(component),
        }
    }
    normal
}

/// True for `-`, which stands for standard input.
pub fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// True for the null device, which stands for a file that does not exist where files are compared, as in `git diff`.
pub fn is_null_device(path: &Path) -> bool {
    let name = path.as_os_str();
    name == "/dev/null" || cfg!(windows) && name.eq_ignore_ascii_case("nul")
}

/// An absolute path as a user types it in the folder `here`.
pub fn from_here(absolute: &Path, here: &Path) -> PathBuf {
    let common = absolute
        .components()
        .zip(here.components())
        .take_while(|(one, other)| one == other)
        .count();
    let up = here.components().skip(common).map(|_| Component::ParentDir);
    let path: PathBuf = up.chain(absolute.components().skip(common)).collect();
    if path.as_os_str().is_empty() { PathBuf::from(".") } else { path }
}

/// An error if there is a symbolic link between `folder`, which may be one itself, and the relative path
/// `inside`.
pub fn refuse_links(files: &dyn FileSource, folder: &Path, inside: &Path) -> Result<(), FileError> {
    let (real, mut at) = (files.absolute(folder), PathBuf::new());
    for component in inside.components() {
        at.push(component);
        let path = folder.join(&at);
        if files.absolute(&path) != real.join(&at) {
            let reason = std::io::Error::other("it is a symbolic link, which is not followed");
            return Err(FileError::reading(&path, reason));
        }
    }
    Ok(())
}

/// Whether a folder is the top of a git work tree: it has a folder `.git` that contains a repository, or a
/// file `.git` that points to one, as in linked work trees and submodules.
fn is_work_tree<S: FileSource + ?Sized>(files: &S, folder: &Path) -> bool {
    let git = folder.join(".git");
    match files.kind(&git) {
        Some(PathKind::Folder) => {
            files.kind(&git.join("HEAD")).is_some() || files.kind(&git.join("objects")).is_some()
        }
        Some(PathKind::File) => files.read(&git).is_ok_and(|bytes| bytes.starts_with(b"gitdir: ")),
        None => false,
    }
}

/// The existing path that `path` was probably meant to be: its first component that does not exist
/// is replaced by its nearest sibling, and the rest must then exist.
fn similar<S: FileSource + ?Sized>(files: &S, path: &Path) -> Option<PathBuf> {
    // The shortest prefix that does not exist: its parent can be listed.
    let missing = path
        .ancestors()
        .take_while(|prefix| !prefix.as_os_str().is_empty() && files.kind(prefix).is_none())
        .last()?;
    let folder = missing.parent()?;
    let names = files.path_components(folder);
    let name = missing.file_name()?.to_str()?;
    let meant = folder.join(did_you_mean(name, names.iter().map(String::as_str))?);
    let rest = path.strip_prefix(missing).ok()?;
    if rest.as_os_str().is_empty() {
        return Some(meant);
    }
    let meant = meant.join(rest);
    files.kind(&meant).map(|_| meant)
}

/// The examples of the README are run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
