//! Files that are not text, not YAML, or not templates: each command reports what is wrong and where, and
//! changes nothing.

use predicates::prelude::*;
use predicates::str::{contains, is_empty};

use crate::cli::sandbox::{NEW, OLD, Sandbox};

/// One way to call each command that reads templates.
const COMMANDS: [&str; 8] = [
    "upgrade",
    "upgrade --check",
    "upgrade --diff",
    "upgrade --write",
    "versions",
    "ir",
    "render --target json",
    "render --target yaml",
];

/// Asserts that every command refuses a file with these bytes, with the texts `said` on standard error.
fn refused(bytes: impl AsRef<[u8]>, said: &[&str]) {
    refused_by(&COMMANDS, "bad.yaml", bytes.as_ref(), said);
}

fn refused_by(commands: &[&str], name: &str, bytes: &[u8], said: &[&str]) {
    let sandbox = Sandbox::new(&[(name, bytes)]);
    for command in commands {
        let assert = sandbox.hotplate(&format!("{command} {name}")).assert();
        let output = assert.get_output();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{command}: {stderr}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "", "{command}");
        for said in said {
            assert!(stderr.contains(said), "{command}: no `{said}` in\n{stderr}");
        }
        assert_eq!(sandbox.read(name), bytes, "{command}");
        assert_eq!(sandbox.names(), [name], "{command}");
    }
}

/// A template encoded as UTF-16, with or without a byte order mark.
fn utf16(mark: &[u8], bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    mark.iter().copied().chain(OLD.encode_utf16().flat_map(bytes)).collect()
}

#[test]
fn a_missing_path() {
    let sandbox = Sandbox::new(&[("web.yaml", OLD)]);
    for command in COMMANDS {
        let said = contains("error[HP0001]: `nothing.here` does not exist\n");
        sandbox
            .hotplate(&format!("{command} nothing.here"))
            .assert()
            .code(2)
            .stdout(is_empty())
            .stderr(said.and(contains("did you mean").not()));
        sandbox
            .hotplate(&format!("{command} wep.yaml"))
            .assert()
            .code(2)
            .stdout(is_empty())
            .stderr(contains("help: did you mean `web.yaml`?\n"));
    }
    assert_eq!(sandbox.text("web.yaml"), OLD);
}

#[test]
fn an_empty_file() {
    refused("", &["error[HP0007]: `bad.yaml` is empty\n"]);
}

#[test]
fn nothing_but_comments_or_space() {
    let said = ["error[HP0201]: the file contains nothing but comments\n", " --> bad.yaml:1:1\n"];
    refused("# heat_template_version: 2013-05-23\n", &said);
    refused(" \n\n", &said);
    refused("\u{feff}", &said);
}

#[test]
fn binary_files() {
    refused(
        b"\x7fELF\x02\x01\0\0\xff",
        &["error[HP0006]: the file is binary, not UTF-8 text\n", " --> bad.yaml:1:7\n"],
    );
}

#[test]
fn a_nul_byte_is_shown_where_it_stands() {
    refused(
        "heat_template_version: 2013-05-23\ndescription: a\0b\n",
        &["error[HP0006]: the file is binary", " --> bad.yaml:2:15\n", "2 | description: a␀b\n"],
    );
}

#[test]
fn bytes_that_are_no_utf8_are_shown_where_they_stand() {
    refused(
        b"heat_template_version: 2013-05-23\ndescription: caf\xe9 noir\n",
        &[
            "error[HP0006]: the byte at offset 50 is not UTF-8\n",
            " --> bad.yaml:2:17\n",
            "2 | description: caf\u{fffd} noir\n",
            "help: save the file as UTF-8\n",
        ],
    );
}

#[test]
fn utf16_with_and_without_a_mark() {
    for (mark, bytes) in [
        (&b"\xff\xfe"[..], u16::to_le_bytes as fn(u16) -> [u8; 2]),
        (b"\xfe\xff", u16::to_be_bytes),
        (b"", u16::to_le_bytes),
        (b"", u16::to_be_bytes),
    ] {
        refused(
            utf16(mark, bytes),
            &[
                "error[HP0006]: the file is UTF-16, not UTF-8 text\n",
                " --> bad.yaml:1:1\n",
                "help: save the file as UTF-8\n",
            ],
        );
    }
}

