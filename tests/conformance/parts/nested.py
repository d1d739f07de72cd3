"""Whole deployments with their environments and nested stacks, beside Heat asked stack by stack."""

import collections
import json
import re
import statistics
import subprocess
from concurrent import futures

import house
from generators import odd_groups, surroundings
from judges import deployments
from judges.judge import Judge
from parts.upgrade import corpus_identity

TIMEOUT = 60
ROUNDS = 3
# Differences of one deployment that are listed.
SHOWN = 100
OVERCLOUD = house.CORPUS / "overcloud"
# A sample that takes in the large changes as well as single switches.
SAMPLE = ("ceph-ansible/ceph-ansible.yaml", "dcn-hci.yaml", "external-loadbalancer-vip-v6-all.yaml", "services/octavia.yaml",
          "ssl/tls-everywhere-endpoints-dns.yaml")

_ENVIRONMENT = re.compile(r"^[\"']?(parameters|parameter_defaults|resource_registry)[\"']?\s*:", re.M)
_HOT = re.compile(r"^\s*[\"']?heat_template_version\b", re.M)


class Totals:
    """Figures over many deployments."""

    def __init__(self, what):
        self.what = what
        self.deployments, self.alike = 0, 0
        self.stacks, self.whole, self.values, self.equal, self.parameters = 0, 0, 0, 0, 0
        self.apart, self.errors = collections.Counter(), collections.Counter()
        self.differences = []
        self.refused, self.let_in = 0, []

    def add(self, name, comparison):
        """Takes in one comparison."""
        self.deployments += 1
        self.alike += not comparison.differences
        for field in ("stacks", "whole", "values", "equal", "parameters"):
            setattr(self, field, getattr(self, field) + getattr(comparison, field))
        self.apart.update(comparison.apart)
        self.errors.update(comparison.errors)
        found = comparison.differences
        self.differences += [f"{name} {text}" for text in found[:SHOWN]]
        if len(found) > SHOWN:
            self.differences.append(f"{name}: {len(found) - SHOWN} more differences")

    def tell(self, figures):
        """Prints the figures."""
        figures.must(self.refused - len(self.let_in), self.refused, f"{self.what} that Heat refuses to load are refused", self.let_in, empty_is_well=True)
        figures.must(self.alike, self.deployments, f"{self.what} evaluate as Heat evaluates them", self.differences)
        figures.must(self.whole, self.stacks, f"stacks of {self.what} are equal in everything")
        figures.must(self.equal, self.values, f"values of {self.what} are equal ({self.parameters} of them parameters)")
        for key in ("type", "message"):
            figures.count(self.errors[key], self.errors["all"], f"errors of {self.what} have Heat's {key}")
        for reason, count in sorted(self.apart.items()):
            figures.say(f"{self.what}: apart: {count} {reason}")


