"""Deployments with a unique token in each place that can hold a secret, and uses of it at any depth of any property."""

import base64
import json
import random
import urllib.parse

import yaml

import house

# Letters and digits take turns, and no letter is one of hexadecimal digits, so that no part of a token occurs by chance.
LETTERS, DIGITS = "jkqvwxz", "0123456789"
# So many characters of a token are its recognizable parts.
PART = 7

FACTS = house.ROOT / "crates" / "heat-facts" / "data" / "heat-27.json"
TYPES = json.loads(FACTS.read_text(encoding="utf-8"))["types"]
NAMES = sorted(TYPES)
# A third of the draws are about these: what people use most, and what hotplate has rules of its own for.
COMMON = ["OS::Nova::Server", "OS::Neutron::Port", "OS::Neutron::SecurityGroup", "OS::Neutron::Subnet", "OS::Heat::Value", "OS::Cinder::Volume",
          "OS::Heat::SoftwareConfig", "OS::Heat::CloudConfig", "OS::Heat::MultipartMime", "OS::Heat::RandomString", "OS::Heat::SoftwareDeployment",
          "OS::Heat::StructuredConfig", "OS::Neutron::SecurityGroupRule", "OS::Neutron::Router", "OS::Octavia::Listener", "OS::Heat::WaitCondition"]

# How the value of a parameter is spelled in YAML; `S` is the token. Some are not what the type takes.
SPELLINGS = ["S", "S", "'S'", '"S"', "[S, S]", "{S: S}", "{a: {b: [S]}}", '"{\\"a\\": \\"S\\"}"', '"[\\"S\\"]"', "'S,b,S'", '"a\'S\\"b\\\\n"', '"\\tS\\u00e9"',
             "|\n    S\n    S: S", ">\n    S\n    two", "S #S", "{a: S, a: S}", "[[S], {k: S}, null, 5]", "http://u:S@host:8080/S", "10.0.0.0/S", "S" + "x" * 300, "x" * 190 + "S", "{" + "k" * 150 + ": S, b: [S]}",
             "'{{ S }}'", "'$S'", "'%S%'", "2020-01-01 S",
             "'![x](http://S/)'", "'[S](S)'", "'<img src=S>'", '"::error::S"', '"\\n::error file=S::S"', "'</td><script>S'", "'`S`'", "'| S |'"]
# Spellings that no YAML reader takes, or not as a text.
BROKEN = ["*S", "@S", "%S", "!S S", "&S S", "S: S", "'S", '"S', "{S", "[S", "- S", "? S", "!!binary S", "!!int S", "\t S"]
KINDS = ["string", "string", "string", "number", "boolean", "json", "comma_delimited_list"]
CONSTRAINTS = ["{length: {max: 3}}", "{length: {min: 900}, description: no}", "{allowed_values: [a, T]}", "{allowed_values: [T, U]}", "{allowed_pattern: 'a+'}", "{allowed_pattern: '('}",
               "{range: {max: 3}}", "{modulo: {step: 2, offset: 1}}", "{custom_constraint: nova.flavor}", "{custom_constraint: ip_addr}", "{custom_constraint: net_cidr}",
               "{custom_constraint: cron_expression}", "{custom_constraint: timezone}", "{custom_constraint: iso_8601}", "{custom_constraint: mac_addr}", "{custom_constraint: dns_domain}"]
YAQL = ["$.data.x.toInt()", "$.data.x.y.z", "$.data.x + 1", "$.data.x.split('')", "$.data.get($.data.x)", "$.data.x.toUpper().nope()", "dict($.data.x => 1).a", "$.data.x[5]", "regex($.data.x).matches(1)",
        "$.data.x.select($.a)", "datetime($.data.x)", "$.data.x.len() / 0", "int($.data.x)", "$.data.x.reverse()", "str($.data.x).replace('a', 'b').foo", "[$.data.x, 1].sum()", "'S'.x", "$.data.x in 5", "$.data[$.data.x]"]


