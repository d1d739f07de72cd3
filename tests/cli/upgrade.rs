//! `hotplate upgrade`: the effect of each option on both streams and on the exit status.

use predicates::prelude::*;
use predicates::str::{contains, is_empty, starts_with};

use crate::cli::sandbox::{BLOCKED, NEW, OLD, Sandbox};

/// A template that needs a conditional and an exact rewrite.
const CONDITIONAL: &str = "\
heat_template_version: 2014-10-16
parameters:
  map: {type: json, default: {a: b}}
outputs:
  item: {value: {Fn::Select: [a, {get_param: map}]}}
  sure: {value: {Fn::Select: [0, [a]]}}
";

#[test]
fn one_file_and_no_option_prints_the_new_text() {
    let sandbox = Sandbox::new(&[("a.yaml", OLD)]);
    sandbox.hotplate("upgrade a.yaml").assert().code(0).stdout(NEW).stderr(is_empty());
    assert_eq!(sandbox.text("a.yaml"), OLD);
}

#[test]
fn a_text_of_the_target_version_is_printed_as_it_is() {
    let sandbox = Sandbox::new(&[("a.yaml", NEW)]);
    sandbox.hotplate("upgrade a.yaml").assert().code(0).stdout(NEW).stderr(is_empty());
}

#[test]
fn several_files_need_an_option() {
    let sandbox = Sandbox::new(&[("a.yaml", OLD), ("lib/b.yaml", OLD)]);
    for paths in ["a.yaml lib/b.yaml", "lib", "."] {
        sandbox.hotplate(&format!("upgrade {paths}")).assert().code(2).stdout(is_empty()).stderr(
            "error: the new text of one file goes to standard output; for folders and many files \
             choose `--write`, `--diff` or `--check`\n",
        );
    }
}

#[test]
fn standard_input() {
    let sandbox = Sandbox::new::<&str>(&[]);
    sandbox.hotplate("upgrade -").write_stdin(OLD).assert().code(0).stdout(NEW).stderr(is_empty());
    sandbox
        .hotplate("upgrade --check - -")
        .write_stdin(OLD)
        .assert()
        .code(1)
        .stdout("<stdin>: rewritten, 2013-05-23 -> 2021-04-16\n");
    sandbox.hotplate("upgrade --diff -").write_stdin(NEW).assert().code(0).stdout(is_empty());
    sandbox
        .hotplate("upgrade -")
        .write_stdin("a: [")
        .assert()
        .code(2)
        .stdout(is_empty())
        .stderr(contains(" --> <stdin>:1:5\n"));
    sandbox
        .hotplate("upgrade -")
        .write_stdin("")
        .assert()
        .code(2)
        .stdout(is_empty())
        .stderr(contains("error[HP0007]: `<stdin>` is empty\n"));
    sandbox
        .hotplate("upgrade --write -")
        .write_stdin(OLD)
        .assert()
        .code(2)
        .stdout(is_empty())
        .stderr("error: `--write` needs a file and cannot be used with standard input\n");
}

#[test]
fn check_tells_and_changes_nothing() {
    let sandbox = Sandbox::new(&[("a.yaml", OLD), ("b.yaml", NEW)]);
    sandbox
        .hotplate("upgrade --check .")
        .assert()
        .code(1)
        .stdout(is_empty())
        .stderr("2 files: 1 to upgrade (1 rewritten), 1 unchanged\n`--verbose` lists 1 file\n");
    sandbox
        .hotplate("upgrade --check --verbose .")
        .assert()
        .code(1)
        .stdout("a.yaml: rewritten, 2013-05-23 -> 2021-04-16\n")
        .stderr(contains("b.yaml: unchanged\n"));
    sandbox
        .hotplate("upgrade --check b.yaml")
        .assert()
        .code(0)
        .stdout(is_empty())
        .stderr("1 file: 1 unchanged\n");
    assert_eq!((sandbox.text("a.yaml"), sandbox.text("b.yaml")), (OLD.into(), NEW.into()));
}

