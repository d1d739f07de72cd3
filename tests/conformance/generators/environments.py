"""Environments for the part `environment`: those of the corpus in combinations, and small generated ones."""

import itertools
import random

import yaml

import house
from generators import spelling

SECTIONS = {"parameters", "parameter_defaults", "resource_registry", "encrypted_param_names", "event_sinks", "parameter_merge_strategies"}
VERSIONS = ("heat_template_version", "HeatTemplateFormatVersion", "AWSTemplateFormatVersion")

TEMPLATE = """\
heat_template_version: 2018-08-31
parameters:
  s: {type: string, default: d}
  n: {type: number, default: 1}
  l: {type: comma_delimited_list, default: a}
  j: {type: json, default: {}}
  b: {type: boolean, default: true}
resources:
  one: {type: OS::Heat::None}
"""
NESTED = """\
heat_template_version: 2018-08-31
parameters:
  inner: {type: json, default: {}}
  s: {type: json, default: {}}
"""

# Values that a parameter can be given, for every type and for none.
VALUES = ["x", "y", "", "a,b", ",c", "1", "2", 1, 2.5, 1e16, 0, True, "true", None, [], ["p"], ["p", 1], {}, {"k": "v"},
          {"k": {"in": 1}}, {"k": {"more": [1]}}, {"k": [1]}, {"k": [2], "z": "t"}, {"k": None}, {"k": 5}, {"z": "u"},
          '{"k": "w"}', '{"k": {"in": 2}}', "[1]", "{", {80: "a", True: "b"}]
NAMES = ["s", "n", "l", "j", "b", "inner", "unknown"]
STRATEGIES = ["overwrite", "merge", "deep_merge", "append", None]
REGISTRY = [("My::A", "OS::Heat::None"), ("My::*", "OS::Heat::*"), ("My::A", "nested.yaml"), ("My::B", "nested.yaml"), ("My::A", "sub/nested.yaml"),
            ("My::A", None), ("My::A", 5), ("My::A", True), ("foo.yaml", "OS::Heat::None"), ("My::C", "missing.yaml"), ("My::S", "script.sh"),
            ("base_url", "sub"), ("resources", {"one": {"My::A": "nested.yaml"}}), ("resources", {"one": {"hooks": "pre-create"}}),
            ("resources", {"o*": {"hooks": ["pre-create", "post-delete"], "restricted_actions": "update"}}), ("resources", {"one": {"hooks": "never"}}),
            ("resources", {"one": {"restricted_actions": ["update", "replace"]}}), ("resources", {"one": {"restricted_actions": ["delete"]}}),
            ("resources", {}), ("resources", None), ("resources", {"one": None}), ("resources", {"one": {}}), ("resources", {"one": {"in": {"My::A": "x.yaml"}}}),
            ("resources", "x.yaml"), ("resources", {"one": {"My::A": None}}), ("hooks", "pre-create"), ("hooks", {"a": "b"})]
ODD_SECTIONS = [None, [], {}, "", "text", 5, 0, True, False, ["a"], {"a": "b"}, {"a": None}, [["a"]], [{}]]
SINKS = [[{"type": "zaqar-queue", "target": "q"}], [{"type": "zaqar-queue", "target": "q", "ttl": 5}], [{"type": "zaqar-queue"}], [{"type": "mail"}],
         [{"target": "q"}], ["q"], [{"type": "zaqar-queue", "target": "q", "to": 1}]]
ARGUMENTS = [{}, {"s": "P"}, {"s": ["P", "Q"]}, {"l": "P"}, {"j": '{"k": "P"}'}, {"n": "7"}, {"unknown": "P"}, {"s": "P", "inner": "Q"}]


def _is_environment(path):
    try:
        content = yaml.load(path.read_bytes(), Loader=spelling.HeatLoader)
    except (yaml.YAMLError, UnicodeDecodeError, ValueError):
        return False
    return isinstance(content, dict) and bool(content) and set(content) <= SECTIONS


def _is_template(path):
    try:
        content = yaml.load(path.read_bytes(), Loader=spelling.HeatLoader)
    except (yaml.YAMLError, UnicodeDecodeError, ValueError):
        return False
    return isinstance(content, dict) and any(key in content for key in VERSIONS)


def _nearest_template(path, top):
    folder = path.parent
    while True:
        for beside in sorted(folder.glob("*.y*ml")):
            if _is_template(beside):
                return beside
        if folder == top:
            return None
        folder = folder.parent


def of_corpus(count, step):
    """`(template, environments, allowed folder, merge)`: the environments of the corpus in combinations; of those of the overcloud one in `step` alone."""
    chosen = random.Random(3)
    cases = [] if house.missing("overcloud") else _of_overcloud(chosen, count, step)
    for top in [] if house.missing("templates") else sorted((house.CORPUS / "templates").iterdir()):
        found = [path for path in house.files_below(top, (".yaml", ".yml", ".template")) if _is_environment(path)]
        for path in found:
            if template := _nearest_template(path, top):
                others = [other for other in found if other != path]
                cases.append((template, [path], top))
                cases += [(template, [path, chosen.choice(others)], top) for _ in others[:2]]
    return [(*case, merge) for case in cases for merge in ("server", "client")]


def _of_overcloud(chosen, count, step):
    overcloud = house.CORPUS / "overcloud"
    single = [path for path in house.files_below(overcloud / "environments", (".yaml",)) if _is_environment(path)]
    cases = [(overcloud / "overcloud.yaml", [path], overcloud) for path in single[::step]]
    for _ in range(count):
        some = chosen.sample(single, chosen.randint(2, 5))
        cases.append((overcloud / "overcloud.yaml", [overcloud / "environments" / "made-up-secrets.yaml", *some], overcloud))
    registry = overcloud / "overcloud-resource-registry-puppet.yaml"
    cases += [(overcloud / "overcloud.yaml", [registry, *chosen.sample(single, 3)], overcloud) for _ in range(4)]
    return cases


