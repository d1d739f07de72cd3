"""Whole templates around the expressions: what is judged, one `Case` each."""

import dataclasses
import random
import re

from generators import expressions, nesting, spelling, versions, worlds
from generators.expressions import ALWAYS, Expression, param

CONDITIONS = {
    "is_on": {"equals": [param("flag"), True]},
    "is_k": {"equals": [param("key"), "k"]},
}


@dataclasses.dataclass
class Case:
    """One generated template and what is known about it."""

    name: str
    version: str
    text: bytes
    feature: str
    style: str
    declared: frozenset
    expression: Expression

    def request(self):
        """The question to the judge: every world at once."""
        return trial(self.text, self.declared)


def trial(text, declared):
    """The question about any text that declares these parameters."""
    return {"op": "trial", "template": text.decode("utf-8"), "worlds": worlds.world_requests(declared)}


def _words(tree, found):
    """Every text inside a value, keys too."""
    if isinstance(tree, dict):
        for key, value in tree.items():
            found.add(key)
            _words(value, found)
    elif isinstance(tree, list):
        for value in tree:
            _words(value, found)
    elif isinstance(tree, str):
        found.add(tree)
    return found


def _surround(version, expression, pick, whole):
    """A template with the expression in one to three places, and the parameters and resources that it names."""
    tree = expression.tree
    template = {"heat_template_version": version}
    places = pick.sample(["output", "property", "in a list", "metadata", "in a map"], pick.randint(1, 3)) if not whole else []
    holders, outputs = {}, {}
    if "property" in places:
        holders["holder"] = {"type": "OS::Heat::Value", "properties": {"value": tree}}
    if "in a list" in places:
        holders["lister"] = {"type": "OS::Heat::StructuredConfig", "properties": {"group": "g", "config": {"a": ["x", tree, 1]}}}
    if "metadata" in places:
        holders["keeper"] = {"type": "OS::Heat::Value", "properties": {"value": 1}, "metadata": {"m": tree}}
    if "in a map" in places:
        outputs["mapped"] = {"value": {"one": tree, "two": [1]}}
    if "output" in places or not (holders or outputs or whole):
        outputs["plain"] = {"description": "what is asked", "value": tree}
    body = dict(whole or {})
    holders.update(body.pop("resources", {}))
    outputs.update(body.pop("outputs", {}))
    words = _words([tree, whole], set())
    conditions = {name: value for name, value in CONDITIONS.items() if name in words and versions.has(version, "if")}
    _words(conditions, words)
    parameters = {}
    for name, (kind, default) in worlds.PARAMETERS.items():
        if name in words:
            parameters[name] = {"type": kind} if default is None else {"type": kind, "default": default}
    parameters.update(body.pop("parameters", {}))
    if parameters:
        template["parameters"] = parameters
    conditions.update(body.pop("conditions", {}))
    if conditions:
        template["conditions"] = conditions
    resources = {name: dict(worlds.RESOURCES[name]) for name in worlds.RESOURCES if name in words}
    resources.update(holders)
    if resources:
        template["resources"] = resources
    template.update(body)
    if outputs:
        template["outputs"] = outputs
    return template


