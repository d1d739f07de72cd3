"""What an update leaves behind: the hazards of `hotplate diff` beside what Heat's engine leaves on the stand-in cloud, in both orders where Heat promises none.

A harm is a resource that the service refuses or that waits in vain, or an object that is gone or changed after an update that is complete. A hazard without a harm
in either order is a false alarm; one that `diff` takes for certain must be a harm in both. What does not come back is no harm by itself (`no-way-back`).
"""

import collections
import json

import house
from generators import aftermath_cases, cloud_deployments
from judges import updates

ORDERS = ("create-first", "delete-first")
# Without `--full`, one of so many runs.
OF = 17
# Types whose objects the cloud has only when they are used.
LAZY = ("OS::Zaqar::Queue, ",)
# What only the order of creation decides: nothing is lost.
ORDERED = ("~ l7policy:",)
# Of the harms, so many must be found, in percent.
WANTED = 98


def run(figures, full):
    """The part."""
    folder = house.scratch("aftermath")
    cases, requests = [], []
    chosen = list(aftermath_cases.every())
    for number, (kind, what, old, new) in enumerate(chosen if full else chosen[::OF]):
        sides = []
        for side, files in (("old", old), ("new", new)):
            place = folder / f"{number:04}-{side}"
            place.mkdir(parents=True)
            for name, tree in files.items():
                (place / name).write_text(json.dumps(tree), encoding="utf-8")
            sides.append(str(place / "root.yaml"))
        cases.append((f"{kind}, {what}", *sides))
        requests += [{"old": sides[0], "new": sides[1], "order": order, "fresh": True, "folder": True} for order in ORDERS]
    with updates.Updates() as judge:
        answers = judge.run(requests)
    harmed, found, fine, quiet, sure, held = 0, 0, 0, 0, 0, 0
    stepped = []
    missed, alarms, broken, apart, kinds = [], [], [], [], collections.Counter()
    for number, (name, old, new) in enumerate(cases):
        both = answers[2 * number:2 * number + 2]
        if name.startswith(LAZY):
            apart.append(f"{name}: a queue is made by its first message, which the cloud does not have")
            continue
        if why := next((_apart(answer) for answer in both if _apart(answer)), None):
            apart.append(f"{name}: {why}")
            continue
        entries, wrong = updates.diff(old, new)
        if wrong or any(updates.decision(entry) == "refused" for entry in entries.values()):
            apart.append(f"{name}: {wrong or 'diff says that it is refused'}")
            continue
        told = [hazard for entry in entries.values() for hazard in entry.get("hazards", ()) if hazard["kind"] != "no-way-back"]
        kinds.update(hazard["kind"] for hazard in told)
        harms = [_harm(answer) for answer in both]
        line = f"{name}: {', '.join(sorted({hazard['kind'] for hazard in told})) or 'nothing'}; " + "; ".join(f"{order}: {harm or 'fine'}" for order, harm in zip(ORDERS, harms))
        if told:
            stepped.append((name, old, new))
        if any(harms):
            harmed += 1
            found += bool(told)
            missed += [] if told else [line]
        else:
            fine += 1
            quiet += not told
            alarms += [line] if told else []
        if any(hazard["certain"] for hazard in told):
            sure += 1
            held += all(harms)
            broken += [] if all(harms) else [line]
    figures.say(f"{len(cases)} updates, each in two orders; {len(apart)} apart: not created on the cloud, or refused by Heat's own rules; hazards: " + ", ".join(f"{kind} {count}" for kind, count in kinds.most_common()))
    figures.count(found, harmed, "updates that harm have a hazard", missed)
    enough = -(-harmed * WANTED // 100)
    figures.must(min(found, enough), enough, f"needed to find at least {WANTED} % of the harms", missed)
    figures.must(quiet, fine, "updates that harm in neither order have no hazard", alarms)
    figures.must(held, sure, "updates with a certain hazard harm in both orders", broken)
    _steps(figures, folder, stepped)


def _steps(figures, folder, cases):
    """The sequences that `diff --steps` writes for updates with hazards, on the engine."""
    requests, names, without = [], [], []
    for number, (name, old, new) in enumerate(cases):
        place = folder / f"{number:04}-steps"
        report, wrong = updates.steps(old, new, place)
        files = [str(place / step["file"]) for step in report.get("steps", ())]
        if wrong or not files:
            without.append(f"{name}: {wrong or '; '.join(report['unavoidable'])[:200]}")
            continue
        names.append(name)
        requests += [{"old": old, "new": files[-1], "between": files[:-1], "sides": [old, new], "order": order, "fresh": True, "folder": True} for order in ORDERS]
    with updates.Updates() as judge:
        answers = judge.run(requests)
    done, failed = 0, []
    for number, name in enumerate(names):
        both = answers[2 * number:2 * number + 2]
        wrong = [f"{order}: {_harm_on_the_way(answer)}" for order, answer in zip(ORDERS, both) if _harm_on_the_way(answer)]
        done += not wrong
        failed += [f"{name}: {'; '.join(wrong)}"] if wrong else []
    figures.count(len(names), len(cases), "updates with hazards have a sequence of updates without", without)
    figures.must(done, len(names), "sequences of `diff --steps` end at the new template in both orders with nothing lost", failed)


def _harm_on_the_way(answer):
    """What went wrong in a sequence of updates, or `None`."""
    if why := _apart(answer):
        return why
    for number, state in enumerate(answer["states"][:-1]):
        if state["status"] != "COMPLETE":
            return f"step {number}: {state['action']} {state['status']}: {state['reason'][:90]}"
    return _harm(answer)


def _apart(answer):
    """Why an answer says nothing, or `None`."""
    if answer.get("error"):
        return answer["error"]
    if not answer.get("states") or answer["states"][0]["status"] != "COMPLETE":
        return "not created"
    return f"not modeled: {answer['unmodeled'][0]}" if answer["unmodeled"] else None


def _harm(answer):
    """What went wrong, or `None`."""
    for path, one in sorted(answer["resources"].items()):
        failure = one.get("failure")
        if failure in ("refused", "waits", "fails") and not one.get("unknown") and cloud_deployments.MADE_UP not in one.get("reason", ""):
            return f"{path} {failure}: {one.get('reason', '')[:90]}"
        if one.get("gone"):
            return f"{path} is gone"
    state = answer["states"][-1]
    if state["status"] != "COMPLETE":
        return f"{state['action']} {state['status']}: {state['reason'][:90]}"
    missing = [line for line in answer.get("left") or () if not line.startswith(("+ ", *ORDERED))]
    return f"left: {missing[0]}" if missing else None
