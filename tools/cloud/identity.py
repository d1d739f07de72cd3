"""Keystone v3: tokens and the catalog, projects, users, roles and their assignments, trusts as far as Heat needs them."""

import uuid

from .core import PROJECT, USER, Refused, Service


def _error(status, message):
    return {"error": {"code": status, "message": message, "title": {404: "Not Found", 409: "Conflict"}.get(status, "Bad Request")}}


service = Service("/identity", ("identity",), _error)
ADMIN = "c" * 32


def _token(cloud, project=PROJECT):
    catalog = []
    for each in cloud.services:
        for kind in each.types:
            url = cloud.url + each.endpoint.replace("{project}", PROJECT)
            catalog.append({"type": kind, "name": kind, "id": kind, "endpoints": [
                {"region": "RegionOne", "region_id": "RegionOne", "id": f"{kind}-{interface}", "interface": interface, "url": url} for interface in ("public", "internal", "admin")]})
    domain = {"id": "default", "name": "Default"}
    held = cloud.table("projects").get(project) or {"name": "project"}
    return {"token": {"methods": ["password"], "expires_at": "2036-01-01T00:00:00.000000Z", "issued_at": "2026-01-01T00:00:00.000000Z", "audit_ids": ["a"], "is_domain": False,
                      "user": {"id": USER, "name": "user", "domain": domain, "password_expires_at": None}, "project": {"id": project, "name": held["name"], "domain": domain},
                      "roles": [{"id": ADMIN, "name": "admin"}, {"id": "d" * 32, "name": "member"}], "catalog": catalog}}


@service.action("GET", "(?:/|/v3)?")
def _versions(cloud, request):
    one = {"id": "v3.14", "status": "stable", "updated": "2020-04-07T00:00:00Z", "media-types": [], "links": [{"rel": "self", "href": f"{cloud.url}/identity/v3/"}]}
    return (200, {"version": one}) if request.path == "/v3" else (300, {"versions": {"values": [one]}})


@service.action("GET POST DELETE HEAD", "/v3/auth/tokens")
def _tokens(cloud, request):
    if request.method == "DELETE":
        return 204, None
    identity = ((request.body or {}).get("auth") or {}).get("identity") or {}
    password = (identity.get("password") or {}).get("user", {}).get("password")
    if password == "wrong":
        raise Refused(401, "The request you have made requires authentication.")
    return 201 if request.method == "POST" else 200, _token(cloud), {"X-Subject-Token": "token-" + uuid.uuid4().hex}


@service.action("GET", "/v3/auth/(catalog|projects|domains)")
def _auth(cloud, request, what):
    if what == "catalog":
        return 200, {"catalog": _token(cloud)["token"]["catalog"], "links": {}}
    return 200, {what: [one for one in cloud.table(what).values() if one["id"] == PROJECT or what == "domains"], "links": {}}


def _same_name(what):
    def check(cloud, new, old):
        for other in cloud.table(what).values():
            if other["id"] != new["id"] and other.get("name") == new.get("name") and other.get("domain_id") == new.get("domain_id"):
                raise Refused(409, f"Conflict occurred attempting to store {what[:-1]} - Duplicate entry found with name {new.get('name')} at domain ID {new.get('domain_id')}.")
    return check


def _delete_domain(cloud, one):
    if one.get("enabled"):
        raise Refused(403, "Cannot delete a domain that is enabled, please disable it first.")


def _gone(cloud, one):
    """Assignments and memberships end with what they name."""
    for collection in ("grants", "memberships"):
        for key in [key for key in cloud.table(collection) if one["id"] in key.split(" ")]:
            del cloud.objects[collection][key]


def _shown(cloud, one):
    kept = {field: value for field, value in one.items() if field not in ("password", "blob_")}
    return {**kept, "links": {"self": ""}}


def _listed(cloud, found):
    return {"links": {"next": None, "self": "", "previous": None}}


def _hex(cloud):
    return uuid.uuid4().hex


ROW = {"update": ("PATCH",), "new_id": _hex, "show": _shown, "listed": _listed}
DOMAIN = {"domain_id": "default", "enabled": True}
service.kind("projects", "/v3/projects", "project", defaults={**DOMAIN, "description": "", "is_domain": False, "parent_id": lambda cloud, one: one["domain_id"], "tags": [], "options": {}},
             required=("name",), fixed=("domain_id",), check=_same_name("projects"), delete=_gone, **ROW)
service.kind("users", "/v3/users", "user", defaults={**DOMAIN, "options": {}, "password_expires_at": None}, required=("name",), fixed=("domain_id",), check=_same_name("users"), delete=_gone, **ROW)
service.kind("groups", "/v3/groups", "group", defaults={"domain_id": "default", "description": ""}, required=("name",), check=_same_name("groups"), delete=_gone, **ROW)
service.kind("roles", "/v3/roles", "role", defaults={"domain_id": None, "description": None, "options": {}}, required=("name",), check=_same_name("roles"), delete=_gone, **ROW)
service.kind("domains", "/v3/domains", "domain", defaults={"enabled": True, "description": "", "options": {}}, required=("name",), unique=(("name",),), delete=_delete_domain, **ROW)
service.kind("services", "/v3/services", "service", defaults={"enabled": True}, required=("type",), cascade=(("endpoints", "service_id"),), **ROW)
service.kind("endpoints", "/v3/endpoints", "endpoint", defaults={"enabled": True}, required=("service_id", "interface", "url"), refs={"service_id": "services"}, missing_ref=400, **ROW)
service.kind("regions", "/v3/regions", "region", defaults={"description": "", "parent_region_id": None}, refs={"parent_region_id": "regions"}, in_use=(("regions", "parent_region_id"), ("endpoints", "region_id")), **ROW)
service.kind("credentials", "/v3/credentials", "credential", defaults={"project_id": PROJECT}, **ROW)
service.kind("trusts", "/v3/OS-TRUST/trusts", "trust", defaults={"deleted_at": None, "expires_at": None, "redelegation_count": 0}, **ROW)
service.kind("application-credentials", "/v3/users/{}/application_credentials", "application_credential", parent=("users", "user_id"),
             defaults={"project_id": PROJECT, "roles": [], "unrestricted": False, "secret": _hex}, **ROW)
