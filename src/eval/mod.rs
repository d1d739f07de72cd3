//! Values of a stack as Heat computes them, partly known where only a cloud knows.
//!
//! See `docs/ARCHITECTURE.md`, chapter «evaluate».

mod constraints;
mod data;
mod failure;
mod groups;
pub mod parameters;
pub(crate) mod python;
mod value;

pub use failure::{Class, Failure};
pub use value::{Call, Dependency, Key, Map, Unknown, Value};
