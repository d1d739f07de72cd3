//! Which versions accept templates, as text and JSON.

use serde::Serialize;

use super::Places;
use super::json::Range;
use crate::hot::Version;
use crate::hot::survey::Surveyed;

/// A template of the JSON report.
#[derive(Debug, Serialize)]
pub struct Template<'a> {
    path: &'a str,
    declared: Version,
    lowest: Option<Version>,
    highest: Option<Version>,
    features: Vec<Feature<'a>>,
}

#[derive(Debug, Serialize)]
struct Feature<'a> {
    name: &'a str,
    since: Version,
    until: Option<Version>,
    span: Range,
}

/// The JSON report.
pub fn json<'a>(templates: &'a [(String, Surveyed)], places: &mut Places<'_>) -> Vec<Template<'a>> {
    templates
        .iter()
        .map(|(path, template)| Template {
            path,
            declared: template.declared,
            lowest: template.accepted.map(|(lowest, _)| lowest),
            highest: template.accepted.map(|(_, highest)| highest),
            features: template
                .features
                .iter()
                .map(|feature| Feature {
                    name: &feature.name,
                    since: feature.requirement.since,
                    until: feature.requirement.until,
                    span: Range::new(feature.span, places),
                })
                .collect(),
        })
        .collect()
}

/// A line for each template, and one for each feature that bounds its versions.
pub fn text(templates: &[(String, Surveyed)], places: &mut Places<'_>) -> String {
    let mut text = String::new();
    for (path, template) in templates {
        let accepted = match template.accepted {
            Some((lowest, highest)) if highest == Version::LATEST => format!("{lowest} or later"),
            Some((lowest, highest)) if lowest == highest => format!("{lowest} only"),
            Some((lowest, highest)) => format!("{lowest} to {highest}"),
            None => "no version has all of it".to_owned(),
        };
        text.push_str(&format!("{path}: declares {}, needs {accepted}\n", template.declared));
        for feature in &template.features {
            let position = places.of(feature.span).0;
            let bounds = match feature.requirement.until {
                Some(until) => format!("{} to {until}", feature.requirement.since),
                None => format!("since {}", feature.requirement.since),
            };
            text.push_str(&format!(
                "  {}:{}: {} ({bounds})\n",
                position.line, position.column, feature.name
            ));
        }
    }
    text
}
