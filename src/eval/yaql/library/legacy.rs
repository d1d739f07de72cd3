//! (to be written)

use super::super::function::Function;

pub(crate) const FUNCTIONS: &[Function] = &[];

pub(crate) const EXCLUSIVE: &[&str] = &["#indexer", "switch"];
