"""The commands about the same broken template: refused or not, the line, the sentence. No two contradict each other."""

import concurrent.futures
import itertools
import json
import os
import re
import shutil

import house
from generators import failures, mistakes, property_mistakes
from judges.lsp_client import Client

# Without `--full`, every so many-th mistake in a property, failing expression and template that has an error.
OF_PROPERTIES, OF_FAILURES, OF_SAMPLES = 60, 4, 2
# What only some commands look for: advice of `check`, also about services, losses of targets, settings, what an upgrade cannot do.
OF_SOME = re.compile(r"HP(04|09|1018|1[1-9])")
# A parameter that a new template requires is refused by an update that gives no value, which is about the update.
OF_UPDATES = "HP0602"
BY_SERVICE = "HP1018"
# What hotplate itself reads although Heat or its client refuses it, which only `check` reports as an error.
READ_BY_HOTPLATE = {"HP0110", "HP0216"}
NO_TEMPLATE = "HP0201"
BROKEN_YAML = "HP0101"
# What hotplate cannot read or compute: `check` reports it, but whether Heat refuses it is unknown.
UNDECIDED = {"HP0002", "HP0005", "HP0108", "HP0501", "HP0502", "HP0706", "HP0710", "HP0713"}
# `upgrade` reads no environment: of what `check` reports it knows a part.
READS_NO_ENVIRONMENT = {"upgrade"}
SEVERITIES = {1: "error", 2: "warning", 3: "note", 4: "note"}
RIGHT = "heat_template_version: 2018-08-31\nresources:\n  net: {type: OS::Neutron::Net}\n"


def run(figures, full):
    """The part."""
    folder = house.scratch("contradictions")
    made = _generated(folder / "made", full)
    found = _samples(folder / "samples", full)
    reports = _reports(folder, made + found)
    pairs, contradictions, refused, kinds = 0, [], 0, set()
    for sample in made + found:
        views = reports[sample.path]
        refused += views["check"].is_refused
        for one, other in itertools.combinations(views, 2):
            pairs += 1
            differing = list(_contradictions(one, views[one], other, views[other]))
            contradictions += [f"{sample.name}: {one} and {other}: {it}" for it in differing]
            kinds.update((one, other, sample.name) for _ in differing[:1])
    _without_python(figures, made + found, reports)
    count = len(made) + len(found)
    figures.say(f"{len(made)} generated mistakes, {len(found)} templates of the repository with findings; Heat refuses {refused} of the {count}")
    figures.must(pairs - len(kinds), pairs, f"pairs of commands about one template: they agree; contradictions: {len(contradictions)}", contradictions)


class Sample:
    """A template that all commands are given."""

    def __init__(self, name, path, right):
        self.name, self.path, self.right = name, path, right


class View:
    """What a command reports about a template: (severity, line, sentence) of each finding in it, and whether Heat refuses it."""

    def __init__(self, findings, is_refused=None, grouped=(), services=()):
        self.findings = set(findings)
        # What services refuse: (line, sentence). Only `check` and an editor say that.
        self.services = set(services)
        self.is_broken_yaml = False
        # The sentences of which only the first place is reported, with the number of the others.
        self.grouped = set(grouped)
        self.errors = {(line, message) for severity, line, message in self.findings if severity == "error"}
        self.is_refused = bool(self.errors) if is_refused is None else is_refused

    def first(self):
        """The first error of a text that cannot be read."""
        first = min(self.errors, key=lambda it: int(it[0]) if it[0].isdigit() else 0, default=None)
        return View([("error", *first)] if first else [])

    def of_file(self):
        """What an editor shows in the template: it shows findings in other files there."""
        return View((it for it in self.findings if ":" not in it[1]), grouped=self.grouped, services={it for it in self.services if ":" not in it[0]})


def _contradictions(one, of_one, other, of_other):
    """What two commands report that cannot both be true."""
    if "editor" in (one, other):
        if of_one.is_broken_yaml or of_other.is_broken_yaml:
            # An editor reads on behind the first error.
            of_one, of_other = of_one.first(), of_other.first()
        of_one, of_other = of_one.of_file(), of_other.of_file()
    if {one, other} == {"check", "editor"} and of_one.services != of_other.services:
        yield f"what services refuse: {sorted(of_one.services ^ of_other.services)[:3]}"
    partial = {one, other} & READS_NO_ENVIRONMENT
    if partial:
        lesser, greater = (of_one, of_other) if one in partial else (of_other, of_one)
        if lesser.is_refused and not greater.is_refused:
            yield f"only `{partial.pop()}` refuses it: {sorted(lesser.errors)[:2]}"
        unlike = [it for it in lesser.errors - greater.errors if it[0] in {line for line, _ in greater.errors}]
    else:
        if of_one.is_refused != of_other.is_refused:
            yield f"refused: {of_one.is_refused} and {of_other.is_refused}: {sorted(of_one.errors | of_other.errors)[:2]}"
        unlike = of_one.errors ^ of_other.errors if of_one.is_refused and of_other.is_refused else ()
    unlike = [it for it in unlike if it[1] not in of_one.grouped | of_other.grouped]
    if unlike:
        yield f"different words or lines: {sorted(of_one.errors - of_other.errors)[:3]} and {sorted(of_other.errors - of_one.errors)[:3]}"
    severities = {(line, message): severity for severity, line, message in of_one.findings}
    for severity, line, message in of_other.findings:
        if severities.get((line, message), severity) != severity:
            yield f"line {line}: {severities[line, message]} and {severity}: {message}"


