"""What Ansible makes of the expressions of playbooks: the outputs of each folder, templated by Ansible's own engine.

    ansible_values.py FOLDER... > answers.jsonl

No task is run: the variables of a play are templated as its tasks would see them, with those of `registered.json` in the folder, if it is there,
in place of what tasks would register.
"""

import json
import pathlib
import sys

from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar


def outputs(folder):
    """The outputs of the playbook in a folder, each a value or an error."""
    loader = DataLoader()
    loader.set_basedir(str(folder))

    def load(name):
        return loader.load_from_file(str(folder / name), trusted_as_template=True)

    [play] = load("site.yml")
    variables = {"playbook_dir": str(folder), "stack_name": "STACK_NAME", "project_id": "PROJECT_ID"}
    variables.update(play.get("vars") or {})
    for name in play["vars_files"]:
        variables.update(load(name))
    registered = folder / "registered.json"
    variables.update(json.loads(registered.read_text(encoding="utf-8")) if registered.exists() else {})
    facts = [task["ansible.builtin.set_fact"]["outputs"] for task in play["tasks"] if "outputs" in task.get("ansible.builtin.set_fact", {})]
    found = {}
    for name, expression in (facts[0] if facts else {}).items():
        try:
            value = Templar(loader=loader, variables=variables).template(expression)
            found[name] = {"value": json.loads(json.dumps(value))}
        except Exception as error:
            found[name] = {"error": f"{type(error).__name__}: {error}"[:300]}
    return found


if __name__ == "__main__":
    for folder in sys.argv[1:]:
        print(json.dumps(outputs(pathlib.Path(folder))), flush=True)
