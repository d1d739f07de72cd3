"""Which fields of a service's objects Heat's plugins read for each attribute.

The plugin's own `_resolve_attribute` runs on stand-ins for the clients that record every name that is asked of them. Prints
`{type: {attribute: [field, ...]}}`; a type whose plugin cannot be made without a service is left out.
"""

import json

import house
from generators import changes

oracle = house.tool_module("heat_oracle")
oracle.install()


class Recorder:
    """Answers everything with another recorder, and keeps the names."""

    def __init__(self, names):
        self.__dict__["names"] = names

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        self.names.append(name)
        return self

    def __getitem__(self, key):
        self.names.append(str(key))
        return self

    def __call__(self, *arguments, **_):
        self.names.extend(argument for argument in arguments if isinstance(argument, str))
        return self

    def __iter__(self):
        return iter([self])

    def __contains__(self, _):
        return True

    def items(self):
        """One item."""
        return [("key", self)]

    def __str__(self):
        return "{}"


def fields_of(kind, facts):
    """The fields by attribute; `None` if the plugin cannot be made."""
    template = changes.template({"r": changes.resource(kind, facts, None, ...)})
    request = oracle.Request({"template": template})
    loaded = request.template("file")
    _, stack = oracle.make_stack(request, loaded, False)
    plugin = stack.resources["r"]
    plugin.resource_id = "id"
    found = {}
    for attribute in facts.get("attributes", {}):
        names = []
        recorder = Recorder(names)
        plugin.client = plugin.client_plugin = plugin.neutron = plugin.nova = lambda *_, recorder=recorder, **__: recorder
        try:
            plugin._resolve_attribute(attribute)
        except Exception:  # noqa: BLE001: what was read until then counts
            pass
        found[attribute] = sorted(set(names))
    return found


def main():
    """Prints the fields of every type."""
    answer = {}
    for kind, facts in changes.types().items():
        if not facts.get("attributes"):
            continue
        try:
            answer[kind] = fields_of(kind, facts)
        except Exception:  # noqa: BLE001: a type that this Heat cannot make
            continue
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
