//! Secrets in every place that may hold one, in deployments that work and in broken ones: no output has any.
//!
//! `HOTPLATE_LEAK_DRAWS` is the number of draws; 20,000 are for a night.

use std::fmt::Write;

use proptest::prelude::*;
use proptest::sample::select;

use crate::sandbox::Sandbox;

/// Forms of a password without quotes, some of which are no YAML; `S` is the password.
const FORMS: [&str; 26] = [
    "S",
    "*S",
    "@S",
    "%S",
    "!S",
    "&S",
    "S: S",
    "'S",
    "\"S",
    "{S",
    "[S",
    "S #S",
    "|S",
    ">S",
    "`S",
    "- S",
    "? S",
    "!!int S",
    "&a S",
    "{a: S, a: S}",
    "{S: 1, S: 2}",
    "[S, [S]]",
    "|\n      S\n      S: S",
    "\"S\n      S\"",
    "!<S> S",
    "{a: &b S, c: *b}",
];

/// Sections of an environment, two of them misspelled.
const SECTIONS: [&str; 4] = ["parameters", "parameter_defaults", "parameter_default", "paramters"];

/// Parameters: one that is hidden, one that is encrypted, one that only a child declares, and two that nothing
/// declares.
const NAMES: [&str; 5] = ["hidden", "encrypted", "DbPassword", "hiden", "Undeclared"];

/// Uses of a parameter `P`.
const USES: [&str; 22] = [
    "type: OS::Nova::Server, properties: {flavor: {get_param: P}, image: {get_param: P}, key_name: {get_param: P}}",
    "type: OS::Nova::Server, properties: {flavor: f, image: i, user_data: {str_replace: {template: 'a $x', params: {$x: {get_param: P}}}}}",
    "type: OS::Nova::Server, properties: {flavor: f, networks: [{network: {get_param: P}, fixed_ip: {get_param: P}}], availability_zone: {get_param: P}}",
    "type: OS::Nova::Server, properties: {flavor: f, block_device_mapping_v2: [{device_name: {get_param: P}, volume_id: {get_param: P}}]}",
    "type: OS::Nova::Server, properties: {flavor: {str_split: ['-', {get_param: P}, 9]}}",
    "type: OS::Nova::Server, properties: {flavor: f, metadata: {get_param: P}, scheduler_hints: {get_param: P}}",
    "type: OS::Cinder::Volume, properties: {size: {get_param: P}, volume_type: {get_param: P}}",
    "type: OS::Neutron::SecurityGroup, properties: {rules: [{protocol: {get_param: P}, remote_ip_prefix: {get_param: P}, port_range_min: {get_param: P}}]}",
    "type: OS::Neutron::SecurityGroup, properties: {rules: {get_param: P}, description: {get_param: P}}",
    "type: OS::Neutron::Subnet, properties: {network: n, cidr: {get_param: P}, gateway_ip: {get_param: P}, allocation_pools: {get_param: P}}",
    "type: OS::Neutron::Port, properties: {network: {get_param: P}, fixed_ips: [{ip_address: {get_param: P}}]}",
    "type: OS::Heat::Value, properties: {value: {str_split: [{get_param: P}, {get_param: [P, {get_param: P}]}]}}",
    "type: OS::Heat::Value, properties: {value: {list_join: [{get_param: P}, {get_param: P}]}}",
    "type: OS::Heat::Value, properties: {value: {map_merge: [{get_param: P}, {a: {get_param: P}}]}}",
    "type: OS::Heat::Value, properties: {value: {yaql: {expression: '$.data.x.toInt()', data: {x: {get_param: P}}}}}",
    "type: OS::Heat::Value, properties: {value: {repeat: {for_each: {x: {get_param: P}}, template: x}}}",
    "type: OS::Heat::Value, properties: {type: number, value: {get_param: P}}",
    "type: OS::Heat::Value, properties: {value: {get_attr: [{get_param: P}, {get_param: P}]}}",
    "type: OS::Heat::ResourceGroup, properties: {count: {get_param: P}, resource_def: {type: OS::Heat::Value, properties: {value: {get_param: P}}}}",
    "type: child.yaml, properties: {DbPassword: {get_param: P}}",
    "type: OS::Heat::Stack, properties: {template: {get_param: P}, parameters: {x: {get_param: P}}}",
    "type: OS::Heat::RandomString, properties: {length: {get_param: P}}, deletion_policy: {get_param: P}",
];

