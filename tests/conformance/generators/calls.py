"""Calls of functions with arguments of all shapes, for `parts/functions.py`.

Most arguments have the shape that a function wants, with odd values in them; some are bent out
of it (an argument too few or too many, another kind of value, nothing).
"""

import random
import string

from generators import versions

PARAMETERS = {
    "word": ("string", "x,y,z"), "blank": ("string", ""), "accent": ("string", "é€ 'q' \"d\" \\"),
    "json_text": ("string", '["p", {"k": [1, 2.0, null]}]'), "map_text": ("string", '{"k": "vv", "0": "zero", "k": 1e3}'),
    "digit": ("string", "1"), "name": ("string", "k"), "policy": ("string", "Retain"), "server_name": ("string", "server"),
    "count": ("number", 2), "half": ("number", 0.5), "huge": ("number", 10 ** 30), "zero": ("number", 0),
    "flag": ("boolean", True), "off": ("boolean", False),
    "items": ("comma_delimited_list", "x,y,z"), "none": ("comma_delimited_list", []),
    "members": ("comma_delimited_list", ".member.1.Name=a,.member.0.Name=b,.member.0.Value=b=c,.member.1.Value=e"),
    "tree": ("json", {"k": "v", "q": [1, "two", None], "0": "zero", "d": {"k": "deep", "l": ["a", "b"]}, "nul": None, "t": True, "f": 1.5}),
    "rows": ("json", ["p", "q", {"k": "v"}, ["r"], 3, None]),
    "nothing": ("json", {}), "null_text": ("json", "null"),
}
RESOURCES = {"server": "OS::Nova::Server", "port": "OS::Neutron::Port", "thing": "OS::Heat::Value", "new": "OS::Heat::Value", "failed": "OS::Heat::Value"}
ATTRIBUTES = {
    "server": {"ref": "uuid-1", "attrs": {
        "addresses": {"private": [{"addr": "10.0.0.4"}], "k": ["a0", "a1"], "0": "zero"}, "instance_name": "k", "tags": ["t0", "t1"], "empty": "",
        "networks": None}},
    "thing": {"attrs": {"value": ["v0", "v1", {"k": "v2"}, '{"k": 1}']}},
    "new": {"action": "INIT"}, "failed": {"status": "FAILED", "attrs": {"value": 5}},
}
FILES = {"plain.txt": "hello $a\n", "data.json": '["f", "g"]'}
FACADE = {"metadata": {"m": 1, "l": ["x"]}, "update_policy": {"u": {"v": 2}}}
CONDITIONS = {"yes": {"equals": [1, 1]}, "no": {"equals": [1, 2]}, "by_flag": {"get_param": "flag"}, "literal": True}
TEXTS = ["", "a", "b", "k", "x", ",", "a,b", "x,y,z", "0", "1", "-1", " 2 ", "1_0", "1.5", "é", "日本", "None", "true", "a b&c=d/e?f#g", "%x%", "$a $ab $b", "[1, 2]",
         '{"k": "j"}', "null", "'", '"', "\n\t", "private", "value", "10.0.0.1", "::1", "[::2]", "http", "8080"]
NUMBERS = [0, 1, -1, 2, 3, 7, 80, 70000, 2 ** 63, -2 ** 70, 0.0, -0.0, 0.5, 1.0, 1.7, -1.5, 1e16, 1e-7, 1.5e300]
ALGORITHMS = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3_224", "sha3_256", "sha3_384", "sha3_512", "blake2b", "blake2s", "sha512_256",
              "sha512_224", "ripemd160", "sm3", "md5-sha1", "SHA256", "Md5", "SHA3_256", "shake_128", "crc32", ""]
# What expressions make of whatever data: the language itself has parts of its own.
EXPRESSIONS = ["$.data", "$.data.len()", "$.data.select($)", "$.data.where($ != null).toList()", "$.data.first(nothing)", "$.data.keys()", "$.data.items().toDict($[0], $[1])",
               "$.data.k", "$.data[0]", "$.data.get(k, 1)", "$.data + $.data", "$.data = null", "not $.data", "str($.data)", "$.data.join(',')", "$.data.toList().reverse()",
               "isString($.data) or isDict($.data)", "$.data.sum()", "$.data.toUpper()", "$.data.orderBy($)", "{a => $.data}", "[$.data, 1, x]", "switch(isList($.data) => 1, true => 2)",
               "let(d => $.data) -> $d", "$.data.selectMany($)", "$.data.toSet().len()", "$.data.", "1 ? 2", "$data", "$.other", "int($.data)", "$.data.groupBy($)", "'a' * 20000",
               "range(300).select($)", "$.data.split(',')", "$.data.replace(a, b)", "$.data.unknown()", "datetime('2020-01-02')", "timespan(days => 1)", "{1 => $.data}"]
