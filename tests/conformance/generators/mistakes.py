"""One mistake in a template that Heat takes, of every kind that people make.

A mistake is a function of the template's data (a copy that it may change) and of its facts. It returns the name of
the place that it spoiled, or `None` where the template has no such place.
"""

import copy
import json

from generators import changes

TYPES = changes.types()
_TEXT_TYPES = ("string", "number", "comma_delimited_list", "json", "boolean")


def _resources(tree):
    return {name: body for name, body in tree["resources"].items() if isinstance(body, dict) and isinstance(body.get("type"), str)}


def _first(tree, holds=lambda name, body: True):
    """The first resource for which something holds."""
    return next(((name, body) for name, body in _resources(tree).items() if holds(name, body)), (None, None))


def _facts(body):
    return TYPES.get(body["type"], {})


def _properties(body):
    properties = body.setdefault("properties", {})
    return properties if isinstance(properties, dict) else None


def _calls(tree, function):
    """Every map that calls a function, outside of the parameters."""
    if isinstance(tree, dict):
        if list(tree) == [function]:
            yield tree
        for value in tree.values():
            yield from _calls(value, function)
    elif isinstance(tree, list):
        for value in tree:
            yield from _calls(value, function)


def _outputs(tree):
    outputs = tree.get("outputs")
    if not isinstance(outputs, dict):
        outputs = tree["outputs"] = {}
    return outputs


def _parameters(tree):
    parameters = tree.get("parameters")
    if not isinstance(parameters, dict):
        parameters = tree["parameters"] = {}
    return parameters


def _output(value):
    def mistake(tree):
        name, _ = _first(tree)
        _outputs(tree)["hotplate_trust"] = {"value": value(name)}
        return "hotplate_trust"
    return mistake


def _new_parameter(schema):
    def mistake(tree):
        _parameters(tree)["hotplate_trust"] = schema
        return "hotplate_trust"
    return mistake


def _key(name, value):
    def mistake(tree):
        found, body = _first(tree)
        if found is not None:
            body[name] = value(found) if callable(value) else value
        return found
    return mistake


def unknown_section(tree):
    tree["resource"] = {}
    return "resource"


def bad_version(tree):
    tree["heat_template_version"] = "2013-05-24"
    return "heat_template_version"


def no_type(tree):
    name, body = _first(tree)
    if name is not None:
        del body["type"]
    return name


def unknown_type(tree):
    name, body = _first(tree)
    if name is not None:
        body["type"] = "OS::Nova::Sever"
    return name


def missing_template(tree):
    name, body = _first(tree)
    if name is not None:
        body["type"] = "hotplate-trust-missing.yaml"
    return name


def broken_template(tree):
    name, body = _first(tree)
    if name is not None:
        body["type"] = "hotplate-trust-broken.yaml"
    return name


def resource_is_text(tree):
    name, _ = _first(tree)
    if name is not None:
        tree["resources"][name] = "OS::Nova::Server"
    return name


def unknown_parameter(tree):
    call = next(_calls(tree["resources"], "get_param"), None)
    if call is not None:
        call["get_param"] = "hotplate_trust_gone"
    return None if call is None else "get_param"


def parameter_taken(tree):
    """A parameter goes, and what reads it stays."""
    parameters = tree.get("parameters")
    call = next(_calls(tree["resources"], "get_param"), None)
    if not isinstance(parameters, dict) or call is None or call["get_param"] not in [*parameters]:
        return None
    del parameters[call["get_param"]]
    return call["get_param"]


def unknown_resource(tree):
    call = next(_calls(tree["resources"], "get_resource"), None)
    if call is not None:
        call["get_resource"] = "hotplate_trust_gone"
    return None if call is None else "get_resource"


def resource_taken(tree):
    """A resource goes, and what refers to it stays."""
    call = next(_calls(tree["resources"], "get_resource"), None)
    if call is None or not isinstance(call["get_resource"], str) or tree["resources"].pop(call["get_resource"], None) is None:
        return None
    return call["get_resource"] if next(_calls(tree["resources"], "get_resource"), None) is not None else None


def unknown_attribute(tree):
    name, _ = _first(tree, lambda _, body: body["type"].startswith("OS::") and _facts(body).get("attributes") and not _facts(body).get("dynamic_attributes"))
    if name is not None:
        _outputs(tree)["hotplate_trust"] = {"value": {"get_attr": [name, "hotplate_trust"]}}
    return name


def waits_in_a_circle(tree):
    names = list(_resources(tree))
    if len(names) < 2:
        return None
    tree["resources"][names[0]]["depends_on"] = names[1]
    tree["resources"][names[1]]["depends_on"] = names[0]
    return names[0]


def refers_in_a_circle(tree):
    names = list(_resources(tree))
    if len(names) < 2:
        return None
    for one, other in (names[:2], names[1::-1]):
        metadata = tree["resources"][one].get("metadata")
        tree["resources"][one]["metadata"] = {**(metadata if isinstance(metadata, dict) else {}), "hotplate_trust": {"get_resource": other}}
    return names[0]


def missing_file(tree):
    call = next(_calls(tree["resources"], "get_file"), None)
    if call is not None:
        call["get_file"] = "hotplate-trust-missing.sh"
        return "get_file"
    _outputs(tree)["hotplate_trust"] = {"value": {"get_file": "hotplate-trust-missing.sh"}}
    return "hotplate_trust"


