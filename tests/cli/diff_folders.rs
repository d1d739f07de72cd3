//! `diff` of two folders, and of a template with nothing: which templates are compared, and what is said about the others.

use predicates::prelude::*;
use predicates::str::{contains, is_empty, starts_with};

use crate::cli::git::Repository;
use crate::cli::sandbox::Sandbox;

const HOT: &str = "heat_template_version: 2021-04-16\n";
const NET: &str =
    "heat_template_version: 2021-04-16\nresources: {net: {type: 'OS::Neutron::Net'}}\n";

fn sandbox() -> Sandbox {
    let root = format!("{HOT}resources: {{group: {{type: nested/server.yaml}}}}\n");
    let nested = format!(
        "{HOT}resources:\n  server: {{type: 'OS::Nova::Server', properties: {{image: i, flavor: f, user_data: {{get_file: ../boot.sh}}}}}}\n"
    );
    Sandbox::new(&[
        ("old/root.yaml", root.as_str()),
        ("new/root.yaml", root.as_str()),
        ("old/nested/server.yaml", nested.as_str()),
        ("new/nested/server.yaml", nested.as_str()),
        ("old/boot.sh", "#!/bin/sh\necho one\n"),
        ("new/boot.sh", "#!/bin/sh\necho two\n"),
        ("old/same.yaml", NET),
        ("new/same.yaml", NET),
        ("old/gone.yaml", NET),
        ("new/fresh.yaml", NET),
    ])
}

#[test]
fn folders_are_compared_by_path_with_everything_that_a_file_affects() {
    let sandbox = sandbox();
    sandbox
        .hotplate("diff old new")
        .assert()
        .code(1)
        .stdout(starts_with(
            "1 server replaced in 1 of 1 template; 1 template added (1 resource), 1 removed (1 resource)",
        ))
        .stdout(contains("\nold/root.yaml → new/root.yaml\n"))
        .stdout(contains("+ new/fresh.yaml  1 resource").and(contains("- old/gone.yaml  1 resource")))
        .stdout(contains("same.yaml").not())
        .stdout(contains("\ncompared old with new, "))
        .stderr(is_empty());
    // A slash at the end, and a dot before, change nothing.
    let report = sandbox.json("diff ./old/ new/ --format json", 1);
    assert_eq!(report["verdict"]["parts"][0]["text"], "1 server replaced");
    assert_eq!(report["inputs"]["old"]["folder"], "old");
    assert_eq!(report["inputs"]["changed_files"], 3);
    sandbox
        .hotplate("diff old old")
        .assert()
        .code(0)
        .stdout(starts_with("nothing compared: no file differs\n"));
}

#[test]
fn a_folder_is_no_template() {
    let sandbox = sandbox();
    for pair in ["old new/root.yaml", "old/root.yaml new", "old /dev/null"] {
        let message = "a folder can only be compared with a folder";
        sandbox.hotplate(&format!("diff {pair}")).assert().code(2).stderr(contains(message));
    }
}

#[test]
fn nothing_stands_for_a_new_and_for_a_deleted_template() {
    let open = format!(
        "{HOT}resources: {{group: {{type: 'OS::Neutron::SecurityGroup', properties: {{rules: [{{protocol: tcp, port_range_min: 22, port_range_max: 22, remote_ip_prefix: 0.0.0.0/0}}]}}}}}}\n"
    );
    let sandbox = Sandbox::new(&[("open.yaml", open.as_str())]);
    for pair in ["/dev/null open.yaml", "-N gone.yaml open.yaml", "--new-file gone.yaml open.yaml"]
    {
        // There is no stack that allowed less, so nothing is widened.
        sandbox
            .hotplate(&format!("diff {pair} --fail-on widen"))
            .assert()
            .code(0)
            .stdout(starts_with("1 template added (1 resource)\n").and(contains("widened").not()))
            .stdout(contains("  new      group: tcp 22 from 0.0.0.0/0"))
            .stdout(contains("compared no template with open.yaml (2021-04-16)"));
    }
    sandbox
        .hotplate("diff open.yaml /dev/null")
        .assert()
        .code(0)
        .stdout(starts_with("1 template removed (1 resource)\n"))
        .stdout(contains("no stack is touched by a deleted template file"));
    sandbox.hotplate("diff gone.yaml open.yaml").assert().code(2).stderr(contains("HP0001"));
    let message = "neither an old nor a new template";
    sandbox.hotplate("diff /dev/null /dev/null").assert().code(2).stderr(contains(message));
    sandbox.hotplate("diff -N gone.yaml /dev/null").assert().code(2).stderr(contains(message));
}

