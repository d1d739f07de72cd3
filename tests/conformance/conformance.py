"""The harness: builds nothing, asks the judges, prints figures. Called by `run`."""

import argparse
import importlib
import sys
import time

from figures import Figures

PARTS = ["yaml", "pairs", "upgrade", "bytes", "generated", "environment", "capabilities", "parameters", "functions", "yaql_tests", "yaql_corpus", "yaql_generated", "yaql_table", "yaql_speed", "yaql_bounds", "cfn_functions", "eval", "nested", "diff", "same", "trust", "html", "hot", "heat_cfn", "cfn", "terraform", "texts", "security", "adopt", "pulumi", "ansible", "everything", "graphs", "shares", "speed", "reviews", "kills", "bounds"]
# Parts that run only where they are named: what they judge is not the same on every machine, or they take long.
NAMED = ["fuzzed"]


def main(arguments):
    """Runs the chosen parts; 1 when a figure is short of what it must be."""
    parser = argparse.ArgumentParser(prog="tests/conformance/run", description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, *NAMED, []], metavar="PART", help=f"parts to run: {' '.join(PARTS)} (default: all; also, where named: {' '.join(NAMED)})")
    parser.add_argument("--full", action="store_true", help="5,000 generated templates a version, every environment, a million mutations")
    options = parser.parse_args(arguments)
    short = 0
    for part in options.parts or PARTS:
        figures = Figures(part)
        start = time.monotonic()
        try:
            importlib.import_module(f"part_{part}").run(figures, options.full)
        except RuntimeError as error:
            figures.must(0, 1, f"the part ran to its end: {error}")
        short += figures.close()
        figures.say(f"took {time.monotonic() - start:.0f} s")
    print(f"conformance: {'all figures are whole' if not short else f'{short} figures are short'}")
    return 1 if short else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
