"""Exit 0 and the client takes it: every property of every type, in several forms, with every target that is a program of another client.

A resource for each property of each type with a value that is written out and with one of the other forms in turn: another value,
scalars as text, through parameters, lists and maps within free maps, conditions, references, null; every property of a type at once;
some of the pairs of properties. With `--full` every property in every form, and a tenth of the pairs. Templates hold many such
resources; where one of them is refused (Heat's own constraints, a property that only some values allow), the rest is asked again.
"""

import collections
import itertools
import json
import re
import shutil
import threading
from concurrent import futures

import yaml

import house
from generators import changes
from judges.judge import Judge
from judges.tofu import Tofu
from parts import ansible as part_ansible, pulumi as part_pulumi

# The judges that the part cannot do without, beside Heat's engine.
JUDGES = ("cfn", "tofu")

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
ID = "6f70656e-7374-4163-8b00-000000000007"
# What cfn-lint refuses because templates here hold many resources of a type with the same values, and one port that every
# reference leads to: E1041 what a reference leads to, E3019 and E3022 the same thing in several resources.
TOGETHER_ONLY = {"E1041", "E3019", "E3022"}
# So many resources in a template.
TOGETHER = 100
# Of the pairs of properties one in so many, with `--full` and without.
PAIRS = {True: 10, False: 100}
# Lists and maps of every kind, for what takes any.
DEEP = {"text": "a", "list": ["x", 1, True, None], "map": {"b": [1.5, {"c": "\"q\" é <&>"}]}, "number": 5, "truth": True, "none": None}
# Values of a form that the service or AWS knows and Heat's schema does not tell, by the name of the property or member.
SPECIAL = {
    "segmentation_id": "7",
    "records": ["192.0.2.1"],
    "CidrIp": "192.0.2.0/24",
    "IpProtocol": "tcp",
    "FromPort": "80",
    "ToPort": "80",
    "VolumeSize": "1",
    "AllocatedStorage": "5",
    "Port": "3306",
    "Dimensions": [{"Name": "a", "Value": "b"}],
    "Policies": [{"PolicyName": "a", "PolicyDocument": {"Version": "2012-10-17", "Statement": []}}],
}
# What Neutron, Keystone and Heat's plugins refuse together.
NOT_BESIDE = {"remote_group": "remote_ip_prefix", "remote_group_id": "remote_ip_prefix", "domain": "project", "InstanceId": "LaunchConfigurationName", "SourceSecurityGroupId": "CidrIp", "SourceSecurityGroupName": "CidrIp"}
# What a plugin insists on beside its schema: null in its place is refused when the stack is made.
INSISTS = {"AWS::AutoScaling::AutoScalingGroup": {"LaunchConfigurationName": "a"}}
# Lists of names, though their items have no schema.
NAMES = {"security_groups", "SecurityGroups", "SecurityGroupIds", "GroupSet", "records"}
FORMS = ("written", "other", "text", "parameter", "text parameter", "json parameter", "deep", "chosen", "of a resource", "null")


def run(figures, full):
    """Every target with every resource."""
    folder = house.scratch("acceptance")
    made = list(_made(full))
    with Tofu() as tofu, Judge() as judge:
        for target, (takes, table, step) in _targets(tofu, judge).items():
            kinds = _with_counterpart(table)
            # What has no counterpart is a loss, however it is written.
            chosen = [it for it in made if kinds is None or it[0] in kinds or it[1].startswith("everything")]
            others = [it for it in chosen if not it[1].endswith(" written")]
            chosen = chosen if full else [it for it in chosen if it[1].endswith(" written")] + others[::step]
            _judged(figures, judge, target, takes, chosen, folder / target)
    shutil.rmtree(folder, ignore_errors=True)


def _with_counterpart(table):
    """The types that a target's table has something for; None for a target without a table."""
    if table is None:
        return None
    types = yaml.load((house.TARGETS / table / "mapping.yaml").read_text(encoding="utf-8"), LOADER)["types"]
    return {kind for kind, entry in types.items() if any(entry.get(key) for key in ("to", "module", "rule", "part_of"))}


