#!/usr/bin/env python3
"""Writes facts/ansible_openstack_modules.json: the argument specifications of the modules of openstack.cloud.

    ansible_modules.py [--check]

The collection is imported as it is installed (`tools/setup FOLDER ansible`): the specification is what a module hands to
Ansible, so nothing is read from its documentation but the names of what it returns. `--check` writes nothing, tells what differs from
the file, and ends with 1 if anything does. `crates/hotplate-emit/targets/ansible/modules.py` makes the target's own table of this one.
"""

import importlib
import inspect
import json
import pathlib
import sys

import facts

NAME = "ansible_openstack_modules.json"
COLLECTION = "ansible_collections.openstack.cloud"
KEYS = ("type", "default", "elements", "required", "choices", "aliases", "no_log", "removed_in_version")
RULES = ("mutually_exclusive", "required_if", "required_one_of", "required_together", "required_by", "supports_check_mode")


def option(specification):
    """What an option takes; nothing that is the default."""
    row = {"type": "str", **specification}
    short = {key: row[key] for key in KEYS if row.get(key) not in (None, False)}
    if row.get("options"):
        short["options"] = options(row["options"])
    return short


def options(specification):
    """The options of a module, or within an option."""
    return {name: option(specification[name]) for name in sorted(specification)}


def returns(text):
    """The names of what a module returns, with the members that its documentation lists."""
    import yaml
    documented = yaml.safe_load(text or "") or {}
    return {name: sorted(about.get("contains") or ()) for name, about in documented.items()}


def module_facts(name):
    """What one module says of itself; None for what is no module of its own."""
    module = importlib.import_module(f"{COLLECTION}.plugins.modules.{name}")
    base = importlib.import_module(f"{COLLECTION}.plugins.module_utils.openstack").OpenStackModule
    classes = [it for _, it in inspect.getmembers(module, inspect.isclass) if issubclass(it, base) and it.__module__ == module.__name__]
    if len(classes) != 1:
        return None
    row = {"options": options(classes[0].argument_spec)}
    rules = classes[0].module_kwargs
    row.update({rule: facts.plain(rules[rule]) for rule in RULES if rules.get(rule)})
    row["returns"] = returns(getattr(module, "RETURN", ""))
    return row


def collect():
    """The facts, and what could not be read."""
    collection = importlib.import_module(COLLECTION)
    folder = pathlib.Path(next(iter(collection.__path__)))
    common = importlib.import_module(f"{COLLECTION}.plugins.module_utils.openstack")
    version = json.loads((folder / "MANIFEST.json").read_text(encoding="utf-8"))["collection_info"]["version"]
    modules, unread = {}, []
    for path in sorted((folder / "plugins" / "modules").glob("*.py")):
        if path.stem == "__init__":
            continue
        row = module_facts(path.stem)
        if row is None:
            unread.append(path.stem)
        else:
            modules[path.stem] = row
    return {
        "collection": "openstack.cloud",
        "version": version,
        "auth_options_of_every_module": options(common.openstack_full_argument_spec()),
        "modules": modules,
    }, unread


def main(arguments):
    """Writes or checks the file."""
    made, unread = collect()
    for name in unread:
        print(f"not read: {name}", file=sys.stderr)
    return facts.finish(NAME, made, arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
