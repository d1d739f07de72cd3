//! The loop that answers a client.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crossbeam_channel::{Receiver, Sender, select, unbounded};
use gen_lsp_types as lsp;
use gen_lsp_types::{InitializeParams, InitializeResult, Notification as _, Request as _};
use lsp_server::{
    Connection, ErrorCode, Message, Notification, Request, RequestId, Response, ResponseError,
};
use serde_json::Value;

use super::analysis::{self, CheckJob, CheckedRoots};
use super::capabilities::capabilities;
use super::client::ClientSupport;
use super::diagnostics::FileDiagnostics;
use super::dispatch::{self, error};
use super::nesting::Nesting;
use super::open_text::OpenText;
use super::position::ColumnUnit;
use super::project::{OpenProject, ProjectError};
use super::settings::Settings;
use super::snapshot::{Session, Snapshot};

/// The number of requests that are answered at the same time.
const ANSWERING_THREADS: usize = 2;

/// Why the server stops before the client says so.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The client does not follow the protocol, or is gone.
    #[error("the client ended, or does not follow the protocol")]
    Protocol(#[from] lsp_server::ProtocolError),
    /// A message of the client cannot be read.
    #[error("a message of the client cannot be read")]
    Message(#[from] serde_json::Error),
    /// The project cannot be opened.
    #[error(transparent)]
    Project(#[from] ProjectError),
}

/// A language server for one client.
pub struct Server<'a> {
    connection: &'a Connection,
    open_project: &'a OpenProject,
    log: &'a (dyn Fn(&str) + Sync),
}

impl std::fmt::Debug for Server<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").finish_non_exhaustive()
    }
}

/// What background threads report.
enum Event {
    Checked(CheckedRoots),
    Nesting(Nesting),
}

/// A request that is to be answered.
struct Job {
    snapshot: Arc<Snapshot>,
    request: Request,
    is_canceled: Arc<AtomicBool>,
}

impl<'a> Server<'a> {
    /// A server that writes what it does to `log`, without any text of a template.
    pub fn new(
        connection: &'a Connection,
        open_project: &'a OpenProject,
        log: &'a (dyn Fn(&str) + Sync),
    ) -> Self {
        Server { connection, open_project, log }
    }

    /// Answers the client until it asks the server to exit. True if it asked to shut down before.
    ///
    /// # Errors
    ///
    /// If the client does not follow the protocol.
    pub fn run(&self) -> Result<bool, ServerError> {
        let (id, params) = self.connection.initialize_start()?;
        let root = params.get("rootUri").and_then(Value::as_str).map(lsp::Uri::from);
        let params: InitializeParams = serde_json::from_value(params)?;
        let client = ClientSupport::new(&params.capabilities);
        let unit = ColumnUnit::among(&client.columns);
        let mut result = InitializeResult::new(capabilities(unit), None);
        result.server_info = Some(lsp::ServerInfo::new(
            env!("CARGO_PKG_NAME").to_owned(),
            Some(env!("CARGO_PKG_VERSION").to_owned()),
        ));
        self.connection.initialize_finish(id, serde_json::to_value(result)?)?;
        let folder = root_of(&params, root);
        let has_folder = folder.is_some();
        let root = folder.unwrap_or_default();
        let root = source_files::FileSource::absolute(&source_files::Disk::default(), &root);
        let settings = params.initialization_options.unwrap_or_default();
        let (settings, problem) = read_settings(&settings);
        if let Some(problem) = problem {
            self.show(&problem);
        }
        let (jobs, taken_jobs) = unbounded::<Job>();
        let (checks, taken_checks) = unbounded::<CheckJob>();
        let (events, taken_events) = unbounded::<Event>();
        thread::scope(|scope| {
            for _ in 0..ANSWERING_THREADS {
                let jobs = taken_jobs.clone();
                scope.spawn(move || self.answer_all(&jobs));
            }
            {
                let events = events.clone();
                scope.spawn(move || self.check_all(&taken_checks, &events));
            }
            let session = self.open(&root, settings.clone(), client.clone(), unit)?;
            let snapshot = Snapshot::new(session, Arc::default(), HashMap::new());
            let mut state = State {
                server: self,
                client,
                unit,
                root,
                settings,
                open: HashMap::new(),
                changed: BTreeSet::new(),
                last_check: 0,
                asked: 0,
                nesting: Arc::default(),
                snapshot: Arc::new(snapshot),
                by_root: BTreeMap::new(),
                broken: BTreeMap::new(),
                published: BTreeMap::new(),
                pending: HashMap::new(),
                jobs,
                checks,
            };
            state.watch_files();
            let look_through = |snapshot: &Arc<Snapshot>, events: &Sender<Event>| {
                // A single file may be anywhere: nobody wants all of a home folder read.
                if !has_folder {
                    return;
                }
                // What it computes of all templates is dropped with it.
                let (snapshot, events) = (snapshot.again(), events.clone());
                scope.spawn(move || {
                    let nesting = guarded(|| in_background(|| analysis::nesting(&snapshot)));
                    if let Some(nesting) = nesting {
                        // The loop may have ended.
                        let _ = events.send(Event::Nesting(nesting));
                    }
                });
            };
            look_through(&state.snapshot, &events);
            let done = loop {
                select! {
                    recv(self.connection.receiver) -> message => match message {
                        Err(_) => break Ok(false),
                        Ok(message) => match state.take(message) {
                            Next::Continue => {}
                            Next::LookThrough => look_through(&state.snapshot, &events),
                            Next::Exit(is_shut_down) => break Ok(is_shut_down),
                        },
                    },
                    recv(taken_events) -> event => {
                        if let Ok(event) = event {
                            state.apply(event);
                        }
                    }
                }
                // What the client types meanwhile is checked once.
                if self.connection.receiver.is_empty() {
                    state.check();
                }
            };
            drop(state);
            done
        })
    }

