"""Terraform: every rendered template is valid, and its expressions have Heat's values."""

import collections
import json
import os
import re
from concurrent import futures

import house
from generators import calls
from judges import tofu_arguments
from judges.judge import Judge
from judges.tofu import Tofu, outputs
from parts import nested as part_nested

# The judges that the part cannot do without, beside Heat's engine.
JUDGES = ("tofu",)

# Calls of one function; with --full so many more.
COUNT = 60
MORE = 8
# Outputs of one template.
TOGETHER = 40
# Of the corpus, one template in so many; with --full all.
STEP = 2
# Of the deployments whose arguments are compared.
ARGUMENTS_STEP = 3
NEWEST = "2021-04-16"
# What has no value before there is a cloud, and what no text of a template tells.
CLOUD = {"get_attr", "get_resource", "resource_facade", "Ref", "Fn::GetAZs", "Fn::ResourceFacade"}


def run(figures, full):
    """The part."""
    with Tofu() as tofu:
        _functions(figures, tofu, COUNT * MORE if full else COUNT)
        if not figures.has("templates", what="templates of the corpus, and their arguments after an apply"):
            return
        templates = house.files_below(house.CORPUS / "templates") + sorted((house.CORPUS / "pairs").glob("*/new.yaml"))
        _corpus(figures, tofu, templates, 1 if full else STEP)
        jobs = [(path, every) for path in templates for every in (False, True)]
        tofu_arguments.compare(figures, tofu, jobs[::1 if full else ARGUMENTS_STEP])


# ---------------------------------------------------------------- functions

def _mentions(tree, names):
    if isinstance(tree, list):
        return any(_mentions(item, names) for item in tree)
    if not isinstance(tree, dict):
        return False
    return any(key in names or _mentions(value, names) for key, value in tree.items())


# Functions that Terraform has nothing for: their calls are losses, unless their value is known.
UNSAID = ("yaql",)


def _made(count):
    """Calls whose values no cloud decides."""
    for name in calls.names(NEWEST):
        if name in CLOUD or name in UNSAID:
            continue
        source = calls.Calls(NEWEST, f"terraform {name}", without=UNSAID)
        made = 0
        while made < count:
            call = source.call(name)
            if not _mentions(call, CLOUD):
                made += 1
                yield name, call


def _functions(figures, tofu, count):
    made = list(_made(count))
    ask = lambda chosen: {"op": "resolve", "client": True, "files": calls.FILES, "template": json.dumps(calls.template(NEWEST, {f"o{n}": call for n, (_, call) in chosen}))}
    with Judge() as judge:
        answers = judge.ask([ask([(n, case)]) for n, case in enumerate(made)], remember=True)
    values = {}
    for n, answer in enumerate(answers):
        output = (answer.get("outputs") or {}).get(f"o{n}")
        if not answer["errors"] and output is not None and "$error" not in json.dumps(output):
            values[n] = output["value"]
    folder = house.scratch("terraform-functions")
    for name, text in calls.FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    said = {}
    numbers = list(values)
    groups = [numbers[at:at + TOGETHER] for at in range(0, len(numbers), TOGETHER)]
    with futures.ThreadPoolExecutor(2) as pool:
        for found in pool.map(lambda group: _apply(tofu, folder, made, group), groups):
            said.update(found)
    apart, refused = [], []
    equal, lost, judged, misses = collections.Counter(), collections.Counter(), collections.Counter(), collections.defaultdict(list)
    for n, value in values.items():
        name, call = made[n]
        found = said[n]
        if found == "lost":
            lost[name] += 1
            continue
        if _known(call, value, found):
            apart.append(f"{json.dumps(call)}\n  Heat: {json.dumps(value)}\n  ours: {json.dumps(found)}")
            continue
        judged[name] += 1
        if isinstance(found, list) and _same(found[0], value):
            equal[name] += 1
        elif isinstance(found, str) and found.startswith("error[HP0701]"):
            refused.append((n, value, found))
        else:
            misses[name].append(f"{json.dumps(call)}\n  Heat: {json.dumps(value)}\n  ours: {json.dumps(found) if isinstance(found, list) else found}")
    # What Heat resolves, its validation of outputs may still refuse.
    with Judge() as judge:
        verdicts = judge.ask([{**ask([(n, made[n])]), "op": "validate"} for n, *_ in refused])
    for (n, value, found), verdict in zip(refused, verdicts):
        name, call = made[n]
        if verdict["ok"]:
            misses[name].append(f"{json.dumps(call)}\n  Heat: {json.dumps(value)}\n  ours: {found}")
        else:
            judged[name] -= 1
    figures.count(len(refused), len(values), "calls that our evaluation refuses: where Heat's validation does so, too, they do not count")
    figures.count(len(apart), len(values), "calls with a difference that is documented (see _known)", apart)
    for name in judged:
        figures.must(equal[name], judged[name], f"calls of {name}: Heat's value ({lost[name]} are losses)", misses[name])