#[test]
fn broken_yaml_is_shown_with_the_place() {
    refused(
        "heat_template_version: 2013-05-23\nresources:\n  a: [1, 2\n  b: 3\n",
        &[
            "error[HP0101]: this `[` is never closed\n",
            " --> bad.yaml:3:6\n",
            "3 |   a: [1, 2\n  |      ^\n",
            "4 |   b: 3\n  |    - the parser stops here\n",
        ],
    );
    refused(
        "heat_template_version: 2013-05-23\ndescription: \"\u{7}\"\n",
        &["error[HP0101]: control characters are not allowed\n", " --> bad.yaml:2:15\n", "\"␇\"\n"],
    );
}

#[test]
fn half_a_template() {
    refused(
        "heat_template_version: 2013-05-23\nresources:\n  a:\n    type: \"OS::No",
        &[
            "error[HP0101]: this quote is never closed\n",
            " --> bad.yaml:4:11\n",
            "4 |     type: \"OS::No\n",
            "the parser stops here\n",
        ],
    );
}

#[test]
fn broken_json() {
    refused_by(
        &COMMANDS,
        "bad.json",
        b"{\n  \"heat_template_version\": \"2013-05-23\",\n  \"resources\": {\"a\": [1, 2}\n}\n",
        &["error[HP0104]: ", " --> bad.json:3:27\n", "3 |   \"resources\": {\"a\": [1, 2}\n"],
    );
}

#[test]
fn two_documents() {
    refused("a: 1\n---\nb: 2\n", &["error[HP0103]: ", " --> bad.yaml:2:1\n"]);
}

#[test]
fn tags_of_others() {
    refused(
        "heat_template_version: 2013-05-23\nresources: !Ref a\n",
        &["error[HP0102]: Heat's loader does not know this tag\n", " --> bad.yaml:2:17\n"],
    );
}

#[test]
fn what_is_no_map() {
    refused(
        "- a\n- b\n",
        &["error[HP0201]: the file is a list, but a template is a map\n", " --> bad.yaml:1:1\n"],
    );
    refused(
        "hello\n",
        &["error[HP0201]: the file is a string, but a template is a map\n", "1 | hello\n"],
    );
    refused("null\n", &["error[HP0201]: the file is null, but a template is a map\n"]);
    refused_by(&COMMANDS, "bad.json", b"[1]", &["error[HP0201]: the file is a list"]);
}

#[test]
fn a_map_without_a_version() {
    refused(
        "resources: {}\n",
        &[
            "error[HP0201]: the file has no key `heat_template_version`\n",
            " --> bad.yaml:1:1\n",
            "help: add `heat_template_version: 2021-04-16`\n",
        ],
    );
}

#[test]
fn an_environment_that_is_named() {
    refused(
        "parameters: {}\nresource_registry: {}\n",
        &["error[HP0201]: ", "help: this looks like an environment; pass the template instead\n"],
    );
}

#[test]
fn a_file_larger_than_asked_for() {
    let sandbox = Sandbox::new(&[("a.yaml", OLD)]);
    let limit = OLD.len();
    for command in COMMANDS {
        let below = format!("{command} a.yaml --max-size {}", limit - 1);
        let said =
            format!("error[HP0005]: `a.yaml` is larger than the limit of {} bytes\n", limit - 1);
        sandbox
            .hotplate(&below)
            .assert()
            .code(2)
            .stdout(is_empty())
            .stderr(contains(said).and(contains("help: `--max-size` raises the limit\n")));
    }
    // The output may be larger.
    assert!(NEW.len() > limit);
    sandbox.hotplate(&format!("upgrade a.yaml --max-size {limit}")).assert().code(0).stdout(NEW);
}

// Malicious texts.

#[test]
fn nesting_without_end() {
    let deep = |part: &str| part.repeat(100_000);
    for (text, place) in [
        (deep("{a: "), "1:2001"),
        (deep("- ") + "a", "1:1001"),
        (deep("? ") + "a", "1:1001"),
        (deep("["), "1:501"),
        (deep("[") + &deep("]"), "1:501"),
        (deep("{\"a\":") + "1" + &deep("}"), "1:2501"),
    ] {
        let said = "error[HP0106]: lists and maps are nested more than 500 levels deep\n";
        refused(&text, &[said, &format!(" --> bad.yaml:{place}\n")]);
    }
    let lines: String = (0..5_000).map(|depth| " ".repeat(depth) + "a:\n").collect();
    refused(lines, &["error[HP0106]: ", " --> bad.yaml:501:501\n"]);
}

