"""No secret in clear: a unique token in each place that can hold a secret, and no output of any command with any part of it."""

import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import threading

import house
from generators.secret_places import NAMES, Draw, sweep

DRAWS, ALL_DRAWS = 500, 20_000
# A process draws so many deployments, one after the other.
SHARE = 25
# After so many draws, a line says how many are done, and how to go on from there.
PROGRESS = 1_000
# How often an editor asks: what shows values or texts more often.
LSP_REQUESTS = {"codeLens": 2, "documentSymbol": 2, "inlayHint": 2, "hover": 12, "completion": 4, "codeAction": 6, "definition": 2, "references": 2, "documentLink": 1, "foldingRange": 1, "signatureHelp": 1,
                "prepareRename": 2, "rename": 3, "documentHighlight": 2, "selectionRange": 1, "semanticTokens/full": 1, "diagnostic": 1}
LSP_FILES = ("root.yaml", "child.yaml", "env.yaml")
SECONDS = 60


def _message(number, method, params):
    body = {"jsonrpc": "2.0", "method": method, "params": params, **({"id": number} if number else {})}
    text = json.dumps(body).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(text), text)


def _session(draw, folder):
    """What an editor sends: it opens the files, and asks about several places of the root."""
    uri = lambda name: (folder / name).as_uri()
    sent = _message(1, "initialize", {"processId": None, "rootUri": folder.as_uri(), "capabilities": {}, "initializationOptions": {"impact": {"base": "saved.json"}}}) + _message(0, "initialized", {})
    for name in LSP_FILES:
        sent += _message(0, "textDocument/didOpen", {"textDocument": {"uri": uri(name), "languageId": "yaml", "version": 1, "text": draw.files[name]}})
    number = 1
    for method, count in LSP_REQUESTS.items():
        for turn in range(count):
            number += 1
            name = LSP_FILES[turn % 3 if turn < 3 else 0]
            place = _place(draw, draw.files[name])
            whole = {"start": {"line": 0, "character": 0}, "end": {"line": draw.files[name].count("\n") + 1, "character": 0}}
            sent += _message(number, f"textDocument/{method}", {"textDocument": {"uri": uri(name)}, "position": place, "positions": [place], "range": whole, "newName": f"renamed{number}",
                                                                "context": {"diagnostics": [], "includeDeclaration": True}})
    sent += _message(number + 1, "workspace/symbol", {"query": ""})
    return sent, number + 1


def _place(draw, text):
    """A place in a text: of a secret, of the name of a hidden parameter, or any."""
    words = [token.text for token in draw.tokens if token.text in text] + [name for name in (*draw.hidden, "own", "pass") if name in text]
    at = draw.rng.randrange(len(text))
    if words and draw.rng.random() < 0.7:
        word = draw.rng.choice(words)
        places = [at for at in range(len(text)) if text.startswith(word, at)]
        at = draw.rng.choice(places) + draw.rng.randrange(len(word))
    line = text.count("\n", 0, at)
    return {"line": line, "character": at - (text.rfind("\n", 0, at) + 1)}


def _of_report(out):
    """The report of `render` as JSON without the text of the result: its losses, findings and coverage."""
    try:
        report = json.loads(out)
    except ValueError:
        return ""
    return json.dumps({key: value for key, value in report.items() if key != "files"}, ensure_ascii=False)


def _served(draw, folder, command, options):
    """All that a server answers until it has answered everything, and the findings of the open files are there."""
    sent, last = _session(draw, folder)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options) as server:
        watch = threading.Timer(SECONDS, server.kill)
        watch.start()
        server.stdin.write(sent)
        server.stdin.flush()
        out, answered, published = b"", False, False
        while not (answered and published) and (header := server.stdout.readline()):
            if header.lower().startswith(b"content-length:"):
                server.stdout.readline()
                body = server.stdout.read(int(header.split(b":")[1]))
                out += body + b"\n"
                answered |= json.loads(body).get("id") == last
                published |= b"publishDiagnostics" in body and b"root.yaml" in body
        server.stdin.write(_message(last + 1, "shutdown", None) + _message(0, "exit", None))
        rest, err = server.communicate()
        watch.cancel()
        return subprocess.CompletedProcess(command, server.returncode, out + rest, err)


def _written(folder, before):
    """The texts of the files that are new or changed, hidden ones too."""
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink():
            text = path.read_bytes().decode("utf-8", "replace")
            if before.get(str(path.relative_to(folder))) != text:
                yield str(path.relative_to(folder)), text


def _leaks(draw, texts):
    """The places with a part of a token: (place, token, the text around it)."""
    low = {place: text.lower() for place, text in texts.items()}
    for token in draw.tokens:
        for place, text in low.items():
            # What the user asked to be the template has its texts; nothing else of the run does.
            if token.in_template and draw.shows_template(token) and place not in ("stderr", "report"):
                continue
            at = next((at for part in token.parts() if (at := text.find(part)) >= 0), -1)
            if at >= 0:
                yield place, token.text, texts[place][max(at - 160, 0):at + 60].replace("\n", "⏎")


