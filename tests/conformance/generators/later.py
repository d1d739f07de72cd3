"""Templates that Heat's validation accepts and that fail or surprise later, each beside one that is right; and calls that Heat refuses for a known
argument, or for the null of an attribute, each beside one that it accepts.

A case is the code of the check, whether it has the finding, and the files, the template first.
"""

import itertools

HEAD = "heat_template_version: 2018-08-31\n"


def _template(resources, more=""):
    return HEAD + more + "resources:\n" + resources


def _one(kind, properties, name="r"):
    return f"  {name}:\n    type: {kind}\n    properties: {properties}\n"


def _rule(rule):
    return _template(_one("OS::Neutron::SecurityGroup", f"{{rules: [{{{rule}}}]}}")), _template(_one("OS::Neutron::SecurityGroupRule", f"{{security_group: g, {rule}}}"))


def services():
    """`HP1018`: for each kind of rule, values that the service refuses and that it takes."""
    wrong = ["protocol: tcp, port_range_min: 0, port_range_max: 80", "protocol: udp, port_range_min: 1, port_range_max: 0", "protocol: tcp, port_range_min: 80",
             "protocol: udp, port_range_max: 80", "protocol: icmp, port_range_min: 256", "protocol: icmp, port_range_max: 3", "protocol: vrrp, port_range_min: 1, port_range_max: 2",
             "protocol: ipv6-icmp, remote_ip_prefix: 10.0.0.0/8", "protocol: tcp, remote_ip_prefix: '::/0'", "protocol: tcp, ethertype: IPv6, remote_ip_prefix: 10.0.0.0/8"]
    right = ["protocol: tcp, port_range_min: 1, port_range_max: 65535", "protocol: udp, port_range_min: 53, port_range_max: 53", "protocol: tcp", "protocol: icmp",
             "protocol: icmp, port_range_min: 8, port_range_max: 0", "protocol: vrrp", "protocol: ipv6-icmp, ethertype: IPv6", "protocol: tcp, ethertype: IPv6, remote_ip_prefix: '::/0'",
             "protocol: tcp, remote_ip_prefix: 10.0.0.0/8", "protocol: tcp, port_range_min: {get_param: p}, port_range_max: 80"]
    for positive, rules in ((True, wrong), (False, right)):
        for rule in rules:
            for text in _rule(rule):
                yield positive, text.replace("resources:", "parameters: {p: {type: number}}\nresources:", 1) if "get_param" in rule else text
    subnet = "OS::Neutron::Subnet"
    for positive, properties in (
        (True, "{network: n, cidr: 10.0.0.0/24, gateway_ip: 10.0.0.0}"), (True, "{network: n, cidr: 10.0.0.0/24, gateway_ip: 10.0.0.255}"), (True, "{network: n, cidr: 10.0.0.0/31}"),
        (True, "{network: n, cidr: '2001:db8::/64'}"), (True, "{network: n, cidr: 10.0.0.0/24, ip_version: 6}"), (True, "{network: n, cidr: 224.0.0.0/24}"),
        (True, "{network: n, cidr: 10.0.0.0/24, allocation_pools: [{start: 10.0.0.2, end: 10.0.0.9}, {start: 10.0.0.9, end: 10.0.0.20}]}"),
        (True, "{network: n, cidr: 10.0.0.0/24, gateway_ip: 10.0.0.5, allocation_pools: [{start: 10.0.0.2, end: 10.0.0.9}]}"),
        (True, "{network: n, ip_version: 6, cidr: '2001:db8::/60', ipv6_ra_mode: slaac, ipv6_address_mode: slaac}"),
        (False, "{network: n, cidr: 10.0.0.0/24, gateway_ip: 10.0.0.1}"), (False, "{network: n, cidr: 10.0.0.0/31, enable_dhcp: false}"),
        (False, "{network: n, cidr: '2001:db8::/64', ip_version: 6}"), (False, "{network: n, cidr: 10.0.0.0/24, gateway_ip: ''}"),
        (False, "{network: n, cidr: 10.0.0.0/24, allocation_pools: [{start: 10.0.0.2, end: 10.0.0.9}, {start: 10.0.0.10, end: 10.0.0.20}]}"),
        (False, "{network: n, ip_version: 6, cidr: '2001:db8::/64', ipv6_ra_mode: slaac, ipv6_address_mode: slaac}"),
    ):
        yield positive, _template(_one(subnet, properties))
    for kind, properties in (("OS::Neutron::Net", "name: %s"), ("OS::Neutron::Port", "network: n, name: %s"), ("OS::Cinder::Volume", "size: 1, name: %s"), ("OS::Cinder::Volume", "size: 1, metadata: {k: %s}")):
        for length in (255, 256):
            yield length > 255, _template(_one(kind, "{" + properties % ("x" * length) + "}"))
    for listener, pool in itertools.product(("HTTP", "TCP", "UDP", "HTTPS"), repeat=2):
        fits = {"HTTP": ("HTTP",), "TCP": ("TCP", "HTTP", "HTTPS"), "UDP": ("UDP",), "HTTPS": ("HTTPS", "TCP")}[listener]
        yield pool not in fits, _template(
            _one("OS::Octavia::Listener", f"{{loadbalancer: b, protocol: {listener}, protocol_port: 80}}", "l")
            + _one("OS::Octavia::Pool", f"{{listener: {{get_resource: l}}, protocol: {pool}, lb_algorithm: ROUND_ROBIN}}"))


