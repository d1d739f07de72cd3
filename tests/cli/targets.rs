//! `targets`, and `render` with targets that are folders.

use predicates::prelude::*;
use predicates::str::{contains, starts_with};

use crate::cli::sandbox::{Sandbox, hotplate};

const TEMPLATE: &str = "\
heat_template_version: 2018-08-31
parameters:
  size: {type: string}
resources:
  net: {type: OS::Neutron::Net}
  web:
    type: OS::Nova::Server
    depends_on: net
    properties: {flavor: {get_param: size}, image: cirros}
";

const MANIFEST: &str = "\
name: mine
summary: nothing much
version: '1'
view: nearly everything
outputs:
  - template: main.txt.hbs
";

/// A folder `mine` with a target of one template, next to a Heat template.
fn target(template: &str) -> Sandbox {
    Sandbox::new(&[
        ("stack.yaml", TEMPLATE),
        ("mine/target.yaml", MANIFEST),
        ("mine/main.txt.hbs", template),
    ])
}

const RENDER: &str = "render stack.yaml --target ./mine";

#[test]
fn every_target_is_in_the_list() {
    let listed = hotplate(&["targets"]).assert().success();
    let text = String::from_utf8_lossy(&listed.get_output().stdout).into_owned();
    for name in ["json", "yaml", "dot", "mermaid", "markdown"] {
        assert!(text.lines().any(|line| line.starts_with(&format!("{name} "))), "{text}");
    }
    let report = Sandbox::new::<&str>(&[]).json("targets --format json", 0);
    let dot = report.as_array().expect("a list").iter().find(|it| it["name"] == "dot");
    assert_eq!(dot.expect("dot")["is_folder"], true);
}

#[test]
fn an_unknown_target_is_answered_with_the_nearest() {
    let sandbox = target("");
    for command in ["render stack.yaml --target mermaidd", "targets show mermaidd"] {
        sandbox.hotplate(command).assert().code(2).stderr(contains("did you mean `mermaid`?"));
    }
}

#[test]
fn a_folder_without_a_manifest_is_no_target() {
    let sandbox = Sandbox::new(&[("stack.yaml", TEMPLATE), ("mine/readme", "")]);
    for folder in ["mine", "./mine"] {
        let command = format!("render stack.yaml --target {folder}");
        let refused = sandbox.hotplate(&command).assert().code(2).stdout("");
        refused.stderr(contains("HP0908").and(contains("it has no `target.yaml`")));
    }
    let missing = sandbox.hotplate("render stack.yaml --target ./mime").assert().code(2);
    missing.stderr(contains("`mime` does not exist"));
}

#[test]
fn what_is_wrong_in_a_manifest_has_its_place() {
    let sandbox = target("");
    for (change, place, message) in [
        ("sumary: x\n", "mine/target.yaml:7:1", "unknown key `sumary`"),
        ("mapping: table.yaml\n", "mine/target.yaml:7:10", "the folder has no file `table.yaml`"),
        ("literals: toml\n", "mine/target.yaml:7:11", "unknown value `toml`"),
        ("name: other\n", "mine/target.yaml:7:1", "duplicate key `name`"),
        ("limits: {instances: many}\n", "mine/target.yaml:7:21", "expected usize"),
    ] {
        sandbox.write("mine/target.yaml", format!("{MANIFEST}{change}"));
        let refused = sandbox.hotplate(RENDER).assert().code(2).stdout("");
        refused.stderr(contains("HP0908").and(contains(place)).and(contains(message)));
    }
    sandbox.write("mine/target.yaml", MANIFEST.replace("main", "mian"));
    let refused = sandbox.hotplate(RENDER).assert().code(2);
    refused.stderr(contains("mine/target.yaml:6:15").and(contains("did you mean `main.txt.hbs`?")));
}

#[test]
fn what_is_wrong_in_a_table_has_its_place() {
    let sandbox = target("");
    sandbox.write("mine/target.yaml", format!("{MANIFEST}mapping: table.yaml\n"));
    let table = "checked_against: nothing\ntypes:\n  OS::Nova::Server:\n    rule: server\n";
    sandbox.write("mine/table.yaml", table);
    let refused = sandbox.hotplate(RENDER).assert().code(2);
    let message = "the rule `server` has no template `rules/server.hbs`";
    refused.stderr(contains("mine/table.yaml:4:11").and(contains(message)));
    sandbox.write("mine/table.yaml", table.replace("rule", "ruler"));
    let refused = sandbox.hotplate(RENDER).assert().code(2);
    refused.stderr(contains("mine/table.yaml:4:5").and(contains("unknown key `ruler`")));
}

