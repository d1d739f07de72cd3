//! The reports of one run of `diff`: several formats at once, what goes to standard error, and the width of text.

use predicates::prelude::*;
use predicates::str::{contains, is_empty, starts_with};

use crate::cli::sandbox::Sandbox;

const OLD: &str = "\
heat_template_version: 2021-04-16
resources:
  port: {type: 'OS::Neutron::Port', properties: {network: old}}
  server: {type: 'OS::Nova::Server', properties: {image: i, flavor: f, user_data: {str_replace: {template: host, params: {host: {get_attr: [port, fixed_ips, 0, ip_address]}}}}}}
  attachment: {type: 'OS::Cinder::VolumeAttachment', properties: {instance_uuid: {get_resource: server}, volume_id: v}}
";

fn sandbox() -> Sandbox {
    Sandbox::new(&[("old.yaml", OLD), ("new.yaml", &OLD.replace("network: old", "network: new"))])
}

#[test]
fn one_run_writes_several_formats() {
    let sandbox = sandbox();
    let output = |format: &str| {
        let command =
            sandbox.hotplate(&format!("diff old.yaml new.yaml --format {format}")).assert();
        String::from_utf8(command.get_output().stdout.clone()).expect("text")
    };
    sandbox
        .hotplate("diff old.yaml new.yaml -o json=a.json -o markdown=a.md --output html=a.html --fail-on delete")
        .assert()
        .code(0)
        .stdout(output("text"))
        .stderr(starts_with("passed, but uncertain: server ("));
    for (format, file) in [("json", "a.json"), ("markdown", "a.md"), ("html", "a.html")] {
        assert_eq!(sandbox.text(file), output(format), "{format}");
    }
    // The files of a report in color have none.
    sandbox.hotplate("diff old.yaml new.yaml --color always -o text=a.txt").assert().code(1);
    assert_eq!(sandbox.text("a.txt"), output("text"));
}

#[test]
fn an_option_without_effect_is_named() {
    let sandbox = sandbox();
    let run = |options: &str| {
        let links = "--link-base https://forge.example/blob/main/";
        sandbox
            .hotplate(format!("diff old.yaml new.yaml {links} {options}").trim_end())
            .assert()
            .code(1)
    };
    for options in ["", "--format markdown", "--stat"] {
        run(options).stderr(contains("--link-base has no effect: only the format html has links"));
    }
    run("--format html").stderr(is_empty());
    run("-o html=a.html").stderr(is_empty());
}

#[test]
fn every_format_for_people_shows_whole_values_on_request() {
    let long = "x".repeat(200);
    let sandbox = Sandbox::new(&[
        ("old.yaml", OLD.to_owned()),
        ("new.yaml", OLD.replace("network: old", &format!("network: {long}"))),
    ]);
    for format in ["text", "markdown", "html"] {
        // The page shows the line of the template as well.
        let count = |options: &str| {
            let command = format!("diff old.yaml new.yaml --format {format}{options}");
            let output = sandbox.hotplate(&command).assert().code(1).get_output().clone();
            String::from_utf8_lossy(&output.stdout).matches(&long).count()
        };
        assert!(count(" --full") > count(""), "{format}");
    }
}

#[test]
fn a_file_that_cannot_be_written_ends_the_run() {
    let sandbox = sandbox();
    for (options, message) in [
        ("-o json=a -o html=a", "two reports cannot go to one file: `a`"),
        ("-o json=no/such/folder/a", "no/such/folder/a"),
        ("-o yaml=a", "`yaml` is not a format: text, json, markdown, "),
        ("-o json", "expected FORMAT=FILE"),
        ("-o json=-", "`--format` chooses what goes to standard output"),
    ] {
        let command = format!("diff old.yaml new.yaml {options}");
        sandbox.hotplate(&command).assert().code(2).stderr(contains(message));
        assert_eq!(sandbox.names(), ["new.yaml", "old.yaml"], "{options}");
    }
}

#[test]
fn a_cause_has_one_annotation() {
    let output = sandbox().hotplate("diff old.yaml new.yaml --format github").assert().code(1);
    let text = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 2, "{text}");
    assert!(
        lines[0].starts_with("::notice title=hotplate diff::1 server may be replaced, "),
        "{text}"
    );
    assert!(lines[1].starts_with("::error file=new.yaml,line=3"), "{text}");
    assert!(lines[1].contains("title=port is replaced%2C and 2 more because of it::"), "{text}");
    assert!(
        lines[1].ends_with("because of it: server may be replaced, attachment is updated in place"),
        "{text}"
    );
}

