"""Input that grows in one dimension: each function makes the files of a deployment with so many parts of one kind, `t.yaml` the
template, `old.yaml` the other side of a comparison, `e.yaml` an environment, and what else the commands of `parts/dimensions.py` name."""

import json

HEAD = "heat_template_version: 2018-08-31\n"
NET = "{type: OS::Neutron::Net}"
VALUE = "resources:\n  r: {type: OS::Heat::Value, properties: {value: a}}\n"
TEXT = "{type: string, default: a}"

# The commands of each dimension, besides those that every one goes through in turn.
OF = {}


def dimension(*commands, base=250):
    """Declares a dimension: the names of the commands that it always goes through, and its smallest number of parts."""
    def declare(make):
        OF[make.__name__] = (make, commands, base)
        return make
    return declare


def lines(count, line):
    return "".join(line(n) for n in range(count))


def value(text):
    return f"resources:\n  r:\n    type: OS::Heat::Value\n    properties:\n      value: {text}\n"


def registries(rows):
    """Two environments whose rows have different targets."""
    return {f"{name}.yaml": "resource_registry:\n" + rows(target) for name, target in (("old-e", "OS::Heat::None"), ("e", "OS::Heat::Value"))}


# --- parts of a template ---------------------------------------------------------------------------


@dimension("check", "fix", "eval", "diff json")
def parameters_unused(n):
    return {"t.yaml": HEAD + "parameters:\n" + lines(n, lambda i: f"  u{i}: {TEXT}\n") + VALUE}


@dimension("check", "fix")
def parameters_unused_in_one_line(n):
    return {"t.yaml": HEAD + "parameters: {" + lines(n, lambda i: f"u{i}: {TEXT}, ") + "}\n" + VALUE}


@dimension("check", "fix", "diff json", "render terraform", "render cfn")
def parameters_used(n):
    return {"t.yaml": HEAD + "parameters:\n" + lines(n, lambda i: f"  p{i}: {TEXT}\n") + value("[" + lines(n, lambda i: f"{{get_param: p{i}}}, ") + "]")}


@dimension("check", "eval", "diff json")
def parameters_missing(n):
    return {"t.yaml": HEAD + "parameters:\n" + lines(n, lambda i: f"  p{i}: {{type: string}}\n") + value("[" + lines(n, lambda i: f"{{get_param: p{i}}}, ") + "]")}


@dimension("check", "eval")
def parameters_hidden(n):
    return {"t.yaml": HEAD + "parameters:\n" + lines(n, lambda i: f"  p{i}: {{type: string, hidden: true, default: d{i}}}\n") + value("[" + lines(n, lambda i: f"{{get_param: p{i}}}, ") + "]")}


@dimension("check", "diff json")
def parameters_named_as_secrets(n):
    return {"t.yaml": HEAD + "parameters:\n" + lines(n, lambda i: f"  password{i}: {TEXT}\n") + value("[" + lines(n, lambda i: f"{{get_param: password{i}}}, ") + "]")}


@dimension("check", "eval")
def constraints(n):
    return {"t.yaml": HEAD + "parameters:\n  p:\n    type: string\n    default: aaa\n    constraints:\n" + lines(n, lambda i: f"    - length: {{max: {i + 10}}}\n") + value("{get_param: p}")}


@dimension("check", "eval")
def values_allowed(n):
    return {"t.yaml": HEAD + "parameters:\n  p:\n    type: string\n    default: v0\n    constraints: [{allowed_values: [" + lines(n, lambda i: f"v{i}, ") + "]}]\n" + value("{get_param: p}")}


@dimension("check", "eval")
def lists_with_allowed_values(n):
    names = ",".join(f"v{i}" for i in range(n))
    return {"t.yaml": HEAD + f"parameters:\n  p:\n    type: comma_delimited_list\n    default: '{names}'\n    constraints: [{{allowed_values: [{names}]}}]\n" + value("{get_param: p}")}


@dimension("check")
def groups_of_parameters(n):
    return {"t.yaml": HEAD + "parameters:\n" + lines(n, lambda i: f"  p{i}: {TEXT}\n") + "parameter_groups:\n" + lines(n, lambda i: f"- {{label: g{i}, parameters: [p{i}]}}\n") + VALUE}


@dimension("check", "fix")
def parameters_of_one_group(n):
    return {"t.yaml": HEAD + "parameters:\n" + lines(n, lambda i: f"  p{i}: {TEXT}\n") + "parameter_groups:\n- parameters: [" + lines(n, lambda i: f"p{i}, ") + "]\n" + VALUE}


@dimension("check", "diff json", "diff html", "render terraform", "render pulumi", "render ansible", "eval")
def resources(n):
    return {"t.yaml": HEAD + "resources:\n" + lines(n, lambda i: f"  n{i}: {NET}\n")}


@dimension("check", "diff json", "render terraform", "render cfn", "render mermaid")
def servers(n):
    return {"t.yaml": HEAD + "parameters: {f: {type: string, default: a}}\nresources:\n" + lines(n, lambda i: f"  s{i}:\n    type: OS::Nova::Server\n    properties: {{name: n{i}, image: i, flavor: {{get_param: f}}, networks: [{{network: n}}]}}\n")}


@dimension("check", "diff json")
def ports_on_one_net(n):
    return {"t.yaml": HEAD + f"resources:\n  net: {NET}\n" + lines(n, lambda i: f"  p{i}: {{type: OS::Neutron::Port, properties: {{network: {{get_resource: net}}}}}}\n")}


@dimension("check", "diff json")
def subnets(n):
    return {"t.yaml": HEAD + f"resources:\n  net: {NET}\n" + lines(n, lambda i: f"  s{i}: {{type: OS::Neutron::Subnet, properties: {{network: {{get_resource: net}}, cidr: 10.{i // 256 % 256}.{i % 256}.0/24}}}}\n")}


@dimension("check", "diff json", "render terraform")
def rules_of_a_group(n):
    return {"t.yaml": HEAD + "resources:\n  g:\n    type: OS::Neutron::SecurityGroup\n    properties:\n      rules:\n" + lines(n, lambda i: f"      - {{protocol: tcp, port_range_min: {i % 60000 + 1}, port_range_max: {i % 60000 + 1}, remote_ip_prefix: 10.{i // 256 % 256}.{i % 256}.0/24}}\n")}


