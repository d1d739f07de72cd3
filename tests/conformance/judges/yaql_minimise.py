"""Makes a difference between the two sides small: parts of the expression and of the data are dropped while the difference stays.

    yaql_minimise.py < REQUESTS > REQUESTS

A request that comes out has the same kinds of answers on both sides as before; `ours` and `theirs` are put beside it.
"""

import collections.abc  # yaql's modules expect it to be loaded
import itertools
import json
import sys

from yaql.language import exceptions, expressions, utils

from judges import yaql_judge, yaql_sides

# Candidates that are tried for one difference.
TRIES = 500
# What a part may become.
SIMPLE = ["null", "1", "0", "''", "a", "[]", "{}", "true", "$"]


# --- expressions as trees: (what joins the children, children)

def tree(node):
    """A parsed expression as a tree: a text, or (before, separator, after, children)."""
    if node is utils.NO_VALUE:
        return ""
    if isinstance(node, expressions.Wrap):
        return ("(", "", ")", [tree(node.expr)])
    if isinstance(node, expressions.KeywordConstant):
        return node.value
    if isinstance(node, expressions.Constant):
        return literal(node.value)
    if isinstance(node, expressions.GetContextValue):
        return node.path.value
    if isinstance(node, expressions.MappingRuleExpression):
        return ("", " => ", "", [tree(node.source), tree(node.destination)])
    children = [tree(child) for child in node.args]
    if isinstance(node, expressions.BinaryOperator):
        dense = node.operator in (".", "?.")
        return ("", node.operator if dense else f" {node.operator} ", "", children)
    if isinstance(node, expressions.UnaryOperator):
        return (f"{node.operator} ", "", "", children)
    if isinstance(node, expressions.ListExpression):
        return ("[", ", ", "]", children)
    if isinstance(node, expressions.MapExpression):
        return ("{", ", ", "}", children)
    if isinstance(node, expressions.IndexExpression):
        return ("", "", "", [children[0], ("[", ", ", "]", children[1:])])
    if node.name == "#call":
        return ("", "", "", [children[0], ("(", ", ", ")", children[1:])])
    return (f"{node.name}(", ", ", ")", children)


def literal(value):
    """A constant as it is written."""
    if isinstance(value, str):
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\t", "\\t") + "'"
    return {None: "null", True: "true", False: "false"}[value] if value is None or isinstance(value, bool) else repr(value)


def spelled(node):
    """The text of a tree."""
    if isinstance(node, str):
        return node
    before, separator, after, children = node
    return before + separator.join(map(spelled, children)) + after


def smaller(node):
    """Trees that are smaller by one step, the smallest first."""
    if isinstance(node, str):
        if node not in SIMPLE and node != "":
            yield from SIMPLE
        return
    before, separator, after, children = node
    for child in children:
        if child != "":
            yield child
            if not isinstance(child, str):
                yield ("(", "", ")", [child])
    yield from SIMPLE
    if separator == ", ":
        for n in range(len(children)):
            yield (before, separator, after, children[:n] + children[n + 1:])
    for n, child in enumerate(children):
        for less in smaller(child):
            yield (before, separator, after, [*children[:n], less, *children[n + 1:]])


def smaller_data(value):
    """Data that is smaller by one step."""
    if value is None:
        return
    if isinstance(value, str):
        if value:
            yield from ("", value[:len(value) // 2], value[1:])
        return
    yield None
    if isinstance(value, list):
        yield from value
        for n in range(len(value)):
            yield value[:n] + value[n + 1:]
        for n, item in enumerate(value):
            for less in smaller_data(item):
                yield [*value[:n], less, *value[n + 1:]]
    elif isinstance(value, dict):
        (kind, inner), = value.items()
        if kind == "m":
            for n in range(len(inner)):
                yield {"m": inner[:n] + inner[n + 1:]}
            for n, (key, item) in enumerate(inner):
                for less in smaller_data(item):
                    yield {"m": [*inner[:n], [key, less], *inner[n + 1:]]}
        elif kind == "i" and inner not in ("0", "1", "2"):
            yield from ({"i": "0"}, {"i": "1"}, {"i": "2"})


def smaller_text(text):
    """Texts with a piece left out."""
    size = len(text) // 2
    while size:
        for start in range(0, len(text), size):
            yield text[:start] + text[start + size:]
        size //= 2


# --- the search

class Search:
    """The search for the smallest request with the same difference."""

    def __init__(self, ours):
        self._ours = ours
        self._left = TRIES

    def answers(self, request):
        return self._ours.ask(request), yaql_judge.answer({**request, "hangs": 1})

    def small(self, request):
        """The smallest request found, with both answers."""
        mine, theirs = self.answers(request)
        self._wanted = self._signature(mine, theirs)
        if self._wanted is None:
            return {**request, "ours": mine, "theirs": theirs}
        self._left = TRIES
        while self._left > 0:
            found = next((candidate for candidate in self._candidates(request) if self._keeps(candidate)), None)
            if found is None:
                break
            request = found
        mine, theirs = self.answers(request)
        return {**request, "ours": mine, "theirs": theirs}

    @staticmethod
    def _signature(mine, theirs):
        if yaql_sides.same(mine, theirs):
            return None if yaql_sides.same_words(mine, theirs) else ("words", mine["error"])
        return yaql_sides.kind(mine), yaql_sides.kind(theirs)

    def _keeps(self, request):
        self._left -= 1
        return self._signature(*self.answers(request)) == self._wanted

    def _candidates(self, request):
        text = request["expression"]
        for candidate in itertools.islice(self._expressions(request), 2000):
            if self._left <= 0:
                return
            if len(candidate) < len(text):
                yield {**request, "expression": candidate}
        if request.get("data") is not None:
            for data in smaller_data(request["data"]):
                if self._left <= 0:
                    return
                yield {**request, "data": data}
        for options in ({}, {"heat": True}):
            if len(request.get("options", {})) > len(options):
                yield {**request, "options": options}

    @staticmethod
    def _expressions(request):
        _, engine, _ = yaql_judge.setting(request.get("options", {}))
        try:
            parsed = engine(request["expression"]).expression
        except (exceptions.YaqlException, ValueError, RecursionError):
            yield from smaller_text(request["expression"])
            return
        node = tree(parsed)
        yield spelled(node)
        for less in sorted(map(spelled, itertools.islice(smaller(node), 3000)), key=len):
            yield less


def main():
    yaql_judge.prepare()
    with yaql_sides.ours() as ours:
        search = Search(ours)
        for line in sys.stdin:
            print(json.dumps(search.small(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
