//! Renders results as text and as data: one file per format, without logic.

mod annotations;
pub mod capabilities;
pub mod check;
pub mod check_pages;
pub mod codes;
pub mod config;
pub mod deployments;
pub mod diff;
pub mod environment;
pub mod escape;
pub mod eval;
mod excerpt;
pub mod ir;
pub mod json;
pub mod new_environment;
pub mod parameters;
pub mod patch;
pub mod policy;
pub mod render;
pub mod resource_types;
pub mod rules;
pub mod schemas;
pub mod targets;
pub mod text;
pub mod update_impact;
pub mod upgrade;
pub mod version_list;
pub mod versions;
pub mod wrap;
pub mod yaql;

pub use source_diagnostics::{SourceLocator, SourcePoint, SourceRange};
