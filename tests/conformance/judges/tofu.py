"""The real OpenTofu with the stand-in OpenStack provider, on folders that hotplate has written."""

import json
import re
import subprocess

import house

PROVIDER = "registry.opentofu.org/terraform-provider-openstack/openstack"
# The stand-in has what these providers have, too.
OTHER_PROVIDERS = ("registry.opentofu.org/hashicorp/random", "registry.opentofu.org/hashicorp/cloudinit")
STACK = "STACK_NAME"
# What the judge takes them to be.
IDENTITY = {"stack_name": STACK, "stack_id": "STACK_ID"}


class Tofu:
    """Runs tofu in folders. The provider is started once, and tofu is told where it listens: so nothing is
    installed (no `init`), and no run waits for a provider of its own. `cloud` is a folder with what exists."""

    def __init__(self, cloud=None):
        command = [house.PYTHON, house.tool("stand_in_provider.py"), "serve"]
        self._provider = subprocess.Popen([str(part) for part in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=house.environment(**({"HOTPLATE_CLOUD": str(cloud)} if cloud else {})))
        socket = self._provider.stdout.readline().strip()
        if not socket:
            raise RuntimeError("the stand-in provider does not start")
        address = {"Network": "unix", "String": socket}
        there = {"Protocol": "grpc", "ProtocolVersion": 6, "Pid": self._provider.pid, "Test": True, "Addr": address}
        self._environment = house.environment(
            TF_REATTACH_PROVIDERS=json.dumps(dict.fromkeys((PROVIDER, *OTHER_PROVIDERS), there)),
            TF_CLI_CONFIG_FILE=str(house.ORACLES / "tofu.rc"),
            CHECKPOINT_DISABLE="1",
            TF_IN_AUTOMATION="1",
            TF_VAR_stack_name=STACK,
        )

    def environment(self):
        """What tofu needs to find the provider."""
        return dict(self._environment)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._provider.stdin.close()
        self._provider.wait()

    def run(self, folder, *arguments, **variables):
        """Runs a command of tofu in a folder, with values for variables."""
        given = {f"TF_VAR_{name}": value for name, value in variables.items()}
        return house.run([house.PROGRAMS["tofu"], arguments[0], "-no-color", *arguments[1:]], cwd=folder, env={**self._environment, **given})

    def _prepare(self, folder):
        if not (folder / "modules").exists():
            return ""
        done = self.run(folder, "get")
        return "" if done.returncode == 0 else done.stderr.decode("utf-8", "replace")

    def validate(self, folder):
        """What is wrong in a folder; nothing if it is valid."""
        wrong = self._prepare(folder)
        if wrong:
            return wrong
        done = self.run(folder, "validate")
        return "" if done.returncode == 0 else done.stderr.decode("utf-8", "replace")

    def plan(self, folder, **variables):
        """What tofu says it would do, with what is wrong at the end."""
        wrong = self._prepare(folder)
        if wrong:
            return wrong
        done = self.run(folder, "plan", "-input=false", **variables)
        return (done.stdout + done.stderr).decode("utf-8", "replace")

    def apply(self, folder, **variables):
        """The state after an apply as (its file, what is wrong)."""
        wrong = self._prepare(folder)
        if wrong:
            return {}, wrong
        done = self.run(folder, "apply", "-input=false", "-auto-approve", "-compact-warnings", **variables)
        if done.returncode != 0:
            return {}, done.stderr.decode("utf-8", "replace")
        path = folder / "terraform.tfstate"
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}, ""


class RealTofu(Tofu):
    """The same with the real provider of OpenStack, which acts on a cloud."""

    def __init__(self, address):
        super().__init__()
        # It ends with whoever started it, however that ends.
        command = ["sh", "-c", '"$0" -debug </dev/null & read -r _; kill $!', str(house.PROGRAMS["provider"].parent / "provider")]
        self._real = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=house.environment(**account(address)))
        there = next((json.loads(line.split("'")[1]) for line in self._real.stdout if "TF_REATTACH_PROVIDERS=" in line), None)
        if not there:
            raise RuntimeError("the provider of Terraform does not start")
        known = json.loads(self._environment["TF_REATTACH_PROVIDERS"])
        self._environment["TF_REATTACH_PROVIDERS"] = json.dumps({**known, PROVIDER: next(iter(there.values()))})

    def __exit__(self, *_):
        super().__exit__()
        self._real.stdin.close()
        self._real.wait()
        self._real.stdout.close()


def account(address):
    """The variables from which clients take the account of a cloud of `tools/cloud`."""
    fields = {"AUTH_URL": f"{address}/identity/v3", "USERNAME": "user", "PASSWORD": "secret", "PROJECT_NAME": "project", "USER_DOMAIN_ID": "default", "PROJECT_DOMAIN_ID": "default", "REGION_NAME": "RegionOne"}
    return {f"OS_{name}": value for name, value in fields.items()}


def outputs(state):
    """The values of the outputs in a state; one that is null is not in it."""
    return {name: output["value"] for name, output in state.get("outputs", {}).items()}


# A value or a default of a parameter that does not fit its type or its constraints.
_REFUSED = {"HP0603", "HP0604", "HP0605"}


def refuses_values(report):
    """Whether values were left out of a rendering, since Heat refuses them: no made-up one would do."""
    return any(finding["code"] in _REFUSED for finding in report["findings"])


# A value of each type, for a variable that nobody gives one.
_ANY = {"number": "1", "bool": "true", "list": "[]", "map": "{}", "any": '"adopted"'}


def asked(folder):
    """Values for the variables that nobody gives one: the name of the stack, what the target asks for itself."""
    path = folder / "variables.tf"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    values = {}
    for name, body in re.findall(r'^variable "([^"]+)" \{\n(.*?)^\}', text, re.MULTILINE | re.DOTALL):
        if re.search(r"^  default +=", body, re.MULTILINE):
            continue
        kind = re.search(r"^  type +=[ ]*(\w+)", body, re.MULTILINE)
        values[name] = IDENTITY.get(name) or _ANY.get(kind and kind[1], "adopted")
    given = "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.tfvars"))
    return {name: value for name, value in values.items() if not re.search(rf"^{re.escape(name)} *=", given, re.MULTILINE)}
