#!/usr/bin/env python3
"""Makes the table of releases in crates/heat-template/src/hot/release.rs: names and numbers from oslo.log, versions from Heat's entry points.

    releases.py             prints the rows as Rust
    releases.py --json      prints them as JSON
    releases.py --check     tells where crates/heat-template/src/hot/release.rs differs, and ends with 1 if it does

A release comes every half a year, and a version of HOT has the date of the release that brought it. The names under which Heat's
entry points list some versions are a second source, which must agree. The last row is the release of the installed Heat, whose
major number has gone up by one with each release since Liberty's 5.
"""

import json
import pathlib
import re
import sys
from importlib.metadata import entry_points, version

FILE = pathlib.Path(__file__).resolve().parent.parent.parent / "crates/heat-template/src/hot/release.rs"
FIRST, FIRST_CYCLE = "Icehouse", (2014, 1)
# Until Liberty, Heat's versions were the numbers of the releases; from Antelope on, the releases have numbers again.
LIBERTY, LIBERTY_MAJOR = "Liberty", 5
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_ROW = re.compile(r'Release \{ number: (?:None|Some\("([\d.]+)"\)), +name: "(\w+)", +newest: Version::V([\d_]+) \}')


def names():
    """The releases from the first one on: (name, number or None), up to the installed Heat's."""
    from oslo_log import versionutils
    # In the order in which the class lists them, a name for each key of the table of releases.
    listed = [(name.capitalize(), key) for name, key in vars(versionutils.deprecated).items() if name.isupper() and key in versionutils._RELEASES]
    first = [name for name, _ in listed].index(FIRST)
    rows = [(name, key if key[0].isdigit() else None) for name, key in listed[first:]]
    liberty = [name for name, _ in rows].index(LIBERTY)
    last = liberty + int(version("openstack-heat").split(".")[0]) - LIBERTY_MAJOR
    if last >= len(rows):
        raise SystemExit("oslo.log does not know the release of the installed Heat: upgrade it")
    years = [f"{year}.{half}" for year, half in map(_cycle, range(liberty))]
    return [(name, years[at] if at < liberty else number) for at, (name, number) in enumerate(rows[:last + 1])]


def _cycle(at):
    """Year and half of the release at a place after the first."""
    year, half = FIRST_CYCLE
    return year + (half - 1 + at) // 2, (half - 1 + at) % 2 + 1


def versions():
    """The dates of HOT's versions, and the names of releases that stand for some."""
    prefix = "heat_template_version."
    classes = {it.name.removeprefix(prefix): it.value for it in entry_points(group="heat.templates") if it.name.startswith(prefix)}
    dates = sorted(name for name in classes if _DATE.fullmatch(name))
    by_class = {classes[date]: date for date in dates}
    return dates, {name.capitalize(): by_class[cls] for name, cls in classes.items() if name not in dates}


def collect():
    """The rows: number, name, newest version."""
    dates, aliases = versions()
    rows = []
    for at, (name, number) in enumerate(names()):
        newest = [date for date in dates if (int(date[:4]), 1 if int(date[5:7]) <= 6 else 2) <= _cycle(at)][-1]
        if aliases.get(name, newest) != newest:
            raise SystemExit(f"{name} stands for {aliases[name]} in Heat's entry points, but brought {newest} by its date")
        rows.append({"number": number, "name": name, "newest": newest})
    return rows


def rust(row):
    """A row as it stands in release.rs."""
    number = f'Some("{row["number"]}"),' if row["number"] else "None,"
    name = f'"{row["name"]}",'
    return f'    Release {{ number: {number:<15} name: {name:<12} newest: Version::V{row["newest"].replace("-", "_")} }},'


def main(arguments):
    """Prints or checks."""
    rows = collect()
    if arguments == ["--json"]:
        print(json.dumps(rows, indent=1))
    elif arguments == ["--check"]:
        known = [{"number": number or None, "name": name, "newest": date.replace("_", "-")} for number, name, date in _ROW.findall(FILE.read_text(encoding="utf-8"))]
        for row in (row for row in [*known, *rows] if (row in known) != (row in rows)):
            print(f"{'is gone' if row in known else 'is new'}: {row}")
        print(f"release.rs: {'the same' if known == rows else 'it differs'}")
        return 0 if known == rows else 1
    elif arguments:
        raise SystemExit(__doc__)
    else:
        print("\n".join(map(rust, rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
