//! Patches of files, as `git apply` accepts them in the current folder.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::RwLock;

use super::{Console, ExitStatus};
use crate::report::escape;
use crate::report::patch::{MaskedText, Patch, PatchPath, patch};
use source_diagnostics::{Diagnostic, MaskedSources, Span, masked};
use source_files::{FileSource, display_name, is_stdin};

/// One side of a patch.
#[derive(Debug)]
pub(super) struct PatchText<'a> {
    pub(super) text: &'a str,
    /// The parts that the patch must not show.
    pub(super) secrets: Vec<Span>,
}

/// The changes of a file.
#[derive(Debug)]
pub(super) struct FilePatch {
    /// Whether the file is in the current folder or below it.
    is_below_here: bool,
    patch: Patch,
}

/// The folder in which a patch would be applied.
#[derive(Debug)]
pub(super) struct CurrentFolder {
    path: PathBuf,
    /// The part of the path that is inside of a work tree, if the folder is not its root.
    in_work_tree: Option<PathBuf>,
    /// The folders of files that a search found, relative to this folder.
    folders: RwLock<HashMap<PathBuf, Option<PathBuf>>>,
}

impl FilePatch {
    /// Prints the patch; `help` says how to see one that shows secrets. Such a patch needs attention.
    pub(super) fn print(
        &self,
        path: &Path,
        help: &str,
        sources: &MaskedSources,
        console: &mut Console,
    ) -> anyhow::Result<ExitStatus> {
        let FilePatch { is_below_here, patch: Patch { text, applies } } = self;
        let shown = escape::on_one_line(&display_name(path)).into_owned();
        if !is_below_here && !is_stdin(path) {
            console.note(&format!(
                "{shown} is not in the current folder, so `git apply` does not find it from here\n"
            ));
        }
        let mut status = ExitStatus::Done;
        if !applies {
            let message = format!(
                "the patch of `{shown}` is a comment: the default of a hidden parameter is in a changed line or in the line after one"
            );
            let finding =
                Diagnostic::new(hotplate_upgrade::codes::PATCH_MASKED, message).help(help);
            console.diagnostics(&[finding], sources);
            console.print(&format!(
                "# {shown}: not a patch, since hidden defaults are masked; see `--show-secrets`\n"
            ))?;
            status = ExitStatus::Attention;
        }
        console.document(text.as_bytes())?;
        Ok(status)
    }
}

/// The comments behind secret values of the old text that are left in the new one, where the value is removed.
fn kept_comments(old: &PatchText<'_>, new: &str) -> Vec<Span> {
    let secrets = old.secrets.iter().filter_map(|span| old.text.get(span.range()));
    let comments = secrets.filter_map(|secret| Some(&secret[secret.find(" #")? + 1..]));
    let comments: HashSet<&str> = comments.map(str::trim_end).collect();
    let (mut found, mut start) = (Vec::new(), 0);
    for line in new.split_inclusive('\n').filter(|_| !comments.is_empty()) {
        let text = line.trim_end();
        let hashes = text.match_indices('#').map(|(at, _)| at);
        for at in hashes.filter(|at| comments.contains(&text[*at..])) {
            let (start, end) = ((start + at) as u32, (start + text.len()) as u32);
            found.push(Span { start, end, ..old.secrets[0] });
        }
        start += line.len();
    }
    found
}

impl CurrentFolder {
    pub(super) fn new(files: &dyn FileSource) -> Self {
        let path = files.absolute(Path::new(""));
        let root = path.ancestors().find(|folder| files.kind(&folder.join(".git")).is_some());
        let prefix = root.and_then(|root| path.strip_prefix(root).ok());
        let in_work_tree =
            prefix.filter(|prefix| prefix.components().next().is_some()).map(Path::to_owned);
        CurrentFolder { path, in_work_tree, folders: RwLock::default() }
    }

    /// The patch of a file, from an old and a new text; `is_searched` says that a search found it.
    pub(super) fn patch(
        &self,
        files: &dyn FileSource,
        path: &Path,
        is_searched: bool,
        [old, mut new]: [PatchText<'_>; 2],
        color: bool,
    ) -> FilePatch {
        new.secrets.extend(kept_comments(&old, new.text));
        let mask =
            |it: &PatchText<'_>| (!it.secrets.is_empty()).then(|| masked(it.text, &it.secrets));
        let (old_masked, new_masked) = (mask(&old), mask(&new));
        let relative = self.relative(files, path, is_searched);
        let from_root = relative.as_deref().and_then(|path| self.path_from_root(path));
        let name = match &from_root {
            Some(path) => PatchPath::RelativeToRepository(path),
            None => PatchPath::RelativeToFolder(relative.as_deref().unwrap_or(path)),
        };
        let patch = patch(
            name,
            MaskedText { text: old.text, masked: old_masked.as_deref().unwrap_or(old.text) },
            MaskedText { text: new.text, masked: new_masked.as_deref().unwrap_or(new.text) },
            color,
        );
        FilePatch { is_below_here: relative.is_some(), patch }
    }

    /// The path of a file relative to the folder, as git knows it; `None` if it is elsewhere.
    fn relative(&self, files: &dyn FileSource, path: &Path, is_searched: bool) -> Option<PathBuf> {
        // A search does not follow links, so only the folder of such a file may have one.
        let (true, Some(parent), Some(name)) = (is_searched, path.parent(), path.file_name())
        else {
            return self.relative_path(files, path);
        };
        let known = self.folders.read().ok().and_then(|folders| folders.get(parent).cloned());
        let folder = known.unwrap_or_else(|| {
            let folder = self.relative_path(files, parent);
            if let Ok(mut folders) = self.folders.write() {
                folders.insert(parent.to_owned(), folder.clone());
            }
            folder
        });
        Some(folder?.join(name))
    }

    fn relative_path(&self, files: &dyn FileSource, path: &Path) -> Option<PathBuf> {
        files.absolute(path).strip_prefix(&self.path).ok().map(Path::to_owned)
    }

    /// The path relative to the root of the work tree, if git would otherwise take its first part for
    /// the folder's.
    fn path_from_root(&self, path: &Path) -> Option<PathBuf> {
        let prefix = self.in_work_tree.as_ref().filter(|prefix| path.starts_with(prefix))?;
        Some(prefix.join(path))
    }
}
