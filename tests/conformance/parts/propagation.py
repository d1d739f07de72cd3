"""What an update in place of one resource does to those that read its attributes: our decision beside Heat's.

Heat is told the attributes of both sides; we are told neither. Where we say that an attribute changes, every reader must have
Heat's decision on a changed attribute; where we say that it may, the same as a possibility; where we say that it stays, no plugin
may read it from the field of that property.
"""

import collections
import json

import house
import yaml
from generators import changes
from judges.judge import Judge
from parts.diff import stand_ins

# Readers of an attribute, by what an update of them does.
READERS = {
    "replaced": lambda read: {"type": "OS::Nova::ServerGroup", "properties": {"name": read}},
    "updated": lambda read: {"type": "OS::Neutron::Net", "properties": {"name": read}},
    "user_data": lambda read: {"type": "OS::Nova::Server", "properties": {"image": "i", "flavor": "f", "networks": [{"network": "n"}], "user_data": {"str_replace": {"template": "x A", "params": {"A": read}}}}},
    "ignored": lambda read: {"type": "OS::Nova::Server", "properties": {"image": "i", "flavor": "f", "networks": [{"network": "n"}], "user_data_update_policy": "IGNORE", "user_data": read}},
    "metadata": lambda read: {"type": "OS::Heat::RandomString", "metadata": {"a": read}},
    "immutable": lambda read: {"type": "OS::Heat::RandomString", "properties": {"salt": read}},
}
# Our word for a decision that is certain, and for one that is not.
CERTAIN = {"replaced": {"replace"}, "updated": {"update", "rebuild"}, "unchanged": {"none", "noop-update"}}
POSSIBLE = {"replaced": {"may-replace"}, "updated": {"update", "rebuild"}, "unchanged": {"none", "noop-update"}}
# What is not the field of a property although it has its name: addresses are listed by the names of networks,
# segments sorted by their own.
OTHER_FIELDS = {("addresses", "name"), ("segments", "name")}


class Tally:
    """Figures over readers."""

    def __init__(self, what):
        self.what = what
        self.judged = self.alike = 0
        self.kinds = collections.Counter()
        self.misses = []

    def add(self, name, theirs, ours, effects):
        """Takes in a reader: Heat's decision on a changed attribute, our impact, and the effects that we name."""
        if not effects:
            self.kinds["stay"] += 1
            return False
        certain = any(effect["certain"] for effect in effects)
        self.kinds["change" if certain else "may change"] += 1
        self.judged += 1
        if ours in (CERTAIN if certain else POSSIBLE).get(theirs["action"], ()):
            self.alike += 1
        else:
            self.misses.append(f"{name}: {ours}, {'certain' if certain else 'possible'}, Heat: {json.dumps(theirs)[:300]}")
        return True

    def tell(self, figures, **options):
        """Prints the figures."""
        figures.must(self.alike, self.judged, f"{self.what}: our decision on a reader is Heat's on the new attribute", self.misses, **options)
        figures.say(f"{self.what}: attributes that readers read: " + ", ".join(f"{kind} {count}" for kind, count in self.kinds.most_common()))


def _diff(old, new, extra=()):
    done = house.hotplate("diff", old, new, "--fill", "--format", "json", "--allow-path", str(house.WORK), "--allow-path", str(house.CORPUS), *extra, timeout=120)
    try:
        report = json.loads(done.stdout)
    except ValueError:
        return None
    if report["compared"] and report["unread"] and not extra:
        return _diff(old, new, stand_ins(old, new, report["unread"]))
    return report["compared"] and {entry["name"]: entry for entry in report["resources"]}


def _attributes(table, value):
    return {name: {"attrs": {attribute: value(path) for attribute, path in reads.items()}} for name, reads in table.items()}


def _nested(text):
    """A value with the text at a path."""
    def value(path):
        inner = text
        for step in reversed(path):
            inner = [inner] * (step + 1) if isinstance(step, int) else {step: inner}
        return inner
    return value


