"""Bad input: whatever an expression asks for, there is an answer within about a second of a processor, no crash, and little memory."""

import concurrent.futures
import json
import os
import resource
import select
import subprocess
import threading
import time

from judges import yaql_sides

# Seconds of a processor for an answer in a release build, and how many times as many a debug build may take. What runs
# away takes far more, also on a fast machine; what is told is the slowest.
SECONDS = 6
DEBUG = 10
# Seconds by the clock after which no answer is expected any more, however busy the machine is.
PATIENCE = 60
# Bytes that the process may take beyond what the request itself needs.
MEMORY = 1 << 30

DEEP = 100_000
TEN_MEGABYTES = 10_000_000


def _bomb(depth):
    """Data that doubles with every level, when it is written out."""
    return "let(a => [1, 2, 3, 4, 5, 6, 7, 8]) -> " + "".join("let(a => [$a, $a, $a, $a]) -> " for _ in range(depth)) + "$a"


CASES = {
    "endless generators": [
        "sequence().len()", "sequence()", "list(sequence())", "[1, 2].cycle().len()", "1.repeat().sum()", "generate(0, true, $ + 1).len()", "generateMany(1, [$, $]).len()", "sequence().where($ < 0)",
        "sequence().last()", "sequence().indexOf(-1)", "sequence().any($ < 0)", "sequence().skip(1000000000000)", "sequence().distinct().len()", "sequence().reverse()", "sequence().orderBy($)",
        "sequence().toDict($, $)", "sequence().groupBy($)", "sequence().sum()", "sequence().zip(sequence()).len()", "sequence().select($ * $).max()", "sequence().memorize().len()", "sequence().join(',')",
        "sequence().aggregate($1 + $2)", "sequence().takeWhile(true).len()", "sequence().skipWhile(true)", "sequence().slice(2).len()", "sequence().join(sequence(), true, 1).len()",
        "set(1).join(sequence(), false, 1)", "[].cycle()", "[].cycle().first()", "sequence().enumerate().count()", "sequence() + sequence()", "sequence().contains(-1)", "-1 in sequence()",
        "sequence().selectMany(sequence()).len()", "sequence().splitWhere(false)", "sequence().accumulate($1 + $2).len()", "generate(1, true, $ * $).len()", "generate('a', true, $ + $).len()",
        "generateMany(1, [$ + 1, $ + 2], decycle => true).len()", "sequence().flatten().len()", "sequence().toSet()", "sequence().single()", "sequence().insert(1, 2).len()",
    ],
    "deep recursion": [
        "def(f, f($)) -> f(1)", "def(f, f($ + 1) + 1) -> f(1)", "def(f, g($)) -> def(g, f($)) -> f(1)", "def(f, [$].select(f($)).first()) -> f(1)", "def(f, switch(true => f($))) -> f(1)",
        "def(f, let(x => $) -> f($x)) -> f(1)", "def(f, f([$])) -> f(1)", "def(f, f($) + f($)) -> f(1)", "def(f, switch($ = 0 => 0, true => f($ - 1) + f($ - 1))) -> f(40)",
        "def(f, [f($)]) -> f(1)", "def(f, $.select(f($))) -> f([1])", "generate([], true, [$]).take(100000).last()", "range(100000).aggregate([$1], [])", "range(5000).reduce([$1], [])",
        "range(3000).aggregate({a => $1}, {})", "range(100000).reduce($1.select($), [1])", "range(100000).reduce($1.where(true).skip(0), [1, 2])", "range(100000).reduce($1 + [1], [])",
        "range(3000).reduce([$1], []) = range(3000).reduce([$1], [])", "str(range(3000).reduce([$1], []))", "set(range(3000).reduce([$1], []))", "range(3000).reduce([$1], []) in [[]]",
        "range(3000).reduce($1.memorize().select($), [1])", "range(3000).reduce($1.orderBy($), [1, 2])", "range(3000).reduce($1.concat([1]), [])",
    ],
    "huge ranges and products": [
        "range(1000000000000)", "range(0, 1000000000000).len()", "range(1000000000000).toList()", "range(1000000000000).reverse()", "[1] * 1000000000000", "1000000000000 * [1, 2]", "'a' * 1000000000000",
        "1000000000000 * abc", "[[1] * 100000] * 100000", "range(100000).select(range(100000)).select($.sum())", "range(1000000).join(range(1000000), true, 1).len()", "abc.substring(0, 1000000000000)",
        "range(100000).select('a' * $).join('')", "range(1000000).toSet().len()", "list(range(10000000))", "range(10000000).orderBy(-$)", "range(10000000).groupBy($ mod 2)", "[1].repeat(1000000000000).toList()",
        "'abc'.replace('', 'x' * 100000).replace('', 'y' * 100000)", "range(30).reduce($1 + $1, 'aaaaaaaaaa')", "range(60).reduce($1 + $1, [1, 2])", "range(60).reduce($1 * 2, [1, 2])", "range(40).reduce([$1, $1], [])",
        "str(range(40).reduce([$1, $1], []))", "range(40).reduce([$1, $1], []).flatten()", "range(40).reduce({a => $1, b => $1}, {})", "range(40).reduce($1.mergeWith({a => $1}), {})",
        "range(40).reduce(concat($1, $1), abc)", "range(40).reduce('{0}{0}'.format($1), abc)", "range(40).reduce($1.join([$1, $1]), ab)", "range(40).reduce($1.replace('a', $1), aa)", "[1, 2].zip([1] * 1000000000)",
    ],
    "huge numbers": [
        "pow(10, 1000000000)", "pow(10, pow(10, 10))", "pow(2, 100000000)", "pow(3, 20000000) mod 7", "pow(10.0, 400)", "pow(7, 1000000000000, 13)", "shiftBitsLeft(1, 1000000000000)", "shiftBitsLeft(1, 100000000)",
        "shiftBitsRight(1, 1000000000000)", "shiftBitsLeft(1, -1)", "range(40).reduce($1 * $1, 10)", "range(30).reduce($1 * $1, 7)", "range(25).reduce($1 * $1, 3).len()", "str(range(22).reduce($1 * $1, 3))",
        "int('9' * 1000000)", "float('9' * 1000000)", "hex(pow(2, 1000000))", "range(100000).reduce($1 * ($2 + 1), 1)", "abs(-pow(2, 30000000))", "pow(pow(2, 1000000), 100)", "pow(-8, 0.3333)",
        "timespan(days => 1000000000000)", "datetime(99999, 1, 1)", "timespan(microseconds => pow(10, 30))", "datetime(pow(10, 20))", "random(0, pow(10, 1000))", "round(1.5, 1000000000000)", "round(pow(10, 100), -1000000000)",
    ],
    "catastrophic patterns": [
        "regex('(a+)+$').search('a' * 40 + b)", "('a' * 40 + b) =~ '^(a|a)*$'", "('a' * 5000 + b) =~ '^(a|aa)+$'", "('a' * 30 + '!') =~ '^(([a-z])+.)+[A-Z]([a-z])+$'", "regex('(x+x+)+y').search('x' * 60)",
        "regex(`(.*)*(.*)*(.*)*=`).matches('x' * 60)", "regex('(?=(a+)+$)').searchAll('a' * 60 + b)", "regex(`(\\w+)\\s\\1*$`).search('a' * 5000)", "regex('(a*)*b').split('a' * 60)", "regex('(a{1,30}){1,30}').search('a' * 60 + b)",
        "regex('((((((a{10}){10}){10}){10}){10}){10}').search(a)", "regex('(' * 100000)", "regex('[' * 100000)", "regex('(' * 50000 + ')' * 50000)", "regex('a{100000}{100000}').search(a)", "regex('(a|b|ab)*c').replace('ab' * 2000, x)",
        "regex('.*.*.*.*x').search('y' * 5000)", "regex('(?:a?){60}a{60}').matches('a' * 60)", "regex('a' * 1000000).search('a' * 1000000)", "regex('a|' * 100000)", "escapeRegex('[' * 1000000).len()",
    ],
    "deep brackets": [
        "(" * DEEP + "1" + ")" * DEEP, "[" * DEEP + "]" * DEEP, "{a => " * DEEP + "1" + "}" * DEEP, "not " * DEEP + "true", "-" * DEEP + "1", "f(" * DEEP + ")" * DEEP, "$" + "[0]" * DEEP, "$" + ".a" * DEEP, "$" + ".a()" * DEEP,
        "1" + " + 1" * DEEP, "let(a => 1) -> " * DEEP + "$a", "(" * DEEP, ")" * DEEP, "[" * DEEP, "$" + "?.a" * DEEP, "1" + " and 1" * DEEP, "1" + " or 0" * DEEP, "[1].select(" * DEEP + "$" + ")" * DEEP, "$(" * DEEP,
        "1 => " * DEEP + "1", "," * DEEP, "f(" + "," * DEEP + "1)", "lambda(" * 5000 + "$" + ")" * 5000, "(" * 900 + "1" + ")" * 900,
    ],
    "long expressions": [
        "'" + "a" * TEN_MEGABYTES + "'", "a" * TEN_MEGABYTES, "1" * 4000, "9" * TEN_MEGABYTES, " " * TEN_MEGABYTES + "1", "[" + "1, " * (TEN_MEGABYTES // 3) + "1]", "'" + "\\x41" * (TEN_MEGABYTES // 4) + "'", "'" + "a" * TEN_MEGABYTES,
        "`" + "\\`" * (TEN_MEGABYTES // 2) + "`", "{" + "a => 1, " * (TEN_MEGABYTES // 8) + "a => 2}", "$" + "a" * TEN_MEGABYTES, "!" * TEN_MEGABYTES, "1." + "0" * TEN_MEGABYTES, "f(" + "a, " * (TEN_MEGABYTES // 3) + "b)",
        "1e" + "9" * 1000000, "é" * (TEN_MEGABYTES // 2), "=>" * (TEN_MEGABYTES // 2),
    ],
    "data that multiplies": [_bomb(12), _bomb(20), _bomb(16) + ".flatten().len()", "let(d => range(100).toDict($, range(100))) -> $d.values().selectMany($).select($d).len()",
                             "range(200).select(range(200).select(range(200)))", "range(12).reduce($1.zip($1, $1), [1, 2, 3])", "range(20).reduce($1.mergeWith({a => $1, b => $1}), {a => {}})", "range(14).reduce($1.selectMany([$, $, $]), [1])",
                             "characters(letters => true) * 1000000", "$.where($) * 100000000"],
}
OPTIONS = [{"heat": True}, {"delegates": True}]


class _Process:
    """The bridge, alone in a process with little memory."""

    def __init__(self):
        self._process = subprocess.Popen([yaql_sides.BRIDGE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=self._bound)

    @staticmethod
    def _bound():
        resource.setrlimit(resource.RLIMIT_AS, (4 * MEMORY, 4 * MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    def ask(self, request, limit):
        """(answer, seconds of a processor, bytes at the most): the process is gone afterwards."""
        line = json.dumps(request).encode() + b"\n"
        writer = threading.Thread(target=self._write, args=(line,))
        writer.start()
        end = time.monotonic() + PATIENCE
        answer, took = None, 0.0
        while time.monotonic() < end and took < limit * 1.3:
            ready = select.select([self._process.stdout], [], [], 0.05)[0]
            took = max(took, self._seconds())
            if ready:
                answer = self._process.stdout.readline()
                break
        most = self._most()
        self._process.kill()
        writer.join()
        error = self._process.stderr.read()
        self._process.wait()
        if answer is None:
            return {"error": "hang"}, took, most
        if not answer:
            return {"error": "crash", "message": error.decode(errors="replace")[-200:]}, took, most
        return json.loads(answer), took, most

    def _write(self, line):
        try:
            self._process.stdin.write(line)
            self._process.stdin.flush()
        except BrokenPipeError:
            pass

    def _read(self, name):
        try:
            with open(f"/proc/{self._process.pid}/{name}", encoding="ascii", errors="replace") as file:
                return file.read()
        except OSError:
            return ""

    def _seconds(self):
        """Seconds of a processor that the process has had."""
        fields = self._read("stat").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") if len(fields) > 12 else 0.0

    def _most(self):
        line = next((line for line in self._read("status").splitlines() if line.startswith("VmHWM")), None)
        return int(line.split()[1]) * 1024 if line else 0


def run(figures, _full):
    """The part."""
    yaql_sides.require()
    probe = {"expression": "1", "data": None, "seconds": 0.001}
    release = _Process().ask(probe, PATIENCE)[0].get("release")
    limit = SECONDS if release else SECONDS * DEBUG
    slowest, largest = (0, ""), (0, "")
    for label, cases in CASES.items():
        asked = [(text, options) for text in cases for options in OPTIONS]
        with concurrent.futures.ThreadPoolExecutor(yaql_sides.WORKERS) as pool:
            answers = list(pool.map(lambda case: _ask(*case, limit), asked))
        misses = []
        for (text, options), (answer, took, most) in zip(asked, answers):
            slowest, largest = max(slowest, (took, text[:60])), max(largest, (most, text[:60]))
            wrong = _wrong(answer, took, most, limit)
            if wrong:
                misses.append(f"{text[:100]} ({len(text)}) {json.dumps(options)}: {wrong}; {json.dumps(answer)[:200]}, {took:.2f} s, {most >> 20} MB")
        figures.must(len(asked) - len(misses), len(asked), f"{label}: an answer in time, without a crash, in little memory", misses)
    figures.say(f"the slowest took {slowest[0]:.2f} s ({slowest[1]}), the largest {largest[0] >> 20} MB ({largest[1]})")


def _ask(text, options, limit):
    request = {"expression": text, "data": yaql_sides.encoded({"data": [1, 2, 3]}), "options": options}
    answer, took, most = _Process().ask(request, limit)
    # A long request is read, parsed and answered: several times its own length.
    return answer, took, max(0, most - 40 * len(text))


def _wrong(answer, took, most, limit):
    """What is wrong with an answer."""
    if answer.get("error") in ("hang", "crash"):
        return answer["error"]
    if took > limit:
        return "too slow"
    if most > MEMORY:
        return "too much memory"
    if "error" in answer and answer["error"] != "unknown" and not answer.get("message"):
        # Some of Python's own exceptions have no words.
        return None if answer["error"] in ("StopIteration", "AssertionError", "MemoryError") else "an error without words"
    return None
