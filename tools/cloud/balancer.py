"""Octavia: load balancers, with the conflicts of their listeners, pools, monitors and members."""

from . import network
from .core import TIME, PROJECT, Refused, Service

service = Service("/lb", ("load-balancer",), lambda status, message: {"faultcode": "Client", "faultstring": message, "debuginfo": None})
V = "/v2(?:.0)?/(?:lbaas|octavia)"


@service.action("GET", "(?:/)?")
def _versions(cloud, request):
    return 200, {"versions": [{"id": f"v2.{minor}", "status": "CURRENT" if minor == 27 else "SUPPORTED", "updated": TIME, "links": [{"rel": "self", "href": f"{cloud.url}/lb/v2"}]} for minor in (0, 27)]}


@service.action("GET", "/v2(?:.0)?(?:/lbaas/providers|/lbaas/flavors-)?")
def _providers(cloud, request):
    return 200, {"providers": [{"name": "amphora", "description": ""}, {"name": "octavia", "description": ""}]}


def _check_lb(cloud, new, old):
    if old is not None:
        return
    subnet = new.get("vip_subnet_id")
    if not (subnet or new.get("vip_network_id") or new.get("vip_port_id")):
        raise Refused(400, "Validation failure: VIP must contain one of: vip_port_id, vip_network_id, vip_subnet_id.")
    if new.get("vip_port_id"):
        port = cloud.find("ports", new["vip_port_id"], 400)
        new["_port"] = False
    else:
        wanted = [{key: value for key, value in (("subnet_id", subnet), ("ip_address", new.get("vip_address"))) if value}]
        if subnet:
            cloud.find("subnets", subnet, 400)
        net = cloud.table("subnets")[subnet]["network_id"] if subnet else new["vip_network_id"]
        port = network.make_port(cloud, name=f"octavia-lb-{new['id']}", network_id=net, device_owner="Octavia", device_id=f"lb-{new['id']}", _own=True, **({"fixed_ips": wanted} if wanted[0] else {}))
        new["_port"] = True
        if not new.get("vip_address"):
            new["_chosen"] = [port["fixed_ips"][0]["ip_address"]]
    address = port["fixed_ips"][0]
    new.update(vip_port_id=port["id"], vip_address=address["ip_address"], vip_subnet_id=address["subnet_id"], vip_network_id=port["network_id"])


def _children(cloud, lb):
    return [one for collection in ("listeners", "pools") for one in cloud.table(collection).values() if one["loadbalancer_id"] == lb]


def _delete_port(cloud, one):
    if one["_port"] and one["vip_port_id"] in cloud.table("ports"):
        cloud.remove("ports", one["vip_port_id"], internal=True)


def _ids(ones):
    return [{"id": one["id"]} for one in ones]


def _shown_lb(cloud, one):
    return {**one, "listeners": _ids(cloud.where("listeners", loadbalancer_id=one["id"])), "pools": _ids(cloud.where("pools", loadbalancer_id=one["id"]))}


def _check_listener(cloud, new, old):
    cloud.find("loadbalancers", new["loadbalancer_id"])
    if new.get("default_pool_id"):
        cloud.find("pools", new["default_pool_id"])
    for other in cloud.where("listeners", loadbalancer_id=new["loadbalancer_id"], protocol_port=new["protocol_port"]):
        if other["id"] != new["id"] and (other["protocol"] == "UDP") == (new["protocol"] == "UDP"):
            raise Refused(409, f"Another Listener on this Load Balancer is already using protocol_port {new['protocol_port']} with protocol {other['protocol']}.")
    if new["protocol"] == "TERMINATED_HTTPS" and not new.get("default_tls_container_ref"):
        raise Refused(400, "Validation failure: An SNI or default certificate container reference must be provided for TERMINATED_HTTPS protocol listener.")


def _delete_listener(cloud, one):
    for policy in cloud.where("l7policies", listener_id=one["id"]):
        cloud.remove("l7policies", policy["id"], internal=True)


def _shown_listener(cloud, one):
    return {**{field: value for field, value in one.items() if field != "loadbalancer_id"}, "loadbalancers": [{"id": one["loadbalancer_id"]}], "l7policies": _ids(cloud.where("l7policies", listener_id=one["id"]))}


FITS = {"TCP": ("TCP", "HTTP", "HTTPS", "PROXY"), "HTTP": ("HTTP", "PROXY"), "HTTPS": ("HTTPS", "PROXY", "TCP"), "TERMINATED_HTTPS": ("HTTP", "HTTPS", "PROXY"), "UDP": ("UDP",), "SCTP": ("SCTP",)}


