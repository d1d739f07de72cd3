"""Neutron. The fields, their defaults, what may change and how values are normalized are `neutron_lib`'s own maps of attributes; the refusals are
those of Neutron's database and L3 code (`neutron/db`), in its words."""

import importlib
import ipaddress

from oslo_config import cfg

from .core import PROJECT, Refused, Service

DEFINITIONS = """network subnet port l3 subnetpool address_scope external_net provider_net port_security portbindings dns dns_domain_ports qos qos_fip
    qos_bw_limit_direction qos_bw_minimum_ingress trunk extra_dhcp_opt allowedaddresspairs dvr l3_ext_ha_mode l3_ext_gw_mode extraroute segment network_mtu network_mtu_writable
    vlantransparent network_availability_zone router_availability_zone subnet_service_types floating_ip_port_forwarding uplink_status_propagation""".split()
EXTENSIONS = """router security-group standard-attr-tag external-net dvr l3-ha ext-gw-mode port-security qos trunk rbac-policies quotas extraroute
    extraroute-atomic subnet_allocation address-scope provider binding dns-integration allowed-address-pairs segment net-mtu net-mtu-writable
    standard-attr-description extra_dhcp_opt vlan-transparent agent availability_zone network_availability_zone router_availability_zone
    auto-allocated-topology default-subnetpools project-id qos-fip qos-bw-limit-direction floating-ip-port-forwarding trunk-details
    subnet-service-types stateful-security-group qos-bw-minimum-ingress multi-provider sorting pagination standard-attr-revisions standard-attr-timestamp uplink-status-propagation
    quota_details network-ip-availability""".split()
TAGGED = ("networks", "subnets", "ports", "routers", "floatingips", "security-groups", "subnetpools", "trunks", "policies")
INTERFACE = "network:router_interface"
BASE = {"tags": [], "description": "", "revision_number": 1, "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z"}


def _error(status, message):
    kind = {404: "NotFound", 409: "Conflict", 400: "BadRequest", 403: "Forbidden"}.get(status, "Error")
    return {"NeutronError": {"type": kind, "message": message, "detail": ""}}


service = Service("/network", ("network",), _error)


# The maps ask for options of Neutron's server, whose defaults these are.
cfg.CONF.register_opts([cfg.StrOpt("dns_domain", default="openstacklocal"), cfg.IntOpt("max_allowed_address_pair", default=10)])


def _maps():
    """The maps of all definitions, and the collections below others."""
    maps, below = {}, {}
    for name in DEFINITIONS:
        definition = importlib.import_module(f"neutron_lib.api.definitions.{name}")
        for collection, attributes in definition.RESOURCE_ATTRIBUTE_MAP.items():
            maps.setdefault(collection, {}).update(attributes)
        for collection, part in (definition.SUB_RESOURCE_ATTRIBUTE_MAP or {}).items():
            below.setdefault(collection, {}).update(part["parameters"])
    # The extensions of descriptions, and the maps that are in Neutron itself.
    for collection in TAGGED:
        maps.setdefault(collection, {})["description"] = {"allow_post": True, "allow_put": True, "default": ""}
    return maps, below


MAPS, BELOW = _maps()


# ---- addresses


def _subnets(cloud, network):
    return cloud.where("subnets", network_id=network)


def _used(cloud, subnet, but=None):
    return {ip["ip_address"] for port in cloud.table("ports").values() if port["id"] != but for ip in port["fixed_ips"] if ip["subnet_id"] == subnet}


def allocate(cloud, subnet, but=None, taken=()):
    """The next free address of the subnet's pools."""
    used = {*_used(cloud, subnet["id"], but), *taken}
    for pool in subnet["allocation_pools"]:
        at, end = ipaddress.ip_address(pool["start"]), ipaddress.ip_address(pool["end"])
        while at <= end:
            if str(at) not in used:
                return str(at)
            at += 1
    raise Refused(409, f"No more IP addresses available for subnet {subnet['id']}.")


def _fixed_ips(cloud, port, wanted):
    """The addresses of a port as Neutron's IPAM resolves them, and those that it chose."""
    subnets = _subnets(cloud, port["network_id"])
    if wanted is None:
        first = {}
        for subnet in subnets:
            first.setdefault(subnet["ip_version"], subnet)
        wanted = [{"subnet_id": subnet["id"]} for subnet in first.values()]
    done, chosen, kept = [], [], port.get("fixed_ips") or []
    for one in wanted:
        subnet, address = one.get("subnet_id"), one.get("ip_address")
        if not subnet:
            subnet = next((each["id"] for each in subnets if ipaddress.ip_address(address) in ipaddress.ip_network(each["cidr"])), None)
            if not subnet:
                raise Refused(400, f"Invalid input for operation: IP address {address} is not a valid IP for any of the subnets on the specified network.")
        held = cloud.find("subnets", subnet)
        if held["network_id"] != port["network_id"]:
            raise Refused(400, f"Invalid input for operation: Failed to create port on network {port['network_id']}, because fixed_ips included invalid subnet {subnet}.")
        if not address:
            stays = [ip["ip_address"] for ip in kept if ip["subnet_id"] == subnet and ip["ip_address"] not in [each["ip_address"] for each in done]]
            address = stays[0] if stays else allocate(cloud, held, port.get("id"), [each["ip_address"] for each in done])
            chosen.append(address)
        else:
            address = str(ipaddress.ip_address(address))
            if ipaddress.ip_address(address) not in ipaddress.ip_network(held["cidr"]):
                raise Refused(400, f"Invalid input for operation: IP address {address} is not a valid IP for the specified subnet.")
            if address in _used(cloud, subnet, port.get("id")):
                raise Refused(409, f"IP address {address} already allocated in subnet {subnet}")
        done.append({"subnet_id": subnet, "ip_address": address})
    return done, chosen