@dimension("check", "diff json")
def groups_of_rules(n):
    return {"t.yaml": HEAD + "resources:\n" + lines(n, lambda i: f"  g{i}: {{type: OS::Neutron::SecurityGroup, properties: {{rules: [{{protocol: tcp, port_range_min: 22, port_range_max: 22}}]}}}}\n")}


@dimension("check", "eval", "diff json", "render dot", "render terraform")
def dependencies_in_a_chain(n):
    return {"t.yaml": HEAD + f"resources:\n  n0: {NET}\n" + lines(n, lambda i: f"  n{i + 1}: {{type: OS::Neutron::Net, depends_on: n{i}}}\n")}


@dimension("check", "eval", "diff json")
def dependencies_of_one_resource(n):
    return {"t.yaml": HEAD + "resources:\n" + lines(n, lambda i: f"  n{i}: {NET}\n") + "  last: {type: OS::Neutron::Net, depends_on: [" + lines(n, lambda i: f"n{i}, ") + "]}\n"}


@dimension("check", "eval")
def dependencies_in_a_cycle(n):
    return {"t.yaml": HEAD + "resources:\n" + lines(n, lambda i: f"  n{i}: {{type: OS::Neutron::Net, depends_on: n{(i + 1) % n}}}\n")}


@dimension("check", "eval")
def cycles_of_two(n):
    return {"t.yaml": HEAD + "resources:\n" + lines(n, lambda i: f"  n{i}: {{type: OS::Neutron::Net, depends_on: n{i ^ 1}}}\n")}


@dimension("check", "eval", "diff json", "render terraform")
def references_in_a_chain(n):
    return {"t.yaml": HEAD + "resources:\n  r0: {type: OS::Heat::RandomString}\n" + lines(n, lambda i: f"  r{i + 1}: {{type: OS::Heat::RandomString, properties: {{salt: {{get_resource: r{i}}}}}}}\n")}


@dimension("check", "diff json", "eval")
def references_to_one_resource(n):
    return {"t.yaml": HEAD + "resources:\n  v: {type: OS::Heat::Value, properties: {value: a}}\n" + "outputs:\n" + lines(n, lambda i: f"  o{i}: {{value: {{get_attr: [v, value]}}}}\n")}


@dimension("check", "eval", "diff json", "render terraform")
def outputs(n):
    return {"t.yaml": HEAD + VALUE + "outputs:\n" + lines(n, lambda i: f"  o{i}: {{value: a, description: d{i}}}\n")}


@dimension("check")
def items_of_depends_on_unknown(n):
    return {"t.yaml": HEAD + "resources:\n" + lines(n, lambda i: f"  name{i}: {{type: OS::Neutron::Net, depends_on: nmae{i}}}\n")}


# --- conditions ------------------------------------------------------------------------------------


@dimension("check", "eval", "diff json", "render terraform", "upgrade", base=60)
def conditions_deep(n):
    return {"t.yaml": HEAD + f"parameters: {{p: {TEXT}}}\nconditions:\n" + lines(n, lambda i: f"  c{i}: {{or: [{{not: c{i + 1}}}, c{i + 1}]}}\n") + f"  c{n}: {{equals: [{{get_param: p}}, x]}}\nresources: {{n: {{type: OS::Neutron::Net, condition: c0}}}}\n"}


@dimension("check", "eval", "diff json", "render terraform")
def conditions_wide(n):
    return {"t.yaml": HEAD + f"parameters: {{p: {TEXT}}}\nconditions:\n  c: {{or: [" + lines(n, lambda i: f"{{equals: [{{get_param: p}}, v{i}]}}, ") + "{equals: [a, b]}]}\nresources: {n: {type: OS::Neutron::Net, condition: c}}\n"}


@dimension("check", "fix", "eval")
def conditions_of_one_parameter(n):
    return {"t.yaml": HEAD + f"parameters: {{p: {TEXT}}}\nconditions:\n" + lines(n, lambda i: f"  c{i}: {{equals: [{{get_param: p}}, v{i}]}}\n") + "resources:\n" + lines(n, lambda i: f"  n{i}: {{type: OS::Neutron::Net, condition: c{i}}}\n")}


@dimension("check", "eval")
def conditions_of_many_parameters(n):
    return {"t.yaml": HEAD + "parameters:\n" + lines(n, lambda i: f"  p{i}: {TEXT}\n") + "conditions:\n" + lines(n, lambda i: f"  c{i}: {{and: [{{equals: [{{get_param: p{i}}}, v]}}, {{equals: [{{get_param: p{i // 2}}}, w]}}]}}\n") + "resources:\n" + lines(n, lambda i: f"  n{i}: {{type: OS::Neutron::Net, condition: c{i}}}\n")}


@dimension("check", "fix")
def conditions_unused(n):
    return {"t.yaml": HEAD + f"parameters: {{p: {TEXT}}}\nconditions:\n" + lines(n, lambda i: f"  c{i}: {{equals: [{{get_param: p}}, v]}}\n") + VALUE}


@dimension("check", "eval", base=60)
def ifs_wide(n):
    return {"t.yaml": HEAD + f"parameters: {{p: {TEXT}}}\nconditions: {{c: {{equals: [{{get_param: p}}, v]}}}}\n" + value("[" + lines(n, lambda i: f"{{if: [c, a{i}, b]}}, ") + "]")}


# --- functions -------------------------------------------------------------------------------------


@dimension("check", "eval", "upgrade", "render terraform")
def functions_wide(n):
    return {"t.yaml": HEAD + f"parameters: {{p: {TEXT}}}\n" + value("[" + lines(n, lambda i: f"{{list_join: [',', [a{i}, {{get_param: p}}]]}}, ") + "]")}


@dimension("check", "eval", "render terraform")
def items_of_one_function(n):
    return {"t.yaml": HEAD + f"parameters: {{p: {TEXT}}}\n" + value("{list_join: [',', [" + lines(n, lambda i: f"a{i}, ") + "{get_param: p}]]}")}


