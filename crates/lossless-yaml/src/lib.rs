//! Bytes to a tree with spans, and back: YAML as Heat's loader reads it, JSON, byte edits, writers.
//!
//! Nothing in this room knows of Heat's templates.

#![forbid(unsafe_code)]

pub mod codes;
mod document;
mod edit;
mod few;
mod inside;
mod invisible;
mod jinja;
mod json;
pub mod json_writer;
mod keys;
mod number;
#[cfg(test)]
mod properties;
mod read;
mod unread;
mod value;
pub mod yaml;

pub(crate) use document::RAISE_DEPTH;
pub use document::{
    Comment, DEEPEST, Document, Entry, Limits, LineEnding, Mapping, Node, NodeId, NodeKind, Style,
    Syntax, TEXT_OF_A_NODE, Text,
};
pub use edit::{Edit, Edits};
pub use few::Few;
pub use inside::Spelling;
pub use jinja::{Jinja, View};
pub use json::read as read_json;
pub use keys::Key as PythonKey;
pub use read::{
    NotText, Viewed, Views, as_sent, decode, decode_into, jinja_skipped, read, read_all,
    read_views, read_yaml,
};
pub use unread::{all_values, values_of};
pub use value::{Data, NodeRef, Shape, Value};
