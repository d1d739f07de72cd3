"""`hotplate check` beside Heat's validation with the checks of a creation: no false alarm, nothing missed, the right line."""

import collections
import difflib
import functools
import json
import random
import time
import urllib.parse
import urllib.request

import house
from generators import mistakes, property_mistakes, ten_mistakes
from judges import places
from judges.judge import Judge
from parts import nested
from parts.upgrade import corpus_identity

# What the client reports of files that are not there, which the judge replaces.
FILES = {"HP0001", "HP0006", "HP0501", "HP0502", "HP0703"}
PLUGIN_RULE = "HP1007"
# What a service refuses later; the judge is Heat, which accepts it (part `later`).
BY_SERVICE = "HP1018"
READ_BY_HAND = ("tcp has no port 0; leave out both ports to allow all of them", "udp has no port 0; leave out both ports to allow all of them")
# The judge is given values in an environment of its own, so that Heat drops what the template does not declare.
BY_VALUES = {"HP0514", "HP0602"}
# Two sets of values for parameters without one: an error that only one of them brings is not the template's.
VALUES = [
    {"string": "1", "number": 1, "boolean": True, "comma_delimited_list": "1,2", "json": {}},
    {"string": "10.0.0.0", "number": 22, "boolean": False, "comma_delimited_list": "10.0.0.0,b", "json": {"a": "b"}},
]


# Templates with ten mistakes each; mistakes in real templates of each kind, and the largest such template.
TENS = 300
OF_EACH_KIND, LARGEST = 20, 40_000
WANTED_SPEED, STARTED = 200, 8


def run(figures, full):
    """The part."""
    with Judge() as judge:
        usable = _mistakes(figures, judge)
        _ten_mistakes(figures, judge, usable)
        if figures.has("templates"):
            _real_mistakes(figures, judge, OF_EACH_KIND * (4 if full else 1))
            _corpus(figures, judge)
            _speed(figures, judge)


def _findings(*arguments):
    done = house.hotplate("check", "--format", "json", *arguments)
    return json.loads(done.stdout)["findings"]


def _errors(findings):
    """Those that Heat is asked about."""
    return [it for it in findings if it["severity"] == "error" and it["code"] != BY_SERVICE]


def refusal_of(answer):
    """The first error of the judge, None if it accepts."""
    return None if answer.get("ok") else (answer.get("errors") or [{}])[0]


# ---- one mistake each


def _mistakes(figures, judge):
    made = list(property_mistakes.mistakes())
    rights = {right: None for _, _, right, _, _ in made}
    for right, answer in zip(rights, judge.ask([question(right) for right in rights], remember=True)):
        rights[right] = answer.get("ok")
    usable = [it for it in made if rights[it[2]]]
    made = usable + list(property_mistakes.template_mistakes())
    answers = judge.ask([question(wrong) for _, _, _, wrong, _ in made], remember=True)
    folder = house.scratch("check")
    for number, (_, _, _, wrong, _) in enumerate(made):
        (folder / f"{number:05}.yaml").write_text(wrong, encoding="utf-8")
    found = collections.defaultdict(list)
    for finding in _findings(str(folder)):
        if finding["place"]:
            found[int(finding["place"]["path"][-10:-5])].append(finding)
    refused = caught = placed = alone = 0
    kinds, missed, elsewhere, crowds, alarms = collections.Counter(), [], [], [], []
    _without_environment(figures, folder, answers, found, "mistakes")
    for number, ((kind, name, _, _, lines), answer) in enumerate(zip(made, answers)):
        errors = _errors(found[number])
        refusal = refusal_of(answer)
        if refusal is None:
            if errors:
                alarms.append(f"{kind}: {name}: {errors[0]['message']}")
            continue
        refused += 1
        kinds[kind] += 1
        if not errors:
            missed.append(f"{kind}: {name}: {refusal.get('message', '')[:150]}")
            continue
        caught += 1
        at = [it["place"]["start"]["line"] for it in errors]
        if any(lines[0] <= line <= lines[1] for line in at):
            placed += 1
        else:
            elsewhere.append(f"{kind}: {name}: {at}, not {lines}")
        if len(errors) == 1:
            alone += 1
        else:
            crowds.append(f"{kind}: {name}: " + " | ".join(it["message"] for it in errors))
    figures.say(f"{len(made)} mistakes of {len(kinds)} kinds, of which Heat refuses {refused}")
    figures.must(caught, refused, "mistakes that Heat refuses: refused", missed)
    figures.must(placed, caught, "of these: an error at the line of the mistake", elsewhere)
    figures.count(alone, caught, "of these: one error for one mistake", crowds)
    figures.count(len(made) - refused - len(alarms), len(made) - refused, "of those that Heat accepts: accepted", alarms)
    return usable


