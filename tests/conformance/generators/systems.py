"""Deployments that Heat, Terraform and Ansible create on one cloud: what people combine, each small. `FILES` are the templates beside the roots."""

from generators.cloud_changes import HTTP, IMAGE, KEY, SCENE, of, ref, template

SERVER = {"flavor": "m1.small", "image": IMAGE}
NETWORK = {"net": of("OS::Neutron::Net", {}), "sub": of("OS::Neutron::Subnet", {"network": ref("net"), "cidr": "10.0.0.0/24"})}
OUTSIDE = {name: SCENE[name] for name in ("ext", "ext_sub")}
ROUTED = {**NETWORK, **OUTSIDE, "router": of("OS::Neutron::Router", {"external_gateway_info": {"network": ref("ext")}}, depends_on="ext_sub"),
          "face": of("OS::Neutron::RouterInterface", {"router": ref("router"), "subnet": ref("sub")})}
FENCE = of("OS::Neutron::SecurityGroup", {"rules": [{"protocol": "tcp", "port_range_min": 22, "port_range_max": 22}, {"protocol": "icmp"}, {"protocol": "tcp", "remote_mode": "remote_group_id"},
                                                    {"ethertype": "IPv6", "remote_ip_prefix": "2001:db8::/32", "direction": "egress"}]})


def _port(**more):
    return of("OS::Neutron::Port", {"network": ref("net"), **more}, depends_on="sub")


def _server(**more):
    return of("OS::Nova::Server", {**SERVER, "networks": [{"port": ref("port")}], **more})


def _group(count, member, **more):
    return of("OS::Heat::ResourceGroup", {"count": count, "resource_def": member}, **more)


def param(name):
    """The value of a parameter."""
    return {"get_param": name}


def _file(resources, parameters, outputs=None):
    return {**template(resources), "parameters": parameters, **({"outputs": outputs} if outputs else {})}


NODE = {"port": of("OS::Neutron::Port", {"network": param("network"), "security_groups": [param("group")]}), "node": _server(name=param("name"), metadata={"role": "node"})}
FILES = {
    "node.yaml": _file(NODE, {"network": {"type": "string"}, "group": {"type": "string"}, "name": {"type": "string"}}, {"address": {"value": {"get_attr": ["port", "fixed_ips", 0, "ip_address"]}}}),
    "net.yaml": _file(NETWORK, {"label": {"type": "string", "default": "none"}}, {"id": {"value": ref("net")}, "subnet": {"value": ref("sub")}}),
}
IN_NODE = {"network": ref("net"), "group": ref("fence")}
DUAL = {"net": of("OS::Neutron::Net", {"name": "dual"}), "four": of("OS::Neutron::Subnet", {"network": ref("net"), "cidr": "10.0.0.0/24", "dns_nameservers": ["10.0.0.2"]}),
        "six": of("OS::Neutron::Subnet", {"network": ref("net"), "cidr": "2001:db8:0:1::/64", "ip_version": 6, "ipv6_address_mode": "slaac", "ipv6_ra_mode": "slaac"})}
BALANCED = {**NETWORK, "lb": of("OS::Octavia::LoadBalancer", {"vip_subnet": ref("sub")}), "listener": of("OS::Octavia::Listener", {"loadbalancer": ref("lb"), "protocol": "HTTP", "protocol_port": 80}),
            "pool": of("OS::Octavia::Pool", {"listener": ref("listener"), "protocol": "HTTP", "lb_algorithm": "ROUND_ROBIN"}), "monitor": of("OS::Octavia::HealthMonitor", {"pool": ref("pool"), **HTTP})}