def _check_pool(cloud, new, old):
    listener = new.pop("listener_id", None)
    if old is None:
        if listener:
            held = cloud.find("listeners", listener)
            new["loadbalancer_id"] = held["loadbalancer_id"]
            if held.get("default_pool_id"):
                raise Refused(409, f"Listener {listener} already has a default pool {held['default_pool_id']}.")
            if new["protocol"] not in FITS[held["protocol"]]:
                raise Refused(400, f"Validation failure: The pool protocol '{new['protocol']}' is invalid while the listener protocol is '{held['protocol']}'.")
            new["_listener"] = listener
        elif not new.get("loadbalancer_id"):
            raise Refused(400, "Validation failure: Must provide at least one of loadbalancer_id or listener_id.")
        cloud.find("loadbalancers", new["loadbalancer_id"])


def _made_pool(cloud, one):
    if one.get("_listener"):
        cloud.table("listeners")[one["_listener"]]["default_pool_id"] = one["id"]


def _delete_pool(cloud, one):
    for listener in cloud.where("listeners", default_pool_id=one["id"]):
        listener["default_pool_id"] = None
    for policy in cloud.where("l7policies", redirect_pool_id=one["id"]):
        raise Refused(409, f"Pool {one['id']} is in use by L7 policy {policy['id']}.")


def _shown_pool(cloud, one):
    monitors = cloud.where("healthmonitors", pool_id=one["id"])
    return {**{field: value for field, value in one.items() if field != "loadbalancer_id"}, "loadbalancers": [{"id": one["loadbalancer_id"]}], "listeners": _ids(cloud.where("listeners", default_pool_id=one["id"])),
            "members": _ids(cloud.where("members", pool_id=one["id"])), "healthmonitor_id": monitors[0]["id"] if monitors else None}


def _check_monitor(cloud, new, old):
    cloud.find("pools", new["pool_id"])
    if any(other["id"] != new["id"] for other in cloud.where("healthmonitors", pool_id=new["pool_id"])):
        raise Refused(409, f"Pool {new['pool_id']} already has a health monitor.")
    if new["type"] in ("HTTP", "HTTPS"):
        new["http_method"], new["url_path"], new["expected_codes"] = new.get("http_method") or "GET", new.get("url_path") or "/", new.get("expected_codes") or "200"
    elif old is None and any(new.get(field) for field in ("http_method", "url_path", "expected_codes")):
        raise Refused(400, f"Validation failure: http_method, url_path and expected_codes are not supported for health monitors of type {new['type']}.")
    if int(new["timeout"]) > int(new["delay"]):
        raise Refused(400, "Validation failure: delay must be >= timeout.")


def _check_member(cloud, new, old):
    for other in cloud.where("members", pool_id=new["pool_id"], address=new["address"], protocol_port=new["protocol_port"]):
        if other["id"] != new["id"]:
            raise Refused(409, f"Another member on this pool is already using ip {new['address']} on protocol_port {new['protocol_port']}")
    if new.get("subnet_id"):
        cloud.find("subnets", new["subnet_id"], 400)


def _check_policy(cloud, new, old):
    cloud.find("listeners", new["listener_id"])
    if new["action"] == "REDIRECT_TO_POOL":
        if not new.get("redirect_pool_id"):
            raise Refused(400, "Validation failure: redirect_pool_id must not be None.")
        cloud.find("pools", new["redirect_pool_id"])
    if old is None and not new.get("position"):
        new["position"] = 1 + len(cloud.where("l7policies", listener_id=new["listener_id"]))


STATE = ("provisioning_status", "PENDING_CREATE", "ACTIVE", "ERROR")
BASE = {"name": "", "description": "", "admin_state_up": True, "operating_status": "ONLINE", "project_id": PROJECT, "tenant_id": PROJECT, "created_at": TIME, "updated_at": None, "tags": []}
ROW = {"state": STATE, "update": ("PUT",)}
service.kind("loadbalancers", V + "/loadbalancers", "loadbalancer", defaults={**BASE, "provider": "amphora", "flavor_id": None, "availability_zone": None, "vip_qos_policy_id": None, "additional_vips": []},
             fixed=("vip_subnet_id", "vip_address", "vip_network_id", "vip_port_id", "provider", "flavor_id", "availability_zone"), check=_check_lb, delete=_delete_port, show=_shown_lb, **ROW)
