"""`upgrade --modernize` before Heat: the exact rewrites of the corpus and of every translation rule keep the translated properties."""

import collections
import json
import re

import house
from judges import audit
from judges.judge import Judge
from parts.upgrade import copy_corpus, corpus_identity

# What of the corpus the part cannot do without.
NEEDS = ("templates",)

OPTIONS = ("--modernize", "--exact-only")
# A group compares the definition of its members as it is written, so Heat sees another value there.
MEMBERS = {"resource_def", "resource", "resources", "resource_properties"}
GROUPS = ("`OS::Heat::ResourceGroup`", "`OS::Heat::AutoScalingGroup`", "`OS::Heat::InstanceGroup`", "`OS::Heat::ResourceChain`")
VALUES = {"string": "x", "integer": 1, "boolean": True, "list": ["x"], "map": {"a": "x"}}
STYLES = ("block", "flow")


def _rules():
    """Every rule of the facts that moves a value: the type, the path of the old name, the property with it."""
    facts = json.loads((house.ROOT / "crates/heat-facts/data/heat-27.json").read_text())["types"]
    found = []
    for kind, info in facts.items():
        for rule in info.get("translations") or []:
            if "replace" not in rule or kind == "OS::Mistral::Workflow":
                continue
            path, source = rule["replace"]["path"], rule["replace"]["with"]
            old = path[:-1] + [source["sibling"]] if "sibling" in source else source["property"]
            # A plugin may read the name that is the old one today.
            names = [old, path]
            names.sort(key=lambda names: _status(info, names) == "supported")
            found.append((kind, info, names[0], names[1][-1]))
    found.append(("OS::Heat::RandomString", facts["OS::Heat::RandomString"], ["sequence"], "character_classes"))
    found.append(("OS::Neutron::Router", facts["OS::Neutron::Router"], ["l3_agent_id"], "l3_agent_ids"))
    return found


def _required(members, new):
    """A value for each required one, except for the new name."""
    return {name: _value(member) for name, member in members.items() if member.get("required") and name != new}


def _value(member):
    if member["type"] == "list" and member.get("items"):
        return [_value(member["items"])]
    if member["type"] == "map" and member.get("members"):
        return _required(member["members"], None)
    allowed = next((rule["allowed_values"] for rule in member.get("constraints") or [] if "allowed_values" in rule), None)
    return allowed[0] if allowed else VALUES[member["type"]]


def _property(info, path):
    members, found = info["properties"], None
    for name in path:
        found = members[name]
        members = (found.get("items") or {}).get("members") or found.get("members") or {}
    return found


def _status(info, path):
    return _property(info, path).get("support", {}).get("status", "supported")


def _template(kind, info, path, new, style):
    """A template with the old name, next to what the type requires."""
    value = {"sequence": "hexdigits"}.get(path[-1]) or VALUES[_property(info, path)["type"]]
    for at in range(len(path) - 1, 0, -1):
        map_of = _property(info, path[:at])
        value = {**_required((map_of.get("items") or map_of)["members"], new), path[at]: value}
        if map_of["type"] == "list":
            value = [value]
    properties = {**_required(info["properties"], new), path[0]: value}
    text = json.dumps(properties) if style == "flow" else "\n" + _block(properties, 6)
    return f"heat_template_version: 2018-08-31\nresources:\n  # comment\n  one:\n    type: {kind}\n    properties: {text}  # end\n" if style == "flow" else (
        f"heat_template_version: 2018-08-31\nresources:\n  # comment\n  one:\n    type: {kind}\n    properties:{text}")


def _block(value, indent):
    pad = " " * indent
    if isinstance(value, dict):
        return "".join(f"{pad}{key}:" + (f"\n{_block(item, indent + 2)}" if isinstance(item, (dict, list)) else f" {json.dumps(item)}  # {key}\n") for key, item in value.items())
    return "".join(f"{pad}-\n{_block(item, indent + 2)}" if isinstance(item, (dict, list)) else f"{pad}- {json.dumps(item)}\n" for item in value)


def _refusal(answer, name):
    """Whether Heat validates a text, and its errors, without the name of the file and the positions in it."""
    errors = str(answer.get("errors")).replace("old-of-", "")
    return answer.get("ok"), re.sub(r"line \d+|column \d+", "", errors)


def _kind_of_error(answer):
    """The first error of an update, without the names in it."""
    error = next(iter(answer.get("errors") or ()), answer)
    error = error.get("message") or error.get("error") or str(error) if isinstance(error, dict) else str(error)
    return re.sub(r"['\"(].*", "…", error)[:80]