#[test]
fn diff_is_unified_and_changes_nothing() {
    let sandbox = Sandbox::new(&[("a.yaml", OLD), ("b.yaml", NEW)]);
    let diff = "\
--- a/a.yaml
+++ b/a.yaml
@@ -1,3 +1,3 @@
-heat_template_version: 2013-05-23
+heat_template_version: 2021-04-16
 outputs:
-  name: {value: {Fn::Join: ['-', [a, b]]}}  # kept
+  name: {value: {list_join: ['-', [a, b]]}}  # kept
";
    sandbox
        .hotplate("upgrade --diff .")
        .assert()
        .code(0)
        .stdout(diff)
        .stderr("2 files: 1 to upgrade (1 rewritten), 1 unchanged\n");
    let red = contains("\u{1b}[31m-heat_template_version: 2013-05-23\u{1b}[0m\n");
    sandbox.hotplate("upgrade --diff --color always .").assert().code(0).stdout(red);
    assert_eq!(sandbox.text("a.yaml"), OLD);
}

#[test]
fn a_diff_keeps_the_bytes_of_its_lines() {
    let diff = |old: String| {
        let sandbox = Sandbox::new(&[("a.yaml", old)]);
        let output =
            sandbox.hotplate("upgrade --diff a.yaml").assert().code(0).get_output().clone();
        String::from_utf8(output.stdout).expect("text")
    };
    let crlf = diff(OLD.replace('\n', "\r\n"));
    assert!(crlf.contains("\n+heat_template_version: 2021-04-16\r\n outputs:\r\n-"), "{crlf:?}");
    let open = diff(OLD.trim_end().to_owned());
    assert!(open.ends_with("# kept\n\\ No newline at end of file\n"), "{open:?}");
    // For `patch`, a text without line feeds is one line.
    let cr = diff(OLD.replace('\n', "\r"));
    assert!(cr.contains("\n@@ -1 +1 @@\n-heat_template_version: 2013-05-23\routputs:\r"), "{cr:?}");
    assert!(cr.ends_with("# kept\r\n\\ No newline at end of file\n"), "{cr:?}");
    let json = r#"{"heat_template_version": "2013-05-23", "description": "DEL"}"#;
    let kept = diff(json.replace("DEL", "\u{7f}"));
    assert!(kept.contains("2021-04-16\", \"description\": \"\u{7f}\"}"), "{kept:?}");
}

#[test]
fn the_target_is_a_date_a_name_or_latest() {
    let sandbox = Sandbox::new(&[("a.yaml", OLD)]);
    for (to, written) in [
        ("2016-10-14", "2016-10-14"),
        ("newton", "2016-10-14"),
        ("Queens", "2018-03-02"),
        ("latest", "2021-04-16"),
        ("LATEST", "2021-04-16"),
    ] {
        let new = NEW.replace("2021-04-16", written);
        sandbox.hotplate(&format!("upgrade --to {to} a.yaml")).assert().code(0).stdout(new);
    }
    for (to, proposal) in [
        ("2018-08-32", "; did you mean `2018-08-31`?"),
        ("quens", "; did you mean `queens`?"),
        ("2024", "; did you mean `2024.1 Caracal` or `2024.2 Dalmatian`?"),
        ("essex", ""),
    ] {
        sandbox
            .hotplate(&format!("upgrade --to {to} a.yaml"))
            .assert()
            .code(2)
            .stdout(is_empty())
            .stderr(format!(
                "error: invalid value '{to}' for '--to <VERSION>': no version or release has this name{proposal}\n\
                 `hotplate versions --list` lists all versions and releases\n\
                 `openstack orchestration template version list` lists those of your cloud\n\n\
                 For more information, try '--help'.\n"
            ));
    }
}

