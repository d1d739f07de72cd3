"""YAML texts and values for part `yaml`, made here: every spelling of a scalar in every place, and values that are hard to write.

All are made from lists and seeds, so that two runs ask the same.
"""

import itertools
import random

# Scalars as they may be written, right and wrong: what is plain, quoted, typed by its looks, or nearly one of these.
SCALARS = [
    "a", "a b", "a#b", "a #b", "a:b", "a: b", "a :b", ":", ":a", "-", "-a", "- a", "--- a", "---", "...", "?", "?a", "? a", ",", "a,b", "[", "]", "{", "}", "[]", "{}",
    "&a", "& a", "*a", "!", "!a", "!!str 1", "!!int '3'", "!!float 1", "!!bool 'no'", "!!null ''", "!!binary aGk=", "!<tag:yaml.org,2002:str> 1", "!local x",
    "|", ">", "|-", "%a", "@a", "`a", "#a", "", "~", "null", "Null", "NULL", "nULL", "true", "True", "yes", "Yes", "y", "n", "on", "off", "OFF", "no",
    "0", "-0", "+1", "1_000", "0b101", "0o17", "017", "08", "0x1F", "0xg", "1:30", "1:30:00", "190:20:30.15", "60:60", "1.5", "1.", ".5", ".", "1e3", "1.0e3", "1.0e+3", "1e+3",
    "-.inf", ".INF", ".NaN", "+.inf", "12345678901234567890", "1_", "_1", "2001-01-01", "2001-01-01T00:00:00Z", "2001-1-1 1:1:1 +1", "20:30", "<<", "=",
    "'a'", "'it''s'", "'a\\n'", "''", "'a", "'a' b", '"a"', '"\\x41\\u00e9\\U0001F600"', '"\\q"', '"\\/"', '"a\\\n  b"', '"a\n\n  b"', '""', '"a', '"\\t\\0\\e\\N\\_\\L\\P"',
    "é", "日本", "😀", "\u0085", "a\u2028b", "\ufeff", "\x07", "a\tb", "a\t", "\ta", "a\n  b", "a\n\n  b", "a\n  # c\n  b", "a # c",
]
# Where a scalar may stand. What follows shows whether its end is found.
PLACES = [
    "%s", "%s\n", "k: %s\nl: m\n", "k:\n  %s\nl: m\n", "- %s\n- m\n", "-\t%s\n", "%s: v\n", "? %s\n: v\n", "[%s, m]\n", "[m, %s]", "{k: %s, l: m}\n", "{%s: v}\n", "{%s}\n", "[%s: v]\n",
    "k: &x %s\nl: *x\n", "k: !!str %s\n", "k: {l: [%s]}\nm: n\n", "k: - %s\n", "--- %s\n", "--- %s\n...\n--- m\n", "k: %s # c\n", "- - %s\n  - m\n- n\n", "k:\n- %s\nl: m\n", " %s\n", "k: |\n  %s\nl: m\n",
    "k: >\n  %s\n\n  %s\nl: m\n",
]
HEADERS = ["|", ">", "|-", ">-", "|+", ">+", "|1", ">2", "|2-", "|-2", ">+1", "|0", "|10", "| # c", ">#c", "|\t", "|-+"]
BODIES = ["", "\n", "  a\n", "  a", "  a\n  b\n", "  a\n\n  b\n\n\n", "   a\n  b\n", "  a\n   b\n  c\n", "\n  a\n", "    \n  a\n", "  \ta\n", "\ta\n", " a\n", "a\n", "  a \n  b\n", "  # c\n  a\n", "  a\n# c\n", "  a\n  ...\n", "  a\r\n  b\r\n", "  a\u0085  b\n"]
# Structures with what people get wrong in them.
TEXTS = [
    "a: 1\na: 2\n", "{a: 1, a: 2}", "a: 1\n b: 2\n", "a:\n  b: 1\n c: 2\n", "a:\n\tb: 1\n", "a: 1\n- b\n", "- a\nb: 1\n", "a: b: c\n", "- a\n  - b\n", "- a\n - b\n", "a:\n- b\n- c\n", "a:\n - b\n - c\nd: e\n",
    "base: &b {a: 1, b: 2}\nc: {<<: *b, a: 3}\n", "c:\n  <<: [{a: 1}, {a: 2, b: 3}]\n  d: 4\n", "c: {<<: 1}\n", "c: {<<: {a: 1}, <<: {b: 2}}\n", "<<: {a: 1}\n", "a: {? <<: {b: 1}}\n", "a: {'<<': {b: 1}}\n", "a: {!!str <<: {b: 1}}\n",
    "a: &a [*a]\n", "a: *b\n", "&a a: *a\n", "a: &a b\nc: &a d\ne: *a\n", "&a : b\n", "*a : b\n", "a: &a\nb: *a\n", "- &a !!str\n- *a\n", "!!set {a, b}\n", "!!omap [a: 1, b: 2]\n", "!!pairs [a: 1, a: 2]\n", "!!seq {a: b}\n", "!!map [a]\n",
    "%YAML 1.1\n---\na\n", "%YAML 1.2\n---\na\n", "%YAML 2.0\n---\na\n", "%FOO x\n---\na\n", "%TAG !e! tag:e,1:\n---\n!e!x a\n", "!e!x a\n", "---\n---\n", "a\n---\nb\n", "a\n...\n", "...\n", "a\n...\nb\n", "# c\n", " \n\n", "\n# c\na: b # d\n# e\n",
    "[a, b", "{a: b", "[a, b}}", "[a,, b]", "[,]", "{,}", "[a,]", "{a: b,}", "{a b: c}", "{a\n b: c}", "[a\n b: c]", "{? a : b, ? c}", "[? a : b]", "{: a}", "[: a]", "{a: , b}", '{"a":b}', "{a:b}", "{'a' :b}", "[a:b]", "{a: [b, {c: d}], e}",
    "? a\n? b\n: c\n", "? - a\n  - b\n: - c\n", "? {a: b}\n: c\n", "? [a]\n: c\n", "{[a, b]: c}\n", "{{a: b}: c}\n", "1: a\n'1': b\n", "true: a\n~: b\n1.5: c\n", "2001-01-01: a\n", "a:\n", "a: \nb:\n", "- \n-\n", "-\n  a: 1\n  b: 2\n-\n- c\n", "- a: 1\n  b: 2\n- c: 3\n",
    "\ufeffa: b\n", "a: b\r\nc: d\r\n", "a: b\rc: d\r", "a: b\u0085c: d\n", "a: b\u2028c: d\n", "a:\u00a0b\n", "\u00a0a: b\n", "a: b\x00", "a: \ud7ff\n", "a: b\t# c\n", "a:\tb\n", "\ta: b\n", "- \ta\n", "-\t- a\n", "?\ta\n:\tb\n", "[\ta,\n\tb]\n", "a:\n  - b\n  -\tc\n",
]

