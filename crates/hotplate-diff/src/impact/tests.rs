//! Tests of the decision, one rule at a time; the harness compares with Heat itself (`part_diff.py`).

use super::{ResourceDefinition, UpdateDecision, decide_update};
use crate::comparison::DefinitionPart;
use crate::comparison::Impact::{self, *};
use crate::testing::{TestDeployment, deployed};
use crate::update_rules::UpdateRule;
use crate::values::ParameterRenames;
use source_diagnostics::SourceMap;

/// The decision on the resource `r`, whose definitions are flow YAML.
fn judged_in(old: &[(&str, &str)], new: &[(&str, &str)]) -> UpdateDecision {
    let mut sources = SourceMap::default();
    let (old, new) = (deployed(old, &mut sources), deployed(new, &mut sources));
    fn definition(side: &TestDeployment) -> ResourceDefinition<'_> {
        ResourceDefinition::new(side.side().deployed, "r").expect("there")
    }
    decide_update(&definition(&old), &definition(&new), &ParameterRenames::default(), Option::None)
}

fn root(definition: &str) -> String {
    format!(
        "parameters: {{p: {{type: string}}, q: {{type: string}}}}\n\
         conditions: {{yes: true}}\n\
         resources:\n  r: {definition}\n  o: {{type: 'OS::Heat::Value', properties: {{value: 1}}}}\n"
    )
}

fn judged(old: &str, new: &str) -> UpdateDecision {
    judged_in(&[("root.yaml", &root(old))], &[("root.yaml", &root(new))])
}

/// The decision with an environment on the new side.
fn judged_under(environment: &str, old: &str, new: &str) -> UpdateDecision {
    judged_in(&[("root.yaml", &root(old))], &[("root.yaml", &root(new)), ("env.yaml", environment)])
}

fn impact(old: &str, new: &str) -> Impact {
    judged(old, new).impact
}

fn of(kind: &str, properties: &str) -> String {
    format!("{{type: '{kind}', properties: {{{properties}}}}}")
}

/// The impact of changed properties of a type.
fn change(kind: &str, old: &str, new: &str) -> Impact {
    impact(&of(kind, old), &of(kind, new))
}

#[test]
fn the_schema_says_what_can_be_updated() {
    assert_eq!(change("OS::Neutron::Net", "name: a", "name: b"), Update);
    assert_eq!(change("OS::Heat::RandomString", "length: 3", "length: 4"), Replace);
    assert_eq!(change("OS::Neutron::Trunk", "port: a", "port: b"), Refused);
    let both = judged(
        &of("OS::Neutron::Port", "network: a, name: a"),
        &of("OS::Neutron::Port", "network: b, name: b"),
    );
    assert_eq!(both.impact, Replace);
    let parts: Vec<_> = both.reasons.iter().map(|it| (it.part.clone(), it.impact)).collect();
    let property = |name: &str| DefinitionPart::Property(name.to_owned());
    assert_eq!(parts, [(property("network"), Replace), (property("name"), Update)]);
    let named =
        UpdateRule::NotUpdatable { property: "network".into(), kind: "OS::Neutron::Port".into() };
    assert_eq!(both.reasons[0].rule, named);
    assert!(both.reasons[0].places.old.is_some() && both.reasons[0].places.new.is_some());
}

#[test]
fn another_spelling_is_an_update_that_changes_nothing() {
    for (old, new) in [
        ("", "admin_state_up: true"),
        ("admin_state_up: true", "admin_state_up: 'True'"),
        ("name: '7'", "name: 7"),
        ("", "shared: null"),
    ] {
        assert_eq!(change("OS::Neutron::Net", old, new), NoopUpdate, "{old} {new}");
    }
    let port = "OS::Neutron::Port";
    assert_eq!(change(port, "network_id: n", "network: n"), NoopUpdate);
    assert_eq!(change(port, "network_id: n", "network_id: m"), Replace);
    assert_eq!(change("OS::Heat::Value", "value: 1", "value: 1.0"), None, "Python's equality");
    assert_eq!(impact("{type: 'OS::Neutron::Net'}", &of("OS::Neutron::Net", "")), NoopUpdate);
}

