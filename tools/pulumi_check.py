#!/usr/bin/env python3
"""Checks a Pulumi YAML program against the schema of the OpenStack provider, without Pulumi.

    pulumi_check.py FILE

Resource types; unknown and missing inputs, in nested objects too; types of literals; names of functions; that
`${a.b}` names a resource, a variable or a configuration value, and an output of its type. Prints what is wrong, and
ends with 1 if anything is.
"""

import json
import pathlib
import re
import sys

import yaml

FACTS = pathlib.Path(__file__).resolve().parent / "facts" / "pulumi_openstack_schema.json"
FUNCTIONS = {
    "fn::assetArchive", "fn::fileArchive", "fn::fileAsset", "fn::fromBase64", "fn::getResource", "fn::invoke", "fn::join", "fn::method",
    "fn::readFile", "fn::remoteArchive", "fn::remoteAsset", "fn::secret", "fn::select", "fn::singleOrNone", "fn::split",
    "fn::stackReference", "fn::stringAsset", "fn::toBase64", "fn::toJSON",
}
SECTIONS = {
    "author", "backend", "config", "configuration", "description", "license", "main", "name", "options", "outputs", "packages", "plugins",
    "resources", "runtime", "stackConfigDir", "template", "variables", "website",
}
RESOURCE_KEYS = {"defaultProvider", "get", "name", "options", "properties", "type"}
# What every resource has.
OUTPUTS = ("id", "urn")
# A function of a provider is called by its token, in place of `fn::invoke`.
_TOKEN_PARTS = 5
_INTERPOLATION = re.compile(r"(?<!\$)\$\{([^}]*)\}")
_PATH = re.compile(r"([\w-]+)(?:\.(\w+))?")


def token(name):
    """The full name of a type: `openstack:networking:Port` is `openstack:networking/port:Port`."""
    parts = name.split(":")
    if len(parts) == 2:
        parts.insert(1, "index")
    if len(parts) != 3 or "/" in parts[1]:
        return name
    package, module, kind = parts
    return f"{package}:{module}/{kind[:1].lower()}{kind[1:]}:{kind}"


def _is_call(value):
    return isinstance(value, dict) and any(str(key).lower().startswith("fn::") for key in value)


class Checker:
    """The schema."""

    def __init__(self, facts=None):
        self._facts = facts or json.loads(FACTS.read_text(encoding="utf-8"))

    def check(self, program):
        """What is wrong in a program."""
        resources = program.get("resources") or {}
        for name, resource in resources.items():
            yield from self._resource(name, resource)
        names = set().union(*(program.get(section) or () for section in ("variables", "config", "configuration")))
        for section in ("resources", "variables", "outputs"):
            yield from self._expressions(program.get(section) or {}, section, resources, names)
        yield from (f"unknown top-level key {key}" for key in program if key not in SECTIONS)

    def _resource(self, name, resource):
        yield from (f"{name}: unknown key {key}" for key in resource if key not in RESOURCE_KEYS)
        kind = token(resource.get("type", ""))
        if kind.startswith("pulumi:providers:"):
            return
        if kind not in self._facts["resources"]:
            if kind.startswith("openstack:"):
                yield f"{name}: unknown resource type {resource.get('type')}"
        elif "get" not in resource:
            yield from self._object(name, resource.get("properties") or {}, self._facts["resources"][kind]["inputs"])

    def _object(self, where, value, properties):
        if not isinstance(value, dict):
            yield f"{where}: want an object"
            return
        for name, item in value.items():
            if name in properties:
                yield from self._value(f"{where}.{name}", item, properties[name]["type"])
            else:
                yield f"{where}: unknown property {name}"
        yield from (f"{where}: missing {name}" for name, facts in properties.items() if facts.get("required") and name not in value)

    def _value(self, where, value, kind):
        if _is_call(value) or (isinstance(value, str) and "${" in value):
            return
        if isinstance(kind, dict):
            yield from self._collection(where, value, kind)
        elif kind == "boolean" and not isinstance(value, bool):
            yield f"{where}: want a boolean"
        elif kind in ("integer", "number") and (isinstance(value, bool) or not isinstance(value, (int, float))):
            yield f"{where}: want a number"
        elif kind == "string" and isinstance(value, (dict, list)):
            yield f"{where}: want a string"

    def _collection(self, where, value, kind):
        if "array" in kind:
            if not isinstance(value, list):
                yield f"{where}: want a list"
                return
            for number, item in enumerate(value):
                yield from self._value(f"{where}[{number}]", item, kind["array"])
        elif "map" in kind:
            if not isinstance(value, dict):
                yield f"{where}: want a map"
                return
            for name, item in value.items():
                yield from self._value(f"{where}.{name}", item, kind["map"])
        elif kind.get("ref") in self._facts["types"]:
            yield from self._object(where, value, self._facts["types"][kind["ref"]])

    def _expressions(self, tree, where, resources, names):
        if isinstance(tree, dict):
            for key, value in tree.items():
                if str(key).lower().startswith("fn::") and key not in FUNCTIONS and len(key.split(":")) < _TOKEN_PARTS:
                    yield f"{where}: unknown function {key}"
                yield from self._expressions(value, f"{where}.{key}", resources, names)
        elif isinstance(tree, list):
            for item in tree:
                yield from self._expressions(item, where, resources, names)
        elif isinstance(tree, str):
            for text in _INTERPOLATION.findall(tree):
                yield from self._interpolation(text, where, resources, names)

    def _interpolation(self, text, where, resources, names):
        path = _PATH.match(text)
        if not path:
            yield f"{where}: bad interpolation ${{{text}}}"
            return
        name, output = path.groups()
        if name not in resources:
            if name not in names and name != "pulumi":
                yield f"{where}: undeclared {name}"
            return
        kind = token(resources[name].get("type", ""))
        facts = self._facts["resources"].get(kind)
        if output and facts and output not in facts["outputs"] and output not in OUTPUTS:
            yield f"{where}: {kind} has no output {output}"


def read(path):
    """The program in a file."""
    with open(path, encoding="utf-8") as file:
        return yaml.load(file, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def main(arguments):
    """Checks one file."""
    if len(arguments) != 1:
        raise SystemExit(__doc__)
    program = read(arguments[0])
    found = list(Checker().check(program))
    print("\n".join(found) or f"ok: {len(program.get('resources') or ())} resources")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
