"""Attributes of groups: every kind of group × attribute × path × version, and what each target makes of it.

Heat's own group classes return the values (`judges/judge_worker.py`), from members whose values are those that the target's have: the outputs of a
nested template, or what the stand-in provider reports after `tofu apply`, Ansible's modules return and Pulumi's SDK registers. A request has Heat's value, or it is a loss; another value is wrong.
A scaling group's members have random names in Heat, and are numbered by targets: keys of its maps are compared by their order.
"""

import collections
import importlib.util
import json
import re
from concurrent import futures

import house
from generators import group_attributes as made
from judges.judge import Judge
from judges.tofu import Tofu, outputs

# The judges that the part cannot do without, beside Heat's engine.
JUDGES = ("tofu",)

RANDOM_NAMES = ("zq3hvwk2", "b7xo4mna")
# Requests that a target with the members can express: a loss would be a gap.
EXPRESSIBLE = {
    "OS::Heat::ResourceGroup": (["refs"], ["refs", 0], ["refs_map"], ["MEMBER"], ["attributes", "MEMBER"], ["resource.1"], ["resource.0.MEMBER"]),
    "OS::Heat::AutoScalingGroup": (["refs"], ["refs_map"], ["outputs", "MEMBER"], ["outputs_list", "MEMBER"], ["current_size"], ["resource.1"], ["resource.-1.MEMBER"]),
}
LOST, REFUSED = "lost", "refused"


class Case:
    """All requests of a kind of group, of members and of a version."""

    def __init__(self, folder, kind, member, version, number):
        self.kind, self.member, self.version = kind, member, version
        self.requests = {f"o{at}": request for at, request in enumerate(made.requests(member)[number])}
        self.name = f"{kind.rsplit(':', 1)[1]}-{member.rsplit(':', 1)[-1].removesuffix('.yaml')}-{version}-{number}"
        self.folder = folder / self.name
        self.folder.mkdir()
        (self.folder / made.TEMPLATE).write_text(made.MEMBER, encoding="utf-8")

    def write(self, chosen):
        """The file of the template with some of the requests."""
        path = self.folder / "template.json"
        path.write_text(json.dumps(made.template(self.kind, self.member, self.version, chosen)), encoding="utf-8")
        return path

    def members(self):
        """The members of the nested template, as the judge takes them."""
        numbers = map(str, range(made.COUNT)) if self.kind == "OS::Heat::ResourceGroup" else ["z"] * made.COUNT
        return [made.outputs_of("q", number) for number in numbers]

    def question(self, members):
        """The question to Heat about groups with these members."""
        is_scaling = self.kind == "OS::Heat::AutoScalingGroup"
        names = RANDOM_NAMES if is_scaling else [str(number) for number in range(len(members))]
        listed = [{"name": name, **member} for name, member in zip(names, members)]
        known = sorted({request[0] for request in self.requests.values()})
        return {
            "op": "resolve", "client": True, "template": json.dumps(made.template(self.kind, self.member, self.version, self.requests)),
            "files": {made.TEMPLATE: made.MEMBER}, "attrs": {"group": {"group": self.kind, "members": listed, "names": known}},
        }


def run(figures, full):
    """The part."""
    folder = house.scratch("groups")
    versions = made.ALL_VERSIONS if full else made.VERSIONS
    cases = [Case(folder, kind, member, version, number) for kind in made.KINDS for member in (made.TEMPLATE, made.SERVER) for version in versions for number in (0, 1)]
    with futures.ThreadPoolExecutor(2) as pool, Tofu() as tofu:
        applied = list(pool.map(lambda case: _applied(tofu, case), cases))
        evaluated = list(pool.map(_evaluated, cases))
        playbooks = list(pool.map(lambda case: _rendered(case, "ansible"), cases))
        programs = list(pool.map(lambda case: _rendered(case, "pulumi"), cases))
    _judge(figures, "tofu apply", cases, [found for found, _ in applied], [members for _, members in applied])
    _gaps(figures, cases, [found for found, _ in applied])
    members = [_standing_in(case) for case in cases]
    if importlib.util.find_spec("ansible"):
        _judge(figures, "ansible", cases, _templated(cases, playbooks, members), members)
    else:
        figures.skip("values of playbooks", "Ansible is not installed: tools/setup FOLDER ansible")
    if house.installed("pulumi"):
        found = _registered(cases, programs)
        _judge(figures, "pulumi", cases, [values for values, _ in found], [these for _, these in found])
    else:
        figures.skip("programs run with Pulumi's SDK", "the package pulumi cannot be installed")
    _judge(figures, "heat-cfn", cases, _raised(cases, members), members)
    nested = [(case, found) for case, found in zip(cases, evaluated) if case.member == made.TEMPLATE]
    _judge(figures, "eval", [case for case, _ in nested], [found for _, found in nested], [case.members() for case, _ in nested])