@dimension("check", "eval", "render terraform")
def items_that_are_unique(n):
    return {"t.yaml": "heat_template_version: 2021-04-16\n" + value("{list_concat_unique: [[" + lines(n, lambda i: f"a{i}, ") + "], [" + lines(n, lambda i: f"b{i}, ") + "]]}")}


@dimension("check", "eval", base=10)
def functions_nested(n):
    text = "a"
    for i in range(min(n, 80)):
        text = f"{{list_join: [',', [a{i}, {text}]]}}"
    return {"t.yaml": HEAD + value(text)}


@dimension("check", "fix", "eval")
def functions_misspelled(n):
    return {"t.yaml": HEAD + value("[" + lines(n, lambda i: f"{{str_replce: {{template: a{i}, params: {{a: b}}}}}}, ") + "]")}


@dimension("check", "eval")
def placeholders(n):
    return {"t.yaml": HEAD + value("\n        str_replace:\n          template: " + lines(n, lambda i: f"$k{i}$ ") + "\n          params: {" + lines(n, lambda i: f"$k{i}$: v, ") + "}")}


@dimension("check", "eval")
def placeholders_missing(n):
    return {"t.yaml": HEAD + value("\n        str_replace:\n          template: " + "ab cd " * 3 * n + "\n          params: {" + lines(n, lambda i: f"k{i}z: v, ") + "}")}


@dimension("check", "eval", base=30)
def placeholders_that_are_prefixes(n):
    return {"t.yaml": HEAD + value("\n        str_replace_vstrict:\n          template: " + "a" * 50 * n + "\n          params: {" + lines(n, lambda i: "a" * (i + 1) + ": v, ") + "}")}


@dimension("check", "eval")
def placeholders_behind_secrets(n):
    return {"t.yaml": HEAD + f"parameters: {{p: {TEXT}}}\n" + value("\n        str_replace:\n          template: \"" + lines(n, lambda i: f"password=$k{i}$ ") + "\"\n          params: {" + lines(n, lambda i: f"$k{i}$: {{get_param: p}}, ") + "}")}


@dimension("check", "eval")
def calls_of_str_replace(n):
    return {"t.yaml": HEAD + value("[" + lines(n, lambda i: f"{{str_replace: {{template: 'x $k{i}$', params: {{$k{i}$: v}}}}}}, ") + "]")}


@dimension("check", "eval")
def loops_of_repeat(n):
    return {"t.yaml": HEAD + value("{repeat: {template: '%a%', for_each: {'%a%': [" + lines(n, lambda i: f"v{i}, ") + "]}}}")}


@dimension("check", "eval", base=60)
def variables_of_repeat(n):
    return {"t.yaml": HEAD + value("{repeat: {template: '" + lines(n, lambda i: f"%v{i}%") + "', for_each: {" + lines(n, lambda i: f"'%v{i}%': [a], ") + "}}}")}


@dimension("check", "eval", base=60)
def calls_of_yaql(n):
    return {"t.yaml": HEAD + value("[" + lines(n, lambda i: f"{{yaql: {{expression: '$.data + {i}', data: 1}}}}, ") + "]")}


@dimension("check", "eval", base=60)
def calls_of_yaql_unknown(n):
    return {"t.yaml": HEAD + value("[" + lines(n, lambda i: f"{{yaql: {{expression: '$.data.selectt{i}($)', data: [1]}}}}, ") + "]")}


# --- mistakes --------------------------------------------------------------------------------------


@dimension("check", "fix", "eval", "upgrade", "diff json")
def names_misspelled(n):
    return {"t.yaml": HEAD + "parameters:\n" + lines(3 * n, lambda i: f"  name{i}: {TEXT}\n") + "resources:\n" + lines(n, lambda i: f"  n{i}: {{type: OS::Neutron::Net, properties: {{name: {{get_param: nmae{i}}}}}}}\n")}


@dimension("check", "fix", "eval")
def names_of_resources_misspelled(n):
    return {"t.yaml": HEAD + "resources:\n" + lines(n, lambda i: f"  name{i}: {NET}\n") + "outputs:\n" + lines(n, lambda i: f"  o{i}: {{value: {{get_resource: nmae{i}}}}}\n")}


@dimension("check", "fix", "eval")
def names_of_conditions_misspelled(n):
    return {"t.yaml": HEAD + "conditions:\n" + lines(n, lambda i: f"  name{i}: {{equals: [a, {{get_param: 'OS::stack_name'}}]}}\n") + "resources:\n" + lines(n, lambda i: f"  n{i}: {{type: OS::Neutron::Net, condition: nmae{i}}}\n")}


@dimension("check", "fix", "eval")
def attributes_misspelled(n):
    return {"t.yaml": HEAD + "resources:\n" + lines(n, lambda i: f"  n{i}: {NET}\n") + "outputs:\n" + lines(n, lambda i: f"  o{i}: {{value: {{get_attr: [n{i}, shwo{i}]}}}}\n")}


@dimension("check", "fix", "upgrade")
def keys_of_resources_misspelled(n):
    return {"t.yaml": HEAD + "resources:\n" + lines(n, lambda i: f"  n{i}: {{type: OS::Neutron::Net, propertis: {{}}}}\n")}


@dimension("check", "fix", "diff json")
def properties_misspelled(n):
    return {"t.yaml": HEAD + "resources:\n" + lines(n, lambda i: f"  n{i}: {{type: OS::Neutron::Net, properties: {{nmae: a}}}}\n")}


@dimension("check", "fix")
def properties_misspelled_in_one_resource(n):
    return {"t.yaml": HEAD + "resources:\n  n:\n    type: OS::Neutron::Net\n    properties:\n" + lines(n, lambda i: f"      nmae{i}: a\n")}


@dimension("check", "fix", "diff json")
def types_misspelled(n):
    return {"t.yaml": HEAD + "resources:\n" + lines(n, lambda i: f"  n{i}: {{type: OS::Neutron::Nett{i}}}\n")}


@dimension("check", "upgrade", "eval")
def sections_unknown(n):
    return {"t.yaml": HEAD + VALUE + lines(n, lambda i: f"section{i}: a\n")}


@dimension("check", "eval", "diff json")
def values_of_the_wrong_type(n):
    return {"t.yaml": HEAD + "resources:\n" + lines(n, lambda i: f"  n{i}: {{type: OS::Neutron::Net, properties: {{admin_state_up: [a]}}}}\n")}


