//! Short forms for the terminal: one line per resource, or only its name.

use anstyle::Style;

use super::model::{PartKind, Report, ResourceEntry, TemplateReport};
use super::text::{TextWriter, style};
use super::{DiffReportOptions, labels};
use hotplate_diff::{FileStatus, Impact};

/// One line per resource that differs, with its impact and the number of changed properties, and
/// the total.
pub fn to_stat(report: &Report, options: &DiffReportOptions) -> String {
    let mut out = TextWriter::new(options);
    let rows: Vec<StatLine> =
        report.templates().iter().flat_map(|it| rows(report, it, options)).collect();
    let width = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or_default();
    for StatLine { name, status: word, style, count } in &rows {
        let count = if *count == 0 { String::new() } else { format!(" {count}") };
        let parts = [
            (Style::new(), format!(" {name:<width$} | ")),
            (*style, format!("{word:<11}")),
            (Style::new(), count),
        ];
        out.verbatim(0, &parts);
    }
    if !report.templates().is_empty() && report.templates().iter().all(|it| !it.compared) {
        return out.text;
    }
    let others = labels::other_counts(report.counts());
    let parts = [
        labels::report_headline(report),
        others,
        labels::remaining_counts(report.summary(), report.counts()),
    ];
    let total: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    out.line(0, &[(Style::new(), format!(" {}", total.join("; ")))]);
    out.basis(report);
    out.text
}

/// The names of the resources that differ, one per line, in the order of the templates.
pub fn to_names(report: &Report, options: &DiffReportOptions) -> String {
    let mut out = TextWriter::new(options);
    for template in report.templates().iter().filter(|it| labels::has_stack_changes(it)) {
        let shown = labels::worst_first(template, options.verbose);
        let is_shown =
            |resource: &&ResourceEntry| shown.iter().any(|it| std::ptr::eq(*it, *resource));
        for resource in template.resources.iter().filter(is_shown) {
            out.verbatim(0, &[(Style::new(), named(report, template, resource))]);
        }
    }
    out.text
}

struct StatLine {
    name: String,
    status: &'static str,
    style: Style,
    /// The number of changed parts of a resource, or of resources in a file.
    count: usize,
}

/// The lines of a template: one per resource, or one for an added or deleted template file.
fn rows(report: &Report, template: &TemplateReport, options: &DiffReportOptions) -> Vec<StatLine> {
    let one_line = |name: &str| crate::report::escape::on_one_line(name).into_owned();
    if !labels::has_stack_changes(template) {
        let path = template.path();
        let (word, impact) = match template.file {
            FileStatus::Added | FileStatus::Existing => ("added", Impact::Create),
            FileStatus::Removed => ("removed", Impact::Delete),
        };
        let count = template.resources.len();
        return vec![StatLine { name: one_line(path), status: word, style: style(impact), count }];
    }
    let is_property = |kind: PartKind| !matches!(kind, PartKind::Resource | PartKind::Type);
    let row = |resource: &ResourceEntry| {
        let impact = resource.effective_impact;
        StatLine {
            name: one_line(&named(report, template, resource)),
            status: impact.name(),
            style: style(impact),
            count: resource.reasons.iter().filter(|reason| is_property(reason.part)).count(),
        }
    };
    labels::worst_first(template, options.verbose).into_iter().map(row).collect()
}

/// The name of a resource, prefixed by the template's name if there are several.
fn named(report: &Report, template: &TemplateReport, resource: &ResourceEntry) -> String {
    match report {
        Report::Pair(_) => resource.name.clone(),
        Report::Set(_) => {
            let file = template.path();
            match labels::deployment(template) {
                Some(deployment) => format!("{file} ({deployment}): {}", resource.name),
                None => format!("{file}: {}", resource.name),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::sample;
    use super::*;

    #[test]
    fn a_line_per_resource() {
        let (sample, options) = (sample(), DiffReportOptions::default());
        let report = Report::pair(&sample.compared(), &options);
        insta::assert_snapshot!(to_stat(&report, &options), @r#"
        volume                    | refused     1
        server                    | replace     2
        port                      | replace     1
        group/0/a|`b`<i>␛[1m␊@all | may-replace 1
        rules                     | update      1
        web                       | delete
        frontend                  | create
        update refused because of 1 immutable parameter, 1 refused, 1 server replaced, more access allowed, 1 other replaced, 1 may be replaced,
           1 updated in place, 1 configuration deleted, 1 configuration created, 1 output removed; version rocky → 2021-04-16; 2 parameters,
           1 condition; 1 updated without effect, 1 unchanged
        "#);
        insta::assert_snapshot!(to_names(&report, &options), @r#"
        volume
        port
        server
        rules
        web
        frontend
        group/0/a|`b`<i>␛[1m␊@all
        "#);
        let report = Report::set(&[sample.compared()], &[], &options);
        assert!(to_names(&report, &options).starts_with("new.yaml: volume\n"));
    }

    #[test]
    fn nothing_has_no_names() {
        let (mut sample, options) = (sample(), DiffReportOptions::default());
        sample.comparison = hotplate_diff::Comparison::default();
        let report = Report::pair(&sample.compared(), &options);
        assert_eq!(
            to_stat(&report, &options),
            " no differences: it is the same to Heat in version 2021-04-16 as in rocky\n"
        );
        assert_eq!(to_names(&report, &options), "");
    }
}
