//! Notifications of the client: open files, settings, files on disk.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use gen_lsp_types as lsp;
use gen_lsp_types::Notification as _;
use lsp_server::{ErrorCode, Notification, RequestId};

use super::{Next, State};
use crate::language_server::open_text::OpenText;
use crate::language_server::server::read_settings;
use crate::language_server::settings::Settings;
use crate::language_server::snapshot::{Session, Snapshot};

impl State<'_> {
    pub(super) fn notification(&mut self, notification: Notification) -> Next {
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

    pub(super) fn opened(&mut self, params: lsp::DidOpenTextDocumentParams) {
        let document = params.text_document;
        let Some(path) = self.snapshot.session.path_of(&document.uri) else { return };
        let text = OpenText::new(document.uri, path.clone(), document.version, &document.text);
        self.open.insert(path.clone(), Arc::new(text));
        self.changed(path);
    }

    pub(super) fn edited(&mut self, params: lsp::DidChangeTextDocumentParams) {
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

    pub(super) fn closed(&mut self, params: lsp::DidCloseTextDocumentParams) {
        let Some(path) = self.snapshot.session.path_of(&params.text_document.uri) else { return };
        self.open.remove(&path);
        self.make_stale(&path);
        self.shown.close(&path);
        self.changed(path);
        self.watch_roots();
        self.publish();
    }

    /// Forgets the roots that no open file belongs to.
    pub(super) fn watch_roots(&mut self) {
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

    pub(super) fn saved(&mut self, params: lsp::DidSaveTextDocumentParams) {
        if let Some(path) = self.snapshot.session.path_of(&params.text_document.uri) {
            self.changed(path);
        }
    }

    pub(super) fn cancel(&mut self, params: lsp::CancelParams) {
        let id = match params.id {
            lsp::Id::Int(number) => RequestId::from(number),
            lsp::Id::String(text) => RequestId::from(text),
        };
        self.drop_request(&id, ErrorCode::RequestCanceled, "canceled by the client");
    }

    pub(super) fn configured(&mut self, params: lsp::DidChangeConfigurationParams) {
        let (settings, problem) = read_settings(&params.settings);
        if let Some(problem) = problem {
            self.server.show(&problem);
            return;
        }
        self.reopen(settings);
    }

    /// Files changed outside of the editor: the configuration may be another one, and everything is checked again.
    pub(super) fn changed_on_disk(&mut self) -> Next {
        self.reopen(self.snapshot.session.settings.clone());
        self.look_through();
        Next::Continue
    }

    pub(super) fn reopen(&mut self, settings: Settings) {
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

    pub(super) fn changed(&mut self, path: PathBuf) {
        self.changed.insert(path);
        self.next_snapshot(Arc::clone(&self.snapshot.session));
    }

    pub(super) fn next_snapshot(&mut self, session: Arc<Session>) {
        let next = Snapshot::new(session, Arc::clone(&self.nesting), self.open.clone());
        self.snapshot = Arc::new(next);
    }
}
