//! What the evaluation of one stack is given: values of parameters, the state of resources, files,
//! the resource that a nested stack stands for.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use smol_str::SmolStr;

use super::functions::Problem;
use super::parameters::{self, Parameters};
use super::{Failure, Value};
use heat_template::ir::{AttributeFetch, ExprKind, Stack};

/// Where Heat found something wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvaluationStage {
    /// The sections of the template and the bodies of its resources.
    Template,
    /// The parameters.
    Parameters(parameters::ParameterStage),
    /// The definitions of conditions.
    Conditions,
    /// The definitions of resources.
    Resources,
    /// The definitions of outputs.
    Outputs,
}

impl EvaluationStage {
    /// The name that the report gives it.
    pub fn name(self) -> &'static str {
        match self {
            EvaluationStage::Template => "template",
            EvaluationStage::Parameters(stage) => stage.name(),
            EvaluationStage::Conditions => "conditions",
            EvaluationStage::Resources => "resources",
            EvaluationStage::Outputs => "outputs",
        }
    }
}

/// What is wrong with a whole section.
#[derive(Clone, Debug, PartialEq)]
pub struct StageFailure {
    /// The stage.
    pub stage: EvaluationStage,
    /// What is wrong.
    pub failure: Failure,
}

/// The content of a file.
#[derive(Clone, Debug, PartialEq)]
pub enum RequestFileContent {
    /// The text.
    Known(SmolStr),
    /// The file is there and cannot be read here.
    Unknown,
    /// Heat has no such file.
    Missing,
}

/// The files that travel with the template.
pub trait FileLookup {
    /// The name under which a path travels that stands as the text of a key `get_file` or `type`
    /// anywhere in the template; `None` where Heat's client leaves the path as it is.
    fn request_name(&self, key: &str, path: &str) -> Option<SmolStr>;

    /// The content of a file, by the name under which it travels.
    fn content(&self, name: &str) -> RequestFileContent;
}

/// No files at all.
#[derive(Clone, Copy, Debug)]
pub struct NoFiles;

impl FileLookup for NoFiles {
    fn request_name(&self, _key: &str, _path: &str) -> Option<SmolStr> {
        None
    }

    fn content(&self, _name: &str) -> RequestFileContent {
        RequestFileContent::Missing
    }
}

impl FileLookup for IndexMap<String, String> {
    fn request_name(&self, _key: &str, _path: &str) -> Option<SmolStr> {
        None
    }

    fn content(&self, name: &str) -> RequestFileContent {
        self.get(name)
            .map_or(RequestFileContent::Missing, |text| RequestFileContent::Known(text.into()))
    }
}

/// The resource that a nested stack stands for, as far as its template can ask.
#[derive(Clone, Debug, PartialEq)]
pub struct Facade {
    /// Its metadata.
    pub metadata: Value,
    /// Its deletion policy.
    pub deletion_policy: Value,
    /// Its update policy.
    pub update_policy: Value,
}

impl Default for Facade {
    fn default() -> Self {
        Facade { metadata: Value::Null, deletion_policy: Value::Null, update_policy: Value::Null }
    }
}

/// What resources are once they run. `None` stands for what is not known.
pub trait Runtime {
    /// Whether the attributes of a resource can be asked for, one by one or all at once.
    fn is_ready(&self, resource: &str, all: bool) -> bool;

    /// The reference id.
    fn reference(&self, resource: &str) -> Option<Value>;

    /// What stands at a path in an attribute.
    fn attribute(
        &self,
        resource: &str,
        attribute: &Value,
        path: &[Value],
        fetch: AttributeFetch,
    ) -> Result<Option<Value>, Problem>;

    /// The map of all attributes.
    fn attributes(&self, resource: &str) -> Result<Option<Value>, Problem>;

    /// The names of the attributes that Heat knows without asking the resource.
    fn attribute_names(&self, resource: &str) -> BTreeSet<SmolStr>;

    /// Whether Heat takes any name for that of an attribute: the resource answers when it is there.
    fn accepts_any_attribute(&self, _resource: &str) -> bool {
        false
    }
}

/// Everything that the evaluation of a stack is given beside the stack.
#[derive(Clone, Copy)]
pub struct EvaluationInputs<'a> {
    /// The values of parameters.
    pub parameters: &'a Parameters,
    /// The state of resources.
    pub runtime: &'a dyn Runtime,
    /// The files that travel with the template.
    pub files: &'a dyn FileLookup,
    /// The resource that the stack stands for, if it is nested.
    pub facade: Option<&'a Facade>,
    /// The availability zones; `None` where they are not known.
    pub zones: Option<&'a [String]>,
    /// How many stacks are around this one: names of resources and parameters mean something in one
    /// stack only.
    pub level: usize,
    /// How yaql is set up.
    pub yaql: &'a yaql::Options,
    /// What may be looked at and made.
    pub budget: &'a super::Budget,
}

/// Makes the keys of a map in a template what they are after the JSON in which the client sends it.
pub(super) fn request_key(kind: &ExprKind) -> super::Key {
    use super::python::json_key;
    let value = Value::from_literal(kind);
    match value {
        Value::Text(text) => super::Key::Text(text),
        other => {
            let key = super::Key::Other(Box::new(other));
            match json_key(&key) {
                Ok(text) => super::Key::Text(text.into()),
                // The client cannot send it; the key stays for a message to show.
                Err(_) => key,
            }
        }
    }
}

/// The types of a stack's resources, for a table of their state.
pub(super) fn resource_types(stack: &Stack) -> IndexMap<SmolStr, SmolStr> {
    let kind = |(name, resource): (&String, &heat_template::ir::Resource)| {
        Some((name.into(), resource.kind.as_ref()?.text.clone()))
    };
    stack.resources.iter().filter_map(kind).collect()
}
