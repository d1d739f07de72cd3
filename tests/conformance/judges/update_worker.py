"""Heat's engine on the stand-in cloud, for many updates in one process: a request a line (JSON), an answer a line.

A request: `old` and `new` (paths), `old_env` and `env` (lists of paths), `parameters`, `put` (objects that the cloud has before: collection, identifier, fields),
`external` (names of networks that an administrator made external), `between` (templates between the two), `order` and `rollback` (of the update), `agent`, `api` (Nova's
newest microversion), `life` (a template that is created, checked and deleted instead), `broken` (a resource that fails first, see `_broken`), `stand_ins` (a folder below which missing files get a text), `again` (whether what fails is left out and the rest runs again), `fresh` (whether the objects are compared with those of a
new stack of the new template).

The answer: the state after each step; for each resource what happened to it (`what`), the requests that it made, and how it failed; what the cloud does not model.
"""

import atexit
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile
import urllib.parse
import warnings

HERE = pathlib.Path(__file__).resolve()
sys.path.insert(0, str(HERE.parents[3] / "tools"))
warnings.simplefilter("ignore")

import heat_stack  # noqa: E402
from cloud import Cloud, canonical  # noqa: E402
from cloud.dump import line  # noqa: E402
from judges.updates import stand_in  # noqa: E402
from oslo_serialization import jsonutils  # noqa: E402

ROUNDS = 12
# How often a server was rebuilt is no difference, nor the user data that it once got, with the metadata of that time.
STAYS = ("rebuilt", "restored", "user_data")
# Heat's answer to what waits longer than the stack may.
TIMED_OUT = ("Timed out", "timed out", "WaitConditionTimeout")