#[test]
fn the_other_parts_are_updated_in_place() {
    let net = |more: &str| format!("{{type: 'OS::Neutron::Net'{more}}}");
    for (old, new, expected) in [
        ("", ", metadata: {a: 1}", Update),
        ("", ", metadata: {}", NoopUpdate),
        (", metadata: {a: 1, b: 2}", ", metadata: {b: 2, a: 1}", None),
        ("", ", deletion_policy: delete", NoopUpdate),
        (", deletion_policy: Retain", ", deletion_policy: retain", None),
        ("", ", deletion_policy: retain", Update),
        ("", ", depends_on: o", Update),
        (", depends_on: o", ", depends_on: [o]", None),
        (", depends_on: o", ", depends_on: [o, o]", NoopUpdate),
        ("", ", depends_on: []", NoopUpdate),
        ("", ", condition: yes", NoopUpdate),
        ("", ", update_policy: {a: 1}", Update),
        ("", ", description: d", None),
    ] {
        assert_eq!(impact(&net(old), &net(new)), expected, "{old} {new}");
    }
    let group = |more: &str| {
        format!(
            "{{type: 'OS::Heat::ResourceGroup', properties: {{count: 0, resource_def: {{type: 'OS::Heat::None'}}}}{more}}}"
        )
    };
    let default = ", update_policy: {rolling_update: {max_batch_size: '1'}}";
    let empty = ", update_policy: {rolling_update: {}}";
    assert_eq!(impact(&group(empty), &group(default)), NoopUpdate);
    let other = ", update_policy: {rolling_update: {max_batch_size: 2}}";
    assert_eq!(impact(&group(empty), &group(other)), Update);
}

#[test]
fn a_description_serves_as_a_property_that_is_not_given() {
    let group = |properties: &str, description: &str| {
        format!(
            "{{type: 'OS::Neutron::SecurityGroup', properties: {{{properties}}}, description: {description}}}"
        )
    };
    let served = judged(&group("", "a"), &group("", "b"));
    assert_eq!((served.impact, &served.reasons[0].part), (Update, &DefinitionPart::Description));
    assert_eq!(served.reasons.len(), 1);
    assert_eq!(impact(&group("description: d", "a"), &group("description: d", "b")), None);
}

#[test]
fn types_are_the_plugins_behind_them() {
    assert_eq!(impact(&of("OS::Neutron::Net", ""), &of("OS::Neutron::Router", "")), Replace);
    assert_eq!(impact(&of("OS::Quantum::Net", ""), &of("OS::Neutron::Net", "")), NoopUpdate);
    let substitute = |kind: &str| of(kind, "config: c, servers: {}");
    let (old, new) = ("OS::Heat::SoftwareDeployments", "OS::Heat::SoftwareDeploymentGroup");
    assert_eq!(impact(&substitute(old), &substitute(new)), Update);
    assert_eq!(impact(&substitute(new), &substitute(old)), Replace);
    assert_eq!(change("OS::Senlin::Cluster", "a: 1", "a: 2"), None, "a placeholder");
    let mine = of("My::Type", "value: 1");
    let value = of("OS::Heat::Value", "value: 1");
    let registry = "resource_registry: {My::Type: OS::Heat::Value}";
    let old = [("root.yaml", root(&mine)), ("env.yaml", registry.to_owned())];
    let old = old.each_ref().map(|(name, text)| (*name, text.as_str()));
    assert_eq!(judged_in(&old, &[("root.yaml", &root(&value))]).impact, NoopUpdate);
    let nothing = "resource_registry: {My::Type: OS::Heat::None}";
    let new = [("root.yaml", root(&mine)), ("env.yaml", nothing.to_owned())];
    let new = new.each_ref().map(|(name, text)| (*name, text.as_str()));
    assert_eq!(judged_in(&old, &new).impact, Replace);
}

#[test]
fn templates_are_all_of_one_class_and_take_any_change() {
    let inner = "parameters: {p: {type: string, default: ''}}\n";
    let files = |kind: &str, properties: &str| {
        let root = root(&of(kind, properties));
        [("root.yaml", root), ("a.yaml", inner.to_owned()), ("b.yaml", inner.to_owned())]
    };
    let impact = |old: [(&str, String); 3], new: [(&str, String); 3]| {
        let old = old.each_ref().map(|(name, text)| (*name, text.as_str()));
        let new = new.each_ref().map(|(name, text)| (*name, text.as_str()));
        judged_in(&old, &new).impact
    };
    assert_eq!(impact(files("a.yaml", "p: x"), files("a.yaml", "p: x")), None);
    assert_eq!(impact(files("a.yaml", "p: x"), files("a.yaml", "p: y")), Update);
    assert_eq!(impact(files("a.yaml", "p: '1'"), files("a.yaml", "p: 1")), NoopUpdate);
    assert_eq!(impact(files("a.yaml", "p: x"), files("b.yaml", "p: x")), Update);
    assert_eq!(impact(files("a.yaml", "p: x"), files("OS::Heat::Value", "value: x")), Replace);
}

