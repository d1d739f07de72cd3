"""Pairs for single rules of Heat about updates: policies, plugins that decide themselves, other types, registries."""

import dataclasses


@dataclasses.dataclass
class Case:
    """Two templates with their environments."""

    name: str
    old: dict
    new: dict
    old_environment: dict | None = None
    environment: dict | None = None
    is_stack: bool = False
    # Whether the judge's answer shows what an update in place changes.
    shows: bool = True
    # Only where the judge does not look: the impact of resources.
    wanted: dict | None = None


CASES, BEYOND = [], []

FILES = {
    "one.yaml": "heat_template_version: 2018-08-31\nparameters: {p: {type: string, default: a}, n: {type: number, default: 1}, l: {type: comma_delimited_list, default: ''}, j: {type: json, default: {}}}\n"
                "resources: {v: {type: 'OS::Heat::Value', properties: {value: {get_param: p}}}}\n",
    "two.yaml": "heat_template_version: 2018-08-31\nparameters: {p: {type: string, default: a}, q: {type: string, default: b}}\n"
                "resources: {v: {type: 'OS::Heat::Value', properties: {value: {get_param: p}}}}\n",
}


def _template(**resources):
    return {"heat_template_version": "2018-08-31", "resources": resources}


def _before(resource):
    return _template(r=resource, o=_resource("OS::Heat::Value", value="old"))


def _after(resource):
    """Something differs in every pair: where nothing does there is no update."""
    return _template(r=resource, o=_resource("OS::Heat::Value", value="new"))


def _resource(kind, more=None, **properties):
    return {"type": kind, **({"properties": properties} if properties else {}), **(more or {})}


def _pair(name, old, new, **more):
    CASES.append(Case(name, _before(old), _after(new), **more))


def _properties(name, kind, old, new, **more):
    _pair(name, _resource(kind, **old), _resource(kind, **new), **more)


SERVER = {"flavor": "f", "image": "i", "user_data": "u"}
for _property, _policy, _policies in (("flavor", "flavor_update_policy", ("RESIZE", "REPLACE")),
                                      ("image", "image_update_policy", ("REBUILD", "REPLACE", "REBUILD_PRESERVE_EPHEMERAL")),
                                      ("user_data", "user_data_update_policy", ("REPLACE", "IGNORE", "REBUILD"))):
    for _new in (*_policies, None, ""):
        for _old in (*_policies, None):
            _was = {**SERVER, **({_policy: _old} if _old else {})}
            _is = {**SERVER, _property: "x", **({_policy: _new} if _new is not None else {})}
            _properties(f"{_property} with {_policy} {_old} and then {_new}", "OS::Nova::Server", _was, _is)
            _properties(f"{_policy} {_old} to {_new} alone", "OS::Nova::Server", _was, {**_is, _property: SERVER[_property]})
_properties("name of a network of a server", "OS::Nova::Server", {**SERVER, "networks": [{"uuid": "n"}]}, {**SERVER, "networks": [{"network": "n"}]})
_properties("another network under its old name", "OS::Nova::Server", {**SERVER, "networks": [{"uuid": "n"}]}, {**SERVER, "networks": [{"uuid": "m"}]})
_properties("groups in another order", "OS::Nova::Server", {**SERVER, "security_groups": ["a", "b"]}, {**SERVER, "security_groups": ["b", "a"]})
_properties("metadata of a server as a number", "OS::Nova::Server", {**SERVER, "metadata": {"a": 1}}, {**SERVER, "metadata": {"a": "1"}})
_properties("true for 1 in an open map", "OS::Nova::Server", {**SERVER, "metadata": {"a": 1}}, {**SERVER, "metadata": {"a": True}})

for _old in (None, "AUTO", "REPLACE_ALWAYS"):
    for _new in (None, "AUTO", "REPLACE_ALWAYS"):
        _was, _is = ({"network": "n", **({"replacement_policy": it} if it else {})} for it in (_old, _new))
        _properties(f"port with replacement_policy {_old}, then {_new}", "OS::Neutron::Port", _was, _is)
