"""The inputs that fuzz targets have kept, since each reaches a branch of its own, beside the judges."""

import house
from judges import yaql_sides
from parts import yaml as part_yaml, yaql_generated as part_yaql_generated

# As in `fuzz/src/expressions.rs`.
DATA = b"{a: [1, 2, {b: c}], d: text, e: null, f: 1.5}"
TEXT = "The web-01.example.org, 10.0.0.1 and \xe9t\xe9\n"
USES = (
    "regex($.pattern).search($.text)",
    "regex($.pattern, ignore_case => true, dot_all => true).searchAll($.text).toList()",
    "regex($.pattern, multi_line => true).split($.text, 3)",
    "regex($.pattern).matches($.text)",
)


def _kept(target):
    """The paths of the inputs that a target has kept."""
    return [str(path) for path in sorted((house.TARGET / "fuzz" / "corpus" / target).glob("*"))]


def _parts(path, main):
    """The files of an input, as `fuzz/src/parts.rs` reads them; as text."""
    parts, name = {}, main
    with open(path, encoding="utf-8", newline="") as file:
        for line in file:
            words = line.rstrip("\r\n").split(" ")
            if len(words) == 3 and words[0] == "==>" and words[2] == "<==":
                name = words[1]
            else:
                parts[name] = parts.get(name, "") + line
    return parts


def read(figures):
    """The values that PyYAML reads."""
    paths = _kept("read")
    judge = part_yaml.pyyaml()
    out = house.WORK / "fuzzed.ours"
    house.bridge("load", part_yaml.listed("fuzzed", paths), out)
    theirs = {}
    for path in paths:
        with open(path, "rb") as file:
            theirs[path] = judge.load(file.read())
    part_yaml.compare(figures, "inputs of the fuzz target `read` have PyYAML's value", paths, theirs, part_yaml.answers(out))


def _readable(target, main):
    """The files of each input that is text."""
    for path in _kept(target):
        try:
            parts = _parts(path, main)
        except UnicodeDecodeError:
            continue
        if main in parts:
            yield parts


def yaql(figures):
    """The values of PyPI yaql."""
    requests = []
    judge = part_yaml.pyyaml()
    for parts in _readable("yaql", "expression"):
        state, _ = judge.load(parts.get("data", "").encode() or DATA)
        if state == "ok":
            try:
                encoded = yaql_sides.encoded(judge.yaml.load(parts.get("data", "") or DATA, Loader=judge.yaml.CSafeLoader))
            # PyYAML fails on some timestamps that Heat's loader takes as strings, even with an AttributeError.
            except (judge.yaml.YAMLError, AttributeError, RecursionError, TypeError, ValueError):
                continue
            requests.append({"expression": parts["expression"].rstrip("\n"), "data": encoded, "options": {"heat": True}})
    part_yaql_generated.tell(figures, requests, "inputs of the fuzz target `yaql`")


def regex(figures):
    """What Python's `re` makes of patterns, by way of yaql."""
    requests = []
    for at, parts in enumerate(_readable("regex", "pattern")):
        data = yaql_sides.encoded({"pattern": parts["pattern"].rstrip("\n"), "text": parts.get("text", TEXT)})
        requests.append({"expression": USES[at % len(USES)], "data": data, "options": {"limit_iterators": 200, "memory_quota": 100_000}})
    part_yaql_generated.tell(figures, requests, "inputs of the fuzz target `regex`")


def run(figures, full):
    """The part."""
    yaql_sides.require()
    house.WORK.mkdir(parents=True, exist_ok=True)
    for target, judge in (("read", read), ("yaql", yaql), ("regex", regex)):
        if _kept(target):
            judge(figures)
        else:
            figures.say(f"no inputs are here (fuzz/run 600 {target})")