#[test]
fn errors_of_templates_have_their_place() {
    for (template, place, message) in [
        ("a\n  {{#if unit}}\n", "main.txt.hbs:", "HP0909"),
        ("a\nb {{unit.nmae}}", "main.txt.hbs:2:3", "unknown field `unit.nmae`"),
        ("{{#if unit.nmae}}x{{/if}}", "main.txt.hbs:1:1", "unknown field `unit.nmae`"),
        ("{{#each units}}\n {{json nmae}}{{/each}}", "main.txt.hbs:2:2", "unknown field `nmae`"),
        ("{{jsno unit}}", "main.txt.hbs:1:1", "did you mean `json`?"),
        ("{{join unit.name}}", "main.txt.hbs:1:1", "`join`: argument 2 is missing"),
        ("{{join unit.name \",\"}}", "main.txt.hbs:1:1", "`join`: argument 1 is not a list"),
        ("{{> other}}", "main.txt.hbs:1:5", "the folder has no template `other.hbs`"),
        ("{{> main.txt}}", "main.txt.hbs:1:5", "refers back to `main.txt`"),
        ("{{> (lookup unit \"name\")}}", "main.txt.hbs:1:1", "must not be computed; use `include`"),
        ("{{> main.txt x=unit.name}}", "main.txt.hbs:1:5", "does not accept values of its own"),
        ("{{len unit.nmae}}", "main.txt.hbs:1:1", "HP0909"),
        ("{{#if (not unit.nmae)}}x{{/if}}", "main.txt.hbs:1:1", "HP0909"),
        ("{{#if (eq unit.nmae 1)}}x{{/if}}", "main.txt.hbs:1:1", "HP0909"),
        ("{{#if (or unit.nmae true)}}x{{/if}}", "main.txt.hbs:1:1", "HP0909"),
        ("{{#if (lt unit 1)}}x{{/if}}", "main.txt.hbs:1:1", "can be compared"),
        ("{{#eq 1 1}}x{{/eq}}", "main.txt.hbs:1:1", "is not a block"),
        ("{{lookup unit.nmae \"x\"}}", "main.txt.hbs:1:1", "HP0909"),
        ("{{#with unit.nmae}}x{{/with}}", "main.txt.hbs:1:1", "unknown field `unit.nmae`"),
        ("{{#each unit.nmae}}x{{/each}}", "main.txt.hbs:1:1", "unknown field `unit.nmae`"),
        ("{{include \"main.txt\" this}}", "main.txt.hbs:1:1", "deeper than 200"),
        ("{{expr unit}}", "main.txt.hbs:1:1", "the argument is not an expression"),
        (
            "{{loss kind=\"x\" subject=\"a\" message=\"b\" at=unit}}",
            "main.txt.hbs:1:1",
            "unknown kind of loss `x`",
        ),
    ] {
        let sandbox = target(template);
        let refused = sandbox.hotplate(RENDER).assert().code(2).stdout("");
        refused.stderr(contains("HP0909").and(contains(place)).and(contains(message)));
    }
}

#[test]
fn a_template_that_nests_without_end_is_refused() {
    let times = 50_000;
    for template in [
        format!("{}x{}", "{{#if unit}}".repeat(times), "{{/if}}".repeat(times)),
        format!("{{{{len {}1{}}}}}", "(list ".repeat(times), ")".repeat(times)),
    ] {
        let sandbox = target(&template);
        let refused = sandbox.hotplate(RENDER).assert().code(2).stdout("");
        refused.stderr(contains("HP0909").and(contains("has more than 200 levels of nesting")));
    }
}

#[test]
fn a_template_sees_the_deployment() {
    let sandbox = target(
        "{{#each unit.resources}}{{@key}} {{type}}{{#each needs}} after {{name}}{{/each}}\n{{/each}}\
         {{#with unit.resources.web}}{{words (property this \"flavor\")}}{{/with}}\n",
    );
    let expected = "net OS::Neutron::Net\nweb OS::Nova::Server after net\nsize\n";
    sandbox.hotplate(RENDER).assert().success().stdout(expected);
}

#[test]
fn names_are_told_apart() {
    let sandbox = target(
        "{{#each (list \"a-b\" \"a.b\" \"a-b\" \"1\")}}{{identifier this scope=\"x\"}} {{/each}}",
    );
    sandbox.hotplate(RENDER).assert().success().stdout("a_b a_b_2 a_b n_1 ");
}

