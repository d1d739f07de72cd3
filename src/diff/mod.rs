//! What a change of a template, of its environment or of what it includes does to the running stack.
//!
//! Two deployments in, a [`Comparison`] out. See
//! `docs/ARCHITECTURE.md#the-way-of-a-comparison`, and `docs/heat.md#updates` for Heat's rules.

pub mod affected;
#[cfg(test)]
mod alone;
mod compare;
mod comparison;
mod constraints;
mod entries;
mod environment;
mod excuses;
mod fail_on;
mod findings;
mod flow;
mod impact;
mod input;
mod lists;
mod order;
mod outcome;
mod parameters;
mod refusals;
mod renames;
mod ripple;
mod sameness;
mod secrets;
mod security;
#[cfg(test)]
mod testing;
pub mod text;
mod unread;
mod values;
mod why;

pub use compare::{Compared, Side, compare};
pub use comparison::*;
pub use excuses::{AllowFrom, Permissions, WrongExcuse, parse_excuse};
pub use fail_on::{FailOn, UnknownImpact};
pub use findings::{FindingSide, SidedFinding, by_side};
pub use why::{HEAT, Why};
