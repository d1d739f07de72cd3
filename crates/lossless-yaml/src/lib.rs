//! Parsing into a tree with spans, and writing: YAML as Heat's loader reads it, JSON, byte edits.
//!
//! This module knows nothing of Heat templates.

#![forbid(unsafe_code)]

pub mod codes;
mod dict_keys;
mod document;
mod edit;
mod invisible_keys;
mod jinja;
mod json;
pub mod json_writer;
mod line_scan;
mod number;
#[cfg(test)]
mod property_tests;
mod read;
mod replaced_scalar;
mod scalar_offsets;
mod small_slice;
mod value;
pub mod yaml;

pub use dict_keys::DictKey as PythonKey;
pub(crate) use document::RAISE_DEPTH_HELP;
pub use document::{
    BYTES_PER_NODE, Comment, Document, Entry, Limits, LineEnding, MAX_DEPTH, MappingNode, Node,
    NodeId, NodeKind, NodeStyle, Syntax, TextValue,
};
pub use edit::{Edit, Edits};
pub use jinja::{Jinja, JinjaView};
pub use json::read as read_json;
pub use line_scan::{MarkedBlock, scan_all_values, scan_marked_blocks, scan_values_of};
pub use read::{
    DecodeError, JINJA_MESSAGE, JinjaViews, ViewDocument, as_sent, decode, decode_into,
    jinja_skipped, read, read_all, read_views, read_yaml, read_yaml_by_events,
    read_yaml_in_one_pass,
};
pub use scalar_offsets::ScalarOffsets;
pub use small_slice::SmallSlice;
pub use value::{NodeRef, Value, ValueShape, ValueTree};

/// The examples of the README are run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
