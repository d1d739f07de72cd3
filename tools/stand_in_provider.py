#!/usr/bin/env python3
"""A stand-in for the OpenStack provider of Terraform and OpenTofu, which needs no cloud, and for the other providers that hotplate uses.

It serves the provider's schema over plugin protocol 6, so that the real client can initialize, validate, plan and
apply. It refuses what the provider's schema refuses: values outside of choices and ranges, arguments that conflict
or need each other, values for what only the cloud decides. An apply returns made-up attributes.

An import is honest about what the real provider reads. `crates/hotplate-emit/targets/terraform/imports.yaml` lists the arguments that it cannot read
back: the imported state lacks them, so a configuration that sets one of them changes or replaces the resource, unless it ignores
the argument. What it reads is taken to be what the configuration says, except for what a folder of JSON files knows about the
object (`HOTPLATE_CLOUD`, one file for each ID, with the possible values of attributes such as the name): a difference is a change.

`serve` answers until its standard input ends, for many runs of the client; without arguments this is the plugin
that the client starts by itself. The facts are `facts/terraform_openstack_schema.json`; `HOTPLATE_PROVIDER_FACTS`
names another file. Needs the Python packages `tf` and `PyYAML`.
"""

import base64
import gzip
import itertools
import json
import os
import pathlib
import re
import sys
import tempfile
import urllib.parse
import zlib
from concurrent import futures

import grpc
import msgpack
import yaml
from tf.gen import grpc_controller_pb2 as controller
from tf.gen import grpc_controller_pb2_grpc as controller_grpc
from tf.gen import grpc_stdio_pb2_grpc as stdio_grpc
from tf.gen import tfplugin_pb2 as plugin
from tf.gen import tfplugin_pb2_grpc as plugin_grpc
from tf.runner import _self_signed_cert

# The attributes that objects have in the cloud, by their IDs.
CLOUD = os.environ.get("HOTPLATE_CLOUD")
IMPORTS = pathlib.Path(__file__).resolve().parents[1] / "crates/hotplate-emit/targets/terraform" / "imports.yaml"
FACTS = pathlib.Path(os.environ.get("HOTPLATE_PROVIDER_FACTS", pathlib.Path(__file__).resolve().parent / "facts" / "terraform_openstack_schema.json"))
# The other providers, in whose place the same process stands.
OTHER_FACTS = [pathlib.Path(__file__).resolve().parent / "facts" / f"terraform_{name}_schema.json" for name in ("random", "cloudinit")]
# What the client hands to each plugin, so that nobody starts one by mistake.
MAGIC = ("TF_PLUGIN_MAGIC_COOKIE", "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2")
UNKNOWN = msgpack.ExtType(0, b"\x00")
IMPORTED = b"imported"
NESTING = {"single": 1, "list": 2, "set": 3, "map": 4}
PRIMITIVES = {"string": "string", "int": "number", "float": "number", "bool": "bool"}
FLAGS = ("required", "optional", "computed", "sensitive", "deprecated")
_LARGEST_MESSAGE = 64 << 20
_OPTIONS = [("grpc.max_send_message_length", _LARGEST_MESSAGE), ("grpc.max_receive_message_length", _LARGEST_MESSAGE)]


# --- the schema as the protocol has it

def value_type(facts):
    """The type of an argument in the client's notation: `"string"`, `["list", "string"]`, `["list", ["object", {…}]]`."""
    kind = facts["type"]
    if kind in PRIMITIVES:
        return PRIMITIVES[kind]
    if "attributes" in facts:
        return [kind, ["object", {name: value_type(inner) for name, inner in facts["attributes"].items()}]]
    element = facts.get("elem", "string")
    return [kind, ["map", "string"] if element == "map" else PRIMITIVES[element]]


def block_of(attributes, timeouts=()):
    """A block of the schema: `attributes` by name, nested blocks by name."""
    block = {"attributes": {}, "block_types": {}}
    for name, facts in attributes.items():
        if facts.get("kind") == "block":
            nested = {"nesting_mode": facts["type"], "block": block_of(facts["attributes"])}
            if facts.get("max_items"):
                nested["max_items"] = facts["max_items"]
            # As the provider's SDK tells the client: an optional block has no least number.
            if facts.get("required"):
                nested["min_items"] = facts.get("min_items", 1)
            block["block_types"][name] = nested
        else:
            block["attributes"][name] = {"type": value_type(facts), **{flag: True for flag in FLAGS if facts.get(flag)}}
    if timeouts:
        rows = {name: {"type": "string", "optional": True} for name in timeouts}
        block["block_types"]["timeouts"] = {"nesting_mode": "single", "block": {"attributes": rows, "block_types": {}}}
    return block


