"""The figures that the harness prints: `part: n of m label`, and what falls short of them."""

import house

SHOWN = 12


class Figures:
    """Collects figures; a figure that must be whole and is not makes the run fail."""

    def __init__(self, part):
        self.part = part
        self.short = 0
        # Every figure, with its label.
        self.printed = []
        self._details = []

    def say(self, text):
        """A line that is no figure."""
        print(f"{self.part}: {text}", flush=True)

    def count(self, n, m, label, misses=()):
        """A figure that is only told."""
        print(f"{self.part}: {n} of {m} {label}", flush=True)
        self.printed.append(((n, m), label))
        self._tell(label, misses, loud=False)

    def skip(self, what="", why="no corpus"):
        """A line that tells of something that is not judged. `conformance.py` counts these lines."""
        print(f"skipped: {self.part}{what and ', ' + what} ({why})", flush=True)

    def has(self, *pieces, what=""):
        """Whether the corpus has the pieces; tells what is skipped if not."""
        missing = house.missing(*pieces)
        if missing:
            self.skip(what, "no corpus" if len(house.missing(*house.PIECES)) == len(house.PIECES) else f"the corpus has no {', '.join(missing)}")
        return not missing

    def must(self, n, m, label, misses=(), empty_is_well=False):
        """A figure that must be whole. `misses` says, one line each, what is missing."""
        well = n == m and (m > 0 or empty_is_well)
        print(f"{self.part}: {n} of {m} {label}{'' if well else '   <-- SHORT'}", flush=True)
        self.printed.append(((n, m), label))
        if not well:
            self.short += 1
        self._tell(label, misses, loud=not well)
        return well

    def wanted(self, value, least, label):
        """A measured value with the one that was hoped for."""
        print(f"{self.part}: {value:.2f} {label} (wanted: at least {least})", flush=True)

    def _tell(self, label, misses, loud):
        misses = list(misses)
        if not misses:
            return
        self._details.append(f"## {label}\n" + "\n".join(misses) + "\n")
        if loud:
            for line in misses[:SHOWN]:
                print("    " + line.replace("\n", "\n    "), flush=True)
            if len(misses) > SHOWN:
                print(f"    ... {len(misses) - SHOWN} more in {self._path()}", flush=True)

    def _path(self):
        return house.WORK / f"{self.part}.txt"

    def close(self):
        """Writes every detail of the part into one file; returns the number of short figures."""
        house.WORK.mkdir(parents=True, exist_ok=True)
        self._path().write_text("\n".join(self._details), encoding="utf-8")
        return self.short
