"""Generated expressions over the whole library of yaql, beside PyPI yaql: the same value, or an error of the same class.

Differences are made small and listed by cause. 100,000 with `--full`.
"""

import collections

import yaql_differences
import yaql_generate
import yaql_sides

COUNT = 10_000
FULL = 100_000
SEED = 6


def run(figures, full):
    """The part."""
    yaql_sides.require()
    source = yaql_generate.Generator(SEED)
    requests = [source.request(n) for n in range(FULL if full else COUNT)]
    figures.must(len(source.functions) - len(source.unused()), len(source.functions), "overloads of the library are called", [f.name for f in source.unused()])
    tell(figures, requests, "expressions")


def tell(figures, requests, what):
    """Compares requests and tells the figures."""
    found = yaql_sides.compare(requests)
    judged = len(found.same) + len(found.misses)
    groups = yaql_differences.small(found.misses)
    misses = list(yaql_differences.lines(groups))
    figures.must(len(found.same), judged, f"{what}: the same value, or an error of the same class", misses)
    worded = yaql_differences.lines(yaql_differences.small(found.words))
    figures.count(len(found.same) - len(found.words), len(found.same), "of these with the same words", worded)
    figures.count(len(found.near), len(requests), "where one side reaches a bound that the other is near to", [requests[n]["expression"] for n in found.near])
    figures.count(len(found.order), len(requests), "with the order that one of several processes of Python gives a set of texts", [requests[n]["expression"] for n in found.order])
    for why, numbers in sorted(found.unknown.items()):
        figures.count(len(numbers), len(requests), f"not known here, and {why}", [requests[n]["expression"] for n in numbers])
    figures.count(len(found.hangs), len(requests), "without an end in Python, and ended here", [requests[n]["expression"] for n in found.hangs])
    causes = collections.Counter(yaql_differences.module(request) for _, _, request in groups)
    if causes:
        figures.say("causes by module: " + ", ".join(f"{module} {count}" for module, count in causes.most_common()))
