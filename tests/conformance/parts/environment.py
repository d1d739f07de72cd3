"""Environments, merged by the server and by a client, beside what Heat's engine is handed."""

import json
import urllib.parse
from concurrent import futures

import yaml

import house
from generators import environments
from judges.judge import Judge

# Heat's `env` does not look at which parameters the template has.
NOT_ASKED = {"HP0514"}
ONLY_OURS = "hotplate fails and Heat does not"
# A section that Heat is handed like this and has no use for.
LEFT_OUT = "parameter_merge_strategies"


def _paths(value):
    """Heat names files by URLs, hotplate by the paths that it was given."""
    if isinstance(value, str) and value.startswith("file://"):
        return urllib.parse.unquote(urllib.parse.urlsplit(value).path)
    if isinstance(value, list):
        return [_paths(item) for item in value]
    if isinstance(value, dict):
        return {key: _paths(item) for key, item in value.items()}
    return value


def _same(one, other):
    """Equal as JSON: `1`, `1.0` and `true` are different."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _ours(template, paths, params, merge, allow):
    arguments = ["env", "--format", "json", "--show-secrets", "--merge", merge, "--allow-path", str(allow)]
    for path in paths:
        arguments += ["-e", str(path)]
    pairs = [(name, item) for name, value in params.items() for item in (value if isinstance(value, list) else [value])]
    # A single argument may hold everything.
    if len(pairs) > 1 and not any(";" in item for _, item in pairs):
        arguments += ["-P", ";".join(f"{name}={item}" for name, item in pairs)]
    else:
        arguments += [part for name, item in pairs for part in ("-P", f"{name}={item}")]
    done = house.hotplate(*arguments, str(template))
    try:
        return done.returncode, json.loads(done.stdout)
    except ValueError:
        return done.returncode, {"error": done.stderr.decode("utf-8", "replace")[-500:]}


def _compare(code, ours, theirs):
    """`equal`, `both fail`, or what differs."""
    if "error" in ours:
        return f"no report: {ours['error']}"
    errors = [found for found in ours["diagnostics"] if found["severity"] == "error" and found["code"] not in NOT_ASKED]
    if not theirs["ok"]:
        if errors and code != 0:
            return "both fail"
        return f"Heat fails and hotplate does not: {theirs.get('errors') or theirs}"
    if errors:
        return f"{ONLY_OURS}: {errors[0]['code']} {errors[0]['message']}"
    for name in sorted(set(theirs["environment"]) | set(ours["environment"])):
        if name == LEFT_OUT:
            continue
        heat, hotplate = theirs["environment"].get(name), ours["environment"].get(name)
        if name == "resource_registry":
            heat = _paths(heat)
        if not _same(heat, hotplate):
            return f"{name}: Heat has {json.dumps(heat)[:300]}, hotplate {json.dumps(hotplate)[:300]}"
    heat = _paths(theirs["user_env"]["resource_registry"])
    if not _same(heat, ours["registry"]):
        return f"loaded registry: Heat has {json.dumps(heat)[:300]}, hotplate {json.dumps(ours['registry'])[:300]}"
    return "equal"


def _judge(figures, judge, label, cases, least, **options):
    """`cases`: template, environments, parameters, merge, allowed folder."""
    requests = [{"op": "env", "file": str(template), "env": [str(path) for path in paths], "params": params, "merge": merge}
                for template, paths, params, merge, _ in cases]
    theirs = judge.ask(requests, **options)
    with futures.ThreadPoolExecutor(2) as threads:
        ours = list(threads.map(lambda case: _ours(*case), cases))
    outcomes = [_compare(code, report, answer) for (code, report), answer in zip(ours, theirs)]
    # What Heat is handed may be of no use to it: it fails when it takes the values.
    late = [number for number, outcome in enumerate(outcomes) if outcome.startswith(ONLY_OURS)]
    for number, answer in zip(late, judge.ask([{**requests[number], "op": "resolve"} for number in late])):
        if not answer["ok"]:
            outcomes[number] = "both fail"
    equal, failing = outcomes.count("equal"), outcomes.count("both fail")
    wrong = [f"{case[3]} {[_told(path) for path in case[1]]} {case[2]}: {outcome}"
             for case, outcome in zip(cases, outcomes) if outcome not in ("equal", "both fail")]
    figures.must(equal + failing, len(cases), f"{label} ({equal} equal, {failing} that both refuse)", wrong)
    figures.must(min(equal, least), least, f"{label}: enough of them work", [])


def _told(path):
    if path.is_relative_to(house.WORK):
        return path.read_text(encoding="utf-8").strip()
    return str(path.relative_to(house.CORPUS))


def run(figures, full):
    """The part."""
    cases = [(template, paths, {}, merge, allow) for template, paths, allow, merge in environments.of_corpus(120 if full else 40, 1 if full else 3)]
    figures.has("templates", "overcloud", what="environments of the corpus in combinations")
    with Judge() as judge:
        for merge in ("server", "client"):
            some = [case for case in cases if case[3] == merge]
            if not some:
                continue
            _judge(figures, judge, f"combinations of the corpus' environments, merged by the {merge}", some, min(100, len(some) // 2), remember=True)
        folder = house.scratch("environment/generated")
        (folder / "sub").mkdir()
        (folder / "template.yaml").write_text(environments.TEMPLATE, encoding="utf-8")
        for name in ("nested.yaml", "sub/nested.yaml"):
            (folder / name).write_text(environments.NESTED, encoding="utf-8")
        (folder / "script.sh").write_text("echo\n", encoding="utf-8")
        made = []
        for number, (maps, params, merge) in enumerate(environments.generated(6000 if full else house.drawn(1500))):
            paths = []
            for part, content in enumerate(maps):
                path = folder / f"{number}-{part}.yaml"
                path.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
                paths.append(path)
            made.append((folder / "template.yaml", paths, params, merge, folder))
        _judge(figures, judge, "generated environments", made, len(made) // 4)
        _lookups(figures, judge, 2000 if full else house.drawn(400))


def _lookups(figures, judge, count):
    """What types stand for, beside Heat's own registry."""
    folder = house.scratch("environment/registries")
    (folder / "sub").mkdir()
    for name in ("nested.yaml", "sub/nested.yaml", "other.template"):
        (folder / name).write_text(environments.NESTED, encoding="utf-8")
    (folder / "script.sh").write_text("echo\n", encoding="utf-8")
    questions = []
    for number, (registry, asks) in enumerate(environments.registries(count)):
        path = folder / f"{number}.yaml"
        path.write_text(yaml.safe_dump({"resource_registry": registry}, sort_keys=False), encoding="utf-8")
        questions.append({"env": str(path), "asks": asks})
    (folder / "asks").write_text("".join(json.dumps(question) + "\n" for question in questions), encoding="utf-8")
    house.bridge("lookup", folder / "asks", folder / "answers")
    ours = [json.loads(line) for line in (folder / "answers").read_text(encoding="utf-8").splitlines()]
    theirs = judge.ask([{"op": "lookups", **question} for question in questions])
    kinds, equal, asked, left_out, wrong = {}, 0, 0, 0, []
    for question, here, there in zip(questions, ours, theirs):
        answers = there.get("answers") or [there.get("errors")] * len(here)
        for ask, one, other in zip(question["asks"], here, answers):
            if other is None:
                left_out += 1
                continue
            asked += 1
            if one == other:
                equal += 1
                kinds[one["found"][0]] = kinds.get(one["found"][0], 0) + 1
            else:
                wrong.append(f"{question['env']} {json.dumps(ask)}: Heat finds {other}, hotplate {one}")
    told = ", ".join(f"{number} {kind}" for kind, number in sorted(kinds.items()))
    figures.must(equal, asked, f"lookups in generated registries, of nested stacks too, find what Heat finds ({told}; {left_out} left out that Heat dies of or that change its registry)", wrong)
