"""What a report claims about bytes, checked against the bytes."""

import collections

import yaml

from generators import spelling


def outer_spans(entry):
    """The rewrites of a report's file that lie in no other, in the order of the text."""
    rewrites = sorted(entry.get("rewrites", ()), key=lambda r: (span(r)[0], -span(r)[1]))
    outer = []
    for rewrite in rewrites:
        if outer and span(rewrite)[1] <= span(outer[-1])[1] and span(rewrite)[0] < span(outer[-1])[1]:
            continue
        outer.append(rewrite)
    return outer


def span(item):
    """The first byte of what a report points at, and the one after the last."""
    return item["place"]["start"]["byte"], item["place"]["end"]["byte"]


def problems(before, after, entry):
    """Everything that is wrong with one changed file, as short texts."""
    found = []
    outer = outer_spans(entry)
    place = 0
    kept = []
    for rewrite in outer:
        start, end = span(rewrite)
        if not place <= start <= end <= len(before):
            return [f"span: {rewrite['rule']} at {start}..{end} overlaps or lies outside"]
        kept.append(before[place:start])
        place = end
    kept.append(before[place:])
    rest = 0
    for number, piece in enumerate(kept):
        at = 0 if number == 0 else after.find(piece, rest)
        if number + 1 == len(kept):
            at = len(after) - len(piece)
        if at < rest or after[at:at + len(piece)] != piece:
            found.append(f"outside: bytes before {place} that no rewrite names were changed: {piece[:60]!r}")
            break
        rest = at + len(piece)
    for rewrite in entry.get("rewrites", ()):
        start, end = span(rewrite)
        if before[start:end].decode("utf-8", "replace") != rewrite["old"]:
            found.append(f"old: {rewrite['rule']} claims {rewrite['old'][:60]!r}, there is {before[start:end][:60]!r}")
    claimed = b"".join(piece + (outer[n]["new"].encode() if n < len(outer) else b"") for n, piece in enumerate(kept))
    if claimed != after:
        found.append("new: the reported texts do not give the file that was written")
    line_starts = [0] + [n + 1 for n, byte in enumerate(before) if byte == 10]
    for rewrite in outer:
        start = rewrite["place"]["start"]
        line = sum(1 for first in line_starts if first <= start["byte"])
        if start["line"] != line:
            found.append(f"line: {rewrite['rule']} says line {start['line']}, it is {line}")
            break
    # The tags of a Jinja2 template are no YAML; what is outside of them is judged byte by byte above.
    is_jinja = any(finding["code"] == "HP0408" for finding in entry["diagnostics"])
    lost = not is_jinja and collections.Counter(comments(before)) - collections.Counter(comments(after))
    if lost:
        found.append(f"comments: lost {list(lost)[:3]}")
    return found


def comments(raw):
    """The comments of a YAML text: what stands after `#` between two tokens of PyYAML's scanner."""
    if b"#" not in raw:
        return []
    text = raw.decode("utf-8-sig")
    found = []
    place = 0
    for token in yaml.scan(text, Loader=spelling.HeatLoader):
        start, end = token.start_mark.index, token.end_mark.index
        _collect(text[place:start], found)
        if isinstance(token, yaml.ScalarToken) and token.style in ("|", ">"):
            # The comment of a block scalar's header line belongs to no other gap.
            header = text[start:end].split("\n", 1)[0]
            if "#" in header:
                found.append(header[header.index("#"):].strip())
        place = max(place, end)
    _collect(text[place:], found)
    return found


def _collect(gap, found):
    for line in gap.split("\n"):
        if "#" in line:
            found.append(line[line.index("#"):].strip())
