#!/usr/bin/env python3
"""The steps of a release that are more than one command: `packaging/release.py STEP --help`.

The version, the license and the repository are those of `[workspace.package]` in Cargo.toml, and the platforms those of
packaging/targets.txt; nothing here repeats them. Needs Python 3.11 or later and no package.
"""

import argparse
import datetime
import gzip
import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile

PACKAGING = pathlib.Path(__file__).resolve().parent
ROOT = PACKAGING.parent
NAME = "hotplate"
COLUMNS = ("target", "runner", "archive", "action", "homebrew", "container", "wheel")
# The shells of `hotplate completions SHELL`, with the names under which they look for a file.
COMPLETIONS = {"bash": "hotplate.bash", "zsh": "_hotplate", "fish": "hotplate.fish", "powershell": "_hotplate.ps1"}
DOCUMENTS = ("LICENSE", "NOTICE", "README.md")
CHECKSUMS = "SHA256SUMS"
# Pages that show the version of a release to copy: `uses: … # v1.2.3`, `rev: v1.2.3`, `hotplate==1.2.3`, …
SHOWN_VERSION = re.compile(r"(/hotplate(?:-pre-commit)?(?:@COMMIT # v|:|/releases/download/v)|rev: v|hotplate==)(\d+\.\d+\.\d+)")


class Refused(Exception):
    """Something that must hold before a release does not."""


def package(root=ROOT):
    """`[workspace.package]` of Cargo.toml."""
    with open(root / "Cargo.toml", "rb") as file:
        return tomllib.load(file)["workspace"]["package"]


