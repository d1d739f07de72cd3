"""Expressions whose upgrade is to be judged, one rule after the other.

Every function below yields `Expression`s that a version understands, as plain data
(a function call is a map with one key, as in a template). What they combine is spelled
out: kind of collection x kind of index for `Fn::Select`, and so on; YAML style and
surroundings are added by `spelling.py` and `cases.py`.
"""

import dataclasses

from generators import versions, worlds

ALWAYS = versions.VERSIONS[0]
SPLIT = versions.SINCE["str_split"]
YAQL = versions.SINCE["yaql"]


@dataclasses.dataclass(frozen=True)
class Expression:
    """A value of a template.

    `free_from` is the first target version for which a rewrite must exist, None where blocking
    is always allowed. `stuck` means that there is no rewrite: it must be blocked wherever the
    target lacks the function. `exact` means that the template proves the rewrite: to call it
    conditional would be to dodge the comparison.
    """

    feature: str
    tree: object
    free_from: str | None = ALWAYS
    stuck: bool = False
    exact: bool = False


def param(name, *path):
    """`get_param`, in its short form without a path."""
    return {"get_param": [name, *path] if path else name}


def attr(resource, *path):
    """`get_attr`."""
    return {"get_attr": [resource, *path]}


def _kind(tree):
    """A short name for the kind of an index."""
    if isinstance(tree, dict):
        return next(iter(tree), "map")
    if tree is None:
        return "null"
    if isinstance(tree, str):
        return "digits" if tree.strip().lstrip("+-").isdigit() else "text"
    return type(tree).__name__


# ---------------------------------------------------------------- Fn::Select

def indices(version):
    """Every kind of index."""
    yield from [0, 1, -1, 7, 2, "0", "1", "-1", "01", " 1", "+1", "k", "q", "missing", "", "x", 1.7, 0.0, True, False, None]
    yield from [param("count"), param("digit"), param("key"), param("tree", "q", 0)]
    yield attr("server", "instance_name")
    yield {"Fn::Select": [0, ["k", "0"]]}
    if versions.has(version, "Ref"):
        yield from [{"Ref": "count"}, {"Ref": "key"}, {"Fn::Join": ["", ["k"]]}]


def _literal_collections():
    yield "list", ["a", "b", "c"]
    yield "empty list", []
    yield "list of kinds", [1, True, None, 2.5, "", "yes"]
    yield "list of collections", [["x", "y"], {"k": "v", "l": [1]}, []]
    yield "list of functions", [param("word"), {"get_resource": "server"}, param("items"), attr("port", "fixed_ips")]
    yield "map", {"k": "v", "q": ["x"], "0": "zero", "": "no name", "1": None}
    yield "map of functions", {"k": param("tree", "k"), "0": attr("server", "networks"), "x": {"list_join": ["-", ["a", "b"]]}}
    yield "one-key map", {"k": {"deep": [1, 2]}}
    yield "empty map", {}
    yield "map that looks like a function", {"get_param": "word", "k": "v"}
    yield "nothing", None
    yield "empty text", ""
    yield "JSON text", '["a","b"]'
    yield "JSON map text", '{"k":"v","0":{"z":1}}'
    yield "JSON null text", "null"
    yield "text with commas", "a,b"
    yield "number", 5


def _param_collections(version):
    for name, (kind, _) in worlds.PARAMETERS.items():
        yield kind, param(name)
        if versions.has(version, "Ref"):
            yield kind, {"Ref": name}
    yield "comma_delimited_list", {"get_param": ["items"]}
    yield "json path", param("tree", "q")
    yield "json path", param("tree", "d", "l")
    yield "json path", param("tree", "d")
    yield "json path", param("tree", param("key"))
    yield "json path", param("rows", "2")
    yield "json path", param("text_tree", "k")
    yield "pseudo", param("OS::stack_name")


def _attr_collections():
    for resource, name, kind in worlds.ATTRIBUTES:
        yield kind, attr(resource, name)
    yield "path", attr("server", "addresses", "private")
    yield "path", attr("server", "networks", "private")
    yield "path", attr("server", "networks", param("key"))
    yield "path", attr("port", "fixed_ips", 0)
    yield "path", attr("thing", "value", 2)
    for path in (("group", "value"), ("group", "refs"), ("group", "refs_map"), ("group", "nets", "k"),
                 ("group", "resource.0.value"), ("scaler", "refs"), ("chain", "value"), ("chain", "refs")):
        yield "group", attr(*path)


