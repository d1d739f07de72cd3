"""Nova: flavors, servers with their actions, interfaces and volumes, key pairs, server groups, aggregates, quotas."""

import base64
import hashlib
import uuid

from . import network, volume
from .core import DATE, PROJECT, TIME, USER, Refused, Service


def _error(status, message):
    name = {404: "itemNotFound", 409: "conflictingRequest", 400: "badRequest", 403: "forbidden"}.get(status, "computeFault")
    return {name: {"code": status, "message": message}}


service = Service("/compute", ("compute",), _error, "/compute/v2.1")
LINKS = {"links": []}
V = "/v2.1"


@service.action("GET", "(?:/|/v2.1)?")
def _versions(cloud, request):
    one = {"id": "v2.1", "status": "CURRENT", "version": cloud.compute_api, "min_version": "2.1", "updated": DATE, "media-types": [], "links": [{"rel": "self", "href": f"{cloud.url}/compute/v2.1/"}]}
    return 200, {"version": one} if request.path == V else {"versions": [one]}


def _version(request):
    """The microversion that a client asks for."""
    text = request.headers.get("OpenStack-API-Version", "compute " + (request.headers.get("X-OpenStack-Nova-API-Version") or "2.1")).rsplit(" ", 1)[-1]
    return tuple(int(part) for part in (text if text != "latest" else "2.96").split("."))


# ---- key pairs


@service.action("GET POST DELETE", V + "/os-keypairs(?:/(.+))?")
def _keypairs(cloud, request, name):
    known = cloud.table("keypairs")
    if request.method == "POST":
        new = request.body["keypair"]
        name = new["name"]
        if name in known:
            raise Refused(409, f"Key pair '{name}' already exists.")
        cloud.failing("create", "keypair", name, refuse=True)
        key = new.get("public_key")
        if key and (not key.startswith(("ssh-", "ecdsa-", "-----BEGIN CERT")) or len(key.split()) < 2 or "BAD" in key):
            raise Refused(400, "Keypair data is invalid: failed to generate fingerprint")
        if not key and _version(request) >= (2, 92):
            raise Refused(400, "Invalid input for field/attribute keypair. 'public_key' is a required property")
        made = not key
        key = key or f"ssh-rsa AAAA{uuid.uuid4().hex} Generated-by-Nova"
        digest = hashlib.md5(key.encode(), usedforsecurity=False).hexdigest()
        one = known[name] = {"id": len(cloud.journal), "name": name, "type": new.get("type", "ssh"), "public_key": key, "fingerprint": ":".join(digest[at:at + 2] for at in range(0, 32, 2)),
                             "user_id": new.get("user_id") or USER, "deleted": False, "created_at": TIME, "updated_at": None, "deleted_at": None}
        if made:
            one["_chosen"] = [key, one["fingerprint"]]
        cloud.label("keypairs", name, one)
        return 201 if _version(request) >= (2, 2) else 200, {"keypair": {**_plain(one), **({"private_key": f"key of {name}"} if made else {})}}
    if name is None:
        return 200, {"keypairs": [{"keypair": _plain(one)} for one in known.values()], "keypairs_links": []}
    if name not in known:
        raise Refused(404, f"Keypair {name} not found for user {USER}")
    if request.method == "DELETE":
        del known[name]
        return 204 if _version(request) >= (2, 2) else 202, None
    return 200, {"keypair": _plain(known[name])}


def _plain(one):
    return {field: value for field, value in one.items() if not field.startswith("_")}


# ---- flavors


def _check_flavor(cloud, new, old):
    for field in ("ram", "vcpus", "disk"):
        new[field] = int(new[field])
    new["id"] = str(new["id"])



def _shown_flavor(cloud, one):
    return {**one, **LINKS}


service.kind("flavors", V + "/flavors", "flavor", defaults={"os-flavor-access:is_public": True, "extra_specs": {}, "swap": 0, "rxtx_factor": 1.0, "OS-FLV-EXT-DATA:ephemeral": 0,
             "OS-FLV-DISABLED:disabled": False, "description": None}, required=("name", "ram", "vcpus", "disk"), unique=(("name",),), check=_check_flavor, status=(200, 200, 202),
             changes=("description",), show=_shown_flavor)


