"""`check --fix` and `upgrade` reach their end in one run, each file has one spelling in a report, and each finding a place."""

import collections
import itertools
import json
import os
import pathlib
import random
import shutil
import sys

import house

# Every combination of options that changes files.
CHECKS = [("--fix",), ("--unsafe-fixes",), ("--unsafe-fixes", "--select", "all"), ("--unsafe-fixes", "--heat", "queens")]
UPGRADES = [("--to", "latest"), ("--to", "latest", "--modernize"), ("--to", "declared", "--modernize"), ("--to", "declared", "--modernize", "--exact-only"),
            ("--to", "latest", "--modernize", "--strip-capabilities"), ("--to", "2018-03-02", "--modernize", "--heat", "queens")]

# Mistakes that have a fix: the section, and the lines; `@` is a number that makes names unique.
FIXABLE = [
    ("parameters", "  a@: {type: string, default: x}\n"),
    ("parameters", "  b@:\n    type: string\n    description: >\n      long\n    default: x\n\n"),
    ("parameters", "  # about it\n  c@:\n    type: string\n    default: x\n"),
    ("conditions", "  d@: {equals: [a, b]}\n"),
    ("conditions", "  e@:\n    not: {equals: [a, b]}\n"),
    ("conditions", "  f@: {equals: [{get_param: only@}, x]}\n"),
    ("resources", "  g@: {type: OS::Neutron::Port, properties: {network_id: a}}\n"),
    ("resources", "  h@: {type: 'OS::Quantum::Net'}\n"),
    ("resources", "  i@:\n    type: OS::Neutron::Port\n    properties:\n      network: a\n      nmae: b\n"),
    ("resources", "  j@: {type: OS::Neutron::LBaaS::LoadBalancer, properties: {vip_subnet: s}}\n"),
    ("resources", "  # hotplate: ignore HP1201 no longer\n  k@: {type: OS::Neutron::Net}\n"),
    ("resources", "  l@: {type: OS::Neutron::Nett}\n"),
]
SPELLINGS = ("{}", "./{}", "{}/", "{}/./", "./{}/../{}", "{}//")
INDENTED = {
    "blanks": lambda lines: "".join(f"   {line}" for line in lines),
    "one blank": lambda lines: "".join(f" {line}" for line in lines),
    "a tab": lambda lines: "".join(f"\t{line}" for line in lines),
    "the first line only": lambda lines: "   " + "".join(lines),
    "a blank of Unicode": lambda lines: "\u3000" + "".join(lines),
    "empty lines": lambda lines: "\n \n" + "".join(f"  {line}" for line in lines),
    "a comment": lambda lines: "  # c\n" + "".join(f"  {line}" for line in lines),
    "a document start": lambda lines: "---\n" + "".join(f"  {line}" for line in lines),
    "an indented document start": lambda lines: "  ---\n" + "".join(f"  {line}" for line in lines),
    "a byte order mark": lambda lines: "\ufeff" + "".join(f"  {line}" for line in lines),
    "a byte order mark and an empty line": lambda lines: "\ufeff\n" + "".join(f"  {line}" for line in lines),
    "Windows": lambda lines: "".join(f"  {line}" for line in lines).replace("\n", "\r\n"),
    "text": lambda lines: "  text\n" + "".join(f"  {line}" for line in lines),
}


def _scratch(name):
    """An empty folder that is the top of a work tree: nothing above it refers to its files."""
    folder = house.scratch(name)
    (folder / ".git" / "objects").mkdir(parents=True)
    return folder


def _contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink()}


def _second_run(figures, label, folder, command, before):
    """Runs a command twice; returns how many files the first run changes."""
    house.hotplate(*command, ".", cwd=folder)
    first = _contents(folder)
    house.hotplate(*command, ".", cwd=folder)
    second = _contents(folder)
    changed = [name for name in before if first.get(name) != before[name]]
    again = [name for name in first if second.get(name) != first[name]]
    strange = sorted(set(second) - set(before))
    figures.must(len(changed) - len(again), len(changed), f"{label}: {' '.join(command)}: left alone by a second run", again + strange)
    return len(changed)


