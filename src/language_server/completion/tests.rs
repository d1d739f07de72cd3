//! Completions at the mark `␣` of a text: labels that must be there, and labels that must not.

use gen_lsp_types::{
    CompletionItem, CompletionItemTextEdit, CompletionParams, CompletionResponse, InsertTextFormat,
};

use super::complete;
use crate::language_server::place::without_places;
use crate::language_server::testing::{CURSOR, TestProject};

fn items(project: &TestProject) -> Vec<CompletionItem> {
    let params = CompletionParams::new(None, Default::default(), Default::default(), project.at());
    match complete(&project.snapshot, params) {
        None => vec![],
        Some(CompletionResponse::CompletionList(list)) => list.items,
        Some(CompletionResponse::CompletionItemList(items)) => items,
    }
}

fn labels(files: &[(&str, &str)]) -> Vec<String> {
    items(&TestProject::new(files)).into_iter().map(|item| item.label).collect()
}

/// Demands the names in `expected`, and none of those in `refused`; both are separated by blanks.
fn offers(files: &[(&str, &str)], expected: &str, refused: &str) {
    let labels = labels(files);
    for name in expected.split_whitespace() {
        assert!(
            labels.iter().any(|label| label == name),
            "`{name}` in {labels:?} at\n{}",
            files[0].1
        );
    }
    for name in refused.split_whitespace() {
        assert!(
            labels.iter().all(|label| label != name),
            "not `{name}` in {labels:?} at\n{}",
            files[0].1
        );
    }
}

/// The open text after an item was chosen, as an editor inserts it.
fn chosen(files: &[(&str, &str)], label: &str) -> String {
    let project = TestProject::new(files);
    let item = items(&project).into_iter().find(|item| item.label == label).expect(label);
    let Some(CompletionItemTextEdit::TextEdit(edit)) = item.text_edit else {
        panic!("no edit: {label}")
    };
    let view = project.snapshot.view(&project.path).expect("a file");
    let bytes = view.lines.bytes(&view.text, edit.range, project.snapshot.session.unit);
    let line = view.lines.line(&view.text, view.lines.line_of(bytes.start));
    let indent: String = view.text[line].chars().take_while(|c| *c == ' ').collect();
    let text = match item.insert_text_format {
        Some(InsertTextFormat::Snippet) => without_places(&edit.new_text),
        _ => edit.new_text,
    };
    let mut changed = view.text.to_string();
    changed.replace_range(bytes, &text.replace('\n', &format!("\n{indent}")));
    changed
}

const HEAD: &str = "heat_template_version: 2018-08-31\n";

/// A template of HOT with this text behind the version.
fn hot(rest: &str, expected: &str, refused: &str) {
    offers(&[("a.yaml", &format!("{HEAD}{rest}"))], expected, refused);
}

/// What follows in a parameter of HOT.
fn parameter(rest: &str, expected: &str, refused: &str) {
    hot(&format!("parameters:\n  p:\n    type: string\n    {rest}"), expected, refused);
}

/// What follows in the properties of a server.
fn property(rest: &str, expected: &str, refused: &str) {
    hot(&format!("{SERVER}{rest}"), expected, refused);
}

/// What follows in the networks of a server.
fn networks(rest: &str, expected: &str, refused: &str) {
    property(&format!("networks:\n        {rest}"), expected, refused);
}

const SERVER: &str = "resources:\n  a:\n    type: OS::Nova::Server\n    properties:\n      ";

#[test]
fn sections_are_those_of_the_version() {
    hot("␣", "parameters resources conditions outputs", "heat_template_version Resources");
    hot("res␣\n", "resources parameters", "");
    hot("parameters:\n  a: {type: string}\n␣", "resources", "parameters");
    offers(&[("a.yaml", "heat_template_version: 2013-05-23\n␣")], "resources", "conditions");
    offers(&[("a.yaml", "␣")], "heat_template_version parameter_defaults", "");
    offers(
        &[("a.yaml", "AWSTemplateFormatVersion: 2010-09-09\n␣")],
        "Resources Mappings",
        "resources",
    );
    offers(&[("a.yaml", "services:\n  web: 1\n␣")], "", "resources");
}

#[test]
fn versions_are_dates_and_names() {
    offers(&[("a.yaml", "heat_template_version: ␣")], "2018-08-31 rocky 2013-05-23", "");
    offers(&[("a.yaml", "heat_template_version: 2018-␣\nresources: {}\n")], "2018-03-02", "");
    offers(&[("a.yaml", "HeatTemplateFormatVersion: ␣\n")], "2012-12-12", "2010-09-09");
}

