//! One mistake is one finding, in the reports of every command.

use hotplate_emit::codes::{PROPERTY_LOST, RESOURCE_TYPE_LOST, SECTION_LOST, VALUE_LOST};
use source_diagnostics::{CauseTable, Code, Diagnostic};

use hotplate_check::causes;

/// Which findings only repeat others.
pub const TABLES: &[&CauseTable] =
    &[&causes::CAUSES, &CauseTable { at_place: LOSSES_OF_FINDINGS, around: LOSSES_OF_MISTAKES }];

/// The findings without those that only repeat another one.
pub fn root_causes<'d>(findings: impl IntoIterator<Item = &'d Diagnostic>) -> Vec<Diagnostic> {
    source_diagnostics::root_causes(findings, TABLES)
}

/// Losses with the findings that cause them, and what a loss causes, where both concern the same place.
const LOSSES_OF_FINDINGS: &[(Code, &[Code])] = &[
    (RESOURCE_TYPE_LOST, causes::UNREADABLE_TEMPLATE),
    (heat_engine::codes::CONSTRAINT_NOT_CHECKED, &[SECTION_LOST]),
    (
        VALUE_LOST,
        &[
            heat_engine::codes::PARAMETER_VALUE,
            heat_engine::codes::PARAMETER_DEFAULT,
            heat_engine::codes::CONSTRAINT_VIOLATED,
        ],
    ),
    (RESOURCE_TYPE_LOST, &[heat_engine::codes::NESTED_REFUSED]),
];

/// Each code of a loss with the mistakes that cause it where the place of the mistake contains that of the loss. A loss of
/// more than the mistake remains.
const LOSSES_OF_MISTAKES: &[(Code, &[Code])] = &[
    (PROPERTY_LOST, &[hotplate_check::codes::UNKNOWN_PROPERTY]),
    (
        VALUE_LOST,
        &[hotplate_check::codes::PROPERTY_TYPE, hotplate_check::codes::PROPERTY_CONSTRAINT],
    ),
    (SECTION_LOST, &[hotplate_check::codes::SNAPSHOT_UNSUPPORTED]),
];

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
        let mistake = at(hotplate_check::codes::UNKNOWN_PROPERTY, 5, 9);
        let same = at(hotplate_emit::codes::PROPERTY_LOST, 5, 9);
        assert_eq!(codes(&[mistake.clone(), same]), [hotplate_check::codes::UNKNOWN_PROPERTY]);
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
            at(heat_engine::codes::OUTSIDE_ALLOWED_FOLDERS, 5, 9),
            at(heat_engine::codes::NESTED_NOT_FOLLOWED, 5, 9),
            at(hotplate_emit::codes::RESOURCE_TYPE_LOST, 5, 9),
        ];
        assert_eq!(codes(&chain), [heat_engine::codes::OUTSIDE_ALLOWED_FOLDERS]);
    }
}
