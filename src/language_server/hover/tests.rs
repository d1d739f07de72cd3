//! Hovers at the mark `␣` of a text.

use gen_lsp_types::{Contents, HoverParams};

use super::hover;
use crate::language_server::testing::{CURSOR, TestProject};

fn text_at(project: &TestProject) -> String {
    match hover(&project.snapshot, HoverParams::new(Default::default(), project.at()))
        .map(|it| it.contents)
    {
        None => String::new(),
        Some(Contents::MarkupContent(content)) => content.value,
        Some(other) => panic!("{other:?}"),
    }
}

/// Demands some texts in the hover at the mark of the first file.
fn says(files: &[(&str, &str)], expected: &[&str]) {
    let text = text_at(&TestProject::new(files));
    for part in expected {
        assert!(text.contains(part), "`{part}` in\n{text}\nat\n{}", files[0].1);
    }
    assert_eq!(expected.is_empty(), text.is_empty(), "{text}\nat\n{}", files[0].1);
}

const HEAD: &str = "heat_template_version: 2018-08-31\n";

/// A template of HOT with this text behind the version.
fn hot(rest: &str, expected: &[&str]) {
    says(&[("a.yaml", &format!("{HEAD}{rest}"))], expected);
}

const SETTINGS: &str = "[[deployment]]\ntemplate = \"a.yaml\"\nenvironments = [\"env.yaml\"]\n";

/// The same, deployed with an environment.
fn deployed(rest: &str, environment: &str, expected: &[&str]) {
    let template = format!("{HEAD}{rest}");
    says(
        &[("a.yaml", &template), ("env.yaml", environment), ("hotplate.toml", SETTINGS)],
        expected,
    );
}

#[test]
fn properties_say_what_an_update_does() {
    let server = |rest: &str| {
        format!("resources:\n  a:\n    type: OS::Nova::Server\n    properties:\n      {rest}\n")
    };
    hot(&server("fla␣vor: m1"), &["**flavor**: string, required", "An update of it"]);
    hot(&server("networks: [{po␣rt: x}]"), &["**networks[].port**: string"]);
    hot(&server("config_drive: tr␣ue"), &[]);
    hot(
        "resources:\n  a:\n    type: OS::Neutron::Net\n    properties:\n      admin_state_up: {if: [␣c, a, b]}\n",
        &[],
    );
}

#[test]
fn types_say_what_implements_them() {
    hot(
        "resources:\n  a:\n    type: OS::Nova::Ser␣ver\n",
        &["**OS::Nova::Server**", "Required properties: `flavor`", "Attributes: "],
    );
    let nested = "heat_template_version: 2018-08-31\ndescription: one web server\nparameters:\n  size: {type: string}\noutputs:\n  url: {value: 1}\n";
    let root = format!("{HEAD}resources:\n  a:\n    type: My::We␣b\n");
    let registry = "resource_registry:\n  My::Web: lib/web.yaml\n";
    let files = [
        ("a.yaml", root.as_str()),
        ("lib/web.yaml", nested),
        ("env.yaml", registry),
        ("hotplate.toml", SETTINGS),
    ];
    says(
        &files,
        &["the template `lib/web.yaml`", "one web server", "`size` (required)", "Outputs: `url`"],
    );
}

#[test]
fn functions_say_what_they_mean_here_and_their_value() {
    let text = "parameters:\n  p: {type: string, default: x}\noutputs:\n  o:\n    value: {list_jo␣in: ['-', [a, {get_param: p}]]}\n";
    hot(
        text,
        &["list_join: ['delimiter', list]", "lists and maps become JSON", "Value:\n- `\"a-x\"`"],
    );
    deployed(text, "parameters: {p: y}\n", &["`\"a-y\"`"]);
    let part = "parameters:\n  p: {type: string, default: x}\noutputs:\n  o:\n    value: [{str_spl␣it: [',', 'a,b']}, 1]\n";
    hot(part, &["Value:\n- `[\"a\",\"b\"]`"]);
    hot(
        "resources:\n  a: {type: OS::Heat::None}\noutputs:\n  o:\n    value: {get_a␣ttr: [a, show]}\n",
        &["known when the stack exists: `{\"get_attr\":[\"a\",\"show\"]}`"],
    );
    says(
        &[(
            "a.yaml",
            "AWSTemplateFormatVersion: 2010-09-09\nOutputs:\n  o:\n    Value: {'Fn::Jo␣in': ['', [a]]}\n",
        )],
        &["Fn::Join", "`\"a\"`"],
    );
}

