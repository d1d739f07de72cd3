"""The language server beside the commands: findings of `check`, the impact of `diff`, half-typed texts, secrets, times, memory."""

import json
import random
import statistics
import subprocess
import time

import house
from judges.lsp_client import Client, position, uri

NEEDS = ("templates", "pairs")
# So many templates are opened; `--full`: all.
OPENED = 120
# So many pairs of revisions are typed; `--full`: all.
TYPED = 60
# So many prefixes are typed, of so many templates, the shortest; `--full`: each of each.
PREFIXES, TEMPLATES = 2500, 200
# So many edits are made one after the other; `--full`: the second number.
EDITS, MANY_EDITS = 1500, 10000
# Memory may grow by so much from the middle of the edits to their end, in MB.
GROWTH = 16
LOUD = ("refused", "delete", "replace", "not-compared", "may-replace", "rebuild", "snapshot", "retain", "create", "adopt", "update")
TOKEN = "Tok3nThatNobodyMaySee"

# The requests about a position, and those about a file.
AT = ("hover", "completion", "definition", "references", "documentHighlight", "prepareRename", "codeAction")
OF_FILE = ("codeLens", "documentSymbol", "foldingRange", "inlayHint", "documentLink", "semanticTokens/full", "formatting")
PROVIDERS = {
    "hover": "hoverProvider", "completion": "completionProvider", "definition": "definitionProvider", "references": "referencesProvider",
    "documentHighlight": "documentHighlightProvider", "prepareRename": "renameProvider", "codeAction": "codeActionProvider", "codeLens": "codeLensProvider",
    "documentSymbol": "documentSymbolProvider", "foldingRange": "foldingRangeProvider", "inlayHint": "inlayHintProvider", "documentLink": "documentLinkProvider",
    "semanticTokens/full": "semanticTokensProvider", "formatting": "documentFormattingProvider",
}


def run(figures, full):
    """Runs the part."""
    _findings(figures, full)
    _impact(figures, full)
    _prefixes(figures, full)
    _secrets(figures, full)
    _times(figures, full)


def _params(name, path, text, offset):
    params = {"textDocument": {"uri": uri(path)}}
    here = position(text, offset)
    if name in AT and name != "codeAction":
        params["position"] = here
    if name == "references":
        params["context"] = {"includeDeclaration": True}
    if name in ("codeAction", "inlayHint"):
        params["range"] = {"start": here if name == "codeAction" else position(text, 0), "end": here if name == "codeAction" else position(text, len(text))}
    if name == "codeAction":
        params["context"] = {"diagnostics": []}
    if name == "formatting":
        params["options"] = {"tabSize": 2, "insertSpaces": True}
    return params


def _offered(client, names):
    return [name for name in names if client.announced.get(PROVIDERS[name]) not in (None, False)]


def _text(path):
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        return None
    # How an editor counts lines is tested elsewhere.
    return text if "\r" not in text and "\x85" not in text and "\u2028" not in text else None


def _templates():
    """Templates of the corpus, with their texts."""
    for path in house.files_below(house.CORPUS / "templates"):
        text = _text(path)
        if text and ("heat_template_version" in text or "HeatTemplateFormatVersion" in text):
            yield path, text


