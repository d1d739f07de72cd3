"""The Heat oracle with the things that the harness needs on top of it.

* Groups. The oracle walks attribute paths over a table, so that the change of
  `get_attr` on groups from 2013-05-23 to 2014-10-16 would go unseen. An entry
  `{"group": TYPE, "members": [...]}` is answered by Heat's own group class instead,
  standing on stand-in members; members with `"attrs": null` answer with placeholders,
  and the group then knows the attributes that `"names"` lists.
* `lookups`: what types stand for in the resource registry of an environment.
* `trial`: one template, many worlds, one reading of its text.

`judge_deployment.py` joins a third: `deployment`, with every nested stack.

Same protocol as `heat_oracle.py batch`, over a socket: one JSON request a line, one answer a line.
"""

import copy
import functools
import gc
import json
import os
import select
import signal
import socket
import sys

import house

oracle = house.tool_module("heat_oracle")
oracle.install()

from heat.common import (
    exception,  # noqa: E402
    grouputils,  # noqa: E402
)
from heat.engine import (
    attributes,  # noqa: E402
    environment,  # noqa: E402
)
from heat.engine.resources.openstack.heat import (
    autoscaling_group,  # noqa: E402
    resource_chain,  # noqa: E402
    resource_group,  # noqa: E402
)
from oslo_i18n import _message as oslo_i18n_message  # noqa: E402

# Heat's messages are asked for by the thousand, and have no other language here.
oslo_i18n_message.Message._translate_msgid = staticmethod(lambda msgid, *_, **__: msgid)
_user = functools.lru_cache(oracle.fake_context)


def _context(project_id="PROJECT_ID"):
    """A context like every other of the project, with caches of its own: it takes longer to build than most templates to resolve."""
    context = copy.copy(_user(project_id))
    context._object_cache = {}
    return context


oracle.fake_context = _context


class Member:
    """One created member of a group, answering attributes from a table."""

    FAILED = "FAILED"

    def __init__(self, group, number, entry):
        self._group = group
        self.name = entry["name"]
        self.resource_id = entry["ref"]
        self.status = "COMPLETE"
        self.created_time = number
        self._attrs = entry["attrs"]

    def FnGetRefId(self):
        return self.resource_id

    def FnGetAtt(self, key, *path):
        if self._attrs is None:
            return oracle.AttrPlaceholder(f"{self._group}.{self.name}", (key, *path))
        if key not in self._attrs:
            raise exception.InvalidTemplateAttribute(resource=self.name, key=key)
        return attributes.select_from_attribute(copy.deepcopy(self._attrs[key]), path)


def _stand_in(group_class):
    """A subclass that keeps `get_attribute` of Heat and replaces what needs a database."""

    class StandIn(group_class):
        def __new__(cls, *_):
            return object.__new__(cls)

        def __init__(self, name, members):
            self.name = name
            self.resource_id = "id-of-" + name
            self.properties = {"resources": [m["name"] for m in members]}
            self._nested = {m["name"]: Member(name, n, m) for n, m in enumerate(members)}

        def nested(self, force_reload=False):
            return self._nested

        def get_output(self, op):
            # Without stored outputs Heat asks the members: the same values, by the same paths.
            raise exception.NotFound(op)

        def _resource_names(self, *_):
            return list(self._nested)

        def _current_skiplist(self):
            return []

    return StandIn


GROUPS = {
    "OS::Heat::ResourceGroup": _stand_in(resource_group.ResourceGroup),
    "OS::Heat::AutoScalingGroup": _stand_in(autoscaling_group.AutoScalingResourceGroup),
    "OS::Heat::ResourceChain": _stand_in(resource_chain.ResourceChain),
}
grouputils.get_size = lambda group, include_failed=False: len(group.nested())

_table_attribute = oracle.FakeNode.attribute
_table_init = oracle.FakeNode.__init__


def _group_names(members):
    """The attribute names that a group would know because a template asks for them."""
    for member in members:
        yield f"resource.{member['name']}"
        for name in member["attrs"]:
            yield name
            yield f"resource.{member['name']}.{name}"