#[test]
fn the_column_of_an_empty_line_is_its_level() {
    let text = |column: &str| {
        format!(
            "resources:\n  a:\n    type: OS::Nova::Server\n    properties:\n      flavor: x\n{column}␣\n"
        )
    };
    hot(&text("      "), "image networks", "flavor depends_on parameters");
    hot(&text("    "), "depends_on metadata", "type properties image parameters");
    hot(&text(""), "parameters outputs", "resources depends_on");
    // Between two levels there is nothing that could be written.
    hot(&text("   "), "", "depends_on image parameters");
}

#[test]
fn keys_that_are_typed_are_completed_wherever_they_are() {
    hot("resources:\n  a:\n    ty␣\n", "type properties", "flavor");
    hot("resources:\n  a:\n    ty␣\n    properties: {}\n", "type", "properties");
    hot("resources:\n  a: {ty␣}\n", "type properties", "");
    hot("resources:\n  a: {type: OS::Nova::Server, pro␣", "properties", "type");
    parameter("constraints:\n      - le␣", "length range custom_constraint description", "");
    parameter("constraints:\n      - length: {mi␣}", "min max", "");
    hot("parameters:\n  p: {type: str␣}", "string number comma_delimited_list", "String");
    hot("parameter_groups:\n- la␣\n", "label parameters", "");
    hot(
        "parameters:\n  p: {type: string}\nparameter_groups:\n- label: x\n  parameters:\n  - ␣\n",
        "p",
        "OS::stack_name",
    );
    hot("outputs:\n  o:\n    va␣\n", "value description condition", "");
}

#[test]
fn types_are_those_of_heat_and_of_the_project() {
    hot(
        "resources:\n  a:\n    type: OS::Nova::␣\n",
        "OS::Nova::Server OS::Heat::ResourceGroup",
        "OS::Senlin::Cluster",
    );
    hot("resources:\n  a: {type: ␣}\n", "OS::Nova::Server", "");
    hot("resources:\n  a:\n    type: \"OS::No␣\"\n", "OS::Nova::Server", "");
    hot("resources:\n  a:\n    type:␣\n", "OS::Nova::Server", "");
    let root = "heat_template_version: 2018-08-31\nresources:\n  a:\n    type: ␣\n";
    let nested = "heat_template_version: 2018-08-31\n";
    offers(
        &[("a.yaml", root), ("lib/web.yaml", nested), ("lib/x.txt", "")],
        "lib/web.yaml",
        "lib/x.txt a.yaml",
    );
}

#[test]
fn properties_are_those_of_the_type_required_ones_first() {
    let text = "resources:\n  a:\n    type: OS::Nova::Server\n    properties:\n      ␣\n";
    hot(text, "flavor image networks", "type name_servers");
    assert_eq!(labels(&[("a.yaml", &format!("{HEAD}{text}"))])[0], "flavor");
    networks("- po␣\n", "port network fixed_ip", "flavor");
    networks("- port: x\n          ␣\n", "network", "port");
    hot(
        "resources:\n  a:\n    type: OS::Nova::Server\n    properties: {networks: [{po␣}]}\n",
        "port",
        "flavor",
    );
    // A list of maps without its dash.
    networks("␣\n", "port network", "flavor");
    // In the branches of a condition, as in a list of lists, stands what would stand without it.
    networks("if:\n          - c\n          - - po␣\n", "port", "flavor");
}

#[test]
fn members_of_groups_are_defined_like_resources() {
    let group = |rest: &str| {
        format!(
            "resources:\n  a:\n    type: OS::Heat::ResourceGroup\n    properties:\n      resource_def:\n        {rest}\n"
        )
    };
    hot(&group("ty␣"), "type properties", "depends_on");
    hot(&group("type: OS::Neu␣"), "OS::Neutron::Port", "");
    hot(
        &group("type: OS::Neutron::Port\n        properties:\n          net␣"),
        "network",
        "flavor",
    );
}

#[test]
fn values_are_those_that_the_property_allows() {
    property("config_drive: ␣\n", "true false get_param", "");
    property("user_data_format: S␣\n", "SOFTWARE_CONFIG HEAT_CFNTOOLS RAW", "");
    property("user_data_format: 'S␣'\n", "SOFTWARE_CONFIG", "get_param");
    hot(
        "resources:\n  a:\n    type: OS::Nova::Server\n    deletion_policy: R␣\n",
        "Retain Delete retain",
        "",
    );
    parameter("hidden: ␣\n", "true false", "");
    parameter("constraints: [{allowed_values: [m1, m2]}]\n    default: ␣\n", "m1 m2", "");
    parameter("constraints:\n    - custom_constraint: nov␣\n", "nova.flavor", "");
}

