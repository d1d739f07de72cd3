//! The values of a stack's parameters: converted and validated in Heat's order.
//!
//! Source: `docs/heat.md#parameters-and-constraints`.

mod conversion;
mod declared_parameter;
mod findings;
mod origin;
mod pseudo;
#[cfg(test)]
mod tests;

pub use self::conversion::coerce;
pub use self::conversion::to_type;
pub use self::origin::ParameterOrigin;
pub(super) use self::origin::origins;

use indexmap::IndexMap;

use self::declared_parameter::declare;
use self::pseudo::pseudo_parameters;
use super::{Failure, HeatExceptionClass, KnownNames, Value, parameter_groups};
use crate::environment::EnvironmentNode;
use heat_template::ir::Stack;
use heat_template::schema::Schema;
use source_diagnostics::{Code, Diagnostic, Span, Suggestions};

/// A value supplied for a parameter, by a user, an environment or a parent stack.
#[derive(Clone, Debug, PartialEq)]
pub struct SuppliedValue {
    /// The value before conversion; null counts as absent.
    pub value: Value,
    /// Where the value is written, if it is written in a file.
    pub span: Option<Span>,
    /// Where the parameter's name is written beside it.
    pub key: Option<Span>,
}

impl From<&EnvironmentNode> for SuppliedValue {
    fn from(node: &EnvironmentNode) -> Self {
        SuppliedValue { value: node.into(), span: Some(node.span), key: Some(node.key) }
    }
}

/// How a parameter without a value is treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingValuePolicy {
    /// Its value is unknown.
    Unknown,
    /// It gets a placeholder, the same that the conformance harness gives to Heat.
    Placeholder,
    /// It is an error, as in Heat.
    Error,
}

/// The identity of a stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StackIdentity {
    /// The stack's name; if empty, the pseudo parameter does not exist.
    pub stack_name: String,
    /// The stack's UUID.
    pub stack_id: String,
    /// The id of the stack's project.
    pub project_id: String,
}

/// The inputs for evaluating parameters, apart from the template.
#[derive(Clone, Debug)]
pub struct ParameterInputs<'a> {
    /// The release of Heat, which determines the custom constraints.
    pub schema: &'static Schema,
    /// The user's values in the order in which they were supplied.
    pub user_values: &'a IndexMap<String, SuppliedValue>,
    /// The `parameter_defaults` of the environment.
    pub environment_defaults: &'a IndexMap<String, SuppliedValue>,
    /// The identity of the stack.
    pub identity: &'a StackIdentity,
    /// How a parameter without a value is treated.
    pub missing: MissingValuePolicy,
    /// The parameters that have a value which is unknown here, whatever their defaults are.
    pub given: &'a [String],
    /// The number of stacks around the one that declares the parameters.
    pub level: usize,
    /// How many values may be read and created.
    pub budget: &'a super::Budget,
}

/// When Heat detects a failure. Each stage stops at its first failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ParameterStage {
    /// While reading the declarations: without them there are no values at all.
    Declaration,
    /// While validating the values.
    Validation,
    /// While validating `parameter_groups`.
    Groups,
}

impl ParameterStage {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            ParameterStage::Declaration => "parameters",
            ParameterStage::Validation => "parameter validation",
            ParameterStage::Groups => "parameter groups",
        }
    }
}

/// An error in a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterFailure {
    /// When Heat detects it.
    pub stage: ParameterStage,
    /// The parameter, if the failure concerns one.
    pub parameter: Option<String>,
    /// Heat's error, at the place where the value is written.
    pub failure: Failure,
    code: Code,
    /// The violated constraint: its key and its place.
    constraint: Option<(&'static str, Span)>,
    /// What a hidden value does not do, without the value.
    expected: Option<String>,
}

/// A constraint that hotplate cannot check for a value.
#[derive(Clone, Debug, PartialEq)]
pub struct UncheckedConstraint {
    /// The name of the parameter that has the constraint.
    pub parameter: String,
    /// Why it cannot be checked.
    pub why: String,
    /// Where the value is written.
    pub span: Span,
    constraint: (&'static str, Span),
    secret: bool,
}

/// The values of all parameters, with their errors.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameters {
    /// The values in Heat's order, pseudo parameters first.
    pub values: IndexMap<String, Result<Value, Failure>>,
    /// All errors; Heat reports the first of each stage.
    pub failures: Vec<ParameterFailure>,
    /// The constraints that could not be checked.
    pub unchecked: Vec<UncheckedConstraint>,
}