    fn open(
        &self,
        root: &Path,
        settings: Settings,
        client: ClientSupport,
        unit: ColumnUnit,
    ) -> Result<Arc<Session>, ServerError> {
        let project = match (self.open_project)(root, &settings) {
            Ok(project) => project,
            // A mistake in the settings or the configuration must not take away everything else.
            Err(why) => {
                self.show(&why.to_string());
                (self.open_project)(root, &Settings::without_project())?
            }
        };
        Ok(Arc::new(Session::new(project, settings, client, unit, root.to_owned())))
    }

    /// Answers requests until there are no more.
    fn answer_all(&self, jobs: &Receiver<Job>) {
        for Job { snapshot, request, is_canceled } in jobs {
            let Request { id, method, params } = request;
            let started = std::time::Instant::now();
            let answer = if is_canceled.load(Ordering::Relaxed) {
                Err(canceled())
            } else {
                guarded(|| dispatch::answer(&snapshot, &method, params)).unwrap_or_else(|| {
                    Err(error(
                        ErrorCode::InternalError,
                        format!("`{method}` failed: this is a bug in hotplate"),
                    ))
                })
            };
            let answer = if is_canceled.load(Ordering::Relaxed) { Err(canceled()) } else { answer };
            (self.log)(&format!("{method}: {} µs", started.elapsed().as_micros()));
            // A client that is gone needs no answer.
            let _ = self.connection.sender.send(Response { id, response_result: answer }.into());
        }
    }

    /// Checks what changed, always the newest state.
    fn check_all(&self, jobs: &Receiver<CheckJob>, events: &Sender<Event>) {
        while let Ok((mut snapshot, mut files, mut number)) = jobs.recv() {
            while let Ok((newer, more, later)) = jobs.try_recv() {
                (snapshot, number) = (newer, later);
                files.extend(more);
            }
            let started = std::time::Instant::now();
            let checked = guarded(|| analysis::check(&snapshot, files.clone(), number));
            (self.log)(&format!(
                "check of {} changed files: {} µs",
                files.len(),
                started.elapsed().as_micros()
            ));
            if let Some(checked) = checked {
                let _ = events.send(Event::Checked(checked));
            }
        }
    }

    fn notify<N: lsp::Notification>(&self, params: N::Params) {
        let notification = Notification::new(N::METHOD.as_str().to_owned(), params);
        let _ = self.connection.sender.send(notification.into());
    }

    /// Shows a sentence to the user.
    fn show(&self, message: &str) {
        let kind = lsp::MessageType::Warning;
        let params = lsp::ShowMessageParams::new(kind, message.to_owned());
        self.notify::<lsp::ShowMessageNotification>(params);
    }
}

/// What a computation results in; `None` if it panics, which is a bug, but no reason to leave the user without a server.
fn guarded<T>(compute: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(compute)).ok()
}

fn canceled() -> ResponseError {
    error(ErrorCode::RequestCanceled, "canceled by the client".to_owned())
}

/// Computes on half of the cores, so that what a user waits for has the others.
fn in_background<T: Send>(compute: impl FnOnce() -> T + Send) -> T {
    let cores = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    match rayon::ThreadPoolBuilder::new().num_threads((cores / 2).max(1)).build() {
        Ok(pool) => pool.install(compute),
        // Without threads of its own, it takes the common ones.
        Err(_) => compute(),
    }
}

