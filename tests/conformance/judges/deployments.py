"""What `hotplate eval --nested` says about a whole deployment, beside what Heat says, stack by stack."""

import collections
import json

SHOWN = 400
# What a stack or a resource holds besides its values by name.
RESOURCE_KEYS = ("type", "metadata", "update_policy", "deletion_policy", "depends_on", "external_id", "condition", "description", "requires", "implicit_dependencies")

# The members of a chain wait for each other; in a concurrent one as many run as there are engines.
CHAIN = "OS::Heat::ResourceChain"
REMOTE = "OS::Heat::Stack"


def request(template, environments=(), **more):
    """The question to the judge."""
    return {"op": "deployment", "file": str(template), "env": [str(path) for path in environments], "fill": True, "missing_files": "stub", **more}


def arguments(template, environments=(), extra=()):
    """The same question to hotplate, without the name of the program."""
    command = ["eval", str(template)]
    for path in environments:
        command += ["-e", str(path)]
    return [*command, "--fill", "--nested", "--show-secrets", "--format", "json", "--max-resources", str(10**9), *extra]


def plain_paths(text):
    """JSON text in which files are named by paths: the judge names them by `file://` URLs."""
    return text.replace("file:///", "/")


class Comparison:
    """Both answers about one deployment, walked together."""

    def __init__(self, answer, root="root"):
        answer = json.loads(plain_paths(json.dumps(answer)))
        self._stacks = answer["stacks"]
        self._values = answer["values"]
        self._root = str(answer[root])
        self._texts = {}
        self.stacks, self.whole = 0, 0
        self.values, self.equal = 0, 0
        self.parameters = 0
        self.depth = 0
        # What cannot be compared, by its reason; and how often texts of errors are the same.
        self.apart = collections.Counter()
        self.errors = collections.Counter()
        self.differences = []

    def with_answer(self, ours):
        """Compares with hotplate's answer; returns the comparison."""
        self._stack(self._root, ours, "", 0, "")
        return self

    def summary(self):
        """One line about it."""
        return f"{self.stacks} stacks, {self.parameters} parameters, {self.values} values, {self.depth} deep"

    # ---- one stack

    def _stack(self, number, ours, place, depth, parent):
        """`parent` is the type of the resource that the stack stands for, as far as that matters."""
        theirs = self._stacks[number]
        self.stacks += 1
        self.depth = max(self.depth, depth)
        self.parameters += len(theirs.get("parameters", ()))
        before = len(self.differences)
        if not isinstance(ours, dict) or "$error" in ours or "$unknown" in ours:
            self.differences.append(f"{place or '/'}: no stack: {_short(ours)}")
            ours = None
        self._errors(theirs, ours, place)
        for key in ("version", "template"):
            if key in theirs:
                self._value(theirs[key], (ours or {}).get(key, _NOTHING), f"{place}/{key}")
        # Only hotplate knows which file the text of a remote stack came from.
        known = {*theirs, "template"} if parent == REMOTE else {*theirs}
        self._extra(known, ours or {}, place or "/")
        self._named(theirs, ours, "parameters", place)
        self._named(theirs, ours, "conditions", place)
        self._outputs(theirs, ours, place)
        children = self._resources(theirs, ours, place, parent != CHAIN)
        self.whole += len(self.differences) == before
        for number, nested, here, kind in children:
            self._stack(number, nested, here, depth + 1, kind)

    def _errors(self, theirs, ours, place):
        stages = [error.get("stage") for error in theirs["errors"]]
        self._value(theirs["ok"], (ours or {}).get("ok", _NOTHING), f"{place}/ok")
        found = [error for error in (ours or {}).get("errors", ()) if isinstance(error, dict)]
        self._value(stages, [error.get("stage") for error in found] if ours else _NOTHING, f"{place}/errors, their stages")
        for one, other in zip(theirs["errors"], found):
            self._error_text(one, other)

    def _named(self, theirs, ours, section, place):
        """A section of values by name."""
        found = (ours or {}).get(section) or {}
        for name, value in theirs.get(section, {}).items():
            self._value(value, found.get(name, _NOTHING), f"{place}/{section}/{name}")
        self._extra(theirs.get(section, {}), found, f"{place}/{section}")

    def _outputs(self, theirs, ours, place):
        if theirs.get("outputs") is None:
            self._value(None, ours.get("outputs") if ours else _NOTHING, f"{place}/outputs")
            return
        found = (ours or {}).get("outputs") or {}
        for name, output in theirs["outputs"].items():
            mine = found.get(name) or {}
            for key, value in output.items():
                self._value(value, mine.get(key, _NOTHING), f"{place}/outputs/{name}/{key}")
            self._extra(output, mine, f"{place}/outputs/{name}")
        self._extra(theirs["outputs"], found, f"{place}/outputs")

    # ---- resources

    def _resources(self, theirs, ours, place, sequence_known):
        """Compares the resources; returns the stacks below them."""
        found = (ours or {}).get("resources") or {}
        children = []
        if theirs.get("resources") is None:
            self._value(None, ours.get("resources") if ours else _NOTHING, f"{place}/resources")
            return children
        self._value(theirs.get("disabled_resources"), (ours or {}).get("disabled_resources", _NOTHING), f"{place}/disabled_resources")
        self._extra(theirs["resources"], found, f"{place}/resources")
        for name, entry in theirs["resources"].items():
            here = f"{place}/{name}"
            mine = found.get(name)
            mine = mine if isinstance(mine, dict) else {}
            self._properties(entry, mine, here)
            for key in RESOURCE_KEYS:
                if key in ("depends_on", "requires") and not sequence_known:
                    self.apart["dependencies in a concurrent chain, which follow the number of engines"] += 1
                elif key in entry or key in mine:
                    self._value(entry.get(key, _NOTHING), mine.get(key, _NOTHING), f"{here}/{key}")
            wrong, mine_wrong = entry.get("function_errors", []), mine.get("function_errors", [])
            self._value(len(wrong), len(mine_wrong) if mine else _NOTHING, f"{here}/function_errors, how many")
            for one, other in zip(wrong, mine_wrong):
                self._error_text(one, other)
            self._extra({*entry, *RESOURCE_KEYS, "function_errors", "nested", "properties"}, mine, here)
            self._child(entry, mine, here, children)
        return children

    def _properties(self, entry, mine, here):
        given, found = entry["properties"], mine.get("properties", _NOTHING)
        if not isinstance(given, dict) or any(key.startswith("$") for key in given) or not isinstance(found, dict):
            if given or found is _NOTHING:
                self._value(given, found, f"{here}/properties")
            return
        for name, value in given.items():
            self._value(value, found.get(name, _NOTHING), f"{here}/properties/{name}")
        self._extra(given, found, f"{here}/properties")

    def _child(self, entry, mine, here, children):
        child = entry.get("nested")
        nested = mine.get("nested", _NOTHING)
        if child is None:
            if nested is not _NOTHING:
                self.differences.append(f"{here}/nested: a stack that Heat does not make")
            return
        if isinstance(child, dict) and "$error" in child:
            made = isinstance(nested, dict) and "resources" in nested
            self.apart["nested stacks that Heat cannot make of placeholders" + (", made by hotplate" if made else "")] += 1
            return
        kind = entry["type"]
        if kind == CHAIN and entry["properties"].get("concurrent") in (None, False):
            kind = ""
        children.append((str(child), nested, here, kind))

    # ---- values

    def _value(self, theirs, ours, place):
        self.values += 1
        if isinstance(theirs, dict):
            if "$same" in theirs:
                key = theirs["$same"]
                if key not in self._texts:
                    self._texts[key] = _text(self._values[key])
                well = ours is not _NOTHING and self._texts[key] == _text(ours)
                return self._count(well, self._values[key], ours, place)
            if "$error" in theirs:
                if theirs["$error"].get("offline"):
                    self.values -= 1
                    self.apart["values that need a service"] += 1
                    return None
                well = isinstance(ours, dict) and "$error" in ours
                if well:
                    self._error_text(theirs["$error"], ours["$error"])
                return self._count(well, theirs, ours, place)
        return self._count(ours is not _NOTHING and _text(theirs) == _text(ours), theirs, ours, place)

    def _count(self, well, theirs, ours, place):
        if well:
            self.equal += 1
        else:
            self.differences.append(f"{place}: Heat {_short(theirs)}, hotplate {_short(ours)}")

    def _error_text(self, theirs, ours):
        self.errors["all"] += 1
        ours = ours if isinstance(ours, dict) else {}
        self.errors["type"] += theirs["type"] == ours.get("type")
        self.errors["message"] += theirs["message"] == ours.get("message")

    def _extra(self, theirs, ours, place):
        """Names that only hotplate has."""
        more = [name for name in ours if name not in theirs]
        if more:
            self.differences.append(f"{place}: only hotplate has {more[:5]}")


_NOTHING = object()


def _text(value):
    # The order of a map's keys is nobody's promise; 1, 1.0 and true are told apart.
    return json.dumps(value, sort_keys=True)


def _short(value):
    return "nothing" if value is _NOTHING else json.dumps(value)[:SHOWN]
