"""What two clouds have in common: objects without identifiers, times and what a service chose, and the requests that made them."""

import base64
import binascii
import hashlib
import json
import re

# Fields that differ between two runs, or say nothing of an object.
VOLATILE = {"id", "created_at", "updated_at", "created", "updated", "revision_number", "links", "attached_at", "attachment_id", "fault", "launched_at", "encryption_id", "self", "file", "creator_id",
            "tenant_id", "project_id", "owner", "user_id", "domain_id", "status", "provisioning_status", "operating_status", "vm_state", "serial", "version", "secret", "access", "volume_id"}
# Heat's names of objects that have none: `stack-resource-` and twelve letters; Terraform's and Ansible's are given.
RANDOM = re.compile(r"-[a-z2-7]{12}(?=$|\.|-)")
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{32}")


def stem(name):
    """A name without what Heat or a service added at random."""
    return RANDOM.sub("-*", UUID.sub("*", name))


def canonical(cloud, own=False, names=None):
    """The objects of a cloud by collection, each with its fields, in an order and with names that do not depend on identifiers.

    Without `own`, what a cloud has before anyone uses it is left out. `names` gets the name of each identifier."""
    kept = {(collection, identifier): one for collection, table in cloud.objects.items() for identifier, one in table.items()
            if own or not (collection in SEEDED and one.get("_own") or one.get("_default") or _is_theirs(cloud, one))}
    names = {} if names is None else names
    names.update((str(identifier), f"{_one(cloud, collection)}:{stem(str(one.get('name') or _holder(cloud, one)))}") for (collection, identifier), one in kept.items())
    for collection in (*SEEDED, "security-groups"):
        for identifier, one in cloud.objects.get(collection, {}).items():
            names.setdefault(str(identifier), f"{_one(cloud, collection)}:{one.get('name')}")
    texts = {}
    # Objects without names are told apart by what they refer to, and that by what it refers to.
    for _ in range(4):
        texts = {key: _text(one, names) for key, one in kept.items()}
        for (collection, identifier), text in texts.items():
            base = names[str(identifier)].split("#")[0]
            names[str(identifier)] = f"{base}#{hashlib.sha256(text.encode()).hexdigest()[:8]}"
    # A hash is no name: the objects of one name are numbered in the order of their texts.
    order = {}
    for (collection, identifier), text in sorted(texts.items(), key=lambda item: (item[0][0], item[1])):
        base = names[str(identifier)].split("#")[0]
        order.setdefault(base, []).append(str(identifier))
    for base, identifiers in order.items():
        for number, identifier in enumerate(identifiers):
            names[identifier] = base if len(identifiers) == 1 and not base.endswith(":") else f"{base}#{number}"
    result = {}
    for (collection, identifier), one in kept.items():
        result.setdefault(collection, {})[names[str(identifier)]] = json.loads(_text(one, names))
    return {collection: dict(sorted(table.items())) for collection, table in sorted(result.items())}


def _is_theirs(cloud, one):
    """Whether Heat made an object for itself (the users of its domain, by which resources are signaled, with what they have), or Neutron for a project."""
    user = cloud.objects.get("users", {}).get(one.get("user_id")) or {}
    group = cloud.objects.get("security-groups", {}).get(one.get("security_group_id")) or {}
    return "stacks" in (one.get("domain_id"), user.get("domain_id")) or one.get("type") == "ec2" or bool(group.get("_default"))


def _holder(cloud, one):
    """The name of the server that has a port without a name."""
    return (cloud.objects.get("servers", {}).get(one.get("device_id")) or {}).get("name") or ""


SEEDED = ("images", "flavors", "types", "roles", "domains", "projects", "users", "regions", "accounts")


def _one(cloud, collection):
    kind = cloud.kinds.get(collection)
    return kind.one if kind and kind.one else collection.rstrip("s")


def _text(one, names):
    chosen = set(one.get("_chosen", ()))
    fields = {field: value for field, value in one.items() if field not in VOLATILE and not field.startswith("_")}
    if isinstance(fields.get("user_data"), str):
        fields["user_data"] = _user_data(fields["user_data"])
    return json.dumps(_plain(fields, names, chosen), sort_keys=True, default=str)


def _user_data(text):
    """The text that a server gets; boundaries between the parts of a message are random."""
    try:
        return re.sub(r"=+\d{10,}=+", "=boundary=", base64.b64decode(text, validate=True).decode("utf-8", "replace"))
    except binascii.Error:
        return text


def _plain(value, names, chosen, key=""):
    if isinstance(value, dict):
        # Below an object, an identifier is a reference.
        return {_plain(name, names, chosen): _plain(each, names, chosen, name) for name, each in value.items() if (name == "id" or name not in VOLATILE) and not str(name).startswith("_")}
    if isinstance(value, (list, tuple)):
        made = [_plain(each, names, chosen, key) for each in value]
        # Nor has what Neutron chooses in several subnets.
        if key == "fixed_ips" and all(isinstance(each, dict) and each.get("ip_address") == "(chosen)" for each in made):
            return sorted(made, key=str)
        # Lists of references have no order.
        return sorted(made, key=str) if all(isinstance(each, str) and ":" in each for each in made) else made
    if not isinstance(value, bool) and value in chosen:
        return "(chosen)"
    if isinstance(value, str):
        # A name can be an identifier (of key pairs, containers, flavors): where it is no reference it is a text.
        if value in names and (UUID.search(value) or key == "id" or str(key).endswith(("_id", "_name", "Ref"))):
            return names[value]
        return RANDOM.sub("-*", UUID.sub(lambda found: names.get(found.group(), found.group()), value))
    return value


def journal_lines(cloud, since=0, reads=False):
    """The requests as lines, with names for identifiers: `201 POST /network/v2.0/ports {…}`."""
    lines = []
    for entry in cloud.journal[since:]:
        if "mark" in entry:
            lines.append(f"==== {entry['mark']}")
        elif reads or entry["method"] not in ("GET", "HEAD") and not entry["path"].endswith("/auth/tokens"):
            lines.append(line(cloud, entry))
    return lines


def line(cloud, entry, short=400):
    """One request as a line."""
    name = lambda found: ":".join(cloud.labels[found.group()]) if found.group() in cloud.labels else found.group()
    text = "" if entry["body"] in (None, "") else " " + json.dumps(entry["body"], sort_keys=True)
    text = RANDOM.sub("-*", UUID.sub(name, f"{entry['path']}{text}"))
    why = ""
    if entry["status"] >= 400 and isinstance(entry["answer"], dict):
        why = "   !! " + UUID.sub(name, json.dumps(entry["answer"]))[:200]
    who = f"{entry['who']}: " if entry.get("who") else ""
    return f"{who}{entry['status']} {entry['method']} {text[:short]}{why}"
