"""Functions within functions: random compositions, typed so that most of them resolve."""

from generators import expressions, versions
from generators.expressions import ALWAYS, SPLIT, YAQL, Expression, attr, param

TEXTS = ["plain", "", "yes", "1.0", "a: b", "# no comment", "two\nlines\n", "é", "x,y,z", "  padded ", "$a $ab", "%a% %b%", "'", '"', "{", "0x1F",
         "2013-05-23", "null", "k", "private"]


class Nesting:
    """Composes one expression; remembers the functions used and from where on a rewrite must exist."""

    def __init__(self, version, pick):
        self.version = version
        self.pick = pick
        self.used = set()
        self.free_from = ALWAYS

    def _has(self, name):
        return versions.has(self.version, name)

    def _use(self, name, free_from=ALWAYS):
        self.used.add(name)
        self.free_from = None if None in (self.free_from, free_from) else max(self.free_from, free_from)

    def _choose(self, makers):
        return self.pick.choice(makers)()

    def text(self, depth):
        """Something whose value is text."""
        simple = [lambda: self.pick.choice(TEXTS), lambda: param(self.pick.choice(["word", "key", "open_word"])),
                  lambda: param("tree", "k"), lambda: attr("server", "instance_name"), lambda: {"get_resource": "server"},
                  lambda: param("OS::stack_name")]
        if self._has("Ref"):
            simple += [lambda: self._call("Ref", self.pick.choice(["word", "key", "server", "OS::stack_name"]))] * 4
        if depth <= 0:
            return self._choose(simple)
        makers = simple[:1] + [self._join(depth, "list_join"), self._replace(depth, "str_replace")]
        if self._has("Ref"):
            makers += [self._join(depth, "Fn::Join")] * 2 + [self._cfn_replace(depth)] * 2
            makers += [lambda: self._call("Fn::Base64", self.text(depth - 1))] * 2
        if self._has("Fn::Select"):
            makers += [lambda: self._select(self.items(depth - 1), self.pick.choice([0, 1, "0", -1]))] * 4
            makers += [lambda: self._select({"k": self.text(depth - 1), "l": self.text(0)}, "k")] * 2
        if self._has("digest"):
            makers.append(lambda: {"digest": ["md5", self.text(depth - 1)]})
        if self._has("str_split"):
            makers.append(lambda: {"str_split": [",", self.text(depth - 1), 0]})
        if self._has("if"):
            makers += [self._if(depth, self.text)] * 2
            makers.append(lambda: {"yaql": {"expression": "$.data.t", "data": {"t": self.text(depth - 1)}}})
        if self._has("make_url"):
            makers.append(lambda: {"make_url": {"scheme": "http", "host": "h", "path": self.text(depth - 1)}})
        return self._choose(makers)

    def items(self, depth):
        """Something whose value is a list of text."""
        simple = [lambda: ["a", "b"], lambda: param("items"), lambda: attr("server", "tags"), lambda: param("single")]
        if self._has("Ref"):
            simple.append(lambda: self._call("Ref", "items"))
        if depth <= 0:
            return self._choose(simple)
        makers = simple[1:2] + [lambda: [self.text(depth - 1) for _ in range(self.pick.randint(1, 3))]] * 3
        if self._has("Fn::Split"):
            makers += [lambda: self._call("Fn::Split", [",", self.text(depth - 1)], SPLIT)] * 2
        if self._has("Fn::Select"):
            makers += [lambda: self._select([self.items(depth - 1), self.items(0)], 0)] * 2
            makers.append(lambda: self._select({"k": self.items(depth - 1)}, "k"))
        if self._has("str_split"):
            makers.append(lambda: {"str_split": [",", self.text(depth - 1)]})
        if self._has("repeat"):
            makers += [self._repeat(depth)] * 2
        if self._has("if"):
            makers.append(self._if(depth, self.items))
        if self._has("filter"):
            makers.append(lambda: {"filter": [["a"], self.items(depth - 1)]})
        if self._has("list_concat"):
            makers.append(lambda: {"list_concat": [self.items(depth - 1), self.items(0)]})
        return self._choose(makers)

    def mapping(self, depth):
        """Something whose value is a map."""
        simple = [lambda: {"k": "v", "l": ["w"]}, lambda: param("tree"), lambda: attr("server", "networks"), lambda: {"resource_facade": "metadata"}]
        coming = [name for name in versions.yet_to_come(self.version) if name in expressions.CALLS]
        if coming:
            simple += [lambda: self._data_map(coming)] * 3
        if self._has("Fn::ResourceFacade"):
            simple.append(lambda: self._call("Fn::ResourceFacade", "Metadata"))
        if depth <= 0:
            return self._choose(simple)
        makers = [lambda: {"k": self.value(depth - 1), "m": self.text(depth - 1)}] * 2
        if coming:
            makers.append(lambda: self._wrap_data(coming, self.value(depth - 1)))
        if self._has("Fn::MemberListToMap"):
            makers.append(lambda: self._call("Fn::MemberListToMap", ["Name", "Value", [".member.0.Name=n", ".member.0.Value=v"]]))
        if self._has("Fn::Select"):
            makers.append(lambda: self._select([self.text(0), self.mapping(depth - 1)], "1"))
        if self._has("map_merge"):
            makers.append(lambda: {"map_merge": [self.mapping(depth - 1), {"z": self.text(0)}]})
        if self._has("map_replace"):
            makers.append(lambda: {"map_replace": [self.mapping(depth - 1), {"keys": {"m": "n"}}]})
            makers.append(self._if(depth, self.mapping))
        return self._choose(makers)

    def value(self, depth):
        """Anything."""
        return self._choose([lambda: self.text(depth), lambda: self.text(depth), lambda: self.items(depth), lambda: self.mapping(depth),
                             lambda: self.pick.choice([0, 1, -3, 2.5, True, False, None, [], {}]),
                             lambda: [self.value(depth - 1) for _ in range(2)] if depth > 0 else []])

    def _call(self, name, args, free_from=ALWAYS):
        self._use(name, free_from)
        return {name: args}

    def _select(self, collection, index):
        literal = not isinstance(collection, dict) or len(collection) != 1 or not self._has(next(iter(collection)))
        self._use("Fn::Select", ALWAYS if literal else YAQL)
        return {"Fn::Select": [index, collection]}

    def _join(self, depth, name):
        def make():
            if name != "list_join":
                self._use(name)
            return {name: [self.pick.choice(["", ",", "-"]), self.items(depth - 1)]}
        return make

    def _replace(self, depth, name):
        return lambda: {name: {"template": self.text(depth - 1), "params": {"$a": self.text(depth - 1), "k": self.text(0)}}}

    def _cfn_replace(self, depth):
        return lambda: self._call("Fn::Replace", [{"$a": self.text(depth - 1), "k": self.text(0)}, self.text(depth - 1)])

    def _if(self, depth, kind):
        conditions = ["is_on", True, False, {"not": "is_k"}, {"equals": [param("key"), "k"]}, {"and": ["is_on", {"not": "is_k"}]}]
        return lambda: {"if": [self.pick.choice(conditions), kind(depth - 1), kind(depth - 1)]}

    def _repeat(self, depth):
        def make():
            body = {"template": self.pick.choice(["%a%-%b%", "%a%", "%b%%a%"]), "for_each": {"%a%": self.items(depth - 1), "%b%": self.items(0)}}
            if self.version < "2017-09-01" and self.pick.random() < 0.5:
                self._use("permutations")
                body["permutations"] = self.pick.choice([True, False, "off"])
            return {"repeat": body}
        return make

    def _data_map(self, coming):
        name = self.pick.choice(coming)
        self._use("data map")
        return {name: self.pick.choice(expressions.CALLS[name])}

    def _wrap_data(self, coming, inner):
        self._use("data map", YAQL)
        return {self.pick.choice(coming): inner}


def nested(version, pick):
    """One random composition, two to four levels deep."""
    nesting = Nesting(version, pick)
    tree = nesting.value(pick.randint(2, 4))
    return Expression("nested " + ("+".join(sorted(nesting.used)) or "native"), tree, nesting.free_from)
