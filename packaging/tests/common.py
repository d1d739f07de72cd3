"""What the tests share: the repository, the program under test, and tools that may be missing."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PACKAGING = pathlib.Path(__file__).resolve().parent.parent
ROOT = PACKAGING.parent
sys.path.insert(0, str(PACKAGING))

import release  # noqa: E402, pylint: disable=wrong-import-position,unused-import


def hotplate():
    """The program under test: HOTPLATE, or the newest that cargo built."""
    given = os.environ.get("HOTPLATE")
    if given:
        return pathlib.Path(given).resolve()
    built = [it for it in ROOT.glob("target/*/hotplate") if it.is_file()]
    if not built:
        raise AssertionError("there is no hotplate to test: `cargo build`, or HOTPLATE=PROGRAM")
    return max(built, key=lambda it: it.stat().st_mtime)


def needs(*programs):
    """Skips a test without these programs."""
    missing = [program for program in programs if not shutil.which(program)]
    return unittest.skipIf(missing, f"there is no {', '.join(missing)}")


def run(*command, **options):
    """Runs a command; the result has text."""
    return subprocess.run([str(it) for it in command], capture_output=True, text=True, check=False, timeout=600, **options)


class Case(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def succeeds(self, *command, **options):
        """What a command prints, which must succeed."""
        done = run(*command, **options)
        self.assertEqual(0, done.returncode, f"{command}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def fails(self, says, *command, **options):
        """Asserts that a command fails and says why."""
        done = run(*command, **options)
        self.assertNotEqual(0, done.returncode, command)
        self.assertIn(says, done.stdout + done.stderr)
