"""Input that grows in one dimension, through every command: processor time grows no faster than the input to the power of 1.25,
and memory is flat per byte."""

import collections
import concurrent.futures
import math
import os
import resource
import shutil
import subprocess

import house
from generators import dimensions

# The largest exponent of time, and of memory.
MOST = 1.25
# Each dimension has so many times the parts of the smallest input, which has so many times those of its row in the table.
STEPS = (1, 2, 4, 8)
FACTOR, FULL_FACTOR = 3, 8
# Less than this (seconds, MB) beside the start of a program is start and chance, or work that has a bound; a build without
# optimizations takes several times the seconds.
SLOWER = float(os.environ.get("HOTPLATE_SLOWER", "1"))
NOISE, MEMORY_NOISE = 0.03 * SLOWER, 24
# The cost of a run is repeated so often before an exponent counts as too large.
REPEATED = 3
# What ends a child that keeps to no bound.
HARD_SECONDS, HARD_MEMORY = 120, 8 << 30

MANY = ["--max-resources", "1000000"]
TARGETS = ("hot", "cfn", "heat-cfn", "terraform", "terraform-json", "pulumi", "ansible", "dot", "mermaid", "markdown", "json", "yaml")
# The arguments of each command, and whether it takes the environment. `OLD` and `NEW` are the sides of a comparison.
COMMANDS = {
    "check": ["check", *MANY, "t.yaml"],
    "check json": ["check", *MANY, "--format", "json", "t.yaml"],
    "check sarif": ["check", *MANY, "--format", "sarif", "t.yaml"],
    "fix": ["check", *MANY, "--unsafe-fixes", "--diff", "t.yaml"],
    "upgrade": ["upgrade", "--diff", "t.yaml"],
    "upgrade modernize": ["upgrade", "--modernize", "--diff", "t.yaml"],
    "versions": ["versions", "t.yaml"],
    "eval": ["eval", *MANY, "--format", "json", "t.yaml"],
    "eval nested": ["eval", *MANY, "--nested", "t.yaml"],
    "env": ["env", "t.yaml"],
    "ir": ["ir", "t.yaml"],
    "parameters": ["parameters", *MANY, "t.yaml"],
    "new environment": ["parameters", *MANY, "--new-environment", "t.yaml"],
    "diff": ["diff", *MANY, "old.yaml", "t.yaml"],
    **{f"diff {form}": ["diff", *MANY, "--format", form, "old.yaml", "t.yaml"] for form in ("json", "html", "markdown", "sarif")},
    **{f"render {target}": ["render", *MANY, "-t", target, "t.yaml", *(["-o", "out", "--force"] if target in ("terraform", "pulumi", "ansible") else [])] for target in TARGETS},
    "render baked": ["render", *MANY, "--bake", "-t", "terraform", "t.yaml", "-o", "out", "--force"],
}
WITH_ENVIRONMENT = ("check", "eval", "env", "parameters", "diff", "render")
# Those that only some dimensions concern.
SPECIAL = {
    "check baseline": ["check", "--baseline", "baseline.json", "t.yaml"],
    "check policy": ["check", *MANY, "--policy", "policy", "t.yaml"],
    "check configured": ["check", *MANY, "t.yaml"],
    "config configured": ["config"],
    "eval saved": ["eval", *MANY, "saved"],
    "diff saved": ["diff", *MANY, "--format", "json", "saved", "t.yaml"],
    "check folder": ["check", "many"],
    "upgrade folder": ["upgrade", "--check", "many"],
    "versions folder": ["versions", "many"],
}
# So many of the other commands for each dimension, in turn, and all with `--full`.
TURNS = 2

Cost = collections.namedtuple("Cost", "seconds megabytes code said")


