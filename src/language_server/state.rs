//! What the loop of the server knows, and what each message changes.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::Sender;
use gen_lsp_types as lsp;
use gen_lsp_types::{Notification as _, Request as _};
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response, ResponseError};
use serde_json::Value;
use source_diagnostics::cancellation::{Cancellation, Stopped};

use super::analysis::{self, CHECK_LIMITS, CheckedRoot, Missing, Surroundings};
use super::dispatch::{self, error};
use super::nesting::Nesting;
use super::open_text::OpenText;
use super::server::{Server, read_settings};
use super::settings::Settings;
use super::shown_diagnostics::ShownDiagnostics;
use super::snapshot::{Session, Snapshot};
use super::workers::{Lane, Task, TaskId, Workers};

/// After this time, the user wants to know what is going on.
const LONG_AFTER: Duration = Duration::from_secs(2);
/// The number of requests that are answered at the same time, and with those that are slow.
const ANSWERING_THREADS: [usize; 2] = [2, 8];
/// The number of checks at the same time, and with those that are slow.
const CHECKING_THREADS: [usize; 2] = [1, 4];
/// The most files of a project that are looked at at the same time, if none is slow.
const MAX_SEARCHING_THREADS: usize = 4;
/// How long the answer to a request may take before it has what is known.
const REQUEST_LIMIT: Duration = Duration::from_secs(10);
/// How long a check may need to notice its limit.
const CHECK_GRACE: Duration = Duration::from_millis(300);
/// How long finding the files of a project may take.
const FIND_LIMIT: Duration = Duration::from_secs(600);
/// How long the last answers may take after `exit`.
const LAST_ANSWERS: Duration = Duration::from_millis(300);

/// What the loop does after a message.
pub(super) enum Next {
    Continue,
    Exit(bool),
}

/// What background threads report.
pub(super) enum Event {
    /// A check has ended.
    Checked { task: TaskId, root: PathBuf, snapshot: Arc<Snapshot>, checked: CheckedRoot },
    /// The files of the project.
    Found { search: u64, snapshot: Arc<Snapshot>, paths: BTreeSet<PathBuf> },
    /// What surrounds a template; `None` if a file is none.
    Surrounded { search: u64, path: PathBuf, surroundings: Option<Surroundings> },
}

/// What the loop knows.
pub(super) struct State<'s> {
    server: &'s Server,
    open: HashMap<PathBuf, Arc<OpenText>>,
    nesting: Arc<Nesting>,
    snapshot: Arc<Snapshot>,
    shown: ShownDiagnostics,
    /// The files that changed since the last check.
    changed: BTreeSet<PathBuf>,
    /// The number of requests to the client.
    requests: u64,
    /// The number of tasks.
    tasks: TaskId,
    pending: HashMap<RequestId, Pending>,
    /// The checks that are wanted, by their roots.
    checks: BTreeMap<PathBuf, WantedCheck>,
    search: Option<Search>,
    searches: u64,
    /// What takes so long that the client shows it.
    long: BTreeSet<TaskId>,
    has_folder: bool,
    events: Sender<Event>,
    answering: Workers,
    checking: Workers,
    searching: Workers,
}

/// A request that is not answered yet.
struct Pending {
    task: TaskId,
    file: Option<PathBuf>,
    /// Whether the file has been edited since.
    is_stale: bool,
    answer: Answer,
}

/// The one answer to a request: the thread that computes it and the loop may both give it.
#[derive(Clone)]
struct Answer {
    id: RequestId,
    is_given: Arc<AtomicBool>,
    sender: Sender<Message>,
}

impl Answer {
    fn is_given(&self) -> bool {
        self.is_given.load(Ordering::Acquire)
    }

    fn give(&self, response_result: Result<Value, ResponseError>) {
        if !self.is_given.swap(true, Ordering::AcqRel) {
            // A client that is gone needs no answer.
            let _ = self.sender.send(Response { id: self.id.clone(), response_result }.into());
        }
    }
}

/// A check of a root template.
struct WantedCheck {
    task: TaskId,
    /// The files that changed.
    files: BTreeSet<PathBuf>,
    attempt: usize,
    /// Whether the client has been told that it is late.
    is_late: bool,
}

/// A search for the templates of the project that nest others.
struct Search {
    number: u64,
    /// The files that are not looked at yet; `None` before they are found.
    left: Option<usize>,
    found: BTreeMap<PathBuf, Surroundings>,
}