def _without_environment(figures, folder, answers, found, where):
    """`upgrade` and `versions` read no environment, so they see only what none can change: less than `check`, never more."""
    def numbers(command, is_invalid):
        report = json.loads(house.hotplate(*command, "--format", "json", str(folder)).stdout)
        return {int(it["path"][-10:-5]) for it in report["files"] if is_invalid(it)}
    refused = {number for number, answer in enumerate(answers) if refusal_of(answer) is not None}
    known = refused | {number for number, findings in found.items() if _errors(findings)}
    for command, invalid in (
        ("upgrade", numbers(["upgrade", "--check"], lambda it: it["status"] == "invalid")),
        ("versions", numbers(["versions"], lambda it: it["valid"] is False)),
    ):
        figures.count(len(invalid & refused), len(refused), f"{where} that Heat refuses: invalid for `{command}`, which reads no environment")
        figures.must(len(invalid & known), len(invalid), f"invalid for `{command}`: refused by Heat, or an error of `check` that Heat meets later", sorted(invalid - known))


# ---- ten at once


def _ten_mistakes(figures, judge, usable):
    pieces = ten_mistakes.pieces(usable)
    alone = [(kind, ten_mistakes.alone(*pieces[kind][0])) for kind in ten_mistakes.PIECES]
    answers = judge.ask([question(text) for _, text in alone], remember=True)
    accepted = [kind for (kind, _), answer in zip(alone, answers) if answer.get("ok")]
    figures.must(len(alone) - len(accepted), len(alone), "kinds of mistakes to be combined: Heat refuses each alone", accepted)
    folder = house.scratch("check-ten")
    templates = list(ten_mistakes.templates(pieces, TENS))
    for number, (text, _) in enumerate(templates):
        (folder / f"{number:05}.yaml").write_text(text, encoding="utf-8")
    found = collections.defaultdict(list)
    for finding in _errors(_findings(str(folder))):
        found[int(finding["place"]["path"][-10:-5])].append(finding["place"]["start"]["line"])
    whole, short = 0, []
    for number, (_, chosen) in enumerate(templates):
        wrong = [f"{kind}: {sum(line in lines for line in found[number])}" for kind, lines in chosen if sum(line in lines for line in found[number]) != 1]
        if len(found[number]) == len(chosen) and not wrong:
            whole += 1
        else:
            short.append(f"{number:05}: {len(found[number])} errors; {', '.join(wrong)}")
    figures.must(whole, len(templates), f"templates with ten mistakes of {len(pieces)} kinds: ten errors, each at its line", short)


# ---- one mistake in a real template


def _real_mistakes(figures, judge, of_each_kind):
    bases = [it for it in _readable_templates() if it[1] <= LARGEST]
    trees = [tree for _, _, tree in bases]
    answers = judge.ask([_valued(mistakes.text(tree), tree) for tree in trees], remember=True)
    trees = [tree for tree, answer in zip(trees, answers) if answer.get("ok")]
    chance = random.Random("real")
    made = []
    for kind, mistake in mistakes.KINDS.items():
        taken = 0
        for tree in chance.sample(trees, len(trees)):
            spoiled = json.loads(json.dumps(tree))
            if taken < of_each_kind and mistake(spoiled) is not None:
                made.append((kind, mistakes.text(tree), mistakes.text(spoiled), spoiled))
                taken += 1
    answers = judge.ask([_valued(text, tree) for _, _, text, tree in made], remember=True)
    folder = house.scratch("check-real")
    for number, (_, _, text, _) in enumerate(made):
        (folder / f"{number:05}.yaml").write_text(text, encoding="utf-8")
    found = collections.defaultdict(list)
    for finding in _errors(_findings("--max-resources", "1000", str(folder))):
        if finding["place"]:
            found[int(finding["place"]["path"][-10:-5])].append(finding)
    _without_environment(figures, folder, answers, found, "mistakes in real templates")
    kinds, refused, caught, placed, alone = collections.Counter(), 0, 0, 0, 0
    missed, elsewhere, crowds, alarms = [], [], [], []
    for number, ((kind, right, text, _), answer) in enumerate(zip(made, answers)):
        errors, refusal = found[number], refusal_of(answer)
        # The judge looks neither for files nor at the values that it invents.
        if refusal is None:
            others = [it for it in errors if it["code"] not in FILES | BY_VALUES]
            alarms += [f"{kind}: {number:05}: {it['code']} {it['message'][:120]}" for it in others[:1]]
            continue
        kinds[kind] += 1
        refused += 1
        if not errors:
            missed.append(f"{kind}: {number:05}: {refusal.get('message', '')[:160]}")
            continue
        caught += 1
        at = [it["place"]["start"]["line"] for it in errors]
        if set(at) & _spoiled_lines(right, text, refusal):
            placed += 1
        else:
            elsewhere.append(f"{kind}: {number:05}: {at}: {refusal.get('message', '')[:120]}")
        alone += len(errors) == 1
        crowds += [f"{kind}: {number:05}: " + " | ".join(f"{it['place']['start']['line']} {it['message'][:80]}" for it in errors)] if len(errors) > 1 else []
    figures.say(f"{len(made)} mistakes of {len(kinds)} kinds in {len(trees)} real templates, of which Heat refuses {refused}")
    figures.must(caught, refused, "mistakes in real templates that Heat refuses: refused", missed)
    figures.must(placed, caught, "of these: an error at the line of the mistake or of Heat's message", elsewhere)
    figures.count(alone, caught, "of these: one error for one mistake", crowds)
    figures.count(len(made) - refused - len(alarms), len(made) - refused, "of those that Heat accepts: accepted", alarms)


