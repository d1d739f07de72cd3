//! Checks in the background: which templates nest which, checking the roots of what changed, and publishing the findings.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use gen_lsp_types as lsp;
use source_diagnostics::cancellation::{Cancellation, Stopped};

use super::{Event, FIND_LIMIT, Search, State, WantedCheck, titled};
use crate::language_server::analysis::{self, CHECK_LIMITS, CheckedRoot, Missing};
use crate::language_server::nesting::Nesting;
use crate::language_server::snapshot::Snapshot;
use crate::language_server::workers::{Lane, Task, TaskId};

impl State<'_> {
    /// Looks through the project for templates that nest others.
    pub(super) fn look_through(&mut self) {
        // A single file may be anywhere: nobody wants all of a home folder read.
        if !self.has_folder {
            return;
        }
        self.searches += 1;
        let search = self.searches;
        self.searching.cancel_all();
        // Whatever it computes of all templates is dropped with it.
        let (snapshot, events) = (Arc::new(self.snapshot.again()), self.events.clone());
        let work = Box::new(move |lane: &Lane| {
            if let Ok(paths) = lane.run(|| analysis::find(&snapshot)) {
                // The loop may have ended.
                let _ = events.send(Event::Found { search, snapshot, paths });
            }
        });
        let (id, title) = (self.next_task(), titled("search", None));
        self.searching.push(Task { id, file: None, title, limit: FIND_LIMIT, work });
        self.search = Some(Search { number: search, left: None, found: BTreeMap::new() });
    }

    /// Looks at the files of the project, each with a limit of its own.
    pub(super) fn look_at(&mut self, snapshot: &Arc<Snapshot>, paths: BTreeSet<PathBuf>) {
        let first = self.tasks + 1;
        self.tasks += paths.len() as TaskId;
        let Some(search) = &mut self.search else { return };
        search.left = Some(paths.len());
        let number = search.number;
        for (id, path) in (first..).zip(paths) {
            let (snapshot, events, file) =
                (Arc::clone(snapshot), self.events.clone(), path.clone());
            let work = Box::new(move |lane: &Lane| {
                let found = lane.run(|| analysis::surroundings(&snapshot, &path));
                // Of a template that takes too long, nothing is known.
                let surroundings = found.ok().flatten();
                let _ = events.send(Event::Surrounded { search: number, path, surroundings });
            });
            let (title, [limit, _]) = (titled("search", Some(&file)), CHECK_LIMITS);
            self.searching.push(Task { id, file: Some(file), title, limit, work });
        }
    }

    /// Has what changed checked.
    pub(in super::super) fn check(&mut self) {
        let mut roots: BTreeMap<PathBuf, BTreeSet<PathBuf>> = BTreeMap::new();
        for path in std::mem::take(&mut self.changed) {
            let of_file = self.nesting.roots_to_check(&path);
            // A file that is closed is checked only as a part of open ones.
            let is_watched = self.open.contains_key(&path)
                || of_file.iter().any(|root| self.shown.has_root(root));
            for root in of_file.into_iter().filter(|_| is_watched) {
                roots.entry(root).or_default().insert(path.clone());
            }
        }
        for (root, files) in roots {
            self.check_root(root, files, 0);
        }
    }

    /// Has a root template checked, in place of a check of an older state.
    pub(super) fn check_root(
        &mut self,
        root: PathBuf,
        mut files: BTreeSet<PathBuf>,
        attempt: usize,
    ) {
        if let Some(older) = self.checks.remove(&root) {
            self.checking.cancel(older.task);
            files.extend(older.files);
        }
        let task = self.next_task();
        let check = WantedCheck { task, files: files.clone(), attempt, is_late: false };
        self.checks.insert(root.clone(), check);
        let missing = Missing::after(attempt);
        let limit = CHECK_LIMITS.get(attempt).copied().unwrap_or_default();
        let (title, file) = (titled("the check", Some(&root)), Some(root.clone()));
        let (snapshot, events) = (Arc::clone(&self.snapshot), self.events.clone());
        let log = Arc::clone(&self.server.log);
        let work = Box::new(move |lane: &Lane| {
            let started = Instant::now();
            let checked = lane.run(|| analysis::check(&snapshot, &root, &files, missing));
            log(&format!("check: {} µs", started.elapsed().as_micros()));
            let missing = match &checked {
                Err(Stopped::Canceled(Cancellation::Unwanted)) => return,
                Err(Stopped::Panicked(_)) => Missing::Bug,
                Ok(_) | Err(Stopped::Canceled(Cancellation::TimeLimit)) => missing,
            };
            let checked = checked.unwrap_or_else(|_| {
                lane.begin(limit);
                let read = lane.run(|| analysis::read(&snapshot, &root, &files, missing));
                read.unwrap_or_else(|_| analysis::nothing(&root, &files, missing))
            });
            let _ = events.send(Event::Checked { task, root, snapshot, checked });
        });
        self.checking.push(Task { id: task, file, title, limit, work });
    }

    /// Takes what a background thread found.
    pub(in super::super) fn apply(&mut self, event: Event) {
        match event {
            Event::Found { search, snapshot, paths } => {
                if self.search.as_ref().is_some_and(|it| it.number == search) {
                    self.look_at(&snapshot, paths);
                    self.take_nesting();
                }
            }
            Event::Surrounded { search, path, surroundings } => {
                if let Some(current) = &mut self.search
                    && current.number == search
                {
                    current.left = current.left.map(|left| left.saturating_sub(1));
                    current.found.extend(surroundings.map(|it| (path, it)));
                    self.take_nesting();
                }
            }
            Event::Checked { task, root, snapshot, checked } => {
                self.apply_check(task, &root, &snapshot, checked);
            }
        }
    }

    /// Takes the result of a search that has looked at all files.
    pub(super) fn take_nesting(&mut self) {
        let Some(done) = self.search.take_if(|it| it.left == Some(0)) else { return };
        let nesting = Arc::new(analysis::nesting(done.found));
        let before = std::mem::replace(&mut self.nesting, Arc::clone(&nesting));
        // The check of a template that is still a root may take long, and finds the same.
        let has_other_roots =
            |path: &&PathBuf| before.roots_to_check(path) != nesting.roots_to_check(path);
        self.changed.extend(self.open.keys().filter(has_other_roots).cloned());
        self.watch_roots();
        self.next_snapshot(Arc::clone(&self.snapshot.session));
        self.refresh();
    }

    pub(super) fn apply_check(
        &mut self,
        task: TaskId,
        root: &Path,
        snapshot: &Snapshot,
        checked: CheckedRoot,
    ) {
        // Another check may have been asked for since, or will be: what was typed meanwhile has other lines.
        let is_edited =
            |path: &PathBuf| self.nesting.roots_to_check(path).iter().any(|it| it == root);
        if self.checks.get(root).is_none_or(|check| check.task != task)
            || self.changed.iter().any(is_edited)
        {
            return;
        }
        let Some(WantedCheck { files, attempt, .. }) = self.checks.remove(root) else { return };
        let CheckedRoot { found, broken, nested, is_stopped } = checked;
        if let Some(nested) = nested.filter(|nested| self.nesting.is_other(root, nested)) {
            // Until now, their edits did not concern this root.
            let is_edited = |path: &PathBuf| {
                let [now, then] = [self.open.get(path), snapshot.open_text(path)];
                !now.zip(then)
                    .map_or(now.is_none() && then.is_none(), |(now, then)| Arc::ptr_eq(now, then))
            };
            if nested.iter().any(is_edited) {
                self.changed.extend(files.iter().cloned());
            }
            let mut nesting = Nesting::clone(&self.nesting);
            nesting.update(root, nested);
            self.nesting = Arc::new(nesting);
            self.next_snapshot(Arc::clone(&self.snapshot.session));
        }
        if self.shows_others(&files) {
            self.refresh();
        }
        self.shown.update(root, found, broken);
        self.publish();
        if is_stopped && attempt + 1 < CHECK_LIMITS.len() {
            // A missing value is not computed yet.
            self.next_snapshot(Arc::clone(&self.snapshot.session));
            self.check_root(root.to_owned(), files, attempt + 1);
        }
    }

    /// Whether what changed may have another impact on other files that are open.
    pub(super) fn shows_others(&self, changed: &BTreeSet<PathBuf>) -> bool {
        let roots = |path: &PathBuf| self.nesting.roots_to_check(path);
        let changed: Vec<(&PathBuf, Vec<PathBuf>)> =
            changed.iter().map(|path| (path, roots(path))).collect();
        self.open.keys().any(|path| {
            let own = roots(path);
            let mut others = changed.iter().filter(|(it, _)| *it != path);
            others.any(|(_, roots)| roots.iter().any(|root| own.contains(root)))
        })
    }

    /// Sends what changed of what the client shows.
    pub(super) fn publish(&mut self) {
        for (path, diagnostics) in self.shown.changes(|path| self.open.contains_key(path)) {
            let version = self.open.get(&path).map(|open| open.version);
            let uri = self.snapshot.uri(&path);
            let params = lsp::PublishDiagnosticsParams::new(uri, version, diagnostics);
            self.server.notify::<lsp::PublishDiagnosticsNotification>(params);
        }
    }
}
