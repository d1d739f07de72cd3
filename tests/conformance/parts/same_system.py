"""Whether the result of a target makes things in the order in which Heat makes them.

Heat says of every stack of a deployment what each resource waits for: what it refers to, `depends_on`, and what plugins
add. For each of these edges, the result of a target must imply that the object that it makes of the resource is made after that of
the other: by references, by what the target has for dependencies, or by the order of tasks. A nested stack stands for all of
its objects, and a resource that a target does not make for what it waits for itself. Where a resource became several objects, the one
with its name counts; how many wait for the others, too, is printed.
"""

import json
from concurrent import futures

import house
from generators import dependencies
from judges import deployments, target_graphs
from judges.judge import Judge
from parts.upgrade import corpus_identity

# What of the corpus the part cannot do without.
NEEDS = ("templates", "pairs")
# Without `--full`, one in so many templates of the corpus.
STEP = 2
GROUPS = ("OS::Heat::ResourceGroup", "OS::Heat::AutoScalingGroup", "OS::Heat::ResourceChain", "OS::Heat::InstanceGroup", "AWS::AutoScaling::AutoScalingGroup",
          "OS::Heat::SoftwareDeploymentGroup", "OS::Heat::StructuredDeploymentGroup")


class Stacks:
    """The resources of a deployment by their paths, each with those that it waits for in Heat."""

    def __init__(self, answer):
        self._stacks = answer["stacks"]
        self.waits = {}
        self._walk(str(answer["root"]), ())

    def _walk(self, number, place, is_group=False):
        for name, entry in (self._stacks[number].get("resources") or {}).items():
            required = entry["requires"] if isinstance(entry["requires"], list) else []
            names = [*required, *entry.get("implicit_dependencies", ())]
            # Members of a group wait for each other only in a chain, of which no target has a counterpart.
            self.waits[*place, name] = [] if is_group else [(*place, other) for other in names]
            child = entry.get("nested")
            if isinstance(child, int) and len(place) < 8:
                self._walk(str(child), (*place, name), entry["type"] in GROUPS)

    def edges(self, graph):
        """The pairs of paths in which both resources have objects in a graph."""
        for path, others in self.waits.items():
            if graph.leaves(path):
                yield from ((path, other) for other in self._made(others, graph, set()))

    def _made(self, paths, graph, seen):
        for path in paths:
            if path in seen:
                continue
            seen.add(path)
            if graph.leaves(path):
                yield path
            else:
                yield from self._made(self.waits.get(path, ()), graph, seen)


def run(figures, full):
    """Compares every edge of Heat with the result of every target."""
    folder = house.scratch("same_system")
    own = folder / "own"
    own.mkdir()
    for name, text in dependencies.FILES.items():
        (own / name).write_text(text, encoding="utf-8")
    paths = house.files_below(house.CORPUS / "templates") + sorted((house.CORPUS / "pairs").glob("*/new.*"))
    paths = [own / name for name in dependencies.ROOTS] + (paths if full else paths[::STEP])
    identity = corpus_identity(house.CORPUS / "templates") + corpus_identity(house.CORPUS / "pairs") + json.dumps(dependencies.FILES).encode()
    with Judge() as judge:
        answers = judge.ask([deployments.request(path) for path in paths], remember=True, depends=identity)
    heats = {path: Stacks(answer) for path, answer in zip(paths, answers) if "stacks" in answer}
    added = [entry.get("implicit_dependencies") for answer in answers for stack in answer.get("stacks", {}).values() for entry in (stack.get("resources") or {}).values()]
    figures.must(sum(map(bool, added)) > 0, 1, "resources that Heat's plugins make wait are among them")
    ours = [_our_edges(path) for path in heats]
    _same_edges(figures, heats, ours)
    for target, kind in target_graphs.TARGETS.items():
        with futures.ThreadPoolExecutor(2) as pool:
            done = list(pool.map(lambda job: _graph(target, kind, folder / target / str(job[0]), job[1], heats[job[1]]), enumerate(heats)))
        _judge(figures, target, {path: graph for path, graph in zip(heats, done) if graph}, heats)


def _our_edges(path):
    done = house.run([house.BINARY, *deployments.arguments(path)])
    try:
        return json.loads(done.stdout)
    except ValueError:
        return {}


def _same_edges(figures, heats, ours):
    """The root's edges, of Heat and of `eval`."""
    well, of, differences = 0, 0, []
    for (path, heat), answer in zip(heats.items(), ours):
        found = answer.get("resources") or {}
        for (name, *below), others in heat.waits.items():
            if below:
                continue
            entry = found.get(name, {})
            required = entry.get("requires") if isinstance(entry.get("requires"), list) else []
            mine = {*required, *entry.get("implicit_dependencies", ())}
            theirs = {other for (other,) in others}
            of += len(theirs | mine)
            well += len(theirs & mine)
            differences += [f"{path}: {name}: Heat {sorted(theirs - mine)}, hotplate {sorted(mine - theirs)}"] if theirs != mine else []
    figures.must(well, of, "edges between resources of a root stack are Heat's", differences)


def _graph(target, kind, output, path, heat):
    """The graph of a result, and the resources of which it says that they cannot wait for another one; None where there is no result."""
    done = house.hotplate("render", path, "--target", target, "-o", output, "--force", "--allow-path", path.parent, "--format", "json")
    if not output.exists():
        return None
    told = {loss["owner"] for loss in json.loads(done.stdout)["losses"] if loss["subject"] == "depends_on"}
    return kind(output, heat.waits), told


def _judge(figures, target, graphs, heats):
    held, of, gaps, beside, of_beside, declared = 0, 0, [], 0, 0, 0
    for path, (graph, told) in graphs.items():
        for one, other in heats[path].edges(graph):
            main, main_other = graph.main_leaves(one), graph.main_leaves(other)
            for leaf in main - main_other:
                missing = [it for it in main_other - main if not graph.waits(leaf, it)]
                if missing and one[-1] in told:
                    declared += 1
                    continue
                of += 1
                held += not missing
                if missing:
                    gaps.append(f"{path}: {'/'.join(one)} ({leaf}) does not wait for {'/'.join(other)} ({missing[:2]})")
            for leaf in main:
                more = graph.leaves(other) - main_other - main
                of_beside += len(more)
                beside += sum(graph.waits(leaf, it) for it in more)
    figures.must(held, of, f"{target}: objects wait for what Heat makes first ({len(graphs)} deployments; {declared} that cannot wait are told)", gaps)
    figures.count(beside, of_beside, f"{target}: objects wait for what stands beside such an object, as the rules of a security group")
