"""The stand-in cloud: its handler, its rules of failure, its journal and its dump, by requests over HTTP; and Heat's engine on it."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import urllib.error
import urllib.request

import judges

TEMPLATE = """
heat_template_version: 2018-08-31
resources:
  net: {type: OS::Neutron::Net, properties: {name: net}}
  sub: {type: OS::Neutron::Subnet, properties: {network: {get_resource: net}, cidr: 10.0.0.0/24}}
  key: {type: OS::Nova::KeyPair, properties: {name: key, public_key: ssh-rsa AAAA1 a@b}}
  web: {type: OS::Nova::Server, depends_on: sub, properties: {name: web, flavor: m1.small, image: cirros, key_name: {get_resource: key}, networks: [{network: {get_resource: net}}]}}
"""


@judges.needs("heat", judges.can_import("neutron_lib"))
class Requests(unittest.TestCase):
    """What a client sees."""

    def setUp(self):
        from cloud import Cloud
        self.cloud = Cloud().start()
        self.addCleanup(self.cloud.stop)

    def ask(self, method, path, body=None):
        """The status and the answer."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.cloud.url + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return answer.status, json.loads(answer.read() or b"null")
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.loads(error.read() or b"null")

    def network(self, name="net", cidr="10.0.0.0/24"):
        """A network with a subnet."""
        _, made = self.ask("POST", "/network/v2.0/networks", {"network": {"name": name}})
        identifier = made["network"]["id"]
        _, subnet = self.ask("POST", "/network/v2.0/subnets", {"subnet": {"network_id": identifier, "cidr": cidr, "ip_version": 4, "name": f"{name}-sub"}})
        return identifier, subnet["subnet"]

    def test_attributes_are_neutrons(self):
        net, subnet = self.network(cidr="10.0.0.9/24")
        self.assertEqual(("10.0.0.0/24", "10.0.0.1", True), (subnet["cidr"], subnet["gateway_ip"], subnet["enable_dhcp"]))
        for change, words in (({"cidr": "10.1.0.0/24"}, "read-only attribute cidr"), ({"colour": "red"}, "Unrecognized attribute"), ({"enable_dhcp": "perhaps"}, "Invalid input")):
            status, answer = self.ask("PUT", f"/network/v2.0/subnets/{subnet['id']}", {"subnet": change})
            self.assertEqual((400, True), (status, words in answer["NeutronError"]["message"]), answer)
        self.assertEqual(409, self.ask("DELETE", f"/network/v2.0/networks/{net}", None)[0] if self.port(net)[0] == 201 else None)

    def port(self, net, address=None, name="port"):
        """Asks for a port."""
        fixed = {"fixed_ips": [{"ip_address": address}]} if address else {}
        return self.ask("POST", "/network/v2.0/ports", {"port": {"network_id": net, "name": name, **fixed}})

    def test_an_address_is_given_once(self):
        net, _ = self.network()
        self.assertEqual([201, 409, 400], [self.port(net, address)[0] for address in ("10.0.0.5", "10.0.0.5", "10.9.0.5")])
        self.assertEqual("10.0.0.2", self.port(net)[1]["port"]["fixed_ips"][0]["ip_address"])

    def test_rules_fail_what_they_name_and_as_often_as_they_say(self):
        net, _ = self.network()
        self.ask("POST", "/cloud/fail", {"rules": ["create port web-* 503 x1", "quota network 2"]})
        self.assertEqual([201, 503, 201], [self.port(net, name=name)[0] for name in ("db", "web-1", "web-1")])
        self.assertEqual([201, 409], [self.ask("POST", "/network/v2.0/networks", {"network": {}})[0] for _ in range(2)])
        self.cloud.fail("create server web-2")
        server = {"flavorRef": "1", "imageRef": next(iter(self.cloud.objects["images"])), "networks": [{"uuid": net}]}
        states = []
        for name in ("web-1", "web-2"):
            _, made = self.ask("POST", "/compute/v2.1/servers", {"server": {**server, "name": name}})
            states.append(self.ask("GET", f"/compute/v2.1/servers/{made['server']['id']}")[1]["server"]["status"])
        self.assertEqual(["ACTIVE", "ERROR"], states)

    def test_objects_are_ready_after_some_polls(self):
        self.cloud.polls = 2
        _, made = self.ask("POST", f"/volume/v3/{'a' * 32}/volumes", {"volume": {"size": 1}})
        seen = [self.ask("GET", f"/volume/v3/{'a' * 32}/volumes/{made['volume']['id']}")[1]["volume"]["status"] for _ in range(3)]
        self.assertEqual(("creating", "available"), (made["volume"]["status"], seen[-1]))

    def test_what_is_not_modeled_is_told(self):
        self.assertEqual(404, self.ask("GET", "/network/v2.0/firewalls/1")[0])
        self.assertEqual(["GET /network/v2.0/firewalls/1"], self.cloud.unmodeled)

    def test_two_clouds_with_the_same_objects_have_the_same_dump(self):
        from cloud import canonical
        dumps = []
        for order in (("a", "b"), ("b", "a")):
            self.cloud.reset()
            for name in order:
                net, _ = self.network(name, "10.0.0.0/24")
                self.port(net, name=f"s-port-{'k3x7qmzp2abc' if order[0] == 'a' else 'zzzzqmzp2abc'}")
            dumps.append(canonical(self.cloud))
        self.assertEqual(*dumps)
        self.assertEqual({"port:s-port-*#0", "port:s-port-*#1"}, set(dumps[0]["ports"]))
        self.assertEqual("(chosen)", dumps[0]["ports"]["port:s-port-*#0"]["fixed_ips"][0]["ip_address"])
        self.port(self.network("c", "10.0.0.0/24")[0], "10.0.0.7")
        self.assertNotEqual(dumps[0], canonical(self.cloud))

    def test_the_journal_has_names(self):
        from cloud import journal_lines
        net, _ = self.network()
        self.cloud.mark("here")
        self.ask("PUT", f"/network/v2.0/networks/{net}", {"network": {"name": "other"}})
        self.ask("GET", f"/network/v2.0/networks/{net}")
        self.assertEqual(["==== here", '200 PUT /network/v2.0/networks/network:other {"network": {"name": "other"}}'], journal_lines(self.cloud)[2:])


@judges.needs("heat", judges.can_import("heat", "neutron_lib"))
class Stacks(unittest.TestCase):
    """Heat's engine on the cloud."""

    def test_an_update_that_completes_can_lose_a_key_pair(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("1", TEMPLATE), ("2", TEMPLATE.replace("AAAA1", "AAAA2"))):
                pathlib.Path(folder, f"{name}.yaml").write_text(text, encoding="utf-8")
            steps = [f"create:{folder}/1.yaml", f"update:{folder}/2.yaml", "check"]
            done = subprocess.run([sys.executable, judges.TOOLS / "heat_stack.py", *steps, "--json"], capture_output=True, text=True, check=True, timeout=120)
        answer = json.loads(done.stdout)
        self.assertEqual([("CREATE", "COMPLETE"), ("UPDATE", "COMPLETE"), ("CHECK", "FAILED")], [(step["state"]["action"], step["state"]["status"]) for step in answer["steps"]])
        self.assertEqual(["key: 204 DELETE", "key: 201 POST", "key (cleanup): 204 DELETE"], [line.split(" /")[0] for line in answer["steps"][1]["journal"]])
        self.assertEqual((None, ["web"]), (answer["dump"].get("keypairs"), [one["name"] for one in answer["objects"]["servers"].values()]))
        self.assertEqual([], answer["unmodeled"])


if __name__ == "__main__":
    unittest.main()