def default_against_constraint(tree):
    for name, schema in _parameters(tree).items():
        if isinstance(schema, dict) and schema.get("type") == "string" and isinstance(schema.get("default"), str):
            schema["constraints"] = [{"allowed_values": [schema["default"] + "-not"]}]
            return name
    return None


def value_against_constraint(tree):
    """The value that the deployment gives (see `value`) is not allowed any more."""
    for name, schema in _parameters(tree).items():
        if isinstance(schema, dict) and schema.get("type") == "string" and "default" not in schema and not schema.get("constraints"):
            schema["constraints"] = [{"allowed_values": ["hotplate-trust-other"]}]
            return name
    return None


def default_of_wrong_type(tree):
    for name, schema in _parameters(tree).items():
        if isinstance(schema, dict) and schema.get("type") == "number" and "default" in schema:
            schema["default"] = "many"
            return name
    return None


def unknown_condition(tree):
    if str(tree.get("heat_template_version")) < "2016-10-14":
        return None
    name, body = _first(tree)
    if name is not None:
        body["condition"] = "hotplate_trust_gone"
    return name


def conditions_before_their_version(tree):
    if str(tree.get("heat_template_version")) >= "2016-10-14":
        return None
    tree["conditions"] = {"hotplate_trust": True}
    return "conditions"


def group_of_nobody(tree):
    tree["parameter_groups"] = [{"label": "trust", "parameters": ["hotplate_trust_gone"]}]
    return "parameter_groups"


def unknown_property(tree):
    name, body = _first(tree, lambda _, body: _facts(body).get("properties") and _properties(body) is not None)
    if name is not None:
        _properties(body)["hotplate_trust"] = "x"
    return name


def property_of_wrong_type(tree):
    for name, body in _resources(tree).items():
        for prop, fact in _facts(body).get("properties", {}).items():
            if fact["type"] in ("integer", "number", "boolean") and _properties(body) is not None:
                _properties(body)[prop] = "hotplate trust"
                return name
    return None


def required_property_taken(tree):
    for name, body in _resources(tree).items():
        for prop in changes.required(_facts(body)):
            if isinstance(body.get("properties"), dict) and prop in body["properties"]:
                del body["properties"][prop]
                return name
    return None


# Every kind: its name, whether `eval` is meant to know of it today, and the function.
KINDS = {
    "unknown section": unknown_section,
    "unknown version": bad_version,
    "resource without a type": no_type,
    "unknown resource type": unknown_type,
    "missing nested template": missing_template,
    "broken nested template": broken_template,
    "resource that is a text": resource_is_text,
    "unknown key of a resource": _key("propertys", {}),
    "get_param of an unknown parameter": unknown_parameter,
    "parameter taken away that is read": parameter_taken,
    "get_resource of an unknown resource": unknown_resource,
    "resource taken away that is referred to": resource_taken,
    "unknown attribute": unknown_attribute,
    "depends_on of an unknown resource": _key("depends_on", "hotplate_trust_gone"),
    "depends_on of itself": _key("depends_on", lambda name: name),
    "depends_on in a circle": waits_in_a_circle,
    "references in a circle": refers_in_a_circle,
    "unknown deletion_policy": _key("deletion_policy", "Keep"),
    "metadata that is a text": _key("metadata", "text"),
    "properties that are a list": _key("properties", ["a"]),
    "missing file": missing_file,
    "new parameter without a value": _new_parameter({"type": "string"}),
    "parameter of an unknown type": _new_parameter({"type": "text", "default": "x"}),
    "parameter without a type": _new_parameter({"default": "x"}),
    "unknown key of a parameter": _new_parameter({"type": "string", "default": "x", "defaults": "y"}),
    "default of a wrong type": default_of_wrong_type,
    "default against its constraint": default_against_constraint,
    "value against a new constraint": value_against_constraint,
    "group of a parameter that is not there": group_of_nobody,
    "unknown condition": unknown_condition,
    "conditions before their version": conditions_before_their_version,
    "output without a value": lambda tree: _outputs(tree).update({"hotplate_trust": {"description": "nothing"}}) or "hotplate_trust",
    "output of an unknown parameter": _output(lambda name: {"get_param": "hotplate_trust_gone"}),
    "output of an unknown resource": _output(lambda name: {"get_resource": "hotplate_trust_gone"}),
    "function with wrong arguments": _output(lambda name: {"str_replace": ["a", "b"]}),
    "list_join of a text": _output(lambda name: {"list_join": ["-", 7]}),
    "unknown property": unknown_property,
    "property of a wrong type": property_of_wrong_type,
    "required property taken away": required_property_taken,
}

# What stands beside every template: the nested template that is broken.
BROKEN = {"hotplate-trust-broken.yaml": "heat_template_version: 2013-05-23\nresources: [\n"}


def make(tree):
    """Every mistake that a template has a place for: (kind, the spoiled template)."""
    for kind, mistake in KINDS.items():
        spoiled = copy.deepcopy(tree)
        if mistake(spoiled) is not None:
            yield kind, spoiled


def text(tree):
    """A template as the text of a file."""
    return json.dumps(tree, indent=1, default=str) + "\n"


def value(schema):
    """A value for a parameter that has no default, as a text of the command line."""
    for constraint in schema.get("constraints") or ():
        if isinstance(constraint, dict) and constraint.get("allowed_values"):
            return str(constraint["allowed_values"][0])
    return {"number": "1", "boolean": "true", "json": "{}"}.get(schema.get("type"), "a")
