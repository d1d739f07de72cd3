//! (to be written)

use super::super::function::Function;

pub(crate) const FUNCTIONS: &[Function] = &[];
