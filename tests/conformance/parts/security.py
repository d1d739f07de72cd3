"""Security groups of the corpus in every target that makes some: what the result lets through, read back by the example
`traffic`, beside the template, by the arithmetic of `hotplate diff`.

A group with a rule that is left out with a loss of level error may let through less, never more.
"""

import concurrent.futures
import json

import house

# What of the corpus the part cannot do without.
NEEDS = ("templates",)

TARGETS = ("terraform-json", "pulumi", "cfn", "ansible")
TRAFFIC = house.BRIDGES / "traffic"


def run(figures, full):
    """The part."""
    folder = house.scratch("security")
    paths = [path for path in house.files_below(house.CORPUS) if b"OS::Neutron::SecurityGroup" in path.read_bytes()]
    paths = paths if full else [path for path in paths if path.name != "old.yaml"]
    for target in TARGETS:
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            answers = list(pool.map(lambda item: _judge(target, item[1], folder / target / str(item[0])), enumerate(paths)))
        groups = [group for answer in answers for group in answer]
        compared = [group for group in groups if group["read"]]
        opened = [f"{group['at']}: {line}" for group in compared for line in group["opened"]]
        closed = [f"{group['at']}: {line}" for group in compared if not group["lost"] for line in group["closed"]]
        well = sum(not group["opened"] and (group["lost"] or not group["closed"]) for group in compared)
        lost = sum(group["lost"] for group in compared)
        figures.must(well, len(compared), f"groups in {target}: they let through what Heat does ({lost} with a rule left out: no more than Heat)", opened + closed)
        figures.count(len(compared), len(groups), f"groups in {target} could be read back (the others are functions of the target)",
                      [f"{group['at']}: {group['why']}" for group in groups if not group["read"]])


def _judge(target, path, folder):
    """Every group of a template: whether it was read, whether a rule was left out, and what differs."""
    folder.mkdir(parents=True)
    done = house.hotplate("render", str(path), "--target", target, "--format", "json")
    (folder / "report.json").write_bytes(done.stdout)
    read = house.run([TRAFFIC, target, str(path), str(folder / "report.json")])
    if read.returncode != 0:
        return []
    sides = json.loads(read.stdout)
    for side in ("old", "new"):
        # Beside the template's own files, whose names are relative.
        (folder / f"{side}.yaml").write_text(json.dumps(sides[side]), encoding="utf-8")
    changes = json.loads(house.hotplate("diff", str(folder / "old.yaml"), str(folder / "new.yaml"), "--format", "json").stdout or b"{}")
    losses = [loss for loss in json.loads(done.stdout)["losses"] if loss["severity"] == "error"]
    resources = sides["old"]["resources"]
    lost = {_group_of(resources, loss["owner"]) for loss in losses}
    found = []
    for name, why in sides["groups"].items():
        told = [change for change in changes.get("security", []) if change["resource"] == name]
        found.append({
            "at": f"{path}: {name}", "read": why is None and "security" in changes, "why": why or "not compared", "lost": name in lost,
            "opened": [change["message"] for change in told if change["verdict"] != "narrowed"],
            "closed": [change["message"] for change in told if change["verdict"] == "narrowed"],
        })
    return found


def _group_of(resources, owner):
    """The group of a single rule, or the group itself."""
    group = ((resources.get(owner) or {}).get("properties") or {}).get("security_group")
    return group.get("get_resource", owner) if isinstance(group, dict) else owner
