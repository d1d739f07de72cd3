"""Odd texts beside references: what each target's own language makes of them is what Heat makes of them.

Every pair of `TEXTS` stands before and after a reference, in `list_join`, in `str_replace` with a short and with a long
text (a heredoc), in a key of a map, and in the default of a parameter. OpenTofu applies what is rendered for it, Ansible's
engine templates the playbook; of Pulumi YAML and CloudFormation the rules of their texts are written down here.

OpenTofu also applies what is long and deep: chains of conditions, `if` within `if`, many placeholders, lines of any length; and
MIME messages, whose parts are those of the messages that Heat's plugin makes.
"""

import email
import json
import re

import yaml

import house
from judges.judge import Judge
from judges.tofu import Tofu, outputs

# The judges that the part cannot do without, beside Heat's engine.
JUDGES = ("tofu",)

TEXTS = [
    "", "$", "$$", "$$$", "%", "%%", "${", "%{", "$${", "$$${", "%%{", "{", "}", "{{", "}}", "{%", "{#", "${x}", "${!x}", "%{ if x }", "\\", "\\\\", '"', "'",
    "\n", "<<EOT", "EOT", "\nEOT\n", "~", "$%", "%$", "#jinja2:", "é", "\t",
]
VALUE = "V"
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def run(figures, full):
    """The part."""
    folder = house.scratch("texts")
    # CloudFormation has no outputs that are lists.
    together, single = _cases(lambda form, a: [(f"{form}_{a}", [(form, TEXTS[a], after) for after in TEXTS])]), \
        _cases(lambda form, a: [(f"{form}{a}x{b}", (form, TEXTS[a], after)) for b, after in enumerate(TEXTS)] if form != "key" else [])
    together["default"] = None
    with Tofu() as tofu:
        for target in ("terraform", "terraform-json"):
            state, wrong = tofu.apply(_rendered(folder, target, together))
            _judge(figures, target, together, outputs(state), wrong)
        _long(figures, folder, tofu)
        _messages(figures, folder, tofu)
    _judge(figures, "pulumi", together, Pulumi(_rendered(folder, "pulumi", together)).outputs())
    _judge(figures, "cfn", single, _cloudformation(_rendered(folder, "cfn", single)))
    done = house.run([house.PYTHON, house.HERE / "judges" / "ansible_values.py", _rendered(folder, "ansible", together)])
    if done.returncode != 0:
        figures.skip("Ansible", "it is not installed: tools/setup FOLDER ansible")
        return
    found = json.loads(done.stdout)
    _judge(figures, "ansible", together, {name: answer.get("value", answer.get("error")) for name, answer in found.items()})


def _cases(made):
    """Names of outputs with what they are: a form with its two texts, or a list of such."""
    return dict(case for form in FORMS for a in range(len(TEXTS)) for case in made(form, a))


# ---------------------------------------------------------------- the template

def _join(before, after):
    return {"list_join": ["", [before, {"get_param": "p"}, after]]}, before + VALUE + after


def _replace(before, after):
    return {"str_replace": {"template": f"{before}@p@{after}", "params": {"@p@": {"get_param": "p"}}}}, before + VALUE + after


def _heredoc(before, after):
    return _replace(f"one\n two\n{before}", f"{after}\nthree\n")


def _key(before, after):
    return {f"{before}@{after}": {"get_param": "p"}}, {f"{before}@{after}": VALUE}


FORMS = {"join": _join, "replace": _replace, "heredoc": _heredoc, "key": _key}


DEFAULT = {text: text for text in TEXTS}


def _of(case, part):
    """The call (0) or the value (1) of a case."""
    if case is None:
        return ({"get_param": "j"}, DEFAULT)[part]
    if isinstance(case, list):
        return [_of(one, part) for one in case]
    form, before, after = case
    return FORMS[form](before, after)[part]


def _rendered(folder, target, cases):
    """The folder, or the one file, that a template with an output for each case becomes."""
    parameters = {"p": {"type": "string", "default": VALUE}, "j": {"type": "json", "default": DEFAULT}}
    said = {name: {"value": _of(case, 0)} for name, case in cases.items()}
    template = folder / f"{target}.yaml"
    template.write_text(json.dumps({"heat_template_version": "2018-08-31", "parameters": parameters, "outputs": said}), encoding="utf-8")
    into = folder / target
    done = house.hotplate("render", "--target", target, template, "-o", into)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{target}: {done.stderr.decode('utf-8', 'replace')[:500]}")
    return into


