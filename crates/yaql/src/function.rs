//! How the library declares its functions.

use super::call::Call;
use super::types::Type;
use super::{Outcome, Value};

/// One overload of a library function.
#[derive(Debug)]
pub(crate) struct Function {
    /// The name in expressions; operators have names like `#operator_+`.
    pub(crate) name: &'static str,
    /// How it can be called.
    pub(crate) form: CallForm,
    /// Whether pairs are positional arguments instead of named ones.
    pub(crate) no_kwargs: bool,
    /// The parameters, positional ones first.
    pub(crate) parameters: &'static [Parameter],
    pub(crate) body: fn(&Call<'_>) -> Outcome,
}

/// How a function can be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallForm {
    /// `name(a)`.
    Function,
    /// `a.name()`.
    Method,
    /// `name(a)` or `a.name()`.
    Extension,
}

/// A parameter of a library function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parameter {
    /// The name for named arguments.
    pub(crate) name: &'static str,
    /// The type it accepts.
    pub(crate) kind: Type,
    /// Whether it also accepts null.
    pub(crate) nullable: bool,
    /// The value without an argument.
    pub(crate) default: DefaultValue,
    /// Which arguments it takes.
    pub(crate) variadic: Variadic,
}

/// The value of a parameter without an argument.
#[derive(Clone, Copy, Debug)]
pub(crate) enum DefaultValue {
    /// The argument is required.
    None,
    Missing,
    Null,
    Bool(bool),
    Int(i64),
    Text(&'static str),
    /// A time span of length zero.
    ZeroTimeSpan,
}

/// Which arguments a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variadic {
    /// The argument at its position or with its name.
    No,
    /// All further positional arguments.
    Positional,
    /// All further named arguments.
    Keyword,
}

impl DefaultValue {
    /// The default value, if there is one.
    pub(crate) fn value(self) -> Option<Value> {
        Some(match self {
            DefaultValue::None => return None,
            DefaultValue::Missing => Value::Missing,
            DefaultValue::Null => Value::Null,
            DefaultValue::Bool(value) => Value::Bool(value),
            DefaultValue::Int(value) => Value::int(value),
            DefaultValue::Text(text) => Value::text(text),
            DefaultValue::ZeroTimeSpan => {
                Value::TimeSpan(super::library::date_time::TimeSpan::ZERO)
            }
        })
    }
}

impl DefaultValue {
    /// The default as an expression; `None` if there is none or it cannot be written.
    pub(crate) fn source_text(self) -> Option<String> {
        Some(match self {
            DefaultValue::None | DefaultValue::Missing => return None,
            DefaultValue::Null => "null".to_owned(),
            DefaultValue::Bool(value) => value.to_string(),
            DefaultValue::Int(value) => value.to_string(),
            DefaultValue::Text(text) => format!("'{text}'"),
            DefaultValue::ZeroTimeSpan => "timespan()".to_owned(),
        })
    }
}

/// A parameter without a default; it accepts null only if its type does.
pub(crate) const fn param(name: &'static str, kind: Type) -> Parameter {
    Parameter {
        name,
        kind,
        nullable: kind.takes_null(),
        default: DefaultValue::None,
        variadic: Variadic::No,
    }
}

/// A parameter for all further positional arguments.
pub(crate) const fn rest(kind: Type) -> Parameter {
    Parameter { variadic: Variadic::Positional, ..param("*", kind) }
}

/// A parameter for all further named arguments.
pub(crate) const fn named(kind: Type) -> Parameter {
    Parameter { variadic: Variadic::Keyword, ..param("**", kind) }
}

impl Parameter {
    /// The parameter, also accepting null.
    #[must_use]
    pub(crate) const fn nullable(self) -> Self {
        Parameter { nullable: true, ..self }
    }

    /// The parameter, not accepting null.
    #[must_use]
    pub(crate) const fn not_null(self) -> Self {
        Parameter { nullable: false, ..self }
    }

    /// The parameter, made optional by a default.
    #[must_use]
    pub(crate) const fn or(self, default: DefaultValue) -> Self {
        Parameter { default, ..self }
    }
}

/// `name(…)`.
pub(crate) const fn function(
    name: &'static str,
    parameters: &'static [Parameter],
    body: fn(&Call<'_>) -> Outcome,
) -> Function {
    Function { name, form: CallForm::Function, no_kwargs: false, parameters, body }
}

/// `first.name(…)`.
pub(crate) const fn method(
    name: &'static str,
    parameters: &'static [Parameter],
    body: fn(&Call<'_>) -> Outcome,
) -> Function {
    Function { form: CallForm::Method, ..function(name, parameters, body) }
}

/// Both `name(first, …)` and `first.name(…)`.
pub(crate) const fn extension(
    name: &'static str,
    parameters: &'static [Parameter],
    body: fn(&Call<'_>) -> Outcome,
) -> Function {
    Function { form: CallForm::Extension, ..function(name, parameters, body) }
}

impl Function {
    /// The function, with pairs as positional arguments.
    #[must_use]
    pub(crate) const fn no_kwargs(self) -> Self {
        Function { no_kwargs: true, ..self }
    }

    /// Whether it can be called with, or without, a receiver.
    pub(crate) fn can_be_called(&self, with_receiver: bool) -> bool {
        match self.form {
            CallForm::Function => !with_receiver,
            CallForm::Method => with_receiver,
            CallForm::Extension => true,
        }
    }
}
