"""The stand-in provider behind the real OpenTofu: what it takes and what it refuses."""

import json
import os
import subprocess
import unittest
from concurrent import futures

import judges

CONFIGURATIONS = judges.TESTS / "configurations"
_IS_THERE = (judges.ORACLES / "bin" / "tofu").exists() and (judges.ORACLES / "tofu.rc").exists()

if judges.can_import("tf"):
    import stand_in_provider


def tofu(folder, operation):
    """Runs `tofu_check`."""
    command = [judges.TOOLS / "tofu_check", folder, operation]
    return subprocess.run(command, env={**os.environ, "HOTPLATE_ORACLES": str(judges.ORACLES)}, capture_output=True, text=True, check=False)


@judges.needs("tofu", _IS_THERE)
class Client(unittest.TestCase):
    """Runs of the client."""

    def test_what_is_right(self):
        folder = CONFIGURATIONS / "accepted" / "servers"
        with futures.ThreadPoolExecutor(2) as pool:
            plan, applied = pool.map(lambda operation: tofu(folder, operation), ("plan", "apply"))
        self.assertIn("Plan: 6 to add, 0 to change, 0 to destroy.", plan.stdout)
        outputs = json.loads(applied.stdout)
        self.assertEqual(["192.0.2.1"], outputs["first"]["value"])
        self.assertEqual(2, len(outputs["ips"]["value"]))

    def test_each_mistake_is_refused(self):
        folders = sorted((CONFIGURATIONS / "refused").iterdir())
        with futures.ThreadPoolExecutor(2) as pool:
            ends = dict(zip([folder.name for folder in folders], pool.map(lambda folder: tofu(folder, "validate"), folders)))
        self.assertEqual([], [name for name, done in ends.items() if done.returncode == 0])


@judges.needs("tofu", judges.can_import("tf"))
class Answers(unittest.TestCase):
    """Single answers of the provider."""

    def test_blocks_and_types(self):
        block = stand_in_provider.block_of({
            "a": {"type": "list", "elem": "string", "optional": True},
            "b": {"type": "list", "attributes": {"c": {"type": "int"}}, "computed": True},
            "d": {"type": "set", "kind": "block", "attributes": {"e": {"type": "bool", "required": True}}, "required": True, "max_items": 3},
            "f": {"type": "list", "kind": "block", "attributes": {}, "optional": True, "min_items": 1},
        })
        self.assertEqual({"type": ["list", "string"], "optional": True}, block["attributes"]["a"])
        self.assertEqual(["list", ["object", {"c": "number"}]], block["attributes"]["b"]["type"])
        self.assertEqual((3, 1), tuple(block["block_types"]["d"][limit] for limit in ("max_items", "min_items")))
        self.assertNotIn("min_items", block["block_types"]["f"])

    def test_a_message_has_the_form_of_the_provider(self):
        parts = [{"content": "one", "content_type": None, "filename": None}, {"content": "two\n", "content_type": "text/x", "filename": "f", "merge_type": "m"}]
        text = stand_in_provider.rendered_message({"gzip": False, "base64_encode": False, "boundary": None, "part": parts})
        lines = [
            "MIME-Version: 1.0", "", "--MIMEBOUNDARY", "Content-Transfer-Encoding: 7bit", "Content-Type: text/plain", "Mime-Version: 1.0", "", "one",
            "--MIMEBOUNDARY", 'Content-Disposition: attachment; filename="f"', "Content-Transfer-Encoding: 7bit", "Content-Type: text/x", "Mime-Version: 1.0",
            "X-Merge-Type: m", "", "two\n", "--MIMEBOUNDARY--", "",
        ]
        self.assertEqual('Content-Type: multipart/mixed; boundary="MIMEBOUNDARY"\n' + "\r\n".join(lines), text)

    def test_a_plan_knows_defaults_and_leaves_the_rest_to_the_cloud(self):
        facts = {"a": {"type": "int", "optional": True, "default": 4}, "id": {"type": "string", "optional": True, "computed": True}}
        block = stand_in_provider.block_of(facts)
        state = stand_in_provider.planned(block, facts, None, {"a": None, "id": None}, {"a": None, "id": None})
        self.assertEqual(4, state["a"])
        self.assertTrue(stand_in_provider.is_unknown(state["id"]))
        self.assertEqual({"a": 4, "id": "x/1"}, stand_in_provider.applied(block, state, "x/1"))
