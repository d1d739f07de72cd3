"""Small git repositories in which a template names files at every place that it can: what a comparison must say."""

import dataclasses
import os
import re

import house

# How each format is asked for, and whether a report in it says that something was not compared.
FORMATS = {
    "text": ((), True),
    "json": (("--format", "json"), True),
    "markdown": (("--format", "markdown"), True),
    "html": (("--format", "html"), True),
    "github": (("--format", "github"), True),
    "gitlab": (("--format", "gitlab"), True),
    "sarif": (("--format", "sarif"), True),
    "junit": (("--format", "junit"), True),
    "stat": (("--stat",), True),
    "names": (("--name-only",), False),
}

# What a gate may be set to; none of them lets pass what could not be compared.
GATES = ("delete", "replace,delete", "refused", "widen", "create")

SERVER = """heat_template_version: 2018-08-31
resources:
  server:
    type: OS::Nova::Server
    properties:
      flavor: small
      image: system
      user_data_format: RAW
      user_data: {get_file: %s}
"""
NESTED = """heat_template_version: 2018-08-31
resources:
  inner:
    type: %s
    properties: {size: 1}
"""
VOLUME = """heat_template_version: 2018-08-31
parameters:
  size: {type: number}
resources:
  disk:
    type: OS::Cinder::Volume
    properties: {size: {get_param: size}, availability_zone: %s}
"""
TEMPLATE = "stacks/web/stack.yaml"


@dataclasses.dataclass(frozen=True)
class Case:
    """A repository: what the template names, what is where, and what changes in the last commit."""

    name: str
    template: str
    # Files by their path, before and after; a path that begins with `../` is outside of the repository.
    before: dict
    after: dict
    # Something cannot be read, so that the comparison is not whole.
    unread: bool
    # What the comparison finds besides, if anything.
    finds: str = ""
    # Symbolic links: path and target.
    links: tuple = ()


def _changed(text):
    return {"before": {text: "echo one\n"}, "after": {text: "echo two\n"}}


def _comment(names):
    return {TEMPLATE: SERVER % names + "# changed\n"}


CASES = (
    Case("beside", SERVER % "boot.sh", **_changed("stacks/web/boot.sh"), unread=False, finds="replace"),
    Case("in the folder above", SERVER % "../boot.sh", **_changed("stacks/boot.sh"), unread=False, finds="replace"),
    Case("at the root of the repository", SERVER % "../../boot.sh", **_changed("boot.sh"), unread=False, finds="replace"),
    Case("above the root", SERVER % "../../../outside.sh", {"../outside.sh": "echo\n"}, _comment("../../../outside.sh"), unread=True),
    Case("above the root, which changes nothing", SERVER % "../../../outside.sh", {"../outside.sh": "echo\n"},
         {TEMPLATE: SERVER.replace("small", "large") % "../../../outside.sh"}, unread=True),
    Case("missing", SERVER % "../gone.sh", {}, _comment("../gone.sh"), unread=True),
    Case("added by the change", SERVER % "../boot.sh", {}, {"stacks/boot.sh": "echo\n"}, unread=True),
    Case("taken away by the change", SERVER % "../boot.sh", {"stacks/boot.sh": "echo\n"}, {"stacks/boot.sh": None}, unread=True),
    Case("a link inside", SERVER % "../link.sh", **_changed("lib/boot.sh"), unread=False, finds="replace", links=(("stacks/link.sh", "../lib/boot.sh"),)),
    Case("a link that leaves", SERVER % "../link.sh", {"../outside.sh": "echo\n"}, _comment("../link.sh"), unread=True, links=(("stacks/link.sh", "../../outside.sh"),)),
    Case("nested, in the folder above", NESTED % "../disk.yaml", {"stacks/disk.yaml": VOLUME % "a"}, {"stacks/disk.yaml": VOLUME % "b"}, unread=False, finds="replace"),
    Case("nested, above the root", NESTED % "../../../disk.yaml", {"../disk.yaml": VOLUME % "a"}, {TEMPLATE: NESTED % "../../../disk.yaml" + "# changed\n"}, unread=True),
    Case("nested, missing", NESTED % "../disk.yaml", {}, {TEMPLATE: NESTED % "../disk.yaml" + "# changed\n"}, unread=True),
    Case("nested, broken by the change", NESTED % "../disk.yaml", {"stacks/disk.yaml": VOLUME % "a"}, {"stacks/disk.yaml": "heat_template_version: 2018-08-31\nresources: [\n"}, unread=True),
    Case("nested, mended by the change", NESTED % "../disk.yaml", {"stacks/disk.yaml": "heat_template_version: 2018-08-31\nresources: [\n"}, {"stacks/disk.yaml": VOLUME % "a"}, unread=True),
)


def _git(folder, *arguments):
    done = house.run(["git", "-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=false", *arguments], cwd=folder)
    if done.returncode != 0:
        raise RuntimeError(f"git {arguments[0]}: {done.stderr.decode()[:300]}")


def _put(folder, files):
    for name, text in files.items():
        path = folder / name
        if text is None:
            path.unlink()
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())


def make(place, case):
    """The repository of a case, with two commits."""
    folder = place / "repository"
    folder.mkdir(parents=True)
    _git(folder, "init", "-q", "-b", "main")
    _put(folder, {TEMPLATE: case.template, **case.before})
    for name, target in case.links:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        os.symlink(target, folder / name)
    _git(folder, "add", "-A")
    _git(folder, "commit", "-q", "-m", "before")
    _put(folder, case.after)
    _git(folder, "add", "-A")
    _git(folder, "commit", "-q", "-m", "after")
    return folder


def commits(folder, pairs):
    """A repository with two commits: the old side and the new one of every pair of files."""
    _git(folder, "init", "-q", "-b", "main")
    for side in ("old", "new"):
        for pair in sorted(path for path in pairs.iterdir() if path.is_dir()):
            _put(folder, {f"{pair.name}/template.yaml": (pair / f"{side}.yaml").read_bytes()})
        _git(folder, "add", "-A")
        _git(folder, "commit", "-q", "-m", side)


def problem(case, done, says):
    """What is wrong with a report, if anything. `says`: the format has words for what was not compared."""
    shown = done.stdout.decode("utf-8", "replace")
    if done.returncode not in (1, 2):
        return f"exit {done.returncode}: {shown[:200]!r}"
    if not says:
        return None
    words = re.compile(r"not[ _-]compared|refuse", re.IGNORECASE)
    first = shown[:4000]
    if case.unread and not words.search(first):
        return f"no word of what was not compared or is refused: {shown[:200]!r}"
    if not case.unread and re.search(r"\b[1-9]\d* not compared", shown):
        return f"something was not compared: {shown[:200]!r}"
    if case.finds and case.finds not in shown:
        return f"`{case.finds}` is not told: {shown[:200]!r}"
    return None
