"""Pairs of deployments of which everything is known, and the same pairs with one input cut out: a file, a value, a condition, a size, a nested
template, an environment, a row of the resource registry."""

import copy
import json
import random

import yaml

from generators import spelling

ROOT, ENVIRONMENT = "root.yaml", "env.yaml"
VERSION = "2018-08-31"
# A value for a parameter without one, by its type.
VALUES = {"string": "value", "number": 2, "boolean": True, "json": {}, "comma_delimited_list": "a,b"}


class Side:
    """One side: the template, its environment, and the files beside them. Trees are plain data."""

    def __init__(self, root, environment=None, files=None):
        self.root, self.environment, self.files = root, environment, files or {}

    def copy(self):
        return copy.deepcopy(self)

    def write(self, folder):
        """Writes the files; the arguments that name the environment."""
        folder.mkdir(parents=True)
        for name, content in {ROOT: self.root, **self.files}.items():
            text = content if isinstance(content, str) else json.dumps(content, default=str)
            (folder / name).write_text(text, encoding="utf-8")
        if self.environment is None:
            return None
        (folder / ENVIRONMENT).write_text(json.dumps(self.environment, default=str), encoding="utf-8")
        return folder / ENVIRONMENT

    def parameters(self):
        """The values of parameters, from the environment or the default."""
        given = (self.environment or {}).get("parameters") or {}
        declared = _map(self.root.get("parameters"))
        return {name: given.get(name, one.get("default")) for name, one in declared.items() if isinstance(one, dict)}


def _map(tree):
    return tree if isinstance(tree, dict) else {}


# ---- generated pairs


def _server(**more):
    return {"type": "OS::Nova::Server", "properties": {"flavor": "m1", "image": "i", "networks": [{"network": "n"}], **more}}


def _group(count, member):
    return {"type": "OS::Heat::ResourceGroup", "properties": {"count": count, "resource_def": member}}


def _child(key, is_on):
    """A nested template that has what a root has."""
    return {
        "heat_template_version": VERSION,
        "parameters": {"key": {"type": "string", "default": "k"}, "size": {"type": "number", "default": 1}},
        "conditions": {"on": {"equals": [{"get_param": "size"}, 1 if is_on else 2]}},
        "resources": {
            "web": _server(key_name=key, metadata={"size": {"get_param": "size"}}),
            "disk": {"type": "OS::Cinder::Volume", "condition": "on", "properties": {"size": 1, "availability_zone": {"get_param": "key"}}},
        },
        "outputs": {"address": {"value": {"get_attr": ["web", "first_address"]}}},
    }


def _base():
    resources = {
        "web": _server(key_name={"get_param": "key"}, user_data={"get_file": "boot.sh"}, user_data_format="RAW"),
        "port": {"type": "OS::Neutron::Port", "properties": {"network": {"get_param": "network"}}},
        "disk": {"type": "OS::Cinder::Volume", "condition": "is_prod", "properties": {"size": 1, "availability_zone": {"get_param": "zone"}}},
        "spare": {"type": "OS::Cinder::Volume", "condition": "is_spare", "properties": {"size": 1}},
        "on_port": _server(networks=[{"port": {"get_resource": "port"}}], key_name={"if": ["is_prod", "a", "b"]}),
        "many": _group({"get_param": "count"}, _server(key_name={"get_param": "key"}, metadata={"zone": {"get_param": "zone"}})),
        "scaled": {"type": "OS::Heat::AutoScalingGroup",
                   "properties": {"min_size": 1, "max_size": 5, "desired_capacity": 2, "resource": _server(key_name={"get_param": "zone"})}},
        "child": {"type": "child.yaml", "properties": {"key": {"get_param": "key"}}},
        "mapped": {"type": "My::Child", "properties": {"key": "k", "size": {"get_param": "count"}}},
        "children": _group(2, {"type": "My::Child", "properties": {"key": {"get_param": "zone"}}}),
        "reader": {"type": "OS::Cinder::Volume", "properties": {"size": 1, "availability_zone": {"get_attr": ["child", "address"]}}},
        "config": {"type": "OS::Heat::SoftwareConfig", "properties": {"config": {"get_file": "boot.sh"}}},
        "lc": {"type": "AWS::AutoScaling::LaunchConfiguration", "properties": {"ImageId": {"get_param": "zone"}, "InstanceType": "m1"}},
        "instances": {"type": "OS::Heat::InstanceGroup", "update_policy": {"RollingUpdate": {"MaxBatchSize": 1}},
                      "properties": {"AvailabilityZones": ["nova"], "LaunchConfigurationName": {"get_resource": "lc"}, "Size": {"get_param": "count"}}},
    }
    root = {
        "heat_template_version": VERSION,
        "parameters": {
            "key": {"type": "string", "default": "k"}, "zone": {"type": "string"}, "network": {"type": "string", "default": "n"},
            "count": {"type": "number", "default": 2}, "prod": {"type": "boolean"}, "with_spare": {"type": "boolean", "default": False},
        },
        "conditions": {"is_prod": {"get_param": "prod"}, "is_spare": {"and": ["is_prod", {"equals": [{"get_param": "with_spare"}, True]}]}},
        "resources": resources,
    }
    environment = {"parameters": {"zone": "z", "prod": True}, "resource_registry": {"My::Child": "other.yaml"}}
    return Side(root, environment, {"boot.sh": "echo\n", "child.yaml": _child("k", True), "other.yaml": _child("k", False)})


