"""What really runs: the requests of Heat's own update on the stand-in cloud, beside what `hotplate diff` says of the two templates.

Decisions: replaced, rebuilt, updated, updated without any request, untouched, created, deleted, retained. Consequences: a resource that the service
refuses, that waits for what cannot come, whose object is gone after an update that says COMPLETE. What `diff` does not say today is a row of
`known/updates.tsv` with its reason and the issue; a difference without a row and a row without a difference both make the part fail.
"""

import collections
import json
import re
import shutil

import house
from generators import cloud_changes, cloud_deployments, update_cases
from judges import systems, updates

KNOWN = house.HERE / "known" / "updates.tsv"
# Of the cases and revisions, so many run without `--full`: every one of so many, and the generated types in turn.
OF_CASES, OF_PAIRS = 3, 4


class Known:
    """The differences that are known: a row each, `set`, `case`, `resource`, `kind`, `said`, `happened`, `issue`, `reason`."""

    FIELDS = ("set", "case", "resource", "kind", "said", "happened", "issue", "reason")

    def __init__(self, path=KNOWN):
        rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")] if path.exists() else []
        self.rows = {tuple(row[:6]): row for row in rows}
        self.seen, self.resources = set(), set()

    def wrong(self):
        """Rows without a reason or the number of an issue that is to end them."""
        return ["\t".join(row) for row in self.rows.values() if len(row) != 8 or row[6] not in ("42", "43", "50") or not row[7]]

    def has(self, *key):
        """Whether a difference is known."""
        self.seen.add(key)
        return key in self.rows

    def judged(self, group, case, name, kind):
        """Notes that this was compared: which resources are reached before an update fails is not the same each time."""
        self.resources.add((group, case, name, kind))

    def gone(self):
        """Rows of what was compared, whose difference is not there any more."""
        return ["\t".join(key) for key in self.rows if key[:4] in self.resources and key not in self.seen]


class Tally:
    """Figures over one set of updates."""

    def __init__(self, group, known):
        self.group, self.known = group, known
        self.cut = self.warned = 0
        self.silent = []
        self.judged = self.alike = self.may = self.harmed = self.told = self.whole = self.same = 0
        self.new, self.apart, self.what = [], collections.Counter(), collections.Counter()
        self.listed, self.calls = collections.Counter(), collections.Counter()

    def add(self, case, name, entry, one, children=(), decided=True, others=()):
        """Takes in one resource; without `decided`, what happened to it is not what the update decided."""
        if one.get("unknown"):
            self.apart["not reached when the update failed"] += 1
            return
        wrong, hazard = updates.compare(entry, one, children, rolled=not decided)
        wrong = wrong if decided else None
        self.known.judged(self.group, case, name, "decision")
        self.known.judged(self.group, case, name, "consequence")
        self.judged += 1
        self.what[one["what"]] += 1
        self.calls.update(_verb(call) for call in one["calls"])
        if decided and entry and not one.get("failure") and (wanted := updates.interruption(entry, {_verb(call) for call in one["calls"]}, others)) is not None:
            self.cut += 1
            self.warned += wanted
            self.silent += [] if wanted else [f"{case} {name}: {entry.get('machine_effects', 'nothing')} [{' | '.join(one['calls'][:3])}]"]
        self.may += bool(entry) and updates.decision(entry) == "may-replace"
        self.alike += not wrong or self._known(case, name, "decision", wrong, one)
        if hazard or one.get("failure") or one.get("gone"):
            self.harmed += 1
            self.told += not hazard or self._known(case, name, "consequence", hazard, one)

    def leave(self, case, told, left, rolled):
        """Takes in what a completed update leaves: the objects are those of a new stack, or those from before a rollback, or `diff` reports a hazard."""
        self.whole += 1
        self.known.judged(self.group, case, "", "left")
        missing = [line for line in left if not line.startswith("+ ")]
        one = {"reason": "; ".join(missing), "calls": []}
        self.same += not missing or bool(told) or self._known(case, "", "left", ("nothing", "rolled back, objects differ" if rolled else "objects differ"), one)

    def _known(self, case, name, kind, pair, one):
        key = (self.group, case, name, kind, *pair)
        if self.known.has(*key):
            self.listed[kind] += 1
            return True
        self.new.append("\t".join(key) + f"   [{one.get('reason') or ' | '.join(one['calls'][:3])}]"[:300])
        return False

    def tell(self, figures):
        """Prints the figures."""
        figures.must(self.alike, self.judged, f"{self.group}: what `diff` decides is what runs, or is a known difference ({self.listed['decision']})", [line for line in self.new if "\tdecision\t" in line])
        figures.must(self.told, self.harmed, f"{self.group}: consequences (refused, waits, lost) that `diff` reports or that are known to lack ({self.listed['consequence']})",
                     [line for line in self.new if "\tconsequence\t" in line], empty_is_well=True)
        if self.cut:
            figures.must(self.warned, self.cut, f"{self.group}: what stops a machine or cuts it off is an `interruption`, and a certain one of a server or an attachment does", self.silent)
        if self.whole:
            figures.must(self.same, self.whole, f"{self.group}: after the update the objects are those of a new stack (after a rollback: those from before), or a hazard is reported, or they are known ({self.listed['left']})",
                         [line for line in self.new if "\tleft\t" in line])
        figures.say(f"{self.group}: " + ", ".join(f"{what} {count}" for what, count in self.what.most_common()) + f"; `may-replace` {self.may}")
        figures.say(f"{self.group}: requests: " + ", ".join(f"{verb} {count}" for verb, count in self.calls.most_common(14)))
        for reason, count in sorted(self.apart.items()):
            figures.say(f"{self.group}: apart: {count} {reason}")


