#!/usr/bin/env python3
"""Draws the pictures of README.md and of the pages: `docs/images/NAME-light.*` and `NAME-dark.*`.

    tools/pictures.py            writes the pictures
    tools/pictures.py --check    writes nothing, lists the pictures that are stale, and exits with 1 if there are any

Each picture of a terminal is a real run of hotplate on the examples, in a terminal of its own (a pty), drawn as SVG: the same
output gives the same bytes. The picture of the page of `diff --format html` is a photo by a headless Chromium; it contains the digest of
the page, by which `--check` knows whether it is stale. HOTPLATE_BIN names the binary (target/debug/hotplate).
"""

import argparse
import collections
import fcntl
import hashlib
import html
import os
import pathlib
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
BINARY = pathlib.Path(os.environ.get("HOTPLATE_BIN", pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "debug" / "hotplate")).absolute()

# The folder below examples/ that a command runs in, and its arguments.
SESSIONS = {
    "diff": ("web-application", "diff --git HEAD -e env/production.yaml stack.yaml"),
    "check": ("mistakes", "check stack.yaml"),
    "upgrade": ("old-blog", "upgrade --diff stack.yaml"),
}
PAGE = ("web-application", "diff --git HEAD -e env/production.yaml --format html stack.yaml")
CHANGE = "rotate-key.patch"

COLUMNS = 116
# Sizes in pixels: of a character, of a line, around the text.
CELL, LINE, MARGIN, SIZE = 8.4, 19, 18, 14
WINDOW = (1280, 1268)
FONTS = "ui-monospace,SFMono-Regular,Menlo,Consolas,&quot;DejaVu Sans Mono&quot;,&quot;Liberation Mono&quot;,monospace"
PALETTES = {
    "light": {"back": "#ffffff", "edge": "#d0d7de", "text": "#1f2328", "dim": "#59636e", "red": "#b3202a", "green": "#116329",
              "yellow": "#7d4e00", "blue": "#0550ae", "magenta": "#6639ba", "cyan": "#0a5f73"},
    "dark": {"back": "#0d1117", "edge": "#3d444d", "text": "#e6edf3", "dim": "#9198a1", "red": "#ff7b72", "green": "#7ee787",
             "yellow": "#e3b341", "blue": "#79c0ff", "magenta": "#d2a8ff", "cyan": "#76d9e6"},
}
COLORS = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
SIGNATURE = b"\x89PNG\r\n\x1a\n"
ESCAPE = re.compile(r"\x1b\[([0-9;]*)m")


def main():
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--check", action="store_true", help="write nothing, list the stale pictures")
    check = parser.parse_args().check
    if not BINARY.is_file():
        sys.exit(f"pictures: {BINARY} is missing: run `cargo build`, or set HOTPLATE_BIN")
    stale = []
    with tempfile.TemporaryDirectory() as scratch:
        examples = _examples(pathlib.Path(scratch))
        for name, text in _drawn(examples).items():
            file = IMAGES / name
            if file.is_file() and file.read_text(encoding="utf-8") == text:
                continue
            stale.append(name)
            if not check:
                IMAGES.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")
        page = _run(examples / PAGE[0], PAGE[1], terminal=False)
        digest = hashlib.sha256(f"{WINDOW}\n{page}".encode()).hexdigest()
        for look in PALETTES:
            file = IMAGES / f"page-{look}.png"
            if not file.is_file() or _remark(file.read_bytes()) != digest:
                stale.append(file.name)
                if not check:
                    _photo(page, digest, file, look, pathlib.Path(scratch))
    for name in stale:
        print(f"{'stale' if check else 'wrote'}: docs/images/{name}")
    if check and stale:
        sys.exit("pictures: `tools/pictures.py` draws them again")


