"""Files and types that a real revision asks for and that are not here: stand-ins, so that the judge loads it.

A nested template stands in for its name with the properties that it is given as parameters; what is in it
decides on nothing in the stack that asks for it.
"""

import json

import yaml

from generators import changes, spelling

# So many folders lie above the templates, for what they ask for with `..`.
DEPTH = 5
_SHAPED = {"map_merge", "map_replace", "list_concat", "list_concat_unique", "filter", "repeat", "yaql", "str_split", "Fn::Split"}


def folder(place):
    """The folder for the templates of a revision, below a place of its own."""
    folder = place.joinpath(*("above" for _ in range(DEPTH)))
    folder.mkdir(parents=True)
    return folder


class StandIns:
    """The stand-ins for the two templates of a revision."""

    def __init__(self, paths):
        self.templates, self.files, self.types = {}, set(), {}
        self.known = set(changes.types())
        for path in paths:
            try:
                tree = yaml.load(path.read_bytes(), Loader=spelling.HeatLoader)
            except (yaml.YAMLError, UnicodeDecodeError, ValueError):
                continue
            if isinstance(tree, dict):
                self._declared = tree.get("parameters") if isinstance(tree.get("parameters"), dict) else {}
                self._walk(tree.get("resources"))

    def write(self, folder):
        """Puts them into a folder, with an environment where one is needed; the environments."""
        self._within = folder.parents[DEPTH - 1].resolve()
        registry = {}
        for number, (kind, parameters) in enumerate(self.types.items()):
            registry[kind] = f"standin-{number}.yaml"
            self._write(folder / registry[kind], _template(parameters))
        for name, parameters in self.templates.items():
            self._write(folder / name, _template(parameters))
        for name in self.files:
            self._write(folder / name, f"<<file:{name}>>")
        if not registry:
            return []
        path = folder / "standins-env.yaml"
        path.write_text(json.dumps({"resource_registry": registry}), encoding="utf-8")
        return [path]

    def _write(self, path, text):
        path = path.resolve()
        # What lies further above stays missing.
        if not path.is_relative_to(self._within) or path.exists():
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def _walk(self, tree):
        if isinstance(tree, list):
            for item in tree:
                self._walk(item)
        elif isinstance(tree, dict):
            if isinstance(tree.get("get_file"), str) and "://" not in tree["get_file"]:
                self.files.add(tree["get_file"].lstrip("/"))
            kind = tree.get("type")
            if isinstance(kind, str):
                self._type(kind, tree.get("properties"))
            for value in tree.values():
                self._walk(value)

    def _type(self, kind, properties):
        if kind.endswith((".yaml", ".template")) and "://" not in kind:
            table = self.templates.setdefault(kind.lstrip("/"), {})
        elif "::" in kind and kind not in self.known and not kind.startswith("OS::Quantum"):
            table = self.types.setdefault(kind, {})
        else:
            return
        for name, value in properties.items() if isinstance(properties, dict) else ():
            shaped = self._shaped(value)
            table[name] = table.get(name, False) or shaped

    def _shaped(self, value):
        """Whether a value is a list or a map, as far as that shows."""
        if isinstance(value, list):
            return True
        if not isinstance(value, dict):
            return False
        if len(value) != 1:
            return True
        (name, argument), = value.items()
        name = str(name)
        if name == "get_param":
            declared = self._declared.get(argument) if isinstance(argument, str) else None
            return isinstance(declared, dict) and declared.get("type") in ("json", "comma_delimited_list")
        if name == "if" and isinstance(argument, list):
            return any(self._shaped(item) for item in argument[1:])
        return name in _SHAPED or not (name in ("get_attr", "get_resource", "get_file", "list_join", "digest", "contains", "equals", "resource_facade", "Ref", "Fn::GetAtt")
                                       or name.startswith("str_replace") or name.startswith("Fn::"))


def _template(parameters):
    declared = {str(name): {"type": "json" if shaped else "string", "default": {} if shaped else ""} for name, shaped in parameters.items()}
    return json.dumps({"heat_template_version": "2018-08-31", "parameters": declared, "resources": {"thing": {"type": "OS::Heat::None"}}})
