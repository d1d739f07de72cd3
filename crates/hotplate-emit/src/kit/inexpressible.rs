//! Why something cannot be expressed, before the resource that is affected is known.

use crate::{Loss, LossKind};
use source_diagnostics::{Severity, Span};

/// Why something cannot be expressed in the target.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Inexpressible {
    pub(crate) kind: LossKind,
    /// The function, attribute, property or other thing without a counterpart.
    pub(crate) subject: String,
    /// The reason, a sentence without a period.
    pub(crate) message: String,
    /// The place in the template; `NOWHERE` if only the whole has one.
    pub(crate) span: Span,
    /// What the user can do.
    pub(crate) suggestion: Option<String>,
    /// Whether the result is the same without it, so that it is reported as a note.
    pub(crate) has_no_effect: bool,
}

/// Something expressed in the target, or why it cannot be. The error is boxed to keep results small.
pub(crate) type Expressed<T> = Result<T, Box<Inexpressible>>;

impl Inexpressible {
    /// Something that cannot be expressed, without a suggestion.
    pub(crate) fn new(
        kind: LossKind,
        subject: &str,
        message: impl Into<String>,
        span: Span,
    ) -> Box<Self> {
        let subject = subject.to_owned();
        let message = message.into();
        Box::new(Inexpressible {
            kind,
            subject,
            message,
            span,
            suggestion: None,
            has_no_effect: false,
        })
    }

    /// A function call that cannot be expressed.
    pub(crate) fn function(name: &str, message: impl Into<String>, span: Span) -> Box<Self> {
        Self::new(LossKind::Function, name, message, span)
    }

    /// An attribute that the target does not provide.
    pub(crate) fn attribute(name: &str, message: impl Into<String>, span: Span) -> Box<Self> {
        Self::new(LossKind::Attribute, name, message, span)
    }

    /// A value that the target cannot hold.
    pub(crate) fn value(name: &str, message: impl Into<String>, span: Span) -> Box<Self> {
        Self::new(LossKind::Value, name, message, span)
    }

    /// Sets what the user can do.
    #[must_use]
    pub(crate) fn suggesting(mut self: Box<Self>, suggestion: impl Into<String>) -> Box<Self> {
        self.suggestion = Some(suggestion.into());
        self
    }

    /// Marks something without which the result is the same.
    #[must_use]
    pub(crate) fn without_effect(mut self: Box<Self>) -> Box<Self> {
        self.has_no_effect = true;
        self.suggestion = None;
        self
    }

    /// Sets the place, unless it is known.
    #[must_use]
    pub(crate) fn at_if_nowhere(mut self: Box<Self>, span: Span) -> Box<Self> {
        if self.span == Span::NOWHERE {
            self.span = span;
        }
        self
    }

    /// The loss of `owner` that follows from it.
    pub(crate) fn loss(&self, owner: &str) -> Loss {
        let mut loss =
            Loss::new(self.kind, self.subject.as_str(), self.message.as_str(), self.span)
                .with_owner(owner);
        loss.suggestion.clone_from(&self.suggestion);
        if self.has_no_effect {
            loss.severity = Severity::Note;
        }
        loss
    }
}