@service.action("GET POST DELETE PUT", V + "/flavors/{}/os-extra_specs(?:/([^/]+))?")
def _extra_specs(cloud, request, flavor, key):
    one = cloud.find("flavors", flavor)
    if request.method == "POST":
        one["extra_specs"].update(request.body["extra_specs"])
    elif request.method == "PUT":
        one["extra_specs"].update(request.body)
    elif request.method == "DELETE":
        if key not in one["extra_specs"]:
            raise Refused(404, f"Flavor {flavor} has no extra specs with key {key}.")
        del one["extra_specs"][key]
        return 200, None
    elif key:
        return 200, {key: one["extra_specs"][key]}
    return 200, {"extra_specs": one["extra_specs"]}


@service.action("GET POST", V + "/flavors/{}/(os-flavor-access|action)")
def _flavor_access(cloud, request, flavor, what):
    one = cloud.find("flavors", flavor)
    held = one.setdefault("_access", [])
    for action, body in (request.body or {}).items():
        if action == "addTenantAccess":
            held.append(body["tenant"])
        elif body["tenant"] in held:
            held.remove(body["tenant"])
    return 200, {"flavor_access": [{"flavor_id": flavor, "tenant_id": each} for each in held]}


# ---- servers


def _attach_port(cloud, identifier, server):
    port = cloud.find("ports", identifier, 400)
    if port["device_id"]:
        raise Refused(409, f"Port {identifier} is still in use.")
    if not port["fixed_ips"]:
        raise Refused(400, f"Port {identifier} requires a FixedIP in order to be used.")
    port.update(device_id=server, device_owner="compute:nova", status="ACTIVE")
    port["binding:host_id"] = "host-1"
    return port


def _own_port(cloud, server, net, address=None, groups=None, tag=None):
    cloud.find("networks", net, 400)
    ids = [_group(cloud, each) for each in groups or []]
    wanted = {"fixed_ips": [{"ip_address": address}]} if address else {}
    if not [each for each in cloud.where("subnets", network_id=net)]:
        raise Refused(400, f"Network {net} requires a subnet in order to boot instances on.")
    return network.make_port(cloud, network_id=net, device_id=server, device_owner="compute:nova", _own=True, **({"security_groups": ids} if ids else {}), **wanted)


def _group(cloud, name):
    network.default_group(cloud)
    found = [one["id"] for one in cloud.table("security-groups").values() if name in (one["id"], one["name"])]
    if not found:
        raise Refused(400, f"Security group {name} not found for project {PROJECT}")
    if len(found) > 1:
        raise Refused(409, f"Multiple security groups found matching '{name}'. Use an ID to be more specific.")
    return found[0]


def _let_go(port):
    port.update({"device_id": "", "device_owner": "", "status": "DOWN", "binding:host_id": ""})


def _release(cloud, server):
    """What a server held, when it is deleted."""
    for port in list(cloud.where("ports", device_id=server["id"])):
        if port.get("_own"):
            cloud.remove("ports", port["id"], internal=True)
        else:
            _let_go(port)
    for one in list(cloud.table("volumes").values()):
        mine = [each for each in one["attachments"] if each["server_id"] == server["id"]]
        if mine:
            volume.detach(cloud, one, server["id"])
            if any(each["_delete"] for each in mine):
                cloud.remove("volumes", one["id"], internal=True)
    for group in cloud.table("server-groups").values():
        group["members"] = [each for each in group["members"] if each != server["id"]]


