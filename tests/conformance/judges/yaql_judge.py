"""PyPI yaql beside the bridge: the same requests, the same answers.

    yaql_judge.py < REQUESTS > ANSWERS

What takes more than `HANGS` seconds of a processor is `{"error": "hang"}`: endless generators have no answer of their own. With `"today": true`, a text
was read as a date and something of it taken from the day on which it is read.
"""
import collections.abc  # yaql's modules expect it to be loaded
import datetime
import json
import random
import re
import resource
import signal
import struct
import sys
import time

import yaql
from dateutil.parser import _parser as dateutil_parser

EPOCH = datetime.datetime(1970, 1, 1)
MICROSECOND = datetime.timedelta(microseconds=1)
ADDRESS = re.compile(r' at 0x[0-9a-f]+')
DIGITS = sys.get_int_max_str_digits()
# Seconds of a processor that one request may take, bytes that the process may have, parsed expressions that are kept.
HANGS = 4
MEMORY = 3 << 30
KEPT = 500


class Hang(BaseException):
    """The time of a request is over; nothing in yaql catches it."""


def _ring(*_):
    raise Hang


def _any_length(convert, value):
    """Converts a number of more digits than Python's limit, which holds for the expressions."""
    sys.set_int_max_str_digits(0)
    try:
        return convert(value)
    finally:
        sys.set_int_max_str_digits(DIGITS)


def encoded(value):
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return {'i': _any_length(str, value)}
    if isinstance(value, float):
        return {'f': struct.pack('>d', value).hex()}
    if isinstance(value, list):
        return [encoded(item) for item in value]
    if isinstance(value, tuple):
        return {'t': [encoded(item) for item in value]}
    if isinstance(value, collections.abc.Mapping):
        return {'m': [[encoded(key), encoded(item)] for key, item in value.items()]}
    if isinstance(value, (set, frozenset)):
        return {'s': [encoded(item) for item in value]}
    if isinstance(value, datetime.datetime):
        offset = value.utcoffset()
        return {'d': [(value.replace(tzinfo=None) - EPOCH) // MICROSECOND,
                      None if offset is None else offset // MICROSECOND]}
    if isinstance(value, datetime.timedelta):
        return {'span': str(value // MICROSECOND)}
    return {'o': type(value).__name__, 'text': ADDRESS.sub('', str(value))}


def decoded(value):
    if isinstance(value, list):
        return [decoded(item) for item in value]
    if not isinstance(value, dict):
        return value
    (kind, inner), = value.items()
    if kind == 'i':
        return _any_length(int, inner)
    if kind == 'f':
        return struct.unpack('>d', bytes.fromhex(inner))[0]
    if kind == 't':
        return tuple(decoded(item) for item in inner)
    if kind == 's':
        return {decoded(item) for item in inner}
    if kind == 'm':
        return {decoded(key): decoded(item) for key, item in inner}
    if kind == 'd':
        zone = None if inner[1] is None else datetime.timezone(inner[1] * MICROSECOND)
        return (EPOCH + inner[0] * MICROSECOND).replace(tzinfo=zone)
    if kind == 'span':
        return int(inner) * MICROSECOND
    raise ValueError(kind)


FACTORIES, ENGINES, CONTEXTS, PARSED = {}, {}, {}, {}
# What requests set and yaql does not know.
OURS = ('now', 'seed', 'recursion')


def setting(options):
    """The engine and the context that options ask for."""
    given = {name: value for name, value in options.items() if name not in OURS}
    key = json.dumps(given, sort_keys=True)
    if key not in ENGINES:
        delegates = given.pop('delegates', False)
        wanted = {}
        if given.pop('heat', False):
            wanted.update({'yaql.limitIterators': 200, 'yaql.memoryQuota': 10000})
        if given.pop('tests', False):
            wanted.update({'yaql.limitIterators': 100, 'yaql.memoryQuota': 20000,
                           'yaql.convertSetsToLists': True})
            delegates = True
        names = {'limit_iterators': 'limitIterators', 'memory_quota': 'memoryQuota',
                 'tuples_to_lists': 'convertTuplesToLists', 'sets_to_lists': 'convertSetsToLists',
                 'iterable_dicts': 'iterableDicts'}
        wanted.update({'yaql.' + names[name]: value for name, value in given.items()})
        # Making a parser takes long; options are nothing to it.
        if delegates not in FACTORIES:
            FACTORIES[delegates] = yaql.YaqlFactory(allow_delegates=delegates).create(), yaql.create_context(delegates=delegates)
        engine, CONTEXTS[key] = FACTORIES[delegates]
        ENGINES[key] = engine.copy({**wanted, **engine.options})
    return key, ENGINES[key], CONTEXTS[key]


def evaluated(request):
    """What an expression comes to, as it is in Python."""
    options = request.get('options', {})
    key, engine, base = setting(options)
    text = request['expression']
    if (key, text) not in PARSED:
        if len(PARSED) >= KEPT:
            PARSED.clear()
        PARSED[key, text] = engine(text)
    if 'seed' in options:
        random.seed(options['seed'])
    context = base.create_child_context()
    for name, value in request.get('variables', {}).items():
        context[name] = decoded(value)
    return PARSED[key, text].evaluate(decoded(request.get('data')), context)


class Today:
    """Notes when a text that is read as a date leaves something of the day open: it is taken from today."""

    taken = False

    @classmethod
    def watch(cls):
        real = dateutil_parser.parser._build_naive

        def build(self, found, default):
            cls.taken = cls.taken or None in (found.year, found.month, found.day)
            return real(self, found, default)

        dateutil_parser.parser._build_naive = build


def answer(request):
    Today.taken = False
    found = _answer(request)
    return {**found, 'today': True} if Today.taken else found


def _answer(request):
    signal.setitimer(signal.ITIMER_PROF, request.get('hangs', HANGS))
    sys.setrecursionlimit(request.get('options', {}).get('recursion', 1000))
    try:
        return {'value': encoded(evaluated(request))}
    except Hang:
        return {'error': 'hang'}
    except Exception as raised:  # whatever it raises is the answer
        return {'error': type(raised).__name__, 'message': ADDRESS.sub('', str(raised))}
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def timed(seconds, work):
    """Nanoseconds that a piece of work takes, on average over so many seconds."""
    work()
    count, start = 0, time.perf_counter_ns()
    while count == 0 or time.perf_counter_ns() - start < seconds * 1e9:
        work()
        count += 1
    return (time.perf_counter_ns() - start) / count


def speed(request):
    """How long it takes to parse and to evaluate an expression."""
    _, engine, base = setting(request.get('options', {}))
    data = decoded(request.get('data'))
    parsed = engine(request['expression'])
    try:
        parsed.evaluate(data, base.create_child_context())
    except Exception as raised:  # a failure has no speed
        return {'error': type(raised).__name__, 'message': str(raised)}
    return {'parse': timed(request['seconds'], lambda: engine(request['expression'])),
            'evaluate': timed(request['seconds'], lambda: parsed.evaluate(data, base.create_child_context()))}


def prepare():
    """Bounds for the whole process, and what is watched in it."""
    Today.watch()
    signal.signal(signal.SIGPROF, _ring)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def main():
    prepare()
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps(speed(request) if 'seconds' in request else answer(request)), flush=True)


if __name__ == '__main__':
    main()
