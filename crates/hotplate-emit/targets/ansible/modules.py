#!/usr/bin/env python3
"""Writes modules.json, the options and returns of the openstack.cloud modules that mapping.yaml uses.

    crates/hotplate-emit/targets/ansible/modules.py tools/facts/ansible_openstack_modules.json > crates/hotplate-emit/targets/ansible/modules.json

The facts are the argument specifications of all modules of the collection; `tools/generate/ansible_modules.py` makes them.
What no rule of the target asks for (defaults, check mode) is left out.
"""

import json
import re
import sys
from pathlib import Path

KEPT = ('type', 'elements', 'required', 'choices', 'aliases', 'no_log')
RULES = ('required_if', 'required_one_of', 'required_together', 'required_by', 'mutually_exclusive')


def options(specification):
    short = {}
    for name, option in specification.items():
        short[name] = {key: option[key] for key in KEPT if option.get(key)}
        if option.get('options'):
            short[name]['options'] = options(option['options'])
    return short


def main():
    facts = json.loads(Path(sys.argv[1]).read_text())
    mapping = (Path(__file__).parent / 'mapping.yaml').read_text()
    # Modules of types, and those that a lookup or an assignment names.
    named = re.findall(r'^    to: (\w+)$|lookup: (\w+)\.|rule: (\w+_assignment)', mapping, re.M)
    used = sorted({name for names in named for name in names if name})
    modules = {}
    for name in used:
        module = facts['modules'][name]
        modules[name] = {'options': options(module['options']), 'returns': module['returns']}
        modules[name].update({rule: module[rule] for rule in RULES if module.get(rule)})
    lines = [f'"{name}": {json.dumps(module, separators=(",", ":"))}' for name, module in modules.items()]
    head = json.dumps({'collection': facts['collection'], 'version': facts['version']})[:-1]
    print(head + ', "modules": {\n' + ',\n'.join(lines) + '\n}}')


main()
