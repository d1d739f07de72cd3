//! The protocol: cancellation, errors, units of columns, the end.

use super::STACK;
use super::client::Client;
use serde_json::json;

#[test]
fn a_canceled_request_is_answered_as_canceled() {
    let client = &mut Client::new(&[]);
    client.open("stack.yaml", STACK);
    let uri = client.uri("stack.yaml");
    let params = json!({"textDocument": {"uri": uri}});
    // Both threads have work before the last one.
    let ids: Vec<_> =
        (0..40).map(|_| client.start("textDocument/codeLens", params.clone())).collect();
    let last = ids.last().expect("one").clone();
    client.tell("$/cancelRequest", json!({"id": 41}));
    let answer = client.wait(&last).response_result;
    // It may have been answered before the client changed its mind.
    assert!(answer.is_ok() || answer.is_err_and(|error| error.code == -32800));
    for id in &ids[..39] {
        client.wait(id).response_result.expect("an answer");
    }
}

#[test]
fn what_the_server_does_not_know_is_an_error_and_no_end() {
    let client = &mut Client::new(&[]);
    let unknown = client.answer("textDocument/teleport", json!({}));
    assert_eq!(unknown.response_result.expect_err("an error").code, -32601);
    let wrong = client.answer("textDocument/codeLens", json!({"textDocument": 3}));
    assert_eq!(wrong.response_result.expect_err("an error").code, -32602);
    client.tell("textDocument/didChange", json!({"nothing": true}));
    client.tell("$/whatever", json!({}));
    client.open("stack.yaml", STACK);
    assert!(client.lenses("stack.yaml").is_empty());
}

#[test]
fn a_file_that_is_not_open_and_a_scheme_without_files_have_no_answers() {
    let client = &mut Client::new(&[]);
    for uri in ["untitled:Untitled-1", "file:///nowhere/a.yaml", "git:/a.yaml?HEAD", "", "%%%"] {
        let answer = client.ask("textDocument/codeLens", json!({"textDocument": {"uri": uri}}));
        assert!(answer.is_null() || answer == json!([]), "{uri}: {answer}");
    }
}

#[test]
fn the_client_chooses_the_unit_of_columns() {
    for (encodings, chosen, column) in [
        (json!(["utf-8", "utf-16"]), "utf-8", 25),
        (json!(["utf-16"]), "utf-16", 23),
        (json!([]), "utf-16", 23),
    ] {
        let capabilities = json!({"general": {"positionEncodings": encodings}});
        let client = &mut Client::with(&[], &capabilities, &json!({}));
        assert_eq!(client.capabilities["positionEncoding"], chosen);
        client.open(
            "stack.yaml",
            &STACK.replace(
                "properties:\n      flavor",
                "properties: {name: 😀, flavr: a}\n    x:\n      flavor",
            ),
        );
        let uri = client.uri("stack.yaml");
        let wanted = client.told(|method, params| {
            method == "textDocument/publishDiagnostics"
                && params["uri"] == uri.as_str()
                && params["diagnostics"].as_array().is_some_and(|it| {
                    it.iter()
                        .any(|it| it["message"].as_str().is_some_and(|it| it.contains("flavr")))
                })
        });
        let found = wanted["diagnostics"]
            .as_array()
            .expect("diagnostics")
            .iter()
            .find(|it| it["message"].as_str().is_some_and(|it| it.contains("flavr")));
        let at = found.expect("a finding")["range"]["start"]["character"].as_u64();
        assert_eq!(at, Some(column + 4), "{chosen}");
    }
}

#[test]
fn edits_of_parts_are_applied_one_after_the_other() {
    let client = &mut Client::new(&[]);
    client.open("stack.yaml", &STACK.replace('\n', "\r\n").replace("image: cirros", "imgae: ä😀"));
    client.findings("stack.yaml", |it| it.iter().any(|it| it.contains("imgae")));
    let uri = client.uri("stack.yaml");
    let range = |from: [u32; 2], to: [u32; 2]| {
        let position = |at: [u32; 2]| json!({"line": at[0], "character": at[1]});
        json!({"start": position(from), "end": position(to)})
    };
    let changes = json!([
        {"range": range([12, 6], [12, 11]), "text": "imag"},
        {"range": range([12, 10], [12, 10]), "text": "e"},
        {"range": range([12, 14], [12, 16]), "text": ""},
    ]);
    client.tell(
        "textDocument/didChange",
        json!({"textDocument": {"uri": uri, "version": 2}, "contentChanges": changes}),
    );
    client.findings("stack.yaml", <[String]>::is_empty);
}

#[test]
fn the_server_ends_when_the_client_says_so() {
    assert!(Client::new(&[]).close());
    assert!(!Client::new(&[]).exit());
}

#[test]
fn a_project_with_a_wrong_configuration_is_still_checked() {
    let config = "[check]\nselect = 5\n";
    let client = &mut Client::new(&[("hotplate.toml", config)]);
    let said = client.told(|method, _| method == "window/showMessage");
    assert!(said["message"].as_str().is_some_and(|it| it.contains("hotplate.toml")), "{said}");
    client.open("stack.yaml", &STACK.replace("image: cirros", "imgae: cirros"));
    client.findings("stack.yaml", |it| !it.is_empty());
}
