"""The gate that a change cannot move: `diff --git BASE...HEAD` over repositories in which the change attacks its own review.

Every change replaces a server and opens a security group. Beside that it sets each key of `hotplate.toml` to values that permit, hide
or overlook something, in every place and way in which the file may come; or it changes nothing but a deployment; or it gives the template
another name, beside copies of the old one; or it spells the template in one of the ways that Heat
accepts and a quick look does not recognize. A gate holds if the exit status is 1 and the base's comparisons are those of the same
change without the attack.
"""

import functools
import json
import os
import shutil
import subprocess

import yaml

import house

# What a change of settings is called in reports.
CODE = "HP1506"
FORMATS = ("text", "json", "markdown", "html", "github", "gitlab", "zuul", "sarif", "junit")

TEMPLATE = """heat_template_version: 2018-08-31
parameters:
  zone: {{type: string, default: {zone}}}
  from: {{type: string, default: {source}}}
resources:
  s: {{type: "OS::Nova::Server", properties: {{image: i, flavor: f, availability_zone: {{get_param: zone}}}}}}
  g: {{type: "OS::Neutron::SecurityGroup", properties: {{rules: [{{protocol: tcp, remote_ip_prefix: {{get_param: from}}}}]}}}}
  c: {{type: "OS::Heat::SoftwareConfig", properties: {{config: {{get_file: "http://h/script"}}}}}}
"""
SAFE = TEMPLATE.format(zone="a", source="10.0.0.0/8")
RED = TEMPLATE.format(zone="b", source="0.0.0.0/0")

# Words that permit, ignore or select something in this repository.
WORDS = ("s", "g", "OS::Nova::Server", "OS::Nova::Server:replace", "OS::Neutron::SecurityGroup", "all", "*", "t.yaml", "create", "noop-update", "HP", "..", ".", "/", "safe.yaml")
DEPLOYMENTS = (
    {"template": "t.yaml", "parameters": {"zone": "a", "from": "10.0.0.0/8"}},
    {"template": "**", "name": "base", "environments": ["safe.yaml"]},
    {"template": ["t.yaml", "*.yaml"], "name": "other", "environments": [], "parameters": {"zone": "x", "from": "10.0.0.0/8"}},
    {"template": "elsewhere.yaml"},
)
# The configuration that the base has, in half of the cases.
BASE = '[diff]\nfail-on = ["dangerous"]\nallow-from = "base"\n\n[check]\npolicy = ["rules"]\nbaseline = "known.json"\n\n[[deployment]]\nname = "base"\ntemplate = "t.yaml"\nparameters = { zone = "z" }\n'
# With it, only the rule is changed by the default.
BASE_RED = RED.replace("default: b", "default: b, description: changed")