def _message(block):
    message = plugin.Schema.Block(version=0)
    for name, row in sorted(block["attributes"].items()):
        flags = {flag: bool(row.get(flag)) for flag in FLAGS}
        message.attributes.append(plugin.Schema.Attribute(name=name, type=json.dumps(row["type"]).encode(), **flags))
    for name, row in sorted(block["block_types"].items()):
        limits = {limit: row.get(limit, 0) for limit in ("min_items", "max_items")}
        message.block_types.append(plugin.Schema.NestedBlock(type_name=name, block=_message(row["block"]), nesting=NESTING[row["nesting_mode"]], **limits))
    return message


def _schema(block):
    return plugin.Schema(version=0, block=_message(block))


# --- values

def decode(value):
    """A value that the client sends; None where there is none."""
    if value.json:
        return json.loads(value.json)
    if not value.msgpack:
        return None
    return msgpack.unpackb(value.msgpack, raw=False, strict_map_key=False, ext_hook=lambda _code, _data: UNKNOWN)


def encode(value):
    """A value for the client."""
    return plugin.DynamicValue(msgpack=msgpack.packb(value, use_bin_type=True))


def is_unknown(value):
    """Whether a value will be known only after an apply."""
    return isinstance(value, msgpack.ExtType)


def _is_given(value):
    return value is not None and value != []


# --- what the provider refuses

def _problem(summary, *path, detail=""):
    steps = [plugin.AttributePath.Step(**{"attribute_name" if isinstance(step, str) else "element_key_int": step}) for step in path]
    return plugin.Diagnostic(severity=1, summary=summary, detail=detail, attribute=plugin.AttributePath(steps=steps))


def problems(attributes, given, path=(), root=None):
    """What is wrong in the arguments of a resource, or of a block in it at `path`."""
    root = given if root is None else root
    for name, facts in attributes.items():
        value = given.get(name)
        if _is_given(value) and facts.get("computed") and not facts.get("optional") and not facts.get("required"):
            yield _problem(f'Can\'t configure a value for "{name}": its value will be decided automatically', *path, name)
        if facts.get("kind") == "block" and isinstance(value, list):
            for number, item in enumerate(value):
                if isinstance(item, dict):
                    yield from problems(facts["attributes"], item, (*path, name, number), root)
        if value is not None and not is_unknown(value):
            yield from _out_of_bounds(name, facts, value, path)
        if not path:
            yield from _bad_company(name, facts, value, root)


def _out_of_bounds(name, facts, value, path):
    choices = facts.get("choices")
    if choices and not isinstance(value, (dict, list)) and str(value) not in map(str, choices):
        yield _problem(f"expected {name} to be one of {choices}, got {value}", *path, name)
    if isinstance(value, str) and len(value) < facts.get("min_length", 0):
        yield _problem(f"expected {name} to have at least {facts['min_length']} characters", *path, name)
    if "range" in facts and isinstance(value, (int, float)):
        low, high = facts["range"]
        if (isinstance(low, int) and value < low) or (isinstance(high, int) and value > high):
            yield _problem(f"expected {name} to be in the range ({low} - {high}), got {value}", *path, name)


def _bad_company(name, facts, value, root):
    """Arguments that exclude or need each other. Paths into blocks are not followed."""
    if _is_given(value):
        for other in facts.get("conflicts_with", ()):
            if "." not in other and _is_given(root.get(other)):
                yield _problem("Conflicting configuration arguments", name, detail=f'"{name}": conflicts with {other}')
        for other in facts.get("required_with", ()):
            if "." not in other and not _is_given(root.get(other)):
                yield _problem("Missing required argument", name, detail=f'"{name}": all of {facts["required_with"]} must be specified')
    for rule, words in (("exactly_one_of", "exactly one"), ("at_least_one_of", "at least one")):
        group = facts.get(rule)
        # A group is checked once, at its first member.
        if not group or group[0] != name or any("." in member for member in group):
            continue
        count = sum(_is_given(root.get(member)) for member in group)
        if count == 0 or (count > 1 and rule == "exactly_one_of"):
            yield _problem("Invalid combination of arguments", name, detail=f'"{name}": {words} of {group} must be specified, {count} were')


