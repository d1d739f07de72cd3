"""`check --heat RELEASE` beside the engine of that release, for each older release whose facts are built in.

The types that differ from the next release, and every eighth other one (`--full`: every second): each property and each member of one with a
fitting value by the facts of both releases, each string that either allows, one that neither does, and a name that neither has. Heat
of the release refuses exactly what `check` calls an error. The facts themselves are compared with the classes in `tools/tests/test_generators.py`.
"""

import json
import re

import house
from generators import property_mistakes as made
from judges.judge import Judge
from parts.check import BY_SERVICE, question, refusal_of

FACTS = sorted((house.ROOT / "crates" / "heat-facts" / "data").glob("heat-*.json"))
OTHERS = 8


def run(figures, full):
    """The part."""
    for older, newer in zip(FACTS, FACTS[1:]):
        if not house.installed(older.stem):
            figures.skip(older.stem, "it cannot be installed")
            continue
        number = int(older.stem.rpartition("-")[2])
        own, later = (json.loads(path.read_text(encoding="utf-8"))["types"] for path in (older, newer))
        _compare(figures, number, list(_templates(own, later, OTHERS // 4 if full else OTHERS)))


def _name(number):
    """The release of OpenStack, as `--heat` takes it: two a year, and Heat 26 is 2026.1."""
    return f"{2026 + (number - 26) // 2}.{(number - 26) % 2 + 1}"


def _templates(own, later, step):
    """(the type, whether it differs, a template) for types of either release."""
    same = 0
    for kind in sorted({*own, *later}):
        sides = [side.get(kind, {}).get("properties", {}) for side in (own, later)]
        differs = own.get(kind) != later.get(kind)
        same += not differs
        if not (differs or same % step == 1) or not any(sides):
            continue
        base = made.members(sides[0])
        for schema in sides[: 1 + differs]:
            for name, prop in schema.items():
                for value in _values(prop):
                    yield kind, differs, made.template(kind, list({**base, name: value}.items()))
        yield kind, differs, made.template(kind, [*base.items(), ("no-such-property", 1)])


def _values(prop):
    """Values of a property: one that fits, each one that is listed and one that is not, and each member of a map."""
    yield made.value(prop)
    for constraint in prop.get("constraints", []):
        yield from (it for it in constraint.get("allowed_values", []) if prop["type"] == "string")
        if "allowed_values" in constraint and prop["type"] == "string":
            yield "no-such-value"
    inner = prop.get("items", prop)
    for member, nested in inner.get("members", {}).items():
        for value in (made.value(nested), "no-such-value"):
            whole = {**made.members(inner["members"]), member: value}
            yield [whole] if prop["type"] == "list" else whole


def _compare(figures, number, templates):
    folder = house.scratch("releases")
    for at, (_, _, text) in enumerate(templates):
        (folder / f"{at:05}.yaml").write_text(text, encoding="utf-8")
    done = house.hotplate("check", "--format", "json", "--heat", _name(number), str(folder))
    report = json.loads(done.stdout)
    figures.must(int(report["heat"].partition(".")[0] == str(number)), 1, f"facts of Heat {number} judge what is for {_name(number)}")
    errors = {}
    for finding in report["findings"]:
        if finding["severity"] == "error" and finding["place"] and finding["code"] != BY_SERVICE:
            errors.setdefault(int(re.search(r"(\d+)\.yaml$", finding["place"]["path"])[1]), finding)
    with Judge(heat=house.ORACLES / f"heat-{number}") as judge:
        answers = judge.ask([question(text) for _, _, text in templates])
    differing, agreed, unjudged, unlike = 0, 0, 0, []
    for at, ((kind, differs, text), answer) in enumerate(zip(templates, answers)):
        refusal, error = refusal_of(answer), errors.get(at)
        # The plugin asks a service that is not there.
        if refusal and "AttributeError" in refusal.get("message", ""):
            unjudged += 1
            continue
        differing += differs
        if (refusal is None) == (error is None):
            agreed += 1
        else:
            unlike.append(f"{kind}: Heat: {str(refusal)[:160]}\n    hotplate: {error and error['code']} {error and error['message'][:120]}\n{text}")
    label = f"templates for Heat {number} ({differing} of types that the next release changed): refused by both, or by neither"
    figures.must(agreed, len(templates) - unjudged, label, unlike)
    refused = sum(refusal_of(answer) is not None for answer in answers)
    figures.must(int(refused > len(templates) // 20 and differing > 50), 1, f"enough of them are refused ({refused}) or of types that differ")