/// What is deployed, and what is asked.
#[derive(Clone, Debug)]
struct Draw {
    secrets: Vec<String>,
    /// Section, name and form of each value of the environment; the secrets are taken in turn.
    values: Vec<(usize, usize, usize)>,
    flow: bool,
    /// The form of the default of the hidden parameter.
    default: Option<usize>,
    kind: &'static str,
    uses: Vec<(usize, usize)>,
    child: u8,
    /// Whether the template itself is broken.
    broken: bool,
    argument: Option<usize>,
    command: &'static str,
    format: usize,
}

/// Commands with their formats. What is written in the place of the template has its defaults: there only
/// what is said beside it counts, and so it is where a default is planted.
const COMMANDS: [(&str, bool, &[&str]); 10] = [
    ("env", true, &["--format text", "--format json"]),
    (
        "eval",
        true,
        &[
            "--format text",
            "--format json",
            "--format yaml",
            "--nested",
            "--nested --format json",
            "--fill",
        ],
    ),
    (
        "diff --old-e old.yaml root.yaml",
        true,
        &[
            "--format text",
            "--format json",
            "--format markdown",
            "--format html",
            "--format sarif",
            "--format junit",
            "--format github",
            "--format gitlab",
            "-v --explain-match --context 9",
            "--stat",
        ],
    ),
    (
        "render",
        true,
        &[
            "-t cfn --bake",
            "-t cfn",
            "-t terraform --bake",
            "-t terraform -o out",
            "-t pulumi --bake",
            "-t pulumi",
            "-t ansible --bake -o out",
            "-t cfn --bake --format json -o out",
            "-t heat-cfn",
            "-t hot",
            "-t mermaid",
            "-t markdown",
        ],
    ),
    ("upgrade --check", false, &["", "-v", "--format json"]),
    ("upgrade --diff", false, &["", "-v"]),
    ("versions", false, &["", "--format json", "-v"]),
    ("ir", false, &["", "--text"]),
    ("capabilities resolve", true, &["--format text", "--format json"]),
    ("capabilities list", false, &["", "--format json"]),
];

fn draws() -> u32 {
    let asked = std::env::var("HOTPLATE_LEAK_DRAWS").ok();
    asked.and_then(|number| number.parse().ok()).unwrap_or(500)
}

fn any_secret() -> impl Strategy<Value = String> {
    "[jqxz][0-9jqxz]{11}"
}

fn any_draw() -> impl Strategy<Value = Draw> {
    let value = (0..SECTIONS.len(), 0..NAMES.len(), prop_oneof![Just(0), 0..FORMS.len()]);
    let commands: Vec<&'static str> = COMMANDS.iter().map(|(command, ..)| *command).collect();
    let secrets = prop::collection::vec(any_secret(), 4);
    let deployment = (
        secrets,
        prop::collection::vec(value, 0..6),
        any::<bool>(),
        prop::option::of(0..FORMS.len()),
        select(vec!["string", "number", "json", "comma_delimited_list", "boolean", "strng"]),
        prop::collection::vec((0..USES.len(), 0..2usize), 0..5),
    );
    let around = (
        0..5u8,
        prop::bool::weighted(0.1),
        prop::option::weighted(0.3, 0..NAMES.len()),
        select(commands),
        0..60usize,
    );
    (deployment, around).prop_map(
        |(
            (secrets, values, flow, default, kind, uses),
            (child, broken, argument, command, format),
        )| Draw {
            secrets,
            values,
            flow,
            default,
            kind,
            uses,
            child,
            broken,
            argument,
            command,
            format,
        },
    )
}

impl Draw {
    fn planted(&self, form: usize, turn: usize) -> String {
        FORMS[form].replace('S', &self.secrets[turn % self.secrets.len()])
    }

    fn environment(&self, turn: usize) -> String {
        let mut text = String::from("encrypted_param_names: [encrypted]\n");
        for (at, section) in SECTIONS.iter().enumerate() {
            let values = self.values.iter().enumerate().filter(|(_, value)| value.0 == at);
            let pairs: Vec<String> = values
                .map(|(number, (_, name, form))| {
                    format!("{}: {}", NAMES[*name], self.planted(*form, turn + number))
                })
                .collect();
            match (pairs.is_empty(), self.flow) {
                (true, _) => {}
                (false, true) => {
                    writeln!(text, "{section}: {{{}}}", pairs.join(", ")).expect("text")
                }
                (false, false) => {
                    writeln!(text, "{section}:\n  {}", pairs.join("\n  ")).expect("text")
                }
            }
        }
        text
    }