# --- plans and applies

def planned(block, attributes, prior, proposed, given):
    """The state that a plan promises: defaults for what is left out, unknown values for what the cloud decides."""
    state, prior, given = dict(proposed), prior or {}, given or {}
    for name, row in block["attributes"].items():
        if given.get(name) is not None:
            continue
        default = attributes.get(name, {}).get("default")
        if not row.get("computed"):
            if default is not None and state.get(name) is None:
                state[name] = default
        elif prior.get(name) is None:
            state[name] = UNKNOWN
    for name, nested in block["block_types"].items():
        if isinstance(state.get(name), list):
            inner = attributes.get(name, {}).get("attributes", {})
            state[name] = [planned(nested["block"], inner, _nth(prior.get(name), number), item, _nth(given.get(name), number, item)) if isinstance(item, dict) else item
                           for number, item in enumerate(state[name])]
    return state


def _nth(items, number, otherwise=None):
    if isinstance(items, list) and number < len(items) and isinstance(items[number], dict):
        return items[number]
    return otherwise


def made_up(kind, name, tag):
    """A value of a type for an attribute that only the cloud knows. Names that speak of addresses get one."""
    if name == "all_fixed_ips":
        # A port has an address: what needs one is not null.
        return ["192.0.2.1"]
    if kind == "string":
        if name == "id":
            return tag
        if "ip" in name.split("_") or name in ("address", "access_ip_v4"):
            return f"192.0.2.{sum(map(ord, tag)) % 250 + 1}"
        return f"{name}-of-{tag}"
    if kind in ("number", "bool"):
        return 0 if kind == "number" else True
    collection, element = kind
    if collection == "object":
        return {member: made_up(inner, member, tag) for member, inner in element.items()}
    return {} if collection == "map" else []


def applied(block, state, tag):
    """A planned state with made-up values for what was unknown."""
    state = dict(state)
    for name, row in block["attributes"].items():
        if is_unknown(state.get(name)):
            state[name] = made_up(row["type"], name, tag)
    for name, nested in block["block_types"].items():
        if isinstance(state.get(name), list):
            state[name] = [applied(nested["block"], item, tag) if isinstance(item, dict) else item for item in state[name]]
        elif is_unknown(state.get(name)):
            state[name] = []
    return state


def _pattern(form):
    """The IDs of a documented form: `<name>/<optional?>`. No ID has the form `none`."""
    parts = re.split(r"<[^>]*>", form)
    names = re.findall(r"<([^>]*)>", form)
    pattern = re.escape(parts[0])
    for name, after in zip(names, parts[1:]):
        slashes = "." if name == "destination_cidr" else "[^/]"
        pattern += f"{slashes}{'*' if name.endswith('?') else '+'}" + re.escape(after)
    return re.compile(pattern if names else "(?!)")


def rendered_message(given):
    """The text of `cloudinit_config`, as the provider writes it with Go's `mime/multipart`: headers in the order of their names."""
    boundary = given.get("boundary") or "MIMEBOUNDARY"
    text = f'Content-Type: multipart/mixed; boundary="{boundary}"\nMIME-Version: 1.0\r\n\r\n'
    for number, part in enumerate(given["part"]):
        headers = {
            "Content-Disposition": part.get("filename") and f'attachment; filename="{part["filename"]}"',
            "Content-Transfer-Encoding": "7bit",
            "Content-Type": part.get("content_type") or "text/plain",
            "Mime-Version": "1.0",
            "X-Merge-Type": part.get("merge_type"),
        }
        text += "\r\n" if number else ""
        text += f"--{boundary}\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers.items() if value) + f"\r\n{part['content']}"
    text += f"\r\n--{boundary}--\r\n"
    data = text.encode()
    if given.get("gzip") is not False:
        data = gzip.compress(data, mtime=0)
    return data.decode() if given.get("base64_encode") is False else base64.b64encode(data).decode()


# --- the protocol