_properties("network_id of a port is its network", "OS::Neutron::Port", {"network_id": "n"}, {"network": "n"})
_properties("network_id of a port to another network", "OS::Neutron::Port", {"network_id": "n"}, {"network_id": "m"})
_properties("subnet_id of a port is its subnet", "OS::Neutron::Port", {"network": "n", "fixed_ips": [{"subnet_id": "s"}]}, {"network": "n", "fixed_ips": [{"subnet": "s"}]})
_properties("agent of a router becomes agents", "OS::Neutron::Router", {"l3_agent_id": "a"}, {"l3_agent_ids": ["a"]})
_properties("agent of a router becomes others", "OS::Neutron::Router", {"l3_agent_id": "a"}, {"l3_agent_ids": ["b"]})
_properties("agent of a router changes", "OS::Neutron::Router", {"l3_agent_id": "a"}, {"l3_agent_id": "b"})
_properties("sequence of a random string", "OS::Heat::RandomString", {"sequence": "letters"}, {"sequence": "digits"})
_properties("sequence of a random string as a class", "OS::Heat::RandomString", {"sequence": "letters"}, {"character_classes": [{"class": "letters", "min": 1}]})
_properties("ssh key of a bay model", "OS::Magnum::BayModel", {"image": "i", "external_network": "e", "coe": "swarm", "ssh_authorized_key": "k"},
            {"image": "i", "external_network": "e", "coe": "swarm"})
_properties("policies of a task", "OS::Mistral::Workflow", {"type": "direct", "tasks": [{"name": "t", "policies": {"timeout": 3}}]}, {"type": "direct", "tasks": [{"name": "t", "timeout": 3}]})
_properties("other policies of a task", "OS::Mistral::Workflow", {"type": "direct", "tasks": [{"name": "t", "policies": {"timeout": 3}}]}, {"type": "direct", "tasks": [{"name": "t", "timeout": 4}]})
_properties("primaries of a zone", "OS::Designate::Zone", {"name": "a.", "masters": ["x"]}, {"name": "a.", "primaries": ["x"]})
_properties("imageRef of a volume", "OS::Cinder::Volume", {"size": 1, "imageRef": "i"}, {"size": 1, "image": "i"})
_properties("size of a volume", "OS::Cinder::Volume", {"size": 1}, {"size": "2"})
_properties("port of a trunk", "OS::Neutron::Trunk", {"port": "p"}, {"port": "q"})
_properties("size of a volume of Amazon's kind", "AWS::EC2::Volume", {"AvailabilityZone": "z", "Size": "1"}, {"AvailabilityZone": "z", "Size": "2"})
_properties("same handle that changes with every update", "OS::Heat::UpdateWaitConditionHandle", {}, {})
_properties("resource that does nothing", "OS::Heat::None", {"a": 1}, {"b": 2})
_properties("value of another type", "OS::Heat::Value", {"value": "1", "type": "number"}, {"value": 1, "type": "number"})
_properties("value that is the same number", "OS::Heat::Value", {"value": 1}, {"value": 1.0})
_properties("value that is true", "OS::Heat::Value", {"value": 1}, {"value": True})
for _old, _new in (({"EIP": "1"}, {"EIP": "2"}), ({"EIP": "1", "InstanceId": "i"}, {"EIP": "2", "InstanceId": "j"}), ({"EIP": "1"}, {"EIP": "1", "InstanceId": "j"}),
                   ({"AllocationId": "1", "NetworkInterfaceId": "i"}, {"AllocationId": "2", "NetworkInterfaceId": "j"}), ({"EIP": "1", "InstanceId": "i"}, {"EIP": "2"}),
                   ({"EIP": "1", "InstanceId": "i"}, {"AllocationId": "2", "NetworkInterfaceId": "j"})):
    _properties(f"address from {_old} to {_new}", "AWS::EC2::EIPAssociation", _old, _new)
