//! YAML 1.1 as libyaml 0.2.5 scans and parses it and PyYAML's safe loader builds values from it.
//!
//! This module does not depend on anything about Heat. `scanner` → `parser` (events) → `resolver`, `composer`
//! (values) → [`Document`](crate::Document); `one_pass` is the short way for the common subset; `writer` goes back.
//!
//! The scanner and the parser follow libyaml's algorithm token for token and error for error.
//! libyaml is Copyright (c) 2017-2020 Ingy döt Net and Copyright (c) 2006-2016 Kirill Simonov, under
//! the MIT license, whose text is in `NOTICE`.

mod composer;
#[cfg(test)]
mod composer_tests;
mod cursor;
mod event;
mod loader;
mod mapping;
mod mistakes;
mod one_pass;
mod parser;
mod recursion;
mod rejected;
mod resolver;
mod scalar;
mod scalar_builder;
mod scanner;
mod short_tags;
mod timestamp;
mod token;
pub mod writer;

pub use event::{Event, EventKind, Properties, ScalarStyle, ScalarValue, YamlError};
pub use loader::PyYamlLoader;
pub use parser::Parser;
pub use scalar::{ScalarContext, is_plain, literal, one_line};

pub(crate) use composer::{
    ShortTags, read as compose, read_by_events as compose_by_events, read_in_one_pass,
};
pub(crate) use resolver::shortened;

/// The offsets and the value of the scalar that begins at a byte of a text; `None` if
/// none begins there, or if the text contains its value unchanged.
pub(super) fn offset_map_of(
    text: &str,
    start: usize,
    dialect: PyYamlLoader,
) -> Option<(super::scalar_offsets::OffsetMap, std::borrow::Cow<'_, str>)> {
    scanner::Scanner::new(text, dialect).offset_map_of(start)
}
