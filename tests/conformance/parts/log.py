"""`hotplate log` beside `hotplate diff` of each commit with its parent, in made-up histories: files and resources are renamed, an environment
comes later, templates break and are repaired, branches are merged. And what a commit costs."""

import collections
import json
import os
import random

import house

HISTORIES, HISTORIES_FULL = 6, 60
COMMITS = 25
# The history whose time is taken: commits of a template of so many resources.
COSTLY_COMMITS, COSTLY_RESOURCES = 120, 25
FLAVORS = ("small", "medium", "large")


class Made:
    """A repository, the files of each commit, and the newest name of everything in it."""

    def __init__(self, folder, rng):
        self.folder, self.rng, self.commits = folder, rng, []
        self.template, self.environment, self.number = "web.yaml", None, 0
        self.names = {}
        self.servers = {f"r{n}": {"flavor": "{get_param: flavor}", "data": "0", "zone": f"z{n}"} for n in range(4)}
        self.files = {"boot.sh": "one\n"}
        self.broken = False
        self._git("init", "-q", "-b", "main")
        self._git("config", "user.email", "a@example.org")
        self._git("config", "user.name", "Ann")
        self.commit("begin")

    def _git(self, *arguments):
        done = house.run(["git", *arguments], cwd=self.folder)
        if done.returncode:
            raise RuntimeError(done.stderr.decode())
        return done.stdout.decode().strip()

    def _text(self):
        lines = ["heat_template_version: 2021-04-16", "parameters:", "  flavor: {type: string, default: tiny}", "resources:"]
        for name, it in self.servers.items():
            lines += [f"  {name}:", "    type: OS::Nova::Server", "    properties:", f"      flavor: {it['flavor']}", "      image: system", f"      availability_zone: {it['zone']}",
                      "      networks: [{network: net}]", "      user_data_update_policy: REPLACE", "      user_data:", "        str_replace:", "          template: $a $b",
                      "          params: {$a: {get_file: %s}, $b: '%s'}" % (os.path.relpath("boot.sh", os.path.dirname(self.template) or "."), it["data"])]
        return "\n".join(lines) + ("\nbad: [\n" if self.broken else "\n")

    def commit(self, message):
        """Everything as it is now, as a commit."""
        files = {**self.files, self.template: self._text()}
        for path in set(self._git("ls-files").splitlines()) - files.keys():
            self._git("rm", "-q", "--", path)
        for path, text in files.items():
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / path).write_text(text, encoding="utf-8")
        self._git("add", "-A")
        self._git("commit", "-q", "--allow-empty", "-m", message)
        self.commits.append((self._git("rev-parse", "HEAD"), files, self.template, self.environment))

    def step(self):
        """A random change."""
        changes = [self._property, self._property, self._rename, self._move, self._environment, self._boot, self._readme, self._resource, self._break, self._merge]
        self.number += 1
        change = self._break if self.broken else self.rng.choice(changes)
        change()

    def _property(self):
        name = self.rng.choice(list(self.servers))
        key = self.rng.choice(("data", "zone", "flavor"))
        self.servers[name][key] = f"{self.rng.choice(FLAVORS)}{self.number}"
        self.commit(f"{key} of {name}")

    def _rename(self):
        old = self.rng.choice(list(self.servers))
        self.servers = {(f"n{self.number}" if name == old else name): it for name, it in self.servers.items()}
        self.commit(f"rename {old}")

    def _move(self):
        folder = f"stacks{self.number}"
        moved = {self.template: f"{folder}/app.yaml", self.environment: f"{folder}/app.env"}
        self.template = moved[self.template]
        if self.environment:
            self.files[moved[self.environment]] = self.files.pop(self.environment)
            self.environment = moved[self.environment]
        self.commit("move")

    def _environment(self):
        self.environment = self.environment or "web.env"
        self.files[self.environment] = "# The values of the stack that runs, which are kept when it is moved.\nparameters: {flavor: %s%d}\n" % (self.rng.choice(FLAVORS), self.number)
        self.commit("environment")

    def _boot(self):
        self.files["boot.sh"] = f"{self.number}\n"
        self.commit("boot.sh")

    def _readme(self):
        self.files["README"] = f"{self.number}\n"
        self.commit("README")

    def _resource(self):
        if len(self.servers) > 3:
            self.servers.pop(self.rng.choice(list(self.servers)))
        else:
            self.servers[f"c{self.number}"] = {"flavor": "small", "data": str(self.number), "zone": f"z{self.number}"}
        self.commit("resource")

    def _break(self):
        self.broken = not self.broken
        self.commit("break" if self.broken else "repair")

    def _merge(self):
        """A branch that changes what the main line does not touch meanwhile: a commit on it and its merge, which is none of the log's lines."""
        before = self._git("rev-parse", "HEAD")
        self._git("checkout", "-q", "-b", f"side{self.number}")
        self._property()
        side = self.commits[-1]
        self._git("checkout", "-q", "main")
        self._git("merge", "-q", "--no-ff", "-m", "merge", f"side{self.number}")
        assert before != side[0]