#[test]
fn functions_are_those_of_the_version_and_place() {
    hot("outputs:\n  o:\n    value: ␣\n", "get_param get_attr list_join yaql if", "equals Ref");
    hot("outputs:\n  o:\n    value: {get␣}\n", "get_param get_file", "equals");
    hot("outputs:\n  o:\n    value:\n      ␣\n", "str_replace", "equals");
    hot("outputs:\n  o:\n    value: [a, ␣]\n", "get_param", "");
    hot("conditions:\n  c: {eq␣}\n", "equals not and get_param", "get_attr list_join");
    offers(
        &[("a.yaml", "heat_template_version: 2013-05-23\noutputs: {o: {value: {␣}}}\n")],
        "get_param Ref Fn::Join",
        "yaql if",
    );
    let cfn = "AWSTemplateFormatVersion: 2010-09-09\nOutputs:\n  o:\n    Value: {␣}\n";
    offers(&[("a.yaml", cfn)], "Ref Fn::Join Fn::GetAtt", "get_param Fn::Sub");
    hot(
        "outputs:\n  o:\n    value:\n      str_replace:\n        te␣\n",
        "template params",
        "get_param",
    );
}

#[test]
fn names_are_those_that_the_template_declares() {
    let declared = "parameters:\n  flavor: {type: string}\n  size: {type: number}\nconditions:\n  big: {equals: [1, 1]}\nresources:\n  net: {type: OS::Neutron::Net}\n  server: {type: OS::Nova::Server}\n";
    let third = |rest: &str, expected: &str, refused: &str| {
        let server = "  third:\n    type: OS::Nova::Server\n    ";
        hot(&format!("{declared}{server}{rest}"), expected, refused);
    };
    let value = |value: &str| format!("{declared}outputs:\n  o:\n    value: {value}\n");
    hot(&value("{get_param: ␣}"), "flavor size OS::stack_name", "net big");
    hot(&value("{get_param: [si␣, 1]}"), "size", "");
    hot(&value("{ get_resource: n␣"), "net server", "flavor");
    hot(&value("{get_attr: [ser␣]}"), "server", "flavor");
    hot(&value("{get_attr: [server, ␣]}"), "first_address networks", "server cidr");
    hot(&value("\n      get_attr:\n      - server\n      - fi␣"), "first_address", "server");
    hot(&value("{if: [b␣, 1, 2]}"), "big not equals", "flavor");
    hot(&value("{if: [big, ␣, 2]}"), "get_param", "big");
    hot(&value("{get_param: [size, ␣]}"), "get_param", "flavor");
    hot(&value("{map_replace: [{a: 1}, {va␣}]}"), "values keys", "get_param");
    hot(&value("{resource_facade: ␣}"), "metadata deletion_policy", "");
    third("depends_on: ␣\n", "net server", "third flavor");
    third("depends_on: [net, ␣]\n", "server", "flavor");
    third("depends_on:\n      - s␣\n", "server", "flavor");
    third("condition: ␣\n", "big", "flavor");
    let cfn = "AWSTemplateFormatVersion: 2010-09-09\nParameters:\n  p: {Type: String}\nResources:\n  r: {Type: 'OS::Heat::None'}\nOutputs:\n  o:\n    Value: ";
    offers(&[("a.yaml", &format!("{cfn}{{Ref: ␣}}\n"))], "p r AWS::StackName", "OS::stack_name");
    offers(&[("a.yaml", &format!("{cfn}!Ref ␣\n"))], "p r", "");
}

#[test]
fn attributes_of_groups_and_deployments_are_those_of_their_parts() {
    let text = "resources:\n  group:\n    type: OS::Heat::ResourceGroup\n    properties: {resource_def: {type: OS::Nova::Server}}\n  config:\n    type: OS::Heat::SoftwareConfig\n    properties: {outputs: [{name: answer}]}\n  done:\n    type: OS::Heat::SoftwareDeployment\n    properties: {config: {get_resource: config}, server: x}\noutputs:\n  o:\n    value: ";
    hot(&format!("{text}{{get_attr: [group, ␣]}}\n"), "refs first_address", "answer");
    hot(&format!("{text}{{get_attr: [group, attributes, ␣]}}\n"), "first_address", "refs");
    hot(&format!("{text}{{get_attr: [done, ␣]}}\n"), "answer deploy_stdout", "first_address");
}

