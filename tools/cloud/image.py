"""Glance and Swift: what has no form of its own around an object."""

import hashlib
import json
import uuid

from .core import DATE, PROJECT, Refused, Service


service = Service("/image", ("image",), lambda status, message: f"{status} {message}".encode())
# Heat signs addresses of objects below the root of the host.
store = Service("/v1", ("object-store",), lambda status, message: message.encode(), "/v1/AUTH_{project}")


@service.action("GET", "(?:/|/versions)?")
def _versions(cloud, request):
    return 200, {"versions": [{"id": f"v2.{minor}", "status": "CURRENT" if minor == 9 else "SUPPORTED", "links": [{"rel": "self", "href": f"{cloud.url}/image/v2/"}]} for minor in (9, 5, 0)]}


def _check_image(cloud, new, old):
    for field in ("min_disk", "min_ram"):
        new[field] = int(new.get(field) or 0)
    new["tags"] = list(new.get("tags") or [])


def _delete_image(cloud, one):
    if one["protected"]:
        raise Refused(403, f"Image {one['id']} is protected and cannot be deleted.")


ROOT = {"file": lambda cloud, one: f"/v2/images/{one['id']}/file", "schema": "/v2/schemas/image", "self": lambda cloud, one: f"/v2/images/{one['id']}"}
service.kind("images", "/v2/images", "image", defaults={**ROOT, "name": None, "visibility": "shared", "protected": False, "tags": [], "owner": PROJECT, "size": None, "checksum": None, "virtual_size": None, "min_disk": 0,
             "min_ram": 0, "os_hidden": False, "status": "queued", "created_at": DATE, "updated_at": DATE, "container_format": None, "disk_format": None}, check=_check_image, delete=_delete_image, bare=True,
             update=(), status=(201, 200, 204), listed=lambda cloud, found: {"schema": "/v2/schemas/images", "first": "/v2/images"})
service.route()


@service.action("PATCH", "/v2/images/{}")
def _patch_image(cloud, request, identifier):
    one = cloud.find("images", identifier)
    changes = request.body if isinstance(request.body, list) else json.loads(request.body)
    for change in changes:
        field = change["path"].strip("/").replace("~1", "/").replace("~0", "~")
        if change["op"] == "remove":
            one.pop(field, None)
        elif field in ("id", "status", "size", "checksum", "created_at", "file", "schema"):
            raise Refused(403, f"Attribute '{field}' is read-only.")
        else:
            one[field] = change["value"]
    _check_image(cloud, one, one)
    return 200, {field: value for field, value in one.items() if not field.startswith("_")}


@service.action("PUT GET", "/v2/images/{}/file")
def _file(cloud, request, identifier):
    one = cloud.find("images", identifier)
    if request.method == "PUT":
        text = request.body if isinstance(request.body, str) else repr(request.body or "")
        one.update(status="active", size=len(text), checksum=hashlib.md5(text.encode(), usedforsecurity=False).hexdigest())
        return 204, None
    return 200, b"image"


@service.action("POST", "/v2/images/{}/(import|stage|actions/deactivate|actions/reactivate)")
def _import(cloud, request, identifier, action):
    one = cloud.find("images", identifier)
    one.update(status={"actions/deactivate": "deactivated"}.get(action, "active"), size=one["size"] or 1)
    return (202 if action == "import" else 204), None


@service.action("GET POST PUT DELETE", "/v2/images/{}/(members|tags)(?:/([^/]+))?")
def _of_image(cloud, request, identifier, part, key):
    one = cloud.find("images", identifier)
    if part == "tags":
        one["tags"] = [each for each in one["tags"] if each != key] + ([key] if request.method == "PUT" else [])
        return 204, None
    members = one.setdefault("_members", {})
    if request.method == "POST":
        key = request.body["member"]
        if key in members:
            raise Refused(409, f"Member {key} is duplicated for image {identifier}")
    if request.method in ("POST", "PUT"):
        members[key] = {"member_id": key, "image_id": identifier, "status": request.body.get("status", "pending"), "created_at": DATE, "updated_at": DATE, "schema": "/v2/schemas/member"}
        return 200, members[key]
    if request.method == "DELETE":
        if members.pop(key, None) is None:
            raise Refused(404, f"{key} not found in the member list of the image {identifier}.")
        return 204, None
    return 200, members.get(key) if key else {"members": list(members.values()), "schema": ""}


