"""Upgrades and downgrades of generated templates, judged by Heat in every world.

What worked before must have the same value after, in the target version, unless a rewrite
that the report declares conditional stands at the very place. Blocked files stay as they were.
"""

import collections
import dataclasses

import house
from generators import cases, traps, versions
from generators.expressions import Expression
from judges import audit, compare
from judges.judge import Judge

# Templates per source version: at least so many, by default and with --full.
COUNT = 1000
FULL_COUNT = 5000


@dataclasses.dataclass
class Tally:
    """How a group of templates fared."""

    judged: int = 0
    equal: int = 0
    conditional: int = 0
    blocked: int = 0
    wrong: int = 0

    def line(self):
        rest = f", {self.wrong} wrong" if self.wrong else ""
        return f"equal, {self.conditional} conditional differences, {self.blocked} blocked{rest}"


class Results:
    """Everything that is counted over all versions."""

    def __init__(self):
        self.rules = collections.defaultdict(Tally)
        self.features = collections.defaultdict(Tally)
        self.styles = collections.defaultdict(Tally)
        self.effects = collections.Counter()
        self.judged = 0
        self.wrong = []
        self.bytes_wrong = []
        self.files = 0
        self.changed = 0
        self.again = []
        self.harmless = []
        self.confirmed = 0
        self.blocked = 0
        self.hopeless = 0
        self.needless = []
        self.ends = 0
        self.rewritable = 0
        self.loose = []
        self.stuck = 0
        self.timid = []
        self.proved = 0
        self.order = []
        self.order_asked = 0


def _prepare(version, count):
    """The cases of a version, traps included."""
    made = cases.generate(version, count)
    for number, (name, text) in enumerate(traps.texts(version)):
        made.append(cases.Case(f"trap{number:02}", version, text, "trap " + name, "by hand", frozenset(), Expression("trap", None, None)))
    return made


def _deal(made, targets):
    """Which case goes to which targets: one each in turn, so that every kind meets every target; traps to all."""
    dealt = collections.defaultdict(list)
    turns = collections.Counter()
    for case in made:
        if case.feature.startswith("trap"):
            chosen = targets
        else:
            kind = case.feature.split("[")[0]
            chosen = [targets[(turns[kind] + len(kind)) % len(targets)]]
            turns[kind] += 1
        for target in chosen:
            dealt[target].append(case)
    return dealt


