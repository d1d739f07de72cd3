//! The sentence about the inputs of a comparison, the same in all formats.

use super::labels::{counted_noun, name_list};
use super::model::{InputRevision, InputSide, Inputs, Report, TemplateReport};
use crate::report::json::Finding;
use source_diagnostics::Severity;

/// The number of characters shown of a commit's hash.
const HASH_LENGTH: usize = 7;

/// The inputs of the comparison: `compared main..HEAD (3f2a91c..8b1e002), -e prod.yaml, …`; `None`
/// if the report does not contain them.
pub(super) fn compared(report: &Report) -> Option<String> {
    let inputs = report.inputs()?;
    let mut parts = vec![sides(report, inputs)?];
    if !inputs.paths.is_empty() && revisions(inputs).is_some() {
        parts.push(format!("in {}", name_list(&inputs.paths)));
    }
    match (options(&inputs.old), options(&inputs.new)) {
        (old, new) if old == new && new.is_empty() => {}
        (old, new) if old == new => parts.push(new),
        (old, new) => {
            let or_nothing =
                |text: String| if text.is_empty() { "nothing".to_owned() } else { text };
            parts.push(format!("old with {}, new with {}", or_nothing(old), or_nothing(new)));
        }
    }
    if let Report::Set(_) = report {
        parts.extend(versions(report.templates()));
    }
    if let Some(attrs) = &inputs.attrs {
        parts.push(format!("resource state from {attrs}"));
    }
    let unknown: usize = report.templates().iter().map(|it| it.unknown_parameters.len()).sum();
    if inputs.invented {
        parts.push("unknown values filled in (--fill)".to_owned());
    } else if unknown > 0 {
        let of = counted_noun(unknown, "parameter");
        parts.push(format!("{} of {of} unknown", if unknown == 1 { "value" } else { "values" }));
    }
    parts.push(format!("hotplate {}, {}", inputs.hotplate, inputs.heat));
    Some(format!("compared {}", parts.join(", ")))
}

/// Why a report has no templates; `None` if it has some, or if no revisions were compared.
pub(super) fn empty_reason(report: &Report) -> Option<String> {
    let inputs = report.inputs()?;
    let changed = inputs.changed_files.filter(|_| report.templates().is_empty())?;
    let errors = search_findings(report).filter(|it| it.severity == Severity::Error).count();
    if errors > 0 {
        return Some(format!("nothing compared: {}", counted_noun(errors, "error")));
    }
    let of_environment = hotplate_diff::codes::CHANGED_ENVIRONMENT_NOT_DEPLOYED;
    let environments = search_findings(report).filter(|it| it.code == of_environment).count();
    if environments > 0 {
        return Some(format!(
            "{} changed, not compared",
            counted_noun(environments, "environment")
        ));
    }
    let within = if inputs.paths.is_empty() { "" } else { " in the given paths" };
    Some(match changed {
        0 => "nothing compared: no file differs".to_owned(),
        1 => format!(
            "nothing compared: the 1 file that differs is not a template and affects none{within}"
        ),
        count => format!(
            "nothing compared: none of the {count} files that differ is a template or affects one{within}"
        ),
    })
}

/// The findings of the search for templates, such as a changed environment that no template is deployed with. They belong to no
/// template, and the terminal has it on standard error.
pub(super) fn search_findings(report: &Report) -> impl Iterator<Item = &Finding> {
    let findings = match report {
        Report::Pair(_) => [].as_slice(),
        Report::Set(set) => &set.findings,
    };
    findings.iter()
}

/// A finding of the search as a sentence with its code, and its place behind it.
pub(super) fn search_sentence(finding: &Finding) -> String {
    let place = finding.place.as_ref();
    let place = place.map(|it| format!(" ({}:{})", it.path, it.start.line));
    format!("{}: {}{}", finding.code, finding.message, place.unwrap_or_default())
}

fn sides(report: &Report, inputs: &Inputs) -> Option<String> {
    if let Some((old, new)) = revisions(inputs) {
        let short = |revision: &InputRevision| -> Option<String> {
            Some(revision.commit.as_ref()?.chars().take(HASH_LENGTH).collect())
        };
        let hash = |revision| short(revision).map(|it| format!(" ({it})")).unwrap_or_default();
        return Some(match (short(old), short(new)) {
            // The name of a merge base contains both names.
            (Some(one), Some(other)) if old.name.contains("...") => {
                format!("{} ({one}..{other})", old.name)
            }
            (Some(one), Some(other)) => format!("{}..{} ({one}..{other})", old.name, new.name),
            _ => format!("{}{} with {}{}", old.name, hash(old), new.name, hash(new)),
        });
    }
    if let (Some(old), Some(new)) = (&inputs.old.folder, &inputs.new.folder) {
        return Some(format!("{old} with {new}"));
    }
    let Report::Pair(template) = report else { return None };
    let named = |name: &Option<String>, version: &Option<String>| {
        let version = version.as_ref().map(|it| format!(" ({it})")).unwrap_or_default();
        name.as_ref().map(|name| format!("{name}{version}"))
    };
    match (named(&template.old, &template.old_version), named(&template.new, &template.new_version))
    {
        (Some(old), Some(new)) => Some(format!("{old} with {new}")),
        (Some(old), None) => Some(format!("{old} with no template")),
        (None, Some(new)) => Some(format!("no template with {new}")),
        (None, None) => None,
    }
}

