//! What the library declares of its functions.

use super::call::Call;
use super::types::Type;
use super::{Outcome, Value};

/// A function of the library: one overload of a name.
#[derive(Debug)]
pub(crate) struct Function {
    /// The name that expressions call; operators have names like `#operator_+`.
    pub(crate) name: &'static str,
    /// How it can be called.
    pub(crate) form: CallForm,
    /// Whether pairs are arguments of their own instead of arguments with a name.
    pub(crate) no_kwargs: bool,
    /// What it takes, positions first.
    pub(crate) parameters: &'static [Parameter],
    /// What it computes.
    pub(crate) body: fn(&Call<'_>) -> Outcome,
}

/// How a function can be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallForm {
    /// `name(a)`.
    Function,
    /// `a.name()`.
    Method,
    /// Both.
    Extension,
}

/// A parameter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parameter {
    /// The name by which arguments can be given.
    pub(crate) name: &'static str,
    /// What it takes.
    pub(crate) kind: Type,
    /// Whether null will do.
    pub(crate) nullable: bool,
    /// What it is without an argument.
    pub(crate) default: DefaultValue,
    /// Which arguments it takes.
    pub(crate) variadic: Variadic,
}

/// What a parameter is without an argument.
#[derive(Clone, Copy, Debug)]
pub(crate) enum DefaultValue {
    /// There must be one.
    None,
    /// [`Value::Missing`].
    Missing,
    Null,
    Bool(bool),
    Int(i64),
    Text(&'static str),
    /// A time span of nothing.
    ZeroTimeSpan,
}

/// Which arguments a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variadic {
    /// The one at its position, or of its name.
    No,
    /// All further ones.
    Positional,
    /// All further ones that have a name.
    Keyword,
}

impl DefaultValue {
    /// The value, if there is one.
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
    /// The value as an expression writes it; `None` where there is none, or where none writes it.
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

/// A parameter that must be given.
pub(crate) const fn param(name: &'static str, kind: Type) -> Parameter {
    Parameter {
        name,
        kind,
        nullable: kind.takes_null(),
        default: DefaultValue::None,
        variadic: Variadic::No,
    }
}

/// A parameter for all further arguments.
pub(crate) const fn rest(kind: Type) -> Parameter {
    Parameter { variadic: Variadic::Positional, ..param("*", kind) }
}

/// A parameter for all further arguments with a name.
pub(crate) const fn named(kind: Type) -> Parameter {
    Parameter { variadic: Variadic::Keyword, ..param("**", kind) }
}

impl Parameter {
    /// The same parameter, which takes null too.
    #[must_use]
    pub(crate) const fn nullable(self) -> Self {
        Parameter { nullable: true, ..self }
    }

    /// The same parameter, which does not take null.
    #[must_use]
    pub(crate) const fn not_null(self) -> Self {
        Parameter { nullable: false, ..self }
    }

    /// The same parameter, which need not be given.
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
    /// The same function, for which pairs are arguments of their own.
    #[must_use]
    pub(crate) const fn no_kwargs(self) -> Self {
        Function { no_kwargs: true, ..self }
    }

    /// Whether it can be called on a receiver, or without one.
    pub(crate) fn can_be_called(&self, with_receiver: bool) -> bool {
        match self.form {
            CallForm::Function => !with_receiver,
            CallForm::Method => with_receiver,
            CallForm::Extension => true,
        }
    }
}
