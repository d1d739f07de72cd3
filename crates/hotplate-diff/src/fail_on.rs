//! The differences that make the command fail (`--fail-on`).

use super::comparison::{
    AccessChange, Comparison, FileStatus, Impact, ResourceChange, SecurityChange, SuppressionTarget,
};
use super::hazards::MachineEffectKind;
use super::roles::DataEffect;
use super::suppressions::matches_name;
use source_diagnostics::{Code, Severity, did_you_mean};

/// The word for a change that allows more access.
const WIDEN: &str = "widen";

/// The word for a change that may allow more access.
const MAY_WIDEN: &str = "may-widen";

/// The word for data that is lost, or that may be.
const DATA_LOSS: &str = "data-loss";

/// The word for what an update leaves behind.
const HAZARD: &str = "hazard";

/// The word for machines that stop or are cut off.
const INTERRUPTION: &str = "interruption";

/// The level for everything that certainly or possibly replaces, deletes, loses data, leaves a hazard, allows more access, is refused, or
/// was not compared: the default of every published gate.
pub const DANGEROUS: &str = "dangerous";

/// The exit statuses that count as a failure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FailOn {
    /// Any difference in meaning.
    #[default]
    AnyDifference,
    /// Only the listed changes.
    Selected(SelectedChanges),
}

/// The changes that count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SelectedChanges {
    /// The impacts that count.
    pub impacts: Vec<Impact>,
    /// Whether changes that allow more access count.
    pub widened: bool,
    /// Whether changes that may allow more access count.
    pub may_widen: bool,
    /// Whether resources whose data is lost or may be lost count.
    pub data_loss: bool,
    /// Whether resources with hazards count.
    pub hazards: bool,
    /// Whether resources whose update interrupts a machine, or may, count.
    pub interruptions: bool,
}

/// What happens to a resource, as far as it may count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResourceOutcome {
    /// The decision for it, with the effects of others.
    pub impact: Impact,
    /// Whether its data is lost, or may be.
    pub loses_data: bool,
    /// Whether the update leaves something behind, or fails.
    pub has_hazard: bool,
    /// Whether a machine stops or is cut off, or may be.
    pub interrupts: bool,
    /// Whether a deployment runs again, which an update without effect does too.
    pub runs_again: bool,
}

/// The uncertain part of a gate that passes: how many of it there are, with the first names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uncertainty {
    /// The word of `--fail-on` that would count it.
    pub word: &'static str,
    /// The full names of the resources.
    pub resources: Vec<String>,
}

/// A word that is neither an impact nor `widen` nor `data-loss`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{word}` is not an impact{}", suggestion_suffix(*suggestion))]
pub struct UnknownImpact {
    /// The word as given.
    pub word: String,
    /// The most similar valid word, if any.
    pub suggestion: Option<&'static str>,
}

fn suggestion_suffix(near: Option<&str>) -> String {
    near.map(|near| format!(", did you mean `{near}`?")).unwrap_or_default()
}

impl Impact {
    /// Whether [`DANGEROUS`] counts the impact, whatever else happens to the resource.
    fn is_dangerous(self) -> bool {
        match self {
            Impact::Refused
            | Impact::Delete
            | Impact::Replace
            | Impact::NotCompared
            | Impact::MayDelete
            | Impact::MayReplace
            // The root disk of a server is data, too.
            | Impact::Rebuild
            | Impact::Snapshot => true,
            Impact::Retain
            | Impact::Create
            | Impact::Adopt
            | Impact::MayCreate
            | Impact::Update
            | Impact::NoopUpdate
            | Impact::None => false,
        }
    }

    /// The impacts that an option can name: all but `none`.
    fn named() -> impl Iterator<Item = Impact> {
        Impact::ALL.into_iter().filter(|impact| *impact != Impact::None)
    }

