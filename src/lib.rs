//! hotplate reads OpenStack Heat templates (HOT) as Heat's own engine reads them, lowers them to an
//! intermediate representation and works on that: upgrades, comparisons, other targets.
//!
//! The data flow of an upgrade, one crate or module per stage:
//!
//! ```text
//! paths ──source-files──▶ bytes ──lossless-yaml──▶ Document ──heat-template──▶ ir::Stack
//!                                                     │                           │
//!                                                     └─────────upgrade───────────┘──▶ edits + proof ──▶ new text
//! ```
//!
//! `docs/ARCHITECTURE.md` has the table of stages and says where to add what.

#![forbid(unsafe_code)]

pub mod cli;
pub mod editor_schema;
pub mod language_server;
pub mod report;
pub mod resource_types;

pub use hotplate_project::{codes, config, fix, parameters, policy, resolved_tree, root_causes};

/// The stages that are crates of their own.
pub use {
    hotplate_check as check, hotplate_diff as diff, hotplate_emit as emit,
    hotplate_project as project, hotplate_upgrade as upgrade, saved_stack,
};

/// The examples of the page about the library are run.
#[cfg(doctest)]
#[doc = include_str!("../docs/library.md")]
pub struct LibraryPage;
