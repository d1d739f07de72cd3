//! What the comparisons of many templates have in common is said once.

use super::ComparedTemplate;
use heat_engine::environment::DeniedFiles;
use hotplate_diff::SidedFinding;
use indexmap::IndexMap;
use source_diagnostics::{Diagnostic, MaskedSources, Severity, Span};
use source_files::FileSource;

/// Takes out what many comparisons find alike, and new Jinja2 templates, of which there is nothing to compare; returns one finding for each.
pub fn shared_findings(
    all: &mut Vec<ComparedTemplate>,
    sources: &mut MaskedSources,
    files: &dyn FileSource,
) -> Vec<Diagnostic> {
    let mut findings = take_new_jinja(all, sources);
    findings.extend(merge_outside_findings(all, files));
    findings.extend(merge_unused_suppressions(all));
    findings
}

/// Merges the findings of several templates about files that may not be read into one.
fn merge_outside_findings(
    all: &mut [ComparedTemplate],
    files: &dyn FileSource,
) -> Option<Diagnostic> {
    if all.iter().filter(|compared| !compared.outside.is_empty()).count() < 2 {
        return None;
    }
    let mut outside = DeniedFiles::default();
    for compared in all {
        outside.extend(&compared.outside.in_words(&compared.sources));
        compared
            .findings
            .retain(|it| it.diagnostic.code != heat_engine::codes::OUTSIDE_ALLOWED_FOLDERS);
    }
    outside.finding(files)
}

/// Takes out new Jinja2 templates: there is nothing to compare them with, and no stack that changes. Returns a note about each.
fn take_new_jinja(all: &mut Vec<ComparedTemplate>, sources: &mut MaskedSources) -> Vec<Diagnostic> {
    let is_new = |it: &mut ComparedTemplate| it.is_jinja && it.names.old.is_none();
    let note = |it: ComparedTemplate| {
        let name = it.names.new.unwrap_or_default();
        let span = Span::new(sources.add_public(name.as_str(), "".into()), 0, 0);
        let message = format!("the Jinja2 template `{name}` is new: there is nothing to compare");
        let mut note = Diagnostic::new(lossless_yaml::codes::JINJA, message).at(span);
        note.severity = Severity::Note;
        note
    };
    all.extract_if(.., is_new).map(note).collect()
}

/// Merges what the comparisons of many templates find about suppressions of the command line: one is unused if it applies to none.
/// Each comparison keeps those that apply to it.
fn merge_unused_suppressions(all: &mut [ComparedTemplate]) -> Vec<Diagnostic> {
    let is_of_option = |it: &Diagnostic| {
        it.code == source_diagnostics::codes::SUPPRESSION_UNUSED && it.span().is_none()
    };
    let count = all.iter().filter(|compared| compared.comparison.is_some()).count();
    let mut unused: IndexMap<String, Vec<Diagnostic>> = IndexMap::new();
    for compared in all {
        let of_options = compared.findings.extract_if(.., |it| is_of_option(&it.diagnostic));
        for SidedFinding { diagnostic, .. } in of_options {
            unused.entry(diagnostic.message.clone()).or_default().push(diagnostic);
        }
        if let Some(comparison) = &mut compared.comparison {
            comparison.retain_suppressions(|it| it.used || it.span.is_some());
        }
    }
    let nowhere = unused.into_values().filter(|of_templates| of_templates.len() == count);
    // One with a hint, if there is one.
    nowhere.filter_map(|found| found.into_iter().max_by_key(|it| it.help.len())).collect()
}