#[test]
fn the_target_is_a_release_of_openstack() {
    let sandbox = Sandbox::new(&[("a.yaml", OLD)]);
    for (to, written) in [
        ("icehouse", "2013-05-23"),
        ("kilo", "2015-04-30"),
        ("Juno", "2014-10-16"),
        ("stein", "2018-08-31"),
        ("antelope", "2021-04-16"),
        ("2024.1", "2021-04-16"),
        ("2024.1-Caracal", "2021-04-16"),
    ] {
        let report = sandbox.json(&format!("upgrade --format json --to {to} a.yaml"), 0);
        assert_eq!(report["files"][0]["to"], written, "{to}");
    }
}

#[test]
fn a_file_may_go_to_an_older_version() {
    let sandbox = Sandbox::new(&[("a.yaml", NEW)]);
    let older = NEW.replace("2021-04-16", "2015-10-15");
    sandbox.hotplate("upgrade --to 2015-10-15 a.yaml").assert().code(0).stdout(older);
}

#[test]
fn the_version_is_written_in_the_style_asked_for() {
    let named = OLD.replace("2013-05-23", "newton").replace("Fn::Join", "list_join");
    let sandbox = Sandbox::new(&[("date.yaml", OLD), ("name.yaml", &named)]);
    for (arguments, version) in [
        ("date.yaml", "2021-04-16"),
        ("date.yaml --version-style date", "2021-04-16"),
        ("date.yaml --version-style name", "wallaby"),
        ("date.yaml --version-style name --to 2016-04-08", "2016-04-08"),
        ("name.yaml", "wallaby"),
        ("name.yaml --version-style date", "2021-04-16"),
        ("name.yaml --version-style name", "wallaby"),
        ("name.yaml --version-style date --to newton", "2016-10-14"),
    ] {
        let new = NEW.replace("2021-04-16", version);
        sandbox.hotplate(&format!("upgrade {arguments}")).assert().code(0).stdout(new);
    }
    sandbox
        .hotplate("upgrade --version-style nam date.yaml")
        .assert()
        .code(2)
        .stderr(contains("invalid value 'nam' for '--version-style <STYLE>'"));
}

#[test]
fn exact_only_holds_conditional_rewrites_back() {
    let sandbox = Sandbox::new(&[("a.yaml", CONDITIONAL)]);
    sandbox
        .hotplate("upgrade --exact-only --write a.yaml")
        .assert()
        .code(1)
        .stdout(is_empty())
        .stderr(contains("error[HP0405]: the same only if ").and(contains(" --> a.yaml:5:17\n")))
        .stderr(starts_with("1 file: 1 blocked\n"));
    assert_eq!(sandbox.text("a.yaml"), CONDITIONAL);
    sandbox
        .hotplate("upgrade --write a.yaml")
        .assert()
        .code(0)
        .stderr(contains("warning[HP0402]: ").and(contains(" --> a.yaml:5:17\n")));
    assert!(sandbox.text("a.yaml").contains("item: {value: {get_param: [map, a]}}"));
}

#[test]
fn rules_are_selected_and_ignored() {
    let sandbox = Sandbox::new(&[("a.yaml", OLD)]);
    for arguments in
        ["--select join", "--select join,ref", "--select ref --select join", "--ignore ref"]
    {
        sandbox.hotplate(&format!("upgrade a.yaml {arguments}")).assert().code(0).stdout(NEW);
    }
    for arguments in ["--select ref", "--ignore join", "--select join --ignore join"] {
        sandbox
            .hotplate(&format!("upgrade a.yaml {arguments}"))
            .assert()
            .code(1)
            .stdout(is_empty())
            .stderr(contains("error[HP0405]: the rule `join` is not selected\n"))
            .stderr(contains(" --> a.yaml:3:17\n"));
    }
    for option in ["--select", "--ignore"] {
        let command = |rule| sandbox.hotplate(&format!("upgrade a.yaml {option} {rule}"));
        command("joim")
            .assert()
            .code(2)
            .stdout(is_empty())
            .stderr(contains("there is no rule `joim`; did you mean `join`?\n"));
        command("nonsense")
            .assert()
            .code(2)
            .stderr(contains("there is no rule `nonsense`; `hotplate rules` lists them\n"));
    }
}

