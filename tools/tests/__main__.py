"""Runs the tests beside this file, tells each reason for a skip once, and closes with the counts."""

import collections
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent


def main(names):
    """Runs all tests, or those of some modules; 1 when one fails."""
    sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "generate")]
    loader = unittest.TestLoader()
    suite = loader.loadTestsFromNames(names) if names else loader.discover(str(HERE))
    result = unittest.TextTestRunner(verbosity=1).run(suite)
    for reason, count in collections.Counter(reason for _, reason in result.skipped).items():
        print(f"skipped: {count} tests: {reason}")
    failed = len(result.failures) + len(result.errors)
    skipped = len(result.skipped)
    print(f"{result.testsRun - failed - skipped} passed, {failed} failed, {skipped} skipped")
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