@service.action("POST", V + "/servers")
def _create_server(cloud, request):
    new, hints = dict(request.body["server"]), request.body.get("os:scheduler_hints") or request.body.get("OS-SCH-HNT:scheduler_hints") or {}
    cloud._quota(cloud.kinds["servers"])
    identifier = str(uuid.uuid4())
    flavor = cloud.find("flavors", new.get("flavorRef"), 400)
    if new.get("imageRef"):
        cloud.find("images", new["imageRef"], 400)
    elif not new.get("block_device_mapping_v2") and not new.get("block_device_mapping"):
        raise Refused(400, "Invalid imageRef provided.")
    if new.get("key_name") and new["key_name"] not in cloud.table("keypairs"):
        raise Refused(400, "Invalid key_name provided.")
    if new.get("user_data"):
        try:
            base64.b64decode(new["user_data"], validate=True)
        except ValueError:
            raise Refused(400, "Invalid input for field/attribute user_data.") from None
    if hints.get("group"):
        cloud.find("server-groups", hints["group"], 400)["members"].append(identifier)
    networks = new.get("networks")
    if networks is None and _version(request) >= (2, 37):
        raise Refused(400, "Invalid input for field/attribute server. 'networks' is a required property")
    groups = [each["name"] for each in new.get("security_groups") or []]
    one = {"id": identifier, "name": new["name"], "description": new.get("description"), "flavor": {"id": flavor["id"]}, "image": {"id": new["imageRef"]} if new.get("imageRef") else "", "metadata": new.get("metadata") or {},
           "user_data": new.get("user_data"), "key_name": new.get("key_name"), "config_drive": "True" if new.get("config_drive") else "", "tags": new.get("tags") or [],
           "zone": new.get("availability_zone"), "hints": hints, "diskConfig": new.get("OS-DCF:diskConfig") or "MANUAL", "admin_pass": new.get("adminPass"), "personality": bool(new.get("personality")),
           "_requested_groups": groups, "vm_state": "active"}
    rule = cloud.failing("create", "server", new["name"])
    if rule and rule.status:
        raise Refused(rule.status, "Quota exceeded for instances: Requested 1, but already used 10 of 10 instances")
    try:
        for mapping in new.get("block_device_mapping_v2") or []:
            _map_device(cloud, mapping, identifier)
        for each in _networks(cloud, networks):
            if each.get("port"):
                _attach_port(cloud, each["port"], identifier)
            else:
                _own_port(cloud, identifier, each["uuid"], each.get("fixed_ip"), groups)
    except Refused:
        _release(cloud, one)
        raise
    cloud.table("servers")[identifier] = one
    cloud.label("servers", identifier, one)
    one["status"] = "ACTIVE"
    if rule:
        one.update(status="ERROR", vm_state="error", fault={"message": "No valid host was found. There are not enough hosts available.", "code": 500, "created": DATE})
    elif cloud.polls:
        one.update(status="BUILD", _then={"status": "ACTIVE"}, _polls=cloud.polls)
    return 202, {"server": {"id": identifier, **LINKS, "OS-DCF:diskConfig": "MANUAL", "security_groups": [{"name": name} for name in groups], "adminPass": "secret"}}


def _networks(cloud, networks):
    """The networks of a request: those of the project without any."""
    if networks is None or networks == "auto":
        mine = [one for one in cloud.table("networks").values() if not one["router:external"] and cloud.where("subnets", network_id=one["id"])]
        if networks is None and len(mine) > 1:
            raise Refused(409, "Multiple possible networks found, use a Network ID to be more specific.")
        return [{"uuid": mine[0]["id"]}] if mine else []
    return [] if networks == "none" else networks


def _map_device(cloud, mapping, server):
    source, target = mapping.get("source_type"), mapping.get("destination_type")
    delete = mapping.get("delete_on_termination") in (True, "True", "true")
    if source == "volume":
        volume.attach(cloud, mapping["uuid"], server, delete, mapping.get("device_name"))
    elif target == "volume":
        if source == "image":
            cloud.find("images", mapping["uuid"], 400)
        if source == "snapshot":
            cloud.find("snapshots", mapping["uuid"], 400)
        made = cloud.create("volumes", {"size": int(mapping.get("volume_size") or 1), "name": "", "imageRef": mapping["uuid"] if source == "image" else None,
                                        "snapshot_id": mapping["uuid"] if source == "snapshot" else None, "volume_type": mapping.get("volume_type"), "_own": True}, internal=True)
        volume.attach(cloud, made["id"], server, delete, mapping.get("device_name"))


