//! Values whose declaration is unknown are masked like those of hidden parameters.

use predicates::prelude::*;
use predicates::str::contains;

use crate::cli::sandbox::Sandbox;

const SECRET: &str = "hunter2";

const ROOT: &str = "\
heat_template_version: 2021-04-16
parameters:
  size: {type: number, default: 1}
  token: {type: string, default: none}
resources:
  db: {type: child.yaml}
outputs:
  o: {value: {list_join: ['-', [{get_param: size}, {get_param: token}]]}}
";

const CHILD: &str = "\
heat_template_version: 2021-04-16
parameters:
  DbPassword: {type: string, hidden: true}
resources:
  user: {type: OS::Nova::Server, properties: {flavor: f, admin_pass: {get_param: DbPassword}}}
";

/// Every command that reads an environment, in every format.
fn commands() -> Vec<String> {
    let mut commands = Vec::new();
    for (command, formats) in [
        ("env", &["text", "json"][..]),
        ("eval --nested", &["text", "json", "yaml"]),
        ("parameters", &["text", "json"]),
        (
            "diff --old-e old.yaml root.yaml",
            &["text", "json", "markdown", "html", "sarif", "junit", "github", "gitlab", "zuul"],
        ),
    ] {
        for format in formats {
            commands.push(format!("{command} root.yaml -e new.yaml --format {format}"));
        }
    }
    commands.push("render root.yaml -e new.yaml -t terraform --bake".to_owned());
    commands.push("render root.yaml -e new.yaml -t cfn --bake".to_owned());
    commands.push("capabilities resolve -e new.yaml --format json".to_owned());
    commands.push("env -e new.yaml".to_owned());
    commands
}

fn said(sandbox: &Sandbox, command: &str) -> String {
    let output = sandbox.hotplate(command).output().expect("it runs");
    let [out, err] = [output.stdout, output.stderr].map(|it| String::from_utf8(it).expect("text"));
    assert!(!err.contains("possible values"), "{command}: {err}");
    format!("{out}{err}")
}

fn nothing_is_shown(sandbox: &Sandbox) {
    none_shows(sandbox, &commands());
}

fn none_shows(sandbox: &Sandbox, commands: &[String]) {
    for command in commands {
        let said = said(sandbox, command);
        assert!(!said.contains(SECRET), "{command}: {said}");
    }
}

