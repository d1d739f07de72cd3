"""Runs `openstack stack plan` against a stand-in for the cloud, as a user does."""

import json
import os
import pathlib
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest

from stand_in_cloud import PASSWORD, Cloud

PARTS = ["stack", "template", "environment", "files", "resources"]
# The folder from which the stack was created takes the place of this one.
NODE_URL = "file:///home/demo/node.yaml"
NODE = """\
heat_template_version: 2018-08-31
parameters:
  size: {type: number}
resources:
  disk:
    type: OS::Cinder::Volume
    properties: {size: {get_param: size}}
"""
WEB = """\
heat_template_version: 2018-08-31
parameters:
  flavor: {type: string}
  admin_pass: {type: string, hidden: true}
resources:
  server:
    type: OS::Nova::Server
    properties:
      flavor: {get_param: flavor}
      image: debian-12
      networks: [{network: private}]
      admin_pass: {get_param: admin_pass}
  node:
    type: node.yaml
    properties: {size: 10}
"""


def resource(name, kind, identifier, stack="web"):
    return {
        "resource_name": name,
        "logical_resource_id": name,
        "physical_resource_id": identifier,
        "resource_type": kind,
        "resource_status": "CREATE_COMPLETE",
        "resource_status_reason": "state changed",
        "creation_time": "2026-05-04T10:00:00Z",
        "updated_time": "2026-05-04T10:00:00Z",
        "required_by": [],
        "stack_name": stack,
    }


WEB_STACK = {
    "stack": {
        "stack_status": "CREATE_COMPLETE",
        "stack_status_reason": "Stack CREATE completed successfully",
        "description": "No description",
        "parameters": {"OS::stack_name": "web", "flavor": "m1.small", "admin_pass": "******"},
        "links": [],
        "outputs": [{"output_key": "password", "output_value": "value-of-an-output"}],
    },
    "template": {
        "heat_template_version": "2018-08-31",
        "parameters": {"flavor": {"type": "string"}, "admin_pass": {"type": "string", "hidden": True}},
        "resources": {
            "server": {
                "type": "OS::Nova::Server",
                "properties": {
                    "flavor": {"get_param": "flavor"},
                    "image": "debian-12",
                    "networks": [{"network": "private"}],
                    "admin_pass": {"get_param": "admin_pass"},
                },
            },
            "node": {"type": NODE_URL, "properties": {"size": 10}},
        },
    },
    "environment": {
        "parameters": {"flavor": "m1.small", "admin_pass": "******"},
        "parameter_defaults": {},
        "resource_registry": {"resources": {}},
        "event_sinks": [],
        "encrypted_param_names": [],
    },
    "files": {NODE_URL: NODE},
    "resources": [
        resource("server", "OS::Nova::Server", "11111111-1111-4111-8111-111111111111"),
        resource("node", NODE_URL, "22222222-2222-4222-8222-222222222222"),
        resource("disk", "OS::Cinder::Volume", "33333333-3333-4333-8333-333333333333", "web-node-x7k2m4aa5bcd"),
    ],
}


