//! Why an expression has no value.

use std::ops::Range;

use python_semantics::ExceptionClass;

/// An exception that Python, yaql or a library of it raises.
#[derive(Clone, Debug, PartialEq)]
pub struct Exception {
    /// The exception class.
    pub class: ExceptionClass,
    /// Its `str()` in Python.
    pub message: String,
    /// The byte range of the part that raised it, once known.
    pub span: Option<Range<usize>>,
}

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// Python raises this exception.
    Raised(Box<Exception>),
    /// The value depends on something unknown.
    Unknown,
}

/// A value, or the reason why there is none.
pub(crate) type Outcome<T = super::Value> = Result<T, Failure>;

impl Failure {
    pub(crate) fn new(class: ExceptionClass, message: impl Into<String>) -> Self {
        Failure::Raised(Box::new(Exception { class, message: message.into(), span: None }))
    }

    pub(crate) fn type_error(message: impl Into<String>) -> Self {
        Failure::new(ExceptionClass::TypeError, message)
    }

    pub(crate) fn value_error(message: impl Into<String>) -> Self {
        Failure::new(ExceptionClass::ValueError, message)
    }

    /// The class of the exception; `None` if the value is unknown.
    pub fn class(&self) -> Option<ExceptionClass> {
        match self {
            Failure::Raised(raised) => Some(raised.class),
            Failure::Unknown => None,
        }
    }

    /// Sets the place of the exception, unless a more deeply nested one is set.
    #[must_use]
    pub(crate) fn at(mut self, place: &Range<usize>) -> Self {
        if let Failure::Raised(raised) = &mut self {
            raised.span.get_or_insert_with(|| place.clone());
        }
        self
    }
}
