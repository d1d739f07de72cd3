//! What targets say of types and functions, as the tables of `docs/targets.md` show it.

/// How much of something a target says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TargetSupport {
    /// All of it.
    Full,
    /// Some of it, or with a difference, which is named.
    Partial(String),
    /// Nothing, for this reason.
    Unsupported(String),
}
