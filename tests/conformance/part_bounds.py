"""Input that is made to grow, up to a megabyte, through every command and target: an answer or an error that
names a limit, within seconds and little memory, without a crash."""

import os
import resource
import subprocess

import bombs
import house

# Bytes of a bomb, unless `--full` asks for the largest that is promised.
SIZE, FULL_SIZE = 200_000, 1_000_000
# What is promised of a release build; other builds are several times slower.
SECONDS, MEGABYTES = 2, 512
SLOWER = float(os.environ.get("HOTPLATE_SLOWER", "1"))
# What ends a child that keeps to no bound.
HARD_SECONDS, HARD_MEMORY, HARD_OUTPUT = 60, 4 << 30, 1 << 30

TARGETS = ["hot", "heat-cfn", "cfn", "terraform", "terraform-json", "pulumi", "ansible", "dot", "mermaid", "markdown", "json", "yaml"]
BAKED = ["cfn", "terraform", "pulumi", "ansible"]
COMMANDS = [
    ["versions"], ["ir"], ["ir", "--text"], ["upgrade", "--diff"], ["eval"], ["eval", "--format", "json"], ["eval", "--nested"], ["env"],
    ["diff", "old.yaml"], ["diff", "old.yaml", "--format", "json"], ["diff", "old.yaml", "--format", "markdown"], ["diff", "old.yaml", "--format", "html"],
    *(["render", "-t", target] for target in TARGETS), *(["render", "--bake", "-t", target] for target in BAKED),
]


def _bound():
    resource.setrlimit(resource.RLIMIT_AS, (HARD_MEMORY, HARD_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (HARD_SECONDS, HARD_SECONDS))
    resource.setrlimit(resource.RLIMIT_FSIZE, (HARD_OUTPUT, HARD_OUTPUT))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _measured(command, folder):
    """(exit status, seconds of a processor, megabytes, the begin of what is said)."""
    with open(folder / "stdout", "wb") as out, open(folder / "stderr", "wb") as err:
        child = subprocess.Popen(command, cwd=folder, stdout=out, stderr=err, preexec_fn=_bound, env=house.environment())
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    said = (folder / "stderr").open(encoding="utf-8", errors="replace").read(200)
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


def run(figures, full):
    """The part."""
    folder = house.scratch("bounds")
    slowest, largest = (0, ""), (0, "")
    for name, make in bombs.templates().items():
        files = make(FULL_SIZE if full else SIZE)
        place = folder / name
        place.mkdir()
        (place / ".git").mkdir()
        for file, text in {**files, "old.yaml": _changed(files["t.yaml"])}.items():
            (place / file).write_text(text, encoding="utf-8")
        misses = []
        for arguments in COMMANDS:
            code, seconds, megabytes, said = _measured(_command(arguments, files), place)
            what = f"{name}: {' '.join(arguments)}"
            slowest, largest = max(slowest, (seconds, what)), max(largest, (megabytes, what))
            if code not in (0, 1, 2):
                misses.append(f"{what}: ended with {code}; {said}")
            elif seconds > SECONDS * SLOWER or megabytes > MEGABYTES:
                misses.append(f"{what}: {seconds:.2f} s, {megabytes} MB")
        figures.must(len(COMMANDS) - len(misses), len(COMMANDS), f"{name}: within {SECONDS} s and {MEGABYTES} MB", misses)
    figures.say(f"the slowest took {slowest[0]:.2f} s ({slowest[1]}), the largest {largest[0]} MB ({largest[1]})")
