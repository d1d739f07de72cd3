"""`render --target hot`: the recorded rewrites from CFN, and templates of the corpus, HOT and CFN, to their own
version and to the latest: Heat resolves both to the same values, and a second rendering changes nothing."""

import collections
import concurrent.futures
import json
import re

import yaml

import house
from generators import spelling, surroundings, versions
from judges import compare
from judges.judge import Judge
from parts import upgrade as part_upgrade

CFN = {"heat": ("HeatTemplateFormatVersion", "2012-12-12"), "aws": ("AWSTemplateFormatVersion", "2010-09-09")}
LATEST = versions.VERSIONS[-1]
LOSS = re.compile(r"^\w+\[(HP090[1-7])\]: (.*)$", re.MULTILINE)
ERROR = re.compile(r"^error\[(HP\d+)\]: (.*)$", re.MULTILINE)

PARAMETERS = {"n": {"Type": "Number", "Default": 1}}
WORLD = {
    "fill": True, "stack_name": "STK", "stack_id": "SID", "project_id": "PROJECT_ID",
    "attrs": {"srv": {"ref": "uuid-1", "attrs": {"lst": ["a", "b"]}}},
}


def _template(row):
    """A row of the recorded pairs as a CFN template."""
    key, date = CFN[row["from"]]
    template = {key: date, "Parameters": PARAMETERS, "Mappings": {"M": {"a": {"x": "v"}}}}
    if row["from"] == "aws":
        template["Conditions"] = {"T": {"Fn::Equals": [1, 1]}}
    template["Resources"] = {"srv": {"Type": "OS::Heat::SoftwareDeployment", "Properties": {"server": "s", "config": "c"}}}
    template["Outputs"] = {"o": {"Value": row["snippet"]}}
    return json.dumps(template)


class Rendered:
    """What became of a file."""

    def __init__(self, path, version, beside):
        done = house.hotplate("render", path, "--target", "hot", *(["--to", version] if version else []))
        told = done.stderr.decode("utf-8", "replace")
        self.text = done.stdout
        self.errors = [" ".join(found) for found in ERROR.findall(told)]
        self.losses = [" ".join(found) for found in LOSS.findall(told)]
        # With a file or a type that is missing there is an error and a template, with that place as it was.
        self.well = bool(self.text) and done.returncode in (0, 1)
        self.same_again = True
        if self.well:
            beside.write_bytes(self.text)
            again = house.hotplate("render", beside, "--target", "hot", *(["--to", version] if version else []))
            self.same_again = again.stdout == self.text
            self.beside = beside


def _pairs(figures, judge):
    """The recorded rows."""
    rows = [json.loads(line) for line in (house.FACTS / "heat-migration-pairs.jsonl").read_text().splitlines()]
    rows = [row for row in rows if row["from"] in CFN]
    folder = house.scratch("hot/pairs")
    befores = judge.ask([{"op": "resolve", "template": _template(row), **WORLD} for row in rows], remember=True)
    holds, wrong = 0, []
    for number, (row, before) in enumerate(zip(rows, befores)):
        path = folder / f"{number:02}.json"
        path.write_text(_template(row), encoding="utf-8")
        rendered = Rendered(path, row["to"], folder / f"{number:02}.{row['to']}.yaml")
        after = judge.ask([{"op": "resolve", "template": rendered.text.decode(), **WORLD}])[0] if rendered.well else {"errors": rendered.errors}
        then, now = _value(before), _value(after)
        ours = yaml.load(rendered.text, Loader=spelling.HeatLoader)["outputs"]["o"]["value"] if rendered.well else None
        told = f"{row['label']} to {row['to']}: {json.dumps(row['snippet'])}: {then} became {now}"
        recorded = then[0] == "error" if "error" in row["before"] else then == ("value", row["before"]["value"])
        # What Heat found unequal must not be what we write, unless the source never worked.
        unequal = not row["equal"] and then[0] == "value" and rendered.well and ours == row["rewrite"]
        if recorded and not unequal and not rendered.losses and (then[0] == "error" or then == now):
            holds += 1
        else:
            wrong.append(f"{told} {rendered.losses}")
    figures.must(holds, len(rows), "recorded rows with a CFN source: the value that Heat recorded, or an error before", wrong)


