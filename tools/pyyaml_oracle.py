#!/usr/bin/env python3
"""What PyYAML reads, configured as Heat's loader is (timestamps are strings), in a notation that keeps types apart.

    pyyaml_oracle.py load LIST OUT      with libyaml, as Heat does
    pyyaml_oracle.py pyload LIST OUT    with the reader in Python

LIST has a path per line. OUT gets a line per file: `path TAB state TAB text`. The state is `ok` (the text is the
value), `err` for a YAMLError and `exc` for another exception (the text is its class and message).

The notation: `n` null, `t` and `f` booleans, `i5` integer, `d` and 16 hexadecimal digits a float (big endian; `dnan`),
`"text"`, `[,]` list, `(,)` tuple, `{k:v}` map in order, `b` and hexadecimal bytes, `S(,)` set (sorted), `T` and a date,
`RECURSIVE` for a collection within itself.
"""

import datetime
import struct
import sys

import yaml


class Loader(yaml.CSafeLoader):
    """Heat's loader."""


class PyLoader(yaml.SafeLoader):
    """The same without libyaml."""


for _loader in (Loader, PyLoader):
    for _tag in ("str", "timestamp"):
        _loader.add_constructor(f"tag:yaml.org,2002:{_tag}", lambda loader, node: loader.construct_scalar(node))

_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
for _code in (*range(32), *range(0x7F, 0xA0), 0x2028, 0x2029, 0xFEFF):
    _ESCAPES.setdefault(chr(_code), f"\\u{_code:04x}")
_ESCAPES = str.maketrans(_ESCAPES)


def canonical(value):
    """A value in the notation."""
    parts = []
    _write(value, parts, set())
    return "".join(parts)


def _write(value, parts, around):
    if value is None:
        parts.append("n")
    elif isinstance(value, bool):
        parts.append("t" if value else "f")
    elif isinstance(value, int):
        parts.append(f"i{value}")
    elif isinstance(value, float):
        parts.append("dnan" if value != value else "d" + struct.pack(">d", value).hex())
    elif isinstance(value, str):
        parts.append('"' + value.translate(_ESCAPES) + '"')
    elif isinstance(value, bytes):
        parts.append("b" + value.hex())
    elif isinstance(value, datetime.date):
        parts.append("T" + value.isoformat())
    elif isinstance(value, (set, frozenset)):
        parts.append("S(" + ",".join(sorted(map(canonical, value))) + ")")
    elif isinstance(value, (list, tuple, dict)):
        if id(value) in around:
            parts.append("RECURSIVE")
            return
        around.add(id(value))
        _write_collection(value, parts, around)
        around.discard(id(value))
    else:
        raise TypeError(type(value))


def _write_collection(value, parts, around):
    brackets = "{}" if isinstance(value, dict) else "[]" if isinstance(value, list) else "()"
    parts.append(brackets[0])
    for number, item in enumerate(value):
        if number:
            parts.append(",")
        _write(item, parts, around)
        if isinstance(value, dict):
            parts.append(":")
            _write(value[item], parts, around)
    parts.append(brackets[1])


def load(text, loader=Loader):
    """What becomes of a text, given as bytes: (state, value or error)."""
    try:
        return "ok", canonical(yaml.load(text, Loader=loader))
    except yaml.YAMLError as error:
        return "err", f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
    except Exception as error:  # whatever a constructor raises is an answer
        return "exc", f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"


def main():
    """Reads every file of a list."""
    sys.setrecursionlimit(100_000)
    if len(sys.argv) != 4 or sys.argv[1] not in ("load", "pyload"):
        raise SystemExit(__doc__)
    mode, paths, out = sys.argv[1:]
    with open(paths, encoding="utf-8") as file:
        paths = file.read().splitlines()
    with open(out, "w", encoding="utf-8", errors="surrogatepass") as answers:
        for path in paths:
            with open(path, "rb") as file:
                state, text = load(file.read(), PyLoader if mode == "pyload" else Loader)
            answers.write(f"{path}\t{state}\t{text}\n")


if __name__ == "__main__":
    main()
