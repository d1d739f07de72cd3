//! The report as JSON.

use super::model::Report;

/// Renders a report as JSON text.
pub fn to_json(report: &Report) -> serde_json::Result<String> {
    crate::report::json::to_text(report)
}

#[cfg(test)]
mod tests {
    use super::super::{DiffReportOptions, sample::sample};
    use super::*;

    #[test]
    fn everything_that_was_found_is_there() {
        let sample = sample();
        let report = Report::pair(&sample.compared(), &DiffReportOptions::default());
        insta::assert_snapshot!("sample", to_json(&report).expect("JSON"));
    }

    #[test]
    fn many_templates_have_their_sum() {
        let sample = sample();
        let unread = super::super::TemplateComparison { comparison: None, ..sample.compared() };
        let all = [sample.compared(), unread, sample.compared()];
        let report = Report::set(&all, &[], &DiffReportOptions::default());
        let json = serde_json::to_value(&report).expect("JSON");
        assert_eq!(json["summary"]["replace"], 4);
        assert_eq!(json["counts"]["widened"], 2);
        // What Heat refuses comes before what is not compared.
        assert_eq!(json["templates"][2]["compared"], false);
        assert_eq!(json["templates"][2]["summary"]["none"], 0);
        assert_eq!(json["templates"][1]["summary"]["replace"], 2);
    }
}
