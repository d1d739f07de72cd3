//! Short forms for the terminal: a line per resource, or its name only.

use anstyle::Style;

use super::model::{PartKind, Report, Resource, Template};
use super::text::{NOTHING, Out, style};
use super::{Options, basis, words};

/// A line per resource that differs, with its impact and the number of its changed properties, and
/// the total.
pub fn to_stat(report: &Report, options: &Options) -> String {
    let mut out = Out { text: String::new(), options };
    let rows: Vec<Row> = report
        .templates()
        .iter()
        .flat_map(|template| {
            let shown = words::worst_first(template, options.verbose);
            shown.into_iter().map(|resource| Row::new(report, template, resource))
        })
        .collect();
    let width = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or_default();
    for Row { name, resource, changed } in &rows {
        let impact = resource.effective_impact;
        let count = if *changed == 0 { String::new() } else { format!(" {changed}") };
        let parts = [
            (Style::new(), format!(" {name:<width$} | ")),
            (style(impact), format!("{:<11}", impact.name())),
            (Style::new(), count),
        ];
        out.line(0, &parts);
    }
    if !report.templates().is_empty() && report.templates().iter().all(|it| !it.compared) {
        return out.text;
    }
    if let Some(nothing) = basis::nothing(report) {
        out.line(0, &[(Style::new(), format!(" {nothing}"))]);
        out.basis(report);
        return out.text;
    }
    let headline = if report.templates().iter().any(words::differs) {
        words::headline(report.summary(), report.counts())
    } else {
        NOTHING.to_owned()
    };
    let others = words::others(report.counts());
    let parts = [headline, others, words::rest(report.summary())];
    let total: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    out.line(0, &[(Style::new(), format!(" {}", total.join("; ")))]);
    out.basis(report);
    out.text
}

/// The names of the resources that differ, one on a line, in the order of the templates.
pub fn to_names(report: &Report, options: &Options) -> String {
    let mut out = Out { text: String::new(), options };
    for template in report.templates() {
        let shown = words::worst_first(template, options.verbose);
        let is_shown = |resource: &&Resource| shown.iter().any(|it| std::ptr::eq(*it, *resource));
        for resource in template.resources.iter().filter(is_shown) {
            out.line(0, &[(Style::new(), named(report, template, resource))]);
        }
    }
    out.text
}

struct Row<'a> {
    name: String,
    resource: &'a Resource,
    changed: usize,
}

impl<'a> Row<'a> {
    fn new(report: &Report, template: &Template, resource: &'a Resource) -> Self {
        let is_property = |kind: PartKind| !matches!(kind, PartKind::Resource | PartKind::Type);
        let changed = resource.reasons.iter().filter(|reason| is_property(reason.part)).count();
        let name = named(report, template, resource);
        Row { name: crate::report::escape::on_one_line(&name).into_owned(), resource, changed }
    }
}

/// The name of a resource, after the name of its template where there are many.
fn named(report: &Report, template: &Template, resource: &Resource) -> String {
    match report {
        Report::Pair(_) => resource.name.clone(),
        Report::Set(_) => {
            let file = template.new.as_deref().or(template.old.as_deref()).unwrap_or_default();
            format!("{file}: {}", resource.name)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::sample;
    use super::*;

    #[test]
    fn a_line_per_resource() {
        let (sample, options) = (sample(), Options::default());
        let report = Report::pair(&sample.compared(), &options);
        insta::assert_snapshot!(to_stat(&report, &options), @r#"
        volume                    | refused     1
        web                       | delete
        port                      | replace     1
        server                    | replace     2
        group/0/a|`b`<i>␛[1m␊@all | may-replace 1
        frontend                  | create
        rules                     | update      1
        update refused because of 1 immutable parameter, 1 refused, 1 deleted, 2 replaced, 1 perhaps replaced, 1 created, 1 updated in place, access widened; 2 parameters, 1 condition, 1 output; 1 updated without effect, 1 unchanged
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
        let (mut sample, options) = (sample(), Options::default());
        sample.comparison = crate::diff::Comparison::default();
        let report = Report::pair(&sample.compared(), &options);
        assert_eq!(to_stat(&report, &options), " no differences\n");
        assert_eq!(to_names(&report, &options), "");
    }
}
