"""Capabilities, which Heat never built: what is left for Heat is what Heat takes."""

import json
import pathlib
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


class _Tree:
    """A generated deployment in a folder: types with candidates, nested templates, files, one environment or two."""

    def __init__(self, folder, seed):
        self.chosen = random.Random(seed)
        self.folder = folder
        self.registry = {}
        types = [f"My::Type{number}" for number in range(self.chosen.randint(1, 3))]
        self.write("lib/run.sh", "#!/bin/sh\necho \u00e9\n\n")
        self.write("lib/leaf.yaml", self.template("resources: {v: {type: OS::Heat::RandomString}}\n", {"deployment": "leaf"}))
        resources = "".join(f"  r{number}: {{type: '{name}'}}\n" for number, name in enumerate(types))
        self.root = self.write(self.chosen.choice(("root.yaml", "stacks/root.yaml")), self.template(
            f"parameters:\n  size: {{type: number, default: 1}}\nresources:\n{resources}", {"site": "north"}))
        place = self.chosen.choice(("", "envs/", "a/b/"))
        up = "../" * place.count("/")
        lists = {name: self.candidates(name, up) for name in types}
        requires = self.comment() + "requires:\n  deployment: kind0  # the kind\n"
        parameters = self.chosen.choice(("parameters: {size: 2}\n", "parameter_defaults:\n  size: 3  # small\n", ""))
        hooks = self.chosen.choice(("  resources:\n    r0: {hooks: [pre-create]}\n", ""))
        registry = f"resource_registry:\n{''.join(self.comment(2) + text for text in lists.values())}{hooks}"
        sections = [requires, parameters, registry]
        self.chosen.shuffle(sections)
        if self.chosen.random() < 0.4:
            self.environments = [self.write(f"{place}{at}.yaml", part) for at, part in (("one", requires), ("two", parameters + registry))]
        else:
            self.environments = [self.write(f"{place}env.yaml", "".join(sections))]

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return pathlib.PurePath(name)

    def comment(self, indent=0):
        return self.chosen.choice(("", " " * indent + "# a comment\n"))

    def template(self, rest, capabilities):
        section = self.chosen.choice((json.dumps(capabilities) + "  # offered", "\n" + "".join(f"  {key}: {value}\n" for key, value in capabilities.items()).rstrip()))
        version = self.chosen.choice(("2015-10-15", "2016-10-14", "rocky", "wallaby"))
        return f"heat_template_version: {version}\n{self.comment()}capabilities: {section}\n{rest}"

    def candidates(self, name, up):
        """The entry of a type; the first candidate is the one that is chosen."""
        count = self.chosen.randint(1, 3)
        paths = []
        for number in range(count):
            path = f"{name.rpartition(':')[2].lower()}/kind{number}.yaml"
            self.write(path, self.template(
                "resources:\n  l: {type: ../lib/leaf.yaml}\n  c:\n    type: OS::Heat::SoftwareConfig\n    properties: {config: {get_file: ../lib/run.sh}}\n",
                {"deployment": f"kind{number}", "flag": self.chosen.choice(("true", "5", "on"))}))
            paths.append(up + path)
        self.registry[name] = paths[0].removeprefix(up)
        self.chosen.shuffle(paths)
        if self.chosen.random() < 0.5:
            return f"  {name}: [{', '.join(paths)}]  # one of them\n"
        return f"  {name}:\n" + "".join(f"    - {path}  # maybe\n" for path in paths)


def _trees(figures, count):
    """Generated deployments, written by `resolve -o`: Heat refuses the original and takes the copy."""
    work = house.scratch("trees")
    trees = [_Tree(work / str(number) / "in", number) for number in range(count)]

    def resolve(tree):
        environments = [part for path in tree.environments for part in ("-e", str(path))]
        output = str(tree.folder.parent / "out")
        return house.hotplate("capabilities", "resolve", "-q", str(tree.root), *environments, "-o", output, "--allow-path", ".", cwd=tree.folder)
    with futures.ThreadPoolExecutor(2) as threads:
        answers = list(threads.map(resolve, trees))
    wrong = [f"{tree.folder}: {done.returncode} {done.stderr.decode()[:600]}" for tree, done in zip(trees, answers) if done.returncode]
    figures.must(count - len(wrong), count, "generated deployments: written by `resolve -o`", wrong)

    def question(tree, folder, operation):
        return {"op": operation, "full": True, "file": str(folder / tree.root), "env": [str(folder / path) for path in tree.environments]}
    with Judge() as judge:
        before = judge.ask([question(tree, tree.folder, "validate") for tree in trees])
        after = judge.ask([question(tree, tree.folder.parent / "out", "validate") for tree in trees])
        merged = judge.ask([question(tree, tree.folder.parent / "out", "env") for tree in trees])
        nested = judge.ask([{"op": "parse", "file": str(path)} for tree in trees for path in house.files_below(tree.folder.parent / "out")
                            if "heat_template_version" in path.read_text(encoding="utf-8")])
    refused = [answer for answer in before if not answer["ok"]]
    figures.must(len(refused), count, "of them Heat refuses the original", [])
    wrong = [f"{tree.folder}: {answer['errors'][:2]}" for tree, answer in zip(trees, after) if not answer["ok"]]
    figures.must(count - len(wrong), count, "of them Heat takes the copy as it is", wrong)
    wrong = []
    for tree, answer in zip(trees, merged):
        out = tree.folder.parent / "out"
        registry = answer["user_env"]["resource_registry"] if answer["ok"] else {}
        if any(registry.get(name) != (out / path).as_uri() for name, path in tree.registry.items()):
            wrong.append(f"{tree.folder}: {answer}")
    figures.must(count - len(wrong), count, "of them Heat has the chosen templates of the copy in its registry", wrong)
    wrong = [str(answer)[:300] for answer in nested if not answer["ok"]]
    figures.must(len(nested) - len(wrong), len(nested), "templates of the copies: Heat parses them", wrong)


def run(figures, full):
    """The part."""
    if figures.has("templates", what="templates of the corpus"):
        _stripped(figures)
    _resolved(figures, 1000 if full else 200)
    _trees(figures, 300 if full else 60)