@dimension("check", "fix")
def keys_twice(n):
    return {"t.yaml": HEAD + "parameters:\n" + lines(n, lambda i: f"  p{i // 2}: {TEXT}\n") + VALUE}


@dimension("check")
def calls_with_wrong_arguments(n):
    return {"t.yaml": HEAD + value("[" + lines(n, lambda i: "{list_join: 1}, ") + "]")}


@dimension("check", "fix", "upgrade modernize", base=60)
def properties_deprecated(n):
    return {"t.yaml": HEAD + "resources:\n" + lines(n, lambda i: f"  p{i}:\n    type: OS::Neutron::Port\n    properties: {{network_id: a{i}}}\n")}


# --- the text --------------------------------------------------------------------------------------


@dimension("check", "upgrade", "diff json")
def comments(n):
    return {"t.yaml": HEAD + "resources:\n" + lines(n, lambda i: f"  # comment {i}\n  n{i}: {NET}\n")}


@dimension("check", "fix", "diff json")
def comments_between_unused_parameters(n):
    return {"t.yaml": HEAD + "parameters:\n" + lines(n, lambda i: f"  # comment {i}\n  u{i}: {TEXT}\n") + VALUE}


@dimension("check", "fix")
def comments_that_ignore(n):
    return {"t.yaml": HEAD + "resources:\n" + lines(n, lambda i: f"  # hotplate: ignore HP1201 reason {i}\n  n{i}: {NET}\n")}


@dimension("check", "fix")
def comments_that_ignore_findings(n):
    return {"t.yaml": HEAD + "parameters:\n" + lines(n, lambda i: f"  # hotplate: ignore HP1201 reason {i}\n  u{i}: {TEXT}\n") + VALUE}


@dimension("check")
def comments_that_ignore_in_one_line(n):
    return {"t.yaml": HEAD + VALUE + "#" + " # hotplate: ignore HP1201 a" * n + "\n"}


@dimension("diff json", "diff html", "diff")
def comments_that_allow(n):
    return {"t.yaml": HEAD + "resources:\n" + lines(n, lambda i: f"  # hotplate: allow replace reason {i}\n  n{i}: {NET}\n")}


@dimension("diff json", "diff")
def comments_that_allow_before_one_resource(n):
    return {"t.yaml": HEAD + "resources:\n" + lines(n, lambda i: f"  # hotplate: allow replace reason {i}\n") + f"  n: {NET}\n"}


@dimension("check", "upgrade", "diff json", "diff html", "eval")
def lines_of_a_text(n):
    return {"t.yaml": HEAD + value("|\n" + lines(n, lambda i: f"        line {i}\n"))}


@dimension("check", "upgrade", "diff json", "diff html", "eval")
def a_long_line(n):
    return {"t.yaml": HEAD + value("'" + lines(n, lambda i: f"word{i} ") + "'")}


@dimension("check", "upgrade", "eval")
def block_scalars(n):
    return {"t.yaml": HEAD + "resources:\n" + lines(n, lambda i: f"  v{i}:\n    type: OS::Heat::Value\n    properties:\n      value: |\n        a\n        b\n")}


@dimension("check", "upgrade", "eval", "versions")
def anchors_and_aliases(n):
    return {"t.yaml": HEAD + "resources:\n" + lines(n, lambda i: f"  v{i}:\n    type: OS::Heat::Value\n    properties:\n      value: [&a{i} x, *a{i}]\n")}


@dimension("check", "upgrade", "eval", "diff json")
def a_template_in_one_line(n):
    return {"t.yaml": "{heat_template_version: '2018-08-31', resources: {" + lines(n, lambda i: f"n{i}: {NET}, ") + "}}\n"}


@dimension("check", "upgrade", "versions")
def functions_of_an_old_version(n):
    return {"t.yaml": "heat_template_version: 2013-05-23\n" + value("[" + lines(n, lambda i: "{'Fn::Select': [0, [a, b]]}, {'Fn::Join': ['', [a, b]]}, ") + "]")}


# --- the other dialects ----------------------------------------------------------------------------


@dimension("check", "eval", "render hot")
def mappings_of_cfn(n):
    maps = lines(n, lambda i: f'"m{i}": {{"a": {{"x": "1"}}}},\n') + '"m": {"a": {"x": "1"}}'
    made = lines(n, lambda i: f'"r{i}": {{"Type": "OS::Heat::Value", "Properties": {{"value": {{"Fn::FindInMap": ["m{i}", "a", "y"]}}}}}},\n')
    return {"t.yaml": '{"AWSTemplateFormatVersion": "2010-09-09", "Mappings": {' + maps + '}, "Resources": {' + made + '"r": {"Type": "OS::Heat::Value"}}}'}


@dimension("check", "eval", "render hot")
def instances_of_cfn_with_a_wrong_key(n):
    made = lines(n, lambda i: f'"r{i}": {{"Type": "AWS::EC2::Instance", "Propertis": {{"ImageId": "i"}}}},\n')
    maps = lines(n, lambda i: f'"m{i}": {{"a": {{"x": "1"}}}},\n') + '"m": {"a": {"x": "1"}}'
    return {"t.yaml": '{"AWSTemplateFormatVersion": "2010-09-09", "Mappings": {' + maps + '}, "Resources": {' + made + '"r": {"Type": "OS::Heat::Value"}}}'}


# --- deployments -----------------------------------------------------------------------------------


@dimension("check", "env", "eval", "diff json")
def parameters_of_an_environment(n):
    return {"t.yaml": HEAD + "parameters:\n" + lines(n, lambda i: f"  p{i}: {TEXT}\n") + VALUE, "e.yaml": "parameters:\n" + lines(n, lambda i: f"  p{i}: b\n")}


@dimension("check", "fix", "env", "eval")
def parameters_of_an_environment_misspelled(n):
    return {"t.yaml": HEAD + "parameters:\n" + lines(n, lambda i: f"  name{i}: {TEXT}\n") + VALUE, "e.yaml": "parameters:\n" + lines(n, lambda i: f"  nmae{i}: b\n")}


