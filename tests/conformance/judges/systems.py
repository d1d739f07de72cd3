"""Deployments on one cloud: what the parts `system`, `takeover` and `afterwards` ask `system_worker.py`, and the table of what is known to differ."""

import fnmatch
import json
import shutil

import house
from generators import cloud_changes, cloud_deployments, systems
from judges import updates

# Seconds for one request, which may be a playbook.
LONGEST = 400
# Names of networks that an administrator made external.
EXTERNAL = ["ext", "ext2", "public", "external"]
# Nova is capped where a template leaves networks to it, as most real ones do: a newer one refuses such servers.
WITHOUT_NETWORKS = "2.36"
# Types that run on the cloud and have no row of changes: what they make is in the rows of others, or in Heat's database.
ALSO = {"OS::Neutron::RouterGateway", "OS::Neutron::ProviderNet", "OS::Neutron::ExtraRoute", "OS::Neutron::SecurityGroupRule", "OS::Heat::WaitConditionHandle", "OS::Heat::StructuredConfig", "OS::Heat::StructuredDeployment",
        "OS::Heat::WaitCondition", "AWS::CloudFormation::WaitCondition", "AWS::CloudFormation::WaitConditionHandle", "OS::Heat::TestResource", "OS::Heat::None", "OS::Heat::AutoScalingGroup", "OS::Heat::ScalingPolicy", "OS::Heat::SoftwareComponent", "OS::Heat::AccessPolicy", "AWS::EC2::SecurityGroup", "AWS::EC2::Instance", "AWS::EC2::Volume", "AWS::EC2::VolumeAttachment",
        "AWS::EC2::EIP", "AWS::EC2::EIPAssociation", "AWS::IAM::User", "AWS::IAM::AccessKey", "AWS::AutoScaling::LaunchConfiguration", "AWS::AutoScaling::AutoScalingGroup", "AWS::AutoScaling::ScalingPolicy"}


def is_modeled(kind):
    """Whether the cloud has what a type needs."""
    return kind in cloud_changes.TYPES or kind in ALSO


class Systems(updates.Updates):
    """Asks processes of `system_worker.py`. What they answer rests on the program under test, and is not kept."""

    def worker(self):
        """A process with a cloud, an engine and a provider of its own."""
        return updates.Worker("system_worker.py", LONGEST)

    def run(self, requests):
        """The answers; the files that a request lacked are there again."""
        return self.ask(requests)


def generated(folder, do, **more):
    """Requests for the deployments of `generators/systems.py`, by name."""
    for name, text in systems.FILES.items():
        (folder / name).write_text(json.dumps(text), encoding="utf-8")
    found = {}
    for name, made in systems.every():
        path = folder / f"{name.replace(' ', '-')}.yaml"
        path.write_text(json.dumps(made), encoding="utf-8")
        found[name] = {"do": do, "old": str(path), "folder": str(folder / path.stem), "external": EXTERNAL, **more}
    return found


def corpus(figures, folder, do, of, **more):
    """Requests for the real templates whose types are modeled, by path: one of so many."""
    if not figures.has("templates", what="real deployments"):
        return {}
    base = folder / "corpus"
    shutil.copytree(house.CORPUS / "templates", base)
    found, texts, apart = {}, set(), 0
    for path in house.files_below(base):
        tree, text = cloud_deployments.read(path), path.read_bytes()
        if text in texts or not (tree.get("resources") or tree.get("Resources")):
            continue
        texts.add(text)
        files, kinds = cloud_deployments.closure(path)
        if not all(map(is_modeled, kinds)):
            apart += 1
            continue
        environment = folder / f"{len(found)}.env.yaml"
        environment.write_text(json.dumps({"parameters": cloud_deployments.surroundings(path)[1]}), encoding="utf-8")
        found[str(path.relative_to(base))] = {"do": do, "old": str(path), "env": [str(environment)], "put": cloud_deployments.surroundings(*files)[0], "folder": str(folder / str(len(found))), "stand_ins": str(base), "external": EXTERNAL, "api": WITHOUT_NETWORKS, "agent": True, **more}
    figures.say(f"corpus: {len(found)} of {len(found) + apart} templates have modeled types only; one in {of} runs")
    return dict(list(found.items())[::of])


class Known:
    """The differences that are known: rows of a table, whose first fields are patterns of what is judged, and whose last are the issue that is to end the row
    (`-`: it stays) and the reason. The second field is the pattern of a case."""

    def __init__(self, name, full):
        text = (house.HERE / "known" / f"{name}.tsv").read_text(encoding="utf-8")
        self.rows = [tuple(line.split("\t")) for line in text.splitlines() if line and not line.startswith("#")]
        self.full, self.seen, self.cases = full, set(), set()

    def has(self, *key):
        """Whether a row has this difference."""
        self.cases.add(key[:2])
        found = [row for row in self.rows if all(fnmatch.fnmatchcase(part, pattern) for part, pattern in zip(key, row))]
        self.seen.update(found)
        return bool(found)

    def judged(self, group, case):
        """Notes that a case was compared."""
        self.cases.add((group, case))

    def tell(self, figures):
        """Each row has a reason, and is still true where its case was compared; one for many cases is looked at with `--full`."""
        wrong = [row for row in self.rows if row[-2] not in ("-", "42", "43", "45", "50", "51") or not row[-1]]
        gone = [row for row in self.rows if row not in self.seen and any(fnmatch.fnmatchcase(group, row[0]) and fnmatch.fnmatchcase(case, row[1]) for group, case in self.cases) and (self.full or "*" not in row[1])]
        figures.must(len(self.rows) - len({*wrong, *gone}), len(self.rows), "known differences have a reason, and those of what ran are still there", ["\t".join(row) for row in (*wrong, *gone)], empty_is_well=True)