def _copy(source, name):
    folder = _scratch(name)
    shutil.copytree(source, folder, symlinks=True, dirs_exist_ok=True)
    for path in folder.rglob("*"):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | 0o600)
    return folder


def _restore(folder, before):
    for name, content in before.items():
        if (folder / name).read_bytes() != content:
            (folder / name).write_bytes(content)


def _corpus(figures):
    for piece in ("templates", "pairs"):
        if not figures.has(piece, what=f"a second run over {piece}"):
            continue
        folder = _copy(house.CORPUS / piece, f"fixes-{piece}")
        before = _contents(folder)
        errors = _errors(folder)
        house.hotplate("check", "--unsafe-fixes", "--select", "all", ".", cwd=folder)
        # A corrected name may reveal what else is wrong in its file; a file without errors stays so.
        broken = {path for path, _, _ in errors}
        more = [error for error in _errors(folder) - errors if error[0] not in broken]
        figures.must(len(before) - len(more), len(before), f"files of {piece} without errors have none after `check --unsafe-fixes`", more)
        _restore(folder, before)
        for command in [*(("check", *options) for options in CHECKS), *(("upgrade", "--write", *options) for options in UPGRADES)]:
            _second_run(figures, piece, folder, command, before)
            _restore(folder, before)


def _assembled(chosen):
    """A template with the chosen mistakes."""
    text = "heat_template_version: 2018-08-31\n"
    if any("only@" in FIXABLE[kind][1] for kind in chosen):
        chosen = [*chosen]
    for section in ("parameters", "conditions", "resources"):
        lines = [FIXABLE[kind][1].replace("@", str(number)) for number, kind in enumerate(chosen) if FIXABLE[kind][0] == section]
        if section == "parameters":
            lines += [f"  only{number}: {{type: string, default: x}}\n" for number, kind in enumerate(chosen) if "only@" in FIXABLE[kind][1]]
        if lines:
            text += f"{section}:\n{''.join(lines)}"
    # A template without resources has a mistake that no fix can remove.
    return text if "\nresources:" in text else text + "resources:\n  none: {type: OS::Heat::None}\n"


def _planted(figures, full):
    """Templates with N mistakes that each have a fix."""
    folder = _scratch("fixes-planted")
    kinds = range(len(FIXABLE))
    choices = [*itertools.combinations_with_replacement(kinds, 2), *((kind,) * 4 for kind in kinds), *([*kinds] * times for times in (1, 3))]
    choices += list(itertools.combinations(kinds, 3))[:: 1 if full else 4]
    for number, chosen in enumerate(choices):
        (folder / f"{number:04}.yaml").write_text(_assembled(chosen), encoding="utf-8")
    before = _contents(folder)
    done = house.hotplate("check", "--unsafe-fixes", "--format", "json", ".", cwd=folder)
    report = json.loads(done.stdout)
    left = collections.defaultdict(list)
    for finding in [*report["findings"], *report["left_out"]]:
        left[finding["place"]["path"]].append(finding["message"])
    figures.must(len(choices) - len(left), len(choices), "templates with mistakes that have a fix have none after one run", [f"{name}: {found}" for name, found in left.items()])
    # A parameter that only a removed condition uses is one more.
    wanted = sum(len(chosen) + sum("only@" in FIXABLE[kind][1] for kind in chosen) for chosen in choices)
    figures.must(len(report["fixed"]), wanted, "mistakes are fixed")
    _restore(folder, before)
    for options in CHECKS[:2]:
        _second_run(figures, "mistakes", folder, ("check", *options), before)
        _restore(folder, before)
    for options in UPGRADES:
        _second_run(figures, "mistakes", folder, ("upgrade", "--write", *options), before)
        _restore(folder, before)


def _errors(folder):
    """The errors of every file, wherever they are in it."""
    report = json.loads(house.hotplate("check", "--format", "json", ".", cwd=folder).stdout)
    errors = (finding for finding in report["findings"] if finding["severity"] == "error")
    return collections.Counter((finding["place"]["path"], finding["code"], finding["message"]) for finding in errors)