# ---- networks and subnets


def _shown_network(cloud, one):
    return {**one, "subnets": [each["id"] for each in _subnets(cloud, one["id"])]}


def _delete_network(cloud, one):
    ports = [port for port in cloud.where("ports", network_id=one["id"]) if not port["device_owner"].startswith("network:dhcp")]
    if ports:
        raise Refused(409, f"Unable to complete operation on network {one['id']}. There are one or more ports still in use on the network, id for these ports is: {ports[0]['id']}.")


def _check_network(cloud, new, old):
    if old is None and not new.get("mtu"):
        new["mtu"] = 1450
    if old is None and new.get("provider:segmentation_id") is None:
        new["provider:segmentation_id"] = 100 + len(cloud.table("networks"))
        new["_chosen"] = [new["provider:segmentation_id"]]
    if old is None and new["name"] in cloud.external:
        new["router:external"] = True
    if old and old["router:external"] and not new["router:external"] and cloud.where("floatingips", floating_network_id=old["id"]):
        raise Refused(409, f"External network {old['id']} cannot be updated to be made non-external, since it has existing gateway ports.")


def _pools(cidr, gateway):
    """The pools of a subnet without any: all hosts but the gateway."""
    network = ipaddress.ip_network(cidr)
    first, last = network.network_address + 1, network.broadcast_address - (1 if network.version == 4 else 0)
    gateway = gateway and ipaddress.ip_address(gateway)
    if gateway is None or not first <= gateway <= last:
        return [{"start": str(first), "end": str(last)}]
    parts = [(first, gateway - 1), (gateway + 1, last)]
    return [{"start": str(start), "end": str(end)} for start, end in parts if start <= end]


def _check_subnet(cloud, new, old):
    if old is None:
        network = cloud.find("networks", new["network_id"])
        if not new.get("cidr"):
            _from_pool(cloud, new)
        cidr = ipaddress.ip_network(new["cidr"], strict=False)
        new["cidr"] = str(cidr)
        if cidr.version != int(new["ip_version"]):
            raise Refused(400, f"Invalid input for operation: ip_version '{new['ip_version']}' does not match cidr '{new['cidr']}'")
        for other in _subnets(cloud, network["id"]):
            if other["id"] != new["id"] and cidr.overlaps(ipaddress.ip_network(other["cidr"])):
                raise Refused(400, f"Invalid input for operation: Requested subnet with cidr: {cidr} for network: {network['id']} overlaps with another subnet.")
        if "gateway_ip" not in new:
            new["gateway_ip"] = str(cidr.network_address + 1)
            new.setdefault("_chosen", []).append(new["gateway_ip"])
        if not new.get("allocation_pools"):
            new["allocation_pools"] = _pools(new["cidr"], new["gateway_ip"])
            new["_pools"] = True
    if new.get("gateway_ip"):
        new["gateway_ip"] = str(ipaddress.ip_address(new["gateway_ip"]))
    for pool in new["allocation_pools"]:
        if ipaddress.ip_address(pool["start"]) > ipaddress.ip_address(pool["end"]):
            raise Refused(400, f"The allocation pool {pool['start']}-{pool['end']} is not valid.")
        if any(ipaddress.ip_address(pool[end]) not in ipaddress.ip_network(new["cidr"]) for end in ("start", "end")):
            raise Refused(400, f"The allocation pool {pool['start']}-{pool['end']} spans beyond the subnet cidr {new['cidr']}.")
        if new.get("gateway_ip") and ipaddress.ip_address(pool["start"]) <= ipaddress.ip_address(new["gateway_ip"]) <= ipaddress.ip_address(pool["end"]):
            raise Refused(409, f"Gateway ip {new['gateway_ip']} conflicts with allocation pool {pool['start']}-{pool['end']}.")
    if old and old.get("gateway_ip") != new.get("gateway_ip") and old.get("gateway_ip") in _used(cloud, old["id"]):
        raise Refused(409, f"Current gateway ip {old['gateway_ip']} already in use by port. Unable to update.")
    if not new.get("enable_dhcp") and (new.get("ipv6_ra_mode") or new.get("ipv6_address_mode")):
        raise Refused(400, "Invalid input for operation: ipv6_ra_mode or ipv6_address_mode cannot be set when enable_dhcp is set to False.")


def _from_pool(cloud, new):
    if not new.get("subnetpool_id"):
        raise Refused(400, "Bad subnets request: a subnetpool must be specified in the absence of a cidr.")
    pool = cloud.find("subnetpools", new["subnetpool_id"])
    taken = [ipaddress.ip_network(each["cidr"]) for each in cloud.where("subnets", subnetpool_id=pool["id"])]
    length = int(new.get("prefixlen") or pool["default_prefixlen"])
    for prefix in pool["prefixes"]:
        for cidr in ipaddress.ip_network(prefix).subnets(new_prefix=length):
            if not any(cidr.overlaps(each) for each in taken):
                new["cidr"] = str(cidr)
                new.setdefault("_chosen", []).append(str(cidr))
                return
    raise Refused(409, f"Insufficient prefix space to allocate subnet size /{length}.")


def _delete_subnet(cloud, one):
    for port in list(cloud.table("ports").values()):
        if any(ip["subnet_id"] == one["id"] for ip in port["fixed_ips"]):
            raise Refused(409, f"Unable to complete operation on subnet {one['id']}: One or more ports have an IP allocation from this subnet.")


