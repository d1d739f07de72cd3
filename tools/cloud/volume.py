"""Cinder: volumes, snapshots, backups, types, quality of service, quotas."""

import uuid

from .core import TIME, PROJECT, USER, Refused, Service


def _error(status, message):
    name = {404: "itemNotFound", 400: "badRequest", 403: "forbidden", 409: "conflictingRequest", 413: "overLimit"}.get(status, "computeFault")
    return {name: {"code": status, "message": message}}


service = Service("/volume", ("volumev3", "block-storage"), _error, "/volume/v3/{project}")
V = "/v3/[0-9a-f]{32}"


@service.action("GET", "(?:/|/v3)?")
def _versions(cloud, request):
    one = {"id": "v3.0", "status": "CURRENT", "version": "3.70", "min_version": "3.0", "updated": TIME, "media-types": [], "links": [{"rel": "self", "href": f"{cloud.url}/volume/v3/"}]}
    return 200 if request.path == "/v3" else 300, {"versions": [one]}


def attach(cloud, identifier, server, delete=False, device=None, status=400):
    """Attaches a volume to a server; the hypervisor chooses the name of the device, whatever is asked for."""
    one = cloud.find("volumes", identifier, status)
    if one["status"] != "available" and not (one["multiattach"] and one["status"] == "in-use"):
        raise Refused(400, f"Invalid volume: volume '{identifier}' status must be 'available'. Currently in '{one['status']}'")
    used = {held["device"] for each in cloud.table("volumes").values() for held in each["attachments"] if held["server_id"] == server}
    first = "a" if one["bootable"] == "true" and not used else "b"
    name = next(f"/dev/vd{letter}" for letter in map(chr, range(ord(first), ord("z") + 1)) if f"/dev/vd{letter}" not in used)
    held = {"id": identifier, "volume_id": identifier, "server_id": server, "attachment_id": str(uuid.uuid4()), "device": name, "host_name": "host-1", "attached_at": TIME, "_delete": delete}
    one["attachments"].append(held)
    one["status"] = "in-use"
    return held


def detach(cloud, one, server):
    """Takes a volume from a server."""
    one["attachments"] = [held for held in one["attachments"] if held["server_id"] != server]
    one["status"] = "in-use" if one["attachments"] else "available"


def _check_volume(cloud, new, old):
    if old:
        return
    new["size"] = int(new["size"]) if new.get("size") else None
    for field, collection in (("snapshot_id", "snapshots"), ("source_volid", "volumes"), ("backup_id", "backups")):
        if new.get(field):
            source = cloud.find(collection, new[field])
            new["size"] = new["size"] or source.get("size") or source.get("volume_size")
            if new["size"] < (source.get("size") or source.get("volume_size")):
                raise Refused(400, f"Invalid input received: Volume size {new['size']}GB cannot be smaller than the {collection[:-1]} size.")
            if source.get("bootable") == "true":
                new["bootable"] = "true"
    image = new.pop("imageRef", None)
    if image:
        held = cloud.find("images", image, 400)
        if (new["size"] or 0) < held.get("min_disk", 0):
            raise Refused(400, f"Invalid input received: Volume size {new['size']}GB cannot be smaller than the image minDisk size {held['min_disk']}GB.")
        new["bootable"] = "true"
        new["volume_image_metadata"] = {"image_id": image, "image_name": held["name"]}
    if not new["size"]:
        raise Refused(400, "Invalid input received: Invalid volume size provided for create request: None (size argument must be an integer (or string representation of an integer) and greater than zero).")
    if new.get("volume_type"):
        new["volume_type"] = _type(cloud, new["volume_type"])["name"]
    new["multiattach"] = new.get("multiattach") in (True, "true", "True")


def _type(cloud, name):
    found = [one for one in cloud.table("types").values() if name in (one["id"], one["name"])]
    if not found:
        raise Refused(404, f"Volume type with name {name} could not be found.")
    return found[0]


def _delete_volume(cloud, one):
    if one["status"] not in ("available", "error", "error_restoring", "error_extending"):
        raise Refused(400, f"Invalid volume: Volume status must be available or error or error_restoring or error_extending or error_managing and must not be migrating, attached, belong to a group, "
                           f"have snapshots or be disassociated from snapshots after volume transfer. Currently {one['status']}")
    if cloud.where("snapshots", volume_id=one["id"]):
        raise Refused(400, "Invalid volume: Volume has dependent snapshots.")


def _shown_volume(cloud, one):
    attachments = [{field: value for field, value in held.items() if not field.startswith("_")} for held in one["attachments"]]
    return {**one, "attachments": attachments, "links": []}


def _check_snapshot(cloud, new, old):
    if old is None:
        held = cloud.find("volumes", new["volume_id"])
        if held["status"] != "available" and not new.get("force"):
            raise Refused(400, f"Invalid volume: Volume {held['id']} status must be available, but current status is: {held['status']}.")
        new.update(size=held["size"], volume_size=held["size"], bootable=held["bootable"])


def _check_backup(cloud, new, old):
    held = cloud.find("volumes", new["volume_id"])
    new.update(size=held["size"], bootable=held["bootable"])