#[test]
fn nesting_deeper_than_asked_for() {
    let sandbox = Sandbox::new(&[("a.yaml", OLD)]);
    for command in COMMANDS {
        sandbox
            .hotplate(&format!("{command} a.yaml --max-depth 3"))
            .assert()
            .code(2)
            .stdout(is_empty())
            .stderr(contains("error[HP0106]: lists and maps are nested more than 3 levels deep\n"));
    }
    sandbox.hotplate("upgrade a.yaml --max-depth 6").assert().code(0);
}

#[test]
fn an_alias_bomb() {
    let mut text = "heat_template_version: 2013-05-23\na0: &a0 [x,x,x,x,x,x,x,x,x,x]\n".to_owned();
    for level in 1..12 {
        let aliases = vec![format!("*a{}", level - 1); 10].join(",");
        text.push_str(&format!("a{level}: &a{level} [{aliases}]\n"));
    }
    refused(
        text,
        &[
            "error[HP0107]: following every alias would add more than 100000 nodes\n",
            " --> bad.yaml:13:12\n",
            "^^^^ this alias refers to the largest part\n",
            "help: aliases and merge keys may add a twentieth of `--max-nodes`, which raises this limit",
        ],
    );
}

/// Aliases that expand in each command and target, by the kind of limit: nodes, text, pairs that
/// merge keys copy.
#[test]
fn whatever_reads_a_bomb_refuses_it() {
    let head = "heat_template_version: 2018-08-31\nresources:\n  r:\n    type: OS::Heat::Value\n    properties:\n      value:\n";
    let mut lists = format!("{head}        - &a0 [x, x]\n");
    for level in 1..30 {
        let before = level - 1;
        lists.push_str(&format!("        - &a{level} [*a{before}, *a{before}]\n"));
    }
    let long = "x".repeat(64 * 1024);
    let text = format!("{head}        [&a {long}{}]\n", ", *a".repeat(200));
    let pairs: String = (0..1000).map(|at| format!("k{at}: 1, ")).collect();
    let merged = format!("{head}        - &a {{{pairs}}}\n{}", "        - {<<: *a}\n".repeat(200));
    for bomb in [lists, text, merged] {
        let sandbox = Sandbox::new(&[
            ("t.yaml", bomb.as_str()),
            ("old.yaml", "heat_template_version: 2018-08-31\n"),
        ]);
        for command in ["versions", "ir", "upgrade --diff", "eval", "diff old.yaml"] {
            let assert = sandbox.hotplate(&format!("{command} t.yaml")).assert().failure();
            let stderr = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
            assert!(
                stderr.contains("error[HP0107]") && stderr.contains("--max-nodes"),
                "{command}: {stderr}"
            );
        }
        for target in ["hot", "cfn", "terraform", "ansible", "mermaid", "markdown", "json"] {
            let command = format!("render --target {target} t.yaml");
            let assert = sandbox.hotplate(&command).assert().failure();
            let stderr = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
            assert!(stderr.contains("--max-nodes"), "{command}: {stderr}");
        }
    }
}

#[test]
fn what_ir_prints_is_bounded() {
    let numbers = "1, ".repeat(140_000);
    let text =
        format!("heat_template_version: 2018-08-31\noutputs: {{o: {{value: [{numbers}]}}}}\n");
    let sandbox = Sandbox::new(&[("t.yaml", &text)]);
    for command in ["ir t.yaml", "render --target mermaid t.yaml"] {
        let assert = sandbox.hotplate(command).assert().failure();
        let output = assert.get_output();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(stderr.contains("longer than 8000000 bytes"), "{command}: {stderr}");
        assert!(stderr.contains("`--max-nodes` raises this limit"), "{command}: {stderr}");
        assert!(output.stdout.is_empty(), "{command}");
    }
}

#[test]
fn the_representations_of_all_templates_together_are_bounded() {
    let numbers = "1, ".repeat(50_000);
    let child = |name: &str| {
        format!("heat_template_version: 2018-08-31\noutputs: {{{name}: {{value: [{numbers}]}}}}\n")
    };
    let root = "heat_template_version: 2018-08-31\nresources:\n  \
                a: {type: a.yaml}\n  b: {type: b.yaml}\n  c: {type: c.yaml}\n";
    let files = ["a", "b", "c"].map(child);
    let sandbox = Sandbox::new(&[
        ("t.yaml", root),
        ("a.yaml", &files[0]),
        ("b.yaml", &files[1]),
        ("c.yaml", &files[2]),
    ]);
    let command = "render --target mermaid t.yaml";
    let assert = sandbox.hotplate(command).assert().failure();
    let stderr = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(stderr.contains("`--max-nodes` raises this limit"), "{stderr}");
    sandbox.hotplate(&format!("{command} --max-nodes 10000000")).assert().success();
}