# Texts that a writer must quote, and others that it need not.
WORDS = [
    "", " ", "  ", "\t", "\n", "\n\n", "\r", "\r\n", "a", " a", "a ", "a\n", "a\n\n", "\na", "a\nb", "a\n b", "a\n\nb\n", " a\nb", "a \nb", "a\tb", "\ta", "a\t", "a: b", "a:", ":a", ":", "::", "a:b", "a #b", "a#b", "#a", "-", "- a", "-a", "--", "---", "--- a", "...", "... a",
    "?", "? a", "?a", ",", "a,b", "a, b", "[", "]", "[a]", "a]", "{", "}", "{a}", "a}", "&a", "*a", "!a", "!", "|", ">", "%", "%a", "@", "`", "'", "''", "'a'", "it's", '"', '"a"', 'a"b', "\\", "\\n", "a\\", "~", "null", "Null", "NULL", "true", "True", "TRUE", "false", "yes", "Yes",
    "no", "on", "Off", "y", "Y", "n", "N", "0", "00", "08", "-0", "+0", "1", "-1", "+1", "1_0", "0b1", "0o1", "01", "0x1", "0xg", "1:2", "1:60", "60:1", "1:2:3", "1.0", "1.", ".1", ".", "..", "1e1", "1.e1", "1.0e+1", "1.0e1", ".inf", "-.inf", ".Inf", ".nan", ".NaN", "nan", "inf",
    "2001-01-01", "2001-1-1", "2001-01-01 1:1:1", "12:00", "<<", "=", "é", "日本", "😀", "\u0085", "a\u0085b", "\u00a0", "\u2028", "a\u2029b", "\ufeff", "\ufffe", "\x00", "\x07", "\x1b[0m", "\x7f", "\x80", "\ud7ff", "\ue000", "\ufffd", "\U0010ffff",
]
PIECES = ["a", "b ", " ", ":", ": ", "#", " #", "-", "- ", "?", ",", "[", "]", "{", "}", "&", "*", "!", "|", ">", "'", '"', "%", "@", "`", "\\", "\n", "\n ", "\t", "\r", "0", "1", ".", "_", "e", "yes", "~", "é", "\u0085", "\u2028", "\ufeff", "\U0001f600"]
# Values that are no text.
OTHERS = [None, True, False, 0, 1, -1, 10**20, 0.0, -0.0, 1.5, 1e300, 1e-300, 0.1, float("inf"), float("-inf"), float("nan"), [], {}, [[]], [{}], [[], [[]]], {"a": {}}, {"a": []}, {"a": [None]}, {"a": None}, [[1, [2]], {"a": [{"b": {"c": []}}]}]]
LAYOUTS = {
    "val": lambda it: {"k": it}, "seq": lambda it: [it, "m"], "key": lambda it: {it: "v", "m": 1}, "deep": lambda it: {"a": [{"b": [it, {"c": it}]}, "m"]}, "top": lambda it: it,
}


def texts(count):
    """Texts: every scalar in every place, every header with every body, the structures, and `count` lines put together at random."""
    made = [place.replace("%s", scalar) for place, scalar in itertools.product(PLACES, SCALARS)]
    made += [f"k: {header}\n{body}l: m\n" for header, body in itertools.product(HEADERS, BODIES)]
    made += [f"- {header}\n{body}" for header, body in itertools.product(HEADERS, BODIES)]
    made += TEXTS
    made += [text.replace("\n", "\r\n") for text in TEXTS]
    chosen = random.Random("texts")
    lines = [line + "\n" for text in TEXTS for line in text.split("\n") if line]
    for _ in range(count):
        made.append("".join(" " * chosen.choice((0, 0, 0, 1, 2, 2, 4)) + chosen.choice(lines) for _ in range(chosen.randint(1, 5))))
    return list(dict.fromkeys(made))


def values(count):
    """(name, value): each hard text and `count` random ones in every layout, and the other values."""
    chosen = random.Random("values")
    words = WORDS + ["".join(chosen.choice(PIECES) for _ in range(chosen.randint(1, 6))) for _ in range(count)]
    for number, word in enumerate(dict.fromkeys(words)):
        for layout, build in LAYOUTS.items():
            yield f"word{number}.{layout}", build(word)
    for number, other in enumerate(OTHERS):
        for layout, build in LAYOUTS.items():
            if layout != "key" or not isinstance(other, (list, dict, float)):
                yield f"other{number}.{layout}", build(other)