def _without_python(figures, samples, reports):
    """No sentence ends with the class of an exception."""
    classes = re.compile(r"\((?:[A-Z][a-z]+)+(?:Error|Failed|Missing|Reference|Attribute|Section|Exception|Iteration|Definition|Parameter)\)$")
    sentences = {(sample.name, command, message) for sample in samples for command, view in reports[sample.path].items() for _, _, message in view.findings}
    bad = sorted(f"{name}: {command}: {message}" for name, command, message in sentences if classes.search(message))
    figures.must(len(sentences) - len(bad), len(sentences), "sentences without the class of an exception", bad)


# ---- templates


def _generated(folder, full):
    """Generated mistakes, each beside the template without it."""
    made = [(f"{kind}: {name}", right, wrong) for kind, name, right, wrong, _ in list(property_mistakes.mistakes())[:: 1 if full else OF_PROPERTIES]]
    made += [(kind, RIGHT, wrong) for kind, _, _, wrong, _ in property_mistakes.template_mistakes()]
    made += [(kind, RIGHT, text) for kind, text in _in_a_whole_template()]
    made += list(failures.failures())[:: 1 if full else OF_FAILURES]
    samples = []
    for number, (name, right, wrong) in enumerate(made):
        below = folder / f"{number:05}"
        below.mkdir(parents=True)
        (below / "template.yaml").write_text(wrong, encoding="utf-8")
        (below / "right.yaml").write_text(right, encoding="utf-8")
        samples.append(Sample(name, below / "template.yaml", below / "right.yaml"))
    return samples


def _in_a_whole_template():
    """Each kind of mistake in a template that has a bit of everything."""
    import yaml
    for kind, mistake in mistakes.KINDS.items():
        tree = json.loads(json.dumps(yaml.safe_load(failures.template("output", {"get_param": "size"})), default=str))
        if mistake(tree) is not None:
            yield f"{kind}, in a whole template", mistakes.text(tree)


