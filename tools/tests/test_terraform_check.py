"""`terraform_check.py`: each kind of mistake is seen, and what is right is taken."""

import unittest

import judges
import terraform_check

NET = {"resource": {"openstack_networking_network_v2": {"net": {"name": "n"}}}}


def port(**arguments):
    """A network and a port with the arguments."""
    types = {**NET["resource"], "openstack_networking_port_v2": {"p": {"network_id": "${openstack_networking_network_v2.net.id}", **arguments}}}
    return {"resource": types}


class Json(unittest.TestCase):
    """Configurations in JSON, which need no other package."""

    @classmethod
    def setUpClass(cls):
        cls.checker = terraform_check.Checker()

    def wrong(self, document):
        """What is wrong in a document."""
        return self.checker.check([document])[0]

    def test_what_is_right(self):
        right = port(fixed_ip=[{"subnet_id": "s"}], admin_state_up="true", tags=["a"], dynamic={"allowed_address_pairs": {"for_each": [], "content": {}}})
        self.assertEqual(([], 2), self.checker.check([right]))
        self.assertEqual([], self.wrong({"resource": {"aws_instance": {"x": {"any": 1}}}}))

    def test_each_mistake(self):
        pool = {"protocol": "NOPE", "lb_method": "ROUND_ROBIN", "loadbalancer_id": "x"}
        for document, words in (
            (port(nam="x"), 'unsupported argument "nam"'),
            (port(all_fixed_ips=["1"]), '"all_fixed_ips" is read-only'),
            (port(fixed_ip="x"), '"fixed_ip" must be a block'),
            (port(binding=[{}, {}]), 'too many "binding" blocks'),
            (port(fixed_ip={}, no_fixed_ip=True), '"fixed_ip" conflicts with'),
            (port(name=["x"]), '"name" should be string'),
            (port(description="${openstack_networking_network_v2.other.id}"), "undeclared openstack_networking_network_v2.other"),
            (port(description="${openstack_networking_network_v2.net.show}"), 'has no attribute "show"'),
            ({"resource": {"openstack_networking_netwrk_v2": {"n": {}}}}, "unknown type"),
            ({"resource": {"openstack_networking_subnet_v2": {"s": {}}}}, 'missing required "network_id"'),
            ({"resource": {"openstack_networking_subnet_v2": {"s": {"network_id": "x", "ip_version": "six"}}}}, '"ip_version" should be int'),
            ({"resource": {"openstack_lb_pool_v2": {"p": pool}}}, "is not one of"),
        ):
            with self.subTest(words):
                self.assertIn(words, "\n".join(self.wrong(document)))


@judges.needs("schema", judges.can_import("hcl2"))
class Hcl(unittest.TestCase):
    """The same configurations as the real client's."""

    # What only a client with an evaluator sees, and what looks the same in the JSON of python-hcl2.
    UNSEEN = {"attr_as_block", "badfunc", "block_as_attr", "conflict", "cycle", "var_undeclared"}

    def test_configurations(self):
        folder = judges.TESTS / "configurations"
        found, count = terraform_check.Checker().check([terraform_check.read(folder / "accepted" / "servers" / "main.tf")])
        self.assertEqual(([], 4), (found, count))
        for path in sorted((folder / "refused").glob("*/main.tf")):
            if path.parent.name in self.UNSEEN:
                continue
            with self.subTest(path.parent.name):
                try:
                    found, _ = terraform_check.Checker().check([terraform_check.read(path)])
                except Exception as error:  # of the parser, for what is no HCL
                    found = [str(error)]
                self.assertTrue(found)
