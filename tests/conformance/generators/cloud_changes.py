"""Changes that run: a resource of each type that the stand-in cloud models, with values that can be created, and one property changed in each.

`TYPES` has a row for each type: the properties of a resource, and for each property its new value, or a pair of the old and the new value where
the resource does not have it before. `{n}` stands for the number of the resource, where names must differ. What a value refers to is in `SCENE`.
"""

import copy
import re

KEY = "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQ user@host"
IMAGE, OTHER_IMAGE = "cirros", "ubuntu"


def ref(name):
    """A reference."""
    return {"get_resource": name}


def of(kind, properties, **more):
    """A resource."""
    return {"type": kind, "properties": properties, **more}


# What the resources refer to. Only what a template refers to, directly or through others, is in it.
SCENE = {
    "net": of("OS::Neutron::Net", {"name": "net"}),
    "sub": of("OS::Neutron::Subnet", {"name": "sub", "network": ref("net"), "cidr": "10.0.0.0/16"}),
    "net2": of("OS::Neutron::Net", {"name": "net2"}),
    "sub2": of("OS::Neutron::Subnet", {"name": "sub2", "network": ref("net2"), "cidr": "10.1.0.0/16"}),
    "ext": of("OS::Neutron::Net", {"name": "ext", "value_specs": {"router:external": True}}),
    "ext_sub": of("OS::Neutron::Subnet", {"name": "ext_sub", "network": ref("ext"), "cidr": "203.0.112.0/20"}),
    "ext2": of("OS::Neutron::Net", {"name": "ext2", "value_specs": {"router:external": True}}),
    "ext2_sub": of("OS::Neutron::Subnet", {"name": "ext2_sub", "network": ref("ext2"), "cidr": "198.51.100.0/24"}),
    "router": of("OS::Neutron::Router", {"name": "router", "external_gateway_info": {"network": ref("ext")}}, depends_on="ext_sub"),
    "router2": of("OS::Neutron::Router", {"name": "router2"}),
    "interface": of("OS::Neutron::RouterInterface", {"router": ref("router"), "subnet": ref("sub")}),
    "group": of("OS::Neutron::SecurityGroup", {"name": "group"}),
    "group2": of("OS::Neutron::SecurityGroup", {"name": "group2"}),
    "qos": of("OS::Neutron::QoSPolicy", {"name": "qos"}),
    "scope": of("OS::Neutron::AddressScope", {"name": "scope"}),
    "pool": of("OS::Neutron::SubnetPool", {"name": "pool", "prefixes": ["172.16.0.0/12"], "default_prefixlen": 24, "min_prefixlen": 20}),
    "port": of("OS::Neutron::Port", {"name": "port", "network": ref("net")}, depends_on=["sub", "interface"]),
    "port2": of("OS::Neutron::Port", {"name": "port2", "network": ref("net")}, depends_on=["sub", "interface"]),
    "key": of("OS::Nova::KeyPair", {"name": "key", "public_key": KEY}),
    "key2": of("OS::Nova::KeyPair", {"name": "key2", "public_key": KEY}),
    "server": of("OS::Nova::Server", {"name": "server", "flavor": "m1.small", "image": IMAGE, "networks": [{"network": ref("net")}]}, depends_on="sub"),
    "server2": of("OS::Nova::Server", {"name": "server2", "flavor": "m1.small", "image": IMAGE, "networks": [{"network": ref("net")}]}, depends_on="sub"),
    "volume": of("OS::Cinder::Volume", {"name": "volume", "size": 1}),
    "volume2": of("OS::Cinder::Volume", {"name": "volume2", "size": 1}),
    "kind": of("OS::Cinder::VolumeType", {"name": "kind"}),
    "kind2": of("OS::Cinder::VolumeType", {"name": "kind2"}),
    "specs": of("OS::Cinder::QoSSpecs", {"name": "specs", "specs": {"a": "1"}}),
    "specs2": of("OS::Cinder::QoSSpecs", {"name": "specs2", "specs": {"a": "1"}}),
    "lb": of("OS::Octavia::LoadBalancer", {"name": "lb", "vip_subnet": ref("sub")}),
    "listener": of("OS::Octavia::Listener", {"name": "listener", "loadbalancer": ref("lb"), "protocol": "HTTP", "protocol_port": 9999}),
    "lb_pool": of("OS::Octavia::Pool", {"name": "lb_pool", "loadbalancer": ref("lb"), "protocol": "HTTP", "lb_algorithm": "ROUND_ROBIN"}),
    "lb_pool2": of("OS::Octavia::Pool", {"name": "lb_pool2", "loadbalancer": ref("lb"), "protocol": "HTTP", "lb_algorithm": "ROUND_ROBIN"}),
    "policy": of("OS::Octavia::L7Policy", {"name": "policy", "listener": ref("listener"), "action": "REJECT"}),
    "zone": of("OS::Designate::Zone", {"name": "example.org.", "email": "a@example.org"}),
    "project": of("OS::Keystone::Project", {"name": "project-a"}),
    "project2": of("OS::Keystone::Project", {"name": "project-b"}),
    "user": of("OS::Keystone::User", {"name": "user-a"}),
    "user2": of("OS::Keystone::User", {"name": "user-b"}),
    "users": of("OS::Keystone::Group", {"name": "users-a"}),
    "users2": of("OS::Keystone::Group", {"name": "users-b"}),
    "service": of("OS::Keystone::Service", {"name": "service-a", "type": "one"}),
    "service2": of("OS::Keystone::Service", {"name": "service-b", "type": "two"}),
    "region": of("OS::Keystone::Region", {"id": "region-a"}),
    "queue": of("OS::Zaqar::Queue", {"name": "queue"}),
    "queue2": of("OS::Zaqar::Queue", {"name": "queue2"}),
    "config": of("OS::Heat::SoftwareConfig", {"config": "#!/bin/sh\ntrue\n"}),
    "config2": of("OS::Heat::SoftwareConfig", {"config": "#!/bin/sh\nfalse\n"}),
    "deployed": of("OS::Nova::Server", {"name": "deployed", "flavor": "m1.small", "image": IMAGE, "networks": [{"network": ref("net")}], "user_data_format": "SOFTWARE_CONFIG"}, depends_on="sub"),
    "deployed2": of("OS::Nova::Server", {"name": "deployed2", "flavor": "m1.small", "image": IMAGE, "networks": [{"network": ref("net")}], "user_data_format": "SOFTWARE_CONFIG"}, depends_on="sub"),
    "handle": of("OS::Heat::WaitConditionHandle", {}),
}
ROLE = [{"role": "member", "project": "project"}]
HTTP = {"type": "HTTP", "delay": 5, "timeout": 3, "max_retries": 3}

