"""`render --target heat-cfn`: what Heat says of the template and of what is rendered from it.

Every template of the corpus, the new sides of the pairs and the overcloud, each with invented values for parameters and
attributes: Heat must accept the rendered template where it accepts the original, and both must come to the same
values. Where they do not, a loss must stand at the very place.
"""

import json
import re
import shutil
from concurrent import futures

import yaml

import house
from generators import cases, spelling, standins, surroundings, worlds
from judges import evaluation
from judges.judge import Judge

OVERCLOUD = house.CORPUS / "overcloud"
SYNTAXES = ("yaml", "json")
SECTIONS = ("conditions", "resources", "disabled_resources", "outputs")
# So many generated templates of each version, and with --full.
COUNT, MORE = 150, 1000
# Without `--full`, one in so many templates of the corpus, and the overcloud.
STEP = 3
VERSIONS = ("2013-05-23", "2014-10-16", "2015-10-15", "2016-10-14", "2017-09-01", "2021-04-16")
LOST = "<not there>"


class _Job:
    """A template to render, with its environments; `name` is what the figures call it."""

    def __init__(self, path, environments=(), name=None):
        self.path, self.environments = path, environments
        self.name = name or path.relative_to(house.CORPUS)
        self.text = None
        self.reports = {}

    def render(self):
        """The reports for both notations."""
        extra = [part for environment in self.environments for part in ("-e", environment)]
        for syntax in SYNTAXES:
            done = house.hotplate("render", self.path, "--target", "heat-cfn", "--syntax", syntax, "--format", "json",
                                  "--allow-path", house.CORPUS, "--allow-path", house.WORK, *extra)
            try:
                self.reports[syntax] = json.loads(done.stdout)
            except ValueError:
                self.reports = {"$error": f"exit {done.returncode}: {done.stderr.decode('utf-8', 'replace')[:300]}"}
                return self
        return self

    def is_rendered(self):
        """Whether there is a result, and nothing is left open: Heat takes no template with a type that is not there."""
        return "$error" not in self.reports and all(report["files"] and not _has_error(report) for report in self.reports.values())

    def question(self, op, path, **more):
        """What the judge is asked about a template in the place of this one."""
        return {"op": op, "file": str(path), "env": list(map(str, self.environments)), "fill": True, "missing_files": "stub", **more}

    def nested(self):
        """The texts of the templates that resources name as types: Heat's client sends them for HOT only."""
        texts = {}
        for name in _types(self.text):
            file = self.path.parent / name
            texts[name] = file.read_text(encoding="utf-8") if file.is_file() else "heat_template_version: 2013-05-23"
        return texts


def _has_error(report):
    return any(finding["severity"] == "error" for finding in report["findings"])


def _rendered(figures, scratch, step):
    """The templates that can be rendered: where it is, or else in a folder with stand-ins for what is not there."""
    copy = scratch / "corpus"
    for folder in ("templates", "pairs", "overcloud"):
        if not house.missing(folder):
            shutil.copytree(house.CORPUS / folder, copy / folder)
    jobs = [_Job(path) for path in house.files_below(house.CORPUS / "templates") + sorted((house.CORPUS / "pairs").glob("*/new.*"))][::step]
    if figures.has("overcloud", what="the overcloud"):
        jobs.append(_Job(OVERCLOUD / "overcloud.yaml", (OVERCLOUD / "overcloud-resource-registry-puppet.yaml",)))
    with futures.ThreadPoolExecutor(2) as pool:
        jobs = list(pool.map(_Job.render, jobs))
        again = []
        for number, job in enumerate(jobs):
            if "$error" in job.reports or job.is_rendered():
                continue
            folder = standins.folder(scratch / f"alone-{number}")
            path = folder / f"template{job.path.suffix}"
            shutil.copyfile(job.path, path)
            again.append(_Job(path, standins.StandIns([path]).write(folder), job.name))
        jobs += pool.map(_Job.render, again)
    broken = [f"{job.name}: {job.reports['$error']}" for job in jobs if "$error" in job.reports]
    figures.must(len(jobs) - len(broken), len(jobs), "files, with stand-ins and without: a report for each", broken)
    well = [job for job in jobs if job.is_rendered()]
    for job in well:
        job.text = job.path.read_text(encoding="utf-8")
    return well, copy


