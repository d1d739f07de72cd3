"""Templates with one expression that fails, in each place of a template: Heat refuses some of them when it reads the template, meets others
when it creates the stack or shows an output, and never looks at the rest."""

import json

# An expression that fails, by the kind of its mistake. `net` is a resource, `size` a number, `data` a map, `no` a condition that is false.
EXPRESSIONS = {
    "unknown parameter": {"get_param": "nosuch"},
    "unknown resource": {"get_resource": "nosuch"},
    "attribute of an unknown resource": {"get_attr": ["nosuch", "show"]},
    "unknown attribute": {"get_attr": ["net", "nosuch"]},
    "key of a number": {"get_param": ["size", "key"]},
    "split of a number": {"str_split": [",", {"get_param": "size"}]},
    "join of a number": {"list_join": [",", {"get_param": "size"}]},
    "arguments of list_join": {"list_join": ","},
    "arguments of str_replace": {"str_replace": {"template": "a"}},
    "strict replacement": {"str_replace_strict": {"template": "a", "params": {"b": "c"}}},
    "arguments of repeat": {"repeat": {"template": "a"}},
    "repeat of a number": {"repeat": {"template": "a", "for_each": {"a": {"get_param": "size"}}}},
    "unknown digest": {"digest": ["md6", "a"]},
    "arguments of digest": {"digest": "md5"},
    "merge of a number": {"map_merge": [{"get_param": "size"}]},
    "concatenation of strings": {"list_concat": ["a", "b"]},
    "replacement in a number": {"map_replace": [{"get_param": "size"}, {"keys": {"a": "b"}}]},
    "syntax of yaql": {"yaql": {"expression": "$.a b", "data": {}}},
    "failure of yaql": {"yaql": {"expression": "$.data.a + 1", "data": {"a": "b"}}},
    "unknown function of yaql": {"yaql": {"expression": "$.data.nosuch()", "data": {"a": 1}}},
    "unknown condition": {"if": ["nosuch", "a", "b"]},
    "arguments of if": {"if": ["no"]},
    "removed function": {"Fn::Select": [0, ["a"]]},
    "resource in a condition": {"if": [{"equals": [{"get_resource": "net"}, "a"]}, "a", "b"]},
    "arguments of make_url": {"make_url": {"scheme": "http", "nosuch": 1}},
    "arguments of contains": {"contains": ["a"]},
    "arguments of filter": {"filter": "a"},
    "arguments of resource_facade": {"resource_facade": "nosuch"},
    "arguments of get_file": {"get_file": ["a"]},
}


def _net(**keys):
    return {"type": "OS::Neutron::Net", **keys}


# Where it stands, by the name of the place: the sections that it adds.
PLACES = {
    "property": lambda it: {"resources": {"other": _net(properties={"name": it})}},
    "item of a property": lambda it: {"resources": {"other": _net(properties={"tags": ["a", it]})}},
    "metadata": lambda it: {"resources": {"other": _net(metadata={"a": it})}},
    "argument": lambda it: {"resources": {"other": _net(properties={"name": {"list_join": ["-", ["a", it]]}})}},
    "branch that is not selected": lambda it: {"resources": {"other": _net(properties={"name": {"if": ["no", it, "a"]}})}},
    "disabled resource": lambda it: {"resources": {"other": _net(condition="no", properties={"name": it})}},
    "member of a group": lambda it: {
        "resources": {"other": {"type": "OS::Heat::ResourceGroup", "properties": {"count": 2, "resource_def": _net(properties={"name": it})}}}
    },
    "policy of updates": lambda it: {
        "resources": {"other": {"type": "OS::Heat::ResourceGroup", "update_policy": {"batch_create": {"pause_time": it}}, "properties": {"resource_def": _net()}}}
    },
    "policy of deletions": lambda it: {"resources": {"other": _net(deletion_policy=it)}},
    "output": lambda it: {"outputs": {"o": {"value": it}}},
    "part of an output": lambda it: {"outputs": {"o": {"value": {"a": ["b", it]}}}},
    "argument in an output": lambda it: {"outputs": {"o": {"value": {"list_join": ["-", ["a", it]]}}}},
    "branch in an output": lambda it: {"outputs": {"o": {"value": {"if": ["no", it, "a"]}}}},
    "disabled output": lambda it: {"outputs": {"o": {"condition": "no", "value": it}}},
    "condition of a resource": lambda it: {"resources": {"other": _net(condition={"equals": [it, "a"]})}},
    "condition of an output": lambda it: {"outputs": {"o": {"condition": {"equals": [it, "a"]}, "value": 1}}},
    "condition that nothing uses": lambda it: {"conditions": {"unused": {"equals": [it, "a"]}}},
    "condition that is used": lambda it: {"conditions": {"used": {"equals": [it, "a"]}}, "resources": {"other": _net(condition="used")}},
}


def template(place, expression):
    """The template with an expression in a place; without one, what it is a mistake in."""
    sections = {
        "parameters": {"size": {"type": "number", "default": 3}, "data": {"type": "json", "default": {}}},
        "conditions": {"no": {"equals": [1, 2]}},
        "resources": {"net": _net()},
        "outputs": {"all": {"value": {"get_attr": ["net", "show"]}}},
    }
    for name, more in PLACES[place](expression).items():
        sections[name] = {**sections[name], **more}
    lines = ["heat_template_version: 2018-08-31"]
    for name, entries in sections.items():
        lines += [f"{name}:", *(f"  {key}: {json.dumps(it)}" for key, it in entries.items())]
    return "\n".join(lines) + "\n"


def failures():
    """(kind of mistake and its place, the template without it, the template)."""
    for place in PLACES:
        for kind, expression in EXPRESSIONS.items():
            yield f"{kind}, {place}", template(place, "a"), template(place, expression)
