"""The target `ansible`: options of modules, the syntax as Ansible sees it, and the values of expressions.

Values are judged where no cloud is needed: every property of the corpus that names no resource becomes an output of a
template of its own, which Heat resolves and Ansible templates, with the same parameters.
"""

import concurrent.futures
import json
import pathlib
import re
import uuid

import yaml

import house
from judges.judge import Judge

OPTIONS = house.FACTS / "ansible_openstack_modules.json"
PLAYBOOK = pathlib.Path(house.PYTHON).parent / "ansible-playbook"
SAMPLE = 8
# What the filter `to_uuid` of Ansible makes of the name of the judge's stack.
STACK_ID = str(uuid.uuid5(uuid.UUID("361e6d51-faec-444a-9079-341386da8e2e"), "STACK_NAME"))
NO_ANSIBLE = "Ansible is not installed: tools/setup FOLDER ansible"
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

# One output each: what the traps of the functions are.
CALLS = {
    "replaced_once": {"str_replace": {"template": "aab", "params": {"a": "b", "b": "c"}}},
    "replaced_param": {"str_replace": {"template": {"get_param": "s"}, "params": {"x": {"get_param": "y"}, "y": "z"}}},
    "replaced_regex": {"str_replace": {"template": "a/b/c {{ x }} {% y", "params": {"/b/": {"get_param": "n"}}}},
    "replaced_longest": {"str_replace": {"template": "$ab $a", "params": {"$a": {"get_param": "s"}, "$ab": {"get_param": "b"}}}},
    "replaced_data": {"str_replace": {"template": "v=%v", "params": {"%v": {"get_param": "j"}}}},
    "replaced_null": {"str_replace": {"template": "v=%v", "params": {"%v": {"get_param": ["j", "nul"]}}}},
    "joined": {"list_join": [",", {"get_param": "l"}, ["z", {"get_param": "s"}]]},
    "joined_data": {"list_join": [" ", [{"get_param": "j"}, {"get_param": ["j", "q"]}]]},
    "joined_json_list": {"list_join": ["-", {"get_param": ["j", "texts"]}]},
    "split": {"str_split": [",", {"get_param": "s"}]},
    "split_item": {"str_split": [",", {"get_param": "s"}, 1]},
    "path": {"get_param": ["j", "q", 1]},
    "path_text_index": {"get_param": ["j", "q", "1"]},
    "path_missing": {"get_param": ["j", "no", "where"]},
    "path_method": {"get_param": ["j", "items"]},
    "path_list_text": {"get_param": ["l", "1"]},
    "path_range": {"get_param": ["l", 9]},
    "path_null": {"get_param": ["j", "nul"]},
    "repeated": {"repeat": {"template": "%a%-%b%", "for_each": {"%a%": {"get_param": "l"}, "%b%": ["1", "2"]}}},
    "repeated_map": {"repeat": {"template": {"k%a%": [{"get_param": "n"}, "%a%"]}, "for_each": {"%a%": {"get_param": "l"}}}},
    "repeated_keys": {"repeat": {"template": "%k%", "for_each": {"%k%": {"get_param": "m"}}}},
    "repeated_zip": {"repeat": {"template": "%a%%b%", "for_each": {"%a%": {"get_param": "l"}, "%b%": ["1", "2", "3"]}, "permutations": False}},
    "repeated_again": {"repeat": {"template": "%a%", "for_each": {"%a%": ["%b%", "x"], "%b%": {"get_param": "l"}}}},
    "digest": {"digest": ["sha256", {"get_param": "s"}]},
    "digest_latin": {"digest": ["md5", {"get_param": "latin"}]},
    "merged": {"map_merge": [{"get_param": "m"}, {"b": {"get_param": "n"}}, {"get_param": ["j", "nul"]}]},
    "replaced_map": {"map_replace": [{"get_param": "m"}, {"keys": {"a": "aa"}, "values": {"two": {"get_param": "s"}}}]},
    "concat": {"list_concat": [{"get_param": "l"}, ["x", "X"], {"get_param": ["j", "nul"]}]},
    "unique": {"list_concat_unique": [{"get_param": "l"}, ["X", "x", "x", "Y"]]},
    "filter": {"filter": [["x"], {"get_param": "l"}]},
    "contains": {"contains": ["x", {"get_param": "l"}]},
    "contains_text": {"contains": ["x", {"get_param": "s"}]},
    "if_type": {"if": ["prod", 3, "none"]},
    "if_other": {"if": ["no", {"get_param": "l"}, {"get_param": "m"}]},
    "if_nested": {"if": [{"or": ["no", {"equals": [{"get_param": "n"}, 7]}]}, {"get_param": "s"}, {"if": ["prod", "a", "b"]}]},
    "url": {"make_url": {"scheme": "https", "host": "h", "port": {"get_param": "n"}, "path": "/a b", "query": {"q q": {"get_param": "latin"}, "r": "a/b"}, "fragment": "f"}},
    "url_user": {"make_url": {"scheme": "http", "username": "u/v", "password": {"get_param": "s"}, "host": {"get_param": "y"}, "path": "p"}},
    "number": {"get_param": "n"},
    "boolean": {"get_param": "b"},
    "texts": ["back\\slash", "end\\", "it's \"so\"", "a\r\nb", "{{ x }}", "{% if %}", "{# no #}", "#jinja2: x", " lead", "tab\t", "é", "${", "null", "yes", "1"],
    "quotes": {"list_join": ["\\", [{"get_param": "s"}, "it's \"so\"", "\\n", "e\\"]]},
    "brace": {"str_replace": {"template": "{{$a}} {$a} \\$a\r\n#}", "params": {"$a": {"get_param": "s"}}}},
    "bool_text": {"str_replace": {"template": "%b %n", "params": {"%b": {"get_param": "b"}, "%n": {"get_param": "f"}}}},
}
PARAMETERS = {
    "s": ("string", "x,y,z"), "y": ("string", "yy"), "n": ("number", 7), "f": ("number", 1.5), "b": ("boolean", True), "l": ("comma_delimited_list", ["x", "y", "z"]),
    "j": ("json", {"q": [1, True], "nul": None, "texts": ["a", None, {"k": "é"}]}), "m": ("json", {"a": "one", "b": "two"}), "latin": ("string", "é a"),
}
CONDITIONS = {"prod": {"equals": [{"get_param": "b"}, True]}, "no": {"not": "prod"}}


