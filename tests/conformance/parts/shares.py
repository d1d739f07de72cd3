"""How much of the corpus each target says without a loss, and whether the README tells the same."""

import json
from concurrent import futures

import house

# What of the corpus the part cannot do without.
NEEDS = ("templates", "pairs", "overcloud")

TARGETS = ("heat-cfn", "cfn", "terraform", "pulumi", "ansible")
WHAT = ("resources", "mapped", "properties", "functions", "attributes")
# The share of resources with a counterpart that is wanted, in percent.
WANTED = {"terraform": 95}
BEGIN, END = "<!-- shares: begin -->", "<!-- shares: end -->"


def run(figures, _full):
    """Renders every template with every target and adds up what the reports say."""
    paths = house.files_below(house.CORPUS / "templates") + sorted((house.CORPUS / "pairs").glob("*/new.*"))
    overcloud = house.CORPUS / "overcloud"
    registry = overcloud / "overcloud-resource-registry-puppet.yaml"
    jobs = [[path] for path in paths] + [[overcloud / "overcloud.yaml", "-e", registry]]
    table, taken = {}, None
    for target in TARGETS:
        with futures.ThreadPoolExecutor(2) as pool:
            shares = list(pool.map(lambda job: _coverage(target, job), jobs))
        broken = [f"{job[0]}: {share}" for job, share in zip(jobs, shares) if isinstance(share, str)]
        rendered = [share for share in shares if isinstance(share, dict)]
        figures.must(len(jobs) - len(broken), len(jobs), f"{target}: a report for each file", broken)
        taken = len(rendered)
        of_resources = [share for share in rendered if share["resources"]["of"]]
        figures.count(sum(share["is_lossless"] for share in of_resources), len(of_resources), f"{target}: files with resources without a loss, notes aside")
        table[target] = {what: [sum(share[what][part] for share in rendered) for part in ("expressed", "of")] for what in WHAT}
        for what in WHAT:
            figures.count(*table[target][what], f"{target}: {what}")
        if target in WANTED:
            said, of = table[target]["mapped"]
            figures.must(100 * said >= WANTED[target] * of and of > 0, 1, f"{target}: at least {WANTED[target]} % of the resources with a counterpart")
    page = _page(table, taken)
    house.WORK.mkdir(parents=True, exist_ok=True)
    (house.WORK / "shares.md").write_text(page, encoding="utf-8")
    readme = (house.ROOT / "README.md").read_text(encoding="utf-8")
    figures.must(page in readme, 1, "the README's table of shares is what was measured (target/conformance/shares.md is)")


def _coverage(target, job):
    """What a report says was said; None for what is no template without errors, a text for what should not be."""
    done = house.hotplate("render", *job, "--target", target, "--format", "json")
    try:
        report = json.loads(done.stdout)
    except ValueError:
        return f"exit {done.returncode}: {done.stderr[-300:]!r}"
    if report["coverage"] is None:
        return None
    return {**report["coverage"], "is_lossless": all(loss["severity"] == "note" for loss in report["losses"])}


def _page(table, taken):
    lines = [BEGIN, f"{taken} templates and deployments of the corpus, every template once for each of them:", ""]
    lines += ["| target | resources | of those with a counterpart | properties | functions | attributes |", "|---|---|---|---|---|---|"]
    for target, shares in table.items():
        cells = [f"{100 * said / of:.1f} % of {of:,}" if of else "none" for said, of in (shares[what] for what in WHAT)]
        lines.append(f"| `{target}` | " + " | ".join(cells) + " |")
    return "\n".join([*lines, END])
