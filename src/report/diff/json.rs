//! The report as JSON, and the schema of that JSON.

use schemars::Schema;
use schemars::generate::SchemaSettings;

use super::model::Report;

/// A report as JSON text.
pub fn to_json(report: &Report) -> serde_json::Result<String> {
    crate::report::json::to_text(report)
}

/// The JSON Schema of [`to_json`]'s output.
pub fn schema() -> Schema {
    // What is written has every key but those that say that there is no value.
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<Report>()
}

#[cfg(test)]
mod tests {
    use super::super::{Options, sample::sample};
    use super::*;

    #[test]
    fn everything_that_was_found_is_there() {
        let sample = sample();
        let report = Report::pair(&sample.compared(), &Options::default());
        insta::assert_snapshot!("sample", to_json(&report).expect("JSON"));
    }

    #[test]
    fn many_templates_have_their_sum() {
        let sample = sample();
        let unread = super::super::Compared { comparison: None, ..sample.compared() };
        let all = [sample.compared(), unread, sample.compared()];
        let report = Report::set(&all, &[], &Options::default());
        let json = serde_json::to_value(&report).expect("JSON");
        assert_eq!(json["summary"]["replace"], 4);
        assert_eq!(json["counts"]["widened"], 2);
        assert_eq!(json["templates"][1]["compared"], false);
        assert_eq!(json["templates"][1]["summary"]["none"], 0);
        assert_eq!(json["templates"][2]["summary"]["replace"], 2);
    }
}