impl<'s> State<'s> {
    /// Nothing is open yet. Threads report `events`.
    pub(super) fn new(
        server: &'s Server,
        session: Arc<Session>,
        events: Sender<Event>,
        has_folder: bool,
    ) -> Self {
        // What a user waits for has the other cores.
        let cores = thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let quick = (cores / 2).clamp(1, MAX_SEARCHING_THREADS);
        let searching_threads = [quick, quick + 2];
        let [answering, checking, searching] = [
            ("lsp-answers", ANSWERING_THREADS),
            ("lsp-checks", CHECKING_THREADS),
            ("lsp-search", searching_threads),
        ]
        .map(|(name, [quick, most])| Workers::new(name, quick, most));
        let mut state = State {
            server,
            open: HashMap::new(),
            nesting: Arc::default(),
            snapshot: Arc::new(Snapshot::new(session, Arc::default(), HashMap::new())),
            shown: ShownDiagnostics::default(),
            changed: BTreeSet::new(),
            requests: 0,
            tasks: 0,
            pending: HashMap::new(),
            checks: BTreeMap::new(),
            search: None,
            searches: 0,
            long: BTreeSet::new(),
            has_folder,
            events,
            answering,
            checking,
            searching,
        };
        state.watch_files();
        state.look_through();
        state
    }
}