def _shown_server(cloud, one, version=(2, 96)):
    """A server as Nova shows it: addresses and groups are those of its ports."""
    ports, addresses, groups = cloud.where("ports", device_id=one["id"]), {}, []
    for port in ports:
        held = cloud.table("networks").get(port["network_id"])
        for ip in port["fixed_ips"]:
            entry = {"addr": ip["ip_address"], "version": 6 if ":" in ip["ip_address"] else 4, "OS-EXT-IPS:type": "fixed", "OS-EXT-IPS-MAC:mac_addr": port["mac_address"]}
            addresses.setdefault(held["name"] if held else "", []).append(entry)
            addresses[held["name"]] += [{**entry, "addr": fip["floating_ip_address"], "version": 4, "OS-EXT-IPS:type": "floating"}
                                        for fip in cloud.where("floatingips", port_id=port["id"], fixed_ip_address=ip["ip_address"])]
        groups += [cloud.table("security-groups")[each]["name"] for each in port["security_groups"]]
    flavor = cloud.table("flavors").get(one["flavor"]["id"]) or {"name": "gone", "vcpus": 0, "ram": 0, "disk": 0, "OS-FLV-EXT-DATA:ephemeral": 0, "swap": 0, "extra_specs": {}}
    shown = {"original_name": flavor["name"], "vcpus": flavor["vcpus"], "ram": flavor["ram"], "disk": flavor["disk"], "ephemeral": flavor["OS-FLV-EXT-DATA:ephemeral"], "swap": int(flavor["swap"] or 0),
             "extra_specs": flavor["extra_specs"]} if version >= (2, 47) else {"id": one["flavor"]["id"], **LINKS}
    image = {**one["image"], **LINKS} if one["image"] else ""
    volumes = [{"id": each["id"], "delete_on_termination": next(held["_delete"] for held in each["attachments"] if held["server_id"] == one["id"])}
               for each in cloud.table("volumes").values() if any(held["server_id"] == one["id"] for held in each["attachments"])]
    return {"id": one["id"], "name": one["name"], "description": one["description"], "status": one["status"], "tenant_id": PROJECT, "user_id": USER, "metadata": one["metadata"], "hostId": "h", "image": image, "flavor": shown,
            "created": DATE, "updated": DATE, "addresses": addresses, "accessIPv4": one.get("accessIPv4", ""), "accessIPv6": one.get("accessIPv6", ""), **LINKS, "OS-DCF:diskConfig": one["diskConfig"], "progress": 0,
            "OS-EXT-AZ:availability_zone": one["zone"] or "nova", "config_drive": one["config_drive"], "key_name": one["key_name"], "OS-SRV-USG:launched_at": TIME, "OS-SRV-USG:terminated_at": None,
            "security_groups": [{"name": name} for name in dict.fromkeys(groups)], "OS-EXT-SRV-ATTR:host": "host-1", "OS-EXT-SRV-ATTR:instance_name": "instance-1", "OS-EXT-SRV-ATTR:hypervisor_hostname": "host-1",
            "OS-EXT-SRV-ATTR:hostname": one["name"].lower(), "OS-EXT-SRV-ATTR:user_data": one["user_data"], "OS-EXT-STS:task_state": None, "OS-EXT-STS:vm_state": one["vm_state"], "OS-EXT-STS:power_state": 1,
            "os-extended-volumes:volumes_attached": volumes, "tags": one["tags"], "locked": False, "trusted_image_certificates": None, "host_status": "UP",
            "server_groups": [group["id"] for group in cloud.table("server-groups").values() if one["id"] in group["members"]], **({"fault": one["fault"]} if one.get("fault") and one["status"] == "ERROR" else {})}


@service.action("GET", V + "/servers(?:/detail)?")
def _list_servers(cloud, request):
    query, version = request.query, _version(request)
    found = [_poll(cloud, one, version) for one in cloud.table("servers").values()]
    found = [one for one in found if query.get("name") in (None, one["name"]) and query.get("status") in (None, one["status"])]
    return 200, {"servers": found if request.path.endswith("detail") else [{"id": one["id"], "name": one["name"], **LINKS} for one in found]}


def _poll(cloud, one, version):
    if one.get("_polls"):
        one["_polls"] -= 1
        if not one["_polls"]:
            one.update(one.pop("_then"))
    return _shown_server(cloud, one, version)


@service.action("GET PUT DELETE", V + "/servers/{}")
def _server(cloud, request, identifier):
    one = cloud.find("servers", identifier)
    if request.method == "DELETE":
        cloud.failing("delete", "server", one["name"], refuse=True)
        _release(cloud, one)
        del cloud.objects["servers"][identifier]
        return 204, None
    if request.method == "PUT":
        cloud.failing("update", "server", one["name"], refuse=True)
        one.update({field: value for field, value in request.body["server"].items() if field in ("name", "description", "accessIPv4", "accessIPv6")})
        if "OS-DCF:diskConfig" in request.body["server"]:
            one["diskConfig"] = request.body["server"]["OS-DCF:diskConfig"]
        cloud.label("servers", identifier, one)
    return 200, {"server": _poll(cloud, one, _version(request))}


