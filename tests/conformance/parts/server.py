"""The language server stays alive: slow files beside a quick one, messages that are none, the end."""

import json
import pathlib
import subprocess
import time

import house
from judges.lsp_client import Client, uri

# What is promised of a release build; other builds are several times slower.
# Seconds for an answer about another file, for the first findings of a slow one, and for the end.
ANSWER, FIRST_FINDINGS, END = 0.2 * house.SLOWER, 2.5 * house.SLOWER, 1.0
# The most threads, on any machine: 18 for tasks, each with at most 4 for parts, and a few for messages and signals.
THREADS = 100
# How often everything is asked about the quick file beside each slow one; `--full`: the second number.
ROUNDS, MANY_ROUNDS = 3, 20
# How far bombs grow; `--full`: the second number.
GROWTH, FULL_GROWTH = 1, 4

HEAD = "heat_template_version: 2018-08-31\n"
NET = "type: OS::Neutron::Net"
QUICK = HEAD + "parameters:\n  flavor: {type: string, default: m1.small}\nresources:\n  server:\n    type: OS::Nova::Server\n    properties: {image: cirros, networks: [], flavor: {get_param: flavor}}\n"
MISTAKE = QUICK.replace("image:", "imgae:")

# Something in one dimension that is, or was, slow: what is open, and what was committed.
BOMBS = {
    "conditions, 45 levels": lambda n: (_conditions(45), ""),
    "conditions, wide": lambda n: (_wide_conditions(14), ""),
    "unused parameters": lambda n: (_many("parameters", 8000 * n, "{{type: string, default: a}}"), ""),
    "parameters that vanish": lambda n: (HEAD, _many("parameters", 8000 * n, "{{type: string, default: a}}")),
    "suppressions": lambda n: (_lines("# hotplate: ignore HP1201 reason {}", 15000 * n), ""),
    "permissions": lambda n: (_lines("# hotplate: allow replace reason {}", 15000 * n), _lines("# hotplate: allow replace reason {}", 14000 * n)),
    "placeholders": lambda n: (_replace("str_replace", "ab cd " * 100000 * n, (f"k{i}z" for i in range(5000 * n))), ""),
    "placeholders that are prefixes": lambda n: (_replace("str_replace_vstrict", "a" * 300000 * n, ("a" * (i + 1) for i in range(600 * n))), ""),
    "nested replacements": lambda n: (_nested_replacements(60 * n), ""),
    "misspelled references": lambda n: (_misspelled(1500 * n), ""),
    "mistakes of properties": lambda n: (_many("resources", 4000 * n, "{{" + NET + ", properties: {{nmae: a, admin_state_pu: true}}}}"), ""),
    "a large comparison": lambda n: (_large(6000 * n, "b"), _large(6000 * n, "a")),
    "renamed resources": lambda n: (_renamed(3000 * n, "new"), _renamed(3000 * n, "old")),
    "deep nesting": lambda n: (HEAD + "outputs:\n  a:\n    value: " + "{list_join: ['', [" * 200 + "a" + "]]}" * 200 + "\n", ""),
    "yaql": lambda n: (HEAD + "".join(f"{'outputs:' if not i else ''}\n  o{i}: {{value: {{yaql: {{expression: 'range(200000).where($ mod 7 = {i}).select($ * 2).sum()', data: {{}}}}}}}}" for i in range(20 * n)) + "\n", ""),
    "a broken text": lambda n: (_many("resources", 40000 * n, "{{" + NET + "}}") + "  x: [\n" * 20, ""),
}


def _conditions(levels):
    lines = "".join(f"  c{i}: {{or: [{{not: c{i + 1}}}, c{i + 1}]}}\n" for i in range(levels))
    return f"{HEAD}parameters: {{p: {{type: string}}}}\nconditions:\n{lines}  c{levels}: {{equals: [{{get_param: p}}, x]}}\nresources: {{n: {{{NET}, condition: c0}}}}\n"


def _wide_conditions(count):
    parameters = "".join(f"  p{i}: {{type: boolean}}\n" for i in range(count))
    each = ", ".join(f"{{get_param: p{i}}}" for i in range(count))
    lines = "".join(f"  c{i}: {{or: [{{and: [{each}]}}, {{not: {{or: [{each}]}}}}, {{equals: [{{get_param: p0}}, {i}]}}]}}\n" for i in range(60))
    uses = "".join(f"  n{i}: {{{NET}, condition: c{i}, properties: {{name: {{if: [c{(i + 7) % 60}, {{if: [c{i}, a, b]}}, c]}}}}}}\n" for i in range(60))
    return f"{HEAD}parameters:\n{parameters}conditions:\n{lines}resources:\n{uses}"


def _many(section, count, value):
    return f"{HEAD}{section}:\n" + "".join(f"  name{i}: {value.format(i)}\n" for i in range(count))


def _lines(comment, count):
    return HEAD + "resources:\n" + "".join(f"  {comment.format(i)}\n  n{i}: {{{NET}}}\n" for i in range(count))