CONDITION_FUNCTIONS = ["equals", "not", "and", "or", "contains", "get_param", "yaql"]


class Calls:
    """A source of calls in one version."""

    def __init__(self, version, seed, without=()):
        self.version = version
        self.random = random.Random(f"{version} {seed}")
        self.functions = [name for name in names(version) if name not in without]
        self.condition_functions = [name for name in CONDITION_FUNCTIONS if name not in without]

    def pick(self, items):
        return self.random.choice(items)

    def chance(self, part):
        return self.random.random() < part

    # --- values

    def text(self):
        return self.pick(TEXTS) if self.chance(0.85) else "".join(self.random.choices(string.printable + "äß€😀", k=self.random.randrange(6)))

    def number(self):
        return self.pick(NUMBERS)

    def scalar(self):
        return self.pick([None, True, False, self.number(), self.number(), self.text(), self.text(), self.text()])

    def list(self, depth, make=None, least=0, most=4):
        return [(make or (lambda: self.value(depth - 1)))() for _ in range(self.random.randint(least, most))]

    def map(self, depth, make=None, most=3):
        keys = self.random.choices([t for t in TEXTS if t], k=self.random.randint(0, most))
        return {key: (make or (lambda: self.value(depth - 1)))() for key in keys}

    def texts(self, least=0, most=4):
        return self.list(0, self.text, least, most)

    def value(self, depth=2):
        roll = self.random.random()
        if depth <= 0 or roll < 0.3:
            return self.scalar()
        if roll < 0.45:
            return self.list(depth)
        if roll < 0.6:
            return self.map(depth)
        return self.source() if roll < 0.85 else self.call(self.pick(self.functions), depth - 1)

    def source(self):
        """A value from the surroundings."""
        roll = self.random.random()
        if roll < 0.6:
            return self.get_param()
        if roll < 0.8:
            return self.call("get_attr", 0)
        if roll < 0.9:
            return {"get_resource": self.pick(list(RESOURCES))}
        return {"get_file": self.pick(list(FILES))}

    def get_param(self):
        name = self.pick(list(PARAMETERS))
        return {"get_param": name if self.chance(0.5) else [name, *self.path()]}

    def path(self):
        steps = ["k", "q", "d", "l", "0", "1", 0, 1, -1, "-1", "x", "nul", "t", 2, True, None, 1.0, "private", "addr", {"get_param": "name"}, {"get_param": "digit"}]
        return self.random.choices(steps, k=self.random.choice([0, 1, 1, 2, 3]))

    def of(self, kind, depth):
        """A value that is probably of a kind, written or computed."""
        if self.chance(0.12):
            return self.value(depth)
        if kind == "text":
            return self.text() if self.chance(0.6) else self.pick([{"get_param": n} for n in ("word", "blank", "accent", "digit", "name")] + [self.source()])
        if kind == "texts":
            made = self.list(depth, lambda: self.of("text", depth - 1))
            return made if self.chance(0.7) else self.pick([{"get_param": "items"}, {"get_param": "none"}, {"get_attr": ["server", "tags"]}, None])
        if kind == "list":
            return self.list(depth) if self.chance(0.6) else self.pick([{"get_param": "items"}, {"get_param": "rows"}, {"get_attr": ["thing", "value"]}, None])
        if kind == "map":
            return self.map(depth) if self.chance(0.6) else self.pick([{"get_param": "tree"}, {"get_attr": ["server", "addresses"]}, {"get_param": "nothing"}, None])
        if kind == "index":
            return self.pick([0, 1, -1, "0", "1", "-1", 2, 9, 1.7, True, "k", " 1 ", "x", None, {"get_param": "digit"}, {"get_param": "count"}, "q", "d"])
        raise ValueError(kind)

    # --- calls

    def bent(self, argument):
        """An argument that has lost its shape."""
        roll = self.random.random()
        if isinstance(argument, list) and argument and roll < 0.5:
            argument = list(argument)
            if roll < 0.2:
                argument.pop(self.random.randrange(len(argument)))
            elif roll < 0.35:
                argument.append(self.value(1))
            else:
                argument[self.random.randrange(len(argument))] = self.value(1)
            return argument
        if isinstance(argument, dict) and argument and roll < 0.5:
            argument = dict(argument)
            key = self.pick(list(argument))
            if roll < 0.2:
                del argument[key]
            elif roll < 0.3:
                argument["more"] = self.value(1)
            else:
                argument[key] = self.value(1)
            return argument
        return self.value(1)

    def call(self, name, depth=2):
        argument = self.argument(name, depth)
        return {name: self.bent(argument) if self.chance(0.12) else argument}

    def argument(self, name, depth):
        if name == "get_param":
            return self.get_param()["get_param"]
        if name == "get_resource":
            return self.pick([*RESOURCES, "gone", {"get_param": "server_name"}])
        if name == "get_file":
            return self.pick([*FILES, "gone", {"get_param": "word"}])
        if name == "get_attr":
            attribute = self.pick(["addresses", "instance_name", "tags", "value", "networks", "empty", "other", {"get_param": "name"}, "show"])
            return [self.pick([*RESOURCES, "server", "server", "thing", {"get_param": "server_name"}]), attribute, *self.path()]
        if name == "resource_facade":
            return self.pick(["metadata", "deletion_policy", "update_policy", "other"])
        if name == "Fn::ResourceFacade":
            return self.pick(["Metadata", "DeletionPolicy", "UpdatePolicy", "metadata"])
        if name == "Ref":
            return self.pick([*PARAMETERS, *RESOURCES, "gone"])
        if name == "Fn::GetAZs":
            return self.of("text", depth)
        if name in ("list_join", "Fn::Join"):
            lists = 1 if self.chance(0.6) else self.random.randint(0, 3)
            return [self.of("text", depth), *(self.of("texts" if self.chance(0.7) else "list", depth) for _ in range(lists))]
        if name == "str_split":
            return [self.of("text", depth), self.of("text", depth), *([self.of("index", depth)] if self.chance(0.5) else [])]
        if name == "Fn::Split":
            return [self.text(), self.of("text", depth)]
        if name in ("str_replace", "str_replace_strict", "str_replace_vstrict", "Fn::Replace"):
            keys = self.random.choices(["$a", "$ab", "$b", "a", "x", "k", "é", "%x%", "$a $", "q", "one"], k=self.random.randint(0, 4))
            params = {key: self.value(1) if self.chance(0.6) else self.text() for key in keys} if self.chance(0.85) else self.of("map", depth)
            template = self.pick(["$a $ab $b x", "".join(keys), self.text(), {"get_param": "word"}, {"get_file": "plain.txt"}, " ".join(keys[::-1])])
            return [params, template] if name == "Fn::Replace" else {"template": template, "params": params}
        if name == "Fn::Base64":
            return self.of("text", depth)
        if name == "Fn::MemberListToMap":
            items = [f".member.{self.pick([0, 1, 2, 10, 'x', ''])}.{self.pick(['Name', 'Value', 'Other'])}={self.text()}" for _ in range(self.random.randrange(7))]
            return [self.pick(["Name", "Value"]), self.pick(["Value", "Other"]), items if self.chance(0.6) else self.of("texts", depth) if self.chance(0.3) else {"get_param": "members"}]
        if name == "Fn::Select":
            return [self.of("index", depth), self.of(self.pick(["list", "map", "text"]), depth) if self.chance(0.7) else {"get_param": self.pick(["json_text", "map_text", "items", "rows", "tree"])}]
        if name == "digest":
            return [self.pick(ALGORITHMS), self.of("text", depth)]
        if name == "repeat":
            keys = self.random.choices(["%x%", "a", "$b", "k", "%y%"], k=self.random.choice([0, 1, 1, 1, 2, 2, 3]))
            for_each = {key: self.of(self.pick(["texts", "texts", "texts", "list", "map"]), depth) for key in keys}
            made = {"template": self.pick([self.value(depth), "<%x% a $b %y%>", {"k%x%": "%y%", "a": ["a", 1, None]}, {"get_param": "tree"}]), "for_each": for_each}
            if self.chance(0.3):
                made["permutations"] = self.pick([True, False, False, None, "false"])
            return made
        if name == "map_merge":
            return self.list(depth, lambda: self.of("map", depth - 1))
        if name == "map_replace":
            names = ["k", "q", "0", "a", "b", "x", "K", "z"]
            keys = {self.pick(names): self.pick([*names, None, self.value(0)]) for _ in range(self.random.randrange(3))}
            values = {self.pick(["v", "zero", "a", "1", "true", "x"]): self.value(1) for _ in range(self.random.randrange(3))}
            rest = {key: value for key, value in (("keys", keys), ("values", values)) if self.chance(0.7)}
            return [{self.pick(names): self.value(1) for _ in range(3)} if self.chance(0.5) else self.of("map", depth), rest if self.chance(0.9) else self.of("map", depth)]
        if name in ("list_concat", "list_concat_unique"):
            return self.list(depth, lambda: self.of("list", depth - 1)) if self.chance(0.9) else self.of("list", depth)
        if name == "filter":
            return [self.of("list", depth), self.of("list", depth)]
        if name == "contains":
            return [self.value(depth - 1), self.of(self.pick(["list", "text"]), depth)]
        if name == "yaql":
            made = {"expression": self.pick(EXPRESSIONS) if self.chance(0.95) else self.of("text", depth)}
            if self.chance(0.9):
                made["data"] = self.value(depth)
            return made
        if name == "make_url":
            made = {}
            for part in ("scheme", "username", "password", "host", "port", "path", "query", "fragment"):
                if self.chance(0.5):
                    made[part] = (self.of("map", depth) if part == "query" else self.pick([80, "8080", 0, 65535, "x", 70000, 80.0, True, {"get_param": "count"}]) if part == "port"
                                  else self.pick(["", "http", "https", "mailto", "file", "a:b"]) if part == "scheme" else self.of("text", depth) if self.chance(0.9) else self.value(1))
            return made
        if name == "if":
            return [self.condition(2), self.value(depth), *([self.value(depth)] if self.chance(0.75 if self.version >= "2021" else 0.97) else [])]
        raise ValueError(name)

    def condition(self, depth=2):
        """A condition: a name, a truth value, a function, or something odd."""
        if depth <= 0 or self.chance(0.35):
            return self.pick([*CONDITIONS, True, False, "yes", "no"]) if self.chance(0.93) else self.pick([None, 1, "unknown", [], {}, "true", {"get_param": "name"}])
        return self.condition_call(self.pick(self.condition_functions), depth)

    def condition_call(self, name, depth=2):
        """A call of a function of conditions."""
        def data():
            return self.pick([self.scalar(), self.scalar(), self.get_param(), self.get_param(), self.list(1, self.scalar), self.map(1, self.scalar)])

        if name == "equals":
            one = data()
            argument = [one, one if self.chance(0.3) else data()]
        elif name == "not":
            argument = self.condition(depth - 1)
        elif name in ("and", "or"):
            argument = [self.condition(depth - 1) for _ in range(self.random.choice([2, 2, 3, 1]))]
        elif name == "yaql":
            argument = {"expression": self.pick(EXPRESSIONS), "data": data()}
        elif name == "contains":
            argument = [data(), self.pick([{"get_param": "items"}, {"get_param": "rows"}, self.list(1, self.scalar), self.text()])]
        else:
            return {"get_param": self.pick(["flag", "off", ["tree", "t"], "flag", "word"])}
        if self.chance(0.08):
            argument = self.pick([None, [], "", {}, data(), {"get_resource": "server"}])
        return {name: argument}


def names(version):
    """The functions of a version."""
    return [name for name in [*versions.SINCE, *versions.UNTIL] if versions.has(version, name)]


def template(version, outputs, conditions=None):
    """A template with these outputs in the common surroundings."""
    made = {
        "heat_template_version": version,
        "parameters": {name: {"type": kind, "default": default} for name, (kind, default) in PARAMETERS.items()},
        "resources": {name: {"type": kind} for name, kind in RESOURCES.items()},
        "outputs": {name: {"value": value} for name, value in outputs.items()},
    }
    if versions.has(version, "if"):
        made["conditions"] = {**CONDITIONS, **(conditions or {})}
    return made
