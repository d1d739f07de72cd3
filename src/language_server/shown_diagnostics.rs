//! The findings that the client shows.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use gen_lsp_types::Diagnostic;

use super::diagnostics::{FileDiagnostics, keep_distinct};

/// The diagnostics of all files, by what they were found in, and those that the client has.
#[derive(Debug, Default)]
pub(super) struct ShownDiagnostics {
    /// The findings of each root template, in all of its files.
    by_root: BTreeMap<PathBuf, FileDiagnostics>,
    /// Why open files cannot be read.
    broken: FileDiagnostics,
    /// The capabilities of the client.
    published: FileDiagnostics,
}

impl ShownDiagnostics {
    /// Whether findings of a root template are shown.
    pub(super) fn has_root(&self, root: &Path) -> bool {
        self.by_root.contains_key(root)
    }

    /// Takes what a check found in place of what was known of the same root, and of files that cannot be read.
    pub(super) fn update(&mut self, root: &Path, found: FileDiagnostics, broken: FileDiagnostics) {
        self.by_root.insert(root.to_owned(), found);
        self.broken.extend(broken);
    }

    /// Forgets the findings of other roots.
    pub(super) fn keep(&mut self, roots: &BTreeSet<PathBuf>) {
        self.by_root.retain(|root, _| roots.contains(root));
    }

    /// Forgets why a file cannot be read.
    pub(super) fn close(&mut self, path: &Path) {
        self.broken.remove(path);
    }

    /// The files whose diagnostics are others than those that the client has, which takes them. An open file has some even if there are
    /// none, so that a client knows that it was checked.
    pub(super) fn changes(
        &mut self,
        is_open: impl Fn(&Path) -> bool,
    ) -> Vec<(PathBuf, Vec<Diagnostic>)> {
        let mut all: FileDiagnostics = BTreeMap::new();
        for (path, diagnostics) in self.by_root.values().chain([&self.broken]).flatten() {
            all.entry(path.clone()).or_default().extend(diagnostics.iter().cloned());
        }
        for path in self.published.keys() {
            all.entry(path.clone()).or_default();
        }
        let mut changes = Vec::new();
        for (path, diagnostics) in &mut all {
            keep_distinct(diagnostics);
            diagnostics.sort_by_key(|it| (it.range.start, it.range.end));
            let is_known = match self.published.get(path) {
                Some(known) => known == diagnostics,
                None => diagnostics.is_empty() && !is_open(path),
            };
            if !is_known {
                changes.push((path.clone(), diagnostics.clone()));
            }
        }
        all.retain(|path, diagnostics| !diagnostics.is_empty() || is_open(path));
        self.published = all;
        changes
    }
}