for _replaces in (True, False, "true"):
    _properties(f"value with update_replace {_replaces}", "OS::Heat::TestResource", {"value": "a", "update_replace": _replaces}, {"value": "b", "update_replace": _replaces})
    _properties(f"update_replace from {_replaces}", "OS::Heat::TestResource", {"value": "a", "update_replace": _replaces}, {"value": "a", "update_replace": False})
ACTIONS = {"CREATE": {"workflow": "w"}}
for _listed in ([], ["a"], ["b"], ["c"]):
    for _always in (True, False):
        _properties(f"input of an external resource that lists {_listed}, always {_always}", "OS::Mistral::ExternalResource",
                    {"actions": ACTIONS, "input": {"a": 1, "b": 1}, "always_update": _always}, {"actions": ACTIONS, "input": {"a": 2, "b": 1}, "replace_on_change_inputs": _listed, "always_update": _always})
        _properties(f"the same external resource that lists {_listed}, always {_always}", "OS::Mistral::ExternalResource",
                    {"actions": ACTIONS, "input": {"a": 1}, "always_update": _always, "replace_on_change_inputs": _listed},
                    {"actions": ACTIONS, "input": {"a": 1}, "always_update": _always, "replace_on_change_inputs": _listed}, shows=False)
# The template of a stack elsewhere.
ELSEWHERE = "heat_template_version: 2018-08-31\n"
for _old, _new in (("a", "b"), ("a", "a")):
    _properties(f"stack in region {_old}, then {_new}", "OS::Heat::Stack", {"template": ELSEWHERE, "context": {"region_name": _old}}, {"template": ELSEWHERE, "context": {"region_name": _new}}, is_stack=True)
_properties("stack with other credentials", "OS::Heat::Stack", {"template": ELSEWHERE, "context": {"region_name": "a"}}, {"template": ELSEWHERE, "context": {"region_name": "a", "insecure": True}}, is_stack=True)
_properties("template of a stack", "OS::Heat::Stack", {"template": ELSEWHERE}, {"template": f"{ELSEWHERE}description: new\n"}, is_stack=True)
CONFIGURATION = {"ImageId": "i", "InstanceType": "t"}
for _old, _new in (({}, {"metadata": {"a": 1}}), ({"metadata": {"a": 1}}, {"metadata": {"a": 1}}), ({}, {"metadata": {}}), ({}, {"deletion_policy": "retain"}), ({"metadata": {"a": 1}}, {"metadata": {"a": 2}})):
    _pair(f"launch configuration from {_old} to {_new}", _resource("AWS::AutoScaling::LaunchConfiguration", _old, **CONFIGURATION), _resource("AWS::AutoScaling::LaunchConfiguration", _new, **CONFIGURATION))

# Other types.
_pair("another type", _resource("OS::Neutron::Net"), _resource("OS::Neutron::Router"))
_pair("the same type by its old name", _resource("OS::Quantum::Net"), _resource("OS::Neutron::Net"))
_pair("the same type by its new name, with a change", _resource("OS::Neutron::Net"), _resource("OS::Quantum::Net", name="n"))
_pair("an alarm by its old name", _resource("OS::Ceilometer::Alarm", meter_name="m", threshold=1), _resource("OS::Aodh::Alarm", meter_name="m", threshold=1))
_pair("another type that adopts", _resource("OS::Neutron::Net", {"external_id": "x"}), _resource("OS::Neutron::Router", {"external_id": "x"}))
for _old, _new in (("OS::Heat::SoftwareDeployments", "OS::Heat::SoftwareDeploymentGroup"), ("OS::Heat::StructuredDeployments", "OS::Heat::StructuredDeploymentGroup"),
                   ("OS::Heat::SoftwareDeploymentGroup", "OS::Heat::SoftwareDeployments"), ("OS::Heat::SoftwareDeployments", "OS::Heat::StructuredDeploymentGroup")):
    _pair(f"{_old} to {_new}", _resource(_old, config="c", servers={}), _resource(_new, config="c", servers={}), is_stack=True)
