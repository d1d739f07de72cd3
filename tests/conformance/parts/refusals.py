"""No false "all is well": templates that Heat refuses, files that cannot be read, and counts that add up."""

import collections
import json
import re
import shutil
from concurrent import futures

import yaml

import house
from generators import mistakes, repositories, spelling
from judges.judge import Judge
from parts.check import beyond_judge
from parts.upgrade import copy_corpus

# So many templates are spoiled in each way; `--full`: all that have a place for it.
EACH = 14
# So many mistakes are asked about at least.
LEAST = 300
# The statuses of a file with a new text.
UPGRADED = ("date_only", "rewritten", "conditional")


def _bases(folder):
    """HOT templates of the corpus: (path, data)."""
    for path in house.files_below(folder):
        try:
            tree = yaml.load(path.read_bytes(), Loader=spelling.HeatLoader)
        except (yaml.YAMLError, UnicodeDecodeError, ValueError):
            continue
        if isinstance(tree, dict) and "heat_template_version" in tree and isinstance(tree.get("resources"), dict):
            yield path, tree


def _values(tree):
    """Values for the parameters that have no default."""
    schemas = tree.get("parameters") if isinstance(tree.get("parameters"), dict) else {}
    return {name: mistakes.value(schema) for name, schema in schemas.items() if isinstance(schema, dict) and "default" not in schema}


def _options(values):
    return [argument for name, value in values.items() for argument in ("-P", f"{name}={value}")]


def _question(path, values):
    # As at the creation of a stack, what is nested included.
    return {"op": "validate", "file": str(path), "params": values, "full": True}


def _all(function, items):
    with futures.ThreadPoolExecutor(2) as pool:
        return list(pool.map(function, items))


def _accepted(judge, folder):
    """The templates that Heat takes, written as data: (path, data, values, answer)."""
    found = []
    for path, tree in _bases(folder):
        beside = path.with_name(f"{path.stem}.refusals.json")
        try:
            beside.write_text(mistakes.text(tree), encoding="utf-8")
        except (TypeError, ValueError):
            continue
        for name, text in mistakes.BROKEN.items():
            path.with_name(name).write_text(text, encoding="utf-8")
        found.append((beside, tree, _values(tree)))
    answers = judge.ask([_question(path, values) for path, _, values in found])
    return [(*base, answer) for base, answer in zip(found, answers) if answer["ok"]]


