"""What the installed package declares: every function of yaql's standard library with its parameters, read from its contexts."""

import collections
import collections.abc  # yaql's modules expect it to be loaded

import yaql
from yaql.language import specs, utils, yaqltypes

Parameter = collections.namedtuple("Parameter", "name kind nullable default takes")
Function = collections.namedtuple("Function", "level module name function method no_kwargs parameters")

# The kinds of arguments, by Python type of `PythonType` and by smart type.
_TYPES = {"int": "int", "bool": "bool", "object": "any", "Mapping": "dict", "Set": "set", "Sequence": "list", "tuple": "list", "timedelta": "timespan", "datetime": "datetime",
          "Pattern": "regex", "OrderingIterable": "ordering", "NoneType": "null", "ContextBase": "context", "MappingRule": "rule"}
_SMART = {"String": "text", "Number": "number", "Integer": "int", "DateTime": "datetime", "Iterable": "iterable", "Iterator": "iterator", "Sequence": "list",
          "Keyword": "keyword", "StringConstant": "constant", "MappingRule": "lazy rule", "YaqlExpression": "expression"}

NO_DEFAULT = "-"


def kind_of(smart):
    """The kind of a smart type, and the smart type as text."""
    name = type(smart).__name__
    if name == "Lambda":
        return "method lambda" if smart.method else "lambda"
    if name in _SMART:
        return _SMART[name]
    if name == "PythonType":
        types = smart.python_type if isinstance(smart.python_type, tuple) else (smart.python_type,)
        return _TYPES.get(types[0].__name__, "any") if len(types) == 1 else "any"
    if name in ("Chain", "AnyOf"):
        return next((kind_of(one) for one in smart.types if isinstance(one, yaqltypes.SmartType) and type(one).__name__ != "NotOfType"), "any")
    return "any"


def _function(level, definition):
    definition = definition.strip_hidden_parameters()
    found = []
    for key, parameter in definition.parameters.items():
        takes = {"*": "rest", "**": "named"}.get(key, "one")
        smart = parameter.value_type
        default = NO_DEFAULT if parameter.default is specs.NO_DEFAULT else "<missing>" if parameter.default is utils.NO_VALUE else repr(parameter.default)
        order = parameter.position if parameter.position is not None else 1000 + (key == "**")
        name = key if takes != "one" else parameter.alias or parameter.name
        found.append((order, Parameter(name, smart, smart.nullable, default, takes)))
    found.sort(key=lambda pair: pair[0])
    # A property's payload is made by `specs`; what it wraps tells whose it is.
    wrapped = [cell.cell_contents for cell in definition.payload.__closure__ or () if callable(cell.cell_contents)]
    modules = [function.__module__ for function in [definition.payload, *wrapped] if hasattr(function, "__module__")]
    module = next((name for name in modules if name != "yaql.language.specs"), "specs").rsplit(".", 1)[-1]
    return Function(level, module, definition.name, definition.is_function, definition.is_method, definition.no_kwargs, [parameter for _, parameter in found])


def functions(delegates=False):
    """Every function, level by level as they are asked."""
    context = yaql.create_context(delegates=delegates)
    level = 0
    while context is not None:
        found = context._functions  # contexts tell functions by name only
        for name in sorted(found):
            here = sorted(found[name], key=lambda f: f.payload.__code__.co_firstlineno)
            yield from (_function(level, definition) for definition in here)
        level += bool(found)
        context = context.parent