STATE = ("status", "creating", "available", "error")
BASE = {"created_at": TIME, "updated_at": None, "name": None, "description": None}
OK = (202, 200, 202)
service.kind("volumes", V + "/volumes", "volume", defaults={**BASE, "attachments": [], "metadata": {}, "bootable": "false", "encrypted": False, "availability_zone": lambda *_: "nova", "user_id": USER, "snapshot_id": None,
             "source_volid": None, "volume_type": lambda cloud, one: "__DEFAULT__", "multiattach": False, "replication_status": None, "consistencygroup_id": None, "migration_status": None,
             "os-vol-tenant-attr:tenant_id": PROJECT, "os-vol-host-attr:host": "host-1"}, state=STATE, check=_check_volume, delete=_delete_volume, show=_shown_volume, status=OK,
             changes=("name", "description", "metadata", "display_name", "display_description"))
service.kind("snapshots", V + "/snapshots", "snapshot", defaults={**BASE, "metadata": {}, "os-extended-snapshot-attributes:progress": "100%", "os-extended-snapshot-attributes:project_id": PROJECT}, state=STATE,
             required=("volume_id",), check=_check_snapshot, status=OK, in_use=(), changes=("name", "description", "metadata"))
service.kind("backups", V + "/backups", "backup", defaults={**BASE, "container": "volumebackups", "fail_reason": None, "availability_zone": "nova", "object_count": 1, "is_incremental": False}, state=STATE,
             required=("volume_id",), check=_check_backup, status=OK, changes=("name", "description"))
service.kind("types", V + "/types", "volume_type", "volume_types", defaults={"extra_specs": {}, "is_public": True, "description": None, "qos_specs_id": None, "os-volume-type-access:is_public": True}, required=("name",),
             unique=(("name",),), status=(200, 200, 202), in_use=(), check=lambda cloud, new, old: _check_type(new, old))
service.kind("qos-specs", V + "/qos-specs", "qos_specs", "qos_specs", defaults={"consumer": "back-end", "specs": {}}, unique=(("name",),), status=(200, 200, 202),
             check=lambda cloud, new, old: _check_specs(new, old), in_use=(("types", "qos_specs_id"),), busy=400)
service.route()


def _check_type(new, old):
    """An update changes what is not null, and at least one of three must be: Cinder's `types_manage`."""
    fields = ("name", "description", "is_public")
    if old is not None:
        if all(new.get(field) is None or new[field] == old.get(field) for field in fields) and any(new.get(field) is None for field in ("name", "description")):
            raise Refused(400, "Specify volume type name, description, is_public or a combination thereof.")
        new.update({field: old.get(field) for field in fields if new.get(field) is None})


def _check_specs(new, old):
    """Everything but the name and the consumer is a specification."""
    for field in [field for field in new if field not in ("id", "name", "consumer", "specs") and not field.startswith("_")]:
        new["specs"] = {**new["specs"], field: new.pop(field)}
    if old is not None:
        for field in [field for field in old if field not in new]:
            old.pop(field)


@service.action("POST", V + "/(?:volumes|backups)/{}/(action|restore)")
def _volume_action(cloud, request, identifier, what):
    if what == "restore":
        backup, target = cloud.find("backups", identifier), request.body["restore"].get("volume_id")
        held = cloud.find("volumes", target) if target else cloud.create("volumes", {"size": backup["size"], "name": request.body["restore"].get("name")}, internal=True)
        if held["status"] != "available":
            raise Refused(400, f"Invalid volume: Volume to be restored to must be available (was {held['status']}).")
        held["restored"] = held.get("restored", 0) + 1
        return 202, {"restore": {"backup_id": identifier, "volume_id": held["id"], "volume_name": held["name"]}}
    one, (action, body) = cloud.find("volumes", identifier), next(iter(request.body.items()))
    cloud.failing(action.removeprefix("os-"), "volume", one["name"], refuse=True)
    if action == "os-extend":
        version = (request.headers.get("OpenStack-API-Version") or "volume 3.0").rsplit(" ", 1)[-1]
        if one["status"] != "available" and not (one["status"] == "in-use" and tuple(map(int, version.split("."))) >= (3, 42)):
            raise Refused(400, f"Invalid volume: Volume {identifier} status must be 'available' to extend, currently {one['status']}.")
        if int(body["new_size"]) <= one["size"]:
            raise Refused(400, f"Invalid input received: New size for extend must be greater than current size. (current: {one['size']}, extended: {body['new_size']}).")
        one["size"] = int(body["new_size"])
    elif action == "os-retype":
        one["volume_type"] = _type(cloud, body["new_type"])["name"]
    elif action == "os-update_readonly_flag":
        one["metadata"]["readonly"] = str(body["readonly"])
    elif action == "os-set_bootable":
        one["bootable"] = "true" if body["bootable"] in (True, "True", "true") else "false"
        return 200, None
    elif action == "os-reset_status":
        one["status"] = body["status"]
    elif action != "os-set_image_metadata":
        raise LookupError(action)
    return 202, None


