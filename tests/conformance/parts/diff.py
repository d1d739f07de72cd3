"""What an update does to a resource: our `impact` beside Heat's own decision.

Heat decides on each resource with references as they are, which is our `impact`; what follows from
replacements is ours alone.
"""

import collections
import hashlib
import json
import urllib.parse
from concurrent import futures

import house
from generators import changes, special, standins
from judges.judge import Judge
from parts.upgrade import corpus_identity

# So many resources of one type are compared at once.
BATCH = 120

# What we may say, by what Heat says.
SAYS = {
    "unchanged": {"none"},
    "updated": {"update", "noop-update"},
    "replaced": {"replace"},
    "added": {"create", "adopt"},
    "forbidden": {"refused"},
}
DELETED = {"Delete": "delete", "Retain": "retain", "Snapshot": "snapshot"}
# Parts of a definition that are effective values, as Heat's own difference names them.
EFFECTIVE = ("metadata", "update_policy", "deletion_policy", "depends_on")


# Rules about what follows from a decision.
EFFECTS = {"data-lost", "hazard", "machine-effect"}
# What we say about an update in place that Heat's decision does not show, by type and property: the plugin rebuilds the
# server or restores the volume, or the update fails while it runs.
REBUILT = {("OS::Nova::Server", "image", "policy"), ("OS::Cinder::Volume", "backup_id", "plugin-rule")}
FAILS_WHILE_RUNNING = {
    ("OS::Cinder::QoSSpecs", ""),
    ("OS::Cinder::Volume", "backup_id"),
    ("OS::Cinder::Volume", "size"),
    ("OS::Cinder::Volume", "volume_type"),
    ("OS::Neutron::Subnet", "gateway_ip"),
    ("OS::Neutron::Subnet", "segment"),
    ("OS::Neutron::SubnetPool", "prefixes"),
    ("OS::Nova::Server", "image"),
    ("OS::Nova::Server", "user_data"),
    ("OS::Trove::Instance", "size"),
}


def decision(entry):
    """Our impact of a resource as Heat decides about it, before the update runs."""
    decided = [reason for reason in entry["reasons"] if reason["rule"] not in EFFECTS]
    # What may happen in a stack that is never opened is not Heat's decision about the stack.
    reasons = [reason for reason in decided if reason["rule"] != "not-opened"]
    impact = entry["impact"]
    if len(reasons) < len(decided) and impact == "may-replace":
        impact = min((reason["impact"] for reason in reasons), key=["may-replace", "update", "noop-update", "none"].index, default="none")
    worst = [reason for reason in reasons if reason["impact"] == impact]
    part = lambda reason: reason["property"] if reason["part"] == "property" else ""
    if impact == "rebuild" and all((entry["type"], part(reason), reason["rule"]) in REBUILT for reason in worst):
        return "update"
    if impact == "refused" and all(
        reason["rule"] == "fails-while-running" and (entry["type"], part(reason)) in FAILS_WHILE_RUNNING for reason in worst
    ):
        if any(part(reason) for reason in worst):
            return "update"
        return "update" if any(reason["impact"] == "update" for reason in reasons) else "noop-update"
    return impact


def fits(theirs, ours, is_stack):
    """Whether our impact is Heat's decision."""
    action = theirs["action"]
    if action == "error":
        return ours == "refused" and theirs.get("why") == "external_id changed"
    if action == "deleted":
        return ours == DELETED[theirs["deletion_policy"]]
    if action == "updated" and is_stack and _is_touched_only(theirs):
        # Heat touches stacks at every update; that nothing changed is `none`.
        return ours in {"none", "update", "noop-update"}
    return ours in SAYS.get(action, ())


def _is_touched_only(theirs):
    parts = theirs.get("definition_diff") or {}
    # Heat does not look at the description.
    return not theirs.get("changed_properties") and not any(differs for part, differs in parts.items() if part != "description")