def _check_pool(cloud, new, old):
    versions = {ipaddress.ip_network(prefix).version for prefix in new["prefixes"]}
    if len(versions) != 1:
        raise Refused(400, "Illegal prefix bounds: prefixes of both versions.")
    if old and not all(any(ipaddress.ip_network(was).subnet_of(ipaddress.ip_network(now)) for now in new["prefixes"]) for was in old["prefixes"]):
        raise Refused(400, "Illegal subnetpool update: Existing prefixes must be a subset of the new prefixes.")
    new["ip_version"] = versions.pop()
    bits = 32 if new["ip_version"] == 4 else 128
    for field, value in (("min_prefixlen", 8 if bits == 32 else 64), ("max_prefixlen", bits), ("default_prefixlen", new.get("min_prefixlen") or (8 if bits == 32 else 64))):
        new[field] = int(new.get(field) or value)


# ---- ports


def _check_port(cloud, new, old):
    network = cloud.find("networks", new["network_id"])
    if old is None:
        number = new["id"].replace("-", "")
        if not new.get("mac_address"):
            new["mac_address"] = f"fa:16:3e:{number[0:2]}:{number[2:4]}:{number[4:6]}"
            new.setdefault("_chosen", []).append(new["mac_address"])
        new["mac_address"] = new["mac_address"].lower()
        new.setdefault("port_security_enabled", network.get("port_security_enabled", True))
        if new.get("security_groups") is None:
            new["security_groups"] = [default_group(cloud)["id"]] if new["port_security_enabled"] and not new["device_owner"].startswith("network:") else []
    if old is None or new.get("mac_address") != old["mac_address"]:
        for other in cloud.where("ports", mac_address=new["mac_address"], network_id=new["network_id"]):
            if other["id"] != new["id"]:
                raise Refused(409, f"Unable to complete operation for network {network['id']}. The mac address {new['mac_address']} is in use.")
    if new["security_groups"] and not new["port_security_enabled"]:
        raise Refused(409, "Port Security must be enabled and port must have an IP address in order to use security groups.")
    if new.get("allowed_address_pairs") and not new["port_security_enabled"]:
        raise Refused(409, "Port Security must be enabled in order to have allowed address pairs on a port.")
    pairs = [(pair["ip_address"], pair.get("mac_address") or new["mac_address"]) for pair in new.get("allowed_address_pairs") or []]
    if len(set(pairs)) < len(pairs):
        raise Refused(400, "Request contains duplicate address pair.")
    new["allowed_address_pairs"] = [{"ip_address": ip, "mac_address": mac} for ip, mac in pairs]
    if old is None or new["fixed_ips"] != old["fixed_ips"]:
        new["fixed_ips"], chosen = _fixed_ips(cloud, {**new, "fixed_ips": old and old["fixed_ips"]}, new.get("fixed_ips"))
        new["_chosen"] = [*new.get("_chosen", []), *chosen]
        if old:
            lost = [ip["ip_address"] for ip in old["fixed_ips"] if ip not in new["fixed_ips"]]
            for fip in cloud.where("floatingips", port_id=old["id"]):
                if fip["fixed_ip_address"] in lost:
                    fip.update(port_id=None, fixed_ip_address=None, router_id=None, status="DOWN")
    new["status"] = "ACTIVE" if new.get("device_id") else "DOWN"


def _delete_port(cloud, one):
    if one["device_owner"] in (INTERFACE, "network:router_gateway", "network:floatingip"):
        raise Refused(409, f"Port {one['id']} cannot be deleted directly via the port API: has device owner {one['device_owner']}.")
    for trunk in cloud.table("trunks").values():
        if one["id"] == trunk["port_id"]:
            raise Refused(409, f"Port {one['id']} is currently a parent port for trunk {trunk['id']}.")
        if one["id"] in [each["port_id"] for each in trunk["sub_ports"]]:
            raise Refused(409, f"Port {one['id']} is currently a subport for trunk {trunk['id']}.")
    for fip in cloud.where("floatingips", port_id=one["id"]):
        fip.update(port_id=None, fixed_ip_address=None, router_id=None, status="DOWN")


def make_port(cloud, **fields):
    """A port that another service makes."""
    one = cloud.create("ports", {"admin_state_up": True, "device_id": "", "device_owner": "", "name": "", "binding:vnic_type": "normal", **fields}, internal=True)
    return one


# ---- routers


def _inside(cloud, router):
    """The subnets that a router's interfaces are in."""
    return {ip["subnet_id"] for port in cloud.where("ports", device_id=router, device_owner=INTERFACE) for ip in port["fixed_ips"]}


def _check_router(cloud, new, old):
    gateway = new.get("external_gateway_info") or None
    was = old and old.get("external_gateway_info")
    if gateway:
        network = cloud.find("networks", gateway.get("network_id"))
        if not network.get("router:external"):
            raise Refused(400, f"Bad router request: Network {network['id']} is not an external network.")
        chosen = []
        if gateway.get("external_fixed_ips") and any(not ip.get("ip_address") for ip in gateway["external_fixed_ips"]) or not gateway.get("external_fixed_ips"):
            same = was and was["network_id"] == gateway["network_id"] and not gateway.get("external_fixed_ips")
            ips, chosen = (was["external_fixed_ips"], []) if same else _fixed_ips(cloud, {"network_id": network["id"]}, gateway.get("external_fixed_ips"))
        else:
            ips = gateway["external_fixed_ips"]
        new["_chosen"] = [*new.get("_chosen", []), *chosen]
        new["external_gateway_info"] = gateway = {"network_id": network["id"], "enable_snat": gateway.get("enable_snat", True), "external_fixed_ips": ips}
    else:
        new["external_gateway_info"] = None
    if was and was["network_id"] != (gateway or {}).get("network_id"):
        inside = _inside(cloud, old["id"])
        for fip in cloud.where("floatingips", floating_network_id=was["network_id"]):
            target = cloud.table("ports").get(fip["port_id"])
            if target and any(ip["subnet_id"] in inside for ip in target["fixed_ips"]):
                raise Refused(409, f"Gateway cannot be updated for router {old['id']}, since a gateway to external network {was['network_id']} is required by one or more floating IPs.")
    for route in new.get("routes") or []:
        if not any(ipaddress.ip_address(route["nexthop"]) in ipaddress.ip_network(cloud.find("subnets", subnet)["cidr"]) for subnet in _inside(cloud, new["id"])) and not (
                gateway and any(ipaddress.ip_address(route["nexthop"]) in ipaddress.ip_network(each["cidr"]) for each in _subnets(cloud, gateway["network_id"]))):
            raise Refused(400, f"Invalid format for routes: {route['nexthop']}, the nexthop is not connected with router")


