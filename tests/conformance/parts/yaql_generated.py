"""Generated expressions over the whole library of yaql, beside PyPI yaql: the same value, or an error of the same class.

Differences are made small and listed by cause. 100,000 with `--full`.
"""

import collections

import house
from generators import yaql_generate
from judges import yaql_differences, yaql_sides

COUNT = 10_000
FULL = 100_000
SEED = 6
# The share of expressions that may be unknown here although Python has one answer.
CAUTION = 0.001


def run(figures, full):
    """The part."""
    yaql_sides.require()
    source = yaql_generate.Generator(SEED)
    requests = [source.request(n) for n in range(FULL if full else house.drawn(COUNT))]
    figures.must(len(source.functions) - len(source.unused()), len(source.functions), "overloads of the library are called", [f.name for f in source.unused()])
    tell(figures, requests, "expressions")


def tell(figures, requests, what):
    """Compares requests and tells the figures."""
    found = yaql_sides.compare(requests)
    # Not known is never wrong: the order of a set, or an address, that Python looks at without its showing.
    cautious = [miss for miss in found.misses if yaql_sides.has_unknown(miss.ours)]
    wrong = [miss for miss in found.misses if not yaql_sides.has_unknown(miss.ours)]
    groups = yaql_differences.small(wrong)
    figures.must(len(found.same), len(found.same) + len(wrong), f"{what}: the same value, or an error of the same class", list(yaql_differences.lines(groups)))
    judged = len(found.same) + len(found.misses)
    tell_known = figures.count if len(cautious) <= judged * CAUTION else figures.must
    tell_known(judged - len(cautious), judged, f"{what}: known here where Python has one answer (one in a thousand may not be)",
               list(yaql_differences.lines(yaql_differences.small(cautious))))
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