fn revisions(inputs: &Inputs) -> Option<(&InputRevision, &InputRevision)> {
    inputs.old.revision.as_ref().zip(inputs.new.revision.as_ref())
}

fn options(side: &InputSide) -> String {
    let environments = side.environments.iter().map(|name| format!("-e {name}"));
    let parameters = side.parameters.iter().map(|name| format!("-P {name}"));
    environments.chain(parameters).collect::<Vec<_>>().join(" ")
}

/// The versions that the templates declare, on both sides.
fn versions(templates: &[TemplateReport]) -> Option<String> {
    let mut versions: Vec<String> = Vec::new();
    for template in templates {
        let version = match (&template.old_version, &template.new_version) {
            (Some(old), Some(new)) if old != new => format!("{old} → {new}"),
            (Some(version), _) | (None, Some(version)) => version.clone(),
            (None, None) => continue,
        };
        if !versions.contains(&version) {
            versions.push(version);
        }
    }
    versions.sort();
    match versions.as_slice() {
        [] => None,
        [version] => Some(format!("template version {version}")),
        versions => Some(format!("template versions {}", name_list(versions))),
    }
}

#[cfg(test)]
mod tests {
    use super::super::DiffReportOptions;
    use super::super::sample::{inputs, sample};
    use super::*;

    fn summary(change: impl FnOnce(&mut Inputs)) -> String {
        let (sample, mut inputs) = (sample(), inputs());
        change(&mut inputs);
        let report = Report::set(&[sample.compared()], &[], &DiffReportOptions::default());
        compared(&report.with_inputs(inputs)).expect("inputs")
    }

    #[test]
    fn revisions_are_told_with_their_commits() {
        assert_eq!(
            summary(|_| {}),
            "compared main...HEAD (3f3f3f3..8b8b8b8), -e env/<prod>.yaml -P size, template version rocky → 2021-04-16, hotplate 1.2.3, Heat 27"
        );
        let with_tree = summary(|inputs| {
            inputs.old.revision =
                Some(InputRevision { name: "HEAD".to_owned(), commit: Some("ab".repeat(20)) });
            inputs.new.revision =
                Some(InputRevision { name: "the working tree".to_owned(), commit: None });
            inputs.paths = vec!["templates".to_owned()];
        });
        assert!(
            with_tree.starts_with(
                "compared HEAD (abababa) with the working tree, in templates, -e env/<prod>.yaml"
            ),
            "{with_tree}"
        );
    }

    #[test]
    fn sides_that_are_deployed_otherwise_are_told_apart() {
        let text = summary(|inputs| {
            inputs.old.environments.clear();
            inputs.old.parameters.clear();
            inputs.invented = true;
        });
        assert!(
            text.contains(", old with nothing, new with -e env/<prod>.yaml -P size, "),
            "{text}"
        );
        assert!(text.contains(", unknown values filled in (--fill), "), "{text}");
    }

    #[test]
    fn a_pair_is_told_by_its_names() {
        let (sample, mut inputs) = (sample(), inputs());
        (inputs.old, inputs.new) = (InputSide::default(), InputSide::default());
        let unknown = ["a".to_owned(), "b".to_owned()];
        let pair =
            super::super::TemplateComparison { unknown_parameters: &unknown, ..sample.compared() };
        let report = Report::pair(&pair, &DiffReportOptions::default()).with_inputs(inputs);
        assert_eq!(
            compared(&report).as_deref(),
            Some(
                "compared old.yaml (rocky) with new.yaml (2021-04-16), values of 2 parameters unknown, hotplate 1.2.3, Heat 27"
            )
        );
        assert_eq!(empty_reason(&report), None);
    }

    #[test]
    fn nothing_is_never_a_comparison() {
        let report = |count| {
            let inputs = Inputs { changed_files: count, ..inputs() };
            Report::set(&[], &[], &DiffReportOptions::default()).with_inputs(inputs)
        };
        let reason = |count| empty_reason(&report(Some(count))).unwrap_or_default();
        assert_eq!(reason(0), "nothing compared: no file differs");
        assert!(reason(1).contains("the 1 file that differs is not a template"));
        assert!(reason(7).contains("none of the 7 files that differ is a template"));
        assert_eq!(empty_reason(&report(None)), None);
    }
}
