"""The same system: the objects after Heat's creation beside those after `tofu apply` of what `render -t terraform` writes, and after the playbook.

Each difference is a loss that `render` reports for the resource, follows from an object that is one, or is a row of `known/system.tsv`. After the apply, a
second plan changes nothing. Generated deployments (`generators/systems.py`), a resource of each type (`--full`), and real ones whose types are modeled.
"""

import collections
import email
import json
import re

import yaml

import house
from generators import cloud_changes
from judges import systems

JUDGES = ("tofu", "provider")
# One of so many runs without `--full`: deployments of the corpus, and playbooks, which take a second for each task.
OF_CORPUS, OF_PLAYBOOKS = 20, 12
# Types whose creation disturbs others, or that are Heat's own.
APART = ("OS::Heat::", "OS::Zaqar::", "OS::Octavia::Quota")
GROUPS = ("OS::Heat::AutoScalingGroup", "AWS::AutoScaling::AutoScalingGroup", "OS::Heat::InstanceGroup")
# What Heat puts into the user data beside that of the template: a loss of one of these says that it is not there.
AGENTS = ("user_data_format", "OS::Heat::WaitConditionHandle", "AWS::CloudFormation::WaitConditionHandle", "OS::Heat::SwiftSignalHandle", "OS::Heat::UpdateWaitConditionHandle", "software_config_transport", "AWS::IAM::AccessKey")


def run(figures, full):
    """The part."""
    folder = house.scratch("system")
    known = systems.Known("system", full)
    with systems.Systems() as judge:
        made = systems.generated(_below(folder, "generated"), "system")
        _compare(figures, judge, known, "generated", made, ["terraform"])
        real = systems.corpus(figures, _below(folder, "real"), "system", 1 if full else OF_CORPUS)
        _compare(figures, judge, known, "corpus", real, ["terraform"])
        if full:
            _compare(figures, judge, known, "types", _types(_below(folder, "types")), ["terraform"])
        if house.PROGRAMS["ansible"].exists():
            for group, requests in (("generated", made), ("corpus", real)):
                names = list(requests)[::1 if full else OF_PLAYBOOKS]
                _compare(figures, judge, known, group, {name: {**requests[name], "folder": requests[name]["folder"] + "-playbook"} for name in names}, ["ansible"])
        else:
            figures.skip("playbooks", "Ansible is not installed: tools/setup FOLDER ansible ansible-sdk")
    known.tell(figures)


def _below(folder, name):
    (folder / name).mkdir()
    return folder / name


def _types(folder):
    """A resource of each type, with what it refers to."""
    found = {}
    for kind, template, _ in cloud_changes.single():
        if not kind.startswith(APART):
            path = folder / f"{kind.replace('::', '-')}.yaml"
            path.write_text(json.dumps(template), encoding="utf-8")
            found[kind] = {"do": "system", "old": str(path), "folder": str(folder / path.stem), "external": systems.EXTERNAL}
    return found


def _compare(figures, judge, known, group, requests, targets):
    """The figures of one set of deployments, for one target."""
    target = targets[0]
    sides, apart = f"{group} {target}", collections.Counter()
    same, again, runs, equal, told, listed, misses, ran = 0, 0, 0, 0, 0, 0, [], 0
    for case, answer in zip(requests, judge.run([{**request, "targets": targets} for request in requests.values()])):
        if "dumps" not in answer:
            apart[re.sub(r"'[^']*'|[0-9a-f-]{32,}|\d+", "…", str(answer.get("state") or answer.get("error") or answer))[:110]] += 1
            continue
        ran += 1
        known.judged(sides, case)
        wrong = [each for each in answer["wrong"][target] if not known.has(sides, case, "run", each)]
        runs += not wrong
        misses += [f"{sides}\t{case}\trun\t{each}" for each in wrong]
        if answer["wrong"][target]:
            continue
        changes = [(change["type"], f"again {'/'.join(change['actions'])} {field}") for change in answer.get("second", ()) for field in change["replaces"] or change["fields"] or [""]]
        new = [pair for pair in changes if not known.has(sides, case, *pair)]
        again += not new
        different = Difference(answer, target)
        found = [pair for pair in different.found if not known.has(sides, case, *pair[:2])]
        listed += len(different.found) - len(found) + len(changes) - len(new)
        told, same, equal = told + different.told, same + (not found), equal + (not different.found and not different.told)
        misses += ["\t".join((sides, case, *pair)) for pair in (*new, *found)]
    figures.say(f"{sides}: {ran} of {len(requests)} deployments are created by Heat; {equal} with equal objects; {told} differences are reported losses, {listed} are known")
    for reason, count in apart.most_common(8):
        figures.say(f"{sides}: apart: {count} {reason}")
    if group != "corpus":
        figures.must(ran, len(requests), f"{sides}: generated deployments that Heat creates on the cloud", [f"{count} {reason}" for reason, count in apart.items()])
    if ran:
        figures.must(runs, ran, f"{sides}: deployments that are created, or fail as known", [miss for miss in misses if "\trun\t" in miss])
        figures.must(same + ran - runs, ran, f"{sides}: deployments whose objects are Heat's, but for reported losses and known differences", [miss for miss in misses if "\tagain" not in miss and "\trun\t" not in miss])
        if target == "terraform":
            figures.must(again + ran - runs, ran, f"{sides}: second plans without a change, or with a known one", [miss for miss in misses if "\tagain" in miss])