def run(figures, full):
    """The part."""
    folder = house.scratch("ansible")
    if not figures.has("templates", what="templates of the corpus: options, syntax, values"):
        _values(figures, folder / "values")
        return
    paths = house.files_below(house.CORPUS / "templates")
    rendered = _render(paths + (house.files_below(house.CORPUS / "overcloud") if full else []), folder / "corpus")
    figures.count(len(rendered), len(paths), "files of the corpus rendered alone (the others are environments, no HOT, or refused with errors)")
    _options(figures, rendered)
    _lint(figures, rendered)
    _syntax(figures, rendered if full else rendered[::max(1, len(rendered) // SAMPLE)])
    _values(figures, folder / "values")


def _render(paths, out):
    """Renders templates, each into a folder; those that hotplate takes: (path, folder)."""
    out.mkdir(parents=True, exist_ok=True)

    def one(item):
        number, path = item
        into = out / str(number)
        done = house.hotplate("render", str(path), "--target", "ansible", "-o", str(into))
        if done.returncode not in (0, 1, 2):
            raise RuntimeError(f"{path}: {done.stderr.decode('utf-8', 'replace')[:300]}")
        return (path, into) if (into / "site.yml").exists() else None

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return [found for found in pool.map(one, enumerate(paths)) if found]


def _files(folder):
    """The playbooks, and the files of tasks that they include."""
    return [folder / "site.yml", folder / "teardown.yml", *sorted(folder.glob("tasks/**/*.yml"))]


def _tasks(folder):
    """Every task of a playbook, those of blocks too."""
    def walk(tasks):
        for task in tasks:
            if "block" in task:
                yield from walk(task["block"])
            else:
                yield task

    for path in _files(folder):
        for play in yaml.load(path.read_text(encoding="utf-8"), LOADER):
            yield from walk(play.get("tasks") or play.get("block") or [])


def _lint(figures, rendered):
    """What `ansible-lint` with the profile `production` asks for: names, full names of modules, variables, the width of lines."""
    well, count, misses = 0, 0, []
    for path, folder in rendered:
        for file in [*_files(folder), *sorted(folder.glob("vars/*.yml"))]:
            count += 1
            wrong = list(_style(file))
            well += not wrong
            misses += [f"{path}: {file.name}: {line}" for line in wrong]
    figures.must(well, count, "files: names with capitals, full names of modules, variables in snake case, lines of at most 160 characters", misses)


def _style(file):
    text = file.read_text(encoding="utf-8")
    kept = set()
    for token in yaml.scan(text, Loader=LOADER):
        # Texts of the template keep their lines.
        if isinstance(token, yaml.ScalarToken) and (token.style == "|" or "\n" in token.value):
            kept.update(range(token.start_mark.line, token.end_mark.line + 1))
    for number, line in enumerate(text.split("\n")):
        # A word cannot be broken.
        if len(line) > 160 and number not in kept and len(max(line.split(), key=len)) < 100:
            yield f"line {number + 1} has {len(line)} characters"
    variable = re.compile(r"[a-z_][a-z0-9_]*")
    content = yaml.load(text, LOADER) or []
    if file.parent.name == "vars":
        yield from (f"the variable {name}" for name in content if not variable.fullmatch(name))
        return
    for item in content:
        yield from (f"the variable {name}" for name in item.get("vars") or {} if not variable.fullmatch(name))
        for task in [item, *(item.get("tasks") or item.get("block") or [])]:
            if next(iter(task)) != "name" or not task["name"][:1].isupper():
                yield f"the name of {json.dumps(task)[:80]}"
            if not variable.fullmatch(task.get("register", "x")):
                yield f"the variable {task['register']}"
            if task is not item and not any(key.count(".") == 2 for key in task):
                yield f"no full name of a module: {json.dumps(task)[:80]}"


def _options(figures, rendered):
    """Every option of every task is one of its module, required ones are there, literals are of its choices."""
    facts = json.loads(OPTIONS.read_text(encoding="utf-8"))
    modules, common = facts["modules"], facts["auth_options_of_every_module"]
    well, count, misses, literals = 0, 0, [], re.compile(r"\{\{|\{%")
    for path, folder in rendered:
        for task in _tasks(folder):
            for key, given in task.items():
                if not key.startswith("openstack.cloud."):
                    continue
                count += 1
                wrong = list(_wrong(modules.get(key.rsplit(".", 1)[1]), given, common, literals))
                well += not wrong
                misses += [f"{path}: {task['name']}: {key}: {line}" for line in wrong]
    figures.must(well, count, "tasks: their options are those of the module, what it requires is there, literals are of its choices", misses)


def _wrong(module, given, common, literals):
    if module is None:
        yield "no such module"
        return
    given = given or {}
    yield from _wrong_options(module["options"], {key: value for key, value in given.items() if key not in common}, literals)
    for exclusive in module.get("mutually_exclusive", []):
        if sum(option in given for option in exclusive) > 1:
            yield f"only one of {exclusive}"


def _wrong_options(options, given, literals):
    for name, value in given.items():
        option = options.get(name)
        if option is None:
            yield f"no option {name}"
            continue
        is_literal = not isinstance(value, str) or not literals.search(value)
        if is_literal and option.get("choices") and not isinstance(value, (list, dict)) and value not in option["choices"]:
            yield f"{name}: {value!r} is no choice"
        kinds = {"list": list, "dict": dict, "int": int, "bool": bool}
        kind = kinds.get(option.get("type"))
        if is_literal and kind and not isinstance(value, kind):
            yield f"{name}: {value!r} is no {option['type']}"
        if option.get("options"):
            for item in value if isinstance(value, list) else [value]:
                if isinstance(item, dict):
                    yield from (f"{name}: {line}" for line in _wrong_options(option["options"], item, literals))
    yield from (f"no {name}" for name, option in options.items() if option.get("required") and name not in given)


def _syntax(figures, rendered):
    """What `ansible-playbook --syntax-check` says."""
    if not PLAYBOOK.exists():
        figures.skip("syntax", NO_ANSIBLE)
        return

    def one(item):
        done = house.run([PLAYBOOK, "--syntax-check", "site.yml", "teardown.yml"], cwd=item[1])
        return None if done.returncode == 0 else f"{item[0]}: {done.stderr.decode('utf-8', 'replace')[-500:]}"

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        misses = [miss for miss in pool.map(one, rendered) if miss]
    figures.must(len(rendered) - len(misses), len(rendered), "playbooks: accepted by ansible-playbook --syntax-check", misses)


def _calls():
    """The template of the calls above."""
    parameters = {name: {"type": kind} for name, (kind, _) in PARAMETERS.items()}
    outputs = {name: {"value": value} for name, value in CALLS.items()}
    template = {"heat_template_version": "2018-08-31", "parameters": parameters, "conditions": CONDITIONS, "outputs": outputs}
    return "calls", template, {name: value for name, (_, value) in PARAMETERS.items()}


def _needs_cloud(value):
    """Whether a value names resources, or files that are not there."""
    if isinstance(value, dict):
        return any(key in ("get_resource", "get_attr", "get_file", "resource_facade", "yaql", "Ref", "Fn::GetAtt", "Fn::GetAZs") or _needs_cloud(inner)
                   for key, inner in value.items())
    return isinstance(value, list) and any(_needs_cloud(item) for item in value)


def _is_call(value):
    """Whether there is a function in a value."""
    if isinstance(value, dict):
        return len(value) == 1 and next(iter(value)) in FUNCTIONS or any(_is_call(inner) for inner in value.values())
    return isinstance(value, list) and any(_is_call(item) for item in value)


FUNCTIONS = ("get_param", "list_join", "str_replace", "str_replace_strict", "repeat", "digest", "str_split", "map_merge", "map_replace", "if", "filter", "make_url",
             "list_concat", "list_concat_unique", "contains")
BY_TYPE = {"string": "a text", "number": 2, "boolean": True, "comma_delimited_list": ["one", "two"], "json": {"k": "v", "l": ["x"]}}


def _of_corpus():
    """Properties of the corpus as outputs: (path, template, values of parameters)."""
    for path in [*house.files_below(house.CORPUS / "templates"), *house.files_below(house.CORPUS / "overcloud")]:
        try:
            template = yaml.load(path.read_text(encoding="utf-8"), LOADER)
        except (yaml.YAMLError, ValueError):
            continue
        if not isinstance(template, dict) or "heat_template_version" not in template:
            continue
        resources = template.get("resources")
        outputs = {}
        for name, resource in (resources.items() if isinstance(resources, dict) else []):
            for key, value in ((resource or {}).get("properties") or {}).items() if isinstance((resource or {}).get("properties"), dict) else []:
                if _is_call(value) and not _needs_cloud(value):
                    outputs[f"{name}.{key}"] = {"value": value}
        parameters = template.get("parameters")
        if not outputs or not isinstance(parameters, dict) or not all(isinstance(it, dict) for it in parameters.values()):
            continue
        kept = {name: {key: it[key] for key in ("type", "default") if key in it} for name, it in parameters.items()}
        given = {name: BY_TYPE.get(it.get("type")) for name, it in kept.items() if it.get("default") is None}
        conditions = {"conditions": template["conditions"]} if isinstance(template.get("conditions"), dict) else {}
        version = str(template["heat_template_version"])
        made = {"heat_template_version": version, "parameters": kept, **conditions, "outputs": outputs}
        # Dates are texts, for Heat too.
        yield str(path), json.loads(json.dumps(made, default=str)), given


def _values(figures, folder):
    """Expressions come to what Heat makes of them."""
    try:
        import ansible.template  # noqa: F401
    except ImportError:
        figures.skip("values", NO_ANSIBLE)
        return
    folder.mkdir(parents=True, exist_ok=True)
    cases = [_calls(), *_of_corpus()]
    made = []
    for number, (path, template, given) in enumerate(cases):
        (folder / f"{number}.yaml").write_text(json.dumps(template), encoding="utf-8")
        (folder / f"{number}.env.yaml").write_text(json.dumps({"parameters": given}), encoding="utf-8")
        made.append((path, folder / f"{number}.yaml", template, given))

    def render(item):
        _, path, _, given = item
        into = path.with_suffix("")
        environment = ["-e", str(path.with_suffix(".env.yaml"))] if given else []
        house.hotplate("render", str(path), *environment, "--target", "ansible", "-o", str(into))
        return into

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        folders = list(pool.map(render, made))
    with Judge() as judge:
        theirs = judge.ask([{"op": "resolve", "template": template, "params": given, "client": True} for _, _, template, given in made], remember=True)
    taken = [(item, into, answer) for item, into, answer in zip(made, folders, theirs) if (into / "site.yml").exists() and "outputs" in answer]
    done = house.run([house.PYTHON, house.HERE / "judges" / "ansible_values.py", *[into for _, into, _ in taken]])
    if done.returncode != 0:
        raise RuntimeError(done.stderr.decode("utf-8", "replace")[-500:])
    # The playbook makes the ID of the stack of its name.
    ours = [json.loads(line.replace(STACK_ID, "STACK_ID")) for line in done.stdout.decode("utf-8").splitlines()]
    tally = {False: [0, 0, []], True: [0, 0, []]}
    lost = 0
    for ((path, _, template, _), into, answer), mine in zip(taken, ours):
        here = tally[path == "calls"]
        for name, output in answer["outputs"].items():
            value = output.get("value") if isinstance(output, dict) and "value" in output else output
            if isinstance(value, dict) and ("$error" in value or "$unresolved" in value):
                continue
            if name not in mine or _is_lost(mine[name], into):
                lost += 1
                continue
            here[1] += 1
            if mine[name].get("value", mine[name]) == value and "error" not in mine[name] and _types(mine[name]["value"]) == _types(value):
                here[0] += 1
            else:
                here[2].append(f"{path} {name}\n  {json.dumps(template['outputs'][name]['value'])[:400]}\n  heat: {json.dumps(value)[:400]}\n  ansible: {json.dumps(mine[name])[:400]}")
    figures.must(*tally[True][:2], "calls of functions: Ansible makes of the expression what Heat makes of the call", tally[True][2])
    if not house.missing("templates"):
        figures.must(*tally[False][:2], "properties of the corpus that need no cloud: the same value", tally[False][2])
    figures.count(lost, lost + tally[True][1] + tally[False][1], "of these could not be said and are losses")


def _is_lost(answer, folder):
    """Whether an output needs a condition that is a loss: the playbook asks the user for it."""
    missing = re.search(r"'(\w+)' is undefined", answer.get("error", ""))
    return missing and f"- {missing[1]} is defined  # whether the condition" in (folder / "site.yml").read_text(encoding="utf-8")


def _types(value):
    """A value with the types of its scalars: 1 and true are not the same."""
    if isinstance(value, dict):
        return {key: _types(inner) for key, inner in value.items()}
    return [_types(item) for item in value] if isinstance(value, list) else type(value).__name__