    fn template(&self) -> String {
        let default = self.default.map(|form| self.planted(form, 3));
        let default = default.map_or(String::new(), |it| format!("\n    default: {it}"));
        let mut text = format!(
            "heat_template_version: 2021-04-16
parameters:
  hidden:
    type: {}
    hidden: true{default}
  encrypted: {{type: string}}
resources:
  none: {{type: OS::Heat::None}}
",
            self.kind
        );
        for (at, (usage, name)) in self.uses.iter().enumerate() {
            let usage = USES[*usage].replace("P}", &format!("{}}}", NAMES[*name]));
            let usage = usage.replace("[P,", &format!("[{},", NAMES[*name]));
            writeln!(text, "  r{at}: {{{usage}}}").expect("text");
        }
        if self.broken {
            text.push_str("outputs: [\n");
        }
        text
    }

    fn child(&self) -> Option<String> {
        let form = match self.child {
            0 => return None,
            1 => "'S'",
            2 => "*S",
            3 => "S: S: S",
            _ => "",
        };
        let default = form.replace('S', &self.secrets[2]);
        Some(format!(
            "heat_template_version: 2021-04-16
parameters:
  DbPassword: {{type: string, hidden: true, default: {default}}}
resources:
  s: {{type: OS::Nova::Server, properties: {{flavor: {{get_param: DbPassword}}, admin_pass: {{get_param: DbPassword}}}}}}
"
        ))
    }
}

/// Whether a text holds enough of a secret to recognise it.
fn holds(text: &str, secret: &str) -> bool {
    (0..=secret.len() - 6).any(|at| text.contains(&secret[at..at + 6]))
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: draws(),
        failure_persistence: None,
        max_shrink_iters: 200,
        ..ProptestConfig::default()
    })]

    #[test]
    fn no_output_has_a_secret(draw in any_draw()) {
        let sandbox = Sandbox::new(&[
            ("root.yaml", draw.template()),
            ("old.yaml", draw.environment(1)),
            ("new.yaml", draw.environment(0)),
        ]);
        if let Some(child) = draw.child() {
            sandbox.write("child.yaml", child);
        }
        let (_, deploys, formats) =
            COMMANDS.iter().find(|(command, ..)| *command == draw.command).expect("a command");
        let format = formats[draw.format % formats.len()];
        let mut arguments: Vec<&str> = draw.command.split(' ').collect();
        if draw.command != "capabilities resolve" {
            arguments.push("root.yaml");
        }
        arguments.extend(format.split(' ').filter(|it| !it.is_empty()));
        if *deploys {
            arguments.extend(["-e", "new.yaml"]);
        }
        let argument = draw.argument.map(|name| format!("{}={}", NAMES[name], draw.secrets[1]));
        if let Some(argument) = argument.as_ref().filter(|_| *deploys) {
            arguments.extend(["-P", argument]);
        }
        let output = sandbox.run(&arguments).output().expect("it runs");
        let err = String::from_utf8_lossy(&output.stderr);
        prop_assert!(!err.contains("Usage:") && output.status.code().is_some_and(|it| it <= 2), "{arguments:?} {err}");
        // A text that takes the place of the template has its defaults.
        let is_template = draw.command == "ir" || draw.command == "render";
        let has_defaults = is_template && (draw.default.is_some() || draw.child > 0);
        let mut streams = vec![err.into_owned()];
        if !has_defaults {
            streams.push(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        for text in streams {
            for secret in &draw.secrets {
                prop_assert!(!holds(&text, secret), "{:?}: {}\n{}\n---\n{}\n{}", arguments, secret, text, draw.environment(0), draw.template());
            }
        }
    }
}

#[test]
fn what_is_planted_is_there() {
    let sandbox = Sandbox::new(&[("new.yaml", "parameters: {Undeclared: q0123456789x}\n")]);
    let output = sandbox.hotplate("env -e new.yaml --show-secrets").output().expect("it runs");
    assert!(holds(&String::from_utf8_lossy(&output.stdout), "q0123456789x"));
}
