//! Facts from the lists of a cloud about the resources of a stack: names and sizes that were changed outside of Heat, objects that failed or
//! are gone.

use std::collections::HashSet;

use heat_engine::eval::{EvaluatedProperties, Value};
use source_diagnostics::Diagnostic;

use super::cloud_lists::NAME;
use super::{CloudLists, SavedResource, SavedStack};

/// A property whose value a list shows, too.
struct ListedProperty {
    /// The type; `None` is any.
    kind: Option<&'static str>,
    property: &'static str,
    columns: &'static [&'static str],
}

const LISTED: [ListedProperty; 4] = [
    ListedProperty { kind: None, property: "name", columns: &NAME },
    ListedProperty {
        kind: Some("OS::Cinder::Volume"),
        property: "size",
        columns: &["Size", "size"],
    },
    ListedProperty {
        kind: Some("OS::Neutron::Subnet"),
        property: "cidr",
        columns: &["Subnet", "cidr"],
    },
    ListedProperty { kind: Some("OS::Nova::Server"), property: "flavor", columns: &["Flavor"] },
];
/// The columns with the state of an object.
const STATE: [&str; 3] = ["Status", "status", "provisioning_status"];
/// The words in the states of objects that do not work, or that a provider would start.
const UNUSUAL: [&str; 6] = ["error", "deleted", "paused", "shelved", "shutoff", "suspended"];

/// The lists of a cloud, with the types of resources that they contain.
pub(super) struct CloudDrift<'l> {
    lists: &'l CloudLists,
    /// The types of which a list has a resource of the stack.
    listed: HashSet<String>,
}

impl<'l> CloudDrift<'l> {
    pub(super) fn new(lists: &'l CloudLists, stack: &SavedStack) -> Self {
        let mut listed = HashSet::new();
        stack.visit(&mut |resource| {
            if lists.objects.contains_key(&resource.id) {
                listed.extend(resource.kind.clone());
            }
        });
        CloudDrift { lists, listed }
    }

    /// Facts of the lists about a resource that its template lacks, each with what to do.
    pub(super) fn of(
        &self,
        resource: &SavedResource,
        kind: &str,
        properties: Option<&EvaluatedProperties>,
    ) -> Vec<(String, &'static str)> {
        let Some(object) = self.lists.objects.get(&resource.id) else {
            let is_gone = !resource.id.is_empty() && self.listed.contains(kind);
            let what = "is not in the list of the cloud that has others of its type";
            let help = "it was deleted outside of Heat, or the list is not complete";
            return is_gone.then(|| (what.to_owned(), help)).into_iter().collect();
        };
        let mut found = Vec::new();
        let is_unusual = |state: &String| {
            let state = state.to_lowercase();
            UNUSUAL.iter().any(|word| state.contains(word))
        };
        if let Some(state) = object.column(&STATE).filter(is_unusual) {
            let help = "repair or start it before you rely on it";
            found.push((format!("is in the state {state} in the cloud"), help));
        }
        let of_type = LISTED.iter().filter(|it| it.kind.is_none_or(|it| it == kind));
        for it in of_type {
            let Some(EvaluatedProperties::Each(each)) = properties else { continue };
            let described = each.get(it.property).and_then(|it| text_of(it.as_ref().ok()?));
            let (Some(described), Some(real)) = (described, object.column(it.columns)) else {
                continue;
            };
            // A property may have the ID of what a list shows by its name.
            if described != real && !real.is_empty() && !is_identifier(&described, it.property) {
                let what = format!(
                    "has {} `{real}` in the cloud, and the template has `{described}`",
                    it.property
                );
                found.push((what, "it was changed outside of Heat"));
            }
        }
        found
    }
}

/// The findings about lists without an object of the stack.
pub(super) fn lists_of_others(lists: &CloudLists, stack: &SavedStack) -> Vec<Diagnostic> {
    let mut of_stack = HashSet::new();
    stack.visit(&mut |resource| {
        of_stack.extend(lists.objects.get(&resource.id).map(|object| object.file));
    });
    // Ports of routers are no resources.
    let is_of_ports = |file: usize| {
        let mut ports = lists.ports.iter().flatten();
        ports.any(|port| lists.objects.get(&port.id).is_some_and(|it| it.file == file))
    };
    let others = lists.files.iter().enumerate();
    let others = others.filter(|(file, _)| !of_stack.contains(file) && !is_of_ports(*file));
    others
        .map(|(_, name)| {
            let message = format!("`{name}` has none of the objects of the stack: it is not used");
            Diagnostic::new(crate::codes::SAVED_STACK_PARTIAL, message)
                .help("is it the list of another project or cloud?")
        })
        .collect()
}

/// Whether a value may be the ID of a flavor, which the list shows by its name.
fn is_identifier(value: &str, property: &str) -> bool {
    let is_hex = |byte: u8| byte.is_ascii_hexdigit() || byte == b'-';
    property == "flavor" && value.bytes().all(is_hex)
}

/// The text or number of a value that is no secret.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::Text(text) => Some(text.to_string()),
        Value::Int(number) => Some(number.to_string()),
        _ => None,
    }
}
