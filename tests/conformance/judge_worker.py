"""The shared Heat oracle with the things that the harness needs on top of it.

* Groups. The oracle walks attribute paths over a table, so that the change of
  `get_attr` on groups from 2013-05-23 to 2014-10-16 would go unseen. An entry
  `{"group": TYPE, "members": [...]}` is answered by Heat's own group class instead,
  standing on stand-in members; members with `"attrs": null` answer with placeholders,
  and the group then knows the attributes that `"names"` lists.
* `trial`: one template, many worlds, one reading of its text.

`judge_deployment.py` joins a third: `deployment`, with every nested stack.

Same protocol as `heat_oracle.py batch`: one JSON request a line, one answer a line.
"""

import copy
import importlib.util
import json
import os
import sys


def _load_oracle(path):
    spec = importlib.util.spec_from_file_location("heat_oracle", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


oracle = _load_oracle(os.path.join(os.environ["HOTPLATE_SHARED"], "tools", "heat_oracle.py"))
oracle.install()

from heat.common import exception  # noqa: E402
from heat.common import grouputils  # noqa: E402
from heat.engine import attributes  # noqa: E402
from heat.engine.resources.openstack.heat import autoscaling_group  # noqa: E402
from heat.engine.resources.openstack.heat import resource_chain  # noqa: E402
from heat.engine.resources.openstack.heat import resource_group  # noqa: E402


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


oracle.OPS["trial"] = op_trial


def main():
    for line in sys.stdin:
        sys.stdout.write(json.dumps(oracle.handle(json.loads(line))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    sys.modules["judge_worker"] = sys.modules["__main__"]
    import judge_deployment  # noqa: F401
    main()
