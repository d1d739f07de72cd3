//! Cases in which a comparison must never succeed: content that could not be examined, and errors that Heat refuses.

use predicates::prelude::*;
use predicates::str::{contains, starts_with};
use serde_json::Value as Json;

use crate::cli::sandbox::Sandbox;

const OLD: &str = "heat_template_version: 2018-08-31
parameters:
  size: {type: number, default: 2}
resources:
  a: {type: OS::Neutron::Net, properties: {name: x}}
  b: {type: OS::Neutron::Port, properties: {network: {get_resource: a}}}
outputs:
  o: {value: {get_attr: [b, fixed_ips]}}
";

/// A mistake: a part of the valid template, its replacement, and the resource that Heat refuses;
/// `None` if Heat refuses the template as a whole.
const MISTAKES: [(&str, &str, Option<&str>); 10] = [
    ("  size:", "  more: {type: string}\n  size:", None),
    ("default: 2}", "default: 2, constraints: [{range: {min: 5}}]}", None),
    ("default: 2}", "default: two}", None),
    ("outputs:", "other:", None),
    ("name: x}}", "name: x}, depends_on: b}", Some("a")),
    ("[b, fixed_ips]", "[c, fixed_ips]", None),
    ("name: x}", "name: {get_file: gone.sh}}", Some("a")),
    ("name: x}", "name: {get_attr: [b, nothing]}}", Some("a")),
    ("name: x}", "name: {str_split: [x, x, 5]}}", Some("a")),
    ("type: OS::Neutron::Net,", "type: gone.yaml,", Some("a")),
];

fn json(sandbox: &Sandbox, arguments: &str, status: i32) -> Json {
    let assert = sandbox.hotplate(&format!("diff --format json {arguments}")).assert().code(status);
    serde_json::from_slice(&assert.get_output().stdout).expect("JSON")
}

fn impact<'j>(report: &'j Json, name: &str) -> &'j str {
    let mut resources = report["resources"].as_array().expect("resources").iter();
    let resource = resources.find(|it| it["name"] == name).expect(name);
    resource["effective_impact"].as_str().expect("an impact")
}

