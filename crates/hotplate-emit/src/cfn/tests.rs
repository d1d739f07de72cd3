//! Tests of the rules, on whole templates.

mod known_structure;
mod native;
mod parameters;

use crate::testing::rendered_files;
use source_diagnostics::Severity;

use crate::{EmitOutput, LossKind, OutputSyntax};

/// The result for files, the first of which is the root template.
fn emitted(files: &[(&str, &str)], given: &[&str], bake: &[&str]) -> EmitOutput {
    rendered_files(&super::Cfn, Some(OutputSyntax::Yaml), files, given, bake)
}

/// The one file that a template results in.
fn text(template: &str) -> String {
    emitted(&[("root.yaml", template)], &[], &[]).files.remove(0).text
}

fn holds(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no «{part}» in\n{text}");
    }
}

fn lost(emitted: &EmitOutput, kind: LossKind, subject: &str) -> bool {
    emitted.losses.iter().any(|loss| loss.kind == kind && loss.subject == subject)
}

#[test]
fn a_volume_is_in_the_zone_of_its_server_unless_that_is_made_of_it() {
    let attachment = "  att: {type: OS::Cinder::VolumeAttachment, properties: {volume_id: {get_resource: vol}, instance_uuid: {get_resource: server}}}
  vol: {type: OS::Cinder::Volume, properties: {size: 1}}
";
    let server = |more: &str| {
        format!(
            "resources:\n{attachment}  server:\n    type: OS::Nova::Server\n{more}    properties: {{flavor: a, image: b}}\n"
        )
    };
    let free = text(&server(""));
    holds(&free, &["AvailabilityZone:\n        Fn::GetAtt:\n          - Server"]);
    let bound = text(&server("    depends_on: vol\n"));
    holds(&bound, &["AvailabilityZone:\n        Ref: VolAvailabilityZone"]);
}

#[test]
fn nested_templates_are_files_and_groups_are_their_members() {
    let node = "\
parameters:
  name: {type: string}
resources:
  server: {type: OS::Nova::Server, properties: {name: {get_param: name}, image: cirros, flavor: m1.tiny}}
outputs:
  address: {value: {get_attr: [server, first_address]}}
";
    let root = "\
resources:
  nodes:
    type: OS::Heat::ResourceGroup
    properties: {count: 2, resource_def: {type: node.yaml, properties: {name: n-%index%}}}
outputs:
  all: {value: {get_attr: [nodes, address]}}
  first: {value: {get_attr: [nodes, resource.0.address]}}
";
    let emitted = emitted(&[("root.yaml", root), ("node.yaml", node)], &[], &[]);
    let names: Vec<_> = emitted.files.iter().map(|file| file.path.clone()).collect();
    assert_eq!(names, [Some("root.yaml".into()), Some("node.yaml".into())]);
    holds(
        &emitted.files[0].text,
        &[
            "Nodes0:\n    Type: AWS::CloudFormation::Stack",
            "TemplateURL:\n        Ref: NodeTemplateUrl",
            "Name: n-0",
            "Name: n-1",
            "ImageCirros:\n          Ref: ImageCirros",
            "- Nodes1\n              - Outputs.Address",
        ],
    );
    assert!(lost(&emitted, LossKind::Value, "all"), "a list becomes a string with commas");
}

#[test]
fn a_bucket_is_open_to_those_to_whom_heat_opens_it() {
    let bucket = |access: &str| {
        let template = format!(
            "
parameters:
  access: {{type: string}}
resources:
  files: {{type: AWS::S3::Bucket, properties: {{AccessControl: {access}}}}}
"
        );
        emitted(&[("root.yaml", &template)], &[], &[])
    };
    for access in ["PublicRead", "PublicReadWrite"] {
        let emitted = bucket(access);
        let text = &emitted.files[0].text;
        let settings =
            ["ObjectOwnership: ObjectWriter", "BlockPublicAcls: false", "IgnorePublicAcls: false"];
        holds(text, &[&format!("AccessControl: {access}")]);
        holds(text, &settings);
        assert!(emitted.losses.iter().all(|loss| loss.severity == Severity::Note), "{text}");
    }
    for (access, is_lost) in [
        ("Private", false),
        ("BucketOwnerRead", false),
        ("AuthenticatedRead", true),
        ("{get_param: access}", true),
    ] {
        let emitted = bucket(access);
        let text = &emitted.files[0].text;
        assert!(!text.contains("\n      AccessControl"), "{text}");
        assert_eq!(lost(&emitted, LossKind::Property, "AccessControl"), is_lost, "{text}");
    }
}