def _toml(value):
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {_toml(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    return json.dumps(value)


def _values(schema):
    """Values of a key, from its part of the published schema."""
    if "enum" in schema:
        return schema["enum"]
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    found = []
    if "boolean" in kinds:
        found += [True, False]
    if "integer" in kinds:
        found += [0, 1, 10**9]
    if "string" in kinds:
        found += ["s", "all", "..", "head"]
    if "array" in kinds:
        found += [[], list(WORDS[:5]), list(WORDS[5:])]
    if "object" in kinds:
        found += [{"http://h/": "."}, {"**": ["security", "HP"]}]
    return found


def keys(schema):
    """Each key with texts of a file that sets it: the table of keys, as its schema publishes it."""
    for name, inner in schema["properties"].items():
        if name == "deployment":
            for parts in DEPLOYMENTS:
                yield name, "[[deployment]]\n" + "".join(f"{key} = {_toml(value)}\n" for key, value in parts.items())
        elif "properties" in inner:
            for below, of_key in inner["properties"].items():
                for value in _values(of_key):
                    yield f"{name}.{below}", f"[{name}]\n{below} = {_toml(value)}\n"
        else:
            for value in _values(inner):
                yield name, f"{name} = {_toml(value)}\n"


class Repository:
    """A repository with a base and one change after the other on it."""

    def __init__(self, name, base):
        self.folder = house.scratch(f"gate/{name}")
        self.git("init", "-q", "-b", "main", ".")
        self.write(base)
        self.commit()
        self.git("tag", "base")

    def git(self, *arguments):
        own = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
        own.update({f"GIT_{who}_{what}": "a@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")})
        done = subprocess.run(["git", *arguments], cwd=self.folder, env={**os.environ, **own}, capture_output=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"git {arguments}: {done.stderr.decode()}")

    def write(self, files):
        """Files by their paths: bytes, a text, `None` for one that is removed, or a tuple with the target of a link."""
        for name, content in files.items():
            path = self.folder / name
            if path.is_symlink() or path.is_file():
                path.unlink()
            elif path.is_dir() and content is None:
                shutil.rmtree(path)
            if content is None:
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, tuple):
                path.symlink_to(*content)
            else:
                path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "m")

    def change(self, files):
        """Another change of the base, which is checked out, too."""
        self.git("checkout", "-q", "-f", "--detach", "base")
        self.git("clean", "-q", "-fdx")
        self.write(files)
        self.commit()

    def review(self, *options, within=""):
        done = house.run([house.BINARY, "diff", "--git", "base...HEAD", *options], cwd=self.folder / within)
        return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")

    def local(self, *options, status):
        """The ways of comparing the change before it is committed that end with another status."""
        self.git("reset", "-q", "--soft", "base")
        ways = {"the working tree": ("--git", "base"), "the index": ("--staged",)}
        runs = {way: house.run([house.BINARY, "diff", *which, *options], cwd=self.folder) for way, which in ways.items()}
        return [f"{way} ({done.returncode})" for way, done in runs.items() if done.returncode != status]


def _of_base(report):
    """What the base's comparisons found."""
    templates = [it for it in report["templates"] if "deployment_status" not in it]
    return json.dumps([{key: value for key, value in it.items() if key != "inputs"} for it in templates], sort_keys=True)


def _settings(figures):
    done = house.run([house.BINARY, "config", "--file-schema"])
    table = list(keys(json.loads(done.stdout)))
    rules = {"rules/A001.yaml": "id: A001\n", "known.json": "{}\n"}
    scenes = {
        "without": ({"t.yaml": SAFE, "safe.yaml": "parameters: {}\n"}, RED, ("--allow-from", "base", "--fail-on", "dangerous")),
        "with": ({"t.yaml": SAFE, "hotplate.toml": BASE, "safe.yaml": "parameters: {}\n", **rules}, BASE_RED, ()),
    }
    misses, unsaid, count = [], [], 0
    tried = set()
    for scene, (base, red, options) in scenes.items():
        repository = Repository(scene, base)
        repository.change({"t.yaml": red})
        status, out, err = repository.review(*options, "--format", "json")
        control = _of_base(json.loads(out))
        if status != 1:
            misses.append(f"{scene}: the control has status {status}: {err}")
        for number, (key, text) in enumerate(table):
            tried.add(key)
            places = _placements(text, scene == "with")
            # Every key in the ordinary place, and the others in turn.
            chosen = [places[0], places[1 + number % (len(places) - 1)]]
            for place, files in chosen:
                count += 1
                repository.change({"t.yaml": red, **files})
                status, out, err = repository.review(*options, "--format", "json")
                what = f"{scene}, {key}, {place}: {text!r}"
                if status != 1:
                    misses.append(f"{what}: status {status}, {err[:200]}")
                    continue
                report = json.loads(out)
                if _of_base(report) != control:
                    misses.append(f"{what}: the base's comparison is another one")
                if not any(it["code"] == CODE for it in report["findings"]):
                    unsaid.append(what)
    every = {name for name, _ in table}
    figures.must(count - len(misses), count, f"changes of settings do not move the gate ({len(tried)} keys, {len(_placements('', True))} places)", misses)
    figures.must(len(tried), len(every), "keys of the table of keys tried")
    figures.must(count - len(unsaid), count, "of them are reported as a change of their own", unsaid)


