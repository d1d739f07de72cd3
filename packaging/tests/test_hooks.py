"""The mirror for pre-commit, installed by the real pre-commit with pip from a wheel of the program under test, without Rust."""

import base64
import hashlib
import os
import pathlib
import shutil
import sys
import sysconfig
import unittest
import zipfile

from common import PACKAGING, ROOT, Case, hotplate, release, run

PRE_COMMIT = os.environ.get("HOTPLATE_PRE_COMMIT") or shutil.which("pre-commit")


def write_wheel(folder):
    """A wheel with the program under test as maturin lays it out."""
    version = release.package()["version"]
    tag = f"py3-none-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
    info = f"hotplate-{version}.dist-info"
    files = {
        f"hotplate-{version}.data/scripts/hotplate": hotplate().read_bytes(),
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: hotplate\nVersion: {version}\n".encode(),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: false\nTag: {tag}\n".encode(),
    }
    record = "".join(
        f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}\n" for name, data in files.items()
    )
    with zipfile.ZipFile(folder / f"hotplate-{version}-{tag}.whl", "w") as zipped:
        for name, data in {**files, f"{info}/RECORD": (record + f"{info}/RECORD,,\n").encode()}.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = (0o100755 if "/scripts/" in name else 0o100644) << 16
            zipped.writestr(entry, data)


class Mirror(Case):
    """The generated repository."""

    def setUp(self):
        super().setUp()
        self.mirror = self.folder / "mirror"
        self.succeeds(PACKAGING / "release.py", "mirror", self.mirror)

    def test_it_has_the_same_hooks(self):
        own = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
        mirrored = (self.mirror / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
        self.assertEqual(own[own.index("- id: ") :], mirrored.replace("language: python", "language: rust"))
        self.assertEqual(mirrored.count("- id: "), mirrored.count("language: python\n"))
        version = release.package()["version"]
        self.assertIn(f'"hotplate=={version}"', (self.mirror / "pyproject.toml").read_text(encoding="utf-8"))
        self.assertIn(f"rev: v{version}\n", (self.mirror / "README.md").read_text(encoding="utf-8"))
        for file in self.mirror.iterdir():
            if file.name != "LICENSE":
                self.assertNotIn("@", file.read_text(encoding="utf-8"), file.name)

    @unittest.skipUnless(PRE_COMMIT, "there is no pre-commit (`HOTPLATE_PRE_COMMIT` may name it)")
    def test_pre_commit_installs_it_with_pip_and_runs_the_hooks(self):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
        environment |= {"GIT_CONFIG_GLOBAL": str(self.folder / "gitconfig"), "GIT_CONFIG_SYSTEM": "/dev/null"}
        (self.folder / "gitconfig").write_text("[user]\nname = a\nemail = a@example.org\n[init]\ndefaultBranch = main\n", encoding="utf-8")
        git = lambda folder, *words: self.succeeds("git", "-C", folder, *words, env=environment)
        git(self.mirror, "init", "--quiet")
        git(self.mirror, "add", "--all")
        git(self.mirror, "commit", "--quiet", "--message", "one")
        git(self.mirror, "tag", f"v{release.package()['version']}")

        # Wheels of this folder, and those of setuptools that virtualenv brings along: no index is asked.
        wheels = self.folder / "wheels"
        wheels.mkdir()
        write_wheel(wheels)
        python = pathlib.Path(PRE_COMMIT).resolve().parent / "python"
        embedded = run(python if python.exists() else sys.executable, "-c", "import virtualenv.seed.wheels.embed as it; print(it.__path__[0])")
        if embedded.returncode:
            self.skipTest("virtualenv has no wheels of setuptools")
        user = self.folder / "user"
        user.mkdir()
        git(user, "init", "--quiet")
        (user / ".pre-commit-config.yaml").write_text(
            f"repos:\n  - repo: {self.mirror}\n    rev: v{release.package()['version']}\n    hooks:\n"
            "      - id: hotplate-check\n      - id: hotplate-upgrade-check\n      - id: hotplate-diff\n",
            encoding="utf-8",
        )
        template = "heat_template_version: {}\nresources:\n  port: {{type: 'OS::Neutron::Port', properties: {{network: {}}}}}\n"
        (user / "stack.yaml").write_text(template.format("2021-04-16", "old"), encoding="utf-8")
        git(user, "add", "--all")
        git(user, "commit", "--quiet", "--message", "one")
        # Nothing may be compiled: this cargo writes down that it was called.
        tools = self.folder / "bin"
        tools.mkdir()
        (tools / "cargo").write_text(f"#!/bin/sh\necho called > {self.folder}/cargo-called\nexit 1\n", encoding="utf-8")
        (tools / "cargo").chmod(0o755)
        environment |= {
            "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
            "PRE_COMMIT_HOME": str(self.folder / "home"),
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": f"{wheels} {embedded.stdout.strip()}",
            "PIP_CONFIG_FILE": "/dev/null",
        }
        hook = lambda *words: run(PRE_COMMIT, "run", "--color", "never", "--verbose", *words, cwd=user, env=environment)
        done = hook("--all-files")
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        self.assertEqual(3, done.stdout.count("Passed"), done.stdout)
        self.assertFalse((self.folder / "cargo-called").exists())
        (user / "stack.yaml").write_text(template.format("2013-05-23", "new"), encoding="utf-8")
        (user / "broken.yaml").write_text("heat_template_version: 2021-04-16\nresources: {a: {type: OS::Neutron::Prt}}\n", encoding="utf-8")
        git(user, "add", "--all")
        for name, says in [("hotplate-diff", "replace"), ("hotplate-upgrade-check", "2013-05-23 -> "), ("hotplate-check", "OS::Neutron::Prt")]:
            done = hook(name)
            self.assertEqual(1, done.returncode, done.stdout + done.stderr)
            self.assertIn(says, done.stdout)