def _ask(judge, old, new, reads):
    """Heat's decisions on the changed attributes. `reads` has, by resource and attribute, the path that is read."""
    request = {"op": "update", "old": str(old), "file": str(new), "fill": True, "missing_files": "stub",
               "old_attrs": _attributes(reads, _nested("before")), "attrs": _attributes(reads, _nested("after"))}
    return judge.ask([request], remember=True, depends=old.read_bytes() + new.read_bytes())[0].get("resources")


# ---- generated changes


def _generated(figures, judge, fields, full):
    folder = house.scratch("propagation/generated")
    tally = Tally("generated changes")
    stays, wrong, failed, pairs = 0, [], [], 0
    for kind, facts in list(changes.types().items())[::1 if full else house.sampled(1)]:
        sides, reads, cases = ({}, {}), {}, []
        attributes = [name for name in facts.get("attributes", {}) if not facts.get("nested")]
        for number, (name, prop) in enumerate(facts.get("properties", {}).items()):
            if not prop.get("update_allowed") or not attributes:
                continue
            changed = next((pair for pair in changes.of_property(facts, name) if pair[0].endswith("changed")), None)
            if changed is None:
                continue
            source = f"r{number}"
            for side, given in zip(sides, changed[1:]):
                side[source] = changes.resource(kind, facts, name, given)
            reads[source] = {attribute: [] for attribute in attributes}
            for at, attribute in enumerate(attributes):
                for reader, make in READERS.items():
                    resource = make({"get_attr": [source, attribute]})
                    whole = f"{source}_{at}_{reader}"
                    sides[0][whole] = sides[1][whole] = resource
                    cases.append((name, attribute, source, whole))
        if not cases:
            continue
        paths = [folder / f"{kind.replace('::', '-')}-{side}.yaml" for side in ("old", "new")]
        for path, side in zip(paths, sides):
            path.write_text(json.dumps(changes.template(side)), encoding="utf-8")
        theirs, ours = _ask(judge, *paths, reads), _diff(*paths)
        if not theirs or not ours:
            failed.append(kind)
            continue
        for name, attribute, source, whole in cases:
            # Another rule than that of the property may decide on the source.
            if ours[source]["effective_impact"] not in ("update", "rebuild"):
                continue
            pairs += 1
            effects = [effect for effect in ours[whole]["propagations"] if effect["source"] == source]
            if ours[whole]["effective_impact"] == "none" and theirs[whole]["action"] == "unchanged":
                # The reader does not mind: `user_data` that is ignored, for example.
                tally.kinds["change nothing"] += 1
                continue
            if tally.add(f"{kind}: {name}, {attribute}: {whole}", theirs[whole], ours[whole]["effective_impact"], effects):
                continue
            stays += 1
            read = set(fields.get(kind, {}).get(attribute, ()))
            if attribute != "show" and read & {name, f"{name}_id"} and (attribute, name) not in OTHER_FIELDS:
                wrong.append(f"{kind}: {attribute} is read from the field of {name}: {whole}")
    tally.tell(figures)
    figures.must(stays - len(wrong), stays, "generated changes: an attribute that stays is not read from the field of the property", wrong)
    figures.must(int(not failed), 1, "generated changes: Heat and we compare every type", failed)
    figures.say(f"generated changes: {pairs} readers of attributes of types that are updated in place; {len(fields)} plugins show what they read")


# ---- real templates