def _sections(chosen):
    environment = {}
    for section in ("parameters", "parameter_defaults"):
        if chosen.random() < 0.6:
            names = chosen.sample(NAMES, chosen.choice([1, 1, 1, 2, 3]))
            environment[section] = {name: chosen.choice(VALUES) for name in names}
    if chosen.random() < 0.6:
        environment["parameter_merge_strategies"] = {name: chosen.choice(STRATEGIES[:3] if chosen.random() < 0.9 else STRATEGIES)
                                                     for name in chosen.sample([*NAMES, "default"], chosen.choice([1, 2, 4]))}
    if chosen.random() < 0.3:
        environment["resource_registry"] = dict(chosen.sample(REGISTRY, chosen.choice([1, 1, 2])))
    if chosen.random() < 0.08:
        environment["event_sinks"] = chosen.choice(SINKS)
    if chosen.random() < 0.08:
        environment["encrypted_param_names"] = chosen.choice([["s"], [], ["s", "j"]])
    if chosen.random() < 0.08:
        environment[chosen.choice([*sorted(SECTIONS), "outputs"])] = chosen.choice(ODD_SECTIONS)
    return environment


def _one_by_one():
    """Every strategy with every pair of values of every parameter, the same in both files."""
    for strategy, name in itertools.product(("merge", "deep_merge", "overwrite"), NAMES):
        for one, two in itertools.product(VALUES, VALUES):
            yield [{"parameter_merge_strategies": {name: strategy}, "parameters": {name: value}} for value in (one, two)]


def generated(count):
    """`(environments as maps, parameters, merge)`."""
    chosen = random.Random(7)
    pairs = list(_one_by_one())
    cases = [(pair, {}, "server") for pair in chosen.sample(pairs, min(count, len(pairs)))]
    cases += [([{"resource_registry": dict([entry])}], {}, merge) for entry in REGISTRY for merge in ("server", "client")]
    cases += [([{section: value}], {}, merge) for section in sorted(SECTIONS) for value in ODD_SECTIONS for merge in ("server", "client")]
    cases += [([{"event_sinks": sinks}], {}, "server") for sinks in SINKS]
    for _ in range(count):
        environments = [_sections(chosen) for _ in range(chosen.choice([1, 2, 2, 3]))]
        cases.append((environments, chosen.choice(ARGUMENTS), chosen.choice(["server", "server", "client"])))
    return cases


_TYPES = ["OS::Nova::Server", "OS::Nova::KeyPair", "OS::Neutron::Net", "OS::Quantum::Net", "OS::Metering::Alarm", "OS::Heat::None",
          "AWS::RDS::DBInstance", "My::A", "My::B", "My::Deep::C", "x.yaml", "no.yml"]
_PARENTS = ["OS::Nova::Server", "OS::Nova::KeyPair", "OS::Neutron::Net", "My::A", "My::B", "My::Deep::C"]
_PATTERNS = ["*", "O*", "OS::*", "OS::Nova::*", "OS::Nova::Server*", "OS::Quantum::*", "My::*", "My::Deep::*", "AWS::*"]
_TARGETS = [*_TYPES[:10], "OS::Nova::*", "OS::Neutron::*", "My::*", "My::Deep::*", "My::My::*", "nested.yaml", "sub/nested.yaml", "other.template", "script.sh"]
_RESOURCES = ["web", "web_1", "db", "a[1]", "Web", ""]
_RESOURCE_PATTERNS = ["web", "web*", "*_1", "*", "w?b", "[wd]*", "[!w]*", "a[[]1]", "a[1]", "db", "[a-w]eb", "[]w]eb"]
_HOOKS = ["pre-create", "pre-update", "pre-delete", "post-create", "post-update", "post-delete"]


def _entries(chosen, count):
    return {chosen.choice(_TYPES if chosen.random() < 0.6 else _PATTERNS): chosen.choice(_TARGETS) for _ in range(count)}


def _scope(chosen, depth=0):
    scope = _entries(chosen, chosen.choice([0, 1, 2]))
    if chosen.random() < 0.4:
        scope["hooks"] = chosen.choice([chosen.choice(_HOOKS), chosen.sample(_HOOKS, 2), []])
    if chosen.random() < 0.3:
        scope["restricted_actions"] = chosen.choice(["update", "replace", ["update", "replace"]])
    if depth < 2 and chosen.random() < 0.4:
        scope.update({name: _scope(chosen, depth + 1) for name in chosen.sample(_RESOURCE_PATTERNS, 2)})
    return scope


def registries(count):
    """`(registry, questions)`: what types stand for in resources of the stack, and of stacks within it."""
    chosen = random.Random(11)
    for _ in range(count):
        registry = _entries(chosen, chosen.choice([0, 1, 2, 3, 5]))
        if chosen.random() < 0.7:
            registry["resources"] = {name: _scope(chosen) for name in chosen.sample(_RESOURCE_PATTERNS, chosen.choice([1, 2, 3]))}
        asks = []
        for _ in range(12):
            through = [[chosen.choice(_PARENTS), chosen.choice(_RESOURCES[:3])] for _ in range(chosen.choice([0, 0, 1, 2]))]
            asks.append({"type": chosen.choice(_TYPES), "name": chosen.choice(_RESOURCES), "through": through})
        yield registry, asks
