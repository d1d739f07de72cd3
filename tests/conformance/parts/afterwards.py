"""The same change in Heat and in Terraform: a property of a resource of each modeled type is changed, in Heat by an update on the cloud, and in the
configuration by a second `render` over the applied state, which the real provider plans.

Where one updates in place and the other replaces, `mapping.yaml` of the target says `differs`; where it says so, they differ. Other disagreements are told:
a change that the plan does not see (an argument that is a loss or ignored), a plan that changes what Heat leaves alone.
"""

import collections
import json
import re

import yaml

import house
from generators import cloud_changes
from judges import systems

JUDGES = ("tofu", "provider")
# One of so many types runs without `--full`.
OF_TYPES = 9
# What an update of Heat does, in the words of a plan.
HEAT = {"replaced": "replace", "updated": "update", "updated-nothing": "update", "rebuilt": "update", "untouched": "nothing"}
SAYS = {("update", "replace"): "Heat updates it in place, the provider replaces the resource", ("replace", "update"): "Heat replaces the resource, the provider updates it in place"}


def run(figures, full):
    """The part."""
    folder = house.scratch("afterwards")
    known = systems.Known("afterwards", full)
    mapping = yaml.load((house.TARGETS / "terraform/mapping.yaml").read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)["types"]
    changes = [change for change in cloud_changes.every() if not change.kind.startswith("OS::Heat::") and "to" in (mapping.get(change.kind) or {})]
    kinds = sorted({change.kind for change in changes})
    chosen = kinds if full else kinds[::OF_TYPES]
    changes = [change for change in changes if change.kind in chosen]
    requests = []
    for change in changes:
        paths = [folder / f"{change.name}-{side}.yaml" for side in ("old", "new")]
        for path, template in zip(paths, (change.old, change.new)):
            path.write_text(json.dumps(template), encoding="utf-8")
        requests.append({"do": "afterwards", "old": str(paths[0]), "new": str(paths[1]), "folder": str(folder / change.name), "again": True})
    with systems.Systems() as judge:
        answers = judge.run(requests)
    _tell(figures, known, mapping, changes, answers, len(kinds))
    known.tell(figures)


def _tell(figures, known, mapping, changes, answers, types):
    ran, misses, missing, judged, well, others = 0, [], [], 0, 0, collections.Counter()
    for change, answer in zip(changes, answers):
        wrong = answer.get("state") or answer.get("error") or "; ".join(answer.get("wrong", ()))
        known.judged(change.kind, "run")
        if wrong:
            is_known = known.has(change.kind, "run", re.sub(r"[0-9a-f-]{32,}", "…", wrong))
            ran += is_known
            misses += [] if is_known else [f"{change.kind}\trun\t{wrong}"]
            continue
        ran += 1
        planned = _planned(answer["changes"])
        for resource, name in change.whats.items():
            heat = HEAT.get((answer["heat"].get(resource) or {}).get("what"))
            if name == "nothing" or not heat or answer["heat"][resource].get("failure"):
                continue
            does = planned.get(resource, "nothing")
            says = (mapping[change.kind].get("properties", {}).get(name) or {}).get("differs")
            others[heat, does] += 1
            if "nothing" in (heat, does):
                continue
            judged += 1
            known.judged(change.kind, name)
            right = says == SAYS.get((heat, does)) or known.has(change.kind, name, f"{heat}, {does}", says or "nothing")
            well += right
            missing += [] if right else ["\t".join((change.kind, name, f"{heat}, {does}", says or "nothing"))]
    figures.must(ran, len(changes), f"templates of {len({change.kind for change in changes})} of {types} types that Heat and Terraform create, and that both change", misses)
    figures.must(well, judged, "properties that both change: where one updates in place and the other replaces, the mapping says `differs`, and nowhere else", missing)
    figures.say("Heat, the plan: " + ", ".join(f"{heat}, {does}: {count}" for (heat, does), count in others.most_common()))


def _planned(changes):
    """What the plan does to the object of each resource: of several, the one that is named so."""
    found = {}
    for change in changes:
        name = change["address"].rsplit(".", 1)[-1].partition("[")[0]
        does = "replace" if {"create", "delete"} <= set(change["actions"]) else "update" if change["actions"] == ["update"] else None
        if does:
            found.setdefault(name, does)
    return found
