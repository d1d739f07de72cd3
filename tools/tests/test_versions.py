"""`versions.txt` and the locks in `npm/` pin each package once, and `setup` knows every judge in them."""

import json
import re
import subprocess
import unittest

import judges

ROWS = [line.split() for line in (judges.TOOLS / "versions.txt").read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
LOCKS = {path.parent.name: json.loads(path.read_text(encoding="utf-8")) for path in judges.TOOLS.glob("npm/*/package-lock.json")}


class Versions(unittest.TestCase):
    """The rows of the file."""

    def test_rows_are_whole(self):
        for row in ROWS:
            self.assertEqual(3, len(row), row)
            self.assertRegex(row[2], r"^[0-9][0-9A-Za-z.+-]*$", row)

    def test_a_package_has_one_version(self):
        pinned = {}
        for judge, package, version in ROWS:
            # Pulumi's environment is its own, and each older release has a folder.
            key = (judge.lstrip("-") if re.match(r"-?pulumi|heat-|ansible-sdk", judge) else "", re.sub(r"[-_.]+", "-", package).lower())
            self.assertEqual(version, pinned.setdefault(key, version), key)

    def test_locks_have_checksums_and_no_host(self):
        self.assertEqual({"axe", "mermaid", "sarif", "tofu"}, set(LOCKS))
        for judge, lock in LOCKS.items():
            wanted = json.loads((judges.TOOLS / "npm" / judge / "package.json").read_text(encoding="utf-8"))["dependencies"]
            for path, package in lock["packages"].items():
                if not path:
                    self.assertEqual(wanted, package["dependencies"], judge)
                    continue
                self.assertRegex(package.get("integrity", ""), r"^sha512-", f"{judge}: {path}")
                self.assertNotIn("resolved", package, f"{judge}: {path}")

    def test_setup_knows_the_judges(self):
        known = (judges.TOOLS / "setup").read_text(encoding="utf-8")
        for judge in {row[0] for row in ROWS if not row[0].startswith("-")} | set(LOCKS):
            self.assertRegex(known, rf"(?m)^#   {judge} ")

    def test_an_unknown_judge_is_refused(self):
        done = subprocess.run([judges.TOOLS / "setup", judges.ROOT / "target" / "no-oracles", "nobody"], capture_output=True, text=True, check=False)
        self.assertEqual(2, done.returncode)
        self.assertIn("unknown judge nobody", done.stderr)