# ---------------------------------------------------------------- the resources

def _made(full):
    """(type, what, resource) of everything."""
    pairs = 0
    others = itertools.cycle(FORMS[1:])
    for kind, facts in sorted(changes.types().items()):
        table = {name: prop for name, prop in facts.get("properties", {}).items() if not prop.get("unimplemented")}
        insists = INSISTS.get(kind, {})
        base = {name: _value(_special(name, prop), "written") for name, prop in table.items() if prop.get("required")} | insists
        for name, prop in table.items():
            for form in FORMS if full else (FORMS[0], next(others)):
                value = _value(_special(name, prop), form)
                if value is ... or value is None and name in insists or form == "deep" and name in NAMES:
                    continue
                beside = {other: given for other, given in base.items() if other != NOT_BESIDE.get(name)}
                yield kind, f"{name} {form}", _resource(kind, {**beside, name: value})
        for form in FORMS[:4] if full else ("written", "parameter"):
            every = {name: _value(_special(name, prop), form) for name, prop in table.items() if NOT_BESIDE.get(name) not in table}
            yield kind, f"everything {form}", _resource(kind, {name: value for name, value in every.items() if value is not ...})
        for one, other in itertools.combinations(sorted(set(table) - set(base)), 2):
            pairs += 1
            # Those of the network services exclude each other most.
            if pairs % PAIRS[full] == 0:
                both = {name: _value(_special(name, table[name]), "written") for name in (one, other)}
                if NOT_BESIDE.get(one) != other and NOT_BESIDE.get(other) != one:
                    beside = {name: given for name, given in base.items() if name not in (NOT_BESIDE.get(one), NOT_BESIDE.get(other))}
                    yield kind, f"{one} and {other}", _resource(kind, {**beside, **both})


def _resource(kind, properties):
    return {"type": kind, "properties": properties} if properties else {"type": kind}


def _special(name, prop):
    return {**prop, "special": SPECIAL.get(name)}


def _value(prop, form):
    """A value of a property in a form; `...` where it has none."""
    kind = prop["type"]
    free = kind == "any" or kind == "map" and not prop.get("members") or kind == "list" and "items" not in prop
    if form == "deep":
        return ... if not free else [DEEP, ["x"]] if kind == "list" else DEEP
    if form == "null":
        return None
    if form == "of a resource":
        return {"get_resource": "beside"} if kind == "string" else [{"get_attr": ["beside", "status"]}] if kind == "list" and prop.get("items", {}).get("type") == "string" else ...
    plain = _plain(prop, 1 if form == "other" else 0, form == "text")
    if form in ("written", "other", "text"):
        return plain
    if form == "chosen":
        return {"if": ["given", plain, {"get_param": _Parameters.name(_kind(kind), plain)}]}
    if form == "parameter":
        return {"get_param": _Parameters.name(_kind(kind), plain)}
    if form == "text parameter":
        scalar = kind in ("integer", "number", "boolean")
        texts = kind == "list" and all(isinstance(item, str) for item in plain)
        return {"get_param": _Parameters.name("string", str(plain))} if scalar else {"get_param": _Parameters.name("comma_delimited_list", plain)} if texts else ...
    if form == "json parameter":
        return {"get_param": [_Parameters.name("json", {"k": DEEP if free and kind == "map" else plain}), "k"]}
    raise ValueError(form)


def _kind(kind):
    """The type of a parameter for a property."""
    return {"integer": "number", "list": "json", "map": "json", "any": "string"}.get(kind, kind)


