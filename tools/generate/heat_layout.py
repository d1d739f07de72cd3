#!/usr/bin/env python3
"""Writes the facts about Heat's resource types in the layout of crates/heat-facts/src/types.rs.

    tools/generate/heat_layout.py FACTS > crates/heat-facts/data/heat-27.json

FACTS is a JSON file with the facts extracted from Heat's resource plugins: `heat_version`, `types`
and `template_types` (name -> properties, attributes, class, ...), `aliases`, `custom_constraints`, `functions`.
`tools/generate/heat_types.py` makes it from the installed engine, and runs this script.

The output omits default values (false, absent, "supported since always") and keeps everything
else. A key or a value that this script does not know is an error, and types.rs denies
unknown fields, so that no fact is lost. Each type is one line, so that the diff for a new release of
Heat is readable.
"""

import json
import re
import sys

from successors import Siblings, successor

CLASS_PREFIX = "heat.engine.resources."
TEMPLATE_PREFIX = "template:"
VALUE_TYPES = {"String", "Integer", "Number", "Boolean", "List", "Map", "Any"}
STATUSES = {"SUPPORTED", "DEPRECATED", "HIDDEN", "UNSUPPORTED"}
PHYSICAL_IDS = {
    "service_id",
    "service_uuid",
    "service_name",
    "physical_resource_name",
    "nested_stack_id",
    "other",
    "none",
}
REFERENCES = {
    "physical_resource_name",
    "ec2_signed_url",
    "stack_arn",
    "ip_address",
    "logical_name",
    "generated_value",
    "signal_url",
    "workflow_name",
}
BEFORE_CREATION = {
    "logical_name": "logical_name",
    "null": "null",
    'string "None"': "text_none",
    "workflow_name": "workflow_name",
}
REPLACE_RULES = {
    "needs_replace": "always_asked",
    "needs_replace_failed": "after_failure",
    "needs_replace_with_prop_diff": "by_property_change",
    "needs_replace_with_tmpl_diff": "by_definition_change",
}


class Facts:
    """A map of the input that must be consumed completely: a key left at the end is an error."""

    def __init__(self, where, facts):
        if not isinstance(facts, dict):
            raise SystemExit(f"{where}: a map is expected")
        self.where, self.facts = where, dict(facts)

    def take(self, key, *default):
        if key not in self.facts and not default:
            raise SystemExit(f"{self.where}: `{key}` is missing")
        return self.facts.pop(key, *default)

    def one_of(self, key, known, *default):
        value = self.take(key, *default)
        if default and value == default[0]:
            return value
        if value not in known:
            raise SystemExit(f"{self.where}: `{key}` has the unknown value {value!r}")
        return value

    def flag(self, key, default=False):
        value = self.take(key, default)
        if not isinstance(value, bool):
            raise SystemExit(f"{self.where}: `{key}` is no boolean: {value!r}")
        return value

    def end(self):
        if self.facts:
            raise SystemExit(f"{self.where}: unknown keys {sorted(self.facts)}")


class Types:
    """The facts about every type, by the name of the type and of its class."""

    def __init__(self, types):
        self.by_name = types
        self.by_class = {body["class"].rpartition(".")[2]: name for name, body in types.items()}


def compact(row):
    """Drops absent, false and empty values; rows passed here never contain the number 0."""
    return {key: value for key, value in row.items() if value}


def plain(name):
    """A name without escapes, so that Rust can borrow it from the JSON text."""
    if not re.fullmatch(r"[ !#-\[\]-~]+", name):
        raise SystemExit(f"{name!r} would need escapes")
    return name


def whole(where, limits):
    """A map of `min` and `max`, both integers."""
    limits = Facts(where, limits)
    row = {key: limits.take(key, None) for key in ("min", "max")}
    limits.end()
    if any(not isinstance(n, (int, type(None))) or isinstance(n, bool) for n in row.values()):
        raise SystemExit(f"{where}: limits are whole numbers, not {row}")
    return {key: n for key, n in row.items() if n is not None}


