//! Secrets in every place that can contain one, in valid and in broken deployments: no stream and no written
//! file contains any.
//!
//! `HOTPLATE_LEAK_DRAWS` is the number of random deployments; use 20,000 for a nightly run.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use proptest::prelude::*;
use proptest::sample::select;

use crate::cli::sandbox::Sandbox;

/// Notations of a password without quotes, some of which are invalid YAML; `S` is the password.
const FORMS: [&str; 29] = [
    "S",
    "*S",
    "@S",
    "%S",
    "\n%S",
    "!S",
    "&S",
    "S: S",
    "'S",
    "\"S",
    "{S",
    "[S",
    "S #S",
    "#S",
    "S  # S",
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

/// Parameters: a hidden one, an encrypted one, one that only a nested template declares, and two undeclared
/// ones.
const NAMES: [&str; 5] = ["hidden", "encrypted", "DbPassword", "hiden", "Undeclared"];

/// Uses of a parameter `P`.
const USES: [&str; 40] = [
    "type: OS::Nova::Server, properties: {flavor: {get_param: P}, image: {get_param: P}, key_name: {get_param: P}}",
    "type: OS::Nova::Server, properties: {flavor: f, image: i, user_data: {str_replace: {template: 'a $x', params: {$x: {get_param: P}}}}}",
    "type: OS::Heat::SoftwareConfig, properties: {config: {list_join: ['-', [a, {list_join: ['', [{get_param: P}, b]]}, {get_param: P}]]}}",
    "type: OS::Heat::SoftwareConfig, properties: {config: {str_replace: {template: '#cloud-config\nx: [a, $x]', params: {$x: {get_param: P}}}}}",
    "type: OS::Heat::SoftwareConfig, properties: {config: {str_replace: {template: {get_file: none.sh}, params: {$x: {get_param: P}}}}}",
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
    "type: '../outside.yaml', properties: {DbPassword: {get_param: P}}",
    "type: OS::Heat::Value, properties: {value: {get_attr: [none, {get_param: P}]}}",
    "type: OS::Heat::Value, properties: {value: {get_attr: [none, show, {get_param: P}]}}",
    "type: OS::Heat::Value, condition: {equals: [{get_param: P}, x]}, properties: {value: {if: [{equals: [{get_param: P}, y]}, a, {get_param: P}]}}",
    "type: OS::Heat::Value, properties: {value: {map_replace: [{a: {get_param: P}}, {keys: {a: {get_param: P}}}]}}",
    "type: OS::Heat::Value, properties: {value: {str_replace_strict: {template: a, params: {b: {get_param: P}}}}}",
    "type: OS::Heat::Value, properties: {value: {make_url: {scheme: http, host: {get_param: P}, port: {get_param: P}, path: {get_param: P}}}}",
    "type: OS::Heat::Value, properties: {value: {filter: [[{get_param: P}], {get_param: P}]}}",
    "type: OS::Heat::Value, properties: {value: {yaql: {expression: '$.data.x.y.z', data: {x: {get_param: P}}}}}",
    "type: OS::Nova::Server, properties: {flavor: f, networks: {get_param: P}, security_groups: {get_param: P}, tags: {get_param: P}}",
    "type: OS::Neutron::Router, properties: {external_gateway_info: {get_param: P}, name: {get_param: P}}",
    "type: OS::Heat::SoftwareConfig, properties: {config: {get_param: P}, group: {get_param: P}, inputs: {get_param: P}}",
    "type: OS::Heat::AutoScalingGroup, properties: {max_size: {get_param: P}, min_size: 1, resource: {type: child.yaml, properties: {DbPassword: {get_param: P}}}}",
    "type: OS::Octavia::Listener, properties: {protocol: {get_param: P}, protocol_port: {get_param: P}, loadbalancer: {get_param: P}}",
    "type: OS::Zaqar::Queue, properties: {name: {get_param: P}, metadata: {get_param: P}}, metadata: {get_param: P}",
];

/// Constraints of the hidden parameter.
const CONSTRAINTS: [&str; 7] = [
    "{length: {max: 3}}",
    "{allowed_values: [a]}",
    "{allowed_pattern: 'a+'}",
    "{allowed_pattern: '('}",
    "{range: {max: 3}}",
    "{modulo: {step: 2, offset: 1}}",
    "{custom_constraint: nova.flavor, description: no}",
];

/// Sections that change how the values are merged.
const MERGES: [&str; 4] = [
    "",
    "parameter_merge_strategies: {default: merge}\n",
    "parameter_merge_strategies: {hidden: deep_merge, Undeclared: merge, DbPassword: deep_merge}\n",
    "parameter_merge_strategies: {default: deep_merge, hidden: wrong}\n",
];

/// The place of each secret: in the environments and on the command line, in the defaults of the nested
/// template, and in those of the template.
const OF_ENVIRONMENTS: usize = 4;
const OF_CHILD: usize = 4;
const OF_TEMPLATE: usize = 5;

/// A random deployment with the options of the command.
#[derive(Clone, Debug)]
struct Draw {
    secrets: Vec<String>,
    /// Section, name and syntax of each value of the environment; the secrets are used in turn.
    values: Vec<(usize, usize, usize)>,
    flow: bool,
    merge: &'static str,
    /// The syntax of the hidden parameter's default.
    default: Option<usize>,
    kind: &'static str,
    constraint: Option<&'static str>,
    uses: Vec<(usize, usize)>,
    child: u8,
    /// Whether the template itself is broken.
    broken: bool,
    argument: Option<usize>,
    in_file: bool,
    command: &'static (&'static str, Reads, &'static [&'static str]),
    format: usize,
    also: &'static str,
}

