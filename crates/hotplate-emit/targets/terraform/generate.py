#!/usr/bin/env python3
"""Writes schema.json: what is known of the OpenStack provider's resources and data sources, in the
layout of crates/hotplate-emit/src/openstack_provider/schema.rs.

    crates/hotplate-emit/targets/terraform/generate.py tools/facts/terraform_openstack_schema.json tools/facts/terraform_random_schema.json \
        > crates/hotplate-emit/targets/terraform/schema.json

The facts are what the provider says of itself: `provider_version`, `resources` and `data_sources`
(type -> attributes: type, kind, required, optional, computed, …). `tools/generate/terraform_schema.py` makes them. Further
facts are those of other providers, whose resources are added.

Only what a writer of configurations needs is kept, and nothing that is the default. A key that this
script does not know ends it with an error. One type is one line: a new release reads well as a diff.
"""

import json
import pathlib
import sys

KEPT = ("required", "computed", "optional", "sensitive", "force_new")
# What a given value must satisfy, and what may stand beside it.
RULES = ("default", "choices", "range", "max_items", "exactly_one_of", "at_least_one_of", "conflicts_with", "required_with")
# Checked by the provider itself while it plans.
LEFT_OUT = {"deprecated", "min_items"}
TYPES = {"string", "int", "float", "bool", "list", "set", "map"}


def argument(where, facts):
    facts = dict(facts)
    out = {"type": facts.pop("type")}
    if out["type"] not in TYPES:
        raise SystemExit(f"{where}: unknown type {out['type']!r}")
    for key in KEPT:
        if facts.pop(key, False):
            out[key] = True
    for key in RULES:
        if key in facts:
            out[key] = facts.pop(key)
    element = facts.pop("elem", None)
    if element not in (None, "string"):
        out["items"] = element
    kind = facts.pop("kind", None)
    inner = facts.pop("attributes", None)
    if inner is not None:
        out["block" if kind == "block" else "object"] = arguments(where, inner)
    elif kind is not None:
        raise SystemExit(f"{where}: a block without arguments")
    unknown = set(facts) - LEFT_OUT
    if unknown:
        raise SystemExit(f"{where}: unknown keys {sorted(unknown)}")
    return out


def arguments(where, facts):
    return {name: argument(f"{where}.{name}", facts[name]) for name in sorted(facts)}


def table(kinds):
    lines = []
    for name in sorted(kinds):
        entry = {"arguments": arguments(name, kinds[name]["attributes"])}
        if kinds[name].get("importable"):
            entry["importable"] = True
        lines.append(f"{json.dumps(name)}:{json.dumps(entry, separators=(',', ':'))}")
    return "{\n" + ",\n".join(lines) + "\n}"


def main():
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    schema, *others = [json.loads(pathlib.Path(path).read_text(encoding="utf-8")) for path in sys.argv[1:]]
    for other in others:
        schema["resources"] |= other["resources"]
    version = json.dumps(schema["provider_version"])
    print(f'{{"provider":"terraform-provider-openstack/openstack","version":{version},')
    print(f'"resources":{table(schema["resources"])},')
    print(f'"data_sources":{table(schema["data_sources"])}}}')


if __name__ == "__main__":
    main()
