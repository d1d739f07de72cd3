//! What runs in the background: finding which templates nest which, and checking what an edit may change.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use rayon::prelude::*;

use super::diagnostics::{self, FileDiagnostics};
use super::nesting::Nesting;
use super::snapshot::Snapshot;

/// What a check in the background found.
pub(super) struct CheckedRoots {
    /// The diagnostics of each root template that was checked.
    pub(super) roots: BTreeMap<PathBuf, FileDiagnostics>,
    /// Why open files cannot be read as a whole.
    pub(super) broken: FileDiagnostics,
    /// The files that each root nests.
    pub(super) nested: BTreeMap<PathBuf, BTreeSet<PathBuf>>,
    /// The files that it was asked for.
    pub(super) files: BTreeSet<PathBuf>,
    /// The number of the check.
    pub(super) number: u64,
}

/// Checks the templates that files belong to: those that nest them, those that are deployed with them, or the files themselves.
pub(super) fn check(snapshot: &Snapshot, files: BTreeSet<PathBuf>, number: u64) -> CheckedRoots {
    let roots: BTreeSet<PathBuf> =
        files.iter().flat_map(|path| snapshot.roots_with(path)).collect();
    let checked: Vec<_> = roots
        .into_par_iter()
        .map(|root| {
            let found = diagnostics::of_root(snapshot, &root);
            let nested = match &*snapshot.checked(&root) {
                Ok(run) => Nesting::nested_by(run, |url| snapshot.session.absolute(url)),
                Err(_) => BTreeSet::new(),
            };
            (root, found, nested)
        })
        .collect();
    let limits = snapshot.project().limits();
    let broken = snapshot.open().map(|open| {
        let view = open.view(&limits);
        (open.path.clone(), diagnostics::of_broken_text(snapshot, view))
    });
    let broken = broken.collect();
    let mut result =
        CheckedRoots { roots: BTreeMap::new(), broken, nested: BTreeMap::new(), files, number };
    for (root, found, nested) in checked {
        result.roots.insert(root.clone(), found);
        result.nested.insert(root, nested);
    }
    result
}

/// Looks through the project: which templates nest which, and what they are deployed with.
pub(super) fn nesting(snapshot: &Snapshot) -> Nesting {
    let files = snapshot.files();
    let found = snapshot.project().find(files);
    let open = snapshot.open().map(|open| open.path.clone());
    let found = found.inputs.into_iter();
    let found = found.filter_map(|it| snapshot.session.absolute(&it.path.to_string_lossy()));
    let paths: BTreeSet<PathBuf> = found.chain(open).collect();
    let templates: Vec<_> = paths
        .into_par_iter()
        .filter(|path| snapshot.view(path).is_some_and(|view| view.template().is_some()))
        .map(|path| {
            let nested = match &*snapshot.checked(&path) {
                Ok(run) => Nesting::nested_by(run, |url| snapshot.session.absolute(url)),
                Err(_) => BTreeSet::new(),
            };
            let environments = snapshot.project().environments(files, &path);
            let environments =
                environments.iter().map(|it| snapshot.session.absolute(&it.to_string_lossy()));
            (path, nested, environments.flatten().collect::<Vec<_>>())
        })
        .collect();
    let mut nesting = Nesting::default();
    for (path, nested, environments) in templates {
        nesting.update(&path, nested);
        nesting.set_environments(&path, environments);
    }
    nesting
}

/// A snapshot, and the files that changed since the last check.
pub(super) type CheckJob = (Arc<Snapshot>, BTreeSet<PathBuf>, u64);