/// The input of a command besides the template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reads {
    Template,
    Environments,
    /// Environments, without a template.
    EnvironmentsOnly,
    /// The environments of both sides.
    Sides,
}

/// Commands with their formats.
const COMMANDS: [(&str, Reads, &[&str]); 14] = [
    ("env", Reads::Environments, &["--format text", "--format json"]),
    ("env", Reads::EnvironmentsOnly, &["--format text", "--format json"]),
    ("parameters", Reads::Environments, &["--format text", "--format json", "--new-environment"]),
    (
        "eval",
        Reads::Environments,
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
        "diff base.yaml",
        Reads::Sides,
        &[
            "--format text",
            "--format json",
            "--format markdown",
            "--format html",
            "--format sarif",
            "--format junit",
            "--format github",
            "--format gitlab",
            "--format zuul",
            "-v --explain-match --context 9",
            "--stat",
            "--name-only",
        ],
    ),
    (
        "render",
        Reads::Environments,
        &[
            "-t cfn --bake",
            "-t cfn",
            "-t terraform --bake",
            "-t terraform -o out",
            "-t pulumi --bake",
            "-t pulumi -o out",
            "-t ansible --bake -o out",
            "-t cfn --bake --format json -o out",
            "-t terraform --bake --strict",
        ],
    ),
    (
        "render --show-secrets -o out --bake",
        Reads::Environments,
        &["-t cfn", "-t terraform", "-t pulumi", "-t ansible", "-t cfn --format json"],
    ),
    (
        "render",
        Reads::Template,
        &["-t hot", "-t heat-cfn", "-t json", "-t yaml", "-t mermaid", "-t markdown"],
    ),
    (
        "upgrade",
        Reads::Template,
        &[
            "--check",
            "--check -v",
            "--check --format json",
            "--diff",
            "--diff -v",
            "--check --statistics",
            "--check --to 2015-10-15",
        ],
    ),
    ("versions", Reads::Template, &["", "--format json", "-v"]),
    ("ir", Reads::Template, &["", "--text"]),
    (
        "check",
        Reads::Environments,
        &[
            "",
            "--select all",
            "--select all --format json",
            "--select all --format sarif",
            "--format junit",
            "--policy rules --select all",
            "--policy rules --select all --format json",
            "--policy rules --format github",
        ],
    ),
    ("capabilities resolve", Reads::EnvironmentsOnly, &["--format text", "--format json"]),
    ("capabilities list", Reads::Template, &["", "--format json"]),
];

/// A rule whose message has everything that a condition can see.
const RULE_THAT_SHOWS_ALL: &str = "\
id: ALL001
title: all
message: \"{{ $.values() }} {{ $.stack.parameters.select($.value) }} {{ $.stack.resources.select($.properties) }}\"
select: {KIND}
require: 1 = 2
";

fn draws() -> u32 {
    let asked = std::env::var("HOTPLATE_LEAK_DRAWS").ok();
    asked.and_then(|number| number.parse().ok()).unwrap_or(500)
}

/// A secret for each place. No recognizable part of one occurs in another one, since every
/// third character is its number.
fn any_secrets() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec("[jqxz]{12}", 6).prop_map(|secrets| {
        let numbered = secrets.iter().enumerate().map(|(number, letters)| {
            let marked = letters.chars().enumerate().map(|(at, letter)| match at % 3 {
                1 => char::from(b'0' + number as u8),
                _ => letter,
            });
            marked.collect()
        });
        numbered.collect()
    })
}