#[test]
fn findings_are_not_said_twice_and_take_no_more_lines_than_the_report() {
    let many: String = (0..9)
        .map(|at| {
            format!("  v{at}: {{type: 'OS::Heat::Value', properties: {{value: 1, value: 2}}}}\n")
        })
        .collect();
    let sandbox = sandbox();
    sandbox.write("new.yaml", OLD.replace("network: old", "network: new") + &many);
    for format in ["text", "json", "markdown", "html", "github", "gitlab", "zuul", "sarif"] {
        let command = format!("diff old.yaml new.yaml --format {format}");
        sandbox
            .hotplate(&command)
            .assert()
            .code(1)
            .stdout(contains("duplicate key"))
            .stderr(is_empty());
    }
    let output = sandbox.hotplate("diff old.yaml new.yaml --name-only").assert().code(1);
    let lines = |bytes: &[u8]| String::from_utf8_lossy(bytes).lines().count();
    let output = output.get_output();
    assert!(lines(&output.stderr) <= lines(&output.stdout), "{output:?}");
    // What cannot be compared says why on standard error, since the command fails.
    sandbox.write("new.yaml", "heat_template_version: 2021-04-16\nresources: [\n");
    let failed = sandbox.hotplate("diff old.yaml new.yaml --format json").assert().code(2);
    failed
        .stdout(contains("\"compared\": false"))
        .stderr(contains("error[").and(contains("new.yaml")));
}

#[test]
fn scripts_are_one_line_of_the_security_changes() {
    let template = |text: &str| {
        let server = |name: &str| {
            format!(
                "  {name}: {{type: 'OS::Nova::Server', properties: {{image: i, flavor: f, user_data: {text}}}}}\n"
            )
        };
        format!("heat_template_version: 2021-04-16\nresources:\n{}{}", server("one"), server("two"))
    };
    let sandbox = Sandbox::new(&[("old.yaml", template("a")), ("new.yaml", template("b"))]);
    let line = "changed  the scripts and configurations of 2 resources change: one, two\n";
    sandbox
        .hotplate("diff old.yaml new.yaml")
        .assert()
        .code(1)
        .stdout(contains(line).and(contains("the user_data changes").not()));
}

const TAGGED: &str = "\
heat_template_version: 2021-04-16
resources:
  web: {type: 'OS::Nova::Server', properties: {image: i, flavor: f, networks: [{network: n}], metadata: {build: 1}, tags: [a]}}
  db: {type: 'OS::Nova::Server', properties: {image: i, flavor: f, networks: [{network: n}], metadata: {build: 1}, key_name: k}}
";

/// The build differs on both servers; of one the tags, of the other the key, too.
fn rebuilt() -> Sandbox {
    let new = TAGGED
        .replace("build: 1", "build: 2")
        .replace("[a]", "[b]")
        .replace("key_name: k", "key_name: l");
    Sandbox::new(&[("old.yaml", TAGGED), ("new.yaml", &new)])
}

#[test]
fn a_property_is_hidden_and_counted() {
    let sandbox = rebuilt();
    let run = |options: &str| {
        let output = sandbox
            .hotplate(format!("diff old.yaml new.yaml {options}").trim_end())
            .assert()
            .code(1);
        String::from_utf8(output.get_output().stdout.clone()).expect("UTF-8")
    };
    let hidden = run("--hide OS::Nova::Server.metadata");
    assert!(!hidden.contains("metadata:") && hidden.contains("tags"), "{hidden}");
    assert!(hidden.contains("differences hidden: 2 of OS::Nova::Server.metadata"), "{hidden}");
    // A resource without other differences is counted, and stays in the first line.
    let both = "--hide OS::Nova::Server.metadata --hide OS::Nova::Server.tags";
    let (first, shown) = (run("").lines().next().unwrap_or_default().to_owned(), run(both));
    assert_eq!(shown.lines().next(), Some(&*first));
    assert!(shown.contains("1 resource has no others and is not listed"), "{shown}");
    for format in [
        "--stat",
        "--name-only",
        "--format markdown",
        "--format html",
        "--format sarif",
        "--format github",
    ] {
        let (all, fewer) = (run(format), run(&format!("{format} {both}")));
        // The style of a page has the word.
        let name = if format.ends_with("html") { "<h4>web<" } else { "web" };
        assert!(all.contains(name) && !fewer.contains(name), "{format}: {fewer}");
    }
    // What replaces a server is shown, whatever is hidden.
    assert!(run("--hide OS::Nova::Server.key_name").contains("key_name"));
    let refused = sandbox.hotplate("diff old.yaml new.yaml --hide metadata").assert().code(2);
    refused.stderr(contains("name a type and its property: `TYPE.PROPERTY`"));
    sandbox.write(
        "hotplate.toml",
        "[diff]\nhide = ['OS::Nova::Server.metadata', 'OS::Nova::Server.tags']\n",
    );
    assert_eq!(run(""), shown);
}
