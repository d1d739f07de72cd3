"""What is no difference: a template with itself, with its upgrades, as JSON, with its keys in another order, and
with parameters renamed."""

import collections
import json
import re
import shutil
from concurrent import futures

import house
from generators import versions
from judges import audit
from parts.upgrade import copy_corpus

# What of the corpus the part cannot do without.
NEEDS = ("templates",)

# Sections whose order has no meaning, the definitions in them too.
SECTIONS = ("parameters", "conditions", "resources", "outputs")
TOLD = ("parameters", "groups", "conditions", "outputs", "environment", "security")


class Answer:
    """What `hotplate diff` says of two files."""

    def __init__(self, old, new, *options):
        done = house.hotplate("diff", old, new, "--format", "json", *options)
        self.code = done.returncode
        self.stderr = done.stderr.decode("utf-8", "replace")
        try:
            self.report = json.loads(done.stdout)
        except ValueError:
            self.report = None

    @property
    def read(self):
        """Both sides could be read."""
        return self.code != 2 and self.report is not None and self.report["compared"]

    @property
    def broken(self):
        """The command did not end as it should."""
        return self.code not in (0, 1, 2) or self.report is None

    def differing(self):
        """The resources that differ."""
        return [entry for entry in self.report["resources"] if entry["effective_impact"] not in ("none", "noop-update")]

    def places(self):
        """(what, spans in the old text) of everything that differs."""
        for entry in self.differing():
            for reason in entry["reasons"]:
                yield f"{entry['name']} {reason['path']}: {reason['why']}", _spans(reason)
            if not entry["reasons"]:
                yield f"{entry['name']}: {entry['ripple'][:1]}", []
        for section in TOLD:
            for entry in self.report[section]:
                yield f"{section} {entry.get('name')}", _spans(entry)

    @property
    def refused(self):
        """Heat refuses the new side, as far as evaluation knows."""
        return bool(self.report["refusals"])

    @property
    def whole(self):
        """Everything could be compared."""
        return not self.report["unread"]

    @property
    def quiet(self):
        """Nothing differs, and the exit status says so; 1 where Heat refuses the new side, and not the old one, or a part is not compared."""
        if not self.read or list(self.places()):
            return False
        is_news = any(not refusal["before"] for refusal in self.report["refusals"])
        return self.code == int(is_news or self.report["counts"]["not_compared"] > 0)

    def told(self):
        """What it tells, for people."""
        if self.broken:
            return f"exit {self.code}: {self.stderr[-300:]}"
        return f"exit {self.code}: " + "; ".join(what for what, _ in self.places())[:300]


def _spans(entry):
    """The places in the old text of an entry and of all that is below it; names of what is only in the new one."""
    found = []
    for key, value in entry.items():
        if key == "old_place" and value:
            found.append((value["path"], value["start"]["byte"], value["end"]["byte"]))
        elif key == "old_place" and entry.get("path"):
            found.append(entry["path"])
        elif isinstance(value, list):
            for item in value:
                if isinstance(item, dict):
                    found += _spans(item)
    return found


def _all(function, items):
    """The function over all items, as many at once as the machine has cores."""
    with futures.ThreadPoolExecutor(2) as pool:
        return list(pool.map(function, items))


def _itself(figures, paths, label):
    """Every file with itself; those that can be read go on."""
    readable, wrong, unread, partly, passed, refused = [], [], 0, 0, [], 0
    for path, answer in zip(paths, _all(lambda path: Answer(path, path), paths)):
        if answer.broken:
            wrong.append(f"{path}: {answer.told()}")
        elif not answer.read:
            unread += 1
        elif not answer.whole:
            partly += 1
            if answer.code != 1:
                passed.append(f"{path}: {answer.told()}")
        elif not answer.quiet:
            wrong.append(f"{path}: {answer.told()}")
        else:
            readable.append(path)
            refused += answer.refused
    figures.must(partly - len(passed), partly, f"{label} that name a file which is not there are not passed", passed, empty_is_well=True)
    figures.say(f"{refused} {label} are refused by Heat as they are: no difference, and exit 1")
    figures.say(f"{unread} {label} are no templates, or Heat takes none of their resources")
    total = len(readable) + len(wrong)
    figures.must(len(readable), total, f"{label} with themselves: no difference", wrong)
    return readable


def _upgrades(figures, folder, readable, targets):
    """Every upgrade: nothing differs but what the upgrade declared."""
    exact, exact_all, within, within_all, wrong = 0, 0, 0, 0, []
    for target in targets:
        changed = copy_corpus(house.scratch("same/changed"))
        run = house.Upgrade(changed, target)
        chosen = []
        for path in readable:
            relative = path.relative_to(folder)
            entry = run.files.get(str(relative))
            if entry and entry["status"] in house.UPGRADED:
                # Beside the original, so that what it includes is what the original includes.
                beside = path.with_name(f"{path.stem}.changed{path.suffix}")
                shutil.copyfile(changed / relative, beside)
                chosen.append((path, beside, entry))
        for (path, beside, entry), answer in zip(chosen, _all(lambda item: Answer(item[0], item[1]), chosen)):
            beside.unlink()
            declared = [audit.span(rewrite) for rewrite in entry["rewrites"] if rewrite["effect"] != "exact"]
            found = list(answer.places()) if answer.read else [(answer.told(), [])]
            texts = [path.read_bytes()[max(first - 80, 0):last] for first, last in declared]  # with its key
            left = [what for what, spans in found if not any(_meets(span, declared) or _added_in(span, texts) for span in spans)]
            if declared:
                within_all += 1
                within += not left
            else:
                exact_all += 1
                exact += not left
            if left:
                wrong.append(f"{path.relative_to(folder)} to {target}: {left[:3]}")
    figures.must(exact, exact_all, "upgrades whose rewrites are exact: no difference", wrong)
    figures.must(within, within_all, "upgrades with conditional rewrites: no difference but at declared places", wrong, empty_is_well=True)


