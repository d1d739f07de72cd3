"""What data an expression expects, read off from what it does with them, and data made after that."""

import collections.abc  # yaql's modules expect it to be loaded

from yaql.language import expressions, utils

TEXTS = ["", "a", "b", "web", "ctlplane", "10.0.0.1", "fe80::1", "host:8080", "a/b/c", "key=value", "FooBar", "internal_api", "4K", "2M", "64", "1,2", "é", "true", "tripleo_vlan_id=7", "docker.io/web/ceph:4", "docker.io/a/b:c:1", "https://10.0.0.1/a/img:1-2"]
KEYS = ["a", "b", "web", "ctlplane", "internal_api", "FooBar", "service", "é"]
LISTS = set("where filter any all indexWhere lastIndexWhere takeWhile skipWhile orderBy orderByDescending thenBy thenByDescending distinct skip limit take append reverse toList concat count contains zip "
            "first last single select selectMany flatten reduce aggregate groupBy toDict sum max min join slice memorize toSet".split())
TEXT_METHODS = set("split rightSplit replace toLower toUpper startsWith endsWith trim trimLeft trimRight substring matches isEmpty toCharArray".split())
# Those whose arguments are computed for each item.
LAMBDAS = LISTS - set("skip limit take append reverse toList concat count contains zip first last single flatten sum max min join slice memorize toSet".split())
DICTS = set("keys values items get containsKey containsValue mergeWith set delete deleteAll".split())


class Shape:
    """What is known of a value."""

    def __init__(self, *also):
        # Shapes that are as this one.
        self.also = also
        self.kinds, self.attributes, self.positions, self.examples = set(), {}, {}, []
        self._item = self._value = None

    def hint(self, kind):
        """It is of a kind."""
        self.kinds.add(kind)
        for other in self.also:
            other.hint(kind)
        return self

    def example(self, value):
        """It may be this."""
        self.examples.append(value)
        for other in self.also:
            other.example(value)

    def attribute(self, name):
        """What it has under a name."""
        if "list" in self.kinds and "dict" not in self.kinds:
            return Shape.listed(self.item().attribute(name))
        if name not in self.attributes:
            self.hint("dict")
            self.attributes[name] = Shape(*(other.attribute(name) for other in self.also))
        return self.attributes[name]

    def item(self):
        """What each of its items is."""
        if self._item is None:
            self.hint("list")
            self._item = Shape(*(other.item() for other in self.also))
        return self._item

    def value(self):
        """What each value is, as a dictionary."""
        if self._value is None:
            self.hint("dict")
            self._value = Shape(*(other.value() for other in self.also))
        return self._value

    def position(self, at):
        """What stands at a position."""
        if self._item is not None and not self.positions:
            return self._item
        if at not in self.positions:
            self.hint("list")
            self.positions[at] = Shape(*(other.position(at) for other in self.also))
        return self.positions[at]

    @staticmethod
    def listed(item):
        """A list of such items, that is computed."""
        made = Shape()
        made.kinds.add("list")
        made._item = item
        return made

    @staticmethod
    def rowed(*positions):
        """A list of just these."""
        made = Shape()
        made.kinds.add("list")
        made.positions = dict(enumerate(positions))
        return made


def infer(parsed):
    """The shape of `$`."""
    root = Shape()
    _walk(parsed, {"$": root})
    return root


def _walk(node, env):
    if node is utils.NO_VALUE:
        return Shape()
    if isinstance(node, expressions.Wrap):
        return _walk(node.expr, env)
    if isinstance(node, expressions.Constant):
        made = Shape()
        made.kinds.add({str: "text", bool: "bool", int: "number", float: "number"}.get(type(node.value), "null"))
        return made
    if isinstance(node, expressions.GetContextValue):
        name = node.path.value
        return env.get("$" if name == "$1" else name) or Shape()
    if isinstance(node, expressions.MappingRuleExpression):
        return _walk(node.destination, env)
    if isinstance(node, expressions.BinaryOperator):
        return _operator(node, env)
    if isinstance(node, expressions.IndexExpression):
        value = _walk(node.args[0], env)
        index = node.args[1] if len(node.args) > 1 else None
        if isinstance(index, expressions.Constant) and isinstance(index.value, int):
            return value.position(index.value)
        if isinstance(index, expressions.UnaryOperator):
            return value.item()
        return _keyed(value, index, env)
    if isinstance(node, expressions.ListExpression):
        return Shape.rowed(*(_walk(child, env) for child in node.args))
    if isinstance(node, expressions.Function):
        return _function(node, env)
    return Shape()


def _keyed(value, key, env):
    if isinstance(key, expressions.Constant) and isinstance(key.value, str):
        return value.attribute(key.value)
    if key is not None:
        named = _walk(key, env).hint("text")
        for name in KEYS:
            named.example(name)
    return value.value()


def _operator(node, env):
    left, right = node.args
    if node.operator in (".", "?."):
        base = _walk(left, env)
        if isinstance(right, expressions.KeywordConstant):
            return base.attribute(right.value)
        return _method(base, right, env) if isinstance(right, expressions.Function) else Shape()
    if node.operator == "->":
        inner = dict(env)
        if isinstance(left, expressions.Function) and left.name == "let":
            for argument in left.args:
                if isinstance(argument, expressions.MappingRuleExpression):
                    inner["$" + str(getattr(argument.source, "value", ""))] = _walk(argument.destination, env)
        return _walk(right, inner)
    one, other = _walk(left, env), _walk(right, env)
    for shape, constant in ((one, right), (other, left)):
        if isinstance(constant, expressions.Constant) and constant.value is not None and node.operator in ("=", "!=", "+", ">", "<"):
            shape.hint("text" if isinstance(constant.value, str) else "number")
            if node.operator in ("=", "!="):
                shape.example(constant.value)
    if node.operator == "in":
        other.hint("text" if isinstance(left, expressions.Constant) else "list")
    return Shape(one, other)


