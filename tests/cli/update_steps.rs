//! `hotplate diff --steps`: a sequence of updates in place of one that loses something.

use predicates::prelude::PredicateBooleanExt as _;
use predicates::str::contains;

use crate::cli::sandbox::Sandbox;

/// For each kind: the old and the new resources (and outputs), the text that the first step must have, one that it must not have, and a cost.
const FOUND: &[(&str, &str, &str, &str, &str, &str)] = &[
    (
        "the name takes the place of a reference",
        "  key: {type: OS::Nova::KeyPair, properties: {name: deploy, public_key: old}}\n  server:\n    type: OS::Nova::Server\n    properties:\n      # Kept.\n      key_name: {get_resource: key}\n      flavor: m1\n      image: i\n      networks: [{network: n}]\n",
        "  key: {type: OS::Nova::KeyPair, properties: {name: deploy, public_key: new}}\n  server:\n    type: OS::Nova::Server\n    properties:\n      # Kept.\n      key_name: {get_resource: key}\n      flavor: m1\n      image: i\n      networks: [{network: n}]\n",
        "      # Kept.\n      key_name: deploy\n",
        "KeyPair",
        "between step 1 and 2, there is no `key` (OS::Nova::KeyPair)",
    ),
    (
        "depends_on loses an item",
        "  gateway: {type: OS::Neutron::RouterGateway, properties: {router_id: r, network: a}}\n  ip:\n    type: OS::Neutron::FloatingIP\n    depends_on:\n      - gateway\n      - other # why\n    properties: {floating_network: a}\n  other: {type: OS::Heat::None}\n",
        "  gateway: {type: OS::Neutron::RouterGateway, properties: {router_id: r, network: b}}\n  ip:\n    type: OS::Neutron::FloatingIP\n    depends_on:\n      - gateway\n      - other # why\n    properties: {floating_network: a}\n  other: {type: OS::Heat::None}\n",
        "    depends_on:\n      - other # why\n",
        "gateway",
        "between step 1 and 2, there is no `gateway`",
    ),
    (
        "detached first",
        "  domain: {type: OS::Keystone::Domain, properties: {name: d}}\n  other: {type: OS::Heat::None}\n",
        "  other: {type: OS::Heat::None}\n",
        "enabled",
        "true",
        "after step 1, `domain` has `enabled: false`",
    ),
    (
        "the only resource, and an output",
        "  key: {type: OS::Nova::KeyPair, properties: {name: deploy, public_key: old}}\noutputs:\n  secret: {value: {get_attr: [key, private_key]}}\n  id: {value: {get_resource: key}}\n",
        "  key: {type: OS::Nova::KeyPair, properties: {name: deploy, public_key: new}}\noutputs:\n  secret: {value: {get_attr: [key, private_key]}}\n  id: {value: {get_resource: key}}\n",
        "  id: {value: deploy}\n",
        "resources",
        "after step 1, there is no output `secret`",
    ),
];

fn template(resources: &str) -> String {
    format!("heat_template_version: 2021-04-16\n# A comment.\nresources:\n{resources}")
}

#[test]
fn a_sequence_has_no_hazard_and_ends_at_the_new_template() {
    for (what, old, new, has, has_not, cost) in FOUND {
        let sandbox = Sandbox::new(&[("old.yaml", template(old)), ("new.yaml", template(new))]);
        let command = "diff old.yaml new.yaml --steps steps";
        let report = sandbox.json(&format!("{command} --format json"), 1);
        let steps = &report["steps"];
        assert_eq!(steps["steps"][1]["file"], "step-2.yaml", "{what}: {steps}");
        assert_eq!(sandbox.text("steps/step-2.yaml"), template(new), "{what}");
        let first = sandbox.text("steps/step-1.yaml");
        assert!(first.contains(has) && first.contains("# A comment."), "{what}: {first}");
        assert!(!first.contains(has_not), "{what}: {first}");
        for (one, other) in [("old", "steps/step-1"), ("steps/step-1", "new")] {
            let report = sandbox.json(&format!("diff {one}.yaml {other}.yaml --format json"), 1);
            let hazards = report["resources"].as_array().expect("resources").iter();
            let mut hazards = hazards.filter_map(|it| it["hazards"].as_array()).flatten();
            assert!(hazards.all(|it| it["kind"] == "no-way-back"), "{what}: {report}");
        }
        // A folder that has something is never written to.
        sandbox.hotplate(command).assert().code(2).stderr(contains("not an empty folder"));
        let other = "diff old.yaml new.yaml --steps others";
        sandbox.hotplate(other).assert().code(1).stdout(contains(*cost));
    }
}

