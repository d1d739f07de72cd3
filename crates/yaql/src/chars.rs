//! Which characters Python treats as letters and digits.

pub(crate) use python_semantics::unicode::{digit, is_word};
