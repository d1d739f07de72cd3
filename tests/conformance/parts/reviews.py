"""What a comparison says and how long it takes. Whether every reason of real changes has a name, both values or the
lines that differ, and no pair of equal values; all real revisions in one process beside the oracle's `update`; and two
revisions of the overcloud beside their evaluation."""

import collections
import itertools
import json
import shutil
import statistics

import house
from generators import repositories

ROUNDS = 3
OVERCLOUD = house.CORPUS / "overcloud"
# A change in many templates of the overcloud at once.
CHANGES = (("size: medium", "size: large"), ("config_volume: ", "config_volume: other_"), ("default: false", "default: true"))

# How many changes the reasons are looked at in; where there are fewer revisions, neighbors in a folder stand in for some.
CHANGES_READ = 600
# Parts of a definition that are compared by values; of the others, the rule says all.
COMPARED = ("type", "property", "properties", "metadata", "depends_on", "deletion_policy", "update_policy", "external_id", "description")
HIDDEN = "******"
LINE = 80
# What a difference is that leaves a reader without its cause.
UNSAID = ("identical", "nothing", "clipped")
# Functions that return texts: a reader wants the lines, not the call.
TEXTS = ("str_replace", "str_replace_strict", "str_replace_vstrict", "list_join", "Fn::Join", "Fn::Replace")


def _real_changes():
    """Real revisions, then neighbors: templates that follow each other in one folder, which are often variants."""
    revisions = [(pair / "old.yaml", pair / "new.yaml") for pair in sorted((house.CORPUS / "pairs").iterdir()) if pair.is_dir()]
    neighbors = []
    for piece in ("templates", "overcloud"):
        files = house.files_below(house.CORPUS / piece)
        for _, group in itertools.groupby(files, key=lambda path: path.parent):
            neighbors.extend(itertools.pairwise(group))
    return revisions, neighbors


def _is_hidden(value):
    return HIDDEN in json.dumps(value)


def _is_call(value):
    """Whether a text is shown as the call that returns it, which is cut off in most formats."""
    expression = value.get("$unknown", {}).get("expr") if isinstance(value, dict) else None
    return isinstance(expression, dict) and bool(set(expression) & set(TEXTS)) and len(json.dumps(expression)) > LINE




def _judge(change):
    """Whether a difference is one side only, a pair, what it is of an unknown part that may differ, a pair of equals, or nothing at all."""
    if "→" in change.get("why", ""):
        return "pair"
    old, new, text = change.get("old"), change.get("new"), change.get("text") or {}
    if "old" not in change and "new" not in change:
        if text.get("may_differ"):
            return "unknown part named"
        return "moved" if change.get("old_path") else "nothing"
    if "old" in change and "new" in change and old == new:
        return "hidden or fails" if _is_hidden(old) or "$error" in json.dumps(old) else "identical"
    return "clipped" if old is not None and new is not None and (_is_call(old) or _is_call(new)) else "pair"


def _reasons(figures):
    """What the reasons of real changes say."""
    revisions, neighbors = _real_changes()
    changes = (revisions + neighbors)[:CHANGES_READ]
    found, compared, long = collections.Counter(), 0, 0
    examples = collections.defaultdict(list)
    for old, new in changes:
        done = house.hotplate("diff", old, new, "--format", "json")
        report = json.loads(done.stdout) if done.stdout else {"compared": False}
        if not report["compared"]:
            continue
        compared += 1
        text = house.hotplate("diff", old, new)
        # What is written beside the report is about the report, and no longer than it.
        long += len(done.stderr.splitlines()) > max(len(text.stdout.splitlines()), 1)
        for resource in report["resources"]:
            for reason in resource["reasons"]:
                if reason["impact"] in ("none", "noop-update") or reason["part"] not in COMPARED:
                    continue
                found["reasons"] += 1
                found["without a name"] += not reason["property"]
                kinds = {_judge(change) for change in reason["changes"] or [reason]}
                for kind in kinds:
                    found[kind] += 1
                    if kind in UNSAID:
                        examples[kind].append(f"{old}: {resource['name']}: {reason['path']}: {reason['why']}")
                found["said"] += not kinds & set(UNSAID)
    for kind, lines in examples.items():
        for line in lines[:5]:
            figures.say(f"  {kind}: {line}")
    figures.say(f"{len(changes)} changes ({len(revisions)} revisions, then neighbors in a folder), {compared} compared: {dict(found)}")
    total = found["reasons"]
    figures.say(f"{found['reasons'] - sum(found[kind] for kind in (*UNSAID, 'unknown part named'))} reasons have both values or the lines, {found['unknown part named']} name the only unknown part that may differ")
    figures.say(f"{found['said']} of {total} reasons ({found['said'] / max(total, 1):.1%}) say a name with both values or with lines")
    figures.must(found["said"] >= 0.97 * total, True, "reasons have both values or the lines that differ (97 %)")
    figures.must(found["identical"], 0, "reasons with a pair of equal values", empty_is_well=True)
    figures.must(found["without a name"], 0, "reasons without a name", empty_is_well=True)
    figures.must(long, 0, "changes whose findings are longer than the report", empty_is_well=True)


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
        _reasons(figures)
        _pairs(figures)
    if figures.has("overcloud", what="two revisions of the overcloud"):
        _overcloud(figures)
