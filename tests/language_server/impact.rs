//! What an edit does to the running stack, beside the line.

use super::STACK;
use super::client::Client;
use serde_json::json;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

fn git(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=a", "-c", "user.email=a@example.org", "-C"]).arg(folder);
    let done = command.args(arguments).output().expect("git");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

/// A client in a repository whose last commit has these files.
fn committed(files: &[(&str, &str)], settings: &serde_json::Value) -> Client {
    let folder = TempDir::new().expect("a temporary folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
        std::fs::write(path, text).expect("writable");
    }
    git(folder.path(), &["init", "-q"]);
    git(folder.path(), &["add", "."]);
    git(folder.path(), &["commit", "-qm", "first"]);
    let capabilities = json!({"workspace": {"codeLens": {"refreshSupport": true}}});
    Client::of_folder(folder, &capabilities, settings)
}

#[test]
fn an_edit_that_replaces_a_resource_says_so_there_and_at_the_property() {
    let client = &mut committed(&[("stack.yaml", STACK)], &json!({}));
    client.open("stack.yaml", STACK);
    assert!(client.lenses("stack.yaml").is_empty());
    client.edit("stack.yaml", 2, &STACK.replace("network: private", "network: public"));
    assert_eq!(
        client.lenses("stack.yaml"),
        [
            "5: replaces port and 1 more",
            "8: replaces port and 1 more",
            "9: updates server in place"
        ]
    );
    client.edit("stack.yaml", 3, &format!("# A comment.\n{STACK}"));
    assert!(client.lenses("stack.yaml").is_empty());
}

#[test]
fn the_reason_is_in_the_argument_of_the_lens() {
    let client = &mut committed(&[("stack.yaml", STACK)], &json!({}));
    client.open("stack.yaml", &STACK.replace("image: cirros", "image: fedora"));
    let lenses = client.of_file("textDocument/codeLens", "stack.yaml");
    let reason = lenses[0]["command"]["arguments"][0].as_str().expect("a reason");
    assert!(reason.contains("cirros") && reason.contains("fedora"), "{reason}");
}

#[test]
fn what_is_deleted_is_said_where_resources_begin() {
    let client = &mut committed(&[("stack.yaml", STACK)], &json!({}));
    let (before, _) = STACK.split_once("  server:").expect("a server");
    client.open("stack.yaml", before);
    assert_eq!(client.lenses("stack.yaml"), ["4: deletes server"]);
}

#[test]
fn an_edit_of_an_environment_says_what_it_does() {
    let config = "[[deployment]]\ntemplate = \"stack.yaml\"\nenvironments = [\"env.yaml\"]\n";
    let env = "parameters:\n  flavor: m1.large\n";
    let files = [("stack.yaml", STACK), ("env.yaml", env), ("hotplate.toml", config)];
    let client = &mut committed(&files, &json!({}));
    client.open("stack.yaml", STACK);
    client.open("env.yaml", env);
    client.told(|method, _| method == "workspace/codeLens/refresh");
    client.edit("env.yaml", 2, &env.replace("large", "huge"));
    let lenses = client.lenses("env.yaml");
    assert!(lenses.iter().any(|it| it.starts_with("2: updates server in place")), "{lenses:?}");
    let lenses = client.lenses("stack.yaml");
    assert!(lenses.iter().any(|it| it.ends_with(": updates server in place")), "{lenses:?}");
    // The template is open, too: its editor is asked to look again.
    client.told(|method, _| method == "workspace/codeLens/refresh");
}

#[test]
fn a_nested_template_has_the_impact_on_the_stacks_that_nest_it() {
    let root = "heat_template_version: 2018-08-31\nresources:\n  one: {type: nested.yaml}\n  two: {type: nested.yaml}\n";
    let files = [("root.yaml", root), ("nested.yaml", STACK)];
    let client = &mut committed(&files, &json!({}));
    client.open("nested.yaml", STACK);
    client.open("root.yaml", root);
    client.told(|method, _| method == "workspace/codeLens/refresh");
    client.edit("nested.yaml", 2, &STACK.replace("network: private", "network: public"));
    let lenses = client.lenses("nested.yaml");
    assert!(lenses.contains(&"5: replaces port and 1 more".to_owned()), "{lenses:?}");
    let lenses = client.lenses("root.yaml");
    assert!(
        lenses.iter().any(|it| it.starts_with("3: ") && it.contains("replaces port")),
        "{lenses:?}"
    );
}

#[test]
fn a_commit_is_noticed() {
    let client = &mut committed(&[("stack.yaml", STACK)], &json!({}));
    let changed = STACK.replace("network: private", "network: public");
    client.open("stack.yaml", &changed);
    assert!(!client.lenses("stack.yaml").is_empty());
    std::fs::write(client.folder().join("stack.yaml"), &changed).expect("writable");
    git(client.folder(), &["commit", "-qam", "second"]);
    client.tell("workspace/didChangeWatchedFiles", json!({"changes": []}));
    assert!(client.lenses("stack.yaml").is_empty());
}

#[test]
fn a_folder_without_git_is_quiet_and_a_base_that_is_missing_is_not() {
    let client = &mut Client::new(&[]);
    client.open("stack.yaml", STACK);
    assert!(client.lenses("stack.yaml").is_empty());
    let client = &mut committed(&[("stack.yaml", STACK)], &json!({"impact": {"base": "v9"}}));
    client.open("stack.yaml", STACK);
    assert_eq!(client.lenses("stack.yaml"), ["1: impact unknown"]);
}

#[test]
fn a_saved_stack_can_be_the_base() {
    let saved = json!({
        "name": "web", "id": "1", "action": "CREATE", "status": "COMPLETE",
        "template": {"heat_template_version": "2018-08-31", "resources": {"port": {"type": "OS::Neutron::Port", "properties": {"network": "other"}}}},
        "environment": {"parameters": {}}, "files": {},
        "resources": {"port": {"name": "port", "resource_id": "p1", "type": "OS::Neutron::Port", "action": "CREATE", "status": "COMPLETE", "metadata": {}, "resource_data": {}}}
    });
    let text = saved.to_string();
    let files = [("stack.yaml", STACK), ("saved.json", text.as_str())];
    let client = &mut Client::with(&files, &json!({}), &json!({"impact": {"base": "saved.json"}}));
    client.open("stack.yaml", STACK);
    let lenses = client.lenses("stack.yaml");
    assert!(lenses.iter().any(|it| it.starts_with("5: replaces port")), "{lenses:?}");
    assert!(lenses.iter().any(|it| it.starts_with("9: creates server")), "{lenses:?}");
}

#[test]
fn a_template_that_cannot_be_compared_is_not_quiet() {
    let client = &mut committed(&[("stack.yaml", STACK)], &json!({}));
    client.open("stack.yaml", &STACK.replace("2018-08-31", "2018-08-32"));
    let lenses = client.lenses("stack.yaml");
    assert_eq!(lenses, ["1: impact unknown: the template cannot be compared"]);
}
