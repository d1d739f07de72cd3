"""The deployments in which every generated template is resolved.

One template is judged in several *worlds*: the same parameters, resources and
attributes with other values. An exact rewrite must hold in all of them, a wrong one
usually gives itself away in only one (an empty list, text that happens to be JSON,
a resource that does not exist yet, an index that is a fraction).
"""

# name: (type, default). A default of None means that there is none.
PARAMETERS = {
    "word": ("string", "x,y,z"),
    "blank": ("string", ""),
    "json_text": ("string", '["p","q"]'),
    "map_text": ("string", '{"k":"vv","0":"zero"}'),
    "open_word": ("string", None),
    "key": ("string", "k"),
    "digit": ("string", "1"),
    "policy": ("string", "Retain"),
    "count": ("number", 1),
    "flag": ("boolean", True),
    "items": ("comma_delimited_list", "x,y,z"),
    "single": ("comma_delimited_list", "one"),
    "members": ("comma_delimited_list",
                ".member.0.Name=a,.member.0.Value=b=c,.member.1.Name=d,.member.1.Value=e"),
    "tree": ("json", {"k": "v", "q": [1, "two"], "0": "zero", "d": {"k": "deep", "l": ["a", "b"]},
                      "nul": None, "t": True}),
    "rows": ("json", ["p", "q", {"k": "v"}]),
    "text_tree": ("json", {"k": '["p","q"]', "m": '{"k":"vv"}'}),
}

RESOURCES = {
    "server": {"type": "OS::Nova::Server", "properties": {"flavor": "small", "image": "linux"}},
    "port": {"type": "OS::Neutron::Port", "properties": {"network": "net"}},
    "wait": {"type": "OS::Heat::WaitCondition", "properties": {"handle": "h", "timeout": "60"}},
    "thing": {"type": "OS::Heat::Value", "properties": {"value": "v"}},
    "secret": {"type": "OS::Heat::RandomString"},
    "deploy": {"type": "OS::Heat::SoftwareDeployment", "properties": {"server": "s", "config": "c"}},
    "group": {"type": "OS::Heat::ResourceGroup",
              "properties": {"count": 2, "resource_def": {"type": "OS::Heat::Value", "properties": {"value": "v"}}}},
    "scaler": {"type": "OS::Heat::AutoScalingGroup",
               "properties": {"min_size": 1, "max_size": 3,
                              "resource": {"type": "OS::Heat::Value", "properties": {"value": "v"}}}},
    "chain": {"type": "OS::Heat::ResourceChain", "properties": {"resources": ["OS::Heat::Value"]}},
}

# Attributes that templates ask for: (resource, attribute, kind that the schema states).
ATTRIBUTES = [
    ("server", "addresses", "map"), ("server", "networks", "map"), ("server", "instance_name", "string"),
    ("server", "tags", "list"), ("server", "first_address", "any"),
    ("port", "fixed_ips", "list"), ("port", "security_groups", "list"), ("port", "mac_address", "string"),
    ("wait", "data", "string"), ("thing", "value", "any"), ("secret", "value", "string"),
    ("deploy", "deploy_stdout", "string"), ("deploy", "result", "any"),
]

FILES = {"plain.txt": "hello $who\n", "data.json": '["f", "g"]', "map.json": '{"k": "from file"}'}

_FACADE = {"metadata": {"m": 1, "l": ["x"]}, "deletion_policy": "Retain", "update_policy": {"u": {"v": 2}}}


def _members(first, second):
    """Two group members whose attribute values differ, so that a wrong index shows."""
    return [
        {"name": "0", "ref": "id-0", "attrs": {"value": first, "ip": "10.0.0.1", "nets": {"k": ["n0", "m0"]}}},
        {"name": "1", "ref": "id-1", "attrs": {"value": second, "ip": "10.0.0.2", "nets": {"k": ["n1", "m1"]}}},
    ]


def _groups(first, second):
    return {
        "group": {"group": "OS::Heat::ResourceGroup", "members": _members(first, second)},
        "scaler": {"group": "OS::Heat::AutoScalingGroup", "members": _members(first, second)},
        "chain": {"group": "OS::Heat::ResourceChain", "members": _members(first, second)},
    }


