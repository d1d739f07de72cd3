//! `hotplate lsp`: the language server for templates and environments.
//!
//! It has no knowledge of its own about Heat: findings come from `check`, quick fixes from `fix`, the impact of an edit from
//! `diff`, facts from the tables of HOT and the schema. [`Project`] is what the command line knows (what a template is deployed with,
//! which findings are wanted), [`Server`] the loop that answers a client, `Snapshot` what all files were at one moment; each
//! capability is a function of a snapshot in a file of its own.

mod analysis;
mod cache;
mod capabilities;
mod client;
mod client_process;
mod code_actions;
mod completion;
mod cursor;
mod definition;
mod diagnostics;
mod dispatch;
mod document_links;
mod edits;
mod file_view;
mod folding;
mod formatting;
mod framing;
mod hover;
mod impact;
mod inlay_hints;
mod lenses;
mod names;
mod nesting;
mod open_files;
mod open_text;
mod place;
mod position;
mod project;
mod recovery;
mod references;
mod rename;
mod selection;
mod semantic_tokens;
mod server;
mod settings;
mod shown_diagnostics;
mod snapshot;
mod state;
mod symbols;
#[cfg(test)]
mod testing;
mod transport;
mod workers;

pub use impact::{ImpactBase, ImpactDisplay};
pub use project::{
    EvaluatedDeployment, OpenProject, OpenedBase, Project, ProjectError, open_project,
};
pub use server::{Log, Server, ServerError};
pub use settings::Settings;
pub use transport::StdioTransport;
