//! Everything that is tested from outside of the library, in one executable: `cargo test --test all cli::`.

mod cli;
mod deployment;
mod docs;
mod environment;
mod language_server;
mod properties;
mod schemas;
mod snapshots;
mod templates;
mod text_properties;
mod traffic;
mod yaql_rewrites;
