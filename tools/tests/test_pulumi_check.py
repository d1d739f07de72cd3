"""`pulumi_check.py`: each kind of mistake is seen, and what is right is taken."""

import unittest

import judges

if judges.can_import("yaml"):
    import pulumi_check


def program(**properties):
    """A network and a port with the properties."""
    return {
        "name": "p", "runtime": "yaml",
        "resources": {
            "net": {"type": "openstack:networking:Network"},
            "port": {"type": "openstack:networking/port:Port", "properties": {"networkId": "${net.id}", **properties}},
        },
    }


@judges.needs("heat", judges.can_import("yaml"))
class Programs(unittest.TestCase):
    """Programs as data."""

    @classmethod
    def setUpClass(cls):
        cls.checker = pulumi_check.Checker()

    def test_what_is_right(self):
        right = program(adminStateUp=True, fixedIps=[{"subnetId": "s"}], tags={"fn::split": [",", "a"]}, name="${pulumi.stack}-$${x}")
        self.assertEqual([], list(self.checker.check(right)))

    def test_each_mistake(self):
        without = program()
        del without["resources"]["port"]["properties"]["networkId"]
        for document, words in (
            (program(nam="x"), "unknown property nam"),
            (without, "missing networkId"),
            (program(adminStateUp="yes"), "want a boolean"),
            (program(fixedIps={}), "want a list"),
            (program(fixedIps=[{"subnet": "s"}]), "unknown property subnet"),
            (program(name={"fn::jion": []}), "unknown function fn::jion"),
            (program(name="${other}"), "undeclared other"),
            (program(name="${net.show}"), "has no output show"),
            ({**program(), "resource": {}}, "unknown top-level key resource"),
            ({"resources": {"a": {"type": "openstack:networking:Netwrk"}}}, "unknown resource type"),
        ):
            with self.subTest(words):
                self.assertIn(words, "\n".join(self.checker.check(document)))
