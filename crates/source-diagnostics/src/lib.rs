//! Diagnostics: codes, source spans and findings.
//!
//! Every other module may depend on this one; it depends on none. A [`Diagnostic`] is data: the
//! other modules create it, `report/` shows it.

#![forbid(unsafe_code)]

pub mod cancellation;
mod code;
pub mod codes;
mod consequence;
mod root_causes;
mod secrets;
mod source_range;
mod span;
mod span_index;
mod suggest;

pub use code::{Code, CodeInfo};
pub use consequence::Consequence;
pub use root_causes::{CauseTable, RootCauses, root_causes};
pub use secrets::{MASK, ShowSecrets, redacted};
pub use source_range::{SourceLocator, SourcePoint, SourceRange};
pub use span::{LineIndex, MaskedSources, Position, SourceId, SourceMap, Span, masked};
pub use span_index::SpanIndex;
pub use suggest::{Suggestions, did_you_mean, nearest_names};

use schemars::JsonSchema;
use serde::Serialize;

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Information; nothing needs to be done.
    Note,
    /// Valid, but probably not what the author intends.
    Warning,
    /// Heat refuses this, or hotplate cannot continue.
    Error,
}

impl Severity {
    /// Every severity, the lowest first.
    pub const ALL: [Severity; 3] = [Severity::Note, Severity::Warning, Severity::Error];
}

/// A span that a finding points at, with a message about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Label {
    /// The part of the source.
    pub span: Span,
    /// The text shown at the span; may be empty if the main message is enough.
    pub message: Box<str>,
}

/// One finding: a stable code, its severity, a sentence, the spans, and suggestions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// The stable code; it gives the default severity and the documentation link.
    pub code: Code,
    /// The severity; the code's default unless the finding overrides it.
    pub severity: Severity,
    /// One sentence without a final full stop.
    pub message: String,
    /// The span it points at; `None` only if there is no text to point at (a missing file).
    pub primary: Option<Label>,
    /// Other spans that explain the finding.
    pub related: Vec<Label>,
    /// Suggestions for the user, one sentence each.
    pub help: Vec<String>,
    /// Whether one of the suggestions is the text that was probably meant at the primary span: [`Diagnostic::meant`].
    #[serde(skip)]
    pub names_meant_text: bool,
    /// The file that it is about, where there is no text to point at.
    #[serde(skip)]
    pub file: Option<Box<str>>,
    /// Heat's own words, where the message has others.
    #[serde(skip)]
    pub heat_message: Option<Box<str>>,
    /// What Heat does about it, if that is not what its code says.
    #[serde(skip)]
    pub own_consequence: Option<Consequence>,
}

/// The words before and after the text of a suggestion.
const DID_YOU_MEAN: [&str; 2] = ["did you mean `", "`?"];

impl Diagnostic {
    /// The finding, about a file without a text to point at.
    #[must_use]
    pub fn about_file(self, name: impl Into<Box<str>>) -> Self {
        Diagnostic { file: Some(name.into()), ..self }
    }

    /// A finding of `code` with the code's default severity and no span yet.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        // A loop that finds much takes long.
        cancellation::checkpoint();
        Diagnostic {
            code,
            severity: code.info().severity,
            message: message.into(),
            primary: None,
            file: None,
            related: Vec::new(),
            help: Vec::new(),
            names_meant_text: false,
            heat_message: None,
            own_consequence: None,
        }
    }

    /// Decides what Heat does about it, which determines the severity.
    #[must_use]
    pub fn with_consequence(self, consequence: Consequence) -> Self {
        let severity = consequence.severity().unwrap_or(self.severity);
        let decided = Diagnostic { own_consequence: Some(consequence), severity, ..self };
        match consequence.reason() {
            Some(reason) => decided.help(reason),
            None => decided,
        }
    }

    /// Takes the words of another finding about the same mistake: the consequence, the suggestions and the words of Heat stay.
    pub fn reword(&mut self, other: &Diagnostic) {
        let Diagnostic { code, message, primary, related, mut help, .. } = other.clone();
        // Those of the other one come first.
        help.retain(|it| !self.help.contains(it));
        help.append(&mut self.help);
        self.names_meant_text |= other.names_meant_text;
        // What follows from the code of the failure does not change with the words.
        self.own_consequence = Some(self.consequence());
        *self = Diagnostic {
            code,
            message,
            primary,
            related,
            help,
            ..std::mem::replace(self, Diagnostic::new(code, ""))
        };
    }

    /// What Heat does about it.
    pub fn consequence(&self) -> Consequence {
        match self.own_consequence.unwrap_or(self.code.info().consequence) {
            // A finding that is less severe than its code says so.
            Consequence::StackRefused | Consequence::Undecided if !self.is_error() => {
                Consequence::Accepted
            }
            decided => decided,
        }
    }

    /// Whether Heat or its client refuses the stack because of it.
    pub fn refuses_stack(&self) -> bool {
        self.consequence() == Consequence::StackRefused
    }

    /// Points the finding at `span`.
    #[must_use]
    pub fn at(self, span: Span) -> Self {
        self.labeled(span, "")
    }

    /// Points the finding at `span` with a message that is shown there.
    #[must_use]
    pub fn labeled(mut self, span: Span, message: impl Into<String>) -> Self {
        self.primary = Some(Label { span, message: message.into().into_boxed_str() });
        self
    }

    /// Adds a related span with its message.
    #[must_use]
    pub fn related(mut self, span: Span, message: impl Into<String>) -> Self {
        // Most findings have one; a first push would allocate four.
        self.related.reserve_exact(1);
        self.related.push(Label { span, message: message.into().into_boxed_str() });
        self
    }

    /// Adds a suggestion: what the user can do, in one sentence.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help.reserve_exact(1);
        self.help.push(help.into());
        self
    }

    /// Suggests the text that was probably meant where the finding points.
    #[must_use]
    pub fn did_you_mean(mut self, meant: &str) -> Self {
        self.names_meant_text = true;
        let [start, end] = DID_YOU_MEAN;
        self.help(format!("{start}{meant}{end}"))
    }

    /// The text that was probably meant where the finding points.
    pub fn meant(&self) -> Option<&str> {
        // A field of its own would make every finding larger.
        let [start, end] = DID_YOU_MEAN;
        let mut help = self.help.iter().filter(|_| self.names_meant_text);
        help.find_map(|help| help.strip_prefix(start)?.strip_suffix(end))
    }

    /// True if this finding is an error.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// The primary span, if the finding has one.
    pub fn span(&self) -> Option<Span> {
        self.primary.as_ref().map(|label| label.span)
    }
}

/// The examples of the README are run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