def _other_collections(version):
    yield "get_file", {"get_file": "data.json"}
    yield "get_file", {"get_file": "map.json"}
    yield "list_join", {"list_join": ["", ['["u"', ',"w"]']]}
    yield "str_replace", {"str_replace": {"template": '["$a","$b"]', "params": {"$a": "l", "$b": param("key")}}}
    yield "resource_facade", {"resource_facade": "metadata"}
    yield "get_resource", {"get_resource": "server"}
    yield "Fn::Select", {"Fn::Select": [2, param("rows")]}
    yield "Fn::Select", {"Fn::Select": ["private", attr("server", "addresses")]}
    yield "Fn::Select", {"Fn::Select": ["q", {"k": 1, "q": param("items")}]}
    if versions.has(version, "repeat"):
        yield "repeat", {"repeat": {"template": "<%i%>", "for_each": {"%i%": param("items")}}}
    if versions.has(version, "Ref"):
        yield "Fn::Join", {"Fn::Join": ["", ['{"k":', '"j"}']]}
        yield "Fn::Base64", {"Fn::Base64": '["b"]'}
        yield "Fn::Replace", {"Fn::Replace": [{"$a": "l"}, '{"k": "$a"}']}
        yield "Fn::ResourceFacade", {"Fn::ResourceFacade": "Metadata"}
        yield "Fn::MemberListToMap", {"Fn::MemberListToMap": ["Name", "Value", [".member.0.Name=k", ".member.0.Value=v"]]}
        yield "Fn::MemberListToMap", {"Fn::MemberListToMap": ["Name", "Value", param("members")]}
        yield "Ref to a resource", {"Ref": "server"}


def select(version):
    """`Fn::Select`: every collection with every index."""
    if not versions.has(version, "Fn::Select"):
        return
    simple = (int, str)
    for index in indices(version):
        kind = _kind(index)
        # Null, true and fractions are accepted by Heat or not, and are nobody's habit.
        plain = isinstance(index, simple) and not isinstance(index, bool)
        for name, collection in _literal_collections():
            free = ALWAYS if plain and isinstance(collection, (list, dict)) else YAQL if isinstance(index, dict) else None
            yield Expression(f"select {name}[{kind}]", {"Fn::Select": [index, collection]}, free, exact=free == ALWAYS)
        for name, collection in _param_collections(version):
            known = name in ("comma_delimited_list", "json", "json path")
            yield Expression(f"select {name} parameter[{kind}]", {"Fn::Select": [index, collection]},
                             ALWAYS if known and plain else None, stuck=name == "string",
                             exact=name == "comma_delimited_list" and kind in ("int", "digits"))
        for name, collection in _attr_collections():
            free = {"list": ALWAYS, "map": ALWAYS, "any": YAQL, "path": YAQL}.get(name) if plain else None
            yield Expression(f"select {name} attribute[{kind}]", {"Fn::Select": [index, collection]}, free)
        for name, collection in _other_collections(version):
            yield Expression(f"select {name}[{kind}]", {"Fn::Select": [index, collection]}, None)
        if versions.has(version, "Fn::Split"):
            for text in ("a,b", param("word"), {"Ref": "word"}, attr("deploy", "deploy_stdout")):
                yield Expression(f"select Fn::Split[{kind}]", {"Fn::Select": [index, {"Fn::Split": [",", text]}]},
                                 SPLIT if plain and kind in ("int", "digits") else None)


# ------------------------------------------------- the functions of 2013-05-23

