"""`openstack stack plan`: what an update would do to a running stack."""

import argparse
import contextlib
import functools
import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile

from heatclient import exc
from keystoneauth1.exceptions import ClientException
from osc_lib.command import command

# More levels than Heat nests: it returns as many as its configuration allows.
NESTED_DEPTH = 99
# The exit status of hotplate if it cannot compare. A failed read has the same, since 1 stands for differences.
FAILED = 2
READ_ERRORS = (exc.BaseException, ClientException)

# The options that `hotplate diff` takes, each as it is: flags, the name of the value, help.
DEPLOYMENT = (
    (("-e", "--environment"), "<environment>",
     "An environment file in place of the environment of the stack; with several, they are merged in order"),
    (("--parameter",), "<key=value>", "A parameter with a new value; can be given several times"),
    (("--parameter-file",), "<key=file>", "A parameter whose new value is the content of a file; can be given several times"),
)
EXISTING = (
    (("--clear-parameter",), "<parameter>", "A parameter that does not keep its value; can be given several times"),
)
REPORT = (
    (("--fail-on",), "<impact,...>",
     "What makes the exit status 1, such as replace,delete,refused,widen,data-loss; by default, any difference"),
    (("--allow",), "<type|name[:impact]>", "Permit changes of resources of a type or with a name, or only one impact on them"),
    (("--format",), "<format>", "The format of the report: text, json, markdown, html, sarif, junit, ..."),
    (("-o", "--output"), "<format=file>", "Also write the report in another format to a file"),
)

DESCRIPTION = """Show what an update would do to each resource of a running stack

Nothing is updated. The command reads the stack as the user who is logged in,
with GET requests: the stack (without its outputs), its template, its
environment, its included files, and the list of its resources with those of
nested stacks. Then it runs `hotplate diff` on these and the new template.

Without -e, the environment and the parameters that are not given stay as they
are, as with `openstack stack update --existing`. With -t and -e, the new
environments replace that of the stack; with -e alone, or with --existing,
they are merged into it. Without -t, the template stays. --clear-parameter
implies --existing: the parameter has its default again, or none.

Not read: outputs, events, snapshots, metadata and attributes of resources,
and anything from Nova, Neutron and other services, so that changes made
outside of Heat are not seen. Heat returns stars for hidden parameters: their
values are unknown unless --parameter gives them. URLs in the new template are
not fetched.

What is read is in a private temporary folder, which is removed at the end.
With --keep, it stays, as a side for `hotplate diff`, `eval` and `render`. It
contains no values of hidden parameters, but secrets that the template, its
files or other parameters contain."""

EPILOG = """exit status:
  0  no differences, or none of those of --fail-on
  1  differences; or the OpenStack client itself failed, as with a wrong
     password
  2  the stack cannot be read, or the sides cannot be compared

examples:
  openstack stack plan web -t web.yaml
  openstack stack plan web -t web.yaml -e prod.yaml
  openstack stack plan web --parameter flavor=m1.large
  openstack stack plan web -t web.yaml --fail-on dangerous
  openstack stack plan web -t web.yaml --format markdown -o html=plan.html
  openstack stack plan web -t web.yaml --keep saved"""


class PlanFailed(Exception):
    """Why there is no plan, in a sentence."""


class PlanStack(command.Command):
    __doc__ = DESCRIPTION

    def get_epilog(self):
        return "\n\n".join(filter(None, [EPILOG, super().get_epilog()]))

    def get_parser(self, prog_name):
        parser = super().get_parser(prog_name)
        # The lines of the description and of the examples stay as they are.
        parser.formatter_class = argparse.RawDescriptionHelpFormatter
        parser.add_argument("stack", metavar="<stack>", help="Name or ID of the running stack")
        parser.add_argument("-t", "--template", metavar="<template>",
                            help="Path of the new template, or - for standard input; by default, that of the stack")
        parser.add_argument("--existing", action="store_true",
                            help="Merge -e into the environment of the stack, as without -t or -e")
        for flags, metavar, text in (*DEPLOYMENT, *EXISTING, *REPORT):
            parser.add_argument(*flags, metavar=metavar, action="append", default=[], help=text)
        parser.add_argument("--stat", action="store_true", help="Print one line for each resource that differs, and the total")
        parser.add_argument("--keep", metavar="<folder>", help="Keep what was read in a new folder, which only its owner can read")
        return parser

    def take_action(self, parsed_args):
        try:
            program = find_hotplate()
            stack = read_stack(self.app.client_manager.orchestration, parsed_args.stack)
            with private_folder(parsed_args.keep) as folder:
                save(stack, folder)
                return compare(program, folder, parsed_args)
        except PlanFailed as failure:
            print("error: {}".format(failure), file=sys.stderr)
            return FAILED