/// The exit status of a command, and what it prints.
fn output(sandbox: &Sandbox, command: &str) -> (Option<i32>, String) {
    let assert = sandbox.hotplate(command).assert();
    let output = assert.get_output();
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn what_heat_refuses_anew_is_refused_in_every_format() {
    for (from, to, resource) in MISTAKES {
        let new = OLD.replace(from, to);
        assert_ne!(new, OLD, "{from}");
        let sandbox = Sandbox::new(&[("old.yaml", OLD), ("new.yaml", &new)]);
        let report = json(&sandbox, "old.yaml new.yaml", 1);
        let refusals = report["refusals"].as_array().expect("refusals");
        assert!(refusals.iter().any(|it| it["before"] == false), "{to}: {report:#}");
        match resource {
            Some(name) => assert_eq!(impact(&report, name), "refused", "{to}"),
            None => assert_ne!(report["counts"]["refusals"], 0, "{to}"),
        }
        sandbox.hotplate("diff old.yaml new.yaml --fail-on refused").assert().code(1);
        for format in ["junit", "sarif", "github", "gitlab", "zuul", "markdown", "html"] {
            let said = match format {
                "junit" => "<failure",
                "sarif" => "\"error\"",
                "github" => "::error",
                "gitlab" => "\"critical\"",
                "zuul" => "\"level\": \"error\"",
                _ => "refused",
            };
            let either = contains(said).or(contains("Heat refuses")).or(contains("blocker"));
            let command = format!("diff old.yaml new.yaml --format {format}");
            sandbox.hotplate(&command).assert().code(1).stdout(either);
        }
    }
}

#[test]
fn what_heat_refused_before_is_no_news_and_no_peace_with_a_change() {
    for (from, to, _) in &MISTAKES[1..] {
        let both = OLD.replace(from, to);
        let changed = format!("{both}\noutputs: {{of_the_change: {{value: 1}}}}\n");
        let sandbox = Sandbox::new(&[("a.yaml", &both), ("b.yaml", &changed)]);
        sandbox.hotplate("diff a.yaml b.yaml").assert().code(1);
        // What could not be read may differ.
        let status = i32::from(to.contains("gone."));
        sandbox
            .hotplate("diff a.yaml a.yaml")
            .assert()
            .code(status)
            .stdout(contains(if status == 0 { "before and after" } else { "not read" }));
        let report = json(&sandbox, "a.yaml a.yaml", status);
        assert_eq!(report["counts"]["refusals"], 0, "{to}");
        // A file that both sides lack is missing here, and not in the running stack.
        assert_eq!(report["counts"]["refused_before"] == 0, status == 1, "{to}");
        if report["counts"]["unread_files"] == 0 {
            assert_eq!(impact(&report, "b"), "none", "{to}");
        }
    }
}

#[test]
fn a_parameter_without_a_value_is_refused_where_it_is_new_only() {
    let new = OLD.replace("  size:", "  more: {type: string}\n  size:");
    let sandbox = Sandbox::new(&[("old.yaml", OLD), ("new.yaml", &new)]);
    let told = contains("`more` is now required").and(contains("-P more=VALUE"));
    sandbox.hotplate("diff old.yaml new.yaml").assert().code(1).stdout(told);
    let report = json(&sandbox, "old.yaml new.yaml -P more=1 --old-P size=2", 1);
    assert_eq!(report["refusals"], serde_json::json!([]));
    // The running stack has a value that is unknown here.
    sandbox
        .hotplate("diff new.yaml new.yaml")
        .assert()
        .code(0)
        .stdout(starts_with("no differences (2 unchanged)\n"));
    // Removing a default removes the value.
    let gone = OLD.replace("size: {type: number, default: 2}", "size: {type: number}");
    let sandbox = Sandbox::new(&[("old.yaml", OLD), ("new.yaml", &gone)]);
    let told = contains("`size` is now required: it no longer has a default");
    sandbox.hotplate("diff old.yaml new.yaml").assert().code(1).stdout(told);
}

/// A template whose server reads a file, and a resource that depends on the server.
fn reads(file: &str) -> String {
    format!(
        "heat_template_version: 2018-08-31
resources:
  web:
    type: OS::Nova::Server
    properties: {{image: i, flavor: f, networks: [{{network: n}}], user_data: {{get_file: {file}}}}}
  disk:
    type: OS::Cinder::VolumeAttachment
    properties: {{instance_uuid: {{get_resource: web}}, volume_id: v}}
  net: {{type: OS::Neutron::Net}}
"
    )
}

#[test]
fn what_depends_on_a_file_that_is_not_read_is_not_compared() {
    for file in ["/outside/boot.sh", "gone.sh"] {
        let template = reads(file);
        let sandbox = Sandbox::new(&[("a.yaml", &template), ("b.yaml", &template)]);
        for words in ["", "--fail-on replace ", "--allow web "] {
            let report = json(&sandbox, &format!("{words}a.yaml b.yaml"), 1);
            assert_eq!(impact(&report, "web"), "not-compared");
            assert_eq!(impact(&report, "disk"), "not-compared");
            assert_eq!(impact(&report, "net"), "none");
            assert_eq!(report["counts"]["not_compared"], 2);
            assert_eq!(report["counts"]["unread_files"], 1);
        }
        sandbox
            .hotplate("diff a.yaml b.yaml")
            .assert()
            .code(1)
            .stdout(contains("2 as written, but not compared (1 file not read)"));
        let junit = "diff a.yaml b.yaml --fail-on delete --format junit";
        sandbox.hotplate(junit).assert().code(1).stdout(contains("failures=\"2\""));
        let sarif = "diff a.yaml b.yaml --format sarif";
        sandbox.hotplate(sarif).assert().code(1).stdout(contains("impact/not-compared"));
    }
    // A certain impact is kept, and the resource is still counted.
    let (old, new) = (reads("/outside/boot.sh"), reads("/outside/boot.sh"));
    let new = new.replace("image: i", "image: j").replace("get_file: /outside", "get_file: /other");
    let sandbox = Sandbox::new(&[("old.yaml", &old), ("new.yaml", &new)]);
    let report = json(&sandbox, "old.yaml new.yaml --fail-on refused", 1);
    assert_eq!(report["counts"]["unread_files"], 2);
}

const NESTED: &str = "heat_template_version: 2018-08-31
parameters: {name: {type: string, default: x}}
resources:
  s: {type: OS::Neutron::Net, properties: {name: {get_param: name}}}
";

fn nests(template: &str) -> String {
    format!("heat_template_version: 2018-08-31\nresources: {{n: {{type: {template}}}}}\n")
}

#[test]
fn a_nested_template_that_nobody_can_look_into_is_not_empty() {
    let there = nests("in.yaml");
    let broken = "heat_template_version: 2018-08-31\nresources: [\n";
    for (name, text) in [("gone.yaml", None), ("bad.yaml", Some(broken))] {
        let not_there = nests(name);
        let mut files =
            vec![("old.yaml", there.as_str()), ("new.yaml", &not_there), ("in.yaml", NESTED)];
        files.extend(text.map(|text| (name, text)));
        let sandbox = Sandbox::new(&files);
        let report = json(&sandbox, "old.yaml new.yaml", 1);
        assert_eq!(impact(&report, "n"), "refused", "{name}");
        assert_eq!(report["resources"].as_array().map(Vec::len), Some(1), "{name}");
        // The other way round it is the fix.
        let report = json(&sandbox, "new.yaml old.yaml", 1);
        assert_eq!(impact(&report, "n"), "not-compared", "{name}");
        assert_eq!(report["summary"]["create"], 0, "{name}");
    }
    let outside = nests("/outside/in.yaml");
    let sandbox = Sandbox::new(&[("a.yaml", &outside)]);
    assert_eq!(impact(&json(&sandbox, "a.yaml a.yaml", 1), "n"), "not-compared");
}

#[test]
fn what_is_behind_a_url_is_unknown() {
    let at = |version: &str, name: &str| {
        format!(
            "heat_template_version: 2018-08-31\nresources: {{n: {{type: 'http://x.test/{version}/in.yaml', properties: {{name: {name}}}}}}}\n"
        )
    };
    let (one, other, moved) = (at("1", "a"), at("1", "b"), at("2", "a"));
    let sandbox =
        Sandbox::new(&[("one.yaml", &one), ("other.yaml", &other), ("moved.yaml", &moved)]);
    assert_eq!(impact(&json(&sandbox, "one.yaml other.yaml", 1), "n"), "may-replace");
    assert_eq!(impact(&json(&sandbox, "one.yaml moved.yaml", 1), "n"), "may-replace");
    // The content of a URL is not part of the change.
    let report = json(&sandbox, "one.yaml one.yaml", 0);
    assert_eq!(impact(&report, "n"), "none");
    assert_eq!(report["notes"][0]["id"], "not-fetched");
}

#[test]
fn every_resource_shows_itself_and_none_waits_for_itself() {
    let shows = OLD
        .replace("name: x}", "name: x, value_specs: {a: {get_attr: [c, show]}}}")
        .replace("outputs:", "  c: {type: OS::Neutron::Net}\noutputs:");
    let sandbox = Sandbox::new(&[("a.yaml", &shows)]);
    sandbox.hotplate("diff a.yaml a.yaml").assert().code(0);
    let circle = OLD.replace("name: x}}", "name: x}, depends_on: b}");
    let sandbox = Sandbox::new(&[("a.yaml", OLD), ("b.yaml", &circle)]);
    let told = contains("circular dependency between resources: a → b → a");
    sandbox.hotplate("diff a.yaml b.yaml").assert().code(1).stdout(told.clone());
    sandbox.hotplate("eval b.yaml").assert().code(1).stderr(told);
}

/// What nothing maps is treated as equal on both sides, as the content of a URL is, and a note says so.
#[test]
fn a_type_that_nothing_maps_is_the_same_on_both_sides_and_said_to_be_unknown() {
    let template = "heat_template_version: 2018-08-31\nresources:\n  a: {type: Acme::Own}\n";
    let sandbox = Sandbox::new(&[("a.yaml", template), ("b.yaml", template)]);
    for sides in ["a.yaml a.yaml", "a.yaml b.yaml"] {
        let note = contains("no differences").and(contains("nothing maps Acme::Own"));
        sandbox.hotplate(&format!("diff {sides}")).assert().code(0).stdout(note);
        let json = json(&sandbox, sides, 0);
        assert_eq!(json["notes"][0]["id"], "not-mapped");
    }
}

/// Which members a group has is unknown on one side only: none is certainly deleted or created.
#[test]
fn a_group_that_may_lose_any_member_certainly_loses_none() {
    let group = |more: &str| {
        format!(
            "heat_template_version: 2018-08-31\nparameters: {{gone: {{type: string}}}}\nresources:\n  g:\n    type: OS::Heat::ResourceGroup\n    properties:\n      count: 3\n      resource_def: {{type: OS::Cinder::Volume, properties: {{size: 1}}}}\n{more}"
        )
    };
    let unknown = group("      removal_policies: [{resource_list: [{get_param: gone}]}]\n");
    let sandbox = Sandbox::new(&[("known.yaml", group("")), ("unknown.yaml", unknown)]);
    for (sides, impact) in
        [("known.yaml unknown.yaml", "may-delete"), ("unknown.yaml known.yaml", "may-create")]
    {
        let report = json(&sandbox, sides, 1);
        assert_eq!(self::impact(&report, "g/0"), impact, "{sides}");
    }
}

/// Mistakes for which Heat reads no resource of the template.
const UNREADABLE: [(&str, &str); 4] = [
    ("type: number, default", "type: Number, default"),
    ("{type: number", "{Description: x, type: number"),
    ("{type: OS::Neutron::Port", "{DependsOn: a, type: OS::Neutron::Port"),
    ("outputs:", "Outputs:"),
];

#[test]
fn what_is_written_is_compared_even_if_heat_refuses_the_templates() {
    for (from, to) in UNREADABLE {
        let old = OLD.replace(from, to);
        assert_ne!(old, OLD, "{from}");
        let new = old.replace("name: x", "name: y");
        let files = [("old.yaml", old.as_str()), ("new.yaml", &new), ("valid.yaml", OLD)];
        let sandbox = Sandbox::new(&files);
        let report = json(&sandbox, "old.yaml new.yaml", 1);
        assert_eq!(report["compared"], true, "{to}");
        assert_eq!(impact(&report, "a"), "update", "{to}");
        assert_eq!(impact(&report, "b"), "none", "{to}");
        assert_ne!(report["counts"]["refused_before"], 0, "{to}");
        // Nothing differs, and Heat refuses both.
        json(&sandbox, "old.yaml old.yaml", 0);
        // The change repairs the template, or breaks it.
        let command = "diff --format json old.yaml valid.yaml";
        sandbox.hotplate(command).assert().stdout(contains("\"refusals\": 0"));
        let broken = json(&sandbox, "valid.yaml old.yaml", 1);
        let refusals = broken["refusals"].as_array().expect("refusals");
        assert!(refusals.iter().any(|it| it["before"] == false), "{to}: {refusals:?}");
    }
}

#[test]
fn a_change_that_heat_ignores_is_said() {
    let old = "heat_template_version: 2016-10-14
resources:
  monitor: {type: OS::Neutron::HealthMonitor, properties: {delay: 5}}
  adopted: {type: OS::Nova::Server, external_id: one, properties: {flavor: small}}
";
    let new = old.replace("delay: 5", "delay: 9").replace("small", "large");
    let sandbox = Sandbox::new(&[("old.yaml", old), ("new.yaml", &new)]);
    let note = "Heat never updates the resources of these changes: monitor.delay (OS::Neutron::HealthMonitor), adopted.flavor (OS::Nova::Server)";
    for format in ["text", "markdown", "json"] {
        let (code, stdout) = output(&sandbox, &format!("diff old.yaml new.yaml --format {format}"));
        assert_eq!(code, Some(0), "{stdout}");
        let stdout = stdout.replace('`', "");
        let words: Vec<&str> = stdout.split_whitespace().collect();
        assert!(words.join(" ").contains(note), "{stdout}");
    }
}

#[test]
fn a_renamed_stack_is_one_line_with_the_number_of_resources_in_it() {
    let child = "heat_template_version: 2018-08-31
resources: {a: {type: OS::Neutron::Net}, b: {type: OS::Nova::Server, properties: {flavor: f, image: i}}}
";
    let parent = |name: &str| {
        format!("heat_template_version: 2018-08-31\nresources: {{{name}: {{type: child.yaml}}}}\n")
    };
    let (old, new) = (parent("app"), parent("application"));
    let files = [("child.yaml", child), ("old.yaml", &old), ("new.yaml", &new)];
    let sandbox = Sandbox::new(&files);
    let (_, stdout) = output(&sandbox, "diff old.yaml new.yaml");
    assert!(stdout.contains("in the old template only, with 2 resources in it"), "{stdout}");
    assert!(!stdout.contains("app/a") && !stdout.contains("application/b"), "{stdout}");
    assert!(stdout.starts_with("1 server deleted, 1 other deleted"), "{stdout}");
    sandbox.hotplate("diff old.yaml new.yaml --verbose").assert().stdout(contains("app/a"));
}

/// Changes of what Heat refuses and nobody reads: the old text, and what changes in it.
const UNREAD_CHANGES: [(&str, &str, &str); 10] = [
    ("resources: {s: {Type: OS::Nova::Server, Properties: {flavor: a}}}", "flavor: a", "flavor: b"),
    ("resources: {s: {type: OS::Neutron::Net, DependsOn: a}}", "DependsOn: a", "DependsOn: b"),
    ("resources: {s: {type: OS::Neutron::Net, Metadata: {a: 1}}}", "a: 1", "a: 2"),
    ("resources: [s]", "[s]", "[t]"),
    ("resources: {s: [a]}", "[a]", "[b]"),
    ("resources: {s: {type: OS::Neutron::Net, properties: [{name: a}]}}", "name: a", "name: b"),
    ("foo: {a: 1}", "a: 1", "a: 2"),
    ("outputs: {url: {value: one}, ip: {Value: 1}}", "value: one", "value: two"),
    ("outputs: {ip: {Value: 1}}", "Value: 1", "Value: 2"),
    ("parameters: {p: {type: string, Default: x}}", "Default: x", "Default: y"),
];

#[test]
fn what_heat_refuses_and_nobody_reads_is_no_peace() {
    for (text, from, to) in UNREAD_CHANGES {
        let old = format!("heat_template_version: 2018-08-31\n{text}\n");
        let new = old.replace(from, to);
        assert_ne!(old, new, "{text}");
        let sandbox = Sandbox::new(&[("old.yaml", &old), ("new.yaml", &new)]);
        sandbox.hotplate("diff old.yaml old.yaml").assert().code(0);
        for format in ["text", "json", "markdown", "html", "junit", "sarif", "gitlab", "github"] {
            let (code, stdout) =
                output(&sandbox, &format!("diff old.yaml new.yaml --format {format}"));
            assert_eq!(code, Some(1), "{text}: {stdout}");
            let said =
                ["compared without", "not compared", "partly_compared", "\"compared\": false"];
            assert!(said.iter().any(|it| stdout.contains(it)), "{text} {format}: {stdout}");
        }
    }
}

#[test]
fn a_key_that_means_hidden_hides_the_value() {
    for key in ["Hidden", "HIDDEN", "NoEcho"] {
        let text = |value: &str| {
            format!(
                "heat_template_version: 2018-08-31\nparameters: {{p: {{type: string, {key}: true, default: {value}}}}}\n"
            )
        };
        let (old, new) = (text("sesame"), text("sesame2"));
        let sandbox = Sandbox::new(&[("old.yaml", &old), ("new.yaml", &new)]);
        for format in ["text", "json", "markdown", "html"] {
            let command = format!("diff old.yaml new.yaml --verbose --full --format {format}");
            sandbox.hotplate(&command).assert().stdout(contains("sesame").not());
        }
    }
}

/// Functions whose arguments differ while another one is unknown, and what the report shows.
const ARGUMENTS: [(&str, &str, &str); 12] = [
    ("{if: [c, a, b]}", "{if: [c, b, a]}", "if[1] (may differ): a → b"),
    ("{map_merge: [{get_param: j}, {a: 1}]}", "{map_merge: [{a: 1}, {get_param: j}]}", "map_merge"),
    ("{list_concat: [{get_param: l}, [a]]}", "{list_concat: [[a], {get_param: l}]}", "list_concat"),
    ("{list_concat: [{get_param: l}, [a]]}", "{list_concat: [{get_param: l}, [a, b]]}", "+ b"),
    ("{list_join: [',', {get_param: l}, [a]]}", "{list_join: [',', {get_param: l}, [b]]}", "[b]"),
    // One side has the other as a part.
    (
        "{get_param: j}",
        "{map_merge: [{get_param: j}, {a: 1}]}",
        "map_merge[1] (may differ): + {a: 1}",
    ),
    ("{list_concat: [[x], {get_param: l}]}", "{get_param: l}", "list_concat[0]: - [x]"),
    // Later maps win.
    (
        "{map_merge: [{get_param: j}, {a: 1}]}",
        "{map_merge: [{get_param: j}, {a: 2}]}",
        "[1].a: 1 → 2",
    ),
    (
        "{map_merge: [{a: 1}, {get_param: j}]}",
        "{map_merge: [{a: 2}, {get_param: j}]}",
        "(may differ): 1 → 2",
    ),
    (
        "{map_merge: [{get_param: j}, {a: 1}, {b: 1}]}",
        "{map_merge: [{get_param: j}, {a: 2}, {b: 1}]}",
        "[1].a: 1 → 2",
    ),
    (
        "{map_merge: [{get_param: j}, {b: 1}]}",
        "{map_merge: [{get_param: j}, {a: 1, b: 1}]}",
        "(may differ): + 1",
    ),
    ("{map_merge: [{get_param: j}, {a: 1}]}", "{map_merge: [{get_param: j}, {b: 1}]}", "+ 1"),
];

#[test]
fn arguments_that_differ_are_shown() {
    for (old, new, shown) in ARGUMENTS {
        let text = |value: &str| {
            format!(
                "heat_template_version: 2018-08-31\nparameters: {{j: {{type: json}}, l: {{type: comma_delimited_list}}, p: {{type: string}}}}\nconditions: {{c: {{equals: [{{get_param: p}}, x]}}}}\noutputs: {{o: {{value: {value}}}}}\n"
            )
        };
        let (old, new) = (text(old), text(new));
        let sandbox = Sandbox::new(&[("old.yaml", &old), ("new.yaml", &new)]);
        let (_, stdout) = output(&sandbox, "diff old.yaml new.yaml");
        assert!(stdout.contains(shown) && !stdout.contains("the same, but"), "{new}: {stdout}");
    }
}

#[test]
fn who_reads_what_is_missing_on_both_sides_is_not_compared() {
    let text = "heat_template_version: 2018-08-31
resources:
  n: {type: gone.yaml}
  dep: {type: OS::Nova::Server, properties: {flavor: f, image: i, user_data: {get_attr: [n, x]}}}
";
    let sandbox = Sandbox::new(&[("one/t.yaml", text), ("two/t.yaml", text)]);
    let report = json(&sandbox, "one/t.yaml two/t.yaml", 1);
    assert_eq!(impact(&report, "dep"), "not-compared");
    assert!(report["notes"].as_array().expect("notes").iter().all(|it| it["id"] != "old-refused"));
}

#[test]
fn what_is_certain_stays_so_in_whatever_order_the_resources_stand() {
    let definitions = [
        "changed: {type: 'OS::Heat::CloudConfig', properties: {cloud_config: {a: $}}}",
        "unread: {type: gone.yaml}",
        "parts: {type: 'OS::Heat::MultipartMime', properties: {parts: [{config: {get_resource: unread}}, {config: {get_resource: changed}}]}}",
        "web: {type: 'OS::Nova::Server', properties: {flavor: f, image: i, user_data: {get_resource: parts}}}",
        "disk: {type: 'OS::Cinder::VolumeAttachment', properties: {instance_uuid: {get_resource: web}, volume_id: v}}",
    ];
    for first in 0..definitions.len() {
        for step in 1..definitions.len() {
            let order = (0..definitions.len()).map(|at| definitions[(first + at * step) % 5]);
            let order = order.collect::<Vec<_>>().join("\n  ");
            let [old, new] = ["old", "new"].map(|side| {
                let resources = order.replace('$', side);
                format!("heat_template_version: 2018-08-31\nresources:\n  {resources}\n")
            });
            let sandbox = Sandbox::new(&[("a.yaml", &old), ("b.yaml", &new)]);
            let report = json(&sandbox, "a.yaml b.yaml", 1);
            for (name, expected) in [
                ("changed", "replace"),
                ("unread", "not-compared"),
                ("parts", "replace"),
                ("web", "replace"),
                ("disk", "update"),
            ] {
                assert_eq!(impact(&report, name), expected, "{name} of {old}");
            }
        }
    }
}

#[test]
fn what_only_the_text_shows_is_said_so() {
    let template = |version: &str, rest: &str| {
        format!(
            "heat_template_version: {version}\nresources:\n  net: {{type: OS::Neutron::Net}}{rest}\n"
        )
    };
    let old = template("2018-08-31", "");
    for (new, shown) in [
        (old.clone(), "no differences (1 unchanged)"),
        (template("2018-08-31", " # a comment"), "what is written differently is the same to Heat"),
        (
            template("2021-04-16", ""),
            "it is the same to Heat in version 2021-04-16 as in 2018-08-31",
        ),
    ] {
        let sandbox = Sandbox::new(&[("old.yaml", &old), ("new.yaml", &new)]);
        for format in ["text", "markdown"] {
            let words = format!("diff old.yaml new.yaml --format {format}");
            let shown =
                if format == "text" { shown } else { shown.split(" (").next().unwrap_or(shown) };
            let (_, stdout) = output(&sandbox, &words);
            assert!(stdout.to_lowercase().contains(&shown.to_lowercase()), "{new}: {stdout}");
        }
    }
}

#[test]
fn an_output_that_fails_on_both_sides_shows_what_is_rewritten_also_beside_an_alias() {
    let template = |state: &str| {
        format!(
            "heat_template_version: 2018-08-31\noutputs:\n  o:\n    value:\n      fails: {{list_join: [{{}}, [a]]}}\n      one: &a {{tags: [x]}}\n      other: *a\n      state: {state}\n"
        )
    };
    let sandbox =
        Sandbox::new(&[("old.yaml", &template("yes")), ("new.yaml", &template("present"))]);
    let (_, stdout) = output(&sandbox, "diff old.yaml new.yaml");
    assert!(stdout.contains("present") && stdout.contains("state"), "{stdout}");
    assert!(!stdout.contains("tags"), "{stdout}");
}

#[test]
fn an_output_that_is_rewritten_with_the_same_value_is_named_also_beside_what_was_not_read() {
    let template = |value: &str| {
        format!(
            "heat_template_version: 2018-08-31\nparameters: {{p: {{type: boolean, default: false}}}}\nconditions: {{c: {{get_param: p}}}}\noutputs:\n  o: {{value: {{a: {{get_file: gone.sh}}, b: {value}}}}}\n"
        )
    };
    for (new, is_named) in [("{if: [c, y, x]}", true), ("x", false), ("{if: [c, x, y]}", false)] {
        let sandbox = Sandbox::new(&[("old.yaml", &template("x")), ("new.yaml", &template(new))]);
        let (_, stdout) = output(&sandbox, "diff old.yaml new.yaml");
        let note = "written differently, with the same values for these parameters: output o";
        assert_eq!(stdout.contains(note), is_named, "{new}: {stdout}");
    }
}

#[test]
fn an_update_that_may_be_none_is_counted_as_such() {
    let template = |first: &str, second: &str| {
        format!(
            "heat_template_version: 2018-08-31\nparameters: {{a: {{type: string}}, b: {{type: string}}}}\nresources:\n  n: {{type: OS::Neutron::Net, properties: {{name: {first}}}}}\n  m: {{type: OS::Neutron::Net, properties: {{name: {second}}}}}\n"
        )
    };
    for (new, shown) in [
        (template("{get_param: b}", "x"), "1 may be updated in place; 1 unchanged"),
        (template("{get_param: a}", "y"), "1 updated in place; 1 unchanged"),
        (template("{get_param: b}", "y"), "1 updated in place, 1 other may be updated in place"),
        // A stack that is certainly updated is no extra of what may be.
        (
            template("{get_param: b}", "x") + "  s: {type: in.yaml, properties: {p: y}}\n",
            "1 may be updated in place, 1 nested stack updated in place",
        ),
    ] {
        let nested = "heat_template_version: 2018-08-31\nparameters: {p: {type: string}}\n";
        let stack =
            if new.contains("in.yaml") { "  s: {type: in.yaml, properties: {p: x}}\n" } else { "" };
        let old = template("{get_param: a}", "x") + stack;
        let sandbox =
            Sandbox::new(&[("old.yaml", old.as_str()), ("new.yaml", &new), ("in.yaml", nested)]);
        let (_, stdout) = output(&sandbox, "diff old.yaml new.yaml");
        assert!(stdout.starts_with(shown), "{new}: {stdout}");
    }
}
