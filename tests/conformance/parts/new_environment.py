"""`hotplate parameters --new-environment`: the environment, filled in, gives Heat every parameter and changes no default."""

import json
import re

import yaml

import house
from judges.judge import Judge

FILLING = {"string": "x", "number": 1, "boolean": True, "comma_delimited_list": "a,b", "json": {"a": "b"}}
ENTRY = re.compile(r"^  (?:# )?([^\s#][^:]*|'[^']*'|\"[^\"]*\"):(?: |$)")
MISSING = "UserParameterMissing"


class _Written:
    """The environment for a template, and the parameters that `hotplate parameters` lists."""

    def __init__(self, path):
        self.path = path
        listed = house.hotplate("parameters", "-q", "--format", "json", str(path))
        written = house.hotplate("parameters", "-q", "--new-environment", str(path))
        self.is_read = listed.returncode < 2 and written.returncode < 2 and bool(listed.stdout)
        templates = json.loads(listed.stdout)["templates"] if self.is_read else []
        self.text = written.stdout.decode("utf-8")
        self.root = {it["name"]: it for part in templates if not part["path"] for it in part["parameters"]}
        self.names = {it["name"] for part in templates for it in part["parameters"]}

    def required(self):
        return {name for name, it in self.root.items() if it["required"]}

    def filled(self, without=()):
        """The required parameters get a value that fits their type."""
        sections = yaml.safe_load(self.text) or {}
        kinds = {name: it["type"] for name, it in self.root.items()}
        for section in sections.values():
            for name in list(section):
                section[name] = FILLING.get(kinds.get(name), "x")
                if name in without:
                    del section[name]
        return {name: section for name, section in sections.items() if section}

    def uncommented(self):
        """The same with the values of the other parameters, as they are written in comments."""
        lines = []
        for block in self.text.split("\n\n"):
            inside, seen = False, []
            for line in block.split("\n"):
                found = ENTRY.match(line)
                name = yaml.safe_load(found.group(1)) if found else None
                inside = inside or (line.startswith("  # ") and str(name) in self.names)
                if re.fullmatch(r"# \w+:", line):
                    line = line[2:]
                elif inside and line.startswith("  # "):
                    line = "  " + line[4:]
                seen.append(line)
            lines.append("\n".join(seen))
        sections = yaml.safe_load("\n\n".join(lines)) or {}
        for name, section in self.filled().items():
            sections.setdefault(name, {}).update(section)
        return sections


def run(figures, full):
    """The part."""
    if not figures.has("templates"):
        return
    paths = [path for path in house.files_below(house.CORPUS / "templates") if b"heat_template_version" in path.read_bytes()]
    written = [one for one in map(_Written, paths[:: 1 if full else 3]) if one.is_read]
    with Judge() as judge:
        def asked(environment_of):
            return judge.ask([{"op": "resolve", "file": str(one.path), "env": [environment_of(one)], "missing_files": "stub"} for one in written], remember=True)
        filled = asked(lambda one: one.filled())
        whole = asked(lambda one: one.uncommented())
        lacking = asked(lambda one: one.filled(without=sorted(one.required())[:1]))

    def classes(answer):
        return [error["type"] for error in answer.get("errors", ())]
    loaded = [(one, *answers) for one, *answers in zip(written, filled, whole, lacking) if answers[0].get("parameters") is not None or MISSING in classes(answers[0])]
    figures.say(f"{len(loaded)} of {len(written)} templates have parameters for Heat; the others it refuses before")
    wrong = [f"{one.path}: {answer['errors'][:2]}" for one, answer, *_ in loaded if MISSING in classes(answer)]
    figures.must(len(loaded) - len(wrong), len(loaded), "environments, filled in: Heat misses no parameter", wrong)
    wrong = [f"{one.path}: {_difference(answer, other)}" for one, answer, other, _ in loaded if _difference(answer, other)]
    figures.must(len(loaded) - len(wrong), len(loaded), "of them with the other values written out: Heat has the same values and errors", wrong)
    # Where Heat stops at the value of another parameter, it does not say what is missing.
    needed = [(one, answer) for one, first, _, answer in loaded if one.required() and (MISSING in classes(answer) or classes(answer) != classes(first) or not classes(first))]
    wrong = [f"{one.path}: {classes(answer)}" for one, answer in needed if MISSING not in classes(answer)]
    figures.must(len(needed) - len(wrong), len(needed), "of them without one of the required parameters: Heat misses it", wrong)


def _difference(one, other):
    """What differs between two answers: values and errors; empty if nothing does."""
    mine, theirs = one.get("parameters") or {}, other.get("parameters") or {}
    different = {name: (mine.get(name), theirs.get(name)) for name in {*mine, *theirs} if json.dumps(mine.get(name)) != json.dumps(theirs.get(name))}
    errors = [[(error["type"], error["message"]) for error in answer.get("errors", ())] for answer in (one, other)]
    return str(different or errors)[:600] if different or errors[0] != errors[1] else ""