class Worker:
    """The cloud and the engine of this process."""

    def __init__(self):
        self.cloud = Cloud().start()
        self.engine = heat_stack.Engine(self.cloud)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="hotplate-updates-"))
        atexit.register(shutil.rmtree, self.folder, ignore_errors=True)

    def answer(self, request):
        """Runs an update; with `again`, as often as something fails, without it."""
        if request.get("life"):
            return self._life(request)
        if request.get("broken"):
            return self._broken(request)
        first, files = None, self._stand_ins(request) if request.get("stand_ins") else []
        for _ in range(ROUNDS):
            found = {**self._run(request), "stand_ins": files}
            if first is None:
                first = found
            else:
                first["resources"].update({name: one for name, one in found["resources"].items() if first["resources"].get(name, {}).get("unknown", True)})
                first["unmodeled"] += found["unmodeled"]
            failed = [name for name, one in found["resources"].items() if one.get("failure") and "/" not in name]
            if not request.get("again") or not failed or found["states"][0]["status"] != "COMPLETE":
                return first
            request = {**request, "old": self._without(request["old"], failed), "new": self._without(request["new"], failed)}
        return first

    def _life(self, request):
        """A stack is created, checked and deleted; `left` is what is there after that."""
        self._prepare(request)
        before = canonical(self.cloud)
        stack = self.engine.stack()
        states = [stack.create(request["life"])]
        if states[0]["status"] == "COMPLETE":
            states += [stack.check(), stack.delete()]
        left = {collection: sorted(objects) for collection, objects in canonical(self.cloud).items() if objects != before.get(collection, {})}
        return {"states": states, "resources": {}, "unmodeled": list(self.cloud.unmodeled), "left": left}

    def _broken(self, request):
        """A resource fails (`broken` says which; `how`: `create`, `update`, or `check` after its object is gone), the stack is saved as its client
        exports it (`export`), and is updated to the same template."""
        cloud, name = self.cloud, request["broken"]
        self._prepare(request)
        stack = self.engine.stack()
        states = [stack.create(request["old"])]
        if request["how"] == "check" and states[0]["status"] == "COMPLETE":
            identifier = stack.resources()[name]["id"]
            for table in cloud.objects.values():
                table.pop(identifier, None)
            states.append(stack.check())
        if request["how"] == "update" and states[0]["status"] == "COMPLETE":
            for rule in request["fail_later"]:
                cloud.fail(rule)
            states.append(stack.update(request["new"]))
        before = stack.resources()
        broken = before.get(name, {"action": "INIT", "status": "COMPLETE"})
        answer = {"states": states, "state": f"{broken['action']}_{broken['status']}", "unmodeled": list(cloud.unmodeled), "resources": {}}
        if broken["status"] != "FAILED":
            return answer
        answer["export"] = json.loads(jsonutils.dumps(stack.export()))
        cloud.rules.clear()
        (_, seen), start = stack.events(), len(cloud.journal)
        states.append(stack.update(request["new"]))
        after, (events, _) = stack.resources(), stack.events(seen)
        answer["resources"] = {each: _happened(cloud, each, before.get(each), after.get(each), events, cloud.writes(start)) for each in {**before, **after}}
        _not_reached(answer["resources"], events, states[-1])
        return answer

    def _stand_ins(self, request):
        """Files that a template reads and that are not there get a text, below the folder of the request only."""
        written = []
        for side, environments in ((request["old"], request.get("old_env", ())), (request["new"], request.get("env", ()))):
            for _ in range(ROUNDS):
                try:
                    self.engine.read(side, environments)
                    break
                except Exception as error:  # whatever the client says of a file
                    missing = re.search(r"Could not fetch contents for file://(\S+)", str(error))
                    place = missing and pathlib.Path(os.path.normpath(urllib.parse.unquote(missing.group(1))))
                    if not place or not place.is_relative_to(request["stand_ins"]) or place.suffix in (".yaml", ".template") or place.exists():
                        break
                    stand_in(place)
                    written.append(str(place))
        return written

    def _without(self, path, names):
        """A template without some resources, and without what refers to them."""
        tree = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
        kept = {name: one for name, one in tree["resources"].items() if name not in names}
        place = self.folder / f"{os.urandom(6).hex()}.yaml"
        place.write_text(json.dumps({**tree, "resources": kept}), encoding="utf-8")
        return place

    def _prepare(self, request):
        cloud, engine = self.cloud, self.engine
        cloud.reset()
        cloud.compute_api, engine.agents = request.get("api", "2.96"), request.get("agent", False)
        cloud.external = tuple(request.get("external", ()))
        for collection, identifier, fields in request.get("put", ()):
            cloud.put(collection, identifier, **fields)
        for rule in request.get("fail", ()):
            cloud.fail(rule)

    def _run(self, request):
        cloud, engine = self.cloud, self.engine
        self._prepare(request)
        stack = engine.stack()
        old_env, env, parameters = request.get("old_env", ()), request.get("env", ()), request.get("parameters")
        states = [stack.create(request["old"], old_env, parameters)]
        if states[0]["status"] != "COMPLETE":
            return {"states": states, "resources": {}, "unmodeled": list(cloud.unmodeled)}
        for each in request.get("between", ()):
            states.append(stack.update(each, env, parameters))
        there = canonical(cloud)
        before, (_, seen), start = stack.resources(), stack.events(), len(cloud.journal)
        states.append(stack.update(request["new"], env, parameters, rollback=request.get("rollback", False), order=request.get("order", "fifo")))
        after, (events, _) = stack.resources(), stack.events(seen)
        writes = cloud.writes(start)
        resources = {name: _happened(cloud, name, before.get(name), after.get(name), events, writes) for name in {**before, **after}}
        if states[-1]["action"] != "REFUSED":
            _not_reached(resources, events, states[-1])
        answer = {"states": states, "resources": resources, "unmodeled": list(cloud.unmodeled), "journal": [line(cloud, entry) for entry in writes]}
        if request.get("fresh") and states[-1]["status"] == "COMPLETE":
            answer["left"] = differences(there, canonical(cloud)) if states[-1]["action"] == "ROLLBACK" else self._left(request, canonical(cloud))
        return answer

    def _left(self, request, there):
        """How the objects differ from those of a new stack: `- ` is missing after the update, `+ ` is there beside."""
        self._prepare(request)
        stack = self.engine.stack()
        if stack.create(request["new"], request.get("env", ()), request.get("parameters"))["status"] != "COMPLETE":
            return None
        return differences(canonical(self.cloud), there)


