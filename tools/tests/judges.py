"""Where the judges are, for these tests. A test whose judge is missing is skipped, with a line that says how to get it."""

import os
import pathlib
import unittest

TESTS = pathlib.Path(__file__).resolve().parent
TOOLS = TESTS.parent
ROOT = TOOLS.parent
ORACLES = pathlib.Path(os.environ.get("HOTPLATE_ORACLES", ROOT / "target" / "oracles")).resolve()


def needs(judge, is_there):
    """Skips a test unless its judge is there."""
    return unittest.skipUnless(is_there, f"{judge} is not installed (tools/setup FOLDER {judge})")


def can_import(*names):
    """Whether this Python has the modules."""
    from importlib.util import find_spec
    return all(find_spec(name) is not None for name in names)