def _samples(folder, full):
    """The templates of the repository, and of the folder of cases if there is one, in which something is reported: each with its folder."""
    sources = [it for it in sorted((house.ROOT / "snapshots").iterdir()) if it.is_dir()]
    cases = house.CORPUS.parent / "cases" / "check"
    sources += [cases] if cases.is_dir() else []
    for source in sources:
        shutil.copytree(source, folder / source.name, ignore=shutil.ignore_patterns(".git", "hotplate.toml"))
    blocks = folder / "pages"
    blocks.mkdir()
    for page in sorted((house.ROOT / "docs").rglob("*.md")):
        for number, block in enumerate(re.findall(r"```yaml\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)):
            if "heat_template_version" in block:
                (blocks / f"{page.stem}-{number}.yaml").write_text(block, encoding="utf-8")
    paths = [it for it in house.files_below(folder) if b"_template_version" in it.read_bytes() or b"AWSTemplateFormatVersion" in it.read_bytes()]
    broken = _with_findings(paths)
    right = folder / "right.yaml"
    right.write_text(RIGHT, encoding="utf-8")
    return [Sample(str(it.relative_to(folder)), it, right) for it in broken[:: 1 if full else OF_SAMPLES]]


# ---- reports


def _reports(folder, samples):
    """What each command reports about each template."""
    paths = [it.path for it in samples]
    upgraded, shown = _upgrade(paths), _editor(folder, paths)
    with concurrent.futures.ThreadPoolExecutor(max(os.cpu_count() or 1, 1)) as pool:
        rest = list(pool.map(_one_by_one, samples))
    return {it.path: {**views, "editor": _without_labels(shown[it.path], views["check"]), "upgrade": upgraded[it.path]} for it, views in zip(samples, rest)}


def _report(*arguments):
    return json.loads(_hotplate(*arguments, "--format", "json").stdout or "{}")


def _hotplate(*arguments):
    # In the folder in which the editor works, so that reports name files alike.
    return house.hotplate(*arguments, cwd=house.WORK / "contradictions")


def _view(findings, path):
    """The findings of a report that are about a file, or about none."""
    view = View(_entry(it, path) for it in findings if _is_judged(it["code"]))
    view.is_broken_yaml = any(it["code"] == BROKEN_YAML for it in findings)
    view.services = {_entry(it, path)[1:] for it in findings if it["code"] == BY_SERVICE}
    return view


def _is_judged(code):
    return not OF_SOME.match(code) and code not in UNDECIDED


def _entry(finding, path):
    place = finding["place"]
    of_file = place and _is(place["path"], path)
    return finding["severity"], _line(of_file, place and place["path"], place and place["start"]["line"]), finding["message"]


def _line(is_of_file, path, line):
    """A line of the template; of another file with its name."""
    return str(line) if is_of_file else f"{path and path.rsplit('/', 1)[-1]}:{line}"


def _is(shown, path):
    return house.WORK / "contradictions" / shown == path


def _with_findings(paths):
    """Those of the templates in which `check` reports a mistake."""
    findings = _report("check", *paths)["findings"]
    findings = [it for it in findings if it["place"]]
    found = {_file(it) for it in findings if not OF_SOME.match(it["code"])} - {_file(it) for it in findings if it["code"] in {*READ_BY_HOTPLATE, NO_TEMPLATE}}
    return [it for it in paths if str(it) in found]


def _file(finding):
    return str(house.WORK / "contradictions" / finding["place"]["path"])


def _upgrade(paths):
    files = {str(house.WORK / "contradictions" / it["path"]): it for it in _report("upgrade", *paths)["files"]}
    views = {}
    for path in paths:
        entry = files[str(path)]
        view = _view(entry["diagnostics"], path)
        views[path] = View(view.findings, entry["status"] in ("invalid", "unreadable"))
    return views


def _editor(folder, paths):
    client = Client(folder, {"impact": {"base": None}})
    views = {}
    for path in paths:
        client.open(path, path.read_bytes().decode("utf-8", "replace"))
        shown = client.diagnostics(path, 1)
        client.close_file(path)
        entry = lambda it: (SEVERITIES[it["severity"]], str(it["range"]["start"]["line"] + 1), it["message"].split("\n")[0])
        services = {entry(it)[1:] for it in shown if it.get("code") == BY_SERVICE}
        views[path] = View((entry(it) for it in shown if _is_judged(it.get("code", "HP0000"))), services=services)
    client.close()
    return views


def _without_labels(shown, checked):
    """An editor shows what stands at the place after the sentence, which `check` has apart."""
    sentences = {}
    for _, line, message in checked.findings:
        sentences.setdefault(line, []).append(message)
    whole = lambda line, message: max((it for it in sentences.get(line, []) if message.startswith(f"{it}: ")), key=len, default=message)
    return View(((severity, line, whole(line, message)) for severity, line, message in shown.findings), services=shown.services)


def _one_by_one(sample):
    path = sample.path
    return {
        "check": _view(_report("check", path)["findings"], path),
        "eval": _eval(path),
        "render": _view(_report("render", "--target", "terraform", path).get("findings", ()), path),
        "diff with itself": _diff(path, path),
        "diff with the right one": _diff(sample.right, path),
    }


HEAD = re.compile(r"^(error|warning|note)\[(HP\d+)\]: (.*)$")
PLACE = re.compile(r"^ *--> (.*?):(\d+):\d+$")


def _eval(path):
    """`eval` has its findings on standard error."""
    entries, broken, lines = [], False, _hotplate("eval", path).stderr.decode("utf-8", "replace").splitlines()
    for number, line in enumerate(lines):
        head = HEAD.match(line)
        if not head or not _is_judged(head[2]):
            continue
        broken |= head[2] == BROKEN_YAML
        rest = itertools.takewhile(lambda it: not HEAD.match(it), lines[number + 1 :])
        message, place = head[3], None
        for more in rest:
            place = PLACE.match(more)
            if place or not more.startswith(" ") or more.lstrip().startswith(("|", "=")):
                break
            message += "\n" + more.strip()
        of_file = place and _is(place[1], path)
        entries.append((head[1], _line(of_file, place and place[1], place and place[2]), message))
    view = View(entries)
    view.is_broken_yaml = broken
    return view


def _diff(old, new):
    """The errors of the new side. Those of both sides are its refusals, too."""
    template = _report("diff", old, new)
    refusals = [{**it, "severity": "error", "place": it["new_place"]} for it in template["refusals"] if it["code"] != OF_UPDATES]
    findings = [it for it in template["findings"] if it["side"] != "old" and (not template["compared"] or it["severity"] != "error")]
    view = _view(refusals + findings, new)
    view.grouped = {it["message"] for it in findings if it["places"] > 1}
    return view
