//! Why a value cannot be computed, in Heat's terms.

use source_diagnostics::{Span, did_you_mean};

macro_rules! classes {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// The class of an exception of Heat or of Python, by the name that it has there.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Class {
            $($(#[$doc])* $name,)*
        }

        impl Class {
            /// The name in Heat or Python.
            pub fn name(self) -> &'static str {
                if self == Class::PatternError {
                    return "error";
                }
                match self {
                    $(Class::$name => stringify!($name),)*
                }
            }

            /// The class of this name.
            pub fn of_name(name: &str) -> Option<Class> {
                match name {
                    "error" => Some(Class::PatternError),
                    $(stringify!($name) => Some(Class::$name),)*
                    _ => None,
                }
            }
        }
    };
}

impl Class {
    /// What is told instead of a message that may show a secret: what is wrong, without the value.
    pub fn without_value(self, message: &str) -> &'static str {
        let lacks = |method: &str| message.ends_with(&format!("no attribute '{method}'"));
        match self {
            Class::AttributeError if lacks("split") => "the value is not a text",
            Class::AttributeError if lacks("items") || lacks("get") => "the value is not a map",
            Class::TypeError => "the hidden value is not of the type that is wanted here",
            Class::AttributeError => {
                "the hidden value is not a text, or not a map, where one is wanted"
            }
            Class::ValueError | Class::UnicodeDecodeError | Class::UnicodeEncodeError => {
                "the hidden value is not one that is accepted here"
            }
            Class::KeyError | Class::IndexError | Class::NotFound => {
                "the hidden value names something that does not exist"
            }
            Class::InvalidTemplateReference
            | Class::InvalidTemplateAttribute
            | Class::InvalidConditionReference => {
                "the hidden value names something that the template does not have"
            }
            Class::ParserError => "the hidden value is not a date that can be read",
            Class::OverflowError | Class::InvalidOperation => "the hidden number is too large",
            Class::ZeroDivisionError => "the hidden number is 0, by which nothing is divided",
            Class::PatternError => "the hidden value is not a regular expression",
            Class::StackValidationFailed => "the hidden value is not valid here",
            Class::UserParameterMissing => "the hidden value leaves a parameter without a value",
            Class::UnknownUserParameter => "the hidden value names an undeclared parameter",
            Class::AssertionError
            | Class::StopIteration
            | Class::RuntimeError
            | Class::OSError
            | Class::SystemError
            | Class::MemoryError
            | Class::RecursionError
            | Class::NoFunctionRegisteredException
            | Class::NoMethodRegisteredException
            | Class::NoMatchingFunctionException
            | Class::NoMatchingMethodException
            | Class::AmbiguousFunctionException
            | Class::AmbiguousMethodException
            | Class::ArgumentException
            | Class::MappingTranslationException
            | Class::CollectionTooLargeException
            | Class::MemoryQuotaExceededException
            | Class::YaqlLexicalException
            | Class::YaqlGrammarException
            | Class::InvalidExternalResourceDependency
            | Class::InvalidTemplateVersion
            | Class::InvalidTemplateSection
            | Class::InvalidSchemaError
            | Class::InvalidConditionDefinition
            | Class::RequestLimitExceeded => "the reason would show a secret value",
        }
    }
}