@service.action("GET POST PUT DELETE", V + "/(volumes|snapshots)/{}/metadata(?:/([^/]+))?")
def _metadata(cloud, request, collection, identifier, key):
    one = cloud.find(collection, identifier)
    if request.method == "PUT":
        one["metadata"] = {**one["metadata"], **request.body["meta"]} if key else dict(request.body["metadata"])
    elif request.method == "POST":
        one["metadata"].update(request.body["metadata"])
    elif request.method == "DELETE":
        one["metadata"].pop(key, None)
        return 200, None
    return 200, {"metadata": one["metadata"]}


@service.action("GET POST PUT DELETE", V + "/types/{}/(extra_specs|encryption|action|os-volume-type-access)(?:/(.+))?")
def _of_type(cloud, request, identifier, part, key):
    one = cloud.find("types", identifier)
    if part == "extra_specs":
        if request.method == "POST":
            one["extra_specs"].update(request.body["extra_specs"])
        elif request.method == "PUT":
            one["extra_specs"].update(request.body)
        elif request.method == "DELETE":
            one["extra_specs"].pop(key, None)
            return 202, None
        return 200, {"extra_specs": one["extra_specs"]}
    if part == "encryption":
        held = one.get("encryption")
        if request.method == "POST":
            if held:
                raise Refused(400, f"Invalid input received: Volume type encryption for type {identifier} already exists.")
            one["encryption"] = {**request.body["encryption"], "volume_type_id": identifier, "encryption_id": str(uuid.uuid4())}
        elif request.method == "PUT":
            one["encryption"].update(request.body["encryption"])
        elif request.method == "DELETE":
            one.pop("encryption", None)
            return 202, None
        else:
            return 200, held or {}
        return 200, {"encryption": one["encryption"]}
    access = one.setdefault("_access", [])
    for action, body in (request.body or {}).items():
        if action == "addProjectAccess":
            if one["is_public"]:
                raise Refused(400, "Invalid input received: Type access modification is not applicable to public volume type.")
            access.append(body["project"])
        elif body["project"] in access:
            access.remove(body["project"])
    return (202, None) if request.method == "POST" else (200, {"volume_type_access": [{"volume_type_id": identifier, "project_id": each} for each in access]})


@service.action("GET PUT", V + "/qos-specs/{}/(associate|disassociate|disassociate_all|associations|delete_keys)")
def _qos(cloud, request, identifier, action):
    one = cloud.find("qos-specs", identifier)
    users = cloud.where("types", qos_specs_id=identifier)
    if action == "associations":
        return 200, {"qos_associations": [{"association_type": "volume_type", "id": each["id"], "name": each["name"]} for each in users]}
    if action == "delete_keys":
        for key in request.body["keys"]:
            one["specs"].pop(key, None)
        return 202, None
    chosen = users if action == "disassociate_all" else [cloud.find("types", request.query["vol_type_id"])]
    for each in chosen:
        if action == "associate" and each["qos_specs_id"] not in (None, identifier):
            raise Refused(400, f"Invalid Qos Specs: Type {each['id']} is already associated with another qos specs: {each['qos_specs_id']}")
        each["qos_specs_id"] = identifier if action == "associate" else None
    return 202, None


QUOTA = {"volumes": 10, "snapshots": 10, "gigabytes": 1000, "backups": 10, "backup_gigabytes": 1000, "per_volume_gigabytes": -1, "groups": 10}


@service.action("GET PUT DELETE", V + "/os-quota-sets/{}(?:/defaults)?")
def _quotas(cloud, request, project):
    known = cloud.table("quotas-cinder")
    if request.method == "DELETE":
        known.pop(project, None)
        return 200, None
    if request.method == "PUT":
        known.setdefault(project, {}).update({key: value for key, value in request.body["quota_set"].items() if key not in ("tenant_id", "force")})
    return 200, {"quota_set": {"id": project, **QUOTA, **known.get(project, {})}}


@service.action("GET", V + "/(limits|extensions|os-availability-zone|os-services|scheduler-stats/get_pools|types/default)")
def _lists(cloud, request, what):
    return 200, {
        "limits": {"limits": {"rate": [], "absolute": {"maxTotalVolumes": 10, "maxTotalVolumeGigabytes": 1000, "totalVolumesUsed": len(cloud.table("volumes")), "totalGigabytesUsed": 0, "maxTotalSnapshots": 10}}},
        "extensions": {"extensions": [{"alias": alias, "name": alias, "description": "", "updated": TIME, "links": []} for alias in
                                      ("encryption", "os-volume-type-access", "os-quota-sets", "os-types-manage", "qos-specs", "os-volume-encryption-metadata", "backups")]},
        "os-availability-zone": {"availabilityZoneInfo": [{"zoneName": name, "zoneState": {"available": True}} for name in ("nova", "az1", "az2")]},
        "types/default": {"volume_type": cloud.where("types", name="__DEFAULT__")[0]}}.get(what, {"services": [], "pools": []})


def seed(cloud):
    """The types of volumes of every cloud here."""
    for name in ("__DEFAULT__", "lvm", "ceph"):
        cloud.create("types", {"name": name, "_own": True}, internal=True)
