//! Tasks of Ansible that deploy a template: `os_stack` and `openstack.cloud.stack`.

use std::path::Path;

use lossless_yaml::{Document, NodeId, NodeKind};

use super::commands::DeployCommand;

/// The names of the module.
const MODULES: [&str; 3] = ["os_stack", "openstack.cloud.stack", "openstack.cloud.os_stack"];
/// The beginning of a path in a playbook that starts from the folder of the playbook or role.
const FOLDERS: [&str; 4] = ["playbook_dir", "role_path", "inventory_dir", "zuul.project.src_dir"];

/// The tasks of a document that deploy a template.
pub(crate) fn tasks_of(file: &Path, document: &Document) -> Vec<DeployCommand> {
    let mut found = Vec::new();
    let mut open: Vec<NodeId> = document.root().into_iter().collect();
    // Aliases in a playbook may repeat a task: the work is bounded by the nodes.
    let mut left = document.nodes().len();
    while let Some(node) = open.pop() {
        if left == 0 {
            break;
        }
        left -= 1;
        match document.kind(node) {
            NodeKind::Mapping(_) => {
                for entry in document.entries(node) {
                    let is_module = document.str(entry.key).is_some_and(|it| MODULES.contains(&it));
                    if is_module {
                        found.extend(task(file, document, entry.key, entry.value));
                    }
                    open.push(entry.value);
                }
            }
            NodeKind::Sequence(_) => open.extend(document.items(node)),
            _ => {}
        }
    }
    found.sort_by_key(|task| task.line);
    found
}

fn task(file: &Path, document: &Document, key: NodeId, value: NodeId) -> Option<DeployCommand> {
    let text = |name: &str| document.get(value, name).and_then(|node| document.str(node));
    if text("state") == Some("absent") {
        return None;
    }
    let environments = match document.get(value, "environment") {
        Some(node) => match document.str(node) {
            Some(one) => vec![path(one)],
            None => {
                document.items(node).iter().filter_map(|it| document.str(*it)).map(path).collect()
            }
        },
        None => Vec::new(),
    };
    let parameters = document.get(value, "parameters");
    let parameters = parameters.map_or(&[][..], |node| document.entries(node)).iter();
    Some(DeployCommand {
        file: file.to_owned(),
        line: document.position(document.span(key).start).line as usize,
        folder: None,
        template: path(text("template")?),
        environments,
        parameters: parameters.filter_map(|it| document.str(it.key)).map(str::to_owned).collect(),
    })
}

/// A path without the variable for the folder that it starts from.
fn path(written: &str) -> String {
    let rest = written.trim().strip_prefix("{{").and_then(|rest| rest.split_once("}}"));
    match rest {
        Some((variable, rest)) if FOLDERS.contains(&variable.trim()) => {
            rest.trim_start_matches('/').to_owned()
        }
        _ => written.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_of_each_module_are_read() {
        let text = "\
- hosts: all
  tasks:
    - os_stack: {name: a, template: a.yaml, environment: [b.yaml, '{{ playbook_dir }}/c.yaml']}
    - block:
        - openstack.cloud.stack:
            name: d
            template: \"{{ role_path }}/files/d.yaml\"
            environment: e.yaml
            parameters: {n: 1}
    - os_stack: {name: a, state: absent, template: a.yaml}
";
        let document =
            lossless_yaml::read(source_diagnostics::SourceId(0), text.into(), &Default::default());
        let tasks = tasks_of(Path::new("site.yml"), &document.expect("YAML"));
        let shown =
            tasks.iter().map(|it| (it.line, it.template.as_str(), it.environments.join(" ")));
        let expected =
            [(3, "a.yaml", "b.yaml c.yaml".to_owned()), (5, "files/d.yaml", "e.yaml".to_owned())];
        assert!(shown.eq(expected), "{tasks:?}");
        assert_eq!(tasks[1].parameters, ["n"]);
    }
}
