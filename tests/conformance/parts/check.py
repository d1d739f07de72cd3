"""`hotplate check` beside Heat's validation with the checks of a creation: no false alarm, nothing missed, the right line."""

import collections
import json

import house
from generators import property_mistakes
from judges.judge import Judge
from parts import nested
from parts.upgrade import corpus_identity

# What the client reports of files that are not there, which the judge replaces.
FILES = {"HP0001", "HP0006", "HP0501", "HP0502", "HP0703"}
PLUGIN_RULE = "HP1007"
# The judge is given values in an environment of its own, so that Heat drops what the template does not declare.
BY_VALUES = {"HP0514", "HP0602"}
# Two sets of values for parameters without one: an error that only one of them brings is not the template's.
VALUES = [
    {"string": "1", "number": 1, "boolean": True, "comma_delimited_list": "1,2", "json": {}},
    {"string": "10.0.0.0", "number": 22, "boolean": False, "comma_delimited_list": "10.0.0.0,b", "json": {"a": "b"}},
]


def run(figures, full):
    """The part."""
    with Judge() as judge:
        _mistakes(figures, judge)
        if figures.has("templates"):
            _corpus(figures, judge)


def _findings(*arguments):
    done = house.hotplate("check", "--format", "json", *arguments)
    return json.loads(done.stdout)["findings"]


def _errors(findings):
    return [it for it in findings if it["severity"] == "error"]


def refusal_of(answer):
    """The first error of the judge, None if it accepts."""
    return None if answer.get("ok") else (answer.get("errors") or [{}])[0]


# ---- one mistake each


def _mistakes(figures, judge):
    made = list(property_mistakes.mistakes())
    rights = {right: None for _, _, right, _, _ in made}
    for right, answer in zip(rights, judge.ask([question(right) for right in rights], remember=True)):
        rights[right] = answer.get("ok")
    made = [it for it in made if rights[it[2]]] + list(property_mistakes.template_mistakes())
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
    accepted = quiet = refused = caught = unlike = 0
    alarms, missed, unseen = [], [], []
    for number, (template, environments) in enumerate(deployments):
        name = " ".join(str(it.relative_to(house.CORPUS)) for it in (template, *environments))
        first, second = (refusal_of(answers[2 * number + at]) for at in (0, 1))
        options = [it for environment in environments for it in ("-e", str(environment))]
        errors = _errors(_findings("--allow-path", str(house.CORPUS), str(template), *options))
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
    figures.say(f"{unlike} deployments of the corpus are refused because of the values that the judge was given")
    figures.must(quiet, accepted, "deployments of the corpus that Heat accepts: no error", alarms)
    figures.count(len(unseen), len(unseen), "errors in these where the judge does not look: nested stacks, and rules behind a question to a service", unseen)
    figures.must(caught, refused, "deployments of the corpus that Heat refuses: an error", missed)


def answers_about(judge, deployments):
    """Two answers of the judge about each template with its environments, one for each set of values."""
    questions = []
    for template, environments in deployments:
        declared = _without_value(template, environments)
        for values in VALUES:
            questions.append({
                "op": "validate", "file": str(template), "env": [str(it) for it in environments], "full": True, "missing_files": "stub",
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