def _wholes(version):
    """What is not an expression: constraints, policies, conditions of outputs. (feature, body, expression)"""
    limits = {"modulo": {"step": 2, "offset": 0}}
    for number, other in ((5, {"range": {"min": 1, "max": 10}}), (4, {"range": {"max": 9}}), (3, {"allowed_values": [3, 5]}), (20, {"range": {"max": 9}})):
        for entry in ({**other, **limits}, {**limits, **other}, {"description": "why", **other, **limits}):
            body = {"parameters": {"size": {"type": "number", "default": number, "constraints": [entry]}},
                    "outputs": {"o": {"value": param("size")}}}
            yield "range with modulo", body
            body = {"parameters": {"size": {"type": "number", "default": number, "constraints": [{"range": {"min": 0}}, entry]}},
                    "outputs": {"o": {"value": param("size")}}}
            yield "range with modulo", body
    if version >= "2017-02-24":
        yield "modulo", {"parameters": {"size": {"type": "number", "default": 4, "constraints": [limits]}}, "outputs": {"o": {"value": param("size")}}}
    tests = [False, True, "is_on", {"equals": ["a", "b"]}, {"not": True}, "no such condition"]
    for condition in tests:
        yield "condition of an output", {"outputs": {"o": {"condition": condition, "value": "v"}, "p": {"value": param("word")}}}
        yield "condition of an output", {"outputs": {"o": {"value": {"list_join": ["-", param("items")]}, "condition": condition}}}
    if versions.has(version, "if"):
        for condition in tests[:5]:
            yield "condition of a resource", {"resources": {"r": {"type": "OS::Heat::Value", "condition": condition, "properties": {"value": "v"}}},
                                              "outputs": {"o": {"value": 1}}}
        for test in ({"equals": [param("count"), 1]}, {"and": [True, {"equals": [param("word"), "x,y,z"]}]}, {"or": ["is_on", "is_k"]}, {"not": "is_k"}, True, param("flag")):
            yield "conditions section", {"conditions": {"main": test}, "outputs": {"o": {"value": {"if": ["main", "a", "b"]}}}}
        for name in versions.yet_to_come(version):
            if name in expressions.CALLS:
                literal = {name: expressions.CALLS[name][0]}
                yield "data map in a condition", {"conditions": {"main": {"equals": [param("tree"), literal]}}, "outputs": {"o": {"value": {"if": ["main", "a", "b"]}}}}
                yield "data map in a condition", {"conditions": {"main": {"equals": [{name: "v"}, {name: "v"}]}}, "outputs": {"o": {"value": {"if": ["main", "a", "b"]}}}}
        yield "external id", {"resources": {"r": {"type": "OS::Heat::Value", "external_id": "abc", "properties": {"value": "v"}}}, "outputs": {"o": {"value": {"get_resource": "r"}}}}
    policies = ["Delete", "Retain", param("policy"), {"list_join": ["", ["Re", "tain"]]}]
    if version >= "2016-10-14":
        policies += ["delete", "retain", {"if": ["is_on", "retain", "delete"]}, {"list_join": ["", ["re", "tain"]]}]
    if versions.has(version, "Ref"):
        policies += [{"Ref": "policy"}, {"Fn::Join": ["", ["De", "lete"]]}]
    if versions.has(version, "Fn::Select"):
        policies += [{"Fn::Select": [0, ["Retain"]]}]
    for policy in policies:
        for quiet in ({}, {"metadata": {"k": 1}}):
            yield "deletion policy", {"resources": {"r": {"type": "OS::Heat::Value", "deletion_policy": policy, **quiet, "properties": {"value": "v"}}}}
    for name in versions.yet_to_come(version):
        if name in expressions.CALLS:
            literal = {name: expressions.CALLS[name][0]}
            yield "data map as metadata", {"resources": {"r": {"type": "OS::Heat::Value", "metadata": literal, "properties": {"value": "v"}}}}
            yield "data map as a property", {"resources": {"r": {"type": "OS::Heat::StructuredConfig", "properties": {"group": "g", "config": literal}}}}
            # Defaults, descriptions and schemas are never parsed: nothing may change there.
            yield "data map as a default", {"parameters": {"p": {"type": "json", "default": literal}}, "outputs": {"o": {"value": param("p")}}}
    for default in ({"Ref": "word"}, {"Fn::Join": ["", ["a"]]}, {"get_param": "word"}, {"Fn::Select": [0, ["a"]]}):
        yield "call as a default", {"parameters": {"p": {"type": "json", "default": default}}, "outputs": {"o": {"value": param("p")}}}
    if version >= "2018-03-02":
        yield "tags of a parameter", {"parameters": {"p": {"type": "string", "default": "x", "tags": ["a"]}}, "outputs": {"o": {"value": param("p")}}}
    for update in ({"rolling_update": {"max_batch_size": param("count"), "min_in_service": 0}}, {"rolling_update": {"max_batch_size": {"Ref": "count"}}}):
        if "Ref" not in str(update) or versions.has(version, "Ref"):
            yield "update policy", {"resources": {"r": {**worlds.RESOURCES["group"], "update_policy": update}}}


def _named(text, version, pick):
    """The version spelled as a name, or quoted, where the case may have it so."""
    names = [name for name, date in versions.ALIASES.items() if date == version]
    spelled = pick.choice([version, version, f"'{version}'", f'"{version}"', *names * 2])
    if text.startswith(b"{"):
        spelled = '"' + spelled.strip("'\"") + '"'
    pattern = rb"(heat_template_version\"?:\s*)([\"']?)" + version.encode() + rb"\2"
    return re.sub(pattern, lambda match: match.group(1) + spelled.encode(), text, count=1)


def generate(version, count):
    """At least `count` cases of a version: all that is systematic first, then nested ones. Always the same."""
    pick = random.Random(f"hotplate {version}")
    plan = [(expression, None) for expression in expressions.systematic(version)]
    plan += [(Expression(feature, None, None if feature == "data map in a condition" else ALWAYS), body) for feature, body in _wholes(version)]
    systematic = len(plan)
    while len(plan) < max(count, systematic + count // 2):
        share = pick.random()
        if share < 0.75:
            plan.append((nesting.nested(version, pick), None))
        else:
            # Another style for something systematic: no expression should depend on how it was written.
            plan.append(plan[pick.randrange(systematic)])
    made = []
    for number, (expression, whole) in enumerate(plan):
        style = spelling.STYLES[(number + number // len(spelling.STYLES)) % len(spelling.STYLES)]
        tree = _surround(version, expression, pick, whole)
        text = _named(spelling.Spelling(style, pick).document(tree), version, pick)
        made.append(Case(f"{number:05}", version, text, expression.feature, style.name, frozenset(tree.get("parameters", ())), expression))
    return made
