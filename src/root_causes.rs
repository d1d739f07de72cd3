//! One mistake is one finding: drops findings that only repeat another finding about the same source.

use std::collections::HashMap;

use source_diagnostics::{Code, Diagnostic, Severity, Span, SpanIndex};

/// The structural errors for which Heat refuses a template.
const TEMPLATE_ERRORS: &[Code] = &[
    heat_template::codes::UNKNOWN_SECTION,
    heat_template::codes::SECTION_SHAPE,
    heat_template::codes::UNKNOWN_KEY,
    heat_template::codes::MISSING_KEY,
    heat_template::codes::VALUE_SHAPE,
    heat_template::codes::UNKNOWN_PARAMETER_TYPE,
    heat_template::codes::NO_CONSTRAINT,
    heat_template::codes::DELETION_POLICY_UNKNOWN,
    heat_template::codes::FUNCTION_ARGUMENTS,
    heat_template::codes::FUNCTION_REMOVED,
    heat_template::codes::FUNCTION_IN_CONDITION,
];

/// The reasons why the template of a resource cannot be read.
const UNREADABLE_TEMPLATE: &[Code] = &[
    source_files::codes::FILE_NOT_FOUND,
    source_files::codes::FILE_UNREADABLE,
    source_diagnostics::codes::FILE_TOO_LARGE,
    source_files::codes::FOLDER_NOT_FILE,
    heat_engine::codes::OUTSIDE_ALLOWED_FOLDERS,
    heat_engine::codes::URL_NOT_FETCHED,
    heat_engine::codes::NESTING_CYCLE,
    heat_template::codes::UNKNOWN_VERSION,
    heat_template::codes::AMBIGUOUS_VERSION,
    heat_template::codes::VERSION_NOT_TEXT,
    heat_engine::codes::NESTED_NOT_FOLLOWED,
    heat_engine::codes::UNKNOWN_RESOURCE_TYPE,
];

/// Each code with the codes that cause it where both concern the same span.
const CONSEQUENCES: &[(Code, &[Code])] = &[
    (heat_engine::codes::PARAMETER_REFUSED, TEMPLATE_ERRORS),
    (heat_engine::codes::NO_VALUE, TEMPLATE_ERRORS),
    (heat_template::codes::UNKNOWN_REFERENCE, &[heat_engine::codes::NO_VALUE]),
    // What a function that fails or does not exist returns is not judged.
    (crate::codes::PROPERTY_TYPE, &[heat_engine::codes::NO_VALUE]),
    (crate::codes::PROPERTY_CONSTRAINT, &[heat_engine::codes::NO_VALUE]),
    (crate::codes::UNKNOWN_PROPERTY, &[heat_engine::codes::NO_VALUE]),
    (heat_engine::codes::NESTED_NOT_FOLLOWED, UNREADABLE_TEMPLATE),
    (hotplate_emit::codes::RESOURCE_TYPE_LOST, UNREADABLE_TEMPLATE),
    (heat_engine::codes::CONSTRAINT_NOT_CHECKED, &[hotplate_emit::codes::SECTION_LOST]),
    (
        hotplate_emit::codes::VALUE_LOST,
        &[
            heat_engine::codes::PARAMETER_VALUE,
            heat_engine::codes::PARAMETER_DEFAULT,
            heat_engine::codes::CONSTRAINT_VIOLATED,
        ],
    ),
    (hotplate_emit::codes::RESOURCE_TYPE_LOST, &[heat_engine::codes::NESTED_REFUSED]),
];

/// Each code of a loss with the mistakes that cause it where the place of the mistake contains that of the loss. A loss of
/// more than the mistake remains.
const LOSSES_OF_MISTAKES: &[(Code, &[Code])] = &[
    (hotplate_emit::codes::PROPERTY_LOST, &[crate::codes::UNKNOWN_PROPERTY]),
    (
        hotplate_emit::codes::VALUE_LOST,
        &[crate::codes::PROPERTY_TYPE, crate::codes::PROPERTY_CONSTRAINT],
    ),
    (hotplate_emit::codes::SECTION_LOST, &[crate::codes::SNAPSHOT_UNSUPPORTED]),
];

