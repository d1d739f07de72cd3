"""Runs Pulumi YAML programs with Pulumi's own SDK for Python and a mock in the place of the provider.

`pulumi_program.py FOLDER…` is run by a Python that has the package `pulumi`; it prints, for each folder, the resources
that were registered with their inputs: `{FOLDER: {NAME: {"type": …, "inputs": {…}}}}`, or `{FOLDER: {"error": …}}`. The name "" has the
outputs of the program, by name.
"""

import asyncio
import json
import pathlib
import re
import sys

import pulumi
import yaml

STACK = "dev"


class Mocks(pulumi.runtime.Mocks):
    """Everything exists at once; what a cloud would tell is `<<NAME.id>>`."""

    def __init__(self):
        self.registered = {}

    def new_resource(self, args):
        self.registered[args.name] = {"type": args.typ, "inputs": dict(args.inputs)}
        return f"<<{args.name}.id>>", dict(args.inputs)

    def call(self, args):
        return {}


class Program:
    """A program of the language, as far as hotplate writes it."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.tree = yaml.safe_load((self.folder / "Pulumi.yaml").read_text(encoding="utf-8"))
        stack = self.folder / f"Pulumi.{STACK}.yaml"
        given = (yaml.safe_load(stack.read_text(encoding="utf-8")) or {}).get("config", {}) if stack.exists() else {}
        self.config = {}
        for name, declared in (self.tree.get("config") or {}).items():
            value = given.get(f"{self.tree['name']}:{name}", declared.get("default", f"<<config {name}>>"))
            self.config[name] = value
        self.variables, self.resources, self.busy, self.outputs = {}, {}, set(), {}

    def run(self):
        for name in self.tree.get("resources") or {}:
            self.resource(name)
        for name, value in (self.tree.get("outputs") or {}).items():
            found = self.value(value)
            pulumi.export(name, found)
            pulumi.Output.from_input(found).apply(lambda it, name=name: self.outputs.update({name: it}))

    def resource(self, name):
        """The resource of that name, registered when it is asked for the first time."""
        if name in self.resources:
            return self.resources[name]
        if name in self.busy:
            raise ValueError(f"{name} depends on itself")
        self.busy.add(name)
        declared = self.tree["resources"][name]
        inputs = {key: self.value(value) for key, value in (declared.get("properties") or {}).items()}
        options = declared.get("options") or {}
        before = [self.resource(re.fullmatch(r"\$\{([^}.\[]+)\}", text)[1]) for text in options.get("dependsOn", [])]
        settings = pulumi.ResourceOptions(depends_on=before, retain_on_delete=options.get("retainOnDelete"))
        if "get" in declared:
            settings.id = declared["get"]["id"]
        made = pulumi.CustomResource(declared["type"], name, inputs, settings)
        made.asked = inputs
        self.resources[name] = made
        return made

    def value(self, value):
        """A value of the program: data, or an output of Pulumi's."""
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if isinstance(value, dict):
            if len(value) == 1 and str(next(iter(value))).startswith("fn::"):
                (name, argument), = value.items()
                return self.call(name, argument)
            pairs = [(self.text(str(key)), self.value(item)) for key, item in value.items()]
            if all(isinstance(key, str) for key, _ in pairs):
                return dict(pairs)
            # A key that is known when its resource is created.
            return pulumi.Output.all(*(pulumi.Output.all(key, item) for key, item in pairs)).apply(lambda each: {_shown(key): item for key, item in each})
        return self.text(value) if isinstance(value, str) else value

    def text(self, text):
        """A text with its references; a reference alone keeps its type."""
        parts, literal, at = [], "", 0
        while at < len(text):
            if text.startswith("$$", at):
                literal, at = literal + "$", at + 2
            elif text.startswith("${", at):
                end = text.index("}", at)
                parts += [literal, self.reference(text[at + 2:end])]
                literal, at = "", end + 1
            else:
                literal, at = literal + text[at], at + 1
        if not parts:
            return literal
        if len(parts) == 2 and parts[0] == "" and literal == "":
            return parts[1]
        return pulumi.Output.all(*parts, literal).apply(lambda each: "".join(_shown(part) for part in each))

    def reference(self, path):
        steps = re.findall(r'\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|\.?([^.\[]+)', path)
        name, steps = steps[0][2], [(quoted or word) if not index else int(index) for quoted, index, word in steps[1:]]
        if name == "pulumi":
            return {"stack": STACK, "project": self.tree["name"], "cwd": str(self.folder)}[steps[0]]
        if name in self.config:
            return _follow(self.config[name], steps)
        if name in (self.tree.get("variables") or {}):
            if name not in self.variables:
                self.variables[name] = self.value(self.tree["variables"][name])
            return pulumi.Output.from_input(self.variables[name]).apply(lambda value: _follow(value, steps))
        resource = self.resource(name)
        if not steps:
            return resource
        if steps[0] == "id":
            return resource.id
        told = resource.asked.get(steps[0], f"<<{name}.{steps[0]}>>")
        return pulumi.Output.from_input(told).apply(lambda value: _follow(value, steps[1:]))

    def call(self, name, argument):
        if name == "fn::invoke":
            given = self.value(argument.get("arguments") or {})
            shown = f"<<{argument['function']} {{}} {{}}>>"
            return pulumi.Output.from_input(given).apply(lambda value: Found(shown, json.dumps(value)) if "return" not in argument else shown.format(json.dumps(value), argument["return"]))
        argument = pulumi.Output.from_input(self.value(argument))
        if name == "fn::join":
            return argument.apply(lambda each: _shown(each[0]).join(_shown(part) for part in each[1]))
        if name == "fn::split":
            return argument.apply(lambda each: each[1].split(each[0]))
        if name == "fn::select":
            return argument.apply(lambda each: each[1][int(each[0])])
        if name == "fn::toJSON":
            return argument.apply(json.dumps)
        if name == "fn::secret":
            return pulumi.Output.secret(argument)
        if name == "fn::readFile":
            return argument.apply(lambda path: pathlib.Path(path).read_text(encoding="utf-8"))
        raise ValueError(f"no function {name}")


class Found(dict):
    """What a function of the provider would tell: any attribute."""

    def __init__(self, shown, arguments):
        super().__init__()
        self.shown, self.arguments = shown, arguments

    def tell(self, key):
        return self.shown.format(self.arguments, key)


def _follow(value, steps):
    for step in steps:
        if isinstance(value, str) and value.startswith("<<"):
            value = f"{value[:-2]}.{step}>>"
        elif isinstance(value, Found):
            value = value.tell(step)
        elif isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list):
            value = value[step] if isinstance(step, int) and step < len(value) else None
    return value


def _shown(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def main(folders):
    """Runs every program by itself."""
    results = {}
    for folder in folders:
        asyncio.set_event_loop(asyncio.new_event_loop())
        mocks = Mocks()
        pulumi.runtime.set_mocks(mocks, project="program", stack=STACK, preview=False)
        try:
            program = Program(folder)
            pulumi.runtime.test(program.run)()
            results[folder] = {**mocks.registered, "": program.outputs}
        except Exception as error:  # whatever is wrong with a program is the answer
            results[folder] = {"error": f"{type(error).__name__}: {error}"[:500]}
    print(json.dumps(results, default=str))


main(sys.argv[1:])
