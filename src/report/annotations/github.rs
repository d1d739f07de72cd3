//! GitHub's workflow commands.

use std::fmt::Write;

use source_diagnostics::Severity;

use super::Annotation;
use crate::report::escape::{github_data as data, github_property as property};

/// The number of annotations of each level that GitHub shows.
const MAX_ANNOTATIONS: usize = 10;

/// A log with workflow commands.
#[derive(Debug, Default)]
pub(in crate::report) struct GithubLog(pub(in crate::report) String);

impl GithubLog {
    /// The summary of a run, which counts as a notice.
    pub(in crate::report) fn summary(&mut self, command: &str, text: &str) {
        self.command(Severity::Note, vec![format!("title={command}")], text);
    }

    /// The annotations of a severity. Those beyond GitHub's limit are counted in the last one that it shows, and follow for the log.
    pub(in crate::report) fn annotations(
        &mut self,
        severity: Severity,
        annotations: &[Annotation<'_>],
    ) {
        let room = MAX_ANNOTATIONS - usize::from(severity == Severity::Note);
        let shown = if annotations.len() > room { room - 1 } else { annotations.len() };
        for (at, annotation) in annotations.iter().enumerate() {
            if at == shown {
                let left = &annotations[shown..];
                let title = format!("and {} more (see the log)", left.len());
                let titles: Vec<&str> = left.iter().map(|it| it.sentence.as_str()).collect();
                let properties = vec![format!("title={}", property(&title))];
                self.command(severity, properties, &titles.join("\n"));
            }
            self.annotation(annotation);
        }
    }

    /// An annotation at its place.
    pub(in crate::report) fn annotation(&mut self, annotation: &Annotation<'_>) {
        let mut properties = Vec::new();
        if !annotation.path().is_empty() {
            properties.push(format!("file={}", property(annotation.path())));
        }
        if let Some(place) = annotation.place {
            let (start, end) = (&place.start, &place.end);
            properties.push(format!("line={}", start.line));
            // GitHub accepts columns only if the end is on the same line.
            if start.line == end.line {
                properties.push(format!("col={}", start.column));
                properties.push(format!("endColumn={}", end.column));
            } else {
                properties.push(format!("endLine={}", end.line));
            }
        }
        properties.push(format!("title={}", property(annotation.heading())));
        let text = match &annotation.heading {
            // The sentence is in the title already.
            None if !annotation.details.is_empty() => annotation.details.join("\n"),
            _ => annotation.text(),
        };
        self.command(annotation.severity, properties, &text);
    }

    fn command(&mut self, severity: Severity, properties: Vec<String>, text: &str) {
        let level = match severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "notice",
        };
        let _ = writeln!(self.0, "::{level} {}::{}", properties.join(","), data(text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_a_command_or_begins_one() {
        assert_eq!(data("100%\r\n::error::x"), "100%25␍%0A::error::x");
        assert_eq!(property("a,b:c\nd"), "a%2Cb%3Ac␊d");
    }
}