class _Place:
    """Where parts of a template stand, in characters."""

    def __init__(self, text):
        self.root = yaml.compose(text, Loader=spelling.HeatLoader)

    def spans(self, path):
        """Where the innermost written thing on the way to a value stands: its key, and itself (elsewhere if it is an alias)."""
        node, spans = self.root, [(0, 0)]
        for part in path:
            if isinstance(node, yaml.MappingNode):
                found = next(((key, value) for key, value in node.value if key.value == str(part)), None)
                if found is None:
                    if node is self.root:
                        return spans
                    break
                spans = [_span(found[0]), _span(found[1])]
                node = found[1]
            elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
                node = node.value[part]
                spans = [_span(node)]
            else:
                break
        # An alias stands elsewhere, and so does what is below it.
        return spans + [_span(inner) for inner in _below(node)]


def _below(node):
    pairs = [part for pair in node.value for part in pair] if isinstance(node, yaml.MappingNode) else node.value if isinstance(node, yaml.SequenceNode) else []
    for inner in pairs:
        yield inner
        yield from _below(inner)


def _span(node):
    return node.start_mark.index, node.end_mark.index


class _Losses:
    """Which places of a template are lost, in part or whole."""

    def __init__(self, text, losses):
        data = text.encode("utf-8")
        self.place = _Place(text)
        self.spans = []
        for loss in losses:
            if loss["place"] is None or loss["kind"] == "comment":
                continue
            start, end = (len(data[: loss["place"][side]["byte"]].decode("utf-8", "replace")) for side in ("start", "end"))
            self.spans.append((start, end, loss))

    def at(self, path):
        """The loss at a place of the answer, if there is one; the more serious ones first."""
        places = self.place.spans(path)
        found = [loss for first, last, loss in self.spans if any(first < end and start < last for start, end in places)]
        return min(found, key=lambda loss: ("error", "warning", "note").index(loss["severity"]), default=None)


def _attributes(tree, parameters, table):
    """Values for the attributes that are asked for with a path: what `Fn::Select` can look into."""
    if isinstance(tree, list):
        for item in tree:
            _attributes(item, parameters, table)
    elif isinstance(tree, dict):
        call = tree.get("get_attr")
        if isinstance(call, list):
            call = [parameters.get(part["get_param"], part) if isinstance(part, dict) and isinstance(part.get("get_param"), str) else part for part in call]
        if len(tree) == 1 and isinstance(call, list) and len(call) > 2 and isinstance(call[0], str) and isinstance(call[1], str):
            _put(table.setdefault(call[0], {}), call[1], call[2:], ":".join(map(str, call)))
        for value in tree.values():
            _attributes(value, parameters, table)


def _put(place, key, path, mark):
    if not path:
        if isinstance(place, dict):
            place.setdefault(key, f"<<attr:{mark}>>")
        elif place[key] is None:
            place[key] = f"<<attr:{mark}>>"
        return
    if not isinstance(path[0], (str, int)) or isinstance(path[0], bool):
        return
    inner = place.get(key) if isinstance(place, dict) else place[key]
    if not isinstance(inner, list if isinstance(path[0], int) else dict):
        inner = [] if isinstance(path[0], int) else {}
        place[key] = inner
    if isinstance(inner, list):
        if not 0 <= path[0] < 100:
            return
        inner.extend([None] * (path[0] + 1 - len(inner)))
    _put(inner, path[0], path[1:], mark)


def _table(path, text, answer):
    """The resource table for the judge."""
    table = surroundings.of(path).get("attrs", {})
    asked = {}
    _attributes(yaml.load(text, Loader=spelling.HeatLoader), answer.get("parameters", {}), asked)
    for name, attributes in asked.items():
        if name not in table:
            table[name] = {"attrs": attributes}
    return table


def _plain(value, old, new):
    return json.loads(json.dumps(value).replace(old, new))


def _differences(theirs, ours, path=()):
    """Where two values differ: (path, theirs, ours)."""
    if isinstance(theirs, dict) and isinstance(ours, dict) and "$error" not in theirs and "$error" not in ours:
        for key in (*theirs, *(key for key in ours if key not in theirs)):
            if key not in ours or key not in theirs:
                yield (*path, key), theirs.get(key, LOST), ours.get(key, LOST)
            else:
                yield from _differences(theirs[key], ours[key], (*path, key))
    elif isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        for number, (one, other) in enumerate(zip(theirs, ours)):
            yield from _differences(one, other, (*path, number))
    elif json.dumps(theirs) != json.dumps(ours):
        yield path, theirs, ours


def _written(path):
    """Where in the template stands what an answer has at a path."""
    if len(path) > 2 and path[0] == "resources" and path[2] in ("requires", "depends_on"):
        return path[:2]
    return path[1:2] and path


