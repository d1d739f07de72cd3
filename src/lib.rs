//! hotplate reads OpenStack Heat templates (HOT) as Heat's own engine reads them, lowers them to a
//! neutral intermediate representation and works on that: upgrades, checks, comparisons, other
//! targets.
//!
//! The data flow, one module per stage:
//!
//! ```text
//! paths ──files──▶ bytes ──source──▶ Document ──hot::lower──▶ ir::Stack
//!                                       │                        │
//!                                       └──────upgrade───────────┘──▶ edits + proof ──▶ new text
//! ```
//!
//! `docs/ARCHITECTURE.md` has the stage table and says where to add what.

#![forbid(unsafe_code)]

pub mod cli;
pub mod codes;
pub mod diff;
pub mod emit;
pub mod report;
mod root_causes;
#[cfg(test)]
mod testing;
pub mod upgrade;
