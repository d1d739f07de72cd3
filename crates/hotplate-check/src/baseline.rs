//! A baseline: the findings that a repository had when it began to use `check`, which are not reported.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use source_diagnostics::{Diagnostic, MaskedSources};

/// The findings of an earlier run. Lines do not count, so that findings stay known while they move.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    findings: Vec<BaselineEntry>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BaselineEntry {
    path: String,
    code: String,
    message: String,
    count: usize,
}

type EntryKey = (String, String, String);

/// `path_of` is the path of a source, by its name, relative to the folder of the baseline.
fn key(
    finding: &Diagnostic,
    sources: &MaskedSources,
    path_of: &dyn Fn(&str) -> String,
) -> EntryKey {
    let path = finding.span().map_or_else(String::new, |span| path_of(sources.name(span.source)));
    (path, finding.code.to_string(), finding.message.clone())
}

impl Baseline {
    /// Reads a baseline.
    ///
    /// # Errors
    ///
    /// If the text is not a baseline.
    pub fn from_json(text: &str) -> serde_json::Result<Self> {
        serde_json::from_str(text)
    }

    /// The text of a baseline with these findings; `path_of` is the path of a source, by its name, relative to the folder of the
    /// baseline.
    ///
    /// # Errors
    ///
    /// If it cannot be written as JSON.
    pub fn to_json<'f>(
        findings: impl Iterator<Item = (&'f Diagnostic, &'f MaskedSources)>,
        path_of: &dyn Fn(&str) -> String,
    ) -> serde_json::Result<String> {
        let mut counts: HashMap<EntryKey, usize> = HashMap::new();
        for (finding, sources) in findings {
            *counts.entry(key(finding, sources, path_of)).or_default() += 1;
        }
        let entry = |((path, code, message), count)| BaselineEntry { path, code, message, count };
        let mut findings: Vec<BaselineEntry> = counts.into_iter().map(entry).collect();
        findings.sort();
        let mut text = serde_json::to_string_pretty(&Baseline { findings })?;
        text.push('\n');
        Ok(text)
    }

    /// How many times each finding is known.
    pub(super) fn known(&self) -> KnownFindings {
        let entries = self.findings.iter();
        let keyed =
            entries.map(|it| ((it.path.clone(), it.code.clone(), it.message.clone()), it.count));
        KnownFindings { left: keyed.collect() }
    }
}

/// The findings of a baseline that were not met yet.
#[derive(Debug, Default)]
pub(super) struct KnownFindings {
    left: HashMap<EntryKey, usize>,
}

impl KnownFindings {
    /// Whether a finding is known; each entry counts as often as it says.
    pub(super) fn take(
        &mut self,
        finding: &Diagnostic,
        sources: &MaskedSources,
        path_of: &dyn Fn(&str) -> String,
    ) -> bool {
        if self.left.is_empty() {
            return false;
        }
        match self.left.get_mut(&key(finding, sources, path_of)) {
            Some(count) if *count > 0 => {
                *count -= 1;
                true
            }
            _ => false,
        }
    }
}