@service.action("GET", "/v2/(schemas/.+|info/.+|stores)")
def _schemas(cloud, request, what):
    names = "id name status visibility protected tags size checksum min_disk min_ram container_format disk_format owner created_at updated_at file schema self os_hidden virtual_size locations direct_url".split()
    types = {"tags": {"type": "array", "items": {"type": "string"}}, "protected": {"type": "boolean"}, "os_hidden": {"type": "boolean"}, "locations": {"type": "array"}}
    typed = {name: types.get(name, {"type": ["null", "integer"]} if name in ("size", "min_disk", "min_ram", "virtual_size") else {"type": ["null", "string"]}) for name in names}
    if what.startswith("info/import"):
        return 200, {"import-methods": {"description": "", "type": "array", "value": ["glance-direct", "web-download"]}}
    return 200, {"name": "image", "properties": typed, "additionalProperties": {"type": "string"}, "links": []}


# ---- Swift


def _meta(headers, kind):
    return {name.title(): value for name, value in headers.items() if name.lower().startswith(f"x-{kind}-") or name.lower() in ("x-delete-at", "content-type") and kind == "object"}


@store.action("GET HEAD POST PUT DELETE", "/AUTH_([^/]+)(?:/([^/]+))?(?:/(.+))?")
def _swift(cloud, request, account, name, key):
    known, of_account = cloud.table("containers"), cloud.table("accounts").setdefault("account", {"id": "account", "name": "account", "headers": {}, "_own": True})
    if name is None:
        if request.method == "POST":
            of_account["headers"].update(_meta(request.headers, "account"))
            return 204, None
        counts = {"X-Account-Container-Count": str(len(known)), "X-Account-Bytes-Used": "0", "X-Account-Object-Count": str(sum(len(one["objects"]) for one in known.values())), **of_account["headers"]}
        found = [{"name": one["name"], "count": len(one["objects"]), "bytes": sum(held["bytes"] for held in one["objects"].values()), "last_modified": DATE} for one in known.values()
                 if one["name"] > request.query.get("marker", "")]
        return (204 if request.method == "HEAD" else 200), found, counts
    if key is None and request.method in ("PUT", "POST"):
        if name not in known and request.method == "POST":
            raise Refused(404, "<html><h1>Not Found</h1><p>The resource could not be found.</p></html>")
        status = 201 if name not in known else 202
        if name not in known:
            cloud.failing("create", "container", name, refuse=True)
            known[name] = {"id": name, "name": name, "objects": {}, "headers": {}}
            cloud.label("containers", name, known[name])
        for header, value in _meta(request.headers, "container").items():
            if header.startswith("X-Container-Remove") or value == "" or header.startswith("X-Remove"):
                known[name]["headers"].pop(header.replace("X-Remove-", "X-"), None)
            else:
                known[name]["headers"][header] = value
        return (status if request.method == "PUT" else 204), None
    if name not in known:
        raise Refused(404, "<html><h1>Not Found</h1><p>The resource could not be found.</p></html>")
    held = known[name]["objects"]
    if key is None:
        if request.method == "DELETE":
            if held:
                raise Refused(409, "<html><h1>Conflict</h1><p>There was a conflict when trying to complete your request.</p></html>")
            del known[name]
            return 204, None
        rows = [{"name": each, "bytes": one["bytes"], "hash": one["hash"], "content_type": one["headers"].get("Content-Type", "application/octet-stream"), "last_modified": DATE} for each, one in sorted(held.items())
                if each > request.query.get("marker", "") and each.startswith(request.query.get("prefix", ""))]
        return (204 if request.method == "HEAD" else 200), rows, {"X-Container-Object-Count": str(len(held)), "X-Container-Bytes-Used": str(sum(one["bytes"] for one in held.values())), "X-Timestamp": "1", **known[name]["headers"]}
    if request.method == "PUT":
        text = request.body if isinstance(request.body, str) else "" if request.body is None else repr(request.body)
        held[key] = {"bytes": len(text), "hash": hashlib.md5(text.encode(), usedforsecurity=False).hexdigest(), "headers": _meta(request.headers, "object"), "text": text}
        return 201, None, {"Etag": held[key]["hash"]}
    if key not in held:
        raise Refused(404, "<html><h1>Not Found</h1></html>")
    if request.method == "DELETE":
        del held[key]
        return 204, None
    if request.method == "POST":
        held[key]["headers"] = _meta(request.headers, "object")
        return 202, None
    return 200, held[key]["text"].encode(), {"Etag": held[key]["hash"], "Last-Modified": "Thu, 01 Jan 2026 00:00:00 GMT", "X-Timestamp": "1", **held[key]["headers"]}


store.kind("containers", "/-", "container")
store.route()


def seed(cloud):
    """The images of every cloud here; the identifiers are the same in each."""
    for name in ("cirros", "ubuntu", "fedora", "centos"):
        cloud.create("images", {"id": str(uuid.uuid5(uuid.NAMESPACE_DNS, name)), "name": name, "status": "active", "size": 1, "visibility": "public", "disk_format": "qcow2", "container_format": "bare", "_own": True}, internal=True)
