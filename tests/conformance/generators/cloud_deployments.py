"""What a real template expects to be there before: images, flavors, key pairs, networks by the names that it uses, and values for its parameters."""

import pathlib
import re
import uuid

import yaml

# By the property or the constraint of a parameter that takes a name: the collection of the cloud.
TAKES = {
    "image": "images", "imageRef": "images", "ImageId": "images", "glance.image": "images",
    "flavor": "flavors", "InstanceType": "flavors", "nova.flavor": "flavors",
    "key_name": "keypairs", "KeyName": "keypairs", "nova.keypair": "keypairs",
    "network": "networks", "network_id": "networks", "neutron.network": "networks", "uuid": "networks",
    "floating_network": "external", "floating_network_id": "external", "pool": "external",
    "subnet": "subnets", "subnet_id": "subnets", "neutron.subnet": "subnets", "vip_subnet": "subnets",
    "router": "routers", "router_id": "routers", "neutron.router": "routers",
    "security_groups": "security-groups", "neutron.security_group": "security-groups",
    "volume_id": "volumes", "cinder.volume": "volumes", "volume_type": "types", "cinder.vtype": "types",
}
# What parameters are called that have no constraint.
CALLED = (("image", "images"), ("flavor", "flavors"), ("instance_type", "flavors"), ("key", "keypairs"), ("public_net", "external"), ("external", "external"), ("floating", "external"), ("subnet", "subnets"),
          ("network", "networks"), ("net_id", "networks"), ("router", "routers"), ("security_group", "security-groups"), ("volume_id", "volumes"))
NAMES = {"images": "cirros", "flavors": "m1.small", "keypairs": "the-key", "networks": "the-net", "external": "public", "subnets": "the-subnet", "routers": "the-router", "security-groups": "default", "volumes": "the-volume", "types": "lvm"}
# Properties that take one of a few words.
WORDS = {"software_config_transport": "POLL_SERVER_CFN", "signal_transport": "CFN_SIGNAL", "user_data_format": "RAW"}
# The value of a text that nothing says more of.
MADE_UP = "abcdefgh1"
VALUES = {"number": 1, "boolean": True, "json": {}, "comma_delimited_list": "a"}


# Files that a template names as types.
FILES = (".yaml", ".yml", ".template", ".hot")


class Loader(yaml.SafeLoader):
    """Reads dates as Heat does: as text."""


Loader.yaml_implicit_resolvers = {key: [each for each in pairs if each[0] != "tag:yaml.org,2002:timestamp"] for key, pairs in yaml.SafeLoader.yaml_implicit_resolvers.items()}


def read(path):
    """The template in a file; empty where there is none."""
    try:
        tree = yaml.load(pathlib.Path(path).read_text(encoding="utf-8", errors="replace"), Loader=Loader)
    except (OSError, yaml.YAMLError):
        return {}
    return tree if isinstance(tree, dict) else {}


def closure(path):
    """The files of a template and of those that it uses, and all types in them; a file that is missing is a type."""
    files, kinds, wanted = [], set(), [pathlib.Path(path)]
    while wanted:
        file = wanted.pop()
        if file in files:
            continue
        files.append(file)
        for name, value in _walk({key: each for key, each in read(file).items() if key.lower() == "resources"}):
            if name not in ("type", "Type") or not isinstance(value, str):
                continue
            child = (file.parent / value.removeprefix("file://")) if value.endswith(FILES) else None
            if child and child.exists():
                wanted.append(child)
            elif "::" in value or child:
                kinds.add(value)
    return files, kinds


