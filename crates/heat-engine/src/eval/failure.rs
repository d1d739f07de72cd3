//! Why a value cannot be computed, in Heat's terms.

use source_diagnostics::{Span, did_you_mean};

macro_rules! classes {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// The class of a Heat or Python exception, by its original name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Class {
            $($(#[$doc])* $name,)*
        }

        impl Class {
            /// The original name in Heat or Python.
            pub fn name(self) -> &'static str {
                if self == Class::PatternError {
                    return "error";
                }
                match self {
                    $(Class::$name => stringify!($name),)*
                }
            }

            /// The class with this original name.
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
    /// A message that describes the failure without the value, for a failure that may show a secret.
    pub fn without_value(self, message: &str) -> &'static str {
        let lacks = |method: &str| message.ends_with(&format!("no attribute '{method}'"));
        match self {
            Class::AttributeError if lacks("split") => "the value is not a text",
            Class::AttributeError if lacks("items") || lacks("get") => "the value is not a map",
            Class::TypeError => "the hidden value has the wrong type",
            Class::AttributeError => "the hidden value is not the text or map that is required",
            Class::ValueError | Class::UnicodeDecodeError | Class::UnicodeEncodeError => {
                "the hidden value is not accepted here"
            }
            Class::KeyError | Class::IndexError | Class::NotFound => {
                "the hidden value names something that does not exist"
            }
            Class::InvalidTemplateReference
            | Class::InvalidTemplateAttribute
            | Class::InvalidConditionReference => {
                "the hidden value names something that the template does not have"
            }
            Class::ParserError => "the hidden value cannot be parsed as a date",
            Class::OverflowError | Class::InvalidOperation => "the hidden number is too large",
            Class::ZeroDivisionError => "the hidden number is 0, which cannot be a divisor",
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
    /// Python: a value of the right type that is not valid.
    ValueError,
    /// Python: a value of the wrong type.
    TypeError,
    /// Python: a missing key.
    KeyError,
    /// Python: an index out of range.
    IndexError,
    /// Python: an attribute that a type does not have.
    AttributeError,
    /// Python: an assertion that fails.
    AssertionError,
    /// Python: a missing item.
    StopIteration,
    /// Python: an unexpected state at run time.
    RuntimeError,
    /// `dateutil`: a date that cannot be parsed.
    ParserError,
    /// `decimal`: a number with too many digits.
    InvalidOperation,
    /// Python: an error of the operating system.
    OSError,
    /// Python: an internal error of the interpreter.
    SystemError,
    /// Python: a number that is out of range.
    OverflowError,
    /// Python: a division by zero.
    ZeroDivisionError,
    /// Python: a regular expression that is not valid; its name in Python is `re.error`.
    PatternError,
    /// Python: out of memory; hotplate's limits are lower than Python's.
    MemoryError,
    /// Python: bytes that are not valid in an encoding.
    UnicodeDecodeError,
    /// Python: text with a character that an encoding does not have.
    UnicodeEncodeError,
    /// Python: calls that are nested too deeply.
    RecursionError,
    /// yaql: an unknown function.
    NoFunctionRegisteredException,
    /// yaql: an unknown method.
    NoMethodRegisteredException,
    /// yaql: arguments that no function of the name accepts.
    NoMatchingFunctionException,
    /// yaql: arguments that no method of the name accepts.
    NoMatchingMethodException,
    /// yaql: arguments that several functions of the name accept.
    AmbiguousFunctionException,
    /// yaql: arguments that several methods of the name accept.
    AmbiguousMethodException,
    /// yaql: an argument that a function does not accept.
    ArgumentException,
    /// yaql: a pair that names no argument.
    MappingTranslationException,
    /// yaql: a collection with more items than Heat allows.
    CollectionTooLargeException,
    /// yaql: a value that needs more memory than Heat allows.
    MemoryQuotaExceededException,
    /// yaql: characters that form no token.
    YaqlLexicalException,
    /// yaql: tokens that form no expression.
    YaqlGrammarException,
    /// Heat: a template or a value that is not valid.
    StackValidationFailed,
    /// Heat: a parameter without a value.
    UserParameterMissing,
    /// Heat: a parameter that the template does not declare.
    UnknownUserParameter,
    /// Heat: a resource that does not exist.
    InvalidTemplateReference,
    /// Heat: an adopted resource that depends on others.
    InvalidExternalResourceDependency,
    /// Heat: an attribute that a resource does not have.
    InvalidTemplateAttribute,
    /// Heat: a missing or unknown template version.
    InvalidTemplateVersion,
    /// Heat: an unknown section.
    InvalidTemplateSection,
    /// Heat: a parameter schema that is not valid.
    InvalidSchemaError,
    /// Heat: a condition definition that is missing or not valid.
    InvalidConditionDefinition,
    /// Heat: an entity that does not exist.
    NotFound,
    /// Heat: a limit that is exceeded.
    RequestLimitExceeded,
    /// Heat: a condition that does not exist.
    InvalidConditionReference,
}

/// What Heat does not accept, with the place in the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// The exception class.
    pub class: Class,
    /// Heat's message, or a close equivalent.
    pub message: String,
    /// The place in the text that caused the failure.
    pub span: Span,
    /// The message to show instead, if the original may show a secret.
    pub redacted: Option<Box<str>>,
    /// The name that was probably meant, if the failure is about an unknown name.
    pub suggestion: Option<Box<String>>,
}

impl Failure {
    /// A failure at a place.
    pub fn new(class: Class, message: impl Into<String>, span: Span) -> Self {
        let message = message.into();
        Failure { class, message, span, redacted: None, suggestion: None }
    }

    /// Adds the name among `names` that was probably meant by `name`.
    #[must_use]
    pub fn with_suggestion<'n>(self, name: &str, names: impl IntoIterator<Item = &'n str>) -> Self {
        Failure {
            suggestion: did_you_mean(name, names).map(|near| Box::new(near.to_owned())),
            ..self
        }
    }

    /// Marks the message as one that may show a secret, if `secret`.
    #[must_use]
    pub fn sealed(self, secret: bool) -> Self {
        let without_value = || self.class.without_value(&self.message).into();
        let instead = self.redacted.or_else(|| secret.then(without_value));
        Failure { redacted: instead, ..self }
    }

    /// The message, or its replacement if it may show a secret.
    pub fn safe_message(&self) -> &str {
        self.redacted.as_deref().unwrap_or(&self.message)
    }

    /// Whether the message may show a secret.
    pub fn is_secret(&self) -> bool {
        self.redacted.is_some()
    }
}
