"""The graphs: `dot` beside Graphviz, `mermaid` beside its own parser in node; what the templates of targets are given beside its schema."""

import json
import pathlib
import shutil
import subprocess
import sys
from concurrent import futures

import house

# What of the corpus the part cannot do without.
NEEDS = ("templates",)

# The checker tries every kind of expression at every level: larger contexts would keep it busy for minutes.
_PATIENCE = 20
_LARGEST = 50_000
_PARSE = """
import { readFileSync } from 'node:fs';
import { JSDOM } from 'jsdom';
const dom = new JSDOM('<!DOCTYPE html>');
globalThis.window = dom.window;
globalThis.document = dom.window.document;
const mermaid = (await import('mermaid')).default;
mermaid.initialize({ maxEdges: 100000, maxTextSize: 10000000 });
const answers = {};
for (const file of readFileSync(0, 'utf8').split('\\n').filter(Boolean)) {
  try { await mermaid.parse(readFileSync(file, 'utf8')); answers[file] = null; }
  catch (error) { answers[file] = String(error.message ?? error); }
}
console.log(JSON.stringify(answers));
"""


# Without `--full`, one in so many templates of the corpus.
STEP = 8


def run(figures, full):
    """Renders templates of the corpus as each kind of graph and asks the judges of these."""
    folder = house.scratch("graphs")
    figures.has("overcloud", what="the overcloud")
    jobs = _jobs() if full else _sample(_jobs(), STEP)
    graphs = {}
    for target in ("dot", "mermaid", "markdown"):
        with futures.ThreadPoolExecutor(2) as pool:
            done = list(pool.map(lambda job: _render(target, job), jobs))
        broken = [f"{job[0]}: {answer}" for job, answer in zip(jobs, done) if isinstance(answer, str) and answer.startswith("!")]
        graphs[target] = _files(folder, target, jobs, done)
        figures.must(len(jobs) - len(broken), len(jobs), f"files are rendered as {target}, or have an error that is told", broken)
        figures.count(len(graphs[target]), len(jobs), f"files have a {target}")
    _graphviz(figures, graphs["dot"])
    _mermaid(figures, {**graphs["mermaid"], **_inside(folder, graphs["markdown"])})
    _context(figures, folder, _jobs(), full)


def _sample(jobs, step):
    """One in so many, and the last, the overcloud."""
    return jobs[:-1:step] + jobs[-1:]


def _jobs():
    paths = house.files_below(house.CORPUS / "templates") + sorted((house.CORPUS / "pairs").glob("*/new.*"))
    overcloud = house.CORPUS / "overcloud"
    jobs = [[path] for path in paths]
    if not house.missing("overcloud"):
        jobs.append([overcloud / "overcloud.yaml", "-e", overcloud / "overcloud-resource-registry-puppet.yaml"])
    return jobs


def _render(target, job):
    """The text, also of what is left open by an error; None for what is refused; what begins with `!` should not be."""
    done = house.hotplate("render", *job, "--target", target, "--color", "never")
    said = done.stderr.decode("utf-8", "replace")
    if done.stdout and (done.returncode == 0 or done.returncode == 1 and "error[HP" in said):
        return done.stdout.decode()
    if done.returncode in (1, 2) and not done.stdout and "[HP" in said and "[HP0908]" not in said and "[HP0909]" not in said:
        return None
    return f"!exit {done.returncode}: {said[-400:]}"


def _files(folder, target, jobs, texts):
    """The graphs on the disk, with the template that each is of."""
    files = {}
    for number, (job, text) in enumerate(zip(jobs, texts)):
        if text is not None and not text.startswith("!"):
            path = folder / f"{number}.{target}"
            path.write_text(text, encoding="utf-8")
            files[path] = job[0]
    return files


def _inside(folder, pages):
    """The graphs in pages of Markdown, which have one fence each."""
    files = {}
    for page, template in pages.items():
        text = page.read_text(encoding="utf-8")
        begin = text.rfind("```mermaid\n")
        if begin >= 0:
            path = folder / f"{page.name}.mermaid"
            path.write_text(text[begin:].split("\n", 1)[1].rsplit("```", 1)[0], encoding="utf-8")
            files[path] = f"{template} (markdown)"
    return files


def _graphviz(figures, graphs):
    dot = shutil.which("dot")
    if dot is None:
        figures.skip("graphs are drawn by Graphviz", "`dot` is not installed")
        return
    misses = []
    for path, template in graphs.items():
        done = house.run([dot, "-Tsvg", "-o", path.with_suffix(".svg"), path], timeout=600)
        if done.returncode != 0 or done.stderr:
            misses.append(f"{template}: {done.stderr.decode('utf-8', 'replace')[:300]}")
    figures.must(len(graphs) - len(misses), len(graphs), "graphs are drawn by Graphviz without a word", misses)


def _mermaid(figures, graphs):
    node = shutil.which("node")
    if node is None or not house.installed("mermaid"):
        figures.skip("graphs are taken by Mermaid's parser", "node or the package mermaid is not installed")
        return
    home = house.ORACLES / "mermaid"
    (home / "parse.mjs").write_text(_PARSE, encoding="utf-8")
    paths = "\n".join(str(path) for path in graphs).encode()
    done = house.run([node, "parse.mjs"], cwd=home, input=paths)
    if done.returncode != 0:
        figures.must(0, len(graphs), "graphs are taken by Mermaid's parser", [done.stderr.decode("utf-8", "replace")[-500:]])
        return
    answers = json.loads(done.stdout)
    misses = [f"{graphs[path]}: {answers.get(str(path), 'no answer')[:300]}" for path in graphs if answers.get(str(path), "no answer") is not None]
    figures.must(len(graphs) - len(misses), len(graphs), "graphs are taken by Mermaid's parser", misses)


def _context(figures, folder, jobs, full):
    checker = shutil.which("check-jsonschema", path=str(pathlib.Path(sys.executable).parent)) or shutil.which("check-jsonschema")
    if checker is None:
        figures.skip("contexts fit their schema", "check-jsonschema is not installed")
        return
    schema = house.ROOT / "docs" / "schemas" / "target-context.json"
    fit, slow, misses = 0, 0, []
    for number, job in enumerate(jobs if full else jobs[::2 * STEP]):
        done = house.hotplate("targets", "context", *job, "--target", "dot", "-q")
        # What Heat refuses in a resource is told by exit status 1 beside the context.
        if done.returncode not in (0, 1) or not done.stdout:
            continue
        if len(done.stdout) > _LARGEST:
            slow += 1
            continue
        path = folder / f"{number}.context.json"
        path.write_bytes(done.stdout)
        try:
            done = house.run([checker, "--schemafile", schema, path], timeout=_PATIENCE)
        except subprocess.TimeoutExpired:
            slow += 1
            continue
        fit += done.returncode == 0
        if done.returncode != 0:
            misses.append(f"{job[0]}: {done.stdout.decode('utf-8', 'replace')[:300]}")
    figures.must(fit, fit + len(misses), "contexts fit their schema", misses)
    figures.count(slow, fit + len(misses) + slow, f"contexts are larger than {_LARGEST} bytes, or keep the checker busy for more than {_PATIENCE} s, and are not counted: it tries every kind at every level")
    manifests = sorted(house.TARGETS.glob("*/target.yaml"))
    done = house.run([checker, "--schemafile", house.ROOT / "docs" / "schemas" / "target-manifest.json", *manifests])
    figures.must(len(manifests) if done.returncode == 0 else 0, len(manifests), "manifests fit their schema", done.stdout.decode().splitlines())
