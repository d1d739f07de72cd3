"""What Heat's validation accepts and what fails later: each check of that kind on templates that have its mistake and on templates that do not, all of
which Heat accepts; and calls whose arguments are partly unknown, where `check` reports an error exactly if Heat refuses the template.
"""

import json

import house
from generators import later
from judges.judge import Judge
from parts.check import question, refusal_of

ENOUGH = 20


def run(figures, full):
    """The part."""
    with Judge() as judge:
        for code, cases in later.CHECKS.items():
            _check(figures, judge, code, list(cases()))
        _calls(figures, judge)


def _codes(name, texts):
    """The codes of the findings of each template, with their severities. Each is a folder of its own."""
    folder = house.scratch(f"later-{name}")
    for number, files in enumerate(texts):
        place = folder / f"{number:04}"
        place.mkdir()
        for file, text in zip(("template.yaml", "child.yaml"), files):
            (place / file).write_text(text, encoding="utf-8")
    paths = [str(folder / f"{number:04}" / "template.yaml") for number in range(len(texts))]
    report = json.loads(house.hotplate("check", "--no-discovery", "--format", "json", *paths).stdout)
    found = {path: set() for path in paths}
    for finding in report["findings"]:
        path = finding["place"] and finding["place"]["path"]
        found.get(path, set()).add((finding["code"], finding["severity"]))
    return [found[path] for path in paths]


def _check(figures, judge, code, cases):
    alone = [text for _, text, *rest in cases if not rest]
    refused = {text: refusal_of(answer) for text, answer in zip(alone, judge.ask([question(text) for text in alone], remember=True))}
    usable = [case for case in cases if not _of_validation(refused.get(case[1]))]
    missed, alarms, counts = [], [], {True: 0, False: 0}
    for (positive, *files), found in zip(usable, _codes(code, [case[1:] for case in usable])):
        has = code in {it for it, _ in found}
        counts[positive] += 1
        if has != positive:
            (missed if positive else alarms).append("\n".join(files))
    figures.must(counts[True] - len(missed), counts[True], f"{code}: templates with the mistake, which Heat accepts", missed)
    figures.must(counts[False] - len(alarms), counts[False], f"{code}: templates without it", alarms)
    figures.must(int(min(counts.values()) >= ENOUGH), 1, f"{code}: enough of both ({counts[True]}, {counts[False]})")


def _of_validation(refusal):
    """Whether Heat itself refuses it; a plugin that asks a service that is not there decides nothing."""
    return refusal and "AttributeError" not in json.dumps(refusal)


def _calls(figures, judge):
    texts = list(later.calls())
    answers = judge.ask([question(text) for text in texts], remember=True)
    caught = refused = 0
    alarms, missed = [], []
    for text, answer, found in zip(texts, answers, _codes("calls", [(text,) for text in texts])):
        is_error = any(severity == "error" for _, severity in found)
        if refusal_of(answer) is None:
            alarms += [text] if is_error else []
        else:
            refused += 1
            caught += is_error
            missed += [] if is_error else [f"{json.dumps(refusal_of(answer))[:200]}\n{text}"]
    figures.must(len(texts) - refused - len(alarms), len(texts) - refused, "calls with an attribute that Heat accepts: no error", alarms)
    figures.must(caught, refused, "calls with an attribute that Heat refuses: an error", missed)