def _project(seed):
    """A parent, children, environments and a configuration that pass each other's parameters, with mistakes that have fixes."""
    draw = random.Random(seed)
    names = [f"p{number}" for number in range(6)]
    files, children = {}, [f"lib/child{number}.yaml" for number in range(3)]
    for child in children:
        declared = draw.sample(names, 4)
        lines = "".join(f"  {name}: {{type: string, default: x}}\n" for name in declared)
        used = draw.sample(declared, 2)
        call = draw.choice(["get_param", "get_parm", "get_param"])
        files[child] = f"{house_head(draw)}parameters:\n{lines}conditions:\n  c: {{equals: [{{get_param: {declared[0]}}}, a]}}\nresources:\n" + "".join(f"  r{name}: {{type: OS::Neutron::Net, properties: {{{draw.choice(['name', 'nmae'])}: {{{call}: {name}}}}}}}\n" for name in used)
        files[child] += f"outputs:\n  out: {{value: {{get_resource: r{used[0]}}}}}\n"
    declared = {child: [line.split(":")[0].strip() for line in text.split("parameters:\n")[1].split("conditions:")[0].splitlines()] for child, text in files.items()}
    for parent in ("one.yaml", "two.yaml"):
        own = draw.sample(names, 3)
        text = house_head(draw) + "parameters:\n" + "".join(f"  {name}: {{type: string, default: x}}\n" for name in own) + "resources:\n"
        for number in range(4):
            child = draw.choice(children)
            passed = ", ".join(f"{name}: {draw.choice(['a', '{get_param: ' + draw.choice(own) + '}'])}" for name in draw.sample(declared[child], 2))
            kind = draw.choice([child, "Example::Type"])
            one = f"{{type: {kind}, properties: {{{passed}}}}}" if kind == child or child == children[0] else f"{{type: {child}}}"
            text += f"  r{number}: " + draw.choice([one, f"{{type: OS::Heat::ResourceGroup, properties: {{count: {draw.choice('012')}, resource_def: {one}}}}}"]) + "\n"
        text += f"outputs:\n  out: {{value: {{get_attr: [r0, {draw.choice(['out', 'outt'])}]}}}}\n"
        files[parent] = text
        files[parent.replace("yaml", "env.yaml")] = f"resource_registry: {{'Example::Type': {children[0]}}}\nparameters:\n" + "".join(f"  {name}: b\n" for name in draw.sample(own, 2))
    if draw.random() < 0.5:
        files["hotplate.toml"] = "".join(f'[[deployment]]\ntemplate = "{name}.yaml"\nenvironments = ["{name}.env.yaml"]\n' for name in ("one", "two"))
    return files


def house_head(draw):
    return draw.choice(["heat_template_version: 2018-08-31\n", "heat_template_version: 2016-10-14\n"])


def _projects(figures, full):
    """Projects of several files: no fix makes an error anywhere, also if only one of the files is checked."""
    seeds = range(200 if full else 25)
    sound, faults = 0, []
    for seed in seeds:
        for chosen in (".", "lib/child0.yaml", "one.yaml"):
            folder = _scratch("fixes-project")
            for name, text in _project(seed).items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_text(text, encoding="utf-8")
            before = _errors(folder)
            house.hotplate("check", "--unsafe-fixes", chosen, cwd=folder)
            first = _contents(folder)
            more = _errors(folder) - before
            house.hotplate("check", "--unsafe-fixes", chosen, cwd=folder)
            again = [name for name, text in _contents(folder).items() if first[name] != text]
            sound += not more and not again
            faults += [f"project {seed}: {chosen}: {fault}" for fault in [*more, *again]]
    figures.must(sound, 3 * len(seeds), "projects have no new error after `check --unsafe-fixes`, and no change by a second run", faults)


def _paths(value, key=None):
    """The paths in a JSON document."""
    if isinstance(value, dict):
        for name, item in value.items():
            if name in ("path", "file", "template", "config") and isinstance(item, str):
                yield item
            else:
                yield from _paths(item, name)
    elif isinstance(value, list):
        for item in value:
            if key == "environments" and isinstance(item, str):
                yield item
            else:
                yield from _paths(item, key)


