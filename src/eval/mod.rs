//! Values of a stack as Heat computes them, partly known where only a cloud knows.
//!
//! See `docs/ARCHITECTURE.md`, chapter «evaluate».

mod conditions;
mod constraints;
mod data;
mod evaluate;
mod expression;
mod failure;
mod functions;
mod groups;
mod inputs;
pub mod parameters;
mod parse;
pub(crate) mod python;
mod references;
mod refused;
mod table;
mod template;
#[cfg(test)]
mod tests;
mod unresolved;
mod validate;
mod value;

pub use evaluate::{Evaluation, Outcome, Output, Properties, Resource, evaluate};
pub use failure::{Class, Failure};
pub use inputs::{Content, Facade, Files, Inputs, NoFiles, Runtime, Stage, StageFailure};
pub use python::Raised;
pub use table::Table;
pub use value::{Call, Dependency, Key, Map, Unknown, Value};