classes! {
    /// Python: a value of the right type that does not fit.
    ValueError,
    /// Python: a value of the wrong type.
    TypeError,
    /// Python: a key that is missing.
    KeyError,
    /// Python: an index out of range.
    IndexError,
    /// Python: something that the type of a value does not have.
    AttributeError,
    /// Python: a condition that does not hold.
    AssertionError,
    /// Python: nothing where something is wanted.
    StopIteration,
    /// Python: what must not happen where it does.
    RuntimeError,
    /// `dateutil`: a date that cannot be read.
    ParserError,
    /// `decimal`: a number with too many digits.
    InvalidOperation,
    /// Python: what the system refuses.
    OSError,
    /// Python: what its own parts disagree on.
    SystemError,
    /// Python: a number that does not fit.
    OverflowError,
    /// Python: a division by zero.
    ZeroDivisionError,
    /// Python: a regular expression that is not well-formed; `re.error` by its name.
    PatternError,
    /// Python: more than fits the memory; our limits are lower than its own.
    MemoryError,
    /// Python: bytes that an encoding does not have.
    UnicodeDecodeError,
    /// Python: text with a character that an encoding does not have.
    UnicodeEncodeError,
    /// Python: a computation that does not come to an end.
    RecursionError,
    /// yaql: a function that is not there.
    NoFunctionRegisteredException,
    /// yaql: a method that is not there.
    NoMethodRegisteredException,
    /// yaql: arguments that no function of the name takes.
    NoMatchingFunctionException,
    /// yaql: arguments that no method of the name takes.
    NoMatchingMethodException,
    /// yaql: arguments that several functions of the name take.
    AmbiguousFunctionException,
    /// yaql: arguments that several methods of the name take.
    AmbiguousMethodException,
    /// yaql: an argument that a function does not take.
    ArgumentException,
    /// yaql: a pair that names no argument.
    MappingTranslationException,
    /// yaql: a collection with more items than Heat allows.
    CollectionTooLargeException,
    /// yaql: a value that takes more memory than Heat allows.
    MemoryQuotaExceededException,
    /// yaql: characters that make no token.
    YaqlLexicalException,
    /// yaql: tokens that make no expression.
    YaqlGrammarException,
    /// Heat: a template or a value that is not valid.
    StackValidationFailed,
    /// Heat: a parameter without a value.
    UserParameterMissing,
    /// Heat: a parameter that the template does not declare.
    UnknownUserParameter,
    /// Heat: a resource that is not there.
    InvalidTemplateReference,
    /// Heat: an adopted resource that depends on others.
    InvalidExternalResourceDependency,
    /// Heat: an attribute that a resource does not have.
    InvalidTemplateAttribute,
    /// Heat: a template version that is not there or not known.
    InvalidTemplateVersion,
    /// Heat: a section that is not known.
    InvalidTemplateSection,
    /// Heat: a schema of a parameter that is not valid.
    InvalidSchemaError,
    /// Heat: a condition that is not defined, or wrong.
    InvalidConditionDefinition,
    /// Heat: something that is not there.
    NotFound,
    /// Heat: more of something than it allows.
    RequestLimitExceeded,
    /// Heat: a condition that is not there.
    InvalidConditionReference,
}

/// What Heat does not accept, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// Its class.
    pub class: Class,
    /// Heat's words, or as near as they come.
    pub message: String,
    /// The place in the text that wrote the value.
    pub span: Span,
    /// What is told instead of the message, where that may show a secret.
    pub redacted: Option<Box<str>>,
    /// The name that was probably meant, where it is about one that is not there.
    pub suggestion: Option<Box<String>>,
}

impl Failure {
    /// A failure at a place.
    pub fn new(class: Class, message: impl Into<String>, span: Span) -> Self {
        let message = message.into();
        Failure { class, message, span, redacted: None, suggestion: None }
    }

    /// The failure with the name among these that `name` was probably meant to be.
    #[must_use]
    pub fn with_suggestion<'n>(self, name: &str, names: impl IntoIterator<Item = &'n str>) -> Self {
        Failure {
            suggestion: did_you_mean(name, names).map(|near| Box::new(near.to_owned())),
            ..self
        }
    }

    /// The failure as one whose message may show a secret, if `secret`.
    #[must_use]
    pub fn sealed(self, secret: bool) -> Self {
        let without_value = || self.class.without_value(&self.message).into();
        let instead = self.redacted.or_else(|| secret.then(without_value));
        Failure { redacted: instead, ..self }
    }

    /// The message, or what is told instead where it may show a secret.
    pub fn safe_message(&self) -> &str {
        self.redacted.as_deref().unwrap_or(&self.message)
    }

    /// Whether the message may show a secret.
    pub fn is_secret(&self) -> bool {
        self.redacted.is_some()
    }
}
