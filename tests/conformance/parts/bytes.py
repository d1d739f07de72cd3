"""Nothing but the reported spans changes: over the corpus, with other line ends and a byte order mark too."""

import house
from generators import versions
from judges import audit
from parts.upgrade import copy_corpus

# What of the corpus the part cannot do without.
NEEDS = ("templates",)

BOM = b"\xef\xbb\xbf"
VARIANTS = {
    "as they are": lambda text: text,
    "with CRLF": lambda text: text.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"),
    "with BOM": lambda text: text if text.startswith(BOM) else BOM + text,
    "with CRLF and BOM, no final line end": lambda text: BOM + text.removeprefix(BOM).replace(b"\r\n", b"\n").rstrip(b"\n").replace(b"\n", b"\r\n"),
}
MODE = 0o640


def _one(figures, variant, change, target):
    folder = copy_corpus(house.scratch("bytes"))
    before = {}
    for path in house.files_below(folder):
        text = change(path.read_bytes())
        path.write_bytes(text)
        path.chmod(MODE)
        before[str(path.relative_to(folder))] = text
    run = house.Upgrade(folder, target)
    after = {name: (folder / name).read_bytes() for name in before}
    changed = [name for name, entry in run.files.items() if entry["status"] in house.UPGRADED and name in before]
    wrong = [f"{name}: " + "; ".join(found) for name in changed if (found := audit.problems(before[name], after[name], run.files[name]))]
    wrong += [f"{name}: not upgraded, and changed" for name in before if name not in changed and after[name] != before[name]]
    modes = [f"{name}: mode bits changed" for name in before if (folder / name).stat().st_mode & 0o777 != MODE]
    label = f"templates {variant}, to {target}"
    figures.must(len(changed) - len(wrong), len(changed), f"{label}: changed only where reported, every comment kept", wrong)
    figures.must(len(before) - len(modes), len(before), f"{label}: files keep their mode bits", modes)
    again = house.Upgrade(folder, target)
    restless = [f"{name}: {entry['status']}" for name, entry in again.files.items()
                if entry["status"] in house.UPGRADED or name in after and (folder / name).read_bytes() != after[name]]
    figures.must(len(again.files) - len(restless), len(again.files), f"{label}: left alone by a second run", restless)


def run(figures, full):
    """The part."""
    targets = versions.VERSIONS if full else ["2015-10-15", "2021-04-16"]
    every = [(variant, change, target) for target in targets for variant, change in VARIANTS.items()]
    for variant, change, target in every if full else every[::house.sampled(1)]:
        _one(figures, variant, change, target)
