"""Generated parameters, values and constraints beside Heat; texts for every custom constraint that needs no cloud."""

import collections
import json
import random
import re
import warnings
import zoneinfo

import house
from generators import versions
from judges.judge import Judge

STAGES = ("parameters", "parameter validation", "parameter groups")
TYPES = ("string", "number", "boolean", "comma_delimited_list", "json")
COUNT = 6000
CUSTOM_COUNT = 400
PATTERN_COUNT = 3000

VALUES = [
    None, "", " ", "a", "b", "abc", "a,b", ",", "a,,b ", "5", " 5 ", "+5", "-0", "007", "1_000", "1__0", "5.0", "1e3", ".5", "0x10",
    "inf", "-Infinity", "nan", "NaN", "٣", "1e400", "9" * 25, "1" * 4301, "true", "True", " YES", "oFf", "t", "n", "2", "tRuE ", "null",
    '"s"', "[1, 2]", '{"a": 1, "a": 2}', '{"b": [NaN, 1e5, 12345678901234567890]}', "{'a': 1}", "[1,]", '{"a": {"b": null}}', "it's \"q\"\n",
    "héllo", "😀\u200b\x7f", "a\n", "a\\b", 0, 1, 2, 5, -3, 10**20, 2**53 + 1, 1.0, 2.5, -0.0, 1e16, 1e-7, True, False, [], ["a"], ["a", 1, None, True, 2.5],
    ["a,b"], [["x"]], {}, {"a": 1}, {"a": {"b": [1, "x"]}, "c": None}, {"1": 1.5},
]
PATTERNS = [
    "[", "(", "*", "a**", "a{2,1}", r"\q", "(?<=a*)b", "a(?i)", r"[\d-z]", r"(\1)", "(?P<n>a)(?P<n>b)", "[b-a]", None, 5, ["a"],
    "[a-z]+", "[a-z]*", "a|ab", "a|abc", "^a.*$", r"\d+", r"\w+\Z", r"[\w-]+", r"(?i)ABC", r"(a)?(?(1)b|c)c", "(?P<x>.)(?P=x)?.*", "a$", "a$\n", ".*", "(?s).*", "[^,]*",
    r"\A\S+\b", r"(?x) a  b c # all", r"[]a]+", "[a&&b]+", "a{,3}", "a{", r"(?<=a)b?", r"\x61+", r"\u00e9", "a++",
    r"(?:a(?:b(?:c)?)?)?", r"\B.*", "(?!b).*", "", r"[[:alpha:]]+", r"h\wllo", r"\D*", r"\s+", "(?a)\\w+", "(?-i:a)", "(?m)^a$", "[a-z0-9]{1,5}", "abc|a,b|héllo",
]
BAD_PATTERNS = 15  # so many of the first ones Python refuses
FITTING = {
    "string": ["", "a", "b", "abc", "a,b", "5", "héllo", "😀\u200b\x7f", "a\n", "it's \"q\"\n", 5, 2.5, True, ["a", None, "it's"], {"a": [1.0, "\u00e9"]}],
    "number": [0, 1, 2, 3, 4, 5, 6, "1", "4", " 5 ", "1_000", "5.0", "1e3", 2.5, 10**20, True, "٣", "nan"],
    "boolean": [True, False, "true", "YES ", "off", "t", "n", 0, 1],
    "comma_delimited_list": ["", "a", "a,b", ",", "a,,b ", [], ["a"], ["a", 1, None, True, 2.5], [["x"]]],
    "json": ["", "null", "[1, 2]", '{"a": 1, "a": 2}', '{"b": [NaN, 1e5, 12345678901234567890]}', {"a": {"b": [1, "x"]}, "c": None}, [1], 5, "5", True],
}
LIMITS = [None, 0, 1, 2, 3, 5, -1, "2", "x", 2.5, 10**30, True, [1], "", 1e300]
CUSTOM_NAMES = ["no.such", "ip_addr", "nova.flavor", "dns_name", "json_string", 5, None]


