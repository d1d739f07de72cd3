//! Why something cannot be expressed, before the resource that is affected is known.

use super::super::{Loss, LossKind};
use heat_engine::eval::Failure;
use source_diagnostics::Span;

/// Why something cannot be expressed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Inexpressible {
    pub(super) kind: LossKind,
    pub(super) subject: String,
    pub(super) message: String,
    pub(super) span: Span,
    pub(super) suggestion: Option<&'static str>,
}

/// A result, or why it cannot be expressed.
pub(super) type CfnResult<T> = Result<T, Box<Inexpressible>>;

const BAKE_SUGGESTION: &str = "give `--bake` the names of the parameters that it depends on, so that it is computed \
                    while rendering";

impl Inexpressible {
    /// A function without a counterpart in CloudFormation.
    pub(super) fn function(subject: &str, message: impl Into<String>, span: Span) -> Box<Self> {
        Self::new(LossKind::Function, subject, message, span).way_out(BAKE_SUGGESTION)
    }

    /// Anything else without a counterpart.
    pub(super) fn new(
        kind: LossKind,
        subject: &str,
        message: impl Into<String>,
        span: Span,
    ) -> Box<Self> {
        let subject = subject.to_owned();
        Box::new(Inexpressible { kind, subject, message: message.into(), span, suggestion: None })
    }

    pub(super) fn way_out(mut self: Box<Self>, way_out: &'static str) -> Box<Self> {
        self.suggestion = Some(way_out);
        self
    }

    /// An evaluation that fails in Heat as well.
    pub(super) fn failure(subject: &str, failure: &Failure, span: Span) -> Box<Self> {
        let message =
            format!("Heat rejects this: {}", failure.safe_message().trim_end_matches('.'));
        Self::new(LossKind::Value, subject, message, span)
    }

    /// Turns it into a loss of `owner`.
    pub(super) fn loss(&self, owner: &str) -> Loss {
        let loss = Loss::new(self.kind, self.subject.clone(), self.message.clone(), self.span);
        let loss = loss.with_owner(owner);
        match self.suggestion {
            Some(way_out) => loss.way_out(way_out),
            None => loss,
        }
    }
}