class StackPlan(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        # The client's own settings must not decide.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="stack-plan-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.temporary = self.folder / "temporary"
        self.temporary.mkdir()
        (self.folder / "node.yaml").write_text(NODE)
        (self.folder / "web.yaml").write_text(WEB)
        self.cloud = Cloud({"web": self.created_from(self.folder)})

    @staticmethod
    def created_from(folder):
        return json.loads(json.dumps(WEB_STACK).replace(NODE_URL, (folder / "node.yaml").as_uri()))

    def environment(self, **changes):
        kept = {name: value for name, value in os.environ.items() if not name.startswith("OS_")}
        return {**kept, "HOME": str(self.folder), "TMPDIR": str(self.temporary), "COLUMNS": "200", **changes}

    def command(self, *arguments, password=PASSWORD):
        login = {
            "auth-type": "password",
            "auth-url": self.cloud.url + "/identity",
            "identity-api-version": "3",
            "username": "demo",
            "user-domain-name": "Default",
            "project-name": "demo",
            "project-domain-name": "Default",
            "password": password,
            "region-name": "RegionOne",
        }
        client = os.path.join(os.path.dirname(sys.executable), "openstack")
        return [client, *("--os-{}={}".format(*it) for it in login.items()), "stack", "plan", *arguments]

    def plan(self, *arguments, status, password=PASSWORD, input=None, **changes):
        """What the client prints: its output and its errors. Nothing is left behind, and no secret is shown."""
        with self.cloud.running():
            done = subprocess.run(
                self.command(*arguments, password=password), cwd=self.folder, env=self.environment(**changes), input=input,
                text=True, capture_output=True)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertEqual(os.listdir(self.temporary), [])
        self.assertNotIn("Traceback", done.stderr)
        for secret in ("value-of-an-output", PASSWORD):
            self.assertNotIn(secret, done.stdout + done.stderr)
        return done.stdout, done.stderr

    def change(self, old, new, file="web.yaml"):
        path = self.folder / file
        text = path.read_text()
        self.assertIn(old, text)
        path.write_text(text.replace(old, new))

    def test_the_template_that_runs_makes_no_difference(self):
        out, _ = self.plan("web", "-t", "web.yaml", status=0)
        self.assertIn("no differences", out)

    def test_only_five_parts_are_read_and_nothing_is_sent(self):
        self.plan("web", "-t", "web.yaml", status=0)
        reads = self.cloud.requests
        self.assertEqual(reads[0], "GET stacks/web?resolve_outputs=False")
        self.assertEqual({it.split("/")[-1].split("?")[0] for it in reads[2:]}, set(PARTS[1:]))
        self.assertTrue(all(it.startswith("GET ") for it in reads), reads)
        self.assertEqual(len(reads), 6, reads)
        self.assertIn("nested_depth=99", reads[-1])

    def test_a_change_is_reported_with_hotplates_status(self):
        self.change("network: private", "network: dmz")
        out, _ = self.plan("web", "-t", "web.yaml", status=1)
        self.assertIn("server", out)
        self.assertIn("private → dmz", out)
        self.plan("web", "-t", "web.yaml", "--fail-on", "delete", status=0)

    def test_a_change_of_a_nested_template_reaches_its_resources(self):
        self.change("size: {get_param: size}}", "size: {get_param: size}, volume_type: fast}", "node.yaml")
        out, _ = self.plan("web", "-t", "web.yaml", status=1)
        self.assertIn("node/disk", out)

    def test_resources_of_nested_stacks_are_compared_with_the_template(self):
        disk = self.cloud.stacks["web"]["resources"][2]
        disk["resource_status"] = "CREATE_FAILED"
        # The next update asks Cinder, and replaces the volume if it is not there.
        out, _ = self.plan("web", "-t", "web.yaml", "--format", "json", status=1)
        self.assertEqual(json.loads(out)["verdict"]["worst"][0]["resource"], "node/disk")
        findings = [it["message"] for it in json.loads(out)["findings"] if it["code"] == "HP0914"]
        self.assertEqual(len(findings), 1, out)
        self.assertIn("node/disk", findings[0])

    def test_a_hidden_parameter_stays_hidden(self):
        out, err = self.plan("web", "-t", "web.yaml", "--parameter", "admin_pass=new-password", status=1)
        self.assertIn("admin_pass", out + err)
        self.assertNotIn("new-password", out + err)

    def test_parameters_and_environments_are_those_of_the_update(self):
        out, _ = self.plan("web", "-t", "web.yaml", "--parameter", "flavor=m1.large", status=1)
        self.assertIn("m1.small → m1.large", out)
        # Without a template, that of the stack stays; the values are shown in the same way.
        out, _ = self.plan("web", "--parameter", "flavor=m1.large", status=1)
        self.assertIn("m1.small → m1.large", out)

    def test_an_environment_without_a_template_is_merged(self):
        (self.folder / "prod.yaml").write_text("parameters: {flavor: m1.large}\n")
        out, err = self.plan("web", "-e", "prod.yaml", status=1)
        self.assertIn("m1.small → m1.large", out)
        self.assertNotIn("`admin_pass` has no value", out + err)

    def test_an_environment_is_merged_and_parameters_are_cleared_as_in_an_update(self):
        (self.folder / "other.yaml").write_text("parameter_defaults: {other: 1}\n")
        out, err = self.plan("web", "-t", "web.yaml", "-e", "other.yaml", "--existing", status=1)
        # The stack has one more default, which no parameter takes.
        self.assertIn("no resource changes; 3 unchanged", out)
        self.assertIn("+ parameter default other", out)
        self.assertNotIn("`flavor` has no value", out + err)
        out, err = self.plan("web", "-t", "web.yaml", "--clear-parameter", "flavor", status=1)
        self.assertIn("flavor", out + err)

    def test_a_nested_template_of_another_path_is_another_type(self):
        """Heat compares the URLs, and updates the nested stack."""
        self.cloud.stacks["web"] = json.loads(json.dumps(WEB_STACK))
        out, _ = self.plan("web", "-t", "web.yaml", status=1)
        self.assertIn("1 nested stack updated in place; 2 unchanged", out)

    def test_an_environment_replaces_that_of_the_stack(self):
        (self.folder / "prod.yaml").write_text("parameters: {flavor: m1.large}\n")
        out, _ = self.plan("web", "-t", "web.yaml", "-e", "prod.yaml", status=1)
        self.assertIn("m1.small → m1.large", out)
        self.assertIn("new with -e prod.yaml", " ".join(out.split()))

    def test_a_parameter_can_be_the_content_of_a_file(self):
        (self.folder / "flavor").write_text("m1.large")
        out, _ = self.plan("web", "-t", "web.yaml", "--parameter-file", "flavor=flavor", status=1)
        self.assertIn("m1.small → m1.large", out)

    def test_a_template_can_be_standard_input(self):
        out, _ = self.plan("web", "-t", "-", status=1, input=WEB.replace("private", "dmz"))
        self.assertIn("private → dmz", out)

    def test_reports_in_other_formats(self):
        self.change("network: private", "network: dmz")
        out, _ = self.plan("web", "-t", "web.yaml", "--format", "json", "-o", "html=plan.html", status=1)
        self.assertIn("server", json.dumps(json.loads(out)))
        self.assertIn("<html", (self.folder / "plan.html").read_text())
        out, _ = self.plan("web", "-t", "web.yaml", "--stat", status=1)
        self.assertIn("server |", out)

    def test_what_was_read_can_be_kept(self):
        self.plan("web", "-t", "web.yaml", "--keep", "saved", status=0)
        saved = self.folder / "saved"
        self.assertEqual(stat.S_IMODE(saved.stat().st_mode), 0o700)
        self.assertEqual({it.name for it in saved.iterdir()}, {part + ".json" for part in PARTS})
        for file in saved.iterdir():
            self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600)
            self.assertNotIn("value-of-an-output", file.read_text())
        _, err = self.plan("web", "-t", "web.yaml", "--keep", "saved", status=2)
        self.assertIn("cannot create the folder `saved`", err)

    def test_the_folder_is_private_and_removed_after_a_signal(self):
        """A template that is a pipe without a writer keeps hotplate waiting."""
        os.mkfifo(self.folder / "pipe.yaml")
        with self.cloud.running():
            running = subprocess.Popen(
                self.command("web", "-t", "pipe.yaml"), cwd=self.folder, env=self.environment(), stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT)
            until = time.monotonic() + 60
            while not list(self.temporary.glob("*/resources.json")):
                self.assertIsNone(running.poll())
                self.assertLess(time.monotonic(), until)
                time.sleep(0.05)
            modes = {stat.S_IMODE(it.stat().st_mode) for it in self.temporary.iterdir()}
            running.send_signal(signal.SIGTERM)
            running.communicate(timeout=60)
        self.assertEqual(modes, {0o700})
        self.assertEqual(os.listdir(self.temporary), [])

    def test_a_stack_that_does_not_exist(self):
        _, err = self.plan("wbe", "-t", "web.yaml", status=2)
        self.assertIn("there is no stack `wbe` in this project and region", err)

    def test_a_call_that_is_forbidden(self):
        for part in PARTS:
            self.cloud.forbidden = {part}
            _, err = self.plan("web", "-t", "web.yaml", "--keep", "saved", status=2)
            self.assertIn("You are not authorized to use {}. (HTTP 403)".format(part), err)
            self.assertFalse((self.folder / "saved").exists())

    def test_a_part_that_this_heat_does_not_have(self):
        del self.cloud.stacks["web"]["files"]
        _, err = self.plan("web", "-t", "web.yaml", status=2)
        self.assertIn("cannot read the files of the stack `web`: The resource could not be found. (HTTP 404)", err)

    def test_a_login_that_fails(self):
        _, err = self.plan("web", "-t", "web.yaml", status=1, password="wrong")
        self.assertIn("requires authentication", err)

    def test_a_template_that_is_missing(self):
        _, err = self.plan("web", "-t", "gone.yaml", status=2)
        self.assertIn("gone.yaml", err)

    def test_a_program_that_is_missing(self):
        """The program is moved away from its place beside the client, and is not on the search path."""
        program = pathlib.Path(os.path.dirname(sys.executable)) / "hotplate"
        hidden = program.with_name("hotplate.hidden")
        program.rename(hidden)
        try:
            _, err = self.plan("web", "-t", "web.yaml", status=2, PATH="/nonexistent")
        finally:
            hidden.rename(program)
        self.assertIn("the program `hotplate` is missing: install it with `pip install hotplate`", err)
        self.assertEqual(self.cloud.requests, [])

    def test_help_shows_examples_and_what_is_not_read(self):
        out, _ = self.plan("--help", status=0)
        for text in ("openstack stack plan web -t web.yaml -e prod.yaml", "Not read:", "exit status:"):
            self.assertIn(text, out)


if __name__ == "__main__":
    unittest.main()
