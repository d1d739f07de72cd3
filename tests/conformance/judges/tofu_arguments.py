"""Arguments of objects after an apply, beside the properties that Heat resolves with the same parameters."""

import collections
import json
import re
import uuid
from concurrent import futures

import yaml

import house
from generators import spelling
from judges.judge import Judge
from judges.tofu import asked, refuses_values

# A name that patterns for the names of hosts take.
STACK = "stack"
_UUID = re.compile(r"[0-9a-fA-F]{8}-?([0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}")


def compare(figures, tofu, jobs):
    """The figures. A job is a template and whether each of its parameters is given a value, or only the required ones."""
    folder = house.scratch("terraform-arguments")
    with futures.ThreadPoolExecutor(2) as pool:
        done = [it for it in pool.map(lambda job: _applied(tofu, folder / str(job[0]), *job[1]), enumerate(jobs)) if it]
    broken = [it.wrong for it in done if it.wrong]
    figures.must(len(done) - len(broken), len(done), "deployments of the corpus applied, alone and with every parameter given", broken)
    done = [it for it in done if not it.wrong]
    requests = [{"op": "resolve", "file": str(it.path), "params": it.given, "coerce": True, "missing_files": "stub", "stack_name": STACK} for it in done]
    with Judge() as judge:
        answers = judge.ask(requests, remember=True)
    facts = _Facts()
    counts, differences, declared, absent = collections.Counter(), [], [], collections.Counter()
    for it, answer in zip(done, answers):
        for name, resource in (answer.get("resources") or {}).items():
            for key, kind, text in _resource(facts, it, name, resource):
                counts[kind] += 1
                line = f"{it.path}{' (all given)' if it.every else ''}: {name}.{key}: {text}"
                {"different": differences, "declared": declared}.get(kind, []).append(line)
                absent[text] += kind == "absent"
    judged = counts["equal"] + counts["different"]
    figures.must(counts["equal"], judged, "arguments with the value that Heat resolves", differences)
    figures.count(counts["declared"], judged + counts["declared"], "arguments that differ where a loss says so", declared)
    for kind, what in _KINDS.items():
        figures.say(f"apart: {counts[kind]} {what}")
    figures.say("such types: " + ", ".join(f"{kind} {count}" for kind, count in absent.most_common(12) if count))


_KINDS = {
    "cloud": "properties with a value of a cloud",
    "looked up": "properties whose name or id is looked up in the cloud",
    "otherwise": "properties that rules or objects of their own say, or nothing",
    "absent": "properties of resources that no object stands for",
    "error": "properties that Heat does not resolve",
}


class _Applied:
    """A deployment after an apply."""

    def __init__(self, path, every, given):
        self.path, self.every, self.given = path, every, given
        self.objects, self.lost, self.wrong = {}, set(), ""


def _applied(tofu, place, path, every):
    """A template applied; None where there is nothing to apply."""
    given = _values(path, every)
    if given is None:
        return None
    it = _Applied(path, every, given)
    arguments = [part for name, value in given.items() for part in ("-P", f"{name}={value}")]
    done = house.hotplate("render", path, "--target", "terraform", "-o", place, "--format", "json", *arguments)
    if not place.exists():
        return None
    report = json.loads(done.stdout)
    if refuses_values(report):
        return None
    it.lost = {(loss.get("owner"), loss["subject"].split(".")[0]) for loss in report["losses"]}
    state, wrong = tofu.apply(place, **{**asked(place), "stack_name": STACK})
    if wrong and every and all(error.lstrip().startswith("expected ") for error in wrong.split("Error:")[1:]):
        # One of the ids that are made up stands where the provider takes a few words only.
        return None
    if wrong and every and any(finding["code"] == "HP1003" for finding in report["findings"]):
        # A made-up value reaches a property that Heat refuses it for.
        return None
    if wrong:
        it.wrong = f"{path}{' (all given)' if every else ''}\n{wrong[:1500]}"
    for resource in state.get("resources", ()):
        if resource["mode"] == "managed" and "module" not in resource:
            it.objects[resource["type"], resource["name"]] = [instance["attributes"] for instance in resource["instances"]]
    return it


def _values(path, every):
    """Values for the parameters of a template, as texts; None where it is no template that can be filled."""
    done = house.hotplate("eval", path, "--fill", "--format", "json")
    try:
        filled = json.loads(done.stdout)["parameters"]
        declared = yaml.load(path.read_bytes(), Loader=spelling.HeatLoader)
    except (ValueError, KeyError, yaml.YAMLError):
        return None
    declared = declared.get("parameters") or declared.get("Parameters") or {}
    values = {}
    for name, value in filled.items():
        about = declared.get(name)
        if name.startswith(("OS::", "AWS::")) or not isinstance(about, dict):
            continue
        if every and (other := _other(name, about)) is not None:
            values[name] = other
        elif "default" not in about and "Default" not in about and value is not None:
            values[name] = value if isinstance(value, str) else json.dumps(value)
    return values


