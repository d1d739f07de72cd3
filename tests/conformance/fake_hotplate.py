"""A wrong hotplate, to show that the harness notices: for `selftest.py` only.

`FAKE` says how it is wrong: `bump` writes another version and nothing else, `block` refuses
everything, `dump` rewrites the file with PyYAML, `claim` bumps and declares it all conditional.
"""

import json
import os
import pathlib
import sys

import yaml

import compare
import house
import spelling


def upgrade(path, to, manner):
    """The report's entry of one file, after changing it."""
    raw = path.read_bytes()
    entry = {"path": str(path), "status": "upgraded", "rewrites": [], "blockers": [], "diagnostics": [], "from": None, "to": to}
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
    span = {"start": 0 if manner == "claim" else start, "end": len(raw) if manner == "claim" else end, "line": 1 + raw[:start].count(b"\n"), "column": 1}
    if manner == "claim":
        span["line"] = 1
    old = raw[span["start"]:span["end"]].decode()
    text = new.decode() if manner == "claim" else compare.bare_bump(raw, to)[start:end + len(new) - len(raw)].decode()
    effect = "conditional" if manner == "claim" else "exact"
    entry["rewrites"] = [{"rule": "version", "span": span, "old": old, "new": text, "effect": effect, "why": "because"}]
    return entry


def main(arguments):
    to = arguments[arguments.index("--to") + 1]
    manner = os.environ.get("FAKE", "bump")
    files = [upgrade(path, to, manner) for path in house.files_below(pathlib.Path("."))]
    statuses = ("upgraded", "unchanged", "blocked", "error", "skipped")
    print(json.dumps({"summary": {s: sum(f["status"] == s for f in files) for s in statuses}, "files": files}))
    return 1 if manner == "block" else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
