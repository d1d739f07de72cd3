"""How action.yml gets hotplate: its own script, with a copy of the action's files, against releases of a local server."""

import contextlib
import functools
import http.server
import os
import pathlib
import re
import shutil
import tarfile
import threading

from common import PACKAGING, ROOT, Case, hotplate, needs, release, run

TARGET = "x86_64-unknown-linux-musl"
ARCHIVE = f"hotplate-{TARGET}.tar.gz"
ACTION = (ROOT / "action.yml").read_text(encoding="utf-8")


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves a folder; what is under `/broken` fails."""

    def do_GET(self):  # noqa: N802, pylint: disable=invalid-name
        """Answers a request."""
        if self.path.startswith("/broken/"):
            self.send_error(503)
        else:
            super().do_GET()

    def log_message(self, *_):  # pylint: disable=arguments-differ
        """Prints nothing."""


@contextlib.contextmanager
def served(folder):
    """A server for a folder, as an address."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@needs("bash", "curl", "tar", "sha256sum")
class Install(Case):
    """`packaging/install_for_action`, as a job runs it."""

    def setUp(self):
        super().setUp()
        self.version = release.package()["version"]
        self.action = self.folder / "action"
        self.action.mkdir()
        shutil.copy(ROOT / "Cargo.lock", self.action)
        shutil.copytree(PACKAGING, self.action / "packaging", ignore=shutil.ignore_patterns("__pycache__", "tests"))
        for name in ("crates", "docs", "src"):
            (self.action / name).mkdir()
        (self.action / "src/main.rs").write_text("fn main() {}\n", encoding="utf-8")
        self.temp = self.folder / "temp"
        self.temp.mkdir()
        self.files = self.folder / "www" / "owner/hotplate/releases/download" / f"v{self.version}"
        self.tools = self.folder / "tools"
        self.tools.mkdir()

    def home(self, repository):
        """Says in the action's Cargo.toml where its releases are."""
        text = (ROOT / "Cargo.toml").read_text(encoding="utf-8")
        changed = re.sub(r'(?m)^repository = ".*"$', f'repository = "{repository}"', text)
        self.assertNotEqual(text, changed)
        (self.action / "Cargo.toml").write_text(changed, encoding="utf-8")

    def publish(self):
        """A release of exactly this action, with the program under test."""
        self.files.mkdir(parents=True)
        with tarfile.open(self.files / ARCHIVE, "w:gz") as tarred:
            tarred.add(hotplate(), f"hotplate-{TARGET}/hotplate")
        digest = self.succeeds(self.action / "packaging/source_digest", self.action)
        (self.files / "SOURCE_DIGEST").write_text(digest, encoding="utf-8")
        self.sums()

    def sums(self):
        """Writes the checksums of what is published."""
        names = [it for it in self.files.iterdir() if it.name != "SHA256SUMS"]
        (self.files / "SHA256SUMS").write_text("".join(f"{release.digest(it)}  {it.name}\n" for it in names), encoding="utf-8")

    def install(self, **variables):
        """Runs the step; the result, and what it wrote for the next steps."""
        (self.folder / "output").write_text("", encoding="utf-8")
        # Programs of the system and those of the test, and no hotplate.
        path = [str(self.tools)] + [it for it in os.environ["PATH"].split(os.pathsep) if not (pathlib.Path(it) / "hotplate").exists()]
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("GITHUB_", "RUNNER_", "GH_")) and key != "HOTPLATE"}
        environment |= {
            "PATH": os.pathsep.join(path),
            "RUNNER_OS": "Linux",
            "RUNNER_ARCH": "X64",
            "RUNNER_TEMP": str(self.temp),
            "GITHUB_OUTPUT": str(self.folder / "output"),
            "GITHUB_SERVER_URL": "https://forge.example",
            "GITHUB_ACTION_PATH": str(self.action),
        } | variables
        # The repository under review has files of the same names: they must not count.
        review = self.folder / "review"
        review.mkdir(exist_ok=True)
        (review / "Cargo.toml").write_text('[workspace.package]\nversion = "6.6.6"\nrepository = "http://127.0.0.1:9/evil"\n', encoding="utf-8")
        (review / "hotplate").write_text("#!/bin/sh\necho evil\n", encoding="utf-8")
        (review / "hotplate").chmod(0o755)
        step = re.search(r"(?m)^      id: install\n(?:.*\n)*?      run: (.*)$", ACTION)[1]
        done = run("bash", "-e", "-o", "pipefail", "-c", step, env=environment, cwd=review)
        written = dict(line.split("=", 1) for line in (self.folder / "output").read_text(encoding="utf-8").splitlines())
        return done, written

    def assert_built(self, reason, **variables):
        """Asserts that the next steps build hotplate, and that the log says why."""
        done, written = self.install(**variables)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        self.assertIn(reason, done.stdout)
        digest = self.succeeds(self.action / "packaging/source_digest", self.action).strip()
        self.assertEqual({"build": "true", "source": digest}, written)
        return done

    def assert_refused(self, reason, **variables):
        """Asserts that the job fails, and that nothing is there to run or to build."""
        done, written = self.install(**variables)
        self.assertEqual(2, done.returncode, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"::error title=hotplate::.*" + reason)
        self.assertEqual({}, written)

    def test_the_program_of_the_release_is_downloaded_and_verified(self):
        with served(self.folder / "www") as address:
            self.home(f"{address}/owner/hotplate")
            self.publish()
            done, written = self.install()
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        self.assertIn("checksum verified", done.stdout)
        self.assertEqual(["program"], list(written))
        self.assertTrue(written["program"].startswith(str(self.temp)))
        self.assertEqual(f"hotplate {self.version}\n", self.succeeds(written["program"], "--version"))

    def test_a_hotplate_of_the_job_is_used(self):
        self.home("http://127.0.0.1:9/owner/hotplate")
        (self.tools / "hotplate").symlink_to(hotplate())
        done, written = self.install()
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual({"program": str(self.tools / "hotplate")}, written)

    def test_what_is_not_released_is_built(self):
        with served(self.folder / "www") as address:
            (self.folder / "www").mkdir()
            self.home(f"{address}/owner/hotplate")
            self.assert_built(f"version {self.version} has no release")
            self.publish()
            # A commit after the release has its version, but other code.
            (self.action / "src/main.rs").write_text("fn main() { loop {} }\n", encoding="utf-8")
            self.assert_built(f"this commit of the action is not release {self.version}")

    def test_another_platform_is_built(self):
        self.home("http://127.0.0.1:9/owner/hotplate")
        for system, cpu in [("Linux", "ARM"), ("Windows", "ARM64"), ("Linux", "X86")]:
            self.assert_built(f"releases have no program for {system}-{cpu}", RUNNER_OS=system, RUNNER_ARCH=cpu)

    def test_every_platform_downloads_its_own_archive(self):
        # The archives are not there: which one is asked for?
        with served(self.folder / "www") as address:
            self.home(f"{address}/owner/hotplate")
            self.publish()
            (self.files / ARCHIVE).unlink()
            for row in release.targets():
                if "action" in row:
                    system, cpu = row["action"].split("-")
                    self.assert_built(f"has no release with {release.archive_name(row)}", RUNNER_OS=system, RUNNER_ARCH=cpu)

    def test_without_a_network_it_is_built_with_a_warning(self):
        self.home("http://127.0.0.1:9/owner/hotplate")
        done = self.assert_built("no download")
        self.assertIn("::warning title=hotplate::SHA256SUMS of release", done.stdout)
        with served(self.folder) as address:
            self.home(f"{address}/broken/hotplate")
            self.assertIn("(status 503)", self.assert_built("no download").stdout)

    def test_a_changed_file_is_refused_and_nothing_is_built(self):
        with served(self.folder / "www") as address:
            self.home(f"{address}/owner/hotplate")
            self.publish()
            with open(self.files / ARCHIVE, "ab") as file:
                file.write(b"changed")
            self.assert_refused(f"{ARCHIVE} of release {self.version} has the checksum")
            self.sums()
            (self.files / "SOURCE_DIGEST").write_text("0" * 64 + "\n", encoding="utf-8")
            self.assert_refused("SOURCE_DIGEST of release")
            text = (self.files / "SHA256SUMS").read_text(encoding="utf-8")
            (self.files / "SHA256SUMS").write_text("\n".join(line for line in text.splitlines() if "SOURCE" not in line), encoding="utf-8")
            self.assert_refused("does not list SOURCE_DIGEST")

    def test_a_program_of_another_version_is_refused(self):
        with served(self.folder / "www") as address:
            self.home(f"{address}/owner/hotplate")
            self.publish()
            other = self.folder / "other"
            other.write_text("#!/bin/sh\necho hotplate 99.0.0\n", encoding="utf-8")
            other.chmod(0o755)
            with tarfile.open(self.files / ARCHIVE, "w:gz") as tarred:
                tarred.add(other, f"hotplate-{TARGET}/hotplate")
            self.sums()
            self.assert_refused("says that it is 'hotplate 99.0.0'")

    def gh(self, status):
        """A gh that writes down what it is asked to verify."""
        (self.tools / "gh").write_text(f'#!/bin/sh\necho "$GH_TOKEN $*" >> {self.folder}/asked\nexit {status}\n', encoding="utf-8")
        (self.tools / "gh").chmod(0o755)

    def test_on_github_the_attestation_is_verified_too(self):
        with served(self.folder / "www") as address:
            home = f"{address}/owner/hotplate"
            self.home(home)
            self.publish()
            github = {"GITHUB_SERVER_URL": "https://github.com", "GH_TOKEN": "token"}
            self.gh(0)
            done, written = self.install(**github)
            self.assertIn("program", written, done.stdout + done.stderr)
            asked = (self.folder / "asked").read_text(encoding="utf-8")
            self.assertEqual(
                f"token attestation verify {self.temp}/hotplate-release/{ARCHIVE} --repo {home} "
                f"--signer-workflow {home}/.github/workflows/release.yml --source-ref refs/tags/v{self.version} --deny-self-hosted-runners\n",
                asked,
            )
            self.gh(1)
            self.assert_refused("has no valid attestation", **github)
            # It needs a token, and github.com.
            for variables in [{**github, "GH_TOKEN": ""}, {**github, "GITHUB_SERVER_URL": "https://forge.example"}]:
                done, written = self.install(**variables)
                self.assertIn("Not verified: the attestation", done.stdout)
                self.assertIn("program", written)


class Steps(Case):
    """The steps around the script."""

    def test_the_build_and_the_comparison_agree_on_the_place(self):
        self.assertIn('--root "$RUNNER_TEMP/hotplate-build"', ACTION)
        self.assertIn("format('{0}/hotplate-build/bin/hotplate', runner.temp)", ACTION)
        self.assertIn("path: ${{ runner.temp }}/hotplate-build\n", ACTION)
        self.assertIn('cd "$GITHUB_ACTION_PATH"\n        cargo install --locked', ACTION)

    def test_a_cache_is_used_only_on_request(self):
        self.assertRegex(ACTION, r'  cache-build:\n    description: .*\n    default: "false"\n')
        self.assertIn("if: steps.install.outputs.build == 'true' && inputs.cache-build == 'true'", ACTION)
