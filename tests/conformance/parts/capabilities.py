"""Capabilities, which Heat never built: what is left for Heat is what Heat takes."""

import json
import random
import re
from concurrent import futures

import house
from judges.judge import Judge

VERSION = re.compile(r"^(heat_template_version: *['\"]?([\w-]+)['\"]?[ \t]*)(\r?\n)", re.MULTILINE)
SECTION = ("capabilities:", "  deployment: puppet", "  resource_type: [OS::TripleO::Controller,", "    OS::TripleO::Compute]")
KEYS = ("deployment", "ha", "color", "resource_type")
VALUES = {"deployment": ("puppet", "docker", "ansible"), "ha": ("on", "off"), "color": ("red", "blue"), "resource_type": ("A::B", "A::C")}
CHANCES = {"deployment": 0.7, "ha": 0.3, "color": 0.2, "resource_type": 0.2}


def _stripped(figures):
    """Templates of the corpus with a section put in, and stripped of it again: every byte as it was."""
    work = house.scratch("capabilities")
    originals = {}
    for number, path in enumerate(house.files_below(house.CORPUS / "templates", (".yaml", ".yml", ".template"))):
        try:
            text = path.read_bytes().decode("utf-8")
        except UnicodeDecodeError:
            continue
        found = VERSION.search(text)
        if not found or "\ncapabilities:" in text:
            continue
        end = found.group(3)
        with_section = text[:found.end()] + "".join(line + end for line in SECTION) + text[found.end():]
        copy = work / found.group(2) / f"{number}.yaml"
        copy.parent.mkdir(exist_ok=True)
        copy.write_bytes(with_section.encode("utf-8"))
        originals[copy] = (text, with_section)
    for folder in sorted(work.iterdir()):
        to = folder.name if re.fullmatch(r"\d{4}-\d\d-\d\d|[a-z]+", folder.name) else "latest"
        house.hotplate("upgrade", "--strip-capabilities", "--write", "--to", to, ".", cwd=folder)
    same, blocked, wrong = 0, 0, []
    for copy, (text, with_section) in originals.items():
        now = copy.read_bytes().decode("utf-8")
        if now == text:
            same += 1
        elif now == with_section:
            blocked += 1
        else:
            wrong.append(str(copy))
    figures.must(same + blocked, len(originals), f"templates with a section put in: as they were without it, or left alone ({blocked})", wrong)
    figures.must(min(same, len(originals) * 9 // 10), len(originals) * 9 // 10, "of them as they were", [])


def _some(chosen, key):
    values = chosen.sample(VALUES[key], chosen.choice((1, 1, 2)))
    return values[0] if len(values) == 1 and chosen.random() < 0.7 else values


def _capabilities(chosen):
    return {key: _some(chosen, key) for key in KEYS if chosen.random() < CHANCES[key]}


def _listed(value):
    return [value] if isinstance(value, str) else value


def _matching(requires, candidates, resource_type):
    """The rules of the specification, once more."""
    known = {key for declared in candidates for key in declared}
    found = []
    for number, declared in enumerate(candidates):
        serves = "resource_type" not in declared or resource_type in _listed(declared["resource_type"])
        fits = all(set(_listed(wanted)) & set(_listed(declared.get(key, []))) for key, wanted in requires.items() if key in known)
        if serves and fits:
            found.append(number)
    return found


def _resolved(figures, count):
    """Generated candidates: the one that the rules choose, in an environment that Heat takes."""
    work = house.scratch("candidates")
    (work / "root.yaml").write_text("heat_template_version: 2018-08-31\nresources: {r: {type: 'A::B'}}\n", encoding="utf-8")
    chosen, cases = random.Random(5), []
    for number in range(count):
        folder = work / str(number)
        folder.mkdir()
        candidates = [_capabilities(chosen) for _ in range(chosen.randint(1, 4))]
        for at, declared in enumerate(candidates):
            template = {"heat_template_version": "2015-10-15", "capabilities": declared}
            (folder / f"{at}.yaml").write_text(json.dumps(template), encoding="utf-8")
        requires = {key: _some(chosen, key) for key in KEYS[:3] if chosen.random() < 0.6}
        registry = {"A::B": [f"{at}.yaml" for at in range(len(candidates))]}
        environment = {"requires": requires, "resource_registry": registry}
        (folder / "env.yaml").write_text(json.dumps(environment), encoding="utf-8")
        cases.append((folder, _matching(requires, candidates, "A::B")))
    def resolve(case):
        return house.hotplate("capabilities", "resolve", "-q", "-e", str(case[0] / "env.yaml"))
    with futures.ThreadPoolExecutor(2) as threads:
        answers = list(threads.map(resolve, cases))
    right, wrong, asked = 0, [], []
    for (folder, matching), done in zip(cases, answers):
        single = len(matching) == 1
        expected = (folder / f"{matching[0]}.yaml").as_uri() if single else ""
        text = done.stdout.decode("utf-8")
        if done.returncode == (0 if single else 1) and (expected in text if single else not text):
            right += 1
        else:
            wrong.append(f"{folder}: {matching}, {done.returncode}, {text}")
        if single:
            (folder / "chosen.yaml").write_text(text, encoding="utf-8")
            # What Heat refuses goes before the template is handed to it.
            house.hotplate("upgrade", "--strip-capabilities", "--write", "--to", "2015-10-15", str(folder / f"{matching[0]}.yaml"))
            asked.append((folder, expected))
    figures.must(right, count, f"generated lists of candidates: chosen or refused by the rules ({len(asked)} chosen)", wrong)
    with Judge() as judge:
        theirs = judge.ask([{"op": "env", "file": str(work / "root.yaml"), "env": [str(folder / "chosen.yaml")]} for folder, _ in asked])
        parsed = judge.ask([{"op": "parse", "file": expected.removeprefix("file://")} for _, expected in asked])
    wrong = [f"{folder}: {answer}" for (folder, expected), answer in zip(asked, theirs)
             if not answer["ok"] or answer["user_env"]["resource_registry"].get("A::B") != expected]
    figures.must(len(asked) - len(wrong), len(asked), "chosen environments: Heat has the chosen template in its registry", wrong)
    wrong = [f"{expected}: {answer}" for (_, expected), answer in zip(asked, parsed) if not answer["ok"]]
    figures.must(len(asked) - len(wrong), len(asked), "chosen templates, stripped: Heat parses them", wrong)


def run(figures, full):
    """The part."""
    if figures.has("templates", what="templates of the corpus"):
        _stripped(figures)
    _resolved(figures, 1000 if full else 200)
