//! The findings of a stack.

use std::collections::{HashMap, HashSet};

use crate::eval::{Evaluation, EvaluationStage};
use source_diagnostics::{Diagnostic, Severity, Span, SpanIndex};

/// Adds the lowering errors of a template that evaluation did not encounter. Where evaluation did, only
/// its failure is reported, with the suggestion of the lowering error.
pub(super) fn add_lowering_findings(found: &mut Vec<Diagnostic>, lowering: &[Diagnostic]) {
    let errors: Vec<&Diagnostic> = lowering.iter().filter(|it| it.is_error()).collect();
    let mut met: HashMap<Span, Option<&[String]>> =
        errors.iter().filter_map(|it| Some((it.span()?, Some(it.help.as_slice())))).collect();
    found.retain_mut(|finding| {
        let advice = finding.span().and_then(|span| met.get_mut(&span));
        let Some(advice) = advice.filter(|_| finding.code == crate::codes::NO_VALUE) else {
            return true;
        };
        let advice = advice.take();
        let more = advice.into_iter().flatten().filter(|it| !finding.help.contains(it));
        let more: Vec<String> = more.cloned().collect();
        finding.help.extend(more);
        advice.is_some()
    });
    let places = found.iter().filter(|it| it.is_error()).filter_map(Diagnostic::span);
    let places = SpanIndex::new(places.enumerate());
    let is_met =
        |it: &&Diagnostic| it.span().is_some_and(|span| places.nested_with(span).is_some());
    found.extend(errors.into_iter().filter(|it| !is_met(it)).cloned());
}

/// Reports everything that has no value, each place once. Parameter errors are reported
/// elsewhere.
pub(super) fn failure_findings(evaluation: &Evaluation) -> Vec<Diagnostic> {
    let of_parameters = evaluation.failures.iter().filter_map(|failure| match failure.stage {
        EvaluationStage::Parameters(_) => Some(&failure.failure),
        _ => None,
    });
    let of_values = evaluation.parameters.values().filter_map(|value| value.as_ref().err());
    let mut seen: Vec<(Span, &str)> = of_parameters
        .chain(of_values)
        .map(|failure| (failure.span, failure.safe_message()))
        .collect();
    let values = evaluation.failures.iter();
    let late = values.filter(|failure| failure.stage == EvaluationStage::OutputValues);
    // An error that validation finds at the same place is of another class.
    let late: HashSet<(Span, String)> =
        late.map(|it| (it.failure.span, it.failure.class.name().to_string())).collect();
    let mut findings = Vec::new();
    for failure in evaluation.all_failures() {
        let found = (failure.span, failure.safe_message());
        if seen.contains(&found) {
            continue;
        }
        seen.push(found);
        let message = format!("{} ({})", failure.safe_message(), failure.class.name());
        let mut finding = Diagnostic::new(crate::codes::NO_VALUE, message).at(failure.span);
        if late.contains(&(failure.span, failure.class.name().to_string())) {
            finding.severity = Severity::Warning;
            finding = finding
                .help("Heat creates the stack, and reports the error in place of the output");
        }
        // The suggested name may be part of a secret.
        let meant = failure.suggestion.as_ref().filter(|_| !failure.is_secret());
        findings.push(match meant {
            Some(near) => finding.help(format!("did you mean `{near}`?")),
            None => finding,
        });
    }
    findings
}

/// Moves a finding out of a generated text that the user has never seen.
pub(super) fn relocate(finding: &mut Diagnostic, anchor: Span) {
    let labels = finding.primary.iter_mut().chain(&mut finding.related);
    for label in labels.filter(|label| label.span.source == Span::NOWHERE.source) {
        label.span = anchor;
    }
}
