//! Workflow commands of GitHub: annotations at the lines of the new files.

use super::level::Level;
use super::messages::{Message, Range, messages};
use super::model::{Report, Template};
use super::words;
use crate::report::escape;

/// A notice with the summary, then an annotation for each thing to tell. GitHub shows ten of each
/// level, so the worst come first.
pub fn to_github(report: &Report) -> String {
    let headline = words::headline(report.summary(), report.counts());
    let mut out = format!("::notice title=hotplate diff::{}\n", data(&headline));
    for level in [Level::Error, Level::Warning, Level::Notice] {
        for template in report.templates() {
            let told = messages(template);
            for message in told.iter().filter(|message| message.level == level) {
                out.push_str(&command(template, message));
                out.push('\n');
            }
        }
    }
    out
}

fn command(template: &Template, message: &Message<'_>) -> String {
    let name = match message.level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Notice => "notice",
    };
    let mut properties = Vec::new();
    let mut text = message.lines.join("\n");
    match (message.spot.new, message.spot.old) {
        (Some(Range { file, line, column, end_line, end_column }), _) => {
            properties.push(format!("file={}", property(file)));
            properties.push(format!("line={line}"));
            // GitHub takes columns only where the end is on the same line.
            if line == end_line {
                properties.push(format!("col={column}"));
                properties.push(format!("endColumn={end_column}"));
            } else {
                properties.push(format!("endLine={end_line}"));
            }
        }
        // Annotations are shown in the new files only: a line of an old one would be a wrong line.
        (None, Some(old)) => {
            let file = template.new.as_deref().unwrap_or(old.file);
            properties.push(format!("file={}", property(file)));
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&format!("it was in {}:{}", escape::on_one_line(old.file), old.line));
        }
        (None, None) => {}
    }
    properties.push(format!("title={}", property(&message.title)));
    if text.is_empty() {
        text.clone_from(&message.title);
    }
    format!("::{name} {}::{}", properties.join(","), data(&text))
}

/// The text of a command. What acts on a terminal, where logs are read, is made visible.
fn data(text: &str) -> String {
    let text = escape::for_terminal(text);
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property of a command.
fn property(text: &str) -> String {
    data(&escape::on_one_line(text)).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::super::{Options, sample::sample};
    use super::*;

    #[test]
    fn annotations() {
        let sample = sample();
        let report = Report::pair(&sample.compared(), &Options::default());
        insta::assert_snapshot!("github", to_github(&report));
    }

    #[test]
    fn nothing_ends_a_command_or_begins_one() {
        assert_eq!(data("100%\r\n::error::x"), "100%25␍%0A::error::x");
        assert_eq!(property("a,b:c\nd"), "a%2Cb%3Ac␊d");
        let sample = sample();
        let report = Report::pair(&sample.compared(), &Options::default());
        for line in to_github(&report).lines() {
            assert!(
                ["::error ", "::warning ", "::notice "].iter().any(|start| line.starts_with(start))
            );
        }
    }
}
