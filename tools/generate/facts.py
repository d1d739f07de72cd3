"""What the generators share: how files of facts are written, and compared with what is there."""

import json
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "facts"
# Tables whose rows get a line each, so that a new release reads well as a diff.
TABLES = {"auth_options_of_every_module", "data_sources", "functions", "modules", "provider_config", "resources", "types"}
SHOWN = 40


def plain(value):
    """A value as JSON has it: tuples are lists."""
    return json.loads(json.dumps(value))


def text(facts):
    """The facts as a file, a line for each row of a table."""
    lines = []
    for key, value in facts.items():
        if key in TABLES:
            rows = ",\n".join(f"{_line(name)}:{_line(row)}" for name, row in sorted(value.items()))
            lines.append(f"{_line(key)}:{{\n{rows}\n}}")
        else:
            lines.append(f"{_line(key)}:{_line(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _line(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def differences(known, made, where=""):
    """Where two trees differ, with what stands there: `PATH: known, made`."""
    if isinstance(known, dict) and isinstance(made, dict):
        for key in sorted({*known, *made}):
            if key not in made:
                yield f"{where}/{key}: {_short(known[key])} is gone"
            elif key not in known:
                yield f"{where}/{key}: {_short(made[key])} is new"
            else:
                yield from differences(known[key], made[key], f"{where}/{key}")
    elif known != made or type(known) is not type(made):
        yield f"{where}: {_short(known)} became {_short(made)}"


def _short(value):
    line = _line(value)
    return line if len(line) <= 80 else line[:77] + "..."


def finish(name, made, arguments, compared=lambda facts: facts):
    """The end of a generator: writes the file, or with `--check` tells what differs from it; the exit status."""
    if arguments not in ([], ["--check"]):
        print("usage: no argument, or --check", file=sys.stderr)
        return 2
    path = FOLDER / name
    if not arguments:
        path.write_text(text(made), encoding="utf-8")
        return 0
    found = list(differences(compared(json.loads(path.read_text(encoding="utf-8"))), compared(made)))
    for line in found[:SHOWN]:
        print(line)
    if len(found) > SHOWN:
        print(f"... {len(found) - SHOWN} more")
    print(f"{name}: {len(found)} differences" if found else f"{name}: the same")
    return 1 if found else 0