@service.action("POST", V + "/servers/{}/action")
def _server_action(cloud, request, identifier):
    one, (action, body) = cloud.find("servers", identifier), next(iter(request.body.items()))
    rule = cloud.failing(action, "server", one["name"])
    if rule and rule.status:
        raise Refused(rule.status, f"The service cannot do this now ({rule.text}).")
    if rule:
        one.update(status="ERROR", fault={"message": rule.text, "code": 500, "created": DATE})
        return 202, None
    state = one["status"]
    if action == "resize":
        flavor = cloud.find("flavors", body["flavorRef"], 400)
        if flavor["id"] == one["flavor"]["id"]:
            raise Refused(400, "When resizing, instances must change flavor!")
        if state not in ("ACTIVE", "SHUTOFF"):
            raise Refused(409, f"Cannot 'resize' instance {identifier} while it is in vm_state {one['vm_state']}")
        one.update(_before=one["flavor"], flavor={"id": flavor["id"]}, status="VERIFY_RESIZE", vm_state="resized")
    elif action in ("confirmResize", "revertResize"):
        if state != "VERIFY_RESIZE":
            raise Refused(409, f"Cannot '{action}' instance {identifier} while it is in vm_state {one['vm_state']}")
        one.update(status="ACTIVE", vm_state="active", **({"flavor": one["_before"]} if action == "revertResize" else {}))
        return 204 if action == "confirmResize" else 202, None
    elif action == "rebuild":
        cloud.find("images", body["imageRef"], 400)
        one.update(image={"id": body["imageRef"]}, status="ACTIVE", vm_state="active", rebuilt=one.get("rebuilt", 0) + 1)
        for field in ("name", "metadata", "user_data", "key_name"):
            if body.get(field) is not None:
                one[field] = body[field]
        return 202, {"server": {**_shown_server(cloud, one, _version(request)), "adminPass": "secret"}}
    elif action in ("suspend", "resume", "os-stop", "os-start", "pause", "unpause", "shelve", "unshelve"):
        needs, after = {"suspend": ("ACTIVE", "SUSPENDED"), "resume": ("SUSPENDED", "ACTIVE"), "os-stop": ("ACTIVE", "SHUTOFF"), "os-start": ("SHUTOFF", "ACTIVE"), "pause": ("ACTIVE", "PAUSED"),
                        "unpause": ("PAUSED", "ACTIVE"), "shelve": ("ACTIVE", "SHELVED_OFFLOADED"), "unshelve": ("SHELVED_OFFLOADED", "ACTIVE")}[action]
        if state != needs:
            raise Refused(409, f"Cannot '{action}' instance {identifier} while it is in vm_state {one['vm_state']}")
        one.update(status=after, vm_state={"ACTIVE": "active", "SHUTOFF": "stopped"}.get(after, after.lower()))
    elif action in ("addSecurityGroup", "removeSecurityGroup"):
        group = _group(cloud, body["name"])
        for port in cloud.where("ports", device_id=identifier):
            port["security_groups"] = [each for each in port["security_groups"] if each != group] + ([group] if action == "addSecurityGroup" else [])
    elif action == "createImage":
        made = cloud.create("images", {"name": body["name"], "container_format": "bare", "disk_format": "qcow2", "status": "active"}, internal=True)
        return 202, {"image_id": made["id"]}
    elif action == "changePassword":
        one["admin_pass"] = body["adminPass"]
    elif action == "os-getConsoleOutput":
        return 200, {"output": ""}
    elif action.startswith("os-get") and action.endswith("Console"):
        return 200, {"console": {"type": body["type"], "url": f"{cloud.url}/console/{identifier}"}}
    elif action != "reboot":
        raise LookupError(action)
    return 202, None


def _interface(port):
    return {"port_id": port["id"], "net_id": port["network_id"], "port_state": "ACTIVE", "mac_addr": port["mac_address"], "fixed_ips": port["fixed_ips"], "tag": None}


