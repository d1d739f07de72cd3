"""What a real template needs around it and the oracle's placeholders are not.

The oracle answers an unknown attribute with a placeholder text. That is no group, and no map
that `map_merge` could take: then a whole output is an error before and after, and nothing
would be compared.
"""

import yaml

from generators import spelling

GROUPS = ("OS::Heat::ResourceGroup", "OS::Heat::AutoScalingGroup", "OS::Heat::ResourceChain")
_CALLS = ("get_attr", "Fn::GetAtt")


def of(path):
    """`attrs` and `files` for a request about the template."""
    try:
        template = yaml.load(path.read_bytes(), Loader=spelling.HeatLoader)
        resources = dict(template["resources"])
    except (yaml.YAMLError, UnicodeDecodeError, TypeError, KeyError, ValueError):
        return {}
    asked = _Asked()
    asked.walk(template, "text")
    names = sorted({path[1] for path in asked.paths if len(path) > 1})
    members = [{"name": name, "ref": f"<<member:{name}>>", "attrs": None} for name in "01"]
    table = {}
    for name, body in resources.items():
        kind = body.get("type") if isinstance(body, dict) else None
        if kind in GROUPS:
            table[name] = {"group": kind, "members": members, "names": names}
        elif attrs := asked.attributes(name):
            table[name] = {"attrs": attrs}
    return {"attrs": table, "files": {name: f"<<file:{name}>>" for name in sorted(asked.files)}}


class _Asked:
    """The attributes and files that a template asks for, and the shape that the place of each call wants."""

    def __init__(self):
        self.paths = {}
        self.files = set()

    def walk(self, tree, wanted):
        """Collects below a value that is wanted in a shape."""
        if isinstance(tree, list):
            for item in tree:
                self.walk(item, "text")
        elif isinstance(tree, dict):
            call = next((tree[name] for name in _CALLS if name in tree), None)
            if isinstance(call, list) and all(isinstance(part, str) for part in call):
                # A map or a list is the more telling wish, where one path is wanted in two shapes.
                self.paths[tuple(call)] = max(wanted, self.paths.get(tuple(call), ""), key=("", "text", "list", "map").index)
            if isinstance(tree.get("get_file"), str):
                self.files.add(tree["get_file"])
            for name, value in tree.items():
                self._arguments(name, value)

    def _arguments(self, name, value):
        shapes = {"map_merge": "map", "list_concat": "list", "list_concat_unique": "list"}
        if name in shapes and isinstance(value, list):
            for item in value:
                self.walk(item, shapes[name])
        elif name == "map_replace" and isinstance(value, list) and value:
            self.walk(value[0], "map")
            self.walk(value[1:], "text")
        elif name in ("list_join", "filter") and isinstance(value, list):
            for item in value[1:]:
                self.walk(item, "list")
        elif name == "for_each" and isinstance(value, dict):
            for item in value.values():
                self.walk(item, "list")
        else:
            self.walk(value, "text")

    def attributes(self, resource):
        """Values for the attributes that some place wants as a map or a list; none where placeholders will do."""
        paths = {path[1:]: wanted for path, wanted in self.paths.items() if path[0] == resource and len(path) > 1}
        shaped = {path[0] for path, wanted in paths.items() if wanted != "text"}
        table = {}
        for path, wanted in sorted(paths.items(), key=lambda item: len(item[0])):
            if path[0] not in shaped:
                continue
            mark = "<<attr:" + ":".join((resource, *path)) + ">>"
            value = {"text": mark, "list": [mark, mark + "2"], "map": {mark: mark}}[wanted]
            place = table
            for part in path[:-1]:
                if not isinstance(place.get(part), dict):
                    place[part] = {}
                place = place[part]
            place.setdefault(path[-1], value)
        return table
