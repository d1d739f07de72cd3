"""Templates that request each attribute of each kind of group with each kind of path, in a version."""

KINDS = ("OS::Heat::ResourceGroup", "OS::Heat::AutoScalingGroup", "OS::Heat::ResourceChain")
# The first fetches the attribute and follows the path itself, the others pass the path to the group.
VERSIONS = ("2013-05-23", "2021-04-16")
ALL_VERSIONS = ("2013-05-23", "2014-10-16", "2015-04-30", "2015-10-15", "2016-04-08", "2016-10-14", "2017-02-24", "2018-08-31", "2021-04-16")
COUNT = 2
# The parameters that paths name, with what they are by default.
INDEX, DIGIT, KEY = ("index", 1), ("digit", "1"), ("key", "k")
TEMPLATE, SERVER = "member.yaml", "OS::Nova::Server"

# Outputs of the nested template are also named like attributes of groups of another kind.
MEMBER = """\
heat_template_version: 2018-08-31
parameters:
  p: {type: string}
  n: {type: string, default: z}
outputs:
  OS::stack_id: {value: {list_join: ['-', [{get_param: p}, id, {get_param: n}]]}}
  text: {value: {list_join: ['-', [{get_param: p}, {get_param: n}]]}}
  list: {value: [{get_param: p}, {get_param: n}]}
  map: {value: {k: {get_param: n}, '0': {get_param: p}}}
  current_size: {value: {list_join: ['-', [{get_param: p}, size, {get_param: n}]]}}
  outputs: {value: {list_join: ['-', [{get_param: p}, outputs, {get_param: n}]]}}
"""
ATTRIBUTES = {TEMPLATE: ("text", "list", "map"), SERVER: ("first_address", "name")}
OWN = ("refs", "refs_map", "outputs", "outputs_list", "attributes", "current_size", "removed_rsrc_list", "nope")


def outputs_of(prefix, number):
    """The reference and the outputs of a member of the nested template, by its parameters."""
    attrs = {"text": f"{prefix}-{number}", "list": [prefix, number], "map": {"k": number, "0": prefix}, "current_size": f"{prefix}-size-{number}", "outputs": f"{prefix}-outputs-{number}"}
    return {"ref": f"{prefix}-id-{number}", "attrs": attrs}


def requests(member):
    """Lists of arguments of `get_attr` after the name of the group. In a list, Heat's names of the outputs inside the group differ: an
    index and the same index as a string have the same name, so that the last one would have the value of both."""
    first, *others = ATTRIBUTES[member]
    last = others[-1]
    members = [f"resource.{name}" for name in ("0", "1", "-1", "00", "7", "x")]
    names = [*OWN, first, *others, *members, *(f"resource.{n}.{name}" for n in (0, 1, -1) for name in (first, *others))]
    computed = [{"get_param": name} for name, _ in (INDEX, DIGIT, KEY)]
    paths = [[], [0], [1], [-1], [7], ["0"], ["1"], ["k"], [0, 0], [1, "k"], [0, 1], ["0", 1], *([step] for step in computed), *([name] for name in (first, *others)), *([last, step] for step in (0, "0", "k", *computed))]
    lists = ([], [])
    for name in names:
        for path in paths:
            is_digit = any(step in ("0", "1", {"get_param": DIGIT[0]}) for step in path)
            lists[is_digit].append([name, *path])
    return lists


def template(kind, member, version, chosen):
    """A template with an output for each of some requests, by its name."""
    properties = {"p": {"get_param": "prefix"}} if member == TEMPLATE else {"flavor": "m1.small", "image": "linux", "networks": [{"network": "net"}]}
    if kind == "OS::Heat::ResourceGroup":
        named = {"n": "%index%"} if member == TEMPLATE else {"name": "server-%index%"}
        group = {"count": COUNT, "resource_def": {"type": member, "properties": {**properties, **named}}}
    elif kind == "OS::Heat::AutoScalingGroup":
        group = {"desired_capacity": COUNT, "min_size": 1, "max_size": 3, "resource": {"type": member, "properties": properties}}
    else:
        group = {"resources": [member] * COUNT, "resource_properties": properties}
    declared = {name: {"type": "number" if isinstance(value, int) else "string", "default": value} for name, value in (("prefix", "q"), INDEX, DIGIT, KEY)}
    return {
        "heat_template_version": version,
        "parameters": declared,
        "resources": {"group": {"type": kind, "properties": group}},
        "outputs": {name: {"value": {"get_attr": ["group", *request]}} for name, request in chosen.items()},
    }