/// The findings without duplicates and without those that result from another
/// finding that is at least as severe and overlaps the same span. Their help moves to the finding kept.
pub(crate) fn root_causes<'d>(
    findings: impl IntoIterator<Item = &'d Diagnostic>,
) -> Vec<Diagnostic> {
    let all: Vec<&Diagnostic> = findings.into_iter().collect();
    let mut kept: Vec<(usize, Diagnostic)> = Vec::new();
    let mut repeated: Vec<(usize, &Diagnostic)> = Vec::new();
    let causes = RootCauses::new(all.iter().copied());
    let mut seen: HashMap<_, usize> = HashMap::new();
    for (at, finding) in all.iter().enumerate() {
        let first = *seen.entry((finding.code, &finding.message, finding.span())).or_insert(at);
        match causes.cause_of(finding).or((first != at).then_some(first)) {
            Some(cause) => repeated.push((cause, finding)),
            None => kept.push((at, (*finding).clone())),
        }
    }
    for (cause, finding) in repeated {
        // The cause may be a consequence itself and dropped already: then nothing can take the help.
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

/// An index of findings that answers which of them causes another one.
#[derive(Debug)]
pub(crate) struct RootCauses {
    spans: HashMap<(Code, Severity), SpanIndex>,
}

impl RootCauses {
    /// Indexes these findings; each is known by its position in the iterator.
    pub(crate) fn new<'d>(findings: impl IntoIterator<Item = &'d Diagnostic>) -> Self {
        let mut places: HashMap<_, Vec<(usize, Span)>> = HashMap::new();
        for (at, finding) in findings.into_iter().enumerate() {
            if let Some(span) = finding.span() {
                places.entry((finding.code, finding.severity)).or_default().push((at, span));
            }
        }
        let places = places.into_iter().map(|(key, places)| (key, SpanIndex::new(places)));
        RootCauses { spans: places.collect() }
    }

    /// The position of a finding that this one only repeats: one that is at least as severe and overlaps one
    /// of its spans.
    pub(crate) fn cause_of(&self, finding: &Diagnostic) -> Option<usize> {
        let at_place = self.first(finding, CONSEQUENCES, SpanIndex::nested_with);
        let around = self.first(finding, LOSSES_OF_MISTAKES, SpanIndex::containing);
        at_place.into_iter().chain(around).min()
    }

    /// The first indexed finding that a row of the table names as a cause, at a place that `find` answers.
    fn first(
        &self,
        finding: &Diagnostic,
        table: &[(Code, &[Code])],
        find: impl Fn(&SpanIndex, Span) -> Option<usize>,
    ) -> Option<usize> {
        let rows = table.iter().filter(|(code, _)| *code == finding.code);
        let causes = rows.flat_map(|(_, causes)| causes.iter().copied());
        let causes = causes.filter(|code| *code != finding.code);
        let severities = Severity::ALL.into_iter().filter(|it| *it >= finding.severity);
        let keys = causes.flat_map(|code| severities.clone().map(move |severity| (code, severity)));
        let labels = || finding.primary.iter().chain(&finding.related);
        let touching =
            |places: &SpanIndex| labels().filter_map(|label| find(places, label.span)).min();
        keys.filter_map(|key| touching(self.spans.get(&key)?)).min()
    }

    /// Whether this finding only repeats one of the indexed findings.
    pub(crate) fn explains(&self, finding: &Diagnostic) -> bool {
        self.cause_of(finding).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use source_diagnostics::{SourceId, Span};

    fn at(code: Code, start: u32, end: u32) -> Diagnostic {
        Diagnostic::new(code, format!("{code:?}")).at(Span::new(SourceId(0), start, end))
    }

    fn codes(findings: &[Diagnostic]) -> Vec<Code> {
        root_causes(findings).iter().map(|finding| finding.code).collect()
    }

    #[test]
    fn a_consequence_at_the_place_of_its_cause_is_left_out() {
        let findings = [
            at(heat_engine::codes::PARAMETER_REFUSED, 5, 9),
            at(heat_template::codes::UNKNOWN_KEY, 5, 9),
            at(heat_engine::codes::PARAMETER_REFUSED, 20, 22),
        ];
        assert_eq!(
            codes(&findings),
            [heat_template::codes::UNKNOWN_KEY, heat_engine::codes::PARAMETER_REFUSED]
        );
    }

    #[test]
    fn the_same_again_is_left_out() {
        let findings = [
            at(heat_template::codes::MISSING_KEY, 5, 9),
            at(heat_template::codes::MISSING_KEY, 5, 9),
        ];
        assert_eq!(codes(&findings), [heat_template::codes::MISSING_KEY]);
        let findings = [
            at(heat_template::codes::MISSING_KEY, 5, 9),
            at(heat_template::codes::MISSING_KEY, 5, 8),
        ];
        assert_eq!(codes(&findings).len(), 2);
    }

    #[test]
    fn an_error_does_not_follow_from_a_warning_and_advice_is_kept() {
        let mut warning = at(heat_template::codes::UNKNOWN_KEY, 5, 9);
        warning.severity = source_diagnostics::Severity::Warning;
        assert_eq!(codes(&[warning, at(heat_engine::codes::NO_VALUE, 5, 9)]).len(), 2);
        let lost = at(hotplate_emit::codes::RESOURCE_TYPE_LOST, 5, 9).help("write it by hand");
        let found = root_causes(&[at(heat_engine::codes::UNKNOWN_RESOURCE_TYPE, 5, 9), lost]);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].help, ["write it by hand"]);
    }

    #[test]
    fn a_loss_of_more_than_a_mistake_remains() {
        let mistake = at(crate::codes::UNKNOWN_PROPERTY, 5, 9);
        let same = at(hotplate_emit::codes::PROPERTY_LOST, 5, 9);
        assert_eq!(codes(&[mistake.clone(), same]), [crate::codes::UNKNOWN_PROPERTY]);
        let more = at(hotplate_emit::codes::PROPERTY_LOST, 2, 12);
        assert_eq!(codes(&[mistake, more]).len(), 2);
    }

    #[test]
    fn a_related_place_counts_and_a_chain_leaves_its_first_cause() {
        let note = at(heat_engine::codes::CONSTRAINT_NOT_CHECKED, 1, 2)
            .related(Span::new(SourceId(0), 5, 9), "this constraint");
        assert_eq!(
            codes(&[note, at(hotplate_emit::codes::SECTION_LOST, 5, 9)]),
            [hotplate_emit::codes::SECTION_LOST]
        );
        let chain = [
            at(heat_engine::codes::URL_NOT_FETCHED, 5, 9),
            at(heat_engine::codes::NESTED_NOT_FOLLOWED, 5, 9),
            at(hotplate_emit::codes::RESOURCE_TYPE_LOST, 5, 9),
        ];
        assert_eq!(codes(&chain), [heat_engine::codes::URL_NOT_FETCHED]);
    }
}