def _verb(call):
    """What a request does, in short: the action of a server, or the method with the collection."""
    found = re.search(r"(POST|PUT|PATCH|DELETE) (\S+)(?: \{\"(\w+)\")?", call)
    method, path, key = found.groups()
    parts = [part for part in path.split("/") if ":" not in part]
    return key if parts[-1] == "action" else f"{method} {parts[-1]}"


def run(figures, full):
    """The part."""
    known = Known()
    figures.must(len(known.rows) - len(known.wrong()), len(known.rows), "known differences have a reason and the issue that is to end them", known.wrong(), empty_is_well=True)
    with updates.Updates() as judge:
        _generated(figures, judge, known, full)
        _own(figures, judge, known)
        _broken(figures, judge, known, full)
        _cases(figures, judge, known, full)
        _pairs(figures, judge, known, full)
    figures.must(len(known.seen & set(known.rows)), len(known.seen & set(known.rows)) + len(known.gone()), "known differences of what ran are still there", known.gone(), empty_is_well=True)


# ---- a change of each property of each modeled type


def _generated(figures, judge, known, full):
    folder = house.scratch("updates/generated")
    changes = list(cloud_changes.every())[::1 if full else house.sampled(1)]
    requests = []
    for change in changes:
        paths = folder / f"{change.name}-old.yaml", folder / f"{change.name}-new.yaml"
        for path, template in zip(paths, (change.old, change.new)):
            path.write_text(json.dumps(template), encoding="utf-8")
        requests.append({"old": str(paths[0]), "new": str(paths[1]), "again": True})
    tally = Tally("generated", known)
    not_made, properties = [], 0
    for change, request, answer in zip(changes, requests, judge.run(requests)):
        known.judged("generated", change.kind, "", "create")
        if _failed(answer):
            not_made.append(f"{change.name}: {_failed(answer)}")
            continue
        entries, wrong = updates.diff(request["old"], request["new"])
        for resource, what in change.whats.items():
            one = answer["resources"].get(resource)
            if wrong or one is None:
                not_made.append(f"{change.name} {what}: {wrong or 'not run'}")
                continue
            properties += what != "nothing"
            tally.add(change.kind, what, entries.get(resource), one, _below(answer, resource), others=entries.values())
    heats = [line for line in not_made if known.has("generated", line.split(" ", 1)[0].rsplit("-", 1)[0].replace("-", "::"), "", "create", "", "Heat fails")]
    figures.must(len(changes) - len(not_made) + len(heats), len(changes), f"generated templates that Heat creates on the cloud, of {len(cloud_changes.TYPES)} types (or Heat itself fails: {len(heats)})",
                 [line for line in not_made if line not in heats])
    figures.say(f"generated: {properties} properties change, each in a resource of its own")
    tally.tell(figures)


