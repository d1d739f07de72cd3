//! Findings about the values of parameters.

use super::{ParameterFailure, ParameterStage, UncheckedConstraint};
use crate::eval::Failure;
use crate::eval::plain_words::in_plain_words;
use source_diagnostics::{Code, Diagnostic, Span, Suggestions};

impl ParameterFailure {
    pub(in crate::eval) fn new(stage: ParameterStage, code: Code, failure: Failure) -> Self {
        ParameterFailure { stage, parameter: None, failure, code, constraint: None, expected: None }
    }

    /// The failure as a finding that points to the value and the constraint. It does not show the value
    /// of a hidden parameter.
    pub(super) fn finding(&self, declared: &mut Suggestions<'_>) -> Diagnostic {
        let mut finding = match (&self.parameter, self.failure.is_secret()) {
            (Some(name), true) => {
                let is_default = self.code == crate::codes::PARAMETER_DEFAULT;
                let value = if is_default { "default" } else { "value" };
                let expected = self.expected.as_deref().unwrap_or("is not valid for its type");
                let message = format!("the hidden {value} of parameter `{name}` {expected}");
                Diagnostic::new(self.code, message)
            }
            _ => in_plain_words(self.failure.safe_message().trim_end_matches('.'), |words| {
                let of_heat =
                    format!("{} ({})", self.failure.safe_message(), self.failure.class.name());
                Diagnostic {
                    heat_message: Some(of_heat.into()),
                    ..Diagnostic::new(self.code, words)
                }
            }),
        };
        if self.failure.span != Span::NOWHERE {
            finding = finding.at(self.failure.span);
        }
        if let Some((key, span)) = self.constraint {
            finding = finding.related(span, format!("this `{key}` is violated"));
        }
        match &self.failure.unknown {
            Some(unknown) => declared.suggest(finding, &unknown.name),
            None => finding,
        }
    }
}

impl UncheckedConstraint {
    /// A note that the constraint could not be checked.
    pub fn finding(&self) -> Diagnostic {
        let (key, span) = self.constraint;
        let message = if self.secret {
            format!("the `{key}` of the hidden parameter `{}` cannot be checked", self.parameter)
        } else {
            format!("the `{key}` of parameter `{}` cannot be checked: {}", self.parameter, self.why)
        };
        let finding = Diagnostic::new(crate::codes::CONSTRAINT_NOT_CHECKED, message);
        let finding = if self.span == Span::NOWHERE { finding } else { finding.at(self.span) };
        finding.related(span, "this constraint")
    }
}