def _one(seed, place):
    """A draw: its command, its leaks, what is wrong with its end, and whether values were computed."""
    draw = Draw(seed)
    folder = place / f"d{seed}"
    for name, text in draw.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    temporary = folder / "tmp"
    temporary.mkdir()
    command = [house.BINARY, *draw.command]
    options = {"cwd": folder, "env": house.environment(TMPDIR=str(temporary), HOME=str(folder))}
    texts = {}
    if draw.kind == "server":
        done = _served(draw, folder, [*command, "--log", "server.log"], options)
        # An edit that removes a value keeps the comment behind it: without its text, applying the edit would change the comment.
        done.stdout = re.sub(rb'"newText":"#[^"]*"', b'"newText":"#"', done.stdout)
    else:
        done = subprocess.run(command, capture_output=True, check=False, stdin=subprocess.DEVNULL, timeout=SECONDS, **options)
    texts["stdout"], texts["stderr"] = (it.decode("utf-8", "replace") for it in (done.stdout, done.stderr))
    if command[1] == "render" and "--format" in command:
        texts["report"] = _of_report(texts["stdout"])
    # A file that is fixed or upgraded keeps its own texts.
    own = {"root.yaml", "child.yaml"} if draw.command[0] in ("upgrade", "check") else set()
    texts.update((name, text) for name, text in _written(folder, draw.files) if name not in own)
    leaks = list(_leaks(draw, texts))
    wrong = []
    if done.returncode not in (0, 1, 2) or "panicked" in texts["stderr"] or "Usage:" in texts["stderr"]:
        wrong.append(f"exit {done.returncode}: {texts['stderr'][-300:]}")
    masked = sum("******" in text or "hidden" in text for text in texts.values())
    if not leaks and not wrong:
        shutil.rmtree(folder)
    return " ".join(draw.command), leaks, wrong, bool(masked)


def _share(arguments):
    first, count, place = arguments
    return [(seed, _one(seed, pathlib.Path(place))) for seed in range(first, first + count)]


def _sweep(figures, place, names):
    """Every property of types, and every part of it: a secret in a list or map, where it is of the wrong type."""
    shown, findings, uses = [], 0, 0
    for name in names:
        text, token = sweep(name)
        (place / "sweep.yaml").write_text(text, encoding="utf-8")
        (place / "sweep.env.yaml").write_text(f"parameters: {{pw: {token.text}}}\n", encoding="utf-8")
        done = house.run([house.BINARY, "check", "sweep.yaml", "-e", "sweep.env.yaml", "--format", "json", "--no-config"], cwd=place)
        answer = done.stdout.decode() + done.stderr.decode()
        uses += text.count("get_param")
        findings += answer.count('"code"')
        count = sum(any(part in line.lower() for part in token.parts()) for line in answer.splitlines())
        if count:
            shown.append(f"{name}: {count} lines")
    figures.must(len(names) - len(shown), len(names), f"types with secrets of the wrong type in each property: no finding shows one ({uses} uses, {findings} findings)", shown)


def _planted(place):
    """Whether the tokens are where secrets are: with `--show-secrets`, most draws show some."""
    shown, asked = 0, 0
    for seed in range(40):
        draw = Draw(seed)
        folder = place / f"p{seed}"
        for name, text in draw.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
        done = house.run([house.BINARY, "eval", "root.yaml", "-e", "env.yaml", "--nested", "--show-secrets", "--no-config"], cwd=folder)
        text = (done.stdout + done.stderr).decode("utf-8", "replace")
        asked += 1
        shown += any(token.text in text for token in draw.tokens)
    return shown, asked


def run(figures, full):
    """The part."""
    place = house.scratch("secrets")
    # The top of a work tree: what other parts write beside it is not looked through for templates that nest these.
    (place / ".git" / "objects").mkdir(parents=True)
    draws = int(os.environ.get("HOTPLATE_SECRET_DRAWS", ALL_DRAWS if full else DRAWS))
    first = int(os.environ.get("HOTPLATE_SECRET_SEED", 0))
    shares = [(first + at, min(SHARE, draws - at), str(place)) for at in range(0, draws, SHARE)]
    leaks, wrong, by_command, masked, done = [], [], collections.Counter(), 0, 0
    _sweep(figures, place, NAMES if full else NAMES[::4])
    with concurrent.futures.ProcessPoolExecutor(int(os.environ.get("HOTPLATE_PROCESSES", os.cpu_count()))) as pool:
        for results in pool.map(_share, shares):
            done += len(results)
            if done % PROGRESS < SHARE and draws > PROGRESS:
                figures.say(f"{done} of {draws} draws, {len(leaks)} with a leak; to go on from here: HOTPLATE_SECRET_SEED={first + done}")
            for seed, (command, found, bad, is_masked) in results:
                masked += is_masked
                wrong += [f"draw {seed}, {command}: {it}" for it in bad]
                for where, token, around in found[:1]:
                    by_command[command.split()[0]] += 1
                    leaks.append(f"draw {seed}, hotplate {command}, {where}: {token} in …{around}…")
                    if draws > PROGRESS:
                        figures.say(leaks[-1])
    figures.must(draws - len(leaks), draws, "deployments with secrets in every place: no stream, file, answer or log has a part of one", leaks)
    for command, count in by_command.most_common():
        figures.say(f"  {command}: {count} draws")
    figures.must(draws - len(wrong), draws, "runs end with 0, 1 or 2 and no panic", wrong)
    figures.must(2 * masked >= draws, True, f"at least half of the runs have something to mask ({masked} of {draws})")
    shown, asked = _planted(place)
    figures.must(4 * shown >= 3 * asked, True, f"with `--show-secrets`, three quarters of the deployments show their secrets ({shown} of {asked})")
