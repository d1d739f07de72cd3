"""The two sides that yaql's parts compare: the judge (PyPI yaql) and our bridge, each in processes of its own.

A side answers request by request; a process that crashes or hangs is an answer too, and is replaced.
"""

import collections
import json
import os
import queue
import re
import select
import struct
import subprocess
import threading

import house

BRIDGE = os.environ.get("HOTPLATE_YAQL_BRIDGE", str(house.BRIDGES / "yaql_bridge"))
JUDGE = [house.PYTHON, str(house.HERE / "judges" / "yaql_judge.py")]
WORKERS = os.cpu_count() or 2
# Seconds after which a process that says nothing is given up.
PATIENCE = 60


class Side:
    """A process that answers requests, one line each."""

    def __init__(self, command, seed="0", patience=PATIENCE):
        self._command, self._seed, self._patience = command, seed, patience
        self._process = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._stop()

    def _start(self):
        # The time zone shows in `localtz()`.
        environment = house.environment(PYTHONHASHSEED=self._seed, TZ="UTC")
        self._process = subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment)

    def _stop(self):
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def ask(self, request):
        """The answer; `{"error": "hang"}` and `{"error": "crash"}` are among them."""
        if self._process is None:
            self._start()
        try:
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.flush()
            line = self._line()
        except BrokenPipeError:
            line = b""
        if line is None:
            self._stop()
            return {"error": "hang"}
        if not line:
            self._process.wait()
            code = self._process.returncode
            self._stop()
            return {"error": "crash", "message": f"exit code {code}"}
        return json.loads(line)

    def _line(self):
        """A line, nothing at the end of the output, None when it does not come."""
        found = b""
        output = self._process.stdout
        while not found.endswith(b"\n"):
            if not select.select([output], [], [], self._patience)[0]:
                return None
            more = os.read(output.fileno(), 1 << 16)
            if not more:
                return b""
            found += more
        return found


def judge(seed="0"):
    """PyPI yaql."""
    return Side(JUDGE, seed)


def ours():
    """The bridge to our interpreter."""
    return Side([BRIDGE])