/// The folder of the project: the first one that the client names, else the one that older clients name.
fn root_of(params: &InitializeParams, root: Option<lsp::Uri>) -> Option<PathBuf> {
    let folders = params.workspace_folders_initialize_params.workspace_folders.as_ref();
    let first = match folders {
        Some(lsp::WorkspaceFolders::WorkspaceFolderList(folders)) => {
            folders.first().map(|folder| folder.uri.clone())
        }
        _ => None,
    };
    let uri = first.or(root);
    let disk = source_files::Disk::default();
    let location = heat_engine::environment::Location::from_argument(Path::new(&uri?.0), &disk);
    location.path().map(Path::to_owned)
}

/// The settings of a client, and what is wrong with them.
fn read_settings(value: &Value) -> (Settings, Option<String>) {
    // Clients send the section with or without its name.
    let section = value.get("hotplate").unwrap_or(value);
    if section.is_null() {
        return (Settings::default(), None);
    }
    match serde_json::from_value(section.clone()) {
        Ok(settings) => (settings, None),
        Err(why) => {
            (Settings::default(), Some(format!("the settings of hotplate are not used: {why}")))
        }
    }
}

/// What the loop does after a message.
enum Next {
    Continue,
    /// Files of the project changed outside of the editor.
    LookThrough,
    Exit(bool),
}

/// What the loop knows.
struct State<'s, 'a> {
    server: &'s Server<'a>,
    client: ClientSupport,
    unit: ColumnUnit,
    root: PathBuf,
    settings: Settings,
    open: HashMap<PathBuf, Arc<OpenText>>,
    /// The files that changed since the last check.
    changed: BTreeSet<PathBuf>,
    /// The number of the last check that was asked for.
    last_check: u64,
    /// The number of requests to the client.
    asked: u64,
    nesting: Arc<Nesting>,
    snapshot: Arc<Snapshot>,
    /// What was found of each root template.
    by_root: BTreeMap<PathBuf, FileDiagnostics>,
    /// Why open files cannot be read.
    broken: FileDiagnostics,
    /// What the client shows.
    published: FileDiagnostics,
    pending: HashMap<RequestId, Arc<AtomicBool>>,
    jobs: Sender<Job>,
    checks: Sender<CheckJob>,
}

impl State<'_, '_> {
    fn take(&mut self, message: Message) -> Next {
        match message {
            Message::Request(request) => self.request(request),
            Message::Notification(notification) => self.notification(notification),
            // The server only asks the client to look again and to watch files.
            Message::Response(_) => Next::Continue,
        }
    }

    fn request(&mut self, request: Request) -> Next {
        if request.method == lsp::ShutdownRequest::METHOD.as_str() {
            self.respond(request.id, Ok(Value::Null));
            return self.wait_for_exit();
        }
        self.pending.retain(|_, canceled| Arc::strong_count(canceled) > 1);
        let is_canceled = Arc::new(AtomicBool::new(false));
        self.pending.insert(request.id.clone(), Arc::clone(&is_canceled));
        let job = Job { snapshot: Arc::clone(&self.snapshot), request, is_canceled };
        // The threads that answer live as long as the loop.
        let _ = self.jobs.send(job);
        Next::Continue
    }

    /// After `shutdown`, everything but `exit` is refused.
    fn wait_for_exit(&self) -> Next {
        for message in &self.server.connection.receiver {
            match message {
                Message::Notification(it)
                    if it.method == lsp::ExitNotification::METHOD.as_str() =>
                {
                    return Next::Exit(true);
                }
                Message::Request(request) => {
                    let why = "the server is shut down".to_owned();
                    self.respond(request.id, Err(error(ErrorCode::InvalidRequest, why)));
                }
                Message::Notification(_) | Message::Response(_) => {}
            }
        }
        Next::Exit(true)
    }

    fn respond(&self, id: RequestId, answer: Result<Value, ResponseError>) {
        let _ = self.server.connection.sender.send(Response { id, response_result: answer }.into());
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
        let edited = open.edited(document.version, params.content_changes, self.unit);
        self.open.insert(path.clone(), Arc::new(edited));
        self.changed(path);
    }

    fn closed(&mut self, params: lsp::DidCloseTextDocumentParams) {
        let Some(path) = self.snapshot.session.path_of(&params.text_document.uri) else { return };
        self.open.remove(&path);
        self.broken.remove(&path);
        self.changed(path);
        // Roots that no open file belongs to are not watched any more.
        let snapshot = Arc::clone(&self.snapshot);
        let watched: BTreeSet<PathBuf> =
            self.open.keys().flat_map(|path| snapshot.roots_with(path)).collect();
        self.by_root.retain(|root, _| watched.contains(root));
        self.publish();
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
        if let Some(is_canceled) = self.pending.get(&id) {
            is_canceled.store(true, Ordering::Relaxed);
        }
    }

