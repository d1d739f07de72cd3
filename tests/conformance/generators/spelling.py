"""Writes a template in one of many YAML spellings. Every text is read back before it is used.

The spellings are what people write and what trips byte-exact editing: flow and block
mixed, JSON, quoted keys, comments in every place that may hold one, flow collections over
several lines, anchors, explicit keys, tags, CRLF, BOM.
"""

import dataclasses
import json

import yaml


class HeatLoader(yaml.CSafeLoader):
    """PyYAML as Heat configures it: text and timestamps stay text."""


for _tag in ("str", "timestamp"):
    HeatLoader.add_constructor(f"tag:yaml.org,2002:{_tag}", lambda loader, node: loader.construct_scalar(node))

_RESOLVER = yaml.resolver.Resolver()
_TEXT_TAGS = ("tag:yaml.org,2002:str", "tag:yaml.org,2002:timestamp")
_START = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$<./é")


@dataclasses.dataclass(frozen=True)
class Style:
    """How a template is spelled; the numbers are chances from 0 to 1."""

    name: str
    flow: float = 0.0
    breaks: float = 0.0
    quoted_keys: float = 0.0
    quoted: float = 0.0
    comments: float = 0.0
    anchors: float = 0.0
    explicit: float = 0.0
    tags: float = 0.0
    odd: float = 0.0
    step: int = 2
    hanging: bool = True
    json: bool = False
    newline: str = "\n"
    bom: bool = False
    final_newline: bool = True


STYLES = [
    Style("block"),
    Style("flow", flow=1.0),
    Style("mixed", flow=0.4, quoted=0.2),
    Style("json", json=True),
    Style("quoted keys", flow=0.4, quoted_keys=0.7, quoted=0.6),
    Style("comments", comments=0.5),
    Style("comments in flow", flow=0.8, breaks=0.8, comments=0.5),
    Style("anchors", flow=0.3, anchors=0.4),
    Style("explicit keys", explicit=0.3, comments=0.1, odd=0.2),
    Style("tags and odd scalars", flow=0.3, tags=0.2, odd=0.6),
    Style("wide", step=4, flow=0.2, breaks=0.5, comments=0.2),
    Style("flush lists", hanging=False, flow=0.2, comments=0.1),
    Style("CRLF", flow=0.3, breaks=0.3, comments=0.2, newline="\r\n"),
    Style("BOM", flow=0.3, bom=True, quoted=0.3, final_newline=False),
]


