"""What is unknown is never "unchanged": pairs of deployments of which everything is known, and each with one input cut out. What `diff` says of a
resource never moves towards "less happens": certain becomes possible or not compared, never another impact that is harmless."""

import collections
import concurrent.futures
import json
import re
import shutil

import house
from generators import cuts

# So many generated pairs, and every one of so many real ones, without `--full` and with it.
QUICK, FULL = 12, 120
OF_REAL = 25
# Of a real pair, so many cuts.
OF_CUTS = 40

# The impacts that say at least as much as each one.
CLOSED = {"not-compared", "refused"}
GONE = {"delete", "may-delete", *CLOSED}
OTHER = {"replace", "may-replace", *GONE}
SAYS = {
    "delete": GONE,
    "snapshot": {"snapshot", *GONE},
    "retain": {"retain", *GONE},
    "replace": OTHER,
    "may-replace": OTHER,
    "may-delete": GONE,
    "not-compared": CLOSED,
    "rebuild": {"rebuild", *OTHER},
    "create": {"create", "adopt", "may-create", *OTHER},
    "adopt": {"create", "adopt", "may-create", *OTHER},
    "may-create": {"create", "adopt", "may-create", *OTHER},
    "update": {"update", "rebuild", "create", "may-create", *OTHER},
}


def run(figures, full):
    """The part."""
    _table(figures)
    scratch = house.scratch("unknowns")
    pairs = [cuts.generated(seed) for seed in range(FULL if full else QUICK)]
    _judge(figures, "generated", pairs, scratch, OF_CUTS * 10)
    if figures.has("pairs", what="real revisions"):
        folders = sorted(path for path in (house.CORPUS / "pairs").iterdir() if path.is_dir())[:: 1 if full else OF_REAL]
        real = [(path.name, cuts.of_files(path / "old.yaml", path / "new.yaml")) for path in folders]
        _judge(figures, "real revisions", [(name, pair) for name, pair in real if pair], scratch, OF_CUTS)


def _table(figures):
    """Each impact that changes something has a row."""
    schema = json.loads((house.ROOT / "docs/schemas/diff.json").read_text(encoding="utf-8"))
    known = {impact["const"] for impact in schema["$defs"]["Impact"]["oneOf"]}
    missing = sorted(known - set(SAYS) - {"none", "noop-update", "refused"})
    figures.must(len(known) - len(missing), len(known), "impacts have a row of what says as much", missing)


def _judge(figures, what, pairs, scratch, most):
    """The known answers, then those with an input less."""
    wrong, compared, kinds, known = [], 0, collections.Counter(), 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, pair, answer, answers in pool.map(lambda one: _answers(scratch, *one, most), [(what, number, *pair) for number, pair in enumerate(pairs)]):
            if answer is None:
                continue
            known += 1
            for cut, where, report in answers:
                compared += 1
                kinds[cut.split(" ")[0]] += 1
                wrong.extend(f"{name}: {cut} ({where}): {line}" for line in _less(answer, report))
    figures.count(known, len(pairs), f"{what}: pairs are known: all is read, and Heat accepts it")
    figures.say(f"{what}: cuts: " + ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items())))
    short = {line.split(": ")[0] + line.split(": ")[1] for line in wrong}
    figures.must(compared - len(short), compared, f"{what}: with an input less, no answer says that less happens", wrong)


def _answers(scratch, what, number, name, pair, most):
    """The known answer of a pair, `None` if not everything of it is known, and the answer to each cut."""
    place = scratch / f"{what.split(' ')[0]}-{number}"
    known = _diff(place / "known", pair)
    if known is None or known["refusals"] or known["unread"] or known["unknown_parameters"] or _holds_unknown(known):
        shutil.rmtree(place, ignore_errors=True)
        return name, pair, None, []
    answers = []
    for at, (cut, where, sides) in enumerate(list(cuts.cuts(pair))[:most]):
        answers.append((cut, where, _diff(place / str(at), sides)))
    shutil.rmtree(place)
    return name, pair, known, answers


def _holds_unknown(report):
    """Whether a type is unknown here, so that the answer is not certain without a cut."""
    rules = {reason["rule"] for resource in report["resources"] for reason in resource["reasons"]}
    return bool(rules & {"unknown-type", "not-read", "inside-unknown", "invalid"})


def _diff(place, pair):
    """The report on a pair, `None` if it cannot be compared."""
    old, new = (side.write(place / name) for side, name in zip(pair, ("old", "new")))
    environments = [argument for option, path in (("--old-e", old), ("-e", new)) if path for argument in (option, path)]
    if old is None and new is not None:
        environments = ["--old-e", _nothing(place), *environments]
    done = house.hotplate("diff", place / "old" / cuts.ROOT, place / "new" / cuts.ROOT, *environments, "--fail-on", "dangerous", "--format", "json", timeout=120)
    try:
        report = json.loads(done.stdout)
    except ValueError:
        return None
    return {**report, "status": done.returncode} if report.get("compared") else None


def _nothing(place):
    path = place / "nothing.yaml"
    path.write_text("{}\n", encoding="utf-8")
    return path


def _less(known, report):
    """The resources of which less is said than is known."""
    if report is None:
        # Not compared, with an error: nobody takes it for "unchanged".
        return
    refused = report["status"] == 1 and any(not refusal["before"] for refusal in report["refusals"])
    said = {resource["name"]: resource["effective_impact"] for resource in report["resources"]}
    # A member that stands for all may be replaced as one of them and deleted as another.
    reasons = {resource["name"]: {reason["impact"] for reason in resource.get("reasons", ())} for resource in report["resources"]}
    # What nothing maps is treated as equal, and a note says so, as for a URL.
    unmapped = {one["name"] for one in report["resources"] if any(note["id"] == "not-mapped" and one["type"] and one["type"] in note["message"] for note in report["notes"])}
    for resource in known["resources"]:
        name, impact = resource["name"], resource["effective_impact"]
        if refused or impact not in SAYS:
            continue
        # One member stands for each of a group of unknown size.
        names = [name, re.sub(r"/\d+(?=/|$)", "/0", name), re.sub(r"/\d+$", "/0", name)]
        outer = [name[: match.start()] for match in re.finditer("/", name)]
        outer += [re.sub(r"/\d+(?=/|$)", "/0", one) for one in outer]
        if any(said.get(one) in SAYS[impact] for one in names) or any(reasons.get(one, set()) & SAYS[impact] for one in names[1:] if one != name):
            continue
        if any(one in unmapped for one in (*names, *outer)):
            continue
        # What is in a stack that is closed is not listed.
        if not any(one in said for one in names) and any(said.get(one) in OTHER for one in outer):
            continue
        yield f"{name} is {impact}, and {said.get(names[0], said.get(names[1], 'not there'))} without it"