def _made_router(cloud, one):
    _gateway_port(cloud, one)


def _changed_router(cloud, one, old):
    if one["external_gateway_info"] != old["external_gateway_info"]:
        _gateway_port(cloud, one)


def _gateway_port(cloud, router):
    for port in cloud.where("ports", device_id=router["id"], device_owner="network:router_gateway"):
        del cloud.objects["ports"][port["id"]]
    if router["external_gateway_info"]:
        info = router["external_gateway_info"]
        make_port(cloud, network_id=info["network_id"], device_id=router["id"], device_owner="network:router_gateway", fixed_ips=info["external_fixed_ips"], security_groups=[], tenant_id="")


def _delete_router(cloud, one):
    if cloud.where("ports", device_id=one["id"], device_owner=INTERFACE):
        raise Refused(409, f"Router {one['id']} still has ports")
    for port in cloud.where("ports", device_id=one["id"]):
        del cloud.objects["ports"][port["id"]]


@service.action("PUT", "/v2.0/routers/{}/add_router_interface")
def _add_interface(cloud, request, identifier):
    router, body = cloud.find("routers", identifier), request.body
    cloud.failing("add_router_interface", "router", router["name"], refuse=True)
    if bool(body.get("subnet_id")) == bool(body.get("port_id")):
        raise Refused(400, "Bad router request: Either subnet_id or port_id must be specified")
    if body.get("port_id"):
        port = cloud.find("ports", body["port_id"])
        if port["device_id"]:
            raise Refused(409, f"Unable to complete operation on port {port['id']} for network {port['network_id']}. Port already has an attached device {port['device_id']}.")
        subnets = [cloud.find("subnets", ip["subnet_id"]) for ip in port["fixed_ips"]]
        if not subnets:
            raise Refused(400, "Bad router request: Router port must have at least one fixed IP")
    else:
        port, subnets = None, [cloud.find("subnets", body["subnet_id"])]
        if not subnets[0]["gateway_ip"]:
            raise Refused(400, "Bad router request: Subnet for router interface must have a gateway IP")
    for subnet in subnets:
        cidr = ipaddress.ip_network(subnet["cidr"])
        for other in _inside(cloud, identifier):
            held = cloud.find("subnets", other)
            if other == subnet["id"]:
                raise Refused(400, f"Bad router request: Router already has a port on subnet {other}")
            if cidr.overlaps(ipaddress.ip_network(held["cidr"])):
                raise Refused(400, f"Bad router request: Cidr {cidr} of subnet {subnet['id']} overlaps with cidr {held['cidr']} of subnet {other}.")
    if port is None:
        subnet = subnets[0]
        # IPv6 subnets of one network share a port of the router.
        shared = [each for each in cloud.where("ports", device_id=identifier, device_owner=INTERFACE, network_id=subnet["network_id"])
                  if subnet["ip_version"] == 6 and all(cloud.find("subnets", ip["subnet_id"])["ip_version"] == 6 for ip in each["fixed_ips"])]
        address = {"subnet_id": subnet["id"], "ip_address": subnet["gateway_ip"]}
        if subnet["gateway_ip"] in _used(cloud, subnet["id"]):
            raise Refused(409, f"IP address {subnet['gateway_ip']} already allocated in subnet {subnet['id']}")
        if shared:
            port = shared[0]
            port["fixed_ips"].append(address)
        else:
            port = make_port(cloud, network_id=subnet["network_id"], device_id=identifier, device_owner=INTERFACE, fixed_ips=[address], security_groups=[])
            port["_own"] = True
    else:
        port.update(device_id=identifier, device_owner=INTERFACE, status="ACTIVE")
    return 200, {"id": identifier, "tenant_id": PROJECT, "project_id": PROJECT, "port_id": port["id"], "network_id": port["network_id"],
                 "subnet_id": subnets[-1]["id"], "subnet_ids": [each["id"] for each in subnets], "tags": []}


@service.action("PUT", "/v2.0/routers/{}/remove_router_interface")
def _remove_interface(cloud, request, identifier):
    cloud.find("routers", identifier)
    port, subnet = request.body.get("port_id"), request.body.get("subnet_id")
    for one in cloud.where("ports", device_id=identifier, device_owner=INTERFACE):
        subnets = [ip["subnet_id"] for ip in one["fixed_ips"]]
        if one["id"] == port or (not port and subnet in subnets):
            leaving = [subnet] if subnet and len(subnets) > 1 and not port else subnets
            for fip in cloud.table("floatingips").values():
                target = cloud.table("ports").get(fip["port_id"])
                if fip["router_id"] == identifier and target and any(ip["subnet_id"] in leaving for ip in target["fixed_ips"]):
                    raise Refused(409, f"Router interface for subnet {leaving[0]} on router {identifier} cannot be deleted, as it is required by one or more floating IPs.")
            router = cloud.find("routers", identifier)
            if any(ipaddress.ip_address(route["nexthop"]) in ipaddress.ip_network(cloud.find("subnets", each)["cidr"]) for route in router.get("routes") or [] for each in leaving):
                raise Refused(409, f"Router interface for subnet {leaving[0]} on router {identifier} cannot be deleted, as it is required by one or more routes.")
            if leaving != subnets:
                one["fixed_ips"] = [ip for ip in one["fixed_ips"] if ip["subnet_id"] not in leaving]
            else:
                del cloud.objects["ports"][one["id"]]
            return 200, {"id": identifier, "port_id": one["id"], "subnet_id": leaving[0], "network_id": one["network_id"], "subnet_ids": leaving}
    raise Refused(404, f"Router {identifier} does not have an interface with id {port}" if port else f"Router {identifier} has no interface on subnet {subnet}")