def _examples(scratch):
    """A copy of the examples in a repository with one commit, with the change applied to the working tree."""
    folder = scratch / "examples"
    shutil.copytree(ROOT / "examples", folder)
    who = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER")
           for what, value in (("NAME", "example"), ("EMAIL", "example@example.com"), ("DATE", "2026-01-01T00:00:00Z"))}
    quiet = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "HOME": str(scratch)}
    for arguments in ("init --quiet --initial-branch main", "add examples/web-application", "commit --quiet --message stack", f"apply examples/{CHANGE}"):
        subprocess.run(["git", *arguments.split()], cwd=scratch, check=True, env={"PATH": os.environ["PATH"], **quiet, **who})
    return folder


def _run(folder, arguments, terminal=True):
    """What hotplate prints: into a terminal, with its colors, or into a pipe."""
    command = [str(BINARY), *arguments.split()]
    environment = {"PATH": os.environ["PATH"], "TERM": "xterm-256color", "COLORTERM": "truecolor", "LC_ALL": "C.UTF-8", "HOME": str(folder)}
    if not terminal:
        return subprocess.run(command, cwd=folder, env=environment, check=False, stdout=subprocess.PIPE).stdout.decode()
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
    with subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=follower, stderr=follower):
        os.close(follower)
        output = b""
        while part := _read(leader):
            output += part
    os.close(leader)
    return output.decode().replace("\r\n", "\n")


def _read(leader):
    """The next output; nothing when the program has ended, which Linux reports as an error."""
    try:
        return os.read(leader, 1 << 16)
    except OSError:
        return b""


def _drawn(examples):
    """Every picture of a terminal: its name and its text."""
    drawn = {}
    for name, (folder, arguments) in SESSIONS.items():
        lines = [[("bold", None, f"$ hotplate {arguments}")], *_lines(_run(examples / folder, arguments))]
        for look, palette in PALETTES.items():
            drawn[f"{name}-{look}.svg"] = _svg(lines, palette, f"hotplate {arguments}")
    return drawn


def _lines(output):
    """The lines of a terminal's output; each consists of runs: weight, color, text."""
    lines, line, styles = [], [], {}
    for at, piece in enumerate(ESCAPE.split(output.rstrip("\n"))):
        if at % 2:
            styles = _styled(styles, piece)
            continue
        if "\x1b" in piece:
            sys.exit(f"pictures: an escape sequence that is not a color: {piece!r}")
        for number, text in enumerate(piece.split("\n")):
            if number:
                lines.append(line)
                line = []
            if text:
                line.append(("bold" if "bold" in styles else None, styles.get("color") or ("dim" if "dim" in styles else None), text))
    return [*lines, line]


def _styled(styles, codes):
    """The styles after an escape sequence."""
    styles = dict(styles)
    for code in map(int, codes.split(";") if codes else ["0"]):
        if code == 0:
            styles = {}
        elif code == 1:
            styles["bold"] = True
        elif code == 2:
            styles["dim"] = True
        elif 30 <= code < 38 or 90 <= code < 98:
            styles["color"] = COLORS[code % 10]
        elif code not in (4, 22, 24, 39):
            sys.exit(f"pictures: unknown style {code}")
    return styles


def _svg(lines, palette, title):
    """The picture. Each run has its place and length, so that it stands right in every font."""
    columns = max(sum(len(text) for _, _, text in line) for line in lines)
    width, height = round(columns * CELL + 2 * MARGIN), len(lines) * LINE + 2 * MARGIN
    classes = "".join(f".{name}{{fill:{palette[name]}}}" for name in palette if name not in ("back", "edge", "text"))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img">',
        f"<title>{html.escape(title)}</title>",
        f"<style>text{{white-space:pre;fill:{palette['text']}}}.bold{{font-weight:bold}}{classes}</style>",
        f'<rect x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="8" fill="{palette["back"]}" stroke="{palette["edge"]}"/>',
        f'<g font-family="{FONTS}" font-size="{SIZE}">',
    ]
    for row, line in enumerate(lines):
        column = 0
        for weight, color, text in line:
            shown = text.strip(" ")
            if shown:
                x = MARGIN + (column + len(text) - len(text.lstrip(" "))) * CELL
                y = MARGIN + row * LINE + SIZE
                names = " ".join(filter(None, (weight, color)))
                look = f' class="{names}"' if names else ""
                parts.append(f'<text x="{x:.1f}" y="{y}" textLength="{len(shown) * CELL:.1f}"{look}>{html.escape(shown, quote=False)}</text>')
            column += len(text)
    return "\n".join([*parts, "</g>", "</svg>"]) + "\n"