#[test]
fn references_lead_to_the_same_files() {
    let of = |key: &str| {
        template(&format!(
            "  key: {{type: OS::Nova::KeyPair, properties: {{name: deploy, public_key: {key}}}}}\n  config: {{type: OS::Heat::SoftwareConfig, properties: {{config: {{get_file: files/a.sh}}}}}}\n  child: {{type: child.yaml}}\n"
        ))
    };
    let child = "heat_template_version: 2021-04-16\nresources: {none: {type: OS::Heat::None}}\n";
    let sandbox = Sandbox::new(&[
        ("a/t.yaml", of("old")),
        ("b/t.yaml", of("new")),
        ("a/files/a.sh", "true\n".to_owned()),
        ("b/files/a.sh", "true\n".to_owned()),
        ("a/child.yaml", child.to_owned()),
        ("b/child.yaml", child.to_owned()),
    ]);
    sandbox.hotplate("diff a/t.yaml b/t.yaml --steps out/steps").assert().code(1);
    let text = sandbox.text("out/steps/step-2.yaml");
    assert!(text.contains("get_file: ../../b/files/a.sh"), "{text}");
    assert!(text.contains("type: ../../b/child.yaml"), "{text}");
    // Heat reads the child under another name, and finds the same in it.
    let same = sandbox.hotplate("diff b/t.yaml out/steps/step-2.yaml").assert().code(1);
    same.stdout(contains("1 nested stack updated in place; 3 unchanged\n"));
}

#[test]
fn what_no_sequence_avoids_is_reported_and_nothing_is_written() {
    let volume = |zone: &str| {
        template(&format!(
            "  data: {{type: OS::Cinder::Volume, properties: {{size: 1, availability_zone: {zone}}}}}\n"
        ))
    };
    let two = template(
        "  one: {type: OS::Nova::KeyPair, properties: {name: a, public_key: k}}\n  two: {type: OS::Nova::KeyPair, properties: {name: a, public_key: k}}\n",
    );
    let one = template("  one: {type: OS::Nova::KeyPair, properties: {name: a, public_key: k}}\n");
    let sandbox = Sandbox::new(&[
        ("a.yaml", volume("a")),
        ("b.yaml", volume("b")),
        ("one.yaml", one),
        ("two.yaml", two),
    ]);
    for (sides, code, said) in [
        ("a.yaml b.yaml", 1, "the data of `data` is lost in any sequence"),
        ("one.yaml two.yaml", 1, "no sequence of updates avoids this; nothing is written"),
        ("a.yaml a.yaml", 0, "one update is enough; nothing is written"),
    ] {
        let command = format!("diff {sides} --steps steps");
        sandbox.hotplate(&command).assert().code(code).stdout(contains(said));
        assert!(!sandbox.at("steps").exists());
    }
    sandbox
        .hotplate("diff one.yaml two.yaml --steps steps --fail-on delete")
        .assert()
        .code(1)
        .stdout(contains("nothing is written"));
    let folders = sandbox.hotplate("diff . . --steps steps").assert().code(2);
    folders.stderr(contains("expects two template files").and(contains("steps")));
}