def is_exact(theirs, ours):
    """Whether an update in place is told from one that changes nothing; `None` where Heat does not say."""
    if theirs["action"] != "updated" or "definition_diff" not in theirs or "why" in theirs:
        return None
    parts = theirs["definition_diff"]
    if theirs["changed_properties"]:
        return ours == "update"
    # Whether these are the same in effect shows in none of Heat's answers.
    if any(parts[part] for part in EFFECTIVE):
        return None
    return ours in {"noop-update", "none"}


class Tally:
    """Figures over many resources."""

    def __init__(self, what):
        self.what = what
        self.judged = self.alike = self.told = self.exact = 0
        self.apart = collections.Counter()
        self.misses, self.inexact = [], []
        self.actions = collections.Counter()

    def add(self, name, theirs, ours, is_stack, shows=True, refuses=lambda: False):
        """Takes in one resource. `refuses` asks whether Heat's validation refuses it, with what is nested in it: the
        judge of updates does not look there."""
        if theirs["action"] in ("error", "unknown") and theirs.get("why") != "external_id changed":
            self.apart[f"where Heat itself fails: {theirs.get('error', {}).get('type')}"] += 1
            return
        if ours == "refused" and not fits(theirs, ours, is_stack) and refuses():
            self.apart["that Heat's validation refuses with what is nested in them"] += 1
            return
        self.judged += 1
        self.actions[theirs["action"]] += 1
        if fits(theirs, ours, is_stack):
            self.alike += 1
        else:
            self.misses.append(f"{name}: {ours}, Heat: {json.dumps(theirs)[:300]}")
        exact = is_exact(theirs, ours) if shows else None
        if exact is not None and ours in SAYS["updated"]:
            self.told += 1
            self.exact += exact
            if not exact:
                self.inexact.append(f"{name}: {ours}, Heat: {json.dumps(theirs)[:300]}")

    def tell(self, figures):
        """Prints the figures."""
        figures.must(self.alike, self.judged, f"{self.what}: our impact is Heat's decision", self.misses)
        figures.must(self.exact, self.told, f"{self.what}: an update in place is told from one that changes nothing", self.inexact, empty_is_well=True)
        figures.say(f"{self.what}: Heat says " + ", ".join(f"{action} {count}" for action, count in self.actions.most_common()))
        for reason, count in sorted(self.apart.items()):
            figures.say(f"{self.what}: apart: {count} {reason}")


def diff(old, new, extra=()):
    """hotplate's impact of every resource: ({name: impact}, what went wrong). What is missing gets a stand-in, as the
    judge's does: otherwise nobody knows what follows."""
    answer, wrong = _diff(old, new, extra)
    if answer and answer["unread"]:
        extra = [*extra, *stand_ins(old, new, answer["unread"])]
        answer, wrong = _diff(old, new, extra)
    return wrong is None and {entry["name"]: decision(entry) for entry in answer["resources"]}, wrong


def stand_ins(old, new, unread):
    """The options that give each file that is missing a stand-in."""
    place = house.WORK / "diff/files" / hashlib.sha256(f"{old}{new}".encode()).hexdigest()[:16]
    place.mkdir(parents=True, exist_ok=True)
    options = []
    for number, file in enumerate(entry["file"] for entry in unread):
        stub = place / str(number)
        stub.write_text(f"stand-in for {file}\n", encoding="utf-8")
        options += ["--files-map", f"file://{urllib.parse.quote(file)}={stub}"]
    return options


def _diff(old, new, extra):
    """hotplate's report, and what went wrong."""
    access = ("--allow-path", str(house.CORPUS)) if house.CORPUS in new.parents else ("--allow-path", str(house.WORK))
    done = house.hotplate("diff", old, new, "--fill", "--format", "json", *access, *extra, timeout=120)
    try:
        answer = json.loads(done.stdout)
        if not answer["compared"]:
            return None, f"exit {done.returncode}: {[finding['message'] for finding in answer['findings']]}"
    except (ValueError, KeyError, IndexError):
        return None, f"exit {done.returncode}: {done.stderr.decode('utf-8', 'replace')[:300]}"
    return answer, None


