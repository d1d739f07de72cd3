"""How fast our interpreter is beside PyPI yaql: the same expressions, parsed and evaluated over and over, on the same machine."""

import math

from generators import yaql_corpus
from judges import yaql_sides

# How many times as fast it must be, in a release build.
WANTED = 100
SECONDS = 0.05
# Of the corpus as many; all with `--full`.
CORPUS = 40

_ROWS = [{"id": n, "name": f"server{n}", "role": ["web", "db", "cache"][n % 3], "tags": ["a", "b"], "address": f"10.0.0.{n}", "size": n * 7 % 11} for n in range(20)]
_DATA = {"n": 3, "text": "some text, with words", "numbers": list(range(20)), "rows": _ROWS, "map": {f"k{n}": n for n in range(12)}, "words": ["one", "two", "three", "one"],
         "a": {"x": {"y": [1, 2]}, "list": [1]}, "b": {"x": {"z": 2}, "list": [2]}}
TYPICAL = [
    "1 + 2 * 3", "$.data.n", "$.data.text.toUpper()", "$.data.text.split(',').select($.trim())", "$.data.numbers.where($ > 10)", "$.data.numbers.select($ * $).sum()",
    "$.data.rows.where($.role = web).select($.name)", "$.data.rows.groupBy($.role, $.name)", "$.data.rows.orderBy($.size).thenByDescending($.id).select($.id)",
    "$.data.rows.toDict($.name, $.address)", "dict($.data.map.items().where($[1] > 3))", "$.data.map.keys().join(',')", "$.data.a.mergeWith($.data.b)",
    "let(r => $.data.rows) -> $.data.words.select(len($)) + $r.select($.id)", "$.data.words.distinct().orderBy($)", "switch($.data.n > 2 => big, true => small)",
    "$.data.text =~ '(\\w+) text'", "regex(`(\\w+)`).searchAll($.data.text)", "$.data.numbers.reduce($1 + $2)", "range(50).select(str($)).join('-')",
    "def(f, switch($ < 2 => 1, true => $ * f($ - 1))) -> f(10)", "[1, 2, 3].zip([a, b, c]).toDict($[1], $[0])", "'{0}:{1}'.format($.data.n, $.data.text)", "datetime('2015-08-29').format('%Y-%m')",
    "$.data.rows.selectMany($.tags).len()", "coalesce(null, $.data.n) in $.data.numbers",
]


def _requests(full):
    made = [{"expression": text, "data": yaql_sides.encoded({"data": _DATA})} for text in TYPICAL]
    corpus = list(yaql_corpus.well_shaped())
    step = 1 if full else max(1, len(corpus) // CORPUS)
    return [{**request, "options": {"heat": True}, "seconds": SECONDS} for request in made + corpus[::step]]


def run(figures, full):
    """The part."""
    yaql_sides.require()
    figures.has("templates", what="expressions of the corpus")
    requests = _requests(full)
    # One after the other: two at a time would measure the machine.
    mine = yaql_sides.ask_all(yaql_sides.ours, requests, workers=1)
    theirs = yaql_sides.ask_all(yaql_sides.judge, requests, workers=1)
    both = [(request["expression"], one, other) for request, one, other in zip(requests, mine, theirs) if "parse" in other]
    measured = [(text, one, other) for text, one, other in both if "parse" in one]
    figures.must(len(measured), len(both), "expressions have a value on both sides", [f"{text}: {one}" for text, one, _ in both if "parse" not in one])
    if not measured:
        return
    for what, of in (("parsing", lambda answer: answer["parse"]), ("evaluating", lambda answer: answer["evaluate"]), ("parsing and evaluating", lambda answer: answer["parse"] + answer["evaluate"])):
        ratios = sorted((of(other) / of(one), text) for text, one, other in measured)
        mean = math.exp(sum(math.log(ratio) for ratio, _ in ratios) / len(ratios))
        figures.say(f"{what}: {mean:.0f} times as fast in the geometric mean, {ratios[0][0]:.0f} at least ({ratios[0][1][:80]}), {ratios[-1][0]:.0f} at most")
        figures.count(sum(ratio >= WANTED for ratio, _ in ratios), len(ratios), f"expressions are {WANTED} times as fast at {what}", [f"{ratio:8.1f} {text}" for ratio, text in ratios])
    release = all(one["release"] for _, one, _ in measured)
    build = "" if release else ", of a build that is not optimised"
    figures.wanted(mean, WANTED, f"times as fast at parsing and evaluating, in the geometric mean{build}")
