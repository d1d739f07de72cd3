//! What hotplate has to say about its input: codes, spans, findings.
//!
//! Every other room may depend on this one; it depends on none. A [`Diagnostic`] is data: the
//! rooms make it, `report/` shows it.

#![forbid(unsafe_code)]

mod code;
pub mod codes;
mod secrets;
mod source_range;
mod span;
mod span_index;
mod suggest;

pub use code::{Code, CodeInfo};
pub use secrets::redacted;
pub use source_range::{SourceLocator, SourcePoint, SourceRange};
pub use span::{LineIndex, Position, SourceId, SourceMap, Span};
pub use span_index::SpanIndex;
pub use suggest::did_you_mean;

use schemars::JsonSchema;
use serde::Serialize;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; nothing needs to be done.
    Note,
    /// Works, but probably not as its author thinks.
    Warning,
    /// Heat refuses this, or hotplate cannot go on here.
    Error,
}

impl Severity {
    /// Every severity, the least first.
    pub const ALL: [Severity; 3] = [Severity::Note, Severity::Warning, Severity::Error];
}

/// A place that a finding points at, with what is to be said about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What is there; may be empty where the main message says it all.
    pub message: Box<str>,
}

/// One finding: a stable code, its severity, a sentence, the places, and the way out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// The stable code; it gives the default severity and the documentation link.
    pub code: Code,
    /// How bad it is.
    pub severity: Severity,
    /// One sentence without a final full stop.
    pub message: String,
    /// Where it is; `None` only for what has no place in a text (a missing file).
    pub primary: Option<Label>,
    /// Other places that explain it.
    pub related: Vec<Label>,
    /// What the user can do, one sentence each.
    pub help: Vec<String>,
}

impl Diagnostic {
    /// A finding of `code` with the code's own severity and no place yet.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Diagnostic {
            code,
            severity: code.info().severity,
            message: message.into(),
            primary: None,
            related: Vec::new(),
            help: Vec::new(),
        }
    }

    /// Points the finding at `span`.
    #[must_use]
    pub fn at(self, span: Span) -> Self {
        self.labeled(span, "")
    }

    /// Points the finding at `span` and says there what is meant.
    #[must_use]
    pub fn labeled(mut self, span: Span, message: impl Into<String>) -> Self {
        self.primary = Some(Label { span, message: message.into().into_boxed_str() });
        self
    }

    /// Adds a second place.
    #[must_use]
    pub fn related(mut self, span: Span, message: impl Into<String>) -> Self {
        // Most have one; a first push would make room for four.
        self.related.reserve_exact(1);
        self.related.push(Label { span, message: message.into().into_boxed_str() });
        self
    }

    /// Adds a way out.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help.reserve_exact(1);
        self.help.push(help.into());
        self
    }

    /// True if this finding is an error.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// The span that the finding points at, if any.
    pub fn span(&self) -> Option<Span> {
        self.primary.as_ref().map(|label| label.span)
    }
}