TYPES = {
    "OS::Neutron::Net": ({"name": "net-{n}"}, {
        "name": "other-{n}", "admin_state_up": False, "shared": True, "port_security_enabled": (True, False), "dns_domain": ("a.org.", "b.org."), "tags": (["a"], ["b"]),
        "qos_policy": (None, ref("qos")), "availability_zone_hints": (None, ["nova"]), "value_specs": ({"mtu": 1400}, {"mtu": 1300})}),
    "OS::Neutron::Subnet": ({"name": "sub-{n}", "network": ref("net2"), "cidr": "10.8.{n}.0/24"}, {
        "name": "other-{n}", "cidr": "10.9.{n}.0/24", "allocation_pools": (None, [{"start": "10.8.{n}.10", "end": "10.8.{n}.20"}]), "dns_nameservers": (["8.8.8.8"], ["9.9.9.9"]), "enable_dhcp": False,
        "gateway_ip": ("10.8.{n}.1", None), "host_routes": (None, [{"destination": "10.77.0.0/16", "nexthop": "10.8.{n}.5"}]), "network": ref("net"), "tags": (None, ["a"])}),
    "OS::Neutron::SubnetPool": ({"name": "pool-{n}", "prefixes": ["172.16.0.0/12"], "min_prefixlen": 16}, {
        "name": "other-{n}", "prefixes": ["172.16.0.0/12", "192.168.0.0/16"], "default_prefixlen": (24, 26), "min_prefixlen": 12, "max_prefixlen": (28, 30), "default_quota": (1000, 2000),
        "address_scope": (None, ref("scope")), "tags": (None, ["a"]), "is_default": (False, True)}),
    "OS::Neutron::AddressScope": ({"name": "scope-{n}"}, {"name": "other-{n}", "shared": (False, True), "ip_version": (4, 6)}),
    "OS::Neutron::Port": ({"name": "port-{n}", "network": ref("net"), "security_groups": [ref("group")]}, {
        "name": "other-{n}", "admin_state_up": False, "allowed_address_pairs": (None, [{"ip_address": "10.0.9.{n}"}]), "binding:vnic_type": ("normal", "direct"), "dns_name": (None, "host-{n}"),
        "fixed_ips": ([{"subnet": ref("sub"), "ip_address": "10.0.7.{n}"}], [{"subnet": ref("sub"), "ip_address": "10.0.8.{n}"}]), "mac_address": ("fa:16:3e:00:00:{n}", "fa:16:3e:00:01:{n}"),
        "network": ref("net2"), "security_groups": [ref("group2")], "qos_policy": (None, ref("qos")), "tags": (["a"], ["b"]), "device_owner": (None, "someone"),
        "port_security_enabled": (None, True), "value_specs": (None, {"description": "d"})}, ("sub", "sub2")),
    "OS::Neutron::Router": ({"name": "router-{n}"}, {
        "name": "other-{n}", "admin_state_up": (True, False), "external_gateway_info": ({"network": ref("ext")}, {"network": ref("ext2")}), "distributed": (None, True), "ha": (None, True), "tags": (None, ["a"]),
        "value_specs": (None, {"description": "d"})}, ("ext_sub", "ext2_sub")),
    "OS::Neutron::RouterInterface": ({"router": ref("router"), "subnet": ref("sub2")}, {"router": ref("router2")}),
    "OS::Neutron::FloatingIP": ({"floating_network": ref("ext")}, {"floating_network": ref("ext2"), "port_id": (ref("port"), ref("port2")), "dns_name": (None, "a"), "floating_ip_address": ("203.0.113.77", "203.0.113.78")}, ("interface", "ext_sub", "ext2_sub")),
    "OS::Neutron::FloatingIPAssociation": ({"floatingip_id": "SCENE fip", "port_id": ref("port")}, {"port_id": ref("port2")}, ("interface",)),
    "OS::Neutron::SecurityGroup": ({"name": "group-{n}", "rules": [{"protocol": "tcp", "port_range_min": 80, "port_range_max": 80}]}, {
        "name": "other-{n}", "description": ("a", "b"), "rules": [{"protocol": "tcp", "port_range_min": 443, "port_range_max": 443}], "stateful": (True, False)}),
    "OS::Neutron::SecurityGroupRule": ({"security_group": ref("group"), "protocol": "tcp", "port_range_min": "100{n}", "port_range_max": "100{n}"}, {
        "description": ("a", "b"), "direction": "egress", "port_range_max": 20099, "protocol": "udp", "remote_ip_prefix": (None, "10.0.0.0/8"), "remote_group": (None, ref("group2")), "security_group": ref("group2"),
        "ethertype": "IPv6"}),
    "OS::Neutron::QoSPolicy": ({"name": "qos-{n}"}, {"name": "other-{n}", "description": ("a", "b"), "shared": (False, True)}),
    "OS::Neutron::QoSBandwidthLimitRule": ({"policy": "SCENE qos-{n}", "max_kbps": 100}, {"max_kbps": 200, "max_burst_kbps": (10, 20), "direction": "ingress"}),
    "OS::Neutron::QoSDscpMarkingRule": ({"policy": "SCENE qos-{n}", "dscp_mark": 16}, {"dscp_mark": 18}),
    "OS::Neutron::QoSMinimumBandwidthRule": ({"policy": "SCENE qos-{n}", "min_kbps": 100}, {"min_kbps": 200, "direction": "ingress"}),
    "OS::Neutron::RBACPolicy": ({"object_type": "network", "object_id": ref("net"), "target_tenant": "tenant-{n}", "action": "access_as_shared"}, {"target_tenant": "other-{n}", "object_id": ref("net2")}),
    "OS::Neutron::Trunk": ({"name": "trunk-{n}", "port": "SCENE port-{n}"}, {
        "name": "other-{n}", "admin_state_up": (True, False), "description": (None, "d"), "port": ref("port2"), "sub_ports": (None, [{"port": ref("port"), "segmentation_id": 7, "segmentation_type": "vlan"}])}),
    "OS::Neutron::ExtraRouteSet": ({"router": ref("router"), "routes": [{"destination": "10.88.{n}.0/24", "nexthop": "10.0.0.9"}]}, {"routes": [{"destination": "10.99.{n}.0/24", "nexthop": "10.0.0.9"}]}, ("interface",)),
    "OS::Neutron::Quota": ({"project": "project", "port": 10}, {"port": 20, "network": (5, 6)}),
    "OS::Nova::KeyPair": ({"name": "key-{n}", "public_key": KEY}, {"name": "other-{n}", "public_key": KEY.replace("gQ", "gR"), "type": ("ssh", "x509"), "save_private_key": (False, True)}),
    "OS::Nova::Flavor": ({"name": "flavor-{n}", "ram": 512, "vcpus": 1}, {
        "name": "other-{n}", "ram": 1024, "vcpus": 2, "disk": (1, 2), "extra_specs": ({"a": "1"}, {"a": "2", "b": "3"}), "is_public": False, "flavorid": ("id-{n}", "id2-{n}"), "swap": (0, 1), "ephemeral": (0, 1)}),
    "OS::Nova::ServerGroup": ({"name": "servers-{n}", "policies": ["affinity"]}, {"name": "other-{n}", "policies": ["anti-affinity"]}),
    "OS::Nova::HostAggregate": ({"name": "hosts-{n}"}, {"name": "other-{n}", "availability_zone": ("az1", "az2"), "metadata": ({"a": "1"}, {"a": "2"}), "hosts": (None, ["host-1"])}),
    "OS::Nova::Quota": ({"project": "project", "cores": 10}, {"cores": 20, "ram": (1000, 2000)}),
    "OS::Nova::Server": ({"name": "server-{n}", "flavor": "m1.small", "image": IMAGE, "networks": [{"network": ref("net")}]}, {
        "name": "other-{n}", "flavor": "m1.large", "image": OTHER_IMAGE, "key_name": (ref("key"), ref("key2")), "metadata": ({"a": "1"}, {"a": "2"}), "user_data": ("a", "b"), "availability_zone": (None, "az1"),
        "networks": [{"network": ref("net2")}], "security_groups": ([ref("group")], [ref("group2")]), "config_drive": (None, True), "tags": (["a"], ["b"]), "diskConfig": (None, "MANUAL"), "admin_pass": ("a", "b"),
        "scheduler_hints": (None, {"a": "1"}), "user_data_format": ("RAW", "HEAT_CFNTOOLS"), "block_device_mapping_v2": (None, [{"volume_id": ref("volume"), "boot_index": -1}]),
        "image_update_policy": ("REBUILD", "REPLACE"), "flavor_update_policy": ("RESIZE", "REPLACE"), "software_config_transport": ("POLL_SERVER_CFN", "POLL_SERVER_HEAT")}, ("sub", "sub2")),
    "OS::Cinder::Volume": ({"name": "volume-{n}", "size": 2}, {
        "name": "other-{n}", "size": 3, "description": ("a", "b"), "metadata": ({"a": "1"}, {"a": "2"}), "availability_zone": ("az1", "az2"), "volume_type": (ref("kind"), ref("kind2")), "image": (IMAGE, OTHER_IMAGE),
        "read_only": (False, True), "source_volid": (None, ref("volume"))}),
    "OS::Cinder::VolumeAttachment": ({"instance_uuid": ref("server"), "volume_id": "SCENE volume-{n}", "mountpoint": "/dev/vdb"}, {"instance_uuid": ref("server2"), "volume_id": ref("volume2"), "mountpoint": "/dev/vdc"}),
    "OS::Cinder::VolumeType": ({"name": "type-{n}"}, {"name": "other-{n}", "description": ("a", "b"), "is_public": False, "metadata": ({"a": "1"}, {"a": "2"})}),
    "OS::Cinder::EncryptedVolumeType": ({"volume_type": "SCENE kind-{n}", "provider": "luks"}, {"provider": "plain", "cipher": (None, "aes-xts-plain64"), "key_size": (128, 256), "volume_type": ref("kind2")}),
    "OS::Cinder::QoSSpecs": ({"name": "specs-{n}", "specs": {"a": "1"}}, {"name": "other-{n}", "specs": {"a": "2"}}),
    "OS::Cinder::QoSAssociation": ({"qos_specs": ref("specs"), "volume_types": ["SCENE kind-{n}"]}, {"qos_specs": ref("specs2")}),
    "OS::Cinder::Quota": ({"project": "project", "volumes": 10}, {"volumes": 20, "gigabytes": (100, 200)}),
    "OS::Glance::WebImage": ({"name": "image-{n}", "location": "http://127.0.0.1/a", "container_format": "bare", "disk_format": "qcow2"}, {
        "name": "other-{n}", "location": "http://127.0.0.1/b", "disk_format": "raw", "min_disk": (1, 2), "min_ram": (1, 2), "tags": (["a"], ["b"]), "protected": (None, False), "architecture": ("x86_64", "arm"),
        "os_distro": ("a", "b"), "visibility": ("private", "public"), "extra_properties": ({"a": "1"}, {"a": "2"})}),
    "OS::Swift::Container": ({"name": "container-{n}"}, {"name": "other-{n}", "X-Container-Meta": ({"a": "1"}, {"a": "2"}), "X-Container-Read": (".r:*", "a"), "PurgeOnDelete": (False, True)}),
    "OS::Octavia::LoadBalancer": ({"name": "lb-{n}", "vip_subnet": ref("sub")}, {"name": "other-{n}", "admin_state_up": False, "description": ("a", "b"), "vip_address": ("10.0.6.{n}", "10.0.7.{n}"), "vip_subnet": ref("sub2")}),
    "OS::Octavia::Listener": ({"name": "listener-{n}", "loadbalancer": ref("lb"), "protocol": "HTTP", "protocol_port": "100{n}"}, {
        "name": "other-{n}", "admin_state_up": False, "connection_limit": 100, "description": ("a", "b"), "default_pool": (None, ref("lb_pool")), "allowed_cidrs": (None, ["10.0.0.0/8"]), "protocol_port": "200{n}"}),
    "OS::Octavia::Pool": ({"name": "pool-{n}", "loadbalancer": ref("lb"), "protocol": "HTTP", "lb_algorithm": "ROUND_ROBIN"}, {
        "name": "other-{n}", "admin_state_up": False, "description": ("a", "b"), "lb_algorithm": "SOURCE_IP", "protocol": "TCP", "session_persistence": ({"type": "SOURCE_IP"}, {"type": "HTTP_COOKIE"})}),
    "OS::Octavia::PoolMember": ({"pool": ref("lb_pool"), "address": "10.0.5.{n}", "protocol_port": 80}, {
        "address": "10.0.4.{n}", "protocol_port": 81, "admin_state_up": False, "weight": (1, 2), "pool": ref("lb_pool2"), "monitor_port": (None, 8080), "subnet": (None, ref("sub"))}),
    "OS::Octavia::HealthMonitor": ({"pool": "SCENE lb-pool-{n}", **HTTP}, {"delay": 6, "timeout": 2, "max_retries": 4, "url_path": ("/a", "/b"), "http_method": ("GET", "HEAD"), "expected_codes": ("200", "204"), "admin_state_up": False, "pool": ref("lb_pool2")}),
    "OS::Octavia::L7Policy": ({"name": "policy-{n}", "listener": ref("listener"), "action": "REJECT"}, {"name": "other-{n}", "description": ("a", "b"), "admin_state_up": False, "position": (1, 2)}),
    "OS::Octavia::L7Rule": ({"l7policy": ref("policy"), "type": "PATH", "compare_type": "STARTS_WITH", "value": "/{n}"}, {"value": "/other-{n}", "compare_type": "EQUAL_TO", "type": "HOST_NAME", "invert": (False, True), "admin_state_up": False}),
    "OS::Octavia::Quota": ({"project": "project", "pool": 10}, {"pool": 20, "listener": (5, 6)}),
    "OS::Designate::Zone": ({"name": "zone-{n}.org.", "email": "a@example.org"}, {"name": "other-{n}.org.", "email": "b@example.org", "description": ("a", "b"), "ttl": (600, 700)}),
    "OS::Designate::RecordSet": ({"zone": ref("zone"), "name": "host-{n}.example.org.", "type": "A", "records": ["10.0.0.1"]}, {
        "records": ["10.0.0.2"], "name": "other-{n}.example.org.", "ttl": (600, 700), "description": ("a", "b"), "type": ("CNAME", "A")}),
    "OS::Keystone::Project": ({"name": "project-{n}"}, {"name": "other-{n}", "description": ("a", "b"), "enabled": (True, False), "parent": (None, ref("project2")), "tags": (["a"], ["b"])}),
    "OS::Keystone::User": ({"name": "user-{n}"}, {"name": "other-{n}", "description": ("a", "b"), "email": ("a@b.c", "b@b.c"), "enabled": (True, False), "password": ("aaaaaaaa", "bbbbbbbb"),
                                               "default_project": (ref("project"), ref("project2")), "groups": ([ref("users")], [ref("users2")]), "roles": (ROLE, [{"role": "reader", "project": "project"}])}),
    "OS::Keystone::Group": ({"name": "group-{n}"}, {"name": "other-{n}", "description": ("a", "b"), "roles": (ROLE, [{"role": "reader", "project": "project"}])}),
    "OS::Keystone::Role": ({"name": "role-{n}"}, {"name": "other-{n}"}),
    "OS::Keystone::Domain": ({"name": "domain-{n}"}, {"name": "other-{n}", "description": ("a", "b"), "enabled": (True, False)}),
    "OS::Keystone::Service": ({"name": "service-{n}", "type": "type-{n}"}, {"name": "other-{n}", "type": "other-{n}", "description": ("a", "b"), "enabled": (True, False)}),
    "OS::Keystone::Endpoint": ({"service": ref("service"), "interface": "public", "url": "http://127.0.0.1/{n}"}, {
        "url": "http://127.0.0.1/other-{n}", "interface": "admin", "name": ("a-{n}", "b-{n}"), "enabled": (True, False), "service": ref("service2"), "region": (None, ref("region"))}),
    "OS::Keystone::Region": ({"id": "region-{n}"}, {"id": "other-{n}", "description": ("a", "b"), "parent_region": (None, ref("region"))}),
    "OS::Keystone::UserRoleAssignment": ({"user": ref("user"), "roles": ROLE}, {"roles": [{"role": "reader", "project": "project"}], "user": ref("user2")}),
    "OS::Keystone::GroupRoleAssignment": ({"group": ref("users"), "roles": ROLE}, {"roles": [{"role": "reader", "project": "project"}], "group": ref("users2")}),
    "OS::Barbican::Secret": ({"name": "secret-{n}", "payload": "a", "payload_content_type": "text/plain"}, {"name": "other-{n}", "payload": "b"}),
    "OS::Barbican::Order": ({"name": "order-{n}", "type": "key", "algorithm": "aes", "bit_length": 128, "mode": "cbc"}, {"name": "other-{n}", "bit_length": 256}),
    "OS::Zaqar::Queue": ({"name": "queue-{n}"}, {"name": "other-{n}"}),
    "OS::Zaqar::Subscription": ({"queue_name": ref("queue"), "subscriber": "mailto:a-{n}@example.org"}, {"subscriber": "mailto:b-{n}@example.org", "ttl": (600, 700), "options": ({"a": "1"}, {"a": "2"}), "queue_name": ref("queue2")}),
    "OS::Heat::RandomString": ({"length": 12}, {"length": 13, "salt": ("a", "b"), "character_classes": (None, [{"class": "digits", "min": 2}])}),
    "OS::Heat::SoftwareConfig": ({"config": "a"}, {"config": "b", "group": ("script", "ansible"), "options": ({"a": "1"}, {"a": "2"})}),
    "OS::Heat::SoftwareDeployment": ({"config": ref("config"), "server": ref("deployed"), "signal_transport": "NO_SIGNAL"}, {
        "config": ref("config2"), "input_values": ({"a": "1"}, {"a": "2"}), "actions": (["CREATE", "UPDATE"], ["CREATE"]), "name": ("a", "b"), "server": ref("deployed2")}),
    "OS::Heat::Value": ({"value": "a"}, {"value": "b", "type": (None, "string")}),
    "OS::Heat::CloudConfig": ({"cloud_config": {"a": "1"}}, {"cloud_config": {"a": "2"}}),
    "OS::Heat::MultipartMime": ({"parts": [{"config": ref("config")}]}, {"parts": [{"config": ref("config2")}]}),
    "OS::Heat::ResourceGroup": ({"count": 2, "resource_def": of("OS::Neutron::Net", {"name": "member-{n}-%index%"})}, {"count": 3, "resource_def": of("OS::Neutron::Net", {"name": "changed-{n}-%index%"})}),
}
# What only one resource may have is made for each resource of its own: `SCENE name` in a row.
OWN = {
    "fip": of("OS::Neutron::FloatingIP", {"floating_network": ref("ext")}, depends_on=["ext_sub", "interface"]),
    "qos-{n}": of("OS::Neutron::QoSPolicy", {"name": "own-qos-{n}"}),
    "port-{n}": of("OS::Neutron::Port", {"name": "own-port-{n}", "network": ref("net")}, depends_on="sub"),
    "volume-{n}": of("OS::Cinder::Volume", {"name": "own-volume-{n}", "size": 1}),
    "kind-{n}": of("OS::Cinder::VolumeType", {"name": "own-kind-{n}"}),
    "lb-pool-{n}": of("OS::Octavia::Pool", {"name": "own-pool-{n}", "loadbalancer": ref("lb"), "protocol": "HTTP", "lb_algorithm": "ROUND_ROBIN"}),
}
# What cannot change beside another resource of the type: one resource a stack.
ALONE = {"OS::Neutron::RouterInterface", "OS::Neutron::FloatingIPAssociation", "OS::Neutron::Quota", "OS::Nova::Quota", "OS::Cinder::Quota", "OS::Octavia::Quota", "OS::Keystone::UserRoleAssignment",
         "OS::Keystone::GroupRoleAssignment", "OS::Cinder::VolumeAttachment"}


