//! What a change of a template, of its environment or of what it includes does to the running stack.
//!
//! Two deployments in, a [`Comparison`] out. See
//! `docs/ARCHITECTURE.md#the-way-of-a-comparison`, and `docs/heat.md#updates` for Heat's rules.

pub mod affected;
#[cfg(test)]
mod single_template;
mod compare;
mod comparison;
mod constraints;
mod entries;
mod environment;
mod suppressions;
mod fail_on;
mod findings;
mod dataflow;
mod impact;
mod input;
mod lists;
mod name_order;
mod update_impact;
mod parameters;
mod refusals;
mod renames;
mod propagation;
mod equality;
mod secrets;
mod security;
#[cfg(test)]
mod testing;
pub mod text_diff;
mod unread_files;
mod values;
mod update_rules;

pub use compare::{ComparisonResult, DeploymentSide, compare};
pub use comparison::*;
pub use suppressions::{CommentSide, SuppressionOptions, ParseSuppressionError, parse_suppression};
pub use fail_on::{FailOn, UnknownImpact};
pub use findings::{FindingSide, SidedFinding, by_side};
pub use update_rules::{HEAT, UpdateRule};
