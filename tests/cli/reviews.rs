//! The GitHub action and the GitLab job, run against a simulated code forge. A change must not influence its own
//! review.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use assert_cmd::cargo::cargo_bin;

use crate::cli::git::Repository;
use crate::cli::sandbox::Sandbox;

/// The lines of the block scalar with the first such key after a text.
fn script(file: &str, after: &str, key: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{file}: {error}"));
    let from = text.find(after).unwrap_or_else(|| panic!("{file}: {after}"));
    let mut lines = text[from..].lines().skip_while(|line| line.trim() != key);
    let head = lines.next().unwrap_or_else(|| panic!("{file}: {key}"));
    let indent = head.len() - head.trim_start().len();
    let inner =
        |line: &&str| line.trim().is_empty() || line.len() - line.trim_start().len() > indent;
    lines.take_while(inner).fold(String::new(), |all, line| all + line + "\n")
}

/// Runs a script with the programs in the folder `bin` and these variables. Returns `None` if bash or jq is missing.
fn run(sandbox: &Sandbox, script: &str, variables: &[(&str, &str)]) -> Option<Output> {
    for program in ["bash", "jq"] {
        if Command::new(program).arg("--version").output().is_err() {
            #[expect(clippy::print_stderr, reason = "who runs the tests wants to know")]
            {
                eprintln!("skipped: there is no {program}");
            }
            return None;
        }
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders = vec![sandbox.at("bin")];
    folders.extend(std::env::split_paths(&path));
    let mut command = Command::new("bash");
    command.args(["-e", "-o", "pipefail", "-c", script]).current_dir(sandbox.at(""));
    command.env("PATH", std::env::join_paths(folders).expect("a path"));
    command.envs(variables.iter().copied());
    Some(command.output().expect("bash"))
}

/// Writes a program into `bin`.
fn program(sandbox: &Sandbox, name: &str, text: &str) {
    let name = format!("bin/{name}");
    sandbox.write(&name, format!("#!/usr/bin/env bash\n{text}"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(sandbox.at(&name), fs::Permissions::from_mode(0o755)).expect("a mode");
    }
}

const REPORT: &str = "<!-- hotplate diff -->\nreport\n";

/// The requests that the step «Comment» of the action sends if these comments exist.
fn github(comments: &str) -> Option<String> {
    let sandbox = Sandbox::new(&[("report.md", REPORT), ("asked", "")]);
    sandbox.write(
        "answer.json",
        format!(
            r#"{{"data": {{"viewer": {{"login": "github-actions[bot]"}}, "repository": {{"pullRequest": {{"comments": {{"nodes": [{comments}]}}}}}}}}}}"#
        ),
    );
    program(
        &sandbox,
        "gh",
        "case \"$*\" in\n*graphql*) cat answer.json ;;\n*) echo \"$*\" >> asked ;;\nesac\n",
    );
    let variables = [
        ("GITHUB_REPOSITORY", "o/r"),
        ("NUMBER", "7"),
        ("REPORT", "report.md"),
        ("DIFFERS", "true"),
    ];
    let output = run(&sandbox, &script("action.yml", "- name: Comment", "run: |"), &variables)?;
    assert!(output.status.success(), "{output:?}");
    Some(sandbox.text("asked"))
}

fn comment(id: u32, kind: &str, login: &str, body: &str) -> String {
    let body = format!("{body}\\nold");
    format!(
        r#"{{"databaseId": {id}, "body": "{body}", "author": {{"__typename": "{kind}", "login": "{login}"}}}}"#
    )
}

#[test]
fn the_action_updates_only_comments_of_its_own_author() {
    let marker = "<!-- hotplate diff -->";
    let others = [
        comment(1, "User", "mallory", marker),
        comment(2, "User", "github-actions", marker),
        comment(3, "Bot", "other", marker),
        comment(4, "Bot", "github-actions", "something else"),
    ]
    .join(", ");
    let Some(asked) = github(&others) else { return };
    assert!(asked.contains("--method POST repos/o/r/issues/7/comments "), "{asked}");
    assert!(!asked.contains("PATCH"), "{asked}");
    let own = comment(5, "Bot", "github-actions", marker);
    let Some(asked) = github(&format!("{others}, {own}")) else { return };
    assert!(asked.contains("--method PATCH repos/o/r/issues/comments/5 "), "{asked}");
    assert!(!asked.contains("POST"), "{asked}");
}

#[test]
fn the_job_for_gitlab_updates_only_notes_of_its_own_author() {
    let note = |id: u32, author: u32, body: &str| {
        format!(r#"{{"id": {id}, "author": {{"id": {author}}}, "body": "{body}\\nold"}}"#)
    };
    let marker = "<!-- hotplate diff -->";
    let others = format!("[{}, {}]", note(1, 8, marker), note(2, 9, "something else"));
    let own = format!("[{}]", note(3, 9, marker));
    for (second, expected) in [
        (
            own.as_str(),
            "--request PUT --header PRIVATE-TOKEN: secret --data-urlencode body@heat-diff.md https://forge/projects/1/merge_requests/2/notes/3\n",
        ),
        (
            "[]",
            "--request POST --header PRIVATE-TOKEN: secret --data-urlencode body@heat-diff.md https://forge/projects/1/merge_requests/2/notes\n",
        ),
    ] {
        let sandbox = Sandbox::new(&[
            ("heat-diff.md", REPORT),
            ("asked", ""),
            ("one", others.as_str()),
            ("two", second),
        ]);
        program(
            &sandbox,
            "curl",
            "case \"$*\" in\n*--request*) echo \"$*\" >> asked ;;\n*/user) echo '{\"id\": 9}' ;;\n\
             *page=1) cat one ;;\n*page=2) cat two ;;\n*) echo '[]' ;;\nesac\n",
        );
        let variables = [
            ("HOTPLATE_TOKEN", "secret"),
            ("CI_API_V4_URL", "https://forge"),
            ("CI_PROJECT_ID", "1"),
            ("CI_MERGE_REQUEST_IID", "2"),
            ("status", "0"),
        ];
        let Some(output) = run(&sandbox, &script("docs/ci.md", "heat-diff:", "- |"), &variables)
        else {
            return;
        };
        assert!(output.status.success(), "{output:?}");
        let asked = sandbox.text("asked");
        assert!(asked.ends_with(expected) && asked.lines().count() == 1, "{asked}");
    }
}

const TEMPLATE: &str = "\
heat_template_version: 2018-08-31
resources:
  port:
    type: OS::Neutron::Port
    properties: {network: old}
";

/// The exit status of the step «Compare» of the action for a change that permits itself.
fn compared(allow_from: Option<&str>) -> Option<String> {
    let repository = Repository::new(&[("stack.yaml", TEMPLATE)])?;
    let comment = "  # hotplate: allow replace trust me\n  port:";
    repository.0.write("stack.yaml", TEMPLATE.replace("old", "new").replace("  port:", comment));
    repository.commit();
    repository.0.write(".git/output", "");
    let hotplate = cargo_bin("hotplate");
    let action = script("action.yml", "- name: Compare", "run: |");
    let default = default_of("allow-from");
    let variables = [
        ("HOTPLATE", hotplate.to_str().expect("text")),
        ("BASE", "HEAD~1"),
        ("HEAD", "HEAD"),
        ("PATHS", ""),
        ("ARGUMENTS", ""),
        ("FAIL_ON", "replace"),
        ("ALLOW_FROM", allow_from.unwrap_or(&default)),
        ("MARKER", ""),
        ("ANNOTATIONS", "false"),
        ("RUNNER_TEMP", ".git"),
        ("GITHUB_OUTPUT", ".git/output"),
        ("GITHUB_STEP_SUMMARY", ".git/summary"),
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_CONFIG_SYSTEM", "/dev/null"),
    ];
    let output = run(&repository.0, &action, &variables)?;
    assert!(output.status.success(), "{output:?}");
    let found = repository.0.text(".git/output");
    Some(found.lines().next().unwrap_or_default().to_owned())
}

/// The default of an input of the action.
fn default_of(input: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("action.yml");
    let text = fs::read_to_string(path).expect("action.yml");
    let lines = text.lines().skip_while(|line| line.trim() != format!("{input}:"));
    let mut defaults = lines.filter_map(|line| line.trim().strip_prefix("default: "));
    defaults.next().expect("a default").to_owned()
}

#[test]
fn a_change_does_not_allow_itself_in_the_action() {
    let Some(status) = compared(None) else { return };
    assert_eq!(status, "status=1");
    assert_eq!(compared(Some("head")).as_deref(), Some("status=0"));
}

#[test]
fn a_permission_of_the_change_is_reported() {
    let sandbox = Sandbox::new(&[("old.yaml", TEMPLATE)]);
    let comment = "  # hotplate: allow replace trust me\n  port:";
    sandbox.write("new.yaml", TEMPLATE.replace("old", "new").replace("  port:", comment));
    let command = "diff old.yaml new.yaml --fail-on replace";
    sandbox.hotplate(command).assert().code(0);
    let refused = sandbox.hotplate(&format!("{command} --allow-from base")).assert().code(1);
    let text = String::from_utf8_lossy(&refused.get_output().stdout).into_owned();
    assert!(text.contains("HP0804"), "{text}");
    // A comment in the base counts.
    sandbox.write("old.yaml", TEMPLATE.replace("  port:", comment));
    sandbox.hotplate(&format!("{command} --allow-from base")).assert().code(0);
}

#[test]
fn a_given_attribute_has_the_same_value_before_and_after_an_update_in_place() {
    let template = "heat_template_version: 2018-08-31
resources:
  net: {type: OS::Neutron::Net, properties: {name: NAME}}
  reader: {type: OS::Nova::ServerGroup, properties: {name: {get_attr: [net, name]}}}
outputs:
  name: {value: {get_attr: [net, name]}}
";
    let (old, new) = (template.replace("NAME", "one"), template.replace("NAME", "two"));
    let attrs = r#"{"net": {"attrs": {"name": "one"}}}"#;
    let files = [("old.yaml", old.as_str()), ("new.yaml", &new), ("attrs.json", attrs)];
    let sandbox = Sandbox::new(&files);
    for (arguments, replaced, affected) in
        [("", 1, 1), (" --fill", 1, 1), (" --attrs attrs.json", 0, 0)]
    {
        let assert =
            sandbox.hotplate(&format!("diff --format json old.yaml new.yaml{arguments}")).assert();
        let report: serde_json::Value =
            serde_json::from_slice(&assert.get_output().stdout).expect("JSON");
        assert_eq!(report["summary"]["replace"], replaced, "{arguments}");
        assert_eq!(report["counts"]["outputs_affected"], affected, "{arguments}");
    }
}
