//! `hotplate lsp` as a process: both streams, the status, the log.

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
    for input in ["", "hello\n", "Content-Length: 5\r\n\r\nabcde", &message(r#"{"jsonrpc":"2.0"}"#)]
    {
        let done = empty().run(&["lsp"]).write_stdin(input).assert();
        done.code(2).stdout(is_empty()).stderr(contains("the client ended"));
    }
    let without = message(r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#);
    let done = empty().run(&["lsp"]).write_stdin(without).assert();
    done.code(2).stderr(contains("missing field `capabilities`"));
}

#[test]
fn a_log_that_cannot_be_written_is_an_error() {
    let done = empty().run(&["lsp", "--log", "no/such/folder/log.txt"]).assert();
    done.code(2).stderr(contains("no/such/folder/log.txt"));
}
