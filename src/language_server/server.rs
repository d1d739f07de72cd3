//! The loop that answers a client.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::{after, never, select, tick, unbounded};
use gen_lsp_types as lsp;
use gen_lsp_types::{InitializeParams, InitializeResult, Notification as _, Request as _};
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use serde_json::Value;

use super::capabilities::capabilities;
use super::client::ClientSupport;
use super::client_process::ClientProcess;
use super::dispatch::error;
use super::position::ColumnUnit;
use super::project::{OpenProject, ProjectError};
use super::settings::Settings;
use super::snapshot::Session;
use super::state::{Next, State};

/// How often busy threads are looked after.
const SUPERVISED_EVERY: Duration = Duration::from_millis(25);
/// How often the server looks whether its client is still there.
const CLIENT_LOOKED_AFTER_EVERY: Duration = Duration::from_secs(2);

/// Why the server stops before the client says so.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The client is gone before it has said what it wants.
    #[error("the client ended, or does not follow the protocol")]
    Protocol,
    /// A message of the client cannot be read.
    #[error("a message of the client cannot be read")]
    Message(#[from] serde_json::Error),
    /// The project cannot be opened.
    #[error(transparent)]
    Project(#[from] ProjectError),
}

/// Takes the lines of the log.
pub type Log = dyn Fn(&str) + Send + Sync;

/// A language server for one client.
pub struct Server {
    pub(super) connection: Connection,
    open_project: Box<OpenProject>,
    pub(super) log: Arc<Log>,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").finish_non_exhaustive()
    }
}

/// The first wish of the client, or that it wants nothing.
enum Start {
    Initialize(RequestId, Box<InitializeParams>, Option<lsp::Uri>),
    Exit,
}

impl Server {
    /// A server that writes what it does to `log`, without any text of a template.
    pub fn new(connection: Connection, open_project: Box<OpenProject>, log: Arc<Log>) -> Self {
        Server { connection, open_project, log }
    }

    /// Answers the client until it asks the server to exit, or is gone. True if it asked to shut down before. Threads may still compute
    /// for a moment; what they compute is canceled.
    ///
    /// # Errors
    ///
    /// If the client does not follow the protocol.
    pub fn run(&self) -> Result<bool, ServerError> {
        let (id, params, root) = match self.wait_for_initialize()? {
            Start::Initialize(id, params, root) => (id, params, root),
            Start::Exit => return Ok(false),
        };
        let client = ClientSupport::new(&params.capabilities);
        let unit = ColumnUnit::among(&client.columns);
        let mut result = InitializeResult::new(capabilities(unit), None);
        result.server_info = Some(lsp::ServerInfo::new(
            env!("CARGO_PKG_NAME").to_owned(),
            Some(env!("CARGO_PKG_VERSION").to_owned()),
        ));
        self.respond(id, Ok(serde_json::to_value(result)?));
        let process = params.process_id.and_then(ClientProcess::watched);
        let folder = root_of(&params, root);
        let has_folder = folder.is_some();
        let root = folder.unwrap_or_default();
        let root = source_files::FileSource::absolute(&source_files::Disk::default(), &root);
        let settings = params.initialization_options.unwrap_or_default();
        let (settings, problem) = read_settings(&settings);
        if let Some(problem) = problem {
            self.show(&problem);
        }
        let (events, taken_events) = unbounded();
        let session = self.open(&root, settings, client, unit)?;
        // A single file may be anywhere: nobody wants all of a home folder read.
        let mut state = State::new(self, session, events, has_folder);
        let looks = match &process {
            Some(_) => tick(CLIENT_LOOKED_AFTER_EVERY),
            None => never(),
        };
        let is_shut_down = loop {
            let supervision = if state.is_busy() { after(SUPERVISED_EVERY) } else { never() };
            select! {
                recv(self.connection.receiver) -> message => match message {
                    Err(_) => break false,
                    Ok(message) => match state.take(message) {
                        Next::Continue => {}
                        Next::Exit(is_shut_down) => break is_shut_down,
                    },
                },
                recv(taken_events) -> event => {
                    if let Ok(event) = event {
                        state.apply(event);
                    }
                }
                recv(supervision) -> _ => {}
                recv(looks) -> _ => {
                    if process.as_ref().is_some_and(|process| !process.is_alive()) {
                        (self.log)("the process of the client is gone");
                        break false;
                    }
                }
            }
            // What the client types meanwhile is checked once.
            if self.connection.receiver.is_empty() {
                state.check();
            }
            state.supervise();
        };
        state.finish();
        Ok(is_shut_down)
    }

    /// Before `initialize`, requests are refused and notifications ignored.
    fn wait_for_initialize(&self) -> Result<Start, ServerError> {
        for message in &self.connection.receiver {
            match message {
                Message::Request(Request { id, method, params }) => {
                    if method != lsp::InitializeRequest::METHOD.as_str() {
                        let why = "the first request is `initialize`".to_owned();
                        self.respond(id, Err(error(ErrorCode::ServerNotInitialized, why)));
                        continue;
                    }
                    let root = params.get("rootUri").and_then(Value::as_str).map(lsp::Uri::from);
                    match serde_json::from_value(params) {
                        Ok(params) => return Ok(Start::Initialize(id, params, root)),
                        Err(why) => {
                            (self.log)("the parameters of `initialize` cannot be read");
                            self.respond(id, Err(error(ErrorCode::InvalidParams, why.to_string())));
                        }
                    }
                }
                Message::Notification(it)
                    if it.method == lsp::ExitNotification::METHOD.as_str() =>
                {
                    return Ok(Start::Exit);
                }
                Message::Notification(_) | Message::Response(_) => {}
            }
        }
        Err(ServerError::Protocol)
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

    pub(super) fn respond(&self, id: RequestId, answer: Result<Value, lsp_server::ResponseError>) {
        // A client that is gone needs no answer.
        let _ = self.connection.sender.send(Response { id, response_result: answer }.into());
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
    location.absolute()
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