class Change:
    """A pair of templates: resources of one type, each with one property changed; `whats` names the property by the resource."""

    def __init__(self, kind, number, whats, old, new):
        self.kind, self.number, self.whats, self.old, self.new = kind, number, whats, old, new

    @property
    def name(self):
        """How the pair is called in reports."""
        return f"{self.kind}-{self.number}".replace("::", "-")


def every():
    """A change of each property of each modeled type; in one template where resources of a type do not disturb each other."""
    for kind, (base, changes, *more) in TYPES.items():
        needs = more[0] if more else ()
        items = [*changes.items(), (None, None)]
        batches = [[item, (None, None)][:1] for item in items if item[0]] if kind in ALONE else [items]
        for number, batch in enumerate(batches):
            whats, old, new = {}, {}, {}
            for at, (name, value) in enumerate(batch, 1):
                before, after = copy.deepcopy(base), copy.deepcopy(base)
                if name:
                    first, second = value if isinstance(value, tuple) else (base.get(name), value)
                    for side, chosen in ((before, first), (after, second)):
                        if chosen is None and not (isinstance(value, tuple) and side is after):
                            side.pop(name, None)
                        else:
                            side[name] = chosen
                resource = f"r{at}"
                whats[resource] = name or "nothing"
                for side, properties in ((old, before), (new, after)):
                    own = {}
                    side[resource] = {"type": kind, "properties": _numbered(_owned(properties, own), at), **({"depends_on": list(needs)} if needs else {})}
                    side.update({_name(key, at): _numbered(value, at) for key, value in own.items()})
            yield Change(kind, number, whats, template(old), template(new))


