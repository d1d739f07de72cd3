"""`render --target pulumi`: every program against the provider's schema, and run with Pulumi's SDK and mocks.

What the SDK registers is compared with what Heat resolves, wherever an input has the name of the property and no
value of a cloud, of a secret or of a missing parameter is in it.
"""

import json
from concurrent import futures

import house
from judges.judge import Judge

# What of the corpus the part cannot do without.
NEEDS = ("templates",)

STACK = "dev"


# Without `--full`, one in so many templates of the corpus.
STEP = 2


def run(figures, full):
    """Renders the corpus, checks the programs, runs them."""
    folder = house.scratch("pulumi")
    paths = house.files_below(house.CORPUS / "templates") + sorted((house.CORPUS / "pairs").glob("*/new.*"))
    paths = paths if full else paths[::STEP]
    with futures.ThreadPoolExecutor(2) as pool:
        reports = list(pool.map(lambda job: _render(job[1], folder / str(job[0])), enumerate(paths)))
    broken = [f"{path}: {report}" for path, report in zip(paths, reports) if isinstance(report, str)]
    figures.must(len(paths) - len(broken), len(paths), "files rendered, or refused with a reason", broken)
    rendered = {path: (folder / str(at), report) for at, (path, report) in enumerate(zip(paths, reports)) if isinstance(report, dict)}
    check = checker()
    wrong = [f"{path}: {errors}" for path, (output, _) in rendered.items() if (errors := check(output / "Pulumi.yaml"))]
    figures.must(len(rendered) - len(wrong), len(rendered), "programs that the schema checker takes", wrong)
    shares = [report["coverage"]["mapped"] for _, report in rendered.values()]
    said, of = (sum(share[part] for share in shares) for part in ("expressed", "of"))
    reasons = [f"{path}: {loss['message']}" for path, (_, report) in rendered.items() for loss in report["losses"] if loss["kind"] == "resource_type"]
    figures.count(said, of, "resources with a counterpart that are emitted whole (the rest, and those without one, with reasons)", reasons)
    if not house.installed("pulumi"):
        figures.skip("programs run with Pulumi's SDK", "the package pulumi cannot be installed")
        return
    python = house.ORACLES / "pulumi" / "bin" / "python"
    registered = _registered(python, [output for output, _ in rendered.values()])
    bad = [f"{path}: {registered.get(str(output), {'error': 'no answer'})['error']}" for path, (output, _) in rendered.items() if "error" in registered.get(str(output), {"error": ""})]
    figures.must(len(rendered) - len(bad), len(rendered), "programs that Pulumi's SDK registers with mocks", bad)
    _compare(figures, {path: (registered[str(output)], report) for path, (output, report) in rendered.items() if "error" not in registered.get(str(output), {"error": ""})})


def _render(path, output):
    """The report of a rendering; None for a template with errors; a text for what must not be."""
    done = house.hotplate("render", path, "--target", "pulumi", "-o", output, "--format", "json")
    if not (output / "Pulumi.yaml").exists():
        return None if done.returncode in (1, 2) and done.stderr else f"exit {done.returncode}: {done.stderr[-300:]!r}"
    try:
        return json.loads(done.stdout)
    except ValueError:
        return f"no report: {done.stderr[-300:]!r}"


def checker():
    """What the checker of programs finds in a file, as a function."""
    tool = house.tool_module("pulumi_check")
    schema = tool.Checker()

    def check(path):
        try:
            return list(schema.check(tool.read(path)))
        except Exception as error:  # a program that cannot be read is wrong
            return [repr(error)]

    return check


def _registered(python, folders):
    """What each program registers."""
    chunks = [folders[at:at + 20] for at in range(0, len(folders), 20)]

    def ask(chunk):
        done = house.run([python, house.HERE / "judges" / "pulumi_program.py", *chunk])
        try:
            return json.loads(done.stdout)
        except ValueError:
            return {str(folder): {"error": done.stderr[-300:].decode("utf-8", "replace")} for folder in chunk}

    answers = {}
    with futures.ThreadPoolExecutor(2) as pool:
        for answer in pool.map(ask, chunks):
            answers.update(answer)
    return answers


def _compare(figures, programs):
    """Inputs beside the properties that Heat resolves."""
    requests = [{"op": "resolve", "file": str(path), "fill": True, "coerce": True, "missing_files": "stub", "stack_name": STACK} for path in programs]
    with Judge() as judge:
        answers = judge.ask(requests, remember=True)
    same, of, known, different = 0, 0, 0, []
    for (path, (registered, report)), answer in zip(programs.items(), answers):
        lost = {(loss.get("owner"), loss["subject"]) for loss in report["losses"]}
        for name, resource in (answer.get("resources") or {}).items():
            inputs = registered.get(name, {}).get("inputs", {})
            for key in resource.get("properties") or {}:
                heat, ours = (resource.get("coerced") or {}).get(key), inputs.get(_camel(key))
                if ours is None or heat is None or _open(heat) or _open(ours):
                    continue
                of += 1
                if _plain(heat) == _plain(ours):
                    same += 1
                elif (name, key) in lost:
                    known += 1
                else:
                    different.append(f"{path}: {name}.{key}: Heat {heat!r}, ours {ours!r}")
    figures.must(same + known, of, f"inputs with Heat's values ({known} differ with a loss that says so)", different)


def _camel(name):
    first, *rest = name.split("_")
    return first + "".join(part[:1].upper() + part[1:] for part in rest)


def _open(value):
    """Whether what only a cloud or a user knows is in a value."""
    return "<<" in json.dumps(value)


def _plain(value):
    """A value as Pulumi and Heat both say it: numbers and truth values as text, of nested objects the values
    without their names (the provider has others), and the one item of a list that may hold no more."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return f"{value:g}"
    if isinstance(value, list):
        return _plain(value[0]) if len(value) == 1 else [_plain(item) for item in value]
    if isinstance(value, dict):
        return sorted(json.dumps(_plain(item)) for item in value.values() if item is not None)
    return value.lower() if isinstance(value, str) and value.lower() in ("true", "false") else value
