//! Findings while somebody types.

use super::STACK;
use super::client::Client;
use serde_json::json;

#[test]
fn a_mistake_is_shown_and_gone_when_it_is_corrected() {
    let client = &mut Client::new(&[]);
    client.open("stack.yaml", &STACK.replace("image: cirros", "imgae: cirros"));
    let found = client.findings("stack.yaml", |it| !it.is_empty());
    assert!(found.iter().any(|it| it.starts_with("13 ") && it.contains("imgae")), "{found:?}");
    client.edit("stack.yaml", 2, STACK);
    assert!(client.findings("stack.yaml", <[String]>::is_empty).is_empty());
}

#[test]
fn half_a_line_is_the_only_error_of_a_text_that_cannot_be_read() {
    let client = &mut Client::new(&[]);
    let text = STACK.replace("      image: cirros\n", "      image: cirros\n      user_da\n");
    client.open("stack.yaml", &text);
    let found = client.findings("stack.yaml", |it| !it.is_empty());
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("HP0101"), "{found:?}");
    assert!(found[0].contains("1 line is left out"), "{found:?}");
}

#[test]
fn other_mistakes_are_shown_in_a_text_that_cannot_be_read() {
    let client = &mut Client::new(&[]);
    let text = STACK.replace("network: private", "network: [private");
    client.open("stack.yaml", &text.replace("OS::Nova::Server", "OS::Nova::Servr"));
    let found = client.findings("stack.yaml", |it| !it.is_empty());
    assert!(found.iter().any(|it| it.starts_with("10 HP0702")), "{found:?}");
}

#[test]
fn a_nested_template_is_checked_as_part_of_those_that_nest_it() {
    let root = "\
heat_template_version: 2018-08-31
resources:
  web:
    type: nested.yaml
    properties: {size: 10}
";
    let nested = "heat_template_version: 2018-08-31\nparameters:\n  size: {type: number}\nresources:\n  v: {type: OS::Cinder::Volume, properties: {size: {get_param: size}}}\n";
    let client = &mut Client::new(&[("stack.yaml", root), ("nested.yaml", nested)]);
    client.open("nested.yaml", nested);
    // A parameter that the root does not know is an error of the root, which is not open.
    client.edit("nested.yaml", 2, &nested.replace("  size: {type", "  sise: {type"));
    let found = client.findings("stack.yaml", |it| !it.is_empty());
    assert!(found.iter().any(|it| it.starts_with("5 ") && it.contains("size")), "{found:?}");
    client.edit("nested.yaml", 3, nested);
    client.findings("stack.yaml", <[String]>::is_empty);
}

#[test]
fn files_of_other_programs_have_no_findings() {
    let client = &mut Client::new(&[]);
    client.open("playbook.yaml", "- hosts: all\n  tasks: [\n");
    client.open("stack.yaml", &STACK.replace("image: cirros", "imgae: cirros"));
    client.findings("stack.yaml", |it| !it.is_empty());
    client.open("values.yaml", "replicas: {{ .Values.replicas }}\n");
    client.edit("stack.yaml", 2, STACK);
    client.findings("stack.yaml", <[String]>::is_empty);
    let uris = ["playbook.yaml", "values.yaml"].map(|it| client.uri(it));
    let uris: Vec<_> = uris.iter().map(String::as_str).collect();
    client.open("last.yaml", &STACK.replace("image", "imgae"));
    let other = |method: &str, params: &serde_json::Value| {
        method == "textDocument/publishDiagnostics"
            && params["uri"]
                .as_str()
                .is_some_and(|uri| uri.ends_with("last.yaml") || uris.contains(&uri))
    };
    loop {
        let next = client.told(other);
        if next["uri"].as_str().is_some_and(|uri| uri.ends_with("last.yaml")) {
            break;
        }
        assert_eq!(next["diagnostics"], json!([]), "{next}");
    }
}

#[test]
fn settings_choose_the_findings() {
    let unused = STACK.replace("{get_param: flavor}", "m1.small");
    let client = &mut Client::with(&[], &json!({}), &json!({"ignore": ["HP1201"]}));
    client.open("stack.yaml", &unused);
    client.tell("workspace/didChangeConfiguration", json!({"settings": {"hotplate": {}}}));
    client.findings("stack.yaml", |it| it.iter().any(|it| it.contains("HP1201")));
    client.tell(
        "workspace/didChangeConfiguration",
        json!({"settings": {"hotplate": {"ignore": ["HP12"]}}}),
    );
    client.findings("stack.yaml", |it| it.iter().all(|it| !it.contains("HP1201")));
}

#[test]
fn a_setting_that_is_wrong_is_said_and_the_server_stays() {
    let client = &mut Client::with(&[], &json!({}), &json!({"select": ["HP9"]}));
    let said = client.told(|method, _| method == "window/showMessage");
    assert!(said["message"].as_str().is_some_and(|it| it.contains("HP9")), "{said}");
    client.open("stack.yaml", &STACK.replace("image: cirros", "imgae: cirros"));
    client.findings("stack.yaml", |it| !it.is_empty());
}