def find_hotplate():
    """The program of the same installation, or else the first one of the search path."""
    name = "hotplate.exe" if os.name == "nt" else "hotplate"
    beside = (os.path.join(folder, name) for folder in (sysconfig.get_path("scripts"), os.path.dirname(sys.argv[0])))
    for path in filter(None, (*filter(os.path.isfile, beside), shutil.which("hotplate"))):
        return path
    raise PlanFailed("the program `hotplate` is missing: install it with `pip install hotplate`, or add its folder to PATH")


def read_stack(client, name):
    """What Heat returns of a stack, in the form that the commands of OpenStack's client print."""
    try:
        stack = client.stacks.get(name, resolve_outputs=False)
    except exc.HTTPNotFound:
        raise PlanFailed("there is no stack `{}` in this project and region".format(name))
    except READ_ERRORS as error:
        raise PlanFailed("cannot read the stack `{}`: {}".format(name, sentence(error)))
    parts = {"stack": {key: value for key, value in stack.to_dict().items() if key != "outputs"}}
    calls = {
        "template": client.stacks.template,
        "environment": client.stacks.environment,
        "files": client.stacks.files,
        "resources": functools.partial(client.resources.list, nested_depth=NESTED_DEPTH),
    }
    for part, call in calls.items():
        try:
            parts[part] = call(stack.identifier)
        except READ_ERRORS as error:
            raise PlanFailed("cannot read the {} of the stack `{}`: {}".format(part, name, sentence(error)))
    parts["resources"] = [dict(it.to_dict(), stack_name=it.stack_name) for it in parts["resources"]]
    return parts


def sentence(error):
    """What an error says, with the status of the answer."""
    text = str(error)
    text = text[len("ERROR: "):] if text.startswith("ERROR: ") else text
    code = getattr(error, "code", None) or getattr(error, "http_status", None)
    return "{} (HTTP {})".format(text, code) if code else text


def save(parts, folder):
    """Writes each part to a file that only its owner can read."""
    for part, content in parts.items():
        handle = os.open(os.path.join(folder, part + ".json"), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(handle, "w", encoding="utf-8") as file:
            json.dump(content, file, indent=2)


@contextlib.contextmanager
def private_folder(kept):
    """A folder that only its owner can read: a new one of that name, or one that is removed at the end, also after a signal."""
    if kept is not None:
        try:
            os.mkdir(kept, 0o700)
        except OSError as error:
            raise PlanFailed("cannot create the folder `{}`: {}".format(kept, error.strerror))
        yield kept
        return

    def stop(number, _frame):
        sys.exit(128 + number)

    signals = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    previous = {number: signal.signal(number, stop) for number in signals}
    try:
        with tempfile.TemporaryDirectory(prefix="hotplate-plan-") as folder:
            yield folder
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def compare(program, folder, parsed_args):
    """The exit status of `hotplate diff`, which prints to the output of this process."""
    options = []
    for flags, _metavar, _text in (*DEPLOYMENT, *EXISTING, *REPORT):
        name = flags[-1]
        values = getattr(parsed_args, name[2:].replace("-", "_"))
        options += ["{}={}".format(name, value) for value in values]
    options += ["--stat"] * parsed_args.stat
    # Without it, Heat ignores which parameters are cleared.
    options += ["--existing"] * (parsed_args.existing or bool(parsed_args.clear_parameter))
    sys.stdout.flush()
    try:
        status = subprocess.call([program, "diff", *options, "--", folder, parsed_args.template or folder])
    except OSError as error:
        raise PlanFailed("cannot run `{}`: {}".format(program, error.strerror))
    # After a signal, as a shell shows it.
    return status if status >= 0 else 128 - status
