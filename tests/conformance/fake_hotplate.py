"""A wrong hotplate, to show that the harness notices: for `selftest.py` only.

`FAKE` says how it is wrong: `bump` writes another version and nothing else, `block` refuses
everything, `dump` rewrites the file with PyYAML, `claim` bumps and declares it all conditional.
`eval` answers as Heat does, except as `FAKE` says: `echo` changes nothing, `value` changes one parameter of
the deepest stack, `child` loses that stack, `vague` knows no property, `more` has one key too many, `crash` ends without an answer.
"""

import copy
import json
import os
import pathlib
import sys

import yaml

import house
from generators import spelling
from judges import compare


def upgrade(path, to, manner):
    """The report's entry of one file, after changing it."""
    raw = path.read_bytes()
    entry = {"path": str(path), "status": "rewritten", "rewrites": [], "blockers": [], "diagnostics": [], "from": None, "to": to}
    try:
        start, end = compare.Text(raw).version_span()
    except (AttributeError, UnicodeDecodeError, yaml.YAMLError):
        return {**entry, "status": "skipped"}
    if manner == "block":
        return {**entry, "status": "blocked", "blockers": [{"rule": "none", "code": "X", "message": "no", "help": ""}]}
    new = compare.bare_bump(raw, to)
    if new == raw:
        return {**entry, "status": "unchanged"}
    if manner == "dump":
        new = yaml.safe_dump(yaml.load(new, Loader=spelling.HeatLoader)).encode()
    path.write_bytes(new)
    first, last = (0, len(raw)) if manner == "claim" else (start, end)
    points = [{"line": 1 + raw[:byte].count(b"\n"), "column": 1, "byte": byte} for byte in (first, last)]
    place = {"path": str(path), "start": points[0], "end": points[1]}
    old = raw[first:last].decode()
    text = new.decode() if manner == "claim" else compare.bare_bump(raw, to)[start:end + len(new) - len(raw)].decode()
    effect = "conditional" if manner == "claim" else "exact"
    entry["rewrites"] = [{"rule": "version", "place": place, "old": old, "new": text, "effect": effect, "why": "because"}]
    return entry


def _whole(answer, number):
    """The tree of stacks in hotplate's shape."""
    stack = copy.deepcopy(answer["stacks"][str(number)])
    for entry in (stack.get("resources") or {}).values():
        child = entry.get("nested")
        if isinstance(child, dict) and "$error" in child:
            del entry["nested"]
        elif child is not None:
            entry["nested"] = _whole(answer, child)
    return stack


def _unfolded(value, values):
    """What the judge folded, unfolded."""
    if isinstance(value, dict):
        if "$same" in value:
            return values[value["$same"]]
        return {key: _unfolded(item, values) for key, item in value.items()}
    return [_unfolded(item, values) for item in value] if isinstance(value, list) else value


def evaluate(arguments, manner):
    """The answer to `eval --nested`."""
    from judges import deployments, judge_deployment
    environments = [arguments[place + 1] for place, word in enumerate(arguments) if word == "-e"]
    known = {}
    if "--attrs" in arguments:
        known["attrs"] = json.loads(pathlib.Path(arguments[arguments.index("--attrs") + 1]).read_text(encoding="utf-8"))
    answer = judge_deployment.oracle.handle(deployments.request(arguments[1], environments, **known))
    if manner == "crash" or "stacks" not in answer:
        return 2
    tree = _whole(answer, answer["root"])
    if manner in ("value", "child"):
        places = []
        _find(tree, places)
        _, entry = max(places, key=lambda place: place[0])
        if manner == "child":
            del entry["nested"]
        else:
            parameters = entry["nested"]["parameters"]
            parameters[next(name for name in parameters if not name.startswith("OS::"))] = "another"
    if manner == "more":
        tree["outputs"]["p"]["sensitive"] = False
    if manner == "vague":
        for entry in tree["resources"].values():
            entry["properties"] = {name: {"$unknown": {"expr": "something", "depends_on": []}} for name in entry["properties"]}
    print(json.dumps(_unfolded(tree, answer["values"])))
    return 0 if answer["ok"] else 1


def _find(stack, places, depth=0):
    """Every resource with a nested stack that has parameters, and how deep it stands."""
    for entry in (stack.get("resources") or {}).values():
        if "nested" in entry:
            if any(not name.startswith("OS::") for name in entry["nested"]["parameters"]):
                places.append((depth, entry))
            _find(entry["nested"], places, depth + 1)


def main(arguments):
    if arguments[0] == "eval":
        return evaluate(arguments, os.environ.get("FAKE", "echo"))
    to = arguments[arguments.index("--to") + 1]
    manner = os.environ.get("FAKE", "bump")
    files = [upgrade(path, to, manner) for path in house.files_below(pathlib.Path("."))]
    statuses = (*house.UPGRADED, "unchanged", "blocked", "invalid", "unproved", "unreadable", "unwritable", "skipped")
    print(json.dumps({"summary": {s: sum(f["status"] == s for f in files) for s in statuses}, "files": files}))
    return 1 if manner == "block" else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