_pair("plugin to template", _resource("OS::Heat::Value", value=1), _resource("one.yaml"), is_stack=True)
_pair("template to plugin", _resource("one.yaml"), _resource("OS::Heat::Value", value=1))
_pair("another template", _resource("one.yaml", p="x"), _resource("two.yaml", p="x"), is_stack=True, shows=False)
_pair("the same template", _resource("one.yaml", p="x"), _resource("one.yaml", p="x"), is_stack=True)
for _old, _new in (("x", "y"), ("1", 1), (None, "x"), ("x", None)):
    _pair(f"parameter of a template from {_old!r} to {_new!r}", _resource("one.yaml", p=_old), _resource("one.yaml", p=_new), is_stack=True)
_pair("number of a template as text", _resource("one.yaml", n=1), _resource("one.yaml", n="1"), is_stack=True)
_pair("list of a template as text", _resource("one.yaml", l=["a", "b"]), _resource("one.yaml", l="a,b"), is_stack=True)
_pair("map of a template as text", _resource("one.yaml", j={"a": 1}), _resource("one.yaml", j='{"a": 1}'), is_stack=True)
_pair("template without, then with a parameter", _resource("one.yaml"), _resource("one.yaml", p="x"), is_stack=True)

# What the registry says.
for _old, _new in (({}, {"My::Type": "OS::Heat::Value"}), ({"My::Type": "one.yaml"}, {"My::Type": "two.yaml"}), ({"My::Type": "one.yaml"}, {"My::Type": "OS::Heat::Value"}),
                   ({"My::Type": "OS::Heat::None"}, {"My::Type": "OS::Heat::Value"}), ({"My::Type": "OS::Heat::Value"}, {"My::Type": "OS::Heat::Value"}),
                   ({"My::Type": "one.yaml"}, {"My::Type": "one.yaml"}), ({"My::Type": "OS::Heat::Value"}, {"resources": {"r": {"My::Type": "OS::Heat::None"}}}),
                   ({"My::*": "OS::Heat::Value"}, {"My::Type": "OS::Heat::Value"}), ({"OS::Heat::Value": "OS::Heat::None", "My::Type": "OS::Heat::Value"}, {"My::Type": "OS::Heat::Value"})):
    if _old:
        _pair(f"registry from {_old} to {_new}", _resource("My::Type"), _resource("My::Type"), old_environment={"resource_registry": _old}, environment={"resource_registry": _new}, is_stack=True, shows=False)
_pair("a type that is nothing now", _resource("OS::Heat::Value", value=1), _resource("OS::Heat::Value", value=1), environment={"resource_registry": {"OS::Heat::Value": "OS::Heat::None"}})
_pair("a type that is nothing on both sides", _resource("OS::Nova::Server", a=1), _resource("OS::Nova::Server", a=2), old_environment={"resource_registry": {"OS::Nova::Server": "OS::Heat::None"}},
      environment={"resource_registry": {"OS::Nova::Server": "OS::Heat::None"}})
_pair("the name of what it stands for", _resource("My::Type", value=1), _resource("OS::Heat::Value", value=1), old_environment={"resource_registry": {"My::Type": "OS::Heat::Value"}})

# Spellings and functions.
_pair("properties empty", _resource("OS::Neutron::Net"), _resource("OS::Neutron::Net", {"properties": {}}))
_pair("a literal for a function", _resource("OS::Neutron::Net", name="a-b"), _resource("OS::Neutron::Net", name={"list_join": ["-", ["a", "b"]]}))
_pair("a function for another value", _resource("OS::Neutron::Net", name="a-b"), _resource("OS::Neutron::Net", name={"list_join": ["-", ["a", "c"]]}))
_pair("all properties by a function", _resource("OS::Neutron::Net", name="a"), _resource("OS::Neutron::Net", {"properties": {"map_merge": [{"name": "a"}]}}))
_pair("other properties by a function", _resource("OS::Neutron::Net", name="a"), _resource("OS::Neutron::Net", {"properties": {"map_merge": [{"name": "b", "shared": True}]}}))
_pair("several changes", _resource("OS::Neutron::Net", name="a", tags=["x"]), _resource("OS::Neutron::Net", {"metadata": {"a": 1}}, name="b", tags=["y"]))
_pair("group of many", _resource("OS::Heat::ResourceGroup", count=1, resource_def={"type": "OS::Heat::Value", "properties": {"value": 1}}),
      _resource("OS::Heat::ResourceGroup", count=2, resource_def={"type": "OS::Heat::Value", "properties": {"value": 1}}), is_stack=True)