# The name, the resources, and sections of the template beside these.
CASES = (
    ("server", {**NETWORK, "fence": FENCE, "key": of("OS::Nova::KeyPair", {"name": "key", "public_key": KEY}), "port": _port(security_groups=[ref("fence")]), "web": _server(key_name=ref("key"), metadata={"a": "1"}, user_data="#!/bin/sh\n", user_data_format="RAW")}, {}),
    ("server in a network", {**NETWORK, "fence": FENCE, "web": of("OS::Nova::Server", {**SERVER, "networks": [{"network": ref("net")}], "security_groups": [ref("fence")], "tags": ["a", "b"]}, depends_on="sub")}, {}),
    ("server with a fixed address", {**NETWORK, "web": of("OS::Nova::Server", {**SERVER, "networks": [{"network": ref("net"), "fixed_ip": "10.0.0.77"}]}, depends_on="sub")}, {}),
    ("floating address", {**ROUTED, "port": _port(), "web": _server(), "address": of("OS::Neutron::FloatingIP", {"floating_network": ref("ext"), "port_id": ref("port")}, depends_on="face")}, {}),
    ("association", {**ROUTED, "port": _port(), "web": _server(), "address": of("OS::Neutron::FloatingIP", {"floating_network": ref("ext")}, depends_on="face"),
                     "bond": of("OS::Neutron::FloatingIPAssociation", {"floatingip_id": ref("address"), "port_id": ref("port")})}, {}),
    ("dual stack", {**DUAL, "port": of("OS::Neutron::Port", {"network": ref("net"), "fixed_ips": [{"subnet": ref("four"), "ip_address": "10.0.0.9"}, {"subnet": ref("six")}]}), "web": _server(), "fence": FENCE}, {}),
    ("dual stack without addresses", {**DUAL, "port": of("OS::Neutron::Port", {"network": ref("net")}, depends_on=["four", "six"]), "web": _server()}, {}),
    ("volumes", {**NETWORK, "port": _port(), "web": _server(), "data": of("OS::Cinder::Volume", {"size": 2, "metadata": {"a": "1"}}), "bond": of("OS::Cinder::VolumeAttachment", {"instance_uuid": ref("web"), "volume_id": ref("data")}),
                 "copy": of("OS::Cinder::Volume", {"size": 3, "source_volid": ref("data")})}, {}),
    ("boot from a volume", {**NETWORK, "port": _port(), "root": of("OS::Cinder::Volume", {"size": 10, "image": IMAGE}),
                            "web": of("OS::Nova::Server", {"flavor": "m1.small", "networks": [{"port": ref("port")}], "block_device_mapping_v2": [{"volume_id": ref("root"), "delete_on_termination": False}]})}, {}),
    ("balancer", {**BALANCED, "one": of("OS::Octavia::PoolMember", {"pool": ref("pool"), "address": "10.0.0.11", "protocol_port": 80}), "two": of("OS::Octavia::PoolMember", {"pool": ref("pool"), "address": "10.0.0.12", "protocol_port": 80, "weight": 2}),
                  "policy": of("OS::Octavia::L7Policy", {"listener": ref("listener"), "action": "REDIRECT_TO_URL", "redirect_url": "http://example.org"}),
                  "rule": of("OS::Octavia::L7Rule", {"l7policy": ref("policy"), "type": "PATH", "compare_type": "STARTS_WITH", "value": "/a"})}, {}),
    ("balancer over a group", {**BALANCED, "nodes": _group(2, of("OS::Neutron::Port", {"network": ref("net")}), depends_on="sub"), "members": _group(2, of("OS::Octavia::PoolMember", {
        "pool": ref("pool"), "address": "10.0.0.1%index%", "protocol_port": 80}))}, {}),
    ("group", {"nets": _group(3, of("OS::Neutron::Net", {"name": "net-%index%"}))}, {}),
    ("group without names", {"data": _group(2, of("OS::Cinder::Volume", {"size": 1}))}, {}),
    ("group of nothing", {"nets": _group(0, of("OS::Neutron::Net", {})), "net": of("OS::Neutron::Net", {})}, {}),
    ("scaling group", {"group": of("OS::Heat::AutoScalingGroup", {"min_size": 1, "max_size": 3, "desired_capacity": 2, "resource": of("OS::Cinder::Volume", {"size": 1})})}, {}),
    ("module", {"inner": of("net.yaml", {"label": "a"}), "port": of("OS::Neutron::Port", {"network": {"get_attr": ["inner", "id"]}, "fixed_ips": [{"subnet": {"get_attr": ["inner", "subnet"]}}]})}, {}),
    ("group of modules", {**NETWORK, "fence": FENCE, "nodes": _group(2, of("node.yaml", {**IN_NODE, "name": "node-%index%"})), "web": of("node.yaml", {**IN_NODE, "name": "web"}, depends_on="sub")},
     {"outputs": {"addresses": {"value": {"get_attr": ["nodes", "address"]}}}}),
    ("condition", {"off": {**of("OS::Neutron::Net", {"name": "off"}), "condition": "is_off"}, "on": {**of("OS::Neutron::Net", {"name": "on"}), "condition": "is_on"},
                   "sized": of("OS::Cinder::Volume", {"size": {"if": ["is_on", 2, 1]}})},
     {"parameters": {"wanted": {"type": "boolean", "default": True}}, "conditions": {"is_on": param("wanted"), "is_off": {"not": "is_on"}}}),
    ("trunk", {**NETWORK, "parent": _port(), "child": _port(), "trunk": of("OS::Neutron::Trunk", {"port": ref("parent"), "sub_ports": [{"port": ref("child"), "segmentation_id": 7, "segmentation_type": "vlan"}]})}, {}),
    ("functions", {**NETWORK, "web": of("OS::Nova::Server", {**SERVER, "name": {"list_join": ["-", ["a", param("OS::stack_name")]]}, "networks": [{"network": ref("net")}], "user_data_format": "RAW", "metadata": {"sum": {"digest": ["sha256", "x"]}},
                                                              "user_data": {"str_replace": {"template": "net=%n", "params": {"%n": ref("net")}}}}, depends_on="sub")}, {}),
    ("names", {"zone": of("OS::Designate::Zone", {"name": "example.org.", "email": "a@example.org"}), "host": of("OS::Designate::RecordSet", {"zone": ref("zone"), "name": "host.example.org.", "type": "A", "records": ["10.0.0.1"]})}, {}),
    ("people", {"project": of("OS::Keystone::Project", {"name": "p"}), "user": of("OS::Keystone::User", {"name": "u", "default_project": ref("project"), "roles": [{"role": "member", "project": ref("project")}]})}, {}),
    ("policies", {"qos": of("OS::Neutron::QoSPolicy", {}), "limit": of("OS::Neutron::QoSBandwidthLimitRule", {"policy": ref("qos"), "max_kbps": 100}), "net": of("OS::Neutron::Net", {"qos_policy": ref("qos"), "tags": ["a"]}),
                  "rbac": of("OS::Neutron::RBACPolicy", {"object_type": "network", "object_id": ref("net"), "target_tenant": "*", "action": "access_as_shared"})}, {}),
    ("groups of servers", {**NETWORK, "apart": of("OS::Nova::ServerGroup", {"policies": ["anti-affinity"]}), "port": _port(), "web": _server(scheduler_hints={"group": ref("apart")})}, {}),
)


def every():
    """The name and the template of each deployment; what a template refers to and lacks is in the scene of generated changes."""
    for name, resources, more in CASES:
        yield name, {**template(resources), **more}
