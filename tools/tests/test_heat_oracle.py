"""Each operation of `heat_oracle.py`, in one process: that it asks Heat's engine, and refuses what Heat refuses."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import judges

TEMPLATE = """
heat_template_version: 2018-08-31
parameters:
  name: {type: string, constraints: [{length: {max: 8}}]}
  sizes: {type: comma_delimited_list, default: "1,2"}
conditions: {long: {not: {equals: [{get_param: name}, web]}}}
resources:
  net: {type: OS::Neutron::Net, properties: {name: {get_param: name}}}
  port: {type: OS::Neutron::Port, condition: long, properties: {network: {get_resource: net}}}
outputs:
  text: {value: {list_join: ["-", {get_param: sizes}]}}
  size: {value: {get_attr: [net, mtu]}}
"""
CHANGED = TEMPLATE.replace("properties: {name: {get_param: name}}", "properties: {name: other, value_specs: {a: b}}")


@judges.needs("heat", judges.can_import("heat"))
class Operations(unittest.TestCase):
    """Requests and answers of `batch`."""

    @classmethod
    def setUpClass(cls):
        command = [sys.executable, judges.TOOLS / "heat_oracle.py", "batch"]
        cls.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    @classmethod
    def tearDownClass(cls):
        cls.process.stdin.close()
        cls.process.stdout.close()
        cls.process.wait()

    def ask(self, **request):
        """The answer to one request."""
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def test_a_line_that_is_no_json_is_an_answer(self):
        self.process.stdin.write("{\n")
        self.process.stdin.flush()
        self.assertFalse(json.loads(self.process.stdout.readline())["ok"])
        self.assertEqual(7, self.ask(op="ping", id=7)["id"])

    def test_parse(self):
        answer = self.ask(op="parse", template="heat_template_version: 2015-04-30\noutputs: {a: {value: 2015-04-30}}\n")
        self.assertEqual("2015-04-30", answer["template"]["outputs"]["a"]["value"])
        self.assertEqual("HOTemplate20150430", answer["class"])

    def test_validate(self):
        self.assertTrue(self.ask(op="validate", strict=True, template=TEMPLATE, params={"name": "web"})["ok"])
        too_long = self.ask(op="validate", strict=True, template=TEMPLATE, params={"name": "long-name"})
        self.assertFalse(too_long["ok"])
        unknown = self.ask(op="validate", strict=True, template=TEMPLATE.replace("OS::Neutron::Net", "OS::Neutron::Nett"), params={"name": "web"})
        self.assertFalse(unknown["ok"])

    def test_resolve(self):
        answer = self.ask(op="resolve", template=TEMPLATE, params={"name": "db"}, attrs={"net": {"mtu": 1500}})
        self.assertTrue(answer["ok"], answer)
        self.assertEqual({"long": True}, answer["conditions"])
        self.assertEqual(["1-2", 1500], [answer["outputs"][name]["value"] for name in ("text", "size")])
        self.assertEqual("<<res:net>>", answer["resources"]["port"]["properties"]["network"])
        web = self.ask(op="resolve", template=TEMPLATE, params={"name": "web"})
        self.assertEqual(["port"], web["disabled_resources"])

    def test_update(self):
        answer = self.ask(op="update", old_template=TEMPLATE, template=CHANGED, params={"name": "web"})
        self.assertEqual("updated", answer["resources"]["net"]["action"])

    def test_env(self):
        answer = self.ask(op="env", template=TEMPLATE, env=[{"parameters": {"name": "a"}}, {"parameters": {"name": "b"}}])
        self.assertEqual("b", answer["environment"]["parameters"]["name"])

    def test_functions(self):
        versions = self.ask(op="functions")["versions"]["heat_template_version"]
        self.assertIn("yaql", versions["2016-10-14"]["functions"])
        self.assertNotIn("yaql", versions["2016-04-08"]["functions"])

    def test_the_command_line(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write(TEMPLATE)
            file.flush()
            command = [sys.executable, judges.TOOLS / "heat_oracle.py", "resolve", pathlib.Path(file.name), "-P", "name=web"]
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        self.assertEqual("web", json.loads(done.stdout)["parameters"]["name"])