def _readable_templates():
    """(path, size, data) of the HOT templates of the corpus that need no other file."""
    import yaml
    for template, environments in nested.candidates()[0]:
        if environments:
            continue
        content = template.read_bytes()
        try:
            tree = json.loads(json.dumps(yaml.load(content, Loader=yaml.CSafeLoader), default=str))
        except (yaml.YAMLError, UnicodeDecodeError, ValueError, TypeError):
            continue
        text = json.dumps(tree)
        if isinstance(tree, dict) and isinstance(tree.get("resources"), dict) and "get_file" not in text and ".yaml" not in text and ".yml" not in text:
            if isinstance(tree.get("heat_template_version"), str):
                yield template, len(content), tree


def _valued(text, tree):
    declared = tree.get("parameters") if isinstance(tree.get("parameters"), dict) else {}
    open_ones = {name: it for name, it in declared.items() if isinstance(it, dict) and "default" not in it}
    return {**question(text), "params": {name: mistakes.value(it) for name, it in open_ones.items()}, "missing_files": "stub"}


def _spoiled_lines(right, wrong, refusal):
    """The lines that the mistake changed, with their neighbors, and those that Heat's message names."""
    old, new = right.splitlines(), wrong.splitlines()
    lines = set()
    for tag, _, _, first, last in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            lines.update(range(first, last + 2))
    place = places.of(refusal, wrong)
    return lines | (place.lines if place else set())


def beyond_judge(code, place, template, answer):
    """The judge does not create nested stacks, and ends the validation of a plugin where that asks a service."""
    return place["path"] != str(template) or code == PLUGIN_RULE and "validate() of" in str(answer)


def question(text):
    return {"op": "validate", "template": text, "client": True, "full": True}


# ---- the corpus


def _corpus(figures, judge):
    alone, pairs = nested.candidates()
    deployments = alone + pairs
    answers = answers_about(judge, deployments)
    accepted = quiet = refused = caught = unlike = named = placed = 0
    alarms, missed, unseen, later, elsewhere, nowhere = [], [], [], [], [], collections.Counter()
    for number, (template, environments) in enumerate(deployments):
        name = " ".join(str(it.relative_to(house.CORPUS)) for it in (template, *environments))
        first, second = (refusal_of(answers[2 * number + at]) for at in (0, 1))
        options = [it for environment in environments for it in ("-e", str(environment))]
        findings = _findings("--allow-path", str(house.CORPUS), str(template), *options)
        later += [f"{name}: {it['message'][:120]}" for it in findings if it["code"] == BY_SERVICE]
        errors = _errors(findings)
        if first is None or second is None:
            accepted += 1
            errors = [it for it in errors if it["code"] not in FILES | BY_VALUES]
            beyond = [it for it in errors if beyond_judge(it["code"], it["place"], template, answers[2 * number])]
            unseen += [f"{name}: {it['code']} {it['message'][:120]}" for it in beyond]
            errors = [it for it in errors if it not in beyond]
            quiet += not errors
            alarms += [f"{name}: {it['code']} {it['message'][:120]}" for it in errors]
        elif first.get("path") != second.get("path") or first["message"] != second["message"]:
            unlike += 1
        else:
            refused += 1
            caught += bool(errors)
            if not errors:
                missed.append(f"{name}: {first['message'][:200]}")
                continue
            meant = [(template, places.of(first, _text(template), _text_at))]
            meant += [(it, places.in_environment(first, _text(it))) for it in environments]
            meant = [(_path(place.file) if place.file else str(file), place) for file, place in meant if place]
            if not meant:
                nowhere[first["message"].splitlines()[0][:60]] += 1
                continue
            named += 1
            if any(_is_at(it["place"], file, place) for it in errors for file, place in meant):
                placed += 1
            else:
                at = [f"{it['place']['path'].rsplit('/', 1)[-1]}:{it['place']['start']['line']}" for it in errors if it["place"]]
                elsewhere.append(f"{name}: {at[:6]}, not {sorted(meant[0][1].lines)[:6]}: {first.get('path')} {first['message'][:160]}")
    figures.say(f"{unlike} deployments of the corpus are refused because of the values that the judge was given")
    figures.must(quiet, accepted, "deployments of the corpus that Heat accepts: no error", alarms)
    figures.count(len(unseen), len(unseen), "errors in these where the judge does not look: nested stacks, and rules behind a question to a service", unseen)
    unread = [it for it in later if not it.endswith(READ_BY_HAND)]
    figures.must(len(later) - len(unread), len(later), "errors about what a service refuses in deployments of the corpus: read by hand, and right", unread)
    figures.must(caught, refused, "deployments of the corpus that Heat refuses: an error", missed)
    figures.must(placed, named, "of these, where Heat's message names a place: an error at it", elsewhere)
    figures.say(f"{sum(nowhere.values())} messages of Heat name no place in the template: {dict(nowhere.most_common(5))}")


