"""Expressions over the whole library of yaql, made by kinds: arguments fit what a function declares, mostly.

Everything comes from a seed: the same seed and number make the same request.
"""

import random

from judges import yaql_library
from judges.yaql_sides import encoded

# --- data

INTS = [0, 1, -1, 2, 3, 5, 7, 10, 12, 64, 100, 255, -7, 1000, 2 ** 31, 2 ** 63 - 1, 2 ** 63, -2 ** 63, 2 ** 70, 10 ** 20]
SMALL = [0, 1, -1, 2, 3, 4, 5, 6, 7, -2, -3, 10]
FLOATS = [0.0, -0.0, 0.5, 1.0, 1.5, 2.5, -1.5, 3.14, 1e16, 1e-7, 1.5e300, 1e22, 0.1, 100.0, 2.0 ** 53]
TEXTS = ["", "a", "b", "ab", "abc", "A", "x", "z", "0", "1", "12", "-3", "1.5", " 7 ", "a,b", "a,b,,c", "k=v", "10.0.0.4", "some text", "  pad ", "Foo_Bar", "FooBar", "true", "null", "é", "ß", "日本語",
         "😀x", "tab\there", "two\nlines", "it's", 'say "hi"', "back\\slash", "`tick`", "aXbXc", "aaa", "2015-8-29", "2008-09-03T20:56:35.450686+03:00", "{0}-{1}", "[a-c]+", "name", "id", "key"]
KEYS = ["a", "b", "c", "k", "x", "id", "name", "tags", "key", "value", "ab"]
WORDS = ["a", "b", "c", "x", "y", "abc", "name", "Foo", "_z", "ключ"]
PATTERNS = ["a", "[a-c]+", r"\d+", r"(\d+)\.?(\d+)?", r"(?P<w>\w+)", r"(a)|(b)", "^a", "b$", ".", r"\s*", "x?", "(?i)A", r"(a)(?=b)", "[^a]", r"\bword\b", r"(\w)\1", "(", "a{2}", r"(?<!x)a", "ä|é", ""]
FORMATS = ["%Y-%m-%d", "%H:%M:%S", "%A, %d. %B %Y %I:%M%p", "%j %U %w", "%z", "%%", "%f"]
DATES = ["2015-8-29", "2008-09-03T20:56:35.450686", "20080903", "2008-09-03T20:56:35Z", "2001-02-03 04:05:06+02:00", "1999-12-31", "10:30", "nonsense"]


class Data:
    """The names below `$.data` and their kinds."""

    KINDS = {
        "n": "int", "i": "int", "f": "float", "b": "bool", "s": "text", "t": "text", "nul": "null", "ints": ("list", "int"), "texts": ("list", "text"), "floats": ("list", "float"),
        "mixed": ("list", "any"), "rows": ("list", "row"), "map": ("dict", "int"), "names": ("dict", "text"), "maps": ("dict", "row"), "lists": ("dict", ("list", "text")),
        "nested": ("list", ("list", "int")), "pairs": ("list", "pair"), "none": ("list", "any"), "empty": ("dict", "any"), "row": "row", "any": "any",
    }
    ROW = {"id": "int", "name": "text", "tags": ("list", "text"), "x": "float", "on": "bool", "key": "text", "sub": ("dict", "int")}

    def __init__(self, source):
        self.random = source

    def value(self, kind, depth=2):
        """A value of a kind."""
        choice, chance = self.random.choice, self.random.random
        if chance() < 0.03:
            return None
        if isinstance(kind, tuple):
            length = choice([0, 1, 1, 2, 2, 3, 3, 4, 6])
            if kind[0] == "list":
                return [self.value(kind[1], depth - 1) for _ in range(length)]
            return {choice(KEYS): self.value(kind[1], depth - 1) for _ in range(length)}
        if kind == "row":
            return {name: self.value(inner, depth - 1) for name, inner in self.ROW.items() if chance() < 0.9}
        if kind == "pair":
            return [choice(KEYS), self.value("any", 0)]
        if kind == "any":
            kinds = ["int", "float", "bool", "text", "null", "text", "int"]
            if depth > 0:
                kinds += [("list", "any"), ("dict", "any")]
            return self.value(choice(kinds), depth - 1)
        return {"int": lambda: choice(SMALL) if chance() < 0.75 else choice(INTS), "float": lambda: choice(FLOATS), "bool": lambda: chance() < 0.5, "text": lambda: choice(TEXTS),
                "null": lambda: None}[kind]()

    def all(self):
        """The whole: what `$` is."""
        made = {name: self.value(kind) for name, kind in self.KINDS.items()}
        made["none"], made["empty"] = [], {}
        return {"data": made}