class Generator:
    """Makes requests, the same ones in every run."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def some(self, items):
        return self.random.choice(items)

    def chance(self, part):
        return self.random.random() < part

    def limits(self, first, second):
        found = {}
        low, high = (self.random.randint(0, 2), self.random.randint(2, 6))
        for key, usual in ((first, low), (second, high)) if first == "min" else ((first, high), (second, min(low, high - 1))):
            if self.chance(0.85 if first == "min" else 0.98):
                found[key] = self.some(LIMITS) if self.chance(0.08) else usual
        if self.chance(0.01):
            found["other"] = 1
        return self.some([[], None, "min", 3]) if self.chance(0.01) else found

    def value(self, kind):
        return self.some(FITTING[kind]) if kind in TYPES and self.chance(0.85) else self.some(VALUES)

    def allowed(self, kind):
        items = [self.value(kind) for _ in range(self.random.randint(0, 8))]
        return items + ["a", "b", "", "x", "None", "1"] if kind == "comma_delimited_list" and self.chance(0.6) else items

    def constraint(self, kind):
        fitting = {
            "string": ("length", "allowed_values", "allowed_pattern", "allowed_pattern", "custom_constraint"),
            "number": ("range", "modulo", "allowed_values", "custom_constraint"),
            "boolean": ("allowed_values", "custom_constraint"),
            "comma_delimited_list": ("length", "allowed_values", "custom_constraint"),
            "json": ("length",),
        }
        every = ("length", "range", "modulo", "allowed_values", "allowed_pattern", "custom_constraint", "none", "unknown")
        name = self.some(every) if self.chance(0.03) else self.some(fitting[kind] if kind in TYPES else every)
        operand = {
            "length": lambda: self.limits("min", "max"), "range": lambda: self.limits("min", "max"),
            "modulo": lambda: self.limits("step", "offset"),
            "allowed_values": lambda: self.allowed(kind) if self.chance(0.98) else self.some(["a", None, {"a": 1}, 3]),
            "allowed_pattern": lambda: self.some(PATTERNS if self.chance(0.1) else PATTERNS[BAD_PATTERNS:]), "custom_constraint": lambda: self.some(CUSTOM_NAMES),
            "none": lambda: None, "unknown": lambda: 1,
        }[name]()
        entry = {} if name == "none" else {name: operand}
        if self.chance(0.15):
            entry["description"] = self.some(["must be good", "", None, 5, ["a"]])
        if self.chance(0.02):
            entry[self.some(["range", "foo"])] = {"min": 1}
        return self.some([None, "length", []]) if self.chance(0.01) else entry

    def declaration(self):
        kind = self.some(TYPES) if self.chance(0.99) else self.some(["String", "list", None, 5, ["string"]])
        found = {"type": kind}
        if self.chance(0.4):
            found["default"] = self.value(kind)
        if self.chance(0.6):
            found["constraints"] = [self.constraint(kind) for _ in range(self.random.choice((1, 1, 1, 2)))]
        if self.chance(0.1):
            found["hidden"] = self.some([True, False, "yes", 0])
        if self.chance(0.03):
            found[self.some(["label", "description", "immutable", "schema", "tags"])] = self.some(["x", None, True, ["t"]])
        if self.chance(0.005):
            found[self.some(["foo", "required", "Type"])] = 1
        if self.chance(0.003):
            del found["type"]
        if self.chance(0.005):
            found["constraints"] = self.some([{}, "x", None])
        return self.some([None, "string", []]) if self.chance(0.002) else found

    def group(self, names):
        found = {"parameters": [self.some([*names, "OS::stack_id", "other", 5, ["a"]]) if self.chance(0.2) else self.some(names) for _ in range(self.random.randint(0, 2))]}
        if self.chance(0.3):
            found["label"] = self.some(["g", "7", "", 3])
        if self.chance(0.1):
            found["parameters"] = self.some([None, "p", {}])
        return self.some(["g", None]) if self.chance(0.05) else found

    def request(self):
        names = ["p", "q", "long_name"][: self.random.choice((1, 1, 1, 2, 3))]
        template = {"heat_template_version": self.some(versions.VERSIONS), "parameters": {name: self.declaration() for name in names}}
        if self.chance(0.1):
            template["parameter_groups"] = [self.group(names) for _ in range(self.random.randint(1, 2))] if self.chance(0.95) else self.some([{}, {"a": 1}])
        kinds = {name: (found or {}).get("type") if isinstance(found, dict) else None for name, found in template["parameters"].items()}
        params = {name: self.value(kinds[name]) for name in names if self.chance(0.7)}
        if self.chance(0.03):
            params[self.some(["zz", "OS::stack_id"])] = "x"
        defaults = {name: self.value(kinds.get(name, "string")) for name in [*names, "OS::stack_name", "zz"] if self.chance(0.08)}
        return question(template, params, defaults, self.chance(0.6))


def question(template, params=None, defaults=None, fill=False):
    return {"template": json.dumps(template), "params": params or {}, "defaults": defaults or {}, "fill": fill}


def _asked(request):
    """The request in the oracle's terms."""
    return {"op": "resolve", "template": request["template"], "params": request["params"], "merge": "client",
            "env": [{"parameter_defaults": request["defaults"]}] if request["defaults"] else [], "fill": request["fill"]}