/// The subjects of the losses that are more than notes.
fn lost_subjects(emitted: &EmitOutput) -> Vec<&str> {
    let losses = emitted.losses.iter().filter(|loss| loss.severity != Severity::Note);
    losses.map(|loss| loss.subject.as_str()).collect()
}

#[test]
fn a_wait_condition_waits_only_for_signals_that_are_sent() {
    let template = |user_data: &str| {
        format!(
            "\
resources:
  handle: {{type: OS::Heat::WaitConditionHandle}}
  condition:
    type: OS::Heat::WaitCondition
    properties: {{handle: {{get_resource: handle}}, timeout: 600}}
  server:
    type: OS::Nova::Server
    properties: {{flavor: m1.tiny, image: cirros, user_data_format: RAW, user_data: {user_data}}}
"
        )
    };
    let sent = template(
        "{str_replace: {params: {NOTIFY: {get_attr: [handle, curl_cli]}}, template: \"NOTIFY --data-binary '{}'\\n\"}}",
    );
    let sent = emitted(&[("root.yaml", &sent)], &[], &[]);
    holds(
        &sent.files[0].text,
        &[
            "curl -X PUT -H 'Content-Type:' '${Handle}' --data-binary '{\"Status\": \"SUCCESS\"",
            "Timeout: '600'",
        ],
    );
    assert!(lost_subjects(&sent).is_empty(), "{:?}", sent.losses);
    let silent = emitted(&[("root.yaml", &template("echo"))], &[], &[]);
    assert!(!silent.files[0].text.contains("Timeout"), "{}", silent.files[0].text);
    assert_eq!(lost_subjects(&silent), ["OS::Heat::WaitCondition"]);
}

#[test]
fn what_has_no_effect_in_aws_is_a_note() {
    let template = |more: &str| {
        format!(
            "\
resources:
  net: {{type: OS::Neutron::Net, properties: {{admin_state_up: true, shared: false}}}}
  sub:
    type: OS::Neutron::Subnet
    properties: {{network: {{get_resource: net}}, cidr: 10.0.0.0/24, gateway_ip: 10.0.0.1, dns_nameservers: [8.8.8.8]{more}}}
  vol: {{type: OS::Cinder::Volume, properties: {{size: 1, description: data}}}}
"
        )
    };
    let same = emitted(&[("root.yaml", &template(""))], &[], &[]);
    holds(
        &same.files[0].text,
        &[
            "DependsOn: SubDhcpOptionsAssociation",
            "DomainNameServers:\n        - 8.8.8.8",
            "- Key: Description\n          Value: data",
        ],
    );
    assert!(lost_subjects(&same).is_empty(), "{:?}", same.losses);
    let other = emitted(&[("root.yaml", &template(", enable_dhcp: false"))], &[], &[]);
    assert_eq!(lost_subjects(&other), ["enable_dhcp"]);
}

#[test]
fn values_that_are_inlined_too_often_or_too_deep_are_lost() {
    let chain = |value: fn(usize) -> String, length: usize| {
        let mut template =
            "resources:\n  v0: {type: OS::Heat::Value, properties: {value: {get_param: p}}}\n"
                .to_owned();
        for at in 0..length {
            template += &format!(
                "  v{}: {{type: OS::Heat::Value, properties: {{value: {}}}}}\n",
                at + 1,
                value(at)
            );
        }
        template += &format!(
            "parameters: {{p: {{type: string}}}}\noutputs:\n  o: {{value: {{get_attr: [v{length}, value]}}}}\n"
        );
        emitted(&[("root.yaml", &template)], &[], &[])
    };
    let once = |at: usize| format!("{{get_attr: [v{at}, value]}}");
    let twice = |at: usize| {
        format!(
            "{{list_join: [',', [{{get_attr: [v{at}, value]}}, {{get_attr: [v{at}, value]}}]]}}"
        )
    };
    assert_eq!(chain(once, 20).losses.len(), 0);
    assert_eq!(chain(twice, 5).losses.len(), 0);
    for (emitted, reason) in [
        (chain(once, 400), "is computed from too many others in a chain"),
        (chain(twice, 40), "is used too often, or is too large"),
    ] {
        let messages = emitted.losses.iter().map(|loss| loss.message.as_str());
        let of_values: Vec<&str> = messages.filter(|it| it.starts_with("the value of")).collect();
        assert!(of_values.len() == 1 && of_values[0].ends_with(reason), "{of_values:?}");
    }
}
