//! `hotplate render` and `hotplate ir`: one template in, one document out.

use predicates::prelude::*;
use predicates::str::{contains, is_empty, starts_with};

use crate::cli::sandbox::{OLD, Sandbox};

#[test]
fn a_template_as_json_and_back() {
    let sandbox = Sandbox::new(&[("a.yaml", OLD)]);
    let json = sandbox.json("render a.yaml --target json", 0);
    let expected = serde_json::json!({
        "heat_template_version": "2013-05-23",
        "outputs": {"name": {"value": {"Fn::Join": ["-", ["a", "b"]]}}},
    });
    assert_eq!(json, expected);
    let yaml =
        sandbox.hotplate("render -t yaml a.yaml").assert().code(0).get_output().stdout.clone();
    sandbox.write("b.yaml", yaml);
    assert_eq!(sandbox.json("render -t json b.yaml", 0), expected);
}

#[test]
fn standard_input() {
    let sandbox = Sandbox::new::<&str>(&[]);
    let json = sandbox.hotplate("render -t json -").write_stdin(OLD).assert().code(0);
    // JSON cannot contain comments, which is reported.
    let said = starts_with("note[HP0906]");
    json.stdout(starts_with("{\n  \"heat_template_version\": \"2013-05-23\"")).stderr(said);
    let ir = sandbox.hotplate("ir -").write_stdin(OLD).assert().code(0);
    ir.stdout(starts_with("{\n  \"format\": {\n    \"dialect\": \"hot\"")).stderr(is_empty());
}

#[test]
fn an_unknown_target() {
    let sandbox = Sandbox::new(&[("a.yaml", OLD)]);
    let render =
        |target: &str| sandbox.hotplate(&format!("render a.yaml --target {target}")).assert();
    let said = "error: there is no target `jsn`; did you mean `json`?\n";
    render("jsn").code(2).stdout(is_empty()).stderr(said);
    let said = starts_with("error: there is no target `xxxxxxxx`; there are hot, heat-cfn, ");
    render("xxxxxxxx").code(2).stdout(is_empty()).stderr(said);
    sandbox.hotplate("render a.yaml").assert().code(2).stderr(contains("--target <NAME"));
    sandbox.hotplate("render --target json").assert().code(2).stderr(contains("<TEMPLATE>"));
}

#[test]
fn values_that_json_cannot_hold() {
    for (value, column) in
        [(".inf", 31), ("-.inf", 31), (".nan", 31), ("!!binary aGk=", 40), ("!!set {a}", 37)]
    {
        let text = format!(
            "heat_template_version: 2013-05-23\n\
             resources: {{a: {{metadata: {{x: {value}}}, type: OS::Heat::None}}}}\n"
        );
        let sandbox = Sandbox::new(&[("a.yaml", &text)]);
        let place = contains(format!(" --> a.yaml:2:{column}\n"));
        sandbox
            .hotplate("render a.yaml --target json")
            .assert()
            .code(2)
            .stdout(is_empty())
            .stderr(contains("error[HP0113]: ").and(contains(value)).and(place));
        sandbox.hotplate("render a.yaml --target yaml").assert().code(0).stdout(contains("x: "));
    }
}

#[test]
fn the_schema_of_the_representation() {
    let sandbox = Sandbox::new::<&str>(&[]);
    let schema = sandbox.json("ir --schema", 0);
    assert!(schema["$defs"]["Expr"].is_object());
    sandbox.hotplate("ir --schema a.yaml").assert().code(2).stderr(contains("cannot be used with"));
    sandbox.hotplate("ir").assert().code(2).stdout(is_empty()).stderr(contains("<FILE>"));
}

#[test]
fn one_file_is_taken() {
    let sandbox = Sandbox::new(&[("a.yaml", OLD), ("b.yaml", OLD)]);
    for command in ["ir a.yaml b.yaml", "render -t json a.yaml b.yaml"] {
        sandbox.hotplate(command).assert().code(2).stdout(is_empty()).stderr(contains("'b.yaml'"));
    }
}