def _plain(prop, which, text):
    """A valid value with every member set."""
    if prop.get("special"):
        return prop["special"]
    table = prop.get("members")
    if prop["type"] == "map" and table:
        return {name: _plain(_special(name, member), which, text) for name, member in table.items() if not member.get("unimplemented") and NOT_BESIDE.get(name) not in table}
    if prop["type"] == "list" and prop.get("items") and "allowed_values" not in str(prop.get("constraints")):
        least = max([c["length"].get("min", 0) for c in prop.get("constraints", ()) if "length" in c], default=1)
        return [_plain(prop["items"], which, text)] * max(least, 1)
    value = changes.value(prop, which)
    if prop["type"] == "string" and "constraints" not in prop:
        value = (value, ID)[which]
    return str(value) if text and isinstance(value, int | float | bool) else value


class _Parameters:
    """Parameters by their type and value: equal ones are one."""

    known = {}

    @classmethod
    def name(cls, kind, default):
        key = (kind, json.dumps(default, sort_keys=True))
        return cls.known.setdefault(key, (f"p{len(cls.known)}", {"type": kind, "default": default}))[0]

    @classmethod
    def used(cls, text):
        """The declarations of those that a text names."""
        names = set(re.findall(r'"(p\d+)"', text))
        return {name: declared for name, declared in cls.known.values() if name in names}


def _template(resources):
    beside = {"beside": {"type": "OS::Neutron::Port", "properties": {"network": ID}}}
    whole = {**beside, **resources}
    parameters = _Parameters.used(json.dumps(whole))
    template = {"heat_template_version": "2021-04-16", "conditions": {"given": {"equals": [{"get_param": "switch"}, "on"]}}}
    template["parameters"] = {"switch": {"type": "string", "default": "on"}, **parameters}
    return {**template, "resources": whole}


# ---------------------------------------------------------------- the judgment

def _judged(figures, judge, target, takes, made, folder):
    folder.mkdir(parents=True)
    groups = [made[at:at + TOGETHER] for at in range(0, len(made), TOGETHER)]
    counts, wrong = collections.Counter(), []
    with futures.ThreadPoolExecutor(2) as pool:
        for answer in pool.map(lambda job: _group(target, takes, job[1], folder / str(job[0])), enumerate(groups)):
            counts.update(what for what, _, _ in answer)
            wrong += [(resource, why) for what, resource, why in answer if what == "wrong"]
    # What Heat itself refuses needs no client.
    questions = [{"op": "validate", "template": _template({"it": resource}), "strict": True} for (_, _, resource), _ in wrong]
    verdicts = judge.ask(questions, remember=True)
    misses = [f"{kind}: {what}: {why[:600]}\n{json.dumps(resource)[:300]}" for ((kind, what, resource), why), verdict in zip(wrong, verdicts) if verdict["ok"]]
    refused = [f"{kind}: {what}: {json.dumps(verdict['errors'])[:200]}" for ((kind, what, _), _), verdict in zip(wrong, verdicts) if not verdict["ok"]]
    figures.count(counts["refused"] + len(refused), len(made), f"{target}: resources that Heat refuses, or hotplate; Heat alone:", refused)
    figures.must(counts["well"], counts["well"] + len(misses), f"{target}: resources after exit status 0 that the client takes", misses)


def _group(target, takes, resources, place):
    """("refused" | "well" | "wrong", resource, why) for each resource of a group. What hotplate renders is given to the client together."""
    rendered, refused = _rendered(target, resources, place / "refused")
    return refused + _taken(target, takes, rendered, place / "taken")


def _rendered(target, resources, place):
    """The resources with exit status 0, and answers for the others."""
    done, path, _ = _render(target, resources, place)
    if done.returncode == 0:
        return resources, []
    if len(resources) == 1:
        if done.returncode not in (1, 2) or b"panicked" in done.stderr:
            return [], [("wrong", resources[0], f"exit {done.returncode}: {done.stderr[-300:]!r}")]
        return [], [("refused", resources[0], "")]
    parts = [_rendered(target, part, place / str(at)) for at, part in enumerate(_parts(done.stderr.decode("utf-8", "replace"), path, resources))]
    return [it for rendered, _ in parts for it in rendered], [it for _, refused in parts for it in refused]


