"""Designate, Zaqar, Barbican, and Heat's own endpoints, as far as deployments use them."""

import uuid

from .core import TIME, PROJECT, USER, Refused, Service


def _error(status, message):
    return {"code": status, "type": {404: "not_found", 409: "duplicate"}.get(status, "bad_request"), "message": message, "request_id": "req"}


dns = Service("/dns", ("dns",), _error)
queues = Service("/zaqar", ("messaging",), lambda status, message: {"title": message, "description": message})
secrets = Service("/barbican", ("key-manager",), lambda status, message: {"code": status, "title": "Error", "description": message})
heat = Service("/heat", ("orchestration",), lambda status, message: {"error": {"message": message}, "code": status}, "/heat/v1/{project}")
cfn = Service("/cfn", ("cloudformation",), lambda status, message: {"error": {"message": message}, "code": status}, "/cfn/v1")


# ---- Designate


@dns.action("GET", "(?:/|/v2)?")
def _dns_versions(cloud, request):
    return 200, {"versions": {"values": [{"id": "v2.1", "status": "CURRENT", "links": [{"rel": "self", "href": f"{cloud.url}/dns/v2"}]}]}}


def _check_zone(cloud, new, old):
    if not new["name"].endswith("."):
        raise Refused(400, "Provided object does not match schema: name is not a valid zone name")
    if any(other["id"] != new["id"] for other in cloud.where("zones", name=new["name"])):
        raise Refused(409, "Duplicate Zone")
    if old is None and new["type"] == "PRIMARY" and not new.get("email"):
        raise Refused(400, "Provided object does not match schema: 'email' is a required property")
    new["ttl"] = int(new.get("ttl") or 3600)


def _check_set(cloud, new, old):
    zone = cloud.find("zones", new["zone_id"])
    if not new["name"].endswith(zone["name"]):
        raise Refused(400, "RecordSet is not contained within it's parent zone")
    if any(other["id"] != new["id"] for other in cloud.where("recordsets", zone_id=new["zone_id"], name=new["name"], type=new["type"])):
        raise Refused(409, "Duplicate RecordSet")
    if new["type"] == "CNAME" and any(other["id"] != new["id"] for other in cloud.where("recordsets", zone_id=new["zone_id"], name=new["name"])):
        raise Refused(409, "CNAME recordsets may not share a name with any other record type")
    new["zone_name"] = zone["name"]


STATE = ("status", "PENDING", "ACTIVE", "ERROR")
LINKS = {"bare": True, "returns": True, "listed": lambda cloud, found: {"links": {"self": ""}, "metadata": {"total_count": len(found)}}}
dns.kind("zones", "/v2/zones", "zone", defaults={"type": "PRIMARY", "description": None, "masters": [], "serial": 1, "action": "NONE", "version": 1, "pool_id": "p", "project_id": PROJECT, "attributes": {}, "created_at": TIME,
         "updated_at": None, "ttl": 3600, "email": None, "shared": False}, state=STATE, required=("name",), fixed=("name", "type"), check=_check_zone, cascade=(("recordsets", "zone_id"),), status=(202, 202, 202), **LINKS)
dns.kind("recordsets", "/v2/zones/{}/recordsets", "recordset", defaults={"description": None, "ttl": None, "records": [], "action": "NONE", "version": 1, "project_id": PROJECT, "created_at": TIME, "updated_at": None},
         state=STATE, required=("name", "type"), fixed=("name", "type"), parent=("zones", "zone_id"), check=_check_set, status=(202, 202, 202), **LINKS)
dns.route()


# ---- Zaqar


@queues.action("GET", "(?:/|/v2)?")
def _queue_versions(cloud, request):
    return 200, {"versions": [{"id": "2", "status": "CURRENT", "links": [{"rel": "self", "href": f"{cloud.url}/zaqar/v2"}]}]}