def cfn(version):
    """The CFN spellings that only 2013-05-23 knows."""
    if not versions.has(version, "Ref"):
        return
    for name in worlds.PARAMETERS:
        yield Expression("ref parameter", {"Ref": name}, exact=True)
    for name in worlds.RESOURCES:
        yield Expression("ref resource", {"Ref": name}, exact=True)
    for name in ("OS::stack_name", "OS::stack_id", "OS::project_id"):
        yield Expression("ref pseudo parameter", {"Ref": name}, exact=True)
    for name in ("AWS::StackName", "AWS::Region", "nobody"):
        yield Expression("ref unknown", {"Ref": name}, None)

    strings = [["a"], [], ["a", None, {"Ref": "word"}], ["", "b", param("word"), {"get_resource": "server"}],
               {"Ref": "items"}, param("items"), None, {"Fn::Split": [",", "a,b"]}, {"Ref": "rows"}, attr("server", "tags"),
               [{"Fn::Join": ["+", ["u", "v"]]}, "w"], ["two\nlines\n", "é", "yes", "#"]]
    for delimiter in ("", ",", "\n", " - ", {"Ref": "key"}, param("blank")):
        for items in strings:
            yield Expression("join", {"Fn::Join": [delimiter, items]}, exact=True)

    for delimiter in (",", " ", "\n", "=", ", "):
        for text in ("a,b=c", "one", "", "x, y,z\nw"):
            yield Expression("split literal", {"Fn::Split": [delimiter, text]}, exact=True)
        for text in ({"Ref": "word"}, param("word"), attr("deploy", "deploy_stdout"), {"get_file": "plain.txt"},
                     {"Fn::Join": [",", ["a", "b"]]}, {"Fn::Base64": "p=q"}):
            yield Expression("split", {"Fn::Split": [delimiter, text]}, SPLIT)

    mappings = [{"$a": "x"}, {"$a": "$b", "$b": "$a"}, {"$a": {"Ref": "word"}, "$ab": 5, "$b": None},
                {"$a": True, "$b": 1.0}, {}, {"$a": {"Fn::Join": ["", ["j"]]}}, {"Ref": "tree"}]
    for mapping in mappings:
        for template in ("$a $ab $b", "", "none", "k and v\n$a\n", {"Ref": "word"}, {"Fn::Join": ["", ["$a", "$b"]]}, {"get_file": "plain.txt"}):
            yield Expression("replace", {"Fn::Replace": [mapping, template]}, exact=True)

    for value in ("text", "", "line\nline\n", {"Ref": "word"}, param("digit"), {"Fn::Join": ["", ["a", "b"]]}, {"get_file": "plain.txt"},
                  {"str_replace": {"template": "$k", "params": {"$k": "v"}}}, {"Ref": "count"}, attr("server", "instance_name")):
        yield Expression("base64", {"Fn::Base64": value}, exact=True)

    for part in ("Metadata", "DeletionPolicy", "UpdatePolicy"):
        yield Expression("resource facade", {"Fn::ResourceFacade": part}, exact=True)

    for names in (("Name", "Value"), ("key", "value"), ("N", "V.x")):
        pairs = [f".member.0.{names[0]}=a", f".member.0.{names[1]}=b=c", f".member.1.{names[1]}=e", f".member.1.{names[0]}=d"]
        for literal in (pairs, pairs[:2], pairs[:3], [], [f".member.10.{names[0]}=z", f".member.10.{names[1]}=10", *pairs]):
            yield Expression("member list literal", {"Fn::MemberListToMap": [*names, literal]})
        for dynamic in ({"Ref": "members"}, param("members"), [{"Fn::Join": ["", [pairs[0]]]}, pairs[1]], {"Fn::Split": [";", ";".join(pairs)]}):
            yield Expression("member list", {"Fn::MemberListToMap": [*names, dynamic]}, YAQL)

    for region in ("", "us-east-1", {"Ref": "word"}):
        yield Expression("availability zones", {"Fn::GetAZs": region}, None, stuck=True)


# ------------------------------------------------------- native HOT functions

