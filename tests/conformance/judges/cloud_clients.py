"""Clients that others wrote, on the stand-in cloud: openstackclient or openstacksdk, all operations in one process. Prints a line of JSON for each:
service, operation, and what went wrong, or `null`.

`cloud_clients.py openstackclient|openstacksdk ADDRESS`
"""

import contextlib
import io
import json
import os
import shlex
import sys
import tempfile
import warnings

from generators.cloud_operations import CALLS, COMMANDS, Refusal

ACCOUNT = {"auth_url": None, "username": "user", "password": "secret", "project_name": "project", "user_domain_id": "default", "project_domain_id": "default"}


def commands():
    """Each command of openstackclient, with what it shows."""
    from openstackclient import shell
    options = [word for name, value in ACCOUNT.items() for word in (f"--os-{name.replace('_', '-')}", value)]
    options += ["--os-region-name", "RegionOne", "--os-identity-api-version", "3"]
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "file")
        with open(file, "w", encoding="utf-8") as written:
            written.write("text")
        for service, operation, text, wanted in COMMANDS:
            words = shlex.split(text.replace("{file}", file))
            shows = isinstance(wanted, (dict, list, int))
            out, err = io.StringIO(), io.StringIO()
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                try:
                    status = shell.OpenStackShell().run(options + words + (["-f", "json"] if shows else []))
                except SystemExit as ended:
                    status = ended.code
                except Exception as error:  # a client that fails is what is looked for
                    status, _ = 1, err.write(repr(error))
            yield service, operation, _shown(status, out.getvalue(), err.getvalue(), wanted)


def _shown(status, out, err, wanted):
    """What is wrong with what a command shows."""
    if isinstance(wanted, Refusal):
        return None if status and wanted.words in err else f"not refused with {wanted.words!r}: {status} {err[-300:]}"
    if status:
        return f"refused: {err[-300:]}"
    if wanted is None:
        return None
    if isinstance(wanted, str):
        return None if wanted in out + err else f"{wanted!r} is not in {out[:300]}"
    shown = json.loads(out)
    if isinstance(wanted, int):
        return None if len(shown) == wanted else f"{len(shown)} rows, not {wanted}"
    if isinstance(wanted, list):
        return None if all(any(name in map(str, row.values()) for row in shown) for name in wanted) else f"{wanted} are not in {shown}"[:300]
    shown = shown[0] if isinstance(shown, list) else shown
    wrong = {field: shown.get(field) for field, value in wanted.items() if shown.get(field) != value}
    return f"{wrong}, not {wanted}" if wrong else None


def calls():
    """For each collection of openstacksdk: create, list, get, find, update, and at the end delete, in the opposite order."""
    import openstack
    connection = openstack.connect(auth=ACCOUNT, region_name="RegionOne", identity_api_version="3")
    made, order = {"image": next(connection.image.images()).id}, []
    for service, what, body, change in CALLS:
        proxy = getattr(connection, service)
        body = {key: _filled(value, made) for key, value in body.items()}
        one, wrong = _try(lambda: getattr(proxy, f"create_{what}")(**body))
        yield service, f"create {what}", wrong or _differs(one, body)
        if one is None:
            continue
        made[what] = identifier = one.id
        order.append((service, what, identifier))
        plural = {"rbac_policy": "rbac_policies", "l7_policy": "l7_policies", "address_scope": "address_scopes", "qos_policy": "qos_policies"}.get(what, what + "s")
        found, wrong = _try(lambda: [each.id for each in getattr(proxy, plural)()])
        yield service, f"list {what}", wrong or (None if one.id in found else "not in the list")
        held, wrong = _try(lambda: getattr(proxy, f"get_{what}")(identifier))
        yield service, f"get {what}", wrong or _differs(held, body)
        if body.get("name") and hasattr(proxy, f"find_{what}"):
            held, wrong = _try(lambda: getattr(proxy, f"find_{what}")(body["name"]))
            yield service, f"find {what}", wrong or (None if held and held.id == one.id else "not found by its name")
        if change:
            change = {key: _filled(value, made) for key, value in change.items()}
            _, wrong = _try(lambda: getattr(proxy, f"update_{what}")(identifier, **change))
            held, wrong2 = _try(lambda: getattr(proxy, f"get_{what}")(identifier))
            yield service, f"update {what}", wrong or wrong2 or _differs(held, change)
    for service, what, identifier in reversed(order):
        proxy = getattr(connection, service)
        _, wrong = _try(lambda: getattr(proxy, f"delete_{what}")(identifier, ignore_missing=False))
        yield service, f"delete {what}", wrong
        held, wrong = _try(lambda: getattr(proxy, f"get_{what}")(identifier))
        yield service, f"get deleted {what}", None if wrong and "NotFound" in wrong or "404" in (wrong or "") else f"still there: {held}"[:200]


def _filled(value, made):
    if isinstance(value, str) and value.startswith("$"):
        return made.get(value[1:])
    if isinstance(value, list):
        return [_filled(each, made) for each in value]
    return {key: _filled(each, made) for key, each in value.items()} if isinstance(value, dict) else value


def _try(call):
    try:
        return call(), None
    except Exception as error:  # a client that fails is what is looked for
        return None, f"{type(error).__name__}: {error}"[:300]


def _differs(one, body):
    """What was given and is not shown; of what only a request has, nothing."""
    wrong = {key: getattr(one, key, None) for key, value in body.items() if key not in ("networks", "payload", "flavor_id", "image_id", "listener_id", "load_balancer_id", "target_project_id") and getattr(one, key, None) != value}
    return f"{wrong}, not {body}"[:300] if wrong else None


def main():
    """Prints the results."""
    warnings.simplefilter("ignore")
    client, address = sys.argv[1:]
    ACCOUNT["auth_url"] = f"{address}/identity/v3"
    out = os.fdopen(os.dup(1), "w")
    for row in commands() if client == "openstackclient" else calls():
        out.write(json.dumps(row) + "\n")
        out.flush()


if __name__ == "__main__":
    main()