def targets():
    """The rows of targets.txt as maps; a `-` is absent."""
    rows = []
    for line in (PACKAGING / "targets.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            rows.append({key: value for key, value in zip(COLUMNS, line.split(), strict=True) if value != "-"})
    return rows


def target_row(target):
    """The row of a target."""
    for row in targets():
        if row["target"] == target:
            return row
    raise Refused(f"{target} is not in packaging/targets.txt")


def archive_name(row):
    """The file name of a platform's archive, the same in every release: `…/releases/latest/download/NAME` has the newest."""
    return f"{NAME}-{row['target']}.{row['archive']}"


def binary_name(target):
    """The file name of the program on a platform."""
    return NAME + (".exe" if "-windows-" in target else "")


def download(version, name, repository=None):
    """The address of a file of a release."""
    return f"{repository or package()['repository']}/releases/download/v{version}/{name}"


# The changelog


def changelog(text):
    """The sections of a changelog by the name in their heading (`Unreleased`, `0.1.0`), each with its text."""
    parts = re.split(r"(?m)^## \[([^\]]+)\].*\n", text)
    return {name: body.strip("\n") for name, body in zip(parts[1::2], parts[2::2])}


def entries(section):
    """The entries of a section, each on one line."""
    found = []
    for line in section.splitlines():
        if line.startswith("- "):
            found.append(line[2:])
        elif line.startswith("  ") and found:
            found[-1] += " " + line.strip()
    return found


def release_notes(version, text, repository=None):
    """What a release says on its page: the section of the changelog, with one line for each paragraph and entry, since the page breaks
    lines where the text does, and with links to the files of the tag."""
    notes = changelog(text).get(version)
    if not notes:
        raise Refused(f"CHANGELOG.md has no section `## [{version}]` with text")
    notes = re.sub(r"(?<=\S)\n(?:  )?(?=[^\s#-])", " ", notes)
    return re.sub(r"\]\((?!https?:|#)", f"]({repository or package()['repository']}/blob/v{version}/", notes) + "\n"


# Steps


def check(tag, repository, root=ROOT):
    """Refuses a tag that does not fit to what it tags."""
    about = package(root)
    version = about["version"]
    if tag != f"v{version}":
        raise Refused(f"the tag is {tag}, and the version in Cargo.toml {version}: the tag must be v{version}")
    if repository != about["repository"]:
        raise Refused(f"this is {repository}, and `workspace.package.repository` in Cargo.toml is {about['repository']}")
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    release_notes(version, text)
    open_entries = entries(changelog(text).get("Unreleased", ""))
    if open_entries:
        raise Refused(
            f"CHANGELOG.md has {len(open_entries)} entries under `## [Unreleased]`, which this release contains: "
            f"`packaging/release.py prepare VERSION` gives them a version"
        )
    return version


def shown_in(root):
    """The pages that may show a version."""
    return [root / "README.md", root / "SECURITY.md", *sorted((root / "docs").rglob("*.md"))]


def prepare(version, root=ROOT, date=None):
    """Gives what is unreleased a version: Cargo.toml, the locks, CHANGELOG.md and the pages. Returns the changed files."""
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        raise Refused(f"{version} is not a version such as 1.2.3")
    old = package(root)["version"]
    as_numbers = [tuple(map(int, it.split("."))) for it in (old, version)]
    if as_numbers[1] < as_numbers[0]:
        raise Refused(f"{version} is older than {old}, the version in Cargo.toml")
    changed = {}
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    sections = changelog(text)
    if not entries(sections.get("Unreleased", "")):
        raise Refused("CHANGELOG.md has no entry under `## [Unreleased]`: there is nothing to release")
    if version in sections:
        raise Refused(f"CHANGELOG.md has a section `## [{version}]` already")
    heading = f"## [{version}] - {date or datetime.date.today().isoformat()}"
    changed["CHANGELOG.md"] = re.sub(r"(?m)^## \[Unreleased\].*$", f"## [Unreleased]\n\n{heading}", text, count=1)

    manifest = (root / "Cargo.toml").read_text(encoding="utf-8")
    own = rf'(?m)^(version = "|[a-z-]+ = \{{ path = "[^"]+", version = "){re.escape(old)}"'
    manifest, count = re.subn(own, rf'\g<1>{version}"', manifest)
    if not count:
        raise Refused(f"Cargo.toml has no version {old}")
    changed["Cargo.toml"] = manifest
    for lock in ("Cargo.lock", "fuzz/Cargo.lock"):
        if (root / lock).exists():
            # A package of a registry has a source; those of the workspace do not.
            own = rf'(\[\[package\]\]\nname = "[^"]+"\nversion = "){re.escape(old)}("\n(?!source))'
            changed[lock] = re.sub(own, rf"\g<1>{version}\g<2>", (root / lock).read_text(encoding="utf-8"))
    for page in shown_in(root):
        if page.exists():
            text = page.read_text(encoding="utf-8")
            new = SHOWN_VERSION.sub(lambda found: found[1] + version, text)
            if new != text:
                changed[page.relative_to(root).as_posix()] = new
    for name, text in changed.items():
        (root / name).write_text(text, encoding="utf-8")
    return sorted(changed)


def regenerate():
    """The outputs that show the version: expected ones, and those on pages."""
    cargo = ["cargo", "test", "--quiet", "--test", "all"]
    for variable, tests in (("UPDATE_SNAPSHOTS", "snapshots::"), ("HOTPLATE_BLESS", "docs::")):
        subprocess.run([*cargo, tests], cwd=ROOT, env={**os.environ, variable: "1"}, check=True)


def matrix(column):
    """The platforms as GitHub's `strategy.matrix`: all, or those with a column."""
    return json.dumps({"include": [row for row in targets() if column in row]}, separators=(",", ":"))


def run(binary, *arguments):
    """What the binary prints."""
    return subprocess.run([binary, *arguments], check=True, capture_output=True, timeout=60).stdout


def check_version(binary):
    """Refuses a binary of another version."""
    version = run(binary, "--version").decode().strip()
    if version != f"{NAME} {package()['version']}":
        raise Refused(f"{binary} is `{version}`, and Cargo.toml has version {package()['version']}")


def packed_files(target, binary, folder):
    """What an archive holds: names within it, with their files and modes. The binary writes its own completions and pages."""
    check_version(binary)
    files = {binary_name(target): (pathlib.Path(binary), 0o755)}
    for name in DOCUMENTS:
        files[name] = (ROOT / name, 0o644)
    for shell, name in COMPLETIONS.items():
        path = folder / name
        path.write_bytes(run(binary, "completions", shell))
        if not path.stat().st_size:
            raise Refused(f"`{NAME} completions {shell}` printed nothing")
        files[f"completions/{name}"] = (path, 0o644)
    pages = folder / "man"
    run(binary, "man", "--output", str(pages))
    found = sorted(pages.glob("*.1"))
    if not any(page.name == f"{NAME}.1" for page in found):
        raise Refused(f"`{NAME} man --output` wrote no {NAME}.1")
    return files | {f"man/{page.name}": (page, 0o644) for page in found}


def archive(target, binary, out, moment):
    """Packs a built binary. The same input gives the same bytes: nothing of the machine is in it."""
    row = target_row(target)
    out.mkdir(parents=True, exist_ok=True)
    path = out / archive_name(row)
    with tempfile.TemporaryDirectory() as folder:
        files = packed_files(target, binary, pathlib.Path(folder))
        if row["archive"] == "zip":
            date = datetime.datetime.fromtimestamp(max(moment, 315532800), datetime.UTC).timetuple()[:6]
            with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as zipped:
                for name, (file, mode) in sorted(files.items()):
                    entry = zipfile.ZipInfo(f"{NAME}-{target}/{name}", date)
                    entry.external_attr = (0o100000 | mode) << 16
                    entry.compress_type = zipfile.ZIP_DEFLATED
                    zipped.writestr(entry, file.read_bytes())
        else:
            packed = io.BytesIO()
            with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tarred:
                for name, (file, mode) in sorted(files.items()):
                    entry = tarfile.TarInfo(f"{NAME}-{target}/{name}")
                    content = file.read_bytes()
                    entry.size, entry.mode, entry.mtime = len(content), mode, moment
                    tarred.addfile(entry, io.BytesIO(content))
            path.write_bytes(gzip.compress(packed.getvalue(), mtime=0))
    return path


def digest(path):
    """The SHA-256 of a file, in hexadecimal digits."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def checksums(folder):
    """Writes SHA256SUMS for all other files of a folder, as `sha256sum --check` reads it. Every archive must be there."""
    files = sorted(it for it in folder.iterdir() if it.is_file() and it.name != CHECKSUMS)
    missing = {archive_name(row) for row in targets()} - {it.name for it in files}
    if missing:
        raise Refused(f"{folder} has no {', '.join(sorted(missing))}")
    text = "".join(f"{digest(it)}  {it.name}\n" for it in files)
    (folder / CHECKSUMS).write_text(text, encoding="utf-8")
    return text


def read_checksums(text):
    """The checksums by file name."""
    return {name: value for value, name in (line.split("  ", 1) for line in text.splitlines())}


def check_sbom(path):
    """Refuses a bill of materials that is not one of this version, or that has none of the crates that are linked."""
    about = json.loads(path.read_text(encoding="utf-8"))
    main_component = about.get("metadata", {}).get("component", {})
    found = (about.get("bomFormat"), main_component.get("name"), main_component.get("version"))
    if found != ("CycloneDX", NAME, package()["version"]):
        raise Refused(f"{path} is not the bill of materials of {NAME} {package()['version']}: {found}")
    with open(ROOT / "Cargo.toml", "rb") as file:
        linked = set(tomllib.load(file)["dependencies"])
    missing = linked - {it["name"] for it in about.get("components", [])}
    if missing:
        raise Refused(f"{path} lacks {', '.join(sorted(missing))}")


def assemble(folder):
    """Adds what the files of a release need to be verified and installed by others; returns the names of all of them."""
    check_sbom(folder / f"{NAME}.cdx.json")
    found = subprocess.run([PACKAGING / "source_digest"], check=True, capture_output=True, text=True).stdout
    (folder / "SOURCE_DIGEST").write_text(found, encoding="utf-8")
    (folder / f"{NAME}.rb").unlink(missing_ok=True)
    (folder / f"{NAME}.rb").write_text(formula(read_checksums(checksums(folder))), encoding="utf-8")
    return list(read_checksums(checksums(folder))) + [CHECKSUMS]


def formula(sums):
    """Homebrew's formula for the archives with these checksums."""
    about = package()
    blocks = []
    for system in ("macos", "linux"):
        cpus = []
        for row in targets():
            if row.get("homebrew", "").split("-")[0] == system:
                name = archive_name(row)
                if name not in sums:
                    raise Refused(f"{CHECKSUMS} has no {name}")
                cpus.append(
                    f"    on_{row['homebrew'].split('-')[1]} do\n"
                    f'      url "{download(about["version"], name)}"\n'
                    f'      sha256 "{sums[name]}"\n'
                    f"    end"
                )
        blocks.append(f"  on_{system} do\n" + "\n".join(cpus) + "\n  end")
    text = (PACKAGING / "hotplate.rb.in").read_text(encoding="utf-8")
    values = {"VERSION": about["version"], "REPOSITORY": about["repository"], "LICENSE": about["license"], "BLOCKS": "\n\n".join(blocks)}
    return re.sub(r"@([A-Z]+)@", lambda found: values[found[1]], text)


def wheel_command(target, out):
    """What builds the wheel of a platform. zig links for glibc as old as the wheel promises, whatever the machine has."""
    row = target_row(target)
    command = [sys.executable, "-m", "maturin", "build", "--profile", "dist", "--locked", "--target", target, "--out", str(out)]
    return command + ["--compatibility", row["wheel"]] + (["--zig"] if target.endswith("-linux-gnu") else [])


def check_wheels(folder):
    """Runs the program in each wheel of a folder; returns the names of the wheels. There must be one."""
    wheels = sorted(folder.glob("*.whl"))
    if not wheels:
        raise Refused(f"{folder} has no wheel")
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as zipped, tempfile.TemporaryDirectory() as scratch:
            programs = [name for name in zipped.namelist() if re.fullmatch(rf"[^/]+\.data/scripts/{NAME}(\.exe)?", name)]
            if len(programs) != 1:
                raise Refused(f"{wheel.name} has {len(programs)} programs in its scripts")
            program = pathlib.Path(zipped.extract(programs[0], scratch))
            program.chmod(0o755)
            check_version(program)
    return [wheel.name for wheel in wheels]


def mirror(out):
    """Writes the repository from which pre-commit installs the hooks with pip: the same hooks, and a package that only depends on hotplate."""
    about = package()
    hooks = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    if hooks.count("language: rust\n") != hooks.count("- id: "):
        raise Refused(".pre-commit-hooks.yaml has a hook whose language is not rust")
    out.mkdir(parents=True, exist_ok=True)
    hooks = re.sub(r"\A(?:#.*\n)+", "", hooks).replace("language: rust\n", "language: python\n")
    (out / ".pre-commit-hooks.yaml").write_text(hooks, encoding="utf-8")
    for name in ("pyproject.toml", "README.md"):
        text = (PACKAGING / "pre-commit" / name).read_text(encoding="utf-8")
        values = {"VERSION": about["version"], "REPOSITORY": about["repository"], "LICENSE": about["license"]}
        (out / name).write_text(re.sub(r"@([A-Z]+)@", lambda found: values[found[1]], text), encoding="utf-8")
    shutil.copy(ROOT / "LICENSE", out / "LICENSE")


def main(arguments):
    """Runs one step."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(dest="step", required=True, metavar="STEP")

    def step(name, text):
        return steps.add_parser(name, help=text, description=text)

    it = step("prepare", "give what is unreleased a version, in every file that has one")
    it.add_argument("version")
    it.add_argument("--no-outputs", action="store_true", help="leave the expected outputs that show the version (they need a build)")
    it = step("check", "refuse a tag that does not fit to Cargo.toml, CHANGELOG.md or the repository; print the version")
    it.add_argument("--tag", required=True)
    it.add_argument("--repository", required=True, help="its address, as in `workspace.package.repository`")
    it = step("matrix", "print the platforms as GitHub's `strategy.matrix`")
    it.add_argument("--with", dest="column", choices=COLUMNS, default="target", help="only those with a value in this column")
    it = step("archive", "pack a built binary with its documents, completions and man pages")
    it.add_argument("--target", required=True)
    it.add_argument("--binary", required=True, type=pathlib.Path)
    it.add_argument("--out", required=True, type=pathlib.Path)
    it = step("wheel", "build the wheel of a platform with maturin (pip install --require-hashes --requirement packaging/requirements.txt)")
    it.add_argument("--target", required=True)
    it.add_argument("--out", required=True, type=pathlib.Path)
    it = step("wheels", "run the programs in the wheels of a folder")
    it.add_argument("folder", type=pathlib.Path)
    it = step("assemble", f"add SOURCE_DIGEST, Homebrew's formula and {CHECKSUMS} to a folder with all archives")
    it.add_argument("folder", type=pathlib.Path)
    it = step("notes", "print what CHANGELOG.md has about a version")
    it.add_argument("version", nargs="?", default=package()["version"])
    it = step("mirror", "write the repository from which pre-commit installs the hooks with pip")
    it.add_argument("out", type=pathlib.Path)
    chosen = parser.parse_args(arguments)
    try:
        match chosen.step:
            case "prepare":
                print("\n".join(prepare(chosen.version)))
                if not chosen.no_outputs:
                    regenerate()
            case "check":
                print(check(chosen.tag, chosen.repository))
            case "matrix":
                print(matrix(chosen.column))
            case "archive":
                print(archive(chosen.target, chosen.binary.resolve(), chosen.out, int(os.environ.get("SOURCE_DATE_EPOCH", "0"))))
            case "wheel":
                subprocess.run(wheel_command(chosen.target, chosen.out.resolve()), cwd=ROOT, check=True)
                print("\n".join(check_wheels(chosen.out)))
            case "wheels":
                print("\n".join(check_wheels(chosen.folder)))
            case "assemble":
                print("\n".join(assemble(chosen.folder)))
            case "notes":
                print(release_notes(chosen.version, (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")), end="")
            case "mirror":
                mirror(chosen.out)
    except Refused as error:
        print(f"packaging/release.py {chosen.step}: {error}", file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as error:
        printed = (error.stderr or b"").decode(errors="replace")
        print(f"packaging/release.py {chosen.step}: `{' '.join(map(str, error.cmd))}` failed: {printed}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
