"""Templates of one resource each, and the same with one mistake on a line that is known.

For every type of the facts: each property once unknown and once of the wrong type, each limit once exceeded, each required property
once missing, and so for the members of its maps. `TEMPLATES` are mistakes elsewhere than in properties.
"""

import json

import house

HEADER = "heat_template_version: 2021-04-16\n"
FACTS = house.ROOT / "crates" / "heat-facts" / "data" / "heat-27.json"
# A value for each custom constraint that needs no cloud.
OF_CONSTRAINTS = {
    "ip_addr": "10.0.0.9", "ip_or_cidr": "10.0.0.0/24", "net_cidr": "10.0.0.0/24", "mac_addr": "00:11:22:33:44:55", "dns_name": "a.example.",
    "dns_domain": "example.org.", "rel_dns_name": "a", "cron_expression": "0 * * * *", "timezone": "UTC", "iso_8601": "2040-01-01T00:00:00Z",
    "expiration": "2040-01-01T00:00:00", "json_string": "{}",
}
WRONG = {"string": [1], "integer": "abc", "number": "abc", "boolean": "maybe", "list": {"a": 1}, "map": 5}


def types():
    """The facts about the types, by name."""
    return json.loads(FACTS.read_text(encoding="utf-8"))["types"]


def value(prop):
    """A value that fits a property."""
    kind = prop["type"]
    for constraint in prop.get("constraints", []):
        if "allowed_values" in constraint:
            one = constraint["allowed_values"][0]
            return [one] if kind == "list" else one
        if constraint.get("custom") in OF_CONSTRAINTS:
            return OF_CONSTRAINTS[constraint["custom"]]
    limits = {key: it for constraint in prop.get("constraints", []) for key, it in constraint.items() if key in ("range", "length")}
    if kind in ("integer", "number"):
        bounds = limits.get("range", {})
        return bounds.get("min", min(1, bounds.get("max", 1)))
    if kind == "boolean":
        return True
    if kind == "list":
        items = prop.get("items")
        least = limits.get("length", {}).get("min", 1)
        return [value(items) if items else "a"] * max(least, 1)
    if kind == "map":
        return members(prop.get("members", {}))
    if any("allowed_pattern" in constraint for constraint in prop.get("constraints", [])):
        return "aa"
    return "a" * max(limits.get("length", {}).get("min", 1), 1)


def members(schema):
    """A map that has what the schema requires."""
    return {name: value(prop) for name, prop in schema.items() if prop.get("required") and "default" not in prop}


def template(kind, properties):
    """A template with one resource, a line for each property."""
    lines = [f"      {name}: {json.dumps(it)}" for name, it in properties]
    if not lines:
        return HEADER + f"resources:\n  r:\n    type: {kind}\n"
    return HEADER + f"resources:\n  r:\n    type: {kind}\n    properties:\n" + "\n".join(lines) + "\n"


def mistakes():
    """(kind of mistake, name, template that is right, template with the mistake, its lines)."""
    for kind, facts in types().items():
        schema = facts.get("properties", {})
        if not schema or facts.get("dynamic_attributes") and not schema:
            continue
        base = list(members(schema).items())
        right = template(kind, base)
        first, last = 5, 5 + len(base)
        for name, prop in schema.items():
            others = [it for it in base if it[0] != name]
            at = 6 + len(others)
            yield "unknown property", f"{kind}.{name}", right, template(kind, [*base, (name + "x", value(prop))]), (6 + len(base),) * 2
            if prop["type"] in WRONG and not prop.get("allow_conversion"):
                yield f"wrong type, {prop['type']}", f"{kind}.{name}", right, template(kind, [*others, (name, WRONG[prop["type"]])]), (at, at)
            if prop.get("required") and "default" not in prop:
                yield "missing property", f"{kind}.{name}", right, template(kind, others), (first - 1, last)
            for what, wrong in _beyond(prop):
                yield what, f"{kind}.{name}", right, template(kind, [*others, (name, wrong)]), (at, at)
            inner = prop.get("items", prop)
            for member, nested in inner.get("members", {}).items():
                for what, wrong in _nested(inner["members"], member, nested):
                    wrong = [wrong] if prop["type"] == "list" else wrong
                    yield what, f"{kind}.{name}.{member}", right, template(kind, [*others, (name, wrong)]), (at, at)


def _nested(schema, member, prop):
    good = members(schema)
    yield "unknown member", {**good, member + "x": value(prop)}
    if prop["type"] in WRONG and not prop.get("allow_conversion"):
        yield "wrong type of a member", {**good, member: WRONG[prop["type"]]}
    if prop.get("required") and "default" not in prop:
        yield "missing member", {name: it for name, it in good.items() if name != member}