def stage(where, facts, siblings, types):
    """One stage of a support history, without those before it."""
    facts = Facts(where, facts)
    row = {
        "status": facts.one_of("status", STATUSES).lower(),
        # One of Heat's versions ends with a blank.
        "since": facts.take("version", "").strip(),
        "message": facts.take("message", None),
    }
    if row["status"] != "supported":
        row["successor"] = successor(where, row["message"], siblings, types.by_name)
    substitute = facts.take("substitute_class", None)
    if substitute is not None:
        row["substitute"] = types.by_class[substitute]
    facts.end()
    return compact(row)


def current_support(where, facts, siblings, types):
    """The support history; `None` for the default: always supported."""
    facts = dict(facts or {"status": "SUPPORTED"})
    stages = [facts, *facts.pop("previous", [])]
    stages = [stage(where, one, siblings, types) for one in stages]
    # A stage without a message of its own has the successor of the nearest stage with one; of two, that of the one before.
    old = [one for one in stages if one["status"] != "supported"]
    for at, one in enumerate(old):
        nearest = sorted(range(len(old)), key=lambda other: (abs(other - at), -other))
        named = next((old[other]["successor"] for other in nearest if "successor" in old[other]), None)
        if named and "successor" not in one:
            one["inherited"] = named
    for one in old:
        if "inherited" in one:
            one["successor"] = one.pop("inherited")
    current, *previous = stages
    row = compact({**current, "previous": previous})
    return None if row == {"status": "supported"} else row


def constraint(where, facts):
    (kind, value), *others = facts.items()
    if others:
        raise SystemExit(f"{where}: more than one constraint in {facts}")
    if kind in ("range", "length"):
        return {kind: whole(where, value)}
    if kind == "allowed_values" and isinstance(value, list):
        return {kind: value}
    if kind == "allowed_pattern":
        return {kind: value}
    if kind == "custom_constraint":
        return {"custom": plain(value)}
    raise SystemExit(f"{where}: unknown constraint {facts}")


def properties(where, facts, types):
    siblings = Siblings("property", facts)
    return {
        plain(name): prop(f"{where}.{name}", body, siblings, types) for name, body in facts.items()
    }


def prop(where, facts, siblings, types):
    facts = Facts(where, facts)
    row = {
        "type": facts.one_of("type", VALUE_TYPES).lower(),
        "required": facts.flag("required"),
        "update_allowed": facts.flag("update_allowed"),
        "immutable": facts.flag("immutable"),
        "unimplemented": not facts.flag("implemented", True),
        "allow_conversion": facts.flag("allow_conversion"),
        "constraints": [constraint(where, each) for each in facts.take("constraints", [])],
        "support": current_support(where, facts.take("support_status", None), siblings, types),
    }
    row = compact(row)
    default = facts.take("default", None)
    if default is not None:
        row["default"] = default
    items = facts.take("items", None)
    if items is not None:
        row["items"] = prop(f"{where}[]", items, siblings, types)
    members = facts.take("schema", None)
    if members is not None:
        if not members:
            raise SystemExit(f"{where}: a map without members")
        row["members"] = properties(where, members, types)
    facts.end()
    return row


def attribute(where, facts, siblings, types):
    facts = Facts(where, facts)
    row = {
        "type": (facts.one_of("type", VALUE_TYPES, None) or "").lower(),
        "uncached": facts.one_of("cache_mode", {"cache_none"}, None) is not None,
        "support": current_support(where, facts.take("support_status", None), siblings, types),
    }
    facts.end()
    return compact(row)


def reference(where, facts):
    facts = Facts(where, facts)
    before = BEFORE_CREATION[facts.one_of("before_creation", BEFORE_CREATION)]
    kind = facts.take("kind")
    if kind == "physical_id":
        what = {kind: facts.one_of("physical_id", PHYSICAL_IDS)}
    elif kind.startswith("output OS::stack_id"):
        what = "nested_stack_output"
    elif kind in REFERENCES:
        what = kind
    else:
        raise SystemExit(f"{where}: unknown kind of reference {kind!r}")
    facts.end()
    return {"what": what, "before_creation": before}