    /// Parses the name of an impact; `none` is not accepted.
    pub(super) fn from_name(word: &str) -> Result<Self, UnknownImpact> {
        Impact::named().find(|impact| impact.name() == word).ok_or_else(|| UnknownImpact {
            word: word.to_owned(),
            suggestion: did_you_mean(word, Impact::named().map(Impact::name)),
        })
    }
}

/// Whether a finding is about something that a review could not compare: a template, or a deployment with its template. One that is
/// permitted is a note.
pub fn is_not_compared(code: Code, severity: Severity) -> bool {
    severity > Severity::Note
        && [
            crate::codes::TEMPLATE_GONE,
            crate::codes::DEPLOYMENT_GONE,
            crate::codes::CHANGED_ENVIRONMENT_NOT_DEPLOYED,
        ]
        .contains(&code)
}

impl FailOn {
    /// Every word that [`FailOn::parse`] accepts.
    pub fn words() -> impl Iterator<Item = &'static str> {
        Impact::named().map(Impact::name).chain(OTHER_WORDS)
    }

    /// Parses words separated by commas.
    pub fn parse(words: &str) -> Result<Self, UnknownImpact> {
        let mut selected = SelectedChanges::default();
        for word in words.split(',').map(str::trim) {
            match word {
                WIDEN => selected.widened = true,
                MAY_WIDEN => selected.may_widen = true,
                DATA_LOSS => selected.data_loss = true,
                HAZARD => selected.hazards = true,
                INTERRUPTION => selected.interruptions = true,
                DANGEROUS => {
                    (selected.widened, selected.may_widen) = (true, true);
                    (selected.data_loss, selected.hazards) = (true, true);
                    Impact::ALL
                        .into_iter()
                        .filter(|impact| impact.is_dangerous())
                        .for_each(|impact| selected.add(impact));
                }
                word => selected.add(Impact::from_name(word).map_err(|unknown| UnknownImpact {
                    suggestion: unknown.suggestion.or_else(|| did_you_mean(word, OTHER_WORDS)),
                    ..unknown
                })?),
            }
        }
        Ok(FailOn::Selected(selected))
    }

    /// Whether what happens to a resource counts.
    pub fn counts_outcome(&self, outcome: ResourceOutcome) -> bool {
        let ResourceOutcome { impact, loses_data, has_hazard, interrupts, runs_again } = outcome;
        match self {
            FailOn::AnyDifference => {
                has_hazard || runs_again || !matches!(impact, Impact::None | Impact::NoopUpdate)
            }
            FailOn::Selected(selected) => {
                selected.impacts.contains(&impact)
                    || selected.data_loss && loses_data
                    || selected.hazards && has_hazard
                    || selected.interruptions && interrupts
            }
        }
    }

    /// Whether a finding that belongs to no comparison counts: an error always does, and a template that is gone where `not-compared`
    /// counts.
    pub fn counts_finding(&self, code: Code, severity: Severity) -> bool {
        let counts_not_compared = match self {
            FailOn::AnyDifference => false,
            FailOn::Selected(selected) => selected.impacts.contains(&Impact::NotCompared),
        };
        let counts_environment = *self == FailOn::AnyDifference
            && severity > Severity::Note
            && code == crate::codes::CHANGED_ENVIRONMENT_NOT_DEPLOYED;
        severity == Severity::Error
            || counts_environment
            || is_not_compared(code, severity) && counts_not_compared
    }

    /// Whether a change of access counts by itself.
    pub fn counts_access(&self, change: AccessChange) -> bool {
        match (self, change) {
            (FailOn::Selected(selected), AccessChange::Widened) => selected.widened,
            (FailOn::Selected(selected), AccessChange::MayWiden) => selected.may_widen,
            (
                FailOn::Selected(_),
                AccessChange::Initial | AccessChange::Changed | AccessChange::Narrowed,
            ) => false,
            // The resource differs.
            (FailOn::AnyDifference, change) => change.may_widen(),
        }
    }

    /// Whether what happens to a resource counts.
    pub fn counts(&self, resource: &ResourceChange) -> bool {
        let outcome = ResourceOutcome {
            impact: resource.effective_impact,
            loses_data: resource.loses_data(),
            has_hazard: !resource.hazards.is_empty(),
            interrupts: resource.has_machine_effect(MachineEffectKind::Interruption),
            runs_again: resource.has_machine_effect(MachineEffectKind::RunsAgain),
        };
        self.counts_outcome(outcome) && resource.suppressions.is_empty()
    }

    /// The uncertain parts of a comparison that do not count: they may turn out to be what counts.
    pub fn uncounted(&self, comparison: &Comparison) -> Vec<Uncertainty> {
        let FailOn::Selected(selected) = self else { return Vec::new() };
        if comparison.file != FileStatus::Existing {
            return Vec::new();
        }
        let is_open = |it: &&ResourceChange| it.suppressions.is_empty() && !self.counts(it);
        let resources = comparison.resources.iter().filter(is_open);
        let named = |is_one: &dyn Fn(&ResourceChange) -> bool| -> Vec<String> {
            resources.clone().filter(|it| is_one(it)).map(|it| it.name.clone()).collect()
        };
        let has = |it: &ResourceChange, impact| it.effective_impact == impact;
        let may_delete = |it: &ResourceChange| has(it, Impact::MayDelete);
        let may_replace = |it: &ResourceChange| has(it, Impact::MayReplace);
        let may_lose = |it: &ResourceChange| {
            !may_delete(it) && !may_replace(it) && it.data == Some(DataEffect::MayBeLost)
        };
        let mut access: Vec<String> = Vec::new();
        for change in comparison.sections.security.iter().filter(|_| !selected.may_widen) {
            let is_one = change.access == AccessChange::MayWiden;
            if is_one && !access.contains(&change.resource) && !permits(comparison, change) {
                access.push(change.resource.clone());
            }
        }
        [
            (Impact::MayDelete.name(), named(&may_delete)),
            (Impact::MayReplace.name(), named(&may_replace)),
            (DATA_LOSS, named(&may_lose)),
            (HAZARD, named(&|it| !selected.hazards && !it.hazards.is_empty())),
            (MAY_WIDEN, access),
        ]
        .into_iter()
        .filter(|(_, resources)| !resources.is_empty())
        .map(|(word, resources)| Uncertainty { word, resources })
        .collect()
    }

    /// Whether anything counts. A new or deleted template file changes no stack: for a new
    /// one only errors count, for a deleted one nothing.
    pub fn fails(&self, comparison: &Comparison) -> bool {
        if comparison.file == FileStatus::Removed {
            return false;
        }
        // Anything that could not be compared always counts.
        if !comparison.is_complete() {
            return true;
        }
        let of_stack = comparison.file == FileStatus::Existing;
        let is_meant = |it: &&ResourceChange| of_stack || it.effective_impact == Impact::Refused;
        if comparison.resources.iter().filter(is_meant).any(|it| self.counts(it)) {
            return true;
        }
        let is_refused = comparison.is_refused();
        match self {
            FailOn::AnyDifference => is_refused || of_stack && comparison.sections.differ(),
            FailOn::Selected(selected) => {
                let refused = selected.impacts.contains(&Impact::Refused)
                    && (is_refused || comparison.sections.parameters.iter().any(|it| it.refused));
                let mut changes = comparison.sections.security.iter().filter(|_| of_stack);
                let counts =
                    |it: &SecurityChange| self.counts_access(it.access) && !permits(comparison, it);
                refused || changes.any(counts)
            }
        }
    }
}

