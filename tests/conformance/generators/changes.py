"""Pairs of resources that differ in one property, or in one part of the definition, for every type of the schema.

Every value meets the schema: its type, its constraints, required properties beside it.
"""

import json

import house

SCHEMA = house.ROOT / "crates/heat-facts/data" / "heat-27.json"
UUIDS = ["00000000-0000-0000-0000-00000000000a", "00000000-0000-0000-0000-00000000000b"]

# Two values that meet a pattern, by the pattern.
PATTERNS = {
    "/dev/vd[b-z]": ["/dev/vdb", "/dev/vdc"],
    r"\d{4}-\d{2}-\d{2}\s\d{2}:\d{2}": ["2030-01-01 10:00", "2030-01-02 10:00"],
    "^([0-9a-fA-F]){8}-([0-9a-fA-F]){4}-([0-9a-fA-F]){4}-([0-9a-fA-F]){4}-([0-9a-fA-F]){12}$": UUIDS,
    "^([0-9]+(-[0-9]+)?)(,([0-9]+(-[0-9]+)?))*$": ["1-2", "3"],
    r"[a-zA-Z0-9_\-]+[a-zA-Z0-9_@?#\s\-]*[a-zA-Z0-9_\-]+": ["aaa", "bbb"],
    r"[a-zA-Z0-9_]+[a-zA-Z0-9_@?#\s]*[a-zA-Z0-9_]+": ["aaa", "bbb"],
}
# Two values that meet a constraint that needs no service, by its name.
CUSTOM = {
    "ip_addr": ["10.0.0.1", "10.0.0.2"],
    "net_cidr": ["10.0.0.0/24", "10.0.1.0/24"],
    "ip_or_cidr": ["10.0.0.1", "10.0.1.0/24"],
    "mac_addr": ["aa:bb:cc:dd:ee:01", "aa:bb:cc:dd:ee:02"],
    "cron_expression": ["0 0 * * *", "1 0 * * *"],
    "timezone": ["Europe/Prague", "Europe/Rome"],
    "expiration": ["2990-01-01T00:00:00", "2991-01-01T00:00:00"],
    "json_string": ["{\"a\": 1}", "{\"a\": 2}"],
    "dns_name": ["a.example.org.", "b.example.org."],
    "rel_dns_name": ["aaa", "bbb"],
    "dns_domain": ["a.org.", "b.org."],
    "test_constr": ["a", "b"],
}


def types():
    """The types of the schema with their facts."""
    return json.loads(SCHEMA.read_text(encoding="utf-8"))["types"]


def value(prop, which):
    """A valid value of a property: the first (0) or the second one (1)."""
    kind = prop["type"]
    lengths = {"min": 0, "max": None}
    bounds = {"min": None, "max": None}
    for constraint in prop.get("constraints", ()):
        if "allowed_values" in constraint and kind != "list":
            allowed = constraint["allowed_values"]
            return allowed[min(which, len(allowed) - 1)]
        if "allowed_values" in constraint:
            allowed = constraint["allowed_values"]
            return [allowed[min(which, len(allowed) - 1)]]
        if "allowed_pattern" in constraint:
            return PATTERNS[constraint["allowed_pattern"]][which]
        if constraint.get("custom") in CUSTOM:
            return CUSTOM[constraint["custom"]][which]
        lengths.update(constraint.get("length", {}))
        bounds.update(constraint.get("range", {}))
    if kind == "boolean":
        return bool(which)
    if kind in ("integer", "number"):
        low = bounds["min"] if bounds["min"] is not None else (bounds["max"] - 1 if bounds["max"] is not None else 1)
        return low + which
    if kind == "list":
        items = [value(prop["items"], which) if "items" in prop else "ab"[which]]
        return items * max(lengths["min"], 1)
    if kind == "map":
        return members(prop["members"], which) if prop.get("members") else {"k": "ab"[which]}
    # `region_name` and the like make the plugin ask nobody: any text will do.
    text = "ab"[which] * max(lengths["min"], 1)
    return text


def members(table, which):
    """A map with its required members and one more; they are what differs."""
    chosen = {name: value(member, 0) for name, member in table.items() if member.get("required")}
    name = next((name for name, member in table.items() if value(member, 0) != value(member, 1)), None)
    if name:
        chosen[name] = value(table[name], which)
    return chosen


def required(facts, but=()):
    """The properties that a resource must have."""
    return {name: value(prop, 0) for name, prop in facts.get("properties", {}).items() if prop.get("required") and name not in but}


def of_property(facts, name):
    """What can be changed in one property: (what, its old value, its new one); `...` is none."""
    prop = facts["properties"][name]
    first, second = value(prop, 0), value(prop, 1)
    pairs = []
    if first != second:
        pairs.append(("changed", first, second))
        if prop["type"] == "list" and "allowed_values" not in str(prop.get("constraints")):
            pairs.append(("reordered", [*first, *second], [*second, *first]))
    if not prop.get("required"):
        pairs.append(("given", ..., second))
        pairs.append(("taken", first, ...))
        pairs.append(("null", ..., None))
    if "default" in prop:
        pairs.append(("default", ..., prop["default"]))
    if prop["type"] in ("integer", "number", "boolean"):
        pairs.append(("as text", first, str(first)))
    if prop["type"] == "string" and "constraints" not in prop:
        pairs.append(("number for text", "7", 7))
        pairs.append(("same", first, first))
    table = prop.get("members") or prop.get("items", {}).get("members")
    if table:
        pairs += list(_inside(prop, table))
    return pairs