def _function(node, env):
    found = [_walk(argument, env) for argument in node.args]
    if node.name in ("coalesce", "switch"):
        return Shape(*found)
    if node.name in ("list", "distinct") and found:
        return found[0]
    if node.name == "dict" and found and isinstance(node.args[0], expressions.MappingRuleExpression):
        return Shape().hint("dict")
    if node.name == "dict" and found:
        item = found[0].item()
        item.position(0).hint("text")
        made = Shape()
        made.kinds.add("dict")
        made._value = item.position(1)
        return made
    if node.name in ("int", "float") and found:
        found[0].hint("number")
    if node.name == "concat":
        for shape in found:
            shape.hint("text")
    if node.name == "isDict" and found:
        found[0].hint("dict")
    if node.name == "isList" and found:
        found[0].hint("list")
    return Shape()


def _method(base, call, env):
    name, arguments = call.name, call.args
    if name in TEXT_METHODS and "regex" not in base.kinds:
        base.hint("text")
    if name in LISTS and not ("text" in base.kinds and name == "join"):
        base.item()
    if name in DICTS:
        base.hint("dict")
    inner = {**env, "$": base.item()} if name in LAMBDAS else env
    if name in ("reduce", "aggregate"):
        inner["$2"] = base.item()
    results = [_walk(argument, inner) for argument in arguments if not (name in ("get", "containsKey"))]
    if name in ("select", "map") and results:
        return Shape.listed(results[0])
    if name == "selectMany" and results:
        return Shape.listed(results[0].item())
    if name == "flatten":
        base.item().hint("flat")
        return Shape.listed(base.item())
    if name == "zip":
        return Shape.listed(Shape.rowed(base.item(), *(shape.item() for shape in results)))
    if name == "groupBy":
        return Shape.listed(Shape.rowed(results[0], Shape.listed(results[1] if len(results) > 1 else base.item())))
    if name == "items":
        key = Shape().hint("text")
        return Shape.listed(Shape.rowed(key, base.value()))
    if name == "keys":
        return Shape.listed(Shape().hint("text"))
    if name == "values":
        return Shape.listed(base.value())
    if name == "get":
        return _keyed(base, arguments[0] if arguments else None, env)
    if name == "containsKey" and arguments:
        _keyed(base, arguments[0], env)
    if name == "mergeWith":
        for shape in results:
            shape.hint("dict")
            if shape._value is not None and "dict" in shape._value.kinds:
                base.value().hint("dict")
        return Shape(base, *results)
    if name == "join" and "text" not in base.kinds:
        base.item().hint("text")
    if name == "last" and base.positions:
        return base.positions[max(base.positions)]
    if name in ("first", "last", "single", "reduce", "aggregate"):
        return base.item()
    if name in ("split", "rightSplit"):
        return Shape.listed(Shape().hint("text"))
    if name == "repeat":
        return Shape.listed(base)
    if name == "append" or name == "concat":
        for shape in results:
            shape.item()
    return base if name in LISTS else Shape()


class Maker:
    """Makes data after a shape.

    `holes`, `wrong` and `empty` are how often a part is missing, of another kind, or without anything in it.
    """

    def __init__(self, source, holes=0.0, wrong=0.0, empty=0.05, longest=4):
        self.random, self.holes, self.wrong, self.empty, self.longest = source, holes, wrong, empty, longest

    def make(self, shape, depth=5):
        """Data of a shape."""
        chance, choice = self.random.random, self.random.choice
        if chance() < self.holes:
            return None
        if chance() < self.wrong:
            return choice([None, "", "a", 0, 1, -1.5, True, [], {}, ["a"], [1, None], {"a": 1}, [["a", 1]], {"a": {"b": []}}])
        kinds = {kind for kind in shape.kinds if kind in ("dict", "list", "text", "number", "bool")}
        if shape.examples and chance() < 0.5:
            return choice(shape.examples)
        kind = choice(sorted(kinds)) if kinds else choice(["text", "number", "text", "bool", "list", "dict"] if depth > 3 else ["text", "text", "number"])
        if "flat" in shape.kinds and chance() < 0.5 and depth > 0:
            return [self.make(shape, depth - 2) for _ in range(self._length(depth))]
        if depth <= 0:
            kind = "text"
        if kind == "dict":
            made = {name: self.make(inner, depth - 1) for name, inner in shape.attributes.items() if chance() >= self.holes}
            if shape._value is not None or not shape.attributes:
                inner = shape._value or Shape().hint("text" if chance() < 0.7 else "list")
                made.update((choice(KEYS), self.make(inner, depth - 1)) for _ in range(self._length(depth)))
            return made
        if kind == "list":
            if shape.positions and shape._item is None:
                last = max([*shape.positions, 1])
                return [self.make(shape.positions.get(n) or shape.positions.get(n - last - 1) or Shape(), depth - 1) for n in range(last + 1)]
            item = shape._item or Shape(*shape.positions.values())
            if shape.positions:
                for inner in shape.positions.values():
                    item.kinds |= inner.kinds
            return [self.make(item, depth - 1) for _ in range(self._length(depth))]
        return {"text": lambda: choice(TEXTS), "number": lambda: choice([0, 1, 2, 64, -1, 2.5, "7"]), "bool": lambda: chance() < 0.5}[kind]()

    def _length(self, depth):
        if self.random.random() < self.empty:
            return 0
        # Long lists of long lists would be nothing but long.
        return self.random.randint(1, self.longest if depth >= 4 else min(self.longest, 4))