def differences(wanted, there):
    """The objects that differ; users and projects are Heat's own, and the names of the stacks are numbers."""
    wanted, there = (json.loads(re.sub(r"\bs\d{1,4}-", "stack-", json.dumps(side))) for side in (wanted, there))
    found = []
    for collection in sorted({*wanted, *there} - {"projects", "users", "ec2-credentials", "trusts", "accounts"}):
        have, need = there.get(collection, {}), wanted.get(collection, {})
        found += [f"- {name}" for name in need if name not in have] + [f"+ {name}" for name in have if name not in need]
        for name in sorted(set(need) & set(have)):
            fields = sorted(field for field in {*need[name], *have[name]} if need[name].get(field) != have[name].get(field) and field not in STAYS)
            found += [f"~ {name}: {', '.join(fields)}"] if fields else []
    return found


def _happened(cloud, name, before, after, events, writes):
    """What an update did to a resource, and what it asked of the services for it."""
    mine = [entry for entry in writes if (entry["who"] or "").removesuffix(" (cleanup)") == name]
    calls = [entry for entry in mine if entry["status"] < 400]
    own = [event for event in events if event[0] == name]
    found = {"type": (after or before)["type"], "calls": [line(cloud, entry, 160) for entry in mine]}
    if before is None:
        found["what"] = "created"
    elif after is None:
        there = any(before["id"] in table for table in cloud.objects.values())
        found["what"] = "retained" if there and not calls else "deleted"
    elif before["row"] != after["row"]:
        found["what"] = "replaced"
    elif any(event[1] == "UPDATE" for event in own):
        rebuilt = any(isinstance(entry["body"], dict) and "rebuild" in entry["body"] for entry in calls)
        found["what"] = "rebuilt" if rebuilt else "updated" if calls else "updated-nothing"
    else:
        found["what"] = "untouched" if not calls else "updated"
    if after is not None and after["status"] == "FAILED":
        reason = after["reason"] or ""
        found["reason"] = reason[:300]
        refused = [entry for entry in mine if entry["status"] >= 400 and (entry["status"] != 404 or entry["method"] != "DELETE")]
        found["failure"] = "waits" if any(word in reason for word in TIMED_OUT) else "refused" if refused else "aborted" if "aborted" in reason else "fails"
    elif after is not None and after["id"] and before and any(before["id"] == identifier for identifier in cloud.labels) and not any(after["id"] in table for table in cloud.objects.values()):
        found["gone"] = True
    return found


def _not_reached(resources, events, state):
    """Nobody knows of a resource that was not done when the update failed."""
    if state["status"] == "COMPLETE":
        return
    ended = {event[0] for event in events if event[2] in ("COMPLETE", "FAILED")}
    for name, one in resources.items():
        if one.get("failure") == "aborted" or name not in ended and one["what"] in ("untouched", "deleted", "retained"):
            one["unknown"] = True
            one.pop("failure", None)


def main(made=Worker):
    """Answers until the input ends."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    worker = made()
    for text in sys.stdin:
        request = json.loads(text)
        try:
            answer = worker.answer(request)
        except Exception as error:  # what the harness cannot do is an answer, with which the part is short
            answer = {"states": [], "resources": {}, "unmodeled": [], "error": f"{type(error).__name__}: {error}"[:400]}
        out.write(json.dumps(answer, default=str) + "\n")
        out.flush()


if __name__ == "__main__":
    main()