def _replace(function, template, keys):
    pairs = ", ".join(f"{key}: v" for key in keys)
    return f'{HEAD}outputs:\n  o:\n    value:\n      {function}:\n        template: "{template}"\n        params: {{{pairs}}}\n'


def _nested_replacements(count):
    text = "x" * 2000
    values = "".join(f"  o{i}:\n    value:\n      str_replace: {{template: {text}, params: {{x: {{str_replace: {{template: {text}, params: {{x: 'y{i} '}}}}}}}}}}\n" for i in range(count))
    return HEAD + "outputs:\n" + values


def _misspelled(count):
    parameters = "".join(f"  parameter{i}: {{type: string, default: a}}\n" for i in range(5 * count))
    uses = "".join(f"  n{i}: {{{NET}, properties: {{name: {{get_param: paramter{i}}}}}}}\n" for i in range(count))
    return f"{HEAD}parameters:\n{parameters}resources:\n{uses}"


def _large(count, value):
    parameters = "".join(f"  p{i}: {{type: string, default: {value}{i}}}\n" for i in range(3 * count))
    uses = "".join(f"  n{i}: {{{NET}, properties: {{name: {{list_join: ['', [{{get_param: p{i}}}, {{get_param: p{2 * i}}}]]}}}}}}\n" for i in range(count))
    return f"{HEAD}parameters:\n{parameters}resources:\n{uses}"


def _renamed(count, name):
    return HEAD + "resources:\n" + "".join(f"  {name}{i}: {{{NET}, properties: {{name: a{i % 7}, value_specs: {{a: {i % 5}}}}}}}\n" for i in range(count))


def run(figures, full):
    """Runs the part."""
    _slow(figures, full)
    _malformed(figures)
    _ends(figures)


def _git(folder, *arguments):
    command = ["git", "-c", "user.name=server", "-c", "user.email=server@example.org", "-C", str(folder), *arguments]
    subprocess.run(command, check=True, capture_output=True)


def _threads(client):
    try:
        return len(list(pathlib.Path(f"/proc/{client.process.pid}/task").iterdir()))
    except OSError:
        return 0


def _requests(path, lines):
    """Requests of every kind that may be slow."""
    document = {"uri": uri(path)}
    at = {"line": min(6, lines), "character": 22}
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": lines, "character": 0}}
    return {
        "codeLens": {"textDocument": document},
        "inlayHint": {"textDocument": document, "range": whole},
        "hover": {"textDocument": document, "position": at},
        "completion": {"textDocument": document, "position": at},
        "codeAction": {"textDocument": document, "range": whole, "context": {"diagnostics": []}},
        "rename": {"textDocument": document, "position": at, "newName": "other"},
        "references": {"textDocument": document, "position": at, "context": {"includeDeclaration": True}},
        "documentSymbol": {"textDocument": document},
        "semanticTokens/full": {"textDocument": document},
    }


def _slow(figures, full):
    """Beside each slow file, a quick one: how long its answers and findings take, and the end of the server."""
    answered, asked, late, ended, shown, longest, threads = 0, 0, [], 0, 0, 0.0, 0
    findings, unshown, unended, unseen = 0, [], [], []
    for number, (name, bomb) in enumerate(BOMBS.items()):
        folder = house.scratch(f"server/{number}")
        new, old = bomb(FULL_GROWTH if full else GROWTH)
        slow, quick = folder / "slow.yaml", folder / "quick.yaml"
        slow.write_text(old or new, encoding="utf-8")
        quick.write_text(QUICK, encoding="utf-8")
        _git(folder, "init", "-q")
        _git(folder, "add", ".")
        _git(folder, "commit", "-qm", "old")
        client = Client(folder)
        opened = time.perf_counter()
        client.open(slow, new)
        time.sleep(0.15)
        for method, params in _requests(slow, new.count("\n")).items():
            client.start(f"textDocument/{method}", params)
        client.open(quick, QUICK)
        for turn in range(MANY_ROUNDS if full else ROUNDS):
            version = turn + 2
            client.edit(quick, version, MISTAKE if turn % 2 == 0 else QUICK)
            for method, params in _requests(quick, QUICK.count("\n")).items():
                start = time.perf_counter()
                client.wait(client.start(f"textDocument/{method}", params))
                took = time.perf_counter() - start
                asked, answered, longest = asked + 1, answered + (took <= ANSWER), max(longest, took)
                if took > ANSWER:
                    late.append(f"beside {name}: {method} after {took * 1000:.0f} ms")
            start = time.perf_counter()
            found = client.diagnostics(quick, version)
            took = time.perf_counter() - start
            well = took <= 2 * ANSWER and any("imgae" in json.dumps(it) for it in found) == (turn % 2 == 0)
            findings, shown = findings + 1, shown + well
            if not well:
                unseen.append(f"beside {name}: {len(found)} findings after {took * 1000:.0f} ms")
        # The slow file has findings, or says why they are missing.
        told = client.published(slow, opened + FIRST_FINDINGS)
        if not told:
            unshown.append(name)
        threads = max(threads, _threads(client))
        start = time.perf_counter()
        status = client.close() if number % 2 else client.exit()
        took = time.perf_counter() - start
        if took <= END and status == (0 if number % 2 else 1):
            ended += 1
        else:
            unended.append(f"beside {name}: {took:.2f} s, status {status}")
        if client.errors:
            late.append(f"beside {name}: {client.errors.decode(errors='replace')[-200:]}")
    figures.say(f"the longest answer about a quick file beside a slow one took {longest * 1000:.0f} ms; at most {threads} threads")
    figures.must(answered, asked, f"answers about a quick file beside {len(BOMBS)} slow ones within {ANSWER * 1000:.0f} ms", late)
    figures.must(shown, findings, "edits of the quick file show its findings meanwhile", unseen)
    figures.must(len(BOMBS) - len(unshown), len(BOMBS), f"slow files show something within {FIRST_FINDINGS:.1f} s", unshown)
    figures.must(ended, len(BOMBS), f"servers end within {END:.0f} s of `exit`, with the status of the protocol", unended)
    figures.must(int(threads <= THREADS), 1, f"servers have at most {THREADS} threads")