#[test]
fn yaql_has_a_value() {
    let text = "outputs:\n  o:\n    value:\n      yaql:\n        expression: $.data.su␣m()\n        data: [1, 2, 3]\n";
    hot(text, &["the result of a yaql expression", "Value:\n- `6`"]);
}

#[test]
fn parameters_say_where_their_values_come_from() {
    let text = |mark: &str| {
        format!(
            "parameters:\n  {mark}size: {{type: string, default: s, description: how big, constraints: [{{allowed_values: [s, m]}}]}}\noutputs:\n  o: {{value: {{get_param: size}}}}\n"
        )
    };
    hot(
        &text("␣"),
        &[
            "**size**: string",
            "how big",
            "Default: `\"s\"`",
            "allowed_values: `[\"s\",\"m\"]`",
            "`\"s\"`, the default",
        ],
    );
    deployed(&text("␣"), "parameters:\n  size: m\n", &["`\"m\"`, of `parameters` (env.yaml:2)"]);
    deployed(
        &text("␣"),
        "parameter_defaults:\n  size: m\n",
        &["of `parameter_defaults` (env.yaml:2)"],
    );
    hot(
        "parameters:\n  size: {type: string}\noutputs:\n  o: {value: {get_param: si␣ze}}\n",
        &["No default", "Heat refuses the stack"],
    );
    hot("outputs:\n  o: {value: {get_param: OS::stack␣_name}}\n", &["Heat provides it"]);
}

#[test]
fn every_deployment_has_a_line() {
    let template = format!("{HEAD}parameters:\n  ␣size: {{type: string}}\n");
    let settings: String = (0..5)
        .map(|number| format!("[[deployment]]\nname = \"d{number}\"\ntemplate = \"a.yaml\"\nparameters = {{size = \"v{number}\"}}\n"))
        .collect();
    let text = text_at(&TestProject::new(&[("a.yaml", &template), ("hotplate.toml", &settings)]));
    for line in ["d0: `\"v0\"`, of the configuration", "d2: `\"v2\"`", "and 2 more"] {
        assert!(text.contains(line), "{text}");
    }
    assert!(!text.contains("d3:"), "{text}");
}

#[test]
fn a_nested_template_has_the_values_of_what_nests_it() {
    let nested = format!(
        "{HEAD}parameters:\n  size: {{type: string}}\noutputs:\n  o: {{value: {{list_j␣oin: ['-', [a, {{get_param: size}}]]}}}}\n"
    );
    let root = format!(
        "{HEAD}resources:\n  one: {{type: web.yaml, properties: {{size: s}}}}\n  two: {{type: web.yaml, properties: {{size: m}}}}\n"
    );
    says(&[("web.yaml", &nested), ("a.yaml", &root)], &["one: `\"a-s\"`", "two: `\"a-m\"`"]);
    let declared = nested.replace(CURSOR, "").replace("  size:", "  ␣size:");
    says(
        &[("web.yaml", &declared), ("a.yaml", &root)],
        &["one: `\"s\"`, of a property (a.yaml:3)"],
    );
}

#[test]
fn conditions_outputs_and_resources_have_values() {
    let text = |text: &str| {
        format!(
            "parameters: {{p: {{type: string, default: x}}}}\nconditions:\n  big: {{equals: [{{get_param: p}}, y]}}\nresources:\n  a:\n    type: OS::Heat::None\n    condition: big\noutputs:\n{text}"
        )
    };
    hot(&text("  o: {value: {if: [bi␣g, 1, 2]}}\n"), &["**big**: a condition", "- `false`"]);
    hot(&text("  ␣o: {value: {if: [big, 1, 2]}}\n"), &["**o**: an output", "- `2`"]);
    hot(
        &text("  o: {value: {get_resource: ␣a}}\n"),
        &["**a**: OS::Heat::None", "no: its condition is false"],
    );
    hot("conditions:\n  ␣c: {not: {equals: [1, 1]}}\n", &["`false`"]);
    hot(
        "conditions:\n  c: {no␣t: {equals: [1, 1]}}\n",
        &["true if a condition is false", "`false`"],
    );
}

