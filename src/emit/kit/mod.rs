//! What several targets share: one form of each thing that is not about a format.

mod inexpressible;

pub(in crate::emit) use inexpressible::{Expressed, Inexpressible};
