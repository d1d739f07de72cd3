"""Updates of our own that a change of one property does not show: groups, conditions, policies, what follows from a replacement, renames."""

import copy

from generators.cloud_changes import IMAGE, KEY, OTHER_IMAGE, of, ref, template

SERVER = {"name": "web", "flavor": "m1.small", "image": IMAGE, "networks": [{"network": ref("net")}]}
MEMBER = of("OS::Neutron::Net", {"name": "member-%index%"})
OTHER = of("OS::Neutron::Net", {"name": "other-%index%"})
SERVERS = of("OS::Nova::Server", {**SERVER, "name": "web-%index%", "user_data": "a"})
OTHERS = of("OS::Nova::Server", {**SERVER, "name": "web-%index%", "user_data": "b"})


def _group(count, member, **more):
    return of("OS::Heat::ResourceGroup", {"count": count, "resource_def": member, **more.pop("properties", {})}, **more)


def _removes(names, mode=None):
    return {**({"removal_policies": [{"resource_list": names}]} if names else {}), **({"removal_policies_mode": mode} if mode else {})}


def _scaling(size, member):
    return of("OS::Heat::AutoScalingGroup", {"min_size": 1, "max_size": 5, "desired_capacity": size, "resource": member})


def _config(text):
    return of("OS::Heat::SoftwareConfig", {"config": text})


ROLLING = {"rolling_update": {"max_batch_size": 1, "min_in_service": 1}}
IN_GROUP = {"name": "member", "admin_state_up": True}
PORT = of("OS::Neutron::Port", {"name": "a", "network": ref("net")}, depends_on="sub")
WEB = of("OS::Nova::Server", SERVER, depends_on="sub")
VOLUME = of("OS::Cinder::Volume", {"name": "data", "size": 1})


def _at(port):
    return of("OS::Nova::Server", {**SERVER, "networks": [{"port": ref(port)}]})


def _with(resource, **more):
    """A resource with other properties."""
    changed = copy.deepcopy(resource)
    changed["properties"].update(more)
    return changed