def evaluate(template, environments=(), extra=(), cwd=None):
    """What hotplate says: (seconds, its exit code, its answer, which may be an error)."""
    access = ("--allow-path", str(house.CORPUS)) if house.CORPUS in template.parents else ()
    try:
        seconds, done = house.timed([house.BINARY, *deployments.arguments(template, environments, (*access, *extra))], cwd=cwd, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return TIMEOUT, None, {"$error": f"no answer in {TIMEOUT} seconds"}
    try:
        return seconds, done.returncode, json.loads(deployments.plain_paths(done.stdout.decode("utf-8")))
    except ValueError:
        return seconds, done.returncode, {"$error": f"exit {done.returncode}: {done.stderr.decode('utf-8', 'replace')[:300]}"}


def judged(totals, name, answer, root, heard):
    """Adds the comparison of one deployment; returns it."""
    comparison = deployments.Comparison(answer, root).with_answer(heard[2])
    totals.add(name, comparison)
    return comparison


def refused(totals, name, answer, heard):
    """Notes whether hotplate refuses, too, what Heat does not even load."""
    _, code, ours = heard
    totals.refused += 1
    if not code:
        totals.let_in.append(f"{name}: Heat says {json.dumps(answer['errors'])[:300]}, hotplate {json.dumps(ours)[:60]}")


def _side_by_side(work, items):
    """Runs two at a time, in order."""
    with futures.ThreadPoolExecutor(2) as threads:
        yield from threads.map(work, items)


# ---- the corpus


def candidates():
    """Every template of the corpus alone, and with each environment that lies beside it or in a folder below it."""
    environments, templates = [], []
    for folder in ("templates", "pairs"):
        for path in house.files_below(house.CORPUS / folder, (*house.TEMPLATE_SUFFIXES, ".env")):
            text = path.read_bytes().decode("utf-8", "replace")
            if _HOT.search(text):
                templates.append(path)
            elif _ENVIRONMENT.search(text) and "TemplateFormatVersion" not in text:
                environments.append(path)
    pairs = [(template, (environment,)) for template in templates for environment in environments
             if template.parent in (environment.parent, environment.parent.parent)]
    return [(template, ()) for template in templates], pairs


def _corpus(figures, judge, identity):
    alone, pairs = candidates()
    totals = Totals("templates of the corpus, with what lies beside them,")
    questions = alone + pairs
    answers = judge.ask([deployments.request(*question) for question in questions], remember=True, depends=identity)
    fitting = sum("stacks" in answer and not _strangers(answer) for answer in answers[len(alone):])
    figures.count(fitting, len(pairs), "environments fit to a template that they lie beside, says Heat")
    for question, answer, heard in zip(questions, answers, _side_by_side(lambda question: evaluate(*question), questions)):
        name = " -e ".join(str(path.relative_to(house.CORPUS)) for path in (question[0], *question[1]))
        if "stacks" in answer:
            judged(totals, name, answer, "root", heard)
        else:
            refused(totals, name, answer, heard)
    totals.tell(figures)


def _strangers(answer):
    """Whether an environment sets what the template does not declare."""
    return any(error["type"] == "UnknownUserParameter" for error in answer["stacks"][str(answer["root"])]["errors"])


# ---- odd groups


def _odd(figures, judge):
    folder = house.scratch("nested/odd")
    (folder / "inner.yaml").write_text(odd_groups.INNER, encoding="utf-8")
    root = folder / "root.yaml"
    root.write_text(odd_groups.ROOT, encoding="utf-8")
    answer = judge.ask([deployments.request(root)])[0]
    heard = evaluate(root)
    totals = Totals("deployments of odd groups")
    judged(totals, "root.yaml", answer, "root", heard)
    totals.tell(figures)
    theirs = answer["stacks"][str(answer["root"])]["resources"]
    refusals = {name: entry["nested"]["$error"] for name, entry in theirs.items() if "$error" in _nested(entry)}
    ours = {name: _nested(heard[2]["resources"][name]).get("$error") for name in refusals}
    well = sum(ours[name] is not None and ours[name]["type"] == error["type"] for name, error in refusals.items())
    figures.must(well, len(refusals), "odd groups that Heat does not make are refused alike", [f"{name}: {ours[name]}" for name in refusals])


def _nested(entry):
    return entry["nested"] if isinstance(entry.get("nested"), dict) else {}


# ---- the overcloud


def _overcloud(figures, judge, identity, full):
    template = OVERCLOUD / "overcloud.yaml"
    base = [OVERCLOUD / "overcloud-resource-registry-puppet.yaml", OVERCLOUD / "environments" / "made-up-secrets.yaml"]
    every = house.files_below(OVERCLOUD / "environments", (".yaml",))
    chosen = every if full else [path for path in every if str(path.relative_to(OVERCLOUD / "environments")) in SAMPLE]
    chosen = chosen if full else chosen[:house.drawn(len(chosen))]
    questions = [base] + [[*base, path] for path in chosen]
    known, blind = Totals("overclouds whose root knows its children's outputs"), Totals("overclouds of placeholders alone")
    folder = house.scratch("nested/attributes")
    # What no output tells, in the shape that its place wants: else whole resources would be errors.
    shapes = {name: entry for name, entry in surroundings.of(template)["attrs"].items() if "attrs" in entry}
    taken = 0
    # One after the other, so that no more than a few of the large answers are held.
    for start in range(0, len(questions), 8):
        batch = questions[start:start + 8]
        answers = judge.ask([deployments.request(template, question, children=True, shapes=shapes) for question in batch], remember=True, depends=identity)
        for number, (question, answer) in enumerate(zip(batch, answers), start):
            name = str(question[-1].relative_to(OVERCLOUD))
            if "stacks" not in answer:
                refused(blind, name, answer, evaluate(template, question))
                continue
            taken += 1
            table = folder / f"{number:03}.json"
            table.write_text(json.dumps(answer["attrs"]), encoding="utf-8")
            both = list(_side_by_side(lambda extra: evaluate(template, question, extra), [("--attrs", str(table)), ()]))
            comparison = judged(known, name, answer, "root", both[0])
            judged(blind, name, answer, "plain", both[1])
            if number == 0:
                figures.say(f"the overcloud with its registry alone: {comparison.summary()}; Heat needed {answer['seconds']:.1f} s")
    figures.count(taken, len(questions), f"overclouds are what Heat takes (of {len(every)} environments and none)")
    known.tell(figures)
    blind.tell(figures)
    table = folder / "000.json"
    if table.exists():
        _speed(figures, judge, template, base, table)


def _speed(figures, judge, template, environments, table):
    """The whole process beside Heat for the same work: everything loaded, every stack once."""
    attrs = json.loads(table.read_text(encoding="utf-8"))
    theirs = judge.ask([deployments.request(template, environments, attrs=attrs)])[0]["seconds"]
    heard = [evaluate(template, environments, ("--attrs", str(table))) for _ in range(ROUNDS)]
    if any("$error" in ours for _, _, ours in heard):
        figures.say("speed of the overcloud: hotplate gives no answer")
        return
    ours = statistics.median(seconds for seconds, _, _ in heard)
    figures.say(f"the whole overcloud: Heat {theirs:.2f} s, hotplate's process {ours:.3f} s (wanted: less than 1), {theirs / ours:.1f} times as fast")


def run(figures, full):
    """The part."""
    identity = corpus_identity(house.CORPUS / "templates") + corpus_identity(house.CORPUS / "pairs")
    with Judge() as judge:
        _odd(figures, judge)
        if figures.has("templates", what="templates of the corpus"):
            _corpus(figures, judge, identity)
        if figures.has("overcloud", what="the overcloud"):
            _overcloud(figures, judge, corpus_identity(OVERCLOUD), full)
