//! Values of a stack as Heat computes them, partly known where only a cloud knows.
//!
//! See `docs/ARCHITECTURE.md#the-way-of-an-evaluation`, and `docs/heat.md` for the rules of Heat.

mod requested_attributes;
mod nested_parameters;
mod conditions;
mod constraints;
mod data_exprs;
mod dependencies;
pub mod deployment;
mod digest;
mod budget;
mod evaluate;
mod expression;
mod failure;
mod partial_evaluation;
mod functions;
mod groups;
mod inputs;
pub mod interpreter;
mod child_outputs;
mod parameter_groups;
pub mod parameters;
mod parse;
mod string_parts;
mod properties;
pub mod python;
mod references;
mod invalid_calls;
mod resource_states;
mod structure;
#[cfg(test)]
mod tests;
mod request_files;
pub mod typed_properties;
mod unknown;
mod unknown_calls;
mod unresolved;
mod validate;
mod value;

pub use budget::{Budget, MAX_VALUES};
pub use evaluate::{Evaluation, EvalOutcome, EvaluatedOutput, EvaluatedProperties, EvaluatedResource, evaluate};
pub use failure::{Class, Failure};
pub use partial_evaluation::{BoundParameters, PartialEvaluator, KnownStack, unknown_parameter};
pub use functions::str_replace::MAX_PLACEHOLDERS;
pub use functions::yaql::settings as yaql_settings;
pub use groups::HeatGroup as GroupKind;
pub use inputs::{RequestFileContent, Facade, FileLookup, EvaluationInputs, NoFiles, Runtime, EvaluationStage, StageFailure};
pub use string_parts::StringPart;
pub use python::PythonException;
pub use resource_states::ResourceStates;
pub use unknown::{Operation, Term, Unknown};
pub use value::{UnresolvedCall, Dependency, Key, Map, PythonObject, Value};