CHILD = HEAD + "resources:\n  n: {type: OS::Neutron::Net}\noutputs:\n  network: {value: {get_resource: n}}\n"


def children():
    """`HP1220`."""
    group = "  lan: {type: OS::Heat::ResourceGroup, properties: {count: 2, resource_def: {type: child.yaml}}}\n"
    single = "  lan: {type: child.yaml}\n"
    names = {single: [(True, "netwrok"), (True, "resource.nn"), (True, "outputs"), (True, "nothing"), (True, "resource.n, nmae"), (False, "network"), (False, "resource.n"), (False, "resource.n, name"), (False, "resource.n, show")],
             group: [(True, "netwrok"), (True, "resource.7.network"), (True, "resource.0.netwrok"), (True, "resource.2"), (False, "network"), (False, "resource.1.network"), (False, "refs"), (False, "resource.0"), (False, "refs_map")]}
    for (resource, attributes), place in itertools.product(names.items(), ("property", "output", "call")):
        for positive, attribute in attributes:
            call = f"{{get_attr: [lan, {attribute}]}}"
            text = _template(resource, "") + f"outputs: {{o: {{value: {call}}}}}\n"
            if place != "output":
                value = call if place == "property" else f"{{list_join: ['', [{call}]]}}"
                text = _template(resource + _one("OS::Heat::Value", f"{{value: {value}}}"))
            yield positive, text, CHILD


def functions():
    """`HP1217`: what looks like a call, and is data."""
    wrong = ["{get_parm: p}", "{Get_Param: p}", "{get-param: p}", "{getparam: p}", "{get_params: p}", "{Ref: p}", "{'get_param:p': }", "{list_joins: [',', [a]]}", "{listJoin: [',', [a]]}", "{Fn::GetAtt: [q, value]}",
             "{Fn::Join: [',', [a]]}", "{str_replace: {template: a, params: {}}, params: {}}", "{get_param: p, default: x}", "'{get_param: p}'", "{str-replace: {template: a, params: {}}}", "{get_atr: [q, value]}", "{get_resorce: q}",
             "{map_merge: [{a: b}], c: d}", "{get_file: a, x: y}", "{Str_Split: [',', a]}"]
    right = ["{get_param: p}", "{name: p}", "{param: p}", "{param_get: p}", "{list: [a]}", "{join: [a]}", "{files: [a]}", "{a: b, params: {}}", "{template: a, params: {}}", "'{name: p}'", "{resource_name: q}", "{attr_value: q}", "{split: a}",
             "{if: a, b: c}", "{filter: a}", "{digests: [md5]}", "{get: q}", "{x_y: z}", "{repeats: 3}", "get_param", "{yaqls: 3}", "{strings: [a]}", "{list_of: [a]}", "{map: {a: b}}"]
    for positive, values in ((True, wrong), (False, right)):
        for value in values:
            yield positive, _template(_one("OS::Heat::RandomString", "{length: 8}", "q") + _one("OS::Heat::Value", f"{{value: {{metadata: {value}}}}}"), "parameters: {p: {type: string, default: x}}\n")
    for version, call in (("2014-10-16", "str_split: [',', a]"), ("2015-10-15", "map_merge: [{a: b}]"), ("2016-10-14", "list_concat: [[a]]"), ("2015-04-30", "list_join: [',', [a], [b]]")):
        yield "list_join" not in call, f"heat_template_version: {version}\nresources:\n" + _one("OS::Neutron::Net", f"{{value_specs: {{x: {{{call}}}}}}}")