#[test]
fn what_is_adopted_is_refused_or_left_alone() {
    let net = |id: &str, more: &str| format!("{{type: 'OS::Neutron::Net'{id}{more}}}");
    let (x, y) = (", external_id: x", ", external_id: y");
    let changed = ", properties: {name: b}";
    assert_eq!(impact(&net("", ""), &net(x, "")), Refused);
    assert_eq!(impact(&net(x, ""), &net("", "")), Refused);
    assert_eq!(impact(&net(x, ""), &net(y, "")), Refused);
    assert_eq!(impact(&net(x, ""), &net(x, changed)), None);
}

#[test]
fn policies_of_a_server_decide() {
    let server = |more: &str| of("OS::Nova::Server", &format!("image: i{more}"));
    let impact = |old: &str, new: &str| impact(&server(old), &server(new));
    assert_eq!(impact(", flavor: f", ", flavor: g"), Update);
    assert_eq!(impact(", flavor: f", ", flavor: g, flavor_update_policy: REPLACE"), Replace);
    assert_eq!(impact(", flavor: f, user_data: a", ", flavor: f, user_data: b"), Replace);
    let ignored = ", flavor: f, user_data_update_policy: IGNORE, user_data: ";
    assert_eq!(impact(&format!("{ignored}a"), &format!("{ignored}b")), Update);
    let judgement = judged(&server(", flavor: f"), &server(", flavor: g"));
    let why = UpdateRule::Policy {
        property: "flavor".into(),
        policy: "flavor_update_policy".into(),
        value: "RESIZE".into(),
        default: true,
    };
    assert_eq!(judgement.reasons[0].rule, why);
}

#[test]
fn plugins_decide_themselves() {
    let port = "OS::Neutron::Port";
    let always = "network: n, replacement_policy: REPLACE_ALWAYS";
    assert_eq!(change(port, always, always), Replace);
    assert_eq!(change(port, always, "network: n, replacement_policy: AUTO"), Update);
    let address = "AWS::EC2::EIPAssociation";
    assert_eq!(change(address, "EIP: a", "EIP: b"), Update);
    assert_eq!(change(address, "EIP: a, InstanceId: i", "EIP: b, InstanceId: j"), Replace);
    assert_eq!(change(address, "EIP: a, InstanceId: i", "EIP: a, InstanceId: j"), Update);
    let launch = |more: &str| {
        format!(
            "{{type: 'AWS::AutoScaling::LaunchConfiguration', properties: {{ImageId: i, InstanceType: t}}{more}}}"
        )
    };
    assert_eq!(impact(&launch(""), &launch(", metadata: {}")), Replace);
    let external = "OS::Mistral::ExternalResource";
    let input = |value: u8, list: &str| {
        format!(
            "actions: {{CREATE: {{workflow: w}}}}, input: {{a: {value}}}, replace_on_change_inputs: [{list}]"
        )
    };
    assert_eq!(change(external, &input(1, "a"), &input(2, "a")), Replace);
    assert_eq!(change(external, &input(1, "b"), &input(2, "b")), Update);
    let stack = "OS::Heat::Stack";
    let region = |name: &str| format!("template: '', context: {{region_name: {name}}}");
    assert_eq!(change(stack, &region("a"), &region("b")), Replace);
    assert_eq!(change(stack, &region("a"), &region("a")), None);
}

