//! Comments at lines for Zuul.

use super::inputs_summary;
use super::level::{Level, severity_level};
use super::messages::messages;
use super::model::Report;
use crate::report::zuul::{self, ZuulComment};

/// A comment for each message, the worst of each template first; what the search for templates found without a place is a warning of
/// the job.
///
/// # Errors
///
/// If the report cannot be written as JSON.
pub fn to_zuul(report: &Report) -> serde_json::Result<String> {
    let templates = report.templates();
    let comments = templates.iter().flat_map(|template| {
        messages(template).into_iter().map(move |message| {
            let at = message.annotated(template);
            let comment = ZuulComment {
                line: at.place.map_or(1, |place| place.start.line),
                level: name(message.level),
                message: message.text(at.old_place_note.as_ref()),
            };
            (at.file, comment)
        })
    });
    let of_search = inputs_summary::search_findings(report).map(|finding| {
        let comment = ZuulComment {
            line: finding.place.as_ref().map_or(1, |place| place.start.line),
            level: name(severity_level(finding.severity)),
            message: format!("{}: {}", finding.code, finding.message),
        };
        (finding.place.as_ref().map_or("", |place| place.path.as_str()), comment)
    });
    zuul::to_zuul(comments.chain(of_search))
}

fn name(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Notice => "info",
    }
}

#[cfg(test)]
mod tests {
    use super::super::{DiffReportOptions, sample::sample};
    use super::*;

    #[test]
    fn file_comments() {
        let sample = sample();
        let report = Report::pair(&sample.compared(), &DiffReportOptions::default());
        insta::assert_snapshot!("zuul", to_zuul(&report).expect("JSON"));
    }
}