def _frame(body):
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def _malformed(figures):
    """What is not a message, one after the other: the answer of the protocol, and then an answer to a request."""
    folder = house.scratch("server/malformed")
    path = folder / "quick.yaml"
    client = Client(folder)
    client.open(path, QUICK)
    cases = [
        (b"Content-Length: 99999999999\r\n\r\n", -32700), (b"Content-Length: 67108865\r\n\r\n", -32700), (b"Content-Length: 999999999999999999999999\r\n\r\n", -32700),
        (b"Content-Length: -1\r\n\r\n{}", -32700), (b"Content-Length: ten\r\n\r\n{}", -32700), (b"Content-Length:\r\n\r\n", -32700), (b"Content-Type: a\r\n\r\n{}", -32700),
        (b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", -32700), (b"no header\r\n\r\n", -32700), (b"\x00\xff\xfe\r\n\r\n", -32700), (b"x" * 100000 + b"\r\n\r\n", -32700),
        (_frame(b""), -32700), (_frame(b"{"), -32700), (_frame(b"\xff\xfe"), -32700), (_frame(b"[" * 1000000), -32700), (_frame(b'{"id": 1, "method": "a"'), -32700),
        (_frame(b"[]"), -32600), (_frame(b'[{"id": 1, "method": "a"}]'), -32600), (_frame(b"5"), -32600), (_frame(b"null"), -32600), (_frame(b"{}"), -32600),
        (_frame(b'{"id": null, "method": "a"}'), -32600), (_frame(b'{"id": 1.5, "method": "a"}'), -32600), (_frame(b'{"id": 1e99, "method": "a"}'), -32600),
        (_frame(b'{"method": 5}'), -32600), (_frame(b'{"id": {}, "result": 5}'), -32600),
    ]
    answered, misses = 0, []
    for data, code in cases:
        try:
            client.send_bytes(data)
            refusal = client.refusal()
            well = refusal["error"]["code"] == code
            lenses = client.ask("textDocument/codeLens", {"textDocument": {"uri": uri(path)}})
            well = well and lenses is not None
        except (RuntimeError, OSError) as error:
            well, refusal = False, error
        answered += well
        if not well:
            misses.append(f"{data[:60]!r}: {refusal}")
            if client.process.poll() is not None:
                break
    # A length that is too short or too long costs the messages whose bytes it takes, and no others.
    for length in (5, 200):
        client.send_bytes(b"Content-Length: %d\r\n\r\n" % length + b'{"jsonrpc": "2.0", "id": 900, "method": "a"}')
        for _ in range(4):
            client.tell("$/nothing", {})
        well = client.ask("textDocument/codeLens", {"textDocument": {"uri": uri(path)}}) is not None
        answered += well
        if not well:
            misses.append(f"a length of {length}")
    figures.must(answered, len(cases) + 2, "malformed messages are answered with the error of the protocol, and the next request as ever", misses)
    figures.must(int(client.close() == 0 and not client.errors), 1, "servers end as ever after malformed messages")


def _ends(figures):
    """The server ends when its client does: with the input, and with the process that it was told."""
    ended, misses = 0, []
    for kind in ("input", "process"):
        folder = house.scratch(f"server/{kind}")
        (folder / "slow.yaml").write_text(_conditions(45), encoding="utf-8")
        parent = subprocess.Popen(["sleep", "600"])
        client = Client(folder, process=parent.pid)
        client.open(folder / "slow.yaml", _conditions(45))
        time.sleep(0.3)
        if kind == "input":
            client.process.stdin.close()
        parent.kill()
        parent.wait()
        try:
            client.process.wait(5)
            ended += 1
        except subprocess.TimeoutExpired:
            client.process.kill()
            misses.append(f"the end of the {kind}")
    figures.must(ended, 2, "servers end with their client, whatever runs", misses)