def _bound():
    resource.setrlimit(resource.RLIMIT_AS, (HARD_MEMORY, HARD_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (HARD_SECONDS, HARD_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _cost(arguments, folder):
    """What a command costs in a folder."""
    with open(folder / "stderr", "w+b") as err:
        child = subprocess.Popen([house.BINARY, *arguments], cwd=folder, stdout=subprocess.DEVNULL, stderr=err, preexec_fn=_bound, env=house.environment())
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        err.seek(0)
        said = err.read(200).decode("utf-8", "replace")
    shutil.rmtree(folder / "out", ignore_errors=True)
    # The time of the kernel is that of the file system, which grows in its own way.
    return Cost(used.ru_utime, used.ru_maxrss >> 10, child.returncode, said)


def _arguments(command, files, size):
    """The arguments of a command for the files of a dimension."""
    if command.endswith(" many environments"):
        name = command.split()[0]
        return [name, "t.yaml", *(argument for file in files if file.startswith("e") for argument in ("-e", file))]
    if command == "check given":
        return ["check", "t.yaml", *(argument for i in range(size) for argument in ("-P", f"p{i}=b"))]
    arguments = (COMMANDS.get(command) or SPECIAL[command]).copy()
    if "e.yaml" in files and arguments[0] in WITH_ENVIRONMENT:
        arguments += ["-e", "e.yaml"]
    return arguments


def _exponent(points):
    """The slope of the line through the logarithms, by least squares."""
    logarithms = [(math.log(size), math.log(cost)) for size, cost in points]
    x, y = (sum(column) / len(logarithms) for column in zip(*logarithms))
    spread = sum((a - x) ** 2 for a, _ in logarithms)
    return sum((a - x) * (b - y) for a, b in logarithms) / spread if spread else 0


class _Input:
    """The files of a dimension at one size, in a folder of their own."""

    def __init__(self, folder, make, size):
        self.folder, self.size, self.files = folder, size, make(size)
        self.files.setdefault("old.yaml", self.files["t.yaml"].replace("default: a", "default: b").replace("value: a", "value: b"))
        # The other side counts only where it is another text.
        self.bytes = sum(len(text) for text in self.files.values())
        folder.mkdir(parents=True)
        (folder / ".git").mkdir()
        for name, text in self.files.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")

    def cost(self, command, times=1):
        arguments = _arguments(command, self.files, self.size)
        return min((_cost(arguments, self.folder) for _ in range(times)), key=lambda cost: cost.seconds)


def _measured(inputs, command, start):
    """(the exponent of time, that of memory, the seconds at the largest size, what went wrong)."""
    largest = inputs[-1].cost(command)
    if largest.code not in (0, 1, 2):
        return 0, 0, largest.seconds, f"ended with {largest.code}: {largest.said}"
    if largest.seconds - start.seconds < NOISE and largest.megabytes - start.megabytes < MEMORY_NOISE:
        return 0, 0, largest.seconds, ""
    for times in (1, REPEATED):
        costs = [(it.bytes, it.cost(command, times)) for it in inputs[:-1]] + [(inputs[-1].bytes, largest if times == 1 else inputs[-1].cost(command, times))]
        time = [(size, max(cost.seconds - start.seconds, NOISE / 10)) for size, cost in costs]
        memory = [(size, max(cost.megabytes - start.megabytes, MEMORY_NOISE / 8)) for size, cost in costs]
        is_slow, is_large = largest.seconds - start.seconds >= NOISE, largest.megabytes - start.megabytes >= MEMORY_NOISE
        exponents = _exponent(time) if is_slow else 0, _exponent(memory) if is_large else 0
        if max(exponents) <= MOST:
            break
    return *exponents, largest.seconds, ""


def run(figures, full):
    """The part."""
    folder = house.scratch("dimensions")
    nothing = _Input(folder / "nothing", dimensions.parameters_used, 1)
    starts = {command: nothing.cost(command, REPEATED) for command in COMMANDS}
    start = min(starts.values(), key=lambda cost: cost.seconds)

    def measured(numbered):
        """The rows of a dimension."""
        number, (name, (make, always, base)) = numbered
        inputs = [_Input(folder / name / str(step), make, base * step * (FULL_FACTOR if full else FACTOR)) for step in STEPS]
        others = [*COMMANDS]
        turns = others if full else [others[(number * TURNS + turn) % len(others)] for turn in range(TURNS)]
        commands = dict.fromkeys([*always, *turns])
        return name, [(command, *_measured(inputs, command, starts.get(command, start))) for command in commands]

    table, misses = [], collections.defaultdict(list)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, rows in pool.map(measured, enumerate(dimensions.OF.items())):
            for command, time, memory, seconds, wrong in rows:
                table.append((time, memory, name, command, seconds))
                if wrong:
                    misses[name].append(f"{command}: {wrong}")
                elif time > MOST or memory > MOST:
                    misses[name].append(f"{command}: time grows with the exponent {time:.2f}, memory with {memory:.2f}, {seconds:.2f} s")
            # What falls short can be looked at.
            if name not in misses:
                shutil.rmtree(folder / name)
    _print(figures, table)
    named = len(dimensions.OF)
    bad = [f"{name}: {miss}" for name, of_name in misses.items() for miss in of_name]
    figures.must(named - len(misses), named, f"dimensions of input in which time and memory grow with an exponent of at most {MOST}", bad)


def _print(figures, table):
    """The worst command of each dimension, the worst dimension first."""
    worst = {}
    for time, memory, name, command, seconds in table:
        worst[name] = max(worst.get(name, (-1,)), (time, command, memory, seconds))
    figures.say(f"{'dimension':<42} {'the worst command':<20} {'time':>5} {'memory':>6} {'seconds':>7} of {len(table)} measured (0.00: too quick to measure)")
    for name, (time, command, memory, seconds) in sorted(worst.items(), key=lambda it: -it[1][0]):
        figures.say(f"{name:<42} {command:<20} {time:>5.2f} {memory:>6.2f} {seconds:>7.2f}")
