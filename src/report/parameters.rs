//! The parameters of a deployment, as text and JSON.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value as Json;

use super::eval::{EvalReportOptions, value_to_data, value_to_line};
use super::json::{Finding, of_data};
use super::{SourceLocator, SourceRange, escape};
use crate::parameters::{DeploymentParameters, ListedParameter, ListedTemplate, ValueOrigin};
use heat_engine::eval::Value;
use heat_template::ir::{Expr, Parameter, ParameterConstraint};
use source_diagnostics::Diagnostic;

/// The JSON of `hotplate parameters`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ParametersReport {
    /// The templates, the root first, each once for each resource that nests it.
    templates: Vec<TemplateEntry>,
    diagnostics: Vec<Finding>,
}

/// A template in the context in which it is used.
#[derive(Debug, Serialize, JsonSchema)]
struct TemplateEntry {
    /// The names of the resources that lead to it; empty for the root template.
    path: Vec<String>,
    /// The file; `null` if a resource contains the template as text.
    template: Option<String>,
    /// The type of the resource that nests it; `null` for the root template.
    nested_at: Option<SourceRange>,
    parameters: Vec<ParameterEntry>,
}

/// A parameter of a template.
#[derive(Debug, Serialize, JsonSchema)]
struct ParameterEntry {
    name: String,
    /// The type in HOT: `string`, `number`, …; `null` if the template declares none that Heat knows.
    #[serde(rename = "type")]
    kind: Option<&'static str>,
    label: Option<String>,
    description: Option<String>,
    /// The default of the declaration, `******` if the parameter is hidden; `null` if there is none.
    default: Option<Json>,
    constraints: Vec<ConstraintEntry>,
    /// Whether Heat hides the value.
    hidden: bool,
    /// Whether there is neither a default nor a value.
    required: bool,
    /// The value after Heat's conversion, `******` if it is hidden; `null` if there is none.
    value: Option<Json>,
    origin: OriginEntry,
    /// The name in the declaration.
    place: Option<SourceRange>,
    /// Where the template uses it.
    uses: Vec<SourceRange>,
}

/// A constraint of a parameter.
#[derive(Debug, Serialize, JsonSchema)]
struct ConstraintEntry {
    /// The key in HOT: `range`, `allowed_values`, …; `null` for an entry without a constraint.
    kind: Option<&'static str>,
    /// The operand as written.
    value: Json,
    description: Option<String>,
}

/// Where a value comes from.
#[derive(Debug, Serialize, JsonSchema)]
struct OriginEntry {
    kind: ValueOrigin,
    /// The place of the value, or of its name beside it; `null` if there is none.
    place: Option<SourceRange>,
}

impl ParametersReport {
    /// The report of the listed parameters and the findings.
    pub fn new(
        listed: &DeploymentParameters<'_>,
        findings: &[Diagnostic],
        places: &mut SourceLocator<'_>,
    ) -> Self {
        let templates = listed.templates.iter().map(|template| TemplateEntry {
            path: template.path.iter().map(|&name| name.to_owned()).collect(),
            template: template.file.clone(),
            nested_at: template.nested_at.and_then(|span| places.locate(span)),
            parameters: template.parameters.iter().map(|it| entry(it, places)).collect(),
        });
        ParametersReport {
            templates: templates.collect(),
            diagnostics: Finding::all(findings, places),
        }
    }
}

fn entry(parameter: &ListedParameter<'_>, places: &mut SourceLocator<'_>) -> ParameterEntry {
    let declaration = parameter.declaration;
    ParameterEntry {
        name: parameter.name.to_owned(),
        kind: declaration.kind.map(|kind| kind.hot_name()),
        label: text_of(declaration.label.as_ref()),
        description: text_of(declaration.description.as_ref()),
        default: shown_default(parameter).map(|value| json(&value)),
        constraints: declaration.constraints.iter().map(|it| constraint(declaration, it)).collect(),
        hidden: declaration.is_hidden(),
        required: parameter.is_required(),
        value: parameter.value.map(json),
        origin: OriginEntry {
            kind: parameter.origin,
            place: parameter.origin_span.and_then(|span| places.locate(span)),
        },
        place: places.locate(declaration.name_span),
        uses: parameter.uses.iter().filter_map(|span| places.locate(*span)).collect(),
    }
}

/// The operand of a constraint. The values that a hidden parameter may have are secrets, too.
fn operand(declaration: &Parameter, constraint: &ParameterConstraint) -> Option<Value> {
    let (_, operand) = constraint.kind.entry()?;
    let is_secret = declaration.is_hidden() && constraint.kind.shows_values();
    Some(Value::from_expr_as_sent(operand).sealed(is_secret))
}

fn constraint(declaration: &Parameter, constraint: &ParameterConstraint) -> ConstraintEntry {
    ConstraintEntry {
        kind: constraint.kind.entry().map(|(kind, _)| kind),
        value: operand(declaration, constraint).map_or(Json::Null, |value| json(&value)),
        description: text_of(constraint.description.as_ref()),
    }
}

/// The default of the declaration; that of a hidden parameter is a secret.
fn shown_default(parameter: &ListedParameter<'_>) -> Option<Value> {
    let default = Value::from_expr_as_sent(parameter.declaration.default.as_ref()?);
    (default != Value::Null).then(|| default.sealed(parameter.declaration.is_hidden()))
}

