"""What an update does, from two sides: Heat's engine on the stand-in cloud, which runs it, and `hotplate diff`, which says what will happen."""

import hashlib
import json
import pathlib
import select
import subprocess

import house
from judges.judge import Judge

# Seconds for one update; more is a fault of the harness.
LONGEST = 150
# What may have happened where `diff` says this.
SAYS = {
    "none": {"untouched"},
    "noop-update": {"updated-nothing", "untouched"},
    "update": {"updated"},
    "rebuild": {"rebuilt"},
    "replace": {"replaced"},
    "may-replace": {"replaced", "updated", "updated-nothing", "rebuilt", "untouched"},
    "may-delete": {"deleted", "replaced", "updated", "updated-nothing", "rebuilt", "untouched"},
    "may-create": {"created", "updated", "updated-nothing", "untouched"},
    "create": {"created"},
    "adopt": {"created"},
    "delete": {"deleted"},
    "snapshot": {"deleted"},
    "retain": {"retained"},
}


class Updates(Judge):
    """Asks processes of `update_worker.py`; the answers are kept like those of the other judge."""

    def texts(self):
        """The cloud, Heat's engine around it, and what asks it."""
        cloud = sorted((house.ROOT / "tools/cloud").glob("*.py"))
        return (*cloud, house.tool("heat_stack.py"), house.HERE / "judges/update_worker.py")

    def worker(self):
        """A process with a cloud and an engine of its own."""
        return Worker()

    def run(self, requests):
        """The answers to requests (see `update_worker.py`); the texts of the files that they name count, not only their paths."""
        asked = [{**request, "texts": _texts(request)} for request in requests]
        return self.ask(asked, remember=True)


def stand_in(path):
    """Writes a text for a file that is missing."""
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"stand-in for {path.name}\n", encoding="utf-8")


def _texts(request):
    digest = hashlib.sha256()
    for name in ("old", "new", "old_env", "env", "between", "sides"):
        value = request.get(name, ())
        for path in value if isinstance(value, (list, tuple)) else (value,):
            path = pathlib.Path(path)
            digest.update(path.read_bytes())
            # Templates refer to files beside them.
            if request.get("folder"):
                for other in sorted(path.parent.glob("*")):
                    digest.update(other.read_bytes() if other.is_file() else b"")
    return digest.hexdigest()