def native(version):
    """Functions that stay, and must keep their value in every later version."""
    known = lambda name: versions.has(version, name)  # noqa: E731
    for name in worlds.PARAMETERS:
        yield Expression("get_param", param(name))
    for tree in (param("tree", "q", "1"), param("tree", "d", "l", 0), param("items", 1), param("items", "-1"), param("rows", 9),
                 param("word", 0), param("tree", param("key")), param("rows", param("count")), {"get_param": ["word"]},
                 param("OS::stack_name"), param("OS::project_id"), param("OS::stack_id")):
        yield Expression("get_param", tree)
    for resource, name, _ in worlds.ATTRIBUTES:
        yield Expression("get_attr", attr(resource, name))
    for tree in (attr("server", "addresses", "private", 0, "addr"), attr("server", "networks", param("key")), attr("port", "fixed_ips", 1, "ip_address"),
                 attr("thing", "value", "0"), attr("server", {"str_replace": {"template": "instance_X", "params": {"X": "name"}}})):
        yield Expression("get_attr", tree)
    for name in ("server", "port", "group"):
        yield Expression("get_resource", {"get_resource": name})
    for name in ("plain.txt", "data.json"):
        yield Expression("get_file", {"get_file": name})
    for part in ("metadata", "deletion_policy", "update_policy"):
        yield Expression("resource_facade", {"resource_facade": part})
    for delimiter in ("", "-", param("key")):
        for items in (["a", "b"], param("items"), [], None, [param("word"), {"get_resource": "server"}, None], attr("server", "tags")):
            yield Expression("list_join", {"list_join": [delimiter, items]})
    for mapping in ({"$a": "x", "$ab": param("count")}, {"who": None, "l": True}, param("tree"), {"x": "y", "y": "x"}):
        for template in ("$a $ab who", "x\ny\n", {"get_file": "plain.txt"}, param("word")):
            yield Expression("str_replace", {"str_replace": {"template": template, "params": mapping}})
    if known("digest"):
        for algorithm in ("md5", "SHA256", "sha1"):
            yield Expression("digest", {"digest": [algorithm, param("word")]})
    yield from repeat(version)
    if known("str_split"):
        for text in ("a,b", param("word"), attr("deploy", "deploy_stdout"), None):
            yield Expression("str_split", {"str_split": [",", text]})
            for index in (0, "1", -1, 1.9, True):
                yield Expression("str_split", {"str_split": [",", text, index]})
        yield Expression("get_attr", attr("secret"))
        yield Expression("list_join", {"list_join": ["-", param("items"), ["m", {"k": [1]}], "", None]})
        yield Expression("str_replace", {"str_replace": {"template": "j=$j", "params": {"$j": param("tree")}}})
    if known("map_merge"):
        for maps in ([{"a": 1}, {"b": 2, "a": 3}], [param("tree"), None, {"k": "w"}], [], [attr("server", "networks"), {"z": [1]}]):
            yield Expression("map_merge", {"map_merge": maps})
    if known("yaql"):
        for expression, data in (("$.data.a", {"a": [1, {"b": None}]}), ("$.data.select($ + 'x')", param("items")),
                                 ("$.data.get(k, none)", param("tree")), ("1 + 2", {}), ("dict($.data.k => $.data.v)", {"k": "filter", "v": param("key")})):
            yield Expression("yaql", {"yaql": {"expression": expression, "data": data}})
        for keys, values in (({"a": "b"}, {"x": "y"}), ({}, None), (None, {"x": param("word")})):
            yield Expression("map_replace", {"map_replace": [{"a": "x", "c": ["d"]}, {"keys": keys, "values": values}]})
        for condition in ("is_on", True, {"not": "is_on"}, {"equals": [param("count"), 1]}, {"and": ["is_on", "is_k"]},
                          {"or": [False, {"not": {"equals": [param("key"), "k"]}}]}):
            for branches in (("a", "b"), (param("word"), [1, 2]), ({"list_join": ["", ["a"]]}, None), ({"k": "v"}, attr("server", "instance_name"))):
                yield Expression("if", {"if": [condition, *branches]})
        yield Expression("if with a dead branch", {"if": [True, "live", {"Fn::Join": ["", ["x"]]}]})
        yield Expression("if with a dead branch", {"if": [False, {"Ref": "nobody"}, "live"]})
    if known("filter"):
        for values, items in ((["x"], param("items")), ([], ["a"]), (None, ["a", None]), ([1, "a"], [1, True, "a", "b"])):
            yield Expression("filter", {"filter": [values, items]})
        yield Expression("str_replace_strict", {"str_replace_strict": {"template": "$a-$b", "params": {"$a": param("word"), "$b": ""}}})
    if known("contains"):
        for value, sequence in (("x", param("items")), ("x", param("word")), (1, [True]), (param("key"), ["k", "0"])):
            yield Expression("contains", {"contains": [value, sequence]})
        for lists in ([["a"], param("items")], [None, [1, {"k": 2}]], []):
            yield Expression("list_concat", {"list_concat": lists})
            yield Expression("list_concat_unique", {"list_concat_unique": [*lists, *lists]})
        for url in ({"scheme": "http", "host": "h", "port": param("count"), "path": "p q"}, {"host": "::1", "query": {"a": "b/c", "d": param("key")}},
                    {"scheme": "ftp", "username": "u@", "password": "p:", "host": "h", "fragment": "f"}):
            yield Expression("make_url", {"make_url": url})
        yield Expression("str_replace_vstrict", {"str_replace_vstrict": {"template": "$a-$b", "params": {"$a": param("key"), "$b": 0}}})
        yield Expression("if", {"if": [{"contains": [param("key"), ["k"]]}, "in", "out"]})
        yield Expression("if", {"if": [{"yaql": {"expression": "$.data.n > 1", "data": {"n": param("count")}}}, "many", "one"]})
    if version >= "2021-04-16":
        for condition in ("is_on", False, {"equals": [param("key"), "k"]}):
            yield Expression("if with two arguments", {"if": [condition, "there"]})
            yield Expression("if with two arguments", [1, {"if": [condition, param("word")]}, 2])
            yield Expression("if with two arguments", {"a": 1, "b": {"if": [condition, ["x"]]}})