#[test]
fn options_that_exclude_each_other() {
    let sandbox = Sandbox::new(&[("a.yaml", OLD)]);
    for (one, other) in [
        ("--write", "--diff"),
        ("--write", "--check"),
        ("--diff", "--check"),
        ("--quiet", "--verbose"),
    ] {
        sandbox
            .hotplate(&format!("upgrade a.yaml {one} {other}"))
            .assert()
            .code(2)
            .stdout(is_empty())
            .stderr(contains("cannot be used with"));
    }
    assert_eq!(sandbox.text("a.yaml"), OLD);
}

#[test]
fn what_is_blocked_stays_as_it_was() {
    let sandbox = Sandbox::new(&[("a.yaml", BLOCKED), ("b.yaml", OLD)]);
    let said = || {
        contains("error[HP0401]: `Fn::Select` parses this parameter as JSON")
            .and(contains("a.yaml:6:16\n"))
            .and(contains("help: make the parameter a `comma_delimited_list` or `json`\n"))
    };
    for command in ["upgrade", "upgrade --check", "upgrade --diff"] {
        let command = format!("{command} a.yaml");
        sandbox.hotplate(&command).assert().code(1).stdout(is_empty()).stderr(said());
    }
    sandbox
        .hotplate("upgrade --write .")
        .assert()
        .code(1)
        .stdout(is_empty())
        .stderr(said().and(starts_with("2 files: 1 upgraded (1 rewritten), 1 blocked\n")));
    assert_eq!((sandbox.text("a.yaml"), sandbox.text("b.yaml")), (BLOCKED.into(), NEW.into()));
}

#[test]
fn the_highest_status_of_all_files_wins() {
    let sandbox = Sandbox::new(&[("a.yaml", BLOCKED), ("b.yaml", OLD), ("c.yaml", "a: [")]);
    sandbox.hotplate("upgrade --diff b.yaml").assert().code(0);
    sandbox.hotplate("upgrade --diff b.yaml a.yaml").assert().code(1);
    sandbox.hotplate("upgrade --diff c.yaml b.yaml a.yaml").assert().code(2);
}

#[test]
fn a_second_run_changes_nothing() {
    let sandbox = Sandbox::new(&[("a.yaml", OLD), ("b.yaml", CONDITIONAL)]);
    sandbox.hotplate("upgrade --write .").assert().code(0);
    let first = (sandbox.text("a.yaml"), sandbox.text("b.yaml"));
    sandbox.hotplate("upgrade --write .").assert().code(0).stderr("2 files: 2 unchanged\n");
    sandbox.hotplate("upgrade --check .").assert().code(0).stdout(is_empty());
    assert_eq!((sandbox.text("a.yaml"), sandbox.text("b.yaml")), first);
}

#[test]
fn quiet_says_errors_only() {
    let sandbox = Sandbox::new(&[("a.yaml", CONDITIONAL), ("b.yaml", BLOCKED)]);
    sandbox.hotplate("upgrade -q a.yaml").assert().code(0).stderr(is_empty());
    sandbox
        .hotplate("upgrade -q --check a.yaml")
        .assert()
        .code(1)
        .stdout("a.yaml: conditional, 2014-10-16 -> 2021-04-16\n")
        .stderr(is_empty());
    sandbox
        .hotplate("upgrade -q b.yaml")
        .assert()
        .code(1)
        .stdout(is_empty())
        .stderr(contains("error[HP0401]: ").and(contains("blocked").not()));
}

#[test]
fn verbose_says_every_rewrite() {
    let sandbox = Sandbox::new(&[("a.yaml", OLD)]);
    sandbox.hotplate("upgrade -v a.yaml").assert().code(0).stdout(NEW).stderr(
        "a.yaml:1:24: version 2013-05-23 -> 2021-04-16\na.yaml:3:18: join Fn::Join -> list_join\n",
    );
}

/// Heat refuses the section in every version.
const INVALID: &str = "heat_template_version: 2015-04-30\nresource: {}\n";

