//! Partial evaluation: the values of single expressions of a stack whose parameters may be unknown. A target
//! that lacks a function writes the value in place of the call.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use indexmap::IndexMap;
use smol_str::SmolStr;

use super::conditions::ConditionState;
use super::evaluate::evaluate;
use super::expression::{Evaluator, ResourceScope};
use super::implicit_dependencies::{concerned_resources, implicit_dependencies};
use super::inputs::{EvaluationInputs, FileLookup, RequestFileContent};
use super::parameters::Parameters;
use super::request_files::{RequestFiles, TemplateFiles};
use super::template_graph::TemplateNode;
use super::{Budget, Dependency, Failure, ResourceStates, Unknown, Value};
use crate::environment::{self, BaseFolder};
use heat_template::ir::{Expr, Stack};
use heat_template::schema::Schema;

/// The parameters that keep their values; every other one is unknown, whatever its default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum BoundParameters {
    /// All parameters that have a value.
    #[default]
    All,
    /// Only these parameters.
    Only(BTreeSet<String>),
    /// All parameters that have a value, except these.
    AllBut(BTreeSet<String>),
}

impl BoundParameters {
    /// Whether this parameter keeps its value.
    pub fn contains(&self, parameter: &str) -> bool {
        match self {
            BoundParameters::All => true,
            BoundParameters::Only(names) => names.contains(parameter),
            BoundParameters::AllBut(names) => !names.contains(parameter),
        }
    }

    /// These parameters, and more.
    #[must_use]
    pub fn and(self, more: BTreeSet<String>) -> Self {
        match self {
            BoundParameters::All => BoundParameters::All,
            BoundParameters::Only(names) => {
                BoundParameters::Only(names.into_iter().chain(more).collect())
            }
            BoundParameters::AllBut(names) => {
                BoundParameters::AllBut(names.difference(&more).cloned().collect())
            }
        }
    }
}

/// The symbolic value of an unknown parameter.
pub fn unknown_parameter(name: &str, level: usize) -> Value {
    let span = source_diagnostics::Span::NOWHERE;
    let expr = Expr::parameter(name, Vec::new(), span);
    let of = Dependency::Parameter(name.to_owned());
    Value::Unknown(Arc::new(Unknown::leaf(expr, of, level)))
}

/// The context in which all expressions of a stack are evaluated. Building it takes time linear in the size of the stack,
/// so it is shared by all expressions.
#[derive(Debug)]
pub struct KnownStack {
    schema: &'static Schema,
    parameters: Parameters,
    table: ResourceStates,
    /// Whether Heat can read the condition definitions; computed once.
    readable: OnceLock<Result<(), Failure>>,
    /// The values of the conditions that expressions have used so far.
    conditions: Mutex<IndexMap<SmolStr, ConditionState>>,
    budget: Arc<Budget>,
}

impl KnownStack {
    /// Only the parameters in `known` have values. All expressions share the budget `effort`.
    pub fn new(
        stack: &Stack,
        schema: &'static Schema,
        known: &IndexMap<String, Value>,
        effort: Arc<Budget>,
    ) -> Self {
        let pseudo = ["OS::stack_name", "OS::stack_id", "OS::project_id"];
        let names = pseudo.into_iter().chain(stack.parameters.keys().map(String::as_str));
        let value =
            |name: &str| known.get(name).cloned().unwrap_or_else(|| unknown_parameter(name, 0));
        let values = names.map(|name| (name.to_owned(), Ok(value(name)))).collect();
        KnownStack {
            schema,
            parameters: Parameters { values, ..Parameters::default() },
            table: ResourceStates::new(stack, schema, false),
            readable: OnceLock::new(),
            conditions: Mutex::default(),
            budget: effort,
        }
    }

