//! The playbook that deletes what `site.yml` creates: the same modules with `state: absent`, in reverse order.
//!
//! It does not have what the tasks of `site.yml` registered, so it finds each object by its name.

use std::collections::BTreeSet;

use indexmap::IndexMap;

use super::names::identifier;
use super::options::{GENERIC_MODULE, TaskOptions, TaskSubject};
use super::scope::{PlaybookForm, PlaybookResource, TemplateScope};
use super::table::modules;
use super::task::title;
use super::template::TemplateTasks;
use crate::tree::{DataNode, DataTree};
use heat_template::ir::{DeletionPolicy, Resource};
use lossless_yaml::Value as Data;

/// The tasks that delete what a template creates.
#[derive(Debug, Default)]
pub(super) struct Teardown {
    /// Tasks that set facts which names need, in order.
    pub(super) facts: Vec<DataTree>,
    /// The deletions, in the order of the creations.
    pub(super) deletions: Vec<DataTree>,
    /// The `name` options of objects, by the expressions of their IDs.
    names: IndexMap<String, DataTree>,
}

impl Teardown {
    /// All tasks, in the order in which they run.
    pub(super) fn into_tasks(self) -> Vec<DataTree> {
        self.facts.into_iter().chain(self.deletions.into_iter().rev()).collect()
    }
}

impl TemplateScope<'_> {
    /// Adds the task that deletes an object; `options` are those of the task that creates it, `keywords` what
    /// follows them.
    pub(super) fn add_deletion(
        &self,
        subject: &TaskSubject<'_>,
        made: &PlaybookResource,
        options: &TaskOptions,
        keywords: &[(String, DataTree)],
    ) {
        let module = subject.mapping.to.as_deref().unwrap_or(GENERIC_MODULE);
        let option = |name: &str| {
            let found = options.list.iter().find(|(held, _)| held == name);
            found.map(|(_, tree)| tree).filter(|it| it.kind != DataNode::Comment)
        };
        if let (Some(path), Some(name), None) =
            (&subject.mapping.reference, option("name"), &made.group)
        {
            let id = format!("{{{{ {}.{path} }}}}", made.variable);
            self.teardown.borrow_mut().names.insert(id, bare(name));
        }
        let resource = self.stack().resources.get(subject.name);
        if let Some(why) = resource.and_then(why_kept) {
            let line = format!("{} is kept: {why}.", subject.name);
            self.teardown.borrow_mut().deletions.push(DataTree::comment([line]));
            return;
        }
        let wanted: Vec<(String, DataTree)> = match module {
            GENERIC_MODULE => {
                let Some(DataNode::Map(pairs)) = option("attributes").map(|it| &it.kind) else {
                    return;
                };
                // An association ends with its address or its port.
                let Some((key, value)) =
                    pairs.iter().find(|(key, _)| key == "name" || key == "description")
                else {
                    return;
                };
                let attributes = DataTree::map([(key.as_str(), self.by_name(value))]);
                let mut list: Vec<(String, DataTree)> = ["service", "type"]
                    .iter()
                    .filter_map(|key| Some(((*key).to_owned(), bare(option(key)?))))
                    .collect();
                list.push(("attributes".to_owned(), attributes));
                list
            }
            _ => {
                let is_whole = matches!(module, "role_assignment" | "security_group_rule");
                let required = |name: &str| {
                    let option = modules().modules.get(module)?.options.get(name)?;
                    Some(option.required)
                };
                let kept = options.list.iter().filter(|(name, tree)| {
                    tree.kind != DataNode::Comment
                        && (is_whole || name == "name" || required(name) == Some(true))
                });
                kept.map(|(name, tree)| (name.clone(), self.by_name(tree))).collect()
            }
        };
        // Rules are deleted with their group.
        let is_of_group = module == "security_group_rule"
            && option("security_group")
                .is_some_and(|it| leaf_text(it).is_some_and(|it| self.is_own_reference(it)));
        if is_of_group {
            return;
        }
        let mut body = wanted;
        body.push(("state".to_owned(), DataTree::from("absent")));
        let body = DataTree::new(DataNode::Map(body));
        if module == "neutron_rbac_policy" || self.needs_results(&body) {
            let why = "it cannot be found by a name that is known before";
            let line = format!("Delete {} by hand: {why}.", subject.name);
            self.teardown.borrow_mut().deletions.push(DataTree::comment([line]));
            return;
        }
        let kind = match module {
            GENERIC_MODULE => type_words(subject.kind),
            module => words(module),
        };
        let mut keys = vec![
            ("name".to_owned(), title("Delete", &kind, subject.name)),
            (format!("{}.{module}", modules().collection), body),
        ];
        keys.extend(keywords.iter().cloned());
        self.teardown.borrow_mut().deletions.push(DataTree::new(DataNode::Map(keys)));
    }

    /// An option's value with the names of this template's objects in place of their IDs.
    fn by_name(&self, tree: &DataTree) -> DataTree {
        let teardown = self.teardown.borrow();
        let name = leaf_text(tree).and_then(|text| teardown.names.get(text));
        name.cloned().unwrap_or_else(|| bare(tree))
    }

    /// Whether a value needs what a task of the playbook registers.
    fn needs_results(&self, body: &DataTree) -> bool {
        let resources = self.resources.borrow();
        let is_result = |name: &str| {
            let mut made = resources.values().filter(|it| it.variable == name);
            made.any(|it| matches!(it.form, PlaybookForm::Object(_) | PlaybookForm::Nested(_)))
        };
        let variables = self.value_variables.borrow();
        let helpers = self.helpers.borrow();
        let direct = names(body);
        let is_variable = |name: &String| {
            variables.iter().any(|(it, _)| it == name) || helpers.iter().any(|(it, _)| it == name)
        };
        // Most bodies need none, and a copy of all for each resource would take long.
        if !direct.iter().any(is_variable) {
            return direct.iter().any(|name| is_result(name));
        }
        let mut variables = variables.clone();
        variables.extend(
            helpers.iter().map(|(name, text)| (name.clone(), DataTree::from(text.as_str()))),
        );
        let needed = needed_variables(&variables, std::slice::from_ref(body));
        let values = needed.iter().map(|(_, value)| value);
        std::iter::once(body).chain(values).flat_map(names).any(|name| is_result(&name))
    }

    /// Whether a text is the ID of an object of this template.
    fn is_own_reference(&self, text: &str) -> bool {
        self.teardown.borrow().names.contains_key(text)
    }
}

