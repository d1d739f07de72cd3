"""Heat's engine, Terraform's real provider and Ansible's modules on one cloud: a request a line (JSON), an answer a line.

A request has `do` (`system`, `takeover` or `afterwards`), `name` (of the stack), `folder` (where the results are written), and what `update_worker.py` takes:
`old`, `new`, `env`, `put`, `external`, `api`, `agent`, `stand_ins`. `targets` are those of `system`. An answer has `state` (why Heat did not create the stack), the
objects of each side (`dumps`), the losses that `render` reports, and what went wrong.
"""

import atexit
import contextlib
import io
import json
import pathlib
import re
import subprocess

import house
import update_worker
from cloud import canonical
from cloud.dump import line
from judges.tofu import RealTofu, account, asked
from oslo_serialization import jsonutils

PLAYBOOK = pathlib.Path(house.PYTHON).parent / "ansible-playbook"
# Seconds for one playbook.
LONGEST = 300
# What `docs/leaving-heat.md` lists beside the saved stack.
LISTS = ("port list --long", "security group rule list --long", "network list", "subnet list", "router list", "security group list", "server list", "volume list")
# A task that failed, with the words of the module.
FAILED = re.compile(r"^\[ERROR\]: (Task failed.*)|^fatal: .*?\"msg\": \"(.*?)\"", re.MULTILINE)