fn environment(lines: &str) -> [(&'static str, String); 2] {
    let text = |secret: &str| lines.replace("SECRET", secret);
    [("old.yaml", text(&format!("{SECRET}-old"))), ("new.yaml", text(&format!("{SECRET}-new")))]
}

#[test]
fn a_default_for_a_child_that_cannot_be_read_is_masked() {
    let broken = CHILD.replace("resources:", "resources: [");
    for child in [Some(broken.as_str()), Some("[]"), None] {
        let sandbox = Sandbox::new(&[("root.yaml", ROOT)]);
        for (name, text) in environment("parameter_defaults:\n  DbPassword: SECRET\n  size: 2\n") {
            sandbox.write(name, text);
        }
        if let Some(child) = child {
            sandbox.write("child.yaml", child);
        }
        nothing_is_shown(&sandbox);
        let shown = said(&sandbox, "env root.yaml -e new.yaml");
        assert!(shown.contains("DbPassword: \"******\"") && shown.contains("size: 2"), "{shown}");
        let shown = said(&sandbox, "env root.yaml -e new.yaml --show-secrets");
        assert!(shown.contains("DbPassword: \"hunter2-new\""), "{shown}");
    }
}

#[test]
fn what_is_misspelled_is_masked() {
    for lines in [
        "parameters:\n  tokn: SECRET\n",
        "parameters: {tokn: SECRET, tokn: SECRET}\n",
        "parameter_default: {token: SECRET}\n",
        "parameter_defaults: SECRET\n",
        "parameters: [SECRET]\n",
        "token: SECRET\n",
        "SECRET\n",
        "parameters:\n  tokn: {a: {SECRET: 1, SECRET: 2}}\n",
        "parameters:\n  tokn: {12: SECRET, a: [SECRET]}\n",
        "parameters:\n  tokn: &x SECRET\n  siz: *x\n",
    ] {
        let sandbox = Sandbox::new(&[("root.yaml", ROOT), ("child.yaml", CHILD)]);
        for (name, text) in environment(lines) {
            sandbox.write(name, text);
        }
        nothing_is_shown(&sandbox);
    }
    let sandbox = Sandbox::new(&[("root.yaml", ROOT), ("child.yaml", CHILD)]);
    for arguments in ["-P tokn=hunter2", "-P token=a;hunter2"] {
        for command in ["eval root.yaml", "env root.yaml", "env"] {
            let shown = said(&sandbox, &format!("{command} {arguments}"));
            assert!(!shown.contains(SECRET), "{shown}");
        }
    }
}

#[test]
fn encrypted_parameters_are_hidden_ones() {
    for names in ["[token, DbPassword]", "token"] {
        let sandbox = Sandbox::new(&[("root.yaml", ROOT), ("child.yaml", CHILD)]);
        let lines = format!(
            "encrypted_param_names: {names}\nparameters: {{token: SECRET}}\nparameter_defaults: {{DbPassword: SECRET}}\n"
        );
        for (name, text) in environment(&lines) {
            sandbox.write(name, text);
        }
        nothing_is_shown(&sandbox);
        let root = ROOT.replace("default: none", "default: hunter2");
        sandbox.write("root.yaml", root);
        sandbox.write("new.yaml", "encrypted_param_names: [token]\n");
        for command in ["eval root.yaml", "env root.yaml", "diff root.yaml root.yaml"] {
            let shown = said(&sandbox, &format!("{command} -e new.yaml"));
            assert!(!shown.contains(SECRET), "{shown}");
        }
    }
}

#[test]
fn what_is_declared_and_not_hidden_is_shown() {
    let sandbox = Sandbox::new(&[("root.yaml", ROOT), ("child.yaml", CHILD)]);
    sandbox.write("old.yaml", "parameters: {token: one}\n");
    sandbox.write("new.yaml", "parameters: {token: two}\n");
    for command in [
        "env root.yaml -e new.yaml",
        "eval root.yaml -e new.yaml",
        "diff --old-e old.yaml root.yaml root.yaml -e new.yaml",
    ] {
        assert!(said(&sandbox, command).contains("two"), "{command}");
    }
}

#[test]
fn findings_about_yaml_do_not_quote_the_value() {
    let commands: Vec<String> =
        commands().into_iter().filter(|it| !it.contains("format") || it.contains("json")).collect();
    for value in [
        "*hunter2",
        "@hunter2",
        "%hunter2",
        "!hunter2",
        "hunter2: b: c",
        "\"hunter2",
        "'hunter2",
        "[hunter2",
        "{hunter2",
        "`hunter2",
        "|hunter2",
        "!!int hunter2",
        "!!bool hunter2",
        "&hunter2 *hunter2",
    ] {
        for environment in [
            format!("parameters:\n  token: {value}\n"),
            format!("parameters: {{token: {value}}}\n"),
            format!("parameters:\n  token: |\n    hunter2: x\n  size: {value}\n"),
            // In the first column, a percent sign starts a directive.
            "parameters:\n  token:\n%hunter2\n".to_owned(),
            "%hunter2\n---\nparameters: {token: a}\n".to_owned(),
        ] {
            let root = ROOT.replace("default: none", "hidden: true, default: none");
            let root = root.replace("default: 1", "hidden: true, default: 1");
            let sandbox = Sandbox::new(&[("root.yaml", root.as_str()), ("child.yaml", CHILD)]);
            sandbox.write("old.yaml", &environment);
            sandbox.write("new.yaml", &environment);
            none_shows(&sandbox, &commands);
        }
        for parameter in [
            format!("\n    type: string\n    default: {value}\n    hidden: true\n"),
            format!(" {{type: string, default: {value}, hidden: true}}\n"),
        ] {
            let root = ROOT.replace(" {type: string, default: none}\n", &parameter);
            let sandbox = Sandbox::new(&[("root.yaml", root.as_str()), ("child.yaml", CHILD)]);
            sandbox.write("old.yaml", "{}");
            sandbox.write("new.yaml", "{}");
            none_shows(&sandbox, &commands);
            for command in ["upgrade --check", "versions", "ir", "render -t terraform"] {
                let assert = sandbox.hotplate(&format!("{command} root.yaml")).assert();
                assert.stderr(contains(SECRET).not());
            }
        }
    }
}

#[test]
fn an_overridden_value_of_a_hidden_parameter_is_masked() {
    let root = ROOT.replace("default: none", "hidden: true, default: none");
    let sandbox = Sandbox::new(&[("root.yaml", root.as_str()), ("child.yaml", CHILD)]);
    for lines in [
        "parameters:\n  token: SECRET\n  token: SECRET\n",
        "parameters: {token: SECRET}\nparameters: {size: 1}\n",
    ] {
        for (name, text) in environment(lines) {
            sandbox.write(name, text);
        }
        nothing_is_shown(&sandbox);
        assert!(said(&sandbox, "env root.yaml -e new.yaml").contains("HP0105"));
    }
}

#[test]
fn what_a_target_lacks_is_told_without_the_value() {
    let root = "\
heat_template_version: 2021-04-16
parameters: {word: {type: string, hidden: true}}
resources:
  s: {type: OS::Nova::Server, properties: {flavor: {get_param: word}, image: {get_param: word}, key_name: {get_param: word}}}
  t: {type: OS::Nova::Server, properties: {flavor: f, image: {str_split: ['-', {get_param: word}, 7]}}}
  v: {type: OS::Cinder::Volume, properties: {size: {get_param: word}}}
  g: {type: OS::Neutron::SecurityGroup, properties: {rules: [{protocol: {get_param: word}}]}}
outputs: {o: {value: {str_split: ['-', {get_param: [word, x]}]}}}
";
    let sandbox = Sandbox::new(&[("root.yaml", root)]);
    for target in ["cfn", "terraform", "pulumi", "ansible"] {
        for secrets in ["", " --show-secrets"] {
            let command = format!(
                "render root.yaml -t {target} --bake -P word=hunter2 -o out --force -v{secrets}"
            );
            let assert = sandbox.hotplate(&command).assert();
            assert.stderr(contains(SECRET).not());
        }
    }
    let keys = "\
heat_template_version: 2021-04-16
parameters: {data: {type: json, hidden: true}}
resources:
  s:
    type: OS::Nova::Server
    properties: {flavor: f, networks: [{get_param: data}], scheduler_hints: {get_param: data}, metadata: {get_param: data}}
  r: {type: OS::Neutron::Router, properties: {external_gateway_info: {get_param: data}}}
  q: {type: OS::Heat::Value, properties: {value: {get_attr: [s, {get_param: [data, a]}]}}}
";
    sandbox.write("keys.yaml", keys);
    sandbox.write(
        "data.yaml",
        "parameters: {data: {hunter2: hunter2, null: hunter2, a: hunter2, b: null}}\n",
    );
    for target in ["cfn", "terraform", "pulumi", "ansible"] {
        let command = format!(
            "render keys.yaml -t {target} --bake -e data.yaml -o {target} -v --show-secrets"
        );
        sandbox.hotplate(&command).assert().stderr(contains(SECRET).not());
    }
    for command in ["eval", "check --format json", "check -v", "render -t cfn --format json"] {
        let assert =
            sandbox.hotplate(&format!("{command} keys.yaml -e data.yaml")).assert().code(1);
        let assert = assert.stderr(contains(SECRET).not()).stdout(contains(SECRET).not());
        let output = assert.get_output();
        let said = [&*output.stdout, &*output.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        assert!(
            said.contains("has a key that `OS::Nova::Server` does not have"),
            "{command}: {said}"
        );
    }
    let command = "render root.yaml -t cfn --bake -P word=hunter2 --show-secrets";
    let template = said(&sandbox, command);
    let parameters = template.split("Resources:").next().unwrap_or_default();
    assert!(!parameters.contains(SECRET), "{parameters}");
    let eval = "eval root.yaml -P word=hunter2";
    let shown = said(&sandbox, eval);
    assert!(!shown.contains(SECRET) && shown.contains("the hidden value is not"), "{shown}");
    for (call, reason) in [
        ("str_split: ['-', {get_param: word}]", "the value is not a string"),
        ("str_split: ['-', {get_param: word}, x]", "the value is not a string"),
    ] {
        let root = format!(
            "heat_template_version: 2021-04-16
parameters: {{word: {{type: json, hidden: true}}}}
outputs: {{o: {{value: {{{call}}}}}}}
"
        );
        sandbox.write("failing.yaml", root);
        sandbox.write("word.yaml", "parameters: {word: {hunter2: hunter2}}\n");
        let shown = said(&sandbox, "eval failing.yaml -e word.yaml");
        assert!(!shown.contains(SECRET) && shown.contains(reason), "{shown}");
    }
}

/// The ways in which a template gives a value to the hidden parameter `word` of a nested one. `VALUE` is the value.
const GIVEN: [&str; 17] = [
    "{type: inner.yaml, properties: {word: VALUE, name: public}}",
    "{type: Mapped::Type, properties: {word: VALUE, name: public}}",
    "{type: Chained::Type, properties: {word: VALUE, name: public}}",
    "{type: inner.yaml, properties: {map_merge: [{word: VALUE}, {name: public}]}}",
    "{type: 'OS::Heat::ResourceGroup', properties: {count: 1, resource_def: {type: inner.yaml, properties: {word: VALUE, name: public}}}}",
    "{type: 'OS::Heat::ResourceGroup', properties: {count: 1, resource_def: {type: Mapped::Type, properties: {word: VALUE, name: public}}}}",
    "{type: 'OS::Heat::AutoScalingGroup', properties: {min_size: 1, max_size: 2, resource: {type: inner.yaml, properties: {word: VALUE, name: public}}}}",
    "{type: 'OS::Heat::ResourceChain', properties: {resources: [inner.yaml], resource_properties: {word: VALUE, name: public}}}",
    "{type: 'OS::Heat::ResourceChain', properties: {resources: ['OS::Heat::Value', Mapped::Type], resource_properties: {word: VALUE, name: public}}}",
    "{type: 'OS::Heat::ResourceChain', properties: {resources: [unsent.yaml], resource_properties: {unsent_word: VALUE, name: public}}}",
    "{type: 'OS::Heat::ResourceChain', properties: {resources: {if: [c, [unsent.yaml], [inner.yaml]]}, resource_properties: {unsent_word: VALUE, name: public}}}",
    "{type: 'OS::Heat::ResourceGroup', properties: {count: 1, resource_def: {type: {if: [c, unsent.yaml, inner.yaml]}, properties: {unsent_word: VALUE, name: public}}}}",
    "{type: 'AWS::AutoScaling::LaunchConfiguration', properties: {word: VALUE, name: public, ImageId: VALUE}}",
    // A misspelled name.
    "{type: inner.yaml, properties: {wrod: VALUE, name: public}}",
    "{type: inner.yaml, properties: {map_marge: [{word: VALUE}], name: public}}",
    "{type: 'OS::Heat::Stack', properties: {template: {get_file: inner.yaml}, parameters: {word: VALUE, name: public}}}",
    "{type: 'OS::Heat::Stack', properties: {template: \"heat_template_version: 2018-08-31\\nparameters:\\n  word: {type: string, hidden: true, default: VALUE}\\n\", parameters: {word: VALUE, name: public}}}",
];

/// What a nested template hides, with types that the value may not have.
fn inner(kind: &str) -> String {
    format!(
        "heat_template_version: 2021-04-16\nparameters:\n  word: {{type: {kind}, hidden: true}}\n  name: {{type: string, default: x}}\noutputs:\n  o: {{value: {{get_param: name}}}}\n"
    )
}

const MAPPED: &str = "resource_registry: {'OS::Heat::ScaledResource': inner.yaml, 'Mapped::Type': inner.yaml, 'Chained::*': 'Mapped::*'}\n";

#[test]
fn what_a_nested_template_hides_is_hidden_where_it_is_given() {
    let policy = "id: ALL001\ntitle: all\nmessage: \"{{ $.resource.properties }}\"\nhelp: none\nselect: {resources: ['*']}\nrequire: 1 = 2\n";
    let values = [
        "hunter2",
        "[hunter2]",
        "{a: {hunter2: hunter2}}",
        "{list_join: ['', [x, hunter2]]}",
        "{list_join: [5, [hunter2]]}",
        "{str_replce: {template: hunter2, params: {hunter2: x}}}",
        "{list_join: ['', [hunter2, {get_resource: own}]]}",
        "{get_param: p}",
    ];
    for (at, value) in values.into_iter().enumerate() {
        for (other, given) in GIVEN.into_iter().enumerate() {
            // The declaration of a parameter decides if nothing known hides what gets its value.
            if value.contains("get_param")
                && (given.contains("wrod") || given.contains("map_marge"))
            {
                continue;
            }
            // Each way meets each value, and each pair one of the types.
            let kind =
                ["string", "number", "json", "boolean", "comma_delimited_list"][(at + other) % 5];
            let root = |size: u8| {
                format!(
                    "heat_template_version: 2021-04-16\nparameters:\n  p: {{type: string}}\nconditions: {{c: {{equals: [a, a]}}}}\nresources:\n  own: {{type: OS::Heat::RandomString, properties: {{length: {size}}}}}\n  a: {}\n",
                    given.replace("VALUE", value)
                )
            };
            let sandbox = Sandbox::new(&[("root.yaml", root(8)), ("inner.yaml", inner(kind))]);
            sandbox.write("old.yaml", root(9));
            sandbox.write("unsent.yaml", inner(kind).replace("word", "unsent_word"));
            let passed = if value.contains("get_param") { SECRET } else { "x" };
            sandbox.write("env.yaml", format!("{MAPPED}parameters: {{p: {passed}}}\n"));
            sandbox.write("rules/ALL001.yaml", policy);
            for command in [
                "eval root.yaml -e env.yaml --nested",
                "eval root.yaml -e env.yaml --nested --format json",
                "check root.yaml -e env.yaml --select all --policy rules",
                "check root.yaml -e env.yaml --select all --format json --write-baseline base.txt",
                "parameters root.yaml -e env.yaml",
                "diff old.yaml root.yaml -e env.yaml --old-e env.yaml --full",
            ] {
                let shown = said(&sandbox, command);
                assert!(!shown.contains(SECRET), "{given} {value}, {command}: {shown}");
            }
            let shown = said(&sandbox, "eval root.yaml -e env.yaml");
            // A function that fails leaves no map at all.
            assert!(shown.contains("public") || at > 0, "{given} {value}: {shown}");
        }
    }
}

#[test]
fn what_nothing_is_known_to_hide_is_shown() {
    let root = "heat_template_version: 2021-04-16
parameters:
  own: {type: string, hidden: true, default: hunter2}
  seen: {type: string, default: visible-parameter}
resources:
  a: {type: missing.yaml, properties: {word: visible-literal, more: {get_param: seen}, last: {get_param: own}}}
  b: {type: My::Type, properties: {word: visible-unmapped, last: {get_param: own}}}
  c: {type: 'OS::Heat::ResourceChain', properties: {resources: ['OS::Heat::Value'], resource_properties: {value: visible-member}}}
";
    let sandbox = Sandbox::new(&[("root.yaml", root)]);
    let shown = said(&sandbox, "eval root.yaml");
    for word in ["parameter", "literal", "unmapped", "member"] {
        assert!(shown.contains(&format!("visible-{word}")), "{word}: {shown}");
    }
    assert!(!shown.contains(SECRET), "{shown}");
    sandbox.write("missing.yaml", inner("string"));
    let shown = said(&sandbox, "eval root.yaml");
    assert!(!shown.contains("visible-literal") && shown.contains("visible-member"), "{shown}");
}

#[test]
fn a_broken_template_does_not_quote_what_a_nested_one_hides_and_quotes_its_neighbors() {
    let template = |name: &str, word: &str| {
        format!(
            "heat_template_version: 2021-04-16\nresources:\n  a:\n    type: inner.yaml\n    properties:\n      name: {name}\n      word: {word}\n      more: 5\n"
        )
    };
    for broken in ["%V", "!foo V", "'V", "\"\\qV\"", "[V", "{a: V", "@V", "*V", "|3\n V"] {
        let (secret, public) = (broken.replace('V', SECRET), broken.replace('V', "public"));
        let sandbox = Sandbox::new(&[("inner.yaml", inner("string"))]);
        sandbox.write("root.yaml", template("x", &secret));
        for command in [
            "check root.yaml",
            "check .",
            "eval root.yaml",
            "versions root.yaml",
            "upgrade root.yaml --check",
            "ir root.yaml",
            "ir root.yaml --text",
            "render root.yaml -t hot",
        ] {
            let shown = said(&sandbox, command);
            assert!(!shown.contains(SECRET), "{broken}, {command}: {shown}");
        }
        sandbox.write("root.yaml", template(&public, "x"));
        let shown = said(&sandbox, "check root.yaml");
        assert!(shown.contains("public") || broken.starts_with("|3"), "{broken}: {shown}");
    }
}

/// The first line of a template.
const HOT: &str = "heat_template_version: 2018-08-31\n";

/// A template that hides a parameter, as a text in double quotes.
const HIDING: &str =
    r#""heat_template_version: 2018-08-31\nparameters: {pw: {type: string, hidden: true}}\n""#;

/// Commands that quote a template or print its values.
fn reports() -> Vec<String> {
    [
        "check root.yaml",
        "eval --nested root.yaml",
        "parameters root.yaml",
        "diff old.yaml root.yaml",
    ]
    .into_iter()
    .flat_map(|command| ["text", "json"].map(|format| format!("{command} --format {format}")))
    // The file has what the template itself has.
    .chain(["render root.yaml -t cfn -o out.yaml".to_owned()])
    .collect()
}

/// A template that is computed from a text that hides a parameter has no secret in it.
#[test]
fn a_computed_template_is_not_refused_since_it_hides_a_parameter() {
    for default in ["", ", default: hunter2"] {
        let text = format!(
            r#""heat_template_version: 2018-08-31\nparameters: {{pw: {{type: XX, hidden: true{default}}}}}\n""#
        );
        for template in [
            format!("{{str_replace: {{params: {{XX: string}}, template: {text}}}}}"),
            format!("{{str_replace_strict: {{params: {{XX: string}}, template: {text}}}}}"),
            format!("{{list_join: ['', [{}]]}}", text.replace("XX", "string")),
            format!(
                "{{yaql: {{expression: $.data.t, data: {{t: {}}}}}}}",
                text.replace("XX", "string")
            ),
        ] {
            let root = format!(
                "{HOT}resources:\n  s: {{type: OS::Heat::Stack, properties: {{template: {template}}}}}\n"
            );
            let sandbox = Sandbox::new(&[("root.yaml", root.as_str())]);
            sandbox.write("old.yaml", root.replace("string", "json"));
            let found = said(&sandbox, "check root.yaml");
            assert!(!found.contains("error"), "{template}: {found}");
            none_shows(&sandbox, &reports());
        }
    }
}

/// A stack that names its template by an address is given values like any other.
#[test]
fn what_a_stack_gives_to_the_template_of_an_address_is_masked() {
    for address in ["c.yaml", "http://x/c.yaml", "http://x/c"] {
        let root = format!(
            "{HOT}resources:\n  s: {{type: AWS::CloudFormation::Stack, properties: {{TemplateURL: '{address}', Parameters: {{pw: {SECRET}}}, Nmae: x}}}}\n"
        );
        let sandbox = Sandbox::new(&[("root.yaml", root.as_str())]);
        sandbox.write("old.yaml", root.replace(SECRET, "hunter2-old"));
        sandbox
            .write("c.yaml", format!("{HOT}parameters: {{pw: {{type: string, hidden: true}}}}\n"));
        for command in reports() {
            let command = match address {
                "c.yaml" => command,
                _ => format!("{command} --files-map {address}=c.yaml"),
            };
            none_shows(&sandbox, &[command]);
        }
    }
}

/// Where the template of a stack is only known by evaluation.
#[test]
fn what_a_stack_gives_to_a_computed_template_is_masked() {
    for template in [
        "{get_param: t}",
        "{get_attr: [v, value]}",
        r#"{list_join: ['', ["heat_template_version: 2018-08-31\nparameters:\n", "  pw: {type: string, ", "hidden: true}\n"]]}"#,
        r#"{list_join: ["\n", ["heat_template_version: 2018-08-31", "parameters:", "  pw:", "    type: string", "    hidden: true"]]}"#,
    ] {
        let root = format!(
            "{HOT}parameters: {{t: {{type: string, default: {HIDING}}}}}\nresources:\n  v: {{type: OS::Heat::Value, properties: {{value: {HIDING}}}}}\n  s: {{type: OS::Heat::Stack, properties: {{template: {template}, parameters: {{pw: {SECRET}}}, nmae: x}}}}\n"
        );
        let sandbox = Sandbox::new(&[("root.yaml", root.as_str())]);
        sandbox.write("old.yaml", root.replace(SECRET, "hunter2-old"));
        none_shows(&sandbox, &reports());
    }
    // The environment gives the template.
    let root = format!(
        "{HOT}parameters: {{t: {{type: string}}}}\nresources:\n  s: {{type: OS::Heat::Stack, properties: {{template: {{get_param: t}}, parameters: {{pw: {SECRET}}}, nmae: x}}}}\n  g: {{type: OS::Heat::ResourceGroup, properties: {{count: 1, resource_def: {{type: OS::Heat::Stack, properties: {{template: {{get_param: t}}, parameters: {{pw: {SECRET}}}}}}}}}}}\n"
    );
    let sandbox = Sandbox::new(&[("root.yaml", root)]);
    sandbox.write("e.yaml", format!("parameters: {{t: {HIDING}}}\n"));
    none_shows(&sandbox, &["eval --nested", "check"].map(|it| format!("{it} root.yaml -e e.yaml")));
}

/// An alias of a hidden default is the same secret, wherever it stands.
#[test]
fn an_alias_of_a_hidden_default_is_masked() {
    let hidden = [
        (format!("&a {SECRET}"), "*a"),
        (format!("{{k: &a {SECRET}}}"), "*a"),
        (format!("&a {{k: [{SECRET}]}}"), "*a"),
    ];
    for (default, alias) in hidden {
        for kind in ["number", "boolean", "string", "json"] {
            let own = if default.contains('{') { "json" } else { "string" };
            let root = format!(
                "{HOT}parameters:\n  pw: {{type: {own}, hidden: true, default: {default}}}\n  m: {{type: {kind}, default: &b {SECRET}}}\n  hm: {{type: {kind}, hidden: true, default: *b}}\n  n: {{type: {kind}, default: {alias}}}\nresources:\n  v: {{type: OS::Heat::Value, properties: {{type: number, value: {alias}}}}}\noutputs: {{o: {{value: [{{get_param: n}}, {alias}]}}}}\n"
            );
            let sandbox = Sandbox::new(&[("root.yaml", root.as_str())]);
            sandbox.write("old.yaml", root.replace(SECRET, "hunter2-old"));
            none_shows(&sandbox, &reports());
        }
    }
}

/// No finding in a template that is a text has an empty place.
#[test]
fn findings_in_a_template_that_is_a_text_are_at_the_property_that_gives_it() {
    let text = r#""heat_template_version: 2018-08-31\nparameters: {a: {type: string}}\nresources: {x: {type: OS::Heat::Value, properties: {valeu: 1}}, y: {type: OS::Nova::Server}}\n""#;
    for template in [text.to_owned(), format!("{{list_join: ['', [{text}]]}}")] {
        let root = format!(
            "{HOT}resources:\n  s:\n    type: OS::Heat::Stack\n    properties:\n      template: {template}\n"
        );
        let sandbox = Sandbox::new(&[("root.yaml", root.as_str())]);
        let found = said(&sandbox, "check root.yaml");
        let places: Vec<&str> =
            found.lines().filter(|it| it.trim_start().starts_with("--> ")).collect();
        assert!(places.len() >= 3, "{found}");
        assert!(places.iter().all(|it| it.contains("root.yaml:6:")), "{found}");
    }
}
