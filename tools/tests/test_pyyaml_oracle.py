"""The notation of `pyyaml_oracle.py`, and that it reads as Heat does."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import judges

if judges.can_import("yaml"):
    import pyyaml_oracle


@judges.needs("heat", judges.can_import("yaml"))
class Notation(unittest.TestCase):
    """What each kind of value looks like."""

    def test_scalars(self):
        for text, wanted in (("~", "n"), ("yes", "t"), ("off", "f"), ("0o7", '"0o7"'), ("017", "i15"), ("1_000", "i1000"), ("1.5", "d3ff8000000000000"),
                             (".nan", "dnan"), ("'1'", '"1"'), ("!!binary aGk=", "b6869"), ('"\\t\\x85\\u2028"', '"\\t\\u0085\\u2028"')):
            self.assertEqual(("ok", wanted), pyyaml_oracle.load(text.encode()), text)

    def test_timestamps_are_strings(self):
        self.assertEqual(("ok", '"2015-04-30"'), pyyaml_oracle.load(b"2015-04-30"))

    def test_collections(self):
        self.assertEqual(("ok", '{"b":[i1,i2],"a":{}}'), pyyaml_oracle.load(b"{b: [1, 2], a: {}}"))
        self.assertEqual(("ok", 'S("a","b")'), pyyaml_oracle.load(b"!!set {b, a}"))
        self.assertEqual(("ok", "[RECURSIVE]"), pyyaml_oracle.load(b"&a [*a]"))
        self.assertEqual(("ok", "[[],[]]"), pyyaml_oracle.load(b"[&a [], *a]"))

    def test_errors_have_their_class(self):
        state, text = pyyaml_oracle.load(b"a: [")
        self.assertEqual("err", state)
        self.assertTrue(text.startswith("ParserError: "), text)
        self.assertEqual("exc", pyyaml_oracle.load(b"!!int x")[0])

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "a.yaml").write_text("a: 1\n")
            (folder / "list").write_text(f"{folder}/a.yaml\n")
            for mode in ("load", "pyload"):
                subprocess.run([sys.executable, judges.TOOLS / "pyyaml_oracle.py", mode, folder / "list", folder / "out"], check=True)
                self.assertEqual(f'{folder}/a.yaml\tok\t{{"a":i1}}\n', (folder / "out").read_text())
