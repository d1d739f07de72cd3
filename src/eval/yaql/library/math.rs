//! Numbers.

use super::super::function::Function;

pub(crate) const FUNCTIONS: &[Function] = &[];

/// The state of random numbers.
#[derive(Debug)]
pub(crate) struct Random;

impl Random {
    pub(crate) fn new(_seed: Option<u64>) -> Self {
        Random
    }
}
