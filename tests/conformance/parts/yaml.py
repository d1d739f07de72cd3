"""Reading and writing YAML, beside PyYAML and libyaml."""

import json
import os
import pathlib
import re
from concurrent import futures

import house
from generators import spelling, yaml_made
from judges.judge import Judge

MUTATIONS = 100_000
MANY_MUTATIONS = 1_000_000
# Random texts and values beside the systematic ones.
TEXTS, MANY_TEXTS = 3_000, 100_000
VALUES, MANY_VALUES = 1_000, 20_000


def pyyaml():
    """The PyYAML oracle, as a module."""
    return house.tool_module("pyyaml_oracle")


def answers(path):
    """path -> (state, value) of an answer file."""
    rows = (line.split("\t", 2) for line in path.read_text(encoding="utf-8", errors="surrogatepass").split("\n") if line)
    return {row[0]: (row[1], row[2]) for row in rows}


def listed(name, paths):
    file = house.WORK / f"{name}.list"
    file.write_text("".join(f"{path}\n" for path in paths), encoding="utf-8")
    return file


def _agree(theirs, ours):
    """The same value, or an error on both sides."""
    return ours == theirs if theirs[0] == "ok" else ours[0] == "err"


def compare(figures, label, paths, theirs, ours):
    misses = [f"{path}: PyYAML {theirs[path]!r:.300} ours {ours.get(path)!r:.300}" for path in paths
              if not _agree(theirs[path], ours.get(path, ("missing", "")))]
    figures.must(len(paths) - len(misses), len(paths), label, misses)


def cases(figures):
    """The hand-made cases with their recorded answers."""
    expected = answers(house.CORPUS / "yaml-cases.expected.tsv")
    names = {str(house.CORPUS / "yaml-cases" / name): name for name in expected}
    out = house.WORK / "cases.ours"
    house.bridge("load", listed("cases", names), out)
    ours = answers(out)
    other = [f"{name}: expected {expected[name]!r:.300}, ours {ours[path]!r:.300}" for path, name in names.items()
             if not _agree(expected[name], ours[path]) and ours[path][0] != "err"]
    refused = [f"{name}: {ours[path][1]}" for path, name in names.items() if expected[name][0] == "ok" and ours[path][0] == "err"]
    figures.must(len(names) - len(other), len(names), "YAML cases give the expected value or an error", other)
    figures.count(len(names) - len(refused) - len(other), len(names), "YAML cases give exactly what PyYAML gives", refused)
    for line in refused:
        figures.say(f"refused, though PyYAML reads it: {line}")


def made(figures, pyyaml, full):
    """Texts that are made here have PyYAML's value."""
    folder = house.scratch("yaml-made")
    theirs = {}
    for number, text in enumerate(yaml_made.texts(MANY_TEXTS if full else TEXTS)):
        path = folder / f"{number}.yaml"
        path.write_bytes(text.encode())
        theirs[str(path)] = pyyaml.load(text.encode())
    out = house.WORK / "made.ours"
    house.bridge("load", listed("made", theirs), out)
    wrong = sum(state != "ok" for state, _ in theirs.values())
    compare(figures, f"generated texts have PyYAML's value, or an error as there ({wrong})", theirs, theirs, answers(out))


def repository(figures, pyyaml):
    """The files of the repository itself have PyYAML's value, and every scalar in them can be replaced."""
    paths = _repository()
    out = house.WORK / "repository.ours"
    house.bridge("load", listed("repository", paths), out)
    theirs = {path: pyyaml.load(pathlib.Path(path).read_bytes()) for path in paths}
    compare(figures, "files of the repository have PyYAML's value", paths, theirs, answers(out))
    splice(figures, pyyaml, paths, "repository")


def _repository():
    return [str(path) for path in house.files_below(house.ROOT / "snapshots", (".yaml", ".yml", ".template", ".json"))]


def _corpus():
    suffixes = (".yaml", ".yml", ".template", ".json", ".env")
    return [str(path) for path in house.files_below(house.CORPUS, suffixes) if "yaml-cases" not in path.parts]


def corpus(figures, paths):
    """Every YAML file of the corpus has the same value."""
    corpus_list, theirs, ours = listed("corpus", paths), house.WORK / "corpus.theirs", house.WORK / "corpus.ours"
    with futures.ThreadPoolExecutor(2) as threads:
        judge = threads.submit(house.run, [house.PYTHON, house.tool("pyyaml_oracle.py"), "load", corpus_list, theirs])
        house.bridge("load", corpus_list, ours)
        if judge.result().returncode:
            raise RuntimeError("pyyaml_oracle.py failed")
    compare(figures, "files of the corpus have PyYAML's value", paths, answers(theirs), answers(ours))


