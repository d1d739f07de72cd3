"""The reports of `check` and `diff` for other programs, by the rules of those programs."""

import collections
import json
import re
from concurrent import futures
from xml.etree import ElementTree

import house

FORMATS = ("json", "sarif", "junit", "github", "gitlab", "zuul")
SARIF = house.ORACLES / "sarif" / "node_modules" / "@microsoft" / "jest-sarif" / "lib" / "schemas" / "sarif-2.1.0-rtm.5.json"
# A pattern of the schema of OASIS is one in JavaScript only without its flag `u`.
VALIDATOR = (house.ORACLES / "venv" / "bin" / "check-jsonschema", "--regex-variant", "nonunicode")
# What GitHub shows of a step: annotations of each level.
MAX_ANNOTATIONS = 10
LEVELS = ("error", "warning", "notice")
SEVERITIES = {"info", "minor", "major", "critical", "blocker"}
COMMAND = re.compile(r"::(error|warning|notice)(?: ([^:]*(?:%3A[^:]*)*))?::(.*)")


class _Run:
    """A command in every format."""

    def __init__(self, folder, number, command):
        self.command = command
        self.paths, self.texts = {}, {}
        for name in FORMATS:
            done = house.hotplate(*command, "--format", name, cwd=house.ROOT)
            self.texts[name] = done.stdout.decode("utf-8")
            self.paths[name] = folder / f"{number:04}.{command[0]}.{name}"
            self.paths[name].write_bytes(done.stdout)

    def label(self):
        return " ".join(str(word) for word in self.command)


def _commands():
    """Templates one by one and in folders; pairs."""
    snapshots = house.ROOT / "snapshots"
    policies = house.ROOT / "examples" / "policies"
    folders = [snapshots, policies]
    files = house.files_below(snapshots)[::7]
    if not house.missing("templates"):
        folders.append(house.CORPUS / "templates")
        files += house.files_below(house.CORPUS / "templates")[::9]
    commands = [["check", str(path)] for path in [*folders, *files, snapshots / "missing.yaml"]]
    commands += [["check", "--policy", str(policies), "--select", "all", str(path)] for path in folders[1:]]
    pairs = [folder for folder in sorted(snapshots.iterdir()) if (folder / "old.yaml").exists() and (folder / "new.yaml").exists()]
    return commands + [["diff", str(folder / "old.yaml"), str(folder / "new.yaml")] for folder in pairs]


def run(figures, full):
    """The part."""
    folder = house.scratch("formats")
    with futures.ThreadPoolExecutor(2) as threads:
        runs = list(threads.map(lambda one: _Run(folder, *one), enumerate(_commands())))
    if house.installed("sarif") and house.installed("schema"):
        _schema(figures, runs, "sarif", lambda run: SARIF, "SARIF logs: valid by the schema of OASIS")
    else:
        figures.skip("SARIF by the schema of OASIS", "no npm")
    if house.installed("schema"):
        schemas = house.ROOT / "docs" / "schemas"
        _schema(figures, runs, "json", lambda run: schemas / f"{run.command[0]}.json", "JSON reports: valid by their published schemas")
    else:
        figures.skip("JSON by its schemas", "no pip")
    for name, judge in (("junit", _junit), ("github", _github), ("gitlab", _gitlab), ("zuul", _zuul)):
        wrong = [f"{run.label()}: {problem}" for run in runs for problem in judge(run)]
        short = {line.split(": ")[0] for line in wrong}
        figures.must(len(runs) - len(short), len(runs), f"reports as {name}: by the rules of {name}", wrong)
    checks = [run for run in runs if run.command[0] == "check"]
    wrong = [f"{run.label()}: {found}" for run in checks if len(set((found := _counts(run)).values())) != 1]
    findings = sum(_counts(run)["json"] for run in checks)
    figures.must(len(checks) - len(wrong), len(checks), f"reports of `check`: the same number of findings in every format ({findings} findings)", wrong)


def _schema(figures, runs, name, schema_of, label):
    """One process for each schema; where one is not valid, one for each file."""
    by_schema = collections.defaultdict(list)
    for one in runs:
        by_schema[schema_of(one)].append(one)
    wrong = []
    for schema, chosen in by_schema.items():
        validate = lambda paths: house.run([*VALIDATOR, "--schemafile", schema, *paths])
        if validate([one.paths[name] for one in chosen]).returncode:
            for one in chosen:
                done = validate([one.paths[name]])
                if done.returncode:
                    wrong.append(f"{one.label()}: {done.stdout.decode()[:500]}{done.stderr.decode()[:300]}")
    figures.must(len(runs) - len(wrong), len(runs), label, wrong)