def _judge(figures, target, cases, found, wrong=""):
    """The figure of a target: each text beside Heat's."""
    same, of, misses = 0, 0, [wrong[:1500]] if wrong else []
    for name, case in cases.items():
        value = _of(case, 1)
        ours = found.get(name)
        if not isinstance(value, list):
            value, ours = [value], [ours]
        pairs = list(zip(value, ours if isinstance(ours, list) and len(ours) == len(value) else [ours] * len(value)))
        of += len(pairs)
        same += sum(one == other for one, other in pairs)
        misses += [f"{name}: Heat {one!r}, {target} {other!r}" for one, other in pairs if one != other and not wrong]
    figures.must(same, of, f"texts in {target} that are Heat's", misses)


# ---------------------------------------------------------------- what is long and deep

def _nested(count, innermost, step):
    value = innermost
    for number in range(count):
        value = step(number, value)
    return value


def _long(figures, folder, tofu):
    """Long and deep calls on values that are not known while rendering: OpenTofu takes them, with Heat's values."""
    text, number = {"get_param": "p"}, {"get_param": "n"}
    equals = lambda value: {"equals": [text, value]}
    conditions = {f"c{at}": equals(f"x{at}") for at in range(3)}
    conditions["any"] = {"or": [equals(f"x{at}") for at in range(900)]}
    conditions["all"] = {"and": [{"not": equals(f"x{at}")} for at in range(900)]}
    conditions["deep"] = _nested(150, equals("k"), lambda at, inner: {"not": inner} if at % 3 == 0 else {"or": [inner, equals(f"y{at}")]})
    values = {name: {"if": [name, "yes", "no"]} for name in ("any", "all", "deep")}
    values["texts"] = _nested(90, "z", lambda at, inner: {"if": [f"c{at % 3}", f"v{at}", inner]})
    values["mixed"] = _nested(90, {"get_param": "l"}, lambda at, inner: {"if": [f"c{at % 3}", number if at % 2 else f"v{at}", inner]})
    values["replaced"] = {"str_replace": {"template": text, "params": {f"k{at}": f"v{at}" for at in range(32)}}}
    values["lists"] = _nested(90, text, lambda _, inner: [inner])
    values["joined"] = _nested(90, text, lambda _, inner: {"list_join": ["-", [inner, text]]})
    values["line"] = {"list_join": ["", ["abcdefgh", text] * 8000]}
    parameters = {"p": {"type": "string", "default": "k3 k2 k31 x"}, "n": {"type": "number", "default": 1}, "l": {"type": "comma_delimited_list", "default": ["a"]}}
    template = {"heat_template_version": "2018-08-31", "parameters": parameters, "conditions": conditions, "outputs": {name: {"value": value} for name, value in values.items()}}
    with Judge() as judge:
        [heat] = judge.ask([{"op": "resolve", "client": True, "template": template}], remember=True)
    path = folder / "long.yaml"
    path.write_text(json.dumps(template), encoding="utf-8")
    done = house.hotplate("render", "--target", "terraform", path, "-o", folder / "long")
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stderr.decode("utf-8", "replace")[:500])
    state, wrong = tofu.apply(folder / "long")
    found = outputs(state)
    misses = [wrong[:1500]] if wrong else [name for name in values if found.get(name) != heat["outputs"][name]["value"]]
    figures.must(len(values) - len(misses), len(values), "long and deep calls that OpenTofu takes, with Heat's values", misses)


# ---------------------------------------------------------------- MIME messages

# The message that the nested template returns, and the others, which may contain it: `{"inner": …}` is another message of the template.
_NESTED = [{"config": "#!/bin/sh\necho nested\n", "filename": "n.sh", "subtype": "x-shellscript"}, {"config": "#cloud-config\n{}\n", "subtype": "cloud-config"}]
_MESSAGES = {
    "plain": [{"config": "#!/bin/sh\necho ${x} %{y} $$\n"}, {"config": "two"}, {"config": " \n\nthree\n\n"}],
    "typed": [{"config": "a", "subtype": "cloud-boothook"}, {"config": "b", "filename": "part-handler.py"}, {"config": "c", "filename": ".d/e f.tar.gz", "subtype": "x"}],
    "merged": [{"config": "before"}, {"inner": "typed"}, {"inner": "plain"}, {"config": "é"}],
    "of_nested": [{"config": "before"}, {"inner": None}, {"config": "after", "type": "text"}],
    "empty": [],
    "of_empty": [{"config": ""}, {"inner": None}, {"inner": "empty"}, {"config": "x"}],
    "all": [{"inner": "of_nested"}, {"inner": "of_empty"}],
}


