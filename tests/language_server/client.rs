//! A client in the same process: messages through channels, as an editor sends them through pipes.

use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use hotplate::cli::open_project;
use hotplate::language_server::{OpenProject, Server, ServerError};
use lsp_server::{Connection, Message, Notification, Request, RequestId, Response};
use serde_json::{Value, json};
use tempfile::TempDir;

/// How long an answer may take before a test fails.
const PATIENCE: Duration = Duration::from_secs(60);

/// A client with a folder, and its server.
pub(super) struct Client {
    connection: Connection,
    server: Option<JoinHandle<Result<bool, ServerError>>>,
    folder: TempDir,
    number: i32,
    /// What the server announced.
    pub(super) capabilities: Value,
    /// What the server said without being asked, and was not looked at.
    told: Vec<Message>,
}

impl Client {
    /// A client whose folder has these files.
    pub(super) fn new(files: &[(&str, &str)]) -> Self {
        Client::with(files, &json!({}), &json!({}))
    }

    /// A client with capabilities and settings.
    pub(super) fn with(files: &[(&str, &str)], capabilities: &Value, settings: &Value) -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
            std::fs::write(path, text).expect("writable");
        }
        Client::of_folder(folder, capabilities, settings)
    }

    /// A client whose folder is there already.
    pub(super) fn of_folder(folder: TempDir, capabilities: &Value, settings: &Value) -> Self {
        Client::of_project(folder, capabilities, settings, Box::new(open_project))
    }

    /// A client of a server that opens another kind of project.
    pub(super) fn of_project(
        folder: TempDir,
        capabilities: &Value,
        settings: &Value,
        open_project: Box<OpenProject>,
    ) -> Self {
        let (served, connection) = Connection::memory();
        let log = Arc::new(|_: &str| ());
        let server = Server::new(served, open_project, log);
        let server = std::thread::spawn(move || server.run());
        let mut client = Client {
            connection,
            server: Some(server),
            folder,
            number: 0,
            capabilities: Value::Null,
            told: Vec::new(),
        };
        let root = client.uri("");
        let params = json!({"processId": null, "rootUri": root, "capabilities": capabilities, "initializationOptions": settings});
        client.capabilities = client.ask("initialize", params)["capabilities"].clone();
        client.tell("initialized", json!({}));
        client
    }

    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The URI of a file.
    pub(super) fn uri(&self, name: &str) -> String {
        let folder = self.folder.path().canonicalize().expect("the folder");
        format!("file://{}", folder.join(name).display())
    }

    pub(super) fn tell(&self, method: &str, params: Value) {
        let message = Notification { method: method.to_owned(), params };
        self.connection.sender.send(message.into()).expect("a server");
    }

    /// Sends a request, and waits for the whole answer.
    pub(super) fn answer(&mut self, method: &str, params: Value) -> Response {
        let id = self.start(method, params);
        self.wait(&id)
    }

    pub(super) fn start(&mut self, method: &str, params: Value) -> RequestId {
        self.number += 1;
        let id = RequestId::from(self.number);
        let request = Request { id: id.clone(), method: method.to_owned(), params };
        self.connection.sender.send(request.into()).expect("a server");
        id
    }

    /// The answer to a request.
    pub(super) fn wait(&mut self, id: &RequestId) -> Response {
        let found =
            self.told.iter().position(|it| matches!(it, Message::Response(it) if it.id == *id));
        if let Some(at) = found
            && let Message::Response(response) = self.told.remove(at)
        {
            return response;
        }
        loop {
            match self.connection.receiver.recv_timeout(PATIENCE).expect("an answer") {
                Message::Response(response) if response.id == *id => return response,
                other => self.told.push(other),
            }
        }
    }

    /// The result of a request, which must not fail.
    pub(super) fn ask(&mut self, method: &str, params: Value) -> Value {
        let response = self.answer(method, params);
        response.response_result.unwrap_or_else(|error| panic!("{method}: {error:?}"))
    }

    /// Opens a file with a text.
    pub(super) fn open(&self, name: &str, text: &str) {
        let document =
            json!({"uri": self.uri(name), "languageId": "yaml", "version": 1, "text": text});
        self.tell("textDocument/didOpen", json!({"textDocument": document}));
    }

    /// Replaces the whole text of an open file.
    pub(super) fn edit(&self, name: &str, version: i32, text: &str) {
        let document = json!({"uri": self.uri(name), "version": version});
        let changes = json!([{"text": text}]);
        self.tell(
            "textDocument/didChange",
            json!({"textDocument": document, "contentChanges": changes}),
        );
    }

    /// A request about a file.
    pub(super) fn of_file(&mut self, method: &str, name: &str) -> Value {
        let uri = self.uri(name);
        self.ask(method, json!({"textDocument": {"uri": uri}}))
    }

    /// The titles of the lenses of a file, with their lines from 1.
    pub(super) fn lenses(&mut self, name: &str) -> Vec<String> {
        let lenses = self.of_file("textDocument/codeLens", name);
        let lens = |it: &Value| {
            let line = it["range"]["start"]["line"].as_u64().expect("a line") + 1;
            format!("{line}: {}", it["command"]["title"].as_str().expect("a title"))
        };
        lenses.as_array().expect("lenses").iter().map(lens).collect()
    }

    /// The next message that the server sends by itself and that is wanted.
    pub(super) fn told(&mut self, is_wanted: impl Fn(&str, &Value) -> bool) -> Value {
        let wanted = |message: &Message| match message {
            Message::Notification(it) => is_wanted(&it.method, &it.params),
            Message::Request(it) => is_wanted(&it.method, &it.params),
            Message::Response(_) => false,
        };
        let message = match self.told.iter().position(wanted) {
            Some(at) => self.told.remove(at),
            None => loop {
                let next = self.connection.receiver.recv_timeout(PATIENCE).expect("a message");
                if wanted(&next) {
                    break next;
                }
                self.told.push(next);
            },
        };
        match message {
            Message::Notification(it) => it.params,
            Message::Request(it) => it.params,
            Message::Response(_) => Value::Null,
        }
    }

    /// The findings that are shown of a file, as soon as one of them, or none, is as wanted: `line code message`.
    pub(super) fn findings(
        &mut self,
        name: &str,
        wanted: impl Fn(&[String]) -> bool,
    ) -> Vec<String> {
        let uri = self.uri(name);
        let lines = |params: &Value| -> Vec<String> {
            let line = |it: &Value| {
                let line = it["range"]["start"]["line"].as_u64().expect("a line") + 1;
                let text = |key: &str| it[key].as_str().unwrap_or_default().to_owned();
                format!("{line} {} {}", text("code"), text("message"))
            };
            params["diagnostics"].as_array().expect("diagnostics").iter().map(line).collect()
        };
        let params = self.told(|method, params| {
            method == "textDocument/publishDiagnostics"
                && params["uri"] == uri.as_str()
                && wanted(&lines(params))
        });
        lines(&params)
    }

    /// Ends the server; whether it was shut down before it exited.
    pub(super) fn close(mut self) -> bool {
        self.ask("shutdown", Value::Null);
        self.exit()
    }

    /// Ends the server without shutting it down.
    pub(super) fn exit(mut self) -> bool {
        self.tell("exit", Value::Null);
        let server = self.server.take().expect("a server");
        server.join().expect("no panic").expect("no error of the protocol")
    }
}