def made_values(figures, pyyaml, full):
    """Values that are made here."""
    source = house.WORK / "made-values.tsv"
    rows = yaml_made.values(MANY_VALUES if full else VALUES)
    source.write_text("".join(f"{name}\tok\t{pyyaml.canonical(value)}\n" for name, value in rows), encoding="utf-8")
    nasty(figures, pyyaml, source, "generated values")


def nasty(figures, pyyaml, source, what):
    """What our writer writes, PyYAML reads back."""
    out = house.WORK / "nasty.ours"
    house.bridge("nasty", source, out)
    expected = dict((name, value) for name, _, value in (line.split("\t", 2) for line in source.read_text(encoding="utf-8").split("\n") if line))
    written = {row["name"]: row for row in map(json.loads, out.read_text(encoding="utf-8").splitlines())}
    for form in ("block", "flow"):
        misses = []
        for name, value in expected.items():
            text = written.get(name, {}).get(form)
            if form == "flow" and text is not None:
                # What stands in a list must not take its comma or its bracket for its own.
                got, wanted = pyyaml.load(f"[{text}, {text}]\n".encode()), ("ok", f"[{value},{value}]")
            else:
                got, wanted = pyyaml.load(text.encode()) if text is not None else None, ("ok", value)
            if got != wanted:
                misses.append(f"{name}: {text!r:.200} is read as {got!r:.200}, not {value!r:.200}")
        figures.must(len(expected) - len(misses), len(expected), f"{what} written in {form} style are read back identically", misses)


def splice(figures, pyyaml, paths, where="corpus"):
    """Every scalar can be replaced through its span."""
    accepted = [path for path in paths if pyyaml.load(open(path, "rb").read())[0] == "ok"]
    folder = house.scratch("splice")
    done = house.bridge("splice", listed("splice", accepted), folder)
    rows = [line.split("\t") for line in done.stdout.decode().splitlines()]
    misses, scalars = [], 0
    for number, (path, state, said) in enumerate(rows):
        if state != "ok":
            misses.append(f"{path}: {said}")
            continue
        scalars += int(said)
        got = pyyaml.load((folder / f"{number}.yaml").read_bytes())
        if got != ("ok", (folder / f"{number}.value").read_text(encoding="utf-8")):
            misses.append(f"{path}: PyYAML sees something else after the replacement")
    figures.must(len(rows) - len(misses), len(accepted), f"files of the {where} whose scalars ({scalars}) are all replaceable", misses)


def mutations(figures, full):
    """Mutated inputs beside libyaml-rs, in the Rust test that compares them."""
    count = MANY_MUTATIONS if full else MUTATIONS
    seeds = {} if house.missing("yaml-cases") else {"HOTPLATE_SEEDS": str(house.CORPUS / "yaml-cases")}
    done = house.run(["cargo", "test", "--release", "--test", "yaml_events", "mutations_agree", "--", "--nocapture"], cwd=house.ROOT,
                     env=house.environment(HOTPLATE_MUTATIONS=str(count), **seeds))
    output = done.stdout.decode("utf-8", "replace")
    found = re.search(r"(\d+) of (\d+) mutated inputs agree(.*)", output)
    if not found:
        raise RuntimeError(f"no figure from the mutation test: {done.stderr.decode()[-1000:]}")
    figures.must(int(found[1]), int(found[2]), f"mutated inputs agree with libyaml-rs{found[3]}", output.split(found[0], 1)[1].strip().splitlines())


def hostile(figures):
    """Inputs made to exhaust a parser are answered at once."""
    laughs = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}, *a{n - 1}]\n" for n in range(1, 60))
    inputs = {
        "100,000 nested {a: ": "{a: " * 100_000, "closed {a: ": "{a: " * 100_000 + "1" + "}" * 100_000, "nested [": "[" * 100_000,
        "nested - ": "- " * 100_000, "nested ? ": "? " * 100_000, "aliases of aliases": laughs, "one long line": "[" + "a, " * 300_000 + "b]",
        "a key without end": "k" * 1_000_000 + ": v", "quotes": "'" * 500_001, "anchors": "".join(f"- &a{n} x\n- *a{n}\n" for n in range(50_000)),
        "indentation": "\n".join(" " * n + "a:" for n in range(2_000)), "merge keys": "a: &a {k: v}\n" + "".join(f"b{n}: {{<<: *a}}\n" for n in range(20_000)),
    }
    folder = house.scratch("hostile")
    misses = []
    for number, (name, text) in enumerate(inputs.items()):
        path = folder / f"{number}.yaml"
        path.write_text("heat_template_version: 2013-05-23\n" * (not text.startswith(("{", "["))) + text if name == "aliases of aliases" else text)
        seconds, done = house.timed([house.BRIDGE, "load", listed("hostile", [path]), house.WORK / "hostile.ours"])
        if done.returncode or seconds >= 1:
            misses.append(f"{name}: {seconds:.2f} s, exit {done.returncode} {done.stderr.decode()[-200:]}")
    figures.must(len(inputs) - len(misses), len(inputs), "hostile inputs answered in under a second", misses)