class _Tally:
    def __init__(self):
        self.accepted = self.to_accept = self.same = self.resolved = self.lossless = self.waits_less = self.excused = self.notes = 0
        self.refused, self.differ = [], []

    def add(self, name, text, report, before, after, valid_before, valid_after):
        """One rendering beside its original."""
        if valid_before["ok"]:
            self.to_accept += 1
            self.accepted += valid_after["ok"]
            if not valid_after["ok"]:
                self.refused.append(f"{name}: {valid_after['errors']}"[:600])
        if before["ok"]:
            self.values(name, text, report, before, after)

    def values(self, name, text, report, before, after):
        """The values of one rendering beside those of its original."""
        self.resolved += 1
        losses = _Losses(text, report["losses"])
        wrong = []
        if not after["ok"] and all(loss["severity"] == "note" for loss in report["losses"]) and report["losses"]:
            # What is said otherwise may fail where the original does not.
            self.notes += 1
        elif not after["ok"]:
            wrong.append(f"{after['errors']}"[:400])
        else:
            for section in SECTIONS:
                one, other = evaluation.plain(before.get(section)), evaluation.plain(after.get(section))
                for path, theirs, ours in _differences(one, other, (section,)):
                    if isinstance(theirs, dict) and "$error" in theirs:
                        continue
                    if path[-1] == "requires" and "Fn::Select" in text and set(ours) <= set(theirs):
                        # The model has the item that a literal list or map yields, not the others: HP0406 of upgrades.
                        self.waits_less += 1
                        continue
                    loss = losses.at(_written(path))
                    if loss is None:
                        wrong.append(f"{'.'.join(map(str, path))}: {ours!r:.200}, Heat of the original: {theirs!r:.200}")
                    elif loss["severity"] == "note":
                        self.notes += 1
                    else:
                        self.excused += 1
            for name_of, value in before["parameters"].items():
                if not name_of.startswith("OS::") and after["parameters"].get(name_of, LOST) != value:
                    wrong.append(f"parameter {name_of}: {after['parameters'].get(name_of)!r:.200}, Heat of the original: {value!r:.200}")
        self.lossless += not wrong and not any(loss["kind"] != "comment" for loss in report["losses"])
        self.same += not wrong
        if wrong:
            self.differ.append(f"{name}: " + "\n  ".join(wrong[:4]))


def _asked(report, before):
    """Values for the parameters that stand in the place of conditions: what the conditions are."""
    given = {}
    for loss in report["losses"]:
        if loss["suggestion"] and loss["suggestion"].startswith("give `Condition_"):
            name = loss["suggestion"].split("`")[1]
            owner = loss["owner"]
            value = before.get("conditions", {}).get(owner)
            if not isinstance(value, bool):
                value = owner not in before.get("disabled_resources", ())
            given[name] = value
    return given


def run(figures, full):
    """The part."""
    scratch = house.scratch("heat-cfn")
    with Judge() as judge:
        if figures.has("templates", what="templates of the corpus"):
            _corpus(figures, judge, scratch, full)
        _generated(figures, judge, scratch, MORE if full else COUNT)
    shutil.rmtree(scratch)


def _corpus(figures, judge, scratch, full):
    well, copy = _rendered(figures, scratch, 1 if full else STEP)
    known = judge.ask([job.question("resolve", job.path) for job in well], remember=True)
    tables = [_table(job.path, job.text, answer) for job, answer in zip(well, known)]
    before = judge.ask([job.question("resolve", job.path, attrs=table) for job, table in zip(well, tables)], remember=True)
    valid = judge.ask([job.question("validate", job.path) for job in well], remember=True)
    for syntax in SYNTAXES:
        questions, validations = [], []
        for number, job in enumerate(well):
            place = copy / job.path.relative_to(house.CORPUS) if house.CORPUS in job.path.parents else job.path
            target = place.with_suffix(f".{number}.heat-cfn.{syntax}")
            target.write_text(job.reports[syntax]["files"][0]["text"], encoding="utf-8")
            params = _asked(job.reports[syntax], before[number])
            questions.append(job.question("resolve", target, attrs=tables[number], params=params, files=job.nested()))
            validations.append(job.question("validate", target, files=job.nested()))
        after = judge.ask(questions)
        validated = judge.ask(validations)
        tally = _Tally()
        for number, job in enumerate(well):
            answer = _plain(after[number], str(copy), str(house.CORPUS))
            tally.add(job.name, job.text, job.reports[syntax], before[number], answer, valid[number], validated[number])
        figures.must(tally.accepted, tally.to_accept, f"{syntax}: rendered templates that Heat accepts, of those whose original it accepts", tally.refused)
        figures.must(tally.same, tally.resolved, f"{syntax}: rendered templates that come to the same values, but where a loss stands", tally.differ)
        figures.count(tally.lossless, tally.resolved, f"{syntax}: of them without any loss")
        figures.say(f"{syntax}: {tally.excused} values differ at losses, {tally.notes} at notes of what is said otherwise")
    _round_trip(figures, well, copy)


