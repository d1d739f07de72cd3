//! Regular expressions.

use super::super::function::Function;

pub(crate) const FUNCTIONS: &[Function] = &[];

/// A compiled regular expression.
#[derive(Debug)]
pub(crate) struct Pattern;