_pair("the same group", _resource("OS::Heat::ResourceGroup", count=1, resource_def={"type": "OS::Heat::Value", "properties": {"value": 1}}),
      _resource("OS::Heat::ResourceGroup", count="1", resource_def={"type": "OS::Heat::Value", "properties": {"value": 1}}), is_stack=True)
CASES.append(Case("another version", {**_template(r=_resource("OS::Neutron::Net", name="a")), "heat_template_version": "2016-10-14"}, _template(r=_resource("OS::Neutron::Net", name="a"))))
CASES.append(Case("a resource more and one less", _template(a=_resource("OS::Neutron::Net"), b=_resource("OS::Neutron::Net", {"deletion_policy": "retain"})), _template(c=_resource("OS::Neutron::Net"))))


def _beyond(name, old, new, wanted, old_actions=None, actions=None):
    def environment(actions):
        return {"resource_registry": {"resources": {"r": {"restricted_actions": actions}}}} if actions else None

    BEYOND.append(Case(name, _before(old), _after(new), environment(old_actions), environment(actions), wanted={"r": wanted}))


# `Resource._check_restricted_actions` asks the registry of the new stack.
for _actions, _update, _replace in (("update", "refused", "replace"), ("replace", "update", "refused"), (["update", "replace"], "refused", "refused")):
    _beyond(f"an update where {_actions} is forbidden", _resource("OS::Neutron::Net", name="a"), _resource("OS::Neutron::Net", name="b"), _update, actions=_actions)
    _beyond(f"a replacement where {_actions} is forbidden", _resource("OS::Heat::RandomString", length=3), _resource("OS::Heat::RandomString", length=4), _replace, actions=_actions)
    _beyond(f"another type where {_actions} is forbidden", _resource("OS::Neutron::Net"), _resource("OS::Neutron::Router"), _replace, actions=_actions)
_beyond("an update that changes nothing is one", _resource("OS::Neutron::Net"), _resource("OS::Neutron::Net", admin_state_up=True), "refused", actions="update")
_beyond("an update that was forbidden", _resource("OS::Neutron::Net", name="a"), _resource("OS::Neutron::Net", name="b"), "update", old_actions="update")
_beyond("nothing where all is forbidden", _resource("OS::Neutron::Net", name="a"), _resource("OS::Neutron::Net", name="a"), "none", actions=["update", "replace"])
_beyond("what is adopted is not touched", _resource("OS::Neutron::Net", {"external_id": "x"}), _resource("OS::Neutron::Net", {"external_id": "x"}, name="b"), "none", actions=["update", "replace"])
_beyond("a nested stack is always updated", _resource("one.yaml"), _resource("one.yaml"), "refused", actions="update")


def _deployment(values):
    config = _resource("OS::Heat::SoftwareConfig", inputs=[{"name": "a", "replace_on_change": True}, {"name": "b"}])
    return _template(r=_resource("OS::Heat::SoftwareDeployment", config={"get_resource": "c"}, server="s", input_values=values), c=config)


# `SoftwareDeployment.handle_update` asks for a replacement that no preview shows.
for _old, _new, _impact in (({"a": 1}, {"a": 2}, "replace"), ({"b": 1}, {"b": 2}, "update"), ({"a": 1, "b": 1}, {"a": 1, "b": 2}, "update")):
    BEYOND.append(Case(f"inputs of a deployment from {_old} to {_new}", _deployment(_old), _deployment(_new), wanted={"r": _impact}))