# --- what functions yield

_RESULTS = {
    "int": "len count indexOf lastIndexOf indexWhere lastIndexWhere int bitwiseAnd bitwiseOr bitwiseXor bitwiseNot sign shiftBitsLeft shiftBitsRight selectCase "
           "#property#day #property#hour #property#minute #property#month #property#second #property#year #property#weekday #property#microsecond",
    "float": "float #property#days #property#hours #property#minutes #property#seconds #property#milliseconds #property#timestamp",
    "bool": "bool isBoolean isDatetime isDict isEmpty isInteger isIterable isList isNumber isRegex isSet isString isTimespan any all contains containsKey containsValue startsWith "
            "endsWith matches #operator_=~ #operator_!~ #operator_< #operator_> #operator_<= #operator_>= *equal *not_equal #operator_in #unary_operator_not",
    "text": "str toUpper toLower trim trimLeft trimRight substring hex norm escapeRegex concat format replaceBy",
    "list": "where filter select map selectMany skip limit take append distinct enumerate range orderBy orderByDescending keys values items toList reverse zip zipLongest slice splitWhere "
            "sliceWhere splitAt rightSplit toCharArray searchAll examine list flatten insert insertMany replaceMany defaultIfEmpty groupBy accumulate takeWhile skipWhile #list join cycle "
            "repeat generate generateMany memorize thenBy thenByDescending split selectAllCases characters",
    "dict": "dict toDict mergeWith #map deleteAll",
    "set": "toSet union intersect difference symmetricDifference add remove",
    "datetime": "datetime now #property#date #property#utc", "timespan": "timespan localtz utctz #property#offset #property#time", "regex": "regex",
    "context": "let with def unpack",
}
RESULTS = {name: kind for kind, names in _RESULTS.items() for name in names.split()}
# What yields one kind or another, as its first argument has it.
LIKE_FIRST = {"replace", "#operator_+", "#operator_-", "#operator_*", "#operator_/", "#operator_mod", "delete", "set", "abs", "pow", "round", "#unary_operator_-", "#unary_operator_+",
              "max", "min", "sum", "assert"}
# Lambdas that are asked whether something holds, and those of two arguments.
PREDICATES = {"where", "filter", "any", "all", "indexWhere", "lastIndexWhere", "takeWhile", "skipWhile", "splitWhere", "sliceWhere", "assert", "selectCase", "selectAllCases", "examine"}
PAIRS = {"reduce", "aggregate", "accumulate", "join", "mergeWith"}
ENDLESS = {"sequence", "cycle", "repeat", "generate", "generateMany"}
# Big arguments would keep Python busy for hours.
HEAVY = {"pow", "shiftBitsLeft", "#operator_*", "repeat"}
# No two runs agree on these.
CHANCE = {"now", "random"}
NOT_CALLED = {"#finalize", "#iter"}
SYMBOLS = {"*equal": "=", "*not_equal": "!="}

OPTIONS = [
    {"heat": True}, {}, {"limit_iterators": 5}, {"memory_quota": 400}, {"memory_quota": 1500, "limit_iterators": 50}, {"sets_to_lists": True}, {"tuples_to_lists": False},
    {"iterable_dicts": True}, {"tests": True}, {"delegates": True, "heat": True},
]


