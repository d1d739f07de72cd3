//! The arguments that git passes to an external diff program (`GIT_EXTERNAL_DIFF`,
//! `diff.NAME.command`).

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::{Disk, FileError, FileSource, PathKind};

/// The path that git passes for a missing file.
const NO_FILE: &str = "/dev/null";
/// The name and the mode that git passes for a missing file.
const NO_MODE: &str = ".";

/// A file that git asks an external diff program to compare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalDiff {
    /// The path in the repository; the old path if the file was renamed.
    pub path: PathBuf,
    /// The new path, if the file was renamed.
    pub renamed_to: Option<PathBuf>,
    /// The file with the old content; `None` if the file is new.
    pub old: Option<PathBuf>,
    /// The file with the new content; `None` if the file was deleted.
    pub new: Option<PathBuf>,
    /// The file has an unresolved merge conflict, so there is nothing to compare.
    pub unmerged: bool,
}

/// Parses the arguments of an external diff: seven, or nine for a renamed file. `None` for any other
/// arguments; a single path is one only if git is the caller (see [`parse_unmerged`]).
pub fn parse(arguments: &[OsString]) -> Option<ExternalDiff> {
    let (seven, renamed) = match arguments.len() {
        7 => (arguments, None),
        // The ninth argument describes the similarity of the files.
        9 => (&arguments[..7], Some(PathBuf::from(&arguments[7]))),
        _ => return None,
    };
    let [path, old, old_hex, old_mode, new, new_hex, new_mode] = seven else { return None };
    let file = |file: &OsString, hex: &OsStr, mode: &OsStr| {
        let is_there = file != NO_FILE;
        let fits = is_hex(hex) && if is_there { is_mode(mode) } else { mode == NO_MODE };
        fits.then(|| is_there.then(|| PathBuf::from(file)))
    };
    Some(ExternalDiff {
        path: path.into(),
        renamed_to: renamed,
        old: file(old, old_hex, old_mode)?,
        new: file(new, new_hex, new_mode)?,
        unmerged: false,
    })
}

/// Parses the single argument that git passes for a file in conflict. Since any path looks like
/// that, `called_by_git` says whether the variables of such a call are set.
pub fn parse_unmerged(arguments: &[OsString], called_by_git: bool) -> Option<ExternalDiff> {
    let ([path], true) = (arguments, called_by_git) else { return None };
    let path = path.into();
    Some(ExternalDiff { path, renamed_to: None, old: None, new: None, unmerged: true })
}

/// Whether git called this process as an external diff program, by its environment variables.
pub fn called_by_git() -> bool {
    std::env::var_os("GIT_DIFF_PATH_COUNTER").is_some()
}

fn is_hex(hex: &OsStr) -> bool {
    let digits = |hex: &str| hex.len() >= 4 && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
    hex == NO_MODE || hex.to_str().is_some_and(digits)
}

fn is_mode(mode: &OsStr) -> bool {
    let digits = |mode: &str| mode.len() == 6 && mode.bytes().all(|byte| byte.is_ascii_digit());
    mode.to_str().is_some_and(digits)
}

impl ExternalDiff {
    /// The path of the old side in the repository.
    pub fn old_path(&self) -> &Path {
        &self.path
    }

    /// The path of the new side in the repository.
    pub fn new_path(&self) -> &Path {
        self.renamed_to.as_deref().unwrap_or(&self.path)
    }

    /// The files of the old side: those on disk, with the content from git under the real path.
    pub fn old_files(&self, limit: u64) -> ExternalDiffFiles {
        ExternalDiffFiles::new(self.old_path(), self.old.as_deref(), limit)
    }

    /// The files of the new side, in the same way.
    pub fn new_files(&self, limit: u64) -> ExternalDiffFiles {
        ExternalDiffFiles::new(self.new_path(), self.new.as_deref(), limit)
    }
}

/// The files on disk, one of them replaced by git's temporary file.
#[derive(Clone, Debug)]
pub struct ExternalDiffFiles {
    disk: Disk,
    replaced_path: PathBuf,
    content: Option<PathBuf>,
}

impl ExternalDiffFiles {
    fn new(path: &Path, content: Option<&Path>, limit: u64) -> Self {
        let disk = Disk::new(limit);
        ExternalDiffFiles {
            disk,
            replaced_path: absolute_path(&disk, path),
            content: content.map(Path::to_owned),
        }
    }

    /// Whether git passed the content of a path.
    fn is_handed_over(&self, path: &Path) -> bool {
        !path.as_os_str().is_empty() && absolute_path(&self.disk, path) == self.replaced_path
    }
}

/// The absolute path of a file itself; a link is not followed, and the file need not exist.
fn absolute_path(disk: &Disk, path: &Path) -> PathBuf {
    match (path.parent(), path.file_name()) {
        (Some(folder), Some(name)) => disk.absolute(folder).join(name),
        _ => disk.absolute(path),
    }
}