class Provider(plugin_grpc.ProviderServicer):
    """Answers the client's calls about resources and data sources."""

    def __init__(self, facts, stop=lambda: None):
        self._stop = stop
        types = yaml.safe_load(IMPORTS.read_text(encoding="utf-8"))["types"]
        self._not_read = {kind: row.get("not_read", ()) for kind, row in types.items()}
        self._import_ids = {kind: (row["id"], _pattern(row["id"])) for kind, row in types.items() if "id" in row}
        self._attributes = {kind: {name: row["attributes"] for name, row in facts[kind].items()} for kind in ("resources", "data_sources")}
        self._blocks = {kind: {name: block_of(row["attributes"], row.get("timeouts", ())) for name, row in facts[kind].items()} for kind in ("resources", "data_sources")}
        self._schema = plugin.GetProviderSchema.Response(provider=_schema(block_of(facts["provider_config"])))
        for name, block in self._blocks["resources"].items():
            self._schema.resource_schemas[name].CopyFrom(_schema(block))
        for name, block in self._blocks["data_sources"].items():
            self._schema.data_source_schemas[name].CopyFrom(_schema(block))
        self._numbers = itertools.count(1)

    def GetMetadata(self, request, context):
        context.set_code(grpc.StatusCode.UNIMPLEMENTED)
        return plugin.GetMetadata.Response()

    def GetFunctions(self, request, context):
        return plugin.GetFunctions.Response()

    def GetProviderSchema(self, request, context):
        return self._schema

    def ValidateProviderConfig(self, request, context):
        return plugin.ValidateProviderConfig.Response()

    def ValidateResourceConfig(self, request, context):
        found = problems(self._attributes["resources"][request.type_name], decode(request.config) or {})
        return plugin.ValidateResourceConfig.Response(diagnostics=list(found))

    def ValidateDataResourceConfig(self, request, context):
        found = problems(self._attributes["data_sources"][request.type_name], decode(request.config) or {})
        return plugin.ValidateDataResourceConfig.Response(diagnostics=list(found))

    def UpgradeResourceState(self, request, context):
        return plugin.UpgradeResourceState.Response(upgraded_state=plugin.DynamicValue(json=request.raw_state.json))

    def ConfigureProvider(self, request, context):
        return plugin.ConfigureProvider.Response()

    def ReadResource(self, request, context):
        return plugin.ReadResource.Response(new_state=request.current_state, private=request.private)

    def PlanResourceChange(self, request, context):
        proposed, prior = decode(request.proposed_new_state), decode(request.prior_state)
        response = plugin.PlanResourceChange.Response(legacy_type_system=True)
        if proposed is None:
            response.planned_state.CopyFrom(request.proposed_new_state)
            return response
        attributes = self._attributes["resources"][request.type_name]
        if request.prior_private == IMPORTED:
            given = decode(request.config)
            proposed = planned(self._blocks["resources"][request.type_name], attributes, prior, proposed, given)
            # What the cloud decides when nothing is given differs from nothing.
            proposed = {name: None if is_unknown(value) and not _is_given(given.get(name)) else value for name, value in proposed.items()}
            state = dict(prior)
            for name in self._differing(request.type_name, prior, proposed, given):
                state[name] = proposed[name]
                if attributes[name].get("force_new"):
                    response.requires_replace.append(plugin.AttributePath(steps=[plugin.AttributePath.Step(attribute_name=name)]))
            response.planned_state.CopyFrom(encode(state))
            return response
        state = planned(self._blocks["resources"][request.type_name], attributes, prior, proposed, decode(request.config))
        for name, facts in attributes.items() if prior else ():
            if facts.get("force_new") and prior.get(name) != state.get(name):
                response.requires_replace.append(plugin.AttributePath(steps=[plugin.AttributePath.Step(attribute_name=name)]))
        response.planned_state.CopyFrom(encode(state))
        return response

    def _differing(self, kind, prior, proposed, given):
        """The arguments of an imported resource whose values in the configuration are not those of the cloud, as far as the provider reads them."""
        for name in self._not_read.get(kind, ()):
            if _is_given(proposed.get(name)) and proposed[name] != prior.get(name):
                yield name
        for name, values in _in_cloud(prior["id"]).items():
            if _is_given(given.get(name)) and not is_unknown(proposed[name]) and proposed[name] not in values:
                yield name

    def ApplyResourceChange(self, request, context):
        state = decode(request.planned_state)
        response = plugin.ApplyResourceChange.Response(legacy_type_system=True)
        if state is None:
            response.new_state.CopyFrom(request.planned_state)
            return response
        name = state.get("name")
        tag = f"{_short(request.type_name)}/{name if isinstance(name, str) else next(self._numbers)}"
        response.new_state.CopyFrom(encode(applied(self._blocks["resources"][request.type_name], state, tag)))
        return response

    def ImportResourceState(self, request, context):
        form, pattern = self._import_ids.get(request.type_name, ("", re.compile("[^/]+")))
        if not pattern.fullmatch(request.id):
            wrong = plugin.Diagnostic(severity=1, summary=f"{request.type_name} has no ID {request.id}", detail=f"its form is {form}")
            return plugin.ImportResourceState.Response(diagnostics=[wrong])
        block = self._blocks["resources"][request.type_name]
        state = dict.fromkeys(block["attributes"])
        # What the cloud decides is read, whatever it is.
        for name, row in block["attributes"].items():
            if row.get("computed") and name not in self._not_read.get(request.type_name, ()):
                state[name] = made_up(row["type"], name, request.id)
        state["id"] = request.id
        for name, nested in block["block_types"].items():
            state[name] = None if nested["nesting_mode"] == "single" else []
        imported = plugin.ImportResourceState.ImportedResource(type_name=request.type_name, state=encode(state), private=IMPORTED)
        return plugin.ImportResourceState.Response(imported_resources=[imported])

    def ReadDataSource(self, request, context):
        given = decode(request.config)
        block = self._blocks["data_sources"][request.type_name]
        state = {name: UNKNOWN if value is None and block["attributes"].get(name, {}).get("computed") else value for name, value in given.items()}
        if request.type_name == "cloudinit_config":
            text = rendered_message(given)
            return plugin.ReadDataSource.Response(state=encode({**given, "id": str(zlib.crc32(text.encode())), "rendered": text}))
        tag = f"data.{_short(request.type_name)}/{given.get('name') or next(self._numbers)}"
        return plugin.ReadDataSource.Response(state=encode(applied(block, state, tag)))

    def StopProvider(self, request, context):
        self._stop()
        return plugin.StopProvider.Response()


