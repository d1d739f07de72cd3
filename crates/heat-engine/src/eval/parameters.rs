//! The values of a stack's parameters: coerced, checked, in Heat's order.
//!
//! Source: `docs/heat.md#parameters-and-constraints`.

mod conversion;
mod declared_parameter;
mod findings;
mod pseudo;
#[cfg(test)]
mod tests;

pub use self::conversion::coerce;
pub use self::conversion::to_type;

use indexmap::IndexMap;

use self::declared_parameter::declare;
use self::pseudo::pseudo_parameters;
use super::{Class, Failure, Value, parameter_groups};
use crate::environment::EnvironmentNode;
use heat_template::ir::{ParameterType, Stack};
use source_diagnostics::{Code, Diagnostic, Span};

/// A value that somebody gives a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct SuppliedValue {
    /// The value, not coerced yet; null is as good as none.
    pub value: Value,
    /// Where it is written, if it is written in a text.
    pub span: Option<Span>,
    /// Where the parameter is named for it.
    pub key: Option<Span>,
}

impl From<&EnvironmentNode> for SuppliedValue {
    fn from(node: &EnvironmentNode) -> Self {
        SuppliedValue { value: node.into(), span: Some(node.span), key: Some(node.key) }
    }
}

/// What becomes of a parameter that has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingValuePolicy {
    /// It is symbolic.
    Unknown,
    /// It gets a value that is made up, as Heat's judge makes it up.
    Placeholder,
    /// It is Heat's error.
    Error,
}

/// Who the stack is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StackIdentity {
    /// Its name; the pseudo parameter is not there where it is empty.
    pub stack_name: String,
    /// Its id.
    pub stack_id: String,
    /// The id of its project.
    pub project_id: String,
}

/// All that decides on the values, besides the template.
#[derive(Clone, Debug)]
pub struct ParameterInputs<'a> {
    /// The user's values, in the order in which they were given.
    pub user_values: &'a IndexMap<String, SuppliedValue>,
    /// The environment's defaults.
    pub environment_defaults: &'a IndexMap<String, SuppliedValue>,
    /// Who the stack is.
    pub identity: &'a StackIdentity,
    /// What becomes of a parameter that has no value.
    pub missing: MissingValuePolicy,
    /// How many stacks are around the one whose parameters these are.
    pub level: usize,
    /// What may be looked at and made.
    pub budget: &'a super::Budget,
}

/// When Heat notices a failure. At each stage it stops at the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ParameterStage {
    /// While it reads the declarations: without them there are no values at all.
    Declaration,
    /// While it checks the values.
    Validation,
    /// While it checks `parameter_groups`.
    Groups,
}

impl ParameterStage {
    /// The name that Heat's judge gives it.
    pub fn name(self) -> &'static str {
        match self {
            ParameterStage::Declaration => "parameters",
            ParameterStage::Validation => "parameter validation",
            ParameterStage::Groups => "parameter groups",
        }
    }
}

/// A failure of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterFailure {
    /// When Heat notices it.
    pub stage: ParameterStage,
    /// The parameter, where it is about one.
    pub parameter: Option<String>,
    /// What Heat says, at the place where the value is written.
    pub failure: Failure,
    code: Code,
    /// The constraint that is violated: its key and its place.
    constraint: Option<(&'static str, Span)>,
}

/// A constraint of which nobody knows here whether the value satisfies it.
#[derive(Clone, Debug, PartialEq)]
pub struct UncheckedConstraint {
    /// The parameter.
    pub parameter: String,
    /// Why it is not known.
    pub why: String,
    /// Where the value is written.
    pub span: Span,
    constraint: (&'static str, Span),
    secret: bool,
}

/// The values of all parameters, and what is wrong with them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameters {
    /// The values in Heat's order, the pseudo parameters first.
    pub values: IndexMap<String, Result<Value, Failure>>,
    /// Everything that Heat refuses; of each stage the first is what Heat reports.
    pub failures: Vec<ParameterFailure>,
    /// What could not be checked.
    pub unchecked: Vec<UncheckedConstraint>,
}

/// The pseudo parameter that holds the id of the stack.
const STACK_ID: &str = "OS::stack_id";
const PROJECT_ID: &str = "OS::project_id";
const STACK_NAME: &str = "OS::stack_name";

/// The pseudo parameters that groups may name.
pub(super) const GROUPED_PSEUDO: [&str; 2] = [STACK_ID, PROJECT_ID];

impl Parameters {
    /// The failure that keeps Heat from giving any value.
    pub fn fatal(&self) -> Option<&ParameterFailure> {
        self.failures.iter().find(|failure| failure.stage == ParameterStage::Declaration)
    }

    /// What Heat reports: the first failure of each stage, nothing past a fatal one.
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

    /// Everything as findings.
    pub fn findings(&self) -> Vec<Diagnostic> {
        let failures = self.failures.iter().map(ParameterFailure::finding);
        failures.chain(self.unchecked.iter().map(UncheckedConstraint::finding)).collect()
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
        match declare(stack, name, parameter, inputs) {
            Ok(parameter) => declared.push(parameter),
            Err(failure) => {
                out.values.insert(name.clone(), Err(failure.clone()));
                let failure = ParameterFailure::new(
                    ParameterStage::Declaration,
                    crate::codes::PARAMETER_REFUSED,
                    failure,
                );
                out.failures.push(ParameterFailure { parameter: Some(name.clone()), ..failure });
                continue;
            }
        }
        // Reserves the place.
        out.values.insert(name.clone(), Ok(Value::Null));
    }
    for (name, given) in inputs.user_values {
        if !stack.parameters.contains_key(name) {
            out.failures.push(undeclared(stack, name, given));
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

fn undeclared(stack: &Stack, name: &str, given: &SuppliedValue) -> ParameterFailure {
    let message = format!("The Parameter ({name}) was not defined in template.");
    let span = given.key.or(given.span).unwrap_or(Span::NOWHERE);
    let failure = Failure::new(Class::UnknownUserParameter, message, span)
        .with_suggestion(name, stack.parameters.keys().map(String::as_str));
    ParameterFailure {
        parameter: Some(name.to_owned()),
        ..ParameterFailure::new(
            ParameterStage::Validation,
            crate::codes::UNKNOWN_PARAMETER,
            failure,
        )
    }
}

/// The type as HOT names it.
pub fn type_name(kind: ParameterType) -> &'static str {
    match kind {
        ParameterType::Text => "string",
        ParameterType::Number => "number",
        ParameterType::TextList => "comma_delimited_list",
        ParameterType::Json => "json",
        ParameterType::Boolean => "boolean",
    }
}
