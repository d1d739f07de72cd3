"""Every yaql expression that the corpus writes down, and data for it."""

import copy
import functools
import random
import re

import yaml

import house
from generators import yaql_shapes
from judges import yaql_judge
from judges.yaql_sides import encoded

# (how often something is missing, of another kind, or empty; how long lists are at most), and how many data sets of the sort.
SORTS = [(dict(), 10), (dict(holes=0.12), 8), (dict(wrong=0.12), 8), (dict(empty=0.6), 4), (dict(holes=0.25, wrong=0.25), 4), (dict(longest=30), 3), (dict(longest=260, empty=0), 1)]
FULL = 8

# A document with pieces of a language for templates in it is read without these.
_PIECES = [(re.compile(r"\{#.*?#\}", re.DOTALL), ""), (re.compile(r"^\s*\{%[^\n]*%\}\s*$", re.MULTILINE), ""), (re.compile(r"\{%.*?%\}", re.DOTALL), ""), (re.compile(r"\{\{.*?\}\}"), "piece")]


class _Loader(yaml.CSafeLoader):
    """Takes every tag for what it is written on."""


def _plain(loader, _suffix, node):
    if isinstance(node, yaml.ScalarNode):
        return loader.construct_scalar(node)
    return loader.construct_sequence(node, deep=True) if isinstance(node, yaml.SequenceNode) else loader.construct_mapping(node, deep=True)


_Loader.add_multi_constructor("!", _plain)
_Loader.add_multi_constructor("tag:yaml.org,2002:timestamp", _plain)


def _documents(text):
    try:
        return list(yaml.load_all(text, _Loader))
    except (yaml.YAMLError, ValueError):
        for pattern, instead in _PIECES:
            text = pattern.sub(instead, text)
    try:
        return list(yaml.load_all(text, _Loader))
    except (yaml.YAMLError, ValueError):
        return None


def _calls(value):
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "yaql" and isinstance(inner, dict) and "expression" in inner:
                yield inner["expression"], inner.get("data")
            yield from _calls(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _calls(inner)


@functools.cache
def expressions():
    """The expressions with the data that templates write beside them, how many calls there are, and what could not be read."""
    found, calls, computed, unread = {}, 0, [], []
    for path in house.files_below(house.CORPUS):
        raw = path.read_bytes()
        if b"yaql" not in raw:
            continue
        documents = _documents(raw.decode("utf-8", "replace"))
        if documents is None:
            unread.append(str(path.relative_to(house.CORPUS)))
            continue
        for expression, data in _calls(documents):
            calls += 1
            if not isinstance(expression, str):
                computed.append(f"{path.relative_to(house.CORPUS)}: {expression!r:.200}")
                continue
            known = found.setdefault(expression, [])
            if data is not None and data not in known and len(known) < 4:
                known.append(data)
    return found, calls, computed, unread


def _literal(value):
    """Whether nothing in a template's value is computed."""
    if isinstance(value, dict):
        if len(value) == 1 and next(iter(value)) in _FUNCTIONS:
            return False
        return all(map(_literal, value.values()))
    return all(map(_literal, value)) if isinstance(value, list) else True


_FUNCTIONS = {"get_param", "get_attr", "get_resource", "get_file", "str_replace", "list_join", "yaql", "if", "map_merge", "map_replace", "list_concat", "list_concat_unique", "repeat",
              "str_split", "filter", "contains", "equals", "not", "and", "or", "digest", "make_url", "str_replace_strict", "str_replace_vstrict", "resource_facade", "Ref", "Fn::GetAtt"}


def _laid(made, written):
    """Made data with what the template itself writes."""
    if _literal(written) and written is not None:
        return copy.deepcopy(written)
    if isinstance(made, dict) and isinstance(written, dict) and not (len(written) == 1 and next(iter(written)) in _FUNCTIONS):
        return {**made, **{key: _laid(made.get(key), value) for key, value in written.items() if key in made or _literal(value)}}
    return made


def _shape(expression):
    _, engine, _ = yaql_judge.setting({"heat": True})
    return yaql_shapes.infer(engine(expression).expression)


def _data(shape, written, source, **sort):
    maker = yaql_shapes.Maker(source, **sort)
    made = maker.make(shape.attribute("data"))
    if written and source.random() < 0.6:
        made = _laid(made, source.choice(written))
    return encoded({"data": made})


def requests(full):
    """Each expression with its data sets, under Heat's options."""
    for expression, written in expressions()[0].items():
        source = random.Random(expression)
        try:
            shape = _shape(expression)
        except Exception:  # what yaql does not parse has no shape; both sides must say so
            yield {"expression": expression, "data": None, "options": {"heat": True}}
            continue
        for sort, count in SORTS:
            for _ in range(count * (FULL if full else 1)):
                yield {"expression": expression, "data": _data(shape, written, source, **sort), "options": {"heat": True}}


def well_shaped():
    """Each expression with one set of data that it has a value for."""
    for expression, written in expressions()[0].items():
        source = random.Random(expression)
        try:
            shape = _shape(expression)
        except Exception:
            continue
        for _ in range(20):
            request = {"expression": expression, "data": _data(shape, written, source, empty=0), "options": {"heat": True}}
            if "value" in yaql_judge.answer(request):
                yield request
                break