def _taken(target, takes, resources, place):
    """Answers of the client for resources with exit status 0; parts of them where something is wrong."""
    if not resources:
        return []
    done, path, out = _render(target, resources, place)
    wrong = done.stderr.decode("utf-8", "replace") if done.returncode != 0 else takes(path, out)
    if not wrong:
        return [("well", resource, "") for resource in resources]
    if len(resources) == 1:
        return [("wrong", resources[0], wrong)]
    parts = enumerate(_parts(wrong, path, resources))
    return [it for at, part in parts for it in _taken(target, takes, part, place / str(at))]


def _render(target, resources, place):
    place.mkdir(parents=True, exist_ok=True)
    path, out = place / "template.json", place / "out"
    path.write_text(json.dumps(_template({f"r{number}": resource for number, (_, _, resource) in enumerate(resources)}), indent=1), encoding="utf-8")
    return house.hotplate("render", path, "--target", target, "-o", out, "--force"), path, out


def _parts(message, path, resources):
    """The resources that a message names alone, and the rest together; halves where it names many, or none."""
    named = _named(message, path, len(resources))
    if named and len(named) <= len(resources) // 3:
        return [[resources[number]] for number in named] + [[resource for number, resource in enumerate(resources) if number not in named]]
    half = len(resources) // 2
    return [resources[:half], resources[half:]]


def _named(text, path, count):
    """The resources that a message names, by their names or by lines of the template."""
    numbers = {int(number) for number in re.findall(r"\br(\d+)(?=\b|_)", text)}
    lines = path.read_text(encoding="utf-8").splitlines()
    for line in re.findall(r"template\.json:(\d+):", text):
        above = [found[1] for found in (re.match(r'  "r(\d+)": ', lines[at]) for at in range(min(int(line), len(lines)) - 1, 0, -1)) if found]
        numbers.update(int(number) for number in above[:1])
    return sorted(number for number in numbers if number < count)


def _targets(tofu, judge):
    """By target: what is wrong with a result, the table of its types, one in so many resources without `--full`."""
    pulumi = part_pulumi.checker()
    facts = json.loads(part_ansible.OPTIONS.read_text(encoding="utf-8"))
    schema = json.loads((house.FACTS / "pulumi_openstack_schema.json").read_text(encoding="utf-8"))

    alone = threading.Lock()

    def terraform(_, out):
        return tofu.validate(out)

    def program(_, out):
        # The checker collects what is wrong in one place, and takes over standard output.
        with alone:
            wrong = pulumi(out / "Pulumi.yaml")
        return "\n".join([*wrong, *_mistyped(schema, out / "Pulumi.yaml")])

    def heat(path, out):
        with alone:
            before, after = judge.ask([{"op": "validate", "file": str(file), "fill": True} for file in (path, out)])
        return "" if after["ok"] or not before["ok"] else json.dumps(after["errors"])[:1500]

    return {
        "terraform": (terraform, "terraform", 1),
        "terraform-json": (terraform, "terraform", 7),
        "pulumi": (program, "terraform", 1),
        "ansible": (lambda _, out: "\n".join(_options(facts, out)), "ansible", 1),
        "cfn": (_lint, "cfn", 5),
        "heat-cfn": (heat, None, 7),
    }


def _options(facts, out):
    literals = re.compile(r"\{\{|\{%")
    for task in part_ansible._tasks(out):
        for key, given in task.items():
            if key.startswith("openstack.cloud."):
                for line in part_ansible._wrong(facts["modules"].get(key.rsplit(".", 1)[1]), given, facts["auth_options_of_every_module"], literals):
                    yield f"{task['name']}: {line}"


def _lint(_, out):
    written = out.with_name("lint.yaml")
    written.write_bytes(out.read_bytes())
    done = house.run([house.PROGRAMS["cfn"], "--format", "json", "--", written])
    matches = [match for match in json.loads(done.stdout or b"[]") if match["Level"] == "Error" and match["Rule"]["Id"] not in TOGETHER_ONLY]
    return "\n".join(f"{'.'.join(map(str, match['Location'].get('Path') or []))}: {match['Rule']['Id']} {match['Message']}" for match in matches)