#[test]
fn nested_templates_give_their_parameters_and_outputs() {
    let nested = "heat_template_version: 2018-08-31\nparameters:\n  size: {type: string, constraints: [{allowed_values: [s, m]}]}\n  tag: {type: string, default: x}\noutputs:\n  address: {value: 1}\n";
    let root = |rest: &str| format!("{HEAD}resources:\n  a:\n    type: web.yaml\n{rest}");
    let offer = |rest: &str, expected: &str, refused: &str| {
        offers(&[("a.yaml", &root(rest)), ("web.yaml", nested)], expected, refused);
    };
    offer("    properties:\n      ␣\n", "size tag", "flavor");
    offer("    properties:\n      size: ␣\n", "s m get_param", "");
    offer("outputs:\n  o: {value: {get_attr: [a, ␣]}}\n", "address", "");
    let registry = "resource_registry:\n  My::Web: web.yaml\n";
    let mapped = format!("{HEAD}resources:\n  a:\n    type: My::Web\n    properties:\n      ␣\n");
    let settings = "[[deployment]]\ntemplate = \"a.yaml\"\nenvironments = [\"env.yaml\"]\n";
    let files = |text| {
        [
            ("a.yaml", text),
            ("web.yaml", nested),
            ("env.yaml", registry),
            ("hotplate.toml", settings),
        ]
    };
    offers(&files(mapped.as_str()), "size tag", "flavor");
    let types = format!("{HEAD}resources:\n  a:\n    type: My␣\n");
    offers(&files(types.as_str()), "My::Web", "");
}

#[test]
fn environments_know_what_is_deployed_with_them() {
    let template = format!(
        "{HEAD}parameters:\n  size: {{type: string, constraints: [{{allowed_values: [s, m]}}]}}\n  count: {{type: number}}\nresources:\n  a: {{type: 'My::Web'}}\n"
    );
    let settings = "[[deployment]]\ntemplate = \"a.yaml\"\nenvironments = [\"env.yaml\"]\n";
    let offer = |text: &str, expected: &str, refused: &str| {
        let files = [("env.yaml", text), ("a.yaml", &template), ("hotplate.toml", settings)];
        offers(&files, expected, refused);
    };
    offer("parameters:\n  ␣\n", "size count", "resources");
    offer("parameters:\n  count: 1\n  ␣\n", "size", "count");
    offer("parameters:\n  size: ␣\n", "s m", "");
    offer("resource_registry:\n  ␣\n", "My::Web OS::Nova::Server resources", "size");
    offer("resource_registry:\n  My::Web: ␣\n", "a.yaml OS::Nova::Server", "");
    offer(
        "parameter_defaults: {}\n␣\n",
        "parameters resource_registry encrypted_param_names",
        "resources parameter_defaults",
    );
    offer(
        "parameter_defaults: {}\nparameter_merge_strategies:\n  size: ␣\n",
        "overwrite deep_merge",
        "",
    );
}

#[test]
fn paths_are_those_of_the_project() {
    let text = format!("{HEAD}outputs:\n  o: {{value: {{get_file: ␣}}}}\n");
    offers(
        &[("a.yaml", &text), ("scripts/run.sh", "x"), (".secret", "x")],
        "scripts/run.sh",
        ".secret a.yaml",
    );
    let below = format!("{HEAD}outputs:\n  o: {{value: {{get_file: ../scripts/␣}}}}\n");
    offers(&[("lib/a.yaml", &below), ("scripts/run.sh", "x")], "../scripts/run.sh", "");
    let outside = format!("{HEAD}outputs:\n  o: {{value: {{get_file: ../../../␣}}}}\n");
    assert!(labels(&[("a.yaml", &outside)]).is_empty());
}

#[test]
fn nothing_is_offered_in_scripts_comments_and_sentences() {
    property("user_data: |\n        ty␣\n", "", "type flavor");
    hot("resources:\n  # ty␣\n  a: {}\n", "", "type");
    hot("description: a tem␣\n", "", "resources");
    hot("resources:\n  a:\n    type: OS::Nova::Server  # ␣\n", "", "OS::Nova::Server");
}