def _set(side, path, value):
    tree = side.root if path[0] != ENVIRONMENT else side.environment
    *way, last = path if path[0] != ENVIRONMENT else path[1:]
    for step in way:
        tree = tree[step]
    tree[last] = value


# What a change of the new side does. Each is by itself a change that Heat runs.
CHANGES = {
    "key": lambda side: _set(side, ("parameters", "key", "default"), "k2"),
    "zone": lambda side: _set(side, (ENVIRONMENT, "parameters", "zone"), "z2"),
    "network": lambda side: _set(side, ("parameters", "network", "default"), "n2"),
    "larger": lambda side: _set(side, ("parameters", "count", "default"), 3),
    "smaller": lambda side: _set(side, ("parameters", "count", "default"), 1),
    "scaled down": lambda side: _set(side, ("resources", "scaled", "properties", "desired_capacity"), 1),
    "member": lambda side: _set(side, ("resources", "many", "properties", "resource_def", "properties", "key_name"), "m"),
    "scaled member": lambda side: _set(side, ("resources", "scaled", "properties", "resource", "properties", "key_name"), "m"),
    "off": lambda side: _set(side, (ENVIRONMENT, "parameters", "prod"), False),
    "spare": lambda side: _set(side, ("parameters", "with_spare", "default"), True),
    "inverted": lambda side: _set(side, ("conditions", "is_prod"), {"not": {"get_param": "prod"}}),
    "conditional": lambda side: _set(side, ("resources", "reader", "condition"), {"not": "is_prod"}),
    "script": lambda side: side.files.update({"boot.sh": "echo 2\n"}),
    "child": lambda side: side.files.update({"child.yaml": _child("c", True)}),
    "child off": lambda side: side.files.update({"child.yaml": _child("k", False)}),
    "mapped child": lambda side: side.files.update({"other.yaml": _child("o", False)}),
    "mapped child on": lambda side: side.files.update({"other.yaml": _child("k", True)}),
    "row": lambda side: _set(side, (ENVIRONMENT, "resource_registry", "My::Child"), "child.yaml"),
    "disk": lambda side: _set(side, ("resources", "disk", "properties", "size"), 2),
    "removed": lambda side: side.root["resources"].pop("reader"),
    "image": lambda side: _set(side, ("resources", "lc", "properties", "ImageId"), "i2"),
    "type": lambda side: _set(side, ("resources", "port", "type"), "OS::Neutron::Net"),
}


def generated(seed):
    """A pair of which everything is known, with one to three changes."""
    draw = random.Random(seed)
    names = list(CHANGES)
    # The first pairs have each change alone.
    chosen = [names[seed]] if seed < len(names) else draw.sample(names, draw.randint(1, 3))
    old = _base()
    new = old.copy()
    for name in chosen:
        CHANGES[name](new)
    if "type" in chosen:
        new.root["resources"]["port"]["properties"] = {}
    return f"{seed} {', '.join(chosen)}", (old, new)