def _known(call, value, found):
    """Whether a value differs from Heat's for a reason that is documented.

    * JSON in a text has `\\u00e9` where Terraform writes the letter itself;
    * a loop over the keys of a map that is a parameter follows their alphabet, Terraform keeps no other order;
    * keys of Terraform's maps are texts;
    * a number in a text is spelled as Python spells it: `1e-07`, `-0.0`;
    * for Python false is 0 and true is 1 where items of a list are compared;
    * an index from the end of a text, by a path that is computed;
    * Heat never reads the branch of an `if` that is not taken, whatever is wrong in it.
    """
    if not isinstance(found, list):
        return _mentions(call, {"if"})
    if _same(found[0], value):
        return False
    text, written = json.dumps(value), json.dumps(call)
    if "$map" in text or "\\\\u" in text:
        return True
    if ("e-0" in written or "-0.0" in written) and ("e-0" in text or "-0.0" in text):
        return True
    if _mentions(call, {"list_concat_unique", "filter", "contains"}) and re.search(r"\b(true|false)\b", written) and re.search(r"(?<![\w.\-])-?[01](\.0)?(?![\w.])", written):
        return True
    if isinstance(value, str) and len(value) == 1 and found[0] == "" and "-1]" in written:
        return True
    loops = isinstance(value, list) and isinstance(found[0], list) and _mentions(call, {"repeat"})
    return loops and sorted(map(json.dumps, value)) == sorted(map(json.dumps, found[0]))


def _same(one, other):
    """Equality without the order of maps; one kind of number."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return one == other or isinstance(one, float | int) and isinstance(other, float | int) and float(one) == float(other)


def _apply(tofu, folder, made, numbers):
    """What became of some calls: `[value]`, `"lost"`, or what is wrong; those that fail one by one."""
    place = folder / f"f{numbers[0]}-{len(numbers)}"
    template = folder / f"{place.name}.json"
    template.write_text(json.dumps(calls.template(NEWEST, {f"o{n}": made[n][1] for n in numbers})), encoding="utf-8")
    done = house.hotplate("render", template, "--target", "terraform", "-o", place, "--force")
    # The resources of the surroundings have no properties, also not those that they require.
    errors = set(re.findall(r"^error\[(\w+)\]", done.stderr.decode(), re.MULTILINE)) - {"HP1002", "HP1007"}
    if done.returncode == 2 or errors:
        wrong = done.stderr.decode()
    else:
        state, wrong = tofu.apply(place)
    if wrong:
        if len(numbers) == 1:
            return {numbers[0]: wrong[:1500]}
        half = len(numbers) // 2
        return {**_apply(tofu, folder, made, numbers[:half]), **_apply(tofu, folder, made, numbers[half:])}
    written = (place / "outputs.tf").read_text(encoding="utf-8") if (place / "outputs.tf").exists() else ""
    # An output that is null is not told.
    told = {} if wrong else outputs(state)
    return {n: [told.get(f"o{n}")] if f'output "o{n}"' in written else "lost" for n in numbers}


# ---------------------------------------------------------------- the corpus

def _corpus(figures, tofu, templates, step):
    beside = [(path, "terraform", environments) for path, environments in _beside() if environments]
    alone = [(path, target, ()) for path in templates for target in ("terraform", "terraform-json")]
    _validated(figures, tofu, house.scratch("terraform-corpus"), alone[::step], "rendered templates that tofu takes for valid")
    _validated(figures, tofu, house.scratch("terraform-beside"), beside[::step], "templates with an environment beside them that tofu takes for valid")


def _beside():
    """Templates of the corpus with each environment beside them that hotplate evaluates them with."""
    pairs = part_nested.candidates()[1]
    with futures.ThreadPoolExecutor(2) as pool:
        fits = pool.map(lambda pair: house.hotplate("eval", pair[0], *_given(pair[1]), "--allow-path", house.CORPUS, "--fill", "--format", "json").returncode in (0, 1), pairs)
    return [pair for pair, fit in zip(pairs, fits) if fit]


def _given(environments):
    return [part for path in environments for part in ("-e", path)]


def _validated(figures, tofu, folder, jobs, what):
    """A figure: whether tofu takes what is rendered."""
    counts, misses, untidy = collections.Counter(), [], []

    def judge(job):
        number, (path, target, environments) = job
        place = folder / str(number)
        done = house.hotplate("render", path, *_given(environments), "--allow-path", house.CORPUS, "--target", target, "-o", place, "--force")
        if done.returncode in (1, 2) and not place.exists():
            return "refused", done.stderr.decode("utf-8", "replace")
        # What is open, a missing file or an unknown type, is told by exit status 1 beside what was written.
        if done.returncode not in (0, 1) or not place.exists():
            return "failed", done.stderr.decode("utf-8", "replace")[-800:]
        wrong = tofu.validate(place)
        if target == "terraform":
            counts["in HCL"] += 1
            layout = tofu.run(place, "fmt", "-check", "-recursive")
            if layout.returncode != 0:
                untidy.append(f"{path}\n{layout.stdout.decode('utf-8', 'replace')[:800]}")
        counts["with modules"] += (place / "modules").exists()
        return ("invalid", wrong) if wrong else ("valid", "")

    refused = []
    with futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        for (path, target, environments), (kind, wrong) in zip(jobs, pool.map(judge, enumerate(jobs))):
            counts[kind] += 1
            if wrong:
                line = " ".join(map(str, (target, path, *environments)))
                (refused if kind == "refused" else misses).append(f"{line}\n{wrong[:1500]}")
    figures.count(counts["refused"], len(jobs), "files that are no template, or one with errors", refused)
    figures.must(counts["valid"], len(jobs) - counts["refused"], f"{what} ({counts['with modules']} have modules)", misses)
    figures.must(counts["in HCL"] - len(untidy), counts["in HCL"], f"{what}: their layout is that of `tofu fmt`", untidy)
