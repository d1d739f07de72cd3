#!/usr/bin/env python3
"""Heat's own engine in this process, acting on the stand-in cloud of `tools/cloud`.

    heat_stack.py STEP... [-e ENVIRONMENT]... [-P NAME=VALUE]... [--fail RULE]... [--cloud URL] [--polls N] [--timeout SECONDS] [--api 2.36] [--json]

    create:1.yaml    update:2.yaml[:rollback][:create-first|:delete-first][:converge]    adopt:1.yaml:stack.json    preview:2.yaml
    check    suspend    resume    abandon    delete    signal:RESOURCE[:JSON]    fail:RULE    put:JSON (collection, identifier, fields)
    agent (servers with a network run what is deployed)    timeout:SECONDS

Prints the events, the requests with their answers, and at the end the objects of the cloud (`dump`). A template is read with its files as
Heat's client reads it. Convergence is on, as in every deployment since Newton: what the engine sends to itself over the message bus is a thread
here, of which one runs at a time. In each step, a request is marked with the resource that made it.
"""

import argparse
import atexit
import json
import logging
import pathlib
import shutil
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from cloud import Cloud, canonical, journal_lines  # noqa: E402

# Heat asks once a second, and waits up to a minute between attempts.
POLL = 0.003
# After so many equal refusals, and sixty times as many waits in which no service was asked for a change, the time of the stack is over.
PATIENCE = 12
real_sleep = time.sleep


class Turn:
    """A lock for one thread at a time: sqlite is never locked, and the order of events repeats. It goes to the waiting thread with the lowest
    number; equal ones in the order of their arrival. `who` is the resource that the running thread works on."""

    def __init__(self):
        self.condition, self.held, self.waiting, self.count = threading.Condition(), False, [], 0
        self.local, self.who = threading.local(), None

    def acquire(self):
        """Waits for the turn of this thread."""
        with self.condition:
            self.count += 1
            me = (getattr(self.local, "priority", 5), self.count)
            self.waiting.append(me)
            while self.held or min(self.waiting) != me:
                self.condition.wait()
            self.waiting.remove(me)
            self.held, self.who = True, getattr(self.local, "who", None)

    def release(self):
        """Lets the next thread run."""
        with self.condition:
            self.held = False
            self.condition.notify_all()

    def __enter__(self):
        self.acquire()

    def __exit__(self, *_):
        self.release()


