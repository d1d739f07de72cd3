"""Adoption: of a stack that exists and was saved, the plan imports everything, changes nothing and makes nothing anew.

Every template of the corpus gets made-up lists of what it would have created, in the form of `openstack stack resource list
-n 9 -f json`, `port list` and `security group rule list`; so does a template for every type that has a counterpart. The stand-in
provider reads back only what the real one reads, takes only IDs of the documented form, and knows the names that Heat gave. The last part follows the page
`docs/leaving-heat.md` from its first line to its last."""

import json
import re
import shutil
import urllib.parse
import uuid
from concurrent import futures

import yaml

import house
from judges.tofu import Tofu, asked, refuses_values

# The judges that the part cannot do without, beside Heat's engine.
JUDGES = ("tofu",)

ID_OF_IMAGE = "6f70656e-7374-4163-8b00-000000000008"
COMMANDS = re.compile(r"^```shell\n(.*?)^```", re.MULTILINE | re.DOTALL)
LETTERS = "abcdefghijklmnopqrstuvwxyz234567"
DONE = re.compile(r"# (?:\S+\.)?(openstack_\w+)\.\S+ (?:\(imported[^)]*\) )?will be (imported|created|destroyed|updated)|must be (replaced)")
PLAN = re.compile(r"Plan: (?:(\d+) to import, )?(\d+) to add, (\d+) to change, (\d+) to destroy")
# Heat keeps more than the id of these.
REFS = {
    "OS::Barbican::Secret": "secrets",
    "OS::Barbican::Order": "orders",
    "OS::Barbican::GenericContainer": "containers",
}

# Groups whose members `hotplate eval` does not tell, and what says how many there are.
SCALED = {"AWS::AutoScaling::AutoScalingGroup": ("DesiredCapacity", "MinSize"), "OS::Heat::InstanceGroup": ("Size",)}


class Cloud:
    """Ids of what exists, each its own, and what is known of each in a folder."""

    def __init__(self, number, folder):
        self.number, self.folder = number, folder
        self.count = 0
        self.ports, self.rules, self.objects = [], [], []

    def id(self):
        self.count += 1
        return str(uuid.UUID(int=0x6F70656E000041008000000000000000 + (self.number << 24) + self.count))

    def end(self):
        """The random end of a name."""
        self.count += 1
        digits, number = "", self.count
        for _ in range(12):
            digits += LETTERS[number % 32]
            number //= 32
        return digits

    def physical(self, kind, properties):
        """What Heat keeps of a resource."""
        if kind in REFS:
            return f"http://keys.example/v1/{REFS[kind]}/{self.id()}"
        if kind == "OS::Nova::KeyPair" and isinstance(properties.get("name"), str):
            return properties["name"]
        if kind == "OS::Neutron::RouterInterface":
            if any(key in properties for key in ("port", "port_id")):
                return f"{self.id()}:port_id={self.id()}"
            router, subnet = self.id(), self.id()
            self.ports.append({
                "ID": self.id(), "Name": "", "MAC Address": "fa:16:3e:00:00:01", "Status": "ACTIVE", "Security Groups": [], "Tags": [],
                "Fixed IP Addresses": [{"subnet_id": subnet, "ip_address": "10.0.0.1"}], "Device Owner": "network:router_interface",
            })
            return f"{router}:subnet_id={subnet}"
        return self.id()

    def keep(self, identity, names):
        """Keeps the names of which an object has one."""
        (self.folder / (urllib.parse.quote(identity, safe="") + ".json")).write_text(json.dumps({"name": names}), encoding="utf-8")

    def made_up(self, identity, name):
        """Keeps a name that Heat made up, which the list of its service shows."""
        self.keep(identity, [name])
        self.objects.append({"ID": identity, "Name": name})

    def security_rules(self, group, rules):
        """The rules of a group, as the client lists them."""
        for rule in rules if isinstance(rules, list) else ():
            if not isinstance(rule, dict):
                continue
            first, last = rule.get("port_range_min"), rule.get("port_range_max")
            remote = rule.get("remote_group_id") or group
            by_group = rule.get("remote_mode") == "remote_group_id"
            self.rules.append({
                "ID": self.id(), "IP Protocol": rule.get("protocol"), "Ethertype": rule.get("ethertype") or "IPv4",
                "IP Range": (not by_group and rule.get("remote_ip_prefix")) or "0.0.0.0/0",
                "Port Range": "" if first is None and last is None else f"{'' if first is None else first}:{'' if last is None else last}",
                "Direction": rule.get("direction") or "ingress", "Remote Security Group": remote if by_group else None, "Security Group": group,
            })

    def rows(self, stack, name, around=()):
        """The rows of a stack that `hotplate eval` has told, with those below it."""
        # `eval --fill` invents one name for all stacks: in a value it stands for this stack or for one around it.
        filled = stack.get("parameters", {}).get("OS::stack_name")
        names = (name, *around)
        for resource, entry in stack["resources"].items():
            properties = entry.get("properties") or {}
            physical = self.physical(entry["type"], properties)
            given = properties.get("name")
            if entry["type"] == "OS::Neutron::SecurityGroup":
                self.security_rules(physical, properties.get("rules"))
            if not (given and not isinstance(given, str)):
                real = [given.replace(filled, it) if isinstance(filled, str) else given for it in names] if given else []
                if real:
                    self.keep(physical, real)
                else:
                    self.made_up(physical, f"{name}-{resource}-{self.end()}")
            yield {
                "resource_name": resource,
                "physical_resource_id": physical,
                "resource_type": entry["type"],
                "resource_status": "CREATE_COMPLETE",
                "updated_time": "2026-01-01T00:00:00Z",
                "stack_name": name,
            }
            if isinstance(entry.get("nested"), dict) and "resources" in entry["nested"]:
                yield from self.rows(entry["nested"], f"{name}-{resource}-{self.end()}", names)
            sizes = (properties.get(key) for key in SCALED.get(entry["type"], ()))
            size = next((int(size) for size in sizes if str(size).isdigit()), 0)
            members = {self.end(): {"type": "OS::Heat::ScaledResource"} for _ in range(size)}
            if members:
                yield from self.rows({"resources": members}, f"{name}-{resource}-{self.end()}", names)


