#!/usr/bin/env python3
"""Makes crates/heat-facts/data/heat-RELEASE.json: what the installed engine of Heat knows of its resource types.

RELEASE is the major version of the installed openstack-heat; a new file also needs a row in `RELEASES` of crates/heat-facts/src/lib.rs.
Another release beside the one of the judges is a folder before all others: `PYTHONPATH=target/oracles/heat-26 heat_types.py`.

    heat_types.py             writes the file
    heat_types.py --check     writes nothing, tells what differs from the file, and ends with 1 if anything does
    heat_types.py --facts     prints the facts in the layout that tools/generate/heat_layout.py reads
    heat_types.py --read      takes the references as read again, see below

All is asked of the classes of the engine, but for one thing: what `get_resource` gives for a type, and what its id is. That is
what its plugin does when it creates the resource, which no class tells. A person has read it, and it stands in heat_references.json
with digests of the methods that it was read from, in any of the releases. A type whose methods have changed, or that is new, is
reported: read `get_reference_id` and `handle_create`, correct the row, and run `--read`, which adds the digests of this release.
"""

import hashlib
import inspect
import json
import pathlib
import re
import subprocess
import sys
import tempfile
from importlib.metadata import entry_points, version

import facts

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
DATA = ROOT / "crates/heat-facts/data"
REFERENCES = HERE / "heat_references.json"
# The first release of Heat that creates nothing for the types of these names or beginnings of names: read in the releases of
# openstack-heat on PyPI (11.0.3 and later; types that create nothing there since they were hidden).
PLACEHOLDER_SINCE = {
    "OS::Aodh::CombinationAlarm": 9,
    "OS::Designate::Domain": 13,
    "OS::Designate::Record": 13,
    "OS::Glance::Image": 22,
    "OS::Heat::HARestarter": 10,
    "OS::Magnum::Bay": 19,
    "OS::Monasca::": 25,
    "OS::Neutron::HealthMonitor": 22,
    "OS::Neutron::LBaaS::": 22,
    "OS::Neutron::LoadBalancer": 22,
    "OS::Neutron::Pool": 22,
    "OS::Neutron::PoolMember": 22,
    "OS::Sahara::": 23,
    "OS::Senlin::": 23,
    "OS::Vitrage::": 27,
}
# What a reference was read from.
READ_FROM = ("get_reference_id", "FnGetRefId", "handle_create", "_create_resource", "prepare_properties")
sys.path.insert(0, str(HERE.parent))

def _engine():
    import heat_oracle
    heat_oracle.install()
    from heat.engine import environment, resources
    registry = resources.global_env().registry._registry
    rows = {"class": {}, "template": {}, "alias": {}}
    for name, info in _walk(registry):
        if isinstance(info, environment.ClassResourceInfo):
            rows["class"][name] = info.value
        elif isinstance(info, environment.TemplateResourceInfo):
            rows["template"][name] = info
        elif isinstance(info, (environment.MapResourceInfo, environment.GlobResourceInfo)):
            rows["alias"][name] = {"to": info.value, "wildcard": isinstance(info, environment.GlobResourceInfo)}
    return rows


def _walk(registry):
    for name, info in registry.items():
        if isinstance(info, dict):
            yield from _walk(info)
        else:
            yield name, info


# --- what a class says

def support(status):
    """A support status with those before it, the latest first; None for what is supported since always."""
    row = {"status": status.status}
    if status.version:
        row["version"] = status.version
    if status.message:
        row["message"] = " ".join(str(status.message).split())
    if status.substitute_class:
        row["substitute_class"] = status.substitute_class.__name__
    if before := status.previous_status:
        earlier = support(before) or {"status": before.status}
        row["previous"] = [earlier, *earlier.pop("previous", [])]
    return None if row == {"status": "SUPPORTED"} else row


def constraint(it):
    """A constraint as a map of one key."""
    from heat.engine import constraints
    if isinstance(it, (constraints.Range, constraints.Length)):
        name = "length" if isinstance(it, constraints.Length) else "range"
        return {name: {key: getattr(it, key) for key in ("min", "max") if getattr(it, key) is not None}}
    if isinstance(it, constraints.AllowedValues):
        return {"allowed_values": facts.plain(list(it.allowed))}
    if isinstance(it, constraints.AllowedPattern):
        return {"allowed_pattern": it.pattern}
    if isinstance(it, constraints.CustomConstraint):
        return {"custom_constraint": it.name}
    raise SystemExit(f"unknown constraint {type(it).__name__}")