def side_by_side(questions):
    """The answers to many comparisons, two at a time."""
    with futures.ThreadPoolExecutor(2) as threads:
        return list(threads.map(lambda question: diff(*question), questions))


# ---- generated pairs


def _generated(figures, judge):
    folder = house.scratch("diff/generated")
    stacks = {name for name, facts in changes.types().items() if facts.get("nested") or name == "OS::Heat::Stack"}
    by_type = collections.defaultdict(list)
    for kind, what, old, new in changes.every_pair():
        by_type[kind].append((what, old, new))
    questions, whats = [], []
    for number, (kind, pairs) in enumerate(by_type.items()):
        for start in range(0, len(pairs), BATCH):
            batch = pairs[start:start + BATCH]
            paths = folder / f"{number:03}-{start:04}-old.yaml", folder / f"{number:03}-{start:04}-new.yaml"
            for side, path in enumerate(paths, 1):
                resources = {f"r{at}": pair[side] for at, pair in enumerate(batch)}
                path.write_text(json.dumps(changes.template(resources)), encoding="utf-8")
            questions.append(paths)
            whats.append((kind, batch))
    answers = judge.ask([_request(*question) for question in questions], remember=True, depends=_texts(questions))
    tally = Tally("generated pairs")
    properties = set()
    for (kind, batch), theirs, (ours, wrong) in zip(whats, answers, side_by_side(questions)):
        if wrong or "resources" not in theirs:
            tally.misses.append(f"{kind}: {wrong or theirs['errors']}")
            tally.judged += len(batch)
            continue
        for at, (what, _, new) in enumerate(batch):
            name = f"r{at}"
            if name not in theirs["resources"]:
                continue
            if what.endswith(" changed"):
                properties.add((kind, what))
            tally.add(f"{kind}: {what}", theirs["resources"][name], ours.get(name, "missing"), kind in stacks,
                      refuses=lambda new=new: _is_refused(judge, new))
    tally.tell(figures)
    figures.say(f"{len(properties)} properties and members of them change alone in these pairs")


def _is_refused(judge, resource):
    """Whether Heat's validation, as at the creation of a stack, refuses a resource. An adopted group is made from its
    template as well (`handle_adopt`), which the validation of what exists already does not look at."""
    resource = {key: value for key, value in resource.items() if key != "external_id"}
    question = {"op": "validate", "template": changes.template({"r": resource}), "full": True}
    return not judge.ask([question], remember=True)[0]["ok"]


def _request(old, new, **more):
    return {"op": "update", "old": str(old), "file": str(new), "fill": True, **more}


def _texts(questions):
    return b"".join(path.read_bytes() for question in questions for path in question[:2])


# ---- rules of their own


def _special(figures, judge):
    folder = house.scratch("diff/special")
    tally = Tally("rules of plugins and registries")
    names, questions, requests = [], [], []
    for number, case in enumerate(special.CASES):
        paths = folder / f"{number:03}-old.yaml", folder / f"{number:03}-new.yaml"
        for side, path in zip((case.old, case.new), paths):
            path.write_text(json.dumps(side), encoding="utf-8")
        for name, text in special.FILES.items():
            (folder / name).write_text(text, encoding="utf-8")
        extra, more = [], {}
        for flag, key, side, environment in (("--old-e", "old_env", "old", case.old_environment), ("-e", "env", "new", case.environment)):
            path = folder / f"{number:03}-{side}-env.yaml"
            path.write_text(json.dumps(environment or {}), encoding="utf-8")
            extra += [flag, str(path)]
            more[key] = [str(path)]
        names.append(case.name)
        questions.append((*paths, extra))
        requests.append(_request(*paths, **more))
    answers = judge.ask(requests)
    for case, theirs, (ours, wrong) in zip(special.CASES, answers, side_by_side(questions)):
        if wrong or "resources" not in theirs:
            tally.judged += 1
            tally.misses.append(f"{case.name}: {wrong or theirs['errors']}")
            continue
        for name, verdict in theirs["resources"].items():
            tally.add(f"{case.name}: {name}", verdict, ours.get(name, "missing"), case.is_stack, case.shows)
    tally.tell(figures)


