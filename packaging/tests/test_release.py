"""The steps of a release, run on the program under test; and the facts that several files must agree on."""

import collections
import json
import os
import pathlib
import re
import shutil
import tarfile
import tomllib
import zipfile

from common import PACKAGING, ROOT, Case, hotplate, needs, release, run

STEP = PACKAGING / "release.py"
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
MANIFEST = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))


class Facts(Case):
    """Facts with one home, and what repeats them."""

    def test_the_platforms_are_those_that_are_promised(self):
        expected = {
            f"{cpu}-{system}"
            for cpu in ("x86_64", "aarch64")
            for system in ("unknown-linux-musl", "unknown-linux-gnu", "apple-darwin")
        } | {"x86_64-pc-windows-msvc"}
        rows = release.targets()
        self.assertEqual(expected, {row["target"] for row in rows})
        for column in ("target", "action", "homebrew", "container"):
            values = [row[column] for row in rows if column in row]
            self.assertEqual(len(values), len(set(values)), column)
        for row in rows:
            # The image has no libc.
            self.assertEqual("container" in row, row["target"].endswith("-musl"), row)

    def test_binstall_finds_the_archives(self):
        binstall = MANIFEST["package"]["metadata"]["binstall"]
        about = release.package()
        for row in release.targets():
            chosen = binstall | binstall["overrides"].get(row["target"], {})
            values = {
                "repo": about["repository"],
                "version": about["version"],
                "name": MANIFEST["package"]["name"],
                "target": row["target"],
                "bin": "hotplate",
                "binary-ext": ".exe" if "windows" in row["target"] else "",
            }
            fill = lambda text, values=values: re.sub(r"\{ ([a-z-]+) \}", lambda found: values[found[1]], text)
            name = release.archive_name(row)
            self.assertEqual(release.download(about["version"], name), fill(chosen["pkg-url"]))
            self.assertEqual({"tar.gz": "tgz", "zip": "zip"}[row["archive"]], chosen["pkg-fmt"])
            self.assertEqual(f"hotplate-{row['target']}/{release.binary_name(row['target'])}", fill(chosen["bin-dir"]))
        unknown = set(binstall["overrides"]) - {row["target"] for row in release.targets()}
        self.assertFalse(unknown)

    def test_pages_name_archives_that_exist(self):
        known = {release.archive_name(row) for row in release.targets()}
        named = set()
        for page in release.shown_in(ROOT):
            named |= set(re.findall(r"hotplate-[a-z0-9_]+-[a-z0-9-]+\.(?:tar\.gz|zip)", page.read_text(encoding="utf-8")))
        self.assertTrue(named)
        self.assertFalse(named - known)

    def test_every_shown_version_is_the_one_of_the_package(self):
        version = release.package()["version"]
        shown = collections.Counter()
        for page in release.shown_in(ROOT):
            for _, found in release.SHOWN_VERSION.findall(page.read_text(encoding="utf-8")):
                self.assertEqual(version, found, page)
                shown[page.name] += 1
        self.assertGreaterEqual(shown["ci.md"], 2)

    def test_the_crates_have_the_version_of_the_package(self):
        version = release.package()["version"]
        # What only tests use is not published, and has no version.
        own = {name: it["version"] for name, it in MANIFEST["workspace"]["dependencies"].items() if "path" in it and name != "deployment-testing"}
        self.assertGreater(len(own), 5)
        self.assertEqual({version}, set(own.values()))
        for manifest in ROOT.glob("crates/*/Cargo.toml"):
            about = tomllib.loads(manifest.read_text(encoding="utf-8"))["package"]
            self.assertEqual({"workspace": True}, about["version"], manifest)
            self.assertEqual({"workspace": True}, about["repository"], manifest)

    def test_nothing_else_is_the_home_of_the_project(self):
        home = release.package()["repository"].removeprefix("https://github.com/")
        self.assertRegex(home, r"^[A-Za-z0-9-]+/hotplate$")
        count = 0
        for page in release.shown_in(ROOT):
            for found in re.findall(r"(?:github\.com/|ghcr\.io/|uses: )([A-Za-z0-9-]+/hotplate)\b", page.read_text(encoding="utf-8")):
                self.assertEqual(home, found, page)
                count += 1
        self.assertGreater(count, 5)


