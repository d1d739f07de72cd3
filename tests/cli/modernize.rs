//! `hotplate upgrade --modernize`: the names that a release discourages, in templates and environments.

use predicates::prelude::*;
use predicates::str::{contains, is_empty};

use crate::cli::sandbox::Sandbox;

/// A template with an exact and a conditional rewrite for the release, and nothing for the version.
const OLD_NAMES: &str = "\
heat_template_version: 2018-08-31
resources:
  port: {type: OS::Neutron::Port, properties: {network_id: n}}
  address: {type: OS::Nova::FloatingIP, properties: {pool: public}}
";

#[test]
fn old_names_are_rewritten_on_request() {
    let sandbox = Sandbox::new(&[("a.yaml", OLD_NAMES)]);
    let same = "upgrade --to declared a.yaml";
    sandbox.hotplate(same).assert().code(0).stdout(OLD_NAMES).stderr(is_empty());
    let both = "upgrade --modernize --to declared a.yaml";
    sandbox
        .hotplate(both)
        .assert()
        .code(0)
        .stdout(
            OLD_NAMES
                .replace("network_id", "network")
                .replace("Nova", "Neutron")
                .replace("pool", "floating_network"),
        )
        .stderr(contains("no stack with `address` is running"));
    let exact = OLD_NAMES.replace("network_id", "network");
    sandbox
        .hotplate(&format!("{both} --exact-only"))
        .assert()
        .code(0)
        .stdout(exact.clone())
        .stderr(contains("warning[HP0412]: left as it is"));
    // What is not selected is not needed for the version, so it blocks nothing.
    for options in ["--select property-name", "--ignore type-successor"] {
        let command = format!("{both} {options}");
        sandbox.hotplate(&command).assert().code(0).stdout(exact.clone()).stderr(is_empty());
    }
    let newest = "upgrade --modernize --exact-only a.yaml";
    sandbox.hotplate(newest).assert().code(0).stdout(exact.replace("2018-08-31", "2021-04-16"));
}

#[test]
fn old_names_stay_where_the_release_needs_them() {
    let text = OLD_NAMES.replace("2018-08-31", "2013-05-23");
    let sandbox = Sandbox::new(&[("a.yaml", text.as_str())]);
    let check = |options: &str, status: i32| {
        sandbox
            .hotplate(&format!("upgrade --check --modernize {options} a.yaml"))
            .assert()
            .code(status);
    };
    check("--to declared --heat kilo", 0);
    check("--to declared --heat liberty", 1);
    // The release is the oldest one that has the version.
    check("--to icehouse", 0);
    sandbox.hotplate("upgrade --heat kilo a.yaml").assert().code(2).stderr(contains("--modernize"));
}

#[test]
fn a_type_of_an_environment_is_not_one_of_heat() {
    let template = "\
heat_template_version: 2021-04-16
resources:
  port: {type: OS::Neutron::Port, properties: {network_id: n}}
  net: {type: OS::Quantum::Net}
";
    let environment =
        "resource_registry: {'OS::Neutron::Port': port.yaml, 'OS::Quantum*': 'OS::Neutron*'}\n";
    let sandbox = Sandbox::new(&[("a.yaml", template), ("env.yaml", environment)]);
    let command = "upgrade --modernize -e env.yaml a.yaml";
    let run = sandbox.hotplate(command).assert().code(0).stdout(template);
    run.stderr(contains("`OS::Quantum::Net` keeps its name: an environment maps it"));
    sandbox.hotplate("upgrade --check --modernize a.yaml").assert().code(1);
    sandbox
        .hotplate("upgrade --modernize -e none.yaml a.yaml")
        .assert()
        .code(2)
        .stderr(contains("none.yaml"));
}

/// An old name as the value of a type, of a single resource, of what another row maps, and of several types.
const OLD_REGISTRY: &str = "\
parameters: {password: OS::Quantum::Port}
# the ports
resource_registry:
  My::Port: 'OS::Quantum::Port'  # ours
  My::Net: OS::Quantum::Net
  My::Pool: OS::Neutron::LBaaS::Pool
  My::Volume: OS::Cinder::Volume
  \"OS::Quantum::Net\": net.yaml
  My::All*: OS::Quantum*
  resources: {one: {My::Port: OS::Quantum::Port, hooks: pre-create}}
";

