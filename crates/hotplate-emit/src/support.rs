//! How much of types and functions targets support, for the tables of `docs/targets.md`.

/// How much of something a target supports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TargetSupport {
    /// All of it, without a difference.
    Full,
    /// A part of it, or everything with the given difference.
    Partial(String),
    /// Nothing, for the given reason.
    Unsupported(String),
}