def of_files(old, new):
    """A real pair, with values for what has none; `None` if a side is no HOT template."""
    sides = []
    for path in (old, new):
        try:
            tree = yaml.load(path.read_bytes(), Loader=spelling.HeatLoader)
            json.dumps(tree, default=str)
        except (yaml.YAMLError, UnicodeDecodeError, ValueError, TypeError):
            return None
        if not isinstance(tree, dict) or "heat_template_version" not in tree:
            return None
        tree["heat_template_version"] = str(tree["heat_template_version"])
        declared = {name: one for name, one in _map(tree.get("parameters")).items() if isinstance(one, dict)}
        values = {name: VALUES.get(one.get("type"), "value") for name, one in declared.items() if "default" not in one}
        sides.append(Side(tree, {"parameters": values}))
    return tuple(sides)


# ---- cuts


def cuts(pair):
    """Each pair with one input less: (what is cut, on which side, the pair). An input that is the same on both sides can be cut out of both;
    one that nothing can read may differ, so it can always."""
    old, new = pair
    for name in sorted(old.files.keys() | new.files.keys()):
        yield from _on_sides(pair, f"file {name}", lambda side, name=name: side.files.pop(name, None), True)
    is_same = old.environment == new.environment
    if _map(old.environment) and len(_map(old.environment)) > 1:
        yield from _on_sides(pair, "environment", lambda side: setattr(side, "environment", None), is_same)
    for name in sorted(_map(_map(old.environment).get("resource_registry"))):
        yield from _on_sides(pair, f"row {name}", lambda side, name=name: side.environment["resource_registry"].pop(name), True)
    values = old.parameters(), new.parameters()
    for name in sorted(values[0].keys() & values[1].keys(), key=str):
        yield from _on_sides(pair, f"parameter {name}", lambda side, name=name: _cut_parameter(side, name), values[0][name] == values[1][name])
    for name in sorted(_map(old.root.get("conditions")).keys() & _map(new.root.get("conditions")).keys(), key=str):
        # What a condition says on both sides is the same only if its definition is, and what that reads.
        is_same = old.root["conditions"] == new.root["conditions"] and values[0] == values[1]
        yield from _on_sides(pair, f"condition {name}", lambda side, name=name: _cut(side, side.root["conditions"], name, "boolean"), is_same)
    groups = [{name: where for name, where in _sizes(side.root)} for side in pair]
    for name in sorted(groups[0].keys() & groups[1].keys(), key=str):
        is_same = groups[0][name][0][groups[0][name][1]] == groups[1][name][0][groups[1][name][1]] and values[0] == values[1]
        yield from _on_sides(pair, f"size {name}", lambda side, name=name: _cut_size(side, name), is_same)


def _on_sides(pair, what, cut, is_same):
    for where in ("both", "old", "new"):
        if where == "both" and not is_same:
            continue
        sides = [side.copy() for side in pair]
        for side, name in zip(sides, ("old", "new")):
            if where in ("both", name):
                cut(side)
        yield what, where, tuple(sides)


def _cut_parameter(side, name):
    side.root["parameters"][name].pop("default", None)
    _map(_map(side.environment).get("parameters")).pop(name, None)


def _cut(side, tree, key, kind):
    tree[key] = {"get_param": "cut_out"}
    side.root["parameters"] = {**_map(side.root.get("parameters")), "cut_out": {"type": kind}}


def _cut_size(side, name):
    tree, key = dict(_sizes(side.root))[name]
    _cut(side, tree, key, "number")


def _sizes(root):
    for name, resource in _map(root.get("resources")).items():
        properties = _map(_map(resource).get("properties"))
        key = {"OS::Heat::ResourceGroup": "count", "OS::Heat::AutoScalingGroup": "desired_capacity", "OS::Heat::InstanceGroup": "Size"}.get(_map(resource).get("type"))
        if key in properties:
            yield name, (properties, key)