# ---------------------------------------------------------------- what hotplate makes of the requests

def _evaluated(case):
    """The values that `eval` knows."""
    done = house.hotplate("eval", case.write(case.requests), "--nested", "--format", "json", "--allow-path", case.folder)
    told = json.loads(done.stdout)["outputs"]
    return {name: [entry["value"]] if "$unknown" not in json.dumps(entry) and "$error" not in json.dumps(entry) else LOST for name, entry in told.items()}


def _rendered(case, target):
    """The folder of a target's result."""
    place = case.folder / target
    done = house.hotplate("render", case.write(case.requests), "--target", target, "-o", place, "--force", "--allow-path", case.folder)
    if not place.exists():
        raise RuntimeError(f"{case.name}: {done.stderr.decode('utf-8', 'replace')[-800:]}")
    return place


def _standing_in(case):
    """Members that need no cloud."""
    if case.member == made.TEMPLATE:
        return case.members()
    return [{"ref": f"id-{n}", "attrs": {"first_address": f"192.0.2.{n}", "name": f"server-{n}"}} for n in range(made.COUNT)]


def _templated(cases, folders, members):
    """What Ansible's engine makes of the outputs, with the results that the tasks of these members would register."""
    for case, folder, these in zip(cases, folders, members):
        if case.member == made.TEMPLATE:
            found = [{"OS::stack_id": member["ref"], **member["attrs"]} for member in these]
        else:
            servers = [{"id": it["ref"], "name": it["attrs"]["name"], "addresses": {"net": [{"addr": it["attrs"]["first_address"]}]}} for it in these]
            found = {"results": [{"server": server} for server in servers]}
        (folder / "registered.json").write_text(json.dumps({"group": found}), encoding="utf-8")
    done = house.run([house.PYTHON, house.HERE / "judges" / "ansible_values.py", *folders])
    if done.returncode != 0:
        raise RuntimeError(done.stderr.decode("utf-8", "replace")[-500:])
    told = [json.loads(line) for line in done.stdout.decode("utf-8").splitlines()]
    return [{name: [it["value"]] if "value" in it else REFUSED for name, it in outputs.items()} for outputs in told]


def _raised(cases, members):
    """Heat's values of the templates in its CFN format, without those whose report has a difference: a path becomes `Fn::Select` there."""
    texts, different = [], []
    for case in cases:
        place = case.folder / "raised.json"
        done = house.hotplate("render", case.write(case.requests), "--target", "heat-cfn", "--syntax", "json", "-o", place, "--force", "--allow-path", case.folder, "--format", "json")
        different.append({loss["owner"] for loss in json.loads(done.stdout)["losses"]})
        texts.append(place.read_text(encoding="utf-8"))
    with Judge() as judge:
        answers = judge.ask([{**case.question(these), "template": text} for case, text, these in zip(cases, texts, members)], remember=True)
    told = [{name: _value(output) for name, output in answer["outputs"].items() if name not in omitted} for answer, omitted in zip(answers, different)]
    return [{name: REFUSED if "$error" in json.dumps(value) else [_numbered(value)] for name, value in values.items()} for values in told]


def _value(output):
    return output.get("value") if isinstance(output, dict) and "value" in output else output


def _registered(cases, folders):
    """What Pulumi's SDK makes of the outputs, with the members that the programs register."""
    done = house.run([house.ORACLES / "pulumi" / "bin" / "python", house.HERE / "judges" / "pulumi_program.py", *folders])
    found = []
    for case, folder, told in zip(cases, folders, json.loads(done.stdout).values()):
        if "error" in told:
            raise RuntimeError(f"{folder}: {told['error']}")
        values = {name: [value] for name, value in told.pop("").items()}
        servers = [{"ref": f"<<{name}.id>>", "attrs": {"first_address": f"<<{name}.accessIpV4>>", "name": it["inputs"].get("name", f"<<{name}.name>>")}} for name, it in sorted(told.items())]
        found.append((values, case.members() if case.member == made.TEMPLATE else servers))
    return found