def surroundings(*templates):
    """The objects that the cloud has before, and values for the parameters without a default: `(put, parameters)`."""
    wanted, parameters = {("networks", "the-net"), ("external", "public"), ("keypairs", "the-key"), ("volumes", "the-volume")}, {}
    own = set()
    for path in templates:
        tree = read(path)
        declared = tree.get("parameters") or tree.get("Parameters") or {}
        takes, words = _taken(tree, TAKES), _taken(tree, WORDS)
        for name, one in declared.items() if isinstance(declared, dict) else ():
            if not isinstance(one, dict):
                continue
            collection = takes.get(name) or _called(name, one)
            default = one.get("default", one.get("Default"))
            if default is None:
                parameters.setdefault(name, words.get(name) or _value(one, collection))
                default = parameters[name]
            if collection and isinstance(default, str):
                wanted.update((collection, each.strip()) for each in default.split(","))
        wanted |= {(collection, value) for collection, value in _literals(tree)}
        own |= _named(tree, declared if isinstance(declared, dict) else {})
    # What has the name of what the template makes would be the second one of that name.
    wanted = {(collection, name) for collection, name in wanted if name not in own}
    return _objects(wanted), parameters


def _called(name, one):
    for constraint in one.get("constraints") or ():
        if isinstance(constraint, dict) and constraint.get("custom_constraint") in TAKES:
            return TAKES[constraint["custom_constraint"]]
    if str(one.get("type", one.get("Type", "string"))).lower() not in ("string", "aws::ec2::keypair::keyname"):
        return None
    return next((collection for word, collection in CALLED if word in name.lower()), None)


def _value(one, collection):
    for constraint in one.get("constraints") or ():
        if isinstance(constraint, dict) and constraint.get("allowed_values"):
            return constraint["allowed_values"][0]
        if isinstance(constraint, dict) and isinstance(constraint.get("range"), dict):
            return constraint["range"].get("min", constraint["range"].get("max", 1))
    if one.get("AllowedValues"):
        return one["AllowedValues"][0]
    if collection:
        return NAMES[collection]
    kind = str(one.get("type", one.get("Type", "string"))).lower()
    return VALUES.get(kind, MADE_UP)


def _walk(value, key=None):
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _walk(each, name)
    elif isinstance(value, list):
        for each in value:
            yield from _walk(each, key)
    yield key, value


def _taken(tree, table):
    """What a table says of a parameter, by the property that gets it."""
    return {value.get("get_param", value.get("Ref")): table[key] for key, value in _walk(tree.get("resources") or tree.get("Resources") or {})
            if key in table and isinstance(value, dict) and isinstance(value.get("get_param", value.get("Ref")), str)}


def _named(tree, declared):
    """The names that the resources get."""
    values = [value for key, value in _walk(tree.get("resources") or tree.get("Resources") or {}) if key == "name"]
    asked = [value.get("get_param", value.get("Ref")) if isinstance(value, dict) else None for value in values]
    defaults = [declared.get(name) for name in asked if isinstance(name, str)]
    names = values + [one.get("default", one.get("Default")) for one in defaults if isinstance(one, dict)]
    return {name for name in names if isinstance(name, str)}


def _literals(tree):
    """The names in properties."""
    return {(TAKES[key], value) for key, value in _walk(tree.get("resources") or tree.get("Resources") or {}) if key in TAKES and isinstance(value, str) and value}


