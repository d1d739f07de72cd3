"""What two answers of the judge have in common, and where in the text a difference stands."""

import json

import yaml

from generators import spelling
from judges import audit

_BROKEN = ("$error", "$unresolved")


def works(value):
    """Whether a value was computed, without an error anywhere in it."""
    if isinstance(value, dict):
        return not any(key in value for key in _BROKEN) and all(map(works, value.values()))
    return all(map(works, value)) if isinstance(value, list) else True


def leaves(answer, despite_errors=False):
    """Everything that a `resolve` found, by path. Only what works is there.

    An error in a parameter or a section means that nothing of the stack would ever exist, so
    that nothing is found, unless the errors come from the values that the judge made up.
    """
    found = {}

    def put(path, value):
        if works(value):
            found[path] = value

    if answer.get("errors") and not despite_errors:
        return found
    for name, value in answer.get("parameters", {}).items():
        put(("parameters", name), value)
    for name, value in answer.get("conditions", {}).items():
        put(("conditions", name), value)
    for name, resource in (answer.get("resources") or {}).items():
        errors = resource.get("function_errors", ())
        if errors and not despite_errors:
            continue
        for key, value in resource.items():
            if key == "properties" and isinstance(value, dict):
                for prop, item in value.items():
                    put(("resources", name, "properties", prop), item)
            elif key not in ("requires", "function_errors"):
                put(("resources", name, key), value)
        put(("resources", name, "number of bad calls"), len(errors))
    for name in answer.get("disabled_resources") or ():
        put(("resources", name), "disabled")
    for name, output in (answer.get("outputs") or {}).items():
        if output["enabled"] is True:
            put(("outputs", name, "value"), output["value"])
        else:
            put(("outputs", name), {"enabled": output["enabled"]})
        put(("outputs", name, "description"), output.get("description"))
    return found


def requires(answer):
    """Resource -> what must exist before it."""
    return {name: resource.get("requires") for name, resource in (answer.get("resources") or {}).items()}


def _text(value):
    return json.dumps(value, sort_keys=True)


def _is_same(one, other):
    """Whether two values are the same as JSON; most are written alike, which is seen sooner."""
    return repr(one) == repr(other) or _text(one) == _text(other)


def differences(before, after, despite_errors=False):
    """Paths that worked before and have another value, or none, after; with both values."""
    then, now = leaves(before, despite_errors), leaves(after, despite_errors)
    return {path: (value, now.get(path, after.get("errors") or "nothing"))
            for path, value in then.items() if path not in now or not _is_same(now[path], value)}


def trial_differences(before, after):
    """Differences over all worlds: (world, path) -> values. And whether Heat still accepts the template."""
    found = {}
    if not before["ok"]:
        return found
    if not after["ok"]:
        return {(None, ()): ("a template", after["errors"])}
    for world, (a, b) in enumerate(zip(before["worlds"], after["worlds"])):
        for path, values in differences(a, b).items():
            found[world, path] = values
    if before["valid"] and not after["valid"]:
        found[None, ()] = ("valid", after["validation"])
    return found


def unlike(before, after):
    """Whether two answers differ in anything at all, errors included: what confirms that a block is due."""
    return not _is_same({**before, "version": None}, {**after, "version": None})


def unlike_trials(before, after):
    """The same for trials."""
    return before["valid"] != after.get("valid") or any(map(unlike, before["worlds"], after.get("worlds", ())))


def worked(before):
    """Whether anything of a trial worked: without that, an upgrade has nothing to keep."""
    return before["ok"] and any(not world.get("errors") for world in before["worlds"])


def whole(before):
    """Whether everything of a trial worked, in one world at least."""
    return worked(before) and any(not world.get("errors") and works(world) for world in before["worlds"])


def undeclared(text, entry, found):
    """The differences that no conditional rewrite of the report explains by standing in their place."""
    if not found:
        return []
    spans = [audit.span(item) for item in entry["rewrites"] if item["effect"] == "conditional"]
    if not spans:
        return list(found.items())
    places = Text(text)
    left = []
    for key, values in found.items():
        path = key[1]
        if path[:1] == ("resources",) and values[1] == "nothing":
            # A value that fails takes the whole resource with it.
            path = path[:2]
        explained = path and path[0] != "parameters" and any(a < end and start < b for start, end in places.spans(path) for a, b in spans)
        if not explained:
            left.append((key, values))
    return left


class Text:
    """A template's text, asked for the bytes where a path of an answer was written."""

    def __init__(self, raw):
        bom = 3 if raw.startswith(b"\xef\xbb\xbf") else 0
        self._text = raw[bom:].decode("utf-8")
        self._shift = bom
        self._plain = self._text.isascii()
        self._root = yaml.compose(self._text, Loader=spelling.HeatLoader)

    def _byte(self, index):
        return self._shift + (index if self._plain else len(self._text[:index].encode("utf-8")))

    def spans(self, path):
        """(start, end) in bytes of the node at a path, or of the deepest one above it that exists;
        and of what aliases in it stand for."""
        node = self._root
        for key in path:
            child = self._child(node, key)
            if child is None:
                break
            node = child
        found, seen = [], set()
        self._reach(node, found, seen)
        return [(self._byte(start), self._byte(end)) for start, end in found]

    def _reach(self, node, found, seen):
        """Adds the places of everything that belongs to a node and does not stand within it."""
        if id(node) in seen:
            return
        seen.add(id(node))
        start, end = node.start_mark.index, node.end_mark.index
        if not any(first <= start and end <= last for first, last in found):
            found.append((start, end))
        if isinstance(node, yaml.ScalarNode):
            return
        for child in node.value:
            for part in child if isinstance(child, tuple) else (child,):
                self._reach(part, found, seen)

    def version_span(self):
        """The span of the version's value: the last one, where the key stands twice."""
        node = self._child(self._root, "heat_template_version")
        return self._byte(node.start_mark.index), self._byte(node.end_mark.index)

    def _child(self, node, key):
        if not isinstance(node, yaml.MappingNode):
            return None
        found = None
        for name, value in node.value:
            if name.value == key:
                found = value
        if found is not None:
            return found
        for name, value in node.value:
            if name.value == "<<":
                for base in value.value if isinstance(value, yaml.SequenceNode) else [value]:
                    found = found or self._child(base, key)
        return found


def bare_bump(raw, version):
    """The text with nothing but another version in it."""
    start, end = Text(raw).version_span()
    old = raw[start:end].decode("utf-8")
    quote = old[0] if old[0] in "'\"" else ""
    return raw[:start] + (quote + version + quote).encode() + raw[end:]
