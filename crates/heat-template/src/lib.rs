//! Templates of OpenStack Heat: read in any of their dialects, lowered to a neutral representation, and raised from it.
//!
//! - [`dialect`]: the entry point for templates of any dialect
//! - [`hot`]: HOT, version by version; [`cfn`]: the two CFN formats that Heat accepts
//! - [`ir`]: what both are lowered to: parameters, conditions, resources, outputs and expressions
//! - [`schema`]: the facts about Heat's resource types, a crate of its own
//!
//! Values are not computed here, and nothing is read from a disk.

#![forbid(unsafe_code)]

pub mod cfn;
pub mod codes;
pub mod dialect;
pub mod hot;
pub mod ir;
pub use heat_facts as schema;

/// The examples of the README are run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