def _failed(answer):
    """Why nothing can be compared, or `None`."""
    if answer.get("error"):
        return answer["error"]
    if not answer.get("states"):
        return str(answer.get("errors", "no answer"))[:300]
    if answer["states"][0]["status"] != "COMPLETE":
        return f"not created: {answer['states'][0]['reason'][:200]}"
    return f"not modeled: {answer['unmodeled'][0]}" if answer["unmodeled"] else None


def _below(answer, name):
    return [one for path, one in answer["resources"].items() if path.startswith(name + "/")]


# ---- cases of our own


def _own(figures, judge, known):
    """Groups, conditions, policies, what follows from a replacement, renames."""
    folder = house.scratch("updates/own")
    cases, requests = [], []
    for number, (name, *sides) in enumerate(update_cases.every()):
        paths = folder / f"{number:02}-old.yaml", folder / f"{number:02}-new.yaml"
        for path, side in zip(paths, sides):
            path.write_text(json.dumps(side), encoding="utf-8")
        cases.append(name)
        # A group that has removed members is not like that of a new stack.
        requests.append({"old": str(paths[0]), "new": str(paths[1]), "fresh": not name.startswith("group, removal policies ")})
    tally, apart = Tally("own", known), []
    for name, request, answer in zip(cases, requests, judge.run(requests)):
        if _failed(answer):
            apart.append(f"{name}: {_failed(answer)}")
            continue
        _whole(tally, name, request, answer)
    figures.must(len(cases) - len(apart), len(cases), "cases of our own that Heat creates on the cloud", apart)
    tally.tell(figures)


# ---- failed resources

# Whatever the resource makes.
FAIL_FIRST = ["create * * @r1", "add_router_interface router * @r1"]
FAIL_LATER = ["update * * @r1", "create * * @r1"]
# Heat looks after the objects of these when it checks a stack.
CHECKED = ("OS::Nova::KeyPair", "OS::Nova::Server", "OS::Cinder::Volume", "OS::Swift::Container")
# One of so many types runs without `--full`.
OF_BROKEN = 3


def _broken(figures, judge, known, full):
    """A stack in which a resource failed, saved and compared with its own template: Heat replaces some, and looks after others."""
    folder = house.scratch("updates/broken")
    cases, requests = [], []
    for number, (kind, template, changed) in enumerate(cloud_changes.single()):
        if not full and number % house.sampled(OF_BROKEN):
            continue
        for how in ("create", "update", "check") if kind in CHECKED else ("create", "update"):
            name = f"{kind}-{how}".replace("::", "-")
            path, before = folder / f"{name}.yaml", folder / f"{name}-before.yaml"
            path.write_text(json.dumps(changed if how == "update" else template), encoding="utf-8")
            before.write_text(json.dumps(template), encoding="utf-8")
            cases.append((kind, how, path))
            fails = {"create": {"fail": FAIL_FIRST}, "update": {"fail_later": FAIL_LATER}}.get(how, {})
            requests.append({"broken": "r1", "how": how, "old": str(before), "new": str(path), **fails})
    tally, states = Tally("failed", known), collections.Counter()
    for (kind, how, path), request, answer in zip(cases, requests, judge.run(requests)):
        if answer.get("error") or not answer.get("states") or answer["unmodeled"]:
            tally.new.append(f"failed\t{kind}\t{how}\tdecision\tnot compared\t{_failed(answer)}")
            tally.judged += 1
            continue
        states[answer.get("state")] += 1
        one = answer["resources"].get("r1")
        if one is None:
            continue
        saved = path.with_suffix(".json")
        saved.write_text(json.dumps(answer["export"]), encoding="utf-8")
        entries, wrong = updates.diff(saved, path)
        if wrong:
            tally.new.append(f"failed\t{kind}, {how}: {answer['state']}\tr1\tdecision\tnot compared\t{wrong}")
            tally.judged += 1
            continue
        tally.add(f"{kind}, {how}: {answer['state']}", "r1", entries.get("r1"), one, _below(answer, "r1"), others=entries.values())
    figures.say("failed: of the resources that were to fail, " + ", ".join(f"{state} {count}" for state, count in states.most_common()))
    tally.tell(figures)