@service.action("PUT", "/v2.0/routers/{}/(add_extraroutes|remove_extraroutes)")
def _extraroutes(cloud, request, identifier, action):
    one, routes = cloud.find("routers", identifier), request.body["router"]["routes"]
    kept = [each for each in one["routes"] if each not in routes]
    cloud.change("routers", identifier, {"routes": kept + routes if action == "add_extraroutes" else kept})
    return 200, {"router": one}


# ---- floating IPs


def _check_fip(cloud, new, old):
    network = cloud.find("networks", new["floating_network_id"])
    if not network.get("router:external"):
        raise Refused(400, f"Bad floatingip request: Network {network['id']} is not a valid external network.")
    if old is None:
        if not new.get("floating_ip_address"):
            subnets = [cloud.find("subnets", new["subnet_id"])] if new.get("subnet_id") else [each for each in _subnets(cloud, network["id"]) if each["ip_version"] == 4]
            if subnets:
                new["floating_ip_address"] = allocate(cloud, subnets[0])
            else:
                cloud.fip_pool += 1
                new["floating_ip_address"] = f"203.0.113.{cloud.fip_pool}"
            new["_chosen"] = [new["floating_ip_address"]]
        elif any(other["floating_ip_address"] == new["floating_ip_address"] for other in cloud.table("floatingips").values()):
            raise Refused(409, f"IP address {new['floating_ip_address']} already allocated in subnet")
    if old and new["port_id"] != old["port_id"] and new["fixed_ip_address"] == old["fixed_ip_address"]:
        new["fixed_ip_address"] = None
    if not new.get("port_id"):
        if new.get("fixed_ip_address") and (old is None or new["fixed_ip_address"] != old["fixed_ip_address"]):
            raise Refused(400, "Bad floatingip request: fixed_ip_address cannot be specified without a port_id.")
        new.update(port_id=None, fixed_ip_address=None, router_id=None, status="DOWN")
        return
    port = cloud.find("ports", new["port_id"])
    v4 = [ip for ip in port["fixed_ips"] if ":" not in ip["ip_address"]]
    if not v4:
        raise Refused(400, f"Bad floatingip request: Cannot add floating IP to port {port['id']} that has no fixed IPv4 addresses.")
    if new.get("fixed_ip_address"):
        ip = next((each for each in v4 if each["ip_address"] == new["fixed_ip_address"]), None)
        if not ip:
            raise Refused(400, f"Bad floatingip request: Port {port['id']} does not have fixed ip {new['fixed_ip_address']}.")
    elif len(v4) > 1:
        raise Refused(400, f"Bad floatingip request: Port {port['id']} has multiple fixed IPv4 addresses. Must provide a specific IPv4 address when assigning a floating IP.")
    else:
        ip = v4[0]
    router = next((each for each in cloud.table("routers").values() if ip["subnet_id"] in _inside(cloud, each["id"])
                   and (each["external_gateway_info"] or {}).get("network_id") == network["id"]), None)
    if router is None:
        raise Refused(404, f"External network {network['id']} is not reachable from subnet {ip['subnet_id']}.  Therefore, cannot associate Port {port['id']} with a Floating IP.")
    for other in cloud.where("floatingips", port_id=port["id"], fixed_ip_address=ip["ip_address"], floating_network_id=network["id"]):
        if other["id"] != new["id"]:
            raise Refused(409, f"Cannot associate floating IP {new['floating_ip_address']} ({new['id']}) with port {port['id']} using fixed IP {ip['ip_address']}, as that fixed IP "
                               f"already has a floating IP on external network {network['id']}.")
    if ip["ip_address"] in port.get("_chosen", []):
        new["_chosen"] = [*new.get("_chosen", []), ip["ip_address"]]
    new.update(fixed_ip_address=ip["ip_address"], router_id=router["id"], status="ACTIVE")


def _made_fip(cloud, one):
    make_port(cloud, network_id=one["floating_network_id"], device_id=one["id"], device_owner="network:floatingip", fixed_ips=[], security_groups=[], tenant_id="")
    port = cloud.where("ports", device_id=one["id"])[0]
    subnet = next((each for each in _subnets(cloud, one["floating_network_id"]) if ipaddress.ip_address(one["floating_ip_address"]) in ipaddress.ip_network(each["cidr"])), None)
    if subnet:
        port["fixed_ips"] = [{"subnet_id": subnet["id"], "ip_address": one["floating_ip_address"]}]
        port["_chosen"] = [*port.get("_chosen", []), *one.get("_chosen", [])]


def _delete_fip(cloud, one):
    for port in cloud.where("ports", device_id=one["id"]):
        del cloud.objects["ports"][port["id"]]


def _shown_fip(cloud, one):
    return {**one, "port_details": None, "qos_network_policy_id": None}


# ---- security groups


def default_group(cloud, project=PROJECT):
    """The group `default` of a project, which is made when it is needed first."""
    found = cloud.where("security-groups", name="default", tenant_id=project)
    return found[0] if found else cloud.create("security-groups", {"name": "default", "description": "Default security group", "tenant_id": project, "_default": True}, internal=True)


