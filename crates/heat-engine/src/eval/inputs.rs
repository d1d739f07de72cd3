//! The inputs for evaluating one stack: parameter values, the state of resources, files, and
//! the resource that a nested stack stands for.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use smol_str::SmolStr;

use super::parameters::{self, Parameters};
use super::{Failure, PythonException, Value};
use heat_template::ir::{AttributeFetch, ExprKind, Stack};
use heat_template::schema::Schema;

/// The part of a stack in which Heat found an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvaluationStage {
    /// The sections of the template and the bodies of its resources.
    Template,
    /// The parameters, with the stage of their evaluation.
    Parameters(parameters::ParameterStage),
    /// The definitions of conditions.
    Conditions,
    /// The definitions of resources.
    Resources,
    /// The definitions of outputs.
    Outputs,
    /// The values of outputs, in an evaluation that recovers: Heat creates the stack, and reports the error in place of the
    /// output.
    OutputValues,
    /// The values of conditions, in an evaluation that recovers: Heat creates the stack, since nothing that it reads uses the
    /// condition.
    ConditionValues,
}

impl EvaluationStage {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            EvaluationStage::Template => "template",
            EvaluationStage::Parameters(stage) => stage.name(),
            EvaluationStage::Conditions => "conditions",
            EvaluationStage::Resources => "resources",
            EvaluationStage::Outputs => "outputs",
            EvaluationStage::OutputValues => "values of outputs",
            EvaluationStage::ConditionValues => "values of conditions",
        }
    }
}

/// The failure of a whole section.
#[derive(Clone, Debug, PartialEq)]
pub struct StageFailure {
    /// Where Heat found it.
    pub stage: EvaluationStage,
    /// The error as Heat reports it.
    pub failure: Failure,
}

/// The result of looking up a file.
#[derive(Clone, Debug, PartialEq)]
pub enum RequestFileContent {
    /// The content of the file as text.
    Known(SmolStr),
    /// The file exists, but hotplate cannot read it.
    Unknown,
    /// The request contains no such file.
    Missing,
}

/// The files that the client sends with the template.
pub trait FileLookup {
    /// The name under which the client sends a path that is the text of a key `get_file` or `type`
    /// anywhere in the template; `None` if Heat's client does not change the path.
    fn request_name(&self, key: &str, path: &str) -> Option<SmolStr>;

    /// The content of a file, by the name under which it is sent.
    fn content(&self, name: &str) -> RequestFileContent;

    /// Whether a file is a template with values that reports must not show.
    fn holds_secret(&self, _name: &str) -> bool {
        false
    }
}

/// An empty set of files.
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

/// The parts of a resource that a nested template can read with `resource_facade`.
#[derive(Clone, Debug, PartialEq)]
pub struct Facade {
    /// The resource's metadata; null if it has none.
    pub metadata: Value,
    /// The resource's deletion policy.
    pub deletion_policy: Value,
    /// The resource's update policy.
    pub update_policy: Value,
}

impl Default for Facade {
    fn default() -> Self {
        Facade { metadata: Value::Null, deletion_policy: Value::Null, update_policy: Value::Null }
    }
}

/// The state of created resources. `None` means unknown.
pub trait Runtime {
    /// Whether the attributes of a resource can be requested, singly or all at once.
    fn is_ready(&self, resource: &str, all: bool) -> bool;

    /// The reference id of a resource.
    fn reference(&self, resource: &str) -> Option<Value>;

    /// The item at a path in an attribute.
    fn attribute(
        &self,
        resource: &str,
        attribute: &Value,
        path: &[Value],
        fetch: AttributeFetch,
    ) -> Result<Option<Value>, PythonException>;

    /// The map of all attributes of a resource.
    fn attributes(&self, resource: &str) -> Result<Option<Value>, PythonException>;

    /// The names of the attributes that Heat knows without querying the resource.
    fn attribute_names(&self, resource: &str) -> BTreeSet<SmolStr>;

    /// Whether Heat accepts any attribute name, because only the created resource determines its attributes.
    fn accepts_any_attribute(&self, _resource: &str) -> bool {
        false
    }
}

/// The inputs for evaluating a stack, apart from the stack itself.
#[derive(Clone, Copy)]
pub struct EvaluationInputs<'a> {
    /// The resource types of the release of Heat.
    pub schema: &'static Schema,
    /// The evaluated parameters.
    pub parameters: &'a Parameters,
    /// The state of the stack's resources.
    pub runtime: &'a dyn Runtime,
    /// The files that the client sends with the template.
    pub files: &'a dyn FileLookup,
    /// The resource that the stack stands for, if it is nested.
    pub facade: Option<&'a Facade>,
    /// The availability zones; `None` if they are unknown.
    pub zones: Option<&'a [String]>,
    /// The number of stacks around this one: names of resources and parameters are local to
    /// one stack.
    pub level: usize,
    /// The options of the yaql interpreter.
    pub yaql: &'a yaql::Options,
    /// How many values may be read and created.
    pub budget: &'a super::Budget,
    /// Whether the evaluation continues after a failure: the failed part is unknown. Heat stops at the first failure
    /// of a section.
    pub recover: bool,
}

/// Converts the key of a template map as the JSON in which the client sends it does.
pub(super) fn request_key(kind: &ExprKind) -> super::Key {
    use super::python::json_key;
    let value = Value::from_literal(kind);
    match value {
        Value::Text(text) => super::Key::Text(text),
        other => {
            let key = super::Key::Other(Box::new(other));
            match json_key(&key) {
                Ok(text) => super::Key::Text(text.into()),
                // The client cannot send it; the key is kept for messages.
                Err(_) => key,
            }
        }
    }
}

/// The types of a stack's resources, by resource name.
pub(super) fn resource_types(stack: &Stack) -> IndexMap<SmolStr, SmolStr> {
    let kind = |(name, resource): (&String, &heat_template::ir::Resource)| {
        Some((name.into(), resource.kind.as_ref()?.text.clone()))
    };
    stack.resources.iter().filter_map(kind).collect()
}