class Generator:
    """A source of expressions."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.functions = [f for f in yaql_library.functions() if f.module != "yaqlized" and f.name not in NOT_CALLED]
        self.making = {}
        for function in self.functions:
            for kind in self._results(function):
                self.making.setdefault(kind, []).append(function)
        self.used = {}
        # What the collection before a lambda holds.
        self.element = "any"

    @staticmethod
    def _results(function):
        if function.name in CHANCE:
            return []
        if function.name in LIKE_FIRST and function.parameters:
            first = yaql_library.kind_of(function.parameters[0].kind)
            return {"number": ["int", "float"], "iterable": ["list"]}.get(first, [first])
        known = RESULTS.get(function.name)
        if known is None:
            return ["any"]
        first = yaql_library.kind_of(function.parameters[0].kind) if function.parameters else None
        if function.name == "join" and "text" in [yaql_library.kind_of(p.kind) for p in function.parameters]:
            return ["text"]
        if function.name == "concat" and first == "iterable":
            return ["list"]
        return [known]

    def pick(self, items):
        return self.random.choice(items)

    def chance(self, part):
        return self.random.random() < part

    # --- requests

    def request(self, n):
        """The request of a number."""
        self.random.seed(f"{n} yaql")
        data = Data(self.random).all()
        options = OPTIONS[0] if self.chance(0.8) else self.pick(OPTIONS[1:])
        self.delegates = bool(options.get("tests") or options.get("delegates"))
        scope = {"$": "root"}
        if self.chance(0.5):
            text = self.call(self.functions[n % len(self.functions)], self.pick([1, 2, 2, 3]), scope)
        else:
            text = self.of(self.pick(["int", "float", "bool", "text", "list", "dict", "set", "any", "any", "list", "list", "datetime", "timespan", "context"]), self.pick([1, 2, 3, 3, 4]), scope)
        if self.chance(0.04):
            text = self.bent(text)
        request = {"expression": text, "data": encoded(data), "options": options}
        if "random" in text:
            request["options"] = {**options, "seed": self.random.randrange(100)}
        return request

    def bent(self, text):
        """A text that is probably no expression any more."""
        for _ in range(self.pick([1, 1, 2])):
            at = self.random.randrange(len(text) + 1)
            roll = self.random.random()
            if roll < 0.4:
                text = text[:at] + text[at + 1:]
            elif roll < 0.7:
                text = text[:at] + self.pick(list("()[]{},.$'\"`=>+-*/ \\?!@#%&:;0a_") + ["=>", "->", "?.", " and ", " not ", "__", "é", "$1", "1e5", "..", ",,"]) + text[at:]
            else:
                other = self.random.randrange(len(text) + 1)
                text = text[:min(at, other)] + text[max(at, other):]
        return text

    # --- literals

    def number(self, small=False):
        value = self.pick(SMALL) if small or self.chance(0.8) else self.pick(INTS)
        return str(value)

    def text(self, value=None):
        """A text in one of its quotings."""
        if value is None:
            if self.chance(0.2):
                return self.pick(WORDS)
            value = self.pick(TEXTS)
        roll = self.random.random()
        if roll < 0.15 and not value.endswith("\\"):
            return "`" + value.replace("`", "\\`") + "`"
        quote = "'" if roll < 0.65 else '"'
        escaped = value.replace("\\", "\\\\").replace(quote, "\\" + quote)
        if self.chance(0.5):
            escaped = escaped.replace("\n", "\\n").replace("\t", "\\t")
        if self.chance(0.05):
            escaped += self.pick(["\\x41", "\\u00e9", "\\101", "\\N{DIGIT ONE}", "\\q", "\\a"])
        return quote + escaped + quote

    def literal(self, kind):
        if isinstance(kind, tuple):
            kind = kind[0]
        if kind == "any":
            kind = self.pick(["int", "text", "text", "bool", "null", "float", "list", "dict"])
        if kind == "number":
            kind = self.pick(["int", "int", "float"])
        if kind == "int":
            return self.number()
        if kind == "float":
            value = self.pick(FLOATS)
            return repr(value) if "e" not in repr(value) else self.pick(["1.5", "0.25"])
        if kind == "bool":
            return self.pick(["true", "false"])
        if kind == "text":
            return self.text()
        if kind == "null":
            return "null"
        if kind == "dict":
            return "{" + ", ".join(f"{self.literal(self.pick(['text', 'text', 'int']))} => {self.literal(self.pick(['int', 'text']))}" for _ in range(self.pick([0, 1, 2, 3]))) + "}"
        if kind == "set":
            inner = self.pick(["int", "int", "text"])
            return "set(" + ", ".join(self.literal(inner) for _ in range(self.pick([0, 1, 2, 3, 4]))) + ")"
        if kind == "datetime":
            return self.pick([f"datetime({self.text(self.pick(DATES[:-1]))})", "datetime(2015, 8, 29)", "datetime(2006, 11, 21, 16, 30)", "datetime(1164126600)", "datetime(2020, 2, 29, 1, 2, 3, 4)"])
        if kind == "timespan":
            return self.pick(["timespan(hours => 2)", "timespan(1)", "timespan(days => -1, minutes => 5)", "timespan()", "timespan(milliseconds => 1500)", "utctz()"])
        if kind == "regex":
            return f"regex({self.text(self.pick(PATTERNS))})"
        if kind == "context":
            return self.pick(["let(v => 1)", "with(2)", "let()", "[1, 2].unpack(p, q)", "def(fn, $ + 1)"])
        if kind == "ordering":
            return "[3, 1, 2].orderBy($)"
        if kind == "iterator":
            return self.pick(["[1, 2, 3].select($)", "range(4)", "[a, b].where(true)"])
        inner = self.pick(["int", "int", "text", "any"]) if kind != "list of lists" else "list"
        return "[" + ", ".join(self.literal(inner) if inner != "any" else self.pick([self.number(), self.text(), "null", "true"]) for _ in range(self.pick([0, 1, 2, 3, 3, 4]))) + "]"

    # --- variables

    def variables(self, kind, scope):
        """Places where a value of the kind is: `any` is one of every kind, if rarely."""
        if kind != "any":
            known = self._variables(kind, {name: of for name, of in scope.items() if of != "any"}, {name: of for name, of in Data.KINDS.items() if of != "any"})
            if self.chance(0.95):
                return known
        return self._variables(kind, scope, Data.KINDS)

    @staticmethod
    def _variables(kind, scope, data):
        found = []
        for name, of in scope.items():
            if of == "root":
                for key, inner in data.items():
                    if _is(inner, kind):
                        found.append(f"{name}.data.{key}")
            elif of == "row":
                found.extend(f"{name}.{key}" for key, inner in Data.ROW.items() if _is(inner, kind))
                if kind in ("dict", "any"):
                    found.append(name)
            elif _is(of, kind):
                found.append(name)
        return found

    # --- expressions of a kind

    def collection(self, element, depth, scope):
        """A collection of a kind of items."""
        places = [f"{name}.data.{key}" for name, of in scope.items() if of == "root" for key, inner in Data.KINDS.items() if inner == ("list", element)]
        if element == "text":
            places += [f"{name}.data.{key}.keys()" for name, of in scope.items() if of == "root" for key in ("map", "names", "maps")]
        if element == "row":
            places += [f"{name}.data.maps.values()" for name, of in scope.items() if of == "root"]
        if element == "pair":
            places += [f"{name}.data.{key}.items()" for name, of in scope.items() if of == "root" for key in ("map", "names", "maps")]
        inner = {**scope, "$": element}
        if depth > 0 and self.chance(0.5):
            base = self.collection(element, depth - 1, scope)
            return base + self.pick([
                lambda: f".where({self.of('bool', depth - 1, inner)})", lambda: ".select($)", lambda: f".skip({self.pick(SMALL[:6])})", lambda: ".distinct()", lambda: f".orderBy({self.of('int', 0, inner)})",
                lambda: ".reverse()", lambda: f".append({self.of(element, 0, scope)})", lambda: f".limit({self.pick([0, 1, 2, 3])})", lambda: ".memorize()", lambda: ".toList()",
                lambda: f".select({self.of(element, depth - 1, inner)})", lambda: f".takeWhile({self.of('bool', 0, inner)})", lambda: f".orderByDescending({self.of('text', 0, inner)})",
                lambda: f".concat({self.collection(element, 0, scope)})", lambda: f".insert(1, {self.of(element, 0, scope)})", lambda: ".toSet()" if element in ("int", "pair") else ".delete(0)",
            ])()
        if places and self.chance(0.7):
            return self.pick(places)
        items = [self.of(element, 0, scope) if element not in ("row", "pair") else self._written(element) for _ in range(self.pick([0, 1, 2, 3, 3, 4]))]
        return f"[{', '.join(items)}]"

    def _written(self, element):
        if element == "pair":
            return f"[{self.text(self.pick(KEYS))}, {self.literal(self.pick(['int', 'text']))}]"
        return "{" + ", ".join(f"{name} => {self.literal(kind)}" for name, kind in Data.ROW.items() if self.chance(0.5)) + "}"

    def of(self, kind, depth, scope):
        """An expression of a kind, or now and then of another."""
        if isinstance(kind, tuple):
            kind = kind[0]
        if self.chance(0.015):
            kind = self.pick(["int", "text", "bool", "null", "list", "dict", "any", "set", "float", "timespan", "regex"])
        if kind == "number":
            kind = self.pick(["int", "int", "float"])
        if kind == "iterable":
            kind = self.pick(["list", "list", "list", "list", "set", "iterator"])
        if depth <= 0 or self.chance(0.2):
            known = self.variables(kind, scope)
            if known and self.chance(0.65):
                return self.pick(known)
            return self.literal(kind)
        if self.chance(0.08):
            return self.shaped(kind, depth, scope)
        if kind == "any":
            kind = self.pick(["any", "int", "text", "list", "dict", "bool"])
        if kind == "iterator":
            return f"{self.of('list', depth - 1, scope)}.{self.pick(['select($)', 'where(true)', 'skip(0)', 'memorize()'])}"
        making = self.making.get(kind)
        if not making:
            return self.literal(kind)
        return self.call(self.pick(making), depth - 1, scope)

    def shaped(self, kind, depth, scope):
        """What binds variables, chooses, or indexes."""
        roll = self.random.random()
        inner = self.pick(["int", "text", "list", "dict", "row", "any"])
        if roll < 0.3:
            name = self.pick(["v", "w", "data", "long_name"])
            return f"(let({name} => {self.of(inner, depth - 1, scope)}) -> {self.of(kind, depth - 1, {**scope, '$' + name: inner})})"
        if roll < 0.4:
            return f"(with({self.of(inner, depth - 1, scope)}) -> {self.of(kind, depth - 1, {**scope, '$': inner})})"
        if roll < 0.5:
            return f"(def(fn, {self.of(kind, depth - 1, {**scope, '$': inner})}) -> fn({self.of(inner, depth - 1, scope)}))"
        if roll < 0.65:
            return f"switch({self.of('bool', depth - 1, scope)} => {self.of(kind, depth - 1, scope)}, true => {self.of(kind, depth - 1, scope)})"
        if roll < 0.75:
            return f"coalesce({self.of('null', depth - 1, scope)}, {self.of(kind, depth - 1, scope)})"
        if roll < 0.85:
            return f"[{self.of(kind, depth - 1, scope)}, {self.of(kind, depth - 1, scope)}][{self.pick(['0', '1', '-1', '2', '$ != null'])}]"
        if roll < 0.92:
            return f"{{k => {self.of(kind, depth - 1, scope)}}}.{self.pick(['k', 'get(k)', 'values().first()', 'get(x, 1)'])}"
        return f"({self.of(kind, depth - 1, scope)} {self.pick(['and', 'or'])} {self.of(kind, depth - 1, scope)})"

    # --- calls

    def call(self, function, depth, scope):
        """A call of one overload."""
        self.used[id(function)] = self.used.get(id(function), 0) + 1
        before, self.element = self.element, self.pick(["int", "int", "text", "text", "row", "row", "pair", "any", "list"])
        try:
            return self._call(function, depth, scope)
        finally:
            self.element = before

    def _call(self, function, depth, scope):
        name, parameters = function.name, function.parameters
        if name.startswith("#property#"):
            return f"{self.receiver(self.argument(function, 0, depth, scope))}.{name.removeprefix('#property#')}"
        if name == "#get_context_data":
            return self.pick(["$", "$1", "$2", "$none", "$data", "$v"])
        if name == "#indexer":
            value = [self.argument(function, n, depth, scope) for n in range(len(parameters))]
            index = value[1:]
            if yaql_library.kind_of(parameters[0].kind) == "dict" and self.chance(0.7):
                index[0] = self.pick(KEYS)
            return f"{self.receiver(value[0])}[{', '.join(index)}]"
        if name in ("#list", "#map"):
            items = [self.of("any", depth, scope) if name == "#list" else self.rule("any", depth, scope) for _ in range(self.pick([0, 1, 2, 3]))]
            return "[" + ", ".join(items) + "]" if name == "#list" else "{" + ", ".join(items) + "}"
        if name in ("#operator_.", "#operator_?."):
            left = self.pick([self.of("dict", depth, scope), self.of("any", depth, scope), self.of("list", depth, scope)])
            right = self.pick(KEYS) if self.chance(0.6) else self.pick(["len()", "select($)", "toString()", "keys()", "toUpper()", "get(k)"])
            return f"{self.receiver(left)}{name.removeprefix('#operator_')}{right}"
        if name == "#operator_->":
            name = self.pick(["v", "x"])
            return f"let({name} => {self.of('any', depth, scope)}) -> {self.of('any', depth, {**scope, '$' + name: 'any'})}"
        if name.startswith(("#operator_", "*")):
            symbol = SYMBOLS.get(name) or name.removeprefix("#operator_")
            if len(parameters) == 1:
                # Takes any number: texts.
                left, right = [self.of(yaql_library.kind_of(parameters[0].kind), depth, scope) for _ in range(2)]
            else:
                left, right = [self.argument(function, n, depth, scope) for n in range(2)]
            made = f"{left} {symbol} {right}"
            return made if self.chance(0.3) else f"({made})"
        if name.startswith("#unary_operator_"):
            symbol = name.removeprefix("#unary_operator_")
            return f"({symbol} {self.argument(function, 0, depth, scope)})"
        if name == "call" and self.chance(0.9):
            target = self.pick(self.functions)
            given = ", ".join(self.argument(target, n, depth - 1, scope) for n, parameter in enumerate(target.parameters) if parameter.default == yaql_library.NO_DEFAULT)
            receiver = f", {self.of('any', depth - 1, scope)}" if self.chance(0.15) else ""
            return f"call({self.text(target.name)}, [{given}], {{}}{receiver})"
        arguments = self.arguments(function, depth, scope)
        called = name + "_" if self.chance(0.005) else name
        if function.method and (not function.function or self.chance(0.6)) and arguments and " => " not in arguments[0]:
            made = f"{self.receiver(arguments[0])}.{called}({', '.join(arguments[1:])})"
        else:
            made = f"{called}({', '.join(arguments)})"
        if name in ENDLESS and self.chance(0.95):
            made += f".take({self.pick([0, 1, 3, 5])})"
        if name in ("let", "with", "def", "unpack") and self.chance(0.9):
            made = f"({made} -> {self.of('any', depth, {**scope, '$a': 'any', '$': 'any'})})"
        return made

    def receiver(self, text):
        """A text that a dot can follow."""
        if text[-1:].isdigit() and not text.startswith("$") or text.startswith(("-", "+", "not ")) or " " in text and not text.endswith((")", "]", "}", "'", '"', "`")):
            return f"({text})"
        depth, quote = 0, None
        for at, char in enumerate(text):
            if quote:
                quote = None if char == quote and text[at - 1] != "\\" else quote
            elif char in "'\"`":
                quote = char
            elif char in "([{":
                depth += 1
            elif char in ")]}":
                depth -= 1
            elif char == " " and depth == 0:
                return f"({text})"
        return text

    def arguments(self, function, depth, scope):
        """The arguments as they are written, with the usual mistakes."""
        written, named = [], []
        position_open = True
        for n, parameter in enumerate(function.parameters):
            if parameter.takes == "rest":
                written.extend(self.argument(function, n, depth, scope) for _ in range(self.pick([0, 1, 2, 2, 3])) if position_open)
                continue
            if parameter.takes == "named":
                named.extend(f"{name} => {self.argument(function, n, depth, scope)}" for name in self.random.sample(["a", "b", "x", "default"], self.pick([0, 1, 2])))
                continue
            optional = parameter.default != yaql_library.NO_DEFAULT
            if optional and self.chance(0.5):
                position_open = False
                continue
            value = self.argument(function, n, depth, scope)
            if n > 0 and (not position_open or self.chance(0.08)) and not function.no_kwargs:
                named.append(f"{parameter.name} => {value}")
                position_open = False
            elif position_open:
                written.append(value)
        if self.chance(0.02) and len(written) > 1:
            written.pop()
        if self.chance(0.02):
            written.append(self.of("any", 0, scope))
        if self.chance(0.01) and len(written) > 1:
            written[self.random.randrange(len(written) - 1)] = ""
        if self.chance(0.01):
            named.append(f"{self.pick(['x', 'start', 'b', '1', 'count'])} => {self.of('any', 0, scope)}")
        return written + named

    def argument(self, function, n, depth, scope):
        """An argument for a parameter."""
        parameter = function.parameters[n]
        kind = yaql_library.kind_of(parameter.kind)
        if parameter.nullable and self.chance(0.02):
            return "null"
        if kind in ("lambda", "method lambda"):
            return self.lambda_(function, n, depth, scope)
        if kind in ("rule", "lazy rule"):
            return self.rule(function.name, depth, scope)
        if kind in ("keyword", "constant"):
            return self.pick(KEYS) if self.chance(0.9) else self.of("text", 0, scope)
        if kind == "expression":
            return self.of("any", depth, scope)
        if kind in ("int", "number") and function.name in HEAVY:
            return self.number(small=True)
        if kind == "text" and parameter.name in ("format",):
            return self.text(self.pick(FORMATS))
        if kind == "text" and function.module == "regex" and parameter.name in ("pattern", "regexp"):
            return self.text(self.pick(PATTERNS))
        if kind == "text" and function.name == "datetime":
            return self.text(self.pick(DATES))
        if kind == "text" and function.name in ("def", "unpack"):
            return self.pick(["fn", "a", "b"])
        if function.name in ("dict",) and kind == "iterable":
            return self.pick(["$.data.pairs" if scope.get("$") == "root" else "[[a, 1], [b, 2]]", "[[1, 2], [3, 4]]", self.of("list", depth, scope)])
        if kind == "bool" and parameter.takes == "one":
            return self.of("bool", 0, scope)
        if kind == "any" and function.name in ("containsKey", "get", "delete") and self.chance(0.7):
            return self.text(self.pick(KEYS))
        if kind in ("iterable", "list", "iterator") and any("lambda" in yaql_library.kind_of(p.kind) for p in function.parameters) and self.chance(0.93):
            return self.collection(self.element, depth, scope) + (".select($)" if kind == "iterator" else "")
        return self.of(kind, depth - 1, scope)

    def rule(self, name, depth, scope):
        if name == "switch":
            return f"{self.of('bool', depth - 1, scope)} => {self.of('any', depth - 1, scope)}"
        return f"{self.of(self.pick(['text', 'text', 'int', 'any']), depth - 2, scope)} => {self.of('any', depth - 1, scope)}"

    def lambda_(self, function, n, depth, scope):
        """The body of a lambda; what it is called on is known by what the collection was made of."""
        element = self.element
        inner = {**scope, "$": element}
        if function.name in PAIRS:
            inner.update({"$1": element, "$2": element})
            if self.chance(0.5):
                return self.pick(["$1 + $2", "$1", "$2", "[$1, $2]", "$1 = $2", "max($1, $2)", "true", "concat(str($1), str($2))", "$1 < $2"])
        if function.name in PREDICATES:
            if self.chance(0.5):
                return self.pick(["$", "true", "$ != null", "$ > 1", "$ = 2", "isString($)", "not $", "$ in [1, 2, a]", "len(str($)) > 1", "$ < b"])
            return self.of("bool", depth - 1, inner)
        if function.name == "generate":
            return ["$ < 10", "$ + 2", "$ * $"][min(n - 1, 2)] if self.chance(0.8) else self.of("any", depth - 1, inner)
        if function.name == "generateMany":
            return self.pick(["[]", "switch($ < 3 => [$ + 1, $ + 2], true => [])", "$.data.lists.get($, [])", "[$]"])
        if function.module == "regex":
            return self.pick(["$.value", "$.start", "$", "$2.value", "$.value + '!'", "[$.start, $.end]", "$w", "$3", "null", "toUpper($.value)"])
        if self.chance(0.3):
            return self.pick(["$", "$.name", "$[0]", "$ + 1", "str($)", "[$, 1]", "-$", "$.id", "$.get(a)", "len($)", "$ mod 2", "{a => $}", "$x", "null", "$.key + '!'"])
        return self.of("any", depth - 1, inner)

    def unused(self):
        """Overloads that no request has called."""
        return [f for f in self.functions if id(f) not in self.used]


def _is(has, wanted):
    """Whether a value of one kind will do for another."""
    if isinstance(has, tuple):
        has = has[0]
    return wanted == "any" or has == wanted or has == "any" or wanted == "number" and has in ("int", "float") or wanted == "iterable" and has == "list"