@service.action("GET", "/v2.0/security-groups")
def _list_groups(cloud, request):
    """The default group of a project is made when its groups are asked for first."""
    default_group(cloud)
    return 200, cloud.listing(cloud.kinds["security-groups"], request.query)


def _check_group(cloud, new, old):
    if old is None and new["name"] == "default" and not new.get("_default"):
        raise Refused(409, "Default security group already exists.")
    if old and old["name"] == "default" and new["name"] != "default":
        raise Refused(409, "Updating default security group not allowed.")
    new["project_id"] = new["tenant_id"]


def _made_group(cloud, one):
    """The rules that each group begins with."""
    for family in ("IPv4", "IPv6"):
        cloud.create("security-group-rules", {"security_group_id": one["id"], "direction": "egress", "ethertype": family, "_own": True}, internal=True)
    if one.get("_default"):
        for family in ("IPv4", "IPv6"):
            cloud.create("security-group-rules", {"security_group_id": one["id"], "direction": "ingress", "ethertype": family, "remote_group_id": one["id"], "_own": True}, internal=True)


def _delete_group(cloud, one):
    if one["name"] == "default":
        raise Refused(409, "Insufficient rights for removing default security group.")
    if any(one["id"] in port["security_groups"] for port in cloud.table("ports").values()):
        raise Refused(409, f"Security Group {one['id']} in use.")
    if any(rule["remote_group_id"] == one["id"] and rule["security_group_id"] != one["id"] for rule in cloud.table("security-group-rules").values()):
        raise Refused(409, f"Security Group {one['id']} in use.")


RULE = ("security_group_id", "direction", "ethertype", "protocol", "port_range_min", "port_range_max", "remote_ip_prefix", "remote_group_id")
NUMBERS = {1: "icmp", 6: "tcp", 17: "udp", 58: "ipv6-icmp", 112: "vrrp", 132: "sctp", 50: "esp", 51: "ah", 47: "gre", 2: "igmp"}


def _check_rule(cloud, new, old):
    protocol = new.get("protocol")
    protocol = None if protocol in (None, "", "any", "0", 0) else str(protocol).lower()
    if new["ethertype"] == "IPv6" and protocol in ("icmp", "icmpv6"):
        protocol = "ipv6-icmp"
    new["protocol"] = protocol
    for field in ("port_range_min", "port_range_max"):
        new[field] = None if new.get(field) in (None, "") else int(new[field])
    low, high = new["port_range_min"], new["port_range_max"]
    name = NUMBERS.get(int(protocol), protocol) if protocol and protocol.isdigit() else protocol
    if name in ("tcp", "udp", "sctp", "dccp", "udplite") and (low is None) != (high is None) and not (low is None and high is None):
        raise Refused(400, "For TCP/UDP protocols, port_range_min must be <= port_range_max")
    if low is not None and high is not None and low > high and name not in ("icmp", "ipv6-icmp"):
        raise Refused(400, "For TCP/UDP protocols, port_range_min must be <= port_range_max")
    if protocol is None and (low is not None or high is not None):
        raise Refused(400, "Must also specify protocol if port range is given.")
    if new.get("remote_ip_prefix") and new.get("remote_group_id"):
        raise Refused(400, "Only remote_ip_prefix or remote_group_id or remote_address_group_id may be provided.")
    prefix = new.get("remote_ip_prefix") or None
    if prefix:
        network = ipaddress.ip_network(prefix, strict=False)
        if f"IPv{network.version}" != new["ethertype"]:
            raise Refused(400, f"Conflicting value ethertype {new['ethertype']} for CIDR {prefix}")
        # The prefix keeps the bits of a host; `normalized_cidr` is what is matched.
        new["normalized_cidr"], new["remote_ip_prefix"] = str(network), str(ipaddress.ip_interface(prefix))
    else:
        new["normalized_cidr"] = new["remote_ip_prefix"] = None
    key = [new.get(field) for field in RULE]
    for other in cloud.table("security-group-rules").values():
        if other["id"] != new["id"] and [other.get(field) for field in RULE] == key:
            raise Refused(409, f"Security group rule already exists. Rule id is {other['id']}.")


def _shown_group(cloud, one):
    kind = cloud.kinds["security-group-rules"]
    return {**one, "shared": False, "security_group_rules": [cloud.shown(kind, rule) for rule in cloud.where("security-group-rules", security_group_id=one["id"])]}


# ---- trunks, quality of service, sharing


def _check_trunk(cloud, new, old):
    for other in cloud.table("trunks").values():
        if other["id"] != new["id"]:
            taken = [other["port_id"], *(each["port_id"] for each in other["sub_ports"])]
            for port in [new["port_id"], *(each["port_id"] for each in new["sub_ports"])]:
                if port in taken:
                    raise Refused(409, f"Port {port} is in use by another trunk.")
    segments = [(each.get("segmentation_type"), each.get("segmentation_id")) for each in new["sub_ports"]]
    if len(set(segments)) < len(segments):
        raise Refused(400, f"segmentation_type and segmentation_id already in use on trunk {new['id']}.")
    for each in new["sub_ports"]:
        cloud.find("ports", each["port_id"]).update(device_owner="trunk:subport", device_id=new["id"], status="ACTIVE")


def _delete_trunk(cloud, one):
    for each in one["sub_ports"]:
        if each["port_id"] in cloud.table("ports"):
            cloud.table("ports")[each["port_id"]].update(device_owner="", device_id="", status="DOWN")