class Engine:
    """Heat's engine. There is one in a process; its stacks act on the cloud, which may be reset between them."""

    def __init__(self, cloud, log=logging.CRITICAL):
        self.cloud, self.turn, self.threads, self.order = cloud, Turn(), [], "fifo"
        self.agents, self.errors, self.numbers, self.waits, self.signaled = False, [], 0, {}, set()
        cloud.who = lambda: self.turn.who if self.turn.held else None
        self._import(log)

    def _import(self, log):
        """Heat's engine with its services replaced where they would leave the process."""
        logging.disable(log)
        import heat.common.timeutils
        import heat.db.api
        from heat.common import config, context, messaging  # noqa: F401
        from heat.db import models
        from heat.engine import environment, resources, scheduler, service, stack, worker
        from heat.objects import event, resource, software_deployment
        from heat.objects import stack as stack_object
        from heat.rpc import client as engine_client, worker_client
        from heatclient.common import template_utils
        from keystoneauth1 import session
        from keystoneauth1.identity.generic import password
        from oslo_config import cfg
        from oslo_messaging.rpc import dispatcher

        self.context, self.stacks, self.template_utils, self.dispatcher = context, stack, template_utils, dispatcher
        self.resource_object, self.event_object, self.deployments, self.stack_object = resource, event, software_deployment, stack_object
        folder = tempfile.mkdtemp(prefix="hotplate-heat-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        cfg.CONF([], project="heat", prog="heat-engine", default_config_files=[])
        nowhere = "http://127.0.0.1:1"
        for group, name, value in (
                ("database", "connection", f"sqlite:///{folder}/heat.db?timeout=60"), ("database", "sqlite_synchronous", False), (None, "convergence_engine", True), (None, "deferred_auth_method", "password"),
                (None, "auth_encryption_key", "0123456789abcdef0123456789abcdef"), (None, "region_name_for_services", "RegionOne"), (None, "client_retry_limit", 0),
                (None, "enable_stack_adopt", True), (None, "enable_stack_abandon", True), (None, "stack_user_domain_id", "stacks"), (None, "stack_domain_admin", "admin"),
                (None, "stack_domain_admin_password", "secret"), (None, "heat_metadata_server_url", nowhere), (None, "heat_waitcondition_server_url", f"{nowhere}/v1/waitcondition"),
                (None, "max_stacks_per_tenant", -1), ("clients_keystone", "auth_uri", f"{self.cloud.url}/identity")):
            cfg.CONF.set_override(name, value, group=group)
        models.BASE.metadata.create_all(heat.db.api.get_engine())
        messaging.setup("fake://", optional=True)
        resources.initialise()
        self.environment = environment
        in_time = scheduler.Timeout.expired
        scheduler.Timeout.expired = lambda timeout: in_time(timeout) or self._is_stuck()
        scheduler.TaskRunner._sleep = lambda runner, seconds: self._wait(seconds)
        heat.common.timeutils.retry_backoff_delay = lambda attempt, scale_factor=1.0, jitter_max=0.0: 0.01 * 2 ** attempt
        time.sleep = lambda seconds: real_sleep(min(seconds, POLL))

        class Threads(service.ThreadGroupManager):
            """The engine's threads, without timers and without locks between engines."""

            def start(self, stack_id, func, *arguments, **keywords):
                return func(*arguments, **keywords)

        self.service = service.EngineService("host", "engine")
        self.service.engine_id, self.service.thread_group_mgr = "engine-1", Threads()
        self.workers = worker.WorkerService(host="host", topic="engine", engine_id="engine-1", thread_group_mgr=self.service.thread_group_mgr)
        self.workers._rpc_client = worker_client.WorkerClient()
        self.service.worker_service = self.workers
        engine_client.EngineClient.call = lambda client, ctxt, message, version=None, timeout=None: self._call(ctxt, message)
        engine_client.EngineClient.cast = lambda client, ctxt, message, version=None: self._thread(self._call, ctxt, message)
        worker_client.WorkerClient.cast = lambda client, ctxt, message, version=None: self._thread(getattr(self.workers, message[0]), ctxt, **message[1])
        plugin = password.Password(self.cloud.auth_url, username="user", password="secret", project_name="project", user_domain_id="default", project_domain_id="default")
        self.access = plugin.get_access(session.Session(auth=plugin))

    # ---- threads for messages

    def _call(self, ctxt, message):
        method, keywords = message
        try:
            return getattr(self.service, method)(ctxt, **keywords)
        except self.dispatcher.ExpectedException as expected:
            raise expected.exc_info[1] from None

    def _thread(self, function, *arguments, **keywords):
        priority, resource = 5, keywords.get("resource_id")
        if "is_update" in keywords:
            is_update = keywords["is_update"]
            priority = {"fifo": 5, "delete-first": 6 if is_update else 4, "create-first": 4 if is_update else 6}[self.order]

        def run():
            self.turn.local.priority = priority
            with self.turn:
                if resource is not None:
                    self.turn.local.who = self.turn.who = self._path(resource) + ("" if keywords["is_update"] else " (cleanup)")
                    self.turn.local.row = resource
                try:
                    function(*arguments, **keywords)
                except BaseException as error:  # what a message cannot do is known at the end of the step
                    self.errors.append(repr(error)[:400])

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        # Whoever waits for the threads waits for the one that runs here, so this one is in the list in time.
        self.threads.append(thread)

    def _path(self, identifier):
        """The names that lead from the root stack to a resource."""
        row = self.resource_object.Resource.get_obj(self.request(), identifier)
        names, stack = [row.name], row.stack_id
        while stack:
            held = self.stack_object.Stack.get_by_id(self.request(), stack, show_deleted=True)
            if held is None or not held.owner_id:
                break
            names.insert(0, held.parent_resource_name or "?")
            stack = held.owner_id
        return "/".join(names)

    def _wait(self, seconds):
        if seconds is not None:
            if self.agents:
                self._agent()
            self.turn.release()
            real_sleep(min(seconds, POLL))
            self.turn.acquire()

    def _is_stuck(self):
        """Whether the thread waits for what does not come: the stack would time out in an hour. The service refuses the same request again and
        again, or nothing changed while this thread waited many times."""
        writes = self.cloud.writes(-400)
        mine = [entry for entry in writes if entry["who"] == self.turn.who][-PATIENCE:]
        if len(mine) == PATIENCE and all(entry["status"] >= 400 and (entry["method"], entry["path"], entry["body"]) == (mine[0]["method"], mine[0]["path"], mine[0]["body"]) for entry in mine):
            return True
        key, seen = threading.get_ident(), self.cloud.written
        number, before = self.waits.get(key, (0, None))
        self.waits[key] = (number + 1 if before == seen else 0, seen)
        return self.waits[key][0] > 60 * PATIENCE

    def _agent(self):
        """What runs on the servers: os-collect-config runs what is deployed and signals, if the server has a network, and the program that
        a wait condition waits for signals as often as it expects."""
        for one in self.deployments.SoftwareDeployment.get_all(self.request()):
            if one.status == "IN_PROGRESS" and self.cloud.where("ports", device_id=one.server_id):
                self.cloud.mark(f"agent ran {one.action} of a deployment")
                self.service.signal_software_deployment(self.request(), one.id, {"deploy_status_code": 0}, None)
        row = getattr(self.turn.local, "row", None)
        held = row and self.resource_object.Resource.get_obj(self.request(), row)
        if not held or row in self.signaled:
            return
        stack = self.stacks.Stack.load(self.request(), stack_id=held.stack_id)
        waiting = stack.resources.get(held.name)
        if waiting is not None and waiting.type().endswith("::WaitCondition"):
            self.signaled.add(row)
            handle = stack.resource_by_refid(waiting.properties[waiting.HANDLE])
            count = int(waiting.properties.get(waiting.COUNT) or 1)
            names = ("Status", "UniqueId", "Data", "Reason") if waiting.type().startswith("AWS") else ("status", "id", "data", "reason")
            for number in range(count):
                self.service.resource_signal(self.request(), dict(stack.identifier()), handle.name, dict(zip(names, ("SUCCESS", str(number), "done", ""))), True)

    def _settle(self):
        while self.threads:
            self.threads.pop().join()

    # ---- what a client asks

    def request(self):
        """The context of a request of the user."""
        return self.context.RequestContext(
            auth_token=self.access.auth_token, auth_token_info={"token": self.access._data["token"]}, auth_url=self.cloud.auth_url, username="user", password="secret",
            user_id=self.access.user_id, project_id=self.access.project_id, project_name="project", user_domain_id="default", project_domain_id="default", roles=["admin", "member"],
            region_name="RegionOne")

    def read(self, template, environments=(), parameters=None):
        """A template with its environments and files as Heat's client sends them."""
        files, body = self.template_utils.get_template_contents(str(template))
        more, environment = self.template_utils.process_multiple_environments_and_files([str(each) for each in environments])
        files.update(more)
        files = {key: each.decode(errors="replace") if isinstance(each, bytes) else each for key, each in files.items()}
        environment.setdefault("parameters", {}).update(parameters or {})
        return body, environment, files

    def stack(self, name=None):
        """A stack that does not exist yet."""
        self.numbers += 1
        return Stack(self, name or f"s{self.numbers}")


class Stack:
    """A stack, and what was done to it. Each action ends when the engine is done, and answers with the state of the stack (`state`)."""

    def __init__(self, engine, name):
        self.engine, self.name, self.identity = engine, name, None

    def create(self, template, environments=(), parameters=None, rollback=False, adopt=None):
        """Creates the stack, or adopts what a stack left."""
        args = {"disable_rollback": not rollback, **({"adopt_stack_data": adopt} if adopt else {})}
        return self._act(lambda service, request, contents: self._keep(service.create_stack(request, self.name, *contents, args)), self.engine.read(template, environments, parameters))

    def _keep(self, identity):
        self.identity = identity

    def update(self, template, environments=(), parameters=None, rollback=False, order="fifo", converge=False):
        """Updates the stack. `order` is that of messages whose order Heat does not promise."""
        args = {"disable_rollback": not rollback, **({"converge": True} if converge else {})}
        self.engine.order = order
        return self._act(lambda service, request, contents: service.update_stack(request, dict(self.identity), *contents, args), self.engine.read(template, environments, parameters))

    def preview(self, template, environments=(), parameters=None):
        """What Heat says that an update would do."""
        with self.engine.turn:
            return self.engine.service.preview_update_stack(self.engine.request(), dict(self.identity), *self.engine.read(template, environments, parameters), {})

    def delete(self):
        """Deletes the stack."""
        return self._act(lambda service, request, _: service.delete_stack(request, dict(self.identity)))

    def check(self):
        """Looks after every resource."""
        return self._act(lambda service, request, _: service.stack_check(request, dict(self.identity)))

    def suspend(self):
        """Suspends the stack."""
        return self._act(lambda service, request, _: service.stack_suspend(request, dict(self.identity)))

    def resume(self):
        """Resumes the stack."""
        return self._act(lambda service, request, _: service.stack_resume(request, dict(self.identity)))

    def signal(self, resource, details=None):
        """Signals a resource."""
        return self._act(lambda service, request, _: service.resource_signal(request, dict(self.identity), resource, details or {}, True))

    def export(self):
        """The stack as `openstack stack export` prints it."""
        with self.engine.turn:
            return self.engine.service.export_stack(self.engine.request(), dict(self.identity))

    def abandon(self):
        """Forgets the stack, and answers with what `openstack stack abandon` prints."""
        with self.engine.turn:
            saved = self.engine.service.abandon_stack(self.engine.request(), dict(self.identity))
        self.engine._settle()
        return saved

    def _act(self, action, contents=None):
        engine = self.engine
        engine.errors = []
        try:
            with engine.turn:
                action(engine.service, engine.request(), contents)
        except engine.dispatcher.ExpectedException as expected:
            engine._settle()
            return {"action": "REFUSED", "status": "FAILED", "reason": str(expected.exc_info[1])}
        except Exception as error:  # a refusal that the engine did not expect
            engine._settle()
            return {"action": "REFUSED", "status": "FAILED", "reason": f"{type(error).__name__}: {error}"}
        engine._settle()
        return self.state()

    # ---- what is left

    def load(self):
        """The stack as the engine has it."""
        return self.engine.stacks.Stack.load(self.engine.request(), stack_id=self.identity["stack_id"], show_deleted=True)

    def state(self):
        """Action, status, reason, and what went wrong in a thread."""
        with self.engine.turn:
            stack = self.load()
        return {"action": stack.action, "status": stack.status, "reason": stack.status_reason or "", **({"errors": self.engine.errors} if self.engine.errors else {})}

    def resources(self):
        """Each resource, also of nested stacks, by its path: type, row, physical identifier, action, status, reason."""
        found = {}

        def walk(stack, prefix):
            for name, resource in sorted(stack.items()):
                found[prefix + name] = {"type": resource.type(), "row": resource.id, "id": resource.resource_id, "action": resource.action, "status": resource.status, "reason": resource.status_reason}
                if resource.resource_id and hasattr(resource, "nested") and resource.nested():
                    walk(resource.nested(), f"{prefix}{name}/")

        with self.engine.turn:
            walk(self.load(), "")
        return found

    def outputs(self):
        """The values of the outputs, or the error of one."""
        found, service, request = {}, self.engine.service, self.engine.request()
        with self.engine.turn:
            for each in service.list_outputs(request, dict(self.identity)):
                shown = service.show_output(request, dict(self.identity), each["output_key"])
                found[each["output_key"]] = shown.get("output_error") or shown.get("output_value")
        return found

    def events(self, since=0):
        """The events of the stack and of nested ones from a position on: path, action, status, reason."""
        with self.engine.turn:
            rows, prefixes = [], {self.identity["stack_id"]: ""}
            request = self.engine.request()
            for one in self.engine.stack_object.Stack.get_all_by_root_owner_id(request, self.identity["stack_id"]):
                prefixes[one.id] = f"{one.parent_resource_name}/"
            for identifier, prefix in prefixes.items():
                rows += [(each.id, prefix + (each.resource_name or ""), each.resource_action, each.resource_status, each.resource_status_reason) for each in
                         self.engine.event_object.Event.get_all_by_stack(request, identifier)]
        return [row[1:] for row in sorted(rows) if row[0] > since], max((row[0] for row in rows), default=since)


def main(arguments):
    """Runs the steps, and prints what happened."""
    parser = argparse.ArgumentParser(prog="tools/heat_stack.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("steps", nargs="+", metavar="STEP")
    parser.add_argument("-e", dest="environments", action="append", default=[], metavar="FILE")
    parser.add_argument("-P", dest="parameters", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--fail", action="append", default=[], metavar="RULE")
    parser.add_argument("--polls", type=int, default=0)
    parser.add_argument("--api", default="2.96")
    parser.add_argument("--json", action="store_true", help="the objects as they are, and resources and outputs, as one JSON document")
    options = parser.parse_args(arguments)
    parameters = dict(each.split("=", 1) for each in options.parameters)
    with Cloud(polls=options.polls, api=options.api) as cloud:
        for rule in options.fail:
            cloud.fail(rule)
        engine = Engine(cloud)
        stack, seen, steps = engine.stack("s"), 0, []
        for step in options.steps:
            if not options.json:
                print(f"==== {step[:200]}")
            before = len(cloud.journal)
            state = run(stack, step, options.environments, parameters)
            events, seen = stack.events(seen) if stack.identity else ([], seen)
            lines = journal_lines(cloud, before)
            steps.append({"step": step, "state": state, "events": events, "journal": lines})
            if not options.json:
                for path, action, status, reason in events:
                    print(f"event {path or 'stack'}: {action} {status}{f' ({reason})' if reason and 'state changed' not in reason else ''}")
                print("\n".join(lines))
                print(f"state {json.dumps(state)}")
        alive = stack.identity and steps[-1]["state"].get("action") not in ("DELETE", "ABANDON")
        if options.json:
            print(json.dumps({"steps": steps, "dump": canonical(cloud), "objects": cloud.objects, "unmodeled": cloud.unmodeled, **({"resources": stack.resources(), "outputs": stack.outputs()} if alive else {})},
                             indent=1, default=str))
        else:
            print(f"==== dump\n{json.dumps(canonical(cloud), indent=1)}")
            for each in cloud.unmodeled:
                print(f"not modeled: {each}")


def run(stack, step, environments=(), parameters=None):
    """One step of the command line."""
    verb, _, rest = step.partition(":")
    engine = stack.engine
    if verb in ("create", "update", "adopt", "preview"):
        path, *flags = rest.split(":")
        common = (path, environments, parameters)
        order = next((flag for flag in flags if flag in ("create-first", "delete-first")), "fifo")
        if verb == "preview":
            return stack.preview(*common)
        if verb == "update":
            return stack.update(*common, rollback="rollback" in flags, order=order, converge="converge" in flags)
        saved = next((pathlib.Path(flag).read_text(encoding="utf-8") for flag in flags if flag.endswith(".json")), None)
        return stack.create(*common, rollback="rollback" in flags, adopt=saved)
    if verb == "signal":
        name, _, details = rest.partition(":")
        return stack.signal(name, json.loads(details or "{}"))
    if verb == "put":
        for collection, identifier, fields in json.loads(rest):
            engine.cloud.put(collection, identifier, **fields)
    elif verb == "fail":
        engine.cloud.fail(rest)
    elif verb == "agent":
        engine.agents = True
    elif verb == "timeout":
        limit(engine, int(rest))
    elif verb == "abandon":
        print(json.dumps(stack.abandon(), default=str))
        return {"action": "ABANDON", "status": "COMPLETE"}
    elif verb in ("check", "suspend", "resume", "delete"):
        return getattr(stack, verb)()
    else:
        raise SystemExit(f"tools/heat_stack.py: unknown step {step}")
    return {}


def limit(engine, seconds):
    """The time that a stack has; an hour for Heat."""
    engine.stacks.Stack.timeout_secs = lambda self: seconds


if __name__ == "__main__":
    main(sys.argv[1:])
