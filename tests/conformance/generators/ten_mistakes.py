"""Templates with ten mistakes of different kinds, each on a line that is known."""

import random

from generators import property_mistakes

# Kind: section, the lines of the mistake; `@` is a number that makes names unique, and `#!` ends the line with the mistake.
# Left out, since Heat or YAML reads nothing else then: a text that is no YAML, an unknown version, a section that is not a map.
PIECES = {
    "unknown section": ("", "resource@: {} #!\n"),
    "unknown key of a resource": ("resources", "  k@:\n    type: OS::Heat::None\n    propertys: {} #!\n"),
    "resource without a type": ("resources", "  t@: #!\n    properties: {}\n"),
    "resource that is a string": ("resources", "  x@: text #!\n"),
    "unknown type": ("resources", "  u@:\n    type: OS::Neutron::Nett #!\n"),
    "unknown resource": ("resources", "  r@:\n    type: OS::Heat::Value\n    properties:\n      value: {get_resource: gone@} #!\n"),
    "unknown parameter": ("resources", "  p@:\n    type: OS::Heat::Value\n    properties:\n      value: {get_param: gone@} #!\n"),
    "unknown attribute": ("resources", "  n@: {type: OS::Neutron::Net}\n  a@:\n    type: OS::Heat::Value\n    properties:\n      value: {get_attr: [n@, gone]} #!\n"),
    "unknown condition": ("resources", "  c@:\n    type: OS::Heat::None\n    condition: gone@ #!\n"),
    "unknown name in depends_on": ("resources", "  d@:\n    type: OS::Heat::None\n    depends_on: gone@ #!\n"),
    "depends on itself": ("resources", "  s@:\n    type: OS::Heat::None\n    depends_on: s@ #!\n"),
    "cycle": ("resources", "  y@:\n    type: OS::Heat::None\n    depends_on: z@ #!\n  z@:\n    type: OS::Heat::None\n    depends_on: y@ #!\n"),
    "slash in a name": ("resources", "  b/@: {type: OS::Heat::None} #!\n"),
    "unknown deletion policy": ("resources", "  e@:\n    type: OS::Heat::None\n    deletion_policy: Keep #!\n"),
    "snapshot of a network": ("resources", "  f@:\n    type: OS::Neutron::Net\n    deletion_policy: Snapshot #!\n"),
    "metadata that is a string": ("resources", "  m@:\n    type: OS::Heat::None\n    metadata: text #!\n"),
    "wrong arguments": ("resources", "  g@:\n    type: OS::Heat::Value\n    properties:\n      value: {list_join: a} #!\n"),
    "removed function": ("resources", "  h@:\n    type: OS::Heat::Value\n    properties:\n      value: {'Fn::Select': [0, [a]]} #!\n"),
    "invalid yaql": ("resources", "  i@:\n    type: OS::Heat::Value\n    properties:\n      value: {yaql: {expression: '$.a b', data: {}}} #!\n"),
    "rule of a plugin": ("resources", "  j@:\n    type: OS::Neutron::Segment\n    properties:\n      network: n\n      network_type: flat #!\n"),
    "sizes of a group": ("resources", "  l@:\n    type: OS::Heat::AutoScalingGroup\n    properties:\n      resource: {type: OS::Heat::None}\n      min_size: 3 #!\n      max_size: 2 #!\n"),
    "property of a member": ("resources", "  o@:\n    type: OS::Heat::ResourceGroup\n    properties:\n      count: 2\n      resource_def:\n        type: OS::Neutron::Net\n        properties:\n          nam: x #!\n"),
    "update policy": ("resources", "  q@:\n    type: OS::Heat::ResourceGroup\n    properties: {count: 1, resource_def: {type: OS::Heat::None}}\n    update_policy:\n      rolling: {} #!\n"),
    "parameter without a type": ("parameters", "  v@: {default: x} #!\n"),
    "type of a parameter": ("parameters", "  w@: {type: text} #!\n"),
    "key of a parameter": ("parameters", "  aa@:\n    type: string\n    defalt: x #!\n"),
    "default of the wrong type": ("parameters", "  ab@:\n    type: number\n    default: x #!\n"),
    "default beyond the range": ("parameters", "  ac@:\n    type: number\n    default: 9 #!\n    constraints: [{range: {max: 5}}]\n"),
    "unknown constraint": ("parameters", "  ad@:\n    type: string\n    constraints:\n    - {lenght: {max: 3}} #!\n"),
    "group with an unknown parameter": ("parameter_groups", "- {label: l, parameters: [gone@]} #!\n"),
    "output without a value": ("outputs", "  ae@: {description: d} #!\n"),
    "attribute in an output": ("outputs", "  af@: {value: {get_attr: [gone@, x]}} #!\n"),
    "arguments in an output": ("outputs", "  ag@: {value: {list_join: a}} #!\n"),
    "condition of an output": ("outputs", "  ah@: {value: x, condition: gone@} #!\n"),
    "condition that is a string": ("conditions", "  ai@: text #!\n"),
    "equals with one argument": ("conditions", "  aj@: {equals: [a]} #!\n"),
    "function in a condition": ("conditions", "  ak@: {equals: [{list_join: ['', [a]]}, a]} #!\n"),
}


def pieces(properties):
    """For each kind its pieces: (section, text). `properties` are mistakes of `property_mistakes` in templates that are right otherwise."""
    made = {kind: [(section, text)] for kind, (section, text) in PIECES.items()}
    for kind, _, _, wrong, lines in properties:
        body = wrong.splitlines(keepends=True)[2:]
        body[0] = body[0].replace("  r:", "  pp@:")
        for number in range(lines[0], min(lines[1], len(body) + 2) + 1):
            body[number - 3] = body[number - 3].rstrip("\n") + " #!\n"
        made.setdefault(kind, []).append(("resources", "".join(body)))
    return made


def alone(section, text):
    """A template with one piece."""
    return _assemble([(section, text)])[0]


def templates(made, count, seed="ten"):
    """(text, for each of the ten mistakes its kind and its lines)."""
    chance = random.Random(seed)
    for _ in range(count):
        chosen = [(kind, *chance.choice(made[kind])) for kind in chance.sample(sorted(made), 10)]
        text, lines = _assemble([(section, piece) for _, section, piece in chosen])
        yield text, [(kind, lines[number]) for number, (kind, _, _) in enumerate(chosen)]


def _assemble(chosen):
    sections = {}
    for number, (section, text) in enumerate(chosen):
        sections.setdefault(section, []).append((number, text.replace("@", str(number))))
    lines = [property_mistakes.HEADER.rstrip("\n")]
    places = {}
    for section, texts in sections.items():
        if section:
            lines.append(f"{section}:")
        for number, text in texts:
            for line in text.splitlines():
                marked = line.endswith("#!")
                lines.append(line.removesuffix("#!").rstrip())
                if marked:
                    places.setdefault(number, set()).add(len(lines))
    return "\n".join(lines) + "\n", places