#[test]
fn a_target_that_takes_the_place_of_a_template_loses_nothing_silently() {
    let sandbox = target("{{comments unit.resources.net where=\"above\" start=\"; \"}}");
    let manifest = MANIFEST.replace("view: nearly everything\n", "sections: [resources]\n");
    sandbox.write("mine/target.yaml", manifest);
    let commented =
        TEMPLATE.replace("  net:", "  # The net.\n  net:").replace("  size", "  # Size.\n  size");
    sandbox.write("stack.yaml", commented);
    let rendered = sandbox.hotplate(RENDER).assert().success().stdout("; The net.");
    let losses = contains("mine does not write `parameters`");
    rendered.stderr(losses.and(contains("mine cannot hold a comment of the template")));
    sandbox.hotplate(&format!("{RENDER} --strict")).assert().code(1);
}

#[test]
fn functions_are_said_computed_or_lost() {
    let sandbox = target("{{#each unit.outputs}}{{@key}}={{expr value}}\n{{/each}}");
    sandbox.write("mine/target.yaml", MANIFEST.replace("view: nearly everything\n", ""));
    sandbox.write("mine/expressions/join.hbs", "join({{expr delimiter}})");
    sandbox.write("mine/expressions/lost.hbs", "lost({{function}} {{written}})");
    sandbox.write(
        "stack.yaml",
        "\
heat_template_version: 2018-08-31
parameters:
  p: {type: string}
outputs:
  said: {value: {list_join: ['-', [a]]}}
  known: {value: {digest: [md5, a]}}
  lost: {value: {digest: [md5, {get_param: p}]}}
",
    );
    let rendered = sandbox.hotplate(&format!("{RENDER} --format json")).assert().success();
    let report: serde_json::Value =
        serde_json::from_slice(&rendered.get_output().stdout).expect("JSON");
    let text = report["files"][0]["text"].as_str().expect("a text");
    assert_eq!(
        text,
        "said=join(\"-\")\nknown=\"0cc175b9c0f1b6a831c399e269772661\"\n\
         lost=lost(digest {digest: [md5, {get_param: p}]})\n"
    );
    assert_eq!(report["losses"][0]["subject"], "digest");
    assert_eq!(report["losses"].as_array().map(Vec::len), Some(1));
}

#[test]
fn paths_stay_in_the_folder() {
    let sandbox = target("x");
    for (path, message) in [
        ("'../x'", "`../x` is not a relative path inside the output folder"),
        ("/x", "`/x` is not a relative path inside the output folder"),
        ("'{{unit.nmae}}'", "unknown field `unit.nmae`"),
    ] {
        sandbox.write("mine/target.yaml", format!("{MANIFEST}    path: {path}\n"));
        let refused = sandbox.hotplate(RENDER).assert().code(2).stdout("");
        refused.stderr(contains(message).and(contains("mine/target.yaml:7:11")));
    }
}

#[test]
fn the_skeleton_passes_its_own_test() {
    let sandbox = target("");
    sandbox.hotplate("targets new shiny-Target").assert().success().stdout("");
    let tested = sandbox.hotplate("targets test shiny-Target").assert().success();
    tested.stdout(contains("1 of 1 cases passed"));
    sandbox.hotplate("render stack.yaml --target shiny-Target").assert().success();
    sandbox.hotplate("targets show shiny-Target").assert().success().stdout(
        starts_with("shiny-target: ")
            .and(contains("OS::Neutron::Net"))
            .and(contains("nothing waits")),
    );
    let refused = sandbox.hotplate("targets new shiny-Target").assert().code(2);
    refused.stderr(contains("HP0910"));
}

#[test]
fn a_case_that_differs_shows_how_and_can_be_accepted() {
    let sandbox = target("");
    sandbox.hotplate("targets new own").assert().success();
    let expected = "own/cases/web/expected/plan.yaml";
    let good = sandbox.text(expected);
    sandbox.write(expected, good.replace("web-1", "web-2"));
    sandbox.write("own/cases/web/expected/more.txt", "more\n");
    let failed = sandbox.hotplate("targets test own").assert().code(1);
    failed.stdout(
        contains("-    name: web-2").and(contains("+    name: web-1")).and(contains("-more")),
    );
    sandbox.hotplate("targets test own --accept").assert().success();
    assert_eq!(sandbox.text(expected), good);
    sandbox.hotplate("targets test own").assert().success();
    let unknown = sandbox.hotplate("targets test own wbe").assert().code(2);
    unknown.stderr(contains("there is no case `wbe`; did you mean `web`?"));
}

#[test]
fn the_context_is_that_of_folders_only() {
    let sandbox = target("");
    let context = sandbox.json("targets context stack.yaml --target ./mine", 0);
    assert_eq!(context["unit"]["resources"]["web"]["needs"][0]["name"], "net");
    assert_eq!(context["instances"]["all_edges"], 1);
    let refused = sandbox.hotplate("targets context stack.yaml --target json").assert().code(2);
    refused.stderr(contains("`json` is implemented by code"));
}