def _beyond(figures):
    """What Heat's judge does not look at: cases after the facts."""
    folder = house.scratch("diff/beyond")
    misses = []
    for number, case in enumerate(special.BEYOND):
        paths = folder / f"{number:03}-old.yaml", folder / f"{number:03}-new.yaml"
        for side, path in zip((case.old, case.new), paths):
            path.write_text(json.dumps(side), encoding="utf-8")
        for name, text in special.FILES.items():
            (folder / name).write_text(text, encoding="utf-8")
        extra = []
        for flag, side, environment in (("--old-e", "old", case.old_environment), ("-e", "new", case.environment)):
            path = folder / f"{number:03}-{side}-env.yaml"
            path.write_text(json.dumps(environment or {}), encoding="utf-8")
            extra += [flag, str(path)]
        ours, wrong = diff(*paths, extra)
        got = wrong or {name: ours.get(name) for name in case.wanted}
        if got != case.wanted:
            misses.append(f"{case.name}: {got}, wanted {case.wanted}")
    figures.must(len(special.BEYOND) - len(misses), len(special.BEYOND), "cases beyond the judge are as Heat's source has them", misses)


# ---- real revisions


def _refuses(judge, request):
    """Whether Heat refuses the new template of a request: at the creation of a stack, or where it resolves it."""
    question = {key: value for key, value in request.items() if key != "old"}
    answers = judge.ask([{**question, "op": "validate", "full": True}, {**question, "op": "resolve"}])
    return not all(answer["ok"] for answer in answers)


def _revisions(figures, judge):
    folder = house.CORPUS / "pairs"
    questions = [(path / "old.yaml", path / "new.yaml") for path in sorted(folder.iterdir()) if path.is_dir()]
    requests = [_request(*question, missing_files="stub") for question in questions]
    answers = judge.ask(requests, remember=True, depends=corpus_identity(folder))
    missing = [number for number, answer in enumerate(answers) if "resources" not in answer]
    figures.count(len(questions) - len(missing), len(questions), "real revisions are loaded by Heat as they are")
    # With stand-ins for the files and types that are not in the corpus.
    scratch = house.scratch("diff/revisions")
    for number in missing:
        place = standins.folder(scratch / questions[number][0].parent.name)
        paths = tuple(place / path.name for path in questions[number])
        for path, original in zip(paths, questions[number]):
            path.write_bytes(original.read_bytes())
        environments = [str(path) for path in standins.StandIns(paths).write(place)]
        questions[number] = (*paths, [word for path in environments for word in ("-e", path)])
        requests[number] = _request(*paths, missing_files="stub", env=environments)
    for number, answer in zip(missing, judge.ask([requests[number] for number in missing])):
        answers[number] = answer
    tally = Tally("resources of real revisions")
    loaded = 0
    names = [path.name for path in sorted(folder.iterdir()) if path.is_dir()]
    for number, (name, theirs, (ours, wrong)) in enumerate(zip(names, answers, side_by_side(questions))):
        if "resources" not in theirs:
            tally.apart[f"pairs that Heat does not load: {theirs['errors'][0]['type']}"] += 1
            continue
        loaded += 1
        if wrong:
            tally.judged += len(theirs["resources"])
            tally.misses.append(f"{name}: {wrong}")
            continue
        for resource, verdict in theirs["resources"].items():
            tally.add(f"{name}: {resource}", verdict, ours.get(resource, "missing"), _is_touched_only(verdict),
                      refuses=lambda number=number: _refuses(judge, requests[number]))
    figures.count(loaded, len(questions), "real revisions are loaded by Heat, with stand-ins for what is not there")
    tally.tell(figures)


def run(figures, _full):
    """The part."""
    with Judge() as judge:
        _generated(figures, judge)
        _special(figures, judge)
        _beyond(figures)
        if figures.has("pairs", what="real revisions"):
            _revisions(figures, judge)