def translation(where, facts):
    facts = Facts(where, facts)
    rule = facts.one_of("rule", {"Resolve", "Replace", "Delete"}).lower()
    row = {"path": [plain(name) for name in facts.take("path")]}
    if rule == "resolve":
        row["finder"] = plain(facts.take("finder"))
        entity = facts.take("entity", None)
        if entity is not None:
            row["entity"] = plain(entity)
    elif rule == "replace":
        name = facts.take("value_name", None)
        row["with"] = {"sibling": name} if name else {"property": facts.take("value_path")}
    facts.end()
    return {rule: row}


def translations(where, facts):
    """The translation rules; `None` if they depend on the values of the properties."""
    if any("unavailable" in rule for rule in facts):
        if len(facts) != 1:
            raise SystemExit(f"{where}: some rules are known, others are not")
        return None
    return [translation(where, rule) for rule in facts]


def plugin(where, name):
    if name.startswith(TEMPLATE_PREFIX):
        return {"template": plain(name.removeprefix(TEMPLATE_PREFIX))}
    if name.startswith(CLASS_PREFIX):
        return {"class": plain(name.removeprefix(CLASS_PREFIX))}
    raise SystemExit(f"{where}: class {name!r} is outside {CLASS_PREFIX}")


def resource_type(name, facts, types):
    facts = Facts(name, facts)
    row = compact(
        {
            "plugin": plugin(name, facts.take("class")),
            "support": current_support(name, facts.take("support_status"), Siblings("type", ()), types),
            "reference": reference(name, facts.take("ref_id")),
            "nested": facts.flag("stack_resource"),
            "signal": facts.flag("signal"),
            "snapshot": facts.flag("snapshot_deletion_policy"),
            "handles_update": facts.flag("handle_update"),
            "dynamic_attributes": facts.flag("dynamic_attributes"),
            "implicit_dependencies": facts.flag("implicit_dependencies"),
            "replace_rules": [REPLACE_RULES[rule] for rule in facts.take("custom_replace_logic", [])],
            "client": facts.take("client", None),
            "entity": facts.take("entity", None),
            "required_extension": facts.take("required_service_extension", None),
            "name_limit": facts.take("physical_resource_name_limit", None),
            "placeholder_since": facts.take("placeholder_since", None),
        }
    )
    # True for every type but one: only the exception is written.
    if not facts.flag("always_replace_on_check_failed", True):
        row["survives_failed_check"] = True
    rules = translations(name, facts.take("translation_rules", []))
    if rules is None:
        row["translations"] = None
    elif rules:
        row["translations"] = rules
    for key in ("properties", "update_policy"):
        row[key] = properties(name, facts.take(key, {}), types)
    attributes = facts.take("attributes")
    siblings = Siblings("attribute", attributes)
    row["attributes"] = {
        plain(attr): attribute(f"{name}.{attr}", body, siblings, types)
        for attr, body in attributes.items()
    }
    facts.end()
    return {key: value for key, value in row.items() if value != {}}


def alias(name, facts):
    facts = Facts(name, facts)
    target, wildcard = facts.take("to"), facts.flag("wildcard")
    facts.end()
    if wildcard != name.endswith("*") or wildcard != target.endswith("*"):
        raise SystemExit(f"{name}: a wildcard ends with `*` on both sides")
    return plain(target)


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        facts = Facts("the facts", json.load(file))
    facts.take("counts"), facts.take("notes")  # about the facts, not of them
    types = Types({**facts.take("types"), **facts.take("template_types")})
    head = {
        "heat": facts.take("heat_version"),
        "aliases": {plain(name): alias(name, body) for name, body in facts.take("aliases").items()},
        "custom_constraints": [plain(name) for name in facts.take("custom_constraints")],
        "functions": {
            plain(version): {place: [plain(name) for name in names] for place, names in places.items()}
            for version, places in facts.take("functions").items()
        },
    }
    facts.end()

    def line(value):
        return json.dumps(value, separators=(",", ":"), ensure_ascii=True)

    lines = [f"{line(key)}:{line(value)}" for key, value in head.items()]
    rows = [
        f"{line(plain(name))}:{line(resource_type(name, body, types))}"
        for name, body in sorted(types.by_name.items())
    ]
    print("{\n" + ",\n".join(lines) + ',\n"types":{\n' + ",\n".join(rows) + "\n}}")


if __name__ == "__main__":
    main()
