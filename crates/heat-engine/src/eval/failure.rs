//! Why a value cannot be computed, in Heat's terms.

use super::plain_words::plain_words;
use super::value::Value;
use heat_template::ir::Stack;
use python_semantics::ExceptionClass;
use smol_str::SmolStr;
use source_diagnostics::{Diagnostic, ShowSecrets, Span};
use std::collections::BTreeSet;
use std::sync::Arc;

python_semantics::exception_classes! {
    /// The class of an exception that Heat itself declares.
    pub enum HeatExceptionClass {
        /// A template or a value that is not valid.
        StackValidationFailed,
        /// A parameter without a value.
        UserParameterMissing,
        /// A parameter that the template does not declare.
        UnknownUserParameter,
        /// A resource that does not exist.
        InvalidTemplateReference,
        /// An adopted resource that depends on others.
        InvalidExternalResourceDependency,
        /// An attribute that a resource does not have.
        InvalidTemplateAttribute,
        /// A missing or unknown template version.
        InvalidTemplateVersion,
        /// A section that the version does not have.
        InvalidTemplateSection,
        /// A parameter schema that is not valid.
        InvalidSchemaError,
        /// A condition definition that is missing or not valid.
        InvalidConditionDefinition,
        /// An entity that does not exist.
        NotFound,
        /// A limit that is exceeded.
        RequestLimitExceeded,
        /// A condition that does not exist.
        InvalidConditionReference,
    }
}

/// The class of an exception that Heat raises, or lets through from Python and its libraries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorClass {
    /// An exception that Heat declares.
    Heat(HeatExceptionClass),
    /// Declared by Python or by a library.
    Python(ExceptionClass),
}

impl From<HeatExceptionClass> for ErrorClass {
    fn from(class: HeatExceptionClass) -> Self {
        ErrorClass::Heat(class)
    }
}

impl From<ExceptionClass> for ErrorClass {
    fn from(class: ExceptionClass) -> Self {
        ErrorClass::Python(class)
    }
}

impl PartialEq<HeatExceptionClass> for ErrorClass {
    fn eq(&self, other: &HeatExceptionClass) -> bool {
        *self == ErrorClass::Heat(*other)
    }
}

impl PartialEq<ExceptionClass> for ErrorClass {
    fn eq(&self, other: &ExceptionClass) -> bool {
        *self == ErrorClass::Python(*other)
    }
}

impl ErrorClass {
    /// The name in Heat or Python, without the module.
    pub const fn name(self) -> &'static str {
        match self {
            ErrorClass::Heat(class) => class.name(),
            ErrorClass::Python(class) => class.name(),
        }
    }

    /// The class with this name in Heat or Python.
    pub fn from_name(name: &str) -> Option<ErrorClass> {
        let heat = HeatExceptionClass::from_name(name).map(ErrorClass::Heat);
        heat.or_else(|| ExceptionClass::from_name(name).map(ErrorClass::Python))
    }

    /// Whether it is Python's `ValueError` or a subclass.
    pub const fn is_value_error(self) -> bool {
        matches!(self, ErrorClass::Python(class) if class.is_value_error())
    }

    /// Plain words for a message that says which method a value lacks.
    pub(super) fn missing_method(self, message: &str) -> Option<&'static str> {
        match self {
            ErrorClass::Heat(_) => None,
            ErrorClass::Python(class) => missing_method(class, message),
        }
    }

    /// A message in words that stand without the name of the class.
    fn plain_words(self, message: &str) -> String {
        let key = message.strip_prefix('\'').and_then(|it| it.strip_suffix('\''));
        match (self, key) {
            // Python shows the key alone, and Heat a sentence as if it were one.
            (ErrorClass::Python(ExceptionClass::KeyError), Some(key)) if key.contains(' ') => {
                plain_words(key)
            }
            (ErrorClass::Python(ExceptionClass::KeyError), _) => {
                format!("there is no key `{}`", key.unwrap_or(message))
            }
            _ if message.is_empty() => "Heat fails here without a message".to_owned(),
            _ => plain_words(message),
        }
    }

    /// A message that describes the failure without the value, for a failure that may show a secret.
    pub fn without_value(self, message: &str) -> &'static str {
        match self {
            ErrorClass::Heat(class) => heat_message_without_value(class),
            ErrorClass::Python(class) => python_message_without_value(class, message),
        }
    }
}