/// Why Heat does not delete a resource with its stack.
pub(super) fn why_kept(resource: &Resource) -> Option<String> {
    if resource.external_id.is_some() {
        return Some("the stack only adopts it".to_owned());
    }
    match resource.deletion_policy.as_ref()? {
        DeletionPolicy::Delete => None,
        DeletionPolicy::Retain => Some("its deletion policy is Retain".to_owned()),
        DeletionPolicy::Snapshot => {
            Some("its deletion policy is Snapshot, and the playbook takes none".to_owned())
        }
        DeletionPolicy::Other(_) => Some("its deletion policy is computed".to_owned()),
    }
}

/// A value without its comments.
fn bare(tree: &DataTree) -> DataTree {
    DataTree::new(tree.kind.clone())
}

fn leaf_text(tree: &DataTree) -> Option<&str> {
    match &tree.kind {
        DataNode::Leaf(Data::Text(text)) => Some(text),
        DataNode::Leaf(_) | DataNode::List(_) | DataNode::Map(_) | DataNode::Comment => None,
    }
}

/// The name of a module as words.
pub(super) fn words(module: &str) -> String {
    module.trim_start_matches("identity_").replace('_', " ")
}

/// The last part of a Heat type as words: `floating ip` for `OS::Neutron::FloatingIP`.
pub(super) fn type_words(kind: &str) -> String {
    words(&identifier(kind.rsplit("::").next().unwrap_or_default()))
}

/// Every word in the expressions of a tree that may be the name of a variable.
pub(super) fn names(tree: &DataTree) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    collect_names(&tree.to_value(), false, &mut found);
    found
}