def _round_trip(figures, jobs, copy):
    """HOT to CFN and back: where nothing is reported lost on either way, `diff` finds no difference."""
    def travel(job):
        version = re.search(r"heat_template_version[\"']?\s*:\s*[\"']?([\w-]+)", job.text)
        if version is None or any(loss["kind"] != "comment" for loss in job.reports["yaml"]["losses"]):
            return None
        path = copy / job.path.relative_to(house.CORPUS) if house.CORPUS in job.path.parents else job.path
        cfn, back = (path.with_name(f"{path.stem}.{kind}.yaml") for kind in ("there", "back"))
        cfn.write_text(job.reports["yaml"]["files"][0]["text"], encoding="utf-8")
        access = ("--allow-path", house.CORPUS, "--allow-path", house.WORK)
        environments = [part for environment in job.environments for part in ("-e", environment)]
        done = house.hotplate("render", cfn, "--target", "hot", "--to", version[1], "--format", "json", *access, *environments)
        report = json.loads(done.stdout)
        if not report["files"]:
            return f"{job.name}: no way back: {[finding['message'] for finding in report['findings'] if finding['severity'] == 'error']}"
        if any(loss["kind"] != "comment" for loss in report["losses"]):
            return None
        back.write_text(report["files"][0]["text"], encoding="utf-8")
        done = house.hotplate("diff", path, back, "--format", "json", *access, *environments)
        try:
            told = json.loads(done.stdout)
            # What Heat refuses as it is stays refused.
            before = bool(told["refusals"]) and all(it["before"] for it in told["refusals"])
            same = done.returncode == (1 if before else 0) and not [it for it, count in told["summary"].items() if count and it != "none"]
        except ValueError:
            return f"{job.name}: diff ended with {done.returncode}: {done.stderr.decode('utf-8', 'replace')[:300]}"
        return "" if same else f"{job.name}: {json.dumps(told)[:600]}"

    with futures.ThreadPoolExecutor(2) as pool:
        trips = list(pool.map(travel, jobs))
    made = [trip for trip in trips if trip is not None]
    figures.must(made.count(""), len(made), "templates to CFN and back without a loss: `diff` finds nothing", [trip for trip in made if trip])
    figures.count(len(made), len(jobs), "templates that go to CFN and back without a loss")


def _generated(figures, judge, scratch, count):
    """Generated templates in the worlds of `worlds.py`."""
    tally, made = _Tally(), []
    for version in VERSIONS:
        folder = scratch / version
        folder.mkdir()
        for name, text in worlds.FILES.items():
            (folder / name).write_text(text, encoding="utf-8")
        everything = cases.generate(version, 0)
        for case in everything[::max(1, len(everything) // count)]:
            path = folder / f"{case.name}.yaml"
            path.write_bytes(case.text)
            made.append((case, _Job(path, (), f"{version} {case.name}")))
    with futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda item: item[1].render(), made))
    broken = [f"{job.name}: {job.reports['$error']}" for _, job in made if "$error" in job.reports]
    made = [(case, job) for case, job in made if job.is_rendered()]
    before = judge.ask([cases.trial(case.text, case.declared) for case, _ in made])
    requests = []
    for (case, job), answer in zip(made, before):
        request = cases.trial(job.reports["yaml"]["files"][0]["text"].encode("utf-8"), case.declared)
        for world, values in zip(request["worlds"], answer["worlds"]):
            world["params"].update(_asked(job.reports["yaml"], values))
        requests.append(request)
    for (case, job), one, other in zip(made, before, judge.ask(requests)):
        text = case.text.decode("utf-8")
        for world, values, ours in zip(worlds.WORLDS, one["worlds"], other["worlds"]):
            if values["ok"]:
                tally.values(f"{job.name} {case.feature}, {world['name']}", text, job.reports["yaml"], values, ours)
    figures.must(len(broken), 0, "generated templates without a report", broken, empty_is_well=True)
    figures.must(tally.same, tally.resolved, f"generated templates, each in {len(worlds.WORLDS)} worlds: the same values but where a loss stands", tally.differ)
    figures.count(tally.lossless, tally.resolved, "of them without any loss")
    figures.say(f"generated: apart: {tally.waits_less} resources wait no more for what only unselected items name")
    figures.say(f"generated: {tally.excused} values differ at losses, {tally.notes} at notes of what is said otherwise")


def _types(text):
    """The files that resources name as types."""
    resources = (yaml.load(text, Loader=spelling.HeatLoader) or {}).get("resources") or {}
    kinds = (body.get("type") for body in resources.values() if isinstance(body, dict))
    return sorted({kind for kind in kinds if isinstance(kind, str) and kind.endswith((".yaml", ".template"))})


