"""yaql's own unit tests, with a side of ours in place of its interpreter.

    yaql_unittests.py ours|judge > RESULTS

The tests are those of the installed package. What they evaluate goes to the side, and comes back as Python values, or is raised as the
exception of the same class; their own assertions judge. A test that uses the Python side of yaql (it registers a function, hands over
Python's own callables or objects, sets up engines and contexts, …) has nothing to ask of a side: the first such use ends it.
"""

import builtins
import collections.abc  # yaql's modules expect it to be loaded
import datetime
import importlib
import json
import pkgutil
import re
import sys
import time
import types
import unittest

import yaql
from dateutil import parser as dateutil_parser
from yaql.language import exceptions

from judges import yaql_judge, yaql_sides

# Which of Python's iterators yaql makes itself: `with($.select($)) -> …` in place of a generator.
ITERATORS = (types.GeneratorType, type(iter([])), type(iter(())))
SEED = 1


class Host(BaseException):
    """A test uses the Python side of yaql or version 0.2; no assertion of it catches this."""


class NotKnown(Exception):
    """The side answers that the result is not known."""


class Crash(Exception):
    """The side has no answer."""


# --- a stand-in for testtools, of which yaql's tests use little

class _Matcher:
    def __init__(self, wanted):
        self.wanted = wanted


class LessThan(_Matcher):
    """Matches what is less."""

    def matches(self, found):
        return found < self.wanted


def _stand_in():
    class TestCase(unittest.TestCase):
        """unittest's, with the one assertion that testtools adds and yaql's tests make of values."""

        def assertThat(self, found, matcher):
            if not isinstance(matcher, LessThan):
                raise Host("evaluates nothing through the language's own interface")
            self.assertTrue(matcher.matches(found), f"{found!r} is not less than {matcher.wanted!r}")

    matchers = types.ModuleType("testtools.matchers")
    matchers.LessThan = LessThan
    for name in ("HasLength", "AllMatch", "IsInstance"):
        setattr(matchers, name, type(name, (_Matcher,), {}))
    module = types.ModuleType("testtools")
    module.TestCase, module.matchers = TestCase, matchers
    sys.modules["testtools"], sys.modules["testtools.matchers"] = module, matchers


# --- values on their way

def to_side(value):
    """A Python value as requests hold it; an iterator as a list, told by the second result."""
    if isinstance(value, ITERATORS):
        return to_side(list(value))[0], True
    if isinstance(value, range):
        return to_side(list(value))
    if value is None or isinstance(value, (bool, str, int, float)):
        return yaql_sides.encoded(value), False
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value], False
    if isinstance(value, dict):
        return {"m": [[_plain(key), _plain(item)] for key, item in value.items()]}, False
    if isinstance(value, (datetime.datetime, datetime.timedelta)):
        return yaql_judge.encoded(value), False
    raise Host(f"data is a Python {type(value).__name__}")


def _plain(value):
    encoded, iterator = to_side(value)
    if iterator:
        raise Host("data holds a Python iterator")
    return encoded


class Thing:
    """A value that is no data."""

    def __init__(self, name):
        self.name = name


def from_side(value):
    """An encoded value in Python."""
    if isinstance(value, list):
        return [from_side(item) for item in value]
    if isinstance(value, dict):
        (kind, inner), = list(value.items())[:1]
        if kind == "t":
            return tuple(from_side(item) for item in inner)
        if kind == "m":
            return {from_side(key): from_side(item) for key, item in inner}
        if kind == "s":
            # What cannot be in a set of Python is in one of yaql.
            return {tuple(item) if isinstance(item, list) else item for item in map(from_side, inner)}
        if kind == "u":
            raise NotKnown
        if kind == "o":
            return Thing(inner)
    return yaql_judge.decoded(value)


def listed(value):
    """The same with lists in place of sets."""
    if isinstance(value, (list, set)):
        return [listed(item) for item in value]
    return {key: listed(item) for key, item in value.items()} if isinstance(value, dict) else value


def raised(answer):
    """The exception of an answer."""
    name, message = answer["error"], answer.get("message", "")
    if name == "unknown":
        return NotKnown()
    kind = getattr(exceptions, name, None) or getattr(builtins, name, None) or {"error": re.error, "ParserError": dateutil_parser.ParserError}.get(name)
    if kind is None or not issubclass(kind, Exception):
        return Crash(f"{name}: {message}")
    made = kind.__new__(kind)
    made.args = (message,)
    return made


# --- the tests' side

