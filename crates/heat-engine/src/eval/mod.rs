//! Values of a stack as Heat computes them, partly known where only a cloud knows.
//!
//! See `docs/ARCHITECTURE.md#the-way-of-an-evaluation`, and `docs/heat.md` for the rules of Heat.

mod asked;
mod children;
mod conditions;
mod constraints;
mod data;
mod dependencies;
pub mod deployment;
mod digest;
mod effort;
mod evaluate;
mod expression;
mod failure;
mod fold;
mod functions;
mod groups;
mod inputs;
pub mod interpreter;
mod known;
mod parameter_groups;
pub mod parameters;
mod parse;
mod pieces;
mod properties;
pub mod python;
mod references;
mod refused;
mod table;
mod template;
#[cfg(test)]
mod tests;
mod travel;
pub mod typed;
mod unknown;
mod unknown_calls;
mod unresolved;
mod validate;
mod value;

pub use effort::{Effort, MAX_VALUES};
pub use evaluate::{Evaluation, Outcome, Output, Properties, Resource, evaluate};
pub use failure::{Class, Failure};
pub use fold::{Fixed, Folding, KnownStack, open_parameter};
pub use functions::str_replace::MOST_PLACEHOLDERS;
pub use functions::yaql::settings as yaql_settings;
pub use groups::Kind as GroupKind;
pub use inputs::{Content, Facade, Files, Inputs, NoFiles, Runtime, Stage, StageFailure};
pub use pieces::Piece;
pub use python::Raised;
pub use table::Table;
pub use unknown::{Operation, Term, Unknown};
pub use value::{Call, Dependency, Key, Map, Object, Value};
