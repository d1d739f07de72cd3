//! Why an expression has no value.

use std::ops::Range;

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// The class of an exception, by the name that it has in Python.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Kind {
            $($(#[$doc])* $name,)*
        }

        impl Kind {
            /// Every class.
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
    /// A value of the right type that does not fit.
    ValueError,
    /// A key that is missing.
    KeyError,
    /// An index out of range.
    IndexError,
    /// Something that the type of a value does not have.
    AttributeError,
    /// A condition that does not hold.
    AssertionError,
    /// A number that does not fit.
    OverflowError,
    /// A division by zero.
    ZeroDivisionError,
    /// A decimal number with more digits than can be computed with.
    InvalidOperation,
    /// What the operating system cannot do.
    OSError,
    /// Nothing where something is wanted.
    StopIteration,
    /// A generator that ends in a way that it must not.
    RuntimeError,
    /// What Python takes for a mistake of its own.
    SystemError,
    /// Too many calls inside each other.
    RecursionError,
    /// Too much memory, or too much work: our limits are lower than Python's own.
    MemoryError,
    /// Bytes that an encoding does not have.
    UnicodeDecodeError,
    /// A character that an encoding does not have.
    UnicodeEncodeError,
    /// A regular expression that is not well-formed.
    PatternError,
    /// A date that cannot be read.
    ParserError,
    /// yaql: no function has this name.
    NoFunctionRegisteredException,
    /// yaql: no method has this name.
    NoMethodRegisteredException,
    /// yaql: no function of this name takes these arguments.
    NoMatchingFunctionException,
    /// yaql: no method of this name takes these arguments.
    NoMatchingMethodException,
    /// yaql: more than one function takes these arguments.
    AmbiguousFunctionException,
    /// yaql: more than one method takes these arguments.
    AmbiguousMethodException,
    /// yaql: an argument that a function does not take.
    ArgumentException,
    /// yaql: a pair whose left side names no argument.
    MappingTranslationException,
    /// yaql: a collection with more items than allowed.
    CollectionTooLargeException,
    /// yaql: more memory than allowed.
    MemoryQuotaExceededException,
    /// yaql: characters that make no token.
    YaqlLexicalException,
    /// yaql: tokens that make no expression.
    YaqlGrammarException,
}

/// An exception.
#[derive(Clone, Debug, PartialEq)]
pub struct Exception {
    /// Its class.
    pub class: Kind,
    /// `str()` of it.
    pub message: String,
    /// The part of the expression that raised it, once it is known.
    pub span: Option<Range<usize>>,
}

/// Why there is no value.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// Python raises this.
    Raised(Box<Exception>),
    /// It depends on what is not known.
    Unknown,
}

/// A value, or why there is none.
pub(crate) type Outcome<T = super::Value> = Result<T, Failure>;

impl Failure {
    /// An exception.
    pub(crate) fn new(kind: Kind, message: impl Into<String>) -> Self {
        Failure::Raised(Box::new(Exception { class: kind, message: message.into(), span: None }))
    }

    /// A `TypeError`.
    pub(crate) fn type_error(message: impl Into<String>) -> Self {
        Failure::new(Kind::TypeError, message)
    }

    /// A `ValueError`.
    pub(crate) fn value_error(message: impl Into<String>) -> Self {
        Failure::new(Kind::ValueError, message)
    }

    /// The class of the exception.
    pub fn class(&self) -> Option<Kind> {
        match self {
            Failure::Raised(raised) => Some(raised.class),
            Failure::Unknown => None,
        }
    }

    /// The failure with the innermost place where it was raised.
    #[must_use]
    pub(crate) fn at(mut self, place: &Range<usize>) -> Self {
        if let Failure::Raised(raised) = &mut self {
            raised.span.get_or_insert_with(|| place.clone());
        }
        self
    }
}
