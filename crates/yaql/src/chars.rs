//! Which characters are letters and digits to Python.

pub(crate) use python_semantics::unicode::{digit, is_word};
