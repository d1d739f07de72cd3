"""The real OpenTofu with the stand-in OpenStack provider, on folders that hotplate has written."""

import json
import os
import pathlib
import shutil

import house

ORACLES = pathlib.Path(os.environ.get("HOTPLATE_ORACLES", house.ROOT.parent / ".oracles")).resolve()
TOFU = ORACLES / "bin" / "tofu"

_PROVIDER = """terraform {
  required_providers {
    openstack = { source = "terraform-provider-openstack/openstack", version = "~> 3.4" }
  }
}
"""


class Tofu:
    """Runs tofu in folders; the provider is installed once and shared."""

    def __init__(self):
        self._environment = house.environment(TF_CLI_CONFIG_FILE=str(ORACLES / "tofu.rc"), CHECKPOINT_DISABLE="1", TF_IN_AUTOMATION="1", TF_VAR_stack_name="STACK_NAME")
        self._base = house.scratch("tofu")
        (self._base / "providers.tf").write_text(_PROVIDER, encoding="utf-8")
        done = self.run(self._base, "init", "-input=false")
        if done.returncode != 0:
            raise RuntimeError(f"tofu init: {done.stderr.decode()[:500]}")

    def run(self, folder, *arguments):
        """Runs a command of tofu in a folder."""
        return house.run([TOFU, arguments[0], "-no-color", *arguments[1:]], cwd=folder, env=self._environment)

    def _prepare(self, folder):
        state = folder / ".terraform"
        state.mkdir(exist_ok=True)
        link = state / "providers"
        if not link.exists():
            link.symlink_to(self._base / ".terraform" / "providers")
        shutil.copy(self._base / ".terraform.lock.hcl", folder)
        if (folder / "modules").exists():
            done = self.run(folder, "get")
            if done.returncode != 0:
                return done.stderr.decode()
        return ""

    def validate(self, folder):
        """What is wrong in a folder; nothing if it is valid."""
        wrong = self._prepare(folder)
        if wrong:
            return wrong
        done = self.run(folder, "validate")
        return "" if done.returncode == 0 else done.stderr.decode()

    def apply(self, folder, *arguments):
        """The outputs after an apply as (values, what is wrong)."""
        wrong = self._prepare(folder)
        if wrong:
            return {}, wrong
        done = self.run(folder, "apply", "-input=false", "-auto-approve", "-compact-warnings", *arguments)
        if done.returncode != 0:
            return {}, done.stderr.decode()
        told = json.loads(self.run(folder, "output", "-json").stdout)
        return {name: output["value"] for name, output in told.items()}, ""

    def state(self, folder):
        """The state of a folder as `tofu show -json` tells it."""
        return json.loads(self.run(folder, "show", "-json").stdout)
