"""Repositories as people lay them out: names, folders, command lines, CI files, tasks, registries; each with the deployments that a person would name."""


def template(*required, types=(), **defaults):
    """A template with required parameters, with defaults, and with a resource of each type."""
    lines = ["heat_template_version: 2018-08-31"]
    if required or defaults:
        lines.append("parameters:")
    lines += [f"  {name}: {{type: string}}" for name in required]
    lines += [f"  {name}: {{type: string, default: {value}}}" for name, value in defaults.items()]
    lines.append("resources:")
    lines += [f"  r{at}: {{type: {kind}}}" for at, kind in enumerate(types or ("OS::Heat::RandomString",))]
    return "\n".join(lines) + "\n"


def environment(*parameters, registry=None, defaults=()):
    """An environment that gives parameters and maps types."""
    lines = []
    if parameters:
        lines += ["parameters:", *(f"  {name}: x" for name in parameters)]
    if defaults:
        lines += ["parameter_defaults:", *(f"  {name}: x" for name in defaults)]
    if registry:
        lines += ["resource_registry:", *(f"  {kind}: {target}" for kind, target in registry.items())]
    return "\n".join(lines) + "\n"


WEB = template("key", size="small")
KEY = environment("key")
COMMAND = "openstack stack create -t web.yaml -e prod.yaml demo\n"
TASK = "- hosts: localhost\n  tasks:\n    - {module}:\n        name: demo\n        template: {template}\n        environment: [{environment}]\n"