# The name, the resources before and after; what they refer to is added.
CASES = (
    ("group, smaller", {"g": _group(3, MEMBER)}, {"g": _group(2, MEMBER)}),
    ("group, larger", {"g": _group(1, MEMBER)}, {"g": _group(3, MEMBER)}),
    ("group, other definition", {"g": _group(2, MEMBER)}, {"g": _group(2, OTHER)}),
    ("group, members are replaced", {"g": _group(2, SERVERS), "sub": of("OS::Neutron::Subnet", {"network": ref("net"), "cidr": "10.0.0.0/16"})},
     {"g": _group(2, OTHERS), "sub": of("OS::Neutron::Subnet", {"network": ref("net"), "cidr": "10.0.0.0/16"})}),
    ("group, rolling update", {"g": _group(3, MEMBER, update_policy=ROLLING)}, {"g": _group(3, OTHER, update_policy=ROLLING)}),
    ("group, removal policies", {"g": _group(3, MEMBER)}, {"g": _group(3, MEMBER, properties={"removal_policies": [{"resource_list": ["0"]}]})}),
    ("group, removal policies and smaller", {"g": _group(3, MEMBER)}, {"g": _group(2, MEMBER, properties={"removal_policies": [{"resource_list": ["0"]}]})}),
    *((f"group, removal policies {name}", {"g": _group(old[0], MEMBER, properties=_removes(*old[1:]))}, {"g": _group(new[0], MEMBER, properties=_removes(*new[1:]))}) for name, old, new in (
        ("dropped", (2, ["0"]), (2, None)),
        ("dropped and smaller", (3, ["1"]), (2, None)),
        ("dropped and larger", (2, ["0", "3"]), (4, None)),
        ("kept and larger", (2, ["0"]), (3, ["0"])),
        ("changed", (2, ["0"]), (2, ["1"])),
        ("changed, to a number", (2, ["0"]), (2, [2])),
        ("changed, mode update", (2, ["0"]), (2, ["1"], "update")),
        ("dropped, mode update", (2, ["0"]), (2, None, "update")),
        ("kept, mode update", (2, ["0"]), (2, ["0"], "update")),
        ("of no member", (2, None), (6, ["4"])),
        ("of no member, dropped", (2, ["4"]), (6, None)),
        ("of every member", (2, None), (2, ["0", "1"])),
    )),
    ("group, the same", {"g": _group(2, MEMBER)}, {"g": _group(2, MEMBER)}),
    ("group beside what changes", {"g": _group(2, MEMBER), "n": of("OS::Neutron::Net", {"name": "a"})}, {"g": _group(2, MEMBER), "n": of("OS::Neutron::Net", {"name": "b"})}),
    ("scaling group, smaller", {"g": _scaling(3, of("OS::Neutron::Net", IN_GROUP))}, {"g": _scaling(1, of("OS::Neutron::Net", IN_GROUP))}),
    ("scaling group, other definition", {"g": _scaling(2, of("OS::Neutron::Net", IN_GROUP))}, {"g": _scaling(2, of("OS::Neutron::Net", {**IN_GROUP, "name": "other"}))}),
    ("added and removed", {"a": of("OS::Neutron::Net", {"name": "a"})}, {"b": of("OS::Neutron::Net", {"name": "b"})}),
    ("renamed", {"a": WEB}, {"b": WEB}),
    ("retained", {"a": {**VOLUME, "deletion_policy": "retain"}}, {"b": _with(VOLUME, name="other")}),
    ("snapshot", {"a": {**VOLUME, "deletion_policy": "snapshot"}}, {"b": _with(VOLUME, name="other")}),
    ("other type", {"a": of("OS::Neutron::Net", {"name": "a"})}, {"a": of("OS::Neutron::SecurityGroup", {"name": "a"})}),
    ("depends_on alone", {"a": VOLUME, "n": of("OS::Neutron::Net", {"name": "a"})}, {"a": {**VOLUME, "depends_on": "n"}, "n": of("OS::Neutron::Net", {"name": "a"})}),
    ("metadata alone", {"a": {**WEB, "metadata": {"a": 1}}}, {"a": {**WEB, "metadata": {"a": 2}}}),
    ("deletion policy alone", {"a": VOLUME}, {"a": {**VOLUME, "deletion_policy": "retain"}}),
    ("condition off", {"a": {**VOLUME, "condition": True}, "n": of("OS::Neutron::Net", {"name": "a"})}, {"a": {**VOLUME, "condition": False}, "n": of("OS::Neutron::Net", {"name": "a"})}),
    ("condition on", {"a": {**VOLUME, "condition": False}, "n": of("OS::Neutron::Net", {"name": "a"})}, {"a": {**VOLUME, "condition": True}, "n": of("OS::Neutron::Net", {"name": "a"})}),
    ("port replaced under a server", {"p": PORT, "web": _at("p")}, {"p": _with(PORT, network=ref("net2")), "web": _at("p"), "sub2": of("OS::Neutron::Subnet", {"network": ref("net2"), "cidr": "10.1.0.0/16"})}),
    ("port changed under a server", {"p": PORT, "web": _at("p")}, {"p": _with(PORT, name="b"), "web": _at("p")}),
    ("another port for a server", {"p": PORT, "q": PORT, "web": _at("p")}, {"p": PORT, "q": PORT, "web": _at("q")}),
    ("flavor renamed under a server", {"f": of("OS::Nova::Flavor", {"name": "a", "ram": 512, "vcpus": 1}), "web": _with(WEB, flavor=ref("f"))},
     {"f": of("OS::Nova::Flavor", {"name": "b", "ram": 512, "vcpus": 1}), "web": _with(WEB, flavor=ref("f"))}),
    ("key pair renamed under a server", {"k": of("OS::Nova::KeyPair", {"name": "a", "public_key": KEY}), "web": _with(WEB, key_name=ref("k"))},
     {"k": of("OS::Nova::KeyPair", {"name": "b", "public_key": KEY}), "web": _with(WEB, key_name=ref("k"))}),
    ("server group renamed under a server", {"g": of("OS::Nova::ServerGroup", {"name": "a", "policies": ["affinity"]}), "web": _with(WEB, scheduler_hints={"group": ref("g")})},
     {"g": of("OS::Nova::ServerGroup", {"name": "b", "policies": ["affinity"]}), "web": _with(WEB, scheduler_hints={"group": ref("g")})}),
    ("configuration changed in user data", {"c": _config("a"), "web": _with(WEB, user_data=ref("c"), user_data_format="RAW")}, {"c": _config("b"), "web": _with(WEB, user_data=ref("c"), user_data_format="RAW")}),
    ("configuration changed under a deployment", {"c": _config("a"), "d": of("OS::Heat::SoftwareDeployment", {"config": ref("c"), "server": ref("deployed"), "signal_transport": "NO_SIGNAL"})},
     {"c": _config("b"), "d": of("OS::Heat::SoftwareDeployment", {"config": ref("c"), "server": ref("deployed"), "signal_transport": "NO_SIGNAL"})}),
    ("user data ignored", {"web": _with(WEB, user_data="a", user_data_update_policy="IGNORE")}, {"web": _with(WEB, user_data="b", user_data_update_policy="IGNORE")}),
    ("image rebuilt and ephemeral kept", {"web": _with(WEB, image_update_policy="REBUILD_PRESERVE_EPHEMERAL")}, {"web": _with(WEB, image_update_policy="REBUILD_PRESERVE_EPHEMERAL", image=OTHER_IMAGE)}),
    ("image replaced by policy", {"web": _with(WEB, image_update_policy="REPLACE")}, {"web": _with(WEB, image_update_policy="REPLACE", image=OTHER_IMAGE)}),
    ("flavor replaced by policy", {"web": _with(WEB, flavor_update_policy="REPLACE")}, {"web": _with(WEB, flavor_update_policy="REPLACE", flavor="m1.large")}),
    ("attribute of what is renamed", {"n": of("OS::Neutron::Net", {"name": "a"}), "v": of("OS::Cinder::Volume", {"size": 1, "description": {"get_attr": ["n", "name"]}})},
     {"n": of("OS::Neutron::Net", {"name": "b"}), "v": of("OS::Cinder::Volume", {"size": 1, "description": {"get_attr": ["n", "name"]}})}),
    ("attribute of what is replaced", {"k": of("OS::Nova::KeyPair", {"name": "a", "public_key": KEY}), "v": of("OS::Cinder::Volume", {"size": 1, "description": {"get_attr": ["k", "public_key"]}})},
     {"k": of("OS::Nova::KeyPair", {"name": "b", "public_key": KEY + " x"}), "v": of("OS::Cinder::Volume", {"size": 1, "description": {"get_attr": ["k", "public_key"]}})}),
    ("volume larger under a server", {"v": VOLUME, "a": of("OS::Cinder::VolumeAttachment", {"instance_uuid": ref("server"), "volume_id": ref("v")})},
     {"v": _with(VOLUME, size=2), "a": of("OS::Cinder::VolumeAttachment", {"instance_uuid": ref("server"), "volume_id": ref("v")})}),
    ("volume replaced under a server", {"v": VOLUME, "a": of("OS::Cinder::VolumeAttachment", {"instance_uuid": ref("server"), "volume_id": ref("v")})},
     {"v": _with(VOLUME, availability_zone="az1"), "a": of("OS::Cinder::VolumeAttachment", {"instance_uuid": ref("server"), "volume_id": ref("v")})}),
)


def every():
    """The name of each case with its templates."""
    for name, old, new in CASES:
        yield name, template(old), template(new)
