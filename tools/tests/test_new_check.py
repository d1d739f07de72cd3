"""The skeleton of a check."""

import importlib.machinery
import importlib.util
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILES = ("crates/hotplate-check/src/checks/mod.rs", "crates/hotplate-check/src/codes.rs")


def tool():
    """The tool as a module."""
    loader = importlib.machinery.SourceFileLoader("new_check", str(ROOT / "tools/new_check"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


class NewCheck(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name in (*FILES, "docs/checks/README.md"):
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.root / name)

    def test_each_group_gets_its_next_code_in_four_files(self):
        for group in tool().GROUPS:
            with self.subTest(group):
                before = {name: (self.root / name).read_text(encoding="utf-8") for name in FILES}
                paths = tool().write(self.root, f"a_{group}_check", "thing that is wrong", group)
                self.assertEqual(4, len(paths))
                page = paths[3].read_text(encoding="utf-8")
                code = re.match(r"# (HP\d{4}): thing that is wrong\n", page)[1]
                hundreds = tool().GROUPS[group][0]
                self.assertEqual(max(re.findall(rf'"(HP{hundreds}\d\d)"', (self.root / FILES[1]).read_text(encoding="utf-8"))), code)
                for name in FILES:
                    lines = (self.root / name).read_text(encoding="utf-8").splitlines()
                    self.assertEqual(2, len(lines) - len(before[name].splitlines()), name)
                modules = re.findall(r"^pub\(crate\) mod (\w+);$", (self.root / FILES[0]).read_text(encoding="utf-8"), re.MULTILINE)
                self.assertEqual(sorted(modules), modules)
                if shutil.which("rustfmt"):
                    subprocess.run(["rustfmt", "--edition", "2024", "--check", "--config-path", str(ROOT), str(paths[0])], check=True, capture_output=True)

    def test_what_exists_stays(self):
        for name in ("signals", "Two-Words", "unused_parameter"):
            with self.subTest(name), self.assertRaises(SystemExit):
                shutil.copy(ROOT / "crates/hotplate-check/src/checks/signals.rs", self.root / "crates/hotplate-check/src/checks/signals.rs")
                tool().write(self.root, name, "title", "suspicious")
