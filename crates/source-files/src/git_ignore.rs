//! Decides which files of a work tree git ignores.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::{FileSource, PathKind, git};

/// Uses the `.gitignore` files of a work tree and its `info/exclude`; the user's own configuration does
/// not count. Each ignore file is read once.
#[derive(Debug, Default)]
pub struct GitIgnore {
    /// The rules by the path of their file.
    rules: Mutex<HashMap<PathBuf, Arc<Gitignore>>>,
}

impl GitIgnore {
    /// Whether git ignores the file at `path`, which is absolute and without links: a rule excludes it
    /// or a folder above it that is below `below`, and the file is not tracked.
    pub fn is_ignored(&self, files: &dyn FileSource, path: &Path, below: &Path) -> bool {
        if !files.has_untracked() {
            return false;
        }
        let Some(top) = path.parent().and_then(|folder| files.work_tree(folder)) else {
            return false;
        };
        let mut ways: Vec<&Path> = path
            .ancestors()
            .take_while(|way| *way != top && *way != below && way.starts_with(below))
            .collect();
        ways.reverse();
        let is_left_out =
            ways.into_iter().any(|way| self.rules_exclude(files, &top, way, way != path));
        is_left_out && !git::is_tracked(&top, path)
    }

    /// Whether the last matching rule excludes a path, the nearest ignore file first.
    fn rules_exclude(
        &self,
        files: &dyn FileSource,
        top: &Path,
        path: &Path,
        is_folder: bool,
    ) -> bool {
        let folders = path.ancestors().skip(1).take_while(|folder| folder.starts_with(top));
        let nearest = folders.map(|folder| (folder, folder.join(".gitignore")));
        let of_repository = git_folder(files, top).map(|git| (top, git.join("info/exclude")));
        nearest
            .chain(of_repository)
            .find_map(|(root, rules)| {
                match self.rules(files, root, rules).matched(path, is_folder) {
                    Match::None => None,
                    Match::Ignore(_) => Some(true),
                    Match::Whitelist(_) => Some(false),
                }
            })
            .unwrap_or(false)
    }

    fn rules(&self, files: &dyn FileSource, root: &Path, path: PathBuf) -> Arc<Gitignore> {
        let mut known = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
        let read = |path: &PathBuf| {
            if files.kind(path) != Some(PathKind::File) {
                return Gitignore::empty();
            }
            let mut rules = GitignoreBuilder::new(root);
            for line in String::from_utf8_lossy(&files.read(path).unwrap_or_default()).lines() {
                // git skips lines that are not patterns.
                let _ = rules.add_line(None, line);
            }
            rules.build().unwrap_or_else(|_| Gitignore::empty())
        };
        Arc::clone(known.entry(path).or_insert_with_key(|path| Arc::new(read(path))))
    }
}

/// The git folder that all work trees share: `.git`, or the folder that a file of that name points to.
fn git_folder(files: &dyn FileSource, top: &Path) -> Option<PathBuf> {
    let git = top.join(".git");
    if files.kind(&git)? == PathKind::Folder {
        return Some(git);
    }
    let line =
        |path: &Path| Some(String::from_utf8(files.read(path).ok()?).ok()?.trim().to_owned());
    let own = top.join(line(&git)?.strip_prefix("gitdir: ")?);
    let common = line(&own.join("commondir"));
    Some(common.map_or_else(|| own.clone(), |common| own.join(common)))
}