def _path(url):
    return urllib.request.url2pathname(urllib.parse.urlparse(url).path) if url.startswith("file:") else url


def _is_at(found, file, place):
    same = found and house.pathlib.Path(found["path"]).resolve() == house.pathlib.Path(file).resolve()
    return bool(same) and place.has(found["start"]["line"])


@functools.cache
def _text(path):
    return path.read_bytes().decode("utf-8", "replace")


def _text_at(url):
    path = house.pathlib.Path(_path(url))
    return _text(path) if path.is_file() else None


# ---- time


def _speed(figures, judge):
    """The whole corpus in one run, beside the judge's answers about the same files."""
    files = [template for template, environments in nested.candidates()[0] if not environments]
    values = {it: {name: VALUES[0].get(kind, "1") for name, kind in _without_value(it, []).items()} for it in files}
    questions = [{"op": "validate", "file": str(it), "full": True, "missing_files": "stub", "params": values[it]} for it in files]
    judge.ask(questions[:2])
    start = time.perf_counter()
    judge.ask(questions)
    of_judge = time.perf_counter() - start
    arguments = ["check", "--statistics", "--allow-path", str(house.CORPUS), *map(str, files)]
    seconds = min(house.timed([house.BINARY, *arguments])[0] for _ in range(3))
    figures.say(f"check of {len(files)} files of the corpus takes {seconds:.2f} s, Heat's validation of them {of_judge:.1f} s, two at a time")
    figures.wanted(of_judge / seconds, WANTED_SPEED, "times as fast as Heat's engine that is started already and keeps both cores busy")
    alone = files[:: max(len(files) // STARTED, 1)][:STARTED]
    of_starts = sum(house.timed([house.PYTHON, house.tool("heat_oracle.py"), "validate", "--full", it])[0] for it in alone) / len(alone) * len(files)
    figures.wanted(of_starts / seconds, WANTED_SPEED, f"times as fast as a process of Heat's engine for each file, {len(alone)} of which are run")


def answers_about(judge, deployments):
    """Two answers of the judge about each template with its environments, one for each set of values."""
    questions = []
    for template, environments in deployments:
        declared = _without_value(template, environments)
        for values in VALUES:
            questions.append({
                "op": "validate", "file": str(template), "env": [str(it) for it in environments], "full": True, "missing_files": "stub", "stack_name": "stack",
                "params": {name: values.get(kind, "1") for name, kind in declared.items()},
            })
    return judge.ask(questions, remember=True, depends=corpus_identity(house.CORPUS))


def _without_value(template, environments):
    """The parameters that have neither a default nor a value, with their types."""
    declared = _section(template, "parameters")
    given = {name for environment in environments for section in ("parameters", "parameter_defaults") for name in _section(environment, section)}
    return {
        name: str(schema.get("type", "string")).lower()
        for name, schema in declared.items()
        if isinstance(schema, dict) and "default" not in schema and name not in given
    }


def _section(path, name):
    import yaml
    try:
        read = yaml.load(path.read_bytes(), Loader=yaml.CSafeLoader)
    except (yaml.YAMLError, UnicodeDecodeError):
        return {}
    section = read.get(name) if isinstance(read, dict) else None
    return section if isinstance(section, dict) else {}
