"""Where Heat's message says that a template is wrong, as lines of the text."""

import re

import yaml

_QUOTED = (
    r'The Resource Type \(([^)]*)\)', r'The specified reference "([^"]*)"', r'The Referenced Attribute \(\S+ ([^)]*)\)', r"Unknown Property (\S+)",
    r"The Parameter \(([^)]*)\)", r"Parameter '([^']*)'", r'Invalid condition "([^"]*)"', r'condition "([^"]*)"', r"section is invalid: (\S+)", r"Invalid key '([^']*)'",
    r"Resource (\S+) ", r'"([^"]*)" is not a valid keyword', r"keyword\(s\) inside a \S+ definition: (\S+)", r"Could not fetch contents for \S*?([^/\s]+)$", r"Failed to retrieve template data: \S*?([^/\s]+)$",
    r"named '([^']*)'", r"Resources \S+ and \S+ .*?'([^']*)'", r'Property (\S+) not assigned',
    r"template version \(?\"?([^\")\s]+)", r'Unknown key\(s\) ([^\s,]+)', r'Value "([^"]*)":',
)
_FILE = re.compile(r"<(file:[^>]*|https?:[^>]*)>")


class Place:
    """A file (None for the template itself) with the lines that the message may mean."""

    def __init__(self, file, lines):
        self.file = file
        self.lines = lines

    def has(self, line):
        """Whether a line is one of them."""
        return line in self.lines


def of(refusal, text, read=lambda url: None):
    """The place in a refusal; None if the message has none. `read` gives the text of another file."""
    path = [str(step) for step in refusal.get("path") or ()]
    if len(path) == 1 and "." in path[0]:
        path = re.sub(r"\[(\d+)\]", r".\1", path[0]).split(".")
    message = refusal.get("message", "")
    file = None
    for at, step in enumerate(path):
        nested = _FILE.search(step)
        if nested:
            inner = read(nested.group(1))
            if inner is None:
                path = [*path[:at], step.split("<")[0]]
                break
            file, text, path = nested.group(1), inner, path[at + 1:]
            return _named(file, text, path, message)
    return _named(file, text, path, message)


def in_environment(refusal, text):
    """The place in an environment whose value the refusal is about; None if it is not about one."""
    return None if refusal.get("path") else _named(None, text, [], refusal.get("message", ""))


def _named(file, text, path, message):
    if path and "not assigned" in message and path[-1] in ("properties", "Properties"):
        path = path[:-1]
    if path:
        lines = lines_at(text, [step.split("<")[0] for step in path])
        # What is missing or unknown may stand anywhere in the map that the path leads to.
        return Place(file, lines) if lines else None
    if "Circular Dependency" in message:
        names = re.findall(r'"([^"]*)"', message)
        lines = set().union(*(lines_at(text, [section, name]) for name in names for section in ("resources", "Resources")))
        return Place(file, lines) if lines else None
    parsing = re.search(r"line (\d+), column", message.split("found", 1)[-1]) or re.search(r"line (\d+), column", message)
    if "Error parsing template" in message or "rror parsing" in message:
        if parsing:
            wrong = [int(it) for it in re.findall(r"line (\d+), column", message)]
            return Place(file, set(range(min(wrong) - 1, max(wrong) + 2)))
        return None
    for pattern in _QUOTED:
        found = re.search(pattern, message)
        if found and found.group(1):
            if "Parameter '" in pattern and (declared := lines_at(text, ["parameters", found.group(1)])):
                return Place(file, declared | {number for number, line in enumerate(text.splitlines(), 1) if found.group(1) in line})
            lines = {number for number, line in enumerate(text.splitlines(), 1) if found.group(1) in line}
            if lines:
                # A call begins on the line before, if its argument has a line of its own.
                return Place(file, lines | {number - 1 for number in lines})
    return None


def lines_at(text, path):
    """The lines of the key and the value that a path leads to, as far as it goes; empty if nothing of it is there."""
    try:
        node = yaml.compose(text, Loader=yaml.CSafeLoader)
    except yaml.YAMLError:
        return set()
    start = end = None
    for step in path:
        if isinstance(node, yaml.MappingNode):
            pair = next((pair for pair in node.value if pair[0].value == step), None)
            if pair is None:
                break
            start, node = pair[0].start_mark.line, pair[1]
        elif isinstance(node, yaml.SequenceNode) and step.isdigit() and int(step) < len(node.value):
            node = node.value[int(step)]
            start = node.start_mark.line
        else:
            break
        end = node.end_mark.line
        if node.end_mark.column == 0 and end > node.start_mark.line:
            end -= 1
    if start is None:
        return set()
    # The end of a block is the start of the next one.
    return set(range(start + 1, max(end, start) + 2))
