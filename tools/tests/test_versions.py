"""`versions.txt` pins each package once, and `setup` knows every judge in it."""

import re
import subprocess
import unittest

import judges

ROWS = [line.split() for line in (judges.TOOLS / "versions.txt").read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]


class Versions(unittest.TestCase):
    """The rows of the file."""

    def test_rows_are_whole(self):
        for row in ROWS:
            self.assertIn(len(row), (4, 5), row)
            self.assertRegex(row[4] if len(row) > 4 else "0" * 64, r"^[0-9a-f]{64}$", row)
            self.assertIn(row[1], ("pip", "npm"), row)
            self.assertRegex(row[3], r"^[0-9][0-9A-Za-z.+-]*$", row)

    def test_a_package_has_one_version(self):
        pinned = {}
        for judge, installer, package, version, *_ in ROWS:
            # Pulumi's environment is its own.
            key = (judge.endswith("pulumi"), installer, re.sub(r"[-_.]+", "-", package).lower())
            self.assertEqual(version, pinned.setdefault(key, version), key)

    def test_setup_knows_the_judges(self):
        known = (judges.TOOLS / "setup").read_text(encoding="utf-8")
        for judge in {row[0] for row in ROWS if not row[0].startswith("-")}:
            self.assertRegex(known, rf"(?m)^#   {judge} ")

    def test_an_unknown_judge_is_refused(self):
        done = subprocess.run([judges.TOOLS / "setup", judges.ROOT / "target" / "no-oracles", "nobody"], capture_output=True, text=True, check=False)
        self.assertEqual(2, done.returncode)
        self.assertIn("unknown judge nobody", done.stderr)
