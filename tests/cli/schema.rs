//! `hotplate schema`: the facts about resource types.

use predicates::str::{contains, is_empty};
use serde_json::Value;

use crate::cli::sandbox::Sandbox;

fn schema(arguments: &str) -> assert_cmd::assert::Assert {
    let files: &[(&str, &str)] = &[];
    Sandbox::new(files).hotplate(format!("schema {arguments}").trim_end()).assert()
}

fn report(arguments: &str) -> Value {
    let output = schema(&format!("{arguments} --format json")).success().get_output().clone();
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn property(report: &Value, path: &str) -> Value {
    let properties = report["types"][0]["properties"].as_array().expect("properties");
    let found = properties.iter().find(|property| property["path"] == path);
    found.unwrap_or_else(|| panic!("no {path}")).clone()
}

#[test]
fn a_type_with_its_properties_and_attributes() {
    schema("OS::Neutron::Port")
        .success()
        .stderr(is_empty())
        .stdout(contains("* network "))
        .stdout(contains("fixed_ips[].subnet "))
        .stdout(contains("Attributes for get_attr"))
        .stdout(contains("also: OS::Quantum::Port"))
        .stdout(contains("docs.openstack.org"));
    let port = report("OS::Neutron::Port");
    assert_eq!(property(&port, "network")["update"]["impact"], "replace");
    assert_eq!(property(&port, "network")["required"], true);
    assert_eq!(property(&port, "network")["old_names"][0], "network_id");
    assert_eq!(property(&port, "network_id")["moved_to"], "network");
    assert_eq!(property(&port, "name")["update"]["impact"], "update");
    assert_eq!(property(&port, "fixed_ips[].subnet_id")["moved_to"], "fixed_ips[].subnet");
    assert_eq!(property(&port, "fixed_ips[].subnet_id")["status"]["status"], "hidden");
    let alias = report("OS::Quantum::Port");
    assert_eq!(alias["types"][0]["name"], "OS::Neutron::Port");
}

#[test]
fn a_map_with_values_of_its_siblings_is_no_old_name_of_one_of_them() {
    let workflow = report("OS::Mistral::Workflow");
    assert_eq!(property(&workflow, "tasks[].retry")["old_names"][0], "tasks[].policies.retry");
    assert_eq!(property(&workflow, "tasks[].policies")["moved_to"], Value::Null);
}

#[test]
fn policies_decide_about_updates() {
    let server = report("OS::Nova::Server");
    let user_data = property(&server, "user_data");
    assert_eq!(user_data["update"]["impact"], "replace");
    let rules = user_data["update"]["rules"][0].as_str().expect("a rule");
    assert!(rules.contains("user_data_update_policy"), "{rules}");
    assert_eq!(property(&server, "flavor")["update"]["impact"], "update");
}

#[test]
fn rules_of_plugins_are_stated() {
    schema("OS::Neutron::Subnet").success().stdout(contains("`cidr` exclude each other"));
    let prefix = report("OS::Neutron::Subnet prefixlen");
    let rules = prefix["types"][0]["property_rules"].as_array().expect("rules").clone();
    assert!(rules.iter().all(|it| it.as_str().expect("a rule").contains("`prefixlen`")));
    assert!(!rules.is_empty());
    let unknown = report("OS::Nova::Server")["types"][0]["unknown"].to_string();
    assert!(unknown.contains("further rules"), "{unknown}");
}

#[test]
fn one_property_or_attribute() {
    let networks = report("OS::Nova::Server networks.port_extra_properties");
    let paths = networks["types"][0]["properties"].as_array().expect("properties");
    assert!(paths.len() > 5);
    assert!(paths.iter().all(|it| {
        it["path"].as_str().expect("a path").starts_with("networks[].port_extra_properties")
    }));
    schema("OS::Nova::Server first_address")
        .success()
        .stdout(contains("attribute first_address of OS::Nova::Server"))
        .stdout(contains("use the attribute `networks` instead"));
    schema("OS::Nova::Server flavour").code(2).stderr(contains("did you mean `flavor`?"));
    schema("OS::Nova::Servr").code(2).stderr(contains("did you mean `OS::Nova::Server`?"));
    schema("My::Own::Thing").code(2).stderr(contains("--search WORD"));
}

#[test]
fn the_status_is_that_of_the_release() {
    let status = |arguments: &str| {
        let report = report(arguments);
        let status = &report["types"][0]["status"]["status"];
        status.as_str().expect("a status").to_owned()
    };
    assert_eq!(status("OS::Neutron::LBaaS::Pool"), "hidden");
    assert_eq!(status("OS::Neutron::LBaaS::Pool --heat queens"), "supported");
    assert_eq!(status("OS::Neutron::LBaaS::Pool --heat kilo"), "absent");
    let unknown = |arguments: &str| report(arguments)["types"][0]["unknown"].to_string();
    assert!(unknown("OS::Neutron::LBaaS::Pool --heat queens").contains("dropped"));
    assert!(!unknown("OS::Neutron::Net").contains("dropped"));
    schema("OS::Neutron::Net --heat quens").code(2).stderr(contains("`queens`"));
}

#[test]
fn a_search_looks_everywhere() {
    let found = report("--search FLOATING_IP");
    let matches = found["matches"].as_array().expect("matches");
    let of =
        |kind: &str, name: &str| matches.iter().any(|it| it["kind"] == kind && it["name"] == name);
    assert!(of("property", "networks[].floating_ip"));
    assert!(of("attribute", "floating_ip_address"));
    assert!(!of("type", "OS::Neutron::FloatingIP"), "it has no underscore");
    schema("--search floatingip").success().stdout(contains("OS::Neutron::FloatingIP\n"));
    schema("--search quantum::net").success().stdout(contains("alias OS::Quantum::Net"));
    schema("--search nothing-like-this").code(1).stdout(is_empty());
    schema("").success().stdout(contains("OS::Zun::Container"));
}

#[test]
fn schemas_for_editors() {
    let read = |arguments: &str| -> Value {
        let output = schema(arguments).success().stderr(is_empty()).get_output().clone();
        serde_json::from_slice(&output.stdout).expect("JSON")
    };
    for arguments in ["--json-schema", "--json-schema template", "--json-schema --heat queens"] {
        let schema = read(arguments);
        assert_eq!(schema["$schema"], "http://json-schema.org/draft-07/schema#");
        assert_eq!(schema["required"][0], "heat_template_version");
    }
    let network = read("--json-schema")["definitions"]["OS::Neutron::Port"]["properties"]
        ["properties"]["anyOf"][0]["properties"]["network_id"]
        .clone();
    assert_eq!(network["deprecated"], true);
    let hover = network["description"].as_str().expect("a text");
    assert!(hover.contains("update: replaces"), "{hover}");
    assert!(hover.contains("use the property `network` instead"), "{hover}");
    let environment = read("--json-schema environment");
    assert!(environment["properties"]["resource_registry"].is_object());
    schema("--json-schema things").code(2).stderr(contains("environment"));
    schema("OS::Nova::Server --json-schema").code(2).stderr(contains("--json-schema"));
}