def _placements(text, has_base):
    """Ways in which a change brings its settings; the ordinary one first."""
    places = [
        ("at the top", {"hotplate.toml": text}),
        ("a link", {"hotplate.toml": ("inner/settings",), "inner/settings": text}),
        ("not TOML", {"hotplate.toml": text + "\n[[[\n"}),
        ("UTF-16", {"hotplate.toml": text.encode("utf-16")}),
        ("in a folder", {"inner/hotplate.toml": text, **({"hotplate.toml": None} if has_base else {})}),
    ]
    if has_base:
        places += [
            ("renamed", {"hotplate.toml": None, "Hotplate.toml": BASE}),
            ("removed", {"hotplate.toml": None}),
            ("with the rules and the baseline", {"hotplate.toml": text, "rules/A001.yaml": None, "known.json": "{\"a\": 1}\n"}),
        ]
    return places


def _formats(figures):
    """Each format says that settings are changed, and that a deployment is new."""
    repository = Repository("formats", {"t.yaml": SAFE})
    text = '[[deployment]]\nname = "sly"\ntemplate = "t.yaml"\nparameters = { zone = "z", from = "10.0.0.0/8" }\n'
    repository.change({"t.yaml": RED, "hotplate.toml": text})
    misses = []
    for name in FORMATS:
        status, out, err = repository.review("--format", name, "--fail-on", "dangerous")
        shown = out + err if name == "text" else out
        lacks = [word for word in ("hotplate.toml", "part of the change", "sly", "new") if word not in shown]
        if status != 1 or lacks:
            misses.append(f"{name}: status {status}, lacks {lacks}")
    figures.must(len(FORMATS) - len(misses), len(FORMATS), "formats name the settings of the change and its new deployment", misses)


def spellings(text):
    """The template in other spellings, which Heat accepts or at least may be meant to: (name, files)."""
    key, rest = text.split(":", 1)[0], text.split("\n", 1)[1]
    version = "2018-08-31"
    line = f"{key}: {version}\n"
    whole = functools.partial("{}{}".format)
    data = yaml.safe_load(text)
    data[key] = version
    texts = {
        "an escape of a byte": f'"heat_template\\x5fversion": {version}\n{rest}',
        "an escape of a character": f'"heat_template\\u005fversion": {version}\n{rest}',
        "a long escape": f'"heat\\U0000005ftemplate_version": {version}\n{rest}',
        "a line that continues": f'? "heat_template\\\n  _version"\n: {version}\n{rest}',
        "single quotes": f"'{key}': '{version}'\n{rest}",
        "double quotes": f'"{key}": "{version}"\n{rest}',
        "a tag before the key": f"!!str {key}: {version}\n{rest}",
        "a tag of the map": f"!!map\n{text}",
        "an anchor of the key": f"&k {key}: {version}\n{rest}",
        "an anchor of the map": f"--- &m\n{text}",
        "comments before": f"# one\n\n  # two\n{text}",
        "three dashes": f"---\n{text}",
        "a directive": f"%YAML 1.1\n---\n{text}",
        "an end": f"{text}...\n",
        "spaces around": f"{key}   :    {version}   \n{rest}",
        "a comment behind": f"{key}: {version} # as ever\n{rest}",
        "an explicit key": f"? {key}\n: {version}\n{rest}",
        "a block as a key": f"? |-\n  {key}\n: {version}\n{rest}",
        "the version last": f"{rest}{line}",
        "the value below": f"{key}:\n  {version}\n{rest}",
        "windows": text.replace("\n", "\r\n"),
        "old macs": text.replace("\n", "\r"),
        "a byte order mark": "\ufeff" + text,
        "in braces": yaml.safe_dump(data, default_flow_style=True, width=10**6),
        "JSON": json.dumps(data, indent=1),
        "JSON on one line": json.dumps(data),
        "JSON with an escape": json.dumps(data).replace(key, "heat_template\\u005fversion"),
        "JSON with a mark": "\ufeff" + json.dumps(data),
        "UTF-16": text.encode("utf-16"),
        "UTF-16, big": b"\xfe\xff" + text.encode("utf-16-be"),
        "UTF-16 without a mark": text.encode("utf-16-le"),
        "UTF-32": text.encode("utf-32"),
        "Latin-1": whole(text, "# \xe9\n").encode("latin-1"),
        "a NUL": text.encode() + b"\0",
        "indented as a whole": "".join(f"  {it}\n" for it in text.splitlines()),
        "two documents": f"{text}---\na: 1\n",
        "a key twice": f"{line}{text}",
        "a tab": f"{key}:\t{version}\n{rest}",
        "another key": text.replace(key, "heat_template_versio"),
        "no version": rest,
        "an unknown version": text.replace(version, "2035-01-01"),
        "a list": "- a\n",
        "a word": "template\n",
        "empty": "",
        "a line end": "\n",
        "Jinja": "{% set a = 1 %}\n" + text,
        "broken": text + "a: [\n",
        "a pointer of LFS": f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 12\n",
    }
    yield from ((name, {"t.yaml": content}) for name, content in texts.items())
    yield "a link to the text", {"t.yaml": ("text",), "text": text}
    yield "a link to a template", {"t.yaml": ("u.yaml",), "u.yaml": text}
    yield "a link to nothing", {"t.yaml": ("nothing",)}
    yield "a link to itself", {"t.yaml": ("t.yaml",)}
    yield "a link out of the repository", {"t.yaml": ("/etc/hostname",)}
    yield "renamed, and escaped", {"t.yaml": None, "u.yaml": texts["an escape of a byte"]}


