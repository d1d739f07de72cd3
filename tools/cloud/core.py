"""The cloud: objects in memory, tables that describe them, one handler for all of them, a journal of the requests.

A service is a prefix of the URL with kinds of objects (`Kind`, a row of a table) and a few actions (functions). The generic handler
creates, lists, shows, changes and deletes objects of any kind by its row: required fields, defaults, references, unique fields, fields that
cannot change, uses that prevent a deletion.
"""

import copy
import dataclasses
import fnmatch
import json
import re
import threading
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, unquote, urlsplit

PROJECT, USER = "a" * 32, "b" * 32
# Times with a zone, and those of the services that show none.
DATE, TIME = "2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000000"
# Parameters of a list that are not filters.
NOT_FILTERS = {"fields", "limit", "marker", "sort_key", "sort_dir", "sort", "all_projects", "all_tenants", "page_reverse", "details", "detailed", "format",
               "member_status", "deleted", "ignore_error", "offset", "is_public", "visibility", "with_count", "cascade", "include_names", "recurse"}
NAME = r"([^/]+)"


class Refused(Exception):
    """A request that a service refuses: the status, and its words."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status, self.message = status, message


@dataclasses.dataclass
class Kind:
    """A row of a service's table: how objects of one collection behave."""

    name: str  # of the collection in `Cloud.objects`
    path: str  # below the service; `{}` stands for the parent's identifier
    one: str  # the key of an object in a body
    many: str = ""  # the key of a list; by default the last part of the path
    defaults: dict = dataclasses.field(default_factory=dict)  # what is not given; a callable gets the cloud and the object
    required: tuple = ()
    refs: dict = dataclasses.field(default_factory=dict)  # field: collection in which the object must be
    unique: tuple = ()  # tuples of fields
    fixed: tuple = ()  # fields that an update refuses
    changes: tuple = None  # the only fields that an update accepts; None: all that are not fixed
    in_use: tuple = ()  # (collection, field): such a reference prevents a deletion
    cascade: tuple = ()  # (collection, field): deleted with the object
    parent: tuple = None  # (collection, field that holds its identifier)
    status: tuple = (201, 200, 204)  # of a creation, an update and a deletion
    returns: bool = False  # whether a deletion answers with the object
    bare: bool = False  # whether a body is the object itself
    update: tuple = ("PUT", "PATCH")
    state: tuple = ()  # (field, while it works, when it is done, when it failed)
    missing_ref: int = 404
    clash: int = 409
    busy: int = 409
    new_id: object = lambda cloud: str(uuid.uuid4())
    attributes: dict = None  # a map of Neutron's attributes, which is checked instead of `required`, `fixed` and `changes`
    check: object = None  # (cloud, new, old): refuses, or computes fields; `old` is None at a creation
    made: object = None  # (cloud, object): after a creation
    changed: object = None  # (cloud, object, old): after an update
    delete: object = None  # (cloud, object): before a deletion
    show: object = None  # (cloud, object): the object as it is shown
    listed: object = None  # (cloud, objects): more of the answer to a list


class Service:
    """A prefix of the URL with its kinds, its actions and the form of its errors."""

    def __init__(self, prefix, types, error, endpoint=None):
        self.prefix, self.types, self.error = prefix, types, error
        self.endpoint = prefix if endpoint is None else endpoint
        self.kinds, self.actions, self.routes = [], [], []

    def kind(self, *arguments, **more):
        """Adds a row to the table of the service."""
        kind = Kind(*arguments, **more)
        kind.many = kind.many or kind.path.rsplit("/", 1)[-1]
        self.kinds.append(kind)
        return kind

    def action(self, methods, path):
        """Registers a function for paths that are not collections; `{}` matches a part, which the function gets."""
        def register(function):
            self.actions.append((methods.split(), re.compile(path.replace("{}", NAME)), function))
            return function
        return register

    def route(self):
        """The actions first, then the collections."""
        for kind in self.kinds:
            self.routes.append((re.compile(kind.path.replace("{}", NAME) + f"(?:/{NAME})?"), kind))
        return self