def repeat(version):
    """`repeat`, with the `permutations` key that older versions do not look at."""
    if not versions.has(version, "repeat"):
        return
    two = {"%a%": ["1", "2"], "%b%": ["x", "y"]}
    for template in ("%a%%b%", {"%a%": "%b%"}, ["%a%", {"k": "%b%", "n": 5}], {"name": "%a%-%b%", "on": True, "r": {"get_resource": "server"}}):
        yield Expression("repeat", {"repeat": {"template": template, "for_each": two}})
        for permutations in (True, False, "no", None, param("flag")):
            yield Expression("repeat permutations", {"repeat": {"template": template, "for_each": two, "permutations": permutations}})
        yield Expression("repeat permutations", {"repeat": {"permutations": False, "template": template,
                                                            "for_each": {"%a%": param("items"), "%b%": param("single")}}})
    yield Expression("repeat permutations", {"repeat": {"for_each": {"%a%": param("items")}, "template": "<%a%>", "permutations": False}})
    yield Expression("repeat", {"repeat": {"template": {"str_replace": {"template": "%i%=$w", "params": {"$w": param("word")}}},
                                           "for_each": {"%i%": param("items")}}})
    if version >= "2016-10-14":
        yield Expression("repeat over a map", {"repeat": {"template": "%k%", "for_each": {"%k%": {"a": 1, "b": 2}}}})
        yield Expression("repeat over a map", {"repeat": {"template": ["%k%"], "for_each": {"%k%": attr("server", "networks")}}})


def groups(version):
    """`get_attr` on groups, where a path means something else in 2013-05-23."""
    old = version == ALWAYS
    dynamic = None if old else ALWAYS
    for group in ("group", "chain"):
        for tree in (attr(group, "value"), attr(group, "refs"), attr(group, "refs", 0), attr(group, "refs", -1), attr(group, "resource.0"),
                     attr(group, "resource.1.value"), attr(group, "resource.0.nets")):
            yield Expression("get_attr of a group", tree)
        for path in ((0,), (1,), (-1,), (7,), ("0",), (1, "k"), (0, 1)):
            yield Expression("get_attr of a group, with path", attr(group, "value", *path), None)
        for path in ((0, "k"), (0, "k", 1), ("k",), ("k", 0)):
            yield Expression("get_attr of a group, with path", attr(group, "nets", *path), None)
        for path in ((param("count"),), (param("digit"),)):
            yield Expression("get_attr of a group, with path", attr(group, "ip", *path), dynamic)
        yield Expression("get_attr of a group, with path", attr(group, "resource.0.nets", "k", 0), None)
        yield Expression("get_attr of a group, with path", attr(group, "resource.0", "ip"), None)
        if not old:
            yield Expression("get_attr of a group", attr(group, "attributes", "value"))
    yield Expression("get_attr of a group", attr("group", "refs_map"))
    yield Expression("get_attr of a group, with path", attr("group", "refs_map", "0"), None)
    for tree in (attr("scaler", "refs"), attr("scaler", "refs_map"), attr("scaler", "current_size")):
        yield Expression("get_attr of a group", tree)
    yield Expression("get_attr of a group, with path", attr("scaler", "refs", 0), None)
    if not old:
        for tree in (attr("scaler", "outputs", "value"), attr("scaler", "outputs_list", "ip"), attr("scaler", "resource.0.value")):
            yield Expression("get_attr of a group", tree)


# ------------------------------------------------ data that looks like a call

