//! The state of a stack's resources as `--attrs` describes it, optionally with placeholders for the
//! rest.

use std::collections::{BTreeSet, HashSet};

use indexmap::IndexMap;
use smol_str::SmolStr;

use super::functions::{NoValue, attribute};
use super::groups::RunningMembers;
use super::inputs::{Runtime, resource_types};
use super::template_graph::{ResolvedImplementation, TemplateNode};
use super::{Key, Map, PythonException, Value, python};
use heat_template::ir::{AttributeFetch, Stack};
use heat_template::schema::{BeforeCreation, Schema};

/// The attribute that contains everything; no list of attributes includes it.
const SHOW_ATTRIBUTE: &str = "show";

/// The actions after which attributes have values.
const READY_ACTIONS: [&str; 8] =
    ["CREATE", "ADOPT", "SUSPEND", "RESUME", "UPDATE", "ROLLBACK", "SNAPSHOT", "CHECK"];

/// The known state of a stack's resources.
#[derive(Clone, Debug)]
pub struct ResourceStates {
    schema: &'static Schema,
    entries: IndexMap<SmolStr, ResourceState>,
    types: IndexMap<SmolStr, SmolStr>,
    /// The attributes of resources whose type is mapped to another implementation.
    listed_attributes: IndexMap<SmolStr, Vec<SmolStr>>,
    /// The resources that accept any attribute name.
    open: BTreeSet<SmolStr>,
    fill: bool,
    running: Option<RunningMembers>,
}

/// The known state of one resource.
#[derive(Clone, Debug, Default)]
struct ResourceState {
    attributes: Map,
    reference: Option<Value>,
    action: Option<Value>,
    status: Option<Value>,
}

impl ResourceStates {
    /// A table that knows nothing of the resources of `stack`; with `fill`, it returns placeholders.
    pub fn new(stack: &Stack, schema: &'static Schema, fill: bool) -> Self {
        ResourceStates {
            schema,
            entries: IndexMap::new(),
            types: resource_types(stack),
            listed_attributes: IndexMap::new(),
            open: BTreeSet::new(),
            fill,
            running: None,
        }
    }

    /// Sets what the groups of the stack remember: the template updates a stack that runs.
    #[must_use]
    pub fn updating(self, running: RunningMembers) -> Self {
        ResourceStates { running: Some(running), ..self }
    }

    /// The memory of the groups in the stack, if it runs.
    pub(super) fn running(&self) -> Option<&RunningMembers> {
        self.running.as_ref()
    }

    /// Whether a resource of the stack is known to exist.
    pub(super) fn has_resources(&self) -> bool {
        !self.entries.is_empty()
    }

    /// The state before any resource of the stack exists, as Heat has it while it validates the stack: a plugin says what its reference is
    /// then, which is null for those of Neutron.
    pub(super) fn before_creation(
        stack: &Stack,
        node: &TemplateNode,
        schema: &'static Schema,
    ) -> Self {
        let entry = |name: &str| {
            let plugin = node.implementations.get(name).and_then(ResolvedImplementation::plugin);
            let reference = match plugin.map(|(_, info)| info.reference.before_creation) {
                Some(BeforeCreation::Null) => Value::Null,
                Some(BeforeCreation::TextNone) => Value::text("None"),
                Some(BeforeCreation::LogicalName | BeforeCreation::WorkflowName) | None => {
                    Value::text(name)
                }
            };
            let action = Some(Value::text("INIT"));
            ResourceState { action, reference: Some(reference), ..Default::default() }
        };
        let entries = stack.resources.keys().map(|name| (name.into(), entry(name))).collect();
        ResourceStates { entries, ..ResourceStates::new(stack, schema, false) }
    }

    /// Sets the attributes of a resource whose type an environment maps.
    pub(super) fn set_attributes(&mut self, resource: &str, attributes: Vec<SmolStr>) {
        self.listed_attributes.insert(resource.into(), attributes);
    }

    /// Makes a resource accept any attribute name.
    pub(super) fn open(&mut self, resource: &str) {
        self.open.insert(resource.into());
    }

    /// Adds the state of resources: each entry of the map is a map with some of `attrs`, `ref`, `action` and
    /// `status`, or a map of attributes. The error names the resource whose entry is not a map.
    pub fn extend(&mut self, table: &Value) -> Result<(), String> {
        let Value::Map(table) = table else { return Err("the table".to_owned()) };
        for (name, entry) in table.iter() {
            let name = python::str(&name.to_value()).unwrap_or_default();
            let given = match entry {
                Value::Map(given) => given,
                Value::Null => continue,
                _ => return Err(format!("`{name}`")),
            };
            let is_whole =
                ["attrs", "ref", "action", "status"].iter().any(|k| given.contains_key(*k));
            let entry = if is_whole {
                let attributes = match given.get("attrs") {
                    Some(Value::Map(attributes)) => (**attributes).clone(),
                    None | Some(Value::Null) => Map::new(),
                    Some(_) => return Err(format!("`attrs` of `{name}`")),
                };
                ResourceState {
                    attributes,
                    reference: given.get("ref").cloned(),
                    action: given.get("action").cloned(),
                    status: given.get("status").cloned(),
                }
            } else {
                ResourceState { attributes: (**given).clone(), ..ResourceState::default() }
            };
            self.entries.insert(name.into(), entry);
        }
        Ok(())
    }