def same(a, b):
    """Equality that tells 1 from 1.0 and from true, and looks at the order of keys."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(x, b[k]) for k, x in a.items())
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b


class Spelling:
    """One template being written."""

    def __init__(self, style, pick):
        self.style = style
        self.pick = pick
        self.lines = []
        self.comments = 0
        self.anchors = {}
        self.free = False

    def document(self, tree):
        """The template as bytes. Sections whose values carry expressions are spelled freely."""
        if self.style.json:
            text = json.dumps(tree, indent=self.pick.choice([None, 2, 4]), ensure_ascii=self.pick.random() < 0.5)
        else:
            for key, value in tree.items():
                self.free = key in ("resources", "outputs", "conditions", "parameters")
                self.lines += self._entry(self._key(key), value, 0)
            text = "\n".join(self.lines)
        loaded = yaml.load(text, Loader=HeatLoader)
        if self.style.final_newline or not same(loaded, tree):
            # Without it, a block scalar at the very end loses its own last line break.
            text += "\n"
            loaded = yaml.load(text, Loader=HeatLoader)
        if not same(loaded, tree):
            raise AssertionError(f"the generator spelled something else ({self.style.name}):\n{text}\n{tree}\n{loaded}")
        text = text.replace("\n", self.style.newline)
        return (b"\xef\xbb\xbf" if self.style.bom else b"") + text.encode("utf-8")

    def _chance(self, share):
        return share > 0 and self.pick.random() < share

    def _comment(self):
        self.comments += 1
        return f"# note {self.comments}" + self.pick.choice(["", ": {x}", " 'quoted", " [", " &a *b"])

    def _trailing(self):
        return "  " + self._comment() if self._chance(self.style.comments) else ""

    def _property(self, node):
        """An anchor or tag before a node; or the alias that stands for it."""
        if not self.free:
            return "", None
        if self.style.anchors and (isinstance(node, (dict, list)) and node or isinstance(node, str)):
            known = self.anchors.get(repr(node))
            if known and self._chance(0.8):
                return "", "*" + known
            if self._chance(self.style.anchors) and not known:
                name = f"a{len(self.anchors) + 1}"
                self.anchors[repr(node)] = name
                return " &" + name, None
        if self._chance(self.style.tags):
            tag = {dict: " !!map", list: " !!seq", str: " !!str"}.get(type(node), "")
            return tag, None
        return "", None

    # ---- block style: every function gives whole lines

    def _entry(self, key, value, indent):
        """The lines of `key: value`."""
        lead = " " * indent
        lines = []
        if self.free and self._chance(self.style.comments / 2):
            lines.append(lead + self._comment())
        if self.free and indent and self._chance(self.style.explicit):
            lines.append(f"{lead}? {key}{self._trailing()}")
            return lines + self._after(lead + ":", value, indent)
        return lines + self._after(f"{lead}{key}:", value, indent)

    def _after(self, head, value, indent):
        """The lines of a value whose key (or `-`) is already written."""
        props, alias = self._property(value)
        if alias:
            return [f"{head} {alias}{self._trailing()}"]
        if isinstance(value, str) and "\n" in value and self._literal_fits(value) and not self._chance(self.style.flow):
            header = "|" if value.endswith("\n") else "|-"
            body = [" " * (indent + self.style.step) + line if line else "" for line in value.removesuffix("\n").split("\n")]
            return [f"{head}{props} {header}{self._trailing()}", *body]
        if not isinstance(value, (dict, list)) or not value:
            text = self._scalar(value, flow=False)
            return [(f"{head}{props} {text}" if text else head + props) + self._trailing()]
        if self.free and self._chance(self.style.flow):
            lines = self._flow(value, indent + self.style.step).split("\n")
            lines[0] = f"{head}{props} {lines[0]}"
            lines[-1] += self._trailing()
            return lines
        deeper = indent if isinstance(value, list) and not self.style.hanging and not head.endswith("-") else indent + self.style.step
        return [head + props + self._trailing(), *self._block(value, deeper)]

    def _block(self, value, indent):
        if isinstance(value, dict):
            return [line for key, item in value.items() for line in self._entry(self._key(key), item, indent)]
        lines = []
        for item in value:
            head = " " * indent + "-"
            if isinstance(item, (dict, list)) and item and not self._chance(max(self.style.flow, 0.3)) and not self.style.anchors:
                # The compact form: the first line of the item beside its dash.
                inner = self._block(item, indent + 2)
                if not inner[0].lstrip().startswith("#"):
                    lines += [f"{head} {inner[0].lstrip()}", *inner[1:]]
                    continue
                lines += [head, *inner]
                continue
            lines += self._after(head, item, indent)
        return lines

    # ---- flow style

    def _flow(self, value, indent):
        """A flow collection; its later lines are indented by `indent`."""
        if not isinstance(value, (dict, list)):
            return self._scalar(value, flow=True)
        opening, closing = "{}" if isinstance(value, dict) else "[]"
        parts = []
        for item in value.items() if isinstance(value, dict) else value:
            if isinstance(value, dict):
                key, item = item
                head = self._key(key, flow=True) + ":"
                props, alias = self._property(item)
                parts.append(f"{head}{props} {alias or self._flow(item, indent + self.style.step)}")
            else:
                props, alias = self._property(item)
                parts.append(f"{props.lstrip() + ' ' if props else ''}{alias or self._flow(item, indent + self.style.step)}")
        if parts and self._chance(self.style.breaks):
            lead = "\n" + " " * indent
            inner = "".join(lead + part + ("," if n + 1 < len(parts) else "") + self._trailing() for n, part in enumerate(parts))
            return opening + self._trailing() + inner + lead + closing
        gap = " " if parts and self._chance(self.style.odd) else ""
        return opening + gap + ", ".join(parts) + gap + closing

    # ---- scalars

    def _key(self, key, flow=False):
        if isinstance(key, str) and (self.free and self._chance(self.style.quoted_keys) or not self._plain_fits(key, flow)):
            return self._quoted(key)
        return self._scalar(key, flow) if not isinstance(key, str) else key

    def _scalar(self, value, flow):
        if isinstance(value, (dict, list)):
            return "{}" if isinstance(value, dict) else "[]"
        odd = self.free and self._chance(self.style.odd)
        if value is None:
            return self.pick.choice(["null", "~", "Null"] + ([] if flow else [""])) if odd else "null"
        if isinstance(value, bool):
            words = ["true", "True", "yes", "On"] if value else ["false", "FALSE", "no", "off"]
            return self.pick.choice(words) if odd else words[0]
        if isinstance(value, int):
            return self.pick.choice([f"0x{value:x}", f"0{value:o}", f"+{value}", f"0b{value:b}"]) if odd and value > 0 else str(value)
        if isinstance(value, float):
            return repr(value)
        if self._plain_fits(value, flow) and not self._chance(self.style.quoted):
            return value
        return self._quoted(value)

    def _quoted(self, value):
        if "\n" not in value and value.isprintable() and self.pick.random() < 0.5:
            return "'" + value.replace("'", "''") + "'"
        return json.dumps(value, ensure_ascii=self.pick.random() < 0.5)

    @staticmethod
    def _plain_fits(value, flow):
        if not value or value[0] not in _START or value != value.strip() or not value.isprintable() or value.endswith(":"):
            return False
        if ": " in value or " #" in value or flow and set(value) & set(",[]{}?:"):
            return False
        return _RESOLVER.resolve(yaml.ScalarNode, value, (True, False)) in _TEXT_TAGS

    @staticmethod
    def _literal_fits(value):
        body = value.removesuffix("\n").split("\n")
        return all(line.isprintable() for line in body) and bool(body[0].strip()) and body[0][0] != " " and bool(body[-1])