class Changelog(Case):
    """What stands in CHANGELOG.md."""

    def test_no_entry_stands_twice(self):
        counted = collections.Counter(entry for section in release.changelog(CHANGELOG).values() for entry in release.entries(section))
        self.assertGreater(len(counted), 100)
        self.assertEqual([], [entry for entry, count in counted.items() if count > 1])

    def test_a_release_has_each_kind_of_change_once(self):
        for name, section in release.changelog(CHANGELOG).items():
            kinds = re.findall(r"(?m)^### (.*)$", section)
            self.assertEqual(len(kinds), len(set(kinds)), name)
            self.assertFalse(set(kinds) - {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}, name)

    def test_the_notes_are_the_section(self):
        text = (
            "# Changelog\n\n## [Unreleased]\n\n- new\n\n## [1.2.3] - 2026-01-02\n\nText of\ntwo lines.\n\n### Added\n\n"
            "- a\n  [b](docs/b.md#c) and [d](https://example.org)\n- e\n\n#### Rest\n\n- f\n\n## [1.2.2]\n\n- old\n"
        )
        expected = (
            "Text of two lines.\n\n### Added\n\n"
            "- a [b](https://forge/x/blob/v1.2.3/docs/b.md#c) and [d](https://example.org)\n- e\n\n#### Rest\n\n- f\n"
        )
        self.assertEqual(expected, release.release_notes("1.2.3", text, "https://forge/x"))
        with self.assertRaisesRegex(release.Refused, r"no section `## \[9.9.9\]`"):
            release.release_notes("9.9.9", text)
        version = list(release.changelog(CHANGELOG))[-1]
        printed = self.succeeds(STEP, "notes", version)
        self.assertEqual(release.entries(release.changelog(CHANGELOG)[version]), release.entries(printed))


class Tags(Case):
    """Which tag may be a release, and how a version is given."""

    def copy(self):
        """The files of the repository that have a version."""
        for name in ["Cargo.toml", "Cargo.lock", "fuzz/Cargo.lock", "CHANGELOG.md", "README.md", "SECURITY.md"]:
            (self.folder / name).parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / name, self.folder / name)
        shutil.copytree(ROOT / "docs", self.folder / "docs")
        text = (self.folder / "CHANGELOG.md").read_text(encoding="utf-8")
        text = re.sub(r"(?s)## \[Unreleased\].*?(?=\n## \[)", "## [Unreleased]\n\n### Added\n\n- Something new.\n", text)
        (self.folder / "CHANGELOG.md").write_text(text, encoding="utf-8")
        return release.package()["version"], release.package()["repository"]

    def test_a_prepared_version_is_whole_and_its_tag_is_taken(self):
        old, repository = self.copy()
        with self.assertRaisesRegex(release.Refused, "1 entries under"):
            release.check(f"v{old}", repository, self.folder)
        changed = release.prepare("7.8.9", self.folder, "2026-01-02")
        self.assertLessEqual({"CHANGELOG.md", "Cargo.lock", "Cargo.toml", "docs/ci.md", "fuzz/Cargo.lock"}, set(changed))
        self.assertEqual("7.8.9", release.check("v7.8.9", repository, self.folder))
        for tag, address, says in [("v7.8.8", repository, "the tag must be v7.8.9"), ("v7.8.9", "https://github.com/x/y", "this is https://github.com/x/y")]:
            with self.assertRaisesRegex(release.Refused, says):
                release.check(tag, address, self.folder)
        text = (self.folder / "CHANGELOG.md").read_text(encoding="utf-8")
        self.assertIn("## [Unreleased]\n\n## [7.8.9] - 2026-01-02\n\n### Added\n\n- Something new.\n", text)
        # Only the version has changed, of the own packages and of no other.
        for name in ("Cargo.toml", "Cargo.lock", "fuzz/Cargo.lock"):
            before, after = ((folder / name).read_text(encoding="utf-8") for folder in (ROOT, self.folder))
            self.assertNotEqual(before, after, name)
            lines = [(one, two) for one, two in zip(before.splitlines(), after.splitlines(), strict=True) if one != two]
            self.assertEqual({(one, one.replace(old, "7.8.9")) for one, _ in lines}, set(lines), name)
        own = len(list(ROOT.glob("crates/*/Cargo.toml"))) + 2
        lock = (self.folder / "Cargo.lock").read_text(encoding="utf-8")
        self.assertEqual(own, lock.count('version = "7.8.9"'))
        for page in release.shown_in(self.folder):
            self.assertFalse([it for _, it in release.SHOWN_VERSION.findall(page.read_text(encoding="utf-8")) if it != "7.8.9"], page)

    def test_what_cannot_be_a_version_is_refused(self):
        self.copy()
        for version, says in [("1.2", "not a version"), ("0.0.1", "older than"), ("v1.2.3", "not a version")]:
            with self.assertRaisesRegex(release.Refused, says):
                release.prepare(version, self.folder)
        release.prepare("7.8.9", self.folder)
        with self.assertRaisesRegex(release.Refused, "nothing to release"):
            release.prepare("7.9.0", self.folder)

    def test_a_wrong_tag_ends_the_command(self):
        self.fails("the tag is v99.0.0", STEP, "check", "--tag", "v99.0.0", "--repository", release.package()["repository"])