def _beyond(prop):
    """Values beyond the limits of a property."""
    for constraint in prop.get("constraints", []):
        if "allowed_values" in constraint and prop["type"] == "string":
            yield "value that is not allowed", "no-such-value"
        for key in ("range", "length"):
            bounds = constraint.get(key, {})
            if key == "range" and prop["type"] in ("integer", "number"):
                if "min" in bounds:
                    yield "below the range", bounds["min"] - 1
                if "max" in bounds:
                    yield "above the range", bounds["max"] + 1
            if key == "length" and prop["type"] == "string":
                if bounds.get("max", 10**6) < 10**5:
                    yield "too long", "a" * (bounds["max"] + 1)
                if bounds.get("min", 0) > 0:
                    yield "too short", "a" * (bounds["min"] - 1)
        if constraint.get("custom") in OF_CONSTRAINTS and prop["type"] == "string":
            yield f"not a valid {constraint['custom']}", "!!"


_NET = "  n: {type: OS::Neutron::Net}\n"
_PORT = "  p:\n    type: OS::Neutron::Port\n    properties:\n      network: x\n"
# Kind of mistake: the template without its version; the line with the mistake ends with `#!`.
TEMPLATES = {
    "unknown section": "resource: {} #!\n",
    "unknown key of a resource": "resources:\n  n:\n    type: OS::Neutron::Net\n    propertys: {} #!\n",
    "resource without a type": "resources:\n  n: #!\n    properties: {}\n",
    "unknown type": "resources:\n  n: {type: OS::Neutron::Nett} #!\n",
    "unknown resource in get_resource": f"resources:\n{_NET}  p:\n    type: OS::Neutron::Port\n    properties:\n      network: {{get_resource: m}} #!\n",
    "unknown resource in get_attr": f"resources:\n{_NET}  p:\n    type: OS::Neutron::Port\n    properties:\n      network: {{get_attr: [m, name]}} #!\n",
    "unknown attribute in a property": f"resources:\n{_NET}  p:\n    type: OS::Neutron::Port\n    properties:\n      network: {{get_attr: [n, nam]}} #!\n",
    "unknown attribute in an output": f"resources:\n{_NET}outputs:\n  o:\n    value: {{get_attr: [n, nam]}} #!\n",
    "unknown parameter in a property": "resources:\n  p:\n    type: OS::Neutron::Port\n    properties:\n      network: {get_param: x} #!\n",
    "unknown name in depends_on": f"resources:\n{_PORT}    depends_on: q #!\n",
    "depends on itself": f"resources:\n{_PORT}    depends_on: p #!\n",
    "cycle of depends_on": "resources:\n  a: {type: OS::Neutron::Net, depends_on: b} #!\n  b: {type: OS::Neutron::Net, depends_on: a} #!\n",
    "cycle of references": "resources:\n  a: {type: OS::Neutron::Net, properties: {name: {get_resource: b}}} #!\n  b: {type: OS::Neutron::Net, properties: {name: {get_resource: a}}} #!\n",
    "parameter and resource of one name": f"parameters:\n  n: {{type: string, default: x}} #!\nresources:\n{_NET.rstrip()} #!\n",
    "slash in a name": "resources:\n  a/b: {type: OS::Neutron::Net} #!\n",
    "unknown deletion policy": f"resources:\n{_PORT}    deletion_policy: Keep #!\n",
    "snapshot of a port": f"resources:\n{_PORT}    deletion_policy: Snapshot #!\n",
    "unknown key of update_policy": "resources:\n  g:\n    type: OS::Heat::ResourceGroup\n    properties: {count: 1, resource_def: {type: OS::Heat::None}}\n    update_policy: {rolling: {}} #!\n",
    "wrong value in update_policy": "resources:\n  g:\n    type: OS::Heat::ResourceGroup\n    properties: {count: 1, resource_def: {type: OS::Heat::None}}\n    update_policy: {rolling_update: {max_batch_size: 0}} #!\n",
    "properties that are a list": "resources:\n  n:\n    type: OS::Neutron::Net\n    properties: [] #!\n",
    "properties that are null": "resources:\n  n:\n    type: OS::Neutron::Net\n    properties: #!\n",
    "metadata that is a string": "resources:\n  n:\n    type: OS::Neutron::Net\n    metadata: x #!\n",
    "depends_on that is a map": "resources:\n  n:\n    type: OS::Neutron::Net\n    depends_on: {a: b} #!\n",
    "parameter without a type": "parameters:\n  a: {default: x} #!\n",
    "unknown type of a parameter": "parameters:\n  a: {type: text} #!\n",
    "unknown key of a parameter": "parameters:\n  a: {type: string, defalt: x} #!\n",
    "default of the wrong type": "parameters:\n  a:\n    type: number\n    default: x #!\n",
    "default beyond the range": "parameters:\n  a:\n    type: number\n    default: 9 #!\n    constraints: [{range: {max: 5}}]\n",
    "default that is not allowed": "parameters:\n  a:\n    type: string\n    default: z #!\n    constraints: [{allowed_values: [a, b]}]\n",
    "default of the wrong length": "parameters:\n  a:\n    type: string\n    default: abcdef #!\n    constraints: [{length: {max: 3}}]\n",
    "default that does not match": "parameters:\n  a:\n    type: string\n    default: abc #!\n    constraints: [{allowed_pattern: '[0-9]+'}]\n",
    "unknown constraint": "parameters:\n  a:\n    type: string\n    constraints:\n    - {lenght: {max: 3}} #!\n",
    "constraint of the wrong kind": "parameters:\n  a:\n    type: string\n    constraints:\n    - {range: {max: 3}} #!\n",
    "group with an unknown parameter": "parameters:\n  a: {type: string, default: x}\nparameter_groups:\n- {label: l, parameters: [b]} #!\n",
    "parameter in two groups": "parameters:\n  a: {type: string, default: x}\nparameter_groups:\n- {label: l, parameters: [a]}\n- {label: m, parameters: [a]} #!\n",
    "output without a value": "outputs:\n  o: {description: d} #!\n",
    "output that is a string": "outputs:\n  o: x #!\n",
    "removed function in a property": "resources:\n  n: {type: OS::Neutron::Net, properties: {name: {'Fn::Select': [0, [a]]}}} #!\n",
    "wrong arguments of str_replace": "resources:\n  n: {type: OS::Neutron::Net, properties: {name: {str_replace: {template: a}}}} #!\n",
    "wrong arguments of list_join": "resources:\n  n: {type: OS::Neutron::Net, properties: {name: {list_join: a}}} #!\n",
    "wrong arguments in an output": "outputs:\n  o: {value: {list_join: a}} #!\n",
    "wrong arguments in metadata": "resources:\n  n:\n    type: OS::Neutron::Net\n    metadata: {a: {digest: [md5]}} #!\n",
    "if with one argument": "conditions: {c: true}\nresources:\n  n: {type: OS::Neutron::Net, properties: {name: {if: [c]}}} #!\n",
    "if with an unknown condition": "resources:\n  n: {type: OS::Neutron::Net, properties: {name: {if: [c, a, b]}}} #!\n",
    "unknown condition of a resource": "resources:\n  n: {type: OS::Neutron::Net, condition: c} #!\n",
    "unknown condition of an output": "outputs:\n  o: {value: x, condition: c} #!\n",
    "condition that is a string": "conditions:\n  c: x #!\nresources:\n  n: {type: OS::Neutron::Net, condition: c}\n",
    "equals with one argument": "conditions:\n  c: {equals: [a]} #!\nresources:\n  n: {type: OS::Neutron::Net, condition: c}\n",
    "function in a condition": f"conditions:\n  c: {{equals: [{{get_resource: n}}, a]}} #!\nresources:\n{_NET}",
    "yaql with a syntax error": "resources:\n  n: {type: OS::Neutron::Net, properties: {name: {yaql: {expression: '$.a b', data: {}}}}} #!\n",
    "wrong property of a member of a ResourceGroup": "resources:\n  g:\n    type: OS::Heat::ResourceGroup\n    properties:\n      count: 1\n      resource_def:\n        type: OS::Neutron::Net\n        properties:\n          nam: x #!\n",
    "unknown type of a member of a ResourceGroup": "resources:\n  g:\n    type: OS::Heat::ResourceGroup\n    properties:\n      count: 1\n      resource_def:\n        type: OS::Neutron::Nett #!\n",
    "wrong property of a member of an AutoScalingGroup": "resources:\n  g:\n    type: OS::Heat::AutoScalingGroup\n    properties:\n      min_size: 1\n      max_size: 2\n      resource:\n        type: OS::Neutron::Net\n        properties:\n          nam: x #!\n",
    "subnet with cidr and pool": "resources:\n  s:\n    type: OS::Neutron::Subnet\n    properties:\n      network: n\n      cidr: 10.0.0.0/24 #!\n      subnetpool: p #!\n",
    "subnet without cidr": "resources:\n  s:\n    type: OS::Neutron::Subnet #!\n    properties: {network: n}\n",
    "server without an image": "resources:\n  s:\n    type: OS::Nova::Server #!\n    properties: {flavor: f}\n",
    "empty network of a server": "resources:\n  s:\n    type: OS::Nova::Server\n    properties:\n      flavor: f\n      block_device_mapping_v2: [{volume_id: v}]\n      networks:\n      - {} #!\n",
    "port and address of a server": "resources:\n  s:\n    type: OS::Nova::Server\n    properties:\n      flavor: f\n      block_device_mapping_v2: [{volume_id: v}]\n      networks:\n      - {port: p, fixed_ip: 10.0.0.1} #!\n",
    "groups and port of a server": "resources:\n  s:\n    type: OS::Nova::Server\n    properties:\n      flavor: f\n      block_device_mapping_v2: [{volume_id: v}]\n      security_groups: [g] #!\n      networks: [{port: p}] #!\n",
    "several sources of a server": "resources:\n  s:\n    type: OS::Nova::Server\n    properties:\n      flavor: f\n      block_device_mapping_v2: #!\n      - {volume_id: v}\n      - {volume_id: w}\n",
    "device without a source": "resources:\n  s:\n    type: OS::Nova::Server\n    properties:\n      flavor: f\n      block_device_mapping_v2:\n      - {volume_id: v}\n      - {boot_index: 3} #!\n",
    "two sources of a device": "resources:\n  s:\n    type: OS::Nova::Server\n    properties:\n      flavor: f\n      block_device_mapping_v2:\n      - {volume_id: v, image: i} #!\n",
    "floating address of a network": "resources:\n  s:\n    type: OS::Nova::Server\n    properties:\n      flavor: f\n      block_device_mapping_v2: [{volume_id: v}]\n      networks:\n      - {network: n, floating_ip: i} #!\n",
    "mode of IPv6 with IPv4": "resources:\n  s:\n    type: OS::Neutron::Subnet\n    properties:\n      network: n\n      cidr: 10.0.0.0/24\n      ipv6_ra_mode: slaac #!\n",
    "ports in the wrong order": "resources:\n  s:\n    type: OS::Neutron::SecurityGroupRule\n    properties:\n      security_group: g\n      port_range_min: 9\n      port_range_max: 8 #!\n",
    "step without percent": "resources:\n  s:\n    type: OS::Heat::ScalingPolicy\n    properties:\n      auto_scaling_group_id: g\n      scaling_adjustment: 1\n      adjustment_type: change_in_capacity\n      min_adjustment_step: 1 #!\n",
    "pool without a listener": "resources:\n  s:\n    type: OS::Octavia::Pool #!\n    properties: {lb_algorithm: ROUND_ROBIN, protocol: HTTP}\n",
    "url of a policy that rejects": "resources:\n  s:\n    type: OS::Octavia::L7Policy\n    properties: {listener: l, action: REJECT, redirect_url: 'http://a'} #!\n",
    "policy without its pool": "resources:\n  s:\n    type: OS::Octavia::L7Policy\n    properties: {listener: l, action: REDIRECT_TO_POOL} #!\n",
    "TLS without a container": "resources:\n  s:\n    type: OS::Octavia::Listener\n    properties: {loadbalancer: l, protocol: TERMINATED_HTTPS, protocol_port: 443} #!\n",
    "router with both modes": "resources:\n  s:\n    type: OS::Neutron::Router\n    properties: {ha: true, distributed: true} #!\n",
    "addresses and no addresses": "resources:\n  s:\n    type: OS::Neutron::Port\n    properties: {network: n, no_fixed_ips: true, fixed_ips: [{ip_address: 10.0.0.1}]} #!\n",
    "interface without subnet": "resources:\n  s:\n    type: OS::Neutron::RouterInterface #!\n    properties: {router: r}\n",
    "volume without a size": "resources:\n  s:\n    type: OS::Cinder::Volume #!\n    properties: {name: n}\n",
    "address without port": "resources:\n  s:\n    type: OS::Neutron::FloatingIP\n    properties:\n      floating_network: n\n      fixed_ip_address: 10.0.0.1 #!\n",
}


def template_mistakes():
    """The mistakes of `TEMPLATES`, in the form of `mistakes`."""
    for kind, text in TEMPLATES.items():
        lines = [at for at, line in enumerate((HEADER + text).splitlines(), 1) if line.endswith("#!")]
        yield kind, kind, None, HEADER + text.replace(" #!", ""), (min(lines), max(lines))