@dimension("check", "env", "eval")
def parameter_defaults_that_nothing_declares(n):
    return {"t.yaml": HEAD + "parameters:\n" + lines(n, lambda i: f"  name{i}: {TEXT}\n") + VALUE, "e.yaml": "parameter_defaults:\n" + lines(n, lambda i: f"  nmae{i}: b\n")}


@dimension("check", "env", "eval", "diff json")
def rows_of_a_registry(n):
    return {"t.yaml": HEAD + "resources:\n" + lines(n, lambda i: f"  r{i}: {{type: My::T{i}}}\n"), "e.yaml": "resource_registry:\n" + lines(n, lambda i: f"  My::T{i}: OS::Heat::Value\n")}


@dimension("check", "env", "eval")
def rows_of_a_registry_unused(n):
    return {"t.yaml": HEAD + VALUE, "e.yaml": "resource_registry:\n" + lines(n, lambda i: f"  My::T{i}: OS::Heat::Value\n")}


@dimension("check", "env", "eval")
def rows_of_a_registry_with_stars(n):
    return {"t.yaml": HEAD + "resources:\n" + lines(n, lambda i: f"  r{i}: {{type: My::T{i}::X}}\n"), "e.yaml": "resource_registry:\n" + lines(n, lambda i: f"  My::T{i}*: OS::Heat::Value\n")}


@dimension("check", "env", "eval", base=25)
def rows_of_a_registry_that_chain(n):
    return {"t.yaml": HEAD + "resources: {r: {type: My::T0}}\n", "e.yaml": "resource_registry:\n" + lines(n, lambda i: f"  My::T{i}: My::T{i + 1}\n") + f"  My::T{n}: OS::Heat::Value\n"}


@dimension("diff registries", base=60)
def rows_of_a_registry_that_differ(n):
    row = lambda target: lambda i: f"  My::T{i}: {target}\n"
    return {"t.yaml": HEAD + "resources:\n" + lines(n, lambda i: f"  r{i}: {{type: My::T{i}}}\n"), **registries(lambda target: lines(n, row(target)))}


@dimension("diff registries", base=60)
def rows_with_stars_that_differ(n):
    row = lambda target: lambda i: f"  My::T{i}_*: {target}\n"
    return {"t.yaml": HEAD + "resources:\n" + lines(n, lambda i: f"  r{i}: {{type: My::T{i}_X}}\n"), **registries(lambda target: lines(n, row(target)))}


@dimension("diff registries", base=20)
def rows_that_chain_to_others_that_differ(n):
    """A chain of ten types for each resource: Heat follows each chain by itself."""
    chain = lambda i: "".join(f"  My::T{i}_{at}: My::T{i}_{at + 1}\n" for at in range(9))
    rows = lambda target: lines(n, lambda i: f"{chain(i)}  My::T{i}_9: {target}\n")
    return {"t.yaml": HEAD + "resources:\n" + lines(n, lambda i: f"  r{i}: {{type: My::T{i}_0}}\n"), **registries(rows)}


@dimension("diff registries", base=60)
def rows_for_names_with_stars_that_differ(n):
    rows = lambda target: "  resources:\n" + lines(n, lambda i: f"    'r{i}_*': {{My::T: {target}}}\n    '*_{i}s': {{My::T: {target}}}\n")
    return {"t.yaml": HEAD + "resources:\n" + lines(n, lambda i: f"  r{i}_{i}s: {{type: My::T}}\n"), **registries(rows)}


@dimension("diff registries", base=60)
def actions_for_names_with_stars_that_differ(n):
    rows = lambda target: "  My::T: OS::Heat::None\n  resources:\n" + lines(n, lambda i: f"    'r{i}_*': {{restricted_actions: {'update' if target == 'OS::Heat::None' else 'replace'}}}\n")
    return {"t.yaml": HEAD + "resources:\n" + lines(n, lambda i: f"  r{i}_x: {{type: My::T}}\n"), **registries(rows)}


@dimension("check", "fix", "diff registries", base=30)
def rows_of_a_registry_for_files(n):
    """Each file with a parameter that it does not use, so that those who pass it are searched for."""
    child = HEAD + f"parameters: {{v: {TEXT}}}\n" + VALUE
    types = HEAD + "resources:\n" + lines(n, lambda i: f"  r{i}: {{type: My::T{i}}}\n")
    rows = lambda name: "resource_registry:\n" + lines(n, lambda i: f"  My::T{i}: {name}{i}.yaml\n")
    files = {f"c{i}.yaml": child for i in range(n)}
    return {"t.yaml": types, "e.yaml": rows("c"), "old-e.yaml": rows("d/c"), **files, **{f"d/{name}": text.replace("value: a", "value: b") for name, text in files.items()}}


@dimension("check many environments", "env many environments", base=15)
def environments(n):
    return {"t.yaml": HEAD + "parameters:\n" + lines(n, lambda i: f"  p{i}: {TEXT}\n") + VALUE, **{f"e{i}.yaml": f"parameters: {{p{i}: b}}\n" for i in range(n)}}


@dimension("check", "eval nested", "diff json", "render terraform", base=60)
def nested_files(n):
    child = HEAD + f"parameters: {{v: {TEXT}}}\n" + value("{get_param: v}") + "outputs: {o: {value: {get_param: v}}}\n"
    return {"t.yaml": HEAD + "resources:\n" + lines(n, lambda i: f"  r{i}: {{type: c{i}.yaml, properties: {{v: a}}}}\n"), **{f"c{i}.yaml": child for i in range(n)}}


@dimension("check", "eval nested", "diff json", base=60)
def stacks_of_one_file(n):
    child = HEAD + f"parameters: {{v: {TEXT}}}\n" + value("{get_param: v}") + "outputs: {o: {value: {get_param: v}}}\n"
    return {"t.yaml": HEAD + "resources:\n" + lines(n, lambda i: f"  r{i}: {{type: c.yaml, properties: {{v: a}}}}\n"), "c.yaml": child}


@dimension("check", "fix", "eval")
def properties_of_a_stack_misspelled(n):
    child = HEAD + "parameters:\n" + lines(n, lambda i: f"  name{i}: {TEXT}\n") + VALUE
    return {"t.yaml": HEAD + "resources:\n  r:\n    type: c.yaml\n    properties:\n" + lines(n, lambda i: f"      nmae{i}: a\n"), "c.yaml": child}