def throughput(figures):
    """Events per second beside libyaml-rs."""
    done = house.run(["cargo", "bench", "--bench", "yaml_events"], cwd=house.ROOT, env=house.environment(HOTPLATE_CORPUS=str(house.CORPUS)))
    output = done.stdout.decode("utf-8", "replace")
    ratio = re.search(r"ratio\s+([\d.]+)", output)
    if not ratio:
        raise RuntimeError(f"no figure from the bench: {done.stderr.decode()[-1000:]}")
    rates = ", ".join(" ".join(line.split()) for line in output.splitlines() if "MB/s" in line)
    figures.wanted(float(ratio[1]), 2, f"times the event throughput of libyaml-rs ({rates})")


class Unholdable(Exception):
    """A value that JSON cannot hold."""


def as_json(value):
    """The oracle's encoding as what Python's `json` would send: its key spelling; nan and bytes are refused."""
    if isinstance(value, list):
        return [as_json(item) for item in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {"$map"}:
        return {_key(key): as_json(item) for key, item in value["$map"]}
    if set(value) == {"$tuple"}:
        return [as_json(item) for item in value["$tuple"]]
    if set(value) & {"$float", "$bytes", "$set", "$date", "$unknown"}:
        raise Unholdable
    return {key: as_json(item) for key, item in value.items()}


def _key(key):
    if isinstance(key, str):
        return key
    if isinstance(key, (dict, list)):
        raise Unholdable
    return {True: "true", False: "false", None: "null"}[key] if key is None or isinstance(key, bool) else repr(key)


def loading(figures, paths):
    """`render --target json` beside Heat's own loader, for every file: the same data, or an error on both sides."""
    with Judge() as judge:
        theirs = judge.ask([{"op": "parse", "file": path} for path in paths], remember=True)
    with futures.ThreadPoolExecutor(2) as threads:
        ours = list(threads.map(lambda path: house.hotplate("render", path, "--target", "json"), paths))
    accepted = rejected = accepted_well = rejected_well = 0
    misses = []
    for path, answer, done in zip(paths, theirs, ours):
        try:
            wanted = as_json(answer["template"]) if answer["ok"] else None
        except Unholdable:
            wanted = None
        if wanted is None:
            rejected += 1
            if done.returncode == 2 and not done.stdout:
                rejected_well += 1
            else:
                misses.append(f"{path}: Heat rejects it ({answer.get('errors')}), ours: exit {done.returncode}")
            continue
        accepted += 1
        try:
            got = json.loads(done.stdout)
        except ValueError:
            got = None
        if done.returncode in (0, 1) and spelling.same(got, wanted):
            accepted_well += 1
        else:
            misses.append(f"{path}: other data, or exit {done.returncode}: {done.stderr.decode('utf-8', 'replace')[:300]}")
    figures.must(accepted_well, accepted, "templates that Heat loads are rendered as JSON with the same data", misses)
    figures.must(rejected_well, rejected, "files that Heat's loader rejects are an error, with nothing on stdout", misses)


def twice(figures, paths):
    """The short ways to a document, beside the ways that take any text."""
    done = house.run([house.BRIDGE, "twice", listed("twice", paths)])
    (passes, alike), (replaced, made_alike), (lowered, lowered_alike) = (map(int, line.split()) for line in done.stdout.decode().splitlines())
    misses = done.stderr.decode("utf-8", "replace").splitlines()
    figures.must(alike, passes, "texts, changed ones among them, are read in one pass as with scanner and parser", misses)
    figures.must(made_alike, replaced, "documents are made from a changed line as from the whole text", misses)
    figures.must(lowered_alike, lowered, "templates of a later version are lowered from the first lowering as from the start", misses)


def run(figures, full):
    """The part."""
    house.WORK.mkdir(parents=True, exist_ok=True)
    judge, paths = pyyaml(), _corpus()
    if figures.has("yaml-cases", "yaml-cases.expected.tsv", what="hand-made cases"):
        cases(figures)
    if figures.has("templates", what="files of the corpus: values, spans, JSON and throughput"):
        corpus(figures, paths)
        splice(figures, judge, paths)
        loading(figures, [path for path in paths if os.path.getsize(path) < 524_288])
        throughput(figures)
    twice(figures, paths + _repository())
    if figures.has("yaml-nasty.tsv", what="recorded values written"):
        nasty(figures, judge, house.CORPUS / "yaml-nasty.tsv", "nasty values")
    made(figures, judge, full)
    made_values(figures, judge, full)
    repository(figures, judge)
    hostile(figures)
    mutations(figures, full)