@service.action("GET POST DELETE", V + "/servers/{}/os-interface(?:/([^/]+))?")
def _interfaces(cloud, request, server, identifier):
    cloud.find("servers", server)
    if request.method == "POST":
        wanted = (request.body or {}).get("interfaceAttachment") or {}
        if wanted.get("port_id"):
            port = _attach_port(cloud, wanted["port_id"], server)
        else:
            address = (wanted.get("fixed_ips") or [{}])[0].get("ip_address")
            port = _own_port(cloud, server, wanted["net_id"], address, cloud.find("servers", server)["_requested_groups"])
        return 200, {"interfaceAttachment": _interface(port)}
    if identifier is None:
        return 200, {"interfaceAttachments": [_interface(each) for each in cloud.where("ports", device_id=server)]}
    port = cloud.table("ports").get(identifier)
    if not port or port["device_id"] != server:
        raise Refused(404, f"Instance {server} does not have a port with id {identifier}")
    if request.method == "DELETE":
        if port.get("_own"):
            cloud.remove("ports", identifier, internal=True)
        else:
            _let_go(port)
        return 202, None
    return 200, {"interfaceAttachment": _interface(port)}


@service.action("GET POST DELETE", V + "/servers/{}/os-volume_attachments(?:/([^/]+))?")
def _attachments(cloud, request, server, identifier):
    cloud.find("servers", server)
    row = lambda one, held: {"id": one["id"], "volumeId": one["id"], "serverId": server, "device": held["device"], "tag": None, "delete_on_termination": held["_delete"],
                             "attachment_id": held["attachment_id"], "bdm_uuid": held["attachment_id"]}
    if request.method == "POST":
        wanted = request.body["volumeAttachment"]
        held = volume.attach(cloud, wanted["volumeId"], server, bool(wanted.get("delete_on_termination")), wanted.get("device"), 404)
        return 200, {"volumeAttachment": row(cloud.find("volumes", wanted["volumeId"]), held)}
    mine = {one["id"]: (one, held) for one in cloud.table("volumes").values() for held in one["attachments"] if held["server_id"] == server}
    if identifier is None:
        return 200, {"volumeAttachments": [row(*each) for each in mine.values()]}
    if identifier not in mine:
        raise Refused(404, f"Instance {server} is not attached to volume {identifier}" if request.method == "DELETE" else f"volume_id not found: {identifier}")
    if request.method == "DELETE":
        volume.detach(cloud, mine[identifier][0], server)
        return 202, None
    return 200, {"volumeAttachment": row(*mine[identifier])}


@service.action("GET POST PUT DELETE", V + "/servers/{}/(metadata|tags)(?:/([^/]+))?")
def _server_part(cloud, request, server, part, key):
    one = cloud.find("servers", server)
    if part == "metadata":
        if request.method == "POST":
            one["metadata"].update(request.body["metadata"])
        elif request.method == "PUT":
            one["metadata"] = {**one["metadata"], **request.body["meta"]} if key else request.body["metadata"]
        elif request.method == "DELETE":
            if key not in one["metadata"]:
                raise Refused(404, "Metadata item was not found")
            del one["metadata"][key]
            return 204, None
        return 200, {"metadata": one["metadata"]}
    if request.method == "PUT":
        one["tags"] = sorted({*one["tags"], key}) if key else request.body["tags"]
        return (201, None) if key else (200, {"tags": one["tags"]})
    if request.method == "DELETE":
        one["tags"] = [each for each in one["tags"] if key and each != key]
        return 204, None
    return 200, {"tags": one["tags"]}


@service.action("GET", V + "/servers/{}/(os-instance-actions|os-security-groups|ips|topology|diagnostics)")
def _server_lists(cloud, request, server, part):
    one = cloud.find("servers", server)
    if part == "os-security-groups":
        return 200, {"security_groups": [cloud.table("security-groups")[each] for port in cloud.where("ports", device_id=server) for each in port["security_groups"]]}
    return 200, {"ips": {"addresses": _shown_server(cloud, one)["addresses"]}, "os-instance-actions": {"instanceActions": []}}.get(part, {})


# The rows of `servers` and `keypairs` are for labels, references and quotas: actions answer their requests.
service.kind("servers", V + "/servers-", "server")
service.kind("keypairs", V + "/keypairs-", "keypair")


# ---- groups, aggregates, limits


def _check_server_group(cloud, new, old):
    if new.get("policies"):
        new["policy"] = new.pop("policies")[0]


