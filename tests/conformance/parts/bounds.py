"""Input that is made to grow, up to a megabyte, through every command and target: an answer or an error that
names a limit, within seconds and little memory, without a crash."""

import concurrent.futures
import os
import resource
import subprocess

import house
from generators import bombs

# Bytes of a bomb, unless `--full` asks for the largest that is promised.
SIZE, FULL_SIZE = 200_000, 1_000_000
# What is promised of a release build; other builds are several times slower.
SECONDS, MEGABYTES = 2, 512
# What ends a child that keeps to no bound.
HARD_SECONDS, HARD_MEMORY, HARD_OUTPUT = 60, 4 << 30, 1 << 30

# Every bomb goes through these, no two of which share their way.
ALWAYS = [
    ["upgrade", "--diff"], ["eval", "--format", "json"], ["diff", "old.yaml", "--format", "html"],
    *(["render", "-t", target] for target in ("hot", "cfn", "terraform", "pulumi", "ansible", "markdown")), ["render", "--bake", "-t", "terraform"],
]
# These share most of it with one of the others: so many for each bomb, in turn, and all with `--full`.
IN_TURN = [
    ["versions"], ["ir"], ["ir", "--text"], ["eval"], ["eval", "--nested"], ["env"], ["diff", "old.yaml"], ["diff", "old.yaml", "--format", "json"],
    ["diff", "old.yaml", "--format", "markdown"], *(["render", "-t", target] for target in ("heat-cfn", "terraform-json", "dot", "mermaid", "json", "yaml")),
    *(["render", "--bake", "-t", target] for target in ("cfn", "pulumi", "ansible")),
]
TURNS = 3
COMMANDS = [*ALWAYS, *IN_TURN]


def _bound():
    resource.setrlimit(resource.RLIMIT_AS, (HARD_MEMORY, HARD_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (HARD_SECONDS, HARD_SECONDS))
    resource.setrlimit(resource.RLIMIT_FSIZE, (HARD_OUTPUT, HARD_OUTPUT))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _measured(command, folder, number):
    """(exit status, seconds of a processor, megabytes, the begin of what is said)."""
    names = folder / f"stdout{number}", folder / f"stderr{number}"
    with open(names[0], "wb") as out, open(names[1], "wb") as err:
        child = subprocess.Popen(command, cwd=folder, stdout=out, stderr=err, preexec_fn=_bound, env=house.environment())
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    with open(names[1], encoding="utf-8", errors="replace") as err:
        said = err.read(200)
    for name in names:
        name.unlink()
    return child.returncode, used.ru_utime + used.ru_stime, used.ru_maxrss >> 10, said


def _command(arguments, files):
    name, *rest = arguments
    command = [house.BINARY, name]
    if name == "diff":
        command += [rest.pop(0), "t.yaml", *rest]
    else:
        command += [*rest, "t.yaml"]
    if "e.yaml" in files and name in ("eval", "diff", "render", "env"):
        command += ["-e", "e.yaml"]
    return command


def _changed(template):
    """The other side of a comparison."""
    return template.replace("value: a", "value: b").replace("[1, 2]", "[1, 3]").replace("default: a", "default: b")


def _commands(number, full):
    """The commands that a bomb goes through."""
    if full:
        return COMMANDS
    return [*ALWAYS, *(IN_TURN[(number * TURNS + turn) % len(IN_TURN)] for turn in range(TURNS))]


def run(figures, full):
    """The part."""
    folder = house.scratch("bounds")
    slowest, largest, all_seconds = (0, ""), (0, ""), 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for bomb, (name, make) in enumerate(bombs.templates().items()):
            files = make(FULL_SIZE if full else SIZE)
            files.setdefault("old.yaml", _changed(files["t.yaml"]))
            place = folder / name
            place.mkdir()
            (place / ".git" / "objects").mkdir(parents=True)
            for file, text in files.items():
                (place / file).write_text(text, encoding="utf-8")
            commands = _commands(bomb, full)
            measured = pool.map(lambda job: _measured(_command(job[1], files), place, job[0]), enumerate(commands))
            misses = []
            for arguments, (code, seconds, megabytes, said) in zip(commands, measured):
                what = f"{name}: {' '.join(arguments)}"
                slowest, largest = max(slowest, (seconds, what)), max(largest, (megabytes, what))
                all_seconds += seconds
                if code not in (0, 1, 2):
                    misses.append(f"{what}: ended with {code}; {said}")
                elif seconds > SECONDS * house.SLOWER or megabytes > MEGABYTES:
                    misses.append(f"{what}: {seconds:.2f} s, {megabytes} MB")
            figures.must(len(commands) - len(misses), len(commands), f"{name}: within {SECONDS} s and {MEGABYTES} MB", misses)
    figures.say(f"the slowest took {slowest[0]:.2f} s ({slowest[1]}), the largest {largest[0]} MB ({largest[1]}), all {all_seconds:.0f} s of a processor")