CUSTOM_SEEDS = {
    "ip_addr": ["10.0.0.1", "010.0.0.1", "10.0.0", "1", "0x7f.1.1.1", "::1", "fe80::1%eth0", "1::2::3", "::ffff:10.0.0.1", "::10.0.0.01", "256.1.1.1", "1.2.3.4.5", "2001:DB8::1", ":::", "1:2:3:4:5:6:7:8", "12345::"],
    "net_cidr": ["10.0.0.0/8", "10.0.0.1/24", "10/8", "10", "10.0.0.0/33", "10.0.0.0/255.0.0.0", "10.0.0.0/0.255.255.255", "fe80::/10", "fe80::/ffc0::", "::/129", "10.0.0.0/08", "10.0.0.0/", "/8", "10.0.0.0/8/8", "10.1/16", "300", "a/8", "10.0.0.0/-1"],
    "mac_addr": ["52:54:00:ab:cd:ef", "52-54-00-AB-CD-EF", "5254.00ab.cdef", "525400abcdef", "525400abcde", "525400-abcdef", "52:54:0:a:c:e", "52:54:00:ab:cd", "5254:00ab:cdef", "g2:54:00:ab:cd:ef", "525400abcd"],
    "dns_name": ["example.org", "example.org.", "a", "A.b", "-a.b", "a-.b", "a..b", ".", "a_b.c", "a.1.", "1", "a" * 63, "a" * 64, ".".join(["a" * 50] * 5), ".".join(["a" * 50] * 6), "é.org", "xn--bcher-kva.example"],
    "cron_expression": ["* * * * *", "*/5 0-23/2 1,15 jan-mar mon-fri", "0 0 l * *", "0 0 15w * *", "0 0 * * 2#3", "0 0 * * mon#1,l5", "0 0 * * 1,2#3", "0 0 ? * sat-sun", "* * * * * 30", "* * * * * 30 2020-2030", "@Daily", "@reboot", "r(0-5) r/2 * * *", "h * * * *", "0 0 0-0 * *", "5/10 50-10/7 * dec-feb 5-1/2", "*/0 * * * *", "? * * * *", "0 0 31 2 *", "0 0 1-l * l", "1-2-3 * * * *", "0 0 * * 6-7", "0 0 32w * *", "0 0 * jan-jan/2 sun#5"],
    "timezone": ["Europe/Berlin", "europe/berlin", "UTC", "US/Pacific", "Europe", "EST5EDT", "GMT+1", "Etc/GMT+1", "../UTC", "/etc/passwd", "Asia/Calcutta", "Mars/Olympus", "Factory", "Zulu", "America/Argentina/Buenos_Aires"],
    "iso_8601": ["2024", "2024-02", "202402", "2024-02-29", "2023-02-29", "20240229", "20240229T10", "2024-1-5 10:00:00.5Z", "2024-01-05T10:00:00+01:30", "2024-01-05T10:00:00-24:00", "2024-01-05T24:00", "2012-123", "2024-01-05t10:00", "2024-01-05T10:00:60", "0000-01-01", "2024-13-01", "2024-01-05T1000", "2024-01-05T10:00:00,123456789Z", "2024-01-05T10:00:00." + "9" * 30],
    "json_string": ["{}", "[1, 2]", '{"a": 1, "a": 2}', "{'a': 1}", "NaN", "[1,]", "1e5", '"x', "nul", "01", "-", "\ufeff{}", '"\\u00e9"', '"\t"', "[" * 50 + "]" * 50],
    "expiration": ["2001-01-01", "2024-12-31T23:59:59Z", "2999-01-01", "x", " 2010-01-01 ", "0001-01-01T00:00:00+23:00", "9999-12-31T23:59:59-23:00", "2020"],
    "keystone.role": ["", "admin"],
    "nova.keypair": ["", "key"],
}
SAME_AS = {"ip_or_cidr": ("ip_addr", "net_cidr"), "rel_dns_name": ("dns_name",), "dns_domain": ("dns_name",)}
ODD = ["", " ", "\n", "x", "-", "0", "é", "\x00", "a\nb", "/", ".", ":", "٣", "None"]
ALPHABET = {
    "ip_addr": "0123456789abf.:/", "net_cidr": "0123456789f.:/", "mac_addr": "0123456789abcdefABCg:-.", "dns_name": "abz019-._A", "cron_expression": "0123456789*/-,#?lw monfrijan@rh()",
    "timezone": "EuropBlintcGMTU/+1", "iso_8601": "0123456789-:TZ.+, ", "json_string": "{}[]\",:1eE+-.nultrfasNaInfy\\ ", "expiration": "0123456789-:TZ ", "keystone.role": "ab", "nova.keypair": "ab",
}


