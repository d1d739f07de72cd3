"""Input that is made to grow: each bomb is a few files, `t.yaml` the template, no larger than it is asked for."""

HEAD = "heat_template_version: 2018-08-31\n"


def _resource(value, more=""):
    return f"resources:\n  r:\n    type: OS::Heat::Value\n{more}    properties:\n      value: {value}\n"


def _many(size, line, head="", tail=""):
    """Lines made of a number, as many as fit."""
    parts, used, number = [head], len(head) + len(tail), 0
    while used < size - 200:
        text = line(number)
        parts.append(text)
        used += len(text)
        number += 1
    return "".join([*parts, tail])


def _levels(line, count):
    return "".join(line(number) for number in range(1, count + 1))


# Aliases.

def alias_lists(_size):
    body = "      - &a0 [x, x]\n" + _levels(lambda n: f"      - &a{n} [*a{n-1}, *a{n-1}]\n", 30)
    return {"t.yaml": HEAD + _resource("\n" + body)}


def alias_lists_small(_size):
    body = "      - &a0 [x, x]\n" + _levels(lambda n: f"      - &a{n} [*a{n-1}, *a{n-1}]\n", 13)
    return {"t.yaml": HEAD + _resource("\n" + body)}


def alias_maps(_size):
    body = "        k0: &a0 {a: {get_param: p}}\n" + _levels(lambda n: f"        k{n}: &a{n} {{a: *a{n-1}, b: *a{n-1}}}\n", 30)
    return {"t.yaml": HEAD + "parameters: {p: {type: json, default: {a: b}}}\n" + _resource("\n" + body)}


def alias_maps_small(_size):
    body = "        k0: &a0 {a: {get_param: p}}\n" + _levels(lambda n: f"        k{n}: &a{n} {{a: *a{n-1}, b: *a{n-1}}}\n", 12)
    return {"t.yaml": HEAD + "parameters: {p: {type: json, default: {a: b}}}\n" + _resource("\n" + body)}


def _alias_conditions(levels):
    body = "  c0: &a0 {or: [{get_param: p}, {get_param: p}]}\n" + _levels(lambda n: f"  c{n}: &a{n} {{or: [*a{n-1}, *a{n-1}]}}\n", levels)
    return {"t.yaml": HEAD + "parameters: {p: {type: boolean, default: true}}\nconditions:\n" + body + _resource("a", f"    condition: c{levels}\n")}


def alias_or(_size):
    return _alias_conditions(30)


def alias_or_small(_size):
    return _alias_conditions(12)