#[test]
fn keys_say_since_when_they_exist() {
    hot("con␣ditions: {}\n", &["section, since version 2016-10-14"]);
    hot(
        "resources:\n  a: {type: OS::Heat::None, exter␣nal_id: x}\n",
        &["since version 2016-10-14"],
    );
    hot("parameters:\n  a: {type: string, ta␣gs: []}\n", &["since version 2018-03-02"]);
}

#[test]
fn attributes_have_a_type() {
    hot(
        "resources:\n  a: {type: OS::Nova::Server, properties: {flavor: x}}\noutputs:\n  o: {value: {get_attr: [a, netw␣orks]}}\n",
        &["**networks** of OS::Nova::Server: map"],
    );
}

#[test]
fn what_is_no_template_has_no_hover() {
    says(&[("a.yaml", "services:\n  we␣b: 1\n")], &[]);
    hot("description: a te␣xt\n", &[]);
    hot("# a com␣ment\n", &[]);
}

/// Every hover of the first file.
fn all_hovers(files: &[(&str, &str)]) -> String {
    let project = TestProject::new(files);
    let text = files[0].1;
    let mut all = String::new();
    for (line, content) in text.lines().enumerate() {
        for column in 0..=content.chars().count() {
            let mut at = project.at();
            at.position = gen_lsp_types::Position::new(line as u32, column as u32);
            let found = hover(&project.snapshot, HoverParams::new(Default::default(), at));
            all.push_str(&format!("{found:?}"));
        }
    }
    all
}

#[test]
fn no_secret_is_in_any_hover() {
    let template = format!(
        "{HEAD}parameters:\n  password: {{type: string, hidden: true, default: s3cr3t-default, constraints: [{{allowed_values: [s3cr3t-default, s3cr3t-given]}}]}}\n  token: {{type: string, default: s3cr3t-token}}\nconditions:\n  is: {{equals: [{{get_param: password}}, x]}}\nresources:\n  random: {{type: OS::Heat::RandomString}}\n  server:\n    type: OS::Nova::Server\n    properties:\n      flavor: m1\n      name: {{list_join: ['', [user, {{get_param: password}}]]}}\n      admin_pass: {{get_attr: [random, value]}}\n      user_data: {{str_replace: {{template: p=$P t=$T, params: {{$P: {{get_param: password}}, $T: {{get_param: token}}}}}}}}\n  nested: {{type: web.yaml, properties: {{key: {{get_param: password}}}}}}\noutputs:\n  one: {{value: {{get_param: password}}}}\n  two: {{value: {{yaql: {{expression: $.data.toUpper(), data: {{get_param: token}}}}}}}}\n  three: {{value: [{{digest: [md5, {{get_param: password}}]}}, {{get_attr: [nested, out]}}]}}\n"
    );
    let nested = format!(
        "{HEAD}parameters:\n  key: {{type: string}}\noutputs:\n  out: {{value: {{list_join: ['', [x, {{get_param: key}}]]}}}}\n"
    );
    let environment = "parameters:\n  password: s3cr3t-given\n  token: s3cr3t-other\nencrypted_param_names: [token]\n";
    let others = [("env.yaml", environment), ("hotplate.toml", SETTINGS)];
    let all = [
        all_hovers(&[("a.yaml", &template), ("web.yaml", &nested), others[0], others[1]]),
        all_hovers(&[("web.yaml", &nested), ("a.yaml", &template), others[0], others[1]]),
        all_hovers(&[
            ("env.yaml", environment),
            ("a.yaml", &template),
            ("web.yaml", &nested),
            others[1],
        ]),
    ];
    assert!(all[0].contains("hidden") && all[1].contains("hidden"), "{all:?}");
    for text in all {
        let lower = text.to_lowercase();
        assert!(!lower.contains("s3cr3t"), "{text}");
        // The digest of the password is computed from it.
        assert!(!lower.contains("ff3ffdec366efecaed0ac15404ca20b7"), "{text}");
    }
}

#[test]
fn every_prefix_of_a_template_has_an_answer() {
    let text = "heat_template_version: pike\nparameters:\n  p: {type: string, default: [}\nresources:\n  a:\n    type: OS::Nova::Server\n    properties: {name: {get_param: p}}\n";
    for (at, _) in text.char_indices() {
        text_at(&TestProject::new(&[("a.yaml", &format!("{}{CURSOR}", &text[..at]))]));
    }
}
