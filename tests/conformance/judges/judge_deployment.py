"""Whole deployments asked of Heat: every nested stack, each answered in the oracle's own shape.

`{"op": "deployment", ...}` takes what `resolve` takes. The answer is a table `stacks`, each in the
shape of `resolve`; `root` is a number in it, and a resource that leads to a stack has the number
under `nested` (`{"$error": ...}` where Heat cannot make the stack). Equal stacks are one entry. Which
class and template a type leads to, which parameters and environment a child gets, and what
the inner template of a group holds, is all asked of Heat's classes; README.md says what is ours.
"""

import contextlib
import hashlib
import json
import pickle
import time

from judges import judge_worker

oracle = judge_worker.oracle

from heat.common import (
    exception,  # noqa: E402
    template_format,  # noqa: E402
)
from heat.engine import (
    environment,  # noqa: E402
    resource,  # noqa: E402
    stack,  # noqa: E402
    stk_defn,  # noqa: E402
    template,  # noqa: E402
)
from heat.engine.resources import (
    template_resource,  # noqa: E402
)
from heat.engine.resources.openstack.neutron import (
    floatingip,  # noqa: E402
)
from heat.engine.resources.openstack.heat import (
    autoscaling_group,  # noqa: E402
    instance_group,  # noqa: E402
    remote_stack,  # noqa: E402
    resource_chain,  # noqa: E402
    resource_group,  # noqa: E402
)

# Heat's own limit is 5 unless configured; the deployments of the corpus need more.
DEPTH = 12
# How often outputs of children are handed to their siblings.
PASSES = 8
GROUPS = (resource_group.ResourceGroup, resource_chain.ResourceChain, autoscaling_group.AutoScalingResourceGroup)
NESTING = (template_resource.TemplateResource, *GROUPS, remote_stack.RemoteStack)


_parsed = {}
_parse = template_format.parse


def _parse_once(text, url=None):
    """Heat's parser, which would read the same nested templates hundreds of times."""
    if text not in _parsed:
        _parsed[text] = pickle.dumps(_parse(text, url))
    return pickle.loads(_parsed[text])


class _Names:
    """Names of new group members: Heat takes random ones, hotplate counts."""

    number = 0

    @classmethod
    def next(cls):
        cls.number += 1
        return str(cls.number - 1)


class _Parent:
    """The resource that a nested stack stands for, for `resource_facade`."""

    def __init__(self, definition):
        self.name = definition.name
        self.t = definition

    def metadata_get(self):
        return self.t.metadata()


class _Request(oracle.Request):
    """A request of the oracle about a template that is there already."""

    made = None

    def template(self, *arguments):
        if "made" not in self.req:
            return super().template(*arguments)
        self.env_dict = {}
        if self.req.get("fill"):
            oracle.fill_params(self.req["made"])
        return self.req["made"]


def _watch_definitions():
    """Keeps the definition that `resolve` makes and tells it of its parent."""
    make = oracle.make_definition

    def make_and_keep(request, made):
        context, identity, definition = make(request, made)
        if "parent" in request.req:
            definition._parent_info = request.req["parent"]
        request.req["kept"].append(definition)
        return context, identity, definition

    def plain(request, made):
        return (make_and_keep if "kept" in request.req else make)(request, made)

    oracle.make_definition = plain


class _All(set):
    """The attributes of a resource that takes any name for one."""

    def __contains__(self, name):
        return True


def _open_attributes():
    """Validates attributes as Heat does: every resource has `show`, and a class that looks attributes up itself takes any
    name, while the oracle knows the names only that the class lists."""
    seed, listed = oracle.seed_resource_data, stk_defn.ResourceProxy.attributes_schema

    def seed_and_open(request, made, definition):
        seed(request, made, definition)
        if "kept" not in request.req:
            return
        for name, data in definition._resource_data.items():
            try:
                kind = definition.env.get_class(made.t[made.RESOURCES][name][made.RES_TYPE], name, files=dict(made.files))
                data.is_open = (kind.get_attribute is not resource.Resource.get_attribute or kind.FnGetAtt is not resource.Resource.FnGetAtt)
            except Exception:
                data.is_open = True  # Nobody knows what the type has.

    def attributes_schema(proxy):
        is_open = getattr(proxy._resource_data, "is_open", None)
        names = listed.fget(proxy)
        return names if is_open is None else _All(names) if is_open else names | {"show"}

    oracle.seed_resource_data = seed_and_open
    stk_defn.ResourceProxy.attributes_schema = property(attributes_schema)


def _json(value):
    return json.dumps(value, sort_keys=True, default=repr)