class Archives(Case):
    """Archives of the program under test."""

    def pack(self, target, out="out", moment="1700000000"):
        environment = {**os.environ, "SOURCE_DATE_EPOCH": moment}
        printed = self.succeeds(STEP, "archive", "--target", target, "--binary", hotplate(), "--out", self.folder / out, env=environment)
        return pathlib.Path(printed.strip())

    def test_an_archive_has_all_that_is_installed(self):
        target = "x86_64-unknown-linux-musl"
        path = self.pack(target)
        self.assertEqual(f"hotplate-{target}.tar.gz", path.name)
        with tarfile.open(path) as tarred:
            modes = {member.name: member.mode for member in tarred}
            self.assertEqual({0}, {member.uid for member in tarred})
            tarred.extractall(self.folder, filter="data")
        names = {name.removeprefix(f"hotplate-{target}/") for name in modes}
        completions = {f"completions/{name}" for name in release.COMPLETIONS.values()}
        self.assertLessEqual({"hotplate", "LICENSE", "NOTICE", "README.md", "man/hotplate.1"} | completions, names)
        self.assertEqual(0o755, modes[f"hotplate-{target}/hotplate"])
        unpacked = self.folder / f"hotplate-{target}"
        self.assertEqual(f"hotplate {release.package()['version']}\n", self.succeeds(unpacked / "hotplate", "--version"))
        for name in completions:
            self.assertIn("hotplate", (unpacked / name).read_text(encoding="utf-8"), name)
        self.assertIn(".TH", (unpacked / "man/hotplate.1").read_text(encoding="utf-8"))
        # bash takes its completions.
        self.succeeds("bash", "-c", f"source {unpacked}/completions/hotplate.bash && complete -p hotplate")

    def test_the_archive_for_windows_is_a_zip_with_the_same(self):
        target = "x86_64-pc-windows-msvc"
        with zipfile.ZipFile(self.pack(target)) as zipped, tarfile.open(self.pack("x86_64-unknown-linux-gnu")) as tarred:
            zipped_names = {name.removeprefix(f"hotplate-{target}/") for name in zipped.namelist()}
            tarred_names = {name.removeprefix("hotplate-x86_64-unknown-linux-gnu/") for name in tarred.getnames()}
        self.assertEqual(tarred_names - {"hotplate"} | {"hotplate.exe"}, zipped_names)

    def test_the_same_program_gives_the_same_bytes(self):
        for target in ("aarch64-apple-darwin", "x86_64-pc-windows-msvc"):
            one, two = self.pack(target, "one"), self.pack(target, "two")
            self.assertEqual(one.read_bytes(), two.read_bytes(), target)
            other = self.pack(target, "three", "1600000000")
            self.assertNotEqual(one.read_bytes(), other.read_bytes(), target)

    def test_another_version_and_another_platform_are_refused(self):
        other = self.folder / "hotplate"
        other.write_text("#!/bin/sh\necho hotplate 99.0.0\n", encoding="utf-8")
        other.chmod(0o755)
        self.fails("is `hotplate 99.0.0`", STEP, "archive", "--target", "x86_64-unknown-linux-gnu", "--binary", other, "--out", self.folder)
        self.fails("is not in packaging/targets.txt", STEP, "archive", "--target", "vax", "--binary", other, "--out", self.folder)

    @staticmethod
    def write_sbom(folder, names, version=release.package()["version"]):
        """A bill of materials with these crates."""
        component = {"name": "hotplate", "version": version}
        bill = {"bomFormat": "CycloneDX", "metadata": {"component": component}, "components": [{"name": name} for name in names]}
        (folder / "hotplate.cdx.json").write_text(json.dumps(bill), encoding="utf-8")

    def test_a_bill_of_materials_of_something_else_is_refused(self):
        folder = self.assemble()
        names = sorted(MANIFEST["dependencies"])
        self.write_sbom(folder, names[1:])
        self.fails(f"lacks {names[0]}", STEP, "assemble", folder)
        self.write_sbom(folder, names, "99.0.0")
        self.fails("is not the bill of materials", STEP, "assemble", folder)

    def assemble(self):
        """A release with a real archive for one platform, and a file of another content for each other one."""
        folder = self.pack("aarch64-apple-darwin", "release").parent
        for row in release.targets():
            path = folder / release.archive_name(row)
            if not path.exists():
                path.write_text(f"for {row['target']}", encoding="utf-8")
        self.write_sbom(folder, MANIFEST["dependencies"])
        printed = self.succeeds(STEP, "assemble", folder)
        self.assertEqual(sorted(it.name for it in folder.iterdir()), sorted(printed.split()))
        return folder

    def test_checksums_are_read_by_sha256sum_and_cover_every_file(self):
        folder = self.assemble()
        checked = self.succeeds("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=folder)
        names = {line.removesuffix(": OK") for line in checked.splitlines()}
        self.assertEqual({it.name for it in folder.iterdir()} - {"SHA256SUMS"}, names)
        self.assertEqual(self.succeeds(PACKAGING / "source_digest"), (folder / "SOURCE_DIGEST").read_text(encoding="utf-8"))
        # Again, it is the same.
        before = (folder / "SHA256SUMS").read_text(encoding="utf-8")
        self.succeeds(STEP, "assemble", folder)
        self.assertEqual(before, (folder / "SHA256SUMS").read_text(encoding="utf-8"))
        (folder / "hotplate-aarch64-apple-darwin.tar.gz").unlink()
        self.fails("has no hotplate-aarch64-apple-darwin.tar.gz", STEP, "assemble", folder)

    def test_the_formula_has_the_archives_with_their_checksums(self):
        folder = self.assemble()
        sums = release.read_checksums((folder / "SHA256SUMS").read_text(encoding="utf-8"))
        text = (folder / "hotplate.rb").read_text(encoding="utf-8")
        pairs = re.findall(r'url "([^"]+)"\n\s+sha256 "([0-9a-f]{64})"', text)
        expected = {
            (release.download(release.package()["version"], release.archive_name(row)), sums[release.archive_name(row)])
            for row in release.targets()
            if "homebrew" in row
        }
        self.assertEqual(4, len(expected))
        self.assertEqual(expected, set(pairs))
        self.assertNotIn("@", re.sub(r"on_\w+", "", text))

    @needs("ruby")
    def test_the_formula_is_ruby_and_installs_what_the_archive_has(self):
        folder = self.assemble()
        self.succeeds("ruby", "-c", folder / "hotplate.rb")
        with tarfile.open(folder / "hotplate-aarch64-apple-darwin.tar.gz") as tarred:
            tarred.extractall(self.folder, filter="data")
        unpacked = self.folder / "hotplate-aarch64-apple-darwin"
        printed = self.succeeds("ruby", PACKAGING / "tests" / "formula.rb", folder / "hotplate.rb", "macos", "arm", cwd=unpacked)
        found = json.loads(printed)
        self.assertIn("hotplate-aarch64-apple-darwin.tar.gz", found["url"])
        installed = found["installed"]
        self.assertEqual(["hotplate"], installed["bin"])
        self.assertIn("man/hotplate.1", installed["man1"])
        names = [name for where, names in installed.items() if where.endswith("_completion") for name in names]
        self.assertEqual({f"completions/{name}" for name in release.COMPLETIONS.values()}, set(names))
        for name in [name for names in installed.values() for name in names]:
            self.assertTrue((unpacked / name).is_file(), name)

    def test_every_platform_has_a_wheel_that_old_systems_take(self):
        for row in release.targets():
            command = release.wheel_command(row["target"], "dist")
            self.assertIn("--locked", command)
            self.assertEqual("-linux-gnu" in row["target"], "--zig" in command, row)
            expected = {"musl": "musllinux_1_2", "gnu": "manylinux_2_17"}.get(row["target"].split("-")[-1], "pypi")
            self.assertEqual(expected, command[command.index("--compatibility") + 1], row)

    def test_a_wheel_without_the_program_is_refused(self):
        self.fails("has no wheel", STEP, "wheels", self.folder)
        with zipfile.ZipFile(self.folder / "hotplate-1-py3-none-any.whl", "w") as zipped:
            zipped.writestr("hotplate/__init__.py", "")
        self.fails("has 0 programs", STEP, "wheels", self.folder)
        (self.folder / "hotplate-1-py3-none-any.whl").unlink()
        with zipfile.ZipFile(self.folder / "hotplate-2-py3-none-any.whl", "w") as zipped:
            zipped.write(hotplate(), "hotplate-2.data/scripts/hotplate")
        self.assertEqual("hotplate-2-py3-none-any.whl\n", self.succeeds(STEP, "wheels", self.folder))


class Digest(Case):
    """The digest of the source."""

    def test_it_is_the_digest_of_what_is_built(self):
        copied = self.folder / "source"
        copied.mkdir()
        for name in ("Cargo.lock", "Cargo.toml"):
            shutil.copy(ROOT / name, copied / name)
        for name in ("crates", "docs", "src"):
            shutil.copytree(ROOT / name, copied / name)
        digest = self.succeeds(PACKAGING / "source_digest", copied)
        self.assertEqual(self.succeeds(PACKAGING / "source_digest"), digest)
        (copied / "README.md").write_text("other", encoding="utf-8")
        self.assertEqual(digest, self.succeeds(PACKAGING / "source_digest", copied))
        (copied / "src/main.rs").write_text("fn main() {}\n", encoding="utf-8")
        changed = self.succeeds(PACKAGING / "source_digest", copied)
        self.assertNotEqual(digest, changed)
        (copied / "src/main.rs").rename(copied / "src/other.rs")
        self.assertNotIn(self.succeeds(PACKAGING / "source_digest", copied), [digest, changed])

    def test_it_covers_every_file_that_the_source_includes(self):
        covered = re.search(r"(?m)^find (.*) -type f", (PACKAGING / "source_digest").read_text(encoding="utf-8"))[1].split()
        count = 0
        for source in [*ROOT.glob("src/**/*.rs"), *ROOT.glob("crates/*/src/**/*.rs")]:
            text = source.read_text(encoding="utf-8")
            for name in re.findall(r'include_(?:str|bytes)!\(\s*"([^"]+)"', text):
                path = (source.parent / name).resolve().relative_to(ROOT)
                self.assertIn(path.parts[0], covered, f"{source}: {name}")
                count += 1
        self.assertGreater(count, 20)


class Neighbors(Case):
    """The repositories of Homebrew and pre-commit."""

    def setUp(self):
        super().setUp()
        self.remote = self.folder / "remote.git"
        self.succeeds("git", "init", "--quiet", "--bare", "--initial-branch", "main", self.remote)
        self.files = self.folder / "files"
        (self.files / "Formula").mkdir(parents=True)
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_") and key != "DEPLOY_KEY"}
        self.environment |= {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}

    def push(self, *arguments):
        return self.succeeds(PACKAGING / "push_to", self.remote, self.files, *arguments, env=self.environment)

    def remote_git(self, *arguments):
        return self.succeeds("git", "-C", self.remote, *arguments)

    def test_each_release_is_a_commit_with_a_tag_and_nothing_else_remains(self):
        (self.files / "Formula/a.rb").write_text("one\n", encoding="utf-8")
        self.push("hotplate 1", "v1")
        (self.files / "Formula/a.rb").rename(self.files / "Formula/b.rb")
        self.push("hotplate 2", "v2")
        self.assertEqual("Formula/b.rb\n", self.remote_git("ls-tree", "-r", "--name-only", "main"))
        self.assertEqual("Formula/a.rb\n", self.remote_git("ls-tree", "-r", "--name-only", "v1"))
        self.assertEqual("hotplate 2\nhotplate 1\n", self.remote_git("log", "--format=%s", "main"))
        # A job that runs again pushes nothing.
        self.assertIn("has v2 already", self.push("hotplate 2", "v2"))
        self.assertIn("is up to date", self.push("hotplate 2"))
        self.assertEqual("2\n", self.remote_git("rev-list", "--count", "main"))

    def test_a_missing_key_or_repository_is_said(self):
        push = [PACKAGING / "push_to", self.folder / "none.git", self.files, "message"]
        self.fails("cannot be read: packaging/README.md", *push, env=self.environment)
        self.fails("DEPLOY_KEY is empty", *push, env={**self.environment, "DEPLOY_KEY": ""})


class Workflow(Case):
    """What the workflow relies on."""

    TEXT = (ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8")

    def test_the_platforms_are_a_matrix(self):
        rows = json.loads(self.succeeds(STEP, "matrix"))["include"]
        self.assertEqual(release.targets(), rows)
        self.assertEqual(rows, json.loads(self.succeeds(STEP, "matrix", "--with", "wheel"))["include"])
        self.assertEqual(2, len(json.loads(self.succeeds(STEP, "matrix", "--with", "container"))["include"]))

    def test_every_command_of_it_exists(self):
        files = set(re.findall(r"\bpackaging/[a-z_/]+(?:\.[a-z]+)?", self.TEXT))
        self.assertGreater(len(files), 4)
        for file in files:
            self.assertTrue(os.access(ROOT / file, os.R_OK if file.endswith(".txt") else os.X_OK), file)
        for step in set(re.findall(r"release\.py ([a-z]+)", self.TEXT)):
            self.assertIn("usage:", self.succeeds(STEP, step, "--help"))

    def test_it_builds_with_the_toolchain_of_the_package(self):
        self.assertIn(f'RUST: "{release.package()["rust-version"]}"', self.TEXT)

    def test_no_part_is_published_before_all_is_built_and_checked(self):
        needs_of = dict(re.findall(r"(?m)^  ([a-z-]+):\n    name: .*\n(?:    if: .*\n)?    needs: \[?([a-z, -]+)\]?$", self.TEXT))
        before = lambda job: {one for it in needs_of.get(job, "").split(", ") if it for one in {it} | before(it)}
        built = {"verify", "checks", "archives", "sbom", "wheels", "sdist", "files", "image"}
        for job in ("draft", "pypi", "container", "publish", "homebrew", "pre-commit"):
            self.assertLessEqual(built, before(job), job)
        self.assertLessEqual({"pypi", "container"}, before("publish"))
        # Started by hand, nothing is published: every job that publishes comes after `draft`, which needs a pushed tag.
        self.assertIn("  draft:\n    name: Draft of the release\n    if: github.event_name == 'push'\n", self.TEXT)