def _messages(figures, folder, tofu):
    """The parts of messages, as a program finds them that reads MIME."""
    from heat.engine.resources.openstack.heat.multi_part import MultipartMime  # noqa: PLC0415

    def heats(parts):
        plugin = object.__new__(MultipartMime)
        given = [{"type": "multipart", "config": heats(_MESSAGES.get(part["inner"], _NESTED))} if "inner" in part else part for part in parts]
        plugin.properties = {"parts": given}
        return plugin.get_message()

    def resource(parts):
        inner = lambda name: {"get_attr": ["nested", "message"]} if name is None else {"get_resource": name}
        given = [{"type": "multipart", "config": inner(part["inner"])} if "inner" in part else part for part in parts]
        return {"type": "OS::Heat::MultipartMime", "properties": {"parts": given}}

    version = {"heat_template_version": "2018-08-31"}
    nested = {**version, "resources": {"made": resource(_NESTED)}, "outputs": {"message": {"value": {"get_attr": ["made", "config"]}}}}
    (folder / "nested.yaml").write_text(json.dumps(nested), encoding="utf-8")
    made = {name: resource(parts) for name, parts in _MESSAGES.items()}
    root = {**version, "resources": {"nested": {"type": "nested.yaml"}, **made}, "outputs": {name: {"value": {"get_resource": name}} for name in made}}
    path = folder / "messages.yaml"
    path.write_text(json.dumps(root), encoding="utf-8")
    done = house.hotplate("render", "--target", "terraform", path, "-o", folder / "messages")
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stderr.decode("utf-8", "replace")[:500])
    state, wrong = tofu.apply(folder / "messages")
    found = outputs(state)
    pairs = {name: (_parts(heats(parts)), _parts(found.get(name, ""))) for name, parts in _MESSAGES.items()}
    misses = [wrong[:1500]] if wrong else [f"{name}: Heat {heat}, OpenTofu {ours}" for name, (heat, ours) in pairs.items() if heat != ours]
    figures.must(len(pairs) - len(misses), len(pairs), "MIME messages in terraform with Heat's parts", misses)


def _parts(message):
    """The type, the file name and the text of each part of a message that has any text; None if it is no message."""
    read = email.message_from_string(message)
    if not read.is_multipart() and message.strip() and "multipart" not in read.get_content_type():
        return None
    leaves = [part for part in read.walk() if not part.is_multipart() and part.get_content_maintype() != "multipart"]
    return [(part.get_content_type(), part.get_filename(), _text(part)) for part in leaves if part.get_payload()]


def _text(part):
    """The text of a part; Heat writes what is not ASCII as base64."""
    return part.get_payload(decode=True).decode() if part["Content-Transfer-Encoding"] == "base64" else part.get_payload()


# ---------------------------------------------------------------- Pulumi YAML

class Pulumi:
    """Values of a program, as far as hotplate writes them: `ast/interpolation.go` of pulumi-yaml, and the functions of texts."""

    def __init__(self, folder):
        self.tree = yaml.load((folder / "Pulumi.yaml").read_text(encoding="utf-8"), LOADER)

    def outputs(self):
        return {name: self.value(value) for name, value in (self.tree.get("outputs") or {}).items()}

    def value(self, value):
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if isinstance(value, dict):
            if list(value) == ["fn::join"]:
                delimiter, items = self.value(value["fn::join"])
                return delimiter.join(items)
            return {self.text(key): self.value(item) for key, item in value.items()}
        return self.text(value) if isinstance(value, str) else value

    def text(self, text):
        parts, at = [], 0
        while at < len(text):
            if text.startswith("$$", at):
                parts.append("$")
                at += 2
            elif text.startswith("${", at):
                end = text.index("}", at)
                parts.append(self.reference(text[at + 2:end]))
                at = end + 1
            else:
                parts.append(text[at])
                at += 1
        return parts[0] if len(parts) == 1 else "".join(parts)

    def reference(self, name):
        if name in (self.tree.get("config") or {}):
            return self.tree["config"][name]["default"]
        return self.value(self.tree["variables"][name])


# ---------------------------------------------------------------- CloudFormation

def _cloudformation(file):
    """Values of the outputs: `Fn::Join`, and `Fn::Sub` where its text is one that the guide describes."""
    tree = yaml.load(file.read_text(encoding="utf-8"), LOADER)
    defaults = {name: parameter.get("Default") for name, parameter in tree.get("Parameters", {}).items()}

    def value(node):
        if not isinstance(node, dict) or len(node) != 1:
            return node
        (name, argument), = node.items()
        if name == "Ref":
            return defaults[argument]
        if name == "Fn::Join":
            return argument[0].join(value(item) for item in argument[1])
        if name == "Fn::Sub":
            text, given = argument if isinstance(argument, list) else (argument, {})
            return re.sub(r"\$\{(!?)([^}]*)\}", lambda found: filled(found, given), text)
        return node

    def filled(found, given):
        if not re.fullmatch(r"[A-Za-z0-9_.:]+", found[2]):
            return f"<not described: {found[0]}>"
        if found[1]:
            return f"${{{found[2]}}}"
        return value(given[found[2]]) if found[2] in given else defaults[found[2]]

    # An ID begins with a capital letter in AWS's style.
    return {name[0].lower() + name[1:]: value(output["Value"]) for name, output in tree.get("Outputs", {}).items()}
