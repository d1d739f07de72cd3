#!/usr/bin/env python3
"""Writes facts/terraform_openstack_schema.json from what the provider tells its client.

    tofu providers schema -json > SCHEMA      in a folder that requires the provider, after `tofu init`
    terraform_schema.py SCHEMA [--check]

The client knows types, blocks and which arguments are required, optional, computed, sensitive or deprecated. It does not know
what the provider checks by itself: defaults, choices, ranges, conflicts, what replaces a resource, what can be imported, whether a number is
whole. These are kept from the file, for what is still there; a new argument comes without them, and is listed, to be completed by
reading the provider's documentation. `--check` writes nothing, tells what differs, and ends with 1 if anything does.

A SCHEMA that the stand-in provider served says nothing new: it serves the file.
"""

import json
import pathlib
import sys

import facts

NAME = "terraform_openstack_schema.json"
FLAGS = ("required", "optional", "computed", "sensitive", "deprecated")
# What only the provider knows.
KEPT = ("default", "choices", "range", "force_new", "conflicts_with", "exactly_one_of", "at_least_one_of", "required_with", "min_items", "max_items", "elem")


def argument(schema, known):
    """An argument that is no block."""
    row = _typed(schema["type"], known)
    row.update({flag: True for flag in FLAGS if schema.get(flag)})
    row.update({key: known[key] for key in KEPT if key in known and key not in row})
    return row


def _typed(kind, known):
    if kind == "number":
        return {"type": known.get("type") if known.get("type") in ("int", "float") else "float"}
    if isinstance(kind, str):
        return {"type": kind}
    collection, element = kind
    if collection == "map":
        return {"type": "map"}
    if element == "number":
        element = known.get("elem") if known.get("elem") in ("int", "float") else "float"
    if isinstance(element, str):
        return {"type": collection, "elem": element}
    if element[0] == "map":
        return {"type": collection, "elem": "map"}
    before = known.get("attributes", {})
    # Of the members of an object the client knows the types alone.
    inner = {name: {**_typed(member, before.get(name, {})), **{key: value for key, value in before.get(name, {}).items() if key in (*FLAGS, *KEPT)}}
             for name, member in element[1].items()}
    return {"type": collection, "attributes": inner}


def block(schema, known):
    """The arguments and blocks of a block."""
    rows = {name: argument(row, known.get(name, {})) for name, row in schema.get("attributes", {}).items()}
    for name, nested in schema.get("block_types", {}).items():
        if name == "timeouts":
            continue
        before = known.get(name, {})
        row = {"type": nested["nesting_mode"], "kind": "block", "attributes": block(nested["block"], before.get("attributes", {}))}
        row["required" if nested.get("min_items") else "optional"] = True
        # A block that the cloud may fill in, and the least number of an optional one, are the provider's secrets.
        row.update({key: before[key] for key in ("computed", "deprecated", *KEPT) if key in before})
        if nested.get("max_items"):
            row["max_items"] = nested["max_items"]
        else:
            row.pop("max_items", None)
        if "optional" in row and before.get("computed") and not before.get("optional"):
            del row["optional"]
        rows[name] = row
    return rows


def collect(schema, known):
    """The facts."""
    (provider, said), = schema["provider_schemas"].items()
    # The two clients name the same provider by registries of their own.
    if provider.split("/")[1:] == known["provider"].split("/")[1:]:
        provider = known["provider"]
    made = {**known, "provider": provider, "provider_config": block(said["provider"]["block"], known["provider_config"])}
    for key, tables in (("resources", "resource_schemas"), ("data_sources", "data_source_schemas")):
        made[key] = {}
        for name, row in said[tables].items():
            # The stand-in is the provider of random strings, too.
            if not name.startswith("openstack_"):
                continue
            before = known[key].get(name, {})
            after = {"attributes": block(row["block"], before.get("attributes", {}))}
            timeouts = row["block"].get("block_types", {}).get("timeouts")
            if timeouts:
                after["timeouts"] = sorted(timeouts["block"]["attributes"])
            made[key][name] = {**{name: value for name, value in before.items() if name not in ("attributes", "timeouts")}, **after}
    return json.loads(json.dumps(made, sort_keys=True))


def main(arguments):
    """Writes or checks the file."""
    if not arguments or arguments[0].startswith("-"):
        raise SystemExit(__doc__)
    known = json.loads((facts.FOLDER / NAME).read_text(encoding="utf-8"))
    made = collect(json.loads(pathlib.Path(arguments[0]).read_text(encoding="utf-8")), known)
    return facts.finish(NAME, made, arguments[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
