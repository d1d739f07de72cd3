"""The stand-in cloud, tried by clients that others wrote: service × operation × client, n of m.

openstackclient runs commands and openstacksdk calls (`generators/cloud_operations.py`), with what a service shows and what it refuses; Heat's engine
creates, checks and deletes a resource of each modeled type through its own clients, and leaves nothing; OpenTofu with Terraform's real provider creates
what `render` writes for a resource of each type, plans again, and destroys all of it.
"""

import collections
import json
import subprocess
import sys

import house
from generators import cloud_changes
from judges import updates
from judges.tofu import account

sys.path.insert(0, str(house.ROOT / "tools"))

# Seconds for all operations of a client.
LONGEST = 240
CLIENTS = ("openstackclient", "openstacksdk")
# Without `--full`, Heat creates every one of so many types.
OF_TYPES = 3


def run(figures, full):
    """The part."""
    from cloud import Cloud
    table = collections.Counter()
    for client in CLIENTS:
        with Cloud() as cloud:
            rows, ended = operations(client, cloud.url)
            misses = [f"{service}, {operation}: {wrong}" for service, operation, wrong in rows if wrong] + ended
            misses += [f"not modeled: {each}" for each in cloud.unmodeled]
        figures.must(sum(not wrong for _, _, wrong in rows), len(rows) + len(ended), f"operations of {client} have the answers of a real service", misses)
        for service, _, wrong in rows:
            table[service.replace("_", "-").replace("block-storage", "volume"), client, not wrong] += 1
    with updates.Updates() as judge:
        _heat(figures, judge, full, table)
    _provider(figures)
    for service in sorted({key[0] for key in table}):
        figures.say(f"{service}: " + ", ".join(f"{client} {table[service, client, True]} of {table[service, client, True] + table[service, client, False]}"
                                               for client in (*CLIENTS, "Heat") if table[service, client, True] + table[service, client, False]))


def operations(client, address):
    """The rows that a client prints, and how it ended if not well."""
    process = subprocess.Popen([house.PYTHON, house.HERE / "judges/cloud_clients.py", client, address], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=house.environment(), text=True)
    try:
        out, _ = process.communicate(timeout=LONGEST)
    except subprocess.TimeoutExpired:
        process.kill()
        out, _ = process.communicate()
    ended = [] if process.returncode == 0 else [f"{client} ended with {process.returncode}"]
    return [json.loads(line) for line in out.splitlines()], ended


# The part of the service in a type's name, as the clients name it.
SERVICES = {"Neutron": "network", "Nova": "compute", "Cinder": "volume", "Glance": "image", "Swift": "object-store", "Octavia": "load-balancer", "Designate": "dns", "Keystone": "identity", "Barbican": "key-manager",
            "Zaqar": "messaging", "Heat": "orchestration"}
# What Heat 27 itself does wrong, by type: words of the state that it ends in, or the collection in which it leaves an object.
FAILS = {
    "OS::Octavia::Quota": "Session.request() got an unexpected keyword argument",  # calls the client with arguments that it does not have
    "OS::Keystone::Domain": "Cannot delete a domain that is enabled",  # does not disable a domain before it deletes it
    "OS::Neutron::Quota": "quotas-neutron",  # deletes the quota of a project that has the name of the resource
}


def _heat(figures, judge, full, table):
    folder = house.scratch("cloud")
    changes, requests = [], []
    for number, change in enumerate(change for change in cloud_changes.every() if change.number == 0):
        if not full and number % OF_TYPES:
            continue
        path = folder / f"{change.name}.yaml"
        path.write_text(json.dumps(change.old), encoding="utf-8")
        changes.append(change)
        requests.append({"life": str(path), "old": str(path), "new": str(path)})
    misses, well = [], 0
    for change, answer in zip(changes, judge.run(requests)):
        wrong = _wrong(change, answer)
        well += not wrong
        misses += [f"{change.kind}: {wrong}"] if wrong else []
        table[SERVICES[change.kind.split("::")[1]], "Heat", not wrong] += 1
    figures.must(well, len(changes), f"types of {len(cloud_changes.TYPES)} that Heat creates, checks and deletes, and nothing is left ({len(FAILS)} fail in Heat itself)", misses)