def _value(answer):
    output = (answer.get("outputs") or {}).get("o", {"value": {"$error": answer.get("errors")}})["value"]
    return ("value", output) if compare.works(output) else ("error", None)


def _known(answer):
    return answer.get("resources") is not None and answer.get("outputs") is not None


def _found(judge, paths, identity):
    """The templates that Heat resolves, with its files or without: (path, whether with, its answer)."""
    found, rest = [], paths
    for client in (True, False):
        answers = judge.ask([_question(path, path, client) for path in rest], remember=True, depends=identity)
        found += [(path, client, answer) for path, answer in zip(rest, answers) if _known(answer)]
        rest = [path for path, answer in zip(rest, answers) if not _known(answer)]
    return sorted(found, key=lambda one: one[0])


def _question(path, original, client):
    return {"op": "resolve", "file": str(path), **surroundings.of(original), "fill": True, "missing_files": "stub", "client": client}


def _differences(before, after):
    """What worked before and has another value after. The names of pseudo parameters are the dialect's."""
    found = compare.differences(before, after, despite_errors=True)
    found = {path: values for path, values in found.items() if path[0] != "parameters" or not path[1].startswith("AWS::")}
    if compare.requires(before) != compare.requires(after):
        found["requires",] = (compare.requires(before), compare.requires(after))
    return found


# Without `--full`, one in so many templates of the corpus.
STEP = 3


def _corpus(figures, judge, step):
    folder = part_upgrade.copy_corpus(house.scratch("hot/corpus"))
    for path in house.files_below(folder):
        # As Heat's client sends it; the judge reads some without the client.
        path.write_bytes(path.read_bytes().rstrip())
    found = _found(judge, house.files_below(folder)[::step], part_upgrade.corpus_identity(folder))
    asked = []
    for path, client, answer in found:
        key, date = answer["version"]
        own = versions.canonical(date) if key == "heat_template_version" else None
        for to in dict.fromkeys([own, LATEST]):
            if own or to:
                asked.append((path, client, answer, to, own))
    with concurrent.futures.ThreadPoolExecutor(2) as threads:
        beside = [path.with_name(f"{path.name}.{to}.rendered.yaml") for path, _, _, to, _ in asked]
        rendered = list(threads.map(lambda one: Rendered(one[0][0], one[0][3], one[1]), zip(asked, beside)))
    todo = [(one, result) for one, result in zip(asked, rendered) if result.well]
    answers = judge.ask([_question(result.beside, path, client) for (path, client, _, _, _), result in todo])
    after = {id(result): answer for (_, result), answer in zip(todo, answers)}
    tallies = collections.defaultdict(collections.Counter)
    wrong, refused, again, lost = (collections.defaultdict(list) for _ in range(4))
    for (path, _, before, to, own), result in zip(asked, rendered):
        kind = "CFN to the latest" if own is None else "HOT to its own version" if to == own else "HOT to the latest"
        name = f"{path.relative_to(folder)} to {to}"
        tally = tallies[kind]
        tally["all"] += 1
        if not result.well:
            tally["refused"] += 1
            refused[kind].append(f"{name}: {result.errors[:2]}")
            continue
        if not result.same_again:
            again[kind].append(name)
        differences = _differences(before, after[id(result)])
        if result.losses:
            tally["lost"] += 1
            lost[kind].append(f"{name}: {result.losses[:3]}")
        elif differences:
            wrong[kind].append(f"{name}: {next(iter(differences.items()))!r:.600}")
        else:
            tally["same"] += 1
    for kind, tally in tallies.items():
        whole = tally["all"] - tally["lost"] - tally["refused"]
        figures.must(tally["same"], whole, f"{kind}: Heat resolves the rendered template to the same values", wrong[kind])
        figures.count(tally["lost"], tally["all"], f"{kind}: with losses, which say why not", lost[kind])
        figures.count(tally["refused"], tally["all"], f"{kind}: refused, with errors in the template", refused[kind])
        rendered_well = tally["all"] - tally["refused"]
        figures.must(rendered_well - len(again[kind]), rendered_well, f"{kind}: rendered again, the same bytes", again[kind])


def run(figures, full):
    """The part."""
    with Judge() as judge:
        _pairs(figures, judge)
        if figures.has("templates", what="templates of the corpus"):
            _corpus(figures, judge, 1 if full else STEP)
