//! One mistake is one finding: which finding only repeats what another one has said at its place.

use std::collections::HashMap;

use super::{Code, Diagnostic};

/// What Heat refuses because of how the template is written.
const WRITTEN: &[Code] = &[
    Code::UnknownSection,
    Code::SectionShape,
    Code::UnknownKey,
    Code::MissingKey,
    Code::ValueShape,
    Code::UnknownParameterType,
    Code::NoConstraint,
    Code::DeletionPolicyUnknown,
    Code::FunctionArguments,
    Code::FunctionRemoved,
    Code::FunctionInCondition,
];

/// Why the template of a resource cannot be read.
const UNREAD: &[Code] = &[
    Code::FileNotFound,
    Code::FileUnreadable,
    Code::FileTooLarge,
    Code::FolderNotFile,
    Code::OutsideFolder,
    Code::UrlNotFetched,
    Code::UnknownVersion,
    Code::AmbiguousVersion,
    Code::VersionNotText,
    Code::NestedNotFollowed,
    Code::UnknownResourceType,
];

/// A code, and those that it follows from where both stand at one place.
const FOLLOWS: &[(Code, &[Code])] = &[
    (Code::ParameterRefused, WRITTEN),
    (Code::NoValue, WRITTEN),
    (Code::UnknownReference, &[Code::NoValue]),
    (Code::NestedNotFollowed, UNREAD),
    (Code::ResourceTypeLost, UNREAD),
    (Code::ConstraintNotChecked, &[Code::SectionLost]),
];

/// The findings without those that only repeat another one: the same again, and what follows from a
/// finding that is at least as severe and touches the same place. What they advise is kept.
pub fn root_causes<'d>(findings: impl IntoIterator<Item = &'d Diagnostic>) -> Vec<Diagnostic> {
    let all: Vec<&Diagnostic> = findings.into_iter().collect();
    let mut kept: Vec<(usize, Diagnostic)> = Vec::new();
    let mut repeated: Vec<(usize, &Diagnostic)> = Vec::new();
    let mut by_code: HashMap<Code, Vec<usize>> = HashMap::new();
    for (at, finding) in all.iter().enumerate() {
        by_code.entry(finding.code).or_default().push(at);
    }
    let mut seen: HashMap<_, usize> = HashMap::new();
    for (at, finding) in all.iter().enumerate() {
        let first = *seen.entry((finding.code, &finding.message, finding.span())).or_insert(at);
        let causes = FOLLOWS.iter().find(|(code, _)| *code == finding.code).map(|(_, it)| *it);
        let mut causes =
            causes.into_iter().flatten().filter_map(|code| by_code.get(code)).flatten();
        let cause = causes.find(|cause| **cause != at && follows(finding, all[**cause]));
        match cause.copied().or((first != at).then_some(first)) {
            Some(cause) => repeated.push((cause, finding)),
            None => kept.push((at, (*finding).clone())),
        }
    }
    for (cause, finding) in repeated {
        // What follows from a consequence has no finding left that could take its advice.
        let Ok(place) = kept.binary_search_by_key(&cause, |(at, _)| *at) else { continue };
        let kept = &mut kept[place].1;
        for help in &finding.help {
            if !kept.help.contains(help) {
                kept.help.push(help.clone());
            }
        }
    }
    kept.into_iter().map(|(_, finding)| finding).collect()
}

/// Whether a finding only repeats one of these, which are told beside it.
pub fn repeats(finding: &Diagnostic, others: &[Diagnostic]) -> bool {
    let causes = FOLLOWS.iter().find(|(code, _)| *code == finding.code).map(|(_, it)| *it);
    causes.is_some_and(|causes| {
        others.iter().any(|other| causes.contains(&other.code) && follows(finding, other))
    })
}

/// Whether two findings of codes that belong together are about one thing.
fn follows(finding: &Diagnostic, cause: &Diagnostic) -> bool {
    let labels = finding.primary.iter().chain(&finding.related);
    let mut spans = labels.map(|label| label.span);
    let touches =
        cause.span().is_some_and(|at| spans.any(|span| span.contains(at) || at.contains(span)));
    touches && cause.code != finding.code && cause.severity >= finding.severity
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::{SourceId, Span};

    fn at(code: Code, start: u32, end: u32) -> Diagnostic {
        Diagnostic::new(code, format!("{code:?}")).at(Span::new(SourceId(0), start, end))
    }

    fn codes(findings: &[Diagnostic]) -> Vec<Code> {
        root_causes(findings).iter().map(|finding| finding.code).collect()
    }

    #[test]
    fn a_consequence_at_the_place_of_its_cause_is_left_out() {
        let findings = [
            at(Code::ParameterRefused, 5, 9),
            at(Code::UnknownKey, 5, 9),
            at(Code::ParameterRefused, 20, 22),
        ];
        assert_eq!(codes(&findings), [Code::UnknownKey, Code::ParameterRefused]);
    }

    #[test]
    fn the_same_again_is_left_out() {
        let findings = [at(Code::MissingKey, 5, 9), at(Code::MissingKey, 5, 9)];
        assert_eq!(codes(&findings), [Code::MissingKey]);
        let findings = [at(Code::MissingKey, 5, 9), at(Code::MissingKey, 5, 8)];
        assert_eq!(codes(&findings).len(), 2);
    }

    #[test]
    fn an_error_does_not_follow_from_a_warning_and_advice_is_kept() {
        let mut warning = at(Code::UnknownKey, 5, 9);
        warning.severity = crate::diagnostics::Severity::Warning;
        assert_eq!(codes(&[warning, at(Code::NoValue, 5, 9)]).len(), 2);
        let lost = at(Code::ResourceTypeLost, 5, 9).help("write it by hand");
        let found = root_causes(&[at(Code::UnknownResourceType, 5, 9), lost]);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].help, ["write it by hand"]);
    }

    #[test]
    fn a_related_place_counts_and_a_chain_leaves_its_first_cause() {
        let note = at(Code::ConstraintNotChecked, 1, 2)
            .related(Span::new(SourceId(0), 5, 9), "this constraint");
        assert_eq!(codes(&[note, at(Code::SectionLost, 5, 9)]), [Code::SectionLost]);
        let chain = [
            at(Code::UrlNotFetched, 5, 9),
            at(Code::NestedNotFollowed, 5, 9),
            at(Code::ResourceTypeLost, 5, 9),
        ];
        assert_eq!(codes(&chain), [Code::UrlNotFetched]);
    }
}