def _wrong(change, answer):
    """What is wrong with the life of a stack."""
    if change.kind in FAILS:
        return None if FAILS[change.kind] in str((answer.get("states"), answer.get("left"))) else f"does not fail in Heat as it is known to: {answer}"[:300]
    states = answer.get("states", [])
    if answer.get("error") or len(states) < 3 or any(state["status"] != "COMPLETE" for state in states):
        return answer.get("error") or "; ".join(f"{state['action']} {state['status']} {state['reason'][:200]}" for state in states) or str(answer)[:200]
    if answer["unmodeled"]:
        return f"not modeled: {answer['unmodeled'][0]}"
    return f"left: {answer['left']}" if answer["left"] else None


# ---- Terraform's provider

# Types that have no counterpart, or whose counterpart cannot run beside the others: a domain that is enabled is not destroyed, quotas are of one project.
APART = ("OS::Keystone::Domain", "OS::Zaqar::Queue", "OS::Zaqar::Subscription", *(kind for kind in cloud_changes.TYPES if kind.endswith("::Quota")))
# Arguments that the second plan takes away: `render` leaves them to the service's default, which the provider reads back.
CHANGED_AGAIN = {"openstack_blockstorage_qos_v3": {"consumer"}}


def _provider(figures):
    """One apply of a resource of each type, a second plan, and the destruction of everything."""
    if missing := [name for name in ("tofu", "provider") if not house.PROGRAMS[name].exists()]:
        figures.skip("Terraform's real provider", f"not installed: {', '.join(missing)}")
        return
    from cloud import Cloud, canonical
    folder = house.scratch("cloud-provider")
    (folder / "template.yaml").write_text(json.dumps(cloud_changes.together(APART)), encoding="utf-8")
    rendered = house.hotplate("render", "--target", "terraform", folder / "template.yaml", "-o", folder / "out", cwd=folder)
    with Cloud() as cloud:
        tofu = lambda *words: _tofu(folder / "out", cloud.url, *words)
        tofu("init", "-input=false")
        applied = tofu("apply", "-input=false", "-auto-approve", "-json")
        made = [line["hook"]["resource"]["addr"] for line in applied if line.get("type") == "apply_complete"]
        errors = [f"{line['diagnostic'].get('address', '')}: {line['diagnostic']['summary']}"[:300] for line in applied if line.get("type") == "diagnostic" and line["@level"] == "error"]
        figures.must(len(made), len(made) + len(errors), "resources that Terraform's real provider creates on the cloud", errors or [rendered.stderr.decode()[-500:]])
        tofu("plan", "-input=false", "-out", "second")
        second = tofu("show", "-json", "second")[0]["resource_changes"]
        changed = [change for change in second if change["change"]["actions"] != ["no-op"]]
        moved = {(change["type"], field) for change in changed for field in {*(change["change"]["before"] or {}), *(change["change"]["after"] or {})}
                 if (change["change"]["before"] or {}).get(field) != (change["change"]["after"] or {}).get(field) and field not in (change["change"].get("after_unknown") or {})}
        known = {(kind, field) for kind, fields in CHANGED_AGAIN.items() for field in fields}
        figures.must(len(second) - len({kind for kind, _ in moved ^ known}), len(second), f"resources that the second plan leaves alone, or that are known ({len(known)} arguments)",
                     [f"{kind}.{field} changes again" for kind, field in sorted(moved - known)] + [f"{kind}.{field} is known and does not change" for kind, field in sorted(known - moved)])
        tofu("destroy", "-input=false", "-auto-approve", "-json")
        left = [f"{collection}: {name}" for collection, objects in canonical(cloud).items() for name in objects] + [f"not modeled: {each}" for each in cloud.unmodeled]
    figures.must(len(made) - len(left), len(made), "resources after whose destruction nothing is left", left)


def _tofu(folder, address, *words):
    """Runs OpenTofu with the real provider on the cloud: the lines of JSON that it prints."""
    environment = house.environment(TF_CLI_CONFIG_FILE=str(house.PROGRAMS["provider"]), CHECKPOINT_DISABLE="1", TF_IN_AUTOMATION="1", **account(address))
    done = house.run([house.PROGRAMS["tofu"], f"-chdir={folder}", *words], env=environment, timeout=LONGEST)
    return [json.loads(line) for line in done.stdout.decode("utf-8", "replace").splitlines() if line.startswith("{")]
