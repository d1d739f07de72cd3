//! Whatever runs: other files are answered, what nobody waits for ends, and so does the server.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use hotplate::cli::open_project;
use hotplate::language_server::{
    EvaluatedDeployment, ImpactBase, OpenedBase, Project, ProjectError, Settings,
};
use hotplate::report::diff::TemplateReport;
use hotplate_check::CheckRun;
use lsp_server::RequestId;
use serde_json::{Value, json};
use source_diagnostics::cancellation::checkpoint;
use source_files::FileSource;
use tempfile::TempDir;

use super::STACK;
use super::client::Client;

/// A cap against hanging, far below the time after which the server stops a request by itself.
const PATIENCE: Duration = Duration::from_secs(5);

/// A template with an error that is found without any check.
const BROKEN: &str = "heat_template_version: 2018-08-31\nresources: {a: {typ: b}}\n";

/// What happens in slow projects.
#[derive(Clone, Default)]
struct Clock {
    /// The number of computations that run.
    running: Arc<AtomicUsize>,
    /// Lets go of what cannot be canceled.
    is_over: Arc<AtomicBool>,
}

impl Clock {
    /// Computes without end for files whose names say so: `slow` until it is canceled, `stuck` whatever happens.
    fn compute(&self, path: &Path) {
        struct Run<'c>(&'c AtomicUsize);
        impl Drop for Run<'_> {
            fn drop(&mut self) {
                self.0.fetch_sub(1, Ordering::SeqCst);
            }
        }
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        let name = name.unwrap_or_default();
        let is_stuck = name.starts_with("stuck");
        if !is_stuck && !name.starts_with("slow") {
            return;
        }
        self.running.fetch_add(1, Ordering::SeqCst);
        let _run = Run(&self.running);
        while !self.is_over.load(Ordering::SeqCst) {
            if !is_stuck {
                checkpoint();
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Waits until so many computations run.
    fn wait_for(&self, wanted: impl Fn(usize) -> bool) {
        let start = Instant::now();
        while !wanted(self.running.load(Ordering::SeqCst)) {
            assert!(start.elapsed() < PATIENCE, "{:?} run", self.running);
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Lets go of everything at the end of a test.
struct Release(Clock);

impl Drop for Release {
    fn drop(&mut self) {
        self.0.is_over.store(true, Ordering::SeqCst);
    }
}

impl std::ops::Deref for Release {
    type Target = Clock;

    fn deref(&self) -> &Clock {
        &self.0
    }
}

/// A project in which some files take forever.
struct SlowProject {
    project: Box<dyn Project>,
    clock: Clock,
}

impl Project for SlowProject {
    fn opened(&self) -> &hotplate::project::Project {
        self.project.opened()
    }

    fn check(
        &self,
        files: &dyn FileSource,
        templates: &[PathBuf],
    ) -> Result<CheckRun, ProjectError> {
        templates.iter().for_each(|path| self.clock.compute(path));
        self.project.check(files, templates)
    }

    fn evaluate(&self, files: &dyn FileSource, template: &Path) -> Vec<EvaluatedDeployment> {
        self.clock.compute(template);
        self.project.evaluate(files, template)
    }

    fn compare(
        &self,
        _base: &OpenedBase,
        _files: &dyn FileSource,
        template: &Path,
    ) -> Result<Vec<TemplateReport>, ProjectError> {
        self.clock.compute(template);
        Ok(Vec::new())
    }

    fn open_base(
        &self,
        _base: &ImpactBase,
        _known: Option<&Arc<OpenedBase>>,
    ) -> Result<Arc<OpenedBase>, ProjectError> {
        Ok(Arc::new(OpenedBase::SavedStack(PathBuf::new())))
    }
}

/// A client of a server with slow files.
fn slow_client(capabilities: &Value) -> (Client, Release) {
    slow_client_of(TempDir::new().expect("a temporary folder"), capabilities)
}

/// A client of a server with slow files, in a folder.
fn slow_client_of(folder: TempDir, capabilities: &Value) -> (Client, Release) {
    let clock = Release(Clock::default());
    let own = clock.0.clone();
    let open = move |folder: &Path, settings: &Settings| {
        let (project, clock) = (open_project(folder, settings)?, own.clone());
        Ok(Box::new(SlowProject { project, clock }) as Box<dyn Project>)
    };
    (Client::of_project(folder, capabilities, &json!({}), Box::new(open)), clock)
}

/// Starts requests of all kinds about a file.
fn start_all(client: &mut Client, name: &str) -> Vec<RequestId> {
    let uri = client.uri(name);
    let document = json!({"uri": uri});
    let position = json!({"line": 10, "character": 20});
    let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 15, "character": 0}});
    let requests = [
        ("codeLens", json!({"textDocument": document})),
        ("inlayHint", json!({"textDocument": document, "range": range})),
        ("hover", json!({"textDocument": document, "position": position})),
        (
            "codeAction",
            json!({"textDocument": document, "range": range, "context": {"diagnostics": []}}),
        ),
        ("completion", json!({"textDocument": document, "position": position})),
        (
            "references",
            json!({"textDocument": document, "position": position, "context": {"includeDeclaration": true}}),
        ),
        ("rename", json!({"textDocument": document, "position": position, "newName": "other"})),
    ];
    let start = |(name, params)| client.start(&format!("textDocument/{name}"), params);
    requests.into_iter().map(start).collect()
}

/// Asks for everything about a file, which must be answered while others take forever.
fn answer_all(client: &mut Client, name: &str) {
    let start = Instant::now();
    for id in start_all(client, name) {
        let answer = client.wait(&id).response_result;
        // A rename has reasons of its own.
        assert!(answer.is_ok() || answer.is_err_and(|error| error.code == -32803));
    }
    assert!(start.elapsed() < PATIENCE, "{:?}", start.elapsed());
}

#[test]
fn other_files_are_answered_and_checked_while_some_take_forever() {
    for kind in ["slow", "stuck"] {
        let (mut client, clock) = slow_client(&json!({}));
        for file in 0..3 {
            let name = format!("{kind}-{file}.yaml");
            client.open(&name, STACK);
            start_all(&mut client, &name);
            start_all(&mut client, &name);
        }
        clock.wait_for(|running| running >= 3);
        client.open("quick.yaml", &STACK.replace("image: cirros", "imgae: cirros"));
        answer_all(&mut client, "quick.yaml");
        let start = Instant::now();
        client.findings("quick.yaml", |it| it.iter().any(|it| it.contains("imgae")));
        assert!(start.elapsed() < PATIENCE, "{kind}");
        // A file takes one thread for checks, and one for requests, or a thread that waits for those.
        let running = clock.running.load(Ordering::SeqCst);
        assert!(running <= 12, "{running} computations run");
    }
}

#[test]
fn a_canceled_request_is_answered_at_once_and_ends() {
    let (mut client, clock) = slow_client(&json!({}));
    let uri = client.uri("slow.yaml");
    // It is not open, so that nothing but the request is about it.
    std::fs::write(client.folder().join("slow.yaml"), STACK).expect("writable");
    let id = client.start("textDocument/codeLens", json!({"textDocument": {"uri": uri}}));
    clock.wait_for(|running| running == 1);
    let start = Instant::now();
    client.tell("$/cancelRequest", json!({"id": 2}));
    let answer = client.wait(&id).response_result;
    assert_eq!(answer.expect_err("an error").code, -32800);
    assert!(start.elapsed() < PATIENCE);
    clock.wait_for(|running| running == 0);
}

#[test]
fn an_edit_ends_what_is_computed_of_the_older_text() {
    let (mut client, clock) = slow_client(&json!({}));
    client.open("slow.yaml", STACK);
    let uri = client.uri("slow.yaml");
    let params = json!({"textDocument": {"uri": uri}});
    let ids = [(); 3].map(|()| client.start("textDocument/codeLens", params.clone()));
    clock.wait_for(|running| running >= 2);
    client.edit("slow.yaml", 2, &format!("{STACK}# A comment.\n"));
    for id in &ids {
        let answer = client.wait(id).response_result;
        assert_eq!(answer.expect_err("an error").code, -32801);
    }
    // The check of the new text.
    clock.wait_for(|running| running == 1);
    client.tell("textDocument/didClose", json!({"textDocument": {"uri": client.uri("slow.yaml")}}));
    clock.wait_for(|running| running == 0);
}

#[test]
fn the_server_ends_whatever_runs() {
    for kind in ["slow", "stuck"] {
        for asks_before in [true, false] {
            let (mut client, clock) = slow_client(&json!({}));
            let name = format!("{kind}.yaml");
            client.open(&name, STACK);
            start_all(&mut client, &name);
            clock.wait_for(|running| running >= 2);
            let start = Instant::now();
            assert_eq!(if asks_before { client.close() } else { client.exit() }, asks_before);
            assert!(start.elapsed() < PATIENCE, "{kind}: {:?}", start.elapsed());
            if kind == "slow" {
                clock.wait_for(|running| running == 0);
            }
        }
    }
}

#[test]
fn a_check_that_takes_long_says_so_and_shows_what_is_known() {
    let (mut client, _clock) = slow_client(&json!({"window": {"workDoneProgress": true}}));
    client.open("slow.yaml", BROKEN);
    let begin =
        client.told(|method, params| method == "$/progress" && params["value"]["kind"] == "begin");
    let message = begin["value"]["message"].as_str().unwrap_or_default();
    assert_eq!(message, "the check of slow.yaml takes more than 2 s");
    let found = client.findings("slow.yaml", |it| !it.is_empty());
    assert!(found.iter().any(|it| it.contains("not all checks of this file")), "{found:?}");
    assert!(found.iter().any(|it| it.contains("`typ`")), "{found:?}");
    client.edit("slow.yaml", 2, &format!("{BROKEN}# A comment.\n"));
    client.told(|method, params| {
        method == "$/progress"
            && params["token"] == begin["token"]
            && params["value"]["kind"] == "end"
    });
}

#[test]
fn an_impact_that_takes_long_is_said_to_be_unknown_and_the_log_tells_clients_without_progress() {
    let (mut client, _clock) = slow_client(&json!({}));
    std::fs::write(client.folder().join("slow.yaml"), STACK).expect("writable");
    let uri = client.uri("slow.yaml");
    let id = client.start("textDocument/codeLens", json!({"textDocument": {"uri": uri}}));
    let said = client.told(|method, _| method == "window/logMessage");
    assert_eq!(said["message"], "codeLens of slow.yaml takes more than 2 s");
    let lenses = client.wait(&id).response_result.expect("an answer");
    assert_eq!(lenses[0]["command"]["title"], "impact unknown");
}

#[test]
fn a_template_that_takes_forever_does_not_hide_which_templates_nest_others() {
    let folder = TempDir::new().expect("a temporary folder");
    let nested = "heat_template_version: 2018-08-31\nparameters:\n  size: {type: number}\n";
    let root = "heat_template_version: 2018-08-31\nresources:\n  web: {type: nested.yaml, properties: {size: 10}}\n";
    for (name, text) in [("nested.yaml", nested), ("root.yaml", root), ("slow.yaml", STACK)] {
        std::fs::write(folder.path().join(name), text).expect("writable");
    }
    let (mut client, _clock) = slow_client_of(folder, &json!({}));
    client.open("nested.yaml", &nested.replace("  size: {type", "  sise: {type"));
    let found = client.findings("root.yaml", |it| !it.is_empty());
    assert!(found.iter().any(|it| it.contains("size")), "{found:?}");
}