CALLS = {
    "repeat": [{"template": "%a%", "for_each": {"%a%": ["1", "2"]}}, ["x"], "often", None],
    "digest": [["md5", "text"], "sha", 5],
    "str_split": [[",", "a,b"], [",", "a,b", 1], "a", {}],
    "map_merge": [[{"a": 1}, {"b": 2}], [], {"a": 1}, True],
    "if": [[True, "a", "b"], ["is_on", 1, 2], "then", [False, "x"]],
    "map_replace": [[{"a": "b"}, {"keys": {"a": "c"}}], "m"],
    "yaql": [{"expression": "$.data", "data": {"x": 1}}, "$", None],
    "filter": [[["a"], ["a", "b"]], "coffee", {"type": "paper"}, [None, []]],
    "str_replace_strict": [{"template": "t", "params": {"t": "u"}}, 1],
    "contains": [["a", ["a"]], ["a", "abc"], "sugar", 2.5],
    "list_concat": [[["a"], ["b"]], [], "l"],
    "list_concat_unique": [[["a"], ["a"]], "u"],
    "make_url": [{"host": "h", "port": 80}, {"scheme": "s"}, "here"],
    "str_replace_vstrict": [{"template": "t", "params": {"t": "u"}}, "v"],
}


def data(version):
    """Maps that are data here and would be calls in a later version."""
    coming = [name for name in versions.yet_to_come(version) if name in CALLS]
    for name in coming:
        for args in CALLS[name]:
            yield Expression("data map", {name: args})
        literal = {name: CALLS[name][0]}
        yield Expression("data map in a list", ["a", literal, literal])
        yield Expression("data map in a map", {"x": {"y": literal}, "z": 1})
        yield Expression("data map in a data map", {name: {"in": literal, "more": 1}})
        yield Expression("data map in a data map", {name: literal})
        yield Expression("data map with a call inside", {name: [param("word"), {"list_join": ["-", ["a", param("key")]]}]}, YAQL)
        yield Expression("data map with a call inside", {name: attr("server", "networks")}, YAQL)
        yield Expression("data map among keys", {name: "v", "other": "w"})
        yield Expression("str_replace with such a name", {"str_replace": {"template": f"a {name} b", "params": {name: "x"}}})
        yield Expression("str_replace with such a name", {"str_replace": {"template": f"a {name} b", "params": {name: param("word")}}}, YAQL)
        if versions.has(version, "repeat"):
            yield Expression("repeat with such a name", {"repeat": {"template": f"<{name}>", "for_each": {name: ["a", "b"]}}})
            yield Expression("data map in a repeat", {"repeat": {"template": {name: "%v%"}, "for_each": {"%v%": ["a", "b"]}}}, YAQL)
        if versions.has(version, "Fn::Select"):
            yield Expression("select data map", {"Fn::Select": [name, literal]}, None)
            yield Expression("select to a data map", {"Fn::Select": [1, ["a", literal]]}, None)
            yield Expression("select to a data map", {"Fn::Select": ["k", {"k": literal, "l": 1}]}, None)
            yield Expression("select beside a data map", {"Fn::Select": [0, ["a", literal]]}, None)
        if versions.has(version, "Fn::Replace"):
            yield Expression("replace with such a name", {"Fn::Replace": [{name: "x"}, f"a {name} b"]})
        if versions.has(version, "map_merge"):
            yield Expression("data map in map_merge", {"map_merge": [literal, {"z": 1}]})
        if versions.has(version, "if"):
            yield Expression("data map in a branch", {"if": ["is_on", literal, {"k": literal}]})
            yield Expression("data map in a branch", {"if": [False, literal, "b"]})
            yield Expression("data map in yaql", {"yaql": {"expression": "$.data", "data": literal}})
            yield Expression("data map in map_replace", {"map_replace": [literal, {"keys": {name: "renamed"}}]})
            # In a condition the old text compares data; the new one calls, or is refused.
            yield Expression("data map in a condition", {"if": [{"equals": [param("tree"), literal]}, "same", "other"]}, None)
            yield Expression("data map in a condition", {"if": [{"equals": [{name: "v"}, {name: "v"}]}, "same", "other"]}, None)
    for name in ("Fn::GetAtt", "Fn::If", "Fn::FindInMap", "Fn::Sub", "equals", "get_attribute", "Condition"):
        yield Expression("map that is never a call", {name: ["a", "b"]})
    yield Expression("map that is never a call", {"get_param": "word", "default": 1})


def systematic(version):
    """Everything above, for one version."""
    for source in (select, cfn, native, groups, data):
        yield from source(version)
