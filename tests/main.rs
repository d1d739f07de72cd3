//! Everything that is tested from outside of the library, in one executable: `cargo test --test promises cli::`.

mod cli;
mod deployment;
mod docs;
mod environment;
mod language_server;
mod promises;
mod properties;
mod schemas;
mod snapshots;
mod templates;
mod traffic;
mod yaql_rewrites;
