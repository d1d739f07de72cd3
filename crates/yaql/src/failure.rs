//! Why an expression has no value.

use std::ops::Range;

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// The class of an exception, by its name in Python.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Kind {
            $($(#[$doc])* $name,)*
        }

        impl Kind {
            /// All classes.
            pub const ALL: &'static [Kind] = &[$(Kind::$name),*];

            /// The name in Python.
            pub fn name(self) -> &'static str {
                if self == Kind::PatternError {
                    return "error";
                }
                match self {
                    $(Kind::$name => stringify!($name),)*
                }
            }
        }
    };
}

kinds! {
    /// A value of the wrong type.
    TypeError,
    /// A value of the right type that is not valid.
    ValueError,
    /// A missing key.
    KeyError,
    /// An index out of range.
    IndexError,
    /// An attribute that a type does not have.
    AttributeError,
    /// An assertion that fails.
    AssertionError,
    /// A number that is out of range.
    OverflowError,
    /// A division by zero.
    ZeroDivisionError,
    /// A decimal number with more digits than the precision allows.
    InvalidOperation,
    /// An error of the operating system.
    OSError,
    /// A missing item.
    StopIteration,
    /// A generator that ends with `StopIteration`.
    RuntimeError,
    /// An internal error of the interpreter.
    SystemError,
    /// Too many nested calls.
    RecursionError,
    /// Too much memory or too many steps; our limits are lower than Python's.
    MemoryError,
    /// Bytes that are not valid in an encoding.
    UnicodeDecodeError,
    /// A character that an encoding does not have.
    UnicodeEncodeError,
    /// A regular expression that is not valid.
    PatternError,
    /// A date that cannot be parsed.
    ParserError,
    /// yaql: no function has this name.
    NoFunctionRegisteredException,
    /// yaql: no method has this name.
    NoMethodRegisteredException,
    /// yaql: no function of this name accepts these arguments.
    NoMatchingFunctionException,
    /// yaql: no method of this name accepts these arguments.
    NoMatchingMethodException,
    /// yaql: more than one function accepts these arguments.
    AmbiguousFunctionException,
    /// yaql: more than one method accepts these arguments.
    AmbiguousMethodException,
    /// yaql: an argument that a function does not accept.
    ArgumentException,
    /// yaql: a pair whose left side names no argument.
    MappingTranslationException,
    /// yaql: a collection with more items than allowed.
    CollectionTooLargeException,
    /// yaql: more memory than the quota allows.
    MemoryQuotaExceededException,
    /// yaql: characters that form no token.
    YaqlLexicalException,
    /// yaql: tokens that form no expression.
    YaqlGrammarException,
}

/// A Python exception.
#[derive(Clone, Debug, PartialEq)]
pub struct Exception {
    /// The exception class.
    pub class: Kind,
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
    pub(crate) fn new(kind: Kind, message: impl Into<String>) -> Self {
        Failure::Raised(Box::new(Exception { class: kind, message: message.into(), span: None }))
    }

    pub(crate) fn type_error(message: impl Into<String>) -> Self {
        Failure::new(Kind::TypeError, message)
    }

    pub(crate) fn value_error(message: impl Into<String>) -> Self {
        Failure::new(Kind::ValueError, message)
    }

    /// The class of the exception; `None` if the value is unknown.
    pub fn class(&self) -> Option<Kind> {
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
