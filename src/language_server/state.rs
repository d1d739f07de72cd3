//! The state of the server's loop, and the changes by each message.

mod checks;
mod notifications;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::Sender;
use gen_lsp_types as lsp;
use gen_lsp_types::{Notification as _, Request as _};
use lsp_server::{ErrorCode, Message, Request, RequestId, Response, ResponseError};
use serde_json::Value;
use source_diagnostics::cancellation::{Cancellation, Stopped};

use super::analysis::{self, CHECK_LIMITS, CheckedRoot, Missing, Surroundings};
use super::dispatch::{self, error};
use super::nesting::Nesting;
use super::open_text::OpenText;
use super::server::Server;
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

/// The loop's next step after a message.
pub(super) enum Next {
    Continue,
    Exit(bool),
}

/// The reports of background threads.
pub(super) enum Event {
    /// A check has ended.
    Checked { task: TaskId, root: PathBuf, snapshot: Arc<Snapshot>, checked: CheckedRoot },
    /// The files of the project.
    Found { search: u64, snapshot: Arc<Snapshot>, paths: BTreeSet<PathBuf> },
    /// The surroundings of a template; `None` if a file is none.
    Surrounded { search: u64, path: PathBuf, surroundings: Option<Surroundings> },
}

/// The state of the loop.
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
    /// Tasks that take so long that the client shows them.
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
        // The other cores are for what a user waits for.
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

/// A task in words for the user.
fn titled(name: &str, file: Option<&Path>) -> String {
    match file.and_then(Path::file_name) {
        Some(file) => format!("{name} of {}", file.to_string_lossy()),
        None => name.to_owned(),
    }
}

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