@service.action("PUT GET", "/v2.0/trunks/{}/(add_subports|remove_subports|get_subports)")
def _subports(cloud, request, identifier, action):
    one = cloud.find("trunks", identifier)
    wanted = (request.body or {}).get("sub_ports", [])
    gone = [each["port_id"] for each in wanted]
    if action == "add_subports":
        _check_trunk(cloud, {**one, "sub_ports": one["sub_ports"] + wanted}, one)
        one["sub_ports"] = one["sub_ports"] + wanted
    elif action == "remove_subports":
        missing = [port for port in gone if port not in [each["port_id"] for each in one["sub_ports"]]]
        if missing:
            raise Refused(404, f"SubPort on trunk {identifier} with parent port {missing[0]} could not be found.")
        _delete_trunk(cloud, {"sub_ports": wanted})
        one["sub_ports"] = [each for each in one["sub_ports"] if each["port_id"] not in gone]
    return 200, {"sub_ports": one["sub_ports"]} if action == "get_subports" else one


def _shown_policy(cloud, one):
    rules = [{**cloud.shown(cloud.kinds[name], rule), "type": name[:-1]} for name in QOS_RULES for rule in cloud.where(name, qos_policy_id=one["id"])]
    return {**one, "rules": rules, "is_default": one.get("is_default", False)}


def _check_share(cloud, new, old):
    collection = {"network": "networks", "qos_policy": "policies", "security_group": "security-groups", "subnetpool": "subnetpools", "address_scope": "address-scopes"}.get(new["object_type"])
    if not collection:
        raise Refused(400, f"Invalid input for object_type. Reason: '{new['object_type']}'.")
    cloud.find(collection, new["object_id"])


COMMON = {**BASE, "tenant_id": PROJECT, "project_id": PROJECT}
QOS_RULES = ("bandwidth_limit_rules", "dscp_marking_rules", "minimum_bandwidth_rules")
STATE = ("status", "BUILD", "ACTIVE", "ERROR")
RULE_MAP = {field: {"allow_post": True, "allow_put": False, "default": default} for field, default in (
    ("direction", "ingress"), ("ethertype", "IPv4"), ("protocol", None), ("port_range_min", None), ("port_range_max", None), ("remote_ip_prefix", None),
    ("remote_group_id", None), ("remote_address_group_id", None), ("description", ""), ("tenant_id", PROJECT))}
RULE_MAP["security_group_id"] = {"allow_post": True, "allow_put": False}
RULE_MAP["description"]["allow_put"] = True
GROUP_MAP = {field: {"allow_post": True, "allow_put": put, "default": default} for field, put, default in (("name", True, ""), ("stateful", True, True), ("tenant_id", False, PROJECT), ("description", True, ""))}
SHARE_MAP = {field: {"allow_post": True, "allow_put": field == "target_tenant"} for field in ("object_type", "object_id", "target_tenant", "action")}
SHARE_MAP["tenant_id"] = {"allow_post": True, "allow_put": False, "default": PROJECT}
# Maps that require a project get it from the token.
for _map in MAPS.values():
    if "tenant_id" in _map:
        _map["tenant_id"] = {**_map["tenant_id"], "default": PROJECT}
MAPS["ports"]["security_groups"] = {"allow_post": True, "allow_put": True, "default": None}
MAPS["ports"]["tags"] = MAPS["networks"]["tags"] = {"allow_post": True, "allow_put": False, "default": []}
MAPS["policies"]["is_default"] = {"allow_post": True, "allow_put": True, "default": False}
MAPS["networks"]["is_default"] = {"allow_post": True, "allow_put": True, "default": False}
MAPS["routers"]["flavor_id"] = {"allow_post": True, "allow_put": False, "default": None}
# Services make ports for others with a project that is not theirs, so the fields of the row hold for them.
N = {"provider:network_type": "vxlan", "provider:physical_network": None, "ipv4_address_scope": None,
     "ipv6_address_scope": None, "availability_zones": ["nova"], "shared": False, "port_security_enabled": True, "l2_adjacency": True}

service.kind("networks", "/v2.0/networks", "network", defaults={**COMMON, **N}, attributes=MAPS["networks"], state=STATE, refs={"qos_policy_id": "policies"}, check=_check_network,
             show=_shown_network, delete=_delete_network, cascade=(("subnets", "network_id"), ("rbac-policies", "object_id"), ("segments", "network_id")))
service.kind("subnets", "/v2.0/subnets", "subnet", defaults={**COMMON, "dns_nameservers": [], "host_routes": [], "service_types": [], "ipv6_ra_mode": None, "ipv6_address_mode": None, "subnetpool_id": None,
             "segment_id": None, "dns_publish_fixed_ip": False}, attributes=MAPS["subnets"], refs={"network_id": "networks", "subnetpool_id": "subnetpools"}, check=_check_subnet, delete=_delete_subnet)
service.kind("ports", "/v2.0/ports", "port", defaults={**COMMON, "binding:vif_type": "ovs", "binding:vif_details": {}, "binding:host_id": "", "binding:profile": {}, "allowed_address_pairs": [],
             "extra_dhcp_opts": [], "dns_assignment": [], "qos_policy_id": None, "resource_request": None, "ip_allocation": "immediate"}, attributes=MAPS["ports"],
             refs={"network_id": "networks", "security_groups": "security-groups", "qos_policy_id": "policies"}, check=_check_port, delete=_delete_port)
service.kind("routers", "/v2.0/routers", "router", defaults={**COMMON, "routes": [], "distributed": False, "ha": False, "availability_zones": ["nova"], "flavor_id": None}, attributes=MAPS["routers"],
             state=STATE, check=_check_router, made=_made_router, changed=_changed_router, delete=_delete_router)
service.kind("floatingips", "/v2.0/floatingips", "floatingip", defaults=COMMON, attributes=MAPS["floatingips"], check=_check_fip, made=_made_fip, delete=_delete_fip, show=_shown_fip,
             refs={"qos_policy_id": "policies"}, cascade=(("port-forwardings", "floatingip_id"),))
