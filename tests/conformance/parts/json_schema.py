"""The JSON Schema of templates for editors, with a validator: what Heat accepts has no error, mistakes have one.

Editors read YAML 1.2, as check-jsonschema does; the corpus is also read as Heat reads it, YAML 1.1.
"""

import collections
import json
import pathlib
import shutil
import sys

import house
from generators import property_mistakes
from judges.judge import Judge
from parts import check, nested

# The kinds of mistakes that a schema can express; the others need values, references, the type of a group's members, or code.
EXPRESSED = {
    "unknown property", "unknown member", "missing property", "missing member", "wrong type of a member", "value that is not allowed",
    "wrong type, string", "wrong type, integer", "wrong type, number", "wrong type, boolean", "wrong type, list", "wrong type, map",
    "below the range", "above the range", "too long", "too short",
    "unknown section", "unknown key of a resource", "resource without a type", "slash in a name", "unknown deletion policy",
    "unknown key of update_policy", "wrong value in update_policy", "properties that are a list", "metadata that is a string",
    "depends_on that is a map", "parameter without a type", "unknown type of a parameter", "unknown key of a parameter",
    "unknown constraint", "output without a value", "output that is a string",
}


def run(figures, full):
    """The part."""
    checker = shutil.which("check-jsonschema", path=str(pathlib.Path(sys.executable).parent)) or shutil.which("check-jsonschema")
    if checker is None:
        figures.skip("the JSON Schema of templates", "check-jsonschema is not installed")
        return
    folder = house.scratch("json_schema")
    schema = folder / "hot.json"
    schema.write_bytes(house.hotplate("schema", "--json-schema").stdout)
    figures.say(f"the schema has {schema.stat().st_size // 1000} kB")
    with Judge() as judge:
        _mistakes(figures, judge, checker, schema, folder)
        if figures.has("templates"):
            _corpus(figures, judge, checker, schema)


def _refused(checker, schema, files):
    """The errors by file, and the files that the validator cannot read (with duplicate keys, for example)."""
    errors, unread = {}, set()
    files = [str(file) for file in files]
    for start in range(0, len(files), 500):
        done = house.run([checker, "-o", "json", "--default-filetype", "yaml", "--schemafile", schema, *files[start:start + 500]])
        report = json.loads(done.stdout)
        for error in report.get("errors", []):
            errors.setdefault(error["filename"], f"{error['path']}: {error['message'][:150]}")
        unread.update(error["filename"] for error in report.get("parse_errors", []))
    return errors, unread


def _mistakes(figures, judge, checker, schema, folder):
    made = list(property_mistakes.mistakes())
    rights = {right: None for _, _, right, _, _ in made}
    for right, answer in zip(rights, judge.ask([check.question(right) for right in rights], remember=True)):
        rights[right] = answer.get("ok")
    made = [it for it in made if rights[it[2]]] + list(property_mistakes.template_mistakes())
    answers = judge.ask([check.question(wrong) for _, _, _, wrong, _ in made], remember=True)
    accepted = {right for right, well in rights.items() if well}
    accepted.update(wrong for (_, _, _, wrong, _), answer in zip(made, answers) if check.refusal_of(answer) is None)
    wrong = [(kind, name, text) for (kind, name, _, text, _), answer in zip(made, answers) if check.refusal_of(answer)]
    files = {}
    for number, text in enumerate([*sorted(accepted), *(text for _, _, text in wrong)]):
        files[number] = folder / f"{number:05}.yaml"
        files[number].write_text(text, encoding="utf-8")
    errors, unread = _refused(checker, schema, files.values())
    alarms = [f"{text}: {errors[str(files[at])]}" for at, text in enumerate(sorted(accepted)) if str(files[at]) in errors]
    figures.must(len(accepted) - len(alarms), len(accepted), "templates of one resource that Heat accepts: no error", alarms)
    missed, beyond, expressed = [], collections.Counter(), 0
    for at, (kind, name, _) in enumerate(wrong, len(accepted)):
        caught = str(files[at]) in errors or str(files[at]) in unread
        if kind in EXPRESSED:
            expressed += 1
            if not caught:
                missed.append(f"{kind}: {name}")
        elif not caught:
            beyond[kind] += 1
    figures.must(expressed - len(missed), expressed, f"mistakes of {len(EXPRESSED)} kinds that a schema can express: refused", missed)
    figures.say(f"{sum(beyond.values())} mistakes of {len(beyond)} other kinds are not seen: {', '.join(f'{kind} ({n})' for kind, n in sorted(beyond.items()))}")


def _corpus(figures, judge, checker, schema):
    alone, pairs = nested.candidates()
    deployments = alone + pairs
    answers = check.answers_about(judge, deployments)
    accepted = {}
    for number, (template, environments) in enumerate(deployments):
        if any(check.refusal_of(answers[2 * number + at]) is None for at in (0, 1)) and b"heat_template_version" in template.read_bytes():
            accepted.setdefault(template, environments)
    errors, unread = _refused(checker, schema, accepted)
    quiet = [it for it in accepted if str(it) not in errors and str(it) not in unread]
    figures.must(len(quiet), len(accepted) - len(unread), "templates of the corpus that Heat accepts: no error, read as YAML 1.2", [f"{file}: {error}" for file, error in errors.items()])
    figures.count(len(unread), len(unread), "of the templates that Heat accepts cannot be read by the validator", sorted(unread))
    errors = _errors_as_heat_reads(schema, accepted)
    figures.must(len(accepted) - len(errors), len(accepted), "templates of the corpus that Heat accepts: no error, read as YAML 1.1", errors)


def _errors_as_heat_reads(schema, files):
    """The first error of each file with one, as Heat's loader reads it."""
    import jsonschema
    import yaml

    class Loader(yaml.CSafeLoader):
        """Dates are strings, as for Heat."""

    Loader.add_constructor("tag:yaml.org,2002:timestamp", lambda loader, node: loader.construct_scalar(node))
    validator = jsonschema.Draft7Validator(json.loads(schema.read_bytes()))
    errors = []
    for file in files:
        # Keys become strings, as in the request of the client.
        read = json.loads(json.dumps(yaml.load(file.read_bytes(), Loader=Loader)))
        error = next(validator.iter_errors(read), None)
        if error is not None:
            errors.append(f"{file}: {'/'.join(map(str, error.absolute_path))}: {error.message[:150]}")
    return errors