impl FileSource for ExternalDiffFiles {
    fn read(&self, path: &Path) -> Result<Vec<u8>, FileError> {
        if !self.is_handed_over(path) {
            return self.disk.read(path);
        }
        let Some(content) = &self.content else {
            return Err(FileError::NotFound { path: path.to_owned(), similar: None });
        };
        self.disk.read(content).map_err(|error| match error {
            FileError::TooLarge { limit, .. } => {
                FileError::TooLarge { path: path.to_owned(), limit }
            }
            FileError::Unreadable { reason, .. } => FileError::reading(path, reason),
            error => error,
        })
    }

    fn kind(&self, path: &Path) -> Option<PathKind> {
        if self.is_handed_over(path) {
            return self.content.as_ref().map(|_| PathKind::File);
        }
        self.disk.kind(path)
    }

    fn path_components(&self, folder: &Path) -> Vec<String> {
        self.disk.path_components(folder)
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        if self.is_handed_over(path) {
            self.replaced_path.clone()
        } else {
            self.disk.absolute(path)
        }
    }

    fn is_stream(&self, path: &Path) -> bool {
        !self.is_handed_over(path) && self.disk.is_stream(path)
    }

    fn has_untracked(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(arguments: &str) -> Option<ExternalDiff> {
        parse(&arguments.split(' ').map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn the_arguments_of_git() {
        let changed =
            parsed("t/web.yaml temp/a_web.yaml 1a2b3c4d 100644 t/web.yaml 5e6f7a8b 100755");
        let changed = changed.expect("seven arguments");
        assert_eq!(changed.old.as_deref(), Some(Path::new("temp/a_web.yaml")));
        assert_eq!(changed.new.as_deref(), Some(Path::new("t/web.yaml")));
        assert_eq!(changed.old_path(), changed.new_path());
        let added = parsed("web.yaml /dev/null . . temp/web.yaml 5e6f7a8b 100644").expect("added");
        assert_eq!((added.old, added.new), (None, Some("temp/web.yaml".into())));
        let deleted = parsed("web.yaml temp/web.yaml 5e6f7a8b 100644 /dev/null . .").expect("gone");
        assert_eq!((deleted.old, deleted.new), (Some("temp/web.yaml".into()), None));
        let arguments = "a.yaml temp/a 1a2b3c4d 100644 temp/b 5e6f7a8b 100644 b.yaml similarity";
        let renamed = parsed(arguments).expect("nine arguments");
        assert_eq!(renamed.old_path(), Path::new("a.yaml"));
        assert_eq!(renamed.new_path(), Path::new("b.yaml"));
    }

    #[test]
    fn other_arguments_are_not_taken_for_those_of_git() {
        for arguments in [
            "old.yaml new.yaml",
            "web.yaml",
            "a b c d e f g",
            "web.yaml temp/a 1a2b3c4d 100644 temp/b 5e6f7a8b",
            "web.yaml temp/a wxyz1234 100644 temp/b 5e6f7a8b 100644",
            "web.yaml temp/a 1a2b3c4d mode temp/b 5e6f7a8b 100644",
            "web.yaml /dev/null . 100644 temp/b 5e6f7a8b 100644",
        ] {
            assert_eq!(parsed(arguments), None, "{arguments}");
        }
    }

    #[test]
    fn one_path_is_a_conflict_where_git_has_called() {
        let path = [OsString::from("web.yaml")];
        assert_eq!(parse_unmerged(&path, false), None);
        assert!(parse_unmerged(&path, true).expect("a conflict").unmerged);
        assert_eq!(parse_unmerged(&["a".into(), "b".into()], true), None);
    }

    #[test]
    fn what_is_handed_over_stands_in_its_real_place() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let at = |name: &str| folder.path().join(name);
        for name in ["handed", "web.yaml", "net.yaml"] {
            std::fs::write(at(name), name).expect("a file");
        }
        let files = ExternalDiffFiles::new(&at("web.yaml"), Some(&at("handed")), 100);
        assert_eq!(files.read(&at("web.yaml")).expect("handed over"), b"handed");
        assert_eq!(files.read(&at("./web.yaml")).expect("handed over"), b"handed");
        assert_eq!(files.read(&at("net.yaml")).expect("beside it"), b"net.yaml");
        let nothing = ExternalDiffFiles::new(&at("web.yaml"), None, 100);
        assert!(matches!(nothing.read(&at("web.yaml")), Err(FileError::NotFound { .. })));
        assert_eq!(nothing.kind(&at("web.yaml")), None);
        assert_eq!(nothing.absolute(&at("web.yaml")), files.absolute(&at("web.yaml")));
        let small = ExternalDiffFiles::new(&at("web.yaml"), Some(&at("handed")), 3);
        let error = small.read(&at("web.yaml")).expect_err("too large");
        assert_eq!(error.path(), at("web.yaml"));
    }
}
