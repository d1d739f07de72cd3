//! The saved description of an existing stack: the output of `openstack stack resource list -n 5 -f json`, or
//! of `openstack stack export`.

use indexmap::IndexMap;
use serde_json::{Map, Value};

use source_diagnostics::Diagnostic;

/// The length of the random suffix in the names that Heat generates.
const RANDOM_SUFFIX_LENGTH: usize = 12;
/// The maximum depth of nested stacks.
const MAX_STACK_DEPTH: usize = 32;

/// A stack that exists in Heat, from the file of `--adopt`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SavedStack {
    /// The name of the stack, if the file contains it.
    pub name: Option<String>,
    /// The resources by their names in the template, in the order of the file.
    pub resources: IndexMap<String, SavedResource>,
}

/// A resource of a stack that exists in Heat.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SavedResource {
    /// The physical ID; empty if it has none.
    pub id: String,
    /// The type, if the file contains it.
    pub kind: Option<String>,
    /// The nested stack of the resource.
    pub nested: Option<SavedStack>,
}

impl SavedStack {
    /// Reads a file; `name` is its path for messages.
    pub fn read(name: &str, text: &str) -> Result<SavedStack, Box<Diagnostic>> {
        let wrong = |what: String| {
            let message = format!("`{name}` {what}");
            Box::new(Diagnostic::new(crate::codes::ADOPTION_UNUSABLE, message).help(
                "save it with `openstack stack resource list -n 5 -f json STACK`, or with \
                 `openstack stack export --output-file FILE STACK`",
            ))
        };
        let value: Value = serde_json::from_str(text)
            .map_err(|error| wrong(format!("is not valid JSON: {error}")))?;
        match &value {
            Value::Array(rows) => list(rows).map_err(wrong),
            Value::Object(stack) => {
                export(stack, 0).ok_or_else(|| wrong("has no map `resources`".to_owned()))
            }
            _ => Err(wrong("is neither a list of resources nor an exported stack".to_owned())),
        }
    }

    /// The number of resources, including those of nested stacks.
    pub fn count(&self) -> usize {
        let nested = self.resources.values().filter_map(|it| it.nested.as_ref());
        self.resources.len() + nested.map(SavedStack::count).sum::<usize>()
    }
}

/// A row of a resource list, with the name of its stack.
struct SavedRow<'a> {
    stack: &'a str,
    name: &'a str,
    resource: SavedResource,
}

/// Rows contain the name of their stack. The name of a nested stack consists of its parent's name, the
/// resource and a random suffix: `PARENT-RESOURCE-x7k2m4aa5bcd`.
fn list(rows: &[Value]) -> Result<SavedStack, String> {
    let mut all = Vec::with_capacity(rows.len());
    for (index, row) in rows.iter().enumerate() {
        let text = |key: &str| row.get(key).and_then(Value::as_str);
        let Some(name) = text("resource_name") else {
            return Err(format!("has no `resource_name` in row {index}"));
        };
        let resource = SavedResource {
            id: text("physical_resource_id").unwrap_or_default().to_owned(),
            kind: text("resource_type").map(str::to_owned),
            nested: None,
        };
        all.push(SavedRow { stack: text("stack_name").unwrap_or_default(), name, resource });
    }
    let mut stacks: IndexMap<&str, SavedStack> = IndexMap::new();
    for row in &all {
        let stack = stacks.entry(row.stack).or_default();
        stack.resources.insert(row.name.to_owned(), row.resource.clone());
    }
    let mut roots: Vec<&str> = Vec::new();
    let mut parents: IndexMap<&str, (&str, &str)> = IndexMap::new();
    for stack in stacks.keys() {
        // If several names match, the longest one is the parent, since it is the most specific.
        let parent = all
            .iter()
            .filter(|row| is_made_of(stack, row.stack, row.name))
            .max_by_key(|row| row.stack.len() + row.name.len());
        match parent {
            Some(row) => {
                parents.insert(stack, (row.stack, row.name));
            }
            None => roots.push(stack),
        }
    }
    match roots.as_slice() {
        [] if all.is_empty() => Ok(SavedStack::default()),
        [root] => Ok(assemble(root, &stacks, &parents, 0)),
        [] => Err("has stacks that contain each other".to_owned()),
        [one, other, ..] => Err(format!(
            "has resources of the stacks `{one}` and `{other}`, neither of which contains the other"
        )),
    }
}

