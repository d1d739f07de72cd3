"""The files of facts, and the tables that are made of them, are what the generators make of what is installed."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import facts
import judges

GENERATE = judges.TOOLS / "generate"
FACTS = judges.TOOLS / "facts"
PULUMI = judges.ORACLES / "pulumi" / "bin" / "python"
TOFU = judges.ORACLES / "bin" / "tofu"


def output(*command, **options):
    """What a command prints, which must end well."""
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8", check=False, **options)
    if done.returncode != 0:
        raise AssertionError(done.stdout)
    return done.stdout


class Tables(unittest.TestCase):
    """The tables of the targets, which need no judge."""

    def same(self, table, script, *names):
        """Whether a script makes the table of facts."""
        made = output(sys.executable, judges.ROOT / script, *(FACTS / name for name in names))
        self.assertEqual((judges.ROOT / table).read_text(encoding="utf-8"), made)

    def test_terraform(self):
        self.same("crates/hotplate-emit/targets/terraform/schema.json", "crates/hotplate-emit/targets/terraform/generate.py", "terraform_openstack_schema.json", "terraform_random_schema.json")

    def test_pulumi(self):
        names = ("pulumi_openstack_schema.json", "terraform_openstack_schema.json", "terraform_to_pulumi_names.json")
        self.same("crates/hotplate-emit/targets/pulumi/names.yaml", "crates/hotplate-emit/targets/pulumi/generate.py", *names)

    def test_ansible(self):
        self.same("crates/hotplate-emit/targets/ansible/modules.json", "crates/hotplate-emit/targets/ansible/modules.py", "ansible_openstack_modules.json")


class Installed(unittest.TestCase):
    """The facts beside what is installed."""

    @judges.needs("heat", judges.can_import("heat"))
    def test_heat_types(self):
        self.assertIn("heat-27.json: the same; 0 references", output(sys.executable, GENERATE / "heat_types.py", "--check"))

    def test_older_heats(self):
        """Each older release has a folder of its own, which is searched first."""
        older = sorted(path.stem for path in (judges.ROOT / "crates" / "heat-facts" / "data").glob("heat-*.json"))[:-1]
        self.assertTrue(older)
        for release in older:
            folder = judges.ORACLES / release
            if not folder.exists():
                self.skipTest(f"{release} is not installed: tools/setup {release}")
            with self.subTest(release):
                done = output(sys.executable, GENERATE / "heat_types.py", "--check", env={**os.environ, "PYTHONPATH": str(folder)})
                self.assertIn(f"{release}.json: the same; 0 references", done)

    @judges.needs("heat", judges.can_import("heat", "oslo_log"))
    def test_releases(self):
        self.assertIn("the same", output(sys.executable, GENERATE / "releases.py", "--check"))

    @judges.needs("ansible", judges.can_import("ansible_collections", "openstack"))
    def test_ansible_modules(self):
        self.assertIn("the same", output(sys.executable, GENERATE / "ansible_modules.py", "--check"))

    @judges.needs("pulumi", PULUMI.exists())
    def test_pulumi_schema(self):
        self.assertIn("the same", output(PULUMI, GENERATE / "pulumi_schema.py", "--check"))

    @judges.needs("tofu", TOFU.exists())
    def test_terraform_schema(self):
        """The stand-in serves the facts, so this shows that nothing is lost on the way, not that the facts are right."""
        environment = {**os.environ, "TF_CLI_CONFIG_FILE": str(judges.ORACLES / "tofu.rc")}
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "main.tf").write_bytes((judges.TESTS / "configurations" / "accepted" / "servers" / "main.tf").read_bytes())
            output(TOFU, "init", "-no-color", cwd=folder, env=environment)
            schema = output(TOFU, "providers", "schema", "-json", cwd=folder, env=environment)
            (folder / "schema.json").write_text(schema, encoding="utf-8")
            self.assertIn("the same", output(sys.executable, GENERATE / "terraform_schema.py", folder / "schema.json", "--check"))
            changed = json.loads(schema)
            provider, = changed["provider_schemas"].values()
            attributes = provider["resource_schemas"]["openstack_networking_network_v2"]["block"]["attributes"]
            attributes["colour"] = attributes.pop("mtu")
            (folder / "schema.json").write_text(json.dumps(changed), encoding="utf-8")
            done = subprocess.run([sys.executable, GENERATE / "terraform_schema.py", folder / "schema.json", "--check"], capture_output=True, text=True, check=False)
        self.assertEqual(1, done.returncode)
        self.assertIn("/attributes/colour: ", done.stdout)
        self.assertIn("/attributes/mtu: ", done.stdout)


class Differences(unittest.TestCase):
    """How two trees are compared."""

    def test_each_kind(self):
        found = list(facts.differences({"a": 1, "b": [1], "c": {"d": True}}, {"a": 1.0, "b": [2], "c": {"e": True}}))
        self.assertEqual(["/a: 1 became 1.0", "/b: [1] became [2]", "/c/d: true is gone", "/c/e: true is new"], found)
        self.assertEqual([], list(facts.differences({"a": {"b": None}}, {"a": {"b": None}})))
