"""What waits for what in the result of a target, as its client would see it.

A graph has leaves: the objects that the client makes. `leaves(path)` are those of a resource of Heat, which a path of names leads
to from the root stack (a member of a group by its number), with all below it; `waits(one, other)` says whether the one is made
only after the other.
"""

import json
import re

import yaml

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _plain(name):
    """A name as every target can have it."""
    return re.sub(r"[^a-z0-9]", "", str(name).lower())


def _words(name):
    return re.sub(r"\W+", "_", str(name)).lower()


def _texts(value):
    """All texts in a value, keys of maps included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _texts(key)
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


class Graph:
    """Leaves with references between nodes, some of which are no leaves."""

    def __init__(self):
        self.references = {}
        self.named = {}
        # The leaves that have the name of their resource, where it became several.
        self._main = set()
        self._reached = {}

    def reached(self, node):
        """All nodes that a node refers to, over others."""
        if node not in self._reached:
            found, todo = set(), [node]
            while todo:
                for other in self.references.get(todo.pop(), ()):
                    if other not in found:
                        found.add(other)
                        todo.append(other)
            self._reached[node] = found
        return self._reached[node]

    def waits(self, one, other):
        return other in self.reached(one)

    def leaves(self, path):
        return self.named.get(tuple(path), set())

    def main_leaves(self, path):
        """The leaves without those that stand beside the one that has the name of the resource."""
        leaves = self.leaves(path)
        return leaves & self._main or leaves

    def name_leaves(self, paths, leaves, spell, part_of):
        """Gives each leaf to the resource whose name it has, or begins with: the longest such name."""
        spelled = {}
        for path in paths:
            spelled.setdefault(spell(path), path)
        for leaf, name in leaves.items():
            fits = [it for it in spelled if part_of(name, it)]
            if not fits:
                continue
            path = spelled[max(fits, key=len)]
            if name.rstrip("_") == spell(path):
                self._main.add(leaf)
            for end in range(1, len(path) + 1):
                self.named.setdefault(path[:end], set()).add(leaf)


def _is_part(name, of):
    return name == of or name.startswith(of + "_")


# ---- Terraform

_ADDRESS = re.compile(r"(?<![\w.])((?:data\.)?[a-z][a-z0-9_]*\.[\w-]+)(?:\[[^\]]*\]|\.\*)?(?:\.([\w-]+))?")


class Terraform(Graph):
    """The files of `terraform-json`, modules included; the copies of a block are one."""

    def __init__(self, folder, paths):
        super().__init__()
        self._leaves = {}
        self._module(folder, (), {}, set())
        known = {path: tuple(part for part in path if not part.isdigit()) for path in paths}
        by_module = {}
        for path, bare in known.items():
            by_module.setdefault(bare, path)
        spell = lambda path: "/".join(_words(part) for part in path)
        self.name_leaves(by_module, self._leaves, spell, _is_part)
        for path, bare in known.items():
            if bare in self.named:
                self.named[path] = self.named[bare]

    def leaves(self, path):
        return self.named.get(tuple(part for part in path if not part.isdigit()), set())

    def _module(self, folder, prefix, arguments, waits_for):
        """Adds the nodes of a module; `arguments` are what its variables refer to. Returns its outputs and its leaves."""
        blocks = {}
        for file in sorted(folder.glob("*.tf.json")):
            for kind, inside in json.loads(file.read_text(encoding="utf-8")).items():
                if isinstance(inside, dict):
                    blocks.setdefault(kind, {}).update({**blocks.get(kind, {}), **_merged(blocks.get(kind, {}), inside)})
        node = lambda address: (prefix, address)
        for name in blocks.get("variable", {}):
            self.references[node(f"var.{name}")] = set(arguments.get(name, ()))
        made = set()
        for kind, addresses in (("resource", ""), ("data", "data.")):
            for type_, labels in blocks.get(kind, {}).items():
                for label, body in labels.items():
                    here = node(f"{addresses}{type_}.{label}")
                    self.references[here] = self._named_in(body, prefix) | waits_for
                    if kind == "resource":
                        made.add(here)
                        self._leaves[here] = "/".join(_words(part) for part in (*prefix, label))
        for name, value in blocks.get("locals", {}).items():
            self.references[node(f"local.{name}")] = self._named_in(value, prefix)
        for name, body in blocks.get("module", {}).items():
            of_all = {key: body[key] for key in ("depends_on", "count", "for_each") if key in body}
            waits = self._named_in(of_all, prefix) | waits_for
            given = {key: self._named_in(value, prefix) for key, value in body.items()}
            outputs, inner = self._module(folder / body["source"], (*prefix, name), given, waits)
            self.references[node(f"module.{name}")] = inner
            for output, refers in outputs.items():
                self.references[node(f"module.{name}.{output}")] = refers
            made |= inner
        outputs = {name: self._named_in(body.get("value"), prefix) for name, body in blocks.get("output", {}).items()}
        return outputs, made

    def _named_in(self, value, prefix):
        found = set()
        for text in _texts(value):
            for match in _ADDRESS.finditer(text):
                address, more = match.groups()
                whole = address.startswith("module.") and more
                found.add((prefix, f"{address}.{more}" if whole else address))
        return found


def _merged(one, other):
    return {key: {**one.get(key, {}), **value} if isinstance(value, dict) else value for key, value in other.items()}


# ---- Pulumi

class Pulumi(Graph):
    """The resources and variables of `Pulumi.yaml`; nested stacks are written out."""

    def __init__(self, folder, paths):
        super().__init__()
        program = yaml.load((folder / "Pulumi.yaml").read_text(encoding="utf-8"), LOADER)
        resources = program.get("resources") or {}
        everything = {**(program.get("variables") or {}), **resources}
        for name, body in everything.items():
            named = {found for text in _texts(body) for found in re.findall(r"(?<!\$)\$\{([\w-]+)", text)}
            self.references[name] = named & everything.keys()
        self.name_leaves(paths, {name: _words(name) for name in resources}, lambda path: "_".join(_words(part) for part in path), _is_part)


# ---- CloudFormation

class Cfn(Graph):
    """The templates of a folder; a resource waits for what the stack that it is in waits for."""

    def __init__(self, folder, paths):
        super().__init__()
        # Without nested stacks, the result is one file.
        found = [folder] if folder.is_file() else sorted(folder.glob("*.yaml"))
        files = {file.stem: yaml.load(file.read_text(encoding="utf-8"), LOADER) for file in found}
        self._files = {_plain(stem): content for stem, content in files.items()}
        nested = {_plain(name) for content in files.values() for name in content.get("Parameters") or {}}
        root = next(stem for stem in self._files if f"{stem}templateurl" not in nested)
        self._leaves = {}
        self._stack(root, "", set(), 0)
        spell = lambda path: "".join(_plain(part) for part in path)
        self.name_leaves(paths, self._leaves, spell, lambda name, of: name == of or name.startswith(of))

    def _stack(self, stem, prefix, waits_for, depth):
        resources = self._files[stem].get("Resources") or {}
        made = set()
        for name, body in resources.items():
            here = prefix + _plain(name)
            found = {prefix + _plain(other) for other in _cfn_references(body) if other in resources}
            self.references[here] = found | waits_for
            url = ((body.get("Properties") or {}).get("TemplateURL") or {}) if body.get("Type") == "AWS::CloudFormation::Stack" else {}
            child = _plain(url.get("Ref", "")).removesuffix("templateurl") if isinstance(url, dict) else ""
            if child in self._files and depth < 12:
                inner = self._stack(child, here, self.references[here], depth + 1)
                self.references[here] = self.references[here] | inner
                made |= inner
            else:
                made.add(here)
                self._leaves[here] = here
        return made


def _cfn_references(value):
    if isinstance(value, dict):
        for key, item in value.items():
            if key in ("Ref", "DependsOn", "Fn::GetAtt"):
                yield from [item] if isinstance(item, str) else item[:1] if key == "Fn::GetAtt" else item if isinstance(item, list) else ()
            elif key == "Fn::Sub":
                text = item if isinstance(item, str) else item[0]
                yield from re.findall(r"\$\{([A-Za-z0-9]+)", text)
            yield from _cfn_references(item)
    elif isinstance(value, list):
        for item in value:
            yield from _cfn_references(item)


# ---- Ansible

class Ansible(Graph):
    """The tasks of a playbook in their order, included ones where they are included."""

    def __init__(self, folder, paths):
        super().__init__()
        self._leaves, self._order = {}, {}
        for play in yaml.load((folder / "site.yml").read_text(encoding="utf-8"), LOADER):
            self._tasks(play.get("tasks") or (), folder, "", "", 0)
        known = {path: tuple(part for part in path if not part.isdigit()) for path in paths}
        self.name_leaves({bare: None for bare in known.values()}, self._leaves, lambda path: "/".join(_words(part) for part in path), lambda name, of: name == of or name.rstrip("_") == of or name.startswith((of + "/", of + "_")))

    def leaves(self, path):
        return self.named.get(tuple(part for part in path if not part.isdigit()), set())

    def waits(self, one, other):
        return self._order[other] < self._order[one]

    def _tasks(self, tasks, folder, prefix, module, depth):
        for task in tasks:
            included = task.get("ansible.builtin.include_tasks")
            if "block" in task:
                self._tasks(task["block"], folder, prefix, module, depth)
            elif included and depth < 12:
                file = folder / (included["file"] if isinstance(included, dict) else included)
                variables = task.get("vars") or {}
                into = next((value for key, value in variables.items() if key.endswith("outputs_into")), "")
                name = re.split(r"_?\{\{", into)[0].removeprefix(f"{module}_") if module else re.split(r"_?\{\{", into)[0]
                inner = yaml.load(file.read_text(encoding="utf-8"), LOADER)
                self._tasks(inner, folder, f"{prefix}{_words(name)}/", file.stem, depth + 1)
            elif "register" in task:
                name = task["register"].removeprefix(f"{module}_") if module else task["register"]
                leaf = (prefix, name, len(self._order))
                self._order[leaf] = len(self._order)
                self._leaves[leaf] = prefix + _words(name)


TARGETS = {"terraform-json": Terraform, "pulumi": Pulumi, "cfn": Cfn, "ansible": Ansible}
