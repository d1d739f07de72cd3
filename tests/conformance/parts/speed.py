"""The whole corpus upgraded by one process, beside PyYAML only loading the same files."""

import json
import resource
import statistics

import house
from parts.upgrade import copy_corpus

# What of the corpus the part cannot do without.
NEEDS = ("templates",)

ROUNDS = 5
TARGET = "2021-04-16"

_LOAD = """
import sys, time, yaml
paths = open(sys.argv[1]).read().splitlines()
start, used = time.perf_counter(), time.process_time()
for path in paths:
    with open(path, "rb") as file:
        try:
            yaml.load(file.read(), Loader=yaml.CSafeLoader)
        except yaml.YAMLError:
            pass
print(time.perf_counter() - start, time.process_time() - used)
"""


def _used(seconds_before=0.0):
    """Processor time of the children so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime - seconds_before


def run(figures, _full):
    """The part."""
    original = copy_corpus(house.scratch("speed/original"))
    listed = house.WORK / "speed.list"
    ours, alone, theirs, our_work, their_work = [], [], [], [], []
    files = size = 0
    for _ in range(ROUNDS):
        for times, threads in ((ours, None), (alone, "1")):
            folder = copy_corpus(house.scratch("speed/changed"))
            extra = {"RAYON_NUM_THREADS": threads} if threads else {}
            before = _used()
            seconds, done = house.timed([house.BINARY, "upgrade", "--to", TARGET, "--write", "--format", "json", "."], cwd=folder, env=house.environment(**extra))
            times.append(seconds)
            if threads:
                our_work.append(_used(before))
        report = json.loads(done.stdout)
        # Only what was a template for us: environments and notes cost us time too, PyYAML is spared them.
        paths = [original / entry["path"] for entry in report["files"] if entry["status"] != "skipped"]
        files, size = len(paths), sum(path.stat().st_size for path in paths)
        listed.write_text("".join(f"{path}\n" for path in paths))
        wall, work = map(float, house.run([house.PYTHON, "-c", _LOAD, listed]).stdout.split())
        theirs.append(wall)
        their_work.append(work)
    mine, single, pyyaml, our_cpu, their_cpu = map(statistics.median, (ours, alone, theirs, our_work, their_work))
    figures.say(f"{files} templates, {size / 1e6:.2f} MB: hotplate {mine * 1e3:.0f} ms (one thread {single * 1e3:.0f} ms), "
                f"CSafeLoader loading alone {pyyaml * 1e3:.0f} ms; medians of {ROUNDS}, interleaved")
    figures.say(f"processor time, whatever else the machine does: {our_cpu * 1e3:.0f} ms and {their_cpu * 1e3:.0f} ms, {their_cpu / our_cpu:.2f} times")
    figures.wanted(pyyaml / single, 1, "times the speed of CSafeLoader, on one thread")
    figures.wanted(pyyaml / mine, 20, "times the speed of CSafeLoader, on all cores")