fn any_draw() -> impl Strategy<Value = Draw> {
    let form = || prop_oneof![Just(0), 0..FORMS.len()];
    let environments = (
        prop::collection::vec((0..SECTIONS.len(), 0..NAMES.len(), form()), 0..6),
        any::<bool>(),
        select(&MERGES[..]),
        prop::option::weighted(0.3, 0..NAMES.len()),
        any::<bool>(),
    );
    let template = (
        prop::option::of(form()),
        select(vec!["string", "number", "json", "comma_delimited_list", "boolean", "strng"]),
        prop::option::weighted(0.3, select(&CONSTRAINTS[..])),
        prop::collection::vec((0..USES.len(), 0..2usize), 0..5),
        0..6u8,
        prop::bool::weighted(0.1),
    );
    let also = vec!["", "", "--merge client", "--color always"];
    let asked = (select(&COMMANDS[..]), 0..60usize, select(also));
    (any_secrets(), environments, template, asked).prop_map(
        |(secrets, environments, template, (command, format, also))| {
            let (values, flow, merge, argument, in_file) = environments;
            let (default, kind, constraint, uses, child, broken) = template;
            let command = COMMANDS.iter().find(|it| **it == command).expect("it is from there");
            let also =
                if also == "--merge client" && command.1 == Reads::Template { "" } else { also };
            Draw {
                secrets,
                values,
                flow,
                merge,
                default,
                kind,
                constraint,
                uses,
                child,
                broken,
                argument,
                in_file,
                command,
                format,
                also,
            }
        },
    )
}

impl Draw {
    fn planted(&self, form: usize, secret: usize) -> String {
        FORMS[form].replace('S', &self.secrets[secret])
    }

    fn environment(&self, turn: usize) -> String {
        let mut text = format!("encrypted_param_names: [encrypted]\n{}", self.merge);
        for (at, section) in SECTIONS.iter().enumerate() {
            let values = self.values.iter().enumerate().filter(|(_, value)| value.0 == at);
            let pairs: Vec<String> = values
                .map(|(number, (_, name, form))| {
                    let planted = self.planted(*form, (turn + number) % OF_ENVIRONMENTS);
                    format!("{}: {planted}", NAMES[*name])
                })
                .collect();
            match (pairs.is_empty(), self.flow) {
                (true, _) => {}
                (false, true) => {
                    writeln!(text, "{section}: {{{}}}", pairs.join(", ")).expect("text");
                }
                (false, false) => {
                    writeln!(text, "{section}:\n  {}", pairs.join("\n  ")).expect("text");
                }
            }
        }
        text
    }

    /// The new template, or an old one with another default and fewer uses of it.
    fn template(&self, is_old: bool) -> String {
        let form = |form: usize| if is_old { (form + 1) % FORMS.len() } else { form };
        let default = self.default.map(|it| self.planted(form(it), OF_TEMPLATE));
        let default = default.map_or(String::new(), |it| format!("\n    default: {it}"));
        let constraint = self.constraint.filter(|_| !is_old);
        let constraint =
            constraint.map_or(String::new(), |it| format!("\n    constraints: [{it}]"));
        let mut text = format!(
            "heat_template_version: 2021-04-16
parameters:
  hidden:
    type: {}
    hidden: true{default}{constraint}
  encrypted: {{type: string}}
outputs:
  out: {{value: {{get_param: hidden}}}}
resources:
  none: {{type: OS::Heat::None}}
",
            self.kind
        );
        for (at, (usage, name)) in self.uses.iter().enumerate().skip(usize::from(is_old)) {
            let usage = USES[*usage].replace("P}", &format!("{}}}", NAMES[*name]));
            let usage = usage.replace("[P,", &format!("[{},", NAMES[*name]));
            writeln!(text, "  r{at}: {{{usage}}}").expect("text");
        }
        if self.broken && !is_old {
            text.push_str("conditions: [\n");
        }
        text
    }

    fn child(&self) -> Option<String> {
        let form = match self.child {
            0 => return None,
            1 => "'S'",
            2 => "*S",
            3 => "S: S: S",
            4 => "{S: 1, S: 2}",
            _ => "",
        };
        let default = form.replace('S', &self.secrets[OF_CHILD]);
        Some(format!(
            "heat_template_version: 2021-04-16
parameters:
  DbPassword: {{type: string, hidden: true, default: {default}}}
resources:
  s: {{type: OS::Nova::Server, properties: {{flavor: {{get_param: DbPassword}}, admin_pass: {{get_param: DbPassword}}}}}}
"
        ))
    }

