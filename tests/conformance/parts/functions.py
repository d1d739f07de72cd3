"""Calls of every function with arguments of all shapes: the same value as Heat, or the same class of failure in the same place."""

import collections
import json

from generators import calls, versions
from judges import evaluation
from judges.judge import Judge

# Calls of one function in all versions together; with --full so many more.
COUNT = 1000
MORE = 5
# Calls in one template: Heat reads all outputs or none, so those that are refused stand alone.
TOGETHER = 24

# The judge gets its questions with sorted keys.
_SURROUNDINGS = {"attrs": calls.ATTRIBUTES, "files": calls.FILES, "facade": calls.FACADE}


def _made(count):
    """(version, function, call, whether it is a condition)"""
    having = collections.Counter(name for version in versions.VERSIONS for name in calls.names(version))
    for version in versions.VERSIONS:
        source = calls.Calls(version, "functions")
        for name in calls.names(version):
            for _ in range(-(-count // having[name])):
                yield version, name, source.call(name), False
        if versions.has(version, "if"):
            for name in calls.CONDITION_FUNCTIONS:
                for _ in range(-(-count // 6)):
                    yield version, name, source.condition_call(name), True
        # Names that are known and refused, with calls inside them.
        removed = [name for name, until in versions.UNTIL.items() if until < version]
        for name in removed:
            for _ in range(-(-count // 100)):
                yield version, "removed", {name: source.value()}, False


def _template(version, chosen):
    """The calls as the outputs, or the conditions, of one template."""
    outputs = {f"o{n}": call for n, (_, _, call, condition) in chosen if not condition}
    conditions = {f"c{n}": call for n, (_, _, call, condition) in chosen if condition}
    return json.dumps(calls.template(version, outputs, conditions))


def _ask(version, chosen):
    return {"op": "resolve", "client": True, "template": _template(version, chosen), **_SURROUNDINGS}


def _answer(answer, number, condition):
    """What became of one call: its value or the class of its failure."""
    section = answer.get("conditions" if condition else "outputs")
    found = (section or {}).get(("c" if condition else "o") + str(number))
    value = evaluation.spelled(found if condition or found is None else found["value"])
    return evaluation.failed_stages(answer), value


def run(figures, full):
    """The part."""
    made = list(_made(COUNT * MORE if full else COUNT))
    with Judge() as judge:
        known = judge.ask([{"op": "resolve", "client": True, "template": _template("2021-04-16", [])}])[0]["parameters"]
        common = {"fill": True, "parameters": known, **json.loads(json.dumps(_SURROUNDINGS, sort_keys=True))}
        ours = evaluation.evaluate([{"template": _template(case[0], [(n, case)]), **common} for n, case in enumerate(made)], "functions")
        groups = _groups(made, ours)
        answers = judge.ask([_ask(made[group[0]][0], [(n, made[n]) for n in group]) for group in groups])
        theirs = {}
        again = []
        for group, answer in zip(groups, answers):
            if len(group) > 1 and answer["errors"]:
                again.extend(group)
                continue
            for n in group:
                theirs[n] = _answer(answer, n, made[n][3])
        singly = judge.ask([_ask(made[n][0], [(n, made[n])]) for n in again])
        theirs.update((n, _answer(answer, n, made[n][3])) for n, answer in zip(again, singly))
    _tell(figures, made, ours, theirs)


def _groups(made, ours):
    """Numbers of calls that are asked for together."""
    fine = collections.defaultdict(list)
    for n, case in enumerate(made):
        alone = "unread" in ours[n] or ours[n]["errors"]
        fine[case[0], case[3], n if alone else None].append(n)
    return [numbers[at:at + TOGETHER] for numbers in fine.values() for at in range(0, len(numbers), TOGETHER)]


# Calls that become data where the template tells their value.
FOLDED = {"Fn::Base64", "Fn::Select", "Fn::Split", "Fn::MemberListToMap", "str_split"}


def _set_apart(value):
    """Whether hotplate may have a value where Heat fails, or fail otherwise, for a reason that is known: a call holds

    * something that is computed and thrown away: an argument that a function ignores, or the other items of a collection in the template;
    * a call that hotplate has turned into data, in a place where Heat wants data and finds a call;
    * `make_url` of a placeholder of the judge, which has items where Heat's text has none.
    """
    if isinstance(value, list):
        return any(map(_set_apart, value))
    if not isinstance(value, dict):
        return False
    if len(value) == 1:
        (name, argument), = value.items()
        if name == "Fn::Select" and isinstance(argument, list) and any(isinstance(item, (list, dict)) or not item for item in argument[1:]):
            return True
        if name == "str_split" and isinstance(argument, list) and len(argument) > 3:
            return True
        if isinstance(argument, dict) and set(argument) - {"template", "params", "for_each", "permutations"} and "template" in argument:
            return True
        parts = argument if isinstance(argument, list) else list(argument.values()) if isinstance(argument, dict) and len(argument) > 1 else [argument]
        if any(isinstance(part, dict) and len(part) == 1 and set(part) <= FOLDED for part in parts):
            return True
        if name == "make_url" and isinstance(argument, dict) and "get_attr" in argument:
            return True
    return any(map(_set_apart, value.values()))


def _tell(figures, made, ours, theirs):
    apart = []
    judged, equal, failing, misses = collections.Counter(), collections.Counter(), collections.Counter(), collections.defaultdict(list)
    for n, (version, name, call, condition) in enumerate(made):
        label = f"{name} in conditions" if condition else name
        mine = ("unread", ours[n]["unread"]) if "unread" in ours[n] else _answer(ours[n], n, condition)
        judged[label] += 1
        failing[label] += bool(theirs[n][0]) or "$error" in theirs[n][1]
        if mine == theirs[n]:
            equal[label] += 1
            continue
        told = f"{version} {json.dumps(call)}\n  Heat: {theirs[n]}\n  ours: {mine}"
        if _set_apart(call) and (theirs[n][0] or "$error" in theirs[n][1]):
            judged[label] -= 1
            apart.append(told)
        else:
            misses[label].append(told)
    figures.count(len(apart), len(made), "calls that fail in Heat and otherwise here, for a known reason", apart)
    for label in judged:
        figures.must(equal[label], judged[label], f"calls of {label}: the same value or class of failure ({failing[label]} fail)", misses[label])