service.kind("listeners", V + "/listeners", "listener", defaults={**BASE, "connection_limit": -1, "default_pool_id": None, "default_tls_container_ref": None, "sni_container_refs": [], "insert_headers": {},
             "timeout_client_data": 50000, "timeout_member_connect": 5000, "timeout_member_data": 50000, "timeout_tcp_inspect": 0, "allowed_cidrs": None, "tls_ciphers": None, "tls_versions": None, "alpn_protocols": None,
             "client_ca_tls_container_ref": None, "client_authentication": "NONE", "client_crl_container_ref": None},
             required=("loadbalancer_id", "protocol", "protocol_port"), fixed=("loadbalancer_id", "protocol", "protocol_port"), check=_check_listener, delete=_delete_listener, show=_shown_listener, **ROW)
service.kind("pools", V + "/pools", "pool", defaults={**BASE, "session_persistence": None, "tls_enabled": False, "tls_container_ref": None, "ca_tls_container_ref": None, "crl_container_ref": None, "tls_ciphers": None,
             "tls_versions": None, "alpn_protocols": None}, required=("protocol", "lb_algorithm"), fixed=("protocol", "loadbalancer_id", "listener_id"), check=_check_pool, made=_made_pool, delete=_delete_pool, show=_shown_pool,
             cascade=(("members", "pool_id"), ("healthmonitors", "pool_id")), **ROW)
service.kind("healthmonitors", V + "/healthmonitors", "healthmonitor", defaults={**BASE, "max_retries_down": 3, "http_method": None, "url_path": None, "expected_codes": None, "http_version": None, "domain_name": None},
             required=("pool_id", "type", "delay", "timeout", "max_retries"), fixed=("pool_id", "type"), check=_check_monitor,
             show=lambda cloud, one: {**one, "pools": [{"id": one["pool_id"]}]}, **ROW)
service.kind("members", V + "/pools/{}/members", "member", defaults={**BASE, "weight": 1, "subnet_id": None, "monitor_address": None, "monitor_port": None, "backup": False}, required=("address", "protocol_port"),
             fixed=("address", "protocol_port", "subnet_id"), parent=("pools", "pool_id"), check=_check_member, **ROW)
service.kind("l7policies", V + "/l7policies", "l7policy", defaults={**BASE, "redirect_pool_id": None, "redirect_url": None, "redirect_prefix": None, "redirect_http_code": None}, required=("listener_id", "action"),
             fixed=("listener_id",), check=_check_policy, cascade=(("l7rules", "l7policy_id"),), show=lambda cloud, one: {**one, "rules": _ids(cloud.where("l7rules", l7policy_id=one["id"]))}, **ROW)
service.kind("l7rules", V + "/l7policies/{}/rules", "rule", defaults={**BASE, "key": None, "invert": False}, required=("type", "compare_type", "value"), parent=("l7policies", "l7policy_id"), **ROW)
for _collection, _one in (("flavors", "flavor"), ("flavorprofiles", "flavorprofile"), ("availabilityzones", "availability_zone"), ("availabilityzoneprofiles", "availability_zone_profile")):
    service.kind(f"lb-{_collection}", f"{V}/{_collection}", _one, defaults={"description": "", "enabled": True}, unique=(("name",),), update=("PUT",))
service.route()


@service.action("DELETE", V + "/loadbalancers/{}")
def _delete_lb(cloud, request, identifier):
    one = cloud.find("loadbalancers", identifier)
    children = _children(cloud, identifier)
    if children and request.query.get("cascade", "").lower() != "true":
        raise Refused(400, f"Validation failure: Cannot delete Load Balancer {identifier} - it has children")
    for child in children:
        cloud.objects["pools" if child["id"] in cloud.table("pools") else "listeners"].pop(child["id"])
    cloud.remove("loadbalancers", one["id"])
    return 204, None


@service.action("GET", V + "/loadbalancers/{}/(status|statuses|stats)")
def _status(cloud, request, identifier, what):
    return 200, {"statuses": {"loadbalancer": _shown_lb(cloud, cloud.find("loadbalancers", identifier))}} if what != "stats" else {"stats": {}}


@service.action("GET PUT DELETE", V + "/quotas/{}")
def _quotas(cloud, request, project):
    known = cloud.table("quotas-octavia")
    if request.method == "DELETE":
        known.pop(project, None)
        return 204, None
    if request.method == "PUT":
        known.setdefault(project, {}).update(request.body["quota"])
    return (202 if request.method == "PUT" else 200), {"quota": {"loadbalancer": 10, "listener": 10, "member": 50, "pool": 10, "healthmonitor": 10, **known.get(project, {})}}


def seed(cloud):
    """Nothing is there before."""
