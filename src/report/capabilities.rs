//! Reports about capabilities of templates and the candidates chosen by them, as text, YAML and JSON.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Serialize;

use super::json::Finding;
use super::{SourceLocator, escape};
use heat_engine::environment::capabilities::RESOURCE_TYPE;
use heat_engine::environment::registry::{BASE_URL, RESOURCES};
use heat_engine::environment::sections::REGISTRY;
use heat_engine::environment::{
    CandidateList, Capabilities, EnvironmentMap, EnvironmentNode, EnvironmentValue, Registry,
};
use lossless_yaml::Value;
use lossless_yaml::yaml::writer;
use source_diagnostics::Diagnostic;

/// A template with the capabilities that it declares.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TemplateCapabilities {
    /// The path as displayed to the user.
    pub path: String,
    /// The capabilities that it declares.
    pub capabilities: Capabilities,
}

/// Every capability with its values, and for each type the templates that can implement it, in the order of
/// the templates.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct CapabilitiesSummary {
    /// Maps each capability and value to the templates that declare it.
    capabilities: IndexMap<String, IndexMap<String, Vec<String>>>,
    /// Maps each type to the templates that can implement it.
    resource_types: IndexMap<String, Vec<String>>,
}

impl CapabilitiesSummary {
    /// Summarizes what templates declare; `candidates` are further pairs of type and template.
    pub fn new(templates: &[TemplateCapabilities], candidates: &[(String, String)]) -> Self {
        let mut summary = CapabilitiesSummary::default();
        for template in templates {
            for (name, values) in &template.capabilities {
                if name == RESOURCE_TYPE {
                    values.iter().for_each(|value| summary.serve(value, &template.path));
                    continue;
                }
                let known = summary.capabilities.entry(name.clone()).or_default();
                for value in values {
                    push_new(known.entry(value.clone()).or_default(), &template.path);
                }
            }
        }
        for (resource_type, path) in candidates {
            summary.serve(resource_type, path);
        }
        summary
    }

    fn serve(&mut self, resource_type: &str, path: &str) {
        push_new(self.resource_types.entry(resource_type.to_owned()).or_default(), path);
    }

    /// One line per capability, with its values, and one per type, with its templates.
    pub fn text(&self) -> String {
        let mut text = String::new();
        if !self.capabilities.is_empty() {
            text.push_str("capabilities:\n");
            for (name, values) in &self.capabilities {
                line(&mut text, name, values.keys());
            }
        }
        if !self.resource_types.is_empty() {
            text.push_str("resource types:\n");
            for (name, templates) in &self.resource_types {
                line(&mut text, name, templates.iter());
            }
        }
        text
    }
}

fn push_new(list: &mut Vec<String>, item: &str) {
    if !list.iter().any(|known| known == item) {
        list.push(item.to_owned());
    }
}

fn line<'a>(text: &mut String, name: &str, items: impl Iterator<Item = &'a String>) {
    let items: Vec<&str> = items.map(String::as_str).collect();
    let line = format!("{name}: {}", items.join(", "));
    text.push_str(&format!("  {}\n", escape::on_one_line(&line)));
}

/// The JSON report of `list`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CapabilitiesList {
    #[serde(flatten)]
    summary: CapabilitiesSummary,
    templates: Vec<TemplateCapabilities>,
    diagnostics: Vec<Finding>,
}

impl CapabilitiesList {
    /// The report of templates and findings.
    pub fn new(
        summary: CapabilitiesSummary,
        templates: Vec<TemplateCapabilities>,
        findings: &[Diagnostic],
        places: &mut SourceLocator<'_>,
    ) -> Self {
        CapabilitiesList { summary, templates, diagnostics: Finding::all(findings, places) }
    }
}

/// The JSON report of `find`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CapabilitiesMatches {
    templates: Vec<TemplateCapabilities>,
    diagnostics: Vec<Finding>,
}

impl CapabilitiesMatches {
    /// The report of matching templates and findings.
    pub fn new(
        templates: Vec<TemplateCapabilities>,
        findings: &[Diagnostic],
        places: &mut SourceLocator<'_>,
    ) -> Self {
        CapabilitiesMatches { templates, diagnostics: Finding::all(findings, places) }
    }
}

/// The JSON report of `resolve`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ResolvedRegistry {
    /// An environment for Heat; `null` if a candidate could not be chosen.
    environment: Option<serde_json::Value>,
    choices: Vec<RegistryChoice>,
    diagnostics: Vec<Finding>,
}