class Token:
    """A secret; whether a text of the template holds it, which results that are templates have too."""

    def __init__(self, rng, in_template=False, number=False, is_given=False):
        self.number = number
        # Whether only a nested template says that it is one.
        self.is_given = is_given
        self.text = "".join(rng.choice(LETTERS if at % 2 else DIGITS) for at in range(15))
        self.in_template = in_template
        # A leading letter, so that YAML reads a text.
        self.text = str(rng.randrange(10**11, 10**12)) if number else "q" + self.text

    def parts(self):
        """The texts by which a leak is recognized, in lower case: parts of the token, and what it is in other notations."""
        low = self.text.lower()
        if self.number:
            yield low
            yield f"{int(low):,}"
            return
        yield from (low[at:at + PART] for at in range(len(low) - PART + 1))
        coded = self.text.encode()
        yield coded.hex()
        yield urllib.parse.quote(self.text).lower()
        for before in range(3):
            # The characters of Base64 that depend on the token alone.
            whole = base64.b64encode(b"\0" * before + coded).decode()
            yield whole[4 if before else 0:-4].lower()
        yield low[::-1][:PART + 2]
        yield " ".join(low[:6])
        yield "', '".join(low[:5])


class Draw:
    """A deployment in a folder, with a command."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.seed = seed
        self.tokens = []
        self.files = {}
        self.hidden = {}
        self._make()

    def token(self, in_template=False, number=False, is_given=False):
        """A new secret, of which no part is one of another secret."""
        others = {part for token in self.tokens for part in token.parts()}
        while not others.isdisjoint((token := Token(self.rng, in_template, number, is_given)).parts()):
            pass
        self.tokens.append(token)
        return token.text

    def _spelled(self, in_template=False, kind="string"):
        """A value for a parameter of a type, which fits it more often than not."""
        rng = self.rng
        if rng.random() < 0.01:
            return rng.choice(BROKEN).replace("S", self.token(in_template))
        if rng.random() < 0.8:
            if kind == "number":
                return self.token(in_template, number=True)
            if kind == "json":
                return rng.choice(["{a: S}", "{a: {b: [S, {x: S}]}, S: 1}", "[S]", "{a: [S], b: S}", '"{\\"a\\": \\"S\\"}"']).replace("S", self.token(in_template))
            if kind == "comma_delimited_list":
                return rng.choice(["'S,S'", "[S, b]", "S", "[S, [S], {a: S}]"]).replace("S", self.token(in_template))
        form = rng.choice(SPELLINGS)
        return form.replace("S", self.token(in_template)) if rng.random() < 0.5 else self.token(in_template)

    # --- expressions, as data that JSON writes, which is YAML ---

    def _leaf(self):
        rng = self.rng
        name = rng.choice(list(self.hidden))
        kind = rng.random()
        if kind < 0.6:
            return {"get_param": name}
        if kind < 0.75:
            return {"get_param": [name, rng.choice(["a", 0, "b", "x", {"get_param": name}])]}
        if kind < 0.8:
            return {"get_param": {"get_param": name}}
        if kind < 0.85:
            return {rng.choice(["get_resource", "get_file"]): {"get_param": name}}
        if kind < 0.9:
            return {"get_attr": [rng.choice(["other", {"get_param": name}]), rng.choice(["value", {"get_param": name}]), {"get_param": name}]}
        return {"get_attr": ["kid", rng.choice(["out", "outputs"]), "out"]}

    def _value(self, depth):
        rng = self.rng
        if depth == 0 or rng.random() < 0.25:
            return self._leaf() if rng.random() < 0.75 else rng.choice(["a", 5, True, None, [], {}, "x,y", 2.5])
        a, b, c = (self._value(depth - 1) for _ in range(3))
        leaf = self._leaf()
        forms = [
            lambda: [a, b], lambda: {"k": a, "l": b}, lambda: {"str_replce": {"template": "x $p", "params": {"$p": a}}}, lambda: {"list_joni": [",", [a, b]]},
            lambda: {"get_parm": leaf}, lambda: {"list_join": [",", [a, b]]}, lambda: {"list_join": [a, b, c]}, lambda: {"list_join": ["", a]}, lambda: {"list_join": a},
            lambda: {"str_replace": {"template": "x $p y", "params": {"$p": a}}}, lambda: {"str_replace": {"template": a, "params": b}},
            lambda: {rng.choice(["str_replace_strict", "str_replace_vstrict"]): {"template": rng.choice(["$q", a]), "params": {"$p": a, "$q": b}}},
            lambda: {"str_split": [rng.choice([",", "", a]), b]}, lambda: {"str_split": [",", a, rng.choice([0, 9, leaf])]},
            lambda: {"repeat": {"for_each": {"%i": a}, "template": rng.choice(["%i", {"a": "%i"}, b])}}, lambda: {"repeat": {"for_each": a, "template": b}},
            lambda: {"repeat": {"for_each": {"%i": [a], "%j": [b, c]}, "template": "%i %j", "permutations": rng.choice([True, False, a])}},
            lambda: {"map_merge": [{"x": a}, b]}, lambda: {"map_merge": a}, lambda: {"map_replace": [a, {"keys": {"k": b}, "values": {"a": c}}]}, lambda: {"map_replace": [{"a": a}, b]},
            lambda: {"digest": [rng.choice(["md5", "sha512", a]), b]}, lambda: {"digest": a}, lambda: {"yaql": {"expression": rng.choice(YAQL).replace("S", "s"), "data": {"x": a}}},
            lambda: {"yaql": {"expression": rng.choice(["$.data.x", leaf]), "data": {"x": a, "y": b}}}, lambda: {"if": [rng.choice(["yes", "no", "none", leaf, a]), b, c]},
            lambda: {"if": [{"equals": [a, b]}, b, c]}, lambda: {"list_concat": [a, b]}, lambda: {"list_concat_unique": [[a], b]}, lambda: {"list_concat": a},
            lambda: {"make_url": {"scheme": "http", "host": a, "port": rng.choice([80, b]), "path": c}}, lambda: {"make_url": {"scheme": a, "username": b, "password": c, "query": a}},
            lambda: {"filter": [rng.choice([[a], a]), b]}, lambda: {"contains": [a, b]}, lambda: {"equals": [a]}, lambda: {"get_resource": a}, lambda: {"get_file": a},
            lambda: {"get_attr": ["other", a]}, lambda: {"get_attr": [a, b]}, lambda: {"resource_facade": a}, lambda: {"get_param": [rng.choice(list(self.hidden)), a]},
            lambda: {"k" * rng.choice([1, 150]): a, "n": [b, {"deep": c}]}, lambda: [a, [b, [c]]],
        ]
        return rng.choice(forms)()

    def _condition(self, depth=1):
        rng = self.rng
        a = self._value(depth)
        return rng.choice([a, {"equals": [a, self._leaf()]}, {"not": a}, {"or": [a, "yes"]}, {"and": [{"equals": [a, 1]}, a]}, {"yaql": {"expression": "$.data.x", "data": {"x": a}}}, {"contains": [a, [a]]}])

    # --- resources ---

    def _fitting(self, schema, depth=0):
        """A value that fits a property, as far as its type goes."""
        kind = schema.get("type")
        for constraint in schema.get("constraints", ()):
            if "allowed_values" in constraint:
                return constraint["allowed_values"][0]
        if kind == "list":
            return [self._fitting(schema["items"], depth + 1)] if "items" in schema and depth < 3 else []
        if kind == "map":
            return {name: self._fitting(member, depth + 1) for name, member in schema.get("members", {}).items() if member.get("required")}
        return {"integer": 3, "number": 3, "boolean": True}.get(kind, "text")

    def _placed(self, schema, depth=0):
        """A value of a property with a secret in it, at any depth, of the right or of a wrong type."""
        rng = self.rng
        kind = schema.get("type")
        if depth > 3 or rng.random() < 0.45:
            return self._value(rng.randrange(4))
        if kind == "list" and "items" in schema:
            return [self._placed(schema["items"], depth + 1) for _ in range(rng.choice([1, 1, 2]))]
        if kind == "map" and schema.get("members"):
            fitting = self._fitting(schema)
            name = rng.choice(sorted(schema["members"]))
            fitting[name] = self._placed(schema["members"][name], depth + 1)
            if rng.random() < 0.1:
                fitting["wrong_key"] = self._leaf()
            return fitting
        return rng.choice([[self._value(2)], {"k": self._value(2)}, {"k": [self._value(1), {"l": self._leaf()}]}, self._leaf()])

    def _resource(self):
        rng = self.rng
        name = rng.choice(COMMON if rng.random() < 0.4 else NAMES)
        properties = TYPES[name].get("properties", {})
        given = {key: self._fitting(schema) for key, schema in properties.items() if schema.get("required") and rng.random() < 0.9}
        for key in rng.sample(sorted(properties), min(len(properties), rng.choice([1, 1, 2, 4]))):
            given[key] = self._placed(properties[key])
        if rng.random() < 0.05:
            given["wrong_name"] = self._value(1)
        resource = {"type": name, "properties": given}
        if rng.random() < 0.04:
            resource["properties"] = self._value(2)
        for key in ("metadata", "deletion_policy", "condition", "update_policy", "external_id"):
            if rng.random() < 0.06:
                resource[key] = self._condition() if key == "condition" else self._value(2)
        return resource

    def _group(self):
        rng = self.rng
        member = rng.choice([self._resource(), {"type": "child.yaml", "properties": self._for_child()}])
        return rng.choice([
            {"type": "OS::Heat::ResourceGroup", "properties": {"count": rng.choice([2, self._leaf()]), "resource_def": rng.choice([member, member, self._value(2)]), "index_var": rng.choice(["%index%", self._leaf()]),
                                                              "removal_policies": rng.choice([[], [{"resource_list": self._value(1)}]])}},
            {"type": "OS::Heat::AutoScalingGroup", "properties": {"min_size": 1, "max_size": rng.choice([2, self._leaf()]), "resource": member}},
            {"type": "OS::Heat::ResourceChain", "properties": {"resources": rng.choice([["OS::Heat::Value", self._leaf()], self._leaf()]), "resource_properties": self._value(2)}},
            {"type": "OS::Heat::ResourceChain", "properties": {"resources": ["child.yaml"], "resource_properties": self._for_child()}},
            {"type": "OS::Heat::ResourceChain", "properties": {"resources": rng.choice([["unsent.yaml"], {"if": ["yes", ["unsent.yaml"], []]}]), "resource_properties": {"unsent": self._literal()}}},
            {"type": "Mapped::Child" if self.maps else "child.yaml", "properties": self._for_child()},
            {"type": "OS::Heat::Stack", "properties": {"template": self._inline(), "parameters": {"inner": self._literal(), "pass": self._literal()}}},
            {"type": "OS::Heat::SoftwareDeploymentGroup", "properties": {"servers": rng.choice([{"0": self._leaf()}, self._leaf()]), "input_values": self._value(2), "config": "c"}},
            {"type": "OS::Heat::Stack", "properties": {"template": rng.choice([{"get_file": "child.yaml"}, self._leaf()]), "parameters": rng.choice([self._for_child(), self._value(2)])}},
        ])

    def _for_child(self):
        names = ["word", "number", "flag", "tree", "words", "own", "pass", "extra"]
        given = {name: self._value(self.rng.randrange(3)) for name in names if self.rng.random() < 0.5}
        # What the child hides is a secret here too, as it is written.
        given.update((name, self._literal()) for name in ("own", "pass") if self.rng.random() < 0.4)
        if self.rng.random() < 0.05:
            given["pas"] = self._literal()
        return self.rng.choice([given] * 9 + [{"map_merge": [{"shown": 1}, given]}])

    def _literal(self):
        """A secret that stands in a template, at any depth of a value that a hidden parameter of a child gets."""
        text = self.token(True, is_given=True)
        return self.rng.choice([text, text, int(self.token(True, number=True, is_given=True)), [text], {"a": {text: [text]}}, {"list_join": ["", ["x", text]]}, {"str_replce": {"template": text, "params": {text: text}}},
                                {"str_replace": {"template": "$a", "params": {"$a": text}}}, {"if": ["yes", text, {"get_parm": text}]}, json.dumps({"a": text}), {"list_join": [5, [text]]}])

    def _inline(self):
        """A template as a text, with hidden parameters of its own."""
        return "heat_template_version: 2018-08-31\nparameters:\n  inner:\n    type: string\n    hidden: true\n    default: " + self.token(True, is_given=True) + "\n  pass: {type: string, hidden: true}\n"

    def _template(self, is_old):
        """The text of a side; the parameters have been chosen."""
        rng = self.rng
        lines = ["heat_template_version: " + rng.choice(["2021-04-16", "2018-08-31", "2016-10-14"]), "parameters:"]
        for name, declaration in self.hidden.items():
            lines.append(f"  {name}: {{type: {declaration['kind']}, hidden: true")
            one_side = declaration["one_side"]
            if one_side is not None and one_side != is_old:
                lines[-1] = lines[-1].replace("hidden: true", f"hidden: {rng.choice(['false', 'no'])}")
                lines[-1] = lines[-1].replace(f"type: {declaration['kind']}", f"type: {rng.choice(KINDS)}") if rng.random() < 0.5 else lines[-1]
            if declaration["default"]:
                lines[-1] += f", default: {declaration['default']}"
            if declaration["constraint"]:
                lines[-1] += f", constraints: [{declaration['constraint']}]"
            if rng.random() < 0.05:
                lines[-1] += f", default: {self.token(True)}"
            lines[-1] += "}"
        if rng.random() < 0.15 and not self.is_saved:
            # The child hides a parameter of this name.
            lines.append(f"  {rng.choice(['own', 'pass'])}: {{type: {rng.choice(KINDS)}, default: {self.token(True, is_given=True)}, constraints: [{rng.choice(CONSTRAINTS).replace('T', 'a').replace('U', 'b')}]}}")
        lines += ["  shown: {type: string, default: visible}", "conditions:", "  yes: {equals: [{get_param: shown}, visible]}", "  no: {not: yes}"]
        for number in range(rng.randrange(3)):
            lines.append(f"  c{number}: {json.dumps(self._condition())}")
        lines.append("resources:\n  other: {type: OS::Heat::Value, properties: {value: b}}")
        lines.append(f"  kid: {json.dumps({'type': 'child.yaml', 'properties': self._for_child()})}")
        for number in range(rng.randrange(2, 7)):
            # A resource may have the name of a hidden parameter, or one that has to be quoted.
            name = f"r{number}" if number == 0 or rng.random() < 0.7 else rng.choice([f"hidden{number}", "own", "pass", f"a b'{number}", f"\u00fc: {number}", f"{number}", f"r.{number}", f"[r{number}]"])
            lines.append(f"  {json.dumps(name)}: {json.dumps(self._group() if rng.random() < 0.2 else self._resource())}")
        if rng.random() < 0.06 and not self.is_saved:
            # An alias of what a child hides.
            lines.append(f"  anchored: {{type: OS::Heat::Value, properties: {{value: &shared {self.token(True, is_given=True)}}}}}\n  alias: {{type: child.yaml, properties: {{pass: *shared}}}}")
        lines.append("outputs:")
        for number in range(rng.randrange(1, 4)):
            lines.append(f"  o{number}: {json.dumps({'value': self._value(3)})}")
        text = "\n".join(lines) + "\n"
        if rng.random() < 0.04:
            text = text.replace("resources:\n", f"resources:\n  torn:\n    type: child.yaml\n    properties:\n      word: shown\n      pass: {rng.choice(BROKEN).replace('S', self.token(True, is_given=True))}\n      flag: true\n", 1)
        if rng.random() < 0.05:
            text += "  broken: [\n" if rng.random() < 0.5 else "resources: {twice: {get_param: x}}\n"
        return text

    def _child(self):
        """A template that is nested, with a hidden parameter of its own; it does not know that the others are secrets."""
        rng = self.rng
        kind = rng.choice(KINDS)
        self_made = f"default: {self._spelled(True, kind)}"
        if "\n" in self_made:
            self_made = f"default: {self.token(True)}"
        kinds = {"word": "string", "number": "number", "flag": "boolean", "tree": "json", "words": "comma_delimited_list"}
        text = "heat_template_version: 2021-04-16\nparameters:\n"
        for name, kind in kinds.items():
            constraint = rng.choice(["", "", f", constraints: [{rng.choice(CONSTRAINTS).replace('T', 'a').replace('U', 'b')}]"])
            text += f"  {name}: {{type: {kind}, default: {rng.choice(['1', 'true', 'a', chr(39) + chr(39)])}{constraint}}}\n"
        text += f"  own:\n    type: {kind}\n    hidden: true\n    {self_made}\n"
        text += f"  pass:\n    type: {rng.choice(KINDS)}\n    hidden: true\n"
        text += "resources:\n  inner: {type: OS::Heat::Value, properties: {value: {get_param: " + rng.choice(["own", "pass", "word", "tree"]) + "}}}\n"
        for number in range(2):
            before, self.hidden = self.hidden, {name: None for name in [*kinds, "own", "pass", "own", "pass"]}
            text += f"  i{number}: {json.dumps(self._resource())}\n"
            self.hidden = before
        return text + "outputs:\n  out: {value: {get_param: " + rng.choice(["own", "pass", "word", "tree"]) + "}}\n"

    def _environment(self, sections=("parameters", "parameters", "parameter_defaults")):
        rng = self.rng
        by_section = {}
        names = [name for name in self.hidden if rng.random() < 0.75]
        names += [name for name in ("pass", "own", "undeclared", "hiden1") if rng.random() < 0.4]
        for name in names:
            by_section.setdefault(rng.choice([*sections, *(["parameter_default"] if rng.random() < 0.05 else [])]), []).append(name)
        text = f"encrypted_param_names: [{', '.join(name for name, it in self.hidden.items() if it['encrypted'])}]\n"
        if rng.random() < 0.2:
            text += f"parameter_merge_strategies: {{default: {rng.choice(['merge', 'deep_merge', 'wrong'])}}}\n"
        text += "resource_registry: {'Mapped::Child': child.yaml}\n"
        for section, found in by_section.items():
            text += f"{section}:\n" + "".join(f"  {name}: {self._spelled(kind=self.hidden.get(name, {'kind': 'string'})['kind'])}\n" for name in found)
        return text

    def _saved_stack(self, template):
        """What `openstack stack export` prints."""
        try:
            tree = yaml.safe_load(template)
        except (yaml.YAMLError, ValueError, TypeError):
            return None
        values = {name: self.rng.choice([self.token(), [self.token()], {"a": self.token()}]) for name in self.hidden}
        return json.dumps({"name": "saved", "id": "6f70656e-0000-4100-8000-000000000001", "action": "CREATE", "status": "COMPLETE", "template": tree,
                           "environment": {"parameters": values, "encrypted_param_names": []}, "files": {"child.yaml": self.files["child.yaml"], "file:///child.yaml": self.files["child.yaml"]},
                           "resources": {name: {"name": name, "resource_id": f"id-{name}", "type": "OS::Heat::Value", "action": "CREATE", "status": "COMPLETE"} for name in ("other", "r0")}}, default=str)

    def _make(self):
        rng = self.rng
        chosen, self.kind = rng.choice(COMMANDS)
        # Only an environment says that a type is a template.
        self.maps = "VALUES" in chosen and chosen.split()[0] in ("check", "eval") and rng.random() < 0.5
        # A saved stack is JSON: it repeats the text of an alias, and lacks what a duplicate key replaces, such as the use of a child.
        self.is_saved = "saved" in chosen or chosen == "lsp"
        # What one side shows is no secret where that side is looked at alone.
        are_both = "OLD" in chosen
        for number in range(rng.randrange(2, 6)):
            kind = rng.choice([*KINDS, "strng"] if rng.random() < 0.03 else KINDS)
            default = self._spelled(True, kind) if rng.random() < 0.35 else None
            constraint = rng.choice(CONSTRAINTS) if rng.random() < 0.12 else None
            if constraint:
                constraint = constraint.replace("T", self.token(True)).replace("U", self.token(True)) if "T" in constraint else constraint
            self.hidden[f"hidden{number}"] = {"kind": kind, "default": default if default and "\n" not in default else default and self.token(True),
                                               "constraint": constraint, "one_side": rng.choice([True, False]) if are_both and rng.random() < 0.25 else None, "encrypted": rng.random() < 0.2}
        self.files["child.yaml"] = self._child()
        self.files["unsent.yaml"] = "heat_template_version: 2021-04-16\nparameters:\n  unsent: {type: string, hidden: true}\n"
        self.files["root.yaml"] = self._template(False)
        self.files["old/root.yaml"] = self._template(True) if rng.random() < 0.6 or any(it["one_side"] is not None for it in self.hidden.values()) else self.files["root.yaml"].replace("visible", "seen").replace(": b}", ": c}")
        self.files["old/unsent.yaml"] = self.files["unsent.yaml"]
        self.files["old/child.yaml"] = self.files["child.yaml"].replace("hidden: true", "hidden: false", 1) if are_both and rng.random() < 0.25 else self.files["child.yaml"]
        self.files["env.yaml"] = self._environment()
        self.files["more.yaml"] = self._environment()
        self.files["old/env.yaml"] = self._environment()
        self.files["value.txt"] = self.token()
        self.files["arg.txt"] = self.token()
        self.files["rules/ALL001.yaml"] = RULE.replace("NUMBER", "001").replace("KIND", "resources: ['*']").replace("PART", "resource.properties")
        self.files["rules/ALL002.yaml"] = RULE.replace("NUMBER", "002").replace("KIND", "parameters: ['*']").replace("PART", "parameter")
        self.files["rules/ALL003.yaml"] = RULE.replace("NUMBER", "003").replace("KIND", "outputs: ['*']").replace("PART", "output")
        if ("saved.json" in chosen or chosen == "lsp") and (saved := self._saved_stack(self.files["root.yaml"])) is not None:
            self.files["saved.json"] = saved
        if "saved " in chosen and (saved := self._saved_stack(self.files["root.yaml"])) is not None:
            self.files["saved/export.json"], self.files["saved/child.yaml"] = saved, self.files["child.yaml"]
            values = {name: self.token() for name in self.hidden}
            outputs = [{"output_key": "o0", "output_value": self.token()}]
            self.files["saved/stack.json"] = json.dumps({"id": "6f70656e-0000-4100-8000-000000000001", "stack_name": "saved", "stack_status": "UPDATE_COMPLETE", "parameters": values, "outputs": outputs})
        if rng.random() < 0.3 and not self.maps:
            name = rng.choice(list(self.hidden))
            value = rng.choice(['"S"', '["S", 5]', '{a = "S"}', '"S', "S"]).replace("S", self.token())
            self.files["hotplate.toml"] = f"[[deployment]]\nname = \"one\"\ntemplate = \"root.yaml\"\n{rng.choice(['parameters'] * 6 + ['paramters', '[deployment.parms]', 'parameters.x'])} = {{{name} = {value}}}\n"
        self.command = self._command(chosen)

    def shows_template(self, token):
        """Whether the result is the template itself, with the texts in it. The text of the IR hides what the template does."""
        return self.kind == "template" or self.command[0] == "ir" and token.is_given

    def _values(self):
        rng = self.rng
        options = ["-e", "env.yaml"] + (["-e", "more.yaml"] if rng.random() < 0.3 else [])
        if "hotplate.toml" in self.files and rng.random() < 0.8:
            options = []
        name = rng.choice(list(self.hidden))
        if rng.random() < 0.2:
            options += ["-P", f"{name}={self.files['arg.txt']}"]
        elif rng.random() < 0.2:
            options += ["--parameter-file", f"{name}=value.txt"]
        return options

    def _command(self, command):
        rng = self.rng
        arguments = []
        for word in command.split():
            arguments += {"VALUES": self._values, "OLD": lambda: ["--old-e", "old/env.yaml"] if rng.random() < 0.7 else []}.get(word, lambda word=word: [word])()
        if rng.random() < 0.15 and "-v" not in arguments:
            arguments.append(rng.choice(["-v", "--color=always"]))
        if any(it in arguments and not any(name.startswith(it) for name in self.files) for it in ("saved", "saved.json")):
            return ["check", "root.yaml"]
        return arguments


def sweep(name):
    """A template with each property of a type, and each part of it, in five shapes that hold a secret of the wrong type; with its token."""
    token = Token(random.Random(name))
    leaf = {"get_param": "pw"}
    shapes = [{"str_replce": {"template": "x $p", "params": {"$p": leaf}}}, [leaf], {"k": leaf}, [{"k": [leaf]}], leaf]
    resources = {}

    def add(place, schema, around):
        for shape in shapes:
            resources[f"r{len(resources)}"] = {"type": name, "properties": around(shape)}
        inner = schema.get("items") if schema.get("type") == "list" else None
        if inner:
            add(place, inner, lambda value: around([value]))
        for key, member in schema.get("members", {}).items() if schema.get("type") == "map" else ():
            add(place, member, lambda value, key=key: around({key: value}))

    for key, schema in TYPES[name].get("properties", {}).items():
        add(key, schema, lambda value, key=key: {key: value})
    tree = {"heat_template_version": "2021-04-16", "parameters": {"pw": {"type": "string", "hidden": True}}, "resources": resources}
    return json.dumps(tree, indent=1), token


RULE = """\
id: ALLNUMBER
title: all
message: "{{ $.PART }} {{ $ }} {{ $.stack.parameters }} {{ $.stack.resources.select($.properties) }} {{ $.values() }} {{ str($.PART) }}"
help: none
select: {KIND}
require: 1 = 2
"""

# Commands with the kind of their result: a report, or the template itself (its defaults and lists of allowed values are in it).
COMMANDS = [
    *[(f"check root.yaml VALUES {it}", "report") for it in ("", "", "--select all", "--select all --format json", "--format sarif", "--format junit", "--format github", "--format gitlab", "--format zuul",
                                                             "--format sarif --select all", "--policy rules --select all", "--policy rules --format json", "--write-baseline base.txt --select all", "--fix", "--unsafe-fixes --diff", "--statistics")],
    ("check . --select all", "report"), ("check . --format sarif --select all", "report"), ("check old . --policy rules --format json", "report"), ("check --write-baseline b.txt .", "report"),
    *[(f"eval root.yaml VALUES {it}", "report") for it in ("", "--format json", "--format yaml", "--nested", "--nested --format json", "--fill", "--fill --nested")],
    ("eval saved.json --nested", "report"), ("eval child.yaml -e env.yaml", "report"),
    *[(f"diff old/root.yaml root.yaml VALUES OLD {it}", "report") for it in ("", "", "--format json", "--format markdown", "--format html", "--format sarif", "--format junit", "--format github", "--format gitlab", "--format zuul",
                                                                              "--full", "-v --explain-match --context 9", "--stat", "--name-only", "-o html=page.html -o json=page.json -o markdown=page.md", "--fail-on refused,delete,replace")],
    *[(f"diff saved.json root.yaml VALUES {it}", "report") for it in ("", "--format json", "--format markdown", "--full -v")],
    *[(f"diff saved root.yaml VALUES {it}", "report") for it in ("", "--format json", "--format markdown -v")], ("eval saved --nested", "report"),
    ("diff root.yaml root.yaml -e env.yaml --old-e old/env.yaml", "report"), ("diff old/root.yaml root.yaml VALUES OLD --format json --full", "report"),
    *[(f"env VALUES {it}", "report") for it in ("", "--format json")], ("env root.yaml VALUES", "report"), ("env root.yaml VALUES --format json", "report"),
    *[(f"parameters root.yaml VALUES {it}", "report") for it in ("", "--format json", "--new-environment")],
    *[(f"render root.yaml VALUES -t {target} {it}", "template") for target in ("terraform", "cfn", "pulumi", "ansible") for it in ("--bake -o out", "-o out", "--format json -o out", "--strict -o out")],
    *[(f"render root.yaml -t {target}", "template") for target in ("hot", "heat-cfn", "json", "yaml", "mermaid", "markdown")],
    *[(f"render root.yaml VALUES -t {target} --format json -v -o out", "template") for target in ("terraform", "cfn", "pulumi", "ansible")], ("render root.yaml -t hot --format json", "template"),
    ("render saved.json -t terraform -o out", "template"),
    *[(f"upgrade root.yaml --to latest {it}", "template") for it in ("--check", "--check -v", "--check --format json", "--diff", "--check --statistics", "--modernize --check", "--write")],
    *[(f"versions root.yaml {it}", "report") for it in ("", "--format json", "-v")], ("ir root.yaml", "template"), ("ir root.yaml --text", "report"),
    ("capabilities list root.yaml", "report"), ("capabilities resolve VALUES", "report"), ("capabilities resolve VALUES --format json", "report"), ("config", "report"), ("config check --format json", "report"),
    ("policy test rules", "report"), ("targets context root.yaml VALUES --target terraform", "template"),
    *[("lsp", "server")] * 6,
]