def _shown_server_group(cloud, one):
    return {**one, "policies": [one.get("policy")], "project_id": PROJECT, "user_id": USER}


service.kind("server-groups", V + "/os-server-groups", "server_group", "server_groups", defaults={"members": [], "metadata": {}, "rules": {}}, required=("name",), check=_check_server_group,
             show=_shown_server_group, status=(200, 200, 204))
service.kind("aggregates", V + "/os-aggregates", "aggregate", "aggregates", defaults={"hosts": [], "metadata": {}, "availability_zone": None}, unique=(("name",),), status=(200, 200, 200),
             new_id=lambda cloud: str(len(cloud.journal)), show=lambda cloud, one: {**one, "id": int(one["id"])}, delete=lambda cloud, one: _delete_aggregate(one))
service.route()


def _delete_aggregate(one):
    if one["hosts"]:
        raise Refused(400, f"Cannot remove host aggregate {one['id']}. Reason: Host aggregate is not empty.")


@service.action("POST", V + "/os-aggregates/{}/action")
def _aggregate_action(cloud, request, identifier):
    one, (action, body) = cloud.find("aggregates", identifier), next(iter(request.body.items()))
    if action == "add_host":
        if body["host"] in one["hosts"]:
            raise Refused(409, f"Cannot add host {body['host']} in aggregate {identifier}: Aggregate already has host.")
        one["hosts"].append(body["host"])
    elif action == "remove_host":
        one["hosts"] = [each for each in one["hosts"] if each != body["host"]]
    else:
        for key, value in body["metadata"].items():
            if value is None:
                one["metadata"].pop(key, None)
            else:
                one["metadata"][key] = value
    return 200, {"aggregate": {**_plain(one), "id": int(identifier)}}


QUOTA = {"instances": 10, "cores": 20, "ram": 51200, "key_pairs": 100, "server_groups": 10, "server_group_members": 10, "metadata_items": 128}


@service.action("GET PUT DELETE", V + "/os-quota-sets/{}(?:/(?:defaults|detail))?")
def _quotas(cloud, request, project):
    known = cloud.table("quotas-nova")
    if request.method == "DELETE":
        known.pop(project, None)
        return 202, None
    if request.method == "PUT":
        known.setdefault(project, {}).update({key: value for key, value in request.body["quota_set"].items() if key not in ("force", "tenant_id")})
    return 200, {"quota_set": {"id": project, **QUOTA, **known.get(project, {})}}


@service.action("GET", V + "/limits")
def _limits(cloud, request):
    return 200, {"limits": {"rate": [], "absolute": {"maxServerMeta": 128, "maxPersonality": 5, "maxPersonalitySize": 10240, "maxTotalInstances": 10, "maxTotalCores": 20, "maxTotalKeypairs": 100,
                                                     "maxTotalRAMSize": 51200, "totalInstancesUsed": len(cloud.table("servers"))}}}


@service.action("GET", V + "/(os-availability-zone(?:/detail)?|extensions|os-hypervisors(?:/detail)?|os-services|os-volumes_boot|os-migrations)")
def _lists(cloud, request, what):
    if what.startswith("os-availability-zone"):
        return 200, {"availabilityZoneInfo": [{"zoneName": name, "zoneState": {"available": True}, "hosts": None} for name in ("nova", "az1", "az2")]}
    if what == "extensions":
        return 200, {"extensions": [{"alias": alias, "name": alias, "description": "", "updated": DATE, **LINKS, "namespace": ""} for alias in ("os-interface", "os-tenant-networks", "OS-DCF")]}
    return 200, {{"os-services": "services"}.get(what, what.split("/")[0].removeprefix("os-")): [{"id": 1, "binary": "nova-compute", "host": "host-1", "status": "enabled", "state": "up", "zone": "nova"}] if what == "os-services" else []}


def seed(cloud):
    """The flavors of every cloud here."""
    for number, (name, ram, vcpus, disk) in enumerate((("m1.tiny", 512, 1, 1), ("m1.small", 2048, 1, 20), ("m1.medium", 4096, 2, 40), ("m1.large", 8192, 4, 80), ("m1.xlarge", 16384, 8, 160)), 1):
        cloud.create("flavors", {"id": str(number), "name": name, "ram": ram, "vcpus": vcpus, "disk": disk, "_own": True}, internal=True)