def _judge(figures, label, folder, before, run):
    """What Heat says about the changed files of a run."""
    changed = [name for name, entry in run.files.items() if entry["status"] in house.UPGRADED]
    wrong = [f"{name}: " + "; ".join(found) for name in changed if (found := audit.problems(before[name], (folder / name).read_bytes(), run.files[name]))]
    figures.must(len(changed) - len(wrong), len(changed), f"{label}: changed only where reported, every comment kept", wrong)
    # The old text beside the new one, so that both refer to the same files.
    olds = {name: (folder / name).with_name("old-of-" + (folder / name).name) for name in changed}
    for name, path in olds.items():
        path.write_bytes(before[name])
    depends = corpus_identity(folder)
    with Judge() as judge:
        common = {"fill": True, "missing_files": "stub"}
        updates = judge.ask([{"op": "update", "old": str(olds[name]), "file": str(folder / name), **common} for name in changed], remember=True, depends=depends)
        # What differs even between a text and itself says nothing about a change.
        controls = judge.ask([{"op": "update", "old": str(path), "file": str(path), **common} for path in olds.values()], remember=True, depends=depends)
        validations = [judge.ask([{"op": "validate", "file": str(path), **common} for path in paths], remember=True, depends=depends)
                       for paths in (olds.values(), [folder / name for name in changed])]
    for path in olds.values():
        path.unlink()
    same = total = groups = restless_alone = 0
    differs, unanswered = [], {}
    for name, answer, control in zip(changed, updates, controls):
        if not answer.get("resources"):
            unanswered[name] = _kind_of_error(answer)
            continue
        for resource, verdict in answer["resources"].items():
            if "changed_properties" not in verdict and verdict.get("action") != "replaced":
                continue
            properties = set(verdict.get("changed_properties") or ())
            if properties and properties <= MEMBERS:
                groups += 1
                continue
            if verdict == (control.get("resources") or {}).get(resource) and properties:
                restless_alone += 1
                continue
            total += 1
            if properties or verdict.get("action") == "replaced":
                differs.append(f"{name}: {resource}: {verdict.get('action')} {sorted(properties)}")
            else:
                same += 1
    figures.must(same, total, f"{label}: Heat's translated properties are the same", differs)
    figures.say(f"{label}: not judged are {groups} groups whose members are written in another way, {restless_alone} resources that Heat finds changed without a change; {len(unanswered)} of {len(changed)} files are not compared, see below")
    # Heat compares only what it can create; the judge says for each why it is not compared.
    refused = [(name, one, other) for name, one, other in zip(changed, *validations) if name in unanswered]
    unlike = [f"{name}: {_refusal(one, name)} became {_refusal(other, name)}" for name, one, other in refused if _refusal(one, name) != _refusal(other, name)]
    valid = sum(one.get("ok") is True for _, one, _ in refused)
    if refused:
        figures.must(len(refused) - len(unlike), len(refused), f"{label}: what is not compared is refused before and after alike", unlike)
        figures.say(f"{label}: of these, Heat validates {valid} before and after, and refuses to compare them: " + "; ".join(f"{count} × {why}" for why, count in collections.Counter(unanswered.values()).most_common(5)))
    alike = [f"{name}: {one.get('ok')} became {other.get('ok')}: {str(other.get('errors'))[:200]}" for name, one, other in zip(changed, *validations) if one.get("ok") != other.get("ok")]
    figures.must(len(changed) - len(alike), len(changed), f"{label}: Heat validates the new text as the old one", alike)
    again = house.Upgrade(folder, "declared", OPTIONS)
    restless = [f"{name}: {entry['status']}" for name, entry in again.files.items() if entry["status"] in house.UPGRADED]
    figures.must(len(again.files) - len(restless), len(again.files), f"{label}: left alone by a second run", restless)


def run(figures, full):
    """The part."""
    folder = copy_corpus(house.scratch("modernize"))
    before = {str(path.relative_to(folder)): path.read_bytes() for path in house.files_below(folder)}
    corpus = house.Upgrade(folder, "declared", OPTIONS)
    counts = collections.Counter(rewrite["rule"] for entry in corpus.files.values() if entry["status"] in house.UPGRADED for rewrite in entry["rewrites"])
    figures.say("corpus: " + ", ".join(f"{count} × {rule}" for rule, count in counts.most_common()))
    exact = [name for name, entry in corpus.files.items() if entry["status"] == "rewritten"]
    updates = {name: [found["message"] for found in corpus.files[name]["diagnostics"] if found["code"] == "HP0414"] for name in exact}
    groups = [name for name, found in updates.items() if any(kind in it for it in found for kind in GROUPS)]
    changing = [f"{name}: {found}" for name, found in updates.items() if any(not any(kind in it for kind in GROUPS) for it in found)]
    figures.must(len(exact) - len(changing), len(exact), "corpus: diff finds no impact of exact rewrites beyond an update without effect", changing)
    figures.say(f"corpus: diff updates groups in {len(groups)} of {len(exact)} files, whose members are written in another way")
    unproved = [name for name, entry in corpus.files.items() if entry["status"] == "unproved"]
    figures.must(len(corpus.files) - len(unproved), len(corpus.files), "corpus: no proof fails", unproved)
    _judge(figures, "corpus", folder, before, corpus)

    folder = house.scratch("modernize-rules")
    folder.mkdir(parents=True, exist_ok=True)
    before = {}
    for number, (kind, info, path, new) in enumerate(_rules()):
        for style in STYLES:
            name = f"{number:02}-{style}.yaml"
            before[name] = _template(kind, info, path, new, style).encode()
            (folder / name).write_bytes(before[name])
    rules = house.Upgrade(folder, "declared", OPTIONS)
    kept = [name for name in before if rules.files[name]["status"] not in house.UPGRADED]
    figures.must(len(before) - len(kept), len(before), "rules: every translation rule is applied, in block and flow style", kept)
    _judge(figures, "rules", folder, before, rules)
