//! The saved resources of a stack: a list of them, or an exported stack.

use heat_engine::eval::{GroupMemory, HeatGroup, RunningMembers};
use indexmap::IndexMap;
use serde_json::{Map, Value};

/// The length of the random suffix in the names that Heat generates.
const RANDOM_SUFFIX_LENGTH: usize = 12;
/// The services whose resources have their ID as reference.
const ID_SERVICES: [&str; 7] =
    ["Cinder", "Glance", "Keystone", "Manila", "Neutron", "Nova", "Octavia"];
/// The metadata, among the names of data.
pub(super) const METADATA: &str = "metadata";
/// The maximum depth of nested stacks.
const MAX_STACK_DEPTH: usize = 32;

/// The resources of a stack that runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SavedStack {
    /// The name of the stack, if the file contains it.
    pub name: Option<String>,
    /// The last action with its status, such as `UPDATE_FAILED`, if the file contains it.
    pub status: Option<String>,
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
    /// The last action with its status, such as `CREATE_COMPLETE`, if the file contains it.
    pub status: Option<String>,
    /// The nested stack of the resource.
    pub nested: Option<SavedStack>,
    /// The names of the metadata and the data that the file has of the resource, such as a random string that Heat made.
    pub data: Vec<String>,
}

/// A visitor of a stack: its full name, the stack, its resources with their names, and whether they are members with random names.
type LookAtStack<'l, 's> =
    dyn FnMut(&str, &'s SavedStack, &[(String, &'s SavedResource)], bool) + 'l;

impl SavedStack {
    /// The references (`get_resource`) of the resources of the root stack that are their IDs, in the form of a state of resources.
    pub fn references(&self) -> heat_engine::eval::Value {
        let is_plain = |resource: &SavedResource| {
            let kind = resource.kind.as_deref().unwrap_or_default();
            let service = kind.strip_prefix("OS::").and_then(|rest| rest.split_once("::"));
            let is_plain = service.is_some_and(|(service, name)| {
                ID_SERVICES.contains(&service) && !name.ends_with("IPAssociation")
            });
            is_plain && !resource.id.is_empty()
        };
        let resources = self.resources.iter().filter(|(_, resource)| is_plain(resource));
        let text = |text: &str| lossless_yaml::Value::Text(text.to_owned());
        let table = resources.map(|(name, resource)| {
            (text(name), lossless_yaml::Value::Map(vec![(text("ref"), text(&resource.id))]))
        });
        heat_engine::eval::Value::from(&lossless_yaml::Value::Map(table.collect()))
    }

    /// Looks at every resource, including those of nested stacks.
    pub(super) fn visit(&self, look: &mut dyn FnMut(&SavedResource)) {
        for resource in self.resources.values() {
            look(resource);
            if let Some(nested) = &resource.nested {
                nested.visit(look);
            }
        }
    }

    /// The memory of the groups: any resource with a stack may be one.
    pub fn members(&self) -> RunningMembers {
        let nested = self.resources.iter().filter_map(|(name, resource)| {
            let stack = resource.nested.as_ref()?;
            let id = |it: &SavedResource| Some(it.id.clone()).filter(|id| !id.is_empty());
            let members = stack.resources.iter().map(|(name, it)| (name.clone(), id(it)));
            let group = Some(GroupMemory::of_members(members.collect()));
            Some((name.clone(), RunningMembers { group, ..stack.members() }))
        });
        RunningMembers { group: None, inside: nested.collect() }
    }

    /// Looks at every stack, with the full name of the resource that represents it (empty for the root), and at its resources with their
    /// names in it. The members of a group that chooses random names have numbers here, as in an evaluation: failed members precede the
    /// others, since Heat deletes them first; the last argument says whether they are such members.
    pub fn each_stack<'s>(&'s self, look: &mut LookAtStack<'_, 's>) {
        self.stacks_below("", false, look);
    }

    fn stacks_below<'s>(&'s self, path: &str, is_random: bool, look: &mut LookAtStack<'_, 's>) {
        let mut resources: Vec<(String, &SavedResource)> =
            self.resources.iter().map(|(name, resource)| (name.clone(), resource)).collect();
        if is_random {
            let is_failed = |it: &SavedResource| {
                it.status.as_deref().is_some_and(|status| status.ends_with("_FAILED"))
            };
            resources.sort_by_key(|(_, resource)| !is_failed(resource));
            let named = resources.iter_mut().enumerate();
            named.for_each(|(number, (name, _))| *name = number.to_string());
        }
        look(path, self, &resources, is_random);
        for (name, resource) in &resources {
            let Some(nested) = &resource.nested else { continue };
            let group = HeatGroup::of(resource.kind.as_deref().unwrap_or_default());
            let path = if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
            nested.stacks_below(&path, group == Some(HeatGroup::AutoScalingGroup), look);
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
pub(super) fn of_list(rows: &[Value]) -> Result<SavedStack, String> {
    let mut all = Vec::with_capacity(rows.len());
    for (index, row) in rows.iter().enumerate() {
        let text = |key: &str| row.get(key).and_then(Value::as_str);
        let Some(name) = text("resource_name") else {
            return Err(format!("has no `resource_name` in row {index}"));
        };
        let resource = SavedResource {
            id: text("physical_resource_id").unwrap_or_default().to_owned(),
            kind: text("resource_type").map(str::to_owned),
            status: text("resource_status").map(str::to_owned),
            nested: None,
            data: Vec::new(),
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

/// Reads an exported stack; the stack of a resource is nested in that resource. `None` if it has no map of resources.
pub(super) fn of_export(stack: &Map<String, Value>) -> Option<SavedStack> {
    export(stack, 0)
}

fn export(stack: &Map<String, Value>, depth: usize) -> Option<SavedStack> {
    let resources = stack.get("resources")?.as_object()?;
    let resources = resources.iter().map(|(name, value)| {
        let text = |key: &str| value.get(key).and_then(Value::as_str);
        let nested =
            value.as_object().filter(|it| depth < MAX_STACK_DEPTH && it.contains_key("resources"));
        let nested = nested.and_then(|nested| export(nested, depth + 1));
        let id = text("resource_id").or_else(|| text("id")).unwrap_or_default().to_owned();
        let kind = text("type").map(str::to_owned);
        let status = value.as_object().and_then(status);
        let map = |key: &str| value.get(key).and_then(Value::as_object);
        let data = map("resource_data").into_iter().flat_map(Map::keys).cloned();
        let metadata = map("metadata").filter(|it| !it.is_empty());
        let data = data.chain(metadata.map(|_| METADATA.to_owned())).collect();
        (name.clone(), SavedResource { id, kind, status, nested, data })
    });
    let resources = resources.collect();
    Some(SavedStack {
        name: stack.get("name").and_then(Value::as_str).map(str::to_owned),
        status: status(stack),
        resources,
    })
}

/// The action with its status, of a stack or a resource.
fn status(exported: &Map<String, Value>) -> Option<String> {
    let text = |key: &str| exported.get(key).and_then(Value::as_str);
    let (action, status) = text("action").zip(text("status"))?;
    Some(format!("{action}_{status}"))
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
        let saved =
            of_list(&serde_json::from_str::<Vec<Value>>(LIST).expect("JSON")).expect("a list");
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
        let saved = of_export(&serde_json::from_str(text).expect("JSON")).expect("an export");
        assert_eq!(saved.resources["net"].id, "n1");
        assert_eq!(saved.name.as_deref(), Some("web"));
        let node = saved.resources["node"].nested.as_ref().expect("a stack");
        assert_eq!(node.resources["disk"].id, "d0");
    }
}