def _sample(items, many, full):
    items = list(items)
    return items if full or len(items) <= many else items[:: len(items) // many][:many]


def _place(finding):
    place = finding["place"]
    return (finding["code"], place["start"]["line"] - 1 if place else 0)


def _findings(figures, full):
    """What is shown of an open template is what `check` reports about that file."""
    folder = house.scratch("editor/findings")
    client = Client(folder, {"impact": {"base": None}})
    equal, misses, count = 0, [], 0
    for number, (source, text) in enumerate(_sample(_templates(), OPENED, full)):
        path = folder / f"{number}" / source.name
        path.parent.mkdir()
        path.write_text(text, encoding="utf-8")
        done = house.run([house.BINARY, "check", "--format", "json", path], cwd=folder)
        report = json.loads(done.stdout)
        said = {_place(it) for it in report["findings"] if not it["place"] or folder / it["place"]["path"] == path}
        if any(it["code"] == "HP0101" for it in report["findings"]):
            continue
        client.open(path, text)
        shown = client.diagnostics(path, 1)
        client.close_file(path)
        count += 1
        shown = {(it["code"], it["range"]["start"]["line"]) for it in shown}
        if shown == said:
            equal += 1
        else:
            misses.append(f"{source}: only shown {sorted(shown - said)[:4]}, only reported {sorted(said - shown)[:4]}")
    figures.must(equal, count, "open templates show the findings that `check` reports", misses)
    figures.must(int(client.close() == 0), 1, "servers end with status 0 after shutdown and exit")


def _git(folder, *arguments):
    command = ["git", "-c", "user.name=editor", "-c", "user.email=editor@example.org", "-C", folder, *arguments]
    subprocess.run([str(it) for it in command], check=True, capture_output=True)


def _impact(figures, full):
    """The old revision is committed, the new one is typed: each resource that `diff` names has a lens at its line."""
    pairs = [it for it in sorted((house.CORPUS / "pairs").iterdir()) if it.is_dir()]
    noted, wanted, misses, quiet, quiet_wanted = 0, 0, [], 0, 0
    folder = house.scratch("editor/impact")
    _git(folder, "init", "-q")
    typed = []
    for pair in _sample(pairs, TYPED, full):
        old, new = _text(pair / "old.yaml"), _text(pair / "new.yaml")
        if old and new:
            (folder / pair.name).mkdir()
            (folder / pair.name / "stack.yaml").write_text(old, encoding="utf-8")
            typed.append((folder / pair.name / "stack.yaml", pair, new))
    _git(folder, "add", ".")
    _git(folder, "commit", "-qm", "old")
    client = Client(folder)
    for path, pair, new in typed:
        # Both are compared under the name of the old one, which nested files are relative to.
        beside = path.with_name("new.yaml")
        beside.write_text(new, encoding="utf-8")
        done = house.run([house.BINARY, "diff", "--no-config", "--format", "json", path, beside], cwd=folder)
        beside.unlink()
        report = json.loads(done.stdout)
        client.open(path, path.read_text(encoding="utf-8"))
        client.edit(path, 2, new)
        lenses = client.ask("textDocument/codeLens", {"textDocument": {"uri": uri(path)}}) or []
        client.close_file(path)
        if not report["compared"]:
            continue
        lines = {it["range"]["start"]["line"] for it in lenses}
        loud = [it for it in report["resources"] if it["effective_impact"] in LOUD]
        for it in loud:
            place = it.get("new_place")
            if place and folder / place["path"] != beside:
                continue
            wanted += 1
            has = place["start"]["line"] - 1 in lines if place else any(it["name"].rpartition("/")[2] in lens["command"]["title"] for lens in lenses)
            noted += has
            if not has:
                misses.append(f"{pair.name}: {it['name']} {it['effective_impact']}")
        if not loud and not report["refusals"]:
            quiet_wanted += 1
            # What is not a resource may differ, too.
            differs = any(report[it] for it in ("parameters", "groups", "conditions", "outputs", "environment", "security", "unread"))
            quiet += bool(not lenses or differs)
    figures.must(noted, wanted, "resources that `diff` says change have a lens", misses)
    figures.must(quiet, quiet_wanted, "edits without an effect are quiet", empty_is_well=True)
    client.close()


def _prefixes(figures, full):
    """Half of a template at a time: an answer to everything, and never a panic."""
    folder = house.scratch("editor/prefixes")
    client = Client(folder, {"impact": {"base": None}})
    chance = random.Random(20)
    templates = sorted(_templates(), key=lambda it: len(it[1]))[:TEMPLATES]
    every = [(path, text, end) for path, text in templates for end in range(len(text) + 1)]
    chosen = every if full else sorted(chance.sample(every, min(PREFIXES, len(every))), key=lambda it: (str(it[0]), it[2]))
    at, whole = _offered(client, AT), _offered(client, OF_FILE)
    answered, misses, last, version, path = 0, [], None, 0, folder / "a.yaml"
    client.open(path, "", 0)
    started = time.perf_counter()
    for source, text, end in chosen:
        version += 1
        if source != last:
            last = source
        client.edit(path, version, text[:end])
        # Everything is asked in turns where there are many.
        names = {"completion", (at + whole)[version % len(at + whole)]} if full else at + whole
        numbers = {name: client.start(f"textDocument/{name}", _params(name, path, text[:end], end)) for name in names if name in at + whole}
        bad = [(name, answer["error"]) for name, number in numbers.items() if "error" in (answer := client.wait(number)) and answer["error"]["code"] != -32803]
        answered += not bad
        if bad:
            misses.append(f"{source} to {end}: {bad[:2]}")
    figures.say(f"{len(chosen) / (time.perf_counter() - started):.0f} prefixes a second")
    figures.must(answered, len(chosen), f"prefixes of the {len(templates)} shortest templates get an answer to {len(at) + len(whole)} kinds of requests", misses)
    client.close()
    figures.must(int(b"bug at" not in client.errors), 1, "servers without a panic", [client.errors.decode()[-300:]])


def _with_secrets(text):
    """The template with its string parameters hidden, and the token as their default; None if it has none."""
    lines, section, changed = [], None, False
    for line in text.split("\n"):
        indent = len(line) - len(line.lstrip())
        if line.strip() and not line.startswith("#") and indent == 0:
            section = line.rstrip()
        if section == "parameters:" and line.strip() == "type: string":
            space = line[:indent]
            lines += [line, f"{space}hidden: true", f"{space}default: {TOKEN}"]
            changed = True
            continue
        # A second default of one parameter, and what the token does not fit.
        if section == "parameters:" and changed and line.strip().startswith(("default:", "hidden:")):
            continue
        lines.append(line)
    return "\n".join(lines) if changed else None


def _secrets(figures, full):
    """A token as the default of each hidden parameter: no hover, hint, lens or line of the log has it."""
    folder = house.scratch("editor/secrets")
    log = folder / "log.txt"
    client = Client(folder, {"impact": {"base": None}}, log)
    texts = [(path, changed) for path, text in _templates() if (changed := _with_secrets(text))]
    kept, asked, misses = 0, 0, []
    names = [name for name in _offered(client, AT + OF_FILE) if name not in ("formatting", "codeAction")]
    for number, (source, text) in enumerate(_sample(texts, 12, full)):
        path = folder / f"{number}.yaml"
        client.open(path, text)
        words = [at for at in range(1, len(text)) if text[at - 1] in " :[{'\"" and text[at].isalnum()]
        for offset in words if full else words[:: max(1, len(words) // 150)]:
            for name in names if offset == words[0] else [it for it in names if it in ("hover", "completion")]:
                answer = client.wait(client.start(f"textDocument/{name}", _params(name, path, text, offset)))
                asked += 1
                kept += TOKEN not in json.dumps(answer)
                if TOKEN in json.dumps(answer):
                    misses.append(f"{source} {name} at {offset}")
        client.close_file(path)
    client.close()
    if not asked:
        figures.skip("secrets", "no template of the corpus has a string parameter")
        return
    figures.must(kept, asked, "answers without the value of a hidden parameter", misses)
    figures.must(int(TOKEN not in log.read_text(encoding="utf-8") and TOKEN.encode() not in client.errors), 1, "logs without the value of a hidden parameter")


def _times(figures, full):
    """Random edits of real templates: how long each answer takes, and whether memory stays."""
    folder = house.scratch("editor/times")
    _git(folder, "init", "-q")
    templates = _sample(_templates(), 60, full)
    opened = []
    for number, (source, text) in enumerate(templates):
        path = folder / f"{number}" / source.name
        path.parent.mkdir()
        path.write_text(text, encoding="utf-8")
        opened.append([path, text, 1])
    _git(folder, "add", ".")
    _git(folder, "commit", "-qm", "all")
    client = Client(folder)
    chance = random.Random(7)
    names = _offered(client, AT + OF_FILE)
    times = {name: [] for name in names}
    edits = MANY_EDITS if full else EDITS
    memory = []
    current = None
    for number in range(edits):
        if number % 25 == 0:
            if current:
                client.close_file(current[0])
            current = chance.choice(opened)
            current[2] += 1
            client.open(current[0], current[1], current[2])
        path, text, version = current
        offset = chance.randrange(len(text) + 1)
        piece = chance.choice(["", " ", "x", ":", "\n", "- ", "{", "get_param: "])
        end = min(len(text), offset + (chance.randrange(4) if not piece else 0))
        part = {"start": position(text, offset), "end": position(text, end)}
        current[1], current[2] = text[:offset] + piece + text[end:], version + 1
        client.edit(path, current[2], piece, part)
        for name in [names[number % len(names)], "completion"] if "completion" in names else [names[number % len(names)]]:
            start = time.perf_counter()
            answer = client.wait(client.start(f"textDocument/{name}", _params(name, path, current[1], min(offset + len(piece), len(current[1])))))
            times[name].append((time.perf_counter() - start) * 1000)
            if "error" in answer and answer["error"]["code"] != -32803:
                figures.must(0, 1, f"{name} is answered: {answer['error']}")
        if number >= edits // 2 and number % 50 == 0:
            memory.append(client.memory())
    for name, found in sorted(times.items()):
        if len(found) > 1:
            found.sort()
            figures.say(f"{name}: median {statistics.median(found):.1f} ms, p99 {found[int(len(found) * 0.99) - 1]:.1f} ms, longest {found[-1]:.1f} ms ({len(found)} times)")
    figures.must(int(client.close() == 0), 1, f"servers are there after {edits} random edits")
    if memory and memory[0]:
        first, last = statistics.median(memory[: len(memory) // 4 or 1]), statistics.median(memory[-(len(memory) // 4 or 1):])
        figures.say(f"memory: {first:.0f} MB after half of the edits, {last:.0f} MB after all")
        figures.must(int(last - first <= GROWTH), 1, f"memory grows by at most {GROWTH} MB in the second half of the edits")