#[test]
fn json_and_line_ends_of_windows_are_read() {
    let json = |rest: &str| {
        format!(
            "{{\"heat_template_version\": \"2018-08-31\",\n \"resources\": {{\n  \"a\": {{\n{rest}"
        )
    };
    offers(&[("a.json", &json("\"type\": \"OS::No␣\"}}}\n"))], "OS::Nova::Server", "");
    offers(&[("a.json", &json("\"ty␣\"}}}\n"))], "type properties", "flavor");
    offers(&[("a.json", &json("\"type\": \"OS::Nova::Server\", \"␣\n"))], "properties", "type");
    offers(
        &[("a.json", &json("\"type\": \"OS::Nova::Server\",\n\"properties\": {\n ␣\n}\n}}}\n"))],
        "flavor",
        "",
    );
    let windows = format!("{HEAD}{SERVER}␣\n").replace('\n', "\r\n");
    offers(&[("a.yaml", &windows)], "flavor", "type");
}

#[test]
fn the_rest_of_a_broken_text_is_used() {
    hot(
        "parameters:\n  p: {type: string}\n  q: [\nresources:\n  a:\n    type: OS::Nova::␣\n    properties:\n      x\noutputs:\n",
        "OS::Nova::Server",
        "",
    );
    hot(
        "parameters:\n  p: {type: string}\nresources:\n  a:\n    prop\n    typ␣\noutputs:\n  o: {value: {get_param: p}}\n",
        "type",
        "",
    );
}

#[test]
fn an_item_replaces_the_word_and_what_follows_fits() {
    let text = |rest: &str| format!("{HEAD}resources:\n  a:\n{rest}");
    let choose = |marked: &str, label: &str| {
        let whole = chosen(&[("a.yaml", &text(marked))], label);
        whole.strip_prefix(&text("")).expect("the start").to_owned()
    };
    let server = "    type: OS::Nova::Server\n    properties:\n      ";
    let text_call = "name:\n        str_replace:\n          template: string\n          params:\n            placeholder: value\n";
    let port = "  port:\n    type: OS::Neutron::Port\n    properties:\n      network: \n";
    // What the text begins with, what is there with the place of the cursor, what is chosen, what is there then.
    let cases = [
        ("    type: ", "OS::Nova::Ser␣ver\n", "OS::Neutron::Net", "OS::Neutron::Net\n"),
        ("    type:", "␣\n", "OS::Neutron::Net", " OS::Neutron::Net\n"),
        ("    type: ", "\"OS::␣\"\n", "OS::Neutron::Net", "\"OS::Neutron::Net\"\n"),
        ("    ty", "␣\n", "type", "pe: \n"),
        ("    ty", "␣: x\n", "type", "pe: x\n"),
        (
            "    type: OS::Nova::Server\n",
            "    pro␣\n",
            "properties",
            "    properties:\n      flavor: \n",
        ),
        (server, "net␣\n", "networks", "networks:\n        - \n"),
        (server, "networks:\n        ␣\n", "port", "networks:\n        - port: \n"),
        (server, "name: ␣\n", "get_param", "name: { get_param: parameter }\n"),
        (server, "name: {get␣}\n", "get_param", "name: {get_param: parameter}\n"),
        (server, "name:\n        str␣\n", "str_replace", text_call),
        ("    type: OS::Nova::Server\n", "  ␣\n", "OS::Neutron::Port", port),
    ];
    for (start, marked, label, expected) in cases {
        assert_eq!(choose(&format!("{start}{marked}"), label), format!("{start}{expected}"));
    }
}

#[test]
fn every_prefix_of_a_template_has_an_answer() {
    for text in PREFIXES {
        for (at, _) in text.char_indices() {
            let marked = format!("{}{CURSOR}", &text[..at]);
            items(&TestProject::new(&[("a.yaml", &marked)]));
        }
    }
}

/// Templates that have something of everything, short enough for a project of each prefix.
const PREFIXES: [&str; 3] = [
    "heat_template_version: pike\nparameters:\n  p: {type: string, constraints: [{length: {min: 1}}]}\nresources:\n  a:\n    type: OS::Nova::Server\n    properties:\n      networks:\n      - port: {get_param: [p, \"x\"]}\n      user_data: |\n        a: [\n",
    "{\"AWSTemplateFormatVersion\": \"2010-09-09\", \"Outputs\": {\"o\": {\"Value\": {\"Fn::Join\": [\",\", [{\"Ref\": \"x\"}]]}}}}",
    "parameter_defaults:\n  a: &x [1, {b: 'it''s'}]\nresource_registry:\n  \"A::*\": b.yaml # ä\n",
];
