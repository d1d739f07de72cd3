"""Every yaql expression of the corpus with generated data, beside PyPI yaql under Heat's options: the same value, or an error of the same class."""

import collections

from generators import yaql_corpus
from judges import yaql_sides
from parts import yaql_generated as part_yaql_generated

# What of the corpus the part cannot do without.
NEEDS = ("templates",)


def run(figures, full):
    """The part."""
    yaql_sides.require()
    found, calls, computed, unread = yaql_corpus.expressions()
    figures.say(f"{calls} calls of yaql write {len(found)} expressions")
    figures.count(len(computed), calls, "calls compute their expression", computed)
    figures.say(f"not read, since they are written in another language for templates: {len(unread)}")
    requests = list(yaql_corpus.requests(full))
    part_yaql_generated.tell(figures, requests, "expressions of the corpus with data")
    # Data that no expression has a value for would compare errors only.
    with_value = collections.Counter(request["expression"] for request, answer in zip(requests, yaql_sides.ask_all(yaql_sides.ours, requests)) if "value" in answer)
    none = [expression for expression in found if not with_value[expression]]
    figures.count(len(found) - len(none), len(found), "expressions have a value for some of their data", none)