@dimension("check", "fix", "eval")
def outputs_of_a_stack_misspelled(n):
    child = HEAD + VALUE + "outputs:\n" + lines(n, lambda i: f"  name{i}: {{value: a}}\n")
    return {"t.yaml": HEAD + "resources: {r: {type: c.yaml}}\noutputs:\n" + lines(n, lambda i: f"  o{i}: {{value: {{get_attr: [r, nmae{i}]}}}}\n"), "c.yaml": child}


@dimension("check", "eval", "diff json", base=60)
def outputs_of_a_stack(n):
    child = HEAD + VALUE + "outputs:\n" + lines(n, lambda i: f"  o{i}: {{value: a}}\n")
    return {"t.yaml": HEAD + "resources: {r: {type: c.yaml}}\noutputs:\n" + lines(n, lambda i: f"  o{i}: {{value: {{get_attr: [r, o{i}]}}}}\n"), "c.yaml": child}


@dimension("check", "eval nested", "diff json", "render terraform", base=60)
def members_of_a_group(n):
    return {"t.yaml": HEAD + f"resources: {{g: {{type: OS::Heat::ResourceGroup, properties: {{count: {n}, resource_def: {{type: OS::Heat::Value, properties: {{value: '%index%'}}}}}}}}}}\n"}


@dimension("check", "eval", base=60)
def files_that_are_read(n):
    return {"t.yaml": HEAD + value("[" + lines(n, lambda i: f"{{get_file: f{i}.txt}}, ") + "]"), **{f"f{i}.txt": "text" for i in range(n)}}


# --- what is given beside a deployment -------------------------------------------------------------


@dimension("check baseline")
def findings_of_a_baseline(n):
    known = [{"path": "t.yaml", "code": "HP1201", "message": f"the parameter `u{i}` is not used", "count": 1} for i in range(n)]
    return {**parameters_unused(n), "baseline.json": json.dumps({"findings": sorted(known, key=lambda it: it["message"])})}


@dimension("check policy", base=12)
def rules_of_a_policy(n):
    rule = "id: ACME{0}\ntitle: a\nseverity: error\nmessage: a `{{{{ $.resource.name }}}}`\nselect: {{resources: ['OS::Neutron::*']}}\nrequire: $.resource.name = n\n"
    return {**resources(20), **{f"policy/ACME{i:04}.yaml": rule.format(f"{i:04}") for i in range(n)}}


@dimension("check policy", base=60)
def resources_with_a_policy(n):
    rule = "id: ACME0001\ntitle: a\nseverity: error\nmessage: a `{{ $.resource.name }}`\nselect: {resources: ['OS::Neutron::*']}\nrequire: $.resource.name = n\n"
    return {**resources(n), "policy/ACME0001.yaml": rule}


@dimension("check policy", base=25)
def resources_that_a_policy_counts(n):
    rule = "id: ACME0001\ntitle: a\nseverity: error\nmessage: a\nselect: {template: true}\nrequire: $.stack.resources.len() < 10\n"
    return {**resources(n), "policy/ACME0001.yaml": rule}


@dimension("check configured", "config configured")
def settings_that_ignore(n):
    return {**parameters_unused(100), "hotplate.toml": "[check.per-path]\n" + lines(n, lambda i: f'"path{i}/**" = ["HP1201"]\n')}


@dimension("check configured", "config configured", base=25)
def deployments(n):
    return {**parameters_unused(10), "hotplate.toml": lines(n, lambda i: f'[[deployment]]\nname = "d{i}"\ntemplates = ["t.yaml"]\n[deployment.parameters]\nu0 = "{i}"\n')}


@dimension("check configured", "config configured")
def parameters_of_a_deployment(n):
    return {**parameters_unused(n), "hotplate.toml": '[[deployment]]\nname = "d"\ntemplates = ["t.yaml"]\n[deployment.parameters]\n' + lines(n, lambda i: f'u{i} = "b"\n')}


@dimension("eval saved", "diff saved")
def resources_of_a_saved_stack(n):
    listed = [{"resource_name": f"n{i}", "logical_resource_id": f"n{i}", "physical_resource_id": f"id{i}", "resource_type": "OS::Neutron::Net", "resource_status": "CREATE_COMPLETE"} for i in range(n)]
    stack = {"id": "0", "stack_name": "web", "stack_status": "CREATE_COMPLETE", "parameters": {}, "outputs": []}
    return {**resources(n), "saved/template.yaml": resources(n)["t.yaml"], "saved/stack.json": json.dumps(stack), "saved/resources.json": json.dumps(listed)}


@dimension("check given", base=60)
def parameters_given(n):
    return parameters_used(n)


@dimension("check folder", "upgrade folder", "versions folder", base=25)
def templates(n):
    return {"t.yaml": HEAD + VALUE, **{f"many/t{i}.yaml": HEAD + f"parameters: {{p: {TEXT}}}\n" + VALUE for i in range(n)}}


# --- comparisons -----------------------------------------------------------------------------------


@dimension("diff json", "diff", "diff html", "diff markdown")
def resources_and_parameters_removed(n):
    return {"old.yaml": resources(n)["t.yaml"], "t.yaml": parameters_unused(5 * n)["t.yaml"]}


@dimension("diff json", "diff", "diff html")
def resources_renamed(n):
    def side(letter):
        return HEAD + "resources:\n" + lines(n, lambda i: f"  {letter}{i}: {{type: OS::Heat::Value, properties: {{value: v{i}}}}}\n")
    return {"t.yaml": side("a"), "old.yaml": side("b")}


@dimension("diff json", "diff")
def resources_renamed_that_are_equal(n):
    def side(letter):
        return HEAD + "resources:\n" + lines(n, lambda i: f"  {letter}{i}: {NET}\n")
    return {"t.yaml": side("a"), "old.yaml": side("b")}


@dimension("diff json", "diff")
def parameters_renamed(n):
    def side(letter):
        return HEAD + "parameters:\n" + lines(n, lambda i: f"  {letter}{i}: {TEXT}\n") + VALUE
    return {"t.yaml": side("a"), "old.yaml": side("b")}


