"""What to use instead of something deprecated: parsed from Heat's messages, here and nowhere else.

A successor is a map of one key: `type` (its name), `properties` or `attribute` (names next to the old one), `property_of`
(the type and the property), `function`, or `service` (the beginning of the names of its types). A message of a form that this file
does not know is an error, so that each message of a new release is read by a person.
"""

import re

_TYPE = re.compile(r"\b(?:OS|AWS)::[\w:]*\w")
# Forms of messages that name a successor; the groups are names.
_PROPERTY = re.compile(r"Use property (\w+)\.?$|^Use ``(\w+)`` instead\.$")
_PROPERTIES = re.compile(r"Please use (\w+) or (\w+) instead\.")
_PROPERTY_OF = re.compile(r"^Use the `(\w+)` property in the (\w+) resource")
_ATTRIBUTE = re.compile(r"^Use the (\w+) attribute instead of")
_FUNCTION = re.compile(r"^Use (get_resource)\|Ref command instead\.")
_SERVICE = re.compile(r"^Use (octavia|LBaaS V2) instead\.$|the (LBaaS V2) should be used\.$")
# The types of each service, and whether they have the names and the properties of the types that they succeed: LBaaS v2 divides
# a load balancer in another way than its predecessor.
_SERVICES = {"octavia": ("OS::Octavia::", True), "LBaaS V2": ("OS::Neutron::LBaaS::", False)}
# Messages without a successor.
_NOTHING = re.compile(
    "|".join(
        [
            r"project was (retired|marked inactive)$",
            r"^This property will be ignored$",
            r"^Now we only allow vpc here",
            r"requires the Glance v1 API, which is deprecated\.$",
            r"^The HARestarter resource type (has been removed|is deprecated)",
            r"^nova-network is no longer supported\.$",
            r"^Add needed policies directly to the task",
            r"^Use this resource at your own risk\.$",
            r"^There is no such option during",
            r"^Currently, no value is supported for this option\.$",
            r"^Replacement policy used to work around flawed",
            r"^File injection is deprecated from compute REST API",
            r"^The default cloud-init user set up for each image",
        ]
    )
)
# Successors that no message names, from the descriptions of the types.
_UNNAMED = {"OS::Glance::Image": {"type": "OS::Glance::WebImage"}}


def successor(where, message, siblings, types):
    """What a message proposes for `where` (`TYPE`, or `TYPE.name`), whose siblings have these names; None if nothing."""
    owner = where.partition(".")[0]
    is_type = where == owner
    if message is None:
        return _UNNAMED.get(where)

    def known(name, names):
        if name not in names:
            raise SystemExit(f"{where}: the message proposes {name}, which does not exist: {message!r}")
        return name

    if found := [name for name in _TYPE.findall(message) if name != where]:
        # The property of a type whose name the message mentions has no successor.
        if is_type:
            return {"type": known(found[0], types)}
    if match := _PROPERTY.search(message):
        name = known(match[1] or match[2], siblings.names)
        # Heat calls `attachments_list` of a volume a property.
        return {"attribute": name} if siblings.kind == "attribute" else {"properties": [name]}
    if match := _PROPERTIES.search(message):
        return {"properties": [known(name, siblings.names) for name in match.groups()]}
    if match := _PROPERTY_OF.search(message):
        kind = known(f"{owner.rpartition('::')[0]}::{match[2].capitalize()}", types)
        return {"property_of": [kind, known(match[1], types[kind]["properties"])]}
    if match := _ATTRIBUTE.search(message):
        return {"attribute": known(match[1], siblings.names)}
    if match := _FUNCTION.search(message):
        return {"function": match[1]}
    if match := _SERVICE.search(message):
        prefix, same = _SERVICES[match[1] or match[2]]
        return {"type": known(prefix + owner.rpartition("::")[2], types)} if same else {"service": prefix}
    if _NOTHING.search(message):
        return _UNNAMED.get(where)
    raise SystemExit(f"{where}: a message of an unknown form, see successors.py: {message!r}")


class Siblings:
    """The names next to something deprecated."""

    def __init__(self, kind, names):
        self.kind, self.names = kind, names