def single():
    """Each type with a template of one resource, `r1`, and what it refers to, and with the same template after a change of its first property."""
    for kind, (base, changes, *more) in TYPES.items():
        name, value = next(iter(changes.items()))
        sides = []
        for properties in (base, {**base, name: value[1] if isinstance(value, tuple) else value}):
            own = {}
            resource = {"type": kind, "properties": _numbered(_owned(copy.deepcopy(properties), own), 1), **({"depends_on": list(more[0])} if more else {})}
            sides.append(template({"r1": resource, **{_name(key, 1): _numbered(value, 1) for key, value in own.items()}}))
        yield kind, *sides


def together(but=()):
    """One template with a resource of each type, apart from some types and those of Heat's own database."""
    resources = {}
    for kind, made, _ in single():
        if kind.startswith("OS::Heat::") or kind in but:
            continue
        prefix = kind.split("::", 1)[1].replace("::", "_").lower()
        names = {name: f"{prefix}_{name}" for name in made["resources"] if name not in SCENE}
        for name, resource in made["resources"].items():
            resources[names.get(name, name)] = _renamed(resource, names)
            own = resources[names.get(name, name)]["properties"]
            if name in names and name != "r1" and "name" in own:
                own["name"] = names[name]
    return {"heat_template_version": "2018-08-31", "resources": resources}


