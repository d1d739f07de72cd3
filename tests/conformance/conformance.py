"""Asks the judges about hotplate, part by part, several at once. See README.md."""

import argparse
import concurrent.futures
import importlib
import os
import pathlib
import re
import resource
import subprocess
import sys
import time
import timeit

import agreement
import house
from figures import Figures
from judges import judge

PARTS = ["yaml", "pairs", "upgrade", "modernize", "bytes", "generated", "environment", "capabilities", "check", "later", "releases", "json_schema", "formats", "parameters", "new_environment", "functions", "yaql_tests", "yaql_corpus", "yaql_generated", "yaql_table", "yaql_speed", "yaql_bounds", "cfn_functions", "eval", "nested", "diff", "propagation", "same", "refusals", "secrets", "html", "hot", "heat_cfn", "cfn", "terraform", "groups", "texts", "security", "adopt", "pulumi", "ansible", "acceptance", "graphs", "same_system", "shares", "speed", "reviews", "repositories", "gate", "log", "contradictions", "editor", "server", "kills", "bounds", "fixes", "dimensions", "cloud", "updates", "aftermath", "unknowns", "system", "takeover", "afterwards"]
# Parts that run only where they are named: what they judge is not the same on every machine, or they take long.
NAMED = ["fuzzed"]
# Their figures are times: nothing else runs meanwhile. The quick ones first, so that the fewest are skipped where no time is left.
ALONE = ["server", "yaql_speed", "yaql_bounds", "kills", "bounds", "yaml", "speed", "dimensions"]
# The longest parts start first, so that none of them is left for the end.
FIRST = ["generated", "updates", "upgrade", "nested", "graphs", "terraform", "environment"]
# What a million rounds of a loop take on the machines that the numbers of draws are made for.
USUAL_SECONDS = 0.01


def main(arguments):
    """Runs the chosen parts; 1 when a figure is short of what it must be."""
    parser = argparse.ArgumentParser(prog="tests/conformance/run", description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, *NAMED, []], metavar="PART", help=f"parts to run: {' '.join(PARTS)} (default: all; also, where named: {' '.join(NAMED)})")
    parser.add_argument("--full", action="store_true", help="5,000 generated templates a version, every environment, a million mutations")
    parser.add_argument("--corpus", metavar="FOLDER", help="where the real templates are: a folder with " + ", ".join(f"`{piece}`" for piece in house.PIECES) + " or some of these")
    options = parser.parse_args(arguments)
    if options.corpus:
        _take_corpus(parser, options.corpus)
    parts = options.parts or PARTS
    if len(parts) == 1:
        return run(parts[0], options.full)
    if not options.full:
        _share_the_time()
    judge.engine()
    together = sorted((part for part in parts if part not in ALONE), key=lambda part: FIRST.index(part) if part in FIRST else len(FIRST))
    ends = []
    for lanes, chosen in ((os.cpu_count(), together), (1, [part for part in ALONE if part in parts])):
        with concurrent.futures.ThreadPoolExecutor(lanes) as pool:
            ends += pool.map(lambda part: _process(part, options.full), chosen)
    return _close(ends)


def _share_the_time():
    """A machine that is slower than others makes fewer of the random draws, at least a third of them: HOTPLATE_DRAWS, which also says it."""
    if "HOTPLATE_DRAWS" in os.environ:
        return
    seconds = min(timeit.repeat("for number in range(1_000_000): pass", number=1, repeat=5))
    os.environ["HOTPLATE_DRAWS"] = f"{min(1, max(1 / 3, USUAL_SECONDS / seconds)):.2f}"
    print(f"conformance: {os.environ['HOTPLATE_DRAWS']} of the random draws are made (a loop takes {seconds * 1000:.0f} ms, usually {USUAL_SECONDS * 1000:.0f})")


def _take_corpus(parser, folder):
    """The corpus is that folder, here and in the processes of the parts."""
    house.CORPUS = pathlib.Path(folder).resolve()
    if len(house.missing(*house.PIECES)) == len(house.PIECES):
        parser.error(f"{folder} has none of {', '.join(house.PIECES)}")
    os.environ["HOTPLATE_CORPUS"] = str(house.CORPUS)


def _close(ends):
    """The last lines: what was not judged, then whether what was judged is whole."""
    skipped = [line for _, _, lines in ends for line in lines]
    whole = [part for part, _, lines in ends if f"skipped: {part} (" in "\n".join(lines)]
    short = [part for part, is_short, _ in ends if is_short]
    for line in skipped:
        print(line)
    if skipped:
        print(f"conformance: NOT judged: {len(whole)} of {len(ends)} parts, and {len(skipped) - len(whole)} figures of others (the lines above)")
    verdict = f"{len(short)} parts have figures that are short: {' '.join(short)}" if short else "all figures are whole"
    print(f"conformance: {len(ends) - len(whole)} of {len(ends)} parts judged, {verdict if len(whole) < len(ends) else 'nothing is known'}")
    return 1 if short else 0


def run(part, full):
    """Runs a part in this process; 1 when a figure is short."""
    figures = Figures(part)
    start = time.monotonic()
    try:
        module = importlib.import_module(f"parts.{part}")
        if not figures.has(*getattr(module, "NEEDS", ())):
            return 0
        if missing := [name for name in getattr(module, "JUDGES", ()) if not house.PROGRAMS[name].exists()]:
            figures.skip(why=f"not installed: {', '.join(missing)}")
            return 0
        module.run(figures, full)
        if not full:
            agreement.check(figures)
    except RuntimeError as error:
        figures.must(0, 1, f"the part ran to its end: {error}")
    short = figures.close()
    used = sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    figures.say(f"took {time.monotonic() - start:.0f} s, {used:.0f} s of a processor without Heat's engine")
    return 1 if short else 0


def _process(part, full):
    """Runs a part in a process of its own; what it says is told in one piece, when it has ended.

    Returns the part, whether a figure is short, and the lines that say what was skipped.
    """
    if time.time() > float(os.environ.get("HOTPLATE_UNTIL", "inf")):
        skipped = f"skipped: {part} (no time is left: HOTPLATE_UNTIL)"
        print(f"{part}: {skipped}", flush=True)
        return part, False, [skipped]
    command = [sys.executable, pathlib.Path(__file__), part, *(["--full"] if full else [])]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    sys.stdout.buffer.write(done.stdout)
    sys.stdout.buffer.flush()
    return part, done.returncode != 0, re.findall(r"^skipped: .*", done.stdout.decode("utf-8", "replace"), re.MULTILINE)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
