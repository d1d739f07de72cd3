"""Differences between the two sides, made small and grouped by what causes them."""

import collections
import re

import house
from judges import yaql_library, yaql_sides

MINIMISE = [house.PYTHON, str(house.HERE / "judges" / "yaql_minimise.py")]
# Of differences that look alike at first so many are made small.
EACH = 12

_NAME = re.compile(r"[^\W\d]\w*(?=\()|=~|!~|\?\.|->|!=|<=|>=|[-+*/<>]|(?<!=)=(?![>~])|\b(?:and|or|not|in|mod)\b|\[|\{")


def small(misses):
    """Misses made small, one of each cause: [(cause, how many look like it, request with both answers)]."""
    alike = collections.defaultdict(list)
    for miss in misses:
        alike[yaql_sides.kind(miss.ours), yaql_sides.kind(miss.theirs)].append(miss)
    chosen = [miss for found in alike.values() for miss in sorted(found, key=lambda miss: len(miss.request["expression"]))[:: max(1, len(found) // EACH)][:EACH * 2]]
    requests = yaql_sides.ask_all(lambda: yaql_sides.Side(MINIMISE, patience=300), [miss.request for miss in chosen])
    grouped = collections.defaultdict(list)
    for request in requests:
        if "expression" in request:
            grouped[cause(request)].append(request)
    ordered = sorted(grouped.items(), key=lambda item: -len(item[1]))
    return [(name, len(found), min(found, key=lambda request: len(request["expression"]))) for name, found in ordered]


def cause(request):
    """What a small request calls, and what comes of it on both sides."""
    names = sorted(set(_NAME.findall(request["expression"])))
    return f"{' '.join(names)}: {yaql_sides.kind(request['ours'])} for {yaql_sides.kind(request['theirs'])}"


def module(request):
    """The module of yaql that declares what is called last; parsing and calling have names of their own."""
    if {"YaqlLexicalException", "YaqlGrammarException"} & {request["ours"].get("error"), request["theirs"].get("error")}:
        return "parser"
    modules = collections.defaultdict(set)
    for function in yaql_library.functions(delegates=True):
        modules[function.name.removeprefix("#operator_").removeprefix("#property#")].add(function.module)
    found = [modules[name.rstrip("_")] for names in re.findall(r"\.(\w+)|(\w+)(?=\()", request["expression"]) for name in names if name.rstrip("_") in modules]
    return " ".join(sorted(set.union(*found))) if found else "calls and values"


def lines(groups):
    """Groups as text."""
    for name, count, request in groups:
        yield f"[{module(request)}] {name} ({count})\n" + yaql_sides.told(yaql_sides.Miss(request, request["ours"], request["theirs"]))