/// The words besides those of impacts.
const OTHER_WORDS: [&str; 6] = [WIDEN, MAY_WIDEN, DATA_LOSS, HAZARD, INTERRUPTION, DANGEROUS];

impl SelectedChanges {
    fn add(&mut self, impact: Impact) {
        if !self.impacts.contains(&impact) {
            self.impacts.push(impact);
        }
    }
}

/// Whether a suppression permits every impact on the resource whose access changes.
fn permits(comparison: &Comparison, change: &SecurityChange) -> bool {
    let resource = comparison.resources.iter().find(|it| it.name == change.resource);
    comparison.suppressions.iter().any(|suppression| {
        let covers = match &suppression.target {
            SuppressionTarget::Named(named) => {
                resource.is_some_and(|it| matches_name(&it.name, &it.kind, named))
            }
            SuppressionTarget::Comment(whole) => *whole == change.resource,
            SuppressionTarget::Deployment(_) => false,
        };
        suppression.impact.is_none() && covers
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::{
        EntryStatus, Pair, ParameterAspect, ParameterChange, ParameterDetail, Places,
        SectionChanges, SecurityChange, SecurityKind, Suppression,
    };

    fn happens(impact: Impact) -> Comparison {
        let resource = ResourceChange {
            name: "a/r".to_owned(),
            effective_impact: impact,
            ..ResourceChange::default()
        };
        Comparison { resources: vec![resource], ..Comparison::default() }
    }

    fn opens(access: AccessChange) -> Comparison {
        let mut comparison = happens(Impact::Update);
        comparison.sections.security.push(SecurityChange {
            resource: "a/r".to_owned(),
            kind: SecurityKind::Rule,
            access,
            message: String::new(),
            places: Places::default(),
        });
        comparison
    }

    fn parse(words: &str) -> FailOn {
        FailOn::parse(words).expect(words)
    }

    #[test]
    fn words_are_impacts_or_widen() {
        let impacts = vec![Impact::Replace, Impact::MayReplace];
        let selected = SelectedChanges { impacts, widened: true, ..SelectedChanges::default() };
        assert_eq!(parse("replace, may-replace,widen,replace"), FailOn::Selected(selected));
        let selected = SelectedChanges { data_loss: true, ..SelectedChanges::default() };
        assert_eq!(parse("data-loss"), FailOn::Selected(selected));
        for (word, near) in
            [("replce", Some("replace")), ("widn", Some("widen")), ("", None), ("none", None)]
        {
            let unknown = FailOn::parse(word).expect_err(word);
            assert_eq!((unknown.word.as_str(), unknown.suggestion), (word, near));
        }
        let unknown = FailOn::parse("replce").expect_err("no impact").to_string();
        assert_eq!(unknown, "`replce` is not an impact, did you mean `replace`?");
    }

    #[test]
    fn any_difference_counts_unless_something_is_named() {
        assert!(FailOn::default().fails(&happens(Impact::Update)));
        assert!(!FailOn::default().fails(&happens(Impact::NoopUpdate)));
        assert!(!FailOn::default().fails(&Comparison::default()));
        assert!(!parse("replace").fails(&happens(Impact::Update)));
        assert!(parse("delete,replace").fails(&happens(Impact::Replace)));
        let mut suppressed = happens(Impact::Replace);
        suppressed.resources[0].suppressions.push(0);
        assert!(!parse("replace").fails(&suppressed));
    }

    #[test]
    fn the_level_of_danger_counts_what_certainly_or_possibly_hurts() {
        let dangerous = parse(DANGEROUS);
        for (impact, counts) in Impact::ALL.into_iter().zip([
            true, true, true, true, true, true, true, true, false, false, false, false, false,
            false, false,
        ]) {
            assert_eq!(dangerous.fails(&happens(impact)), counts, "{}", impact.name());
        }
        for (effect, counts) in [
            (DataEffect::Lost, true),
            (DataEffect::MayBeLost, true),
            (DataEffect::Snapshotted, false),
        ] {
            let mut comparison = happens(Impact::Update);
            comparison.resources[0].data = Some(effect);
            assert_eq!(dangerous.fails(&comparison), counts, "{effect:?}");
        }
        let mut comparison = happens(Impact::Update);
        comparison.resources[0].hazards.push(crate::Hazard {
            kind: crate::HazardKind::Race,
            is_certain: false,
            object: String::new(),
            with: None,
            because: String::new(),
            instead: String::new(),
        });
        assert!(dangerous.fails(&comparison) && parse("hazard").fails(&comparison));
        assert_eq!(parse("replace").uncounted(&comparison)[0].word, "hazard");
        for access in [AccessChange::Widened, AccessChange::MayWiden] {
            assert!(dangerous.fails(&opens(access)), "{access:?}");
        }
        for access in [AccessChange::Changed, AccessChange::Narrowed, AccessChange::Initial] {
            assert!(!dangerous.fails(&opens(access)), "{access:?}");
        }
        assert!(!parse("widen").fails(&opens(AccessChange::MayWiden)));
    }

    #[test]
    fn a_gate_that_passes_names_what_it_left_uncertain() {
        let words = |fail_on: &str, comparison: &Comparison| -> Vec<&'static str> {
            parse(fail_on).uncounted(comparison).iter().map(|it| it.word).collect()
        };
        assert_eq!(words("replace", &happens(Impact::MayReplace)), ["may-replace"]);
        assert_eq!(words("may-replace", &happens(Impact::MayReplace)), [""; 0]);
        assert_eq!(words("widen", &opens(AccessChange::MayWiden)), ["may-widen"]);
        assert_eq!(words(DANGEROUS, &opens(AccessChange::MayWiden)), [""; 0]);
        let mut suppressed = happens(Impact::MayReplace);
        suppressed.resources[0].suppressions.push(0);
        assert_eq!(words("replace", &suppressed), [""; 0]);
    }

    #[test]
    fn files_that_come_and_go_are_no_changes_of_stacks() {
        let as_file = |file, impact| Comparison { file, ..happens(impact) };
        let (added, removed) = (FileStatus::Added, FileStatus::Removed);
        for fail_on in [FailOn::default(), parse("create,delete,widen")] {
            assert!(!fail_on.fails(&as_file(added, Impact::Create)));
            assert!(!fail_on.fails(&as_file(removed, Impact::Delete)));
            assert!(fail_on.fails(&as_file(FileStatus::Existing, Impact::Delete)));
        }
        assert!(FailOn::default().fails(&as_file(added, Impact::Refused)));
        assert!(parse("refused").fails(&as_file(added, Impact::Refused)));
        assert!(!parse("create").fails(&as_file(added, Impact::Refused)));
    }

    #[test]
    fn documentation_of_a_parameter_is_no_difference() {
        let parameter = |aspect| ParameterChange {
            name: "p".to_owned(),
            change: EntryStatus::Changed,
            places: Places::default(),
            refused: false,
            details: vec![ParameterDetail {
                aspect,
                value: Pair::default(),
                places: Places::default(),
            }],
            affects: Vec::new(),
        };
        let of = |parameter| {
            let parameters = vec![parameter];
            let sections = SectionChanges { parameters, ..SectionChanges::default() };
            Comparison { sections, ..Comparison::default() }
        };
        assert!(!FailOn::default().fails(&of(parameter(ParameterAspect::Documentation))));
        assert!(FailOn::default().fails(&of(parameter(ParameterAspect::Default))));
        let refused = ParameterChange { refused: true, ..parameter(ParameterAspect::Value) };
        assert!(parse("refused").fails(&of(refused)));
    }

    #[test]
    fn who_allows_everything_of_a_resource_allows_it_to_open() {
        let mut comparison = opens(AccessChange::Widened);
        assert!(parse("widen").fails(&comparison));
        assert!(!parse("refused").fails(&comparison));
        let suppression = |impact| Suppression {
            target: SuppressionTarget::Named("r".to_owned()),
            impact,
            reason: None,
            span: None,
            used: true,
        };
        comparison.suppressions = vec![suppression(Some(Impact::Update))];
        assert!(parse("widen").fails(&comparison));
        comparison.suppressions = vec![suppression(None)];
        assert!(!parse("widen").fails(&comparison));
    }
}