def ask_all(make, requests, workers=WORKERS):
    """The answers of several processes of a side, in order."""
    answers = [None] * len(requests)
    waiting = queue.SimpleQueue()
    # Few at a time: neighbours are often alike, and one that hangs holds up its own batch only.
    for start in range(0, len(requests), 16):
        waiting.put(start)

    def work():
        with make() as side:
            while True:
                try:
                    start = waiting.get_nowait()
                except queue.Empty:
                    return
                for n in range(start, min(start + 16, len(requests))):
                    answers[n] = side.ask(requests[n])

    threads = [threading.Thread(target=work) for _ in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def require():
    """Says what is missing."""
    if not os.path.exists(BRIDGE):
        raise RuntimeError("no yaql_bridge: cargo build --release --package hotplate-bridges")


# --- comparing

# A side that ends for one of these has reached a bound that is not exactly where the other has it.
BOUNDS = {"MemoryQuotaExceededException", "RecursionError", "MemoryError", "hang"}
# How the bounds of the judge are moved to see whether a difference is one of being near to them.
NEAR = [("memory_quota", factor) for factor in (0.85, 1.15)] + [("recursion", factor) for factor in (0.6, 1.6)]
QUOTAS = {"heat": 10_000, "tests": 20_000}
SEEDS = [str(seed) for seed in range(1, 13)]
# For what is unknown here and the same for all of these: a text may have just one place of many in the table of a set.
MORE_SEEDS = [str(seed) for seed in range(13, 49)]
# What no two runs agree on, unless the request fixes it.
CHANCE = re.compile(r"\b(?:now|random)\b")


def normal(value):
    """A value as it is compared: sets without their order, NaN without its bits."""
    if isinstance(value, list):
        return [normal(item) for item in value]
    if isinstance(value, dict):
        (kind, inner), = list(value.items())[:1]
        if kind == "s":
            return {"s": sorted((normal(item) for item in inner), key=json.dumps)}
        if kind == "f":
            bits = int(inner, 16) & ~(1 << 63)
            return {"f": "nan"} if bits > 0x7FF0 << 48 else value
        return {kind: normal(inner)} if kind in ("m", "t") else value
    return value


def kind(answer):
    """What an answer is, in a word: the class of an error, or the type of a value."""
    if "error" in answer:
        return answer["error"]
    value = answer["value"]
    if isinstance(value, dict):
        return {"i": "int", "f": "float", "t": "tuple", "m": "dict", "s": "set", "d": "datetime", "span": "timespan", "u": "unknown"}.get(next(iter(value)), "object")
    return {type(None): "null", bool: "bool", str: "text", list: "list"}[type(value)]


def same(ours, theirs):
    """Whether two answers are the same value, or errors of the same class."""
    if "error" in ours or "error" in theirs:
        return ours.get("error") == theirs.get("error")
    return normal(ours["value"]) == normal(theirs["value"])


# How Python shows what is no data: by its class, its place in memory, and more.
_OBJECT = re.compile(r"<[^<>]*\bobject\b[^<>]*>|\brepeat\([^()]*\)")


def same_words(ours, theirs):
    """Whether two errors say the same, objects that are no data aside."""
    one, other = (_OBJECT.sub("<object>", answer.get("message") or "") for answer in (ours, theirs))
    return one == other


def has_unknown(answer):
    """Whether an answer is, or holds, something that is not known."""
    return answer.get("error") == "unknown" or "value" in answer and '{"u":' in json.dumps(answer["value"])


Outcome = collections.namedtuple("Outcome", "same words unknown near order hangs misses")
Miss = collections.namedtuple("Miss", "request ours theirs")


def compare(requests, workers=WORKERS):
    """Both sides' answers compared: numbers of requests by what becomes of them, and the misses.

    Apart from the same answers there are: what is unknown here, and is chance, took something from today, or differs between processes
    of Python; what depends on the order of
    texts in sets and is right for one of them; what is near a bound; what hangs in Python.
    """
    mine = ask_all(ours, requests, workers)
    theirs = ask_all(judge, requests, workers)
    return sift(requests, mine, theirs)


def sift(requests, mine, theirs):
    """What becomes of the answers of two sides."""
    found = Outcome([], [], collections.defaultdict(list), [], [], [], [])
    open_ = []
    for n, request in enumerate(requests):
        if theirs[n].get("error") == "hang" and mine[n].get("error") not in ("hang", "crash"):
            found.hangs.append(n)
        elif same(mine[n], theirs[n]):
            found.same.append(n)
            if not same_words(mine[n], theirs[n]):
                found.words.append(Miss(request, mine[n], theirs[n]))
        elif has_unknown(mine[n]) and CHANCE.search(request["expression"]):
            found.unknown["chance"].append(n)
        elif has_unknown(mine[n]) and theirs[n].get("today"):
            found.unknown["taken from today"].append(n)
        else:
            open_.append(n)
    # Whatever differs in words, too: where Python's own words vary, they are no one's.
    worded = [miss.request for miss in found.words]
    varying = [set() for _ in worded]
    for seed in SEEDS:
        for at, answer in enumerate(ask_all(lambda seed=seed: judge(seed), worded)):
            varying[at].add(answer.get("message"))
    found.words[:] = [miss for miss, words in zip(found.words, varying) if len(words | {miss.theirs.get("message")}) == 1]
    others = [ask_all(lambda seed=seed: judge(seed), [requests[n] for n in open_]) for seed in SEEDS]
    rest = []
    for at, n in enumerate(open_):
        answers = [side[at] for side in others]
        varies = any(not same(answer, theirs[n]) for answer in answers)
        if varies and has_unknown(mine[n]):
            found.unknown["differing between processes of Python"].append(n)
        elif any(same(mine[n], answer) for answer in answers):
            found.order.append(n)
        else:
            rest.append(n)
    unknown = [n for n in rest if has_unknown(mine[n])]
    for seed in MORE_SEEDS if unknown else []:
        answers = ask_all(lambda seed=seed: judge(seed), [requests[n] for n in unknown])
        varying = [n for n, answer in zip(unknown, answers) if not same(answer, theirs[n])]
        found.unknown["differing between processes of Python"].extend(varying)
        unknown = [n for n in unknown if n not in varying]
        rest = [n for n in rest if n not in varying]
        if not unknown:
            break
    near = _near(requests, mine, theirs, rest)
    found.near.extend(near)
    found.misses.extend(Miss(requests[n], mine[n], theirs[n]) for n in rest if n not in near)
    return found


def _near(requests, mine, theirs, open_):
    """Those where a side reached a bound that the other is near to."""
    asked = [n for n in open_ if BOUNDS & {mine[n].get("error"), theirs[n].get("error")} and "crash" != mine[n].get("error")]
    near = set()
    for option, factor in NEAR:
        moved = []
        for n in asked:
            options = dict(requests[n].get("options", {}))
            if option == "recursion":
                options["recursion"] = int(1000 * factor)
            else:
                quota = next((QUOTAS[name] for name in QUOTAS if options.get(name)), options.get("memory_quota", 0))
                options["memory_quota"] = int(quota * factor)
            moved.append({**requests[n], "options": options})
        for n, answer in zip(asked, ask_all(judge, moved)):
            if same(mine[n], answer):
                near.add(n)
    return near


def told(miss):
    """A miss in a few lines."""
    options = json.dumps(miss.request.get("options", {}))
    return (f"{miss.request['expression']!r} {options}\n  data {json.dumps(miss.request.get('data')):.400}"
            f"\n  ours {json.dumps(miss.ours, ensure_ascii=False):.300}\n  yaql {json.dumps(miss.theirs, ensure_ascii=False):.300}")


# --- writing requests

def encoded(value):
    """A Python value as requests hold it."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return {"i": str(value)}
    if isinstance(value, float):
        return {"f": struct.pack(">d", value).hex()}
    if isinstance(value, (list, tuple)):
        return [encoded(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return {"s": [encoded(item) for item in value]}
    if isinstance(value, dict):
        return {"m": [[encoded(key), encoded(item)] for key, item in value.items()]}
    raise TypeError(type(value).__name__)