impl State<'_> {
    /// Takes a message of the client.
    pub(super) fn take(&mut self, message: Message) -> Next {
        match message {
            Message::Request(request) => self.request(request),
            Message::Notification(notification) => self.notification(notification),
            // The server only asks the client to look again and to watch files.
            Message::Response(_) => Next::Continue,
        }
    }

    fn next_task(&mut self) -> TaskId {
        self.tasks += 1;
        self.tasks
    }

    fn request(&mut self, request: Request) -> Next {
        if request.method == lsp::ShutdownRequest::METHOD.as_str() {
            self.server.respond(request.id, Ok(Value::Null));
            return self.wait_for_exit();
        }
        self.pending.retain(|_, pending| !pending.answer.is_given());
        let Request { id, method, params } = request;
        let uri = params.pointer("/textDocument/uri").and_then(Value::as_str);
        let file = uri.and_then(|uri| self.snapshot.session.path_of(&lsp::Uri::from(uri)));
        let task = self.next_task();
        let sender = self.server.connection.sender.clone();
        let answer = Answer { id: id.clone(), is_given: Arc::default(), sender };
        let pending = Pending { task, file: file.clone(), is_stale: false, answer: answer.clone() };
        self.pending.insert(id, pending);
        let name = method.rsplit_once("textDocument/").map_or(&*method, |(_, name)| name);
        let title = titled(name, file.as_deref());
        let (snapshot, log) = (Arc::clone(&self.snapshot), Arc::clone(&self.server.log));
        let work = Box::new(move |lane: &Lane| {
            let started = Instant::now();
            let outcome = lane
                .run(|| dispatch::answer(&snapshot, &method, params))
                .unwrap_or_else(|stopped| Err(stopped_answer(&stopped, &method)));
            log(&format!("{method}: {} µs", started.elapsed().as_micros()));
            answer.give(outcome);
        });
        self.answering.push(Task { id: task, file, title, limit: REQUEST_LIMIT, work });
        Next::Continue
    }

    /// After `shutdown`, everything but `exit` is refused.
    fn wait_for_exit(&mut self) -> Next {
        self.checking.close();
        self.searching.close();
        for message in &self.server.connection.receiver {
            match message {
                Message::Notification(it)
                    if it.method == lsp::ExitNotification::METHOD.as_str() =>
                {
                    return Next::Exit(true);
                }
                Message::Request(request) => {
                    let why = "the server is shut down".to_owned();
                    self.server.respond(request.id, Err(error(ErrorCode::InvalidRequest, why)));
                }
                Message::Notification(_) | Message::Response(_) => {}
            }
        }
        Next::Exit(true)
    }

    /// Gives the last answers, and cancels everything.
    pub(super) fn finish(mut self) {
        self.checking.close();
        self.searching.close();
        let start = Instant::now();
        while start.elapsed() < LAST_ANSWERS
            && self.pending.values().any(|pending| !pending.answer.is_given())
        {
            self.answering.supervise();
            thread::sleep(Duration::from_millis(2));
        }
        self.answering.close();
        for (_, pending) in self.pending.drain() {
            let why = "the server ends".to_owned();
            pending.answer.give(Err(error(ErrorCode::ServerCancelled, why)));
        }
    }

    /// Whether threads compute, which are to be supervised.
    pub(super) fn is_busy(&self) -> bool {
        self.workers().into_iter().any(Workers::is_busy) || !self.long.is_empty()
    }

    fn workers(&self) -> [&Workers; 3] {
        [&self.answering, &self.checking, &self.searching]
    }

    /// Has other threads take the place of slow ones, drops what nobody waits for, and tells the client what takes long.
    pub(super) fn supervise(&mut self) {
        let stale: Vec<RequestId> = self
            .pending
            .iter()
            .filter(|(_, it)| it.is_stale && self.answering.is_slow(it.task))
            .map(|(id, _)| id.clone())
            .collect();
        for id in stale {
            self.drop_request(&id, ErrorCode::ContentModified, "the file was edited");
        }
        self.workers().into_iter().for_each(Workers::supervise);
        self.tell_late_checks();
        let [answering, checking] =
            [&self.answering, &self.checking].map(|it| it.longer_than(LONG_AFTER));
        let long: BTreeMap<TaskId, String> = answering.into_iter().chain(checking).collect();
        let ended: Vec<TaskId> =
            self.long.iter().filter(|task| !long.contains_key(task)).copied().collect();
        for task in ended {
            self.long.remove(&task);
            self.progress(task, serde_json::json!({"kind": "end"}));
        }
        for (task, title) in long {
            if !self.long.insert(task) {
                continue;
            }
            let message = format!("{title} takes more than {} s", LONG_AFTER.as_secs());
            if self.snapshot.session.client.shows_progress {
                let token = lsp::WorkDoneProgressCreateParams::new(token_of(task));
                self.ask::<lsp::WorkDoneProgressCreateRequest>(token);
                let begin =
                    serde_json::json!({"kind": "begin", "title": "hotplate", "message": message});
                self.progress(task, begin);
            } else {
                let params = lsp::LogMessageParams::new(lsp::MessageType::Info, message);
                self.server.notify::<lsp::LogMessageNotification>(params);
            }
        }
    }

    /// Says in the files of checks that have not ended at their limit that they go on.
    fn tell_late_checks(&mut self) {
        let late = self.checking.longer_than(CHECK_LIMITS[0] + CHECK_GRACE);
        let mut is_new = false;
        for (root, check) in &mut self.checks {
            let is_late = late.iter().any(|(task, _)| *task == check.task);
            // The second attempt has findings of the first one.
            if is_late && !check.is_late && check.attempt == 0 {
                check.is_late = true;
                let missing = Missing::after(check.attempt);
                let CheckedRoot { found, broken, .. } =
                    analysis::nothing(root, &check.files, missing);
                self.shown.update(root, found, broken);
                is_new = true;
            }
        }
        if is_new {
            self.publish();
        }
    }

    fn progress(&self, task: TaskId, value: Value) {
        if self.snapshot.session.client.shows_progress {
            let params = lsp::ProgressParams::new(token_of(task), value);
            self.server.notify::<lsp::ProgressNotification>(params);
        }
    }

    /// Answers a request with an error, and stops what is computed for it.
    fn drop_request(&mut self, id: &RequestId, code: ErrorCode, why: &str) {
        if let Some(pending) = self.pending.remove(id) {
            pending.answer.give(Err(error(code, why.to_owned())));
            self.answering.cancel(pending.task);
        }
    }

    /// The answers to requests about a file are about an older text: those that would take long are not wanted any more.
    fn make_stale(&mut self, path: &Path) {
        self.pending.retain(|_, pending| !pending.answer.is_given());
        for pending in self.pending.values_mut() {
            pending.is_stale |= pending.file.as_deref() == Some(path);
        }
        let of_file = |it: &&Pending| it.file.as_deref() == Some(path);
        if self.pending.values().filter(of_file).any(|it| self.answering.is_slow(it.task)) {
            let waiting = self.pending.iter().filter(|(_, it)| {
                it.file.as_deref() == Some(path) && self.answering.is_waiting(it.task)
            });
            let waiting: Vec<RequestId> = waiting.map(|(id, _)| id.clone()).collect();
            for id in waiting {
                self.drop_request(&id, ErrorCode::ContentModified, "the file was edited");
            }
        }
    }

    fn notification(&mut self, notification: Notification) -> Next {
        let Notification { method, params } = notification;
        let taken = match method.as_str() {
            it if it == lsp::ExitNotification::METHOD.as_str() => return Next::Exit(false),
            it if it == lsp::DidOpenTextDocumentNotification::METHOD.as_str() => {
                serde_json::from_value(params).map(|params| self.opened(params))
            }
            it if it == lsp::DidChangeTextDocumentNotification::METHOD.as_str() => {
                serde_json::from_value(params).map(|params| self.edited(params))
            }
            it if it == lsp::DidCloseTextDocumentNotification::METHOD.as_str() => {
                serde_json::from_value(params).map(|params| self.closed(params))
            }
            it if it == lsp::DidSaveTextDocumentNotification::METHOD.as_str() => {
                serde_json::from_value(params).map(|params| self.saved(params))
            }
            it if it == lsp::CancelNotification::METHOD.as_str() => {
                serde_json::from_value(params).map(|params| self.cancel(params))
            }
            it if it == lsp::DidChangeConfigurationNotification::METHOD.as_str() => {
                serde_json::from_value(params).map(|params| self.configured(params))
            }
            it if it == lsp::DidChangeWatchedFilesNotification::METHOD.as_str() => {
                return self.changed_on_disk();
            }
            // The protocol permits to ignore notifications.
            _ => Ok(()),
        };
        if let Err(why) = taken {
            (self.server.log)(&format!(
                "{method}: not understood at {}:{}",
                why.line(),
                why.column()
            ));
        }
        Next::Continue
    }

    fn opened(&mut self, params: lsp::DidOpenTextDocumentParams) {
        let document = params.text_document;
        let Some(path) = self.snapshot.session.path_of(&document.uri) else { return };
        let text = OpenText::new(document.uri, path.clone(), document.version, &document.text);
        self.open.insert(path.clone(), Arc::new(text));
        self.changed(path);
    }

    fn edited(&mut self, params: lsp::DidChangeTextDocumentParams) {
        let document = params.text_document;
        let Some(path) = self.snapshot.session.path_of(&document.text_document_identifier.uri)
        else {
            return;
        };
        let Some(open) = self.open.get(&path) else { return };
        let edited =
            open.edited(document.version, params.content_changes, self.snapshot.session.unit);
        self.open.insert(path.clone(), Arc::new(edited));
        self.make_stale(&path);
        self.changed(path);
    }

    fn closed(&mut self, params: lsp::DidCloseTextDocumentParams) {
        let Some(path) = self.snapshot.session.path_of(&params.text_document.uri) else { return };
        self.open.remove(&path);
        self.make_stale(&path);
        self.shown.close(&path);
        self.changed(path);
        self.watch_roots();
        self.publish();
    }

    /// Forgets the roots that no open file belongs to.
    fn watch_roots(&mut self) {
        let watched: BTreeSet<PathBuf> =
            self.open.keys().flat_map(|path| self.nesting.roots_to_check(path)).collect();
        self.shown.keep(&watched);
        self.checks.retain(|root, check| {
            let is_watched = watched.contains(root);
            if !is_watched {
                self.checking.cancel(check.task);
            }
            is_watched
        });
    }

    fn saved(&mut self, params: lsp::DidSaveTextDocumentParams) {
        if let Some(path) = self.snapshot.session.path_of(&params.text_document.uri) {
            self.changed(path);
        }
    }

    fn cancel(&mut self, params: lsp::CancelParams) {
        let id = match params.id {
            lsp::Id::Int(number) => RequestId::from(number),
            lsp::Id::String(text) => RequestId::from(text),
        };
        self.drop_request(&id, ErrorCode::RequestCanceled, "canceled by the client");
    }

    fn configured(&mut self, params: lsp::DidChangeConfigurationParams) {
        let (settings, problem) = read_settings(&params.settings);
        if let Some(problem) = problem {
            self.server.show(&problem);
            return;
        }
        self.reopen(settings);
    }

    /// Files changed outside of the editor: the configuration may be another one, and everything is checked again.
    fn changed_on_disk(&mut self) -> Next {
        self.reopen(self.snapshot.session.settings.clone());
        self.look_through();
        Next::Continue
    }

    fn reopen(&mut self, settings: Settings) {
        let session = &self.snapshot.session;
        let (client, unit) = (session.client.clone(), session.unit);
        let opened = self.server.open(&session.root, settings, client, unit);
        match opened {
            Ok(session) => {
                self.changed.extend(self.open.keys().cloned());
                self.next_snapshot(session);
                self.refresh();
            }
            Err(why) => self.server.show(&why.to_string()),
        }
    }

    fn changed(&mut self, path: PathBuf) {
        self.changed.insert(path);
        self.next_snapshot(Arc::clone(&self.snapshot.session));
    }

    fn next_snapshot(&mut self, session: Arc<Session>) {
        let next = Snapshot::new(session, Arc::clone(&self.nesting), self.open.clone());
        self.snapshot = Arc::new(next);
    }

    /// Looks through the project for templates that nest others.
    fn look_through(&mut self) {
        // A single file may be anywhere: nobody wants all of a home folder read.
        if !self.has_folder {
            return;
        }
        self.searches += 1;
        let search = self.searches;
        self.searching.cancel_all();
        // What it computes of all templates is dropped with it.
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
    fn look_at(&mut self, snapshot: &Arc<Snapshot>, paths: BTreeSet<PathBuf>) {
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
    pub(super) fn check(&mut self) {
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
    fn check_root(&mut self, root: PathBuf, mut files: BTreeSet<PathBuf>, attempt: usize) {
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
    pub(super) fn apply(&mut self, event: Event) {
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
    fn take_nesting(&mut self) {
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

    fn apply_check(
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
            // What is missing is not computed yet.
            self.next_snapshot(Arc::clone(&self.snapshot.session));
            self.check_root(root.to_owned(), files, attempt + 1);
        }
    }

    /// Whether what changed may have another impact on other files that are open.
    fn shows_others(&self, changed: &BTreeSet<PathBuf>) -> bool {
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
    fn publish(&mut self) {
        for (path, diagnostics) in self.shown.changes(|path| self.open.contains_key(path)) {
            let version = self.open.get(&path).map(|open| open.version);
            let uri = self.snapshot.uri(&path);
            let params = lsp::PublishDiagnosticsParams::new(uri, version, diagnostics);
            self.server.notify::<lsp::PublishDiagnosticsNotification>(params);
        }
    }

    /// Has the client ask again for what depends on other files than the one that it edits.
    fn refresh(&mut self) {
        if self.snapshot.session.client.refreshes_lenses {
            self.ask::<lsp::CodeLensRefreshRequest>(());
        }
        if self.snapshot.session.client.refreshes_hints {
            self.ask::<lsp::InlayHintRefreshRequest>(());
        }
    }

    /// Has the client report changes of files outside of the editor.
    fn watch_files(&mut self) {
        if !self.snapshot.session.client.watches_files {
            return;
        }
        let globs = ["**/*.{yaml,yml,template,env,json}", "**/hotplate.toml", "**/.git/HEAD"];
        let watchers: Vec<Value> =
            globs.iter().map(|glob| serde_json::json!({ "globPattern": glob })).collect();
        let registration = lsp::Registration::new(
            "watch".to_owned(),
            lsp::DidChangeWatchedFilesNotification::METHOD.as_str().to_owned(),
            Some(serde_json::json!({ "watchers": watchers })),
        );
        self.ask::<lsp::RegistrationRequest>(lsp::RegistrationParams::new(vec![registration]));
    }

    fn ask<R: lsp::Request>(&mut self, params: R::Params) {
        self.requests += 1;
        let id = RequestId::from(format!("hotplate-{}", self.requests));
        let request = Request::new(id, R::METHOD.as_str().to_owned(), params);
        let _ = self.server.connection.sender.send(request.into());
    }
}

/// What a task is, for the user.
fn titled(name: &str, file: Option<&Path>) -> String {
    match file.and_then(Path::file_name) {
        Some(file) => format!("{name} of {}", file.to_string_lossy()),
        None => name.to_owned(),
    }
}

/// The token of the progress of a task.
fn token_of(task: TaskId) -> lsp::ProgressToken {
    lsp::ProgressToken::String(format!("hotplate-{task}"))
}

/// The answer to a request that is stopped.
fn stopped_answer(stopped: &Stopped, method: &str) -> ResponseError {
    match stopped {
        Stopped::Canceled(Cancellation::Unwanted) => {
            error(ErrorCode::RequestCanceled, "canceled by the client".to_owned())
        }
        Stopped::Canceled(Cancellation::TimeLimit) => {
            let seconds = REQUEST_LIMIT.as_secs();
            let why = format!("`{method}` was stopped: it takes more than {seconds} s");
            error(ErrorCode::RequestFailed, why)
        }
        Stopped::Panicked(_) => {
            error(ErrorCode::InternalError, format!("`{method}` failed: this is a bug in hotplate"))
        }
    }
}
