"""The container image: built by buildah from archives, and run by podman where it can run containers."""

import json
import os
import shutil
import tarfile
import unittest

from common import PACKAGING, ROOT, Case, hotplate, needs, release, run

# A sandbox may forbid higher limits and networks, which the image does not need.
PODMAN_RUN = "--network=none --ulimit nofile=1024:1024 --ulimit nproc=1024:1024"
IMAGE = "localhost/hotplate-test"


def is_static(program):
    """Whether a program needs no loader of the host."""
    return b"ld-linux" not in program.read_bytes()


@needs("buildah")
class Image(Case):
    """The image of the program under test."""

    def setUp(self):
        super().setUp()
        # Images of the machine stay as they are.
        storage = f"--root {self.folder}/storage --runroot {self.folder}/running --storage-driver vfs"
        # crun refuses what some sandboxes have, both versions of control groups.
        runtime = "--runtime runc" if shutil.which("runc") else ""
        self.tools = {"BUILDAH": f"buildah {storage}", "PODMAN": f"podman {storage} --cgroup-manager cgroupfs {runtime}"}
        self.environment = {**os.environ, **self.tools}
        self.version = release.package()["version"]

    def buildah(self, *words):
        return self.succeeds(*self.tools["BUILDAH"].split(), *words)

    def build(self):
        """Builds the manifest; for the other platform, the program is only a file."""
        archives = self.folder / "archives"
        archives.mkdir()
        for row in release.targets():
            if "container" in row:
                with tarfile.open(archives / release.archive_name(row), "w:gz", compresslevel=1) as tarred:
                    for name, file in {"hotplate": hotplate(), "LICENSE": ROOT / "LICENSE", "NOTICE": ROOT / "NOTICE"}.items():
                        tarred.add(file, f"hotplate-{row['target']}/{name}")
        return self.succeeds(PACKAGING / "container", archives, IMAGE, env=self.environment)

    def test_the_manifest_has_an_image_for_each_platform_with_labels(self):
        printed = self.build()
        platforms = [row["container"] for row in release.targets() if "container" in row]
        self.assertEqual([f"{IMAGE}:{self.version} for {it}" for it in platforms], printed.splitlines())
        manifest = json.loads(self.buildah("manifest", "inspect", f"{IMAGE}:{self.version}"))
        found = {f"{it['platform']['os']}/{it['platform']['architecture']}" for it in manifest["manifests"]}
        self.assertEqual(set(platforms), found)
        # The image itself, from a copy without a registry.
        self.buildah("manifest", "push", "--all", f"{IMAGE}:{self.version}", f"dir:{self.folder}/copied")
        copied = self.folder / "copied"
        configs = []
        for row in manifest["manifests"]:
            inner = json.loads((copied / f"{row['digest'].removeprefix('sha256:')}.manifest.json").read_text(encoding="utf-8"))
            configs.append(json.loads((copied / inner["config"]["digest"].removeprefix("sha256:")).read_text(encoding="utf-8")))
        self.assertEqual({"amd64", "arm64"}, {it["architecture"] for it in configs})
        about = release.package()
        for config in (it["config"] for it in configs):
            self.assertEqual(("65532:65532", "/work", ["/usr/local/bin/hotplate"], ["--help"]), (config["User"], config["WorkingDir"], config["Entrypoint"], config["Cmd"]))
            labels = {key.removeprefix("org.opencontainers.image."): value for key, value in config["Labels"].items()}
            self.assertEqual((about["version"], about["license"], about["repository"]), (labels["version"], labels["licenses"], labels["source"]))
            self.assertEqual(self.succeeds("git", "-C", ROOT, "rev-parse", "HEAD").strip(), labels["revision"])
            self.assertTrue(labels["description"])

    @needs("podman")
    def test_it_runs_with_a_mounted_folder_and_standard_input(self):
        self.build()
        options = PODMAN_RUN
        if not is_static(hotplate()):
            # A program that is not for the release finds its libraries in the host.
            options += "".join(f" --volume {it}:{it}:ro" for it in ("/lib", "/lib64", "/usr/lib") if os.path.isdir(it))
        probe = run(*self.tools["PODMAN"].split(), "run", "--rm", *options.split(), f"{IMAGE}:{self.version}", "--version")
        if probe.returncode:
            raise unittest.SkipTest(f"podman cannot run a container here: {probe.stderr.strip().splitlines()[-1]}")
        printed = self.succeeds(PACKAGING / "tests/run_image", IMAGE, env={**self.environment, "PODMAN_RUN": options})
        self.assertEqual(9, printed.count("ok: "), printed)

    def test_a_missing_archive_is_said(self):
        self.fails("hotplate-x86_64-unknown-linux-musl.tar.gz is missing", PACKAGING / "container", self.folder, IMAGE, env=self.environment)
