"""Updates that make an object beside one with the same identity: each modeled type replaced, renamed, moved into a nested stack and out of one, and
exchanged for its twin under a condition."""

import copy

from generators import cloud_changes
from generators.cloud_changes import of, ref

# How many changes of a property there are for each type; `diff` says which of them replace.
PROPERTIES = 3


def every():
    """The type, what happens, and the files of both sides; `root.yaml` is the template."""
    for kind, made, _ in cloud_changes.single():
        if kind.startswith("OS::Heat::"):
            continue
        around = {name: one for name, one in made["resources"].items() if name != "r1"}
        own = made["resources"]["r1"]
        old = {**around, "r1": own}
        yield kind, "renamed", _root(old), _root({**around, "q1": own})
        user = lambda name: of("OS::Heat::Value", {"value": ref(name)})
        yield kind, "renamed, and something stays that needs it", _root({**old, "user": user("r1")}), _root({**around, "q1": own, "user": user("q1")})
        child = _child(around, own)
        yield kind, "moved into a nested stack", _root(old), child
        yield kind, "moved out of a nested stack", child, _root(old)
        twins = lambda first: {**around, "r1": {**own, "condition": first}, "q1": {**own, "condition": not first}}
        yield kind, "twin of a condition", _root(twins(True)), _root(twins(False))
        yield from _changed(kind, own, around)


def _changed(kind, own, around):
    """The resource with another value of a property that is not its first one, which is a name mostly."""
    _, changes, *_ = cloud_changes.TYPES[kind]
    for name, value in list(changes.items())[1:1 + PROPERTIES]:
        first, second = value if isinstance(value, tuple) else (own["properties"].get(name), value)
        sides = []
        for chosen in (first, second):
            one = copy.deepcopy(own)
            one["properties"].pop(name, None)
            if chosen is not None:
                one["properties"][name] = cloud_changes._numbered(chosen, 1)
            needed = cloud_changes.template({"r1": one, **around})["resources"]
            sides.append(needed)
        # Both sides have what either needs.
        extra = {key: each for side in sides for key, each in side.items() if key != "r1"}
        yield kind, f"changed: {name}", _root({**extra, "r1": sides[0]["r1"]}), _root({**extra, "r1": sides[1]["r1"]})


def removed():
    """Each property of each modeled type that can be left out, with a value and then without."""
    for kind, made, _ in cloud_changes.single():
        own = made["resources"]["r1"]
        around = {name: one for name, one in made["resources"].items() if name != "r1"}
        for name, value in cloud_changes.TYPES[kind][1].items():
            given = cloud_changes._numbered(value[1] if isinstance(value, tuple) else value, 1)
            if given is None:
                continue
            without = copy.deepcopy(own)
            without["properties"].pop(name, None)
            one = copy.deepcopy(without)
            one["properties"][name] = given
            extra = {key: each for key, each in cloud_changes.template({"r1": one, **around})["resources"].items() if key != "r1"}
            yield kind, f"removed: {name}", _root({**extra, "r1": one}), _root({**extra, "r1": without})


def _root(resources):
    return {"root.yaml": {"heat_template_version": "2018-08-31", "resources": resources}}


def _child(around, own):
    """The resource in a nested stack, which gets what it refers to as parameters."""
    needed = sorted(set(cloud_changes._references({"properties": own["properties"]})))
    inner = {"heat_template_version": "2018-08-31", "parameters": {name: {"type": "string"} for name in needed}, "resources": {"r1": {**_passed(own), "depends_on": []}}}
    outer = {"type": "child.yaml", "properties": {name: ref(name) for name in needed}}
    if own.get("depends_on"):
        outer["depends_on"] = own["depends_on"]
    return {**_root({**around, "child": outer}), "child.yaml": inner}


def _passed(value):
    if isinstance(value, dict):
        return {"get_param": value["get_resource"]} if list(value) == ["get_resource"] else {key: _passed(each) for key, each in value.items()}
    return [_passed(each) for each in value] if isinstance(value, list) else value