def run(figures, _full):
    """Plans every rendered template."""
    folder = house.scratch("adopt")
    corpus = house.files_below(house.CORPUS / "templates")
    jobs = [(f"corpus-{index}", path) for index, path in enumerate(corpus)]
    jobs += [(f"type-{path.stem}", path) for path in _generated(folder / "types")]
    cloud = folder / "cloud"
    cloud.mkdir(parents=True)
    with Tofu(cloud) as tofu, futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda job: _one(tofu, folder, *job), zip(range(len(jobs)), jobs)))
        _page(figures, tofu, Cloud(len(jobs) + 1, cloud), folder / "page")
    for what in ("corpus", "type"):
        if what == "corpus" and not figures.has("templates", what="templates of the corpus"):
            continue
        part = [result for (name, _), result in zip(jobs, results) if name.startswith(what)]
        planned = [result for result in part if isinstance(result, dict)]
        broken = [result for result in part if isinstance(result, str)]
        figures.must(len(planned), len(planned) + len(broken), f"{what}: plans", broken, empty_is_well=False)
        total = {key: sum(result[key] for result in planned) for key in ("imported", "created", "declared", "destroyed", "changed")}
        wrong = [result["told"] for result in planned if result["created"] > result["declared"] or result["destroyed"]]
        figures.must(len(planned) - len(wrong), len(planned), f"{what}: plans with 0 to add and 0 to destroy but what is declared", wrong)
        changed = [result["told"] for result in planned if result["changed"]]
        figures.must(len(planned) - len(changed), len(planned), f"{what}: plans with 0 to change and 0 to replace", changed)
        figures.count(total["imported"], total["imported"] + total["created"], f"{what}: objects imported of those that are written")
        figures.say(f"{what}: {total['declared']} resources with a declared reason why a part of them is not imported")
    shutil.rmtree(folder / "out", ignore_errors=True)


