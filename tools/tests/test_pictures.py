"""The pictures show what the binary prints now, and the drawing itself."""

import subprocess
import sys
import unittest
import xml.etree.ElementTree as tree
import zlib

import judges
import pictures


@unittest.skipUnless(pictures.BINARY.is_file(), "there is no binary (cargo build, or HOTPLATE_BIN)")
class Fresh(unittest.TestCase):
    """docs/images/"""

    def test_pictures_are_fresh(self):
        done = subprocess.run([sys.executable, str(judges.TOOLS / "pictures.py"), "--check"], check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual((0, ""), (done.returncode, done.stdout))


class Images(unittest.TestCase):
    """What is in the repository."""

    def test_pictures_need_nothing_else(self):
        files = sorted(pictures.IMAGES.glob("*.svg"))
        self.assertEqual(len(pictures.SESSIONS) * len(pictures.PALETTES), len(files))
        for file in files:
            text = file.read_text(encoding="utf-8")
            for word in ("href", "url(", "@import", "<image", "<script"):
                self.assertNotIn(word, text, file.name)
            self.assertTrue(tree.fromstring(text).tag.endswith("svg"), file.name)

    def test_photos_are_small(self):
        for look in pictures.PALETTES:
            file = pictures.IMAGES / f"page-{look}.png"
            self.assertLess(file.stat().st_size, 200_000, file.name)


class Drawing(unittest.TestCase):
    """The parts of the drawing."""

    def test_styles_of_a_terminal_become_runs(self):
        lines = pictures._lines("a\x1b[1m\x1b[31mb\x1b[0m\n\x1b[2mc\x1b[0m \x1b[1;92md\x1b[0m\n\n")
        self.assertEqual([[(None, None, "a"), ("bold", "red", "b")], [(None, "dim", "c"), (None, None, " "), ("bold", "green", "d")]], lines)

    def test_what_is_not_a_color_is_an_error(self):
        for text in ("\x1b[2J", "\x1b[48;5;1mx"):
            with self.assertRaises(SystemExit):
                pictures._lines(text)

    def test_text_is_escaped_and_in_its_column(self):
        text = pictures._svg([[(None, "red", "ab"), (None, None, "  <&>")]], pictures.PALETTES["light"], "t")
        x = pictures.MARGIN + 4 * pictures.CELL
        self.assertIn(f'<text x="{x:.1f}" y="{pictures.MARGIN + pictures.SIZE}" textLength="{3 * pictures.CELL:.1f}">&lt;&amp;&gt;</text>', text)

    def test_a_photo_keeps_its_pixels(self):
        rows = [bytes((at * 5 + row) % 256 for at in range(12)) for row in range(5)]
        # The five filters of PNG, by their definition.
        filtered, before = b"", bytes(12)
        for kind, row in enumerate(rows):
            left = [0, 0, 0, *row]
            corner = [0, 0, 0, *before]
            guess = [(0, left[at], before[at], (left[at] + before[at]) // 2, pictures._paeth(left[at], before[at], corner[at]))[kind] for at in range(12)]
            filtered += bytes([kind]) + bytes((byte - it) % 256 for byte, it in zip(row, guess))
            before = row
        data = self.png(4, 5, 2, zlib.compress(filtered))
        self.assertEqual((4, 5, b"".join(rows)), pictures._pixels(data))
        reduced = pictures._reduced(data, "d" * 64)
        self.assertEqual("d" * 64, pictures._remark(reduced))

    @staticmethod
    def png(width, height, color, content):
        """A PNG with these bytes."""
        head = width.to_bytes(4, "big") + height.to_bytes(4, "big") + bytes([8, color, 0, 0, 0])
        chunks = ((b"IHDR", head), (b"IDAT", content), (b"IEND", b""))
        return pictures.SIGNATURE + b"".join(len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big") for kind, data in chunks)