def prop(schema):
    """A property, with what it is made of."""
    row = {"type": schema.type}
    for flag in ("required", "update_allowed", "immutable", "allow_conversion"):
        if getattr(schema, flag):
            row[flag] = True
    if not schema.implemented:
        row["implemented"] = False
    if schema.default is not None:
        row["default"] = facts.plain(schema.default)
    if schema.constraints:
        row["constraints"] = [constraint(it) for it in schema.constraints]
    if status := support(schema.support_status):
        row["support_status"] = status
    if schema.schema:
        if schema.type == "List":
            row["items"] = prop(schema.schema["*"])
        else:
            row["schema"] = properties(schema.schema)
    return row


def properties(schema):
    """The properties of a type, or the members of a map."""
    from heat.engine import properties as heat_properties
    return {name: prop(heat_properties.Schema.from_legacy(schema[name])) for name in sorted(schema)}


def attribute(schema):
    """An attribute."""
    row = {}
    if schema.type is not None:
        row["type"] = schema.type
    if schema.cache_mode != schema.CACHE_LOCAL:
        row["cache_mode"] = schema.cache_mode
    if status := support(schema.support_status):
        row["support_status"] = status
    return row


def translation_rules(cls):
    """How values are looked up and moved, asked of the class with no value given."""
    from heat.engine import properties as heat_properties
    try:
        rules = cls.translation_rules(_Bare(cls), heat_properties.Properties(cls.properties_schema, {}, context=None)) or []
    except Exception as error:  # the rules depend on the values
        return [{"unavailable": type(error).__name__}]
    rows = []
    for rule in rules:
        row = {"rule": rule.rule, "path": list(rule.translation_path)}
        if rule.rule == "Resolve":
            row["finder"] = rule.finder
            if rule.entity:
                row["entity"] = rule.entity
        if rule.value_name:
            row["value_name"] = rule.value_name
        if rule.value_path:
            row["value_path"] = list(rule.value_path)
        rows.append(row)
    return rows


class _Bare:
    """A resource that was never created: it has what its class has, and plugins of clients that only tell their constants."""

    def __init__(self, cls):
        self._cls = cls
        self.context = None
        self.properties = {}

    def client_plugin(self, name=None):
        """The class of a plugin, in the place of a plugin."""
        from heat.engine import clients
        if clients._mgr is None:
            clients.initialise()
        return clients._mgr[name or self._cls.default_client_name].plugin

    def __getattr__(self, name):
        return getattr(self._cls, name)


def class_facts(name, cls):
    """What a class says of its type."""
    from heat.engine import resource
    from heat.engine.resources import signal_responder, stack_resource
    from heat.engine.resources.openstack.heat import none_resource

    def overrides(method, base=resource.Resource):
        return getattr(cls, method) is not getattr(base, method)

    schema = cls.properties_schema
    row = {
        "class": f"{cls.__module__}.{cls.__name__}",
        "support_status": support(cls.support_status) or {"status": "SUPPORTED"},
        "properties": properties(schema),
        "attributes": {key: attribute(it) for key, it in sorted({**cls.base_attributes_schema, **cls.attributes_schema}.items())},
        "handle_update": overrides("handle_update"),
        "snapshot_deletion_policy": hasattr(cls, "handle_snapshot_delete"),
    }
    flags = {
        "stack_resource": issubclass(cls, stack_resource.StackResource),
        "signal": issubclass(cls, signal_responder.SignalResponder),
        "dynamic_attributes": overrides("get_attribute"),
        "implicit_dependencies": overrides("add_dependencies"),
    }
    row.update({key: True for key, flag in flags.items() if flag})
    if cls.update_policy_schema:
        row["update_policy"] = properties(cls.update_policy_schema)
    replaced = [method for method in ("needs_replace_with_prop_diff", "needs_replace_with_tmpl_diff", "needs_replace", "needs_replace_failed") if overrides(method)]
    for key, value in (("custom_replace_logic", replaced), ("client", cls.default_client_name), ("entity", cls.entity),
                       ("required_service_extension", cls.required_service_extension), ("translation_rules", translation_rules(cls))):
        if value:
            row[key] = value
    if cls.physical_resource_name_limit != resource.Resource.physical_resource_name_limit:
        row["physical_resource_name_limit"] = cls.physical_resource_name_limit
    if issubclass(cls, none_resource.NoneResource) and cls is not none_resource.NoneResource:
        since = [it for key, it in PLACEHOLDER_SINCE.items() if name == key or key.endswith("::") and name.startswith(key)]
        if len(since) != 1:
            raise SystemExit(f"{name} creates nothing: since which release? See PLACEHOLDER_SINCE")
        row["placeholder_since"] = since[0]
    if not cls.always_replace_on_check_failed:
        row["always_replace_on_check_failed"] = False
    return row


