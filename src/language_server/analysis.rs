//! Background tasks: finding which templates nest which, and checking what an edit may change.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::diagnostics::{self, FileDiagnostics};
use super::nesting::Nesting;
use super::snapshot::Snapshot;

/// How long a check may take before its findings are shown without those that are missing, and how long it may take then.
pub(super) const CHECK_LIMITS: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(20)];

/// The findings of a check of a root template.
#[derive(Debug, Default)]
pub(super) struct CheckedRoot {
    /// The diagnostics of the template, in all of its files.
    pub(super) found: FileDiagnostics,
    /// Why open files cannot be read as a whole.
    pub(super) broken: FileDiagnostics,
    /// The files that it nests; `None` if that is unknown.
    pub(super) nested: Option<BTreeSet<PathBuf>>,
    /// Whether checks are missing.
    pub(super) is_stopped: bool,
}

/// Why checks are missing.
#[derive(Clone, Copy, Debug)]
pub(super) enum Missing {
    /// They take longer than a limit.
    TimeLimit {
        limit: Duration,
        /// Whether they are made in the background.
        go_on: bool,
    },
    /// One of them panicked.
    Bug,
}

impl Missing {
    /// The part that a check may lack if it is made a number of times, from 0.
    pub(super) fn after(attempt: usize) -> Self {
        let limit = CHECK_LIMITS.get(attempt).or(CHECK_LIMITS.last()).copied();
        let go_on = attempt + 1 < CHECK_LIMITS.len();
        Missing::TimeLimit { limit: limit.unwrap_or_default(), go_on }
    }

    /// A sentence for the user.
    fn message(self) -> String {
        match self {
            Missing::TimeLimit { limit, go_on: true } => format!(
                "not all checks of this file are finished after {} s; the others go on in the background",
                limit.as_secs()
            ),
            Missing::TimeLimit { limit, go_on: false } => format!(
                "not all checks of this file were made: they were stopped after {} s\nhelp: `hotplate check` makes all of them",
                limit.as_secs()
            ),
            Missing::Bug => {
                "not all checks of this file were made: one of them failed, which is a bug in hotplate"
                    .to_owned()
            }
        }
    }
}

/// Checks a root template, of which some files changed.
pub(super) fn check(
    snapshot: &Snapshot,
    root: &Path,
    files: &BTreeSet<PathBuf>,
    missing: Missing,
) -> CheckedRoot {
    let checked = snapshot.checked(root);
    let run = checked.as_ref().as_ref().ok();
    let is_stopped = run.is_some_and(|run| run.templates.iter().any(|it| it.is_stopped));
    let nested = run.map(|run| Nesting::nested_by(run, |url| snapshot.session.absolute(url)));
    let mut found = diagnostics::of_root(snapshot, root);
    if is_stopped {
        note(&mut found, root, files, missing);
    }
    CheckedRoot { found, broken: broken(snapshot, files), nested, is_stopped }
}

/// The results of reading the files, in place of a check that has no result.
pub(super) fn read(
    snapshot: &Snapshot,
    root: &Path,
    files: &BTreeSet<PathBuf>,
    missing: Missing,
) -> CheckedRoot {
    let mut found = FileDiagnostics::default();
    for path in files.iter().map(PathBuf::as_path).chain([root]) {
        let of_file = snapshot.view(path).map(|view| diagnostics::of_template(snapshot, &view));
        found.insert(path.to_owned(), of_file.unwrap_or_default());
    }
    note(&mut found, root, files, missing);
    CheckedRoot { found, broken: broken(snapshot, files), nested: None, is_stopped: true }
}

/// Only that checks are missing.
pub(super) fn nothing(root: &Path, files: &BTreeSet<PathBuf>, missing: Missing) -> CheckedRoot {
    let mut found = FileDiagnostics::default();
    note(&mut found, root, files, missing);
    CheckedRoot { found, is_stopped: true, ..CheckedRoot::default() }
}

/// Says in each file that checks are missing.
fn note(found: &mut FileDiagnostics, root: &Path, files: &BTreeSet<PathBuf>, missing: Missing) {
    let paths: BTreeSet<&Path> = files.iter().map(PathBuf::as_path).chain([root]).collect();
    for path in paths {
        let of_file = found.entry(path.to_owned()).or_default();
        of_file.insert(0, diagnostics::note(missing.message()));
    }
}

/// Why files cannot be read as a whole; those that can be have no diagnostics.
fn broken(snapshot: &Snapshot, files: &BTreeSet<PathBuf>) -> FileDiagnostics {
    let limits = snapshot.project().limits();
    let open = files.iter().filter_map(|path| snapshot.open_text(path));
    let broken = open.map(|open| {
        let view = open.view(&limits);
        (open.path.clone(), diagnostics::of_broken_text(snapshot, view))
    });
    broken.collect()
}

/// The files of the project that may be templates.
pub(super) fn find(snapshot: &Snapshot) -> BTreeSet<PathBuf> {
    let found = snapshot.project().find(snapshot.files()).inputs.into_iter();
    let found = found.filter_map(|it| snapshot.session.absolute(&it.path.to_string_lossy()));
    found.chain(snapshot.open().map(|open| open.path.clone())).collect()
}

/// The surroundings of a template: the files that it nests, and the environments that it is deployed with.
#[derive(Debug)]
pub(super) struct Surroundings {
    nested: BTreeSet<PathBuf>,
    environments: Vec<PathBuf>,
}

/// The surroundings of the template at a path; `None` if there is none.
pub(super) fn surroundings(snapshot: &Snapshot, path: &Path) -> Option<Surroundings> {
    snapshot.view(path)?.template()?;
    let files = snapshot.files();
    let nested = match snapshot.project().check(files, &[path.to_owned()]) {
        Ok(run) => Nesting::nested_by(&run, |url| snapshot.session.absolute(url)),
        Err(_) => BTreeSet::new(),
    };
    let environments = snapshot.project().environments(files, path);
    let environments =
        environments.iter().filter_map(|it| snapshot.session.absolute(&it.to_string_lossy()));
    Some(Surroundings { nested, environments: environments.collect() })
}

pub(super) fn nesting(templates: BTreeMap<PathBuf, Surroundings>) -> Nesting {
    let mut nesting = Nesting::default();
    for (path, Surroundings { nested, environments }) in templates {
        nesting.update(&path, nested);
        nesting.set_environments(&path, environments);
    }
    nesting
}