def _spellings(figures):
    """A template that a change spells otherwise is compared, or it is not and the gate fails; in the other direction, too."""
    misses, count, compared = [], 0, 0
    cases = [("there", {"t.yaml": SAFE}, list(spellings(RED)))]
    cases += [(f"back from {name}", files, [(name, {"t.yaml": RED})]) for name, files in spellings(SAFE) if set(files) == {"t.yaml"}]
    for way, base, changes in cases:
        repository = Repository(f"spelling-{count}", base)
        for name, files in changes:
            count += 1
            repository.change(files)
            status, out, err = repository.review("--allow-from", "base", "--fail-on", "dangerous", "--format", "json")
            what = f"{way}, {name}"
            templates = json.loads(out)["templates"] if out.startswith("{") else []
            whole = [it for it in templates if it["compared"]]
            compared += len(whole) > 0
            # The content of a base that Git LFS stores is not in this clone: nothing can be compared.
            expected = 2 if way.startswith("back") and name == "a pointer of LFS" else 1
            own = [it for it in templates if "t.yaml" in (it["old"], it["new"])]
            if status != expected:
                misses.append(f"{what}: status {status}, {[it['file'] for it in templates]}, {err[:200]}")
            elif not own or any(it["file"] != "existing" for it in own if it["compared"]):
                misses.append(f"{what}: {[(it['file'], it['compared']) for it in templates]}")
            elif whole and not whole[0]["counts"]["widened"]:
                misses.append(f"{what}: compared, and nothing is open")
    figures.must(count - len(misses), count, f"spellings of a template are compared or fail the gate ({compared} compared)", misses)


# Values of each key of a deployment: those that change the stack or leave it without a comparison, and those that change nothing.
DEPLOYED = {"name": "web", "template": "t.yaml", "environments": ["safe.yaml"], "parameters": {"zone": "a"}}
CHANGED = {
    "name": (["other", None], []),
    "template": (["red.yaml", "gone.yaml", ["red.yaml"], "r*.yaml", "nested/t.yaml"], ["same.yaml", "t.*", ["t.yaml"], "{t,none}.yaml"]),
    "environments": ([["open.yaml"], ["safe.yaml", "open.yaml"], ["gone.yaml"], []], [["also.yaml"], ["safe.yaml", "also.yaml"]]),
    # An environment precedes a parameter, as with Heat's server.
    "parameters": ([{"zone": "b"}, {"zone": "b", "from": "0.0.0.0/0"}], [{}, {"zone": "a", "from": "0.0.0.0/0"}]),
    # What is given elsewhere is not missing; nothing is missing here.
    "given": ([], [["zone"], ["from", "other"]]),
}


