"""The sizes of crates."""

import contextlib
import importlib.machinery
import importlib.util
import io
import json
import pathlib
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def tool():
    """The tool as a module."""
    loader = importlib.machinery.SourceFileLoader("code_size", str(ROOT / "tools/code_size"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


class CodeSize(unittest.TestCase):
    def test_the_last_figure_counts_and_needs_a_reason(self):
        self.assertEqual(12000, tool().permitted("# the most\n10,000 at first\n12,000 a new target\n"))
        with self.assertRaises(SystemExit):
            tool().permitted("10,000\n")

    def test_more_lines_than_permitted_fail(self):
        for figure, status in ((1_000_000, 0), (1, 1)):
            with self.subTest(figure), tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
                module = tool()
                module.FIGURES = pathlib.Path(folder, "figures.txt")
                module.FIGURES.write_text(f"{figure} a reason\n")
                page = pathlib.Path(folder, "page.html")
                page.write_text("const UNIT_DATA = " + json.dumps([{"name": "yaql", "duration": 1.5}, {"name": "yaql", "duration": 2}]) + ";")
                self.assertEqual(status, module.main([str(page)]))
                self.assertRegex(out.getvalue(), r"yaql +[0-9,]+ +3\.5\n")
                self.assertEqual(status == 1, "too many" in err.getvalue())