    /// The attributes with a value in the table, by resource.
    pub(super) fn given_attributes(&self) -> HashSet<(SmolStr, SmolStr)> {
        let entries = self.entries.iter();
        let given = entries.flat_map(|(name, entry)| {
            let attributes = entry.attributes.keys().filter_map(Key::as_text);
            attributes.map(|attribute| (name.clone(), attribute.into()))
        });
        given.collect()
    }

    fn action(&self, resource: &str) -> Option<&str> {
        match self.entries.get(resource).and_then(|entry| entry.action.as_ref()) {
            None => Some("CREATE"),
            Some(Value::Text(action)) => Some(action),
            Some(_) => None,
        }
    }

    /// The placeholder for an attribute that the table does not contain.
    fn placeholder(
        &self,
        resource: &str,
        path: &[&Value],
    ) -> Result<Option<Value>, PythonException> {
        if !self.fill {
            return Ok(None);
        }
        let mut text = format!("<<attr:{resource}");
        for part in path {
            text.push(':');
            text.push_str(&python::str(part)?);
        }
        text.push_str(">>");
        Ok(Some(Value::text(text)))
    }
}

impl Runtime for ResourceStates {
    fn is_ready(&self, resource: &str, all: bool) -> bool {
        let Some(action) = self.action(resource) else { return false };
        if !all {
            return READY_ACTIONS.contains(&action);
        }
        let status = match self.entries.get(resource).and_then(|entry| entry.status.as_ref()) {
            None => "COMPLETE",
            Some(Value::Text(status)) => status,
            Some(_) => return false,
        };
        action != "ROLLBACK"
            && READY_ACTIONS.contains(&action)
            && ["IN_PROGRESS", "COMPLETE"].contains(&status)
    }

    fn reference(&self, resource: &str) -> Option<Value> {
        if let Some(reference) =
            self.entries.get(resource).and_then(|entry| entry.reference.clone())
        {
            return Some(reference);
        }
        if self.action(resource) == Some("INIT") {
            return Some(Value::text(resource));
        }
        self.fill.then(|| Value::text(format!("<<res:{resource}>>")))
    }

    fn attribute(
        &self,
        resource: &str,
        attribute: &Value,
        path: &[Value],
        fetch: AttributeFetch,
    ) -> Result<Option<Value>, PythonException> {
        let Some(key) = Key::from_value(attribute) else {
            return Err(PythonException::unhashable(attribute));
        };
        if let Some(value) = self.entries.get(resource).and_then(|entry| entry.attributes.get(&key))
        {
            return match attribute::select(value, path) {
                Ok(value) => Ok(Some(value)),
                Err(NoValue::Unknown) => Ok(None),
                Err(NoValue::Failed(problem)) => Err(problem),
            };
        }
        // A placeholder is a text into which any text or number leads.
        let leads_on = |part: &Value| {
            matches!(
                part.unsealed(),
                Value::Text(_) | Value::Int(_) | Value::Bool(_) | Value::Unknown(_)
            )
        };
        if self.fill && fetch == AttributeFetch::WholeThenPath && !path.iter().all(leads_on) {
            return Ok(Some(Value::Null));
        }
        if path.iter().any(Value::holds_unknown) {
            return Ok(None);
        }
        let secret = path.iter().any(Value::holds_secret);
        let parts: Vec<Value> = path.iter().map(|part| part.reveal().0).collect();
        let parts: Vec<&Value> = std::iter::once(attribute).chain(&parts).collect();
        Ok(self.placeholder(resource, &parts)?.map(|value| value.sealed(secret)))
    }

    fn attributes(&self, resource: &str) -> Result<Option<Value>, PythonException> {
        let mut map = Map::new();
        for name in self.attribute_names(resource) {
            if name == SHOW_ATTRIBUTE {
                continue;
            }
            let fetch = AttributeFetch::PathToResource;
            match self.attribute(resource, &Value::Text(name.clone()), &[], fetch)? {
                Some(value) => map.insert(Key::Text(name), value),
                None => return Ok(None),
            };
        }
        Ok(Some(Value::Map(std::sync::Arc::new(map))))
    }

    fn attribute_names(&self, resource: &str) -> BTreeSet<SmolStr> {
        let given = self.entries.get(resource).map(|entry| entry.attributes.keys());
        let mut names: BTreeSet<SmolStr> =
            given.into_iter().flatten().filter_map(|key| key.as_text().map(Into::into)).collect();
        if let Some(listed) = self.listed_attributes.get(resource) {
            names.extend(listed.iter().cloned());
        } else if let Some(info) =
            self.types.get(resource).and_then(|kind| self.schema.type_info(kind))
        {
            names.extend(
                info.attributes
                    .keys()
                    .filter(|name| **name != SHOW_ATTRIBUTE)
                    .map(|name| SmolStr::from(*name)),
            );
        }
        names
    }

    fn accepts_any_attribute(&self, resource: &str) -> bool {
        self.open.contains(resource)
    }
}