@queues.action("GET PUT POST PATCH DELETE HEAD", "/v2/queues(?:/([^/]+))?(?:/(metadata|stats|share|messages|claims))?")
def _queues(cloud, request, name, part):
    known = cloud.table("queues")
    if name is None:
        return 200, {"queues": [{"name": one["name"], "href": "", "metadata": one["metadata"]} for one in known.values()], "links": [{"rel": "next", "href": "/v2/queues?marker=x"}]}
    if part == "share":
        return 200, {"project": PROJECT, "paths": request.body.get("paths"), "expires": TIME, "methods": request.body.get("methods"), "signature": "x"}
    if request.method == "PUT" and part is None:
        status = 204 if name in known else 201
        one = known.setdefault(name, {"id": name, "name": name, "metadata": {}})
        one["metadata"] = request.body or {}
        cloud.label("queues", name, one)
        return status, None
    if request.method == "DELETE" and part is None:
        known.pop(name, None)
        return 204, None
    if part in ("messages", "claims"):
        return (201 if request.method == "POST" else 200), {"messages": [], "resources": [f"/v2/queues/{name}/messages/1"], "links": []}
    if request.method in ("PUT", "PATCH"):
        if name not in known:
            raise Refused(404, f"Queue {name} does not exist")
        known[name]["metadata"] = request.body if request.method == "PUT" else {each["path"].rsplit("/", 1)[-1]: each.get("value") for each in request.body}
    # A queue that nobody made is as one without metadata.
    return 200, known.get(name, {"metadata": {}})["metadata"]


queues.kind("subscriptions", "/v2/queues/{}/subscriptions", "subscription", bare=True, defaults={"ttl": 3600, "options": {}}, parent=None, status=(201, 204, 204))
queues.kind("queues", "/v2/-", "queue")


@queues.action("POST", "/v2/queues/{}/subscriptions")
def _subscribe(cloud, request, name):
    cloud.table("queues").setdefault(name, {"id": name, "name": name, "metadata": {}})
    if cloud.where("subscriptions", source=name, subscriber=request.body["subscriber"]):
        raise Refused(409, "Such subscription already exists.Subscriptions are unique by project + queue + subscriber URI.")
    one = cloud.create("subscriptions", {**request.body, "source": name}, internal=True)
    return 201, {"subscription_id": one["id"]}


queues.kinds[0].parent = ("queues", "source")
queues.route()


# ---- Barbican


@secrets.action("GET", "(?:/|/v1)?")
def _secret_versions(cloud, request):
    return 200, {"versions": [{"id": "v1", "status": "CURRENT", "min_version": "1.0", "max_version": "1.1", "links": [{"rel": "self", "href": f"{cloud.url}/barbican/v1/"}]}]}


@secrets.action("GET POST PUT DELETE", "/v1/(secrets|containers|orders)(?:/([^/]+))?(?:/(payload|acl|metadata|consumers))?")
def _secrets(cloud, request, collection, identifier, part):
    known, ref = cloud.table({"containers": "secret-containers"}.get(collection, collection)), f"{collection[:-1]}_ref"
    if request.method == "POST" and identifier is None:
        cloud.failing("create", collection[:-1], request.body.get("name"), refuse=True)
        identifier = str(uuid.uuid4())
        known[identifier] = {"name": None, "status": "ACTIVE", **request.body, "id": identifier, "created": TIME, "updated": TIME, "creator_id": USER}
        if collection == "secrets":
            known[identifier] = {"algorithm": None, "bit_length": None, "mode": None, "expiration": None, "secret_type": "opaque", **known[identifier]}
        cloud.label(collection, identifier, known[identifier])
        return 202 if collection == "orders" else 201, {ref: f"{cloud.url}/barbican/v1/{collection}/{identifier}"}
    shown = lambda one: {**{key: value for key, value in one.items() if key not in ("payload", "id")}, ref: f"{cloud.url}/barbican/v1/{collection}/{one['id']}",
                         **({"content_types": {"default": one.get("payload_content_type") or "text/plain"}} if one.get("payload") else {})}
    if identifier is None:
        return 200, {collection: [shown(one) for one in known.values()], "total": len(known)}
    if identifier not in known:
        raise Refused(404, f"{collection[:-1].capitalize()} not found.")
    one = known[identifier]
    if part == "payload":
        return 200, (one.get("payload") or "").encode(), {"Content-Type": "text/plain"}
    if part:
        return 200, {"metadata": {}} if part == "metadata" else {}
    if request.method == "DELETE":
        del known[identifier]
        return 204, None
    if request.method == "PUT":
        one.update(payload=request.body, payload_content_type=request.headers.get("Content-Type"))
        return 204, None
    return 200, shown(one)


for _collection, _one in (("secrets", "secret"), ("secret-containers", "container"), ("orders", "order")):
    secrets.kind(_collection, f"/v1/-{_collection}", _one)


def seed(cloud):
    """Nothing is there before."""