/// The pseudo parameter for the stack's id.
const STACK_ID: &str = "OS::stack_id";
const PROJECT_ID: &str = "OS::project_id";
const STACK_NAME: &str = "OS::stack_name";

const PSEUDO: [&str; 3] = [STACK_ID, PROJECT_ID, STACK_NAME];

/// The pseudo parameters that groups may contain.
pub(super) const GROUPED_PSEUDO: [&str; 2] = [STACK_ID, PROJECT_ID];

impl Parameters {
    /// The failure that keeps every parameter from having a value.
    pub fn fatal(&self) -> Option<&ParameterFailure> {
        self.failures.iter().find(|failure| failure.stage == ParameterStage::Declaration)
    }

    /// Heat's report: the first failure of each stage, up to a fatal one.
    pub fn reported(&self) -> Vec<&ParameterFailure> {
        if let Some(fatal) = self.fatal() {
            return vec![fatal];
        }
        let first = |stage| self.failures.iter().find(|failure| failure.stage == stage);
        [first(ParameterStage::Validation), first(ParameterStage::Groups)]
            .into_iter()
            .flatten()
            .collect()
    }

    /// All failures and unchecked constraints as findings.
    pub fn findings(&self) -> Vec<Diagnostic> {
        let declared = self.values.keys().map(String::as_str);
        let declared = declared.filter(|name| !PSEUDO.contains(name));
        let mut suggestions = Suggestions::new(declared);
        let failures = self.failures.iter().map(|it| it.finding(&mut suggestions));
        let mut found: Vec<Diagnostic> = failures.collect();
        found.extend(suggestions.limit_finding());
        found.extend(self.unchecked.iter().map(UncheckedConstraint::finding));
        found
    }
}

/// Computes the value of every parameter.
pub fn evaluate(stack: &Stack, inputs: &ParameterInputs<'_>) -> Parameters {
    let mut out =
        Parameters { values: IndexMap::new(), failures: Vec::new(), unchecked: Vec::new() };
    for (name, value) in pseudo_parameters(stack, inputs) {
        out.values.insert(name.to_owned(), value);
    }
    let mut declared = Vec::with_capacity(stack.parameters.len());
    for (name, parameter) in &stack.parameters {
        let mut failures = Vec::new();
        let value = match declare(stack, name, parameter, inputs, &mut failures) {
            Ok(parameter) => {
                declared.push(parameter);
                // Reserves the position in the map.
                Ok(Value::Null)
            }
            Err(failure) => {
                failures.push(failure.clone());
                Err(failure)
            }
        };
        out.values.insert(name.clone(), value);
        out.failures.extend(failures.into_iter().map(|failure| {
            let code = crate::codes::PARAMETER_REFUSED;
            let failure = ParameterFailure::new(ParameterStage::Declaration, code, failure);
            ParameterFailure { parameter: Some(name.clone()), ..failure }
        }));
    }
    for (name, given) in inputs.user_values {
        if !stack.parameters.contains_key(name) {
            out.failures.push(undeclared(name, given));
        }
    }
    for mut parameter in declared {
        if inputs.missing == MissingValuePolicy::Placeholder && parameter.raw_value().is_none() {
            parameter.user_value =
                Some(SuppliedValue { value: parameter.placeholder(), span: None, key: None })
                    .filter(|given| given.value != Value::Null);
        }
        let value = parameter.value(inputs.missing, inputs.level);
        out.values.insert(parameter.name.to_owned(), value);
        parameter.validate(inputs.missing, inputs.budget, &mut out);
    }
    out.failures.extend(parameter_groups::check(stack));
    out
}

fn non_null(given: Option<&SuppliedValue>) -> Option<&SuppliedValue> {
    given.filter(|given| *given.value.unsealed() != Value::Null)
}

fn undeclared(name: &str, given: &SuppliedValue) -> ParameterFailure {
    let message = format!("The Parameter ({name}) was not defined in template.");
    let span = given.key.or(given.span).unwrap_or(Span::NOWHERE);
    let failure = Failure::new(HeatExceptionClass::UnknownUserParameter, message, span)
        .of_unknown_name(name, KnownNames::DeclaredParameters);
    ParameterFailure {
        parameter: Some(name.to_owned()),
        ..ParameterFailure::new(
            ParameterStage::Validation,
            crate::codes::UNKNOWN_PARAMETER,
            failure,
        )
    }
}