class Difference:
    """The objects of two dumps. `found` has an object, what differs, and both values; `told` counts what `render` reports."""

    def __init__(self, answer, target):
        # `1.0` is `1` to the services.
        heat, other = (json.loads(re.sub(r"-\*", "", json.dumps(answer["dumps"][side])), parse_float=lambda text: int(float(text)) if float(text).is_integer() else float(text)) for side in ("heat", target))
        # What is not given, what is null and a text without a letter are the same to the services.
        heat, other = ({collection: {name: {field: value for field, value in one.items() if value not in (None, "")} for name, one in objects.items()} for collection, objects in side.items()} for side in (heat, other))
        self._owners = {re.sub(r"-\*", "", name): path for name, path in answer["owners"].items()}
        losses = [loss for loss in answer["losses"][target] if loss["kind"] != "section"]
        self._lost, self._subjects = {loss["owner"] for loss in losses}, {loss["subject"] for loss in losses}
        # That nothing scales a group says nothing of its members.
        self._fields = {loss["owner"] for loss in losses if loss["subject"] not in GROUPS}
        self.found, self.told = [], 0
        pairs = [(collection, *pair) for collection in sorted({*heat, *other}) for pair in _pairs(heat.get(collection, {}), other.get(collection, {}))]
        # What is there once cannot be referred to elsewhere.
        self._alone = {name for _, name, one, two in pairs if one is None or two is None}
        for collection, name, one, two in pairs:
            if one is None or two is None:
                self._add(collection, name, "missing" if two is None else "beside", one or two, "", "")
                continue
            for field in sorted({*one, *two}):
                first, second = one.get(field), two.get(field)
                if _plain(first) != _plain(second):
                    self._add(collection, name, field, one, first, second)

    def _add(self, collection, name, what, one, first, second):
        mentioned = {each for each in self._alone if each in json.dumps([first, second])}
        agents = what == "user_data" and (set(AGENTS) & self._subjects or _user_data(first) == _user_data(second))
        if mentioned or agents or self._is_lost(name, one, self._lost if what in ("missing", "beside", "name") else self._fields):
            self.told += 1
        else:
            self.found.append((_base(name), what, json.dumps(first)[:90], json.dumps(second)[:90]))

    def _is_lost(self, name, one, lost):
        """Whether a loss is reported for the resource of an object; one without a resource belongs to what it refers to."""
        path = self._owners.get(name)
        texts = json.dumps(one)
        paths = [path] if path else [each for other, each in self._owners.items() if f'"{other}"' in texts]
        return any(lost & set(each) for each in paths)


def _base(name):
    return name.split("#")[0]


def _plain(value):
    """A value in which equal objects are not numbered."""
    return re.sub(r"#\d+(?=\")", "", json.dumps(value, sort_keys=True))


def _pairs(heat, other):
    """The objects of a collection with the same name, side by side: equal ones first; one that stands alone has None beside it."""
    groups, left, rest = collections.defaultdict(lambda: ([], [])), [], []
    for side, objects in enumerate((heat, other)):
        for name, one in objects.items():
            groups[_base(name)][side].append((name, one))
    for first, second in groups.values():
        yield from _beside(first, second, left, rest)
    # A name that Heat made up at random is another one elsewhere: the same object but for its name, or one whose name begins or ends so.
    for name, one in left:
        twins = [each for each in rest if _plain({**each[1], "name": ""}) == _plain({**one, "name": ""})] or [each for each in rest if _is_alike(name, each[0])]
        twin = twins[0] if twins else None
        if twin:
            rest.remove(twin)
        yield name, one, twin and twin[1]
    for name, two in rest:
        yield name, None, two


def _is_alike(heat, other):
    """Whether a name is Heat's with a number for each random part."""
    return re.sub(r"-\d+(?=-|$)", "", _base(other)) == _base(heat)


def _beside(first, second, left, rest):
    """Objects of one name; those that stand alone go to the rest of a side."""
    second = list(second)
    for name, one in sorted(first, key=lambda each: not any(_plain(other) == _plain(each[1]) for _, other in second)):
        twin = next((each for each in second if _plain(each[1]) == _plain(one)), second[0] if second else None)
        if twin:
            second.remove(twin)
            yield name, one, twin[1]
        else:
            left.append((name, one))
    rest += second


def _user_data(text):
    """User data as cloud-init reads it: that of the template in what Heat sends for its agents, the parts of a message, the values of a configuration."""
    if not isinstance(text, str):
        return text
    if text.startswith("#cloud-config"):
        values = yaml.safe_load(text)
        # A script that needs what Heat's agents bring is a file, which a command runs.
        script = next((file for file in values.get("write_files", ()) if file["path"].endswith("/cfn-userdata")), None) if isinstance(values, dict) else None
        return script["content"].strip() if script else values
    if not text.startswith("Content-Type: multipart"):
        return text.strip()
    parts = [part for part in email.message_from_string(text).walk() if not part.is_multipart()]
    own = next((part for part in parts if part.get_filename() == "cfn-userdata"), None)
    bodies = [_user_data(part.get_payload(decode=True).decode("utf-8", "replace").replace("\r", "")) for part in ([own] if own else parts)]
    return (bodies[0] or None) if own else bodies