    fn files(&self) -> Vec<(&'static str, String)> {
        let mut files = vec![
            ("root.yaml", self.template(false)),
            ("base.yaml", self.template(true)),
            ("old.yaml", self.environment(1)),
            ("new.yaml", self.environment(0)),
            ("value.txt", self.secrets[2].clone()),
            ("rules/ALL001.yaml", RULE_THAT_SHOWS_ALL.replace("KIND", "parameters: ['*']")),
            (
                "rules/ALL002.yaml",
                RULE_THAT_SHOWS_ALL.replace("ALL001", "ALL002").replace("KIND", "resources: ['*']"),
            ),
        ];
        files.extend(self.child().map(|child| ("child.yaml", child)));
        files
    }

    fn arguments(&self) -> Vec<String> {
        let (command, reads, formats) = *self.command;
        let mut arguments = command.to_owned();
        if reads != Reads::EnvironmentsOnly {
            arguments.push_str(" root.yaml");
        }
        write!(arguments, " {} {}", formats[self.format % formats.len()], self.also).expect("text");
        match reads {
            Reads::Template => {}
            Reads::Environments | Reads::EnvironmentsOnly if self.flow => {
                arguments.push_str(" -e old.yaml -e new.yaml");
            }
            Reads::Environments | Reads::EnvironmentsOnly => arguments.push_str(" -e new.yaml"),
            Reads::Sides => arguments.push_str(" --old-e old.yaml -e new.yaml"),
        }
        if let Some(name) = self.argument.map(|it| NAMES[it]).filter(|_| reads != Reads::Template) {
            match self.in_file {
                true => write!(arguments, " --parameter-file {name}=value.txt"),
                false => write!(arguments, " -P {name}={}", self.secrets[1]),
            }
            .expect("text");
        }
        arguments.split_whitespace().map(str::to_owned).collect()
    }

    /// Whether a result may contain the secret: a text that replaces a template contains its defaults, and
    /// `--show-secrets` shows everything.
    fn may_be_in_results(&self, secret: usize) -> bool {
        let command = self.command.0;
        let is_text_form = command == "ir" && self.arguments().contains(&"--text".to_owned());
        let is_template = command.starts_with("render") || command == "ir" && !is_text_form;
        command.contains("--show-secrets") || is_template && secret >= OF_CHILD
    }
}

/// Whether a text contains a recognizable part of a secret.
fn holds(text: &str, secret: &str) -> bool {
    (0..=secret.len() - 6).any(|at| text.contains(&secret[at..at + 6]))
}

/// The texts of all files in a folder, except those that existed before.
fn written(folder: &Path, before: &[(&str, String)]) -> Vec<String> {
    let mut texts = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let was_there = before.iter().any(|(name, _)| path.ends_with(name));
            if path.is_dir() {
                folders.push(path);
            } else if !was_there {
                texts.push(String::from_utf8_lossy(&fs::read(path).expect("a file")).into_owned());
            }
        }
    }
    texts
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
        let files = draw.files();
        let sandbox = Sandbox::new(&files);
        let arguments = draw.arguments();
        let borrowed: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let output = sandbox.run(&borrowed).output().expect("it runs");
        let [out, err] =
            [output.stdout, output.stderr].map(|it| String::from_utf8_lossy(&it).into_owned());
        let is_usual = !err.contains("Usage:") && output.status.code().is_some_and(|it| it <= 2);
        prop_assert!(is_usual, "{arguments:?} {err}");
        let mut results = written(&sandbox.at(""), &files);
        // Parameters of CloudFormation are added: their names and descriptions say what is missing.
        let template = results.iter().find(|it| it.contains("AWSTemplateFormatVersion"));
        let asked = template.and_then(|it| it.split("\nParameters:").nth(1)).map(|it| {
            it.split("\nResources:").next().unwrap_or_default().to_owned()
        });
        results.push(out);
        for (at, secret) in draw.secrets.iter().enumerate() {
            let mut texts = vec![&err];
            if !draw.may_be_in_results(at) {
                texts.extend(&results);
            }
            texts.extend(asked.iter().filter(|_| at < OF_CHILD));
            for text in texts {
                prop_assert!(
                    !holds(text, secret),
                    "{arguments:?}: {secret}\n{text}\n---\n{}",
                    files.iter().map(|(name, text)| format!("{name}:\n{text}")).collect::<String>()
                );
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
