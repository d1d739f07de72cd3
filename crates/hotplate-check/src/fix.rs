//! How a finding can be fixed.

use schemars::JsonSchema;
use serde::Serialize;
use source_diagnostics::{Code, SourceRange};

/// A change of the text that resolves a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Fix {
    /// Whether it certainly keeps what Heat does.
    pub safety: FixSafety,
    /// What it does, in a sentence without a full stop, such as «writes `network`».
    pub change: String,
}

/// Whether a fix certainly keeps what Heat does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FixSafety {
    /// `--fix` applies it: the values of all resources stay the same.
    Safe,
    /// Only `--unsafe-fixes` applies it: it changes what Heat does, or may.
    Unsafe,
}

/// A finding that was fixed.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FixedFinding {
    /// The stable code, `HP1103`.
    #[schemars(with = "String")]
    pub code: Code,
    /// The mistake, in one sentence.
    pub message: String,
    /// The place in the text before it was fixed.
    pub place: Option<SourceRange>,
    /// How it was fixed.
    pub fix: Fix,
}

/// A finding that has a fix which was not applied.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LeftOutFix {
    /// The stable code, `HP1103`.
    #[schemars(with = "String")]
    pub code: Code,
    /// The mistake, in one sentence.
    pub message: String,
    /// The place in the text after the fixes that were applied.
    pub place: Option<SourceRange>,
    /// Why it was not applied, in one sentence.
    pub reason: String,
}

impl Fix {
    /// The option that applies it, with what it does.
    pub fn advice(&self) -> String {
        let option = match self.safety {
            FixSafety::Safe => "--fix",
            FixSafety::Unsafe => "--unsafe-fixes",
        };
        format!("`{option}` {}", self.change)
    }
}