def _renamed(value, names):
    """A resource whose references have other names."""
    if isinstance(value, dict):
        if list(value) == ["get_resource"]:
            return ref(names.get(value["get_resource"], value["get_resource"]))
        return {key: _renamed(each, names) for key, each in value.items()}
    return [_renamed(each, names) for each in value] if isinstance(value, list) else value


def _owned(value, own):
    """A value with references to resources of its own, which are collected."""
    if isinstance(value, str) and value.startswith("SCENE "):
        name = value.removeprefix("SCENE ")
        own[name] = OWN[name]
        return {"get_resource": "own " + name}
    if isinstance(value, dict):
        return {key: _owned(each, own) for key, each in value.items()}
    return [_owned(each, own) for each in value] if isinstance(value, list) else value


def _name(name, at):
    return "own_" + re.sub(r"\W", "_", name.replace("{n}", str(at)))


def _numbered(value, at):
    """A value with the number of its resource in place of `{n}`."""
    if isinstance(value, dict):
        if list(value) == ["get_resource"] and value["get_resource"].startswith("own "):
            return {"get_resource": _name(value["get_resource"].removeprefix("own "), at)}
        return {key: _numbered(each, at) for key, each in value.items()}
    if isinstance(value, list):
        return [_numbered(each, at) for each in value]
    if not isinstance(value, str) or "{n}" not in value:
        return value
    text = value.replace("{n}", f"{at:02}" if re.search(r":\{n\}$|^\d+\{n\}$", value) else str(at))
    return int(text) if text.isdigit() else text


def template(resources):
    """A template of the resources, with what they refer to."""
    wanted, resources = list(resources), dict(resources)
    while wanted:
        for name in _references(resources[wanted.pop()]):
            if name not in resources:
                resources[name] = copy.deepcopy(SCENE[name])
                wanted.append(name)
    return {"heat_template_version": "2018-08-31", "resources": resources}


def _references(value):
    """The names that a resource refers to."""
    if isinstance(value, dict):
        if list(value) == ["get_resource"]:
            return [value["get_resource"]]
        found = [name for key, each in value.items() if key != "depends_on" for name in _references(each)]
        depends = value.get("depends_on", [])
        return found + ([depends] if isinstance(depends, str) else list(depends))
    return [name for each in value for name in _references(each)] if isinstance(value, list) else []