def alias_text(size):
    text = "x" * (size // 2)
    return {"t.yaml": HEAD + _many(size, lambda n: "*a, ", f"resources:\n  r: {{type: OS::Heat::Value, properties: {{value: [&a {text}, ", "]}}\n")}


def alias_text_few(size):
    text = "x" * (size // 2)
    return {"t.yaml": HEAD + _resource(f"[&a {text}, " + "*a, " * 10 + "]")}


def alias_resources(size):
    return {"t.yaml": HEAD + _many(size, lambda n: f"  r{n}: *a\n", "resources:\n  r: &a {type: OS::Heat::Value, properties: {value: [1, 2, 3, 4]}}\n")}


def alias_default(_size):
    body = "    default:\n      k0: &a0 {a: x}\n" + _levels(lambda n: f"      k{n}: &a{n} {{a: *a{n-1}, b: *a{n-1}}}\n", 30)
    return {"t.yaml": HEAD + "parameters:\n  p:\n    type: json\n" + body + _resource("{get_param: p}")}


def alias_environment(_size):
    body = "parameter_defaults:\n  q:\n    k0: &a0 {a: x}\n" + _levels(lambda n: f"    k{n}: &a{n} {{a: *a{n-1}, b: *a{n-1}}}\n", 30)
    return {"t.yaml": HEAD + "parameters: {q: {type: json}}\n" + _resource("{get_param: q}"), "e.yaml": body}


def merge_chain(size):
    return {"t.yaml": HEAD + _many(size, lambda n: f"        - &a{n + 1} {{<<: *a{n}, k{n}: 1}}\n", _resource("\n        - &a0 {k: 1}\n"))}


def merge_wide(size):
    return {"t.yaml": HEAD + _many(size, lambda n: "*a, ", _resource("\n        - &a {a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7, h: 8}\n        - {<<: ["), "]}\n")}


# Much of one thing.

def parameters(size):
    return {"t.yaml": HEAD + _many(size, lambda n: f"  p{n}: {{type: string, default: a}}\n", "parameters:\n", _resource("{get_param: p1}"))}


def patterns(size):
    return {"t.yaml": HEAD + _many(size, lambda n: f"  p{n}:\n    type: string\n    default: {'a' * 40}b\n    constraints: [{{allowed_pattern: '(a+)+$'}}]\n", "parameters:\n", _resource("{get_param: p1}"))}


def pattern_long(size):
    return {"t.yaml": HEAD + f"parameters:\n  p:\n    type: string\n    default: {'a' * (size // 3)}\n    constraints: [{{allowed_pattern: '{'(a|b)*' * (size // 12)}'}}]\n" + _resource("{get_param: p}")}


def pattern_counted(_size):
    return {"t.yaml": HEAD + f"parameters:\n  p:\n    type: string\n    default: {'a' * 5000}\n    constraints: [{{allowed_pattern: '{'(' * 8}a{'{100})' * 8}'}}]\n" + _resource("{get_param: p}")}


def allowed_values(size):
    return {"t.yaml": HEAD + _many(size, lambda n: f"v{n}, ", "parameters:\n  p:\n    type: string\n    default: a\n    constraints: [{allowed_values: [", "a]}]\n" + _resource("{get_param: p}"))}


def outputs(size):
    return {"t.yaml": HEAD + _many(size, lambda n: f"  o{n}: {{value: {{get_attr: [r, value]}}}}\n", _resource("1") + "outputs:\n")}


def outputs_large(size):
    text = "x" * (size // 2)
    return {"t.yaml": HEAD + _many(size, lambda n: f"  o{n}: {{value: {{get_param: p}}}}\n", f"parameters: {{p: {{type: string, default: {text}}}}}\n" + _resource("1") + "outputs:\n")}


def references(size):
    return {"t.yaml": HEAD + _many(size, lambda n: "{get_param: p}, ", "parameters: {p: {type: string, default: a}}\n" + _resource("["), "]\n")}


def references_large(size):
    text = "x" * (size // 2)
    return {"t.yaml": HEAD + _many(size, lambda n: "{get_param: p}, ", f"parameters: {{p: {{type: string, default: {text}}}}}\n" + _resource("["), "]\n")}


def attributes(size):
    return {"t.yaml": HEAD + _many(size, lambda n: "{get_attr: [s, value]}, ", "resources:\n  s: {type: OS::Heat::RandomString}\n  r: {type: OS::Heat::Value, properties: {value: [", "]}}\n")}


def misspelled(size):
    return {"t.yaml": HEAD + _many(size // 2, lambda n: f"  parameter_{n}: {{type: string, default: a}}\n", "parameters:\n")
            + _many(size // 2, lambda n: f"{{get_param: parametre_{n}}}, ", _resource("["), "]\n")}


def resources(size):
    return {"t.yaml": HEAD + _many(size, lambda n: f"  r{n}: {{type: OS::Heat::RandomString}}\n", "resources:\n")}


def servers(size):
    return {"t.yaml": HEAD + _many(min(size, 200_000), lambda n: f"  r{n}:\n    type: OS::Nova::Server\n    properties: {{image: i, flavor: f, name: n{n}, networks: [{{network: n}}]}}\n", "resources:\n")}


def depends_dense(size):
    names = [f"r{n}" for n in range(900)]
    text, used = [], 0
    for n, name in enumerate(names):
        line = f"  {name}: {{type: OS::Heat::RandomString, depends_on: [{', '.join(names[:n])}]}}\n"
        used += len(line)
        if used > size - 100:
            break
        text.append(line)
    return {"t.yaml": HEAD + "resources:\n" + "".join(text)}


def depends_chain(_size):
    return {"t.yaml": HEAD + "resources:\n  r0: {type: OS::Heat::RandomString}\n" + _levels(lambda n: f"  r{n}: {{type: OS::Heat::RandomString, depends_on: r{n-1}}}\n", 990)}


def reference_chain(_size):
    return {"t.yaml": HEAD + "resources:\n  r0: {type: OS::Heat::Value, properties: {value: a}}\n" + _levels(lambda n: f"  r{n}: {{type: OS::Heat::Value, properties: {{value: {{get_attr: [r{n-1}, value]}}}}}}\n", 990)}


def reference_growth(_size):
    return {"t.yaml": HEAD + "resources:\n  r0: {type: OS::Heat::Value, properties: {value: [a, a]}}\n" + _levels(lambda n: f"  r{n}: {{type: OS::Heat::Value, properties: {{value: [{{get_attr: [r{n-1}, value]}}, {{get_attr: [r{n-1}, value]}}]}}}}\n", 40)}


def cycle(size):
    return {"t.yaml": HEAD + _many(min(size, 50_000), lambda n: f"  r{n}: {{type: OS::Heat::Value, properties: {{value: [{{get_attr: [r{n + 1}, value]}}, {{get_attr: [r0, value]}}]}}}}\n", "resources:\n")}


def conditions_chain(size):
    return {"t.yaml": HEAD + _many(size, lambda n: f"  c{n + 1}: {{not: c{n}}}\n", "parameters: {p: {type: boolean, default: true}}\nconditions:\n  c0: {get_param: p}\n", _resource("{if: [c9, a, b]}"))}


def conditions_double(_size):
    return {"t.yaml": HEAD + "parameters: {p: {type: boolean}}\nconditions:\n  c0: {get_param: p}\n" + _levels(lambda n: f"  c{n}: {{or: [{{not: c{n-1}}}, c{n-1}]}}\n", 60) + _resource("{if: [c60, a, b]}")}


def conditions_wide(size):
    return {"t.yaml": HEAD + _many(size, lambda n: "c0, ", "parameters: {p: {type: boolean, default: true}}\nconditions:\n  c0: {get_param: p}\n  c1: {or: [", "c0]}\n" + _resource("{if: [c1, a, b]}"))}


def ifs(size):
    return {"t.yaml": HEAD + _many(size, lambda n: f"{{if: [c{n % 50}, a, b]}}, ", "parameters: {p: {type: boolean}}\nconditions:\n" + "".join(f"  c{n}: {{equals: [{{get_param: p}}, {n}]}}\n" for n in range(50)) + _resource("["), "]\n")}


def ifs_nested(_size):
    text = "a"
    for n in range(150):
        text = f"{{if: [c{n % 50}, {text}, b]}}"
    return {"t.yaml": HEAD + "parameters: {p: {type: boolean}}\nconditions:\n" + "".join(f"  c{n}: {{equals: [{{get_param: p}}, {n}]}}\n" for n in range(50)) + _resource(text)}


def deep(size):
    levels = 240
    text = "[" * levels + "a" + "]" * levels
    return {"t.yaml": HEAD + _many(size, lambda n: text + ", ", _resource("["), "]\n")}


def flat_numbers(size):
    return {"t.yaml": HEAD + _many(size, lambda n: "1,", _resource("["), "]\n")}


def flat_json(size):
    return {"t.yaml": _many(size, lambda n: "1,", '{"heat_template_version": "2018-08-31", "resources": {"r": {"type": "OS::Heat::Value", "properties": {"value": [', '1]}}}}')}


def flat_keys(size):
    return {"t.yaml": HEAD + _many(size, lambda n: f"k{n}: 1, ", _resource("{"), "}\n")}


def same_keys(size):
    return {"t.yaml": HEAD + _many(size, lambda n: "k: 1, ", _resource("{"), "}\n")}


def long_text(size):
    return {"t.yaml": HEAD + _resource("x" * (size - 200))}


def many_lines(size):
    return {"t.yaml": HEAD + _many(size, lambda n: f"        line {n % 7} $x ${{y}} %{{z}} {{{{ w }}}}\n", _resource("|\n"))}


def comments(size):
    return {"t.yaml": HEAD + _many(size, lambda n: f"# {n} hotplate: allow HP0105\n", "", _resource("a"))}


def wrong_calls(size):
    return {"t.yaml": HEAD + _many(size, lambda n: "{get_attr: x}, ", _resource("["), "]\n")}


def wrong_calls_lines(size):
    return {"t.yaml": HEAD + _many(size, lambda n: f"        - {{get_parm: x{n}}}\n        - {{str_split: a}}\n", _resource("\n"))}


def wrong_sections(size):
    return {"t.yaml": HEAD + _many(size, lambda n: f"s{n}: 1\n", _resource("a"))}


def wrong_properties(size):
    return {"t.yaml": HEAD + _many(size, lambda n: f"      p{n}: 1\n", "resources:\n  r:\n    type: OS::Nova::Server\n    properties:\n")}


def anchors(size):
    return {"t.yaml": HEAD + _many(size, lambda n: f"&a{n} 1, ", _resource("["), "]\n")}


def jinja(size):
    return {"t.yaml": HEAD + _many(size, lambda n: f"{{% if a{n} %}}\n        - a\n{{% endif %}}\n", _resource("\n"))}


# Functions whose values grow.

def replace_growth(_size):
    text = "abcdefgh"
    for _ in range(12):
        text = f"{{str_replace: {{template: {'$x' * 20}, params: {{$x: {text}}}}}}}"
    return {"t.yaml": HEAD + _resource(text)}


def join_growth(_size):
    params = "parameters: {p: {type: string, default: " + "x" * 10_000 + "}}\n"
    text = "{list_join: ['', [" + "{get_param: p}, " * 5_000 + "]]}"
    return {"t.yaml": HEAD + params + _resource("[" + ", ".join([text] * 10) + "]")}


def join_many(size):
    params = f"parameters: {{p: {{type: string, default: {'x' * (size // 4)}}}}}\n"
    join = "{list_join: ['', [" + "{get_param: p}, " * 20 + "]]}, "
    return {"t.yaml": HEAD + _many(size, lambda n: join, params + _resource("["), "]\n")}


def json_text_many(size):
    params = f"parameters: {{p: {{type: json, default: [{'1,' * (size // 8)}]}}}}\n"
    return {"t.yaml": HEAD + _many(size, lambda n: "{list_join: ['', [{get_param: p}]]}, ", params + _resource("["), "]\n")}


def split_many(size):
    params = f"parameters: {{p: {{type: string, default: '{',' * (size // 2)}'}}}}\n"
    return {"t.yaml": HEAD + _many(size, lambda n: "{str_split: [',', {get_param: p}]}, ", params + _resource("["), "]\n")}


def select_many(size):
    params = f"parameters: {{p: {{type: string, default: '[{'1,' * (size // 4)}1]'}}}}\n"
    return {"t.yaml": "heat_template_version: 2013-05-23\n" + _many(size, lambda n: "{'Fn::Select': [0, {get_param: p}]}, ", params + _resource("["), "]\n")}


def select_chain(_size):
    text = "[a, [b]]"
    for _ in range(120):
        text = f"{{'Fn::Select': ['1', [a, {text}]]}}"
    return {"t.yaml": "heat_template_version: 2013-05-23\n" + _resource(text)}


def concat_growth(_size):
    text = "[a, b]"
    for n in range(9):
        text = f"{{list_concat: [{text}, {text}]}}"
    return {"t.yaml": HEAD + _resource(text)}


def concat_many(size):
    params = f"parameters: {{p: {{type: comma_delimited_list, default: '{'a,' * (size // 4)}'}}}}\n"
    return {"t.yaml": HEAD + _many(size, lambda n: "{get_param: p}, ", params + _resource("{list_concat: ["), "]}\n")}


def concat_unique(size):
    numbers = ",".join(str(n) for n in range(size // 8))
    params = f"parameters: {{p: {{type: comma_delimited_list, default: '{numbers}'}}}}\n"
    return {"t.yaml": HEAD + params + _resource("{list_concat_unique: [{get_param: p}, {get_param: p}, {get_param: p}]}")}


def merge_many(size):
    pairs = ", ".join(f"k{n}: 1" for n in range(size // 40))
    params = f"parameters: {{p: {{type: json, default: {{{pairs}}}}}}}\n"
    return {"t.yaml": HEAD + _many(size, lambda n: "{map_merge: [{get_param: p}, {a: 1}]}, ", params + _resource("["), "]\n")}


def replace_maps(size):
    pairs = ", ".join(f"k{n}: v{n}" for n in range(size // 40))
    params = f"parameters: {{p: {{type: json, default: {{{pairs}}}}}}}\n"
    return {"t.yaml": HEAD + params + _resource("{map_replace: [{get_param: p}, {keys: {get_param: p}, values: {get_param: p}}]}")}


def repeat_cross(_size):
    lists = ", ".join(f"%{c}%: [{','.join(map(str, range(200)))}]" for c in "abcd")
    return {"t.yaml": HEAD + _resource(f"{{repeat: {{template: '%a%%b%%c%%d%', for_each: {{{lists}}}}}}}")}


def repeat_many(size):
    numbers = ",".join(map(str, range(100)))
    repeat = "{repeat: {template: '%a%%b%', for_each: {%a%: {get_param: p}, %b%: {get_param: p}}}}, "
    return {"t.yaml": HEAD + _many(size, lambda n: repeat, f"parameters: {{p: {{type: comma_delimited_list, default: '{numbers}'}}}}\n" + _resource("["), "]\n")}


def repeat_nested(_size):
    numbers = "[" + ",".join(map(str, range(30))) + "]"
    text = "x"
    for n in range(8):
        text = f"{{repeat: {{template: {text}, for_each: {{%v{n}%: {numbers}}}}}}}"
    return {"t.yaml": HEAD + _resource(text)}


def replace_many(size):
    pairs = ", ".join(f"$k{n}: v" for n in range(size // 30))
    return {"t.yaml": HEAD + _resource(f"{{str_replace: {{template: '{'$k1 ' * (size // 10)}', params: {{{pairs}}}}}}}")}


def yaql_many(size):
    call = "{yaql: {expression: 'range(1000).select(range(100)).select($.sum()).sum()', data: {}}}, "
    return {"t.yaml": HEAD + _many(size, lambda n: call, _resource("["), "]\n")}


def yaql_growth(_size):
    return {"t.yaml": HEAD + _resource("{yaql: {expression: 'range(40).reduce([$1, $1], [])', data: {}}}")}


def yaql_data(size):
    params = f"parameters: {{p: {{type: comma_delimited_list, default: '{'a,' * (size // 4)}'}}}}\n"
    call = "{yaql: {expression: '$.data.len()', data: {get_param: p}}}, "
    return {"t.yaml": HEAD + _many(size, lambda n: call, params + _resource("["), "]\n")}


def digest_many(size):
    params = f"parameters: {{p: {{type: string, default: {'x' * (size // 2)}}}}}\n"
    return {"t.yaml": HEAD + _many(size, lambda n: "{digest: [sha512, {get_param: p}]}, ", params + _resource("["), "]\n")}


def equals_large(size):
    params = f"parameters: {{p: {{type: json, default: [{'1,' * (size // 4)}]}}, q: {{type: json, default: [{'1,' * (size // 4)}]}}}}\n"
    return {"t.yaml": HEAD + params + _many(size // 2, lambda n: f"  c{n}: {{equals: [{{get_param: p}}, {{get_param: q}}]}}\n", "conditions:\n", _resource("{if: [c1, a, b]}"))}


def path_long(size):
    return {"t.yaml": HEAD + _many(size, lambda n: "a, ", "parameters: {p: {type: json, default: {a: b}}}\n" + _resource("{get_param: [p, "), "a]}\n")}


def file_many(size):
    return {"t.yaml": HEAD + _many(size, lambda n: "{get_file: f.txt}, ", _resource("["), "]\n"), "f.txt": "x" * size}


# Groups and nested stacks.

def groups(_size):
    return {"t.yaml": HEAD + """resources:
  a:
    type: OS::Heat::ResourceGroup
    properties:
      count: 900
      resource_def:
        type: OS::Heat::ResourceGroup
        properties:
          count: 900
          resource_def:
            type: OS::Heat::ResourceGroup
            properties: {count: 900, resource_def: {type: OS::Heat::RandomString}}
"""}


def group_large(size):
    return {"t.yaml": HEAD + _many(size, lambda n: f"a%index%b{n}, ", "resources:\n  g:\n    type: OS::Heat::ResourceGroup\n    properties:\n      count: 990\n      resource_def:\n        type: OS::Heat::Value\n        properties: {value: [", "]}\n")}


def group_outputs(size):
    return {"t.yaml": HEAD + _many(size, lambda n: f"  o{n}: {{value: {{get_attr: [g, value]}}}}\n", "resources:\n  g: {type: OS::Heat::ResourceGroup, properties: {count: 900, resource_def: {type: OS::Heat::Value, properties: {value: '%index%'}}}}\noutputs:\n")}


def groups_many(size):
    return {"t.yaml": HEAD + _many(size, lambda n: f"  g{n}: {{type: OS::Heat::ResourceGroup, properties: {{count: 1000, resource_def: {{type: OS::Heat::RandomString}}}}}}\n", "resources:\n")}


def nested_many(size):
    child = HEAD + _many(size // 2, lambda n: f"  p{n}: {{type: string, default: a}}\n", "parameters:\n", _resource("a"))
    return {"t.yaml": HEAD + "resources:\n" + _levels(lambda n: f"  r{n}: {{type: c.yaml}}\n", 480), "c.yaml": child}


def nested_chain(_size):
    files = {"t.yaml": HEAD + "resources:\n  a: {type: c0.yaml}\n  b: {type: c0.yaml}\n"}
    for n in range(11):
        files[f"c{n}.yaml"] = HEAD + f"resources:\n  a: {{type: c{n + 1}.yaml}}\n  b: {{type: c{n + 1}.yaml}}\n"
    files["c11.yaml"] = HEAD + _resource("a")
    return files


def nested_value(size):
    child = HEAD + "parameters: {v: {type: json}}\nresources: {r: {type: OS::Heat::Value, properties: {value: {get_param: v}}}}\noutputs: {o: {value: {get_param: v}}}\n"
    return {"t.yaml": HEAD + f"parameters: {{p: {{type: json, default: [{'1,' * (size // 3)}]}}}}\nresources:\n" + _levels(lambda n: f"  r{n}: {{type: c.yaml, properties: {{v: {{get_param: p}}}}}}\n", 480), "c.yaml": child}


def registry(size):
    return {"t.yaml": HEAD + "resources: {r: {type: My::X}}\n", "e.yaml": _many(size, lambda n: f"  My::T{n}*: OS::Heat::None\n", "resource_registry:\n  My::X: OS::Heat::Value\n")}


def rules(size):
    return {"t.yaml": HEAD + _many(size, lambda n: f"      - {{protocol: tcp, port_range_min: {n % 60000 + 1}, port_range_max: {n % 60000 + 3}, remote_ip_prefix: 10.{n % 256}.{n // 256 % 256}.0/24}}\n",
                                   "resources:\n  g:\n    type: OS::Neutron::SecurityGroup\n    properties:\n      rules:\n")}


def cfn_maps(_size):
    body = ",\n".join(f'    "m{n}": {{"a": {{"x": "1", "y": "2"}}, "b": {{"x": "1", "y": "2"}}}}' for n in range(40))
    text = '{"Fn::FindInMap": ["m0", {"Ref": "p"}, "x"]}'
    for n in range(1, 40):
        text = f'{{"Fn::FindInMap": ["m{n}", {{"Ref": "p"}}, {text}]}}'
    return {"t.yaml": '{"AWSTemplateFormatVersion": "2010-09-09", "Parameters": {"p": {"Type": "String", "AllowedValues": ["a", "b"]}}, "Mappings": {\n' + body
            + '}, "Resources": {"r": {"Type": "OS::Heat::Value", "Properties": {"value": ' + text + "}}}}"}


def cfn_sub(size):
    return {"t.yaml": _many(size, lambda n: "${p}", '{"AWSTemplateFormatVersion": "2010-09-09", "Parameters": {"p": {"Type": "String", "Default": "a"}}, "Resources": {"r": {"Type": "OS::Heat::Value", "Properties": {"value": {"Fn::Sub": "', '"}}}}}')}


def upgrade_old(size):
    return {"t.yaml": "heat_template_version: 2013-05-23\n" + _many(size, lambda n: "{'Fn::Select': [0, [a, b]]}, {'Fn::Join': ['', [a, b]]}, ", _resource("["), "]\n")}


def upgrade_resources(size):
    return {"t.yaml": "heat_template_version: 2013-05-23\n" + _many(size, lambda n: f"  r{n}:\n    type: OS::Heat::Value\n    properties:\n      value: {{get_attr: [r0, value, {n}]}}\n", "resources:\n")}


# Names.

def names_alike(size):
    """Names that become the same identifier in most targets."""
    def name(n):
        return "".join("._"[n >> bit & 1] for bit in range(20))
    return {"t.yaml": HEAD + _many(size // 2, lambda n: f"  {name(n)}: {{type: string}}\n", "parameters:\n", _resource("a") + "outputs:\n")
            + _many(size // 2, lambda n: f"  {name(n)}: {{value: {{get_param: {name(n)}}}}}\n")}


def names_long(size):
    long = "n" * 1000
    return {"t.yaml": HEAD + _many(size // 2, lambda n: f"  {long}{n}: {{type: string}}\n", "parameters:\n", _resource("a") + "outputs:\n")
            + _many(size // 2, lambda n: f"  {long}{n}: {{value: {{get_param: {long}{n}}}}}\n")}


def environment_wide(size):
    return {"t.yaml": HEAD + "parameters: {p0: {type: string, default: a}}\n" + _resource("{get_param: p0}"),
            "e.yaml": _many(size // 2, lambda n: f"  p{n}: a\n", "parameter_defaults:\n") + _many(size // 2, lambda n: f"  p{n}: a\n", "parameters:\n")}


def json_text(size):
    return {"t.yaml": HEAD + "parameters:\n  p:\n    type: json\n    default: '" + _many(size - 300, lambda n: "1,", "[", "0]") + "'\n" + _resource("{get_param: p}")}


def values_violated(size):
    """The failure names all that is allowed."""
    values = _many(size, lambda n: f"v{n}, ", "constraints: [{allowed_values: [", "a]}]")
    return {"t.yaml": HEAD + f"parameters:\n  p:\n    type: string\n    default: b\n    {values}\n" + _resource("{get_param: p}")}


# Functions of what is unknown, which targets write down.

def url_growth(_size):
    text = "{get_param: p}"
    for _ in range(100):
        text = f"{{make_url: {{scheme: http, host: {text}, username: {text if len(text) < 100 else 'u'}, password: x}}}}"
    return {"t.yaml": HEAD + "parameters: {p: {type: string}}\n" + _resource(text)}


def split_growth(_size):
    text = "{get_param: [p, a]}"
    for _ in range(100):
        text = f"{{str_split: [',', {text}, 0]}}"
    return {"t.yaml": HEAD + "parameters: {p: {type: json}}\n" + _resource(text)}


def replace_unknown(size):
    pairs = ", ".join(f"$k{n}: {{get_param: t}}" for n in range(min(900, size // 40)))
    return {"t.yaml": HEAD + "parameters: {t: {type: string}}\n" + _resource(f"{{str_replace: {{template: {{get_param: t}}, params: {{{pairs}}}}}}}")}


def replace_long(size):
    """A long text put into many places of another one."""
    text = "$x" * (size // 8)
    return {"t.yaml": HEAD + "parameters: {p: {type: string}}\n"
            + _resource(f"{{str_replace: {{template: '{text}', params: {{$x: {{list_join: ['', [{'y' * (size // 2)}, {{get_param: p}}]]}}}}}}}}")}


def repeat_unknown(_size):
    text = "x"
    for n in range(60):
        text = f"{{repeat: {{template: [{text}, '%v{n}%'], for_each: {{'%v{n}%': {{get_param: p}}}}}}}}"
    return {"t.yaml": HEAD + "parameters: {p: {type: comma_delimited_list}}\n" + _resource(text)}


def or_unknown(size):
    """One condition of many members that are all computed."""
    return {"t.yaml": HEAD + "parameters: {p: {type: string}}\nconditions:\n" + _many(size, lambda n: f"{{equals: [{{get_param: p}}, a{n}]}}, ", "  c: {or: [", "c]}\n".replace("c]", "{equals: [a, b]}]")) + _resource("{if: [c, a, b]}")}


def scripts(size):
    """Texts of servers with a part that no target has a word for."""
    return {"t.yaml": HEAD + "parameters: {p: {type: json}}\nresources:\n" + _many(
        min(size, 200_000), lambda n: f"  s{n}:\n    type: OS::Heat::SoftwareConfig\n    properties: {{config: {{list_join: ['', [a, {{yaql: {{expression: '$.data.a', data: {{get_param: p}}}}}}]]}}}}\n")}


# Trees of stacks.

def groups_small(_size):
    return {"t.yaml": HEAD + """parameters: {p: {type: json}}
resources:
  a:
    type: OS::Heat::ResourceGroup
    properties:
      count: 30
      resource_def:
        type: OS::Heat::ResourceGroup
        properties:
          count: 30
          resource_def: {type: OS::Heat::Value, properties: {value: {get_param: p}}}
outputs:
  o: {value: {get_attr: [a, value]}}
"""}


def nested_outputs(size):
    """A list that is handed from stack to stack."""
    child = HEAD + "parameters: {v: {type: json}}\nresources: {r: {type: OS::Heat::Value, properties: {value: {get_param: v}}}}\noutputs: {o: {value: [{get_attr: [r, value]}]}}\n"
    return {"t.yaml": HEAD + f"parameters: {{p: {{type: json, default: [{'1,' * (size // 3)}]}}}}\nresources:\n  r0: {{type: c.yaml, properties: {{v: {{get_param: p}}}}}}\n"
            + _levels(lambda n: f"  r{n}: {{type: c.yaml, properties: {{v: {{get_attr: [r{n - 1}, o]}}}}}}\n", 90), "c.yaml": child}


# Comparisons: `old.yaml` is the other side.

def diff_moved(size):
    """A list in which every item has moved."""
    items = [f"{{name: n{n}, value: v{n % 7}}}" for n in range(size // 25)]
    return {name: HEAD + _resource("[" + ", ".join(order) + "]") for name, order in (("t.yaml", items), ("old.yaml", items[::-1]))}


def diff_shuffled(size):
    """A list of texts in which every item has moved, and many are alike."""
    items = [f"v{n % 1000}" for n in range(size // 8)]
    return {name: HEAD + _resource("[" + ", ".join(order) + "]") for name, order in (("t.yaml", items), ("old.yaml", items[len(items) // 3:] + items[:len(items) // 3][::-1]))}


def diff_keys(size):
    """A map of which every key has another name."""
    return {name: HEAD + _resource("{" + ", ".join(f"{letter}{n}: v{n}" for n in range(size // 14)) + "}") for name, letter in (("t.yaml", "a"), ("old.yaml", "b"))}


def diff_text(size):
    """A long text of which every line differs a little."""
    return {name: HEAD + _resource("|\n" + "".join(f"        line {n * 7919 % 10007} {word}\n" for n in range(size // 24))) for name, word in (("t.yaml", "one"), ("old.yaml", "two"))}


def diff_line(size):
    """A long text in one line."""
    return {name: HEAD + _resource("'" + "".join(f"{n * 7919 % 10007} {word} " for n in range(size // 12)) + "'") for name, word in (("t.yaml", "one"), ("old.yaml", "two"))}


def diff_renamed(size):
    """Resources that are all alike under other names."""
    def side(letter):
        return HEAD + "resources:\n" + _levels(lambda n: f"  {letter}{n}: {{type: OS::Heat::Value, properties: {{value: {{get_attr: [{letter}{max(1, n - 1)}, value]}}}}}}\n".replace(f"{{get_attr: [{letter}1, value]}}", "a"), min(990, size // 90))
    return {"t.yaml": side("a"), "old.yaml": side("b")}


def diff_parameters(size):
    """Parameters that are all alike under other names."""
    return {name: HEAD + _many(size, lambda n: f"  {letter}{n}: {{type: string, default: a}}\n", "parameters:\n", _resource("a")) for name, letter in (("t.yaml", "a"), ("old.yaml", "b"))}


def diff_rules(size):
    """Rules of a security group that overlap in many ways."""
    def side(shift):
        return HEAD + _many(size, lambda n: f"      - {{protocol: tcp, port_range_min: {n * 37 % 60000 + 1}, port_range_max: {n * 37 % 60000 + 900 + shift}, remote_ip_prefix: {n % 200 + 1}.{n * 7 % 256}.0.0/{8 + n % 20}}}\n",
                            "resources:\n  g:\n    type: OS::Neutron::SecurityGroup\n    properties:\n      rules:\n")
    return {"t.yaml": side(0), "old.yaml": side(7)}


def diff_emptied(size):
    return {"t.yaml": HEAD + _resource("a"), "old.yaml": parameters(size)["t.yaml"] + "outputs:\n" + _many(1000, lambda n: f"  o{n}: {{value: {{get_param: p{n}}}}}\n")}


def templates():
    """Every bomb by its name."""
    return {name: make for name, make in globals().items() if callable(make) and not name.startswith("_") and name != "templates"}