# ---------------------------------------------------------------- Pulumi's types

def _mistyped(facts, path):
    """Inputs that Pulumi YAML's own type checker refuses: a reference to a configuration value or a variable of another type. Numbers
    and truth values become text, nothing else becomes anything else."""
    program = yaml.load(path.read_text(encoding="utf-8"), LOADER)
    config = {name: {"object": "map"}.get(kind := declared.get("type", "string"), kind) for name, declared in (program.get("config") or {}).items()}
    variables = program.get("variables") or {}
    resources = program.get("resources") or {}

    def is_of(value, wanted):
        if isinstance(value, str):
            found = re.fullmatch(r"\$\{([\w-]+)((?:\.\w+|\[\d+\])*)\}", value)
            if found is None:
                return wanted == "string" or "${" not in value
            name = found[1]
            if name in resources:
                # An id is a text, and what can be given is told with the same type.
                told = re.findall(r"\w+", found[2])
                known = facts["resources"].get(resources[name]["type"], {}).get("inputs", {})
                kind = "string" if told == ["id"] else known.get(told[0], {}).get("type") if len(told) == 1 else None
                return kind not in ("string", "integer", "number", "boolean") or kind == wanted or wanted == "string" or {kind, wanted} == {"integer", "number"}
            if found[2]:
                within = variables.get(name)
                for step in re.findall(r"\w+", found[2]):
                    within = within.get(step) if isinstance(within, dict) and not _is_call(within) else None
                # What a call tells is not looked at.
                return within is None or is_of(within, wanted)
            if name in config:
                return config[name] == wanted or wanted == "string" and config[name] in ("integer", "number", "boolean") or wanted == "number" and config[name] == "integer" or wanted == "integer" and config[name] == "number"
            return name not in variables or _is_call(variables[name]) or is_of(variables[name], wanted)
        if _is_call(value):
            call = next(iter(value))
            gives = {"fn::join": "string", "fn::toJSON": "string", "fn::split": "array", "fn::readFile": "string", "fn::toBase64": "string"}.get(call, wanted)
            return gives == wanted
        kinds = {"string": (str, int, float, bool), "integer": (int, float), "number": (int, float), "boolean": bool, "array": list, "map": dict}
        return isinstance(value, kinds[wanted]) and not (wanted in ("integer", "number") and isinstance(value, bool))

    def walk(value, wanted, where):
        if value is None:
            return
        if isinstance(wanted, dict):
            inner = next(iter(wanted))
            if not is_of(value, {"array": "array", "map": "map"}.get(inner, "map")):
                yield f"{where}: {value!r} is no {inner}"
            elif inner == "array" and isinstance(value, list):
                for item in value:
                    yield from walk(item, wanted["array"], where)
            elif inner == "map" and isinstance(value, dict) and not _is_call(value):
                for key, item in value.items():
                    yield from walk(item, wanted["map"], f"{where}.{key}")
            elif inner == "ref" and isinstance(value, dict) and not _is_call(value) and wanted["ref"] in facts["types"]:
                for key, item in value.items():
                    if key in facts["types"][wanted["ref"]]:
                        yield from walk(item, facts["types"][wanted["ref"]][key]["type"], f"{where}.{key}")
        elif wanted in ("string", "integer", "number", "boolean") and not is_of(value, wanted):
            yield f"{where}: {value!r} is no {wanted}"

    for name, resource in resources.items():
        inputs = facts["resources"].get(resource["type"], {}).get("inputs", {})
        for key, value in (resource.get("properties") or {}).items():
            if key in inputs:
                yield from walk(value, inputs[key]["type"], f"{name}: {key}")


def _is_call(value):
    return isinstance(value, dict) and len(value) == 1 and str(next(iter(value))).startswith("fn::")
