//! The differences that make the command fail (`--fail-on`).

use super::comparison::{
    AccessChange, Comparison, FileStatus, Impact, ResourceChange, SuppressionTarget,
};
use source_diagnostics::did_you_mean;

/// The word for a change that allows more access.
const WIDEN: &str = "widen";

/// The word for data that is lost, or that may be.
const DATA_LOSS: &str = "data-loss";

/// What counts as a failure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FailOn {
    /// Any difference in meaning.
    #[default]
    AnyDifference,
    /// Only the listed changes.
    Selected {
        /// The impacts that count.
        impacts: Vec<Impact>,
        /// Whether changes that allow more access count.
        widened: bool,
        /// Whether resources whose data is lost or may be lost count.
        data_loss: bool,
    },
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

impl FailOn {
    /// Every word that [`FailOn::parse`] accepts.
    pub fn words() -> impl Iterator<Item = &'static str> {
        Impact::named().map(Impact::name).chain([WIDEN, DATA_LOSS])
    }

    /// Parses words separated by commas.
    pub fn parse(words: &str) -> Result<Self, UnknownImpact> {
        let (mut impacts, mut widened, mut data_loss) = (Vec::new(), false, false);
        for word in words.split(',').map(str::trim) {
            if word == WIDEN {
                widened = true;
                continue;
            }
            if word == DATA_LOSS {
                data_loss = true;
                continue;
            }
            let impact = Impact::from_name(word).map_err(|unknown| UnknownImpact {
                suggestion: unknown.suggestion.or_else(|| did_you_mean(word, [WIDEN, DATA_LOSS])),
                ..unknown
            })?;
            if !impacts.contains(&impact) {
                impacts.push(impact);
            }
        }
        Ok(FailOn::Selected { impacts, widened, data_loss })
    }

    /// Whether what happens to a resource counts.
    pub fn counts(&self, resource: &ResourceChange) -> bool {
        let impact = resource.effective_impact;
        let is_meant = match self {
            FailOn::AnyDifference => !matches!(impact, Impact::None | Impact::NoopUpdate),
            FailOn::Selected { impacts, data_loss, .. } => {
                impacts.contains(&impact) || *data_loss && resource.loses_data()
            }
        };
        is_meant && resource.suppressions.is_empty()
    }

    /// Whether anything counts. A new or deleted template file changes no stack: for a new
    /// one only errors count, for a deleted one nothing.
    pub fn fails(&self, comparison: &Comparison) -> bool {
        if comparison.file == FileStatus::Removed {
            return false;
        }
        // What could not be compared always counts.
        if !comparison.is_complete() {
            return true;
        }
        let of_stack = comparison.file == FileStatus::Existing;
        let is_meant = |it: &&ResourceChange| of_stack || it.effective_impact == Impact::Refused;
        if comparison.resources.iter().filter(is_meant).any(|it| self.counts(it)) {
            return true;
        }
        let is_refused = !comparison.refusals.is_empty();
        match self {
            FailOn::AnyDifference => {
                is_refused || of_stack && comparison.differs_outside_resources()
            }
            FailOn::Selected { impacts, widened, .. } => {
                let refused = impacts.contains(&Impact::Refused)
                    && (is_refused || comparison.parameters.iter().any(|it| it.refused));
                refused || *widened && of_stack && allows_more(comparison)
            }
        }
    }
}

/// Whether more access is allowed, without a suppression for any impact on the resource.
fn allows_more(comparison: &Comparison) -> bool {
    let allows_all = |name: &str| {
        let resource = comparison.resources.iter().find(|resource| resource.name == name);
        comparison.suppressions.iter().any(|suppression| {
            let covers = match &suppression.target {
                SuppressionTarget::Named(named) => {
                    resource.is_some_and(|it| it.matches_name(named))
                }
                SuppressionTarget::Comment(whole) => whole == name,
            };
            suppression.impact.is_none() && covers
        })
    };
    let mut changes = comparison.security.iter();
    changes.any(|change| change.access == AccessChange::Widened && !allows_all(&change.resource))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::comparison::{
        EntryStatus, Pair, ParameterAspect, ParameterChange, ParameterDetail, SecurityChange,
        SecurityKind, Suppression,
    };

    fn happens(impact: Impact) -> Comparison {
        let resource =
            ResourceChange { effective_impact: impact, ..ResourceChange::unchanged("a/r") };
        Comparison { resources: vec![resource], ..Comparison::default() }
    }

    fn parse(words: &str) -> FailOn {
        FailOn::parse(words).expect(words)
    }

    #[test]
    fn words_are_impacts_or_widen() {
        let impacts = vec![Impact::Replace, Impact::MayReplace];
        assert_eq!(
            parse("replace, may-replace,widen,replace"),
            FailOn::Selected { impacts, widened: true, data_loss: false }
        );
        let data_loss = FailOn::Selected { impacts: vec![], widened: false, data_loss: true };
        assert_eq!(parse("data-loss"), data_loss);
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
            spans: Pair::default(),
            refused: false,
            details: vec![ParameterDetail {
                aspect,
                value: Pair::default(),
                spans: Pair::default(),
            }],
            affects: Vec::new(),
        };
        let of = |parameter| Comparison { parameters: vec![parameter], ..Comparison::default() };
        assert!(!FailOn::default().fails(&of(parameter(ParameterAspect::Documentation))));
        assert!(FailOn::default().fails(&of(parameter(ParameterAspect::Default))));
        let refused = ParameterChange { refused: true, ..parameter(ParameterAspect::Value) };
        assert!(parse("refused").fails(&of(refused)));
    }

    #[test]
    fn who_allows_everything_of_a_resource_allows_it_to_open() {
        let mut comparison = happens(Impact::Update);
        comparison.security.push(SecurityChange {
            resource: "a/r".to_owned(),
            kind: SecurityKind::Rule,
            access: AccessChange::Widened,
            message: String::new(),
            spans: Pair::default(),
        });
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