def _mutated(source, text, alphabet):
    """A text with a few slips."""
    for _ in range(source.choice((0, 1, 1, 1, 2, 3))):
        at = source.randint(0, len(text))
        kind = source.randint(0, 3)
        if kind == 0:
            text = text[:at] + source.choice(alphabet) + text[at:]
        elif kind == 1:
            text = text[:at] + text[at + 1:]
        elif kind == 2:
            text = text[:at] + source.choice(alphabet) + text[at + 1:]
        else:
            text = text[:at] + text[at // 2:at] + text[at:]
    return text


def custom_requests():
    """A text per request: valid, nearly valid, odd."""
    source = random.Random("custom")
    seeds = {**CUSTOM_SEEDS, **{name: [text for base in bases for text in CUSTOM_SEEDS[base]] for name, bases in SAME_AS.items()}}
    seeds["timezone"] = [*seeds["timezone"], *sorted(zoneinfo.available_timezones())]
    for name, texts in sorted(seeds.items()):
        alphabet = ALPHABET.get(name) or "".join(ALPHABET[base] for base in SAME_AS[name])
        chosen = dict.fromkeys([*texts, *ODD, *(text + "\n" for text in texts[:3]), *(" " + text for text in texts[:3])])
        while len(chosen) < CUSTOM_COUNT and name not in ("keystone.role", "nova.keypair"):
            chosen[_mutated(source, source.choice(texts), alphabet)] = None
        for text in chosen:
            yield name, text, question(custom_template(name, "string"), {"p": text})
        for kind, value in (("number", 5), ("number", 0), ("boolean", "true"), ("comma_delimited_list", "a,b"), ("comma_delimited_list", ""), ("number", "1.5")):
            yield name, (kind, value), question(custom_template(name, kind), {"p": value})
    for kind, value in (("string", "a"), ("number", 0), ("number", "0"), ("number", -1), ("boolean", False), ("comma_delimited_list", [])):
        yield "test_constr", (kind, value), question(custom_template("test_constr", kind), {"p": value})


def custom_template(name, kind):
    return {"heat_template_version": "rocky", "parameters": {"p": {"type": kind, "constraints": [{"custom_constraint": name}]}}}


ATOMS = ["a", "b", "é", ".", r"\d", r"\w", r"\s", r"\W", r"\D", r"\S", "[ab]", "[^a]", "[a-c1-3]", r"[\w-]", r"[^\d\s]", r"[\S\n]", "[]a]", "[[]", "[a&&b]", "[-a]", r"\.",
         r"\n", r"\x61", r"\061", "_", "1", " ", "-", "}", "]", "&", "/", r"\-", r"\_", "K", "(a)", "(a|b)"]
ANCHORS = ["^", "$", "$", r"\b", r"\B", r"\A", r"\Z"]
RARE = [r"\1", r"\2", "(?P=n)", "{", "#", "~", "ß", r"\N{DIGIT ONE}", r"\q", "[b-a]", "(", r"\08"]
REPEATS = ["", "", "", "", "", "*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{,2}", "{1,}?", "*+", "?+", "{a}", "{}"]
GROUPS = ["(%s)", "(%s)", "(?:%s)", "(?P<n>%s)", "(?=%s)", "(?!%s)", "(?<=%s)", "(?<!%s)", "(?>%s)", "(?i:%s)", "(?s:%s)", "(?a:%s)", "(?x: %s #\n)", "(?-i:%s)", "(?m:%s)", "(?(1)%s|b)"]
TEXT = "aab\u00e9b11_ -\nAcK.\u0663\u00a0\u0301#{}"


def _pattern(source, depth=0):
    """A regular expression, mostly a good one."""
    branches = []
    for _ in range(source.choice((1, 1, 1, 1, 2, 3))):
        parts = []
        for _ in range(source.choice((0, 1, 1, 2, 2, 3))):
            kind = source.random()
            if kind < 0.25 and depth < 3:
                parts.append(source.choice(GROUPS).replace("%s", _pattern(source, depth + 1)) + source.choice(REPEATS))
            elif kind < 0.35:
                parts.append(source.choice(ANCHORS))
            else:
                parts.append(source.choice(RARE if kind < 0.37 else ATOMS) + source.choice(REPEATS))
        branches.append("".join(parts))
    return "|".join(branches)


def _matched(pattern, texts):
    """A text that the pattern matches, if there is one among these; else the last."""
    try:
        compiled = re.compile(pattern)
    except re.error:
        return texts[-1]
    found = (text for text in texts if (match := compiled.match(text)) and match.end() == len(text))
    return next(found, texts[-1])


def pattern_requests():
    """Patterns and texts: those of the list with every text, and random ones."""
    warnings.simplefilter("ignore", FutureWarning)
    source = random.Random("patterns")
    texts = ["", "a", "ab", "abc", "a\n", "ABC", "aa", "a b", "foo-1", "1", "\u0663", "\u00e9", "]a", "a&b", "a{", "aaa", "abb"]
    pairs = [(pattern, text) for pattern in PATTERNS for text in texts]
    for _ in range(PATTERN_COUNT):
        pattern = source.choice(["", "", "", "(?i)", "(?s)", "(?m)", "(?a)", "(?x)", "(?im)"]) + _pattern(source)
        tried = ["".join(source.choice(TEXT) for _ in range(source.choice((0, 1, 1, 2, 2, 3, 4)))) for _ in range(40)]
        pairs += [(pattern, tried[0]), (pattern, _matched(pattern, tried))]
    for pattern, text in pairs:
        template = {"heat_template_version": "rocky", "parameters": {"p": {"type": "string", "constraints": [{"allowed_pattern": pattern}]}}}
        yield question(template, {"p": text})


def _ours(folder, requests):
    source, target = folder / "requests.jsonl", folder / "answers.jsonl"
    source.write_text("".join(json.dumps(request) + "\n" for request in requests), encoding="utf-8")
    house.bridge("parameters", source, target)
    return [json.loads(line) for line in target.read_text(encoding="utf-8").split("\n")[:-1]]


def _errors(answer):
    return [(error["stage"], error["type"]) for error in answer.get("errors", ()) if error.get("stage") in STAGES]


def _messages(answer):
    return [error["message"] for error in answer.get("errors", ()) if error.get("stage") in STAGES]


def _values(answer):
    """The values in their order, errors by their class."""
    if answer.get("parameters") is None:
        return None
    return [[name, {"$error": value["$error"]["type"]} if isinstance(value, dict) and "$error" in value else value]
            for name, value in answer["parameters"].items()]


def _about(message):
    """The parameter that a message is about."""
    parts = message.split("'")
    return parts[1] if message.startswith("Parameter '") and len(parts) > 2 else ""


class Outcome:
    """What is equal, and what is not."""

    def __init__(self):
        self.count = collections.Counter()
        self.misses = []
        self.wording = []
        self.open = collections.Counter()

    def judge(self, label, theirs, ours):
        if any(error.get("stage") not in STAGES for error in theirs.get("errors", ()) if error.get("stage") in ("load", "template")):
            self.count["apart"] += 1
            return
        self.count["all"] += 1
        if "refused" in ours:
            self.misses.append(f"{label}: {ours['refused']}, Heat: {_errors(theirs)}")
            return
        if json.dumps(_values(theirs)) != json.dumps(_values(ours)):
            self.misses.append(f"{label}: values {_values(ours)!r:.300}, Heat: {_values(theirs)!r:.300}")
            return
        same = _errors(theirs) == _errors(ours) and [_about(m) for m in _messages(theirs)] == [_about(m) for m in _messages(ours)]
        if ours["unchecked"] and not (same and _errors(ours)):
            self.count["open"] += 1
            self.open[ours["unchecked"][0].rpartition(": ")[2]] += 1
            return
        if not same:
            self.misses.append(f"{label}: {_errors(ours)} {_messages(ours)!r:.300}, Heat: {_errors(theirs)} {_messages(theirs)!r:.300}")
            return
        self.count["well"] += 1
        self.count["failing"] += bool(_errors(theirs))
        if _messages(theirs):
            self.count["messages"] += 1
            if _messages(theirs) == _messages(ours):
                self.count["worded"] += 1
            else:
                self.wording.append(f"{label}: {_messages(ours)!r:.300}, Heat: {_messages(theirs)!r:.300}")


def _judge(judge, figures, folder, label, requests):
    """One figure about many requests."""
    outcome = Outcome()
    theirs = judge.ask([_asked(request) for request in requests], remember=True)
    for request, answer, ours in zip(requests, theirs, _ours(folder, requests)):
        outcome.judge(json.dumps({key: value for key, value in request.items() if value})[:600], answer, ours)
    checked = outcome.count["all"] - outcome.count["open"]
    figures.must(outcome.count["well"], checked, f"{label} ({outcome.count['failing']} fail; {outcome.count['open']} more rest on a constraint that cannot "
                 f"be checked, {outcome.count['apart']} are no templates)", outcome.misses)
    for why, count in outcome.open.most_common():
        figures.say(f"{count} are open: {why}")
    return outcome


def _corpus():
    """The real templates, filled and not; the size of a text is not what is judged here."""
    for path in house.files_below(house.CORPUS):
        text = path.read_text(encoding="utf-8", errors="replace")
        if "heat_template_version" in text:
            for fill in (True, False):
                yield {**question(None, fill=fill), "template": text}


def run(figures, full):
    """The part."""
    folder = house.scratch("parameters")
    generator = Generator("parameters")
    requests = [generator.request() for _ in range(COUNT * (5 if full else 1))]
    with Judge() as judge:
        outcome = _judge(judge, figures, folder, "generated parameters have Heat's values and errors", requests)
        figures.count(outcome.count["worded"], outcome.count["messages"], "errors have Heat's very words", outcome.wording)

        requests = list(pattern_requests())
        _judge(judge, figures, folder, "regular expressions get Python's verdict", requests)
        if figures.has("templates", what="templates of the corpus"):
            _judge(judge, figures, folder, "templates of the corpus have Heat's parameters", list(_corpus()))

        asked = list(custom_requests())
        theirs = judge.ask([_asked(request) for *_, request in asked], remember=True)
        outcomes = collections.defaultdict(Outcome)
        for (name, text, _), answer, ours in zip(asked, theirs, _ours(folder, [request for *_, request in asked])):
            outcomes[name].judge(f"{name} {text!r}", answer, ours)
        for name, outcome in sorted(outcomes.items()):
            checked = outcome.count["all"] - outcome.count["open"]
            figures.must(outcome.count["well"], checked, f"texts get Heat's verdict on {name} ({outcome.count['failing']} fail, {outcome.count['open']} open)", outcome.misses)