def _reads(node):
    """(resource, attribute, path) of every `get_attr` in a part of a template."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key == "get_attr" and isinstance(value, list) and len(value) > 1 and all(isinstance(step, (str, int)) for step in value):
                yield value[0], value[1], value[2:]
            else:
                yield from _reads(value)
    elif isinstance(node, list):
        for item in node:
            yield from _reads(item)


def _load(path):
    """A template and its resources; `None` if it is none of HOT."""
    try:
        template = yaml.safe_load(path.read_text(encoding="utf-8"))
        resources = template["resources"]
        template["heat_template_version"] = str(template["heat_template_version"])
    except (ValueError, TypeError, KeyError, yaml.YAMLError, UnicodeDecodeError):
        return None, {}
    return template, {name: it for name, it in resources.items() if isinstance(it, dict)} if isinstance(resources, dict) else {}


def _readers(resources, source):
    """By reader what it reads of a resource."""
    found = {name: [read for read in _reads(other) if read[0] == source] for name, other in resources.items() if name != source}
    return {name: reads for name, reads in found.items() if reads}


def _real(figures, judge):
    """Every property that can be updated of every resource with readers, in turn."""
    folder = house.scratch("propagation/real")
    tally = Tally("real templates")
    number = compared = 0
    for path in sorted(house.files_below(house.CORPUS / "templates")):
        template, resources = _load(path)
        for source, resource in resources.items():
            facts = changes.types().get(resource.get("type"))
            readers = _readers(resources, source)
            if not facts or facts.get("nested") or not readers or not isinstance(resource.get("properties", {}), dict):
                continue
            for name, prop in facts.get("properties", {}).items():
                changed = next((pair for pair in changes.of_property(facts, name) if pair[0].endswith("changed")), None)
                if not prop.get("update_allowed") or changed is None:
                    continue
                number += 1
                place = folder / str(number)
                place.mkdir()
                paths = [place / "old.yaml", place / "new.yaml"]
                for to, value in zip(paths, changed[1:]):
                    properties = {**resource.get("properties", {}), name: value}
                    other = {**template, "resources": {**resources, source: {**resource, "properties": properties}}}
                    to.write_text(json.dumps(other, default=str), encoding="utf-8")
                compared += _judge(judge, tally, f"{path.relative_to(house.CORPUS)}: {source}.{name}", paths, {source: readers})
    tally.tell(figures)
    figures.count(compared, number, "real templates: changes of a property of a resource with readers are compared by Heat and by us")


def _revisions(figures, judge):
    """The resources of real revisions that are updated in place and have readers."""
    tally = Tally("real revisions")
    number = compared = 0
    for place in sorted(path for path in (house.CORPUS / "pairs").iterdir() if path.is_dir()):
        paths = [place / "old.yaml", place / "new.yaml"]
        _, resources = _load(paths[1])
        readers = {source: _readers(resources, source) for source in resources}
        readers = {source: found for source, found in readers.items() if found}
        if readers:
            number += 1
            compared += _judge(judge, tally, place.name, paths, readers)
    tally.tell(figures, empty_is_well=True)
    figures.count(compared, number, "real revisions with readers of attributes have a resource with readers that is updated in place, compared by Heat and by us")


def _judge(judge, tally, label, paths, sources):
    """Judges the readers of resources; whether there was anything to judge."""
    ours = _diff(*paths)
    sources = {source: readers for source, readers in sources.items() if ours and ours.get(source, {}).get("effective_impact") in ("update", "rebuild")}
    if not sources:
        return False
    reads = {source: {} for source in sources}
    for source, readers in sources.items():
        for _, attribute, steps in (read for found in readers.values() for read in found):
            reads[source].setdefault(attribute, steps)
    theirs = _ask(judge, *paths, reads)
    if not theirs:
        return False
    for source, readers in sources.items():
        for reader, found in readers.items():
            # Another path of the same attribute has no value of its own; a reader that differs itself is judged by the part `diff`.
            if ours.get(reader, {}).get("impact") != "none" or any(reads[source][attribute] != steps for _, attribute, steps in found):
                continue
            if theirs.get(reader, {}).get("action", "error") in ("error", "unknown"):
                tally.kinds["where Heat itself fails"] += 1
                continue
            effects = [effect for effect in ours[reader]["propagations"] if effect["source"] == source]
            tally.add(f"{label}, {reader}", theirs[reader], ours[reader]["effective_impact"], effects)
    return True


def run(figures, full):
    """The part."""
    done = house.run([house.PYTHON, house.HERE / "judges" / "attribute_fields.py"], timeout=600)
    fields = json.loads(done.stdout or b"{}")
    figures.must(bool(fields), True, "Heat's plugins show which fields they read")
    with Judge() as judge:
        _generated(figures, judge, fields, full)
        if figures.has("templates", what="real templates"):
            _real(figures, judge)
        if figures.has("pairs", what="real revisions"):
            _revisions(figures, judge)
