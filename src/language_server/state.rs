//! What the loop of the server knows, and what each message changes.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crossbeam_channel::Sender;
use gen_lsp_types as lsp;
use gen_lsp_types::{Notification as _, Request as _};
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response, ResponseError};
use serde_json::Value;

use super::analysis::CheckJob;
use super::dispatch::error;
use super::nesting::Nesting;
use super::open_text::OpenText;
use super::server::{Event, Job, Server, read_settings};
use super::settings::Settings;
use super::shown_diagnostics::ShownDiagnostics;
use super::snapshot::{Session, Snapshot};

/// What the loop does after a message.
pub(super) enum Next {
    Continue,
    /// Files of the project changed outside of the editor.
    LookThrough,
    Exit(bool),
}

/// What the loop knows.
pub(super) struct State<'s, 'a> {
    server: &'s Server<'a>,
    open: HashMap<PathBuf, Arc<OpenText>>,
    nesting: Arc<Nesting>,
    pub(super) snapshot: Arc<Snapshot>,
    shown: ShownDiagnostics,
    /// The files that changed since the last check.
    changed: BTreeSet<PathBuf>,
    /// The number of the last check that was asked for.
    last_check: u64,
    /// The number of requests to the client.
    asked: u64,
    pending: HashMap<RequestId, Arc<AtomicBool>>,
    jobs: Sender<Job>,
    checks: Sender<CheckJob>,
}

impl<'s, 'a> State<'s, 'a> {
    /// Nothing is open yet. Requests become `jobs`, and what changes is sent to `checks`.
    pub(super) fn new(
        server: &'s Server<'a>,
        session: Arc<Session>,
        jobs: Sender<Job>,
        checks: Sender<CheckJob>,
    ) -> Self {
        State {
            server,
            open: HashMap::new(),
            nesting: Arc::default(),
            snapshot: Arc::new(Snapshot::new(session, Arc::default(), HashMap::new())),
            shown: ShownDiagnostics::default(),
            changed: BTreeSet::new(),
            last_check: 0,
            asked: 0,
            pending: HashMap::new(),
            jobs,
            checks,
        }
    }
}

impl State<'_, '_> {
    /// Takes a message of the client.
    pub(super) fn take(&mut self, message: Message) -> Next {
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
        let edited =
            open.edited(document.version, params.content_changes, self.snapshot.session.unit);
        self.open.insert(path.clone(), Arc::new(edited));
        self.changed(path);
    }

    fn closed(&mut self, params: lsp::DidCloseTextDocumentParams) {
        let Some(path) = self.snapshot.session.path_of(&params.text_document.uri) else { return };
        self.open.remove(&path);
        self.shown.close(&path);
        self.changed(path);
        // Roots that no open file belongs to are not watched any more.
        let snapshot = Arc::clone(&self.snapshot);
        let watched: BTreeSet<PathBuf> =
            self.open.keys().flat_map(|path| snapshot.roots_with(path)).collect();
        self.shown.keep(&watched);
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
        self.reopen(settings);
    }

    /// Files changed outside of the editor: the configuration may be another one, and everything is checked again.
    fn changed_on_disk(&mut self) -> Next {
        self.reopen(self.snapshot.session.settings.clone());
        Next::LookThrough
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

    /// Has what changed checked.
    pub(super) fn check(&mut self) {
        if self.changed.is_empty() {
            return;
        }
        // A file that is closed is checked only as a part of open ones.
        let files = std::mem::take(&mut self.changed);
        let is_open = |path: &PathBuf| self.open.contains_key(path);
        let is_watched = |path: &PathBuf| {
            is_open(path)
                || self.snapshot.roots_with(path).iter().any(|root| self.shown.has_root(root))
        };
        let files: BTreeSet<PathBuf> = files.into_iter().filter(is_watched).collect();
        self.last_check += 1;
        let _ = self.checks.send((Arc::clone(&self.snapshot), files, self.last_check));
    }

    /// Takes what a background thread found.
    pub(super) fn apply(&mut self, event: Event) {
        match event {
            Event::Nesting(nesting) => {
                self.nesting = Arc::new(nesting);
                self.shown.keep(&BTreeSet::new());
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
                self.shown.update(checked.roots, checked.broken);
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
    pub(super) fn watch_files(&mut self) {
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
        self.asked += 1;
        let id = RequestId::from(format!("hotplate-{}", self.asked));
        let request = Request::new(id, R::METHOD.as_str().to_owned(), params);
        let _ = self.server.connection.sender.send(request.into());
    }
}