class Direction:
    """One source version on its way to its targets."""

    def __init__(self, judge, results, made, before):
        self.judge = judge
        self.results = results
        self.made = made
        self.before = before
        self.tally = Tally()

    def go(self, dealt, upgrading):
        for target, chosen in sorted(dealt.items()):
            self._target(target, chosen, upgrading)
        return self.tally

    def _target(self, target, chosen, upgrading):
        folder = house.scratch(f"generated/{chosen[0].version}-{target}")
        for case in chosen:
            (folder / f"{case.name}.yaml").write_bytes(case.text)
        run = house.Upgrade(folder, target)
        after = {case.name: (folder / f"{case.name}.yaml").read_bytes() for case in chosen}
        house.Upgrade(folder, target)
        self.results.files += len(chosen)
        for case in chosen:
            if (folder / f"{case.name}.yaml").read_bytes() != after[case.name]:
                self.results.again.append(f"{_where(case, target)}: the second run changed the file")
        answers, bumps = self._answers(chosen, run, after, target)
        for case in chosen:
            entry = run.files.get(f"{case.name}.yaml", {"status": "missing in the report"})
            self._judge(case, target, entry, after[case.name], answers.get(case.name), bumps.get(case.name), upgrading)

    def _answers(self, chosen, run, after, target):
        """Heat's answers about what was written, and about bare version bumps of what was blocked."""
        asked, requests = [], []
        for case in chosen:
            status = run.files.get(f"{case.name}.yaml", {}).get("status")
            if status == "blocked":
                requests.append(cases.trial(compare.bare_bump(case.text, target), case.declared))
            else:
                requests.append(cases.trial(after[case.name], case.declared))
            asked.append((case.name, status))
        answers, bumps = {}, {}
        for (name, status), answer in zip(asked, self.judge.ask(requests)):
            (bumps if status == "blocked" else answers)[name] = answer
        return answers, bumps

    def _tallies(self, case, entry):
        rules = {item["rule"] for item in entry.get("rewrites", ())} | {item["rule"] for item in entry.get("blockers", ())}
        yield self.tally
        yield self.results.features[case.feature.split("[")[0] if not case.feature.startswith("nested") else "nested"]
        yield self.results.styles[case.style]
        for rule in rules:
            yield self.results.rules[rule]

    def _count(self, case, entry, field):
        self.results.judged += 1
        for tally in self._tallies(case, entry):
            tally.judged += 1
            setattr(tally, field, getattr(tally, field) + 1)

    def _fail(self, case, entry, target, text):
        self._count(case, entry, "wrong")
        self.results.wrong.append(f"{_where(case, target)}: {text}")

    def _judge(self, case, target, entry, after, answer, bump, upgrading):
        before = self.before[case.name]
        status = entry["status"]
        self._bytes(case, target, entry, after)
        works = compare.worked(before)
        if status == "blocked":
            self._blocked(case, target, entry, after, bump, works, upgrading)
            return
        if status == "invalid" and case.expression.free_from is None and not compare.whole(before):
            # Nothing declares the name, so that Heat refuses to create the stack: there is nothing to keep.
            self._count(case, entry, "blocked")
            return
        if status not in house.UPGRADED:
            if works:
                reason = [item.get("message") for item in entry.get("diagnostics", ())][:2]
                self._fail(case, entry, target, f"status {status} {reason}")
            return
        for rewrite in entry["rewrites"]:
            self.results.effects[rewrite["rule"], rewrite["effect"]] += 1
        if not works:
            return
        if upgrading and case.expression.exact and compare.whole(before):
            self.results.proved += 1
            if any(rewrite["effect"] != "exact" for rewrite in entry["rewrites"]):
                self.results.timid.append(f"{_where(case, target)}: declared conditional\n{_show(entry)}")
        self.results.rewritable += upgrading and _has_rewrite(case, target)
        if upgrading and case.expression.stuck and not versions.has(target, next(iter(case.expression.tree))):
            self.results.stuck += 1
            self.results.loose.append(f"{_where(case, target)}: rewritten, though no rewrite keeps its value\n{_show(entry)}")
        self._compare(case, target, entry, before, answer)

    def _compare(self, case, target, entry, before, answer):
        found = compare.trial_differences(before, answer)
        reached = answer["ok"] and versions.canonical(answer["worlds"][0].get("version", ["", ""])[1])
        if not found and reached != target:
            self._fail(case, entry, target, f"the file says {reached}")
            return
        undeclared = compare.undeclared(case.text, entry, found)
        if undeclared:
            (world, path), (then, now) = undeclared[0]
            self._fail(case, entry, target, f"world {world}, {'.'.join(map(str, path))}: {then!r:.200} became {now!r:.300}\n{_show(entry)}")
            return
        self._count(case, entry, "conditional" if found else "equal")
        self.results.order_asked += 1
        if compare.requires(before["worlds"][0]) != compare.requires(answer["worlds"][0]):
            self.results.order.append(f"{_where(case, target)}: {compare.requires(before['worlds'][0])} became {compare.requires(answer['worlds'][0])}")

    def _blocked(self, case, target, entry, after, bump, works, upgrading):
        if after != case.text:
            self._fail(case, entry, target, "blocked, and changed all the same")
            return
        if not works:
            return
        self._count(case, entry, "blocked")
        reasons = "; ".join(f"{item['rule']}: {item['message']}" for item in entry.get("blockers", ())) or "no reason given"
        self.results.blocked += 1
        if compare.unlike_trials(self.before[case.name], bump):
            self.results.confirmed += 1
        else:
            self.results.harmless.append(f"{_where(case, target)}: {reasons}")
        if upgrading and case.expression.stuck:
            self.results.stuck += 1
        elif upgrading and not compare.whole(self.before[case.name]):
            # A call that Heat refuses in every world has nothing to keep.
            self.results.hopeless += 1
        elif upgrading and self._at_the_end(entry):
            self.results.ends += 1
        elif upgrading and _has_rewrite(case, target) and not self._shared(case, entry):
            self.results.rewritable += 1
            self.results.needless.append(f"{_where(case, target)}: {reasons}")

    def _shared(self, case, entry):
        """Whether an anchor is in the way, which other places name: no rewrite can be in both."""
        return case.style == "anchors" and any("alias" in item["message"] or "anchor" in item["message"] for item in entry.get("blockers", ()))

    def _at_the_end(self, entry):
        """Whether a block scalar would become the end of the file, or stop being it: the client sends another text then."""
        return any("where Heat's client strips" in item["message"] for item in entry.get("blockers", ()))

    def _bytes(self, case, target, entry, after):
        if entry["status"] not in house.UPGRADED:
            if after != case.text:
                self.results.bytes_wrong.append(f"{_where(case, target)}: {entry['status']}, and changed")
            return
        self.results.changed += 1
        wrong = audit.problems(case.text, after, entry)
        if wrong:
            self.results.bytes_wrong.append(f"{_where(case, target)}: " + "; ".join(wrong))