NODE_URL = "file:///gone/node.yaml"
# A stack with a nested one, a group that lost its first member, and names of all kinds.
WEB = {
    "heat_template_version": "2018-08-31",
    "parameters": {"size": {"type": "number", "default": 5}},
    "resources": {
        "net": {"type": "OS::Neutron::Net"},
        "subnet": {"type": "OS::Neutron::Subnet", "properties": {"network": {"get_resource": "net"}, "cidr": "10.0.0.0/24"}},
        "router": {"type": "OS::Neutron::Router", "properties": {"name": "front"}},
        "face": {"type": "OS::Neutron::RouterInterface", "properties": {"router": {"get_resource": "router"}, "subnet": {"get_resource": "subnet"}}},
        "group": {"type": "OS::Neutron::SecurityGroup", "properties": {"rules": [{"protocol": "tcp", "port_range_min": 22, "port_range_max": 22}]}},
        "data": {"type": "OS::Cinder::Volume", "properties": {"size": {"get_param": "size"}, "image": ID_OF_IMAGE}},
        "server": {"type": "OS::Nova::Server", "properties": {
            "flavor": "small", "image": ID_OF_IMAGE, "key_name": "key", "user_data": "#!/bin/sh", "user_data_format": "RAW",
            "networks": [{"network": {"get_resource": "net"}}]}},
        "attached": {"type": "OS::Cinder::VolumeAttachment", "properties": {"instance_uuid": {"get_resource": "server"}, "volume_id": {"get_resource": "data"}}},
        "nodes": {"type": "OS::Heat::ResourceGroup", "properties": {"count": 2, "resource_def": {
            "type": NODE_URL, "properties": {"name": "node-%index%", "network": {"get_resource": "net"}}}}},
    },
}
NODE = {
    "heat_template_version": "2018-08-31",
    "parameters": {"name": {"type": "string"}, "network": {"type": "string"}},
    "resources": {"port": {"type": "OS::Neutron::Port", "properties": {"name": {"get_param": "name"}, "network": {"get_param": "network"}}}},
}
# The lists of services that the page saves, by the resource of the stack that each has; routers have a name of the template.
LISTS = {"network": "net", "subnet": "subnet", "router": "router", "security-group": "group", "server": "server", "volume": "data"}
# What stands in for OpenStack's client: it prints what is in a folder.
CLIENT = """import pathlib, sys
kept = pathlib.Path(__file__).parent / "client"
words = [word for word in sys.argv[1:] if word.isalpha() and word not in ("json", "web")]
text = (kept / ("-".join(words) + ".json")).read_text()
if "--output-file" in sys.argv:
    pathlib.Path(sys.argv[sys.argv.index("--output-file") + 1]).write_text(text)
else:
    print(text)
"""


