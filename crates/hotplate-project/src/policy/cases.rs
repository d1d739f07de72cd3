//! The templates with which a rule tests itself: `ID/good/*.yaml` do not violate it, `ID/bad/*.yaml` do.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Policy, PolicyRule};
use hotplate_check::CheckedTemplate;
use source_files::FileSource;

/// Whether a template violates its rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseKind {
    /// It must not.
    Good,
    /// It must.
    Bad,
}

impl CaseKind {
    /// Both kinds.
    pub const ALL: [CaseKind; 2] = [CaseKind::Good, CaseKind::Bad];

    /// The name of the folder with such templates.
    pub fn name(self) -> &'static str {
        match self {
            CaseKind::Good => "good",
            CaseKind::Bad => "bad",
        }
    }
}

/// The results of the templates of a rule.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RuleTest {
    /// The id of the rule.
    pub id: &'static str,
    /// The number of templates in `ID/good`.
    pub good: usize,
    /// The number of templates in `ID/bad`.
    pub bad: usize,
    /// The mistakes, one sentence each; empty if the rule passes.
    pub problems: Vec<String>,
}

impl Policy {
    /// The folders of the templates that test the rules, absolute.
    pub fn test_folders(&self, files: &dyn FileSource) -> Vec<PathBuf> {
        let all =
            self.rules.iter().flat_map(|rule| CaseKind::ALL.map(|kind| rule.case_folder(kind)));
        all.map(|folder| files.absolute(&folder)).collect()
    }
}

impl PolicyRule {
    fn case_folder(&self, kind: CaseKind) -> PathBuf {
        self.folder.join(self.id()).join(kind.name())
    }

    /// The templates of a kind, in the order of their names.
    pub fn cases(&self, kind: CaseKind, files: &dyn FileSource) -> Vec<PathBuf> {
        let folder = self.case_folder(kind);
        let names = files.path_components(&folder);
        names.iter().filter(|name| name.ends_with(".yaml")).map(|name| folder.join(name)).collect()
    }

    /// The policy of this rule alone.
    pub fn alone(&self) -> Policy {
        Policy { rules: vec![self.clone()] }
    }

    /// The mistake in the result for a template of a kind; `None` if it is as it must be.
    pub fn problem(&self, kind: CaseKind, checked: &CheckedTemplate) -> Option<String> {
        let findings = &checked.findings;
        let of_rule = |code| findings.iter().find(|finding| finding.code == code);
        if let Some(failed) = of_rule(hotplate_check::codes::POLICY_FAILED) {
            return Some(failed.message.clone());
        }
        if let Some(error) = findings.iter().find(|it| it.is_error() && it.code != self.code) {
            return Some(format!("the template has an error: {} ({})", error.message, error.code));
        }
        match (kind, of_rule(self.code)) {
            (CaseKind::Good, Some(violation)) => Some(format!("violated: {}", violation.message)),
            (CaseKind::Good, None) if checked.undecided > 0 => {
                Some("undecided: the condition depends on unknown or hidden values".to_owned())
            }
            (CaseKind::Bad, None) => Some("not violated".to_owned()),
            (CaseKind::Good, None) | (CaseKind::Bad, Some(_)) => None,
        }
    }
}