@dimension("diff json", "diff", "diff html")
def items_of_a_list_moved(n):
    items = [f"{{name: n{i}, value: v{i % 7}}}" for i in range(n)]
    return {name: HEAD + value("[" + ", ".join(order) + "]") for name, order in (("t.yaml", items), ("old.yaml", items[::-1]))}


@dimension("diff json", "diff", "diff html")
def lines_of_a_text_changed(n):
    return {name: HEAD + value("|\n" + lines(n, lambda i: f"        line {i * 7919 % 10007} {word}\n")) for name, word in (("t.yaml", "one"), ("old.yaml", "two"))}


@dimension("diff json", "diff")
def replacements_in_a_chain(n):
    def side(salt):
        return HEAD + f"resources:\n  r0: {{type: OS::Heat::RandomString, properties: {{salt: {salt}}}}}\n" + lines(n, lambda i: f"  r{i + 1}: {{type: OS::Heat::RandomString, properties: {{salt: {{get_resource: r{i}}}}}}}\n")
    return {"t.yaml": side("a"), "old.yaml": side("b")}


@dimension("diff json", "diff", "diff html")
def resources_of_one_changed_parameter(n):
    def side(text):
        return HEAD + f"parameters: {{p: {{type: string, default: {text}}}}}\nresources:\n" + lines(n, lambda i: f"  r{i}: {{type: OS::Heat::RandomString, properties: {{salt: {{get_param: p}}}}}}\n")
    return {"t.yaml": side("a"), "old.yaml": side("b")}


