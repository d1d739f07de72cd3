#!/usr/bin/env python3
"""Checks Terraform configurations against the schema of the OpenStack provider, without Terraform or OpenTofu.

    terraform_check.py FILE...      .tf.json, or .tf (which needs the package python-hcl2)

Weaker than `tofu_check`, and a hundred times as fast: resource types; required, unknown and read-only arguments;
arguments in the place of blocks; numbers of blocks; choices; types of literals; that `${openstack_x.y.attr}` names a
declared resource and an attribute of its type. Prints what is wrong, and ends with 1 if anything is.
"""

import json
import pathlib
import re
import sys

FACTS = pathlib.Path(__file__).resolve().parent / "facts" / "terraform_openstack_schema.json"
META = {"count", "for_each", "depends_on", "lifecycle", "provider", "provisioner", "connection", "dynamic", "//", "timeouts"}
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_REFERENCE = re.compile(r"(?<![\w.])(data\.)?(openstack_\w+)\.(\w+)((?:\[[^\]]*\])?(?:\.\w+)?)")


def read(path):
    """A configuration in the form of .tf.json."""
    path = pathlib.Path(path)
    if path.suffix == ".json":
        return json.loads(path.read_text(encoding="utf-8"))
    import hcl2

    with open(path, encoding="utf-8") as file:
        return _plain(hcl2.load(file))


def _plain(tree):
    """Without the quotes and the marks of blocks that python-hcl2 leaves in place."""
    if isinstance(tree, dict):
        return {_unquoted(key): _plain(value) for key, value in tree.items() if key not in ("__is_block__", "__comments__")}
    if isinstance(tree, list):
        return [_plain(item) for item in tree]
    return _unquoted(tree)


def _unquoted(text):
    is_quoted = isinstance(text, str) and len(text) > 1 and text[0] == text[-1] == '"'
    return text[1:-1] if is_quoted else text


def _several(value):
    """JSON allows one object in the place of a list of them."""
    return value if isinstance(value, list) else [value]


class Checker:
    """The schema, and what is found to be wrong."""

    def __init__(self, facts=None):
        self._facts = facts or json.loads(FACTS.read_text(encoding="utf-8"))

    def check(self, documents):
        """What is wrong in the documents of one module, sorted, and how many resources and data sources it has."""
        found, declared, bodies = set(), set(), []
        for document in documents:
            for section, kind in (("resource", "resources"), ("data", "data_sources")):
                for types in _several(document.get(section, {})):
                    for resource_type, resources in types.items():
                        for named in _several(resources):
                            for name, body in named.items():
                                declared.add((kind, resource_type, name))
                                bodies.append((kind, resource_type, name, body))
        for kind, resource_type, name, body in bodies:
            if not resource_type.startswith("openstack_"):
                continue
            if resource_type not in self._facts[kind]:
                found.add(f"{resource_type}.{name}: unknown type")
                continue
            for each in _several(body):
                found.update(_block(f"{resource_type}.{name}", self._facts[kind][resource_type]["attributes"], each))
        for document in documents:
            found.update(self._references(document, declared))
        return sorted(found), len(bodies)

    def _references(self, tree, declared):
        if isinstance(tree, (dict, list)):
            for item in tree.values() if isinstance(tree, dict) else tree:
                yield from self._references(item, declared)
        elif isinstance(tree, str) and "${" in tree:
            for data, resource_type, name, rest in _REFERENCE.findall(tree):
                kind = "data_sources" if data else "resources"
                if (kind, resource_type, name) not in declared:
                    yield f"expression: undeclared {data}{resource_type}.{name}"
                    continue
                attribute = re.search(r"\.(\w+)$", rest)
                facts = self._facts[kind].get(resource_type)
                if attribute and facts and attribute[1] not in facts["attributes"]:
                    yield f'expression: {resource_type} has no attribute "{attribute[1]}"'


def _block(where, attributes, body):
    """What is wrong in the body of a resource or of a block."""
    dynamic = {name for blocks in _several(body.get("dynamic", {})) for name in blocks}
    for name, facts in attributes.items():
        if facts.get("required") and name not in body and name not in dynamic:
            yield f'{where}: missing required "{name}"'
        group = facts.get("exactly_one_of")
        if group and group[0] == name and sum(member in body for member in group) != 1:
            yield f"{where}: exactly one of {group}"
        conflicts = [other for other in facts.get("conflicts_with", ()) if other in body]
        if name in body and conflicts:
            yield f'{where}: "{name}" conflicts with {conflicts}'
    for name, value in body.items():
        if name in attributes:
            yield from _argument(where, name, attributes[name], value)
        elif name not in META:
            yield f'{where}: unsupported argument "{name}"'


def _argument(where, name, facts, value):
    if facts.get("computed") and not facts.get("optional") and not facts.get("required"):
        yield f'{where}: "{name}" is read-only'
        return
    if facts.get("kind") == "block":
        blocks = _several(value)
        if not all(isinstance(block, dict) for block in blocks):
            yield f'{where}: "{name}" must be a block'
            return
        if facts.get("max_items") and len(blocks) > facts["max_items"]:
            yield f'{where}: too many "{name}" blocks'
        for block in blocks:
            yield from _block(f"{where}.{name}", facts["attributes"], block)
        return
    if not _fits(value, facts["type"]):
        yield f'{where}: "{name}" should be {facts["type"]}, is {json.dumps(value)[:60]}'
    choices = facts.get("choices")
    if choices and isinstance(value, (str, int)) and "${" not in str(value) and str(value) not in map(str, choices):
        yield f'{where}: "{name}" {value!r} is not one of {choices}'


def _fits(value, kind):
    """Whether a literal has the type; an expression always has."""
    if value is None or (isinstance(value, str) and "${" in value):
        return True
    if kind in ("int", "float"):
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        return is_number or (isinstance(value, str) and bool(_NUMBER.fullmatch(value)))
    if kind == "bool":
        return isinstance(value, bool) or value in ("true", "false")
    wanted = {"string": (str, int, float), "list": list, "set": list, "map": dict}.get(kind)
    return wanted is None or isinstance(value, wanted)


def main(paths):
    """Checks files that are one module."""
    if not paths:
        raise SystemExit(__doc__)
    found, count = Checker().check([read(path) for path in paths])
    print("\n".join(found) or f"ok: {count} resources")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
