"""Every template of the corpus as Heat resolves it, alone and with invented values, compared key for key.

Parameters are the judge's; files and nested templates are not there for either side.
"""

import house
from judges import evaluation
from judges.judge import Judge

# What of the corpus the part cannot do without.
NEEDS = ("templates",)

VERSION_KEYS = ["heat_template_version", "HeatTemplateFormatVersion", "AWSTemplateFormatVersion"]
KEYS = ["parameters", "conditions", "resources", "disabled_resources", "outputs"]


def _texts():
    """The templates of the corpus: (path, text)."""
    for path in house.files_below(house.CORPUS):
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        if any(key in text for key in VERSION_KEYS):
            yield path.relative_to(house.CORPUS), text


def _leaves(ours, theirs, path=()):
    """The places where two answers differ, and how many places there are."""
    if isinstance(theirs, dict) and isinstance(ours, dict) and set(ours) == set(theirs) and "$unknown" not in ours:
        for key in theirs:
            yield from _leaves(ours[key], theirs[key], (*path, key))
        if list(ours) != list(theirs):
            yield (*path, "order"), list(ours), list(theirs)
    elif isinstance(theirs, list) and isinstance(ours, list) and len(ours) == len(theirs):
        for number, (one, other) in enumerate(zip(ours, theirs)):
            yield from _leaves(one, other, (*path, number))
    else:
        yield path, ours, theirs


def run(figures, full):
    """The part."""
    found = list(_texts())
    with Judge() as judge:
        asked = [{"op": "resolve", "template": text, "client": True, "fill": True} for _, text in found]
        theirs = judge.ask(asked, remember=True)
    # What does not even load, and wrong schemas of parameters, are not the evaluation's.
    judged = [(path, text, answer) for (path, text), answer in zip(found, theirs) if "parameters" in answer]
    requests = [{"template": text, "parameters": answer["parameters"], "fill": True} for _, text, answer in judged]
    tally = _Tally()
    for (path, _, answer), mine in zip(judged, evaluation.evaluate(requests, "eval")):
        tally.add(path, mine, answer)
    figures.must(tally.same, tally.well, "templates that Heat resolves: the same values, key for key", tally.misses)
    figures.must(tally.failed_alike, tally.failed, "templates in which Heat finds something wrong: the same failures in the same places, and the same values", tally.failed_misses,
                 empty_is_well=True)
    figures.must(tally.cfn_same, tally.cfn, "templates in Heat's CFN formats, among all of these: the same in every respect")
    figures.count(tally.equal, tally.places, "values that are equal")


def wrong_places(ours, theirs):
    """What differs in two answers."""
    wrong = []
    _Tally()._compare(ours, theirs, wrong)
    return wrong


class _Tally:
    def __init__(self):
        self.well = self.same = self.failed = self.failed_alike = self.places = self.equal = self.cfn = self.cfn_same = 0
        self.misses, self.failed_misses = [], []

    def add(self, path, ours, theirs):
        wrong = []
        if "unread" in ours:
            wrong.append(ours["unread"])
        else:
            self._compare(ours, theirs, wrong)
        # Only errors of the sections that an evaluation reads: it is given the parameters.
        well = theirs["ok"] or all(error["stage"].startswith("parameter") for error in theirs["errors"])
        if well:
            self.well += 1
            self.same += not wrong
        else:
            self.failed += 1
            self.failed_alike += not wrong
        if theirs["version"][0] != "heat_template_version":
            self.cfn += 1
            self.cfn_same += not wrong
        if wrong:
            (self.misses if well else self.failed_misses).append(f"{path}: " + "\n  ".join(wrong[:3]))

    def _compare(self, ours, theirs, wrong):
        stages = [stage for stage in evaluation.failed_stages(theirs) if not stage[0].startswith("parameter")]
        if evaluation.failed_stages(ours) != stages:
            wrong.append(f"wrong sections: {evaluation.failed_stages(ours)}, Heat: {stages}")
        for place, mine, other in _leaves(evaluation.plain({key: ours.get(key) for key in KEYS}), evaluation.plain({key: theirs.get(key) for key in KEYS})):
            self.places += 1
            if evaluation.spelled(mine) == evaluation.spelled(other):
                self.equal += 1
            else:
                wrong.append(f"{'.'.join(map(str, place))}: {mine!r:.300}, Heat: {other!r:.300}")