# ---- the cases


def _cases(figures, judge, known, full):
    source = house.CORPUS.parent / "cases" / "aftermath"
    if not source.is_dir():
        figures.skip("cases", "there is no folder of cases")
        return
    folder = house.scratch("updates/cases")
    names, requests = [], []
    chosen = [it for it in sorted(source.iterdir()) if (it / "1.yaml").exists()]
    for case in chosen if full else chosen[::house.sampled(OF_CASES)]:
        request = _case(case, folder)
        if request is None:
            continue
        names.append(case.name)
        requests.append(request)
    tally, apart = Tally("cases", known), []
    for name, request, answer in zip(names, requests, judge.run(requests)):
        if _failed(answer):
            apart.append(f"{name}: {_failed(answer)}")
            continue
        _whole(tally, name, request, answer)
    figures.say(f"cases: {len(names) - len(apart)} of {len(names)} run; apart: {len(apart)} that cannot be created on this cloud")
    for line in apart:
        figures.say(f"cases: apart: {line}")
    tally.tell(figures)


def _case(case, folder):
    """A request of a case: its templates with what a real cloud needs for them."""
    place = folder / case.name
    shutil.copytree(case, place)
    lines = (case / "steps").read_text(encoding="utf-8").splitlines() if (case / "steps").exists() else ["create:1.yaml", "update:2.yaml"]
    puts, templates, flags = [], [], []
    for line in lines:
        verb, _, rest = line.partition(":")
        if verb == "put":
            body = json.loads(rest.replace('"ee"', f'"{"e" * 8}-eeee-4eee-8eee-{"e" * 12}"'))
            puts += body.get("make") or []
            if body["set"]:
                return None
        elif verb in ("create", "update"):
            template, *more = rest.split(":")
            templates.append(place / template)
            flags.append(more)
        elif verb not in ("timeout", "agent"):
            return None
    options = (case / "options").read_text(encoding="utf-8") if (case / "options").exists() else ""
    if len(templates) < 2 or options.strip():
        return None
    for template in templates:
        text = template.read_text(encoding="utf-8")
        # A floating IP needs a router with a gateway: the cloud of the cases did not look.
        if "ext_sub:" in text:
            text = re.sub(r"OS::Neutron::Router, properties: \{name: r\}", "OS::Neutron::Router, depends_on: ext_sub, properties: {name: r, external_gateway_info: {network: {get_resource: ext}}}", text)
        template.write_text(text, encoding="utf-8")
    order = next((flag for flag in flags[1] if flag in ("create-first", "delete-first")), "fifo")
    return {"old": str(templates[0]), "new": str(templates[1]), "put": puts, "external": systems.EXTERNAL, "order": order, "rollback": "rollback" in flags[1], "agent": "agent" in lines, "api": systems.WITHOUT_NETWORKS, "folder": True, "fresh": True}