class GroupNode(oracle.FakeNode):
    """FakeNode that lets Heat's group classes answer where the table describes a group."""

    __slots__ = ("_group",)

    def __init__(self, name, entry, schema_names):
        self._group = None
        if entry and "group" in entry:
            self._group = GROUPS[entry["group"]](name, entry["members"])
            entry = {"attrs": dict.fromkeys(entry["names"] if "names" in entry else _group_names(entry["members"]))}
        super().__init__(name, entry, schema_names)

    def attribute(self, attr_name):
        if self._group is None:
            return super().attribute(attr_name)
        key, path = (attr_name[0], attr_name[1:]) if isinstance(attr_name, tuple) else (attr_name, ())
        return self._group.get_attribute(key, *path)


oracle.FakeNode = GroupNode


def op_trial(req):
    """Resolves one template in each world, and validates it once."""
    try:
        template = oracle.template_format.parse(req["template"])
    except Exception as error:
        return {"ok": False, "errors": [oracle.err(error, "load")]}
    common = {"template": template, "client": req.get("client", False), "fill": True}
    worlds = [oracle.handle({**common, **world, "op": "resolve"}) for world in req["worlds"]]
    first = req["worlds"][0]
    verdict = oracle.handle({**common, "op": "validate", "params": first.get("params"), "files": first.get("files")})
    return {"ok": True, "worlds": worlds, "valid": verdict["ok"], "validation": verdict.get("errors", [])}


def _lookup(snippet, ask):
    """What a type stands for, in the child of the child … of the resources that `through` names."""
    env = environment.Environment(copy.deepcopy(snippet))
    for kind, name in ask.get("through", ()):
        before = copy.deepcopy(env.user_env_as_dict())
        try:
            info = env.get_resource_info(kind, name)
        except (exception.EntityNotFound, RecursionError):
            info = None
        if env.user_env_as_dict() != before:
            # A lookup that ends at one of Heat's aliases adds an entry to the user's registry.
            return None
        env = environment.get_child_environment(env, {}, item_to_remove=info, child_resource_name=name)
    registry, name = env.registry, ask["name"]
    try:
        info = env.get_resource_info(ask["type"], name)
        if isinstance(info, environment.TemplateResourceInfo):
            shipped = "/heat/templates/" in info.template_name
            found = ["shipped", os.path.basename(info.template_name)] if shipped else ["template", info.template_name]
        else:
            found = ["plugin", info.name]
    except exception.EntityNotFound:
        found = ["none", ""]
    except RecursionError:
        found = ["endless", ""]
    hooks = [hook for hook in environment.HOOK_TYPES if registry.matches_hook(name, hook)]
    return {"found": found, "hooks": hooks, "actions": sorted(registry.get_rsrc_restricted_actions(name))}


def op_lookups(req):
    """Answers about one environment; each question finds the registries as they were."""
    _, snippet = oracle.client_tu.process_environment_and_files(env_path=req["env"])
    shipped = [info for info in oracle.resources.global_env().registry._registry.values() if isinstance(info, environment.ResourceInfo)]
    answers = []
    for ask in req["asks"]:
        try:
            answers.append(_lookup(oracle.json_trip(snippet), ask))
        except (KeyError, TypeError):
            # A type under `resources` is taken for the name of a resource, two stacks further down; an entry is to
            # be removed from where it was in the stack above.
            answers.append(None)
        # A lookup marks what Heat brings along as the user's.
        for info in shipped:
            info.user_resource = False
    return {"ok": True, "answers": answers}


oracle.OPS["lookups"] = op_lookups
oracle.OPS["trial"] = op_trial


def _answer(requests, answers):
    """A line for a line."""
    for line in requests:
        answers.write(json.dumps(oracle.handle(json.loads(line))) + "\n")
        answers.flush()


def main(place):
    """Listens at a place; every connection has a process of its own, which need not load the engine. Ends with its stdin."""
    # The engine stays to the end: the collector need not go through it again and again.
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(place)
        listener.listen()
        print("ready", flush=True)
        while True:
            ready, _, _ = select.select([listener, sys.stdin], [], [])
            if sys.stdin in ready:
                return
            connection, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                with connection.makefile("r", encoding="utf-8") as requests, connection.makefile("w", encoding="utf-8") as answers:
                    _answer(requests, answers)
                os._exit(0)
            connection.close()


if __name__ == "__main__":
    sys.modules["judges.judge_worker"] = sys.modules["__main__"]
    from judges import judge_deployment  # noqa: F401
    main(sys.argv[1])