/// A list of candidates in the registry, and the choice.
#[derive(Debug, Serialize, JsonSchema)]
struct RegistryChoice {
    /// The keys of the registry that lead to the list.
    path: Vec<String>,
    /// The chosen candidate; `null` if none matches.
    chosen: Option<String>,
    candidates: Vec<RegistryCandidate>,
}

/// A template, or a type, that can be chosen.
#[derive(Debug, Serialize, JsonSchema)]
struct RegistryCandidate {
    name: String,
    capabilities: Capabilities,
    matches: bool,
    /// Why it does not match, one sentence per reason.
    lacks: Vec<String>,
}

impl ResolvedRegistry {
    /// The report of a registry and the choices in it.
    pub fn new(
        registry: Option<&Registry>,
        choices: &[CandidateList],
        findings: &[Diagnostic],
        places: &mut SourceLocator<'_>,
    ) -> Self {
        let chosen = |choice: &CandidateList| RegistryChoice {
            path: choice.path.clone(),
            chosen: choice.chosen().map(|chosen| name(&chosen.node)),
            candidates: choice
                .candidates
                .iter()
                .map(|candidate| RegistryCandidate {
                    name: name(&candidate.node),
                    capabilities: candidate.capabilities.clone(),
                    matches: candidate.mismatches.is_empty(),
                    lacks: candidate.mismatches.iter().map(ToString::to_string).collect(),
                })
                .collect(),
        };
        ResolvedRegistry {
            environment: registry.map(|registry| {
                let registry = EnvironmentNode::new(
                    EnvironmentValue::Map(for_heat(registry)),
                    source_diagnostics::Span::NOWHERE,
                );
                serde_json::json!({ REGISTRY: registry.to_json() })
            }),
            choices: choices.iter().map(chosen).collect(),
            diagnostics: Finding::all(findings, places),
        }
    }
}

/// A file as displayed to the user, or a type.
fn name(node: &EnvironmentNode) -> String {
    match &node.value {
        EnvironmentValue::File(location) => location.to_string(),
        _ => node.as_text().unwrap_or_default().into_owned(),
    }
}

/// The registry as an environment for Heat. Files are URLs, so the environment can be stored anywhere.
pub fn environment(registry: &Registry) -> Result<String, Box<Diagnostic>> {
    let section = Value::map([(REGISTRY, value(EnvironmentValue::Map(for_heat(registry))))]);
    writer::write(&section, &writer::YamlOptions::default())
}

/// The registry with URLs for files, which do not need `base_url`.
fn for_heat(registry: &Registry) -> EnvironmentMap {
    let mut top = registry.to_tree();
    top.shift_remove(BASE_URL);
    if let Some(EnvironmentNode { value: EnvironmentValue::Map(resources), .. }) =
        top.get_mut(RESOURCES)
    {
        for scope in resources.values_mut() {
            if let EnvironmentValue::Map(scope) = &mut scope.value {
                scope.shift_remove(BASE_URL);
            }
        }
        if resources.is_empty() {
            top.shift_remove(RESOURCES);
        }
    }
    top.values_mut().for_each(url_for_file);
    top
}

fn url_for_file(node: &mut EnvironmentNode) {
    match &mut node.value {
        EnvironmentValue::File(location) => {
            node.value = EnvironmentValue::Text(location.url().to_owned())
        }
        EnvironmentValue::List(items) => items.iter_mut().for_each(url_for_file),
        EnvironmentValue::Map(map) => map.values_mut().for_each(url_for_file),
        _ => {}
    }
}

fn value(tree: EnvironmentValue) -> Value {
    match tree {
        EnvironmentValue::Null => Value::Null,
        EnvironmentValue::Bool(bool) => Value::Bool(bool),
        EnvironmentValue::Int(int) => Value::Int(int),
        EnvironmentValue::Float(float) => Value::Float(float),
        EnvironmentValue::Text(text) => Value::Text(text),
        EnvironmentValue::File(location) => Value::Text(location.url().to_owned()),
        EnvironmentValue::List(items) => {
            Value::List(items.into_iter().map(|item| value(item.value)).collect())
        }
        EnvironmentValue::Map(map) => {
            Value::map(map.into_iter().map(|(key, node)| (key, value(node.value))))
        }
    }
}