def _added_in(path, texts):
    """Whether the last key of what was added stands in one of the texts."""
    return isinstance(path, str) and any(re.split(r"[.\[\]\"]+", path.rstrip('"]'))[-1].encode() in text for text in texts)


def _meets(span, declared):
    if isinstance(span, str):
        return False
    _, start, end = span
    return any(start < last and first < end for first, last in declared)


def _as_json(path):
    """The template as JSON data; `None` where it cannot be said in JSON."""
    done = house.hotplate("render", path, "--target", "json")
    return json.loads(done.stdout) if done.returncode == 0 else None


def _rendered(figures, readable):
    """Every template as JSON, as it is and with its keys in another order, and with its parameters renamed."""
    tally = {name: [0, 0, []] for name in ("as JSON", "with keys in another order", "with parameters renamed")}
    for path, data in zip(readable, _all(_as_json, readable)):
        if not isinstance(data, dict):
            continue
        variants = {"as JSON": data, "with keys in another order": _permuted(data)}
        renamed = _renamed(data)
        if renamed is not None:
            variants["with parameters renamed"] = renamed[0]
        for name, variant in variants.items():
            beside = path.with_name(f"{path.stem}.changed.json")
            beside.write_text(json.dumps(variant), encoding="utf-8")
            answer = Answer(path, beside)
            beside.unlink()
            count = tally[name]
            count[1] += 1
            well = answer.read and (_only_renames(answer, renamed[1]) if "renamed" in name else answer.quiet)
            count[0] += bool(well)
            if not well:
                count[2].append(f"{path.parent.name}/{path.name}: {answer.told()}")
    for name, (well, total, wrong) in tally.items():
        figures.must(well, total, f"templates {name}: {'only the renames' if 'renamed' in name else 'no difference'}", wrong)


def _only_renames(answer, names):
    """Nothing differs but the names of parameters. What has no value on either side is another value for Heat at
    every update, and a rename of parameters is one."""
    fails = {entry["name"] for entry in answer.differing() if any(reason["rule"] == "fails" for reason in entry["reasons"])}
    rest = [entry for entry in answer.differing() if entry["name"] not in fails
            and not all(propagation["chain"][0] in fails for propagation in entry["propagations"] or [{"chain": [None]}])]
    if rest or any(answer.report[section] for section in TOLD if section not in ("parameters", "groups")):
        return False
    told = {entry["name"]: entry.get("from") for entry in answer.report["parameters"] if entry["change"] == "renamed"}
    return len(told) == len(answer.report["parameters"]) and told == {new: old for old, new in names.items()}


def _permuted(data):
    """The same template with the keys of its sections and definitions the other way round."""
    def turned(value):
        return dict(reversed(value.items())) if isinstance(value, dict) else value

    result = dict(data)
    for section in SECTIONS:
        entries = data.get(section)
        if isinstance(entries, dict):
            result[section] = turned({name: turned(entry) for name, entry in entries.items()})
    return turned(result)


def _renamed(data):
    """The template with every parameter renamed, and the names; `None` where there is none or a name is computed."""
    parameters = data.get("parameters")
    if not isinstance(parameters, dict) or not parameters:
        return None
    names = {name: f"{name}_renamed" for name in parameters}
    resources = data.get("resources") if isinstance(data.get("resources"), dict) else {}

    def walk(value):
        if isinstance(value, list):
            return [walk(item) for item in value]
        if not isinstance(value, dict):
            return value
        if len(value) == 1:
            (key, argument), = value.items()
            if key == "get_param" and isinstance(argument, str):
                return {key: names.get(argument, argument)}
            if key == "get_param" and isinstance(argument, list) and argument and isinstance(argument[0], str):
                return {key: [names.get(argument[0], argument[0]), *walk(argument[1:])]}
            if key == "get_param":
                raise ValueError("a computed name")
            if key == "Ref" and isinstance(argument, str) and argument not in resources:
                return {key: names.get(argument, argument)}
        return {key: walk(item) for key, item in value.items()}

    try:
        result = {key: walk(value) for key, value in data.items() if key not in ("parameters", "parameter_groups")}
    except ValueError:
        return None
    result["parameters"] = {names[name]: value for name, value in parameters.items()}
    groups = data.get("parameter_groups")
    if groups is not None:
        if not isinstance(groups, list) or not all(isinstance(group, dict) and isinstance(group.get("parameters"), list) for group in groups):
            return None
        result["parameter_groups"] = [{**group, "parameters": [names.get(name, name) for name in group["parameters"]]} for group in groups]
    return result, names


def _as_sent(folder):
    """Leaves out blanks at the end of every template, as the client does: as JSON there are none."""
    for path in house.files_below(folder):
        path.write_bytes(path.read_bytes().rstrip())


def run(figures, full):
    """The part."""
    folder = copy_corpus(house.scratch("same/corpus"))
    readable = _itself(figures, house.files_below(folder), "files of the corpus")
    if figures.has("overcloud", what="files of the overcloud"):
        _itself(figures, house.files_below(house.CORPUS / "overcloud"), "files of the overcloud, nested templates included")
    figures.say(f"kinds: {dict(collections.Counter(path.suffix for path in readable))}")
    _upgrades(figures, folder, readable, versions.VERSIONS if full else versions.VERSIONS[::-house.sampled(1)])
    _as_sent(folder)
    _rendered(figures, readable)
