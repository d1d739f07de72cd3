//! Which characters are letters and digits to Python.

pub(crate) use crate::eval::unicode::{digit, is_word};