def _photo(page, digest, file, look, scratch):
    """Lets a browser draw the page, and adds the digest."""
    sys.path.insert(0, str(ROOT / "tests" / "conformance"))
    from judges import browser
    path = browser.find()
    if not path:
        sys.exit("pictures: the page needs a browser: install chromium, or set HOTPLATE_BROWSER")
    (scratch / "page.html").write_text(page, encoding="utf-8")
    with browser.Browser(path, scratch / look) as window:
        window.call("Emulation.setScrollbarsHidden", hidden=True)
        window.open((scratch / "page.html").as_uri(), *WINDOW, dark=look == "dark")
        window.screenshot(file)
    file.write_bytes(_reduced(file.read_bytes(), digest))


def _reduced(data, digest):
    """A PNG of a browser with the 256 most frequent colors, which takes a third of the bytes, and the digest."""
    width, height, pixels = _pixels(data)
    colors = [pixels[at:at + 3] for at in range(0, len(pixels), 3)]
    counted = collections.Counter(colors)
    palette = [color for color, _ in sorted(counted.items(), key=lambda it: (-it[1], it[0]))[:256]]
    nearest = {color: min(range(len(palette)), key=lambda at: sum((one - other) ** 2 for one, other in zip(color, palette[at]))) for color in counted}
    indices = bytes(map(nearest.__getitem__, colors))
    rows = b"".join(b"\0" + indices[at:at + width] for at in range(0, len(indices), width))
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)), (b"PLTE", b"".join(palette)),
              (b"IDAT", zlib.compress(rows, 9)), (b"tEXt", b"page\0" + digest.encode()), (b"IEND", b"")]
    packed = (struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content)) for kind, content in chunks)
    return SIGNATURE + b"".join(packed)


def _pixels(data):
    """The width, the height, and the red, green and blue bytes of a PNG with eight bits for each, as a browser writes it."""
    chunks, at = collections.defaultdict(bytes), len(SIGNATURE)
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        chunks[kind] += data[at + 8:at + 8 + length]
        at += length + 12
    width, height, depth, color = struct.unpack(">IIBB", chunks[b"IHDR"][:10])
    if depth != 8 or color not in (2, 6):
        sys.exit(f"pictures: a PNG of another kind: {depth} bits, color type {color}")
    size = {2: 3, 6: 4}[color]
    stride = width * size
    rows, before, pixels = zlib.decompress(chunks[b"IDAT"]), bytearray(stride), bytearray()
    for start in range(0, height * (stride + 1), stride + 1):
        row = bytearray(rows[start + 1:start + 1 + stride])
        _unfilter(rows[start], row, before, size)
        before = row
        pixels += row if size == 3 else bytes(byte for at, byte in enumerate(row) if at % 4 < 3)
    return width, height, bytes(pixels)


def _unfilter(kind, row, before, size):
    """Turns a row's differences into its bytes (PNG, 9.2)."""
    for at in range(len(row)):
        left, corner = (row[at - size], before[at - size]) if at >= size else (0, 0)
        row[at] = (row[at] + (0, left, before[at], (left + before[at]) // 2, _paeth(left, before[at], corner))[kind]) & 255


def _paeth(left, above, corner):
    """The neighbor that is nearest to their linear estimate."""
    estimate = left + above - corner
    return min((left, above, corner), key=lambda it: abs(estimate - it))


def _remark(data):
    """The digest in a picture."""
    at = data.rfind(b"tEXtpage\0")
    return data[at + 9:at + 73].decode() if at >= 0 else None


if __name__ == "__main__":
    main()