def _other(name, about):
    """Another value than the default, where nothing limits them; texts are ids, which need not be looked up."""
    if "constraints" in about or any(key[:1].isupper() for key in about):
        return None
    made = [str(uuid.uuid5(uuid.NAMESPACE_OID, f"{name} {number}")) for number in range(2)]
    flipped = "false" if str(about.get("default")).lower() in ("true", "t", "on", "y", "yes", "1") else "true"
    return {"string": made[0], "number": "3", "boolean": flipped, "comma_delimited_list": ",".join(made)}.get(str(about.get("type")).lower())


class _Facts:
    """The mapping and the provider's schema."""

    def __init__(self):
        folder = house.TARGETS / "terraform"
        self.types = yaml.safe_load((folder / "mapping.yaml").read_text(encoding="utf-8"))["types"]
        self.schema = json.loads((folder / "schema.json").read_text(encoding="utf-8"))["resources"]


def _resource(facts, it, name, resource):
    """(property, kind of result, text) of each property of a resource."""
    mapping = facts.types.get(resource["type"]) or {}
    kind = mapping.get("to")
    objects = it.objects.get((kind, re.sub(r"[^A-Za-z0-9_-]", "_", name)))
    given = resource.get("properties")
    if not isinstance(given, dict):
        return
    for key, plain in given.items():
        about = (mapping.get("properties") or {}).get(key) or {}
        if about.get("same_as"):
            about = mapping["properties"][about["same_as"]]
        heat = (resource.get("coerced") or {}).get(key, plain)
        if heat is None:
            continue
        if "$error" in json.dumps(heat):
            yield key, "error", ""
        elif not objects or len(objects) != 1:
            yield key, "absent", resource["type"]
        elif "to" not in about or any(field in about for field in ("rule", "object")):
            yield key, "otherwise", resource["type"]
        else:
            info = facts.schema[kind]["arguments"][about["to"]]
            ours = objects[0].get(about["to"])
            if "key" in about:
                ours = ours[0] if isinstance(ours, list) and ours else ours
                ours = ours.get(about["key"]) if isinstance(ours, dict) else None
                info = {}
            found = _judged(heat, ours, about, info)
            if found == "different" and (name, key) in it.lost:
                found = "declared"
            yield key, found, f"Heat {json.dumps(heat)}, ours {json.dumps(ours)}"


def _judged(heat, ours, about, info):
    """What a value is beside Heat's."""
    if "members" in about:
        return _members(heat, ours, about, info)
    if _open(heat):
        return "cloud"
    if ("lookup" in about or "wants" in about) and not _is_direct(heat, about):
        return "looked up"
    if "values" in about:
        heat = about["values"].get(heat, heat)
    heat, ours = _plain(heat), _plain(ours)
    if isinstance(heat, (dict, list)) and isinstance(ours, str):
        try:
            ours = _plain(json.loads(ours))
        except ValueError:
            pass
    if isinstance(heat, list) and isinstance(ours, list) and info.get("type") == "set":
        # Each item counts once there.
        order = lambda items: sorted({json.dumps(item, sort_keys=True) for item in items})
        heat, ours = order(heat), order(ours)
    if heat in ("", [], {}) and ours in ("", [], {}, None):
        return "equal"
    return "equal" if heat == ours else "different"


def _members(heat, ours, about, info):
    """The same of maps whose members have other names; where the provider has sets, in any order."""
    items = heat if isinstance(heat, list) else [heat]
    if _open(heat) and not all(isinstance(item, dict) for item in items):
        return "cloud"
    rest = list(ours) if isinstance(ours, list) else [ours]
    results = set()
    for item in items:
        if not isinstance(item, dict):
            continue
        candidates = rest if info.get("type") == "set" else rest[:1]
        for other in candidates:
            found = _item(item, other, about, info)
            if "different" not in found:
                break
        else:
            return "different"
        results |= found
        rest.remove(other)
    if rest and ours is not None:
        return "different"
    return next((kind for kind in ("looked up", "cloud") if kind in results and "equal" not in results), "equal")


def _item(item, other, about, info):
    """The results for the members of one map."""
    found = set()
    for key, value in item.items():
        member = about["members"].get(key) or {}
        if value is None or "to" not in member or "rule" in member:
            continue
        below = (info.get("block") or {}).get(member["to"]) or {}
        found.add(_judged(value, other.get(member["to"]) if isinstance(other, dict) else None, member, below))
    return found


def _is_direct(heat, about):
    """Whether a name or id is what is wanted, so that nothing is looked up."""
    texts = heat if isinstance(heat, list) else [heat]
    are_ids = [bool(_UUID.fullmatch(text)) for text in texts if isinstance(text, str)]
    return not any(are_ids) if about.get("wants") == "name" else all(are_ids) and "wants" not in about


def _open(value):
    """Whether what only a cloud knows, or a file that is not there, is in a value."""
    return "<<" in json.dumps(value)


def _plain(value):
    """A value with numbers and truth values as text, as the provider has them in places where Heat has not."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items() if item is not None}
    return value