def _spoiled(bases, full):
    """(kind, old path, new path, values), each kind with as many templates as there shall be, spread over all."""
    by_kind = collections.defaultdict(list)
    for number, (path, tree, values, _) in enumerate(bases):
        for kind, spoiled in mistakes.make(tree):
            by_kind[kind].append((number, path, spoiled, values))
    for kind, found in by_kind.items():
        step = 1 if full else max(len(found) // EACH, 1)
        for number, path, spoiled, values in found[::step][:None if full else EACH]:
            beside = path.with_name(f"{path.name.removesuffix('.refusals.json')}.{list(mistakes.KINDS).index(kind)}.spoiled.json")
            beside.write_text(mistakes.text(spoiled), encoding="utf-8")
            yield kind, path, beside, values


def _mistakes(figures, full):
    """Every mistake that Heat refuses, against the template without it."""
    folder = copy_corpus(house.scratch("refusals/corpus"))
    with Judge() as judge:
        bases = _accepted(judge, folder)
        asked = list(_spoiled(bases, full))
        answers = judge.ask([_question(new, values) for _, _, new, values in asked])
    refused = [question for question, answer in zip(asked, answers) if not answer["ok"]]

    def same(base):
        path, _, values, _ = base
        return house.hotplate("diff", path, path, *_options(values), "--format", "json")

    wrong, unseen = [], []
    for (path, _, _, answer), done in zip(bases, _all(same, bases)):
        refusals = json.loads(done.stdout)["refusals"] if done.returncode in (0, 1) else []
        if refusals and all(beyond_judge(it["code"], it["new_place"], path, answer) for it in refusals):
            unseen.append(f"{path.relative_to(folder)}: {refusals[0]['code']} {refusals[0]['message'][:120]}")
        elif done.returncode != 0:
            wrong.append(f"{path}: exit {done.returncode} {done.stderr.decode()[-200:]}")
    figures.count(len(unseen), len(unseen), "refused where the judge does not look: nested stacks, and rules behind a question to a service", unseen)
    bases = [base for base in bases if str(base[0].relative_to(folder)) not in {it.split(":")[0] for it in unseen}]
    figures.must(len(bases) - len(wrong), len(bases), "templates that Heat takes, with themselves: no difference and no alarm", wrong)

    def both(question):
        _, old, new, values = question
        return [house.hotplate(command, *paths, *_options(values), *rest).returncode
                for command, paths, rest in (("diff", (old, new), ("--fail-on", "refused")), ("eval", (new,), ("--nested",)))]

    seen, known, passed, silent = collections.Counter(), collections.Counter(), collections.Counter(), []
    for (kind, old, new, _), (compared, evaluated) in zip(refused, _all(both, refused)):
        seen[kind] += 1
        known[kind] += evaluated != 0
        passed[kind] += compared == 0
        if compared == 0 and evaluated != 0:
            silent.append(f"{kind}: {new.relative_to(folder)} (diff exits 0, eval {evaluated})")
    total, of_eval = sum(seen.values()), sum(known.values())
    figures.must(total >= LEAST, True, f"at least {LEAST} mistakes that Heat refuses ({total} of {len(seen)} kinds, {len(bases)} templates)")
    figures.must(of_eval - len(silent), of_eval, "mistakes that eval knows: diff calls them refused", silent)
    figures.must(total - sum(passed.values()), total, "mistakes that Heat refuses: diff calls them refused",
                  [f"{kind}: {passed[kind]} of {seen[kind]} pass" for kind in seen if passed[kind]])
    for kind, count in seen.items():
        figures.say(f"  {kind}: {count - passed[kind]} of {count} refused by diff, {known[kind]} by eval")


def _reading(figures):
    """Files at every place that a template can name, compared in every format."""
    place = house.scratch("refusals/repositories")
    wrong, count = [], 0
    for case in repositories.CASES:
        folder = repositories.make(place / case.name, case)
        for name, (options, has) in repositories.FORMATS.items():
            count += 1
            done = house.hotplate("diff", "--git", "HEAD~..HEAD", *options, cwd=folder)
            problem = repositories.problem(case, done, has)
            if problem:
                wrong.append(f"{case.name}, {name}: {problem}")
        for gate in repositories.GATES:
            count += 1
            done = house.hotplate("diff", "--git", "HEAD~..HEAD", "--fail-on", gate, cwd=folder)
            if case.unread and done.returncode == 0:
                wrong.append(f"{case.name}, --fail-on {gate}: exit 0 though something was not compared")
    figures.must(count - len(wrong), count, "comparisons with included files at ../, above the root, missing, linked: exit status and headline", wrong)


def _sums(wrong, what, counts, listed):
    """Two ways to count must agree, key for key; what is counted as none need not be there."""
    counts, listed = ({key: count for key, count in side.items() if count} for side in (counts, listed))
    if counts != listed:
        wrong.append(f"{what}: {counts} is told, {listed} is listed")


def _of_upgrade(folder, wrong):
    """`upgrade` over a folder: every file once, each rule with its rewrites, and the same numbers for people."""
    report = json.loads(house.hotplate("upgrade", "--check", "--format", "json", ".", cwd=folder).stdout)
    files = report["files"]
    _sums(wrong, "statuses", report["summary"], collections.Counter(entry["status"] for entry in files))
    applied = [rewrite["rule"] for entry in files if entry["status"] in UPGRADED for rewrite in entry["rewrites"]]
    _sums(wrong, "rules", {entry["rule"]: entry["rewrites"] for entry in report["statistics"]}, collections.Counter(applied))
    done = house.hotplate("upgrade", "--check", ".", cwd=folder)
    lines = (done.stdout + done.stderr).decode().splitlines()
    line = next((line for line in lines if re.match(r"\d+ files: ", line)), "")
    # What is told behind a semicolon is counted above already.
    numbers = [int(number) for number in re.findall(r"(?<![\w.-])\d+(?![\w.-])", re.sub(r"Jinja2|;.*", "", line))]
    upgraded = sum(report["summary"].get(status, 0) for status in UPGRADED)
    # The total, the number of those with a new text, and every status.
    told = [len(files), *([upgraded] if upgraded else []), *(count for count in report["summary"].values() if count)]
    _sums(wrong, "the line of the summary", collections.Counter(numbers), collections.Counter(told))
    return len(files)


def _of_versions(folder, wrong):
    """`versions` over a folder: its histogram."""
    report = json.loads(house.hotplate("versions", "--format", "json", ".", cwd=folder).stdout)
    declared = collections.Counter(entry["declared"] for entry in report["files"] if entry.get("declared"))
    _sums(wrong, "versions", {entry["version"]: entry["templates"] for entry in report["histogram"]}, declared)
    return sum(declared.values())


def _of_diff(folder, wrong):
    """`diff` of two commits: the real revisions."""
    repositories.commits(folder, house.CORPUS / "pairs")
    done = house.hotplate("diff", "--git", "HEAD~..HEAD", "--format", "json", cwd=folder)
    report = json.loads(done.stdout)
    total = collections.Counter()
    for template in report["templates"]:
        listed = collections.Counter(resource["effective_impact"] for resource in template["resources"])
        _sums(wrong, f"impacts of {template['new']}", template["summary"], listed)
        _sums(wrong, f"resources of {template['new']}", {"resources": template["counts"]["resources"]}, {"resources": len(template["resources"])})
        if template["old"] is not None and template["new"] is not None:
            total += listed
    _sums(wrong, "impacts of all templates that are on both sides", report["summary"], total)
    return len(report["templates"])


def _counts(figures):
    """The counts of summaries are those of what is listed."""
    folder = copy_corpus(house.scratch("refusals/counts"))
    wrong = []
    files, templates = _of_upgrade(folder, wrong), _of_versions(folder, wrong)
    compared = _of_diff(house.scratch("refusals/revisions"), wrong)
    figures.must(not wrong, True, f"summaries that add up: {files} files to upgrade, {templates} with a version, {compared} templates compared", wrong)


def run(figures, full):
    """The part."""
    if figures.has("templates", what="mistakes in templates of the corpus"):
        _mistakes(figures, full)
    _reading(figures)
    if figures.has("templates", "pairs", what="counts that add up"):
        _counts(figures)
    shutil.rmtree(house.WORK / "trust", ignore_errors=True)