def _has_rewrite(case, target):
    """Whether the generator knows a rewrite of a case for a target."""
    expression = case.expression
    return not expression.stuck and expression.free_from is not None and target >= expression.free_from


def _where(case, target):
    return f"{case.version}-{target}/{case.name}.yaml ({case.feature}, {case.style})"


def _show(entry):
    return "\n".join(f"  {item['rule']} ({item['effect']}): {item['old']!r:.200} -> {item['new']!r:.300}" for item in entry["rewrites"])


def run(figures, full):
    """The part."""
    up, down = Results(), Results()
    with Judge() as judge:
        for version in versions.VERSIONS:
            made = _prepare(version, FULL_COUNT if full else house.drawn(COUNT))
            before = dict(zip((case.name for case in made), judge.ask([case.request() for case in made], remember=True)))
            alive = sum(map(compare.whole, before.values()))
            figures.count(alive, len(made), f"templates of {version} that resolve without any error in some world")
            for name, targets, results in (("upgrade", versions.later(version), up), ("downgrade", versions.earlier(version), down)):
                if not targets:
                    continue
                tally = Direction(judge, results, made, before).go(_deal(made, targets), name == "upgrade")
                free = tally.judged - tally.blocked
                figures.must(tally.equal + tally.conditional, free, f"{name}s from {version} keep every value ({tally.line()})",
                             empty_is_well=name == "downgrade")
    _tell(figures, "upgrade", up)
    _tell(figures, "downgrade", down)


def _tell(figures, name, results):
    for rule, tally in sorted(results.rules.items()):
        exact, conditional = results.effects[rule, "exact"], results.effects[rule, "conditional"]
        figures.count(tally.equal, tally.judged - tally.blocked, f"{name} rule {rule}: {tally.line()} (declared exact {exact}, conditional {conditional})")
    short = [f"{feature}: {tally.equal} of {tally.judged - tally.blocked} {tally.line()}" for feature, tally in sorted(results.features.items())]
    figures.count(sum(not tally.wrong for tally in results.features.values()), len(results.features), f"{name}: kinds of expression without a wrong value", short)
    short = [f"{style}: {tally.equal} of {tally.judged - tally.blocked} {tally.line()}" for style, tally in sorted(results.styles.items())]
    figures.count(sum(not tally.wrong for tally in results.styles.values()), len(results.styles), f"{name}: YAML styles without a wrong value", short)
    figures.must(results.judged - len(results.wrong), results.judged, f"{name}: without an undeclared difference, an error or a missing file", results.wrong)
    figures.must(results.changed - len(results.bytes_wrong), results.changed, f"{name}: changed files agree with their report byte for byte, comments kept",
                 results.bytes_wrong, empty_is_well=name == "downgrade")
    figures.must(results.files - len(results.again), results.files, f"{name}: files that a second run leaves alone", results.again)
    figures.count(results.confirmed, results.blocked, f"{name}: blocked ones for which Heat confirms that a bare bump is refused or differs", results.harmless)
    figures.count(results.order_asked - len(results.order), results.order_asked, f"{name}: keep what each resource depends on", results.order)
    if name == "upgrade":
        figures.count(results.ends, results.blocked, f"{name}: blocked for a text that becomes the end of the file, or stops being it")
        figures.must(results.rewritable - len(results.needless), results.rewritable, f"{name}: not blocked where a rewrite is known", results.needless)
        figures.must(results.stuck - len(results.loose), results.stuck, f"{name}: calls without any rewrite are blocked", results.loose)
        figures.must(results.proved - len(results.timid), results.proved, f"{name}: declared exact where the template proves it", results.timid)