def _write(folder, files):
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")


def _truth(made, folder):
    """What `diff` says of each commit: by its id, the impacts by newest names; `None` where a side cannot be read."""
    rows, newest = {}, {}
    for at in range(len(made.commits) - 1, 0, -1):
        (_, old_files, old, old_env), (commit, new_files, new, new_env) = made.commits[at - 1], made.commits[at]
        sides = {side: folder / f"{at}{side}" for side in ("old", "new")}
        _write(sides["old"], old_files)
        _write(sides["new"], new_files)
        arguments = [sides["old"] / old, sides["new"] / new]
        arguments += [part for side in sides.values() for part in ("--allow-path", side)]
        arguments += ["-e", sides["new"] / new_env] if new_env else []
        if new_env:
            (sides["old"] / "none.env").write_text("parameters: {}\n", encoding="utf-8")
            arguments += ["--old-e", sides["old"] / (old_env or "none.env")]
        report = json.loads(house.hotplate("diff", *arguments, "--format", "json").stdout or '{"compared": false}')
        if not report["compared"]:
            rows[commit] = None
            continue
        row, renamed = set(), {}
        for resource in report["resources"]:
            name = resource.get("renamed_to") or resource["name"]
            if resource.get("renamed_from"):
                renamed[resource["renamed_from"]] = newest.get(name, name)
            if resource["effective_impact"] not in ("none", "noop-update"):
                row.add((newest.get(name, name), resource["effective_impact"]))
        rows[commit] = row
        newest.update(renamed)
    return rows


def _histories(figures, full):
    well = collections.Counter()
    misses = []
    for seed in range(HISTORIES_FULL if full else HISTORIES):
        made = Made(house.scratch(f"log/{seed}"), random.Random(seed))
        while len(made.commits) < COMMITS or made.broken:
            made.step()
        truth = _truth(made, house.scratch(f"log/{seed}-sides"))
        deployment = ("-e", made.environment) if made.environment else ()
        done = house.run([house.BINARY, "log", *deployment, "--format", "json"], cwd=made.folder)
        if done.returncode:
            misses.append(f"history {seed}: exit {done.returncode}: {done.stderr.decode()[-300:]}")
            continue
        report = json.loads(done.stdout)
        lines = {it["commit"]: it for it in report["commits"]}
        counts = collections.defaultdict(collections.Counter)
        for commit, row in truth.items():
            line = lines.get(commit)
            said = {(it["resource"], it["impact"]) for it in line["resources"]} if line else set()
            well["commits"] += 1
            is_well = bool(line and line["not_compared"]) if row is None else said == row and not (line and line["not_compared"])
            well["right"] += is_well
            if not is_well:
                misses.append(f"history {seed}, {commit[:9]} ({line and line['subject']}): log {sorted(said)}, diff {row and sorted(row)}")
            for name, impact in row or ():
                counts[name][impact] += 1
        said = {it["resource"]: dict(it["impacts"]) for it in report["resources"]}
        well["resources"] += len(counts)
        well["counted"] += sum(said.get(name) == dict(of) for name, of in counts.items())
        well["templates"] += all(it["template"] == made.template for it in report["resources"])
        well["histories"] += 1
        # One resource under all of its names.
        name = made.rng.choice(list(made.servers))
        only = json.loads(house.run([house.BINARY, "log", *deployment, "--format", "json", "--", f"{made.template}:{name}"], cwd=made.folder).stdout or '{"commits": []}')
        wanted = [it["commit"] for it in report["commits"] if any(entry["resource"] == name for entry in it["resources"])]
        well["one"] += [it["commit"] for it in only["commits"] if it["resources"]] == wanted
    figures.must(well["right"], well["commits"], "commits of made-up histories are what `diff` of the two sides makes of them", misses)
    figures.must(well["counted"], well["resources"], "resources with the number of commits of each impact, under their newest names")
    figures.must(well["templates"], well["histories"], "histories in which every template has its newest name")
    figures.must(well["one"], well["histories"], "histories in which one resource is found under all of its names")


def _cost(figures):
    """The time of the processor for one commit, children included."""
    made = Made(house.scratch("log/cost"), random.Random(1))
    made.servers = {f"r{n}": {"flavor": "small", "data": "0", "zone": f"z{n}"} for n in range(COSTLY_RESOURCES)}
    for number in range(COSTLY_COMMITS):
        name = f"r{number % COSTLY_RESOURCES}"
        made.servers[name]["data"] = str(number)
        made.commit(f"data of {name}")
    before = os.times()
    done = house.run([house.BINARY, "log", "--format", "json"], cwd=made.folder)
    after = os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    count = json.loads(done.stdout)["compared"]
    figures.must(count, COSTLY_COMMITS, "commits of a long history are compared")
    figures.say(f"{1000 * spent / count:.1f} ms of the processor for a commit of a template with {COSTLY_RESOURCES} resources, start included (wanted: at most 15)")


def run(figures, full):
    """The part."""
    _histories(figures, full)
    _cost(figures)
