"""Asks the judges about hotplate, part by part, several at once. See README.md."""

import argparse
import concurrent.futures
import importlib
import os
import pathlib
import resource
import subprocess
import sys
import time

from figures import Figures
from judges import judge

PARTS = ["yaml", "pairs", "upgrade", "bytes", "generated", "environment", "capabilities", "parameters", "functions", "yaql_tests", "yaql_corpus", "yaql_generated", "yaql_table", "yaql_speed", "yaql_bounds", "cfn_functions", "eval", "nested", "diff", "same", "trust", "html", "hot", "heat_cfn", "cfn", "terraform", "texts", "security", "adopt", "pulumi", "ansible", "everything", "graphs", "shares", "speed", "reviews", "kills", "bounds"]
# Parts that run only where they are named: what they judge is not the same on every machine, or they take long.
NAMED = ["fuzzed"]
# Their figures are times: nothing else runs meanwhile.
ALONE = ["yaml", "yaql_speed", "yaql_bounds", "speed", "kills", "bounds"]
# The longest parts start first, so that none of them is left for the end.
FIRST = ["generated", "upgrade", "nested", "graphs", "terraform", "environment"]


def main(arguments):
    """Runs the chosen parts; 1 when a figure is short of what it must be."""
    parser = argparse.ArgumentParser(prog="tests/conformance/run", description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, *NAMED, []], metavar="PART", help=f"parts to run: {' '.join(PARTS)} (default: all; also, where named: {' '.join(NAMED)})")
    parser.add_argument("--full", action="store_true", help="5,000 generated templates a version, every environment, a million mutations")
    options = parser.parse_args(arguments)
    parts = options.parts or PARTS
    if len(parts) == 1:
        return run(parts[0], options.full)
    judge.engine()
    together = sorted((part for part in parts if part not in ALONE), key=lambda part: FIRST.index(part) if part in FIRST else len(FIRST))
    short = 0
    for lanes, chosen in ((os.cpu_count(), together), (1, [part for part in parts if part in ALONE])):
        with concurrent.futures.ThreadPoolExecutor(lanes) as pool:
            short += sum(pool.map(lambda part: _process(part, options.full), chosen))
    print(f"conformance: {'all figures are whole' if not short else f'{short} parts have figures that are short'}")
    return 1 if short else 0


def run(part, full):
    """Runs a part in this process; 1 when a figure is short."""
    figures = Figures(part)
    start = time.monotonic()
    try:
        importlib.import_module(f"parts.{part}").run(figures, full)
    except RuntimeError as error:
        figures.must(0, 1, f"the part ran to its end: {error}")
    short = figures.close()
    used = sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    figures.say(f"took {time.monotonic() - start:.0f} s, {used:.0f} s of a processor without Heat's engine")
    return 1 if short else 0


def _process(part, full):
    """Runs a part in a process of its own; what it says is told in one piece, when it has ended."""
    command = [sys.executable, pathlib.Path(__file__), part, *(["--full"] if full else [])]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    sys.stdout.buffer.write(done.stdout)
    sys.stdout.buffer.flush()
    return 1 if done.returncode else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
