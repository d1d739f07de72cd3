"""How long comparisons take: all real revisions in one process beside the oracle's `update`, and two revisions of the
overcloud beside their evaluation."""

import json
import shutil
import statistics

import house
from generators import repositories

ROUNDS = 3
OVERCLOUD = house.CORPUS / "overcloud"
# A change in many templates of the overcloud at once.
CHANGES = (("size: medium", "size: large"), ("config_volume: ", "config_volume: other_"), ("default: false", "default: true"))


def _pairs(figures):
    """Every real revision: one commit to the other."""
    folder = house.scratch("reviews/pairs")
    pairs = sorted(path for path in (house.CORPUS / "pairs").iterdir() if path.is_dir())
    repositories.commits(folder, house.CORPUS / "pairs")
    ours = []
    for _ in range(ROUNDS):
        seconds, done = house.timed([house.BINARY, "diff", "--git", "HEAD~..HEAD", "--fill", "--format", "json"], cwd=folder)
        ours.append(seconds)
    compared = json.loads(done.stdout)["templates"]
    asked = [{"op": "update", "old": str(pair / "old.yaml"), "file": str(pair / "new.yaml"), "fill": True, "missing_files": "stub"} for pair in pairs]
    seconds = []
    for questions in ([{"op": "ping"}], [{"op": "ping"}, *asked]):
        lines = "".join(json.dumps(question) + "\n" for question in questions)
        took, done = house.timed([house.PYTHON, house.tool("heat_oracle.py"), "batch"], input=lines.encode())
        seconds.append(took)
    theirs, mine = seconds[1] - seconds[0], statistics.median(ours)
    read = [template for template in compared if template["compared"]]
    figures.must(bool(read), True, "real revisions are compared by one process")
    figures.count(len(read), len(pairs), "real revisions are templates on both sides")
    figures.say(f"{len(pairs)} revisions: hotplate's process {mine:.2f} s, the oracle's `update` {theirs:.1f} s without its start, {theirs / mine:.1f} times as fast")


def _overcloud(figures):
    """Two overclouds: every template that has one of the changes."""
    sides = {side: house.scratch(f"reviews/{side}") / "overcloud" for side in ("old", "new")}
    changed = 0
    for side, folder in sides.items():
        shutil.copytree(OVERCLOUD, folder, copy_function=shutil.copyfile)
        for path in house.files_below(folder) if side == "new" else ():
            text = path.read_text(encoding="utf-8")
            other = text
            for before, after in CHANGES:
                other = other.replace(before, after)
            if other != text:
                changed += 1
                path.write_text(other, encoding="utf-8")

    def environments(folder, option):
        base = [folder / "overcloud-resource-registry-puppet.yaml", folder / "environments" / "made-up-secrets.yaml"]
        return [argument for path in base for argument in (option, path)]

    evaluated, compared = [], []
    for _ in range(ROUNDS):
        total = 0.0
        for folder in sides.values():
            seconds, done = house.timed([house.BINARY, "eval", folder / "overcloud.yaml", *environments(folder, "-e"), "--nested", "--format", "text", "--max-resources", str(10**9)])
            total += seconds
        evaluated.append(total)
        seconds, done = house.timed([house.BINARY, "diff", *(folder / "overcloud.yaml" for folder in sides.values()),
                                     *environments(sides["old"], "--old-e"), *environments(sides["new"], "-e"), "--format", "json", "--max-resources", str(10**9)])
        compared.append(seconds)
    report = json.loads(done.stdout)
    resources = len(report["resources"])
    differing = resources - report["summary"]["none"] - report["summary"]["noop-update"]
    figures.must(int(report["compared"]), 1, "overclouds are compared with their nested stacks")
    alone, both = statistics.median(evaluated), statistics.median(compared)
    figures.say(f"the overcloud with {changed} changed files: {resources} resources, {differing} differ; compared in {both:.2f} s, "
                f"`eval --nested` of both takes {alone:.2f} s: {both / alone:.2f} times that")


def run(figures, _full):
    """The part."""
    if figures.has("pairs", what="real revisions"):
        _pairs(figures)
    if figures.has("overcloud", what="two revisions of the overcloud"):
        _overcloud(figures)
