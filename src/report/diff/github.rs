//! GitHub workflow commands: annotations at lines of the new files.

mod folding;

use super::level::{Level, severity_level};
use super::messages::Message;
use super::model::{Report, TemplateReport};
use super::{inputs_summary, labels};
use crate::report::SourceRange;
use crate::report::escape::{self, github_data as data, github_property as property};

/// The number of annotations of each level that GitHub shows.
const MAX_ANNOTATIONS: usize = 10;

/// A notice with the summary, then an annotation for each cause: by level, impacts before
/// findings. Those beyond GitHub's limit are counted in the last annotation that it shows, and then
/// follow for the log.
pub fn to_github(report: &Report) -> String {
    let mut headline = labels::report_headline(report);
    if let Some(compared) = inputs_summary::compared(report) {
        headline.push_str(&format!("\n{}", escape::on_one_line(&compared)));
    }
    let mut out = format!("::notice title=hotplate diff::{}\n", data(&headline));
    for finding in inputs_summary::search_findings(report) {
        let file = finding.place.as_ref().map_or("", |place| place.path.as_str());
        let mut properties = properties(file, finding.place.as_ref());
        properties.push(format!("title={}", finding.code));
        let level = level_name(severity_level(finding.severity));
        out.push_str(&format!("::{level} {}::{}\n", properties.join(","), data(&finding.message)));
    }
    for level in [Level::Error, Level::Warning, Level::Notice] {
        let mut annotations: Vec<(&TemplateReport, Message<'_>)> = Vec::new();
        for template in report.templates() {
            let messages = folding::folded_messages(template).into_iter();
            annotations.extend(messages.filter(|it| it.level == level).map(|it| (template, it)));
        }
        annotations.sort_by_key(|(_, message)| message.is_finding());
        // The summary counts as a notice.
        let room = if level == Level::Notice { MAX_ANNOTATIONS - 1 } else { MAX_ANNOTATIONS };
        let shown = if annotations.len() > room { room - 1 } else { annotations.len() };
        for (at, (template, message)) in annotations.iter().enumerate() {
            if at == shown {
                out.push_str(&overflow_annotation(level, &annotations[shown..]));
            }
            out.push_str(&command(template, message));
        }
    }
    out
}

/// An annotation that counts the remaining ones.
fn overflow_annotation(level: Level, left: &[(&TemplateReport, Message<'_>)]) -> String {
    let title = format!("and {} more (see the log)", left.len());
    let titles: Vec<&str> = left.iter().map(|(_, message)| message.title.as_str()).collect();
    format!("::{} title={}::{}\n", level_name(level), property(&title), data(&titles.join("\n")))
}

fn level_name(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Notice => "notice",
    }
}

/// The properties of a command for a place.
fn properties(file: &str, place: Option<&SourceRange>) -> Vec<String> {
    let mut properties = Vec::new();
    if !file.is_empty() {
        properties.push(format!("file={}", property(file)));
    }
    if let Some(SourceRange { start, end, .. }) = place {
        properties.push(format!("line={}", start.line));
        // GitHub accepts columns only if the end is on the same line.
        if start.line == end.line {
            properties.push(format!("col={}", start.column));
            properties.push(format!("endColumn={}", end.column));
        } else {
            properties.push(format!("endLine={}", end.line));
        }
    }
    properties
}

fn command(template: &TemplateReport, message: &Message<'_>) -> String {
    let at = message.annotated(template);
    let mut properties = properties(at.file, at.place);
    properties.push(format!("title={}", property(&message.title)));
    let lines: Vec<&str> =
        message.lines.iter().chain(&at.old_place_note).map(String::as_str).collect();
    let text = if lines.is_empty() { message.title.clone() } else { lines.join("\n") };
    format!("::{} {}::{}\n", level_name(message.level), properties.join(","), data(&text))
}

#[cfg(test)]
mod tests {
    use super::super::{DiffReportOptions, sample::sample};
    use super::*;

    #[test]
    fn annotations() {
        let sample = sample();
        let report = Report::pair(&sample.compared(), &DiffReportOptions::default());
        insta::assert_snapshot!("github", to_github(&report));
    }

    #[test]
    fn what_is_beyond_the_limit_is_counted_where_it_is_seen() {
        let mut sample = sample();
        let finding = sample.findings[0].clone();
        sample.findings = (0..12)
            .map(|at| {
                let mut finding = finding.clone();
                finding.diagnostic.message = format!("number {at}");
                finding
            })
            .collect();
        let report = Report::set(&[sample.compared(); 2], &[], &DiffReportOptions::default());
        let text = to_github(&report);
        let warnings: Vec<&str> =
            text.lines().filter(|line| line.starts_with("::warning ")).collect();
        let titles = |range: std::ops::Range<usize>| {
            let title = |line: &&str| line.split("title=").nth(1).map(str::to_owned);
            warnings[range].iter().filter_map(title).collect::<Vec<_>>()
        };
        assert!(titles(0..4).iter().all(|title| !title.starts_with("number")), "{warnings:?}");
        assert!(titles(4..9).iter().all(|title| title.starts_with("number")), "{warnings:?}");
        assert!(titles(9..10)[0].starts_with("and 19 more (see the log)::number 5%0A"));
        assert_eq!(warnings.len(), 29);
    }

    #[test]
    fn nothing_ends_a_command_or_begins_one() {
        assert_eq!(data("100%\r\n::error::x"), "100%25␍%0A::error::x");
        assert_eq!(property("a,b:c\nd"), "a%2Cb%3Ac␊d");
        let sample = sample();
        let report = Report::pair(&sample.compared(), &DiffReportOptions::default());
        for line in to_github(&report).lines() {
            assert!(
                ["::error ", "::warning ", "::notice "].iter().any(|start| line.starts_with(start))
            );
        }
    }
}
