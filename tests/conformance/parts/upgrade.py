"""The real templates of the corpus, to every other version, judged by Heat before and after."""

import collections
import hashlib
import shutil

import house
from generators import surroundings, versions
from judges import compare
from judges.judge import Judge

# What of the corpus the part cannot do without.
NEEDS = ("templates",)

JUDGED = ("templates", "pairs")
# Without `--full`, one template in so many goes to a version, in turn; all go to the latest.
STEP = 3


def copy_corpus(folder):
    """A copy of the real templates, with the files around them."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in JUDGED:
        if house.missing(name):
            continue
        shutil.copytree(house.CORPUS / name, folder / name, copy_function=shutil.copyfile)
    return folder


def corpus_identity(folder):
    """What remembered answers about files of the folder rest on."""
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(str(path.relative_to(folder)).encode() + b"\0" + path.read_bytes())
    return digest.digest()


class Template:
    """A file of the corpus that the engine takes, and what it said."""

    def __init__(self, path, version, validated, resolved, client):
        self.path = path
        self.version = version
        self.validated = validated
        self.resolved = resolved
        self.client = client


def _ask_both(judge, paths, client, **options):
    """`validate` and `resolve` about each path."""
    common = {"fill": True, "missing_files": "stub", "client": client}
    requests = []
    for path in paths:
        requests += [{"op": op, "file": str(path), **surroundings.of(path), **common} for op in ("validate", "resolve")]
    answers = judge.ask(requests, **options)
    return list(zip(answers[::2], answers[1::2]))


def _ask_creation(judge, pairs):
    """`validate` with the checks of a creation about both texts of each pair."""
    requests = [
        {"op": "validate", "full": True, "file": str(path), **surroundings.of(path), "fill": True, "missing_files": "stub", "client": client}
        for old, new, client in pairs
        for path in (old, new)
    ]
    answers = judge.ask(requests)
    return list(zip(answers[::2], answers[1::2]))


def _find(judge, folder, paths):
    """The templates that Heat validates, and those that it can at least resolve without their nested files."""
    identity = corpus_identity(folder)
    found, rest = [], []
    for path, (validated, resolved) in zip(paths, _ask_both(judge, paths, True, remember=True, depends=identity)):
        version = versions.canonical((resolved.get("version") or ["", ""])[1])
        if validated["ok"] and version and resolved.get("version", [""])[0] == "heat_template_version":
            found.append(Template(path, version, validated, resolved, True))
        else:
            rest.append(path)
    partial = []
    for path, (validated, resolved) in zip(rest, _ask_both(judge, rest, False, remember=True, depends=identity)):
        version = resolved.get("version") or ["", ""]
        if version[0] == "heat_template_version" and resolved.get("outputs") is not None and resolved.get("resources") is not None:
            partial.append(Template(path, versions.canonical(version[1]), validated, resolved, False))
    return found, partial


class Outcome:
    """What became of the templates in one direction."""

    def __init__(self):
        self.per_target = collections.defaultdict(collections.Counter)
        self.rules = collections.Counter()
        self.wrong = []
        self.reasons = []
        self.unconfirmed = []
        self.mute = []
        self.accepted = []


def _judge(outcome, template, target, text, entry, answers, creations):
    """One template at one target."""
    name = f"{template.path.relative_to(house.WORK)} {template.version} to {target}"
    validated, resolved = answers
    count = outcome.per_target[target]
    count["all"] += 1
    found = {(None, path): values for path, values in compare.differences(template.resolved, resolved, despite_errors=True).items()}
    if compare.requires(template.resolved) != compare.requires(resolved):
        found[None, ("resources",)] = "other dependencies"
    if template.validated["ok"] and not validated["ok"]:
        found[None, ()] = validated["errors"]
    if entry["status"] == "blocked":
        # The answers are about a bare version bump.
        count["blocked"] += 1
        outcome.reasons.append(f"{name}: " + "; ".join(f"{item['rule']}: {item['message']}" for item in entry["blockers"]))
        if template.validated["ok"] == validated["ok"] and not compare.unlike(template.resolved, resolved):
            # An output that is an error either way cannot confirm anything.
            (outcome.unconfirmed if compare.works(template.resolved) else outcome.mute).append(name)
        return
    if entry["status"] == "invalid":
        # The version alone must not mend it. That nothing declares a name is found when the stack is created.
        count["invalid"] += 1
        if any(answer["ok"] for answer in creations):
            outcome.accepted.append(name)
        return
    if entry["status"] not in house.UPGRADED:
        outcome.wrong.append(f"{name}: status {entry['status']}: {[item.get('message') for item in entry.get('diagnostics', ())][:2]}")
        return
    for rewrite in entry["rewrites"]:
        outcome.rules[rewrite["rule"], rewrite["effect"]] += 1
    left = compare.undeclared(text, entry, found)
    if left:
        outcome.wrong.append(f"{name}: {left[0]!r:.600}")
    elif versions.canonical((resolved.get("version") or ["", ""])[1]) != target:
        outcome.wrong.append(f"{name}: the version is {resolved.get('version')}")
    else:
        count["conditional" if found else "equal"] += 1


def _upgrade_all(judge, target, templates, folder, outcomes, step):
    """Upgrades a copy of the whole corpus in place, and asks about each result where the original stands."""
    changed = copy_corpus(house.scratch("upgrade/changed"))
    run = house.Upgrade(changed, target)
    turn = versions.VERSIONS.index(target)
    in_turn = (template for number, template in enumerate(templates) if target == versions.VERSIONS[-1] or (number + turn) % step == 0)
    chosen = [template for template in in_turn if template.version != target]
    originals, asked = [], []
    for template in chosen:
        relative = template.path.relative_to(folder)
        entry = run.files.get(str(relative), {"status": "missing in the report"})
        text = template.path.read_bytes()
        # Beside the original, so that what it includes is what the original includes.
        beside = template.path.with_name(f"{template.path.stem}.changed{template.path.suffix}")
        result = (changed / relative).read_bytes()
        if entry["status"] in ("blocked", "invalid"):
            if result != text:
                entry = {"status": f"{entry['status']}, and changed"}
            else:
                result = compare.bare_bump(text, target)
        beside.write_bytes(result)
        originals.append((template, text, entry))
        asked.append(beside)
    answers = {}
    for client in (True, False):
        paths = [path for path, (template, _, _) in zip(asked, originals) if template.client == client]
        answers.update(zip(paths, _ask_both(judge, paths, client)))
    invalid = [(beside, template) for beside, (template, _, entry) in zip(asked, originals) if entry["status"] == "invalid"]
    creations = dict(zip((beside for beside, _ in invalid), _ask_creation(judge, [(template.path, beside, template.client) for beside, template in invalid])))
    for beside, (template, text, entry) in zip(asked, originals):
        outcome = outcomes["upgrade" if template.version < target else "downgrade", template.client]
        _judge(outcome, template, target, text, entry, answers[beside], creations.get(beside))
        beside.unlink()
    quiet = [path for path, entry in run.files.items() if entry["status"] in ("skipped", "unreadable", "invalid", "unchanged")]
    touched = [path for path in quiet if (changed / path).read_bytes() != (folder / path).read_bytes()]
    return len(quiet), [f"{path}: {run.files[path]['status']} to {target}, and changed" for path in touched]


def run(figures, full):
    """The part."""
    folder = copy_corpus(house.scratch("upgrade/corpus"))
    paths = house.files_below(folder)
    outcomes = collections.defaultdict(Outcome)
    quiet, touched = 0, []
    with Judge() as judge:
        found, partial = _find(judge, folder, paths)
        figures.count(len(found), len(paths), "files of the corpus are templates that Heat validates")
        figures.count(len(partial), len(paths), "more are templates that Heat resolves, though their nested files or types are missing")
        for target in versions.VERSIONS:
            left, changed = _upgrade_all(judge, target, found + partial, folder, outcomes, 1 if full else STEP)
            quiet += left
            touched += changed
    for (name, client), outcome in sorted(outcomes.items(), key=lambda item: (item[0][0] != "upgrade", not item[0][1])):
        kind = "validated" if client else "resolvable"
        total = collections.Counter()
        for target, count in sorted(outcome.per_target.items()):
            total.update(count)
            well, free = count["equal"] + count["conditional"], count["all"] - count["blocked"] - count["invalid"]
            figures.must(well, free, f"{kind} templates: {name} to {target} accepted with the same answer "
                         f"({count['conditional']} conditional, {count['blocked']} blocked)", empty_is_well=True)
        free = total["all"] - total["blocked"] - total["invalid"]
        figures.must(free - len(outcome.wrong), free, f"{kind} templates: {name}s in all", outcome.wrong, empty_is_well=True)
        figures.must(total["invalid"] - len(outcome.accepted), total["invalid"], f"{kind} templates: those that are left alone as invalid are refused by Heat in both versions",
                     outcome.accepted, empty_is_well=True)
        telling = total["blocked"] - len(outcome.mute)
        figures.must(telling - len(outcome.unconfirmed), telling, f"{kind} templates: blocked {name}s whose reason Heat confirms "
                     f"({len(outcome.mute)} more have values that Heat cannot compute offline)", outcome.unconfirmed, empty_is_well=True)
        figures.count(len(outcome.reasons), total["blocked"], f"{kind} templates: blocked {name}s have a reason", outcome.reasons)
        for (rule, effect), count in sorted(outcome.rules.items()):
            figures.say(f"{kind} templates: {name} rule {rule}, {effect}: {count} times")
    figures.must(quiet - len(touched), quiet, "files that are no templates, or have the version already, are left alone", touched)
