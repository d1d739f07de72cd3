//! `hotplate lsp` as a process: both streams, the status, the log.

use predicates::prelude::*;
use predicates::str::{contains, is_empty};

use crate::cli::sandbox::Sandbox;

fn empty() -> Sandbox {
    Sandbox::new::<&str>(&[])
}

/// A message as it is sent through a pipe.
fn message(json: &str) -> String {
    format!("Content-Length: {}\r\n\r\n{json}", json.len())
}

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{}}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"initialized","params":{}}"#;
const SHUTDOWN: &str = r#"{"jsonrpc":"2.0","id":2,"method":"shutdown"}"#;
const EXIT: &str = r#"{"jsonrpc":"2.0","method":"exit"}"#;

#[test]
fn a_session_ends_with_status_0_and_nothing_on_standard_error() {
    let sandbox = empty();
    let input: String = [INITIALIZE, INITIALIZED, SHUTDOWN, EXIT].map(message).concat();
    let done = sandbox.run(&["lsp", "--log", "log.txt"]).write_stdin(input).assert();
    done.success().stdout(contains(r#""id":2,"result":null"#)).stderr(is_empty());
    assert!(std::fs::read_to_string(sandbox.at("log.txt")).is_ok());
}

#[test]
fn a_client_that_exits_without_shutdown_is_told_by_the_status() {
    let input: String = [INITIALIZE, INITIALIZED, EXIT].map(message).concat();
    empty().run(&["lsp"]).write_stdin(input).assert().code(1).stderr(is_empty());
}

#[test]
fn what_is_no_client_is_an_error() {
    empty().run(&["lsp"]).write_stdin("").assert().code(2).stdout(is_empty());
    let no_message = message(r#"{"jsonrpc":"2.0"}"#);
    for (input, code) in [
        ("hello\n", "-32700"),
        ("Content-Length: 5\r\n\r\nabcde", "-32700"),
        ("Content-Length: 99999999999\r\n\r\n", "-32700"),
        (&no_message, "-32600"),
    ] {
        let done = empty().run(&["lsp"]).write_stdin(input).assert();
        done.code(2).stdout(contains(code)).stderr(contains("the client ended"));
    }
    let without = message(r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#);
    let done = empty().run(&["lsp"]).write_stdin(without.clone()).assert();
    let done =
        done.code(2).stdout(contains("-32602").and(contains("missing field `capabilities`")));
    done.stderr(contains("does not follow the protocol"));
    // The next one counts.
    let texts = [without, message(INITIALIZE), message(SHUTDOWN), message(EXIT)];
    empty().run(&["lsp"]).write_stdin(texts.concat()).assert().code(0).stderr(is_empty());
}

#[test]
fn what_is_not_a_message_is_answered_and_logged_without_its_text() {
    let sandbox = empty();
    let hover = r#"{"jsonrpc":"2.0","id":7,"method":"textDocument/hover","params":5}"#;
    let texts = [
        "Content-Length: 99999999999\r\n\r\n".to_owned(),
        "Content-Length: s3cret\r\n\r\n".to_owned(),
        message("{\"s3cret\""),
        message(r#"[{"jsonrpc":"2.0","id":6,"method":"s3cret"}]"#),
    ];
    let input = [INITIALIZE, INITIALIZED].map(message).concat() + &texts.concat() + &message(hover);
    let input = input + &[SHUTDOWN, EXIT].map(message).concat();
    let done = sandbox.run(&["lsp", "--log", "log.txt"]).write_stdin(input).assert().success();
    let stdout = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
    assert_eq!(stdout.matches(r#""code":-32700"#).count(), 3, "{stdout}");
    assert_eq!(stdout.matches(r#""code":-32600"#).count(), 1, "{stdout}");
    assert!(stdout.contains(r#""id":7,"error":{"code":-32602"#), "{stdout}");
    let log = std::fs::read_to_string(sandbox.at("log.txt")).expect("a log");
    assert_eq!(log.matches("not a message").count(), 4, "{log}");
    assert!(!log.contains("s3cret") && !stdout.contains("s3cret"), "{log}\n{stdout}");
}

#[test]
fn exit_before_initialize_ends_the_process() {
    empty().run(&["lsp"]).write_stdin(message(EXIT)).assert().code(1).stderr(is_empty());
    let early = message(r#"{"jsonrpc":"2.0","id":3,"method":"shutdown"}"#);
    let done = empty().run(&["lsp"]).write_stdin(early + &message(EXIT)).assert().code(1);
    done.stdout(contains("-32002"));
}

#[test]
fn a_log_that_cannot_be_written_is_an_error() {
    let done = empty().run(&["lsp", "--log", "no/such/folder/log.txt"]).assert();
    done.code(2).stderr(contains("no/such/folder/log.txt"));
}

/// The current folder is that of the project, as editors start servers: paths are shown relative to it, open texts are found all the same.
#[test]
fn open_texts_count_in_the_folder_of_the_project() {
    use std::io::{BufRead as _, BufReader, Read as _, Write as _};

    let template = |property: &str| {
        format!(
            "heat_template_version: 2018-08-31\nresources:\n  n: {{type: OS::Neutron::Net, properties: {{{property}: n}}}}\n"
        )
    };
    let sandbox = Sandbox::new(&[("t.yaml", template("name"))]);
    let folder = std::fs::canonicalize(sandbox.at("")).expect("a folder");
    let uri = format!("file://{}", folder.display());
    let initialize = INITIALIZE.replace("\"rootUri\":null", &format!("\"rootUri\":\"{uri}\""));
    let opened = serde_json::json!({
        "jsonrpc": "2.0",
        "method": "textDocument/didOpen",
        "params": {"textDocument": {
            "uri": format!("{uri}/t.yaml"), "languageId": "yaml", "version": 5, "text": template("nmae"),
        }},
    });
    let mut server = std::process::Command::new(env!("CARGO_BIN_EXE_hotplate"))
        .arg("lsp")
        .current_dir(&folder)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("a server");
    let mut input = server.stdin.take().expect("a pipe");
    let messages = [&initialize, INITIALIZED, &opened.to_string()].map(message).concat();
    input.write_all(messages.as_bytes()).expect("written");
    let mut output = BufReader::new(server.stdout.take().expect("a pipe"));
    let mut length = 0;
    let published = loop {
        let mut line = String::new();
        assert_ne!(output.read_line(&mut line).expect("a header"), 0, "the server has ended");
        if let Some(value) = line.strip_prefix("Content-Length: ") {
            length = value.trim().parse().expect("a length");
        } else if line.trim().is_empty() {
            let mut body = vec![0; length];
            output.read_exact(&mut body).expect("a body");
            let body = String::from_utf8(body).expect("text");
            if body.contains("publishDiagnostics") {
                break body;
            }
        }
    };
    assert!(published.contains(r#""version":5"#), "{published}");
    assert!(published.contains("nmae"), "{published}");
    input.write_all([SHUTDOWN, EXIT].map(message).concat().as_bytes()).expect("written");
    assert!(server.wait().expect("an end").success());
}