class Request:
    """What a client asks, for actions."""

    def __init__(self, method, path, query, headers, body):
        self.method, self.path, self.query, self.headers, self.body = method, path, query, headers, body


class Rule:
    """`create server web-* [STATUS] [xN]`: fails what matches, N times; without a status, the object ends in its state of failure where it has one.
    `@web`: only what the resource `web` of a stack asks for. `quota server 3`: refuses the fourth."""

    def __init__(self, text):
        self.text = text
        words = text.split()
        self.verb, self.kind, self.name = words[:3]
        self.status, self.times, self.who = None, -1, None
        for word in words[3:]:
            if word.startswith("@"):
                self.who = word[1:]
            elif word.startswith("x"):
                self.times = int(word[1:])
            else:
                self.status = int(word)

    def fits(self, verb, kind, name, who):
        """Whether the rule fails this; it is used up by one."""
        if self.times == 0 or self.verb != verb or self.who not in (None, who) or not fnmatch.fnmatchcase(kind, self.kind) or not fnmatch.fnmatchcase(name or "", self.name):
            return False
        self.times -= 1
        return True


class Cloud:
    """One cloud. `start` listens on a free port of 127.0.0.1; `objects` is a map of collections to objects by identifier."""

    def __init__(self, port=0, polls=0, api="2.96"):
        from . import services
        self.services = services.every()
        self.port, self.polls, self.compute_api = port, polls, api
        self.lock = threading.RLock()
        self.who = lambda: None
        self.server = None
        self.reset()

    # ---- its life

    def reset(self):
        """Forgets everything, and puts in what a cloud has before anyone uses it."""
        from . import services
        self.objects, self.journal, self.rules, self.labels, self.unmodeled, self.written = {}, [], [], {}, [], 0
        self.fip_pool = 0
        self.external = ()  # the names of networks that an administrator makes external as soon as they are there
        self.kinds = {kind.name: kind for service in self.services for kind in service.kinds}
        services.seed(self)

    def start(self):
        """Answers in threads of its own until `stop`."""
        cloud = self

        class Handler(_Handler):
            pass

        Handler.cloud = cloud
        self.server = ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def stop(self):
        """Ends the server."""
        if self.server:
            self.server.shutdown()
            self.server.server_close()
            self.server = None

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()

    @property
    def url(self):
        """The address of the cloud."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def auth_url(self):
        """The address of Keystone."""
        return f"{self.url}/identity/v3"

    # ---- what tests ask for

    def fail(self, text):
        """Adds a rule of failure (`Rule`)."""
        self.rules.append(Rule(text))

    def mark(self, text):
        """Writes a line into the journal."""
        self.journal.append({"mark": text})

    def put(self, collection, identifier, **fields):
        """Puts an object there, or changes one, as somebody else would."""
        one = self.table(collection).setdefault(identifier, {})
        one.update(fields)
        self.label(collection, identifier, one)
        return one

    def writes(self, since=0):
        """The requests that change something, from a position of the journal on; tokens are not objects."""
        return [entry for entry in self.journal[since:] if "method" in entry and entry["method"] not in ("GET", "HEAD") and not entry["path"].endswith("/auth/tokens")]

    # ---- objects

    def table(self, collection):
        """The objects of a collection."""
        return self.objects.setdefault(collection, {})

    def find(self, collection, identifier, status=404):
        """An object that must be there."""
        if identifier not in self.table(collection):
            kind = self.kinds.get(collection)
            raise Refused(status, f"{kind.one.capitalize() if kind else collection} {identifier} could not be found.")
        return self.objects[collection][identifier]

    def where(self, collection, **fields):
        """The objects with these values."""
        return [one for one in self.table(collection).values() if all(one.get(field) == value for field, value in fields.items())]

    def label(self, collection, identifier, one):
        """Remembers what an identifier refers to, also after the object is gone."""
        kind = self.kinds.get(collection)
        self.labels[str(identifier)] = (kind.one if kind and kind.one else collection.rstrip("s"), one.get("name") or "")

    def create(self, collection, body, internal=False):
        """Creates an object of a kind by its row."""
        kind, new = self.kinds[collection], copy.deepcopy(body)
        self._quota(kind)
        if kind.attributes is not None and not internal:
            _attributes(kind, new, None)
        for field in kind.required:
            if new.get(field) is None:
                raise Refused(400, f"Invalid input for field/attribute {field}. Value: None. '{field}' is a required property")
        identifier = str(new.get("id") or kind.new_id(self))
        if identifier in self.table(collection):
            raise Refused(409, f"{kind.one} {identifier} already exists.")
        one = {**{field: value for field, value in kind.defaults.items() if not callable(value)}, **new, "id": identifier}
        for field, value in kind.defaults.items():
            if callable(value) and new.get(field) is None:
                one[field] = value(self, one)
        one = copy.deepcopy(one)
        self._refer(kind, one, one)
        self._clash(kind, one)
        if kind.check:
            kind.check(self, one, None)
        rule = None if internal else self.failing("create", kind.one or collection, one.get("name"))
        if rule and (rule.status or not kind.state):
            raise Refused(rule.status or 403, f"Quota exceeded, or no valid host was found ({rule.text}).")
        if kind.state:
            field, working, done, failed = kind.state
            one.setdefault(field, done)
            if rule:
                one[field] = failed
            elif self.polls and not internal:
                one["_then"], one["_polls"] = {field: one[field]}, self.polls
                one[field] = working
        self.table(collection)[identifier] = one
        self.label(collection, identifier, one)
        if kind.made:
            try:
                kind.made(self, one)
            except Refused:
                self.objects[collection].pop(identifier, None)
                raise
        return one

    def change(self, collection, identifier, body):
        """Changes an object by its row."""
        kind, one = self.kinds[collection], self.find(collection, identifier)
        self.failing("update", kind.one or collection, one.get("name"), refuse=True)
        body = copy.deepcopy(body)
        if kind.attributes is not None:
            _attributes(kind, body, one)
        for field in body:
            if (field in kind.fixed or kind.changes is not None and field not in kind.changes) and body[field] != one.get(field):
                raise Refused(400, f"Cannot update read-only attribute {field}")
        new = {**one, **body}
        self._refer(kind, body, new)
        self._clash(kind, new)
        if kind.check:
            kind.check(self, new, one)
        old = copy.deepcopy(one)
        one.update(new)
        self.label(collection, identifier, one)
        if kind.changed:
            kind.changed(self, one, old)
        return one

    def remove(self, collection, identifier, internal=False):
        """Deletes an object by its row."""
        kind, one = self.kinds[collection], self.find(collection, identifier)
        if not internal:
            self.failing("delete", kind.one or collection, one.get("name"), refuse=True)
        for other, field in kind.in_use:
            users = [each for each in self.table(other).values() if identifier in _values(each.get(field))]
            if users:
                raise Refused(kind.busy, f"{kind.one.capitalize()} {identifier} is in use by {self.kinds[other].one} {users[0]['id']}.")
        if kind.delete:
            kind.delete(self, one)
        for other, field in kind.cascade:
            for each in [key for key, value in self.table(other).items() if identifier in _values(value.get(field))]:
                self.objects[other].pop(each, None)
        self.objects[collection].pop(identifier, None)

    def failing(self, verb, kind, name, refuse=False):
        """The rule that fails this; refuses at once if asked to."""
        rule = next((rule for rule in self.rules if rule.fits(verb, kind, name, self.who())), None)
        if rule and refuse:
            raise Refused(rule.status or 500, f"The service cannot do this now ({rule.text}).")
        return rule

    def _quota(self, kind):
        for rule in self.rules:
            if (rule.verb, rule.kind) == ("quota", kind.one) and len(self.table(kind.name)) >= int(rule.name):
                raise Refused(409 if kind.attributes is not None else 403, f"Quota exceeded for resources: ['{kind.one}'].")

    def _refer(self, kind, body, one):
        for field, collection in kind.refs.items():
            for value in _values(body.get(field)):
                if str(value) not in self.table(collection):
                    raise Refused(kind.missing_ref, f"{self.kinds[collection].one.capitalize()} {value} could not be found.")

    def _clash(self, kind, one):
        for fields in kind.unique:
            key = [one.get(field) for field in fields]
            for other in self.table(kind.name).values():
                if other["id"] != one["id"] and key == [other.get(field) for field in fields] and key[-1] not in (None, ""):
                    raise Refused(kind.clash, f"{kind.one.capitalize()} with {', '.join(fields)} {key[-1]} already exists.")

    def shown(self, kind, one):
        """An object as its service shows it, one poll nearer to its end."""
        if one.get("_polls"):
            one["_polls"] -= 1
            if not one["_polls"]:
                one.update(one.pop("_then"))
        seen = kind.show(self, one) if kind.show else one
        return {field: value for field, value in seen.items() if not field.startswith("_")}

    # ---- requests

    def handle(self, method, target, headers, text):
        """Answers a request: status, body, headers. One at a time."""
        parts = urlsplit(target)
        path, query = unquote(parts.path).rstrip("/") or "/", dict(parse_qsl(parts.query, keep_blank_values=True))
        try:
            body = json.loads(text) if text else None
        except ValueError:
            body = text
        with self.lock:
            if path.startswith("/cloud/"):
                return self._control(path, body)
            service = next((each for each in self.services if path == each.prefix or path.startswith(each.prefix + "/")), None)
            entry = {"who": self.who(), "method": method, "path": path, "query": query, "body": copy.deepcopy(body)}
            try:
                if service is None:
                    raise LookupError
                answer = self._dispatch(service, Request(method, path[len(service.prefix):], query, headers, body))
            except Refused as refused:
                answer = refused.status, service.error(refused.status, refused.message), {}
            except LookupError:
                self.unmodeled.append(f"{method} {path}")
                message = f"not modeled: {method} {path}"
                answer = 404, service.error(404, message) if service else {"error": {"message": message, "code": 404, "title": "Not Found"}}, {}
            except Exception as error:  # a fault of the cloud is an answer that nobody takes for a service's
                self.unmodeled.append(f"{method} {path}: {error!r}")
                answer = 501, {"error": {"message": f"the stand-in failed: {error!r}", "code": 501, "title": "Not Implemented"}}, {}
                import traceback
                entry["traceback"] = traceback.format_exc()
            self.written += method not in ("GET", "HEAD")
            self.journal.append({**entry, "status": answer[0], "answer": copy.deepcopy(answer[1]) if not isinstance(answer[1], bytes) else None})
            return answer

    def _dispatch(self, service, request):
        for methods, pattern, function in service.actions:
            found = pattern.fullmatch(request.path)
            if found and request.method in methods:
                answer = function(self, request, *found.groups())
                return (*answer, {}) if isinstance(answer, tuple) and len(answer) == 2 else answer
        for pattern, kind in service.routes:
            found = pattern.fullmatch(request.path)
            if found:
                return self._collection(kind, request, *found.groups())
        raise LookupError(request.path)

    def _collection(self, kind, request, *found):
        *parents, identifier = found
        body, held = request.body, {}
        if kind.parent:
            collection, field = kind.parent
            self.find(collection, parents[-1])
            held = {field: parents[-1]}
        if body is not None and not kind.bare and isinstance(body, dict):
            if request.method == "POST" and isinstance(body.get(kind.many), list):
                made = [self.shown(kind, self.create(kind.name, {**one, **held})) for one in body[kind.many]]
                return kind.status[0], {kind.many: made}, {}
            body = body.get(kind.one, body)
        wrap = (lambda one: self.shown(kind, one)) if kind.bare else (lambda one: {kind.one: self.shown(kind, one)})
        if identifier is None:
            if request.method == "POST":
                return kind.status[0], wrap(self.create(kind.name, {**body, **held})), {}
            if request.method in ("GET", "HEAD"):
                return 200, self.listing(kind, {**request.query, **held}), {}
            raise LookupError
        if identifier == "detail" and request.method == "GET":
            return 200, self.listing(kind, {**request.query, **held}), {}
        one = self.find(kind.name, identifier)
        if any(one.get(field) != value for field, value in held.items()):
            raise Refused(404, f"{kind.one} {identifier} could not be found.")
        if request.method in kind.update:
            return kind.status[1], wrap(self.change(kind.name, identifier, body)), {}
        if request.method == "DELETE":
            shown = wrap(one) if kind.returns else None
            self.remove(kind.name, identifier)
            return kind.status[2], shown, {}
        if request.method in ("GET", "HEAD"):
            return 200, wrap(one), {}
        raise LookupError

    def listing(self, kind, query):
        """The answer to a list, by the filters of its query."""
        wanted = {field: value for field, value in query.items() if field not in NOT_FILTERS}
        found = [self.shown(kind, one) for one in list(self.table(kind.name).values())]
        found = [one for one in found if all(_is(one, field, value) for field, value in wanted.items())]
        more = kind.listed(self, found) if kind.listed else {}
        return {kind.many: found, **more}

    def _control(self, path, body):
        from .dump import canonical, journal_lines
        verb = path.rsplit("/", 1)[-1]
        if verb == "dump":
            return 200, canonical(self), {}
        if verb == "objects":
            return 200, self.objects, {}
        if verb == "journal":
            return 200, {"journal": self.journal, "lines": journal_lines(self), "unmodeled": self.unmodeled}, {}
        if verb == "reset":
            self.reset()
        elif verb == "mark":
            self.mark(body["text"])
        elif verb == "fail":
            for text in body["rules"]:
                self.fail(text)
        elif verb == "put":
            for collection, identifier, fields in body["objects"]:
                self.put(collection, identifier, **fields)
        else:
            return 404, {"error": verb}, {}
        return 200, {}, {}


def _values(value):
    """What a field refers to: nothing, one, or a list, which may be of objects with an identifier."""
    if value in (None, ""):
        return []
    return [each.get("id") if isinstance(each, dict) else each for each in (value if isinstance(value, (list, tuple)) else [value])]


def _is(one, field, value):
    """Whether an object passes a filter of a list. Fields that it does not have are no filters, as for most services."""
    if field not in one:
        return True
    have = one[field]
    if isinstance(have, bool):
        return str(have).lower() == str(value).lower()
    if isinstance(have, list):
        return all(each in [str(item) for item in have] for each in str(value).split(","))
    return str(have) == str(value) or have is None and value == ""


def _attributes(kind, body, old):
    """Checks and normalizes a body by a map of Neutron's attributes, as its API layer does."""
    from neutron_lib import exceptions
    from neutron_lib.api.attributes import AttributeInfo
    from neutron_lib.constants import ATTR_NOT_SPECIFIED
    info = AttributeInfo(kind.attributes)
    if "project_id" in body:
        body.setdefault("tenant_id", body.pop("project_id"))
    unknown = sorted(set(body) - set(kind.attributes))
    if unknown:
        raise Refused(400, f"Unrecognized attribute(s) '{', '.join(unknown)}'")
    try:
        if old is None:
            info.fill_post_defaults(body)
        else:
            for field in body:
                if not kind.attributes[field].get("allow_put"):
                    raise Refused(400, f"Cannot update read-only attribute {field}")
        info.convert_values(body)
    except exceptions.InvalidInput as error:
        raise Refused(400, error.msg) from None
    for field in [field for field, value in body.items() if value is ATTR_NOT_SPECIFIED]:
        del body[field]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True
    timeout = 60
    cloud = None

    def log_message(self, *_):
        """Nothing: the journal has it."""

    def _any(self):
        length = self.headers.get("Content-Length")
        text = self.rfile.read(int(length)) if length else self._chunks()
        status, body, headers = self.cloud.handle(self.command, self.path, self.headers, text.decode("utf-8", "replace"))
        data = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        kind = "application/json" if data else "text/html; charset=UTF-8"
        for name, value in {"Content-Type": kind, "Content-Length": str(len(data)), "x-openstack-request-id": "req-" + "0" * 8, **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)
        self.wfile.flush()

    def _chunks(self):
        """A body of unknown length, as Glance's and Swift's clients send files."""
        if "chunked" not in self.headers.get("Transfer-Encoding", ""):
            return b""
        text = b""
        while size := int(self.rfile.readline().split(b";")[0] or b"0", 16):
            text += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return text

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = _any
