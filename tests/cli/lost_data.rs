//! What an update does to the old resource and its data, and `--fail-on data-loss`.

use predicates::str::contains;

use crate::cli::sandbox::Sandbox;

const HOT: &str = "heat_template_version: 2021-04-16\n";

#[test]
fn data_that_is_lost_fails_on_request() {
    let volume = |zone: &str, policy: &str| {
        format!(
            "{HOT}resources:\n  db_data:\n    type: OS::Cinder::Volume\n    properties: {{size: 1, availability_zone: {zone}}}\n{policy}"
        )
    };
    let retain = "    deletion_policy: retain\n";
    let sandbox = Sandbox::new(&[
        ("a.yaml", volume("a", "")),
        ("b.yaml", volume("b", "")),
        ("kept-a.yaml", volume("a", retain)),
        ("kept-b.yaml", volume("b", retain)),
        ("none.yaml", format!("{HOT}resources: {{}}\n")),
    ]);
    for (sides, code, told) in [
        ("a.yaml b.yaml", 1, "note: data is lost: volume db_data"),
        ("a.yaml none.yaml", 1, "its data is lost with it"),
        ("kept-a.yaml b.yaml", 0, "the old resource stays in the cloud, outside of the stack"),
        ("kept-a.yaml none.yaml", 0, "retain"),
        ("kept-a.yaml kept-b.yaml", 0, "the old resource stays"),
    ] {
        let command = format!("diff --fail-on data-loss {sides}");
        sandbox.hotplate(&command).assert().code(code).stdout(contains(told));
    }
    sandbox.hotplate("diff --fail-on data-loss --allow db_data a.yaml b.yaml").assert().code(0);
    for format in ["text", "markdown", "github", "gitlab", "zuul", "junit", "sarif", "html", "json"]
    {
        let command = format!("diff --format {format} a.yaml b.yaml");
        sandbox.hotplate(&command).assert().stdout(contains("its data is lost with it"));
    }
}