class Deployment:
    """One deployment: evaluates its stacks, each once."""

    def __init__(self, request):
        self.request = {key: request[key] for key in ("fill", "azs", "stack_name", "stack_id", "project_id") if key in request}
        self.stacks = []
        self.wanted = {}
        self._numbers = {}

    def stack(self, made, parent=None, depth=0, location=None, fingerprint=None, attrs=None):
        """The number of the evaluated stack of a template with its environment."""
        key = fingerprint and hashlib.sha256(fingerprint.encode()).digest()
        if key in self._numbers:
            return self._numbers[key]
        kept = []
        request = {**self.request, "op": "resolve", "made": made, "kept": kept, "attrs": attrs}
        if parent is not None:
            request["parent"] = parent
        answer = oracle.op_resolve(request)
        if location is not None:
            answer["template"] = location
        number = len(self.stacks)
        self.stacks.append(answer)
        if key:
            self._numbers[key] = number
        if kept and answer.get("resources"):
            self._children(number, kept[0], depth)
        return number

    def _children(self, number, definition, depth):
        entries = self.stacks[number]["resources"]
        whole = stack.Stack(oracle.fake_context(), "STACK_NAME", definition.t, strict_validate=False)
        whole.defn = definition
        self._implicit_dependencies(entries, definition)
        for name, rsrc in definition._resource_defns.items():
            try:
                kind = definition.env.registry.get_class_to_instantiate(rsrc.resource_type, resource_name=name)
            except Exception:
                continue  # The type is unknown: a matter of checks, not of evaluation.
            if not issubclass(kind, NESTING):
                continue
            try:
                if depth >= DEPTH:
                    raise exception.RequestLimitExceeded(message=f"Recursion depth exceeds {DEPTH}.")
                made = resource.Resource(name, rsrc, whole)
                if isinstance(made, GROUPS):
                    # Attributes of the members, asked of the group: a list each.
                    self.wanted[number, name] = sorted(key for key in made.referenced_attrs() if isinstance(key, str)
                                                       and key not in made.attributes_schema and not key.startswith("resource."))
                entries[name]["nested"] = self._child(made, depth)
            except Exception as error:
                entries[name]["nested"] = {"$error": oracle.err(error)}

    @staticmethod
    def _implicit_dependencies(entries, definition):
        """Adds what plugins make resources wait for, of a stack of which nothing exists yet, as Heat asks it."""
        new = stack.Stack(oracle.fake_context(), "STACK_NAME", definition.t, strict_validate=False)
        # As `Stack.validate()` does before it asks: a reference is what the plugin says of a resource that does not exist.
        # Who waits for itself has no order in which to look; the refusal is what `check` is judged by.
        with contextlib.suppress(exception.CircularDependencyException):
            new._update_all_resource_data(for_resources=True, for_outputs=True)
        graph = new.dependencies.graph()
        for name, made in new.resources.items():
            wanted = set(made.t.required_resource_names())
            found = {other.name for other in graph[made].requires()} - wanted
            if found:
                entries[name]["implicit_dependencies"] = [other for other in definition._resource_defns if other in found]

    def _child(self, made, depth):
        whole, definition = made.stack, made.t
        # What happens at creation: a property that is wrong is an error, not a zero.
        made.action = made.CREATE
        if getattr(made, "validation_exception", None) is not None:
            raise made.validation_exception
        _Names.number = 0
        location = None
        if isinstance(made, remote_stack.RemoteStack):
            given = made.properties[made.PARAMETERS]
            inner = template_format.parse(made.properties[made.TEMPLATE])
            child_env = environment.get_child_environment(whole.env, oracle.json_trip(given))
            files = whole.t.files
        else:
            inner, given = made.child_template(), made.child_params()
            child_env = environment.get_child_environment(whole.env, oracle.json_trip(given), child_resource_name=made.name,
                                                          item_to_remove=made.resource_info)
            files = made.child_template_files(child_env)
            if isinstance(made, template_resource.TemplateResource):
                location = made.template_url
        # A nested stack is stored before it is made, as JSON.
        inner = oracle.json_trip(inner.t if isinstance(inner, template.Template) else inner)
        child = template.Template(inner, files=files, env=child_env)
        surroundings = child_env.user_env_as_dict()
        registry = surroundings.get("resource_registry", {})
        # Heat notes here which files it has met: no setting of anybody.
        surroundings["resource_registry"] = {key: value for key, value in registry.items() if key != value}
        facade = [definition._metadata, definition._deletion_policy, definition._update_policy]
        fingerprint = _json([location, None if location else inner, surroundings, facade, depth])
        return self.stack(child, _Parent(definition), depth + 1, location, fingerprint)