def _page(figures, tofu, cloud, folder):
    """Follows docs/leaving-heat.md from the first command to the last."""
    client = folder / "bin" / "client"
    client.mkdir(parents=True)
    node = (folder / "node.yaml").as_uri()
    export, rows = _web(cloud, node)
    # The templates from which the stack was made, with what only a person writes.
    for name, template in (("web", WEB), ("node", NODE)):
        text = yaml.safe_dump(template, sort_keys=False)
        (folder / f"{name}.yaml").write_text("# kept\n" + text.replace(NODE_URL, "node.yaml"), encoding="utf-8")
    answers = {
        "stack-export": export, "stack-abandon": export, "stack-template-show": export["template"], "stack-file-list": export["files"],
        "stack-environment-show": export["environment"], "stack-resource-list": rows, "port-list": cloud.ports, "security-group-rule-list": cloud.rules,
        **{f"{service}-list": [row for row in cloud.objects if row["Name"].startswith(f"web-{name}-")] for service, name in LISTS.items()},
        **{f"stack-{verb}": {"stack_name": "web"} for verb in ("update", "delete", "adopt")},
        "stack-show": {"stack_name": "web", "id": export["id"], "parameters": {"OS::stack_name": "web", "size": "10"}, "stack_status": "CREATE_COMPLETE"},
    }
    for name, answer in answers.items():
        (client / f"{name}.json").write_text(json.dumps(answer, indent=2), encoding="utf-8")
    (folder / "bin" / "client.py").write_text(CLIENT, encoding="utf-8")
    programs = {
        "openstack": f'exec "{house.PYTHON}" "{folder}/bin/client.py" "$@"',
        "hotplate": f'exec "{house.BINARY}" "$@"',
        # The provider is there already: nothing is installed.
        "tofu": f'[ "$1" = init ] && set -- get; exec "{house.PROGRAMS["tofu"]}" "$@"',
    }
    for name, line in programs.items():
        program = folder / "bin" / name
        program.write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
        program.chmod(0o755)
    page = (house.ROOT / "docs" / "leaving-heat.md").read_text(encoding="utf-8")
    lines = [line for block in COMMANDS.findall(page) for line in block.splitlines() if line.strip()]
    # The folder of the page's other way has the same objects.
    lines += ["grep -c 'deletion_policy: Retain' web.yaml node.yaml", "grep -q '^# kept' web.yaml"]
    lines += ["hotplate diff web.json web.yaml --format json"]
    lines += ["hotplate render saved --target terraform --adopt lists -o again", "cmp again/imports.tf web/imports.tf", "cmp again/main.tf web/main.tf"]
    lines += ["grep -q ignore_changes web/main.tf", "! grep -q 'ignore_changes.*[^_]name' web/main.tf"]
    script = "".join(f"echo '@@ {line}'\n{line}\nprintf '\\n@= %s\\n' \"$?\"\n" for line in lines)
    environment = {**tofu.environment(), "PATH": f"{folder}/bin:/usr/bin:/bin", "TF_CLI_ARGS": "-no-color"}
    done = house.run(["/bin/sh", "-c", script], cwd=folder, env=environment)
    text = done.stdout.decode("utf-8", "replace")
    steps = re.findall(r"^@@ (.*?)\n(.*?)^@= (\d+)$", text, re.MULTILINE | re.DOTALL)
    # Of hotplate 1 means that something needs attention; the deletion policies are a difference.
    failed = [f"{line}: {status}\n{output[-400:]}" for line, output, status in steps if int(status) > ("hotplate" in line and ("diff" not in line or "web.yaml" in line))]
    figures.must(len(steps) - len(failed), len(lines), "page: commands that do what it says", failed, empty_is_well=False)
    parts = {part for line, output, _ in steps if "--format json" in line for part in re.findall(r'"part": "(\w+)"', output)}
    figures.must(int(parts == {"deletion_policy"}), 1, "page: differences of the template with deletion policies", sorted(parts))
    plans = [output for line, output, _ in steps if line.startswith("tofu plan")]
    wanted = [f"Plan: {_objects(export)} to import, 0 to add, 0 to change, 0 to destroy.", "No changes."]
    kept = sum(want in plan for want, plan in zip(wanted, plans))
    figures.must(kept, len(wanted), "page: plans that it promises", plans)


def _web(cloud, node):
    """The exported stack, and the rows of its resources."""
    def resource(name, kind, properties):
        physical = cloud.physical(kind, properties)
        return {"name": name, "resource_id": physical, "type": kind, "action": "CREATE", "status": "COMPLETE", "metadata": {}, "resource_data": {}}

    def stack(name, resources):
        return {"name": name, "id": cloud.id(), "action": "CREATE", "status": "COMPLETE", "resources": resources, "tags": []}

    resources = {name: resource(name, entry["type"], entry.get("properties", {})) for name, entry in WEB["resources"].items() if name != "nodes"}
    router, subnet = resources["router"]["resource_id"], resources["subnet"]["resource_id"]
    resources["face"]["resource_id"] = f"{router}:subnet_id={subnet}"
    cloud.ports[0]["Fixed IP Addresses"][0]["subnet_id"] = subnet
    cloud.security_rules(resources["group"]["resource_id"], WEB["resources"]["group"]["properties"]["rules"])
    group = f"web-nodes-{cloud.end()}"
    members = {}
    for member in ("1", "2"):
        port = resource("port", "OS::Neutron::Port", {})
        cloud.keep(port["resource_id"], [f"node-{member}"])
        members[member] = stack(f"{group}-{member}-{cloud.end()}", {"port": port})
    resources["nodes"] = stack(group, members)
    for name in ("net", "subnet", "group", "data", "server"):
        cloud.made_up(resources[name]["resource_id"], f"web-{name}-{cloud.end()}")
    cloud.keep(router, ["front"])
    web = stack("web", resources)
    template = json.loads(json.dumps(WEB).replace(NODE_URL, node))
    web |= {"template": template, "environment": {"parameters": {"size": 10}}, "files": {node: json.dumps(NODE)}}

    def rows(stack):
        for name, entry in stack["resources"].items():
            physical = entry.get("resource_id") or entry["id"]
            yield {"resource_name": name, "physical_resource_id": physical, "resource_type": entry.get("type", "node"), "resource_status": "CREATE_COMPLETE", "stack_name": stack["name"]}
            if "resources" in entry:
                yield from rows(entry)

    return web, list(rows(web))


