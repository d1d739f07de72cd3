//! Which versions accept templates, as text and JSON.

use serde::Serialize;

use super::json::{Finding, Range};
use super::{Places, escape};
use crate::diagnostics::Diagnostic;
use crate::hot::Version;
use crate::hot::survey::Surveyed;

/// What is known of a path.
#[derive(Debug)]
pub struct Answer {
    /// The path, for people.
    pub path: String,
    /// The template there, or why there is none.
    pub outcome: Result<Surveyed, Diagnostic>,
    /// What was not looked at, where it is a Jinja2 template.
    pub jinja: Option<Diagnostic>,
}

/// A path of the JSON report; without a template all is `null` or empty but `diagnostics`.
#[derive(Debug, Serialize)]
pub struct Template<'a> {
    path: &'a str,
    declared: Option<Version>,
    lowest: Option<Version>,
    highest: Option<Version>,
    features: Vec<Feature<'a>>,
    diagnostics: Vec<Finding>,
}

#[derive(Debug, Serialize)]
struct Feature<'a> {
    name: &'a str,
    since: Version,
    until: Option<Version>,
    span: Range,
}

/// The JSON report.
pub fn json<'a>(answers: &'a [Answer], places: &mut Places<'_>) -> Vec<Template<'a>> {
    answers.iter().map(|answer| Template::new(answer, places)).collect()
}

impl<'a> Template<'a> {
    fn new(Answer { path, outcome, jinja }: &'a Answer, places: &mut Places<'_>) -> Self {
        let template = match outcome {
            Ok(template) => template,
            Err(finding) => {
                return Template {
                    path,
                    declared: None,
                    lowest: None,
                    highest: None,
                    features: Vec::new(),
                    diagnostics: vec![Finding::new(finding, places)],
                };
            }
        };
        let features = template.features.iter().map(|feature| Feature {
            name: &feature.name,
            since: feature.requirement.since,
            until: feature.requirement.until,
            span: Range::new(feature.span, places),
        });
        Template {
            path,
            declared: Some(template.declared),
            lowest: template.accepted.map(|(lowest, _)| lowest),
            highest: template.accepted.map(|(_, highest)| highest),
            features: features.collect(),
            diagnostics: Finding::all(jinja.as_slice(), places),
        }
    }
}

/// A line for each template, and one for each feature that bounds its versions.
pub fn text(answers: &[Answer], places: &mut Places<'_>) -> String {
    let mut text = String::new();
    for Answer { path, outcome, jinja } in answers {
        let Ok(template) = outcome else { continue };
        let accepted = match template.accepted {
            Some((lowest, highest)) if highest == Version::LATEST => format!("{lowest} or later"),
            Some((lowest, highest)) if lowest == highest => format!("{lowest} only"),
            Some((lowest, highest)) => format!("{lowest} to {highest}"),
            None => "no version has all of it".to_owned(),
        };
        let path = escape::on_one_line(path);
        let jinja = if jinja.is_some() { " outside of its Jinja2 tags" } else { "" };
        text.push_str(&format!(
            "{path}: declares {}, needs {accepted}{jinja}\n",
            template.declared
        ));
        for feature in &template.features {
            let position = places.of(feature.span).0;
            let bounds = match feature.requirement.until {
                Some(until) => format!("{} to {until}", feature.requirement.since),
                None => format!("since {}", feature.requirement.since),
            };
            let name = escape::on_one_line(&feature.name);
            text.push_str(&format!("  {}:{}: {name} ({bounds})\n", position.line, position.column));
        }
    }
    text
}