service.kind("security-groups", "/v2.0/security-groups", "security_group", "security_groups", defaults={**COMMON, "stateful": True}, attributes=GROUP_MAP, check=_check_group, made=_made_group,
             delete=_delete_group, show=_shown_group, cascade=(("security-group-rules", "security_group_id"),))
service.kind("security-group-rules", "/v2.0/security-group-rules", "security_group_rule", "security_group_rules", defaults={**COMMON, "protocol": None, "port_range_min": None, "port_range_max": None,
             "remote_ip_prefix": None, "remote_group_id": None, "remote_address_group_id": None, "belongs_to_default_sg": False}, attributes=RULE_MAP,
             refs={"security_group_id": "security-groups", "remote_group_id": "security-groups"}, check=_check_rule)
service.kind("subnetpools", "/v2.0/subnetpools", "subnetpool", defaults={**COMMON, "default_quota": None, "address_scope_id": None}, attributes=MAPS["subnetpools"], check=_check_pool,
             refs={"address_scope_id": "address-scopes"}, in_use=(("subnets", "subnetpool_id"),))
service.kind("address-scopes", "/v2.0/address-scopes", "address_scope", "address_scopes", defaults=COMMON, attributes=MAPS["address_scopes"], in_use=(("subnetpools", "address_scope_id"),))
service.kind("trunks", "/v2.0/trunks", "trunk", defaults=COMMON, attributes=MAPS["trunks"], state=STATE, refs={"port_id": "ports"}, check=_check_trunk, delete=_delete_trunk)
service.kind("segments", "/v2.0/segments", "segment", defaults=COMMON, attributes=MAPS["segments"], refs={"network_id": "networks"}, in_use=(("subnets", "segment_id"),))
service.kind("rbac-policies", "/v2.0/rbac-policies", "rbac_policy", "rbac_policies", defaults=COMMON, attributes=SHARE_MAP, unique=(("object_type", "object_id", "target_tenant", "action"),), check=_check_share)
service.kind("policies", "/v2.0/qos/policies", "policy", defaults={**COMMON, "is_default": False}, attributes=MAPS["policies"], show=_shown_policy,
             in_use=(("networks", "qos_policy_id"), ("ports", "qos_policy_id"), ("floatingips", "qos_policy_id")), cascade=tuple((name, "qos_policy_id") for name in QOS_RULES))
for _name in QOS_RULES:
    _map = {**BELOW[_name], "qos_policy_id": {"allow_post": True, "allow_put": False}, "tenant_id": {"allow_post": True, "allow_put": False, "default": PROJECT}}
    service.kind(_name, f"/v2.0/qos/policies/{{}}/{_name}", _name[:-1], attributes=_map, parent=("policies", "qos_policy_id"), unique=(("qos_policy_id", "direction"),) if "direction" in _map else (("qos_policy_id",),))
service.kind("port-forwardings", "/v2.0/floatingips/{}/port_forwardings", "port_forwarding", defaults={"description": ""}, parent=("floatingips", "floatingip_id"), refs={"internal_port_id": "ports"},
             unique=(("floatingip_id", "protocol", "external_port"),))
service.route()


# ---- what is no collection


@service.action("GET", "/v2.0/qos/policies/{}/{}/{}/{}")
def _no_rule(cloud, request, *parts):
    """What Terraform's provider asks for to see whether a rule is gone."""
    raise Refused(404, "The resource could not be found.")


@service.action("GET", "(?:/v2.0)?(?:/)?")
def _versions(cloud, request):
    one = {"id": "v2.0", "status": "CURRENT", "links": [{"rel": "self", "href": f"{cloud.url}/network/v2.0/"}]}
    return 200, {"versions": [one]} if not request.path.startswith("/v2.0") else {"resources": []}


@service.action("GET", "/v2.0/extensions(?:/([^/]+))?")
def _extensions(cloud, request, alias):
    if alias:
        if alias not in EXTENSIONS:
            raise Refused(404, f"Extension with alias {alias} does not exist")
        return 200, {"extension": {"alias": alias, "name": alias, "description": "", "links": [], "updated": "2026-01-01T00:00:00Z"}}
    return 200, {"extensions": [{"alias": each, "name": each, "description": "", "links": [], "updated": "2026-01-01T00:00:00Z"} for each in EXTENSIONS]}


@service.action("GET PUT DELETE", "/v2.0/{}/{}/tags(?:/([^/]+))?")
def _tags(cloud, request, collection, identifier, tag):
    one = cloud.find(collection, identifier)
    if request.method == "PUT":
        one["tags"] = sorted({*one["tags"], tag} if tag else set(request.body["tags"]))
    elif request.method == "DELETE":
        one["tags"] = [each for each in one["tags"] if tag and each != tag]
        return 204, None
    return (200 if not tag else 201), {"tags": one["tags"]}


QUOTA = {"network": 100, "subnet": 100, "port": 500, "router": 10, "floatingip": 50, "security_group": 10, "security_group_rule": 100, "subnetpool": -1, "rbac_policy": 10}


@service.action("GET PUT DELETE", "/v2.0/quotas/{}(?:/(?:details|default)(?:.json)?)?")
def _quotas(cloud, request, project):
    known = cloud.table("quotas-neutron")
    if request.method == "DELETE":
        known.pop(project, None)
        return 204, None
    if request.method == "PUT":
        known.setdefault(project, {}).update(request.body["quota"])
    return 200, {"quota": {**QUOTA, **known.get(project, {})}}


@service.action("GET", "/v2.0/(?:agents|availability_zones|auto-allocated-topology|flavors|service-providers|network-ip-availabilities)(?:/.*)?")
def _others(cloud, request):
    name = request.path.split("/")[2].replace("-", "_")
    zones = [{"name": "nova", "resource": kind, "state": "available"} for kind in ("network", "router")]
    return 200, {name: zones if name == "availability_zones" else []}