def texts():
    """`HP1222`."""
    changed = ["NO", "3.10", "0755", "12:30:45", "0x1F", "1_000", "on", "yes", "1.0e+3", "+5", "0b11", "off", "No", "1_0"]
    kept = ["'NO'", "3.1", "755", "1e3", "\"0755\"", "true", "abc", "2020-01-02", "-5", "~", "12-30", "v1", "0.5", "5"]
    for positive, words in ((True, changed), (False, kept)):
        for word in words:
            yield positive, HEAD + f"parameters: {{p: {{type: string, default: {word}}}}}\noutputs: {{o: {{value: {{get_param: p}}}}}}\n"
            yield positive, _template(_one("OS::Neutron::Net", f"{{name: {word}}}"))


def swallowed():
    """`HP1225`."""
    for name, body in (("outputs", "o: {value: 1}"), ("parameters", "p: {type: string}")):
        for indent, style, kind in itertools.product((6, 8), ("|", "|-"), range(5)):
            lead = ["echo a", "#!/bin/sh", "a: b", "x", "if true; then\n        echo; fi"][kind]
            for positive in (True, False):
                at = indent if positive else 0
                inner = f"{' ' * at}{name}:\n{' ' * (at + 2)}{body}\n"
                block = f"  r:\n    type: OS::Heat::SoftwareConfig\n    properties:\n      config: {style}\n{' ' * 8}{lead}\n"
                if positive:
                    inner = f"{' ' * 8}{name}:\n{' ' * 10}{body}\n"
                yield positive, _template(block) + inner


def order():
    """`HP1226`."""
    network = "  n: {type: OS::Neutron::Net}\n  s: {type: OS::Neutron::Subnet, properties: {network: {get_resource: n}, cidr: 10.0.0.0/24}}\n"
    port = _one("OS::Neutron::Port", "{network: {get_param: net}}", "p")
    server = _one("OS::Nova::Server", "{flavor: f, image: i, networks: [{network: {get_param: net}}]}", "p")
    other = _one("OS::Neutron::Subnet", "{network: {get_param: net}, cidr: 10.1.0.0/24}", "p")
    waits = ["", "    depends_on: s\n", "    depends_on: [s]\n", "    depends_on: w\n"]
    waiter = "  w: {type: OS::Heat::RandomString, depends_on: s}\n"
    for child, wait, extra in itertools.product((port, server, other), waits, range(10)):
        positive = not wait and child != other
        text = _template(network + waiter + f"  c{extra}:\n    type: child.yaml\n{wait}    properties: {{net: {{get_resource: n}}}}\n")
        yield positive, text, HEAD + "parameters: {net: {type: string}}\nresources:\n" + child


def unused():
    """`HP1216`: what only provides a value, read in each way or in none."""
    values = {"OS::Heat::RandomString": "{length: 8}", "OS::Heat::SoftwareConfig": "{config: a}", "OS::Heat::CloudConfig": "{cloud_config: {a: b}}", "OS::Heat::MultipartMime": "{parts: []}", "OS::Heat::Value": "{value: a}"}
    readers = ["", "{value: {get_resource: v}}", "{value: {get_attr: [v, show]}}", "{value: {list_join: ['', [{get_resource: v}]]}}", "{value: {a: [{get_resource: v}]}}"]
    for (kind, properties), reader in itertools.product(values.items(), readers):
        for place in ("resource", "output", "text") if reader else ("text", "nothing", "other", "metadata"):
            end = "" if place != "output" else f"outputs: {{o: {reader}}}\n"
            beside = {"resource": _one("OS::Neutron::Net", f"{{value_specs: {reader}}}", "n"), "text": _one("OS::Neutron::Net", "{name: v}", "n"), "other": _one("OS::Neutron::Net", "{}", "n"),
                      "metadata": "  n: {type: OS::Neutron::Net, metadata: {v: v}}\n"}.get(place, "")
            yield not reader or place == "text", _template(_one(kind, properties, "v") + beside) + end