#[test]
fn what_is_nested_deep_counts_for_more() {
    let deep = format!("{}a{}", "[".repeat(240), "]".repeat(240));
    let items = [deep.as_str()].repeat(400).join(", ");
    let head = "heat_template_version: 2018-08-31\noutputs:\n";
    let written = format!("{head}  o: {{value: [{items}]}}\n");
    let json = format!(
        r#"{{"heat_template_version": "2018-08-31", "outputs": {{"o": {{"value": [{}]}}}}}}"#,
        items.replace('a', "1")
    );
    let named = format!(
        "{head}  a: {{value: &a {deep}}}\n  o: {{value: [{}]}}\n",
        ["*a"].repeat(200).join(", ")
    );
    for text in [written, json, named] {
        let sandbox = Sandbox::new(&[("t.yaml", &text)]);
        for command in ["ir t.yaml", "eval t.yaml", "render --target terraform t.yaml"] {
            let assert = sandbox.hotplate(command).assert().failure();
            let stderr = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
            assert!(stderr.contains("`--max-nodes`"), "{command}: {stderr}");
        }
        sandbox.hotplate("versions t.yaml --max-nodes 10000000").assert().success();
    }
}

#[test]
fn a_path_is_no_longer_than_any_value_is_deep() {
    let path = ["a"].repeat(100).join(", ");
    let text = format!(
        "heat_template_version: 2018-08-31\nparameters: {{p: {{type: json}}}}\n\
         outputs: {{o: {{value: {{get_param: [p, {path}]}}}}}}\n"
    );
    let sandbox = Sandbox::new(&[("t.yaml", &text)]);
    for target in ["heat-cfn", "terraform", "pulumi"] {
        let command = format!("render --target {target} t.yaml");
        let assert = sandbox.hotplate(&format!("{command} --max-depth 60")).assert().failure();
        let stderr = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        assert!(stderr.contains("error[HP0106]"), "{command}: {stderr}");
        assert!(stderr.contains("`--max-depth` raises the limit of 60"), "{command}: {stderr}");
        let assert = sandbox.hotplate(&command).assert();
        let stderr = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        assert!(!stderr.contains("HP0106"), "{command}: {stderr}");
    }
}

#[test]
fn the_number_of_nodes_is_limited_and_the_option_raises_it() {
    let values = "a, ".repeat(100);
    let yaml =
        format!("heat_template_version: 2018-08-31\noutputs: {{o: {{value: [{values}]}}}}\n");
    let json = format!(
        r#"{{"heat_template_version": "2018-08-31", "outputs": {{"o": {{"value": [{}1]}}}}}}"#,
        "1, ".repeat(100)
    );
    let shared = "heat_template_version: 2018-08-31\noutputs: {o: {value: [&a [x, x], *a, *a]}}\n";
    for (text, few, enough) in
        [(yaml.as_str(), 50, 200), (json.as_str(), 50, 200), (shared, 100, 200)]
    {
        let sandbox = Sandbox::new(&[("t.yaml", text)]);
        let told = sandbox.hotplate(&format!("eval t.yaml --max-nodes {few}")).assert().failure();
        let stderr = String::from_utf8_lossy(&told.get_output().stderr).into_owned();
        assert!(stderr.contains("`--max-nodes`"), "{stderr}");
        sandbox.hotplate(&format!("eval t.yaml --max-nodes {enough}")).assert().success();
    }
}

#[test]
fn an_alias_of_what_it_stands_in() {
    refused(
        "heat_template_version: 2013-05-23\nresources: &r\n  a: *r\n",
        &[
            "error[HP0109]: the alias is inside the node that it refers to\n",
            " --> bad.yaml:3:6\n",
            "3 |   a: *r\n",
        ],
    );
}

#[test]
fn a_finding_in_a_very_long_line_is_cut_and_its_column_is_true() {
    let long = "x".repeat(1_000_000);
    let text = format!("heat_template_version: 2013-05-23\ndescription: [{long}, \"a\n");
    let sandbox = Sandbox::new(&[("bad.yaml", &text)]);
    let assert = sandbox.hotplate("upgrade bad.yaml").assert().code(2).stdout(is_empty());
    let stderr = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(
        stderr.contains("error[HP0101]: this quote is never closed\n --> bad.yaml:2:1000017\n"),
        "{stderr}"
    );
    assert!(stderr.lines().all(|line| line.chars().count() < 200), "a line of a terminal");
}