def _objects(export):
    """The number of objects of the provider: one for each resource that is not a stack, and one for the rule."""
    def count(stack):
        return sum(count(it) if "resources" in it else 1 for it in stack["resources"].values())
    return count(export) + 1


def _one(tofu, folder, number, job):
    """The plan of one template: what it does, a text where there is none, None where the template is none."""
    name, path = job
    done = house.hotplate("eval", path, "--fill", "--nested", "--format", "json")
    try:
        stack = json.loads(done.stdout)
    except ValueError:
        return None
    if not stack.get("resources"):
        return None
    cloud = Cloud(number + 1, folder / "cloud")
    rows = list(cloud.rows(stack, "adopted"))
    saved = []
    # Every other stack comes with the names that Heat made up: they are written, where they are ignored otherwise.
    objects = cloud.objects if number % 2 else []
    for kind, list_ in (("resources", rows), ("ports", cloud.ports), ("rules", cloud.rules), ("objects", objects)):
        if list_:
            saved += ["--adopt", folder / f"{name}-{kind}.json"]
            saved[-1].write_text(json.dumps(list_), encoding="utf-8")
    out = folder / "out" / name
    given = []
    for parameter, value in stack["parameters"].items():
        if not parameter.startswith("OS::") and value is not None:
            is_list = isinstance(value, list) and _type(path, parameter) == "comma_delimited_list" and all(isinstance(item, str) for item in value)
            text = value if isinstance(value, str) else ",".join(value) if is_list else json.dumps(value)
            given += ["-P", f"{parameter}={text}"]
    done = house.hotplate("render", path, "--target", "terraform", *saved, "-o", out, "--format", "json", *given)
    try:
        report = json.loads(done.stdout)
    except ValueError:
        return f"{path}: exit {done.returncode}: {done.stderr[-300:].decode('utf-8', 'replace')}"
    if not out.exists():
        # A template with errors, which is not rendered.
        return None if done.returncode in (1, 2) else f"{path}: exit {done.returncode} and nothing written"
    if refuses_values(report):
        return None
    declared = len({entry["message"] for entry in report.get("findings", ()) if entry.get("code") == "HP0912"})
    text = tofu.plan(out, **asked(out))
    shutil.rmtree(out, ignore_errors=True)
    counts = {"imported": 0, "created": 0, "destroyed": 0, "changed": 0}
    for kind, verb, replaced in DONE.findall(text):
        if replaced or verb == "destroyed":
            counts["destroyed"] += 1
        elif verb in ("imported", "created") and kind:
            counts[verb] += 1
    total = PLAN.search(text)
    # Where no object is left, there may be outputs.
    nothing = "No changes" in text or "You can apply this plan to save these new output values" in text
    if total is None and not nothing:
        # A stack with a property that Heat refuses does not run.
        if any(finding["code"] == "HP1003" and finding["severity"] == "error" for finding in report["findings"]):
            return None
        return f"{path}: no plan\n{text[-1200:]}"
    if total is not None:
        counts["imported"] = int(total[1] or 0)
        counts["changed"] = int(total[3])
    return {**counts, "declared": declared, "told": f"{path}: {total and total[0]}, {declared} declared"}


