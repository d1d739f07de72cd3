//! One mistake is one finding: which finding only repeats what another one has said at its place.

use std::collections::HashMap;

use super::{Code, Diagnostic, Nesting, Severity, Span};

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
    (Code::ValueLost, &[Code::ParameterValue, Code::ParameterDefault, Code::ConstraintViolated]),
    (Code::ResourceTypeLost, &[Code::NestedRefused]),
];

/// The findings without those that only repeat another one: the same again, and what follows from a
/// finding that is at least as severe and touches the same place. What they advise is kept.
pub fn root_causes<'d>(findings: impl IntoIterator<Item = &'d Diagnostic>) -> Vec<Diagnostic> {
    let all: Vec<&Diagnostic> = findings.into_iter().collect();
    let mut kept: Vec<(usize, Diagnostic)> = Vec::new();
    let mut repeated: Vec<(usize, &Diagnostic)> = Vec::new();
    let causes = Causes::new(all.iter().copied());
    let mut seen: HashMap<_, usize> = HashMap::new();
    for (at, finding) in all.iter().enumerate() {
        let first = *seen.entry((finding.code, &finding.message, finding.span())).or_insert(at);
        match causes.of(finding).or((first != at).then_some(first)) {
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

/// What other findings may follow from.
#[derive(Debug)]
pub struct Causes {
    places: HashMap<(Code, Severity), Nesting>,
}

impl Causes {
    /// All of these findings, numbered in their order.
    pub fn new<'d>(findings: impl IntoIterator<Item = &'d Diagnostic>) -> Self {
        let mut places: HashMap<_, Vec<(usize, Span)>> = HashMap::new();
        for (at, finding) in findings.into_iter().enumerate() {
            if let Some(span) = finding.span() {
                places.entry((finding.code, finding.severity)).or_default().push((at, span));
            }
        }
        let places = places.into_iter().map(|(key, places)| (key, Nesting::new(places)));
        Causes { places: places.collect() }
    }

    /// The number of one that this finding only repeats: one that is at least as severe and touches a
    /// place of it.
    pub fn of(&self, finding: &Diagnostic) -> Option<usize> {
        let rows = FOLLOWS.iter().filter(|(code, _)| *code == finding.code);
        let causes = rows.flat_map(|(_, causes)| causes.iter().copied());
        let causes = causes.filter(|code| *code != finding.code);
        let severities = Severity::ALL.into_iter().filter(|it| *it >= finding.severity);
        let keys = causes.flat_map(|code| severities.clone().map(move |severity| (code, severity)));
        let labels = || finding.primary.iter().chain(&finding.related);
        let touching =
            |nesting: &Nesting| labels().filter_map(|label| nesting.touching(label.span)).min();
        keys.filter_map(|key| touching(self.places.get(&key)?)).min()
    }

    /// Whether this finding only repeats one of them.
    pub fn explain(&self, finding: &Diagnostic) -> bool {
        self.of(finding).is_some()
    }
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
