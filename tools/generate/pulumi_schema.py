#!/usr/bin/env python3
"""Writes facts/pulumi_openstack_schema.json: the types, inputs and outputs of Pulumi's OpenStack provider.

    pulumi_schema.py [--check]

Names, types and what is required are asked of the classes of the installed package `pulumi-openstack` (`tools/setup FOLDER pulumi`;
run this with FOLDER/pulumi/bin/python). The package does not say everything: which inputs replace a resource, are secret or deprecated, which
type of Terraform's provider stands behind a resource and what functions give are kept from the file, for what is still there.
What is new comes without these, and is listed. `--check` writes nothing, tells what differs, and ends with 1 if anything does.
"""

import importlib
import inspect
import json
import pkgutil
import sys
import typing

import facts

NAME = "pulumi_openstack_schema.json"
PACKAGE = "pulumi_openstack"
# What is kept of an input.
KEPT = ("replaces", "secret", "deprecated")
PRIMITIVES = {str: "string", bool: "boolean", int: "integer", float: "number", typing.Any: "any"}


def modules():
    """The modules of the package that declare something."""
    package = importlib.import_module(PACKAGE)
    for found in pkgutil.walk_packages(package.__path__, PACKAGE + "."):
        yield importlib.import_module(found.name)


def kind_of(hint):
    """A type in the notation of the facts."""
    from pulumi import _types
    hint = _types.unwrap_type(hint)
    if hint in PRIMITIVES:
        return PRIMITIVES[hint]
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is not None and len(arguments) == 1:
        return {"array": kind_of(arguments[0])}
    if origin is not None and len(arguments) == 2:
        return {"map": kind_of(arguments[1])}
    if inspect.isclass(hint):
        return {"ref": token_of(hint)}
    raise SystemExit(f"unknown type {hint}")


def token_of(cls):
    """The token of a class for objects: `openstack:networking/PortFixedIp:PortFixedIp`."""
    module = cls.__module__.removeprefix(PACKAGE).removeprefix(".").rpartition(".")[0] or "index"
    name = cls.__name__.removesuffix("Args")
    return f"openstack:{module}/{name}:{name}"


def members(cls):
    """The properties of a class as (name, hint), whose Python names are not the provider's."""
    for _, it in inspect.getmembers(cls, lambda it: isinstance(it, property)):
        name = getattr(it.fget, "_pulumi_name", None)
        if name is not None:
            scope = {**vars(importlib.import_module("pulumi")), **vars(typing), **vars(importlib.import_module(cls.__module__))}
            # Two maps, since typing would otherwise remember what a name was in another module.
            yield name, typing.get_type_hints(it.fget, scope, {})["return"]


def is_optional(hint):
    """Whether a value may be missing: `Optional[T]` in an input, `Output[Optional[T]]` in an output."""
    import pulumi
    if typing.get_origin(hint) is pulumi.Output:
        hint = typing.get_args(hint)[0]
    return type(None) in typing.get_args(hint)


def object_facts(cls, known):
    """The inputs of a class, with what is known beside them."""
    rows = {}
    for name, hint in members(cls):
        row = {"type": kind_of(hint)}
        if not is_optional(hint):
            row["required"] = True
        row.update({key: True for key in KEPT if known.get(name, {}).get(key)})
        rows[name] = row
    return dict(sorted(rows.items()))


def collect(known):
    """The facts."""
    import pulumi
    resources, types = {}, {}
    for module in modules():
        for name, cls in inspect.getmembers(module, inspect.isclass):
            if cls.__module__ != module.__name__:
                continue
            if issubclass(cls, pulumi.CustomResource) and not issubclass(cls, pulumi.ProviderResource):
                token = cls.pulumi_type
                before = known["resources"].get(token, {})
                outputs = {key: {"type": kind_of(hint), **({} if is_optional(hint) else {"always": True})} for key, hint in members(cls)}
                inputs = object_facts(getattr(module, name + "Args"), before.get("inputs", {}))
                resources[token] = {"inputs": inputs, "outputs": dict(sorted(outputs.items()))}
                resources[token].update({key: before[key] for key in ("deprecated", "terraform") if key in before})
            elif module.__name__.endswith("._inputs") and name.endswith("Args"):
                types[token_of(cls)] = object_facts(cls, known["types"].get(token_of(cls), {}))
    # Types that only outputs have are not written by anyone and stay as they are; those that only functions take are left out.
    used = "".join(map(json.dumps, [*resources.values(), *types.values()]))
    types = {token: row for token, row in {**known["types"], **types}.items() if f'"{token}"' in used or token in known["types"]}
    return {**known, "resources": resources, "types": types}


def main(arguments):
    """Writes or checks the file."""
    known = json.loads((facts.FOLDER / NAME).read_text(encoding="utf-8"))
    return facts.finish(NAME, collect(known), arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
