"""The README's table of what the judges agree on: which figures it has, and whether it has them as the harness printed them."""

import os

import house

BEGIN, END = "<!-- agreement: begin -->", "<!-- agreement: end -->"
HEAD = "| part | what is compared | agreement |\n|---|---|---|"
# The part, the beginning of the figure's label, and the sentence of the README.
ROWS = (
    ("upgrade", "validated templates: upgrades in all", "upgrades of real templates: Heat accepts the result, and computes the same values"),
    ("diff", "generated pairs: our impact is Heat's decision", "generated changes of every property of every type: `diff` reports Heat's decision"),
    ("diff", "resources of real revisions: our impact is Heat's decision", "resources of real changes: `diff` reports Heat's decision"),
    ("check", "mistakes that Heat refuses: refused", "mistakes that Heat refuses: `check` reports an error"),
    ("check", "of these: an error at the line of the mistake", "these errors are at the line of the mistake"),
    ("check", "deployments of the corpus that Heat accepts: no error", "real deployments that Heat accepts: `check` reports no error"),
    ("eval", "values that are equal", "values of real templates: `eval` computes what Heat computes"),
    ("yaql_tests", "tests of yaql pass", "yaql's own unit tests, run with hotplate's interpreter: they pass"),
    ("terraform", "rendered templates that tofu takes for valid", "real templates as Terraform: OpenTofu accepts the result"),
    ("terraform", "arguments with the value that Heat resolves", "arguments after an apply: the value that Heat computes"),
    ("adopt", "corpus: plans with 0 to add and 0 to destroy but what is declared", "plans with `--adopt`: nothing is created or destroyed, except what is reported"),
)


def check(figures):
    """Compares the figures of a part with its rows in the README, if the part printed any of them."""
    rows = [(label, sentence) for part, label, sentence in ROWS if part == figures.part]
    # Another corpus has other figures.
    if not rows or "HOTPLATE_CORPUS" in os.environ:
        return
    table = _table()
    missing = []
    for label, sentence in rows:
        printed = [(n, m) for (n, m), known in figures.printed if known.startswith(label)]
        if not printed and house.missing(*house.PIECES):
            continue
        # The first one: others that begin alike are about a part of it.
        row = line(figures.part, sentence, *printed[0]) if printed else f"{figures.part}: no figure `{label}`"
        if row not in table.splitlines():
            missing.append(row)
    figures.must(len(rows) - len(missing), len(rows), "rows of the README's table of agreement are as printed here", missing)


def _table():
    """The table of the README."""
    return (house.ROOT / "README.md").read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]


def line(part, sentence, n, m):
    """A row of the table."""
    return f"| `{part}` | {sentence} | {n:,} of {m:,} |"