fn is_made_of(stack: &str, parent: &str, resource: &str) -> bool {
    let end = stack
        .strip_prefix(parent)
        .and_then(|rest| rest.strip_prefix('-'))
        .and_then(|rest| rest.strip_prefix(resource))
        .and_then(|rest| rest.strip_prefix('-'));
    end.is_some_and(|end| {
        end.len() == RANDOM_SUFFIX_LENGTH
            && end.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
    })
}

fn assemble(
    name: &str,
    stacks: &IndexMap<&str, SavedStack>,
    parents: &IndexMap<&str, (&str, &str)>,
    depth: usize,
) -> SavedStack {
    let mut stack = stacks.get(name).cloned().unwrap_or_default();
    stack.name = Some(name.to_owned()).filter(|name| !name.is_empty());
    if depth > MAX_STACK_DEPTH {
        return stack;
    }
    for (child, (parent, resource)) in parents {
        if *parent == name
            && let Some(resource) = stack.resources.get_mut(*resource)
        {
            resource.nested = Some(assemble(child, stacks, parents, depth + 1));
        }
    }
    stack
}

/// Reads an exported stack; the stack of a resource is nested in that resource.
fn export(stack: &Map<String, Value>, depth: usize) -> Option<SavedStack> {
    let resources = stack.get("resources")?.as_object()?;
    let resources = resources.iter().map(|(name, value)| {
        let text = |key: &str| value.get(key).and_then(Value::as_str);
        let nested =
            value.as_object().filter(|it| depth < MAX_STACK_DEPTH && it.contains_key("resources"));
        let nested = nested.and_then(|nested| export(nested, depth + 1));
        let id = text("resource_id").or_else(|| text("id")).unwrap_or_default().to_owned();
        let kind = text("type").map(str::to_owned);
        (name.clone(), SavedResource { id, kind, nested })
    });
    let resources = resources.collect();
    Some(SavedStack {
        name: stack.get("name").and_then(Value::as_str).map(str::to_owned),
        resources,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = r#"[
        {"resource_name": "net", "physical_resource_id": "n1", "resource_type": "OS::Neutron::Net", "stack_name": "web"},
        {"resource_name": "many", "physical_resource_id": "s1", "resource_type": "OS::Heat::ResourceGroup", "stack_name": "web"},
        {"resource_name": "0", "physical_resource_id": "s2", "resource_type": "node.yaml", "stack_name": "web-many-abcdefghij23"},
        {"resource_name": "disk", "physical_resource_id": "d0", "resource_type": "OS::Cinder::Volume", "stack_name": "web-many-abcdefghij23-0-zyxwvutsrq45"}
    ]"#;

    #[test]
    fn stacks_of_a_list_are_put_into_each_other_by_their_names() {
        let saved = SavedStack::read("list.json", LIST).expect("a list");
        assert_eq!(saved.resources.keys().collect::<Vec<_>>(), ["net", "many"]);
        assert_eq!(saved.count(), 4);
        assert_eq!(saved.name.as_deref(), Some("web"));
        let many = saved.resources["many"].nested.as_ref().expect("a group");
        let node = many.resources["0"].nested.as_ref().expect("a member");
        assert_eq!(node.resources["disk"].id, "d0");
    }

    #[test]
    fn resources_of_an_export_that_are_stacks_hold_theirs() {
        let text = r#"{"name": "web", "id": "s0", "resources": {
            "net": {"name": "net", "resource_id": "n1", "type": "OS::Neutron::Net"},
            "node": {"name": "web-node-abc", "id": "s1", "resources": {
                "disk": {"name": "disk", "resource_id": "d0", "type": "OS::Cinder::Volume"}}}}}"#;
        let saved = SavedStack::read("export.json", text).expect("an export");
        assert_eq!(saved.resources["net"].id, "n1");
        assert_eq!(saved.name.as_deref(), Some("web"));
        let node = saved.resources["node"].nested.as_ref().expect("a stack");
        assert_eq!(node.resources["disk"].id, "d0");
    }

    #[test]
    fn what_is_neither_is_refused_with_a_reason() {
        let why = |text: &str| {
            let error = SavedStack::read("x.json", text).expect_err("refused");
            assert_eq!(error.code, crate::codes::ADOPTION_UNUSABLE);
            error.message
        };
        assert!(why("no json").contains("not valid JSON"));
        assert!(why("1").contains("neither"));
        assert!(why(r#"{"resources": []}"#).contains("no map `resources`"));
        assert!(why(r#"[{"id": "x"}]"#).contains("row 0"));
        let two = r#"[{"resource_name": "a", "stack_name": "s"}, {"resource_name": "b", "stack_name": "t"}]"#;
        assert!(why(two).contains("`s` and `t`"));
    }
}