fn json(value: &Value) -> Json {
    of_data(value_to_data(value, EvalReportOptions::default()))
}

/// A text of the declaration; a value of another type as JSON.
pub(super) fn text_of(written: Option<&Expr>) -> Option<String> {
    let written = written?;
    Some(match written.as_text() {
        Some(text) => text.to_owned(),
        None => value_to_line(&Value::from_expr_as_sent(written)).unwrap_or_default(),
    })
}

/// Writes template by template: each parameter with its type, its value and the origin of that on a line, and below it
/// what the declaration says, and where it is used.
pub fn text(
    listed: &DeploymentParameters<'_>,
    places: &mut SourceLocator<'_>,
) -> anyhow::Result<String> {
    let mut text = String::new();
    for template in &listed.templates {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&format!("{}\n", escape::on_one_line(&heading(template, places))));
        for parameter in &template.parameters {
            for line in lines(parameter, places)? {
                text.push_str(&format!("  {line}\n"));
            }
        }
    }
    Ok(text)
}

fn heading(template: &ListedTemplate<'_>, places: &mut SourceLocator<'_>) -> String {
    let mut heading = context(template);
    if let Some(place) = template.nested_at.and_then(|span| places.locate(span)) {
        heading.push_str(&format!(", nested at {}", short(&place)));
    }
    let required = template.parameters.iter().filter(|it| it.is_required()).count();
    let all = match template.parameters.len() {
        0 => "no parameters".to_owned(),
        1 => "1 parameter".to_owned(),
        several => format!("{several} parameters"),
    };
    match required {
        0 => format!("{heading}: {all}"),
        required => format!("{heading}: {all}, {required} required"),
    }
}

/// The file, and for a nested template the resources that lead to it.
pub(super) fn context(template: &ListedTemplate<'_>) -> String {
    let path = template.path.join("/");
    match &template.file {
        Some(file) if template.is_root() => file.clone(),
        Some(file) => format!("{path} ({file})"),
        None => path,
    }
}

fn lines(
    parameter: &ListedParameter<'_>,
    places: &mut SourceLocator<'_>,
) -> anyhow::Result<Vec<String>> {
    let (dim, plain) = (anstyle::Style::new().dimmed(), anstyle::Reset);
    let declaration = parameter.declaration;
    let mut first = format!("{}: {}", parameter.name, type_name(parameter));
    if declaration.is_hidden() {
        first.push_str(", hidden");
    }
    if parameter.is_required() {
        first.push_str(", required");
    }
    if let Some(value) = parameter.value {
        first.push_str(&format!(" = {}", value_to_line(value)?));
    }
    let mut first = escape::on_one_line(&first).into_owned();
    if let Some(origin) = origin(parameter, places) {
        let origin = escape::on_one_line(&origin);
        first.push_str(&format!("  {dim}# {origin}{plain}"));
    }
    let mut details = Vec::new();
    details.extend(text_of(declaration.label.as_ref()));
    details.extend(text_of(declaration.description.as_ref()));
    if parameter.origin != ValueOrigin::Default
        && let Some(default) = shown_default(parameter)
    {
        details.push(format!("default: {}", value_to_line(&default)?));
    }
    for constraint in &declaration.constraints {
        let Some((kind, _)) = constraint.kind.entry() else { continue };
        let operand = operand(declaration, constraint).unwrap_or(Value::Null);
        let operand = value_to_line(&operand)?;
        details.push(match text_of(constraint.description.as_ref()) {
            Some(description) => format!("{kind}: {operand} ({description})"),
            None => format!("{kind}: {operand}"),
        });
    }
    let uses = parameter.uses.iter().filter_map(|span| places.locate(*span));
    let uses: Vec<String> = uses.map(|place| short(&place)).collect();
    details.push(match uses.as_slice() {
        [] => "not used by name".to_owned(),
        uses => format!("used at {}", uses.join(", ")),
    });
    let details = details.iter().flat_map(|detail| detail.lines());
    let details = details.map(|detail| format!("  {}", escape::on_one_line(detail)));
    Ok(std::iter::once(first).chain(details).collect())
}

/// The type in HOT.
pub(super) fn type_name(parameter: &ListedParameter<'_>) -> &'static str {
    parameter.declaration.kind.map_or("unknown type", |kind| kind.hot_name())
}

/// Where the value comes from; `None` without one.
pub(super) fn origin(
    parameter: &ListedParameter<'_>,
    places: &mut SourceLocator<'_>,
) -> Option<String> {
    let place = parameter.origin_span.and_then(|span| places.locate(span));
    let place = place.map_or_else(String::new, |place| short(&place));
    Some(match parameter.origin {
        ValueOrigin::Argument => "-P".to_owned(),
        ValueOrigin::Configuration => format!("configuration, {place}"),
        ValueOrigin::ParameterFile => format!("--parameter-file {place}"),
        ValueOrigin::Parameters => format!("parameters, {place}"),
        ValueOrigin::ParameterDefaults => format!("parameter_defaults, {place}"),
        ValueOrigin::Property => format!("property, {place}"),
        ValueOrigin::Default => "default".to_owned(),
        ValueOrigin::Missing => return None,
    })
}

fn short(place: &SourceRange) -> String {
    format!("{}:{}", place.path, place.start.line)
}