def _whole(tally, name, request, answer):
    """Each resource of the root stack."""
    extra = [word for flag, key in (("--old-e", "old_env"), ("-e", "env")) for each in request.get(key, ()) for word in (flag, each)]
    entries, wrong = updates.diff(request["old"], request["new"], extra)
    if wrong:
        tally.new.append(f"{tally.group}\t{name}\t\tdecision\tnot compared\t{wrong}")
        tally.judged += 1
        return
    # After a rollback, what happened is not what the update decided.
    rolled = answer["states"][-1]["action"] == "ROLLBACK"
    for path, one in answer["resources"].items():
        # The members of most groups have numbers, on both sides.
        if "/" not in path or path.count("/") == 1 and path.rpartition("/")[2].isdigit():
            unknown = one.get("unknown") or rolled and not one.get("failure") or cloud_deployments.MADE_UP in one.get("reason", "")
            tally.add(name, path, entries.get(path), {**one, "unknown": unknown}, _below(answer, path), not rolled, entries.values())
    if answer.get("left") is not None:
        tally.leave(name, {kind for entry in entries.values() for kind in updates.hazards(entry)}, answer["left"], rolled)


# ---- real revisions


def _pairs(figures, judge, known, full):
    if not figures.has("pairs", what="real revisions"):
        return
    folder = house.scratch("updates/pairs")
    names, requests, apart = [], [], collections.Counter()
    for pair in sorted(it for it in (house.CORPUS / "pairs").iterdir() if it.is_dir()):
        kinds = set(re.findall(r"type[\"']?\s*:\s*[\"']?((?:OS|AWS|Rackspace)::[\w:]+|[\w./:-]+\.(?:yaml|template))", (pair / "old.yaml").read_text("utf-8", "replace") + (pair / "new.yaml").read_text("utf-8", "replace")))
        missing = sorted(kind for kind in kinds if not systems.is_modeled(kind))
        if missing:
            apart["not modeled: " + missing[0]] += 1
            continue
        names.append(pair.name)
        requests.append(pair)
    total = len(names) + sum(apart.values())
    chosen = list(zip(names, requests)) if full else list(zip(names, requests))[::house.sampled(OF_PAIRS)]
    asked = [_pair(pair, folder) for _, pair in chosen]
    tally, failed = Tally("revisions", known), collections.Counter()
    for (name, _), request, answer in zip(chosen, asked, judge.run(asked)):
        # An answer may be remembered, its files are not.
        for path in answer.get("stand_ins", ()):
            updates.stand_in(path)
        if why := _failed(answer):
            failed[re.sub(r"'[^']*'|\"[^\"]*\"|[0-9a-f-]{32,}|\d+", "…", why)[:110]] += 1
            continue
        _whole(tally, name, request, answer)
    figures.say(f"revisions: {len(names)} of {total} have modeled types only; {len(chosen)} of them run, {len(chosen) - sum(failed.values())} are created")
    for reason, count in [*apart.most_common(6), *failed.most_common(6)]:
        figures.say(f"revisions: apart: {count} {reason}")
    if tally.judged:
        tally.tell(figures)


def _pair(pair, folder):
    """A request of a real revision: what it expects is in the cloud, and parameters without a default have a value."""
    place = folder / pair.name
    shutil.copytree(pair, place)
    sides = place / "old.yaml", place / "new.yaml"
    put, parameters = cloud_deployments.surroundings(*sides)
    environments = []
    for side in sides:
        # A side gets the parameters that it declares.
        declared = cloud_deployments.surroundings(side)[1]
        environment = place / f"{side.stem}-env.yaml"
        environment.write_text(json.dumps({"parameters": {name: parameters[name] for name in sorted(declared)}}), encoding="utf-8")
        environments.append(str(environment))
    return {"old": str(sides[0]), "new": str(sides[1]), "old_env": environments[:1], "env": environments[1:], "put": put, "external": systems.EXTERNAL, "api": systems.WITHOUT_NETWORKS, "agent": True, "folder": True, "stand_ins": str(folder.parent)}