#[test]
fn environments_get_the_names_of_types() {
    let sandbox = Sandbox::new(&[("env.yaml", OLD_REGISTRY)]);
    let new = OLD_REGISTRY
        .replace("'OS::Quantum::Port'", "'OS::Neutron::Port'")
        .replace("{My::Port: OS::Quantum::Port", "{My::Port: OS::Neutron::Port");
    let findings = contains("`OS::Quantum::Net` keeps its name: an environment maps it")
        .and(contains("`My::Pool` stays mapped to `OS::Neutron::LBaaS::Pool`"))
        .and(contains("`OS::Quantum*` keeps its name: it stands for several types"));
    let run = sandbox.hotplate("upgrade --modernize env.yaml").assert().code(0).stdout(new.clone());
    run.stderr(findings);
    let patch = sandbox.hotplate("upgrade --modernize --diff env.yaml").assert().code(0);
    patch.stdout(contains("+  My::Port: 'OS::Neutron::Port'  # ours\n"));
    let mut report = sandbox.hotplate("upgrade --modernize --check --format json env.yaml");
    let output = report.assert().code(1);
    let report: serde_json::Value =
        serde_json::from_slice(&output.get_output().stdout).expect("JSON");
    let file = &report["files"][0];
    assert_eq!(file["status"], "rewritten");
    assert_eq!(file["rewrites"][0]["rule"], "type-name");
    assert_eq!(file["rewrites"].as_array().map(Vec::len), Some(2));
    sandbox.hotplate("upgrade --modernize --write env.yaml").assert().code(0);
    assert_eq!(sandbox.text("env.yaml"), new);
    sandbox.hotplate("upgrade --modernize --check env.yaml").assert().code(0);
    // Without the option, it is no template.
    sandbox.hotplate("upgrade --check env.yaml").assert().code(2);
}

#[test]
fn an_alias_or_a_secret_in_an_environment_stays() {
    let shared = "\
resource_registry: {My::Port: &old OS::Quantum::Port}
parameter_defaults: {kind: *old}
";
    let secret = "\
resource_registry: {My::Port: OS::Quantum::Port}
parameters: {password: topsecret}
";
    let sandbox = Sandbox::new(&[("shared.yaml", shared), ("secret.yaml", secret)]);
    let run = sandbox.hotplate("upgrade --modernize shared.yaml").assert().code(0).stdout(shared);
    run.stderr(contains("an alias shares it"));
    let patch = sandbox.hotplate("upgrade --modernize --diff secret.yaml").assert();
    patch.stdout(contains("OS::Neutron::Port").and(contains("topsecret").not()));
    let new = secret.replace("Quantum", "Neutron");
    sandbox.hotplate("upgrade --modernize secret.yaml").assert().code(0).stdout(new);
}

#[test]
fn environments_of_a_run_exempt_the_types_that_they_map() {
    let template = "\
heat_template_version: 2021-04-16
resources:
  port: {type: OS::Quantum::Port, properties: {network_id: n}}
  net: {type: OS::Quantum::Net}
  one: {type: OS::Quantum::Subnet, properties: {network_id: n}}
";
    let rows = [
        "'OS::Quantum::Port': port.yaml",
        "'OS::Neutron::Port': port.yaml",
        "'OS::Quantum::Po*': 'My::*'",
        "resources: {port: {'OS::Quantum::Port': port.yaml}}",
    ];
    for row in rows {
        let environment = format!("resource_registry: {{{row}}}\n");
        let sandbox = Sandbox::new(&[("d/a.yaml", template), ("d/env.yaml", &environment)]);
        let run = sandbox.hotplate("upgrade --modernize --write d").assert().code(0);
        run.stderr(
            contains("`OS::Quantum::Port` keeps its name: an environment maps it")
                .and(contains("2 files: 1 upgraded (1 rewritten), 1 unchanged")),
        );
        let expected = template.replace("OS::Quantum::Net", "OS::Neutron::Net").replace(
            "OS::Quantum::Subnet, properties: {network_id",
            "OS::Neutron::Subnet, properties: {network",
        );
        assert_eq!(sandbox.text("d/a.yaml"), expected, "{row}");
        assert_eq!(sandbox.text("d/env.yaml"), environment);
        sandbox.hotplate("upgrade --modernize --check d/a.yaml d/env.yaml").assert().code(0);
        sandbox.hotplate("upgrade --modernize --check -e d/env.yaml d/a.yaml").assert().code(0);
        sandbox.hotplate("upgrade --modernize --check d/a.yaml").assert().code(1);
    }
    // Alone, everything has the new name.
    let sandbox = Sandbox::new(&[("a.yaml", template)]);
    let run = sandbox.hotplate("upgrade --modernize a.yaml").assert().code(0);
    run.stdout(contains("Quantum").not()).stderr(is_empty());
}