    fn configured(&mut self, params: lsp::DidChangeConfigurationParams) {
        let (settings, problem) = read_settings(&params.settings);
        if let Some(problem) = problem {
            self.server.show(&problem);
            return;
        }
        self.settings = settings;
        self.reopen();
    }

    /// Files changed outside of the editor: the configuration may be another one, and everything is checked again.
    fn changed_on_disk(&mut self) -> Next {
        self.reopen();
        Next::LookThrough
    }

    fn reopen(&mut self) {
        let opened =
            self.server.open(&self.root, self.settings.clone(), self.client.clone(), self.unit);
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

    /// Has what changed checked.
    fn check(&mut self) {
        if self.changed.is_empty() {
            return;
        }
        // A file that is closed is checked only as a part of open ones.
        let files = std::mem::take(&mut self.changed);
        let is_open = |path: &PathBuf| self.open.contains_key(path);
        let is_watched = |path: &PathBuf| {
            is_open(path)
                || self.snapshot.roots_with(path).iter().any(|root| self.by_root.contains_key(root))
        };
        let files: BTreeSet<PathBuf> = files.into_iter().filter(is_watched).collect();
        self.last_check += 1;
        let _ = self.checks.send((Arc::clone(&self.snapshot), files, self.last_check));
    }

    fn apply(&mut self, event: Event) {
        match event {
            Event::Nesting(nesting) => {
                self.nesting = Arc::new(nesting);
                self.by_root.clear();
                self.changed.extend(self.open.keys().cloned());
                self.next_snapshot(Arc::clone(&self.snapshot.session));
                self.refresh();
            }
            Event::Checked(checked) => {
                let mut nesting = Nesting::clone(&self.nesting);
                let is_new =
                    checked.nested.iter().any(|(root, nested)| nesting.is_other(root, nested));
                if is_new {
                    for (root, nested) in checked.nested {
                        nesting.update(&root, nested);
                    }
                    self.nesting = Arc::new(nesting);
                    self.next_snapshot(Arc::clone(&self.snapshot.session));
                }
                // What was typed meanwhile has other lines: a newer check is on its way, which may be about other files.
                if checked.number < self.last_check || !self.changed.is_empty() {
                    self.changed.extend(checked.files);
                    return;
                }
                if self.shows_others(&checked.files) {
                    self.refresh();
                }
                self.by_root.extend(checked.roots);
                self.broken = checked.broken;
                self.publish();
            }
        }
    }

    /// Whether what changed may have another impact on other files that are open.
    fn shows_others(&self, changed: &BTreeSet<PathBuf>) -> bool {
        let roots = |path: &PathBuf| self.snapshot.roots_with(path);
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
        let mut all: FileDiagnostics = BTreeMap::new();
        for (path, diagnostics) in self.by_root.values().chain([&self.broken]).flatten() {
            let of_file = all.entry(path.clone()).or_default();
            for diagnostic in diagnostics {
                if !of_file.contains(diagnostic) {
                    of_file.push(diagnostic.clone());
                }
            }
        }
        for path in self.published.keys() {
            all.entry(path.clone()).or_default();
        }
        for (path, diagnostics) in &mut all {
            diagnostics.sort_by_key(|it| (it.range.start, it.range.end));
            let is_known =
                self.published.get(path).map_or(diagnostics.is_empty(), |it| it == diagnostics);
            if is_known && !self.open.contains_key(path) {
                continue;
            }
            if self.published.get(path) == Some(diagnostics) {
                continue;
            }
            let version = self.open.get(path).map(|open| open.version);
            let params = lsp::PublishDiagnosticsParams::new(
                self.snapshot.uri(path),
                version,
                diagnostics.clone(),
            );
            self.server.notify::<lsp::PublishDiagnosticsNotification>(params);
        }
        all.retain(|path, diagnostics| !diagnostics.is_empty() || self.open.contains_key(path));
        self.published = all;
    }

    /// Has the client ask again for what depends on other files than the one that it edits.
    fn refresh(&mut self) {
        if self.client.refreshes_lenses {
            self.ask::<lsp::CodeLensRefreshRequest>(());
        }
        if self.client.refreshes_hints {
            self.ask::<lsp::InlayHintRefreshRequest>(());
        }
    }

    /// Has the client report changes of files outside of the editor.
    fn watch_files(&mut self) {
        if !self.client.watches_files {
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
        self.asked += 1;
        let id = RequestId::from(format!("hotplate-{}", self.asked));
        let request = Request::new(id, R::METHOD.as_str().to_owned(), params);
        let _ = self.server.connection.sender.send(request.into());
    }
}