def deployments():
    """`HP1221`: outputs and inputs that a configuration declares or does not."""
    server = _one("OS::Nova::Server", "{flavor: f, image: i, networks: [{network: n}], user_data_format: SOFTWARE_CONFIG}", "s")
    for kind, group, place in itertools.product(("OS::Heat::SoftwareDeployment", "OS::Heat::StructuredDeployment"), ("inputs: [{name: a}, {name: b}]", "inputs: [{name: a}, {name: c}]"), range(6)):
        config = "OS::Heat::SoftwareConfig" if kind.endswith("SoftwareDeployment") else "OS::Heat::StructuredConfig"
        body = "config: x" if config.endswith("SoftwareConfig") else "config: {x: y}"
        for positive in (True, False):
            output = ["result", "reslt", "status"][place % 3] if positive else ["result", "deploy_stdout", "deploy_status_code"][place % 3]
            is_output = place < 3
            positive_here = positive and (output != "result") if is_output else positive
            given = "{a: 1, d: 2}" if positive and not is_output else "{a: 1}"
            text = _template(server + _one(config, f"{{{body}, {group}, outputs: [{{name: result}}]}}", "c") + _one(kind, f"{{server: {{get_resource: s}}, config: {{get_resource: c}}, input_values: {given}}}", "d"))
            yield positive_here, text + (f"outputs: {{o: {{value: {{get_attr: [d, {output}]}}}}}}\n" if is_output else "")


def words():
    """`HP1223`: texts where a boolean is meant."""
    wrong = ["'false'", "'no'", "'off'", "ture", "perhaps", "'False'", "'0'", "n", "never", "'null'", "nope", "disabled"]
    right = ["true", "false", "'true'", "'True'", "True", "False", "'TRUE'", "''", "~", "TRUE", "FALSE", "'tRue'"]
    for (positive, texts_), key in itertools.product(((True, wrong), (False, right)), ("hidden", "immutable")):
        for word in texts_:
            yield positive, HEAD + f"parameters: {{p: {{type: string, default: x, {key}: {word}}}}}\noutputs: {{o: {{value: {{get_param: p}}}}}}\n"


def lists():
    """`HP1224`: a list in quotes as the default of a list of texts."""
    items = ["a", "a, b", "'x', 'y'", '"x", "y"', "1,2", "a b", "10.0.0.1", "a,b,c", " a ", "x=y"]
    for item, (positive, form) in itertools.product(items, ((True, "[%s]"), (True, " [%s] "), (False, "%s"), (False, "(%s)"))):
        text = (form % item).replace("'", "''")
        yield positive, HEAD + f"parameters: {{p: {{type: comma_delimited_list, default: '{text}'}}}}\noutputs: {{o: {{value: {{get_param: p}}}}}}\n"
        if not positive:
            yield False, HEAD + f"parameters: {{p: {{type: string, default: '[{text}]'}}}}\noutputs: {{o: {{value: {{get_param: p}}}}}}\n"


def calls():
    """Calls with an attribute in each place, which Heat judges: a wrong argument beside it, or null."""
    attribute = "{get_attr: [a, value]}"
    known = ["x", "1", "[x]", "{k: v}", "[[x]]", "[{k: v}]", "null"]
    shapes = ["{str_replace: {template: x A, params: {A: %s, B: %s}}}", "{str_replace: {template: %s, params: %s}}", "{list_join: [%s, [%s]]}", "{list_join: [%s, %s]}", "{digest: [%s, %s]}", "{str_split: [%s, %s]}", "{contains: [%s, %s]}",
              "{filter: [%s, %s]}", "{map_replace: [%s, {keys: %s}]}", "{repeat: {for_each: {'%%i%%': %s, '%%j%%': %s}, template: x}}", "{map_merge: [%s, %s]}", "{list_concat: [%s, %s]}", "{make_url: {host: %s, port: %s}}",
              "{str_replace_vstrict: {template: x A B, params: {A: %s, B: %s}}}"]
    for shape, value in itertools.product(shapes, known):
        for pair in ((attribute, value), (value, attribute)):
            yield _template(_one("OS::Heat::RandomString", "{length: 8}", "a") + _one("OS::Heat::Value", f"{{value: {shape % pair}}}"))


CHECKS = {"HP1018": services, "HP1216": unused, "HP1217": functions, "HP1220": children, "HP1221": deployments, "HP1222": texts, "HP1223": words, "HP1224": lists, "HP1225": swallowed, "HP1226": order}
