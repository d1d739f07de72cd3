//! The proof: reads and lowers the new text, which must have the meaning of the old text.

use std::collections::HashMap;
use std::sync::Arc;

use super::UpgradeOptions;
use super::invalid::with_consequences;
use super::modernize::NormalForm;
use super::rule::{Rewrite, TextChange};
use super::value::to_expr;
use heat_template::hot::{CAPABILITIES, DocumentKind, LoweredHot, lower_later, recognize};
use heat_template::ir::equivalence::{DeclaredChanges, MeaningDifference, refines};
use heat_template::ir::{Expr, Parameter, ParameterType, Stack};
use lossless_yaml::{Document, Edits, Limits, read};
use source_diagnostics::{Code, Diagnostic, SourceId, Span};

/// The source of a new text while it is proved: no source that a finding shows has this number.
pub(super) const RESULT: SourceId = SourceId(u32::MAX - 1);

/// A new text that is to be proved.
pub(super) struct ProposedText<'a> {
    pub(super) text: &'a str,
    /// The edits whose result it is, but for white space at its end.
    pub(super) edits: &'a Edits,
    /// The rewrites that the edits carry out.
    pub(super) rewrites: &'a [&'a Rewrite],
}

/// The reasons why a proof fails.
pub(super) enum ProofFailure {
    /// The new text cannot be read.
    Unreadable(Box<Diagnostic>),
    /// It is not a template of the target version.
    WrongVersion,
    /// A comment was lost.
    Comment(Span),
    Meaning(Vec<MeaningDifference>),
    /// Heat refuses something that it did not refuse before.
    Refused(Box<Diagnostic>),
    /// Heat refuses the new text for what it refuses in the old one.
    StillRefused,
}

/// Proves that the proposed text, of the version in the options, has the meaning of `lowered` except for the changes that the rewrites declare.
/// Returns the spans of the values in it that reports must not show.
pub(super) fn prove(
    document: &Document,
    lowered: &LoweredHot,
    proposed: &ProposedText<'_>,
    options: &UpgradeOptions,
    limits: &Limits,
) -> Result<Vec<Span>, ProofFailure> {
    let ProposedText { text, edits, rewrites } = *proposed;
    let (to, facts) = (options.to, options.schema);
    let after = match document.with_replaced_scalar(RESULT, edits, text, limits) {
        Some(after) => after,
        None => read(RESULT, Arc::from(text), limits).map_err(ProofFailure::Unreadable)?,
    };
    let DocumentKind::Hot { version, node, .. } = recognize(&after) else {
        return Err(ProofFailure::WrongVersion);
    };
    if version != to {
        return Err(ProofFailure::WrongVersion);
    }
    comments_kept(document, &after)?;

    let new = lower_later(&after, version, node, document, lowered);
    let new = with_consequences(new, facts);
    let mut declared: DeclaredChanges =
        rewrites.iter().filter_map(|rewrite| rewrite.declared.clone()).collect();
    let parameters: Vec<_> = rewrites
        .iter()
        .flat_map(|rewrite| &rewrite.changes)
        .filter_map(|change| match change {
            TextChange::Parameter { name, default } => Some((name, default)),
            _ => None,
        })
        .collect();
    let stripped = rewrites.iter().flat_map(|rewrite| &rewrite.changes).any(|change| {
        matches!(change, TextChange::Delete { map, entry }
            if Some(*map) == document.root() && document.str(entry.key) == Some(CAPABILITIES))
    });
    let differences = if parameters.is_empty() && !stripped && options.modernize.is_none() {
        refines(&lowered.stack, &new.stack, facts, &declared)
    } else {
        let mut expected: Stack = lowered.stack.clone();
        if stripped {
            expected.capabilities.clear();
            expected.extensions.retain(|extension| extension.name.text != CAPABILITIES);
        }
        for (name, default) in parameters {
            let default = to_expr(default, Span::NOWHERE);
            expected.parameters.insert(name.clone(), json_parameter(default));
        }
        match &options.modernize {
            None => refines(&expected, &new.stack, facts, &declared),
            Some(modernize) => {
                let successions: Vec<_> =
                    rewrites.iter().filter_map(|rewrite| rewrite.succession.clone()).collect();
                let mut nothing = DeclaredChanges::new();
                let normal_form = |stack, successions, declared| {
                    NormalForm { schema: facts, modernize, successions, declared }.of(stack)
                };
                let expected = normal_form(&expected, &successions[..], &mut declared);
                let new = normal_form(&new.stack, &[], &mut nothing);
                refines(&expected, &new, facts, &declared)
            }
        }
    };
    if !differences.is_empty() {
        return Err(ProofFailure::Meaning(differences));
    }
    accepted(lowered, &new)?;
    Ok(super::secrets(&after, &new))
}