@dimension("check", "eval", "diff json", "diff", base=60)
def conditions_in_a_chain_of_one_changed_parameter(n):
    def side(text):
        conditions = "".join(f"  c{i + 1}: {{not: c{i}}}\n" for i in range(n))
        uses = lines(n // 60, lambda i: f"  r{i}: {{type: OS::Heat::Value, properties: {{value: {{if: [c{60 * i}, a, b]}}}}}}\n")
        return HEAD + f"parameters: {{p: {{type: boolean, default: {text}}}}}\nconditions:\n  c0: {{get_param: p}}\n{conditions}resources:\n" + uses
    return {"t.yaml": side("true"), "old.yaml": side("false")}


# --- what updates leave behind ----------------------------------------------------------------------


def sides(make):
    """Two sides of a comparison, which have other words."""
    return {name: HEAD + make(word) for name, word in (("old.yaml", "one"), ("t.yaml", "two"))}


@dimension("diff json", "diff")
def names_that_are_references(n):
    return sides(lambda word: "resources:\n" + lines(n, lambda i: f"  k{i}: {{type: OS::Nova::KeyPair, properties: {{name: k{i}, public_key: {word}}}}}\n  s{i}: {{type: OS::Nova::Server, properties: {{image: i, flavor: f, key_name: {{get_resource: k{i}}}}}}}\n"))


@dimension("diff json", "diff")
def objects_that_two_resources_have_in_turn(n):
    return sides(lambda word: "resources:\n  r: {type: OS::Neutron::Router}\n" + lines(n, lambda i: f"  {word}{i}: {{type: OS::Neutron::RouterInterface, properties: {{router: {{get_resource: r}}, subnet: s{i}}}}}\n"))


@dimension("diff json", "diff")
def objects_of_one_key(n):
    return sides(lambda word: "resources:\n" + lines(n, lambda i: f"  {word}{i}: {{type: OS::Nova::KeyPair, properties: {{name: k, public_key: {word}}}}}\n"))


@dimension("diff json", "diff")
def wait_conditions_beside_servers(n):
    counts = {"one": 1, "two": 2}
    return sides(lambda word: "resources:\n" + lines(n, lambda i: f"  h{i}: {{type: OS::Heat::WaitConditionHandle}}\n  w{i}: {{type: OS::Heat::WaitCondition, properties: {{handle: {{get_resource: h{i}}}, timeout: 60, count: {counts[word]}}}}}\n  s{i}: {{type: OS::Nova::Server, properties: {{image: i, flavor: f, key_name: {word}}}}}\n"))


@dimension("diff json", "diff")
def rules_beside_a_group(n):
    return sides(lambda word: f"resources:\n  g: {{type: OS::Neutron::SecurityGroup, properties: {{rules: [{{protocol: {'tcp' if word == 'one' else 'udp'}}}]}}}}\n" + lines(n, lambda i: f"  r{i}: {{type: OS::Neutron::SecurityGroupRule, properties: {{security_group: {{get_resource: g}}, protocol: tcp, port_range_min: {i % 60000 + 1}, port_range_max: {i % 60000 + 1}}}}}\n"))


@dimension("diff json", "diff")
def groups_of_unknown_size(n):
    return sides(lambda word: "parameters: {n: {type: number}}\nresources:\n" + lines(n, lambda i: f"  g{i}: {{type: OS::Heat::ResourceGroup, properties: {{count: {{get_param: n}}, resource_def: {{type: OS::Heat::RandomString, properties: {{salt: {word}}}}}}}}}\n"))


@dimension("diff json", "diff")
def conditions_that_are_unknown(n):
    return sides(lambda word: "parameters:\n" + lines(n, lambda i: f"  p{i}: {{type: boolean}}\n") + "conditions:\n" + lines(n, lambda i: f"  c{i}: {'{get_param: p%d}' % i if word == 'one' else '{not: {get_param: p%d}}' % i}\n") + "resources:\n" + lines(n, lambda i: f"  r{i}: {{type: OS::Heat::RandomString, condition: c{i}}}\n"))


@dimension("diff json", "diff")
def types_that_nothing_maps(n):
    return sides(lambda word: "resources:\n" + lines(n, lambda i: f"  r{i}: {{type: 'Acme::T{i}', properties: {{v: {word}}}}}\n"))


# --- products of two kinds, and what grows unseen --------------------------------------------------


def resources_of(n, each):
    return {"t.yaml": HEAD + "resources:\n" + lines(n, each)}


@dimension("check", "diff json", "render terraform", base=6)
def stacks_that_lack_properties(n):
    return {**resources_of(n, lambda i: f"  s{i}: {{type: c.yaml}}\n"), "c.yaml": HEAD + "parameters:\n" + lines(8 * n, lambda i: f"  p{i}: {{type: string}}\n") + VALUE}


@dimension("diff json", "check")
def resources_with_hooks(n):
    return {**resources_of(n, lambda i: f"  n{i}: {{type: OS::Neutron::Net, properties: {{value_specs: {{value: a}}}}}}\n"), "e.yaml": "resource_registry:\n  resources:\n" + lines(n, lambda i: f"    n{i}: {{hooks: pre-update}}\n")}


@dimension("diff json", "check")
def patterns_of_restricted_resources(n):
    return {**resources_of(n, lambda i: f"  n{i}: {{type: OS::Neutron::Net, properties: {{value_specs: {{value: a}}}}}}\n"), "e.yaml": "resource_registry:\n  resources:\n" + lines(n, lambda i: f"    '*{i}': {{restricted_actions: replace}}\n")}


@dimension("diff json", "check", "render terraform", base=60)
def types_of_single_resources(n):
    return {**resources_of(n, lambda i: f"  n{i}: {{type: My::T}}\n"), "c.yaml": HEAD + VALUE, "e.yaml": "resource_registry:\n  resources:\n" + lines(n, lambda i: f"    n{i}: {{My::T: c.yaml}}\n")}


@dimension("check", "diff json", "upgrade modernize", "render cfn", "render terraform", "render ansible", base=120)
def servers_beside_subnets(n):
    server = "  s{0}: {{type: OS::Nova::Server, properties: {{image: i, flavor: f, networks: [{{network: n{0}}}]}}}}\n"
    return resources_of(n, lambda i: server.format(i) + f"  u{i}: {{type: OS::Neutron::Subnet, properties: {{network: n{i}, cidr: 10.0.0.0/24}}}}\n")


@dimension("check", "diff json", "render dot", "render heat-cfn", base=120)
def addresses_beside_interfaces(n):
    address = "  f{0}: {{type: OS::Neutron::FloatingIP, properties: {{floating_network: public, port_id: {{get_resource: p{0}}}}}}}\n  p{0}: {{type: OS::Neutron::Port, properties: {{network: n, fixed_ips: [{{subnet: s{0}}}]}}}}\n"
    return resources_of(n, lambda i: address.format(i) + f"  i{i}: {{type: OS::Neutron::RouterInterface, properties: {{router: r, subnet: s{i}}}}}\n")


@dimension("check", "diff json")
def ports_with_one_address(n):
    return resources_of(n, lambda i: f"  p{i}: {{type: OS::Neutron::Port, properties: {{network: n, fixed_ips: [{{subnet: s, ip_address: 10.0.0.5}}]}}}}\n")


@dimension("render ansible", "render pulumi", "check")
def dependencies_in_a_chain_from_last_to_first(n):
    files = resources_of(n, lambda i: f"  n{i}: {{type: OS::Neutron::Net, depends_on: n{i + 1}}}\n")
    return {"t.yaml": files["t.yaml"] + f"  n{n}: {NET}\n"}


@dimension("render pulumi", "render terraform", "check", base=800)
def dependencies_of_one_resource_misspelled(n):
    return {"t.yaml": HEAD + "resources:\n" + lines(n, lambda i: f"  net{i}: {NET}\n") + "  last: {type: OS::Neutron::Net, depends_on: [" + lines(n, lambda i: f"nte{i}, ") + "]}\n"}


def values(n, next_value):
    chain = lines(n, lambda i: f"  v{i + 1}: {{type: OS::Heat::Value, properties: {{value: {next_value.replace('BEFORE', f'{{get_attr: [v{i}, value]}}')}}}}}\n")
    return {"t.yaml": HEAD + "parameters: {p: {type: json}}\nresources:\n  v0: {type: OS::Heat::Value, properties: {value: {get_param: p}}}\n" + chain + f"outputs: {{o: {{value: {{get_attr: [v{n}, value]}}}}}}\n"}


@dimension("render cfn", "render pulumi", "render terraform", base=80)
def values_in_a_chain(n):
    return values(n, "BEFORE")


@dimension("render cfn", "render pulumi", "render terraform", base=8)
def values_that_double(n):
    return values(n, "[BEFORE, BEFORE]")


@dimension("render pulumi", "render cfn", base=60)
def values_merged_in_a_chain(n):
    return values(n, "{map_merge: [BEFORE, {k: v}]}")


@dimension("diff json", "upgrade modernize", "check")
def nested_files_missing(n):
    return resources_of(n, lambda i: f"  r{i}: {{type: missing{i}.yaml}}\n")


@dimension("diff json", "upgrade modernize", "check")
def read_files_missing(n):
    return {"t.yaml": HEAD + value("[" + lines(n, lambda i: f"{{get_file: missing{i}.txt}}, ") + "]")}


@dimension("check", "render cfn", "render pulumi", "fix", "diff json", base=120)
def losses_in_one_line_of_other_characters(n):
    return {"t.yaml": HEAD + "resources: {" + lines(n, lambda i: f"n{i}: {{type: 'OS::Neutron::Net', properties: {{name: ä, nmae: é}}}}, ") + "}\n"}


@dimension("render cfn", "render ansible", "render terraform", "check", base=60)
def scripts_with_losses(n):
    script = "{{str_replace: {{template: 'a b', params: {{a: {{get_attr: [p{0}, dns_assignment]}}}}}}}}"
    server = "  s{0}: {{type: OS::Nova::Server, properties: {{image: i, flavor: f, networks: [{{port: {{get_resource: p{0}}}}}], user_data: " + script + "}}}}\n"
    return resources_of(n, lambda i: server.format(i) + f"  p{i}: {{type: OS::Neutron::Port, properties: {{network: n}}}}\n")


@dimension("check", "upgrade modernize", "diff json", base=120)
def software_of_one_server(n):
    server = "  s: {type: OS::Nova::Server, properties: {image: i, flavor: f, networks: [{network: n}]}}\n"
    return {"t.yaml": HEAD + "resources:\n" + server + lines(n, lambda i: f"  d{i}: {{type: OS::Heat::SoftwareDeployment, properties: {{config: c, server: {{get_resource: s}}}}}}\n")}