/// The message if the reason itself may show a secret.
const HIDDEN_REASON: &str = "the reason would show a secret value";

fn heat_message_without_value(class: HeatExceptionClass) -> &'static str {
    use HeatExceptionClass as Heat;
    match class {
        Heat::NotFound => "the hidden value names something that does not exist",
        Heat::InvalidTemplateReference
        | Heat::InvalidTemplateAttribute
        | Heat::InvalidConditionReference => {
            "the hidden value names something that the template does not have"
        }
        Heat::StackValidationFailed => "the hidden value is not valid here",
        Heat::UserParameterMissing => "the hidden value leaves a parameter without a value",
        Heat::UnknownUserParameter => "the hidden value names an undeclared parameter",
        Heat::InvalidExternalResourceDependency
        | Heat::InvalidTemplateVersion
        | Heat::InvalidTemplateSection
        | Heat::InvalidSchemaError
        | Heat::InvalidConditionDefinition
        | Heat::RequestLimitExceeded => HIDDEN_REASON,
    }
}

/// The type that a value does not have if it lacks the method that a message names.
fn missing_method(class: ExceptionClass, message: &str) -> Option<&'static str> {
    let lacks = |method: &str| message.ends_with(&format!("no attribute '{method}'"));
    match class {
        ExceptionClass::AttributeError if lacks("split") => Some("the value is not a string"),
        ExceptionClass::AttributeError if lacks("items") || lacks("get") => {
            Some("the value is not a map")
        }
        _ => None,
    }
}

fn python_message_without_value(class: ExceptionClass, message: &str) -> &'static str {
    use ExceptionClass as Python;
    if let Some(words) = missing_method(class, message) {
        return words;
    }
    match class {
        Python::TypeError => "the hidden value has the wrong type",
        Python::AttributeError => "the hidden value is not the string or map that is required",
        Python::ValueError | Python::UnicodeDecodeError | Python::UnicodeEncodeError => {
            "the hidden value is not accepted here"
        }
        Python::KeyError | Python::IndexError => {
            "the hidden value names something that does not exist"
        }
        Python::ParserError => "the hidden value cannot be parsed as a date",
        Python::OverflowError | Python::InvalidOperation => "the hidden number is too large",
        Python::ZeroDivisionError => "the hidden number is 0, which cannot be a divisor",
        Python::PatternError => "the hidden value is not a regular expression",
        Python::AssertionError
        | Python::StopIteration
        | Python::RuntimeError
        | Python::OSError
        | Python::SystemError
        | Python::MemoryError
        | Python::RecursionError
        | Python::NoFunctionRegisteredException
        | Python::NoMethodRegisteredException
        | Python::NoMatchingFunctionException
        | Python::NoMatchingMethodException
        | Python::AmbiguousFunctionException
        | Python::AmbiguousMethodException
        | Python::ArgumentException
        | Python::MappingTranslationException
        | Python::CollectionTooLargeException
        | Python::MemoryQuotaExceededException
        | Python::YaqlLexicalException
        | Python::YaqlGrammarException => HIDDEN_REASON,
    }
}

/// A value, or the reason why there is none.
pub type EvalResult<T = Value> = Result<T, Failure>;

/// Parts that Heat does not accept, with the place in the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// The class of the exception that Heat raises or lets through.
    pub class: ErrorClass,
    /// Heat's message, or a close equivalent, which may show a secret.
    pub(super) message: String,
    /// The place in the text that caused the failure.
    pub span: Span,
    /// The message to show instead, if the original may show a secret.
    pub(super) redacted: Option<Box<str>>,
    /// The unknown name, if the failure is about one.
    pub unknown: Option<Box<UnknownName>>,
}

/// A name that does not exist. The one that was probably meant is only looked for where the failure becomes a finding: most do not.
#[derive(Clone, Debug, PartialEq)]
pub struct UnknownName {
    /// The name.
    pub name: String,
    /// The names that exist.
    pub known: KnownNames,
}