def _deployment(**keys):
    keys = {**DEPLOYED, **keys}
    return "[[deployment]]\n" + "".join(f"{key} = {_toml(value)}\n" for key, value in keys.items() if value is not None)


def _deployments(figures):
    """A change of `hotplate.toml` alone, in each key of a deployment, with each value: what changes the stack fails the gate."""
    done = house.run([house.BINARY, "config", "--file-schema"])
    keys_of_deployment = set(json.loads(done.stdout)["properties"]["deployment"]["items"]["properties"])
    other_zone = SAFE.replace("{get_param: zone}", "b").replace("default: 10.0.0.0/8", "default: 0.0.0.0/0")
    # Without an environment the default opens it.
    template = SAFE.replace("default: 10.0.0.0/8", "default: 0.0.0.0/0")
    base = {
        "t.yaml": template,
        "same.yaml": template,
        "red.yaml": other_zone,
        "nested/t.yaml": other_zone,
        "safe.yaml": "parameters: {from: 10.0.0.0/8}\n",
        "also.yaml": "parameters: {from: 10.0.0.0/8}\n",
        "open.yaml": "parameters: {from: 0.0.0.0/0}\n",
        "hotplate.toml": _deployment(),
    }
    repository = Repository("deployments", base)
    cases = []
    for key, (red, green) in CHANGED.items():
        # Heat does not know the name, so that another one needs other inputs to matter.
        more = {"parameters": {"zone": "b"}} if key == "name" else {}
        cases += [(f"{key}: {value}", _deployment(**{**more, key: value}), 1) for value in red]
        cases += [(f"{key}: {value}", _deployment(**{key: value}), 0) for value in green]
    cases += [
        ("renamed only", _deployment(name="other"), 0),
        ("one more", _deployment() + _deployment(name="more"), 0),
        ("one more, open", _deployment() + _deployment(name="more", environments=None), 0),
        ("another one first", _deployment(name="more", parameters={"zone": "b"}) + _deployment(), 0),
        ("a decoy with its inputs", _deployment(name="more") + _deployment(parameters={"zone": "b"}), 1),
        ("removed", "", 1),
        ("removed, with settings", "[diff]\nfail-on = [\"create\"]\n", 1),
        ("removed with the file", None, 1),
        ("not TOML", _deployment() + "[[[\n", 1),
        ("an unknown key", _deployment() + "sly = 1\n", 1),
    ]
    misses, local = [], []
    for what, text, expected in cases:
        repository.change({"hotplate.toml": text})
        status, out, err = repository.review("--fail-on", "dangerous", "--format", "json")
        report = json.loads(out) if out.startswith("{") else {"findings": []}
        # With an environment that is missing, nothing can be compared.
        expected = 2 if "gone.yaml']" in what else expected
        # Local work has the settings on disk, which must be right.
        of_local = 2 if what in ("not TOML", "an unknown key") else expected
        local += [f"{what}, {way}: not {of_local}" for way in repository.local("--fail-on", "dangerous", status=of_local)]
        if status != expected:
            misses.append(f"{what}: status {status}, {err[:300]}")
        elif not any(it["code"] == CODE for it in report["findings"]):
            misses.append(f"{what}: not reported")
        elif not all(it["place"] for it in report["findings"]):
            misses.append(f"{what}: a finding has no place")
    figures.must(len(cases) - len(misses), len(cases), "changes of deployments alone are compared, or fail the gate", misses)
    figures.must(2 * len(cases) - len(local), 2 * len(cases), "of them as uncommitted and as staged changes", local)
    figures.must(len(keys_of_deployment & set(CHANGED)), len(keys_of_deployment), "keys of a deployment tried")