#[test]
fn jinja_and_cfn_do_not_end_a_comparison() {
    let jinja = format!(
        "{HOT}resources:\n{{% for it in all %}}\n  {{{{it}}}}: {{type: 'OS::Heat::Value', properties: {{value: 1}}}}\n{{% endfor %}}\n"
    );
    let cfn = "AWSTemplateFormatVersion: '2010-09-09'\nResources:\n  volume: {Type: 'AWS::EC2::Volume', Properties: {Size: 1, AvailabilityZone: a}}\n";
    let hot = format!(
        "{HOT}resources: {{net: {{type: 'OS::Neutron::Net', properties: {{name: one}}}}}}\n"
    );
    let Some(repository) =
        Repository::new(&[("a.j2.yaml", &jinja), ("b.yaml", cfn), ("c.yaml", &hot)])
    else {
        return;
    };
    repository.0.write("a.j2.yaml", jinja.replace("value: 1", "value: 2"));
    repository.0.write("b.yaml", cfn.replace("Size: 1", "Size: 2"));
    repository.0.write("c.yaml", hot.replace("one", "two"));
    repository.commit();
    // The exit status says that something is not compared, whatever `--fail-on` lists.
    repository
        .hotplate("diff --git HEAD~..HEAD --fail-on delete")
        .code(1)
        .stdout(starts_with(
            "1 refused, 1 template not compared, 1 updated in place in 3 of 3 templates\n",
        ))
        .stdout(contains("a.j2.yaml:3:1: error[HP0115]: this is a Jinja2 template"))
        .stdout(contains("Heat refuses a change of `Size` of AWS::EC2::Volume"))
        .stderr(is_empty());
}

/// Folders have other JSON than saved stacks, and files that only begin like JSON.
#[test]
fn a_folder_is_a_saved_stack_only_if_a_file_of_it_is() {
    let json = r#"{"heat_template_version": "2021-04-16", "resources": {"a": {"type": "OS::Heat::None"}}}"#;
    for (name, text) in [
        ("package.json", r#"{"name": "web", "version": "1"}"#),
        ("list.json", r#"[{"id": 1, "name": "x"}]"#),
        ("values.json", r#"{"stack_name": "web", "resources": {"limits": {"cpu": 1}}}"#),
        ("template.json", json),
        ("broken.json", "{\"a\": "),
        ("macro.yaml", "{% macro a() %}\n"),
        ("inline.yaml", "{a: 1}\n"),
    ] {
        let sides = ["old", "new"].map(|side| [format!("{side}/a.yaml"), format!("{side}/{name}")]);
        let files: Vec<(&str, &str)> = sides
            .iter()
            .flat_map(|[template, other]| [(template.as_str(), NET), (other.as_str(), text)])
            .collect();
        let sandbox = Sandbox::new(&files);
        sandbox.hotplate("diff old new").assert().code(0).stderr(contains("error").not());
    }
}

#[test]
fn one_change_in_many_templates_is_one_entry_with_the_list_of_files() {
    let template = |before: usize, image: &str| {
        let comments = "# a comment\n".repeat(before);
        format!(
            "{comments}heat_template_version: 2018-08-31\nresources:\n  s: {{type: OS::Nova::Server, properties: {{image: {image}, flavor: f, networks: [{{network: n}}]}}}}\n"
        )
    };
    let sandbox = Sandbox::new::<&str>(&[]);
    for (at, name) in ["a", "b", "c", "d"].into_iter().enumerate() {
        sandbox.write(format!("old/{name}.yaml"), template(at, "i"));
        // The last one gets another image.
        let image = if name == "d" { "k" } else { "j" };
        sandbox.write(format!("new/{name}.yaml"), template(at, image));
    }
    for (options, names) in [
        ("", "the same in 2 others: old/b.yaml → new/b.yaml, old/c.yaml → new/c.yaml"),
        (
            "--format markdown",
            "the same in 2 others: `old/b.yaml → new/b.yaml`, `old/c.yaml → new/c.yaml`",
        ),
    ] {
        let command = format!("diff old new {options}");
        let output = sandbox.hotplate(command.trim_end()).assert().code(1);
        let text = String::from_utf8(output.get_output().stdout.clone()).expect("UTF-8");
        assert!(text.contains("4 servers rebuilt"), "{text}");
        assert!(text.contains(names), "{text}");
        // Each of the two changes is shown once.
        let count = |values: &str| text.matches(values).count();
        assert_eq!(count("i → j"), count("i → k"), "{text}");
    }
}