class Worker(update_worker.Worker):
    """The cloud, the engine and the provider of this process."""

    def __init__(self):
        super().__init__()
        self.tofu = RealTofu(self.cloud.url)
        atexit.register(self.tofu.__exit__)

    def answer(self, request):
        """Runs a request."""
        self.folder_of(request).mkdir(parents=True, exist_ok=True)
        files = self._stand_ins({**request, "new": request.get("new", request["old"]), "old_env": request.get("env", ())}) if request.get("stand_ins") else []
        return {**getattr(self, "_" + request["do"])(request), "stand_ins": files}

    @staticmethod
    def folder_of(request):
        """Where the results of a request are."""
        return pathlib.Path(request["folder"])

    # ---- what each part asks

    def _system(self, request):
        """What is there after Heat, after `tofu apply` with a second plan, and after a playbook."""
        stack, state = self._heat(request)
        if state:
            return {"state": state}
        names = {}
        found = {"dumps": {"heat": canonical(self.cloud, names=names)}, "losses": {}, "wrong": {}}
        # Some resources have one identifier: a volume and its attachment.
        found["owners"] = {}
        for path, one in stack.resources().items():
            if one["id"] in names:
                found["owners"].setdefault(names[one["id"]], []).extend(path.split("/"))
        for target in request["targets"]:
            self._prepare(request)
            report, wrong = self._render(request, request["old"], target)
            found["losses"][target] = report.get("losses", [])
            if not wrong:
                run = self._terraform if target == "terraform" else self._ansible
                wrong = run(self.folder_of(request) / target, stack.name, found)
            found["dumps"][target] = canonical(self.cloud)
            found["wrong"][target] = wrong + [f"not modeled: {each}" for each in self.cloud.unmodeled]
        return found

    def _takeover(self, request):
        """A saved stack with the lists of the services becomes a configuration, which imports what Heat made: two plans, with an apply between them."""
        stack, state = self._heat(request)
        if state:
            return {"state": state}
        folder = self.folder_of(request)
        saved, lists = folder / "saved.json", folder / "lists"
        saved.write_text(jsonutils.dumps(stack.export()), encoding="utf-8")
        lists.mkdir(exist_ok=True)
        wrong = [each for number, words in enumerate(LISTS) for each in self._client(words, lists / f"{number}.json")]
        before, start = canonical(self.cloud), len(self.cloud.journal)
        report, refused = self._render(request, saved, "terraform", "--adopt", lists)
        found = {"declared": [entry for entry in report.get("findings", ()) if entry.get("code") == "HP0912"], "plans": [], "wrong": wrong + refused}
        for step in ("plan", "apply", "plan") if not refused else ():
            changes, wrong = self._tofu(folder / "terraform", stack.name, step)
            found["wrong"] += wrong
            if step == "plan":
                found["plans"].append(changes)
            if wrong:
                break
        found["writes"] = [line(self.cloud, entry, 200) for entry in self.cloud.writes(start)]
        found["left"] = update_worker.differences(before, canonical(self.cloud))
        found["wrong"] += [f"not modeled: {each}" for each in self.cloud.unmodeled]
        return found

    def _afterwards(self, request):
        """What Heat's update does to each resource, and what the plan of the provider does for the same change; `again` as for an update."""
        found = super().answer({**request, "fresh": False})
        if not found["states"] or found["states"][0]["status"] != "COMPLETE":
            return {"state": found.get("error") or json.dumps(found["states"])[:300]}
        self._prepare(request)
        folder = self.folder_of(request) / "terraform"
        for side, step in (("old", "apply"), ("new", "plan")):
            report, wrong = self._render(request, request[side], "terraform", "--force")
            changes, more = self._tofu(folder, "s", step) if not wrong else ([], wrong)
            if more:
                return {"heat": found["resources"], "wrong": [f"{side}: {each}" for each in more]}
        return {"heat": found["resources"], "changes": changes, "losses": report.get("losses", []), "wrong": []}

    # ---- who acts

    def _heat(self, request):
        """A stack that Heat has created, or why not."""
        self._prepare(request)
        stack = self.engine.stack()
        state = stack.create(request["old"], request.get("env", ()), request.get("parameters"))
        if state["status"] != "COMPLETE":
            return stack, f"not created: {state['reason'] or state}"[:400]
        return stack, f"not modeled: {self.cloud.unmodeled[0]}" if self.cloud.unmodeled else None

    def _render(self, request, source, target, *more):
        """The report of `render` into the folder of the target, and why there is no result."""
        out = self.folder_of(request) / target
        environments = [word for path in request.get("env", ()) if source == request["old"] or source == request.get("new") for word in ("-e", path)]
        done = house.hotplate("render", source, *environments, "-t", target, "-o", out, "--format", "json", "--show-secrets", "--allow-path", "/", *more)
        try:
            report = json.loads(done.stdout)
        except ValueError:
            report = {}
        return report, [] if out.exists() else [f"render: exit {done.returncode}: {done.stderr.decode('utf-8', 'replace')[:300] or [each['message'] for each in report.get('findings', ())]}"]

    def _tofu(self, folder, name, step):
        """What a plan or an apply does: the changes of a plan, and errors."""
        variables = {**asked(folder), "stack_name": name}
        if (folder / "modules").exists():
            self.tofu.run(folder, "get")
        options = ("-out", "plan", "-detailed-exitcode") if step == "plan" else ("-auto-approve", "-json")
        done = self.tofu.run(folder, step, "-input=false", *options, **variables)
        if step == "plan":
            if done.returncode == 1:
                return [], [f"plan: {' '.join(done.stderr.decode('utf-8', 'replace').split())}"[:400]]
            shown = json.loads(self.tofu.run(folder, "show", "-json", "plan").stdout)
            return [_change(each) for each in shown.get("resource_changes", ()) if each["change"]["actions"] not in (["no-op"], ["read"]) or each["change"].get("importing")], []
        lines = [json.loads(text) for text in done.stdout.decode("utf-8", "replace").splitlines() if text.startswith("{")]
        errors = [each["diagnostic"] for each in lines if each.get("type") == "diagnostic" and each["@level"] == "error"]
        return [], [f"apply: {each.get('address', '')}: {' '.join((each['summary'] + ' ' + each.get('detail', '')).split())}"[:400] for each in errors] or ([] if done.returncode == 0 else [f"apply: exit {done.returncode}"])

    def _terraform(self, folder, name, found):
        """An apply, and what a second plan changes."""
        _, wrong = self._tofu(folder, name, "apply")
        if not wrong:
            found["second"], wrong = self._tofu(folder, name, "plan")
        return wrong

    def _ansible(self, folder, name, _found):
        """A run of a playbook."""
        done = subprocess.run([PLAYBOOK, "-i", "localhost,", "site.yml", "-e", json.dumps({"stack_name": name, "ansible_python_interpreter": house.PYTHON})], cwd=folder, capture_output=True, text=True, timeout=LONGEST,
                              env=house.environment(PYTHONPATH=str(house.PROGRAMS["ansible"]), **account(self.cloud.url), ANSIBLE_NOCOLOR="1", ANSIBLE_RETRY_FILES_ENABLED="0", ANSIBLE_LOCALHOST_WARNING="0"), check=False)
        return [] if done.returncode == 0 else [f"playbook: {(_failed_task(done.stdout + done.stderr))}"]

    def _client(self, words, path):
        """Writes what openstackclient prints."""
        from openstackclient import shell
        out, err = io.StringIO(), io.StringIO()
        options = [word for name, value in account(self.cloud.url).items() for word in ("--" + name.lower().replace("_", "-"), value)]
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = shell.OpenStackShell().run([*options, "--os-identity-api-version", "3", *words.split(), "-f", "json"])
        path.write_text(out.getvalue(), encoding="utf-8")
        return [f"openstack {words}: {err.getvalue()[-200:]}"] if status else []


def _failed_task(text):
    found = [next(filter(None, each)) for each in FAILED.findall(text)]
    return " ".join((found[0] if found else text[-300:]).split())[:400]


def _change(each):
    """One change of a plan: the address, the type, what is done, and the arguments that differ."""
    change = each["change"]
    before, after, unknown = change.get("before") or {}, change.get("after") or {}, change.get("after_unknown") or {}
    fields = sorted(field for field in {*before, *after} if before.get(field) != after.get(field) and not unknown.get(field)) if before and after else []
    return {"address": each["address"], "type": each["type"], "actions": change["actions"], "imports": bool(change.get("importing")), "fields": fields, "replaces": [path[0] for path in change.get("replace_paths", ())]}


if __name__ == "__main__":
    update_worker.main(Worker)