fn json_parameter(default: Expr) -> Parameter {
    Parameter { default: Some(default), ..Parameter::new(Span::NOWHERE, Some(ParameterType::Json)) }
}

pub(super) fn comments_kept(before: &Document, after: &Document) -> Result<(), ProofFailure> {
    if before.comments().is_empty() {
        return Ok(());
    }
    fn texts(document: &Document) -> impl Iterator<Item = (&str, Span)> {
        document.comments().iter().map(|comment| {
            let span = Span::new(document.source(), comment.start, comment.end);
            (document.slice(span).trim_end(), span)
        })
    }
    // Comments nearly always keep their order; then no counting is necessary.
    if texts(before).map(|(text, _)| text).eq(texts(after).map(|(text, _)| text)) {
        return Ok(());
    }
    let mut kept: HashMap<&str, usize> = HashMap::new();
    for (text, _) in texts(after) {
        *kept.entry(text).or_default() += 1;
    }
    for (text, span) in texts(before) {
        match kept.get_mut(text) {
            Some(count) if *count > 0 => *count -= 1,
            _ => return Err(ProofFailure::Comment(span)),
        }
    }
    Ok(())
}

/// Checks that Heat does not refuse more than before: counted by code, since positions change.
fn accepted(before: &LoweredHot, after: &LoweredHot) -> Result<(), ProofFailure> {
    let count = |lowered: &LoweredHot, code: Code| {
        lowered.findings.iter().filter(|finding| finding.is_error() && finding.code == code).count()
    };
    for finding in after.findings.iter().filter(|finding| finding.is_error()) {
        if count(after, finding.code) > count(before, finding.code) {
            return Err(ProofFailure::Refused(Box::new(finding.clone())));
        }
    }
    if after.findings.iter().any(Diagnostic::is_error) {
        return Err(ProofFailure::StillRefused);
    }
    Ok(())
}

impl ProofFailure {
    /// The failure in words, for a bug report.
    pub(super) fn explain(&self) -> String {
        match self {
            ProofFailure::Unreadable(finding) => {
                format!("the new text cannot be read: {}", finding.message)
            }
            ProofFailure::WrongVersion => {
                "the new text is not a template of the target version".into()
            }
            ProofFailure::Comment(_) => "a comment would be lost".into(),
            ProofFailure::Meaning(differences) => differences
                .iter()
                .take(3)
                .map(|difference| format!("{} {}", difference.path, difference.message))
                .collect::<Vec<_>>()
                .join("; "),
            ProofFailure::Refused(finding) => format!("Heat would refuse it: {}", finding.message),
            ProofFailure::StillRefused => {
                "Heat refuses it for the same reason as the old text".into()
            }
        }
    }

    /// The span in the old text.
    pub(super) fn span(&self) -> Option<Span> {
        match self {
            ProofFailure::Comment(span) => Some(*span),
            ProofFailure::Meaning(differences) => {
                differences.first().and_then(|difference| difference.before)
            }
            ProofFailure::Unreadable(_)
            | ProofFailure::WrongVersion
            | ProofFailure::Refused(_)
            | ProofFailure::StillRefused => None,
        }
    }
}