class Variables:
    """A context of which only variables are set."""

    def __init__(self, values=None):
        self.values = dict(values or {})

    def __setitem__(self, name, value):
        self.values[name.lstrip("$") or "1"] = value

    def __getitem__(self, name):
        return self.values.get(name.lstrip("$") or "1")

    def create_child_context(self):
        return Variables(self.values)

    def register_function(self, *_, **__):
        raise Host("registers a Python function")

    def __call__(self, *_, **__):
        raise Host("calls functions from Python")

    def __getattr__(self, name):
        raise Host(f"contexts in Python: {name}")


class Bridge:
    """What evaluates for the tests."""

    def __init__(self, side):
        self.side = side
        self.asked = 0

    def evaluate(self, expression, data, variables, options):
        self.asked += 1
        options = {**options, "seed": SEED, "now": time.time_ns() // 1000}
        encoded, iterator = to_side(data)
        prefix = "with($.select($)) -> " if iterator else ""
        given = {}
        for name, value in variables.items():
            given[name], iterator = to_side(value)
            prefix += f"let({name} => ${name}.select($)) -> " if iterator else ""
        request = {"expression": prefix + expression, "data": encoded, "variables": given, "options": options}
        answer = self.side.ask(request)
        if yaql_sides.has_unknown(answer) and options.get("sets_to_lists"):
            # The list has an order that Python does not fix; the tests take any.
            answer = self.side.ask({**request, "options": {**options, "sets_to_lists": False}})
            if "error" not in answer:
                return listed(from_side(answer["value"]))
        if "error" in answer:
            raise raised(answer)
        return from_side(answer["value"])


# Names of options in Python and in requests.
_NAMES = {"yaql.limitIterators": "limit_iterators", "yaql.memoryQuota": "memory_quota", "yaql.convertTuplesToLists": "tuples_to_lists", "yaql.convertSetsToLists": "sets_to_lists",
          "yaql.iterableDicts": "iterable_dicts"}


def _options(given, **more):
    unknown = set(given) - set(_NAMES)
    if unknown:
        raise Host(f"options of an engine: {', '.join(sorted(unknown))}")
    return {**more, **{_NAMES[name]: value for name, value in given.items()}}


def patch(base, bridge):
    """Puts the bridge into the class that yaql's tests are derived from."""

    def context(self):
        if self._context is None:
            self._context = Variables()
        return self._context

    def set_context(self, value):
        self._context = value

    def evaluate(self, expression, data=None, context=None):
        context = context or self.context
        # As the original does: a variable of the test's own context.
        context["data"] = data
        variables = {name: data if name == "data" else value for name, value in context.values.items()}
        return bridge.evaluate(expression, data, variables, _options(self.engine_options, delegates=True))

    def legacy(self, expression, data=None, context=None):
        raise Host("uses yaql 0.2, which Heat does not")

    def host(_):
        raise Host("uses an engine or a context of Python's")

    base.context = property(context, set_context)
    base.engine = base.legacy_engine = base.legacy_context = property(host)
    base.eval, base.legacy_eval, base.legacy_eval_new_engine = evaluate, legacy, legacy
    yaql.eval = lambda expression, data=None: bridge.evaluate(expression, data, {}, {})


def suites():
    """The test classes of the installed package: (module, class)."""
    import yaql.tests

    for info in sorted(pkgutil.iter_modules(yaql.tests.__path__), key=lambda info: info.name):
        module = importlib.import_module(f"yaql.tests.{info.name}")
        for value in list(vars(module).values()):
            if isinstance(value, type) and issubclass(value, unittest.TestCase) and value.__module__ == module.__name__:
                yield info.name, value


def outcome(case, bridge):
    """What became of a test: (its state, why)."""
    before = bridge.asked
    try:
        case.setUp()
        getattr(case, case._testMethodName)()
    except Host as host:
        return "host", str(host)
    except Exception as failed:  # an assertion, or what the side raised
        return "failed", f"{type(failed).__name__}: {failed}"
    if bridge.asked == before:
        return "host", "evaluates nothing through the language's own interface"
    return "passed", ""


def main(which):
    # What tests print themselves is no result.
    results, sys.stdout = sys.stdout, sys.stderr
    _stand_in()
    from yaql import tests

    with (yaql_sides.ours() if which == "ours" else yaql_sides.judge()) as side:
        bridge = Bridge(side)
        patch(tests.TestCase, bridge)
        for module, suite in suites():
            for method in unittest.TestLoader().getTestCaseNames(suite):
                state, why = outcome(suite(method), bridge)
                print(json.dumps([f"{module}.{suite.__name__}.{method}", state, why]), file=results)


if __name__ == "__main__":
    main(sys.argv[1])