def _inside(prop, table):
    """One member after the other of a map, or of the item of a list."""
    def wrap(item):
        return [item] if prop["type"] == "list" else item

    base = {name: value(member, 0) for name, member in table.items() if member.get("required")}
    for name, member in table.items():
        if value(member, 0) != value(member, 1):
            yield f"{name} changed", wrap({**base, name: value(member, 0)}), wrap({**base, name: value(member, 1)})
        if not member.get("required"):
            yield f"{name} given", wrap(base), wrap({**base, name: value(member, 1)})
            yield f"{name} null", wrap(base), wrap({**base, name: None})
        if "default" in member:
            yield f"{name} default", wrap(base), wrap({**base, name: member["default"]})


def resource(kind, facts, name, given):
    """A resource of a type with one property as it is to be."""
    properties = required(facts, (name,))
    if given is not ...:
        properties[name] = given
    return {"type": kind, "properties": properties} if properties else {"type": kind}


PARTS = [
    ("nothing", {}, {}),
    ("metadata given", {}, {"metadata": {"a": 1}}),
    ("metadata empty", {}, {"metadata": {}}),
    ("metadata changed", {"metadata": {"a": 1}}, {"metadata": {"a": 2}}),
    ("metadata in another order", {"metadata": {"a": 1, "b": 2}}, {"metadata": {"b": 2, "a": 1}}),
    ("deletion policy by default", {}, {"deletion_policy": "delete"}),
    ("deletion policy changed", {"deletion_policy": "delete"}, {"deletion_policy": "retain"}),
    ("deletion policy spelled otherwise", {"deletion_policy": "Retain"}, {"deletion_policy": "retain"}),
    ("deletion policy snapshot", {}, {"deletion_policy": "snapshot"}),
    ("update policy empty", {}, {"update_policy": {}}),
    ("update policy given", {}, {"update_policy": {"batch_create": {"max_batch_size": 2}}}),
    ("update policy by default", {}, {"update_policy": {"batch_create": {"max_batch_size": 1}}}),
    ("update policy as text", {"update_policy": {"rolling_update": {"max_batch_size": 3}}}, {"update_policy": {"rolling_update": {"max_batch_size": "3"}}}),
    ("depends_on empty", {}, {"depends_on": []}),
    ("depends_on given", {}, {"depends_on": ["other"]}),
    ("depends_on as text", {"depends_on": ["other"]}, {"depends_on": "other"}),
    ("depends_on in another order", {"depends_on": ["other", "third"]}, {"depends_on": ["third", "other"]}),
    ("depends_on twice", {"depends_on": ["other"]}, {"depends_on": ["other", "other"]}),
    ("depends_on changed", {"depends_on": ["other"]}, {"depends_on": ["third"]}),
    ("condition given", {}, {"condition": "holds"}),
    ("condition true", {}, {"condition": True}),
    ("condition by another name", {"condition": "holds"}, {"condition": "holds_too"}),
    ("condition negated twice", {"condition": "holds"}, {"condition": {"not": {"not": "holds"}}}),
    ("condition fails", {"condition": "holds"}, {"condition": "fails"}),
    ("condition holds again", {"condition": "fails"}, {"condition": "holds"}),
    ("condition fails, retained", {"condition": "holds", "deletion_policy": "retain"}, {"condition": "fails"}),
    ("condition fails, snapshot", {"condition": "holds", "deletion_policy": "snapshot"}, {"condition": "fails"}),
    ("condition fails, adopted", {"condition": "holds", "external_id": "x"}, {"condition": "fails"}),
    ("adopted when it holds", {"condition": "fails"}, {"condition": "holds", "external_id": "x"}),
    ("description given", {}, {"description": "new"}),
    ("description changed", {"description": "old"}, {"description": "new"}),
    ("external_id given", {}, {"external_id": "x"}),
    ("external_id taken", {"external_id": "x"}, {}),
    ("external_id changed", {"external_id": "x"}, {"external_id": "y"}),
    ("external_id kept, metadata changed", {"external_id": "x"}, {"external_id": "x", "metadata": {"a": 1}}),
    ("deletion policy and condition", {"deletion_policy": "retain", "condition": "holds"}, {"deletion_policy": "retain", "condition": "holds"}),
]


def of_parts(kind, facts):
    """What can be changed beside the properties: (what, old resource, new resource)."""
    base = {"type": kind, "properties": required(facts)} if required(facts) else {"type": kind}
    for what, old, new in PARTS:
        yield what, {**base, **old}, {**base, **new}


def every_pair():
    """(type, what, old resource, new resource) of the whole schema."""
    for kind, facts in types().items():
        for name in facts.get("properties", {}):
            for what, old, new in of_property(facts, name):
                yield kind, f"{name} {what}", resource(kind, facts, name, old), resource(kind, facts, name, new)
        for what, old, new in of_parts(kind, facts):
            yield kind, what, old, new


def template(resources):
    """A template with these resources."""
    others = {name: {"type": "OS::Heat::Value", "properties": {"value": 1}} for name in ("other", "third")}
    conditions = {"holds": {"equals": [1, 1]}, "holds_too": {"equals": [2, 2]}, "fails": {"equals": [1, 2]}}
    return {"heat_template_version": "2018-08-31", "conditions": conditions, "resources": {**resources, **others}}