def _in_cloud(identity):
    """The attributes of an object in the cloud that are known."""
    path = CLOUD and pathlib.Path(CLOUD, urllib.parse.quote(identity, safe="") + ".json")
    return json.loads(path.read_text(encoding="utf-8")) if path and path.exists() else {}


def _short(kind):
    return kind.removeprefix("openstack_")


class Controller(controller_grpc.GRPCControllerServicer):
    """Ends the plugin when the client is done."""

    def __init__(self, stop):
        self._stop = stop

    def Shutdown(self, request, context):
        self._stop()
        return controller.Empty()


class Streams(stdio_grpc.GRPCStdioServicer):
    """The plugin has nothing to say on its streams."""

    def StreamStdio(self, request, context):
        return iter(())


def _server(stop):
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=8), options=_OPTIONS)
    facts = json.loads(FACTS.read_text(encoding="utf-8"))
    for path in OTHER_FACTS:
        other = json.loads(path.read_text(encoding="utf-8"))
        for kind in ("resources", "data_sources"):
            facts[kind] |= other.get(kind, {})
    plugin_grpc.add_ProviderServicer_to_server(Provider(facts, stop), server)
    controller_grpc.add_GRPCControllerServicer_to_server(Controller(stop), server)
    stdio_grpc.add_GRPCStdioServicer_to_server(Streams(), server)
    return server


def serve():
    """Prints the path of a socket, and serves there until the standard input ends."""
    server = _server(lambda: None)
    with tempfile.TemporaryDirectory() as folder:
        socket = f"{folder}/provider.sock"
        server.add_insecure_port(f"unix://{socket}")
        server.start()
        print(socket, flush=True)
        sys.stdin.read()
        server.stop(0)


def main():
    """The plugin as the client starts it: a line of the handshake, then calls until the client ends it."""
    stopped = []
    server = _server(lambda: stopped.append(True))
    with tempfile.TemporaryDirectory() as folder:
        socket = f"{folder}/provider.sock"
        chain, credentials = _self_signed_cert()
        server.add_secure_port(f"unix://{socket}", credentials)
        server.start()
        print("|".join(["1", "6", "unix", socket, "grpc", base64.b64encode(chain).decode().rstrip("=")]), flush=True)
        while server.wait_for_termination(0.05):
            if stopped:
                break
        server.stop(0.2)


if __name__ == "__main__":
    if sys.argv[1:] == ["serve"]:
        serve()
    elif os.environ.get(MAGIC[0]) != MAGIC[1]:
        sys.exit("This is a provider plugin: Terraform or OpenTofu starts it.")
    else:
        main()