def _type(path, parameter):
    """The type of a parameter of a template."""
    try:
        template = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CBaseLoader)
        return template["parameters"][parameter]["type"].lower()
    except (yaml.YAMLError, LookupError, TypeError, AttributeError):
        return None


def _generated(folder):
    """A template for every type that has a counterpart, with what Heat and the provider insist on."""
    folder.mkdir(parents=True)
    facts = json.loads((house.ROOT / "crates/heat-facts/data/heat-27.json").read_text(encoding="utf-8"))["types"]
    table = (house.TARGETS / "terraform/mapping.yaml").read_text(encoding="utf-8")
    mapped = re.findall(r"^  (OS::\S+):\n    to: ", table, re.MULTILINE)
    paths = []
    for kind in (kind for kind in mapped if kind not in NEVER):
        properties = {name: _value(it) for name, it in facts[kind].get("properties", {}).items() if it.get("required")}
        properties.update(MORE.get(kind, {}))
        resources = {"it": {"type": kind, "properties": properties}}
        for name, beside in BESIDE.items():
            if f'"{name}"' in json.dumps(properties):
                resources[name] = beside
        path = folder / (kind.replace("::", "-") + ".yaml")
        template = {"heat_template_version": "2021-04-16", "resources": resources}
        path.write_text(json.dumps(template, indent=1), encoding="utf-8")
        paths.append(path)
    return paths


# The provider insists on something that Heat does not know.
NEVER = {"OS::Trove::Instance"}
ID = "6f70656e-7374-4163-8b00-000000000007"
BESIDE = {
    "beside_address": {"type": "OS::Neutron::FloatingIP", "properties": {"floating_network": ID}},
    "beside_server": {"type": "OS::Nova::Server", "properties": {"flavor": "tiny", "image": ID}},
}
# What the provider insists on and Heat does not, or takes another thing than an id for.
MORE = {
    "OS::Barbican::Order": {"algorithm": "aes", "bit_length": 256, "type": "key"},
    "OS::Cinder::Volume": {"size": 1},
    "OS::Keystone::Endpoint": {"region": "one"},
    "OS::Keystone::UserRoleAssignment": {"roles": [{"role": ID, "project": ID}]},
    "OS::Keystone::GroupRoleAssignment": {"roles": [{"role": ID, "project": ID}]},
    "OS::Neutron::FloatingIPAssociation": {"floatingip_id": {"get_resource": "beside_address"}},
    "OS::Nova::FloatingIPAssociation": {
        "floating_ip": {"get_resource": "beside_address"},
        "server_id": {"get_resource": "beside_server"},
    },
    "OS::Neutron::FloatingIPPortForward": {"internal_port_number": 80, "external_port": 80, "protocol": "tcp"},
    "OS::Neutron::RouterInterface": {"port": ID},
    "OS::Neutron::Subnet": {"cidr": "10.0.0.0/24"},
    "OS::Nova::FloatingIP": {"pool": "public"},
    "OS::Octavia::LoadBalancer": {"vip_subnet": ID},
    "OS::Octavia::Pool": {"listener": ID},
    "OS::Trove::Instance": {"datastore_type": "mysql", "datastore_version": "8"},
    "OS::Manila::ShareNetwork": {"neutron_network": ID, "neutron_subnet": ID},
}


def _value(facts):
    """A value that a property takes."""
    for constraint in facts.get("constraints", ()):
        if "allowed_values" in constraint:
            value = constraint["allowed_values"][0]
            return [value] if facts["type"] == "list" else value
        if "range" in constraint:
            return constraint["range"].get("min", 1)
    kind = facts["type"]
    if kind == "list":
        return [_value(facts["items"])] if facts.get("items") else [ID]
    if kind == "map":
        members = facts.get("members", {})
        return {name: _value(it) for name, it in members.items() if it.get("required")}
    return {"string": ID, "any": ID, "integer": 1, "number": 1, "boolean": True}[kind]
