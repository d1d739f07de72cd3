//! The values of a stack as Heat computes them; values that only a cloud knows stay symbolic.
//!
//! See `crates/heat-engine/ARCHITECTURE.md#evaluation-of-a-stack`, and `docs/heat.md` for the rules of Heat.

mod budget;
mod child_outputs;
mod conditions;
mod constraints;
mod data_exprs;
mod dependencies;
pub mod deployment;
mod digest;
mod evaluate;
mod expression;
mod failure;
mod functions;
mod groups;
mod implicit_dependencies;
mod inputs;
pub mod interpreter;
mod invalid_calls;
mod nested_parameters;
mod parameter_groups;
pub mod parameters;
mod parse;
mod partial_evaluation;
mod partial_list;
mod plain_words;
mod properties;
pub mod python;
mod references;
mod request_files;
mod requested_attributes;
mod resource_states;
mod string_parts;
mod structure;
pub mod template_graph;
#[cfg(test)]
mod tests;
pub mod typed_properties;
mod unknown;
mod unknown_calls;
mod unresolved;
mod validate;
mod value;

pub use budget::{Budget, MAX_VALUES};
pub use constraints::{DeclaredConstraints, ImpossibleBounds};
pub use evaluate::{EvaluatedOutput, EvaluatedProperties, EvaluatedResource, Evaluation, evaluate};
pub use expression::STACK_BYTES;
pub use failure::{ErrorClass, EvalResult, Failure, HeatExceptionClass, KnownNames, UnknownName};
pub use functions::str_replace::MAX_PLACEHOLDERS;
pub use functions::yaql::heat_yaql_options;
pub use groups::{GroupMemory, HeatGroup, RunningMembers};
pub use inputs::{
    EvaluationInputs, EvaluationStage, Facade, FileLookup, NoFiles, RequestFileContent, Runtime,
    StageFailure,
};
pub use partial_evaluation::{BoundParameters, KnownStack, PartialEvaluator, unknown_parameter};
pub use partial_list::{ListContent, ListPart, list_parts};
pub use plain_words::{in_plain_words, plain_words};
pub use python::PythonException;
pub use resource_states::ResourceStates;
pub use string_parts::StringPart;
pub use unknown::{Operation, Term, Unknown};
pub use value::{Dependency, Key, Map, PythonObject, Secret, UnresolvedCall, Value};
