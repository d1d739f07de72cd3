"""Deployments with each kind of dependency that Heat knows, through nested stacks and groups as well."""

ROOT = """\
heat_template_version: 2018-08-31
parameters:
  public: {type: string, default: external}
  count: {type: number, default: 2}
resources:
  inner: {type: OS::Neutron::Net}
  inner_subnet: {type: OS::Neutron::Subnet, properties: {network: {get_resource: inner}, cidr: 10.0.0.0/24}}
  public_subnet: {type: OS::Neutron::Subnet, properties: {network_id: {get_param: public}, cidr: 10.0.1.0/24}}
  router: {type: OS::Neutron::Router, properties: {external_gateway_info: {network: {get_param: public}}}}
  interface: {type: OS::Neutron::RouterInterface, properties: {router: {get_resource: router}, subnet: {get_resource: inner_subnet}}}
  gateway: {type: OS::Neutron::RouterGateway, properties: {router_id: {get_resource: router}, network: {get_param: public}}}
  route:
    type: OS::Neutron::ExtraRoute
    properties: {router_id: {get_resource: router}, destination: 192.168.0.0/16, nexthop: 10.0.0.1}
  routes:
    type: OS::Neutron::ExtraRouteSet
    properties: {router: {get_resource: router}, routes: [{destination: 192.168.0.0/16, nexthop: 10.0.0.1}]}
  any_address: {type: OS::Neutron::Port, properties: {network: {get_resource: inner}}}
  of_subnet:
    type: OS::Neutron::Port
    properties: {network: {get_resource: inner}, fixed_ips: [{subnet: {get_resource: inner_subnet}}]}
  of_cloud: {type: OS::Neutron::Port, properties: {network: {get_param: public}}}
  cloud_interface: {type: OS::Neutron::RouterInterface, properties: {router: {get_resource: router}, subnet: existing}}
  by_port: {type: OS::Nova::Server, properties: {image: i, flavor: small, networks: [{port: {get_resource: any_address}}]}}
  by_network: {type: OS::Nova::Server, properties: {image: i, flavor: small, networks: [{network: {get_resource: inner}}]}}
  alone: {type: OS::Nova::Server, properties: {image: i, flavor: small}}
  address: {type: OS::Neutron::FloatingIP, properties: {floating_network: {get_param: public}, port_id: {get_resource: of_subnet}}}
  free_address: {type: OS::Neutron::FloatingIP, properties: {floating_network: {get_param: public}}}
  association:
    type: OS::Neutron::FloatingIPAssociation
    properties: {floatingip_id: {get_resource: free_address}, port_id: {get_resource: of_subnet}}
  of_unborn_network: {type: OS::Neutron::FloatingIP, properties: {floating_network: elsewhere, port_id: {get_resource: any_address}}}
  of_cloud_network: {type: OS::Neutron::FloatingIP, properties: {floating_network: elsewhere, port_id: {get_resource: of_cloud}}}
  group: {type: OS::Neutron::SecurityGroup, properties: {rules: [{protocol: tcp, port_range_min: 22, port_range_max: 22}]}}
  node: {type: node.yaml, properties: {network: {get_resource: inner}}, depends_on: [group, inner_subnet]}
  nodes:
    type: OS::Heat::ResourceGroup
    depends_on: interface
    properties: {count: {get_param: count}, resource_def: {type: node.yaml, properties: {network: {get_resource: inner}}}}
  servers:
    type: OS::Heat::ResourceGroup
    depends_on: [interface, node]
    properties: {count: 2, resource_def: {type: OS::Nova::Server, properties: {image: i, flavor: small, networks: [{network: {get_resource: inner}}]}}}
  config: {type: OS::Heat::SoftwareConfig, properties: {config: {get_attr: [node, id]}}}
  through_config: {type: OS::Nova::Server, properties: {image: i, flavor: small, user_data: {get_resource: config}, user_data_format: RAW}}
  nothing: {type: OS::Heat::None, depends_on: nodes}
  through_nothing: {type: OS::Cinder::Volume, properties: {size: 1}, depends_on: nothing}
"""

NODE = """\
heat_template_version: 2018-08-31
parameters:
  network: {type: string}
resources:
  subnet: {type: OS::Neutron::Subnet, properties: {network: {get_param: network}, cidr: 10.0.9.0/24}}
  port: {type: OS::Neutron::Port, properties: {network: {get_param: network}}}
  server: {type: OS::Nova::Server, properties: {image: i, flavor: small, networks: [{port: {get_resource: port}}]}}
  disk: {type: OS::Cinder::Volume, properties: {size: 1}}
outputs:
  id: {value: {get_resource: server}}
"""

# Where a port has its addresses, and what an interface of a router leads to: each floating IP is asked about each interface.
_PORTS = ("[{subnet: {get_resource: one}}]", "[{subnet_id: {get_resource: one}}]", "[{subnet: {get_resource: two}}]", "[{ip_address: 10.0.0.5}]",
          "[{subnet: existing}]", "[{subnet: ''}]", "[{subnet: existing}, {subnet: {get_resource: one}}]", "[]")
_INTERFACES = ("subnet: {get_resource: one}", "subnet_id: {get_resource: one}", "port: {get_resource: port0}", "subnet: existing", "subnet_id: existing",
               "subnet: ''", "subnet: {get_attr: [one, name]}")


def _addresses():
    lines = ["heat_template_version: 2018-08-31", "resources:", "  net: {type: OS::Neutron::Net}", "  router: {type: OS::Neutron::Router}"]
    lines += [f"  {name}: {{type: OS::Neutron::Subnet, properties: {{network: {{get_resource: net}}, cidr: 10.{at}.0.0/24}}}}" for at, name in enumerate(("one", "two"))]
    for at, addresses in enumerate(_PORTS):
        port = f"{{get_resource: port{at}}}"
        lines += [f"  port{at}: {{type: OS::Neutron::Port, properties: {{network: {{get_resource: net}}, fixed_ips: {addresses}}}}}",
                  f"  address{at}: {{type: OS::Neutron::FloatingIP, properties: {{floating_network: public, port_id: {port}}}}}",
                  f"  association{at}: {{type: OS::Neutron::FloatingIPAssociation, properties: {{floatingip_id: free, port_id: {port}}}}}"]
    lines += [f"  interface{at}: {{type: OS::Neutron::RouterInterface, properties: {{router: {{get_resource: router}}, {subnet}}}}}"
              for at, subnet in enumerate(_INTERFACES)]
    return "\n".join(lines) + "\n"


FILES = {"root.yaml": ROOT, "node.yaml": NODE, "addresses.yaml": _addresses()}
ROOTS = ("root.yaml", "addresses.yaml")