/// A name that nothing declares, a default against its constraint, a cycle.
const REFUSED_ALONE: &str = "\
heat_template_version: 2013-05-23
parameters:
  size: {type: number, default: 900, constraints: [{range: {max: 500}}]}
resources:
  a: {type: OS::Heat::Value, properties: {value: {get_param: siz}}, depends_on: b}
  c: {type: OS::Heat::Value, properties: {value: {get_resource: d}}}
  d: {type: OS::Heat::Value, properties: {value: {get_resource: c}}}
";

#[test]
fn what_every_version_refuses_is_invalid() {
    let sandbox = Sandbox::new(&[("a.yaml", REFUSED_ALONE)]);
    let codes = ["HP0605", "HP0701", "HP0708", "HP0707"];
    for arguments in ["upgrade a.yaml", "upgrade a.yaml --to declared", "upgrade a.yaml --write"] {
        let shown = sandbox.hotplate(arguments).assert().code(1).stdout(is_empty());
        let shown = shown.stderr(contains("Heat refuses the template in 2013-05-23"));
        codes.iter().fold(shown, |shown, code| shown.stderr(contains(*code)));
    }
    assert_eq!(sandbox.text("a.yaml"), REFUSED_ALONE);
    sandbox
        .hotplate("versions a.yaml")
        .assert()
        .code(1)
        .stdout(contains("a.yaml: invalid: declares 2013-05-23, accepted by no version\n"));
}

#[test]
fn a_mistake_in_what_a_condition_leaves_out_is_not_invalid() {
    let text = "\
heat_template_version: 2016-10-14
parameters: {stage: {type: string, default: prod}}
conditions: {dev: {equals: [{get_param: stage}, dev]}, same: {equals: [a, b]}}
resources:
  a: {type: OS::Heat::Value, properties: {value: {if: [dev, {list_join: [1]}, good]}}}
  b: {type: OS::Heat::Value, properties: {value: {if: [dev, {get_param: nothing}, &b {k: v}]}}}
  c: {type: OS::Heat::Value, properties: {value: {if: [dev, {get_attr: [nothing, x]}, *b]}}}
  d: {type: OS::Heat::Value, condition: dev, properties: {value: {get_resource: nothing}}}
  e: {type: OS::Heat::None, condition: dev, depends_on: nothing}
  f: {type: OS::Heat::None, condition: dev, depends_on: g}
  g: {type: OS::Heat::None, condition: dev, depends_on: f}
outputs:
  o: {condition: dev, value: {get_attr: [nothing, x]}}
";
    let sandbox = Sandbox::new(&[("a.yaml", text)]);
    sandbox.hotplate("upgrade a.yaml").assert().code(0).stderr(contains("error[").not());
    sandbox.hotplate("render a.yaml -t json").assert().code(0).stderr(contains("error[").not());
    // A condition that is the same with all values of the parameters decides.
    let decided =
        [("{if: [dev, {get_param: nothing}", "HP0701"), ("condition: dev, depends_on", "HP0708")];
    for (part, code) in decided {
        let text = text.replace(part, &part.replace("dev", "same")).replace("[a, b]", "[a, a]");
        let sandbox = Sandbox::new(&[("a.yaml", &text)]);
        sandbox.hotplate("upgrade a.yaml").assert().code(1).stderr(contains(code));
    }
}

#[test]
fn what_depends_on_the_deployment_is_not_invalid() {
    // An environment may map the type, give another value, or nest the template.
    let text = "\
heat_template_version: 2013-05-23
parameters:
  flag: {type: boolean, default: false}
  item: {type: string, default: x}
resources:
  server: {type: OS::Nova::Server, properties: {no_such_property: {get_file: missing.sh}}}
outputs:
  attribute: {value: {get_attr: [server, no_such_attribute]}}
  facade: {value: {resource_facade: metadata}}
  name: {value: {get_param: 'OS::stack_name'}}
";
    let sandbox = Sandbox::new(&[("a.yaml", text)]);
    sandbox.hotplate("upgrade a.yaml").assert().code(0);
    sandbox.hotplate("versions a.yaml").assert().code(0);
    // The text that the tags of Jinja2 hide may declare the names.
    let view = "heat_template_version: 2013-05-23\n{% include 'parameters' %}\noutputs: {o: {value: {get_param: p}}}\n";
    let sandbox = Sandbox::new(&[("a.j2.yaml", view)]);
    sandbox.hotplate("upgrade a.j2.yaml").assert().code(0);
    sandbox.hotplate("versions a.j2.yaml").assert().code(0);
}

