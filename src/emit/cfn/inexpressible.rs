//! Why something cannot be expressed, before it is known what is lost by that.

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

/// A result, or why there is none.
pub(super) type CfnResult<T> = Result<T, Box<Inexpressible>>;

const BAKE_SUGGESTION: &str = "give `--bake` the names of the parameters that it depends on, so that it is computed \
                    while rendering";

impl Inexpressible {
    /// A function that CloudFormation does not have.
    pub(super) fn function(subject: &str, message: impl Into<String>, span: Span) -> Box<Self> {
        Self::new(LossKind::Function, subject, message, span).way_out(BAKE_SUGGESTION)
    }

    /// Something else.
    pub(super) fn new(
        kind: LossKind,
        subject: &str,
        message: impl Into<String>,
        span: Span,
    ) -> Box<Self> {
        let subject = subject.to_owned();
        Box::new(Inexpressible { kind, subject, message: message.into(), span, suggestion: None })
    }

    /// What a user can do.
    pub(super) fn way_out(mut self: Box<Self>, way_out: &'static str) -> Box<Self> {
        self.suggestion = Some(way_out);
        self
    }

    /// What Heat would refuse as well.
    pub(super) fn failure(subject: &str, failure: &Failure, span: Span) -> Box<Self> {
        let message =
            format!("Heat would refuse this: {}", failure.safe_message().trim_end_matches('.'));
        Self::new(LossKind::Value, subject, message, span)
    }

    /// As a loss of something.
    pub(super) fn loss(&self, owner: &str) -> Loss {
        let loss = Loss::new(self.kind, self.subject.clone(), self.message.clone(), self.span);
        let loss = loss.with_owner(owner);
        match self.suggestion {
            Some(way_out) => loss.way_out(way_out),
            None => loss,
        }
    }
}
