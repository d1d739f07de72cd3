//! Bytes to a tree with spans, and back: YAML as Heat's loader reads it, JSON, byte edits, writers.
//!
//! Nothing in this room knows of Heat's templates.

#![forbid(unsafe_code)]

pub mod codes;
mod document;
mod edit;
mod small_slice;
mod scalar_offsets;
mod invisible_keys;
mod jinja;
mod json;
pub mod json_writer;
mod dict_keys;
mod number;
#[cfg(test)]
mod property_tests;
mod read;
mod line_scan;
mod value;
pub mod yaml;

pub(crate) use document::RAISE_DEPTH_HELP;
pub use document::{
    Comment, MAX_DEPTH, Document, Entry, Limits, LineEnding, MappingNode, Node, NodeId, NodeKind, NodeStyle,
    Syntax, BYTES_PER_NODE, TextValue,
};
pub use edit::{Edit, Edits};
pub use small_slice::SmallSlice;
pub use scalar_offsets::ScalarOffsets;
pub use jinja::{Jinja, JinjaView};
pub use json::read as read_json;
pub use dict_keys::DictKey as PythonKey;
pub use read::{
    DecodeError, ViewDocument, JinjaViews, as_sent, decode, decode_into, jinja_skipped, read, read_all,
    read_views, read_yaml,
};
pub use line_scan::{scan_all_values, scan_values_of};
pub use value::{ValueTree, NodeRef, ValueShape, Value};