def _objects(wanted):
    made, base = [], {"tenant_id": "a" * 32, "project_id": "a" * 32, "tags": [], "description": "", "status": "ACTIVE"}
    for collection, name in sorted(wanted):
        identifier = name if re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", name) else str(uuid.uuid5(uuid.NAMESPACE_DNS, f"{collection} {name}"))
        one = {**base, "id": identifier, "name": name}
        if collection in ("networks", "external"):
            number = len(made) % 250
            is_external = collection == "external"
            made.append(("networks", identifier, {**one, "admin_state_up": True, "shared": True, "router:external": is_external, "mtu": 1450, "port_security_enabled": True, "qos_policy_id": None, "dns_domain": ""}))
            cidr = f"203.0.{number}.0/24" if is_external else f"172.31.{number}.0/24"
            made.append(_subnet(base, str(uuid.uuid5(uuid.NAMESPACE_DNS, f"subnet of {name}")), f"subnet-of-{name}", identifier, cidr))
        elif collection == "subnets":
            made.append(_subnet(base, identifier, name, str(uuid.uuid5(uuid.NAMESPACE_DNS, "networks the-net")), f"172.30.{len(made) % 250}.0/24"))
        elif collection == "images":
            made.append(("images", identifier, {**one, "status": "active", "size": 1, "min_disk": 0, "min_ram": 0, "protected": False, "visibility": "public", "tags": []}))
        elif collection == "flavors":
            made.append(("flavors", identifier, {"id": identifier, "name": name, "ram": 2048, "vcpus": 1, "disk": 20, "swap": 0, "OS-FLV-EXT-DATA:ephemeral": 0, "extra_specs": {}, "os-flavor-access:is_public": True}))
        elif collection == "keypairs":
            made.append(("keypairs", name, {"id": name, "name": name, "public_key": "ssh-rsa AAAA", "type": "ssh", "fingerprint": "aa", "user_id": "b" * 32}))
        elif collection == "routers":
            made.append(("routers", identifier, {**one, "admin_state_up": True, "external_gateway_info": {"network_id": str(uuid.uuid5(uuid.NAMESPACE_DNS, "external public")), "external_fixed_ips": []}, "routes": []}))
        elif collection == "volumes":
            made.append(("volumes", identifier, {**one, "status": "available", "size": 1, "attachments": [], "metadata": {}, "bootable": "false", "multiattach": False}))
        elif collection == "types":
            made.append(("types", identifier, {"id": identifier, "name": name, "extra_specs": {}, "is_public": True}))
        elif name != "default":
            made.append(("security-groups", identifier, {**one, "stateful": True}))
    made += _edges(made, base)
    names = {}
    # Names that the cloud has already, and two of one name, are no help.
    return [row for row in made if row[2]["name"] not in ("m1.tiny", "m1.small", "m1.medium", "m1.large", "m1.xlarge", "cirros", "ubuntu", "fedora", "centos", "lvm", "ceph")
            and names.setdefault((row[0], row[2]["name"]), row[1]) == row[1]]


def _edges(made, base):
    """A router for each external network, with an interface in each other subnet: floating IPs reach what was there before."""
    outside = {one["id"] for collection, _, one in made if collection == "networks" and one["router:external"]}
    for network in sorted(outside):
        router = str(uuid.uuid5(uuid.NAMESPACE_DNS, f"edge of {network}"))
        yield ("routers", router, {**base, "id": router, "name": f"edge-{network[:8]}", "admin_state_up": True, "routes": [], "external_gateway_info": {"network_id": network, "enable_snat": True, "external_fixed_ips": []}})
        for subnet in [one for collection, _, one in made if collection == "subnets" and one["network_id"] not in outside]:
            port = str(uuid.uuid5(uuid.NAMESPACE_DNS, f"{router} in {subnet['id']}"))
            yield ("ports", port, {**base, "id": port, "name": f"edge-{port[:8]}", "network_id": subnet["network_id"], "device_id": router, "device_owner": "network:router_interface", "mac_address": "fa:16:3e:ff:" + ":".join(port[at:at + 2] for at in (0, 2, 4))[:8],
                                   "fixed_ips": [{"subnet_id": subnet["id"], "ip_address": subnet["gateway_ip"]}], "security_groups": [], "admin_state_up": True})


def _subnet(base, identifier, name, network, cidr):
    start = cidr.rsplit(".", 1)[0]
    return ("subnets", identifier, {**base, "id": identifier, "name": name, "network_id": network, "cidr": cidr, "ip_version": 4, "gateway_ip": f"{start}.1", "enable_dhcp": True, "subnetpool_id": None,
                                    "allocation_pools": [{"start": f"{start}.2", "end": f"{start}.254"}], "dns_nameservers": [], "host_routes": []})