def _known_attributes(deployment, number):
    """A table of attributes of a stack's resources: what their outputs come to, where they come to anything."""
    table = {}
    for name, entry in (deployment.stacks[number].get("resources") or {}).items():
        child = entry.get("nested")
        found = {}
        if entry["type"] == "OS::Heat::Value":
            found = {"value": entry["properties"].get("value")}
        elif isinstance(child, int) and (number, name) in deployment.wanted:
            members = list(deployment.stacks[child].get("resources") or ())
            found = {key: [f"<<attr:{name}.{member}:{key}>>" for member in members] for key in deployment.wanted[number, name]}
        elif isinstance(child, int):
            inner = _known_attributes(deployment, child)
            outputs = deployment.stacks[child].get("outputs") or {}
            found = {key: _put_in(output["value"], inner) for key, output in outputs.items() if output["enabled"] is True}
        found = {key: value for key, value in found.items() if _plain(value)}
        if found:
            table[name] = {"attrs": found}
    return table


def _over(below, above):
    """One table of attributes over another."""
    names = [*above, *(name for name in below if name not in above)]
    return {name: {"attrs": {**below.get(name, {}).get("attrs", {}), **above.get(name, {}).get("attrs", {})}} for name in names}


def _put_in(value, table):
    """A value with the placeholders that are known replaced."""
    if isinstance(value, dict):
        return {key: _put_in(item, table) for key, item in value.items()}
    if isinstance(value, list):
        return [_put_in(item, table) for item in value]
    if isinstance(value, str) and value.startswith("<<attr:") and value.endswith(">>"):
        name, _, key = value[len("<<attr:"):-len(">>")].partition(":")
        return table.get(name, {}).get("attrs", {}).get(key, value)
    return value


def _plain(value):
    """Whether a value is JSON and nothing else: no error, no mark, no encoding; and not null, which says nothing."""
    if isinstance(value, dict):
        return not any(key.startswith("$") for key in value) and all(item is None or _plain(item) for item in value.values())
    return value is not None and (not isinstance(value, list) or all(item is None or _plain(item) for item in value))


def op_deployment(request):
    """The whole deployment below a template.

    With `children`, a second evaluation, `root`, lets `get_attr` in the root read the outputs of
    its children, as the table `attrs` of the answer, over what `shapes` has; `plain` is the one that knows only placeholders.
    """
    start = time.perf_counter()
    asked = _Request(request)
    errors = []
    made, well = oracle.guarded(asked.template, errors, "load")
    if not well:
        return {"ok": False, "errors": errors}
    table = request.get("attrs") or {}
    deployment = Deployment(request)
    plain = root = deployment.stack(made, attrs=table)
    for _ in range(PASSES if request.get("children") else 0):
        more = _over(request.get("shapes") or {}, _known_attributes(deployment, root))
        if more == table:
            break
        table = more
        # The stacks that are left over from before cost nothing but their place.
        root = deployment.stack(made, attrs=table)
    seconds = time.perf_counter() - start
    roots = {"root": root, "plain": plain}
    stacks = _reachable(deployment.stacks, roots)
    values = {}
    for answer in stacks.values():
        answer["parameters"] = {name: _fold(value, values) for name, value in answer.get("parameters", {}).items()}
        for entry in (answer.get("resources") or {}).values():
            if isinstance(entry["properties"], dict):
                entry["properties"] = {name: _fold(value, values) for name, value in entry["properties"].items()}
    return {"ok": deployment.stacks[root]["ok"], **roots, "stacks": stacks, "values": values, "attrs": table, "seconds": seconds}


def _reachable(stacks, roots):
    """The stacks that the roots lead to, by their number as text."""
    found, todo = {}, list(roots.values())
    while todo:
        number = todo.pop()
        if str(number) not in found:
            found[str(number)] = stacks[number]
            for entry in (stacks[number].get("resources") or {}).values():
                child = entry.get("nested")
                if isinstance(child, int):
                    todo.append(child)
    return found


def _fold(value, values):
    """A large value as a reference into a table: the same maps are handed down to hundreds of stacks."""
    if not isinstance(value, (dict, list)):
        return value
    text = json.dumps(value)
    if len(text) < 1000:
        return value
    key = hashlib.sha256(text.encode()).hexdigest()[:16]
    values[key] = value
    return {"$same": key}


class _Neutron:
    """A cloud in which every network that is not of the stack has all subnets that are not."""

    def __init__(self, resources):
        self._resources = resources

    def show_network(self, network):
        if network in self._resources:
            raise exception.EntityNotFound(entity="network", name=network)
        return {"network": {"subnets": self}}

    def __contains__(self, subnet):
        return subnet not in self._resources


def join():
    """Joins the operation to the oracle."""
    floatingip.FloatingIP.client = lambda made, *_: _Neutron(made.stack.resources)
    oracle.Request = _Request
    template_format.parse = _parse_once
    instance_group.short_id.generate_id = _Names.next
    resource_chain.service_objects.Service.active_service_count = classmethod(lambda cls, context: 1)
    oracle.cfg.CONF.set_override("max_resources_per_stack", -1)
    _watch_definitions()
    _open_attributes()
    oracle.OPS["deployment"] = op_deployment


join()