def _renames(figures):
    """A template that is gone, with new ones of which one is red: by name, by copies, by what git takes for a renamed file."""
    padding = "".join(f"# {number * 7919}\n" for number in range(80))
    names = ("u.yaml", "T.yaml", "t.yml", "t.hot", "deep/er/t.yaml", "a.yaml", "z.yaml")
    texts = {
        "as it is": RED,
        "padded": padding + RED,
        "padded behind": RED + padding,
        "as JSON": json.dumps(yaml.safe_load(RED.replace("version: 2018-08-31", "version: '2018-08-31'")), indent=1),
        "in another order": "heat_template_version: 2018-08-31\nresources:" + RED.split("resources:")[1] + RED[RED.index("parameters:"):RED.index("resources:")],
    }
    decoys = {
        "no decoy": {},
        "a copy": {"decoy.yaml": SAFE},
        "a copy that sorts first": {"0.yaml": SAFE},
        "a copy in a folder": {"deep/decoy.yaml": SAFE},
        "three copies": {f"decoy{number}.yaml": SAFE for number in range(3)},
        "a copy with a comment": {"decoy.yaml": SAFE + "# as ever\n"},
        "a copy with more": {"decoy.yaml": SAFE + "outputs: {o: {value: 1}}\n"},
        "a template that nests it": {"decoy.yaml": SAFE, "w.yaml": "heat_template_version: 2018-08-31\nresources: {i: {type: NAME}}\n"},
    }
    misses, count = [], 0
    for scene, settings in (("without", None), ("with", '[[deployment]]\nname = "web"\ntemplate = "t.yaml"\n')):
        base = {"t.yaml": SAFE, "other.yaml": SAFE.replace("  s:", "  x:").replace("  g:", "  y:")}
        repository = Repository(f"renames-{scene}", {**base, **({"hotplate.toml": settings} if settings else {})})
        cases = [(f"{decoy}, {way}, {names[0]}", decoys[decoy], names[0], texts[way]) for decoy in decoys for way in texts]
        cases += [(f"{decoy}, {name}", decoys[decoy], name, texts["as it is"]) for decoy in ("no decoy", "a copy") for name in names[1:]]
        for what, files, name, text in cases:
            ways = [{}]
            if settings:
                # The deployment stays behind, follows, or names the copy while the stack would get the other one.
                ways.append({"hotplate.toml": settings.replace("t.yaml", name)})
                ways.append({"hotplate.toml": None})
            for more in ways:
                count += 1
                nested = {path: content.replace("NAME", name) for path, content in files.items()}
                repository.change({"t.yaml": None, name: text, **nested, **more})
                status, out, err = repository.review("--fail-on", "dangerous", "--format", "json")
                if status != 1:
                    misses.append(f"{scene}, {what}, {more}: status {status}, {err[:200]}")
        # What is no attack passes.
        follows = {"hotplate.toml": settings.replace("t.yaml", "u.yaml")} if settings else {}
        for what, files, expected in (
            ("renamed", {"u.yaml": SAFE, **follows}, 0),
            ("moved", {"deep/u.yaml": SAFE, **({"hotplate.toml": settings.replace("t.yaml", "deep/u.yaml")} if settings else {})}, 0),
            ("gone", {}, 1 if settings else 0),
        ):
            count += 1
            repository.change({"t.yaml": None, **files})
            status, _, err = repository.review("--fail-on", "dangerous")
            if status != expected:
                misses.append(f"{scene}, {what}: status {status}, {err[:300]}")
    figures.must(count - len(misses), count, "templates that are gone are compared with the new ones, or fail the gate", misses)


def _levels(figures):
    """One level in everything that is published."""
    texts = {name: (house.ROOT / name).read_text(encoding="utf-8") for name in ("action.yml", ".pre-commit-hooks.yaml", "docs/ci.md", "docs/zuul.md")}
    misses = [name for name, text in texts.items() if "dangerous" not in text or "refused,delete" in text]
    figures.must(len(texts) - len(misses), len(texts), "published gates have the level `dangerous`", misses)


def run(figures, _full):
    if shutil.which("git") is None:
        figures.skip(why="there is no git")
        return
    _levels(figures)
    _formats(figures)
    _deployments(figures)
    _renames(figures)
    _settings(figures)
    _spellings(figures)