def layouts():
    """(name, files, the deployments as (template, environments), the templates for which several environments fit)."""
    # Names.
    for name in ("web.env", "web.env.yaml", "web-env.yaml", "web_env.yml", "web_params.yaml", "web-parameters.yaml", "web.environment", "web.params", "env-web.yaml", "env/web.yaml", "environments/web.yaml", "parameters/web.yml", "envs/web.env"):
        yield f"name {name}", {"web.yaml": WEB, name: KEY, "other.yaml": template("name")}, [("web.yaml", (name,))], []
    yield "templates beside environments", {"templates/web.yaml": WEB, "environments/web.yaml": KEY}, [("templates/web.yaml", ("environments/web.yaml",))], []
    yield "a name for each template", {"web.yaml": WEB, "web.env": KEY, "db.yaml": WEB, "db.env": KEY}, [("db.yaml", ("db.env",)), ("web.yaml", ("web.env",))], []
    yield "labels", {"web.yaml": WEB, "web-prod.env": KEY, "web-test.env": KEY}, [("web.yaml", ("web-prod.env",)), ("web.yaml", ("web-test.env",))], []
    yield "a label that is a template", {"web.yaml": template(), "web-db.yaml": WEB, "web-db.env": KEY}, [("web-db.yaml", ("web-db.env",))], []
    yield "labels and a base that is incomplete", {"web.yaml": template("key", "net"), "web.env": environment("net"), "web-prod.env": KEY}, [], ["web.yaml"]
    yield "labels and a base that is one of them", {"web.yaml": WEB, "web.env": KEY, "web-test.env": KEY}, [("web.yaml", ("web.env",)), ("web.yaml", ("web-test.env",))], []
    yield "a registry and parameters of one name", {"web.yaml": template("key", types=("My::Server",)), "server.yaml": template(), "web.env": environment(registry={"My::Server": "server.yaml"}), "web-params.yaml": KEY}, [("web.yaml", ("web.env", "web-params.yaml"))], []
    yield "two files of one name", {"web.yaml": WEB, "web.env": KEY, "web_params.yaml": environment("key", "size")}, [], ["web.yaml"]
    yield "in another folder", {"a/web.yaml": WEB, "b/web.env": KEY}, [], []
    # Content.
    yield "the only environment", {"stack/web.yaml": template("key", "net"), "stack/lab.yaml": KEY}, [("stack/web.yaml", ("stack/lab.yaml",))], []
    yield "an environment that gives all", {"web.yaml": WEB, "lab.yaml": KEY, "net.yaml": template("cidr")}, [("web.yaml", ("lab.yaml",))], []
    yield "environments/prod and test", {"web.yaml": WEB, "environments/prod.yaml": KEY, "environments/test.yaml": KEY}, [("web.yaml", ("environments/prod.yaml",)), ("web.yaml", ("environments/test.yaml",))], []
    yield "environments of different kinds", {"web.yaml": WEB, "env/a.yaml": KEY, "env/b.yaml": environment("key", "size")}, [], ["web.yaml"]
    yield "a shared environment", {"web.yaml": WEB, "db.yaml": WEB, "common.yaml": KEY}, [("db.yaml", ("common.yaml",)), ("web.yaml", ("common.yaml",))], []
    yield "an environment of something else", {"web.yaml": WEB, "lab.yaml": environment("key", "flavor")}, [], []
    yield "half of the parameters in each of two", {"web.yaml": template("key", "net"), "a.yaml": KEY, "b.yaml": environment("net")}, [], ["web.yaml"]
    yield "defaults for everybody", {"web.yaml": WEB, "web.env": environment(defaults=("key", "other"))}, [("web.yaml", ("web.env",))], []
    # Registries.
    mapped = {"web.yaml": template(types=("My::Server",)), "lib/server.yaml": template("key")}
    yield "a registry", {**mapped, "registry.yaml": environment(registry={"My::Server": "lib/server.yaml"})}, [("web.yaml", ("registry.yaml",))], []
    yield "a registry with a pattern", {**mapped, "registry.yaml": environment(registry={'"My::*"': "lib/server.yaml"})}, [("web.yaml", ("registry.yaml",))], []
    yield "a registry in a folder of environments", {**mapped, "env/registry.yaml": environment(registry={"My::Server": "../lib/server.yaml"})}, [("web.yaml", ("env/registry.yaml",))], []
    yield "a registry and parameters", {"web.yaml": template("key", types=("My::Server",)), "lib/server.yaml": template(), "registry.yaml": environment(registry={"My::Server": "lib/server.yaml"}), "web.env": KEY}, [("web.yaml", ("registry.yaml", "web.env"))], []
    yield "a registry that leads to types of another one", {"web.yaml": template(types=("My::App",)), "lib/app.yaml": template(types=("My::Server",)), "lib/server.yaml": template(), "a.yaml": environment(registry={"My::App": "lib/app.yaml"}), "b.yaml": environment(registry={"My::Server": "lib/server.yaml"})}, [("web.yaml", ("a.yaml", "b.yaml"))], []
    yield "two registries", {**mapped, "a.yaml": environment(registry={"My::Server": "lib/server.yaml"}), "b.yaml": environment(registry={"My::Server": "OS::Nova::Server"})}, [], ["web.yaml"]
    yield "the nearer registry", {"a/web.yaml": template(types=("My::Server",)), "a/registry.yaml": environment(registry={"My::Server": "OS::Nova::Server"}), "b/registry.yaml": environment(registry={"My::Server": "OS::Nova::Server"}), "b/app.yaml": template(types=("My::Server",))}, [("a/web.yaml", ("a/registry.yaml",)), ("b/app.yaml", ("b/registry.yaml",))], []
    yield "a registry that needs what is not declared", {**mapped, "registry.yaml": environment("flavor", registry={"My::Server": "lib/server.yaml"})}, [], []
    yield "a type of the members of a group", {"web.yaml": "heat_template_version: 2018-08-31\nresources:\n  g: {type: OS::Heat::ResourceGroup, properties: {count: 2, resource_def: {type: My::Server}}}\n", "lib/server.yaml": template(), "registry.yaml": environment(registry={"My::Server": "lib/server.yaml"})}, [("web.yaml", ("registry.yaml",))], []
    yield "nested only", {"web.yaml": template(types=("server.yaml",)), "server.yaml": WEB, "server.env": KEY}, [], []
    # Command lines.
    project = {"web.yaml": WEB, "prod.yaml": KEY, "test.yaml": KEY}
    for file, text in {
        "README.md": f"Run it:\n\n```\n$ {COMMAND}```\n",
        "README.rst": f"Run ``{COMMAND.strip()}``.\n",
        "docs/install.md": "    openstack stack create \\\n      --template web.yaml \\\n      --environment prod.yaml demo\n",
        "Makefile": f"deploy:\n\t@{COMMAND}",
        "deploy.sh": f"#!/bin/sh\nset -e\n{COMMAND}",
        "scripts/deploy.sh": f"#!/bin/sh\ncd \"$(dirname $0)/..\"\n{COMMAND}",
        ".gitlab-ci.yml": f"deploy:\n  script:\n    - {COMMAND}",
        ".github/workflows/deploy.yml": f"jobs:\n  deploy:\n    steps:\n      - run: |\n          set -e\n          {COMMAND}",
        ".zuul.yaml": f"- job:\n    name: deploy\n    run: \"{COMMAND.strip()}\"\n",
        "tox.ini": f"[testenv:deploy]\ncommands = {COMMAND}",
        "Jenkinsfile": f"sh '{COMMAND.strip()}'\n",
        "old.md": "heat stack-create demo -f web.yaml -e prod.yaml\n",
    }.items():
        yield f"a command in {file}", {**project, file: text}, [("web.yaml", ("prod.yaml",))], []
    yield "two commands", {**project, "README.md": COMMAND + COMMAND.replace("prod", "test")}, [("web.yaml", ("prod.yaml",)), ("web.yaml", ("test.yaml",))], []
    yield "a command with two environments", {**project, "base.yaml": environment(registry={"My::Server": "OS::Nova::Server"}), "README.md": COMMAND.replace("-e ", "-e base.yaml -e ")}, [("web.yaml", ("base.yaml", "prod.yaml"))], []
    yield "a command in the folder of the template", {"heat/web.yaml": WEB, "heat/prod.yaml": KEY, "README.md": f"cd heat && {COMMAND}"}, [("heat/web.yaml", ("heat/prod.yaml",))], []
    yield "a command with variables", {"web.yaml": WEB, "db.yaml": template("name"), "prod.yaml": environment("key", "other"), "deploy.sh": "openstack stack create -t $TEMPLATE -e $ENV demo\n"}, [], []
    yield "a command with a missing file", {"web.yaml": WEB, "README.md": COMMAND.replace("prod", "my-own")}, [], []
    yield "a command for a nested template", {"web.yaml": template(types=("server.yaml",)), "server.yaml": WEB, "prod.yaml": KEY, "README.md": COMMAND.replace("web", "server")}, [("server.yaml", ("prod.yaml",))], []
    yield "a sentence that is no command", {"web.yaml": WEB, "notes.md": "The stack is created with -t web.yaml by openstack.\n"}, [], []
    # Ansible.
    for module in ("os_stack", "openstack.cloud.stack"):
        yield f"a task of {module}", {**project, "deploy.yml": TASK.format(module=module, template="web.yaml", environment="prod.yaml")}, [("web.yaml", ("prod.yaml",))], []
    yield "a role", {"roles/web/files/web.yaml": WEB, "roles/web/files/prod.yaml": KEY, "roles/web/tasks/main.yml": TASK.format(module="os_stack", template='"{{ role_path }}/files/web.yaml"', environment='"{{ role_path }}/files/prod.yaml"')}, [("roles/web/files/web.yaml", ("roles/web/files/prod.yaml",))], []
    yield "nothing", {"README.md": "# empty\n"}, [], []
