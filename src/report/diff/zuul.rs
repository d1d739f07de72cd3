//! Comments at lines for Zuul.

use super::level::Level;
use super::messages::messages;
use super::model::Report;
use crate::report::zuul::{self, ZuulComment};

/// A comment for each message, the worst of each template first.
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
                level: match message.level {
                    Level::Error => "error",
                    Level::Warning => "warning",
                    Level::Notice => "info",
                },
                message: message.text(at.old_place_note.as_ref()),
            };
            (at.file, comment)
        })
    });
    zuul::to_zuul(comments)
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