    /// The number of conditions with a cached value.
    pub fn computed_conditions(&self) -> usize {
        self.conditions.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

/// Evaluates expressions of a stack with the parameters that are known.
#[derive(Debug)]
pub struct PartialEvaluator<'a> {
    stack: &'a Stack,
    files: RequestFiles<'a>,
    base: Option<BaseFolder>,
    known_stack: Arc<KnownStack>,
    yaql: &'a yaql::Options,
}

impl<'a> PartialEvaluator<'a> {
    /// `known` must belong to the same stack. `base` is the folder of the template, to which the names of
    /// `files` are relative.
    pub fn new(
        stack: &'a Stack,
        files: &'a environment::DeploymentFiles,
        base: Option<BaseFolder>,
        known: Arc<KnownStack>,
        yaql: &'a yaql::Options,
    ) -> Self {
        PartialEvaluator {
            stack,
            files: RequestFiles::new(files, false),
            base,
            known_stack: known,
            yaql,
        }
    }

    /// The value of an expression of the stack; parts of it may be unknown.
    pub fn value(&self, expr: &Expr) -> Result<Value, Failure> {
        let evaluator = Evaluator::new(self.stack, self.inputs());
        let held = || self.known_stack.conditions.lock().unwrap_or_else(PoisonError::into_inner);
        let conditions = std::mem::take(&mut *held());
        let before = conditions.len();
        evaluator.conditions.replace(conditions);
        let readable = self.known_stack.readable.get_or_init(|| evaluator.read_conditions());
        evaluator.set_resources(ResourceScope::All);
        let value = readable.clone().and_then(|()| evaluator.value(expr));
        let mut conditions = evaluator.conditions.take();
        // A failed condition is computed again for the next expression.
        let new = conditions.get_range(before..).into_iter().flatten();
        let failed = new.filter(|(_, state)| matches!(state, ConditionState::Unresolved));
        let failed: Vec<SmolStr> = failed.map(|(name, _)| name.clone()).collect();
        for name in failed {
            conditions.swap_remove(&name);
        }
        *held() = conditions;
        value
    }

    /// The dependencies that the plugins of Heat add whatever the values of the unknown parameters are, by resource. `node`
    /// is the template of the stack.
    pub fn implicit_dependencies(&self, node: &TemplateNode) -> IndexMap<String, Vec<String>> {
        let states = ResourceStates::before_creation(self.stack, node, self.known_stack.schema);
        let inputs = EvaluationInputs { runtime: &states, recover: true, ..self.inputs() };
        let Some(resources) = evaluate(self.stack, inputs).resources else {
            return IndexMap::new();
        };
        let properties = concerned_resources(&resources, node)
            .into_iter()
            .map(|name| (name, resources[name].properties.clone()))
            .collect();
        implicit_dependencies(self.stack, &resources, node, &properties)
    }

    fn inputs(&self) -> EvaluationInputs<'_> {
        EvaluationInputs {
            schema: self.known_stack.schema,
            parameters: &self.known_stack.parameters,
            runtime: &self.known_stack.table,
            files: self,
            facade: None,
            zones: None,
            level: 0,
            yaql: self.yaql,
            budget: &self.known_stack.budget,
            recover: false,
        }
    }

    /// Spends a number of values on what a target generates from expressions, as evaluation does.
    ///
    /// # Errors
    ///
    /// If the budget is exceeded. From then on no expression has a value.
    pub fn spend(&self, values: usize) -> Result<(), String> {
        self.known_stack.budget.spend(values as u64).map_err(|problem| problem.message)
    }

    /// The value of an expression; `None` if any part is unknown or fails.
    pub fn constant(&self, expr: &Expr) -> Option<Value> {
        self.value(expr).ok().filter(|value| !value.holds_unknown())
    }
}

impl FileLookup for PartialEvaluator<'_> {
    fn request_name(&self, key: &str, path: &str) -> Option<SmolStr> {
        TemplateFiles { files: &self.files, base: self.base.as_ref() }.request_name(key, path)
    }

    fn content(&self, name: &str) -> RequestFileContent {
        TemplateFiles { files: &self.files, base: self.base.as_ref() }.content(name)
    }
}