#[test]
fn inputs_of_deployments_may_replace_them() {
    let deployed = |inputs: &str, values: &str| {
        let config =
            format!("{{type: 'OS::Heat::SoftwareConfig', properties: {{inputs: [{inputs}]}}}}");
        let properties =
            format!("server: s, config: {{get_resource: c}}, input_values: {{{values}}}");
        let resource = of("OS::Heat::SoftwareDeployment", &properties);
        format!("resources:\n  r: {resource}\n  c: {config}\n")
    };
    let impact =
        |old: &str, new: &str| judged_in(&[("root.yaml", old)], &[("root.yaml", new)]).impact;
    let replacing = "{name: a, replace_on_change: true}, {name: b}";
    assert_eq!(impact(&deployed(replacing, "a: 1"), &deployed(replacing, "a: 2")), Replace);
    assert_eq!(impact(&deployed(replacing, "b: 1"), &deployed(replacing, "b: 2")), Update);
    let default = "{name: a, default: '1', replace_on_change: true}";
    assert_eq!(impact(&deployed(default, "b: 1"), &deployed(default, "b: 1, a: '1'")), Update);
    assert_eq!(
        impact(&deployed("", "a: 1"), &deployed(replacing, "a: 2")),
        Update,
        "no input before"
    );
}

#[test]
fn what_every_update_does_is_told_apart() {
    let handle = of("OS::Heat::UpdateWaitConditionHandle", "");
    let same = judged(&handle, &handle);
    assert_eq!((same.impact, same.unconditional), (Replace, true));
    let described =
        "{type: 'OS::Heat::UpdateWaitConditionHandle', properties: {}, metadata: {a: 1}}";
    let other = judged(&handle, described);
    assert_eq!((other.impact, other.unconditional), (Replace, false));
    assert!(!judged(&of("OS::Neutron::Net", ""), &of("OS::Neutron::Net", "")).unconditional);
}

#[test]
fn the_new_environment_forbids_actions() {
    let registry = |actions: &str| {
        format!("resource_registry: {{resources: {{'r*': {{restricted_actions: [{actions}]}}}}}}")
    };
    let update = (of("OS::Neutron::Net", "name: a"), of("OS::Neutron::Net", "name: b"));
    let replace =
        (of("OS::Heat::RandomString", "length: 3"), of("OS::Heat::RandomString", "length: 4"));
    for (actions, on_update, on_replace) in [
        ("update", Refused, Replace),
        ("replace", Update, Refused),
        ("update, replace", Refused, Refused),
    ] {
        let registry = registry(actions);
        assert_eq!(judged_under(&registry, &update.0, &update.1).impact, on_update, "{actions}");
        assert_eq!(judged_under(&registry, &replace.0, &replace.1).impact, on_replace, "{actions}");
        let same = judged_under(&registry, &update.0, &update.0);
        assert_eq!((same.impact, same.reasons.len()), (None, 0), "{actions}");
    }
}

#[test]
fn what_is_not_known_may_be_the_same() {
    let net = "OS::Neutron::Net";
    assert_eq!(change(net, "name: {get_param: p}", "name: {get_param: p}"), None);
    assert_eq!(change(net, "name: {get_param: p}", "name: {get_param: q}"), Update);
    let random = "OS::Heat::RandomString";
    assert_eq!(change(random, "length: {get_param: p}", "length: 4"), MayReplace);
    assert_eq!(change("OS::Neutron::Trunk", "port: {get_param: p}", "port: a"), MayReplace);
    let server = |flavor: &str, policy: &str| {
        format!("image: i, flavor: {flavor}, flavor_update_policy: {policy}")
    };
    let change = |old: &str, new: &str| change("OS::Nova::Server", old, new);
    assert_eq!(change(&server("f", "REPLACE"), &server("{get_param: p}", "REPLACE")), MayReplace);
    assert_eq!(change(&server("f", "RESIZE"), &server("{get_param: p}", "RESIZE")), Update);
    assert_eq!(change(&server("f", "{get_param: p}"), &server("g", "{get_param: p}")), MayReplace);
}

#[test]
fn what_fails() {
    let random = "OS::Heat::RandomString";
    let failing = judged(&of(random, "length: [1]"), &of(random, "length: [1]"));
    assert_eq!((failing.impact, failing.unconditional), (Refused, true));
    assert_eq!(failing.reasons[0].rule, UpdateRule::Fails);
    assert_eq!(change(random, "length: 3", "length: [1]"), Refused);
}

#[test]
fn properties_by_one_function() {
    let net = "OS::Neutron::Net";
    let merged = format!("{{type: '{net}', properties: {{map_merge: [{{name: a}}]}}}}");
    assert_eq!(impact(&of(net, "name: a"), &merged), None);
    assert_eq!(impact(&of(net, "name: b"), &merged), Update);
    let unknown = format!("{{type: '{net}', properties: {{get_attr: [o, value]}}}}");
    assert_eq!(impact(&unknown, &unknown), None);
    assert_eq!(impact(&of(net, "name: b"), &unknown), MayReplace);
}

