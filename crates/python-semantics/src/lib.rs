//! CPython 3.11's operations on text and numbers, for programs that must return what a Python program returns.
//!
//! - [`regex`]: the regular expressions of `re`, with its error messages, bounded in steps and memory
//! - [`unicode`]: characters by the tables of Unicode 14, and `repr` of text
//! - [`number`]: integers of any size, `int`, `float` and their `repr`
//! - [`url`]: how `urllib` quotes text
//! - [`ExceptionClass`]: the classes of exceptions, of Python and of the libraries that Heat uses

#![forbid(unsafe_code)]

mod exception;
pub mod number;
pub mod regex;
pub mod unicode;
pub mod url;

pub use exception::ExceptionClass;

/// The examples of the README are run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
