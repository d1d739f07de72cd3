//! Reports which versions accept templates, as text and JSON.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::json::Finding;
use super::version_list::VersionEntry;
use super::{SourceLocator, SourceRange, escape};
use heat_template::hot::Version;
use heat_template::hot::compatibility::Compatibility;
use source_diagnostics::Diagnostic;

/// The result for one path.
#[derive(Debug)]
pub struct PathVersions {
    /// The path as displayed to the user.
    pub path: String,
    /// The result for the template, or why there is none.
    pub outcome: Result<Compatibility, Diagnostic>,
    /// The note about parts of a Jinja2 template that were not examined.
    pub jinja_note: Option<Diagnostic>,
}

/// The output of `versions --format json`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum VersionsJson<'a> {
    /// The versions that accept the given templates.
    Templates(VersionsReport<'a>),
    /// With `--list`: the versions, the oldest first.
    List(Vec<VersionEntry>),
}

/// The report of templates.
#[derive(Debug, Serialize, JsonSchema)]
pub struct VersionsReport<'a> {
    /// The number of templates by declared version, in the order of the versions.
    pub histogram: Vec<VersionCount>,
    /// Every template, and every path without a result.
    pub files: Vec<TemplateVersions<'a>>,
}

/// The number of templates that declare a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct VersionCount {
    /// The version that these templates declare.
    #[schemars(with = "String")]
    pub version: Version,
    /// The number of templates that declare it.
    pub templates: usize,
    /// The number of them that are invalid in it.
    pub invalid: usize,
}

/// A path in the JSON report; without a template, everything except `diagnostics` is `null` or empty.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TemplateVersions<'a> {
    path: &'a str,
    #[schemars(with = "Option<String>")]
    declared: Option<Version>,
    /// Whether the declared version accepts it.
    valid: Option<bool>,
    /// The first version that accepts it; `null` if none does.
    #[schemars(with = "Option<String>")]
    lowest: Option<Version>,
    #[schemars(with = "Option<String>")]
    highest: Option<Version>,
    /// The version that an invalid template was probably written for.
    #[schemars(with = "Option<String>")]
    meant: Option<Version>,
    /// The features that limit the versions.
    features: Vec<VersionFeature<'a>>,
    diagnostics: Vec<Finding>,
}

/// A feature that limits the versions of a template.
#[derive(Debug, Serialize, JsonSchema)]
struct VersionFeature<'a> {
    name: &'a str,
    #[schemars(with = "String")]
    since: Version,
    /// The last version that has it; `null` if the latest still has it.
    #[schemars(with = "Option<String>")]
    until: Option<Version>,
    place: Option<SourceRange>,
}

/// The report on several templates.
pub fn json<'a>(answers: &'a [PathVersions], places: &mut SourceLocator<'_>) -> VersionsJson<'a> {
    let files = answers.iter().map(|answer| TemplateVersions::new(answer, places)).collect();
    VersionsJson::Templates(VersionsReport { histogram: histogram(answers), files })
}

/// The number of templates by declared version.
fn histogram(answers: &[PathVersions]) -> Vec<VersionCount> {
    let mut counts: BTreeMap<Version, VersionCount> = BTreeMap::new();
    for template in answers.iter().filter_map(|answer| answer.outcome.as_ref().ok()) {
        let version = template.declared;
        let count =
            counts.entry(version).or_insert(VersionCount { version, templates: 0, invalid: 0 });
        count.templates += 1;
        count.invalid += usize::from(!template.errors.is_empty());
    }
    counts.into_values().collect()
}

impl<'a> TemplateVersions<'a> {
    fn new(
        PathVersions { path, outcome, jinja_note: jinja }: &'a PathVersions,
        places: &mut SourceLocator<'_>,
    ) -> Self {
        let template = match outcome {
            Ok(template) => template,
            Err(finding) => {
                return TemplateVersions {
                    path,
                    declared: None,
                    valid: None,
                    lowest: None,
                    highest: None,
                    meant: None,
                    features: Vec::new(),
                    diagnostics: vec![Finding::new(finding, places)],
                };
            }
        };
        let features = template.features.iter().map(|feature| VersionFeature {
            name: &feature.name,
            since: feature.requirement.since,
            until: feature.requirement.until,
            place: places.locate(feature.span),
        });
        TemplateVersions {
            path,
            declared: Some(template.declared),
            valid: Some(template.errors.is_empty()),
            lowest: template.accepted.map(|(lowest, _)| lowest),
            highest: template.accepted.map(|(_, highest)| highest),
            meant: template.intended_version,
            features: features.collect(),
            diagnostics: template
                .errors
                .iter()
                .chain(jinja)
                .map(|it| Finding::new(it, places))
                .collect(),
        }
    }
}

/// The number of errors that are listed without `all`.
const MAX_ERRORS: usize = 3;

/// The number of templates by version, if there are several; then a line for each template,
/// with one for each feature that limits its versions and, unless `all` is set, only the first errors.
pub fn text(answers: &[PathVersions], all: bool, places: &mut SourceLocator<'_>) -> String {
    let mut text = String::new();
    let counts = histogram(answers);
    if counts.iter().map(|count| count.templates).sum::<usize>() > 1 {
        text.push_str("templates  version\n");
        for VersionCount { version, templates, invalid } in counts {
            let invalid = match invalid {
                0 => String::new(),
                _ => format!("  ({invalid} invalid)"),
            };
            text.push_str(&format!("{templates:>9}  {version}{invalid}\n"));
        }
        text.push('\n');
    }
    for PathVersions { path, outcome, jinja_note: jinja } in answers {
        let Ok(template) = outcome else { continue };
        let path = escape::on_one_line(path);
        let jinja = if jinja.is_some() { " outside of its Jinja2 tags" } else { "" };
        text.push_str(&format!("{path}: {}{jinja}\n", verdict(template)));
        let shown = if all { template.errors.len() } else { MAX_ERRORS };
        for error in template.errors.iter().take(shown) {
            let place = error.span().map(|span| places.positions(span).0);
            let place = place
                .map_or_else(String::new, |place| format!("{}:{}: ", place.line, place.column));
            let message = escape::on_one_line(&error.message);
            text.push_str(&format!("  {place}error[{}]: {message}\n", error.code));
        }
        if template.errors.len() > shown {
            let more = template.errors.len() - shown;
            text.push_str(&format!("  and {more} more errors (`--verbose` lists them)\n"));
        }
        for feature in &template.features {
            let position = places.positions(feature.span).0;
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

fn verdict(template: &Compatibility) -> String {
    let declared = template.declared;
    let accepted = match template.accepted {
        Some((lowest, highest)) if highest == Version::LATEST => format!("{lowest} or later"),
        Some((lowest, highest)) if lowest == highest => format!("{lowest} only"),
        Some((lowest, highest)) => format!("{lowest} to {highest}"),
        None => "no version".to_owned(),
    };
    match template.accepted {
        _ if template.errors.is_empty() => {
            let meant = template
                .intended_version
                .map(|version| format!("; probably written for {version} or later"))
                .unwrap_or_default();
            format!("declares {declared}, needs {accepted}{meant}")
        }
        Some((lowest, _)) if lowest > declared => {
            format!("invalid: declares {declared}, probably written for {accepted}")
        }
        _ => format!("invalid: declares {declared}, accepted by {accepted}"),
    }
}
