//! The findings of a stack.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use crate::eval::{Evaluation, EvaluationStage, Failure, KnownNames, StageFailure, UnknownName};
use heat_template::ir::Stack;
use smol_str::SmolStr;
use source_diagnostics::{Consequence, Diagnostic, Span, SpanIndex, Suggestions};

/// Adds the lowering errors of a template. Where evaluation fails because of one, that is one finding: it has the words of the
/// lowering error, which are those of commands that do not evaluate, and the consequence of the failure.
pub(super) fn add_lowering_findings(found: &mut Vec<Diagnostic>, lowering: &[Diagnostic]) {
    let errors: Vec<&Diagnostic> = lowering.iter().filter(|it| it.is_error()).collect();
    let mut met: HashMap<Span, Option<&Diagnostic>> =
        errors.iter().filter_map(|it| Some((it.span()?, Some(*it)))).collect();
    found.retain_mut(|finding| {
        let error = finding.span().and_then(|span| met.get_mut(&span));
        let Some(error) = error.filter(|_| finding.code == crate::codes::NO_VALUE) else {
            return true;
        };
        // Of several failures at the place, Heat reports the first.
        let Some(error) = error.take() else { return false };
        finding.reword(error);
        true
    });
    // A failure that Heat reports later, in place of an output, is a warning: its reason is no error either.
    let reported = found.iter().enumerate();
    let reported = reported.filter(|(_, it)| it.is_error() || it.heat_message.is_some());
    let places = SpanIndex::new(reported.filter_map(|(at, it)| Some((at, it.span()?))));
    for error in errors {
        match error.span().and_then(|span| places.nested_with(span)) {
            None => found.push(error.clone()),
            Some(at) if found[at].code == crate::codes::NO_VALUE => found[at].reword(error),
            // The failure has the words of another mistake.
            Some(at) if found[at].heat_message.is_some() && found[at].span() != error.span() => {
                found.push(error.clone().with_consequence(found[at].consequence()));
            }
            Some(_) => {}
        }
    }
}

/// Reports everything that has no value, each place once. Parameter errors are reported
/// elsewhere.
pub(super) fn failure_findings(stack: &Stack, evaluation: &Evaluation) -> Vec<Diagnostic> {
    let of_parameters = evaluation.failures.iter().filter_map(|failure| match failure.stage {
        EvaluationStage::Parameters(_) => Some(&failure.failure),
        _ => None,
    });
    let of_values = evaluation.parameters.values().filter_map(|value| value.as_ref().err());
    let mut seen: HashSet<(Span, &str)> =
        of_parameters.chain(of_values).map(place_and_message).collect();
    let mut refused: HashSet<(Span, &str)> =
        evaluation.failures_of_definitions().map(place_and_message).collect();
    // What has not been read may use a condition, and Heat refuses what is no condition without computing it.
    let is_read = evaluation.resources.is_some()
        && evaluation.outputs.is_some()
        && evaluation.failures.iter().all(|it| it.stage != EvaluationStage::Conditions);
    let conditions = evaluation.conditions.values().filter(|_| is_read);
    let conditions = conditions.filter_map(|value| value.as_ref().err());
    let mut late: Vec<(&Failure, Consequence)> =
        conditions.map(|failure| (failure, Consequence::ConditionFails)).collect();
    for StageFailure { stage, failure } in &evaluation.failures {
        match stage {
            EvaluationStage::OutputValues => late.push((failure, Consequence::OutputFails)),
            EvaluationStage::ConditionValues => late.push((failure, Consequence::ConditionFails)),
            _ => drop(refused.insert(place_and_message(failure))),
        }
    }
    let late = late.into_iter().map(|(failure, it)| (place_and_message(failure), it));
    let late: HashMap<(Span, &str), Consequence> =
        late.filter(|(it, _)| !refused.contains(it)).collect();
    let refused: HashSet<Span> = refused.into_iter().map(|(span, _)| span).collect();
    let mut findings = Vec::new();
    let mut suggestions = FailureSuggestions::new(stack, evaluation);
    for failure in evaluation.all_failures() {
        let found = place_and_message(failure);
        let late = late.get(&found);
        // What fails again when its value is computed has made Heat refuse the template before.
        if seen.contains(&found) || late.is_some() && refused.contains(&failure.span) {
            continue;
        }
        seen.insert(found);
        let consequence = late.copied().unwrap_or(Consequence::StackRefused);
        let finding = failure.finding(stack).with_consequence(consequence);
        // The suggested name may be part of a secret.
        let unknown = failure.unknown.as_ref().filter(|_| !failure.is_secret());
        findings.push(match unknown {
            Some(unknown) => suggestions.suggest(finding, unknown),
            None => finding,
        });
    }
    findings.extend(suggestions.limit_findings());
    findings
}

/// The names that were probably meant by unknown ones, in one stack.
struct FailureSuggestions<'s> {
    stack: &'s Stack,
    parameters: Suggestions<'s>,
    resources: Suggestions<'s>,
    conditions: Suggestions<'s>,
    /// By the address of the names, which the failures of a resource share.
    attributes: HashMap<*const BTreeSet<SmolStr>, Suggestions<'s>>,
}

impl<'s> FailureSuggestions<'s> {
    fn new(stack: &'s Stack, evaluation: &'s Evaluation) -> Self {
        FailureSuggestions {
            stack,
            parameters: Suggestions::new(evaluation.parameters.keys().map(String::as_str)),
            resources: Suggestions::new(stack.resources.keys().map(String::as_str)),
            conditions: Suggestions::new(stack.conditions.keys().map(String::as_str)),
            attributes: HashMap::new(),
        }
    }

    fn suggest(&mut self, finding: Diagnostic, unknown: &'s UnknownName) -> Diagnostic {
        if let Some(help) = unknown.other_function(self.stack) {
            return finding.help(help);
        }
        let among = match &unknown.known {
            KnownNames::Parameters | KnownNames::DeclaredParameters => &mut self.parameters,
            KnownNames::Resources => &mut self.resources,
            KnownNames::Conditions => &mut self.conditions,
            KnownNames::Attributes(names, _) => self
                .attributes
                .entry(Arc::as_ptr(names))
                .or_insert_with(|| Suggestions::new(names.iter().map(SmolStr::as_str))),
        };
        among.suggest(finding, &unknown.name)
    }

    fn limit_findings(&self) -> impl Iterator<Item = Diagnostic> {
        // The attributes of different resources come in no order.
        let mut of_attributes: Vec<Diagnostic> =
            self.attributes.values().filter_map(Suggestions::limit_finding).collect();
        of_attributes.sort_by_key(Diagnostic::span);
        let declared = [&self.parameters, &self.resources, &self.conditions];
        declared.into_iter().filter_map(Suggestions::limit_finding).chain(of_attributes)
    }
}

fn place_and_message(failure: &Failure) -> (Span, &str) {
    (failure.span, failure.safe_message())
}

/// Moves a finding out of a generated text that the user has never seen.
pub(super) fn relocate(finding: &mut Diagnostic, anchor: Span) {
    let labels = finding.primary.iter_mut().chain(&mut finding.related);
    for label in labels.filter(|label| label.span.source == Span::NOWHERE.source) {
        label.span = anchor;
    }
}