def _junit(run):
    """What is wrong with the counts and the parts of a JUnit report."""
    try:
        suites = ElementTree.fromstring(run.texts["junit"])
    except ElementTree.ParseError as error:
        yield f"no XML: {error}"
        return
    cases = suites.findall("testsuite/testcase")
    if suites.tag != "testsuites" or not cases:
        yield "no test cases"
    for part in [suites, *suites.findall("testsuite")]:
        inside = part.findall("testcase") or part.findall("testsuite/testcase")
        for attribute, count in (("tests", len(inside)), ("failures", sum(case.find("failure") is not None for case in inside)),
                                 ("errors", sum(case.find("error") is not None for case in inside))):
            if part.get(attribute) is not None and int(part.get(attribute)) != count:
                yield f"{part.tag} {part.get('name')}: {attribute} is {part.get(attribute)}, but there are {count}"
    for case in cases:
        if not case.get("name") or not case.get("classname"):
            yield f"a test case without a name: {case.attrib}"


def _github(run):
    """What is wrong with GitHub's workflow commands."""
    shown = collections.defaultdict(list)
    for line in run.texts["github"].splitlines():
        found = COMMAND.fullmatch(line)
        if not found:
            yield f"no command: {line[:200]}"
            continue
        level, properties, message = found.groups()
        shown[level].append((properties or "", message))
        for part in filter(None, (properties or "").split(",")):
            if not re.fullmatch(r"(file|line|endLine|col|endColumn|title)=[^,:]*", part):
                yield f"property {part}"
        if re.search(r"%(?!25|0D|0A|3A|2C)", (properties or "") + message):
            yield f"an unescaped percent sign: {line[:200]}"
        if not message:
            yield f"no message: {line[:200]}"
    for level in LEVELS:
        lines = shown[level]
        said = [properties for properties, _ in lines[:MAX_ANNOTATIONS] if "more" in properties]
        if len(lines) > MAX_ANNOTATIONS + 1 and not said:
            yield f"{len(lines)} annotations of level {level}, of which GitHub shows {MAX_ANNOTATIONS} without a word"


def _gitlab(run):
    """What is wrong with GitLab's code quality report."""
    issues = json.loads(run.texts["gitlab"])
    fingerprints = [issue.get("fingerprint") for issue in issues]
    if len(set(fingerprints)) != len(fingerprints):
        yield "two issues with one fingerprint"
    for issue in issues:
        location = issue.get("location", {})
        if not issue.get("description") or not issue.get("check_name") or issue.get("severity") not in SEVERITIES:
            yield f"an issue without its fields: {issue}"
        if location.get("path") is None or not isinstance(location.get("lines", {}).get("begin"), int):
            yield f"an issue without a place: {issue}"


def _zuul(run):
    """What is wrong with the comments for Zuul, by what `zuul/lib/filecomments.py` accepts."""
    returned = json.loads(run.texts["zuul"])["zuul"]
    if set(returned) != {"file_comments", "warnings"} or not all(isinstance(it, str) and it for it in returned["warnings"]):
        yield f"other keys or warnings: {returned}"
    for path, comments in returned["file_comments"].items():
        if not path or path.startswith("./"):
            yield f"not a path in the repository: {path!r}"
        for comment in comments:
            if set(comment) != {"line", "level", "message"} or comment["level"] not in ("info", "warning", "error"):
                yield f"a comment with other fields: {comment}"
            elif not isinstance(comment["line"], int) or comment["line"] < 1 or not comment["message"]:
                yield f"a comment without a line or a message: {comment}"


def _counts(run):
    """The number of findings in each format."""
    cases = ElementTree.fromstring(run.texts["junit"]).findall("testsuite/testcase")
    summaries = sum(1 for line in run.texts["github"].splitlines() if " title=and " in line)
    return {
        "json": len(json.loads(run.texts["json"])["findings"]),
        "sarif": sum(len(one["results"]) for one in json.loads(run.texts["sarif"])["runs"]),
        # Cases and notices about the run as a whole are no findings.
        "junit": sum(case.find("failure") is not None or case.find("system-out") is not None for case in cases),
        "github": sum("title=hotplate check::" not in line for line in run.texts["github"].splitlines()) - summaries,
        "gitlab": len(json.loads(run.texts["gitlab"])),
        "zuul": _comments(json.loads(run.texts["zuul"])["zuul"]),
    }


def _comments(returned):
    return sum(map(len, returned["file_comments"].values())) + len(returned["warnings"])
