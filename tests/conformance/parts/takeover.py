"""The take-over with the real provider: a stack that Heat created is exported, the services are listed with openstackclient, `render --adopt` writes a
configuration with import blocks, and OpenTofu plans, applies and plans again.

The first plan imports and has nothing to add, change or destroy, but what HP0912 declares; the apply asks no service to change anything; the second plan is
empty. What differs otherwise is a row of `known/takeover.tsv`.
"""

import collections
import re

import house
from judges import systems

JUDGES = ("tofu", "provider")
# One of so many deployments of the corpus runs without `--full`.
OF_CORPUS, OF_GENERATED = 40, 4


def run(figures, full):
    """The part."""
    folder = house.scratch("takeover")
    known = systems.Known("takeover", full)
    with systems.Systems() as judge:
        for group, of in (("generated", OF_GENERATED), ("corpus", OF_CORPUS)):
            (folder / group).mkdir()
            requests = systems.generated(folder / group, "takeover") if group == "generated" else systems.corpus(figures, folder / group, "takeover", 1 if full else of)
            names = list(requests)[::1 if full or group == "corpus" else of]
            _compare(figures, known, group, names, judge.run([requests[name] for name in names]))
    known.tell(figures)


def _compare(figures, known, group, names, answers):
    """The figures of one set."""
    apart, ran, objects, figures_of = collections.Counter(), 0, 0, {"first": [0, []], "writes": [0, []], "second": [0, []]}
    declared = 0
    for case, answer in zip(names, answers):
        if "plans" not in answer:
            apart[re.sub(r"'[^']*'|[0-9a-f-]{32,}|\d+", "…", str(answer.get("state") or answer.get("error") or answer))[:110]] += 1
            continue
        ran += 1
        known.judged(group, case)
        plans = [*answer["plans"], [], []][:2]
        objects += sum(change["imports"] for change in plans[0])
        declared += len(answer["declared"])
        wrong = {"first": [("plan", each) for each in answer["wrong"]] + _changes(plans[0]), "second": _changes(plans[1]) + [(change["type"], "imports again") for change in plans[1] if change["imports"]],
                 "writes": [("apply", _call(each)) for each in answer["writes"]] + [("objects", each) for each in answer["left"]]}
        for what, pairs in wrong.items():
            new = [pair for pair in pairs if not known.has(group, case, *pair)]
            figures_of[what][0] += not new
            figures_of[what][1] += ["\t".join((group, case, *pair)) for pair in new]
    figures.say(f"{group}: {ran} of {len(names)} stacks are created by Heat and exported; {objects} objects are imported; {declared} are declared not to be (HP0912)")
    for reason, count in apart.most_common(6):
        figures.say(f"{group}: apart: {count} {reason}")
    if group == "generated":
        figures.must(ran, len(names), "generated stacks that Heat creates", [f"{count} {reason}" for reason, count in apart.items()])
    if ran:
        for what, label in (("first", "first plans with nothing to add, change or destroy"), ("writes", "applies that ask for nothing, after which every object is as before"), ("second", "second plans that are empty")):
            figures.must(figures_of[what][0], ran, f"{group}: {label}, but for known differences", figures_of[what][1])


def _changes(plan):
    """What a plan does beside the imports: the type with what is done to which arguments."""
    return [(change["type"], f"{'/'.join(change['actions'])} {field}".strip()) for change in plan if change["actions"] != ["no-op"] for field in change["replaces"] or change["fields"] or [""]]


def _call(text):
    """A request without the names of objects."""
    return " ".join(re.sub(r"/\w+:[^/ ]*", "/…", text).split()[1:3])
