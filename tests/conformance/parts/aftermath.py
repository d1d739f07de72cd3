"""What an update leaves behind: the hazards of `hotplate diff` beside what Heat's engine leaves on the stand-in cloud, in both orders where Heat promises none.

A harm is a resource that the service refuses or that waits in vain, or an object that is gone or changed after an update that is complete. A hazard without a harm
in either order is a false alarm; one that `diff` takes for certain must be a harm in both. What does not come back is no harm by itself (`no-way-back`).
"""

import collections
import json
import pathlib
import shutil

import house
from generators import aftermath_cases, cloud_deployments
from judges import updates

ORDERS = ("create-first", "delete-first")
# Without `--full`, one of so many runs.
OF = 17
# Without `--full`, one of so many properties that leave the template.
OF_REMOVED = 5
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
        sides = _written(folder, f"{number:04}", old, new)
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
    _ways_back(figures, folder, cases if full else cases[::4])
    _removed(figures, folder, full)


def _written(folder, name, old, new):
    """The paths of both templates, with the files beside them."""
    sides = []
    for side, files in (("old", old), ("new", new)):
        place = folder / f"{name}-{side}"
        place.mkdir(parents=True)
        for file, tree in files.items():
            (place / file).write_text(json.dumps(tree), encoding="utf-8")
        sides.append(str(place / "root.yaml"))
    return sides


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


def _ways_back(figures, folder, cases):
    """Updates that fail, with a resource more: it fails first, or when everything else is done. Heat rolls back, or an update with the old template
    follows. What neither brings back is a harm."""
    requests, told = [], {}
    for number, (name, old, new) in enumerate(cases):
        if name.startswith(LAZY):
            continue
        there, wrong = updates.diff(old, new)
        back, wrong_back = updates.diff(new, old)
        entries = [*there.values(), *back.values()]
        if wrong or wrong_back or any(updates.decision(entry) == "refused" for entry in entries):
            continue
        told[name] = {one["kind"] for entry in entries for kind in ("hazards", "machine_effects") for one in entry.get(kind, ()) if kind == "hazards" or "leaves the template" in one["because"]}
        for when in ("first", "last"):
            place = folder / f"{number:04}-fails-{when}"
            shutil.copytree(pathlib.Path(new).parent, place)
            failing = place / "root.yaml"
            tree = json.loads(failing.read_text(encoding="utf-8"))
            tree["resources"]["fails"] = {"type": "OS::Heat::TestResource", "properties": {"fail": True}, "depends_on": list(tree["resources"]) if when == "last" else []}
            failing.write_text(json.dumps(tree), encoding="utf-8")
            for order in ORDERS:
                common = {"old": old, "order": order, "fresh": True, "folder": True}
                ways = {**common, "new": str(failing), "rollback": True}, {**common, "new": old, "between": [str(failing)], "sides": [old, str(failing)]}
                requests += [(name, f"fails {when}, {order}", way) for way in ways]
    with updates.Updates() as judge:
        answers = judge.run([request for *_, request in requests])
    by_case = collections.defaultdict(list)
    for at in range(0, len(requests), 2):
        (name, situation, _), both = requests[at], answers[at:at + 2]
        apart = next((_apart(answer) for answer in both if _apart(answer)), None)
        harms = [_harm(answer) for answer in both]
        by_case[name].append((apart, f"{situation}: rolled back: {harms[0]}; with the old template: {harms[1]}" if all(harms) and not apart else None))
    harmed, found, missed, warned, shown, quiet = 0, 0, [], 0, 0, []
    for name, ways in by_case.items():
        if any(apart for apart, _ in ways):
            continue
        harms = [harm for _, harm in ways if harm]
        if harms:
            harmed += 1
            found += bool(told[name])
            missed += [] if told[name] else [f"{name}: {'; '.join(harms)}"]
        if "no-way-back" in told[name]:
            warned += 1
            shown += bool(harms)
            quiet += [] if harms else [name]
    figures.must(found, harmed, "updates that leave, when they fail, what neither a rollback nor the old template restores have a hazard", missed)
    figures.count(shown, warned, "updates with `no-way-back` leave such a thing on the cloud, which knows no data", quiet)


def _removed(figures, folder, full):
    """Properties that leave the template: what the service keeps, or refuses to go without, is reported."""
    cases, requests = [], []
    for number, (kind, what, old, new) in enumerate(list(aftermath_cases.removed())[::1 if full else OF_REMOVED]):
        sides = _written(folder, f"{number:04}-removed", old, new)
        entries, wrong = updates.diff(*sides)
        entry = entries.get("r1")
        # A replacement and a refusal have figures of their own, and a name is what the service makes of it.
        if wrong or not entry or updates.decision(entry) not in ("update", "noop-update") or what == "removed: name":
            continue
        cases.append((f"{kind}, {what}", entry))
        requests.append({"old": sides[0], "new": sides[1], "fresh": True, "folder": True})
    with updates.Updates() as judge:
        answers = judge.run(requests)
    well, wrong, apart = 0, [], []
    for (name, entry), answer in zip(cases, answers):
        # Heat's own faults, and what the template may not be without.
        if (why := _apart(answer)) or "UnboundLocalError" in answer["states"][-1]["reason"] or (answer["states"][-1]["status"] == "FAILED" and answer["resources"]["r1"]["what"] == "untouched"):
            apart.append(f"{name}: {why or answer['states'][-1]['reason'][:90]}")
            continue
        told = {hazard["kind"] for hazard in entry.get("hazards", ())} | {effect["kind"] for effect in entry.get("machine_effects", ()) if "leaves the template" in effect["because"]}
        harm = _harm(answer)
        expected = set() if not harm else {"refused"} if answer["states"][-1]["status"] == "FAILED" else {"lost", "not-applied"}
        if well_told := told <= expected and bool(told) == bool(expected):
            well += well_told
        else:
            wrong.append(f"{name}: {', '.join(sorted(told)) or 'nothing'}; {harm or 'fine'}")
    figures.say(f"{len(apart)} properties apart: the template may not be without them, or Heat fails by a fault of its own")
    figures.must(well, len(cases) - len(apart), "properties that leave the template: what the service keeps or refuses is reported, and nothing else", wrong)


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
