"""PyPI yaql beside the bridge: the same requests, the same answers.

    yaql_judge.py < REQUESTS > ANSWERS
"""
import collections.abc  # yaql's modules expect it to be loaded
import datetime
import json
import random
import re
import struct
import sys

import yaql
from yaql import legacy
from yaql.language import utils

EPOCH = datetime.datetime(1970, 1, 1)
MICROSECOND = datetime.timedelta(microseconds=1)
ADDRESS = re.compile(r' at 0x[0-9a-f]+')
sys.set_int_max_str_digits(0)


def encoded(value):
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return {'i': str(value)}
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
        return int(inner)
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


ENGINES, CONTEXTS, PARSED = {}, {}, {}


def setting(options):
    """The engine and the context that options ask for."""
    key = json.dumps(options, sort_keys=True)
    if key not in ENGINES:
        given = dict(options)
        edition = given.pop('edition', 'standard')
        delegates = given.pop('delegates', False)
        wanted = {}
        if given.pop('heat', False):
            wanted.update({'yaql.limitIterators': 200, 'yaql.memoryQuota': 10000})
        if given.pop('tests', False):
            wanted.update({'yaql.limitIterators': 100, 'yaql.memoryQuota': 20000,
                           'yaql.convertSetsToLists': True})
            delegates = True
        given.pop('now', None), given.pop('seed', None)
        names = {'limit_iterators': 'limitIterators', 'memory_quota': 'memoryQuota',
                 'tuples_to_lists': 'convertTuplesToLists', 'sets_to_lists': 'convertSetsToLists',
                 'iterable_dicts': 'iterableDicts'}
        wanted.update({'yaql.' + names[name]: value for name, value in given.items()})
        factory = legacy.YaqlFactory if edition == 'legacy' else yaql.YaqlFactory
        ENGINES[key] = factory(allow_delegates=delegates).create(wanted)
        create = yaql.create_context if edition == 'standard' else legacy.create_context
        CONTEXTS[key] = create(delegates=delegates)
    return key, ENGINES[key], CONTEXTS[key]


def answer(request):
    key, engine, base = setting(request.get('options', {}))
    text = request['expression']
    try:
        if (key, text) not in PARSED:
            PARSED[key, text] = engine(text)
        if 'seed' in request.get('options', {}):
            random.seed(request['options']['seed'])
        found = PARSED[key, text].evaluate(decoded(request.get('data')), base.create_child_context())
        return {'value': encoded(found)}
    except Exception as raised:  # whatever it raises is the answer
        return {'error': type(raised).__name__, 'message': ADDRESS.sub('', str(raised))}


def main():
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))))


if __name__ == '__main__':
    main()