def _applied(tofu, case):
    """What each request became after an apply, and the members that then exist."""
    found, chosen, members = {}, dict(case.requests), []
    for _ in range(60):
        if not chosen:
            break
        place = case.folder / "out"
        done = house.hotplate("render", case.write(chosen), "--target", "terraform", "-o", place, "--force", "--allow-path", case.folder)
        if not (place / "outputs.tf").exists():
            raise RuntimeError(f"{case.name}: {done.stderr.decode('utf-8', 'replace')[-800:]}")
        written = set(re.findall(r'^output "(\w+)"', (place / "outputs.tf").read_text(encoding="utf-8"), re.MULTILINE))
        state, wrong = tofu.apply(place)
        broken = set(re.findall(r'in output "(\w+)"', wrong))
        if wrong and not broken:
            raise RuntimeError(f"{case.name}: {wrong[:1500]}")
        if not wrong:
            told = outputs(state)
            found.update({name: [told.get(name)] if name in written else LOST for name in chosen})
            members = case.members() if case.member == made.TEMPLATE else _servers(state)
            break
        # OpenTofu refuses the expression, as it does with the number of a member that does not exist.
        found.update(dict.fromkeys(broken, REFUSED))
        chosen = {name: request for name, request in chosen.items() if name not in broken}
    return found, members


def _servers(state):
    """The servers of a state in order, with their attributes as Heat names them."""
    instances = [instance for resource in state.get("resources", ()) if resource["type"] == "openstack_compute_instance_v2" for instance in resource["instances"]]
    ordered = sorted(instances, key=lambda instance: instance.get("index_key", 0))
    told = [instance["attributes"] for instance in ordered]
    return [{"ref": it["id"], "attrs": {"first_address": it["access_ip_v4"], "name": it["name"]}} for it in told]


# ---------------------------------------------------------------- Heat's values

def _judge(figures, what, cases, ours, members):
    """The figure of a target: every value that it expresses is Heat's."""
    counts, misses = collections.Counter(), []
    asked = [(case, found, these) for case, found, these in zip(cases, ours, members) if these]
    with Judge() as judge:
        answers = judge.ask([case.question(these) for case, _, these in asked], remember=what != "tofu apply")
    for (case, found, _), answer in zip(asked, answers):
        for name, request in case.requests.items():
            output = answer["outputs"][name]
            value = _value(output)
            fails = "$error" in json.dumps(output)
            mine = found.get(name, LOST)
            if mine == LOST or mine == REFUSED and fails:
                counts["lost"] += 1
                continue
            counts["of"] += 1
            if isinstance(mine, list) and not fails and mine[0] == _numbered(value):
                counts["equal"] += 1
            else:
                misses.append(f"{what}: {case.name} {json.dumps(request)}: Heat {json.dumps(output)[:200]}, ours {json.dumps(mine)[:200]}")
    figures.must(counts["equal"], counts["of"], f"{what}: requests of a group's attributes have Heat's value ({counts['lost']} are losses)", misses)


def _numbered(value):
    """A value with the numbers of members in place of the names that a scaling group chooses."""
    if isinstance(value, dict) and set(value) <= set(RANDOM_NAMES):
        return {str(RANDOM_NAMES.index(name)): item for name, item in value.items()}
    return value


def _gaps(figures, cases, ours):
    """The figure of the requests that must not be losses."""
    there, of, missing = 0, 0, []
    for case, found in zip(cases, ours):
        first = made.ATTRIBUTES[case.member][0]
        for wanted in EXPRESSIBLE.get(case.kind, ()):
            request = json.loads(json.dumps(wanted).replace("MEMBER", first))
            name = next((name for name, other in case.requests.items() if other == request), None)
            # Without its path, such an attribute has no value.
            if name is None or case.version == "2013-05-23" and isinstance(request[-1], str) and len(request) > 1:
                continue
            of += 1
            there += isinstance(found.get(name), list)
            if not isinstance(found.get(name), list):
                missing.append(f"{case.name} {json.dumps(request)}: {found.get(name)}")
    figures.must(there, of, "tofu apply: requests that the provider has a value for are no losses", missing)