service.route()


@service.action("PUT GET HEAD DELETE", "/v3/(projects|domains)/{}/(users|groups)/{}/roles(?:/([^/]+))?")
def _grant(cloud, request, scope, where, who, actor, role):
    known, prefix = cloud.table("grants"), f"{scope} {where} {who} {actor} "
    if role is None:
        return 200, {"roles": [cloud.find("roles", key.split(" ")[4]) for key in known if key.startswith(prefix)], "links": {"next": None}}
    cloud.find(who, actor)
    cloud.find("roles", role)
    cloud.find(scope, where)
    key = prefix + role
    if request.method == "PUT":
        known[key] = {"id": key, f"{scope[:-1]}_id": where, f"{who[:-1]}_id": actor, "role_id": role}
        cloud.label("grants", key, {"name": ""})
        return 204, None
    if key not in known:
        raise Refused(404, f"Could not find role assignment with role: {role}, user or group: {actor}, project, domain, or system: {where}.")
    if request.method == "DELETE":
        del known[key]
    return 204, None


@service.action("GET", "/v3/role_assignments")
def _assignments(cloud, request):
    rows, query = [], request.query
    for key in cloud.table("grants"):
        scope, where, who, actor, role = key.split(" ")
        wanted = {f"{who[:-1]}.id": actor, f"scope.{scope[:-1]}.id": where, "role.id": role}
        if all(wanted.get(field) == value for field, value in query.items() if field.endswith(".id")):
            named = lambda kind, identifier: {"id": identifier, "name": cloud.table(kind).get(identifier, {}).get("name"), **({"domain": {"id": "default", "name": "Default"}} if kind != "roles" else {})}
            rows.append({"role": named("roles", role), "scope": {scope[:-1]: named(scope, where)}, who[:-1]: named(who, actor), "links": {}})
    return 200, {"role_assignments": rows, "links": {"next": None}}


@service.action("PUT GET HEAD DELETE", "/v3/groups/{}/users(?:/([^/]+))?")
def _membership(cloud, request, group, user):
    known = cloud.table("memberships")
    cloud.find("groups", group)
    if user is None:
        return 200, {"users": [_shown(cloud, cloud.find("users", key.split(" ")[1])) for key in known if key.startswith(group)], "links": {"next": None}}
    cloud.find("users", user)
    key = f"{group} {user}"
    if request.method == "PUT":
        known[key] = {"id": key, "group_id": group, "user_id": user}
        cloud.label("memberships", key, {"name": ""})
    elif key not in known:
        raise Refused(404, f"User {user} is not found in group {group}.")
    elif request.method == "DELETE":
        del known[key]
    return 204, None


@service.action("GET", "/v3/users/{}/(groups|projects)")
def _of_user(cloud, request, user, what):
    found = [cloud.find("groups", key.split(" ")[0]) for key in cloud.table("memberships") if key.endswith(user)] if what == "groups" else list(cloud.table("projects").values())
    return 200, {what: found, "links": {"next": None}}


@service.action("GET POST DELETE", "/v3/users/{}/credentials/OS-EC2(?:/([^/]+))?")
def _ec2(cloud, request, user, access):
    known = cloud.table("ec2-credentials")
    if request.method == "POST":
        access = uuid.uuid4().hex
        known[access] = {"id": access, "access": access, "secret": uuid.uuid4().hex, "user_id": user, "tenant_id": (request.body or {}).get("tenant_id", PROJECT), "trust_id": None}
        cloud.label("ec2-credentials", access, {"name": ""})
        return 201, {"credential": known[access]}
    if access is None:
        return 200, {"credentials": [one for one in known.values() if one["user_id"] == user]}
    if access not in known:
        raise Refused(404, f"Could not find credential: {access}.")
    if request.method == "DELETE":
        del known[access]
        return 204, None
    return 200, {"credential": known[access]}


@service.action("POST", "/v3/users/{}/password")
def _password(cloud, request, user):
    cloud.find("users", user)
    return 204, None


def seed(cloud):
    """The domain, the project, the user and the roles of every cloud, and Heat's domain."""
    for domain, name in (("default", "Default"), ("stacks", "heat")):
        cloud.put("domains", domain, id=domain, name=name, enabled=True, description="", options={}, _own=True)
    cloud.put("projects", PROJECT, id=PROJECT, name="project", domain_id="default", enabled=True, description="", is_domain=False, parent_id="default", tags=[], options={}, _own=True)
    cloud.put("users", USER, id=USER, name="user", domain_id="default", enabled=True, options={}, _own=True)
    for role, name in ((ADMIN, "admin"), ("d" * 32, "member"), ("e" * 32, "heat_stack_user"), ("f" * 32, "reader")):
        cloud.put("roles", role, id=role, name=name, domain_id=None, description=None, options={}, _own=True)
    cloud.put("regions", "RegionOne", id="RegionOne", description="", parent_region_id=None, _own=True)
