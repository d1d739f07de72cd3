//! What is reported of a stack.

use crate::diagnostics::{Code, Diagnostic, Span};
use crate::eval::{Evaluation, Stage};

/// The errors of a template's lowering that its evaluation has not met: of the others it says what comes
/// of them.
pub(super) fn unmet(lowering: &[Diagnostic], found: &[Diagnostic]) -> Vec<Diagnostic> {
    let is_met = |error: &Diagnostic| {
        let mut spans = found.iter().filter(|it| it.is_error()).filter_map(Diagnostic::span);
        error.span().is_some_and(|span| spans.any(|it| it.contains(span) || span.contains(it)))
    };
    lowering.iter().filter(|it| it.is_error() && !is_met(it)).cloned().collect()
}

/// Everything that has no value, as findings, each place once. What is wrong with parameters is told
/// elsewhere.
pub(super) fn no_values(evaluation: &Evaluation) -> Vec<Diagnostic> {
    let of_parameters = evaluation.failures.iter().filter_map(|failure| match failure.stage {
        Stage::Parameters(_) => Some(&failure.failure),
        _ => None,
    });
    let of_values = evaluation.parameters.values().filter_map(|value| value.as_ref().err());
    let mut seen: Vec<(Span, &str)> =
        of_parameters.chain(of_values).map(|failure| (failure.span, failure.shown())).collect();
    let mut findings = Vec::new();
    for failure in evaluation.all_failures() {
        let found = (failure.span, failure.shown());
        if seen.contains(&found) {
            continue;
        }
        seen.push(found);
        let message = format!("{} ({})", failure.shown(), failure.class.name());
        let finding = Diagnostic::new(Code::NoValue, message).at(failure.span);
        // The name may be a part of a secret.
        let meant = failure.meant.as_ref().filter(|_| !failure.is_secret());
        findings.push(match meant {
            Some(near) => finding.help(format!("did you mean `{near}`?")),
            None => finding,
        });
    }
    findings
}

/// Moves a finding out of a text that no user has seen.
pub(super) fn move_to(finding: &mut Diagnostic, anchor: Span) {
    let labels = finding.primary.iter_mut().chain(&mut finding.related);
    for label in labels.filter(|label| label.span.source == Span::NOWHERE.source) {
        label.span = anchor;
    }
}