#[test]
fn an_image_that_changes_rebuilds_a_server() {
    let server = |more: &str| of("OS::Nova::Server", &format!("flavor: f{more}"));
    let judged = |old: &str, new: &str| judged(&server(old), &server(new));
    let rebuilt = judged(", image: i", ", image: j, name: n");
    assert_eq!(rebuilt.impact, Rebuild);
    assert_eq!(
        rebuilt.reasons[0].rule.sentence(Rebuild),
        "changing `image` rebuilds the server: its root disk is rewritten (`image_update_policy`: REBUILD, the default)"
    );
    let policy =
        |image: &str, policy: &str| format!(", image: {image}, image_update_policy: {policy}");
    let keeps = "REBUILD_PRESERVE_EPHEMERAL";
    assert_eq!(judged(&policy("i", keeps), &policy("j", keeps)).impact, Rebuild);
    assert_eq!(judged(&policy("i", "REBUILD"), &policy("j", "REPLACE")).impact, Replace);
    assert_eq!(judged(", image: i", ", image: i").impact, None);
    let volume = "OS::Cinder::Volume";
    assert_eq!(change(volume, "size: 1, backup_id: a", "size: 1, backup_id: b"), Rebuild);
}

#[test]
fn what_a_plugin_refuses_while_the_update_runs_is_refused() {
    let volume = "OS::Cinder::Volume";
    let shrunk = judged(&of(volume, "size: 2"), &of(volume, "size: 1, name: n"));
    assert_eq!(shrunk.impact, Refused);
    let because = UpdateRule::FailsWhileRunning { why: "Heat does not make a volume smaller" };
    assert_eq!(shrunk.reasons[0].rule, because);
    for (kind, old, new, expected) in [
        (volume, "size: 1", "size: 2", Update),
        (volume, "size: '2'", "size: 1", Refused),
        (volume, "size: 2", "size: {get_param: p}", Update),
        (volume, "size: 2, image: i", "image: i", Refused),
        // A replacement does not update the old volume.
        (volume, "size: 2, availability_zone: a", "size: 1, availability_zone: b", Replace),
        (
            volume,
            "size: 2, availability_zone: a",
            "size: 1, availability_zone: {get_param: p}",
            MayReplace,
        ),
        (volume, "size: 1, backup_id: a", "size: 1", Refused),
        (volume, "size: 1, volume_type: a", "size: 1", Refused),
        (
            "OS::Neutron::Subnet",
            "network: n, gateway_ip: 10.0.0.1",
            "network: n, gateway_ip: auto",
            Refused,
        ),
        ("OS::Neutron::Subnet", "network: n, segment: a", "network: n, segment: b", Refused),
        ("OS::Neutron::Subnet", "network: n", "network: n, segment: b", Update),
        ("OS::Neutron::SubnetPool", "prefixes: [10.0.0.0/8]", "prefixes: [10.0.0.0/9]", Refused),
        ("OS::Neutron::SubnetPool", "prefixes: [10.0.0.0/9]", "prefixes: [10.0.0.0/8]", Update),
        ("OS::Trove::Instance", "size: 2, flavor: f", "size: 1, flavor: f", Refused),
        ("OS::Nova::Server", "image: i, flavor: f", "flavor: f", Refused),
        (
            "OS::Nova::Server",
            "image: i, flavor: f, user_data: a, user_data_update_policy: REBUILD",
            "image: i, flavor: f, user_data: b, user_data_update_policy: REBUILD",
            Refused,
        ),
        ("OS::Cinder::QoSSpecs", "specs: {a: b}", "specs: {a: c}", Update),
    ] {
        assert_eq!(change(kind, old, new), expected, "{kind}: {old} → {new}");
    }
    let specs = |metadata: &str| {
        format!(
            "{{type: 'OS::Cinder::QoSSpecs', properties: {{specs: {{a: b}}}}, metadata: {metadata}}}"
        )
    };
    assert_eq!(impact(&specs("{a: 1}"), &specs("{a: 2}")), Refused);
    assert_eq!(impact(&specs("{a: 1}"), &specs("{a: 1}")), None);
}