impl UnknownName {
    /// The help, if the name is that of something else.
    pub(super) fn other_function(&self, stack: &Stack) -> Option<&'static str> {
        match &self.known {
            KnownNames::Parameters if stack.resources.contains_key(&self.name) => {
                Some("use `get_resource` to refer to a resource")
            }
            KnownNames::Resources if stack.resources.contains_key(&self.name) => {
                Some("give what refers to it the same condition, or select with `if`")
            }
            KnownNames::Resources if stack.parameters.contains_key(&self.name) => {
                Some("use `get_param` for the value of a parameter")
            }
            KnownNames::Parameters
            | KnownNames::DeclaredParameters
            | KnownNames::Resources
            | KnownNames::Conditions
            | KnownNames::Attributes(..) => None,
        }
    }

    /// The mistake in a reference to the name in a stack, which may declare it.
    pub(super) fn reason(&self, stack: &Stack) -> String {
        let name = &self.name;
        match &self.known {
            KnownNames::Resources if stack.resources.contains_key(name) => {
                format!("the resource `{name}` is not created: its condition is false")
            }
            KnownNames::Parameters if stack.parameters.contains_key(name) => {
                format!("the parameter `{name}` has no value")
            }
            KnownNames::Parameters if stack.resources.contains_key(name) => {
                format!("`{name}` is a resource, not a parameter")
            }
            KnownNames::Resources if stack.parameters.contains_key(name) => {
                format!("`{name}` is a parameter, not a resource")
            }
            KnownNames::Parameters | KnownNames::DeclaredParameters => {
                format!("there is no parameter `{name}`")
            }
            KnownNames::Resources => format!("there is no resource `{name}`"),
            KnownNames::Conditions => format!("there is no condition `{name}`"),
            KnownNames::Attributes(_, resource) => {
                format!("the resource `{resource}` has no attribute `{name}`")
            }
        }
    }
}

/// The names among which an unknown one may be meant.
#[derive(Clone, Debug, PartialEq)]
pub enum KnownNames {
    /// The parameters that have a value, with pseudo parameters.
    Parameters,
    /// The parameters that the template declares.
    DeclaredParameters,
    /// The resources of the template.
    Resources,
    /// The conditions of the template.
    Conditions,
    /// The attributes of a resource, with its name.
    Attributes(Arc<BTreeSet<SmolStr>>, String),
}

impl Failure {
    /// A failure at a place.
    pub fn new(class: impl Into<ErrorClass>, message: impl Into<String>, span: Span) -> Self {
        let (class, message) = (class.into(), message.into());
        Failure { class, message, span, redacted: None, unknown: None }
    }

    /// Says which name is unknown, and where it was looked for.
    #[must_use]
    pub fn of_unknown_name(self, name: &str, known: KnownNames) -> Self {
        Failure { unknown: Some(Box::new(UnknownName { name: name.to_owned(), known })), ..self }
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

    /// What failed, in plain words and without secrets.
    pub fn words(&self) -> String {
        self.class.plain_words(self.safe_message())
    }

    /// Heat's message as it is.
    pub fn shown_message(&self, _permission: ShowSecrets) -> &str {
        &self.message
    }

    /// Whether another computation failed with the same class and message, which may show secrets.
    pub fn is_like(&self, other: &Failure) -> bool {
        (self.class, &self.message) == (other.class, &other.message)
    }

    /// The finding that reports it in a stack: in plain words where there are some, with Heat's own beside them.
    pub(super) fn finding(&self, stack: &Stack) -> Diagnostic {
        let of_heat = format!("{} ({})", self.safe_message(), self.class.name());
        let unknown = self.unknown.as_ref().filter(|_| !self.is_secret());
        let words = unknown.map_or_else(|| self.words(), |unknown| unknown.reason(stack));
        let finding = Diagnostic::new(crate::codes::NO_VALUE, words).at(self.span);
        Diagnostic { heat_message: Some(of_heat.into()), ..finding }
    }

    /// The finding if it fails only in validation, in which no resource exists.
    pub(super) fn finding_at_creation(&self, stack: &Stack) -> Diagnostic {
        let finding = self.finding(stack);
        let message = format!(
            "what resources return is null while Heat validates a stack, which fails here: {}",
            finding.message
        );
        Diagnostic { message, ..finding }
            .with_consequence(source_diagnostics::Consequence::StackRefused)
            .help("guard it: `list_join: ['', [{get_attr: …}]]` is an empty string then; in yaql, `coalesce($.data, [])`")
    }

    /// Whether the message may show a secret.
    pub fn is_secret(&self) -> bool {
        self.redacted.is_some()
    }
}