_NATURAL = {
    "server": {"ref": "uuid-1", "attrs": {
        "addresses": {"private": [{"addr": "10.0.0.4", "port": "p-1"}], "k": ["a0", "a1"]},
        "networks": {"private": ["10.0.0.4", "10.0.0.5"], "k": "v", "0": "zero"},
        "instance_name": "k", "tags": ["t0", "t1"], "first_address": "10.0.0.4"}},
    "port": {"attrs": {"fixed_ips": [{"subnet_id": "s", "ip_address": "10.0.0.9"}, {"ip_address": "10.0.0.8"}],
                       "security_groups": ["sg0", "sg1"], "mac_address": "fa:16:3e:00:00:01"}},
    "wait": {"attrs": {"data": '{"k": "done", "1": "one"}'}},
    "thing": {"attrs": {"value": ["v0", "v1", {"k": "v2"}]}},
    "secret": {"attrs": {"value": "S3cr3t"}},
    "deploy": {"attrs": {"deploy_stdout": "line1,line2", "result": {"k": "r"}}},
    **_groups(["g0", {"k": "gk"}], ["g1", {"k": "hk"}]),
}

_EMPTY = {
    "server": {"action": "INIT", "attrs": {}},
    "port": {"attrs": {"fixed_ips": [], "security_groups": None, "mac_address": None}},
    "wait": {"attrs": {"data": None}},
    "thing": {"attrs": {"value": None}},
    "secret": {"attrs": {"value": ""}},
    "deploy": {"attrs": {"deploy_stdout": "", "result": None}},
    **_groups([], None),
}

_TEXTS = {
    "server": {"attrs": {"addresses": {"0": ["z"]}, "networks": {}, "instance_name": "1",
                         "tags": ['["t"]'], "first_address": '["f0","f1"]'}},
    "port": {"attrs": {"fixed_ips": [{"k": "v"}], "security_groups": ["only"], "mac_address": '{"k":"m"}'}},
    "wait": {"attrs": {"data": '["d0", "d1"]'}},
    "thing": {"attrs": {"value": '{"k": ["v"], "0": "z"}'}},
    "secret": {"attrs": {"value": '["s"]'}},
    "deploy": {"attrs": {"deploy_stdout": '["o0","o1"]', "result": ["r0", "r1"]}},
    **_groups({"k": "v", "0": "z"}, '["j0"]'),
}

WORLDS = [
    {"name": "natural", "params": {"open_word": "given"}, "attrs": _NATURAL},
    {"name": "empty", "attrs": _EMPTY,
     "params": {"word": "", "open_word": "", "key": "missing", "digit": "7", "count": 0, "flag": False,
                "items": [], "single": ["a", "b", "c"], "members": [], "tree": {}, "rows": [], "text_tree": {}}},
    {"name": "texts", "attrs": _TEXTS,
     "params": {"word": '["a","b"]', "open_word": '{"k":"o"}', "key": "0", "digit": "-1", "count": 2,
                "items": ['["a"]', "b"], "single": ["x=y"], "members": [".member.1.Value=w", ".member.1.Name=n"],
                "tree": '"[\\"p\\", \\"q\\"]"', "rows": {"k": "v", "0": "zero", "1": "one"},
                "text_tree": ["[1]", {"k": "v"}]}},
    {"name": "odd numbers", "attrs": _NATURAL,
     "params": {"open_word": "given", "key": "1", "digit": " 1", "count": 1.7, "items": ["only", "two"],
                "tree": {"k": None, "q": "[7, 8]", "1": "one", "d": [["a"], {"l": 5}]}, "rows": [["r"], [], None]}},
]


def world_requests(declared):
    """What the judge needs for each world, with values only for parameters that the template declares."""
    return [
        {"params": {name: value for name, value in world["params"].items() if name in declared},
         "attrs": world["attrs"], "facade": _FACADE, "files": FILES}
        for world in WORLDS
    ]