# --- references, which a person has read

def digest(cls):
    """Of the methods that a reference is read from, wherever in the class's ancestry they stand."""
    found = hashlib.sha256()
    for name in READ_FROM:
        method = getattr(cls, name, None)
        if method is not None:
            found.update(inspect.getsource(method).encode())
    return found.hexdigest()[:16]


def references(classes, take=False):
    """The references by type; names those that are to be read again."""
    known = json.loads(REFERENCES.read_text(encoding="utf-8"))
    rows, unread = {}, []
    for name, cls in sorted(classes.items()):
        row = dict(known.get(name, {}))
        if digest(cls) not in row.pop("read", ()):
            unread.append(name)
        rows[name] = row
    if take:
        for name in classes:
            if rows[name]:
                known[name]["read"] = sorted({*known[name].get("read", ()), digest(classes[name])})
        lines = [f"{json.dumps(name)}:{json.dumps(row, separators=(',', ':'))}" for name, row in sorted(known.items())]
        REFERENCES.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    return rows, unread


def functions():
    """The functions of each version and format, in values and in conditions."""
    from heat.engine.hot import functions as hot_functions

    def names(found):
        return sorted(name for name, function in found.items() if function is not hot_functions.Removed)

    rows = {}
    for entry in entry_points(group="heat.templates"):
        cls = entry.load()
        rows.setdefault(entry.name.partition(".")[2], {"values": names(cls.functions), "conditions": names(getattr(cls, "condition_functions", {}))})
    return dict(sorted(rows.items()))


def collect(take=False):
    """All facts in the layout of tools/generate/heat_layout.py, and the types whose reference must be read again."""
    registry = _engine()
    from heat.engine import resources
    classes = dict(registry["class"])
    # A type that is a template in the default environment has a class that is made for it.
    template_classes = {name: info.get_class() for name, info in registry["template"].items()}
    rows, unread = references({**classes, **template_classes}, take)
    types = {name: {**class_facts(name, cls), "ref_id": rows[name]} for name, cls in sorted(classes.items())}
    template_types = {}
    for name, info in sorted(registry["template"].items()):
        row = class_facts(name, template_classes[name])
        row["class"] = "template:" + pathlib.Path(info.template_name).name
        template_types[name] = {**row, "ref_id": rows[name]}
    made = {
        "aliases": dict(sorted(registry["alias"].items())),
        "counts": {},
        "custom_constraints": sorted(resources.global_env().constraints),
        "functions": functions(),
        "heat_version": version("openstack-heat"),
        "notes": {},
        "template_types": template_types,
        "types": types,
    }
    return made, unread


def written(made):
    """The text of the file, as tools/generate/heat_layout.py makes it."""
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        json.dump(made, file, sort_keys=True)
        file.flush()
        done = subprocess.run([sys.executable, HERE / "heat_layout.py", file.name], stdout=subprocess.PIPE, text=True, encoding="utf-8", check=True)
    return done.stdout


def main(arguments):
    """Writes, checks or prints."""
    output = DATA / f"heat-{version('openstack-heat').split('.')[0]}.json"
    if arguments not in ([], ["--check"], ["--facts"], ["--read"]):
        raise SystemExit(__doc__)
    made, unread = collect(take=arguments == ["--read"])
    if arguments == ["--read"]:
        return 0
    for name in unread:
        print(f"to be read again: the reference of {name}", file=sys.stderr)
    if arguments == ["--facts"]:
        print(json.dumps(made, indent=1, sort_keys=True))
        return 0
    text = written(made)
    if not arguments:
        output.write_text(text, encoding="utf-8")
        return 1 if unread else 0
    known = output.read_text(encoding="utf-8")
    found = list(facts.differences(json.loads(known), json.loads(text)))
    for line in found:
        print(line)
    same = known == text
    print(f"{output.name}: {'the same' if same else f'{len(found)} differences' if found else 'the same facts in another order'}; {len(unread)} references to be read again")
    return 0 if same and not unread else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
