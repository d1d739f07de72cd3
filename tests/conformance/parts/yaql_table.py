"""Every function that the installed package declares is declared here alike: name, form, order, parameters with their types and defaults."""

import collections
import json

import house
from judges import yaql_library, yaql_sides

# Our own names for the types of parameters.
_TYPES = {"object": "Any", "NoneType": "Null", "bool": "Bool", "int": "Int", "Mapping": "Mapping", "Set": "Set", "Sequence": "Sequence", "tuple": "Tuple", "Iterator": "Iterator",
          "timedelta": "TimeSpan", "datetime": "PlainDateTime", "Pattern": "Pattern", "OrderingIterable": "Ordering", "ContextBase": "Context", "MappingRule": "Rule"}
_SMART = {"String": "Text", "Integer": "Integer", "Number": "Number", "DateTime": "DateTime", "Iterator": "Iterator", "Sequence": "Sequence", "MappingRule": "LazyRule",
          "YaqlExpression": "Expression", "StringConstant": "TextConstant"}
# What is not declared here, and why.
APART = {
    "yaqlized": "for Python objects that were made accessible",
    "yaql": "what every result goes through, part of the evaluation here",
}


def _type(smart):
    name = type(smart).__name__
    if name == "Lambda":
        return "MethodLambda" if smart.method else "Lambda"
    if name == "Keyword":
        return "Keyword" if smart.expand else "WrittenKeyword"
    if name == "Iterable":
        # One validator is the type's own; another keeps sets out.
        return "Iterable" if len(smart.validators) == 1 else "IterableButSet"
    if name in _SMART:
        return _SMART[name]
    if name == "PythonType":
        types = smart.python_type if isinstance(smart.python_type, tuple) else (smart.python_type,)
        if types == (object,) and callable in smart.validators:
            return "Callable"
        return " or ".join(_TYPES.get(one.__name__, one.__name__) for one in types)
    return name


def _default(default):
    """A default as we write it."""
    known = {yaql_library.NO_DEFAULT: None, "<missing>": "Missing", "None": "Null", "True": "Bool(true)", "False": "Bool(false)", "datetime.timedelta(0)": "ZeroTimeSpan"}
    if default in known:
        return known[default]
    return f"Int({default})" if default.lstrip("-").isdigit() else f'Text("{default[1:-1]}")'


def _theirs(delegates):
    """(name, form, whether pairs are arguments, parameters) by name and level."""
    found, apart = collections.defaultdict(list), []
    for function in yaql_library.functions(delegates):
        parameters = tuple((p.name, _type(p.kind), p.nullable, _default(p.default) if p.takes == "one" else None) for p in function.parameters)
        line = (function.level, function.name, function.function, function.method, function.no_kwargs, parameters)
        if function.module in APART:
            apart.append((function.module, line))
        else:
            found[function.name].append(line)
    return found, apart


def _ours(table, delegates):
    found = collections.defaultdict(list)
    for entry in table:
        if entry["delegates"] == delegates:
            parameters = tuple((p["name"], p["kind"], p["nullable"], p["default"]) for p in entry["parameters"])
            found[entry["name"]].append((entry["level"], entry["name"], entry["function"], entry["method"], entry["no_kwargs"], parameters))
    return found


def _ranked(lines):
    """The lines with their levels counted from 0."""
    ranks = {level: rank for rank, level in enumerate(sorted({line[0] for line in lines}))}
    return collections.Counter((ranks[line[0]], *line[1:]) for line in lines)


def _told(line):
    _, name, function, method, no_kwargs, parameters = line
    form = " and ".join(word for word, is_it in (("function", function), ("method", method)) if is_it)
    spelled = ", ".join(f"{n}: {kind}{'?' if nullable else ''}{'' if default is None else f' = {default}'}" for n, kind, nullable, default in parameters)
    return f"{name}({spelled}), {form}{', pairs are arguments' if no_kwargs else ''}, level {line[0]}"


def run(figures, _full):
    """The part."""
    yaql_sides.require()
    done = house.run([yaql_sides.BRIDGE, "--table"])
    if done.returncode:
        raise RuntimeError(f"yaql_bridge --table ended with {done.returncode}")
    table = [json.loads(line) for line in done.stdout.splitlines()]
    for delegates, label in ((False, "the standard library"), (True, "the library with delegates")):
        theirs, apart = _theirs(delegates)
        ours = _ours(table, delegates)
        alike, all_, misses, more = 0, 0, [], []
        for name in sorted({*theirs, *ours}):
            mine, other = _ranked(ours[name]), _ranked(theirs[name])
            all_ += other.total()
            alike += (mine & other).total()
            if mine != other:
                misses.extend(f"yaql: {_told(line)}" for line in (other - mine).elements())
                more.extend(f"ours: {_told(line)}" for line in (mine - other).elements())
        spare = [line for line in more if line.split(": ", 1)[1].split("(")[0] not in {name for _, (_, name, *_) in apart}]
        figures.must(alike, all_, f"overloads of {label} are declared here alike", sorted(misses + spare, key=lambda line: line.split(": ", 1)[1]))
        declared = sum(map(len, ours.values()))
        figures.must(declared - len(spare), declared, f"overloads declared here are ones of {label}", spare)
    for module, why in APART.items():
        figures.say("not compared: " + ", ".join(line[1] for owner, line in apart if owner == module) + f" ({why})")