def _spelled(figures):
    """Folders of the corpus under every spelling, from several current folders."""
    root = house.CORPUS / "templates"
    runs, faults = 0, []
    places = [(root, ["."]), (pathlib.Path("/"), [str(root)]), (root.parent, [spelling.format(root.name, root.name) for spelling in SPELLINGS])]
    for repository in sorted(path for path in root.iterdir() if path.is_dir()):
        below = sorted({path.parent for path in repository.rglob("*.yaml")})[:2]
        places += [(folder, [os.path.relpath(repository, folder), "./" + os.path.relpath(repository, folder), str(repository)]) for folder in below]
    for here, words in places:
        for word in words:
            done = house.hotplate("check", "--select", "all", "--format", "json", word, cwd=here)
            runs += 1
            faults += [f"{here}: check {word}: {fault}" for fault in faults_of(json.loads(done.stdout), here)]
    figures.must(runs - len({fault.split(": ")[1] for fault in faults}), runs, "reports have one spelling of each file, no finding twice, and a place in each finding", faults)


def faults_of(report, here):
    """What is wrong with the paths of a report."""
    spellings = collections.defaultdict(set)
    for path in _paths(report):
        if not path.startswith("<") and "://" not in path:
            spellings[os.path.normpath(os.path.join(here, path))].add(path)
    for names in spellings.values():
        if len(names) > 1 or "" in names:
            yield f"several spellings: {sorted(names)}"
    seen = set()
    for finding in report["findings"]:
        place = finding["place"]
        if not place or not place["path"] or place["start"]["line"] < 1:
            yield f"no place: {finding['code']} {finding['message']}"
            continue
        key = (finding["code"], finding["message"], os.path.normpath(os.path.join(here, place["path"])), place["start"]["byte"], place["end"]["byte"])
        if key in seen:
            yield f"twice: {key}"
        seen.add(key)


def _indented(figures):
    """What Heat's own client makes of indented templates."""
    packages = sorted((house.ORACLES / "venv").glob("lib/python*/site-packages"))
    if not packages:
        figures.skip("indented templates", why="Heat's client is not installed")
        return
    ask = "import json, sys\nfrom heatclient.common import template_format\nfor text in json.load(sys.stdin):\n    try:\n        template_format.parse(text)\n        print(1)\n    except Exception:\n        print(0)\n"
    templates = [["heat_template_version: 2018-08-31\n", "parameters:\n", "  a: {type: string}\n", "resources: {}\n"], ['{"heat_template_version": "2018-08-31",\n', ' "resources": {}}\n'],
                 ["heat_template_version: 2018-08-31\n"], ['"heat_template_version": 2018-08-31\n', "description: |\n", "  text\n"], ["AWSTemplateFormatVersion: '2010-09-09'\n", "Resources: {}\n"]]
    cases = [(f"{name} {number}", change(lines)) for name, change in INDENTED.items() for number, lines in enumerate(templates)]
    python = house.ORACLES / "venv" / "bin" / "python"
    done = house.run([python if python.exists() else sys.executable, "-c", ask], input=json.dumps([text for _, text in cases]).encode())
    answers = [line == "1" for line in done.stdout.decode().split()]
    folder = _scratch("fixes-indented")
    unlike = []
    for (name, text), is_read in zip(cases, answers, strict=True):
        (folder / "t.yaml").write_bytes(text.encode())
        for command in (("check",), ("eval",), ("versions",)):
            # 2: it cannot be read.
            done = house.hotplate(*command, "t.yaml", cwd=folder)
            refused = done.returncode == 2 or b"HP0110" in done.stdout + done.stderr
            if refused == is_read:
                unlike.append(f"{name}: {command[0]}: the client {'reads' if is_read else 'refuses'} it: {text!r}")
    figures.must(3 * len(cases) - len(unlike), 3 * len(cases), "commands read an indented template exactly if Heat's client does", unlike)


def run(figures, full):
    """The part."""
    _planted(figures, full)
    _projects(figures, full)
    _corpus(figures)
    if figures.has("templates", what="spellings of paths"):
        _spelled(figures)
    _indented(figures)
