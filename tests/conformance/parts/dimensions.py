"""Input that grows in one dimension, through every command: processor time grows no faster than the input to the power of 1.25,
and memory is flat per byte."""

import collections
import concurrent.futures
import math
import os
import pathlib
import random
import resource
import shutil
import subprocess

import house
from generators import dimensions

# The largest exponent of time, and of memory.
MOST = 1.25
# The four sizes of an input, as parts of the largest.
SIZES = (8, 4, 2, 1)
# Inputs grow until a command takes `ENOUGH` seconds beside its start, or to so many bytes and files; with `--full` to more.
MOST_BYTES, FULL_BYTES, MOST_FILES = 300 << 10, 2 << 20, 1000
# Of the commands that a dimension does not name, one of so many is measured, in turn; with `--full` all.
OF_OTHERS = 2
# A build without optimizations, or a slow machine, takes several times the seconds.
SLOWER = max(house.SLOWER, 1 / house.DRAWS)
ENOUGH = 0.06 * SLOWER
# Less than this (seconds, MB) beside the start of a program is start and chance, or work that has a bound.
NOISE, MEMORY_NOISE = 0.04 * SLOWER, 24
# Every size is measured so often before an exponent counts as too large, or as just small enough. Neighbors on the machine only add processor
# time (caches, a core that is shared): the smallest one counts.
REPEATED, CLEARLY = 8, 0.1
# What falls short is measured again so often, when nothing else runs: its least exponent counts.
AGAIN = 3
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
    "diff registries": ["diff", *MANY, "--old-e", "old-e.yaml", "t.yaml", "t.yaml"],
    "check folder": ["check", "many"],
    "upgrade folder": ["upgrade", "--check", "many"],
    "versions folder": ["versions", "many"],
}

Cost = collections.namedtuple("Cost", "seconds megabytes code said")
Growth = collections.namedtuple("Growth", "time memory seconds wrong")


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
    # The sum is exact; how it is divided is estimated with the clock's ticks.
    return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss >> 10, child.returncode, said)


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


def _exponent(points, chance):
    """The slope of the line through the logarithms of (size, cost), by least squares; a cost that is small beside the `chance` in it counts less."""
    points = [(math.log(size), math.log(cost), cost / (cost + chance)) for size, cost in points]
    weight = sum(w for _, _, w in points)
    x, y = (sum(point[at] * point[2] for point in points) / weight for at in (0, 1))
    spread = sum(w * (a - x) ** 2 for a, _, w in points)
    return sum(w * (a - x) * (b - y) for a, b, w in points) / spread if spread else 0


class _Input:
    """The files of a dimension at one size, in a folder of their own."""

    def __init__(self, folder, make, size):
        self.folder, self.size, self.files = folder, size, make(size)
        self.files.setdefault("old.yaml", self.files["t.yaml"].replace("default: a", "default: b").replace("value: a", "value: b"))
        # The other side counts only where it is another text.
        self.bytes = sum(len(text) for text in self.files.values())
        folder.mkdir(parents=True)
        # The top of a work tree: nothing above it is looked at.
        (folder / ".git" / "objects").mkdir(parents=True)
        for name, text in self.files.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")

    def cost(self, command):
        return _cost(_arguments(command, self.files, self.size), self.folder)


class _Inputs:
    """The inputs of a dimension, each made once."""

    def __init__(self, folder, make, base):
        self.folder, self.make, self.base, self._made = folder, make, base, {}

    def __getitem__(self, step):
        """The input of so many times the smallest number of parts."""
        if step not in self._made:
            self._made[step] = _Input(self.folder / str(step), self.make, self.base * step)
        return self._made[step]

    def largest(self, most):
        """The largest step, a power of two, of an input of at most so many bytes."""
        first = self[SIZES[0]]
        return SIZES[0] * 2 ** max(0, int(math.log2(min(most / first.bytes, MOST_FILES / len(first.files)))))


