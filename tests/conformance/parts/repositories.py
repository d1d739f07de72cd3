"""The deployments of repositories: made-up ones of each layout with what a person would name, and that `init` declares them, once."""

import json
import subprocess

import house
from generators import layouts


def _found(folder):
    """What `hotplate deployments` finds: the deployments, and the templates for which several environments fit."""
    report = json.loads(house.hotplate("deployments", ".", "--format", "json", cwd=folder).stdout)
    deployments = [(it["template"], tuple(environment["path"] for environment in it["environments"])) for it in report["deployments"]]
    return sorted(it for it in deployments if it[1]), sorted(it["template"] for it in report["undecided"])


def _used(folder):
    """What `check` says it has used: it looks for deployments, as where nobody forbids it, in the work tree of git."""
    house.run(["git", "init", "-q"], cwd=folder)
    done = subprocess.run([house.BINARY, "check", ".", "--format", "json"], cwd=folder, capture_output=True, check=False)
    return json.loads(done.stdout)["summary"]["implied_deployments"]


def run(figures, _full):
    """Compares what is found with what a person would name."""
    found = expected = false = declared = stable = total = used = 0
    misses, wrong, undecided_wrong, not_declared, not_used = [], [], [], [], []
    for at, (name, files, deployments, undecided) in enumerate(layouts.layouts()):
        folder = house.scratch(f"repositories/{at}")
        for path, text in files.items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        total += 1
        there, open_ = _found(folder)
        expected += len(deployments)
        found += len([it for it in deployments if it in there])
        misses += [f"{name}: {it}" for it in deployments if it not in there]
        wrong += [f"{name}: {it}" for it in there if it not in deployments]
        if open_ != sorted(undecided):
            undecided_wrong.append(f"{name}: {open_}")
        false += len([it for it in there if it not in deployments])
        # Checks use what belongs together without a doubt, and say so.
        evidence = _used(folder)
        for template, environments in deployments:
            if template in open_ or [it[0] for it in deployments].count(template) > 1:
                continue
            is_used = all(any(f"`{path}`" in line for line in evidence) for path in environments)
            used += is_used
            if not is_used:
                not_used.append(f"{name}: {template}: {environments} not in {evidence}")
        # What `init` writes declares the same, and a second run adds nothing.
        house.hotplate("init", cwd=folder)
        text = (folder / "hotplate.toml").read_bytes() if (folder / "hotplate.toml").exists() else b""
        house.hotplate("init", cwd=folder)
        again = (folder / "hotplate.toml").read_bytes() if (folder / "hotplate.toml").exists() else b""
        after, _ = _found(folder)
        declared += after == sorted(deployments)
        stable += text == again
        if after != sorted(deployments) or text != again:
            not_declared.append(f"{name}: {after}")
    figures.must(found, expected, "deployments found", misses)
    figures.must(used, used + len(not_used), "deployments that are the only one of a template are used by `check`, and named", not_used)
    figures.must(total - len({it.split(":")[0] for it in wrong}), total, "layouts without a false deployment", wrong)
    figures.must(total - len(undecided_wrong), total, "layouts whose ambiguous templates are named", undecided_wrong)
    figures.must(min(declared, stable), total, "layouts that `init` declares, once", not_declared)
