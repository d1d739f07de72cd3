//! The values that the engine of OpenStack Heat computes of a template, offline.
//!
//! - [`environment`]: environment files, parameters and the resource registry, merged as Heat merges them
//! - [`eval`]: the values of parameters, conditions, resources and outputs, nested stacks included, known in part
//!   where only a cloud knows them
//! - [`security_rule`]: the rules of security groups, decoded for reviews and targets

#![forbid(unsafe_code)]

pub mod codes;
pub mod environment;
pub mod eval;
pub mod security_rule;

/// The examples of the README are run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
