"""Where things are: the repository, the judges, the binaries under test."""

import functools
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# The tables and templates of the targets.
TARGETS = ROOT / "crates/hotplate-emit/targets"
# Real templates, for the parts that judge those. `--corpus` names the folder; without it, it is that of HOTPLATE_SHARED or of
# `shared` beside the repository. It may be missing, or lack some of its pieces.
CORPUS = pathlib.Path(os.environ.get("HOTPLATE_CORPUS", pathlib.Path(os.environ.get("HOTPLATE_SHARED", ROOT.parent / "shared")) / "corpus")).resolve()
PIECES = ("templates", "pairs", "overcloud", "yaml-cases", "yaml-cases.expected.tsv", "yaml-nasty.tsv")
FACTS = ROOT / "tools" / "facts"
PYTHON = sys.executable
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()
WORK = TARGET / "conformance"
ORACLES = pathlib.Path(os.environ.get("HOTPLATE_ORACLES", TARGET / "oracles")).resolve()
# How many times as long something may take: other work slows a machine.
SLOWER = float(os.environ.get("HOTPLATE_SLOWER", "1"))
# The share of the random draws and of the samples that a run makes: a slow machine draws fewer, so that the run ends.
DRAWS = float(os.environ.get("HOTPLATE_DRAWS", "1"))
BINARY = os.environ.get("HOTPLATE_BIN", str(TARGET / "release" / "hotplate"))
BRIDGES = pathlib.Path(os.environ.get("HOTPLATE_BRIDGES", TARGET / "release")).resolve()
BRIDGE = str(BRIDGES / "bridge")

# The programs of the judges beside Heat's engine.
PROGRAMS = {"cfn": ORACLES / "venv" / "bin" / "cfn-lint", "tofu": ORACLES / "bin" / "tofu", "provider": ORACLES / "provider" / "tofu.rc", "ansible": ORACLES / "ansible-sdk"}

# What `upgrade` says of a file that it has a new text for.
UPGRADED = ("date_only", "rewritten", "conditional")

TEMPLATE_SUFFIXES = (".yaml", ".yml", ".template", ".json", ".hot", ".heat")


def drawn(count):
    """Of so many random draws, those of this run."""
    return max(1, round(count * DRAWS))


def sampled(one_of):
    """Of a sample that takes one of so many, how many of them one is taken of in this run."""
    return max(1, round(one_of / DRAWS))


def missing(*pieces):
    """Which pieces the corpus does not have."""
    return [piece for piece in pieces if not (CORPUS / piece).exists()]


def tool(name):
    """A tool of the judges."""
    return ROOT / "tools" / name


@functools.cache
def installed(judge):
    """Whether a judge of `tools/setup` is there, which is asked to install it otherwise."""
    return run([tool("setup"), ORACLES, judge]).returncode == 0


@functools.cache
def tool_module(name):
    """A tool of the judges as a module."""
    spec = importlib.util.spec_from_file_location(name, tool(f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def environment(**more):
    """The environment for child processes."""
    return {**os.environ, "PYTHONPATH": str(HERE), "PYTHONHASHSEED": "0", **more}


def run(command, **options):
    """Runs a program to its end; its output as bytes. The caller looks at the exit code.

    The judges have the environments that are named, so hotplate looks for no others.
    """
    options.setdefault("env", environment())
    if command[0] == BINARY:
        command = [BINARY, "--no-discovery", *command[1:]]
    return subprocess.run([str(part) for part in command], capture_output=True, check=False, **options)


def timed(command, **options):
    """Runs a program; how many seconds it took, and how it ended."""
    start = time.perf_counter()
    done = run(command, **options)
    return time.perf_counter() - start, done


def hotplate(*arguments, **options):
    """Runs the binary under test, without a limit of resources where it has one, like the judges."""
    unlimited = ("--max-resources", str(10**9)) if arguments[0] in ("eval", "diff", "render") else ()
    # Reports show a path below the current folder relative to it; the judges have absolute ones, which are shown from the root.
    options.setdefault("cwd", "/")
    return run([BINARY, *arguments, *unlimited], **options)


def bridge(*arguments):
    """Runs the bridge to hotplate's reader and writer, which must end well."""
    done = run([BRIDGE, *arguments])
    if done.returncode != 0:
        raise RuntimeError(f"bridge {arguments[0]} ended with {done.returncode}: {done.stderr.decode()[:500]}")
    return done


def scratch(name):
    """An empty folder of that name under `target/conformance`."""
    folder = WORK / name
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    return folder


def memory_scratch():
    """A folder in memory that is removed when it is closed, or one under `target/conformance` where there is no room: what a file system on a
    disk takes for a new file depends on the files that were deleted before."""
    memory = pathlib.Path("/dev/shm")
    has_room = memory.is_dir() and os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > 2 << 30
    return tempfile.TemporaryDirectory(prefix="hotplate-", dir=memory if has_room else WORK)


def files_below(folder, suffixes=TEMPLATE_SUFFIXES):
    """The files of a folder tree with one of the suffixes, sorted; none where there is no such folder."""
    return sorted(path for path in pathlib.Path(folder).rglob("*") if path.suffix in suffixes and path.is_file())


class Upgrade:
    """One run of `hotplate upgrade --write --format json` over a folder."""

    def __init__(self, folder, to, extra=()):
        done = hotplate("upgrade", "--to", to, "--write", "--format", "json", *extra, ".", cwd=folder)
        self.exit_code = done.returncode
        self.stderr = done.stderr.decode("utf-8", "replace")
        try:
            self.report = json.loads(done.stdout)
        except ValueError as error:
            raise RuntimeError(f"upgrade --to {to} in {folder}: exit {done.returncode}, no JSON report ({error}); "
                               f"stderr: {self.stderr[-2000:]}") from error
        self.summary = self.report["summary"]
        self.files = {os.path.normpath(entry["path"]): entry for entry in self.report["files"]}
