//! The loop that answers a client.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crossbeam_channel::{Receiver, Sender, select, unbounded};
use gen_lsp_types as lsp;
use gen_lsp_types::{InitializeParams, InitializeResult};
use lsp_server::{Connection, ErrorCode, Notification, Request, Response, ResponseError};
use serde_json::Value;

use super::analysis::{self, CheckJob, CheckedRoots};
use super::capabilities::capabilities;
use super::client::ClientSupport;
use super::dispatch::{self, error};
use super::nesting::Nesting;
use super::position::ColumnUnit;
use super::project::{OpenProject, ProjectError};
use super::settings::Settings;
use super::snapshot::{Session, Snapshot};
use super::state::{Next, State};

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
    pub(super) connection: &'a Connection,
    open_project: &'a OpenProject,
    pub(super) log: &'a (dyn Fn(&str) + Sync),
}

impl std::fmt::Debug for Server<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").finish_non_exhaustive()
    }
}

/// What background threads report.
pub(super) enum Event {
    Checked(CheckedRoots),
    Nesting(Nesting),
}

/// A request that is to be answered.
pub(super) struct Job {
    pub(super) snapshot: Arc<Snapshot>,
    pub(super) request: Request,
    pub(super) is_canceled: Arc<AtomicBool>,
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
            let session = self.open(&root, settings, client, unit)?;
            let mut state = State::new(self, session, jobs, checks);
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

    pub(super) fn open(
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

    pub(super) fn notify<N: lsp::Notification>(&self, params: N::Params) {
        let notification = Notification::new(N::METHOD.as_str().to_owned(), params);
        let _ = self.connection.sender.send(notification.into());
    }

    /// Shows a sentence to the user.
    pub(super) fn show(&self, message: &str) {
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
pub(super) fn read_settings(value: &Value) -> (Settings, Option<String>) {
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