/// A pool with a member and a monitor, which refer to it, and a port with an old name.
const OLD_POOL: &str = "\
heat_template_version: 2021-04-16
resources:
  pool: {type: OS::Neutron::LBaaS::Pool, properties: {listener: l, protocol: HTTP, lb_algorithm: ROUND_ROBIN}}
  member: {type: OS::Octavia::PoolMember, properties: {pool: {get_resource: pool}, address: 10.0.0.1, protocol_port: 80}}
  other: {type: OS::Heat::Value, properties: {value: x}}
";

#[test]
fn what_an_update_of_a_running_stack_does_is_computed() {
    let sandbox = Sandbox::new(&[("a.yaml", OLD_POOL)]);
    for command in ["upgrade --modernize a.yaml", "upgrade --modernize --write a.yaml"] {
        let run = sandbox.hotplate(command).assert().code(0);
        run.stderr(contains(
            "an update of a running stack: `pool` is replaced, and 1 more with it: `member`",
        ));
    }
    let alone = OLD_POOL.replace("{get_resource: pool}", "p");
    let sandbox = Sandbox::new(&[("a.yaml", alone.as_str())]);
    let output = sandbox.hotplate("upgrade --modernize --check --format json a.yaml").output();
    let report: serde_json::Value =
        serde_json::from_slice(&output.expect("run").stdout).expect("JSON");
    let update = &report["files"][0]["rewrites"][0]["update"];
    assert_eq!(*update, serde_json::json!({"resource": "pool", "impact": "replace", "others": []}));
}

#[test]
fn an_exact_rewrite_changes_a_running_stack_only_where_heat_compares_the_text() {
    let port = "{type: OS::Neutron::Port, properties: {network_id: n}}";
    let of = |resource: &str| {
        format!("heat_template_version: 2021-04-16\nresources:\n  one: {resource}\n")
    };
    let group = format!(
        "{{type: OS::Heat::ResourceGroup, properties: {{count: 2, resource_def: {port}}}}}"
    );
    let sandbox = Sandbox::new(&[("port.yaml", &of(port)), ("group.yaml", &of(&group))]);
    sandbox.hotplate("upgrade --modernize port.yaml").assert().code(0).stderr(is_empty());
    let run = sandbox.hotplate("upgrade --modernize group.yaml").assert().code(0);
    run.stderr(contains("note[HP0414]: an update of a running stack: `one` (`OS::Heat::ResourceGroup`) is updated in place"));
}

/// Aliases of one implementation are exact, a type of the same properties is conditional, and a map of a workflow's task stays.
#[test]
fn names_of_types_and_parts_of_maps() {
    let template = "\
heat_template_version: 2021-04-16
resources:
  alarm: {type: OS::Ceilometer::GnocchiResourcesAlarm, properties: {metric: m, threshold: 1, resource_type: t, resource_id: r}}
  old: {type: OS::Ceilometer::Alarm, properties: {meter_name: m, threshold: 1}}
  model: {type: OS::Magnum::BayModel, properties: {external_network: n, image: i, coe: kubernetes}}
  flow:
    type: OS::Mistral::Workflow
    properties:
      type: direct
      tasks: [{name: t, action: std.noop, policies: {retry: {count: 2}, timeout: 5}}]
";
    let sandbox = Sandbox::new(&[("a.yaml", template)]);
    let new = template
        .replace("OS::Ceilometer::", "OS::Aodh::")
        .replace("OS::Magnum::BayModel", "OS::Magnum::ClusterTemplate");
    let run = sandbox.hotplate("upgrade --modernize a.yaml").assert().code(0).stdout(new);
    run.stderr(contains("the same only if no stack with `model` is running"))
        .stderr(contains("`model` is replaced"))
        .stderr(contains(
            "the type `OS::Ceilometer::Alarm` has no successor with the same properties",
        ))
        .stderr(contains("`retry` stays in `policies`, which is deprecated"))
        .stderr(contains("`timeout` stays in `policies`, which is deprecated"));
    let exact = sandbox.hotplate("upgrade --modernize --exact-only a.yaml").assert().code(0);
    exact.stdout(contains("OS::Magnum::BayModel")).stdout(contains("OS::Aodh::Alarm"));
    let computed =
        template.replace("{retry: {count: 2}, timeout: 5}", "{get_param: OS::stack_name}");
    let sandbox = Sandbox::new(&[("a.yaml", computed)]);
    let run = sandbox.hotplate("upgrade --modernize a.yaml").assert().code(0);
    run.stderr(contains("whether `policies` contains `retry` is unknown"));
}