def _growth(cost, size, start, largest):
    """How the `cost` of an input grows with its `size`, both functions of the step, beside the cost of a `start`. The steps begin at the
    smallest, and double until there is something to measure, or at the largest."""
    step = SIZES[0]
    while True:
        most = cost(step)
        seconds, megabytes = most.seconds - start.seconds, most.megabytes - start.megabytes
        if most.code not in (0, 1, 2):
            return Growth(0, 0, most.seconds, f"ended with {most.code}: {most.said}")
        if seconds >= ENOUGH or step >= largest:
            break
        # An input with a bound of its own grows no more.
        doubled = 2 ** max(1, round(math.log2(ENOUGH / max(seconds, ENOUGH / 16))))
        step = min(step * doubled, largest)
    is_slow, is_large = seconds >= NOISE, megabytes >= MEMORY_NOISE
    if not (is_slow or is_large):
        return Growth(0, 0, most.seconds, "")
    steps = [step // part for part in SIZES]
    times, memory = {step: most.seconds}, {step: most.megabytes}
    for round_ in range(REPEATED):
        for at in steps:
            if round_ or at != step:
                measured = cost(at)
                times[at] = min(times.get(at, math.inf), measured.seconds)
                memory[at] = min(memory.get(at, math.inf), measured.megabytes)
        exponents = [
            _exponent([(size(at), max(values[at] - less, chance / 5)) for at in steps], chance) if is_measured else 0
            for values, less, chance, is_measured in ((times, start.seconds, NOISE / 5, is_slow), (memory, start.megabytes, MEMORY_NOISE / 2, is_large))
        ]
        # What is near the bound is measured again in either case.
        if round_ and max(exponents) <= MOST - (CLEARLY if round_ < REPEATED - 1 else 0):
            break
    return Growth(*exponents, times[step], "")


def _judge_the_judge(figures):
    """Made-up costs: which of them are taken for too much."""
    chance = random.Random(1)
    start = Cost(0.005, 20, 0, "")

    def too_much(seconds, megabytes=lambda n: 0, neighbors=1.0):
        """`neighbors`: a run takes up to so many times the processor time."""
        def cost(step):
            return Cost((start.seconds + seconds(step / 8)) * chance.uniform(1, neighbors), start.megabytes + megabytes(step / 8), 0, "")
        growth = _growth(cost, lambda step: 1000 * step, start, 256)
        return max(growth.time, growth.memory) > MOST

    # What it costs at the first size (of 32), and whether that is too much.
    kinds = {
        "n": (False, lambda n: 0.06 * n),
        "n log n": (False, lambda n: 0.01 * n * math.log2(1000 * n)),
        "n, quick": (False, lambda n: 0.004 * n),
        "n, with a constant": (False, lambda n: 0.1 + 0.02 * n),
        "a constant": (False, lambda n: 0.2),
        "n * n": (True, lambda n: 0.06 * n * n),
        "n * n, quick at first": (True, lambda n: 0.0004 * n * n),
        "n * n beside n": (True, lambda n: 0.01 * n + 0.06 * n * n),
        "n ** 1.5": (True, lambda n: 0.02 * n ** 1.5),
    }
    wrong = [f"{name}, with neighbors that cost {neighbors}" for name, (is_too_much, seconds) in kinds.items() for neighbors in (1, 1.2, 1.5) for _ in range(20) if too_much(seconds, neighbors=neighbors) != is_too_much]
    wrong += [f"memory, {name}" for name, (is_too_much, seconds) in kinds.items() if too_much(lambda n: 0, lambda n, of=seconds: 1000 * of(n)) != is_too_much]
    all_of_them = len(kinds) * (3 * 20 + 1)
    figures.must(all_of_them - len(wrong), all_of_them, "made-up growths are judged right, also beside neighbors that cost up to half as much again", sorted(set(wrong)))


def run(figures, full):
    """The part."""
    _judge_the_judge(figures)
    kept = house.scratch("dimensions")
    with house.memory_scratch() as folder:
        chosen = list(dimensions.OF.items())[::1 if full else house.sampled(1)]
        table, misses = _measure(pathlib.Path(folder), kept, full, chosen)
    _print(figures, table)
    named = len(chosen)
    bad = [f"{name}: {miss}" for name, of_name in misses.items() for miss in of_name]
    figures.must(named - len(misses), named, f"dimensions of input in which time and memory grow with an exponent of at most {MOST} (of {len(dimensions.OF)} dimensions)", bad)


def _is_short(growth):
    return bool(growth.wrong) or max(growth.time, growth.memory) > MOST


def _described(growth):
    return growth.wrong or f"time grows with the exponent {growth.time:.2f}, memory with {growth.memory:.2f}, {growth.seconds:.2f} s"


def _measure(folder, kept, full, chosen):
    """The growth of each of the chosen dimensions with each command; what falls short, of which the files are kept."""
    nothing = _Input(folder / "nothing", dimensions.parameters_used, 1)
    starts = {command: min((nothing.cost(command) for _ in range(REPEATED)), key=lambda cost: cost.seconds) for command in COMMANDS}
    start = min(starts.values(), key=lambda cost: cost.seconds)

    def measured(named, commands=None):
        """The rows of a dimension, of some commands or of all."""
        name, (make, always, base) = named
        turn, one_of = list(dimensions.OF).index(name), 1 if full else house.sampled(OF_OTHERS)
        others = [command for number, command in enumerate(COMMANDS) if (number + turn) % one_of == 0]
        inputs = _Inputs(folder / name, make, base)
        largest = inputs.largest(FULL_BYTES if full else MOST_BYTES)
        # The commands that a dimension does not name are measured at the first sizes.
        most = {**dict.fromkeys(others, largest if full else SIZES[0]), **dict.fromkeys(always, largest)}
        return name, [
            (command, _growth(lambda step, command=command: inputs[step].cost(command), lambda step: inputs[step].bytes, starts.get(command, start), most[command]))
            for command in commands or most
        ]

    table, misses = [], collections.defaultdict(list)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() if house.DRAWS == 1 else 1) as pool:
        for name, rows in pool.map(measured, chosen):
            short = {command for command, growth in rows if _is_short(growth)}
            # Another dimension was measured beside it: what falls short is measured again when nothing is.
            if short:
                misses[name] = short
            else:
                shutil.rmtree(folder / name)
            table += [(name, command, growth) for command, growth in rows if command not in short]
    for name, commands in list(misses.items()):
        last = {}
        for _ in range(AGAIN):
            shutil.rmtree(folder / name)
            _, rows = measured((name, dimensions.OF[name]), commands)
            last.update(rows)
            commands = {command for command, growth in rows if _is_short(growth)}
            if not commands:
                break
        table += [(name, command, growth) for command, growth in last.items()]
        misses[name] = [f"{command}: {_described(growth)}" for command, growth in last.items() if command in commands]
        if misses[name]:
            # It can be looked at.
            shutil.copytree(folder / name, kept / name)
        else:
            del misses[name]
    return table, misses


def _print(figures, table):
    """The worst command of each dimension, the worst dimension first."""
    worst = {}
    for name, command, growth in table:
        worst[name] = max(worst.get(name, (Growth(-1, -1, 0, ""),)), (growth, command))
    quick = sum(max(growth.time, growth.memory) == 0 for _, _, growth in table)
    figures.say(f"{'dimension':<42} {'the worst command':<20} {'time':>5} {'memory':>6} {'seconds':>7} of {len(table)} measured, {quick} of them too quick (0.00)")
    for name, (growth, command) in sorted(worst.items(), key=lambda it: -it[1][0].time):
        figures.say(f"{name:<42} {command:<20} {growth.time:>5.2f} {growth.memory:>6.2f} {growth.seconds:>7.2f}")