fn collect_names(value: &Data, is_expression: bool, found: &mut BTreeSet<String>) {
    match value {
        Data::Text(text) if is_expression => add_words(text, found),
        Data::Text(text) => expressions(text).for_each(|(_, it)| add_words(it, found)),
        Data::List(items) => items.iter().for_each(|it| collect_names(it, is_expression, found)),
        Data::Map(pairs) => {
            for (key, value) in pairs {
                // Conditions are expressions without braces.
                let is_expression = is_expression
                    || matches!(key, Data::Text(key) if key == "when" || key == "that");
                collect_names(value, is_expression, found);
            }
        }
        _ => {}
    }
}

/// The expressions and statements in a template, with their braces and places.
pub(super) fn expressions(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = &text[at..];
        let opens = |&(start, _): &(usize, &str)| {
            matches!(rest.as_bytes().get(start + 1), Some(b'{' | b'%'))
        };
        let (start, _) = rest.match_indices('{').find(opens)?;
        let mut depth = 0_usize;
        let end = outside_literals(&rest[start..]).find(|(_, c)| {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        let end = end.map_or(rest.len(), |(end, _)| start + end + 1);
        let found = (at + start, &rest[start..end]);
        at += end;
        Some(found)
    })
}

/// The characters of code that are not part of a string literal, which has no escapes, with their places. The
/// closing quote stands for the whole literal.
pub(super) fn outside_literals(code: &str) -> impl Iterator<Item = (usize, char)> {
    let mut quote = None;
    code.char_indices().filter(move |(_, c)| match quote {
        None if matches!(c, '\'' | '"') => {
            quote = Some(*c);
            false
        }
        None => true,
        Some(end) => {
            if *c == end {
                quote = None;
            }
            *c == end
        }
    })
}

/// Adds the words outside literals that do not follow a dot.
fn add_words(code: &str, found: &mut BTreeSet<String>) {
    let code: String = outside_literals(code).map(|(_, c)| c).collect();
    let mut before = ' ';
    for word in code.split_inclusive(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
        let end = word.chars().next_back().unwrap_or(' ');
        let name = word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        if !name.is_empty() && before != '.' {
            found.insert(name.to_owned());
        }
        before = end;
    }
}

/// Every name of a variable that the deletions of templates may need.
pub(super) fn needed_names<'t>(
    templates: impl Iterator<Item = &'t TemplateTasks>,
) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for template in templates {
        let vars = needed_variables(&template.vars, &template.teardown);
        found.extend(vars.iter().flat_map(|(_, value)| names(value)));
        found.extend(template.teardown.iter().flat_map(names));
    }
    found
}

/// The variables, of those given, that tasks need, directly or for another one.
pub(super) fn needed_variables(
    variables: &[(String, DataTree)],
    tasks: &[DataTree],
) -> Vec<(String, DataTree)> {
    let mut open: Vec<String> = tasks.iter().flat_map(names).collect();
    let mut needed = BTreeSet::new();
    while let Some(name) = open.pop() {
        let value = variables.iter().find(|(held, _)| *held == name);
        if let Some((_, value)) = value
            && needed.insert(name)
        {
            open.extend(names(value));
        }
    }
    let needed = variables.iter().filter(|(name, _)| needed.contains(name));
    needed.map(|(name, tree)| (name.clone(), bare(tree))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_variables() {
        let tree = DataTree::list([
            DataTree::from("{{ stack }}-disk {{ {'a': {'b': x.y}} | f('quoted') }}"),
            DataTree::map([("when", DataTree::from("not c"))]),
            DataTree::from("plain {% if z %}text{% endif %}"),
            DataTree::from("don't {{ \"it's\" ~ v }} {{ '{{' }} {{ w | replace('}}', u) }}"),
        ]);
        let found = names(&tree);
        for name in ["stack", "x", "c", "z", "v", "w", "u"] {
            assert!(found.contains(name), "{name}: {found:?}");
        }
        for name in ["disk", "y", "quoted", "plain", "text", "don", "s"] {
            assert!(!found.contains(name), "{name}: {found:?}");
        }
    }
}