#[test]
fn what_heat_refuses_in_both_versions_is_invalid() {
    for text in [INVALID.to_owned(), INVALID.replace("2015-04-30", "2021-04-16")] {
        let sandbox = Sandbox::new(&[("a.yaml", &text)]);
        for command in ["upgrade", "upgrade --check", "upgrade --diff", "upgrade --write"] {
            sandbox
                .hotplate(&format!("{command} a.yaml"))
                .assert()
                .code(1)
                .stdout(is_empty())
                .stderr(contains("error[HP0206]: `resource` is").and(contains("--> a.yaml:2:1\n")))
                .stderr(contains("fix the template first\n"));
        }
        assert_eq!(sandbox.text("a.yaml"), text);
        let report = sandbox.json("upgrade --format json .", 1);
        assert_eq!(report["files"][0]["status"], "invalid");
    }
}

#[test]
fn the_summary_of_a_folder_adds_up_and_then_comes_what_needs_a_person() {
    let date = "heat_template_version: 2015-04-30\noutputs: {o: {value: 1}}\n";
    let sandbox = Sandbox::new(&[
        ("blocked.yaml", BLOCKED),
        ("broken.yaml", "heat_template_version: 2015-04-30\na: ["),
        ("conditional.yaml", CONDITIONAL),
        ("date.yaml", date),
        ("env.yaml", "parameters: {}\n"),
        ("invalid.yaml", INVALID),
        ("new.yaml", NEW),
        ("old.yaml", OLD),
        ("old2.yaml", OLD),
    ]);
    let summary = "9 files: 4 to upgrade (1 date only, 2 rewritten, 1 conditional), 1 unchanged, 1 blocked, \
                   1 invalid (refused by Heat), 1 unreadable, 1 not a HOT template (skipped)\n";
    let brief = sandbox.hotplate("upgrade --check .").assert().code(2).stdout(is_empty());
    let person = contains("--> blocked.yaml:")
        .and(contains("--> broken.yaml:"))
        .and(contains("--> conditional.yaml:"))
        .and(contains("--> invalid.yaml:"));
    let others = contains("date.yaml").or(contains("old.yaml")).or(contains("env.yaml"));
    brief
        .stderr(starts_with(summary).and(person).and(others.not()))
        .stderr(predicates::str::ends_with("`--verbose` lists 4 files\n"));
    let all = sandbox.hotplate("upgrade --check --verbose .").assert().code(2);
    all.stdout(
        "conditional.yaml: conditional, 2014-10-16 -> 2021-04-16\n\
         date.yaml: date only, 2015-04-30 -> 2021-04-16\n\
         old.yaml: rewritten, 2013-05-23 -> 2021-04-16\n\
         old2.yaml: rewritten, 2013-05-23 -> 2021-04-16\n",
    )
    .stderr(contains("env.yaml: not a HOT template (skipped)\n"))
    .stderr(contains("new.yaml: unchanged\n").and(contains("invalid.yaml: invalid (refused")));
    let report = sandbox.json("upgrade --check --format json .", 2);
    let counts = report["summary"].as_object().expect("counts").values();
    assert_eq!(counts.map(|count| count.as_u64().expect("a count")).sum::<u64>(), 9);
    sandbox.hotplate("upgrade --check --statistics .").assert().code(2).stdout(
        "rewrites  conditional  files  blocked  rule\n\
        \x20      4            0      4        0  version\n\
        \x20      2            1      1        1  select\n\
        \x20      2            0      2        0  join\n",
    );
}
