"""A Keystone and a Heat that answer what `openstack stack plan` requests, on localhost, and count what is requested of them."""

import contextlib
import http.server
import json
import threading
import urllib.parse

PROJECT = "5f0d1c2b3a4948576675849302a1b0c9"
STACK_ID = "0c3e9a51-7d1c-4c6e-9a53-2f6d8b0e4a17"
PASSWORD = "correct horse"


class Cloud:
    """The stacks of the project: what Heat returns of each, by name and part. `forbidden` names parts that its policy refuses."""

    def __init__(self, stacks, forbidden=()):
        self.stacks, self.forbidden = stacks, set(forbidden)
        self.requests = []
        self.url = None

    @contextlib.contextmanager
    def running(self):
        cloud = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                cloud.answer(self)

            do_POST = do_PUT = do_PATCH = do_DELETE = do_GET

            def log_message(self, *_arguments):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = "http://127.0.0.1:{}".format(server.server_port)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield self
        finally:
            server.shutdown()
            server.server_close()

    def answer(self, request):
        length = int(request.headers.get("Content-Length") or 0)
        body = json.loads(request.rfile.read(length)) if length else None
        url = urllib.parse.urlparse(request.path)
        status, headers, content = self.content(request, url, body)
        data = json.dumps(content).encode()
        request.send_response(status)
        for name, value in {**headers, "Content-Type": "application/json", "Content-Length": len(data)}.items():
            request.send_header(name, value)
        request.end_headers()
        request.wfile.write(data)

    def content(self, request, url, body):
        """The status, the headers and the content of an answer."""
        version = {"id": "v3.14", "status": "stable", "links": [{"rel": "self", "href": self.url + "/identity/v3/"}]}
        if url.path.rstrip("/") == "/identity":
            return 300, {}, {"versions": {"values": [version]}}
        if url.path.rstrip("/") == "/identity/v3":
            return 200, {}, {"version": version}
        if url.path == "/identity/v3/auth/tokens":
            user = body["auth"]["identity"]["password"]["user"]
            if user["password"] != PASSWORD:
                return error(401, "The request you have made requires authentication.", "Unauthorized")
            return 201, {"X-Subject-Token": "token-of-" + user["name"]}, {"token": self.token(user["name"])}
        heat, _, path = url.path.partition("/v1/{}/".format(PROJECT))
        if heat != "/heat" or request.headers.get("X-Auth-Token") != "token-of-demo":
            return error(401, "Authentication required", "Unauthorized")
        self.requests.append("{} {}".format(request.command, path + ("?" + url.query if url.query else "")))
        return self.heat(path.split("/"))

    def heat(self, path):
        name = path[1] if path[0] == "stacks" and len(path) > 1 else ""
        if name not in self.stacks:
            return error(404, "The Stack ({}) could not be found.".format(name), "EntityNotFound")
        stack = "{}/heat/v1/{}/stacks/{}/{}".format(self.url, PROJECT, name, STACK_ID)
        if len(path) == 2:
            return 302, {"Location": stack}, {}
        part = path[3] if len(path) > 3 else "stack"
        if part in self.forbidden:
            return error(403, "You are not authorized to use {}.".format(part), "Forbidden")
        content = self.stacks[name].get(part)
        if content is None:
            return error(404, "The resource could not be found.", "HTTPNotFound")
        if part == "resources":
            return 200, {}, {"resources": [self.linked(dict(it)) for it in content]}
        return 200, {}, {"stack": dict(content, id=STACK_ID, stack_name=name)} if part == "stack" else content

    def linked(self, resource):
        """A resource of the list, which tells its stack only by a link."""
        stack = "{}/heat/v1/{}/stacks/{}/{}".format(self.url, PROJECT, resource.pop("stack_name"), STACK_ID)
        own = "{}/resources/{}".format(stack, resource["resource_name"])
        return dict(resource, links=[{"href": own, "rel": "self"}, {"href": stack, "rel": "stack"}])

    def token(self, user):
        def service(kind, url):
            endpoints = [{"id": kind + interface, "interface": interface, "region": "RegionOne", "region_id": "RegionOne", "url": url}
                         for interface in ("public", "internal", "admin")]
            return {"id": kind, "type": kind, "name": kind, "endpoints": endpoints}

        domain = {"id": "default", "name": "Default"}
        catalog = [
            service("identity", self.url + "/identity"),
            service("orchestration", "{}/heat/v1/{}".format(self.url, PROJECT)),
        ]
        return {
            "methods": ["password"],
            "expires_at": "2099-01-01T00:00:00.000000Z",
            "issued_at": "2026-01-01T00:00:00.000000Z",
            "user": {"id": "demo-id", "name": user, "domain": domain, "password_expires_at": None},
            "project": {"id": PROJECT, "name": "demo", "domain": domain},
            "roles": [{"id": "member", "name": "member"}],
            "catalog": catalog,
        }


def error(status, message, kind):
    """An error as Heat and Keystone write it."""
    return status, {}, {
        "code": status,
        "explanation": message,
        "title": kind,
        "error": {"message": message, "type": kind, "traceback": None, "code": status, "title": kind},
    }