class Worker:
    """A process that answers one request after the other, and is ended when it takes too long."""

    def __init__(self, script="update_worker.py", longest=LONGEST):
        self._longest = longest
        self._process = subprocess.Popen([house.PYTHON, house.HERE / "judges" / script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=house.environment(), text=True)
        self._hangs = False

    def ask(self, request):
        """The answer, a line of JSON."""
        self._process.stdin.write(request + "\n")
        self._process.stdin.flush()
        if not select.select([self._process.stdout], [], [], self._longest)[0]:
            self._hangs = True
            raise OSError("no answer in time")
        return self._process.stdout.readline()

    def close(self):
        """Ends the process, which removes its files unless it hangs."""
        try:
            self._process.stdin.close()
            self._process.wait(0 if self._hangs else 20)
        except (OSError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()


def diff(old, new, extra=()):
    """`hotplate diff`: the entry of each resource of the root stack by name, and of resources below by path; and what went wrong."""
    done = house.hotplate("diff", old, new, "--fill", "--format", "json", "--allow-path", "/", *extra, timeout=120)
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        return {}, f"exit {done.returncode}: {done.stderr.decode('utf-8', 'replace')[:300]}"
    if not answer.get("compared"):
        return {}, f"exit {done.returncode}: {[finding['message'] for finding in answer.get('findings', ())]}"
    return {entry["name"]: entry for entry in answer["resources"]}, None


def steps(old, new, folder, extra=()):
    """What `hotplate diff --steps` says of the sequence that it writes to a folder, and what went wrong."""
    done = house.hotplate("diff", old, new, "--fill", "--format", "json", "--allow-path", "/", "--steps", str(folder), *extra, timeout=300)
    try:
        return json.loads(done.stdout)["steps"], None
    except (ValueError, KeyError):
        return {}, f"exit {done.returncode}: {done.stderr.decode('utf-8', 'replace')[:300]}"


def hazards(entry, certain=False):
    """The kinds of hazards that `diff` reports for a resource, or those that it takes for certain."""
    return {hazard["kind"] for hazard in entry.get("hazards", ()) if not certain or hazard.get("certain", True)}


def decision(entry):
    """What `diff` says that happens to a resource in the end."""
    return entry.get("effective_impact") or entry["impact"]


def compare(entry, one, children=(), rolled=False):
    """How the two sides differ on a resource: `(what is said, what happened)`, or `None`. The second of the pair are the consequences. `rolled`: the update was rolled back."""
    said, what = (decision(entry), one["what"]) if entry else ("missing", one["what"])
    wrong = None
    if one.get("unknown"):
        return None, None
    allowed = SAYS.get(said, set())
    # Heat touches stacks at every update; that nothing in them changed is `none`.
    if children and what in ("updated-nothing", "untouched", "updated"):
        moved = any(child["what"] != "untouched" for child in children)
        allowed = allowed | ({"updated-nothing", "updated", "untouched"} if said == "update" or not moved else set())
    # What is not in the cloud is changed without a request.
    if said == "update" and _is_heats(one["type"]):
        allowed = allowed | {"updated-nothing"}
    # An update in place without effect is one if the report says that it has none.
    unapplied = any(effect["kind"] == "not-applied" for effect in entry.get("machine_effects", ())) if entry else False
    if said == "update" and (unapplied or "lost" in hazards(entry)):
        allowed = allowed | {"updated-nothing"}
    failure = one.get("failure")
    # What the service refuses has made nothing yet.
    if said == "update" and failure:
        allowed = allowed | {"updated-nothing", "untouched"}
    if said == "refused":
        allowed = {what} if failure else set()
    elif said == "missing" or what not in allowed:
        wrong = (said, what + (f", {failure}" if failure else ""))
    if said == "refused" and not failure:
        wrong = (said, what)
    # A resource of Heat's own that fails because it is told to says nothing of a service.
    if one["type"] == "OS::Heat::TestResource":
        return wrong, None
    harm = {"refused": "refused", "fails": "refused", "waits": "waits"}.get(failure) or ("lost" if one.get("gone") else None)
    told = hazards(entry) if entry else set()
    # A race has every outcome, and what does not come back is refused, lost or neither while Heat rolls back.
    covered = harm in told or "race" in told or rolled and "no-way-back" in told
    hazard = (", ".join(sorted(told)) or "nothing", harm) if harm and said != "refused" and not covered else None
    # What is refused or waits for certain does so here.
    sure = entry and hazards(entry, certain=True) & {"refused", "waits"}
    if sure and not harm:
        hazard = (", ".join(sorted(sure)), "nothing")
    return wrong, hazard


# Requests after which a machine stands still, or lacks a disk or a network.
CUTS = {"resize", "rebuild", "DELETE os-interface", "DELETE os-volume_attachments"}


def interruption(entry, verbs, others=()):
    """Whether `diff` says rightly that an update in place interrupts a machine, from the requests that Heat made for it; `None` if neither says so,
    or if each server among the other resources goes or is new: what is moved from one to the other interrupts neither."""
    servers = [decision(other) for other in others if other["type"] == "OS::Nova::Server"]
    if entry["type"] == "OS::Cinder::VolumeAttachment" and servers and all(it in ("create", "delete") for it in servers):
        return None
    if decision(entry) not in ("update", "rebuild", "noop-update"):
        return None
    told = [effect for effect in entry.get("machine_effects", ()) if effect["kind"] == "interruption"]
    cut = bool(verbs & CUTS)
    # Only these are seen by the requests of the resource itself.
    sure = entry["type"] in ("OS::Nova::Server", "OS::Cinder::VolumeAttachment") and any(effect["certain"] for effect in told)
    return (bool(told) and (cut or not sure)) if cut or sure else None


def _is_heats(kind):
    """Whether a type is in Heat's database only."""
    return kind.startswith(("OS::Heat::", "AWS::CloudFormation::"))
